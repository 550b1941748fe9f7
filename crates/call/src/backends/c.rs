//! C by the machine's compiler, loaded into this process.
//!
//! Loading is this crate's one `unsafe` block: the promise that compiled code stays inside the arrays of the
//! function's shapes, which is what was proved before it was printed.
#![allow(unsafe_code)]

use super::{Backend, CallError, Options, Run, RunAt, Target};
use crate::index_overflow::admitted;
use crate::validate::serve;
use atl_backend_c::{CSource, print_kernel};
use atl_kernel::Rounding;
use atl_loops::Name;
use atl_runtime::cc::{CompileError, Compiler, compile_shared, supports_openmp};
use atl_runtime::{
    Access, Argument, BufferView, Functions, KernelAt, KernelError, LoadedKernel, Parameter, Signature,
};
use atl_session::Ready;
use atl_session::elements::dtype;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// See the module.
pub static BACKEND: Backend = Backend {
    name: "c",
    summary: "C by this machine's compiler; vector loops, OpenMP threads",
    unavailable: || Compiler::find().err().map(|e| e.to_string()),
    compile: serve,
};

/// The printer's options for a program: flags follow its rounding class.
pub fn printer_options(rounding: Rounding, openmp: bool) -> atl_backend_c::Options {
    let rounding = match rounding {
        Rounding::Bitwise => atl_backend_c::Rounding::Bitwise,
        Rounding::Finite => atl_backend_c::Rounding::Finite,
        Rounding::Real => atl_backend_c::Rounding::Real,
    };
    atl_backend_c::Options { rounding, openmp }
}

/// Whether a program is to be compiled with OpenMP: it has parallel loops, and the compiler knows of threads.
pub fn wants_openmp(lowered: &Ready, cache: &Path) -> bool {
    lowered.kernel.is_parallel() && supports_openmp(cache)
}

/// The C source of a program.
pub fn source(lowered: &Ready, options: &atl_backend_c::Options) -> Result<CSource, String> {
    print_kernel(&lowered.kernel, options)
        .map_err(|violations| violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

struct Loaded(Arc<LoadedKernel>);

struct LoadedAt(KernelAt);

/// The library of a printed kernel.
pub(crate) fn library(source: &CSource, flags: &[String], cache: &Path) -> Result<PathBuf, CompileError> {
    compile_shared(&source.c, flags, cache)
}

/// The kernel in a library that was compiled of this source.
pub(crate) fn loaded(
    lowered: &Ready,
    source: &CSource,
    library: &Path,
    options: Options,
) -> Result<Box<dyn Run>, String> {
    let position = |name: &Name| lowered.kernel.params.iter().position(|param| param.name == *name);
    let parameters = lowered.kernel.params.iter().map(|p| Parameter {
        name: p.name.to_string(),
        dtype: dtype(p.scalar),
        access: match p.access {
            atl_loops::Access::Read => Access::Read,
            atl_loops::Access::Write | atl_loops::Access::Stream => Access::Write,
            atl_loops::Access::Append => Access::Append,
        },
        over: p.over.as_ref().and_then(position),
    });
    let (ours, kernel) = (lowered.signature.clone(), lowered.kernel.clone());
    let signature = Signature {
        sizes: lowered.kernel.sizes.iter().map(ToString::to_string).collect(),
        parameters: parameters.collect(),
        shapes: Box::new(move |sizes| admitted(&ours, &kernel, sizes)),
    };
    let functions =
        Functions { entry: &source.declaration.trampoline, release: source.declaration.release.as_deref() };
    // SAFETY: the library was compiled from the printed kernel, whose accesses were proved to lie in arrays
    // of the function's shapes for every size that its preconditions admit and for which index arithmetic
    // stays within 64 bits; `shapes` gives exactly those, and refuses others. Where indices are read from
    // arrays, these were checked, or promised, when they were bound: what is bound cannot change as long as
    // it is borrowed. To release is an atomic step for each block.
    let kernel = unsafe { LoadedKernel::load(library, functions, signature) };
    let mut kernel = kernel.map_err(|e| e.to_string())?;
    if let Some(threads) = options.threads {
        kernel.set_threads(threads);
    }
    Ok(Box::new(Loaded(Arc::new(kernel))))
}

impl Run for Loaded {
    fn at(&self, sizes: &[i64]) -> Result<Arc<dyn RunAt>, CallError> {
        Ok(Arc::new(LoadedAt(self.0.at(sizes).map_err(failed)?)))
    }
}

impl RunAt for LoadedAt {
    fn run(&self, inputs: &[BufferView<'_>], result: Target<'_>) -> Result<(), CallError> {
        let read = inputs.iter().map(Argument::Read);
        let done = match result {
            Target::Dense(output) => self.0.call(read.chain([Argument::Write(output)])),
            Target::Several(outputs) => self.0.call(read.chain(outputs.into_iter().map(Argument::Write))),
            Target::Over(place, array) => {
                let over = |(k, argument)| if k == place { Argument::Over } else { argument };
                self.0.call(read.enumerate().map(over).chain([Argument::Write(array)]))
            }
            Target::Arrays(arrays) => self.0.call(read.chain(arrays.iter_mut().map(Argument::Append))),
        };
        done.map_err(failed)
    }
}

fn failed(why: KernelError) -> CallError {
    match why {
        KernelError::Failed { code: atl_backend_c::STATUS_NO_MEMORY } => CallError::NoMemory,
        other => CallError::Backend(other.to_string()),
    }
}
