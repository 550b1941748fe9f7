//! Types of expressions: syntax-directed, total, and part of the trusted base.
//!
//! Equality of extents is decided by polynomial normal form, or else by a certificate.

use crate::ctx::{Ctx, Entry, Meaning, Recorder, Type};
use crate::error::{Error, Result, TypeError};
use crate::ix::{Ix, Pred, Var};
use crate::poly::Poly;
use crate::size::{expr_fits, ix_fits};
use crate::subst::{Subst, VarMap};
use crate::term::{Expr, Iterate, Label, Node, Prim, State};
use crate::ty::{Elem, Scalar};
use std::sync::Arc;

/// A context, and the levels of the binders entered since the term at hand was locally closed.
pub(crate) struct Scope {
    pub(crate) ctx: Ctx,
    pub(crate) stack: Vec<u32>,
    /// Free variables are below this level; above it are the binders entered, which only bound ones mean.
    pub(crate) base: u32,
    /// Nothing is shown here, so nothing is assumed: a term whose type asks for a certificate has none.
    pub(crate) plain: bool,
    /// A node that stands at one place of the term at hand, and its type there.
    pub(crate) known: Option<(Expr, Type)>,
}

/// An inference of types.
pub(crate) type Infer = fn(&mut Scope, &Expr, &mut Recorder<'_>) -> Result<Type>;

/// Bound variables that point out of a term are the binders on the stack.
impl VarMap for &[u32] {
    fn index(&self, v: Var, _: u32) -> Option<Ix> {
        binder(self, v).map(Ix::free)
    }
    fn tensor(&self, v: Var, _: u32) -> Option<Expr> {
        binder(self, v).map(|l| Arc::new(Node::Var(Var::Free(l))))
    }
}

fn binder(stack: &[u32], v: Var) -> Option<u32> {
    if let Var::Bound(k) = v { stack.iter().rev().nth(k as usize).copied() } else { None }
}

impl Scope {
    /// The scope of locally closed terms in a context, which must be well formed.
    pub(crate) fn new(ctx: &Ctx) -> Result<Scope> {
        match ctx.stray() {
            Some(level) => Err(Error::Stray(level)),
            None => {
                let (ctx, base) = (ctx.clone(), ctx.level());
                Ok(Scope { ctx, base, stack: Vec::new(), plain: false, known: None })
            }
        }
    }

    /// The index term with context variables for bound ones.
    pub(crate) fn resolve(&self, ix: &Ix) -> Ix {
        crate::subst::map_ix(ix, 0, &self.stack.as_slice()).unwrap_or_else(|| ix.clone())
    }

    pub(crate) fn resolve_pred(&self, p: &Pred) -> Pred {
        crate::subst::map_pred(p, 0, &self.stack.as_slice()).unwrap_or_else(|| p.clone())
    }

    fn level_of(&self, v: Var) -> Option<u32> {
        match v {
            Var::Free(l) => (l < self.base).then_some(l),
            Var::Bound(_) => binder(&self.stack, v),
        }
    }

    /// The type, whose extents mention nothing from this level on: what they would mean is gone.
    fn outside(&self, ty: Type, level: u32, at: &Expr) -> Result<Type> {
        match ty.shape.iter().find(|extent| (level..self.ctx.level()).any(|l| extent.mentions(l))) {
            Some(jagged) => Err(Error::IllTyped(TypeError::Jagged(jagged.clone()), at.clone())),
            None => Ok(ty),
        }
    }

    /// Do something in a longer context.
    pub(crate) fn within<T>(
        &mut self,
        enter: impl FnOnce(&mut Ctx) -> Option<u32>,
        run: impl FnOnce(&mut Scope) -> T,
    ) -> T {
        let (level, depth) = (self.ctx.level(), self.stack.len());
        if let Some(binder) = enter(&mut self.ctx) {
            self.stack.push(binder);
        }
        let result = run(self);
        self.ctx.truncate(level);
        self.stack.truncate(depth);
        result
    }

    /// Every variable of the index term is an index variable in scope.
    pub(crate) fn scoped(&self, ix: &Ix, at: &Expr) -> Result<()> {
        self.bound(self.ctx.unbound(ix, &|v| self.level_of(v).map(Meaning::Entry)), at)
    }

    pub(crate) fn scoped_pred(&self, p: &Pred, at: &Expr) -> Result<()> {
        self.bound(self.ctx.unbound_in(p, &|v| self.level_of(v).map(Meaning::Entry)), at)
    }

    fn bound(&self, unbound: Option<Var>, at: &Expr) -> Result<()> {
        unbound.map_or(Ok(()), |v| Err(Error::IllTyped(TypeError::Unbound(v), at.clone())))
    }

    /// The type of a program: a tensor's, or that of several results, around which only `let`s may be.
    pub(crate) fn infer_program(&mut self, e: &Expr, rec: &mut Recorder<'_>) -> Result<Type> {
        if let Some(ty) = self.known_type(e) {
            return Ok(ty);
        }
        match &**e {
            Node::Bundle(_, parts) if parts.len() > 1 => {
                let types = parts.iter().map(|part| self.infer(part, rec)).collect::<Result<Vec<_>>>()?;
                Ok(Type::bundle(&types))
            }
            Node::Let(..) => self.infer_let(e, rec, Scope::infer_program),
            _ => self.infer(e, rec),
        }
    }

    fn infer_let(&mut self, e: &Expr, rec: &mut Recorder<'_>, body_type: Infer) -> Result<Type> {
        let Node::Let(label, bound, body) = &**e else { return self.infer(e, rec) };
        let (ty, level) = (self.infer(bound, rec)?, self.ctx.level());
        let inside = |s: &mut Scope| s.below_let(body, rec, body_type).and_then(|ty| s.outside(ty, level, e));
        self.within(|c| Some(c.push_tensor(label.clone(), ty)), inside)
    }

    /// The type of a tensor.
    pub(crate) fn infer(&mut self, e: &Expr, rec: &mut Recorder<'_>) -> Result<Type> {
        match self.infer_tensor(e, rec)? {
            ty if ty.is_bundle() => Err(Error::IllTyped(TypeError::Bundle, e.clone())),
            ty => Ok(ty),
        }
    }

    /// The type of the node whose type is known.
    fn known_type(&self, e: &Expr) -> Option<Type> {
        let is_here = |(node, _): &&(Expr, Type)| Arc::ptr_eq(node, e);
        self.known.as_ref().filter(is_here).map(|(_, ty)| ty.clone())
    }

    fn infer_tensor(&mut self, e: &Expr, rec: &mut Recorder<'_>) -> Result<Type> {
        #[cfg(test)]
        crate::tests::TYPED.set(crate::tests::TYPED.get() + 1);
        if let Some(ty) = self.known_type(e) {
            return Ok(ty);
        }
        let wrong = |why| Err(Error::IllTyped(why, e.clone()));
        let scalar = |elem| Ok(Type { elem, shape: vec![] });
        match &**e {
            Node::Var(v) => match self.level_of(*v).and_then(|l| self.ctx.entry(l)) {
                Some(Entry::Tensor(_, ty)) => Ok(ty.clone()),
                _ => wrong(TypeError::Unbound(*v)),
            },
            Node::Lit(elem, _) => scalar(*elem),
            Node::Index(elem, ix) => {
                self.scoped(ix, e)?;
                scalar(*elem)
            }
            Node::Gen(label, n, body) | Node::Sum(label, n, body) => {
                self.scoped(n, e)?;
                let n = self.resolve(n);
                let level = self.ctx.level();
                let inside = |s: &mut Scope| s.infer(body, rec).and_then(|ty| s.outside(ty, level, e));
                let mut ty = self.in_loop(label, &n, inside)?;
                if matches!(**e, Node::Gen(..)) {
                    ty.shape.insert(0, n);
                }
                Ok(ty)
            }
            Node::Guard(p, body) => {
                self.scoped_pred(p, e)?;
                self.infer_where(|s| s.resolve_pred(p), body, rec)
            }
            Node::Select(p, a, b) => {
                self.scoped_pred(p, e)?;
                let ty = self.infer_where(|s| s.resolve_pred(p), a, rec)?;
                let other = self.infer_where(|s| Pred::not(s.resolve_pred(p)), b, rec)?;
                self.same_type(&ty, &other, e, rec)?;
                Ok(ty)
            }
            Node::Let(..) => self.infer_let(e, rec, Scope::infer),
            Node::Bundle(..) => wrong(TypeError::Bundle),
            Node::Iterate(it) => {
                self.scoped(&it.extent, e)?;
                let n = self.resolve(&it.extent);
                let types =
                    it.states.iter().map(|state| self.infer(&state.init, rec)).collect::<Result<Vec<_>>>()?;
                self.with_states(it, &types, |s, state, ty| {
                    let round = |s: &mut Scope| {
                        let next = s.infer(&state.step, rec)?;
                        s.same_type(ty, &next, e, rec)
                    };
                    s.in_loop(&it.label, &n, round)
                })?;
                let level = self.ctx.level();
                let last = |s: &mut Scope| s.infer(&it.body, rec).and_then(|ty| s.outside(ty, level, e));
                self.after_rounds(it, &types, last)
            }
            Node::Get(array, ix) => {
                self.scoped(ix, e)?;
                let mut ty = self.infer(array, rec)?;
                if ty.shape.is_empty() {
                    return wrong(TypeError::NotATensor);
                }
                ty.shape.remove(0);
                Ok(ty)
            }
            Node::Prim(prim, args) => {
                let types = args.iter().map(|a| self.infer(a, rec)).collect::<Result<Vec<_>>>()?;
                let elem = match prim_type(*prim, &types) {
                    Ok(elem) => elem,
                    Err(why) => return wrong(why),
                };
                for ty in &types[1..] {
                    self.same_shape(&types[0], ty, e, rec)?;
                }
                Ok(Type { elem, shape: types[0].shape.clone() })
            }
            Node::View(algebra, body) => {
                let ty = self.infer(body, rec)?;
                let elem = Elem { scalar: ty.elem.scalar, algebra: algebra.0 };
                if !elem.is_admitted() {
                    return wrong(TypeError::Elems(ty.elem, elem));
                }
                Ok(Type { elem, shape: ty.shape })
            }
            Node::Op(def, ixs, args) => {
                let fits = ixs.len() == def.index_params as usize && args.len() == def.tensor_params.len();
                if !fits || !def.is_closed() {
                    return wrong(TypeError::Arity);
                }
                // The definition's type, with variables of the arguments' types for the arguments.
                let depth = self.ctx.level();
                let mut subst = Subst::default();
                for (level, ix) in (0..).zip(ixs) {
                    self.scoped(ix, e)?;
                    subst.index.push((level, self.resolve(ix)));
                }
                for (k, arg) in args.iter().enumerate() {
                    let ty = self.infer(arg, rec)?;
                    let Some(binding) = bind_argument(def, k, &ty) else {
                        return wrong(TypeError::NotATensor);
                    };
                    subst.index.extend(binding);
                    let var = self.ctx.push_tensor(Default::default(), ty);
                    subst.tensor.push((def.tensor_level(k), Arc::new(Node::Var(Var::Free(var)))));
                }
                // Extents stand in the body wherever it names them, and in its type once more.
                let body = subst.expr(&def.body);
                admit(&body)?;
                let base = std::mem::replace(&mut self.base, self.ctx.level());
                let ty = self.infer(&body, rec).and_then(|ty| self.outside(ty, depth, e));
                self.base = base;
                self.ctx.truncate(depth);
                ty.and_then(|ty| if ty.shape.iter().all(ix_fits) { Ok(ty) } else { Err(Error::TooLarge) })
            }
        }
    }

    /// Do something where the states of an iteration are any tensors of these types.
    pub(crate) fn after_rounds<T>(
        &mut self,
        it: &Iterate,
        types: &[Type],
        run: impl FnOnce(&mut Scope) -> T,
    ) -> T {
        let enter = |s: &mut Scope| {
            it.states.iter().zip(types).for_each(|(state, ty)| s.enter_tensor(&state.label, ty));
            run(s)
        };
        self.within(|_| None, enter)
    }

    /// Do something with each state of an iteration and its type, where the states and the new ones before it
    /// are any tensors.
    pub(crate) fn with_states(
        &mut self,
        it: &Iterate,
        types: &[Type],
        mut each: impl FnMut(&mut Scope, &State, &Type) -> Result<()>,
    ) -> Result<()> {
        self.after_rounds(it, types, |s| {
            it.states
                .iter()
                .zip(types)
                .try_for_each(|(state, ty)| each(s, state, ty).map(|()| s.enter_tensor(&state.label, ty)))
        })
    }

    fn enter_tensor(&mut self, label: &Label, ty: &Type) {
        let level = self.ctx.push_tensor(label.clone(), ty.clone());
        self.stack.push(level);
    }

    /// Do something where a predicate holds.
    pub(crate) fn assuming<T>(&mut self, p: Pred, run: impl FnOnce(&mut Scope) -> T) -> T {
        let hyp = |c: &mut Ctx| {
            c.push_hyp(p);
            None
        };
        self.within(hyp, run)
    }

    /// Do something in a loop, whose bounds are assumed where anything is.
    pub(crate) fn in_loop<T>(&mut self, label: &Label, n: &Ix, run: impl FnOnce(&mut Scope) -> T) -> T {
        let (label, plain) = (label.clone(), self.plain);
        self.within(|c| Some(if plain { c.push_index(label) } else { c.push_loop(label, n) }), run)
    }

    /// The type of a tensor where a predicate is assumed, if anything is.
    fn infer_where(
        &mut self,
        p: impl FnOnce(&Scope) -> Pred,
        e: &Expr,
        rec: &mut Recorder<'_>,
    ) -> Result<Type> {
        if self.plain {
            return self.infer(e, rec);
        }
        let p = p(self);
        self.assuming(p, |s| s.infer(e, rec))
    }

    /// Two index terms without bound variables are equal here.
    pub(crate) fn same_ix(&self, a: &Ix, b: &Ix, rec: &mut Recorder<'_>) -> Result<()> {
        if a == b || matches!((Poly::of(a), Poly::of(b)), (Ok(p), Ok(q)) if p == q) {
            return Ok(());
        }
        if self.plain {
            return Err(Error::Mismatch("a type that asks for a certificate"));
        }
        Ok(rec.show(&self.ctx, &Pred::eq(a.clone(), b.clone()))?)
    }

    fn same_shape(&self, a: &Type, b: &Type, at: &Expr, rec: &mut Recorder<'_>) -> Result<()> {
        if a.shape.len() != b.shape.len() {
            return Err(Error::IllTyped(TypeError::Ranks(a.shape.len(), b.shape.len()), at.clone()));
        }
        a.shape.iter().zip(&b.shape).try_for_each(|(m, n)| self.same_ix(m, n, rec))
    }

    pub(crate) fn same_type(&self, a: &Type, b: &Type, at: &Expr, rec: &mut Recorder<'_>) -> Result<()> {
        if a.elem != b.elem {
            return Err(Error::IllTyped(TypeError::Elems(a.elem, b.elem), at.clone()));
        }
        if a.kinds() != b.kinds() {
            return Err(Error::IllTyped(TypeError::Bundle, at.clone()));
        }
        self.same_shape(a, b, at, rec)
    }
}

/// The extents that a definition names of its tensor parameter `k`; `None` when the rank is too low.
fn bind_argument(def: &crate::define::Definition, k: usize, ty: &Type) -> Option<Vec<(u32, Ix)>> {
    let first = def.tensor_level(k) - def.tensor_params[k];
    let extents = ty.shape.get(..def.tensor_params[k] as usize)?;
    Some((first..).zip(extents.iter().cloned()).collect())
}

/// A defined operator's body with its arguments in place, given the arguments' types.
pub(crate) fn unfold(e: &Expr, types: &[Type]) -> Option<Expr> {
    let Node::Op(def, ixs, args) = &**e else { return None };
    let mut subst = Subst::default();
    subst.index.extend((0..).zip(ixs.iter().cloned()));
    for (k, arg) in args.iter().enumerate() {
        subst.index.extend(bind_argument(def, k, &types[k])?);
        subst.tensor.push((def.tensor_level(k), arg.clone()));
    }
    Some(subst.expr(&def.body))
}

/// The element type of a pointwise operation's result.
fn prim_type(prim: Prim, args: &[Type]) -> std::result::Result<Elem, TypeError> {
    if args.len() != prim.arity() {
        return Err(TypeError::Arity);
    }
    let elem = args[0].elem;
    let same = |from: usize| match args[from..].iter().find(|t| t.elem != args[from].elem) {
        Some(other) => Err(TypeError::Elems(args[from].elem, other.elem)),
        None => Ok(args[from].elem),
    };
    let on = |ok: bool, elem: Elem| if ok { Ok(elem) } else { Err(TypeError::Scalar(prim, elem.scalar)) };
    let (boolean, integer) = (elem.scalar == Scalar::Bool, elem.scalar.is_integer());
    match prim {
        Prim::Add | Prim::Mul => same(0),
        Prim::Sub | Prim::Div | Prim::Neg | Prim::Abs | Prim::Min | Prim::Max => on(!boolean, same(0)?),
        Prim::Rem | Prim::BitAnd | Prim::BitOr | Prim::BitXor | Prim::BitNot => on(integer, same(0)?),
        Prim::Shl | Prim::Shr | Prim::Popcount | Prim::Clz | Prim::Ctz => on(integer, same(0)?),
        Prim::MulHi => on(integer && elem.scalar.bits() <= 32, same(0)?),
        Prim::Call(_) => on(elem.scalar.is_float(), same(0)?),
        Prim::And | Prim::Or | Prim::Not => on(boolean, same(0)?),
        Prim::Eq | Prim::Lt | Prim::Le => Ok(Elem { scalar: Scalar::Bool, ..same(0)? }),
        Prim::Where if !boolean => Err(TypeError::Scalar(prim, elem.scalar)),
        Prim::Where => same(1),
        Prim::Cast(to) if std::ptr::eq(to.algebra, elem.algebra) => Ok(to),
        Prim::Cast(to) => Err(TypeError::Elems(elem, to)),
    }
}

/// The type of a locally closed expression.
pub(crate) fn infer(ctx: &Ctx, e: &Expr, rec: &mut Recorder<'_>) -> Result<Type> {
    admit(e)?;
    Ok(infer_with(ctx, e, None, rec)?.0)
}

/// The type of an admitted expression, and whether it asks for no certificate: then no assumption matters.
/// Of a node that stands at one place alone, the type there may be known, if that asks for none.
pub(crate) fn infer_with(
    ctx: &Ctx,
    e: &Expr,
    known: Option<(Expr, Type)>,
    rec: &mut Recorder<'_>,
) -> Result<(Type, bool)> {
    let mut scope = Scope { plain: true, known, ..Scope::new(ctx)? };
    if let Ok(ty) = scope.infer_program(e, rec) {
        return Ok((ty, true));
    }
    let mut scope = Scope { known: scope.known, ..Scope::new(ctx)? };
    Ok((scope.infer_program(e, rec)?, false))
}

/// The term is small enough to be worked on.
pub(crate) fn admit(e: &Expr) -> Result<()> {
    if expr_fits(e) { Ok(()) } else { Err(Error::TooLarge) }
}
