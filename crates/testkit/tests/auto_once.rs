//! Schedules that are chosen where less work has the same result: values that few loops index are computed
//! once, sums that search look at few places, and wide numbers are compared in vectors.

use super::auto::{chosen, compared};
use atl_driver::backends::c;
use atl_driver::{Program, Rounding};

/// Each function has this in its script, or in its loops, and its values are those of the meaning.
fn check(text: &str, cases: &[(&str, &str)], sizes: &[i64]) {
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    for (name, part) in cases {
        let under = chosen(&program, name, "auto");
        let script = &under.chosen.as_ref().expect("it is chosen").script;
        let lowered = under.lower().unwrap_or_else(|e| panic!("{e}"));
        let loops = lowered.kernel.to_string();
        assert!(script.contains(part) || loops.contains(part), "{name}: {script}\n{loops}");
        let function = program.function(Some(name), None).expect("it is there");
        assert!(under.rounding() == Rounding::Bitwise || !function.sparse.is_empty(), "{name}");
        assert!(compared(&program, name, &under, sizes, &[&c::BACKEND]) >= 8, "{name}");
    }
}

/// A root, a quotient or a function that the innermost loop indexes, and not all loops around, is computed
/// in an array of its own; also where a loop has the name that the rule gives.
#[test]
fn costly_values_are_computed_once() {
    let text = "fn columns(x: f64[N, M]) -> f64[N, M] where 0 < N {
        let v = gen j < M { (sum i < N { x[i, j] * x[i, j] }) / f64(N) };
        gen i < N, j < M { x[i, j] / sqrt(v[j] + 0.5) }
    }
    fn of_time(x: f32[T, M], v: f32[M]) -> f32[T, M] { gen t < T, j < M { x[t, j] * exp(-abs(v[j])) } }
    fn two(x: f64[N, M], v: f64[M], w: f64[M]) -> f64[N, M] {
        gen i < N, j < M { x[i, j] * sqrt(max(v[j], 1)) + min(w[j] / v[j], 2) }
    }
    fn in_a_sum(x: f64[N, M], v: f64[M]) -> f64[N] { gen i < N { sum j < M { x[i, j] * exp(v[j] - 3) } } }
    fn entries(A: f64[N, M] as csr, r: f64[M], d: f64[M]) -> f64[N] {
        gen i < N { sum j < M { A[i, j] * (r[j] / d[j]) } }
    }";
    let cases = [
        ("columns", "hoist once"),
        ("of_time", "hoist t"),
        ("two", "hoist once_"),
        ("in_a_sum", "hoist once"),
        ("entries", "hoist once"),
    ];
    check(text, &cases, &[0, 1, 2, 3, 7, 17, 65]);
}

/// So is a sum of many terms that some loop around does not change, as one that a choice selects.
#[test]
fn sums_are_computed_once() {
    let text = "fn centred(x: f64[N, M]) -> f64[N, M] {
        gen i < N, j < M { x[i, j] - (sum r < N { x[r, j] }) / f64(N) }
    }
    fn extremes(x: f32[N, M]) -> f32[2, M] {
        gen q < 2, j < M { select(q == 0, min i < N { x[i, j] }, max i < N { x[i, j] }) }
    }
    fn plane(a: f64[N, M, K], b: f64[M, K, L]) -> f64[N, M, K] {
        gen i < N, j < M, k < K { a[i, j, k] * (sum l < L { b[j, k, l] }) }
    }";
    let cases = ["centred", "extremes", "plane"].map(|name| (name, "hoist once"));
    check(text, &cases, &[0, 1, 2, 3, 17]);
    // Two such arrays are made in the same rounds.
    check(text, &[("extremes", "fuse once_, once")], &[0, 1, 8, 17]);
    // A table of all pairs might be larger than memory.
    let text = "fn pairs(x: f64[N, K], g: f64[T]) -> f64[T] {
        gen t < T { sum i < N, j < N { exp(g[t] * (sum k < K { x[i, k] * x[j, k] })) } }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let under = chosen(&program, "pairs", "auto");
    assert!(!under.chosen.as_ref().expect("it is chosen").script.contains("hoist"));
}

/// A sum that only depends on a row is computed once a row, also where loops over entries stand inside; one
/// that depends on a column becomes a vector. What only some iterations compute stays there.
#[test]
fn sums_of_rows_are_computed_once() {
    let text = "fn quotients(A: f64[N, M] as csr) -> f64[N, M] {
        gen i < N, j < M { A[i, j] / (1.5 + sum k < M { abs(A[i, k]) }) }
    }
    fn reciprocals(A: f64[N, M] as csr) -> f64[N, M] {
        gen i < N, j < M { A[i, j] * (1 / (1.5 + sum k < M { A[i, k] * A[i, k] })) }
    }
    fn of_rows(A: f64[N, M] as dcsr, U: f64[N, K]) -> f64[N, M] {
        gen i < N, j < M { A[i, j] * (sum k < K { U[i, k] }) }
    }
    fn of_all(A: f64[N, M] as csr, x: f64[K]) -> f64[N] { gen i < N { sum j < M { A[i, j] * (sum k < K { x[k] }) } } }
    fn of_columns(A: f64[N, M] as csr) -> f64[N, M] { gen i < N, j < M { A[i, j] * (sum k < N { A[k, j] }) } }";
    let cases = [
        ("quotients", "hoist once at i"),
        ("reciprocals", "hoist once at i"),
        ("of_rows", "hoist once at pA1"),
        ("of_all", "hoist once"),
        ("of_columns", "hoist once"),
    ];
    check(text, &cases, &[0, 1, 2, 3, 7, 17, 65]);
    let text = "fn over_greatest(A: f64[N, M]) -> f64[N, M] { gen i < N, j < M { A[i, j] / (max k < M { abs(A[i, k]) }) } }
    fn by_all(A: f64[N, M], x: f64[K]) -> f64[N, M] { gen i < N, j < M { A[i, j] * (sum k < K { x[k] }) } }";
    let cases = [("over_greatest", "hoist once at i"), ("by_all", "hoist once;")];
    check(text, &cases, &[1, 2, 3, 7, 8, 9, 17, 65]);
    let text = "fn sampled(A: f64[N, M] as csr, U: f64[N, K], V: f64[M, K]) -> f64[N, M] as csr {
        gen i < N, j < M { A[i, j] * (sum k < K { U[i, k] * V[j, k] }) }
    }
    fn some(A: f64[N, M] as csr, U: f64[N, K]) -> f64[N] {
        gen i < N { [i == 3] * sum j < M { A[i, j] * (sum k < K { U[i, k] }) } }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    for name in ["sampled", "some"] {
        let under = chosen(&program, name, "auto");
        let script = &under.chosen.as_ref().expect("it is chosen").script;
        assert!(script.contains("sparsify") && !script.contains("hoist"), "{name}: {script}");
    }
}

/// Loops over elements of an operand in blocks are cut into its blocks.
#[test]
fn blocks_are_iterated_over() {
    let text = "fn times_vector(A: f64[N, M] as bcsr(4, 4), x: f64[M]) -> f64[N] {
        gen i < N { sum j < M { A[i, j] * x[j] } }
    }
    fn times_matrix(A: f64[N, M] as bcsr(2, 3), B: f64[M, K]) -> f64[N, K] {
        gen i < N, k < K { sum j < M { A[i, j] * B[j, k] } }
    }
    fn total(A: f64[N, M] as bcsr(4, 4)) -> f64 { sum i < N, j < M { A[i, j] } }";
    let cases = [("times_vector", "split j by 4"), ("times_matrix", "split j by 3"), ("total", "sparsify")];
    check(text, &cases, &[0, 1, 2, 3, 7, 12, 17, 65]);
}

/// Values that loops bind hide no entries; a row of entries beside dense terms is stored once.
#[test]
fn entries_are_found_behind_lets() {
    let text = "fn through_let(A: f64[N, M] as csr, x: f64[M]) -> f64[N] {
        gen i < N { sum j < M { let v = A[i, j]; let w = x[j] * 2; v * w } }
    }
    fn added(A: f64[N, M] as csr, B: f64[N, M]) -> f64[N, M] { gen i < N, j < M { B[i, j] - A[i, j] } }";
    let cases = [("through_let", "inline v"), ("added", "as row")];
    check(text, &cases, &[0, 1, 2, 3, 7, 17, 65]);
}

/// Elements and their components are one loop, where no component needs to know which one it is.
#[test]
fn components_are_adjacent() {
    let text = "fn brighter(x: u8[N, M, 3], a: f32) -> u8[N, M, 3] {
        gen y < N, x_ < M, c < 3 { u8(f32(x[y, x_, c]) * a) }
    }
    fn looked_up(x: u8[N, M, 3], t: u8[256]) -> u8[N, M, 3] { gen y < N, z < M, c < 3 { t[x[y, z, c]] } }";
    check(text, &[("brighter", "fuse x_, c"), ("looked_up", "fuse z, c")], &[0, 1, 2, 3, 7, 21, 22, 43]);
    let text = "fn scaled(x: f32[N, 3], a: f32[3]) -> f32[N, 3] { gen z < N, c < 3 { x[z, c] * a[c] } }
    fn four(x: f32[N, 16]) -> f32[N, 16] { gen z < N, c < 16 { x[z, c] + 1 } }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    for name in ["scaled", "four"] {
        let under = chosen(&program, name, "auto");
        let script = &under.chosen.as_ref().expect("it is chosen").script;
        assert!(!script.contains("fuse"), "{name}: {script}");
    }
}

/// What each loop indexes, what a C compiler takes out by itself, and what is bound in a loop stay.
#[test]
fn other_values_stay() {
    let text = "fn each(x: f64[N, M]) -> f64[N, M] { gen i < N, j < M { sqrt(x[i, j]) } }
    fn outer(x: f64[N, M], v: f64[N]) -> f64[N, M] { gen i < N, j < M { x[i, j] / sqrt(v[i]) } }
    fn inside(x: f64[N, M]) -> f64[N, M] {
        gen i < N {
            let w = gen j < M { x[i, j] * x[i, j] };
            gen j < M { x[i, j] / sqrt(w[j]) }
        }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    for name in ["each", "outer", "inside"] {
        let under = chosen(&program, name, "auto");
        let script = &under.chosen.as_ref().expect("it is chosen").script;
        assert!(!script.contains("let_bind"), "{name}: {script}");
    }
}

/// Sums of products of entries walk along both operands, and are not cut into parts that would look at all
/// places.
#[test]
fn sums_that_search_stay_whole() {
    let text = "fn squares(A: f64[N, M] as csr) -> f64[N] { gen i < N { sum j < M { A[i, j] * A[i, j] } } }
    fn both(A: f64[N, M] as csr, B: f64[N, M] as csr) -> f64 { sum i < N, j < M { A[i, j] * B[i, j] } }";
    check(text, &[("squares", "intersect "), ("both", "intersect ")], &[0, 1, 2, 3, 7, 17, 65]);
}

/// Numbers that are wider than the result leave room for fewer lanes.
#[test]
fn wide_numbers_have_fewer_lanes() {
    let text =
        "fn ranks(x: f64[N]) -> i32[N] { gen i < N { sum j < N { select(x[j] < x[i], i32(1), i32(0)) } } }
    fn single(x: f64[N], y: f64[N]) -> f32[N] { gen i < N { f32(x[i] * y[i]) } }";
    check(text, &[("ranks", "i32x8 for"), ("single", "f32x8 for")], &[0, 1, 2, 3, 7, 15, 16, 17, 65, 257]);
}

/// The rounds of a recurrence whose rows are maxima over rows run along memory in vectors.
#[test]
fn maxima_in_vectors_are_cheaper() {
    let text = "fn best(e: f64[T + 1, S], a: f64[S, S], T: size) -> f64[T + 1, S] {
        scan t < T from h = gen s < S { e[0, s] } {
            gen s < S { e[t + 1, s] + max r < S { h[r] + a[r, s] } }
        }
    }";
    check(text, &[("best", "vectorize s by")], &[0, 1, 2, 3, 7, 8, 9, 17]);
}

/// Windows that wrap around at both ends are split off, and what lies a few cells apart is copied side by
/// side.
#[test]
fn windows_are_read_along_memory() {
    let text = "fn wrapped(g: u8[N, M]) -> u8[N, M] where 1 <= N, 1 <= M {
        gen y < N, x < M {
            let n = (sum i < 3, j < 3 { g[(y + i - 1) % N, (x + j - 1) % M] }) - g[y, x];
            select(n == 3 || n == 2 && g[y, x] == 1, u8(1), u8(0))
        }
    }
    fn apart(x: f32[C, 2 * H, 2 * W], w: f32[O, C, 3, 3], H: size, W: size) -> f32[O, H, W] {
        gen o < O, y < H, z < W { sum c < C, r < 3, s < 3 { x?[c, 2 * y + r - 1, 2 * z + s - 1] * w[o, c, r, s] } }
    }";
    check(text, &[("wrapped", "peel"), ("apart", " along acc/")], &[1, 2, 3, 5, 9]);
}
