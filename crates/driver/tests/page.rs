//! The page of a derivation: well-formed, self-contained, and as it was when it was last looked at.

use atl_driver::Program;
use atl_driver::explain::page;
use std::path::Path;

const PROGRAM: &str = "\
/// Sums of neighbours, with a <row> & a \"margin\".
fn smooth(x: f32[N]) -> f32[N] {
    let t = gen i < N { x[i] + x?[i + 1] };
    gen i < N { t[i] * 0.5 }
}

schedule tiled of smooth {
    split i by 4;
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
}

#[test]
fn pages_are_well_formed_and_need_nothing_else() {
    for page in [page_of(Some("tiled"), &[]), page_of(None, &[("N".to_owned(), 3)])] {
        assert_eq!(ill_formed(&page), None, "{page}");
        for reference in ["http:", "https:", "src=", "url(", "@import", "<link", "<script", "<iframe"] {
            assert!(!page.contains(reference), "{reference}");
        }
        for link in page.split("href=\"").skip(1) {
            let target = link.split('"').next().unwrap_or_default();
            let anchor = target.strip_prefix('#').expect("links lead to places of the page");
            assert!(page.contains(&format!("id=\"{anchor}\"")), "{target}");
        }
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
