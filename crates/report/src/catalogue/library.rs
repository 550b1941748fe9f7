//! The modules of the standard library, their functions, and their monoids.

use super::{Entry, Kind};
use atl_lang::library::{MODULES, functions, monoids, text};
use atl_syntax::ast::{Expr, ExprKind, File, Function, Item, Monoid};
use atl_syntax::{Style, print_file, print_function};

/// The modules.
pub(super) fn all() -> Vec<Entry> {
    MODULES.iter().map(|(name, _)| module(name)).collect()
}

/// The module, or the function or monoid of one, `std.nn.relu`, with this name.
pub(super) fn entry(name: &str) -> Option<Entry> {
    if text(name).is_some() {
        return Some(module(name));
    }
    let (of, own) = name.rsplit_once('.')?;
    let (summary, fields) = match functions(of).into_iter().find(|f| f.name.text == own) {
        Some(f) => (head(&f), vec![("value", f.doc.join(" "))]),
        None => {
            let monoid = monoids(of).into_iter().find(|monoid| monoid.name.text == own)?;
            (head_of(&monoid), vec![("elements", monoid.doc.join(" ")), ("declared", declared(&monoid))])
        }
    };
    let known = ("known by", format!("use {of}.{{{own}}};"));
    let fields = fields.into_iter().chain([known]).collect();
    Some(Entry { kind: Kind::Module, name: name.to_owned(), summary, fields, page: None })
}

fn module(name: &str) -> Entry {
    let about = text(name).and_then(|text| text.lines().next()).unwrap_or_default();
    let described = |f: &Function| format!("{}\n    {}", head(f), f.doc.join(" "));
    let functions: Vec<String> = functions(name).iter().map(described).collect();
    let described = |m: &Monoid| format!("{}\n    {}", head_of(m), m.doc.join(" "));
    let monoids: Vec<String> = monoids(name).iter().map(described).collect();
    let fields = [("functions", functions), ("monoids", monoids)];
    let fields = fields.into_iter().filter(|(_, own)| !own.is_empty());
    Entry {
        kind: Kind::Module,
        name: name.to_owned(),
        summary: about.trim_start_matches("// ").to_owned(),
        fields: fields.map(|(what, own)| (what, own.join("\n"))).collect(),
        page: None,
    }
}

/// How the monoid is declared.
fn declared(monoid: &Monoid) -> String {
    let item = Item::Monoid(Monoid { doc: Vec::new(), ..monoid.clone() });
    print_file(&File { items: vec![item], span: monoid.span }, Style::SOURCE).trim_end().to_owned()
}

/// The monoid's name and fields.
fn head_of(monoid: &Monoid) -> String {
    declared(monoid).lines().next().unwrap_or_default().trim_end_matches(" {").to_owned()
}

/// The function without its body, on one line.
fn head(f: &Function) -> String {
    let body = Expr::new(ExprKind::Hole, f.body.span);
    let text = print_function(&Function { doc: Vec::new(), body, ..f.clone() }, Style::SOURCE);
    let head = text.split(" {\n").next().unwrap_or_default();
    head.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(", )", ")")
}
