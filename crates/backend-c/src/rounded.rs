//! Products that are rounded before they are added or subtracted.
//!
//! GCC 12 puts `a * b - c` and `a * b + c` that stand side by side into lanes of one instruction, `vfmaddsub`, which does not
//! round the product; 11 does not, and later ones are taken to. It does so for straight code and for loops, at
//! `-ffp-contract=off` too, and no flag but those that leave out all vectorisation prevents it. Behind a barrier
//! against reassociation a product is no operand that it fuses; lanes are made as before, with one rounding more:
//! `vmul`, then `vaddsub`. A quotient by a power of two is a product to it.
//!
//! Kernels without both a product and a difference of floats have no such lanes, and are printed without barriers; so are
//! statements that are printed as vectors.

use crate::{Options, Rounding};
use atl_c_text::Code;
use atl_loops::{BinOp, Kernel, Name, ReduceOp, Scalar, Stmt, StoreMode, UnOp, Val, is_half};
use std::collections::BTreeMap;

/// The barrier's name.
pub(crate) const NAME: &str = "atl_rounded";

/// Its text.
pub(crate) const TEXT: &str = "/* x, which no compiler fuses with a sum. */\n\
    #if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12\n\
    #define atl_rounded(x) __builtin_assoc_barrier(x)\n\
    #else\n\
    #define atl_rounded(x) (x)\n\
    #endif\n";

/// May a compiler fuse products of this kernel, though the options forbid it?
pub(crate) fn is_needed(kernel: &Kernel, options: &Options) -> bool {
    let types = kernel.buffer_types();
    let mut found = Found { types: &types, products: false, differences: false };
    found.stmt(&kernel.body);
    options.rounding != Rounding::Real && found.products && found.differences
}

/// Is a quotient by what is printed so a product to a compiler?
pub(crate) fn is_literal(divisor: &Code) -> bool {
    divisor.text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// What a kernel has outside of vectors, which are printed as such and become lanes of nothing.
struct Found<'k> {
    types: &'k BTreeMap<Name, Scalar>,
    products: bool,
    differences: bool,
}

impl Found<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if matches!(stmt, Stmt::Vectors { .. }) {
            return;
        }
        stmt.parts().for_each(|part| self.stmt(part));
        let (Stmt::Store { value, .. } | Stmt::Push { value, .. }) = stmt else { return };
        if matches!(stmt, Stmt::Store { mode: StoreMode::Reduce(ReduceOp::Mul), .. }) {
            self.products |= self.is_float(value);
        }
        value.for_each(&mut |part| match part {
            Val::Bin(BinOp::Mul, ..) => self.products |= self.is_float(part),
            Val::Bin(BinOp::Div, _, by) if matches!(**by, Val::Lit(_)) => {
                self.products |= self.is_float(part)
            }
            Val::Bin(BinOp::Sub, ..) | Val::Un(UnOp::Neg, _) => self.differences |= self.is_float(part),
            _ => {}
        });
    }

    fn is_float(&self, val: &Val) -> bool {
        val.scalar_type(self.types).is_some_and(|scalar| scalar.is_float() && !is_half(scalar))
    }
}
