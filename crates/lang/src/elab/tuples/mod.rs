//! Tuples: `(v: f64, i: i32)[N]`, whose values are as many tensors as there are fields.
//!
//! **The one idea.** Which names have fields, the text decides, without types. So before anything is
//! elaborated, a function with tuples becomes one of their fields: a parameter `p` is `p_v` and `p_i`, as
//! is a `let` and a state; `p.v` is a name, `p[i]` is `(p_v[i], p_i[i])`, and a value of several fields is
//! one that ends in several values, which `components` takes apart. A sum in a monoid becomes rounds with a
//! state for each field. Everything after this knows of tensors alone.

mod claims;
mod monoid;
mod rounds;
mod value;

use super::uses::is_of_library;
use atl_diag::{Diagnostic, err};
use atl_syntax::ast::{Expr, ExprKind, Function, Item, Monoid, Name, Param, Type, TypeKind};
pub use claims::DeclaredMonoid;
pub(super) use claims::declared;
use monoid::Operation;
use std::collections::{BTreeMap, BTreeSet};

/// The fields of a tuple, in order; one without a name is called by its number.
type Fields = Vec<String>;

/// What the items say that functions read.
#[derive(Default)]
struct File<'a> {
    monoids: BTreeMap<&'a str, &'a Monoid>,
    functions: BTreeSet<String>,
    constants: BTreeSet<&'a str>,
    /// The results of functions that have several.
    results: BTreeMap<String, Fields>,
}

/// The items with the fields of tuples, and what is to know of the monoids among them.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) items: Vec<Item>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) monoids: Monoids,
}

/// Functions and monoids, by name.
#[derive(Default)]
pub(super) struct Monoids {
    /// The functions that are parts of monoids, `least.add`, each with its monoid.
    parts: BTreeMap<String, String>,
    /// The monoids in which functions have sums, by function.
    sums: BTreeMap<String, BTreeSet<String>>,
    /// What is wrong with monoids by themselves, whose sums should show it.
    pub(super) held: Vec<Diagnostic>,
}

impl Monoids {
    /// Is this function part of a monoid?
    pub(super) fn has_part(&self, name: &str) -> bool {
        self.parts.contains_key(name)
    }

    /// Has a function a sum in the monoid that this one is part of?
    pub(super) fn has_sum(&self, part: &str) -> bool {
        let monoid = self.parts.get(part);
        monoid.is_some_and(|monoid| self.sums.values().any(|sums| sums.contains(monoid)))
    }

    /// The parts of the monoids in which the function has sums.
    pub(super) fn parts_used(&self, function: &str) -> impl Iterator<Item = &String> {
        let sums = self.sums.get(function);
        let used = move |monoid: &String| sums.is_some_and(|sums| sums.contains(monoid));
        self.parts.iter().filter(move |(_, monoid)| used(monoid)).map(|(part, _)| part)
    }
}

/// A function whose tuples are taken apart.
struct Apart<'a> {
    file: &'a File<'a>,
    /// The names that the text has given something to, with their fields if it is a tuple.
    scope: Vec<(String, Option<Fields>)>,
    /// Every name of the function.
    taken: BTreeSet<String>,
    /// The monoid whose text is taken apart, if it is one's.
    formula: Option<Formula>,
    /// The monoids in which the function has sums.
    used: BTreeSet<String>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Apart<'a> {
    fn new(file: &'a File<'a>) -> Apart<'a> {
        Apart {
            file,
            scope: Vec::new(),
            taken: BTreeSet::new(),
            formula: None,
            used: BTreeSet::new(),
            diagnostics: Vec::new(),
        }
    }
}

/// The text of a monoid, where it is used.
struct Formula {
    monoid: String,
    /// The names of the function, which it does not read.
    around: Vec<(String, Option<Fields>)>,
}

/// The items, with the fields of tuples in place of these.
pub(super) fn apart(items: &[Item]) -> Taken {
    let (mut file, mut taken) = (File::default(), Taken::default());
    for item in items {
        match item {
            Item::Monoid(m) => {
                file.monoids.insert(&m.name.text, m);
                let fields = m.fields.iter().map(|(name, _)| name.text.clone());
                let fields: Vec<String> = fields.collect();
                for (part, _) in parts_of(m) {
                    if fields.len() > 1 {
                        file.results.insert(part.clone(), fields.clone());
                    }
                    taken.monoids.parts.insert(part.clone(), m.name.text.clone());
                    file.functions.insert(part);
                }
            }
            Item::Const(c) => {
                file.constants.insert(&c.name.text);
            }
            Item::Function(f) => {
                file.functions.insert(f.name.text.clone());
                let fields = f.result.as_ref().and_then(fields_of);
                file.results.extend(fields.map(|fields| (f.name.text.clone(), fields)));
            }
            _ => {}
        }
    }
    for item in items {
        let Item::Function(f) = item else {
            taken.items.push(item.clone());
            continue;
        };
        let mut apart = Apart::new(&file);
        let function = apart.function(f);
        let refused = apart.diagnostics.iter().any(Diagnostic::is_error);
        taken.diagnostics.append(&mut apart.diagnostics);
        taken.monoids.sums.insert(f.name.text.clone(), apart.used);
        taken.items.extend(function.filter(|_| !refused).map(Item::Function));
    }
    for (part, operation) in file.monoids.values().flat_map(|monoid| parts_of(monoid)) {
        let mut apart = Apart::new(&file);
        let function = match part.rsplit('.').next() {
            Some("zero" | "one") => apart.neutral_alone(operation, &part),
            _ => apart.together_alone(operation, &part),
        };
        let into = match taken.monoids.has_sum(&part) || is_of_library(&part) {
            true => &mut taken.monoids.held,
            false => &mut taken.diagnostics,
        };
        into.append(&mut apart.diagnostics);
        taken.items.extend(function.map(Item::Function));
    }
    taken
}

/// The monoid that has a function of this name.
pub(super) fn monoid_of_part<'a>(items: &'a [Item], name: &str) -> Option<&'a Name> {
    let (monoid, _) = name.rsplit_once('.')?;
    let has_part = |m: &&Monoid| m.name.text == monoid && parts_of(m).iter().any(|(part, _)| part == name);
    let mut monoids = items.iter().filter_map(|item| match item {
        Item::Monoid(m) => Some(m),
        _ => None,
    });
    monoids.find(has_part).map(|m| &m.name)
}

/// The functions that a monoid has: what is neutral, and what two elements are together.
fn parts_of(monoid: &Monoid) -> Vec<(String, Operation<'_>)> {
    let of =
        |words: [&str; 2], operation| words.map(|word| (format!("{}.{word}", monoid.name.text), operation));
    let product = Operation::product(monoid).map(|operation| of(["one", "mul"], operation));
    of(["zero", "add"], Operation::sum(monoid)).into_iter().chain(product.into_iter().flatten()).collect()
}

/// The fields of a type, those of tuples inside included, if it has several.
fn fields_of(ty: &Type) -> Option<Fields> {
    let TypeKind::Several(parts) = &ty.kind else { return None };
    let mut fields = Vec::new();
    for (k, (name, of)) in parts.iter().enumerate() {
        let own = name.as_ref().map_or_else(|| k.to_string(), |name| name.text.clone());
        match fields_of(of) {
            Some(inner) => fields.extend(inner.iter().map(|field| part(&own, field))),
            None => fields.push(own),
        }
    }
    Some(fields)
}

/// What the tensor of a field is called.
fn part(name: &str, field: &str) -> String {
    format!("{name}_{field}")
}

/// The names of a tuple's tensors, at a place.
fn parts(name: &Name, fields: &[String]) -> Vec<Name> {
    fields.iter().map(|field| Name::new(part(&name.text, field), name.span)).collect()
}

/// The types of a type's fields, each with its name.
fn flat(ty: &Type, name: Option<&Name>, into: &mut Vec<(Option<Name>, Type)>) {
    let TypeKind::Several(fields) = &ty.kind else {
        into.push((name.cloned(), ty.clone()));
        return;
    };
    for (k, (own, of)) in fields.iter().enumerate() {
        let inner = match (name, own) {
            (None, own) => own.clone(),
            (Some(name), own) => {
                let field = own.as_ref().map_or_else(|| k.to_string(), |own| own.text.clone());
                Some(Name::new(part(&name.text, &field), name.span))
            }
        };
        flat(of, inner.as_ref(), into);
    }
}

impl Apart<'_> {
    fn report<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }

    fn bind(&mut self, name: &Name, fields: Option<Fields>) {
        self.scope.push((name.text.clone(), fields));
    }

    /// Binds a name, whose parts are called so; none may be the name of something else.
    fn bind_parts(&mut self, name: &Name, fields: &[String]) -> Option<Vec<Name>> {
        let made = parts(name, fields);
        if let Some(other) = made.iter().find(|made| self.taken.contains(&made.text)) {
            return self.report(
                err!(E0207, name.span, "`{}` is the name of a field of `{}`", other.text, name.text)
                    .label("a tuple is stored as an array for each field, which are called so")
                    .help("give the other one another name"),
            );
        }
        self.bind(name, Some(fields.to_vec()));
        Some(made)
    }

    /// The fields of a name, if it is a tuple's.
    fn fields(&self, name: &str) -> Option<&Fields> {
        self.scope.iter().rev().find(|(bound, _)| bound == name)?.1.as_ref()
    }

    /// A name that nothing has in the function; no field of a tuple is called so, since those have an
    /// underscore.
    fn unused(&mut self, plain: &str) -> String {
        let plain = &plain.replace('_', "");
        let tries = std::iter::once(plain.to_owned()).chain((2..).map(|n| format!("{plain}{n}")));
        let name = tries.into_iter().find(|name| !self.taken.contains(name));
        let name = name.unwrap_or_else(|| plain.to_owned());
        self.taken.insert(name.clone());
        name
    }

    fn function(&mut self, f: &Function) -> Option<Function> {
        f.preconditions.iter().chain([&f.body]).for_each(|e| self.collect(&mut e.clone()));
        self.taken.extend(f.params.iter().map(|param| param.name.text.clone()));
        let mut made = Function { params: Vec::new(), ..f.clone() };
        for param in &f.params {
            match fields_of(&param.ty) {
                None => {
                    self.bind(&param.name, None);
                    made.params.push(param.clone());
                }
                Some(fields) => {
                    self.bind_parts(&param.name, &fields)?;
                    let mut types = Vec::new();
                    flat(&param.ty, Some(&param.name), &mut types);
                    made.params.extend(types.into_iter().filter_map(|(name, ty)| {
                        Some(Param { name: name?, ty, default: None, span: param.span })
                    }));
                }
            }
        }
        for condition in &mut made.preconditions {
            *condition = self.value(condition)?.0;
        }
        if let Some(result) = &f.result {
            let mut types = Vec::new();
            flat(result, None, &mut types);
            if types.len() > 1 {
                made.result = Some(Type { kind: TypeKind::Several(types), span: result.span });
            }
        }
        made.body = self.value(&f.body)?.0;
        Some(made)
    }

    /// Every name in the expression is taken.
    fn collect(&mut self, e: &mut Expr) {
        if let ExprKind::Name(name) = &e.kind {
            self.taken.insert(name.clone());
        }
        self.taken.extend(e.bound_mut().into_iter().map(|name| name.text.clone()));
        e.children_mut().into_iter().for_each(|child| self.collect(child));
    }
}
