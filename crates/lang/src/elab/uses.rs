//! `use std.nn.{relu};`: the names of the library in a file.
//!
//! **The one idea.** In the program a function of the library has its whole name, `std.nn.relu`. So the calls
//! of a file are renamed that use it, as are those within a module; everything after this knows of no
//! modules.

use crate::library;
use atl_diag::{Diagnostic, FileId, err, spelling};
use atl_syntax::ast::{Expr, ExprKind, Item, Use};
use std::collections::{BTreeMap, BTreeSet};

/// What the names of a file mean, where they are those of a module.
pub(super) type Aliases = BTreeMap<String, String>;

/// Is this the name of something in the library?
pub(super) fn is_of_library(name: &str) -> bool {
    name.starts_with("std.")
}

/// The modules that have been read.
#[derive(Default)]
pub(super) struct Modules {
    read: BTreeSet<String>,
}

impl Modules {
    /// The items of a module and of those that it uses, unless they have been read. `file` is where the texts
    /// of modules stand.
    pub(super) fn read(&mut self, module: &str, file: &mut dyn FnMut(&str) -> FileId) -> Vec<Item> {
        if !self.read.insert(module.to_owned()) {
            return Vec::new();
        }
        let own = library::items(module, file(module)).unwrap_or_default();
        let (mut items, mut aliases) = (Vec::new(), Aliases::new());
        for item in &own {
            match item {
                Item::Use(used) => {
                    items.extend(self.read(&used.module.text, file));
                    aliases.extend(names(used));
                }
                item => {
                    aliases.extend(item.name().map(|name| (name.text.clone(), whole(module, &name.text))))
                }
            }
        }
        for mut item in own {
            match &mut item {
                Item::Function(f) => f.name.text = whole(module, &f.name.text),
                Item::Const(c) => c.name.text = whole(module, &c.name.text),
                Item::Monoid(m) => m.name.text = whole(module, &m.name.text),
                _ => continue,
            }
            rename(&mut item, &aliases, &aliases);
            items.push(item);
        }
        items
    }
}

fn whole(module: &str, name: &str) -> String {
    format!("{module}.{name}")
}

fn names(used: &Use) -> impl Iterator<Item = (String, String)> + '_ {
    used.names.iter().map(|name| (name.text.clone(), whole(&used.module.text, &name.text)))
}

/// The names that a file uses of a module; what is wrong with them.
pub(super) fn aliases(used: &Use, diagnostics: &mut Vec<Diagnostic>) -> Aliases {
    let module = &used.module;
    if library::text(&module.text).is_none() {
        let modules = || library::MODULES.iter().map(|(name, _)| *name);
        let unknown = err!(E0209, module.span, "there is no module `{}` in the library", module.text);
        diagnostics.push(match spelling::closest(&module.text, modules()) {
            Some(close) => unknown.suggest(format!("did you mean `{close}`?"), module.span, close),
            None => unknown.help(format!(
                "there are `{}`; a file is imported by `import \"other.atl\"`",
                modules().collect::<Vec<_>>().join("`, `")
            )),
        });
        return Aliases::new();
    }
    let own = library::names(&module.text);
    let known = || own.iter().map(String::as_str);
    for name in used.names.iter().filter(|name| !name.text.is_empty() && !known().any(|f| f == name.text)) {
        let unknown = err!(E0209, name.span, "`{}` has no `{}`", module.text, name.text);
        diagnostics.push(match spelling::closest(&name.text, known()) {
            Some(close) => unknown.suggest(format!("did you mean `{close}`?"), name.span, close),
            None => unknown.help(format!("it has `{}`", known().collect::<Vec<_>>().join("`, `"))),
        });
    }
    names(used).filter(|(name, _)| known().any(|f| f == name)).collect()
}

/// Gives calls, and constants, in an item the names that they have in the program.
pub(super) fn rename(item: &mut Item, calls: &Aliases, constants: &Aliases) {
    match item {
        Item::Function(f) => {
            f.preconditions.iter_mut().for_each(|e| in_expr(e, calls, constants));
            in_expr(&mut f.body, calls, constants);
        }
        Item::Const(c) => in_expr(&mut c.value, calls, constants),
        Item::Monoid(m) => {
            let (one, mul) = m.product.as_mut().map(|product| (&mut product.0, &mut product.1)).unzip();
            let parts = [Some(&mut m.zero), one, Some(&mut m.add), mul];
            parts.into_iter().flatten().for_each(|e| in_expr(e, calls, constants));
        }
        _ => {}
    }
}

fn in_expr(e: &mut Expr, calls: &Aliases, constants: &Aliases) {
    match &mut e.kind {
        ExprKind::Call { callee, .. } => {
            if let Some(whole) = calls.get(&callee.text) {
                callee.text.clone_from(whole);
            } else if let Some((monoid, part)) = callee.text.rsplit_once('.')
                && let Some(whole) = calls.get(monoid)
            {
                callee.text = format!("{whole}.{part}");
            }
        }
        ExprKind::Fold { monoid, .. } => {
            if let Some(whole) = calls.get(&monoid.text) {
                monoid.text.clone_from(whole);
            }
        }
        ExprKind::Name(name) => {
            if let Some(whole) = constants.get(name) {
                name.clone_from(whole);
            }
        }
        _ => {}
    }
    e.children_mut().into_iter().for_each(|child| in_expr(child, calls, constants));
}
