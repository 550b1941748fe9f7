//! Accesses pushed inward, until they are to variables.
//!
//! An access to a `gen` becomes the element; through an operator it becomes its gather view. So a producer
//! without a `let` is inlined where it is read, and one with a `let` is read from memory.

use super::name::lift;
use atl_kernel::{Child, Expr, Node, Pred, Rule, Thm};
use atl_rules::gather::decide;
use atl_rules::shorten::long_accesses;
use atl_rules::{Cx, Step, join};

/// As many steps as there are at the head of a chain of accesses. It is stuck at a variable, or at an array
/// of which it is not known that the access is in range.
pub(crate) fn resolve(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let mut done: Option<Thm> = None;
    loop {
        let now = done.as_ref().map_or(e, Thm::rhs).clone();
        match step(cx, &now)? {
            None => return Ok(done),
            next => done = join(done, next)?,
        }
        let now = done.as_ref().map_or(e, Thm::rhs).clone();
        done = join(done, long_accesses(cx, &now)?)?;
    }
}

fn step(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Get(array, index) = &**e else { return Ok(None) };
    let rule = match &**array {
        Node::Var(_) | Node::Lit(..) | Node::Index(..) => return Ok(None),
        Node::Get(..) => return cx.child(e, Child::Body, step),
        Node::Let(..) => return lift(cx, e, Child::Body).map(Some),
        Node::Op(..) => return cx.child(e, Child::Body, |cx, op| cx.rule(Rule::Unfold, op).map(Some)),
        Node::Guard(..) => Rule::GetGuard,
        Node::Select(..) => Rule::GetSelect,
        Node::Sum(..) => Rule::GetSum,
        Node::Gen(..) | Node::Prim(..) | Node::View(..) => {
            let extent = cx.type_of(array)?.shape.swap_remove(0);
            if !cx.proves(&Pred::in_range(index, &extent)) {
                return Ok(None);
            }
            match &**array {
                Node::Gen(..) => Rule::AccessGen,
                Node::Prim(..) => Rule::GetPrim,
                _ => Rule::GetView,
            }
        }
    };
    cx.rule(rule, e).map(Some)
}

/// The operands of a scalar with their accesses resolved and their decided guards gone.
pub(crate) fn scalars(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Prim(..) | Node::View(..) => cx.children(e, &mut scalars),
        Node::Guard(..) | Node::Select(..) => {
            let one = decide(cx, e)?;
            let now = one.as_ref().map_or(e, Thm::rhs).clone();
            let two = match &*now {
                Node::Guard(..) | Node::Select(..) if one.is_none() => cx.children(&now, &mut scalars)?,
                _ => scalars(cx, &now)?,
            };
            join(one, two)
        }
        Node::Get(..) => match resolve(cx, e)? {
            Some(step) => cx.then(step, scalars).map(Some),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}
