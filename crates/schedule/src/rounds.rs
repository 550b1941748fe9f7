//! Iterations by name: what directives on loops do with rounds.
//!
//! The one idea: the index of an iteration names its rounds as that of a loop names its iterations. Rounds
//! follow one another, so a directive takes them apart in order, and no other one is about them.

use crate::session::{Refusal, Session};
use atl_diag::{Span, err};
use atl_kernel::{Child, Expr, Ix, Node, Pred, Result as Kernel, Rule, Thm};
use atl_rules::rounds::{split, tile, written_out};
use atl_rules::{Chain, Cx};
use atl_syntax::ast::LoopRef;

/// The most rounds that are written out.
const MOST: i64 = 64;

/// The ways to the iterations over an index of this name, innermost first; none where a loop has the name.
pub(crate) fn rounds_named(session: &Session<'_>, target: &LoopRef) -> Vec<Vec<Child>> {
    let mut found = Vec::new();
    if target.within.is_none() && session.loops(target).is_err() {
        walk(&session.body, &target.name.text, &mut Vec::new(), &mut found);
    }
    found
}

fn walk(e: &Expr, name: &str, way: &mut Vec<Child>, found: &mut Vec<Vec<Child>>) {
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        way.push(at);
        walk(child, name, way, found);
        way.pop();
    }
    if matches!(&**e, Node::Iterate(it) if &*it.label.name == name) {
        found.push(way.clone());
    }
}

/// What is done with rounds.
#[derive(Clone, Debug)]
pub(crate) enum Apart {
    /// The first is apart.
    First,
    /// The last is apart.
    Last,
    /// Each is written out.
    All,
    /// They are in blocks of this size, and those that are left follow.
    Blocks(Ix),
    /// The same, and the rounds of a block are written out.
    WrittenBlocks(Ix),
}

impl Apart {
    /// Take the iterations at these places apart.
    pub(crate) fn convert(
        &self,
        session: &mut Session<'_>,
        span: Span,
        places: &[Vec<Child>],
    ) -> Result<Thm, Refusal> {
        let paths: Vec<&[Child]> = places.iter().map(Vec::as_slice).collect();
        let several = |e: &Expr| matches!(&**e, Node::Iterate(it) if it.states.len() > 1);
        let mut refused = None;
        let thm = session.convert_at(span, &paths, &mut |cx, e| {
            if !matches!(self, Apart::Last | Apart::All) && several(e) {
                refused = Some("several states");
                return cx.refl(e);
            }
            if matches!(self, Apart::All) && literal(e).is_none_or(|n| n > MOST) {
                refused = Some("an unknown number");
                return cx.refl(e);
            }
            self.taken(cx, e)
        })?;
        match refused {
            None => Ok(thm),
            Some("several states") => Err(Box::new(
                err!(E0378, span, "rounds of several states stay together here")
                    .label("each state would begin with rounds of its own")
                    .note("what comes first is the start of what follows, and every state has one: the first rounds would be run once for each")
                    .help("`peel .. last` takes the last round apart, and `unroll` all rounds, of any number of states"),
            )),
            Some(_) => Err(Box::new(
                err!(E0378, span, "these rounds cannot be written out")
                    .label(format!("their number is not known to be {MOST} at most"))
                    .help("`unroll .. by 4` writes out four at a time"),
            )),
        }
    }

    fn taken(&self, cx: &mut Cx<'_>, e: &Expr) -> Kernel<Thm> {
        match self {
            Apart::Last => cx.rule(Rule::IterateLast, e),
            Apart::All => written_out(cx, e),
            Apart::First => {
                let thm = split(cx, e, &Ix::ONE)?;
                cx.then(thm, |cx, e| cx.child(e, Child::Init(0), written_out))
            }
            Apart::Blocks(k) => blocks(cx, e, k, false),
            Apart::WrittenBlocks(k) => blocks(cx, e, k, true),
        }
    }
}

fn literal(e: &Expr) -> Option<i64> {
    match &**e {
        Node::Iterate(it) => {
            if let Ix::Lit(n) = it.extent {
                Some(n)
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Rounds in blocks of `k`, and then those that are left, if there may be some.
fn blocks(cx: &mut Cx<'_>, e: &Expr, k: &Ix, write_out: bool) -> Kernel<Thm> {
    let Node::Iterate(it) = &**e else { return cx.refl(e) };
    let n = it.extent.clone();
    cx.demand(Pred::lt(Ix::ZERO, k.clone()))?;
    let q = atl_arith::simplify(&cx.ctx, &(n.clone() / k.clone()));
    let whole = cx.equal(&n, &(q.clone() * k.clone()));
    let mut chain = Chain::of(e);
    let first: &[Child] = if whole { &[] } else { &[Child::Init(0)] };
    if !whole {
        chain.apply(cx, |cx, e| split(cx, e, &(q.clone() * k.clone())))?;
    }
    chain.apply(cx, |cx, e| {
        cx.at(e, first, &mut |cx, e| {
            let tiled = tile(cx, e, &q, k)?;
            let write = |cx: &mut Cx<'_>, e: &Expr| written_out(cx, e).map(Some);
            match write_out {
                true => cx.then(tiled, |cx, e| cx.child(e, Child::Step(0), write)),
                false => Ok(tiled),
            }
            .map(Some)
        })
    })?;
    chain.total(cx)
}
