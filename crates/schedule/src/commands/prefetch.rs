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
//! **See also.** `stream`, `pack`.

use crate::args::Args;
use crate::command::Command;
use crate::commands::stage::resolve;
use crate::followed::{Loops, loop_name, nest};
use crate::nest::{Place, resolve_loop, subterm};
use crate::script::Applied;
use crate::session::{Refusal, refused, wrong_arguments};
use atl_diag::{Span, err};
use atl_kernel::Expr;
use atl_rules::occurrences::mentions;
use atl_syntax::ast::{Argument, LoopRef, Step};

/// See the module.
pub static COMMAND: Command = Command {
    name: "prefetch",
    usage: "prefetch X at L, .. by k [in M]",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at", "by", "in"])?;
        let (name, span) = args.one_name()?;
        let by = args.clause_arg("by")?;
        if !by.as_int().is_some_and(|k| (1..=MAX_DISTANCE).contains(&k)) {
            return Err(misplaced(
                by.span,
                "the distance is not a number of iterations",
                "not within 1 to 65536",
            ));
        }
        let input = resolve(session, &name, span)?;
        if input.home.is_some() {
            return Err(misplaced(span, &format!("`{name}` is computed here"), "no input"));
        }
        let loops = args.clause("at")?.args.iter().chain(step.clause("in").into_iter().flat_map(|c| &c.args));
        let mut meant: Vec<Place> = Vec::new();
        for (k, arg) in loops.enumerate() {
            let found = session.loops(&loop_of(arg)?)?.into_iter();
            let is_inside =
                |inner: &Place| k == 0 || meant.iter().any(|outer| inner.path.starts_with(&outer.path));
            let inside: Vec<Place> = found.filter(is_inside).collect();
            if inside.is_empty() {
                return Err(misplaced(arg.span, "this loop is not inside the one before", "not inside"));
            }
            meant = inside;
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
        let body = session.body.clone();
        session.cx.refl(&body).map_err(|e| refused(step.span, &e))
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

/// What a step asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prefetch {
    /// The input.
    pub tensor: String,
    /// The loops of which a later iteration is meant, outermost first.
    pub at: Vec<Loops>,
    /// The loops at the beginning of whose iterations it is asked for.
    pub each: Loops,
    /// How many iterations later.
    pub by: u32,
}

/// What this step asks for, if it does, of the loops that there are after later ones. The iterations of a loop that was split are
/// those of its parts, counted together.
pub(crate) fn asked(applied: &Applied, later: &[Applied]) -> Option<Prefetch> {
    let Applied { step, thm, .. } = applied;
    if applied.command != COMMAND.name {
        return None;
    }
    let at = names(thm.lhs(), step, "at")?;
    let each = names(thm.lhs(), step, "in").unwrap_or_else(|| at.clone()).pop()?;
    Some(Prefetch {
        tensor: step.args.first()?.as_name()?.text,
        each: nest(each, later).pop().unwrap_or_default(),
        at: at.into_iter().flat_map(|names| nest(names, later)).collect(),
        by: u32::try_from(step.clause("by")?.args.first()?.as_int()?).ok()?,
    })
}

/// The loops that a clause means in this body.
fn names(body: &Expr, step: &Step, clause: &str) -> Option<Vec<Loops>> {
    step.clause(clause)?.args.iter().map(|arg| meant(body, arg)).collect()
}

/// The loops that an argument means in this body.
pub(crate) fn meant(body: &Expr, arg: &Argument) -> Option<Loops> {
    let found = arg.as_loop()?;
    let within = found.within.as_ref().map(|name| name.text.as_str());
    let places = resolve_loop(body, within, &found.name.text).ok()?;
    Some(places.iter().map(loop_name).collect())
}
