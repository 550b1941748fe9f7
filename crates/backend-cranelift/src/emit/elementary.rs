//! `exp` and `log`: their operations, emitted one by one where the function stands.

use super::{Emitter, machine_type};
use atl_loops::elementary::{Arithmetic, Format, exp, log};
use atl_loops::{Literal, Scalar, UnOp};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};

impl Emitter<'_> {
    /// The exponential or the logarithm of a float.
    pub(super) fn elementary(&mut self, op: UnOp, scalar: Scalar, x: Value) -> Value {
        let mut lane = Lane { scalar, emitter: self };
        if op == UnOp::Exp { exp(&mut lane, x) } else { log(&mut lane, x) }
    }
}

/// Floats of one type in the function that is built.
struct Lane<'e, 'a> {
    scalar: Scalar,
    emitter: &'e mut Emitter<'a>,
}

impl Lane<'_, '_> {
    fn int_type(&self) -> Type {
        if self.scalar == Scalar::F32 { types::I32 } else { types::I64 }
    }

    fn int(&mut self, value: i64) -> Value {
        match self.scalar {
            Scalar::F32 => self.emitter.literal(Literal::i32(value as i32)),
            _ => self.emitter.literal(Literal::i64(value)),
        }
    }

    fn count(&mut self, by: u32) -> Value {
        self.int(i64::from(by))
    }
}

impl Arithmetic for Lane<'_, '_> {
    type Float = Value;
    type Int = Value;
    type Mask = Value;

    fn format(&self) -> Format {
        if self.scalar == Scalar::F32 { Format::F32 } else { Format::F64 }
    }

    fn float(&mut self, value: f64) -> Value {
        self.emitter.literal(Literal::F64(value).convert(self.scalar))
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.emitter.builder.ins().fadd(a, b)
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        self.emitter.builder.ins().fsub(a, b)
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.emitter.builder.ins().fmul(a, b)
    }

    fn mul_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        self.emitter.builder.ins().fma(a, b, c)
    }

    fn div(&mut self, a: Value, b: Value) -> Value {
        self.emitter.builder.ins().fdiv(a, b)
    }

    fn less(&mut self, a: Value, b: Value) -> Value {
        self.emitter.builder.ins().fcmp(FloatCC::LessThan, a, b)
    }

    fn choose(&mut self, mask: Value, a: Value, b: Value) -> Value {
        self.emitter.builder.ins().select(mask, a, b)
    }

    fn bits(&mut self, a: Value) -> Value {
        let ty = self.int_type();
        self.emitter.builder.ins().bitcast(ty, MemFlagsData::new(), a)
    }

    fn of_bits(&mut self, a: Value) -> Value {
        let ty = machine_type(self.scalar);
        self.emitter.builder.ins().bitcast(ty, MemFlagsData::new(), a)
    }

    fn add_int(&mut self, a: Value, b: i64) -> Value {
        let b = self.int(b);
        self.emitter.builder.ins().iadd(a, b)
    }

    fn sub_int(&mut self, a: Value, b: Value) -> Value {
        self.emitter.builder.ins().isub(a, b)
    }

    fn and_int(&mut self, a: Value, b: i64) -> Value {
        let b = self.int(b);
        self.emitter.builder.ins().band(a, b)
    }

    fn shift_left(&mut self, a: Value, by: u32) -> Value {
        let by = self.count(by);
        self.emitter.builder.ins().ishl(a, by)
    }

    fn shift_right(&mut self, a: Value, by: u32) -> Value {
        let by = self.count(by);
        self.emitter.builder.ins().sshr(a, by)
    }
}
