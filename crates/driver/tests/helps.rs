//! What messages say to type is accepted.

use atl_driver::Program;

/// A program is refused with a code at a text, and the help says this; with that in place of `old` it is accepted.
fn check(text: &str, code: &str, says: &str, [old, new]: [&str; 2]) {
    let refused = Program::parse("f.atl", text).and_then(|program| program.check_with(&|_| Vec::new()));
    let why = refused.map(drop).unwrap_err();
    assert_eq!(why.codes(), [code], "{text}\n{why}");
    let helps: Vec<String> = why
        .diagnostics
        .iter()
        .flat_map(|d| &d.help)
        .map(|help| match &help.fix {
            Some(fix) => fix.replacement.clone(),
            None => help.text.clone(),
        })
        .collect();
    assert!(helps.iter().any(|help| help.contains(says)), "{text}\n{says}\n{why}");
    assert_eq!(text.matches(old).count(), 1, "{text}");
    let mended = text.replace(old, new);
    let accepted = Program::parse("f.atl", &mended).and_then(|program| program.check_with(&|_| Vec::new()));
    accepted.unwrap_or_else(|e| panic!("{mended}\n{e}"));
}

/// The same where the help replaces the text.
fn check_fix(text: &str, code: &str, old: &str, new: &str) {
    check(text, code, new, [old, new]);
}

#[test]
fn indices_compared_with_integers() {
    for ty in ["i32", "u8", "i64"] {
        let step = |p: &str| {
            format!(
                "fn f(key: {ty}[N]) -> i32[256] {{
                    iterate i < N from h = gen k < 256 {{ i32(0) }} {{
                        gen k < 256 {{ select({p}, h[k] + 1, h[k]) }} }} }}"
            )
        };
        check_fix(&step("k == key[i]"), "E0221", "k == key[i]", "k == index(key[i])");
        check_fix(&step("key[i] == k"), "E0221", "key[i] == k", "index(key[i]) == k");
        let both = "0 <= key[i] < k + 1";
        check_fix(&step(both), "E0221", both, "0 <= index(key[i]) < k + 1");
    }
    let filter = "fn f(x: f64[N]) -> (n: i32, y: f64[N]) {
        iterate t < N from n = i32(0), y = gen i < N { f64(0) } {
            n + i32(x[t] > 0.0), gen p < N { select(p == n && x[t] > 0.0, x[t], y[p]) } } }";
    check_fix(filter, "E0221", "p == n", "p == index(n)");
    // What no index can be is converted.
    let float = "fn f(x: f64[N]) -> f64[N] { gen i < N { select(i == x[i], 1.0, 0.0) } }";
    check(float, "E0221", "i32(i)", ["i == x[i]", "f64(i) == x[i]"]);
}

#[test]
fn computed_indices_with_names() {
    for clamp in ["min(row, N - 1)", "min(max(row, 0), N - 1)", "max(0, min(at[1], N - 1))"] {
        let text = format!(
            "fn f(m: f64[N], row: i32, at: i32[4]) -> f64 where 0 < N {{ let r = {clamp}; m[max(0, r)] }}"
        );
        let (old, new) = (format!("let r = {clamp};"), format!("let r = index({clamp});"));
        check(&text, "E0221", &format!("`{new}`"), [&old, &new]);
    }
    // In front of steps, too.
    let shared = "fn f(m: f64[N], row: i32) -> f64 where 0 < N {
        iterate t < 3 from a = f64(0), b = f64(0) { let r = max(0, min(row, N - 1)); a + m[r], b } in a }";
    let old = "let r = max(0, min(row, N - 1));";
    let new = "let r = index(max(0, min(row, N - 1)));";
    check(shared, "E0221", &format!("`{new}`"), [old, new]);
    // A value that is meant stays one.
    let mean = "fn f(x: f64[N]) -> f64 { let m = (sum i < N { x[i] }) / N; m }";
    check(mean, "E0221", "f64(N)", ["/ N", "/ f64(N)"]);
}

#[test]
fn computed_indices_that_may_be_out_of_bounds() {
    let clamped = "min(max(r, 0), N - 1)";
    for (value, index) in [
        ("max(0, min(row, i32(N) - 1))", "r"),
        ("max(0, min(i64(row), i64(N) - 1))", "r"),
        ("row + 1", "min(r, N - 1)"),
        ("min(row, i32(N) - 1)", "max(r, 0)"),
    ] {
        let text = format!(
            "fn f(m: f64[N], row: i32) -> f64[3] where 0 < N {{ let r = {value}; gen j < 3 {{ m[{index}] + 1.0 }} }}"
        );
        check(&text, "E0401", &format!("`{clamped}`"), [&format!("m[{index}]"), &format!("m[{clamped}]")]);
    }
    let count = "fn f(x: f64[N], q: f64) -> f64 where 0 < N {
        let r = sum i < N { i64(x[i] < q) };
        x[min(r, N - 1)] }";
    check(count, "E0401", &format!("`{clamped}`"), ["min(r, N - 1)", clamped]);
    // Where there may be no element, the help says so.
    let empty = "fn f(m: f64[N], x: f64) -> f64 { let r = i32(x); m[r] }";
    let says = "`min(max(r, 0), N - 1)` where `0 < N`; or read with `?[..]`";
    check(empty, "E0401", says, ["m[r]", "m?[r]"]);
    check(
        empty,
        "E0401",
        says,
        ["-> f64 { let r = i32(x); m[r]", "-> f64 where 0 < N { let r = i32(x); m[min(max(r, 0), N - 1)]"],
    );
    // Of a parameter it can be stated.
    // What is shifted or masked is an operand of what is around it.
    for (value, most) in [("(at[p] >> 2) + 5", "99"), ("3 * (at[p] & 255)", "99")] {
        let text = format!("fn f(m: f64[100], at: i32[K]) -> f64[K] {{ gen p < K {{ m[{value}] }} }}");
        let clamped = format!("min(max({value}, 0), {most})");
        check(&text, "E0401", &format!("`{clamped}`"), [value, &clamped]);
    }
    let read = "fn f(m: f64[N], at: i32[K]) -> f64[K] { gen p < K { m[at[p]] } }";
    check(
        read,
        "E0401",
        "`where all p < K { 0 <= at[p] < N }`",
        ["f64[K] {", "f64[K] where all p < K { 0 <= at[p] < N } {"],
    );
}

#[test]
fn literals_that_states_begin_as() {
    let results = "fn f(x: f64) -> (f64, i64) {
        iterate t < 100 from y = x, n = 0 until abs(y) < 1e-3 { y / 2.0, n + 1 } }";
    check(results, "E0224", "i64(0)", ["n = 0", "n = i64(0)"]);
    let some = "fn f(x: f64) -> (m: u8, z: f64) {
        iterate t < 100 from y = x, n = 0 { y / 2.0, n + 1 } in (n, y) }";
    check(some, "E0224", "u8(0)", ["n = 0", "n = u8(0)"]);
    let one = "fn f(x: f64) -> i64 { iterate t < 100 from y = x, n = 0 { y / 2.0, n + 1 } in n }";
    check(one, "E0224", "i64(0)", ["n = 0", "n = i64(0)"]);
    let float = "fn f(x: f64, k: i32) -> (i32, f32) { iterate t < 9 from n = k, y = 0.5 { n + 1, y } }";
    check(float, "E0224", "f32(0.5)", ["y = 0.5", "y = f32(0.5)"]);
    // What is written with a point is no integer, even where all else is.
    let sound = "fn f(x: i16[N]) -> i16[N] {
        let y = scan t < N from s = 0.0 { s + f32(x[t]) } give s;
        gen t < N { i16(y[t]) } }";
    check(sound, "E0224", "f32(0.0)", ["s = 0.0", "s = f32(0.0)"]);
}

#[test]
fn reads_of_entries_that_are_not_shown_to_be_in_bounds() {
    let program = |format: &str| {
        let text = "fn f(a: f64[N, M] as FORMAT) -> f64[N] { gen i < N { max j < M { a[i, j] } } }
            schedule s of f { sparsify; }";
        Program::parse("f.atl", &text.replace("FORMAT", format)).unwrap_or_else(|e| panic!("{e}"))
    };
    let lowered =
        |format: &str, schedule| program(format).scheduled("f", Some(schedule)).and_then(|s| s.lower());
    let why = lowered("dia", "s").map(drop).unwrap_err();
    assert_eq!(why.codes(), ["E0401"]);
    let said = why.to_string();
    assert!(
        said.contains("= help: leave this operand out") && !said.contains("keep the index in range"),
        "{said}"
    );
    for accepted in [lowered("dia", "none"), lowered("csr", "s"), lowered("csc", "s"), lowered("coo", "s")] {
        accepted.map(drop).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn literals_where_no_float_is_around() {
    let sum = "fn f(n: size) -> i64 { let k = 7; k + i64(n) }";
    check(sum, "E0224", "i64(7)", ["k = 7", "k = i64(7)"]);
    let counted = "fn f(x: bool[N]) -> i32 { let k = 3; sum i < N { select(x[i], k, 0) } }";
    check(counted, "E0224", "i32(3)", ["k = 3", "k = i32(3)"]);
    let nothing = "fn f(n: size) -> bool { let k = 7; k == i64(n) }";
    check(nothing, "E0224", "i64(7)", ["k = 7", "k = i64(7)"]);
    let generic = "fn same<E: number>(x: E) -> E { x }
        fn f(x: i16[N]) -> i16[N] { let q = same(3); gen i < N { x[i] + q } }";
    check(generic, "E0224", "i16(1)", ["same(3)", "same(i16(3))"]);
    let float = "fn same<E: float>(x: E) -> E { x }
        fn f(x: i16[N]) -> i16[N] { let q = same(3); gen i < N { x[i] + i16(q) } }";
    check(float, "E0224", "f32(1)", ["same(3)", "same(f32(3))"]);
}

#[test]
fn integers_that_functions_of_floats_take() {
    let power = "fn f(x: f64[N], p: i32) -> f64[N] { gen i < N { pow(x[i], p) } }";
    check(power, "E0214", "convert the integer, `f64(…)`", ["x[i], p", "x[i], f64(p)"]);
    let both = "fn f(n: i64, m: i64) -> f64 { pow(n, m) }";
    check(both, "E0226", "`pow(f64(…), f64(…))`", ["pow(n, m)", "pow(f64(n), f64(m))"]);
}

#[test]
fn steps_that_programs_repeat() {
    let sum = "fn f(x: f64[N]) -> f64 { for i < N { x[i] } }";
    let rounds = "iterate i < N from s = 0.0 { s + x[i] }";
    check(sum, "E0116", "`iterate i < n from x = e { s }`", ["for i < N { x[i] }", rounds]);
    let threads = "fn f(u: f64[N]) -> f64[N] { iterate t < 9 from x = u { gen i < N { x[i] + x?[i - 1] } } }
        schedule s of f { parallel t; }";
    check(threads, "E0303", "`x/i` of the state `x`", ["parallel t", "parallel x/i"]);
}

#[test]
fn bits_of_indices() {
    let flip = "fn f(x: f64[256]) -> f64[256] { gen i < 256 { x[min(i ^ 5, 255)] } }";
    check(flip, "E0220", "`u32(i) ^ 5`", ["i ^ 5", "u32(i) ^ 5"]);
    let even = "fn f(x: f64[N]) -> f64[N] { gen i < N { select((i & 1) == 0, x[i], 0.0) } }";
    check(even, "E0220", "`i % 8`", ["(i & 1) == 0", "i % 2 == 0"]);
    let converted = "fn f(m: f64[N], x: f64) -> f64 where 0 < N {
        let r = index(max(0, min(i32(x), N - 1))); m[r] }";
    let named = ["let r = index(max(0, min(i32(x),", "let k = i32(x); let r = index(max(0, min(k,"];
    check(converted, "E0220", "`let k = i32(x);`", named);
}

#[test]
fn names_that_are_left_out() {
    let unused = "fn f(x: f64) -> f64 { let (_, b) = (x, x); b }";
    check(unused, "E0103", "`let (a, unused) = ..;`", ["(_, b)", "(a, b)"]);
    let of_library = "use std.monoids.least; fn f(x: f64) -> f64 { x }";
    check_fix(of_library, "E0103", "std.monoids.least", "std.monoids.{least}");
    let alone = "fn f(x: f64) -> f64 { let _ = x; x }";
    check(alone, "E0103", "has a name", ["let _ = x; x", "x"]);
}
