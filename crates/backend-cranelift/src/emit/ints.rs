//! Index terms and predicates. Arithmetic is total and cheap, so both sides of `&&` and `||` are computed, unless the
//! right one reads a buffer: it may rely on the left one.

use super::Emitter;
use atl_loops::{Bool, CmpOp, Int, IntOp, Scalar};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

/// The signed comparison.
pub(super) fn signed(op: CmpOp) -> IntCC {
    match op {
        CmpOp::Eq => IntCC::Equal,
        CmpOp::Ne => IntCC::NotEqual,
        CmpOp::Lt => IntCC::SignedLessThan,
        CmpOp::Le => IntCC::SignedLessThanOrEqual,
    }
}

impl Emitter<'_> {
    /// An index term.
    pub(super) fn int(&mut self, int: &Int) -> Value {
        match int {
            Int::Lit(value) => self.builder.ins().iconst(types::I64, *value),
            Int::Var(name) => match self.vars.get(name) {
                Some(value) => *value,
                // The validator has seen that every variable is bound.
                None => self.builder.ins().iconst(types::I64, 0),
            },
            Int::Bin(op, a, b) => {
                let (x, y) = (self.int(a), self.int(b));
                match op {
                    IntOp::Add => self.builder.ins().iadd(x, y),
                    IntOp::Sub => self.builder.ins().isub(x, y),
                    IntOp::Mul => self.builder.ins().imul(x, y),
                    IntOp::Min => self.builder.ins().smin(x, y),
                    IntOp::Max => self.builder.ins().smax(x, y),
                    IntOp::Div => self.floor_div(x, y),
                    IntOp::Mod => self.floor_mod(x, y),
                }
            }
            Int::Load(buf, cell) => {
                let value = self.load(buf, cell);
                // The validator has seen that it is no float.
                let scalar = self.scalar_of(buf);
                self.integer(scalar, Scalar::I64, value)
            }
        }
    }

    /// A predicate, as 0 or 1.
    pub(super) fn bool(&mut self, bool: &Bool) -> Value {
        match bool {
            Bool::Lit(value) => self.truth(*value),
            Bool::Cmp(op, a, b) => {
                let (x, y) = (self.int(a), self.int(b));
                self.builder.ins().icmp(signed(*op), x, y)
            }
            Bool::And(a, b) if b.reads() => {
                let x = self.bool(a);
                self.either(x, types::I8, |emitter| emitter.bool(b), |emitter| emitter.truth(false))
            }
            Bool::Or(a, b) if b.reads() => {
                let x = self.bool(a);
                self.either(x, types::I8, |emitter| emitter.truth(true), |emitter| emitter.bool(b))
            }
            Bool::And(a, b) => {
                let (x, y) = (self.bool(a), self.bool(b));
                self.builder.ins().band(x, y)
            }
            Bool::Or(a, b) => {
                let (x, y) = (self.bool(a), self.bool(b));
                self.builder.ins().bor(x, y)
            }
            Bool::Not(a) => {
                let x = self.bool(a);
                self.not(x)
            }
        }
    }

    /// A truth value.
    fn truth(&mut self, value: bool) -> Value {
        self.builder.ins().iconst(types::I8, i64::from(value))
    }

    /// The other truth value.
    pub(super) fn not(&mut self, x: Value) -> Value {
        let one = self.builder.ins().iconst(types::I8, 1);
        self.builder.ins().bxor(x, one)
    }

    /// A constant of the same integer type as a value.
    fn constant_like(&mut self, like: Value, value: i64) -> Value {
        let ty = self.builder.func.dfg.value_type(like);
        self.builder.ins().iconst(ty, value)
    }

    /// The divisor, or 1 where the machine's division would trap: at 0, and at -1 for the smallest number.
    /// Also says where it is 0 and where -1.
    fn safe_divisor(&mut self, y: Value) -> (Value, Value, Value) {
        let (zero, one, minus_one) =
            (self.constant_like(y, 0), self.constant_like(y, 1), self.constant_like(y, -1));
        let is_zero = self.builder.ins().icmp(IntCC::Equal, y, zero);
        let is_minus_one = self.builder.ins().icmp(IntCC::Equal, y, minus_one);
        let special = self.builder.ins().bor(is_zero, is_minus_one);
        (self.builder.ins().select(special, one, y), is_zero, is_minus_one)
    }

    /// Does truncating division of `x` by `y` with this remainder differ from floor division?
    fn rounds_up(&mut self, remainder: Value, y: Value) -> Value {
        let zero = self.constant_like(y, 0);
        let inexact = self.builder.ins().icmp(IntCC::NotEqual, remainder, zero);
        let signs = self.builder.ins().bxor(remainder, y);
        let differ = self.builder.ins().icmp(IntCC::SignedLessThan, signs, zero);
        self.builder.ins().band(inexact, differ)
    }

    /// Floor division of signed integers of one width; total, and wrapping.
    pub(super) fn floor_div(&mut self, x: Value, y: Value) -> Value {
        let (divisor, is_zero, is_minus_one) = self.safe_divisor(y);
        let quotient = self.builder.ins().sdiv(x, divisor);
        let remainder = self.builder.ins().srem(x, divisor);
        let correct = self.rounds_up(remainder, divisor);
        let (zero, one) = (self.constant_like(x, 0), self.constant_like(x, 1));
        let below = self.builder.ins().isub(quotient, one);
        let floor = self.builder.ins().select(correct, below, quotient);
        let negated = self.builder.ins().ineg(x);
        let floor = self.builder.ins().select(is_minus_one, negated, floor);
        self.builder.ins().select(is_zero, zero, floor)
    }

    /// The remainder of floor division; total.
    pub(super) fn floor_mod(&mut self, x: Value, y: Value) -> Value {
        // By 1, which stands for 0 and -1, the remainder is 0.
        let (divisor, is_zero, _) = self.safe_divisor(y);
        let remainder = self.builder.ins().srem(x, divisor);
        let correct = self.rounds_up(remainder, divisor);
        let above = self.builder.ins().iadd(remainder, divisor);
        let floor = self.builder.ins().select(correct, above, remainder);
        self.builder.ins().select(is_zero, x, floor)
    }
}
