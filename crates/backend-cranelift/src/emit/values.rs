//! Values.

use super::ints::signed;
use super::{Emitter, machine_type};
use atl_loops::{BinOp, CmpOp, Literal, Scalar, UnOp, Val, is_half, is_unsigned};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::immediates::{Ieee32, Ieee64};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Type, Value, types};
use std::cmp::Ordering;

impl Emitter<'_> {
    /// The zero of a type.
    pub(super) fn zero(&mut self, scalar: Scalar) -> Value {
        self.literal(Literal::zero(scalar))
    }

    /// A literal.
    pub(super) fn literal(&mut self, literal: Literal) -> Value {
        match literal {
            Literal::F32(x) => self.builder.ins().f32const(Ieee32::with_bits(x.to_bits())),
            Literal::F64(x) => self.builder.ins().f64const(Ieee64::with_bits(x.to_bits())),
            Literal::F16(_) | Literal::BF16(_) | Literal::Int(_) | Literal::Bool(_) => {
                let ty = machine_type(literal.scalar());
                self.builder.ins().iconst(ty, literal.bits().cast_signed())
            }
        }
    }

    fn type_of(&self, val: &Val) -> Scalar {
        val.scalar_type(&self.types).unwrap_or(Scalar::I64)
    }

    /// A value.
    pub(super) fn val(&mut self, val: &Val) -> Value {
        match val {
            Val::Lit(literal) => self.literal(*literal),
            Val::Load { buf, index } => self.load(buf, index),
            Val::OfInt(int) => self.int(int),
            Val::Un(op, a) => {
                let x = self.val(a);
                self.unary(*op, self.type_of(a), x)
            }
            Val::Bin(op, a, b) => {
                let (x, y) = (self.val(a), self.val(b));
                self.binary(*op, self.type_of(a), x, y)
            }
            Val::Call(function, operands) => {
                let scalar = operands.first().map_or(Scalar::F64, |a| self.type_of(a));
                let operands: Vec<Value> = operands.iter().map(|a| self.val(a)).collect();
                self.elementary(*function, scalar, &operands)
            }
            Val::Cmp(op, a, b) => {
                let (x, y) = (self.val(a), self.val(b));
                self.compare(*op, self.type_of(a), x, y)
            }
            Val::Select { cond, then, otherwise } => {
                let cond = self.bool(cond);
                self.select(cond, then, otherwise)
            }
            Val::Choose { cond, then, otherwise } => {
                let cond = self.val(cond);
                self.select(cond, then, otherwise)
            }
            Val::Convert { to, val } => {
                let x = self.val(val);
                self.convert(self.type_of(val), *to, x)
            }
        }
    }

    /// Evaluates one branch only, as a load in the other may be out of bounds.
    fn select(&mut self, cond: Value, then: &Val, otherwise: &Val) -> Value {
        if !then.touches_memory() && !otherwise.touches_memory() {
            let (x, y) = (self.val(then), self.val(otherwise));
            return self.builder.ins().select(cond, x, y);
        }
        let ty = machine_type(self.type_of(then));
        self.either(cond, ty, |emitter| emitter.val(then), |emitter| emitter.val(otherwise))
    }

    /// One value or the other, of which the other is not evaluated.
    pub(super) fn either(
        &mut self,
        cond: Value,
        ty: Type,
        then: impl FnOnce(&mut Self) -> Value,
        otherwise: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let [first, second, exit] = [(); 3].map(|()| self.builder.create_block());
        let result = self.builder.append_block_param(exit, ty);
        self.builder.ins().brif(cond, first, &[], second, &[]);
        self.enter_sealed(first);
        let value = then(self);
        self.builder.ins().jump(exit, &[BlockArg::Value(value)]);
        self.enter_sealed(second);
        let value = otherwise(self);
        self.builder.ins().jump(exit, &[BlockArg::Value(value)]);
        self.enter_sealed(exit);
        result
    }

    fn unary(&mut self, op: UnOp, scalar: Scalar, x: Value) -> Value {
        match op {
            UnOp::Neg | UnOp::Abs if is_half(scalar) => self.half_sign(op, x),
            UnOp::Neg if scalar.is_float() => self.builder.ins().fneg(x),
            UnOp::Neg => self.builder.ins().ineg(x),
            UnOp::Abs if scalar.is_float() => self.builder.ins().fabs(x),
            UnOp::Abs if is_unsigned(scalar) => x,
            UnOp::Abs => {
                let zero = self.zero(scalar);
                let is_negative = self.compare(CmpOp::Lt, scalar, x, zero);
                let opposite = self.builder.ins().ineg(x);
                self.builder.ins().select(is_negative, opposite, x)
            }
            UnOp::Not => self.not(x),
            UnOp::BitNot => self.builder.ins().bnot(x),
            UnOp::Popcount | UnOp::Clz | UnOp::Ctz => self.count_of_bits(op, scalar, x),
        }
    }

    /// A binary operation on two values of this type.
    pub(super) fn binary(&mut self, op: BinOp, scalar: Scalar, x: Value, y: Value) -> Value {
        if is_half(scalar) {
            return self.half_binary(op, scalar, x, y);
        }
        let is_float = scalar.is_float();
        match op {
            BinOp::Add if is_float => self.builder.ins().fadd(x, y),
            BinOp::Sub if is_float => self.builder.ins().fsub(x, y),
            BinOp::Mul if is_float => self.builder.ins().fmul(x, y),
            BinOp::Div if is_float => self.builder.ins().fdiv(x, y),
            BinOp::Add => self.builder.ins().iadd(x, y),
            BinOp::Sub => self.builder.ins().isub(x, y),
            BinOp::Mul => self.builder.ins().imul(x, y),
            BinOp::Div if is_unsigned(scalar) => self.unsigned_div(scalar, x, y),
            BinOp::Div if scalar.bits() < 32 => {
                let [x, y] = [x, y].map(|operand| self.integer(scalar, Scalar::I32, operand));
                let quotient = self.floor_div(x, y);
                self.integer(Scalar::I32, scalar, quotient)
            }
            BinOp::Div => self.floor_div(x, y),
            BinOp::Rem if is_unsigned(scalar) => self.unsigned_rem(scalar, x, y),
            BinOp::Rem if scalar.bits() < 32 => {
                let [x, y] = [x, y].map(|operand| self.integer(scalar, Scalar::I32, operand));
                let rest = self.floor_mod(x, y);
                self.integer(Scalar::I32, scalar, rest)
            }
            BinOp::Rem => self.floor_mod(x, y),
            BinOp::BitAnd => self.builder.ins().band(x, y),
            BinOp::BitOr => self.builder.ins().bor(x, y),
            BinOp::BitXor => self.builder.ins().bxor(x, y),
            BinOp::Shl | BinOp::Shr => self.shift(op, scalar, x, y),
            BinOp::MulHi => self.high_product(scalar, x, y),
            BinOp::Min => {
                let second = self.compare(CmpOp::Lt, scalar, y, x);
                self.builder.ins().select(second, y, x)
            }
            BinOp::Max => {
                let second = self.compare(CmpOp::Lt, scalar, x, y);
                self.builder.ins().select(second, y, x)
            }
            BinOp::And => self.builder.ins().band(x, y),
            BinOp::Or => self.builder.ins().bor(x, y),
        }
    }

    /// Division of unsigned integers; 0 by 0.
    fn unsigned_div(&mut self, scalar: Scalar, x: Value, y: Value) -> Value {
        let ty = machine_type(scalar);
        let (zero, one) = (self.builder.ins().iconst(ty, 0), self.builder.ins().iconst(ty, 1));
        let is_zero = self.builder.ins().icmp(IntCC::Equal, y, zero);
        let divisor = self.builder.ins().select(is_zero, one, y);
        let quotient = self.builder.ins().udiv(x, divisor);
        self.builder.ins().select(is_zero, zero, quotient)
    }

    pub(super) fn compare(&mut self, op: CmpOp, scalar: Scalar, x: Value, y: Value) -> Value {
        if is_half(scalar) {
            return self.half_compare(op, scalar, x, y);
        }
        if scalar.is_float() {
            let condition = match op {
                CmpOp::Eq => FloatCC::Equal,
                CmpOp::Ne => FloatCC::NotEqual,
                CmpOp::Lt => FloatCC::LessThan,
                CmpOp::Le => FloatCC::LessThanOrEqual,
            };
            return self.builder.ins().fcmp(condition, x, y);
        }
        let condition = if is_unsigned(scalar) { signed(op).unsigned() } else { signed(op) };
        self.builder.ins().icmp(condition, x, y)
    }

    fn convert(&mut self, from: Scalar, to: Scalar, x: Value) -> Value {
        match (from, to) {
            _ if from == to => x,
            _ if is_half(to) => self.half_of(from, to, x),
            _ if is_half(from) => {
                let wide = self.widened(from, x);
                self.convert(Scalar::F32, to, wide)
            }
            (_, Scalar::Bool) => {
                let zero = self.zero(from);
                self.compare(CmpOp::Ne, from, x, zero)
            }
            (Scalar::F32, Scalar::F64) => self.builder.ins().fpromote(types::F64, x),
            (Scalar::F64, Scalar::F32) => self.builder.ins().fdemote(types::F32, x),
            (Scalar::F32 | Scalar::F64, _) => self.integer_of_float(to, x),
            (Scalar::U64, Scalar::F32 | Scalar::F64) => {
                self.builder.ins().fcvt_from_uint(machine_type(to), x)
            }
            (_, Scalar::F32 | Scalar::F64) => {
                // In a wider word the integer is signed, and is rounded once.
                let word = match from.bits() {
                    32 if is_unsigned(from) => self.integer(from, Scalar::I64, x),
                    8 | 16 => self.integer(from, Scalar::I32, x),
                    _ => x,
                };
                self.builder.ins().fcvt_from_sint(machine_type(to), word)
            }
            _ => self.integer(from, to, x),
        }
    }

    /// An integer in another integer type, modulo 2 to the width.
    pub(super) fn integer(&mut self, from: Scalar, to: Scalar, x: Value) -> Value {
        let ty = machine_type(to);
        match from.bits().cmp(&to.bits()) {
            Ordering::Equal => x,
            Ordering::Greater => self.builder.ins().ireduce(ty, x),
            Ordering::Less if is_unsigned(from) => self.builder.ins().uextend(ty, x),
            Ordering::Less => self.builder.ins().sextend(ty, x),
        }
    }

    /// A float truncated toward zero, then within the type; NaN is 0.
    fn integer_of_float(&mut self, to: Scalar, x: Value) -> Value {
        let ty = machine_type(to);
        match (is_unsigned(to), to.range()) {
            (true, _) if to.bits() >= 32 => self.builder.ins().fcvt_to_uint_sat(ty, x),
            (false, _) if to.bits() >= 32 => self.builder.ins().fcvt_to_sint_sat(ty, x),
            (_, range) => {
                let (least, greatest) = range.unwrap_or_default();
                let word = self.builder.ins().fcvt_to_sint_sat(types::I32, x);
                let low = self.builder.ins().iconst(types::I32, i64::from((least as i32).cast_unsigned()));
                let high =
                    self.builder.ins().iconst(types::I32, i64::from((greatest as i32).cast_unsigned()));
                let word = self.builder.ins().smax(word, low);
                let word = self.builder.ins().smin(word, high);
                self.builder.ins().ireduce(ty, word)
            }
        }
    }
}
