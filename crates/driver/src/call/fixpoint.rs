//! Iteration: the result of a call is an argument of the next, a number of times or until it does not change, or hardly.
//!
//! The one idea: a step is a kernel like any other, with its theorem, and what repeats it is this loop. So the meaning of
//! an iteration is that of the function, applied again and again, in the interpreter as in compiled code. Arguments are checked
//! once; of the one that changes, what was checked of its contents is checked each time. Whoever watches sees every step, and may
//! keep the state or end it. Which call was the last to change an element is worth knowing too: of a search, it is how far away a
//! vertex is.

mod in_format;

use super::binding::carrier;
use super::change::Change;
use super::{Bound, CallError, Compiled, Named};
use crate::arguments::Arguments;
use crate::failure::Failure;
use atl_diag::err;
use atl_runtime::Buffer;

/// When an iteration ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Until {
    /// After so many calls.
    Times(u64),
    /// When a call gives back its argument, bit for bit; refused if that takes more calls than this.
    Stable(u64),
    /// When a call changes its argument by less than a bound; refused if that takes more calls than this.
    Small(Change, u64),
}

impl Until {
    /// How many calls there are at most.
    pub fn most(&self) -> u64 {
        match self {
            Until::Times(n) | Until::Stable(n) | Until::Small(_, n) => *n,
        }
    }
}

/// Where an iteration ended.
#[derive(Debug)]
pub struct Reached<T = Buffer> {
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

impl Compiled {
    /// Call it again and again, each time with the last result for the parameter of this name.
    ///
    /// # Errors
    /// As for [`Compiled::call`]; the result is no argument for the parameter; it has not ended after so many calls.
    pub fn iterate(&self, name: &str, until: Until, given: &Arguments) -> Result<Reached, Failure> {
        let first = self.bind(&given.arrays(), &given.sizes())?;
        self.iterate_bound(name, until, given, &first)
    }

    /// The same with arguments that were checked before, for iterations over one graph that repeat.
    ///
    /// # Errors
    /// As for [`Compiled::iterate`].
    pub fn iterate_bound<'a>(
        &self,
        name: &str,
        until: Until,
        given: &'a Arguments,
        first: &Bound<'a>,
    ) -> Result<Reached, Failure> {
        self.iterate_watched(name, until, given, first, &mut |_| Ok(Next::Call))
    }

    /// The same, and for each element the number of the last call that changed it, bit for bit; 0 where none did.
    ///
    /// # Errors
    /// As for [`Compiled::iterate`], and what the watcher refuses.
    pub fn iterate_since<'a>(
        &self,
        name: &str,
        until: Until,
        given: &'a Arguments,
        first: &Bound<'a>,
        watch: &mut Watch<'_>,
    ) -> Result<(Reached, Buffer), Failure> {
        let mut since: Vec<i64> = vec![0; first.output.iter().product()];
        let reached = self.iterate_watched(name, until, given, first, &mut |step| {
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
        let since = Buffer::from_slice(&since, &first.output);
        since.map(|since| (reached, since)).map_err(|_| self.failed(CallError::NoMemory))
    }

    /// [`Compiled::iterate_bound`], where each call that changes something is looked at, and may be the last.
    ///
    /// # Errors
    /// As for [`Compiled::iterate`], and what the watcher refuses.
    pub fn iterate_watched<'a>(
        &self,
        name: &str,
        until: Until,
        given: &'a Arguments,
        first: &Bound<'a>,
        watch: &mut Watch<'_>,
    ) -> Result<Reached, Failure> {
        let (arguments, sizes) = (given.arrays(), given.sizes());
        let place = self.replaceable(name, first)?;
        let start = given.arrays.iter().find(|(known, _)| known == name);
        let mut value = start.map_or_else(|| self.allocate(first), |(_, buffer)| Ok(buffer.clone()))?;
        let mut next = self.allocate(first)?;
        let (checks_all, mut at) = (self.reads_as_index(place), 0);
        for calls in 1..=until.most() {
            let again = match checks_all {
                true => self.bind_anew(&arguments, &sizes, place, &value)?,
                false => self.bind_again(first, place, &value)?,
            };
            self.run(&again, next.view_mut())?;
            drop(again);
            let end = match until {
                Until::Times(_) => None,
                _ if next.as_bytes() == value.as_bytes() => Some(End::Stable),
                Until::Small(change, _) if change.is_small(&value, &next, &mut at) => Some(End::Small),
                Until::Stable(_) | Until::Small(..) => None,
            };
            if let Some(end) = watched(end, &Step { calls, before: &value, after: &next }, watch)? {
                return Ok(Reached { value: next, calls, end });
            }
            std::mem::swap(&mut value, &mut next);
        }
        match until {
            Until::Times(calls) => Ok(Reached { value, calls, end: End::Counted }),
            // The last two results are in exchanged places.
            until => Err(self.not_ended(name, until, |change| change.between(&next, &value))),
        }
    }

    /// The refusal of an iteration that had as many calls as it may have.
    pub(super) fn not_ended(&self, name: &str, until: Until, last: impl FnOnce(Change) -> f64) -> Failure {
        let (limit, f) = (until.most(), &self.function);
        let refusal = err!(E0539, f.span, "`{name}` still changes after {limit} calls of `{}`", f.name)
            .label("this step was repeated");
        self.fail(match until {
            Until::Small(change, _) => refusal
                .note(format!("the last call changed it by {:e}, in the measure of `{}`", last(change), change.of(name)))
                .help("allow more calls with `--at-most N`, or a greater change after `--until`"),
            Until::Times(_) | Until::Stable(_) => refusal
                .note("an iteration is stable when a call gives back its argument, bit for bit")
                .help(format!(
                    "allow more calls with `--at-most N`, ask for a number of them with `--times N`, or say which change is \
                     little enough: `--until \"max |{name}' - {name}| < 1e-8\"`",
                )),
        })
    }

    /// The refusal of a result as the next argument.
    pub(super) fn not_next(&self, name: &str, why: String) -> Failure {
        let f = &self.function;
        self.fail(
            err!(E0538, f.span, "the result of `{}` cannot be its next argument `{name}`", f.name)
                .label("of this function")
                .note(why)
                .help("`--iterate X` names a parameter with the element type and the shape of the result, in a format where it has one"),
        )
    }

    /// The place of the parameter that a result may replace.
    fn replaceable(&self, name: &str, first: &Bound<'_>) -> Result<usize, Failure> {
        let f = &self.function;
        let refuse = |why| self.not_next(name, why);
        let Some(place) = f.params.iter().position(|p| p.name == name) else {
            return Err(refuse(match f.sparse.iter().any(|s| s.name == name) {
                true => format!("`{name}` has a format, and the result has none"),
                false => format!("`{}` has no parameter `{name}`", f.name),
            }));
        };
        let (param, found) = (&f.params[place], first.inputs[place].shape());
        if f.assembled().is_some() {
            return Err(refuse(format!("the result has a format, and `{name}` has none")));
        }
        if f.sparse.iter().any(|s| s.arrays.contains(&place)) {
            return Err(refuse(format!("`{name}` is an array of a format")));
        }
        if param.ty.elem != f.result.elem {
            return Err(refuse(format!(
                "its elements are `{}`, and those of `{name}` `{}`",
                f.result.elem, param.ty.elem
            )));
        }
        if first.output != found {
            return Err(refuse(format!("its shape is {:?}, and that of `{name}` {found:?}", first.output)));
        }
        Ok(place)
    }

    /// Whether what the parameter holds decides what is read, or is spoken of by a requirement: then it is checked each time.
    fn reads_as_index(&self, place: usize) -> bool {
        let param = &self.function.params[place];
        let indexes = self.kernel.index_reads().iter().any(|read| **read == self.kernel.params[place].name);
        let stated = self.function.requires_all.iter().any(|all| {
            let bounds =
                all.variables.iter().any(|v| v.lo.mentions(param.level) || v.hi.mentions(param.level));
            bounds || all.holds.mentions(param.level)
        });
        indexes || stated
    }

    /// The arguments with this value for one of them, all of them checked.
    fn bind_anew<'a>(
        &self,
        arguments: &[Named<'a>],
        sizes: &[(&str, i64)],
        place: usize,
        value: &'a Buffer,
    ) -> Result<Bound<'a>, Failure> {
        let replaced = &self.function.params[place].name;
        let named =
            |(name, view): &Named<'a>| (*name, if name == replaced { value.view() } else { view.clone() });
        self.bind(&arguments.iter().map(named).collect::<Vec<_>>(), sizes)
    }

    /// The same where the others were seen, and of this one no more is required than that its elements are ones.
    fn bind_again<'a>(
        &self,
        first: &Bound<'a>,
        place: usize,
        value: &'a Buffer,
    ) -> Result<Bound<'a>, Failure> {
        carrier(&self.function.params[place], &value.view()).map_err(|d| self.fail(*d))?;
        let mut inputs = first.inputs.clone();
        inputs[place] = value.view();
        Ok(Bound {
            sizes: first.sizes.clone(),
            inputs,
            output: first.output.clone(),
            memory: first.memory.clone(),
            ends: first.ends.clone(),
            kernel: first.kernel.clone(),
        })
    }
}
