//! The back ends. To add one: its file, and its line here.

use crate::call::CallError;
use crate::scheduled::Lowered;
use crate::validate::{Standing, Validation};
use atl_runtime::{Buffer, BufferView, BufferViewMut, Growing};

pub mod c;
pub mod cranelift;
pub mod interp;
pub mod loops;

/// What a back end is asked for beyond the kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How many threads a parallel loop may use; the machine's choice if not given.
    pub threads: Option<usize>,
    /// Whether machine code by a C compiler is compared with the interpreter of loops before it is used.
    pub validation: Validation,
}

/// Makes a kernel ready, or says why it cannot.
pub type Compile = fn(&Lowered, Options) -> Result<Box<dyn Run>, String>;

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

/// A kernel ready to be called.
pub trait Run: Send + Sync {
    /// Run it on sizes and arrays that have been checked against the function's types.
    ///
    /// # Errors
    /// What the back end found wrong; the output then holds nothing of use.
    fn run(
        &self,
        sizes: &[i64],
        inputs: &[BufferView<'_>],
        output: BufferViewMut<'_>,
    ) -> Result<(), CallError>;

    /// The same where the result is stored over the input that is none, and which `array` holds at first.
    ///
    /// # Errors
    /// As for `run`.
    fn overwrite(
        &self,
        sizes: &[i64],
        inputs: &[Option<BufferView<'_>>],
        array: BufferViewMut<'_>,
    ) -> Result<(), CallError> {
        let copy = Buffer::from_view(&array.view()).map_err(|_| CallError::NoMemory)?;
        let inputs: Vec<_> =
            inputs.iter().map(|input| input.clone().unwrap_or_else(|| copy.view())).collect();
        self.run(sizes, &inputs, array)
    }

    /// The same for a kernel whose result has a format: it fills the arrays.
    ///
    /// # Errors
    /// As for `run`.
    fn append(
        &self,
        sizes: &[i64],
        inputs: &[BufferView<'_>],
        outputs: &mut [Growing],
    ) -> Result<(), CallError>;

    /// What is known of it.
    fn standing(&self) -> Standing {
        Standing::default()
    }
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
