//! Dense expressions, and blocks, diagonals and flags.

use super::*;

fn matrices(expression: &str, steps: &str) {
    for (k, [n, m, _]) in SIZES.into_iter().enumerate() {
        for (seed, format) in FORMATS.into_iter().enumerate() {
            let text = format!(
                "fn f(A: f64[N, M] as csr, B: f64[N, M] as csr, x: f64[M]) -> f64[N, M] as {format} {{ \
                 gen i < N, j < M {{ {expression} }} }}"
            );
            let shapes = [("A", vec![n, m]), ("B", vec![n, m]), ("x", vec![m])];
            check(&text, steps, &shapes, (k * 10 + seed) as u64);
        }
    }
}

#[test]
fn dense_expressions_are_stored_without_their_zeros() {
    matrices("A[i, j] + B[i, j] * x[j]", "");
    matrices("[i <= j] * A[i, j] + x[j]", "");
}

/// Formats that store blocks, diagonals, or a flag for each element.
const BLOCKS: [&str; 9] = [
    "bcsr(2, 2)",
    "bcsr(3, 1)",
    "bcsr(1, 4)",
    "csb(2, 3)",
    "csb(4, 1)",
    "dia",
    "bitmask",
    "[compressed, dense]",
    "[compressed, bitmask]",
];

/// Of a block with an element that is not zero, all elements are stored, and zeros for what lies outside of the matrix.
#[test]
fn blocks_diagonals_and_flags() {
    for (seed, format) in BLOCKS.into_iter().enumerate() {
        for expression in ["A[i, j] + B[i, j] * x[j]", "[i <= j] * A[i, j] + x[j]", "[j == 1] * A[i, j]"] {
            let text = format!(
                "fn f(A: f64[N, M] as csr, B: f64[N, M], x: f64[M]) -> f64[N, M] as {format} {{ \
                 gen i < N, j < M {{ {expression} }} }}"
            );
            check_each(&text, "", &of_all_sizes(&[("A", &[0, 1]), ("B", &[0, 1]), ("x", &[1])]), seed as u64);
        }
    }
    let tensor =
        "fn f(x: f64[N, M, K]) -> f64[N, M, K] as mode_generic { gen i < N, j < M, k < K { x[i, j, k] } }";
    check_each(tensor, "", &of_all_sizes(&[("x", &[0, 1, 2])]), 1);
    let semiring = "fn f(x: min_plus<f64>[N, M]) -> min_plus<f64>[N, M] as bcsr(2, 2) { gen i < N, j < M { [i < j] * x[i, j] } }";
    check_each(semiring, "", &of_all_sizes(&[("x", &[0, 1])]), 2);
    for ty in ["f32", "i32", "i64"] {
        let text = format!(
            "fn f(x: f64[N, M]) -> {ty}[N, M] as bcsr(2, 2) {{ gen i < N, j < M {{ {ty}(i % 3) * {ty}(j % 2) + {ty}(x[i, j]) }} }}"
        );
        check_each(&text, "", &of_all_sizes(&[("x", &[0, 1])]), 3);
    }
}

/// Scaled matrices from formats to formats, and products. What `sparsify` refuses is right without it.
#[test]
fn blocks_of_sparse_operands() {
    let mut derived = 0;
    let mut check = |text: String, shapes: &[(&'static str, &'static [usize])], seed: usize| {
        let steps = "rounding real; sparsify;";
        let program = Program::parse("f.atl", &format!("{text} schedule s of f {{ {steps} }}"));
        let program = program.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let refusal = program.scheduled("f", Some("s")).and_then(|s| s.lower()).err().map(|why| why.codes());
        let known = |code: &String| ["E0370", "E0401"].contains(&code.as_str());
        assert!(refusal.iter().flatten().all(known), "{text}: {refusal:?}");
        derived += usize::from(refusal.is_none());
        let steps = if refusal.is_none() { steps } else { "" };
        check_each(&text, steps, &of_all_sizes(shapes), seed as u64);
    };
    for (k, from) in ["csr", "coo", "bcsr(2, 2)"].into_iter().enumerate() {
        for (l, to) in BLOCKS.into_iter().enumerate() {
            let text = format!(
                "fn f(A: f64[N, M] as {from}, x: f64[M]) -> f64[N, M] as {to} {{ \
                 gen i < N, j < M {{ A[i, j] * x[j] }} }}"
            );
            check(text, &[("A", &[0, 1]), ("x", &[1])], 7 * k + l);
        }
    }
    for (k, format) in BLOCKS.into_iter().enumerate() {
        let text = format!(
            "fn f(A: f64[N, M] as csr, B: f64[M, K] as csr) -> f64[N, K] as {format} {{ \
             gen i < N, k < K {{ sum j < M {{ A[i, j] * B[j, k] }} }} }}"
        );
        check(text, &[("A", &[0, 1]), ("B", &[1, 2])], k);
    }
    assert!(derived >= 28, "{derived} of 36 derived");
}
