//! Where in the program a theorem changed something, read off its record.
//!
//! A record is inferences under congruences: what stands below a chain of them changed only what is inside.
//! So the common beginning of all chains is the place, told by the loops and `let`s on the way.

use atl_kernel::{Child, Expr, Label, Node, Proof, Thm};
use std::collections::HashMap;
use std::sync::Arc;

/// A way from the root down: each step's child, and the binder that it passes.
type Way = Vec<(Child, Option<Passed>)>;

/// A binder on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Passed {
    /// Into a loop.
    Loop(Label),
    /// Into the term of a `let`.
    Term(Label),
}

/// The places that a theorem changed, in words, the outermost where one holds another; none if it changed
/// nothing.
pub(super) fn places(thm: &Thm) -> Vec<String> {
    let mut ways: Vec<Way> = Vec::new();
    let mut memo = HashMap::new();
    let mut open = vec![thm.proof()];
    while let Some(proof) = open.pop() {
        match &**proof {
            Proof::Trans(p, q) => open.extend([q, p]),
            Proof::Sym(p) => open.push(p),
            _ => {
                let Some(way) = way(proof, &mut memo) else { continue };
                if !ways.iter().any(|other| way.starts_with(other)) {
                    ways.retain(|other| !other.starts_with(&way));
                    ways.push(way);
                }
            }
        }
    }
    let mut words: Vec<String> = Vec::new();
    for way in &ways {
        let place = in_words(way);
        if !words.contains(&place) {
            words.push(place);
        }
    }
    words
}

/// The common beginning of the ways to what was rewritten; none if nothing was.
fn way(proof: &Arc<Proof>, memo: &mut HashMap<*const Proof, Option<Way>>) -> Option<Way> {
    if let Some(known) = memo.get(&Arc::as_ptr(proof)) {
        return known.clone();
    }
    let found = match &**proof {
        Proof::Refl(before, after, _) => {
            let mut ways = Vec::new();
            relabelled(before, after, &mut Vec::new(), &mut ways);
            ways.into_iter().reduce(common)
        }
        Proof::Sym(p) => way(p, memo),
        Proof::Rule(..) | Proof::Induction(..) => Some(Vec::new()),
        Proof::Trans(p, q) | Proof::Cases(_, p, q) => match (way(p, memo), way(q, memo)) {
            (Some(p), Some(q)) => Some(common(p, q)),
            (p, q) => p.or(q),
        },
        Proof::Congruence(parent, at, child, _) => {
            way(child, memo).map(|below| std::iter::once((*at, passed(parent, *at))).chain(below).collect())
        }
    };
    memo.insert(Arc::as_ptr(proof), found.clone());
    found
}

/// What two ways begin with.
fn common(a: Way, b: Way) -> Way {
    a.into_iter().zip(b).take_while(|(a, b)| a == b).map(|(step, _)| step).collect()
}

fn passed(parent: &Expr, at: Child) -> Option<Passed> {
    match (&**parent, at) {
        (Node::Gen(label, ..) | Node::Sum(label, ..), _) => Some(Passed::Loop(label.clone())),
        (Node::Let(label, ..), Child::Bound) => Some(Passed::Term(label.clone())),
        _ => None,
    }
}

/// The ways to the binders whose labels differ between terms that are otherwise equal.
fn relabelled(before: &Expr, after: &Expr, way: &mut Way, found: &mut Vec<Way>) {
    if Arc::ptr_eq(before, after) {
        return;
    }
    if let (Some(a), Some(b)) = (label(before), label(after))
        && (&a.name, a.kind, a.storage) != (&b.name, b.kind, b.storage)
    {
        found.push(way.clone());
    }
    for at in before.children() {
        if let (Some(a), Some(b)) = (before.child(at), after.child(at)) {
            way.push((at, passed(before, at)));
            relabelled(a, b, way, found);
            way.pop();
        }
    }
}

fn label(e: &Expr) -> Option<&Label> {
    match &**e {
        Node::Gen(label, ..) | Node::Sum(label, ..) | Node::Let(label, ..) => Some(label),
        _ => None,
    }
}

fn in_words(way: &Way) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut loops: Vec<&str> = Vec::new();
    let inside = |loops: &mut Vec<&str>, parts: &mut Vec<String>| {
        if !loops.is_empty() {
            parts.push(format!("inside {}", loops.join(" / ")));
            loops.clear();
        }
    };
    for passed in way.iter().filter_map(|(_, passed)| passed.as_ref()) {
        match passed {
            Passed::Loop(label) => loops.push(&label.name),
            Passed::Term(label) => {
                inside(&mut loops, &mut parts);
                parts.push(format!("in the term of {}", label.name));
            }
        }
    }
    inside(&mut loops, &mut parts);
    if parts.is_empty() { "at the top".to_owned() } else { parts.join(", ") }
}
