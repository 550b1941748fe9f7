//! Vector loops of any count, whose lanes are not all alike.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::passes::whole_vectors;
use crate::{Literal, Scalar, parse_kernel};

/// The case of a seed: loops over vectors with conditions on lanes, of which some read what only some lanes may, with
/// variables of each lane's own and serial loops inside; some of their indices, bounds and conditions are read from memory.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn lanes_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let scalar = random.pick(&[Scalar::F32, Scalar::F32, Scalar::F64]);
    let lanes = random.pick(&[2, 4, 8, 16]);
    let sizes = vec![random.below(40), random.below(6)];
    let (lo, hi) =
        random.pick(&[("0", "N"), ("0", "N"), ("1", "N"), ("K", "N"), ("K", "K + 16"), ("2", "9")]);
    let (zero, index) = (format!("0.0{scalar}"), random.pick(&[Scalar::I32, Scalar::I64, Scalar::U8]));
    let [a, b, c] = [(); 3].map(|()| term(&mut random, scalar, 2));
    let mode = random.pick(&["+=", "*=", "min=", "max="]);
    let body = match random.below(5) {
        0 => format!("y[j] = {a} z[j] = {b}"),
        1 => format!(
            "if {} {{ y[j] = {a} }} else {{ if {} {{ y[j] {mode} {b} }} }}",
            cond(&mut random),
            cond(&mut random)
        ),
        2 => {
            let bounds = random.pick(&["0..K", "0..K", "n[0] - n[0]..min(n[1], K)"]);
            format!("for k in {bounds} {{ y[j] {mode} {a} * c[k] }} z[j] {mode} {b}")
        }
        3 => format!(
            "alloc register {scalar} s = 2.0{scalar} {{ for k in 0..K {{ s {mode} {a} }} y[j] = s * s if {} {{ s += {c} }} z[j] = {b} - s }}",
            cond(&mut random)
        ),
        _ => format!("y[j] = ({} ? {a} : {b}) * {c}", cond(&mut random)),
    };
    let text = format!(
        "kernel lanes_{seed}(N, K) in {scalar} a[N] in {scalar} b[N + 32] in {scalar} c[K] in {index} n[K + 2] in {index} m[N + 32] \
         out {scalar} y[N + 32] out {scalar} z[N + 32] {{ \
         reset y = {zero} reset z = {zero} vector({lanes}) for j in {lo}..{hi} {{ {body} }} }}"
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    // Passes may come across whole vectors, and back ends across loops that could be.
    let kernel = if seed.is_multiple_of(4) { kernel } else { whole_vectors(&kernel) };
    let inputs = [sizes[0], sizes[0] + 32, sizes[1]].map(|count| {
        let values: Vec<Literal> = (0..count).map(|_| random.literal(scalar)).collect();
        Cells::from_literals(scalar, &values)
    });
    let indices: Vec<Literal> = (0..sizes[1] + 2).map(|_| Literal::i64(random.below(4))).collect();
    let gathered: Vec<Literal> =
        (0..sizes[0] + 32).map(|_| Literal::i64(random.below(sizes[0] + 28))).collect();
    let numbers = [indices, gathered].map(|numbers| Cells::from_literals(index, &numbers));
    let inputs = inputs.into_iter().chain(numbers).collect();
    Case { kernel, sizes, inputs }
}

/// A condition, of which some depend on the lane.
fn cond(random: &mut Random) -> String {
    let [a, b] = [(); 2].map(|()| {
        random.pick(&[
            "j < 5",
            "j + 2 < N",
            "j < n[0] + 6",
            "n[n[K] % 2] <= j",
            "3 <= j",
            "N - j < K",
            "j == 4",
            "j != K",
            "2 * j <= j + 6",
            "K < 3",
            "N < 20",
        ])
    });
    match random.below(7) {
        0 => format!("{a} && {b}"),
        1 => format!("({a} || {b})"),
        2 => format!("!({a})"),
        3 => random.pick(&["n[0] < 2", "n[K + 1] == n[n[0] % 2]"]).to_owned(),
        _ => a.to_owned(),
    }
}

fn term(random: &mut Random, scalar: Scalar, depth: usize) -> String {
    if depth == 0 || random.one_in(5) {
        let zero = format!("0.0{scalar}");
        return match random.below(13) {
            0 => format!("2.0{scalar}"),
            1 => format!("(j < N ? a[j] : {zero})"),
            2 => format!("(1 <= j && j <= N ? a[j - 1] : {zero})"),
            3 => "(K + j < N ? a[K] : b[j])".to_owned(),
            4 => "(K == 0 ? b[j] : c[K - 1])".to_owned(),
            5 => "b[0]".to_owned(),
            6 => "b[j + n[K]]".to_owned(),
            7 => "b[n[1]]".to_owned(),
            8 => format!("(0 < K ? b[n[K - 1] + j + n[n[0] % 2]] : {zero})"),
            9 => "b[m[j]]".to_owned(),
            10 => format!("(j < N ? b[n[0] + (m[j + 1] + 1)] : {zero})"),
            _ => "b[j + 1]".to_owned(),
        };
    }
    let [a, b] = [(); 2].map(|()| term(random, scalar, depth - 1));
    match random.below(9) {
        0..2 => format!("({a} + {b})"),
        2 => format!("({a} - {b})"),
        3 => format!("({a} * {b})"),
        4 => format!("min({a}, {b})"),
        5 => format!("max({a}, -{b})"),
        6 => format!("sqrt(abs({a}))"),
        _ => format!("({} ? {a} : {b})", cond(random)),
    }
}
