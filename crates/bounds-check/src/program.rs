//! A kernel that is safe, as a program in TeIL.
//!
//! A term is the product of its factors; indices that stand twice become diagonals or contractions, from the
//! last position down; those that the target has not are reduced; what is left is brought into the target's
//! order, and dimensions that it lacks are added. Operands of sums, quotients and functions of two numbers
//! are given one another's dimensions first.

use super::kernel::{Access, Kernel, Reduced, Statement, Value};
use super::ranges::Ranges;
use atl_kernel::Scalar;
use atl_teil::language::{
    Assignment, Declaration, Expr, Fact, Function, Item, Kind, Placed, Pointwise, Program, Reduction, Role,
    Shape, Size, contr, diag, expa, mul, pointwise, prod, proj, transp,
};

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
    let before = |statement: &Statement| {
        statement.onto.is_some() || statement.reads().any(|read| read.tensor.value == name)
    };
    let role = match first {
        None => Role::Input,
        Some(statement) if before(statement) => Role::Inout,
        Some(_) => Role::Output,
    };
    let shape = shape.iter().cloned().map(Placed::unplaced).collect();
    Declaration { role, name: Placed::unplaced(name.to_owned()), element: Scalar::F64, shape }
}

/// Something with a name for each dimension, in order.
struct Part<'k> {
    e: Expr,
    labels: Vec<&'k str>,
}

fn value(statement: &Statement, ranges: &Ranges) -> Result<Expr, String> {
    if let Some(range) = ranges.of.iter().find(|range| range.within || !range.begins_at_0()) {
        return Err(format!("`{}` is a part of a dimension", range.text()));
    }
    let mut target: Vec<&str> = Vec::new();
    for index in &statement.target.indices {
        let plain = index.plain().ok_or(format!("it assigns at `{}`", index.text()))?;
        if target.contains(&plain) {
            return Err(format!("it assigns a diagonal: `{plain}` stands twice on the left"));
        }
        target.push(plain);
    }
    let old = Expr::name(&statement.target.tensor.value);
    let joined = match statement.reduced {
        Reduced::EachTerm => {
            let mut whole: Option<Expr> = statement.onto.map(|_| old);
            for (negative, term) in terms(&statement.value) {
                let value = reduced(term, &target, Reduction::Sum, &[], ranges)?;
                whole = Some(with_term(whole, *negative, value));
            }
            return whole.ok_or("it has no terms".to_owned());
        }
        Reduced::Whole(op) => {
            let all: Vec<&str> = ranges.of.iter().map(|range| range.index.as_str()).collect();
            let over: Vec<&str> = all.into_iter().filter(|index| !target.contains(index)).collect();
            reduced(&statement.value, &target, op, &over, ranges)?
        }
    };
    Ok(match statement.onto {
        None => joined,
        Some(Reduction::Sum) => pointwise(Pointwise::Add, old, joined),
        Some(Reduction::Product) => mul(old, joined),
        Some(Reduction::Min) => pointwise(Pointwise::Min, old, joined),
        Some(Reduction::Max) => pointwise(Pointwise::Max, old, joined),
    })
}

/// The terms, and whether each is taken away.
fn terms(value: &Value) -> Box<dyn Iterator<Item = (&bool, &Value)> + '_> {
    match value {
        Value::Sum(terms, _) => Box::new(terms.iter().map(|(negative, term)| (negative, term))),
        _ => Box::new(std::iter::once((&false, value))),
    }
}

fn with_term(before: Option<Expr>, negative: bool, term: Expr) -> Expr {
    match (before, negative) {
        (None, false) => term,
        (None, true) => Expr::new(Kind::Apply(Function::Neg, Box::new(term))),
        (Some(before), false) => pointwise(Pointwise::Add, before, term),
        (Some(before), true) => pointwise(Pointwise::Sub, before, term),
    }
}

/// A value reduced over its indices that the target lacks, and over these that it lacks itself; in the
/// target's order.
fn reduced(
    value: &Value,
    target: &[&str],
    op: Reduction,
    over: &[&str],
    ranges: &Ranges,
) -> Result<Expr, String> {
    let Part { mut e, mut labels } = product(value, ranges)?;
    while let Some((p, q)) = last_pair(&labels) {
        let label = labels[q];
        let only = labels.iter().filter(|known| **known == label).count() == 2;
        labels.remove(q);
        e = if only && op == Reduction::Sum && !target.contains(&label) {
            labels.remove(p);
            contr(p + 1, q + 1, e)
        } else {
            diag(p + 1, q + 1, e)
        };
    }
    // What does not move with an index is there once for each of its values.
    for index in over.iter().filter(|index| !value.has(index)) {
        e = expa(labels.len() + 1, size(index, ranges)?, e);
        labels.push(index);
    }
    for q in (0..labels.len()).rev() {
        if !target.contains(&labels[q]) {
            labels.remove(q);
            e = Expr::new(Kind::Reduce(op, Placed::unplaced(q + 1), Box::new(e)));
        }
    }
    arranged(Part { e, labels }, target, ranges)
}

/// The product of all factors, in which names may stand several times.
fn product<'k>(value: &'k Value, ranges: &Ranges) -> Result<Part<'k>, String> {
    let factors = match value {
        Value::Product(factors) => factors.as_slice(),
        value => std::slice::from_ref(value),
    };
    let mut whole: Option<Part<'k>> = None;
    for factor in factors {
        let next = match factor {
            Value::Read(access) => read(access)?,
            factor => part(factor, ranges)?,
        };
        whole = Some(match whole {
            None => next,
            Some(before) => Part {
                e: prod(before.e, next.e),
                labels: before.labels.into_iter().chain(next.labels).collect(),
            },
        });
    }
    whole.ok_or("it has no factors".to_owned())
}

fn read(access: &Access) -> Result<Part<'_>, String> {
    let mut e = Expr::name(&access.tensor.value);
    for (dimension, index) in access.indices.iter().enumerate().rev() {
        match (index.plain(), index.terms.as_slice(), u64::try_from(index.constant)) {
            (Some(_), ..) => {}
            (None, [], Ok(constant)) if index.sizes.is_empty() => {
                e = proj(dimension + 1, Size::Number(constant + 1), e)
            }
            _ => return Err(format!("it reads at `{}`", index.text())),
        }
    }
    Ok(Part { e, labels: access.indices.iter().filter_map(|index| index.plain()).collect() })
}

/// A value in which every name stands once.
fn part<'k>(value: &'k Value, ranges: &Ranges) -> Result<Part<'k>, String> {
    match value {
        Value::Number(text) => Ok(Part { e: Expr::new(Kind::Number(text.clone())), labels: vec![] }),
        Value::Read(_) | Value::Product(_) => {
            let Part { mut e, mut labels } = product(value, ranges)?;
            while let Some((p, q)) = last_pair(&labels) {
                labels.remove(q);
                e = diag(p + 1, q + 1, e);
            }
            Ok(Part { e, labels })
        }
        Value::Apply(f, of) => {
            let Part { e, labels } = part(of, ranges)?;
            Ok(Part { e: Expr::new(Kind::Apply(*f, Box::new(e))), labels })
        }
        Value::Two(op, both) => {
            let (labels, mut parts) = alike(both.iter(), ranges)?;
            let (b, a) = (parts.pop(), parts.pop());
            let (a, b) = a.zip(b).ok_or("it lacks an operand")?;
            Ok(Part { e: pointwise(*op, a, b), labels })
        }
        Value::Sum(terms, _) => {
            let (labels, parts) = alike(terms.iter().map(|(_, term)| term), ranges)?;
            let signs = terms.iter().map(|(negative, _)| *negative);
            let sum = signs.zip(parts).fold(None, |sum, (sign, term)| Some(with_term(sum, sign, term)));
            Ok(Part { e: sum.ok_or("it has no terms")?, labels })
        }
    }
}

/// Values with the dimensions of all of them, in the order in which they are named.
fn alike<'k>(
    values: impl Iterator<Item = &'k Value>,
    ranges: &Ranges,
) -> Result<(Vec<&'k str>, Vec<Expr>), String> {
    let parts = values.map(|value| part(value, ranges)).collect::<Result<Vec<_>, _>>()?;
    let mut labels: Vec<&str> = Vec::new();
    for label in parts.iter().flat_map(|part| &part.labels) {
        if !labels.contains(label) {
            labels.push(label);
        }
    }
    let parts = parts.into_iter().map(|part| arranged(part, &labels, ranges));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    Ok((labels, parts))
}

/// Something, all of whose dimensions are among these, with all of these in this order.
fn arranged(part: Part<'_>, target: &[&str], ranges: &Ranges) -> Result<Expr, String> {
    let Part { mut e, mut labels } = part;
    let kept: Vec<&str> = target.iter().copied().filter(|label| labels.contains(label)).collect();
    for (at, label) in kept.iter().enumerate() {
        if let Some(from) = labels.iter().position(|known| known == label) {
            e = transp(at + 1, from + 1, e);
            labels.swap(at, from);
        }
    }
    for (at, label) in target.iter().enumerate() {
        if !kept.contains(label) {
            e = expa(at + 1, size(label, ranges)?, e);
        }
    }
    Ok(e)
}

fn size(index: &str, ranges: &Ranges) -> Result<Size, String> {
    ranges.size(index).cloned().ok_or(format!("nothing says how far `{index}` runs"))
}

/// The last position whose label stands before it, too, and where.
fn last_pair(labels: &[&str]) -> Option<(usize, usize)> {
    (0..labels.len()).rev().find_map(|q| Some((labels[..q].iter().position(|label| *label == labels[q])?, q)))
}
