//! `exp` and `log` as functions of the printed code: of a scalar, or of all lanes of a vector.
//!
//! Their operations are printed one a line. The line for a vector computes in each lane what the line for a scalar
//! computes: both have the bits of the interpreter. Where the compiler may fuse products with sums, each product passes
//! through a statement about which it knows nothing.

use crate::Rounding;
use crate::terms::{c_type, literal_code};
use crate::vectors::Vector;
use atl_loops::elementary::{Arithmetic, Format, exp, log};
use atl_loops::{Literal, Scalar, UnOp};
use std::fmt::Write;

/// The function.
pub(crate) fn text(op: UnOp, name: &str, lanes: Vector, rounding: Rounding) -> String {
    let mut printer = Printer { lanes, rounding, text: String::new(), values: 0 };
    let result = if op == UnOp::Exp { exp(&mut printer, Value(0)) } else { log(&mut printer, Value(0)) };
    let (ty, scalar, bits) = (lanes.value_type(), c_type(lanes.scalar), 8 * lanes.scalar.size());
    let vector = if lanes.count == 1 {
        String::new()
    } else {
        format!(" __attribute__((vector_size({})))", lanes.bytes())
    };
    let (before, after) = if rounding == Rounding::Real {
        (rounded(lanes.bytes()), "#undef ATL_ROUNDED\n")
    } else {
        (String::new(), "")
    };
    format!(
        "{before}static inline {ty} {name}({ty} x0) {{\n  \
         typedef {scalar} real{vector};\n  typedef uint{bits}_t word{vector};\n  \
         typedef int{bits}_t number{vector};\n{}  return x{};\n}}\n{after}",
        printer.text, result.0
    )
}

/// A statement about a value of this many bytes that hides from the compiler how it was computed: in a register, where
/// that is large enough.
fn rounded(bytes: usize) -> String {
    format!(
        "#if defined(__x86_64__) && {bytes} <= __BIGGEST_ALIGNMENT__\n\
         #define ATL_ROUNDED(x) __asm__(\"\" : \"+v\"(x))\n\
         #elif defined(__aarch64__) && {bytes} <= 16\n\
         #define ATL_ROUNDED(x) __asm__(\"\" : \"+w\"(x))\n\
         #else\n\
         #define ATL_ROUNDED(x) __asm__(\"\" : \"+m\"(x))\n\
         #endif\n"
    )
}

/// Prints one line for each operation.
struct Printer {
    lanes: Vector,
    rounding: Rounding,
    text: String,
    values: usize,
}

/// A value that has been printed: `x` and its number. That of the parameter is 0.
#[derive(Clone, Copy)]
struct Value(usize);

impl Printer {
    fn line(&mut self, ty: &str, expression: &str) -> Value {
        self.values += 1;
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "  {ty} x{} = {expression};", self.values);
        Value(self.values)
    }

    fn infix(&mut self, ty: &str, a: Value, symbol: &str, b: Value) -> Value {
        self.line(ty, &format!("x{} {symbol} x{}", a.0, b.0))
    }

    fn is_vector(&self) -> bool {
        self.lanes.count > 1
    }

    /// The bits of a number, as C.
    fn word(&self, value: i64) -> String {
        match self.lanes.scalar {
            Scalar::F32 => format!("UINT32_C({})", value as u32),
            _ => format!("UINT64_C({})", value.cast_unsigned()),
        }
    }
}

impl Arithmetic for Printer {
    type Float = Value;
    type Int = Value;
    type Mask = Value;

    fn format(&self) -> Format {
        if self.lanes.scalar == Scalar::F32 { Format::F32 } else { Format::F64 }
    }

    fn float(&mut self, value: f64) -> Value {
        let literal = literal_code(Literal::F64(value).convert(self.lanes.scalar)).text;
        let spread = if self.is_vector() { " - (real){0}" } else { "" };
        self.line("const real", &format!("{literal}{spread}"))
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.infix("real", a, "+", b)
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        self.infix("real", a, "-", b)
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        let product = self.infix("real", a, "*", b);
        if self.rounding == Rounding::Real {
            let _ = writeln!(self.text, "  ATL_ROUNDED(x{});", product.0);
        }
        product
    }

    fn div(&mut self, a: Value, b: Value) -> Value {
        self.infix("real", a, "/", b)
    }

    fn less(&mut self, a: Value, b: Value) -> Value {
        self.line("number", &format!("x{} < x{}", a.0, b.0))
    }

    fn choose(&mut self, mask: Value, a: Value, b: Value) -> Value {
        let (mask, a, b) = (mask.0, a.0, b.0);
        let choice = if self.is_vector() {
            format!("(real)(((number)x{a} & x{mask}) | ((number)x{b} & ~x{mask}))")
        } else {
            format!("x{mask} ? x{a} : x{b}")
        };
        self.line("real", &choice)
    }

    fn bits(&mut self, a: Value) -> Value {
        let bits = if self.is_vector() {
            format!("(word)x{}", a.0)
        } else {
            format!("((union {{ real of; word bits; }}){{.of = x{}}}).bits", a.0)
        };
        self.line("word", &bits)
    }

    fn of_bits(&mut self, a: Value) -> Value {
        let float = if self.is_vector() {
            format!("(real)x{}", a.0)
        } else {
            format!("((union {{ word bits; real of; }}){{.bits = x{}}}).of", a.0)
        };
        self.line("real", &float)
    }

    fn add_int(&mut self, a: Value, b: i64) -> Value {
        let b = self.word(b);
        self.line("word", &format!("x{} + {b}", a.0))
    }

    fn sub_int(&mut self, a: Value, b: Value) -> Value {
        self.infix("word", a, "-", b)
    }

    fn and_int(&mut self, a: Value, b: i64) -> Value {
        let b = self.word(b);
        self.line("word", &format!("x{} & {b}", a.0))
    }

    fn shift_left(&mut self, a: Value, by: u32) -> Value {
        self.line("word", &format!("x{} << {by}", a.0))
    }

    fn shift_right(&mut self, a: Value, by: u32) -> Value {
        self.line("word", &format!("(word)((number)x{} >> {by})", a.0))
    }
}
