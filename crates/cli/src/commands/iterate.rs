//! `atl run --iterate`: a step repeated, watched, and kept.
//!
//! The one idea: whoever waits sees how far it is, and may end it without losing it. What is shown depends on the clock, what is computed
//! does not: a checkpoint is written after so many calls, not after so much time.

use super::refuse;
use super::run::{keep, keep_sparse};
use crate::args::Run;
use crate::output::{Exit, Output, Result, Stop};
use crate::signals::Interrupt;
use atl_diag::err;
use atl_driver::{
    Arguments, Buffer, Change, Compiled, End, Failure, FixpointResult, Next, Program, Step, StopCondition,
    save_result, save_sparse,
};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a terminal shows the same.
const SHOWN: Duration = Duration::from_millis(500);

/// When an iteration is to end, as options say.
pub(super) fn until(
    name: &str,
    bound: Option<&str>,
    times: Option<u64>,
    at_most: u64,
    out: &mut Output,
) -> Result<StopCondition> {
    match (bound, times) {
        (Some(bound), _) => match Change::parse(bound, name) {
            Ok(change) => Ok(StopCondition::Small(change, at_most)),
            Err(why) => {
                out.remark(&format!("error: `--until {bound}`: {why}"));
                Err(Stop::Said(Exit::Usage))
            }
        },
        (None, Some(times)) => Ok(StopCondition::Times(times)),
        (None, None) => Ok(StopCondition::Stable(at_most)),
    }
}

/// How an iteration ended, in words.
pub(super) fn ended(name: &str, calls: u64, end: End) -> String {
    match end {
        End::Stable => format!("note: `{name}` is stable: call {calls} changed nothing"),
        End::Small => format!("note: `{name}` hardly changes: call {calls} changed less than the bound"),
        End::Counted | End::Stopped => format!("note: `{name}` after {calls} calls"),
    }
}

/// Repeats a step as the options say, and prints or saves where it came to.
pub(super) fn run(
    args: &Run,
    name: &str,
    program: &Program,
    kernel: &Compiled,
    arguments: &Arguments,
    out: &mut Output,
) -> Result {
    let until = until(name, args.until.as_deref(), args.times, args.at_most, out)?;
    let mut watcher = Watcher::new(args, name, until);
    let call = kernel.call(&arguments.arrays(), &arguments.sizes()).bind();
    if kernel.iterates_in_format(name) {
        if args.since {
            out.remark(
                "error: `--since` is of dense tensors: which elements changed is not kept for entries",
            );
            return Err(Stop::Said(Exit::Usage));
        }
        let save = |path: &Path, state: &_| save_sparse(program, path, state).map(drop);
        let reached = call?
            .iterate_in_format(name, until, &mut |step| watcher.see(step, &save, &|_| None, out))
            .map_err(|why| watcher.explained(why))?;
        watcher.end(&reached, out)?;
        return keep_sparse(program, &reached.value, &args.out[0], out);
    }
    let call = call?;
    let save = |path: &Path, state: &Buffer| save_result(program, path, state).map(drop);
    let measure = |step: &Step<'_>| match until {
        StopCondition::Small(change, _) => Some(change.between(step.before, step.after)),
        StopCondition::Times(_) | StopCondition::Stable(_) => None,
    };
    let mut watch = |step: &Step<'_>| watcher.see(step, &save, &measure, out);
    let ran = match args.since {
        true => call.iterate_since(name, until, &mut watch).map(|(reached, since)| (reached, Some(since))),
        false => call.iterate_watched(name, until, &mut watch).map(|reached| (reached, None)),
    };
    let (reached, since) = ran.map_err(|why| watcher.explained(why))?;
    watcher.end(&reached, out)?;
    if has_nan(&reached.value) {
        out.remark(&format!("note: `{name}` holds NaN"));
    }
    keep(program, since.as_ref().unwrap_or(&reached.value), &args.out[0], out)
}

/// Does a state hold NaN? Infinities are legitimate states, as the lengths of missing paths are.
fn has_nan(state: &Buffer) -> bool {
    state.as_slice::<f64>().is_ok_and(|cells| cells.iter().any(|x| x.is_nan()))
        || state.as_slice::<f32>().is_ok_and(|cells| cells.iter().any(|x| x.is_nan()))
}

/// Can a state be kept there, so that `--in` goes on with it? What cannot be is refused before the first call.
pub(super) fn keeps_states(path: &Path) -> Result {
    let refused = |why: &str, help: &str| {
        Err(refuse(err!(E0522, "the state cannot be kept: {}: {why}", path.display()).help(help)))
    };
    if path.parent().is_some_and(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        return refused("its folder is not there", "check the path after `--checkpoint`");
    }
    let is_picture = |end: &std::ffi::OsStr| PICTURES.iter().any(|known| end.eq_ignore_ascii_case(known));
    match path.extension() {
        Some(end) if is_picture(end) => {
            refused("samples of a picture are rounded", "`--checkpoint STATE.npy` keeps any array")
        }
        _ => Ok(()),
    }
}

/// Files that do not keep numbers as they are.
const PICTURES: [&str; 3] = ["png", "jpg", "jpeg"];

/// What is shown and kept of an iteration under way.
struct Watcher<'a> {
    name: &'a str,
    until: StopCondition,
    checkpoint: Option<(&'a Path, u64)>,
    interrupt: Interrupt,
    shown: Instant,
    /// After which call the state was kept last.
    kept: Option<u64>,
}

impl<'a> Watcher<'a> {
    fn new(args: &'a Run, name: &'a str, until: StopCondition) -> Watcher<'a> {
        let checkpoint = args.checkpoint.as_deref().map(|path| (path, args.every));
        // Without a file an interrupt ends the process as ever.
        let interrupt = checkpoint.map(|_| Interrupt::expected()).unwrap_or_default();
        Watcher { name, until, checkpoint, interrupt, shown: Instant::now(), kept: None }
    }

    /// Looks at a call.
    fn see<T>(
        &mut self,
        step: &Step<'_, T>,
        save: &dyn Fn(&Path, &T) -> std::result::Result<(), Failure>,
        measure: &dyn Fn(&Step<'_, T>) -> Option<f64>,
        out: &mut Output,
    ) -> std::result::Result<Next, Failure> {
        let calls = step.calls;
        let is_asked = self.interrupt.is_asked();
        if let Some((path, every)) = self.checkpoint {
            let is_last = !matches!(self.until, StopCondition::Times(_)) && calls == self.until.most();
            if calls.is_multiple_of(every) || is_last || is_asked {
                save(path, step.after)?;
                self.kept = Some(calls);
            }
        }
        if self.shown.elapsed() >= SHOWN {
            self.shown = Instant::now();
            let change =
                measure(step).map_or(String::new(), |change| format!(", the last changed {change:.3e}"));
            out.progress(&format!("`{}`: {calls} calls{change}", self.name));
        }
        Ok(if is_asked { Next::Stop } else { Next::Call })
    }

    /// Where the state is, and how to go on with it.
    fn where_it_is(&self) -> Option<String> {
        let ((path, _), calls) = (self.checkpoint?, self.kept?);
        let (path, name) = (path.display(), self.name);
        Some(format!("`{name}` after {calls} calls is in {path}; `--in {name}={path}` goes on with it"))
    }

    /// A refusal with where the state is.
    fn explained(&self, mut why: Failure) -> Failure {
        if let Some(place) = self.where_it_is() {
            why.diagnostics.iter_mut().take(1).for_each(|d| *d = d.clone().note(place.clone()));
        }
        why
    }

    /// Says how the iteration ended; one that was interrupted has no result.
    fn end<T>(&self, reached: &FixpointResult<T>, out: &mut Output) -> Result {
        match reached.end {
            End::Counted => Ok(()),
            End::Stopped => {
                out.remark(&format!("interrupted: {}", self.where_it_is().unwrap_or_default()));
                Err(Stop::Said(Exit::Refused))
            }
            end => {
                out.remark(&ended(self.name, reached.calls, end));
                Ok(())
            }
        }
    }
}
