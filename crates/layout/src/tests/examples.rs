//! Every worked example of an operation's page is evaluated.

use crate::{evaluate, functions};
use std::fs;
use std::path::Path;

#[test]
fn worked_examples_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/functions");
    for function in functions::TABLE {
        let text =
            fs::read_to_string(folder.join(format!("{}.rs", function.name))).expect("a file of this name");
        let (_, rest) = text.split_once("//! **Example.** ").expect("examples");
        let (examples, _) = rest.split_once("\n//! **").expect("another field");
        let examples = examples.replace("\n//! ", " ");
        for example in examples.split("; ") {
            let (expression, value) =
                example.trim_matches('`').split_once("` is `").expect("an expression and its value");
            match evaluate(expression) {
                Ok(found) => assert_eq!(found.value.to_string(), value, "{expression}"),
                Err(refusal) => panic!("{expression}: {refusal}"),
            }
        }
    }
}

#[test]
fn names_are_unambiguous() {
    let mut names: Vec<&str> =
        functions::TABLE.iter().flat_map(|f| [f.name].into_iter().chain(f.aliases.iter().copied())).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
