//! Expressions at indices, as terms of a program.

use super::{Nest, Writer};
use crate::language::{Function, Kind, Pointwise, Reduction, Size};
use crate::typing::{Statement, Typed};

/// The sums that a term stands directly in: their nest, and whether a product is between.
#[derive(Clone, Copy)]
struct Under {
    nest: Option<usize>,
    product: bool,
}

/// Whether something is all of a statement's right side or one of several in a stack.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    OfStack,
}

const OUTSIDE: Under = Under { nest: None, product: false };

impl Writer<'_, '_> {
    /// A statement's right side.
    pub(super) fn value(&mut self, statement: &Statement<'_>) -> String {
        let value = &statement.value;
        self.bare = !reads_anything(value);
        self.kept.clear();
        if let Kind::Name(name) = &value.expr.kind {
            return self.names.value(name);
        }
        if let Kind::Stack(_) = &value.expr.kind {
            let parts: Vec<String> =
                value.operands.iter().map(|part| self.generated(part, Part::OfStack)).collect();
            return parts.join(" ++ ");
        }
        self.generated(value, Part::Whole)
    }

    /// All of an expression, with one more dimension in front if it is part of a stack.
    fn generated(&mut self, value: &Typed<'_>, part: Part) -> String {
        let front = (part == Part::OfStack).then(|| format!("{} < 1", self.names.index()));
        let indices: Vec<String> = value.shape.iter().map(|_| self.names.index()).collect();
        self.kept = indices.iter().cloned().zip(value.shape.iter().cloned()).collect();
        let element = self.term(value, &indices, OUTSIDE);
        let binders = indices.iter().zip(&value.shape).map(|(i, n)| format!("{i} < {n}"));
        let binders: Vec<String> = front.into_iter().chain(binders).collect();
        if binders.is_empty() {
            return element;
        }
        format!("gen {} {{ {element} }}", binders.join(", "))
    }

    /// The element at these indices.
    fn term(&mut self, typed: &Typed<'_>, at: &[String], under: Under) -> String {
        let operand = |k: usize| &typed.operands[k];
        match &typed.expr.kind {
            Kind::Name(name) => {
                self.factor(under);
                let value = self.names.value(name);
                self.read.push(value.clone());
                if let Some(nest) = under.nest {
                    if self.allocated.contains(name) {
                        self.nests[nest].reads.push(name.clone());
                    }
                    self.nests[nest].accesses.push((value.clone(), at.to_vec()));
                }
                let name = value;
                if at.is_empty() { name } else { format!("{name}[{}]", at.join(", ")) }
            }
            Kind::Number(text) => {
                self.factor(under);
                // A whole number that is no integer of the machine is a float.
                let is_large = text.bytes().all(|c| c.is_ascii_digit()) && text.parse::<i64>().is_err();
                let text = if is_large { format!("{text}e0") } else { text.clone() };
                match self.bare {
                    true => format!("{}({text})", self.result.element.name()),
                    false => text,
                }
            }
            Kind::Pointwise(op, ..) => {
                self.factor(under);
                let a = self.term(operand(0), at, OUTSIDE);
                let b = self.term(operand(1), at, OUTSIDE);
                match op {
                    Pointwise::Add => format!("({a} + {b})"),
                    Pointwise::Sub => format!("({a} - {b})"),
                    Pointwise::Div => format!("({a} / {b})"),
                    Pointwise::Min => format!("min({a}, {b})"),
                    Pointwise::Max => format!("max({a}, {b})"),
                }
            }
            Kind::Mul(..) | Kind::Prod(..) => {
                let of_first = operand(0).rank();
                let (left, right) = match typed.expr.kind {
                    Kind::Prod(..) => at.split_at(of_first),
                    _ if of_first == 0 => (&at[..0], at),
                    _ => (at, at),
                };
                let under = Under { product: true, ..under };
                let a = self.term(operand(0), left, under);
                let b = self.term(operand(1), right, under);
                format!("({a} * {b})")
            }
            Kind::Reduce(op, i, _) => {
                let at = |index: &str| inserted(at, i.value, index);
                self.reduction(*op, operand(0), &operand(0).shape[i.value - 1], &at, under)
            }
            Kind::Contr(i, j, _) => {
                let at = |index: &str| inserted(&inserted(at, i.value, index), j.value, index);
                self.reduction(Reduction::Sum, operand(0), &operand(0).shape[i.value - 1], &at, under)
            }
            Kind::Transp(i, j, _) => {
                let mut at = at.to_vec();
                at.swap(i.value - 1, j.value - 1);
                self.term(operand(0), &at, under)
            }
            Kind::Diag(i, j, _) => self.term(operand(0), &inserted(at, j.value, &at[i.value - 1]), under),
            Kind::Expa(i, ..) => {
                let mut at = at.to_vec();
                at.remove(i.value - 1);
                self.term(operand(0), &at, under)
            }
            Kind::Proj(i, m, _) => {
                let index = match &m.value {
                    Size::Number(m) => (m - 1).to_string(),
                    Size::Variable(m) => format!("{m} - 1"),
                };
                self.term(operand(0), &inserted(at, i.value, &index), under)
            }
            Kind::Stack(_) => {
                self.factor(under);
                let (first, rest) = (&at[0], &at[1..]);
                let parts = typed.operands.iter().map(|part| self.term(part, rest, OUTSIDE));
                let mut parts = parts.collect::<Vec<String>>().into_iter().enumerate().rev();
                let last = parts.next().map_or(String::new(), |(_, part)| part);
                parts.fold(last, |others, (k, part)| format!("select({first} == {k}, {part}, {others})"))
            }
            Kind::Apply(f, _) => {
                self.factor(under);
                let e = self.term(operand(0), at, OUTSIDE);
                match f {
                    Function::Neg => format!("(-{e})"),
                    Function::Recip => format!("(1 / {e})"),
                    _ => format!("{}({e})", f.word()),
                }
            }
        }
    }

    /// A reduction of an operand that is read at these indices.
    fn reduction(
        &mut self,
        op: Reduction,
        operand: &Typed<'_>,
        size: &Size,
        at: &dyn Fn(&str) -> Vec<String>,
        under: Under,
    ) -> String {
        let index = self.names.index();
        let word = match op {
            Reduction::Sum => "sum",
            Reduction::Product => "prod",
            Reduction::Min => "min",
            Reduction::Max => "max",
        };
        let inner = match (op, under) {
            (Reduction::Sum, Under { nest: Some(nest), product: false }) => {
                self.nests[nest].sums.push(index.clone());
                self.nests[nest].ranges.push(size.clone());
                under
            }
            (Reduction::Sum, _) => {
                self.factor(under);
                let (sums, ranges) = (vec![index.clone()], vec![size.clone()]);
                self.nests.push(Nest { kept: self.kept.clone(), sums, ranges, ..Nest::default() });
                Under { nest: Some(self.nests.len() - 1), product: false }
            }
            _ => {
                self.factor(under);
                OUTSIDE
            }
        };
        let e = self.term(operand, &at(&index), inner);
        if let Some(nest) = inner.nest.filter(|_| !mentions(&e, &index)) {
            self.nests[nest].equal.push(index.clone());
        }
        format!("({word} {index} < {size} {{ {e} }})")
    }

    /// Counts a factor of the product in a nest of sums.
    fn factor(&mut self, under: Under) {
        if let Some(nest) = under.nest {
            self.nests[nest].factors += 1;
        }
    }
}

/// Whether an expression reads a tensor, by which its numbers have a type.
fn reads_anything(typed: &Typed<'_>) -> bool {
    matches!(typed.expr.kind, Kind::Name(_)) || typed.operands.iter().any(reads_anything)
}

/// Whether a term has this index, whose name nothing else has.
fn mentions(term: &str, index: &str) -> bool {
    term.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == index)
}

/// A list with an entry at this position, from 1.
fn inserted(at: &[String], position: usize, index: &str) -> Vec<String> {
    let mut at = at.to_vec();
    at.insert(position - 1, index.to_owned());
    at
}
