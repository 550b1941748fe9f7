//! A row into which entries are scattered, where dense terms are added to it.
//!
//! **The one idea.** The sum of a matrix in a format and a dense one, as it is written, clears the result,
//! then adds each row of the dense one, and the entries: all of the result moves twice through the caches.
//! The step names the row of entries, which stays near, so that each element of the result is stored once.

use crate::names::fresh;
use crate::structure::is_name;
use atl_kernel::{Expr, Node, Prim};
use atl_schedule::nest::binders;
use std::collections::BTreeSet;

/// What the row is called.
const ROW: &str = "row";

/// The step that names the row, for a program after `sparsify`; none of one without such a row.
pub(super) fn named(body: &Expr, mut taken: BTreeSet<String>) -> Option<String> {
    let mut e = body;
    while let Node::Gen(_, _, inner) = &**e {
        e = inner;
    }
    let Node::Prim(Prim::Add, parts) = &**e else { return None };
    let is_dense = |part: &Expr| matches!(**part, Node::Gen(..));
    let entries = match parts.as_slice() {
        [a, b] if is_dense(a) => b,
        [a, b] if is_dense(b) => a,
        _ => return None,
    };
    let Node::Sum(label, _, term) = &**entries else { return None };
    let Node::Op(definition, ..) = &**term else { return None };
    let is_alone = binders(body).iter().filter(|place| place.label.name == label.name).count() == 1;
    if definition.name != "one_hot" || !is_alone || !is_name(&label.name) {
        return None;
    }
    Some(format!("stage {} as {}", label.name, fresh(&mut taken, ROW)))
}
