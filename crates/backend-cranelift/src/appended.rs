//! Outputs that grow.
//!
//! One idea: compiled code sees three words, the address, how many cells there are, and for how many there is room; it stores
//! and counts by itself, and calls back only where there is no room left.

use crate::args::Element;
use atl_loops::Scalar;

/// An output that a call fills from the start.
#[derive(Debug)]
#[repr(C)]
pub struct Appended {
    data: *mut u8,
    len: i64,
    cap: i64,
    scalar: Scalar,
    is_short: bool,
    /// What `data` is the address of: words, so that every scalar is aligned.
    words: Vec<u64>,
}

/// Where compiled code finds the words of an [`Appended`].
pub(crate) mod offset {
    pub(crate) const DATA: i32 = 0;
    pub(crate) const LEN: i32 = 8;
    pub(crate) const CAP: i32 = 16;
}

impl Appended {
    /// An empty output of cells of this type.
    pub fn new(scalar: Scalar) -> Appended {
        let (data, words) = (std::ptr::null_mut(), Vec::new());
        Appended { data, len: 0, cap: 0, scalar, is_short: false, words }
    }

    /// The type of a cell.
    pub fn scalar(&self) -> Scalar {
        self.scalar
    }

    /// The cells; none of another type than theirs.
    pub fn cells<T: Element>(&self) -> &[T] {
        let len = usize::try_from(self.len).unwrap_or(0);
        if T::SCALAR != self.scalar || len == 0 || len * size_of::<T>() > self.words.len() * 8 {
            return &[];
        }
        // SAFETY: the words have room for these cells, which compiled code has stored, one after the other, as its kernel
        // says of this type; a truth value is stored as 0 or 1.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast::<T>(), len) }
    }

    /// Makes it ready to be filled; false where there is no memory for a single cell.
    pub(crate) fn begin(&mut self) -> bool {
        (self.len, self.is_short) = (0, false);
        self.cap > 0 || self.grow()
    }

    /// Did it run out of memory?
    pub(crate) fn is_short(&self) -> bool {
        self.is_short
    }

    fn grow(&mut self) -> bool {
        let more = self.words.len().max(32);
        if self.words.try_reserve_exact(more).is_err() {
            // The code goes on, and overwrites what there is.
            (self.is_short, self.len) = (true, 0);
            return false;
        }
        self.words.resize(self.words.len() + more, 0);
        self.data = self.words.as_mut_ptr().cast();
        self.cap = i64::try_from(self.words.len() * 8 / self.scalar.size()).unwrap_or(i64::MAX);
        true
    }
}

/// Called where there is no room.
pub(crate) extern "C" fn grow(appended: *mut Appended) {
    // SAFETY: compiled code has this address from the call's arguments, which lend it alone.
    unsafe { (*appended).grow() };
}
