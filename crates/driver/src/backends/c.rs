//! C by the machine's compiler, loaded into this process.
//!
//! Loading is the driver's one `unsafe` block: the promise that compiled code stays inside the arrays of the function's
//! shapes, which is what was proved before it was printed.
#![allow(unsafe_code)]

use super::{Backend, Options, Run};
use crate::call::{CallError, Last, admitted};
use crate::scheduled::Lowered;
use crate::validate::serve;
use atl_backend_c::{CSource, print_kernel};
use atl_kernel::{Rounding, Scalar};
use atl_loops::Name;
use atl_runtime::cc::{CompileError, Compiler, compile_shared, supports_openmp};
use atl_runtime::{
    Access, Argument, BufferView, BufferViewMut, DType, Functions, Growing, KernelError, LoadedKernel,
    Parameter, Signature,
};
use std::path::{Path, PathBuf};

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
pub fn wants_openmp(lowered: &Lowered, cache: &Path) -> bool {
    lowered.kernel.is_parallel() && supports_openmp(cache)
}

/// The C source of a program.
pub fn source(lowered: &Lowered, options: &atl_backend_c::Options) -> Result<CSource, String> {
    print_kernel(&lowered.kernel, options)
        .map_err(|violations| violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

struct Loaded(LoadedKernel);

/// The library of a printed kernel.
pub(crate) fn library(source: &CSource, flags: &[String], cache: &Path) -> Result<PathBuf, CompileError> {
    compile_shared(&source.c, flags, cache)
}

/// The kernel in a library that was compiled of this source.
pub(crate) fn loaded(
    lowered: &Lowered,
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
    let (function, kernel, last) = (lowered.function.clone(), lowered.kernel.clone(), Last::none());
    let signature = Signature {
        sizes: lowered.kernel.sizes.iter().map(ToString::to_string).collect(),
        parameters: parameters.collect(),
        shapes: Box::new(move |sizes| last.of(sizes.to_vec(), |sizes| admitted(&function, &kernel, sizes))),
    };
    let functions = Functions { entry: &source.trampoline, release: source.release.as_deref() };
    // SAFETY: the library was compiled from the printed kernel, whose accesses were proved to lie in arrays of the
    // function's shapes for every size that its preconditions admit and for which index arithmetic
    // stays within 64 bits; `shapes` gives exactly those, and refuses others. Where indices are read from arrays, these were
    // checked, or promised, when they were bound: what is bound cannot change as long as it is borrowed. To release is an atomic step for each block.
    let kernel = unsafe { LoadedKernel::load(library, functions, signature) };
    let mut kernel = kernel.map_err(|e| e.to_string())?;
    if let Some(threads) = options.threads {
        kernel.set_threads(threads);
    }
    Ok(Box::new(Loaded(kernel)))
}

impl Run for Loaded {
    fn run(
        &self,
        sizes: &[i64],
        inputs: &[BufferView<'_>],
        output: BufferViewMut<'_>,
    ) -> Result<(), CallError> {
        let mut arguments: Vec<Argument<'_>> = inputs.iter().cloned().map(Argument::Read).collect();
        arguments.push(Argument::Write(output));
        self.call(sizes, &mut arguments)
    }

    fn overwrite(
        &self,
        sizes: &[i64],
        inputs: &[Option<BufferView<'_>>],
        array: BufferViewMut<'_>,
    ) -> Result<(), CallError> {
        let inputs = inputs.iter().cloned().map(|input| input.map_or(Argument::Over, Argument::Read));
        let mut arguments: Vec<Argument<'_>> = inputs.collect();
        arguments.push(Argument::Write(array));
        self.call(sizes, &mut arguments)
    }

    fn append(
        &self,
        sizes: &[i64],
        inputs: &[BufferView<'_>],
        outputs: &mut [Growing],
    ) -> Result<(), CallError> {
        let mut arguments: Vec<Argument<'_>> = inputs.iter().cloned().map(Argument::Read).collect();
        arguments.extend(outputs.iter_mut().map(Argument::Append));
        self.call(sizes, &mut arguments)
    }
}

impl Loaded {
    fn call(&self, sizes: &[i64], arguments: &mut [Argument<'_>]) -> Result<(), CallError> {
        self.0.call(sizes, arguments).map_err(|e| match e {
            KernelError::Failed { code: atl_backend_c::STATUS_NO_MEMORY } => CallError::NoMemory,
            other => CallError::Backend(other.to_string()),
        })
    }
}

/// The runtime's name of an element type.
pub fn dtype(scalar: Scalar) -> DType {
    match scalar {
        Scalar::F32 => DType::F32,
        Scalar::F64 => DType::F64,
        Scalar::I32 => DType::I32,
        Scalar::I64 => DType::I64,
        Scalar::U8 => DType::U8,
        Scalar::Bool => DType::Bool,
    }
}
