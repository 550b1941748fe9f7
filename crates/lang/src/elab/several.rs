//! Several results: `fn f(..) -> (f32[N], i32[N]) { .. (a, b) }`, and the names that a call gives them,
//! `let (a, b) = f(x);`. Expressions that end in several values are taken apart by `components`.
//!
//! The one idea: several results are the end of a chain of `let`s and nothing else, in a program and in the
//! kernel's term. So a call is the callee's chain, then the caller's names for its parts, then the rest of
//! the caller.

use super::sparse::extent;
use super::{Elab, Val, label};
use crate::module::{Extent, ResultPart};
use crate::refusal;
use atl_diag::{Span, err};
use atl_kernel::{Child, Expr as Term, Label, Node, Type, subst};
use atl_ops::reflect::push_let;
use atl_syntax::ast::{Expr, ExprKind, Name, Type as TypeSyntax, TypeKind};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A chain of `let`s that was entered, outermost first: the label, the level and what it binds.
pub(super) type Chain = Vec<(Label, u32, Val)>;

impl Elab<'_> {
    /// The results that a function declares, where these are several.
    pub(super) fn declared(&mut self, parts: &[(Option<Name>, TypeSyntax)]) -> Option<Vec<ResultPart>> {
        let mut taken: BTreeSet<String> = self.scope.iter().map(|bound| bound.name.clone()).collect();
        let mut found = Vec::new();
        for (k, (name, ty)) in parts.iter().enumerate() {
            if let TypeKind::Tensor { format: Some(_), .. } = &ty.kind {
                found.push(self.report(
                    err!(E0300, ty.span, "one of several results has a format or a layout")
                        .label("this one")
                        .help("several results are stored row-major: remove the format, or let the function have this result alone"),
                ));
                continue;
            }
            let part = self.ty(ty).map(|ty| (ty, name.clone()));
            let part = part.and_then(|(of, name)| {
                let name = match name {
                    Some(name) if taken.contains(&name.text) => {
                        return self.report(
                            err!(
                                E0206,
                                name.span,
                                "a result is called `{}`, as something else is",
                                name.text
                            )
                            .help("give each result a name of its own"),
                        );
                    }
                    Some(name) => name.text,
                    None => free_name(&taken, format!("out{k}")),
                };
                taken.insert(name.clone());
                Some(ResultPart { name, ty: of, span: ty.span })
            });
            found.push(part);
        }
        found.into_iter().collect()
    }

    /// A value, or the chain of `let`s that ends in several, of these types.
    pub(super) fn results(&mut self, e: &Expr, f: &Name, declared: &[ResultPart]) -> Option<Val> {
        match &e.kind {
            ExprKind::Let { name, attributes, value, body } => {
                let inside = |elab: &mut Self| Some(vec![elab.results(body, f, declared)?]);
                self.let_in(e, name, attributes, value, inside)?.pop()
            }
            // Names for the results alone.
            ExprKind::LetParts { names, value, body } if is_tuple_of(body, names) => {
                self.results(value, f, declared)
            }
            ExprKind::LetParts { names, value, body } => {
                let inside = |elab: &mut Self| Some(vec![elab.results(body, f, declared)?]);
                self.let_parts(e, names, value, inside)?.pop()
            }
            _ => {
                let at = self.enter();
                let val = self.end(e, f, declared);
                self.leave(at);
                val
            }
        }
    }

    /// The results of a function, which are of these types.
    fn end(&mut self, e: &Expr, f: &Name, declared: &[ResultPart]) -> Option<Val> {
        let wants: Vec<_> = declared.iter().map(|part| Some(part.ty.elem)).collect();
        let states = states_given(e).into_iter().zip(declared);
        self.results_of.extend(states.filter_map(|(state, part)| Some((state?, part.ty.elem.scalar))));
        let found = self.taken_apart(e, Some(&wants));
        self.results_of.clear();
        let (chain, parts) = found?;
        if parts.len() != declared.len() {
            return self.report(
                err!(
                    E0300,
                    e.span,
                    "`{}` is declared to have {} results, and these are {}",
                    f.text,
                    declared.len(),
                    parts.len()
                )
                .help("write as many types after `->` as there are values between the parentheses"),
            );
        }
        for (part, declared) in parts.iter().zip(declared) {
            self.check_result(f, declared.span, &declared.ty, part)?;
        }
        let names: Arc<[Label]> = declared.iter().map(|part| Label::new(&part.name)).collect();
        let val = self.bundle(names, &parts, e.span)?;
        self.around(e, chain, vec![val])?.pop()
    }

    /// `let (a, b) = value; ..`.
    pub(super) fn let_parts(
        &mut self,
        e: &Expr,
        names: &[Name],
        value: &Expr,
        inside: impl FnOnce(&mut Self) -> Option<Vec<Val>>,
    ) -> Option<Vec<Val>> {
        let at = self.enter();
        let found = self.named_results(names, value);
        let Some((mut chain, parts)) = found else {
            self.leave(at);
            for (k, name) in names.iter().enumerate() {
                if names[..k].iter().all(|first| first.text != name.text) {
                    self.bind(name, super::Meaning::Refused(super::index::Sort::Value));
                }
            }
            inside(self);
            self.leave(at);
            return None;
        };
        for (name, part) in names.iter().zip(parts) {
            let label = label(name);
            let level = self.enter_let(name, label.clone(), &part);
            chain.push((label, level, part));
        }
        let vals = inside(self);
        let vals = vals.and_then(|vals| self.around(e, chain, vals));
        self.leave(at);
        vals
    }

    /// The names of one pattern differ; reported if not.
    fn different_names(&mut self, names: &[Name]) -> Option<()> {
        for (k, name) in names.iter().enumerate() {
            if let Some(first) = names[..k].iter().find(|first| first.text == name.text) {
                return self.report(
                    err!(E0206, name.span, "two results of one call are called `{}`", name.text)
                        .also(first.span, "the first one")
                        .help("give each a name of its own, also one that is not used"),
                );
            }
        }
        Some(())
    }

    /// What has as many results as there are names, taken apart.
    pub(super) fn named_results(&mut self, names: &[Name], value: &Expr) -> Option<(Chain, Vec<Val>)> {
        let (chain, parts) = self.taken_apart(value, None)?;
        if parts.len() == names.len() {
            return self.different_names(names).map(|()| (chain, parts));
        }
        self.report(
            err!(
                E0300,
                value.span,
                "this has {} results, and there are {} names for them",
                parts.len(),
                names.len()
            )
            .also(names[0].span.to(names[names.len() - 1].span), "the names")
            .help("give each result a name"),
        )
    }

    /// A chain of `let`s around each of the values; their levels are left.
    pub(super) fn around(&mut self, e: &Expr, chain: Chain, mut vals: Vec<Val>) -> Option<Vec<Val>> {
        for (label, level, bound) in chain.into_iter().rev() {
            vals = self.all_named(level, vals)?;
            self.scattered.retain(|scattered| *scattered != level);
            self.ctx.truncate(level);
            vals = self.bind_values(e, (&label, level, &bound), vals)?;
        }
        Some(vals)
    }

    /// What has several results, taken apart: the `let`s around them, which are entered, and each of them.
    pub(super) fn taken_apart(
        &mut self,
        e: &Expr,
        wants: Option<&[Option<atl_kernel::Elem>]>,
    ) -> Option<(Chain, Vec<Val>)> {
        match &e.kind {
            ExprKind::Call { callee, args } if callee.text != "select" => {
                let val = self.call(e, callee, args, None)?;
                if val.ty.is_bundle() {
                    self.opened(val, e.span)
                } else {
                    self.not_several(e.span, "this call")
                }
            }
            ExprKind::Error => None,
            _ => {
                let count = self.components(e);
                if count < 2 {
                    return self.not_several(e.span, "this");
                }
                let want = |k: usize| wants.and_then(|wants| wants.get(k).copied().flatten());
                let wants: Vec<_> = (0..count).map(want).collect();
                Some((Vec::new(), self.ends(e, &wants)?))
            }
        }
    }

    pub(super) fn not_several<T>(&mut self, span: Span, what: &str) -> Option<T> {
        self.report(
            err!(E0300, span, "{what} is one value, and several are needed here").help(
                "several values are written `(a, b)`, or are the results of a function that has several, or the states of an `iterate`",
            ),
        )
    }

    /// The end of a chain of `let`s, which are entered.
    fn opened(&mut self, val: Val, span: Span) -> Option<(Chain, Vec<Val>)> {
        let (mut chain, mut e, mut path) = (Vec::new(), val.expr.clone(), Vec::new());
        loop {
            match &*e.clone() {
                Node::Let(label, bound, body) => {
                    let bound = self.part_of(&val, bound, &[&path[..], &[Child::Bound]].concat(), span)?;
                    let level = self.ctx.level();
                    self.ctx = push_let(&self.ctx, label, &bound.ty, &bound.expr, self.prover);
                    chain.push((label.clone(), level, bound));
                    path.push(Child::Body);
                    e = subst::open(body, level);
                }
                Node::Bundle(_, parts) => {
                    let part = |(k, part): (u32, &Term)| {
                        self.part_of(&val, part, &[&path[..], &[Child::Arg(k)]].concat(), span)
                    };
                    let parts: Option<Vec<Val>> = (0..).zip(parts).map(part).collect();
                    return Some((chain, parts?));
                }
                _ => return self.not_several(span, "this"),
            }
        }
    }

    /// The subterm of a value at a path, its variables those of the context.
    fn part_of(&mut self, whole: &Val, e: &Term, path: &[Child], span: Span) -> Option<Val> {
        match atl_kernel::type_of(&self.ctx, e, self.prover) {
            Ok(ty) => {
                let spans = Arc::new(whole.spans.sub(path));
                let extent = Extent { copies: whole.extent.copies, ..extent(e) };
                Some(Val { expr: e.clone(), ty, spans, extent })
            }
            Err(error) => self.report(refusal::kernel_error(&error, &self.ctx, Some(span))),
        }
    }

    /// Several results.
    pub(super) fn bundle(&mut self, names: Arc<[Label]>, parts: &[Val], span: Span) -> Option<Val> {
        let types: Vec<Type> = parts.iter().map(|part| part.ty.clone()).collect();
        let places: Vec<[Child; 1]> = (0..).zip(parts).map(|(k, _)| [Child::Arg(k)]).collect();
        let below: Vec<(&[Child], &Val)> = places.iter().map(|place| &place[..]).zip(parts).collect();
        let node = Node::Bundle(names, parts.iter().map(|part| part.expr.clone()).collect());
        self.build(node, Type::bundle(&types), span, &below)
    }

    /// A call where one value is needed.
    pub(super) fn one_result(&mut self, callee: &str, val: Val) -> Option<Val> {
        if !val.ty.is_bundle() {
            return Some(val);
        }
        let functions = self.functions;
        let results = functions.get(callee).and_then(Option::as_ref).map_or(&[][..], |f| &f.several);
        let names: Vec<&str> = results.iter().map(|part| part.name.as_str()).collect();
        self.report(
            err!(
                E0300,
                val.spans.span(),
                "`{callee}` has {} results, and one value is needed here",
                names.len()
            )
            .help(format!("give them names first: `let ({}) = {callee}(..);`", names.join(", "))),
        )
    }
}

/// The name, or with a mark where something else has it.
fn free_name(taken: &BTreeSet<String>, mut name: String) -> String {
    while taken.contains(&name) {
        name.push('_');
    }
    name
}

/// Of each value that rounds end in, the state that it is, if it is one.
fn states_given(e: &Expr) -> Vec<Option<String>> {
    let name = |e: &Expr| if let ExprKind::Name(name) = &e.kind { Some(name.clone()) } else { None };
    match &e.kind {
        ExprKind::Iterate { rounds, body: None } => {
            rounds.states.iter().map(|(name, _)| Some(name.text.clone())).collect()
        }
        ExprKind::Iterate { body: Some(body), .. } => match &body.kind {
            ExprKind::Tuple(parts) => parts.iter().map(name).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Is it these names, each once?
fn is_tuple_of(e: &Expr, names: &[Name]) -> bool {
    let differ = (1..names.len()).all(|k| names[..k].iter().all(|first| first.text != names[k].text));
    let ExprKind::Tuple(parts) = &e.kind else { return false };
    let is_name = |part: &Expr, name: &Name| matches!(&part.kind, ExprKind::Name(text) if *text == name.text);
    differ && parts.len() == names.len() && parts.iter().zip(names).all(|(part, name)| is_name(part, name))
}
