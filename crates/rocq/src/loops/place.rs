//! Where an element goes: the index terms of Rocq's `place` and `C`, written out as its lemmas have them.
//!
//! Nothing is simplified, so that Rocq finds them by computing.

use crate::raw::{and, bin, in_range};
use atl_kernel::{Cmp, Ix, IxOp, Pred};

/// What stands between a destination and a term inside of it.
#[derive(Clone)]
pub(crate) enum Layer {
    /// The index of a loop, in front.
    Index(Ix),
    /// The first two indices exchanged.
    Swap,
    /// The last of as many indices first.
    Front(usize),
    /// The first of as many indices last.
    Back(usize),
    /// The first two indices merged, where the second is below this.
    Merge(Ix),
    /// The first index cut by this.
    Cut(Ix),
    /// The first index moved up.
    Up(Ix),
    /// The first two indices, of a matrix of this number of rows, as a diagonal and a place in it.
    Slanted(Ix),
    /// A diagonal and a place in it as the indices of a matrix of these extents, and kept if the diagonal is
    /// as long.
    Upright(Ix, Ix),
    /// The first index counted from a number on.
    From(i64),
    /// The first index moved down by `by`, and kept if it is below `extent` then.
    Kept { extent: Ix, by: Option<Ix> },
}

/// The cells of a buffer for the indices of a term.
#[derive(Clone)]
pub(crate) struct Place {
    shape: Vec<Ix>,
    /// The outermost first.
    layers: Vec<Layer>,
}

impl Place {
    /// A buffer's own indices.
    pub(crate) fn whole(shape: &[Ix]) -> Place {
        Place { shape: shape.to_vec(), layers: Vec::new() }
    }

    pub(crate) fn with(&self, layer: Layer) -> Place {
        let mut inside = self.clone();
        inside.layers.push(layer);
        inside
    }

    /// Are there indices of a term that have no cell?
    pub(crate) fn drops(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer, Layer::Kept { .. } | Layer::Upright(..)))
    }

    /// How many layers there are.
    pub(crate) fn depth(&self) -> usize {
        self.layers.len()
    }

    /// The index inside of the first layers, this many, for an index of the term.
    pub(crate) fn own(&self, around: usize, mut index: Vec<Ix>) -> Vec<Ix> {
        self.layers.iter().skip(around).rev().for_each(|layer| layer.apply(&mut index));
        index
    }

    /// The first indices there, which are those of loops, and what the next one is counted from.
    pub(crate) fn first(&self, around: usize) -> Option<(Vec<Ix>, Ix)> {
        let (mut index, mut from) = (Vec::new(), Ix::ZERO);
        for layer in self.layers.iter().skip(around) {
            match layer {
                Layer::Index(i) => {
                    // What leaves cells as they are has no sum with 0.
                    index.push(if from == Ix::ZERO { i.clone() } else { bin(IxOp::Add, from, i.clone()) });
                    from = Ix::ZERO;
                }
                Layer::Up(d) if from == Ix::ZERO => from = d.clone(),
                Layer::Up(d) => from = bin(IxOp::Add, from, d.clone()),
                _ => return None,
            }
        }
        Some((index, from))
    }

    /// The cell for an index, and what must hold for it to be kept.
    pub(crate) fn at(&self, index: Vec<Ix>) -> (Ix, Pred) {
        let (mut index, mut conditions) = (index, Vec::new());
        for layer in self.layers.iter().rev() {
            if let (Layer::Upright(n, m), [d, q, ..]) = (layer, &index[..]) {
                conditions.push(Pred::Cmp(Cmp::Lt, q.clone(), diagonal(n, m, d)));
            }
            layer.apply(&mut index);
            if let (Layer::Kept { extent, .. }, Some(first)) = (layer, index.first()) {
                conditions.push(in_range(first, extent));
            }
        }
        let kept = conditions.into_iter().rev().fold(Pred::True, |rest, condition| and(condition, rest));
        (flat(&self.shape, &index), kept)
    }
}

impl Layer {
    fn apply(&self, index: &mut Vec<Ix>) {
        match self {
            Layer::Index(i) => index.insert(0, i.clone()),
            Layer::Swap if index.len() > 1 => index.swap(0, 1),
            Layer::Front(count) if index.len() >= *count => index[..*count].rotate_right(1),
            Layer::Back(count) if index.len() >= *count => index[..*count].rotate_left(1),
            Layer::Merge(m) if index.len() > 1 => {
                let (i, j) = (index.remove(0), index.remove(0));
                index.insert(0, bin(IxOp::Add, bin(IxOp::Mul, i, m.clone()), j));
            }
            Layer::Cut(d) if !index.is_empty() => {
                let i = index.remove(0);
                index.insert(0, bin(IxOp::Mod, i.clone(), d.clone()));
                index.insert(0, bin(IxOp::Div, i, d.clone()));
            }
            Layer::Slanted(n) if index.len() > 1 => {
                let (i, j) = (index.remove(0), index.remove(0));
                let above = bin(IxOp::Add, bin(IxOp::Sub, j.clone(), i.clone()), n.clone());
                index.insert(0, bin(IxOp::Min, i, j));
                index.insert(0, bin(IxOp::Sub, above, Ix::ONE));
            }
            Layer::Upright(n, _) if index.len() > 1 => {
                let (d, q) = (index.remove(0), index.remove(0));
                let up = bin(IxOp::Sub, bin(IxOp::Sub, n.clone(), Ix::ONE), d.clone());
                let right = bin(IxOp::Add, bin(IxOp::Sub, d, n.clone()), Ix::ONE);
                let [i, j] =
                    [up, right].map(|from| bin(IxOp::Add, bin(IxOp::Max, Ix::ZERO, from), q.clone()));
                index.splice(0..0, [i, j]);
            }
            Layer::From(o) if !index.is_empty() => {
                index[0] = bin(IxOp::Add, Ix::Lit(*o), index[0].clone());
            }
            Layer::Up(d) if !index.is_empty() => index[0] = bin(IxOp::Add, index[0].clone(), d.clone()),
            Layer::Kept { by: Some(d), .. } if !index.is_empty() => {
                index[0] = bin(IxOp::Sub, index[0].clone(), d.clone());
            }
            _ => {}
        }
    }
}

/// `diagonal` of `Diagonals.v`.
pub(crate) fn diagonal(n: &Ix, m: &Ix, d: &Ix) -> Ix {
    let least = |a, b| bin(IxOp::Min, a, b);
    let left = bin(IxOp::Sub, bin(IxOp::Sub, bin(IxOp::Add, n.clone(), m.clone()), Ix::ONE), d.clone());
    least(least(bin(IxOp::Add, d.clone(), Ix::ONE), n.clone()), least(m.clone(), left))
}

/// `flat` of `Loops.v`.
pub(crate) fn flat(shape: &[Ix], index: &[Ix]) -> Ix {
    let (Some((_, inner)), Some((i, rest))) = (shape.split_first(), index.split_first()) else {
        return Ix::ZERO;
    };
    let extent = inner.iter().rev().fold(Ix::ONE, |product, n| bin(IxOp::Mul, n.clone(), product));
    bin(IxOp::Add, bin(IxOp::Mul, i.clone(), extent), flat(inner, rest))
}

/// The condition `in_box` for an index, written out.
pub(crate) fn in_box(index: &[Ix], shape: &[Ix]) -> Pred {
    let ranges = index.iter().zip(shape).map(|(i, n)| in_range(i, n));
    ranges.rev().fold(Pred::True, |rest, range| and(range, rest))
}
