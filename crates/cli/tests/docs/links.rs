//! Links between pages: the file is there, and so is the heading.
//!
//! Links to other sites are not followed.

use std::fs;
use std::path::Path;

/// The links of a page that lead nowhere.
pub(crate) fn broken(page: &Path, text: &str) -> Vec<String> {
    targets(text).into_iter().filter(|target| !leads_somewhere(page, text, target)).collect()
}

/// What stands in `](…)`, outside fenced blocks.
fn targets(text: &str) -> Vec<String> {
    let outside = text.split("```").step_by(2).map(|prose| prose.split("](").skip(1));
    outside.flatten().filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

fn leads_somewhere(page: &Path, text: &str, target: &str) -> bool {
    if target.starts_with("https://") {
        return true;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = page.with_file_name(file);
    if heading.is_empty() || file.is_empty() {
        return heading.is_empty() && path.exists() || has_heading(text, heading);
    }
    fs::read_to_string(path).is_ok_and(|text| has_heading(&text, heading))
}

fn has_heading(text: &str, anchor: &str) -> bool {
    text.lines().filter(|line| line.starts_with('#')).any(|line| slug(line.trim_start_matches('#')) == anchor)
}

/// The anchor of a heading: its letters in lower case, and hyphens for spaces.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[test]
fn links_that_lead_nowhere_are_found() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let check = |text: &str, expected: &[&str]| assert_eq!(broken(&page, text), expected, "{text}");
    check("[a](ARCHITECTURE.md), [b](ARCHITECTURE.md#code-map) and [c](https://example.org)", &[]);
    check("[a](nowhere.md) and [b](ARCHITECTURE.md#nothing)", &["nowhere.md", "ARCHITECTURE.md#nothing"]);
    check("# `peel`, `peel L`\n[a](#peel-peel-l) [b](#peel)", &["#peel"]);
    check("```\n[a](nowhere.md)\n```\n", &[]);
}
