//! `composition(A, B)`, also written `A o B`: first `B`, then `A`.
//!
//! **Definition.** `(A o B)(c) = A(B(c))` for every coordinate `c` of `B`, and every mode of `B` becomes one mode of the result,
//! perhaps a tuple. With a tiler, its layouts are composed with the modes of `A` one by one; modes beyond the tiler stay, and those at `_`.
//! After a layout, a swizzle is kept beside it; so is an offset, of either operand.
//! **Laws.** `A o size(A):1 = coalesce(A)`; associative where all four compositions are admissible.
//! **Requires.** For each mode `s:d` of `B` and each mode of the coalesced `A` but the last: the step there divides the extent, or the
//! extent divides the step, and whole extents divide the count; and the modes of `B` together do not carry past the end
//! of such a mode. No condition is required where it would not matter.
//! **Fails when.** One of these fails: the refusal names the numbers, or the first index that would be wrong. Whether `B` is
//! injective does not matter. Past the size of `A`, its last mode goes on, which is remarked, and below 0 it does if it is the only one.
//! **Example.** `(6,2):(8,2) o (4,3):(3,1)` is `((2,2),3):((24,2),8)`;
//! `(4,6,8):(1,4,24) o <2,3>` is `(2,3,8):(1,4,24)`; `composition(Sw<2,0,3>, (8,4):(4,1))` is `Sw<2,0,3> o 0 o (8,4):(4,1)`;
//! `10:3 o 4 + 3:1` is `12 + 3:3`
//! **See also.** `exact_composition`, `logical_divide`

use super::coalesce::Tail;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::shifted::{beginning, within};
use crate::stride::{Stride, Vector};
use crate::swizzle::{Composed, Swizzle};
use crate::tree::Tree;
use crate::value::{Args, Tiler, Value};
use crate::walk::Walk;
use std::collections::BTreeMap;

pub(super) const FUNCTION: Function = Function {
    name: "composition",
    aliases: &["composition_by", "compose"],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "first B, then A; a tiler composes mode by mode",
    apply: of,
};

/// The composition of two values.
pub(crate) fn apply(values: &[Value; 2], notes: &mut Vec<String>) -> Result<Value> {
    of(&Args::new(values), notes)
}

fn of(args: &Args<'_>, notes: &mut Vec<String>) -> Result<Value> {
    if let Some(Value::Swizzle(swizzle)) = args.value(0) {
        return swizzled(*swizzle, args);
    }
    match args.value(1) {
        Some(Value::Coordinates(_)) => {
            let right = args.coordinates(1)?;
            Ok(within!(args.domain(0)?, a => compose_by_basis(&a, &right)?))
        }
        Some(Value::Composed(Composed { swizzle: Swizzle::IDENTITY, offset, layout: right })) => {
            Ok(beginning!(args.domain(0)?, a => {
                notes.extend(leaves(&a, *offset, right));
                compose_from(&a, *offset, right)?
            }))
        }
        _ => {
            let tiler = args.tiler(1)?;
            Ok(within!(args.domain(0)?, a => compose_tiler(&a, &tiler, notes)?))
        }
    }
}

/// A swizzle after what is second.
fn swizzled(swizzle: Swizzle, args: &Args<'_>) -> Result<Value> {
    match args.value(1) {
        Some(
            Value::Layout(_) | Value::Tuple(_) | Value::Composed(Composed { swizzle: Swizzle::IDENTITY, .. }),
        ) => Ok(Composed { swizzle, ..args.composed(1)? }.into()),
        other => {
            let kind = other.map_or("nothing", Value::kind);
            Err(Refusal::new(Kind::Arguments, format!("a swizzle after {kind}"))
                .note("a swizzle is applied once, after a layout: `Sw<2,0,3> o 0 o (8,4):(4,1)`"))
        }
    }
}

/// How many indices are looked at for one that shows what is wrong.
const MOST_SEARCHED: i64 = 1 << 16;

/// First `right`, then `left`.
///
/// # Errors
/// The composition is not admissible.
pub fn compose<D: Stride>(left: &Layout<D>, right: &Layout) -> Result<Layout<D>> {
    Ok(compose_from(left, 0, right)?.1)
}

/// First `right`, then an offset, then `left`: the value at the beginning, and the layout from there.
///
/// # Errors
/// The composition is not admissible: what the offset puts into a digit is there before the modes of `right` add to it.
pub fn compose_from<D: Stride>(left: &Layout<D>, from: i64, right: &Layout) -> Result<(D, Layout<D>)> {
    let (least, most) = right.range();
    let inside = |at: i64| from.checked_add(at).is_some_and(|at| (0..left.size()).contains(&at));
    let tail = if inside(least) && inside(most) { Tail::Drop } else { Tail::Keep };
    let mut walk = Walk::new(left, tail);
    let start = walk.start(from).map_err(|refusal| titled(refusal, left, from, right))?;
    let composed = modes(right.shape(), right.stride(), &mut |n, d| walk.mode(n, *d))
        .map_err(|refusal| titled(refusal, left, from, right))?;
    match walk.carry() {
        None => Ok((start, composed)),
        Some(carry) => {
            let refusal = Refusal::new(Kind::Carry, "the modes of the right operand carry").note(carry);
            let refusal = if from == 0 { wrong_index(refusal, left, right, &composed) } else { refusal };
            Err(titled(refusal, left, from, right))
        }
    }
}

fn titled<D: Stride>(mut refusal: Box<Refusal>, left: &Layout<D>, from: i64, right: &Layout) -> Box<Refusal> {
    let offset = if from == 0 { String::new() } else { format!("{from} + ") };
    refusal.message = format!("{left} o {offset}{right}: {}", refusal.message);
    match refusal.kind {
        Kind::Divisibility | Kind::Carry if from == 0 => {
            refusal.help("`exact_composition` finds a layout if there is one")
        }
        _ => refusal,
    }
}

/// The first index at which the modes taken one by one give something else.
fn wrong_index<D: Stride>(
    refusal: Box<Refusal>,
    left: &Layout<D>,
    right: &Layout,
    composed: &Layout<D>,
) -> Box<Refusal> {
    let differs = |i: &i64| {
        let inner = right.at(*i).ok()?;
        let (wanted, found) = (left.at(inner).ok()?, composed.at(*i).ok()?);
        (wanted != found).then(|| {
            format!("at index {i}, B is {inner} and A({inner}) = {wanted}; mode by mode it would be {found}")
        })
    };
    match (0..right.size().min(MOST_SEARCHED)).find_map(|i| differs(&i)) {
        Some(note) => refusal.note(note),
        None => refusal,
    }
}

/// Every leaf of the right operand, replaced by what it becomes.
fn modes<D: Stride, E>(
    shape: &Tree<i64>,
    stride: &Tree<E>,
    mode: &mut impl FnMut(i64, &E) -> Result<Layout<D>>,
) -> Result<Layout<D>> {
    match (shape, stride) {
        (Tree::Leaf(n), Tree::Leaf(d)) => mode(*n, d),
        (shape, stride) => {
            let pairs = shape.modes().iter().zip(stride.modes());
            Layout::concat(
                pairs.map(|(shape, stride)| modes(shape, stride, mode)).collect::<Result<Vec<_>>>()?,
            )
        }
    }
}

/// A right operand into coordinates of `left`: a stride `d@p` steps by `d` through the mode `p`.
///
/// # Errors
/// A stride is no multiple of one basis vector, its path is no mode of `left`, or the composition is not admissible.
pub fn compose_by_basis<D: Stride>(left: &Layout<D>, right: &Layout<Vector>) -> Result<Layout<D>> {
    // How far each mode is reached, which decides whether it is left.
    let mut reach: BTreeMap<Vec<usize>, (i64, i64)> = BTreeMap::new();
    for (n, d) in right.live() {
        let [(path, k)] = d.terms() else {
            return Err(Refusal::new(Kind::Arguments, format!("the stride {d} has several directions"))
                .note("on the right of a composition, a stride is a multiple of one basis vector"));
        };
        let (least, most) = reach.entry(path.clone()).or_default();
        *least += ((n - 1) * k).min(0);
        *most += ((n - 1) * k).max(0);
    }
    let paths: Vec<&Vec<usize>> = reach.keys().collect();
    if let Some(pair) = paths.windows(2).find(|pair| pair[1].starts_with(pair[0])) {
        let (outer, inner) = (Vector::basis(1, pair[0].clone()), Vector::basis(1, pair[1].clone()));
        return Err(Refusal::new(Kind::Trees, format!("strides along {outer} and along {inner}"))
            .note("one of them is a part of the other"));
    }
    let mut walks = BTreeMap::new();
    for (path, (least, most)) in &reach {
        let mode = left.sub(path)?;
        let tail = if *least < 0 || *most >= mode.size() { Tail::Keep } else { Tail::Drop };
        walks.insert(path.clone(), Walk::new(&mode, tail));
    }
    let composed = modes(right.shape(), right.stride(), &mut |n, d: &Vector| match d.terms() {
        [(path, k)] if n > 1 => {
            walks.get_mut(path).map_or_else(|| Layout::mode(n, D::zero()), |w| w.mode(n, *k))
        }
        _ => Layout::mode(n, D::zero()),
    })
    .map_err(|mut refusal| {
        refusal.message = format!("{left} o {right}: {}", refusal.message);
        refusal
    })?;
    match walks.values().find_map(Walk::carry) {
        None => Ok(composed),
        Some(carry) => {
            let message = format!("{left} o {right}: the modes of the right operand carry");
            Err(Refusal::new(Kind::Carry, message).note(carry))
        }
    }
}

/// The composition with a tiler, mode by mode. It is remarked where a domain is left.
///
/// # Errors
/// The tiler is longer than the layout, or one of the compositions is refused.
pub fn compose_tiler<D: Stride>(
    left: &Layout<D>,
    tiler: &Tiler,
    notes: &mut Vec<String>,
) -> Result<Layout<D>> {
    by_mode(left, tiler, &mut |mode, tile| {
        let composed = compose(mode, tile)?;
        notes.extend(leaves(mode, 0, tile));
        Ok(composed)
    })
}

/// Where a right operand leaves the domain of the left one, in words.
fn leaves<D: Stride>(left: &Layout<D>, from: i64, right: &Layout) -> Option<String> {
    let size = left.size();
    let most = from.saturating_add(right.range().1);
    (most >= size).then(|| {
        format!("{right} reaches index {most} of {left}, whose size is {size}: its last mode goes on")
    })
}

/// An operation on the modes that a tiler has layouts for; the others stay.
pub(crate) fn by_mode<D: Stride>(
    left: &Layout<D>,
    tiler: &Tiler,
    operation: &mut impl FnMut(&Layout<D>, &Layout) -> Result<Layout<D>>,
) -> Result<Layout<D>> {
    match tiler {
        Tiler::Keep => Ok(left.clone()),
        Tiler::Layout(tile) => operation(left, tile),
        Tiler::Modes(tiles) => {
            check_rank(left, tiles)?;
            let modes = left.modes().enumerate().map(|(k, mode)| match tiles.get(k) {
                Some(tile) => by_mode(&mode, tile, operation),
                None => Ok(mode),
            });
            Layout::concat(modes.collect::<Result<Vec<_>>>()?)
        }
    }
}

/// Refuses a tiler with more modes than the layout.
pub(crate) fn check_rank<D: Stride>(left: &Layout<D>, tiles: &[Tiler]) -> Result<()> {
    if tiles.len() <= left.rank() {
        return Ok(());
    }
    let tiler = Tiler::Modes(tiles.to_vec());
    Err(Refusal::new(Kind::Trees, format!("{left} has no {} modes", tiles.len()))
        .note(format!("the tiler {tiler} has one entry for each mode that is tiled")))
}
