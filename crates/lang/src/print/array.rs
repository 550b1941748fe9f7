//! Arrays by their elements: the `++` that elaboration makes of `[a, b, c]`, recognised.

use atl_kernel::{Expr, Ix, LoopKind, Node, subst};

/// The elements, if the term is what an array of them becomes; `level` is one that it does not mention.
pub(super) fn elements(e: &Expr, level: u32) -> Option<Vec<Expr>> {
    let mut found = Vec::new();
    collect(e, level, &mut found)?;
    (found.len() > 1 && halved(e, found.len())).then_some(found)
}

fn collect(e: &Expr, level: u32, found: &mut Vec<Expr>) -> Option<()> {
    match &**e {
        Node::Op(definition, ixs, parts) if definition.name == "concat" && ixs.is_empty() => {
            parts.iter().try_for_each(|part| collect(part, level, found))
        }
        // The same at every index.
        Node::Gen(label, n, body)
            if *n == Ix::ONE
                && &*label.name == "i"
                && label.kind == LoopKind::Serial
                && subst::open(body, level) == *body =>
        {
            found.push(body.clone());
            Some(())
        }
        _ => None,
    }
}

/// Are so many elements joined as one half and the other?
fn halved(e: &Expr, count: usize) -> bool {
    match &**e {
        Node::Op(_, _, parts) => match &parts[..] {
            [first, second] => count > 1 && halved(first, count.div_ceil(2)) && halved(second, count / 2),
            _ => false,
        },
        _ => count == 1,
    }
}
