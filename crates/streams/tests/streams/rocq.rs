//! The laws of streams, and those that Rocq speaks of: the same names.

use atl_streams::laws::{LAWFUL, Law, STRICTLY_LAWFUL};

const STREAM: &str = include_str!("../../../../proofs/streams/Stream.v");

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
