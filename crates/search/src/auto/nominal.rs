//! The sizes that a schedule is chosen for where none are known.

use atl_kernel::{Ix, Var};

/// How many elements the largest array has, about.
const ELEMENTS: f64 = 1_000_000.0;

/// The least and the most of a size.
const SIZES: std::ops::RangeInclusive<i64> = 16..=1_000_000;

/// A value for each size, by their levels: the largest arrays hold a million elements.
pub fn nominal(levels: &[u32], shapes: &[Vec<Ix>]) -> Vec<i64> {
    let in_shape =
        |shape: &Vec<Ix>| shape.iter().filter(|ix| levels.iter().any(|level| mentions(ix, *level))).count();
    let of = |level: u32| {
        let own = shapes.iter().filter(|shape| shape.iter().any(|ix| mentions(ix, level)));
        // A size that only loops have is a small one.
        let rank = own.map(in_shape).max();
        let each = rank.map_or(16.0, |rank| ELEMENTS.powf(1.0 / rank.max(1) as f64));
        // Multiples of 8 less one: no tile fits by luck.
        ((each.round() as i64 / 8) * 8 - 1).clamp(*SIZES.start(), *SIZES.end())
    };
    levels.iter().map(|level| of(*level)).collect()
}

fn mentions(ix: &Ix, level: u32) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(Var::Bound(_)) => false,
        Ix::Var(Var::Free(own)) => *own == level,
        Ix::Bin(_, ab) => mentions(&ab.0, level) || mentions(&ab.1, level),
        Ix::Read(_, at) => at.iter().any(|ix| mentions(ix, level)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_more_dimensions_are_as_large() {
        let size = |level| Ix::Var(Var::Free(level));
        assert_eq!(nominal(&[0], &[vec![size(0)]]), [999_999]);
        assert_eq!(nominal(&[0, 1], &[vec![size(0), size(1)], vec![size(1)]]), [999, 999]);
        assert_eq!(nominal(&[0, 1], &[vec![size(0)]]), [999_999, 16]);
    }
}
