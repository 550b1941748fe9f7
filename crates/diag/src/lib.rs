//! Diagnostics: what every refusal of `atl` looks like.
//!
//! The one idea: the good error is the short one. [`err!`] takes a code of the error index, a span and
//! a message; labels, notes and help are chained on. A code that has no page in the index does not
//! compile, so every error a user can meet is explained by `atl explain CODE`.
//!
//! What this crate does not do: it never prints (only the faces do), and its renderer is an
//! implementation detail behind [`Diagnostic::render`] and [`Diagnostic::to_json`].
//!
//! ```
//! use atl_diag::{SourceMap, Span, err};
//!
//! let mut sources = SourceMap::new();
//! let file = sources.add("blur.atl", "let x = 1 x");
//! let diagnostic = err!(E0104, Span::new(file, 9, 9), "missing `;` after the value of `x`")
//!     .label("expected `;` here")
//!     .suggest("end the binding with `;`", Span::new(file, 9, 9), ";");
//! let text = diagnostic.render(&sources, atl_diag::Color::Never);
//! assert!(text.contains("error[E0104]"));
//! assert!(atl_diag::explain("E0104").is_some());
//! ```

pub mod codes;
mod diagnostic;
mod json;
mod render;
mod source;
pub mod spelling;

pub use codes::{Code, explain};
pub use diagnostic::{Diagnostic, Fix, Help, Label, Severity};
pub use render::Color;
pub use source::{FileId, Position, SourceMap, Span};
