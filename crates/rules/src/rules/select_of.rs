//! `select_of_map`, `select_of_gen`, `select_not`, `select_guard`: a choice moves past what stands on both sides.
//!
//! **Statement.** `select(p, f(a, ..), f(b, ..)) = f(select(p, a, b), ..)` for a pointwise function `f`;
//! `select(p, gen i < n { a(i) }, gen i < n { b(i) }) = gen i < n { select(p, a(i), b(i)) }`;
//! `select(!p, a, b) = select(p, b, a)`; and, for scalars, `[p] * e = select(p, e, 0)`.
//! **Requires.** Nothing: each is proved by the two cases of `p`.
//! **Fails when.** The two sides do not begin alike.
//! **Example.** `select(i < k, a[i] + 1, b[i] + 2)` becomes `select(i < k, a[i], b[i]) + select(i < k, 1, 2)`.
//! **See also.** `select_same`, `select_true`, `select_false`, `get_select`.

use crate::cases::{CASES, agree};
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, Rewrite, no_match};
use crate::rules::guard_false::zeros;
use atl_kernel::{Expr, Node, Number, Pred, Result, Thm, subst};
use std::sync::Arc;

/// Terms that a rule about selects relates: from one side, the other.
type Other = fn(&mut Cx<'_>, &Expr) -> Option<Expr>;

/// Prove by cases that a term equals what a function makes of it.
fn by_cases_of(cx: &mut Cx<'_>, name: &'static str, e: &Expr, other: Other) -> Result<Thm> {
    match other(cx, e) {
        Some(to) => agree(cx, e, &to, CASES),
        None => no_match(name, "a choice between terms that begin alike", e),
    }
}

macro_rules! rule {
    ($rule:ident $name:literal $statement:literal $program:literal $forwards:ident $backwards:ident) => {
        /// See the module.
        pub static $rule: Derived = Derived {
            name: $name,
            statement: $statement,
            requires: "nothing",
            args: &[],
            example: Example { program: $program, args: &[] },
            rewrite: (|cx, e, _| by_cases_of(cx, $name, e, $forwards)) as Rewrite,
            inverse: Some(Inverse::plain(|cx, e, _| by_cases_of(cx, $name, e, $backwards))),
        };
    };
}

rule! { MAP "select_of_map" "select(p, f(a, ..), f(b, ..))  =  f(select(p, a, b), ..),  f pointwise"
"fn f(a: f32[N], b: f32[N]) -> f32[N] { gen i < N { select(i < 2, a[i] + 1, b[i] + 2) } }" into_map out_of_map }
rule! { GEN "select_of_gen" "select(p, gen i<n. a(i), gen i<n. b(i))  =  gen i<n. select(p, a(i), b(i))"
"fn f(a: f32[N], k: size) -> f32[N] { select(k < 2, gen i < N { a[i] }, gen i < N { a[N - 1 - i] }) }" into_gen out_of_gen }
rule! { NOT "select_not" "select(!p, a, b)  =  select(p, b, a)"
"fn f(a: f32[N], b: f32[N]) -> f32[N] { gen i < N { select(i != 2, a[i], b[i]) } }" swapped swapped_back }
rule! { GUARD "select_guard" "[p] * e  =  select(p, e, 0),  e a scalar"
"fn f(a: f32[N]) -> f32[N] { gen i < N { [i < 2] * a[i] } }" as_select as_guard }

fn select(p: &Pred, a: &Expr, b: &Expr) -> Expr {
    Arc::new(Node::Select(p.clone(), a.clone(), b.clone()))
}

fn into_map(_: &mut Cx<'_>, e: &Expr) -> Option<Expr> {
    let Node::Select(p, a, b) = &**e else { return None };
    match (&**a, &**b) {
        (Node::Prim(f, xs), Node::Prim(g, ys)) if f == g && xs.len() == ys.len() => {
            let choices = xs.iter().zip(ys).map(|(x, y)| select(p, x, y)).collect();
            Some(Arc::new(Node::Prim(*f, choices)))
        }
        _ => None,
    }
}

fn out_of_map(_: &mut Cx<'_>, e: &Expr) -> Option<Expr> {
    let Node::Prim(f, args) = &**e else { return None };
    let Some(Node::Select(p, ..)) = args.first().map(|arg| &**arg) else { return None };
    let sides = args.iter().map(|arg| match &**arg {
        Node::Select(q, a, b) if p == q => Some((a.clone(), b.clone())),
        _ => None,
    });
    let (xs, ys): (Vec<Expr>, Vec<Expr>) = sides.collect::<Option<Vec<_>>>()?.into_iter().unzip();
    Some(select(p, &(Arc::new(Node::Prim(*f, xs)) as Expr), &(Arc::new(Node::Prim(*f, ys)) as Expr)))
}

fn into_gen(_: &mut Cx<'_>, e: &Expr) -> Option<Expr> {
    let Node::Select(p, a, b) = &**e else { return None };
    match (&**a, &**b) {
        // Bodies of two loops at one place count their binders alike.
        (Node::Gen(l, n, a), Node::Gen(_, m, b)) if n == m => {
            Some(Arc::new(Node::Gen(l.clone(), n.clone(), select(p, a, b))))
        }
        _ => None,
    }
}

fn out_of_gen(cx: &mut Cx<'_>, e: &Expr) -> Option<Expr> {
    let Node::Gen(l, n, body) = &**e else { return None };
    let level = cx.ctx.level();
    match &*subst::open(body, level) {
        Node::Select(p, a, b) if !p.mentions(level) => {
            let rows = |e: &Expr| Arc::new(Node::Gen(l.clone(), n.clone(), subst::close(e, level))) as Expr;
            Some(select(p, &rows(a), &rows(b)))
        }
        _ => None,
    }
}

fn swapped(_: &mut Cx<'_>, e: &Expr) -> Option<Expr> {
    match &**e {
        Node::Select(Pred::Not(p), a, b) => Some(select(p, b, a)),
        _ => None,
    }
}

fn swapped_back(_: &mut Cx<'_>, e: &Expr) -> Option<Expr> {
    match &**e {
        Node::Select(p, a, b) if !matches!(p, Pred::Not(_)) => Some(select(&Pred::not(p.clone()), b, a)),
        _ => None,
    }
}

fn as_select(cx: &mut Cx<'_>, e: &Expr) -> Option<Expr> {
    let Node::Guard(p, body) = &**e else { return None };
    let ty = cx.type_of(e).ok()?;
    ty.shape.is_empty().then(|| select(p, body, &zeros(&ty)))
}

fn as_guard(_: &mut Cx<'_>, e: &Expr) -> Option<Expr> {
    match &**e {
        Node::Select(p, a, b) if matches!(**b, Node::Lit(_, Number::Zero)) => {
            Some(Arc::new(Node::Guard(p.clone(), a.clone())))
        }
        _ => None,
    }
}
