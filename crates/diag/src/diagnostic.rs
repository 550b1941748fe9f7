//! The value every refusal is: a code, a message, places, notes, and help that can be applied.

use crate::{Code, Span};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The program, data or command was refused.
    Error,
    /// Accepted, but probably not what was meant.
    Warning,
    /// Something worth knowing.
    Info,
}

impl Severity {
    /// `error`, `warning` or `info`.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// A place with a few words about it; the words may be empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// A replacement of the bytes of a span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What to replace; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// Advice, with the edit that follows it when there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Help {
    /// The advice.
    pub text: String,
    /// The edit.
    pub fix: Option<Fix>,
}

/// One refusal or remark. Build it with [`err!`](crate::err) or [`warning!`](crate::warning).
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Diagnostic {
    /// The entry of the error index.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One line: what was expected and what was found.
    pub message: String,
    /// The place to look at first.
    pub primary: Option<Label>,
    /// Other places that belong to the story.
    pub secondary: Vec<Label>,
    /// Facts: the failed side condition, the range that violates it, a counterexample.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Vec<Help>,
}

impl Diagnostic {
    /// Each diagnostic once, where it is first: of copies of a term each has what all have.
    pub fn distinct(all: impl IntoIterator<Item = Diagnostic>) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = Vec::new();
        for one in all {
            if !found.contains(&one) {
                found.push(one);
            }
        }
        found
    }

    /// A diagnostic with nothing but a code and a message; the macros call this.
    pub fn new(code: Code, severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Puts the diagnostic at a place. `Some(span)` and `None` are accepted too.
    pub fn at(mut self, span: impl Into<Option<Span>>) -> Diagnostic {
        let text = self.primary.take().map(|label| label.text).unwrap_or_default();
        self.primary = span.into().map(|span| Label { span, text });
        self
    }

    /// The words under the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }

    /// Another place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// A fact.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Advice in words.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(Help { text: text.into(), fix: None });
        self
    }

    /// Advice with the edit that follows it.
    pub fn suggest(
        mut self,
        text: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Diagnostic {
        let fix = Some(Fix { span, replacement: replacement.into() });
        self.help.push(Help { text: text.into(), fix });
        self
    }

    /// Where to look first, if anywhere.
    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }

    /// Whether it refuses something.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// An error: `err!(E0104, span, "missing {x}")`, or `err!(E0601, "cannot read {path}")` without a place.
///
/// The code is an identifier of [`codes`](crate::codes), so an error without a page does not compile.
#[macro_export]
macro_rules! err {
    ($code:ident, $format:literal $($arguments:tt)*) => {
        $crate::Diagnostic::new(
            $crate::codes::$code, $crate::Severity::Error, ::std::format!($format $($arguments)*))
    };
    ($code:ident, $span:expr, $($message:tt)+) => {
        $crate::Diagnostic::new(
            $crate::codes::$code, $crate::Severity::Error, ::std::format!($($message)+)).at($span)
    };
}

/// A warning, written like [`err!`].
#[macro_export]
macro_rules! warning {
    ($code:ident, $format:literal $($arguments:tt)*) => {
        $crate::Diagnostic::new(
            $crate::codes::$code, $crate::Severity::Warning, ::std::format!($format $($arguments)*))
    };
    ($code:ident, $span:expr, $($message:tt)+) => {
        $crate::Diagnostic::new(
            $crate::codes::$code, $crate::Severity::Warning, ::std::format!($($message)+)).at($span)
    };
}
