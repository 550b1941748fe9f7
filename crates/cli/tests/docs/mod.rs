//! README and the book do what they say: every block of theirs is run, and every link leads somewhere.
//!
//! A page is read from top to bottom in a folder of its own that holds a copy of `examples/`. The language of a fenced
//! block says what is done with it:
//!
//! | block | what is done |
//! |---|---|
//! | `sh` | run as a script with the built `atl` on the path; it must succeed |
//! | `console` | each line after `$` is run as a script; what follows it is what it must print, on either stream |
//! | `atl`, `teil`, `cfd` | must pass `atl check` |
//! | `rust` | must stand in a file of `crates/driver/examples`, which the tests compile |
//!
//! In what a command prints, a line `...` stands for any lines and `[..]` for any characters. A comment on the line before
//! a block says more, parts separated by `;`: `file NAME` and `append NAME` write the block's program where commands find
//! it, `from FILE` says that its paragraphs stand in that file, `refused` or `refused E0401` expects failure with that
//! code, and `not run: WHY` leaves the block alone.
//!
//! Generated pages are left out: `crates/testkit` runs the programs on them. `ATL_PAGES=README,sparse` runs these pages
//! only, while one is written.

mod console;
mod links;
mod page;

use page::Block;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

    /// Does with a block what its language says.
    fn follow(&self, block: &Block) -> Result<(), String> {
        match block.language.as_str() {
            _ if block.mark.not_run => Ok(()),
            "sh" => self.run(block, &block.text).map(drop),
            "console" => self.console(block),
            "atl" | "teil" | "cfd" => self.program(block),
            "rust" => example(&block.text),
            _ => Ok(()),
        }
    }

    /// Runs a script of a block; what it prints on both streams, if it succeeds or fails as the block says.
    fn run(&self, block: &Block, script: &str) -> Result<String, String> {
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
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        match (&block.mark.refused, output.status.success()) {
            (None, true) => Ok(printed),
            (Some(code), false) if printed.contains(code) => Ok(printed),
            (None, false) => Err(format!("{script}failed:\n{printed}")),
            (Some(code), _) => Err(format!("{script}should be refused {code}:\n{printed}")),
        }
    }

    fn console(&self, block: &Block) -> Result<(), String> {
        for (command, wanted) in console::session(&block.text) {
            let printed = self.run(block, &command)?;
            if !console::same_output(&wanted, &printed) {
                let absent = console::absent(&wanted, &printed);
                return Err(format!("{command}printed\n{printed}---- where the page says\n{wanted}{absent}"));
            }
        }
        Ok(())
    }

    fn program(&self, block: &Block) -> Result<(), String> {
        let mark = &block.mark;
        let read = |name: &str| fs::read_to_string(self.0.join(name)).map_err(|why| format!("{name}: {why}"));
        if let Some(file) = &mark.from {
            let source = read(file)?;
            if let Some(part) = block.text.split("\n\n").find(|part| !source.contains(part.trim_end())) {
                return Err(format!("this is not in {file}:\n{part}"));
            }
        }
        let page = format!("page.{}", block.language);
        let (name, before) = match (&mark.append, &mark.file) {
            (Some(name), _) => (name.as_str(), read(name)? + "\n"),
            (None, Some(name)) => (name.as_str(), String::new()),
            (None, None) => (page.as_str(), String::new()),
        };
        fs::write(self.0.join(name), before + &block.text).map_err(|why| format!("{name}: {why}"))?;
        self.run(block, &format!("atl check {name}\n")).map(drop)
    }
}

/// Does this stand in an example of the library?
fn example(text: &str) -> Result<(), String> {
    let folder = fs::read_dir(root().join("crates/driver/examples")).map_err(|why| why.to_string())?;
    let mut files = folder.flatten().filter_map(|file| fs::read_to_string(file.path()).ok());
    let found = files.any(|file| file.contains(text));
    if found { Ok(()) } else { Err("no file of crates/driver/examples holds this".to_owned()) }
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

/// Every page with its text, README first.
fn pages() -> Vec<(PathBuf, String)> {
    let book = fs::read_dir(root().join("docs/book/src")).expect("there is a book");
    let paths = [root().join("README.md")].into_iter().chain(book.flatten().map(|file| file.path()));
    let texts = paths.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    texts.map(|path| (path.clone(), fs::read_to_string(path).expect("a page can be read"))).collect()
}

fn file_name(page: &Path) -> String {
    page.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What goes wrong on a page.
fn follow((page, text): &(PathBuf, String)) -> Vec<String> {
    let name = file_name(page);
    match page::blocks(text) {
        Err(why) => vec![format!("{name}:{why}")],
        Ok(blocks) => {
            let folder = Folder::new(&name);
            let failures = blocks.iter().filter_map(|b| folder.follow(b).err().map(|why| (b.line, why)));
            failures.map(|(line, why)| format!("{name}:{line}: {why}")).collect()
        }
    }
}

#[test]
fn pages_do_what_they_say() {
    let mut by_hand: Vec<_> =
        pages().into_iter().filter(|(_, text)| !text.contains("<!-- Generated by")).collect();
    assert!(by_hand.len() > 4, "the guide is missing");
    if let Ok(named) = std::env::var("ATL_PAGES") {
        let named: Vec<String> = named.split(',').map(|name| format!("{name}.md")).collect();
        by_hand.retain(|(page, _)| named.contains(&file_name(page)));
        assert_eq!(by_hand.len(), named.len(), "ATL_PAGES names a page that is not written by hand");
    }
    let failures: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = by_hand.iter().map(|page| scope.spawn(|| follow(page))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no page ends the test")).collect()
    });
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}

#[test]
fn links_lead_somewhere() {
    let broken = |(page, text): &(PathBuf, String)| -> Vec<String> {
        links::broken(page, text).iter().map(|target| format!("{}: {target}", file_name(page))).collect()
    };
    let failures: Vec<String> = pages().iter().flat_map(broken).collect();
    assert_eq!(failures, Vec::<String>::new());
}
