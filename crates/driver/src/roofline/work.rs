//! What a call must do: the bytes of its arrays and the operations of its loops.

use crate::call::{Bound, Compiled};
use atl_runtime::DType;

/// The work of a call, as far as a roofline looks at it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Work {
    /// Bytes of the inputs.
    pub read: usize,
    /// Bytes of the output.
    pub written: usize,
    /// Operations on numbers; a product and a sum are two. Comparisons are not counted.
    pub flops: f64,
    /// The result's element type, for which operations are bounded.
    pub dtype: DType,
}

impl Work {
    /// The work of calls that give the same with these kernels. Operations are those of the kernel that has the fewest: what
    /// another does in addition is a matter of its schedule.
    pub fn of(kernel: &Compiled, bound: &Bound<'_>, written: usize) -> Work {
        let dtype = crate::backends::c::dtype(kernel.function().result.elem.scalar);
        Work { read: bound.input_bytes(), written, flops: kernel.flops(bound), dtype }
    }

    /// What both must do, if they do the same: an operation count that is not known, none.
    pub fn least(self, other: Work) -> Work {
        let flops = self.flops.min(other.flops);
        Work {
            read: self.read.min(other.read),
            written: self.written.min(other.written),
            flops: if flops.is_finite() { flops } else { 0.0 },
            dtype: self.dtype,
        }
    }
}
