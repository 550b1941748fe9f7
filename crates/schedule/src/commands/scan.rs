//! `scan L`, `scan L as X`: sums that grow by a term with the index of loop `L` are one loop over the sum
//! so far.
//!
//! **Statement.** `gen i < n { sum j < i + 1 { f(j) } } = iterate i < n from x = 0, y = zeros { x + f(i), y
//! with x at i } in y`: each round adds one term, and stores what it has. `sum j < i` stores what it had.
//! The sum may be of another algebra, such as a `max`; of rows, `gen i < n, c < m { sum j < i + 1 { .. }
//! }`; or a part of what the loop computes, which is bound first: `gen i { e(sum j < i + 1 { f(j) }) } =
//! let y = gen i { sum .. }; gen i { e(y[i]) }`. `X` names the sum so far.
//! **Requires.** No law: the additions are the same, in the same order, so every bit is.
//! **Fails when.** No sum in the loop has the extent `i` or `i + 1` and terms that do not depend on `i`.
//! **Example.** `scan i` of `gen i < N { sum j < i + 1 { x[j] } }`: `N` additions instead of `N * (N + 1) /
//! 2`.
//! **See also.** `stage`, which names a part of a loop; the rules `scan_of_sums` and `sum_as_iterate`.

use crate::accumulate::accumulate;
use crate::args::Args;
use crate::command::Command;
use crate::lift::Lift;
use crate::names::{fresh_name, unused_name};
use atl_diag::err;
use atl_kernel::{Child, Error, Expr, Ix, Node, Result as Kernel, Thm};
use atl_rules::Cx;
use atl_rules::occurrences::mentions;
use atl_rules::rules::scan_of_sums::scan_of_sums;

/// See the module.
pub static COMMAND: Command = Command {
    name: "scan",
    usage: "scan L [as X]",
    equation: "gen i<n. sum j<i+1. f(j)  =  iterate i<n from x = 0, y { x + f(i), y with x at i } in y",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["as"])?;
        let target = args.one_loop()?;
        let so_far = match step.clause("as") {
            Some(_) => fresh_name(session, args.clause_arg("as")?, COMMAND.usage)?,
            None => unused_name(session, "total"),
        };
        let all = unused_name(session, &format!("{so_far}s"));
        let mut places = session.loops(&target)?;
        places.reverse();
        let mut nothing = false;
        let thm = session.convert(step.span, &places, &mut |cx, e| {
            let scanned = scan(cx, e, [&so_far, &all])?;
            nothing |= scanned.is_none();
            cx.total(e, scanned)
        })?;
        if nothing {
            return Err(Box::new(
                err!(E0377, target.name.span, "no sum grows with loop `{}`", target.name.text)
                    .label("each of its iterations computes something else")
                    .note(format!(
                        "what is added up in one iteration must be what the one before added up, and one term: `sum j < {0} + 1` or \
                         `sum j < {0}` of terms without `{0}`",
                        target.name.text
                    ))
                    .help("a condition that ends the sum, `[j <= i]`, is its extent instead: `sum j < i + 1`"),
            ));
        }
        Ok(thm)
    },
};

/// The theorem for the loop at hand; nothing where no sum grows with it.
fn scan(cx: &mut Cx<'_>, e: &Expr, names: [&str; 2]) -> Kernel<Option<Thm>> {
    match scan_of_sums(cx, e, names) {
        Err(Error::NoMatch { .. }) => {}
        done => return done.map(Some),
    }
    let level = cx.ctx.level();
    let (mut inside, body) = cx.enter(e, Child::Body)?;
    if !matches!(**e, Node::Gen(..)) {
        return Ok(None);
    }
    let Some(below) = growing(&mut inside, &body, &[level]) else { return Ok(None) };
    let way: Vec<Child> = std::iter::once(Child::Body).chain(below).collect();
    let bound = cx.at(e, &way, &mut |cx, e| accumulate(cx, e, names[1]).map(Some))?;
    let bound = cx.total(e, bound)?;
    let outside = cx.then(bound, |cx, e| Lift::new(cx, e, &way)?.prove(cx, e))?;
    cx.then(outside, |cx, e| cx.child(e, Child::Bound, |cx, e| scan_of_sums(cx, e, names))).map(Some)
}

/// The way to the first sum whose extent is the index at the first of these levels, or one more, of terms
/// that depend on none of them. The others are of what is bound on the way: the sums so far would be outside.
fn growing(cx: &mut Cx<'_>, e: &Expr, levels: &[u32]) -> Option<Vec<Child>> {
    let index = Ix::free(*levels.first()?);
    if let Node::Sum(_, extent, terms) = &**e
        && (cx.equal(extent, &index) || cx.equal(extent, &(index + Ix::ONE)))
        && !levels.iter().any(|level| mentions(terms, *level))
    {
        return Some(Vec::new());
    }
    e.children().find_map(|at| {
        let own = cx.ctx.level();
        let values = if matches!(**e, Node::Let(..) | Node::Iterate(_)) { e.binds(at) } else { 0 };
        let levels: Vec<u32> = levels.iter().copied().chain(own..own + values).collect();
        let (mut inside, child) = cx.enter(e, at).ok()?;
        let below = growing(&mut inside, &child, &levels)?;
        Some(std::iter::once(at).chain(below).collect())
    })
}
