//! Files: imports, the order of functions, and what else a file declares.

use super::arguments;
use super::complex::{self, Found};
use super::compress::compressed;
use super::constant::{Value, constant};
use super::function::function;
use super::generic;
use super::semiring::semiring;
use super::tuples::{self, Monoids, Taken};
use super::uses::{self, Aliases, Modules, is_of_library};
use super::{Functions, Names};
use crate::module::Module;
use crate::{builtins, library, stack};
use atl_diag::spelling;
use atl_diag::{Diagnostic, FileId, Span, err};
use atl_kernel::{Prover, Scalar};
use atl_syntax::ast::{self, Expr, ExprKind, Item, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// Finds the files that imports name.
pub trait Loader {
    /// The text of the file that `path` means in the file `from`, and the id that spans in it shall have.
    /// A file that is asked for twice has the same id. An error is one line: why it cannot be read.
    fn load(&mut self, from: FileId, path: &str) -> Result<(FileId, String), String>;

    /// The id that spans in a module of the library shall have.
    fn library(&mut self, _module: &str, _text: &str) -> FileId {
        FileId(u32::MAX)
    }
}

/// Knows no files.
pub struct NoImports;

impl Loader for NoImports {
    fn load(&mut self, _: FileId, _: &str) -> Result<(FileId, String), String> {
        Err("there are no files to import here".to_owned())
    }
}

/// Elaborates a file and what it imports. What is wrong is left out of the module and is in the diagnostics, as
/// are those of parsing imports; the prover shows that shapes agree and that requirements are met.
pub fn elaborate(
    file: &ast::File,
    loader: &mut dyn Loader,
    prover: &mut dyn Prover,
) -> (Module, Vec<Diagnostic>) {
    let mut gathered = Gathered::default();
    gathered.file(file, loader);
    let Gathered { items, mut diagnostics, imports, .. } = gathered;
    let (module, found) = stack::with_prover(prover, |prover| elaborate_items(items, imports, prover));
    diagnostics.extend(found);
    (module, Diagnostic::distinct(diagnostics))
}

/// The items of a file and of its imports, each file's once, imports first.
#[derive(Default)]
struct Gathered {
    items: Vec<Item>,
    diagnostics: Vec<Diagnostic>,
    /// The files that each imports.
    imports: BTreeMap<FileId, BTreeSet<FileId>>,
    /// The files whose imports are being followed, with the imports that led on.
    open: Vec<(FileId, Span)>,
    modules: Modules,
    done: BTreeSet<FileId>,
}

/// Imports nest at most so deep.
const MAX_IMPORTS: usize = 64;

impl Gathered {
    fn file(&mut self, file: &ast::File, loader: &mut dyn Loader) {
        let id = file.span.file;
        let mut aliases = Aliases::new();
        let mut own = Vec::new();
        for item in &file.items {
            match item {
                Item::Import(import) => {
                    self.open.push((id, import.span));
                    self.import(id, import, loader);
                    self.open.pop();
                }
                Item::Use(used) => {
                    let found = uses::aliases(used, &mut self.diagnostics);
                    if !found.is_empty() {
                        let mut file =
                            |module: &str| loader.library(module, library::text(module).unwrap_or_default());
                        self.items.extend(self.modules.read(&used.module.text, &mut file));
                    }
                    aliases.extend(found);
                }
                item => own.push(item.clone()),
            }
        }
        for mut item in own {
            if let (Item::Function(_) | Item::Const(_) | Item::Monoid(_), Some(name)) = (&item, item.name())
                && let Some(whole) = aliases.get(&name.text)
            {
                self.diagnostics.push(
                    err!(E0207, name.span, "`{}` is used from the library already", name.text)
                        .label(format!("`{whole}` is called so in this file"))
                        .help("give this one another name, or leave the other out of `use`"),
                );
            }
            uses::rename(&mut item, &aliases, &Aliases::new());
            self.items.push(item);
        }
        self.done.insert(id);
    }

    fn import(&mut self, from: FileId, import: &ast::Import, loader: &mut dyn Loader) {
        let (id, text) = match loader.load(from, &import.path) {
            Ok(found) => found,
            Err(why) => {
                let refusal = err!(E0209, import.span, "`{}` cannot be imported: {why}", import.path)
                    .help("the path is relative to the file that imports");
                return self.diagnostics.push(refusal);
            }
        };
        if self.done.contains(&id) {
            self.imported(from, id);
            return;
        }
        let cycle = self.open.iter().position(|(open, _)| *open == id);
        if cycle.is_some() || self.open.len() > MAX_IMPORTS {
            let refusal = err!(E0210, import.span, "`{}` imports itself", import.path)
                .help("move what both files need to a third one, which imports neither");
            let through = &self.open[cycle.map_or(0, |c| c)..self.open.len() - 1];
            let refusal = through
                .iter()
                .fold(refusal, |d, (_, span)| d.also(*span, "which is imported by way of this"));
            return self.diagnostics.push(refusal);
        }
        let parse = atl_syntax::parse_file(id, &text);
        self.diagnostics.extend(parse.diagnostics);
        self.file(&parse.tree, loader);
        self.imported(from, id);
    }

    /// One file imports another, which has been read with all that it imports.
    fn imported(&mut self, from: FileId, id: FileId) {
        let further = self.imports.get(&id).cloned().unwrap_or_default();
        let all = self.imports.entry(from).or_default();
        all.extend(further);
        all.insert(id);
    }
}

fn elaborate_items(
    items: Vec<Item>,
    imports: BTreeMap<FileId, BTreeSet<FileId>>,
    prover: &mut dyn Prover,
) -> (Module, Vec<Diagnostic>) {
    let (mut module, mut diagnostics) = (Module::default(), duplicates(&items));
    let (items, found) = arguments::in_order(items);
    diagnostics.extend(found);
    let Taken { items, diagnostics: found, mut monoids } = tuples::apart(&items);
    diagnostics.extend(found);
    let (split, Found { complex, messages, diagnostics: found }) = complex::split(&items);
    diagnostics.extend(found);
    let items = &split[..];
    let worded = |name: &str, found: Vec<Diagnostic>| match messages.get(name) {
        Some(messages) => messages.worded(found),
        None => found,
    };
    let mut names = Names::default();
    for item in items {
        match item {
            Item::Format(f) => {
                names.formats.insert(f.name.text.clone(), f.format.clone());
            }
            Item::Semiring(item) => match semiring(item) {
                Ok(declared) => {
                    names.semirings.insert(item.name.text.clone(), declared.semiring);
                    module.semirings.push(declared);
                }
                Err(refusal) => diagnostics.push(*refusal),
            },
            _ => {}
        }
    }
    let needed = needed(items, &monoids);
    let mut functions = Functions::default();
    functions.imports = imports;
    let mut waiting: Vec<(&Item, BTreeSet<String>)> = Vec::new();
    for item in items {
        let Some(name) = node(item).filter(|name| needed.contains(&name.text)) else { continue };
        if !waiting.iter().any(|(other, _)| node(other).is_some_and(|other| other.text == name.text)) {
            waiting.push((item, mentioned(item, items)));
        }
    }
    let mut done: BTreeSet<&str> = BTreeSet::new();
    while let Some(k) = waiting.iter().position(|(_, needs)| needs.iter().all(|c| done.contains(c.as_str())))
    {
        let (item, needs) = waiting.remove(k);
        let Some(name) = node(item) else { continue };
        done.insert(&name.text);
        let mut constants: BTreeSet<String> = BTreeSet::new();
        for need in needs {
            constants.extend(functions.mentions.get(&need).into_iter().flatten().cloned());
            constants.extend(functions.constants.contains_key(&need).then_some(need));
        }
        functions.mentions.insert(name.text.clone(), constants);
        match item {
            Item::Const(declared) => {
                let (made, found) = constant(declared, &functions, &names, prover);
                diagnostics.extend(worded(&name.text, found));
                if matches!(made.value, Value::Table(_)) {
                    functions.tables.push(name.text.clone());
                }
                functions.constants.insert(name.text.clone(), made);
            }
            Item::Function(f) if generic::is_generic(f) => {
                if !is_of_library(&name.text) {
                    module.generic.push(name.text.clone());
                    diagnostics.extend(generic::declared(f, &functions, &names, prover));
                }
                functions.insert_generic(f.clone());
            }
            Item::Function(f) if monoids.has_part(&f.name.text) => {
                let (result, found) = function(f, &functions, &names, prover);
                let found = found.into_iter().filter(Diagnostic::is_error);
                match monoids.has_sum(&f.name.text) {
                    true => monoids.held.extend(found),
                    false => diagnostics.extend(found),
                }
                functions.insert(name.text.clone(), result);
            }
            Item::Function(f) => {
                let (mut result, found) = function(f, &functions, &names, prover);
                diagnostics.extend(worded(&name.text, found));
                if let (Some(made), Some(complex)) = (&mut result, complex.get(&name.text)) {
                    made.complex.clone_from(complex);
                    made.words = messages.get(&name.text).cloned().unwrap_or_default();
                }
                if !is_of_library(&name.text) {
                    module.functions.extend(result.clone());
                }
                functions.insert(name.text.clone(), result);
            }
            _ => {}
        }
    }
    diagnostics.extend(cycles(&waiting));
    // Sums in a monoid show what is wrong with it.
    if !diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.append(&mut monoids.held);
    }
    for item in items {
        let Item::Monoid(item) = item else { continue };
        match tuples::declared(item, &functions) {
            Ok(declared) => module.monoids.extend(declared),
            Err(refusal) => diagnostics.push(*refusal),
        }
    }
    let declared: Vec<&ast::Function> = items
        .iter()
        .filter_map(|item| match item {
            Item::Function(f) if !is_of_library(&f.name.text) && !monoids.has_part(&f.name.text) => Some(f),
            _ => None,
        })
        .collect();
    let known = || declared.iter().map(|f| f.name.text.as_str());
    for item in items {
        match item {
            Item::Schedule(s) if functions.generic(&s.of.text).is_some() => {
                diagnostics.push(
                    err!(E0242, s.of.span, "`{}` is generic, and a schedule is of one function", s.of.text)
                        .label("its element types are chosen by each call")
                        .help("schedule a function that calls it, as in `fn of_f32(x: f32[N]) -> f32[N] { f(x) }`"),
                );
            }
            Item::Schedule(s) if known().any(|f| f == s.of.text) => {
                let of = declared.iter().find(|f| f.name.text == s.of.text);
                match of.map_or(Ok(None), |f| compressed(f, s)) {
                    Ok(Some(chosen)) => {
                        let (made, found) = function(&chosen, &functions, &names, prover);
                        // What is wrong without the schedule has been said.
                        if functions.get(&s.of.text).is_some_and(Option::is_some) {
                            diagnostics.extend(found.into_iter().filter(Diagnostic::is_error));
                        }
                        let key = (s.of.text.clone(), s.name.text.clone());
                        module.compressed.extend(made.map(|made| (key, made)));
                    }
                    Ok(None) => {}
                    Err(refusal) => diagnostics.push(*refusal),
                }
                module.schedules.push(s.clone());
            }
            Item::Schedule(s) => {
                let unknown = err!(E0242, s.of.span, "there is no function `{}` to schedule", s.of.text);
                diagnostics.push(match spelling::closest(&s.of.text, known()) {
                    Some(close) => unknown.suggest(format!("did you mean `{close}`?"), s.of.span, close),
                    None => unknown,
                });
            }
            Item::Def(d) => module.tactics.push(d.clone()),
            Item::Theorem(t) => module.theorems.push(t.clone()),
            Item::Function(_)
            | Item::Format(_)
            | Item::Monoid(_)
            | Item::Semiring(_)
            | Item::Import(_)
            | Item::Use(_)
            | Item::Const(_) => {}
        }
    }
    (module, diagnostics)
}

/// Names that are declared twice, or that the language has taken.
fn duplicates(items: &[Item]) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<(u8, &str, &str), (Span, &str)> = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for item in items {
        let (kind, what, of) = match item {
            Item::Import(_) | Item::Use(_) => continue,
            Item::Const(_) => (0, "constant", ""),
            Item::Function(_) => (0, "function", ""),
            Item::Schedule(s) => (1, "schedule", s.of.text.as_str()),
            Item::Def(_) => (2, "tactic", ""),
            Item::Theorem(_) => (3, "theorem", ""),
            Item::Format(_) => (4, "format", ""),
            Item::Semiring(_) => (5, "semiring", ""),
            Item::Monoid(m) if m.product.is_some() => (6, "semiring", ""),
            Item::Monoid(_) => (6, "monoid", ""),
        };
        let Some(name) = item.name().filter(|name| !name.text.is_empty()) else { continue };
        if node(item).is_some()
            && let Some(monoid) = tuples::monoid_of_part(items, &name.text)
        {
            diagnostics.push(
                err!(E0207, name.span, "`{}` is part of what `{}` declares", name.text, monoid.text)
                    .also(monoid.span, "declared here")
                    .help("give the function a name without a dot"),
            );
        }
        if let Item::Monoid(m) = item {
            let twice = m.fields.iter().enumerate().find_map(|(k, (field, _))| {
                let before = m.fields[..k].iter().find(|(other, _)| other.text == field.text);
                before.map(|(other, _)| (field, other))
            });
            diagnostics.extend(twice.map(|(field, other)| {
                err!(E0207, field.span, "`{}` has two fields called `{}`", m.name.text, field.text)
                    .also(other.span, "the other one")
            }));
        }
        if matches!(item, Item::Function(_)) {
            let taken = |what: &str| {
                err!(E0207, name.span, "`{}` is a {what} of the language", name.text)
                    .label("choose another name")
            };
            if builtins::is_function(&name.text) {
                diagnostics.push(taken("function"));
            } else if Scalar::parse(&name.text).is_some() || matches!(name.text.as_str(), "c64" | "c128") {
                diagnostics.push(taken("type").note("a call would be a conversion to it"));
            }
        }
        if let Some((first, of)) = seen.insert((kind, of, name.text.as_str()), (name.span, what)) {
            let are = match of == what {
                true => format!("there are two {what}s called `{}`", name.text),
                false => format!("a {of} and a {what} are called `{}`", name.text),
            };
            diagnostics.push(err!(E0207, name.span, "{are}").also(first, "the other one"));
        }
    }
    diagnostics
}

/// The name of a function or a constant.
fn node(item: &Item) -> Option<&ast::Name> {
    match item {
        Item::Function(_) | Item::Const(_) => item.name(),
        _ => None,
    }
}

/// What a function or constant calls and mentions of what the items declare.
fn mentioned(item: &Item, items: &[Item]) -> BTreeSet<String> {
    let (mut calls, mut names) = (BTreeSet::new(), BTreeSet::new());
    let mut collect = |e: &Expr| callees(&mut e.clone(), &mut calls, &mut names);
    match item {
        Item::Function(f) => {
            let types = f.params.iter().map(|param| &param.ty).chain(&f.result);
            types.for_each(|ty| extents(ty, &mut collect));
            f.preconditions.iter().chain([&f.body]).for_each(&mut collect);
        }
        Item::Const(c) => {
            extents(&c.ty, &mut collect);
            collect(&c.value);
        }
        _ => {}
    }
    let declared = items.iter().filter_map(|item| {
        let name = node(item)?;
        let of = if matches!(item, Item::Const(_)) { &names } else { &calls };
        of.contains(&name.text).then(|| name.text.clone())
    });
    declared.collect()
}

fn extents(ty: &ast::Type, collect: &mut impl FnMut(&Expr)) {
    match &ty.kind {
        TypeKind::Tensor { extents, .. } => extents.iter().for_each(collect),
        TypeKind::Several(parts) => parts.iter().for_each(|(_, ty)| self::extents(ty, collect)),
        TypeKind::Error | TypeKind::Size => {}
    }
}

/// What is not of the library, and what of the library that is used.
fn needed(items: &[Item], monoids: &Monoids) -> BTreeSet<String> {
    let named = || items.iter().filter_map(|item| Some((item, node(item)?)));
    let mut needed: BTreeSet<String> = BTreeSet::new();
    let mut new: Vec<&Item> =
        named().filter(|(_, n)| !is_of_library(&n.text)).map(|(item, _)| item).collect();
    while let Some(item) = new.pop() {
        if node(item).is_some_and(|name| needed.insert(name.text.clone())) {
            let mut uses = mentioned(item, items);
            uses.extend(node(item).into_iter().flat_map(|name| monoids.parts_used(&name.text)).cloned());
            new.extend(named().filter(|(_, n)| uses.contains(&n.text)).map(|(item, _)| item));
        }
    }
    needed
}

/// One diagnostic for each cycle among functions that could not be put in order.
fn cycles(waiting: &[(&Item, BTreeSet<String>)]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut reported: BTreeSet<&str> = BTreeSet::new();
    for (item, _) in waiting {
        let Some(name) = node(item) else { continue };
        let start = name.text.as_str();
        let Some(path) =
            cycle_through(start, waiting).filter(|path| path.iter().all(|g| !reported.contains(g)))
        else {
            continue;
        };
        reported.extend(&path);
        let through: Vec<String> = path[1..].iter().map(|g| format!("`{g}`")).collect();
        let by =
            if through.is_empty() { String::new() } else { format!(" by way of {}", through.join(", ")) };
        diagnostics.push(
            err!(
                E0251,
                name.span,
                "`{start}` {}{by}",
                if matches!(item, Item::Const(_)) { "is made of itself" } else { "calls itself" }
            )
            .note("a call is replaced by the function's body, so it must come to an end before any size is known")
            .help("a loop over an index is `gen` or `sum`"),
        );
    }
    diagnostics
}

/// A shortest chain of calls from a function to itself.
fn cycle_through<'a>(start: &'a str, waiting: &'a [(&'a Item, BTreeSet<String>)]) -> Option<Vec<&'a str>> {
    let calls = |name: &str| {
        let found = waiting.iter().find(|(item, _)| node(item).is_some_and(|n| n.text == name));
        found.map(|(_, calls)| calls)
    };
    let mut paths = vec![vec![start]];
    let mut seen = BTreeSet::new();
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            for next in calls(path.last()?).into_iter().flatten() {
                if next == start {
                    return Some(path);
                }
                if seen.insert(next.as_str()) {
                    longer.push(path.iter().copied().chain([next.as_str()]).collect());
                }
            }
        }
        paths = longer;
    }
    None
}

/// The functions that an expression calls, and the names in it.
fn callees(e: &mut Expr, calls: &mut BTreeSet<String>, names: &mut BTreeSet<String>) {
    match &e.kind {
        ExprKind::Call { callee, .. } => {
            calls.insert(callee.text.clone());
        }
        ExprKind::Name(name) => {
            names.insert(name.clone());
        }
        _ => {}
    }
    e.children_mut().into_iter().for_each(|child| callees(child, calls, names));
}
