//! A file's own tactics and theorems, with those of what it imports.
//!
//! Whether they can be used at all is decided when the file is read. A tactic may not use itself, by whatever
//! way, so that every script comes to an end; a theorem must be proved, with the tactics of the whole file
//! and the theorems before it; and neither may have the name of a directive or of a rule of the catalogue.

use crate::commands;
use crate::theorem::Theorem;
use atl_diag::{Diagnostic, err};
use atl_kernel::Monoid;
use atl_syntax::ast::{Def, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What scripts may use by name beside the directives and the catalogue.
#[derive(Clone, Debug, Default)]
pub struct Library {
    pub(crate) tactics: BTreeMap<String, Def>,
    pub(crate) theorems: BTreeMap<String, Arc<Theorem>>,
    pub(crate) monoids: Vec<Arc<Monoid>>,
}

impl Library {
    /// Tactics alone.
    pub(crate) fn of_tactics(tactics: &[Def]) -> (Library, Vec<Diagnostic>) {
        let mut library = Library::default();
        let mut diagnostics = Vec::new();
        for def in tactics {
            if commands::by_name(&def.name.text).is_some() {
                diagnostics.push(
                    err!(E0335, def.name.span, "`{}` is a directive of the language", def.name.text)
                        .label("choose another name"),
                );
                continue;
            }
            diagnostics.extend(twice(def));
            library.tactics.insert(def.name.text.clone(), def.clone());
        }
        let mut reported: BTreeSet<String> = BTreeSet::new();
        for def in library.tactics.values() {
            if reported.contains(&def.name.text) {
                continue;
            }
            if let Some(through) = library.way_back(def) {
                reported.extend(through.iter().cloned());
                let by = match through.as_slice() {
                    [] => String::new(),
                    names => format!(" by way of `{}`", names.join("`, `")),
                };
                diagnostics.push(
                    err!(E0334, def.name.span, "the tactic `{}` uses itself{by}", def.name.text)
                        .note("a use is replaced by the tactic's steps, which must come to an end")
                        .help("`repeat { … }` carries steps out until they change nothing"),
                );
            }
        }
        diagnostics.sort_by_key(|d| d.span().map(|span| (span.file, span.start)));
        (library, diagnostics)
    }

    /// The tactic with this name.
    pub fn tactic(&self, name: &str) -> Option<&Def> {
        self.tactics.get(name)
    }

    /// The names of the tactics, sorted.
    pub fn tactic_names(&self) -> impl Iterator<Item = &str> {
        self.tactics.keys().map(String::as_str)
    }

    /// The theorem with this name.
    pub fn theorem(&self, name: &str) -> Option<&Arc<Theorem>> {
        self.theorems.get(name)
    }

    /// The names of the theorems, sorted.
    pub fn theorem_names(&self) -> impl Iterator<Item = &str> {
        self.theorems.keys().map(String::as_str)
    }

    /// The monoids on tuples that the program declares with laws, the products of its semirings included.
    pub fn monoids(&self) -> &[Arc<Monoid>] {
        &self.monoids
    }

    /// A shortest way by which a tactic uses itself: the tactics between.
    fn way_back(&self, def: &Def) -> Option<Vec<String>> {
        let mut seen = BTreeSet::new();
        let mut ways: Vec<(&Def, Vec<String>)> = vec![(def, Vec::new())];
        while !ways.is_empty() {
            let mut longer = Vec::new();
            for (at, way) in ways {
                let mut used = BTreeSet::new();
                uses(&at.steps, &mut used);
                for next in used.into_iter().filter_map(|name| self.tactics.get(name)) {
                    if next.name.text == def.name.text {
                        return Some(way);
                    }
                    if seen.insert(next.name.text.as_str()) {
                        longer.push((next, way.iter().cloned().chain([next.name.text.clone()]).collect()));
                    }
                }
            }
            ways = longer;
        }
        None
    }
}

/// The words that steps begin with, blocks included.
fn uses<'s>(steps: &'s [Step], into: &mut BTreeSet<&'s str>) {
    for step in steps {
        into.insert(&step.name.text);
        step.blocks.iter().for_each(|block| uses(&block.steps, into));
    }
}

/// A parameter that is declared twice.
fn twice(def: &Def) -> Option<Diagnostic> {
    let mut seen: BTreeMap<&str, atl_diag::Span> = BTreeMap::new();
    def.params.iter().find_map(|param| {
        let first = seen.insert(&param.text, param.span)?;
        Some(
            err!(E0335, param.span, "there are two parameters called `{}`", param.text)
                .label("choose another name")
                .also(first, "the other one"),
        )
    })
}
