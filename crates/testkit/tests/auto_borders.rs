//! Random filters whose borders are repeated, set to zero or left out, under the schedule that is chosen.
//!
//! `ATL_AUTO=100` tries 100 times as many, and `ATL_SEED` is where they begin. Sizes are around the borders
//! and around a vector. Loops are cut where bounds are known, so what goes wrong goes wrong there.

use super::auto::{chosen, compared};
use atl_driver::Program;
use atl_driver::auto::Considered;
use atl_driver::backends::c;
use atl_testkit::choices::Choices;
use atl_testkit::parallel::in_parallel;

/// How an index stays inside an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Border {
    /// By two bounds, the lower or the upper one inside.
    Both { low_inside: bool },
    /// By the bound on the side that it may leave.
    One,
    /// By a guard: zero outside.
    Guard,
}

const BORDERS: [Border; 4] =
    [Border::Both { low_inside: true }, Border::Both { low_inside: false }, Border::One, Border::Guard];

/// The index of `v + k`, of which `k` is at least `low` and at most `high`.
fn index(border: Border, v: &str, (k, low, high): (&str, i64, i64), n: &str) -> String {
    let at = format!("{v} + {k}").replace("+ -", "- ");
    match border {
        Border::Both { low_inside: true } => format!("min(max({at}, 0), {n} - 1)"),
        Border::Both { low_inside: false } => format!("max(min({at}, {n} - 1), 0)"),
        Border::One if low >= 0 => format!("min({at}, {n} - 1)"),
        Border::One if high <= 0 => format!("max({at}, 0)"),
        Border::One => format!("min(max({at}, 0), {n} - 1)"),
        Border::Guard => at,
    }
}

/// A term at `i`, `j`: a neighbour, or what a window adds up.
fn term(of: &str, choices: &mut Choices) -> String {
    let (rows, columns) = (*choices.of(&BORDERS), *choices.of(&BORDERS));
    let is_guarded = [rows, columns].contains(&Border::Guard);
    let read = |(a, al, ah): (&str, i64, i64), (b, bl, bh): (&str, i64, i64)| {
        let row = index(rows, "i", (a, al, ah), "N");
        let column = index(columns, "j", (b, bl, bh), "M");
        format!("{of}{}[{row}, {column}]", if is_guarded { "?" } else { "" })
    };
    if choices.one_in(2) {
        let mut offset = || i64::try_from(choices.below(7)).map_or(0, |k| k - 3);
        let (a, b) = (offset(), offset());
        return read((&a.to_string(), a, a), (&b.to_string(), b, b));
    }
    let radius = 1 + i64::try_from(choices.below(2)).unwrap_or(0);
    let window = format!("a < {0}, b < {0}", 2 * radius + 1);
    let (a, b) = (format!("a - {radius}"), format!("b - {radius}"));
    let read = read((&a, -radius, radius), (&b, -radius, radius));
    format!("({} {window} {{ {read} }})", choices.of(&["sum", "max"]))
}

/// A filter, maybe of another one, or in rounds.
fn filter(seed: u64) -> String {
    let choices = &mut Choices::new(seed);
    let ty = *choices.of(&["f32", "f64", "i32", "u8", "i16"]);
    let mut body = |of: &str| {
        let terms: Vec<String> = (0..1 + choices.below(3)).map(|_| term(of, choices)).collect();
        format!("gen i < N, j < M {{ {} }}", terms.join(" - "))
    };
    let inside = match seed % 4 {
        0 => format!("let h = {}; {}", body("x"), body("h")),
        1 => format!("iterate t < 3 from u = x {{ {} }}", body("u")),
        _ => body("x"),
    };
    format!("fn f(x: {ty}[N, M]) -> {ty}[N, M] {{ {inside} }}")
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn random_filters_with_borders_mean_the_same() {
    let (first, count) = (number("ATL_SEED").unwrap_or(0), 4 * number("ATL_AUTO").unwrap_or(1));
    let cuts = in_parallel(first..first + count, |seed| {
        let text = filter(seed);
        let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("seed {seed}\n{text}\n{e}"));
        let under = chosen(&program, "f", "auto");
        let calls = compared(&program, "f", &under, &[0, 1, 2, 3, 7, 18, 35], &[&c::BACKEND]);
        assert!(calls >= 7, "seed {seed}\n{text}: {calls} calls");
        let choice = &under.chosen.as_ref().expect("it is chosen").choice;
        usize::from(choice.steps.iter().any(|step| step == "peel j"))
    });
    let cut: usize = cuts.iter().sum();
    assert!(3 * cut > cuts.len(), "of {} only {cut} are cut along memory", cuts.len());
}

/// Guards of windows are split off in those that cost least as they are, which is what takes time.
#[test]
fn guards_of_the_best_windows_alone_are_split_off() {
    let text = "fn f(u: f32[H, W]) -> f32[H, W] {
        let a = gen y < H, x < W { u?[y - 1, x] + u?[y + 1, x] + u?[y, x - 1] + u?[y, x + 1] };
        let b = gen y < H, x < W { a?[y - 1, x] + a?[y + 1, x] + a?[y, x - 1] + a?[y, x + 1] };
        gen y < H, x < W { b?[y - 1, x] + b?[y + 1, x] + b?[y, x - 1] + b?[y, x + 1] }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let choice = chosen(&program, "f", "auto").chosen.expect("it is chosen").choice.clone();
    let windows = |splits: bool| {
        let is_one = |one: &&Considered| {
            one.what.contains("in windows") && splits == one.steps.iter().any(|step| step == "peel")
        };
        choice.considered.iter().filter(is_one).count()
    };
    assert_eq!((windows(false), windows(true)), (2, 1), "{choice:?}");
    assert!(choice.steps.iter().any(|step| step == "peel"), "{choice:?}");
}
