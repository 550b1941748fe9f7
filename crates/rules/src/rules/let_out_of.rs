//! `let_out_of_gen` and its kin: a `let` moves out of the construct that it stands in; backwards, it sinks into it.
//!
//! **Statement.** `C(let x = e; f(x)) = let x = e; C(f(x))` for every construct `C`. Out of a loop, what depends on the
//! loop's index becomes a tensor with an entry for each iteration:
//! `gen i < n { let x = e(i); f(x, i) } = let x = gen i < n { e(i) }; gen i < n { f(x[i], i) }`, and `sum` likewise. Where a
//! condition or an index of `f` reads `x` by name, `let x_entry = x[i]` stays inside.
//! One rule a construct:
//! `let_out_of_gen`, `let_out_of_sum` (a tensor of entries); `let_out_of_gen_const`, `let_out_of_sum_const` (`e` does not
//! depend on the index); `let_out_of_gen_bounded`, `let_out_of_sum_bounded` (of `[i < k] * e(i)`, a tensor of `k`
//! entries, read under that guard); `let_out_of_guard`; `let_out_of_guard_both` (the guard stays around `e`, too); `let_out_of_select`,
//! `let_out_of_access`, `let_out_of_view`; `let_out_of_add`, `let_out_of_mul`, `let_out_of_div`, and
//! `let_out_of_pointwise` for any operation on elements; `let_out_of_concat`, `let_out_of_transpose`,
//! `let_out_of_flatten`, and `let_out_of_op` for any reshape operator; `let_assoc` (out of what another `let` binds) and
//! `let_swap` (out of another `let`'s body).
//! **Requires.** What the rule for the construct says. Out of a guard or a select, `e` is then computed where the guard
//! fails, too: it must make sense there.
//! **Fails when.** There is no `let` directly in the construct; `e` depends on the binder's own name and the rule is
//! not the one for entries; backwards, the name is used in several places of the construct.
//! **Example.** `gen i < n { let x = a[i] + 1; x * x }` becomes
//! `let x = gen i < n { a[i] + 1 }; gen i < n { x[i] * x[i] }`.
//! **See also.** `let_bind`, `let_inline`, `let_move_fn`; the directives `compute` and `inline`.

use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::{Lifted, let_into, let_out};
use atl_kernel::{Child, Error, Expr, Node, Prim, Result, Thm};

/// A construct that a `let` can stand in, and what becomes of what it binds.
struct Construct {
    rule: &'static str,
    fits: fn(&Node, Child) -> bool,
    lifted: Lifted,
}

impl Construct {
    /// The first `let` that stands in the construct moves out.
    fn lift(&self, cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
        let is_let = |at: &Child| e.child(*at).is_some_and(|child| matches!(**child, Node::Let(..)));
        match e.children().find(|at| (self.fits)(e, *at) && is_let(at)) {
            Some(at) => let_out(cx, e, at, self.lifted).map_err(|e| self.named(e)),
            None => no_match(self.rule, "a `let` directly in this construct", e),
        }
    }

    /// A refusal in the name of this rule.
    fn named(&self, refusal: Error) -> Error {
        match refusal {
            Error::NoMatch { wants, found, .. } => Error::NoMatch { rule: self.rule, wants, found },
            other => other,
        }
    }

    /// The `let` sinks into the construct.
    fn sink(&self, cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
        let_into(cx, e, self.fits, self.lifted).map_err(|e| self.named(e))
    }
}

/// Is it an application of the operator of this name?
fn is_op(node: &Node, name: &str) -> bool {
    matches!(node, Node::Op(def, ..) if atl_ops::of(def).is_some_and(|op| op.name == name))
}

macro_rules! constructs {
    ($($rule:ident $name:literal $lifted:ident $fits:expr; $statement:literal, $requires:literal, $program:literal;)*) => {
        $(
            /// The rule of this construct; see the module.
            pub static $rule: Derived = {
                const OF: Construct = Construct { rule: $name, fits: $fits, lifted: Lifted::$lifted };
                Derived {
                    name: $name,
                    statement: $statement,
                    requires: $requires,
                    args: &[],
                    example: Example { program: $program, args: &[] },
                    rewrite: |cx, e, _| OF.lift(cx, e),
                    inverse: Some(Inverse::plain(|cx, e, _| OF.sink(cx, e))),
                }
            };
        )*
    };
}

constructs! {
    GEN "let_out_of_gen" Table |node, _| matches!(node, Node::Gen(..));
        "gen i<n. let x = e(i); f(x, i)  =  let x = gen i<n. e(i); gen i<n. f(x[i], i)",
        "nothing",
        "fn f(a: f32[N]) -> f32[N] { gen i < N { let x = a[i] + 1.0; x * x } }";
    GEN_CONST "let_out_of_gen_const" Constant |node, _| matches!(node, Node::Gen(..));
        "gen i<n. let x = e; f(x, i)  =  let x = e; gen i<n. f(x, i)",
        "e does not depend on i",
        "fn f(a: f32[N], s: f32) -> f32[N] { gen i < N { let x = s * s; a[i] * x } }";
    GEN_BOUNDED "let_out_of_gen_bounded" FirstEntries |node, _| matches!(node, Node::Gen(..));
        "gen i<n. let x = [i < k] * e(i); f(x, i)  =  let x = gen i<k. e(i); gen i<n. f([i < k] * x[i], i)",
        "k does not depend on i; e(i) makes sense for all i<k",
        "fn f(a: f32[N]) -> f32[N + 2] { gen i < N + 2 { let x = [i < N] * a[i]; x * x } }";
    SUM "let_out_of_sum" Table |node, _| matches!(node, Node::Sum(..));
        "sum i<n. let x = e(i); f(x, i)  =  let x = gen i<n. e(i); sum i<n. f(x[i], i)",
        "nothing",
        "fn f(a: f32[N]) -> f32 { sum i < N { let x = a[i] + 1.0; x * x } }";
    SUM_CONST "let_out_of_sum_const" Constant |node, _| matches!(node, Node::Sum(..));
        "sum i<n. let x = e; f(x, i)  =  let x = e; sum i<n. f(x, i)",
        "e does not depend on i",
        "fn f(a: f32[N], s: f32) -> f32 { sum i < N { let x = s * s; a[i] * x } }";
    SUM_BOUNDED "let_out_of_sum_bounded" FirstEntries |node, _| matches!(node, Node::Sum(..));
        "sum i<n. let x = [i < k] * e(i); f(x, i)  =  let x = gen i<k. e(i); sum i<n. f([i < k] * x[i], i)",
        "k does not depend on i; e(i) makes sense for all i<k",
        "fn f(a: f32[N]) -> f32 { sum i < N + 2 { let x = [i < N] * a[i]; x * x } }";
    GUARD "let_out_of_guard" Constant |node, _| matches!(node, Node::Guard(..));
        "[p] * let x = e; f(x)  =  let x = e; [p] * f(x)",
        "e makes sense where p fails",
        "fn f(s: f32) -> f32[5] { gen i < 5 { [i < 3] * let x = s * s; x + x } }";
    GUARD_BOTH "let_out_of_guard_both" Guarded |node, _| matches!(node, Node::Guard(..));
        "[p] * let x = e; f(x)  =  let x = [p] * e; [p] * f(x)",
        "nothing",
        "fn f(a: f32[N]) -> f32[N] { gen i < N { [i < 3] * let x = a[i] + 1.0; x * x } }";
    SELECT "let_out_of_select" Constant |node, _| matches!(node, Node::Select(..));
        "select(p, let x = e; f(x), b)  =  let x = e; select(p, f(x), b),  and the other side",
        "e makes sense on both sides",
        "fn f(s: f32) -> f32[5] { gen i < 5 { select(i < 3, s, let x = s * s; x + x) } }";
    ACCESS "let_out_of_access" Constant |node, _| matches!(node, Node::Get(..));
        "(let x = e; f(x))[k]  =  let x = e; f(x)[k]",
        "nothing",
        "fn f(a: f32[N], s: f32) -> f32[N] { gen k < N { (let x = s * s; gen i < N { a[i] * x })[k] } }";
    VIEW "let_out_of_view" Constant |node, _| matches!(node, Node::View(..));
        "view (let x = e; f(x))  =  let x = e; view f(x)",
        "nothing",
        "fn f(a: f32[N], s: f32) -> f32 { max i < N { let x = s * s; x + a[i] } }";
    ADD "let_out_of_add" Constant |node, _| matches!(node, Node::Prim(Prim::Add, _));
        "(let x = e; f(x)) + b  =  let x = e; f(x) + b,  and b + (let x = e; f(x))",
        "nothing",
        "fn f(a: f32[N], s: f32) -> f32[N] { gen i < N { a[i] + (let x = s * s; x + x) } }";
    MUL "let_out_of_mul" Constant |node, _| matches!(node, Node::Prim(Prim::Mul, _));
        "(let x = e; f(x)) * b  =  let x = e; f(x) * b,  and b * (let x = e; f(x))",
        "nothing",
        "fn f(a: f32[N], s: f32) -> f32[N] { gen i < N { (let x = s + s; x + x) * a[i] } }";
    DIV "let_out_of_div" Constant |node, _| matches!(node, Node::Prim(Prim::Div, _));
        "(let x = e; f(x)) / b  =  let x = e; f(x) / b,  and b / (let x = e; f(x))",
        "nothing",
        "fn f(a: f32[N], s: f32) -> f32[N] { gen i < N { a[i] / (let x = s + s; x + x) } }";
    POINTWISE "let_out_of_pointwise" Constant |node, _| matches!(node, Node::Prim(..));
        "op(.., let x = e; f(x), ..)  =  let x = e; op(.., f(x), ..),  op any operation on elements",
        "nothing",
        "fn f(a: f32[N], s: f32) -> f32[N] { gen i < N { max(a[i], let x = s + s; x * x) } }";
    CONCAT "let_out_of_concat" Constant |node, _| is_op(node, "concat");
        "(let x = e; f(x)) ++ b  =  let x = e; f(x) ++ b,  and b ++ (let x = e; f(x))",
        "nothing",
        "fn f(a: f32[N], s: f32) -> f32[N + 2] { a ++ (let x = s + s; gen i < 2 { x * x }) }";
    TRANSPOSE "let_out_of_transpose" Constant |node, _| is_op(node, "transpose");
        "transpose(let x = e; f(x))  =  let x = e; transpose(f(x))",
        "nothing",
        "fn f(a: f32[N, M], s: f32) -> f32[M, N] { transpose(let x = s + s; gen i < N, j < M { a[i, j] * x }) }";
    FLATTEN "let_out_of_flatten" Constant |node, _| is_op(node, "flatten");
        "flatten(let x = e; f(x))  =  let x = e; flatten(f(x))",
        "nothing",
        "fn f(a: f32[N, M], s: f32) -> f32[N * M] { flatten(let x = s + s; gen i < N, j < M { a[i, j] * x }) }";
    OP "let_out_of_op" Constant |node, _| matches!(node, Node::Op(..));
        "op(.., let x = e; f(x), ..)  =  let x = e; op(.., f(x), ..),  op any reshape operator",
        "nothing",
        "fn f(a: f32[N], s: f32) -> f32[N + 3] { pad_r(3, let x = s + s; gen i < N { a[i] * x }) }";
    ASSOC "let_assoc" Constant |node, at| matches!(node, Node::Let(..)) && at == Child::Bound;
        "let y = (let x = e; f(x)); g(y)  =  let x = e; let y = f(x); g(y)",
        "nothing",
        "fn f(s: f32) -> f32 { let y = (let x = s + s; x * x); y + y }";
    SWAP "let_swap" Constant |node, at| matches!(node, Node::Let(..)) && at == Child::Body;
        "let y = d; let x = e; f(x, y)  =  let x = e; let y = d; f(x, y)",
        "e does not use y",
        "fn f(s: f32) -> f32 { let y = s + s; let x = s * s; x + y * x }";
}
