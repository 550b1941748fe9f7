//! How hard the C compiler should try.
//!
//! `-O3` looks for vectors where the source has none, and unrolls; it takes half as long again. Where every innermost loop of
//! the printed code works on explicit vectors there is nothing to look for, and `-O2` makes the same code.

use crate::vectors::over;
use atl_loops::{Init, Kernel, Name, Scalar, Stmt, Storage};
use std::collections::BTreeMap;

/// Are there loops left in which the compiler could find vectors?
pub(crate) fn leaves_loops(kernel: &Kernel, types: &BTreeMap<Name, Scalar>) -> bool {
    let mut found = false;
    kernel.body.for_each(&mut |stmt| {
        found |= match stmt {
            Stmt::For { var, lo, hi, kind, body } => {
                over(types, var, (lo, hi), *kind, body).is_none() && !has_loop(body)
            }
            // The cells get their values in a loop of C.
            Stmt::Alloc { init: Init::Value(_), storage, extents, .. } => {
                *storage != Storage::Register && !extents.is_empty()
            }
            Stmt::Reset { init: Init::Value(_), .. } => true,
            _ => false,
        }
    });
    found
}

fn has_loop(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.for_each(&mut |stmt| found |= matches!(stmt, Stmt::For { .. }));
    found
}
