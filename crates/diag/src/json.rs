//! The machine-readable form of a diagnostic: one JSON object, written by hand.
//!
//! Offsets are bytes; lines and columns start at 1. The fields are those of [`Diagnostic`], so that an
//! editor and a script read the same thing as a person.

use crate::{Diagnostic, Label, SourceMap, Span};

/// A string as a JSON literal, quotes included.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn place(span: Span, sources: &SourceMap) -> String {
    let start = sources.position(span.file, span.start);
    let end = sources.position(span.file, span.end);
    format!(
        "\"file\":{},\"start\":{},\"end\":{},\"line\":{},\"column\":{},\"end_line\":{},\"end_column\":{}",
        escape(sources.name(span.file)),
        span.start,
        span.end,
        start.line,
        start.column,
        end.line,
        end.column
    )
}

fn label(label: &Label, sources: &SourceMap) -> String {
    format!("{{{},\"text\":{}}}", place(label.span, sources), escape(&label.text))
}

impl Diagnostic {
    /// The diagnostic as one JSON object on one line.
    pub fn to_json(&self, sources: &SourceMap) -> String {
        let help = self.help.iter().map(|help| match &help.fix {
            None => format!("{{\"text\":{}}}", escape(&help.text)),
            Some(fix) => format!(
                "{{\"text\":{},\"fix\":{{{},\"replacement\":{}}}}}",
                escape(&help.text),
                place(fix.span, sources),
                escape(&fix.replacement)
            ),
        });
        format!(
            "{{\"code\":\"{}\",\"severity\":\"{}\",\"message\":{},\"primary\":{},\"secondary\":{},\
             \"notes\":{},\"help\":{}}}",
            self.code,
            self.severity.word(),
            escape(&self.message),
            self.primary.as_ref().map_or_else(|| "null".to_owned(), |primary| label(primary, sources)),
            list(self.secondary.iter().map(|secondary| label(secondary, sources))),
            list(self.notes.iter().map(|note| escape(note))),
            list(help),
        )
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
            diagnostic.to_json(&sources),
            format!(
                "{{\"code\":\"E0104\",\"severity\":\"error\",\"message\":\"missing `;`\",\"primary\":{{{place},\
                 \"text\":\"tab\\there\"}},\"secondary\":[],\"notes\":[\"n\\\\1\"],\"help\":[{{\"text\":\
                 \"plain\"}},{{\"text\":\"insert\",\"fix\":{{{fix},\"replacement\":\";\"}}}}]}}"
            )
        );
    }

    #[test]
    fn no_place_is_null() {
        assert!(err!(E0104, "m").to_json(&SourceMap::new()).contains("\"primary\":null"));
    }
}
