//! `atl verify`: what was built is accepted; what was changed is not.

mod common;

use common::{Folder, json};

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
    for part in
        ["rows.atlp proves of `rows`", "given", "source", "by the schedule", "equals", "add_assoc", "real"]
    {
        assert!(report.contains(part), "{part}:\n{report}");
    }
    let report = json::parse(&folder.done("verify rows.atlp --json"));
    assert_eq!(report.field("rounding").text(), "real");
    assert!(text.starts_with("atlp 1\nfunction \"rows\"\ngiven\n"), "{text}");
}

#[test]
fn what_is_built_comes_with_its_proof() {
    let folder = Folder::new("verify_built");
    folder.done("build p.atl --schedule sums -o out");
    assert!(folder.done("verify out/rows.atlp").contains("checked"));
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
