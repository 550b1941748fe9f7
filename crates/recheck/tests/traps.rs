//! The proof files made by hand, against this crate alone: what mutation testing of it runs.

#[allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "what is public there is for another crate's tests"
)]
#[path = "../../testkit/src/traps/mod.rs"]
mod traps;

use traps::{large, misjudged, oversized};

fn accepted(text: &str) -> Result<(), String> {
    atl_recheck::check(text.as_bytes()).map(|_| ()).map_err(|why| why.to_string())
}

#[test]
fn false_claims_are_refused_and_their_true_twins_accepted() {
    let wrong = misjudged(accepted, "says the same");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_accepted_up_to_the_limits_and_refused_beyond() {
    for (name, text) in large() {
        assert_eq!(accepted(&text), Ok(()), "{name}");
    }
    let accepted: Vec<&str> =
        oversized().iter().filter(|(_, text)| accepted(text).is_ok()).map(|(name, _)| *name).collect();
    // A reader may refuse what is too large although nothing uses it. This one counts certificates where they are
    // replayed, so the file costs it nothing, and the claim beside it is true.
    assert_eq!(accepted, ["a certificate that doubles"]);
}
