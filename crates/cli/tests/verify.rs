//! `atl verify`: what was built is accepted; what was changed is not.

use crate::common::{Folder, json};

/// A folder with the proof file of a schedule.
fn proved(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    folder.done("explain p.atl --schedule sums --proof rows.atlp");
    let text = folder.read("rows.atlp");
    (folder, text)
}

#[test]
fn a_proof_is_accepted_and_its_claim_printed() {
    let (folder, text) = proved("verify_accepted");
    let report = folder.done("verify rows.atlp");
    let (checked, said) = report.split_once("\nnot checked: the file says ").expect("two parts");
    for part in ["rows.atlp proves\n", "given\n", "source\n", "equals\n", "add_assoc", "real", "checked "] {
        assert!(checked.contains(part), "{part}:\n{report}");
    }
    assert!(!checked.contains("rows`") && !checked.contains("split_sum"), "{report}");
    assert!(
        said.starts_with("that this is of the function `rows`, by the schedule\n    rw split_sum"),
        "{said}"
    );
    let report = json::parse(&folder.done("verify rows.atlp --json"));
    assert_eq!(report.field("rounding").text(), "real");
    assert_eq!(report.field("not_checked").field("function").text(), "rows");
    assert_eq!(report.field("not_checked").field("schedule").list().len(), 1);
    assert!(text.starts_with("atlp 1\nfunction \"rows\"\ngiven\n"), "{text}");
}

/// A sum in a monoid that is cut into parts, by the laws that the program claims.
const LEAST: &str = "monoid least on (v: f64, i: i32) {
    zero (inf, 2147483647);
    add select(b.v < a.v || b.v == a.v && b.i < a.i, b, a);
    laws associative, commutative;
}
fn least_of(x: f64[N]) -> (v: f64, i: i32) { sum j < N in least { (x[j], i32(j)) } }
schedule halves of least_of { split j by 4; }";

#[test]
fn a_proof_says_on_which_laws_of_a_programs_monoids_it_rests() {
    let folder = Folder::new("verify_monoid");
    folder.write("m.atl", LEAST);
    folder.done("explain m.atl --schedule halves --proof m.atlp");
    let report = folder.done("verify m.atlp");
    let (_, claims) = report.split_once("\nif the monoid \"least\" has the laws ").expect("its claims");
    assert!(
        claims.starts_with("add_0_r, add_assoc, which nothing here checks\n    f64: zero f64(inf), sum "),
        "{report}"
    );
    assert!(
        claims.contains("\n    i32: zero i32(2147483647), sum ") && claims.contains("b.0 < a.0"),
        "{report}"
    );
    let report = json::parse(&folder.done("verify m.atlp --json"));
    let [claim] = report.field("claims").list() else { panic!("one claim: {report:?}") };
    assert_eq!(claim.field("monoid").text(), "least");
    assert_eq!((claim.field("laws").list().len(), claim.field("fields").list().len()), (2, 2));
    let changed = folder.read("m.atlp").replacen("m0 \"least\"", "m0 \"most\"", 1);
    folder.write("other.atlp", changed);
    assert!(folder.done("verify other.atlp").contains("if the monoid \"most\" has"));
    folder.done("build m.atl --schedule halves -o out");
    assert!(folder.read("out/least_of.md").contains("with laws used `add_0_r, add_assoc of least`"));
}

#[test]
fn names_that_nothing_checks_are_not_in_what_was_proved() {
    let (folder, text) = proved("verify_names");
    let other = text.replacen("function \"rows\"", "function \"columns\"", 1);
    folder.write("other.atlp", other.replacen("| rw split_sum", "| parallel", 1));
    let report = folder.done("verify other.atlp");
    let (checked, said) = report.split_once("\nnot checked: ").expect("two parts");
    assert!(!checked.contains("columns") && !checked.contains("parallel"), "{report}");
    assert!(said.contains("`columns`") && said.contains("\n    parallel"), "{report}");
}

#[test]
fn what_is_built_comes_with_its_proof() {
    let folder = Folder::new("verify_built");
    folder.done("build p.atl --schedule sums -o out");
    let report = folder.done("verify out/rows.atlp");
    assert!(
        report.contains("checked") && report.contains("out/rows.c is these loops, as `rows("),
        "{report}"
    );
    let json = json::parse(&folder.done("verify out/rows.atlp --json"));
    assert_eq!(json.field("text"), &json::Value::Bool(true));
}

#[test]
fn a_c_text_that_was_changed_is_refused() {
    let folder = Folder::new("verify_text");
    let json = json::parse(&folder.done("build p.atl --schedule sums -o out --json"));
    assert_eq!(json.field("text").text(), "the loops");
    let c = folder.read("out/rows.c");
    assert!(c.contains("+="), "{c}");
    folder.write("other.c", c.replacen("+=", "=", 1));
    folder.refused("verify out/rows.atlp --text other.c", "E0808");
    folder.write("unknown.c", c.replacen("#include <stdint.h>", "#include <stdint.h>\n#define N 3", 1));
    let report = folder.done("verify out/rows.atlp --text unknown.c");
    assert!(report.contains("no evidence that unknown.c is these loops"), "{report}");
    folder.refused("verify out/rows.atlp --text nothing.c", "E0801");
    // Alone, a proof file says nothing of a text.
    folder.write("alone.atlp", folder.read("out/rows.atlp"));
    assert!(folder.done("verify alone.atlp").contains("none beside it"));
    folder.write("out/rows.c", c.replacen("+=", "=", 1));
    folder.refused("verify out/rows.atlp", "E0808");
}

#[test]
fn what_is_no_proof_file_is_refused() {
    let (folder, text) = proved("verify_malformed");
    assert!(folder.refused("verify nothing.atlp", "E0801").contains("cannot read `nothing.atlp`"));
    folder.refused("verify p.atl", "E0801");
    folder.write("cut.atlp", &text[..text.len() / 2]);
    folder.refused("verify cut.atlp", "E0801");
    let outcome = folder.atl("verify cut.atlp --json");
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stdout.contains("E0801"), "{}", outcome.stdout);
}

#[test]
fn a_proof_of_something_else_is_refused() {
    let (folder, text) = proved("verify_forged");
    folder.write("forged.atlp", text.replacen("rounding real", "rounding bitwise", 1));
    folder.refused("verify forged.atlp", "E0802");
    folder.write("forged.atlp", text.replacen("\nsource\n| ", "\nsource\n| 2 * ", 1));
    folder.refused("verify forged.atlp", "E0803");
}

#[test]
fn a_folder_is_verified_file_by_file() {
    let folder = Folder::new("verify_folder");
    folder.done("build p.atl --schedule sums -o out");
    let report = folder.done("verify out");
    for part in
        ["rows.atlp\n", "theorem   rows equals", "rows.c is these loops", "1 of 1 hold", "not checked\n"]
    {
        assert!(report.contains(part), "{part}:\n{report}");
    }
    assert!(!report.contains("without evidence"), "{report}");
    // Numbers that are added to cells which begin as 0: the sign of a zero may be another one.
    let added = "fn g(x: max_times<f32>[N], s: max_times<f32>) -> max_times<f32>[3] { (sum k < N { gen i < 3 { x[k] } }) + (gen i < 3 { s }) }";
    folder.write("g.atl", added);
    folder.done("build g.atl --schedule none -o added");
    for (report, words) in
        [("verify added", "for all sizes, up to"), ("verify added/g.atlp", "in the output, up to")]
    {
        let report = folder.done(report);
        assert!(
            report.contains(&format!("{words} the laws add_0_l add_0_r add_assoc, and never trap")),
            "{report}"
        );
    }
    // A result that grows has none so far.
    let grows = "fn twice(A: f64[N, M] as csr) -> f64[N, M] as csr { gen i < N, j < M { 2 * A[i, j] } }";
    folder.write("twice.atl", grows);
    folder.done("build twice.atl -o bare");
    let bare = folder.done("verify bare");
    assert!(bare.contains("1 of 1 hold") && bare.contains("of 1 without evidence of it"), "{bare}");
    // A helper whose text is another one is no helper that the reader knows.
    folder.write("e.atl", "fn e(x: f32[N]) -> f32[N] { gen i < N { exp(x[i]) } }");
    folder.done("build e.atl -o e");
    let c = folder.read("e/e.c");
    let (before, rest) = c.split_once("atl_exp_f32").expect("a helper");
    let (head, body) = rest.split_once("{\n").expect("its body");
    folder.write("e/e.c", format!("{before}atl_exp_f32{head}{{\n  ;\n{body}"));
    let unread = folder.done("verify e");
    assert!(unread.contains("that the C text is the loops, of 1 without evidence of it"), "{unread}");
    std::fs::remove_file(folder.path("e/e.c")).expect("the text");
    let unread = folder.done("verify e");
    assert!(unread.contains("that the C text is the loops, of 1 without evidence of it"), "{unread}");
    let text = folder.read("out/rows.atlp");
    folder.write("out/wrong.atlp", text.replacen("add_assoc", "add_comm", 1));
    let refused = folder.atl("verify out");
    let report = refused.stdout;
    assert_eq!(refused.code, Some(1), "{report}");
    assert!(report.contains("wrong.atlp\n    REFUSED") && report.contains("1 of 2 hold"), "{report}");
    let report = json::parse(&folder.atl("verify out --json").stdout);
    assert_eq!(report.field("ok"), &json::Value::Bool(false));
    assert_eq!(report.field("files").list().len(), 2);
    std::fs::create_dir_all(folder.path("empty")).expect("a folder");
    let said = folder.refused("verify empty", "E0801");
    assert!(said.contains("cannot read `empty`: no file there ends in `.atlp`"), "{said}");
}
