//! Layouts as chains of reshape operators: `relayout(L, e)` puts `e[i, ..]` where the layout `L` says.
//!
//! **The one idea.** A layout whose strides nest, each a multiple of the reach of those below it, is made of operators
//! that are there: `split` cuts a dimension into the modes of its tuple, rotations bring the modes into the order of their
//! strides, `pad_r` makes the gaps, and `flatten` gives the offset, `((c2 * w1) + c1) * w0 + c0`. So a layout needs no
//! definition, no reindexer and no lemma of its own, and a read at `L(i, ..)` of what was laid out is proved like any other.
//!
//! The result has one dimension, of the outermost extent times its stride: whole rows, so it may be longer than the
//! layout's cosize. What the layout does not reach is zero. Layouts that give two indices one offset are refused, and so
//! are those whose strides do not nest, such as `(2, 2):(2, 3)`.

use crate::operator::Operator;
use crate::ops::{flatten, pad_r, rotate, split, transpose};
use atl_kernel::{Ix, Pred};

/// A reshape operator of one operand with its index arguments.
pub type Link = (&'static Operator, Vec<Ix>);

/// One number of a layout's shape with its stride.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mode {
    /// How many there are.
    pub extent: Ix,
    /// How far apart they lie.
    pub stride: Ix,
}

/// Why a layout is none for a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// The modes of this dimension do not make up its extent.
    Extent(usize, Ix),
    /// This mode reaches less far than the modes below it, so that two indices may share an offset; the stride it
    /// needs at least.
    Overlap(Mode, Ix),
    /// The stride of this mode is no known multiple of the stride of the other.
    Nesting(Mode, Mode),
    /// More dimensions than rotations are there for.
    Dimensions(usize),
}

/// What a dimension is while the chain is made.
struct Chain {
    links: Vec<Link>,
    /// The number of the mode that each dimension is, outermost first.
    dims: Vec<usize>,
}

/// The operators that lay a tensor of this shape out by the modes of its dimensions, those of a dimension fastest first.
///
/// `proves` decides what must hold of extents and strides.
///
/// # Errors
/// A [`Misfit`] where the layout is none for this shape, or is not made of these operators.
pub fn links(
    shape: &[Ix],
    modes: &[Vec<Mode>],
    proves: &mut dyn FnMut(&Pred) -> bool,
) -> Result<Vec<Link>, Misfit> {
    for (axis, (n, modes)) in shape.iter().zip(modes).enumerate() {
        let product = modes.iter().fold(Ix::ONE, |p, m| p * m.extent.clone());
        if *n != product && !proves(&Pred::eq(n.clone(), product.clone())) {
            return Err(Misfit::Extent(axis, product));
        }
    }
    let mut groups: Vec<Vec<Mode>> = modes.iter().map(|m| without_units(m)).collect();
    let dense = groups.iter().flatten().any(|m| wide(m) && m.stride == Ix::ONE);
    if let (Some(first), false) = (groups.first_mut(), dense) {
        // Nothing lies side by side: a mode of one entry does, whose room is the smallest stride.
        first.insert(0, Mode { extent: Ix::ONE, stride: Ix::ONE });
    }
    let all: Vec<Mode> = groups.concat();
    let (order, room) = nested(&all, if dense { None } else { Some(0) }, proves)?;
    let mut chain = Chain { links: Vec::new(), dims: Vec::new() };
    chain.cut(&groups)?;
    chain.arrange(&order)?;
    chain.flatten(&all, &room);
    Ok(chain.links)
}

fn wide(mode: &Mode) -> bool {
    mode.extent != Ix::ONE
}

/// Modes of one entry say nothing, unless there is no other.
fn without_units(modes: &[Mode]) -> Vec<Mode> {
    let wide: Vec<Mode> = modes.iter().filter(|m| wide(m)).cloned().collect();
    if wide.is_empty() { modes.first().cloned().into_iter().collect() } else { wide }
}

/// The modes by their strides, largest first, and for each mode the room that it has below the next one. Modes of one
/// entry come first, but for the one of this number, which is the innermost.
fn nested(
    all: &[Mode],
    innermost: Option<usize>,
    proves: &mut dyn FnMut(&Pred) -> bool,
) -> Result<(Vec<usize>, Vec<Ix>), Misfit> {
    let mut room: Vec<Ix> = all.iter().map(|m| m.extent.clone()).collect();
    let (units, mut left): (Vec<usize>, Vec<usize>) =
        (0..all.len()).partition(|k| !wide(&all[*k]) && Some(*k) != innermost);
    let mut order: Vec<usize> = Vec::new();
    while !left.is_empty() {
        let below = order.last().map(|k: &usize| &all[*k]);
        let reach = below.map_or(Ix::ONE, |m| m.extent.clone() * m.stride.clone());
        let mut same = |a: &Ix, b: &Ix| a == b || proves(&Pred::eq(a.clone(), b.clone()));
        let dense = left.iter().position(|k| same(&all[*k].stride, &reach));
        let next = dense.or_else(|| smallest(all, &left)).unwrap_or(0);
        let mode = &all[left[next]];
        if let (Some(below), None) = (below, dense) {
            let between = gap(below, mode, &reach)?;
            if !proves(&Pred::le(below.extent.clone(), between.clone())) {
                return Err(Misfit::Overlap(mode.clone(), reach));
            }
            room[order[order.len() - 1]] = between;
        }
        order.push(left.remove(next));
    }
    order.extend(units);
    order.reverse();
    Ok((order, room))
}

/// The smallest stride, where all are numbers.
fn smallest(all: &[Mode], left: &[usize]) -> Option<usize> {
    let strides: Option<Vec<i64>> = left
        .iter()
        .map(|k| match all[*k].stride {
            Ix::Lit(s) => Some(s),
            _ => None,
        })
        .collect();
    let strides = strides?;
    (0..left.len()).min_by_key(|k| strides[*k])
}

/// How many entries of the mode below lie between two of this mode, whose stride is not its reach.
fn gap(below: &Mode, mode: &Mode, reach: &Ix) -> Result<Ix, Misfit> {
    match (&mode.stride, &below.stride, reach) {
        (Ix::Lit(s), _, Ix::Lit(reach)) if s < reach => Err(Misfit::Overlap(mode.clone(), Ix::Lit(*reach))),
        (Ix::Lit(s), Ix::Lit(b), _) if *b > 0 && s % b == 0 => Ok(Ix::Lit(s / b)),
        (s, b, _) if *b == Ix::ONE => Ok(s.clone()),
        _ => Err(Misfit::Nesting(mode.clone(), below.clone())),
    }
}

impl Chain {
    /// Cut every dimension into its modes.
    fn cut(&mut self, groups: &[Vec<Mode>]) -> Result<(), Misfit> {
        let first = |axis: usize| groups[..axis].iter().map(Vec::len).sum::<usize>();
        // Until it is cut, a dimension goes by its last mode.
        self.dims = (0..groups.len()).map(|axis| first(axis) + groups[axis].len() - 1).collect();
        for (axis, modes) in groups.iter().enumerate().filter(|(_, modes)| modes.len() > 1) {
            let last = first(axis) + modes.len() - 1;
            if let Some(at) = self.dims.iter().position(|d| *d == last) {
                self.bring(at)?;
            }
            for (k, mode) in modes[..modes.len() - 1].iter().enumerate() {
                self.links.push((&split::OPERATOR, vec![mode.extent.clone()]));
                self.dims.insert(1, first(axis) + k);
            }
        }
        Ok(())
    }

    /// Bring the dimensions into this order: those that are not in it already come to the front, the last one first.
    fn arrange(&mut self, order: &[usize]) -> Result<(), Misfit> {
        let in_order = |tail: &[usize]| {
            let mut dims = self.dims.iter();
            tail.iter().all(|d| dims.any(|e| e == d))
        };
        let kept = (0..=order.len()).find(|k| in_order(&order[*k..])).unwrap_or(order.len());
        for d in order[..kept].iter().rev() {
            if let Some(at) = self.dims.iter().position(|e| e == d) {
                self.bring(at)?;
            }
        }
        Ok(())
    }

    fn bring(&mut self, at: usize) -> Result<(), Misfit> {
        let op = match at {
            0 => return Ok(()),
            1 => &transpose::OPERATOR,
            2 => &rotate::ROTATE_3,
            3 => &rotate::ROTATE_4,
            4 => &rotate::ROTATE_5,
            5 => &rotate::ROTATE_6,
            _ => return Err(Misfit::Dimensions(at + 1)),
        };
        self.links.push((op, Vec::new()));
        self.dims[..=at].rotate_right(1);
        Ok(())
    }

    /// Merge the dimensions into one, each widened to its room.
    fn flatten(&mut self, all: &[Mode], room: &[Ix]) {
        let widened = |d: usize| (&pad_r::OPERATOR, vec![room[d].clone() - all[d].extent.clone()]);
        for d in self.dims.split_off(self.dims.len().min(1)) {
            if room[d] != all[d].extent {
                let turn = (&transpose::OPERATOR, Vec::new());
                self.links.extend([turn.clone(), widened(d), turn]);
            }
            self.links.push((&flatten::OPERATOR, Vec::new()));
        }
    }
}
