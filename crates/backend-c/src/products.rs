//! Sums of two or four products of narrow integers, added to each lane of 32 bits.
//!
//! One idea: a lane holds the numbers of one sum side by side, four bytes or two numbers of 16 bits, and
//! machines multiply and add them within lanes. Their instructions want a number with a sign, or one
//! without and one with; other numbers are moved by half their range, which flips a bit, and what that adds
//! is taken back: it depends on one operand only, so a tile computes it once for all of its rows. All of
//! this is modulo 2^32, as the sum is, so every bit is that of the plain loop.
//!
//! Four products of bytes are `vpdpbusd`, or twice two products of 16 bits; two products are `vpdpwssd` or
//! `pmaddwd`. Where a machine has none of them, lanes are taken apart by shifts.

use crate::scalars::c_type;
use crate::vector_type::{ALWAYS, Vector};
use atl_loops::dot::Factor;
use atl_loops::{Kind, Scalar};

/// What is multiplied, and how many products are added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Products {
    terms: u32,
    first: Operand,
    second: Operand,
}

/// An operand: its type, and whether each lane has its own numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Operand {
    scalar: Scalar,
    varies: bool,
}

impl Operand {
    fn of(factor: &Factor<'_>) -> Operand {
        Operand { scalar: factor.scalar, varies: factor.varies }
    }

    fn is_signed(self) -> bool {
        self.scalar.kind() == Kind::Signed
    }

    /// Its numbers once they are of 16 bits: those of bytes fit with their sign.
    fn wide(self) -> Scalar {
        if self.scalar.bits() == 8 { Scalar::I16 } else { self.scalar }
    }
}

impl Products {
    /// So many products of these factors.
    pub(crate) fn of(terms: u32, [first, second]: [&Factor<'_>; 2]) -> Products {
        Products { terms, first: Operand::of(first), second: Operand::of(second) }
    }

    /// `dot4_of_i8_i8`: the first operand is the same in all lanes.
    pub(crate) fn name(self) -> String {
        let of = if self.first.varies { "" } else { "of_" };
        format!("dot{}_{of}{}_{}", self.terms, self.first.scalar, self.second.scalar)
    }

    /// The function: the sum so far, and where the numbers of the operands begin.
    pub(crate) fn text(self, vector: Vector) -> String {
        let (ty, function, bytes) = (vector.c_type(), vector.helper(&self.name()), vector.bytes());
        let [a, b] = [self.first, self.second].map(|operand| c_type(operand.scalar));
        let mut text = format!(
            "static inline {ALWAYS} {ty} {function}({ty} sum, const {a} *p, const {b} *q) {{\n  \
             typedef int word __attribute__((vector_size({bytes})));\n  \
             typedef unsigned wrap __attribute__((vector_size({bytes})));\n"
        );
        let loads = [("a", "p", self.first), ("b", "q", self.second)];
        for (name, from, operand) in loads {
            text += &load(name, from, operand, self.terms, vector);
        }
        text += &match self.terms {
            4 => self.bytes_text(vector),
            _ => self.pairs_text(vector),
        };
        text + "}\n"
    }

    /// Four products of bytes.
    fn bytes_text(self, vector: Vector) -> String {
        let ty = vector.c_type();
        let flipped = |name: &str| format!("({name} ^ flip)");
        // Which operand goes without sign, which with one, and what is taken back: 128 times the sum of
        // `b`, with its sign.
        let (unsigned, signed, back) = match (self.first.is_signed(), self.second.is_signed()) {
            (false, true) => ("a".to_owned(), "b".to_owned(), None),
            (true, false) => ("b".to_owned(), "a".to_owned(), None),
            (true, true) => (flipped("a"), "b".to_owned(), Some(["flip", "b"])),
            (false, false) => ("b".to_owned(), flipped("a"), Some(["b", "flip"])),
        };
        let flip = if back.is_some() { "  const word flip = (word){0} + (int)0x80808080u;\n" } else { "" };
        let fast = |call: &str| {
            let sum = format!("(wrap){call}((word)sum, {unsigned}, {signed})");
            let sum = match back {
                Some([x, y]) => format!("{sum} - (wrap){call}((word){{0}}, {x}, {y})"),
                None => sum,
            };
            format!("{flip}  return ({ty})({sum});\n")
        };
        let plain = {
            let halves = [("even", "<< 8"), ("odd", "")].map(|(name, up)| {
                let half = |operand: Operand, of: &str| {
                    let number = if operand.is_signed() { "halves" } else { "whole" };
                    let up = if up.is_empty() { String::new() } else { format!(" {up}") };
                    format!("(halves)(({number})(((whole){of}){up}) >> 8)")
                };
                format!(
                    "  const halves {name}_a = {}, {name}_b = {};\n",
                    half(self.first, "a"),
                    half(self.second, "b")
                )
            });
            let bytes = vector.bytes();
            format!(
                "  typedef short halves __attribute__((vector_size({bytes})));\n  \
                 typedef unsigned short whole __attribute__((vector_size({bytes})));\n{}{}",
                halves.concat(),
                pairs(vector, |madd| {
                    let both = [madd("even_a", "even_b"), madd("odd_a", "odd_b")].join(" + ");
                    format!("  return ({ty})((wrap)sum + {both});\n")
                })
            )
        };
        let Some(width) = width(vector) else { return plain };
        let feature = if width == "512" { "defined(__AVX512VNNI__)" } else { VNNI };
        let gcc = fast(&format!("__builtin_ia32_vpdpbusd_v{}si", vector.count));
        let clang = fast(&format!("__builtin_ia32_vpdpbusd{width}"));
        format!("#if {feature}\n#ifdef __clang__\n{clang}#else\n{gcc}#endif\n#else\n{plain}#endif\n")
    }

    /// Two products of numbers of 16 bits.
    fn pairs_text(self, vector: Vector) -> String {
        let (ty, bytes) = (vector.c_type(), vector.bytes());
        let moved = |operand: Operand| operand.wide() == Scalar::U16;
        let shift = |operand: Operand| if moved(operand) { " ^ half" } else { "" };
        let head = format!(
            "  typedef short halves __attribute__((vector_size({bytes})));\n{}  \
             const halves x = (halves)(a{}), y = (halves)(b{});\n",
            if moved(self.first) || moved(self.second) {
                "  const word half = (word){0} + (int)0x80008000u, ones = (word){0} + 0x10001;\n"
            } else {
                ""
            },
            shift(self.first),
            shift(self.second)
        );
        // (x + h)(y + h) = x y + h x + h y + h h for h = 2^15, twice.
        let back = |madd: &dyn Fn(&str, &str) -> String| match (moved(self.first), moved(self.second)) {
            (false, false) => String::new(),
            (true, false) => format!(" + ({} << 15)", madd("y", "(halves)ones")),
            (false, true) => format!(" + ({} << 15)", madd("x", "(halves)ones")),
            (true, true) => format!(
                " + ({} << 15) + ({} << 15) + 0x80000000u",
                madd("x", "(halves)ones"),
                madd("y", "(halves)ones")
            ),
        };
        let body =
            pairs(vector, |madd| format!("  return ({ty})((wrap)sum + {}{});\n", madd("x", "y"), back(madd)));
        let Some(width) = width(vector) else { return head + &body };
        let feature = if width == "512" { "defined(__AVX512VNNI__)" } else { VNNI };
        let fused = |call: &str| {
            let plain = |x: &str, y: &str| format!("(wrap){call}((word){{0}}, (word){x}, (word){y})");
            format!("  return ({ty})((wrap){call}((word)sum, (word)x, (word)y){});\n", back(&plain))
        };
        let gcc = fused(&format!("__builtin_ia32_vpdpwssd_v{}si", vector.count));
        let clang = fused(&format!("__builtin_ia32_vpdpwssd{width}"));
        format!("{head}#if {feature}\n#ifdef __clang__\n{clang}#else\n{gcc}#endif\n#else\n{body}#endif\n")
    }
}

/// Where the instructions of four and two products exist for vectors of less than 64 bytes.
const VNNI: &str = "defined(__AVX512VNNI__) && defined(__AVX512VL__)";

/// The end of the instructions' names.
fn width(vector: Vector) -> Option<&'static str> {
    match vector.bytes() {
        64 => Some("512"),
        32 => Some("256"),
        16 => Some("128"),
        _ => None,
    }
}

/// A text that adds up pairs of products: with the machine's instruction, or by shifts.
fn pairs(vector: Vector, text: impl Fn(&dyn Fn(&str, &str) -> String) -> String) -> String {
    let plain = text(&|x, y| {
        let low = format!("(wrap)((word)((wrap){x} << 16) >> 16) * (wrap)((word)((wrap){y} << 16) >> 16)");
        format!("({low} + (wrap)((word){x} >> 16) * (wrap)((word){y} >> 16))")
    });
    let by = |call: &'static str, rest: &'static str| {
        text(&move |x: &str, y: &str| format!("(wrap){call}({x}, {y}{rest})"))
    };
    match vector.bytes() {
        64 => format!(
            "#if defined(__AVX512BW__) && defined(__clang__)\n{}#elif defined(__AVX512BW__)\n{}#else\n{plain}#endif\n",
            by("__builtin_ia32_pmaddwd512", ""),
            by("__builtin_ia32_pmaddwd512_mask", ", (word){0}, -1")
        ),
        32 => format!("#ifdef __AVX2__\n{}#else\n{plain}#endif\n", by("__builtin_ia32_pmaddwd256", "")),
        16 => format!("#ifdef __SSE2__\n{}#else\n{plain}#endif\n", by("__builtin_ia32_pmaddwd128", "")),
        _ => plain,
    }
}

/// A declaration of a vector whose lanes hold an operand's numbers.
fn load(name: &str, from: &str, operand: Operand, terms: u32, vector: Vector) -> String {
    let (cell, count) = (c_type(operand.scalar), vector.count);
    let is_whole = operand.scalar.bits() * terms == 32;
    let size = operand.scalar.size();
    match (operand.varies, is_whole) {
        (true, true) => format!(
            "  typedef int words_{name} __attribute__((vector_size({}), aligned({size}), may_alias));\n  \
             const word {name} = *(const words_{name} *){from};\n",
            vector.bytes()
        ),
        (true, false) => format!(
            "  typedef {cell} cells_{name} __attribute__((vector_size({}), aligned({size}), may_alias));\n  \
             typedef short wide_{name} __attribute__((vector_size({})));\n  \
             const word {name} = (word)__builtin_convertvector(*(const cells_{name} *){from}, wide_{name});\n",
            size * (count * terms) as usize,
            vector.bytes()
        ),
        (false, true) => format!(
            "  int word_{name};\n  __builtin_memcpy(&word_{name}, {from}, 4);\n  \
             const word {name} = (word){{0}} + word_{name};\n"
        ),
        (false, false) => format!(
            "  const short pair_{name}[2] = {{{from}[0], {from}[1]}};\n  int word_{name};\n  \
             __builtin_memcpy(&word_{name}, pair_{name}, 4);\n  \
             const word {name} = (word){{0}} + word_{name};\n"
        ),
    }
}
