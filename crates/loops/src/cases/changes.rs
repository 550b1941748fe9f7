//! Loops of which most iterations change nothing: greatest elements and where they are, among ties, NaN and
//! zeros of both signs.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::{Literal, Scalar, parse_kernel};

/// How long rows are: none, one, and about the blocks that are looked at together.
const LENGTHS: [i64; 16] = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 66, 128, 129, 257, 300];

/// The case of a seed: a fold along each row of a matrix.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn changes_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let (n, m) = (random.below(3), random.pick(&LENGTHS));
    let scalar = random.pick(&[
        Scalar::F32,
        Scalar::F32,
        Scalar::F64,
        Scalar::F64,
        Scalar::I32,
        Scalar::I64,
        Scalar::U64,
        Scalar::U8,
        Scalar::I16,
        Scalar::F16,
    ]);
    let (lo, hi) = random.pick(&[("0", "M"), ("0", "M"), ("1", "M"), ("i", "M"), ("-1", "M - 1")]);
    let cell = if lo == "-1" { "x[i * M + j + 1]" } else { "x[i * M + j]" };
    let body = random.pick(&[
        "at := select(v < X, i32(int(j)), at) v := max(v, X)",
        "p := X < v v := select(p, X, v) at := select(p, i32(int(j)), at)",
        "p := v < X || X != X v := select(p, X, v) at := select(p, i32(int(j)), at)",
        "v max= X",
        "v min= X",
        "at := select(X == v, i32(int(j)), at)",
        "w := min(v, X) v := max(v, X) u := select(u < w, w, u)",
        "p ||= X < v",
        "p &&= X <= v || X == u",
        "w := X v := select(!(v < w), v, w) u := select(w < u, w, u) at := select(w == u, at, i32(int(j)))",
        "v max= X v max= -X",
        "u := select(v < X && (X < u || p), X, u) p ||= X == v",
    ]);
    let first = random.pick(&["x[i * M]".to_owned(), number(scalar, 0), number(scalar, 1)]);
    let first = if m == 0 { number(scalar, 0) } else { first };
    let body = body.replace('X', cell);
    let text = format!(
        "kernel changes_{seed}(N, M) in {scalar} x[N, M] out {scalar} y[N] out {scalar} z[N] out {scalar} o[N] \
         out i32 at_of[N] out bool p_of[N] {{ for i in 0..N {{ alloc register {scalar} v uninit {{ \
         alloc register {scalar} u = {one} {{ alloc register {scalar} w = {one} {{ alloc register i32 at = -1i32 {{ \
         alloc register bool p = {begins} {{ v = {first} for j in {lo}..{hi} {{ {body} }} \
         y[i] = v z[i] = u o[i] = w at_of[i] = at p_of[i] = p }} }} }} }} }} }} }}",
        one = number(scalar, 1),
        begins = random.pick(&["false", "true"]),
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let rare = random.pick(&[2, 20, 200]);
    let values: Vec<Literal> = (0..n * m).map(|_| element(&mut random, scalar, rare)).collect();
    Case { kernel, sizes: vec![n, m], inputs: vec![Cells::from_literals(scalar, &values)] }
}

fn number(scalar: Scalar, value: i64) -> String {
    if scalar.is_float() { format!("{value}.0{scalar}") } else { format!("{value}{scalar}") }
}

/// Mostly the same few numbers, so that there are ties; seldom one beyond them, or none at all.
fn element(random: &mut Random, scalar: Scalar, rare: i64) -> Literal {
    if random.one_in(rare) {
        return random.literal(scalar);
    }
    match scalar.is_float() {
        true => Literal::F64(random.pick(&[0.0, -0.0, 1.0])).convert(scalar),
        false => Literal::i64(random.below(2)).convert(scalar),
    }
}
