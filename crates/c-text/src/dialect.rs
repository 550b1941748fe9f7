//! Index terms, predicates and values as expressions of a language like C.
//!
//! Affine index terms print as plain operations. `/` and `%` do too where numerator and divisor are seen to have no sign to care
//! for; elsewhere they call a helper. Integers of the program are computed unsigned, because they wrap.

use crate::code::{Code, Precedence};
use crate::halves;
use crate::helpers::{self, Helper};
use crate::narrow;
use atl_loops::{
    BinOp, Bool, CmpOp, Function, Int, IntOp, Kind, Literal, Name, Scalar, UnOp, Val, is_half, is_unsigned,
};
use std::collections::{BTreeMap, BTreeSet};

/// What printing the terms of a kernel needs and finds out.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The type of every buffer.
    pub types: BTreeMap<Name, Scalar>,
    /// Sizes and variables in scope that are never negative.
    pub nonnegative: BTreeSet<Name>,
    /// The helpers called so far.
    pub helpers: BTreeSet<&'static str>,
}

/// A language, and what is known of the kernel whose terms are printed.
pub trait Dialect: Sized {
    /// The helpers that are the smaller and the larger of two index terms.
    const MIN_MAX: [&'static str; 2];
    /// The literals of predicates.
    const FALSE_TRUE: [&'static str; 2];

    /// The type of a scalar.
    fn scalar_type(scalar: Scalar) -> &'static str;

    /// The unsigned type in which operations on an integer type of at most 32 bits, or of 64, wrap.
    fn unsigned_type(scalar: Scalar) -> &'static str;

    /// The literal of an index term.
    fn int_literal(value: i64) -> Code;

    /// A literal of a value.
    fn literal(literal: Literal) -> Code;

    /// What is known.
    fn context(&self) -> &Context;

    /// The same, to be changed.
    fn context_mut(&mut self) -> &mut Context;

    /// The identifier of a name.
    fn identifier(&mut self, name: &Name) -> String;

    /// The cell of a buffer, which can be assigned to.
    fn cell(&mut self, buf: &Name, index: &Int) -> String;

    /// The least and the greatest value of a variable that has 32 bits.
    fn range(&self, _var: &Name) -> Option<(i64, i64)> {
        None
    }

    /// A cell with an integer as an index term.
    fn index_cell(&self, _scalar: Scalar, cell: String) -> Code {
        wide::<Self>(&cell)
    }

    /// The absolute value of a float.
    fn magnitude(&mut self, scalar: Scalar, a: Code) -> Code;

    /// A function of floats.
    fn function(&mut self, function: Function, scalar: Scalar, operands: &[Code]) -> Code;

    /// A minimum, a maximum, or a quotient of integers, for which there are helpers.
    fn by_helper(&mut self, op: BinOp, scalar: Scalar, a: &Code, b: &Code) -> Code;

    /// An operation on floats that the language writes in another way than by an operator.
    fn float_operation(&self, _op: BinOp, _scalar: Scalar, _a: &Code, _b: &Code) -> Option<Code> {
        None
    }

    /// A float as an operand of arithmetic.
    fn float_operand(&mut self, _val: &Val, code: Code) -> Code {
        code
    }

    /// A selection for which something better than the operator `?:` is known.
    fn special_select(&mut self, _cond: &Bool, _then: &Val, _otherwise: &Val) -> Option<Code> {
        None
    }

    /// The type of a buffer.
    fn buffer_type(&self, buf: &Name) -> Scalar {
        self.context().types.get(buf).copied().unwrap_or(Scalar::I64)
    }

    /// The type of a value.
    fn type_of(&self, val: &Val) -> Scalar {
        val.scalar_type(&self.context().types).unwrap_or(Scalar::I64)
    }

    /// Says whether the variable, now in scope, is never negative.
    fn set_nonnegative(&mut self, var: &Name, nonnegative: bool) {
        let known = &mut self.context_mut().nonnegative;
        if nonnegative {
            known.insert(var.clone());
        } else {
            known.remove(var);
        }
    }

    /// Is the term visibly never negative?
    fn is_nonnegative(&self, int: &Int) -> bool {
        let unsigned = |buf: &Name| is_unsigned(self.buffer_type(buf));
        int.is_nonnegative(&|name| self.context().nonnegative.contains(name), &unsigned)
    }

    /// A call of a helper.
    fn call(&mut self, helper: &'static str, args: &[&Code]) -> Code {
        self.context_mut().helpers.insert(helper);
        let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        Code::atom(format!("{helper}({})", args.join(", ")))
    }

    /// The text of an index term.
    fn int(&mut self, int: &Int) -> String {
        self.int_code(int).text
    }

    /// An index term.
    fn int_code(&mut self, int: &Int) -> Code {
        // Folding leaves no operation on two literals, which C would do in `int`.
        if let Some(value) = int.constant() {
            return Self::int_literal(value);
        }
        match int {
            Int::Lit(value) => Self::int_literal(*value),
            Int::Var(name) => Code { narrow: self.range(name), ..Code::atom(self.identifier(name)) },
            Int::Bin(op, a, b) => {
                let is_plain = self.is_nonnegative(a) && b.constant().is_some_and(|divisor| divisor > 0);
                let (left, right) = (self.int_code(a), self.int_code(b));
                let range = left.narrow.zip(right.narrow).and_then(|(a, b)| range_of(*op, a, b, is_plain));
                let range = range.filter(|range| is_narrow(*range));
                // One wide operand makes the operation wide.
                let is_cast = range.is_none() && left.narrow.is_some() && right.narrow.is_some();
                let left = if is_cast { wide::<Self>(&left.operand()) } else { left };
                let infix = |symbol: &str, level, tighter| Code {
                    narrow: range,
                    ..Code::infix(symbol, &left, &right, level, tighter)
                };
                match op {
                    IntOp::Add => infix("+", Precedence::Sum, Precedence::Product),
                    IntOp::Sub => infix("-", Precedence::Sum, Precedence::Product),
                    IntOp::Mul => infix("*", Precedence::Product, Precedence::Atom),
                    IntOp::Div if is_plain => infix("/", Precedence::Product, Precedence::Atom),
                    IntOp::Mod if is_plain => infix("%", Precedence::Product, Precedence::Atom),
                    IntOp::Div => self.call("atl_floor_div", &[&left, &right]),
                    IntOp::Mod => self.call("atl_floor_mod", &[&left, &right]),
                    IntOp::Min => self.call(Self::MIN_MAX[0], &[&left, &right]),
                    IntOp::Max => self.call(Self::MIN_MAX[1], &[&left, &right]),
                }
            }
            Int::Load(buf, cell) => {
                let cell = self.cell(buf, cell);
                self.index_cell(self.buffer_type(buf), cell)
            }
        }
    }

    /// The text of a predicate.
    fn bool(&mut self, bool: &Bool) -> String {
        self.bool_code(bool).text
    }

    /// A predicate.
    fn bool_code(&mut self, bool: &Bool) -> Code {
        match bool {
            Bool::Lit(value) => Code::atom(Self::FALSE_TRUE[usize::from(*value)]),
            Bool::Cmp(op, a, b) => {
                let [left, right] = [a, b].map(|side| self.int_code(side).at(Precedence::Sum));
                Code::loose(format!("{left} {} {right}", symbol(*op)))
            }
            Bool::And(a, b) => {
                let [left, right] = [a, b].map(|part| self.bool_code(part).operand());
                Code::loose(format!("{left} && {right}"))
            }
            Bool::Or(a, b) => {
                let [left, right] = [a, b].map(|part| self.bool_code(part).operand());
                Code::loose(format!("{left} || {right}"))
            }
            Bool::Not(a) => Code::loose(format!("!{}", self.bool_code(a).operand())),
        }
    }

    /// The text of a value.
    fn val(&mut self, val: &Val) -> String {
        self.val_code(val).text
    }

    /// A value.
    fn val_code(&mut self, val: &Val) -> Code {
        match val {
            Val::Lit(literal) => Self::literal(*literal),
            Val::Load { buf, index } => Code::atom(self.cell(buf, index)),
            Val::OfInt(int) => {
                let code = self.int_code(int);
                Code::loose(format!("({}){}", Self::scalar_type(Scalar::I64), code.operand()))
            }
            Val::Un(op, a) => {
                let scalar = self.type_of(a);
                let code = self.val_code(a);
                let is_negation = *op == UnOp::Neg && scalar.is_float();
                let code = if is_negation { self.float_operand(a, code) } else { code };
                self.unary(*op, scalar, code)
            }
            Val::Bin(op, a, b) => {
                let scalar = self.type_of(a);
                let [mut left, mut right] = [a, b].map(|operand| self.val_code(operand));
                let is_arithmetic = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div);
                if scalar.is_float() && is_arithmetic {
                    left = self.float_operand(a, left);
                    right = self.float_operand(b, right);
                }
                self.binary(*op, scalar, &left, &right)
            }
            Val::Call(function, operands) => {
                let scalar = operands.first().map_or(Scalar::F64, |a| self.type_of(a));
                let operands: Vec<Code> = operands.iter().map(|a| self.val_code(a)).collect();
                self.function_of(*function, scalar, &operands)
            }
            Val::Cmp(op, a, b) => {
                let [left, right] = [a, b].map(|operand| {
                    let (scalar, code) = (self.type_of(operand), self.val_code(operand));
                    halves::native(self, scalar, code).1.operand()
                });
                Code::loose(format!("{left} {} {right}", symbol(*op)))
            }
            Val::Select { cond, then, otherwise } => {
                if let Some(special) = self.special_select(cond, then, otherwise) {
                    return special;
                }
                let cond = self.bool_code(cond);
                let [then, otherwise] = [then, otherwise].map(|value| self.val_code(value));
                Code::ternary(&cond, &then, &otherwise)
            }
            Val::Choose { cond, then, otherwise } => {
                let [cond, then, otherwise] = [cond, then, otherwise].map(|value| self.val_code(value));
                Code::ternary(&cond, &then, &otherwise)
            }
            Val::Convert { to, val } => {
                let val = narrow::without_limits(val, *to);
                let from = self.type_of(val);
                let code = self.val_code(val);
                self.convert(from, *to, code)
            }
        }
    }

    /// What a reduction stores: `op(old, value)`.
    fn combine(&mut self, op: BinOp, scalar: Scalar, old: &str, value: &Val) -> String {
        let value = self.val_code(value);
        self.binary(op, scalar, &Code::atom(old), &value).text
    }

    /// A function of floats of any width.
    fn function_of(&mut self, function: Function, scalar: Scalar, operands: &[Code]) -> Code {
        if !is_half(scalar) {
            return self.function(function, scalar, operands);
        }
        if function == Function::Fma {
            return halves::fused(self, scalar, operands);
        }
        let wide: Vec<Code> = operands.iter().map(|a| halves::widened(self, scalar, a)).collect();
        let result = self.function(function, Scalar::F32, &wide);
        halves::narrowed(self, scalar, &result)
    }

    /// A unary operation.
    fn unary(&mut self, op: UnOp, scalar: Scalar, a: Code) -> Code {
        match (op, scalar) {
            (UnOp::Neg | UnOp::Abs, _) if is_half(scalar) => halves::unary::<Self>(op, &a),
            (UnOp::Not, _) => Code::loose(format!("!{}", a.operand())),
            (UnOp::Neg, _) if scalar.is_float() => Code::loose(format!("-{}", a.operand())),
            (UnOp::Neg, _) => wrapping::<Self>(scalar, "-", &Code::atom("0"), &a),
            (UnOp::Abs, _) if scalar.kind() == Kind::Signed => {
                self.call(helpers::name(Helper::Abs, scalar), &[&a])
            }
            (UnOp::Abs, _) if !scalar.is_float() => a,
            (UnOp::Abs, _) => self.magnitude(scalar, a),
            // A function, for of a comparison of a promoted complement compilers warn.
            (UnOp::BitNot, _) => self.call(helpers::name(Helper::BitNot, scalar), &[&a]),
            (UnOp::Popcount, _) => self.call(helpers::name(Helper::Popcount, scalar), &[&a]),
            (UnOp::Clz, _) => self.call(helpers::name(Helper::Clz, scalar), &[&a]),
            (UnOp::Ctz, _) => self.call(helpers::name(Helper::Ctz, scalar), &[&a]),
        }
    }

    /// A binary operation. Where the operands are vectors, the operators mean the same in each lane.
    fn binary(&mut self, op: BinOp, scalar: Scalar, a: &Code, b: &Code) -> Code {
        if is_half(scalar) {
            return halves::binary(self, op, scalar, a, b);
        }
        let (symbol, level, tighter) = match op {
            BinOp::Add => ("+", Precedence::Sum, Precedence::Product),
            BinOp::Sub => ("-", Precedence::Sum, Precedence::Product),
            BinOp::Mul => ("*", Precedence::Product, Precedence::Atom),
            BinOp::Div if scalar.is_float() => ("/", Precedence::Product, Precedence::Atom),
            BinOp::Div | BinOp::Min | BinOp::Max => return self.by_helper(op, scalar, a, b),
            BinOp::Rem => return self.call(helpers::name(Helper::Rem, scalar), &[a, b]),
            BinOp::Shl => return self.call(helpers::name(Helper::Shl, scalar), &[a, b]),
            BinOp::Shr => return self.call(helpers::name(Helper::Shr, scalar), &[a, b]),
            BinOp::MulHi => return self.call(helpers::name(Helper::MulHi, scalar), &[a, b]),
            BinOp::BitAnd => return bitwise::<Self>(scalar, "&", a, b),
            BinOp::BitOr => return bitwise::<Self>(scalar, "|", a, b),
            BinOp::BitXor => return bitwise::<Self>(scalar, "^", a, b),
            // On 0 and 1 the bitwise operations are the logical ones, without a branch.
            BinOp::And => return Code::loose(format!("{} & {}", a.operand(), b.operand())),
            BinOp::Or => return Code::loose(format!("{} | {}", a.operand(), b.operand())),
        };
        if !scalar.is_float() {
            return wrapping::<Self>(scalar, symbol, a, b);
        }
        let own = self.float_operation(op, scalar, a, b);
        own.unwrap_or_else(|| Code::infix(symbol, a, b, level, tighter))
    }

    /// A conversion.
    fn convert(&mut self, from: Scalar, to: Scalar, code: Code) -> Code {
        match to {
            _ if from == to => code,
            _ if is_half(to) => halves::convert(self, from, to, &code),
            _ if is_half(from) => {
                let (from, code) = halves::native(self, from, code);
                self.convert(from, to, code)
            }
            Scalar::Bool => Code::loose(format!("{} != 0", code.operand())),
            _ if from.is_float() && to.is_integer() => {
                let own = narrow::of_f32(to).filter(|_| from == Scalar::F32);
                self.call(own.unwrap_or(helpers::name(Helper::Of, to)), &[&code])
            }
            _ => Code::loose(format!("({}){}", Self::scalar_type(to), code.operand())),
        }
    }
}

/// An index term of 64 bits.
fn wide<D: Dialect>(operand: &str) -> Code {
    Code::new(format!("({}){operand}", D::scalar_type(Scalar::I64)), Precedence::Product)
}

/// An operation on integers that wraps.
fn wrapping<D: Dialect>(scalar: Scalar, symbol: &str, a: &Code, b: &Code) -> Code {
    let (signed, word) = (D::scalar_type(scalar), D::unsigned_type(scalar));
    Code::loose(format!("({signed})(({word}){} {symbol} ({word}){})", a.operand(), b.operand()))
}

/// An operation on the bits of integers, which no width changes.
fn bitwise<D: Dialect>(scalar: Scalar, symbol: &str, a: &Code, b: &Code) -> Code {
    Code::loose(format!("({})({} {symbol} {})", D::scalar_type(scalar), a.operand(), b.operand()))
}

/// Are both numbers within 32 bits?
pub fn is_narrow(range: (i64, i64)) -> bool {
    i32::try_from(range.0).is_ok() && i32::try_from(range.1).is_ok()
}

/// Between which numbers an operation on index terms of 32 bits is; none where it is a helper's or may leave 64 bits.
fn range_of(op: IntOp, a: (i64, i64), b: (i64, i64), is_plain: bool) -> Option<(i64, i64)> {
    match op {
        IntOp::Add => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        IntOp::Sub => Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)),
        IntOp::Mul => {
            let ends =
                [a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }
        IntOp::Div if is_plain => Some((0, a.1.max(0))),
        IntOp::Mod if is_plain => Some((0, b.1.max(0))),
        IntOp::Div | IntOp::Mod | IntOp::Min | IntOp::Max => None,
    }
}

/// The operator of a comparison.
fn symbol(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
    }
}
