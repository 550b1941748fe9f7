//! Arrays all of whose numbers are below a size and none of which is negative, as a kernel requires: columns of a matrix.
//!
//! If so, `row * M + col` is in the order of the pairs `(row, col)`, and a back end may compare these.

use crate::places::bound;
use crate::{Access, Bool, CmpOp, Int, Kernel, Name};
use std::collections::BTreeSet;

/// Arrays, each with a size that its numbers are below. No loop has a variable of the size's name.
pub fn within(kernel: &Kernel) -> BTreeSet<(Name, Name)> {
    let variables = bound(&kernel.body);
    let whole = |array: &Name, end: &Int| {
        let is_it = |extents: &[Int]| matches!(extents, [extent] if extent == end);
        let mut params = kernel.params.iter();
        params.any(|param| param.name == *array && param.access == Access::Read && is_it(&param.extents))
    };
    let found = kernel.requires_all.iter().filter_map(|all| {
        let [(place, Int::Lit(0), end)] = all.binders.as_slice() else { return None };
        let Bool::And(least, most) = &all.cond else { return None };
        let (Bool::Cmp(CmpOp::Le, Int::Lit(0), cell), Bool::Cmp(CmpOp::Lt, own, Int::Var(size))) =
            (&**least, &**most)
        else {
            return None;
        };
        let Int::Load(array, at) = cell else { return None };
        let is_each = cell == own && **at == Int::Var(place.clone()) && whole(array, end);
        let is_size = kernel.sizes.contains(size) && size != place && !variables.contains(size);
        (is_each && is_size).then(|| (array.clone(), size.clone()))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::within;
    use crate::parse_kernel;

    /// What is within a size, of a kernel with this requirement.
    fn found(required: &str, body: &str) -> Vec<String> {
        let text = format!(
            "kernel t(K, M) in i32 crd[K] in i32 wide[K + 1] out i64 y[K] requires all {required} {{ reset y = 0i64 {body} }}"
        );
        let pairs = within(&parse_kernel(&text).unwrap());
        pairs.into_iter().map(|(array, size)| format!("{array} < {size}")).collect()
    }

    #[test]
    fn all_numbers_of_an_array_are_within() {
        assert_eq!(found("p in 0..K { 0 <= crd[p] && crd[p] < M }", ""), ["crd < M"]);
    }

    #[test]
    fn some_numbers_are_not_enough() {
        for required in [
            "p in 1..K { 0 <= crd[p] && crd[p] < M }",
            "p in 0..K { 1 <= crd[p] && crd[p] < M }",
            "p in 0..K { 0 <= crd[p] && crd[p] <= M }",
            "p in 0..K { 0 <= crd[p] && wide[p] < M }",
            "p in 0..K { 0 <= wide[p] && wide[p] < M }",
            "p in 0..K { crd[p] < M }",
        ] {
            assert!(found(required, "").is_empty(), "{required}");
        }
        let all = "p in 0..K { 0 <= crd[p] && crd[p] < M }";
        assert!(found(all, "for M in 0..K { y[M] = 1i64 }").is_empty());
    }
}
