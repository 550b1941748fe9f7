//! Formats of sparse tensors, explained by the program that each is: the arrays that come in place of a
//! tensor, what is required of them, and what the tensor is as a term over them.
//!
//! The program is elaborated, so nothing here is a second copy of what a format means. A level is explained
//! below a dense one.

use super::{Entry, Kind};
use atl_formats::format::{NAMES, Named};
use atl_formats::{Format, levels};
use atl_lang::print::print_function;
use atl_session::Program;
use atl_session::display::options;
use atl_syntax::Notation;

/// The names of formats, and of levels that are none.
pub(super) fn names() -> Vec<&'static str> {
    let levels = levels::TABLE.iter().filter(|kind| NAMES.iter().all(|named| named.name != kind.name));
    NAMES.iter().map(|named| named.name).chain(levels.map(|kind| kind.name)).collect()
}

/// Every format and level.
pub(super) fn all() -> Vec<Entry> {
    names().into_iter().filter_map(entry).collect()
}

/// What there is to say of the format or level of this name.
pub(super) fn entry(name: &str) -> Option<Entry> {
    let entry = |summary: String, fields| {
        Some(Entry { kind: Kind::Format, name: name.to_owned(), summary, fields, page: None })
    };
    if let Some(named) = NAMES.iter().find(|named| named.name == name) {
        return entry(named.about.to_owned(), format_fields(named));
    }
    let level = levels::TABLE.iter().find(|kind| kind.name == name)?;
    let spelled = match level.width {
        levels::Width::None => format!("[dense, {name}]"),
        _ => format!("[dense, {name}(8)]"),
    };
    let mut fields = match level.symbolic {
        Some(_) => program(&spelled, 2),
        None => vec![("in programs", "it cannot stand there; files and the Rust library have it".to_owned())],
    };
    fields.push((
        "more",
        "the book's page on levels says what it stores, and when that is well formed".to_owned(),
    ));
    entry(format!("a level of formats, as in {spelled}"), fields)
}

fn format_fields(named: &Named) -> Vec<(&'static str, String)> {
    let (low, high) = (*named.ranks.start(), *named.ranks.end());
    let rank = 2.clamp(low, high);
    let sizes = ["4", "4", "4"];
    let needed = named.parameters.iter().filter(|p| !p.ends_with('?')).count();
    // A width that a file's data would decide is chosen here: a program has to say it.
    let written = if named.parameters.is_empty() { 0 } else { needed.max(1) };
    let spelled = match written {
        0 => named.name.to_owned(),
        n => format!("{}({})", named.name, sizes[..n].join(", ")),
    };
    let ranks = if low == high { low.to_string() } else { format!("{low} to {high}") };
    let mut fields = vec![("ranks", ranks)];
    if !named.parameters.is_empty() {
        let words: Vec<String> =
            named.parameters.iter().map(|p| p.replace('?', " (may be left out)")).collect();
        fields.push(("parameters", words.join(", ")));
    }
    if let Ok(format) = Format::parse(&spelled, rank) {
        fields.push(("levels", format.to_string()));
    }
    fields.extend(program(&spelled, rank));
    fields.push((
        "kernels",
        "the book's page on kernels and formats is a table of what goes over stored entries alone".to_owned(),
    ));
    fields
}

/// The program of a parameter in this format; and whether a result may be stored so, or why not.
fn program(spelled: &str, rank: usize) -> Vec<(&'static str, String)> {
    let (extents, indices) = (["N", "M", "K"], ["i", "j", "k"]);
    let loops: Vec<String> =
        indices.iter().zip(extents).take(rank).map(|(i, n)| format!("{i} < {n}")).collect();
    let shape = format!("f64[{}]", extents[..rank].join(", "));
    let (loops, element) = (loops.join(", "), format!("A[{}]", indices[..rank].join(", ")));
    let sum = format!("fn f(A: {shape} as {spelled}) -> f64 {{ sum {loops} {{ {element} }} }}");
    let copy = format!("fn f(A: {shape}) -> {shape} as {spelled} {{ gen {loops} {{ {element} }} }}");
    let mut fields = Vec::new();
    if let Ok(parsed) = Program::parse("f.atl", &sum)
        && let Ok(function) = parsed.function(Some("f"), None)
    {
        fields.push(("program", sum));
        fields.push((
            "is",
            print_function(function, &function.body, options(Notation::Ascii)).trim_end().to_owned(),
        ));
    }
    let stored = match Program::parse("f.atl", &copy) {
        Ok(_) => "may be stored so".to_owned(),
        Err(refused) => match refused.diagnostics.first().and_then(|d| d.primary.as_ref()) {
            Some(why) => format!("cannot be stored so: {}", why.text),
            None => "cannot be stored so".to_owned(),
        },
    };
    fields.push(("results", stored));
    fields
}
