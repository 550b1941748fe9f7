//! The block of a coordinate: range conditions within a block rewritten as equations, each of which
//! determines one index.
//!
//! `0 <= x - a * n && x - a * n < n` is `a == x / n`, for a literal `n`: where a blocked operand intersects
//! one that is not blocked, the block coordinate is the entry's coordinate divided by the block size.
//! `x == a * n + k`, where `0 <= k < n`, is `a == x / n && k == x % n`: an index that numbers pairs, as in a
//! Kronecker product, determines both parts of the pair.

use super::coordinates::reads;
use crate::conjuncts::{conjunction, conjuncts};
use atl_kernel::{Cmp, Ix, IxOp, Pred, Var};

/// A condition with an equation in place of such a range of coordinates; none if there is no range.
pub(crate) fn of_blocks(p: &Pred) -> Option<Pred> {
    let parts = conjuncts(p);
    parts.iter().find_map(|lower| {
        let Pred::Cmp(Cmp::Le, Ix::Lit(0), within) = lower else { return None };
        let (equation, extent) = block(within)?;
        let upper = Pred::lt(within.clone(), Ix::Lit(extent));
        let others = parts.iter().filter(|part| *part != lower && **part != upper);
        parts.contains(&upper).then(|| conjunction(others.cloned().chain([equation])))
    })
}

/// `a == x / n` and `n`, of `x - a * n`.
fn block(within: &Ix) -> Option<(Pred, i64)> {
    let Ix::Bin(IxOp::Sub, difference) = within else { return None };
    let (x, Ix::Bin(IxOp::Mul, product)) = &**difference else { return None };
    let (a, extent) = match &**product {
        (a, Ix::Lit(n)) | (Ix::Lit(n), a) => (a, *n),
        _ => return None,
    };
    let both = reads(x) && reads(a) && extent > 0;
    both.then(|| (Pred::eq(a.clone(), x.clone() / Ix::Lit(extent)), extent))
}

/// A condition with two equations in place of one that numbers pairs, `x == a * n + k`; none if there is no
/// such equation. That `k` is below `n` is for the caller to show. The test of `x` and `k` decides
/// whether an equation counts.
pub(crate) fn of_pairs(p: &Pred, counts: &dyn Fn(&Pair) -> bool) -> Option<Pred> {
    let parts = conjuncts(p);
    parts.iter().enumerate().find_map(|(at, part)| {
        let Pred::Cmp(Cmp::Eq, left, right) = part else { return None };
        let sides = [(left, right), (right, left)];
        let Pair { number, first, n, second } =
            sides.into_iter().find_map(|(sum, number)| Pair::of(sum, number).filter(counts))?;
        let equations = [Pred::eq(first, number.clone() / n.clone()), Pred::eq(Ix::free(second), number % n)];
        let others = parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, part)| part.clone());
        Some(conjunction(equations.into_iter().chain(others)))
    })
}

/// `number == first * n + second`, where the second is an index.
pub(crate) struct Pair {
    pub(crate) number: Ix,
    first: Ix,
    pub(crate) n: Ix,
    /// Its level.
    pub(crate) second: u32,
}

impl Pair {
    fn of(sum: &Ix, number: &Ix) -> Option<Pair> {
        let Ix::Bin(IxOp::Add, terms) = sum else { return None };
        let (product, second) = match &**terms {
            (product @ Ix::Bin(IxOp::Mul, _), Ix::Var(Var::Free(second)))
            | (Ix::Var(Var::Free(second)), product @ Ix::Bin(IxOp::Mul, _)) => (product, *second),
            _ => return None,
        };
        let Ix::Bin(_, factors) = product else { return None };
        // The first part is an index, too, inside of what says how many there are of the second.
        let (first, n) = match &**factors {
            (Ix::Var(Var::Free(a)), Ix::Var(Var::Free(b))) => (Ix::free(*a.max(b)), Ix::free(*a.min(b))),
            (first @ Ix::Var(_), n) | (n, first @ Ix::Var(_)) => (first.clone(), n.clone()),
            _ => return None,
        };
        (!number.mentions(second) && !first.mentions(second) && !n.mentions(second)).then(|| Pair {
            number: number.clone(),
            first,
            n,
            second,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::Var;
    use std::sync::Arc;

    #[test]
    fn an_equation_of_pairs_is_one_of_each_part() {
        let [n, r, i, k, other] = [0, 1, 2, 3, 4].map(Ix::free);
        let check = |p: &Pred, expected: Option<Pred>| {
            assert_eq!(of_pairs(p, &|pair| pair.second == 3 && pair.n != r), expected, "{p:?}");
        };
        let pair = |i: &Ix, n: &Ix, k: &Ix| i.clone() * n.clone() + k.clone();
        let each = |n: &Ix| {
            Pred::and(Pred::eq(i.clone(), r.clone() / n.clone()), Pred::eq(k.clone(), r.clone() % n.clone()))
        };
        check(&Pred::eq(r.clone(), pair(&i, &n, &k)), Some(each(&n)));
        check(&Pred::eq(k.clone() + n.clone() * i.clone(), r.clone()), Some(each(&n)));
        check(&Pred::eq(r.clone(), pair(&i, &Ix::Lit(4), &k)), Some(each(&Ix::Lit(4))));
        // Of another index, or in which a part is on both sides, or which is none, it is not one.
        check(&Pred::eq(r.clone(), pair(&i, &n, &other)), None);
        check(&Pred::eq(k.clone(), pair(&i, &n, &k)), None);
        check(&Pred::lt(r.clone(), pair(&i, &n, &k)), None);
    }

    #[test]
    fn a_range_as_wide_as_a_block_is_an_equation() {
        let read = |array: u32, at: u32| Ix::Read(Var::Free(array), Arc::from([Ix::free(at)]));
        let (x, a, i) = (read(0, 2), read(1, 3), Ix::free(4));
        let range = |within: &Ix, n: i64| {
            Pred::and(Pred::le(Ix::ZERO, within.clone()), Pred::lt(within.clone(), Ix::Lit(n)))
        };
        let within = |x: &Ix, n: i64| x.clone() - a.clone() * Ix::Lit(n);
        let block = Pred::eq(a.clone(), x.clone() / Ix::Lit(4));
        assert_eq!(of_blocks(&range(&within(&x, 4), 4)), Some(block.clone()));
        // Other conditions stay.
        let other = Pred::lt(i.clone(), Ix::Lit(7));
        let both = Pred::and(other.clone(), range(&within(&x, 4), 4));
        assert_eq!(of_blocks(&both), Some(Pred::and(other, block)));
        // Wider or narrower than a block, or of what no array says, or with one end only, it is none.
        assert_eq!(of_blocks(&range(&within(&x, 4), 5)), None);
        assert_eq!(of_blocks(&range(&within(&x, 4), 3)), None);
        assert_eq!(of_blocks(&range(&within(&i, 4), 4)), None);
        assert_eq!(of_blocks(&Pred::le(Ix::ZERO, within(&x, 4))), None);
        assert_eq!(of_blocks(&range(&within(&x, -4), -4)), None);
    }
}
