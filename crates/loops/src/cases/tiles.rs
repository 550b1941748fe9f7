//! Tiles of accumulators in registers, and vectors of whole lanes: what schedules for speed make.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::passes::whole_vectors;
use crate::{Literal, Scalar, parse_kernel};

/// The case of a seed: rows of vectors are accumulated over a loop and stored, by operations of every kind, some of which
/// vectors cannot do.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn tiles_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let scalar = random.pick(&[Scalar::F32, Scalar::F32, Scalar::F64, Scalar::I32]);
    let (lanes, rows, columns) = (random.pick(&[2, 4, 8, 16]), random.below(3) + 1, random.below(2) + 1);
    let width = lanes * columns;
    let sizes = vec![random.below(3) + 1, random.below(4)];
    let first = random.pick(&["= 0", "= 2", "uninit"]);
    let (ty, start) = (scalar, first.replace(['0', '2'], &literal(scalar, first.ends_with('2'))));
    let storage = random.pick(&["register", "register", "stack"]);
    let (r, w) = (rows, width);
    let fill = if first == "uninit" {
        let value = term(&mut random, scalar, 1, &leaves(r, w, &["c", "d"]));
        format!("unroll for r in 0..{r} {{ vector({lanes}) for j in 0..{w} {{ t[r * {w} + j] = {value} }} }}")
    } else {
        String::new()
    };
    let combine = random.pick(&["+=", "*=", "min=", "max="]);
    let added = term(&mut random, scalar, 2, &leaves(r, w, &["a", "b", "c"]));
    let other = random.pick(&["c", "c", "c", "backwards"]);
    let stored = term(&mut random, scalar, 2, &leaves(r, w, &["t", "t", other, "d", "lane"]));
    let output = random.pick(&["out", "out stream"]);
    let rows_are = random.pick(&["for", "for", "parallel for"]);
    let body = format!(
        "{rows_are} n in 0..N {{ alloc {storage} {ty} t[{r}, {w}] {start} {{ {fill}
           for k in 0..K {{ unroll for r in 0..{r} {{ vector({lanes}) for j in 0..{w} {{
             t[r * {w} + j] {combine} {added} }} }} }}
           unroll for r in 0..{r} {{ vector({lanes}) for j in 0..{w} {{
             y[(n * {r} + r) * {w} + j] = {stored} }} }} }} }}"
    );
    let text = format!(
        "kernel tiles_{seed}(N, K) in {ty} a[N, {r}, K] in {ty} b[K, {w}] in {ty} c[{w}] in {ty} d[N] \
         {output} {ty} y[N, {r}, {w}] {{ {body} }}"
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let kernel = if seed.is_multiple_of(4) { kernel } else { whole_vectors(&kernel) };
    let counts = [sizes[0] * r * sizes[1], sizes[1] * w, w, sizes[0]];
    let inputs = counts.map(|count| {
        let values: Vec<Literal> = (0..count).map(|_| random.literal(scalar)).collect();
        Cells::from_literals(scalar, &values)
    });
    Case { kernel, sizes, inputs: inputs.to_vec() }
}

/// Zero or two.
fn literal(scalar: Scalar, two: bool) -> String {
    match (scalar.is_float(), two) {
        (true, false) => format!("0.0{scalar}"),
        (true, true) => format!("2.0{scalar}"),
        (false, false) => format!("0{scalar}"),
        (false, true) => format!("2{scalar}"),
    }
}

/// What may be read where row `r` and column `j` are computed.
fn leaves(rows: i64, width: i64, of: &[&str]) -> Vec<String> {
    let leaf = |name: &&str| match *name {
        "a" => format!("a[(n * {rows} + r) * K + k]"),
        "b" => format!("b[k * {width} + j]"),
        "c" => "c[j]".to_owned(),
        "backwards" => format!("c[{} - j]", width - 1),
        "d" => "d[n]".to_owned(),
        "lane" => format!("t[{}]", rows * width - 1),
        _ => format!("t[r * {width} + j]"),
    };
    of.iter().map(leaf).collect()
}

fn term(random: &mut Random, scalar: Scalar, depth: usize, leaves: &[String]) -> String {
    if depth == 0 || random.one_in(5) {
        return if random.one_in(6) { literal(scalar, random.one_in(2)) } else { random.pick(leaves) };
    }
    let [a, b] = [(); 2].map(|()| term(random, scalar, depth - 1, leaves));
    match random.below(9) {
        0..2 => format!("({a} + {b})"),
        2 => format!("({a} - {b})"),
        3 | 4 => format!("({a} * {b})"),
        5 => format!("min({a}, {b})"),
        6 => format!("max({a}, {b})"),
        7 if scalar.is_float() => {
            format!("{}({a})", random.pick(&["-", "abs", "sqrt", "floor", "exp", "log"]))
        }
        7 => format!("(-{a})"),
        _ if random.one_in(2) => format!("(n < 1 ? {a} : {b})"),
        _ => format!("(j < 1 ? {a} : {b})"),
    }
}
