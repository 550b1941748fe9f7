//! Programs of the literature, and elements of other types and semirings.

use super::*;
use atl_driver::Compile;

#[test]
fn products_of_sparse_matrices() {
    for (k, [n, m, l]) in SIZES.into_iter().enumerate() {
        for format in ["csr", "dcsr", "coo"] {
            let text = format!(
                "fn f(A: f64[N, M] as csr, B: f64[M, K] as csr) -> f64[N, K] as {format} {{ \
                 gen i < N, k < K {{ sum j < M {{ A[i, j] * B[j, k] }} }} }}"
            );
            check(&text, "rounding real; sparsify;", &[("A", vec![n, m]), ("B", vec![m, l])], k as u64);
        }
    }
}

#[test]
fn an_operand_scaled_or_in_another_format() {
    for format in ["csr", "dcsr", "coo", "csf"] {
        for expression in ["2 * A[i, j]", "A[i, j]", "A[i, j] * x[j]", "[i <= j] * A[i, j]"] {
            let [n, m, _] = SIZES[3];
            let text = format!(
                "fn f(A: f64[N, M] as csr, x: f64[M]) -> f64[N, M] as {format} {{ \
                 gen i < N, j < M {{ {expression} }} }}"
            );
            check(&text, "rounding real; sparsify;", &[("A", vec![n, m]), ("x", vec![m])], 7);
        }
    }
}

/// Programs of the literature, over sizes among which are 0 and 1.
#[test]
fn sampled_products_contractions_and_outer_products() {
    let programs: [(&str, &[Param]); 8] = [
        (
            "fn f(A: f64[N, M] as csr, B: f64[N, K], C: f64[K, M]) -> f64[N, M] as csr { \
             gen i < N, j < M { A[i, j] * sum k < K { B[i, k] * C[k, j] } } }",
            &[("A", &[0, 1]), ("B", &[0, 2]), ("C", &[2, 1])],
        ),
        (
            "fn f(A: f64[N, M] as csr, B: f64[N, M] as csr) -> f64[N, M] as dcsr { \
             gen i < N, j < M { A[i, j] * B[i, j] } }",
            &[("A", &[0, 1]), ("B", &[0, 1])],
        ),
        (
            "fn f(x: f64[N] as coo, y: f64[M] as coo) -> f64[N, M] as dcsr { gen i < N, j < M { x[i] * y[j] } }",
            &[("x", &[0]), ("y", &[1])],
        ),
        (
            "fn f(T: f64[N, M, K] as csf, u: f64[K]) -> f64[N, M] as dcsr { \
             gen i < N, j < M { sum k < K { T[i, j, k] * u[k] } } }",
            &[("T", &[0, 1, 2]), ("u", &[2])],
        ),
        (
            "fn f(T: f64[N, M, K] as csf) -> f64[N, K] as csr { gen i < N, k < K { sum j < M { T[i, j, k] } } }",
            &[("T", &[0, 1, 2])],
        ),
        (
            "fn f(T: f64[N, M, K] as csf, U: f64[K, M]) -> f64[N, M, M] as csf { \
             gen i < N, j < M, r < M { sum k < K { T[i, j, k] * U[k, r] } } }",
            &[("T", &[0, 1, 2]), ("U", &[2, 1])],
        ),
        (
            "fn f(A: f64[N, M] as csr, B: f64[K, M] as csr) -> f64[N, K] as csc { \
             gen i < N, k < K { sum j < M { A[i, j] * B[k, j] } } }",
            &[("A", &[0, 1]), ("B", &[2, 1])],
        ),
        (
            "fn f(A: f64[N, M] as coo) -> f64[N, M] as csr { gen i < N, j < M { 3 * A[i, j] } }",
            &[("A", &[0, 1])],
        ),
    ];
    for (k, (text, params)) in programs.into_iter().enumerate() {
        for sizes in [SIZES[1], SIZES[2], SIZES[3]] {
            let shape = |axes: &[usize]| axes.iter().map(|axis| sizes[*axis]).collect();
            let shapes: Vec<(&str, Vec<usize>)> =
                params.iter().map(|(name, axes)| (*name, shape(axes))).collect();
            check(text, "rounding real; sparsify;", &shapes, k as u64);
        }
    }
}

#[test]
fn vectors_and_tensors() {
    let vector = "fn f(x: f64[N]) -> f64[N] as [compressed] { gen i < N { x[i] } }";
    [0, 1, 70].into_iter().for_each(|n| check(vector, "", &[("x", vec![n])], n as u64));
    for format in ["csf", "coo", "[dense, dense, compressed]", "[dense, compressed, compressed]"] {
        let text = format!(
            "fn f(x: f64[N, M, K]) -> f64[N, M, K] as {format} {{ gen i < N, j < M, k < K {{ x[i, j, k] }} }}"
        );
        SIZES.into_iter().for_each(|shape| check(&text, "", &[("x", shape.to_vec())], 3));
    }
}

#[test]
fn what_is_not_stored_is_zero_of_the_semiring() {
    let text = "fn f(x: min_plus<f64>[N, M]) -> min_plus<f64>[N, M] as csr { gen i < N, j < M { [i < j] * x[i, j] } }";
    check(text, "", &[("x", vec![5, 6])], 1);
}

#[test]
fn other_types_of_elements() {
    for ty in ["f32", "i32", "i64", "bool"] {
        let text = format!(
            "fn f(n: size, m: size) -> {ty}[n, m] as csr {{ gen i < n, j < m {{ {ty}(i % 3) * {ty}(j % 2) }} }}"
        );
        let text = if ty == "bool" { text.replace("bool(i % 3) * bool(j % 2)", "i % 3 < j") } else { text };
        let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let lowered = program.scheduled("f", None).and_then(|s| s.lower()).unwrap_or_else(|e| panic!("{e}"));
        let arrays = |backend: &'static Backend| {
            let kernel = lowered.compile(backend, Default::default()).unwrap();
            kernel.call(&[], &[("n", 4), ("m", 5)]).sparse().unwrap_or_else(|e| panic!("{e}")).unwrap().arrays
        };
        let expected = arrays(&backends::interp::BACKEND);
        usable()
            .into_iter()
            .for_each(|backend| assert_eq!(arrays(backend), expected, "{ty}, {}", backend.name));
    }
}
