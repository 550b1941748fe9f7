//! Iteration: the result of a call is an argument of the next, a number of times or until it does not change.
//!
//! The one idea: a step is a kernel like any other, with its theorem, and what repeats it is this loop. So the meaning of
//! an iteration is that of the function, applied again and again, in the interpreter as in compiled code. Arguments are checked
//! once; of the one that changes, what was checked of its contents is checked each time. Which call was the last to change an element is
//! worth knowing too: of a search, it is how far away a vertex is.

use super::binding::carrier;
use super::{Bound, CallError, Compiled, Named};
use crate::arguments::Arguments;
use crate::failure::Failure;
use atl_diag::err;
use atl_runtime::Buffer;

/// When an iteration ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// After so many calls.
    Times(u64),
    /// When a call gives back its argument, bit for bit; refused if that takes more calls than this.
    Stable(u64),
}

/// Where an iteration ended.
#[derive(Debug)]
pub struct Reached {
    /// The last result; the argument itself if there was no call.
    pub value: Buffer,
    /// How many calls there were. Of those until stable, the last one changed nothing.
    pub calls: u64,
}

impl Compiled {
    /// Call it again and again, each time with the last result for the parameter of this name.
    ///
    /// # Errors
    /// As for [`Compiled::call`]; the result is no argument for the parameter; it is not stable after so many calls.
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
        self.iterated(name, until, given, first, &mut |_, _, _| {})
    }

    /// The same, and for each element the number of the last call that changed it, bit for bit; 0 where none did.
    ///
    /// # Errors
    /// As for [`Compiled::iterate`].
    pub fn iterate_since<'a>(
        &self,
        name: &str,
        until: Until,
        given: &'a Arguments,
        first: &Bound<'a>,
    ) -> Result<(Reached, Buffer), Failure> {
        let mut since: Vec<i64> = vec![0; first.output.iter().product()];
        let reached = self.iterated(name, until, given, first, &mut |calls, before, after| {
            let calls = i64::try_from(calls).unwrap_or(i64::MAX);
            let size = after.dtype().size();
            let elements = before.as_bytes().chunks_exact(size).zip(after.as_bytes().chunks_exact(size));
            for (since, (before, after)) in since.iter_mut().zip(elements) {
                if before != after {
                    *since = calls;
                }
            }
        })?;
        let since = Buffer::from_slice(&since, &first.output);
        since.map(|since| (reached, since)).map_err(|_| self.failed(CallError::NoMemory))
    }

    fn iterated<'a>(
        &self,
        name: &str,
        until: Until,
        given: &'a Arguments,
        first: &Bound<'a>,
        watch: &mut dyn FnMut(u64, &Buffer, &Buffer),
    ) -> Result<Reached, Failure> {
        let (arguments, sizes) = (given.arrays(), given.sizes());
        let place = self.replaceable(name, first)?;
        let start = given.arrays.iter().find(|(known, _)| known == name);
        let mut value = start.map_or_else(|| self.allocate(first), |(_, buffer)| Ok(buffer.clone()))?;
        let mut next = self.allocate(first)?;
        let limit = match until {
            Until::Times(n) | Until::Stable(n) => n,
        };
        for calls in 1..=limit {
            let again = self.bind_again(&arguments, &sizes, first, place, &value)?;
            self.run(&again, next.view_mut())?;
            drop(again);
            if until != Until::Times(limit) && next.as_bytes() == value.as_bytes() {
                return Ok(Reached { value, calls });
            }
            watch(calls, &value, &next);
            std::mem::swap(&mut value, &mut next);
        }
        match until {
            Until::Times(calls) => Ok(Reached { value, calls }),
            Until::Stable(limit) => Err(self.fail(
                err!(
                    E0539,
                    self.function.span,
                    "`{name}` still changes after {limit} calls of `{}`",
                    self.function.name
                )
                .label("this step was repeated")
                .note("an iteration is stable when a call gives back its argument, bit for bit")
                .help("allow more calls with `--at-most N`, or ask for a number of them with `--times N`"),
            )),
        }
    }

    /// The place of the parameter that a result may replace.
    fn replaceable(&self, name: &str, first: &Bound<'_>) -> Result<usize, Failure> {
        let f = &self.function;
        let refuse = |why: String| {
            self.fail(
                err!(E0538, f.span, "the result of `{}` cannot be its next argument `{name}`", f.name)
                    .label("of this function")
                    .note(why)
                    .help("`--iterate X` names a parameter with the element type, the shape and the format of the result"),
            )
        };
        let Some(place) = f.params.iter().position(|p| p.name == name) else {
            return Err(refuse(match f.sparse.iter().any(|s| s.name == name) {
                true => format!("`{name}` has a format, and an iteration is over a dense tensor"),
                false => format!("`{}` has no parameter `{name}`", f.name),
            }));
        };
        let (param, found) = (&f.params[place], first.inputs[place].shape());
        if f.assembled().is_some() {
            return Err(refuse(
                "the result has a format, and an iteration is over a dense tensor".to_owned(),
            ));
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

    /// The arguments with this value for one of them. What holds of the others was seen.
    fn bind_again<'a>(
        &self,
        arguments: &[Named<'a>],
        sizes: &[(&str, i64)],
        first: &Bound<'a>,
        place: usize,
        value: &'a Buffer,
    ) -> Result<Bound<'a>, Failure> {
        let param = &self.function.params[place];
        let indexes = self.kernel.index_reads().iter().any(|read| **read == self.kernel.params[place].name);
        let stated = self.function.requires_all.iter().any(|all| {
            let bounds =
                all.variables.iter().any(|v| v.lo.mentions(param.level) || v.hi.mentions(param.level));
            bounds || all.holds.mentions(param.level)
        });
        if indexes || stated {
            let named = |(name, view): &Named<'a>| {
                (*name, if *name == param.name { value.view() } else { view.clone() })
            };
            return self.bind(&arguments.iter().map(named).collect::<Vec<_>>(), sizes);
        }
        carrier(param, &value.view()).map_err(|d| self.fail(*d))?;
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
