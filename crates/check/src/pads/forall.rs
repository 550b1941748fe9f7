//! What holds in every iteration of a sum.
//!
//! A cell is padding of a sum if it is padding of each iteration's term. The quantifier is eliminated: an
//! affine term has its extremes at the first and the last iteration, so a comparison that is affine in the
//! index holds throughout if it holds at both. Over conjunctions this is exact; over disjunctions, and for
//! comparisons that are not affine, it asks for more than is needed, which makes a set smaller and never
//! wrong.

use atl_kernel::subst::Subst;
use atl_kernel::{Cmp, Ix, IxOp, Pred};

/// A predicate without the variable `k` that implies `p` for all `0 <= k < n`, where `0 < n`. Negations stand
/// before equations only.
pub(super) fn for_all(k: u32, n: &Ix, p: &Pred) -> Pred {
    let at = |ix: &Ix| Subst { index: vec![(k, ix.clone())], ..Subst::default() }.pred(p);
    match p {
        p if !p.mentions(k) => p.clone(),
        Pred::And(pq) => Pred::and(for_all(k, n, &pq.0), for_all(k, n, &pq.1)),
        Pred::Or(pq) => Pred::or(for_all(k, n, &pq.0), for_all(k, n, &pq.1)),
        Pred::Cmp(_, a, b) if affine(k, a) && affine(k, b) => {
            Pred::and(at(&Ix::ZERO), at(&(n.clone() - Ix::ONE)))
        }
        Pred::Not(q) => match &**q {
            Pred::Cmp(Cmp::Eq, a, b) => {
                let (below, above) = (Pred::lt(a.clone(), b.clone()), Pred::lt(b.clone(), a.clone()));
                Pred::or(for_all(k, n, &below), for_all(k, n, &above))
            }
            _ => Pred::False,
        },
        _ => Pred::False,
    }
}

/// Is the term `a*k + b` for some `a` and `b` without `k`?
fn affine(k: u32, ix: &Ix) -> bool {
    match ix {
        ix if !ix.mentions(k) => true,
        Ix::Lit(_) | Ix::Var(_) => true,
        Ix::Bin(IxOp::Add | IxOp::Sub, ab) => affine(k, &ab.0) && affine(k, &ab.1),
        Ix::Bin(IxOp::Mul, ab) if !ab.0.mentions(k) => affine(k, &ab.1),
        Ix::Bin(IxOp::Mul, ab) if !ab.1.mentions(k) => affine(k, &ab.0),
        Ix::Bin(..) | Ix::Read(..) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_arith::eval_pred;

    /// Where the result holds, all iterations do; and the other way round if it is `exact`.
    fn check(p: impl Fn(Ix, Ix) -> Pred, exact: bool) {
        let (k, n, i) = (0, Ix::free(1), Ix::free(2));
        let p = p(Ix::free(k), i);
        let q = for_all(k, &n, &p);
        assert!(!q.mentions(k), "{q:?}");
        for (n, i) in (1..5).flat_map(|n| (-6..7).map(move |i| (n, i))) {
            let holds = |p: &Pred, k: i64| eval_pred(p, &|level| [k, n, i].get(level as usize).copied());
            let all = (0..n).all(|k| holds(&p, k) == Some(true));
            let found = holds(&q, 0) == Some(true);
            assert!(all || !found, "{q:?} for n = {n}, i = {i}");
            assert!(found || !all || !exact, "{q:?} for n = {n}, i = {i}");
        }
    }

    #[test]
    fn the_quantifier_goes() {
        let n = || Ix::free(1);
        check(Pred::lt, true);
        check(|k, i| Pred::le(i, Ix::Lit(3) - k * Ix::Lit(2)), true);
        check(Pred::eq, true);
        check(|k, i| Pred::not(Pred::eq(k, i)), true);
        check(|k, i| Pred::lt(k.clone() * (n() - Ix::Lit(2)), i), true);
        check(|k, i| Pred::and(Pred::lt(k.clone(), i), Pred::lt(k, Ix::Lit(2))), true);
        check(|k, i| Pred::or(Pred::lt(i, Ix::ZERO), Pred::lt(k, Ix::Lit(2))), true);
        // Some iterations are below, the others above.
        check(|k, i| Pred::or(Pred::lt(k.clone(), i.clone()), Pred::le(i, k)), false);
        check(|k, i| Pred::lt(k / Ix::Lit(2), i), false);
        check(|k, i| Pred::le(i, k.clone() * k), false);
    }
}
