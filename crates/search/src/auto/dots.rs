//! Tiles of sums of products of bytes and numbers of 16 bits, for the machine's own sums of a few products.
//!
//! **The one idea.** Four bytes, or two numbers of 16 bits, that are multiplied with as many others and
//! added up are one instruction a vector, where the terms of a sum lie side by side. So the sum is cut into
//! groups of as many, and a strip of the operand along the last loop is copied so that the terms of a
//! group, for one column after another, follow each other in memory; those of the rows do already. Integers
//! add up in any order, so no bit changes.

use super::exact::Exact;
use super::tiles::{FEW, MANY, REGISTERS, RESULTS};
use crate::Request;
use crate::names::fresh;
use crate::reuse::collect;
use crate::structure::{Nest, Structure, is_name};
use atl_kernel::{Elem, Expr, Node, Prim, Scalar, Var};
use atl_loops::Name;
use atl_schedule::nest::{Sort, binders, subterm};
use std::collections::BTreeSet;

/// What a script with such sums is called.
pub(super) const WORDS: &str = "tiles of sums of a few products at once, along copied strips";

/// The name of a strip.
const STRIP: &str = "panel";

/// Bytes of a sum.
const SUM: u32 = 4;

/// The steps, for every nest that has such sums.
pub(super) fn dots(exact: Exact<'_>, source: &Structure) -> Option<Vec<String>> {
    let request = exact.request;
    let nests: Vec<&Nest> =
        source.producers.iter().filter(|p| p.outside).map(|p| &p.nest).chain([&source.nest]).collect();
    let apt: Vec<(&Nest, [&Expr; 2])> =
        nests.iter().filter_map(|nest| Some((*nest, products(request.body, nest)?))).collect();
    if apt.is_empty() {
        return None;
    }
    let labels = request.named_sizes.values().map(|(name, _)| name.clone());
    let mut taken: BTreeSet<String> =
        request.names.values().chain(&source.lets).cloned().chain(labels).collect();
    let (mut steps, mut marks) = (Vec::new(), Vec::new());
    for (nest, factors) in apt {
        if let Some(tile) = Tile::of(exact, nest, factors) {
            let names = [RESULTS, STRIP].map(|name| fresh(&mut taken, name));
            let [make, mark] = tile.steps(request, &names);
            steps.extend(make);
            marks.extend(mark);
        }
    }
    (!steps.is_empty()).then(|| [steps, marks].concat())
}

/// The two numbers whose conversions are multiplied, if that is all that the nest's sum adds up.
fn products<'e>(body: &'e Expr, nest: &Nest) -> Option<[&'e Expr; 2]> {
    let [sum] = nest.sums.as_slice() else { return None };
    let mut places = binders(body).into_iter().filter(|place| {
        let within = place.within.last().map(ToString::to_string);
        place.sort == Sort::Sum && *place.label.name == **sum && within == nest.within
    });
    let (Some(place), None) = (places.next(), places.next()) else { return None };
    let Node::Sum(_, _, term) = &**subterm(body, &place.path)? else { return None };
    let Node::Prim(Prim::Mul, factors) = &**term else { return None };
    let [a, b] = factors.as_slice() else { return None };
    let converted = |e: &'e Expr| match &**e {
        Node::Prim(Prim::Cast(Elem { scalar: Scalar::I32 | Scalar::U32, .. }), of) => of.first(),
        _ => None,
    };
    Some([converted(a)?, converted(b)?])
}

/// A tile of such sums.
struct Tile<'n> {
    nest: &'n Nest,
    /// The loops over rows and along them, and the sum.
    row: &'n str,
    last: &'n str,
    sum: &'n str,
    /// How many products are added at once.
    terms: u32,
    /// The operand along the last loop; is each of its rows added up, so that it is transposed?
    along: &'n str,
    turned: bool,
}

impl<'n> Tile<'n> {
    fn of(exact: Exact<'_>, nest: &'n Nest, factors: [&Expr; 2]) -> Option<Tile<'n>> {
        let request = exact.request;
        let reuse = nest.reuse.as_ref()?;
        let ([.., row, last], [sum]) = (nest.gens.as_slice(), nest.sums.as_slice()) else { return None };
        let is_short = nest.terms.first()?.literal().is_some_and(|n| n < 8);
        if reuse.rows + 2 != nest.gens.len()
            || is_short
            || ![row, last, sum].into_iter().all(|name| is_name(name))
        {
            return None;
        }
        let mut bits = 0;
        for factor in factors {
            let mut base = factor;
            while let Node::Get(inner, _) = &**base {
                base = inner;
            }
            let Node::Var(var) = &**base else { return None };
            let Var::Free(level) = var else { return None };
            let scalar = exact.types.get(&Name::new(request.names.get(level)?))?;
            bits = bits.max(scalar.bits());
            if !scalar.is_integer() || bits > 16 {
                return None;
            }
        }
        let mut reads = Vec::new();
        collect(request.body, &mut Vec::new(), request.names, &mut reads)?;
        let mut own = reads.iter().filter(|read| read.of == reuse.along);
        let (Some(read), None) = (own.next(), own.next()) else { return None };
        let is_loop = |k: usize, name: &String| {
            read.alone[k] && read.indices[k].len() == 1 && read.indices[k].contains(name)
        };
        let turned = match read.indices.len() {
            2 if is_loop(0, sum) && is_loop(1, last) => false,
            2 if is_loop(0, last) && is_loop(1, sum) => true,
            _ => return None,
        };
        Some(Tile { nest, row, last, sum, terms: 32 / bits, along: &reuse.along, turned })
    }

    /// The steps that make the tile, and those that run it in vectors, which come after all others.
    fn steps(&self, request: &Request<'_>, [acc, panel]: &[String; 2]) -> [Vec<String>; 2] {
        let Tile { nest, row, last, sum, terms, along, turned } = self;
        let machine = &request.machine;
        let lanes = crate::space::lanes(machine, SUM);
        let (rows, vectors) = if machine.registers >= REGISTERS { MANY } else { FEW };
        let width = vectors * i64::from(lanes);
        let of = nest.within.as_ref().map_or_else(String::new, |name| format!("{name}/"));
        let against = nest.reuse.as_ref().map(|reuse| reuse.against.join(", ")).unwrap_or_default();
        let turn = if *turned { "transpose, " } else { "" };
        let make = vec![
            format!("tile {of}{row}, {of}{last} by {rows}, {width}"),
            format!("reorder {of}{last}.o, {of}{row}.o, {of}{row}.i, {of}{last}.i"),
            format!("split {of}{sum} by {terms}"),
            format!("stage {of}{sum}.o as {acc}"),
            format!("store {acc} at {of}{row}.o"),
            format!("reorder {acc}/{sum}.o, {acc}/{row}.i, {acc}/{last}.i, {acc}/{sum}.i"),
            format!("split {acc}/{last}.i by {lanes}"),
            format!("split {of}{last}.i by {lanes}"),
            format!("store {acc} in register"),
            format!("pad {acc} from {against}"),
            format!("pack {along} at {of}{last}.o as {panel} by {turn}split({terms}), rotate_3, transpose"),
            format!("peel {acc}/{sum}.o"),
        ];
        let mark = vec![
            format!("unroll {of}{row}.i, {acc}/{row}.i, {acc}/{last}.i.o, {of}{last}.i.o"),
            format!("vectorize {acc}/{last}.i.i by {lanes}"),
            format!("vectorize {of}{last}.i.i by {lanes}"),
        ];
        [make, mark]
    }
}
