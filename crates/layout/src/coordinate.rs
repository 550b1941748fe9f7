//! Coordinates: what fixed parts contribute, and which modes are left open.
//!
//! A coordinate is weakly congruent to the shape, with `_` where it is open. A number in place of a subtree is an index of that
//! subtree, and lies below its size; only a number for the layout as a whole may lie past it, where the last mode goes on.

use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::stride::Stride;
use crate::tree::Tree;

/// A coordinate, open where there is nothing.
pub(crate) type Open = Tree<Option<i64>>;

/// Which modes are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Open,
    Fixed,
}

/// What the fixed parts contribute.
pub(crate) fn offset<D: Stride>(layout: &Layout<D>, coordinate: &Open) -> Result<D> {
    match coordinate {
        Tree::Leaf(Some(index)) => layout.at(*index),
        _ => sum(layout, coordinate),
    }
}

fn sum<D: Stride>(layout: &Layout<D>, coordinate: &Open) -> Result<D> {
    match coordinate {
        Tree::Leaf(None) => Ok(D::zero()),
        Tree::Leaf(Some(index)) if (0..layout.size()).contains(index) => layout.at(*index),
        Tree::Leaf(Some(index)) => {
            Err(Refusal::new(Kind::Range, format!("the coordinate {index} lies outside the mode {layout}"))
                .note(format!("it goes from 0 to {}", layout.size() - 1)))
        }
        Tree::Node(parts) => {
            check(layout, coordinate)?;
            let pairs = layout.modes().zip(parts);
            pairs.into_iter().try_fold(D::zero(), |all, (mode, part)| all.plus(&sum(&mode, part)?))
        }
    }
}

/// The modes of one part, each as it stands.
pub(crate) fn slice<D: Stride>(layout: &Layout<D>, coordinate: &Open, part: Part) -> Result<Layout<D>> {
    let mut kept = Vec::new();
    keep(layout, coordinate, part, &mut kept)?;
    Layout::concat(kept)
}

fn keep<D: Stride>(
    layout: &Layout<D>,
    coordinate: &Open,
    part: Part,
    kept: &mut Vec<Layout<D>>,
) -> Result<()> {
    match coordinate {
        Tree::Leaf(fixed) => {
            if fixed.is_some() == (part == Part::Fixed) {
                kept.push(layout.clone());
            }
            Ok(())
        }
        Tree::Node(parts) => {
            check(layout, coordinate)?;
            layout.modes().zip(parts).try_for_each(|(mode, inner)| keep(&mode, inner, part, kept))
        }
    }
}

/// A coordinate all of whose numbers lie inside, the number for the whole layout too.
pub(crate) fn inside<D: Stride>(layout: &Layout<D>, coordinate: Open) -> Result<Open> {
    sum(layout, &coordinate)?;
    Ok(coordinate)
}

fn check<D: Stride>(layout: &Layout<D>, coordinate: &Open) -> Result<()> {
    let fits = matches!(layout.shape(), Tree::Node(_)) && layout.rank() == coordinate.rank();
    let shown = coordinate.map(&mut |part| part.map_or_else(|| "_".to_owned(), |n| n.to_string()));
    if fits {
        return Ok(());
    }
    Err(Refusal::new(Kind::Trees, format!("the coordinate {shown} does not fit the shape {}", layout.shape()))
        .note("a coordinate has one part for each mode; a number may stand for a whole mode, and `_` leaves it open"))
}
