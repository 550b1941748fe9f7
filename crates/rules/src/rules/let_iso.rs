//! `let_iso_transpose` and its kin: a bound tensor is kept in another form, and read back at its uses.
//!
//! **Statement.** `let x = v; f(x) = let x = g(v); f(h(x))` where `h(g(v)) = v`. One rule a pair: `let_iso_transpose`
//! (`g` and `h` transpose), `let_iso_flatten` (rows joined, and cut again), `let_iso_shear` (diagonals apart, and together again),
//! `let_iso_split with k` (`g` cuts into tiles, `h` joins them and drops what is beyond the end),
//! `let_iso_pad_r with k`, `let_iso_pad_l with k` (`g` pads, `h` truncates).
//! **Requires.** What the identity requires: `0 < k` to split, `0 <= k` to pad, rows that are not empty to flatten, a
//! matrix that is not empty to shear.
//! **Fails when.** The identity does; backwards, the name's uses are not all under `h`, or what is bound is no `g`.
//! **Example.** `let x = v; gen i < n { x[i, i] }` becomes `let x = transpose(v); gen i < n { transpose(x)[i, i] }`.
//! **See also.** `transpose_invol`, `split_flatten_id`, `unshear_shear_id`, `flatten_split_id`, `trunc_pad_r`, `trunc_pad_l`:
//! the identities; `let_move_fn`;
//! `unfold` and `access_gen`, which carry out the reading.

use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, Rewrite, by_name, no_match};
use crate::lets::{from_left, let_of};
use crate::occurrences::{mentions, replace, variable, with_part};
use crate::rules::let_move_fn::move_part;
use crate::rules::{flatten_split, pad_trunc, transpose_invol};
use atl_kernel::{Child, Error, Expr, Ix, Node, Result, Thm, subst};

/// An identity `v = h(g(v))`, and the name of the operator `g`.
struct Identity {
    rule: &'static str,
    prove: Rewrite,
    inner: &'static str,
}

macro_rules! pairs {
    ($($rule:ident $name:literal $identity:expr, $inner:literal, $args:expr, $example:expr; $statement:literal, $requires:literal, $program:literal;)*) => {
        $(
            /// The rule of this pair; see the module.
            pub static $rule: Derived = {
                const OF: Identity =
                    Identity { rule: $name, prove: $identity, inner: $inner };
                Derived {
                    name: $name,
                    statement: $statement,
                    requires: $requires,
                    args: $args,
                    example: Example { program: $program, args: $example },
                    rewrite: |cx, e, args| OF.store(cx, e, args),
                    inverse: Some(Inverse {
                        args: $args,
                        example: $example,
                        rewrite: |cx, e, args| OF.restore(cx, e, args),
                    }),
                }
            };
        )*
    };
}

pairs! {
    TRANSPOSE "let_iso_transpose" |cx, e, _| transpose_invol::transpose_invol(cx, e), "transpose", &[], &[];
        "let x = v; f(x)  =  let x = transpose(v); f(transpose(x))",
        "v has two dimensions or more",
        "fn f(a: f32[N, M]) -> f32[N, M] { let x = a; gen i < N, j < M { x[i, j] * x[i, j] } }";
    FLATTEN "let_iso_flatten" |cx, e, _| stated(cx, e, "split_flatten_id"), "flatten", &[], &[];
        "let x = v; f(x)  =  let x = flatten(v); f(split(m, x)),  m the second extent of v",
        "0 < m",
        "fn f(a: f32[N, 4]) -> f32[N, 4] { let x = gen i < N, j < 4 { a[i, j] + 1.0 }; gen i < N, j < 4 { x[i, j] * x[i, j] } }";
    SHEAR "let_iso_shear" |cx, e, _| stated(cx, e, "unshear_shear_id"), "shear", &[], &[];
        "let x = v; f(x)  =  let x = shear(v); f(unshear(n, m, x)),  n, m the extents of v",
        "0 < n, 0 < m",
        "fn f(a: f32[3, 4]) -> f32[3, 4] { let x = a; gen i < 3, j < 4 { x[i, j] * x[i, j] } }";
    SPLIT "let_iso_split" |cx, e, args| flatten_split::flatten_split(cx, e, &args[0]), "split", &["k"], &[4];
        "let x = v; f(x)  =  let x = split(k, v); f(trunc_r(ceil_div(n, k)*k - n, flatten(x)))",
        "0 < k",
        "fn f(a: f32[N]) -> f32[N] { let x = gen i < N { a[i] + 1.0 }; gen i < N { x[i] * x[i] } }";
    PAD_R "let_iso_pad_r" |cx, e, args| (pad_trunc::RIGHT.rewrite)(cx, e, args), "pad_r", &["k"], &[2];
        "let x = v; f(x)  =  let x = pad_r(k, v); f(trunc_r(k, x))",
        "0 <= k",
        "fn f(a: f32[N]) -> f32[N] { let x = gen i < N { a[i] + 1.0 }; gen i < N { x[i] * x[i] } }";
    PAD_L "let_iso_pad_l" |cx, e, args| (pad_trunc::LEFT.rewrite)(cx, e, args), "pad_l", &["k"], &[2];
        "let x = v; f(x)  =  let x = pad_l(k, v); f(trunc_l(k, x))",
        "0 <= k",
        "fn f(a: f32[N]) -> f32[N] { let x = gen i < N { a[i] + 1.0 }; gen i < N { x[i] * x[i] } }";
}

/// An identity that the catalogue states, `h(g(v)) = v`, from right to left.
fn stated(cx: &mut Cx<'_>, e: &Expr, name: &'static str) -> Result<Thm> {
    match by_name(name) {
        Some(rule) => rule.rewrite_backwards(cx, e, &[]),
        None => Err(Error::Mismatch("the catalogue has no such identity")),
    }
}

impl Identity {
    /// The path to `g(v)` in `h(g(v))`.
    fn path(&self, whole: &Expr) -> Result<Vec<Child>> {
        let (mut path, mut now) = (Vec::new(), whole);
        while let Some(inner) = now.child(Child::Arg(0)) {
            path.push(Child::Arg(0));
            now = inner;
            if matches!(&**now, Node::Op(def, ..) if def.name == self.inner) {
                return Ok(path);
            }
        }
        Err(Error::Mismatch("the identity is not of the form that the rule expects"))
    }

    /// `let x = v; f(x)  =  let x = g(v); f(h(x))`.
    fn store(&self, cx: &mut Cx<'_>, e: &Expr, args: &[Ix]) -> Result<Thm> {
        let Node::Let(..) = &**e else { return no_match(self.rule, "a `let`", e) };
        let mut path = Vec::new();
        let wrapped = cx.inside(e, Child::Bound, |cx, v| {
            let identity = (self.prove)(cx, v, args)?;
            path = self.path(identity.rhs())?;
            Ok(Some(identity))
        })?;
        cx.then(wrapped, |cx, e| move_part(cx, e, &path))
    }

    /// `let x = g(v); f(h(x))  =  let x = v; f(x)`.
    fn restore(&self, cx: &mut Cx<'_>, e: &Expr, args: &[Ix]) -> Result<Thm> {
        let Node::Let(label, bound, body) = &**e else { return no_match(self.rule, "a `let`", e) };
        let Some(v) = bound.child(Child::Arg(0)) else {
            return no_match(self.rule, "a `let` of an operator's result", e);
        };
        let name = cx.ctx.level();
        let identity = (self.prove)(cx, v, args)?;
        let read = with_part(identity.rhs(), &self.path(identity.rhs())?, &variable(name));
        let body = replace(&subst::open(body, name), &mut |e| (*e == read).then(|| variable(name + 1)));
        if mentions(&body, name) {
            return no_match(self.rule, "a `let` whose name is only read back", e);
        }
        let left = let_of(label, v.clone(), &body, name + 1);
        from_left(cx, e, &left, |cx, left| self.store(cx, left, args))
    }
}
