//! The terminal form of a diagnostic.
//!
//! `annotate-snippets` draws it; nothing outside this file knows that. Spans are clamped to their file
//! and to character boundaries first, so that a wrong span shows a wrong place and never panics.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use crate::{Diagnostic, FileId, Label, Severity, SourceMap, Span};

/// Whether to write terminal colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// Escape sequences, for a terminal.
    Always,
    /// Plain text.
    Never,
}

fn clamp(span: Span, text: &str) -> Range<usize> {
    let floor = |offset: u32| {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    floor(span.start)..floor(span.end)
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    }
}

impl Diagnostic {
    /// The files of the labels, the primary's first.
    fn files(&self) -> Vec<FileId> {
        let mut files = Vec::new();
        for label in self.primary.iter().chain(&self.secondary) {
            if !files.contains(&label.span.file) {
                files.push(label.span.file);
            }
        }
        files
    }

    /// The diagnostic as a person reads it, with the source lines, ending in a newline.
    pub fn render(&self, sources: &SourceMap, color: Color) -> String {
        let code = self.code.to_string();
        let mut group = Group::with_title(level(self.severity).primary_title(&self.message).id(&code));
        for file in self.files() {
            let text = sources.text(file);
            let annotation = |kind: AnnotationKind, label: &'_ Label| {
                let words = (!label.text.is_empty()).then(|| label.text.clone());
                kind.span(clamp(label.span, text)).label(words)
            };
            let in_file = |label: &&Label| label.span.file == file;
            let snippet = Snippet::source(text)
                .path(sources.name(file))
                .annotations(
                    self.primary.iter().filter(in_file).map(|l| annotation(AnnotationKind::Primary, l)),
                )
                .annotations(
                    self.secondary.iter().filter(in_file).map(|l| annotation(AnnotationKind::Context, l)),
                );
            group = group.element(snippet);
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note));
        }
        for help in self.help.iter().filter(|help| help.fix.is_none()) {
            group = group.element(Level::HELP.message(&help.text));
        }
        let mut report = vec![group];
        for help in &self.help {
            let Some(fix) = &help.fix else { continue };
            let text = sources.text(fix.span.file);
            let snippet = Snippet::source(text)
                .path(sources.name(fix.span.file))
                .patch(Patch::new(clamp(fix.span, text), &fix.replacement));
            report.push(Group::with_title(Level::HELP.secondary_title(&help.text)).element(snippet));
        }
        let renderer = match color {
            Color::Always => Renderer::styled(),
            Color::Never => Renderer::plain(),
        };
        let mut out = renderer.render(&report);
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::err;

    fn check(text: &str, build: impl Fn(FileId) -> Diagnostic, expected: &str) {
        let mut sources = SourceMap::new();
        let file = sources.add("a.atl", text);
        let rendered = build(file).render(&sources, Color::Never);
        assert_eq!(rendered.trim_end(), expected.trim(), "\n{rendered}");
    }

    #[test]
    fn a_message_without_a_place() {
        check("", |_| err!(E0104, "no place").note("a fact"), "error[E0104]: no place\n |\n = note: a fact");
    }

    #[test]
    fn labels_notes_and_a_fix() {
        check(
            "let x = 1 x\n",
            |file| {
                err!(E0104, Span::new(file, 9, 9), "missing `;`")
                    .label("expected `;`")
                    .also(Span::new(file, 4, 5), "this binding")
                    .note("a fact")
                    .suggest("end the binding with `;`", Span::new(file, 9, 9), ";")
            },
            concat!(
                "error[E0104]: missing `;`\n",
                " --> a.atl:1:10\n",
                "  |\n",
                "1 | let x = 1 x\n",
                "  |     -    ^ expected `;`\n",
                "  |     |\n",
                "  |     this binding\n",
                "  |\n",
                "  = note: a fact\n",
                "help: end the binding with `;`\n",
                "  |\n",
                "1 | let x = 1; x\n",
                "  |          +"
            ),
        );
    }

    #[test]
    fn wrong_spans_do_not_panic() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.atl", "α");
        for (start, end) in [(0, 1), (1, 1), (5, 9), (u32::MAX, u32::MAX)] {
            let text = err!(E0104, Span::new(file, start, end), "m").render(&sources, Color::Always);
            assert!(text.contains("E0104"));
        }
        assert!(
            err!(E0104, Span::new(FileId(9), 0, 1), "m").render(&sources, Color::Never).contains("E0104")
        );
    }
}
