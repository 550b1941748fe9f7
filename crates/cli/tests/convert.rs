//! `atl convert`, and `atl run` on files of sparse tensors.

use crate::common::Folder;

/// A folder with `m.mtx`, three entries of a 2 by 3 matrix, one of which is zero.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n2 3 0.5\n1 1 2\n1 2 0\n");
    folder
}

#[test]
fn every_format_holds_the_matrix() {
    let folder = folder("convert_round");
    for format in ["coo", "csr", "csc", "bcsr(1,3)"] {
        let words = ["convert", "m.mtx", "a.npz", "--format", format];
        let output = folder.command(&words).output().expect("the command runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "a.npz: f64[2, 3], 3 entries, 1 of them zero\n");
        let report = folder.done("convert a.npz b.mtx --drop-zeros");
        let zeros = if format == "bcsr(1,3)" { "4 zeros" } else { "1 zero" };
        assert_eq!(report, format!("b.mtx: f64[2, 3], 2 entries, {zeros} dropped\n"), "{format}");
        let text = folder.read("b.mtx");
        assert_eq!(
            text, "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 2.0\n2 3 0.5\n",
            "{format}"
        );
    }
    let diagonals = folder.atl("convert m.mtx d.npz --format dia");
    assert!(diagonals.stderr.contains("an entry that is zero is none"), "{}", diagonals.stderr);
    assert_eq!(folder.done("convert d.npz d.tns --type f32"), "d.tns: f32[2, 3], 2 entries\n");
    assert_eq!(folder.read("d.tns"), "1 1 2.0\n2 3 0.5\n");
}

#[test]
fn arrays_become_entries_and_back() {
    let folder = folder("convert_arrays");
    folder.write_npy("x.npy", &[2, 2, 2], &[0.0, 1.0, 0.0, -2.5, 0.0, 0.0, 4.0, 0.0]);
    let outcome = folder.atl("convert x.npy x.tns");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), "x.tns: f32[2, 2, 2], 3 entries\n"));
    assert_eq!(outcome.stderr, "");
    assert_eq!(folder.done("convert x.tns y.npy --type f32"), "y.npy: f32[2, 2, 2]\n");
    assert_eq!(folder.read_npy("y.npy").1, folder.read_npy("x.npy").1);
    assert_eq!(folder.done("convert x.npy z.npz"), "z.npz: f32[2, 2, 2], 3 entries\n");
    assert_eq!(folder.done("convert z.npz w.npz --format dense"), "w.npz: f32[2, 2, 2]\n");
    assert_eq!(folder.done("convert w.npz z.npy"), "z.npy: f32[2, 2, 2]\n");
    assert_eq!(folder.read_npy("z.npy").1, folder.read_npy("x.npy").1);
    // Of a smaller shape the file says nothing.
    folder.write_npy("s.npy", &[2, 3], &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(folder.atl("convert s.npy s.tns").stderr.contains("give `--shape 2,3`"));
    let read = folder.atl("convert s.tns t.mtx");
    assert_eq!(read.stdout, "t.mtx: f64[1, 2], 1 entry\n");
    assert!(read.stderr.contains("`--shape` would"), "{}", read.stderr);
    assert_eq!(folder.done("convert s.tns t.mtx --shape 2,3"), "t.mtx: f64[2, 3], 1 entry\n");
}

#[test]
fn duplicates_are_added_up_where_that_is_said() {
    let folder = folder("convert_duplicates");
    folder.write("d.tns", "1 2 1.5\n2 2 1\n1 2 -1.5\n");
    let diagnostic = folder.refused("convert d.tns d.npz", "E0532");
    assert!(diagnostic.contains("d.tns: line 3: found a second entry at (1, 2)"), "{diagnostic}");
    assert!(diagnostic.contains("in line 1") && diagnostic.contains("--add-duplicates"), "{diagnostic}");
    let added = folder.done("convert d.tns d.npz --add-duplicates");
    assert_eq!(added, "d.npz: f64[2, 2], 2 entries, 1 of them zero, 1 duplicate added\n");
    let dropped = folder.done("convert d.tns d.npz --add-duplicates --drop-zeros");
    assert_eq!(dropped, "d.npz: f64[2, 2], 1 entry, 1 duplicate added, 1 zero dropped\n");
}

#[test]
fn of_symmetric_matrices_one_half_is_written() {
    let folder = folder("convert_symmetric");
    folder.write("s.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n");
    folder.done("convert s.mtx t.mtx --symmetry symmetric");
    assert_eq!(folder.read("t.mtx"), folder.read("s.mtx"));
    folder.done("convert s.mtx a.mtx --symmetry symmetric --format dense --type i32");
    assert_eq!(folder.read("a.mtx"), "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n1\n0\n");
    let diagnostic = folder.refused("convert s.mtx t.mtx --type f32 --symmetry skew-symmetric", "E0522");
    assert!(diagnostic.contains("found `1.0` at (1, 1), expected no entry on the diagonal"), "{diagnostic}");
    assert!(diagnostic.contains("leave `--symmetry` out"), "{diagnostic}");
    folder.done("convert s.mtx t.mtx --type f32");
    folder.refused("convert s.mtx t.npz --symmetry symmetric", "E0522");
}

/// Entries with `m*m` of their sums in mind: what squares stored values has another result.
#[test]
fn entries_that_are_not_coalesced_are_refused_or_added_before_anything_is_made_of_them() {
    let folder = folder("convert_coalesces");
    folder.write("u.tns", "1 2 1\n2 1 2\n1 2 3\n1 3 4\n2 1 5\n2 3 6\n");
    folder.write("sq.atl", "fn sq(m: i64[N, M]) -> i64[N, M] { gen i < N, j < M { m[i, j] * m[i, j] } }");
    folder.refused("run sq.atl --in m=u.tns", "E0532");
    folder.done("convert u.tns c.npz --type i64 --add-duplicates");
    assert_eq!(folder.done("run sq.atl --in m=c.npz"), "[[ 0 16 16]\n [49  0 36]]\n");
}

#[test]
fn files_that_are_refused_name_the_place() {
    let folder = folder("convert_refuses");
    let refused = |text: &str, options: &str, code: &str, needle: &str| {
        folder.write("w.mtx", format!("%%MatrixMarket matrix coordinate {text}"));
        let diagnostic = folder.refused(&format!("convert w.mtx w.npz {options}"), code);
        assert!(diagnostic.contains(needle), "{diagnostic}");
    };
    refused(
        "real general\n2 2 2\n1 1 1\n",
        "",
        "E0530",
        "w.mtx: line 4: found the end of the file behind 1 entries",
    );
    refused(
        "real general\n2 2 1\n3 1 1\n",
        "",
        "E0531",
        "w.mtx: line 3: found `3`, expected a row from 1 to 2",
    );
    refused(
        "real general\n2 2 1\n1 1 0.5\n",
        "--type i32",
        "E0533",
        "found `0.5`, expected a number of type i32; integers have no fractions, and nothing is rounded to one; `f64` has it",
    );
    refused("integer general\n2 2 1\n1 1 0.5\n", "--type f64", "E0530", "`real` in place of `integer` there");
    refused("real general\n2 2 0\n", "--shape 2,3", "E0534", "found the shape [2, 2], expected [2, 3]");
    refused(
        "real general\n2 2 0\n",
        "--shape 2,3",
        "E0534",
        "give its shape with `--shape`, or leave that out",
    );
    refused("complex general\n1 1 1\n1 1 1 1\n", "", "E0536", "complex numbers");
    folder.refused("convert missing.mtx w.npz", "E0536");
    folder.refused("convert m.mtx nowhere/w.npz", "E0522");
    folder.refused("convert m.mtx w.xlsx", "E0522");
    folder.refused("convert m.mtx w.npz:a --format coo", "E0522");
    folder.refused("convert m.mtx w.tns --format dense", "E0522");
    folder.refused("convert m.mtx w.mtx --format csr", "E0522");
    folder.refused("convert m.mtx w.npz --format bcsr(2,2)", "E0537");
    let other = folder.atl("convert m.mtx w.npz --format dcsr");
    assert!(other.code == Some(2) && other.stderr.contains("files hold dense, coo, csr"), "{}", other.stderr);
    assert!(!folder.path("nowhere").exists());
}

#[test]
fn sound_archives_may_be_trusted() {
    let folder = folder("convert_trusts");
    for format in ["coo", "csr", "csc"] {
        folder.done(&format!("convert m.mtx t.npz --format {format}"));
        folder.done("convert t.npz t.mtx --trust-input");
        folder.done("convert t.npz u.mtx");
        assert_eq!(folder.read("t.mtx"), folder.read("u.mtx"));
    }
}

#[test]
fn dense_parameters_take_sparse_files() {
    let folder = folder("convert_run");
    assert_eq!(folder.done("run p.atl --fn rows --in a=m.mtx"), "[2.  0.5]\n");
    folder.done("convert m.mtx m.npz --format csc");
    assert_eq!(folder.done("run p.atl --fn rows --in a=m.npz"), "[2.  0.5]\n");
    folder.write("m.tns", "2 3 0.5\n1 1 2\n");
    let outcome = folder.atl("run p.atl --fn rows --in a=m.tns");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), "[2.  0.5]\n"));
    assert!(outcome.stderr.contains("it is read as [2, 3]"), "{}", outcome.stderr);
    folder.done("run p.atl --fn same --in a=m.mtx --out same.mtx");
    assert_eq!(
        folder.read("same.mtx"),
        "%%MatrixMarket matrix array real general\n2 3\n2.0\n0.0\n0.0\n0.0\n0.0\n0.5\n"
    );
    folder.write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
    assert_eq!(folder.done("run p.atl --fn scale --in x=x.mtx --set s=2"), "[2. 4. 6.]\n");
}

#[test]
fn sparse_files_that_are_no_argument_are_refused() {
    let folder = folder("convert_run_refuses");
    let refused = |text: &str, code: &str| {
        folder.write("w.mtx", format!("%%MatrixMarket matrix coordinate {text}"));
        let diagnostic = folder.refused("run p.atl --fn rows --in a=w.mtx", code);
        assert!(diagnostic.contains("the argument `a` cannot be read: w.mtx: "), "{diagnostic}");
        diagnostic
    };
    let diagnostic = refused("real general\n114599 114599 1\n1 1 1\n", "E0535");
    assert!(diagnostic.contains("as csr`, which stores the entries alone"), "{diagnostic}");
    refused("real general\n2 2 1\n1 1\n", "E0530");
    refused("real general\n2 2 1\n1 0 1\n", "E0531");
    refused("real general\n2 2 2\n1 1 1\n1 1 1\n", "E0532");
    refused("real general\n2 2 1\n1 1 1e39\n", "E0533");
    folder.write("e.tns", "# nothing\n\n");
    let diagnostic = folder.refused("run p.atl --fn rows --in a=e.tns", "E0530");
    assert!(
        diagnostic.contains("e.tns: line 3: found the end of the file, expected an entry"),
        "{diagnostic}"
    );
    folder.done("convert e.tns e.npz --shape 2,3");
    assert_eq!(folder.done("run p.atl --fn rows --in a=e.npz"), "[0. 0.]\n");
    folder.write("q.atl", "fn whole(x: i64[N]) -> i64[N] { x }");
    folder.write_npy("x.npy", &[2], &[1.0, 1.5]);
    let diagnostic = folder.refused("run q.atl --fn whole --in x=x.npy", "E0533");
    assert!(
        diagnostic.contains("the element at [1] is 1.5") && diagnostic.contains("`f64` has it"),
        "{diagnostic}"
    );
    refused("real skew-symmetric\n2 2 1\n1 1 1\n", "E0530");
    folder.write("z.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 0 1\n");
    let header = b"{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1), }\n";
    let start = [&b"\x93NUMPY\x01\x00"[..], &[header.len() as u8, 0], header].concat();
    folder.write("z.npy", [start, vec![0; 16]].concat());
    for file in ["z.mtx", "z.npy"] {
        let diagnostics = [
            folder.refused(&format!("run p.atl --fn rows --in a={file}"), "E0520"),
            folder.refused(&format!("convert {file} z.npz"), "E0536"),
        ];
        for d in diagnostics {
            assert!(d.contains("complex numbers") && d.contains("a tensor for each"), "{d}");
        }
    }
    // What a NumPy file can hold is told of an `.mtx`, where a dense parameter would take it.
    let says = |file: &str| folder.refused(&format!("run p.atl --fn rows --in a={file}"), "E0520");
    assert!(
        says("z.mtx").contains("`numpy.save(\"a.npy\", scipy.io.mmread(\"a.mtx\"))`"),
        "{}",
        says("z.mtx")
    );
    assert!(says("z.npy").contains("a parameter such as `c128[N]`"), "{}", says("z.npy"));
    folder.write("v.tns", "1 1\n");
    folder.refused("run p.atl --fn rows --in a=v.tns", "E0520");
    folder.refused("convert big.mtx big.npy", "E0536");
    folder.write("big.mtx", "%%MatrixMarket matrix coordinate pattern general\n1000000 1000000 0\n");
    folder.refused("convert big.mtx big.npy", "E0535");
}

/// For a parameter that is a vector, dense or in a format, a matrix of one column or of one row is one; not where its shape is a
/// guess, and no other matrix.
#[test]
fn a_matrix_of_one_column_or_row_is_taken_for_a_vector() {
    let folder = Folder::new("convert_vector");
    let vector =
        |format: &str| format!("fn twice(x: f64[N]{format}) -> f64[N] {{ gen i < N {{ 2 * x[i] }} }}\n");
    let programs = ["", " as [compressed]", " as coo"];
    for (k, format) in programs.iter().enumerate() {
        folder.write(&format!("v{k}.atl"), vector(format));
    }
    let files = ["m.mtx", "a.mtx", "coo.npz", "csr.npz", "csc.npz", "dense.npz", "dense.npy"];
    let write = |text: &str| {
        folder.write("m.mtx", format!("%%MatrixMarket matrix coordinate real general\n{text}"));
        for (file, format) in
            files.iter().zip(["coo", "dense", "coo", "csr", "csc", "dense", "dense"]).skip(1)
        {
            folder.done(&format!("convert m.mtx {file} --format {format}"));
        }
    };
    for (text, expected) in [
        ("4 1 2\n4 1 0.5\n2 1 1\n", "[0. 2. 0. 1.]\n"),
        ("1 4 2\n1 4 0.5\n1 2 1\n", "[0. 2. 0. 1.]\n"),
        ("1 1 1\n1 1 3\n", "[6.]\n"),
    ] {
        write(text);
        for (k, file) in (0..programs.len()).flat_map(|k| files.map(|file| (k, file))) {
            assert_eq!(folder.done(&format!("run v{k}.atl --in x={file}")), expected, "{file}");
        }
    }
    write("2 2 1\n2 2 1\n");
    folder.write("c.tns", "4 1 0.5\n");
    for file in files.into_iter().chain(["c.tns"]) {
        folder.refused(&format!("run v0.atl --in x={file}"), "E0520");
        folder.refused(&format!("run v1.atl --in x={file}"), "E0503");
    }
}

/// A file that does not say its shape may have been read as a smaller one: it is said that it was, whoever wants it; and where
/// extents then disagree, what to do, which helps.
#[test]
fn a_guessed_shape_is_named_where_extents_disagree() {
    let folder = Folder::new("convert_guessed");
    let body = "{ gen i < N { sum j < M { A[i, j] * x[j] } } }";
    for (name, (matrix, vector)) in
        [("dense", ("", "")), ("rows", (" as csr", "")), ("both", (" as csr", " as [compressed]"))]
    {
        let text = format!("fn f(A: f64[N, M]{matrix}, x: f64[M]{vector}) -> f64[N] {body}\n");
        folder.write(&format!("{name}.atl"), text);
    }
    folder.write("a.tns", "1 1 2\n2 2 3\n");
    folder.write("x.csv", "1\n2\n3\n");
    folder.write("y.csv", "1\n2\n");
    let remedy = "`atl convert a.tns a.npz --shape N,M` makes a file of it that says its shape";
    for name in ["dense", "rows", "both"] {
        let given = format!("{name}.atl --in A=a.tns --in x=x.csv");
        for line in [format!("run {given}"), format!("bench {given} --schedules source --rounds 1")] {
            let diagnostic = folder.refused(&line, "E0504");
            assert!(
                diagnostic.contains("a.tns does not say its shape") && diagnostic.contains(remedy),
                "{diagnostic}"
            );
        }
        let given = format!("{name}.atl --in A=a.tns --in x=y.csv --set N=4");
        let diagnostic = folder.refused(&format!("run {given}"), "E0504");
        assert!(diagnostic.contains("the size `N` is 4") && diagnostic.contains(remedy), "{diagnostic}");
        folder.done("convert a.tns a.npz --shape 2,3");
        assert_eq!(folder.done(&format!("run {name}.atl --in A=a.npz --in x=x.csv")), "[2. 6.]\n");
        let outcome = folder.atl(&format!("run {name}.atl --in A=a.tns --in x=y.csv"));
        assert_eq!(outcome.stdout, "[2. 6.]\n");
        let note = "note: a.tns does not say its shape; it is read as [2, 2], where the last entries are";
        assert!(outcome.stderr.contains(note), "{}", outcome.stderr);
    }
}

/// Where rows are too long for a width, the refusal names one that does; and it does.
#[test]
fn a_width_that_would_do_is_named() {
    let folder = Folder::new("convert_width");
    let row = (1..=10).map(|column| format!("1 {column} 1\n")).collect::<String>();
    let text = format!("%%MatrixMarket matrix coordinate real general\n3 12 12\n{row}2 2 1\n3 3 3\n");
    folder.write("w.mtx", text);
    for (format, narrow, wide) in [
        ("ell(5)", "ell(5)", "ell(10)"),
        ("hash(8)", "hash(8)", "hash(32)"),
        ("[dense, hash(8)]", "hash(8)", "hash(32)"),
    ] {
        let write = |format: &str| {
            let body = "{ gen i < N { sum j < M { A[i, j] } } }";
            folder.write("e.atl", format!("fn f(A: f64[N, M] as {format}) -> f64[N] {body}\n"));
        };
        write(format);
        let diagnostic = folder.refused("run e.atl --in A=w.mtx", "E0537");
        assert!(
            diagnostic.contains(&format!("`{wide}` in place of `{narrow}` has space for it")),
            "{diagnostic}"
        );
        write(&format.replace(narrow, wide));
        assert_eq!(folder.done("run e.atl --in A=w.mtx"), "[10.  1.  3.]\n");
    }
}
