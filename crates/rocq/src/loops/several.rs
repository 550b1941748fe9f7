//! Several results: each by its own statements, one after the other. Rocq's library has no step for it.

use super::fill::Filled;
use super::place::Place;
use super::states::{ELEMENT, element};
use super::step::{Arg, Step, step};
use super::words::mismatch;
use super::{Kind, Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Expr, Ix, Label, Node, Type};
use atl_loops::{Init, Name, Stmt};

impl Lowering<'_, '_> {
    /// The statements of all results.
    pub(super) fn several(&mut self, scope: &mut Scope, stmts: &[Stmt], parts: &[Expr]) -> Result<Filled> {
        let results = self.results.clone();
        if results.len() != parts.len() {
            return mismatch("another number of outputs than of results");
        }
        let (mut left, mut texts, mut args) = (stmts, Vec::new(), vec![Arg::from(parts.len() - 1)]);
        for (k, (part, result)) in parts.iter().zip(&results).enumerate() {
            let mut own = left;
            if let Some(level) = self.made.get(&k) {
                if !is_all_of(part, *level, &result.1) {
                    return mismatch("a result that is there");
                }
                if k + 1 < parts.len() {
                    args.push(Arg::from(0_usize));
                } else if !left.is_empty() {
                    return mismatch("several results");
                }
                args.push(step!("Kept").into());
                continue;
            }
            if k + 1 < parts.len() {
                let before = usize::from(begun(left, &result.0).is_some());
                let count = before + self.count(scope, part, left.get(before..).unwrap_or_default())?;
                let is_last = (k + 1..parts.len()).all(|k| self.made.contains_key(&k));
                if count == before || count > left.len() || (count == left.len() && !is_last) {
                    return mismatch("several results");
                }
                (own, left) = left.split_at(count);
                args.push(count.into());
            }
            let (more, how) = self.result(scope, own, part, result)?;
            texts.extend(more);
            args.push(how.into());
        }
        Ok((texts, Step { name: "Results", args }))
    }

    /// The result that the tensor of a `let` is, with this level, if the first statement stores to its
    /// output.
    pub(super) fn result_of(&self, rest: &Expr, ty: &Type, level: u32, stmts: &[Stmt]) -> Option<usize> {
        let (mut end, mut below) = (rest.clone(), level + 1);
        while let Node::Let(_, _, body) = &*end.clone() {
            end = raw::open(body, below);
            below += 1;
        }
        let (Node::Bundle(_, parts), Some(first)) = (&*end, stmts.first()) else { return None };
        let is_first = |name: &Name| {
            first.any(|stmt| matches!(stmt, Stmt::Store { buf, .. } | Stmt::Reset { buf, .. } if buf == name))
        };
        (0..parts.len().min(self.results.len())).find(|k| {
            !self.made.contains_key(k) && is_all_of(&parts[*k], level, ty) && is_first(&self.results[*k].0)
        })
    }

    /// A tensor that is a result: it is stored there, and read from there.
    pub(super) fn let_result(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, bound, body): (&Label, &Expr, &Expr),
        k: usize,
        (shape, to): (&[Ix], &Target),
    ) -> Result<Filled> {
        let (result, ty, level) = (self.results[k].clone(), scope.ty(bound, Side::Left)?, scope.level());
        let same = self.equals(scope, &result.1.shape, &ty.shape)?;
        let before = usize::from(begun(stmts, &result.0).is_some());
        let count = before + self.count(scope, bound, stmts.get(before..).unwrap_or_default())?;
        let Some((own, left)) = stmts.split_at_checked(count) else { return mismatch("several results") };
        let (mut texts, first) = self.result(scope, own, bound, &result)?;
        scope.push_tensor(label, ty);
        self.known.insert(0, (level, result.0));
        self.made.insert(k, level);
        let rest = self.fill(scope, left, &raw::open(body, level), shape, to);
        self.made.remove(&k);
        self.known.retain(|(known, _)| *known != level);
        scope.truncate(level);
        let (more, rest) = rest?;
        texts.extend(more);
        Ok((texts, step!("Let_result", k, count, same, first, rest)))
    }

    /// The statements of one of them, which may begin with a reset of its output.
    fn result(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        (output, ty): &(Name, Type),
    ) -> Result<Filled> {
        let (kind, rest) = match begun(stmts, output) {
            None => (Kind::Unset, stmts),
            Some(init) => {
                self.init_text(scope, init, e)?;
                (if matches!(init, Init::Uninit) { Kind::Unset } else { Kind::Zeroed }, &stmts[1..])
            }
        };
        let to =
            Target { buf: output.clone(), elem: ty.elem, place: Place::whole(&ty.shape), kind, update: None };
        let (texts, how) = self.fill(scope, rest, e, &ty.shape, &to)?;
        match begun(stmts, output) {
            Some(Init::Uninit) => mismatch("an output that begins without values"),
            Some(_) => Ok((texts, Step { name: "Begun", args: vec![how.into()] })),
            None => Ok((texts, how)),
        }
    }
}

/// Element by element, is it the tensor of this level and type?
fn is_all_of(e: &Expr, level: u32, ty: &Type) -> bool {
    let index: Vec<Ix> = (ELEMENT..).take(ty.shape.len()).map(Ix::free).collect();
    element(e, &index) == Some((level, index))
}

/// How the cells of an output begin, if the first statement says so.
fn begun<'s>(stmts: &'s [Stmt], output: &Name) -> Option<&'s Init> {
    match stmts.first() {
        Some(Stmt::Reset { buf, init }) if buf == output => Some(init),
        _ => None,
    }
}
