//! Calls: the callee's body in place, with `let`s for arguments that are more than a name.
//!
//! The callee is elaborated already, in a context of its own; here its sizes become index terms and its
//! tensors variables of the caller. That is substitution for free levels, so nothing can be captured.

use super::{Elab, Val};
use crate::builtins;
use crate::forall::ForAll;
use crate::module::{Argument, Extent, Function, SizeSource, SparseParam};
use crate::show;
use crate::spans::SpanTable;
use atl_diag::spelling;
use atl_diag::{Diagnostic, err};
use atl_kernel::subst::{Subst, instantiate_all};
use atl_kernel::{Elem, Ix, Label, Node, Pred, Type, Var};
use atl_ops::elements::assume_written;
use atl_ops::reflect::push_let;
use atl_syntax::ast::{Expr, Name};
use std::sync::Arc;

impl Elab<'_> {
    /// `f(a, b)`.
    pub(super) fn call(&mut self, e: &Expr, callee: &Name, args: &[Expr], want: Option<Elem>) -> Option<Val> {
        let functions = self.functions;
        match functions.get(&callee.text) {
            Some(Some(function)) => return self.call_function(e, function, args, &[]),
            Some(None) => {
                for arg in args {
                    if self.sort(arg) == super::index::Sort::Value {
                        self.value(arg, None);
                    }
                }
                return None;
            }
            None => {}
        }
        if let Some(generic) = functions.generic(&callee.text) {
            return self.call_generic(e, generic, args, want);
        }
        if let Some(val) = self.builtin(e, callee, args, want) {
            return val;
        }
        if self.lookup(&callee.text).is_some() {
            return self.report(
                err!(E0202, callee.span, "`{}` is not a function", callee.text)
                    .help(format!("elements are read with brackets: `{}[…]`", callee.text)),
            );
        }
        if let Some((base, method)) = callee.text.rsplit_once('.')
            && self.lookup(base).is_some()
        {
            let is_function = |name: &str| self.functions.contains_key(name) || builtins::is_function(name);
            return self.report(super::methods::refusal(e.span, callee, (base, method), args, is_function));
        }
        let unknown = err!(E0202, callee.span, "there is no function `{}`", callee.text);
        if let Some(module) = crate::library::module_of(&callee.text) {
            let line = format!("use {module}.{{{}}};", callee.text);
            return self
                .report(unknown.help(format!("it is one of the library: begin the file with `{line}`")));
        }
        if let Some(advice) = crate::foreign::function(&callee.text) {
            return self.report(unknown.help(advice));
        }
        let known = builtins::names().map(|n| -> &str { n }).chain(self.functions.keys().map(String::as_str));
        let close = spelling::closest(&callee.text, known).map(str::to_owned);
        self.report(match close {
            Some(close) => unknown.suggest(format!("did you mean `{close}`?"), callee.span, close),
            None => {
                let own: Vec<String> = builtins::names().map(|name| format!("`{name}`")).collect();
                unknown.help(format!(
                    "functions are those of this file, of its imports, and of the language: {}",
                    own.join(", ")
                ))
            }
        })
    }

    /// `given` are the arguments that are elaborated already.
    pub(super) fn call_function(
        &mut self,
        e: &Expr,
        f: &Function,
        args: &[Expr],
        given: &[Option<Val>],
    ) -> Option<Val> {
        let f = match (f.dense.as_deref(), f.sparse.first()) {
            (Some(dense), _) => dense,
            (None, None) => f,
            (None, Some(param)) => return self.not_of_tensors(e, f, param),
        };
        if args.len() != f.call_order.len() {
            return self.wrong_arity(&f.name, f.call_order.len(), args.len(), e.span);
        }
        let (mut sizes, mut vals) = (vec![None; f.sizes.len()], vec![None; f.params.len()]);
        for (at, (arg, place)) in args.iter().zip(&f.call_order).enumerate() {
            match *place {
                Argument::Size(k) => sizes[k] = self.index(arg),
                Argument::Tensor(k) => {
                    vals[k] = self.argument(arg, given.get(at).cloned().flatten(), f, k);
                }
            }
        }
        let vals = vals.into_iter().collect::<Option<Vec<Val>>>()?;
        for (k, size) in f.sizes.iter().enumerate() {
            if let SizeSource::Extent { param, axis } = size.source {
                sizes[k] = vals[param].ty.shape.get(axis).cloned();
            }
        }
        for (k, size) in f.sizes.iter().enumerate() {
            if let SizeSource::Extents(found) = &size.source {
                let extent = |(param, axis): &(usize, usize)| vals.get(*param)?.ty.shape.get(*axis).cloned();
                let other = |level: u32| {
                    let place = f.sizes.iter().position(|s| s.level == level)?;
                    sizes.get(place).cloned().flatten()
                };
                sizes[k] = found.term(&extent, &other);
            }
        }
        let sizes = sizes.into_iter().collect::<Option<Vec<Ix>>>()?;
        let mut subst = Subst::default();
        subst.index.extend(f.sizes.iter().map(|s| s.level).zip(sizes));
        self.check_requires(e, f, &subst)?;
        if !is_of_scalars(f) || vals.iter().all(|val| val.ty.shape.is_empty()) {
            self.check_extents(e, f, &vals, &subst)?;
            return self.expand(e, f, &vals, subst);
        }
        let mut tensors = vals.iter().filter(|val| !val.ty.shape.is_empty());
        let (first, what) = (tensors.next()?, format!("`{}`", f.name));
        for other in tensors {
            self.same_shape(first, other, &what)?;
        }
        if f.several.is_empty() {
            return self.with_every_element(e, &vals, |elab, elements| elab.expand(e, f, elements, subst));
        }
        let parts = (0..f.several.len()).map(|k| {
            let subst = Subst { index: subst.index.clone(), tensor: subst.tensor.clone() };
            self.with_every_element(e, &vals, |elab, elements| {
                let val = elab.expand(e, f, elements, subst)?;
                Some(only_part(val, k, &f.several[k].ty))
            })
        });
        let parts = parts.collect::<Option<Vec<Val>>>()?;
        let names = f.several.iter().map(|part| Label::new(&part.name)).collect();
        self.bundle(names, &parts, e.span)
    }

    /// A function that names the arrays of a parameter is one of those arrays, which a caller does not have.
    fn not_of_tensors<T>(&mut self, e: &Expr, f: &Function, param: &SparseParam) -> Option<T> {
        self.report(
            err!(
                E0239,
                e.span,
                "`{}` names arrays of its parameter `{}`, and can be called from outside only",
                f.name,
                param.name
            )
            .also(param.span, "this parameter")
            .help(format!(
                "in the body of `{}`, read the elements of `{}` instead of its arrays",
                f.name, param.name
            )),
        )
    }

    fn argument(&mut self, arg: &Expr, given: Option<Val>, f: &Function, k: usize) -> Option<Val> {
        let param = &f.params[k];
        let val = match given {
            Some(val) => val,
            None => self.value(arg, Some(param.ty.elem))?,
        };
        let (wants, has) = (param.ty.shape.len(), val.ty.shape.len());
        if val.ty.elem == param.ty.elem && (wants == has || is_of_scalars(f)) {
            return Some(val);
        }
        let (wanted, found) = (show::ty(&f.ctx, &param.ty), show::ty(&self.ctx, &val.ty));
        self.report(
            err!(
                E0228,
                arg.span,
                "`{}` of `{}` is of type `{wanted}`, and the argument of `{found}`",
                param.name,
                f.name
            )
            .also(param.span, "the parameter"),
        )
    }

    /// The arguments' extents are what the parameters' types say.
    fn check_extents(&mut self, e: &Expr, f: &Function, vals: &[Val], subst: &Subst) -> Option<()> {
        for (val, param) in vals.iter().zip(&f.params) {
            let wanted: Vec<Ix> = param.ty.shape.iter().map(|n| subst.ix(n)).collect();
            if let Some((axis, goal)) = self.differing(&val.ty.shape, &wanted) {
                let (found, needed) =
                    (show::ix(&self.ctx, &val.ty.shape[axis]), show::ix(&self.ctx, &wanted[axis]));
                let ty = show::ty(&f.ctx, &param.ty);
                let refusal = err!(
                    E0230,
                    val.spans.span(),
                    "extent {axis} of `{}` must be `{needed}`, and that of the argument is `{found}`",
                    param.name
                )
                .also(param.span, format!("declared as `{ty}`"))
                .also(e.span, "in this call");
                let refusal = self.with_reasons(refusal, &goal);
                return self.report(refusal);
            }
        }
        Some(())
    }

    fn check_requires(&mut self, e: &Expr, f: &Function, subst: &Subst) -> Option<()> {
        for size in f.sizes.iter().filter(|s| !matches!(s.source, SizeSource::Extent { .. })) {
            let value = subst.ix(&Ix::free(size.level));
            let natural = atl_kernel::Pred::le(Ix::ZERO, value);
            if let Some(goal) = self.unproved(&natural) {
                let p = show::pred(&self.ctx, &goal);
                let refusal = err!(
                    E0229,
                    e.span,
                    "`{}` of `{}` is a size, and `{p}` could not be proved",
                    size.name,
                    f.name
                )
                .also(size.span, "the parameter");
                let refusal = self.with_reasons(refusal, &goal);
                return self.report(refusal);
            }
        }
        for (p, span) in &f.requires {
            if let Some(goal) = self.unproved(&subst.pred(p)) {
                let (required, here) = (show::pred(&f.ctx, p), show::pred(&self.ctx, &goal));
                let refusal = err!(E0229, e.span, "`{}` requires `{required}`", f.name)
                    .label(format!("here that is `{here}`, which could not be proved"))
                    .also(*span, "required here");
                let refusal = self.with_reasons(refusal, &goal);
                return if self.can_be_stated(&goal) {
                    self.report(refusal.help(format!("state it for the caller as well: `where {here}`")))
                } else {
                    self.report(refusal)
                };
            }
        }
        Some(())
    }

    /// A precondition on elements, of arguments that have levels.
    fn check_for_all(&mut self, e: &Expr, f: &Function, stated: &ForAll, subst: &Subst) -> Option<()> {
        self.shown_for_all(stated, subst, |shown| {
            err!(E0229, e.span, "`{}` requires more of the elements of its arguments", f.name)
                .label(format!("`{shown}` could not be proved"))
                .also(stated.span, "required here")
                .help("state it for the caller as well, after `where`")
        })
    }

    /// Shows a predicate on elements, of variables of which only their ranges are known; else reports it.
    pub(super) fn shown_for_all(
        &mut self,
        stated: &ForAll,
        subst: &Subst,
        refusal: impl FnOnce(&str) -> Diagnostic,
    ) -> Option<()> {
        let at = self.enter();
        let variables = stated.variables.iter();
        let variables: Vec<Ix> = variables.map(|v| Ix::free(self.ctx.push_index(v.label.clone()))).collect();
        let here = |p: &Pred| instantiate_all(&subst.pred(p), &variables);
        self.ctx.push_hyp(here(&stated.within()));
        let goal = self.unproved(&here(&stated.holds));
        let refusal = goal.map(|goal| {
            let refusal = refusal(&show::pred(&self.ctx, &goal));
            self.with_reasons(refusal, &goal)
        });
        self.leave(at);
        refusal.map_or(Some(()), |refusal| self.report(refusal))
    }

    /// The body, in `let`s of the arguments that are not variables.
    fn expand(&mut self, e: &Expr, f: &Function, vals: &[Val], mut subst: Subst) -> Option<Val> {
        let at = self.enter();
        let mut bound = Vec::new();
        for (val, param) in vals.iter().zip(&f.params) {
            let var = if let Node::Var(_) = &*val.expr {
                val.expr.clone()
            } else {
                let label = Label::new(&param.name);
                let level = self.ctx.level();
                self.ctx = push_let(&self.ctx, &label, &val.ty, &val.expr, self.prover);
                assume_written(&mut self.ctx, level, &val.ty, &val.expr);
                bound.push((label, level, val));
                Arc::new(Node::Var(Var::Free(level)))
            };
            subst.tensor.push((param.level, var));
        }
        let own = self.own_constants(f);
        let body = match (&f.open, own) {
            (Some(open), Some(own)) => {
                subst.tensor.extend(own.tensor);
                open
            }
            _ => &f.body,
        };
        for stated in &f.requires_all {
            if self.check_for_all(e, f, stated, &subst).is_none() {
                self.leave(at);
                return None;
            }
        }
        let here = |ty: &Type| Type { elem: ty.elem, shape: ty.shape.iter().map(|n| subst.ix(n)).collect() };
        let several: Vec<Type> = f.several.iter().map(|part| here(&part.ty)).collect();
        let ty = if several.is_empty() { here(&f.result) } else { Type::bundle(&several) };
        let spans = SpanTable::leaf(e.span);
        // The copy has the callee's size; refuse before making it.
        let extent = vals
            .iter()
            .fold(f.extent, |sum, v| Extent { nodes: sum.nodes.saturating_add(v.extent.nodes), ..sum });
        let val = Val { expr: Arc::new(Node::Var(Var::Free(0))), ty, spans: Arc::new(spans), extent };
        let body = self.sized(val).map(|val| Val { expr: subst.expr(body), extent: f.extent, ..val });
        self.leave(at);
        bound
            .into_iter()
            .rev()
            .try_fold(body?, |body, (label, level, val)| self.bind_value(e, label, level, val, &body))
    }
}

/// One of several values, in the `let`s around them.
pub(super) fn only_part(val: Val, k: usize, ty: &Type) -> Val {
    fn end(e: &atl_kernel::Expr, k: usize) -> atl_kernel::Expr {
        match &**e {
            Node::Let(label, bound, body) => Arc::new(Node::Let(label.clone(), bound.clone(), end(body, k))),
            Node::Bundle(_, parts) => parts[k].clone(),
            _ => e.clone(),
        }
    }
    Val { expr: end(&val.expr, k), ty: ty.clone(), ..val }
}

/// Is it a function of scalars, which goes element by element where it is given tensors?
fn is_of_scalars(f: &Function) -> bool {
    f.result.shape.is_empty()
        && f.several.iter().all(|part| part.ty.shape.is_empty())
        && f.params.iter().all(|param| param.ty.shape.is_empty())
}
