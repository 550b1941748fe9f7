//! `earlier_terms`: of sums in rounds, the terms that read what was there before are a sum of their own.
//!
//! **Statement.** `iterate t < n from y = x { gen i { select(i == a + t, f(sum j < m { e(j, y[j]) }), y[i]) }
//! } = iterate t < n from y = x { gen i { select(i == a + t, f((let S = sum j < a { e(j, x[j]) }; S) + sum j
//! < m - a { e(a + j, y[a + j]) }), y[i]) } }`, of tensors of any rank, with `let`s around the cells; `x` is
//! a variable.
//! **Requires.** `0 <= a <= m`: the rounds set cells from `a` on. Additions are grouped otherwise:
//! `ADD_MONOID`.
//! **Fails when.** No equation says which cells a round sets, or a sum reads cells in another order.
//! **Example.** In a triangular solve, rows from `a` on: the sum over the rows before is a product of
//! matrices, once it is outside of the rounds.
//! **See also.** The directives `split` and `hoist`; `iterate_tile`, which makes such rounds.

use crate::conjuncts::conjuncts;
use crate::cx::{Chain, Cx};
use crate::derived::{Derived, Example, no_match};
use crate::fronts::{idle, one_round};
use crate::lets::meet;
use crate::occurrences::{mentions, with_part};
use crate::recursion::{access, reads_of};
use crate::rounds::{heads, induct, iterated, state_after};
use atl_kernel::subst::{Subst, close_all, open, open_all};
use atl_kernel::{Child, Cmp, Ctx, Expr, Iterate, Ix, Label, Node, Pred, Result, Rule, State, Thm, Var};
use std::sync::Arc;

/// Levels that no context reaches.
const APART: u32 = (1 << 30) + 16384;

/// See the module.
pub static RULE: Derived = Derived {
    name: "earlier_terms",
    statement: "iterate t<n from y = x { y with f(sum j<m. e(j, y[j])) at a+t }  =  iterate t<n from y = x { y with f((let s = sum j<a. e(j, x[j]); s) + sum j<m-a. e(a+j, y[a+j])) at a+t }",
    requires: "0 <= a <= m, x is a variable",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N], b: f32[N]) -> f32[N] where 3 <= N { iterate t < N - 3 from y = x { gen i < N { select(i == 3 + t, b[i] + sum j < i { x[j] * y[j] }, y[i]) } } }",
        args: &[],
    },
    rewrite: |cx, e, _| match earlier_terms(cx, e, None, "before")? {
        Some(thm) => Ok(thm),
        None => no_match(RULE.name, "rounds that set cells from one on, with sums over cells", e),
    },
    inverse: None,
};

/// The equation for the rounds at hand, of their sums over an index of this name, or of all; nothing where
/// none is cut.
pub fn earlier_terms(cx: &mut Cx<'_>, e: &Expr, sum: Option<&str>, name: &str) -> Result<Option<Thm>> {
    let Some(rounds) = Rounds::of(cx, e) else { return Ok(None) };
    let mut paths = Vec::new();
    sums(&iterated(e)?.states[0].step, sum, &mut vec![Child::Step(0)], &mut paths);
    let mut chain = Chain::of(e);
    let mut cut = Vec::new();
    for path in paths {
        let before = chain.now().clone();
        chain.apply(cx, |cx, e| cx.at(e, &path, &mut |cx, e| rounds.cut(cx, e)))?;
        if *chain.now() != before {
            cut.push([&path[..], &[Child::Arg(0)]].concat());
        }
    }
    if cut.is_empty() {
        return Ok(None);
    }
    chain.apply(cx, |cx, e| rounds.read_before(cx, e, &cut))?;
    for (k, path) in cut.iter().enumerate() {
        let name = if k == 0 { name.to_owned() } else { format!("{name}_{}", k + 1) };
        chain.apply(cx, |cx, e| cx.at(e, path, &mut |cx, e| bound(cx, e, &name)))?;
    }
    Ok(chain.done())
}

/// The ways to sums over an index of this name, or to all, outermost only.
fn sums(e: &Expr, name: Option<&str>, way: &mut Vec<Child>, found: &mut Vec<Vec<Child>>) {
    if let Node::Sum(label, ..) = &**e
        && name.is_none_or(|name| name == &*label.name)
    {
        found.push(way.clone());
        return;
    }
    for at in e.children() {
        if let Some(child) = e.child(at) {
            way.push(at);
            sums(child, name, way, found);
            way.pop();
        }
    }
}

/// Rounds that set the cells with certain values of one index.
struct Rounds {
    /// The level of the state in a step.
    own: u32,
    /// The tensor that they begin with.
    start: Expr,
    /// The number of a cell's indices.
    rank: usize,
    /// Which index.
    index: usize,
    /// What it is in the first round.
    first: Ix,
}

impl Rounds {
    /// The rounds that a term is, if it has the form.
    fn of(cx: &Cx<'_>, e: &Expr) -> Option<Rounds> {
        let Node::Iterate(it) = &**e else { return None };
        let ([state], Node::Var(Var::Bound(0))) = (&it.states[..], &*it.body) else { return None };
        let own = cx.ctx.level();
        if !matches!(*state.init, Node::Var(_)) {
            return None;
        }
        let (mut step, mut cells) = (open_all(&state.step, own, 2), Vec::new());
        loop {
            let level = APART + cells.len() as u32;
            step = match &*step {
                Node::Let(_, _, body) => open(body, APART - 1),
                Node::Gen(_, _, body) => {
                    cells.push(level);
                    open(body, level)
                }
                _ => break,
            };
        }
        let Node::Select(p, ..) = &*step else { return None };
        let round = own + 1;
        let says = |p: &Pred, level: u32| match p {
            Pred::Cmp(Cmp::Eq, a, b) if *a == Ix::free(level) => Some(b.clone()),
            Pred::Cmp(Cmp::Eq, a, b) if *b == Ix::free(level) => Some(a.clone()),
            _ => None,
        };
        let found = conjuncts(p).into_iter().find_map(|p| {
            let (index, at) = cells.iter().enumerate().find_map(|(k, level)| Some((k, says(&p, *level)?)))?;
            let is_outside = !cells.iter().any(|level| at.mentions(*level));
            (at.mentions(round) && is_outside).then_some((index, at))
        });
        let (index, at) = found?;
        let first = Subst { index: vec![(round, Ix::ZERO)], ..Subst::default() }.ix(&at);
        let first = atl_arith::simplify(&Ctx::new(), &first);
        Some(Rounds { own, start: state.init.clone(), rank: cells.len(), index, first })
    }

    /// A sum over cells, cut where they are those that the first round sets.
    fn cut(&self, cx: &mut Cx<'_>, e: &Expr) -> Result<Option<Thm>> {
        let Node::Sum(_, _, body) = &**e else { return Ok(None) };
        let (level, mut reads) = (cx.ctx.level(), Vec::new());
        let all = reads_of(&open(body, level), self.own, self.rank, &mut Vec::new(), &mut reads);
        let Some(read) = all.and(reads.first()) else { return Ok(None) };
        let index = Ix::free(level);
        let ahead = atl_arith::simplify(&Ctx::new(), &(read.at[self.index].clone() - index));
        if ahead.mentions(level) {
            return Ok(None);
        }
        let cut = atl_arith::simplify(&Ctx::new(), &(self.first.clone() - ahead));
        cx.rule(Rule::SumSplit(cut), e).map(Some)
    }

    /// The same rounds, which below these paths read what was there before.
    fn read_before(&self, cx: &mut Cx<'_>, e: &Expr, below: &[Vec<Child>]) -> Result<Thm> {
        let it = iterated(e)?;
        let step = open_all(&it.states[0].step, self.own, 2);
        let mut reads = Vec::new();
        let all = reads_of(&step, self.own, self.rank, &mut Vec::new(), &mut reads);
        if all.is_none() {
            return no_match(RULE.name, "reads of single cells", e);
        }
        reads.retain(|read| below.iter().any(|path| read.path.starts_with(&path[1..])));
        let read_before = |step: Expr, read: &crate::recursion::Read| {
            with_part(&step, &read.path, &access(&self.start, &read.at))
        };
        let other = close_all(&reads.iter().fold(step, read_before), self.own, 2);
        let states = vec![State { step: other, ..it.states[0].clone() }];
        let target: Expr = Arc::new(Node::Iterate(Arc::new(Iterate { states, ..it.clone() })));
        let family = [state_after(iterated(&target)?, Ix::free(cx.ctx.level()), 0)];
        let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
            let start = cx.rule(Rule::IterateZero, lhs)?;
            let start = cx.then(start, |cx, e| heads(cx, e, 1))?;
            let here = cx.refl(rhs)?;
            meet(cx, start, here)
        };
        let mut goes_on = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
            let left = one_round(cx, lhs)?;
            let mut right = Chain::of(rhs);
            right.apply(cx, |cx, e| cx.rule(Rule::LetInline, e))?;
            for read in &reads {
                right.apply(cx, |cx, e| cx.at(e, &read.path, &mut idle))?;
            }
            let right = right.total(cx)?;
            meet(cx, left, right)
        };
        let thm = induct(cx, e, &family, &mut begins, &mut goes_on)?;
        let value = cx.rule(Rule::LetInline, &thm.lhs().clone())?;
        let here = cx.refl(&target)?;
        thm.sym().trans(meet(cx, value, here)?)
    }
}

/// `e  =  let s = e; s`, with an index that a condition around says in place of its variable.
fn bound(cx: &mut Cx<'_>, e: &Expr, name: &str) -> Result<Thm> {
    let mut known = Vec::new();
    for (level, p) in cx.ctx.hypotheses() {
        for p in conjuncts(p) {
            let Pred::Cmp(Cmp::Eq, a, b) = p else { continue };
            for (variable, at) in [(&a, &b), (&b, &a)] {
                if let Ix::Var(Var::Free(own)) = variable
                    && !at.mentions(*own)
                    && *own < level
                    && mentions(e, *own)
                {
                    known.push((*own, at.clone()));
                }
            }
        }
    }
    let mut chain = Chain::of(e);
    for (level, at) in known {
        let put = Subst { index: vec![(level, at)], ..Subst::default() };
        chain.apply(cx, |cx, e| {
            let said = put.expr(e);
            if said == *e { Ok(None) } else { cx.rule(Rule::ArithEq(said), e).map(Some) }
        })?;
    }
    let bound: Expr =
        Arc::new(Node::Let(Label::new(name), chain.now().clone(), Arc::new(Node::Var(Var::Bound(0)))));
    let inlined = cx.rule(Rule::LetInline, &bound)?;
    chain.total(cx)?.trans(inlined.sym())
}
