//! Which code serves: the usual one, that of safe flags, or the embedded back end's.

use super::arguments::arguments;
use super::numbers::Spice;
use super::plan::plan;
use super::report::{self, Fault};
use super::sizes::is_packed;
use super::standing::{Instead, Standing, Verdict, Wrong};
use super::trial::{Difference, Stopped, Trial};
use super::{Validation, WORK, WORK_AT_LEAST};
use crate::arguments::Arguments;
use crate::backends::{CallError, Options, Run, RunAt, c, cranelift, loops};
use crate::call::Compiled;
use atl_backend_c::{CSource, uncontracted};
use atl_cost::steps;
use atl_kernel::Rounding;
use atl_loops::intersection::Sequence;
use atl_loops::lanes::Vectors;
use atl_loops::search::Search;
use atl_loops::{Int, Name, Stmt};
use atl_runtime::cc::{CompileError, Compiler, default_cache, keep_verdict, verdict, write_beside};
use atl_session::Ready;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a verdict is about, beside the loops: how it was found.
const METHOD: &str = "compared with the interpreter of loops, 3";

/// The most operations and iterations of a call for which the embedded back end says what is right.
const OPERATIONS: f64 = 2_000_000.0;

/// The most statements of loops that the embedded back end compiles only to say what is right.
const STATEMENTS: usize = 600;

/// The C back end's code for a kernel, if that is right; else what is.
pub(crate) fn serve(lowered: &Ready, options: Options) -> Result<Box<dyn Run>, String> {
    let cache = default_cache();
    let options_c = c::printer_options(lowered.rounding, c::wants_openmp(lowered, &cache));
    let source = c::source(lowered, &options_c)?;
    let kernel = Serving { lowered, options, source, cache, trials: OnceCell::new() };
    let weight = atl_backend_c::weight(&lowered.kernel);
    if weight > atl_backend_c::TOO_HEAVY {
        let why = format!(
            "with all that is unrolled it would be given {weight} statements; {} take it some 20 seconds",
            atl_backend_c::TOO_HEAVY
        );
        return kernel.embedded(Instead::TooLong(why));
    }
    let wrong = match kernel.attempt(&kernel.source.flags)? {
        Attempt::Right(run, verdict) => return Ok(served(run, Standing { verdict, instead: None })),
        Attempt::TooLong(why) => return kernel.embedded(Instead::TooLong(why)),
        Attempt::Wrong(wrong) => wrong,
    };
    // Rounds may amplify what fused operations round otherwise: that is no fault of the compiler's.
    if lowered.rounding == Rounding::Real
        && let Attempt::Right(run, verdict) = kernel.attempt(&uncontracted(&kernel.source.flags))?
    {
        return Ok(served(run, Standing { verdict, instead: Some(Instead::Uncontracted) }));
    }
    match kernel.attempt(&atl_backend_c::safe_flags(&options_c))? {
        Attempt::Right(run, verdict) => {
            Ok(served(run, Standing { verdict, instead: Some(Instead::SafeFlags(wrong)) }))
        }
        Attempt::TooLong(_) | Attempt::Wrong(_) => kernel.embedded(Instead::Embedded(wrong)),
    }
}

/// What became of compiling with some flags.
enum Attempt {
    Right(Box<dyn Run>, Verdict),
    Wrong(Wrong),
    TooLong(String),
}

struct Serving<'l> {
    lowered: &'l Ready,
    options: Options,
    source: CSource,
    cache: PathBuf,
    /// What code is compared with; made when it is needed.
    trials: OnceCell<Result<Trials, String>>,
}

impl Serving<'_> {
    fn attempt(&self, flags: &[&'static str]) -> Result<Attempt, String> {
        let flags: Vec<String> = flags.iter().copied().map(String::from).collect();
        let library = match c::library(&self.source, &flags, &self.cache) {
            Ok(library) => library,
            Err(why @ CompileError::TooLong { .. }) => return Ok(Attempt::TooLong(why.to_string())),
            Err(why) => return Err(why.to_string()),
        };
        let run = c::loaded(self.lowered, &self.source, &library, self.options)?;
        if self.options.validation == Validation::Skip {
            return Ok(Attempt::Right(run, Verdict::Unasked));
        }
        let about =
            format!("{METHOD}\n{}\n{}\n{}", self.lowered.rounding, self.threads(), self.lowered.kernel);
        let known = verdict(&library, &about).and_then(|text| Found::parse(&text));
        let found = match known {
            Some(found) => found,
            None => {
                let found = self.compared(&*run, &library, &flags)?;
                // A cache that cannot be written makes things slow, not impossible.
                let _ = keep_verdict(&library, &about, &found.to_text());
                found
            }
        };
        Ok(match found {
            Found::Verdict(verdict) => Attempt::Right(run, verdict),
            Found::Differs { difference, report } => {
                let compiler = Compiler::find().map_or("the C compiler", Compiler::version).to_owned();
                Attempt::Wrong(Wrong { compiler, flags: flags.join(" "), difference, report })
            }
        })
    }

    /// On how many threads it is called: code may be wrong on several alone.
    fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        if self.lowered.kernel.is_parallel() { self.options.threads.unwrap_or_else(all) } else { 1 }
    }

    /// The verdict on code.
    fn compared(&self, run: &dyn Run, library: &Path, flags: &[String]) -> Result<Found, String> {
        let trials = self.trials()?;
        let Some((trial, difference)) = trials.difference(self.lowered, run) else {
            return Ok(Found::Verdict(trials.verdict()));
        };
        let compiler = Compiler::find().map_err(|why| why.to_string())?;
        let fault = Fault {
            source: &self.source,
            loops: &self.lowered.kernel,
            compiler: compiler.version(),
            command: &compiler.command(),
            flags,
            difference: difference.to_string(),
        };
        let report = write_beside(library, "wrong.c", report::text(&fault, trial).as_bytes()).ok();
        Ok(Found::Differs { difference: difference.to_string(), report })
    }

    fn trials(&self) -> Result<&Trials, String> {
        self.trials.get_or_init(|| Trials::of(self.lowered)).as_ref().map_err(Clone::clone)
    }

    /// The embedded back end's code, which is compared as well.
    fn embedded(&self, instead: Instead) -> Result<Box<dyn Run>, String> {
        let run = (cranelift::BACKEND.compile)(self.lowered, self.options)?;
        if self.options.validation == Validation::Skip {
            return Ok(served(run, Standing { verdict: Verdict::Unasked, instead: Some(instead) }));
        }
        let trials = self.trials()?;
        match trials.difference(self.lowered, &*run) {
            None => Ok(served(run, Standing { verdict: trials.verdict(), instead: Some(instead) })),
            Some((_, difference)) => Err(format!(
                "neither the C compiler nor the embedded back end makes code that does what the loops say; of the latter's, {difference}"
            )),
        }
    }
}

/// What the cache keeps.
enum Found {
    Verdict(Verdict),
    Differs { difference: String, report: Option<PathBuf> },
}

impl Found {
    fn to_text(&self) -> String {
        match self {
            Found::Verdict(Verdict::Agrees { calls, exceeds }) => format!("agrees {calls} {exceeds}"),
            Found::Verdict(Verdict::Unchecked(why)) => format!("unchecked {why}"),
            Found::Verdict(Verdict::Unasked) => String::new(),
            Found::Differs { difference, report } => {
                let path = report.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
                format!("differs {path}\n{difference}")
            }
        }
    }

    fn parse(text: &str) -> Option<Found> {
        let (word, rest) = text.split_once(' ')?;
        Some(match word {
            "agrees" => {
                let (calls, exceeds) = rest.split_once(' ')?;
                let (calls, exceeds) = (calls.parse().ok()?, exceeds.parse().ok()?);
                Found::Verdict(Verdict::Agrees { calls, exceeds })
            }
            "unchecked" => Found::Verdict(Verdict::Unchecked(rest.to_owned())),
            "differs" => {
                let (path, difference) = rest.split_once('\n')?;
                let report = Some(PathBuf::from(path)).filter(|path| path.is_file());
                Found::Differs { difference: difference.to_owned(), report }
            }
            _ => return None,
        })
    }
}

/// Arguments that are too much for the interpreter of loops.
struct Later {
    made: Arguments,
    exceeds: bool,
}

/// Calls with what they must give.
struct Trials {
    meaning: Compiled,
    calls: Vec<Trial>,
    /// Did the sizes of one exceed every tile?
    exceeds: bool,
    /// Why there are none, if there are none.
    why: String,
}

impl Trials {
    fn of(lowered: &Ready) -> Result<Trials, String> {
        let meaning = Compiled::of(
            lowered,
            loops::BACKEND.name,
            (loops::BACKEND.compile)(lowered, Options::default())?,
        );
        let mut trials = Trials { meaning, calls: Vec::new(), exceeds: false, why: String::new() };
        let (mut left, mut later) = (WORK, Vec::new());
        for (seed, wanted) in (0..).zip(plan(&lowered.kernel, lowered.rounding == Rounding::Real)) {
            let made = arguments(&trials.meaning, &lowered.kernel, &wanted.sizes, wanted.spice, seed);
            let made = match made {
                Ok(made) => made,
                Err(why) => {
                    trials.why = why;
                    continue;
                }
            };
            let limit = if wanted.exceeds { left / 2 } else { left };
            match trials.interpreted(lowered, &made, limit, &later)? {
                Some(work) => {
                    left = left.saturating_sub(work);
                    // Of numbers that are NaN in places a result may be NaN everywhere: no last word.
                    trials.exceeds |= wanted.exceeds && !matches!(wanted.spice, Spice::Hot);
                }
                None => {
                    // What was begun has cost what it may; what is left is for smaller sizes.
                    left -= limit / 2;
                    later.push(Later { made, exceeds: wanted.exceeds });
                }
            }
        }
        // A kernel whose tiles are too much even at small sizes: without any call there would be nothing to
        // believe.
        for small in later.iter().filter(|later| !later.exceeds) {
            if trials.tells() || trials.interpreted(lowered, &small.made, WORK_AT_LEAST, &[])?.is_some() {
                break;
            }
        }
        if !trials.exceeds {
            trials.larger(lowered, later);
        }
        Ok(trials)
    }

    /// Adds what the loops give for arguments, in at most this number of steps: how many it took, or none if it
    /// takes more, as it did for the same sizes before.
    fn interpreted(
        &mut self,
        lowered: &Ready,
        made: &Arguments,
        limit: u64,
        too_much: &[Later],
    ) -> Result<Option<u64>, String> {
        let sizes = &made.sizes;
        let known = too_much.iter().any(|later| later.made.sizes == *sizes);
        if !known && operations(lowered, made).is_none_or(|n| n <= limit as f64) {
            match Trial::interpreted(&self.meaning, &lowered.kernel, made.clone(), limit) {
                Ok(trial) => {
                    let work = trial.work;
                    self.calls.push(trial);
                    return Ok(Some(work));
                }
                Err(Stopped::TooMuch) => {}
                Err(Stopped::Trapped(why)) => return Err(format!("its loops do what they must not: {why}")),
            }
        }
        self.why = "it takes the interpreter of loops too long".to_owned();
        Ok(None)
    }

    /// Is there a call that computes something?
    fn tells(&self) -> bool {
        self.calls.iter().any(|trial| trial.expected.iter().any(|buffer| !buffer.is_empty()))
    }

    /// Calls at sizes that are too much for the interpreter: the embedded back end says what is right there,
    /// if it does at the others.
    fn larger(&mut self, lowered: &Ready, later: Vec<Later>) {
        let (mut statements, mut left) = (0, 2.0 * OPERATIONS);
        lowered.kernel.body.for_each(&mut |_| statements += 1);
        let later: Vec<Later> = later
            .into_iter()
            .filter(|later| {
                let n = operations(lowered, &later.made).or_else(|| at_most(lowered, &later.made));
                let fits = n.is_some_and(|n| n <= OPERATIONS.min(left));
                let n = n.unwrap_or_default();
                left -= if fits { n } else { 0.0 };
                fits
            })
            .collect();
        if later.is_empty() || statements > STATEMENTS || !self.tells() {
            return;
        }
        let Ok(witness) = (cranelift::BACKEND.compile)(lowered, Options::default()) else { return };
        if self.difference(lowered, &*witness).is_some() {
            return;
        }
        for Later { made, exceeds } in later {
            if let Ok(trial) = Trial::by(&self.meaning, &*witness, made) {
                self.calls.push(trial);
                self.exceeds |= exceeds;
            }
        }
    }

    /// The first call in which code differs.
    fn difference(&self, lowered: &Ready, run: &dyn Run) -> Option<(&Trial, Difference)> {
        self.calls.iter().find_map(|trial| {
            let difference = trial.difference(&self.meaning, &lowered.kernel, run, lowered.rounding)?;
            Some((trial, difference))
        })
    }

    fn verdict(&self) -> Verdict {
        let calls = self.calls.len();
        // Calls of which nothing is expected say nothing, unless the function never gives anything.
        if calls == 0 || (!self.tells() && !self.why.is_empty()) {
            Verdict::Unchecked(self.why.clone())
        } else {
            Verdict::Agrees { calls, exceeds: self.exceeds }
        }
    }
}

/// How many operations and iterations a call makes, if its loops say so.
fn operations(lowered: &Ready, made: &Arguments) -> Option<f64> {
    let sizes: Vec<i64> = made.sizes.iter().map(|(_, n)| *n).collect();
    steps(&lowered.kernel, &sizes)
}

/// How many operations a call makes at most whose loops are read from arrays of formats: as many at each
/// depth as the largest extent. None where the ends of loops are read from other arrays, whose numbers may be
/// large.
fn at_most(lowered: &Ready, made: &Arguments) -> Option<f64> {
    let signature = &lowered.signature;
    let of_format =
        |name: &Name| signature.arrays.iter().any(|a| a.operand.is_some() && a.name == *name.as_str());
    if !lowered.kernel.ends().iter().all(|name| of_format(name)) {
        return None;
    }
    let free = (0..signature.sizes.len()).filter(|k| !is_packed(signature, *k));
    let largest = free.filter_map(|k| Some(made.sizes.get(k)?.1)).max().unwrap_or(0);
    Some((largest as f64).powi(depth(&lowered.kernel.body)))
}

/// How many loops of unknown length stand within each other.
fn depth(stmt: &Stmt) -> i32 {
    let inside = stmt.parts().map(depth).max().unwrap_or(0);
    let is_unknown = |lo: &Int, hi: &Int| i32::from((hi.clone() - lo.clone()).constant().is_none());
    inside
        + match stmt {
            Stmt::For { lo, hi, .. }
            | Stmt::Vectors { vectors: Vectors { lo, hi, .. }, .. }
            | Stmt::Search { search: Search { lo, hi, .. }, .. } => is_unknown(lo, hi),
            Stmt::Intersection { intersection, .. } => {
                intersection.sequences().map(|Sequence { lo, hi, .. }| is_unknown(lo, hi)).sum()
            }
            Stmt::Visit { .. } | Stmt::Merge { .. } => 1,
            _ => 0,
        }
}

/// Code with what is known of it.
struct Served {
    run: Box<dyn Run>,
    standing: Standing,
}

fn served(run: Box<dyn Run>, standing: Standing) -> Box<dyn Run> {
    Box::new(Served { run, standing })
}

impl Run for Served {
    fn at(&self, sizes: &[i64]) -> Result<Arc<dyn RunAt>, CallError> {
        self.run.at(sizes)
    }

    fn standing(&self) -> Standing {
        self.standing.clone()
    }
}
