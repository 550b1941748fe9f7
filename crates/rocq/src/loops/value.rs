//! Values: that an expression of the loops, where the tensors are in memory, gives a scalar of the term.

use super::Lowering;
use super::step::{Arg, Step, step};
use super::words::{Text, mismatch};
use crate::error::{Refusal, Result};
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Elem, Expr, Ix, Node, Number, Pred, Prim, Scalar, Var};
use atl_loops::{Bool, CmpOp, Int, Name, Val};
use atl_lower::machine;

/// The condition of a choice.
fn asked(v: &Val) -> Option<&Bool> {
    if let Val::Select { cond, .. } = v { Some(cond) } else { None }
}

impl Lowering<'_, '_> {
    /// The value's text, and how it gives `e`.
    pub(super) fn value(&mut self, scope: &mut Scope, v: &Val, e: &Expr) -> Result<(Text, Step)> {
        match (&**e, v) {
            (Node::Var(_) | Node::Get(..), Val::Load { buf, index }) => self.load(scope, buf, index, e),
            (Node::Lit(elem, number), Val::Lit(_)) => {
                Ok((self.constant(v, *elem, *number)?.under("Const", "VConst"), step!("RConst")))
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
                let (given, reads, equal) = self.given(scope, given, i)?;
                let function = self.export.needs.index_function(*elem);
                let number = self.speech.indices.number(&function);
                let text = Text {
                    plain: format!("(OfInt {function} {})", given.plain),
                    deep: format!("(VIndex {number} {})", given.deep),
                };
                Ok((text, step!("RIndex", reads, equal)))
            }
            (Node::View(_, body), _) => {
                let (text, how) = self.value(scope, v, body)?;
                Ok((text, step!("RView", how)))
            }
            (Node::Prim(prim, args), _) => self.operation(scope, v, e, *prim, args),
            (Node::Guard(p, body), _) => match (self.decided_at(scope, p, asked(v)), v) {
                (Some(true), _) => {
                    let shown = self.shown(scope, p)?;
                    let (text, how) = self.value(scope, v, body)?;
                    Ok((text, step!("RGuard_true", shown, how)))
                }
                (Some(false), Val::Lit(_)) => {
                    let elem = scope.ty(e, Side::Left)?.elem;
                    let zero = self.constant(v, elem, Number::Zero)?;
                    let denied = self.denied(scope, p)?;
                    Ok((zero.under("Const", "VConst"), step!("RGuard_false", denied)))
                }
                (None, Val::Select { cond, then, otherwise }) => {
                    let elem = scope.ty(e, Side::Left)?.elem;
                    let zero = self.constant(otherwise, elem, Number::Zero)?.under("Const", "VConst");
                    let (cond, reads, alike) = self.decided_by(scope, cond, p)?;
                    let (then, how) = self.assuming(scope, p, |this, scope| this.value(scope, then, body))?;
                    Ok((choice(&cond, &then, &zero), step!("RGuard", reads, alike, how)))
                }
                (None, _) if !self.has_one_type => {
                    let shown = self.shown(scope, p)?;
                    let (text, how) = self.value(scope, v, body)?;
                    Ok((text, step!("RGuard_true", shown, how)))
                }
                _ => mismatch("a guarded value"),
            },
            (Node::Select(p, a, b), _) => match (self.decided_at(scope, p, asked(v)), v) {
                (Some(true), _) => {
                    let shown = self.shown(scope, p)?;
                    let (text, how) = self.value(scope, v, a)?;
                    Ok((text, step!("RSelect_true", shown, how)))
                }
                (Some(false), _) => {
                    let denied = self.denied(scope, p)?;
                    let (text, how) = self.value(scope, v, b)?;
                    Ok((text, step!("RSelect_false", denied, how)))
                }
                (None, Val::Select { cond, then, otherwise }) => {
                    let (cond, reads, alike) = self.decided_by(scope, cond, p)?;
                    let (then, r) = self.assuming(scope, p, |this, scope| this.value(scope, then, a))?;
                    let not = raw::not(p);
                    let (otherwise, s) =
                        self.assuming(scope, &not, |this, scope| this.value(scope, otherwise, b))?;
                    Ok((choice(&cond, &then, &otherwise), step!("RSelect", reads, alike, r, s)))
                }
                _ => mismatch("a choice of values"),
            },
            _ => mismatch("a value"),
        }
    }

    /// The constant of a literal, if the machine's is the term's.
    pub(super) fn constant(&mut self, v: &Val, elem: Elem, number: Number) -> Result<Text> {
        match v {
            Val::Lit(literal) if machine::literal(elem, number) == Some(*literal) => {
                let plain = self.export.needs.literal(elem, number);
                let deep = self.speech.constant(&plain);
                Ok(Text { plain, deep })
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
    ) -> Result<(Text, Step)> {
        let elems = args.iter().map(|a| Ok(scope.ty(a, Side::Left)?.elem)).collect::<Result<Vec<_>>>()?;
        let result = scope.ty(e, Side::Left)?.elem;
        let (constructor, operands): (&str, Vec<&Val>) = match (v, elems.as_slice()) {
            (Val::Un(op, a), [_]) if machine::unary(prim) == Some(*op) => ("Unary", vec![&**a]),
            (Val::Bin(op, a, b), [elem, _]) if machine::binary(prim, *elem) == Some(*op) => {
                ("Binary", vec![&**a, &**b])
            }
            (Val::Call(function, operands), _)
                if prim == Prim::Call(*function) && operands.len() == args.len() =>
            {
                match args.len() {
                    1 => ("Unary", operands.iter().collect()),
                    2 => ("Binary", operands.iter().collect()),
                    _ if self.has_one_type => return mismatch("a function of more than two numbers"),
                    _ => ("Ternary", operands.iter().collect()),
                }
            }
            // Rocq's operations are of one type.
            _ if self.has_one_type => return mismatch("an operation"),
            (Val::Cmp(op, a, b), [_, _]) if CmpOp::of(prim) == Some(*op) => ("Binary", vec![&**a, &**b]),
            (Val::Convert { to, val }, [_]) if matches!(prim, Prim::Cast(elem) if elem.scalar == *to) => {
                ("Unary", vec![&**val])
            }
            (Val::Choose { cond, then, otherwise }, [_, _, _]) if prim == Prim::Where => {
                ("Ternary", vec![&**cond, &**then, &**otherwise])
            }
            _ => return mismatch("an operation"),
        };
        let f = self.export.needs.prim(prim, &elems, result);
        let (word, number) = self.speech.function(&f, args.len());
        let name = ["ROne", "RTwo", "RThree"][args.len().clamp(1, 3) - 1];
        let mut text = Text { plain: format!("({constructor} {f}"), deep: format!("(V{word} {number}") };
        let mut operations = Vec::new();
        for (v, arg) in operands.into_iter().zip(args) {
            let (operand, inner) = self.value(scope, v, arg)?;
            text = Text {
                plain: format!("{} {}", text.plain, operand.plain),
                deep: format!("{} {}", text.deep, operand.deep),
            };
            operations.push(Arg::from(inner));
        }
        Ok((Text { plain: text.plain + ")", deep: text.deep + ")" }, Step { name, args: operations }))
    }

    /// A cell of a tensor.
    fn load(&mut self, scope: &mut Scope, buf: &Name, index: &Int, e: &Expr) -> Result<(Text, Step)> {
        let (mut head, mut at): (&Expr, Vec<Ix>) = (e, Vec::new());
        while let Node::Get(inner, i) = &**head {
            at.insert(0, i.clone());
            head = inner;
        }
        let Node::Var(Var::Free(level)) = &**head else { return mismatch("a read of no variable") };
        if !self.known.iter().any(|(known, name)| known == level && name == buf) {
            return mismatch("a read of another buffer");
        }
        let shape = scope.ty(head, Side::Left)?.shape;
        if shape.len() != at.len() {
            return Err(Refusal::Unknown("an access that is not at full rank"));
        }
        let (cell, inside) = self.cell_of(scope, *level, &shape, &at)?;
        let (given, reads, equal) = self.given(scope, index, &cell)?;
        let text = Text {
            plain: format!("(Load \"{buf}\" {})", given.plain),
            deep: format!("(VLoad {} {})", self.leaves.buffer(buf), given.deep),
        };
        Ok((text, step!("RLoad", reads, inside, equal)))
    }

    /// With a fact more.
    pub(super) fn assuming<T>(
        &mut self,
        scope: &mut Scope,
        p: &Pred,
        run: impl FnOnce(&mut Self, &mut Scope) -> Result<T>,
    ) -> Result<T> {
        let level = scope.level();
        scope.push_hyp(p);
        let result = run(self, scope);
        scope.truncate(level);
        result
    }
}

fn choice(cond: &Text, then: &Text, otherwise: &Text) -> Text {
    Text {
        plain: format!("(Choose {} {} {})", cond.plain, then.plain, otherwise.plain),
        deep: format!("(VChoose {} {} {})", cond.deep, then.deep, otherwise.deep),
    }
}
