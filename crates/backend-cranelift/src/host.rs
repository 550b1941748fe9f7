//! What compiled code calls back into: memory, and the few functions of numbers that are no short sequences.

use crate::{appended, marks};
use atl_loops::elementary::turn;
use std::alloc::{Layout, alloc_zeroed, dealloc};

/// Alignment of scratch memory, in bytes.
const ALIGNMENT: usize = 64;

/// The symbols that compiled code may name.
pub(crate) fn symbols() -> Vec<(&'static str, *const u8)> {
    let fixed: [(&'static str, *const u8); 13] = [
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
    ];
    let halves = [of_f16::addresses(), of_bf16::addresses()].concat();
    fixed.into_iter().chain(HALVES.concat().into_iter().zip(halves)).collect()
}

/// The names of what the host does for `f16` and `bf16`.
pub(crate) const HALVES: [[&str; 5]; 2] = [
    ["atl_f32_of_f16", "atl_f16_of_f64", "atl_f16_of_i64", "atl_f16_of_u64", "atl_fma_f16"],
    ["atl_f32_of_bf16", "atl_bf16_of_f64", "atl_bf16_of_i64", "atl_bf16_of_u64", "atl_fma_bf16"],
];

macro_rules! halves {
    ($module:ident $ty:ident) => {
        /// The conversions, in the order of the names. A number of 16 bits is the lower half of a word.
        mod $module {
            use atl_loops::$ty;

            pub(super) fn addresses() -> [*const u8; 5] {
                [
                    widen as *const u8,
                    narrow as *const u8,
                    of_signed as *const u8,
                    of_unsigned as *const u8,
                    fused as *const u8,
                ]
            }

            fn half(word: u32) -> $ty {
                $ty::from_bits(word as u16)
            }

            extern "C" fn widen(x: u32) -> f32 {
                half(x).to_f32()
            }

            extern "C" fn narrow(x: f64) -> u32 {
                $ty::from_f64(x).to_bits().into()
            }

            extern "C" fn of_signed(x: i64) -> u32 {
                $ty::from_integer(x.into()).to_bits().into()
            }

            extern "C" fn of_unsigned(x: u64) -> u32 {
                $ty::from_integer(x.into()).to_bits().into()
            }

            extern "C" fn fused(a: u32, b: u32, c: u32) -> u32 {
                half(a).mul_add(half(b), half(c)).to_bits().into()
            }
        }
    };
}

halves!(of_f16 f16);
halves!(of_bf16 bf16);

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
