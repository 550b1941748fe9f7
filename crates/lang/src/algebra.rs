//! Element types: names resolved, algebras looked up.

use atl_kernel::{Algebra, Elem, Laws, Scalar};
use atl_semirings::instances::PLUS_TIMES;
use atl_semirings::{ALL, Semiring};

/// Algebras that no program has: each stands for any algebra in a theorem, under a capital letter. They claim every
/// law, so that what a proof over one of them used is what it needs; over real elements it is proved again.
static VARIABLES: [Algebra; 26] = {
    const NAMES: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const UNKNOWN: Algebra = Algebra {
        name: "",
        scalars: &Scalar::ALL,
        laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
        formula: false,
    };
    let mut variables = [UNKNOWN; 26];
    let mut k = 0;
    while k < variables.len() {
        variables[k].name = NAMES.split_at(k).1.split_at(1).0;
        k += 1;
    }
    variables
};

/// The element type that a capital letter stands for in a theorem: any scalar, in any algebra.
pub(crate) fn variable(name: &str) -> Option<Elem> {
    let algebra = VARIABLES.iter().find(|a| a.name == name)?;
    Some(Elem { scalar: Scalar::F64, algebra })
}

/// Does the element type stand for any?
pub fn is_variable(elem: Elem) -> bool {
    VARIABLES.iter().any(|a| std::ptr::eq(a, elem.algebra))
}

/// Is the element type's algebra the ordinary one, which a bare scalar's name means?
pub fn is_ordinary(elem: Elem) -> bool {
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
