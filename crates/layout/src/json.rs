//! JSON of requests and answers: what an answer's text looks like, and a reader that refuses a field that stands twice.

use crate::refusal::{Kind, Refusal, Result};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::ser::Formatter;
use serde_json::{Map, Serializer, Value};
use std::fmt;
use std::io::{self, Write};

/// The value that a line is.
pub(crate) fn parse(line: &str) -> Result<Value> {
    let read: serde_json::Result<Unique> = serde_json::from_str(line);
    let why = match read {
        Ok(Unique(value)) => return Ok(value),
        Err(why) => why.to_string(),
    };
    let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
    Err(Refusal::new(Kind::Line, format!("the line is no JSON: {why}")))
}

/// A value in which no object has two fields of one name: which of them counts is not for us to say.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Unique, D::Error> {
        from.deserialize_any(Reader).map(Unique)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> std::result::Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> std::result::Result<Value, E> {
        Ok(Value::Bool(truth))
    }

    fn visit_i64<E>(self, n: i64) -> std::result::Result<Value, E> {
        Ok(Value::Number(n.into()))
    }

    fn visit_u64<E: Error>(self, n: u64) -> std::result::Result<Value, E> {
        i64::try_from(n).map(|n| Value::Number(n.into())).map_err(|_| not_an_integer(n))
    }

    fn visit_f64<E: Error>(self, x: f64) -> std::result::Result<Value, E> {
        Err(not_an_integer(x))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> std::result::Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unique(part)) = parts.next_element()? {
            list.push(part);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> std::result::Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Unique(value))) = fields.next_entry::<String, Unique>()? {
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a field stands twice in an object"));
            }
        }
        Ok(Value::Object(object))
    }
}

fn not_an_integer<E: Error>(x: impl fmt::Display) -> E {
    E::custom(format!("`{x}` is not an integer of 64 bits"))
}

/// The text of a value, on one line, with a space after each comma and colon.
pub(crate) fn text(value: &Value) -> String {
    let mut out = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut out, Spaced));
    debug_assert!(written.is_ok(), "writing to memory");
    String::from_utf8_lossy(&out).into_owned()
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_written() {
        let line = r#"{"op": "a\"\u0041", "args": [1, -2, [], null, true, {}]}"#;
        let value = parse(line).expect("JSON");
        assert_eq!(value["op"], "a\"A");
        assert_eq!(text(&value), r#"{"op": "a\"A", "args": [1, -2, [], null, true, {}]}"#);
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for line in [
            "",
            "{",
            "[1,",
            "[1 2]",
            "{\"a\"}",
            "\"a",
            "\"\\x\"",
            "\"\\u12",
            "1.5",
            "nul",
            "[]]",
            "9223372036854775808",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse(&"[".repeat(1 << 20)).is_err());
    }
}
