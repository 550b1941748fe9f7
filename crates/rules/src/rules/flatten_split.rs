//! `flatten_split_id`: cutting into tiles and joining them again changes nothing.
//!
//! **Statement.** `e = trunc_r(ceil_div(n, k)*k - n, flatten(split(k, e)))` for `e` of `n, ..`; without the
//! truncation where `k` provably divides `n`.
//! **Requires.** `0 < k`, `0 <= n`.
//! **Fails when.** `k` is not provably positive, or `e` is a scalar.
//! **Example.** Of ten elements with `k = 4`: three tiles, of which the last two entries are dropped.
//! **See also.** `split_gen`, which also unfolds the split; `transpose_invol`.

use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match, operand, unwrapped};
use crate::gather::by_gather;
use atl_kernel::{Expr, Ix, Pred, Result, Thm};

/// See the module.
pub static RULE: Derived = Derived {
    name: "flatten_split_id",
    statement: "e  =  trunc_r(ceil_div(n, k)*k - n, flatten(split(k, e))),  n the extent of e",
    requires: "0 < k, 0 <= n",
    args: &["k"],
    example: Example { program: "fn f(a: f32[N]) -> f32[N] { gen i < N { a[i] } }", args: &[4] },
    rewrite: |cx, e, args| flatten_split(cx, e, &args[0]),
    inverse: Some(Inverse::plain(|cx, e, _| {
        let whole = operand(e, "trunc_r").map_or(e, |(e, _)| e);
        let tiles = operand(whole, "flatten").and_then(|(e, _)| operand(e, "split"));
        let args = tiles.map_or(&[][..], |(_, args)| args);
        unwrapped(cx, RULE.rewrite, e, tiles.map(|(e, _)| e), args)
    })),
};

/// The theorem for `e`.
pub fn flatten_split(cx: &mut Cx<'_>, e: &Expr, k: &Ix) -> Result<Thm> {
    let Some(n) = cx.type_of(e)?.shape.into_iter().next() else {
        return no_match(RULE.name, "a tensor", e);
    };
    let covered = Ix::ceil_div(n.clone(), k.clone()) * k.clone();
    let exact = cx.equal(&covered, &n);
    let sides = |t: &Expr| {
        let tiles = atl_ops::flatten(atl_ops::split(k.clone(), t.clone()));
        (t.clone(), if exact { tiles } else { atl_ops::trunc_r(covered - n, tiles) })
    };
    crate::derived::positive(cx, k)?;
    cx.instance(e, sides, by_gather)
}

/// Are the tiles of an extent all full? Then no truncation stands around them.
pub fn divides(cx: &mut Cx<'_>, k: &Ix, n: &Ix) -> bool {
    cx.proves(&Pred::eq(Ix::ceil_div(n.clone(), k.clone()) * k.clone(), n.clone()))
}
