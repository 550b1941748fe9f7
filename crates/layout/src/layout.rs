//! A layout: a shape, strides of the same tree, and the function that they are.
//!
//! `S:D` maps an index to digits, the left mode fastest, and adds up digit times stride. The last digit is not reduced, so the
//! function goes on past the size; [`Layout::at`] says so, and every operation says whether it uses that. A mode of extent 1
//! contributes nothing, whatever its stride.

use crate::refusal::{Kind, Refusal, Result, too_large};
use crate::stride::{Stride, Vector};
use crate::tree::{LIMIT, Shape, Tree};
use std::fmt;

/// A layout, over integers unless said otherwise.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout<D = i64> {
    shape: Shape,
    stride: Tree<D>,
}

/// A flattened mode: extent and stride.
pub type Mode<D> = (i64, D);

/// With advice, if shape and stride differ by the parentheses around one entry.
pub(crate) fn tuples_of_one<T, U>(refusal: Box<Refusal>, shape: &Tree<T>, stride: &Tree<U>) -> Box<Refusal> {
    match shape.differs_by_tuples_of_one(stride) {
        true => refusal.help(
            "parentheses around one entry make a tuple of one: write them on both sides of `:`, as in `(4):(1)`, or on none",
        ),
        false => refusal,
    }
}

impl<D: Stride> Layout<D> {
    /// A layout of this shape with these strides.
    ///
    /// # Errors
    /// The trees are not congruent, an extent is below 1, or the size or a value is too large.
    pub fn try_new(shape: Shape, stride: Tree<D>) -> Result<Layout<D>> {
        if !shape.is_congruent(&stride) {
            let refusal = Refusal::new(Kind::Trees, format!("{shape}:{stride} is no layout"))
                .note("shape and stride are not congruent: each extent has one stride, in the same place");
            return Err(tuples_of_one(refusal, &shape, &stride));
        }
        shape.check_extents()?;
        let mut extents = shape.leaves().into_iter().zip(stride.leaves());
        let reach = extents.try_fold(0_u128, |reach, (n, d)| {
            let most = u128::from(d.magnitude());
            let limit = u128::from(LIMIT.unsigned_abs());
            let reach = reach + u128::from(n.unsigned_abs() - 1) * most;
            (most < limit && reach < limit).then_some(reach)
        });
        match reach {
            Some(_) => Ok(Layout { shape, stride }),
            None => Err(too_large(&format!("the largest value of {shape}:{stride}"))),
        }
    }

    /// A layout of one mode.
    ///
    /// # Errors
    /// As for [`Layout::try_new`].
    pub fn mode(extent: i64, stride: D) -> Result<Layout<D>> {
        Layout::try_new(Tree::Leaf(extent), Tree::Leaf(stride))
    }

    /// The layout with these modes, a tuple even if there is one.
    ///
    /// # Errors
    /// The size or a value is too large.
    pub fn concat(modes: impl IntoIterator<Item = Layout<D>>) -> Result<Layout<D>> {
        let (shapes, strides) = modes.into_iter().map(|l| (l.shape, l.stride)).unzip();
        Layout::try_new(Tree::Node(shapes), Tree::Node(strides))
    }

    /// The layout of flattened modes: nothing is `1:0`, and one mode is a leaf.
    ///
    /// # Errors
    /// As for [`Layout::try_new`].
    pub fn flat(modes: Vec<Mode<D>>) -> Result<Layout<D>> {
        match <[Mode<D>; 1]>::try_from(modes) {
            Ok([(extent, stride)]) => Layout::mode(extent, stride),
            Err(modes) if modes.is_empty() => Layout::mode(1, D::zero()),
            Err(modes) => {
                let (shapes, strides) =
                    modes.into_iter().map(|(n, d)| (Tree::Leaf(n), Tree::Leaf(d))).unzip();
                Layout::try_new(Tree::Node(shapes), Tree::Node(strides))
            }
        }
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The strides.
    pub fn stride(&self) -> &Tree<D> {
        &self.stride
    }

    /// The number of indices.
    pub fn size(&self) -> i64 {
        // The product was checked when the layout was made.
        self.shape.leaves().into_iter().product()
    }

    /// The number of top-level modes.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The top-level modes.
    pub fn modes(&self) -> impl ExactSizeIterator<Item = Layout<D>> + '_ {
        let modes = self.shape.modes().iter().zip(self.stride.modes());
        modes.map(|(shape, stride)| Layout { shape: shape.clone(), stride: stride.clone() })
    }

    /// The sublayout at a path; a layout of one mode that is no tuple is its own mode 0.
    ///
    /// # Errors
    /// There is none.
    pub fn sub(&self, path: &[usize]) -> Result<Layout<D>> {
        fn walk<'t, T>(tree: &'t Tree<T>, path: &[usize]) -> Option<&'t Tree<T>> {
            path.iter().try_fold(tree, |tree, k| tree.modes().get(*k))
        }
        match (walk(&self.shape, path), walk(&self.stride, path)) {
            (Some(shape), Some(stride)) => Ok(Layout { shape: shape.clone(), stride: stride.clone() }),
            _ => {
                let path: Vec<String> = path.iter().map(usize::to_string).collect();
                Err(Refusal::new(Kind::Trees, format!("{} has no mode {}", self.shape, path.join("@")))
                    .note("modes are numbered from 0"))
            }
        }
    }

    /// The flattened modes.
    pub fn flatten(&self) -> Vec<Mode<D>> {
        self.shape.leaves().into_iter().copied().zip(self.stride.leaves().into_iter().cloned()).collect()
    }

    /// The flattened modes that contribute: extent above 1 and stride other than 0.
    pub fn live(&self) -> Vec<Mode<D>> {
        self.flatten().into_iter().filter(|(n, d)| *n > 1 && !d.is_zero()).collect()
    }

    /// The value at an index, which may lie past the size: the last digit is not reduced.
    ///
    /// # Errors
    /// The index is negative, or the value is too large.
    pub fn at(&self, index: i64) -> Result<D> {
        if index < 0 {
            return Err(Refusal::new(Kind::Range, format!("the index {index} is negative")));
        }
        let (extents, strides) = (self.shape.leaves(), self.stride.leaves());
        let (mut rest, mut sum) = (index, D::zero());
        for (k, (n, d)) in extents.iter().zip(strides).enumerate() {
            let digit = if k + 1 == extents.len() { rest } else { rest % **n };
            rest /= **n;
            if digit != 0 {
                sum = sum.plus(&d.times(digit)?)?;
            }
        }
        Ok(sum)
    }

    /// The values at the indices below the size, of which there may be this many.
    ///
    /// # Errors
    /// There are more.
    pub fn table(&self, most: usize) -> Result<Vec<D>> {
        let size = self.size();
        if usize::try_from(size).map_or(true, |size| size > most) {
            return Err(Refusal::new(Kind::TooLarge, format!("{self} has {size} values"))
                .note(format!("at most {most} are computed here")));
        }
        // Mode by mode, so that each value is one sum.
        let mut values = vec![D::zero()];
        for (n, d) in self.flatten() {
            let before = values.clone();
            for digit in 1..n {
                let step = d.times(digit)?;
                values.extend(before.iter().map(|value| value.plus(&step)).collect::<Result<Vec<D>>>()?);
            }
        }
        Ok(values)
    }
}

impl Layout {
    /// The compact layout of a shape, the left mode fastest: CuTe's `LayoutLeft`.
    ///
    /// # Errors
    /// An extent is below 1, or the size is too large.
    pub fn column_major(shape: Shape) -> Result<Layout> {
        shape.check_extents()?;
        let mut next = 1;
        let stride = shape.map(&mut |n| {
            let this = next;
            next *= n;
            this
        });
        Layout::try_new(shape, stride)
    }

    /// The compact layout of a shape, the right mode fastest: CuTe's `LayoutRight`.
    ///
    /// # Errors
    /// As for [`Layout::column_major`].
    pub fn row_major(shape: Shape) -> Result<Layout> {
        let mut next = shape.size()?;
        shape.check_extents()?;
        let stride = shape.map(&mut |n| {
            next /= n;
            next
        });
        Layout::try_new(shape, stride)
    }

    /// The least value and the largest.
    pub fn range(&self) -> (i64, i64) {
        // The layout's making bounded the sum of all of them.
        let ends = self.flatten().into_iter().map(|(n, d)| (n - 1) * d);
        ends.fold((0, 0), |(least, most), end| (least + end.min(0), most + end.max(0)))
    }

    /// One more than the value at the last index.
    pub fn cosize(&self) -> i64 {
        1 + self.flatten().into_iter().map(|(n, d)| (n - 1) * d).sum::<i64>()
    }

    /// With vectors along no direction for strides: the same function into a space of one dimension.
    pub fn to_vectors(&self) -> Layout<Vector> {
        let stride = self.stride.map(&mut |d| Vector::basis(*d, Vec::new()));
        Layout { shape: self.shape.clone(), stride }
    }
}

/// `(4,(2,2)):(2,(1,8))`
impl<D: Stride> fmt::Display for Layout<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.shape, self.stride)
    }
}
