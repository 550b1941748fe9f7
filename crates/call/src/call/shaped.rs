//! Calls that differ from one that was checked in where their arrays are, and in nothing else that is
//! checked.
//!
//! The one idea: sizes, conditions and the ranges of index arithmetic follow from shapes, so for arrays
//! of the same shapes they need no second look. What a kernel requires of the contents of arrays is checked
//! again, where it is about arrays that do not stay as they were. An index that is read from such an array
//! is in range only if that is required of it, so the ranges of arithmetic follow from shapes there, too.

use super::{Bound, Compiled};
use crate::backends::{RunAt, Target};
use atl_diag::err;
use atl_runtime::{BufferView, BufferViewMut};
use atl_session::Failure;
use atl_session::signature::{Array, Storage};
use std::sync::Arc;

/// A call without its arrays.
#[derive(Clone)]
pub struct Shaped {
    kernel: Compiled,
    at: Arc<dyn RunAt>,
    sizes: Vec<i64>,
    inputs: Vec<Vec<usize>>,
    shape: Vec<usize>,
    /// Does each call check what arrays contain?
    checks: bool,
}

impl Bound<'_> {
    /// The call for other arrays of the same shapes, if nothing else of them is checked but what they are
    /// required to contain: `stays` says of an array, by position, that it will be given again as it is. None
    /// also where the result is stored in another order than row-major, and where there are several.
    pub fn shaped(&self, stays: impl Fn(usize) -> bool) -> Option<Shaped> {
        let signature = self.signature();
        let changes = |wanted: fn(&Array) -> bool| {
            signature.arrays.iter().enumerate().any(|(k, array)| wanted(array) && !stays(k))
        };
        let is_plain = matches!(signature.result.storage, Storage::RowMajor) && signature.more.is_empty();
        let checks = changes(|array| array.is_inspected);
        if changes(|array| array.carrier.is_some())
            || !is_plain
            || (checks && !self.kernel.bounds_what_it_reads(&self.fitting, &stays))
        {
            return None;
        }
        Some(Shaped {
            kernel: self.kernel.clone(),
            at: self.at.clone(),
            sizes: self.sizes().to_vec(),
            inputs: self.inputs().iter().map(|view| view.shape().to_vec()).collect(),
            shape: self.shape().to_vec(),
            checks,
        })
    }
}

impl Shaped {
    /// The kernel.
    pub fn kernel(&self) -> &Compiled {
        &self.kernel
    }

    /// The shapes of the arrays, by position.
    pub fn inputs(&self) -> &[Vec<usize>] {
        &self.inputs
    }

    /// The shape of the result.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Does each call check what arrays contain?
    pub fn checks(&self) -> bool {
        self.checks
    }

    /// Runs the kernel on these arrays, by position.
    ///
    /// # Errors
    /// An array of another type or shape, or with other contents than are required; or what the kernel met.
    pub fn run(&self, inputs: &[BufferView<'_>], output: BufferViewMut<'_>) -> Result<(), Failure> {
        let signature = self.kernel.signature();
        let wanted = signature.arrays.iter().zip(&self.inputs);
        let fits = |(view, (array, shape)): (&BufferView<'_>, (&Array, &Vec<usize>))| {
            view.dtype() == array.dtype && is_shape(view.shape(), shape)
        };
        if inputs.len() != self.inputs.len()
            || !inputs.iter().zip(wanted).all(fits)
            || output.dtype() != signature.result.dtype
            || !is_shape(output.shape(), &self.shape)
        {
            let refusal = err!(E0504, "the arrays of a call that repeats another have other shapes or types")
                .help("bind them again");
            return Err(self.kernel.fail(refusal));
        }
        if self.checks {
            self.kernel.holds(&self.sizes, inputs).map_err(|d| self.kernel.fail(*d))?;
        }
        self.at.run(inputs, Target::Dense(output)).map_err(|why| self.kernel.failed(why))
    }
}

/// Is it this shape? Mostly it is the same memory.
fn is_shape(found: &[usize], wanted: &[usize]) -> bool {
    std::ptr::eq(found, wanted) || found == wanted
}
