//! Outputs that grow, and scratch that is touched: what results in formats become.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::{Literal, Scalar, parse_kernel};

/// The case of a seed: rows are scattered into touched scratch, and what it holds is appended, with coordinates; rows that
/// leave nothing have no coordinate. The scratch has more cells than a word of marks, or than a word of words.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn appending_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let scalar = random.pick(&[Scalar::F64, Scalar::F64, Scalar::F32, Scalar::I32, Scalar::I64]);
    let (rows, entries) = (random.below(5), random.below(40));
    let cells = random.pick(&[1, 3, 64, 65, 200, 4096, 4097, 9000, 270_000]);
    let first = if scalar.is_float() { random.pick(&["0.0", "1.5"]) } else { "0" };
    let (combine, again) = (random.pick(&["+=", "+=", "min=", "max="]), random.one_in(3));
    let reset = if random.one_in(2) { format!("reset w = {first}{scalar}") } else { String::new() };
    let visit = "visit j of w { push crd = i32(int(j)) push vals = w[j] len += int(1) }";
    let visits = if again { format!("{visit} push vals = vals_{scalar} {visit}") } else { visit.to_owned() };
    // A cell that says which one is stored to, itself, and then says otherwise.
    let own = match scalar {
        Scalar::I32 | Scalar::I64 => format!("w[w[0] % M] += 1{scalar}"),
        _ => String::new(),
    };
    let visits = visits.replace(&format!("vals_{scalar}"), &format!("{first}{scalar}"));
    let text = format!(
        "kernel appending_{seed}(N, E, M) in i32 c[N, E] in {scalar} x[N, E] \
         out append i64 pos out append i32 rows out append i32 crd out append {scalar} vals {{
           push pos = int(0)
           alloc register i64 len = 0i64 {{ alloc touched {scalar} w[M] = {first}{scalar} {{
             for i in 0..N {{ alloc register i64 before uninit {{
               before = len {reset} {own}
               for p in 0..E {{ w[c[i * E + p]] {combine} x[i * E + p] }}
               {visits}
               if before[0] < len[0] {{ push rows = i32(int(i)) push pos = int(len[0]) }}
             }} }}
           }} }} }}"
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let count = rows * entries;
    // Some cells are touched often, and some at the edges.
    let mut cell = || match random.below(4) {
        0 => random.below(cells.min(4)),
        1 => cells - 1 - random.below(cells.min(4)),
        _ => random.below(cells),
    };
    let c: Vec<Literal> = (0..count).map(|_| Literal::i64(cell()).convert(Scalar::I32)).collect();
    let x: Vec<Literal> = (0..count).map(|_| random.literal(scalar)).collect();
    let inputs = vec![Cells::from_literals(Scalar::I32, &c), Cells::from_literals(scalar, &x)];
    Case { kernel, sizes: vec![rows, entries, cells], inputs }
}
