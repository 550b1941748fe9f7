//! Counts and sums by key: a few tables side by side.
//!
//! **The one idea.** A histogram adds to one cell after the other of a table, and where the same cell comes
//! again, the addition waits for the one before. The terms go to the tables in turn, and the
//! tables are added at the end. That reorders the terms: of integers any order has the same bits, of
//! floats it is `real`. A cell of the tables is a number more than its key: keys are of at most 32 bits, so
//! that it never leaves 64.

use super::exact::Exact;
use crate::names::fresh;
use crate::structure::is_name;
use atl_kernel::{Expr, Ix, Node, Var};
use atl_schedule::nest::{Sort, binders};
use std::collections::BTreeSet;

/// How many tables there are.
const TABLES: i64 = 4;

/// The most bytes of all tables: the nearest cache has room for other things besides.
const BYTES: i64 = 1 << 14;

/// The most bits of a key.
const KEY_BITS: u32 = 32;

/// The tables.
const EACH: &str = "each";

/// The steps for a program that is such a sum; none where there is another, or no table of known length.
pub(super) fn tables_abreast(exact: Exact<'_>) -> Option<Vec<String>> {
    let request = exact.request;
    let (sums, cells, key) = counted(request.body)?;
    exact.type_of(key).filter(|scalar| scalar.bits() <= KEY_BITS)?;
    let (last, around) = sums.split_last()?;
    let bytes = cells.checked_mul(TABLES)?.checked_mul(i64::from(request.cell_bytes))?;
    let all = binders(request.body);
    let is_alone = |name: &String| all.iter().filter(|place| *place.label.name == **name).count() == 1;
    let are_sums_alone = all.iter().filter(|place| place.sort != Sort::Gen).count() == sums.len();
    if bytes > BYTES || !are_sums_alone || !sums.iter().all(|name| is_name(name) && is_alone(name)) {
        return None;
    }
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    let labels = all.iter().map(|place| place.label.name.to_string());
    let mut taken: BTreeSet<String> = request.names.values().cloned().chain(sizes).chain(labels).collect();
    let each = fresh(&mut taken, EACH);
    let (block, term) = (format!("{last}.o"), format!("{last}.i"));
    let order = |names: &[&String]| names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    let around: Vec<&String> = around.iter().collect();
    let in_each: Vec<String> =
        around.iter().copied().chain([&block, &term]).map(|name| format!("{each}/{name}")).collect();
    Some(vec![
        format!("split {last} by {TABLES}"),
        format!("reorder {}", order(&[&[&term], around.as_slice(), &[&block]].concat())),
        format!("rfactor {term} as {each}"),
        format!("reorder {}", in_each.join(", ")),
        format!("peel {each}/{block}"),
        format!("unroll {each}/{term}"),
    ])
}

/// The sums around a cell that an array names, how many cells there are, and the array.
fn counted(body: &Expr) -> Option<(Vec<String>, i64, &Var)> {
    let (mut sums, mut e) = (Vec::new(), body);
    loop {
        match &**e {
            Node::Sum(label, _, inner) => {
                sums.push(label.name.to_string());
                e = inner;
            }
            Node::Guard(_, inner) => e = inner,
            Node::Op(definition, ixs, _) if definition.name == "one_hot" => match ixs.as_slice() {
                [Ix::Lit(cells), Ix::Read(key, _)] => return Some((sums, *cells, key)),
                _ => return None,
            },
            _ => return None,
        }
    }
}
