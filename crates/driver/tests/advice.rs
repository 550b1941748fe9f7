//! A refused `sparsify` says what to do instead, and doing just that gives the right arrays; so does one that is not refused.

use atl_driver::backends;
use atl_driver::sparse::packed;
use atl_driver::{Buffer, Compile, Program};
use atl_runtime::Tensor;

/// A matrix of small integers, every third of which is not zero.
fn matrix(seed: usize, shape: [usize; 2]) -> Buffer {
    let cells: Vec<f64> = (0..shape[0] * shape[1])
        .map(|cell| if (cell + seed).is_multiple_of(3) { ((cell * 7 + seed) % 5) as f64 - 2.0 } else { 0.0 })
        .collect();
    Buffer::from_slice(&cells, &shape).unwrap()
}

/// The function without formats: `A: f64[N, M] as csr` is `A: f64[N, M]`.
fn dense(text: &str) -> String {
    let formats = [
        " as csr",
        " as csf",
        " as dia",
        " as bcsr(2, 2)",
        " as bcsr(4, 4)",
        " as [dense, hash(8)]",
        " as hash(40)",
        " as ell(5)",
    ];
    formats.iter().fold(text.to_owned(), |text, format| text.replace(format, ""))
}

/// `sparsify` is refused with this code; what it says to do gives the right arrays.
fn check(text: &str, format: &str, operands: &[(&str, [usize; 2])], code: &str) {
    let refused = Program::parse("f.atl", &format!("{text} schedule s of f {{ rounding real; sparsify; }}"));
    let refused = refused.unwrap().scheduled("f", Some("s")).and_then(|scheduled| scheduled.lower());
    let why = refused.map(drop).unwrap_err().to_string();
    assert!(why.contains(code) && why.contains("remove `sparsify`"), "{why}");
    check_arrays(text, "", format, operands);
}

/// The arrays of the result, whose format is this, after these steps, by each back end that there is.
fn check_arrays(text: &str, steps: &str, format: &str, operands: &[(&str, [usize; 2])]) {
    let text_of = |steps: &str| format!("{text} schedule s of f {{ rounding real; {steps} }}");
    let advised = Program::parse("f.atl", &text_of(steps));
    let advised = advised.and_then(|program| program.scheduled("f", Some("s"))?.lower());
    let advised = advised.unwrap_or_else(|e| panic!("{e}\n{}", text_of(steps)));
    let plain = Program::parse("f.atl", &dense(text)).unwrap();
    let plain = plain.scheduled("f", None).and_then(|s| s.lower()).unwrap_or_else(|e| panic!("{e}"));
    let matrices: Vec<_> =
        operands.iter().enumerate().map(|(k, (name, shape))| (*name, matrix(k, *shape))).collect();
    let own = Program::parse(
        "g.atl",
        &format!("fn g(R: f64[N, M] as {format}) -> f64 {{ sum i < N, j < M {{ R[i, j] }} }}"),
    );
    let own = own.unwrap().scheduled("g", None).and_then(|s| s.lower()).unwrap();
    for backend in backends::TABLE.iter().copied().filter(|b| (b.unavailable)().is_none()) {
        let plain = plain.compile(backend, Default::default()).unwrap();
        let views: Vec<_> = matrices.iter().map(|(name, array)| (*name, array.view())).collect();
        let wanted = plain.call(&views, &[]).dense().unwrap();
        let own = own.compile(backend, Default::default()).unwrap();
        let wanted =
            packed(own.signature(), &own.signature().operands[0], &Tensor::Dense(wanted)).unwrap().arrays;

        let advised = advised.compile(backend, Default::default()).unwrap();
        let (mut arrays, mut sizes) = (Vec::new(), Vec::new());
        for (param, (_, array)) in advised.signature().operands.iter().zip(&matrices) {
            let found = packed(advised.signature(), param, &Tensor::Dense(array.clone())).unwrap();
            arrays.extend(found.arrays);
            sizes.extend(found.sizes);
        }
        sizes.sort();
        sizes.dedup();
        let views: Vec<_> = arrays.iter().map(|(name, array)| (name.as_str(), array.view())).collect();
        let sizes: Vec<_> = sizes.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        let found = advised.call(&views, &sizes).sparse().unwrap().unwrap().arrays;
        let [found, wanted] =
            [found, wanted].map(|arrays| arrays.into_iter().map(|(_, a)| a).collect::<Vec<_>>());
        assert_eq!(found, wanted, "{}\n{text}", backend.name);
    }
}

#[test]
fn products_of_rows_stored_by_diagonals() {
    let text = "fn f(A: f64[N, M] as csr, B: f64[M, K] as csr) -> f64[N, K] as dia {
        gen i < N, k < K { sum j < M { A[i, j] * B[j, k] } } }";
    for steps in ["", "sparsify;"] {
        check_arrays(text, steps, "dia", &[("A", [3, 4]), ("B", [4, 5])]);
        check_arrays(text, steps, "dia", &[("A", [5, 3]), ("B", [3, 2])]);
    }
}

#[test]
fn blocks_stored_as_others_or_as_rows() {
    for (own, other) in [("bcsr(2, 2)", "bcsr(4, 4)"), ("bcsr(4, 4)", "bcsr(2, 2)"), ("bcsr(2, 2)", "csr")] {
        let text = format!(
            "fn f(A: f64[N, M] as {own}) -> f64[N, M] as {other} {{ gen i < N, j < M {{ 2 * A[i, j] }} }}"
        );
        check(&text, other, &[("A", [5, 6])], "E0370");
    }
}

/// A loop that no equation ends is outside of the positions whose places it says: it is turned.
#[test]
fn tables_of_rows_are_turned_over() {
    for format in ["[dense, hash(8)]", "hash(40)", "ell(5)"] {
        let text = |to: &str| {
            format!(
                "fn f(A: f64[N, M] as {format}) -> f64[M, N] as {to} {{ gen i < M, j < N {{ A[j, i] }} }}"
            )
        };
        for (to, steps) in [("csr", "sparsify;"), ("bcsr(2, 2)", "sparsify;")] {
            check_arrays(&text(to), steps, to, &[("A", [3, 5])]);
        }
    }
}

/// A number of pairs says both of its parts: no loop over one of them is left.
#[test]
fn products_of_all_pairs_of_rows() {
    let pairs = |condition: &str| {
        format!(
            "fn f(A: f64[M, N] as csr, B: f64[K, L] as csr) -> f64[M * K, N * L] as csr {{
                gen r < M * K, c < N * L {{
                    sum i < M, k < K, j < N, l < L {{ [{condition}] * (A[i, j] * B[k, l]) }} }} }}"
        )
    };
    for condition in ["r == i * K + k && c == j * L + l", "c == l + L * j && k + K * i == r"] {
        let text = pairs(condition);
        for shape in [[2, 3], [3, 1], [0, 2]] {
            check_arrays(&text, "sparsify;", "csr", &[("A", shape), ("B", [3, 4])]);
        }
        let scheduled = format!("{text} schedule s of f {{ rounding real; sparsify; }}");
        let lowered = Program::parse("f.atl", &scheduled).and_then(|p| p.scheduled("f", Some("s"))?.lower());
        let loops = lowered.unwrap_or_else(|e| panic!("{e}")).kernel.to_string();
        assert_eq!(loops.matches("for ").count(), 3, "{loops}");
    }
}

/// What the remark on a result that is put in order by all of its places says to do.
#[test]
fn results_of_more_dimensions_in_order() {
    let product = |result: &str, element: &str| {
        format!("fn f(A: f64[M, N] as csr, B: f64[K, L] as csr) -> {result} {{ {element} }}")
    };
    let nested = product(
        "f64[M * K, N * L] as csr",
        "flatten(gen i < M, k < K { flatten(gen j < N, l < L { A[i, j] * B[k, l] }) })",
    );
    check_arrays(&nested, "sparsify;", "csr", &[("A", [2, 3]), ("B", [3, 2])]);
}
