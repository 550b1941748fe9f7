//! Accesses pushed inward, until they are to variables.
//!
//! An access to a `gen` becomes the element; through an operator it becomes its gather view. So a producer
//! without a `let` is inlined where it is read, and one with a `let` is read from memory.

use super::name::lift;
use atl_kernel::{Child, Expr, Node, Pred, Rule};
use atl_rules::gather::decide;
use atl_rules::shorten::long_accesses;
use atl_rules::{Chain, Cx, Step};

/// As many steps as there are at the head of a chain of accesses. It is stuck at a variable, or at an array
/// of which it is not known that the access is in range.
pub(crate) fn resolve(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let mut chain = Chain::of(e);
    loop {
        let now = chain.now().clone();
        match step(cx, &now)? {
            None => return Ok(chain.done()),
            next => chain.push(next)?,
        }
        chain.apply(cx, long_accesses)?;
    }
}

fn step(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Get(array, index) = &**e else { return Ok(None) };
    let rule = match &**array {
        Node::Var(_) | Node::Lit(..) | Node::Index(..) | Node::Bundle(..) | Node::Iterate(_) => {
            return Ok(None);
        }
        Node::Get(..) => return cx.child(e, Child::Body, step),
        Node::Let(..) => return lift(cx, e, Child::Body).map(Some),
        Node::Op(..) => return cx.child(e, Child::Body, |cx, op| cx.rule(Rule::Unfold, op)),
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
        Node::Guard(..) | Node::Select(..) => match decide(cx, e)? {
            None => cx.children(e, &mut scalars),
            Some(decided) => cx.then(decided, scalars).map(Some),
        },
        Node::Get(..) => match resolve(cx, e)? {
            Some(step) => cx.then(step, scalars).map(Some),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}
