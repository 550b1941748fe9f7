//! A reader of JSON, as strict as the standard, for checking what the command writes.

use std::iter::Peekable;
use std::str::Chars;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    /// A field of an object.
    pub(crate) fn field(&self, name: &str) -> &Value {
        match self {
            Value::Object(fields) => {
                let found = fields.iter().find(|(field, _)| field == name);
                &found.unwrap_or_else(|| panic!("no field `{name}` in {self:?}")).1
            }
            _ => panic!("no object: {self:?}"),
        }
    }

    /// A string.
    pub(crate) fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            _ => panic!("no string: {self:?}"),
        }
    }

    /// A list.
    pub(crate) fn list(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            _ => panic!("no list: {self:?}"),
        }
    }

    /// A number.
    pub(crate) fn number(&self) -> f64 {
        match self {
            Value::Number(x) => *x,
            _ => panic!("no number: {self:?}"),
        }
    }
}

/// Reads one value and nothing more.
pub(crate) fn parse(text: &str) -> Value {
    let mut chars = text.trim().chars().peekable();
    let value = read(&mut chars).unwrap_or_else(|| panic!("no JSON: {text}"));
    assert_eq!(chars.next(), None, "more than one value: {text}");
    value
}

fn read(chars: &mut Peekable<Chars<'_>>) -> Option<Value> {
    match *chars.peek()? {
        '{' => {
            let fields = items(chars, '}', |chars| {
                let name = string(chars)?;
                (chars.next()? == ':').then_some(())?;
                Some((name, read(chars)?))
            });
            fields.map(Value::Object)
        }
        '[' => items(chars, ']', read).map(Value::List),
        '"' => string(chars).map(Value::Text),
        _ => {
            let mut word = String::new();
            while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c)) {
                word.push(c);
            }
            match word.as_str() {
                "null" => Some(Value::Null),
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                number => number
                    .starts_with(|c: char| c.is_ascii_digit() || c == '-')
                    .then(|| number.parse().ok())?
                    .map(Value::Number),
            }
        }
    }
}

fn items<T>(
    chars: &mut Peekable<Chars<'_>>,
    close: char,
    item: impl Fn(&mut Peekable<Chars<'_>>) -> Option<T>,
) -> Option<Vec<T>> {
    chars.next()?;
    let mut found = Vec::new();
    if chars.next_if_eq(&close).is_some() {
        return Some(found);
    }
    loop {
        found.push(item(chars)?);
        match chars.next()? {
            ',' => {}
            end => return (end == close).then_some(found),
        }
    }
}

fn string(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    (chars.next()? == '"').then_some(())?;
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => text.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
                }
                c @ ('"' | '\\' | '/') => c,
                _ => return None,
            }),
            c if (c as u32) < 0x20 => return None,
            c => text.push(c),
        }
    }
}
