//! Stores that pass the caches by.
//!
//! An ordinary store first reads the line that it writes to; a non-temporal one does not, and evicts nothing. So the vector
//! stores to a streamed output are non-temporal where the cell is aligned and the target can, and ordinary elsewhere:
//! the value is the same. Such stores are seen late by other threads; so a fence ends each region that makes them.

use crate::scalars::c_type;
use crate::vector_type::{ALWAYS, Vector};
use atl_loops::{Name, Stmt};
use std::collections::BTreeSet;

/// Where GCC has the instruction for so many bytes: the macro that says so, and the end of its name.
const PARTS: [(usize, &str, &str); 3] =
    [(64, "__AVX512F__", "512"), (32, "__AVX__", "256"), (16, "__SSE__", "")];

/// Are vectors of this type stored past the caches?
pub(crate) fn has_helper(vector: Vector) -> bool {
    vector.bytes() >= 16
}

/// The helper that stores a vector: Clang knows how for every target, GCC has a function for each width.
pub(crate) fn helper(vector: Vector) -> String {
    let (ty, function, scalar, bytes) =
        (vector.c_type(), vector.helper("stream"), c_type(vector.scalar), vector.bytes());
    let store = format!("  *({ty}_u *)cell = value;\n");
    let whole = format!("  typedef {scalar} whole __attribute__((vector_size({bytes}), may_alias));\n");
    let mut text = format!(
        "static inline {ALWAYS} void {function}({scalar} *cell, {ty} value) {{\n  \
         if ((uintptr_t)cell % {bytes} != 0) {{\n  {store}    return;\n  }}\n\
         #if defined(__clang__)\n{whole}  __builtin_nontemporal_store((whole)value, (whole *)cell);\n"
    );
    for (part, defined, end) in PARTS.iter().filter(|(part, ..)| *part <= bytes) {
        let (count, floats) = (bytes / part, part / 4);
        text += &format!(
            "#elif defined({defined})\n  \
             typedef float part __attribute__((vector_size({part}), may_alias));\n  \
             const part *from = (const part *)&value;\n  \
             for (int k = 0; k < {count}; k++) __builtin_ia32_movntps{end}((float *)cell + {floats} * k, from[k]);\n"
        );
    }
    text + "#else\n" + &store + "#endif\n}\n"
}

/// Does the statement store past the caches, if stores to these buffers may?
pub(crate) fn streams(streamed: &BTreeSet<Name>, stmt: &Stmt) -> bool {
    stmt.any(|stmt| {
        let Stmt::Vectors { vectors, body } = stmt else { return false };
        let is_streamed = |stmt: &Stmt| matches!(stmt, Stmt::Store { buf, .. } if streamed.contains(buf));
        has_helper(Vector::of(vectors)) && body.any(is_streamed)
    })
}
