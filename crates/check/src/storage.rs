//! Where a `let`'s tensor is kept.

use atl_kernel::{Ix, Label, Storage, Type};

/// A tensor with literal extents of at most this many bytes goes to the stack unasked.
pub const AUTO_STACK_BYTES: i64 = 16 << 10;

/// The most bytes that may be demanded of the stack or registers; the loop validator's limit.
pub const LOCAL_BYTES: i64 = 1 << 18;

/// The most bytes of local storage that may be alive at once: a thread's stack holds them.
pub const ALIVE_BYTES: i64 = 1 << 20;

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
pub(crate) fn bytes(ty: &Type) -> Option<i64> {
    let size = i64::try_from(ty.elem.scalar.size()).ok()?;
    ty.shape.iter().try_fold(size, |bytes, extent| match extent {
        Ix::Lit(n) => bytes.checked_mul((*n).max(0)),
        _ => None,
    })
}
