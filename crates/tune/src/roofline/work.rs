//! What a call must do: the bytes of its arrays and the operations of its loops.

use atl_call::Bound;
use atl_runtime::DType;

/// The work of a call, as far as a roofline looks at it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Work {
    /// Bytes of the inputs.
    pub read: usize,
    /// Bytes of the output.
    pub written: usize,
    /// Operations on numbers; a product and a sum are two. Comparisons are not counted. None where the loops
    /// do not say, as those over what a sparse operand stores.
    pub flops: Option<f64>,
    /// The result's element type, for which operations are bounded.
    pub dtype: DType,
}

impl Work {
    /// The work of calls that give the same with these kernels. Operations are those of the kernel that has
    /// the fewest: what another does in addition is a matter of its schedule.
    pub fn of(call: &Bound<'_>, written: usize) -> Work {
        let dtype = call.kernel().signature().result.dtype;
        let flops = Some(call.flops()).filter(|flops| flops.is_finite());
        Work { read: call.input_bytes(), written, flops, dtype }
    }

    /// What both must do, if they do the same: an operation count that is not known, none.
    pub fn least(self, other: Work) -> Work {
        Work {
            read: self.read.min(other.read),
            written: self.written.min(other.written),
            flops: self.flops.zip(other.flops).map(|(own, others)| own.min(others)),
            dtype: self.dtype,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_is_not_known_bounds_nothing() {
        let check = |counts: [Option<f64>; 2], expected| {
            let [first, second] = counts.map(|flops| Work { read: 8, written: 8, flops, dtype: DType::F64 });
            assert_eq!(first.least(second).flops, expected);
        };
        check([Some(2.0), Some(1.0)], Some(1.0));
        check([None, Some(1.0)], None);
        check([Some(1.0), None], None);
        check([None, None], None);
    }
}
