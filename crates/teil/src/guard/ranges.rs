//! Ranges of indices, and what must hold for every access to be inside.
//!
//! The one idea: an index has one range in a statement, that which is stated, or the target's dimension, or the first dimension it
//! reads. Every other dimension that it stands in is an obligation: equal sizes are safe, a smaller range reads a part, a
//! larger one is outside. An index such as `i + j` is outside if its largest value is, which is linear in the sizes.

use super::assumed::Assumed;
use super::kernel::{Access, Affine, Kernel, Statement};
use crate::language::{Shape, Size};
use crate::tree::Refusal;
use atl_diag::err;
use std::collections::BTreeMap;

/// The ranges of a statement's indices, in the order in which they are found.
#[derive(Clone, Debug)]
pub(super) struct Ranges {
    /// An index runs from 0 below its size.
    pub(super) of: Vec<(String, Size)>,
}

impl Ranges {
    /// The size below which an index runs.
    pub(super) fn size(&self, index: &str) -> Option<&Size> {
        self.of.iter().find(|(known, _)| known == index).map(|(_, size)| size)
    }
}

/// Why a dimension that is accessed is not surely as long as its index runs.
#[derive(Clone, Debug)]
pub(super) struct Obligation<'k> {
    /// The access.
    pub(super) access: &'k Access,
    /// The dimension, from 0.
    pub(super) dimension: usize,
    /// Its size.
    pub(super) size: Size,
}

/// The values of size variables.
pub(super) type Sizes = BTreeMap<String, i64>;

impl Obligation<'_> {
    /// The index that stands there.
    pub(super) fn index(&self) -> &Affine {
        &self.access.indices[self.dimension]
    }
}

/// The ranges of a statement, and the sizes of its target where nothing declares them.
pub(super) fn ranges(kernel: &Kernel, statement: &Statement) -> Result<Ranges, Refusal> {
    let mut of: Vec<(String, Size)> = Vec::new();
    for (index, size) in &statement.ranges {
        of.push((index.value.clone(), size.clone()));
    }
    let accesses: Vec<&Access> = [&statement.target].into_iter().chain(statement.reads()).collect();
    for access in &accesses {
        let Some(shape) = shape_of(kernel, statement, access)? else { continue };
        for (index, size) in access.indices.iter().zip(shape) {
            match index.plain() {
                Some(index) if !of.iter().any(|(known, _)| known == index) => {
                    of.push((index.to_owned(), size.clone()));
                }
                _ => {}
            }
        }
    }
    for affine in accesses.iter().flat_map(|access| &access.indices) {
        for (_, index) in &affine.terms {
            if !of.iter().any(|(known, _)| known == index) {
                return Err(Box::new(
                    err!(E0297, affine.span, "nothing says how far `{index}` runs")
                        .label("it stands alone in no dimension of a tensor whose sizes are known")
                        .help(format!(
                            "state it: `where {index} in 0:n`, or declare the sizes of the result"
                        )),
                ));
            }
        }
    }
    Ok(Ranges { of })
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
                    "`{}` is read with {found} indices and has {expected} dimensions",
                    name.value
                )
                .label(format!("declared {}", crate::language::shape(shape))),
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

/// Every access to a dimension that is not certainly as long as its index runs.
pub(super) fn obligations<'k>(
    kernel: &Kernel,
    statement: &'k Statement,
    ranges: &Ranges,
    assumed: &Assumed,
) -> Vec<Obligation<'k>> {
    let mut found = Vec::new();
    for access in [&statement.target].into_iter().chain(statement.reads()) {
        let Some(shape) = kernel.shape(&access.tensor.value) else { continue };
        for (dimension, (index, size)) in access.indices.iter().zip(shape).enumerate() {
            let holds = match index.plain() {
                Some(plain) => ranges.size(plain) == Some(size),
                None => always_inside(index, size, ranges),
            };
            let obligation = Obligation { access, dimension, size: size.clone() };
            if !holds && !assumed.ensures(&obligation, ranges) {
                found.push(obligation);
            }
        }
    }
    found
}

/// The largest and the smallest value of an index, where sizes have these values.
fn extremes(index: &Affine, ranges: &Ranges, sizes: &Sizes) -> (i64, i64) {
    let last = |name: &str| ranges.size(name).map_or(0, |size| value(size, sizes) - 1);
    index.terms.iter().fold((index.constant, index.constant), |(least, most), (by, name)| {
        let reach = by.saturating_mul(last(name));
        (least.saturating_add(reach.min(0)), most.saturating_add(reach.max(0)))
    })
}

/// The number that a size is.
pub(super) fn value(size: &Size, sizes: &Sizes) -> i64 {
    match size {
        Size::Number(n) => i64::try_from(*n).unwrap_or(i64::MAX),
        Size::Variable(name) => sizes.get(name).copied().unwrap_or(1),
    }
}

/// Whether an index that is more than a name is inside for all sizes: what is over is linear in sizes, which are at least 1, so it
/// is never positive if it is not where all are 1 and no size adds to it.
fn always_inside(index: &Affine, size: &Size, ranges: &Ranges) -> bool {
    let grows = |name: &str| {
        let by: i64 = index
            .terms
            .iter()
            .filter(|(by, i)| *by > 0 && ranges.size(i) == Some(&Size::Variable(name.to_owned())))
            .map(|(by, _)| *by)
            .sum();
        by - i64::from(*size == Size::Variable(name.to_owned())) > 0
    };
    let shrinks =
        index.terms.iter().any(|(by, i)| *by < 0 && matches!(ranges.size(i), Some(Size::Variable(_))));
    let (least, most) = extremes(index, ranges, &Sizes::new());
    let over = most >= value(size, &Sizes::new());
    !variables(index, size, ranges).iter().any(|name| grows(name)) && !shrinks && least >= 0 && !over
}

/// The size variables that decide whether an access is inside.
fn variables(index: &Affine, size: &Size, ranges: &Ranges) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let all = index.terms.iter().filter_map(|(_, i)| ranges.size(i)).chain([size]);
    for size in all {
        if let Size::Variable(name) = size
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
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
    let mut names = variables(index, &obligation.size, ranges);
    for name in assumed.names() {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let mut part = None;
    for sizes in small(&names, index, &obligation.size, ranges, assumed) {
        let (least, most) = extremes(index, ranges, &sizes);
        let size = value(&obligation.size, &sizes);
        let outside = |place: i64, high: bool| {
            let at = |(by, name): &(i64, String)| {
                let last = ranges.size(name).map_or(0, |size| value(size, &sizes) - 1);
                (name.clone(), if (*by > 0) == high { last } else { 0 })
            };
            Clash::Outside { at: index.terms.iter().map(at).collect(), place }
        };
        if most >= size {
            return Some((sizes.clone(), outside(most, true)));
        }
        if least < 0 {
            return Some((sizes.clone(), outside(least, false)));
        }
        if index.plain().is_some() && most + 1 < size && part.is_none() {
            part = Some((sizes, Clash::Part));
        }
    }
    part
}

/// Values of size variables among which a smallest counterexample is, the smallest sum first.
fn small(names: &[String], index: &Affine, size: &Size, ranges: &Ranges, assumed: &Assumed) -> Vec<Sizes> {
    let numbers =
        index.terms.iter().filter_map(|(_, i)| ranges.size(i)).chain([size]).filter_map(|size| match size {
            Size::Number(n) => i64::try_from(*n).ok(),
            Size::Variable(_) => None,
        });
    let mut tried: Vec<i64> = vec![1, 2, 3, 4];
    for n in numbers.chain([index.constant.saturating_abs()]).chain(assumed.numbers()) {
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
    all.retain(|sizes| assumed.admits(sizes));
    all.sort_by_key(|sizes| sizes.values().fold(0i64, |sum, n| sum.saturating_add(*n)));
    all
}
