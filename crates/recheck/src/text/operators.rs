//! Operators: of index terms, of values, of conditions, and of masks.

use super::reader::Reader;
use super::typed::{Bits, Type, Typed};
use super::values::{Cond, CondNode, Val, bits, is_half, is_signed, range};
use super::{Read, outside};
use crate::prelude::*;

/// The type in which C computes with an integer.
pub(super) fn promoted(scalar: Scalar) -> Scalar {
    if bits(scalar) < 32 { Scalar::I32 } else { scalar }
}

/// The type in which C computes with integers of these two.
pub(super) fn common(a: Scalar, b: Scalar) -> Scalar {
    let (a, b) = (promoted(a), promoted(b));
    match bits(a).cmp(&bits(b)) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Equal if is_signed(a) => b,
        std::cmp::Ordering::Equal => a,
    }
}

/// The same, if that changes no number of either.
pub(super) fn kept(a: &Typed, b: &Typed) -> Option<Scalar> {
    let ty = common(a.scalar(), b.scalar());
    let keeps = |typed: &Typed| match typed.number {
        Some(number) => is_signed(ty) || number >= 0,
        None => is_signed(ty) || !is_signed(typed.scalar()),
    };
    (keeps(a) && keeps(b)).then_some(ty)
}

impl Reader<'_> {
    pub(super) fn unary(&self, line: u64, operator: &str, operand: &Typed) -> Read<Typed> {
        let values = &self.values;
        match (operator, operand) {
            ("!", Typed { ty: Type::Number(_), .. }) => {
                let condition = self.as_condition(operand)?;
                let mut typed = Typed::of(line, Type::Number(Scalar::I32));
                typed.condition = Some(values.not(condition)?);
                if let Some(value) = operand.value.filter(|value| values.scalar(*value) == Scalar::Bool) {
                    typed.value = Some(values.operation(Function::Not, Scalar::Bool, vec![value])?);
                }
                Ok(typed)
            }
            ("~", Typed { mask: Some((condition, _)), ty, .. }) => {
                Ok(Typed { mask: Some((values.not(*condition)?, Bits::Wild)), ..Typed::of(line, *ty) })
            }
            ("-", Typed { number: Some(number), .. })
                if matches!(operand.scalar(), Scalar::I32 | Scalar::I64)
                    && range(operand.scalar()).is_some_and(|(_, greatest)| -number <= greatest) =>
            {
                self.constant(line, operand.scalar(), -number)
            }
            ("-", Typed { value: Some(value), ty, .. }) if operand.scalar().is_float() => {
                let value = values.operation(Function::Neg, values.scalar(*value), vec![*value])?;
                Ok(Typed::valued(line, *ty, value))
            }
            _ => outside(line, format!("the operator `{operator}` here")),
        }
    }

    pub(super) fn binary(&self, line: u64, operator: &str, a: &Typed, b: &Typed) -> Read<Typed> {
        if matches!(operator, "&&" | "||") {
            let (a, b) = (self.as_condition(a)?, self.as_condition(b)?);
            let both = if operator == "&&" { self.values.and(a, b)? } else { self.values.or(a, b)? };
            return Ok(Typed { condition: Some(both), ..Typed::of(line, Type::Number(Scalar::I32)) });
        }
        if a.mask.is_some() || b.mask.is_some() {
            return self.masks(line, operator, a, b);
        }
        if a.scalar().is_float() || b.scalar().is_float() {
            return self.floats(line, operator, a, b);
        }
        if a.is_vector() || b.is_vector() {
            return self.integer_lanes(line, operator, a, b);
        }
        self.integers(line, operator, a, b)
    }

    /// Numbers whose bits are lanes.
    fn masks(&self, line: u64, operator: &str, a: &Typed, b: &Typed) -> Read<Typed> {
        let side = |typed: &Typed| match (typed.mask, typed.number, self.lane) {
            (Some(mask), ..) => Ok(mask),
            (None, Some(number), Some((_, lanes))) if number == (1i128 << lanes) - 1 => {
                Ok((self.values.truth(true)?, Bits::Clean))
            }
            _ => outside(line, "a number that is no mask of the loop's lanes"),
        };
        let (p, q) = (side(a)?, side(b)?);
        // What a mask reads is not forgotten.
        let forgets = |mask: (Cond, Bits)| match self.values.cond_node(mask.0) {
            CondNode::True => operator != "&",
            CondNode::False => operator != "|",
            _ => false,
        };
        if self.condition_reads(q.0)? {
            return outside(line, "a mask that reads memory beside another");
        }
        if forgets(p) || forgets(q) {
            return outside(line, "a mask of all lanes or of none here");
        }
        let (condition, bits) = match operator {
            "&" => {
                let bits = match (p.1, q.1) {
                    (Bits::Clean, _) | (_, Bits::Clean) => Bits::Clean,
                    (Bits::Prefix, Bits::Prefix) => Bits::Prefix,
                    _ => Bits::Wild,
                };
                (self.values.and(p.0, q.0)?, bits)
            }
            "|" => {
                let bits = match (p.1, q.1) {
                    (Bits::Wild, _) | (_, Bits::Wild) => Bits::Wild,
                    (first, second) if first == second => first,
                    _ => Bits::Tame,
                };
                (self.values.or(p.0, q.0)?, bits)
            }
            "^" => {
                // `a <= b` and not `a < b`.
                let nodes = (self.values.cond_node(p.0), self.values.cond_node(q.0));
                let (CondNode::Positive(more), CondNode::Positive(less)) = nodes else {
                    return outside(line, "the operator `^` on these masks");
                };
                let one = self.values.op(IxOp::Add, less, self.values.store.literal(1)?)?;
                if !self.same(more, one)? {
                    return outside(line, "the operator `^` on these masks");
                }
                let zero = self.values.store.literal(0)?;
                (self.values.compare(Relation::Eq, less, zero)?, Bits::Wild)
            }
            _ => return outside(line, format!("the operator `{operator}` on masks")),
        };
        Ok(Typed { mask: Some((condition, bits)), ..Typed::of(line, Type::Number(Scalar::U64)) })
    }

    fn floats(&self, line: u64, operator: &str, a: &Typed, b: &Typed) -> Read<Typed> {
        let Some((scalar, x, y)) = self.pair(a, b)?.filter(|_| a.scalar() == b.scalar()) else {
            if let ("!=", Some(0), Some(x), Type::Number(_)) = (operator, b.number, a.value, a.ty) {
                let truth = self.values.convert(Scalar::Bool, x)?;
                return Ok(Typed::valued(line, Type::Number(Scalar::I32), truth));
            }
            return outside(line, "floats of different types");
        };
        let ty = if a.is_vector() { a.ty } else { b.ty };
        if let (Type::Vector(_, n), Type::Vector(_, m)) = (a.ty, b.ty)
            && n != m
        {
            return outside(line, "vectors of different types");
        }
        let function = match operator {
            "+" => Function::Add,
            "-" => Function::Sub,
            "*" => Function::Mul,
            "/" => Function::Div,
            _ if !matches!(ty, Type::Number(_)) => return outside(line, "a comparison of vectors"),
            _ => return self.comparison(line, operator, (scalar, x, y)),
        };
        Ok(Typed::valued(line, ty, self.values.operation(function, scalar, vec![x, y])?))
    }

    /// A comparison of values of one type.
    pub(super) fn comparison(
        &self,
        line: u64,
        operator: &str,
        (scalar, a, b): (Scalar, Val, Val),
    ) -> Read<Typed> {
        let values = &self.values;
        let compare = |function, a, b| values.operation(function, scalar, vec![a, b]);
        let value = match operator {
            "==" => compare(Function::Eq, a, b)?,
            "!=" => values.operation(Function::Not, Scalar::Bool, vec![compare(Function::Eq, a, b)?])?,
            "<" => compare(Function::Lt, a, b)?,
            "<=" => compare(Function::Le, a, b)?,
            ">" => compare(Function::Lt, b, a)?,
            ">=" => compare(Function::Le, b, a)?,
            _ => return outside(line, format!("the operator `{operator}` here")),
        };
        Ok(Typed::valued(line, Type::Number(Scalar::I32), value))
    }

    fn integers(&self, line: u64, operator: &str, a: &Typed, b: &Typed) -> Read<Typed> {
        let values = &self.values;
        // Floats of 16 bits are words here: one bit is the sign.
        if let (Some(value), Some(number)) =
            (a.value.filter(|value| is_half(values.scalar(*value)) && b.scalar() == Scalar::I32), b.number)
        {
            let function = match (operator, number) {
                ("^", 0x8000) => Function::Neg,
                ("&", 0x7fff) => Function::Abs,
                _ => return outside(line, "the bits of floats"),
            };
            let value = values.operation(function, values.scalar(value), vec![value])?;
            return Ok(Typed::valued(line, Type::Number(Scalar::I32), value));
        }
        if a.value.into_iter().chain(b.value).any(|value| values.scalar(value).is_float()) {
            return outside(line, "the bits of floats");
        }
        let ty = common(a.scalar(), b.scalar());
        let mut typed = Typed::of(line, Type::Number(ty));
        let both = a.index.zip(b.index);
        match operator {
            "+" | "-" | "*" if ty == Scalar::I64 => {
                let op = match operator {
                    "+" => IxOp::Add,
                    "-" => IxOp::Sub,
                    _ => IxOp::Mul,
                };
                if let Some((a, b)) = both {
                    typed.index = Some(self.keeping(line, op, [a, b])?);
                }
            }
            "+" | "-" | "*" if matches!(ty, Scalar::U32 | Scalar::U64) => {
                let function = match operator {
                    "+" => Function::Add,
                    "-" => Function::Sub,
                    _ => Function::Mul,
                };
                let side = |typed: &Typed| match (typed.value, typed.number) {
                    (Some(value), _) => values.convert(ty, value).map(Some),
                    (None, Some(number)) => values.number(ty, number),
                    _ => Ok(None),
                };
                if let Some((a, b)) = side(a)?.zip(side(b)?) {
                    typed.value = Some(values.operation(function, ty, vec![a, b])?);
                }
            }
            // Where nothing is negative, C rounds as the loops do.
            "/" | "%" if ty == Scalar::I64 => {
                let op = if operator == "/" { IxOp::Div } else { IxOp::Mod };
                let (Some((a, b)), Some(1..)) = (both, b.number) else {
                    return outside(line, "a quotient by a term that is not a positive constant");
                };
                if !self.is_nonnegative(a) {
                    return outside(line, "a quotient of what may be negative");
                }
                typed.index = Some(self.keeping(line, op, [a, b])?);
            }
            "&" | "|" | "^" => {
                let has_number = a.number.or(b.number).is_some();
                let Some((scalar, a, b)) = self.pair(a, b)? else {
                    return outside(line, "bits of numbers of different types");
                };
                // Both are computed, though one of them may decide.
                if scalar == Scalar::Bool && has_number {
                    return outside(line, "bits of a truth value and a number");
                }
                let function = match operator {
                    "&" if scalar == Scalar::Bool => Function::And,
                    "|" if scalar == Scalar::Bool => Function::Or,
                    "&" => Function::BitAnd,
                    "|" => Function::BitOr,
                    _ => Function::BitXor,
                };
                if ty != promoted(scalar) {
                    return outside(line, "bits of numbers of different types");
                }
                if scalar.is_float() || (scalar == Scalar::Bool && operator == "^") {
                    return outside(line, "a bit operation on values that are not integers");
                }
                typed.value = Some(values.operation(function, scalar, vec![a, b])?);
            }
            "==" | "!=" | "<" | "<=" | ">" | ">=" => return self.compared(line, operator, a, b),
            _ => {}
        }
        if typed.index.is_none() && typed.value.is_none() {
            return outside(line, format!("the operator `{operator}` on these types"));
        }
        Ok(typed)
    }

    /// A comparison of integers, in a type that has the numbers of both.
    fn compared(&self, line: u64, operator: &str, a: &Typed, b: &Typed) -> Read<Typed> {
        let values = &self.values;
        if kept(a, b).is_none() {
            return outside(line, "a comparison of numbers with a sign as numbers without");
        }
        let mut typed = Typed::of(line, Type::Number(Scalar::I32));
        if let Some(pair) = self.pair(a, b)? {
            typed = self.comparison(line, operator, pair)?;
        } else if let ("!=", Some(0), Some(value)) = (operator, b.number, a.value) {
            typed.value = Some(values.convert(Scalar::Bool, value)?);
        }
        if let (true, Some(0), Some(value)) = (operator == "!=", b.number, a.value) {
            typed.value = Some(values.convert(Scalar::Bool, value)?);
        }
        if let Some((a, b)) = a.index.zip(b.index) {
            typed.condition = Some(match operator {
                "==" => values.compare(Relation::Eq, a, b)?,
                "!=" => values.not(values.compare(Relation::Eq, a, b)?)?,
                "<" => values.compare(Relation::Lt, a, b)?,
                "<=" => values.compare(Relation::Le, a, b)?,
                ">" => values.compare(Relation::Lt, b, a)?,
                _ => values.compare(Relation::Le, b, a)?,
            });
        }
        if typed.value.is_none() && typed.condition.is_none() {
            return outside(line, "a comparison of numbers of different types");
        }
        Ok(typed)
    }

    fn integer_lanes(&self, line: u64, operator: &str, a: &Typed, b: &Typed) -> Read<Typed> {
        if let (">>", Some(by), Some(value)) = (operator, b.number, a.value)
            && (0..i128::from(bits(a.scalar()))).contains(&by)
            && self.values.scalar(value) == a.scalar()
        {
            let Some(by) = self.values.number(a.scalar(), by)? else {
                return outside(line, "a shift by a number that the type does not have");
            };
            let value = self.values.operation(Function::Shr, a.scalar(), vec![value, by])?;
            return Ok(Typed::valued(line, a.ty, value));
        }
        let (Some((scalar, x, y)), true) = (self.pair(a, b)?, a.scalar() == b.scalar()) else {
            return outside(line, "vectors of different types");
        };
        let ty = match (a.ty, b.ty) {
            (Type::Vector(_, n), Type::Vector(_, m)) if n != m => {
                return outside(line, "vectors of different types");
            }
            (Type::Vector(..), _) => a.ty,
            _ => b.ty,
        };
        let function = match operator {
            "+" if !is_signed(scalar) => Function::Add,
            "-" if !is_signed(scalar) => Function::Sub,
            "*" if !is_signed(scalar) => Function::Mul,
            "&" => Function::BitAnd,
            "|" => Function::BitOr,
            "^" => Function::BitXor,
            _ => return outside(line, format!("the operator `{operator}` on vectors of integers")),
        };
        Ok(Typed::valued(line, ty, self.values.operation(function, scalar, vec![x, y])?))
    }
}
