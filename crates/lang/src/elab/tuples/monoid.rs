//! Sums in a program's monoid: `sum i < n in argmin { (x[i], i32(i)) }`, rounds with a state for each field.
//! A semiring on tuples has products, too: `prod i < n in dual { .. }`.

use super::value::{Value, tuple_of};
use super::{Apart, Formula};
use atl_diag::{Span, err, spelling};
use atl_syntax::ast::{
    BinaryOp, Binder, BinderOp, ElementType, Expr, ExprKind, Function, Monoid, Name, Param, Rounds, Shared,
    Type, TypeKind,
};
use std::collections::BTreeSet;

/// A monoid's sum, or a semiring's product: what is neutral, and what two elements are together.
#[derive(Clone, Copy)]
pub(super) struct Operation<'m> {
    monoid: &'m Monoid,
    neutral: &'m Expr,
    formula: &'m Expr,
    /// The word of the neutral one, and what the formula is of two elements.
    words: [&'static str; 2],
}

impl<'m> Operation<'m> {
    pub(super) fn sum(monoid: &'m Monoid) -> Operation<'m> {
        Operation { monoid, neutral: &monoid.zero, formula: &monoid.add, words: ["zero", "sum"] }
    }

    pub(super) fn product(monoid: &'m Monoid) -> Option<Operation<'m>> {
        let (neutral, formula) = &**monoid.product.as_ref()?;
        Some(Operation { monoid, neutral, formula, words: ["one", "product"] })
    }
}

impl Apart<'_> {
    /// The rounds that a sum or product is, of a loop and those inside it.
    pub(super) fn fold(
        &mut self,
        e: &Expr,
        (op, name): (BinderOp, &Name),
        binders: &[Binder],
        body: &Expr,
    ) -> Option<Value> {
        let Some(monoid) = self.file.monoids.get(name.text.as_str()).copied() else {
            let unknown = err!(E0204, name.span, "there is no monoid `{}`", name.text);
            let known = self.file.monoids.keys().copied();
            let last = name.text.rsplit('.').next().unwrap_or(&name.text);
            return self.report(match spelling::closest(&name.text, known) {
                _ if let Some(module) = crate::library::module_of(last) => unknown.help(format!(
                    "it is one of the library: begin the file with `use {module}.{{{last}}};`, and write `in {last}`",
                )),
                Some(close) => unknown.suggest(format!("did you mean `{close}`?"), name.span, close),
                None => unknown.help(
                    "declare it: `monoid least on (v: f64, i: i32) { zero (inf, 0); add select(b.v < a.v, b, a); }`",
                ),
            });
        };
        let operation = match op {
            BinderOp::Prod => Operation::product(monoid),
            _ => Some(Operation::sum(monoid)),
        };
        let Some(operation) = operation else {
            return self.report(
                err!(E0204, name.span, "the monoid `{}` has no product", name.text).help(
                    "`sum` reduces in a monoid; a semiring on tuples says what `one` and `mul` are, too",
                ),
            );
        };
        self.used.insert(monoid.name.text.clone());
        let fields: Vec<String> = monoid.fields.iter().map(|(name, _)| name.text.clone()).collect();
        self.knows_names(operation)?;
        let neutral = self.neutral(operation)?;
        let begins = Expr::new(ExprKind::Tuple(neutral), e.span);
        let made = self.nest(e, operation, (binders, body), begins)?;
        Some((made, Some(fields).filter(|fields| fields.len() > 1)))
    }

    /// The names of a monoid's text are taken; none may be that of an element's field.
    fn knows_names(&mut self, operation: Operation) -> Option<()> {
        let Operation { monoid, formula, .. } = operation;
        let fields: Vec<String> = monoid.fields.iter().map(|(name, _)| name.text.clone()).collect();
        let mut names = BTreeSet::new();
        names_in(&mut formula.clone(), &mut names);
        let clash = ["a", "b"].iter().flat_map(|name| fields.iter().map(|field| super::part(name, field)));
        if let Some(clash) = clash.into_iter().find(|part| names.contains(part)) {
            return self.report(
                err!(E0207, formula.span, "`{clash}` is the name of a field of an element")
                    .help("give what is called so in the monoid another name"),
            );
        }
        self.taken.extend(names);
        Some(())
    }

    /// What is neutral, as a function.
    pub(super) fn neutral_alone(&mut self, operation: Operation, part: &str) -> Option<Function> {
        let neutral = self.neutral(operation)?;
        Some(alone(operation.monoid, part, Vec::new(), ended(neutral, operation.neutral.span)))
    }

    /// What two elements are together, as a function of their fields.
    pub(super) fn together_alone(&mut self, operation: Operation, part: &str) -> Option<Function> {
        let monoid = operation.monoid;
        self.knows_names(operation)?;
        let elements = [self.named("a", monoid, monoid.span), self.named("b", monoid, monoid.span)];
        let together = self.together(operation, &elements[0], &elements[1])?;
        let of_types = |names: Vec<Name>| names.into_iter().zip(monoid.fields.iter().map(|(_, of)| of));
        let params = elements.into_iter().flat_map(of_types);
        let params = params.map(|(name, of)| Param { span: name.span, name, ty: scalar(of), default: None });
        Some(alone(monoid, part, params.collect(), together))
    }

    /// Something of a monoid's text, which reads what it binds itself, these elements, and constants.
    fn of_monoid<T>(
        &mut self,
        monoid: &Monoid,
        elements: &[&str],
        run: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let fields: Vec<String> = monoid.fields.iter().map(|(name, _)| name.text.clone()).collect();
        let around = std::mem::take(&mut self.scope);
        let outer = self.formula.replace(Formula { monoid: monoid.name.text.clone(), around });
        for name in elements {
            let fields = Some(fields.clone()).filter(|fields| fields.len() > 1);
            self.bind(&Name::new(*name, monoid.span), fields);
        }
        let found = run(self);
        self.scope = std::mem::replace(&mut self.formula, outer).map(|own| own.around).unwrap_or_default();
        found
    }

    /// Reports a name that a monoid's text has from outside, if it is no constant, or another one here.
    pub(super) fn is_of_monoid(&mut self, name: &str, span: Span) -> Option<()> {
        let Some(formula) = &self.formula else { return Some(()) };
        let base = name.split('.').next().unwrap_or(name);
        let monoid = formula.monoid.clone();
        if self.scope.iter().any(|(own, _)| own == base) || super::super::WORDS.contains(&name) {
            return Some(());
        }
        if !self.file.constants.contains(name) {
            return self.report(
                err!(E0201, span, "there is no `{name}` in the monoid `{monoid}`")
                    .help("it reads two elements, `a.v` and `b.v`, constants, and what it binds itself"),
            );
        }
        if formula.around.iter().any(|(own, _)| own == name) {
            return self.report(
                err!(E0207, span, "`{monoid}` reads the constant `{name}`, which is hidden where it is used")
                    .help(format!("give another name to what the function calls `{name}`")),
            );
        }
        Some(())
    }

    /// What is neutral, each field of its type.
    fn neutral(&mut self, operation: Operation) -> Option<Vec<Expr>> {
        let Operation { monoid, neutral, words: [word, _], .. } = operation;
        let found = self.of_monoid(monoid, &[], |apart| apart.value(neutral))?;
        let values = match found.0.kind {
            ExprKind::Tuple(values) => values,
            kind => vec![Expr::new(kind, neutral.span)],
        };
        if values.len() != monoid.fields.len() {
            let (n, m) = (monoid.fields.len(), values.len());
            return self.report(
                err!(E0300, neutral.span, "`{}` has {n} fields, and its {word} has {m}", monoid.name.text)
                    .help("write a value for each field, in their order"),
            );
        }
        Some(values.into_iter().zip(&monoid.fields).map(|(value, (_, of))| converted(value, of)).collect())
    }

    /// The rounds of the first loop, each of which goes on with those of the loops inside.
    fn nest(
        &mut self,
        e: &Expr,
        operation: Operation,
        (binders, body): (&[Binder], &Expr),
        begins: Expr,
    ) -> Option<Expr> {
        let monoid = operation.monoid;
        let (binder, inner) = binders.split_first()?;
        let span = e.span;
        let count = monoid.fields.len();
        let scope = self.scope.len();
        let mut index = self.binders(std::slice::from_ref(binder))?.pop()?;
        let (lo, hi) = (index.lo.take(), index.hi.take());
        let Some(hi) = hi else {
            return self.report(
                err!(E0255, binder.span, "nothing says how many terms there are")
                    .help(format!("`{} < n`", binder.name.text)),
            );
        };
        let own = index.name.clone();
        index.hi = Some(match &lo {
            None => hi,
            Some(lo) => {
                index.name = Name::new(self.unused(&own.text), own.span);
                Expr::new(ExprKind::Binary(BinaryOp::Sub, Box::new(hi), Box::new(lo.clone())), span)
            }
        });
        let states = self.named("a", monoid, span);
        let state_names = tuple_of(&states, span);
        let lets: Vec<Shared>;
        let steps: Vec<Expr>;
        if inner.is_empty() {
            let (mut term, fields) = self.value(body)?;
            if fields.as_ref().map_or(1, Vec::len) != count {
                let n = fields.map_or(1, |fields| fields.len());
                return self.report(
                    err!(E0300, body.span, "`{}` has {count} fields, and its term has {n}", monoid.name.text)
                        .help("write a value for each field, in parentheses"),
                );
            }
            of_types(&mut term, &monoid.fields);
            let terms = self.named("b", monoid, span);
            let sum = self.together(operation, &states, &terms)?;
            let sums = self.fresh(count, span);
            let shared =
                |names: Vec<Name>, value: Expr| Shared { names, value, attributes: Vec::new(), span };
            lets = vec![shared(terms, term), shared(sums.clone(), sum)];
            let ExprKind::Tuple(parts) = tuple_of(&sums, span).kind else { return None };
            steps = parts;
        } else {
            let rest = self.nest(e, operation, (inner, body), state_names)?;
            let sums = self.fresh(count, span);
            lets = vec![Shared { names: sums.clone(), value: rest, attributes: Vec::new(), span }];
            let ExprKind::Tuple(parts) = tuple_of(&sums, span).kind else { return None };
            steps = parts;
        }
        self.scope.truncate(scope);
        let lets = match lo {
            None => lets,
            Some(lo) => {
                let here = Box::new(Expr::new(ExprKind::Name(index.name.text.clone()), span));
                let value = Expr::new(ExprKind::Binary(BinaryOp::Add, here, Box::new(lo)), span);
                let first = Shared { names: vec![own], value, attributes: Vec::new(), span };
                std::iter::once(first).chain(lets).collect()
            }
        };
        let ExprKind::Tuple(starts) = begins.kind else { return None };
        let states = states.into_iter().zip(starts).collect();
        let rounds = Rounds { index, states, until: None, lets, steps, span };
        Some(Expr::new(ExprKind::Iterate { rounds: Box::new(rounds), body: None }, span))
    }

    /// Names for the fields of an element.
    fn named(&mut self, hint: &str, monoid: &Monoid, span: Span) -> Vec<Name> {
        loop {
            let base = self.unused(hint);
            let names = monoid.fields.iter().map(|(field, _)| super::part(&base, &field.text));
            let names: Vec<String> = names.collect();
            if names.iter().all(|name| !self.taken.contains(name)) {
                return names.into_iter().map(|name| Name::new(name, span)).collect();
            }
        }
    }

    /// What two elements are together: the formula, of these.
    fn together(&mut self, operation: Operation, a: &[Name], b: &[Name]) -> Option<Expr> {
        let Operation { monoid, formula, words: [_, word], .. } = operation;
        let fields: Vec<String> = monoid.fields.iter().map(|(name, _)| name.text.clone()).collect();
        let (mut sum, ends) = self.of_monoid(monoid, &["a", "b"], |apart| apart.value(formula))?;
        if ends.as_ref().map_or(1, Vec::len) != fields.len() {
            let (n, m) = (fields.len(), ends.map_or(1, |ends| ends.len()));
            return self.report(
                err!(E0300, formula.span, "`{}` has {n} fields, and its {word} has {m}", monoid.name.text)
                    .help(format!(
                        "a {word} has a value for each field, or is one of the two: `select(b.v < a.v, b, a)`",
                    )),
            );
        }
        let mut inside = Vec::new();
        bound_in(&mut sum, &mut inside);
        for name in inside {
            if self.scope.iter().any(|(other, _)| *other == name) {
                let own = self.unused(&name);
                renamed(&mut sum, &name, &own);
            }
        }
        for (name, own) in [("a", a), ("b", b)] {
            for (field, own) in fields.iter().zip(own) {
                let part = if fields.len() > 1 { super::part(name, field) } else { name.to_owned() };
                renamed(&mut sum, &part, &own.text);
            }
        }
        Some(sum)
    }
}

/// A function that has a part of a monoid for its body, and its fields for results.
fn alone(monoid: &Monoid, part: &str, params: Vec<Param>, body: Expr) -> Function {
    let span = monoid.span;
    let result = match &monoid.fields[..] {
        [(_, of)] => scalar(of),
        fields => {
            let fields = fields.iter().map(|(_, of)| (None, scalar(of)));
            Type { kind: TypeKind::Several(fields.collect()), span }
        }
    };
    Function {
        doc: Vec::new(),
        name: Name::new(part, monoid.name.span),
        type_params: Vec::new(),
        params,
        result: Some(result),
        preconditions: Vec::new(),
        body,
        span,
    }
}

/// The type of numbers of this kind.
fn scalar(of: &ElementType) -> Type {
    let kind = TypeKind::Tensor { element: of.clone(), extents: Vec::new(), format: None };
    Type { kind, span: of.span }
}

/// What ends in these values.
fn ended(mut values: Vec<Expr>, span: Span) -> Expr {
    match values.len() {
        1 => values.remove(0),
        _ => Expr::new(ExprKind::Tuple(values), span),
    }
}

fn converted(value: Expr, of: &ElementType) -> Expr {
    let span = value.span;
    Expr::new(ExprKind::Convert { to: of.clone(), value: Box::new(value) }, span)
}

/// Literals in what a term ends in are of the fields' types.
fn of_types(e: &mut Expr, fields: &[(Name, ElementType)]) {
    // A name is one of something, but for those of numbers.
    if let [(_, of)] = fields
        && super::super::undecided(e, &|_| false, &|_| false)
    {
        *e = converted(e.clone(), of);
        return;
    }
    match &mut e.kind {
        ExprKind::Tuple(parts) => {
            parts
                .iter_mut()
                .zip(fields)
                .for_each(|(part, field)| of_types(part, std::slice::from_ref(field)));
        }
        ExprKind::Let { body, .. } | ExprKind::LetParts { body, .. } => of_types(body, fields),
        ExprKind::Call { callee, args } if callee.text == "select" => {
            args.iter_mut().skip(1).for_each(|side| of_types(side, fields));
        }
        _ => {}
    }
}

/// The names that an expression speaks of, or gives to something.
fn names_in(e: &mut Expr, found: &mut BTreeSet<String>) {
    if let ExprKind::Name(name) = &e.kind {
        found.insert(name.clone());
    }
    found.extend(e.bound_mut().into_iter().map(|name| name.text.clone()));
    e.children_mut().into_iter().for_each(|child| names_in(child, found));
}

/// The names that an expression gives to something.
fn bound_in(e: &mut Expr, found: &mut Vec<String>) {
    found.extend(e.bound_mut().into_iter().map(|name| name.text.clone()));
    e.children_mut().into_iter().for_each(|child| bound_in(child, found));
}

/// Another name for what a monoid's formula speaks of, or gives to something.
fn renamed(e: &mut Expr, from: &str, to: &str) {
    if let ExprKind::Name(name) = &mut e.kind
        && name == from
    {
        to.clone_into(name);
    }
    e.bound_mut().into_iter().filter(|name| name.text == from).for_each(|name| to.clone_into(&mut name.text));
    e.children_mut().into_iter().for_each(|child| renamed(child, from, to));
}
