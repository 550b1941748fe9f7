//! Documents: text with the places where lines may break, and the choice of where they do.
//!
//! A group stays on one line when it fits, else all its own lines break. Comments are part of the
//! document: whatever follows a `//` comment begins a new line, so no layout can swallow it.

/// A comment and how it stood in the text.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    pub(crate) text: String,
    /// A line ends right after it.
    pub(crate) ends_line: bool,
    /// A blank line stands before it.
    pub(crate) blank_before: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Doc {
    Text(String),
    /// A comment on a line of its own.
    Leading(Comment),
    /// A comment after something on the same line.
    Trailing(Comment),
    /// A space, unless a line begins here.
    Space,
    /// A space or a new line.
    Line,
    /// Nothing or a new line.
    SoftLine,
    /// A new line.
    Hard,
    /// A new line after a blank one.
    Blank,
    /// Deeper by one step.
    Nest(Vec<Doc>),
    Group(Vec<Doc>),
}

const INDENT: usize = 4;

/// What the end of a piece of document asks of what follows.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    Nothing,
    Something,
    CommentLast,
    Break,
}

/// Whether the group cannot be on one line: it holds a new line, or a comment that is not at its edge.
fn must_break(docs: &[Doc]) -> bool {
    fn scan(docs: &[Doc], mut seen: Seen) -> Seen {
        for doc in docs {
            seen = match (doc, seen) {
                (_, Seen::Break) => Seen::Break,
                (Doc::Hard | Doc::Blank, _) => Seen::Break,
                (Doc::Text(_), Seen::CommentLast) => Seen::Break,
                (Doc::Text(_), _) => Seen::Something,
                (Doc::Leading(_), Seen::Nothing) => Seen::Nothing,
                (Doc::Leading(_), _) => Seen::Break,
                (Doc::Trailing(comment), _) if comment.ends_line => Seen::CommentLast,
                (Doc::Nest(inner) | Doc::Group(inner), _) => scan(inner, seen),
                (Doc::Trailing(_) | Doc::Space | Doc::Line | Doc::SoftLine, _) => seen,
            };
        }
        seen
    }
    scan(docs, Seen::Nothing) == Seen::Break
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Flat,
    Broken,
}

type Work<'a> = (usize, Mode, &'a Doc);

/// Lays a document out in lines of this width; `None` puts everything on one line.
pub(crate) fn render(docs: &[Doc], width: Option<usize>) -> String {
    let mut out = Out::default();
    let mut stack: Vec<Work<'_>> = docs.iter().rev().map(|doc| (0, Mode::Broken, doc)).collect();
    while let Some((indent, mode, doc)) = stack.pop() {
        match doc {
            Doc::Text(text) => out.text(text, indent),
            Doc::Leading(comment) => out.leading(comment, indent),
            Doc::Trailing(comment) => out.trailing(comment, indent),
            Doc::Line | Doc::SoftLine | Doc::Hard | Doc::Blank if width.is_none() => {
                if !matches!(doc, Doc::SoftLine) {
                    out.space();
                }
            }
            Doc::Space => out.space(),
            Doc::Line if mode == Mode::Flat => out.space(),
            Doc::SoftLine if mode == Mode::Flat => {}
            Doc::Line | Doc::SoftLine | Doc::Hard => out.new_line(indent),
            Doc::Blank => out.blank_line(indent),
            Doc::Nest(inner) => {
                stack.extend(inner.iter().rev().map(|doc| (indent + INDENT, mode, doc)));
            }
            Doc::Group(inner) => {
                let room = width.map_or(usize::MAX, |width| width.saturating_sub(out.column(indent)));
                let flat = mode == Mode::Flat || (!must_break(inner) && fits(inner, &stack, room));
                let mode = if flat { Mode::Flat } else { Mode::Broken };
                stack.extend(inner.iter().rev().map(|doc| (indent, mode, doc)));
            }
        }
    }
    out.text
}

/// Whether these documents, flat, and what follows them up to the first line end fit.
fn fits(docs: &[Doc], rest: &[Work<'_>], mut room: usize) -> bool {
    let mut rest = rest.iter().rev();
    let mut stack: Vec<(Mode, &Doc)> = docs.iter().rev().map(|doc| (Mode::Flat, doc)).collect();
    loop {
        let (mode, doc) = match stack.pop() {
            Some(next) => next,
            None => match rest.next() {
                Some(&(_, mode, doc)) => (mode, doc),
                None => return true,
            },
        };
        let needs = match doc {
            Doc::Text(text) => text.chars().count(),
            Doc::Space => 1,
            Doc::Line if mode == Mode::Flat => 1,
            Doc::SoftLine if mode == Mode::Flat => 0,
            Doc::Trailing(comment) if !comment.ends_line => comment.text.chars().count() + 1,
            Doc::Line | Doc::SoftLine | Doc::Hard | Doc::Blank | Doc::Trailing(_) | Doc::Leading(_) => {
                return true;
            }
            Doc::Nest(inner) | Doc::Group(inner) => {
                stack.extend(inner.iter().rev().map(|doc| (mode, doc)));
                0
            }
        };
        match room.checked_sub(needs) {
            Some(left) => room = left,
            None => return false,
        }
    }
}

#[derive(Default)]
struct Out {
    text: String,
    /// The length of the last line; at its start, how far its text will be indented.
    column: usize,
    /// The next text begins a line.
    line_end_due: bool,
    /// The next text is set off by a space.
    space_due: bool,
}

impl Out {
    fn at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    fn column(&self, indent: usize) -> usize {
        if self.line_end_due { indent } else { self.column + usize::from(self.space_due) }
    }

    fn text(&mut self, text: &str, indent: usize) {
        if text.is_empty() {
            return;
        }
        if self.line_end_due {
            self.new_line(indent);
        }
        if self.at_line_start() {
            self.text.extend(std::iter::repeat_n(' ', self.column));
        } else if self.space_due {
            self.text.push(' ');
            self.column += 1;
        }
        self.space_due = false;
        self.text.push_str(text);
        self.column = match text.rsplit_once('\n') {
            Some((_, last)) => last.chars().count(),
            None => self.column + text.chars().count(),
        };
    }

    fn space(&mut self) {
        self.space_due = !self.at_line_start() && !self.line_end_due;
    }

    fn new_line(&mut self, indent: usize) {
        self.line_end_due = false;
        self.space_due = false;
        if !self.at_line_start() {
            self.text.push('\n');
        }
        self.column = indent;
    }

    fn blank_line(&mut self, indent: usize) {
        self.new_line(indent);
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn leading(&mut self, comment: &Comment, indent: usize) {
        let indent = if self.at_line_start() { self.column } else { indent };
        if comment.blank_before {
            self.blank_line(indent);
        } else {
            self.new_line(indent);
        }
        self.text(&comment.text, indent);
        self.line_end_due = comment.ends_line;
        self.space_due = true;
    }

    fn trailing(&mut self, comment: &Comment, indent: usize) {
        self.space_due = true;
        self.text(&comment.text, indent);
        self.line_end_due = comment.ends_line;
        self.space_due = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str]) -> Doc {
        let mut inner = Vec::new();
        for (index, word) in words.iter().enumerate() {
            inner.push(if index == 0 { Doc::SoftLine } else { Doc::Line });
            inner.push(Doc::Text(format!("{word},")));
        }
        Doc::Group(vec![Doc::Text("(".into()), Doc::Nest(inner), Doc::SoftLine, Doc::Text(")".into())])
    }

    fn check(doc: Doc, width: Option<usize>, expected: &str) {
        assert_eq!(render(&[doc], width), expected);
    }

    #[test]
    fn groups_break_all_their_lines_or_none() {
        check(list(&["a", "b"]), Some(8), "(a, b,)");
        check(list(&["a", "b"]), Some(6), "(\n    a,\n    b,\n)");
        check(list(&["a", "b"]), None, "(a, b,)");
    }

    #[test]
    fn nothing_follows_a_line_comment_on_its_line() {
        let comment = Comment { text: "// c".into(), ends_line: true, blank_before: false };
        let docs = vec![Doc::Text("a".into()), Doc::Trailing(comment), Doc::Text("b".into())];
        check(Doc::Group(docs), Some(80), "a // c\nb");
    }
}
