//! Loop IR to machine code in this process.
//!
//! [`compile`] takes a millisecond or so and needs no compiler on the machine. The code is scalar and runs on one thread:
//! parallel and vector loops run in order. What it computes is what [`atl_loops::val`] says, bit for bit.
//!
//! **Safety.** [`Jitted::call`] is safe for every kernel. The code compares each cell with the number of cells; a load
//! outside reads a zero, a store outside goes to a spare cell, and the call ends with [`CallError::OutOfBounds`]. Divisions
//! do not trap, scratch memory is zeroed before use, and failing to allocate it is an error. Index arithmetic wraps.
#![deny(missing_docs)]
#![allow(unsafe_code)]

mod appended;
mod args;
mod emit;
mod host;
mod marks;

pub use appended::Appended;
pub use args::{Arg, Element};

use atl_loops::interp::RunError;
use atl_loops::validate::{Violation, validate};
use atl_loops::{Access, Kernel};
use cranelift_codegen::ir::UserFuncName;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};
use std::fmt;

/// Why a kernel was not compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// It breaks rules of the validator.
    IllFormed(Vec<Violation>),
    /// The code generator refused it, or does not know this machine.
    Backend(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::IllFormed(violations) => {
                f.write_str("the kernel is ill-formed")?;
                violations.iter().try_for_each(|violation| write!(f, "; {violation}"))
            }
            Error::Backend(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

/// Why a call gave no result. The outputs then hold nothing of use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallError {
    /// The arguments do not fit the parameters.
    Arguments,
    /// The sizes do not satisfy the requirements.
    Refused,
    /// Scratch memory could not be allocated.
    NoMemory,
    /// The kernel touched a cell that a buffer does not have.
    OutOfBounds,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CallError::Arguments => "the arguments do not fit the parameters",
            CallError::Refused => "the sizes do not satisfy the requirements",
            CallError::NoMemory => "scratch memory could not be allocated",
            CallError::OutOfBounds => "the kernel touched a cell that a buffer does not have",
        })
    }
}

impl std::error::Error for CallError {}

/// Bits of the status that compiled code returns; 0 if all went well.
mod status {
    pub(crate) const NO_MEMORY: i64 = 1;
    pub(crate) const REFUSED: i64 = 2;
    pub(crate) const OUT_OF_BOUNDS: i64 = 4;
}

/// The type of compiled code.
type Function = unsafe extern "C" fn(*const i64, *const *mut u8) -> i32;

/// A compiled kernel.
pub struct Jitted {
    kernel: Kernel,
    function: Function,
    /// Owns the code; taken when it is freed.
    module: Option<JITModule>,
}

/// Compiles a kernel.
///
/// ```
/// use atl_backend_cranelift::{Arg, compile};
/// let text = "kernel double(N) in f32 x[N] out f32 y[N] { for i in 0..N { y[i] = x[i] + x[i] } }";
/// let double = compile(&atl_loops::parse_kernel(text)?)?;
/// let mut y = [0.0f32; 3];
/// double.call(&[3], &mut [Arg::input(&[1.0f32, 2.5, -1.0]), Arg::output(&mut y)])?;
/// assert_eq!(y, [2.0, 5.0, -2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compile(kernel: &Kernel) -> Result<Jitted, Error> {
    let violations = validate(kernel);
    if !violations.is_empty() {
        return Err(Error::IllFormed(violations));
    }
    let backend = |error: &dyn fmt::Display| Error::Backend(error.to_string());
    let mut flags = settings::builder();
    for (name, value) in [("opt_level", "speed"), ("use_colocated_libcalls", "false"), ("is_pic", "false")] {
        flags.set(name, value).map_err(|error| backend(&error))?;
    }
    let isa = cranelift_native::builder()
        .map_err(|error| backend(&error))?
        .finish(settings::Flags::new(flags))
        .map_err(|error| backend(&error))?;
    let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
    builder.symbols(host::symbols());
    let mut module = JITModule::new(builder);

    let mut context = module.make_context();
    let mut function_context = FunctionBuilderContext::new();
    let pointer = module.target_config().pointer_type();
    context.func.signature =
        emit::signature(&module, &[pointer, pointer], &[cranelift_codegen::ir::types::I32]);
    let id = module
        .declare_function("kernel", Linkage::Export, &context.func.signature)
        .map_err(|error| backend(&error))?;
    context.func.name = UserFuncName::user(0, id.as_u32());
    let function_builder = FunctionBuilder::new(&mut context.func, &mut function_context);
    emit::kernel(kernel, function_builder, &mut module)?;
    module.define_function(id, &mut context).map_err(|error| backend(&error))?;
    module.finalize_definitions().map_err(|error| backend(&error))?;
    let code = module.get_finalized_function(id);
    // SAFETY: the code at this address was compiled for the signature above, which is that of `Function` in the
    // platform's C calling convention, and lives as long as the module, which the result owns.
    let function = unsafe { std::mem::transmute::<*const u8, Function>(code) };
    Ok(Jitted { kernel: kernel.clone(), function, module: Some(module) })
}

impl Jitted {
    /// Runs the kernel on sizes and buffers, both in the order of the kernel.
    pub fn call(&self, sizes: &[i64], args: &mut [Arg<'_>]) -> Result<(), CallError> {
        let lengths = self.kernel.cell_counts(sizes).map_err(|error| match error {
            RunError::Refused(_) => CallError::Refused,
            _ => CallError::Arguments,
        })?;
        let params = &self.kernel.params;
        // Which parameter's memory is meant: the output's for an input that it is over.
        let whose = |k: usize| match args[k].is_over() {
            true => params.iter().position(|output| output.over.as_ref() == Some(&params[k].name)),
            false => Some(k),
        };
        let fits = args.len() == lengths.len()
            && params.iter().zip(&lengths).zip(args.iter()).all(|((param, length), arg)| {
                arg.scalar() == param.scalar
                    && (arg.len() == *length || arg.is_over())
                    && arg.is_output() == param.access.is_output()
                    && arg.is_appended() == (param.access == Access::Append)
            });
        let whose: Option<Vec<usize>> = fits.then(|| (0..args.len()).map(whose).collect()).flatten();
        let Some(whose) = whose else { return Err(CallError::Arguments) };
        if !args.iter_mut().all(Arg::begin) {
            return Err(CallError::NoMemory);
        }
        let own: Vec<*mut u8> = args.iter_mut().map(Arg::pointer).collect();
        let pointers: Vec<*mut u8> = whose.into_iter().map(|k| own[k]).collect();
        // SAFETY: there is a size and a pointer for each that the code loads, and each buffer has the cells that the
        // code compares with. Buffers that it stores to are borrowed mutably, so they overlap nothing, but for an input that was
        // given as that very memory, of as many cells by the validator; the others it only reads, the validator having seen that no input is stored to. Every access is checked against the number of
        // cells, and cells of type `bool` only get 0 or 1. Outputs that grow are given as records, as the code expects them.
        let status = i64::from(unsafe { (self.function)(sizes.as_ptr(), pointers.as_ptr()) });
        match status {
            0 if args.iter().any(Arg::is_short) => Err(CallError::NoMemory),
            0 => Ok(()),
            _ if status & status::REFUSED != 0 => Err(CallError::Refused),
            _ if status & status::NO_MEMORY != 0 => Err(CallError::NoMemory),
            _ => Err(CallError::OutOfBounds),
        }
    }
}

impl Drop for Jitted {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: nothing runs the code, for a call borrows `self`, and the pointer to it is dropped here.
            unsafe { module.free_memory() };
        }
    }
}

impl fmt::Debug for Jitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Jitted({})", self.kernel.name)
    }
}
