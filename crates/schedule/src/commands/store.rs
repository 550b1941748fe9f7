//! `store X in heap`, `store X in stack`, `store X in register`, `store X in shared`, `store X in tracked`:
//! where a `let`'s tensor is stored; `store X at L`: for how long.
//!
//! **Statement.** The same term; the `let` is annotated. `store X at L` is the equation of `hoist X at L`:
//! the tensor lives during one iteration of `L`, with an entry for each iteration of the loops between;
//! `store X[j, i] at L` states the order of these dimensions. A `let` is allocated where it is computed, so
//! it is computed for those iterations before it is read.
//! **Requires.** To be lowered: for `stack`, `register` and `shared`, constant extents. `shared` is the
//! memory that the threads of a device's block share; other back ends use the stack. With a swizzle,
//! `store X in shared by swizzle(B, M, S)` for `Sw<B,M,S>`, cell number `c`, after any `relayout`, is stored
//! at `c` with its `B` bits from bit `M` on xored with those `S` places above: so a row and a column can use
//! different banks without padding. On a device, a tensor `in register` or `in stack` outside all loops over
//! threads is distributed over the threads, if each touches cells of its own. A tile in `register` becomes
//! one C variable for each vector, if all loops over its cells, also those that read it, are annotated:
//! `unroll`, and the innermost `vectorize .. by` a divisor of its extent. `tracked` is heap memory with a
//! record of the cells that were stored: if each iteration of a loop starts with zeros, only those cells are
//! reset. Use it for a tensor of which each iteration fills a few cells, by sums over stored entries.
//! **Fails when.** There is no `let X`, the place is unknown, or the swizzle is invalid; for `at L`, where
//! `hoist` fails.
//! **Example.** `store acc in register`; `compute bx at y; store bx at y.o` allocates the windows of a tile's
//! rows at once.
//! **See also.** `compute`, which says where it is produced; `hoist`.

use crate::annotate::{relabel, request};
use crate::args::Args;
use crate::command::Command;
use crate::commands::hoist::{body_around, lift_in_order};
use crate::dimensions::Dimensions;
use crate::old_names::TOUCHED;
use crate::refusal::{Refusal, wrong_arguments};
use atl_annotations::{Annotation, Mark, Role, Swizzle};
use atl_diag::{Span, err};
use atl_kernel::Storage;
use atl_syntax::ast::{Argument, Expr, ExprKind, Step, UnaryOp};

/// See the module.
pub static COMMAND: Command = Command {
    name: "store",
    usage: "store X in heap|stack|register|shared|tracked | store X in shared by swizzle(B, M, S) | store X[i, ..] at L",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["in", "by", "at"])?;
        if step.clause("at").is_some() {
            if let Some(both) = step.clause("in").or(step.clause("by")) {
                return Err(wrong_arguments(both.span, COMMAND.usage));
            }
            let [arg] = step.args.as_slice() else { return Err(wrong_arguments(step.span, COMMAND.usage)) };
            let (tensor, order) = Dimensions::of(arg, COMMAND.usage)?;
            let Some(name) = tensor.as_name() else { return Err(wrong_arguments(arg.span, COMMAND.usage)) };
            let home = session.one_let(&name.text, tensor.span)?;
            let inside = body_around(session, &home, args.clause_arg("at")?, COMMAND.usage)?;
            return lift_in_order(session, step.span, &home, &inside, order.as_ref());
        }
        let (name, span) = args.one_name()?;
        let places = session.lets(&name, span)?;
        let arg = args.clause_arg("in")?;
        let place = arg.as_name().map(|n| n.text);
        // What is recorded of it, and whose stack it is, an annotation says.
        let (storage, annotation) = match place.as_deref() {
            Some("heap") => (Storage::Heap, None),
            Some(place) if [TOUCHED.0, TOUCHED.1].contains(&place) => {
                (Storage::Heap, Some(Annotation::Tracked))
            }
            Some("stack") => (Storage::Stack, None),
            Some("shared") => (Storage::Stack, Some(Annotation::Shared(swizzle(step)?))),
            Some("register") => (Storage::Register, None),
            _ => {
                return Err(Box::new(
                    err!(E0320, arg.span, "unknown place to store `{name}`")
                        .label("not a place")
                        .help("write `heap`, `stack`, `register`, `shared` or `tracked`"),
                ));
            }
        };
        if let Some(clause) = step.clause("by").filter(|_| place.as_deref() != Some("shared")) {
            return Err(wrong_arguments(clause.span, COMMAND.usage));
        }
        let request = annotation.map(|annotation| request(session, step, annotation));
        relabel(session, step.span, &places, &mut |l, table| {
            l.storage = storage;
            l.tag = table.without(l.tag, |one| matches!(one, Annotation::Tracked | Annotation::Shared(_)));
            if let Some(request) = request {
                l.tag = table.with(l.tag, Mark { request, role: Role::Itself });
            }
        })
    },
};

/// Where the cells lie of what a block's threads share.
fn swizzle(step: &Step) -> Result<Swizzle, Refusal> {
    let Some(clause) = step.clause("by") else { return Ok(Swizzle::IDENTITY) };
    let refused = || wrong_arguments(clause.span, COMMAND.usage);
    let [by] = clause.args.as_slice() else { return Err(refused()) };
    let [bits, base, shift] = numbers(by).ok_or_else(refused)?;
    atl_layout::swizzle(bits, base, shift).map_err(|why| no_swizzle(by.span, &why))
}

/// The numbers of `swizzle(B, M, S)`.
fn numbers(arg: &Argument) -> Option<[i64; 3]> {
    let ExprKind::Call { callee, args } = &arg.value.kind else { return None };
    let number = |e: &Expr| match &e.kind {
        ExprKind::Int(n) => i64::try_from(*n).ok(),
        ExprKind::Unary(UnaryOp::Neg, e) => match e.kind {
            ExprKind::Int(n) => i64::try_from(n).ok().map(|n| -n),
            _ => None,
        },
        _ => None,
    };
    match args.as_slice() {
        [bits, base, shift] if arg.name.is_none() && callee.text == "swizzle" => {
            Some([number(bits)?, number(base)?, number(shift)?])
        }
        _ => None,
    }
}

fn no_swizzle(span: Span, why: &atl_layout::Refusal) -> Refusal {
    let refusal = err!(E0320, span, "{}", why.message).label("in this");
    let refusal = why.notes.iter().fold(refusal, |refusal, note| refusal.note(note.clone()));
    Box::new(refusal.help("a tile of 32 rows of 32 has `swizzle(5, 0, 5)`: the column is xored with the row"))
}
