//! The back ends. To add one: its file, and its line here.

use crate::validate::{Standing, Validation};
use atl_runtime::{Buffer, BufferView, BufferViewMut, Growing};
use atl_session::Ready;
use std::fmt;
use std::sync::Arc;

pub mod c;
pub mod cranelift;
pub mod cuda;
pub mod interp;
pub mod loops;

/// Options of a back end beyond the kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How many threads a parallel loop may use; the machine's choice if not given.
    pub threads: Option<usize>,
    /// Whether machine code by a C compiler is compared with the interpreter of loops before it is used.
    pub validation: Validation,
}

/// Makes a kernel ready, or says why it cannot.
pub type Compile = fn(&Ready, Options) -> Result<Box<dyn Run>, String>;

/// A way to run kernels.
pub struct Backend {
    /// Its name, for `--backend`.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Why it cannot be used on this machine, if it cannot.
    pub unavailable: fn() -> Option<String>,
    /// Make a kernel ready to be called.
    pub compile: Compile,
}

/// Why a kernel that was called gave no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallError {
    /// Scratch memory could not be allocated.
    NoMemory,
    /// It is more than the back end undertakes: an interpreter has bounds that compiled code has not.
    Limit(String),
    /// The back end's own words.
    Backend(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::NoMemory => f.write_str("scratch memory could not be allocated"),
            CallError::Limit(why) | CallError::Backend(why) => f.write_str(why),
        }
    }
}

/// Where a kernel stores its result.
#[derive(Debug)]
pub enum Target<'o> {
    /// In memory of its shape as it is stored.
    Dense(BufferViewMut<'o>),
    /// In memory of their shapes, one for each of several results.
    Several(Vec<BufferViewMut<'o>>),
    /// In the memory of the input at this position, which it holds at first. What is given for that input is
    /// not looked at.
    Over(usize, BufferViewMut<'o>),
    /// In the arrays of its format, which it fills.
    Arrays(&'o mut [Growing]),
}

/// A compiled kernel.
pub trait Run: Send + Sync {
    /// The kernel at these sizes, for calls that repeat them.
    ///
    /// # Errors
    /// It does not accept the sizes.
    fn at(&self, sizes: &[i64]) -> Result<Arc<dyn RunAt>, CallError>;

    /// What is known of it.
    fn standing(&self) -> Standing {
        Standing::default()
    }
}

/// A compiled kernel at sizes.
pub trait RunAt: Send + Sync {
    /// Run it on arrays that have been checked against the function's types.
    ///
    /// # Errors
    /// What the back end found wrong; the result then holds nothing of use.
    fn run(&self, inputs: &[BufferView<'_>], result: Target<'_>) -> Result<(), CallError>;
}

/// Runs a kernel that stores over no input, with a copy of the array for the input that is [stored
/// over](Target::Over).
fn run_apart(
    inputs: &[BufferView<'_>],
    place: usize,
    array: BufferViewMut<'_>,
    run: impl FnOnce(&[BufferView<'_>], BufferViewMut<'_>) -> Result<(), CallError>,
) -> Result<(), CallError> {
    let copy = Buffer::from_view(&array.view()).map_err(|_| CallError::NoMemory)?;
    let input = |(k, view): (usize, &_)| if k == place { copy.view() } else { BufferView::clone(view) };
    run(&inputs.iter().enumerate().map(input).collect::<Vec<_>>(), array)
}

/// Every back end, the preferred one first.
pub static TABLE: &[&Backend] = &[&c::BACKEND, &cranelift::BACKEND, &interp::BACKEND, &loops::BACKEND];

/// The back end with this name.
pub fn by_name(name: &str) -> Option<&'static Backend> {
    TABLE.iter().copied().find(|b| b.name == name)
}

/// The first that this machine can use.
pub fn preferred() -> &'static Backend {
    TABLE.iter().copied().find(|b| (b.unavailable)().is_none()).unwrap_or(&interp::BACKEND)
}
