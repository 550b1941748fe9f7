//! What the checker says of files that are written by hand.

pub(crate) fn verdict(text: &str) -> Result<String, String> {
    atl_recheck::check(text.as_bytes()).map(|claim| claim.to_string()).map_err(|why| why.to_string())
}

pub(crate) fn refused(text: &str, why: &str) {
    let Err(found) = verdict(text) else { panic!("accepted:\n{text}") };
    assert!(found.contains(why), "{found}, and not {why}");
}
