//! Pages that are the module comments of a folder, one section a file.

use super::head;
use crate::module_docs::module_docs;
use crate::tree::Tree;
use std::fmt::Write;

/// A page made from a folder.
pub(crate) struct Modules {
    /// The folder.
    pub(crate) folder: &'static str,
    /// The page's title.
    pub(crate) title: &'static str,
    /// What stands before the sections.
    pub(crate) intro: &'static str,
    /// The fields that every module's comment has.
    pub(crate) fields: &'static [&'static str],
}

/// The fields of whatever has an equation.
pub(crate) const EQUATION: &[&str] = &["Statement", "Requires", "Fails when", "Example", "See also"];

/// The reshape operators.
pub(crate) const OPERATORS: Modules = Modules {
    folder: "crates/ops/src/ops",
    title: "Reshape operators",
    intro: "A reshape operator moves entries and computes nothing. Each is a definition over the core language, so that \
            `unfold` can replace it by its meaning, and each has an inverse or an adjoint.",
    fields: EQUATION,
};

/// The directives.
pub(crate) const DIRECTIVES: Modules = Modules {
    folder: "crates/schedule/src/commands",
    title: "Directives",
    intro: "A directive is a sequence of theorems with a familiar name. It proves an equation between the program before \
            and the program after it, or it is refused with the side condition that failed, and where.",
    fields: EQUATION,
};

/// The levels of sparse formats.
pub(crate) const LEVELS: Modules = Modules {
    folder: "crates/formats/src/levels",
    title: "Levels",
    intro: "A sparse format is a list of levels, one for each dimension. A level stores coordinates of its dimension and gives each \
            a position; the slice at a position is stored by the next level. P is the number of parents: positions of the \
            level above. N is the extent.",
    fields: &["Stores", "Well formed", "Parameters"],
};

/// The combinators of streams.
pub(crate) const COMBINATORS: Modules = Modules {
    folder: "crates/streams/src/combinators",
    title: "Combinators of streams",
    intro: "The parts of [streams](streams.md): combinators first, then sources. The laws are progress, monotonicity, preservation \
            and strictness. `eval` maps a stream to the function that it denotes.",
    fields: STREAM,
};

/// The streams that are not made of others.
pub(crate) const SOURCES: Modules =
    Modules { folder: "crates/streams/src/sources", title: "Sources of streams", intro: "", fields: STREAM };

/// The fields of a stream.
const STREAM: &[&str] = &["Definition", "Laws", "Loop"];

/// The operations on layouts.
pub(crate) const LAYOUTS: Modules = Modules {
    folder: "crates/layout/src/functions",
    title: "Operations on layouts",
    intro: "What `atl layout` evaluates. An operation satisfies its definition on the whole domain, or is refused with what fails. \
            A shape alone is the compact layout, the left mode fastest; a tuple as a tiler has one entry for each mode, and a \
            number `n` in it is short for `n:1`. A layout with an offset, as `slice` gives, or with a swizzle is refused by an operation \
            that does not say what it does with it.",
    fields: &["Definition", "Laws", "Fails when", "Example", "See also"],
};

/// The semirings.
pub(crate) const SEMIRINGS: Modules = Modules {
    folder: "crates/semirings/src/instances",
    title: "Semirings",
    intro: "The element type of a tensor says what `+`, `*`, `sum` and the two constants mean. A rewrite that needs a law \
            applies only over a semiring that claims it, and the theorem says so.",
    fields: &["Carrier", "Zero, one", "Addition, multiplication", "Laws"],
};

impl Modules {
    /// The page.
    pub(crate) fn render(&self, tree: &Tree) -> Result<String, String> {
        Ok(format!("{}{}\n{}", head(self.title, self.folder), self.intro, self.sections(tree, "##")?))
    }

    /// The sections alone, in the order of the files.
    pub(crate) fn sections(&self, tree: &Tree, level: &str) -> Result<String, String> {
        let mut out = String::new();
        for stem in tree.stems(self.folder, ".rs").into_iter().filter(|stem| *stem != "mod") {
            let path = format!("{}/{stem}.rs", self.folder);
            let docs = tree.text(&path).and_then(module_docs).ok_or(format!("{path}: no module comment"))?;
            // Writing to a string does not fail.
            let _ = write!(out, "\n{level} {}\n\n{}\n\n{}", docs.name, docs.summary, docs.body);
        }
        Ok(out)
    }
}

/// The page of streams: both folders.
pub(super) fn streams(tree: &Tree) -> Result<String, String> {
    Ok(format!("{}{}", COMBINATORS.render(tree)?, SOURCES.sections(tree, "##")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn sections_are_files_in_order() {
        let page = Modules { folder: "f", title: "T", intro: "Intro.", fields: &[] };
        let files = tree(&[
            ("f/b.rs", "//! `b`: second.\n"),
            ("f/a.rs", "//! `a`: first.\n//!\n//! More.\n"),
            ("f/mod.rs", ""),
        ]);
        let text = page.render(&files).expect("renders");
        assert!(text.ends_with("Intro.\n\n## `a`\n\nFirst.\n\nMore.\n\n## `b`\n\nSecond.\n\n"), "{text}");
        assert!(page.render(&tree(&[("f/a.rs", "use x;")])).is_err());
    }
}
