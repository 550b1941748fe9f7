//! Schedules that are chosen for integers, which add up in any order with every bit.

use super::auto::{chosen, compared};
use atl_backend_c::{Options, print_kernel};
use atl_driver::backends::c;
use atl_driver::{Program, Rounding};

/// Products of narrow integers have tiles of the machine's sums of a few products, with every bit: also of
/// a transposed operand, and with operations behind them.
#[test]
fn narrow_integers_are_multiplied_a_few_at_once() {
    let text = "fn plain(a: i8[M, K], b: i8[K, N]) -> i32[M, N] {
        gen i < M, j < N { sum k < K { i32(a[i, k]) * i32(b[k, j]) } }
    }
    fn scaled(a: u16[M, K], b: i8[N, K], s: f32[N]) -> f32[M, N] {
        gen i < M, j < N { s[j] * f32(sum k < K { i32(a[i, k]) * i32(b[j, k]) }) }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    for (name, part) in [("plain", "atl_dot4_of_i8_i8_"), ("scaled", "atl_dot2_of_u16_i8_")] {
        let under = chosen(&program, name, "auto");
        assert_eq!(under.rounding(), Rounding::Bitwise);
        let lowered = under.lower().unwrap_or_else(|e| panic!("{e}"));
        let printed = print_kernel(&lowered.kernel, &Options::default()).expect("is well-formed").c;
        assert!(printed.contains(part) && printed.contains(" acc_0 = "), "{printed}");
        assert!(compared(&program, name, &under, &[0, 1, 3, 5, 37], &[&c::BACKEND]) >= 8);
    }
}

/// Integers are added up in lanes whatever the rounding, floats are not; the greatest of them are where
/// numbers are all that counts.
#[test]
fn sums_of_integers_are_in_lanes_with_every_bit() {
    let text = "fn integers(x: i32[N]) -> i32 { sum i < N { x[i] } }
    fn converted(x: u8[N, M]) -> i32[N] { gen i < N { max j < M { i32(x[i, j]) } } }
    fn floats(x: f32[N]) -> f32 { sum i < N { x[i] } }
    fn greatest(x: f32[N]) -> f32 { max i < N { x[i] } }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    for (name, in_lanes) in [("integers", true), ("converted", true), ("floats", false), ("greatest", false)]
    {
        let under = chosen(&program, name, "auto");
        let steps = &under.chosen.as_ref().expect("it is chosen").choice.steps;
        assert_eq!(steps.iter().any(|step| step.starts_with("rfactor")), in_lanes, "{name}: {steps:?}");
        assert!(compared(&program, name, &under, &[0, 1, 3, 67, 261], &[&c::BACKEND]) >= 8);
    }
}

/// Windows of bytes are vectors of the numbers that they are added up in, and those of the greatest are of
/// bytes.
#[test]
fn windows_of_narrow_integers_are_vectors() {
    let text = "fn mean(x: u8[N, M + 2]) -> u8[N, M] {
        gen i < N, j < M { u8((sum s < 3 { u16(x[i, j + s]) }) / 3) }
    }
    fn dilate(x: u8[N + 2, M + 2]) -> u8[N, M] {
        gen i < N, j < M { max r < 3 { max s < 3 { x[i + r, j + s] } } }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let calls = [("mean", "atl_div_u16x"), ("dilate", "atl_max_u8x")];
    for (name, part) in calls {
        let under = chosen(&program, name, "auto");
        let lowered = under.lower().unwrap_or_else(|e| panic!("{e}"));
        let printed = print_kernel(&lowered.kernel, &Options::default()).expect("is well-formed").c;
        assert!(printed.contains(part), "{printed}");
        assert!(compared(&program, name, &under, &[0, 1, 3, 31, 70], &[&c::BACKEND]) >= 8);
    }
}

/// Where a row of producers is computed before a row of the result, the lines of the result are brought
/// meanwhile, and its loop has whole vectors; every bit stays.
#[test]
fn the_result_is_prefetched_while_its_producers_are_computed() {
    let text = "fn gauss(x: u8[H + 4, W + 4]) -> u8[H, W] {
        let w = u16([1, 4, 6, 4, 1]);
        let rows = gen y < H, z < W + 4 { sum r < 5 { w[r] * u16(x[y + r, z]) } };
        gen y < H, z < W { u8(((sum s < 5 { w[s] * rows[y, z + s] }) + 128) >> 8) }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let under = chosen(&program, "gauss", "auto");
    let lowered = under.lower().unwrap_or_else(|e| panic!("{e}"));
    let printed = print_kernel(&lowered.kernel, &Options::default()).expect("is well-formed").c;
    assert!(printed.contains("ATL_PREFETCH(&out[y * W + z * 64]);"), "{printed}");
    assert!(compared(&program, "gauss", &under, &[0, 1, 3, 31, 70], &[&c::BACKEND]) >= 8);
}

/// Loops of a result are called by its name, too, so steps name what they make in another way.
#[test]
fn names_of_results_are_not_those_of_sums() {
    let text = "fn f(x: i32[N, M]) -> (greatest: i32[N], total: i32[N]) where 0 < M {
        gen i < N {
            let top = max j < M { x[i, j] };
            (top, sum j < M { x[i, j] })
        }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let steps = &chosen(&program, "f", "auto").chosen.expect("it is chosen").choice.steps;
    assert!(steps.iter().filter(|step| step.starts_with("stage")).count() == 2, "{steps:?}");
}

/// No sum of integers waits long for the one before: the C compiler makes vectors of it, which no vector of
/// ours does.
#[test]
fn sums_of_counted_bits_stay_as_they_are_written() {
    let text = "fn f(a: i32[N, W], b: i32[M, W]) -> i32[N, M] {
        gen i < N, j < M { sum w < W { popcount(a[i, w] ^ b[j, w]) } }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let choice = chosen(&program, "f", "auto").chosen.expect("it is chosen").choice.clone();
    assert!(choice.considered.iter().all(|one| !one.what.contains("rows side by side")), "{choice:?}");
}
