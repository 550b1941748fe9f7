//! Made-up arguments: what a function is measured, compared and shown with where nobody gives its own.
//!
//! Numbers are small, positive and exact in every element type, so they lie in the carrier of every semiring.
//! Where a function requires something of what its arrays hold, as `where all i < N { 0 <= q[i] < 256 }`
//! does, integers are [made to satisfy](satisfy) it as far as they are found; nobody relies on that, since
//! every call checks what its function requires.

mod cells;
mod satisfying;
mod sizes;

pub(crate) use satisfying::satisfy;
pub use sizes::sizes_like;

use atl_loops::{Literal, Machine as _};
use atl_runtime::{
    Buffer, BufferError, Coordinates, CoordinatesError, DType, Duplicates, Parts, Tensor, Wish, Zeros,
};
use atl_runtime::{Kind, with_element};

/// How many different values made-up arrays have.
pub const PERIOD: usize = 7;

/// An array of made-up numbers: of floats, eighths `1/8, 2/8, …, 7/8` in turn; of integers, `1, 2, …, 7`; of
/// truth values, true and false by the same count's parity.
pub fn array(dtype: DType, shape: &[usize]) -> Result<Buffer, BufferError> {
    array_by(dtype, shape, &|k| k)
}

/// How many entries a made-up sparse tensor has for each index of its first dimension, at most.
const ENTRIES: usize = 8;

/// A sparse tensor of made-up numbers: entries spread over it.
pub fn entries(dtype: DType, shape: &[usize]) -> Result<Tensor, CoordinatesError> {
    let count = if shape.contains(&0) { 0 } else { shape.first().map_or(1, |n| n * ENTRIES) };
    let columns = shape.iter().enumerate().map(|(d, n)| {
        let spread = |entry: usize| match d {
            0 => entry / ENTRIES,
            _ => (entry * (31 * d + 7) + entry / ENTRIES * d) % n,
        };
        (0..count).map(spread).collect()
    });
    let parts = Parts { shape: shape.to_vec(), columns: columns.collect(), values: array(dtype, &[count])? };
    let wish = Wish { duplicates: Duplicates::Add, zeros: Zeros::Keep };
    Ok(Tensor::Sparse(Coordinates::try_new(parts)?.arranged(wish)?))
}

/// The same numbers, in another order.
pub fn array_by(
    dtype: DType,
    shape: &[usize],
    order: &dyn Fn(usize) -> usize,
) -> Result<Buffer, BufferError> {
    let mut buffer = Buffer::zeros(dtype, shape)?;
    // Of truth values every other one is true.
    with_element!(dtype, T => {
        for (k, x) in buffer.as_mut_slice::<T>()?.iter_mut().enumerate() {
            let number = order(k) % PERIOD + 1;
            *x = match dtype.kind() {
                Kind::Float => <T>::of(Literal::F64(number as f64 / 8.0)),
                Kind::Truth => <T>::of(Literal::Bool(number % 2 == 1)),
                Kind::Signed | Kind::Unsigned => <T>::of(Literal::u8(number as u8)),
            };
        }
    });
    Ok(buffer)
}
