//! `trunc_pad_r`, `trunc_pad_l`: padding and truncating by the same amount at the same side changes nothing.
//!
//! **Statement.** `e = trunc_r(k, pad_r(k, e))`, `e = trunc_l(k, pad_l(k, e))`: right with right, left with left.
//! **Requires.** `0 <= k`, `0 <= n`.
//! **Fails when.** `e` is a scalar, or `k` may be negative.
//! **Example.** A buffer of two more rows: `trunc_r(2, pad_r(2, e))`.
//! **See also.** `flatten_split_id`.

use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, operand, unwrapped};
use crate::gather::by_gather;
use atl_kernel::{Expr, Ix, Result, Thm};

const EXAMPLE: Example = Example { program: "fn f(a: f32[N]) -> f32[N] { gen i < N { a[i] } }", args: &[2] };

/// The right side; see the module.
pub static RIGHT: Derived = Derived {
    name: "trunc_pad_r",
    statement: "e  =  trunc_r(k, pad_r(k, e))",
    requires: "0 <= k",
    args: &["k"],
    example: EXAMPLE,
    rewrite: |cx, e, args| {
        around(cx, e, |k, t| atl_ops::trunc_r(k.clone(), atl_ops::pad_r(k.clone(), t)), &args[0])
    },
    inverse: Some(Inverse::plain(|cx, e, _| {
        let padded = operand(e, "trunc_r").and_then(|(e, _)| operand(e, "pad_r"));
        let args = padded.map_or(&[][..], |(_, args)| args);
        unwrapped(cx, RIGHT.rewrite, e, padded.map(|(e, _)| e), args)
    })),
};

/// The left side; see the module.
pub static LEFT: Derived = Derived {
    name: "trunc_pad_l",
    statement: "e  =  trunc_l(k, pad_l(k, e))",
    requires: "0 <= k",
    args: &["k"],
    example: EXAMPLE,
    rewrite: |cx, e, args| {
        around(cx, e, |k, t| atl_ops::trunc_l(k.clone(), atl_ops::pad_l(k.clone(), t)), &args[0])
    },
    inverse: Some(Inverse::plain(|cx, e, _| {
        let padded = operand(e, "trunc_l").and_then(|(e, _)| operand(e, "pad_l"));
        let args = padded.map_or(&[][..], |(_, args)| args);
        unwrapped(cx, LEFT.rewrite, e, padded.map(|(e, _)| e), args)
    })),
};

fn around(cx: &mut Cx<'_>, e: &Expr, wrap: fn(&Ix, Expr) -> Expr, k: &Ix) -> Result<Thm> {
    cx.instance(e, |t| (t.clone(), wrap(k, t.clone())), by_gather)
}
