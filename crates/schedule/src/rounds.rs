//! Iterations by name: what directives on loops do with rounds.
//!
//! The one idea: the index of an iteration names its rounds as that of a loop names its iterations. Rounds
//! follow one another, so a directive takes them apart in order, and no other one is about them.

use crate::nest::binders;
use crate::refusal::Refusal;
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{
    Child, Cmp, Entry, Error, Expr, Iterate, Ix, Label, Node, Number, Pred, Result as Kernel, Rule, Scalar,
    Thm, Var, subst,
};
use atl_rules::lets::is_read_by_name;
use atl_rules::rounds::{split, split_before_rest, tile, written_out};
use atl_rules::written_blocks::written_blocks;
use atl_rules::{Chain, Cx};
use atl_syntax::ast::LoopRef;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most rounds that are written out.
const MOST: i64 = 64;

/// A level that no variable has, nor those above it.
const FRESH: u32 = 1 << 30;

/// The ways to the iterations over an index of this name, innermost first; none where a loop has the name.
pub(crate) fn rounds_named(session: &Session<'_>, target: &LoopRef) -> Vec<Vec<Child>> {
    let mut found = Vec::new();
    if target.within.is_none() && session.loops(target).is_err() {
        walk(&session.body, &target.name.text, &mut Vec::new(), &mut found);
    }
    found
}

/// The same, whether or not a loop has the name.
pub(crate) fn all_rounds_named(session: &Session<'_>, name: &str) -> Vec<Vec<Child>> {
    let mut found = Vec::new();
    walk(&session.body, name, &mut Vec::new(), &mut found);
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
        let names = taken_names(session);
        let mut refused = None;
        let thm = session.convert_at(span, &paths, &mut |cx, e| {
            refused = refused.or(self.obstacle(e));
            if refused.is_some() { cx.refl(e) } else { self.taken(cx, e, &names) }
        })?;
        match refused {
            None => Ok(thm),
            Some(obstacle) => Err(obstacle.refusal(span)),
        }
    }

    /// Why the rounds of an iteration cannot be taken apart like this, if they cannot.
    fn obstacle(&self, e: &Expr) -> Option<Obstacle> {
        let Node::Iterate(it) = &**e else { return None };
        let states = it.states.len();
        match self {
            Apart::All => literal(e).is_none_or(|n| n > MOST).then_some(Obstacle::Rounds),
            Apart::Last => None,
            Apart::Blocks(_) if states > 1 && stores_all_states(it) => Some(Obstacle::AllStates),
            Apart::Blocks(_) if states > 1 && it.states.iter().any(|state| goes_on(&state.step)) => {
                Some(Obstacle::Inside)
            }
            Apart::Blocks(_) => (states > 1).then_some(Obstacle::States),
            Apart::First | Apart::WrittenBlocks(_) if ends_by_itself(it) => Some(Obstacle::Until),
            Apart::WrittenBlocks(Ix::Lit(k)) if states > 1 && *k > MOST / states as i64 => {
                Some(Obstacle::Written(states, MOST / states as i64))
            }
            Apart::First | Apart::WrittenBlocks(_) => None,
        }
    }

    fn taken(&self, cx: &mut Cx<'_>, e: &Expr, names: &BTreeSet<Arc<str>>) -> Kernel<Thm> {
        let several = matches!(&**e, Node::Iterate(it) if it.states.len() > 1);
        match self {
            Apart::Last => cx.rule(Rule::IterateLast, e),
            Apart::All => named_apart(cx, e, names),
            Apart::First if several => {
                let thm = split_before_rest(cx, e, &Ix::ONE)?;
                cx.then(thm, written_out)
            }
            Apart::First => {
                let thm = split(cx, e, &Ix::ONE)?;
                cx.then(thm, |cx, e| cx.child(e, Child::Init(0), written_out))
            }
            Apart::Blocks(k) => blocks(cx, e, k, None),
            Apart::WrittenBlocks(Ix::Lit(k)) if several => written(cx, e, *k),
            Apart::WrittenBlocks(k) => blocks(cx, e, k, Some(names)),
        }
    }
}

/// Why rounds stay together.
#[derive(Clone, Copy)]
enum Obstacle {
    /// The rounds of a block would be run for each state.
    States,
    /// They store the first states, too.
    AllStates,
    /// The same, and each round has rounds inside that go on with its states.
    Inside,
    /// The rounds of a block are states, which are too many: of so many states, blocks of this length are
    /// not.
    Written(usize, i64),
    /// Their number is unknown, or large.
    Rounds,
    /// They end by themselves.
    Until,
}

impl Obstacle {
    fn refusal(self, span: Span) -> Refusal {
        let together = || err!(E0378, span, "rounds of several states stay together here");
        let apart = || err!(E0378, span, "these rounds cannot be written out");
        Box::new(match self {
            Obstacle::States => together()
                .label("the rounds of a block would be run once for each state")
                .note("a step makes one state, and a block of rounds inside it is an iteration that ends in one value")
                .help("`unroll .. by k` writes the rounds of a block out, of any number of states; the sum in a `monoid` that claims `laws associative;` can be split"),
            Obstacle::AllStates => together()
                .label("they store what there is before the first one, too")
                .help("`scan .. { .. } give s` stores the state `s` after each round, and can be cut; what there was before is `(gen k < 1 { .. }) ++ (scan .. give s)`"),
            Obstacle::Inside => together()
                .label("the rounds inside go on with what these make")
                .note("a sum over several indices, `sum i < n, j < k in m { .. }`, is one sum of all terms in order")
                .help("write the sum inside as a term, `sum i < n in m { sum j < k in m { .. } }`: each can be split, if `m` claims `laws associative;`"),
            Obstacle::Written(states, most) => apart()
                .label(format!("each of the {states} states has one for each round of a block, {MOST} at most in all"))
                .help(format!("`unroll .. by {most}`, or fewer")),
            Obstacle::Rounds => apart()
                .label(format!("their number is not known to be {MOST} at most"))
                .help("`unroll .. by 4` writes out four at a time"),
            Obstacle::Until => err!(E0378, span, "rounds that end by `until` stay together here")
                .label("a loop over blocks is not left inside a block")
                .note("as written, the loop is left in the first round where the condition holds; taken apart, it would run all rounds")
                .help("remove this step; or remove `until`, if the number of rounds is known"),
        })
    }
}

/// Do rounds store a value each, and one more before the first?
fn stores_all_states(it: &Iterate) -> bool {
    let stores = |entry: &Expr| matches!(&**entry, Node::Select(Pred::Cmp(Cmp::Eq, ..), ..));
    it.states
        .last()
        .is_some_and(|last| matches!(&*last.step, Node::Gen(_, n, entry) if *n != it.extent && stores(entry)))
}

/// Does a step end in rounds that begin with states around?
fn goes_on(step: &Expr) -> bool {
    match &**step {
        Node::Iterate(it) => it.states.iter().any(|state| matches!(&*state.init, Node::Var(Var::Bound(_)))),
        Node::Let(_, bound, body) => goes_on(bound) || goes_on(body),
        _ => false,
    }
}

/// Does a step depend on a truth value that its round has made, as those of rounds that end by `until` do?
fn ends_by_itself(it: &Iterate) -> bool {
    let count = it.states.len() as u32;
    let says = |k: u32| {
        let state = &it.states[k as usize];
        let begins_false =
            matches!(&*state.init, Node::Lit(elem, Number::Zero) if elem.scalar == Scalar::Bool);
        let reads = |other: u32| {
            let step = subst::open_all(&it.states[other as usize].step, FRESH, count + other + 1);
            is_read_by_name(&subst::close(&step, FRESH + count + k))
        };
        begins_false && (k + 1..count).any(reads)
    };
    (0..count).any(says)
}

/// Are there rounds that end by `until` in a term?
pub(crate) fn has_rounds_that_end(e: &Expr) -> bool {
    let itself = matches!(&**e, Node::Iterate(it) if ends_by_itself(it));
    itself || e.children().filter_map(|at| e.child(at)).any(has_rounds_that_end)
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

/// The names of what there is: loops, `let`s, states, parameters and sizes.
fn taken_names(session: &Session<'_>) -> BTreeSet<Arc<str>> {
    let label = |entry: &Entry| match entry {
        Entry::Index(label) | Entry::Tensor(label, _) => Some(label.name.clone()),
        Entry::Hyp(..) | Entry::All(..) => None,
    };
    let bound = binders(&session.body).into_iter().map(|place| place.label.name);
    bound.chain(session.cx.ctx.entries().filter_map(label)).collect()
}

/// Rounds written out, each state a `let` with a name of its own: `x1`, `x2` and so on.
fn named_apart(cx: &mut Cx<'_>, e: &Expr, taken: &BTreeSet<Arc<str>>) -> Kernel<Thm> {
    let Node::Iterate(it) = &**e else { return cx.refl(e) };
    let count = (literal(e).unwrap_or(0) as usize + 1) * it.states.len();
    let thm = written_out(cx, e)?;
    let mut names = Names { taken, last: BTreeMap::new() };
    let named = names.of_lets(thm.rhs(), count);
    cx.then(thm, |cx, e| cx.relabel(e, &named))
}

/// Names for states of rounds.
struct Names<'n> {
    taken: &'n BTreeSet<Arc<str>>,
    /// The last number that follows a name.
    last: BTreeMap<Arc<str>, u32>,
}

impl Names<'_> {
    /// The term with other names for its first `let`s, this many.
    fn of_lets(&mut self, e: &Expr, count: usize) -> Expr {
        match &**e {
            Node::Let(label, bound, body) if count > 0 => {
                let label = Label { name: self.next(&label.name), ..label.clone() };
                Arc::new(Node::Let(label, bound.clone(), self.of_lets(body, count - 1)))
            }
            _ => e.clone(),
        }
    }

    fn next(&mut self, name: &Arc<str>) -> Arc<str> {
        let last = self.last.entry(name.clone()).or_insert(0);
        loop {
            *last += 1;
            let numbered: Arc<str> = format!("{name}{last}").into();
            if !self.taken.contains(&numbered) {
                return numbered;
            }
        }
    }
}

/// Rounds in blocks of `k`, and then those that are left, if there may be some.
fn blocks(cx: &mut Cx<'_>, e: &Expr, k: &Ix, written: Option<&BTreeSet<Arc<str>>>) -> Kernel<Thm> {
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
            match written {
                Some(names) => {
                    cx.then(tiled, |cx, e| cx.child(e, Child::Step(0), |cx, e| named_apart(cx, e, names)))
                }
                None => Ok(tiled),
            }
            .map(Some)
        })
    })?;
    chain.total(cx)
}

/// Blocks of `k` rounds of several states, written out, and then the rounds that are left, if there may be
/// some.
fn written(cx: &mut Cx<'_>, e: &Expr, k: i64) -> Kernel<Thm> {
    let Node::Iterate(it) = &**e else { return cx.refl(e) };
    let (n, length) = (it.extent.clone(), u32::try_from(k).map_err(|_| Error::TooLarge)?);
    cx.demand(Pred::lt(Ix::ZERO, Ix::Lit(k)))?;
    let q = atl_arith::simplify(&cx.ctx, &(n.clone() / Ix::Lit(k)));
    let whole = q.clone() * Ix::Lit(k);
    let mut chain = Chain::of(e);
    if !cx.equal(&n, &whole) {
        chain.apply(cx, |cx, e| split_before_rest(cx, e, &whole))?;
    }
    chain.apply(cx, |cx, e| written_blocks(cx, e, &q, length))?;
    chain.total(cx)
}
