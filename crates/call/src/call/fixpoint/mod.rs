//! Iteration: the result of a call is an argument of the next, a number of times or until it does not change,
//! or hardly.
//!
//! The one idea: a step is a kernel like any other, with its theorem, and what repeats it is this loop. So
//! the meaning of an iteration is that of the function, applied again and again, in the interpreter as in
//! compiled code. Arguments are checked once; of the one that changes, what was checked of its contents is
//! checked each time. Whoever watches sees every step, and may keep the state or end it. Which call was the
//! last to change an element is worth knowing too: of a search, it is how far away a vertex is.

mod in_format;

use super::change::Change;
use super::{Bound, Output};
use crate::backends::CallError;
use atl_diag::err;
use atl_runtime::Buffer;
use atl_session::Failure;
use atl_session::signature::Storage;

/// When an iteration ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StopCondition {
    /// After this number of calls.
    Times(u64),
    /// When a call gives back its argument, bit for bit; refused if that takes more calls than this.
    Stable(u64),
    /// When a call changes its argument by less than a bound; refused if that takes more calls than this.
    Small(Change, u64),
}

impl StopCondition {
    /// How many calls there are at most.
    pub fn most(&self) -> u64 {
        match self {
            StopCondition::Times(n) | StopCondition::Stable(n) | StopCondition::Small(_, n) => *n,
        }
    }
}

/// Where an iteration ended.
#[derive(Debug)]
pub struct FixpointResult<T = Buffer> {
    /// The last result; the argument itself if there was no call.
    pub value: T,
    /// How many calls there were. Of those until stable, the last one changed nothing.
    pub calls: u64,
    /// Why it ended.
    pub end: End,
}

/// Why an iteration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// There were as many calls as were asked for.
    Counted,
    /// The last call changed nothing.
    Stable,
    /// The last call changed less than the bound.
    Small,
    /// Whoever watched it had it stop.
    Stopped,
}

/// A call of an iteration.
#[derive(Debug)]
pub struct Step<'s, T = Buffer> {
    /// Which call it was, from 1.
    pub calls: u64,
    /// Its argument.
    pub before: &'s T,
    /// Its result.
    pub after: &'s T,
}

/// Whether an iteration goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// With the next call.
    Call,
    /// It ends here.
    Stop,
}

/// Who looks at each call of an iteration.
pub type Watch<'w, T = Buffer> = dyn FnMut(&Step<'_, T>) -> Result<Next, Failure> + 'w;

/// Shows a call that changed something, and says whether it was the last.
pub(super) fn watched<T>(
    end: Option<End>,
    step: &Step<'_, T>,
    watch: &mut Watch<'_, T>,
) -> Result<Option<End>, Failure> {
    if end == Some(End::Stable) {
        return Ok(end);
    }
    let next = watch(step)?;
    Ok(end.or((next == Next::Stop).then_some(End::Stopped)))
}

impl Bound<'_> {
    /// Call it again and again, each time with the last result for the parameter of this name.
    ///
    /// # Errors
    /// What the kernel met; the result is no argument for the parameter; it has not ended after so many
    /// calls.
    pub fn iterate(&self, name: &str, stop: StopCondition) -> Result<FixpointResult, Failure> {
        self.iterate_watched(name, stop, &mut |_| Ok(Next::Call))
    }

    /// The same, and for each element the number of the last call that changed it, bit for bit; 0 where none
    /// did.
    ///
    /// # Errors
    /// As for [`Bound::iterate`], and what the watcher refuses.
    pub fn iterate_since(
        &self,
        name: &str,
        stop: StopCondition,
        watch: &mut Watch<'_>,
    ) -> Result<(FixpointResult, Buffer), Failure> {
        let mut since: Vec<i64> = vec![0; self.shape().iter().product()];
        let reached = self.iterate_watched(name, stop, &mut |step| {
            let calls = i64::try_from(step.calls).unwrap_or(i64::MAX);
            let size = step.after.dtype().size();
            let before = step.before.as_bytes().chunks_exact(size);
            for (since, (before, after)) in
                since.iter_mut().zip(before.zip(step.after.as_bytes().chunks_exact(size)))
            {
                if before != after {
                    *since = calls;
                }
            }
            watch(step)
        })?;
        let since = Buffer::from_slice(&since, self.shape());
        since.map(|since| (reached, since)).map_err(|_| self.kernel.failed(CallError::NoMemory))
    }

    /// [`Bound::iterate`], where each call that changes something is looked at, and may be the last.
    ///
    /// # Errors
    /// As for [`Bound::iterate`], and what the watcher refuses.
    pub fn iterate_watched(
        &self,
        name: &str,
        stop: StopCondition,
        watch: &mut Watch<'_>,
    ) -> Result<FixpointResult, Failure> {
        let place = self.replaceable(name)?;
        let mut value = Buffer::from_view(&self.inputs()[place]).map_err(|why| self.no_memory(&why))?;
        let (mut next, mut at) = (self.zeros()?, 0);
        for calls in 1..=stop.most() {
            self.with(place, value.view())?.run(Output::Dense(next.view_mut()))?;
            let end = match stop {
                StopCondition::Times(_) => None,
                _ if next.as_bytes() == value.as_bytes() => Some(End::Stable),
                StopCondition::Small(change, _) if change.is_small(&value, &next, &mut at) => {
                    Some(End::Small)
                }
                StopCondition::Stable(_) | StopCondition::Small(..) => None,
            };
            if let Some(end) = watched(end, &Step { calls, before: &value, after: &next }, watch)? {
                return Ok(FixpointResult { value: next, calls, end });
            }
            std::mem::swap(&mut value, &mut next);
        }
        match stop {
            StopCondition::Times(calls) => Ok(FixpointResult { value, calls, end: End::Counted }),
            // The last two results are in exchanged places.
            stop => Err(self.not_ended(name, stop, |change| change.between(&next, &value))),
        }
    }

    /// The refusal of an iteration that had as many calls as it may have.
    pub(super) fn not_ended(
        &self,
        name: &str,
        stop: StopCondition,
        last: impl FnOnce(Change) -> f64,
    ) -> Failure {
        let (limit, f) = (stop.most(), self.signature());
        let refusal = err!(E0539, f.span, "`{name}` still changes after {limit} calls of `{}`", f.name)
            .label("this step was repeated");
        self.kernel.fail(match stop {
            StopCondition::Small(change, _) => refusal
                .note(format!("the last call changed it by {:e}, in the measure of `{}`", last(change), change.of(name)))
                .help("allow more calls with `--at-most N`, or a greater change after `--until`"),
            StopCondition::Times(_) | StopCondition::Stable(_) => refusal
                .note("an iteration is stable when a call gives back its argument, bit for bit")
                .help(format!(
                    "allow more calls with `--at-most N`, ask for a number of them with `--times N`, or say which change is \
                     little enough: `--until \"max |{name}' - {name}| < 1e-8\"`",
                )),
        })
    }

    /// The refusal of a result as the next argument.
    pub(super) fn not_next(&self, name: &str, why: String) -> Failure {
        let f = self.signature();
        self.kernel.fail(
            err!(E0538, f.span, "the result of `{}` cannot be its next argument `{name}`", f.name)
                .label("of this function")
                .note(why)
                .help("`--iterate X` names a parameter with the element type and the shape of the result, in a format where it has one"),
        )
    }

    /// The place of the parameter that a result may replace.
    fn replaceable(&self, name: &str) -> Result<usize, Failure> {
        self.is_one()?;
        let signature = self.signature();
        let (result, shape) = (&signature.result, self.shape());
        let refuse = |why| self.not_next(name, why);
        let Some(place) = signature.array(name) else {
            return Err(refuse(match signature.operand(name) {
                Some(_) => format!("`{name}` has a format, and the result has none"),
                None => format!("`{}` has no parameter `{name}`", signature.name),
            }));
        };
        let (array, found) = (&signature.arrays[place], self.inputs()[place].shape());
        if let Storage::Sparse { .. } = result.storage {
            return Err(refuse(format!("the result has a format, and `{name}` has none")));
        }
        if array.operand.is_some() {
            return Err(refuse(format!("`{name}` is an array of a format")));
        }
        if array.elem != result.elem {
            let (ours, theirs) = (result.elem, array.elem);
            return Err(refuse(format!("its elements are `{ours}`, and those of `{name}` `{theirs}`")));
        }
        if shape != found {
            return Err(refuse(format!("its shape is {shape:?}, and that of `{name}` {found:?}")));
        }
        Ok(place)
    }
}
