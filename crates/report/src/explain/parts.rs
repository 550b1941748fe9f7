//! The parts of a printed function that loops can be traced to: its loops, its `let`s and its values, with
//! their lines.

use atl_diag::{FileId, SourceMap, Span};
use atl_syntax::ast::{Expr, ExprKind, Item};

/// What a part, or a statement, is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum What {
    /// A loop.
    Loop,
    /// A `let`, or the memory of one.
    Let,
    /// What is computed inside loops.
    Value,
}

/// A part of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) what: What,
    /// The `let` whose term it stands in; for a `let`, its own name; else the output.
    pub(super) into: String,
    /// The loops around it; a loop itself last.
    pub(super) loops: Vec<String>,
    /// Its lines, from 0.
    pub(super) lines: Vec<usize>,
}

/// The parts of a function's text, in order; none of a text that is no program.
pub(super) fn parts(text: &str, output: &str) -> Vec<Part> {
    let mut sources = SourceMap::new();
    let file = sources.add("program", text);
    let mut parse = atl_syntax::parse_file(file, text);
    let mut reader = Reader { sources, file, parts: Vec::new() };
    for item in &mut parse.tree.items {
        if let Item::Function(f) = item {
            reader.value(&mut f.body, output, &[]);
        }
    }
    reader.parts
}

/// The letters of a label that names in the loops keep.
pub(super) fn letters(label: &str) -> String {
    label.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

struct Reader {
    sources: SourceMap,
    file: FileId,
    parts: Vec<Part>,
}

impl Reader {
    /// A term that is computed into a buffer inside loops: the lines that no binder in it takes up are its
    /// value.
    fn value(&mut self, e: &mut Expr, into: &str, loops: &[String]) {
        let mut inner = Vec::new();
        let place = self.parts.len();
        self.walk(e, into, loops, &mut inner);
        let lines: Vec<usize> = self.lines(e.span).filter(|line| !inner.contains(line)).collect();
        let is_binder = !e.bound_mut().is_empty();
        if !lines.is_empty() && !is_binder {
            let part = Part { what: What::Value, into: into.to_owned(), loops: loops.to_vec(), lines };
            self.parts.insert(place, part);
        }
    }

    /// Finds the binders in a term; `inner` receives the lines that they take up.
    fn walk(&mut self, e: &mut Expr, into: &str, loops: &[String], inner: &mut Vec<usize>) {
        let span = e.span;
        match &mut e.kind {
            ExprKind::Bind { binders, body, .. } => {
                let mut loops = loops.to_vec();
                for binder in binders {
                    loops.push(binder.name.text.clone());
                    let lines = self.lines(binder.span).collect();
                    self.parts.push(Part {
                        what: What::Loop,
                        into: into.to_owned(),
                        loops: loops.clone(),
                        lines,
                    });
                }
                self.value(body, into, &loops);
                inner.extend(self.lines(span));
            }
            ExprKind::Let { name, value, body, .. } => {
                let (name, lines) = (name.text.clone(), self.lines(name.span).collect());
                self.parts.push(Part { what: What::Let, into: name.clone(), loops: loops.to_vec(), lines });
                self.value(value, &name, loops);
                self.value(body, into, loops);
                inner.extend(self.lines(span));
            }
            _ => {
                for child in e.children_mut() {
                    self.walk(child, into, loops, inner);
                }
            }
        }
    }

    fn lines(&self, span: Span) -> std::ops::RangeInclusive<usize> {
        let line = |offset| self.sources.position(self.file, offset).line - 1;
        line(span.start)..=line(span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_lets_and_values_have_their_lines() {
        let text = "\
fn f(a: f32[N, M]) -> f32[N] {
    let t = gen i < N { a[i, 0] };
    gen i < N {
        2 * sum k < M {
            a[i, k] * t[i]
        }
    }
}
";
        let found: Vec<String> = parts(text, "out")
            .into_iter()
            .map(|p| format!("{:?} {} {} {:?}", p.what, p.into, p.loops.join("/"), p.lines))
            .collect();
        let expected = [
            "Let t  [1]",
            "Loop t i [1]",
            "Value t i [1]",
            "Loop out i [2]",
            "Loop out i/k [3]",
            "Value out i/k [4]",
        ];
        assert_eq!(found, expected);
        assert_eq!(parts("no program", "out"), []);
    }
}
