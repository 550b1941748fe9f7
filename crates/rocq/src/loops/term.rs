//! The term as a word of `Words.v`.

use super::Lowering;
use super::words::mismatch;
use crate::deep::{Deep, list};
use crate::error::{Refusal, Result};
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Expr, Iterate, Ix, Label, Node, Prim, Var};

/// The variables that words around the one that is written bind, by level, the innermost last.
#[derive(Default)]
pub(super) struct Binders {
    indices: Vec<u32>,
    tensors: Vec<u32>,
}

impl Lowering<'_, '_> {
    /// The levels as words have them: variables by how many binders stand between, and entries of the
    /// context.
    pub(super) fn spelled<T>(&self, binders: &[u32], write: impl FnOnce(&Deep<'_>) -> T) -> T {
        let index = |level: u32| match binders.iter().rev().position(|bound| *bound == level) {
            Some(k) => format!("Bound {k}"),
            None => format!("Free {level}"),
        };
        write(&Deep { index: &index, array: &|level| level, leaf: &|text| self.leaves.name(&text) })
    }

    fn ring(&mut self, scope: &mut Scope, e: &Expr) -> Result<usize> {
        let algebra = self.export.needs.algebra_of(scope, Side::Left, e)?;
        Ok(self.speech.algebras.number(&algebra))
    }

    /// The term as a word.
    pub(super) fn word(&mut self, scope: &mut Scope, e: &Expr, at: &mut Binders) -> Result<String> {
        Ok(match &**e {
            Node::Var(Var::Free(level)) => {
                let inner = at.tensors.iter().rev().position(|bound| bound == level);
                let outer =
                    || self.known.iter().position(|(known, _)| known == level).map(|k| k + at.tensors.len());
                match inner.or_else(outer) {
                    Some(k) => format!("(ETensor {k})"),
                    None => return mismatch("a tensor that is not in memory"),
                }
            }
            Node::Bundle(..) => return Err(Refusal::Unknown("several results")),
            Node::Var(Var::Bound(_)) => return Err(Refusal::Unknown("a bound variable without its binder")),
            Node::Lit(elem, number) => {
                let text = self.export.needs.literal(*elem, *number);
                format!("(EConst {})", self.speech.constant(&text))
            }
            Node::Index(elem, i) => {
                let function = self.export.needs.index_function(*elem);
                format!(
                    "(EIndex {} {})",
                    self.speech.indices.number(&function),
                    self.spelled(&at.indices, |deep| deep.ix(i))
                )
            }
            Node::Gen(label, n, body) => {
                let n_word = self.spelled(&at.indices, |deep| deep.ix(n));
                format!("(EGen {n_word} {})", self.word_under(scope, (label, n), body, at)?)
            }
            Node::Sum(label, n, body) => {
                let (ring, n_word) = (self.ring(scope, e)?, self.spelled(&at.indices, |deep| deep.ix(n)));
                format!("(ESum {ring} {n_word} {})", self.word_under(scope, (label, n), body, at)?)
            }
            Node::Guard(p, body) => {
                let (ring, p) = (self.ring(scope, body)?, self.spelled(&at.indices, |deep| deep.pred(p)));
                format!("(EGuard {ring} {p} {})", self.word(scope, body, at)?)
            }
            Node::Select(p, a, b) => {
                let (p, a) = (self.spelled(&at.indices, |deep| deep.pred(p)), self.word(scope, a, at)?);
                format!("(ESelect {p} {a} {})", self.word(scope, b, at)?)
            }
            Node::Let(label, bound, body) => {
                let ty = scope.ty(bound, Side::Left)?;
                let bound = self.word(scope, bound, at)?;
                let level = scope.level();
                scope.push_tensor(label, ty);
                at.tensors.push(level);
                let body = self.word(scope, &raw::open(body, level), at);
                at.tensors.pop();
                scope.truncate(level);
                format!("(ELet {bound} {})", body?)
            }
            Node::Iterate(it) => self.word_of_rounds(scope, it, at)?,
            Node::Get(a, k) => {
                let ty = scope.ty(a, Side::Left)?;
                let n = ty.shape.first().ok_or(Refusal::Unknown("an access to a scalar"))?;
                let (ring, n, k) = (
                    self.ring(scope, a)?,
                    self.spelled(&at.indices, |deep| deep.ix(n)),
                    self.spelled(&at.indices, |deep| deep.ix(k)),
                );
                format!("(EGet {ring} {n} {} {k})", self.word(scope, a, at)?)
            }
            Node::Prim(Prim::Add, args) if args.len() == 2 && !scope.ty(e, Side::Left)?.shape.is_empty() => {
                let (ring, a) = (self.ring(scope, e)?, self.word(scope, &args[0], at)?);
                format!("(EPlus {ring} {a} {})", self.word(scope, &args[1], at)?)
            }
            Node::Prim(f, args) => {
                let elems =
                    args.iter().map(|a| Ok(scope.ty(a, Side::Left)?.elem)).collect::<Result<Vec<_>>>()?;
                let text = self.export.needs.prim(*f, &elems, scope.ty(e, Side::Left)?.elem);
                let (word, number) = self.speech.function(&text, args.len());
                let args = args.iter().map(|a| self.word(scope, a, at)).collect::<Result<Vec<_>>>()?;
                format!("(E{word} {number} {})", args.join(" "))
            }
            Node::View(_, a) => format!("(EView {})", self.word(scope, a, at)?),
            Node::Op(definition, ixs, args) => {
                self.word_of_operator(scope, e, (definition.name, ixs, args), at)?
            }
        })
    }

    fn word_under(
        &mut self,
        scope: &mut Scope,
        (label, n): (&Label, &Ix),
        body: &Expr,
        at: &mut Binders,
    ) -> Result<String> {
        let level = scope.level();
        scope.push_loop(label, n);
        at.indices.push(level);
        let body = self.word(scope, &raw::open(body, level), at);
        at.indices.pop();
        scope.truncate(level);
        body
    }

    /// An iteration: each step is below the old states, the new ones before it, and the round's index.
    fn word_of_rounds(&mut self, scope: &mut Scope, it: &Iterate, at: &mut Binders) -> Result<String> {
        let (level, count) = (scope.level(), it.states.len() as u32);
        let extent = self.spelled(&at.indices, |deep| deep.ix(&it.extent));
        let (mut types, mut starts, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for state in &it.states {
            types.push(scope.ty(&state.init, Side::Left)?);
            starts.push(self.word(scope, &state.init, at)?);
        }
        let around = at.tensors.len();
        for (state, ty) in it.states.iter().zip(&types) {
            at.tensors.push(scope.level());
            scope.push_tensor(&state.label, ty.clone());
        }
        let body = self.word(scope, &raw::open_all(&it.body, level, count), at)?;
        for ((k, state), ty) in (0..).zip(&it.states).zip(&types) {
            let step = raw::open_all(&state.step, level, count + k + 1);
            let inner = scope.level();
            scope.push_loop(&it.label, &it.extent);
            at.indices.push(inner);
            let step = self.word(scope, &step, at);
            at.indices.pop();
            scope.truncate(inner);
            steps.push(step?);
            at.tensors.push(scope.level());
            scope.push_tensor(&state.label, ty.clone());
        }
        at.tensors.truncate(around);
        scope.truncate(level);
        let each = starts.iter().zip(&steps).rev();
        let states =
            each.fold("SNone".to_owned(), |rest, (start, step)| format!("(SState {start} {step} {rest})"));
        Ok(format!("(EIterate {extent} {} {states} {body})", count - 1))
    }

    /// An applied operator: its numbers, and the extents of its definition's loops.
    fn word_of_operator(
        &mut self,
        scope: &mut Scope,
        e: &Expr,
        (name, ixs, args): (&str, &[Ix], &[Expr]),
        at: &mut Binders,
    ) -> Result<String> {
        let operand = scope.ty(&args[0], Side::Left)?.shape;
        let ring = self.ring(scope, &args[0])?;
        let (mut extents, mut body) = (Vec::new(), scope.unfolded(e, Side::Left, false)?);
        let loops = match name {
            "rotate_3" | "unrotate_3" => 3,
            "transpose" | "split" | "shear" | "unshear" => 2,
            _ => 1,
        };
        while let (true, Node::Gen(_, n, inner)) = (extents.len() < loops, &*body.clone()) {
            extents.push(n.clone());
            body = inner.clone();
        }
        let spell = |this: &Self, at: &Binders, ixs: &[&Ix]| {
            let words = ixs.iter().map(|i| this.spelled(&at.indices, |deep| deep.ix(i)));
            words.collect::<Vec<_>>().join(" ")
        };
        let extent = |k: usize| operand.get(k).ok_or(Refusal::Unknown("an operator on a scalar"));
        if name == "concat" {
            let second = scope.ty(&args[1], Side::Left)?.shape;
            let m = second.first().ok_or(Refusal::Unknown("an operator on a scalar"))?;
            let Some(e) = extents.first() else { return mismatch("an operator") };
            let numbers = spell(self, at, &[e, extent(0)?, m]);
            let (a, b) = (self.word(scope, &args[0], at)?, self.word(scope, &args[1], at)?);
            return Ok(format!("(EConcat {ring} {numbers} {a} {b})"));
        }
        let (constructor, numbers): (&str, Vec<&Ix>) = match name {
            "transpose" => ("Transposed", vec![extent(0)?, extent(1)?]),
            "rotate_3" => ("Rotated", vec![extent(0)?, extent(1)?, extent(2)?]),
            "unrotate_3" => ("Unrotated", vec![extent(0)?, extent(1)?, extent(2)?]),
            "flatten" => ("Flattened", vec![extent(0)?, extent(1)?]),
            "trunc_r" => ("Cropped", vec![extent(0)?]),
            "trunc_l" => ("Cropped_left", vec![extent(0)?, &ixs[0]]),
            "pad_r" => ("Padded", vec![extent(0)?]),
            "pad_l" => ("Padded_left", vec![extent(0)?, &ixs[0]]),
            "split" => ("Parted", vec![extent(0)?, &ixs[0]]),
            "one_hot" => ("Hot", vec![&ixs[1]]),
            "shear" => ("Sheared", vec![extent(0)?, extent(1)?]),
            "unshear" => ("Unsheared", vec![extent(0)?, extent(1)?, &ixs[0], &ixs[1]]),
            other => return mismatch(&format!("the operator `{other}`")),
        };
        let numbers = spell(self, at, &numbers);
        let extents = list(&extents, |n| self.spelled(&at.indices, |deep| deep.ix(n)));
        Ok(format!("(EOp {ring} ({constructor} {numbers}) {extents} {})", self.word(scope, &args[0], at)?))
    }
}
