//! The proof files made by hand, against this crate and the kernel alone: what mutation testing of the kernel runs.

#[allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "what is public there is for another crate's tests"
)]
#[path = "../../testkit/src/traps/mod.rs"]
mod traps;

use traps::{Trap, traps};

fn accepted(text: &str) -> Result<(), String> {
    let file = atl_proof::read(text).map_err(|e| e.to_string())?;
    atl_proof::check(&file).map(|_| ()).map_err(|e| e.to_string())
}

#[test]
fn false_claims_are_refused_and_their_true_twins_accepted() {
    let wrong: Vec<String> = traps()
        .into_iter()
        .filter_map(|Trap { name, sound, unsound }| match (accepted(&sound), accepted(&unsound)) {
            (Ok(()), Err(why)) if !why.contains("is the same") => None,
            (Ok(()), verdict) => Some(format!("{name}: {verdict:?} of\n{unsound}")),
            (Err(why), _) => Some(format!("the twin of {name} is refused, {why}:\n{sound}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
