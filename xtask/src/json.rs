//! Reading JSON, as far as the results of measurements need it.
//!
//! The one idea: a value, a way to its fields, and the empty value where there is none, so that a page is a plain
//! function of what was measured. It writes nothing, and knows no escapes beyond those that our own writer makes.

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Json {
    /// `null`, and what is not there.
    Null,
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a whole text.
    pub(crate) fn parse(text: &str) -> Result<Json, String> {
        let mut reader = Reader { rest: text };
        let value = reader.value()?;
        reader.space();
        if reader.rest.is_empty() { Ok(value) } else { Err(reader.expected("the end")) }
    }

    /// A field of an object.
    pub(crate) fn field(&self, name: &str) -> &Json {
        match self {
            Json::Object(fields) => fields.iter().find(|(n, _)| n == name).map_or(&Json::Null, |(_, v)| v),
            _ => &Json::Null,
        }
    }

    /// The items of a list.
    pub(crate) fn list(&self) -> &[Json] {
        if let Json::List(items) = self { items } else { &[] }
    }

    /// A string.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    /// A number.
    pub(crate) fn number(&self) -> Option<f64> {
        if let Json::Number(number) = self { Some(*number) } else { None }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn expected(&self, what: &str) -> String {
        format!("JSON: expected {what} at `{}`", self.rest.chars().take(20).collect::<String>())
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Is this next? Then it is read.
    fn takes(&mut self, token: &str) -> bool {
        self.space();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self) -> Result<Json, String> {
        if self.takes("null") {
            return Ok(Json::Null);
        }
        if self.takes("\"") {
            return Ok(Json::Text(self.string()?));
        }
        if self.takes("[") {
            return Ok(Json::List(self.parts("]", Reader::value)?));
        }
        if self.takes("{") {
            return Ok(Json::Object(self.parts("}", |reader| {
                if !reader.takes("\"") {
                    return Err(reader.expected("a name"));
                }
                let name = reader.string()?;
                if !reader.takes(":") {
                    return Err(reader.expected("`:`"));
                }
                Ok((name, reader.value()?))
            })?));
        }
        let end = self.rest.find(|c: char| !"+-.eE".contains(c) && !c.is_ascii_digit());
        let (number, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let number = number.parse().map_err(|_| self.expected("a value"))?;
        self.rest = rest;
        Ok(Json::Number(number))
    }

    fn parts<T>(
        &mut self,
        end: &str,
        part: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut parts = Vec::new();
        while !self.takes(end) {
            if !parts.is_empty() && !self.takes(",") {
                return Err(self.expected("`,`"));
            }
            parts.push(part(self)?);
        }
        Ok(parts)
    }

    /// The rest of a string, behind its quotation mark.
    fn string(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, c @ ('"' | '\\' | '/'))) => text.push(c),
                    _ => return Err(self.expected("a known escape")),
                },
                c => text.push(c),
            }
        }
        Err(self.expected("the end of a string"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let value = Json::parse("{\"a\": [1, -2.5e3, null],\n \"b\": {\"c\": \"x\\n\\\"y\\\"\"}}").unwrap();
        assert_eq!(value.field("a").list(), [Json::Number(1.0), Json::Number(-2500.0), Json::Null]);
        assert_eq!(value.field("b").field("c").text(), Some("x\n\"y\""));
        assert_eq!(value.field("nothing"), &Json::Null);
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in ["", "{", "[1 2]", "{\"a\" 1}", "\"\\q\"", "\"", "1 2", "yes"] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }
}
