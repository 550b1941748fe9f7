//! Machine-readable output: values that print themselves as JSON on one line.

use atl_diag::{Diagnostic, SourceMap, json_string};
use std::fmt;

/// A JSON value.
#[derive(Clone, Debug)]
pub(crate) enum Json {
    /// A string.
    Text(String),
    /// An integer.
    Integer(i128),
    /// A number; `null` where it is not finite.
    Number(f64),
    /// A truth value.
    Bool(bool),
    /// Nothing.
    Null,
    /// A list.
    List(Vec<Json>),
    /// An object, its fields in this order.
    Object(Vec<(&'static str, Json)>),
    /// A value that is already written.
    Raw(String),
}

impl Json {
    /// A string.
    pub(crate) fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    /// A count.
    pub(crate) fn count(n: usize) -> Json {
        Json::Integer(n as i128)
    }

    /// A string, or nothing.
    pub(crate) fn optional(text: Option<impl Into<String>>) -> Json {
        text.map_or(Json::Null, Json::text)
    }

    /// A list of strings.
    pub(crate) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Json {
        Json::List(texts.into_iter().map(Json::text).collect())
    }

    /// Diagnostics in their own form.
    pub(crate) fn diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Json {
        Json::List(diagnostics.iter().map(|d| Json::Raw(d.to_json(sources))).collect())
    }

    /// On a line of its own.
    pub(crate) fn line(&self) -> String {
        format!("{self}\n")
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Text(text) => f.write_str(&json_string(text)),
            Json::Integer(n) => write!(f, "{n}"),
            Json::Number(x) if x.is_finite() => write!(f, "{x:?}"),
            Json::Number(_) | Json::Null => f.write_str("null"),
            Json::Bool(b) => write!(f, "{b}"),
            Json::Raw(text) => f.write_str(text),
            Json::List(items) => {
                f.write_str("[")?;
                for (k, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if k > 0 { "," } else { "" })?;
                }
                f.write_str("]")
            }
            Json::Object(fields) => {
                f.write_str("{")?;
                for (k, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}{}:{value}", if k > 0 { "," } else { "" }, json_string(name))?;
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn values_are_json() {
        let value = Json::Object(vec![
            ("a", Json::text("x\"y\n")),
            ("b", Json::List(vec![Json::Integer(-1), Json::Number(0.5), Json::Number(f64::NAN), Json::Null])),
            ("c", Json::Bool(true)),
        ]);
        assert_eq!(value.line(), "{\"a\":\"x\\\"y\\n\",\"b\":[-1,0.5,null,null],\"c\":true}\n");
    }
}
