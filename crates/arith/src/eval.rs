//! Values of index terms, predicates and polynomials where every variable has one. Elements of tensors have none here.

use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Cmp, Ix, IxOp, Pred, Var, eval_op};

/// The value of an index term; `None` where a variable has none, or it does not fit 64 bits.
pub fn eval_ix(ix: &Ix, value: &dyn Fn(u32) -> Option<i64>) -> Option<i64> {
    wide(ix, value).and_then(|v| i64::try_from(v).ok())
}

fn wide(ix: &Ix, value: &dyn Fn(u32) -> Option<i64>) -> Option<i128> {
    match ix {
        Ix::Lit(n) => Some(i128::from(*n)),
        Ix::Var(Var::Free(l)) => value(*l).map(i128::from),
        Ix::Var(Var::Bound(_)) | Ix::Read(..) => None,
        Ix::Bin(op, ab) => eval_op(*op, wide(&ab.0, value)?, wide(&ab.1, value)?),
    }
}

/// The truth of a predicate; `None` where a term in it has no value, unless the rest decides.
pub fn eval_pred(p: &Pred, value: &dyn Fn(u32) -> Option<i64>) -> Option<bool> {
    let both = |a: Option<bool>, b: &Pred, absorbing: bool| {
        if a == Some(absorbing) {
            return a;
        }
        match eval_pred(b, value) {
            b if b == Some(absorbing) => b,
            b => a.and(b),
        }
    };
    match p {
        Pred::True => Some(true),
        Pred::False => Some(false),
        Pred::Cmp(cmp, a, b) => {
            let (a, b) = (wide(a, value)?, wide(b, value)?);
            Some(match cmp {
                Cmp::Eq => a == b,
                Cmp::Lt => a < b,
                Cmp::Le => a <= b,
            })
        }
        Pred::Not(q) => eval_pred(q, value).map(|v| !v),
        Pred::And(ab) => both(eval_pred(&ab.0, value), &ab.1, false),
        Pred::Or(ab) => both(eval_pred(&ab.0, value), &ab.1, true),
    }
}

/// The value of a polynomial.
pub(crate) fn eval_poly(p: &Poly, value: &dyn Fn(u32) -> Option<i64>) -> Option<i128> {
    let mut sum: i128 = 0;
    for (m, c) in p.terms() {
        let mut product = c;
        for a in m {
            product = product.checked_mul(eval_atom(a, value)?)?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum)
}

fn eval_atom(a: &Atom, value: &dyn Fn(u32) -> Option<i64>) -> Option<i128> {
    let (op, p, q) = match a {
        Atom::Var(l) => return value(*l).map(i128::from),
        Atom::Div(p, q) => (IxOp::Div, p, q),
        Atom::Min(p, q) => (IxOp::Min, p, q),
        Atom::Max(p, q) => (IxOp::Max, p, q),
        Atom::Read(..) => return None,
    };
    eval_op(op, eval_poly(p, value)?, eval_poly(q, value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same value as a term and as a polynomial, where the only variable is -7.
    fn check(ix: Ix, expected: Option<i64>) {
        let value = |l: u32| (l == 0).then_some(-7);
        assert_eq!(eval_ix(&ix, &value), expected);
        let poly = eval_poly(&Poly::of(&ix).unwrap(), &value);
        assert_eq!(poly.and_then(|v| i64::try_from(v).ok()), expected);
    }

    #[test]
    fn division_floors_and_is_total() {
        let x = Ix::free(0);
        check(x.clone() / Ix::Lit(2), Some(-4));
        check(x.clone() % Ix::Lit(2), Some(1));
        check(x.clone() / Ix::Lit(0), Some(0));
        check(x.clone() % Ix::Lit(0), Some(-7));
        check(Ix::min(x.clone(), Ix::Lit(3)) + Ix::max(x.clone(), Ix::Lit(3)), Some(-4));
        check(x.clone() + Ix::free(1), None);
        check(x * Ix::Lit(i64::MAX), None);
    }

    #[test]
    fn a_side_that_decides_is_enough() {
        let value = |l: u32| (l == 0).then_some(0);
        let (known, unknown) = (Pred::lt(Ix::free(0), Ix::ZERO), Pred::lt(Ix::free(1), Ix::ZERO));
        assert_eq!(eval_pred(&Pred::and(unknown.clone(), known.clone()), &value), Some(false));
        assert_eq!(eval_pred(&Pred::or(Pred::not(known.clone()), unknown.clone()), &value), Some(true));
        assert_eq!(eval_pred(&Pred::or(known, unknown), &value), None);
    }
}
