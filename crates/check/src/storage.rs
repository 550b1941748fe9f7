//! Where a `let`'s tensor is kept, and which additions may be regrouped freely.

use atl_kernel::{Elem, Ix, Label, Laws, Rounding, Storage, Type};

/// A tensor with literal extents of at most this many bytes goes to the stack unasked.
pub const AUTO_STACK_BYTES: i64 = 16 << 10;

/// The most bytes that may be demanded of the stack or registers; the loop validator's limit.
pub const LOCAL_BYTES: i64 = 1 << 18;

/// Local storage was demanded for a tensor whose extents are not literals, or which is too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StorageError(pub Storage);

/// The storage of a `let` with this label and type; never `Auto`.
pub fn storage(label: &Label, ty: &Type) -> Result<Storage, StorageError> {
    let local = |most: i64| bytes(ty).is_some_and(|bytes| bytes <= most);
    match label.storage {
        Storage::Auto if ty.shape.is_empty() => Ok(Storage::Register),
        Storage::Auto if local(AUTO_STACK_BYTES) => Ok(Storage::Stack),
        Storage::Auto | Storage::Heap => Ok(Storage::Heap),
        demanded if local(LOCAL_BYTES) => Ok(demanded),
        demanded => Err(StorageError(demanded)),
    }
}

/// The tensor's size, if its extents are literals.
fn bytes(ty: &Type) -> Option<i64> {
    let size = i64::try_from(ty.elem.scalar.size()).ok()?;
    ty.shape.iter().try_fold(size, |bytes, extent| match extent {
        Ix::Lit(n) => bytes.checked_mul((*n).max(0)),
        _ => None,
    })
}

/// May a sum within a sum add straight into the outer one, though it starts from zero by itself? Where additions
/// associate on the machine: integers wrap, and an idempotent addition (minimum, maximum) selects. Float sums
/// and products round, so there only if regrouping is acceptable.
///
/// A float minimum drops or keeps a NaN depending on the order of its operands; no algebra's laws hold there.
pub fn shares_accumulator(elem: Elem, rounding: Rounding) -> bool {
    let exact = !elem.scalar.is_float() || Laws::ADD_IDEM.minus(elem.algebra.laws).is_empty();
    exact || rounding == Rounding::Real
}
