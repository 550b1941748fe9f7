//! `pattern_of A`: every back end gives the arrays of `A`, with the numbers of the dense result at its places.

use atl_driver::backends;
use atl_driver::sparse::packed;
use atl_driver::{Buffer, Compile, Failure, Lowered, Program};
use atl_runtime::Tensor;

/// Small integers of which about half are zero, the same for a seed.
fn tensor(seed: u64, shape: &[usize]) -> Buffer {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 8
    };
    let cells: Vec<f64> = (0..shape.iter().product()).map(|_| next().saturating_sub(4) as f64).collect();
    Buffer::from_slice(&cells, shape).unwrap()
}

/// The program's schedule `s`, as far as it goes.
fn lowered(text: &str) -> Result<Lowered, Failure> {
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program.scheduled("f", Some("s")).and_then(|scheduled| scheduled.lower())
}

/// How many zeros the results have; their places are those of `A`.
fn check(text: &str, shapes: &[(&str, Vec<usize>)], seed: u64) -> usize {
    let text = format!("{text} schedule s of f {{ rounding real; sparsify; pattern_of A; }}");
    let lowered = lowered(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let usable = backends::TABLE.iter().copied().filter(|b| (b.unavailable)().is_none());
    let (mut expected, mut zeros) = (None, 0);
    for backend in usable {
        let kernel = lowered.compile(backend, Default::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (mut arrays, mut sizes, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (k, (name, shape)) in shapes.iter().enumerate() {
            let tensor = tensor(seed + k as u64, shape);
            let Some(param) = kernel.signature().operand(name) else {
                arrays.push(((*name).to_owned(), tensor));
                continue;
            };
            let found = packed(kernel.signature(), param, &Tensor::Dense(tensor)).unwrap();
            if *name == "A" {
                places = found.arrays.iter().map(|(_, array)| array.clone()).collect();
                places.pop();
            }
            arrays.extend(found.arrays);
            sizes.extend(found.sizes);
        }
        sizes.sort();
        sizes.dedup();
        let views: Vec<_> = arrays.iter().map(|(name, array)| (name.as_str(), array.view())).collect();
        let sizes: Vec<_> = sizes.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        let result = kernel.call(&views, &sizes).sparse().unwrap_or_else(|e| panic!("{}: {e}", backend.name));
        let mut result: Vec<_> = result.unwrap().arrays.into_iter().map(|(_, array)| array).collect();
        assert_eq!(*expected.get_or_insert(result.clone()), result, "{}\n{text}", backend.name);
        let values = result.pop().unwrap();
        assert_eq!(result, places, "{}\n{text}", backend.name);
        zeros = values.as_slice::<f64>().unwrap().iter().filter(|x| **x == 0.0).count();
    }
    zeros
}

#[test]
fn what_is_kept_are_entries_where_rows_and_blocks_are_dense_too() {
    // Rows 0 and 2 are stored, and row 0 becomes zero.
    let a = Buffer::from_slice(&[2.0, 1.0, 0.0, 0.0, 0.0, 5.0], &[3, 2]).expect("six cells");
    let x = Buffer::from_slice(&[0.0, 1.0, 2.0], &[3]).expect("three cells");
    let entries = |format: &str, keep: &str| {
        let text = format!(
            "fn f(A: f64[N, M] as {format}, x: f64[N]) -> f64[N, M] as {format} {{ gen i < N, j < M {{ A[i, j] * x[i] }} }}
             schedule s of f {{ rounding real; sparsify; {keep} }}"
        );
        let lowered = lowered(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let kernel = lowered.compile(&backends::interp::BACKEND, Default::default());
        let kernel = kernel.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let found = packed(kernel.signature(), &kernel.signature().operands[0], &Tensor::Dense(a.clone()));
        let found = found.unwrap_or_else(|d| panic!("{}\n{text}", d.message));
        let mut arrays: Vec<_> =
            found.arrays.iter().map(|(name, array)| (name.as_str(), array.view())).collect();
        arrays.push(("x", x.view()));
        let sizes: Vec<_> = found.sizes.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        let result = kernel.call(&arrays, &sizes).sparse().unwrap_or_else(|e| panic!("{e}\n{text}"));
        let entries = result.expect("a result in a format").entries();
        entries.unwrap_or_else(|d| panic!("{d}\n{text}")).columns().to_vec()
    };
    for format in ["[compressed, dense]", "csr"] {
        assert_eq!(entries(format, ""), [[2], [1]], "{format}");
    }
    assert_eq!(entries("[compressed, dense]", "pattern_of A;"), [[0, 0, 2, 2], [0, 1, 0, 1]]);
    // Where rows are lists, the zero in row 2 is none.
    assert_eq!(entries("csr", "pattern_of A;"), [[0, 0, 2], [0, 1, 1]]);
}

#[test]
fn what_helps_where_places_are_others_depends_on_what_is_read() {
    let check = |element: &str, steps: &str, expected: &str| {
        let text = format!(
            "fn f(A: f64[N, M] as csr, B: f64[N, M] as csr) -> f64[N, M] as csr {{ gen i < N, j < M {{ {element} }} }}
             schedule s of f {{ rounding real; {steps} pattern_of B; }}"
        );
        match (lowered(&text), expected) {
            (Ok(_), "") => {}
            (Err(why), expected) if !expected.is_empty() => {
                let help = format!("{:?}", why.diagnostics[0].help);
                assert!(help.contains(expected), "{help}\n{text}");
            }
            (lowered, _) => panic!("{:?}\n{text}", lowered.err().map(|why| why.to_string())),
        }
    };
    check("2 * A[i, j]", "sparsify;", "`B` is not read");
    check("2 * A[i, j]", "", "`B` is not read");
    check("A[i, j] * B[i, j]", "", "`sparsify` first");
    check("A[i, j] * B[i, j]", "sparsify;", "`sparsify B, ..`");
    check("A[i, j] * B[i, j]", "sparsify B, A;", "");
    check("A[i, j] + B[i, j]", "sparsify;", "a factor of the whole result");
}

#[test]
fn matrices_keep_their_places() {
    let mut zeros = 0;
    for format in ["csr", "csc", "dcsr", "dcsc", "coo", "bcsr(2, 2)"] {
        for (seed, [n, m]) in [[0, 3], [3, 0], [1, 1], [4, 3], [5, 8]].into_iter().enumerate() {
            let text = format!(
                "fn f(A: f64[N, M] as {format}, x: f64[M], B: f64[N, M]) -> f64[N, M] as {format} {{ \
                 gen i < N, j < M {{ A[i, j] * x[j] * B[i, j] }} }}"
            );
            zeros += check(&text, &[("A", vec![n, m]), ("x", vec![m]), ("B", vec![n, m])], 7 * seed as u64);
        }
    }
    assert!(zeros > 0, "all results are without zeros, with `keep` or without");
}

#[test]
fn sampled_products_and_tensors_keep_their_places() {
    let sampled = "fn f(A: f64[N, M] as csr, u: f64[N, K], v: f64[K, M]) -> f64[N, M] as csr {
        gen i < N, j < M { [i < j] * A[i, j] * sum k < K { u[i, k] * v[k, j] } } }";
    assert!(check(sampled, &[("A", vec![6, 5]), ("u", vec![6, 2]), ("v", vec![2, 5])], 3) > 0);
    let met = "fn f(A: f64[N, M] as csr, B: f64[N, M] as csr) -> f64[N, M] as csr {
        gen i < N, j < M { A[i, j] * B[i, j] } }";
    assert!(check(met, &[("A", vec![6, 5]), ("B", vec![6, 5])], 4) > 0);
    let rows_met = met
        .replacen("A: f64[N, M] as csr", "A: f64[N, M] as dcsr", 1)
        .replace("> f64[N, M] as csr", "> f64[N, M] as dcsr");
    assert!(check(&rows_met, &[("A", vec![6, 5]), ("B", vec![6, 5])], 4) > 0);
    let fibres = "fn f(A: f64[N, M, K] as csf, x: f64[K]) -> f64[N, M, K] as csf {
        gen i < N, j < M, k < K { A[i, j, k] * x[k] } }";
    assert!(check(fibres, &[("A", vec![4, 3, 5]), ("x", vec![5])], 5) > 0);
}
