//! Contraction lifting: the schedule by which nested contractions become single ones, in the cheapest order.
//!
//! The one idea: it is no rewriting of TeIL, but steps whose theorems the kernel has. The contractions that
//! are factors of another are put back into it, sums leave products by distributivity, and `contract` takes
//! the cheapest order of all of them, which is exact over any semiring and reassociates floats. So
//! `(A ⊗ B ⊗ C) u` takes `3 n^4` products and not `n^6`, and `(A B) x` `2 n^2`. Sums, quotients and functions
//! between contractions are barriers. Where nothing is gained nothing is done.
//!
//! A sum of equal terms, `red+ i (expa i n e)`, is `e` times the number of terms, which is the size.

use super::{Names, Nest, Writer};
use crate::language::{Kind, Reduction};
use crate::typing::{Statement, Typed};

/// The schedule's name.
pub const SCHEDULE: &str = "lifted";

/// What a nest of sums becomes when the contractions among its factors are put into it.
struct Merged<'n> {
    nest: &'n Nest,
    /// The `let`s that are put into it, those that read others first.
    inlined: Vec<&'n Nest>,
}

impl Writer<'_, '_> {
    /// The schedule, if a nest of sums may gain by it.
    pub(super) fn schedule(&self) -> Option<String> {
        let merged: Vec<Merged<'_>> =
            self.nests.iter().filter(|nest| !self.is_inlined(nest)).map(|nest| self.merged(nest)).collect();
        let mut names = self.names.clone();
        let steps: String = merged.iter().filter_map(|merged| merged.steps(&mut names)).collect();
        let name = &self.result.name.value;
        (!steps.is_empty())
            .then(|| format!("schedule {SCHEDULE} of {name} {{\nrounding real;\n{steps}}}\n\n"))
    }

    /// Whether a nest is that of a `let` which is put into another nest.
    fn is_inlined(&self, nest: &Nest) -> bool {
        nest.within
            .as_ref()
            .is_some_and(|of| nest.is_all && self.nests.iter().any(|other| other.reads.contains(of)))
    }

    fn merged<'n>(&'n self, nest: &'n Nest) -> Merged<'n> {
        let mut inlined: Vec<&Nest> = Vec::new();
        let mut open: Vec<&Nest> = vec![nest];
        while let Some(nest) = open.pop() {
            let below =
                |read: &String| self.nests.iter().find(|n| n.is_all && n.within.as_ref() == Some(read));
            let found: Vec<&Nest> = nest.reads.iter().filter_map(below).collect();
            inlined.extend(&found);
            open.extend(found);
        }
        Merged { nest, inlined }
    }
}

impl Merged<'_> {
    /// The steps for this nest: equal terms are counted, and what is left is contracted.
    fn steps(&self, names: &mut Names) -> Option<String> {
        let equal = std::iter::once(self.nest).chain(self.inlined.iter().copied()).flat_map(|n| &n.equal);
        let counted = |sum: &String| {
            let count = names.fresh("count");
            format!(
                "try {{\nfactor {sum} as {count};\ntry {{ rw sum_of_mul everywhere; }}\ntry {{ rw sum_of_equal everywhere; }}\n}}\n"
            )
        };
        let steps = equal.map(counted).collect::<String>() + &self.contracted().unwrap_or_default();
        (!steps.is_empty()).then_some(steps)
    }

    /// The steps that contract it, if it has sums and factors enough for a choice.
    fn contracted(&self) -> Option<String> {
        let proper = |n: &Nest| n.sums.len() - n.equal.len();
        let sums: usize = proper(self.nest) + self.inlined.iter().map(|n| proper(n)).sum::<usize>();
        let factors = self.nest.factors + self.inlined.iter().map(|n| n.factors - 1).sum::<usize>();
        if sums < 2 || factors < 3 {
            return None;
        }
        let top = self.nest.sums.iter().find(|sum| !self.nest.equal.contains(sum))?;
        let names: Vec<&str> = self.inlined.iter().filter_map(|n| n.within.as_deref()).collect();
        let flattened: String = match names.is_empty() {
            true => String::new(),
            false => {
                let inlined: String = names.iter().map(|name| format!("inline {name};\n")).collect();
                format!(
                    "{inlined}simplify;\nrepeat {{ first_of {{ rw mul_sum_l everywhere; }} or {{ rw mul_sum_r everywhere; }} }}\n"
                )
            }
        };
        Some(format!("try {{\n{flattened}contract {top};\n}}\n"))
    }
}

/// Whether a statement is nothing but a sum, read at other places.
pub(super) fn is_sum(statement: &Statement<'_>) -> bool {
    fn is_sum(typed: &Typed<'_>) -> bool {
        match &typed.expr.kind {
            Kind::Reduce(op, ..) => *op == Reduction::Sum,
            Kind::Contr(..) => true,
            Kind::Transp(..) | Kind::Diag(..) | Kind::Proj(..) | Kind::Expa(..) => is_sum(&typed.operands[0]),
            _ => false,
        }
    }
    is_sum(&statement.value)
}
