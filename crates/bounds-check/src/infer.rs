//! Ranges of Tensor Comprehensions: as large as can be with all reads inside.
//!
//! The rule, as that language's documentation gives it: in rounds, every read at an index whose range is not
//! known yet, all others in it being known, says how far that index may run; several such reads of a round
//! are met all together. In `B(i + k) * K(k)` first `k` is as long as `K`, and then `i` as long as that
//! leaves it. What a later read would demand of ranges that are known is no matter of ranges, but an
//! obligation, as ever. An index of the result begins at 0, for there the result begins.
//!
//! A range that is no size that is declared becomes a size of its own, with what is known of it.

use super::assumed::Definition;
use super::kernel::{Affine, Kernel, Statement};
use super::linear::Linear;
use super::ranges::{Range, Ranges, shape_of};
use atl_diag::err;
use atl_teil::Refusal;
use atl_teil::language::Size;
use std::collections::BTreeSet;

/// How far one read lets an index run.
struct Bound {
    /// The multiple of the first value that is at least this.
    from: (i128, Linear),
    /// The multiple of the bound of all values that is at most this.
    to: (i128, Linear),
    /// Where the text has that.
    at: Affine,
}

/// Finds the ranges of all indices that are read.
pub(super) fn infer(
    kernel: &Kernel,
    statement: &Statement,
    ranges: &mut Ranges,
    definitions: &mut Vec<Definition>,
) -> Result<(), Refusal> {
    loop {
        let mut found: Vec<(String, Vec<Bound>)> = Vec::new();
        for read in statement.reads() {
            let Some(shape) = shape_of(kernel, statement, read)? else { continue };
            for (affine, size) in read.indices.iter().zip(shape) {
                let mut open = affine.terms.iter().filter(|(by, i)| *by != 0 && ranges.get(i).is_none());
                if let (Some((by, index)), None) = (open.next(), open.next()) {
                    let bound = bound(*by, index, affine, size, ranges);
                    match found.iter_mut().find(|(known, _)| known == index) {
                        Some((_, bounds)) => bounds.push(bound),
                        None => found.push((index.clone(), vec![bound])),
                    }
                }
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        let mut new = Vec::new();
        for (index, bounds) in found {
            let in_result = statement.target.indices.iter().any(|affine| affine.mentions(&index));
            new.push(range(&index, &bounds, in_result, kernel, definitions)?);
        }
        ranges.of.extend(new);
    }
}

/// What a read says of its one index whose range is not known: with it, the read is inside for all values of
/// the others.
fn bound(by: i64, index: &str, affine: &Affine, size: &Size, ranges: &Ranges) -> Bound {
    let mut rest = affine.clone();
    rest.terms.retain(|(_, name)| name != index);
    let [most, least] = ranges.extremes(&rest);
    let last = Linear::size(size).plus(-1, &Linear::number(1));
    let times = i128::from(by).abs();
    let (from, to) = match by > 0 {
        true => (Linear::default().plus(-1, &least), last.plus(-1, &most)),
        false => (most.plus(-1, &last), least),
    };
    Bound { from: (times, from), to: (times, to.plus(1, &Linear::number(times))), at: affine.clone() }
}

/// The range with which all of these reads are inside.
fn range(
    index: &str,
    bounds: &[Bound],
    in_result: bool,
    kernel: &Kernel,
    definitions: &mut Vec<Definition>,
) -> Result<Range, Refusal> {
    let unclear = |what: &str| -> Refusal {
        let at = bounds.first().map_or(kernel.statements[0].target.span, |bound| bound.at.span);
        Box::new(
            err!(E0297, at, "where `{index}` {what} depends on which sizes are larger")
                .help(format!("state it: `where {index} in 0:n`")),
        )
    };
    let whole = |(by, least): &(i128, Linear)| match (by, least.constant()) {
        (1, _) => Some(least.clone()),
        // Rounded up.
        (by, Some(n)) => Some(Linear::number(-(n.saturating_neg().div_euclid(*by)))),
        (_, None) => None,
    };
    let mut from: Vec<Linear> = Vec::new();
    for bound in bounds {
        match whole(&bound.from) {
            Some(least) => from.push(least),
            // What is never more than 0 says nothing of an index that begins there.
            None if in_result && Linear::default().plus(-1, &bound.from.1).always() => {}
            None => return Err(unclear("begins")),
        }
    }
    from.extend(in_result.then(Linear::default));
    let from = undominated(from, |a, b| b.clone().plus(-1, a).always());
    let [from] = from.as_slice() else { return Err(unclear("begins")) };
    let all: Vec<(i128, Linear)> = bounds.iter().map(|bound| bound.to.clone()).collect();
    let to = undominated(all, |(i, a), (j, b)| {
        // a / i >= b / j
        Linear::default().plus(*j, a).plus(-i, b).always()
    });
    let size = match to.as_slice() {
        [(by, most)] => match (most.constant(), most.as_size()) {
            (Some(n), _) => u64::try_from(n.div_euclid(*by)).ok().filter(|n| *n > 0).map(Size::Number),
            (None, Some(size)) if *by == 1 => Some(size),
            _ => Some(named(index, to.clone(), kernel, definitions)),
        },
        // Of several sizes the first, for a read of another is refused if they differ.
        several if several.iter().all(|(by, most)| *by == 1 && most.as_size().is_some()) => {
            several[0].1.as_size()
        }
        _ => Some(named(index, to.clone(), kernel, definitions)),
    };
    let empty = || -> Refusal {
        let at = bounds.first().map_or(kernel.statements[0].target.span, |bound| bound.at.span);
        let why = err!(E0297, at, "no value of `{index}` from 0 keeps every read inside");
        Box::new(why.note("each range is as large as can be with all reads inside"))
    };
    let size = size.ok_or_else(empty)?;
    let defined = matches!(&size, Size::Variable(name) if definitions.iter().any(|d| d.name == *name));
    if !defined && Linear::size(&size).plus(-1, from).plus(-1, &Linear::number(1)).never() {
        return Err(empty());
    }
    Ok(Range { index: index.to_owned(), from: from.clone(), size, defined, within: false })
}

/// Those that are not implied: one that another implies is left out.
fn undominated<T: Clone>(all: Vec<T>, by_other: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for new in all {
        if kept.iter().any(|known| by_other(&new, known)) {
            continue;
        }
        kept.retain(|known| !by_other(known, &new));
        kept.push(new);
    }
    kept
}

/// A size for the range of an index, which has this definition.
pub(super) fn named(
    index: &str,
    bounds: Vec<(i128, Linear)>,
    kernel: &Kernel,
    definitions: &mut Vec<Definition>,
) -> Size {
    if let Some(known) = definitions.iter().find(|definition| definition.bounds == bounds) {
        return Size::Variable(known.name.clone());
    }
    let mut taken: BTreeSet<&str> = definitions.iter().map(|definition| definition.name.as_str()).collect();
    let shapes = kernel.declared.iter().flat_map(|(_, shape)| shape);
    taken.extend(shapes.filter_map(|size| match size {
        Size::Variable(name) => Some(name.as_str()),
        Size::Number(_) => None,
    }));
    let stated = kernel.statements.iter().flat_map(|statement| &statement.ranges);
    let written = stated.flat_map(|stated| stated.from.terms.iter().chain(&stated.to.terms));
    taken.extend(written.map(|(_, name)| name.as_str()));
    taken.extend(kernel.declared.iter().map(|(name, _)| name.value.as_str()));
    let targets = kernel.statements.iter().map(|statement| statement.target.tensor.value.as_str());
    taken.extend(targets);
    let reads = kernel.statements.iter().flat_map(Statement::reads).flat_map(|read| &read.indices);
    taken.extend(reads.flat_map(|affine| &affine.terms).map(|(_, name)| name.as_str()));
    let first = format!("n_{index}");
    let names = [first.clone()].into_iter().chain((2..).map(|k| format!("{first}_{k}")));
    let name = names.into_iter().find(|name| !taken.contains(name.as_str())).unwrap_or(first);
    definitions.push(Definition { name: name.clone(), bounds });
    Size::Variable(name)
}
