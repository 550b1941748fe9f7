//! Where the elements of a term go: what stands between its indices and the cells of a buffer.

use crate::prelude::*;

/// What cells hold before elements are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Held {
    /// Nothing: each is set, once.
    Unset,
    /// Zero: each is set, once at most.
    Zeroed,
    /// What has been added up so far.
    Adding,
    /// A state, which is updated.
    Replaced,
}

/// A layer, which makes an index of the buffer from one of the term.
#[derive(Clone, Debug)]
pub(super) enum Layer {
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
    /// A diagonal and a place in it as the indices of a matrix of these extents, and kept if the diagonal
    /// is as long.
    Upright(Ix, Ix),
    /// The first index moved down, if by anything, and kept if it is below this then.
    Kept(Ix, Option<Ix>),
}

/// What a round makes of the cells of a state. In predicates `bound k` is the index `k` of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    /// The level of the old state, which the cells hold as yet; none where they hold nothing.
    pub(super) old: Option<u32>,
    /// Which elements may change.
    pub(super) changed: Pred,
    /// Which elements the cells hold in the end.
    pub(super) held: Pred,
    /// How many layers are around the state.
    around: usize,
}

/// The cells of a buffer in which the elements of a term go.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) buffer: usize,
    pub(super) element: Element,
    extents: Vec<Ix>,
    /// The outermost first.
    layers: Vec<Layer>,
    pub(super) held: Held,
    pub(super) update: Option<Update>,
}

impl Target {
    /// All cells of a buffer.
    pub(super) fn whole(buffer: usize, element: Element, extents: &[Ix], held: Held) -> Target {
        Target { buffer, element, extents: extents.to_vec(), layers: vec![], held, update: None }
    }

    /// The cells of a state, of which a round makes this.
    pub(super) fn replaced(&self, old: Option<u32>, changed: Pred, held: Pred) -> Target {
        let update = Some(Update { old, changed, held, around: self.layers.len() });
        Target { held: Held::Replaced, update, ..self.clone() }
    }

    /// The cells, if they are all of a state that is updated, or of none.
    pub(super) fn as_home(&self) -> Option<Target> {
        let all = self.update.is_none_or(|update| update.around == self.layers.len());
        let partial = self.layers.iter().any(|layer| matches!(layer, Layer::Kept(..) | Layer::Upright(..)));
        (all && !partial).then(|| Target { held: Held::Unset, update: None, ..self.clone() })
    }

    /// Are these extents those of the buffer, of which nothing is left out?
    pub(super) fn is_all(&self, store: &Store, shape: &[Ix]) -> Checked<bool> {
        let mut all = self.layers.is_empty() && shape.len() == self.extents.len();
        for (a, b) in self.extents.iter().zip(shape) {
            all = all && (a == b || store.poly(*a)? == store.poly(*b)?);
        }
        Ok(all)
    }

    /// The state's index for an index of the term.
    pub(super) fn own(&self, store: &Store, mut index: Vec<Ix>) -> Checked<Vec<Ix>> {
        for layer in self.inner().iter().rev() {
            layer.apply(store, &mut index)?;
        }
        Ok(index)
    }

    /// The first indices of the state, which are those of loops, and what the next one is counted from.
    pub(super) fn first(&self, store: &Store) -> Checked<(Vec<Ix>, Ix)> {
        let (mut index, mut from) = (Vec::new(), store.literal(0)?);
        for layer in self.inner() {
            match layer {
                Layer::Index(i) => {
                    index.push(store.op(IxOp::Add, from, *i)?);
                    from = store.literal(0)?;
                }
                Layer::Up(d) => from = store.op(IxOp::Add, from, *d)?,
                _ => return refuse("an operator stands between a state and what it becomes"),
            }
        }
        Ok((index, from))
    }

    /// The layers inside of the state.
    fn inner(&self) -> &[Layer] {
        self.layers.get(self.update.map_or(self.layers.len(), |update| update.around)..).unwrap_or_default()
    }

    /// The cells for a part of the term.
    pub(super) fn under(&self, layer: Layer) -> Target {
        let mut inside = self.clone();
        inside.layers.push(layer);
        inside
    }

    /// The same cells, which hold this.
    pub(super) fn holding(&self, held: Held) -> Target {
        Target { held, ..self.clone() }
    }

    /// The cell for an index of the term, and what must hold for it to be there.
    pub(super) fn at(&self, store: &Store, mut index: Vec<Ix>) -> Checked<(Ix, Pred)> {
        let mut conditions = Vec::new();
        for layer in self.layers.iter().rev() {
            if let (Layer::Upright(n, m), [d, q, ..]) = (layer, &index[..]) {
                conditions.push(store.compare(Relation::Lt, *q, store.diagonal(*n, *m, *d)?)?);
            }
            layer.apply(store, &mut index)?;
            if let (Layer::Kept(extent, _), Some(first)) = (layer, index.first()) {
                conditions.push(store.inside(*first, *extent)?);
            }
        }
        let kept =
            conditions.into_iter().rev().try_fold(store.pred(PredNode::True)?, |rest, condition| {
                store.pred(PredNode::And(condition, rest))
            })?;
        Ok((store.flat(&self.extents, &index)?, kept))
    }
}

impl Layer {
    /// The index of what is around; a layer asks for as many indices as it speaks of.
    fn apply(&self, store: &Store, index: &mut Vec<Ix>) -> Checked<()> {
        let rank = match self {
            Layer::Index(_) => 0,
            Layer::Cut(_) | Layer::Up(_) | Layer::Kept(..) => 1,
            Layer::Swap | Layer::Merge(_) | Layer::Slanted(_) | Layer::Upright(..) => 2,
            Layer::Front(count) | Layer::Back(count) => *count,
        };
        require(rank <= index.len(), "an operator speaks of dimensions that are not there")?;
        match self {
            Layer::Index(i) => index.insert(0, *i),
            Layer::Swap => index.swap(0, 1),
            Layer::Front(count) => index[..*count].rotate_right(1),
            Layer::Back(count) => index[..*count].rotate_left(1),
            Layer::Merge(m) => {
                let row = store.op(IxOp::Mul, index.remove(0), *m)?;
                index[0] = store.op(IxOp::Add, row, index[0])?;
            }
            Layer::Cut(d) => {
                let i = index[0];
                index[0] = store.op(IxOp::Mod, i, *d)?;
                index.insert(0, store.op(IxOp::Div, i, *d)?);
            }
            Layer::Slanted(n) => {
                let [i, j] = [index[0], index[1]];
                let above = store.op(IxOp::Add, store.op(IxOp::Sub, j, i)?, *n)?;
                index[0] = store.op(IxOp::Sub, above, store.literal(1)?)?;
                index[1] = store.op(IxOp::Min, i, j)?;
            }
            Layer::Upright(n, _) => {
                let ([d, q], zero, one) = ([index[0], index[1]], store.literal(0)?, store.literal(1)?);
                let up = store.op(IxOp::Sub, store.op(IxOp::Sub, *n, one)?, d)?;
                let right = store.op(IxOp::Add, store.op(IxOp::Sub, d, *n)?, one)?;
                index[0] = store.op(IxOp::Add, store.op(IxOp::Max, zero, up)?, q)?;
                index[1] = store.op(IxOp::Add, store.op(IxOp::Max, zero, right)?, q)?;
            }
            Layer::Up(d) => index[0] = store.op(IxOp::Add, index[0], *d)?,
            Layer::Kept(_, Some(d)) => index[0] = store.op(IxOp::Sub, index[0], *d)?,
            Layer::Kept(_, None) => {}
        }
        Ok(())
    }
}

impl Store {
    pub(super) fn op(&self, op: IxOp, a: Ix, b: Ix) -> Checked<Ix> {
        self.ix(IxNode::Op(op, a, b))
    }

    /// The number of a cell, row-major: `i * (m * (.. * 1)) + ..`, and 0 at the end.
    pub(super) fn flat(&self, extents: &[Ix], index: &[Ix]) -> Checked<Ix> {
        let (Some((_, inner)), Some((i, rest))) = (extents.split_first(), index.split_first()) else {
            return self.literal(0);
        };
        let one = self.literal(1)?;
        let extent = inner.iter().rev().try_fold(one, |product, n| self.op(IxOp::Mul, *n, product))?;
        self.op(IxOp::Add, self.op(IxOp::Mul, *i, extent)?, self.flat(inner, rest)?)
    }

    /// The length of diagonal `d` of a matrix of `n` by `m`.
    pub(super) fn diagonal(&self, n: Ix, m: Ix, d: Ix) -> Checked<Ix> {
        let one = self.literal(1)?;
        let left = self.op(IxOp::Sub, self.op(IxOp::Sub, self.op(IxOp::Add, n, m)?, one)?, d)?;
        let above = self.op(IxOp::Min, self.op(IxOp::Add, d, one)?, n)?;
        self.op(IxOp::Min, above, self.op(IxOp::Min, m, left)?)
    }

    /// `0 <= i and i < n`, as it is.
    pub(super) fn inside(&self, i: Ix, n: Ix) -> Checked<Pred> {
        let low = self.compare(Relation::Le, self.literal(0)?, i)?;
        self.pred(PredNode::And(low, self.compare(Relation::Lt, i, n)?))
    }

    /// That an index is within extents.
    pub(super) fn in_box(&self, index: &[Ix], extents: &[Ix]) -> Checked<Pred> {
        let within = index.iter().zip(extents).rev();
        within.into_iter().try_fold(self.pred(PredNode::True)?, |rest, (i, n)| {
            self.pred(PredNode::And(self.inside(*i, *n)?, rest))
        })
    }
}
