//! What a term may speak of, with its names in Rocq.
//!
//! The levels are those of the kernel's context, so that a certificate's levels mean here what they mean
//! there. A tensor variable may be two of Rocq, one for each side of an equation, that are equal at
//! its shape: so the body of a `let` is compared when what it binds was replaced.

use crate::error::{Refusal, Result};
use crate::raw;
use atl_kernel::{Ctx, Elem, Expr, Ix, Label, Node, Pred, Prim, Scalar, Type, Var};
use std::sync::Arc;

/// A side of an equation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Left,
    Right,
}

/// An entry of the context.
#[derive(Clone)]
pub(crate) enum Slot {
    Index(String),
    Tensor {
        name: String,
        ty: Type,
        /// The other side's variable, its type, and the proof that the two are equal.
        other: Option<(String, Type, String)>,
    },
    /// The proof that the predicate holds.
    Hyp(Pred, String),
    /// The same for all integers in place of its variables.
    All(usize, Pred, String),
}

/// A context of the kernel, and what its entries are in Rocq.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    pub(crate) ctx: Ctx,
    pub(crate) slots: Vec<Slot>,
}

/// An identifier that is no other: nothing of the library ends in a number after an underscore, and what a
/// file names by number itself has a prime before it.
pub(crate) fn identifier(label: &Label, otherwise: &str, level: u32) -> String {
    let plain: String = label.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match plain.chars().next() {
        Some(c) if c.is_ascii_alphabetic() => format!("{plain}_{level}"),
        _ => format!("{otherwise}_{level}"),
    }
}

impl Scope {
    pub(crate) fn level(&self) -> u32 {
        self.ctx.level()
    }

    /// Forget what was added since.
    pub(crate) fn truncate(&mut self, level: u32) {
        self.ctx.truncate(level);
        self.slots.truncate(level as usize);
    }

    pub(crate) fn push_index(&mut self, label: &Label) -> String {
        let name = identifier(label, "i", self.level());
        self.ctx.push_index(label.clone());
        self.slots.push(Slot::Index(name.clone()));
        name
    }

    pub(crate) fn push_hyp(&mut self, p: &Pred) -> String {
        let name = format!("h_{}", self.level());
        self.ctx.push_hyp(p.clone());
        self.slots.push(Slot::Hyp(p.clone(), name.clone()));
        name
    }

    pub(crate) fn push_all(&mut self, labels: &[Label], p: &Pred) -> String {
        let name = format!("h_{}", self.level());
        self.ctx.push_all(labels.to_vec(), p.clone());
        self.slots.push(Slot::All(labels.len(), p.clone(), name.clone()));
        name
    }

    pub(crate) fn push_tensor(&mut self, label: &Label, ty: Type) -> String {
        let name = identifier(label, "x", self.level());
        self.ctx.push_tensor(label.clone(), ty.clone());
        self.slots.push(Slot::Tensor { name: name.clone(), ty, other: None });
        name
    }

    /// A variable on either side, and the proof of their equality: their three names.
    pub(crate) fn push_pair(&mut self, label: &Label, left: Type, right: Type) -> [String; 3] {
        let level = self.level();
        let name = identifier(label, "x", level);
        let (twin, proof) = (format!("{name}r"), format!("{name}_equal"));
        self.ctx.push_tensor(label.clone(), left.clone());
        let other = Some((twin.clone(), right, proof.clone()));
        self.slots.push(Slot::Tensor { name: name.clone(), ty: left, other });
        [name, twin, proof]
    }

    /// A tensor variable of this name; `other` is the variable of the other side, where that has one of its own.
    pub(crate) fn push_named(
        &mut self,
        label: &Label,
        ty: Type,
        name: String,
        other: Option<(String, Type, String)>,
    ) {
        self.ctx.push_tensor(label.clone(), ty.clone());
        self.slots.push(Slot::Tensor { name, ty, other });
    }

    /// Enter a loop: its index and the proofs that it is in range have these names.
    pub(crate) fn push_loop_named(&mut self, label: &Label, n: &Ix, names: &[String; 3]) {
        let level = self.level() as usize;
        self.push_loop(label, n);
        for (slot, name) in self.slots[level..].iter_mut().zip(names) {
            match slot {
                Slot::Index(own) | Slot::Hyp(_, own) => own.clone_from(name),
                Slot::Tensor { .. } | Slot::All(..) => {}
            }
        }
    }

    /// Enter a loop: the names of its index and of the proofs that it is in range.
    pub(crate) fn push_loop(&mut self, label: &Label, n: &Ix) -> [String; 3] {
        let index = Ix::free(self.level());
        let name = self.push_index(label);
        let low = self.push_hyp(&Pred::le(Ix::ZERO, index.clone()));
        let high = self.push_hyp(&Pred::lt(index, n.clone()));
        [name, low, high]
    }

    /// The tensor variable: its name and type on this side.
    pub(crate) fn tensor(&self, v: Var, side: Side) -> Result<(&str, &Type)> {
        let Var::Free(level) = v else { return Err(Refusal::Unknown("a bound variable without its binder")) };
        match self.slots.get(level as usize) {
            Some(Slot::Tensor { other: Some((name, ty, _)), .. }) if side == Side::Right => Ok((name, ty)),
            Some(Slot::Tensor { name, ty, .. }) => Ok((name, ty)),
            _ => Err(Refusal::Unknown("a tensor variable that the context does not have")),
        }
    }

    /// The type of a term of which the kernel has one, with extents as the term has them.
    pub(crate) fn ty(&mut self, e: &Expr, side: Side) -> Result<Type> {
        let level = self.level();
        let ty = self.ty_here(e, side);
        self.truncate(level);
        ty
    }

    /// [`Scope::ty`]; what it adds to the scope stays there.
    fn ty_here(&mut self, e: &Expr, side: Side) -> Result<Type> {
        let scalar = |elem| Ok(Type { elem, shape: vec![] });
        match &**e {
            Node::Var(v) => Ok(self.tensor(*v, side)?.1.clone()),
            Node::Lit(elem, _) | Node::Index(elem, _) => scalar(*elem),
            Node::Gen(l, n, body) | Node::Sum(l, n, body) => {
                let body = raw::open(body, self.level());
                let level = self.level();
                self.push_loop(l, n);
                let mut ty = self.outside(&body, side, level)?;
                if matches!(**e, Node::Gen(..)) {
                    ty.shape.insert(0, n.clone());
                }
                Ok(ty)
            }
            Node::Guard(_, body) => self.ty(body, side),
            Node::Bundle(..) => Err(Refusal::Unknown("several results")),
            Node::Select(_, a, _) => self.ty(a, side),
            Node::Let(l, bound, body) => {
                let bound = self.ty(bound, side)?;
                let body = raw::open(body, self.level());
                let level = self.level();
                self.push_tensor(l, bound);
                self.outside(&body, side, level)
            }
            Node::Iterate(it) => {
                let types = it.states.iter().map(|state| self.ty(&state.init, side));
                let types = types.collect::<Result<Vec<_>>>()?;
                let level = self.level();
                for (state, ty) in it.states.iter().zip(types) {
                    self.push_tensor(&state.label, ty);
                }
                let count = self.level() - level;
                self.outside(&atl_kernel::subst::open_all(&it.body, level, count), side, level)
            }
            Node::Get(a, _) => {
                let mut ty = self.ty(a, side)?;
                if ty.shape.is_empty() {
                    return Err(Refusal::Unknown("an access to a scalar"));
                }
                ty.shape.remove(0);
                Ok(ty)
            }
            Node::Prim(f, args) => {
                let types = args.iter().map(|a| self.ty(a, side)).collect::<Result<Vec<_>>>()?;
                let Some(first) = types.first() else { return Err(Refusal::Unknown("no operand")) };
                let elem = match f {
                    Prim::Eq | Prim::Lt | Prim::Le => Elem { scalar: Scalar::Bool, ..first.elem },
                    Prim::Where => types.get(1).unwrap_or(first).elem,
                    Prim::Cast(to) => *to,
                    _ => first.elem,
                };
                Ok(Type { elem, shape: first.shape.clone() })
            }
            Node::View(algebra, a) => {
                let ty = self.ty(a, side)?;
                Ok(Type { elem: Elem { scalar: ty.elem.scalar, algebra: algebra.0 }, ..ty })
            }
            Node::Op(..) => {
                let body = self.unfolded(e, side, true)?;
                self.ty(&body, side)
            }
        }
    }

    /// The type of a binder's body, outside of the binder, which is at `level`. Extents do not depend on its
    /// variable, but may only do so once they are simplified, as the kernel does: `i + (n - i)` is `n`.
    fn outside(&mut self, body: &Expr, side: Side, level: u32) -> Result<Type> {
        let mut ty = self.ty(body, side)?;
        for extent in ty.shape.iter_mut().filter(|extent| extent.mentions(level)) {
            *extent = raw::simplified(extent);
            if extent.mentions(level) {
                return Err(Refusal::Unknown("an extent that depends on an index below it"));
            }
        }
        Ok(ty)
    }

    /// An applied operator's definition, with its arguments, or, if `fresh`, with new variables for its
    /// tensors.
    pub(crate) fn unfolded(&mut self, e: &Expr, side: Side, fresh: bool) -> Result<Expr> {
        let Node::Op(def, ixs, args) = &**e else { return Ok(e.clone()) };
        let mut indices: Vec<(u32, Ix)> = (0..).zip(ixs.iter().cloned()).collect();
        let mut tensors = Vec::new();
        for (k, arg) in args.iter().enumerate() {
            let ty = self.ty(arg, side)?;
            let (level, named) = (def.tensor_level(k), def.tensor_params[k]);
            indices.extend((level - named..level).zip(ty.shape.iter().cloned()));
            let arg = if fresh {
                let var = Var::Free(self.level());
                self.push_tensor(&Label::new("t"), ty);
                Arc::new(Node::Var(var))
            } else {
                arg.clone()
            };
            tensors.push((level, arg));
        }
        Ok(raw::unfold(&def.body, &indices, &tensors))
    }
}
