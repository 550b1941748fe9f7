//! Machine code in process, without a C compiler.

use super::{Backend, CallError, Run, RunAt, Target};
use atl_backend_cranelift::{Appended, Arg, Jitted, compile};
use atl_runtime::{BufferView, BufferViewMut, Growing, with_element};
use atl_session::elements::scalar;
use std::sync::{Arc, Mutex};

/// See the module.
pub static BACKEND: Backend = Backend {
    name: "cranelift",
    summary: "machine code in process; scalar, one thread, no compiler needed",
    unavailable: || None,
    compile: |lowered, _| {
        let code = compile(&lowered.kernel).map_err(|e| e.to_string())?;
        Ok(Box::new(Code(Arc::new(Mutex::new(code)))))
    },
};

/// The code, called by one thread at a time.
struct Code(Arc<Mutex<Jitted>>);

struct CodeAt {
    code: Arc<Mutex<Jitted>>,
    sizes: Vec<i64>,
}

impl Run for Code {
    fn at(&self, sizes: &[i64]) -> Result<Arc<dyn RunAt>, CallError> {
        Ok(Arc::new(CodeAt { code: self.0.clone(), sizes: sizes.to_vec() }))
    }
}

impl RunAt for CodeAt {
    fn run(&self, inputs: &[BufferView<'_>], result: Target<'_>) -> Result<(), CallError> {
        let mut args = Vec::with_capacity(inputs.len() + 1);
        for view in inputs {
            args.push(input(view)?);
        }
        match result {
            Target::Dense(mut output) => {
                args.push(output_arg(&mut output)?);
                self.call(&mut args)
            }
            Target::Several(mut outputs) => {
                for output in &mut outputs {
                    args.push(output_arg(output)?);
                }
                self.call(&mut args)
            }
            Target::Over(place, mut array) => {
                if let Some(arg) = args.get_mut(place) {
                    *arg = Arg::over(scalar(array.dtype()));
                }
                args.push(output_arg(&mut array)?);
                self.call(&mut args)
            }
            Target::Arrays(arrays) => {
                let mut found: Vec<Appended> =
                    arrays.iter().map(|to| Appended::new(scalar(to.dtype()))).collect();
                args.extend(found.iter_mut().map(Arg::appended));
                self.call(&mut args)?;
                arrays.iter_mut().zip(&found).try_for_each(|(to, from)| filled(to, from))
            }
        }
    }
}

impl CodeAt {
    fn call(&self, args: &mut [Arg<'_>]) -> Result<(), CallError> {
        let code = self.code.lock().map_err(|_| CallError::Backend("an earlier call panicked".to_owned()))?;
        code.call(&self.sizes, args).map_err(|e| match e {
            atl_backend_cranelift::CallError::NoMemory => CallError::NoMemory,
            other => CallError::Backend(other.to_string()),
        })
    }
}

fn filled(to: &mut Growing, from: &Appended) -> Result<(), CallError> {
    with_element!(to.dtype(), T => to.fill(from.cells::<T>())).map_err(|_| CallError::NoMemory)
}

fn input<'a>(view: &'a BufferView<'_>) -> Result<Arg<'a>, CallError> {
    with_element!(view.dtype(), T => view.as_slice::<T>().map(Arg::input))
        .map_err(|e| CallError::Backend(e.to_string()))
}

fn output_arg<'a>(view: &'a mut BufferViewMut<'_>) -> Result<Arg<'a>, CallError> {
    with_element!(view.dtype(), T => view.as_mut_slice::<T>().map(Arg::output))
        .map_err(|e| CallError::Backend(e.to_string()))
}
