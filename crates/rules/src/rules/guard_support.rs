//! `access_guard_intro` and its kin: what is zero outside a box is guarded by the box; backwards, the guard is dropped.
//!
//! **Statement.** `access_guard_intro`: `v[k, ..] = [0 <= k && k < n && ..] * v[k, ..]`, `n, ..` the extents of `v`.
//! `access_guard_intro_scalar with n`: `v[k] = [0 <= k && k < n] * v[k]` for any `n` not less than the extent.
//! `guard_mul_intro_l`, `guard_mul_intro_r`: `a * b = [p] * (a * b)`, `p` the box of an access, or the guard, of the left
//! factor, or of the right one. `gen_bounds_intro`, `sum_bounds_intro`: `gen i < n { e } = gen i < n { [0 <= i && i < n] * e }`,
//! and for `sum`.
//! **Requires.** For products, that zero annihilates.
//! **Fails when.** The term is no access, product or loop; backwards, the guard may be false where the term is not zero
//! by its form.
//! **Example.** `x[i - 1] * y[i]` becomes `[0 <= i - 1 && i - 1 < n] * (x[i - 1] * y[i])` by `guard_mul_intro_l`.
//! **See also.** `access_guard`, `guard_mul_l`, `guard_mul_r`, `onehot_intro`.

use crate::conjuncts::{factor_support, guard, support, widened};
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::from_left;
use atl_kernel::{Child, Error, Expr, Ix, Node, Pred, Result, Rule, Thm, Unproved};
use std::sync::Arc;

/// Every index of an access; see the module.
pub static ACCESS: Derived = Derived {
    name: "access_guard_intro",
    statement: "v[k, ..]  =  [0 <= k < n && ..] * v[k, ..],  n, .. the extents of v",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N, M]) -> f32[N, M] { gen i < N, j < M { a?[i + 1, j] } }",
        args: &[],
    },
    rewrite: |cx, e, _| access_support(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| without_guard(cx, e, &access_support))),
};

/// One index, and any bound that is large enough; see the module.
pub static SCALAR: Derived = Derived {
    name: "access_guard_intro_scalar",
    statement: "v[k]  =  [0 <= k < n] * v[k]  if n is not less than the extent of v",
    requires: "the extent of v is at most n",
    args: &["n"],
    example: Example {
        program: "fn f(a: f32[N]) -> f32[N] where N <= 9 { gen i < N { a?[i + 1] } }",
        args: &[9],
    },
    rewrite: |cx, e, args| access_within(cx, e, &args[0]),
    inverse: Some(Inverse::plain(|cx, e, _| without_guard(cx, e, &access_support))),
};

/// The support of a factor; see the module.
macro_rules! factors {
    ($($rule:ident $name:literal $at:expr, $statement:literal, $program:literal;)*) => {
        $(
            /// The support of this factor; see the module.
            pub static $rule: Derived = Derived {
                name: $name,
                statement: $statement,
                requires: "zero annihilates",
                args: &[],
                example: Example { program: $program, args: &[] },
                rewrite: |cx, e, _| factor_support(cx, e, $at),
                inverse: Some(Inverse::plain(|cx, e, _| {
                    without_guard(cx, e, &|cx, e| factor_support(cx, e, $at))
                })),
            };
        )*
    };
}

factors! {
    MUL_L "guard_mul_intro_l" Child::Arg(0), "a * b  =  [p] * (a * b)  if a = [p] * a",
        "fn f(a: f32[N], b: f32[N]) -> f32[N] { gen i < N { a?[i + 1] * b[i] } }";
    MUL_R "guard_mul_intro_r" Child::Arg(1), "a * b  =  [p] * (a * b)  if b = [p] * b",
        "fn f(a: f32[N], b: f32[N]) -> f32[N] { gen i < N { a[i] * ([i < 3] * b[i]) } }";
}

/// The bounds of a loop; see the module.
macro_rules! bounds {
    ($($rule:ident $name:literal $variant:ident, $statement:literal, $program:literal;)*) => {
        $(
            /// The bounds of this loop; see the module.
            pub static $rule: Derived = Derived {
                name: $name,
                statement: $statement,
                requires: "nothing",
                args: &[],
                example: Example { program: $program, args: &[] },
                rewrite: |cx, e, _| match &**e {
                    Node::$variant(_, n, _) => bounds_intro(cx, e, n),
                    _ => no_match($name, "the loop", e),
                },
                inverse: Some(Inverse::plain(|cx, e, _| match &**e {
                    Node::$variant(label, n, body) => match &**body {
                        Node::Guard(_, inner) => {
                            let left = Arc::new(Node::$variant(label.clone(), n.clone(), inner.clone()));
                            from_left(cx, e, &left, |cx, left| bounds_intro(cx, left, n))
                        }
                        _ => no_match($name, "the loop over a guard", e),
                    },
                    _ => no_match($name, "the loop", e),
                })),
            };
        )*
    };
}

bounds! {
    GEN "gen_bounds_intro" Gen, "gen i<n. e  =  gen i<n. [0 <= i < n] * e",
        "fn f(a: f32[N]) -> f32[N] { gen i < N { a[i] } }";
    SUM "sum_bounds_intro" Sum, "sum i<n. e  =  sum i<n. [0 <= i < n] * e",
        "fn f(a: f32[N]) -> f32 { sum i < N { a[i] } }";
}

fn access_support(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    if matches!(**e, Node::Get(..)) { support(cx, e) } else { no_match(ACCESS.name, "an access", e) }
}

fn access_within(cx: &mut Cx<'_>, e: &Expr, n: &Ix) -> Result<Thm> {
    let Node::Get(array, k) = &**e else { return no_match(SCALAR.name, "an access", e) };
    let goal = Pred::le(cx.type_of(array)?.shape.swap_remove(0), n.clone());
    if !cx.proves(&goal) {
        return Err(Error::Unproved(Box::new(Unproved { ctx: (*cx.ctx).clone(), goal, refused: None })));
    }
    widened(cx, e, &|cx, e| cx.rule(Rule::AccessGuard, e), &Pred::in_range(k, n))
}

/// `[p] * e = e` where `p` holds on the support of `e`.
fn without_guard(cx: &mut Cx<'_>, e: &Expr, own: &dyn Fn(&mut Cx<'_>, &Expr) -> Result<Thm>) -> Result<Thm> {
    match &**e {
        Node::Guard(p, inner) => Ok(widened(cx, inner, own, p)?.sym()),
        _ => no_match(ACCESS.name, "a guard", e),
    }
}

fn bounds_intro(cx: &mut Cx<'_>, e: &Expr, n: &Ix) -> Result<Thm> {
    let index = Ix::free(cx.ctx.level());
    cx.inside(e, Child::Body, |cx, body| {
        Ok(Some(cx.rule(Rule::GuardTrue, &guard(Pred::in_range(&index, n), body))?.sym()))
    })
}
