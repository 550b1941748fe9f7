//! `iterate_ring`: of a tensor that each round adds a slice to, only the last ones are kept.
//!
//! **Statement.** `let y = iterate t < n from y = z { gen k < n { select(k == t, e(t, y), y[k]) } }; b(y[u])`
//! = `let y = iterate t < n from y = z { gen k < w { select(k == t % w, e(t, y[u % w]), y[k]) } }; b(y[u %
//! w])`. A slice may have more indices, and cells that no round sets; the reads in `e` and `b` have `u % w`
//! in place of each first index.
//! **Requires.** `z` has one literal everywhere. The round `t` reads slices `t - w <= u < t`, and what is
//! left reads `n - w <= u < n`. No law.
//! **Fails when.** A slice is read that a later round has replaced by then: a ring of `w` for the distance `w
//! + 1`.
//! **Example.** With `w = 2`, a filter that reads `y[t - 1]` and `y[t - 2]` keeps two numbers.
//! **See also.** The directives `ring` and `wavefront`.

use crate::cx::{Chain, Cx};
use crate::derived::{Derived, Example, no_match};
use crate::fronts::{carried_out, guarded, idle, one_round, written_as};
use crate::lets::{is_read_by_name, meet};
use crate::occurrences::variable;
use crate::recursion::{Read, access, accessed, loops, put_reads, reads_of};
use crate::rounds::{as_written, induct, iterated, split, state_after};
use atl_kernel::subst::{Subst, close, close_all, open, open_all};
use atl_kernel::{Child, Expr, Iterate, Ix, IxOp, Label, Node, Pred, Result, Rule, State, Thm, Var};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "iterate_ring",
    statement: "let y = iterate t<n from y = z { y with e(t, y[u]) at t }; b(y[u])  =  let y = iterate t<n from y = z { y with e(t, y[u % w]) at t % w }; b(y[u % w])",
    requires: "round t reads t - w <= u < t, the end n - w <= u < n",
    args: &["w"],
    example: Example {
        program: "fn f(x: f32[N]) -> f32 where 2 <= N { rec y: f32 = gen t < N { x[t] + 2 * y?[t - 1] + y?[t - 2] }; y[N - 1] + y[N - 2] }",
        args: &[2],
    },
    rewrite: |cx, e, args| ring(cx, e, &args[0]),
    inverse: None,
};

/// Levels that no context reaches: of the tensor, of a cell's first index, and the round's number.
const TENSOR: u32 = (1 << 30) + 16384;
const CELL: u32 = TENSOR + 1;

/// A tensor to which each round adds a slice.
struct Slices {
    rounds: Arc<Iterate>,
    /// The loops over cells, of which the first is over slices.
    cells: Vec<(Label, Ix)>,
    /// Which cells a round sets, in the cell's indices.
    is_set: Pred,
    /// What it sets them to, in [`TENSOR`] and the cell's indices.
    element: Expr,
    reads: Vec<Read>,
    /// For each read, whether its cell is known to be there.
    is_inside: Vec<bool>,
    /// What no round sets.
    literal: Expr,
}

impl Slices {
    fn of(e: &Expr) -> Option<Slices> {
        let Node::Iterate(rounds) = &**e else { return None };
        let ([state], Node::Var(Var::Bound(0))) = (&rounds.states[..], &*rounds.body) else { return None };
        let round = TENSOR - 1;
        // The state and the round's number, which are next to each other.
        let mut inner = open_all(&state.step, TENSOR - 2, 2);
        let mut cells = Vec::new();
        while let Node::Gen(label, n, body) = &*inner.clone() {
            cells.push((label.clone(), n.clone()));
            inner = open(body, CELL + cells.len() as u32 - 1);
        }
        let mut literal = state.init.clone();
        for _ in &cells {
            let Node::Gen(_, _, body) = &*literal.clone() else { return None };
            literal = body.clone();
        }
        let Node::Select(p, element, _) = &*inner else { return None };
        if !is_of_one_literal(&literal) {
            return None;
        }
        let is_ragged = |n: &Ix| (TENSOR - 2..CELL + cells.len() as u32).any(|level| n.mentions(level));
        if cells.iter().any(|(_, n)| is_ragged(n)) || is_read_by_name(&close(element, TENSOR - 2)) {
            return None;
        }
        let put =
            Subst { index: vec![(round, Ix::free(CELL))], tensor: vec![(TENSOR - 2, variable(TENSOR))] };
        let (is_set, element) = (without_same(&put.pred(p)), put.expr(element));
        let mut reads = Vec::new();
        reads_of(&element, TENSOR, cells.len(), &mut Vec::new(), &mut reads)?;
        Some(Slices { rounds: rounds.clone(), cells, is_set, element, reads, is_inside: Vec::new(), literal })
    }

    fn rank(&self) -> usize {
        self.cells.len()
    }

    fn place(&self, level: u32) -> Vec<Ix> {
        (level..).take(self.rank()).map(Ix::free).collect()
    }

    fn at(&self, cell: &[Ix]) -> Subst {
        Subst { index: (CELL..).zip(cell.iter().cloned()).collect(), tensor: Vec::new() }
    }

    fn is_set(&self, cell: &[Ix]) -> Pred {
        self.at(cell).pred(&self.is_set)
    }

    fn element(&self, cell: &[Ix], read: &dyn Fn(usize, &[Ix]) -> Expr) -> Expr {
        self.at(cell).expr(&put_reads(&self.element, &self.reads, read))
    }

    /// The element, with what is read guarded by that its cell is there, if that is not known.
    fn guarded(&self, cell: &[Ix], read: &dyn Fn(&[Ix]) -> Expr) -> Expr {
        self.element(cell, &|n, at| match self.is_inside[n] {
            true => read(at),
            false => Arc::new(Node::Guard(self.inside(at), read(at))),
        })
    }

    /// Learn of each read whether its cell is there.
    fn read(&mut self, cx: &mut Cx<'_>) -> Result<()> {
        let start = cx.type_of(&self.rounds.states[0].init)?;
        let mut ctx = (*cx.ctx).clone();
        let tensor = variable(ctx.push_tensor(self.rounds.states[0].label.clone(), start));
        let cell: Vec<Ix> = self.cells.iter().map(|(l, n)| Ix::free(ctx.push_loop(l.clone(), n))).collect();
        ctx.push_hyp(self.is_set(&cell));
        let element = self.element(&cell, &|_, at| access(&tensor, at));
        let mut there = cx.within(Arc::new(ctx));
        for n in 0..self.reads.len() {
            let mut is_inside = false;
            there.at(&element, &self.reads[n].path, &mut |cx, e| {
                is_inside = cx.proves(&self.inside(&accessed(e).1));
                cx.refl(e)
            })?;
            self.is_inside.push(is_inside);
        }
        Ok(())
    }

    fn inside(&self, cell: &[Ix]) -> Pred {
        cell.iter().zip(&self.cells).fold(Pred::True, |p, (i, (_, n))| Pred::and(p, Pred::in_range(i, n)))
    }

    /// All cells: of those at these levels, one each.
    fn all(&self, cell: &Expr, level: u32, slices: &Ix) -> Expr {
        let mut cells = self.cells.clone();
        cells[0].1 = slices.clone();
        loops(cell, level, &cells)
    }

    /// The rounds as they are.
    fn term(&self) -> Expr {
        let (y, round) = (variable(TENSOR - 2), Ix::free(TENSOR - 1));
        let cell = self.place(CELL);
        let mut now = cell.clone();
        now[0] = round.clone();
        let is_now = Pred::and(Pred::eq(cell[0].clone(), round), self.is_set(&now));
        let made = self.element(&now, &|_, at| access(&y, at));
        let step = self.all(&Arc::new(Node::Select(is_now, made, access(&y, &cell))), CELL, &self.cells[0].1);
        self.iteration(step, self.cells[0].1.clone())
    }

    fn iteration(&self, step: Expr, slices: Ix) -> Expr {
        let state = &self.rounds.states[0];
        let init = self.all(&self.literal, CELL, &slices);
        let states = vec![State { label: state.label.clone(), init, step: close_all(&step, TENSOR - 2, 2) }];
        Arc::new(Node::Iterate(Arc::new(Iterate { states, ..(*self.rounds).clone() })))
    }
}

/// Has a slice one literal everywhere?
fn is_of_one_literal(e: &Expr) -> bool {
    match &**e {
        Node::Gen(_, _, body) => is_of_one_literal(body),
        e => matches!(e, Node::Lit(..)),
    }
}

/// The predicate without the equations of a term with itself.
fn without_same(p: &Pred) -> Pred {
    match p {
        Pred::Cmp(atl_kernel::Cmp::Eq, a, b) if a == b => Pred::True,
        Pred::And(ab) => Pred::and(without_same(&ab.0), without_same(&ab.1)),
        p => p.clone(),
    }
}

/// The slices that are kept.
struct Ring<'s> {
    of: &'s Slices,
    length: Ix,
    term: Expr,
}

impl Ring<'_> {
    fn new<'s>(of: &'s Slices, length: &Ix) -> Ring<'s> {
        let mut ring = Ring { of, length: length.clone(), term: of.literal.clone() };
        let (y, round) = (variable(TENSOR - 2), Ix::free(TENSOR - 1));
        let cell = of.place(CELL);
        let mut now = cell.clone();
        now[0] = round.clone();
        let is_now = Pred::and(Pred::eq(cell[0].clone(), round % length.clone()), of.is_set(&now));
        let made = ring.made(&y, &now);
        let step = of.all(&Arc::new(Node::Select(is_now, made, access(&y, &cell))), CELL, length);
        ring.term = of.iteration(step, length.clone());
        ring
    }

    /// The cell of the ring that has this one's place.
    fn cell(&self, cell: &[Ix]) -> Vec<Ix> {
        let mut there = cell.to_vec();
        there[0] = there[0].clone() % self.length.clone();
        there
    }

    fn get(&self, ring: &Expr, cell: &[Ix]) -> Expr {
        access(ring, &self.cell(cell))
    }

    /// What a round sets a cell to, of the ring before.
    fn made(&self, ring: &Expr, cell: &[Ix]) -> Expr {
        self.of.guarded(cell, &|at| self.get(ring, at))
    }

    fn after(&self, rounds: &Ix) -> Result<Expr> {
        Ok(state_after(iterated(&self.term)?, rounds.clone(), 0))
    }

    /// What the round of a cell has set it to.
    fn set(&self, cell: &[Ix]) -> Result<Expr> {
        Ok(self.get(&self.after(&(cell[0].clone() + Ix::ONE))?, cell))
    }

    /// All cells of rounds below this one.
    fn until(&self, level: u32, rounds: &Ix) -> Result<Expr> {
        let cell = self.of.place(level);
        let is_there = Pred::and(Pred::lt(cell[0].clone(), rounds.clone()), self.of.is_set(&cell));
        let cell = Node::Select(is_there, self.set(&cell)?, self.of.literal.clone());
        Ok(self.of.all(&Arc::new(cell), level, &self.of.cells[0].1))
    }

    /// A cell of the ring after this many rounds is what its own round has set it to, if no round since has
    /// replaced it.
    fn stays(&self, cx: &mut Cx<'_>, rounds: &Ix, cell: &[Ix]) -> Result<Thm> {
        let own = cell[0].clone() + Ix::ONE;
        let mut chain = Chain::of(&self.get(&self.after(rounds)?, cell));
        chain.apply(cx, |cx, e| cx.at(e, &self.way(), &mut |cx, e| split(cx, e, &own)))?;
        chain.apply(cx, idle)?;
        let wanted = self.set(cell)?;
        chain.apply(cx, |cx, e| written_as(cx, e, &wanted))?;
        chain.total(cx)
    }

    fn way(&self) -> Vec<Child> {
        vec![Child::Body; self.of.rank()]
    }

    /// What the round of a cell sets it to, of what the rounds before have set.
    fn equation(&self, cell: &[Ix]) -> Result<Expr> {
        let set = self.set(&self.of.place(TENSOR + 64))?;
        Ok(self.of.guarded(cell, &|at| {
            let index = (TENSOR + 64..).zip(at.iter().cloned()).collect();
            Subst { index, tensor: Vec::new() }.expr(&set)
        }))
    }

    /// What the round of a cell has set it to is what the equation says.
    fn unfolded(&self, cx: &mut Cx<'_>, cell: &[Ix]) -> Result<Thm> {
        let mut left = Chain::of(&self.set(cell)?);
        left.apply(cx, |cx, e| cx.at(e, &self.way(), &mut one_round))?;
        left.apply(cx, carried_out)?;
        left.apply(cx, |cx, e| cx.rule(Rule::SelectTrue, e))?;
        let mut right = Chain::of(&self.equation(cell)?);
        for (n, read) in self.of.reads.iter().enumerate() {
            let kept = |cx: &mut Cx<'_>, e: &Expr| Ok(self.stays(cx, &cell[0], &set_cell(e)?)?.sym());
            right.apply(cx, |cx, e| {
                cx.at(e, &read.path, &mut |cx, e| match self.of.is_inside[n] {
                    true => kept(cx, e),
                    false => cx.inside(e, Child::Body, kept),
                })
            })?;
        }
        let (left, right) = (left.total(cx)?, right.total(cx)?);
        meet(cx, left, right)
    }

    /// The rounds as they were are all that was set.
    fn all(&self, cx: &mut Cx<'_>, rounds: &Expr) -> Result<Thm> {
        let level = cx.ctx.level();
        let family = [self.until(level + 1, &Ix::free(level))?];
        let way = self.way();
        let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
            let left = cx.at(lhs, &way, &mut |cx, e| cx.rule(Rule::SelectFalse, e))?;
            let left = cx.total(lhs, left)?;
            as_written(cx, left, rhs)
        };
        let mut goes_on = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
            let right = cx.rule(Rule::LetInline, rhs)?;
            let right = cx.then(right, |cx, e| self.round(cx, &[], lhs, e))?;
            let here = cx.refl(lhs)?;
            meet(cx, here, right)
        };
        let thm = induct(cx, rounds, &family, &mut begins, &mut goes_on)?;
        cx.rule(Rule::LetInline, &thm.lhs().clone())?.sym().trans(thm)
    }

    /// A round sets its slice alone.
    fn round(&self, cx: &mut Cx<'_>, cell: &[Ix], wanted: &Expr, e: &Expr) -> Result<Thm> {
        if let (Node::Gen(..), Node::Gen(_, _, wanted)) = (&**e, &**wanted) {
            let level = cx.ctx.level();
            let (wanted, cell) = (open(wanted, level), [cell, &[Ix::free(level)]].concat());
            return cx.inside(e, Child::Body, |cx, e| self.round(cx, &cell, &wanted, e));
        }
        let Node::Select(is_now, _, old) = &**e else { return no_match(RULE.name, "one slice a round", e) };
        let tensor = accessed(old).0;
        cx.distinguish(is_now, |cx, holds| match holds {
            true => {
                let made = cx.rule(Rule::SelectTrue, e)?;
                // Of the cell, whose slice is the round's: remainders of the two are then the same terms.
                let own = self.of.element(cell, &|_, at| access(&tensor, at));
                let made = as_written(cx, made, &own)?;
                let made = cx.then(made, |cx, e| self.read(cx, e))?;
                let set = cx.rule(Rule::SelectTrue, wanted)?;
                let set = cx.then(set, |cx, _| self.unfolded(cx, cell))?;
                meet(cx, made, set)
            }
            false => {
                let kept = cx.rule(Rule::SelectFalse, e)?;
                let kept = cx.then(kept, carried_out)?;
                as_written(cx, kept, wanted)
            }
        })
    }

    /// What an element reads of all that was set.
    fn read(&self, cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
        let mut chain = Chain::of(e);
        for (n, read) in self.of.reads.iter().enumerate() {
            chain.apply(cx, |cx, e| {
                cx.at(e, &read.path, &mut |cx, e| match self.of.is_inside[n] {
                    true => found(cx, e),
                    false => {
                        let guarded = guarded(cx, e)?;
                        cx.then(guarded, |cx, e| cx.child(e, Child::Body, found))
                    }
                })
            })?;
        }
        chain.total(cx)
    }
}

/// The cell of which this is what its round has set: `(iterate t < u + 1 ..)[u % w, ..]`.
fn set_cell(e: &Expr) -> Result<Vec<Ix>> {
    let (rounds, mut cell) = accessed(e);
    let extent = &iterated(&rounds)?.extent;
    cell[0] = match extent {
        Ix::Bin(IxOp::Add, ab) if ab.1 == Ix::ONE => ab.0.clone(),
        extent => extent.clone() - Ix::ONE,
    };
    Ok(cell)
}

/// An access to `gen`s of what is there, which it is.
fn found(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let found = cx.converted(e, carried_out)?;
    cx.then(found, |cx, e| cx.rule(Rule::SelectTrue, e))
}

/// The theorem for the `let` at hand, with this many slices.
pub fn ring(cx: &mut Cx<'_>, e: &Expr, length: &Ix) -> Result<Thm> {
    let wants = "a `let` of rounds that each set a slice, of which single elements are read";
    let Node::Let(label, bound, body) = &**e else { return no_match(RULE.name, wants, e) };
    let Some(mut slices) = Slices::of(bound) else { return no_match(RULE.name, wants, e) };
    let mut ends = Vec::new();
    let opened = open(body, TENSOR);
    let is_read = !is_read_by_name(body)
        && reads_of(&opened, TENSOR, slices.rank(), &mut Vec::new(), &mut ends).is_some();
    if !is_read {
        return no_match(RULE.name, wants, e);
    }
    cx.demand(Pred::lt(Ix::ZERO, length.clone()))?;
    let here = cx.refl(bound)?;
    let rounds = as_written(cx, here, &slices.term())?;
    slices.read(cx)?;
    let ring = Ring::new(&slices, length);
    let all = ring.all(cx, rounds.rhs())?.sym();
    let all = rounds.trans(all)?;
    // The reads at the end, of the ring.
    let count = slices.rounds.extent.clone();
    let level = cx.ctx.level();
    let read = put_reads(&opened, &ends, &|_, at| ring.get(&variable(level), at));
    let kept: Expr = Arc::new(Node::Let(label.clone(), ring.term.clone(), close(&read, level)));
    let mut chain = Chain::of(e);
    chain.push(cx.lift(e, Child::Bound, all)?)?;
    chain.apply(cx, |cx, e| cx.rule(Rule::LetInline, e))?;
    for end in &ends {
        chain.apply(cx, |cx, e| {
            cx.at(e, &end.path, &mut |cx, e| {
                let set = found(cx, e)?;
                cx.then(set, |cx, e| Ok(Some(ring.stays(cx, &count, &set_cell(e)?)?.sym())))
            })
        })?;
    }
    let (left, right) = (chain.total(cx)?, cx.rule(Rule::LetInline, &kept)?);
    meet(cx, left, right)
}
