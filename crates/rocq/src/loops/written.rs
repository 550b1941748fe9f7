//! Loops that were written out: an iteration after the other, or the lanes of one vector after those of
//! another (`Written.v`); and sums, a term after the other.

use super::fill::iterations;
use super::place::Layer;
use super::step::{Step, step};
use super::words::{Text, mismatch};
use super::{Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::Scope;
use atl_kernel::{Expr, Ix, IxOp, Label, LoopKind as Mark, Node, Var};
use atl_loops::{Int, LoopKind, Stmt};
use std::sync::Arc;

/// Iterations that have statements of their own.
pub(super) struct Piece {
    first: i64,
    width: i64,
    /// How many statements.
    pub(super) count: usize,
}

/// How many iterations each piece has, if the loop of these many is in pieces.
fn width(label: &Label, n: i64, stmts: &[Stmt]) -> Option<i64> {
    let first = stmts.first()?;
    match (label.kind, first) {
        // One that is still a loop.
        (Mark::Unroll, Stmt::For { hi, kind: LoopKind::Unroll, .. }) if *hi == Int::Lit(n) => None,
        (Mark::Unroll, _) => Some(1),
        (Mark::Vector(Some(lanes)), Stmt::For { lo: Int::Lit(0), hi: Int::Lit(hi), kind, .. })
            if *kind == (LoopKind::Vector { width: Some(lanes) }) && *hi == i64::from(lanes) =>
        {
            (*hi < n && *hi > 0 && n % *hi == 0).then_some(*hi)
        }
        _ => None,
    }
}

/// The loop's iterations from one on, as a loop of their own.
fn part((label, body): (&Label, &Expr), piece: &Piece) -> Expr {
    let from = |depth| raw::bin(IxOp::Add, Ix::Lit(piece.first), Ix::Var(Var::Bound(depth)));
    Arc::new(Node::Gen(label.clone(), Ix::Lit(piece.width), raw::shift(body, &from)))
}

impl Lowering<'_, '_> {
    /// Are the statements the pieces of this loop?
    pub(super) fn is_written(scope: &Scope, (label, n): (&Label, &Ix), stmts: &[Stmt]) -> bool {
        iterations(scope, n).is_some_and(|n| width(label, n, stmts).is_some())
    }

    /// The pieces of the loop, of which the statements begin with the first one.
    pub(super) fn pieces(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, n, body): (&Label, &Ix, &Expr),
    ) -> Result<Vec<Piece>> {
        let Some(n) = iterations(scope, n) else { return mismatch("a loop") };
        let Some(width) = width(label, n, stmts) else { return mismatch("a loop") };
        let (mut pieces, mut before) = (Vec::new(), 0);
        for k in 0..n / width {
            let mut piece = Piece { first: k * width, width, count: 0 };
            let rest = stmts.get(before..).unwrap_or_default();
            piece.count = self.count(scope, &part((label, body), &piece), rest)?;
            if piece.count == 0 || piece.count > rest.len() {
                return mismatch("a loop that was written out");
            }
            before += piece.count;
            pieces.push(piece);
        }
        Ok(pieces)
    }

    /// The texts of such a loop, and how it fills.
    pub(super) fn written(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, n, body): (&Label, &Ix, &Expr),
        shape: &[Ix],
        to: &Target,
    ) -> Result<(Vec<Text>, Step)> {
        let pieces = self.pieces(scope, stmts, (label, n, body))?;
        if pieces.iter().map(|piece| piece.count).sum::<usize>() != stmts.len() {
            return mismatch("a loop that was written out");
        }
        let Some((extent, rest)) = shape.split_first() else { return mismatch("a loop") };
        let count: i64 = pieces.iter().map(|piece| piece.width).sum();
        let equal = self.equal(scope, extent, &Ix::Lit(count))?;
        let (mut texts, mut hows, mut before) = (Vec::new(), Vec::new(), 0);
        for piece in &pieces {
            let own = &stmts[before..before + piece.count];
            before += piece.count;
            let e = part((label, body), piece);
            let shape: Vec<Ix> = [Ix::Lit(piece.width)].into_iter().chain(rest.iter().cloned()).collect();
            let to = Target { place: to.place.with(Layer::From(piece.first)), ..to.clone() };
            let (text, how) = self.fill(scope, own, &e, &shape, &to)?;
            texts.extend(text);
            hows.push((piece, how));
        }
        let Some((_, last)) = hows.pop() else { return mismatch("a loop that was written out") };
        let all = hows.into_iter().rev().fold(step!("Last", last), |rest, (piece, how)| {
            step!("More", piece.width, piece.count, how, rest)
        });
        Ok((texts, step!("Written", count, equal, all)))
    }

    /// Are the statements the terms of this sum, one after the other? Rocq's library has no step for it.
    pub(super) fn is_summed_written(&self, scope: &Scope, (label, n): (&Label, &Ix), stmts: &[Stmt]) -> bool {
        !self.has_one_type && iterations(scope, n).is_some_and(|n| n > 1 && width(label, n, stmts) == Some(1))
    }

    /// The terms of such a sum, and how many statements add each; those of the first term come first.
    pub(super) fn summands(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (n, body): (&Ix, &Expr),
    ) -> Result<Vec<(Expr, usize)>> {
        let (mut summands, mut before) = (Vec::new(), 0);
        for k in 0..iterations(scope, n).unwrap_or(0) {
            let e = raw::at(body, &Ix::Lit(k));
            let rest = stmts.get(before..).unwrap_or_default();
            let count = self.count(scope, &e, rest)?;
            if count == 0 || count > rest.len() {
                return mismatch("a sum that was written out");
            }
            before += count;
            summands.push((e, count));
        }
        Ok(summands)
    }

    /// The texts of such a sum, and how it fills cells that are added to.
    pub(super) fn summed_written(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (n, body): (&Ix, &Expr),
        shape: &[Ix],
        to: &Target,
    ) -> Result<(Vec<Text>, Step)> {
        let summands = self.summands(scope, stmts, (n, body))?;
        if summands.iter().map(|(_, count)| count).sum::<usize>() != stmts.len() {
            return mismatch("a sum that was written out");
        }
        let total = summands.len();
        let equal = self.equal(scope, n, &Ix::Lit(i64::try_from(total).unwrap_or(i64::MAX)))?;
        let (mut texts, mut hows, mut before) = (Vec::new(), Vec::new(), 0);
        for (e, count) in &summands {
            let (text, how) = self.fill(scope, &stmts[before..before + count], e, shape, to)?;
            before += count;
            texts.extend(text);
            hows.push((*count, how));
        }
        let Some((_, last)) = hows.pop() else { return mismatch("a sum that was written out") };
        let all = hows
            .into_iter()
            .rev()
            .fold(step!("Last", last), |rest, (count, how)| step!("More", 1_i64, count, how, rest));
        Ok((texts, step!("Summed_written", total, equal, all)))
    }
}
