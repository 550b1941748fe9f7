//! `let_dup`: two names for one term become one name.
//!
//! **Statement.** `let x = e; let y = e; f(x, y) = let x = e; f(x, x)`; also with other `let`s between the two.
//! **Requires.** The second term is spelt like the first.
//! **Fails when.** Below a `let`, no `let` of the same term follows; backwards, the name is used fewer than twice.
//! **Example.** `let x = s * s; let y = s * s; x * x + y` becomes `let x = s * s; x * x + x`. Backwards, the last use gets
//! a computation of its own.
//! **See also.** `let_bind_all`, which names every occurrence of a term; `let_add_merge`.

use crate::cx::{Cx, Step};
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::{from_left, inline, let_of, meet};
use crate::occurrences::{count, replace, variable};
use atl_kernel::{Child, Expr, Node, Result, Thm, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "let_dup",
    statement: "let x = e; let y = e; f(x, y)  =  let x = e; f(x, x)",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(s: f32) -> f32 { let x = s * s; let y = s * s; x * x + y }",
        args: &[],
    },
    rewrite: |cx, e, _| let_dup(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| let_apart(cx, e))),
};

/// The theorem for the `let` at hand, whose body has, below other `let`s at most, a `let` of the same term.
pub fn let_dup(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Let(label, bound, body) = &**e else { return no_match(RULE.name, "a `let`", e) };
    let name = cx.ctx.level();
    let Some((merged, depth)) = merge(&subst::open(body, name), bound, &variable(name), name + 1) else {
        return no_match(RULE.name, "a second `let` of the same term below this one", e);
    };
    let rhs = let_of(label, bound.clone(), &merged, name);
    let left = cx.sequence(e, |cx, e| cx.at(e, &vec![Child::Body; depth + 1], &mut inline), inline)?;
    let left = cx.total(e, left)?;
    let right = inlined(cx, &rhs)?;
    meet(cx, left, right)
}

fn inlined(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let step: Step = inline(cx, e);
    step.and_then(|thm| cx.total(e, thm))
}

/// The body without the next `let` of this term, `name` for its name; and how many `let`s stand before it.
fn merge(body: &Expr, term: &Expr, name: &Expr, level: u32) -> Option<(Expr, usize)> {
    let Node::Let(label, bound, inner) = &**body else { return None };
    if bound == term {
        return Some((subst::instantiate_tensor(inner, name), 0));
    }
    let (merged, depth) = merge(&subst::open(inner, level), term, name, level + 1)?;
    Some((let_of(label, bound.clone(), &merged, level), depth + 1))
}

/// `let x = e; f(x, x)  =  let x = e; let y = e; f(x, y)`, `y` the last use.
pub fn let_apart(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Let(label, bound, body) = &**e else { return no_match(RULE.name, "a `let`", e) };
    let (first, second) = (cx.ctx.level(), cx.ctx.level() + 1);
    let (name, body) = (variable(first), subst::open(body, first));
    let mut left = count(&body, &name);
    if left < 2 {
        return no_match(RULE.name, "a `let` whose name is used at least twice", e);
    }
    let apart = replace(&body, &mut |e| {
        left -= usize::from(*e == name);
        (left == 0 && *e == name).then(|| variable(second))
    });
    let inner = let_of(label, bound.clone(), &apart, second);
    let left: Expr = Arc::new(Node::Let(label.clone(), bound.clone(), subst::close(&inner, first)));
    from_left(cx, e, &left, let_dup)
}
