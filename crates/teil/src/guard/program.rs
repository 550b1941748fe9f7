//! A kernel that is safe, as a program in TeIL.
//!
//! A term is the product of its factors; indices that stand twice become diagonals or contractions, from the last position down;
//! those that the target has not are reduced; what is left is brought into the target's order, and dimensions that it lacks are
//! added.

use super::kernel::{Factor, Kernel, Statement, Term};
use super::ranges::Ranges;
use crate::language::{
    Assignment, Declaration, Expr, Fact, Item, Kind, Placed, Pointwise, Program, Role, Shape, Size, contr,
    diag, expa, pointwise, prod, proj, sum, transp,
};
use atl_kernel::Scalar;

/// The program in which these facts are stated, or what it has no word for.
pub(super) fn program(kernel: &Kernel, ranges: &[Ranges], facts: &[Fact]) -> Result<Program, String> {
    let mut items = Vec::new();
    for (name, shape) in &kernel.declared {
        items.push(Item::Declare(declaration(kernel, &name.value, shape)));
    }
    if !facts.is_empty() {
        items.push(Item::Where(facts.to_vec()));
    }
    for (statement, ranges) in kernel.statements.iter().zip(ranges) {
        let value = value(statement, ranges)?;
        items.push(Item::Assign(Assignment {
            target: Placed::unplaced(statement.target.tensor.value.clone()),
            value,
        }));
    }
    Ok(Program { items })
}

fn declaration(kernel: &Kernel, name: &str, shape: &Shape) -> Declaration {
    let first = kernel.statements.iter().find(|statement| statement.target.tensor.value == name);
    let before =
        |statement: &Statement| statement.adds || statement.reads().any(|read| read.tensor.value == name);
    let role = match first {
        None => Role::Input,
        Some(statement) if before(statement) => Role::Inout,
        Some(_) => Role::Output,
    };
    let shape = shape.iter().cloned().map(Placed::unplaced).collect();
    Declaration { role, name: Placed::unplaced(name.to_owned()), element: Scalar::F64, shape }
}

fn value(statement: &Statement, ranges: &Ranges) -> Result<Expr, String> {
    let mut target: Vec<&str> = Vec::new();
    for index in &statement.target.indices {
        let plain = index.plain().ok_or(format!("it assigns at `{}`", index.text()))?;
        if target.contains(&plain) {
            return Err(format!("it assigns a diagonal: `{plain}` stands twice on the left"));
        }
        target.push(plain);
    }
    let mut whole: Option<Expr> = statement.adds.then(|| Expr::name(&statement.target.tensor.value));
    for each in &statement.terms {
        let value = term(each, &target, ranges)?;
        whole = Some(match (whole, each.negative) {
            (None, false) => value,
            (None, true) => Expr::new(Kind::Apply(crate::language::Function::Neg, Box::new(value))),
            (Some(before), false) => pointwise(Pointwise::Add, before, value),
            (Some(before), true) => pointwise(Pointwise::Sub, before, value),
        });
    }
    whole.ok_or("it has no terms".to_owned())
}

fn term(term: &Term, target: &[&str], ranges: &Ranges) -> Result<Expr, String> {
    let mut labels: Vec<&str> = Vec::new();
    let mut product: Option<Expr> = None;
    for factor in &term.factors {
        let next = match factor {
            Factor::Number(text) => Expr::new(Kind::Number(text.clone())),
            Factor::Read(access) => {
                let mut read = Expr::name(&access.tensor.value);
                for (dimension, index) in access.indices.iter().enumerate().rev() {
                    match (index.plain(), index.terms.as_slice(), u64::try_from(index.constant)) {
                        (Some(_), ..) => {}
                        (None, [], Ok(constant)) => {
                            read = proj(dimension + 1, Size::Number(constant + 1), read)
                        }
                        _ => return Err(format!("it reads at `{}`", index.text())),
                    }
                }
                labels.extend(access.indices.iter().filter_map(|index| index.plain()));
                read
            }
        };
        product = Some(match product {
            None => next,
            Some(before) => prod(before, next),
        });
    }
    let mut e = product.ok_or("it has no factors")?;
    while let Some((p, q)) = last_pair(&labels) {
        let label = labels[q];
        let only = labels.iter().filter(|known| **known == label).count() == 2;
        labels.remove(q);
        e = if only && !target.contains(&label) {
            labels.remove(p);
            contr(p + 1, q + 1, e)
        } else {
            diag(p + 1, q + 1, e)
        };
    }
    for q in (0..labels.len()).rev() {
        if !target.contains(&labels[q]) {
            labels.remove(q);
            e = sum(q + 1, e);
        }
    }
    let kept: Vec<&str> = target.iter().copied().filter(|label| labels.contains(label)).collect();
    for (at, label) in kept.iter().enumerate() {
        if let Some(from) = labels.iter().position(|known| known == label) {
            e = transp(at + 1, from + 1, e);
            labels.swap(at, from);
        }
    }
    for (at, label) in target.iter().enumerate() {
        if !kept.contains(label) {
            let size = ranges.size(label).cloned().ok_or(format!("nothing says how far `{label}` runs"))?;
            e = expa(at + 1, size, e);
        }
    }
    Ok(e)
}

/// The last position whose label stands before it, too, and where.
fn last_pair(labels: &[&str]) -> Option<(usize, usize)> {
    (0..labels.len()).rev().find_map(|q| Some((labels[..q].iter().position(|label| *label == labels[q])?, q)))
}
