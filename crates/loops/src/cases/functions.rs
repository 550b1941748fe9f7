//! The functions of floats on many arguments, in vectors of every width.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::{Function, Literal, Scalar, parse_kernel};

/// A kernel that applies each function, negation and the absolute value to arguments that the seed determines: bits at random, numbers near zero, and
/// numbers of the size at which an exponential leaves the range. It does so in vectors of `lanes`, and one by one for 1.
///
/// # Panics
/// Never: the text made here is a kernel.
pub fn functions_case(scalar: Scalar, lanes: u32, seed: u64) -> Case {
    const COUNT: u32 = 1024;
    let mut random = Random::new(seed);
    let arguments: Vec<Literal> = (0..2 * COUNT)
        .map(|k| match (k % 3, scalar) {
            (0, _) => Literal::of_bits(scalar, random.bits()),
            (1, _) => Literal::F64(random.bits() as f64 / 2f64.powi(63) - 1.0).convert(scalar),
            _ => {
                let most = if scalar == Scalar::F64 { 760.0 } else { 110.0 };
                Literal::F64(random.bits() as f64 / 2f64.powi(63) * most - most).convert(scalar)
            }
        })
        .collect();
    let kind = if lanes == 1 { String::new() } else { format!("{scalar}x{lanes} ") };
    // The second half of the arguments is for second operands.
    let operands = ["x[i]".to_owned(), format!("x[i + {COUNT}]"), "x[i]".to_owned()];
    let calls = Function::ALL
        .iter()
        .map(|function| format!("{}({})", function.name(), operands[..function.arity()].join(", ")));
    let values: Vec<String> = ["-x[i]".to_owned(), "abs(x[i])".to_owned()].into_iter().chain(calls).collect();
    let stores: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(k, value)| format!("{kind}for i in 0..{COUNT} {{ y[{k} * {COUNT} + i] = {value} }}"))
        .collect();
    let text = format!(
        "kernel functions_{scalar}_{lanes}() in {scalar} x[{}] out {scalar} y[{}, {COUNT}] {{ {} }}",
        2 * COUNT,
        values.len(),
        stores.join(" ")
    );
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Case { kernel, sizes: Vec::new(), inputs: vec![Cells::from_literals(scalar, &arguments)] }
}
