//! In which order elements are stored: at coordinates that increase, or at once.

use crate::cx::LowerCx;
use atl_arith::keys::Growth;
use atl_kernel::{Expr, Ix, Node, subst};
use atl_loops::{Name, Stmt};

/// Are the terms of a sum slices at coordinates that strictly increase? Then each slice is one term, and they
/// come in order. So they do where not the first coordinate alone strictly increases but, of up to so many
/// that are stored together, the number that they are, `(c0 * n1 + c1) * n2 + c2`: each coordinate is below
/// its extent, wherever there is a term.
pub(crate) fn comes_in_order(cx: &mut LowerCx<'_>, n: &Ix, body: &Expr, together: usize) -> bool {
    let level = cx.ctx.level();
    let mut term = subst::open(body, level);
    let mut number: Option<Ix> = None;
    for _ in 0..together {
        while let Node::Guard(_, inner) = &*term {
            term = inner.clone();
        }
        let Node::Op(definition, ixs, args) = &*term else { break };
        if definition.name != "one_hot" {
            break;
        }
        let (extent, coordinate) = (ixs[0].clone(), ixs[1].clone());
        let all = match number {
            None => coordinate,
            Some(before) => before * extent + coordinate,
        };
        if cx.grows((level, &all), n, Growth::Strict) {
            return true;
        }
        number = Some(all);
        term = args[0].clone();
    }
    false
}

/// Do iterations that run at once store to the buffer? They could not keep its record of touched cells.
pub(crate) fn is_filled_at_once(fill: &Stmt, buf: &Name) -> bool {
    let mut found = false;
    fill.for_each(&mut |stmt| {
        if let Stmt::For { kind, body, .. } = stmt
            && kind.is_concurrent()
        {
            found |= body.written().contains(buf);
        }
    });
    found
}
