//! Tuning: schedules proposed by `atl-search`, derived by the kernel, and the best of them measured.
//!
//! A proposal is a script. Here it is parsed, derived and lowered like one that a person wrote, so a proposal
//! that means something else cannot come out; before it is timed its result is compared with the
//! interpreter's and with that of the function as written, so a compiler that makes something else of it is
//! found out too. How many rounds are timed depends on how long a round takes; nothing else depends on a
//! clock.

mod file;
mod verify;

pub use atl_cost::{Estimate, estimate};
pub use atl_search::{Found, Machine, Proposal};
pub use file::{Remark, schedule_file, schedule_name, schedule_text};

use crate::bench::{Entrant, Measured, Repeats, compare};
use atl_call::Arguments;
use atl_call::backends::{Backend, Options};
use atl_call::{Compile, Compiled};
use atl_diag::{codes, err};
use atl_kernel::{Expr, Rounding};
use atl_lang::Function;
use atl_search::{Judge, Judged, Names, Refused, Request, Shapes, Sizes, search};
use atl_session::Failure;
use atl_session::Program;
use atl_session::auto::of_class;
use atl_session::{Lowered, Scheduled};
use std::time::Duration;
use verify::Candidate;

/// How long the rounds of one measurement may take together, if one round is shorter.
const PATIENCE: Duration = Duration::from_secs(5);

/// No proposal becomes more statements than this, which take a C compiler some three seconds: many are
/// compiled.
const HEAVY: u64 = 2_000;

/// What to propose.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// No proposal preserves less than this in floating point.
    pub rounding: Rounding,
    /// How many scripts are tried.
    pub budget: usize,
    /// The machine to propose for.
    pub machine: Machine,
}

/// Proposes schedules of a function for these sizes, in the function's order; says now and then how far it
/// is.
///
/// # Errors
/// The function as written is refused, or has sparse operands, whose loops the model does not know.
pub fn propose(
    program: &Program,
    function: &Function,
    sizes: &[i64],
    wanted: &Wanted,
    tell: &mut dyn FnMut(&str),
) -> Result<Found, Failure> {
    if !function.sparse.is_empty() {
        let refusal = err!(E0614, function.span, "`{}` has sparse operands, and is not tuned", function.name)
            .label("as it is written, this goes over all elements")
            .help("write schedules that begin with `sparsify`, and compare them with `atl bench`");
        return Err(Failure::new(program.sources(), refusal));
    }
    // A function that cannot be lowered as it is written has no schedules that are worth a search.
    program.scheduled(&function.name, None)?.lower()?;
    let names: Names = function.params.iter().map(|p| (p.level, p.name.clone())).collect();
    let shapes: Shapes = function.params.iter().map(|p| (p.name.clone(), p.ty.shape.clone())).collect();
    let values = function.sizes.iter().zip(sizes);
    let named_sizes: Sizes = values.map(|(size, n)| (size.level, (size.name.clone(), *n))).collect();
    let request = Request {
        shapes: &shapes,
        named_sizes: &named_sizes,
        body: &function.body,
        names: &names,
        sizes,
        cell_bytes: function.result.elem.scalar.bits() / 8,
        rounding: wanted.rounding,
        machine: wanted.machine,
        budget: wanted.budget,
    };
    let (rounding, budget) = (wanted.rounding, wanted.budget);
    let chosen = program.chosen_steps(&function.name, of_class(function, Some(rounding)))?;
    Ok(search(&request, chosen, &mut Scripts { program, function, rounding, budget, tried: 0, tell }))
}

/// The function under a script's steps.
///
/// # Errors
/// A step that is refused.
pub fn replay(program: &Program, function: &Function, steps: &[String]) -> Result<Scheduled, Failure> {
    let text = schedule_text("proposal", &function.name, steps);
    program.scripted(function, "proposal", &text)
}

/// Derives and lowers scripts.
struct Scripts<'p> {
    program: &'p Program,
    function: &'p Function,
    rounding: Rounding,
    budget: usize,
    tried: usize,
    tell: &'p mut dyn FnMut(&str),
}

impl Judge for Scripts<'_> {
    fn derive(&mut self, steps: &[String]) -> Result<Expr, Refused> {
        atl_interrupt::checkpoint();
        let scheduled = replay(self.program, self.function, steps).map_err(|f| reason(&f))?;
        Ok(scheduled.body().clone())
    }

    fn lower(&mut self, steps: &[String]) -> Result<Judged, Refused> {
        atl_interrupt::checkpoint();
        self.tried += 1;
        if self.tried.is_multiple_of(self.budget.div_ceil(10)) {
            (self.tell)(&format!("{} of {} schedules tried", self.tried, self.budget));
        }
        let judged = replay(self.program, self.function, steps).and_then(|scheduled| {
            scheduled.require_rounding(self.rounding)?;
            scheduled.lower()
        });
        let lowered = judged.map_err(|f| reason(&f))?;
        if atl_backend_c::weight(&lowered.kernel) > HEAVY {
            return Err(by_code(codes::E0616.to_string()));
        }
        Ok(Judged { rounding: lowered.rounding, kernel: lowered.ready.kernel, idle: Vec::new() })
    }
}

/// A refusal by its code, which is what refusals are counted by.
fn reason(failure: &Failure) -> Refused {
    by_code(failure.codes().first().cloned().unwrap_or_else(|| "it does not parse".to_owned()))
}

fn by_code(code: String) -> Refused {
    Refused { why: code.clone(), code }
}

/// Compiles proposals, checks their results, and times all of them: one measurement for each, after one for
/// the function as written, which is timed only once where a run of it takes long.
///
/// A result is compared with the interpreter's at small sizes, on random numbers, and with the function's as
/// written at the sizes at hand. What is under way is told.
///
/// # Errors
/// A proposal that does not compile, arguments that do not fit, or a result that differs from what the
/// theorem allows.
pub fn measure(
    program: &Program,
    function: &Function,
    proposals: &[Proposal],
    arguments: &Arguments,
    (backend, options): (&'static Backend, Options),
    rounds: usize,
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<Measured>, Failure> {
    let written = program.scheduled(&function.name, None)?.lower()?;
    let candidate = |lowered: Lowered, rounding, promised| -> Result<Candidate, Failure> {
        let kernel = lowered.compile(backend, options)?;
        Ok(Candidate { kernel, lowered, rounding, promised })
    };
    let mut candidates = vec![candidate(written.clone(), Rounding::Bitwise, Vec::new())?];
    for (k, Proposal { steps, rounding, .. }) in proposals.iter().enumerate() {
        atl_interrupt::checkpoint();
        tell(&format!("compiling {} of {}", k + 1, proposals.len()));
        let lowered = replay(program, function, steps)?.lower()?;
        candidates.push(candidate(lowered, *rounding, promised(steps))?);
    }
    tell("comparing results with the interpreter's, and with those of the function as written");
    verify::small(program, function, &written, &candidates)?;
    let taken = verify::all_agree(program, &candidates, arguments)?;
    let kernels: Vec<Compiled> = candidates.into_iter().map(|c| c.kernel).collect();
    let slow = taken > PATIENCE / 20;
    let timed = if slow { &kernels[1..] } else { &kernels };
    let timed: Vec<Entrant<'_>> = timed.iter().map(|kernel| (kernel, arguments)).collect();
    let once = compare(&timed, Repeats { warm_up: 0, counted: 1 })?;
    let round: Duration = once.iter().map(|m| m.median).sum();
    let affordable = PATIENCE.as_nanos() / round.as_nanos().max(1);
    let counted = usize::try_from(affordable).unwrap_or(usize::MAX).clamp(1, rounds.max(1));
    tell(&format!("timing {counted} rounds"));
    let mut measured = compare(&timed, Repeats { warm_up: usize::from(counted > 1), counted })?;
    if slow {
        for m in &mut measured {
            m.ratio = taken.as_secs_f64() / m.median.as_secs_f64().max(1e-9);
        }
        measured.insert(0, Measured { median: taken, fastest: taken, ratio: 1.0 });
    }
    Ok(measured)
}

/// The sizes that a script promises.
fn promised(steps: &[String]) -> Vec<(String, i64)> {
    let promise = |step: &String| {
        let (name, n) = step.strip_prefix("assume ")?.split_once(" == ")?;
        Some((name.to_owned(), n.parse().ok()?))
    };
    steps.iter().filter_map(promise).collect()
}
