//! The error index tells the truth: the program of a page is refused with its code, the remedy is accepted.

use atl_diag::codes::PAGES;

/// The codes with which a program or a schedule of it is refused.
fn codes(language: &str, text: &str) -> (Vec<String>, String) {
    match atl_driver::parse(&format!("page.{language}"), text).and_then(|program| atl_driver::check(&program))
    {
        Ok(_) => (vec![], String::new()),
        Err(failure) => (failure.codes(), failure.to_string()),
    }
}

/// The codes of what an accepted program is warned about.
fn warned(language: &str, text: &str) -> Vec<String> {
    let program = atl_driver::parse(&format!("page.{language}"), text);
    program.map_or_else(|_| vec![], |p| p.warnings().iter().map(|d| d.code.to_string()).collect())
}

/// What is wrong with a page, whose programs are in this language.
fn check(language: &str, code: &str, page: &str) -> Option<String> {
    let fence = format!("\n```{language}\n");
    let blocks: Vec<&str> =
        page.split(&fence).skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
    let [wrong, right] = blocks[..] else { return Some(format!("{code}: {} programs", blocks.len())) };
    let (mut found, shown) = codes(language, wrong);
    if found.is_empty() {
        found = warned(language, wrong);
    }
    if found.is_empty() || found.iter().any(|c| c != code) {
        return Some(format!("{code}: {found:?}\n{shown}"));
    }
    let (found, shown) = codes(language, right);
    (!found.is_empty()).then(|| format!("{code}, the remedy: {found:?}\n{shown}"))
}

#[test]
fn programs_of_schedules_and_safety_trigger_their_codes() {
    let ours = || {
        let triggers = |text: &str| text.matches("\n```atl\n").count() == 2;
        PAGES.iter().filter(move |p| ("E0300".."E0500").contains(&p.code.as_str()) && triggers(p.text))
    };
    assert!(ours().count() >= 25);
    let wrong: Vec<String> = ours().filter_map(|page| check("atl", page.code.as_str(), page.text)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn programs_in_teil_trigger_their_codes() {
    let ours = || PAGES.iter().filter(|page| page.text.contains("\n```teil\n"));
    assert!(ours().count() >= 9);
    let wrong: Vec<String> = ours().filter_map(|page| check("teil", page.code.as_str(), page.text)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
