//! The machine-readable form of a diagnostic: one JSON object.
//!
//! Offsets are bytes; lines and columns start at 1. The fields are those of [`Diagnostic`], so that an
//! editor and a script read the same thing as a person.

use crate::{Diagnostic, Label, SourceMap, Span};
use serde_json::{Value, json};

fn place(span: Span, sources: &SourceMap) -> Value {
    let start = sources.position(span.file, span.start);
    let end = sources.position(span.file, span.end);
    json!({
        "file": sources.name(span.file),
        "start": span.start,
        "end": span.end,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    })
}

/// A place with one more field.
fn place_with(span: Span, sources: &SourceMap, field: &str, text: &str) -> Value {
    let mut place = place(span, sources);
    place[field] = json!(text);
    place
}

fn label(label: &Label, sources: &SourceMap) -> Value {
    place_with(label.span, sources, "text", &label.text)
}

impl Diagnostic {
    /// The diagnostic as one JSON object.
    pub fn to_json(&self, sources: &SourceMap) -> Value {
        let help = self.help.iter().map(|help| match &help.fix {
            None => json!({ "text": help.text }),
            Some(fix) => json!({
                "text": help.text,
                "fix": place_with(fix.span, sources, "replacement", &fix.replacement),
            }),
        });
        json!({
            "code": self.code.to_string(),
            "severity": self.severity.word(),
            "message": self.message,
            "primary": self.primary.as_ref().map(|primary| label(primary, sources)),
            "secondary": self.secondary.iter().map(|secondary| label(secondary, sources)).collect::<Value>(),
            "notes": self.notes,
            "help": help.collect::<Value>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{SourceMap, Span, err};

    #[test]
    fn json_holds_every_field_and_escapes() {
        let mut sources = SourceMap::new();
        let file = sources.add("a\"b.atl", "x\ny z");
        let diagnostic = err!(E0104, Span::new(file, 2, 3), "missing `;`")
            .label("tab\there")
            .note("n\\1")
            .help("plain")
            .suggest("insert", Span::new(file, 3, 3), ";");
        let place = "\"file\":\"a\\\"b.atl\",\"start\":2,\"end\":3,\"line\":2,\"column\":1,\"end_line\":2,\
                     \"end_column\":2";
        let fix = "\"file\":\"a\\\"b.atl\",\"start\":3,\"end\":3,\"line\":2,\"column\":2,\"end_line\":2,\
                   \"end_column\":2";
        assert_eq!(
            diagnostic.to_json(&sources).to_string(),
            format!(
                "{{\"code\":\"E0104\",\"severity\":\"error\",\"message\":\"missing `;`\",\"primary\":{{{place},\
                 \"text\":\"tab\\there\"}},\"secondary\":[],\"notes\":[\"n\\\\1\"],\"help\":[{{\"text\":\
                 \"plain\"}},{{\"text\":\"insert\",\"fix\":{{{fix},\"replacement\":\";\"}}}}]}}"
            )
        );
    }

    #[test]
    fn no_place_is_null() {
        assert!(err!(E0104, "m").to_json(&SourceMap::new()).to_string().contains("\"primary\":null"));
    }
}
