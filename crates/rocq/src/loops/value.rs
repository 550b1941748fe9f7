//! Values: that an expression of the loops, where the tensors are in memory, gives a scalar of the term.

use super::Lowering;
use super::place::flat;
use super::words::mismatch;
use crate::error::{Refusal, Result};
use crate::scope::{Scope, Side};
use atl_kernel::{Elem, Expr, Ix, Node, Number, Pred, Prim, Scalar, Var};
use atl_loops::{Bool, Int, Name, Val};
use atl_lower::machine;

/// The condition of a choice.
fn asked(v: &Val) -> Option<&Bool> {
    if let Val::Select { cond, .. } = v { Some(cond) } else { None }
}

impl Lowering<'_, '_> {
    /// Prove the goal `reads G v e`, and give the value's text.
    pub(super) fn value(&mut self, scope: &mut Scope, v: &Val, e: &Expr) -> Result<String> {
        match (&**e, v) {
            (Node::Var(_) | Node::Get(..), Val::Load { buf, index }) => self.load(scope, buf, index, e),
            (Node::Lit(elem, number), Val::Lit(_)) => {
                let constant = self.constant(v, *elem, *number)?;
                self.export.line("apply reads_scalar.");
                Ok(format!("(Const {constant})"))
            }
            (Node::Index(elem, i), _) => {
                let given = match v {
                    Val::OfInt(given) if elem.scalar == Scalar::I64 => given,
                    Val::Convert { to, val } if *to == elem.scalar => match &**val {
                        Val::OfInt(given) => given,
                        _ => return mismatch("a conversion"),
                    },
                    _ => return mismatch("an index as a value"),
                };
                self.export.line("apply reads_index.");
                let given = self.given(scope, given, i)?;
                let function = self.export.needs.index_function(*elem);
                Ok(format!("(OfInt {function} {given})"))
            }
            (Node::View(_, body), _) => {
                self.export.line("apply reads_view.");
                self.value(scope, v, body)
            }
            (Node::Prim(prim, args), _) => self.operation(scope, v, e, *prim, args),
            (Node::Guard(p, body), _) => match (self.decided_at(scope, p, asked(v)), v) {
                (Some(true), _) => {
                    self.export.line("apply reads_guard_true.");
                    self.shown(scope, p)?;
                    self.value(scope, v, body)
                }
                (Some(false), Val::Lit(_)) => {
                    let elem = scope.ty(e, Side::Left)?.elem;
                    let zero = self.constant(v, elem, Number::Zero)?;
                    self.export.line("apply reads_guard_false.");
                    let shown = self.export.show_false(scope, p, &[])?;
                    self.by(&shown);
                    Ok(format!("(Const {zero})"))
                }
                (None, Val::Select { cond, then, otherwise }) => {
                    let elem = scope.ty(e, Side::Left)?.elem;
                    let zero = self.constant(otherwise, elem, Number::Zero)?;
                    self.export.line("apply reads_guard.");
                    let cond = self.decided_by(scope, cond, p)?;
                    let level = scope.level();
                    let name = scope.push_hyp(p);
                    self.export.line(&format!("intros {name}."));
                    let then = self.value(scope, then, body);
                    scope.truncate(level);
                    Ok(format!("(Choose {cond} {} (Const {zero}))", then?))
                }
                _ => mismatch("a guarded value"),
            },
            (Node::Select(p, a, b), _) => match (self.decided_at(scope, p, asked(v)), v) {
                (Some(true), _) => {
                    self.export.line("apply reads_select_true.");
                    self.shown(scope, p)?;
                    self.value(scope, v, a)
                }
                (Some(false), _) => {
                    self.export.line("apply reads_select_false.");
                    let shown = self.export.show_false(scope, p, &[])?;
                    self.by(&shown);
                    self.value(scope, v, b)
                }
                (None, Val::Select { cond, then, otherwise }) => {
                    self.export.line("apply reads_select.");
                    let cond = self.decided_by(scope, cond, p)?;
                    let then =
                        self.goal(|this| this.assuming(scope, p, |this, scope| this.value(scope, then, a)))?;
                    let otherwise = self
                        .goal(|this| this.denying(scope, p, |this, scope| this.value(scope, otherwise, b)))?;
                    Ok(format!("(Choose {cond} {then} {otherwise})"))
                }
                _ => mismatch("a choice of values"),
            },
            _ => mismatch("a value"),
        }
    }

    /// The constant of a literal, if the machine's is the term's.
    pub(super) fn constant(&mut self, v: &Val, elem: Elem, number: Number) -> Result<String> {
        match v {
            Val::Lit(literal) if machine::literal(elem, number) == Some(*literal) => {
                Ok(self.export.needs.literal(elem, number))
            }
            _ => mismatch("another number"),
        }
    }

    /// A pointwise operation, if the machine's is the term's.
    fn operation(
        &mut self,
        scope: &mut Scope,
        v: &Val,
        e: &Expr,
        prim: Prim,
        args: &[Expr],
    ) -> Result<String> {
        let elems = args.iter().map(|a| Ok(scope.ty(a, Side::Left)?.elem)).collect::<Result<Vec<_>>>()?;
        let result = scope.ty(e, Side::Left)?.elem;
        let (constructor, operands): (&str, Vec<&Val>) = match (v, elems.as_slice()) {
            (Val::Un(op, a), [_]) if machine::unary(prim) == Some(*op) => ("Unary", vec![&**a]),
            (Val::Bin(op, a, b), [elem, _]) if machine::binary(prim, *elem) == Some(*op) => {
                ("Binary", vec![&**a, &**b])
            }
            _ => return mismatch("an operation"),
        };
        let f = self.export.needs.prim(prim, &elems, result);
        self.export.line(&format!("apply reads_prim{}.", args.len()));
        let mut texts = Vec::new();
        for (v, arg) in operands.into_iter().zip(args) {
            texts.push(self.goal(|this| this.value(scope, v, arg))?);
        }
        Ok(format!("({constructor} {f} {})", texts.join(" ")))
    }

    /// A cell of a tensor.
    fn load(&mut self, scope: &mut Scope, buf: &Name, index: &Int, e: &Expr) -> Result<String> {
        let (mut head, mut at): (&Expr, Vec<&Ix>) = (e, Vec::new());
        while let Node::Get(inner, i) = &**head {
            at.push(i);
            head = inner;
        }
        let Node::Var(Var::Free(level)) = &**head else { return mismatch("a read of no variable") };
        let Some(position) = self.known.iter().position(|(known, name)| known == level && name == buf) else {
            return mismatch("a read of another buffer");
        };
        let shape = scope.ty(head, Side::Left)?.shape;
        if shape.len() != at.len() {
            return Err(Refusal::Unknown("an access that is not at full rank"));
        }
        self.export.line("eapply reads_load.");
        self.goal(|this| {
            for (i, n) in at.iter().zip(shape.iter().rev()) {
                let inside = this.export.show(scope, &crate::raw::in_range(i, n), &[])?;
                this.export.line(&format!("eapply element_get; [exact {inside}|]."));
            }
            this.export.line(&format!("apply (element_of _ {position}); reflexivity."));
            Ok(())
        })?;
        let indices: Vec<Ix> = at.into_iter().rev().cloned().collect();
        let given = self.given(scope, index, &flat(&shape, &indices))?;
        Ok(format!("(Load \"{buf}\" {given})"))
    }

    /// A proof of `p = true`.
    pub(super) fn shown(&mut self, scope: &Scope, p: &Pred) -> Result<()> {
        let shown = self.export.show(scope, p, &[])?;
        self.by(&shown);
        Ok(())
    }

    /// An index term of the loops that gives this one, of which the next goal is: its text.
    pub(super) fn given(&mut self, scope: &Scope, int: &Int, what: &Ix) -> Result<String> {
        let (text, proof) = self.gives(scope, int, what)?;
        self.by(&proof);
        Ok(text)
    }

    /// A condition of the loops that decides this one, of which the next goal is: its text.
    pub(super) fn decided_by(&mut self, scope: &mut Scope, p: &Bool, what: &Pred) -> Result<String> {
        let (text, proof) = self.decides(scope, p, what)?;
        self.by(&proof);
        Ok(text)
    }
}
