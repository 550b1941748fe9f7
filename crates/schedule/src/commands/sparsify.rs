//! `sparsify A, ..`: loops over the stored positions of sparse operands, instead of loops over all indices.
//!
//! **Statement.** `let A = sum p { one_hot(M, crd[p], val[p]) }; gen i { sum j { A[j] * e(i, j) } }` is
//! `gen i { sum p { val[p] * e(i, crd[p]) } }`, and likewise for every loop nest, rank and format; a `gen`
//! over a sparse dimension becomes a sum of `one_hot`s, which is a scatter.
//! **Requires.** 0 annihilates, and sums may be interchanged: `rounding real`.
//! **Fails when.** `A` is not sparse; or is read in a condition or an index, which is evaluated at every
//! element; or two operands share an index and neither can be searched: then leave one of them out, so that
//! it remains a dense workspace.
//! **Intersections.** The first operand drives: a loop iterates over its positions and searches for each
//! coordinate in the other operands. This needs coordinates that increase:
//! `sum q @search { [crd[q] == c] * .. }`. If all increase, their lengths at run time decide whether all
//! advance together, or the longer ones are searched. `by search` always iterates over the first one, and
//! `by merge` advances all; `by workspace` copies the others to dense workspaces, and `by scan` compares all pairs.
//! Without `by`, an operand that cannot be searched drives, or is copied to a workspace. Summands of a result
//! in a format are merged if their coordinates increase; `by merge` refuses other summands, and
//! `by workspace` accumulates them in a workspace. The last step with `by` determines how summands and
//! intersections are lowered. A search is hoisted out of loops on which it does not depend, so a row without
//! a partner is skipped. A long sum on which no position depends goes inside the loops over positions. An
//! operand that would become a workspace is tried once more after the searches for the others, as a second
//! `sparsify` would: three operands that intersect in pairs, as in triangles, need no workspace. Without
//! names `sparsify` takes every sparse `let` that it can, in order. A vector or a number that the program
//! itself computes in a `let` stays one, because it would be recomputed for every entry that reads it. Each
//! use of an operand is a separate operand, in the order in which the uses are written; the loops of the
//! second use have `_2` after their names.
//! **Example.** `sparsify;` of `gen i < N { sum j < M { A[i, j] * x[j] } }`, `A` compressed by rows, gives
//! `gen i < N { sum p < A2_pos[i + 1] - A2_pos[i] { A_vals[..] * x[A2_crd[..]] } }`.
//! **See also.** `inline`, whose second half it is; `reorder`, `parallel` for the loops it makes.

use crate::annotate::request;
use crate::args::Args;
use crate::command::Command;
use crate::duplicate_let::split_uses;
use crate::nest::{Place, binders, subterm};
use crate::operand_order::{all, is_sparse, join, operand};
use crate::refusal::{Refusal, RefusedAt, wrong_arguments};
use crate::session::Session;
use atl_annotations::{Annotation, Coiteration as Way};
use atl_diag::{Span, err};
use atl_kernel::{Expr, Node, Thm};
use atl_rules::lets::is_read_by_name;
use atl_rules::sparse::searches::{
    conditions_before_positions, has_search_without_equation, hoist_searches, mark_runs, mark_searches,
};
use atl_rules::sparse::{meets, scatter_discordant_loops, sparsify};
use atl_rules::{Cx, Step as Conversion};
use atl_syntax::ast::Step;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "sparsify",
    usage: "sparsify [X, ..] [by search | merge | workspace | scan]",
    equation: "let A = sum p. one_hot(M, crd[p], val[p]); sum j. A[j] * e(j)  =  sum p. val[p] * e(crd[p])",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["by"])?;
        let way = way(&args)?;
        request(session, step, Annotation::Sparsify(way));
        let (done, finished) = match step.args.is_empty() {
            true => all(session, step, way)?,
            false => (named(session, step)?, None),
        };
        let body = session.body.clone();
        let done = session.cx.total(&body, done).refused_at(step.span)?;
        let done = match finished.filter(|finished| finished.lhs() == done.rhs()) {
            Some(finished) => done.trans(finished),
            None => session.cx.then(done, |cx, e| compared(cx, e, way)),
        };
        let done = done.refused_at(step.span)?;
        match step.args.last().and_then(|arg| arg.as_name().zip(Some(arg.span))) {
            Some((name, span)) if has_quadratic_scan(done.rhs(), way) => {
                Err(quadratic_scan_error(&name.text, span))
            }
            _ => Ok(done),
        }
    },
};

/// What `by` says.
fn way(args: &Args<'_>) -> Result<Option<Way>, Refusal> {
    if args.step.clause("by").is_none() {
        return Ok(None);
    }
    let arg = args.clause_arg("by")?;
    let way = match arg.as_name().as_ref().map(|name| name.text.as_str()) {
        Some("search") => Some(Way::Search),
        Some("merge") => Some(Way::Merge),
        Some("workspace") => Some(Way::Workspace),
        Some("scan") => Some(Way::Scan),
        _ => None,
    };
    match way {
        Some(way) => Ok(Some(way)),
        None => Err(wrong_arguments(arg.span, COMMAND.usage)),
    }
}

/// What is left of operands is carried out, and searches are marked.
pub(crate) fn compared(cx: &mut Cx<'_>, e: &Expr, way: Option<Way>) -> Conversion {
    let by_positions = |cx: &mut Cx<'_>, e: &Expr| cx.sequence(e, sparsify, scatter_discordant_loops);
    match way {
        Some(Way::Scan) => cx.sequence(e, sparsify, conditions_before_positions),
        Some(Way::Workspace) => by_positions(cx, e),
        None | Some(Way::Search | Way::Merge) => {
            let marks = |cx: &mut Cx<'_>, e: &Expr| cx.sequence(e, mark_searches, mark_runs);
            let outside =
                |cx: &mut Cx<'_>, e: &Expr| cx.sequence(e, conditions_before_positions, hoist_searches);
            cx.sequence(e, by_positions, |cx, e| cx.sequence(e, marks, outside))
        }
    }
}

/// Does the term compare every coordinate of one operand with every coordinate of another, without `by scan`?
pub(crate) fn has_quadratic_scan(e: &Expr, way: Option<Way>) -> bool {
    way != Some(Way::Scan) && (meets(e) || has_search_without_equation(e))
}

/// Those that are named, each of which must be sparse.
fn named(session: &mut Session<'_>, step: &Step) -> Result<Option<Thm>, Refusal> {
    let mut done: Option<Thm> = None;
    for arg in &step.args {
        let Some(name) = arg.as_name() else {
            return Err(wrong_arguments(arg.span, COMMAND.usage));
        };
        for place in session.lets(&name.text, arg.span)?.into_iter().rev() {
            let apart = split_uses(session, arg.span, &place)?;
            let uses = apart.as_ref().map_or(1, |(uses, _)| *uses);
            if let Some((_, thm)) = apart {
                session.body = thm.rhs().clone();
                done = join(done, thm, step.span)?;
            }
            // Each is carried out where it stands, and the next one takes its place.
            for _ in 0..uses {
                let thm = operand(session, arg.span, &place)?;
                let Some(thm) = thm else { return Err(not_taken(session, &place, arg.span)) };
                session.body = thm.rhs().clone();
                done = join(done, thm, step.span)?;
            }
        }
    }
    Ok(done)
}

pub(crate) fn nothing_to_sparsify(session: &Session<'_>, kept: &[Arc<str>], span: Span) -> Refusal {
    let is_second = is_second(session);
    let [first, ..] = kept else {
        let nothing = err!(E0370, span, "no operand here is sparse").label("nothing to do");
        return Box::new(nothing.help(match is_second {
            true => "an earlier `sparsify` handled every sparse operand: remove this step",
            false => "declare a format for a parameter: `A: f64[N, M] as csr`",
        }));
    };
    if is_second {
        let nothing = err!(E0370, span, "no other operand can be iterated over by its stored positions");
        let nothing = nothing.label(format!("`{first}` is copied to a dense workspace"));
        return Box::new(
            nothing.help("an earlier `sparsify` handled every operand that it can: remove this step"),
        );
    }
    if let Some(name) = by_name(session, kept) {
        return read_by_name(&name, span);
    }
    Box::new(
        err!(E0370, span, "no operand can be iterated over by its stored positions")
            .label(format!("each index would be compared with every coordinate of `{first}`"))
            .help("remove `sparsify`: the kernel then computes every element, and a result in a format stores the nonzero ones")
            .help("or choose a format whose coordinates increase, or a result with the operand's order of dimensions")
            .help("for a format of blocks, split the loops by their sides first: for `bcsr(4, 8)`, `split i by 4; split j by 8; sparsify`"),
    )
}

/// Has an earlier step taken operands?
pub(crate) fn is_second(session: &Session<'_>) -> bool {
    session.trace.iter().any(|applied| applied.command == COMMAND.name)
}

/// The first of these that is read in a condition or an index.
pub(crate) fn by_name(session: &Session<'_>, kept: &[Arc<str>]) -> Option<Arc<str>> {
    let is_it = |place: &Place| match subterm(&session.body, &place.path).map(|e| &**e) {
        Some(Node::Let(_, _, body)) => kept.contains(&place.label.name) && is_read_by_name(body),
        _ => false,
    };
    binders(&session.body).into_iter().find(is_it).map(|place| place.label.name)
}

/// Why this `let` is not taken.
fn not_taken(session: &Session<'_>, place: &Place, span: Span) -> Refusal {
    match is_sparse(&session.body, place) {
        true => read_by_name(&place.label.name, span),
        false => not_sparse(&place.label.name, span),
    }
}

/// The refusal of a `let` that is read in a condition or an index.
pub(super) fn read_by_name(name: &str, span: Span) -> Refusal {
    Box::new(
        err!(E0376, span, "`{name}` is read in a condition or an index, where a term cannot replace it")
            .label(format!("a condition or an index reads `{name}` by its name"))
            .help("for an operand with a format, multiply by its elements instead, since missing elements are zero; or let another sparse operand drive, as in `sparsify A`"),
    )
}

fn not_sparse(name: &str, span: Span) -> Refusal {
    Box::new(
        err!(E0370, span, "`{name}` is not sparse")
            .label("no array holds the coordinates of its elements")
            .help("declare a format for a parameter: `A: f64[N, M] as csr`"),
    )
}

pub(crate) fn quadratic_scan_error(name: &str, span: Span) -> Refusal {
    Box::new(
        err!(E0371, span, "`{name}` shares an index with another sparse operand, and neither can be searched")
            .label("every coordinate of one would be compared with every coordinate of the other")
            .help("write `sparsify` without names and without `by`: it picks one operand to iterate over, and copies operands that cannot be searched to a dense workspace")
            .help("or leave this operand out, and it alone becomes a workspace; or change the order, so that the last operand has increasing coordinates in each segment"),
    )
}
