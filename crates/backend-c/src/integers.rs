//! Operations on vectors of integers.
//!
//! One idea: integers wrap, and C's signed ones must not. So sums and products are of the unsigned type of
//! the same width, and the bits are those of either.
//!
//! **Conversions.** GCC makes several instructions of a conversion to a wider type, where machines have one.
//! One to four times the width, or to a fourth of it, it takes apart, lane by lane. So the text has that
//! instruction where it is known to be, and elsewhere each step makes numbers twice as wide, or half.

use crate::scalars::c_type;
use crate::terms::Terms;
use crate::vector_type::{ALWAYS, Vector};
use crate::vectors::Helper;
use atl_c_text::Code;
use atl_loops::vector_operations::{divisor, shifted};
use atl_loops::{BinOp, Kind, Scalar, UnOp, Val};

/// The unsigned type of the same width.
pub(crate) fn unsigned(scalar: Scalar) -> Scalar {
    match scalar.bits() {
        8 => Scalar::U8,
        16 => Scalar::U16,
        32 => Scalar::U32,
        _ => Scalar::U64,
    }
}

/// The signed type of the same width.
pub(crate) fn signed(scalar: Scalar) -> Scalar {
    match scalar.bits() {
        8 => Scalar::I8,
        16 => Scalar::I16,
        32 => Scalar::I32,
        _ => Scalar::I64,
    }
}

impl Terms {
    /// A binary operation on vectors of integers that `Lanes` has; of a shift, the second operand is a
    /// literal.
    pub(crate) fn integer_binary(
        &mut self,
        op: BinOp,
        vector: Vector,
        [a, b]: [&Code; 2],
        second: Option<&Val>,
    ) -> Code {
        let (a, b) = (a.operand(), b.operand());
        let wrapping = |terms: &mut Terms, symbol: &str| {
            let (own, word) = terms.pair(vector, unsigned(vector.scalar));
            Code::loose(format!("({own})(({word}){a} {symbol} ({word}){b})"))
        };
        match op {
            BinOp::Add => wrapping(self, "+"),
            BinOp::Sub => wrapping(self, "-"),
            BinOp::Mul => wrapping(self, "*"),
            BinOp::BitAnd => Code::loose(format!("{a} & {b}")),
            BinOp::BitOr => Code::loose(format!("{a} | {b}")),
            BinOp::BitXor => Code::loose(format!("{a} ^ {b}")),
            BinOp::Shl | BinOp::Shr => {
                // `Lanes` has refused other counts.
                let by = second.and_then(|by| shifted(by, vector.scalar)).unwrap_or(0);
                let (symbol, scalar) = match op {
                    BinOp::Shl => ("<<", unsigned(vector.scalar)),
                    _ => (">>", vector.scalar),
                };
                let (own, word) = self.pair(vector, scalar);
                Code::loose(format!("({own})(({word}){a} {symbol} {by})"))
            }
            BinOp::Min => Code::atom(format!("{}({a}, {b})", self.vectors.helper(Helper::Min, vector))),
            BinOp::Max => Code::atom(format!("{}({a}, {b})", self.vectors.helper(Helper::Max, vector))),
            BinOp::Div => {
                // `Lanes` has refused others.
                let by = second.and_then(|by| divisor(by, vector.scalar)).unwrap_or(1);
                Code::atom(format!("{}({a}, {by})", self.vectors.helper(Helper::Quotient, vector)))
            }
            // No vectors do these.
            BinOp::Rem | BinOp::MulHi | BinOp::And | BinOp::Or => Code::atom(a),
        }
    }

    /// A unary operation on vectors of integers that `Lanes` has.
    pub(crate) fn integer_unary(&mut self, op: UnOp, vector: Vector, a: &Code) -> Code {
        match op {
            UnOp::Neg => {
                let (own, word) = self.pair(vector, unsigned(vector.scalar));
                Code::loose(format!("({own})-({word}){}", a.operand()))
            }
            UnOp::BitNot => Code::loose(format!("~{}", a.operand())),
            UnOp::Abs if vector.scalar.kind() == Kind::Signed => {
                Code::atom(format!("{}({})", self.vectors.helper(Helper::Magnitude, vector), a.text))
            }
            // A number without sign is its own magnitude, and no vectors do the others.
            UnOp::Abs | UnOp::Popcount | UnOp::Clz | UnOp::Ctz | UnOp::Not => a.clone(),
        }
    }

    /// The C types of a vector, and of one with as many lanes of another scalar.
    fn pair(&mut self, vector: Vector, scalar: Scalar) -> (String, String) {
        (self.vector_type(vector), self.vector_type(Vector { scalar, ..vector }))
    }
}

impl Vector {
    /// The absolute value; of the least number, the number itself.
    pub(crate) fn magnitude(self) -> String {
        let (ty, function) = (self.c_type(), self.helper("abs"));
        let (bytes, word, last) =
            (self.bytes(), c_type(unsigned(self.scalar)), self.scalar.bits().saturating_sub(1));
        format!(
            "static inline {ALWAYS} {ty} {function}({ty} a) {{\n  \
             typedef {word} word __attribute__((vector_size({bytes})));\n  \
             const word sign = (word)(a >> {last});\n  \
             return ({ty})(((word)a ^ sign) - sign);\n}}\n"
        )
    }

    /// The first operand in the lanes that a mask has, the second in the others.
    pub(crate) fn blend(self) -> String {
        let (ty, function, mask) =
            (self.c_type(), self.helper("blend"), Vector { scalar: signed(self.scalar), ..self });
        let mask = mask.c_type();
        format!(
            "static inline {ALWAYS} {ty} {function}({mask} m, {ty} a, {ty} b) {{\n  \
             return ({ty})((({mask})a & m) | (({mask})b & ~m));\n}}\n"
        )
    }

    /// A number, and one more `step` in each lane after the first.
    pub(crate) fn counted(self) -> String {
        let (ty, function, number) = (self.c_type(), self.helper("counted"), c_type(unsigned(self.scalar)));
        let word = Vector { scalar: unsigned(self.scalar), ..self }.c_type();
        let lanes: Vec<String> = (0..self.count).map(|k| k.to_string()).collect();
        format!(
            "static inline {ALWAYS} {ty} {function}(int64_t first, int64_t step) {{\n  \
             return ({ty})((({word}){{{}}}) * ({number})step + ({number})first);\n}}\n",
            lanes.join(", ")
        )
    }

    /// Integers of another type, converted.
    pub(crate) fn converted(self, from: Scalar, name: &str) -> String {
        let (ty, function) = (self.c_type(), self.helper(name));
        let cells = Vector { scalar: from, ..self }.c_type();
        let (mut types, mut value) = (String::new(), "v".to_owned());
        for bytes in steps(from.size(), self.scalar.size()) {
            // Each step keeps the sign that the numbers have.
            let number = c_type(of_size(from, bytes));
            types += &format!(
                "  typedef {number} numbers_{bytes} __attribute__((vector_size({})));\n",
                bytes * self.count as usize
            );
            value = format!("__builtin_convertvector({value}, numbers_{bytes})");
        }
        let in_steps = format!("{types}  return ({ty}){value};\n");
        let body = match self.widening(from) {
            Some((feature, call)) => {
                let operand = Vector { scalar: from, ..self }.bytes();
                let cells =
                    format!("  typedef {} from __attribute__((vector_size({operand})));\n", native(from));
                let zeros = match self.bytes() {
                    64 => format!("  typedef {} to __attribute__((vector_size(64)));\n", native(self.scalar)),
                    _ => String::new(),
                };
                format!(
                    "#if defined({feature}) && !defined(__clang__)\n{cells}{zeros}  \
                     return ({ty})__builtin_ia32_{call};\n#else\n{in_steps}#endif\n"
                )
            }
            None => in_steps,
        };
        format!("static inline {ALWAYS} {ty} {function}({cells} v) {{\n{body}}}\n")
    }

    /// The machine's instruction for integers of a narrower type, if it has one with these lanes: when, and
    /// the end of its name with operands.
    fn widening(self, from: Scalar) -> Option<(&'static str, String)> {
        let letter = |scalar: Scalar| ["b", "w", "d", "q"][scalar.size().trailing_zeros() as usize % 4];
        let extension = if from.kind() == Kind::Signed { "sx" } else { "zx" };
        let name = format!("pmov{extension}{}{}", letter(from), letter(self.scalar));
        // Compilers' functions of shorter operands are of whole registers.
        let is_whole = self.scalar.size() > from.size() && from.size() * self.count as usize >= 16;
        match (self.bytes(), from.size()) {
            _ if !is_whole => None,
            (64, 1) if self.scalar.size() == 2 => {
                Some(("__AVX512BW__", format!("{name}512_mask((from)v, (to){{0}}, -1)")))
            }
            (64, _) => Some(("__AVX512F__", format!("{name}512_mask((from)v, (to){{0}}, -1)"))),
            (32, _) => Some(("__AVX2__", format!("{name}256((from)v)"))),
            _ => None,
        }
    }

    /// A quotient by one number, which is a literal where this is called.
    pub(crate) fn quotient(self) -> String {
        let (ty, function, number) = (self.c_type(), self.helper("div"), c_type(self.scalar));
        format!("static inline {ALWAYS} {ty} {function}({ty} a, {number} b) {{\n  return a / b;\n}}\n")
    }

    /// Integers of another type, `step` cells apart, converted in the lanes whose bits are set, and zeros.
    pub(crate) fn apart(self, from: Scalar, name: &str) -> String {
        let (ty, function, cell) = (self.c_type(), self.helper(name), c_type(from));
        format!(
            "static inline {ALWAYS} {ty} {function}(const {cell} *p, int64_t i, int64_t step, uint64_t on) {{\n  \
             {ty} v = {{0}};\n  \
             for (int k = 0; k < {}; k++) if (on >> k & 1) v[k] = ({})p[i + k * step];\n  \
             return v;\n}}\n",
            self.count,
            c_type(self.scalar)
        )
    }
}

/// The sizes by which a number of this many bytes becomes one of that many: each doubles it, or halves it.
fn steps(from: usize, to: usize) -> impl Iterator<Item = usize> {
    let next = move |size: &usize| match from < to {
        true => Some(size * 2).filter(|size| *size <= to),
        false => Some(size / 2).filter(|size| *size >= to),
    };
    std::iter::successors(next(&from), next)
}

/// What compilers' own functions call integers of this size.
pub(crate) fn native(scalar: Scalar) -> &'static str {
    match scalar.size() {
        1 => "char",
        2 => "short",
        4 => "int",
        _ => "long long",
    }
}

/// An integer type of so many bytes, with or without sign as this one.
fn of_size(scalar: Scalar, bytes: usize) -> Scalar {
    let wide = match bytes {
        1 => Scalar::U8,
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    };
    if scalar.kind() == Kind::Signed { signed(wide) } else { wide }
}
