//! The repository's text files.
//!
//! The one idea: everything here works on a list of paths and texts, so that a test can write down a
//! repository in two lines. Only [`Tree::load`] touches the disk; it asks git which files there are,
//! untracked but not ignored ones included, so that a check fails before the commit rather than after it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A text file.
#[derive(Debug)]
pub(crate) struct File {
    /// The path from the root, with `/`.
    pub(crate) path: String,
    /// What it holds.
    pub(crate) text: String,
}

/// The files, sorted by path.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The folder that the paths start from.
    pub(crate) root: PathBuf,
    /// The files.
    pub(crate) files: Vec<File>,
}

impl Tree {
    /// The repository around the current folder. Files that are not UTF-8 are pictures and the like: left
    /// out.
    pub(crate) fn load() -> Result<Tree, String> {
        let root = git(Path::new("."), &["rev-parse", "--show-toplevel"])?;
        let root = PathBuf::from(root.trim_end());
        let names = git(&root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
        let mut files: Vec<File> = names
            .split('\0')
            .filter(|name| !name.is_empty())
            .filter_map(|name| {
                let text = std::fs::read_to_string(root.join(name)).ok()?;
                Some(File { path: name.to_owned(), text })
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        Ok(Tree { root, files })
    }

    /// The text of a file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// The files whose paths begin so.
    pub(crate) fn under<'t>(&'t self, prefix: &'t str) -> impl Iterator<Item = &'t File> {
        self.files.iter().filter(move |file| file.path.starts_with(prefix))
    }

    /// The Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }

    /// The names, without the ending, of the files with this ending directly in a folder, sorted.
    pub(crate) fn stems(&self, folder: &str, ending: &str) -> Vec<&str> {
        self.files
            .iter()
            .filter_map(|file| file.path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(ending))
            .filter(|stem| !stem.contains('/'))
            .collect()
    }
}

fn git(folder: &Path, args: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .current_dir(folder)
        .args(args)
        .output()
        .map_err(|error| format!("git, which lists the files, does not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|_| "a file's name is not UTF-8".to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A repository for a test.
    pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
        let mut files: Vec<File> = files
            .iter()
            .map(|(path, text)| File { path: (*path).to_owned(), text: (*text).to_owned() })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Tree { root: PathBuf::new(), files }
    }

    #[test]
    fn stems_are_of_one_folder() {
        let tree = tree(&[("a/x.rs", ""), ("a/b/y.rs", ""), ("a/z.md", ""), ("ab/w.rs", "")]);
        assert_eq!(tree.stems("a", ".rs"), ["x"]);
    }

    #[test]
    fn this_repository_is_found() {
        let tree = Tree::load().expect("lists its files");
        assert!(tree.text("xtask/src/tree.rs").is_some_and(|text| text.contains("this_repository_is_found")));
        assert!(tree.under("target/").next().is_none(), "ignored files are left out");
    }
}
