//! Reductions that end early: of rows whose elements are often the value that ends them.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::parse_kernel;

/// The case of a seed: the rows of a matrix, reduced row by row.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn early_exit_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let (n, m) = (random.below(6), random.below(9));
    let (scalar, op, first) = random.pick(&[
        ("bool", "||", "false"),
        ("bool", "&&", "true"),
        ("u8", "min", "7u8"),
        ("u8", "max", "7u8"),
        ("i32", "min", "5i32"),
        ("i64", "max", "-5i64"),
        ("f32", "min", "f32.inf"),
        ("f64", "max", "-f64.inf"),
        ("f64", "min", "f64.nan(0x7ff8000000000000)"),
    ]);
    let first = random.pick(&[first.to_owned(), "x[i * M]".to_owned()]);
    let rows_are = random.pick(&["for", "for", "unroll for", "parallel for"]);
    let body = random.pick(&[
        "until(s) for j in 0..M { s OP= x[i * M + j] }",
        "until(s) for j in 1..M - 1 { s OP= x[i * M + j] s OP= x[i * M + M - 1 - j] }",
        "until(s) for j in 0..M { if j % 2 == i % 2 { s OP= x[i * M + j] } }",
        "until(s) for k in 0..2 { until(s) for j in 0..M { s OP= x[i * M + j] } }",
        "for k in 0..2 { until(s) for j in k..M { alloc register T t = x0 { t OP= x[i * M + j] s OP= t } } }",
    ]);
    let begin = if first.starts_with('x') { format!("s {op}= {first}") } else { String::new() };
    let literal = match scalar {
        "bool" => random.pick(&["false", "true"]).to_owned(),
        "f32" | "f64" => format!("1{scalar}"),
        _ => format!("3{scalar}"),
    };
    let body = body.replace("x0", &literal).replace("OP", op).replace('T', scalar);
    let begins = if first.starts_with('x') { literal.as_str() } else { first.as_str() };
    let rows = if m == 0 { String::new() } else { begin };
    let text = format!(
        "kernel until_{seed}(N, M) in {scalar} x[N, M] out {scalar} y[N] {{ {rows_are} i in 0..N {{ \
         alloc register {scalar} s = {begins} {{ {rows} {body} y[i] = s }} }} }}"
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Case { kernel, sizes: vec![n, m], inputs: vec![cells(&mut random, scalar, n * m)] }
}

/// Elements of which many are the least, the greatest, or no number.
fn cells(random: &mut Random, scalar: &str, count: i64) -> Cells {
    let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.5, -2.0];
    match scalar {
        "bool" => Cells::Bool((0..count).map(|_| random.one_in(4)).collect()),
        "u8" => Cells::U8((0..count).map(|_| random.pick(&[0, 1, 7, 200, u8::MAX])).collect()),
        "i32" => Cells::I32((0..count).map(|_| random.pick(&[i32::MIN, -1, 0, 9, i32::MAX])).collect()),
        "i64" => Cells::I64((0..count).map(|_| random.pick(&[i64::MIN, -1, 0, 9, i64::MAX])).collect()),
        #[expect(clippy::cast_possible_truncation, reason = "each of them is one of either type")]
        "f32" => Cells::F32((0..count).map(|_| random.pick(&floats) as f32).collect()),
        _ => Cells::F64((0..count).map(|_| random.pick(&floats)).collect()),
    }
}
