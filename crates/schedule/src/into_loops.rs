//! `let`s that enter the loops below them, all at once.
//!
//! `let a = e; let b = f(a); gen i<n. g(b)  =  gen i<n. let a = e; let b = f(a); g(b)`
//!
//! **The one idea.** A tensor is a loop over its elements, and an element of a `let` is a `let` of the element:
//!
//! ```text
//! let a = e; let b = f(a); gen i<n. g(b)
//!   =  gen i<n. (let a = e; let b = f(a); gen i<n. g(b))[i]
//!   =  gen i<n. let a = e; (let b = f(a); gen i<n. g(b))[i]
//!   =  gen i<n. let a = e; let b = f(a); (gen i<n. g(b))[i]
//! ```
//!
//! No step changes what stands below its `let`, so none states it again. Were each `let` moved across the
//! loop by itself, those that are in there already would stand one binder further from it each time.

use atl_kernel::{Child, Expr, Label, Node, Rule};
use atl_rules::{Chain, Cx, Step as Conversion};
use std::sync::Arc;

/// On the way below a chain of this number of `let`s, how many places stand before its first loops, and their
/// labels.
pub(crate) fn first_loops(e: &Expr, lets: usize, way: &[Child]) -> (usize, Vec<Label>) {
    let mut below = (0..lets).try_fold(e, |e, _| e.child(Child::Body));
    let (mut before, mut labels) = (0, Vec::new());
    for at in way {
        match below.map(|e| &**e) {
            Some(Node::Gen(label, ..)) => labels.push(label.clone()),
            _ if labels.is_empty() => before += 1,
            _ => break,
        }
        below = below.and_then(|e| e.child(*at));
    }
    (before, labels)
}

/// A chain of `let`s in the loops with these labels, with which it ends.
pub(crate) fn entered(cx: &mut Cx<'_>, e: &Expr, loops: &[Label]) -> Conversion {
    if loops.is_empty() { Ok(None) } else { by_elements(cx, e, loops) }
}

fn by_elements(cx: &mut Cx<'_>, e: &Expr, loops: &[Label]) -> Conversion {
    let Some((label, inner)) = loops.split_first() else { return element(cx, e) };
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| cx.rule(Rule::GenEta(label.clone()), e))?;
    chain.apply(cx, |cx, e| cx.child(e, Child::Body, |cx, e| by_elements(cx, e, inner)))?;
    Ok(chain.done())
}

/// An element of a chain of `let`s: the `let`s around an element of what they end with.
fn element(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    let (mut chain, (tensor, dimensions)) = (Chain::of(e), whole(e));
    if let Node::Let(label, bound, body) = &**tensor {
        let path = vec![Child::Body; dimensions];
        chain.apply(cx, |cx, e| cx.at(e, &path, &mut |cx, e| cx.rule(Rule::LetInline, e)))?;
        let outside = Arc::new(Node::Let(label.clone(), bound.clone(), of_another(e, body)));
        chain.push(cx.rule(Rule::LetInline, &outside)?.sym())?;
        chain.apply(cx, |cx, e| cx.child(e, Child::Body, element))?;
        return Ok(chain.done());
    }
    for dimension in (0..dimensions).rev() {
        let path = vec![Child::Body; dimension];
        chain.apply(cx, |cx, e| cx.at(e, &path, &mut |cx, e| cx.rule(Rule::AccessGen, e)))?;
    }
    Ok(chain.done())
}

/// The tensor of which this is an element, and in how many dimensions.
fn whole(e: &Expr) -> (&Expr, usize) {
    match &**e {
        Node::Get(array, _) => {
            let (array, dimensions) = whole(array);
            (array, dimensions + 1)
        }
        _ => (e, 0),
    }
}

/// The same element of another tensor.
fn of_another(e: &Expr, tensor: &Expr) -> Expr {
    match &**e {
        Node::Get(array, at) => Arc::new(Node::Get(of_another(array, tensor), at.clone())),
        _ => tensor.clone(),
    }
}
