//! README and the book do what they say: every block of theirs is run.
//!
//! A page is read from top to bottom in a folder of its own that holds a copy of `examples/`. The language of a fenced
//! block says what is done with it:
//!
//! | block | what is done |
//! |---|---|
//! | `sh` | run as a script with the built `atl` on the path; it must succeed |
//! | `console` | each line after `$` is run as a script; what follows it is what it must print, on either stream |
//! | `atl` | must pass `atl check` |
//! | `rust` | must stand in a file of `crates/driver/examples`, which the tests compile |
//!
//! In what a command prints, a line `...` stands for any lines and `[..]` for any characters. A comment on the line before
//! a block says more, parts separated by `;`: `file NAME` and `append NAME` write the block's program where commands find
//! it, `from FILE` says that its paragraphs stand in that file, `refused` or `refused E0401` expects failure with that
//! code, and `not run: WHY` leaves the block alone.
//!
//! Generated pages are left out: `crates/testkit` runs the programs on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block.
#[derive(Debug, Default, PartialEq)]
struct Block {
    line: usize,
    language: String,
    text: String,
    mark: Mark,
}

/// What the comment before a block says.
#[derive(Debug, Default, PartialEq)]
struct Mark {
    file: Option<String>,
    append: Option<String>,
    from: Option<String>,
    refused: Option<String>,
    not_run: bool,
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

/// The fenced blocks of a page.
fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    let mut before = "";
    for (number, line) in (1..).zip(page.lines()) {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => found.extend(open.take()),
            (Some(block), _) => block.text += &format!("{line}\n"),
            (None, Some(language)) => {
                let comment = before.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
                let mark = comment
                    .map_or(Ok(Mark::default()), Mark::parse)
                    .map_err(|why| format!("{number}: {why}"))?;
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

/// The commands of a `console` block, each with what it must print.
fn session(text: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut continued = false;
    for line in text.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((format!("{command}\n"), String::new())),
            (None, Some((command, _))) if continued => *command += &format!("{line}\n"),
            (None, Some((_, output))) => *output += &format!("{line}\n"),
            (None, None) => {}
        }
        continued = line.ends_with('\\') && (continued || line.starts_with("$ "));
    }
    commands
}

fn same_lines(pattern: &[&str], lines: &[&str]) -> bool {
    match (pattern.split_first(), lines.split_first()) {
        (Some((&"...", rest)), _) => (0..=lines.len()).any(|n| same_lines(rest, &lines[n..])),
        (Some((p, rest)), Some((line, more))) => same_line(p, line) && same_lines(rest, more),
        (None, None) => true,
        _ => false,
    }
}

fn same_line(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.trim_end().split("[..]");
    let (first, line) = (parts.next().unwrap_or_default(), line.trim_end());
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn same_output(pattern: &str, output: &str) -> bool {
    same_lines(
        &pattern.trim_end().lines().collect::<Vec<_>>(),
        &output.trim_end().lines().collect::<Vec<_>>(),
    )
}

/// The lines of the pattern that are nowhere in the output.
fn absent(pattern: &str, output: &str) -> String {
    let found = |p: &str| p == "..." || output.lines().any(|line| same_line(p, line));
    pattern.lines().filter(|p| !found(p)).map(|p| format!("---- not printed: {p}\n")).collect()
}

/// A page's folder.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs").join(name);
        if path.exists() {
            fs::remove_dir_all(&path).expect("the folder of the last run can be removed");
        }
        copy(&root().join("examples"), &path.join("examples"));
        Folder(path)
    }

    /// Runs a script; both streams and whether it succeeded.
    fn run(&self, script: &str) -> (String, bool) {
        let atl = Path::new(env!("CARGO_BIN_EXE_atl")).parent().expect("a program lies in a folder");
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([atl.to_owned()].into_iter().chain(std::env::split_paths(&others)));
        let output = Command::new("sh")
            .args(["-ec", &format!("exec 2>&1\n{script}")])
            .current_dir(&self.0)
            .env("PATH", path.expect("the path can be extended"))
            .env("ATL_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs-cache"))
            .output()
            .expect("there is a shell");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
    }

    fn follow(&self, block: &Block) -> Result<(), String> {
        let expected = |(output, success): (String, bool), what: &str| match &block.mark.refused {
            None if success => Ok(output),
            Some(code) if !success && output.contains(code) => Ok(output),
            None => Err(format!("{what} failed:\n{output}")),
            Some(code) => Err(format!("{what} should be refused {code}:\n{output}")),
        };
        match block.language.as_str() {
            _ if block.mark.not_run => Ok(()),
            "sh" => expected(self.run(&block.text), "the script").map(drop),
            "console" => session(&block.text).iter().try_for_each(|(command, wanted)| {
                let printed = expected(self.run(command), command.trim_end())?;
                match same_output(wanted, &printed) {
                    true => Ok(()),
                    false => Err(format!(
                        "{command}printed\n{printed}---- where the page says\n{wanted}{}",
                        absent(wanted, &printed)
                    )),
                }
            }),
            "atl" => {
                let name =
                    block.mark.file.as_ref().or(block.mark.append.as_ref()).map_or("page.atl", |name| name);
                let path = self.0.join(name);
                let before = match block.mark.append {
                    Some(_) => fs::read_to_string(&path).map_err(|why| format!("{name}: {why}"))? + "\n",
                    None => String::new(),
                };
                fs::write(&path, before + &block.text).map_err(|why| format!("{name}: {why}"))?;
                let source = block.mark.from.as_ref().map(|file| fs::read_to_string(self.0.join(file)));
                let source = source.transpose().map_err(|why| why.to_string())?;
                let strange =
                    |source: &String| block.text.split("\n\n").find(|part| !source.contains(part.trim_end()));
                if let Some(part) = source.as_ref().and_then(strange) {
                    return Err(format!("this is not in the file that it is said to be from:\n{part}"));
                }
                expected(self.run(&format!("atl check {name}")), "the program").map(drop)
            }
            "rust" => {
                let folder =
                    fs::read_dir(root().join("crates/driver/examples")).map_err(|why| why.to_string())?;
                let mut files = folder.flatten().filter_map(|file| fs::read_to_string(file.path()).ok());
                let found = files.any(|text| text.ends_with(&block.text));
                if found {
                    Ok(())
                } else {
                    Err("no file of crates/driver/examples ends like this".to_owned())
                }
            }
            _ => Ok(()),
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the folder can be read").flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        match source.is_dir() {
            true => copy(&source, &target),
            false => drop(fs::copy(&source, &target).expect("a file can be copied")),
        }
    }
}

/// Follows a page; what goes wrong, a block each.
fn follow(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap_or_default();
    let name = page.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match blocks(&text) {
        Err(why) => vec![format!("{name}.md:{why}")],
        Ok(blocks) => {
            let folder = Folder::new(&name);
            let failures = blocks.iter().filter_map(|b| folder.follow(b).err().map(|why| (b.line, why)));
            failures.map(|(line, why)| format!("{name}.md:{line}: {why}")).collect()
        }
    }
}

#[test]
fn pages_do_what_they_say() {
    let book = fs::read_dir(root().join("docs/book/src"))
        .expect("there is a book")
        .flatten()
        .map(|file| file.path());
    let written_by_hand =
        |page: &PathBuf| !fs::read_to_string(page).unwrap_or_default().contains("<!-- Generated by");
    let pages: Vec<PathBuf> =
        std::iter::once(root().join("README.md")).chain(book).filter(written_by_hand).collect();
    assert!(pages.len() > 4, "{pages:?}");
    let failures: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = pages.iter().map(|page| scope.spawn(|| follow(page))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no page ends the test")).collect()
    });
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
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

#[test]
fn outputs_are_compared() {
    let check =
        |pattern, output, same| assert_eq!(same_output(pattern, output), same, "{pattern:?} and {output:?}");
    check("a\nb\n", "a\nb\n", true);
    check("a\n", "a\nb\n", false);
    check("a\n...\nc\n", "a\nb\nb\nc\n", true);
    check("a\n...\nc\n", "a\nb\n", false);
    check("took [..] ms, [..]\n", "took 3 ms, once\n", true);
    check("took [..] ms\n", "took 3 s\n", false);
    check("...\n", "", true);
    assert_eq!(
        session("$ a \\\n  b\nc\n$ d\n"),
        [("a \\\n  b\n".to_owned(), "c\n".to_owned()), ("d\n".to_owned(), String::new())]
    );
}
