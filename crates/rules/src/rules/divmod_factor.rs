//! `divmod_factor`: one equation for a flat index is two, for the tile and for the place in it.
//!
//! **Statement.** `[x == j*c + k && q] * e = [j == x / c && k == x % c && q] * e`.
//! **Requires.** `0 <= k < c`.
//! **Fails when.** `k` may be no remainder; no conjunct has this form.
//! **Example.** Below `sum k < 4`, `[i == j*4 + k] * a[j, k]` becomes `[j == i / 4 && k == i % 4] * a[j, k]`.
//! **See also.** `onehot_sum_and`, which collapses the two sums; `access_flatten`.

use crate::conjuncts::{conjunction, conjuncts, with_guard};
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use atl_kernel::{Cmp, Expr, Ix, IxOp, Node, Pred, Result, Thm};

/// See the module.
pub static RULE: Derived = Derived {
    name: "divmod_factor",
    statement: "[x == j*c + k && q] * e  =  [j == x / c && k == x % c && q] * e  if 0 <= k < c",
    requires: "0 <= k < c",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N, 4], i: size) -> f32 { sum j < N { sum k < 4 { [i == j * 4 + k] * a[j, k] } } }",
        args: &[],
    },
    rewrite: |cx, e, _| divmod_factor(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| factor_joined(cx, e))),
};

/// The theorem for the guard at hand.
pub fn divmod_factor(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Guard(p, _) = &**e else { return no_match(RULE.name, "a guard", e) };
    let mut parts = conjuncts(p);
    for at in 0..parts.len() {
        let Pred::Cmp(Cmp::Eq, a, b) = &parts[at] else { continue };
        if let Some(pair) = factored(cx, a, b).or_else(|| factored(cx, b, a)) {
            parts.splice(at..=at, pair);
            return with_guard(cx, e, conjunction(parts));
        }
    }
    no_match(RULE.name, "an equation `x == j*c + k` with `0 <= k < c`", e)
}

/// `j == x / c` and `k == x % c`, for `whole` of the form `j*c + k`, in either order of operands.
fn factored(cx: &mut Cx<'_>, x: &Ix, whole: &Ix) -> Option<[Pred; 2]> {
    let Ix::Bin(IxOp::Add, sum) = whole else { return None };
    for (product, k) in [(&sum.0, &sum.1), (&sum.1, &sum.0)] {
        let Ix::Bin(IxOp::Mul, factors) = product else { continue };
        for (j, c) in [(&factors.0, &factors.1), (&factors.1, &factors.0)] {
            if cx.proves(&Pred::in_range(k, c)) {
                let (tile, place) = (x.clone() / c.clone(), x.clone() % c.clone());
                return Some([Pred::eq(j.clone(), tile), Pred::eq(k.clone(), place)]);
            }
        }
    }
    None
}

/// `[j == x / c && k == x % c && q] * e = [x == j*c + k && q] * e`.
fn factor_joined(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Guard(p, _) = &**e else { return no_match(RULE.name, "a guard", e) };
    let mut parts = conjuncts(p);
    for at in 0..parts.len() {
        let Pred::Cmp(Cmp::Eq, j, Ix::Bin(IxOp::Div, xc)) = &parts[at] else { continue };
        let (x, c) = (&xc.0, &xc.1);
        let place = |part: &Pred| match part {
            Pred::Cmp(Cmp::Eq, k, Ix::Bin(IxOp::Mod, yd)) if (&yd.0, &yd.1) == (x, c) => Some(k.clone()),
            _ => None,
        };
        if let Some((other, k)) = parts.iter().enumerate().find_map(|(n, part)| place(part).map(|k| (n, k))) {
            parts[at] = Pred::eq(x.clone(), j.clone() * c.clone() + k);
            parts.remove(other);
            return with_guard(cx, e, conjunction(parts));
        }
    }
    no_match(RULE.name, "equations `j == x / c` and `k == x % c`", e)
}
