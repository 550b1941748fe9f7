//! A requirement that does not hold, in words: the point, and what the arrays hold there.

use super::program::Stray;
use super::{ForAll, Integers};
use crate::{Bool, Int, Name};
use std::collections::BTreeMap;
use std::fmt;

/// A requirement on arrays that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmet {
    /// Which of the kernel's it is.
    pub requirement: usize,
    /// What does not hold, or which range has no value.
    pub text: String,
    /// The values of its variables, so far as they matter.
    pub binding: Vec<(Name, i64)>,
    /// What was found in arrays there, and the sizes that are mentioned, each by its text, in the order of evaluation.
    pub terms: Vec<(String, Found)>,
}

/// What a term is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// This number.
    Is(i64),
    /// Not there: the array has so many cells.
    Outside {
        /// How many.
        cells: usize,
    },
    /// Outside 64 bits.
    TooLarge,
}

impl Unmet {
    pub(super) fn new(
        position: usize,
        requirement: &ForAll,
        Stray(values): &Stray,
        sizes: &[(&Name, i64)],
        inputs: &BTreeMap<Name, Integers<'_>>,
    ) -> Unmet {
        let names = requirement.binders.iter().map(|(name, ..)| name.clone());
        let binding: Vec<(Name, i64)> = names.zip(values.iter().copied()).collect();
        let mut walk = Walk { sizes, binding: &binding, inputs, terms: Vec::new() };
        let text = match requirement.binders.get(values.len()) {
            Some((name, lo, hi)) => {
                // The first bound that has no value is the last that is looked at.
                let _ = walk.int(lo).and_then(|_| walk.int(hi));
                format!("{name} in {lo}..{hi}")
            }
            None => {
                let _ = walk.bool(&requirement.cond);
                requirement.cond.to_string()
            }
        };
        let terms = walk.terms;
        Unmet { requirement: position, text, binding, terms }
    }
}

/// An evaluation that notes what it finds.
struct Walk<'a> {
    sizes: &'a [(&'a Name, i64)],
    binding: &'a [(Name, i64)],
    inputs: &'a BTreeMap<Name, Integers<'a>>,
    terms: Vec<(String, Found)>,
}

impl Walk<'_> {
    fn note(&mut self, text: String, found: Found) -> Option<i64> {
        if !self.terms.iter().any(|(known, _)| *known == text) {
            self.terms.push((text, found));
        }
        if let Found::Is(value) = found { Some(value) } else { None }
    }

    fn int(&mut self, int: &Int) -> Option<i64> {
        match int {
            Int::Lit(value) => Some(*value),
            Int::Var(name) => match self.binding.iter().find(|(known, _)| known == name) {
                Some((_, value)) => Some(*value),
                None => {
                    let value = self.sizes.iter().find(|(known, _)| *known == name).map_or(0, |(_, n)| *n);
                    self.note(name.to_string(), Found::Is(value))
                }
            },
            Int::Bin(op, a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                op.apply(a, b).or_else(|| self.note(int.to_string(), Found::TooLarge))
            }
            Int::Load(buf, cell) => {
                let cell = self.int(cell)?;
                let array = self.inputs.get(buf).copied().unwrap_or(Integers::I64(&[]));
                let found = array.at(cell).map_or(Found::Outside { cells: array.len() }, Found::Is);
                self.note(format!("{buf}[{cell}]"), found)
            }
        }
    }

    fn bool(&mut self, bool: &Bool) -> Option<bool> {
        Some(match bool {
            Bool::Lit(value) => *value,
            Bool::Cmp(op, a, b) => op.apply(&self.int(a)?, &self.int(b)?),
            Bool::And(a, b) => self.bool(a)? && self.bool(b)?,
            Bool::Or(a, b) => self.bool(a)? || self.bool(b)?,
            Bool::Not(a) => !self.bool(a)?,
        })
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::Is(value) => write!(f, "= {value}"),
            Found::Outside { cells } => write!(f, "is out of range: there are {cells} cells"),
            Found::TooLarge => f.write_str("is outside 64 bits"),
        }
    }
}

impl Unmet {
    /// The point: `i = 3, p = 17`.
    pub fn point(&self) -> String {
        let parts: Vec<String> =
            self.binding.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        parts.join(", ")
    }

    /// What was found there: `crd[17] = 40, N = 40`.
    pub fn findings(&self) -> String {
        let parts: Vec<String> = self.terms.iter().map(|(text, found)| format!("{text} {found}")).collect();
        parts.join(", ")
    }
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` does not hold", self.text)?;
        if !self.binding.is_empty() {
            write!(f, " for {}", self.point())?;
        }
        if !self.terms.is_empty() {
            write!(f, ": {}", self.findings())?;
        }
        Ok(())
    }
}
