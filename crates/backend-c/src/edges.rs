//! Loops of few iterations at the edges of others.
//!
//! One idea: a split-off edge, and the last vector of a row, are run once where the loop beside them is run
//! hundreds of times. The compiler does not see that, and unrolls both; so the printer says where code is
//! seldom run, and nothing is unrolled there.

use atl_loops::lanes::Vectors;
use atl_loops::{Int, IntOp, Name};

/// The longest count of an edge.
const SHORT: i64 = 16;

/// Does the loop have few iterations, as far as is visible, and how many depends on sizes?
pub(crate) fn is_short(lo: &Int, hi: &Int) -> bool {
    (hi.clone() - lo.clone()).constant().is_none() && most(hi, lo).is_some_and(|count| count <= SHORT)
}

/// Is it the edge of a loop: has it few iterations, by the kernel's sizes alone? How long a part of a tile
/// is, depends on the tile.
pub(crate) fn is_edge(lo: &Int, hi: &Int, is_size: &dyn Fn(&Name) -> bool) -> bool {
    let mut by_sizes = !lo.reads() && !hi.reads();
    for end in [lo, hi] {
        end.for_each_var(&mut |var| by_sizes &= is_size(var));
    }
    by_sizes && is_short(lo, hi)
}

/// Is it what is left behind whole vectors?
pub(crate) fn is_remainder(vectors: &Vectors) -> bool {
    vectors.are_one() && vectors.lo.constant().is_none()
}

/// A bound of the difference, where one is visible.
fn most(a: &Int, b: &Int) -> Option<i64> {
    match (a, b) {
        (Int::Bin(IntOp::Min, p, q), _) => either(most(p, b), most(q, b), i64::min),
        (_, Int::Bin(IntOp::Max, p, q)) => either(most(a, p), most(a, q), i64::min),
        (Int::Bin(IntOp::Max, p, q), _) => Some(most(p, b)?.max(most(q, b)?)),
        (Int::Bin(IntOp::Sub, p, q), _) if b.constant() == Some(0) && q.constant().is_none() => most(p, q),
        _ => {
            let ((a, more), (b, less)) = (parted(a), parted(b));
            remaining(a, b)?.checked_add(more)?.checked_sub(less)
        }
    }
}

/// A bound of the difference of terms to which nothing is added.
fn remaining(a: &Int, b: &Int) -> Option<i64> {
    if a == b {
        return Some(0);
    }
    match (a, b) {
        (Int::Bin(IntOp::Div, p, by), Int::Bin(IntOp::Div, q, other)) if by == other => {
            let divisor = by.constant().filter(|divisor| *divisor > 0)?;
            // `floor((x + k) / d) - floor(x / d)` is at most `ceil(k / d)`.
            Some(most(p, q)?.checked_add(divisor - 1)?.div_euclid(divisor))
        }
        _ => a.constant()?.checked_sub(b.constant()?),
    }
}

fn either(a: Option<i64>, b: Option<i64>, both: fn(i64, i64) -> i64) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(both(a, b)),
        (a, b) => a.or(b),
    }
}

/// A term, and the constant that is added to it.
fn parted(int: &Int) -> (&Int, i64) {
    let constant = |part: &Int| part.constant().filter(|constant| constant.checked_neg().is_some());
    match int {
        Int::Bin(IntOp::Add, a, b) => constant(b).map_or((int, 0), |constant| (a, constant)),
        Int::Bin(IntOp::Sub, a, b) => constant(b).map_or((int, 0), |constant| (a, -constant)),
        int => (int, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_loops::{Stmt, parse_kernel};

    /// A bound of a count, and whether it is the one of an edge.
    fn check(end: &str, bound: Option<i64>, edge: bool) {
        let text =
            format!("kernel t(N) out f32 y[N] {{ for i in 0..N {{ for j in 0..{end} {{ y[j] = 0f32 }} }} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let Stmt::For { body, .. } = &kernel.body else { panic!("a loop: {text}") };
        let Stmt::For { lo, hi, .. } = &**body else { panic!("a loop: {text}") };
        assert_eq!(most(hi, lo), bound, "{end}");
        assert_eq!(is_edge(lo, hi, &|name| kernel.sizes.contains(name)), edge, "{end}");
    }

    #[test]
    fn what_is_left_beside_an_inner_part_is_short() {
        check("min(2, N)", Some(2), true);
        check("N - max(1, N - 2)", Some(2), true);
        check("N + 1 - max(min(2, N), N - 2)", Some(3), true);
        check("N - max(1, N - 20)", Some(20), false);
        check("(N + 7) / 8 - ((N - 8) / 8 + 1)", Some(1), true);
        check("(N + 15) / 16 - max(min(1, (N + 15) / 16), (N - 19) / 16 + 1)", Some(2), true);
        check("min(N - 3, 1) - max(0, N - 5)", Some(1), true);
    }

    #[test]
    fn other_loops_are_long() {
        check("N", None, false);
        check("4", Some(4), false);
        check("max(1, N - 2) - 1", None, false);
        check("(N + 7) / 8", None, false);
        check("(N + 7) / 8 - (N - 8) / 4", None, false);
        check("N - max(1, i - 2)", None, false);
        check("min(8, N - i * 8)", Some(8), false);
    }

    /// The bound holds wherever it is visible.
    #[test]
    fn bounds_are_bounds() {
        let n = || Int::var("N");
        let half = |k: i64, d: i64| (n() + Int::Lit(k)).floor_div(Int::Lit(d));
        for (k, l, d) in (-9..9).flat_map(|k| (-9..9).flat_map(move |l| (1..5).map(move |d| (k, l, d)))) {
            let (a, b) = (half(k, d), half(l, d) + Int::Lit(1));
            let bound = most(&a, &b).unwrap_or_else(|| panic!("{a} - {b}"));
            let worst = (0..40_i64).map(|n| (n + k).div_euclid(d) - (n + l).div_euclid(d) - 1).max();
            assert_eq!(worst, Some(bound), "{a} - ({b})");
        }
    }
}
