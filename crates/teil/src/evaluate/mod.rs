//! What TeIL means, executable: the denotation of each expression at an index list, over memory that traps.
//!
//! The one idea: an expression's value is a function of indices, so nothing is stored but what statements
//! assign, and an access outside of a tensor shows as what it is. Slow and plain; that well-typed programs
//! never trap, and that what is compiled computes the same, are properties that tests hold against this.

mod elements;
mod memory;

use crate::language::{Kind, Reduction, Size};
use crate::typing::{Checked, Typed, declared};
use std::collections::BTreeMap;

pub use elements::Element;
pub use memory::{Contents, Memory, Trap, indices};

/// The values of size variables.
pub type Values = BTreeMap<String, u64>;

/// The number that a size is; 0 for a variable without a value.
pub fn number(size: &Size, values: &Values) -> u64 {
    match size {
        Size::Number(n) => *n,
        Size::Variable(name) => values.get(name).copied().unwrap_or(0),
    }
}

/// Runs a program: changes memory, in which every tensor that is declared has contents of its shape.
///
/// # Errors
/// A trap. A well-typed program in such a memory has none.
pub fn run<T: Element>(checked: &Checked<'_>, values: &Values, memory: &mut Memory<T>) -> Result<(), Trap> {
    for statement in &checked.statements {
        let shape: Vec<u64> = declared(statement.target).iter().map(|size| number(size, values)).collect();
        // Every element has its value before the first is changed: the right side may read the target.
        let at = indices(&shape);
        let elements = at.iter().map(|at| element(&statement.value, values, memory, at));
        let elements = elements.collect::<Result<Vec<T>, Trap>>()?;
        for (at, value) in at.iter().zip(elements) {
            memory.write(&statement.target.name.value, at, value)?;
        }
    }
    Ok(())
}

/// The element of an expression at these indices, which are from 1.
pub fn element<T: Element>(
    typed: &Typed<'_>,
    values: &Values,
    memory: &Memory<T>,
    at: &[u64],
) -> Result<T, Trap> {
    let of = |k: usize, at: &[u64]| element(&typed.operands[k], values, memory, at);
    match &typed.expr.kind {
        Kind::Name(name) => memory.read(name, at),
        Kind::Number(text) => T::number(text).ok_or_else(|| Trap { tensor: text.clone(), at: at.to_vec() }),
        Kind::Pointwise(op, ..) => Ok(T::pointwise(*op, of(0, at)?, of(1, at)?)),
        Kind::Mul(..) if typed.operands[0].rank() == 0 => Ok(of(0, &[])?.mul(of(1, at)?)),
        Kind::Mul(..) => Ok(of(0, at)?.mul(of(1, at)?)),
        Kind::Prod(..) => {
            let (left, right) = at.split_at(typed.operands[0].rank());
            Ok(of(0, left)?.mul(of(1, right)?))
        }
        Kind::Reduce(op, i, _) => {
            let n = number(&typed.operands[0].shape[i.value - 1], values);
            (1..=n).try_fold(T::unit(*op), |so_far, m| {
                Ok(T::reduce(*op, so_far, of(0, &inserted(at, i.value, m))?))
            })
        }
        Kind::Transp(i, j, _) => {
            let mut at = at.to_vec();
            at.swap(i.value - 1, j.value - 1);
            of(0, &at)
        }
        Kind::Diag(i, j, _) => of(0, &inserted(at, j.value, at[i.value - 1])),
        Kind::Contr(i, j, _) => {
            let n = number(&typed.operands[0].shape[i.value - 1], values);
            (1..=n).try_fold(T::unit(Reduction::Sum), |so_far, m| {
                let at = inserted(&inserted(at, i.value, m), j.value, m);
                Ok(T::reduce(Reduction::Sum, so_far, of(0, &at)?))
            })
        }
        Kind::Expa(i, ..) => {
            let mut at = at.to_vec();
            at.remove(i.value - 1);
            of(0, &at)
        }
        Kind::Proj(i, m, _) => of(0, &inserted(at, i.value, number(&m.value, values))),
        Kind::Apply(f, _) => Ok(T::apply(*f, of(0, at)?)),
        Kind::Stack(all) => match at.split_first() {
            Some((k, at)) if (1..=all.len() as u64).contains(k) => of(*k as usize - 1, at),
            _ => Err(Trap { tensor: "stack".to_owned(), at: at.to_vec() }),
        },
    }
}

/// A list with an entry at this position, from 1.
fn inserted(at: &[u64], position: usize, index: u64) -> Vec<u64> {
    let mut at = at.to_vec();
    at.insert(position - 1, index);
    at
}
