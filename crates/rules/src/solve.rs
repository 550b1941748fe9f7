//! Solving index terms: which loop indices give a tensor's arguments, and what a factor leaves.
//!
//! The one idea: an argument such as `i + k` or `o*k + j` is read as an equation for the loop indices in it,
//! whose solution is a term over the argument. What comes out is a proposal: matching compares the instance
//! afterwards.

use atl_kernel::{Expr, Ix, IxOp, Node, Pred, Var};
use std::sync::Arc;

/// The indices that make the arguments these variables, as pairs of a level and a term over the variables.
/// `None` where an argument is not of a form that can be solved, or an index occurs in none.
pub(crate) fn invert(
    args: &[Ix],
    variables: &[u32],
    is_index: &dyn Fn(u32) -> bool,
) -> Option<Vec<(u32, Ix)>> {
    let mut solved: Vec<(u32, Ix)> = Vec::new();
    let mut place = 0;
    while place < args.len() {
        let (variable, next) = (Ix::free(variables[place]), args.get(place + 1));
        let pair = next.and_then(|next| same_divided(&args[place], next));
        let taken = match pair {
            // `i / k, i % k` together are `i`.
            Some((whole, k)) => {
                let value = variable * k + Ix::free(variables[place + 1]);
                solve(&whole, value, is_index, &mut solved)?;
                2
            }
            None => {
                solve(&args[place], variable, is_index, &mut solved)?;
                1
            }
        };
        place += taken;
    }
    Some(solved)
}

/// `i` and `k` of `i / k` and `i % k`.
fn same_divided(a: &Ix, b: &Ix) -> Option<(Ix, Ix)> {
    match (a, b) {
        (Ix::Bin(IxOp::Div, x), Ix::Bin(IxOp::Mod, y)) if x == y => Some((x.0.clone(), x.1.clone())),
        _ => None,
    }
}

/// Does a loop index occur?
fn has_index(ix: &Ix, is_index: &dyn Fn(u32) -> bool) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(Var::Bound(_)) => false,
        Ix::Var(Var::Free(level)) => is_index(*level),
        Ix::Bin(_, ab) => has_index(&ab.0, is_index) || has_index(&ab.1, is_index),
        Ix::Read(_, at) => at.iter().any(|i| has_index(i, is_index)),
    }
}

/// Solve `term = value` for the indices in the term.
fn solve(term: &Ix, value: Ix, is_index: &dyn Fn(u32) -> bool, solved: &mut Vec<(u32, Ix)>) -> Option<()> {
    match term {
        Ix::Var(Var::Free(level)) if is_index(*level) => {
            let new = solved.iter().all(|(l, _)| l != level);
            new.then(|| solved.push((*level, value)))
        }
        Ix::Bin(op, ab) => {
            let (a, b) = (&ab.0, &ab.1);
            match (op, has_index(a, is_index), has_index(b, is_index)) {
                (IxOp::Add, true, false) => solve(a, value - b.clone(), is_index, solved),
                (IxOp::Add, false, true) => solve(b, value - a.clone(), is_index, solved),
                (IxOp::Sub, true, false) => solve(a, value + b.clone(), is_index, solved),
                (IxOp::Sub, false, true) => solve(b, a.clone() - value, is_index, solved),
                // `o*k + j`, `j` within a tile of `k`.
                (IxOp::Add, true, true) => {
                    let Ix::Bin(IxOp::Mul, product) = a else { return None };
                    let (outer, k) = (&product.0, &product.1);
                    if has_index(k, is_index) {
                        return None;
                    }
                    solve(outer, value.clone() / k.clone(), is_index, solved)?;
                    solve(b, value % k.clone(), is_index, solved)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// What is left of a product when this factor is taken out.
pub(crate) fn quotient(product: &Ix, factor: &Ix) -> Ix {
    match product {
        Ix::Bin(IxOp::Mul, ab) if ab.0 == *factor => ab.1.clone(),
        Ix::Bin(IxOp::Mul, ab) if ab.1 == *factor => ab.0.clone(),
        _ => product.clone() / factor.clone(),
    }
}

/// The term with a variable in place of every occurrence of an index term that has no bound variables.
pub(crate) fn replace(e: &Expr, from: &Ix, to: &Ix) -> Expr {
    let mut node = (**e).clone();
    for at in node.children() {
        if let Some(child) = node.child(at) {
            let child = replace(child, from, to);
            node = node.with_child(at, child);
        }
    }
    match &mut node {
        Node::Index(_, i) | Node::Get(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) => {
            *i = in_index(i, from, to);
        }
        Node::Guard(p, _) | Node::Select(p, ..) => *p = in_predicate(p, from, to),
        Node::Op(_, ixs, _) => ixs.iter_mut().for_each(|i| *i = in_index(i, from, to)),
        _ => {}
    }
    Arc::new(node)
}

fn in_index(ix: &Ix, from: &Ix, to: &Ix) -> Ix {
    match ix {
        ix if ix == from => to.clone(),
        Ix::Bin(op, ab) => Ix::bin(*op, in_index(&ab.0, from, to), in_index(&ab.1, from, to)),
        Ix::Read(array, at) => Ix::Read(*array, at.iter().map(|i| in_index(i, from, to)).collect()),
        Ix::Lit(_) | Ix::Var(_) => ix.clone(),
    }
}

fn in_predicate(p: &Pred, from: &Ix, to: &Ix) -> Pred {
    match p {
        Pred::True | Pred::False => p.clone(),
        Pred::Cmp(c, a, b) => Pred::Cmp(*c, in_index(a, from, to), in_index(b, from, to)),
        Pred::Not(p) => Pred::not(in_predicate(p, from, to)),
        Pred::And(pq) => Pred::and(in_predicate(&pq.0, from, to), in_predicate(&pq.1, from, to)),
        Pred::Or(pq) => Pred::or(in_predicate(&pq.0, from, to), in_predicate(&pq.1, from, to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Indices are levels 0 to 9, arguments 20 and 21; 10 is a size.
    fn check(args: &[Ix], expected: Option<Vec<(u32, Ix)>>) {
        assert_eq!(invert(args, &[20, 21], &|level| level < 10), expected);
    }

    #[test]
    fn arguments_are_solved_for_indices() {
        let (i, j, k, x, y) = (Ix::free(0), Ix::free(1), Ix::free(10), Ix::free(20), Ix::free(21));
        check(std::slice::from_ref(&i), Some(vec![(0, x.clone())]));
        check(&[i.clone() + k.clone()], Some(vec![(0, x.clone() - k.clone())]));
        check(&[k.clone() - i.clone()], Some(vec![(0, k.clone() - x.clone())]));
        let tile = i.clone() * k.clone() + j.clone();
        check(&[tile], Some(vec![(0, x.clone() / k.clone()), (1, x.clone() % k.clone())]));
        let cut = [i.clone() / k.clone(), i.clone() % k.clone()];
        check(&cut, Some(vec![(0, x * k.clone() + y)]));
        check(&[i.clone(), i.clone()], None);
        check(&[i.clone() * j], None);
        check(&[i % k], None);
    }
}
