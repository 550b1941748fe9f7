//! Random programs whose loops Rocq compares with those of its own lowering: `proofs/agree`.
//!
//! The first hundred stand in `proofs/random.atl`, which `proofs/test` compares. Where the variable
//! `ATL_PROGRAMS` names a folder, ten thousand are written there, a hundred a file.

use atl_driver::Program;
use atl_testkit::choices::Choices;
use atl_testkit::programs::program;
use std::path::Path;

/// Programs of a file.
const HUNDRED: u64 = 100;

/// The function of this number.
fn function(number: u64) -> String {
    let text = program(&mut Choices::new(number + 390_000), 2 + (number % 3) as u32).text;
    text.replacen("fn f(", &format!("fn p{number}("), 1)
}

fn file(number: u64) -> String {
    let functions = (number * HUNDRED..(number + 1) * HUNDRED).map(function);
    let head = "// Random programs, which `crates/testkit/tests/agree.rs` makes.\n".to_owned();
    functions.fold(head, |text, function| text + "\n" + &function)
}

#[test]
fn the_hundred_programs_for_rocq_are_those_of_the_generator() {
    if let Some(folder) = std::env::var_os("ATL_PROGRAMS") {
        let write =
            |number| std::fs::write(Path::new(&folder).join(format!("random{number}.atl")), file(number));
        (0..100).try_for_each(write).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    }
    let text = include_str!("../../../proofs/random.atl");
    assert!(text == file(0), "`ATL_PROGRAMS` writes the hundred as `random0.atl`");
    let parsed = Program::parse("random.atl", text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(parsed.functions().len() as u64, HUNDRED);
}
