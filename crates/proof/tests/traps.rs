//! The proof files made by hand, against this crate and the kernel alone: what mutation testing of the kernel runs.

#[allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "what is public there is for another crate's tests"
)]
#[path = "../../testkit/src/traps/mod.rs"]
mod traps;

use traps::misjudged;

fn accepted(text: &str) -> Result<(), String> {
    let file = atl_proof::read(text).map_err(|e| e.to_string())?;
    atl_proof::check(&file).map(|_| ()).map_err(|e| e.to_string())
}

#[test]
fn false_claims_are_refused_and_their_true_twins_accepted() {
    let wrong = misjudged(accepted, "is the same");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
