//! Every `E02xx` page's first program is refused with exactly that code, and its remedy is accepted.

use atl_arith::Arith;
use atl_diag::{Color, FileId, SourceMap, codes::PAGES};
use atl_kernel::Ctx;
use atl_lang::{Loader, elaborate};

/// One file, which imports itself.
struct Itself(String);

impl Loader for Itself {
    fn load(&mut self, _: FileId, path: &str) -> Result<(FileId, String), String> {
        if path == "itself.atl" {
            Ok((FileId(0), self.0.clone()))
        } else {
            Err("there is no such file".to_owned())
        }
    }
}

/// The codes reported for a program, and how they read.
fn codes(text: &str) -> (Vec<&'static str>, String) {
    let mut sources = SourceMap::new();
    let file = sources.add("page.atl", text);
    let parse = atl_syntax::parse_file(file, text);
    assert!(parse.diagnostics.is_empty(), "{text}\n{:?}", parse.diagnostics);
    let (_, diagnostics) = elaborate(&parse.tree, &mut Itself(text.to_owned()), &mut Arith::new());
    let shown = diagnostics.iter().map(|d| d.render(&sources, Color::Never)).collect();
    (diagnostics.iter().map(|d| d.code.as_str()).collect(), shown)
}

/// The `atl` blocks of a page, in order.
fn blocks(page: &str) -> Vec<&str> {
    page.split("\n```atl\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

/// What is wrong with a page.
fn check(code: &str, page: &str) -> Option<String> {
    let blocks = blocks(page);
    let [wrong, right] = blocks[..] else { return Some(format!("{code}: {} programs", blocks.len())) };
    let (found, shown) = codes(wrong);
    if found.is_empty() || found.iter().any(|c| *c != code) {
        return Some(format!("{code}: {found:?}\n{shown}"));
    }
    let (found, shown) = codes(right);
    (!found.is_empty()).then(|| format!("{code}, the remedy: {found:?}\n{shown}"))
}

#[test]
fn pages_trigger_their_codes_and_remedies_are_accepted() {
    let shown = |text: &str| text.contains("\n```atl\n");
    let ours = || PAGES.iter().filter(|p| p.code.as_str().starts_with("E02") && shown(p.text));
    assert!(ours().count() >= 50);
    let wrong: Vec<String> = ours().filter_map(|page| check(page.code.as_str(), page.text)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn patterns_are_no_expressions() {
    let parse = atl_syntax::parse_pattern(FileId(0), "1 + _");
    let found = atl_lang::expression_in(&Ctx::new(), &parse.tree, None, &mut Arith::new());
    let codes: Vec<&str> = found.unwrap_err().iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["E0250"]);
}
