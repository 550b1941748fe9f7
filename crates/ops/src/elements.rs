//! What an array that is written by its elements, `[0, 2, 5]`, says of them where they stand in indices, and
//! where elements do.
//!
//! Of what is computed by integer arithmetic `reflect` knows more.

use crate::reflect::is_arithmetic;
use atl_kernel::subst::{close, open};
use atl_kernel::{Ctx, Expr, Ix, Label, Node, Number, Pred, Type, Var};
use std::sync::Arc;

/// Between these, the tensor at this level at its bound variables.
fn within(level: u32, rank: usize, (least, largest): (i64, i64)) -> Pred {
    let at: Arc<[Ix]> = (0..).take(rank).map(|k| Ix::Var(Var::Bound(k))).collect();
    let element = Ix::Read(Var::Free(level), at);
    let sides = (Pred::le(Ix::Lit(least), element.clone()), Pred::le(element, Ix::Lit(largest)));
    Pred::And(Arc::new(sides))
}

/// Assumes of an array that is written by its integers, `let q = [0, 2, 5]`, that its elements are between
/// the least and the greatest of them and 0, which it is outside of its box.
pub fn assume_written(ctx: &mut Ctx, level: u32, ty: &Type, bound: &Expr) {
    let rank = ty.shape.len();
    if let (Some(ends), true) = (constants(bound), rank > 0) {
        ctx.push_all(vec![Label::new("i"); rank], within(level, rank, ends));
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

/// Is an element of the tensor at this level read in an index term or a predicate of the term, or is what is
/// read there computed from it?
pub fn is_read(e: &Expr, level: u32) -> bool {
    is_read_below(e, level, u32::MAX)
}

/// [`is_read`]; this level, and those below it, are of no variable.
fn is_read_below(e: &Expr, level: u32, fresh: u32) -> bool {
    let here = match &**e {
        Node::Gen(_, i, _) | Node::Sum(_, i, _) | Node::Get(_, i) | Node::Index(_, i) => i.mentions(level),
        Node::Guard(p, _) | Node::Select(p, ..) => p.mentions(level),
        Node::Op(_, ixs, _) => ixs.iter().any(|i| i.mentions(level)),
        Node::Let(_, bound, body) => {
            is_arithmetic(bound)
                && close(bound, level) != *bound
                && is_read_below(&open(body, fresh), fresh, fresh - 1)
        }
        // What a state begins as, or is bound to, may be read where the state is.
        Node::Iterate(it) => {
            it.extent.mentions(level) || it.states.iter().any(|s| close(&s.init, level) != s.init)
        }
        Node::Var(_) | Node::Lit(..) | Node::Prim(..) | Node::View(..) | Node::Bundle(..) => false,
    };
    here || e.children().filter_map(|at| e.child(at)).any(|part| is_read_below(part, level, fresh))
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::{Algebra, Elem, Entry, Laws, Scalar};

    static PLAIN: Algebra =
        Algebra { name: "plus_times", scalars: &Scalar::ALL, laws: Laws::NONE, formula: false };

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
        assume_written(&mut ctx, level, &ty, &bound.unwrap());
        let stated = within(level, 1, expected);
        assert!(ctx.entries().any(|e| matches!(e, Entry::All(_, p) if **p == stated)), "{numbers:?}");
    }

    #[test]
    fn an_array_of_numbers_is_between_the_least_and_the_greatest_and_zero() {
        check(&[3, 1, 7], (0, 7));
        check(&[-3, -1], (-3, 0));
        check(&[5], (0, 5));
    }
}
