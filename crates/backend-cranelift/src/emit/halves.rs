//! Floats of 16 bits: words, which the host converts to `f32` and back.
//!
//! An operation is that of `f32`, rounded, so nothing else is emitted for them; signs are bits.

use super::Emitter;
use atl_loops::{BinOp, CmpOp, Function, Kind, Scalar, UnOp};
use cranelift_codegen::ir::{FuncRef, InstBuilder, Type, Value, types};

/// The functions of the host for one of the types.
pub(super) struct Halves {
    widen: FuncRef,
    narrow: FuncRef,
    of_signed: FuncRef,
    of_unsigned: FuncRef,
    fused: FuncRef,
}

impl Halves {
    /// Declared by their names, in the order of the symbols.
    pub(super) fn declare<E>(
        names: [&str; 5],
        declare: &mut impl FnMut(&str, &[Type], &[Type]) -> Result<FuncRef, E>,
    ) -> Result<Halves, E> {
        Ok(Halves {
            widen: declare(names[0], &[types::I32], &[types::F32])?,
            narrow: declare(names[1], &[types::F64], &[types::I32])?,
            of_signed: declare(names[2], &[types::I64], &[types::I32])?,
            of_unsigned: declare(names[3], &[types::I64], &[types::I32])?,
            fused: declare(names[4], &[types::I32; 3], &[types::I32])?,
        })
    }
}

impl Emitter<'_> {
    fn halves(&self, scalar: Scalar) -> &Halves {
        &self.host.halves[usize::from(scalar == Scalar::BF16)]
    }

    /// As the host takes and gives them.
    fn word(&mut self, x: Value) -> Value {
        self.builder.ins().uextend(types::I32, x)
    }

    /// What the host gives.
    fn of_host(&mut self, function: FuncRef, args: &[Value]) -> Value {
        let word = self.call(function, args);
        self.builder.ins().ireduce(types::I16, word)
    }

    /// The same number as an `f32`.
    pub(super) fn widened(&mut self, scalar: Scalar, x: Value) -> Value {
        let word = self.word(x);
        self.call(self.halves(scalar).widen, &[word])
    }

    /// An `f32`, rounded.
    pub(super) fn narrowed(&mut self, scalar: Scalar, x: Value) -> Value {
        let wide = self.builder.ins().fpromote(types::F64, x);
        self.of_host(self.halves(scalar).narrow, &[wide])
    }

    /// An operation that changes the sign alone.
    pub(super) fn half_sign(&mut self, op: UnOp, x: Value) -> Value {
        match op {
            UnOp::Abs => {
                let mask = self.builder.ins().iconst(types::I16, 0x7fff);
                self.builder.ins().band(x, mask)
            }
            _ => {
                let sign = self.builder.ins().iconst(types::I16, 0x8000);
                self.builder.ins().bxor(x, sign)
            }
        }
    }

    pub(super) fn half_binary(&mut self, op: BinOp, scalar: Scalar, x: Value, y: Value) -> Value {
        let [x, y] = [x, y].map(|operand| self.widened(scalar, operand));
        let wide = self.binary(op, Scalar::F32, x, y);
        self.narrowed(scalar, wide)
    }

    pub(super) fn half_compare(&mut self, op: CmpOp, scalar: Scalar, x: Value, y: Value) -> Value {
        let [x, y] = [x, y].map(|operand| self.widened(scalar, operand));
        self.compare(op, Scalar::F32, x, y)
    }

    pub(super) fn half_function(&mut self, function: Function, scalar: Scalar, operands: &[Value]) -> Value {
        if function == Function::Fma {
            let words: Vec<Value> = operands.iter().map(|x| self.word(*x)).collect();
            return self.of_host(self.halves(scalar).fused, &words);
        }
        let wide: Vec<Value> = operands.iter().map(|x| self.widened(scalar, *x)).collect();
        let result = self.elementary(function, Scalar::F32, &wide);
        self.narrowed(scalar, result)
    }

    /// A number of another type, rounded once.
    pub(super) fn half_of(&mut self, from: Scalar, to: Scalar, x: Value) -> Value {
        let function = match (from.kind(), from.bits()) {
            (Kind::Float, 64) => return self.of_host(self.halves(to).narrow, &[x]),
            (Kind::Float, 32) => return self.narrowed(to, x),
            (Kind::Float, _) => {
                let wide = self.widened(from, x);
                return self.narrowed(to, wide);
            }
            (Kind::Unsigned, 64) => self.halves(to).of_unsigned,
            _ => self.halves(to).of_signed,
        };
        let wide = self.integer(from, Scalar::I64, x);
        self.of_host(function, &[wide])
    }
}
