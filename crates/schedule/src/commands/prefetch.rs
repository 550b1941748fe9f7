//! `prefetch X at L, .. by k`: load into the cache what a later iteration reads;
//! `prefetch X at L, .. by k in M`: in parts.
//!
//! At the start of each iteration of `L`, the kernel prefetches the elements of the input `X` that the
//! iteration `k` later reads, if there is one: one address for each cache line, where elements are
//! contiguous. Several loops, each nested in the one before, count as one loop: after the last iteration of
//! an inner loop comes the first of its next run. With `in M`, for a loop inside `L`, each iteration of `M`
//! prefetches what the same iteration of `M` reads `k` iterations of `L` later. In a loop that searches for a
//! run of entries, as `gather` makes for `coo`, the entries of the run are the iterations; only arrays with
//! one element per entry can be prefetched there. Processors prefetch sequential reads by themselves; this
//! directive is for irregular reads, and for many short runs.
//! **Statement.** The same term: annotation only, the value is unchanged.
//! **Requires.** `X` is an input that the innermost named loop reads. The annotation follows loops that later
//! steps rename or split; the iterations of a split loop are those of its parts; a vector loop has none of
//! its own. The extent of an inner loop does not depend on an outer one.
//! **Fails when.** There is no such loop or input, `X` is not read there, a loop is not inside the one
//! before, or `k` is not within 1 to 65536.
//! **Example.** `prefetch u at e by 1 in slice` loads the next element's data slice by slice, while an
//! element is computed.
//! **See also.** `prefetch_result`, `stream`, `pack`.

use crate::annotate::annotate;
use crate::args::Args;
use crate::command::Command;
use crate::commands::repack;
use crate::commands::stage::resolve;
use crate::nest::{Place, subterm};
use crate::refusal::{Refusal, wrong_arguments};
use atl_annotations::{Annotation, Role};
use atl_diag::{Span, err};
use atl_rules::occurrences::mentions;
use atl_syntax::ast::{Argument, LoopRef};

/// See the module.
pub static COMMAND: Command = Command {
    name: "prefetch",
    usage: "prefetch X at L, .. by k [in M]",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at", "by", "in"])?;
        let (name, span) = args.one_name()?;
        let by = args.clause_arg("by")?;
        let distance = by.as_int().filter(|k| (1..=MAX_DISTANCE).contains(k));
        let Some(distance) = distance.and_then(|k| u32::try_from(k).ok()) else {
            return Err(misplaced(
                by.span,
                "the distance is not a number of iterations",
                "not within 1 to 65536",
            ));
        };
        let input = resolve(session, &name, span)?;
        if input.home.is_some() || repack::makes(session, &name) {
            return Err(misplaced(span, &format!("`{name}` is computed here"), "no input"));
        }
        let ahead = &args.clause("at")?.args;
        let each = step.clause("in").map_or(&[][..], |clause| &clause.args);
        let loops = ahead.iter().chain(each);
        let mut meant: Vec<Place> = Vec::new();
        let mut roles: Vec<(Role, Vec<Place>)> = Vec::new();
        for (k, arg) in loops.enumerate() {
            let found = session.loops(&loop_of(arg)?)?.into_iter();
            let is_inside =
                |inner: &Place| k == 0 || meant.iter().any(|outer| inner.path.starts_with(&outer.path));
            let inside: Vec<Place> = found.filter(is_inside).collect();
            if inside.is_empty() {
                return Err(misplaced(arg.span, "this loop is not inside the one before", "not inside"));
            }
            let role = match u8::try_from(k) {
                Ok(number) if k < ahead.len() => Role::Ahead(number),
                _ if k < ahead.len() => return Err(wrong_arguments(arg.span, COMMAND.usage)),
                _ => Role::Each,
            };
            meant.clone_from(&inside);
            roles.push((role, inside));
        }
        if each.is_empty() {
            roles.push((Role::Each, meant.clone()));
        }
        let reads =
            |place: &Place| subterm(&session.body, &place.path).is_some_and(|e| mentions(e, input.level));
        if !meant.iter().any(reads) {
            return Err(Box::new(
                err!(E0351, span, "`{name}` is not read there")
                    .label("no read of it")
                    .help("choose a loop that reads it"),
            ));
        }
        let loops = u8::try_from(ahead.len()).unwrap_or(u8::MAX);
        annotate(session, step, &roles, Annotation::Prefetch { input: input.level, loops, by: distance })
    },
};

/// The furthest that a prefetch looks ahead: index arithmetic that fits with one iteration fits with so many.
const MAX_DISTANCE: u64 = 1 << 16;

fn loop_of(arg: &Argument) -> Result<LoopRef, Refusal> {
    arg.as_loop().ok_or_else(|| wrong_arguments(arg.span, COMMAND.usage))
}

fn misplaced(span: Span, what: &str, label: &str) -> Refusal {
    Box::new(
        err!(E0369, span, "this cannot be prefetched: {what}")
            .label(label)
            .help("`prefetch X at L by k in M` is for an input `X`, and a loop `M` inside `L`"),
    )
}
