//! JSON with line breaks, so that two results can be compared line by line.

use atl_diag::json_string;
use std::fmt;

/// A JSON value.
pub(crate) enum Json {
    /// A string.
    Text(String),
    /// A number; `null` where it is not finite. Four significant digits are more than a measurement has.
    Number(f64),
    /// A count.
    Count(usize),
    /// A truth value.
    Bool(bool),
    /// A list.
    List(Vec<Json>),
    /// An object, its fields in this order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A string.
    pub(crate) fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    /// An object.
    pub(crate) fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
        Json::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    fn nests(&self) -> bool {
        match self {
            Json::List(items) => items.iter().any(|item| matches!(item, Json::List(_) | Json::Object(_))),
            Json::Object(fields) => fields.iter().any(|(_, v)| matches!(v, Json::List(_) | Json::Object(_))),
            _ => false,
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        match self {
            Json::Text(text) => f.write_str(&json_string(text)),
            Json::Number(x) if x.is_finite() => write!(f, "{}", rounded(*x)),
            Json::Number(_) => f.write_str("null"),
            Json::Count(n) => write!(f, "{n}"),
            Json::Bool(b) => write!(f, "{b}"),
            Json::List(items) => {
                let items = items.iter().map(|item| (None, item));
                self.parts(f, depth, ['[', ']'], items)
            }
            Json::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| (Some(name.as_str()), value));
                self.parts(f, depth, ['{', '}'], fields)
            }
        }
    }

    /// One part a line if something nests, else all on one.
    fn parts<'a>(
        &self,
        f: &mut fmt::Formatter<'_>,
        depth: usize,
        brackets: [char; 2],
        parts: impl Iterator<Item = (Option<&'a str>, &'a Json)>,
    ) -> fmt::Result {
        let line =
            |depth: usize| if self.nests() { format!("\n{:1$}", "", 2 * depth) } else { String::new() };
        write!(f, "{}", brackets[0])?;
        for (k, (name, value)) in parts.enumerate() {
            let comma = if k == 0 {
                ""
            } else if self.nests() {
                ","
            } else {
                ", "
            };
            write!(f, "{comma}{}", line(depth + 1))?;
            if let Some(name) = name {
                write!(f, "{}: ", json_string(name))?;
            }
            value.write(f, depth + 1)?;
        }
        write!(f, "{}{}", line(depth), brackets[1])
    }
}

/// To four significant digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &Json, text: &str) {
        assert_eq!(value.to_string(), text);
    }

    #[test]
    fn flat_values_stand_on_one_line() {
        let flat = || Json::object([("a", Json::Number(0.123_456)), ("b", Json::text("x\"y"))]);
        check(&flat(), r#"{"a": 0.1235, "b": "x\"y"}"#);
        check(&Json::List(vec![flat(), Json::Count(2)]), "[\n  {\"a\": 0.1235, \"b\": \"x\\\"y\"},\n  2\n]");
        check(&Json::Number(f64::INFINITY), "null");
        check(&Json::Number(123_456.0), "123500");
    }
}
