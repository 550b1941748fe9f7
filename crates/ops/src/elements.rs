//! What a `let` says of its elements where they stand in indices, beyond what their type says, which the kernel knows.
//!
//! An array that is written by its elements, `[0, 2, 5]`, has these and, outside of its box, 0. A number that is the name of an element is that
//! element, so whatever is known of the tensor is known of it.

use atl_kernel::{Ctx, Entry, Expr, Ix, Label, Node, Number, Pred, Type, Var};
use std::sync::Arc;

/// Between these, the tensor at this level at its bound variables.
fn within(level: u32, rank: usize, (least, largest): (i64, i64)) -> Pred {
    let at: Arc<[Ix]> = (0..).take(rank).map(|k| Ix::Var(Var::Bound(k))).collect();
    let element = Ix::Read(Var::Free(level), at);
    let sides = (Pred::le(Ix::Lit(least), element.clone()), Pred::le(element, Ix::Lit(largest)));
    Pred::And(Arc::new(sides))
}

/// Assumes what a `let` that is this term says of its elements where they are read: of an array of integers, that they are between the
/// least and the greatest of them and 0, which it is outside of its box; of a number that names an element, that it is this.
pub fn assume_elements(ctx: &mut Ctx, level: u32, ty: &Type, bound: &Expr) {
    let rank = ty.shape.len();
    match constants(bound) {
        Some(ends) if rank > 0 => ctx.push_all(vec![Label::new("i"); rank], within(level, rank, ends)),
        _ if rank == 0 => assume_element(ctx, level, ty, bound),
        _ => {}
    }
}

/// Assumes that the number at this level, `let q_at = q[i]`, is the element that it names; where `[p] * q[i]` is named and `p` does not
/// hold, it is 0.
fn assume_element(ctx: &mut Ctx, level: u32, ty: &Type, bound: &Expr) {
    let Some((condition, array, at)) = element(bound) else { return };
    let is_one = matches!(ctx.entry(array), Some(Entry::Tensor(_, of)) if of.elem.scalar.is_index() && of.shape.len() == at.len());
    // Of other algebras the zero is another number.
    if !is_one || !(condition == Pred::True || ty.elem.algebra.name == "plus_times") {
        return;
    }
    let number = Ix::Read(Var::Free(level), Arc::new([]));
    let is_element = Pred::eq(number.clone(), Ix::Read(Var::Free(array), at.into()));
    let is_zero = Pred::and(Pred::not(condition.clone()), Pred::eq(number, Ix::ZERO));
    ctx.push_hyp(Pred::or(Pred::and(condition, is_element), is_zero));
}

/// A term that is an element of a tensor of the context, where a condition holds: the condition, the tensor and the indices.
fn element(e: &Expr) -> Option<(Pred, u32, Vec<Ix>)> {
    let (condition, mut part) = match &**e {
        Node::Guard(p, part) => (p.clone(), part),
        _ => (Pred::True, e),
    };
    let mut at = Vec::new();
    while let Node::Get(array, i) = &**part {
        at.insert(0, i.clone());
        part = array;
    }
    match **part {
        Node::Var(Var::Free(array)) => Some((condition, array, at)),
        _ => None,
    }
}

/// The least and the greatest of 0 and the integers that an array is written with, if it is.
fn constants(e: &Expr) -> Option<(i64, i64)> {
    match &**e {
        Node::Gen(_, _, body) => constants(body),
        Node::Op(definition, _, parts) if definition.name == "concat" => parts
            .iter()
            .map(constants)
            .try_fold((0, 0), |(least, largest), ends| ends.map(|(a, b)| (least.min(a), largest.max(b)))),
        Node::Lit(elem, number) if elem.scalar.is_integer() && elem.scalar.is_index() => {
            let n = match number {
                Number::Decimal(n, 0) => i64::try_from(*n).ok()?,
                // Of other semirings these are other numbers.
                Number::Zero if elem.algebra.name == "plus_times" => 0,
                Number::One if elem.algebra.name == "plus_times" => 1,
                _ => return None,
            };
            Some((n.min(0), n.max(0)))
        }
        _ => None,
    }
}

/// Is an element of the tensor at this level read in an index term or a predicate of the term, or has it a name that may be?
pub fn is_read(e: &Expr, level: u32) -> bool {
    let here = match &**e {
        Node::Gen(_, i, _) | Node::Sum(_, i, _) | Node::Get(_, i) | Node::Index(_, i) => i.mentions(level),
        Node::Guard(p, _) | Node::Select(p, ..) => p.mentions(level),
        Node::Op(_, ixs, _) => ixs.iter().any(|i| i.mentions(level)),
        Node::Let(_, bound, _) => element(bound).is_some_and(|(_, array, _)| array == level),
        Node::Var(_) | Node::Lit(..) | Node::Prim(..) | Node::View(..) => false,
    };
    here || e.children().into_iter().filter_map(|at| e.child(at)).any(|part| is_read(part, level))
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::{Algebra, Elem, Laws, Scalar};

    static PLAIN: Algebra = Algebra { name: "plus_times", scalars: &Scalar::ALL, laws: Laws::NONE, formula: false };

    /// What is assumed of `let q = [numbers]`.
    fn check(numbers: &[i128], expected: (i64, i64)) {
        let elem = Elem { scalar: Scalar::I32, algebra: &PLAIN };
        let row = |n: &i128| -> Expr {
            Arc::new(Node::Gen(Label::new("i"), Ix::ONE, Arc::new(Node::Lit(elem, Number::Decimal(*n, 0)))))
        };
        let bound = numbers.iter().map(row).reduce(crate::concat);
        let ty = Type { elem, shape: vec![Ix::Lit(numbers.len() as i64)] };
        let mut ctx = Ctx::new();
        let level = ctx.push_tensor(Label::new("q"), ty.clone());
        assume_elements(&mut ctx, level, &ty, &bound.unwrap());
        let stated = within(level, 1, expected);
        assert!(ctx.entries().iter().any(|e| matches!(e, Entry::All(_, p) if **p == stated)), "{numbers:?}");
    }

    #[test]
    fn an_array_of_numbers_is_between_the_least_and_the_greatest_and_zero() {
        check(&[3, 1, 7], (0, 7));
        check(&[-3, -1], (-3, 0));
        check(&[5], (0, 5));
    }
}
