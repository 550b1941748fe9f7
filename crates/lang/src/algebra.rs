//! Element types: names resolved, algebras looked up.

use atl_kernel::{Algebra, Elem, Scalar};
use atl_semirings::instances::PLUS_TIMES;
use atl_semirings::{ALL, Semiring};

/// Is the element type's algebra the ordinary one, which a bare scalar's name means?
pub(crate) fn is_ordinary(elem: Elem) -> bool {
    std::ptr::eq(elem.algebra, &PLUS_TIMES)
}

/// The scalar in the ordinary algebra.
pub(crate) fn ordinary(scalar: Scalar) -> Elem {
    Elem { scalar, algebra: &PLUS_TIMES }
}

/// The algebra that has this element type's multiplication for its addition, so that its sums are products.
/// The one that the semirings name `prod` is preferred.
pub(crate) fn products(elem: Elem) -> Option<&'static Algebra> {
    let ops = atl_semirings::of(elem.algebra)?.on(elem.scalar)?;
    let adds_so = |s: &&Semiring| {
        s.admits(elem.scalar) && s.on(elem.scalar).is_some_and(|o| o.add == ops.mul && o.zero == ops.one)
    };
    let preferred = atl_semirings::reduction("prod").filter(adds_so);
    preferred.or_else(|| ALL.iter().copied().find(adds_so)).map(|s| s.algebra)
}

/// The algebra whose sum a reduction other than `sum` is, over this element type.
pub(crate) fn reduction(word: &str, elem: Elem) -> Option<&'static Algebra> {
    if word == "prod" {
        return products(elem);
    }
    let semiring = atl_semirings::reduction(word)?;
    semiring.admits(elem.scalar).then_some(semiring.algebra)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, scalar: Scalar, word: &str, expected: Option<&str>) {
        let elem = atl_semirings::elem(scalar, name).unwrap();
        assert_eq!(reduction(word, elem).map(|a| a.name), expected, "{word} over {elem}");
    }

    #[test]
    fn products_are_sums_of_another_algebra() {
        check("plus_times", Scalar::F32, "prod", Some("times"));
        check("min_plus", Scalar::F32, "prod", Some("plus_times"));
        check("max_times", Scalar::F32, "prod", Some("times"));
        check("plus_times", Scalar::Bool, "prod", Some("times"));
        check("plus_times", Scalar::F32, "max", Some("max_min"));
        check("plus_times", Scalar::F32, "any", None);
        check("plus_times", Scalar::Bool, "any", Some("or_and"));
    }
}
