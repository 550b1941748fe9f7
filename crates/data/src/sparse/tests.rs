//! What files of sparse tensors hold, and every way in which they may be refused.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::super::{npy, npz};
use super::*;
use crate::testing::Scratch;
use atl_runtime::{Duplicates, Parts};

fn target(format: Format) -> Target {
    Target { path: PathBuf::from("a"), format, member: None }
}

/// The array that a file describes.
fn dense(format: Format, bytes: &[u8], request: &Request) -> Result<Buffer, String> {
    let tensor = decode(&target(format), bytes, request, &mut Vec::new())
        .map_err(|reason| reason.at(Path::new("a")).to_string())?;
    Ok(match tensor {
        Tensor::Dense(dense) => dense,
        Tensor::Sparse(sparse) => sparse.coordinates.to_dense().expect("small"),
    })
}

fn check<T: atl_runtime::Element>(
    format: Format,
    bytes: impl AsRef<[u8]>,
    dtype: Option<DType>,
    shape: &[usize],
    expected: &[T],
) {
    let request = Request { dtype, ..Request::default() };
    let expected = Buffer::from_slice(expected, shape).expect("as many as the shape says");
    let found = dense(format, bytes.as_ref(), &request);
    assert_eq!(found, Ok(expected), "{}", String::from_utf8_lossy(bytes.as_ref()));
}

fn check_refused(format: Format, bytes: impl AsRef<[u8]>, dtype: Option<DType>, needle: &str) {
    let request = Request { dtype, ..Request::default() };
    let text = String::from_utf8_lossy(bytes.as_ref()).into_owned();
    let message = dense(format, bytes.as_ref(), &request).expect_err(&text);
    assert!(message.contains(needle), "{text}\n{message}\ndoes not contain\n{needle}");
}

/// A Matrix Market file; its first line is shortened.
fn mtx(text: &str) -> String {
    format!("%%MatrixMarket matrix {text}")
}

#[test]
fn matrices_by_coordinates() {
    let check = |text: &str, shape: &[usize], expected: &[f64]| {
        check(Format::MatrixMarket, mtx(text), None, shape, expected)
    };
    check(
        "coordinate real general\n% c\n\n2 3 2\n2 3 -1.5e1\n1 1 .5\n",
        &[2, 3],
        &[0.5, 0.0, 0.0, 0.0, 0.0, -15.0],
    );
    check("coordinate real general\r\n2 1 1\r\n\r\n% c\r\n  2\t1   7  \r\n\r\n", &[2, 1], &[0.0, 7.0]);
    check("coordinate real symmetric\n2 2 2\n1 1 1\n2 1 2", &[2, 2], &[1.0, 2.0, 2.0, 0.0]);
    check("coordinate real skew-symmetric\n2 2 1\n2 1 3\n", &[2, 2], &[0.0, -3.0, 3.0, 0.0]);
    // Either triangle, or some of both.
    check("coordinate real symmetric\n2 2 2\n1 1 1\n1 2 3", &[2, 2], &[1.0, 3.0, 3.0, 0.0]);
    check("coordinate real skew-symmetric\n2 2 1\n1 2 3\n", &[2, 2], &[0.0, 3.0, -3.0, 0.0]);
    check(
        "coordinate real hermitian\n3 3 2\n2 1 4\n2 3 5",
        &[3, 3],
        &[0.0, 4.0, 0.0, 4.0, 0.0, 5.0, 0.0, 5.0, 0.0],
    );
    check("coordinate real general\n0 3 0\n", &[0, 3], &[]);
    check(
        "coordinate real general\n1 2 2\n1 2 inf\n1 1 -Infinity",
        &[1, 2],
        &[f64::NEG_INFINITY, f64::INFINITY],
    );
}

#[test]
fn values_have_the_type_of_the_file_or_the_one_that_is_wanted() {
    let integers = mtx("coordinate integer general\n1 2 2\n1 1 -3\n1 2 +4\n");
    check(Format::MatrixMarket, &integers, None, &[1, 2], &[-3i64, 4]);
    check(Format::MatrixMarket, &integers, Some(DType::F32), &[1, 2], &[-3.0f32, 4.0]);
    let pattern = mtx("coordinate pattern symmetric\n2 2 1\n2 1\n");
    check(Format::MatrixMarket, &pattern, None, &[2, 2], &[false, true, true, false]);
    check(Format::MatrixMarket, &pattern, Some(DType::F64), &[2, 2], &[0.0f64, 1.0, 1.0, 0.0]);
    check(Format::MatrixMarket, mtx("array real general\n1 1\n2e1"), Some(DType::U8), &[1, 1], &[20u8]);
    // Halfway between two floats in double precision, above it as written.
    let half = "1.00000005960464477540";
    let text = mtx(&format!("coordinate real general\n1 1 1\n1 1 {half}"));
    check(Format::MatrixMarket, text, Some(DType::F32), &[1, 1], &[half.parse::<f32>().expect("a float")]);
}

#[test]
fn matrices_by_columns() {
    let check = |text: &str, shape: &[usize], expected: &[i64]| {
        check(Format::MatrixMarket, mtx(text), None, shape, expected)
    };
    check("array integer general\n2 3\n1\n4\n2\n5\n3\n6\n", &[2, 3], &[1, 2, 3, 4, 5, 6]);
    check("array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", &[3, 3], &[1, 2, 3, 2, 4, 5, 3, 5, 6]);
    check("array integer skew-symmetric\n3 3\n1\n2\n3\n", &[3, 3], &[0, -1, -2, 1, 0, -3, 2, 3, 0]);
    check("array integer skew-symmetric\n1 1\n", &[1, 1], &[0]);
    check("array integer symmetric\n0 0\n", &[0, 0], &[]);
}

#[test]
fn damaged_matrices_are_refused_with_line_and_reason() {
    let check = |text: &str, needle: &str| check_refused(Format::MatrixMarket, mtx(text), None, needle);
    check(
        "coordinate real general\n",
        "line 2: found the end of the file, expected the numbers of rows, columns and",
    );
    check("coordinate real general\n2 2\n", "line 2: found the end of the line, expected the numbers");
    check("coordinate real general\n2 2 1 1\n", "line 2: found `1`, expected the end of the line");
    check("coordinate real general\n2 -2 1\n", "line 2: found `-2`");
    check("coordinate real general\n2 99999999999999999999 0\n", "line 2: found `99999999999999999999`");
    check("coordinate real general\n9223372036854775808 1 0\n", "line 2: found `9223372036854775808`");
    check("coordinate real symmetric\n2 3 0\n", "line 2: found 2 rows and 3 columns, expected as many");
    check(
        "coordinate real general\n2 2 2\n1 1 1\n",
        "found the end of the file behind 1 entries, expected the 2 that",
    );
    check(
        "coordinate real general\n2 2 1\n1 1 1\n2 2 1\n",
        "line 4: found `2`, expected the end of the file behind the 1",
    );
    check("coordinate real general\n2 2 1\n1 1 1 7\n", "line 3: found `7`, expected the end of the line");
    check("coordinate real general\n2 2 1\n1 1\n", "line 3: found the end of the line, expected a value");
    check("coordinate pattern general\n2 2 1\n1 1 1\n", "line 3: found `1`, expected the end of the line");
    check(
        "coordinate real general\n2 2 1\n0 1 1\n",
        "line 3: found `0`, expected a row from 1 to 2; the first has",
    );
    check("coordinate real general\n2 2 1\n1 3 1\n", "line 3: found `3`, expected a column from 1 to 2");
    check(
        "coordinate real general\n2 2 1\n1 -1 1\n",
        "line 3: found `-1`, expected a column, which is a number",
    );
    check(
        "coordinate real general\n2 2 1\n1 1.0 1\n",
        "line 3: found `1.0`, expected a column, which is a number",
    );
    check("coordinate real general\n2 2 1\n99999999999999999999 1 1\n", "expected a row from 1 to 2");
    check(
        "coordinate real general\n2 2 1\n1 1 1.0D+2\n",
        "found `1.0D+2`, expected a value, which is a number; write",
    );
    check("coordinate real general\n2 2 1\n1 1 x\n", "found `x`, expected a value, which is a number");
    check("coordinate real general\n2 2 1\n1 1 1e999\n", "found `1e999`, expected a number of type f64");
    check(
        "coordinate integer general\n2 2 1\n1 1 1.5\n",
        "found `1.5`, expected an integer, as the first line says that values are; `real` in place",
    );
    check(
        "coordinate integer general\n2 2 1\n1 1 18446744073709551616\n",
        "expected an integer from -2^63 to 2^64 - 1, as the first line says",
    );
    check(
        "coordinate integer general\n2 2 1\n1 1 9223372036854775808\n",
        "expected a number of type i64; an `i64` is from -2^63 to 2^63 - 1; `u64` has it",
    );
    check(
        "coordinate real skew-symmetric\n2 2 1\n1 1 0\n",
        "line 3: found an entry at (1, 1), expected one off the diagonal",
    );
    check(
        "coordinate integer skew-symmetric\n2 2 1\n2 1 -9223372036854775808\n",
        "line 3: found `-9223372036854775808`, expected a number of type i64 whose opposite",
    );
    check(
        "array real general\n2 2\n1\n2\n3\n",
        "found the end of the file behind 3 entries, expected the 4 that",
    );
    check("array real general\n1 1\n1 2\n", "line 3: found `2`, expected the end of the line");
    check("array real general\n1 1\n1\n2\n", "line 4: found `2`, expected the end of the file");
    check("array real general\n9223372036854775807 9223372036854775807\n1\n", "address space");
    check(
        "array integer skew-symmetric\n2 2\n-9223372036854775808\n",
        "line 3: found `-9223372036854775808`",
    );
    let wanted =
        |text: &str, dtype, needle| check_refused(Format::MatrixMarket, mtx(text), Some(dtype), needle);
    wanted(
        "coordinate real general\n1 1 1\n1 1 nan\n",
        DType::I32,
        "line 3: found `nan`, expected a number of type i32; only floats, such as `f32` and `f64`, have NaN",
    );
    wanted(
        "coordinate real general\n1 1 1\n1 1 0.5\n",
        DType::I64,
        "line 3: found `0.5`, expected a number of type i64; integers have no fractions",
    );
    wanted(
        "coordinate integer general\n1 1 1\n1 1 300\n",
        DType::U8,
        "line 3: found `300`, expected a number of type u8; a `u8` is from 0 to 255; `i64` has it",
    );
    wanted(
        "coordinate integer general\n1 1 1\n1 1 16777217\n",
        DType::F32,
        "expected a number of type f32; beyond 2^24",
    );
    wanted(
        "coordinate real general\n1 1 1\n1 1 1e39\n",
        DType::F32,
        "expected a number of type f32; the greatest",
    );
}

#[test]
fn two_entries_at_one_place_are_refused_with_both_lines() {
    let check = |text: &str, needle: &str| check_refused(Format::MatrixMarket, mtx(text), None, needle);
    let text = "coordinate real general\n3 3 3\n3 1 1\n% c\n1 2 1\n\n3 1 1\n";
    check(text, "line 7: found a second entry at (3, 1), expected one, which is in line 3");
    check(
        "coordinate integer symmetric\n3 3 3\n3 1 1\n2 2 9\n3 1 1\n",
        "line 5: found a second entry at (1, 3), expected one, which is in line 3",
    );
    check(
        "coordinate integer symmetric\n3 3 2\n3 1 1\n1 3 1\n",
        "line 4: found a second entry at (1, 3), expected one, which is in line 3; one of a pair stands for both",
    );
    let request =
        Request { wish: Wish { duplicates: Duplicates::Add, ..Wish::default() }, ..Request::default() };
    let added = decode(&target(Format::MatrixMarket), mtx(text).as_bytes(), &request, &mut Vec::new());
    let Ok(Tensor::Sparse(sparse)) = added else { panic!("the entries add up") };
    assert_eq!(
        (sparse.added, sparse.coordinates.values().as_slice::<f64>().expect("f64")),
        (1, &[1.0, 2.0][..])
    );
    check_refused(
        Format::Frostt,
        "1 1 1 2\n1 1 2 2\n1 1 1 2\n",
        None,
        "line 3: found a second entry at (1, 1, 1)",
    );
}

#[test]
fn tensors_of_any_rank() {
    let check =
        |text: &str, shape: &[usize], expected: &[f64]| check(Format::Frostt, text, None, shape, expected);
    check("# c\n2 1 2 5\r\n\n1 1 1 -1e-1\n", &[2, 1, 2], &[-0.1, 0.0, 0.0, 5.0]);
    check("3 7", &[3], &[0.0, 0.0, 7.0]);
}

#[test]
fn damaged_tensors_are_refused_with_line_and_reason() {
    let check = |text: &str, needle: &str| check_refused(Format::Frostt, text, None, needle);
    check(
        "",
        "line 1: found the end of the file, expected an entry: coordinates and a value; without an entry",
    );
    check("# c\n5\n", "line 2: found 1 numbers, expected 1 to 64 coordinates and a value");
    check(&"1 ".repeat(66), "line 1: found 66 numbers");
    check("1 1 2.0\n1 2.0\n", "line 2: found `2.0`, expected a coordinate, which is a number");
    check("1 1 2.0\n1 1 1 2.0\n", "line 2: found `2.0`, expected the end of the line");
    check("1 0 2.0\n", "line 1: found `0`, expected a coordinate from 1");
    check("9223372036854775808 2.0\n", "line 1: found `9223372036854775808`, expected a coordinate from 1");
    check("1 1 x\n", "line 1: found `x`, expected a value");
    let shape = |shape: &[usize], text: &str| {
        let request = Request { shape: Some(shape.to_vec()), ..Request::default() };
        dense(Format::Frostt, text.as_bytes(), &request)
    };
    assert_eq!(shape(&[2, 3], ""), Ok(Buffer::zeros(DType::F64, &[2, 3]).expect("small")));
    assert_eq!(shape(&[2, 3], "1 2 4\n").map(|dense| dense.shape().to_vec()), Ok(vec![2, 3]));
    assert!(
        shape(&[2, 3], "1 4 4\n")
            .is_err_and(|error| error.contains("line 1: found `4`, expected a coordinate from 1 to 3"))
    );
    assert!(
        shape(&[2, 3, 1], "1 1 4\n")
            .is_err_and(|error| error.contains("found 3 numbers, expected 3 coordinates and a value"))
    );
}

/// An array of an archive.
fn ints(numbers: &[i64], shape: &[usize]) -> Vec<u8> {
    npy::write(&Buffer::from_slice(numbers, shape).expect("as many as the shape says"))
}

/// An archive of this format and shape, with data of this shape that counts from 0, and arrays of integers of
/// rank 1.
fn scipy(format: &str, shape: &[i64], data: &[usize], arrays: &[(&'static str, &[i64])]) -> Vec<u8> {
    let count: Vec<f32> = (0u16..).take(data.iter().product()).map(f32::from).collect();
    let mut files = vec![
        ("format", npy::write_text(format)),
        ("shape", ints(shape, &[shape.len()])),
        ("data", npy::write(&Buffer::from_slice(&count, data).expect("counted"))),
    ];
    files.extend(arrays.iter().map(|(name, numbers)| (*name, ints(numbers, &[numbers.len()]))));
    npz::write(&files).expect("an archive")
}

#[test]
fn archives_of_scipy() {
    let check =
        |bytes: Vec<u8>, shape: &[usize], expected: &[f32]| check(Format::Npz, bytes, None, shape, expected);
    let matrix = [0.0, 0.0, 1.0, 0.0, 0.0, 2.0];
    check(scipy("coo", &[2, 3], &[3], &[("row", &[0, 0, 1]), ("col", &[1, 2, 2])]), &[2, 3], &matrix);
    check(scipy("csr", &[2, 3], &[3], &[("indptr", &[0, 2, 3]), ("indices", &[1, 2, 2])]), &[2, 3], &matrix);
    check(
        scipy("csr", &[2, 3], &[3], &[("indptr", &[0, 2, 3]), ("indices", &[2, 1, 2])]),
        &[2, 3],
        &[0.0, 1.0, 0.0, 0.0, 0.0, 2.0],
    );
    check(
        scipy("csc", &[2, 3], &[3], &[("indptr", &[0, 0, 1, 3]), ("indices", &[0, 0, 1])]),
        &[2, 3],
        &matrix,
    );
    check(
        scipy("bsr", &[2, 4], &[1, 2, 2], &[("indptr", &[0, 1]), ("indices", &[1])]),
        &[2, 4],
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 3.0],
    );
    check(scipy("dia", &[2, 3], &[2, 3], &[("offsets", &[1, -1])]), &[2, 3], &[0.0, 1.0, 0.0, 3.0, 0.0, 2.0]);
    check(scipy("csr", &[0, 3], &[0], &[("indptr", &[0]), ("indices", &[])]), &[0, 3], &[]);
    let coords = npz::write(&[
        ("format", npy::write_text("coo")),
        ("shape", ints(&[1, 2, 2], &[3])),
        ("coords", ints(&[0, 0, 1, 0, 1, 1], &[3, 2])),
        ("data", npy::write(&Buffer::from_slice(&[5.0f32, 6.0], &[2]).expect("small"))),
    ]);
    check(coords.expect("an archive"), &[1, 2, 2], &[0.0, 6.0, 0.0, 5.0]);
}

#[test]
fn damaged_archives_are_refused_with_array_and_element() {
    let check = |bytes: Vec<u8>, needle: &str| check_refused(Format::Npz, bytes, None, needle);
    let csr = |indptr: &[i64], indices: &[i64]| {
        scipy("csr", &[2, 3], &[3], &[("indptr", indptr), ("indices", indices)])
    };
    check(csr(&[0, 3], &[0, 1, 2]), "array `indptr`: found 2 elements, expected 2 and one more");
    check(csr(&[1, 2, 3], &[0, 1, 2]), "`indptr[0]`: found `1`, expected `0`");
    check(
        csr(&[0, 4, 3], &[0, 1, 2]),
        "`indptr[2]`: found `3`, expected at least `4`, the element before it",
    );
    check(csr(&[0, -1, 3], &[0, 1, 2]), "`indptr[1]`: found `-1`, expected at least `0`");
    check(
        csr(&[0, 1, 2], &[0, 1, 2]),
        "`indptr[2]`: found `2`, expected `3`, the number of elements of `indices`",
    );
    check(csr(&[0, 1, 2], &[0, 1]), "array `indices`: found 2 elements, expected 3, as many as `data` has");
    check(csr(&[0, 1, 3], &[0, 3, 1]), "`indices[1]`: found `3`, expected a coordinate from 0 to below 3");
    check(csr(&[0, 1, 3], &[-1, 2, 1]), "`indices[0]`: found `-1`, expected a coordinate");
    check(csr(&[0, 2, 3], &[1, 1, 1]), "the entries 0 and 1 are both at [0, 1]");
    check(scipy("csr", &[2, 3], &[1], &[("indices", &[1])]), "found no array `indptr`, expected one");
    check(scipy("csr", &[2, -3], &[1], &[]), "`shape[1]`: found `-3`, expected an extent");
    check(scipy("csr", &[2, 3, 4], &[1], &[]), "array `shape`: found the shape [2, 3, 4], expected a matrix");
    check(scipy("coo", &[2, 3, 4], &[1], &[]), "expected a matrix, as there is no array `coords`");
    check(scipy("coo", &[2, 3], &[2], &[("row", &[0, 2]), ("col", &[0, 0])]), "`row[1]`: found `2`");
    check(
        scipy("coo", &[2, 3], &[2], &[("row", &[0]), ("col", &[0, 0])]),
        "array `row`: found 1 elements, expected 2",
    );
    check(scipy("coo", &[2, 3], &[2, 1], &[]), "array `data`: found the shape [2, 1], expected 1 dimensions");
    check(
        scipy("bsr", &[2, 3], &[1, 2, 2], &[]),
        "array `data`: found blocks of shape [2, 2], expected blocks that divide",
    );
    check(scipy("bsr", &[2, 3], &[1, 0, 1], &[]), "found blocks of shape [0, 1]");
    check(
        scipy("dia", &[2, 3], &[2, 3], &[("offsets", &[1, 3])]),
        "`offsets[1]`: found `3`, expected an offset",
    );
    check(
        scipy("dia", &[2, 3], &[2, 3], &[("offsets", &[-2, 1])]),
        "`offsets[0]`: found `-2`, expected an offset",
    );
    check(scipy("dia", &[2, 3], &[2, 3], &[("offsets", &[1, 1])]), "found the offset `1` twice");
    check(scipy("lil", &[2, 3], &[2], &[]), "the sparse format `lil` is not known");
    let floats = npz::write(&[
        ("format", npy::write_text("csr")),
        ("shape", npy::write(&Buffer::zeros(DType::F32, &[2]).expect("small"))),
    ]);
    check(floats.expect("an archive"), "array `shape`: found elements of type f32, expected integers");
    check_refused(
        Format::Npz,
        csr(&[0, 2, 3], &[0, 1, 2]),
        Some(DType::Bool),
        "the element at [2] is 2, which is not a value of type bool: of type `bool` are 0 and 1",
    );
}

#[test]
fn what_is_trusted_is_not_looked_at() {
    let request = Request { structure: Structure::Trust, ..Request::default() };
    let bytes = scipy("csr", &[2, 3], &[3], &[("indptr", &[0, 9, -3]), ("indices", &[2, 7, -1])]);
    let Ok(Tensor::Sparse(sparse)) = decode(&target(Format::Npz), &bytes, &request, &mut Vec::new()) else {
        panic!("trusted")
    };
    assert_eq!(sparse.coordinates.columns()[0], [0, 0, 0]);
    let error = sparse.coordinates.to_dense().expect_err("outside").to_string();
    assert!(error.contains("the coordinate 7 of entry 1"), "{error}");
}

fn tensors() -> impl Strategy<Value = Coordinates> {
    let shape = proptest::collection::vec(1usize..6, 1..4);
    (shape, proptest::sample::select(DType::ALL.to_vec()), any::<u64>()).prop_map(|(shape, dtype, seed)| {
        let count: usize = shape.iter().product();
        let bits: Vec<u8> =
            (0..count as u64).map(|i| u8::from(seed.rotate_left(i as u32 % 64) & 3 == 1)).collect();
        let dense =
            Buffer::from_slice(&bits, &shape).expect("small").convert(dtype).expect("0 and 1 are everywhere");
        Coordinates::from_dense(&dense).expect("small")
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(tensor in tensors()) {
        for format in [Format::MatrixMarket, Format::Frostt, Format::Npz] {
            let Ok(bytes) = encode(format, &tensor, Symmetry::General) else {
                let has_no_type = format == Format::Npz && tensor.dtype() == DType::BF16;
                prop_assert!(has_no_type || (format == Format::MatrixMarket && tensor.rank() != 2));
                continue;
            };
            let shape = Some(tensor.shape().to_vec());
            let request = Request { dtype: Some(tensor.dtype()), shape, ..Request::default() };
            match decode(&target(format), &bytes, &request, &mut Vec::new()) {
                Ok(Tensor::Sparse(read)) => prop_assert_eq!(&read.coordinates, &tensor),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }

    #[test]
    fn floats_are_written_as_they_are(bits in proptest::collection::vec(any::<u64>(), 1..20)) {
        let floats: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
        let parts = Parts {
            shape: vec![floats.len(), 1],
            columns: vec![(0..floats.len()).collect(), vec![0; floats.len()]],
            values: Buffer::from_slice(&floats, &[floats.len()]).expect("small"),
        };
        let tensor = Coordinates::try_new(parts).expect("in range");
        for format in [Format::MatrixMarket, Format::Frostt, Format::Npz] {
            let bytes = encode(format, &tensor, Symmetry::General).expect("a matrix");
            let Ok(Tensor::Sparse(read)) = decode(&target(format), &bytes, &Request::default(), &mut Vec::new()) else {
                return Err(TestCaseError::fail("not read"));
            };
            for (found, expected) in read.coordinates.values().as_slice::<f64>().expect("f64").iter().zip(&floats) {
                prop_assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan());
            }
        }
    }
}

/// The text of a matrix that counts as symmetric, from the sparse and the dense form, or why it is none.
fn written(elements: &[i32], shape: &[usize], symmetry: Symmetry) -> Result<[String; 2], String> {
    let dense = Buffer::from_slice(elements, shape).expect("as many as the shape says");
    let sparse = Coordinates::from_dense(&dense).expect("small");
    let text = |bytes: Result<Vec<u8>, Reason>| match bytes {
        Ok(bytes) => Ok(String::from_utf8(bytes).expect("text")),
        Err(reason) => Err(reason.at(Path::new("a")).to_string()),
    };
    let by_entries = text(matrix_market::write_coordinates(&sparse, symmetry))?;
    let all = text(matrix_market::write_array(&dense, symmetry))?;
    for file in [&by_entries, &all] {
        check(Format::MatrixMarket, file, Some(DType::I32), shape, elements);
    }
    Ok([by_entries, all])
}

#[test]
fn of_symmetric_matrices_one_half_is_written() {
    let [entries, all] =
        written(&[1, 2, 0, 2, 0, 3, 0, 3, 0], &[3, 3], Symmetry::Symmetric).expect("symmetric");
    assert_eq!(entries, mtx("coordinate integer symmetric\n3 3 3\n1 1 1\n2 1 2\n3 2 3\n"));
    assert_eq!(all, mtx("array integer symmetric\n3 3\n1\n2\n0\n0\n3\n0\n"));
    let [entries, all] = written(&[0, -2, 2, 0], &[2, 2], Symmetry::SkewSymmetric).expect("skew-symmetric");
    assert_eq!(entries, mtx("coordinate integer skew-symmetric\n2 2 1\n2 1 2\n"));
    assert_eq!(all, mtx("array integer skew-symmetric\n2 2\n2\n"));
    written(&[], &[0, 0], Symmetry::Symmetric).expect("empty");
}

#[test]
fn matrices_without_the_symmetry_are_refused() {
    let check = |elements: &[i32], shape: &[usize], symmetry, needle: &str| {
        let message = written(elements, shape, symmetry).expect_err(needle);
        assert!(message.contains(needle), "{message}");
    };
    check(
        &[0, 2, 1, 0],
        &[2, 2],
        Symmetry::Symmetric,
        "found `2` at (1, 2), expected `1`, which is at (2, 1), as the matrix is to be symmetric",
    );
    check(&[0, 2, 0, 0], &[2, 2], Symmetry::Symmetric, "`2` at (1, 2)");
    check(&[0, 2, 2, 0], &[2, 2], Symmetry::SkewSymmetric, "`2` at (1, 2)");
    check(&[5, -2, 2, 0], &[2, 2], Symmetry::SkewSymmetric, "`5` at (1, 1)");
    check(&[0, i32::MIN, i32::MIN, 0], &[2, 2], Symmetry::SkewSymmetric, "at (1, 2)");
    check(
        &[1, 2],
        &[1, 2],
        Symmetry::Symmetric,
        "found a matrix of shape [1, 2], expected as many rows as columns",
    );
}

#[test]
fn files_are_read_and_written_by_extension() {
    let scratch = Scratch::new();
    let dense = Buffer::from_slice(&[0.0f64, 2.5, 0.0, 0.0], &[2, 2]).expect("small");
    let sparse = Coordinates::from_dense(&dense).expect("small");
    for file in ["a.mtx", "a.tns", "a.npz"] {
        let path = scratch.path().join(file);
        save_sparse(&path, &sparse, Symmetry::General).expect("written");
        let request = Request { shape: Some(vec![2, 2]), ..Request::default() };
        match load_tensor(&path, &request, &mut Vec::new()).expect("read") {
            Tensor::Sparse(read) => assert_eq!(read.coordinates, sparse, "{file}"),
            Tensor::Dense(_) => panic!("{file} is sparse"),
        }
        let loaded =
            super::super::load_noted(&path, Wanted { dtype: Some(DType::F64), rank: Some(2) }).expect("read");
        assert_eq!(loaded.notes.len(), usize::from(file == "a.tns"), "{file}");
        assert_eq!(loaded.buffer.shape(), if file == "a.tns" { [1, 2] } else { [2, 2] }, "{file}");
        let wrong = Request { shape: Some(vec![1, 2]), ..Request::default() };
        assert_eq!(load_tensor(&path, &wrong, &mut Vec::new()).is_ok(), file == "a.tns", "{file}");
    }
    for file in ["a.npy", "a.npz", "a.tns"] {
        let symmetric = save_sparse(scratch.path().join(file), &sparse, Symmetry::Symmetric);
        assert!(
            symmetric.is_err()
                && save_symmetric(scratch.path().join(file), &dense, Symmetry::Symmetric).is_err()
        );
    }
    assert!(save_sparse(scratch.path().join("a.npy"), &sparse, Symmetry::General).is_err());
    super::super::save(scratch.path().join("v.mtx"), &dense.clone().with_shape(&[4]).expect("4"))
        .expect("written");
    let vector =
        super::super::load_noted(scratch.path().join("v.mtx"), Wanted { dtype: None, rank: Some(1) });
    assert_eq!(vector.expect("a vector").buffer.shape(), [4]);
    let missing =
        load_tensor(scratch.path().join("b.mtx"), &Request::default(), &mut Vec::new()).expect_err("missing");
    assert!(matches!(missing, DataError::Io { .. }), "{missing}");
}
