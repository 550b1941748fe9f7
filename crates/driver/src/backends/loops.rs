//! The loop IR's interpreter, which traps on every access that compiled code must not make.

use super::{Backend, Run};
use crate::call::CallError;
use atl_loops::Kernel;
use atl_loops::interp::{Cells, Options, RunError, Trap, TrapKind, interpret};
use atl_runtime::{BufferView, BufferViewMut, DType, Growing};

/// See the module.
pub static BACKEND: Backend = Backend {
    name: "loops",
    summary: "the loops interpreted, every access checked; slow",
    unavailable: || None,
    compile: |lowered, _| {
        Ok(Box::new(Interpreted(lowered.device.as_ref().unwrap_or(&lowered.kernel).clone())))
    },
};

struct Interpreted(Kernel);

impl Run for Interpreted {
    fn run(
        &self,
        sizes: &[i64],
        inputs: &[BufferView<'_>],
        mut output: BufferViewMut<'_>,
    ) -> Result<(), CallError> {
        for result in &self.outputs(sizes, inputs)? {
            copy(result, &mut output)?;
        }
        Ok(())
    }

    fn append(
        &self,
        sizes: &[i64],
        inputs: &[BufferView<'_>],
        outputs: &mut [Growing],
    ) -> Result<(), CallError> {
        for (result, to) in self.outputs(sizes, inputs)?.iter().zip(outputs) {
            match result {
                Cells::F32(v) => to.fill(v),
                Cells::F64(v) => to.fill(v),
                Cells::I32(v) => to.fill(v),
                Cells::I64(v) => to.fill(v),
                Cells::U8(v) => to.fill(v),
                Cells::Bool(v) => to.fill(v),
            }
            .map_err(backend)?;
        }
        Ok(())
    }
}

impl Interpreted {
    fn outputs(&self, sizes: &[i64], inputs: &[BufferView<'_>]) -> Result<Vec<Cells>, CallError> {
        let cells = inputs.iter().map(cells).collect::<Result<Vec<_>, _>>()?;
        let options = Options { steps: u64::MAX, ..Options::default() };
        interpret(&self.0, sizes, &cells, options).map_err(|why| match why {
            RunError::Trap(Trap {
                kind: TrapKind::OutOfSteps | TrapKind::TooLarge(_) | TrapKind::Overflow(_),
                ..
            }) => CallError::Limit(why.to_string()),
            why => backend(why),
        })
    }
}

fn backend(e: impl ToString) -> CallError {
    CallError::Backend(e.to_string())
}

/// An array as the interpreter takes it.
pub(crate) fn cells(view: &BufferView<'_>) -> Result<Cells, CallError> {
    Ok(match view.dtype() {
        DType::F32 => Cells::F32(view.as_slice().map_err(backend)?.to_vec()),
        DType::F64 => Cells::F64(view.as_slice().map_err(backend)?.to_vec()),
        DType::I32 => Cells::I32(view.as_slice().map_err(backend)?.to_vec()),
        DType::I64 => Cells::I64(view.as_slice().map_err(backend)?.to_vec()),
        DType::U8 => Cells::U8(view.as_slice().map_err(backend)?.to_vec()),
        DType::Bool => Cells::Bool(view.as_slice().map_err(backend)?.to_vec()),
    })
}

fn copy(cells: &Cells, output: &mut BufferViewMut<'_>) -> Result<(), CallError> {
    match cells {
        Cells::F32(v) => output.as_mut_slice().map_err(backend)?.copy_from_slice(v),
        Cells::F64(v) => output.as_mut_slice().map_err(backend)?.copy_from_slice(v),
        Cells::I32(v) => output.as_mut_slice().map_err(backend)?.copy_from_slice(v),
        Cells::I64(v) => output.as_mut_slice().map_err(backend)?.copy_from_slice(v),
        Cells::U8(v) => output.as_mut_slice().map_err(backend)?.copy_from_slice(v),
        Cells::Bool(v) => output.as_mut_slice().map_err(backend)?.copy_from_slice(v),
    }
    Ok(())
}
