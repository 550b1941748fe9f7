//! A derivation as one HTML page that needs no other file.

use super::{DiffLine, ExplainedStep, Explanation, Statement};

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
pre{background:#f6f6f4;padding:.8rem;overflow-x:auto;font-size:.85rem;line-height:1.4}\
code{font-size:.9em}h1,h2{line-height:1.2}\
.eq{color:#444}.add{background:#dff3df;display:block}.del{background:#f9e0e0;display:block}.same{display:block}\
table{border-collapse:collapse}td,th{padding:.1rem .8rem .1rem 0;text-align:left;vertical-align:top}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}pre{background:#262626}\
.eq{color:#bbb}.add{background:#1d3a1d}.del{background:#432222}}";

impl Explanation {
    /// The derivation as a page.
    pub fn to_html(&self) -> String {
        let title = match &self.schedule {
            Some(schedule) => format!("schedule {schedule} of {}", self.function),
            None => self.function.clone(),
        };
        let title = escape(&title);
        let steps: String = (1..).zip(&self.steps).map(|(number, step)| html_of(number, step)).collect();
        let groups = self.obligations.iter().map(|group| {
            let conditions: String =
                group.conditions.iter().map(|c| format!("{}\n", escape(&c.in_words()))).collect();
            let (kind, places) = (escape(&group.kind).replace('`', ""), group.places);
            format!("<details><summary>{kind} ({places})</summary><pre>{conditions}</pre></details>\n")
        });
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n<h2>Source</h2>\n<pre>{}</pre>\n{steps}\
             <h2>Theorem: {}</h2>\n{}\n<pre>{}</pre>\n<h2>Lowering</h2>\n\
             <p>The loops are the translation of a normal form, which equals the source.</p>\n{}\n\
             <h2>Shown before any loop was made</h2>\n{}</body></html>\n",
            escape(&self.source),
            escape(&self.conclusion()),
            table(&self.theorem),
            escape(&self.scheduled),
            table(&self.lowering),
            groups.collect::<String>(),
        )
    }
}

fn html_of(number: usize, step: &ExplainedStep) -> String {
    let lines = step.changes().into_iter().map(|marked| {
        let (class, text) = match marked.line {
            DiffLine::Same(text) => ("same", text),
            DiffLine::Removed(text) => ("del", text),
            DiffLine::Added(text) => ("add", text),
        };
        format!("<span class=\"{class}\">{} </span>", escape(&text))
    });
    format!(
        "<h2>{number}. <code>{};</code></h2>\n<p class=\"eq\">line {}: <code>{}</code></p>\n{}\n<pre>{}</pre>\n",
        escape(&step.directive),
        step.line,
        escape(step.equation),
        table(&step.theorem),
        lines.collect::<String>()
    )
}

fn table(statement: &Statement) -> String {
    let rules: Vec<String> = statement.rules.iter().map(|(rule, n)| format!("{rule}&nbsp;{n}")).collect();
    format!(
        "<table><tr><th>laws<td>{}<tr><th>rounding<td>{}<tr><th>proof<td>{} inferences, {} certificates\
         <tr><th>rules<td>{}</table>",
        escape(&statement.laws_in_words()),
        statement.rounding,
        statement.inferences,
        statement.certificates,
        rules.join(", ")
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn programs_are_escaped() {
        assert_eq!(escape("min_plus<f32> && \"x\""), "min_plus&lt;f32&gt; &amp;&amp; &quot;x&quot;");
    }
}
