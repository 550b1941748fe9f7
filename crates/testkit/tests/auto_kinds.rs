//! Kinds of functions, and the step by which `auto` does each: one table, of programs as users write them.

use super::auto::{chosen, compared};
use atl_driver::backends::c;
use atl_driver::{Program, Rounding};
use atl_testkit::parallel::in_parallel;

/// What auto chooses for functions in which reductions run along memory, sums grow with a loop, columns are
/// added up, sums have components, and what wraps around is moved by arrays: with the steps that it should
/// have, and the bits, or up to rounding the values, of the function as written. 131 is beyond a block of
/// each vector width.
#[test]
fn choices_by_kind_mean_the_same() {
    let cases = [
        ("auto real", "rfactor", "fn f(x: f64[N], y: f64[N]) -> f64 { sum i < N { x[i] * y[i] } }"),
        // Sums of one name: each step means all of them.
        (
            "auto real",
            "rw sum_tile_tail at total/term everywhere",
            "fn f(x: f64[N], y: f64[N]) -> f64 {
                (sum i < N { x[i] * y[i] }) / sqrt((sum i < N { x[i] * x[i] }) * (sum i < N { y[i] * y[i] }))
            }",
        ),
        (
            "auto",
            "rw sum_tile_tail at total/term everywhere",
            "fn f(x: i32[N, M]) -> i32[N] { gen i < N { (max j < M { x[i, j] }) - min j < M { x[i, j] } } }",
        ),
        // A maximum of floats is one of them in any order, but for the sign of a zero.
        (
            "auto finite",
            "stage m/j as total",
            "fn f(x: f32[N, M]) -> i32[N] {
                gen i < N {
                    let m = max j < M { x[i, j] };
                    min j < M { select(x[i, j] == m, i32(j), i32(M)) }
                }
            }",
        ),
        // Sums in monoids: the class and the claims allow it.
        (
            "auto real",
            "rfactor",
            "use std.monoids.{log_sum_exp};
            fn f(x: f64[N]) -> f64 { let r = sum i < N in log_sum_exp { (x[i], 1) }; r.m + log(r.s) }",
        ),
        (
            "auto",
            "rfactor",
            "monoid both on (top: i32, total: i32) {
                zero (-2147483648, 0);
                add (max(a.top, b.top), a.total + b.total);
                laws associative, commutative;
            }
            fn f(x: i32[N]) -> i32 { let r = sum i < N in both { (x[i], x[i]) }; r.top ^ r.total }",
        ),
        (
            "auto real",
            "rfactor",
            "fn f(x: f32[N, M]) -> f32[N, M] {
                gen i < N {
                    let m = max j < M { x[i, j] };
                    let z = sum j < M { exp(x[i, j] - m) };
                    gen j < M { exp(x[i, j] - m) / z }
                }
            }",
        ),
        (
            "auto",
            "rw gen_tile at i with k = N / 4",
            "fn f(x: f64[N, M]) -> f64[N, M] { gen i < N, j < M { sum k < j + 1 { x[i, k] } } }",
        ),
        (
            "auto",
            "rw gen_tile at i with k = 32",
            "fn f(x: f64[130, M]) -> f64[130, M] { gen i < 130, j < M { sum k < j + 1 { x[i, k] } } }",
        ),
        (
            "auto",
            "inline r",
            "fn f(x: f64[N, M]) -> f64[N, M] {
                let r = gen i < N, j < M { sum l < j + 1 { x[i, l] } };
                gen i < N, j < M { sum k < i + 1 { r[k, j] } }
            }",
        ),
        ("auto", "scan j", "fn f(x: f64[M]) -> f64[M] { gen j < M { sum k < j { x[k] } } }"),
        // Short rows follow one another: no few of them are added up side by side.
        ("auto", "scan j;", "fn f(x: f64[N, 10]) -> f64[N, 10] { gen i < N, j < 10 { sum k < j + 1 { x[i, k] } } }"),
        (
            "auto",
            "unroll i by",
            "fn f(a: f32[N, M]) -> f32[M] { gen j < M { sum i < N { a[i, j] * a[i, j] } } }",
        ),
        (
            "auto",
            "batch j",
            "fn f(a: f32[N, M]) -> f32[M] { gen j < M { sqrt((sum i < N { a[i, j] * a[i, j] }) / f32(N)) } }",
        ),
        ("auto", "reorder i, k", "fn f(x: u8[N], w: f32[N]) -> f32[256] { gen k < 256 { sum i < N { [k == x[i]] * w[i] } } }"),
        (
            "auto",
            "hoist",
            "fn f(u: u16[N], w: f64[N]) -> f64[256] { gen k < 256 { sum i < N { [k == u[i] >> 8] * w[i] } } }",
        ),
        (
            "auto",
            "rw gen_one_hot_guarded at k",
            "fn f(x: f32[N, C], at: i32[N], n: size) -> f32[n, C] { gen k < n, c < C { sum i < N { [k == at[i]] * x[i, c] } } }",
        ),
        ("auto", "batch j", "fn f(a: f64[N, M]) -> f64[M] { gen j < M { max i < N { a[i, j] } } }"),
        // The mean of a column is a number of its own.
        (
            "auto",
            "hoist mu;",
            "fn f(x: f64[N, M]) -> f64[M] {
                gen j < M {
                    let mu = (sum i < N { x[i, j] }) / f64(N);
                    sum i < N { (x[i, j] - mu) * (x[i, j] - mu) }
                }
            }",
        ),
        (
            "auto",
            "batch mean/j",
            "fn f(a: f32[N, M]) -> f32[N, M] {
                let mean = gen j < M { (sum i < N { a[i, j] }) / f32(N) };
                gen r < N, c < M { a[r, c] - mean[c] }
            }",
        ),
        // The rows' names are those of other loops, and one operand is read in two ways.
        (
            "auto",
            "rename m/i to rows",
            "fn f(x: f32[N, M]) -> f32[M] {
                let m = gen j < M { (sum i < N { x[i, j] }) / f32(N) };
                gen j < M { sum i < N { (x[i, j] - m[j]) * (x[i, j] - m[j]) } }
            }",
        ),
        (
            "auto",
            "reorder acc/j, acc/i.i",
            "fn f(x: f32[N, M]) -> f32[N, M] {
                let n = gen i < N { sqrt(sum j < M { x[i, j] * x[i, j] }) };
                gen i < N, j < M { x[i, j] / max(n[i], 0.000001) }
            }",
        ),
        ("auto", "as copy", "fn f(x: f64[N, D]) -> f64[D, D] { gen i < D, j < D { sum n < N { x[n, i] * x[n, j] } } }"),
        ("auto", "as each", "fn f(k: u8[N]) -> i32[256] { sum i < N { one_hot(256, k[i], i32(1)) } }"),
        (
            "auto",
            "as each",
            "fn f(k: i32[N, M], w: i64[N, M]) -> i64[7] {
                sum i < N, j < M { [0 <= k[i, j] < 7] * one_hot(7, k[i, j], w[i, j]) }
            }",
        ),
        (
            "auto real",
            "as each",
            "fn f(k: u8[N], w: f64[N]) -> f64[256] { sum i < N { one_hot(256, k[i], w[i]) } }",
        ),
        (
            "auto",
            "as panel",
            "fn f(a: f64[M, K], b: f64[K, N]) -> f64[M, N] { gen i < M, j < N { sum k < K { a[i, k] * b[k, j] } } }",
        ),
        (
            "auto real",
            "as panel",
            "fn f(x: f32[C, H, W], w: f32[O, C, 3, 3]) -> f32[O, H, W] {
                gen o < O, y < H, z < W {
                    max(0, sum c < C, r < 3, s < 3 { x?[c, y + r - 1, z + s - 1] * w[o, c, r, s] })
                }
            }",
        ),
        (
            "auto",
            "as across by rotate_3, transpose",
            "fn f(x: f64[B, N, D]) -> f64[B, N, N] {
                gen b < B, i < N, j < N { sum d < D { x[b, i, d] * x[b, j, d] } }
            }",
        ),
        (
            "auto",
            "as across by transpose",
            "fn f(a: f32[N, K]) -> f32[N, N] { gen i < N, j < N { sum k < K { a[i, k] * a[j, k] } } }",
        ),
        (
            "auto",
            "as panel along acc/k, acc/j.i",
            "fn f(a: f32[N, K], b: f32[M, K]) -> f32[N, M] { gen i < N, j < M { sum k < K { a[i, k] * b[j, k] } } }",
        ),
        (
            "auto real",
            "as panel along acc/d, acc/j.i",
            "fn f(x: f64[B, N, D], y: f64[B, M, D]) -> f64[B, N, M] {
                gen b < B, i < N, j < M { sum d < D { (x[b, i, d] - y[b, j, d]) * (x[b, i, d] - y[b, j, d]) } }
            }",
        ),
        (
            "auto real",
            "factor k as part[j, r] at i",
            "fn f(X: f64[I, J, K], B: f64[J, R], C: f64[K, R]) -> f64[I, R] {
                gen i < I, r < R { sum j < J, k < K { X[i, j, k] * B[j, r] * C[k, r] } }
            }",
        ),
        (
            "auto real",
            "factor k as part[j, l] at root",
            "fn f(a: f32[I, J], b: f32[J, K], c: f32[K, L]) -> f32[I, L] {
                gen i < I, l < L { sum j < J, k < K { a[i, j] * b[j, k] * c[k, l] } }
            }",
        ),
        (
            "auto",
            "from h",
            "fn f(x: f32[B, I], v: f32[I, H], w: f32[H, O]) -> f32[B, O] {
                let h = gen b < B, j < H { max(0, sum i < I { x[b, i] * v[i, j] }) };
                gen b < B, k < O { sum j < H { h[b, j] * w[j, k] } }
            }",
        ),
        (
            "auto",
            "inline lo",
            "fn f(x: f32[N, M]) -> f32[N - 2, M - 2] where 2 <= N, 2 <= M {
                let lo = gen y < N, x_ < M - 2 { min(min(x[y, x_], x[y, x_ + 1]), x[y, x_ + 2]) };
                let hi = gen y < N, x_ < M - 2 { max(max(x[y, x_], x[y, x_ + 1]), x[y, x_ + 2]) };
                gen y < N - 2, x_ < M - 2 { (lo[y, x_] + lo[y + 1, x_]) * (hi[y + 1, x_] - hi[y + 2, x_]) }
            }",
        ),
        (
            "auto",
            "factor k as part",
            "fn f(X: f64[I, J, K] as csf, B: f64[J, R], C: f64[K, R]) -> f64[I, R] {
                gen i < I, r < R { sum j < J, k < K { X[i, j, k] * B[j, r] * C[k, r] } }
            }",
        ),
        (
            "auto",
            "store each in register",
            "fn f(x: f64[N, 3]) -> f64[N, 3] {
                gen i < N, d < 3 { sum j < N { (x[j, d] - x[i, d]) / (1.5 + sum e < 3 { x[j, e] * x[i, e] }) } }
            }",
        ),
        (
            "auto",
            "hoist s at t.o",
            "fn f(q: f32[B, T, D], k: f32[B, S, D], v: f32[B, S, E]) -> f32[B, T, E] {
                gen b < B, t < T {
                    let s = gen u < S { (sum d < D { q[b, t, d] * k[b, u, d] }) / sqrt(f32(D)) };
                    let m = max u < S { s[u] };
                    let e = gen u < S { exp(s[u] - m) };
                    let z = sum u < S { e[u] };
                    gen d < E { (sum u < S { e[u] * v[b, u, d] }) / z }
                }
            }",
        ),
        (
            "auto real",
            "rfactor",
            "fn f(x: f32[T, D], k: f32[S, D], v: f32[S, E]) -> f32[T, E] {
                gen t < T {
                    let s = gen u < S { sum d < D { x[t, d] * k[u, d] } };
                    let m = max u < S { s[u] };
                    let e = gen u < S { exp(s[u] - m) };
                    let z = sum u < S { e[u] };
                    gen d < E { (sum u < S { e[u] * v[u, d] }) / z }
                }
            }",
        ),
        (
            "auto",
            "hoist h at b.o",
            "fn f(x: f64[B, I], v: f64[I, H], w: f64[H, O]) -> f64[B, O] {
                gen b < B {
                    let h = gen j < H { max(0, sum i < I { x[b, i] * v[i, j] }) };
                    gen k < O { sum j < H { h[j] * w[j, k] } }
                }
            }",
        ),
        (
            "auto",
            "compute sxx at x",
            "fn f(img: f32[N, M]) -> f32[N - 4, M - 4] where 4 <= N, 4 <= M {
                let ix = gen y < N - 2, x < M - 2 { img[y, x + 2] - img[y + 2, x] };
                let iy = gen y < N - 2, x < M - 2 { img[y + 2, x] - img[y, x] };
                let sxx = gen i < N - 4, j < M - 4 { sum r < 3, c < 3 { ix[i + r, j + c] * ix[i + r, j + c] } };
                let sxy = gen i < N - 4, j < M - 4 { sum r < 3, c < 3 { ix[i + r, j + c] * iy[i + r, j + c] } };
                gen y < N - 4, x < M - 4 { sxx[y, x] * sxy[y, x] - 0.25 * (sxx[y, x] + sxy[y, x]) }
            }",
        ),
        (
            "auto",
            "carry h along y",
            "fn f(x: u8[N, M]) -> u8[N, M] {
                let h = gen i < N, j < M { max k < 5 { x?[i, j + k - 2] } };
                gen y < N, z < M { max k < 5 { h?[y + k - 2, z] } }
            }",
        ),
        (
            "auto real",
            "compute b at y",
            "fn f(x: f32[N, M]) -> f32[N, M] {
                let b = gen y < N, z < M { sum k < 5 { x?[y, z + k - 2] } };
                gen y < N, z < M { x[y, z] - sum k < 5 { b?[y + k - 2, z] } }
            }",
        ),
        (
            "auto",
            "store acc in register",
            "fn f(x: f32[N, M], R: size) -> f32[N, M] {
                gen y < N, z < M { (sum i < 2 * R + 1 { x?[y + i - R, z] }) / f32(2 * R + 1) }
            }",
        ),
        (
            "auto",
            "split k by",
            "fn f(A: f64[N, M] as csr, b: f64[M, K]) -> f64[N, K] {
                gen i < N, k < K { sum j < M { A[i, j] * b[j, k] } }
            }",
        ),
        (
            "auto",
            "with k = 4",
            "fn f(A: f64[N, M] as csr, x: f64[M]) -> f64[N] { gen i < N { sum j < M { A[i, j] * x[j] } } }",
        ),
        (
            "auto",
            "repack A[j, k] as A_other",
            "fn f(A: f64[N, M] as csr) -> f64[N, N] { gen i < N, j < N { sum k < M { A[i, k] * A[j, k] } } }",
        ),
        (
            "auto",
            "repack B as B_other",
            "fn f(A: f64[N, M] as csr, B: f64[M, K] as csc) -> f64[N, K] {
                gen i < N, j < K { sum k < M { A[i, k] * B[k, j] } }
            }",
        ),
        (
            "auto",
            "sparsify by scan",
            "fn f(A: f64[N, M] as [dense, hash(4)], B: f64[N, M] as [dense, hash(8)]) -> f64[N] {
                gen i < N { sum j < M { A[i, j] * B[i, j] } }
            }",
        ),
        (
            "auto",
            "batch i.o",
            "fn f(x: f32[N, M]) -> f32[N, M] { gen i < N, j < M { max k < j + 1 { x[i, k] } } }",
        ),
        (
            "auto",
            "store acc at i.i",
            "fn f(a: f64[N, M], x: f64[M]) -> f64[N] { gen i < N { sum j < M { a[i, j] * x[j] } } }",
        ),
        // A long row of the result is no row of components.
        (
            "auto",
            "unroll acc/i.o",
            "fn f(a: f32[B, 131, M]) -> f32[B, 131] { gen b < B, i < 131 { sum j < M { a[b, i, j] } } }",
        ),
        (
            "auto",
            "rw gen_tile at i with k = 33",
            "fn f(a: f32[133, M]) -> f32[133] { gen i < 133 { sqrt(sum j < M { a[i, j] * a[i, j] }) } }",
        ),
        (
            "auto",
            "hoist r at i.o",
            "fn f(x: f32[N, M], g: f32[M]) -> f32[N, M] where 0 < M {
                gen i < N {
                    let mu = (sum j < M { x[i, j] }) / f32(M);
                    let r = 1 / sqrt((sum j < M { (x[i, j] - mu) * (x[i, j] - mu) }) / f32(M) + 0.00001);
                    gen j < M { (x[i, j] - mu) * r * g[j] }
                }
            }",
        ),
        (
            "auto",
            "stage z/j as",
            "fn f(x: f64[B, N, M]) -> f64[B, N, M] {
                gen b < B, i < N {
                    let m = max j < M { x[b, i, j] };
                    let e = gen j < M { exp(x[b, i, j] - m) };
                    let z = sum j < M { e[j] };
                    gen j < M { e[j] / z }
                }
            }",
        ),
        (
            "auto",
            "peel",
            "fn f(x: f64[N, M], c: i32[3]) -> f64[3, N, M] where 0 < N, 0 < M, all q < 3 { -1 <= c[q] < 2 } {
                gen q < 3, i < N, j < M { x[(i - c[q]) % N, (j - c[q]) % M] }
            }",
        ),
    ];
    for (schedule, step, text) in cases {
        let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
        let under = chosen(&program, "f", schedule);
        let script = &under.chosen.as_ref().expect("it is chosen").script;
        assert!(script.contains(step), "{text}\n{script}");
        let sizes: &[i64] = match program.function(Some("f"), None).expect("it is there").sizes.len() {
            0..=2 => &[0, 1, 3, 9, 67, 131],
            3 => &[0, 1, 3, 9, 67],
            _ => &[0, 1, 3, 9, 19],
        };
        let calls = compared(&program, "f", &under, sizes, &[&c::BACKEND]);
        assert!(calls >= 6, "{text}: {calls}");
    }
}

/// Borders that are repeated, as filters of pictures have them: the loop along memory is cut where both
/// bounds are known, in three copies of what it does, and its middle runs in whole vectors. Sizes are around
/// the borders, and around a vector.
#[test]
fn repeated_borders_are_cut_along_memory() {
    let x = "x[min(max(i + a - 1, 0), N - 1), min(max(j + b - 1, 0), M - 1)]";
    let cases = [
        (
            2,
            format!(
                "fn f(x: f32[N, M]) -> f32[N, M] {{ gen i < N, j < M {{ sum a < 3, b < 3 {{ {x} }} / 9 }} }}"
            ),
        ),
        (2, format!("fn f(x: u8[N, M]) -> u8[N, M] {{ gen i < N, j < M {{ max a < 3, b < 3 {{ {x} }} }} }}")),
        // A vector of sums for each place.
        (
            2,
            "fn f(x: f32[N, M], w: f32[K]) -> f32[N, M] {
                gen i < N, j < M { sum k < K { w[k] * x[i, min(max(j + k - K / 2, 0), M - 1)] } }
            }"
            .to_owned(),
        ),
        // Guards outside are split off first, which cuts once.
        (
            1,
            "fn f(x: f32[N, M]) -> f32[N, M] {
                gen i < N, j < M { x?[i + 1, max(j - 1, 0)] - x?[i - 1, min(max(j + 1, 0), M - 1)] }
            }"
            .to_owned(),
        ),
        // Bounds on one side each, in rounds.
        (
            1,
            "fn f(x: f64[N, M]) -> f64[N, M] {
                iterate t < 3 from u = x {
                    gen i < N, j < M { u[max(i - 1, 0), j] + u[i, max(j - 2, 0)] + u[i, min(j + 1, M - 1)] }
                }
            }"
            .to_owned(),
        ),
    ];
    in_parallel(&cases, |(cuts, text)| {
        let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
        let under = chosen(&program, "f", "auto");
        let choice = &under.chosen.as_ref().expect("it is chosen").choice;
        assert_eq!(choice.steps.iter().filter(|step| *step == "peel j").count(), *cuts, "{choice:?}");
        let kernel = under.lower().unwrap_or_else(|e| panic!("{e}")).kernel.to_string();
        let bounded = |line: &&str| line.contains("min(max(j") || line.contains("max(j");
        // Each of the bounds on both sides stands in one copy.
        assert!(kernel.lines().filter(bounded).count() <= 3, "{kernel}");
        assert!(compared(&program, "f", &under, &[0, 1, 2, 3, 17, 33, 70], &[&c::BACKEND]) >= 12, "{text}");
    });
}

/// The class that a call allows is the class that is chosen for.
#[test]
fn a_class_has_its_choice() {
    let text = "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] } }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let f = program.function(Some("f"), None).expect("it is there");
    for class in [Rounding::Bitwise, Rounding::Finite, Rounding::Real] {
        let name = program.meant(f, None, Some(class));
        assert_eq!(program.automatic(f, name), Some(class), "{name:?}");
    }
}
