//! Which reads of stored matrices a copy in the other order may serve.
//!
//! The one idea: the indices of a read are compared with nothing here; each kind of read, by the names of its
//! indices, is one step that may be tried. Whether it pays is seen of the loops that it leads to.

use crate::nest::binders;
use atl_kernel::{Expr, Ix, Label, Node, Var, subst};
use atl_rules::sparse::repacked::{Repacked, Segments};
use std::collections::BTreeSet;

/// A level that no context reaches.
const FRESH: u32 = u32::MAX / 2;

/// The steps `repack A[j, _] as B` of a program, one for each kind of read whose indices are loops; what is
/// called like one of these is no name for a copy.
pub fn repackable(body: &Expr, taken: &BTreeSet<String>) -> Vec<String> {
    let mut names = taken.clone();
    names.extend(binders(body).iter().map(|place| place.label.name.to_string()));
    let (mut found, mut e, mut level) = (Vec::new(), body.clone(), FRESH);
    while let Node::Let(label, bound, inner) = &*e {
        let opened = subst::open(inner, level);
        if Segments::of(level, bound).is_some() {
            let mut reads = BTreeSet::new();
            collect(&opened, level, &mut vec![], &mut reads);
            let reads: Vec<String> = match reads.len() {
                1 => vec![label.name.to_string()],
                _ => reads.iter().map(|[i, j]| format!("{}[{i}, {j}]", label.name)).collect(),
            };
            let copy = unused(&label.name, &names);
            found.extend(reads.into_iter().map(|read| format!("repack {read} as {copy}")));
        }
        (e, level) = (opened, level + 1);
    }
    found
}

/// The reads of the operand of this name whose indices are loops, `A[i, k]`.
pub(crate) fn reads_of(body: &Expr, operand: &str) -> Vec<String> {
    let (mut e, mut level) = (body.clone(), FRESH);
    while let Node::Let(label, _, inner) = &*e {
        let opened = subst::open(inner, level);
        if *label.name == *operand {
            let mut reads = BTreeSet::new();
            collect(&opened, level, &mut vec![], &mut reads);
            return reads.iter().map(|[i, j]| format!("{operand}[{i}, {j}]")).collect();
        }
        (e, level) = (opened, level + 1);
    }
    Vec::new()
}

/// The names of the loops that index the variable at this level, below these binders.
fn collect(e: &Expr, of: u32, around: &mut Vec<Label>, found: &mut BTreeSet<[String; 2]>) {
    if let Node::Get(row, j) = &**e
        && let Node::Get(array, i) = &**row
        && matches!(**array, Node::Var(Var::Free(level)) if level == of)
    {
        let name = |ix: &Ix| match ix {
            Ix::Var(Var::Bound(k)) => {
                let at = around.len().checked_sub(1 + *k as usize)?;
                let label = &around[at];
                let is_word = label.name.chars().all(|c| c.is_alphanumeric() || c == '_');
                is_word.then(|| label.name.to_string())
            }
            _ => None,
        };
        if let (Some(i), Some(j)) = (name(i), name(j)) {
            found.insert([i, j]);
        }
    }
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        let outside = around.len();
        match &**e {
            Node::Gen(label, ..) | Node::Sum(label, ..) | Node::Let(label, ..) if e.binds(at) == 1 => {
                around.push(label.clone());
            }
            _ => around.extend((0..e.binds(at)).map(|_| Label::new(""))),
        }
        collect(child, of, around, found);
        around.truncate(outside);
    }
}

/// A name for a copy, such that none of its arrays is called like something else.
fn unused(name: &str, taken: &BTreeSet<String>) -> String {
    let mut copy = format!("{name}_other");
    let is_taken = |copy: &str| {
        let arrays = Repacked::names(copy).into_iter().chain([copy.to_owned(), format!("{copy}_vals")]);
        arrays.into_iter().any(|array| taken.contains(&array))
    };
    while is_taken(&copy) {
        copy.push('_');
    }
    copy
}
