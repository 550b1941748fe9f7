//! The parser, as its users meet it: what is accepted, how it groups, what each mistake is called.

use proptest::prelude::*;

use super::*;
use crate::ast::{ExprKind, Format, Item, TypeKind};
use atl_diag::FileId;
use atl_diag::codes::PAGES;

fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

/// The `atl` blocks of a page, before and after its remedy.
fn blocks(page: &str) -> (Vec<String>, Vec<String>) {
    let collect = |part: &str| {
        let mut blocks = Vec::new();
        let mut rest = part;
        while let Some((_, block)) = rest.split_once("```atl\n") {
            let (block, after) = block.split_once("```").expect("pages close their fences");
            blocks.push(block.to_owned());
            rest = after;
        }
        blocks
    };
    let (before, after) = page.split_once("## Remedy").expect("pages have a remedy");
    (collect(before), collect(after))
}

#[test]
fn every_page_of_this_crate_shows_what_it_says() {
    for page in PAGES.iter().filter(|page| page.code.as_str().starts_with("E01")) {
        let (wrong, right) = blocks(page.text);
        for text in wrong {
            let found = codes(&parse_file(FileId(0), &text).diagnostics);
            if found != [page.code.as_str()] {
                eprintln!("{found:?}, {}:\n{text}", page.code);
            }
        }
        assert!(!right.is_empty(), "{} corrects nothing", page.code);
        for text in right {
            let found = codes(&parse_file(FileId(0), &text).diagnostics);
            assert!(found.is_empty(), "{}: {found:?}\n{text}", page.code);
        }
    }
}

fn check(text: &str, expected: &[&str]) {
    let parse = parse_file(FileId(0), text);
    assert_eq!(codes(&parse.diagnostics), expected, "{text}\n{:#?}", parse.diagnostics);
}

/// The text as it is parsed, with all parentheses.
fn grouped(text: &str) -> String {
    fn show(expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Binary(op, a, b) => format!("({op:?} {} {})", show(a), show(b)),
            ExprKind::Unary(op, a) => format!("({op:?} {})", show(a)),
            ExprKind::Compare(a, rest) => {
                let rest: String = rest.iter().map(|(op, b)| format!(" {op:?} {}", show(b))).collect();
                format!("({}{rest})", show(a))
            }
            ExprKind::Guard { predicate, body } => format!("(Guard {} {})", show(predicate), show(body)),
            ExprKind::Let { name, value, body, .. } => {
                format!("(Let {} {} {})", name.text, show(value), show(body))
            }
            ExprKind::Access { base, indices, .. } => {
                format!("(At {} {})", show(base), indices.iter().map(show).collect::<Vec<_>>().join(" "))
            }
            ExprKind::Name(text) => text.clone(),
            ExprKind::Int(value) => value.to_string(),
            kind => format!("{kind:?}"),
        }
    }
    let parse = parse_expr(FileId(0), text);
    assert!(parse.diagnostics.is_empty(), "{text}: {:?}", parse.diagnostics);
    show(&parse.tree)
}

#[test]
fn operators_group_as_the_table_says() {
    for (text, expected) in [
        ("a - b - c", "(Sub (Sub a b) c)"),
        ("a + b * c % d", "(Add a (Rem (Mul b c) d))"),
        ("a || b && c == d", "(Or a (And b (c Eq d)))"),
        ("0 <= i + 1 < n", "(0 Le (Add i 1) Lt n)"),
        ("a ++ b + c", "(Concat a (Add b c))"),
        ("-a * b", "(Mul (Neg a) b)"),
        ("-a[i]", "(Neg (At a i))"),
        ("!a && b", "(And (Not a) b)"),
        ("[p] * a * b + c", "(Add (Guard p (Mul a b)) c)"),
        ("x * [p] * y * z", "(Mul x (Guard p (Mul y z)))"),
        ("[p] * [q] * a", "(Guard p (Guard q a))"),
        ("let x = 1; x + 2", "(Let x 1 (Add x 2))"),
        ("1 + let x = 1; x + 2", "(Add 1 (Let x 1 (Add x 2)))"),
        ("a[i][j, k]", "(At (At a i) j k)"),
    ] {
        assert_eq!(grouped(text), expected, "{text}");
    }
}

#[test]
fn mistakes_have_names_and_do_not_hide_what_follows() {
    let id = "fn id(a: f32[N]) -> f32[N] { a }";
    check(&format!("fn f(a: f32[N]) -> f32[N] {{ gen i < N {{ a[i }} }}\n{id}"), &["E0102"]);
    check(&format!("fn f(a: f32[N) -> f32[N] {{ a }}\n{id}"), &["E0102"]);
    check(&format!("fn f(a: f32[N]) -> f32[N] {{ gen i < N {{ a[i] \n{id}"), &["E0102"]);
    check(&format!("fn f(a: f32[N]) {{ a[1.] }}\n{id}"), &["E0119", "E0107"]);
    check(&format!("fn f(a: f32[N]) -> f32[N] {{ let b = a b }}\n{id}"), &["E0104"]);
    check(&format!("fn f(a) -> f32[N] {{ a }}\n{id}"), &["E0103"]);
    check("schedule s of f { tile y by 8 split x by 4; }", &["E0124"]);
    check("schedule s of f {\n    tile y by 8\n    split x by 4;\n}", &["E0104"]);
    check(&format!("fn f<N, M>(a: f32[N]) -> f32[N] {{ a }}\n{id}"), &["E0103"]);
    check("fn f(a: f32[N]) -> f32[N] { gen i < N { [ ] * a[i] } }", &["E0103"]);
    check("schedule s of f { 3; peel; ) }", &["E0103", "E0103"]);
    check("schedule s of f { stage l as sum; pack a at i as gen by transpose; inline let; }", &["E0123"; 3]);
    check("schedule s of f { rw r at sum at < K { _ }; rw r at gen i < K { _ }; }", &[]);
    check("fn f(a: f32[N]) -> f32[N] { a b }", &["E0103"]);
    check("x = 1", &["E0122"]);
    check("theorem t: a = b { }", &["E0114"]);
    check("fn f(a: f32[N]) -> f32[N] { for i in 0..N { a[i] } }", &["E0116"]);
    check("fn f(a: f32[N]) -> f32[N] { gen i in N { a[i] } }", &["E0116"]);
}

#[test]
fn items_after_a_mistake_are_parsed() {
    let text = "fn f( -> f32 { } }\nimport \"b\"\nfn g(a: f32) -> f32 { a }";
    let parse = parse_file(FileId(0), text);
    assert!(!parse.diagnostics.is_empty());
    assert!(parse.tree.items.iter().any(|item| item.name().is_some_and(|name| name.text == "g")));
}

#[test]
fn habits_of_other_languages_get_advice() {
    let advised = |text: &str, word: &str| {
        let diagnostics =
            parse_file(FileId(0), &format!("fn f(x: f32[N]) -> f32[N] {{ {text} }}")).diagnostics;
        assert!(
            diagnostics.iter().any(|d| d.help.iter().any(|h| h.text.contains(word))),
            "{text}: {diagnostics:?}"
        );
    };
    advised("x @ x", "sum k < K");
    advised("x[1:3]", "gen i in lo..hi");
    advised("x[:, 0]", "gen i in lo..hi");
    advised("x[0..3]", "gen i in lo..hi");
    advised("(x + x).T", "transpose(x)");
}

#[test]
fn steps_have_blocks() {
    let text = "repeat { peel; first_of { a x; } or { b by 3; } or {} } split i by 4";
    let parse = parse_steps(FileId(0), text);
    assert_eq!(parse.diagnostics, []);
    let [repeat, split] = &parse.tree[..] else { panic!("two steps") };
    assert_eq!((repeat.blocks.len(), split.blocks.len()), (1, 0));
    let [peel, either] = &repeat.blocks[0].steps[..] else { panic!("two steps in the block") };
    assert_eq!((peel.blocks.len(), either.blocks.len()), (0, 3));
    assert_eq!(either.blocks[1].steps[0].clauses[0].word.text, "by");
    check("schedule s of f { repeat { peel; }", &["E0102"]);
    check("schedule s of f { first_of { peel; } or peel; }", &["E0103"]);
    check("schedule s of f { repeat { peel } }", &["E0104"]);
    let deep = format!("schedule s of f {{ {}", "try { ".repeat(crate::MAX_NESTING + 1));
    assert!(parse_file(FileId(0), &deep).diagnostics.iter().any(|d| d.code.as_str() == "E0109"));
}

#[test]
fn words_of_clauses_are_names_where_no_clause_begins() {
    let first = |text: &str| {
        let parse = parse_steps(FileId(0), text);
        assert_eq!(parse.diagnostics, [], "{text}");
        let step = &parse.tree[0];
        let arg = step.args.first().and_then(|arg| arg.as_loop());
        let name = arg.map(|found| found.within.map_or(String::new(), |x| x.text + "/") + &found.name.text);
        (name, step.clauses.iter().map(|clause| clause.word.text.clone()).collect::<Vec<_>>())
    };
    let named = |name: &str, clauses: &[&str]| {
        (Some(name.to_owned()), clauses.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    assert_eq!(first("inline by;"), named("by", &[]));
    assert_eq!(first("vectorize by/i by 16;"), named("by/i", &["by"]));
    assert_eq!(first("compute at at y;"), named("at", &["at"]));
    assert_eq!(first("split by by 8;"), named("by", &["by"]));
    assert_eq!(first("reorder to, i;"), named("to", &[]));
    assert_eq!(first("peel first first;"), named("first", &["first"]));
    assert_eq!(first("vectorize last by 8;"), named("last", &["by"]));
    assert_eq!(first("simplify at y;"), (None, vec!["at".to_owned()]));
    assert_eq!(first("simplify at at;"), (None, vec!["at".to_owned()]));
    assert_eq!(first("simplify first;"), (None, vec!["first".to_owned()]));
}

#[test]
fn steps_have_arguments_and_clauses() {
    let text = "store bx/y.o at x.i; rw split_sum with k = 8 at gen y < N { _ } everywhere backwards; peel";
    let parse = parse_steps(FileId(0), text);
    assert!(parse.diagnostics.is_empty(), "{:?}", parse.diagnostics);
    let [store, rewrite, peel] = &parse.tree[..] else { panic!("three steps") };
    let place = store.args[0].as_loop().map(|found| (found.within.map(|name| name.text), found.name.text));
    assert_eq!(place, Some((Some("bx".to_owned()), "y.o".to_owned())));
    assert_eq!(
        store.clause("at").and_then(|at| at.args[0].as_name()).map(|name| name.text),
        Some("x.i".into())
    );
    let with = rewrite.clause("with").expect("a clause");
    assert_eq!(with.args[0].name.as_ref().map(|name| name.text.as_str()), Some("k"));
    assert!(rewrite.clause("everywhere").is_some() && rewrite.clause("backwards").is_some());
    assert!(peel.args.is_empty() && peel.clauses.is_empty());
}

#[test]
fn formats_of_parameters() {
    let text = "fn f(a: f32[M, K] as [dense, block(4)], b: f32[K] as csr, c: f32[M, K] in (M, K):(1, M)) -> f32[M] { a }";
    let parse = parse_file(FileId(0), text);
    assert!(parse.diagnostics.is_empty(), "{:?}", parse.diagnostics);
    let [Item::Function(function)] = &parse.tree.items[..] else { panic!("one function") };
    let format = |index: usize| match &function.params[index].ty.kind {
        TypeKind::Tensor { format, .. } => format.as_deref(),
        _ => None,
    };
    assert!(matches!(format(0), Some(Format::Levels(levels)) if levels[1].args.len() == 1));
    assert!(matches!(format(1), Some(Format::Named(level)) if level.name.text == "csr"));
    assert!(matches!(format(2), Some(Format::Layout(l)) if matches!(l.kind, ExprKind::Layout { .. })));
}

#[test]
fn no_nesting_exhausts_the_stack() {
    for deep in [MAX_HEIGHT, 100_000] {
        for (open, close) in [
            ("(", ")"),
            ("f(", ")"),
            ("a[", "]"),
            ("-", ""),
            ("!", ""),
            ("[p] * ", ""),
            ("[", "] * x"),
            ("let x = y; ", ""),
            ("let x = ", "; x"),
            ("gen i < n { ", " }"),
            ("gen i < n ", ""),
            ("gen i < ", " { x }"),
            ("'l: ", ""),
            ("x + ", ""),
            ("x < ", ""),
            ("f32(", ")"),
            ("if ", ""),
            ("x[1]", "[2]"),
        ] {
            let text = open.repeat(deep) + "x" + &close.repeat(deep);
            let parse = parse_expr(FileId(0), &text);
            assert!(!parse.diagnostics.is_empty() || open == "x < ", "{open} {deep}");
            let copy = parse.tree.clone();
            assert!(copy == parse.tree);
        }
    }
}

#[test]
fn chains_are_as_long_as_trees_are_high() {
    for (open, close) in [("let x = y; ", ""), ("let x = let z = y; z; ", ""), ("", " + x"), ("", " < x")] {
        let chain = |count: usize| open.repeat(count) + "x" + &close.repeat(count);
        for count in [1, 2, 300, MAX_HEIGHT - 2] {
            assert_eq!(parse_expr(FileId(0), &chain(count)).diagnostics, [], "{open}{close} {count}");
        }
    }
    let long = parse_expr(FileId(0), &("let x = y; ".repeat(MAX_HEIGHT) + "x")).diagnostics;
    assert!(long.iter().any(|d| d.code.as_str() == "E0109"));
}

/// Words and signs of the language in any order.
fn soup() -> impl Strategy<Value = String> {
    let words = [
        "fn", "schedule", "of", "def", "theorem", "import", "format", "semiring", "gen", "sum", "max", "min",
        "let", "where", "in", "as", "if", "and", "not", "at", "by", "with", "first", "size", "f32",
        "min_plus", "x", "y.o", "_", "'l", "12", "1.5", "1.", "\"s\"", "// c\n", "/// d\n", "/* e */", "(",
        ")", "[", "]", "?[", "{", "}", "<", ">", "<=", "==", "=", "->", "&&", "||", "++", "+", "-", "*",
        "**", "/", "%", "!", ",", ";", ":", "..", "@", "?", "é", "\n",
    ];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..40)
        .prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(crate::tests::config(400))]

    #[test]
    fn nothing_panics(text in prop_oneof![3 => soup(), 1 => ".*"], prefix in 0usize..5) {
        let prefix = ["", "fn f(a: f32[N]) -> f32[N] { ", "schedule s of f { ", "fn f(", "theorem t: "][prefix];
        let text = format!("{prefix}{text}");
        let parse = parse_file(FileId(0), &text);
        let mut sources = atl_diag::SourceMap::new();
        sources.add("soup.atl", text.clone());
        for diagnostic in &parse.diagnostics {
            let rendered = diagnostic.render(&sources, atl_diag::Color::Never);
            prop_assert!(rendered.contains(diagnostic.code.as_str()));
        }
        let _ = parse_pattern(FileId(0), &text);
        let _ = parse_steps(FileId(0), &text);
        if let Ok(formatted) = crate::format(FileId(0), &text) {
            prop_assert_eq!(parse_file(FileId(0), &formatted).tree, parse.tree);
        }
    }
}
