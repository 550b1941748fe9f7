//! How long the extents of a type may be, and index terms that have a name.
//!
//! An operator's extents are made of its operand's, some of which it names more than once, as `shear` does with both of a matrix:
//! those of a nest may double with each operator, and with them whatever is to be proved there. So there is a limit, far above
//! what programs use and as far below what takes long. The name of an index term stands for the term itself, so names of names
//! grow alike.

use atl_kernel::{Ix, Type};

/// The extents of a type may have so many nodes in all, what is shared counted wherever it is read.
pub const MAX_EXTENTS: u64 = 1 << 12;

/// An index term that is given a name may have so many nodes.
pub(crate) const MAX_NAMED: u64 = 1 << 9;

/// Are a type's extents within the limit?
pub fn fit(ty: &Type) -> bool {
    let mut left = MAX_EXTENTS;
    ty.shape.iter().all(|n| count(n, &mut left).is_some())
}

/// Is an index term that is given a name within the limit?
pub(crate) fn fits(ix: &Ix) -> bool {
    count(ix, &mut { MAX_NAMED }).is_some()
}

/// Counts a term; nothing once the limit is passed, so that no more is ever walked.
fn count(ix: &Ix, left: &mut u64) -> Option<()> {
    *left = left.checked_sub(1)?;
    match ix {
        Ix::Lit(_) | Ix::Var(_) => Some(()),
        Ix::Bin(_, ab) => count(&ab.0, left).and_then(|()| count(&ab.1, left)),
        Ix::Read(_, at) => at.iter().try_for_each(|i| count(i, left)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::{Elem, Scalar};

    #[test]
    fn what_is_shared_counts_wherever_it_is_read() {
        let elem: Elem = crate::algebra::ordinary(Scalar::F32);
        let doubled = |times: u32| (0..times).fold(Ix::free(0), |n, _| Ix::min(n.clone() + Ix::ONE, n));
        let fits = |shape: Vec<Ix>| fit(&Type { elem, shape });
        // `n` and `min(n + 1, n)`: 1, 5, 13, 29, .. nodes.
        assert!(fits(vec![doubled(10)]) && !fits(vec![doubled(11)]));
        assert!(!fits(vec![doubled(10), doubled(6)]) && !fits(vec![doubled(60)]));
    }
}
