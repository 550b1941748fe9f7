//! The laws of levels, and those that Rocq has proved of them: the same names.

use atl_formats::laws::LAWS;
use atl_formats::levels::TABLE;

const LEVEL: &str = include_str!("../../../../proofs/formats/Level.v");
const SHIPPED: &str = include_str!("../../../../proofs/formats/Shipped.v");

/// The levels that have no proof yet.
const UNPROVED: &[&str] = &["band", "blocklist", "rankmask", "sparse_runs"];

/// What stands before the first character that is not part of a name.
fn name(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// `CrdPosGet` is `crd_pos_get`.
fn in_lower_case(law: &str) -> String {
    let mut text = String::new();
    for letter in law.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[test]
fn the_laws_in_rocq_are_those_of_the_table() {
    let section = LEVEL.split("Section Laws.").nth(1).expect("its section");
    let defined: Vec<&str> = section
        .split("\nDefinition ")
        .skip(1)
        .map(name)
        .filter(|n| n.starts_with(char::is_uppercase))
        .collect();
    // What a level says of itself is no law of its metadata.
    let known: Vec<&str> = LAWS.iter().map(|law| law.name).filter(|name| *name != "Capabilities").collect();
    assert_eq!(defined, known);
    let lawful =
        section.split("Record lawful").nth(1).and_then(|s| s.split("\n}").next()).expect("its record");
    for law in known {
        let field = format!("{} : {law}", in_lower_case(law));
        let follows = format!("Lemma {} : lawful -> {law}.", in_lower_case(law));
        assert!(lawful.contains(&field) || section.contains(&follows), "{law}");
    }
}

#[test]
fn every_level_has_a_proof_but_those_that_are_listed() {
    let proved =
        SHIPPED.split("Inductive shipped").nth(1).and_then(|s| s.split("\n\n").next()).expect("its cases");
    let mut proved: Vec<&str> =
        proved.split("\n| ").skip(1).map(name).map(|n| n.trim_end_matches("_shipped")).collect();
    // Lists of coordinates, and of pairs of them, are one level here.
    proved.retain(|level| *level != "sorted_pairs");
    proved.iter_mut().filter(|level| **level == "sorted_list").for_each(|level| *level = "compressed");
    proved.sort_unstable();
    let known: Vec<&str> =
        TABLE.iter().map(|kind| kind.name).filter(|level| !UNPROVED.contains(level)).collect();
    assert_eq!(proved, known);
}
