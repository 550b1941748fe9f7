//! Arguments that are made up satisfy what functions require, as the interpreter finds when they are bound.

use crate::{Arguments, Compile};
use atl_session::Program;

/// Arguments are made up for this function, at this size, that its loops accept, and their integers differ or
/// not.
fn check(head: &str, size: i64, varied: bool) {
    let program =
        Program::parse("f.atl", &format!("fn f({head} {{ 1.0 }}")).unwrap_or_else(|e| panic!("{e}"));
    let mut arguments = Arguments::default();
    arguments.complete(&program, &program.functions()[0], size).unwrap_or_else(|e| panic!("{head}: {e}"));
    let lowered = program.scheduled("f", None).and_then(|s| s.lower()).expect("it is lowered");
    let kernel = lowered.compile(&crate::backends::interp::BACKEND, Default::default()).expect("it compiles");
    kernel.call(&arguments.arrays(), &arguments.sizes()).bind().unwrap_or_else(|e| panic!("{head}: {e}"));
    let (_, first) = &arguments.arrays[0];
    let bytes = first.as_slice::<i32>().expect("the first is of `i32`");
    let differ = bytes.iter().any(|x| Some(x) != bytes.first());
    assert_eq!(differ, varied, "{head}: {bytes:?}");
}

#[test]
fn indices_lie_in_range() {
    check("q: i32[N]) -> f32 where all i < N { 0 <= q[i] < 256 }", 20, true);
    check("q: i32[N], M: size) -> f32 where all i < N { 0 <= q[i] < M }", 20, true);
    check("q: i32[N, 2]) -> f32 where all i < N, d < 2 { -3 < q[i, d] && q[i, d] <= d }", 20, true);
    check("q: i32[N]) -> f32 where all i < N { q[i] == 5 }", 20, false);
    check("q: i32[N]) -> f32 where all i < N { 0 <= q[i] < N }", 1, false);
}

#[test]
fn places_rise_from_end_to_end() {
    check(
        "pos: i32[N + 1], crd: i32[K], N: size, M: size) -> f32 where 0 < N, K == N + 4, M == N, \
         pos[0] == 0 && pos[N] == K, all i < N { pos[i] <= pos[i + 1] }, \
         all i < N, p in pos[i]..pos[i + 1] { 0 <= crd[p] < M }, \
         all i < N, p in pos[i]..pos[i + 1] - 1 { crd[p] < crd[p + 1] }",
        9,
        true,
    );
    check(
        "q: i32[N]) -> f32 where all i < N - 1 { q[i] < q[i + 1] }, all i < N { 0 <= q[i] < N + 3 }",
        30,
        true,
    );
}

#[test]
fn a_permutation_and_its_inverse() {
    check(
        "q: i32[N], r: i32[N]) -> f32 where all i < N { 0 <= q[i] < N }, all i < N { 0 <= r[i] < N }, \
         all i < N { r[q[i]] == i }",
        12,
        true,
    );
    check("q: i32[N]) -> f32 where all i < N { 0 <= q[i] <= i }, all i < N { q[q[i]] == q[i] }", 12, false);
}
