//! What compiled code calls back into: memory, and the few functions of numbers that are no short sequences.

use crate::{appended, marks};
use atl_loops::elementary::turn;
use std::alloc::{Layout, alloc_zeroed, dealloc};

/// Alignment of scratch memory, in bytes.
const ALIGNMENT: usize = 64;

/// The symbols that compiled code may name.
pub(crate) fn symbols() -> [(&'static str, *const u8); 13] {
    [
        ("atl_cells", cells as *const u8),
        ("atl_alloc", alloc as *const u8),
        ("atl_free", free as *const u8),
        ("atl_grow", appended::grow as *const u8),
        ("atl_marks", marks::begin as *const u8),
        ("atl_mark", marks::mark as *const u8),
        ("atl_take", marks::take as *const u8),
        ("atl_unmarked", marks::end as *const u8),
        ("atl_turn_high", turn_high as *const u8),
        ("atl_turn_low", turn_low as *const u8),
        ("atl_turn_quarters", turn_quarters as *const u8),
        ("atl_fmod_f32", fmod_of_singles as *const u8),
        ("atl_fmod_f64", fmod_of_doubles as *const u8),
    ]
}

/// The parts of [`turn`], which are seldom wanted.
extern "C" fn turn_high(x: f64) -> f64 {
    turn(x).0
}

extern "C" fn turn_low(x: f64) -> f64 {
    turn(x).1
}

extern "C" fn turn_quarters(x: f64) -> i64 {
    turn(x).2
}

extern "C" fn fmod_of_singles(x: f32, y: f32) -> f32 {
    x % y
}

extern "C" fn fmod_of_doubles(x: f64, y: f64) -> f64 {
    x % y
}

/// The product of extents: 0 if one is negative, the largest number if it does not fit.
extern "C" fn cells(a: i64, b: i64) -> i64 {
    a.max(0).saturating_mul(b.max(0))
}

/// The layout of scratch memory; never empty, so that a null pointer always means failure.
fn layout(cells: i64, size: i64) -> Option<Layout> {
    let bytes = usize::try_from(cells.checked_mul(size)?).ok()?.max(1);
    Layout::from_size_align(bytes, ALIGNMENT).ok()
}

extern "C" fn alloc(cells: i64, size: i64) -> *mut u8 {
    match layout(cells, size) {
        // SAFETY: the layout is not empty.
        Some(layout) => unsafe { alloc_zeroed(layout) },
        None => std::ptr::null_mut(),
    }
}

extern "C" fn free(pointer: *mut u8, cells: i64, size: i64) {
    if let Some(layout) = layout(cells, size) {
        // SAFETY: compiled code frees each pointer once, at the end of its scope, with the arguments it allocated
        // it with, and only if it is not null.
        unsafe { dealloc(pointer, layout) }
    }
}
