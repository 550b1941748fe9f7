//! Coalescing, composition, complement and division, with a prover for the conditions.
//!
//! Each is the rule of numbers; see `coalesce`, `composition`, `complement` and `logical_divide` for what they say, and `walk` for a
//! mode of a right operand. Where numbers leave a mode of one entry out, it stays here unless it always has one; the complement, whose
//! size would depend on that, asks for more.

use super::sizes::Sizes;
use super::{Mode, Term};
use crate::refusal::{Kind, Result};
use crate::tree::Tree;
use atl_kernel::{Ix, Pred};

/// The layout with these extents and strides.
pub(super) fn layout(sizes: &mut Sizes, shape: Tree<Ix>, stride: Tree<Ix>) -> Result<Term> {
    let shape = checked(sizes, shape)?;
    let stride = stride.map(&mut |d| sizes.short(d.clone()));
    Ok(Term { shape, stride: Some(stride) })
}

/// The shape in short form, if each extent is at least 1.
pub(super) fn checked(sizes: &mut Sizes, shape: Tree<Ix>) -> Result<Tree<Ix>> {
    let shape = shape.map(&mut |n| sizes.short(n.clone()));
    for n in shape.leaves() {
        let wanted = Pred::le(Ix::ONE, n.clone());
        if !sizes.proves(&wanted) {
            let n = sizes.shown(n);
            let words = (format!("{n} is at least 1"), wanted);
            return Err(sizes.unshown(Kind::Range, format!("the extent {n} may be too small"), &[words]));
        }
    }
    Ok(shape)
}

/// A shape alone is the layout whose left mode is fastest.
pub(super) fn as_layout(sizes: &mut Sizes, term: &Term) -> Result<Term> {
    match term.stride {
        Some(_) => Ok(term.clone()),
        None => Ok(Term { shape: checked(sizes, term.shape.clone())?, stride: None }),
    }
}

/// The number of indices.
pub(super) fn size(sizes: &Sizes, term: &Term) -> Ix {
    let leaves = term.shape.leaves().into_iter().cloned();
    sizes.short(leaves.fold(Ix::ONE, |size, n| size * n))
}

/// One more than the value at the last index.
pub(super) fn cosize(sizes: &Sizes, term: &Term) -> Ix {
    let ends = term.modes(sizes).into_iter().map(|(n, d)| (n - Ix::ONE) * d);
    sizes.short(ends.fold(Ix::ONE, |sum, end| sum + end))
}

/// Neighbours joined where they always are neighbours. The last mode stays, for the values past the size.
fn merged(sizes: &mut Sizes, modes: Vec<Mode>, keep_last: bool) -> Vec<Mode> {
    let last = modes.len().wrapping_sub(1);
    let mut merged: Vec<Mode> = Vec::new();
    for (k, (n, d)) in modes.into_iter().enumerate() {
        if n == Ix::ONE && !(k == last && keep_last) {
            continue;
        }
        if let Some((before, step)) = merged.last().cloned()
            && sizes.equal(&d, &(step.clone() * before.clone()))
        {
            merged.pop();
            merged.push((sizes.short(before * n), step));
        } else {
            merged.push((n, d));
        }
    }
    merged
}

/// The same values below the size, in fewer modes.
pub(super) fn coalesce(sizes: &mut Sizes, term: &Term) -> Term {
    let modes = term.modes(sizes);
    Term::flat(merged(sizes, modes, false))
}

/// First `right`, then `left`.
pub(super) fn compose(sizes: &mut Sizes, left: &Term, right: &Term) -> Result<Term> {
    let modes = left.modes(sizes);
    let mut digits = merged(sizes, modes, true);
    if digits.is_empty() {
        digits.push((Ix::ONE, Ix::ZERO));
    }
    let mut walk = Walk { load: vec![Vec::new(); digits.len()], digits };
    let mut pieces = right.modes(sizes).into_iter();
    let mut made = Vec::new();
    for mode in pieces.by_ref() {
        made.push(walk.mode(sizes, mode)?);
    }
    walk.carries(sizes)?;
    let mut made = made.into_iter();
    let whole = right.shape.map(&mut |_| made.next().unwrap_or_else(|| Term::flat(Vec::new())));
    Ok(grafted(&whole))
}

/// A tree of layouts as one layout.
fn grafted(tree: &Tree<Term>) -> Term {
    match tree {
        Tree::Leaf(term) => term.clone(),
        Tree::Node(children) => {
            let parts = children.iter().map(grafted).filter_map(|part| Some((part.shape, part.stride?)));
            let (shapes, strides) = parts.unzip();
            Term { shape: Tree::Node(shapes), stride: Some(Tree::Node(strides)) }
        }
    }
}

/// The digits of a left operand, and what the modes of the right one put into each.
struct Walk {
    digits: Vec<Mode>,
    load: Vec<Vec<Ix>>,
}

impl Walk {
    fn mode(&mut self, sizes: &mut Sizes, mode: Mode) -> Result<Term> {
        let (mut count, mut step) = mode.clone();
        if count == Ix::ONE || step == Ix::ZERO {
            return Ok(Term::flat(vec![(count, Ix::ZERO)]));
        }
        let last = self.digits.len() - 1;
        let positive = Pred::le(Ix::ONE, step.clone());
        if last > 0 && !sizes.proves(&positive) {
            let words = (format!("{} is at least 1", sizes.shown(&step)), positive);
            let message = format!("the mode {} may not count up", sizes.mode(&mode));
            return Err(sizes.unshown(Kind::Divisibility, message, &[words]));
        }
        let mut pieces = Vec::new();
        for k in 0..last {
            let n = self.digits[k].0.clone();
            if sizes.divides(&n, &step) {
                step = sizes.short(step / n);
                continue;
            }
            let most = (count.clone() - Ix::ONE) * step.clone();
            if sizes.at_most(&most, &(n.clone() - Ix::ONE)) {
                self.emit(sizes, k, (count, step), &mut pieces);
                return Ok(Term::flat(pieces));
            }
            let fits = sizes.short(n.clone() / step.clone());
            if !sizes.divides(&step, &n) || !sizes.divides(&fits, &count) {
                return Err(self.unfit(sizes, k, &mode, (count, step)));
            }
            self.emit(sizes, k, (fits.clone(), step), &mut pieces);
            (count, step) = (sizes.short(count / fits), Ix::ONE);
            if count == Ix::ONE {
                return Ok(Term::flat(pieces));
            }
        }
        self.emit(sizes, last, (count, step), &mut pieces);
        Ok(Term::flat(pieces))
    }

    fn emit(&mut self, sizes: &Sizes, k: usize, (count, step): Mode, pieces: &mut Vec<Mode>) {
        self.load[k].push((count.clone() - Ix::ONE) * step.clone());
        pieces.push((count, sizes.short(step * self.digits[k].1.clone())));
    }

    /// Why a mode that has come to a digit with this count and step goes no further.
    fn unfit(&self, sizes: &mut Sizes, k: usize, mode: &Mode, (count, step): Mode) -> Box<crate::Refusal> {
        let n = &self.digits[k].0;
        let divides = |a: &Ix, b: &Ix| Pred::eq(b.clone() % a.clone(), Ix::ZERO);
        let [shown, by, times] = [n, &step, &count].map(|ix| sizes.shown(ix));
        let mut wanted = vec![
            (format!("{by} is a multiple of {shown}"), divides(n, &step)),
            (
                format!("{times} steps of {by} stay below {shown}"),
                Pred::lt((count.clone() - Ix::ONE) * step.clone(), n.clone()),
            ),
        ];
        let fits = sizes.short(n.clone() / step.clone());
        let even = Pred::and(divides(&step, n), divides(&fits, &count));
        wanted.push((format!("{by} divides {shown}, and {} divides {times}", sizes.shown(&fits)), even));
        let digit = sizes.mode(&self.digits[k]);
        let message =
            format!("the mode {} may not fit the mode {digit} of the left operand", sizes.mode(mode));
        sizes.unshown(Kind::Divisibility, message, &wanted)
    }

    /// Refused if a digit may be more than full. What one mode alone puts into it was looked at.
    fn carries(&self, sizes: &mut Sizes) -> Result<()> {
        let digits = self.digits.iter().zip(&self.load).take(self.digits.len() - 1);
        for (digit, load) in digits.filter(|(_, load)| load.len() > 1) {
            let sum = sizes.short(load.iter().cloned().fold(Ix::ZERO, |sum, part| sum + part));
            let wanted = Pred::lt(sum.clone(), digit.0.clone());
            if !sizes.proves(&wanted) {
                let (sum, end) = (sizes.shown(&sum), sizes.shown(&digit.0));
                let words = (
                    format!("{sum}, to which they count in its mode {}, is below {end}", sizes.mode(digit)),
                    wanted,
                );
                let message = "the modes of the right operand may carry in the left operand".to_owned();
                return Err(sizes.unshown(Kind::Carry, message, &[words]));
            }
        }
        Ok(())
    }
}

/// What a layout leaves out, up to a target.
pub(super) fn complement(sizes: &mut Sizes, term: &Term, target: &Ix) -> Result<Term> {
    let mut left: Vec<Mode> =
        term.modes(sizes).into_iter().filter(|(n, d)| *n != Ix::ONE && *d != Ix::ZERO).collect();
    let (mut end, mut modes) = (Ix::ONE, Vec::new());
    let mut always_wide = true;
    while !left.is_empty() {
        let next = (0..left.len()).find(|k| {
            let stride = left[*k].1.clone();
            sizes.equal(&stride, &end) || left.iter().all(|(_, other)| sizes.at_most(&stride, other))
        });
        let (n, d) = left.remove(next.unwrap_or(0));
        let wanted = Pred::and(Pred::le(end.clone(), d.clone()), Pred::eq(d.clone() % end.clone(), Ix::ZERO));
        if next.is_none() || !sizes.proves(&wanted) {
            let (mode, reach) = (sizes.mode(&(n, d)), sizes.shown(&end));
            let words =
                (format!("{mode} begins at a multiple of {reach}, where the modes below it end"), wanted);
            return Err(sizes.unshown(
                Kind::Overlap,
                "the layout may have no complement".to_owned(),
                &[words],
            ));
        }
        always_wide &= sizes.at_most(&Ix::Lit(2), &n);
        modes.push((sizes.short(d.clone() / end.clone()), end));
        end = sizes.short(n * d);
    }
    let exact = Pred::eq(target.clone() % end.clone(), Ix::ZERO);
    if sizes.proves(&exact) {
        modes.push((sizes.short(target.clone() / end.clone()), end));
    } else if always_wide {
        modes.push((sizes.short(Ix::ceil_div(target.clone(), end.clone())), end));
    } else {
        let (end, target) = (sizes.shown(&end), sizes.shown(target));
        let message = format!("the size of the complement up to {target} depends on which extents are 1");
        let words = (format!("{end}, where the modes end, divides {target}"), exact);
        return Err(sizes.unshown(Kind::Overlap, message, &[words]));
    }
    let shape = Tree::Node(modes.iter().map(|(n, _)| Tree::Leaf(n.clone())).collect());
    checked(sizes, shape)?;
    Ok(Term::flat(merged(sizes, modes, false)))
}

/// A tile, and the tiles.
pub(super) fn divide(sizes: &mut Sizes, term: &Term, tile: &Term) -> Result<Term> {
    let whole = size(sizes, term);
    let rest = complement(sizes, tile, &whole)?;
    let tiled = sizes.short(size(sizes, tile) * size(sizes, &rest));
    if !sizes.at_most(&tiled, &whole) {
        let (tiled, whole) = (sizes.shown(&tiled), sizes.shown(&whole));
        sizes.note(format!("the tiles have {tiled} entries, and what is divided {whole}: guard the surplus"));
    }
    let strided = |term: &Term, sizes: &Sizes| {
        let mut strides = term.modes(sizes).into_iter().map(|(_, d)| d);
        let stride = term.shape.map(&mut |_| strides.next().unwrap_or(Ix::ZERO));
        (term.shape.clone(), stride)
    };
    let ((a, c), (b, d)) = (strided(tile, sizes), strided(&rest, sizes));
    let pair = Term { shape: Tree::Node(vec![a, b]), stride: Some(Tree::Node(vec![c, d])) };
    compose(sizes, term, &pair)
}
