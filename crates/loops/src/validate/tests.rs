//! Each rule, kept and broken.

use super::{Rule, validate};
use crate::cases::{Case, over_case};
use crate::interp::{Options, interpret};
use crate::passes::PASSES;
use crate::search::{How, Search};
use crate::text::parse_kernel;
use crate::{Int, Kernel, Stmt};

fn check(body: &str, expected: &[Rule]) {
    let text = format!("kernel t(N) in f32 x[N] out f32 y[N] out bool z {{ {body} }}");
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let violations = validate(&kernel);
    let found: Vec<Rule> = violations.iter().map(|violation| violation.rule).collect();
    assert_eq!(found, expected, "{violations:?}\n{text}");
}

#[test]
fn names() {
    check("for i in 0..N { y[i] = x[i] } for i in 0..N { }", &[]);
    check("for i in 0..N { for i in 0..N { } }", &[Rule::Name]);
    check("for x in 0..N { }", &[Rule::Name]);
    check("for s in 0..N { } alloc heap f32 s uninit { }", &[Rule::Name]);
    check("alloc heap f32 s uninit { } alloc heap f32 s uninit { }", &[Rule::Name]);
}

#[test]
fn scopes() {
    check("y[i] = w[0]", &[Rule::Scope, Rule::Scope]);
    check("alloc heap f32 s[N] uninit { } reset s uninit", &[Rule::Scope]);
}

#[test]
fn types() {
    check("y[0] = 1i32", &[Rule::Type]);
    check("y[0] = x[0] + 1f64", &[Rule::Type]);
    check("z = exp(x[0]) < exp(1i32)", &[Rule::Type]);
    check("z += x[0] < x[1]", &[Rule::Type]);
    check("y[0] = select(x[0], x[1], x[2])", &[Rule::Type]);
    check("z ||= select(true, x[0] < x[1], !(0u8 == u8(int(N))))", &[]);
}

#[test]
fn inputs_storage_bounds_and_initial_values() {
    check("x[0] = y[0] reset x uninit", &[Rule::Access, Rule::Access]);
    check("alloc stack f32 s[N] uninit { }", &[Rule::Storage]);
    check("alloc register f32 s[1000, 1000] uninit { }", &[Rule::Storage]);
    check("vector for i in 0..N { alloc heap f32 s[N] uninit { } }", &[Rule::Storage]);
    check("alloc stack f32 s[2, 3] uninit { s[5] = 0f32 s[6] = 0f32 z[1] = true }", &[Rule::Bounds; 2]);
    check("reset y = x[0]", &[Rule::Init]);
}

#[test]
fn blocks_and_threads() {
    check("block(x) for b in 0..N { thread(y) for i in 0..8 { y[b * 8 + i] = x[b] } }", &[]);
    check("block(x) for b in 0..N { y[0] = x[b] }", &[Rule::Race]);
    check("thread(x) for i in 0..8 { y[0] += x[i] }", &[Rule::Race]);
    check("thread(x) for i in 0..N { y[i] = x[i] }", &[Rule::Storage]);
    check("alloc shared f32 s[N] uninit { }", &[Rule::Storage]);
    check("alloc shared swizzle(2, 0, 2) f32 s[32] uninit { }", &[]);
    check("alloc shared swizzle(2, 0, 2) f32 s[24] uninit { }", &[Rule::Storage]);
    check("vector for i in 0..N { thread(x) for j in 0..8 { y[i * 8 + j] = x[i] } }", &[Rule::Race]);
}

#[test]
fn forgotten_cells() {
    check("alloc stack f32 s[3] uninit { forget s[0..3] forget s[N..1] forget s[9..4] }", &[]);
    check("alloc stack f32 s[3] uninit { forget s[-1..2] forget s[1..4] }", &[Rule::Bounds; 2]);
    check("forget x[0..1] forget y[0..i]", &[Rule::Forget, Rule::Scope, Rule::Forget]);
    check("alloc touched f32 s[N] = 0f32 { forget s[0..1] }", &[Rule::Forget]);
    check("alloc heap f32 s[N] = 0f32 { vector for i in 0..N { forget s[i..i + 1] } }", &[Rule::Race]);
    check("parallel for i in 0..N { alloc heap f32 s[N] = 0f32 { forget s[0..i] } }", &[]);
}

#[test]
fn loops_that_are_left() {
    let stop = |inside: &str| format!("alloc register bool s = false {{ {inside} }}");
    check(&stop("unless(s) for i in 0..N { s := true }"), &[]);
    check(&stop("parallel for b in 0..N { unless(s) for i in 0..N { y[b] := x[i] } }"), &[]);
    check("unless(s) for i in 0..N { alloc register bool s = false { s := true } }", &[Rule::Scope]);
    check("alloc register f32 s = 0f32 { unless(s) for i in 0..N { } }", &[Rule::Unless]);
    check("alloc register bool s[2] = false { unless(s) for i in 0..N { } }", &[Rule::Unless]);
    check("alloc heap bool s = false { unless(s) for i in 0..N { } }", &[Rule::Unless]);
    check(&stop("vector for i in 0..N { unless(s) for j in 0..N { } }"), &[Rule::Unless]);
}

#[test]
fn replaced_cells() {
    check("alloc stack f32 s[3] = 0f32 { s[0] := s[0] + 1f32 y[N - 1] := s[0] y[N - 1] := s[1] }", &[]);
    check("x[0] := 0f32", &[Rule::Access]);
    check("alloc touched f32 s[N] = 0f32 { s[0] := 1f32 }", &[Rule::Touched]);
    check("vector for i in 0..N { y[i] := y[i] + x[i] }", &[]);
    check("parallel for i in 0..N { y[0] := x[i] }", &[Rule::Race]);
}

#[test]
fn outputs_that_grow_and_touched_scratch() {
    let check = |body: &str, expected: &[Rule]| {
        let text =
            format!("kernel t(N) in f32 x[N] out f32 y[N] out append f32 v out append i32 c {{ {body} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(parse_kernel(&kernel.to_string()), Ok(kernel.clone()));
        let found: Vec<Rule> = validate(&kernel).iter().map(|violation| violation.rule).collect();
        assert_eq!(found, expected, "{text}");
    };
    check("for i in 0..N { push v = x[i] push c = i32(int(i)) }", &[]);
    check("push v = 1i32", &[Rule::Type]);
    check("push y = 0f32 push x = 0f32", &[Rule::Append; 2]);
    check("v[0] = 0f32", &[Rule::Append, Rule::Bounds]);
    check("reset v = 0f32", &[Rule::Append]);
    check("for i in 0..c[N] { y[i] = v[i] }", &[Rule::Append; 2]);
    check("parallel for i in 0..N { push v = x[i] }", &[Rule::Append]);
    check("vector(4) for i in 0..N { push v = x[i] }", &[Rule::Append]);
    check("parallel for i in 0..1 { push v = x[i] }", &[]);
    check("alloc touched f32 w[N] = 0f32 { w[0] += x[0] visit j of w { y[j] = w[j] } reset w = 0f32 }", &[]);
    check("alloc touched f32 w[N] uninit { }", &[Rule::Touched]);
    check("alloc touched f32 w[N] = f32.nan(0x7fc00000) { }", &[Rule::Touched]);
    check("alloc touched f32 w[N] = 0f32 + 0f32 { }", &[Rule::Touched]);
    check("alloc touched f32 w[N] = 0f32 { reset w = 1f32 reset w uninit }", &[Rule::Touched; 2]);
    check("alloc touched f32 w[N] = 0f32 { visit j of w { w[j] += 1f32 } }", &[Rule::Touched]);
    check("alloc touched f32 w[N] = 0f32 { visit j of w { visit k of w { } } }", &[Rule::Touched]);
    check("alloc touched f32 w[N] = 0f32 { visit j of w { y[j] = w[j] + w[0] } }", &[Rule::Touched]);
    check("alloc touched i32 w[N] = 0i32 { visit j of w { if w[0] < 3 { y[j] = 0f32 } } }", &[Rule::Touched]);
    check(
        "alloc touched f32 w[N] = 0f32 { parallel for i in 0..N { visit j of w { y[i] = w[j] } } }",
        &[Rule::Race],
    );
    check("alloc touched f32 w[N] = 0f32 { parallel for i in 0..N { visit j of w { } } }", &[Rule::Race]);
    check("alloc heap f32 w[N] = 0f32 { visit j of w { y[j] = w[j] } }", &[Rule::Touched]);
    check("visit j of x { y[j] = x[j] } visit j of w { }", &[Rule::Touched, Rule::Scope]);
    check("alloc touched f32 w[N] = 0f32 { visit N of w { } }", &[Rule::Name]);
    check(
        "vector(4) for i in 0..N { alloc touched f32 w[N] = 0f32 { visit j of w { } } }",
        &[Rule::Storage, Rule::Touched],
    );
    check(
        "alloc touched f32 w[N] = 0f32 { parallel for i in 0..N { w[i] = x[i] visit j of w { y[i] = w[j] } } }",
        &[Rule::Touched, Rule::Race],
    );
    check("alloc touched f32 w[N] = 0f32 { parallel for i in 0..N { w[i] = x[i] } }", &[Rule::Touched]);
    check("alloc touched f32 w[N] = 0f32 { vector(4) for i in 0..1 { w[i] = x[i] } }", &[Rule::Touched]);
    check("parallel for i in 0..N { alloc touched f32 w[N] = 0f32 { w[i] = x[i] } }", &[]);
}

#[test]
fn streamed_outputs() {
    let check = |body: &str, expected: &[Rule]| {
        let text = format!("kernel t(N) in f32 x[N] out f32 z[N] out stream f32 y[N] {{ {body} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found: Vec<Rule> = validate(&kernel).iter().map(|violation| violation.rule).collect();
        assert_eq!(found, expected, "{text}");
    };
    check("for i in 0..N { z[i] = 0f32 z[i] += x[i] y[i] = z[i] }", &[]);
    check("reset y uninit y[0] = 0f32", &[Rule::Stream]);
    check("y[0] += x[0] y[1] max= x[0]", &[Rule::Stream; 2]);
    check("y[0] = x[0] z[0] = y[0] + y[0]", &[Rule::Stream; 2]);
}

#[test]
fn cells_in_index_terms() {
    let check = |body: &str, expected: &[Rule]| {
        let text = format!(
            "kernel t(N) in i32 crd[N] in bool mask[N] in f32 x[N] out i64 c[N] out f32 y[N] \
             out stream u8 z[N] {{ {body} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found: Vec<Rule> = validate(&kernel).iter().map(|violation| violation.rule).collect();
        assert_eq!(found, expected, "{text}");
    };
    check("for i in crd[0]..crd[1] { if mask[i] == 1 { y[crd[i]] = x[c[i]] } }", &[]);
    check("y[x[0]] = x[0]", &[Rule::Type]);
    check("y[z[0]] = x[0]", &[Rule::Stream]);
    check("y[w[0]] = x[w[crd[i]]]", &[Rule::Scope; 3]);
    check("alloc stack i32 s[2] uninit { y[s[2]] = x[s[s[1]]] }", &[Rule::Bounds]);
    check("alloc stack i32 s[crd[0]] uninit { }", &[Rule::Storage]);
    check("alloc heap i64 s[crd[0]] = int(crd[0]) { }", &[Rule::Init]);
    check("alloc heap f32 s = (crd[0] < 1 ? 0f32 : 1f32) { }", &[Rule::Init]);
    check("vector for i in 0..N { y[i] = x[crd[i]] }", &[]);
    check("for i in 0..N { c[i] = int(c[i - 1]) }", &[]);
    check("parallel for i in 0..N { c[i] = 0i64 y[i] = x[c[i]] }", &[Rule::Race]);
    check("parallel for i in 0..N { c[i] = int(c[i - 1]) }", &[Rule::Race]);
    check("parallel for i in 0..N { if c[0] == 1 { for j in 0..N { c[i] = 0i64 } } }", &[Rule::Race]);
    check("parallel for i in c[0]..N { c[i] = 0i64 }", &[]);
    let mine = |stmt: &str| {
        format!("parallel for i in 0..N {{ alloc register i32 k = 0i32 {{ k += crd[i] {stmt} }} }}")
    };
    check(&mine("y[k[0]] = x[i]"), &[]);
    check(&mine("for j in k[0]..k[0] + 1 { y[j] = x[i] }"), &[]);
    check(&mine("if k[0] == 1 { y[0] = x[i] }"), &[]);
    check(&mine("y[crd[0]] = x[i]"), &[Rule::Race]);
    let head = |head: &str| {
        let kernel = parse_kernel(&format!("kernel t(N) {head} {{ }}")).expect(head);
        assert_eq!(validate(&kernel).first().map(|violation| violation.rule), Some(Rule::Scope), "{head}");
    };
    head("in i32 a[1] in i32 b[a[0]]");
    head("in i32 a[1] requires a[0] < 2");
    head("out i32 a[1] requires all { a[0] < 2 }");
    head("requires all i in 0..j, j in 0..N { i < j }");
    let found = |head: &str| {
        let kernel = parse_kernel(&format!("kernel t(N) in i32 a[N] {head} {{ }}")).expect(head);
        validate(&kernel).first().map(|violation| violation.rule)
    };
    assert_eq!(
        found("requires all i in 0..N, j in a[i]..N { i < a[j] } requires all i in 0..2 { i < N }"),
        None
    );
    assert_eq!(found("requires all i in 0..N, i in 0..2 { i < N }"), Some(Rule::Name));
    assert_eq!(found("requires all a in 0..N { a < N }"), Some(Rule::Name));
}

#[test]
fn loops_that_end_early() {
    let within = |alloc: &str, body: &str| format!("alloc {alloc} {{ {body} y[0] = s }}");
    let until =
        |body: &str| within("register f32 s = f32.inf", &format!("until(s) for i in 0..N {{ {body} }}"));
    check(&until("s min= x[i]"), &[]);
    check(&until("if i < 3 { alloc register f32 t = 0f32 { t += x[i] s min= t } }"), &[]);
    check(&until("s += x[i]"), &[Rule::EarlyExit]);
    check(&until("s min= x[i] s max= x[i]"), &[Rule::EarlyExit]);
    check(&until("s min= s[0] + x[i]"), &[Rule::EarlyExit]);
    check(&until("s = x[i]"), &[Rule::EarlyExit]);
    check(&until(""), &[Rule::EarlyExit]);
    check(&until("s min= x[i] y[i] = x[i]"), &[Rule::EarlyExit]);
    let loops = "until(s) for i in 0..N { s min= x[i] }";
    check(&within("stack f32 s[2] = f32.inf", &loops.replace("s min", "s[0] min")), &[Rule::EarlyExit]);
    check("until(s) for i in 0..N { y[i] = x[i] }", &[Rule::Scope]);
}

#[test]
fn races() {
    check("parallel for i in 0..N { reset y = 0f32 }", &[Rule::Race]);
    check("parallel for i in 0..N { y[N - 1] += x[i] }", &[Rule::Race]);
    check("parallel for i in 0..N { if i == 0 { y[0] = x[i] } }", &[]);
    check("parallel for i in 0..N { for j in i..i + 1 { y[j] = x[i] } }", &[]);
    check("parallel for i in 0..N { for j in 0..N { y[j] = x[i] } }", &[Rule::Race]);
    check("parallel for i in 0..N { alloc register f32 s = 0f32 { s += x[i] y[i] = s } }", &[]);
    check("vector for i in 0..N { parallel for j in 0..N { y[i + j] = x[i] } }", &[Rule::Race]);
}

#[test]
fn searches() {
    let check = |body: &str, expected: &[Rule]| {
        let text = format!("kernel t(N) in i32 x[N] in i32 z[N] out i32 y[N] {{ {body} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found: Vec<Rule> = validate(&kernel).iter().map(|violation| violation.rule).collect();
        assert_eq!(found, expected, "{text}");
    };
    check("search for q in 0..N { if x[q] == N && q < 2 { y[q] = 0i32 } }", &[]);
    for body in [
        "y[q] = 0i32",
        "if x[q] == N { y[q] = 0i32 } else { y[q] = 1i32 }",
        "if x[q] < N { y[q] = 0i32 }",
        "if x[q] == q { y[q] = 0i32 }",
        "if q < 2 && x[q] == N { y[q] = 0i32 }",
    ] {
        let head = "kernel t(N) in i32 x[N] out i32 y[N]";
        let error = parse_kernel(&format!("{head} {{ search for q in 0..N {{ {body} }} }}")).unwrap_err();
        assert!(error.to_string().contains("key == sought"), "{error}");
    }
    // The parts may be put together by something else than the parser.
    for (key, sought) in [("q", "q"), ("N", "N"), ("N", "q")] {
        let [key, sought] = [key, sought].map(Int::var);
        let (var, lo, hi) = ("q".into(), Int::Lit(0), Int::var("N"));
        let search = Search { var, lo, hi, key, sought, rest: None, how: How::default() };
        let kernel = parse_kernel("kernel t(N) out i32 y[N] { reset y = 0i32 }").unwrap();
        let body = Stmt::Search { search, body: Box::new(kernel.body.clone()) };
        let found = validate(&Kernel { body, ..kernel });
        assert_eq!(found.iter().map(|v| v.rule).collect::<Vec<_>>(), [Rule::Search]);
    }
    check("search for q in 0..N { if y[q] == N { y[q] = 0i32 } }", &[Rule::Search]);
    let along = |around: &str, bounds: &str, cond: &str, expected: &[Rule]| {
        check(
            &format!("{around} {{ search(p) for q in {bounds} {{ if {cond} {{ y[q] += 1i32 }} }} }}"),
            expected,
        );
    };
    along("for p in 0..N", "0..x[0]", "x[q] == z[p]", &[]);
    along("for i in 0..N", "0..N", "x[q] == i", &[Rule::Search]);
    along("parallel for p in 0..N", "0..N", "x[q] == z[p]", &[Rule::Search]);
    along("for p in 0..N", "0..p", "x[q] == z[p]", &[Rule::Search]);
    along("for p in 0..N", "x[0]..N", "x[q] == z[p]", &[Rule::Search]);
    along("for p in 0..N", "0..N", "x[q] + p == z[p]", &[Rule::Search]);
    let between = |kind: &str, cond: &str, expected: &[Rule]| {
        let search = format!("search(p) for q in 0..N {{ if {cond} {{ y[q] += 1i32 }} }}");
        check(&format!("for p in 0..N {{ {kind}for r in 0..N {{ {search} }} }}"), expected);
    };
    between("", "x[q] == p && q < r", &[]);
    between("", "x[q] == p + r", &[Rule::Search]);
    between("parallel ", "x[q] == p && q < r", &[Rule::Search]);
    // What is searched may be scratch that the loop leaves as it is.
    let scratch = |before: &str, around: &str, expected: &[Rule]| {
        let search = "search(p) for q in 0..N { if s[q] == z[p] { y[q] += 1i32 } }";
        let ends = "}".repeat([before, around].concat().matches('{').count());
        check(&format!("{before} for p in 0..N {{ {around} {search} }} {ends}"), expected);
    };
    scratch("alloc heap i32 s[N] = 0i32 { s[0] = 1i32", "", &[]);
    scratch("alloc heap i32 s[N] = 0i32 {", "s[p] = x[p]", &[Rule::Search]);
    scratch("", "alloc heap i32 s[N] = 0i32 { s[p] = x[p]", &[Rule::Search]);
    // A run is found once in each iteration.
    let run = |between: &str, expected: &[Rule]| {
        let search = "search all(p) for q in 0..N { if x[q] == p { y[q] += 1i32 } }";
        let ends = "}".repeat(between.matches('{').count());
        check(&format!("for p in 0..N {{ {between} {search} {ends} }}"), expected);
    };
    run("if 0 < p {", &[]);
    run("search for r in 0..N { if z[r] == p {", &[]);
    run("for r in 0..N {", &[Rule::Search]);
    run("unroll for r in 0..2 {", &[Rule::Search]);
    run("search all for r in 0..N { if z[r] == p {", &[Rule::Search]);
}

#[test]
fn intersections() {
    let check = |body: &str, expected: &[Rule]| {
        let text = format!("kernel t(N) in i32 x[N] in i32 z[N] out i32 y[N] {{ {body} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found: Vec<Rule> = validate(&kernel).iter().map(|violation| violation.rule).collect();
        assert_eq!(found, expected, "{text}");
    };
    let one = |first: &str, second: &str| format!("intersect p in {first}, q in {second} {{ y[p] += 1i32 }}");
    check(&one("0..N at x[p]", "0..N at z[q]"), &[]);
    check(&one("0..y[0] at p", "0..N at z[q] if x[p] < z[q]"), &[]);
    check(&format!("parallel for i in 0..N {{ {} }}", one("i..i + 1 at x[p]", "0..N at z[q]")), &[]);
    // Keys that do not depend on their own places, or depend on the other's.
    check(&one("0..N at x[0]", "0..N at z[q]"), &[Rule::Search]);
    check(&one("0..N at x[p]", "0..N at z[0]"), &[Rule::Search]);
    check(&one("0..N at x[q]", "0..N at z[q]"), &[Rule::Search, Rule::Search]);
    check(&one("0..N at x[p]", "0..N at z[q] + p"), &[Rule::Search]);
    // What the second sequence is must be known before the first, and read from inputs.
    check(&one("0..N at x[p]", "0..p at z[q]"), &[Rule::Search]);
    check(&one("0..N at x[p]", "x[0]..N at z[q]"), &[Rule::Search]);
    check(&one("0..N at y[p]", "0..N at z[q]"), &[Rule::Search]);
    check(&one("0..q at x[p]", "0..N at z[q]"), &[Rule::Scope]);
    check(
        &one("0..N at x[p]", "0..N at z[q]").replace("q in", "p in").replace("z[q]", "z[p]"),
        &[Rule::Name, Rule::Search, Rule::Search],
    );
    check(&format!("parallel for i in 0..N {{ {} }}", one("0..N at x[p]", "0..N at z[q]")), &[Rule::Race]);
    // A third sequence may depend on neither of the others.
    let three = |third: &str| one("0..N at x[p]", &format!("0..N at z[q] if q < 3, r in {third}"));
    check(&three("0..N at x[r] if r < q"), &[]);
    for third in ["0..N at x[0]", "0..p at x[r]", "0..q at x[r]", "0..N at x[r] + q", "x[0]..N at x[r]"] {
        check(&three(third), &[Rule::Search]);
    }
}

#[test]
fn whole_vectors() {
    let loops = |kind: &str, bounds: &str, body: &str| format!("{kind} for j in {bounds} {{ {body} }}");
    let one = |bounds: &str, body: &str, expected: &[Rule]| check(&loops("f32x8", bounds, body), expected);
    for whole in ["0..8", "0..N / 8 * 8", "N..N + 16", "0..N * 24"] {
        one(whole, "y[j] = x[j]", &[]);
    }
    // Not visibly a multiple of the lanes.
    for other in ["0..N", "0..12", "0..N / 8 * 4", "N..N + 12", "1..8"] {
        one(other, "y[j] = x[j]", &[Rule::Vectors]);
    }
    // Of another type, of lanes that are no vector's, or what is no operation on vectors.
    check(&loops("f64x8", "0..8", "y[j] = x[j]"), &[Rule::Vectors]);
    check(&loops("i32x8", "0..8", "y[j] = x[j]"), &[Rule::Vectors]);
    for lanes in ["f32x1", "f32x3", "f32x32"] {
        check(&loops(lanes, "0..96", "y[j] = x[j]"), &[Rule::Vectors]);
    }
    check(&loops("f32x0", "0..8", "y[j] = x[j]"), &[Rule::Vectors, Rule::Storage]);
    one("0..8", "y[2 * j] = x[j]", &[Rule::Vectors]);
    one("0..8", "y[j] = x[7 - j]", &[Rule::Vectors]);
    one("0..8", "", &[]);
    one("0..8", "f32x8 for k in 0..8 { y[j + k] = x[j] }", &[Rule::Vectors]);
    // What one iteration leaves to the next: a sum that all add to, and a loop over threads.
    one("0..8", "y[0] += x[j]", &[Rule::Vectors, Rule::Race]);
    check(
        &format!("alloc register f32 s = 0f32 {{ {} y[0] = s }}", loops("f32x8", "0..8", "s += x[j]")),
        &[Rule::Vectors, Rule::Race],
    );
    one("0..8", "parallel for i in 0..8 { y[j + i] = x[j] }", &[Rule::Vectors, Rule::Race]);
}

#[test]
fn merges() {
    let check = |body: &str, expected: &[Rule]| {
        let text = format!("kernel t(N) in i32 x[N] in i32 z[N] out i32 y[N] {{ {body} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found: Vec<Rule> = validate(&kernel).iter().map(|violation| violation.rule).collect();
        assert_eq!(found, expected, "{text}");
    };
    let two = "merge j of p in 0..N at (x[p]) as a, q in 0..N at (z[q]) as b { y[j] = 1i32 }";
    check(two, &[]);
    check(&format!("for i in 0..N {{ {} }}", two.replace("as b", "as b if x[i] < 1")), &[]);
    check(&two.replace("z[q]", "y[q]"), &[Rule::Merge]);
    check(&two.replace("0..N at (z", "0..y[0] at (z"), &[Rule::Merge]);
    check(&two.replace("z[q]", "z[q], q"), &[Rule::Merge]);
    check(&two.replace("z[q]", "z[p]"), &[Rule::Scope]);
    check(&two.replace("z[q]", "z[q] + a"), &[Rule::Scope]);
    check(&two.replace("0..N at (z", "0..j at (z"), &[Rule::Scope]);
    check(&two.replace("as b", "as b if a == 1"), &[Rule::Scope]);
    check(&two.replace("as b", "as a"), &[Rule::Name]);
    check(&two.replace("as b", "as N"), &[Rule::Name]);
    check(&format!("vector for i in 0..N {{ {} }}", two.replace("y[j]", "y[i]")), &[Rule::Merge]);
    check(&format!("parallel for i in 0..N {{ {two} }}"), &[Rule::Race]);
    check(&format!("parallel for i in 0..N {{ {} }}", two.replace("(z[q])", "(z[q] * N + i)")), &[]);
    check(&format!("parallel for i in 0..N {{ {} }}", two.replace("y[j]", "y[i]")), &[]);
    check(
        &two.replace("y[j] = 1i32", "search(j) for r in 0..N { if x[r] == j { y[r] = 1i32 } }"),
        &[Rule::Search],
    );
}

/// Outputs over inputs: what is wrong with `out over x f32 y[N]` and this body.
fn check_over(body: &str, expected: &[&str]) {
    let text = format!("kernel t(N) in f32 x[N] in f32 w[N] out over x f32 y[N] {{ {body} }}");
    let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let found: Vec<String> = validate(&kernel).iter().map(ToString::to_string).collect();
    assert_eq!(found, expected, "{text}");
}

fn too_late(cell: &str) -> String {
    format!("`x[{cell}]` is read where `y`, which is over it, may have been set")
}

#[test]
fn outputs_over_inputs_are_set_where_the_input_was_read() {
    check_over("for i in 0..N { y[i] = x[i] * w[i] }", &[]);
    check_over("parallel for i in 0..N { y[N - 1 - i] = x[N - 1 - i] }", &[]);
    check_over("vector(8) for i in 0..N { if i < 3 { y[i] = x[i] } else { y[i] = w[i] } }", &[]);
    check_over("for i in 0..N { alloc register f32 s = 0f32 { for k in 0..3 { s += x[i] } y[i] = s } }", &[]);
    // All of it is read first.
    check_over("alloc register f32 s = 0f32 { for i in 0..N { s += x[i] } for i in 0..N { y[i] = s } }", &[]);
    // In parts, one after the other.
    check_over("for i in 0..3 { y[i] = x[i] } for i in 3..N { y[i] = x[i] }", &[]);
}

#[test]
fn inputs_are_not_read_where_an_output_over_them_may_have_been_set() {
    check_over("for i in 0..N { y[i] = x[N - 1 - i] }", &[&too_late("N - 1 - i")]);
    check_over("for i in 0..N { alloc register f32 s uninit { y[i] = w[i] s = x[i] } }", &[&too_late("i")]);
    check_over("for i in 0..3 { y[i] = w[i] } for i in 3..N { y[i] = x[0] }", &[&too_late("0")]);
    // Whether the cell is set by this iteration is open: another one may have done it.
    let body = "alloc register f32 s uninit { s = x[i] if i < 3 { y[i] = s } else { y[3] = s } }";
    check_over(&format!("for i in 0..N {{ {body} }}"), &[&too_late("i")]);
    check_over("for i in 0..N { for k in 0..i { y[k] = x[k] } }", &[]);
}

#[test]
fn outputs_over_inputs_are_like_them_and_only_set() {
    let only = |done| format!("`y`, which is over `x`, is {done}, not only set");
    check_over("reset y = 0f32 for i in 0..N { y[i] += w[i] }", &[&only("reset"), &only("combined")]);
    check_over("y[0] = y[1]", &[&only("loaded")]);
    for (params, over) in [
        ("in f32 x[N] out over x f64 y[N]", "x"),
        ("in f32 x[N] out over x f32 y[N + 1]", "x"),
        ("out f32 x[N] out over x f32 y[N]", "x"),
        ("out over y f32 y[N]", "y"),
        ("out over z f32 y[N]", "z"),
    ] {
        let kernel = parse_kernel(&format!("kernel t(N) {params} {{ }}")).expect("is a kernel");
        let wanted = format!("`y` is over `{over}`, which is no input of its type and extents");
        assert_eq!(
            validate(&kernel).iter().map(ToString::to_string).collect::<Vec<_>>(),
            [wanted],
            "{params}"
        );
    }
    let twice = parse_kernel("kernel t(N) in f32 x[N] out over x f32 y[N] out over x f32 z[N] { }");
    assert_eq!(validate(&twice.expect("is a kernel")).len(), 2);
}

/// What the validator accepts never reads what was stored over; and it accepts what must be accepted.
#[test]
fn accepted_outputs_over_inputs_do_not_trap() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..2000 {
        let Case { kernel, sizes, inputs } = over_case(seed);
        if !validate(&kernel).is_empty() {
            refused += 1;
            continue;
        }
        accepted += 1;
        for pass in [None].into_iter().chain(PASSES.iter().map(Some)) {
            let kernel = pass.map_or_else(|| kernel.clone(), |pass| (pass.apply)(&kernel));
            assert_eq!(validate(&kernel), [], "{kernel}");
            let run = interpret(&kernel, &sizes, &inputs, Options::default());
            run.unwrap_or_else(|error| panic!("{error}\n{kernel}"));
        }
    }
    assert!(accepted > 400 && refused > 400, "{accepted} accepted, {refused} refused");
}
