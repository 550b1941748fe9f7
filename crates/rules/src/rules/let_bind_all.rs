//! `let_bind_all`: what is computed several times gets one name.
//!
//! **Statement.** `f(e, .., e) = let t = e; f(t, .., t)`, `e` the largest term that occurs twice or more below the place at
//! hand and uses no name bound below it; the `let` stands at the smallest place that holds every occurrence.
//! **Requires.** `e` computes something: it is more than a name, a number or an access.
//! **Fails when.** No such term occurs twice.
//! **Example.** `gen i < n { (s + 1) * a[i] + (s + 1) }` becomes `gen i < n { let t = s + 1; t * a[i] + t }`.
//! **See also.** `let_bind`, for one occurrence; `let_dup`; `let_out_of_gen_const`, which takes the name further out.

use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::let_of;
use crate::occurrences::{count, mentions, replace, variable};
use atl_kernel::{Child, Expr, Label, Node, Result, Rule, Thm, subst};

/// See the module.
pub static RULE: Derived = Derived {
    name: "let_bind_all",
    statement: "f(e, .., e)  =  let t = e; f(t, .., t),  e the largest term that occurs twice",
    requires: "e uses no name bound within f",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N], s: f32) -> f32[N] { gen i < N { (s + 1.0) * a[i] + (s + 1.0) } }",
        args: &[],
    },
    rewrite: |cx, e, _| let_bind_all(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| inline_first(cx, e))),
};

/// The most terms that are looked at for repetition, in reading order.
const LIMIT: usize = 2_000;

/// The theorem for the largest term that occurs twice in `e`.
pub fn let_bind_all(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let mut found = Vec::new();
    candidates(e, cx.ctx.level(), cx.ctx.level(), &mut found);
    found.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    match found.iter().find(|(_, term)| count(e, term) > 1) {
        Some((_, term)) => bind_every(cx, e, term),
        None => no_match(RULE.name, "a term that occurs twice", e),
    }
}

/// `f(term, .., term)  =  let t = term; f(t, .., t)`, every occurrence of a term of this context, at the smallest
/// place that holds them all.
pub fn bind_every(cx: &mut Cx<'_>, e: &Expr, term: &Expr) -> Result<Thm> {
    let all = count(e, term);
    let holds_all = |at: &Child| e.child(*at).is_some_and(|child| child != term && count(child, term) == all);
    if let Some(at) = e.children().find(holds_all) {
        let below = cx.child(e, at, |cx, child| bind_every(cx, child, term))?;
        return cx.total(e, below);
    }
    let name = cx.ctx.level();
    let body = replace(e, &mut |part| (part == term).then(|| variable(name)));
    let named = let_of(&Label::new("t"), term.clone(), &body, name);
    Ok(cx.rule(Rule::LetInline, &named)?.sym())
}

/// The terms below that compute something and use no name bound on the way to them, which are the levels from
/// `outside` on; with their sizes.
fn candidates(e: &Expr, outside: u32, level: u32, found: &mut Vec<(usize, Expr)>) {
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        let (child, level) = (subst::open_all(child, level, e.binds(at)), level + e.binds(at));
        if found.len() < LIMIT && computes(&child) && !(outside..level).any(|l| mentions(&child, l)) {
            found.push((size(&child), child.clone()));
        }
        candidates(&child, outside, level, found);
    }
}

/// Is it more than a name, a number, or an access to one?
fn computes(e: &Expr) -> bool {
    match &**e {
        Node::Var(_) | Node::Lit(..) | Node::Index(..) => false,
        Node::Get(array, _) => computes(array),
        _ => true,
    }
}

fn size(e: &Expr) -> usize {
    1 + e.children().filter_map(|at| e.child(at)).map(size).sum::<usize>()
}

/// `let t = e; f(t, .., t)  =  f(e, .., e)` for the first `let` of this form, the term at hand or a part of it.
fn inline_first(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    if matches!(**e, Node::Let(..)) {
        return cx.rule(Rule::LetInline, e);
    }
    for at in e.children() {
        let below = cx.child(e, at, |cx, child| Ok(inline_first(cx, child).ok()))?;
        if let Some(thm) = below {
            return Ok(thm);
        }
    }
    no_match(RULE.name, "a `let`", e)
}
