//! `let_move_fn`: what is done last to a bound term is done at its uses instead.
//!
//! **Statement.** `let x = C(e); f(x) = let x = e; f(C(x))` for a construct `C` of one operand: an operation on elements,
//! a reshape operator, a guard, an access, a view. `let_concat_left` and `let_concat_right` do it to one side of a
//! concatenation: `let x = a ++ b; f(x) = let x = b; f(a ++ x)` and `= let x = a; f(x ++ b)`.
//! **Requires.** Nothing.
//! **Fails when.** What is bound is no such construct; backwards, the name's uses are not all under one and the same `C`.
//! **Example.** `let x = transpose(a); gen i < n, j < m { x[i, j] }` becomes
//! `let x = a; gen i < n, j < m { transpose(x)[i, j] }`.
//! **See also.** `let_iso_transpose` and its kin, which make the construct to be moved; `unfold` and `access_gen`, which
//! carry it out at the uses.

use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::{from_left, inline, let_of, meet};
use crate::occurrences::{mentions, part, replace, variable, with_part};
use atl_kernel::{Child, Expr, Node, Result, Thm, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "let_move_fn",
    statement: "let x = C(e); f(x)  =  let x = e; f(C(x)),  C a construct of one operand",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(a: f32[M, N]) -> f32[N, M] { let x = transpose(a); gen i < N, j < M { x[i, j] * x[i, j] } }",
        args: &[],
    },
    rewrite: |cx, e, _| match &**e {
        Node::Let(_, bound, _) => match operand(bound) {
            Some(at) => move_part(cx, e, &[at]),
            None => no_match(RULE.name, "a `let` of a construct of one operand", e),
        },
        _ => no_match(RULE.name, "a `let`", e),
    },
    inverse: Some(Inverse::plain(|cx, e, _| move_back(cx, e, operand))),
};

/// One side of a concatenation stays bound, the other one goes to the uses; see the module.
macro_rules! sides {
    ($rule:ident $name:literal $at:expr; $statement:literal) => {
        #[doc = concat!("`", $name, "`; see the module.")]
        pub static $rule: Derived = Derived {
            name: $name,
            statement: $statement,
            requires: "nothing",
            args: &[],
            example: Example {
                program: "fn f(a: f32[N], b: f32[M]) -> f32[N + M] { let x = a ++ b; gen i < N + M { x[i] * x[i] } }",
                args: &[],
            },
            rewrite: |cx, e, _| match &**e {
                Node::Let(_, bound, _) if concatenation(bound, $at).is_some() => move_part(cx, e, &[$at]),
                _ => no_match($name, "a `let` of a concatenation", e),
            },
            inverse: Some(Inverse::plain(|cx, e, _| move_back(cx, e, |e| concatenation(e, $at)))),
        };
    };
}

sides! { CONCAT_LEFT "let_concat_left" Child::Arg(1); "let x = a ++ b; f(x)  =  let x = b; f(a ++ x)" }
sides! { CONCAT_RIGHT "let_concat_right" Child::Arg(0); "let x = a ++ b; f(x)  =  let x = a; f(x ++ b)" }

/// The one operand of a construct that binds nothing.
fn operand(e: &Expr) -> Option<Child> {
    let mut children = e.children();
    match (&**e, children.next(), children.next()) {
        (Node::Gen(..) | Node::Sum(..) | Node::Let(..), ..) => None,
        (_, one, None) => one,
        _ => None,
    }
}

/// A side of a concatenation.
fn concatenation(e: &Expr, side: Child) -> Option<Child> {
    let Node::Op(def, ..) = &**e else { return None };
    atl_ops::of(def).filter(|op| op.name == atl_ops::ops::concat::OPERATOR.name).map(|_| side)
}

/// `let x = C(e); f(x)  =  let x = e; f(C(x))`, `e` the part of what is bound at the end of a path that enters no binder.
pub fn move_part(cx: &mut Cx<'_>, e: &Expr, path: &[Child]) -> Result<Thm> {
    let Node::Let(label, bound, body) = &**e else { return no_match(RULE.name, "a `let`", e) };
    let Some(inner) = part(bound, path) else { return no_match(RULE.name, "a part at this place", bound) };
    let name = cx.ctx.level();
    let moved = with_part(bound, path, &variable(name));
    let rhs = let_of(label, inner.clone(), &subst::instantiate_tensor(body, &moved), name);
    let left = cx.converted(e, inline)?;
    let right = cx.converted(&rhs, inline)?;
    meet(cx, left, right)
}

/// `let x = e; f(C(x))  =  let x = C(e); f(x)`, where `place` says which constructs count, and at which operand.
fn move_back(cx: &mut Cx<'_>, e: &Expr, place: impl Fn(&Expr) -> Option<Child>) -> Result<Thm> {
    let Node::Let(label, bound, body) = &**e else { return no_match(RULE.name, "a `let`", e) };
    let (name, outer) = (cx.ctx.level(), cx.ctx.level() + 1);
    let body = subst::open(body, name);
    let is_use = |e: &Expr, at: Child| e.child(at) == Some(&variable(name));
    let mut found: Option<(Expr, Child)> = None;
    replace(&body, &mut |e| {
        let at = place(e).filter(|at| is_use(e, *at));
        found = found.take().or(at.map(|at| (e.clone(), at)));
        None
    });
    let Some((construct, at)) = found else {
        return no_match(RULE.name, "a `let` whose name is used under one construct", e);
    };
    let moved = replace(&body, &mut |e| (*e == construct).then(|| variable(outer)));
    let wrapped = Arc::new(construct.with_child(at, bound.clone()));
    if mentions(&moved, name) || mentions(&wrapped, name) {
        return no_match(RULE.name, "a `let` whose name is used under one construct only", e);
    }
    let left = let_of(label, wrapped, &moved, outer);
    from_left(cx, e, &left, |cx, left| move_part(cx, left, &[at]))
}
