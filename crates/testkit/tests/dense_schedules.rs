//! Dense programs under schedules that move loops and `let`s: the results of the program as it is written, under the interpreter that
//! traps and in every back end, at sizes around every tile and vector; and proof files that both checkers accept.

use atl_driver::backends::{Backend, c, cranelift, interp, loops};
use atl_driver::proof::{certificate, verify};
use atl_driver::{Arguments, Buffer, Compile, Compiled, Lowered, Program};

fn lowered(program: &Program, f: &str, schedule: Option<&str>) -> (atl_driver::Scheduled, Lowered) {
    let scheduled = program.scheduled(f, schedule).unwrap_or_else(|e| panic!("{e}"));
    let lowered = scheduled.lower().unwrap_or_else(|e| panic!("{e}"));
    (scheduled, lowered)
}

fn call(kernel: &Compiled, program: &Program, f: &str, sizes: &[(&str, i64)]) -> Buffer {
    let sizes = sizes.iter().map(|(name, n)| (name.to_string(), *n)).collect();
    let mut arguments = Arguments { sizes, ..Arguments::default() };
    let f = program.function(Some(f), None).expect("it is there");
    arguments.complete(program, f, 1).unwrap_or_else(|e| panic!("{e}"));
    kernel.call(&arguments.arrays(), &arguments.sizes()).dense().unwrap_or_else(|e| panic!("{e}"))
}

/// Every schedule of the program gives what its function means, at these sizes.
fn check(text: &str, sizes: &[&[(&str, i64)]], backends: &[&'static Backend]) {
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let names: Vec<String> = program.schedules().iter().map(|s| s.name.text.clone()).collect();
    assert!(!names.is_empty());
    let meaning =
        lowered(&program, "f", None).1.compile(&interp::BACKEND, Default::default()).expect("interpreted");
    let expected: Vec<Buffer> = sizes.iter().map(|sizes| call(&meaning, &program, "f", sizes)).collect();
    for name in names {
        let (scheduled, lowered) = lowered(&program, "f", Some(&name));
        let proof = certificate(&scheduled, &lowered).unwrap_or_else(|e| panic!("{e}"));
        verify("f.atlp", &proof).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        atl_recheck::check(proof.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        for backend in backends {
            let kernel = lowered.compile(backend, Default::default());
            let kernel = kernel.unwrap_or_else(|e| panic!("{e}\n{}", lowered.kernel));
            for (sizes, expected) in sizes.iter().zip(&expected) {
                let found = call(&kernel, &program, "f", sizes);
                assert_eq!(
                    found, *expected,
                    "{name}, {} at {sizes:?}\n{}\n{text}",
                    backend.name, lowered.kernel
                );
            }
        }
    }
}

const EMBEDDED: &[&Backend] = &[&loops::BACKEND, &cranelift::BACKEND];
const ALL: &[&Backend] = &[&loops::BACKEND, &cranelift::BACKEND, &c::BACKEND];

/// Pairs of sizes past every tile and vector.
const PAIRS: &[&[(&str, i64)]] = &[
    &[("N", 1), ("M", 1)],
    &[("N", 1), ("M", 3)],
    &[("N", 2), ("M", 2)],
    &[("N", 3), ("M", 1)],
    &[("N", 5), ("M", 8)],
    &[("N", 8), ("M", 9)],
    &[("N", 17), ("M", 33)],
];

const WITH_NOTHING: &[&[(&str, i64)]] =
    &[&[("N", 0), ("M", 5)], &[("N", 5), ("M", 0)], &[("N", 0), ("M", 0)]];

#[test]
fn producers_of_indices_are_computed_and_inlined() {
    let sizes = [PAIRS, WITH_NOTHING].concat();
    check(
        "fn f(x: f32[N, M], lut: f32[32]) -> f32[N, M] {
            let q = gen y < N, j < M { i32(max(0.0, min(x[y, j], 33.0))) };
            gen y < N, j < M { lut?[q[y, j]] + 1.0 }
        }
        schedule row of f { compute q at y; }
        schedule tiles of f { tile y, j by 4, 8; compute q at j.o; store q in stack; vectorize j.i by 8; }
        schedule gone of f { inline q; parallel y; }",
        &sizes,
        ALL,
    );
    check(
        "fn f(x: f32[N], p: i32[N], lut: f32[16], M: size) -> f32[N] {
            let q = gen i < N { i32(max(0.0, min(x[i], 33.0))) };
            let r = gen i < N { ([0 <= q[i] < N] * p[q[i]]) + q[i] };
            gen i < N { [0 <= r[i] < 16 && r[i] % 2 == 0] * lut[r[i]] + [i + 1 < N] * lut?[q[i + 1]] }
        }
        schedule gone of f { inline r; inline q; }
        schedule at of f { split i by 4; compute r at i.o; }",
        &sizes,
        EMBEDDED,
    );
    check(
        "fn f(x: f32[N, M]) -> f32[8] {
            let q = gen i < N, j < M { i32(x[i, j]) };
            let m = gen i < N { x?[i, 0] > 2.0 };
            gen b < 8 { sum i < N, j < M { [q[i, j] == b && m[i]] * 1.0 } }
        }
        schedule gone of f { inline q; inline m; }
        schedule at of f { rounding real; reorder i, b; compute q at i; }",
        &sizes,
        EMBEDDED,
    );
}

#[test]
fn remainders_go_from_where_nothing_wraps() {
    let around = "fn f(q: f64[N, M]) -> f64[N, M] where 0 < N, 0 < M {
            gen i < N, j < M { q[i, (j - 1) % M] + 2.0 * q[i, (j + 1) % M] - q[(i - 1) % N, j] * q[(i + N - 1) % N, (j + 2) % M] }
        }";
    let text = format!(
        "{around} schedule one of f {{ peel; vectorize j by 8; }}
         schedule twice of f {{ peel; peel j; vectorize j by 4; }}
         schedule tiles of f {{ split j by 8; peel; peel j.o; vectorize j.i by 8; }}"
    );
    check(&text, PAIRS, ALL);
    let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}"));
    let kernel = lowered(&program, "f", Some("one")).1.kernel.to_string();
    let vectors: Vec<&str> = kernel.split("f64x8 for").skip(1).collect();
    assert!(vectors.iter().any(|body| !body.lines().take(3).any(|line| line.contains('%'))), "{kernel}");
    // What wraps more often than once stays, and is right.
    check(
        "fn f(x: f32[N], M: size) -> f32[N] where 0 < M { gen i < N { x[i] + [0 <= i % 8 - 3] * x[i / 8] + f32(i % M) } }
         schedule s of f { split i by 4; peel; vectorize i.i by 4; }",
        PAIRS,
        EMBEDDED,
    );
}

#[test]
fn upsampled_reads_are_windows() {
    check(
        "fn f(x: f32[N, M]) -> f32[2 * N, 2 * M] {
            let p = gen i < N, j < M { x[i, j] * 2.0 + 1.0 };
            gen i < 2 * N, j < 2 * M { p[i / 2, j / 2] + p?[(i + 1) / 2, j / 2 - 1] }
        }
        schedule rows of f { split i by 8; compute p at i.o; }
        schedule tiles of f { tile i, j by 8, 8; compute p at j.o; store p in stack; }
        schedule odd of f { tile i, j by 7, 5; compute p at j.o; }
        schedule plain of f { compute p at i; }",
        &[PAIRS, WITH_NOTHING].concat(),
        ALL,
    );
    check(
        "fn f(x: f32[2 * N + 3], N: size, M: size) -> f32[N + 1] {
            let p = gen i < 2 * N + 3 { x[i] * 2.0 + 1.0 };
            gen i < N + 1 { p[2 * i] + p[2 * i + 1] + p[(4 * i + 3) / 2] }
        }
        schedule s of f { split i by 4; compute p at i.o; }",
        PAIRS,
        EMBEDDED,
    );
}

#[test]
fn minima_and_their_kin_are_reordered() {
    let sizes = [PAIRS, WITH_NOTHING].concat();
    let sizes: Vec<&[(&str, i64)]> = sizes.into_iter().filter(|sizes| sizes[1].1 > 0).collect();
    check(
        "fn f(a: f32[N], b: f32[M]) -> f32[N] where 0 < M { gen i < N { min j < M { a[i] - b[j] } } }
         schedule out of f { reorder j, i; vectorize i by 8; }
         schedule part of f { split j by 8; reorder j.o, i; }
         schedule tail of f { split i by 8; split j by 8; reorder j.o, i.i; }
         schedule tiles of f { tile i, j by 8, 4; }
         schedule peeled of f { tile i, j by 8, 4; peel; }",
        &sizes,
        ALL,
    );
    check(
        "fn f(a: f32[N, 3], b: f32[3, M]) -> f32[N, M] { gen i < N, j < M { 1.0 + max k < 3 { a[i, k] + b[k, j] } } }
         schedule tiles of f { stage k as t; hoist t; tile t/i, t/j by 4, 8; reorder t/i.o, t/j.o, t/k, t/i.i, t/j.i; }",
        &sizes,
        ALL,
    );
    check(
        "fn f(a: f32[N, M], K: size) -> f32[N, 5] where 0 < M { gen i < N, j < 5 { max k < M { a[i, k] - f32(j) } } }
         schedule tiles of f { tile i, j by 4, 8; reorder i.o, j.o, k, i.i, j.i; store k_acc in register; unroll i.i, k_acc/i.i;
            vectorize k_acc/j.i, j.i by 8; }
         schedule halves of f { split k by 4; rfactor k.o; }",
        &sizes,
        ALL,
    );
    check(
        "fn f(a: bool[N, M]) -> bool[N] { gen i < N { any k < M { a[i, k] } } }
         schedule s of f { reorder k, i; }
         schedule t of f { split i by 4; split k by 4; reorder k.o, i.o, i.i, k.i; }",
        &sizes,
        EMBEDDED,
    );
    check(
        "fn f(a: f32[N, M]) -> f32 where 0 < N, 0 < M { min i < N { min k < M { a[i, k] } } }
         schedule s of f { reorder k, i; }",
        PAIRS,
        EMBEDDED,
    );
}

#[test]
fn windows_with_symbolic_strides_are_peeled() {
    let sizes: Vec<Vec<(&str, i64)>> = [(1, 1, 1), (5, 1, 1), (9, 3, 2), (24, 4, 3), (25, 4, 3), (7, 7, 9)]
        .iter()
        .map(|(n, r, s)| vec![("N", *n), ("R", *r), ("S", *s)])
        .collect();
    let sizes: Vec<&[(&str, i64)]> = sizes.iter().map(Vec::as_slice).collect();
    check(
        "fn f(x: f32[N], w: f32[R], S: size) -> f32[(N - R) / S + 1] where R <= N, 0 < S {
            gen i < (N - R) / S + 1 { sum r < R { x[i * S + r] * w[r] } }
        }
        schedule s of f { split i by 4; peel; }
        schedule v of f { split i by 8; peel; vectorize i.i by 8; }",
        &sizes,
        ALL,
    );
}

#[test]
fn rows_have_names_in_vector_loops() {
    check(
        "fn f(img: f32[N, M]) -> f32[N, M] {
            gen y < N, x < M { let r = img[min(y + 1, N - 1)]; r[x] + r[M - 1 - x] }
        }
        schedule v of f { vectorize x by 8; }
        schedule p of f { peel y last; vectorize x by 4; }",
        &[PAIRS, WITH_NOTHING].concat(),
        ALL,
    );
}

/// The loops of `f` under the schedule `s` of these steps.
fn loops_of(program: &str, steps: &str) -> String {
    let text = format!("{program} schedule s of f {{ {steps} }}");
    let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    lowered(&program, "f", Some("s")).1.kernel.to_string()
}

#[test]
fn marks_stay_with_their_loops() {
    let two = "fn f(x: or_and<bool>[N], y: or_and<bool>[M]) -> or_and<bool>[2] {
        (gen u < 1 { sum i < N { x[i] } }) ++ (gen v < 1 { sum j < M { y[j] } })
    }";
    let copy = "fn f(a: f32[N, M], b: f32[M, N]) -> f32[N, M] { gen i < N, j < M { a[i, j] + b[j, i] } }";
    let blur = "fn f(img: f32[N, M]) -> f32[N, M] {
        let bx = gen y < N, x < M { img[y, x] + img?[y, x + 1] };
        gen y < N, x < M { bx?[y - 1, x] + bx[y, x] + bx?[y + 1, x] }
    }";
    let swapped = "rename i to t; rename j to i;";
    for (program, steps, there, not_there) in [
        (two, format!("early_exit i; {swapped}"), "until(acc) for t in 0..N", "for i in 0..M {\n      until"),
        (two, format!("early_exit i; {swapped}"), "    for i in 0..M", "until(acc_1)"),
        (two, "early_exit i; split i by 8;".to_owned(), "until(acc) for ii in 0..8", "until(acc_1)"),
        (
            two,
            "early_exit i; split i by 8; rename i.i to k;".to_owned(),
            "until(acc) for k in 0..8",
            "until(acc_1)",
        ),
        (copy, format!("prefetch a at i by 4; {swapped}"), "prefetch a[(t + 4) * M", "prefetch b"),
        (
            copy,
            "prefetch a at i by 4; split i by 64;".to_owned(),
            "prefetch a[(io * 64 + (ii + 4)) * M",
            "prefetch b",
        ),
        (
            copy,
            format!("parallel i with dynamic; {swapped}"),
            "parallel(dynamic) for t",
            "parallel(dynamic) for i",
        ),
        (copy, "parallel i with dynamic; split i by 8;".to_owned(), "parallel(dynamic) for io", "for i in"),
        (copy, "parallel i with dynamic; rename i to k; parallel k;".to_owned(), "parallel for k", "dynamic"),
        (blur, "compute bx at y; carry bx along y; rename y to z;".to_owned(), "forget bx", "for y in 0..N"),
        (blur, "compute bx at y; carry bx along y; rename bx to rows;".to_owned(), "forget rows", "bx"),
    ] {
        let kernel = loops_of(program, &steps);
        assert!(kernel.contains(there) && !kernel.contains(not_there), "{steps}\n{kernel}");
    }
}

#[test]
fn names_mean_one_place() {
    check(
        "fn f(s: f32[N, M]) -> f32[N, M] {
            let e = gen t < N {
                let m = max u < M { s[t, u] };
                gen u < M { s[t, u] - m }
            };
            gen t < N, u < M { e[t, u] * 2.0 }
        }
        schedule of_e of f { vectorize e/u by 16; }
        schedule of_m of f { split m/u by 4; vectorize e/u by 16; unroll m/u.i; }",
        PAIRS,
        EMBEDDED,
    );
    check(
        "fn f(x: f32[N], M: size) -> f32[N] {
            let by = gen i < N { x[i] + 1.0 };
            let at = gen i < N { by[i] * 2.0 };
            gen first < N { at[first] * by[first] }
        }
        schedule inlined of f { inline by; inline at; }
        schedule vectors of f { vectorize by/i by 16; vectorize at/i by 8; vectorize first by 4; }
        schedule tiles of f { split at/i by 4; reorder at/i.o, at/i.i; split by/i by 8; split first by 8; compute at at first.o; }",
        PAIRS,
        EMBEDDED,
    );
    check(
        "fn f(b: f64[3, 3], u: f64[N, 3, 3, 3], M: size) -> f64[N, 3] {
            let v = gen e < N, q < 3, r < 3, s < 3 { sum i < 3, j < 3, k < 3 { b[q, i] * b[r, j] * b[s, k] * u[e, i, j, k] } };
            gen e < N, x < 3 { v[e, x, x, x] }
        }
        schedule s of f { contract v/i as t, s1; }
        schedule one of f { factor v/k as t; }",
        PAIRS,
        EMBEDDED,
    );
}
