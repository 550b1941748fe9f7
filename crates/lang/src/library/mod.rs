//! The standard library: modules in the language, which programs use by `use std.nn.{relu};`.
//!
//! A module is a text of this folder. Functions with a documentation comment are for programs; the others are
//! the module's own. What a program uses is elaborated with it, under its whole name, `std.nn.relu`, so no
//! name of a program is taken.

use atl_diag::FileId;
use atl_syntax::ast::{Function, Item, Monoid};

/// The modules, in order: the name, and the text.
pub const MODULES: &[(&str, &str)] = &[
    ("std.bits", include_str!("bits.atl")),
    ("std.complex", include_str!("complex.atl")),
    ("std.image", include_str!("image.atl")),
    ("std.linalg", include_str!("linalg.atl")),
    ("std.monoids", include_str!("monoids.atl")),
    ("std.monoids_f32", include_str!("monoids_f32.atl")),
    ("std.nn", include_str!("nn.atl")),
    ("std.random", include_str!("random.atl")),
    ("std.signal", include_str!("signal.atl")),
    ("std.stats", include_str!("stats.atl")),
];

/// The text of the module with this name.
pub fn text(module: &str) -> Option<&'static str> {
    MODULES.iter().find(|(name, _)| *name == module).map(|(_, text)| *text)
}

/// The items of a module.
pub(crate) fn items(module: &str, file: FileId) -> Option<Vec<Item>> {
    Some(atl_syntax::parse_file(file, text(module)?).tree.items)
}

/// The functions of a module that programs may use.
pub fn functions(module: &str) -> Vec<Function> {
    let items = items(module, FileId(u32::MAX)).unwrap_or_default();
    let functions = items.into_iter().filter_map(|item| match item {
        Item::Function(f) if !f.doc.is_empty() => Some(f),
        _ => None,
    });
    functions.collect()
}

/// The monoids and semirings on tuples of a module.
pub fn monoids(module: &str) -> Vec<Monoid> {
    let items = items(module, FileId(u32::MAX)).unwrap_or_default();
    let monoids = items.into_iter().filter_map(|item| match item {
        Item::Monoid(monoid) => Some(monoid),
        _ => None,
    });
    monoids.collect()
}

/// The names of a module that programs may use.
pub(crate) fn names(module: &str) -> Vec<String> {
    let functions = functions(module).into_iter().map(|f| f.name.text);
    functions.chain(monoids(module).into_iter().map(|monoid| monoid.name.text)).collect()
}

/// The module that has a function or a monoid of this name.
pub(crate) fn module_of(name: &str) -> Option<&'static str> {
    let has = |module: &str| names(module).iter().any(|own| own == name);
    MODULES.iter().map(|(name, _)| *name).find(|name| has(name))
}
