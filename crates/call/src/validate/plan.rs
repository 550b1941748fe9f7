//! At which sizes a kernel is tried.
//!
//! One idea: loops go wrong at their ends. So all sizes are none, one, a few, and more than twice what the
//! kernel's own literals say of tiles, vectors and unrolling, each size another odd number, so that no two
//! dimensions are taken for one another; and twice that, where tiles and vectors end with the loops. Where that is too
//! much at once, one size after the other is large.

use super::numbers::Spice;
use atl_loops::intersection::Sequence;
use atl_loops::lanes::Vectors;
use atl_loops::search::Search;
use atl_loops::{Int, IntOp, Kernel, LoopKind, Stmt};

/// The widest that a compiler makes vectors, or unrolls, of itself.
const OWN: i64 = 32;

/// A literal above is no tile, but a shape.
const TILE: i64 = 256;

/// Wanted sizes, and what the numbers are like.
pub(super) struct Wanted {
    pub(super) sizes: Vec<i64>,
    pub(super) spice: Spice,
    /// Do all sizes exceed every tile?
    pub(super) exceeds: bool,
}

/// What to try, in order; the most telling first.
pub(super) fn plan(kernel: &Kernel, exact: bool) -> Vec<Wanted> {
    let count = kernel.sizes.len();
    let tile = tile(kernel);
    let (mild, hot) = if exact { (Spice::Exact, Spice::Exact) } else { (Spice::Mild, Spice::Hot) };
    let small: Vec<i64> = (0..count).map(|k| [5, 3, 7, 4][k % 4]).collect();
    let middle: Vec<i64> = (0..count).map(|k| [19, 23, 17, 21][k % 4]).collect();
    let large: Vec<i64> = (0..count as i64).map(|k| 2 * tile + 3 + 4 * k).collect();
    let whole = vec![2 * tile; count];
    let wanted = |sizes: &[i64], spice| Wanted { sizes: sizes.to_vec(), spice, exceeds: false };
    if count == 0 {
        return vec![
            Wanted { exceeds: true, ..wanted(&[], mild) },
            Wanted { exceeds: true, ..wanted(&[], hot) },
        ];
    }
    let mut plan = vec![
        wanted(&small, mild),
        Wanted { exceeds: true, ..wanted(&large, mild) },
        Wanted { exceeds: true, ..wanted(&whole, hot) },
        wanted(&middle, hot),
        wanted(&vec![1; count], hot),
        wanted(&vec![0; count], mild),
    ];
    // One large size among small ones: where all of them are too much, each tail is seen.
    if count > 1 {
        plan.extend((0..count).map(|k| {
            let mut sizes = small.clone();
            sizes[k] = large[k];
            wanted(&sizes, mild)
        }));
    }
    plan
}

/// The largest tile, vector or unrolled loop.
fn tile(kernel: &Kernel) -> i64 {
    let mut largest = OWN;
    let mut see = |n: i64| {
        if n <= TILE {
            largest = largest.max(n);
        }
    };
    kernel.body.for_each(&mut |stmt| {
        let bounds = match stmt {
            Stmt::For { lo, hi, kind, .. } => {
                if let LoopKind::Vector { width: Some(width) } = kind {
                    see(i64::from(*width));
                }
                vec![(lo, hi)]
            }
            Stmt::Vectors { vectors: Vectors { lo, hi, lanes, .. }, .. } => {
                see(i64::from(*lanes));
                vec![(lo, hi)]
            }
            Stmt::Search { search: Search { lo, hi, .. }, .. } => vec![(lo, hi)],
            Stmt::Intersection { intersection, .. } => {
                intersection.sequences().map(|Sequence { lo, hi, .. }| (lo, hi)).collect()
            }
            Stmt::Store { index, .. } => return factors(index, &mut see),
            _ => return,
        };
        for (lo, hi) in bounds {
            if let Some(turns) = hi.constant().zip(lo.constant()).and_then(|(hi, lo)| hi.checked_sub(lo)) {
                see(turns);
            }
            [lo, hi].into_iter().for_each(|end| factors(end, &mut see));
        }
    });
    largest
}

/// The literals by which something is multiplied or divided.
fn factors(term: &Int, see: &mut impl FnMut(i64)) {
    if let Int::Bin(op, a, b) = term {
        if matches!(op, IntOp::Mul | IntOp::Div | IntOp::Mod) {
            [a, b].into_iter().filter_map(|part| part.constant()).for_each(&mut *see);
        }
        factors(a, see);
        factors(b, see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, least: i64) {
        let text = format!("kernel f(N) out f32 y[N] {{ {body} }}");
        let kernel = atl_loops::parse_kernel(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let plan = plan(&kernel, false);
        let largest = plan.iter().filter(|wanted| wanted.exceeds).flat_map(|wanted| &wanted.sizes).max();
        assert_eq!(largest, Some(&least), "{body}");
        assert!(plan.iter().any(|wanted| wanted.sizes == [least - 3]), "{body}: whole tiles");
    }

    #[test]
    fn the_largest_sizes_exceed_tiles_vectors_and_unrolling() {
        check("for i in 0..N { y[i] = 0.0f32 }", 67);
        check(
            "for o in 0..(N + 63) / 64 { for i in 0..64 { if o * 64 + i < N { y[o * 64 + i] = 0.0f32 } } }",
            131,
        );
        check("vector(128) for i in 0..N { y[i] = 0.0f32 }", 259);
        // A shape is no tile.
        check("for i in 0..1080 { if i < N { y[i] = 0.0f32 } }", 67);
    }
}
