//! What an expression of C is: its type, and what it can be read as where it stands.
//!
//! An expression may be an index term, a value, a condition, or a number whose bits are conditions of
//! lanes. It is read as all of these that C's meaning allows; where it stands says which counts. What is
//! none of them is outside of the subset.

use super::operators::{kept, promoted};
use super::reader::{Reader, Thing};
use super::syntax::{Constant, Expr, Node, vector};
use super::values::{Cond, Val, bits, is_half, is_integer, range};
use super::{Read, outside};
use crate::prelude::*;

/// A type of C, `int` as `i32`; of vectors with how many lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Number(Scalar),
    Vector(Scalar, u32),
}

/// Which bits besides those of the lanes a mask may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bits {
    /// None.
    Clean,
    /// If it has one, then those of all lanes before it.
    Prefix,
    /// If it has one, then that of some lane.
    Tame,
    /// Any.
    Wild,
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) line: u64,
    pub(super) ty: Type,
    /// It is an integer constant.
    pub(super) number: Option<i128>,
    pub(super) index: Option<Ix>,
    pub(super) value: Option<Val>,
    pub(super) condition: Option<Cond>,
    pub(super) mask: Option<(Cond, Bits)>,
}

impl Typed {
    pub(super) fn of(line: u64, ty: Type) -> Typed {
        Typed { line, ty, number: None, index: None, value: None, condition: None, mask: None }
    }

    pub(super) fn valued(line: u64, ty: Type, value: Val) -> Typed {
        Typed { value: Some(value), ..Typed::of(line, ty) }
    }

    pub(super) fn scalar(&self) -> Scalar {
        let (Type::Number(scalar) | Type::Vector(scalar, _)) = self.ty;
        scalar
    }

    pub(super) fn is_vector(&self) -> bool {
        matches!(self.ty, Type::Vector(..))
    }
}

/// The C type of the cells of a scalar.
pub(super) fn cell_type(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool => Scalar::U8,
        Scalar::F16 | Scalar::BF16 => Scalar::U16,
        other => other,
    }
}

/// The scalar of the name of a type.
pub(super) fn named_type(name: &str) -> Option<Scalar> {
    Some(match name {
        "int" | "int32_t" => Scalar::I32,
        "float" => Scalar::F32,
        "double" => Scalar::F64,
        "int8_t" => Scalar::I8,
        "int16_t" => Scalar::I16,
        "int64_t" => Scalar::I64,
        "uint8_t" => Scalar::U8,
        "uint16_t" => Scalar::U16,
        "uint32_t" => Scalar::U32,
        "uint64_t" => Scalar::U64,
        _ => return None,
    })
}

/// The type of a choice of two, if it changes no number of either.
fn one_type(a: &Typed, b: &Typed) -> Option<Type> {
    match (a.ty, b.ty) {
        (Type::Number(m), Type::Number(n)) if !m.is_float() && !n.is_float() => kept(a, b).map(Type::Number),
        (m, n) => (m == n).then_some(m),
    }
}

impl Reader<'_> {
    /// What an expression is.
    pub(super) fn typed(&mut self, expr: &Expr) -> Read<Typed> {
        let line = expr.line;
        let number = |scalar| Typed::of(line, Type::Number(scalar));
        match &expr.node {
            Node::Integer(value, constant) => {
                let scalar = match constant {
                    Constant::Int => Scalar::I32,
                    Constant::Unsigned => Scalar::U32,
                    Constant::Long => Scalar::I64,
                    Constant::UnsignedLong => Scalar::U64,
                };
                self.constant(line, scalar, *value)
            }
            Node::Single(bits) => Ok(Typed::valued(
                line,
                Type::Number(Scalar::F32),
                self.values.literal(Scalar::F32, u64::from(*bits))?,
            )),
            Node::Double(bits) => {
                Ok(Typed::valued(line, Type::Number(Scalar::F64), self.values.literal(Scalar::F64, *bits)?))
            }
            Node::Name(name) => self.variable(line, name),
            Node::Cell(name, index) => self.cell(line, name, index),
            Node::Call(name, operands) => self.call(line, name, operands),
            Node::Unary(operator, operand) => {
                let operand = self.typed(operand)?;
                self.unary(line, operator, &operand)
            }
            Node::Binary(operator, a, b) => {
                if let ("-", Node::Zero(ty)) = (*operator, &b.node) {
                    return self.spread(line, a, ty);
                }
                let (a, b) = (self.typed(a)?, self.typed(b)?);
                self.binary(line, operator, &a, &b)
            }
            Node::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.choice(line, condition, then, otherwise)
            }
            Node::Cast(ty, operand) => self.cast(line, ty, operand),
            Node::Vector(ty, cell) => self.vector_cell(line, ty, cell),
            Node::Zero(_) => outside(line, "a vector of zeros here"),
            Node::Address(_) => Ok(number(Scalar::U64)),
        }
    }

    /// A constant of a type, which may have to wrap.
    pub(super) fn constant(&self, line: u64, scalar: Scalar, value: i128) -> Read<Typed> {
        let literal = i64::try_from(value).ok().map(|value| self.values.store.literal(value)).transpose()?;
        Ok(Typed { number: Some(value), index: literal, ..Typed::of(line, Type::Number(scalar)) })
    }

    fn variable(&mut self, line: u64, name: &str) -> Read<Typed> {
        let number = |scalar| Typed::of(line, Type::Number(scalar));
        Ok(match self.thing(line, name)? {
            Thing::Index(ix) => Typed { index: Some(ix), ..number(Scalar::I64) },
            Thing::Mask(condition, bits) => Typed { mask: Some((condition, bits)), ..number(Scalar::U64) },
            Thing::Scalar(buffer) => {
                let value = self.values.load(buffer, self.values.store.literal(0)?)?;
                Typed::valued(line, Type::Number(cell_type(self.values.types[buffer])), value)
            }
            Thing::Lanes(buffer) => {
                let scalar = self.values.types[buffer];
                let value = self.values.load(buffer, self.values.store.literal(0)?)?;
                Typed::valued(line, Type::Vector(scalar, self.lanes(line)?.1), value)
            }
            Thing::Part(buffer, first, count) => {
                let (symbol, lanes) = self.lanes(line)?;
                if count != lanes {
                    return outside(line, "a vector with other lanes than the loop's");
                }
                let cell = self.values.op(IxOp::Add, self.values.store.literal(first)?, symbol)?;
                let scalar = self.values.types[buffer];
                Typed::valued(line, Type::Vector(scalar, lanes), self.values.load(buffer, cell)?)
            }
            Thing::Status | Thing::Cells(_) | Thing::Array(_) => {
                return outside(line, format!("`{name}` here"));
            }
        })
    }

    fn cell(&mut self, line: u64, name: &str, index: &Expr) -> Read<Typed> {
        let at = self.index(index)?;
        let (buffer, at) = match self.thing(line, name)? {
            Thing::Array(buffer) => (buffer, at),
            // One lane of a vector.
            Thing::Part(buffer, first, count) => match self.values.store.ix_node(at) {
                IxNode::Literal(lane) if (0..i64::from(count)).contains(&lane) => {
                    (buffer, self.values.store.literal(first + lane)?)
                }
                _ => return outside(line, "a lane that is no constant"),
            },
            _ => return outside(line, format!("a cell of `{name}`")),
        };
        let value = self.values.load(buffer, at)?;
        let index = self.values.element(buffer, at)?;
        Ok(Typed { index, ..Typed::valued(line, Type::Number(cell_type(self.values.types[buffer])), value) })
    }

    /// The cells of all lanes.
    fn vector_cell(&mut self, line: u64, ty: &str, cell: &Expr) -> Read<Typed> {
        let (Node::Cell(name, index), Some((scalar, count, true))) = (&cell.node, vector(ty)) else {
            return outside(line, "a vector in memory of this type");
        };
        let (symbol, lanes) = self.lanes(line)?;
        let Thing::Array(buffer) = self.thing(line, name)? else {
            return outside(line, format!("a cell of `{name}`"));
        };
        let own = cell_type(self.values.types[buffer]);
        if own.name() != scalar || count != lanes {
            return outside(
                line,
                "a vector of another type than its cells, or with other lanes than the loop's",
            );
        }
        let first = self.index(index)?;
        let at = self.values.op(IxOp::Add, first, symbol)?;
        Ok(Typed::valued(line, Type::Vector(own, lanes), self.values.load(buffer, at)?))
    }

    /// An index term.
    pub(super) fn index(&mut self, expr: &Expr) -> Read<Ix> {
        let typed = self.typed(expr)?;
        match typed.index {
            Some(index) if typed.number.is_none_or(|number| i64::try_from(number).is_ok()) => Ok(index),
            _ => outside(typed.line, "an expression that is no index term"),
        }
    }

    /// A condition.
    pub(super) fn condition(&mut self, expr: &Expr) -> Read<Cond> {
        let typed = self.typed(expr)?;
        self.as_condition(&typed)
    }

    pub(super) fn as_condition(&self, typed: &Typed) -> Read<Cond> {
        match (typed.condition, typed.value, typed.number) {
            (Some(condition), ..) => Ok(condition),
            (_, Some(value), _) if self.values.scalar(value) == Scalar::Bool => {
                Ok(self.values.holds(value)?)
            }
            (_, _, Some(number)) => Ok(self.values.truth(number != 0)?),
            _ => outside(typed.line, "an expression that is no condition"),
        }
    }

    /// A value of a scalar.
    pub(super) fn value(&mut self, expr: &Expr, scalar: Scalar) -> Read<Val> {
        Ok(self.chosen(expr, scalar)?.1)
    }

    /// A value of a scalar, and the type that C gives it. Both sides of a choice become of one type, which
    /// changes no number.
    fn chosen(&mut self, expr: &Expr, scalar: Scalar) -> Read<(Typed, Val)> {
        if let Node::Choice(parts) = &expr.node {
            let [condition, then, otherwise] = &**parts;
            let typed = self.typed(condition)?;
            if typed.mask.is_none() {
                let condition = self.as_condition(&typed)?;
                let ((a, then), (b, otherwise)) =
                    (self.chosen(then, scalar)?, self.chosen(otherwise, scalar)?);
                let Some(ty) = one_type(&a, &b) else {
                    return outside(typed.line, "a choice of numbers of different types");
                };
                return Ok((Typed::of(typed.line, ty), self.values.select(condition, then, otherwise)?));
            }
        }
        let typed = self.typed(expr)?;
        let value = self.of(&typed, scalar)?;
        Ok((typed, value))
    }

    /// The expression as a value of a scalar, if C's conversion to its type changes nothing.
    pub(super) fn of(&self, typed: &Typed, scalar: Scalar) -> Read<Val> {
        let line = typed.line;
        if let Some(value) = typed.value {
            return if self.values.scalar(value) == scalar {
                Ok(value)
            } else {
                outside(line, format!("a conversion to `{}` that is not written", scalar.name()))
            };
        }
        if let Some(number) = typed.number {
            if is_half(scalar) && (0..0x1_0000).contains(&number) {
                return Ok(self.values.literal(scalar, number as u64)?);
            }
            return match self.values.number(scalar, number)? {
                Some(value) => Ok(value),
                None => outside(line, format!("a constant that `{}` does not have", scalar.name())),
            };
        }
        match (typed.index, typed.ty) {
            (Some(index), Type::Number(Scalar::I64)) if scalar == Scalar::I64 => {
                Ok(self.values.integer(index)?)
            }
            _ => outside(line, "an expression that is no value"),
        }
    }

    /// Two operands as values of one scalar, if there is one.
    pub(super) fn pair(&self, a: &Typed, b: &Typed) -> Read<Option<(Scalar, Val, Val)>> {
        let Some(scalar) = a.value.or(b.value).map(|value| self.values.scalar(value)) else {
            return Ok(None);
        };
        let side = |typed: &Typed| match (typed.value, typed.number) {
            (Some(value), _) => Ok((self.values.scalar(value) == scalar).then_some(value)),
            (None, Some(number)) => self.values.number(scalar, number),
            _ => Ok(None),
        };
        Ok(side(a)?.zip(side(b)?).map(|(a, b)| (scalar, a, b)))
    }

    /// `a - (TYPE){0}`: the same number in every lane.
    fn spread(&mut self, line: u64, a: &Expr, ty: &str) -> Read<Typed> {
        let (symbol_lanes, Some((scalar, count, false))) = (self.lane.map(|(_, lanes)| lanes), vector(ty))
        else {
            return outside(line, "a vector of this type");
        };
        if symbol_lanes.is_some_and(|lanes| lanes != count) {
            return outside(line, "a vector with other lanes than the loop's");
        }
        let Some(scalar) = Scalar::named(scalar) else { return outside(line, "a vector of this type") };
        let typed = self.typed(a)?;
        let fits = match typed.ty {
            Type::Vector(own, lanes) => own == scalar && lanes == count,
            Type::Number(own) => own == scalar,
        };
        if !fits {
            return outside(line, "a number of another type than the vector's");
        }
        Ok(Typed::valued(line, Type::Vector(scalar, count), self.of(&typed, scalar)?))
    }

    fn choice(&mut self, line: u64, condition: &Expr, then: &Expr, otherwise: &Expr) -> Read<Typed> {
        let (condition, a, b) = (self.typed(condition)?, self.typed(then)?, self.typed(otherwise)?);
        if let Some((mask, bits)) = condition.mask {
            // What is no lane's does not matter: where no lane is, nothing is known.
            let (Some(0), Some(value), true) = (b.number, a.value, bits != Bits::Wild) else {
                return outside(line, "a choice by lanes");
            };
            if b.scalar() != Scalar::I32 || a.is_vector() {
                return outside(line, "a choice by lanes");
            }
            let scalar = self.values.scalar(value);
            let unknown = self.unknown(scalar)?;
            return Ok(Typed::valued(line, a.ty, self.values.select(mask, value, unknown)?));
        }
        let condition = self.as_condition(&condition)?;
        let (Some((scalar, x, y)), Some(ty)) = (self.pair(&a, &b)?, one_type(&a, &b)) else {
            return outside(line, "a choice of numbers of different types");
        };
        if matches!(ty, Type::Number(ty) if ty != promoted(cell_type(scalar))) {
            return outside(line, "a choice of numbers of different types");
        }
        Ok(Typed::valued(line, ty, self.values.select(condition, x, y)?))
    }

    fn cast(&mut self, line: u64, ty: &str, operand: &Expr) -> Read<Typed> {
        let inner = self.typed(operand)?;
        let values = &self.values;
        if let Some((scalar, count, in_memory)) = vector(ty) {
            let Some(to) = Scalar::named(scalar) else { return outside(line, "a vector of this type") };
            let Type::Vector(from, lanes) = inner.ty else { return outside(line, "a vector of a number") };
            let (true, Some(value)) = (lanes == count && !in_memory, inner.value) else {
                return outside(line, "a vector with other lanes");
            };
            // The bits stay.
            let same = to == from || (is_integer(to) && is_integer(from) && bits(to) == bits(from));
            if !same || cell_type(values.scalar(value)) != from {
                return outside(line, "the bits of vectors of another type");
            }
            let value = if to == from { value } else { values.convert(to, value)? };
            return Ok(Typed::valued(line, Type::Vector(to, count), value));
        }
        let (Some(to), Type::Number(from)) = (named_type(ty), inner.ty) else {
            return outside(line, "a conversion of a vector");
        };
        let mut typed = Typed::of(line, Type::Number(to));
        if let (Some(number), Some((least, greatest))) = (inner.number, range(to).filter(|_| !to.is_float()))
        {
            if (least..=greatest).contains(&number) {
                return self.constant(line, to, number);
            }
            // It wraps.
            let wrapped = (number - least).rem_euclid(greatest - least + 1) + least;
            return self.constant(line, to, wrapped);
        }
        if to == Scalar::I64 {
            typed.index = inner.index;
        }
        typed.value = match (inner.value, inner.index) {
            (Some(value), _) if is_half(values.scalar(value)) && to == Scalar::U16 => Some(value),
            (Some(value), _) if values.scalar(value).is_float() => {
                if !to.is_float() || !from.is_float() {
                    return outside(line, "a float as an integer");
                }
                Some(values.convert(to, value)?)
            }
            (Some(value), _) if values.scalar(value) == Scalar::Bool && to == Scalar::U8 => Some(value),
            (Some(value), _) => Some(values.convert(to, value)?),
            (None, Some(index)) if from == Scalar::I64 => Some(values.convert(to, values.integer(index)?)?),
            _ => None,
        };
        if typed.index.is_none() && typed.value.is_none() {
            return outside(line, format!("a conversion to `{ty}`"));
        }
        Ok(typed)
    }
}
