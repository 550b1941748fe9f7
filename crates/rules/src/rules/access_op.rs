//! `access_transpose` and its kin: an access to a reshape operator's result is an access to its operand.
//!
//! **Statement.** `op(v)[i, ..] = [c] * v[k, ..]`, where the operator's page says which `k, ..` for `i, ..`, and where `c` it
//! is padding; the guard is left out where it holds. One rule for each operator: `access_transpose`:
//! `transpose(v)[i, j] = v[j, i]`; `access_flatten`: `flatten(v)[i] = v[i / m, i % m]`; `access_split`:
//! `split(k, v)[i, j] = [i*k + j < n] * v[i*k + j]`; `access_pad_l`, `access_pad_r`, `access_trunc_l`, `access_trunc_r`,
//! `access_shear`, `access_unshear`, `access_rotate_3` to `access_unrotate_6`; `access_one_hot`: `one_hot(n, i, v)[c] = [c == i] * v`. `access_concat_l`, `access_concat_r`: an access to
//! `a ++ b` is one to `a`, or to `b`. Backwards, `v[k, ..]` is read from `op(v)`, given the operator's own arguments.
//! **Requires.** The indices are in range; for a concatenation, of that part.
//! **Fails when.** They may lie outside. Backwards, an element of `v` that the operator drops is not in its result; and
//! what `a` was concatenated with is not in the right side.
//! **Example.** `transpose(a)[i, j]` becomes `a[j, i]`.
//! **See also.** `unfold`, `access_gen`; the operators' page.

use crate::cx::{Cx, Step};
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::gather::decide;
use crate::lets::from_left;
use crate::shorten;
use atl_kernel::{Child, Expr, Ix, Node, Result, Rule, Thm};
use atl_ops::Operator;
use atl_ops::ops;
use std::sync::Arc;

macro_rules! operators {
    ($($rule:ident $name:literal $module:ident $operator:ident $args:expr, $given:expr; $statement:literal, $program:literal;)*) => {
        $(
            /// The rule of this operator; see the module.
            pub static $rule: Derived = Derived {
                name: $name,
                statement: $statement,
                requires: "the indices are in range",
                args: &[],
                example: Example { program: $program, args: &[] },
                rewrite: |cx, e, _| through(cx, e, &ops::$module::$operator, $name),
                inverse: Some(Inverse {
                    args: $args,
                    example: $given,
                    rewrite: |cx, e, args| read_from(cx, e, &ops::$module::$operator, args, $name),
                }),
            };
        )*
    };
}

operators! {
    FLATTEN "access_flatten" flatten OPERATOR &[], &[];
        "flatten(v)[i]  =  v[i / m, i % m],  m the second extent of v",
        "fn f(a: f32[N, M]) -> f32[N * M] { gen i < N * M { flatten(a)[i] } }";
    PAD_L "access_pad_l" pad_l OPERATOR &["k"], &[2];
        "pad_l(k, v)[i]  =  [k <= i] * v[i - k]",
        "fn f(a: f32[N]) -> f32[N] { gen i < N { pad_l(2, a)[i + 2] } }";
    PAD_R "access_pad_r" pad_r OPERATOR &["k"], &[2];
        "pad_r(k, v)[i]  =  [i < n] * v[i],  n the extent of v",
        "fn f(a: f32[N]) -> f32[N] { gen i < N { pad_r(2, a)[i] } }";
    ROTATE_3 "access_rotate_3" rotate ROTATE_3 &[], &[];
        "rotate_3(v)[x, i, j]  =  v[i, j, x]",
        "fn f(a: f32[2, N, M]) -> f32[M] { gen i < M { sum j < N { rotate_3(a)[i, 1, j] } } }";
    ROTATE_4 "access_rotate_4" rotate ROTATE_4 &[], &[];
        "rotate_4(v)[x, i, j, k]  =  v[i, j, k, x]",
        "fn f(a: f32[2, 2, N, M]) -> f32[M] { gen i < M { sum j < N { rotate_4(a)[i, 1, 0, j] } } }";
    ROTATE_5 "access_rotate_5" rotate ROTATE_5 &[], &[];
        "rotate_5(v)[x, i, j, k, l]  =  v[i, j, k, l, x]",
        "fn f(a: f32[2, 2, 2, N, M]) -> f32[M] { gen i < M { sum j < N { rotate_5(a)[i, 1, 0, 1, j] } } }";
    ROTATE_6 "access_rotate_6" rotate ROTATE_6 &[], &[];
        "rotate_6(v)[x, i, j, k, l, p]  =  v[i, j, k, l, p, x]",
        "fn f(a: f32[2, 2, 2, 2, N, M]) -> f32[M] { gen i < M { sum j < N { rotate_6(a)[i, 1, 0, 1, 0, j] } } }";
    SHEAR "access_shear" shear OPERATOR &[], &[];
        "shear(v)[d, r]  =  [r < len(d)] * v[max(0, n-1-d) + r, max(0, d-n+1) + r],  n the extent of v",
        "fn f(a: f32[3, 3]) -> f32[3] { gen r < 3 { shear(a)[2, r] } }";
    SPLIT "access_split" split OPERATOR &["k"], &[4];
        "split(k, v)[i, j]  =  [i*k + j < n] * v[i*k + j],  n the extent of v",
        "fn f(a: f32[N]) -> f32[N] { gen i < N { split(4, a)[i / 4, i % 4] } }";
    TRANSPOSE "access_transpose" transpose OPERATOR &[], &[];
        "transpose(v)[i, j]  =  v[j, i]",
        "fn f(a: f32[N, M]) -> f32[M, N] { gen i < M, j < N { transpose(a)[i, j] } }";
    TRUNC_L "access_trunc_l" trunc_l OPERATOR &["k"], &[2];
        "trunc_l(k, v)[i]  =  v[i + k]",
        "fn f(a: f32[N]) -> f32[N - 2] where 2 <= N { gen i < N - 2 { trunc_l(2, a)[i] } }";
    TRUNC_R "access_trunc_r" trunc_r OPERATOR &["k"], &[2];
        "trunc_r(k, v)[i]  =  v[i]",
        "fn f(a: f32[N]) -> f32[N - 2] where 2 <= N { gen i < N - 2 { trunc_r(2, a)[i] } }";
    UNROTATE_3 "access_unrotate_3" rotate UNROTATE_3 &[], &[];
        "unrotate_3(v)[i, j, x]  =  v[x, i, j]",
        "fn f(a: f32[M, 2, N]) -> f32[M] { gen i < M { sum j < N { unrotate_3(a)[1, j, i] } } }";
    UNROTATE_4 "access_unrotate_4" rotate UNROTATE_4 &[], &[];
        "unrotate_4(v)[i, j, k, x]  =  v[x, i, j, k]",
        "fn f(a: f32[M, 2, 2, N]) -> f32[M] { gen i < M { sum j < N { unrotate_4(a)[1, 0, j, i] } } }";
    UNROTATE_5 "access_unrotate_5" rotate UNROTATE_5 &[], &[];
        "unrotate_5(v)[i, j, k, l, x]  =  v[x, i, j, k, l]",
        "fn f(a: f32[M, 2, 2, 2, N]) -> f32[M] { gen i < M { sum j < N { unrotate_5(a)[1, 0, 1, j, i] } } }";
    UNROTATE_6 "access_unrotate_6" rotate UNROTATE_6 &[], &[];
        "unrotate_6(v)[i, j, k, l, p, x]  =  v[x, i, j, k, l, p]",
        "fn f(a: f32[M, 2, 2, 2, 2, N]) -> f32[M] { gen i < M { sum j < N { unrotate_6(a)[1, 0, 1, 0, j, i] } } }";
    UNSHEAR "access_unshear" unshear OPERATOR &["n", "m"], &[2, 3];
        "unshear(n, m, v)[i, j]  =  v[j - i + n - 1, min(i, j)]",
        "fn f(a: f32[4, 2]) -> f32[2, 3] { gen i < 2, j < 3 { unshear(2, 3, a)[i, j] } }";
}

/// A side of a concatenation.
macro_rules! sides {
    ($($rule:ident $name:literal $choose:ident; $statement:literal, $requires:literal, $program:literal;)*) => {
        $(
            /// An access to this part of a concatenation; see the module.
            pub static $rule: Derived = Derived {
                name: $name,
                statement: $statement,
                requires: $requires,
                args: &[],
                example: Example { program: $program, args: &[] },
                rewrite: |cx, e, _| {
                    let thm = carried_out(cx, e, &ops::concat::OPERATOR, $name)?;
                    let thm = cx.then(thm, |cx, e| cx.rule(Rule::$choose, e))?;
                    cx.then(thm, tidy)
                },
                inverse: None,
            };
        )*
    };
}

sides! {
    CONCAT_L "access_concat_l" SelectTrue; "(a ++ b)[k]  =  a[k]  if 0 <= k < n,  n the extent of a",
        "k is in range of a",
        "fn f(a: f32[N], b: f32[M]) -> f32[N] { gen i < N { (a ++ b)[i] } }";
    CONCAT_R "access_concat_r" SelectFalse; "(a ++ b)[k]  =  b[k - n]  if n <= k < n + m,  n, m the extents of a, b",
        "k is in range of b",
        "fn f(a: f32[N], b: f32[M]) -> f32[M] { gen i < M { (a ++ b)[N + i] } }";
}

/// `op(v)[i, ..]` with the operator's definition in its place, and the accesses to it carried out.
fn carried_out(cx: &mut Cx<'_>, e: &Expr, operator: &Operator, rule: &'static str) -> Result<Thm> {
    let mut path = vec![Child::Body; operator.result_rank()];
    let mut head = Some(e);
    for _ in &path {
        head = head.filter(|e| matches!(***e, Node::Get(..))).and_then(|e| e.child(Child::Body));
    }
    let is_operator = |def| atl_ops::of(def).is_some_and(|op| op.name == operator.name);
    if !head.is_some_and(|head| matches!(&**head, Node::Op(def, ..) if is_operator(def))) {
        return no_match(rule, "an access to every dimension that this operator looks at", e);
    }
    let unfolded = cx.at(e, &path, &mut |cx, e| cx.rule(Rule::Unfold, e).map(Some))?;
    let mut thm = cx.total(e, unfolded)?;
    while path.pop().is_some() {
        thm = cx.then(thm, |cx, e| cx.at(e, &path, &mut |cx, e| cx.rule(Rule::AccessGen, e).map(Some)))?;
    }
    Ok(thm)
}

/// The rule of `one_hot`, whose operand is at no index; see the module.
pub static ONE_HOT: Derived = Derived {
    name: "access_one_hot",
    statement: "one_hot(n, i, v)[c]  =  [c == i] * v",
    requires: "the index is in range",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N], p: size) -> f32[N] where p < N { gen c < N { one_hot(N, p, x[c])[c] } }",
        args: &[],
    },
    rewrite: |cx, e, _| through(cx, e, &ops::one_hot::OPERATOR, "access_one_hot"),
    inverse: None,
};

/// `op(v)[i, ..] = [c] * v[k, ..]`.
fn through(cx: &mut Cx<'_>, e: &Expr, operator: &Operator, rule: &'static str) -> Result<Thm> {
    let thm = carried_out(cx, e, operator, rule)?;
    cx.then(thm, tidy)
}

/// A guard that holds is dropped; the indices of an access are shortened.
fn tidy(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Guard(p, _) if cx.proves(p) => cx.sequence(e, decide, tidy),
        Node::Guard(..) | Node::Get(..) => {
            cx.sequence(e, |cx, e| cx.child(e, Child::Body, tidy), shorten::node)
        }
        _ => Ok(None),
    }
}

/// `v[k, ..] = op(v)[i, ..]`.
fn read_from(cx: &mut Cx<'_>, e: &Expr, operator: &Operator, args: &[Ix], rule: &'static str) -> Result<Thm> {
    let (mut indices, mut operand) = (Vec::new(), e);
    for _ in operator.tensor_params[0] {
        let Node::Get(array, index) = &**operand else {
            return no_match(rule, "an access to every dimension that this operator looks at", e);
        };
        indices.insert(0, index.clone());
        operand = array;
    }
    let extents = cx.type_of(operand)?.shape;
    let result: Expr = Arc::new(Node::Op((operator.definition)(), args.to_vec(), vec![operand.clone()]));
    let places = (operator.scatter)(args, &extents[..indices.len()], &indices, 0);
    let left = places
        .iter()
        .fold(result, |read, place| Arc::new(Node::Get(read, atl_arith::simplify(&cx.ctx, place))));
    from_left(cx, e, &left, |cx, left| through(cx, left, operator, rule))
}
