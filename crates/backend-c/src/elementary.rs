//! Functions of floats as functions of the printed code: of scalars, or of all lanes of vectors.
//!
//! Their operations are printed one a line. The line for a vector computes in each lane what the line for a scalar
//! computes: both have the bits of the interpreter. Functions that compute in doubles what they give in singles take a
//! vector of singles in two halves, so that the doubles fill a register.

use crate::scalars::{c_type, literal};
use crate::vector_type::{ALWAYS, Vector};
use atl_loops::elementary::{Arithmetic, Format, RoundTo, TWO_OVER_PI_BITS, Turned, call};
use atl_loops::{Function, Literal, Scalar};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The name of the function.
pub(crate) fn name(function: Function, lanes: Vector) -> String {
    match lanes.count {
        1 => format!("atl_{}_{}", function.name(), lanes.scalar),
        _ => lanes.helper(function.name()),
    }
}

/// Does it compute in doubles?
fn is_wide(function: Function, scalar: Scalar) -> bool {
    scalar == Scalar::F32
        && matches!(function, Function::Erf | Function::Erfc | Function::Hypot | Function::Pow)
}

/// The lanes of half the vector, if the function takes them so.
pub(crate) fn halves(function: Function, lanes: Vector) -> Option<Vector> {
    let is_halved = is_wide(function, lanes.scalar) && lanes.count > 1 && lanes.count.is_multiple_of(2);
    is_halved.then_some(Vector { count: lanes.count / 2, ..lanes })
}

/// Does it call [`turn`] for huge arguments?
pub(crate) fn turns(function: Function) -> bool {
    matches!(function, Function::Cos | Function::Sin | Function::Tan)
}

/// The function's first line.
fn head(function: Function, name: &str, lanes: Vector) -> String {
    let ty = lanes.value_type();
    let params: Vec<String> = (0..function.arity()).map(|k| format!("{ty} x{k}")).collect();
    let inlined = if lanes.count == 1 { String::new() } else { format!("{ALWAYS} ") };
    format!("static inline {inlined}{ty} {name}({}) {{\n", params.join(", "))
}

/// The function.
pub(crate) fn text(function: Function, lanes: Vector) -> String {
    let head = head(function, &name(function, lanes), lanes);
    match halves(function, lanes) {
        Some(half) => head + &by_halves(function, lanes, half),
        None => head + &body(function, lanes),
    }
}

/// The name of the function on half a vector.
pub(crate) fn name_of_half(function: Function, half: Vector) -> String {
    match half.count {
        1 => name(function, half),
        _ => half.helper(&format!("{}_half", function.name())),
    }
}

/// The function on half a vector.
pub(crate) fn text_of_half(function: Function, half: Vector) -> String {
    head(function, &name_of_half(function, half), half) + &body(function, half)
}

/// The operations one by one, and the value that is the result.
fn operations(function: Function, lanes: Vector) -> (Text, Value) {
    let text = RefCell::new(Text {
        lines: String::new(),
        values: function.arity() - 1,
        types: BTreeSet::new(),
        fuses: false,
    });
    let printer = Printer { lanes, width: Width::Own, text: &text };
    let operands: Vec<Value> = (0..function.arity()).map(Value).collect();
    // There are as many operands as it takes.
    let result = call(&printer, function, &operands).unwrap_or(Value(0));
    (text.into_inner(), result)
}

/// Does it fuse a product and a sum of these lanes?
pub(crate) fn fuses(function: Function, lanes: Vector) -> bool {
    operations(function, lanes).0.fuses
}

/// The lines of the function.
fn body(function: Function, lanes: Vector) -> String {
    let (text, result) = operations(function, lanes);
    let own = types(lanes, Width::Own, &text);
    let wide = types(Vector { scalar: Scalar::F64, ..lanes }, Width::Wide, &text);
    format!("{own}{wide}{}  return x{};\n}}\n", text.lines, result.0)
}

/// The types that the lines name.
fn types(lanes: Vector, width: Width, text: &Text) -> String {
    let (scalar, bits) = (c_type(lanes.scalar), 8 * lanes.scalar.size());
    let vector = match lanes.count {
        1 => String::new(),
        _ => format!(" __attribute__((vector_size({})))", lanes.bytes()),
    };
    let all =
        [("real", scalar.to_owned()), ("word", format!("uint{bits}_t")), ("number", format!("int{bits}_t"))];
    let named = all.map(|(name, ty)| (width.of(name), ty)).into_iter();
    let used = named.filter(|(name, _)| text.types.contains(name));
    used.map(|(name, ty)| format!("  typedef {ty} {name}{vector};\n")).collect()
}

/// The two halves of the vector.
fn by_halves(function: Function, lanes: Vector, half: Vector) -> String {
    let (ty, part, of_half) = (lanes.c_type(), half.value_type(), name_of_half(function, half));
    let operands = |k: usize| -> Vec<String> {
        (0..function.arity()).map(|x| format!("(({n}){{x{x}}}).half[{k}]", n = "union halves")).collect()
    };
    format!(
        "  union halves {{ {ty} whole; {part} half[2]; }} result;\n  \
         result.half[0] = {of_half}({});\n  \
         result.half[1] = {of_half}({});\n  \
         return result.whole;\n}}\n",
        operands(0).join(", "),
        operands(1).join(", ")
    )
}

/// What is left of a huge angle, by the steps of [`atl_loops::elementary::turn`].
pub(crate) fn turn() -> String {
    let digits: Vec<String> = TWO_OVER_PI_BITS.iter().map(|word| format!("UINT64_C({word})")).collect();
    include_str!("turn.txt").replace("DIGITS", &digits.join(", "))
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
        _ => return format!("static inline {ALWAYS} {ty} {name}({ty} a, {ty} b, {ty} c) {{\n{lanes}}}\n"),
    };
    format!(
        "static inline {ALWAYS} {ty} {name}({ty} a, {ty} b, {ty} c) {{\n\
         #if defined({defined}) && !defined(__clang__)\n  return {whole};\n#else\n{lanes}#endif\n}}\n"
    )
}

/// The lines, and how many values there are.
struct Text {
    lines: String,
    values: usize,
    /// The types that the lines name.
    types: BTreeSet<String>,
    /// Does a line fuse a product and a sum?
    fuses: bool,
}

/// Which floats a printer's operations are on.
#[derive(Clone, Copy, PartialEq)]
enum Width {
    /// Those of the function.
    Own,
    /// Doubles, of a function on singles.
    Wide,
}

impl Width {
    /// The name of one of its types.
    fn of(self, name: &str) -> String {
        match self {
            Width::Own => name.to_owned(),
            Width::Wide => format!("wide_{name}"),
        }
    }
}

/// Prints one line for each operation.
struct Printer<'t> {
    lanes: Vector,
    width: Width,
    text: &'t RefCell<Text>,
}

/// A value that has been printed: `x` and its number. Those of the parameters begin at 0.
#[derive(Clone, Copy)]
struct Value(usize);

impl Printer<'_> {
    /// The name of a type, which the function defines.
    fn ty(&self, name: &str) -> String {
        let name = self.width.of(name);
        self.text.borrow_mut().types.insert(name.clone());
        name
    }

    fn line(&self, ty: &str, expression: &str) -> Value {
        let ty = self.ty(ty);
        self.defined(&ty, expression)
    }

    fn defined(&self, ty: &str, expression: &str) -> Value {
        let mut text = self.text.borrow_mut();
        text.values += 1;
        let k = text.values;
        // Writing to a string does not fail.
        let _ = writeln!(text.lines, "  {ty} x{k} = {expression};");
        Value(k)
    }

    fn infix(&self, ty: &str, a: Value, symbol: &str, b: Value) -> Value {
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

    /// A function that compilers know, of each lane.
    fn builtin(&self, name: &str, operands: &[Value]) -> Value {
        let suffix = if self.lanes.scalar == Scalar::F32 { "f" } else { "" };
        let of = |lane: &str| {
            let operands: Vec<String> = operands.iter().map(|x| format!("x{}{lane}", x.0)).collect();
            format!("__builtin_{name}{suffix}({})", operands.join(", "))
        };
        if !self.is_vector() {
            return self.line("real", &of(""));
        }
        let lanes: Vec<String> = (0..self.lanes.count).map(|k| of(&format!("[{k}]"))).collect();
        self.line("real", &format!("({}){{{}}}", self.ty("real"), lanes.join(", ")))
    }

    /// A value of this type whose text is converted to it.
    fn cast(&self, ty: &str, expression: &str) -> Value {
        self.line(ty, &format!("({}){expression}", self.ty(ty)))
    }

    fn another(&self, scalar: Scalar, width: Width) -> Self {
        Printer { lanes: Vector { scalar, ..self.lanes }, width, text: self.text }
    }

    /// The number as one of another format.
    fn converted(&self, to: &Printer<'_>, a: Value) -> Value {
        let real = to.ty("real");
        match self.is_vector() {
            true => to.line("real", &format!("__builtin_convertvector(x{}, {real})", a.0)),
            false => to.line("real", &format!("({real})x{}", a.0)),
        }
    }
}

impl<'t> Arithmetic for Printer<'t> {
    type Float = Value;
    type Int = Value;
    type Mask = Value;
    type WideFloat = Value;
    type Wide = Printer<'t>;

    fn format(&self) -> Format {
        if self.lanes.scalar == Scalar::F32 { Format::F32 } else { Format::F64 }
    }

    fn wide(&self) -> Printer<'t> {
        self.another(Scalar::F64, Width::Wide)
    }

    fn widen(&self, a: Value) -> Value {
        self.converted(&self.wide(), a)
    }

    fn narrow(&self, a: Value) -> Value {
        self.converted(self, a)
    }

    fn float(&self, value: f64) -> Value {
        let literal = literal(Literal::F64(value).convert(self.lanes.scalar)).text;
        let real = self.ty("real");
        let spread = if self.is_vector() { format!(" - ({real}){{0}}") } else { String::new() };
        self.defined(&format!("const {real}"), &format!("{literal}{spread}"))
    }

    fn add(&self, a: Value, b: Value) -> Value {
        self.infix("real", a, "+", b)
    }

    fn sub(&self, a: Value, b: Value) -> Value {
        self.infix("real", a, "-", b)
    }

    fn mul(&self, a: Value, b: Value) -> Value {
        self.infix("real", a, "*", b)
    }

    fn mul_add(&self, a: Value, b: Value, c: Value) -> Value {
        self.text.borrow_mut().fuses = true;
        let fused = format!("{}(x{}, x{}, x{})", mul_add_name(self.lanes), a.0, b.0, c.0);
        self.line("real", &fused)
    }

    fn div(&self, a: Value, b: Value) -> Value {
        self.infix("real", a, "/", b)
    }

    fn sqrt(&self, a: Value) -> Value {
        self.builtin("sqrt", &[a])
    }

    fn neg(&self, a: Value) -> Value {
        self.line("real", &format!("-x{}", a.0))
    }

    fn abs(&self, a: Value) -> Value {
        if !self.is_vector() {
            return self.builtin("fabs", &[a]);
        }
        let bits = self.bits(a);
        let size =
            self.and_int(bits, if self.lanes.scalar == Scalar::F32 { i64::from(i32::MAX) } else { i64::MAX });
        self.of_bits(size)
    }

    fn rounded(&self, to: RoundTo, a: Value) -> Value {
        let name = match to {
            RoundTo::Down => "floor",
            RoundTo::Up => "ceil",
            RoundTo::Zero => "trunc",
            RoundTo::Even => "rint",
        };
        self.builtin(name, &[a])
    }

    fn remainder(&self, a: Value, b: Value) -> Value {
        self.builtin("fmod", &[a, b])
    }

    fn less(&self, a: Value, b: Value) -> Value {
        self.infix("number", a, "<", b)
    }

    fn equal(&self, a: Value, b: Value) -> Value {
        self.infix("number", a, "==", b)
    }

    fn choose(&self, mask: Value, a: Value, b: Value) -> Value {
        let (mask, a, b) = (mask.0, a.0, b.0);
        let (real, number) = (self.ty("real"), self.ty("number"));
        let choice = if self.is_vector() {
            format!("({real})((({number})x{a} & x{mask}) | (({number})x{b} & ~x{mask}))")
        } else {
            format!("x{mask} ? x{a} : x{b}")
        };
        self.line("real", &choice)
    }

    fn both(&self, a: Value, b: Value) -> Value {
        self.infix("number", a, "&", b)
    }

    fn either(&self, a: Value, b: Value) -> Value {
        self.infix("number", a, "|", b)
    }

    fn not(&self, a: Value) -> Value {
        self.line("number", &format!("{}x{}", if self.is_vector() { "~" } else { "!" }, a.0))
    }

    fn huge_turn(&self, mask: Value, x: Value, given: Turned<Value, Value>) -> Turned<Value, Value> {
        let high = self.line("real", &format!("x{}", given.high.0));
        let low = self.line("real", &format!("x{}", given.low.0));
        let quarters = self.line("word", &format!("x{}", given.quarters.0));
        let (lane, is_any, each) = if self.is_vector() {
            let any: Vec<String> = (0..self.lanes.count).map(|k| format!("x{}[{k}]", mask.0)).collect();
            let each = format!("for (int k = 0; k < {}; k++) if (x{}[k]) ", self.lanes.count, mask.0);
            ("[k]", any.join(" | "), each)
        } else {
            ("", format!("x{}", mask.0), String::new())
        };
        let scalar = c_type(self.lanes.scalar);
        let rest = if self.lanes.scalar == Scalar::F32 { "high - (double)(float)high" } else { "low" };
        // Writing to a string does not fail.
        let _ = writeln!(
            self.text.borrow_mut().lines,
            "  if (__builtin_expect(({is_any}) != 0, 0)) {each}{{\n    double high, low;\n    \
             x{q}{lane} = ({word})atl_turn(x{x}{lane}, &high, &low);\n    \
             x{h}{lane} = ({scalar})high;\n    x{l}{lane} = ({scalar})({rest});\n  }}",
            x = x.0,
            h = high.0,
            l = low.0,
            q = quarters.0,
            word = if self.lanes.scalar == Scalar::F32 { "uint32_t" } else { "uint64_t" }
        );
        Turned { high, low, quarters }
    }

    fn bits(&self, a: Value) -> Value {
        let bits = if self.is_vector() {
            format!("({})x{}", self.ty("word"), a.0)
        } else {
            let (real, word) = (self.ty("real"), self.ty("word"));
            format!("((union {{ {real} of; {word} bits; }}){{.of = x{}}}).bits", a.0)
        };
        self.line("word", &bits)
    }

    fn of_bits(&self, a: Value) -> Value {
        let float = if self.is_vector() {
            format!("({})x{}", self.ty("real"), a.0)
        } else {
            let (real, word) = (self.ty("real"), self.ty("word"));
            format!("((union {{ {word} bits; {real} of; }}){{.bits = x{}}}).of", a.0)
        };
        self.line("real", &float)
    }

    fn add_int(&self, a: Value, b: i64) -> Value {
        let b = self.word(b);
        self.line("word", &format!("x{} + {b}", a.0))
    }

    fn sub_int(&self, a: Value, b: Value) -> Value {
        self.infix("word", a, "-", b)
    }

    fn mul_int(&self, a: Value, b: i64) -> Value {
        let b = self.word(b);
        self.line("word", &format!("x{} * {b}", a.0))
    }

    fn and_int(&self, a: Value, b: i64) -> Value {
        let b = self.word(b);
        self.line("word", &format!("x{} & {b}", a.0))
    }

    fn xor_int(&self, a: Value, b: Value) -> Value {
        self.infix("word", a, "^", b)
    }

    fn shift_left(&self, a: Value, by: u32) -> Value {
        self.line("word", &format!("x{} << {by}", a.0))
    }

    fn shift_right(&self, a: Value, by: u32) -> Value {
        self.cast("word", &format!("(({})x{} >> {by})", self.ty("number"), a.0))
    }

    fn is_set(&self, a: Value) -> Value {
        self.line("number", &format!("x{} != 0", a.0))
    }
}
