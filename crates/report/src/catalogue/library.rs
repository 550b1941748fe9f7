//! The modules of the standard library, and their functions.

use super::{Entry, Kind};
use atl_lang::library::{MODULES, functions, text};
use atl_syntax::ast::{Expr, ExprKind, Function};
use atl_syntax::{Style, print_function};

/// The modules.
pub(super) fn all() -> Vec<Entry> {
    MODULES.iter().map(|(name, _)| module(name)).collect()
}

/// The module, or the function of one, `std.nn.relu`, with this name.
pub(super) fn entry(name: &str) -> Option<Entry> {
    if text(name).is_some() {
        return Some(module(name));
    }
    let (of, function) = name.rsplit_once('.')?;
    let found = functions(of).into_iter().find(|f| f.name.text == function)?;
    let fields = vec![("value", found.doc.join(" ")), ("known by", format!("use {of}.{{{function}}};"))];
    Some(Entry { kind: Kind::Module, name: name.to_owned(), summary: head(&found), fields, page: None })
}

fn module(name: &str) -> Entry {
    let about = text(name).and_then(|text| text.lines().next()).unwrap_or_default();
    let described = |f: &Function| format!("{}\n    {}", head(f), f.doc.join(" "));
    let functions: Vec<String> = functions(name).iter().map(described).collect();
    Entry {
        kind: Kind::Module,
        name: name.to_owned(),
        summary: about.trim_start_matches("// ").to_owned(),
        fields: vec![("functions", functions.join("\n"))],
        page: None,
    }
}

/// The function without its body, on one line.
fn head(f: &Function) -> String {
    let body = Expr::new(ExprKind::Hole, f.body.span);
    let text = print_function(&Function { doc: Vec::new(), body, ..f.clone() }, Style::SOURCE);
    let head = text.split(" {\n").next().unwrap_or_default();
    head.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(", )", ")")
}
