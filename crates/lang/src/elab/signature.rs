//! The head of a function: sizes, preconditions, parameters.
//!
//! The context has the sizes in order of first appearance, then the preconditions on them, then the tensors, then the
//! preconditions on their elements.

use super::index::Sort;
use super::sparse::{Declared, Operand};
use super::{Elab, Meaning};
use crate::forall::ForAll;
use crate::module::{Argument, Param, SizeParam, SizeSource};
use crate::sizes::solved;
use atl_diag::spelling;
use atl_diag::{Span, err};
use atl_kernel::{Ix, Label, Pred, Type};
use atl_syntax::ast::{self, BinderOp, Expr, ExprKind, TypeKind};
use std::sync::Arc;

/// An elaborated head; the context that goes with it is the elaborator's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signature {
    pub(crate) sizes: Vec<SizeParam>,
    pub(crate) params: Vec<Param>,
    pub(crate) operands: Vec<Operand>,
    /// The facts of the operands' arrays.
    pub(super) facts: Vec<ForAll>,
    /// The sparse parameters whose sizes are declared.
    declared: Vec<Declared>,
    pub(crate) call_order: Vec<Argument>,
    pub(crate) requires: Vec<(Pred, Span)>,
    pub(crate) requires_all: Vec<ForAll>,
}

impl Elab<'_> {
    /// Enters the names of a head; `None` when a part of it was refused.
    pub(super) fn signature(&mut self, params: &[ast::Param], preconditions: &[Expr]) -> Option<Signature> {
        let mut signature = Signature::default();
        let distinct = self.distinct(params);
        let sizes = self.sizes(params, &mut signature);
        let head = signature.sizes.len();
        let (elements, plain): (Vec<&Expr>, Vec<&Expr>) = preconditions.iter().partition(|e| reads(e));
        let formats = self.formats_of(params, &mut signature);
        let is_value = |param: &&ast::Param| !matches!(param.ty.kind, TypeKind::Size);
        self.awaited = params.iter().filter(is_value).map(|param| param.name.text.clone()).collect();
        let requires = self.requires(&plain, &mut signature);
        self.awaited.clear();
        let tensors = self.tensors(params, &mut signature);
        for fact in std::mem::take(&mut signature.facts) {
            fact.assume(&mut self.ctx);
            signature.requires_all.push(fact);
        }
        let requires_all = self.requires_all(&elements, &mut signature);
        self.head = self.ctx.level();
        distinct.and(sizes).and(formats).and(requires).and(tensors).and(requires_all)?;
        self.solve_sizes(params, head, &mut signature)?;
        Some(signature)
    }

    fn distinct(&mut self, params: &[ast::Param]) -> Option<()> {
        let mut fine = Some(());
        for (k, param) in params.iter().enumerate() {
            if let Some(first) = params[..k].iter().find(|p| p.name.text == param.name.text) {
                fine = self.report(
                    err!(E0206, param.name.span, "two parameters are called `{}`", param.name.text)
                        .also(first.name.span, "the first one"),
                );
            }
        }
        fine
    }

    /// Every name that the parameters' types make a size, in order of first appearance.
    fn sizes(&mut self, params: &[ast::Param], signature: &mut Signature) -> Option<()> {
        let mut fine = Some(());
        let mut found: Vec<ast::Name> = Vec::new();
        for param in params {
            let mut names = Vec::new();
            match &param.ty.kind {
                TypeKind::Size => names.push(param.name.clone()),
                TypeKind::Tensor { extents, .. } => extents.iter().for_each(|e| names_in(e, &mut names)),
                TypeKind::Error => fine = None,
                TypeKind::Several(_) => fine = self.not_a_tuple(&param.ty),
            }
            for name in names {
                if !found.iter().any(|n| n.text == name.text) {
                    found.push(name);
                }
            }
        }
        for name in found {
            let text = &name.text;
            let is_param = params.iter().any(|p| p.name.text == *text);
            let constant = self.lookup(text).filter(|_| !is_param);
            if matches!(constant, Some(Meaning::Index(_) | Meaning::Number(_, Some(_)) | Meaning::Refused(_)))
            {
                continue;
            }
            let tensor = params.iter().find(|p| p.name.text == *text && !matches!(p.ty.kind, TypeKind::Size));
            if let Some(param) = tensor {
                self.bind(&name, Meaning::Refused(Sort::Value));
                fine = self.report(
                    err!(E0211, name.span, "`{text}` is a parameter that is no size")
                        .also(param.span, "declared here")
                        .help(format!("a plain integer parameter is declared `{text}: size`")),
                );
                continue;
            }
            let level = self.ctx.push_size(Label::new(text));
            self.bind(&name, Meaning::Index(Ix::free(level)));
            let source = match params.iter().any(|p| p.name.text == *text) {
                true => SizeSource::Argument,
                false => extent_named(params, text).unwrap_or(SizeSource::Argument),
            };
            signature.sizes.push(SizeParam { name: text.clone(), level, span: name.span, source });
        }
        fine
    }

    /// Finds the sizes that are neither arguments nor extents by themselves from the extents that are made of them.
    fn solve_sizes(&mut self, params: &[ast::Param], head: usize, signature: &mut Signature) -> Option<()> {
        let named = |s: &SizeParam| {
            let own = |p: &ast::Param| p.name.text == s.name && matches!(p.ty.kind, TypeKind::Size);
            params.iter().any(own) || extent_named(params, &s.name).is_some()
        };
        let sought: Vec<usize> = (0..head).filter(|k| !named(&signature.sizes[*k])).collect();
        if sought.is_empty() {
            return Some(());
        }
        let argument = |s: &SizeParam| params.iter().any(|p| p.name.text == s.name);
        let unknown: Vec<u32> =
            signature.sizes[..head].iter().filter(|s| !argument(s)).map(|s| s.level).collect();
        let of_format = |k: usize| signature.operands.iter().any(|o| o.param.arrays.contains(&k));
        let mut extents = Vec::new();
        for (k, p) in signature.params.iter().enumerate().filter(|(k, _)| !of_format(*k)) {
            extents.extend(p.ty.shape.iter().enumerate().map(|(axis, n)| (n.clone(), (k, axis))));
        }
        let by_arrays = solved(&unknown, &extents);
        // The arrays of a tensor in a format do not show its extents, so a size that only they determine is given by the call.
        for (k, operand) in signature.operands.iter().enumerate() {
            let extent = |(axis, n): (usize, &Ix)| (n.clone(), (signature.params.len() + k, axis));
            extents.extend(operand.param.ty.shape.iter().enumerate().map(extent));
        }
        let by_all = solved(&unknown, &extents);
        let mut fine = Some(());
        for k in sought {
            let place = unknown.iter().position(|level| *level == signature.sizes[k].level)?;
            match (&by_arrays[place], &by_all[place]) {
                (Some(found), _) => signature.sizes[k].source = SizeSource::Extents(Arc::new(found.clone())),
                (None, Some(_)) => {}
                (None, None) => {
                    let (text, span) = (&signature.sizes[k].name, signature.sizes[k].span);
                    fine = self.report(
                        err!(E0213, span, "no argument tells how large `{text}` is")
                            .label("the extents that it is part of do not determine it")
                            .note("sizes are found from extents such as `2 * N`, `N + 1` and `N + M`, where they have one solution")
                            .help(format!("let it be an argument of its own, a parameter: `{text}: size`")),
                    );
                }
            }
        }
        fine
    }

    /// The sizes that formats bring.
    fn formats_of(&mut self, params: &[ast::Param], signature: &mut Signature) -> Option<()> {
        let mut fine = Some(());
        for param in params {
            if let TypeKind::Tensor { extents, format: Some(format), .. } = &param.ty.kind {
                match self.sparse_sizes(param, extents.len(), format) {
                    Some(declared) => signature.declared.push(declared),
                    None => fine = None,
                }
            }
        }
        fine
    }

    fn requires(&mut self, preconditions: &[&Expr], signature: &mut Signature) -> Option<()> {
        let mut fine = Some(());
        for e in preconditions {
            match self.predicate(e) {
                Some(p) => {
                    self.ctx.push_hyp(p.clone());
                    signature.requires.push((p, e.span));
                }
                None => fine = None,
            }
        }
        fine
    }

    /// What must hold of the elements of the tensors.
    fn requires_all(&mut self, preconditions: &[&Expr], signature: &mut Signature) -> Option<()> {
        let mut fine = Some(());
        for e in preconditions {
            let stated = match &e.kind {
                ExprKind::Bind { op: BinderOp::All, binders, body } => self.for_all(e, binders, body),
                _ => self.for_all(e, &[], e),
            };
            match stated {
                Some(stated) => {
                    stated.assume(&mut self.ctx);
                    signature.requires_all.push(stated);
                }
                None => fine = None,
            }
        }
        fine
    }

    fn tensors(&mut self, params: &[ast::Param], signature: &mut Signature) -> Option<()> {
        let (mut fine, head) = (Some(()), signature.sizes.len());
        // Where the arrays of each tensor begin.
        let mut places = Vec::new();
        for (k, param) in params.iter().enumerate() {
            let text = &param.name.text;
            if matches!(param.ty.kind, TypeKind::Size) {
                let place = signature.sizes.iter().position(|s| s.name == *text);
                signature.call_order.extend(place.map(Argument::Size));
                continue;
            }
            places.push(signature.params.len());
            let refused = matches!(self.lookup(text), Some(Meaning::Refused(_)));
            if refused || params[..k].iter().any(|p| p.name.text == *text) {
                fine = None;
                continue;
            }
            match self.ty(&param.ty) {
                Some(ty) if format_of(param).is_some() => {
                    let declared = std::mem::take(&mut signature.declared);
                    if self.sparse_param(param, &ty, &declared, signature).is_none() {
                        self.bind(&param.name, Meaning::Refused(Sort::Value));
                        fine = None;
                    }
                    signature.declared = declared;
                }
                Some(_) if signature.params.iter().any(|p| p.name == *text) => {
                    fine = self.report(
                        err!(
                            E0206,
                            param.name.span,
                            "an array of a sparse parameter is called `{text}` already"
                        )
                        .label("this parameter")
                        .help("choose another name"),
                    );
                }
                Some(ty) => {
                    let level = self.ctx.push_tensor(Label::new(text), ty.clone());
                    self.bind(&param.name, Meaning::Tensor(level));
                    signature.call_order.push(Argument::Tensor(signature.params.len()));
                    signature.params.push(Param { name: text.clone(), level, ty, span: param.span });
                }
                None => {
                    self.bind(&param.name, Meaning::Refused(Sort::Value));
                    fine = None;
                }
            }
        }
        for size in &mut signature.sizes[..head] {
            if let SizeSource::Extent { param, .. } = &mut size.source {
                *param = places.get(*param).copied().unwrap_or(*param);
            }
        }
        if !signature.operands.is_empty() {
            // The arrays do not show in which order the sizes came: they are given first.
            signature.call_order.retain(|argument| matches!(argument, Argument::Tensor(_)));
            signature.call_order.splice(0..0, (0..head).map(Argument::Size));
        }
        fine
    }

    /// Reports a tuple where only a tensor may be.
    pub(super) fn not_a_tuple<T>(&mut self, ty: &ast::Type) -> Option<T> {
        self.report(err!(E0203, ty.span, "a tuple stands where a tensor must").help(
            "tuples are parameters, results and values of functions; elsewhere write a tensor for each field",
        ))
    }

    /// A tensor type.
    pub(super) fn ty(&mut self, ty: &ast::Type) -> Option<Type> {
        match &ty.kind {
            TypeKind::Error | TypeKind::Several(_) => None,
            TypeKind::Size => self.report(
                err!(E0203, ty.span, "a result is a tensor or a scalar, and `size` is neither").suggest(
                    "a number made from sizes has an element type",
                    ty.span,
                    "i64",
                ),
            ),
            TypeKind::Tensor { element, extents, .. } => {
                let elem = self.element(element);
                let shape: Vec<Option<Ix>> = extents.iter().map(|e| self.extent(e)).collect();
                Some(Type { elem: elem?, shape: shape.into_iter().collect::<Option<_>>()? })
            }
        }
    }

    fn extent(&mut self, e: &Expr) -> Option<Ix> {
        if let ExprKind::Name(name) = &e.kind
            && self.lookup(name).is_none()
        {
            let sizes = self.scope.iter().filter(|b| matches!(b.meaning, Meaning::Index(_)));
            let close = spelling::closest(name, sizes.map(|b| b.name.as_str())).map(str::to_owned);
            let unknown = err!(E0212, e.span, "no parameter has a size `{name}`")
                .note("a size is taken from the arguments, so it must appear in the type of a parameter");
            return self.report(match close {
                Some(close) => unknown.suggest(format!("did you mean `{close}`?"), e.span, close),
                None => unknown.help(format!("to give it in the call, add a parameter `{name}: size`")),
            });
        }
        let n = self.index(e)?;
        match n {
            _ if reads(e) => self.report(
                err!(E0238, e.span, "an extent of a parameter or result cannot be read from a tensor")
                    .label("the arguments' shapes are known before their elements are looked at")
                    .help("make it a size of its own, and relate the two with `where`"),
            ),
            Ix::Lit(k) if k < 0 => self.report(err!(E0241, e.span, "an extent cannot be negative")),
            n => Some(n),
        }
    }
}

/// Is the precondition one on elements of tensors?
fn reads(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Bind { .. } | ExprKind::Access { .. } => true,
        ExprKind::Unary(_, a) => reads(a),
        ExprKind::Binary(_, a, b) => reads(a) || reads(b),
        ExprKind::Compare(first, rest) => reads(first) || rest.iter().any(|(_, e)| reads(e)),
        ExprKind::Call { args, .. } => args.iter().any(reads),
        _ => false,
    }
}

/// The format of a parameter that has one.
fn format_of(param: &ast::Param) -> Option<&ast::Format> {
    match &param.ty.kind {
        TypeKind::Tensor { format, .. } => format.as_deref(),
        _ => None,
    }
}

/// The place of an extent that is just this name.
fn extent_named(params: &[ast::Param], name: &str) -> Option<SizeSource> {
    let tensors = params.iter().filter_map(|p| match &p.ty.kind {
        TypeKind::Tensor { extents, .. } => Some((p, extents)),
        _ => None,
    });
    let mut found = None;
    for (param, (p, extents)) in tensors.enumerate() {
        let Some(axis) = extents.iter().position(|e| matches!(&e.kind, ExprKind::Name(n) if n == name))
        else {
            continue;
        };
        // The shape of a sparse parameter is not that of its arrays, so the call gives it.
        if format_of(p).is_none() {
            return Some(SizeSource::Extent { param, axis });
        }
        found = Some(SizeSource::Argument);
    }
    found
}

/// The names in an extent, functions' names excepted.
fn names_in(e: &Expr, out: &mut Vec<ast::Name>) {
    match &e.kind {
        ExprKind::Name(_) => out.extend(e.as_name()),
        ExprKind::Unary(_, a) => names_in(a, out),
        ExprKind::Binary(_, a, b) => {
            names_in(a, out);
            names_in(b, out);
        }
        ExprKind::Call { args, .. } => args.iter().for_each(|a| names_in(a, out)),
        _ => {}
    }
}
