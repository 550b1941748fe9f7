//! Messages about the parts of complex numbers, in words about complex numbers.
//!
//! What is wrong with a shape or a range is found in the real and in the imaginary part. One message says so,
//! with the names and the types of the text.

use super::{Width, parts_of};
use atl_diag::{Diagnostic, Span};
use std::collections::BTreeMap;

/// What was complex in a function.
#[derive(Clone, Default, Debug)]
pub struct Messages {
    /// Names, of parameters, results, `let`s and states.
    pub(super) names: BTreeMap<String, Width>,
    /// Expressions, by their places.
    pub(super) places: Vec<(Span, Width)>,
}

impl Messages {
    /// The messages in the text's own words, each once.
    pub fn worded(&self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        if self.names.is_empty() && self.places.is_empty() {
            return found;
        }
        let mut said: Vec<Diagnostic> = Vec::new();
        for mut diagnostic in found {
            let at = diagnostic.span();
            let width = self.places.iter().find(|(span, _)| Some(*span) == at).map(|(_, width)| *width);
            let words = |text: &mut String| *text = self.in_words(text, width);
            words(&mut diagnostic.message);
            diagnostic.notes.iter_mut().for_each(words);
            diagnostic
                .secondary
                .iter_mut()
                .chain(&mut diagnostic.primary)
                .for_each(|label| words(&mut label.text));
            diagnostic.help.iter_mut().for_each(|help| {
                words(&mut help.text);
                help.fix.iter_mut().for_each(|fix| words(&mut fix.replacement));
            });
            let again = |other: &Diagnostic| {
                other.code == diagnostic.code && other.span() == at && other.severity == diagnostic.severity
            };
            if !said.iter().any(again) {
                said.push(diagnostic);
            }
        }
        said
    }

    fn in_words(&self, text: &str, width: Option<Width>) -> String {
        let mut text = text.to_owned();
        for name in self.names.keys() {
            for part in parts_of(name) {
                text = replace_word(&text, &part, name);
            }
        }
        if let Some(width) = width {
            text = replace_word(&text, width.part(), width.name());
        }
        text
    }
}

/// The text with another word for this one.
fn replace_word(text: &str, from: &str, to: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut made, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        made.push_str(before);
        made.push_str(if whole { to } else { from });
        rest = after;
    }
    made + rest
}
