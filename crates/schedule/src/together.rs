//! Steps that are carried out together: `compute C at L; compute B at L; compute A at L;` is one derivation.
//!
//! **The one idea.** Each of these steps takes a `let` from outside a loop into its body. Carried out one by
//! one, the theorem of each step states everything that earlier steps computed in the loop, below one binder
//! more, so each step makes those terms again. Together, all of the `let`s enter the loop as they are; there
//! each becomes a window in its place, the innermost first, and no later step touches it.
//!
//! A run ends where one of its steps would do anything else: then, and where a theorem is refused, the steps
//! are carried out one after the other, and what is said of them is what each says alone.

use crate::applied::{Applied, Change, Done};
use crate::commands::{self, compute};
use crate::in_turn::InTurn;
use crate::into_loops;
use crate::nest::{Sort, binders};
use crate::script::{MAX_STEPS, reasonable};
use crate::session::Session;
use atl_kernel::{Child, Error, Expr, Label, Node, Result as Kernel, Rule, Thm, subst};
use atl_rules::occurrences::mentions;
use atl_rules::{Chain, Cx, Step as Conversion};
use atl_syntax::ast::{LoopRef, Step};
use atl_syntax::{Style, print_step};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a way passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A `let` that enters the loop.
    Producer,
    /// What stays where it is.
    Other,
}

/// Steps at the `let`s on the way to one loop.
pub(crate) struct Run<'s> {
    /// The steps, each about a `let` around the one before.
    pub(crate) steps: &'s [Step],
    /// The way to the outermost of the `let`s.
    home: Vec<Child>,
    /// The way from there into the loop's body, with which steps of it begin at one of the `let`s.
    way: Vec<(Child, Part)>,
}

/// The `let` that a step computes in a loop, and the loop; nothing for other steps.
fn subject(step: &Step) -> Option<(String, LoopRef)> {
    let ([subject], [at], []) = (&step.args[..], &step.clauses[..], &step.blocks[..]) else { return None };
    let ("compute", "at", [target]) = (&step.name.text[..], &at.word.text[..], &at.args[..]) else {
        return None;
    };
    Some((subject.as_name()?.text, target.as_loop()?))
}

fn is_same(one: &LoopRef, other: &LoopRef) -> bool {
    let text = |l: &LoopRef| (l.within.as_ref().map(|n| n.text.clone()), l.name.text.clone());
    text(one) == text(other)
}

impl<'s> Run<'s> {
    /// The longest run that these steps begin with; none if that is one step.
    pub(crate) fn at(session: &Session<'_>, steps: &'s [Step]) -> Option<Run<'s>> {
        let (_, target) = subject(steps.first()?)?;
        let is_next = |step: &Step| subject(step).is_some_and(|(_, at)| is_same(&at, &target));
        if target.name.text == "root" || !steps.get(1).is_some_and(is_next) {
            return None;
        }
        let [place] = &session.loops(&target).ok()?[..] else { return None };
        let path = [place.path.as_slice(), &[Child::Body]].concat();
        let mut lets = lets_on(&session.body, &path, &target.name.text);
        let mut way: Vec<(Child, Part)> = path.iter().map(|at| (*at, Part::Other)).collect();
        let (mut length, mut outermost) = (0, path.len());
        for (name, _) in steps.iter().take_while(|step| is_next(step)).filter_map(subject) {
            let Some(depth) = lets.remove(&name).flatten().filter(|depth| *depth < outermost) else { break };
            (way[depth].1, outermost, length) = (Part::Producer, depth, length + 1);
        }
        let is_allowed = length > 1 && session.tried + length <= MAX_STEPS;
        is_allowed.then(|| Run {
            steps: &steps[..length],
            home: path[..outermost].to_vec(),
            way: way.split_off(outermost),
        })
    }

    /// Carry the steps out; if that is refused, the session is as it was.
    pub(crate) fn carry_out(&self, session: &mut Session<'_>) -> bool {
        let (focus, trial) = (session.focus.clone(), session.cx.work.trial());
        match self.prove(session, &trial).filter(|_| !trial.is_spent()) {
            Some(()) => {
                session.cx.work.settle(&trial);
                true
            }
            None => {
                session.focus = focus;
                false
            }
        }
    }

    fn prove(&self, session: &mut Session<'_>, trial: &atl_rules::Work) -> Option<()> {
        session.focus.move_to(&mut session.cx, &self.home).ok()?;
        let (here, now) = session.focus.here(&mut session.cx);
        let thm = self.theorem(&mut here.with_work(trial), &now).ok()?;
        session.focus.push(&mut session.cx, thm.clone()).ok()?;
        let (before, after) = (session.body.clone(), session.focus.body(&session.body));
        reasonable(session, self.steps[0].span, &after).ok()?;
        session.tried += self.steps.len();
        session.body = after.clone();
        let whole = Done { before, after, at: self.home.clone(), part: thm, ctx: session.cx.ctx.clone() };
        let start = (session.start.clone(), session.levels);
        let all = Arc::new(InTurn::of(self.steps, start, whole));
        for (turn, step) in self.steps.iter().enumerate() {
            let command = commands::by_name(&step.name.text)?;
            session.trace.push(Applied {
                span: step.span,
                command: command.name,
                step: step.clone(),
                text: print_step(step, Style::LINE),
                equation: command.equation.to_owned(),
                notes: Vec::new(),
                uses: session.uses.clone(),
                change: Change::Together(all.clone(), turn),
            });
        }
        Some(())
    }

    /// The theorem about the outermost `let`.
    fn theorem(&self, cx: &mut Cx<'_>, e: &Expr) -> Kernel<Thm> {
        let others = self.way.iter().filter(|(_, part)| *part == Part::Other);
        let others: Vec<Child> = others.map(|(at, _)| *at).collect();
        let producers = self.way.len() - others.len();
        let mut chain = Chain::of(e);
        match self.way[..producers].iter().all(|(_, part)| *part == Part::Producer) {
            true => chain.apply(cx, |cx, e| at_the_end(cx, e, producers, &others))?,
            false => chain.apply(cx, |cx, e| entered(cx, e, &self.way, &others))?,
        }
        chain.apply(cx, |cx, e| cx.at(e, &others, &mut |cx, e| narrowed(cx, e, producers)))?;
        chain.total(cx)
    }
}

/// The `let`s on a path whose names no other `let` has, with how deep each stands on it; none of them where
/// one binds a loop of this name, which a window of it would have in the loop, too.
fn lets_on(body: &Expr, path: &[Child], name: &str) -> BTreeMap<String, Option<usize>> {
    let mut found: BTreeMap<String, Option<usize>> = BTreeMap::new();
    for place in binders(body) {
        let is_named = |x: &str| &*place.label.name == x;
        if place.sort != Sort::Let {
            if let (true, Some(x)) = (is_named(name), place.within.first()) {
                found.insert(x.to_string(), None);
            }
            continue;
        }
        let is_on_it =
            path.strip_prefix(place.path.as_slice()).and_then(<[Child]>::first) == Some(&Child::Body);
        let depth = is_on_it.then_some(place.path.len());
        found.entry(place.label.name.to_string()).and_modify(|depth| *depth = None).or_insert(depth);
    }
    found
}

/// A chain of this number of `let`s, at the end of the way below it.
fn at_the_end(cx: &mut Cx<'_>, e: &Expr, lets: usize, way: &[Child]) -> Conversion {
    if way.is_empty() {
        return Ok(None);
    }
    let (before, loops) = into_loops::first_loops(e, lets, way);
    let (others, rest) = way.split_at(before);
    let producers = (0..lets).map(|_| (Child::Body, Part::Producer));
    let parts: Vec<_> = producers.chain(others.iter().map(|at| (*at, Part::Other))).collect();
    let (inside, below) = (vec![Child::Body; loops.len()], &rest[loops.len()..]);
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| entered(cx, e, &parts, others))?;
    let mut in_loops = |cx: &mut Cx<'_>, e: &Expr| {
        let mut chain = Chain::of(e);
        chain.apply(cx, |cx, e| into_loops::entered(cx, e, &loops))?;
        chain.apply(cx, |cx, e| cx.at(e, &inside, &mut |cx, e| at_the_end(cx, e, lets, below)))?;
        Ok(chain.done())
    };
    chain.apply(cx, |cx, e| cx.at(e, others, &mut in_loops))?;
    Ok(chain.done())
}

/// A term with the producers on the way at its end, in order; `others` is the way without them.
fn entered(cx: &mut Cx<'_>, e: &Expr, way: &[(Child, Part)], others: &[Child]) -> Conversion {
    let Some(((at, part), rest)) = way.split_first() else { return Ok(None) };
    let others = if *part == Part::Producer { others } else { &others[1..] };
    let mut chain = Chain::of(e);
    chain.push(cx.child(e, *at, |cx, e| entered(cx, e, rest, others))?)?;
    if *part == Part::Producer {
        chain.apply(cx, |cx, e| sunk(cx, e, others))?;
    }
    Ok(chain.done())
}

/// A level that no context reaches.
const NAME: u32 = u32::MAX;

/// `let x = e; f(g(x))  =  f(let x = e; g(x))`, with `g` at the end of the way. Both are one term once `x` is
/// inlined. Where `f` reads `x` as well, it is refused.
fn sunk(cx: &mut Cx<'_>, e: &Expr, way: &[Child]) -> Kernel<Thm> {
    let Node::Let(label, bound, body) = &**e else { return Err(Error::Mismatch("a step at a `let`")) };
    let inlined = cx.rule(Rule::LetInline, e)?;
    let named = subst::open(body, NAME);
    cx.then(inlined, |cx, e| bound_below(cx, e, &named, way, (label, bound)))
}

/// A term with a `let` at the end of the way, whose body is what stands there in another term, which has the
/// name.
fn bound_below(
    cx: &mut Cx<'_>,
    e: &Expr,
    named: &Expr,
    way: &[Child],
    (label, bound): (&Label, &Expr),
) -> Conversion {
    let Some((at, rest)) = way.split_first() else {
        let below = Arc::new(Node::Let(label.clone(), bound.clone(), subst::close(named, NAME)));
        return Ok(Some(cx.rule(Rule::LetInline, &below)?.sym()));
    };
    let Some(child) = named.child(*at) else { return Err(Error::Mismatch("a way that ends")) };
    let mut beside = named.children().filter(|other| other != at).filter_map(|other| named.child(other));
    if beside.any(|other| mentions(other, NAME)) {
        return Err(Error::Mismatch("a name that is read elsewhere, too"));
    }
    let named = subst::open_all(child, cx.ctx.level(), named.binds(*at));
    cx.child(e, *at, |cx, e| bound_below(cx, e, &named, rest, (label, bound)))
}

/// A chain of so many `let`s with a window for each, in its place, the innermost first.
fn narrowed(cx: &mut Cx<'_>, e: &Expr, producers: usize) -> Conversion {
    if producers == 0 {
        return Ok(None);
    }
    let mut chain = Chain::of(e);
    chain.push(cx.child(e, Child::Body, |cx, e| narrowed(cx, e, producers - 1))?)?;
    chain.apply(cx, compute::in_place)?;
    Ok(chain.done())
}
