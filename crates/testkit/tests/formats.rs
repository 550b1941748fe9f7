//! A program means the same for every format of its parameters: programs by formats by tensors, as written and under
//! `sparsify`, against the program over the dense tensor, on the back ends that need no compiler.

use atl_driver::backends::{Backend, cranelift, loops};
use atl_driver::{Lowered, Program};
use atl_interp::Value;
use atl_kernel::Scalar;
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Arguments, agree};
use atl_testkit::sparse::packed_arguments;

/// Functions of a matrix in the format `F`, whose elements are integers so that no sum rounds.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "matrix by vector",
        "fn f(A: f64[N, M] as F, x: f64[M]) -> f64[N] { gen i < N { sum j < M { A[i, j] * x[j] } } }",
    ),
    (
        "vector by matrix",
        "fn f(A: f64[N, M] as F, x: f64[N]) -> f64[M] { gen j < M { sum i < N { x[i] * A[i, j] } } }",
    ),
    (
        "matrix by matrix",
        "fn f(A: f64[N, M] as F, B: f64[M, K]) -> f64[N, K] { gen i < N, k < K { sum j < M { A[i, j] * B[j, k] } } }",
    ),
    (
        "sampled product",
        "fn f(A: f64[N, M] as F, B: f64[N, K], C: f64[K, M]) -> f64[N, M] {
             gen i < N, j < M { A[i, j] * sum k < K { B[i, k] * C[k, j] } }
         }",
    ),
    ("sum", "fn f(A: f64[N, M] as F) -> f64[] { sum i < N, j < M { A[i, j] } }"),
    ("copy", "fn f(A: f64[N, M] as F) -> f64[N, M] { gen i < N, j < M { 2 * A[i, j] } }"),
    ("transpose", "fn f(A: f64[N, M] as F) -> f64[M, N] { gen j < M, i < N { A[i, j] } }"),
    ("shifted", "fn f(A: f64[N, M] as F) -> f64[N, M] { gen i < N, j < M { A[i, j] + A?[i, j + 1] } }"),
    ("column", "fn f(A: f64[N, M] as F, c: size) -> f64[N] where c < M { gen i < N { A[i, c] } }"),
    (
        "shortest paths",
        "fn f(A: min_plus<f64>[N, M] as F, x: min_plus<f64>[M]) -> min_plus<f64>[N] {
         gen i < N { sum j < M { A[i, j] * x[j] } }
     }",
    ),
];

/// A matrix of these extents, of small integers, where `present` in eight are not the zero.
fn matrix(shape: &[usize], present: usize, zero: f64, choices: &mut Choices) -> Array {
    let cells = shape.iter().product();
    let mut cell = || match choices.below(8) < present {
        true => Value::F64(1.0 + choices.below(3) as f64),
        false => Value::F64(zero),
    };
    Array { scalar: Scalar::F64, shape: shape.to_vec(), data: (0..cells).map(|_| cell()).collect() }
}

fn lowered(source: &str, schedule: Option<&str>) -> Result<Lowered, String> {
    let program = Program::parse("f.atl", source).map_err(|e| e.to_string())?;
    program.scheduled("f", schedule).and_then(|scheduled| scheduled.lower()).map_err(|e| e.to_string())
}

/// Matrices of all sorts: empty ones, ones without entries, full ones; and what else the programs take.
fn samples(source: &str, choices: &mut Choices) -> Vec<Arguments> {
    let zero = if source.contains("min_plus") { f64::INFINITY } else { 0.0 };
    let shapes = [(0, 3), (3, 0), (1, 1), (4, 6), (6, 4), (7, 7)];
    let mut samples = Vec::new();
    for (k, (n, m)) in shapes.into_iter().enumerate() {
        let given = |name: &str| source.contains(&format!("{name}: "));
        let mut arrays = vec![("A".to_owned(), matrix(&[n, m], [3, 8, 1, 0, 2, 4][k], zero, choices))];
        let mut sizes = vec![];
        if given("x") {
            let extent = if source.contains("x: f64[N]") { n } else { m };
            arrays.push(("x".to_owned(), matrix(&[extent], 6, zero, choices)));
        }
        if given("B") {
            let shape = if source.contains("B: f64[M, K]") { [m, 2] } else { [n, 2] };
            arrays.push(("B".to_owned(), matrix(&shape, 6, zero, choices)));
        }
        if given("C") {
            arrays.push(("C".to_owned(), matrix(&[2, m], 6, zero, choices)));
        }
        if given("c") {
            match m.checked_sub(1) {
                Some(last) => sizes.push(("c".to_owned(), choices.below(last + 1) as i64)),
                None => continue,
            }
        }
        samples.push(Arguments { sizes, arrays });
    }
    samples
}

/// Every program over a matrix in one format, which has room for rows of 7.
fn programs_over(format: &str) {
    let back_ends: [&Backend; 2] = [&loops::BACKEND, &cranelift::BACKEND];
    let mut choices = Choices::new(format.bytes().map(u64::from).sum());
    for (what, text) in PROGRAMS {
        let positive = if format == "dia" { "where 0 < N, 0 < M" } else { "" };
        let text = match text.contains("where") {
            true => text
                .replace("where", &format!("{positive}{}", if positive.is_empty() { "where" } else { "," })),
            false => text.replacen(" {", &format!(" {positive} {{"), 1),
        };
        let schedule = "schedule s of f { rounding real; sparsify; }";
        let dense = lowered(&text.replace(" as F", ""), None).unwrap_or_else(|e| panic!("{what}: {e}"));
        let source = format!("{}\n{schedule}", text.replace(" as F", &format!(" as {format}")));
        let plain = lowered(&source, None).unwrap_or_else(|e| panic!("{what} of {format}: {e}"));
        // Where every element is located there may be nothing to do.
        let sparse = lowered(&source, Some("s")).ok();
        let iterates = format != "[dense, dense]";
        assert!(sparse.is_some() || *what != "matrix by vector" || !iterates, "{what} of {format}");
        for sample in samples(&text, &mut choices) {
            if format == "dia" && sample.arrays[0].1.data.is_empty() {
                continue;
            }
            let expected = agree(&dense, &[], &sample).unwrap_or_else(|e| panic!("{what}: {e:?}"));
            for lowered in [Some(&plain), sparse.as_ref()].into_iter().flatten() {
                let given =
                    packed_arguments(lowered, &sample).unwrap_or_else(|e| panic!("{what} of {format}: {e}"));
                let found = agree(lowered, &back_ends, &given);
                let found = found.unwrap_or_else(|e| panic!("{what} of {format}: {e:?}"));
                assert_eq!(found, expected, "{what} of {format}, {sample:?}");
            }
        }
    }
}

#[test]
fn compressed_levels_change_no_meaning() {
    ["csr", "csc", "dcsr", "dcsc", "coo", "[bitmask, compressed]"].into_iter().for_each(programs_over);
}

#[test]
fn slots_change_no_meaning() {
    let formats = ["[dense, dense]", "bitmask", "ell(7)", "[dense, hash(8)]", "[dense, rankmask]"];
    formats.into_iter().for_each(programs_over);
}

#[test]
fn blocks_and_diagonals_change_no_meaning() {
    ["bcsr(2, 3)", "csb(3, 2)", "dia"].into_iter().for_each(programs_over);
}

#[test]
fn runs_change_no_meaning() {
    let of_rows = ["[dense, band]", "[dense, sparse_runs]", "[dense, blocklist]"];
    let of_both = ["[compressed, sparse_runs]", "[sparse_runs, band]"];
    of_rows.into_iter().chain(of_both).for_each(programs_over);
}
