//! `exact_composition(A, B)`: the composition, by whatever layout there is.
//!
//! **Definition.** As `composition`, without its conditions. Where the rule refuses, each mode of `B` is tabulated through `A` and
//! recognised, and the sum of the modes is compared with all values; where no layout with the modes of `B` exists, the
//! whole table is recognised. A remark says which way was taken.
//! **Laws.** `exact_composition(A, B)(i) = A(B(i))`. It is refused only if no layout at all has these values.
//! **Fails when.** The values are no layout's, or there are more than 2^20 to look at.
//! **Example.** `exact_composition((4,8):(1,10), 8:5)` is `(4,2):(11,50)`
//! **See also.** `composition`, `recognise`

use super::composition::compose;
use super::recognise::recognise;
use super::{Function, MOST_VALUES, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Result};
use crate::shifted::within;
use crate::stride::Stride;
use crate::tree::Tree;

pub(super) const FUNCTION: Function = Function {
    name: "exact_composition",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "the composition, by whatever layout there is",
    apply: |args, notes| {
        let right = args.layout(1)?;
        Ok(within!(args.domain(0)?, a => {
            let (layout, path) = exact_composition(&a, &right)?;
            notes.push(path.words().to_owned());
            layout
        }))
    },
};

/// How a composition was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// By the rule of `composition`.
    Rule,
    /// Each mode of the right operand from its values.
    ModeByMode,
    /// From all values; the result has other modes than the right operand.
    WholeTable,
}

impl Path {
    /// The way, as a remark.
    pub fn words(self) -> &'static str {
        match self {
            Path::Rule => "found by the divisibility rule",
            Path::ModeByMode => "found from the values, mode by mode",
            Path::WholeTable => "found from the table of all values; its modes are not those of B",
        }
    }
}

/// First `right`, then `left`, if any layout does that.
///
/// # Errors
/// None does, or there are too many values to look at.
pub fn exact_composition<D: Stride>(left: &Layout<D>, right: &Layout) -> Result<(Layout<D>, Path)> {
    match compose(left, right) {
        Ok(layout) => return Ok((layout, Path::Rule)),
        Err(refusal) if !matches!(refusal.kind, Kind::Divisibility | Kind::Carry) => return Err(refusal),
        Err(_) => {}
    }
    let through = |inner: Vec<i64>| inner.into_iter().map(|i| left.at(i)).collect::<Result<Vec<D>>>();
    let values = through(right.table(MOST_VALUES)?)?;
    let mode = |n: i64, d: i64| recognise(&through((0..n).map(|i| i * d).collect())?);
    if let Ok(layout) = by_mode(right.shape(), right.stride(), &mode)
        && layout.table(MOST_VALUES)? == values
    {
        return Ok((layout, Path::ModeByMode));
    }
    Ok((recognise(&values)?, Path::WholeTable))
}

fn by_mode<D: Stride>(
    shape: &Tree<i64>,
    stride: &Tree<i64>,
    mode: &impl Fn(i64, i64) -> Result<Layout<D>>,
) -> Result<Layout<D>> {
    match (shape, stride) {
        (Tree::Leaf(n), Tree::Leaf(d)) => mode(*n, *d),
        (shape, stride) => {
            let pairs = shape.modes().iter().zip(stride.modes());
            Layout::concat(pairs.map(|(n, d)| by_mode(n, d, mode)).collect::<Result<Vec<_>>>()?)
        }
    }
}
