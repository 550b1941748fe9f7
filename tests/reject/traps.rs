//! Proof files made by hand: what is false must be refused, and nothing must exhaust the checker.

use atl_testkit::traps::{large, oversized, traps};

fn checked(text: &str) -> Result<(), String> {
    let file = atl_proof::read(text).map_err(|e| e.to_string())?;
    atl_proof::check(&file).map(|_| ()).map_err(|e| e.to_string())
}

#[test]
fn false_claims_are_refused_and_their_true_twins_accepted() {
    for trap in traps() {
        assert_eq!(checked(&trap.sound), Ok(()), "the twin of {}:\n{}", trap.name, trap.sound);
        let Err(why) = checked(&trap.unsound) else {
            panic!("{} was accepted:\n{}", trap.name, trap.unsound)
        };
        assert!(!why.contains("is the same"), "{} is malformed: {why}", trap.name);
    }
}

#[test]
fn large_files_within_the_limits_are_accepted() {
    for (name, text) in large() {
        atl_driver::proof::verify("large.atlp", &text).map_or_else(
            // Their headers say nothing, which is found out when the claim has been proved and printed.
            |failure| assert_eq!(failure.codes(), ["E0803"], "{name}: {failure}"),
            |verified| panic!("{name}: the claim prints as nothing: {verified:?}"),
        );
    }
}

#[test]
fn oversized_files_are_refused_in_time_and_memory() {
    for (name, text) in oversized() {
        assert!(checked(&text).is_err(), "{name} was accepted");
        if ["a product of ever higher degree", "extents that double"].contains(&name) {
            let failure = atl_driver::proof::verify("large.atlp", &text).expect_err("it is refused");
            assert_eq!(failure.codes(), ["E0804"], "{name}: {failure}");
        }
    }
}
