//! Derivations line by line, as the prompt makes them.

use super::*;
use crate::explain::DiffLine;

const PROGRAM: &str = "\
fn f(a: f32[M, K], x: f32[K]) -> f32[M] { gen i < M { sum k < K { a[i, k] * x[k] } } }
schedule tiled of f { split i by 4; parallel i.o; }
def spread(l) { split l by 2; }
";

fn begun() -> Interactive {
    Interactive::new(Program::parse("f.atl", PROGRAM).unwrap(), Some("f")).unwrap()
}

#[test]
fn a_line_is_carried_out_or_changes_nothing() {
    let mut session = begun();
    let steps = session.apply("split i by 4").unwrap();
    assert_eq!((steps.len(), steps[0].directive.as_str()), (1, "split i by 4"));
    assert!(steps[0].changes().iter().any(|marked| matches!(marked.line, DiffLine::Added(..))));
    let body = session.scheduled().body().clone();
    assert_eq!(session.apply("split nothing by 4").unwrap_err().codes(), ["E0303"]);
    assert_eq!(session.apply("unroll i.i; split nothing by 4").unwrap_err().codes(), ["E0303"]);
    assert!(session.apply("split i.o by").is_err());
    assert!(session.apply("} schedule t of f {").is_err());
    assert_eq!((session.scheduled().body(), session.lines()), (&body, &["split i by 4;".to_owned()][..]));
}

#[test]
fn lines_are_taken_back_and_done_again() {
    let mut session = begun();
    let start = session.show(Stage::Scheduled).unwrap();
    session.apply("split i by 4;").unwrap();
    let split = session.show(Stage::Scheduled).unwrap();
    session.apply("parallel i.o; unroll i.i").unwrap();
    assert_eq!(session.undo().as_deref(), Some("parallel i.o; unroll i.i;"));
    assert_eq!(session.show(Stage::Scheduled).unwrap(), split);
    assert_eq!(session.undo().as_deref(), Some("split i by 4;"));
    assert_eq!((session.show(Stage::Scheduled).unwrap(), session.undo()), (start, None));
    assert_eq!(session.redo().as_deref(), Some("split i by 4;"));
    assert_eq!(session.show(Stage::Scheduled).unwrap(), split);
    session.apply("unroll i.i").unwrap();
    assert_eq!(session.redo(), None);
}

#[test]
fn the_script_has_the_theorem_that_was_seen() {
    let mut session = begun();
    for line in ["split i by 4", "rw split_sum with k = 8 everywhere", "simplify"] {
        session.apply(line).unwrap();
    }
    let program = Program::parse("f.atl", &format!("{PROGRAM}\n{}", session.script("mine"))).unwrap();
    let scheduled = program.scheduled("f", Some("mine")).unwrap();
    assert_eq!(scheduled.body(), session.scheduled().body());
    assert_eq!(Statement::of(scheduled.theorem().unwrap()), session.theorem());
}

#[test]
fn steps_of_a_tactic_are_told_apart() {
    let mut session = begun();
    let steps = session.apply("spread i; try { split nothing by 2; }").unwrap();
    assert_eq!(steps.iter().map(|step| step.directive.as_str()).collect::<Vec<_>>(), ["split i by 2"]);
    assert_eq!(session.lines(), ["spread i; try { split nothing by 2; }"]);
    assert!(session.script("mine").contains("    spread i;\n    try {\n"), "{}", session.script("mine"));
}

#[test]
fn a_schedule_is_gone_on_with() {
    let mut session = begun();
    session.apply("unroll i").unwrap();
    assert_eq!(session.load("tiled").unwrap().len(), 2);
    assert_eq!(session.lines(), ["split i by 4;", "parallel i.o;"]);
    assert_eq!(session.load("nothing").unwrap_err().codes(), ["E0511"]);
    assert_eq!(session.undo().as_deref(), Some(":load tiled"), "all of it");
    assert_eq!(session.lines(), ["unroll i;"]);
    assert_eq!(session.redo().as_deref(), Some(":load tiled"));
    assert_eq!(session.lines(), ["split i by 4;", "parallel i.o;"]);
}

#[test]
fn what_applies_is_found_by_trying() {
    let session = begun();
    let sites: Vec<(String, String)> = session.sites().into_iter().map(|s| (s.name, s.what)).collect();
    assert_eq!(sites, [("i".into(), "gen i < M".into()), ("k".into(), "sum k < K".to_owned())]);
    let rules = session.rules();
    let split = rules.iter().find(|rule| rule.rule == "split_sum").unwrap();
    assert_eq!((split.sites.len(), split.args), (1, &["k"][..]));
    assert_eq!(split.sites[0].1, ["i"]);
    assert!(!rules.iter().any(|rule| rule.rule == "let_inline"));
    assert_eq!(split.sites[0].0, "sum k < K { a[i, k] * x[k] }");
}

/// The words that could stand at the end of a line.
fn check(line: &str, start: usize, holds: &[&str], lacks: &str) {
    let mut session = begun();
    session.apply("split i by 4").unwrap();
    let (at, words) = session.complete(line, line.len());
    assert_eq!(at, start, "{line}");
    assert!(holds.iter().all(|word| words.iter().any(|w| w == word)), "{line}: {words:?}");
    assert!(!words.iter().any(|word| word == lacks), "{line}: {words:?}");
}

#[test]
fn words_are_completed() {
    check("", 0, &["split", "rw"], "i.o");
    check("sp", 0, &["split", "spread"], "rw");
    check("rw spl", 3, &["split_sum", "split_gen"], "let_inline");
    check("split i.", 6, &["i.o", "i.i"], "k");
    check("split i.o by 2; re", 16, &["reorder", "rename"], "split");
    check("vectorize i.i b", 14, &["by"], "backwards!");
    check(":show ", 6, &["loops", "c"], "i.o");
    check(":load ", 6, &["tiled"], "i.o");
}

#[test]
fn open_brackets_ask_for_more() {
    assert!(Interactive::is_complete("split i by 4"));
    assert!(!Interactive::is_complete("rw let_inline at gen i < N {"));
    assert!(Interactive::is_complete("rw let_inline at gen i < N { _ }"));
    assert!(Interactive::is_complete("}"));
}

#[test]
fn names_that_are_taken_are_refused() {
    let mut session = begun();
    for name in ["tiled", "f", "two words", "gen", ""] {
        assert_eq!(session.save(name, None).unwrap_err().codes(), ["E0622"], "{name}");
    }
    assert_eq!(session.save("free", None).unwrap_err().codes(), ["E0610"]);
}
