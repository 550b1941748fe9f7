//! One call of machine code, compared with the interpreter of loops.
//!
//! One idea: whatever a kernel must not do leaves a trace. Each array stands between cells that no kernel may
//! touch, and those of the result hold at first what they must not hold in the end, bit for bit; so a store
//! that is missing, or is one too many, and a read past an end are as visible as a wrong number. Arrays that
//! are read must be as they were.

use super::guarded::Guarded;
use crate::agree::agree;
use crate::arguments::Arguments;
use crate::backends::loops::cells;
use crate::backends::{Run, Target};
use crate::call::{Compiled, Memory};
use atl_kernel::Rounding;
use atl_loops::Kernel;
use atl_loops::interp::{Cells, Event, Options, RunError, Searches, Trap, TrapKind, observe};
use atl_runtime::{Buffer, BufferView, with_element};
use atl_session::elements::dtype;
use atl_session::signature::Storage;
use std::fmt;

/// A call, and what it must give.
pub(super) struct Trial {
    pub(super) arguments: Arguments,
    /// The result, or the arrays of its format.
    pub(super) expected: Vec<Buffer>,
    /// How much the interpreter did.
    pub(super) work: u64,
}

/// Why there is nothing to compare with.
pub(super) enum Stopped {
    /// It is more than was to be spent.
    TooMuch,
    /// The loops do what they must not, or the arguments are wrong, as this text says.
    Trapped(String),
}

/// How machine code differs from its loops.
#[derive(Clone, Debug)]
pub(super) enum Difference {
    /// A cell of a result holds something else.
    Cells { output: String, differing: usize, of: usize, first: usize, expected: String, found: String },
    /// A result has another length.
    Length { output: String, expected: usize, found: usize },
    /// It stored outside of its result.
    Outside { output: String },
    /// It stored to an array that is only read.
    Stored { input: String },
    /// It did not come to its end.
    Failed(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Cells { output, differing, of, first, expected, found } => write!(
                f,
                "{differing} of {of} cells of `{output}` differ: the first is cell {first}, {found} where the loops give {expected}"
            ),
            Difference::Length { output, expected, found } => {
                write!(f, "`{output}` has {found} elements where the loops give {expected}")
            }
            Difference::Outside { output } => write!(f, "it stores outside of `{output}`"),
            Difference::Stored { input } => write!(f, "it stores to `{input}`, which it may only read"),
            Difference::Failed(why) => write!(f, "it fails: {why}"),
        }
    }
}

impl Trial {
    /// What the loops give for these arguments, by the interpreter, in at most this number of steps.
    pub(super) fn interpreted(
        meaning: &Compiled,
        loops: &Kernel,
        arguments: Arguments,
        steps: u64,
    ) -> Result<Trial, Stopped> {
        let trapped = |why: String| Stopped::Trapped(why);
        let bound = meaning.call(&arguments.arrays(), &arguments.sizes()).bind();
        let bound = bound.map_err(|why| trapped(why.to_string()))?;
        let inputs = bound.inputs().iter().map(cells).collect::<Result<Vec<_>, _>>();
        let inputs = inputs.map_err(|why| trapped(why.to_string()))?;
        let cells = usize::try_from(steps).unwrap_or(usize::MAX);
        let options = Options { steps, cells, searches: Searches::All };
        let mut work = inputs.iter().map(|cells| cells.len() as u64).sum();
        let outputs = observe(loops, bound.sizes(), &inputs, options, &mut |event| match event {
            Event::Entered { turns, .. } => work += turns,
            Event::Stored { .. } => work += 1,
            _ => {}
        });
        let outputs = outputs.map_err(|why| match why {
            RunError::Trap(Trap { kind: TrapKind::OutOfSteps | TrapKind::TooLarge(_), .. }) => {
                Stopped::TooMuch
            }
            why => Stopped::Trapped(why.to_string()),
        })?;
        let is_sparse = matches!(meaning.signature().result.storage, Storage::Sparse { .. });
        let shapes: Vec<&[usize]> =
            std::iter::once(bound.memory_shape()).chain(bound.shapes().skip(1)).collect();
        let shaped = |(k, cells): (usize, &Cells)| {
            let len = [cells.len()];
            let shape = shapes.get(k).filter(|_| !is_sparse).copied();
            buffer(cells, shape.unwrap_or(&len))
        };
        let expected = outputs.iter().enumerate().map(shaped).collect::<Result<_, _>>().map_err(trapped)?;
        drop(shapes);
        drop(bound);
        Ok(Trial { arguments, expected, work })
    }

    /// What a back end gives for these arguments, to be compared with another's.
    pub(super) fn by(meaning: &Compiled, run: &dyn Run, arguments: Arguments) -> Result<Trial, Stopped> {
        let trapped = |why: String| Stopped::Trapped(why);
        let bound = meaning.call(&arguments.arrays(), &arguments.sizes()).bind();
        let bound = bound.map_err(|why| trapped(why.to_string()))?;
        let mut memory = bound.memory().map_err(|why| trapped(why.to_string()))?;
        let done = run.at(bound.sizes()).and_then(|run| run.run(bound.inputs(), memory.target()));
        done.map_err(|why| trapped(why.to_string()))?;
        let expected = memory.arrays().map_err(|why| trapped(why.to_string()))?;
        drop(bound);
        Ok(Trial { arguments, expected, work: 0 })
    }

    /// The first thing in which a kernel differs from what it must give, if there is one. Numbers are
    /// compared bit for bit, but that the bits of a NaN are the machine's; up to rounding where a compiler
    /// may fuse operations.
    pub(super) fn difference(
        &self,
        meaning: &Compiled,
        loops: &Kernel,
        run: &dyn Run,
        rounding: Rounding,
    ) -> Option<Difference> {
        self.compared(meaning, loops, run, rounding).unwrap_or_else(|why| Some(Difference::Failed(why)))
    }

    fn compared(
        &self,
        meaning: &Compiled,
        loops: &Kernel,
        run: &dyn Run,
        rounding: Rounding,
    ) -> Result<Option<Difference>, String> {
        let bound = meaning.call(&self.arguments.arrays(), &self.arguments.sizes()).bind();
        let bound = bound.map_err(|why| why.to_string())?;
        let guarded =
            bound.inputs().iter().map(|view| Guarded::copy_of(view)).collect::<Result<Vec<_>, _>>()?;
        let inputs: Vec<BufferView<'_>> = guarded.iter().map(Guarded::view).collect::<Result<_, _>>()?;
        let outputs: Vec<&str> =
            loops.params.iter().filter(|p| p.access.is_output()).map(|p| p.name.as_str()).collect();
        let run = run.at(bound.sizes()).map_err(|why| why.to_string())?;
        let mut memory = bound.memory().map_err(|why| why.to_string())?;
        let in_place = matches!(memory, Memory::Dense(_));
        let results = if !matches!(memory, Memory::Arrays(_)) {
            let mut guards = self.expected.iter().map(Guarded::opposite_of).collect::<Result<Vec<_>, _>>()?;
            let mut views = guards.iter_mut().map(Guarded::view_mut).collect::<Result<Vec<_>, _>>()?;
            let target = match (in_place, views.len()) {
                (true, 1) => Target::Dense(views.remove(0)),
                (true, _) => return Err("the loops give another number of results".to_owned()),
                (false, _) => Target::Several(views),
            };
            run.run(&inputs, target).map_err(|why| why.to_string())?;
            if let Some(k) = guards.iter().position(|result| !result.is_intact()) {
                let output = outputs.get(k).copied().unwrap_or_default();
                return Ok(Some(Difference::Outside { output: output.to_owned() }));
            }
            let mut results = guards.iter().map(Guarded::content).collect::<Result<Vec<_>, _>>()?;
            let output = outputs.first().copied().unwrap_or_default();
            if let Some(over) = meaning.signature().result.over {
                // The same call in place: the argument's memory is the result's.
                let mut result = Guarded::copy_of(&bound.inputs()[over])?;
                let target = Target::Over(over, result.view_mut()?);
                run.run(&inputs, target).map_err(|why| why.to_string())?;
                if !result.is_intact() {
                    return Ok(Some(Difference::Outside { output: output.to_owned() }));
                }
                results.push(result.content()?);
            }
            results
        } else {
            run.run(&inputs, memory.target()).map_err(|why| why.to_string())?;
            memory.arrays().map_err(|why| why.to_string())?
        };
        let stored = guarded.iter().zip(bound.inputs()).position(|(copy, view)| !copy.is_copy_of(view));
        if let Some(input) = stored {
            let input = loops.params.get(input).map(|p| p.name.to_string()).unwrap_or_default();
            return Ok(Some(Difference::Stored { input }));
        }
        let as_found = if rounding == Rounding::Real { Rounding::Real } else { Rounding::Bitwise };
        Ok(results.iter().enumerate().find_map(|(k, found)| {
            // A result that was stored over an argument is the same result.
            let which = if in_place { 0 } else { k };
            let (expected, name) =
                (self.expected.get(which)?, outputs.get(which).copied().unwrap_or_default());
            differs(name, expected, found, as_found)
        }))
    }
}

fn differs(output: &str, expected: &Buffer, found: &Buffer, rounding: Rounding) -> Option<Difference> {
    let output = output.to_owned();
    if expected.len() != found.len() {
        return Some(Difference::Length { output, expected: expected.len(), found: found.len() });
    }
    if agree(expected, found, rounding) {
        return None;
    }
    let texts = |buffer: &Buffer| super::report::literals(buffer);
    let (expected, found) = (texts(expected), texts(found));
    let differing: Vec<usize> = (0..expected.len()).filter(|k| expected[*k] != found[*k]).collect();
    let first = differing.first().copied().unwrap_or(0);
    let text = |all: &[String]| all.get(first).cloned().unwrap_or_default();
    Some(Difference::Cells {
        output,
        differing: differing.len(),
        of: expected.len(),
        first,
        expected: text(&expected),
        found: text(&found),
    })
}

/// The interpreter's cells as an array.
fn buffer(cells: &Cells, shape: &[usize]) -> Result<Buffer, String> {
    let found = with_element!(dtype(cells.scalar()), T => Buffer::from_vec(cells.to_vec::<T>(), shape));
    found.map_err(|why| why.to_string())
}
