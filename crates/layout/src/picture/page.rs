//! A page of drawings, which needs nothing but itself.

use super::Picture;
use super::svg::escaped;

/// A drawing with the words beside it.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What it is of.
    pub caption: String,
    /// The drawing, if it is drawn.
    pub picture: Option<Picture>,
    /// What is said below it.
    pub notes: Vec<String>,
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem;color:#222;background:#fff}\
figure{display:inline-block;vertical-align:top;margin:0 2rem 2rem 0;max-width:100%;overflow:auto}\
figcaption{margin-bottom:.5rem}code{font:14px ui-monospace,monospace}ul{margin:.5rem 0;padding-left:1.2rem}";

/// The page of an expression.
pub fn page(expression: &str, figures: &[Figure]) -> String {
    let figures: String = figures.iter().map(figure).collect();
    let title = escaped(expression);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <style>{STYLE}</style></head>\n<body><h1><code>{title}</code></h1>\n{figures}</body></html>\n"
    )
}

fn figure(figure: &Figure) -> String {
    let drawing = figure.picture.as_ref().map_or_else(String::new, Picture::to_svg);
    let notes: String = figure.notes.iter().map(|note| format!("<li>{}</li>", escaped(note))).collect();
    let notes = if notes.is_empty() { notes } else { format!("<ul>{notes}</ul>") };
    let caption = escaped(&figure.caption);
    format!("<figure><figcaption><code>{caption}</code></figcaption>\n{drawing}{notes}</figure>\n")
}
