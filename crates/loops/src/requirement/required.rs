//! Bounds of what arrays hold, as a kernel requires them.
//!
//! Where a requirement says of each cell of an array that it is between two numbers, nobody who knows
//! that it holds needs to look for the least and the greatest.

use super::Kernel;
use crate::{Access, Bool, CmpOp, Int, Name};
use std::collections::BTreeMap;

impl Kernel {
    /// The numbers between which all cells of arrays are, at these sizes, where the requirements hold.
    pub fn required_bounds(&self, sizes: &[i64]) -> BTreeMap<&Name, (i64, i64)> {
        let value = |int: &Int| value(int, &|name| self.size(name, sizes));
        let is_whole = |array: &Name, end: i64| {
            let mut params = self.params.iter().filter(|param| param.access == Access::Read);
            let is_end = |extent: &Int| value(extent) == Some(end);
            params.any(|param| param.name == *array && matches!(&param.extents[..], [n] if is_end(n)))
        };
        let found = self.requires_all.iter().filter_map(|all| {
            let [(place, Int::Lit(0), end)] = &all.binders[..] else { return None };
            let Bool::And(least, most) = &all.cond else { return None };
            let (Bool::Cmp(CmpOp::Le, low, cell), Bool::Cmp(strict, own, high)) = (&**least, &**most) else {
                return None;
            };
            let Int::Load(array, at) = cell else { return None };
            let is_each = cell == own && **at == Int::Var(place.clone()) && is_whole(array, value(end)?);
            let high = match strict {
                CmpOp::Le => value(high)?,
                CmpOp::Lt => value(high)?.checked_sub(1)?,
                _ => return None,
            };
            is_each.then_some((array, (value(low)?, high)))
        });
        found.collect()
    }

    fn size(&self, name: &Name, sizes: &[i64]) -> Option<i64> {
        sizes.get(self.sizes.iter().position(|size| size == name)?).copied()
    }
}

/// The value of a term that reads nothing.
fn value(int: &Int, size: &dyn Fn(&Name) -> Option<i64>) -> Option<i64> {
    match int {
        Int::Lit(value) => Some(*value),
        Int::Var(name) => size(name),
        Int::Bin(op, a, b) => op.apply(value(a, size)?, value(b, size)?),
        Int::Load(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::parse_kernel;

    fn check(required: &str, expected: &[(&str, (i64, i64))]) {
        let head = "kernel t(K, M) in i32 crd[K] in i64 pos[(M + 1) / 2 + 1]";
        let kernel = parse_kernel(&format!("{head} requires all {required} {{ }}")).expect("it parses");
        let found = kernel.required_bounds(&[5, 7]);
        let found: Vec<(&str, (i64, i64))> =
            found.iter().map(|(name, ends)| (name.as_str(), *ends)).collect();
        assert_eq!(found, expected, "{required}");
    }

    #[test]
    fn all_cells_are_between_two_numbers() {
        check("p in 0..K { 0 <= crd[p] && crd[p] < M }", &[("crd", (0, 6))]);
        check("p in 0..K { 0 - M <= crd[p] && crd[p] <= M - 1 }", &[("crd", (-7, 6))]);
        check("q in 0..(M + 2 - 1) / 2 + 1 { 0 <= pos[q] && pos[q] <= K }", &[("pos", (0, 5))]);
    }

    #[test]
    fn some_cells_are_not_enough() {
        for required in [
            "p in 1..K { 0 <= crd[p] && crd[p] < M }",
            "p in 0..K - 1 { 0 <= crd[p] && crd[p] < M }",
            "p in 0..K { 0 <= crd[K - 1 - p] && crd[p] < M }",
            "p in 0..K { 0 <= crd[p] && crd[p] != M }",
            "p in 0..K { 0 <= crd[p] && crd[p] < pos[0] }",
            "p in 0..K { 0 <= crd[p] }",
            "q in 0..K, p in 0..K { 0 <= crd[p] && crd[p] < M }",
        ] {
            check(required, &[]);
        }
    }
}
