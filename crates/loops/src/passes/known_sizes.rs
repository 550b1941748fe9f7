//! `known_sizes`: numbers for the sizes that a requirement fixes.
//!
//! A kernel that requires `P == 8` is never run for another `P`, so that the body may say 8. Index arithmetic with literals
//! folds, and loops over literal ranges can be written out. The size stays a parameter, and the requirement stays.

use super::rewrite::{Rewrite, rewrite_stmt};
use crate::{Bool, CmpOp, Int, Kernel, Name};
use std::collections::BTreeMap;

/// Puts numbers for the sizes that are fixed.
pub fn known_sizes(kernel: &Kernel) -> Kernel {
    let mut known = BTreeMap::new();
    kernel.requires.iter().for_each(|requirement| equations(requirement, &mut known));
    known.retain(|name, _| kernel.sizes.contains(name));
    if known.is_empty() {
        return kernel.clone();
    }
    Kernel { body: rewrite_stmt(&Known(known), &kernel.body), ..kernel.clone() }
}

/// The sizes that a requirement makes equal to a number.
fn equations(requirement: &Bool, known: &mut BTreeMap<Name, i64>) {
    match requirement {
        Bool::Cmp(CmpOp::Eq, Int::Var(name), Int::Lit(n))
        | Bool::Cmp(CmpOp::Eq, Int::Lit(n), Int::Var(name)) => {
            known.entry(name.clone()).or_insert(*n);
        }
        Bool::And(a, b) => {
            equations(a, known);
            equations(b, known);
        }
        _ => {}
    }
}

/// What is known.
struct Known(BTreeMap<Name, i64>);

impl Rewrite for Known {
    fn int(&self, int: Int) -> Int {
        match &int {
            Int::Var(name) => self.0.get(name).map_or(int, |n| Int::Lit(*n)),
            _ => int,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::known_sizes;
    use crate::passes::tests::gives;

    fn check(requires: &str, before: &str, after: &str) {
        gives(
            known_sizes,
            &format!("kernel f(N, M) in f32 x[N, M] in i32 c[N] out f32 y[N] {requires}"),
            before,
            after,
        );
    }

    const BEFORE: &str = "for i in 0..N { y[i] = x[i * M] }";

    #[test]
    fn equations_with_numbers_are_used() {
        check("requires M == 8", BEFORE, "for i in 0..N { y[i] = x[i * 8] }");
        check("requires N == 2 && M == 3", BEFORE, "for i in 0..2 { y[i] = x[i * 3] }");
    }

    #[test]
    fn sizes_are_known_within_what_is_read() {
        check(
            "requires M == 8",
            "for i in c[M]..N { y[c[i * M]] = x[i] }",
            "for i in c[8]..N { y[c[i * 8]] = x[i] }",
        );
    }

    #[test]
    fn other_requirements_say_no_number() {
        for requires in ["", "requires 1 <= M", "requires M == 2 * N", "requires M == 8 || M == 9"] {
            check(requires, BEFORE, BEFORE);
        }
    }
}
