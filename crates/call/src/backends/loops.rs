//! The loop IR's interpreter, which traps on every access that compiled code must not make.

use super::{Backend, CallError, Run, RunAt, Target, run_apart};
use atl_loops::Kernel;
use atl_loops::interp::{Cells, Options, RunError, Trap, TrapKind, interpret};
use atl_runtime::{BufferView, BufferViewMut, Growing, with_element};
use atl_session::elements::dtype;
use std::sync::Arc;

/// See the module.
pub static BACKEND: Backend = Backend {
    name: "loops",
    summary: "the loops interpreted, every access checked; slow",
    unavailable: || None,
    compile: |lowered, _| {
        let kernel = lowered.device.as_ref().unwrap_or(&lowered.kernel);
        Ok(Box::new(Interpreted(Arc::new(kernel.clone()))))
    },
};

struct Interpreted(Arc<Kernel>);

struct InterpretedAt {
    kernel: Arc<Kernel>,
    sizes: Vec<i64>,
}

impl Run for Interpreted {
    fn at(&self, sizes: &[i64]) -> Result<Arc<dyn RunAt>, CallError> {
        Ok(Arc::new(InterpretedAt { kernel: self.0.clone(), sizes: sizes.to_vec() }))
    }
}

impl RunAt for InterpretedAt {
    fn run(&self, inputs: &[BufferView<'_>], result: Target<'_>) -> Result<(), CallError> {
        match result {
            Target::Dense(mut output) => {
                self.outputs(inputs)?.iter().try_for_each(|cells| copy(cells, &mut output))
            }
            Target::Several(mut outputs) => {
                self.outputs(inputs)?.iter().zip(&mut outputs).try_for_each(|(cells, to)| copy(cells, to))
            }
            Target::Over(place, array) => run_apart(inputs, place, array, |inputs, mut output| {
                self.outputs(inputs)?.iter().try_for_each(|cells| copy(cells, &mut output))
            }),
            Target::Arrays(arrays) => {
                let outputs = self.outputs(inputs)?;
                outputs.iter().zip(arrays).try_for_each(|(cells, to)| filled(to, cells))
            }
        }
    }
}

impl InterpretedAt {
    fn outputs(&self, inputs: &[BufferView<'_>]) -> Result<Vec<Cells>, CallError> {
        let cells = inputs.iter().map(cells).collect::<Result<Vec<_>, _>>()?;
        let options = Options { steps: u64::MAX, ..Options::default() };
        interpret(&self.kernel, &self.sizes, &cells, options).map_err(|why| match why {
            RunError::Trap(Trap {
                kind: TrapKind::OutOfSteps | TrapKind::TooLarge(_) | TrapKind::Overflow(_),
                ..
            }) => CallError::Limit(why.to_string()),
            why => backend(why),
        })
    }
}

fn filled(to: &mut Growing, cells: &Cells) -> Result<(), CallError> {
    with_element!(dtype(cells.scalar()), T => to.fill(&cells.to_vec::<T>())).map_err(backend)
}

fn backend(e: impl ToString) -> CallError {
    CallError::Backend(e.to_string())
}

/// An array as the interpreter takes it.
pub fn cells(view: &BufferView<'_>) -> Result<Cells, CallError> {
    with_element!(view.dtype(), T => view.as_slice::<T>().map(Cells::of)).map_err(backend)
}

fn copy(cells: &Cells, output: &mut BufferViewMut<'_>) -> Result<(), CallError> {
    with_element!(output.dtype(), T => {
        output.as_mut_slice().map_err(backend)?.copy_from_slice(&cells.to_vec::<T>());
    });
    Ok(())
}
