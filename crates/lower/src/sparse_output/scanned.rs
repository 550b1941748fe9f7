//! Parts of a result in a format that are put in order by looking at all of their places, also those where nothing is stored.
//!
//! The translation is right and may be slow, so it is recorded here and the driver says so.

use crate::cx::LowerCx;
use crate::notes::{Places, Scanned};
use atl_kernel::{Expr, Node};

impl LowerCx<'_> {
    /// Record that this part is assembled so.
    pub(crate) fn scans(&mut self, e: &Expr, dimensions: usize, what: Places) {
        let within = self.loops.iter().map(|around| around.name.to_string()).collect();
        let scanned = Scanned { within, dimensions, what, exchange: exchange(e) };
        if !self.scanned.contains(&scanned) {
            self.scanned.push(scanned);
        }
    }
}

/// Does a `one_hot` say where the elements of the last dimension stand? Else loops fill whole rows.
pub(crate) fn has_places_last(e: &Expr) -> bool {
    is_placed_last(e, false)
}

/// The same below a dimension whose places a `one_hot` says, or does not.
fn is_placed_last(e: &Expr, placed: bool) -> bool {
    match &**e {
        Node::Sum(_, _, body) | Node::Guard(_, body) => is_placed_last(body, placed),
        Node::Gen(_, _, body) => is_placed_last(body, false),
        Node::Op(definition, _, args) => {
            let placed = definition.name == "one_hot";
            args.iter().any(|arg| is_placed_last(arg, placed))
        }
        Node::Prim(_, args) => args.iter().any(|arg| is_placed_last(arg, placed)),
        _ => placed,
    }
}

/// The first `gen` right in a sum, and that sum.
fn exchange(e: &Expr) -> Option<(String, String)> {
    if let Node::Sum(sum, _, body) = &**e
        && let Node::Gen(row, ..) = &**body
    {
        return Some((row.name.to_string(), sum.name.to_string()));
    }
    e.children().filter_map(|at| e.child(at)).find_map(exchange)
}
