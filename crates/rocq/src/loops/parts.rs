//! Which of a row of statements compute which operand, where a term's operands are stored one after the
//! other.

use super::Lowering;
use super::fill::iterations;
use super::words::{condition, mismatch};
use crate::error::{Refusal, Result};
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Expr, Ix, Node, Prim};
use atl_loops::Stmt;
use atl_lower::normal::is_scalar;

impl Lowering<'_, '_> {
    /// How many of the statements are of the first of two operands.
    pub(super) fn parted(&mut self, scope: &mut Scope, stmts: &[Stmt], first: &Expr) -> Result<usize> {
        let count = self.count(scope, first, stmts)?;
        if count == 0 || count >= stmts.len() {
            return mismatch("two operands");
        }
        Ok(count)
    }

    /// How many statements, from the first on, compute the term.
    pub(super) fn count(&mut self, scope: &mut Scope, e: &Expr, stmts: &[Stmt]) -> Result<usize> {
        if is_scalar(e) && matches!(stmts.first(), Some(Stmt::Store { .. })) {
            return Ok(1);
        }
        Ok(match &**e {
            Node::Guard(p, body) => match self.decided_at(scope, p, condition(stmts)) {
                Some(true) => self.count(scope, body, stmts)?,
                Some(false) => 0,
                None => 1,
            },
            Node::Select(p, a, b) => match self.decided_at(scope, p, condition(stmts)) {
                Some(true) => self.count(scope, a, stmts)?,
                Some(false) => self.count(scope, b, stmts)?,
                None => 1,
            },
            Node::Gen(_, n, body) | Node::Sum(_, n, body) if iterations(scope, n) == Some(1) => {
                self.count(scope, &raw::at(body, &Ix::ZERO), stmts)?
            }
            Node::Sum(label, n, body) if self.is_summed_written(scope, (label, n), stmts) => {
                self.summands(scope, stmts, (n, body))?.iter().map(|(_, count)| count).sum()
            }
            Node::Gen(_, n, _) if iterations(scope, n) == Some(0) => 0,
            Node::Gen(label, n, body) if Self::is_written(scope, (label, n), stmts) => {
                self.pieces(scope, stmts, (label, n, body))?.iter().map(|piece| piece.count).sum()
            }
            Node::Gen(_, n, _) => self.cut(scope, n, stmts).map_or(1, |whole| if whole { 2 } else { 1 }),
            Node::Let(label, bound, body) => {
                let before = match stmts.first() {
                    Some(Stmt::Alloc { .. }) => return Ok(1),
                    Some(Stmt::Reset { buf, .. }) if self.scratch.iter().any(|(name, _)| name == buf) => {
                        1 + self.count(scope, bound, &stmts[1..])?
                    }
                    _ => 0,
                };
                let (ty, level) = (scope.ty(bound, Side::Left)?, scope.level());
                scope.push_tensor(label, ty);
                let body =
                    self.count(scope, &raw::open(body, level), stmts.get(before..).unwrap_or_default());
                scope.truncate(level);
                before + body?
            }
            Node::Prim(Prim::Add, operands) if !scope.ty(e, Side::Left)?.shape.is_empty() => {
                self.counts(scope, operands, stmts)?
            }
            Node::Iterate(_) if matches!(stmts.first(), Some(Stmt::Alloc { .. })) => 1,
            Node::Iterate(it) => self.count_rounds(scope, it, stmts)?,
            Node::Op(_, _, operands) => self.counts(scope, operands, stmts)?,
            _ => 1,
        })
    }

    fn counts(&mut self, scope: &mut Scope, operands: &[Expr], stmts: &[Stmt]) -> Result<usize> {
        operands.iter().try_fold(0, |before, operand| {
            let rest = stmts.get(before..).unwrap_or_default();
            Ok::<usize, Refusal>(before + self.count(scope, operand, rest)?)
        })
    }
}
