//! Requirements on arrays, of which some hold.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::{Literal, Scalar, parse_kernel};

/// The case of a seed: a kernel that does nothing and requires something of its inputs, which may or may not hold, and may
/// read what is not there.
///
/// # Panics
/// Never: the texts made here are kernels.
pub fn requirements_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let sizes = vec![random.pick(&[0, 1, 5, 300, 600]), random.below(5)];
    let mut scalar = || random.pick(&[Scalar::I32, Scalar::I64, Scalar::U8, Scalar::Bool]);
    let types = [scalar(), scalar()];
    let binders = random.pick(&[
        "",
        "p in 0..N",
        "p in -1..K + 3",
        "i in 0..K, p in a[i]..N",
        "i in 0..K, p in i..a[i + 1]",
    ]);
    let vars: &[&str] = if binders.is_empty() { &["N", "K"] } else { &["p", "p", "p", "N", "K"] };
    let cond = cond(&mut random, 2, vars);
    let text = format!(
        "kernel requirements_{seed}(N, K) in {} a[N + 1] in {} b[N + 2] requires all {binders} {{ {cond} }} {{ }}",
        types[0], types[1]
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut number = 0;
    let inputs = [(types[0], sizes[0] + 1), (types[1], sizes[0] + 2)].map(|(scalar, count)| {
        let values: Vec<Literal> = (0..count)
            .map(|_| {
                number = if random.one_in(4) { random.below(9) - 2 } else { number + 1 };
                if random.one_in(500) { random.literal(scalar) } else { Literal::i64(number).convert(scalar) }
            })
            .collect();
        Cells::from_literals(scalar, &values)
    });
    Case { kernel, sizes, inputs: inputs.to_vec() }
}

fn cond(random: &mut Random, depth: usize, vars: &[&str]) -> String {
    if depth == 0 || random.one_in(4) {
        let op = random.pick(&["<", "<=", "==", "!=", "<="]);
        return format!("{} {op} {}", int(random, 2, vars), int(random, 2, vars));
    }
    let [a, b] = [(); 2].map(|()| cond(random, depth - 1, vars));
    match random.below(3) {
        0 => format!("({a} && {b})"),
        1 => format!("({a} || {b})"),
        _ => format!("!({a})"),
    }
}

fn int(random: &mut Random, depth: usize, vars: &[&str]) -> String {
    if depth == 0 || random.one_in(4) {
        return match random.below(5) {
            0 => (random.below(9) - 2).to_string(),
            1 => "9223372036854775000".to_owned(),
            _ => random.pick(vars).to_owned(),
        };
    }
    let [a, b] = [(); 2].map(|()| int(random, depth - 1, vars));
    match random.below(9) {
        0 => format!("({a} + {b})"),
        1 => format!("({a} - {b})"),
        2 => format!("({a} * {b})"),
        3 => format!("({a} / {b})"),
        4 => format!("({a} % {b})"),
        5 => format!("min({a}, {b})"),
        6 => format!("max({a}, {b})"),
        7 => format!("a[{a}]"),
        _ => format!("b[{}]", random.pick(vars)),
    }
}
