//! What the helpers mean whose texts `helpers` has compared, and the compiler's own functions of floats.

use super::reader::{Reader, Thing};
use super::syntax::{Expr, Node, vector};
use super::typed::{Bits, Type, Typed, cell_type};
use super::values::{Cond, Val, bits, is_integer};
use super::{Read, outside};
use crate::prelude::*;

/// The compiler's functions that are exact, or rounded once; those of `float` end in `f`.
const BUILTINS: [(&str, Function); 8] = [
    ("ceil", Function::Ceil),
    ("fabs", Function::Abs),
    ("floor", Function::Floor),
    ("fma", Function::Fma),
    ("fmod", Function::Fmod),
    ("rint", Function::Round),
    ("sqrt", Function::Sqrt),
    ("trunc", Function::Trunc),
];

/// Helpers of one name for each type of integers.
const OPERATIONS: [(&str, Function); 11] = [
    ("abs", Function::Abs),
    ("clz", Function::Clz),
    ("ctz", Function::Ctz),
    ("div", Function::Div),
    ("max", Function::Max),
    ("min", Function::Min),
    ("mulhi", Function::MulHi),
    ("not", Function::BitNot),
    ("popcount", Function::Popcount),
    ("rem", Function::Rem),
    ("shl", Function::Shl),
];

/// Functions of floats, of which each type and each vector has a helper.
const FUNCTIONS: [&str; 26] = [
    "acos", "asin", "atan", "atan2", "cbrt", "copysign", "cos", "cosh", "erf", "erfc", "exp", "exp10",
    "exp2", "expm1", "hypot", "log", "log10", "log1p", "log2", "pow", "rsqrt", "sign", "sin", "sinh", "tan",
    "tanh",
];

/// The function of floats that a helper of this word computes, if it takes this number of operands.
fn of_floats(word: &str, scalar: Scalar, operands: usize) -> Option<Function> {
    let is_known = FUNCTIONS.contains(&word) && matches!(scalar, Scalar::F32 | Scalar::F64);
    Function::named(word).filter(|function| is_known && function.operands() == operands)
}

/// Helpers on index terms.
const INDICES: [(&str, IxOp); 4] = [
    ("atl_floor_div", IxOp::Div),
    ("atl_floor_mod", IxOp::Mod),
    ("atl_max", IxOp::Max),
    ("atl_min", IxOp::Min),
];

impl Reader<'_> {
    pub(super) fn call(&mut self, line: u64, name: &str, operands: &[Expr]) -> Read<Typed> {
        if self.is_declared(name) {
            return outside(line, format!("a call of the variable `{name}`"));
        }
        if name == "__builtin_convertvector" {
            return self.convert_vector(line, operands);
        }
        if let Some(builtin) = name.strip_prefix("__builtin_") {
            return self.builtin(line, builtin, operands);
        }
        if !self.helpers.contains(name) {
            return outside(line, format!("a call of `{name}`, which is not defined"));
        }
        if let Some((_, op)) = INDICES.iter().find(|(known, _)| *known == name)
            && let [a, b] = operands
        {
            return self.index_call(line, *op, a, b);
        }
        match (name, operands) {
            ("atl_signed_f32" | "atl_signed_f64", [a]) => {
                let scalar = if name.ends_with("32") { Scalar::F32 } else { Scalar::F64 };
                let value = self.value(a, scalar)?;
                return Ok(Typed::valued(line, Type::Number(scalar), value));
            }
            ("atl_f32_of_f16" | "atl_f32_of_bf16", [a]) => {
                let half = if name.ends_with("bf16") { Scalar::BF16 } else { Scalar::F16 };
                let value = self.value(a, half)?;
                let value = self.values.convert(Scalar::F32, value)?;
                return Ok(Typed::valued(line, Type::Number(Scalar::F32), value));
            }
            ("atl_f16_of_f32" | "atl_bf16_of_f32", [a]) => {
                let value = self.value(a, Scalar::F32)?;
                return self.halved(line, name, value);
            }
            ("atl_f16_of_f64" | "atl_bf16_of_f64", [a]) => {
                let typed = self.typed(a)?;
                // Each is exact as a `double`.
                let is_exact = |value: &Val| {
                    matches!(self.values.scalar(*value), Scalar::F64 | Scalar::Bool)
                        || (is_integer(self.values.scalar(*value)) && bits(self.values.scalar(*value)) <= 32)
                };
                let Some(value) = typed.value.filter(is_exact) else {
                    return outside(line, "a conversion of a value that is not a `double`");
                };
                return self.halved(line, name, value);
            }
            ("atl_rounded", [a]) => {
                let typed = self.typed(a)?;
                if !typed.scalar().is_float() {
                    return outside(line, "a call of `atl_rounded` with an argument that is not a float");
                }
                return Ok(typed);
            }
            ("atl_several", [a, b]) => {
                self.index(a)?;
                self.index(b)?;
                return Ok(Typed::of(line, Type::Number(Scalar::I32)));
            }
            ("atl_below" | "atl_up_to", [a, b]) => {
                // The helpers have no more than 64 bits.
                let (symbol, 1..=64) = self.lanes(line)? else {
                    return outside(line, "a mask of more than 64 lanes");
                };
                let (a, b) = (self.index(a)?, self.index(b)?);
                let relation = if name == "atl_below" { Relation::Lt } else { Relation::Le };
                let lane = self.values.op(IxOp::Add, a, symbol)?;
                let mask = Some((self.values.compare(relation, lane, b)?, Bits::Prefix));
                return Ok(Typed { mask, ..Typed::of(line, Type::Number(Scalar::U64)) });
            }
            ("atl_all", [a]) => {
                let typed = self.typed(a)?;
                if typed.number.is_some() {
                    return outside(line, "a number where a condition is expected");
                }
                let mask = Some((self.as_condition(&typed)?, Bits::Prefix));
                return Ok(Typed { mask, ..Typed::of(line, Type::Number(Scalar::U64)) });
            }
            _ => {}
        }
        let Some((word, of)) = name.strip_prefix("atl_").and_then(|rest| rest.rsplit_once('_')) else {
            return outside(line, format!("a call of `{name}`"));
        };
        match (Scalar::named(of), vector(&format!("atl_{of}"))) {
            (Some(scalar), _) => self.scalar_call(line, (name, word, scalar), operands),
            (_, Some((scalar, count, false))) => {
                let Some(scalar) = Scalar::named(scalar) else {
                    return outside(line, format!("a call of `{name}`"));
                };
                let (symbol, lanes) = self.lanes(line)?;
                if lanes != count {
                    return outside(line, "vectors with other lanes than the loop's");
                }
                self.vector_call(line, (word, scalar, symbol, lanes), operands)
            }
            _ => outside(line, format!("a call of `{name}`")),
        }
    }

    /// A float of 16 bits, as the name of the helper says.
    fn halved(&self, line: u64, name: &str, value: Val) -> Read<Typed> {
        let half = if name.starts_with("atl_b") { Scalar::BF16 } else { Scalar::F16 };
        Ok(Typed::valued(line, Type::Number(Scalar::U16), self.values.convert(half, value)?))
    }

    fn index_call(&mut self, line: u64, op: IxOp, a: &Expr, b: &Expr) -> Read<Typed> {
        let (x, y) = (self.typed(a)?, self.typed(b)?);
        let mut typed = Typed::of(line, Type::Number(Scalar::I64));
        if let Some((a, b)) = x.index.zip(y.index) {
            typed.index = Some(self.keeping(line, op, [a, b])?);
        }
        let function = match op {
            IxOp::Min => Some(Function::Min),
            IxOp::Max => Some(Function::Max),
            _ => None,
        };
        if let (Some(function), true) = (function, x.value.is_some() || y.value.is_some()) {
            let (a, b) = (self.of(&x, Scalar::I64)?, self.of(&y, Scalar::I64)?);
            typed.value = Some(self.values.operation(function, Scalar::I64, vec![a, b])?);
        }
        if typed.index.is_none() && typed.value.is_none() {
            return outside(line, "operands that are no integers");
        }
        Ok(typed)
    }

    fn builtin(&mut self, line: u64, name: &str, operands: &[Expr]) -> Read<Typed> {
        let found = BUILTINS.iter().find_map(|(known, function)| match name.strip_prefix(known) {
            Some("f") => Some((*function, Scalar::F32)),
            Some("") => Some((*function, Scalar::F64)),
            _ => None,
        });
        let Some((function, scalar)) = found.filter(|(function, _)| function.operands() == operands.len())
        else {
            return outside(line, format!("a call of `__builtin_{name}`"));
        };
        let operands =
            operands.iter().map(|operand| self.value(operand, scalar)).collect::<Read<Vec<_>>>()?;
        Ok(Typed::valued(line, Type::Number(scalar), self.values.operation(function, scalar, operands)?))
    }

    /// A helper on numbers of a type.
    fn scalar_call(
        &mut self,
        line: u64,
        (name, word, scalar): (&str, &str, Scalar),
        operands: &[Expr],
    ) -> Read<Typed> {
        let ty = Type::Number(cell_type(scalar));
        let is_single = word == "f32_to";
        if let (true, [a], true) = (is_single || word == "to", operands, is_integer(scalar)) {
            // A `float` as a `double` is the same number.
            let typed = self.typed(a)?;
            let Some(value) = typed.value.filter(|value| {
                let from = self.values.scalar(*value);
                (from == Scalar::F32 || (from == Scalar::F64 && !is_single)) && !typed.is_vector()
            }) else {
                return outside(line, "a conversion of a value that is not a float");
            };
            return Ok(Typed::valued(line, ty, self.values.convert(scalar, value)?));
        }
        let shr = ("shr", Function::Shr);
        let found = OPERATIONS.iter().chain([&shr]).find(|(known, _)| *known == word);
        let found = found.map(|(_, function)| *function).filter(|found| found.operands() == operands.len());
        let Some(function) = found.or_else(|| of_floats(word, scalar, operands.len())) else {
            return outside(line, format!("a call of `{name}`"));
        };
        let operands =
            operands.iter().map(|operand| self.value(operand, scalar)).collect::<Read<Vec<_>>>()?;
        Ok(Typed::valued(line, ty, self.values.operation(function, scalar, operands)?))
    }

    /// A vector of a type.
    fn lanes_of(&mut self, expr: &Expr, scalar: Scalar) -> Read<Val> {
        let typed = self.typed(expr)?;
        match typed.ty {
            Type::Vector(own, _) if own == scalar => self.of(&typed, scalar),
            _ => outside(typed.line, "no vector where one is expected"),
        }
    }

    /// An array, and its buffer.
    pub(super) fn array(&self, expr: &Expr) -> Read<usize> {
        let Node::Name(name) = &expr.node else {
            return outside(expr.line, "no array where one is expected");
        };
        match self.thing(expr.line, name)? {
            Thing::Array(buffer) => Ok(buffer),
            _ => outside(expr.line, "no array where one is expected"),
        }
    }

    pub(super) fn mask(&mut self, expr: &Expr) -> Read<Cond> {
        let typed = self.typed(expr)?;
        match (typed.mask, typed.number, self.lane) {
            (Some((condition, _)), ..) => Ok(condition),
            (None, Some(number), Some((_, lanes))) if number == (1i128 << lanes) - 1 => {
                Ok(self.values.truth(true)?)
            }
            _ => outside(typed.line, "no mask where one is expected"),
        }
    }

    /// A helper on vectors of a type.
    fn vector_call(
        &mut self,
        line: u64,
        (word, scalar, symbol, lanes): (&str, Scalar, Ix, u32),
        operands: &[Expr],
    ) -> Read<Typed> {
        let ty = Type::Vector(scalar, lanes);
        let value = match (word, operands) {
            ("min" | "max", [a, b]) => {
                let function = if word == "min" { Function::Min } else { Function::Max };
                let (a, b) = (self.lanes_of(a, scalar)?, self.lanes_of(b, scalar)?);
                self.values.operation(function, scalar, vec![a, b])?
            }
            ("div", [a, b]) => {
                let (a, b) = (self.lanes_of(a, scalar)?, self.typed(b)?);
                let Some(1..) = b.number else {
                    return outside(line, "a quotient by a number that is not a positive constant");
                };
                let b = self.of(&b, scalar)?;
                self.values.operation(Function::Div, scalar, vec![a, b])?
            }
            ("abs", [a]) => {
                let a = self.lanes_of(a, scalar)?;
                self.values.operation(Function::Abs, scalar, vec![a])?
            }
            ("ceil" | "floor" | "round" | "sqrt" | "trunc", [a]) => {
                let found = BUILTINS.iter().find(|(_, function)| function.name() == word);
                let Some((_, function)) = found else { return outside(line, "an unknown function") };
                let a = self.lanes_of(a, scalar)?;
                self.values.operation(*function, scalar, vec![a])?
            }
            ("select", [mask, a, b]) => {
                let mask = self.mask(mask)?;
                let (a, b) = (self.lanes_of(a, scalar)?, self.lanes_of(b, scalar)?);
                // Both are computed in all lanes.
                let some = self.active == Some(mask);
                if !self.guarded(a, mask, some)? || !self.guarded(b, self.values.not(mask)?, false)? {
                    return outside(line, "a choice by lanes that reads memory for others");
                }
                self.values.select(mask, a, b)?
            }
            ("load", [array, first, mask]) => {
                let (buffer, first, mask) = (self.array(array)?, self.index(first)?, self.mask(mask)?);
                let cell = self.values.op(IxOp::Add, first, symbol)?;
                self.loaded((buffer, cell), scalar, Some(mask), line)?
            }
            ("strided", [array, first, step]) => {
                let (buffer, first, step) = (self.array(array)?, self.index(first)?, self.index(step)?);
                let cell = self.apart(first, step, symbol)?;
                self.loaded((buffer, cell), scalar, None, line)?
            }
            (_, [array, first, step, mask]) if word.starts_with("apart_") => {
                let Some(from) = word.strip_prefix("apart_").and_then(Scalar::named) else {
                    return outside(line, "an unknown function");
                };
                let (buffer, first, step) = (self.array(array)?, self.index(first)?, self.index(step)?);
                let (mask, cell) = (self.mask(mask)?, self.apart(first, step, symbol)?);
                if self.reads(cell)? {
                    return outside(line, "a mask of cells whose place is read from memory");
                }
                let value = self.loaded((buffer, cell), from, None, line)?;
                let zero = self.values.literal(scalar, 0)?;
                self.values.select(mask, self.values.convert(scalar, value)?, zero)?
            }
            (_, [v]) if word.starts_with("of_") => {
                let Some(from) = word.strip_prefix("of_").and_then(Scalar::named) else {
                    return outside(line, "an unknown function");
                };
                let v = self.lanes_of(v, from)?;
                self.values.convert(scalar, v)?
            }
            ("counted", [first, step]) => {
                let (first, step) = (self.index(first)?, self.index(step)?);
                let number = self.values.integer(self.apart(first, step, symbol)?)?;
                self.values.convert(scalar, number)?
            }
            (_, [array, at, from, first, rest @ ..]) if word.starts_with("gather_") => {
                let some = word.starts_with("gather_some_");
                let numbers = word.strip_prefix("gather_some_").or_else(|| word.strip_prefix("gather_"));
                let Some(numbers) = numbers.and_then(Scalar::named) else {
                    return outside(line, "an unknown function");
                };
                let (buffer, at, from) = (self.array(array)?, self.index(at)?, self.array(from)?);
                let first = self.index(first)?;
                let mask = match (some, rest) {
                    (true, [mask]) => Some(self.mask(mask)?),
                    (false, []) => None,
                    _ => return outside(line, "operands that are too many or too few"),
                };
                let own = self.values.types[from];
                let element = self.values.element(from, self.values.op(IxOp::Add, first, symbol)?)?;
                let Some(element) = element.filter(|_| cell_type(own) == numbers) else {
                    return outside(line, "cells named by what are no integers of an input");
                };
                let cell = self.keeping(line, IxOp::Add, [at, element])?;
                self.loaded((buffer, cell), scalar, mask, line)?
            }
            _ => {
                let Some(function) = of_floats(word, scalar, operands.len()) else {
                    return outside(line, format!("a call of `atl_{word}_..`"));
                };
                let lanes = operands.iter().map(|operand| self.lanes_of(operand, scalar));
                let lanes = lanes.collect::<Read<Vec<_>>>()?;
                self.values.operation(function, scalar, lanes)?
            }
        };
        Ok(Typed::valued(line, ty, value))
    }

    /// `first + lane * step`
    fn apart(&self, first: Ix, step: Ix, symbol: Ix) -> Read<Ix> {
        Ok(self.values.op(IxOp::Add, first, self.values.op(IxOp::Mul, symbol, step)?)?)
    }

    /// The cells of lanes, and zeros where a mask has none.
    fn loaded(
        &self,
        (buffer, cell): (usize, Ix),
        scalar: Scalar,
        mask: Option<Cond>,
        line: u64,
    ) -> Read<Val> {
        let own = self.values.types[buffer];
        if own != scalar {
            return outside(line, "a vector of another type than its cells");
        }
        let value = self.values.load(buffer, cell)?;
        // Where the cells are is computed, even if no lane wants them.
        if mask.is_some() && mask != self.active && self.reads(cell)? {
            return outside(line, "a mask of cells whose place is read from memory");
        }
        Ok(match mask {
            Some(mask) => self.values.select(mask, value, self.values.literal(scalar, 0)?)?,
            None => value,
        })
    }

    /// A conversion in each lane that cannot leave the type.
    fn convert_vector(&mut self, line: u64, operands: &[Expr]) -> Read<Typed> {
        let [operand, Expr { node: Node::Name(ty), .. }] = operands else {
            return outside(line, "a conversion of vectors");
        };
        let Some((scalar, count, false)) = vector(ty) else {
            return outside(line, "a conversion of vectors");
        };
        let typed = self.typed(operand)?;
        let (Some(to), Type::Vector(from, lanes), Some(value)) =
            (Scalar::named(scalar), typed.ty, typed.value)
        else {
            return outside(line, "a conversion of vectors");
        };
        let known = lanes == count;
        // A float as an integer is undefined where the type does not have it.
        if !known || (from.is_float() && !to.is_float()) || self.values.scalar(value) != from {
            return outside(line, "a conversion of vectors");
        }
        Ok(Typed::valued(line, Type::Vector(to, count), self.values.convert(to, value)?))
    }
}
