//! Operations on the bits of integers: shifts whose count may be anything, counts of bits, high halves of
//! products, and the remainder of unsigned division.

use super::{Emitter, machine_type};
use atl_loops::{BinOp, Scalar, UnOp, is_unsigned};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};

impl Emitter<'_> {
    /// A shift; the machine's looks at the last bits of the count only.
    pub(super) fn shift(&mut self, op: BinOp, scalar: Scalar, x: Value, count: Value) -> Value {
        let ty = machine_type(scalar);
        let width = i64::from(scalar.bits());
        let last = self.builder.ins().iconst(ty, width - 1);
        // A negative count is a large one.
        let fits = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, count, width);
        let within = self.builder.ins().select(fits, count, last);
        let zero = self.builder.ins().iconst(ty, 0);
        match op {
            BinOp::Shl => {
                let moved = self.builder.ins().ishl(x, within);
                self.builder.ins().select(fits, moved, zero)
            }
            _ if is_unsigned(scalar) => {
                let moved = self.builder.ins().ushr(x, within);
                self.builder.ins().select(fits, moved, zero)
            }
            // Down to the last place, every bit is a copy of the sign.
            _ => self.builder.ins().sshr(x, within),
        }
    }

    /// A count of bits. Narrow integers are counted in 32 bits.
    pub(super) fn count_of_bits(&mut self, op: UnOp, scalar: Scalar, x: Value) -> Value {
        let (ty, bits) = (machine_type(scalar), i64::from(scalar.bits()));
        let (word, more): (Type, i64) = if bits < 32 { (types::I32, 32 - bits) } else { (ty, 0) };
        let wide = if more > 0 { self.builder.ins().uextend(word, x) } else { x };
        let counted = match op {
            UnOp::Popcount => self.builder.ins().popcnt(wide),
            UnOp::Clz => {
                let zeros = self.builder.ins().clz(wide);
                self.builder.ins().iadd_imm_s(zeros, -more)
            }
            // A bit above the width ends the zeros of 0.
            _ if more > 0 => {
                let ended = self.builder.ins().bor_imm_u(wide, 1 << bits);
                self.builder.ins().ctz(ended)
            }
            _ => self.builder.ins().ctz(wide),
        };
        if more > 0 { self.builder.ins().ireduce(ty, counted) } else { counted }
    }

    /// The high half of the product of integers of at most 32 bits, which is exact in 64.
    pub(super) fn high_product(&mut self, scalar: Scalar, x: Value, y: Value) -> Value {
        let [x, y] = [x, y].map(|operand| self.integer(scalar, Scalar::I64, operand));
        let product = self.builder.ins().imul(x, y);
        let high = self.builder.ins().ushr_imm_u(product, i64::from(scalar.bits()));
        self.builder.ins().ireduce(machine_type(scalar), high)
    }

    /// The remainder of unsigned division; `x` by 0.
    pub(super) fn unsigned_rem(&mut self, scalar: Scalar, x: Value, y: Value) -> Value {
        let ty = machine_type(scalar);
        let one = self.builder.ins().iconst(ty, 1);
        let is_zero = self.builder.ins().icmp_imm_u(IntCC::Equal, y, 0);
        let divisor = self.builder.ins().select(is_zero, one, y);
        let rest = self.builder.ins().urem(x, divisor);
        self.builder.ins().select(is_zero, x, rest)
    }
}
