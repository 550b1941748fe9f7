//! Markdown documents of the suite: prose, programs, and what is expected of them.
//!
//! A case is a program, a block `atl`, `teil` or `cfd`, and the blocks after it, up to the next program:
//!
//! | block | holds |
//! |---|---|
//! | `atl` | functions with their schedules |
//! | `teil`, `cfd` | a program in TeIL, or in the language of fluid dynamics |
//! | `error` | what is reported of the program, when it is refused |
//! | `warning` | what is remarked, when it is accepted |
//! | `program NAME` | the program after schedule `NAME`, or function `NAME` as it is written |
//! | `theorem NAME` | each step of schedule `NAME`, with its rounding class and the laws it uses |
//! | `loops NAME` | the loops of schedule or function `NAME` |
//! | `cuda NAME` | the text for a device of schedule `NAME`, or why there is none |
//! | `output [FUNCTION]` | arguments, and what the function gives for them under every schedule |
//!
//! Any other block is an error, so that nothing is expected in vain; examples in prose are indented.

use std::ops::Range;

/// What a block expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The program is refused.
    Error,
    /// It is accepted with remarks.
    Warning,
    /// The printed program.
    Program,
    /// The steps as theorems.
    Theorem,
    /// The loops.
    Loops,
    /// The text for a device.
    Cuda,
    /// The values.
    Output,
}

/// The languages of programs, with the file that one is.
const PROGRAMS: &[(&str, &str)] = &[("atl", "case.atl"), ("teil", "case.teil"), ("cfd", "case.cfd")];

const KINDS: &[(&str, Kind)] = &[
    ("error", Kind::Error),
    ("warning", Kind::Warning),
    ("program", Kind::Program),
    ("theorem", Kind::Theorem),
    ("loops", Kind::Loops),
    ("cuda", Kind::Cuda),
    ("output", Kind::Output),
];

/// A block that expects something.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// What.
    pub kind: Kind,
    /// The name after the word.
    pub of: Option<String>,
    /// Where its text stands in the document.
    pub range: Range<usize>,
    /// Its text.
    pub text: String,
}

/// A program with what is expected of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The heading above it.
    pub title: String,
    /// The line of its program.
    pub line: usize,
    /// The program's file, by whose name its language is known.
    pub file: &'static str,
    /// The program.
    pub program: String,
    /// In the order written.
    pub expectations: Vec<Expectation>,
}

/// The cases of a document.
///
/// # Errors
/// A block that is not one of the table's, or stands in the wrong place, with its line.
pub fn cases(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    let mut title = String::new();
    let mut open: Option<(String, usize, usize)> = None; // info, line, where the text begins
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let next = at + line.len();
        match (&open, line.trim_end().strip_prefix("```")) {
            (None, Some(info)) => open = Some((info.trim().to_owned(), number, next)),
            (Some((info, first, begin)), Some("")) => {
                block(&mut cases, &title, info, *first, text, *begin..at)?;
                open = None;
            }
            (None, None) => {
                if let Some(heading) = line.strip_prefix('#') {
                    title = heading.trim_start_matches('#').trim().to_owned();
                }
            }
            (Some(_), _) => {}
        }
        at = next;
    }
    match open {
        Some((_, line, _)) => Err(format!("line {line}: a block that is not closed")),
        None => Ok(cases),
    }
}

fn block(
    cases: &mut Vec<Case>,
    title: &str,
    info: &str,
    line: usize,
    text: &str,
    range: Range<usize>,
) -> Result<(), String> {
    let body = text[range.clone()].to_owned();
    let (word, of) = match info.split_once(' ') {
        Some((word, of)) => (word, Some(of.trim().to_owned())),
        None => (info, None),
    };
    if let (Some((_, file)), None) = (PROGRAMS.iter().find(|(language, _)| *language == word), &of) {
        cases.push(Case { title: title.to_owned(), line, file, program: body, expectations: vec![] });
        return Ok(());
    }
    let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == word) else {
        return Err(format!("line {line}: there are no blocks `{info}` in the suite"));
    };
    let named = matches!(kind, Kind::Program | Kind::Theorem | Kind::Loops | Kind::Cuda);
    if named && of.is_none() {
        return Err(format!(
            "line {line}: `{word}` of what? write the schedule's or function's name after it"
        ));
    }
    let Some(case) = cases.last_mut() else {
        return Err(format!("line {line}: an expectation before any program"));
    };
    case.expectations.push(Expectation { kind: *kind, of, range, text: body });
    Ok(())
}

/// The document with other texts at these places, which are in order.
pub fn replace(text: &str, replacements: &[(Range<usize>, String)]) -> String {
    let mut out = text.to_owned();
    for (range, new) in replacements.iter().rev() {
        out.replace_range(range.clone(), new);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[(&str, usize, usize)], &str>) {
        match (cases(text), expected) {
            (Ok(found), Ok(expected)) => {
                let found: Vec<_> =
                    found.iter().map(|c| (c.title.as_str(), c.line, c.expectations.len())).collect();
                assert_eq!(found, expected);
            }
            (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn documents() {
        check(
            "# A\n\n```atl\nx\n```\n\n```output\ny\n```\n## B\n```atl\n```\n",
            Ok(&[("A", 3, 1), ("B", 11, 0)]),
        );
        check("# A\n    ```c\n", Ok(&[]));
        check("# A\n```rust\n```\n", Err("no blocks `rust`"));
        check("```error\n```\n", Err("before any program"));
        check("```atl\n```\n```loops\n```\n", Err("of what?"));
        check("```atl\n", Err("not closed"));
    }

    #[test]
    fn texts_are_replaced_in_place() {
        let text = "```atl\nf\n```\nand\n```error\nold\n```\n```output\n```\n";
        let found = cases(text).unwrap();
        let places: Vec<_> =
            found[0].expectations.iter().map(|e| (e.range.clone(), "new\n".to_owned())).collect();
        assert_eq!(replace(text, &places), "```atl\nf\n```\nand\n```error\nnew\n```\n```output\nnew\n```\n");
    }
}
