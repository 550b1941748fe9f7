//! Which block a coordinate is in: a range of coordinates as an equation, which can be looked for.
//!
//! `0 <= x - a * n && x - a * n < n` is `a == x / n`, for a literal `n`: where an operand that is stored in blocks meets one that is not,
//! the block's coordinate is that of the entry, divided.

use crate::conjuncts::{conjunction, conjuncts};
use crate::sparse::reads;
use atl_kernel::{Cmp, Ix, IxOp, Pred};

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

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::Var;
    use std::sync::Arc;

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
