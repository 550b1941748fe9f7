//! Which cells of a result a kernel writes, where not all.
//!
//! The one idea: a target all of whose indices are different names goes through all cells, for so much is
//! safe. Any other leaves cells out, or several assignments share them: `y(2*i) = ..; y(2*i+1) = ..`. For
//! those all cells are counted at small sizes, which shows what is left out, but not that nothing is at
//! larger sizes; so the report has that.

use super::assumed::Assumed;
use super::kernel::Sizes;
use super::kernel::{Access, Kernel, Statement};
use super::ranges::{Range, Ranges, value};
use atl_teil::language::{Shape, Size};
use std::collections::BTreeSet;

/// The largest value of each size, and the most cells that are counted.
const LARGEST: i64 = 4;
const MOST_CELLS: i64 = 100_000;
const MOST_NAMES: usize = 5;

/// What is to be said of each result, in the order in which they are first assigned.
pub(super) fn unwritten(kernel: &Kernel, ranges: &[Ranges], assumed: &Assumed) -> Vec<String> {
    let mut said: Vec<&str> = Vec::new();
    let mut notes = Vec::new();
    for statement in &kernel.statements {
        let name = statement.target.tensor.value.as_str();
        let Some(shape) = kernel.shape(name).filter(|_| !said.contains(&name)) else { continue };
        said.push(name);
        let writing: Vec<(&Statement, &Ranges)> =
            kernel.statements.iter().zip(ranges).filter(|(s, _)| s.target.tensor.value == name).collect();
        if writing.iter().any(|(statement, ranges)| goes_through_all(&statement.target, ranges)) {
            continue;
        }
        notes.push(match first_left_out(shape, &writing, assumed) {
            Found::Cell(sizes, cell) => {
                let named = sizes.iter().filter(|(name, _)| !assumed.is_spelled(name));
                let sizes: Vec<String> = named.map(|(name, n)| format!("{name} = {n}")).collect();
                let cell: Vec<String> = cell.iter().map(i64::to_string).collect();
                let of = if sizes.is_empty() { String::new() } else { format!(" for {}", sizes.join(", ")) };
                format!("not all of `{name}` is written: `{name}[{}]` is not{of}", cell.join(", "))
            }
            Found::None => {
                format!("all of `{name}` is written where sizes are at most {LARGEST}; others were not tried")
            }
            Found::Nothing => format!("whether all of `{name}` is written is not known"),
        });
    }
    notes
}

fn goes_through_all(target: &Access, ranges: &Ranges) -> bool {
    if ranges.of.iter().any(|range| range.within || !range.begins_at_0()) {
        return false;
    }
    let plain: Option<Vec<&str>> = target.indices.iter().map(|index| index.plain()).collect();
    plain.is_some_and(|names| names.iter().collect::<BTreeSet<_>>().len() == names.len())
}

/// What counting found.
enum Found {
    /// A cell that is left out, at these sizes.
    Cell(Sizes, Vec<i64>),
    /// Nothing is left out where it was counted.
    None,
    /// It was not counted.
    Nothing,
}

fn first_left_out(shape: &Shape, writing: &[(&Statement, &Ranges)], assumed: &Assumed) -> Found {
    let mut names: Vec<&str> = Vec::new();
    let ranges = writing.iter().flat_map(|(_, ranges)| ranges.of.iter().map(|range| &range.size));
    let sizes = shape.iter().chain(ranges).filter_map(|size| match size {
        Size::Variable(name) => Some(name.as_str()),
        Size::Number(_) => None,
    });
    let froms = writing.iter().flat_map(|(_, ranges)| &ranges.of);
    let froms = froms.flat_map(|range| range.from.parts().1.map(|(name, _)| name.as_str()));
    for name in sizes.chain(froms).chain(assumed.names().map(String::as_str)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() > MOST_NAMES {
        return Found::Nothing;
    }
    let names: Vec<String> = assumed.undefined(names.into_iter().map(str::to_owned).collect());
    let mut all = points(&vec![LARGEST; names.len()]);
    all.sort_by_key(|point| point.iter().sum::<i64>());
    let mut counted = false;
    for point in all {
        let sizes: Sizes = names.iter().zip(&point).map(|(name, n)| (name.clone(), n + 1)).collect();
        let Some(sizes) = assumed.completed(sizes) else { continue };
        if !assumed.admits(&sizes) {
            continue;
        }
        let extents: Vec<i64> = shape.iter().map(|size| value(size, &sizes).max(0)).collect();
        let mut left: i64 = MOST_CELLS;
        let mut afford = |extents: &[i64]| {
            let cells = extents.iter().try_fold(1i64, |cells, n| cells.checked_mul(*n));
            left = cells.map_or(-1, |cells| left.saturating_sub(cells));
            left >= 0
        };
        // A sum over no values is written, too.
        let moving: Vec<(&Statement, Vec<&Range>)> = writing
            .iter()
            .map(|(statement, ranges)| {
                let moves = |range: &&Range| {
                    statement.target.indices.iter().any(|index| index.mentions(&range.index))
                };
                (*statement, ranges.of.iter().filter(moves).collect())
            })
            .collect();
        let firsts: Vec<Vec<i64>> = moving
            .iter()
            .map(|(_, ranges)| ranges.iter().map(|range| range.values(&sizes).start).collect())
            .collect();
        let iterations: Vec<Vec<i64>> = moving
            .iter()
            .map(|(_, ranges)| {
                let values = ranges.iter().map(|range| range.values(&sizes));
                values.map(|values| values.end.saturating_sub(values.start).max(0)).collect()
            })
            .collect();
        if !afford(&extents) || !iterations.iter().all(|extents| afford(extents)) {
            return Found::Nothing;
        }
        let mut written: BTreeSet<Vec<i64>> = BTreeSet::new();
        for (((statement, ranges), iterations), firsts) in moving.iter().zip(&iterations).zip(&firsts) {
            written.extend(points(iterations).iter().map(|point| {
                let at = |name: &str| {
                    let place = ranges.iter().position(|range| range.index == name);
                    place.map_or(0, |k| firsts[k].saturating_add(point[k]))
                };
                let place = |index: &super::kernel::Affine| {
                    let sized = index
                        .sizes
                        .iter()
                        .map(|(by, name)| (by, value(&Size::Variable(name.clone()), &sizes)));
                    let terms = index.terms.iter().map(|(by, name)| (by, at(name)));
                    let sum = sized.chain(terms).fold(i128::from(index.constant), |sum, (by, n)| {
                        sum.saturating_add(i128::from(*by).saturating_mul(i128::from(n)))
                    });
                    i64::try_from(sum).unwrap_or(i64::MAX)
                };
                statement.target.indices.iter().map(place).collect::<Vec<i64>>()
            }));
        }
        counted = true;
        if let Some(cell) = points(&extents).into_iter().find(|cell| !written.contains(cell)) {
            return Found::Cell(sizes, cell);
        }
    }
    if counted { Found::None } else { Found::Nothing }
}

/// All points with coordinates from 0 below these, in order.
fn points(extents: &[i64]) -> Vec<Vec<i64>> {
    extents.iter().fold(vec![vec![]], |points, extent| {
        let longer = |point: Vec<i64>| (0..*extent).map(move |k| [point.as_slice(), &[k]].concat());
        points.into_iter().flat_map(longer).collect()
    })
}
