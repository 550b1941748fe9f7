//! `peel`, `peel L`: split off the iterations that keep a guard alive; `peel L first`, `peel L last`: the one at an end.
//!
//! **Statement.** `gen_split_at` twice, `e = (first ++ middle) ++ last`, where the cuts are such that the guards of
//! the middle part hold; then each part's guards are decided. `peel L first` and `peel L last` cut one iteration off a
//! `gen`; off a `sum`, `sum i < n { e(i) } = e(0) + sum i < n - 1 { e(i + 1) }`, a sum of at most one term where `n` may be 0.
//! **Requires.** Guards that are linear in the loop's index. Parts may be empty, so sizes need no premises.
//! Without a loop's name it goes through the program from outside inward, into middle parts only: the first and last
//! iterations keep the guards of the loops inside them. Cutting a sum of floats reassociates it: `rounding real`.
//! **Fails when.** No guard in the loop depends on its index in this way.
//! **Example.** A blur's `[0 <= y - 1]` and `[y + 1 < N]` leave a middle of `N - 2` rows without guards.
//! **See also.** `split`, whose tails it takes off; `simplify guards`.

use crate::annotate::unmark_single;
use crate::args::Args;
use crate::command::Command;
use crate::linear::{End, extreme, linear};
use crate::nest::Sort;
use crate::session::{Refusal, Session, refused, wrong_arguments};
use atl_diag::{Span, err};
use atl_kernel::{Child, Cmp, Expr, Ix, Node, Pred, Rule, Thm, enter};
use atl_rules::gather::decide;
use atl_rules::rules::gen_split_at::gen_split_at;
use atl_rules::{Cx, Step as Conversion, join};
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
            let mut places = session.loops(&args.one_loop()?)?;
            places.reverse();
            return session.convert(step.span, &places, &mut |cx, e| one(cx, e, end));
        }
        if step.args.is_empty() {
            return all(session, step.span);
        }
        let mut places = Vec::new();
        for l in &args.loops()? {
            places.extend(session.loops(l)?.into_iter().filter(|p| p.sort == Sort::Gen));
        }
        places.reverse();
        let before = session.body.clone();
        let thm = session.convert(step.span, &places, &mut |cx, e| {
            let peeled = peel(cx, e)?;
            cx.total(e, peeled.map(|p| p.thm))
        })?;
        if *thm.rhs() == before { Err(nothing(step.span)) } else { Ok(thm) }
    },
};

fn nothing(span: Span) -> Refusal {
    Box::new(
        err!(E0318, span, "there is nothing to peel")
            .label("no guard here depends linearly on the loop's index")
            .help("`simplify guards` removes guards that always hold"),
    )
}

/// Peel every loop, outermost first.
fn all(session: &mut Session<'_>, span: Span) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let done = everywhere(&mut session.cx, &body).map_err(|e| refused(span, &e))?;
    done.map_or_else(|| Err(nothing(span)), Ok)
}

/// Peel the loop at hand, then below its middle part; where there is nothing to peel, below.
fn everywhere(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    let here = match &**e {
        Node::Gen(..) => peel(cx, e)?,
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
pub struct Peeled {
    /// The loop equals its parts, with the guards of each decided.
    pub thm: Thm,
    /// The way to the part in which the guards hold.
    pub middle: Vec<Child>,
}

/// Peel the loop at hand; nothing where there are no cuts.
pub fn peel(cx: &mut Cx<'_>, e: &Expr) -> atl_kernel::Result<Option<Peeled>> {
    let Node::Gen(_, n, _) = &**e else { return Ok(None) };
    let (low, high) = cuts(cx, e)?;
    let mut thm: Option<Thm> = None;
    let mut middle = Vec::new();
    if let Some(d) = &high {
        let d = within(cx, d, &low.clone().unwrap_or(Ix::ZERO), n);
        thm = Some(gen_split_at(cx, e, &d)?);
        middle.push(Child::Arg(0));
    }
    if let Some(c) = &low {
        let now = thm.as_ref().map_or(e, Thm::rhs).clone();
        let step = cx.at(&now, &middle, &mut |cx, e| {
            let Node::Gen(_, m, _) = &**e else { return Ok(None) };
            let c = within(cx, c, &Ix::ZERO, m);
            gen_split_at(cx, e, &c).map(Some)
        })?;
        thm = join(thm, step)?;
        middle.push(Child::Arg(1));
    }
    let Some(thm) = thm else { return Ok(None) };
    let thm = cx.then(thm, parts)?;
    Ok(Some(Peeled { thm, middle }))
}

/// The loop at hand without its first or last iteration, and that iteration.
fn one(cx: &mut Cx<'_>, e: &Expr, end: End) -> atl_kernel::Result<Thm> {
    let (Node::Gen(_, n, _) | Node::Sum(_, n, _)) = &**e else { return cx.refl(e) };
    let single = if cx.proves(&Pred::le(Ix::ONE, n.clone())) { Ix::ONE } else { Ix::min(Ix::ONE, n.clone()) };
    let cut = match end {
        End::Low => single.clone(),
        End::High => atl_arith::simplify(&cx.ctx, &(n.clone() - single.clone())),
    };
    if matches!(**e, Node::Gen(..)) {
        let thm = gen_split_at(cx, e, &cut)?;
        return cx.then(thm, parts);
    }
    let thm = cx.rule(Rule::SumSplit(cut), e)?;
    let at = Child::Arg(if end == End::Low { 0 } else { 1 });
    let thm = cx.then(thm, |cx, e| cx.child(e, at, |cx, e| Ok(cx.try_rule(Rule::SumOne, e))))?;
    cx.then(thm, guards)
}

/// Tidy the parts of a loop: guards decided, and loops of one iteration not marked.
fn parts(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    cx.sequence(e, plain_ends, guards)
}

/// The parts of one iteration are not marked.
fn plain_ends(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    match &**e {
        Node::Op(..) => cx.children(e, &mut plain_ends),
        _ => unmark_single(cx, e),
    }
}

/// Decide every guard that can be decided.
pub fn guards(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    cx.top_down(e, &mut |cx, e| match &**e {
        Node::Guard(..) | Node::Select(..) => decide(cx, e),
        _ => Ok(None),
    })
}

/// `k` kept between `lo` and `hi`, without the bounds that are proved.
fn within(cx: &mut Cx<'_>, k: &Ix, lo: &Ix, hi: &Ix) -> Ix {
    let raised =
        if cx.proves(&Pred::le(lo.clone(), k.clone())) { k.clone() } else { Ix::max(lo.clone(), k.clone()) };
    if cx.proves(&Pred::le(raised.clone(), hi.clone())) { raised } else { Ix::min(raised, hi.clone()) }
}

/// From where, and up to where, the guards below this loop hold in every inner iteration.
fn cuts(cx: &mut Cx<'_>, e: &Expr) -> atl_kernel::Result<(Option<Ix>, Option<Ix>)> {
    let Node::Gen(_, n, _) = &**e else { return Ok((None, None)) };
    let level = cx.ctx.level();
    let (inner, body) = enter(&cx.ctx, e, Child::Body, cx.prover)?;
    let mut atoms = Vec::new();
    let mut inside = Cx::new(Arc::new(inner), cx.prover);
    collect(&mut inside, &body, &mut Vec::new(), level, &mut atoms)?;
    let (mut low, mut high): (Option<Ix>, Option<Ix>) = (None, None);
    for difference in atoms {
        // c*i + r >= 0 is what the guard needs.
        let Some((c, r)) = linear(&difference, level) else { continue };
        if cx.proves(&Pred::lt(Ix::ZERO, c.clone())) {
            let from = atl_arith::simplify(&cx.ctx, &Ix::ceil_div(Ix::ZERO - r, c));
            if !cx.proves(&Pred::le(from.clone(), Ix::ZERO)) {
                low = Some(match low {
                    Some(l) if cx.proves(&Pred::le(from.clone(), l.clone())) => l,
                    Some(l) if !cx.proves(&Pred::le(l.clone(), from.clone())) => Ix::max(l, from),
                    _ => from,
                });
            }
        } else if cx.proves(&Pred::lt(c.clone(), Ix::ZERO)) {
            let to = atl_arith::simplify(&cx.ctx, &(r / (Ix::ZERO - c) + Ix::ONE));
            if !cx.proves(&Pred::le(n.clone(), to.clone())) {
                high = Some(match high {
                    Some(h) if cx.proves(&Pred::le(h.clone(), to.clone())) => h,
                    Some(h) if !cx.proves(&Pred::le(to.clone(), h.clone())) => Ix::min(h, to),
                    _ => to,
                });
            }
        }
    }
    Ok((low, high))
}

/// The differences that the guards below need to be nonnegative, at their least over the inner loops, where
/// they depend on the index at `level`.
fn collect(
    cx: &mut Cx<'_>,
    e: &Expr,
    loops: &mut Vec<(u32, Ix)>,
    level: u32,
    out: &mut Vec<Ix>,
) -> atl_kernel::Result<()> {
    if let Node::Guard(p, _) | Node::Select(p, ..) = &**e {
        let mut differences = Vec::new();
        atoms(p, &mut differences);
        for d in differences {
            if cx.proves(&Pred::le(Ix::ZERO, d.clone())) {
                continue;
            }
            match extreme(cx, &d, loops, End::Low) {
                Some(least) if least.mentions(level) && !out.contains(&least) => out.push(least),
                _ => {}
            }
        }
    }
    for at in e.children() {
        let (inner, child) = enter(&cx.ctx, e, at, cx.prover)?;
        let depth = loops.len();
        if let (Node::Gen(_, n, _) | Node::Sum(_, n, _), Child::Body) = (&**e, at) {
            loops.push((cx.ctx.level(), n.clone()));
        }
        collect(&mut Cx::new(Arc::new(inner), cx.prover), &child, loops, level, out)?;
        loops.truncate(depth);
    }
    Ok(())
}

/// The inequalities `0 <= d` of a conjunction.
fn atoms(p: &Pred, out: &mut Vec<Ix>) {
    match p {
        Pred::And(ab) => {
            atoms(&ab.0, out);
            atoms(&ab.1, out);
        }
        Pred::Cmp(Cmp::Le, a, b) => out.push(b.clone() - a.clone()),
        Pred::Cmp(Cmp::Lt, a, b) => out.push(b.clone() - a.clone() - Ix::ONE),
        _ => {}
    }
}
