//! Machine code in process, without a C compiler.

use super::{Backend, Run};
use crate::call::CallError;
use atl_backend_cranelift::{Appended, Arg, Jitted, compile};
use atl_kernel::Scalar;
use atl_runtime::{BufferView, BufferViewMut, DType, Growing};
use std::sync::Mutex;

/// See the module.
pub static BACKEND: Backend = Backend {
    name: "cranelift",
    summary: "machine code in process; scalar, one thread, no compiler needed",
    unavailable: || None,
    compile: |lowered, _| {
        Ok(Box::new(Code(Mutex::new(compile(&lowered.kernel).map_err(|e| e.to_string())?))))
    },
};

/// The code, called by one thread at a time.
struct Code(Mutex<Jitted>);

impl Run for Code {
    fn run(
        &self,
        sizes: &[i64],
        inputs: &[BufferView<'_>],
        mut output: BufferViewMut<'_>,
    ) -> Result<(), CallError> {
        let mut args = Vec::new();
        for view in inputs {
            args.push(input(view)?);
        }
        args.push(output_arg(&mut output)?);
        self.call(sizes, &mut args)
    }

    fn overwrite(
        &self,
        sizes: &[i64],
        inputs: &[Option<BufferView<'_>>],
        mut array: BufferViewMut<'_>,
    ) -> Result<(), CallError> {
        let over = scalar(array.dtype());
        let mut args = Vec::new();
        for view in inputs {
            args.push(match view {
                Some(view) => input(view)?,
                None => Arg::over(over),
            });
        }
        args.push(output_arg(&mut array)?);
        self.call(sizes, &mut args)
    }

    fn append(
        &self,
        sizes: &[i64],
        inputs: &[BufferView<'_>],
        outputs: &mut [Growing],
    ) -> Result<(), CallError> {
        let mut found: Vec<Appended> = outputs.iter().map(|to| Appended::new(scalar(to.dtype()))).collect();
        let mut args = inputs.iter().map(input).collect::<Result<Vec<_>, _>>()?;
        args.extend(found.iter_mut().map(Arg::appended));
        self.call(sizes, &mut args)?;
        for (to, from) in outputs.iter_mut().zip(&found) {
            match to.dtype() {
                DType::F32 => to.fill(from.cells::<f32>()),
                DType::F64 => to.fill(from.cells::<f64>()),
                DType::I32 => to.fill(from.cells::<i32>()),
                DType::I64 => to.fill(from.cells::<i64>()),
                DType::U8 => to.fill(from.cells::<u8>()),
                DType::Bool => to.fill(from.cells::<bool>()),
            }
            .map_err(|_| CallError::NoMemory)?;
        }
        Ok(())
    }
}

impl Code {
    fn call(&self, sizes: &[i64], args: &mut [Arg<'_>]) -> Result<(), CallError> {
        let code = self.0.lock().map_err(|_| CallError::Backend("an earlier call panicked".to_owned()))?;
        code.call(sizes, args).map_err(|e| match e {
            atl_backend_cranelift::CallError::NoMemory => CallError::NoMemory,
            other => CallError::Backend(other.to_string()),
        })
    }
}

macro_rules! by_dtype {
    ($view:expr, $slice:ident, $make:path) => {
        match $view.dtype() {
            DType::F32 => $view.$slice::<f32>().map($make),
            DType::F64 => $view.$slice::<f64>().map($make),
            DType::I32 => $view.$slice::<i32>().map($make),
            DType::I64 => $view.$slice::<i64>().map($make),
            DType::U8 => $view.$slice::<u8>().map($make),
            DType::Bool => $view.$slice::<bool>().map($make),
        }
        .map_err(|e| CallError::Backend(e.to_string()))
    };
}

fn scalar(dtype: DType) -> Scalar {
    match dtype {
        DType::F32 => Scalar::F32,
        DType::F64 => Scalar::F64,
        DType::I32 => Scalar::I32,
        DType::I64 => Scalar::I64,
        DType::U8 => Scalar::U8,
        DType::Bool => Scalar::Bool,
    }
}

fn input<'a>(view: &'a BufferView<'_>) -> Result<Arg<'a>, CallError> {
    by_dtype!(view, as_slice, Arg::input)
}

fn output_arg<'a>(view: &'a mut BufferViewMut<'_>) -> Result<Arg<'a>, CallError> {
    by_dtype!(view, as_mut_slice, Arg::output)
}
