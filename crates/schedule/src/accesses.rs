//! Accesses to loops, as `inline` leaves them: `(gen i < n { e(i) })[k]`.
//!
//! **The one idea.** Such a loop runs over all of its extent as the program is written, and not at all
//! once the access is carried out, which gives `e(k)`. So it is no loop that a step means, and a step
//! that looks for what an iteration reads or tests carries the accesses out first. Operators and `let`s
//! stay: the one would be code that nobody has written, the other would be computed again.

use atl_kernel::{Child, Expr, Node};
use atl_rules::gather::access;
use atl_rules::{Chain, Cx, Step as Conversion};

/// Carries out the accesses to terms of which this is true.
pub(crate) fn carried_out(cx: &mut Cx<'_>, e: &Expr, is_wanted: &dyn Fn(&Expr) -> bool) -> Conversion {
    let mut chain = Chain::of(e);
    while accessed(chain.now()).is_some_and(|array| is_made_of_parts(array) && is_wanted(array)) {
        match access(cx, &chain.now().clone())? {
            Some(step) => chain.push(step)?,
            None => break,
        }
    }
    let now = chain.now().clone();
    let parts = now.children().filter(|at| now.child(*at).is_some_and(is_wanted));
    for at in parts {
        chain.apply(cx, |cx, now| cx.child(now, at, |cx, child| carried_out(cx, child, is_wanted)))?;
    }
    Ok(chain.done())
}

/// Is a loop accessed somewhere in the term?
pub(crate) fn accesses_loops(e: &Expr) -> bool {
    accessed(e).is_some_and(is_made_of_parts) || e.children().filter_map(|at| e.child(at)).any(accesses_loops)
}

/// Does the place at the end of this way stand in what is accessed?
pub(crate) fn is_accessed(root: &Expr, way: &[Child]) -> bool {
    let mut e = root;
    for at in way {
        if matches!(**e, Node::Get(..)) {
            return true;
        }
        let Some(child) = e.child(*at) else { return false };
        e = child;
    }
    false
}

/// What a chain of accesses is to.
pub(crate) fn accessed(e: &Expr) -> Option<&Expr> {
    let Node::Get(array, _) = &**e else { return None };
    accessed(array).or(Some(array))
}

/// Are the accesses to this term those of its parts?
fn is_made_of_parts(array: &Expr) -> bool {
    matches!(**array, Node::Gen(..) | Node::Guard(..) | Node::Select(..) | Node::Prim(..))
}
