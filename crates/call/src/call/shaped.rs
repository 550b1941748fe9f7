//! Calls that differ from one that was checked in where their arrays are, and in nothing else that is
//! checked.
//!
//! The one idea: sizes, conditions and the ranges of index arithmetic follow from shapes, so for arrays
//! of the same shapes they need no second look. That is so where a kernel reads no index from an array,
//! or reads them from arrays that stay as they were checked.

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
    inputs: Vec<Vec<usize>>,
    shape: Vec<usize>,
}

impl Bound<'_> {
    /// The call for other arrays of the same shapes, if nothing else of them is checked: `stays` says
    /// of an array, by position, that it will be given again as it is. None also where the result is
    /// stored in another order than row-major, and where there are several.
    pub fn shaped(&self, stays: impl Fn(usize) -> bool) -> Option<Shaped> {
        let signature = self.signature();
        let checked =
            |(k, array): (usize, &Array)| (array.is_inspected || array.carrier.is_some()) && !stays(k);
        let is_checked = signature.arrays.iter().enumerate().any(checked);
        let is_plain = matches!(signature.result.storage, Storage::RowMajor) && signature.more.is_empty();
        if is_checked || !is_plain {
            return None;
        }
        Some(Shaped {
            kernel: self.kernel.clone(),
            at: self.at.clone(),
            inputs: self.inputs().iter().map(|view| view.shape().to_vec()).collect(),
            shape: self.shape().to_vec(),
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

    /// Runs the kernel on these arrays, by position.
    ///
    /// # Errors
    /// An array of another type or shape, or what the kernel met.
    pub fn run(&self, inputs: &[BufferView<'_>], output: BufferViewMut<'_>) -> Result<(), Failure> {
        let signature = self.kernel.signature();
        let given = inputs.iter().map(|view| (view.dtype(), view.shape()));
        let wanted = signature.arrays.iter().zip(&self.inputs).map(|(a, shape)| (a.dtype, shape.as_slice()));
        let result = (output.dtype(), output.shape());
        if !given.eq(wanted) || result != (signature.result.dtype, self.shape.as_slice()) {
            let refusal = err!(E0504, "the arrays of a call that repeats another have other shapes or types")
                .help("bind them again");
            return Err(self.kernel.fail(refusal));
        }
        self.at.run(inputs, Target::Dense(output)).map_err(|why| self.kernel.failed(why))
    }
}
