//! JSON with line breaks, so that two results can be compared line by line.

use serde_json::{Value, json};

/// An object, its fields in this order.
pub(crate) fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// To four significant digits, which are more than a measurement has; `null` where it is not finite.
pub(crate) fn number(x: f64) -> Value {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    // A whole number is written without a fraction.
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 { json!(rounded as i64) } else { json!(rounded) }
}

/// The text of a value: one part a line if something nests, else all on one.
pub(crate) fn text(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out
}

fn write(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Array(items) => {
            let nests = items.iter().any(is_nested);
            parts(out, depth, nests, ['[', ']'], items.iter().map(|item| (None, item)));
        }
        Value::Object(fields) => {
            let nests = fields.values().any(is_nested);
            parts(out, depth, nests, ['{', '}'], fields.iter().map(|(name, value)| (Some(name), value)));
        }
        flat => *out += &flat.to_string(),
    }
}

fn is_nested(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

fn parts<'v>(
    out: &mut String,
    depth: usize,
    nests: bool,
    brackets: [char; 2],
    parts: impl Iterator<Item = (Option<&'v String>, &'v Value)>,
) {
    let line = |depth: usize| if nests { format!("\n{:1$}", "", 2 * depth) } else { String::new() };
    out.push(brackets[0]);
    for (k, (name, value)) in parts.enumerate() {
        *out += if k == 0 {
            ""
        } else if nests {
            ","
        } else {
            ", "
        };
        *out += &line(depth + 1);
        if let Some(name) = name {
            *out += &format!("{}: ", json!(name));
        }
        write(out, value, depth + 1);
    }
    *out += &line(depth);
    out.push(brackets[1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &Value, wanted: &str) {
        assert_eq!(text(value), wanted);
    }

    #[test]
    fn flat_values_stand_on_one_line() {
        let flat = || object([("a", number(0.123_456)), ("b", json!("x\"y"))]);
        check(&flat(), r#"{"a": 0.1235, "b": "x\"y"}"#);
        check(&json!([flat(), 2]), "[\n  {\"a\": 0.1235, \"b\": \"x\\\"y\"},\n  2\n]");
        check(&number(f64::INFINITY), "null");
        check(&number(123_456.0), "123500");
    }
}
