//! Files: imports, the order of functions, and what else a file declares.

use super::compress::compressed;
use super::function::function;
use super::semiring::semiring;
use super::{Functions, Names};
use crate::module::Module;
use crate::{builtins, stack};
use atl_diag::spelling;
use atl_diag::{Diagnostic, FileId, Span, err};
use atl_kernel::Prover;
use atl_syntax::ast::{self, Expr, ExprKind, Item};
use std::collections::{BTreeMap, BTreeSet};

/// Finds the files that imports name.
pub trait Loader {
    /// The text of the file that `path` means in the file `from`, and the id that spans in it shall have.
    /// A file that is asked for twice has the same id. An error is one line: why it cannot be read.
    fn load(&mut self, from: FileId, path: &str) -> Result<(FileId, String), String>;
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
    let Gathered { items, mut diagnostics, .. } = gathered;
    let (module, found) = stack::with_prover(prover, |prover| elaborate_items(&items, prover));
    diagnostics.extend(found);
    (module, diagnostics)
}

/// The items of a file and of its imports, each file's once, imports first.
#[derive(Default)]
struct Gathered {
    items: Vec<Item>,
    diagnostics: Vec<Diagnostic>,
    /// The files whose imports are being followed, with the imports that led on.
    open: Vec<(FileId, Span)>,
    done: BTreeSet<FileId>,
}

/// Imports nest at most so deep.
const MAX_IMPORTS: usize = 64;

impl Gathered {
    fn file(&mut self, file: &ast::File, loader: &mut dyn Loader) {
        let id = file.span.file;
        for item in &file.items {
            let Item::Import(import) = item else {
                self.items.push(item.clone());
                continue;
            };
            self.open.push((id, import.span));
            self.import(id, import, loader);
            self.open.pop();
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
    }
}

fn elaborate_items(items: &[Item], prover: &mut dyn Prover) -> (Module, Vec<Diagnostic>) {
    let (mut module, mut diagnostics) = (Module::default(), duplicates(items));
    let declared: Vec<&ast::Function> = items
        .iter()
        .filter_map(|item| match item {
            Item::Function(f) => Some(f),
            _ => None,
        })
        .collect();
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
    let mut functions: Functions = Functions::new();
    let mut waiting: Vec<(&ast::Function, BTreeSet<&str>)> = Vec::new();
    for f in &declared {
        if !waiting.iter().any(|(g, _)| g.name.text == f.name.text) {
            let mut calls = BTreeSet::new();
            callees(&f.body, &mut calls);
            calls.retain(|name| declared.iter().any(|g| g.name.text == *name));
            waiting.push((f, calls));
        }
    }
    while let Some(k) = waiting.iter().position(|(_, calls)| calls.iter().all(|c| functions.contains_key(*c)))
    {
        let (f, _) = waiting.remove(k);
        let (result, found) = function(f, &functions, &names, prover);
        diagnostics.extend(found);
        module.functions.extend(result.clone());
        functions.insert(f.name.text.clone(), result);
    }
    diagnostics.extend(cycles(&waiting));
    let known = || declared.iter().map(|f| f.name.text.as_str());
    for item in items {
        match item {
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
            Item::Function(_) | Item::Format(_) | Item::Semiring(_) | Item::Import(_) => {}
        }
    }
    (module, diagnostics)
}

/// Names that are declared twice, or that the language has taken.
fn duplicates(items: &[Item]) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<(u8, &str, &str), Span> = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for item in items {
        let (kind, what, of) = match item {
            Item::Import(_) => continue,
            Item::Function(_) => (0, "function", ""),
            Item::Schedule(s) => (1, "schedule", s.of.text.as_str()),
            Item::Def(_) => (2, "tactic", ""),
            Item::Theorem(_) => (3, "theorem", ""),
            Item::Format(_) => (4, "format", ""),
            Item::Semiring(_) => (5, "semiring", ""),
        };
        let Some(name) = item.name().filter(|name| !name.text.is_empty()) else { continue };
        if kind == 0 && builtins::is_function(&name.text) {
            diagnostics.push(
                err!(E0207, name.span, "`{}` is a function of the language", name.text)
                    .label("choose another name"),
            );
        }
        if let Some(first) = seen.insert((kind, of, name.text.as_str()), name.span) {
            diagnostics.push(
                err!(E0207, name.span, "there are two {what}s called `{}`", name.text)
                    .also(first, "the other one"),
            );
        }
    }
    diagnostics
}

/// One diagnostic for each cycle among functions that could not be put in order.
fn cycles(waiting: &[(&ast::Function, BTreeSet<&str>)]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut reported: BTreeSet<&str> = BTreeSet::new();
    for (f, _) in waiting {
        let start = f.name.text.as_str();
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
            err!(E0251, f.name.span, "`{start}` calls itself{by}")
                .note("a call stands for the function's body, so it must come to an end before any size is known")
                .help("a loop over an index is `gen` or `sum`"),
        );
    }
    diagnostics
}

/// A shortest chain of calls from a function to itself.
fn cycle_through<'a>(
    start: &'a str,
    waiting: &[(&'a ast::Function, BTreeSet<&'a str>)],
) -> Option<Vec<&'a str>> {
    let calls = |name: &str| waiting.iter().find(|(f, _)| f.name.text == name).map(|(_, calls)| calls);
    let mut paths = vec![vec![start]];
    let mut seen = BTreeSet::new();
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            for next in calls(path.last()?).into_iter().flatten() {
                if *next == start {
                    return Some(path);
                }
                if seen.insert(*next) {
                    longer.push(path.iter().copied().chain([*next]).collect());
                }
            }
        }
        paths = longer;
    }
    None
}

/// The functions that an expression calls.
fn callees<'a>(e: &'a Expr, out: &mut BTreeSet<&'a str>) {
    let mut all = |es: &'a [Expr]| es.iter().for_each(|e| callees(e, out));
    match &e.kind {
        ExprKind::Call { callee, args } => {
            all(args);
            out.insert(&callee.text);
        }
        ExprKind::Unary(_, a) | ExprKind::Convert { value: a, .. } | ExprKind::Labelled { body: a, .. } => {
            callees(a, out);
        }
        ExprKind::Binary(_, a, b)
        | ExprKind::Guard { predicate: a, body: b }
        | ExprKind::Let { value: a, body: b, .. }
        | ExprKind::LetParts { value: a, body: b, .. }
        | ExprKind::Rec { value: a, body: b, .. }
        | ExprKind::Layout { shape: a, stride: b } => {
            callees(a, out);
            callees(b, out);
        }
        ExprKind::Compare(first, rest) => {
            callees(first, out);
            rest.iter().for_each(|(_, e)| callees(e, out));
        }
        ExprKind::Access { base, indices, .. } => {
            all(indices);
            callees(base, out);
        }
        ExprKind::Bind { body, .. } => callees(body, out),
        ExprKind::Iterate { rounds, body: last } | ExprKind::Scan { rounds, give: last } => {
            rounds.states.iter().for_each(|(_, init)| callees(init, out));
            rounds.lets.iter().for_each(|shared| callees(&shared.value, out));
            rounds.until.iter().chain(&rounds.steps).chain(last.as_deref()).for_each(|e| callees(e, out));
        }
        ExprKind::Tuple(es) | ExprKind::List(es) => all(es),
        ExprKind::Of { .. } => {}
        ExprKind::Range(lo, hi) => lo.iter().chain(hi).for_each(|e| callees(e, out)),
        ExprKind::Error
        | ExprKind::Hole
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Name(_)
        | ExprKind::Label(_) => {}
    }
}
