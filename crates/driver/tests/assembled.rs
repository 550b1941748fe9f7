//! Results in formats: every back end gives the arrays of the dense result, packed; and they are well formed.

use atl_driver::backends::{self, Backend};
use atl_driver::sparse::packed;
use atl_driver::{Assembled, Buffer, Compiled, Failure, Program};
use atl_loops::interp::{Cells, Options, interpret};
use atl_loops::{Stmt, Storage};
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

/// The shapes of the tensors of a call.
type Shapes<'s> = Vec<(&'s str, Vec<usize>)>;

/// Every back end gives the arrays that the meaning has, packed, whether the function is scheduled or not.
fn check(text: &str, steps: &str, shapes: &[(&str, Vec<usize>)], seed: u64) {
    check_each(text, steps, &[shapes.to_vec()], seed);
}

/// The same for several calls of what is compiled once.
fn check_each(text: &str, steps: &str, calls: &[Shapes<'_>], seed: u64) {
    let text = format!("{text} schedule s of f {{ {steps} }}");
    let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut random = Random(seed);
    let mut tensors = |shapes: &Shapes<'_>| -> Vec<_> {
        let full = random.below(4) + 1;
        shapes.iter().map(|(name, shape)| (name.to_string(), random.tensor(shape, full))).collect()
    };
    let calls: Vec<Vec<(String, Buffer)>> = calls.iter().map(&mut tensors).collect();
    let schedules = if steps.is_empty() { vec![None] } else { vec![None, Some("s")] };
    let mut expected: Vec<Assembled> = Vec::new();
    for schedule in schedules {
        let lowered = program.scheduled("f", schedule).and_then(|scheduled| scheduled.lower());
        let lowered = lowered.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let found = |backend: &'static Backend| -> Vec<Assembled> {
            let kernel = lowered.compile(backend, Default::default()).unwrap_or_else(|e| panic!("{e}"));
            let one = |tensors: &Vec<(String, Buffer)>| {
                let tensors: Vec<_> = tensors.iter().map(|(name, t)| (name.as_str(), t.clone())).collect();
                let found =
                    call(&kernel, &tensors).unwrap_or_else(|e| panic!("{}: {e}\n{text}", backend.name));
                let found = found.expect("the result has a format");
                // The walk over the arrays that the boundary makes.
                found.entries().unwrap_or_else(|why| panic!("{}: {why}\n{text}", backend.name));
                found
            };
            calls.iter().map(one).collect()
        };
        let meaning = found(&backends::interp::BACKEND);
        if expected.is_empty() {
            expected.clone_from(&meaning);
        }
        for found in usable().into_iter().map(found).chain([meaning]) {
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.arrays, expected.arrays, "{text}\n{}", lowered.kernel);
            }
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

/// Matrices of all sizes, with these extents by the number of the size.
fn of_all_sizes<'s>(params: &[(&'s str, &[usize])]) -> Vec<Shapes<'s>> {
    let shapes = |sizes: [usize; 3]| {
        let shape = |axes: &[usize]| axes.iter().map(|axis| sizes[*axis]).collect();
        params.iter().map(|(name, axes)| (*name, shape(axes))).collect()
    };
    SIZES.into_iter().map(shapes).collect()
}

/// In whatever order an operand has its entries, and the result wants them.
#[test]
fn matrices_are_turned_over() {
    let formats = ["csr", "csc", "dcsr", "dcsc", "coo"];
    for (k, from) in formats.into_iter().enumerate() {
        for (l, to) in formats.into_iter().enumerate() {
            let seed = (7 * k + l) as u64;
            let text = format!(
                "fn f(A: f64[N, M] as {from}, x: f64[M]) -> f64[N, M] as {to} {{ \
                 gen i < N, j < M {{ A[i, j] * x[j] }} }}"
            );
            let calls = of_all_sizes(&[("A", &[0, 1]), ("x", &[1])]);
            check_each(&text, "rounding real; sparsify;", &calls, seed);
        }
    }
}

#[test]
fn outer_products_add_up_in_any_order() {
    for (seed, to) in ["csr", "csc", "dcsr", "dcsc", "coo"].into_iter().enumerate() {
        let text = format!(
            "fn f(A: f64[N, M] as csc, B: f64[M, K] as csr) -> f64[N, K] as {to} {{ \
             gen i < N, k < K {{ sum j < M {{ A[i, j] * B[j, k] }} }} }}"
        );
        let calls = of_all_sizes(&[("A", &[0, 1]), ("B", &[1, 2])]);
        check_each(&text, "rounding real; sparsify;", &calls, seed as u64);
    }
}

/// Sums of a matrix and what is turned over, sampled products, tensors of three dimensions.
#[test]
fn terms_of_several_operands_and_dimensions() {
    let steps = "rounding real; sparsify;";
    let both = "fn f(A: f64[N, N] as csr, B: f64[N, N] as coo) -> f64[N, N] as csr { \
                gen i < N, j < N { A[i, j] + A[j, i] + B[j, i] } }";
    check_each(both, steps, &of_all_sizes(&[("A", &[0, 0]), ("B", &[0, 0])]), 1);
    let sampled = "fn f(A: f64[N, M] as csr, B: f64[N, K], C: f64[K, M]) -> f64[N, M] as csc { \
                   gen i < N, j < M { A[i, j] * sum k < K { B[i, k] * C[k, j] } } }";
    check_each(sampled, steps, &of_all_sizes(&[("A", &[0, 1]), ("B", &[0, 2]), ("C", &[2, 1])]), 2);
    for (seed, (from, to)) in [("csf", "csf"), ("coo", "csf"), ("csf", "coo")].into_iter().enumerate() {
        for order in ["i < N, j < M, k < K", "k < K, j < M, i < N", "j < M, k < K, i < N"] {
            let letters: Vec<&str> = order.split(", ").map(|l| &l[4..]).collect();
            let text = format!(
                "fn f(T: f64[N, M, K] as {from}) -> f64[{}] as {to} {{ gen {order} {{ T[i, j, k] }} }}",
                letters.join(", ")
            );
            check_each(&text, steps, &of_all_sizes(&[("T", &[0, 1, 2])])[2..], seed as u64);
        }
    }
}

/// The claim that terms come in order is not made where it is false: places that fall, that repeat, that depend on the other loop.
#[test]
fn terms_out_of_order_are_put_in_order() {
    for (seed, (row, column)) in [
        ("p", "i"),
        ("p", "N - 1 - i"),
        ("p", "i / 2"),
        ("p / 2", "i"),
        ("M - 1 - p", "i"),
        ("p", "min(p, N - 1)"),
        ("min(i, M - 1)", "i"),
        ("p", "0 * i"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!(
            "fn f(x: f64[N, M]) -> f64[M, N] as csr {{ \
             sum i < N, p < M {{ [x[i, p] != 9] * one_hot(M, {row}, one_hot(N, {column}, x[i, p])) }} }}"
        );
        let text = text.replace("[x[i, p] != 9] * ", if seed % 2 == 0 { "[i != p] * " } else { "" });
        check_each(&text, "", &of_all_sizes(&[("x", &[0, 1])]), seed as u64);
    }
    let diagonal =
        "fn f(x: f64[N]) -> f64[N, N] as coo { sum i < N { one_hot(N, N - 1 - i, one_hot(N, i, x[i])) } }";
    check_each(diagonal, "", &of_all_sizes(&[("x", &[0])]), 3);
}

/// Operands whose entries come in order are merged, whatever else they are: by all back ends, to the same arrays.
#[test]
fn sums_of_operands_in_order_are_merged() {
    let merges = |lowered: &atl_driver::Lowered| {
        let mut found = 0;
        lowered.kernel.body.for_each(&mut |stmt| found += usize::from(matches!(stmt, Stmt::Merge { .. })));
        found
    };
    for (seed, (from, to, expression, expected)) in [
        (["csr", "csr", "csr"], "csr", "A[i, j] + B[i, j]", 1),
        (["csr", "dcsr", "csr"], "csr", "A[i, j] + B[i, j]", 0),
        (["dcsr", "dcsr", "csr"], "dcsr", "A[i, j] + B[i, j]", 2),
        (["dcsr", "dcsr", "dcsr"], "dcsr", "A[i, j] + 2 * B[i, j] + C[i, j] * x[j]", 2),
        (["dcsr", "dcsr", "dcsr"], "csf", "A[i, j] + B[i, j]", 2),
        (["coo", "coo", "coo"], "coo", "A[i, j] + B[i, j]", 1),
        (["coo", "coo", "coo"], "coo", "A[i, j] + B[i, j] + C[i, j]", 1),
        (["csr", "csr", "csr"], "dcsr", "A[i, j] + B[i, j]", 1),
        (["csr", "csr", "csr"], "coo", "A[i, j] + B[i, j]", 1),
        (["csr", "csr", "csr"], "csr", "A[i, j] + [j <= i] * B[i, j] + [i < 3] * C[i, j]", 1),
        (["csr", "csr", "csr"], "csr", "A[i, j] * B[i, j] + C[i, j]", 1),
        (["csr", "csr", "csr"], "csr", "A[i, j] - B[i, j]", 1),
        (["csc", "csc", "csc"], "csc", "A[i, j] + B[i, j]", 1),
        (["csr", "csr", "csr"], "csr", "x[j] * (A[i, j] + B[i, j] - C[i, j])", 1),
    ]
    .into_iter()
    .enumerate()
    {
        let params = ["A", "B", "C"].into_iter().zip(from).filter(|(name, _)| expression.contains(name));
        let params: Vec<(&str, &str)> = params.collect();
        let declared: Vec<String> =
            params.iter().map(|(name, format)| format!("{name}: f64[N, M] as {format}")).collect();
        let text = format!(
            "fn f({}, x: f64[M]) -> f64[N, M] as {to} {{ gen i < N, j < M {{ {expression} }} }}",
            declared.join(", ")
        );
        let steps = "rounding real; sparsify;";
        let program = Program::parse("f.atl", &format!("{text} schedule s of f {{ {steps} }}")).unwrap();
        let lowered = program.scheduled("f", Some("s")).and_then(|scheduled| scheduled.lower());
        let lowered = lowered.unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(merges(&lowered), expected, "{text}\n{}", lowered.kernel);
        let mut shapes: Vec<(&str, &[usize])> = params.iter().map(|(name, _)| (*name, &[0, 1][..])).collect();
        shapes.push(("x", &[1]));
        check_each(&text, steps, &of_all_sizes(&shapes), seed as u64);
    }
}

/// Pairs are stored as they come where their numbers, row by row, are shown to increase; elsewhere they are put in order.
#[test]
fn pairs_in_order_are_appended() {
    for (row, column, is_appended) in [
        ("p / 2", "p % 2", true),
        ("p", "0 * p", true),
        ("p", "1 - p % 2", true),
        ("p / 2", "1 - p % 2", false),
        ("p / 2", "0 * p", false),
        ("N - 1 - p / 2", "p % 2", false),
        ("0 * p", "p % 2", false),
    ] {
        let text = format!(
            "fn f(x: f64[N]) -> f64[N, 2] as coo {{ \
             sum p < N {{ [p % 5 < 4] * one_hot(N, {row}, [p % 3 < 2] * one_hot(2, {column}, x[p])) }} }}"
        );
        check_each(&text, "", &of_all_sizes(&[("x", &[0])]), 5);
        assert_eq!(allocates(&text, None), !is_appended, "{text}");
    }
    for expression in ["2 * A[i, j]", "A[i, j] * x[j]", "[i < j] * A[i, j]", "A[i, j] * B[i, j]"] {
        let text = format!(
            "fn f(A: f64[N, M] as coo, B: f64[N, M] as coo, x: f64[M]) -> f64[N, M] as coo {{ gen i < N, j < M {{ {expression} }} }}"
        );
        let params: [Param; 3] = [("A", &[0, 1]), ("B", &[0, 1]), ("x", &[1])];
        check_each(&text, "rounding real; sparsify;", &of_all_sizes(&params), 6);
        assert!(
            !allocates(&format!("{text} schedule s of f {{ rounding real; sparsify; }}"), Some("s")),
            "{text}"
        );
    }
}

/// Does the function have memory of its own, but registers?
fn allocates(text: &str, schedule: Option<&str>) -> bool {
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let lowered = program.scheduled("f", schedule).and_then(|scheduled| scheduled.lower());
    let mut found = false;
    lowered.unwrap_or_else(|e| panic!("{e}\n{text}")).kernel.body.for_each(&mut |stmt| {
        found |= matches!(stmt, Stmt::Alloc { storage, .. } if *storage != Storage::Register);
    });
    found
}

/// A list of triples may have a place several times, and those of a row in any order.
#[test]
fn entries_of_a_list_add_up() {
    for format in ["csr", "csc", "dcsr", "dcsc", "coo"] {
        for ty in ["f64", "min_plus<f64>", "max_plus<f64>"] {
            let text = format!(
                "fn f(A: {ty}[N, M, L] as coo) -> {ty}[N, M] as {format} {{ gen i < N, j < M {{ sum l < L {{ A[i, j, l] }} }} }} \
                 schedule s of f {{ rounding real; sparsify; }}"
            );
            let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let lowered = program.scheduled("f", Some("s")).and_then(|s| s.lower()).unwrap();
            let arrays = [
                ("A1_pos", Buffer::from_slice(&[0i64, 9], &[2]).unwrap()),
                ("A1_crd0", Buffer::from_slice(&[0i32, 0, 1, 1, 1, 3, 3, 3, 3], &[9]).unwrap()),
                ("A1_crd1", Buffer::from_slice(&[4i32, 0, 1, 1, 1, 2, 0, 2, 1], &[9]).unwrap()),
                ("A1_crd2", Buffer::from_slice(&[1i32, 0, 1, 0, 1, 2, 0, 2, 1], &[9]).unwrap()),
                (
                    "A_vals",
                    Buffer::from_slice(&[2.0, 6.0, 4.0, -4.0, 0.0, 1.0, 3.0, 5.0, 8.0], &[9]).unwrap(),
                ),
            ];
            let views: Vec<_> = arrays.iter().map(|(name, array)| (*name, array.view())).collect();
            let run = |backend: &'static Backend| {
                let kernel = lowered.compile(backend, Default::default()).unwrap();
                kernel
                    .call_sparse(&views, &[("N", 4), ("M", 5), ("L", 3)])
                    .unwrap_or_else(|e| panic!("{e}"))
                    .unwrap()
            };
            let expected = run(&backends::interp::BACKEND);
            assert!(expected.entries().is_ok_and(|entries| entries.len() == if ty == "f64" { 5 } else { 6 }));
            usable()
                .into_iter()
                .for_each(|backend| assert_eq!(run(backend).arrays, expected.arrays, "{text}"));
        }
    }
}

/// Time and memory are those of what is stored, and of the rows and columns; not of all cells.
#[test]
fn what_is_turned_over_costs_what_is_stored() {
    let n = 1500usize;
    let crd: Vec<i32> = (0..n).flat_map(|i| [(i * 7 % n) as i32 / 2, (i * 7 % n) as i32 / 2 + 700]).collect();
    let pos: Vec<i64> = (0..=n).map(|i| 2 * i as i64).collect();
    let rows: Vec<i32> = (0..2 * n).map(|p| p as i32 / 2).collect();
    let vals = vec![1.0; 2 * n];
    let csr = [Cells::I64(pos), Cells::I32(crd.clone()), Cells::F64(vals.clone())];
    let coo = [Cells::I64(vec![0, 2 * n as i64]), Cells::I32(rows), Cells::I32(crd), Cells::F64(vals)];
    for (from, to, inputs) in
        [("csr", "csc", &csr[..]), ("csc", "csr", &csr), ("coo", "csr", &coo), ("coo", "dcsc", &coo)]
    {
        let text = format!(
            "fn f(A: f64[N, M] as {from}) -> f64[N, M] as {to} {{ gen i < N, j < M {{ A[i, j] }} }} \
             schedule s of f {{ rounding real; sparsify; }}"
        );
        let program = Program::parse("f.atl", &text).unwrap();
        let lowered = program.scheduled("f", Some("s")).and_then(|s| s.lower()).unwrap();
        let options = Options { steps: 30 * (2 * n + n + n) as u64, cells: 4 * n, ..Options::default() };
        let sizes = [n as i64, n as i64, 2 * n as i64];
        let outputs =
            interpret(&lowered.kernel, &sizes, inputs, options).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(outputs.last().map(Cells::len), Some(2 * n));
    }
}

#[test]
fn loops_that_count_terms_are_in_order() {
    let text = "fn f(A: f64[N, N] as csr) -> f64[N, N] as csr { gen i < N, j < N { A[i, j] + A[j, i] } } \
                schedule s of f { rounding real; sparsify; parallel i; }";
    let program = Program::parse("f.atl", text).unwrap();
    let refusal = program.scheduled("f", Some("s")).and_then(|s| s.lower()).map(drop);
    assert_eq!(refusal.map_err(|e| e.codes()), Err(vec!["E0411".to_owned()]));
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

/// Sizes and loops of the program may be called what rows of terms need.
#[test]
fn names_that_rows_of_terms_could_take() {
    for name in ["w_pos", "w_crd", "w_vals", "value", "q", "i"] {
        let text = format!(
            "fn f(A: f64[{name}, M] as csr) -> f64[{name}, M] as csc {{ gen j < {name}, k < M {{ A[j, k] }} }}"
        );
        check(&text, "rounding real; sparsify;", &[("A", vec![8, 5])], 1);
        let text = format!(
            "fn f(A: f64[N, M] as csr) -> f64[N, M] as csc {{ gen {name} < N, k < M {{ A[{name}, k] }} }}"
        );
        check(&text, "rounding real; sparsify;", &[("A", vec![5, 8])], 2);
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

/// The place of an element in the order of a layout, said once more.
fn place(at: [usize; 2], shape: [usize; 2], order: &str) -> usize {
    let ([i, j], [n, m]) = (at, shape);
    match order {
        "(N, M):(1, N)" => j * n + i,
        "((4, ceil_div(N, 4)), M):((1, 4 * M), 4)" => (i / 4 * m + j) * 4 + i % 4,
        "(N, (2, ceil_div(M, 2))):(2, (1, 2 * N))" => (j / 2 * n + i) * 2 + j % 2,
        other => unreachable!("{other} has no formula here"),
    }
}

#[test]
fn a_result_in_the_order_of_a_layout_is_the_same_tensor_in_other_places() {
    let orders = [
        ("(N, M):(1, N)", [1, 1]),
        ("((4, ceil_div(N, 4)), M):((1, 4 * M), 4)", [4, 1]),
        ("(N, (2, ceil_div(M, 2))):(2, (1, 2 * N))", [1, 2]),
    ];
    for (order, blocks) in orders {
        let text = format!(
            "fn f(A: f64[N, M], x: f64[M]) -> f64[N, M] in {order} {{ \
             let s = gen i < N {{ sum j < M {{ A[i, j] }} }}; gen i < N, j < M {{ A[i, j] * x[j] + s[i] }} }}"
        );
        let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}"));
        let lowered = program.scheduled("f", None).and_then(|s| s.lower()).unwrap_or_else(|e| panic!("{e}"));
        let usable = backends::TABLE.iter().copied().filter(|b| (b.unavailable)().is_none());
        let compiled =
            |backend| lowered.compile(backend, Default::default()).unwrap_or_else(|e| panic!("{e}"));
        let kernels: Vec<Compiled> = usable.map(compiled).collect();
        for (seed, [n, m, _]) in SIZES.into_iter().enumerate() {
            let mut random = Random(seed as u64);
            let (a, x) = (random.tensor(&[n, m], 6), random.tensor(&[m], 6));
            let (cells, xs) = (a.as_slice::<f64>().unwrap(), x.as_slice::<f64>().unwrap());
            let row = |i: usize| &cells[i * m..(i + 1) * m];
            let expected = |i: usize, j: usize| row(i)[j] * xs[j] + row(i).iter().sum::<f64>();
            for kernel in &kernels {
                let arguments = [("A", a.view()), ("x", x.view())];
                let whole =
                    kernel.call(&arguments, &[]).unwrap_or_else(|e| panic!("{}: {e}", kernel.backend()));
                assert_eq!(whole.shape(), [n, m], "{order}");
                let bound = kernel.bind(&arguments, &[]).unwrap_or_else(|e| panic!("{e}"));
                let mut memory = kernel.allocate_in_order(&bound).unwrap_or_else(|e| panic!("{e}"));
                kernel.run_in_order(&bound, memory.view_mut()).unwrap_or_else(|e| panic!("{e}"));
                let memory = memory.as_slice::<f64>().unwrap();
                let padded = [n, m].into_iter().zip(blocks).map(|(n, block)| n.div_ceil(block) * block);
                assert_eq!(memory.len(), padded.product(), "{order}");
                let mut left: Vec<f64> = memory.to_vec();
                for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
                    let at = place([i, j], [n, m], order);
                    assert_eq!(memory[at], expected(i, j), "{order}, {}: [{i}, {j}]", kernel.backend());
                    assert_eq!(whole.as_slice::<f64>().unwrap()[i * m + j], expected(i, j), "{order}");
                    left[at] = 0.0;
                }
                assert!(
                    left.iter().all(|x| *x == 0.0),
                    "{order}, {}: what is left is not zero",
                    kernel.backend()
                );
            }
        }
    }
}
