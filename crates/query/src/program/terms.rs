//! Conditions and values as text of a program.
//!
//! A condition of integers is one of indices, and stands in a bracket. One that depends on floating-point
//! numbers, or on a choice, is a value, by which `select` chooses. Texts are compared by their codes.

use super::{Mode, Role, Writer};
use crate::query::{Comparison, Condition, Scalar};
use crate::sql::unsupported;
use crate::table::{Type, Value, Values, power};
use crate::text::Refusal;
use atl_diag::Span;

impl Writer<'_> {
    pub(super) fn condition(&mut self, condition: &Condition, mode: Mode) -> Result<String, Refusal> {
        let join = |writer: &mut Self, parts: &[Condition], word: &str| {
            let parts = parts.iter().map(|part| writer.condition(part, mode));
            let parts = parts.collect::<Result<Vec<String>, Refusal>>()?;
            Ok(match parts.as_slice() {
                [] => if word == "&&" { "true" } else { "false" }.to_owned(),
                [one] => one.clone(),
                _ => balanced(&parts, word),
            })
        };
        match condition {
            Condition::And(parts) => join(self, parts, "&&"),
            Condition::Or(parts) => join(self, parts, "||"),
            Condition::Not(inner) => Ok(format!("!({})", self.condition(inner, mode)?)),
            Condition::Like(of, pattern) => {
                let size = self.text_size(*of);
                let code = self.code(&Role::Raw(*of), of.source, &size);
                Ok(format!("{}[{code}]", self.param(&Role::Like(*of, pattern.clone()))))
            }
            Condition::Among(of, values) => {
                let (role, size) = match self.values(*of) {
                    Values::Text(..) => (Role::Raw(*of), self.text_size(*of)),
                    _ => (Role::Group(*of), self.value_count(*of)),
                };
                let code = self.code(&role, of.source, &size);
                Ok(format!("{}[{code}]", self.param(&Role::Among(*of, values.clone()))))
            }
            Condition::Compare(comparison, a, b) => self.compare(*comparison, a, b, mode),
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        a: &Scalar,
        b: &Scalar,
        mode: Mode,
    ) -> Result<String, Refusal> {
        let flipped = match comparison {
            Comparison::Eq | Comparison::Ne => comparison,
            Comparison::Lt => Comparison::Gt,
            Comparison::Le => Comparison::Ge,
            Comparison::Gt => Comparison::Lt,
            Comparison::Ge => Comparison::Le,
        };
        let truth = |holds: bool| Ok(if holds { "true" } else { "false" }.to_owned());
        match (a, b) {
            (Scalar::Constant(a, _), Scalar::Constant(b, _)) => truth(comparison.holds(a.compare(b))),
            (Scalar::Constant(..), _) => self.compare(flipped, b, a, mode),
            // The codes of a column's texts are in their order.
            (Scalar::Column(of, Type::Text), Scalar::Constant(Value::Text(text), _)) => {
                let (below, is_there) = match self.values(*of) {
                    Values::Text(dictionary, _) => {
                        let below = dictionary.partition_point(|other| other < text);
                        (below, dictionary.get(below).is_some_and(|found| found == text))
                    }
                    _ => (0, false),
                };
                let read = self.read(&Role::Raw(*of), of.source);
                let after = below + usize::from(is_there);
                match comparison {
                    Comparison::Eq if is_there => Ok(format!("{read} == {below}")),
                    Comparison::Ne if is_there => Ok(format!("{read} != {below}")),
                    Comparison::Eq => truth(false),
                    Comparison::Ne => truth(true),
                    Comparison::Lt => Ok(format!("{read} < {below}")),
                    Comparison::Le => Ok(format!("{read} < {after}")),
                    Comparison::Gt => Ok(format!("{read} >= {after}")),
                    Comparison::Ge => Ok(format!("{read} >= {below}")),
                }
            }
            (Scalar::Column(a, Type::Text), Scalar::Column(b, Type::Text)) => {
                let (a, b) = (self.read(&Role::Key(*a), a.source), self.read(&Role::Key(*b), b.source));
                Ok(format!("{a} {} {b}", sign(comparison)))
            }
            _ => {
                let (a, b) = (self.scalar(a, mode)?, self.scalar(b, mode)?);
                Ok(format!("{a} {} {b}", sign(comparison)))
            }
        }
    }

    pub(super) fn scalar(&mut self, scalar: &Scalar, mode: Mode) -> Result<String, Refusal> {
        Ok(match scalar {
            Scalar::Column(of, _) => self.read(&Role::Raw(*of), of.source),
            Scalar::Constant(value, ty) => match value {
                Value::Decimal(value, _) => signed(*value),
                Value::Date(days) => signed(i128::from(*days)),
                Value::Float(value) => signed_float(*value),
                Value::Int(_) | Value::Text(_) | Value::Null => {
                    return Err(unsupported(Span::default(), &format!("a {ty} here")));
                }
            },
            Scalar::Convert(inner, ty) => {
                let (text, from) = (self.scalar(inner, mode)?, inner.ty().scale().unwrap_or(0));
                match ty.scale() {
                    Some(to) => {
                        let power = power(to.saturating_sub(from)).unwrap_or(1);
                        if power == 1 { text } else { format!("({text} * {power})") }
                    }
                    None if from == 0 => format!("f64({text})"),
                    None => format!("(f64({text}) / {}.0)", power(from).unwrap_or(1)),
                }
            }
            Scalar::Binary(operation, a, b, _) => {
                let sign = operation.sign();
                // Days are 32-bit integers, and what is between two of them is a number.
                let mut term = |part: &Scalar| -> Result<String, Refusal> {
                    let text = self.scalar(part, mode)?;
                    let is_day = mode == Mode::Value && part.ty() == Type::Date;
                    Ok(if is_day { format!("i64({text})") } else { text })
                };
                format!("({} {sign} {})", term(a)?, term(b)?)
            }
            Scalar::Part(part, of) => {
                let (code, least) = self.part(*part, *of);
                match mode {
                    Mode::Index => format!("({code} + {least})"),
                    Mode::Value => format!("(i64({code}) + {least})"),
                }
            }
            Scalar::Case(condition, a, b, _) => {
                let condition = self.condition(condition, Mode::Value)?;
                let (first, second) = (self.scalar(a, mode)?, self.scalar(b, mode)?);
                // Of two literals nothing else says the type.
                match (&**a, &**b) {
                    (Scalar::Constant(_, ty), Scalar::Constant(..)) if ty.scale().is_some() => {
                        format!("select({condition}, i64({first}), {second})")
                    }
                    _ => format!("select({condition}, {first}, {second})"),
                }
            }
        })
    }
}

/// Many conditions in a tree that is as flat as it can be: a chain would nest as deep as it is long.
pub(super) fn balanced(parts: &[String], word: &str) -> String {
    match parts.len() {
        0..=8 => format!("({})", parts.join(&format!(" {word} "))),
        many => {
            let (first, second) = parts.split_at(many / 2);
            format!("({} {word} {})", balanced(first, word), balanced(second, word))
        }
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => "==",
        Comparison::Ne => "!=",
        Comparison::Lt => "<",
        Comparison::Le => "<=",
        Comparison::Gt => ">",
        Comparison::Ge => ">=",
    }
}

fn signed(value: i128) -> String {
    if value < 0 { format!("({value})") } else { value.to_string() }
}

fn signed_float(value: f64) -> String {
    if value < 0.0 { format!("({value:?})") } else { format!("{value:?}") }
}

/// Does a condition depend on floating-point numbers, or on a choice?
pub(super) fn of_values(condition: &Condition) -> bool {
    fn is_value(scalar: &Scalar) -> bool {
        scalar.ty() == Type::Float
            || match scalar {
                Scalar::Case(..) => true,
                Scalar::Binary(_, a, b, _) => is_value(a) || is_value(b),
                Scalar::Convert(inner, _) => is_value(inner),
                Scalar::Column(..) | Scalar::Constant(..) | Scalar::Part(..) => false,
            }
    }
    match condition {
        Condition::Compare(_, a, b) => is_value(a) || is_value(b),
        Condition::Like(..) | Condition::Among(..) => false,
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(of_values),
        Condition::Not(inner) => of_values(inner),
    }
}
