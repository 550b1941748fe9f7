//! The laws of streams, and those that Rocq speaks of: the same names; and combinators, of which each has its
//! theorems there.

use atl_streams::laws::{LAWFUL, Law, STRICTLY_LAWFUL};

const STREAM: &str = include_str!("../../../../proofs/streams/Stream.v");
const COMBINATORS: &str = include_str!("../../src/combinators/mod.rs");
const PROOFS: &[&str] = &[
    include_str!("../../../../proofs/streams/Combinators.v"),
    include_str!("../../../../proofs/streams/Evaluation.v"),
    include_str!("../../../../proofs/streams/Indices.v"),
    include_str!("../../../../proofs/streams/Product.v"),
    include_str!("../../../../proofs/streams/Sum.v"),
];

/// The laws among the fields of a record.
fn fields(record: &str) -> Vec<String> {
    let fields =
        STREAM.split(&format!("Record {record} : Prop := ")).nth(1).and_then(|s| s.split(" }.").next());
    let fields = fields.expect("the record").split("; ").filter_map(|field| field.split(" : ").nth(1));
    fields.map(|law| law.trim().to_owned()).collect()
}

#[test]
fn the_laws_in_rocq_are_these() {
    let names = |laws: &[Law]| laws.iter().map(|law| format!("{law:?}")).collect::<Vec<_>>();
    assert_eq!(fields("lawful"), names(LAWFUL));
    let strictly = fields("strictly_lawful");
    assert_eq!(strictly[0], "lawful");
    assert_eq!([fields("lawful"), strictly[1..].to_vec()].concat(), names(STRICTLY_LAWFUL));
    for law in names(STRICTLY_LAWFUL) {
        assert!(STREAM.contains(&format!("Definition {law} : Prop")), "{law}");
    }
}

#[test]
fn every_combinator_has_its_theorems() {
    let proved = |name: String| PROOFS.iter().any(|file| file.contains(&format!("\nTheorem {name} ")));
    let names = COMBINATORS.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let names: Vec<&str> = names.collect();
    assert!(names.contains(&"rename"));
    for name in names {
        assert!(proved(format!("eval_{name}")), "what {name} means");
        // A value at every index is a dense source.
        assert!(name == "replicate" || proved(format!("{name}_lawful")), "the laws of {name}");
    }
}
