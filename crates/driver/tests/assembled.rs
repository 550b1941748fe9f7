//! Results in formats: every back end gives the arrays of the dense result, packed; and they are well formed.

use atl_driver::backends::{self, Backend};
use atl_driver::sparse::packed;
use atl_driver::{Assembled, Buffer, Compiled, Failure, Program};
use atl_runtime::Tensor;

/// Choices that a seed determines.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Small integers, of which so many in 8 are not zero; some rows have none.
    fn tensor(&mut self, shape: &[usize], full: usize) -> Buffer {
        let row = shape.last().copied().unwrap_or(1).max(1);
        let (count, mut cells) = (shape.iter().product(), Vec::new());
        while cells.len() < count {
            let empty = self.below(4) == 0;
            for _ in 0..row {
                let stored = !empty && self.below(8) < full;
                cells.push(if stored { self.below(9) as f64 - 4.0 } else { 0.0 });
            }
        }
        cells.truncate(count);
        Buffer::from_slice(&cells, shape).unwrap()
    }
}

fn usable() -> Vec<&'static Backend> {
    backends::TABLE.iter().copied().filter(|b| b.name != "interp" && (b.unavailable)().is_none()).collect()
}

/// The function on tensors by name.
fn call(kernel: &Compiled, tensors: &[(&str, Buffer)]) -> Result<Option<Assembled>, Failure> {
    let (mut arrays, mut sizes) = (Vec::new(), Vec::new());
    for (name, tensor) in tensors {
        let Some(param) = kernel.function().sparse.iter().find(|p| p.name == *name) else {
            arrays.push(((*name).to_owned(), tensor.clone()));
            continue;
        };
        let found = packed(kernel.function(), param, &Tensor::Dense(tensor.clone())).unwrap();
        arrays.extend(found.arrays);
        sizes.extend(found.sizes);
    }
    sizes.sort();
    sizes.dedup();
    let views: Vec<_> = arrays.iter().map(|(name, array)| (name.as_str(), array.view())).collect();
    let sizes: Vec<_> = sizes.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    kernel.call_sparse(&views, &sizes)
}

/// Every back end gives the arrays that the meaning has, packed, whether the function is scheduled or not.
fn check(text: &str, steps: &str, shapes: &[(&str, Vec<usize>)], seed: u64) {
    let text = format!("{text} schedule s of f {{ {steps} }}");
    let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut random = Random(seed);
    let full = random.below(4) + 1;
    let tensors: Vec<_> = shapes.iter().map(|(name, shape)| (*name, random.tensor(shape, full))).collect();
    let schedules = if steps.is_empty() { vec![None] } else { vec![None, Some("s")] };
    let mut expected: Option<Assembled> = None;
    for schedule in schedules {
        let lowered = program.scheduled("f", schedule).and_then(|scheduled| scheduled.lower());
        let lowered = lowered.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let found = |backend: &'static Backend| {
            let kernel = lowered.compile(backend, Default::default()).unwrap_or_else(|e| panic!("{e}"));
            let found = call(&kernel, &tensors).unwrap_or_else(|e| panic!("{}: {e}\n{text}", backend.name));
            let found = found.expect("the result has a format");
            // The walk over the arrays that the boundary makes.
            found.entries().unwrap_or_else(|why| panic!("{}: {why}\n{text}", backend.name));
            found
        };
        let meaning = found(&backends::interp::BACKEND);
        let expected = expected.get_or_insert(meaning.clone());
        for found in usable().into_iter().map(found).chain([meaning]) {
            assert_eq!(found.arrays, expected.arrays, "{text}\n{}", lowered.kernel);
        }
    }
}

const SIZES: [[usize; 3]; 6] = [[0, 3, 2], [3, 0, 4], [1, 1, 1], [5, 7, 3], [4, 9, 0], [8, 5, 6]];
const FORMATS: [&str; 6] = ["csr", "csc", "dcsr", "dcsc", "coo", "csf"];

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

/// A tensor by name, and which sizes its extents are.
type Param = (&'static str, &'static [usize]);

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
            kernel.call_sparse(&[], &[("n", 4), ("m", 5)]).unwrap_or_else(|e| panic!("{e}")).unwrap().arrays
        };
        let expected = arrays(&backends::interp::BACKEND);
        usable()
            .into_iter()
            .for_each(|backend| assert_eq!(arrays(backend), expected, "{ty}, {}", backend.name));
    }
}

/// Arrays with a planted fault are not taken for a tensor.
#[test]
fn faults_in_the_arrays_are_found() {
    let text = "fn f(n: size) -> f64[n, n] as csr { gen i < n, j < n { [i <= j] * f64(j + 1) } }";
    let program = Program::parse("f.atl", text).unwrap();
    let lowered = program.scheduled("f", None).and_then(|s| s.lower()).unwrap();
    let kernel = lowered.compile(&backends::cranelift::BACKEND, Default::default()).unwrap();
    let whole = kernel.call_sparse(&[], &[("n", 3)]).unwrap().unwrap();
    let crd = whole.arrays[1].1.as_slice::<i32>().unwrap().to_vec();
    let pos = whole.arrays[0].1.as_slice::<i64>().unwrap().to_vec();
    assert_eq!((&pos[..], &crd[..]), (&[0, 3, 5, 6][..], &[0, 1, 2, 1, 2, 2][..]));
    let with = |array: usize, buffer: Buffer| {
        let mut other = whole.clone();
        other.arrays[array].1 = buffer;
        other.entries().is_ok()
    };
    let crds = |cells: &[i32]| with(1, Buffer::from_slice(cells, &[cells.len()]).unwrap());
    let poss = |cells: &[i64]| with(0, Buffer::from_slice(cells, &[cells.len()]).unwrap());
    assert!(crds(&crd) && poss(&pos));
    for wrong in [[0, 2, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2], [0, 1, 3, 1, 2, 2], [0, 1, -1, 1, 2, 2]] {
        assert!(!crds(&wrong), "{wrong:?}");
    }
    for wrong in [&[0, 3, 5][..], &[0, 3, 5, 5], &[0, 5, 3, 6], &[3, 5, 6, 6], &[0, 3, 5, 6, 6]] {
        assert!(!poss(wrong), "{wrong:?}");
    }
    assert!(!crds(&crd[1..]));
}

/// The marks of touched cells are words that neighbours share: a row that is filled at once has none.
#[test]
fn rows_that_are_filled_at_once() {
    let sums = "fn f(x: f64[N, M]) -> f64[M] as [compressed] { sum i < N { gen j < M { x[i, j] } } }";
    let rows =
        "fn f(x: f64[K, N, M]) -> f64[K, M] as dcsr { gen k < K { sum i < N { gen j < M { x[k, i, j] } } } }";
    for steps in ["", "parallel j", "vectorize j by 8"] {
        let steps = if steps.is_empty() { String::new() } else { format!("{steps};") };
        for m in [0, 1, 7, 300] {
            check(sums, &steps, &[("x", vec![3, m])], 2);
            check(rows, &steps, &[("x", vec![4, 2, m])], 3);
        }
    }
}

/// A loop of the program may be called what a visit of touched cells needs.
#[test]
fn names_that_a_visit_could_take() {
    for name in ["j_count", "j_group", "j_word", "j_groups", "w_count", "w_group", "w_words"] {
        let text = format!(
            "fn f(A: f64[N, M] as csr, B: f64[M, K] as csr) -> f64[N, K] as coo {{ \
             gen {name} < N, k < K {{ sum j < M {{ A[{name}, j] * B[j, k] }} }} }}"
        );
        check(&text, "rounding real; sparsify;", &[("A", vec![8, 5]), ("B", vec![5, 70])], 1);
    }
}

#[test]
fn coordinates_that_are_not_numbered_are_refused() {
    let text = "fn f(n: size) -> f64[n] as [compressed] { gen i < n { 0 } }";
    let program = Program::parse("f.atl", text).unwrap();
    let lowered = program.scheduled("f", None).and_then(|s| s.lower()).unwrap();
    let kernel = lowered.compile(&backends::cranelift::BACKEND, Default::default()).unwrap();
    let refusal = kernel.call_sparse(&[], &[("n", (1 << 31) + 1)]).unwrap_err();
    assert_eq!(refusal.codes(), ["E0506"]);
}
