//! A derivation as one HTML page that needs no other file, and no script.
//!
//! The program, its loops and its C stand side by side; the line under the pointer, or the one that was
//! clicked or reached with Tab, is shown in all three by style rules alone. Where those are not understood,
//! the page reads the same.

use super::{
    Condition, DiffLine, ExplainedStep, Explanation, Linked, LinkedLine, Marked, Statement, near_changes,
};
use crate::order::{Order, order};
use crate::show::c_source;
use atl_lang::print::print_function;
use atl_session::Failure;
use atl_session::Program;
use atl_session::display::counted;
use atl_session::display::options;
use atl_session::{Lowered, Scheduled};
use atl_syntax::Notation;
use std::fmt::Write;
use std::ops::Range;

const STYLE: &str = include_str!("page.css");
/// So many unchanged lines are shown beside a changed one.
const CONTEXT: usize = 3;

/// The page of a function under a schedule: its derivation, its loops and C beside it, and pictures of the
/// order of its stores, for these sizes or small ones.
///
/// # Errors
/// The schedule or the lowering is refused; these sizes cannot be drawn.
pub fn page(
    program: &Program,
    function: Option<&str>,
    schedule: Option<&str>,
    sizes: &[(String, i64)],
) -> Result<String, Failure> {
    let name = program.function(function, schedule)?.name.clone();
    let scheduled = program.scheduled(&name, schedule)?;
    page_of(&scheduled, &scheduled.lower()?, sizes)
}

/// [`page`] of a function whose schedule has been carried out, and that is lowered.
///
/// # Errors
/// Its C is not printed; these sizes cannot be drawn.
pub fn page_of(scheduled: &Scheduled, lowered: &Lowered, sizes: &[(String, i64)]) -> Result<String, Failure> {
    let explanation = Explanation::of(scheduled, lowered);
    let text = print_function(&scheduled.function, scheduled.body(), options(Notation::Ascii));
    let linked = Linked::of(&text, &lowered.kernel, &c_source(lowered)?);
    let order = match order(lowered, sizes) {
        Ok(order) => Some(order),
        // Without sizes it is a picture less.
        Err(_) if sizes.is_empty() => None,
        Err(why) => return Err(why),
    };
    let mut html = Html::default();
    html.page(&explanation, &linked, order.as_ref());
    Ok(html.0)
}

/// The text of a page, as far as it is written. Writing to a string cannot fail, so its results are not
/// looked at.
#[derive(Default)]
struct Html(String);

impl Html {
    fn put(&mut self, text: &str) {
        self.0.push_str(text);
    }

    fn page(&mut self, e: &Explanation, linked: &Linked, order: Option<&Order>) {
        let title = match &e.schedule {
            Some(schedule) => format!("schedule {schedule} of {}", e.function),
            None => e.function.clone(),
        };
        let title = escape(&title);
        let _ = writeln!(
            self.0,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
             <meta name=\"viewport\" content=\"width=device-width\"/><title>{title}</title>\n<style>\n{STYLE}{}</style>\
             </head>\n<body><main>\n<h1>{title}</h1>",
            highlights(linked.statements())
        );
        let _ = writeln!(self.0, "<p>{}</p>", escape(&e.conclusion()));
        self.statement(&e.theorem);
        self.contents(e, order.is_some());
        let _ = writeln!(
            self.0,
            "<section id=\"source\"><h2>Source</h2>\n<pre>{}</pre></section>",
            escape(&e.source)
        );
        (1..).zip(&e.steps).for_each(|(number, step)| self.step(number, step));
        self.linked(linked);
        if let Some(order) = order {
            self.order(order);
        }
        self.lowering(e);
        self.put("</main></body></html>\n");
    }

    /// Links to the sections.
    fn contents(&mut self, e: &Explanation, drawn: bool) {
        self.put("<nav><ol>");
        for (number, step) in (1..).zip(&e.steps) {
            let directive = escape(&step.directive);
            let _ = write!(self.0, "<li><a href=\"#step-{number}\"><code>{directive}</code></a></li>");
        }
        self.put("</ol><p><a href=\"#code\">Program, loops, C</a>");
        self.put(if drawn { " · <a href=\"#order\">Order</a>" } else { "" });
        self.put(" · <a href=\"#lowering\">Lowering</a></p></nav>\n");
    }

    fn step(&mut self, number: usize, step: &ExplainedStep) {
        let directive = escape(&step.directive);
        let _ = writeln!(
            self.0,
            "<section id=\"step-{number}\"><h2>{number}. <code>{directive};</code></h2>\n\
             <p class=\"quiet\">line {}: <code>{}</code></p>",
            step.line,
            escape(&step.equation)
        );
        if !step.places.is_empty() {
            let _ = writeln!(self.0, "<p>{}</p>", escape(&step.places.join("; ")));
        }
        self.statement(&step.theorem);
        self.conditions("side conditions, and how they were proved", &step.conditions);
        self.changes(&step.changes());
        self.put("</section>\n");
    }

    fn statement(&mut self, statement: &Statement) {
        let rules: Vec<String> = statement.rules.iter().map(|(rule, n)| format!("{rule}&#160;{n}")).collect();
        let rows = [
            ("laws", escape(&statement.laws_in_words())),
            ("rounding", statement.rounding.to_string()),
            (
                "proof",
                [counted(statement.inferences, "inference"), counted(statement.certificates, "certificate")]
                    .join(", "),
            ),
            ("rules", rules.join(", ")),
        ];
        self.put("<table class=\"facts\">");
        for (name, value) in rows {
            let _ = write!(self.0, "<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>");
        }
        self.put("</table>\n");
    }

    fn conditions(&mut self, what: &str, conditions: &[Condition]) {
        if conditions.is_empty() {
            return;
        }
        let count: usize = conditions.iter().map(|condition| condition.times).sum();
        let lines: String = conditions.iter().map(|c| format!("{}\n", escape(&c.in_words()))).collect();
        let what = escape(what).replace('`', "");
        let _ = writeln!(self.0, "<details><summary>{what} ({count})</summary><pre>{lines}</pre></details>");
    }

    /// Before and after, side by side.
    fn changes(&mut self, lines: &[Marked]) {
        self.put(
            "<table class=\"pair\">\n<tr><th scope=\"col\">before</th><th scope=\"col\">after</th></tr>\n",
        );
        let near = near_changes(lines, CONTEXT);
        let mut at = 0;
        while at < lines.len() {
            let same = |marked: &Marked| matches!(marked.line, DiffLine::Same(_));
            if same(&lines[at]) {
                match (near[at], at > 0 && !near[at - 1]) {
                    (true, _) => self.row(Some(&lines[at]), Some(&lines[at])),
                    (false, true) => {}
                    (false, false) => {
                        self.put("<tr><td class=\"quiet\">⋯</td><td class=\"quiet\">⋯</td></tr>\n")
                    }
                }
                at += 1;
                continue;
            }
            let run: Vec<&Marked> = lines[at..].iter().take_while(|marked| !same(marked)).collect();
            at += run.len();
            let (gone, new): (Vec<&Marked>, Vec<&Marked>) =
                run.into_iter().partition(|marked| matches!(marked.line, DiffLine::Removed(_)));
            for k in 0..gone.len().max(new.len()) {
                self.row(gone.get(k).copied(), new.get(k).copied());
            }
        }
        self.put("</table>\n");
    }

    fn row(&mut self, before: Option<&Marked>, after: Option<&Marked>) {
        self.put("<tr>");
        for marked in [before, after] {
            let class = match marked.map(|m| &m.line) {
                None | Some(DiffLine::Same(_)) => "",
                Some(DiffLine::Removed(_)) => " class=\"del\"",
                Some(DiffLine::Added(_)) => " class=\"add\"",
            };
            let text = marked.map_or(String::new(), |m| with_marks(m.line.text(), &m.parts));
            let _ = write!(self.0, "<td{class}>{text}</td>");
        }
        self.put("</tr>\n");
    }

    fn linked(&mut self, linked: &Linked) {
        self.put(
            "<section id=\"code\"><h2>The program, its loops, its C</h2>\n\
             <p class=\"quiet\">What belongs to the line under the pointer, or to the one that was clicked, is lit up; \
             Tab goes through the lines of the program.</p>\n\
             <div class=\"linked\">",
        );
        // A stop for each line of the program, and one for each other column, which the arrows scroll.
        let columns = [("Program", &linked.program, 0), ("Loops", &linked.loops, -1), ("C", &linked.c, -1)];
        for (title, lines, stop) in columns {
            let lines: String = lines.iter().map(|line| linked_line(line, stop)).collect();
            let column = if stop == 0 { "" } else { " tabindex=\"0\"" };
            let _ = write!(self.0, "<div><h3>{title}</h3><pre{column}>{lines}</pre></div>");
        }
        self.put("</div></section>\n");
    }

    fn order(&mut self, order: &Order) {
        let sizes: Vec<String> = order.sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
        let _ = writeln!(
            self.0,
            "<section id=\"order\"><h2>In which order cells are computed and stored</h2>\n\
             <p class=\"quiet\">One run, observed: {}. Light cells come first; the line runs through them in order.</p>\n\
             {}</section>",
            if sizes.is_empty() { "no sizes".to_owned() } else { escape(&sizes.join(", ")) },
            order.to_html()
        );
    }

    fn lowering(&mut self, e: &Explanation) {
        self.put(
            "<section id=\"lowering\"><h2>Lowering</h2>\n\
             <p>The loops are the translation of a normal form, which equals the source:</p>\n",
        );
        self.statement(&e.lowering);
        if let Some(fused) = e.fused() {
            self.put(&format!("<p>code: {fused}</p>\n"));
        }
        self.put("<p>Shown of the normal form before any loop was made:</p>\n");
        for group in &e.obligations {
            self.conditions(&group.kind, &group.conditions);
        }
        for window in &e.carried {
            self.put(&format!("<p>Proved of a window that is carried: {}</p>\n", escape(window)));
        }
        self.put("</section>\n");
    }
}

/// The rules that light up each statement's lines in all columns.
fn highlights(statements: usize) -> String {
    let rule = |k| format!(".linked:has(.s{k}:is(:hover,:focus)) .s{k}{{background:var(--on)}}\n");
    (0..statements).map(rule).collect()
}

fn linked_line(line: &LinkedLine, stop: i32) -> String {
    let classes: Vec<String> = line.statements.iter().map(|number| format!("s{number}")).collect();
    let text = escape(&line.text);
    match classes.is_empty() {
        true => format!("{text}\n"),
        false => format!("<span class=\"{}\" tabindex=\"{stop}\">{text}</span>\n", classes.join(" ")),
    }
}

/// A line with its marked parts.
fn with_marks(text: &str, parts: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for part in parts {
        let before = text.get(at..part.start).unwrap_or_default();
        let marked = text.get(part.clone()).unwrap_or_default();
        let _ = write!(out, "{}<mark>{}</mark>", escape(before), escape(marked));
        at = part.end;
    }
    out + &escape(text.get(at..).unwrap_or_default())
}

/// A text in which nothing is markup, nor a character that a page may not hold.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_escaped() {
        assert_eq!(escape("a\0\u{1b}[1m\n"), "a\u{fffd}\u{fffd}[1m\n");
        assert_eq!(escape("min_plus<f32> && \"x\""), "min_plus&lt;f32&gt; &amp;&amp; &quot;x&quot;");
        assert_eq!(
            with_marks("i < N @parallel", &[0..1, 4..5]),
            "<mark>i</mark> &lt; <mark>N</mark> @parallel"
        );
    }
}
