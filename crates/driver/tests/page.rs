//! The page of a derivation: well-formed, self-contained, and as it was when it was last looked at.

use atl_driver::Program;
use atl_driver::explain::page;
use std::collections::BTreeSet;
use std::path::Path;

const PROGRAM: &str = "\
/// Sums of neighbours, with a <row> & a \"margin\", </pre><script> and \u{1b}.
fn smooth(x: f32[N]) -> f32[N] {
    let t = gen i < N { x[i] + x?[i + 1] };
    gen i < N { t[i] * 0.5 }
}

schedule tiled of smooth {
    split i by
        4; // </code> & \"
    compute t at i.o;
    unroll i.i;
}
";

fn page_of(schedule: Option<&str>, sizes: &[(String, i64)]) -> String {
    page(&Program::parse("smooth.atl", PROGRAM).unwrap(), Some("smooth"), schedule, sizes).unwrap()
}

/// What is wrong with the tags of a page in which every element is closed.
fn ill_formed(page: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let Some(mut rest) = page.strip_prefix("<!DOCTYPE html>") else { return Some("no doctype".to_owned()) };
    while let Some(at) = rest.find('<') {
        let Some(length) = rest[at..].find('>') else { return Some(format!("an open tag: {}", &rest[at..])) };
        let tag = &rest[at + 1..at + length];
        rest = &rest[at + length + 1..];
        if tag == "style" {
            // Style rules hold `>`, and no tags.
            rest = &rest[rest.find("</style>").unwrap_or(0)..];
        }
        let text = &rest[..rest.find('<').unwrap_or(rest.len())];
        if let Some(why) = ill_formed_text(text) {
            return Some(why);
        }
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.matches('"').count() % 2 == 1 {
            return Some(format!("an odd number of quotes in <{tag}>"));
        }
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Some(format!("<{tag}> is no tag"));
        }
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) if open.pop() != Some(name) => return Some(format!("</{name}> closes something else")),
            (true, _) | (false, true) => {}
            (false, false) => open.push(name),
        }
    }
    open.last().map(|name| format!("<{name}> is not closed"))
}

/// What is wrong with a text between tags: an `&` that begins no character, or a character that a page may not hold.
fn ill_formed_text(text: &str) -> Option<String> {
    let known =
        |rest: &&str| ["amp;", "lt;", "gt;", "quot;", "#160;"].iter().any(|name| rest.starts_with(name));
    if let Some(rest) = text.split('&').skip(1).find(|rest| !known(rest)) {
        return Some(format!("no character is called &{rest}"));
    }
    let control = text.chars().find(|c| c.is_control() && *c != '\n');
    control.map(|c| format!("the character {c:?}"))
}

/// The values of an attribute.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let pieces = page.split(&format!(" {attribute}=\"")).skip(1).collect::<Vec<_>>();
    pieces.into_iter().map(|rest| rest.split('"').next().unwrap_or_default()).collect()
}

/// What is wrong with a page as a whole: its tags, a name that two places have, a link that leads nowhere or elsewhere.
fn wrong(page: &str) -> Option<String> {
    let mut ids = BTreeSet::new();
    if let Some(id) = values(page, "id").into_iter().find(|id| !ids.insert(*id)) {
        return Some(format!("two places are called {id}"));
    }
    let leads = |target: &&str| target.strip_prefix('#').is_some_and(|anchor| ids.contains(anchor));
    if let Some(target) = values(page, "href").into_iter().find(|target| !leads(target)) {
        return Some(format!("a link to {target}"));
    }
    let elsewhere = ["http:", "https:", " src=", "url(", "@import", "<link", "<script", "<iframe", "<img"];
    if let Some(reference) = elsewhere.into_iter().find(|reference| page.contains(reference)) {
        return Some(format!("the page needs something else: {reference}"));
    }
    ill_formed(page)
}

#[test]
fn the_checker_of_tags_can_fail() {
    let check = |body: &str, good: bool| {
        assert_eq!(ill_formed(&format!("<!DOCTYPE html>{body}")).is_none(), good, "{body}");
    };
    check("<p>a &lt; b<br/></p>", true);
    check("<style>a>b{}</style>", true);
    check("<p><b></p></b>", false);
    check("<p>a < b</p>", false);
    check("<p>", false);
    check("</p>", false);
    check("<p class=\"a></p>", false);
    check("<p>a && b</p>", false);
    check("<p>\u{1b}</p>", false);
    let check = |body: &str, good: bool| {
        assert_eq!(wrong(&format!("<!DOCTYPE html>{body}")).is_none(), good, "{body}");
    };
    check("<p id=\"a\"><a href=\"#a\">a</a></p>", true);
    check("<p id=\"a\"/><p id=\"a\"/>", false);
    check("<a href=\"#b\">b</a>", false);
    check("<a href=\"b.html\">b</a>", false);
    check("<img src=\"#a\"/>", false);
}

#[test]
fn pages_are_well_formed_and_need_nothing_else() {
    for page in [page_of(Some("tiled"), &[]), page_of(None, &[("N".to_owned(), 3)])] {
        assert_eq!(wrong(&page), None, "{page}");
    }
}

#[test]
fn pages_of_the_examples_are_well_formed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let mut pages = 0;
    for path in files.filter(|path| path.extension().is_some_and(|e| e == "atl")) {
        let program = atl_driver::load(&path).unwrap_or_else(|e| panic!("{e}"));
        // The last is the longest.
        if let Some(schedule) = program.schedules().last() {
            let page = page(&program, Some(&schedule.of.text), Some(&schedule.name.text), &[])
                .unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(wrong(&page), None, "{} of {}", schedule.name.text, path.display());
            pages += 1;
        }
    }
    assert!(pages > 10, "{pages}");
}

/// Every line of the program that is linked is a stop of the keyboard, and so are the columns that scroll.
#[test]
fn the_keyboard_reaches_what_the_pointer_does() {
    let page = page_of(Some("tiled"), &[]);
    let column = |title: &str| {
        let (_, rest) = page.split_once(&format!("<h3>{title}</h3>")).expect("a column");
        rest.split("</pre>").next().unwrap_or_default().to_owned()
    };
    let program = column("Program");
    assert!(
        program.contains("<span class=\"s") && values(&program, "tabindex").iter().all(|stop| *stop == "0")
    );
    for title in ["Loops", "C"] {
        assert!(column(title).starts_with("<pre tabindex=\"0\">"), "{title}");
    }
}

#[test]
fn a_page_is_as_it_was() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page.html");
    let page = page_of(Some("tiled"), &[("N".to_owned(), 6)]);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("there is a page; UPDATE_EXPECT=1 makes it");
    let differing = page.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(page == expected, "UPDATE_EXPECT=1 rewrites it; the first difference: {differing:#?}");
}
