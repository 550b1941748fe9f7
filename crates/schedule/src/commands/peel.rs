//! `peel`, `peel L`: split off the iterations in which a guard may fail; `peel L first`, `peel L last`: one
//! iteration at an end.
//!
//! **Statement.** `gen_split_at` twice, `e = (first ++ middle) ++ last`, with cuts such that every
//! condition on the index is decided in the middle part: guards and `select`s, `min` and `max` in indices, and
//! remainders there that wrap around once, or at both ends. Each part is simplified by what is decided in
//! it, and empty parts are omitted. `peel L first` and `peel L last` split one iteration off a `gen`; of a
//! `sum`, `sum i < n { e(i) } = e(0) + sum i < n - 1 { e(i + 1) }`, where the first is a sum of at most one
//! term if `n` may be 0. `peel L` of a `sum` gives a sum of sums. What `inline` leaves, `(gen i < n { e(i)
//! })[k]`, is carried out first. Of an iteration, `L` its index, the first or the last round is apart, if
//! there is one. A loop in a round, `x/i`, is peeled as any other; its parts are updated in place where the
//! whole is.
//! **Requires.** Conditions that are linear in the loop's index. Parts may be empty, so sizes need no
//! premises. Without a loop's name, it peels from the outermost loop inward, in middle parts only: the first
//! and last iterations keep the conditions of the loops inside them; it splits no sum. `peel L` again peels
//! the parts of `L`, if several conditions change near one end, or one stands in another, as in
//! `min(max(i - 1, 0), N - 1)`. Splitting a sum of floats reassociates it:
//! `rounding real`.
//! **Fails when.** No condition in the loop changes at a known iteration, or it changes in most of them.
//! **Example.** `wavefront d by 1, 1 as y; peel y/i` takes the ends of fronts apart. A blur's `[0 <= y - 1]` and `[y + 1 < N]` leave a middle of `N - 2` rows without guards.
//! **See also.** `split`, whose tails it splits off; `simplify guards`.

use crate::accesses::{accesses_loops, carried_out};
use crate::annotate::unmark_single;
use crate::args::Args;
use crate::command::Command;
use crate::cuts::{cuts, extent_of, samples, undecided, value};
use crate::linear::End;
use crate::nest::subterm;
use crate::refusal::{Refusal, RefusedAt, wrong_arguments};
use crate::rounds::{Apart, rounds_named};
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{Child, Expr, Ix, IxOp, Node, Pred, Rule, Thm, Type};
use atl_rules::gather::decide;
use atl_rules::rules::gen_split_at::gen_split_at;
use atl_rules::{Cx, Step as Conversion};
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "peel",
    usage: "peel L [first | last]",
    equation: "gen i<n. e  =  ((gen i<c. e) ++ (gen i<d-c. e(i+c))) ++ (gen i<n-d. e(i+d)), guards decided",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["first", "last"])?;
        let end = match (step.clause("first"), step.clause("last")) {
            (None, None) => None,
            (Some(_), None) => Some(End::Low),
            (None, Some(_)) => Some(End::High),
            (Some(_), Some(last)) => return Err(wrong_arguments(last.span, COMMAND.usage)),
        };
        if let Some(end) = end {
            let rounds = rounds_named(session, &args.one_loop()?);
            if !rounds.is_empty() {
                let apart = if end == End::Low { Apart::First } else { Apart::Last };
                return apart.convert(session, step.span, &rounds);
            }
            let mut places = session.loops(&args.one_loop()?)?;
            places.reverse();
            return session.convert(step.span, &places, &mut |cx, e| one(cx, e, end));
        }
        if step.args.is_empty() {
            return all(session, step.span);
        }
        let mut places = Vec::new();
        for l in &args.loops()? {
            places.extend(session.loops(l)?);
        }
        places.reverse();
        let before = session.body.clone();
        let thm = session.convert(step.span, &places, &mut |cx, e| {
            let peeled = peel(cx, e)?;
            cx.total(e, peeled.map(|p| p.thm))
        })?;
        if *thm.rhs() == before { Err(nothing_to_peel(step.span)) } else { Ok(thm) }
    },
};

fn nothing_to_peel(span: Span) -> Refusal {
    Box::new(
        err!(E0318, span, "there is nothing to peel")
            .label("no test here changes its answer at an iteration that is known")
            .help(
                "it cuts for guards, `select`s, and `min`, `max` and `%` in indices, where they are linear in the loop's index; for `%` where \
                 that wraps around once in the loop, or at both of its ends",
            ),
    )
}

/// Peel every loop, outermost first.
fn all(session: &mut Session<'_>, span: Span) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let done = everywhere(&mut session.cx, &body).refused_at(span)?;
    if let Some(thm) = done {
        return Ok(thm);
    }
    let mut sum = None;
    sums(&mut session.cx, &body, &mut sum).refused_at(span)?;
    Err(match sum {
        Some(name) => Box::new(nothing_to_peel(span).help(format!(
            "without a name it cuts no sum: `peel {name}` does, and regroups what is added up (`real` in floating point)"
        ))),
        None => nothing_to_peel(span),
    })
}

/// The first sum that could be peeled, if it were named.
fn sums(cx: &mut Cx<'_>, e: &Expr, found: &mut Option<Arc<str>>) -> Conversion {
    if let Node::Sum(label, ..) = &**e
        && found.is_none()
        && peel(cx, e)?.is_some()
    {
        *found = Some(label.name.clone());
    }
    cx.children(e, &mut |cx, e| sums(cx, e, found))
}

/// Peel the loop at hand, then below its middle part; where there is nothing to peel, below.
fn everywhere(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    let here = match &**e {
        Node::Gen(..) => peel(cx, e)?,
        Node::Get(..) => return Ok(None),
        _ => None,
    };
    match here {
        None => cx.children(e, &mut everywhere),
        Some(Peeled { thm, middle }) => {
            cx.then(thm, |cx, e| cx.at(e, &middle, &mut |cx, e| cx.children(e, &mut everywhere))).map(Some)
        }
    }
}

/// A loop in parts.
struct Peeled {
    /// The loop equals its parts, with the tests of each decided.
    thm: Thm,
    /// The way to the part in which the most is decided.
    middle: Vec<Child>,
}

/// Peel the loop at hand; nothing where that decides nothing.
fn peel(cx: &mut Cx<'_>, e: &Expr) -> atl_kernel::Result<Option<Peeled>> {
    let carried = if accesses_loops(e) { carried_out(cx, e, &|_| true)? } else { None };
    let Some(thm) = carried else { return peel_tests(cx, e) };
    let peeled = peel_tests(cx, thm.rhs())?;
    peeled.map(|Peeled { thm: cut, middle }| Ok(Peeled { thm: thm.trans(cut)?, middle })).transpose()
}

/// The same for a loop in which no loop is accessed.
fn peel_tests(cx: &mut Cx<'_>, e: &Expr) -> atl_kernel::Result<Option<Peeled>> {
    let (Node::Gen(_, n, _) | Node::Sum(_, n, _)) = &**e else { return Ok(None) };
    let cuts = cuts(cx, e)?;
    let low = cuts.low.map(|c| known(cx, c)).and_then(|c| inside(cx, c, &Ix::ZERO, n));
    let from = low.clone().unwrap_or(Ix::ZERO);
    let high = cuts.high.map(|d| known(cx, d)).and_then(|d| inside(cx, d, &from, n));
    let [first, last] = [Child::Arg(0), Child::Arg(1)];
    let (thm, ways) = match (&low, &high) {
        (None, None) => return Ok(None),
        (Some(cut), None) | (None, Some(cut)) => (split_at(cx, e, cut)?, vec![vec![first], vec![last]]),
        (Some(low), Some(high)) => {
            let thm = split_at(cx, e, high)?;
            let thm = cx.then(thm, |cx, e| cx.child(e, first, |cx, e| split_at(cx, e, low)))?;
            (thm, vec![vec![first, first], vec![first, last], vec![last]])
        }
    };
    let thm = cx.then(thm, parts)?;
    let middle = ways[usize::from(low.is_some())].clone();
    Ok(worthwhile(cx, e, thm.rhs(), &ways).then_some(Peeled { thm, middle }))
}

/// A cut without the indices of loops of one iteration, which are 0.
fn known(cx: &mut Cx<'_>, cut: Ix) -> Ix {
    let mut known = cut.clone();
    for level in (0..cx.ctx.level()).filter(|level| cut.mentions(*level)) {
        let Some(n) = extent_of(&cx.ctx, level).cloned() else { continue };
        if cx.proves(&Pred::le(n, Ix::ONE)) {
            known = at_zero(&known, level);
        }
    }
    if known == cut { cut } else { atl_arith::simplify(&cx.ctx, &known) }
}

/// The term with 0 for a variable.
fn at_zero(ix: &Ix, level: u32) -> Ix {
    match ix {
        Ix::Var(_) if *ix == Ix::free(level) => Ix::ZERO,
        Ix::Bin(op, ab) => Ix::bin(*op, at_zero(&ab.0, level), at_zero(&ab.1, level)),
        ix => ix.clone(),
    }
}

/// Whether each part has fewer tests than the loop or, at one of the sample sizes, fewer iterations, and a part with
/// iterations has fewer tests. Nothing can be peeled for ever.
fn worthwhile(cx: &Cx<'_>, whole: &Expr, parts: &Expr, ways: &[Vec<Child>]) -> bool {
    let samples = samples(&cx.ctx);
    let sizes = |e: &Expr| match &**e {
        Node::Gen(_, n, _) | Node::Sum(_, n, _) => {
            samples.each_ref().map(|sample| value(n, sample).unwrap_or(i64::MAX))
        }
        _ => [i64::MAX; 2],
    };
    let (tests, size) = (undecided(whole), sizes(whole));
    let mut decided = false;
    for part in ways.iter().filter_map(|way| subterm(parts, way)) {
        let (fewer, now) = (undecided(part) < tests, sizes(part));
        if !fewer && now[0] >= size[0] && now[1] >= size[1] {
            return false;
        }
        decided |= fewer && now.iter().any(|n| *n > 0);
    }
    decided
}

/// The loop at hand in two, the second part from the cut on.
fn split_at(cx: &mut Cx<'_>, e: &Expr, cut: &Ix) -> atl_kernel::Result<Thm> {
    match &**e {
        Node::Sum(..) => cx.rule(Rule::SumSplit(cut.clone()), e),
        _ => gen_split_at(cx, e, cut),
    }
}

/// The loop at hand without its first or last iteration, and that iteration.
fn one(cx: &mut Cx<'_>, e: &Expr, end: End) -> atl_kernel::Result<Thm> {
    let (Node::Gen(_, n, _) | Node::Sum(_, n, _)) = &**e else { return cx.refl(e) };
    let single = if cx.proves(&Pred::le(Ix::ONE, n.clone())) { Ix::ONE } else { Ix::min(Ix::ONE, n.clone()) };
    let cut = match end {
        End::Low => single.clone(),
        End::High => atl_arith::simplify(&cx.ctx, &(n.clone() - single.clone())),
    };
    let thm = split_at(cx, e, &cut)?;
    if matches!(**e, Node::Gen(..)) {
        return cx.then(thm, parts);
    }
    let at = Child::Arg(if end == End::Low { 0 } else { 1 });
    let thm = cx.then(thm, |cx, e| cx.child(e, at, |cx, e| Ok(cx.try_rule(Rule::SumOne, e))))?;
    cx.then(thm, guards)
}

/// Tidy the parts of a loop: extents in short form, tests decided, and loops of one iteration not marked.
pub(crate) fn parts(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    cx.sequence(e, lengths, switches)
}

/// Tidy the parts of a loop, but for minima and maxima, which later facts about the parts' extents may be needed for.
pub(crate) fn lengths(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    cx.sequence(e, ends, guards)
}

/// The parts' extents in short form; those of one iteration are not marked. Where parts of which a loop's index says how long
/// they are have one length together, their extents stay as they are if in short form the index would not go from their sum:
/// no row may be longer than the other.
fn ends(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    match &**e {
        Node::Op(..) | Node::Prim(..) => {
            let Some(thm) = cx.children(e, &mut ends)? else { return Ok(None) };
            let [before, after] = [cx.type_of(e)?, cx.type_of(thm.rhs())?];
            let mentions = |ty: &Type, level| ty.shape.iter().any(|extent| extent.mentions(level));
            let is_ragged =
                (0..cx.ctx.level()).any(|level| mentions(&after, level) && !mentions(&before, level));
            Ok((!is_ragged).then_some(thm))
        }
        _ => cx.sequence(e, extent, unmark_single),
    }
}

/// The extent of the loop at hand in short form.
fn extent(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    let (Node::Gen(label, n, body) | Node::Sum(label, n, body)) = &**e else { return Ok(None) };
    let short = atl_arith::simplify(&cx.ctx, n);
    if short == *n {
        return Ok(None);
    }
    let (label, body) = (label.clone(), body.clone());
    let shorter =
        if let Node::Gen(..) = &**e { Node::Gen(label, short, body) } else { Node::Sum(label, short, body) };
    cx.rule(Rule::ArithEq(Arc::new(shorter)), e).map(Some)
}

/// Decide every guard that can be decided.
fn guards(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    cx.top_down(e, &mut guard)
}

/// Decide the guard at hand, if it can be decided, or as much of it as can be: guards that are merged are looked at again.
pub(crate) fn guard(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    if !matches!(**e, Node::Guard(..) | Node::Select(..)) {
        return Ok(None);
    }
    match decide(cx, e)? {
        Some(thm) => cx.then(thm, guard).map(Some),
        None => Ok(None),
    }
}

/// Decide every minimum, maximum and remainder in an index that can be decided.
fn switches(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    cx.top_down(e, &mut |cx, e| {
        let mut node = (**e).clone();
        match &mut node {
            Node::Index(_, i) | Node::Get(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) => {
                *i = decide_switches(cx, i)
            }
            _ => return Ok(None),
        }
        if node == **e { Ok(None) } else { cx.rule(Rule::ArithEq(Arc::new(node)), e).map(Some) }
    })
}

/// An index term with each minimum and maximum whose smaller side is known replaced by the side that it is, and each remainder whose
/// quotient is known by the dividend less so many divisors.
fn decide_switches(cx: &mut Cx<'_>, ix: &Ix) -> Ix {
    let Ix::Bin(op, ab) = ix else { return ix.clone() };
    let (a, b) = (decide_switches(cx, &ab.0), decide_switches(cx, &ab.1));
    if *op == IxOp::Mod {
        let short = atl_arith::simplify(&cx.ctx, &Ix::bin(*op, a.clone(), b.clone()));
        if !divides(&short) {
            return short;
        }
    }
    let smaller = match op {
        IxOp::Min | IxOp::Max if cx.proves(&Pred::le(a.clone(), b.clone())) => Some(true),
        IxOp::Min | IxOp::Max if cx.proves(&Pred::le(b.clone(), a.clone())) => Some(false),
        _ => None,
    };
    match smaller {
        Some(left) if left == (*op == IxOp::Min) => a,
        Some(_) => b,
        None if (&a, &b) == (&ab.0, &ab.1) => ix.clone(),
        None => Ix::bin(*op, a, b),
    }
}

/// Is there a quotient or a remainder in the term?
fn divides(ix: &Ix) -> bool {
    match ix {
        Ix::Bin(op, ab) => matches!(op, IxOp::Div | IxOp::Mod) || divides(&ab.0) || divides(&ab.1),
        Ix::Lit(_) | Ix::Var(_) | Ix::Read(..) => false,
    }
}

/// `k` kept between `lo` and `hi`, without the bounds that are proved; nothing where it is one of them.
fn inside(cx: &mut Cx<'_>, k: Ix, lo: &Ix, hi: &Ix) -> Option<Ix> {
    let at_most = |cx: &mut Cx<'_>, a: &Ix, b: &Ix| cx.proves(&Pred::le(a.clone(), b.clone()));
    if at_most(cx, &k, lo) || at_most(cx, hi, &k) {
        return None;
    }
    let raised = if at_most(cx, lo, &k) { k } else { Ix::max(lo.clone(), k) };
    Some(if at_most(cx, &raised, hi) { raised } else { Ix::min(raised, hi.clone()) })
}
