//! The arrays themselves: faults in them, names, numbers that do not fit, and the order of a layout.

use super::*;
use atl_driver::Compile;

/// Arrays with a planted fault are not taken for a tensor.
#[test]
fn faults_in_the_arrays_are_found() {
    let text = "fn f(n: size) -> f64[n, n] as csr { gen i < n, j < n { [i <= j] * f64(j + 1) } }";
    let program = Program::parse("f.atl", text).unwrap();
    let lowered = program.scheduled("f", None).and_then(|s| s.lower()).unwrap();
    let kernel = lowered.compile(&backends::cranelift::BACKEND, Default::default()).unwrap();
    let whole = kernel.call(&[], &[("n", 3)]).sparse().unwrap().unwrap();
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
    let refusal = kernel.call(&[], &[("n", (1 << 31) + 1)]).sparse().unwrap_err();
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
                let whole = kernel
                    .call(&arguments, &[])
                    .dense()
                    .unwrap_or_else(|e| panic!("{}: {e}", kernel.backend()));
                assert_eq!(whole.shape(), [n, m], "{order}");
                let bound = kernel.call(&arguments, &[]).bind().unwrap_or_else(|e| panic!("{e}"));
                let mut memory = bound.memory().unwrap_or_else(|e| panic!("{e}"));
                bound.run(Output::Stored(&mut memory)).unwrap_or_else(|e| panic!("{e}"));
                let Memory::Dense(memory) = memory else { panic!("{order}: the result does not grow") };
                let memory = memory.as_slice::<f64>().unwrap();
                let padded = [n, m].into_iter().zip(blocks).map(|(n, block)| n.div_ceil(block) * block);
                assert_eq!(memory.len(), padded.product::<usize>(), "{order}");
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
