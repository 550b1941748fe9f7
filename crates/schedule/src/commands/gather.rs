//! `gather L as i`: each element of a result searches for its terms, instead of scattering terms to their
//! elements.
//!
//! **Statement.**
//! `sum p < n { one_hot(m, c(p), e(p)) } = gen i < m { sum p < n @search { [i == c(p)] * e(p) } }`.
//! **Requires.** Zero is neutral: the terms of an element are added in the same order.
//! **Fails when.** The terms of the sum `L` do not each scatter to one index, or these indices may decrease:
//! then each element would be compared with every term.
//! **Example.** `sparsify; gather pA1 as i` in the product of a `coo` matrix and a vector: the entries of a
//! row are adjacent, so each row accumulates in a register and is stored once. Rows can then be split and run
//! on several threads.
//! **See also.** `sparsify`, which scatters; `@search`.

use crate::args::Args;
use crate::command::Command;
use crate::names::fresh_name;
use crate::nest::{Sort, subterm};
use crate::refusal::{Refusal, wrong_arguments};
use atl_diag::{Span, err};
use atl_kernel::{Child, Expr, Label, LoopKind, Node, Result as Kernel, Rule, Thm};
use atl_rules::Cx;
use atl_rules::rules::interchange::interchange;
use atl_rules::sparse::searches::mark_run;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "gather",
    usage: "gather L as i",
    equation: "sum p<n. one_hot(m, c(p), e(p))  =  gen i<m. sum p<n. [i == c(p)] * e(p)",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["as"])?;
        let places = session.loops(&args.one_loop()?)?;
        if places.iter().any(|place| place.sort != Sort::Sum) {
            return Err(wrong_arguments(step.span, COMMAND.usage));
        }
        if !places.iter().any(|place| subterm(&session.body, &place.path).is_some_and(is_scattered)) {
            return Err(refusal(step.span, Misfit::NotScattered));
        }
        // What stands for a row before `sparsify` may have the name that is meant for it afterwards.
        let name = fresh_name(session, args.clause_arg("as")?, COMMAND.usage)?;
        let mut misfit = None;
        let thm = session.convert(step.span, &places, &mut |cx, e| {
            let found = gather(cx, e, &name)?;
            found.or_else(|why| {
                misfit = Some(why);
                cx.refl(e)
            })
        })?;
        misfit.map_or(Ok(thm), |why| Err(refusal(step.span, why)))
    },
};

/// Why a sum cannot be gathered.
enum Misfit {
    /// Its terms are not put at one place each.
    NotScattered,
    /// The places may fall.
    OutOfOrder,
}

/// The theorem for the sum at hand.
fn gather(cx: &mut Cx<'_>, e: &Expr, name: &Arc<str>) -> Kernel<Result<Thm, Misfit>> {
    if !is_scattered(e) {
        return Ok(Err(Misfit::NotScattered));
    }
    let unfolded = cx.inside(e, Child::Body, |cx, e| cx.rule(Rule::Unfold, e))?;
    let gathered = cx.then(unfolded, interchange)?;
    let Node::Gen(label, n, body) = &**gathered.rhs() else { return Ok(Err(Misfit::NotScattered)) };
    let label = Label { name: name.clone(), kind: LoopKind::Serial, ..label.clone() };
    let named: Expr = Arc::new(Node::Gen(label, n.clone(), body.clone()));
    let gathered = cx.then(gathered, |cx, e| cx.relabel(e, &named))?;
    let mut in_order = false;
    let marked = cx.then(gathered, |cx, e| {
        let marked = cx.child(e, Child::Body, mark_run)?;
        in_order = marked.is_some();
        Ok(marked)
    })?;
    Ok(if in_order { Ok(marked) } else { Err(Misfit::OutOfOrder) })
}

/// Is it a sum of terms that are put at places?
fn is_scattered(e: &Expr) -> bool {
    let Node::Sum(_, _, body) = &**e else { return false };
    matches!(&**body, Node::Op(definition, ..) if definition.name == "one_hot")
}

fn refusal(span: Span, why: Misfit) -> Refusal {
    Box::new(match why {
        Misfit::NotScattered => err!(E0374, span, "the terms of this loop do not scatter to one index each")
            .label("nothing to gather")
            .help("`gather` applies to sums of `one_hot(n, c, e)`, which put each term at one index; of a sum of `[i == c] * e` below `gen i` each element finds its terms already")
            .help("where an operand has a format that stores a row with each entry, put `sparsify` first, which makes such sums"),
        Misfit::OutOfOrder => err!(E0374, span, "the indices to which these terms scatter may decrease")
            .label("each element would be compared with every term")
            .note("the coordinates of a format's first level never decrease, such as the rows of `coo` and `csr`; others may")
            .help("if the program has the array of indices as a parameter, say after the result's type that it never falls, and each call checks it: `where all p < K - 1 { at[p] <= at[p + 1] }` for `at: i64[K]`")
            .help("if the indices are a format's, `gather` along its first level: sort the operand by it, as `csr` for rows or `csc` for columns; or remove the step, and the terms are scattered"),
    })
}
