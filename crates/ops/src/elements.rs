//! What the type of a tensor says of its elements where they stand in indices: a `u8` is 0 to 255, a `u16` 0 to
//! 65535, a truth value 0 or 1.
//!
//! Of an array that is written by its elements, `[0, 2, 5]`, these say more.
//!
//! It holds for all integers in place of the indices, since outside of its box a tensor is zero. Whatever has the type has it, so no call
//! checks it, and the elements of a `let` have it as those of a parameter do. A number that is the name of an element is that element, so
//! whatever is known of the tensor is known of it.

use atl_kernel::{Ctx, Entry, Expr, Ix, Label, Node, Number, Pred, Scalar, Type, Var};
use std::sync::Arc;

/// The largest element of a type whose elements say something that proofs use.
fn largest(scalar: Scalar) -> Option<i64> {
    let (least, greatest) = scalar.range()?;
    i64::try_from(greatest).ok().filter(|_| least == 0)
}

/// Between these, the tensor at this level at its bound variables.
fn within(level: u32, rank: usize, (least, largest): (i64, i64)) -> Pred {
    let at: Arc<[Ix]> = (0..).take(rank).map(|k| Ix::Var(Var::Bound(k))).collect();
    let element = Ix::Read(Var::Free(level), at);
    let sides = (Pred::le(Ix::Lit(least), element.clone()), Pred::le(element, Ix::Lit(largest)));
    Pred::And(Arc::new(sides))
}

/// Does the type say something of its elements?
pub fn has_range(ty: &Type) -> bool {
    largest(ty.elem.scalar).is_some() && !ty.shape.is_empty()
}

/// Assumes what the type of the tensor at this level says of its elements, if it says anything.
pub fn assume_range(ctx: &mut Ctx, level: u32, ty: &Type) {
    let rank = ty.shape.len();
    if let (Some(largest), true) = (largest(ty.elem.scalar), rank > 0) {
        ctx.push_all(vec![Label::new("i"); rank], within(level, rank, (0, largest)));
    }
}

/// The same of the tensor of a `let` that is this term: of an array of integers, that its elements are between the least and the greatest of
/// them and 0, which it is outside of its box.
pub fn assume_range_of(ctx: &mut Ctx, level: u32, ty: &Type, bound: &Expr) {
    match constants(bound) {
        Some(ends) if !ty.shape.is_empty() => {
            let rank = ty.shape.len();
            ctx.push_all(vec![Label::new("i"); rank], within(level, rank, ends));
        }
        _ if ty.shape.is_empty() => assume_element(ctx, level, ty, bound),
        _ => assume_range(ctx, level, ty),
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

/// Does the hypothesis for all integers say no more than the type of the tensor that it is about?
pub fn is_range(ctx: &Ctx, variables: &[Label], p: &Pred) -> bool {
    (0..).zip(ctx.entries()).any(|(level, entry)| match entry {
        Entry::Tensor(_, ty) if ty.shape.len() == variables.len() => {
            largest(ty.elem.scalar).is_some_and(|largest| *p == within(level, variables.len(), (0, largest)))
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::{Algebra, Elem, Laws};

    static PLAIN: Algebra =
        Algebra { name: "plus_times", scalars: &[Scalar::U8], laws: Laws::NONE, formula: false };

    /// Does the type of a tensor of rank 1 with such elements say that they are below `end`, and is that what is recognised?
    fn check(scalar: Scalar, end: i64, expected: bool) {
        let mut ctx = Ctx::new();
        let ty = Type { elem: Elem { scalar, algebra: &PLAIN }, shape: vec![Ix::Lit(3)] };
        let level = ctx.push_tensor(Label::new("q"), ty.clone());
        assume_range(&mut ctx, level, &ty);
        let stated = within(level, 1, (0, end));
        let found = ctx.entries().iter().any(|e| matches!(e, Entry::All(_, p) if **p == stated));
        assert_eq!(
            (found, is_range(&ctx, &[Label::new("i")], &stated)),
            (expected, expected),
            "{scalar}, {end}"
        );
    }

    #[test]
    fn a_type_says_what_it_holds_and_nothing_else() {
        check(Scalar::U8, 255, true);
        check(Scalar::U8, 254, false);
        check(Scalar::U8, 1, false);
        check(Scalar::Bool, 1, true);
        check(Scalar::Bool, 255, false);
        check(Scalar::I32, 255, false);
    }
}
