//! Divisions and products in all their forms, mode by mode where a tiler says so.
//!
//! The rules are those of numbers; see `logical_divide`, `zipped_divide` and their kin, `logical_product` and `blocked_product`.

use super::Term;
use super::operations::{complement, compose, cosize, divide, size};
use super::sizes::Sizes;
use crate::refusal::{Kind, Refusal, Result};
use crate::tree::Tree;
use atl_kernel::{Ix, Pred};

/// What modes are divided by, or repeated as.
#[derive(Clone, Debug)]
pub(super) enum Tiler {
    /// `_`: it is left alone.
    Keep,
    Layout(Term),
    Modes(Vec<Tiler>),
}

/// What is done with one mode and one tile.
type Operation = fn(&mut Sizes, &Term, &Term) -> Result<Term>;

impl Tiler {
    /// A number is a tile of so many entries side by side, a tuple tiles mode by mode.
    pub(super) fn of(term: &Term) -> Tiler {
        match (&term.stride, &term.shape) {
            (Some(_), _) => Tiler::Layout(term.clone()),
            (None, Tree::Leaf(_)) => {
                Tiler::Layout(Term { shape: term.shape.clone(), stride: Some(Tree::Leaf(Ix::ONE)) })
            }
            (None, Tree::Node(children)) => {
                let of = |shape: &Tree<Ix>| Tiler::of(&Term { shape: shape.clone(), stride: None });
                Tiler::Modes(children.iter().map(of).collect())
            }
        }
    }
}

/// The operation of this name, if it is a division or a product.
pub(super) fn by_name(sizes: &mut Sizes, name: &str, term: &Term, tiler: &Tiler) -> Option<Result<Term>> {
    Some(match name {
        "logical_divide" => by_mode(sizes, term, tiler, divide),
        "zipped_divide" => unzip(sizes, term, tiler, divide).map(|(first, second)| concat([first, second])),
        "tiled_divide" => unzip(sizes, term, tiler, divide)
            .map(|(first, second)| concat([first].into_iter().chain(modes(&second)))),
        "flat_divide" => unzip(sizes, term, tiler, divide)
            .map(|(first, second)| concat(modes(&first).into_iter().chain(modes(&second)))),
        "logical_product" => by_mode(sizes, term, tiler, product),
        "blocked_product" => paired(sizes, term, tiler, |tile, copies| [tile, copies]),
        "raked_product" => paired(sizes, term, tiler, |tile, copies| [copies, tile]),
        _ => return None,
    })
}

/// With strides, also where it is a shape.
fn strided(sizes: &Sizes, term: &Term) -> Term {
    let mut strides = term.modes(sizes).into_iter().map(|(_, d)| d);
    let stride = term.shape.map(&mut |_| strides.next().unwrap_or(Ix::ZERO));
    Term { shape: term.shape.clone(), stride: Some(stride) }
}

/// The outer modes of a layout with strides.
fn modes(term: &Term) -> Vec<Term> {
    match (&term.shape, &term.stride) {
        (Tree::Node(shapes), Some(Tree::Node(strides))) => {
            let pairs = shapes.iter().zip(strides);
            pairs.map(|(n, d)| Term { shape: n.clone(), stride: Some(d.clone()) }).collect()
        }
        _ => vec![term.clone()],
    }
}

/// Layouts with strides, as the modes of one.
fn concat(terms: impl IntoIterator<Item = Term>) -> Term {
    let (shapes, strides) =
        terms.into_iter().map(|term| (term.shape, term.stride.unwrap_or(Tree::Leaf(Ix::ZERO)))).unzip();
    Term { shape: Tree::Node(shapes), stride: Some(Tree::Node(strides)) }
}

fn checked_modes(sizes: &Sizes, term: &Term, tiles: &[Tiler]) -> Result<Vec<Term>> {
    let modes = modes(&strided(sizes, term));
    if tiles.len() <= modes.len() {
        return Ok(modes);
    }
    let message = format!("the layout has {} modes, and the tiler {}", modes.len(), tiles.len());
    Err(Refusal::new(Kind::Trees, message).note("a tiler has one entry for each mode that is tiled"))
}

fn by_mode(sizes: &mut Sizes, term: &Term, tiler: &Tiler, operation: Operation) -> Result<Term> {
    match tiler {
        Tiler::Keep => Ok(strided(sizes, term)),
        Tiler::Layout(tile) => operation(sizes, term, tile),
        Tiler::Modes(tiles) => {
            let modes = checked_modes(sizes, term, tiles)?.into_iter().enumerate();
            let done = modes.map(|(k, mode)| match tiles.get(k) {
                Some(tile) => by_mode(sizes, &mode, tile, operation),
                None => Ok(mode),
            });
            Ok(concat(done.collect::<Result<Vec<Term>>>()?))
        }
    }
}

/// What comes first of every mode, and what comes second; a mode that is left alone is second.
fn unzip(sizes: &mut Sizes, term: &Term, tiler: &Tiler, operation: Operation) -> Result<(Term, Term)> {
    match tiler {
        Tiler::Keep => {
            let one = Term { shape: Tree::Leaf(Ix::ONE), stride: Some(Tree::Leaf(Ix::ZERO)) };
            Ok((one, strided(sizes, term)))
        }
        Tiler::Layout(tile) => {
            let mut pair = modes(&operation(sizes, term, tile)?).into_iter();
            match (pair.next(), pair.next()) {
                (Some(first), Some(second)) => Ok((first, second)),
                _ => Err(Refusal::new(Kind::Trees, "a tile and the tiles are two modes")),
            }
        }
        Tiler::Modes(tiles) => {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for (k, mode) in checked_modes(sizes, term, tiles)?.into_iter().enumerate() {
                match tiles.get(k) {
                    Some(tile) => {
                        let zipped = unzip(sizes, &mode, tile, operation)?;
                        first.push(zipped.0);
                        second.push(zipped.1);
                    }
                    None => second.push(mode),
                }
            }
            Ok((concat(first), concat(second)))
        }
    }
}

/// A tile, repeated as a layout says.
fn product(sizes: &mut Sizes, tile: &Term, copies: &Term) -> Result<Term> {
    for (n, d) in copies.modes(sizes) {
        let wanted = Pred::le(Ix::ZERO, d.clone());
        if !sizes.proves(&wanted) {
            let words = (format!("{} is at least 0", sizes.shown(&d)), wanted);
            let message = format!("the mode {} may place a copy below 0", sizes.mode(&(n, d)));
            return Err(sizes.unshown(Kind::Range, message, &[words]));
        }
    }
    let target = sizes.short(size(sizes, tile) * cosize(sizes, copies));
    let rest = complement(sizes, tile, &target)?;
    let copies = compose(sizes, &rest, &strided(sizes, copies))?;
    Ok(concat([strided(sizes, tile), copies]))
}

/// Each mode of a tile with the mode of its copies.
fn paired(
    sizes: &mut Sizes,
    tile: &Term,
    copies: &Tiler,
    order: fn(Term, Term) -> [Term; 2],
) -> Result<Term> {
    let Tiler::Layout(copies) = copies else {
        return Err(Refusal::new(Kind::Arguments, "the copies are a layout here, and no tiler"));
    };
    let (tile, copies) = (modes(&strided(sizes, tile)), modes(&strided(sizes, copies)));
    let rank = tile.len().max(copies.len());
    let padded = |mut modes: Vec<Term>| {
        modes.resize(rank, Term { shape: Tree::Leaf(Ix::ONE), stride: Some(Tree::Leaf(Ix::ZERO)) });
        concat(modes)
    };
    let whole = product(sizes, &padded(tile), &padded(copies))?;
    let [tile, copies] =
        modes(&whole).try_into().unwrap_or_else(|_| [Term::flat(vec![]), Term::flat(vec![])]);
    let pairs = modes(&tile).into_iter().zip(modes(&copies));
    Ok(concat(pairs.map(|(tile, copies)| concat(order(tile, copies)))))
}
