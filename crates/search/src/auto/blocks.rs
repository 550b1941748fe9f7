//! Loops over elements of an operand that stores blocks, cut into its blocks.
//!
//! **The one idea.** Where an operand stores blocks, an equation says in which block an element is, as
//! in `j / 4 == crd[p]`, and determines no element: so each element of a row would be searched for.
//! With the loop cut into blocks, the equation determines the block, and the loop over its elements
//! stays.

use crate::structure::is_name;
use atl_kernel::{Cmp, Expr, Ix, IxOp, Node, Pred, Var};

/// The steps that cut loops of which an equation says the block, for a program in which operands are iterated
/// over by what they store.
pub(super) fn cuts(body: &Expr) -> Vec<String> {
    let mut found = Vec::new();
    look(body, &mut Vec::new(), &mut found);
    found
}

fn look(e: &Expr, around: &mut Vec<String>, found: &mut Vec<String>) {
    if let Node::Guard(p, _) = &**e {
        conjuncts(p, around, found);
    }
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        let outside = around.len();
        match &**e {
            Node::Gen(label, ..) | Node::Sum(label, ..) => around.push(label.name.to_string()),
            _ => around.extend((0..e.binds(at)).map(|_| String::new())),
        }
        look(child, around, found);
        around.truncate(outside);
    }
}

fn conjuncts(p: &Pred, around: &[String], found: &mut Vec<String>) {
    match p {
        Pred::And(both) => [&both.0, &both.1].into_iter().for_each(|part| conjuncts(part, around, found)),
        Pred::Cmp(Cmp::Eq, a, b) => {
            for (block, coordinate) in [(a, b), (b, a)] {
                let step = cut(block, around).filter(|_| matches!(coordinate, Ix::Read(..)));
                found.extend(step.filter(|step| !found.contains(step)));
            }
        }
        _ => {}
    }
}

/// The step for an index that is a loop's block.
fn cut(block: &Ix, around: &[String]) -> Option<String> {
    let Ix::Bin(IxOp::Div, parts) = block else { return None };
    let (Ix::Var(Var::Bound(k)), Ix::Lit(size)) = (&parts.0, &parts.1) else { return None };
    let name = around.iter().rev().nth(*k as usize).filter(|name| is_name(name))?;
    Some(format!("split {name} by {size}"))
}
