//! `exp` and `log` as functions of the printed code: of a scalar, or of all lanes of a vector.
//!
//! Their operations are printed one a line. The line for a vector computes in each lane what the line for a scalar
//! computes: both have the bits of the interpreter.

use crate::terms::{Terms, c_type};
use crate::vectors::Vector;
use atl_c_text::Dialect;
use atl_loops::elementary::{Arithmetic, Format, exp, log};
use atl_loops::{Literal, Scalar, UnOp};
use std::fmt::Write;

/// The function.
pub(crate) fn text(op: UnOp, name: &str, lanes: Vector) -> String {
    let mut printer = Printer { lanes, text: String::new(), values: 0 };
    let result = if op == UnOp::Exp { exp(&mut printer, Value(0)) } else { log(&mut printer, Value(0)) };
    let (ty, scalar, bits) = (lanes.value_type(), c_type(lanes.scalar), 8 * lanes.scalar.size());
    let vector = if lanes.count == 1 {
        String::new()
    } else {
        format!(" __attribute__((vector_size({})))", lanes.bytes())
    };
    format!(
        "static inline {ty} {name}({ty} x0) {{\n  \
         typedef {scalar} real{vector};\n  typedef uint{bits}_t word{vector};\n  \
         typedef int{bits}_t number{vector};\n{}  return x{};\n}}\n",
        printer.text, result.0
    )
}

/// The name of the fused operation: GCC has a function for scalars only, so vectors have a helper.
fn mul_add_name(lanes: Vector) -> String {
    match (lanes.count, lanes.scalar) {
        (1, Scalar::F32) => "__builtin_fmaf".to_owned(),
        (1, _) => "__builtin_fma".to_owned(),
        _ => lanes.helper("mul_add"),
    }
}

/// The fused operation on vectors: what Clang makes of the lanes one by one is an instruction; GCC has to be told which.
pub(crate) fn mul_add(lanes: Vector) -> String {
    let (ty, name, bytes) = (lanes.c_type(), mul_add_name(lanes), lanes.bytes());
    let of_lane = mul_add_name(Vector { count: 1, ..lanes });
    let suffix = if lanes.scalar == Scalar::F32 { "ps" } else { "pd" };
    let each: Vec<String> =
        (0..lanes.count).map(|lane| format!("{of_lane}(a[{lane}], b[{lane}], c[{lane}])")).collect();
    let lanes = format!("  return ({ty}){{{}}};\n", each.join(", "));
    let (defined, whole) = match bytes {
        64 => ("__AVX512F__", format!("__builtin_ia32_vfmadd{suffix}512_mask(a, b, c, -1, 4)")),
        32 => ("__FMA__", format!("__builtin_ia32_vfmadd{suffix}256(a, b, c)")),
        16 => ("__FMA__", format!("__builtin_ia32_vfmadd{suffix}(a, b, c)")),
        _ => return format!("static inline {ty} {name}({ty} a, {ty} b, {ty} c) {{\n{lanes}}}\n"),
    };
    format!(
        "static inline {ty} {name}({ty} a, {ty} b, {ty} c) {{\n\
         #if defined({defined}) && !defined(__clang__)\n  return {whole};\n#else\n{lanes}#endif\n}}\n"
    )
}

/// Prints one line for each operation.
struct Printer {
    lanes: Vector,
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
        let literal = Terms::literal(Literal::F64(value).convert(self.lanes.scalar)).text;
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
        self.infix("real", a, "*", b)
    }

    fn mul_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        let fused = format!("{}(x{}, x{}, x{})", mul_add_name(self.lanes), a.0, b.0, c.0);
        self.line("real", &fused)
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
