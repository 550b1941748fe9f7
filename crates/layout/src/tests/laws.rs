//! The defining equations, by brute force over all indices.

use crate::functions::complement::complement;
use crate::stride::Stride;
use crate::{Layout, compose};

/// `found(i) = a(b(i))`, with every coordinate of `b` one of `found`.
pub(super) fn composes<D: Stride>(a: &Layout<D>, b: &Layout, found: &Layout<D>) -> bool {
    b.shape().is_compatible(found.shape()) == Ok(true) && agrees(a, b, found)
}

/// `found(i) = a(b(i))`.
pub(super) fn agrees<D: Stride>(a: &Layout<D>, b: &Layout, found: &Layout<D>) -> bool {
    found.size() == b.size() && (0..b.size()).all(|i| b.at(i).and_then(|inner| a.at(inner)) == found.at(i))
}

/// The values of the first mode and the second are `a(t)` and `a` of something that fills what the tile leaves out.
pub(super) fn divides(a: &Layout, t: &Layout, found: &Layout) -> bool {
    let (Ok(tile), Ok(rest)) = (found.sub(&[0]), found.sub(&[1])) else { return false };
    let Ok((complement, gaps)) = complement(t, a.size()) else { return false };
    let both = Layout::concat([t.clone(), complement]).expect("a layout");
    composes(a, t, &tile)
        && agrees(a, &both, found)
        && (gaps.is_some() || covers(a, found, tile.size() * rest.size()))
}

/// No entry is left out, though some may be there that `a` does not have: past its size it goes on.
fn covers(a: &Layout, found: &Layout, size: i64) -> bool {
    let mut values: Vec<i64> = (0..size).map(|i| found.at(i).expect("in range")).collect();
    values.sort_unstable();
    size >= a.size() && (0..a.size()).all(|i| a.at(i).is_ok_and(|value| values.binary_search(&value).is_ok()))
}

/// The first mode is `a`; the second places copies that do not overlap it, as `b` says.
pub(super) fn multiplies(a: &Layout, b: &Layout, found: &Layout) -> bool {
    let (Ok(tile), Ok(copies)) = (found.sub(&[0]), found.sub(&[1])) else { return false };
    let Ok((complement, _)) = complement(a, a.size() * b.cosize()) else { return false };
    tile == *a && composes(&complement, b, &copies)
}

/// Mode by mode a tile and its copies, in either order.
pub(super) fn blocks(a: &Layout, b: &Layout, found: &Layout, raked: bool) -> bool {
    let modes = |which: usize| {
        let modes = found.modes().map(|mode| mode.sub(&[which]).expect("two parts"));
        Layout::concat(modes.collect::<Vec<_>>()).expect("a layout")
    };
    let (tile, copies) = if raked { (modes(1), modes(0)) } else { (modes(0), modes(1)) };
    let Ok((complement, _)) = complement(&tile, a.size() * b.cosize()) else { return false };
    (0..a.size()).all(|i| tile.at(i) == a.at(i))
        && compose(&complement, b)
            .is_ok_and(|c| c.size() == copies.size() && (0..c.size()).all(|i| c.at(i) == copies.at(i)))
}

/// Sums of a value of `a` and a value of the complement are reached once, and the complement increases.
pub(super) fn complements(a: &Layout, found: &Layout) -> bool {
    let mut values: Vec<i64> = (0..a.size()).map(|i| a.at(i).expect("in range")).collect();
    values.sort_unstable();
    values.dedup();
    let rest: Vec<i64> = (0..found.size()).map(|i| found.at(i).expect("in range")).collect();
    let mut sums: Vec<i64> = values.iter().flat_map(|v| rest.iter().map(move |r| v + r)).collect();
    sums.sort_unstable();
    rest.is_sorted() && sums.windows(2).all(|pair| pair[0] < pair[1])
}
