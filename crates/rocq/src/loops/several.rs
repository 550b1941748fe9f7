//! Several results: each by its own statements, one after the other. Rocq's library has no step for it.

use super::fill::Filled;
use super::place::Place;
use super::step::{Arg, Step};
use super::words::mismatch;
use super::{Kind, Lowering, Target};
use crate::error::Result;
use crate::scope::Scope;
use atl_kernel::{Expr, Type};
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
            if k + 1 < parts.len() {
                let before = usize::from(begun(left, &result.0).is_some());
                let count = before + self.count(scope, part, left.get(before..).unwrap_or_default())?;
                if count == before || count >= left.len() {
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

/// How the cells of an output begin, if the first statement says so.
fn begun<'s>(stmts: &'s [Stmt], output: &Name) -> Option<&'s Init> {
    match stmts.first() {
        Some(Stmt::Reset { buf, init }) if buf == output => Some(init),
        _ => None,
    }
}
