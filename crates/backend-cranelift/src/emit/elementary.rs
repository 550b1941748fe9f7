//! Functions of floats: their operations, emitted one by one where the function stands.

use super::{Emitter, machine_type};
use atl_loops::elementary::{Arithmetic, Format, RoundTo, Turned, call};
use atl_loops::{Function, Literal, Scalar, is_half};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{BlockArg, FuncRef, InstBuilder, MemFlagsData, Type, Value, types};
use std::cell::RefCell;

impl Emitter<'_> {
    /// The function of floats of this type.
    pub(super) fn elementary(&mut self, function: Function, scalar: Scalar, operands: &[Value]) -> Value {
        if is_half(scalar) {
            return self.half_function(function, scalar, operands);
        }
        let emitter = RefCell::new(self);
        let lane = Lane { scalar, emitter: &emitter };
        match call(&lane, function, operands) {
            Some(value) => value,
            // A valid kernel has as many operands as the function takes.
            None => lane.float(f64::NAN),
        }
    }

    /// The only result of a function of the host.
    fn host_call(&mut self, function: FuncRef, operands: &[Value]) -> Value {
        let call = self.builder.ins().call(function, operands);
        self.builder.inst_results(call)[0]
    }
}

/// Floats of one type in the function that is built.
struct Lane<'e, 'm, 'a> {
    scalar: Scalar,
    emitter: &'e RefCell<&'m mut Emitter<'a>>,
}

impl<'a> Lane<'_, '_, 'a> {
    fn int_type(&self) -> Type {
        if self.scalar == Scalar::F32 { types::I32 } else { types::I64 }
    }

    fn int(&self, value: i64) -> Value {
        let literal = match self.scalar {
            Scalar::F32 => Literal::i32(value as i32),
            _ => Literal::i64(value),
        };
        self.emit(|emitter| emitter.literal(literal))
    }

    fn count(&self, by: u32) -> Value {
        self.int(i64::from(by))
    }

    fn emit<T>(&self, f: impl FnOnce(&mut Emitter<'a>) -> T) -> T {
        f(&mut self.emitter.borrow_mut())
    }
}

impl<'e, 'm, 'a> Arithmetic for Lane<'e, 'm, 'a> {
    type Float = Value;
    type Int = Value;
    type Mask = Value;
    type WideFloat = Value;
    type Wide = Lane<'e, 'm, 'a>;

    fn format(&self) -> Format {
        if self.scalar == Scalar::F32 { Format::F32 } else { Format::F64 }
    }

    fn wide(&self) -> Lane<'e, 'm, 'a> {
        Lane { scalar: Scalar::F64, emitter: self.emitter }
    }

    fn widen(&self, a: Value) -> Value {
        match self.scalar {
            Scalar::F32 => self.emit(|e| e.builder.ins().fpromote(types::F64, a)),
            _ => a,
        }
    }

    fn narrow(&self, a: Value) -> Value {
        match self.scalar {
            Scalar::F32 => self.emit(|e| e.builder.ins().fdemote(types::F32, a)),
            _ => a,
        }
    }

    fn float(&self, value: f64) -> Value {
        let literal = Literal::F64(value).convert(self.scalar);
        self.emit(|e| e.literal(literal))
    }

    fn add(&self, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().fadd(a, b))
    }

    fn sub(&self, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().fsub(a, b))
    }

    fn mul(&self, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().fmul(a, b))
    }

    fn mul_add(&self, a: Value, b: Value, c: Value) -> Value {
        self.emit(|e| e.builder.ins().fma(a, b, c))
    }

    fn div(&self, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().fdiv(a, b))
    }

    fn sqrt(&self, a: Value) -> Value {
        self.emit(|e| e.builder.ins().sqrt(a))
    }

    fn neg(&self, a: Value) -> Value {
        self.emit(|e| e.builder.ins().fneg(a))
    }

    fn abs(&self, a: Value) -> Value {
        self.emit(|e| e.builder.ins().fabs(a))
    }

    fn rounded(&self, to: RoundTo, a: Value) -> Value {
        self.emit(|e| match to {
            RoundTo::Down => e.builder.ins().floor(a),
            RoundTo::Up => e.builder.ins().ceil(a),
            RoundTo::Zero => e.builder.ins().trunc(a),
            RoundTo::Even => e.builder.ins().nearest(a),
        })
    }

    fn remainder(&self, a: Value, b: Value) -> Value {
        let which = usize::from(self.scalar != Scalar::F32);
        self.emit(|e| e.host_call(e.host.fmod[which], &[a, b]))
    }

    fn less(&self, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().fcmp(FloatCC::LessThan, a, b))
    }

    fn equal(&self, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().fcmp(FloatCC::Equal, a, b))
    }

    fn choose(&self, mask: Value, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().select(mask, a, b))
    }

    fn both(&self, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().band(a, b))
    }

    fn either(&self, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().bor(a, b))
    }

    fn not(&self, a: Value) -> Value {
        self.emit(|e| e.builder.ins().icmp_imm_u(IntCC::Equal, a, 0))
    }

    fn huge_turn(&self, mask: Value, x: Value, given: Turned<Value, Value>) -> Turned<Value, Value> {
        let float = machine_type(self.scalar);
        let [slow, exit] = self.emit(|e| [(); 2].map(|()| e.builder.create_block()));
        let [high, low, quarters] = self.emit(|e| {
            let given = [given.high, given.low, given.quarters].map(BlockArg::Value);
            e.builder.ins().brif(mask, slow, &[], exit, &given);
            e.enter_sealed(slow);
            [float, float, self.int_type()].map(|ty| e.builder.append_block_param(exit, ty))
        });
        let x = self.widen(x);
        let [first, second, count] = self.emit(|e| e.host.turn.map(|part| e.host_call(part, &[x])));
        let narrow = self.narrow(first);
        let (second, count) = match self.scalar {
            Scalar::F32 => {
                let lost = self.wide().sub(first, self.widen(narrow));
                (self.narrow(lost), self.emit(|e| e.builder.ins().ireduce(types::I32, count)))
            }
            _ => (second, count),
        };
        self.emit(|e| {
            e.builder.ins().jump(exit, &[narrow, second, count].map(BlockArg::Value));
            e.enter_sealed(exit);
        });
        Turned { high, low, quarters }
    }

    fn bits(&self, a: Value) -> Value {
        self.emit(|e| e.builder.ins().bitcast(self.int_type(), MemFlagsData::new(), a))
    }

    fn of_bits(&self, a: Value) -> Value {
        self.emit(|e| e.builder.ins().bitcast(machine_type(self.scalar), MemFlagsData::new(), a))
    }

    fn add_int(&self, a: Value, b: i64) -> Value {
        let b = self.int(b);
        self.emit(|e| e.builder.ins().iadd(a, b))
    }

    fn sub_int(&self, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().isub(a, b))
    }

    fn mul_int(&self, a: Value, b: i64) -> Value {
        let b = self.int(b);
        self.emit(|e| e.builder.ins().imul(a, b))
    }

    fn and_int(&self, a: Value, b: i64) -> Value {
        let b = self.int(b);
        self.emit(|e| e.builder.ins().band(a, b))
    }

    fn xor_int(&self, a: Value, b: Value) -> Value {
        self.emit(|e| e.builder.ins().bxor(a, b))
    }

    fn shift_left(&self, a: Value, by: u32) -> Value {
        let by = self.count(by);
        self.emit(|e| e.builder.ins().ishl(a, by))
    }

    fn shift_right(&self, a: Value, by: u32) -> Value {
        let by = self.count(by);
        self.emit(|e| e.builder.ins().sshr(a, by))
    }

    fn is_set(&self, a: Value) -> Value {
        let zero = self.int(0);
        self.emit(|e| e.builder.ins().icmp(IntCC::NotEqual, a, zero))
    }
}
