//! The parser, as its users meet it: what is accepted, how it groups, what each mistake is called.

use super::*;
use atl_diag::FileId;
use atl_diag::codes::PAGES;

fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

/// The `atl` blocks of a page, before and after its remedy.
fn blocks(page: &str) -> (Vec<String>, Vec<String>) {
    let collect = |part: &str| {
        let mut blocks = Vec::new();
        let mut rest = part;
        while let Some((_, block)) = rest.split_once("```atl\n") {
            let (block, after) = block.split_once("```").expect("pages close their fences");
            blocks.push(block.to_owned());
            rest = after;
        }
        blocks
    };
    let (before, after) = page.split_once("## Remedy").expect("pages have a remedy");
    (collect(before), collect(after))
}

#[test]
fn every_page_of_this_crate_shows_what_it_says() {
    for page in PAGES.iter().filter(|page| page.code.as_str().starts_with("E01")) {
        let (wrong, right) = blocks(page.text);
        for text in wrong {
            let found = codes(&parse_file(FileId(0), &text).diagnostics);
            if found != [page.code.as_str()] {
                eprintln!("{found:?}, {}:\n{text}", page.code);
            }
        }
        assert!(!right.is_empty(), "{} corrects nothing", page.code);
        for text in right {
            let found = codes(&parse_file(FileId(0), &text).diagnostics);
            assert!(found.is_empty(), "{}: {found:?}\n{text}", page.code);
        }
    }
}
