//! Loop IR to CUDA C++: text only, so that it needs no device and no compiler.
//!
//! [`print_kernel`] takes loops that a schedule has marked as blocks and threads. Marks change no result:
//! every other back end runs the same loops in order. It works in four steps, each a file:
//!
//! 1. [`plan`] sorts the statements into launches, and each launch into what a block does together and *nests*, which its threads
//!    run each by itself. What fits no launch is refused.
//! 2. [`tiles`] spreads what is kept in registers over the threads, where each touches cells of its own.
//! 3. [`barriers`] puts a barrier before each nest that touches what threads stored, or stores what they touched, since the last one.
//!    Barriers stand outside of all nests, so every thread of a block comes to each of them.
//! 4. `statements` and `terms` print, line by line; `host` prints who launches it.
//!
//! **What is proved elsewhere.** Iterations of a marked loop store different cells: the marks stand on `gen`,
//! as `parallel` does. The interpreter of loops traps where they do not.
//!
//! **Arithmetic.** What [`atl_loops::val`] says. Unless rounding may change, products are printed so that no
//! compiler fuses them.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod barriers;
mod cells;
mod host;
mod names;
pub mod plan;
mod prelude;
mod refusal;
mod statements;
mod terms;
pub mod tiles;

pub use refusal::Refusal;

use atl_loops::validate::validate;
use atl_loops::{Access, Kernel};
use names::Names;
use statements::Printer;
use terms::Terms;

/// The most threads of a block.
pub const MAX_THREADS: i64 = 1024;

/// The bytes of shared memory that every device has for a block.
pub const STATIC_SHARED: i64 = 48 << 10;

/// The bytes of shared memory that a block may ask for on the devices that the text is for.
pub const MAX_SHARED: i64 = 227 << 10;

/// What the compiler may do to floating point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Each operation is rounded by itself.
    Exact,
    /// Products and sums may be fused.
    Fused,
}

/// A printed program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CudaSource {
    /// The source file.
    pub text: String,
    /// The name of the host's function.
    pub function: String,
    /// The names of the device's functions, in the order in which they are launched.
    pub kernels: Vec<String>,
}

/// Prints the kernel, or says why it is no device's.
///
/// ```
/// let text = "kernel double(N) in f32 x[N] out f32 y[N] \
///     { block(x) for b in 0..N / 64 { thread(x) for t in 0..64 { y[b * 64 + t] = x[b * 64 + t] + x[b * 64 + t] } } }";
/// let kernel = atl_loops::parse_kernel(text)?;
/// let source = atl_backend_cuda::print_kernel(&kernel, atl_backend_cuda::Rounding::Exact).unwrap();
/// assert!(source.text.contains("const int t = threadIdx.x;"));
/// # Ok::<(), atl_loops::ParseError>(())
/// ```
pub fn print_kernel(kernel: &Kernel, rounding: Rounding) -> Result<CudaSource, Refusal> {
    if let Some(violation) = validate(kernel).first() {
        return Err(Refusal::new(violation.to_string(), "this is the printer's own fault: please report it"));
    }
    for param in &kernel.params {
        if param.access == Access::Append {
            return Err(Refusal::new(
                format!("`{}` grows while it is computed", param.name),
                "threads have no order: let the result be dense",
            ));
        }
        if let Some(over) = &param.over {
            return Err(Refusal::new(
                format!("`{}` is stored over `{over}`", param.name),
                "blocks have no order: leave `reuse` out",
            ));
        }
    }
    let mut program = plan::plan(kernel)?;
    for launch in &mut program {
        tiles::spread(launch)?;
        barriers::place(launch);
    }
    let function = Names.identifier(&kernel.name);
    let mut text = host::head(kernel, &program, &function, rounding);
    let terms = Terms::new(kernel, rounding);
    let mut printed = String::new();
    let mut printer = Printer::new(terms);
    let mut kernels = Vec::new();
    for (number, launch) in (1..).zip(&program) {
        let name = if program.len() == 1 {
            format!("{function}_blocks")
        } else {
            format!("{function}_blocks_{number}")
        };
        printed += &printer.launch(kernel, launch, &name)?;
        kernels.push(name);
    }
    let launcher = host::launcher(kernel, &program, &kernels, &function, printer.terms());
    text = format!("{text}{}{printed}{launcher}", prelude::texts(printer.helpers()));
    Ok(CudaSource { text, function: format!("{function}_launch"), kernels })
}
