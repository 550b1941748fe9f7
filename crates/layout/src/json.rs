//! JSON as far as requests need it: one value of a line, integers only.

use crate::refusal::{Kind, Refusal, Result};
use crate::text::MAX_DEPTH;
use std::collections::BTreeSet;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Integer(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value that a line is.
    pub(crate) fn parse(line: &str) -> Result<Json> {
        let mut reader = Reader { rest: line, depth: 0 };
        let value = reader.value()?;
        if reader.next().is_some() { reader.refuse("the end") } else { Ok(value) }
    }

    /// As it may be written.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Json::Null => "null".to_owned(),
            Json::Bool(truth) => truth.to_string(),
            Json::Integer(n) => n.to_string(),
            Json::Text(text) => quoted(text),
            Json::List(parts) => {
                format!("[{}]", parts.iter().map(Json::to_text).collect::<Vec<_>>().join(", "))
            }
            Json::Object(fields) => {
                let fields =
                    fields.iter().map(|(name, value)| format!("{}: {}", quoted(name), value.to_text()));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// A field of an object.
    pub(crate) fn field(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().find(|(known, _)| known == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// A text as JSON writes it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl Reader<'_> {
    /// The next character that is no blank.
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.rest.chars().next()
    }

    fn eat(&mut self, word: &str) -> bool {
        self.next();
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn refuse<T>(&mut self, expected: &str) -> Result<T> {
        let found = self.next().map_or("the end".to_owned(), |c| format!("`{c}`"));
        Err(Refusal::new(Kind::Line, format!("the line is no JSON: expected {expected}, found {found}")))
    }

    fn value(&mut self) -> Result<Json> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Refusal::new(Kind::Line, format!("the line nests deeper than {MAX_DEPTH}")));
        }
        let value = match self.next() {
            Some('"') => Json::Text(self.text()?),
            Some('[') => {
                self.eat("[");
                Json::List(self.sequence("]", |reader| reader.value())?)
            }
            Some('{') => {
                self.eat("{");
                let fields = self.sequence("}", |reader| {
                    let name = reader.text()?;
                    if !reader.eat(":") {
                        return reader.refuse("`:`");
                    }
                    Ok((name, reader.value()?))
                })?;
                let names: BTreeSet<&String> = fields.iter().map(|(name, _)| name).collect();
                if names.len() < fields.len() {
                    return Err(Refusal::new(Kind::Line, "a field stands twice in an object"));
                }
                Json::Object(fields)
            }
            Some('-' | '0'..='9') => self.integer()?,
            _ if self.eat("null") => Json::Null,
            _ if self.eat("true") => Json::Bool(true),
            _ if self.eat("false") => Json::Bool(false),
            _ => return self.refuse("a value"),
        };
        self.depth -= 1;
        Ok(value)
    }

    /// What stands up to a closing bracket, separated by commas.
    fn sequence<T>(
        &mut self,
        close: &str,
        mut element: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut elements = Vec::new();
        if self.eat(close) {
            return Ok(elements);
        }
        loop {
            elements.push(element(self)?);
            if self.eat(close) {
                return Ok(elements);
            }
            if !self.eat(",") {
                return self.refuse(&format!("`,` or `{close}`"));
            }
        }
    }

    fn integer(&mut self) -> Result<Json> {
        let end = self.rest.find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9'));
        let (number, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        match number.parse() {
            Ok(value) => {
                self.rest = rest;
                Ok(Json::Integer(value))
            }
            Err(_) => Err(Refusal::new(Kind::Line, format!("`{number}` is no integer of 64 bits"))),
        }
    }

    fn text(&mut self) -> Result<String> {
        if !self.eat("\"") {
            return self.refuse("a string");
        }
        let mut text = String::new();
        loop {
            let end = self.rest.find(['"', '\\']);
            let Some(end) = end else { return Err(Refusal::new(Kind::Line, "a string does not end")) };
            let closed = self.rest[end..].starts_with('"');
            text += &self.rest[..end];
            self.rest = &self.rest[end + 1..];
            if closed {
                return Ok(text);
            }
            text.push(self.escaped()?);
        }
    }

    /// What follows a backslash.
    fn escaped(&mut self) -> Result<char> {
        let refuse = || Refusal::new(Kind::Line, "a string has an unknown escape");
        let c = self.rest.chars().next().ok_or_else(refuse)?;
        self.rest = &self.rest[c.len_utf8()..];
        match c {
            '"' | '\\' | '/' => Ok(c),
            'n' => Ok('\n'),
            't' => Ok('\t'),
            'r' => Ok('\r'),
            'b' => Ok('\u{8}'),
            'f' => Ok('\u{c}'),
            'u' => {
                let digits = self.rest.get(..4).ok_or_else(refuse)?;
                let code = u32::from_str_radix(digits, 16).map_err(|_| refuse())?;
                self.rest = &self.rest[4..];
                // Half of a pair is no character; expressions have none beyond the first plane.
                char::from_u32(code).ok_or_else(refuse)
            }
            _ => Err(refuse()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let value =
            Json::parse(r#" {"op": "a\"\u0041", "args": [1, -2, [], null, true, {}]} "#).expect("JSON");
        assert_eq!(value.field("op"), Some(&Json::Text("a\"A".to_owned())));
        let Some(Json::List(args)) = value.field("args") else { panic!("a list") };
        assert_eq!((args.len(), &args[1]), (6, &Json::Integer(-2)));
        assert_eq!(quoted("a\"\\\n"), r#""a\"\\\u000a""#);
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for line in ["", "{", "[1,", "[1 2]", "{\"a\"}", "\"a", "\"\\x\"", "\"\\u12", "1.5", "nul", "[]]"] {
            assert!(Json::parse(line).is_err(), "{line}");
        }
        assert!(Json::parse(&"[".repeat(1 << 20)).is_err());
    }
}
