//! Which indices run over one extent, and what each extent is called.
//!
//! An index has one extent, wherever it stands, and so has a dimension of a tensor, however it is read. So
//! `A(i,j) * A(j,k)` makes one size of `i`, `j` and `k`.

use crate::tree::{Access, Expr, Kind, Refusal, Statement, distinct};
use atl_diag::err;
use atl_syntax::ast::Name;

/// A tensor that is read.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    /// Its name, and its indices where it is read first.
    pub(crate) first: Access,
    /// The indices of every read.
    pub(crate) reads: Vec<Vec<Name>>,
}

/// The operands and extents of a statement.
#[derive(Clone, Debug)]
pub(crate) struct Extents {
    /// The operands, in the order of their first reads.
    pub(crate) operands: Vec<Operand>,
    /// Every index, and the size that is its extent.
    sizes: Vec<(String, String)>,
}

impl Extents {
    /// The operands and extents, if names are used consistently.
    pub(crate) fn of(statement: &Statement) -> Result<Extents, Refusal> {
        let operands = operands(statement)?;
        result(statement)?;
        let result = &statement.result.indices;
        let read: Vec<&Name> = operands.iter().flat_map(|o| o.reads.iter().flatten()).collect();
        let indices = distinct(result.iter().chain(read.iter().copied()).collect());
        names(statement, &operands, &indices)?;
        for index in result.iter().chain(summed(&statement.body)) {
            if !read.iter().any(|r| r.text == index.text) {
                return Err(unread(index));
            }
        }
        let sizes = sizes(&operands, &indices);
        Ok(Extents { operands, sizes })
    }

    /// The size that an index runs over.
    pub(crate) fn size(&self, index: &str) -> &str {
        self.sizes.iter().find(|(name, _)| name == index).map_or("", |(_, size)| size)
    }

    /// The sizes that operands of these shapes have, each by its name.
    pub(crate) fn known(&self, shapes: &[(String, Vec<usize>)]) -> Vec<(&str, usize)> {
        let mut known = Vec::new();
        for operand in &self.operands {
            let Some((_, shape)) = shapes.iter().find(|(name, _)| *name == operand.first.tensor.text) else {
                continue;
            };
            let read = operand.first.indices.iter().zip(shape);
            known.extend(read.map(|(index, n)| (self.size(&index.text), *n)));
        }
        known
    }

    /// Refuses shapes in which an index would have two extents.
    pub(crate) fn check(&self, shapes: &[(&str, &[usize])]) -> Result<(), Refusal> {
        // What each size is, and the index that made it so.
        let mut known: Vec<(&str, usize, &Name, &str)> = Vec::new();
        for operand in &self.operands {
            let tensor = operand.first.tensor.text.as_str();
            let Some((_, shape)) = shapes.iter().find(|(name, _)| *name == tensor) else { continue };
            for (index, n) in operand.reads.iter().flat_map(|read| read.iter().zip(*shape)) {
                let size = self.size(&index.text);
                match known.iter().find(|(known, ..)| *known == size) {
                    Some((_, m, before, other)) if m != n => {
                        let (i, j) = (&before.text, &index.text);
                        let why = match i == j {
                            true => "an index has one extent".to_owned(),
                            false => format!(
                                "`{i}` and `{j}` have one extent, since a tensor is read at both in one dimension"
                            ),
                        };
                        return Err(Box::new(
                            err!(
                                E0269,
                                index.span,
                                "`{j}` runs over {n} in `{tensor}`, and `{i}` over {m} in `{other}`"
                            )
                            .label(format!("{n} here"))
                            .also(before.span, format!("{m} here"))
                            .note(why)
                            .help("give arrays whose shapes agree, or use another index"),
                        ));
                    }
                    Some(_) => {}
                    None => known.push((size, *n, index, tensor)),
                }
            }
        }
        Ok(())
    }
}

/// The tensors that are read, each with one number of dimensions.
fn operands(statement: &Statement) -> Result<Vec<Operand>, Refusal> {
    let mut operands: Vec<Operand> = Vec::new();
    for access in statement.body.accesses() {
        let name = &access.tensor.text;
        let Some(known) = operands.iter_mut().find(|o| o.first.tensor.text == *name) else {
            operands.push(Operand { first: access.clone(), reads: vec![access.indices.clone()] });
            continue;
        };
        let (n, m) = (access.indices.len(), known.first.indices.len());
        if n != m {
            return Err(Box::new(
                err!(E0262, access.span, "`{name}` is read with {}, and with {m} elsewhere", count(n))
                    .label(format!("{n} here"))
                    .also(known.first.span, format!("{m} here"))
                    .help("a tensor has one number of dimensions: give each an index, in every read"),
            ));
        }
        known.reads.push(access.indices.clone());
    }
    Ok(operands)
}

fn count(n: usize) -> String {
    if n == 1 { "1 index".to_owned() } else { format!("{n} indices") }
}

/// The left side names a tensor that is not read, with indices that differ.
fn result(statement: &Statement) -> Result<(), Refusal> {
    let result = &statement.result;
    for (k, index) in result.indices.iter().enumerate() {
        if let Some(first) = result.indices[..k].iter().find(|i| i.text == index.text) {
            return Err(Box::new(
                err!(E0264, index.span, "`{}` stands twice on the left", index.text)
                    .label("again")
                    .also(first.span, "it is this index")
                    .note("the elements off the diagonal would have no value")
                    .help("give every dimension of the result an index of its own"),
            ));
        }
    }
    let name = &result.tensor.text;
    match statement.body.accesses().into_iter().find(|a| a.tensor.text == *name) {
        Some(read) => Err(Box::new(
            err!(E0265, read.span, "`{name}` is read while it is computed")
                .label("read here")
                .also(result.span, "this is the result")
                .help(format!("where the earlier value is meant, call that operand `{name}0`")),
        )),
        None => Ok(()),
    }
}

/// No index is called as a tensor is.
fn names(statement: &Statement, operands: &[Operand], indices: &[&Name]) -> Result<(), Refusal> {
    let tensors = operands.iter().map(|o| &o.first.tensor).chain([&statement.result.tensor]);
    for tensor in tensors {
        if let Some(index) = indices.iter().find(|i| i.text == tensor.text) {
            return Err(Box::new(
                err!(E0264, index.span, "`{}` is an index and a tensor", index.text)
                    .label("an index here")
                    .also(tensor.span, "a tensor here")
                    .help("give one of the two another name"),
            ));
        }
    }
    Ok(())
}

/// The indices that a `sum` names.
fn summed(e: &Expr) -> Vec<&Name> {
    let here = match &e.kind {
        Kind::Sum(indices, _) => indices.iter().collect(),
        _ => vec![],
    };
    here.into_iter().chain(e.children().into_iter().flat_map(summed)).collect()
}

fn unread(index: &Name) -> Refusal {
    Box::new(
        err!(E0261, index.span, "no operand is read at `{}`", index.text)
            .label("how far does it run?")
            .note("the extent of an index is the extent of an operand's dimension")
            .help("check the spelling, or give an operand this index"),
    )
}

/// A size for every index, one for all that have the same extent: called after the first of them.
fn sizes(operands: &[Operand], indices: &[&Name]) -> Vec<(String, String)> {
    let place = |name: &Name| indices.iter().position(|i| i.text == name.text).unwrap_or_default();
    // Each index points at the first that it is known to be as long as.
    let mut first: Vec<usize> = (0..indices.len()).collect();
    for operand in operands {
        for read in &operand.reads {
            for (index, other) in read.iter().zip(&operand.first.indices) {
                let (a, b) = (first[place(index)], first[place(other)]);
                first.iter_mut().filter(|k| **k == a.max(b)).for_each(|k| *k = a.min(b));
            }
        }
    }
    let fits = |spell: &dyn Fn(&str) -> String| {
        let names: Vec<String> = indices.iter().map(|i| spell(&i.text)).collect();
        let tensor = |name: &String| operands.iter().any(|o| o.first.tensor.text == *name);
        let index = |name: &String| indices.iter().any(|i| i.text == *name);
        let twice = |k: usize| names[..k].contains(&names[k]);
        let free = (0..names.len()).all(|k| !tensor(&names[k]) && !index(&names[k]) && !twice(k));
        free.then_some(names)
    };
    let short = |index: &str| index.to_ascii_uppercase();
    let numbered = (0..).map(|k| "_".repeat(k)).find_map(|rest| fits(&|index| format!("N{rest}_{index}")));
    let names = fits(&short).or(numbered).unwrap_or_default();
    indices.iter().zip(first).map(|(index, k)| (index.text.clone(), names[k].clone())).collect()
}
