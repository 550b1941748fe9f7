//! Ranges of indices, and what must hold for every access to be inside.
//!
//! The one idea: an index has one range in a statement, that which is stated, or the target's dimension, or
//! the first dimension it reads. Every other dimension in which it stands alone is an obligation: equal sizes
//! are safe, a smaller range reads a part, a larger one is outside. A dimension that is read at an index such
//! as `i + 1` as well is read by a **window**, and there it is enough to be inside; so `x(i + 1) - x(i)`
//! reads all of `x` or less, as it says.

use super::assumed::{Assumed, Definition};
use super::kernel::{Access, Affine, Kernel, Sizes, Statement};
use super::linear::{Linear, Need};
use atl_diag::err;
use atl_teil::Refusal;
use atl_teil::language::{Shape, Size};

/// The range of an index.
#[derive(Clone, Debug)]
pub(super) struct Range {
    /// The index.
    pub(super) index: String,
    /// Its first value.
    pub(super) from: Linear,
    /// What all of its values are below.
    pub(super) size: Size,
    /// Whether its size has a definition, and so may be 0 or less.
    pub(super) defined: bool,
    /// Whether it is stated to begin elsewhere than at 0, or to end elsewhere than at a size.
    pub(super) within: bool,
}

/// The ranges of a statement's indices, in the order in which they are found.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    /// Each index once.
    pub(super) of: Vec<Range>,
}

impl Ranges {
    /// The range of an index.
    pub(super) fn get(&self, index: &str) -> Option<&Range> {
        self.of.iter().find(|range| range.index == index)
    }

    /// The size below which an index runs.
    pub(super) fn size(&self, index: &str) -> Option<&Size> {
        self.get(index).map(|range| &range.size)
    }

    /// The largest and the smallest value of a term of an access.
    fn reach(&self, by: i64, index: &str) -> [Linear; 2] {
        let Some(range) = self.get(index) else { return [Linear::default(), Linear::default()] };
        let last = Linear::size(&range.size).plus(-1, &Linear::number(1));
        if by > 0 { [last, range.from.clone()] } else { [range.from.clone(), last] }
    }

    /// The largest and the smallest value of what stands in an access.
    pub(super) fn extremes(&self, affine: &Affine) -> [Linear; 2] {
        let still =
            affine.sizes.iter().fold(Linear::number(i128::from(affine.constant)), |sum, (by, name)| {
                sum.plus(i128::from(*by), &Linear::size(&Size::Variable(name.clone())))
            });
        [0, 1].map(|which| {
            let terms = affine.terms.iter();
            terms.fold(still.clone(), |sum, (by, name)| {
                sum.plus(i128::from(*by), &self.reach(*by, name)[which])
            })
        })
    }
}

impl Range {
    /// From 0.
    pub(super) fn below(index: &str, size: Size) -> Range {
        Range { index: index.to_owned(), from: Linear::default(), size, within: false, defined: false }
    }

    /// Whether it begins at 0.
    pub(super) fn begins_at_0(&self) -> bool {
        self.from == Linear::default()
    }

    /// Whether it has values whatever the sizes are, defined ones left aside.
    fn surely_some(&self) -> bool {
        self.begins_at_0() && !self.defined
    }

    /// That it has values.
    fn has_values(&self) -> Need {
        let last = Linear::size(&self.size).plus(-1, &Linear::number(1));
        Need::NotNegative(last.plus(-1, &self.from))
    }

    /// `i < n`, or `1 <= i < n`
    pub(super) fn text(&self) -> String {
        let from = if self.begins_at_0() { String::new() } else { format!("{} <= ", self.from.text()) };
        format!("{from}{} < {}", self.index, self.size)
    }

    /// Its values at these sizes.
    pub(super) fn values(&self, sizes: &Sizes) -> std::ops::Range<i64> {
        let from = i64::try_from(self.from.at(sizes)).unwrap_or(i64::MAX);
        from..value(&self.size, sizes)
    }
}

/// What must hold of an access.
#[derive(Clone, Debug)]
pub(super) struct Obligation<'k> {
    /// The access.
    pub(super) access: &'k Access,
    /// The dimension, from 0.
    pub(super) dimension: usize,
    /// Its size.
    pub(super) size: Size,
    /// Whether the index is to go through all of it.
    pub(super) whole: bool,
}

impl Obligation<'_> {
    /// The index that stands there.
    pub(super) fn index(&self) -> &Affine {
        &self.access.indices[self.dimension]
    }

    /// The ranges of the indices in the access.
    fn moving<'r>(&'r self, ranges: &'r Ranges) -> impl Iterator<Item = &'r Range> {
        ranges.of.iter().filter(|range| self.access.indices.iter().any(|index| index.mentions(&range.index)))
    }

    /// What must hold of sizes: that the largest value is below the size, and that the smallest is none
    /// before 0.
    pub(super) fn needs(&self, ranges: &Ranges) -> Vec<Need> {
        let range = self.index().plain().and_then(|plain| ranges.get(plain));
        if let (true, Some(range)) = (self.whole, range) {
            return vec![Need::same(&range.size, &self.size)];
        }
        let [most, least] = ranges.extremes(self.index());
        let last = Linear::size(&self.size).plus(-1, &Linear::number(1));
        vec![Need::NotNegative(last.plus(-1, &most)), Need::NotNegative(least)]
    }

    /// Whether that is so for all sizes. Where an index has no values nothing is accessed.
    pub(super) fn is_met(&self, ranges: &Ranges, assumed: &Assumed) -> bool {
        let some = self.moving(ranges).filter(|range| !range.surely_some()).map(Range::has_values);
        let some: Vec<Need> = some.collect();
        let where_accessed = assumed.with(&some);
        let needs = self.needs(ranges);
        needs.iter().all(|need| assumed.ensures(need) || (!some.is_empty() && where_accessed.implies(need)))
    }
}

/// The ranges of a statement, and what new sizes of ranges are.
pub(super) fn ranges(
    kernel: &Kernel,
    statement: &Statement,
    definitions: &mut Vec<Definition>,
) -> Result<Ranges, Refusal> {
    let mut ranges = Ranges::default();
    for stated in &statement.ranges {
        let (from, to) = (Linear::of_sizes(&stated.from), Linear::of_sizes(&stated.to));
        if to.clone().plus(-1, &from).plus(-1, &Linear::number(1)).never() {
            let refusal = err!(E0297, stated.to.span, "the range of `{}` has no values", stated.index.value);
            return Err(Box::new(refusal.label("it ends where it begins, or before")));
        }
        let defined = to.as_size().is_none();
        let within = defined || from != Linear::default();
        let size = match to.as_size() {
            Some(size) => size,
            None => super::infer::named(&stated.index.value, vec![(1, to)], kernel, definitions),
        };
        ranges.of.push(Range { index: stated.index.value.clone(), from, size, defined, within });
    }
    let accesses: Vec<&Access> = [&statement.target].into_iter().chain(statement.reads()).collect();
    for (number, access) in accesses.iter().enumerate() {
        let Some(shape) = shape_of(kernel, statement, access)? else { continue };
        for (index, size) in access.indices.iter().zip(shape) {
            match index.plain() {
                // Tensor Comprehensions look at all reads of an index at once.
                Some(index) if ranges.get(index).is_none() && (number == 0 || !kernel.smallest) => {
                    ranges.of.push(Range::below(index, size.clone()));
                }
                _ => {}
            }
        }
    }
    if kernel.smallest {
        super::infer::infer(kernel, statement, &mut ranges, definitions)?;
    }
    for affine in accesses.iter().flat_map(|access| &access.indices) {
        for (_, index) in &affine.terms {
            if ranges.get(index).is_none() {
                let refusal = err!(E0297, affine.span, "nothing says how far `{index}` runs");
                let refusal = match kernel.smallest {
                    true => refusal.label("no read has it as the one index whose range is not known yet"),
                    false => {
                        refusal.label("it stands alone in no dimension of a tensor whose sizes are known")
                    }
                };
                return Err(Box::new(
                    refusal.help(format!(
                        "state it: `where {index} in 0:n`, or declare the sizes of the result"
                    )),
                ));
            }
        }
    }
    Ok(ranges)
}

/// The sizes of what an access reads; nothing for a target that is declared nowhere.
pub(super) fn shape_of<'k>(
    kernel: &'k Kernel,
    statement: &Statement,
    access: &Access,
) -> Result<Option<&'k Shape>, Refusal> {
    let name = &access.tensor;
    match kernel.shape(&name.value) {
        Some(shape) if shape.len() == access.indices.len() => Ok(Some(shape)),
        Some(shape) => {
            let (found, expected) = (access.indices.len(), shape.len());
            Err(Box::new(
                err!(
                    E0297,
                    access.span,
                    "`{}` is read with {} and has {}",
                    name.value,
                    counted(found, "index", "indices"),
                    counted(expected, "dimension", "dimensions")
                )
                .label(format!("declared {}", atl_teil::language::shape(shape))),
            ))
        }
        None if name.value == statement.target.tensor.value => Ok(None),
        None => Err(Box::new(
            err!(E0297, access.span, "nothing says the sizes of `{}`", name.value)
                .label("not declared, nor assigned before")
                .help(format!("declare it: `-d {}=n,m`", name.value)),
        )),
    }
}

fn counted(n: usize, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

/// Whether a dimension is accessed by this statement at an index that moves and is more than a name, or whose
/// range is stated to be within a dimension: `1:n`.
fn is_window(statement: &Statement, ranges: &Ranges, tensor: &str, dimension: usize) -> bool {
    let all = [&statement.target].into_iter().chain(statement.reads());
    let mut indices = all.filter(|a| a.tensor.value == tensor).filter_map(|a| a.indices.get(dimension));
    indices.any(|index| match index.plain() {
        Some(plain) => ranges.get(plain).is_some_and(|range| range.within || !range.begins_at_0()),
        None => !index.terms.is_empty(),
    })
}

/// Every access to a dimension that is not certainly as long as its index runs.
pub(super) fn obligations<'k>(
    kernel: &Kernel,
    statement: &'k Statement,
    ranges: &Ranges,
    assumed: &Assumed,
) -> Vec<Obligation<'k>> {
    let mut found = Vec::new();
    for access in [&statement.target].into_iter().chain(statement.reads()) {
        let tensor = &access.tensor.value;
        let Some(shape) = kernel.shape(tensor) else { continue };
        for (dimension, (index, size)) in access.indices.iter().zip(shape).enumerate() {
            let whole = index.plain().is_some() && !is_window(statement, ranges, tensor, dimension);
            let obligation = Obligation { access, dimension, size: size.clone(), whole };
            if !obligation.is_met(ranges, assumed) {
                found.push(obligation);
            }
        }
    }
    found
}

/// The number that a size is.
pub(super) fn value(size: &Size, sizes: &Sizes) -> i64 {
    match size {
        Size::Number(n) => i64::try_from(*n).unwrap_or(i64::MAX),
        Size::Variable(name) => sizes.get(name).copied().unwrap_or(1),
    }
}

/// What goes wrong at some sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Clash {
    /// An access is outside: the indices with their values, and the place that is accessed.
    Outside { at: Vec<(String, i64)>, place: i64 },
    /// All accesses are inside, and some entries are left out.
    Part,
}

/// The smallest sizes for which an obligation is broken, and how. Nothing if it never is.
pub(super) fn witness(
    obligation: &Obligation<'_>,
    ranges: &Ranges,
    assumed: &Assumed,
) -> Option<(Sizes, Clash)> {
    let index = obligation.index();
    let mut names: Vec<String> = Vec::new();
    let of_needs = obligation.needs(ranges);
    let linear: Vec<Linear> = of_needs.iter().flat_map(Need::not_negative).collect();
    let in_needs = linear.iter().flat_map(|linear| linear.parts().1.map(|(name, _)| name));
    // Ranges without values access nothing.
    let firsts = ranges.of.iter().filter(|range| !range.begins_at_0());
    let in_ranges: Vec<Linear> =
        firsts.map(|range| Linear::size(&range.size).plus(-1, &range.from)).collect();
    let in_ranges = in_ranges.iter().flat_map(|linear| linear.parts().1.map(|(name, _)| name));
    let ends = index.terms.iter().filter_map(|(_, name)| ranges.size(name)).chain([&obligation.size]);
    let ends = ends.filter_map(|size| match size {
        Size::Variable(name) => Some(name),
        Size::Number(_) => None,
    });
    for name in in_needs.chain(in_ranges).chain(ends).chain(assumed.names()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let mut part = None;
    for sizes in small(names, &linear, assumed) {
        if obligation.moving(ranges).any(|range| range.values(&sizes).is_empty()) {
            continue;
        }
        let [most, least] = ranges.extremes(index).map(|extreme| extreme.at(&sizes));
        let size = i128::from(value(&obligation.size, &sizes));
        let outside = |place: i128, high: bool| {
            let at = |(by, name): &(i64, String)| {
                let values = ranges.get(name).map_or(0..1, |range| range.values(&sizes));
                (name.clone(), if (*by > 0) == high { values.end - 1 } else { values.start })
            };
            let place = i64::try_from(place).unwrap_or(i64::MAX);
            Clash::Outside { at: index.terms.iter().map(at).collect(), place }
        };
        if most >= size {
            return Some((sizes.clone(), outside(most, true)));
        }
        if least < 0 {
            return Some((sizes.clone(), outside(least, false)));
        }
        if obligation.whole && most + 1 < size && part.is_none() {
            part = Some((sizes, Clash::Part));
        }
    }
    part
}

/// Values of size variables among which a smallest counterexample is, the smallest sum first.
fn small(names: Vec<String>, needs: &[Linear], assumed: &Assumed) -> Vec<Sizes> {
    let names: Vec<String> = assumed.undefined(names);
    let mut tried: Vec<i64> = vec![1, 2, 3, 4];
    let numbers = needs.iter().map(|need| need.parts().0).chain(assumed.numbers());
    for n in numbers.filter_map(|n| i64::try_from(n.saturating_abs()).ok()) {
        tried.extend([-1, 0, 1, 2].map(|more| n.saturating_add(more)));
    }
    // Sizes may be far apart under conditions.
    tried.extend((1..=16).filter(|_| !assumed.is_empty()));
    tried.retain(|n| *n >= 1);
    tried.sort_unstable();
    tried.dedup();
    // What is not found among these is refused all the same, without an example.
    tried.truncate(match names.len() {
        0 | 1 => 4096,
        2 => 128,
        3 => 24,
        _ => 10,
    });
    if names.len() > 4 && !assumed.is_empty() {
        return vec![];
    }
    let mut all: Vec<Sizes> = vec![Sizes::new()];
    for name in names.iter().take(4) {
        let with = |sizes: Sizes| {
            tried.iter().map(move |n| {
                let mut sizes = sizes.clone();
                sizes.insert(name.clone(), *n);
                sizes
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    let mut all: Vec<Sizes> = all.into_iter().filter_map(|sizes| assumed.completed(sizes)).collect();
    all.retain(|sizes| assumed.admits(sizes));
    all.sort_by_key(|sizes| sizes.values().fold(0i64, |sum, n| sum.saturating_add(*n)));
    all
}
