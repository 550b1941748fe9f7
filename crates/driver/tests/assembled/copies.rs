//! Copies of operands in the other order: what they are read by has the same arrays as without them.

use super::*;
use atl_driver::Lowered;
use atl_runtime::Element;

/// Products and sums of matrices by rows and by columns, each by copies of one operand or of both.
#[test]
fn what_reads_a_copy_gives_the_same() {
    let gram = "fn f(A: f64[N, M] as csr) -> f64[N, N] as csr { \
                gen i < N, j < N { sum k < M { A[i, k] * A[j, k] } } }";
    let columns = "fn f(A: f64[N, M] as csr) -> f64[M, M] as csc { \
                   gen i < M, j < M { sum k < N { A[k, i] * A[k, j] } } }";
    let of_rows = "fn f(A: f64[N, M] as csr, B: f64[K, M] as csr) -> f64[N, K] as csr { \
                   gen i < N, j < K { sum k < M { A[i, k] * B[j, k] } } }";
    let mixed = "fn f(A: f64[N, M] as csr, B: f64[M, K] as csc) -> f64[N, K] as csr { \
                 gen i < N, j < K { sum k < M { A[i, k] * B[k, j] } } }";
    let sum = "fn f(A: f64[N, M] as csr, B: f64[N, M] as csc) -> f64[N, M] as csr { \
               gen i < N, j < M { A[i, j] + B[i, j] } }";
    let squares = "fn f(A: f64[N, N] as csc, B: f64[N, N] as csr) -> f64[N, N] as csr { \
                   gen i < N, j < N { A[i, j] * B[i, j] + A[j, i] } }";
    let one: &[Param] = &[("A", &[0, 1])];
    let cases: [(&str, &str, &[Param]); 9] = [
        (gram, "repack A[j, _] as T; sparsify;", one),
        (gram, "repack A[i, k] as T; sparsify;", one),
        (gram, "repack A as T; sparsify;", one),
        (columns, "repack A[_, i] as T; sparsify;", one),
        (of_rows, "repack B as T; sparsify;", &[("A", &[0, 1]), ("B", &[2, 1])]),
        (mixed, "repack B as T; sparsify;", &[("A", &[0, 1]), ("B", &[1, 2])]),
        (mixed, "repack A as S; repack B as T; sparsify;", &[("A", &[0, 1]), ("B", &[1, 2])]),
        (sum, "repack B as T; sparsify by merge;", &[("A", &[0, 1]), ("B", &[0, 1])]),
        (squares, "repack A[i, j] as T; sparsify;", &[("A", &[0, 0]), ("B", &[0, 0])]),
    ];
    for (seed, (text, steps, params)) in cases.into_iter().enumerate() {
        // The interpreter of terms looks at all that is known of a copy, which takes long where there
        // is much.
        let sizes = of_all_sizes(params);
        let few = if seed.is_multiple_of(4) { &sizes[..4] } else { &sizes[..3] };
        check_each(text, &format!("rounding real; {steps}"), few, seed as u64);
    }
}

const GRAM: &str = "fn f(A: f64[N, M] as csr) -> f64[N, N] as csr { \
                    gen i < N, j < N { sum k < M { A[i, k] * A[j, k] } } }
                    schedule s of f { rounding real; repack A[j, k] as T; sparsify; }";

/// The values and places that every back end but the interpreter of terms stores.
fn stored(pos: &[i64], crd: &[i32], vals: &[f64], n: i64, m: i64) -> Vec<(Vec<i64>, Vec<i32>, Vec<f64>)> {
    let one = |backend: &'static Backend| {
        let found = called(backend, (pos, crd, vals), [n, m]).unwrap_or_else(|e| panic!("{e}"));
        (numbers(&found[0].1), numbers(&found[1].1), numbers(&found[2].1))
    };
    usable().into_iter().map(one).collect()
}

/// The arrays of the product of a matrix by its transpose, by a copy, or why the call is refused.
fn called(
    backend: &'static Backend,
    (pos, crd, vals): (&[i64], &[i32], &[f64]),
    [n, m]: [i64; 2],
) -> Result<Vec<(String, Buffer)>, String> {
    let kernel = lowered(GRAM).compile(backend, Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let (pos, crd, vals) = (buffer(pos), buffer(crd), buffer(vals));
    let views = [("A2_pos", pos.view()), ("A2_crd", crd.view()), ("A_vals", vals.view())];
    let found = kernel.call(&views, &[("N", n), ("M", m)]).sparse().map_err(|why| why.to_string())?;
    Ok(found.expect("the result has a format").arrays)
}

fn lowered(text: &str) -> Lowered {
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    program.scheduled("f", Some("s")).and_then(|s| s.lower()).unwrap_or_else(|e| panic!("{e}"))
}

fn buffer<T: Element>(cells: &[T]) -> Buffer {
    Buffer::from_slice(cells, &[cells.len()]).expect("as many cells as the extent says")
}

fn numbers<T: Element + Copy>(array: &Buffer) -> Vec<T> {
    array.as_slice::<T>().expect("an array of this type").to_vec()
}

/// An absent entry is not multiplied, whatever it would be multiplied by; an entry of zero is.
#[test]
fn infinities_meet_entries_alone() {
    for (pos, crd, vals) in stored(&[0, 1, 3], &[0, 0, 1], &[f64::INFINITY, 0.0, 2.0], 2, 3) {
        assert_eq!((pos, crd), (vec![0, 2, 4], vec![0, 1, 0, 1]));
        assert!(vals[0] == f64::INFINITY && vals[1].is_nan() && vals[2].is_nan() && vals[3] == 4.0);
    }
}

/// What stands in front of the first row, and behind the last one, is no entry, and is not copied.
#[test]
fn what_is_no_entry_is_not_copied() {
    for found in stored(&[1, 2, 3], &[0, 0, 1, 2], &[9.0, 3.0, 4.0, 7.0], 2, 3) {
        assert_eq!(found, (vec![0, 1, 2], vec![0, 1], vec![9.0, 16.0]));
    }
}

/// A row that names a column twice is refused, as without a copy.
#[test]
fn entries_that_are_there_twice_are_refused() {
    assert!(called(&backends::loops::BACKEND, (&[0, 2], &[1, 1], &[1.0, 2.0]), [1, 3]).is_err());
}

/// The rows of a copy by columns have numbers in 32 bits.
#[test]
fn rows_have_numbers_in_32_bits() {
    let text = "fn f(A: f64[N, M] as csr, x: f64[N]) -> f64[M] { gen j < M { sum i < N { A[i, j] * x[i] } } } \
                schedule s of f { rounding real; repack A as T; sparsify; }";
    let text = lowered(text).kernel.to_string();
    assert!(text.contains("\n  requires N <= 2147483648\n"), "{text}");
}

/// The interpreter of terms makes no copy of more columns than it has cells.
#[test]
fn columns_without_number_are_refused_by_the_interpreter() {
    let found = called(&backends::interp::BACKEND, (&[0, 1], &[7], &[2.0]), [1, 1 << 50]);
    let why = found.expect_err("a refusal");
    assert!(why.contains("a tensor is too large"), "{why}");
}
