//! Terms in the order of the result and in other orders: turned over, added up, merged, appended.

use super::*;
use atl_driver::Compile;
use atl_runtime::Coordinates;

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

/// A list of triples, with places that come several times and those of a pair in any order: its arrays.
fn triples() -> [(&'static str, Buffer); 5] {
    let coordinates = |cells: [i32; 9]| Buffer::from_slice(&cells, &[9]).expect("nine cells");
    let values = [6.0, 2.0, 4.0, -4.0, 0.0, 3.0, 8.0, 1.0, 5.0];
    [
        ("A1_pos", Buffer::from_slice(&[0i64, 9], &[2]).expect("two cells")),
        ("A1_crd0", coordinates([0, 0, 1, 1, 1, 3, 3, 3, 3])),
        ("A1_crd1", coordinates([0, 4, 1, 1, 1, 0, 1, 2, 2])),
        ("A1_crd2", coordinates([0, 1, 1, 0, 1, 0, 1, 2, 2])),
        ("A_vals", Buffer::from_slice(&values, &[9]).expect("nine cells")),
    ]
}

/// The result of a function of that list, on each back end: they agree, and its arrays are those of a tensor.
fn of_triples(text: &str) -> Coordinates {
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let lowered = program.scheduled("f", Some("s")).and_then(|s| s.lower());
    let lowered = lowered.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let arrays = triples();
    let views: Vec<_> = arrays.iter().map(|(name, array)| (*name, array.view())).collect();
    let run = |backend: &'static Backend| {
        let kernel = lowered.compile(backend, Default::default());
        let kernel = kernel.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let result = kernel.call(&views, &[("N", 4), ("M", 5), ("L", 3)]).sparse();
        result.unwrap_or_else(|e| panic!("{e}\n{text}")).expect("a result in a format")
    };
    let expected = run(&backends::interp::BACKEND);
    usable().into_iter().for_each(|backend| assert_eq!(run(backend).arrays, expected.arrays, "{text}"));
    expected.entries().unwrap_or_else(|why| panic!("{why}\n{text}"))
}

#[test]
fn entries_of_a_list_add_up() {
    for format in ["csr", "csc", "dcsr", "dcsc", "coo"] {
        for ty in ["f64", "min_plus<f64>", "max_plus<f64>"] {
            let found = of_triples(&format!(
                "fn f(A: {ty}[N, M, L] as coo) -> {ty}[N, M] as {format} {{ gen i < N, j < M {{ sum l < L {{ A[i, j, l] }} }} }} \
                 schedule s of f {{ rounding real; sparsify; }}"
            ));
            assert_eq!(found.len(), if ty == "f64" { 5 } else { 6 }, "{format}, {ty}");
        }
    }
}

/// Several entries are found for a row, at places that fall and come again: they are no one term, and added up before they are stored.
#[test]
fn entries_of_a_run_add_up() {
    for format in ["csr", "dcsr", "coo"] {
        let found = of_triples(&format!(
            "fn f(A: f64[N, M, L] as coo) -> f64[N, L] as {format} {{ gen i < N, l < L {{ sum j < M {{ A[i, j, l] }} }} }} \
             schedule s of f {{ rounding real; sparsify; gather pA1 as i; }}"
        ));
        assert_eq!(found.columns(), [[0, 0, 1, 1, 3, 3, 3], [0, 1, 0, 1, 0, 1, 2]], "{format}");
        let values = found.values().as_slice::<f64>().expect("numbers");
        assert_eq!(values, [6.0, 2.0, -4.0, 4.0, 3.0, 8.0, 6.0], "{format}");
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
