//! Requests, one a line: `{"op": "complement", "args": ["4:2", 24]}` is answered by `{"result": "(2,3):(1,8)"}`.
//!
//! An argument is an expression in a string, a number, or a list, which is a tuple; `null` is `_`. The operation `evaluate` takes
//! one expression. A layout with an offset is answered by both, `{"result": "(4):(2)", "offset": 8}`. Numbers, truth values and lists are answered as such, everything else as text; a refusal is
//! `{"line": 3, "refused": "why"}`. Every line has its answer, a blank one too, and no line stops the ones after it. A request may have
//! an `"id"`, which its answer begins with.

use crate::functions;
use crate::json::{parse, text};
use crate::refusal::{Kind, Refusal, Result};
use crate::shifted::Shifted;
use crate::stride::Stride;
use crate::swizzle::{Composed, Swizzle};
use crate::symbolic::has_names;
use crate::text::evaluate;
use crate::tree::Tree;
use crate::value::{Item, Value};
use serde_json::{Map, Value as Json, json};

/// The answer to a line.
pub fn answer(line: &str) -> String {
    answered(line.as_bytes(), None)
}

/// The answer to the line of this number, which is 1 for the first. A refusal says the number.
pub fn answer_numbered(line: &[u8], number: usize) -> String {
    answered(line, Some(number))
}

fn answered(line: &[u8], number: Option<usize>) -> String {
    let read = match std::str::from_utf8(line) {
        Ok(text) if text.trim().is_empty() => Err(blank()),
        Ok(text) => parse(text),
        Err(_) => Err(Refusal::new(Kind::Line, "the line is no text: its bytes are not UTF-8")),
    };
    let mut answer = Map::new();
    let mut say = |name: &str, value: Json| drop(answer.insert(name.to_owned(), value));
    if let Some(id) = read.as_ref().ok().and_then(|request| request.get("id")) {
        say("id", id.clone());
    }
    match read.and_then(|request| value_of(&request)) {
        Ok(value) => {
            let (result, offset) = apart(&value);
            say("result", result);
            offset.into_iter().for_each(|offset| say("offset", offset));
        }
        Err(refusal) => {
            number.into_iter().for_each(|number| say("line", json!(number)));
            say("refused", json!(refusal.to_string()));
        }
    }
    text(&Json::Object(answer))
}

fn blank() -> Box<Refusal> {
    Refusal::new(Kind::Line, "the line is blank")
}

/// What a request asks for.
fn value_of(request: &Json) -> Result<Value> {
    let (Some(Json::String(operation)), Some(Json::Array(args))) = (request.get("op"), request.get("args"))
    else {
        return Err(Refusal::new(Kind::Line, "the line is no request")
            .note("a request is {\"op\": \"complement\", \"args\": [\"4:2\", 24]}"));
    };
    if let Some(expression) = with_names(operation, args) {
        return Ok(evaluate(&expression)?.value);
    }
    let mut values = args.iter().map(value).collect::<Result<Vec<Value>>>()?;
    if operation == "evaluate" && values.len() == 1 {
        return Ok(values.remove(0));
    }
    let unknown = || Refusal::new(Kind::Arguments, format!("there is no operation `{operation}`"));
    functions::by_name(operation).ok_or_else(unknown)?.call(&values, &mut Vec::new())
}

/// The request as one expression, if there is a name of a size in one of its arguments: what is known of sizes is known in all of it.
fn with_names(operation: &str, args: &[Json]) -> Option<String> {
    let text = |arg: &Json| match arg {
        Json::String(text) => Some(text.clone()),
        Json::Number(n) => Some(n.to_string()),
        _ => None,
    };
    let texts: Vec<String> = args.iter().map(text).collect::<Option<_>>()?;
    let named = texts.iter().any(|text| has_names(text));
    (named && operation != "evaluate").then(|| format!("{operation}({})", texts.join(", ")))
}

/// An argument.
fn value(json: &Json) -> Result<Value> {
    match json {
        Json::String(text) => Ok(evaluate(text)?.value),
        other => Ok(Value::Tuple(tuple(other)?)),
    }
}

fn tuple(json: &Json) -> Result<Tree<Item>> {
    match json {
        Json::Null => Ok(Tree::Leaf(Item::Hole)),
        // Checked as any other number of an expression.
        Json::Number(n) => match evaluate(&n.to_string())?.value {
            Value::Tuple(tuple) => Ok(tuple),
            _ => match n.as_i64() {
                Some(n) => Ok(Tree::Leaf(Item::Int(n))),
                None => Err(Refusal::new(Kind::Line, format!("`{n}` is not an integer of 64 bits"))),
            },
        },
        Json::Array(parts) => Ok(Tree::Node(parts.iter().map(tuple).collect::<Result<_>>()?)),
        _ => Err(Refusal::new(
            Kind::Line,
            "an argument is an expression in a string, a number, or a list of numbers",
        )),
    }
}

/// A layout and its offset are two fields of the answer.
fn apart(value: &Value) -> (Json, Option<Json>) {
    match value {
        Value::Composed(Composed { swizzle: Swizzle::IDENTITY, offset, layout }) => {
            (json!(layout.to_string()), Some(json!(offset)))
        }
        Value::Coordinates(Shifted { offset, layout }) if !offset.is_zero() => {
            (json!(layout.to_string()), Some(json!(offset.to_string())))
        }
        value => (value_json(value), None),
    }
}

/// A value as JSON.
pub fn value_json(value: &Value) -> Json {
    match value {
        Value::Tuple(Tree::Leaf(Item::Int(n))) => json!(n),
        Value::Bool(answer) => json!(answer),
        Value::List(values) => values.iter().map(value_json).collect(),
        other => json!(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{answer, answer_numbered};

    fn check(line: &str, wanted: &str) {
        assert_eq!(answer(line), wanted, "{line}");
    }

    #[test]
    fn a_field_that_stands_twice_is_refused() {
        for line in [
            r#"{"op":"size","op":"rank","args":["(2,3):(1,2)"]}"#,
            r#"{"op":"size","args":["4:1"],"args":["2:1"]}"#,
        ] {
            assert!(answer(line).contains("a field stands twice in an object"), "{line}");
        }
    }

    #[test]
    fn requests_are_answered() {
        check(r#"{"op": "complement", "args": ["4:2", 24]}"#, r#"{"result": "(2,3):(1,8)"}"#);
        check(r#"{"op": "size", "args": [[4, [2, 3]]]}"#, r#"{"result": 24}"#);
        check(r#"{"op": "recognise", "args": [[0, 2, 1, 3]]}"#, r#"{"result": "(2,2):(2,1)"}"#);
        check(
            r#"{"op": "slice", "args": ["(4,2):(2,1)", [null, 1]]}"#,
            r#"{"result": "(4):(2)", "offset": 1}"#,
        );
        check(r#"{"op": "table", "args": ["(2,2):(2,1)"]}"#, r#"{"result": [0, 2, 1, 3]}"#);
        check(r#"{"op": "congruent", "args": ["(4)", 4]}"#, r#"{"result": false}"#);
        check(
            r#"{"op": "evaluate", "args": ["(6,2):(8,2) o (4,3):(3,1)"]}"#,
            r#"{"result": "((2,2),3):((24,2),8)"}"#,
        );
    }

    #[test]
    fn sizes_may_have_names() {
        check(
            r#"{"op": "composition", "args": ["(M,4):(4,1)", "(M,2):(1,2*M)"]}"#,
            r#"{"result": "(M,2):(4,2)"}"#,
        );
        check(r#"{"op": "complement", "args": ["M:1", "6*M"]}"#, r#"{"result": "6:M"}"#);
        check(r#"{"op": "evaluate", "args": ["coalesce((M,N)) where M == 4"]}"#, r#"{"result": "M*N:1"}"#);
    }

    #[test]
    fn answers_have_the_id_of_their_request_and_refusals_their_line() {
        let asked: [&[u8]; 5] = [
            br#"{"id": 7, "op": "size", "args": [4]}"#,
            b"",
            br#"{"id": ["a", null], "op": "siz", "args": []}"#,
            b"[",
            b"\xff",
        ];
        let lines: Vec<String> =
            asked.iter().zip(1..).map(|(line, number)| answer_numbered(line, number)).collect();
        assert_eq!(lines[0], r#"{"id": 7, "result": 4}"#);
        assert_eq!(lines[1], r#"{"line": 2, "refused": "the line is blank"}"#);
        assert!(
            lines[2].starts_with(r#"{"id": ["a", null], "line": 3, "refused": "there is no operation"#),
            "{lines:?}"
        );
        assert!(
            lines[3].starts_with(r#"{"line": 4, "refused": "the line is no JSON"#)
                && lines[4].starts_with(r#"{"line": 5, "refused": "the line is no text"#),
            "{lines:?}"
        );
    }

    #[test]
    fn lines_that_cannot_be_answered_say_why() {
        for (line, why) in [
            ("{}", "no request"),
            ("[", "no JSON"),
            (r#"{"op": "nothing", "args": []}"#, "no operation `nothing`"),
            (r#"{"op": "size", "args": []}"#, "0 arguments; it takes size(S)"),
            (r#"{"op": "size", "args": [{}]}"#, "an argument is"),
            (r#"{"op": "size", "args": [9223372036854775807]}"#, "too large"),
            (r#"{"op": "size", "args": ["(4,0)"]}"#, "the extent 0"),
        ] {
            let found = answer(line);
            assert!(found.starts_with("{\"refused\": ") && found.contains(why), "{line}: {found}");
        }
    }
}
