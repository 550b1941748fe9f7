//! `sparsify A, ..`: loops over the stored positions of sparse operands, in place of loops over all indices.
//!
//! **Statement.** `let A = sum p { one_hot(M, crd[p], val[p]) }; gen i { sum j { A[j] * e(i, j) } }` is
//! `gen i { sum p { val[p] * e(i, crd[p]) } }`, and so for every nest of loops, every number of dimensions and every format; a `gen`
//! over a sparse dimension becomes a sum of `one_hot`s, which is a scatter.
//! **Requires.** That 0 annihilates, and that sums change places: `rounding real`.
//! **Fails when.** `A` is not sparse, or two operands meet at an index: then one of them is to stay as it is, a dense workspace.
//! Without names every sparse `let` is taken that can be, in order.
//! **Example.** `sparsify;` of `gen i < N { sum j < M { A[i, j] * x[j] } }`, `A` compressed by rows, gives
//! `gen i < N { sum p < A2_pos[i + 1] - A2_pos[i] { A_vals[..] * x[A2_crd[..]] } }`.
//! **See also.** `inline`, whose second half it is; `reorder`, `parallel` for the loops it makes.

use crate::args::Args;
use crate::command::Command;
use crate::nest::{Place, Sort, binders, subterm};
use crate::script::small_enough;
use crate::session::{Refusal, Session, refused, wrong_arguments};
use crate::size::inlined;
use atl_diag::{Span, err};
use atl_kernel::{Expr, Node, Rule, Thm};
use atl_rules::sparse::{is_placed, meets, sparsify};
use atl_syntax::ast::Step;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "sparsify",
    usage: "sparsify [X, ..]",
    equation: "let A = sum p. one_hot(M, crd[p], val[p]); sum j. A[j] * e(j)  =  sum p. val[p] * e(crd[p])",
    run: |session, step| {
        Args::new(step, COMMAND.usage, &[])?;
        if step.args.is_empty() { all(session, step) } else { named(session, step) }
    },
};

/// Those that are named, each of which must be sparse and leave no meeting behind.
fn named(session: &mut Session<'_>, step: &Step) -> Result<Thm, Refusal> {
    let mut done: Option<Thm> = None;
    for arg in &step.args {
        let Some(name) = arg.as_name() else {
            return Err(wrong_arguments(arg.span, COMMAND.usage));
        };
        for place in session.lets(&name.text, arg.span)?.into_iter().rev() {
            let thm = operand(session, arg.span, &place)?;
            let Some(thm) = thm else { return Err(not_sparse(&name.text, arg.span)) };
            if meets(thm.rhs()) {
                return Err(meeting(&name.text, arg.span));
            }
            session.body = thm.rhs().clone();
            done = atl_rules::join(done, Some(thm)).map_err(|e| refused(step.span, &e))?;
        }
    }
    let body = session.body.clone();
    session.cx.total(&body, done).map_err(|e| refused(step.span, &e))
}

/// Every sparse `let` that leaves no meeting behind, in order.
fn all(session: &mut Session<'_>, step: &Step) -> Result<Thm, Refusal> {
    let mut done: Option<Thm> = None;
    let mut kept: Vec<Arc<str>> = Vec::new();
    let next = |body: &Expr, kept: &[Arc<str>]| {
        let wanted = |place: &Place| place.sort == Sort::Let && !kept.contains(&place.label.name);
        binders(body).into_iter().find(|place| wanted(place) && is_sparse(body, place))
    };
    while let Some(place) = next(&session.body, &kept) {
        match operand(session, step.span, &place)? {
            Some(thm) if !meets(thm.rhs()) => {
                session.body = thm.rhs().clone();
                done = atl_rules::join(done, Some(thm)).map_err(|e| refused(step.span, &e))?;
            }
            _ => kept.push(place.label.name),
        }
    }
    done.ok_or_else(|| {
        Box::new(
            err!(E0370, step.span, "no operand here is sparse, or none can be read by its positions")
                .label("nothing to do")
                .help("a parameter's format makes it sparse: `A: f64[N, M] as csr`"),
        )
    })
}

/// Does this `let` bind what elements of arrays place?
fn is_sparse(body: &Expr, place: &Place) -> bool {
    match subterm(body, &place.path).map(|e| &**e) {
        Some(Node::Let(_, bound, _)) => is_placed(bound),
        _ => false,
    }
}

/// The theorem for one operand; none where it is not sparse.
fn operand(session: &mut Session<'_>, span: Span, place: &Place) -> Result<Option<Thm>, Refusal> {
    if !is_sparse(&session.body, place) {
        return Ok(None);
    }
    if let Some(Node::Let(_, bound, body)) = subterm(&session.body, &place.path).map(|e| &**e) {
        small_enough(span, inlined(bound, body))?;
    }
    session
        .convert(span, std::slice::from_ref(place), &mut |cx, e| {
            let inline = cx.rule(Rule::LetInline, e)?;
            cx.then(inline, sparsify)
        })
        .map(Some)
}

fn not_sparse(name: &str, span: Span) -> Refusal {
    Box::new(
        err!(E0370, span, "`{name}` is not sparse")
            .label("no array says where its elements stand")
            .help("a parameter's format makes it sparse: `A: f64[N, M] as csr`"),
    )
}

fn meeting(name: &str, span: Span) -> Refusal {
    Box::new(
        err!(E0371, span, "`{name}` meets another sparse operand at an index")
            .label("its coordinates would be compared with all of the other's")
            .help("leave one of the two out: it is then put into a dense workspace, which is read by index"),
    )
}
