//! What programs elaborate to, where their parts are found again, and what nesting they stand.

use atl_arith::Arith;
use atl_diag::{Diagnostic, FileId, SourceMap};
use atl_kernel::{Child, Node};
use atl_lang::print::{self, Options};
use atl_lang::{Argument, Loader, Module, NoImports, SizeSource, elaborate, statement};
use atl_syntax::Style;

fn elaborated(text: &str) -> (Module, Vec<Diagnostic>) {
    let parse = atl_syntax::parse_file(FileId(0), text);
    assert!(parse.diagnostics.is_empty(), "{text}\n{:?}", parse.diagnostics);
    elaborate(&parse.tree, &mut NoImports, &mut Arith::new())
}

/// The last function's body, every node in full.
fn check(text: &str, expected: &str) {
    let (module, diagnostics) = elaborated(text);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    let f = module.functions.last().expect("a function");
    let options = Options { style: Style::LINE, explicit: true, annotations: true };
    assert_eq!(print::print(&f.ctx, &f.body, Some(f.result.elem), options), expected);
}

#[test]
fn binders() {
    check("fn f(x: f32[N]) -> f32[N] { gen i < N @parallel { x[i] } }", "gen i < N @parallel { x[i] }");
    check(
        "fn f(x: f32[N]) -> f32[2] { gen i in 3..5 { x?[i] } }",
        "gen i < 2 { [0 <= i + 3 < N] * x[i + 3] }",
    );
    check(
        "fn f(x: f32[N, M]) -> f32 { max i < N, j < M { x[i, j] } }",
        "f32(sum i < N { sum j < M { max_min<f32>(x[i, j]) } })",
    );
    check(
        "fn f(d: min_plus<f32>[N]) -> min_plus<f32> { prod i < N { d[i] } }",
        "min_plus<f32>(sum i < N { f32(d[i]) })",
    );
    check("fn f(t: or_and<bool>[N]) -> or_and<bool> { any i < N { t[i] } }", "sum i < N { t[i] }");
    check(
        "fn f(x: f32[N]) -> f32[N] { let h = N / 2; let s @stack = x; gen i < N { s?[i + h] } }",
        "let s @stack = x; gen i < N { [0 <= i + N / 2 < N] * s[i + N / 2] }",
    );
}

/// Each remark on a sum that begins again has a scan that is accepted in its place.
#[test]
fn the_scan_that_a_remark_has_works() {
    for (head, repeated) in [
        ("fn f(x: f64[N]) -> f64[N]", "gen i < N { sum k < i + 1 { x[k] } }"),
        ("fn f(x: f64[N]) -> f64[N]", "gen i < N { sum k < i { x[k] } }"),
        ("fn f(x: f64[N]) -> f64[N + 1]", "gen i < N + 1 { sum k < i { x[k] } }"),
        ("fn f(x: f64[N]) -> f64[1 + N / 2]", "gen i < 1 + N / 2 { sum k < i { x[k] } }"),
    ] {
        let (_, remarks) = elaborated(&format!("{head} {{ {repeated} }}"));
        let [remark] = &remarks[..] else { panic!("{repeated}: {remarks:?}") };
        let scan = remark.help[0]
            .text
            .strip_prefix("in place of the `gen`: `")
            .and_then(|rest| rest.strip_suffix('`'));
        let scan = scan.unwrap_or_else(|| panic!("{remark:?}"));
        let (_, found) = elaborated(&format!("{head} {{ {scan} }}"));
        assert!(found.is_empty(), "{scan}: {found:?}");
    }
}

#[test]
fn literals_take_the_type_of_their_place() {
    check("fn f(x: f64[N]) -> f64[N] { gen i < N { 1.50 * x[i] } }", "gen i < N { f64(1.5) * x[i] }");
    check("fn f(x: i32) -> bool { 2 < x && x < -3 }", "i32(2) < x && x < i32(-3)");
    check(
        "fn f(d: min_plus<f32>) -> min_plus<f32> { d + 0 + inf }",
        "d + min_plus<f32>(0) + min_plus<f32>(inf)",
    );
    check("fn f(x: f32, k: size) -> f32 { select(k < 3, 0, x) }", "select(k < 3, f32(0), x)");
    check("fn f(x: f32) -> f32 { select(x < 0, 0, x) }", "select(x < f32(0), f32(0), x)");
}

#[test]
fn tensors() {
    check("fn f(s: f32, x: f32[N]) -> f32[N] { s * x }", "gen i < N { s * x[i] }");
    check("fn f(x: f32[N]) -> f32[N] { (gen k < N { x[k] }) * 2 }", "gen k < N { x[k] * f32(2) }");
    check(
        "fn f(x: f32[N]) -> f32[N] { (x[0] + 1) * (let y = x; gen k < N { y[k] }) }",
        "let factor = x[0] + f32(1); let y = x; gen k < N { factor * y[k] }",
    );
    check("fn f(x: f32[N, M]) -> f32[M] { x[0] * 2 }", "let scaled = x[0]; gen i < M { scaled[i] * f32(2) }");
    check("fn f(x: f32[N], y: f32[M]) -> f32[N + M] { x ++ y }", "x ++ y");
    check("fn f(x: f32[N]) -> f32[ceil_div(N, 4), 4] { split(4, x) }", "split(4, x)");
    check("fn f(x: f32[N]) -> f32[N + 3] { pad_l(1, pad_r(2, x)) }", "pad_l(1, pad_r(2, x))");
    check(
        "fn f(x: f32[N], y: f32[N]) -> f32[N] where N == 4 { gen i < 4 { x[i] - y[i] } }",
        "gen i < 4 { x[i] - y[i] }",
    );
}

#[test]
fn conversions() {
    check("fn f(x: i32) -> f32 { f32(x) }", "f32(x)");
    check("fn f(x: f32) -> f32 { f32(x) }", "x");
    check("fn f(x: u8[N]) -> f32[N] { f32(x) }", "f32(x)");
    check("fn f(d: min_plus<f32>) -> max_plus<f64> { max_plus<f64>(d) }", "max_plus<f64>(f64(f32(d)))");
    check("fn f(k: size) -> min_plus<f32> { min_plus<f32>(k + 1) }", "min_plus<f32>(f32(k + 1))");
    check(
        "fn f(x: f32[N]) -> bool { all i < N { i < 3 || x[i] == 0 } }",
        "bool(sum i < N { and_or<bool>(select(i < 3, bool(true), bool(false)) || x[i] == f32(0)) })",
    );
}

#[test]
fn calls_are_lets_of_the_body() {
    let dot = "fn dot(x: f32[N], y: f32[N]) -> f32 { sum i < N { x[i] * y[i] } }\n";
    check(&format!("{dot}fn f(a: f32[M]) -> f32 {{ dot(a, a) }}"), "sum i < M { a[i] * a[i] }");
    check(
        &format!("{dot}fn f(a: f32[M, K]) -> f32[M] {{ gen i < M {{ dot(a[i], gen k < K {{ 1 }}) }} }}"),
        "gen i < M { let x = a[i]; let y = gen k < K { f32(1) }; sum i1 < K { x[i1] * y[i1] } }",
    );
    check(
        "fn f(a: f32[M]) -> f32[2] { first(2, a) }\nfn first(k: size, x: f32[N]) -> f32[k] { gen i < k { x?[i] } }\n\
         fn g(a: f32[7]) -> f32[2] { f(a) }",
        "gen i < 2 { [0 <= i < 7] * a[i] }",
    );
}

#[test]
fn signatures() {
    let (module, _) =
        elaborated("fn f(a: f32[N + M, 3], k: size, b: i32[M, N], s: f64) -> f64 where M < N { s }");
    let f = &module.functions[0];
    let sizes: Vec<(&str, SizeSource)> =
        f.sizes.iter().map(|s| (s.name.as_str(), s.source.clone())).collect();
    let extent = |param, axis| SizeSource::Extent { param, axis };
    assert_eq!(sizes, [("N", extent(1, 1)), ("M", extent(1, 0)), ("k", SizeSource::Argument)]);
    let order = [Argument::Tensor(0), Argument::Size(2), Argument::Tensor(1), Argument::Tensor(2)];
    assert_eq!(f.call_order, order);
    assert_eq!(f.requires.len(), 1);
    // Each size with its hypothesis, the precondition, the tensors.
    assert_eq!(f.params.iter().map(|p| p.level).collect::<Vec<_>>(), [7, 8, 9]);
}

#[test]
fn parts_of_the_body_are_found_in_the_source() {
    use Child::{Arg, Body, Bound};
    let text = "fn f(img: f32[N]) -> f32[N] {\n    let b = gen y < N { img?[y - 1] + 1 };\n    'rest: gen y < N { b[y] }\n}";
    let (module, _) = elaborated(text);
    let mut sources = SourceMap::new();
    sources.add("f.atl", text);
    let f = &module.functions[0];
    let at = |path: &[Child]| sources.slice(f.spans.at(path).expect("a span"));
    assert_eq!(at(&[Bound]), "gen y < N { img?[y - 1] + 1 }");
    assert_eq!(at(&[Bound, Body, Arg(0)]), "img?[y - 1]");
    assert_eq!(at(&[Bound, Body, Arg(0), Body]), "img?[y - 1]");
    assert_eq!(at(&[Bound, Body, Arg(0), Body, Body]), "img");
    assert_eq!(at(&[Bound, Body, Arg(1)]), "1");
    assert_eq!(at(&[Body, Body]), "b[y]");
    assert_eq!(f.spans.find("rest"), Some(vec![Body]));
    assert!(matches!(&*f.body, Node::Let(..)));
}

/// Two files that a third imports, one of them twice.
struct Diamond;

impl Loader for Diamond {
    fn load(&mut self, _: FileId, path: &str) -> Result<(FileId, String), String> {
        match path {
            "base.atl" => Ok((FileId(1), "fn twice(x: f32) -> f32 { x + x }".to_owned())),
            "left.atl" => {
                Ok((FileId(2), "import \"base.atl\"\nfn four(x: f32) -> f32 { twice(twice(x)) }".to_owned()))
            }
            _ => Err("there is no such file".to_owned()),
        }
    }
}

#[test]
fn a_file_imported_twice_is_taken_once() {
    let text = "import \"left.atl\"\nimport \"base.atl\"\nfn six(x: f32) -> f32 { four(x) + twice(x) }";
    let parse = atl_syntax::parse_file(FileId(0), text);
    let (module, diagnostics) = elaborate(&parse.tree, &mut Diamond, &mut Arith::new());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let names: Vec<&str> = module.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["twice", "four", "six"]);
}

/// One file with a constant and a function whose size is called as another file's constant.
struct Table;

impl Loader for Table {
    fn load(&mut self, _: FileId, _: &str) -> Result<(FileId, String), String> {
        let text = "const W: f32[2] = [1, 2];\nconst TWO: size = 2;\n\
            fn weigh(x: f32[N]) -> f32 where TWO <= N { x[N - 1] * W[N / N] }";
        Ok((FileId(1), text.to_owned()))
    }
}

#[test]
fn constants_are_those_of_a_file_and_of_its_imports() {
    let text = "import \"table.atl\"\nconst N: size = 7;\nconst x: f32[TWO] = 3 * W;\n\
        fn f(y: f32[M]) -> f32 where N <= M { weigh(y) + x[0] + y[N - 1] }";
    let parse = atl_syntax::parse_file(FileId(0), text);
    let (module, diagnostics) = elaborate(&parse.tree, &mut Table, &mut Arith::new());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let shown = |f: &str| {
        let f = module.function(f).expect("a function");
        print::print_function(f, &f.body, Options::default())
    };
    assert!(shown("weigh").contains("x[N - 1] * W[N / N]"), "{}", shown("weigh"));
    assert!(shown("f").contains("y[M - 1] * W[M / M] + x[0] + y[6]"), "{}", shown("f"));
}

/// A program with something nested this deep is elaborated, or refused for its depth, and printed.
fn check_deep(before: &str, after: &str, count: usize, accepted: bool) {
    let many = |text: &str| (0..count).map(|k| text.replace('$', &k.to_string())).collect::<String>();
    let text = format!("fn f(x: f32[N]) -> f32 {{ {}x[0]{} }}", many(before), many(after));
    let (module, diagnostics) = elaborated(&text);
    let codes: Vec<&str> = diagnostics.iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, if accepted { vec![] } else { vec!["E0247"] }, "{before}");
    for f in &module.functions {
        let printed = print::print_function(f, &f.body, Options::default());
        assert_eq!(elaborated(&printed).0.functions[0].body, f.body);
    }
}

#[test]
fn deep_nesting() {
    check_deep("(-", ")", 120, true);
    check_deep("sum i$ < N { ", " }", 120, true);
    check_deep("[0 < N] * ", "", 120, true);
    check_deep("let y$ = x; ", "", 240, true);
    check_deep("", " + x[0]", 250, true);
    check_deep("max(x[0], ", ")", 120, true);
    let binders: Vec<String> = (0..1100).map(|k| format!("i{k} < N")).collect();
    check_deep(&format!("sum {} {{ ", binders.join(", ")), " }", 1, false);
    // Printing goes as deep as a term does, on the caller's stack.
    let chain = std::thread::Builder::new().stack_size(128 << 20);
    let chain = chain.spawn(|| check_deep("let y$ = x[0]; ", "", 790, true)).expect("a thread");
    chain.join().expect("no panic");
}

/// Names of index terms that are each made of two of the one before, and a read there.
fn names_of_names(count: usize) -> String {
    let lets = (0..count).map(|k| format!("let i{} = i{k} / 2 * 3 + i{k} % 5; ", k + 1)).collect::<String>();
    format!("fn f(x: f32[N]) -> f32[N] {{ gen i0 < N {{ {lets}x?[i{count}] }} }}")
}

/// An operator in itself, so many times, of a matrix.
fn sheared(count: usize) -> String {
    let (open, close) = ("shear(".repeat(count), ")".repeat(count));
    format!("fn f(a: f32[N, M]) -> f32 where 0 < N, 0 < M {{ {open}a{close}?[3, 1] }}")
}

#[test]
fn what_doubles_with_each_level_is_refused_before_it_is_built() {
    for program in [names_of_names, sheared] {
        let mut refused = 0;
        for count in (1..=12).chain([60, 150]) {
            let codes: Vec<String> =
                elaborated(&program(count)).1.iter().map(|d| d.code.to_string()).collect();
            match &codes[..] {
                [] => assert_eq!(refused, 0, "{count} after fewer were refused"),
                [code] => {
                    assert_eq!(code, "E0247", "{count}");
                    refused += 1;
                }
                _ => panic!("{codes:?}"),
            }
        }
        assert!((5..=10).contains(&refused), "{refused}");
    }
}

/// Rounds of two values in one another, this deep.
fn rounds_of_two(count: usize) -> String {
    let rounds = (0..count).rev().fold(String::new(), |inside, k| {
        let next = format!("let (c, d) = {inside}; c + b{k}, d * a{k}");
        let inside = if k + 1 == count { format!("a{k} + b{k}, b{k} - a{k}") } else { next };
        let (a, b) = if k == 0 {
            ("x".to_owned(), "y".to_owned())
        } else {
            (format!("a{}", k - 1), format!("b{}", k - 1))
        };
        format!("iterate t{k} < n from a{k} = {a}, b{k} = {b} {{ {inside} }}")
    });
    format!("fn f(x: f64, y: f64, n: size) -> (f64, f64) {{ {rounds} }}")
}

#[test]
fn what_grows_since_values_are_apart_is_refused_for_that() {
    for (count, accepted) in [(2, true), (6, true), (10, true), (14, false), (30, false)] {
        let (module, diagnostics) = elaborated(&rounds_of_two(count));
        assert_eq!(module.functions.len(), usize::from(accepted), "{count}: {diagnostics:?}");
        let copies = |d: &atl_diag::Diagnostic| d.message.contains("with a term for each of its values");
        assert_eq!(diagnostics.iter().filter(|d| copies(d)).count(), usize::from(!accepted), "{count}");
    }
    // What the message says to type: one value, of both.
    let one = "iterate t < n from a = c, b = d { a + b, b - a } in gen k < 2 { select(k == 0, a, b) }";
    let text = format!("fn f(c: f64, d: f64, n: size) -> f64 {{ let v = {one}; v[0] + v[1] }}");
    assert_eq!(elaborated(&text).1, vec![]);
}

#[test]
fn theorems_have_sides_of_one_type() {
    let text = "fn twice(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }\n\
                theorem t(x: f32[N]): twice(x) == gen i < N { 2 * x[i] } if 0 < N { simplify; }";
    let (module, _) = elaborated(text);
    let found = statement(&module.theorems[0], &module, &mut Arith::new()).expect("a statement");
    let show = |e| print::print(&found.ctx, e, Some(found.ty.elem), Options::default());
    assert_eq!(
        (show(&found.lhs), show(&found.rhs)),
        ("gen i < N { x[i] + x[i] }".into(), "gen i < N { 2 * x[i] }".into())
    );
    assert_eq!((found.sizes.len(), found.params.len(), found.conditions.len()), (1, 1, 1));
}
