//! Loops over vectors of integers, of several types at once, and of what is converted.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::passes::whole_vectors;
use crate::{Literal, Scalar, parse_kernel};

/// Types that vectors are of.
const WIDE: [Scalar; 6] = [Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64, Scalar::F32, Scalar::F64];

/// The same where some are of integers of 8 and 16 bits.
const ALL: [Scalar; 8] =
    [Scalar::U8, Scalar::I8, Scalar::U16, Scalar::I16, Scalar::U8, Scalar::I16, Scalar::U32, Scalar::F32];

/// Types of what is only converted.
const NARROW: [Scalar; 4] = [Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16];

/// The types of a case's buffers.
#[derive(Clone, Copy)]
struct Types {
    /// Of `a` and of the result `y`, and of `b` and `z`.
    wide: [Scalar; 2],
    /// Of `p` and `q`.
    narrow: [Scalar; 2],
}

/// The case of a seed: lanes of two types, conversions between them and from narrower ones, choices by what
/// lanes hold, and sums of a few products.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn mixed_case(seed: u64) -> Case {
    case("mixed", seed, [&WIDE, &NARROW], &[2, 4, 8, 8], 40)
}

/// The same of integers of 8 and 16 bits, some of bytes alone, with as many lanes as bytes have, and with any
/// rest of these.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn narrow_case(seed: u64) -> Case {
    let types: [&[Scalar]; 2] = if seed.is_multiple_of(2) { [&NARROW[..2]; 2] } else { [&ALL, &NARROW] };
    case("narrow", seed, types, &[8, 16, 32, 64, 64], 150)
}

fn case(name: &str, seed: u64, [wide, narrow]: [&[Scalar]; 2], lanes: &[i64], most: i64) -> Case {
    let mut random = Random::new(seed);
    let types =
        Types { wide: [(); 2].map(|()| random.pick(wide)), narrow: [(); 2].map(|()| random.pick(narrow)) };
    let lanes = random.pick(lanes);
    let sizes = vec![random.below(most), random.below(5)];
    let (lo, hi) = random.pick(&[("0", "N"), ("0", "N"), ("1", "N"), ("K", "K + 16"), ("2", "9")]);
    let [first, second] = [0, 1].map(|k| term(&mut random, types, types.wide[k], 3));
    let mode = random.pick(&["=", "+=", "*=", "min=", "max="]);
    let body = match random.below(5) {
        0 => dot(&mut random, types),
        // Enough to do for cells that lie as far apart as a size says.
        1 => {
            let much = term(&mut random, types, types.wide[0], 5);
            format!("y[j] {mode} max(far[j * K + 1], {much}) - far[j * K + 1] * {first} z[j] = {second}")
        }
        2 => format!("if {} {{ y[j] {mode} {first} }} z[j] = {second}", cond(&mut random)),
        3 => format!(
            "alloc register {0} s = {1} {{ for k in 0..K {{ s += {second} }} y[j] {mode} {first} z[j] = s }}",
            types.wide[1],
            number(types.wide[1], 3)
        ),
        _ => format!("y[j] {mode} {first} z[j] {mode} {second}"),
    };
    let ([a, b], [p, q]) = (types.wide, types.narrow);
    let text = format!(
        "kernel {name}_{seed}(N, K) in {a} a[N + 40] in {b} b[N + 40] in {p} p[4 * N + 120] in {q} q[4 * N + 120] in {a} far[5 * N + 200] \
         out {a} y[N + 40] out {b} z[N + 40] out i32 w[N + 40] {{ reset y = {} reset z = {} reset w = 1i32 \
         vector({lanes}) for j in {lo}..{hi} {{ {body} }} }}",
        number(a, 2),
        number(b, 2)
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let kernel = if seed.is_multiple_of(4) { kernel } else { whole_vectors(&kernel) };
    let counts = [sizes[0] + 40, sizes[0] + 40, 4 * sizes[0] + 120, 4 * sizes[0] + 120, 5 * sizes[0] + 200];
    let inputs = [a, b, p, q, a].into_iter().zip(counts).map(|(scalar, count)| {
        let values: Vec<Literal> = (0..count).map(|_| any(&mut random, scalar)).collect();
        Cells::from_literals(scalar, &values)
    });
    let inputs = inputs.collect();
    Case { kernel, sizes, inputs }
}

/// Any value of a narrow type; of others those of literals.
fn any(random: &mut Random, scalar: Scalar) -> Literal {
    let bits = i64::from(scalar.bits());
    match bits < 32 {
        true if random.one_in(3) => {
            let ends = [0, (1 << (bits - 1)) - 1, 1 << (bits - 1), (1 << bits) - 1];
            Literal::i64(random.pick(&ends)).convert(scalar)
        }
        true => Literal::i64(random.below(1 << bits)).convert(scalar),
        false => random.literal(scalar),
    }
}

/// A literal.
fn number(scalar: Scalar, value: i64) -> String {
    if scalar.is_float() { format!("{value}.0{scalar}") } else { format!("{value}{scalar}") }
}

/// Sums of two or four products, or of as many that no machine adds at once.
fn dot(random: &mut Random, types: Types) -> String {
    let bits = types.narrow.map(Scalar::bits).into_iter().max().unwrap_or(16);
    let terms = random.pick(&[32 / i64::from(bits), 32 / i64::from(bits), 2, 3]);
    let word = random.pick(&["i32", "i32", "u32"]);
    let [p, q] = match random.below(3) {
        0 => [format!("p[{terms} * j + k]"), "q[K + k]".to_owned()],
        1 => ["p[k]".to_owned(), format!("q[(j + K) * {terms} + k]")],
        _ => [format!("p[{terms} * j + k]"), format!("q[{terms} * j + K + k]")],
    };
    let guard = random.pick(&["", "", "if k < K "]);
    let sum = format!("s += {word}({p}) * {word}({q})");
    let sum = if guard.is_empty() { sum } else { format!("{guard}{{ {sum} }}") };
    let stored = random.pick(&["w[j] += i32(s)", "w[j] = i32(s)"]);
    format!("alloc register {word} s = 0{word} {{ for k in 0..{terms} {{ {sum} }} {stored} }}")
}

fn cond(random: &mut Random) -> String {
    random.pick(&["j < 5", "j + 2 < N", "3 <= j", "j == 4", "K < 3", "j < 9 && 2 <= j"]).to_owned()
}

/// What a lane holds, compared.
fn truth(random: &mut Random, types: Types, depth: usize) -> String {
    let scalar = random.pick(&types.wide);
    let [a, b] = [(); 2].map(|()| term(random, types, scalar, depth));
    let symbol = random.pick(&["<", "<=", "==", "!="]);
    match random.below(5) {
        0 => format!("!({a} {symbol} {b})"),
        1 => format!("{a} {symbol} {b} && {}", truth(random, types, 0)),
        2 => format!("({a} {symbol} {b} || {})", truth(random, types, 0)),
        _ => format!("{a} {symbol} {b}"),
    }
}

fn term(random: &mut Random, types: Types, scalar: Scalar, depth: usize) -> String {
    if depth == 0 || random.one_in(6) {
        let own = ["a", "b"][usize::from(scalar != types.wide[0])];
        let has_own = types.wide.contains(&scalar);
        return match random.below(10) {
            0 => number(scalar, 3),
            1 if has_own => format!("{own}[K]"),
            2 => format!("{scalar}(p[j + K])"),
            3 => format!("{scalar}(q[3 * j + 1])"),
            4 => format!("{scalar}(p[2 * j])"),
            5 if scalar.is_integer() => format!("{scalar}(int(2 * j + K))"),
            6 if has_own => format!("(1 <= j && j < N ? {own}[j - 1] : {})", number(scalar, 0)),
            _ if has_own => format!("{own}[j + 1]"),
            _ => format!("{scalar}(q[j])"),
        };
    }
    let [a, b] = [(); 2].map(|()| term(random, types, scalar, depth - 1));
    let by = random.below(i64::from(scalar.bits()));
    match random.below(14) {
        0 => format!("({a} - {b})"),
        1 | 2 => format!("({a} * {b})"),
        3 => format!("min({a}, {b})"),
        4 => format!("max({a}, {b})"),
        // The negative of a literal is one, which types without sign do not have.
        5 if !a.starts_with(|c: char| c.is_ascii_digit()) => format!("(-{a})"),
        5 | 6 => format!("abs({a})"),
        7 if scalar.is_integer() => format!("{}({a}, {b})", random.pick(&["bit_and", "bit_or", "bit_xor"])),
        8 if scalar.is_integer() => format!("{}({a}, {by}{scalar})", random.pick(&["shl", "shr"])),
        9 if matches!(scalar, Scalar::U16 | Scalar::U32) => format!("({a} / {}{scalar})", by * by + 1),
        9 if scalar.is_integer() => format!("bit_not({a})"),
        10 | 11 => format!("select({}, {a}, {b})", truth(random, types, depth - 1)),
        12 => {
            let from = random.pick(&types.wide);
            match from.is_float() && scalar.is_integer() {
                true => format!("({a} + {b})"),
                false => format!("{scalar}({})", term(random, types, from, depth - 1)),
            }
        }
        13 => format!("({} ? {a} : {b})", cond(random)),
        _ => format!("({a} + {b})"),
    }
}
