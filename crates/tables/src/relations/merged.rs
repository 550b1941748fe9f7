//! Rows of equal keys as one element, by the addition of their semiring.
//!
//! The one idea: a relation is the sum of its rows, in its own semiring. Where the sum is the least or the
//! greatest of numbers it is one of them: of parallel roads the shortest counts. So rows are put in order,
//! and of each key the first one stays.

use atl_driver::elements::dtype;
use atl_kernel::Elem;
use atl_runtime::{Buffer, BufferError, DType, Parts, bf16, f16, with_element};
use atl_scalars::Machine as _;
use atl_semirings::Op;
use std::cmp::Ordering;

/// One entry for each key, where the addition of the elements chooses between numbers; any others as they
/// are.
pub(super) fn merged(parts: Parts, elem: Elem) -> Result<Parts, BufferError> {
    let ops = atl_semirings::of(elem.algebra).and_then(|semiring| semiring.on(elem.scalar));
    let least_first = match ops.map(|ops| ops.add) {
        Some(Op::Min | Op::And) => true,
        Some(Op::Max | Op::Or) => false,
        Some(Op::Add | Op::Mul | Op::Own(_)) | None => return Ok(parts),
    };
    macro_rules! chosen {
        ($ty:ty, $compare:expr) => {{
            let values = parts.values.as_slice::<$ty>()?;
            let by_key = |a: &usize, b: &usize| {
                let keys = parts.columns.iter().map(|column| column[*a].cmp(&column[*b]));
                keys.fold(Ordering::Equal, Ordering::then)
            };
            let mut rows: Vec<usize> = (0..values.len()).collect();
            rows.sort_by(|a, b| {
                let order = $compare(&values[*a], &values[*b]);
                by_key(a, b).then(if least_first { order } else { order.reverse() })
            });
            rows.dedup_by(|later, first| by_key(later, first) == Ordering::Equal);
            let values: Vec<$ty> = rows.iter().map(|row| values[*row]).collect();
            (Buffer::from_slice(&values, &[values.len()])?, rows)
        }};
    }
    let (values, rows) = match dtype(elem.scalar) {
        DType::F64 => chosen!(f64, f64::total_cmp),
        DType::F32 => chosen!(f32, f32::total_cmp),
        DType::F16 => chosen!(f16, f16::total_cmp),
        DType::BF16 => chosen!(bf16, bf16::total_cmp),
        dtype => with_element!(dtype, T => {
            chosen!(T, |a: &T, b: &T| a.value().to_integer().cmp(&b.value().to_integer()))
        }),
    };
    let columns = parts.columns.iter().map(|column| rows.iter().map(|row| column[*row]).collect());
    Ok(Parts { columns: columns.collect(), shape: parts.shape, values })
}
