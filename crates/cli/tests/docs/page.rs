//! The fenced blocks of a page, each with what the comment before it says.

/// A fenced block.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Block {
    /// The line of the page that opens it.
    pub(crate) line: usize,
    /// What stands after the fence.
    pub(crate) language: String,
    /// What it holds.
    pub(crate) text: String,
    /// What is special about it.
    pub(crate) mark: Mark,
}

/// What the comment before a block says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Mark {
    /// `file NAME`: the program is written to this file.
    pub(crate) file: Option<String>,
    /// `append NAME`: it is added to this file.
    pub(crate) append: Option<String>,
    /// `from FILE`: its paragraphs stand in this file.
    pub(crate) from: Option<String>,
    /// `refused CODE`: it fails, and says this.
    pub(crate) refused: Option<String>,
    /// `not run: WHY`.
    pub(crate) not_run: bool,
}

impl Mark {
    fn parse(comment: &str) -> Result<Mark, String> {
        let mut mark = Mark::default();
        for part in comment.split(';').map(str::trim) {
            match part.split_once([' ', ':']).unwrap_or((part, "")) {
                ("file", name) => mark.file = Some(name.to_owned()),
                ("append", name) => mark.append = Some(name.to_owned()),
                ("from", name) => mark.from = Some(name.to_owned()),
                ("refused", code) => mark.refused = Some(code.to_owned()),
                ("not", why) if why.starts_with("run: ") => mark.not_run = true,
                _ => return Err(format!("`{part}` is no mark of a block")),
            }
        }
        Ok(mark)
    }
}

/// The blocks of a page.
///
/// # Errors
/// A block without an end, or a mark that means nothing; with the number of its line.
pub(crate) fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    let mut before = "";
    for (number, line) in (1..).zip(page.lines()) {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => found.extend(open.take()),
            (Some(block), _) => block.text += &format!("{line}\n"),
            (None, Some(language)) => {
                let comment = before.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
                let mark = comment.map_or(Ok(Mark::default()), Mark::parse);
                let mark = mark.map_err(|why| format!("{number}: {why}"))?;
                open = Some(Block { line: number, language: language.to_owned(), text: String::new(), mark });
            }
            (None, None) => {}
        }
        before = line;
    }
    match open {
        None => Ok(found),
        Some(block) => Err(format!("{}: this block has no end", block.line)),
    }
}

#[test]
fn blocks_are_found_with_their_marks() {
    let page = "a\n<!-- file a.atl; refused E0401 -->\n```atl\nx\ny\n```\n```sh\n```\n";
    let mark = Mark { file: Some("a.atl".to_owned()), refused: Some("E0401".to_owned()), ..Mark::default() };
    let first = Block { line: 3, language: "atl".to_owned(), text: "x\ny\n".to_owned(), mark };
    let second = Block { line: 7, language: "sh".to_owned(), ..Block::default() };
    assert_eq!(blocks(page), Ok(vec![first, second]));
    assert!(blocks("```sh\n").is_err());
    assert!(blocks("<!-- fil a -->\n```sh\n```\n").is_err());
}
