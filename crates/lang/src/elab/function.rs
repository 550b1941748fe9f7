//! A function: its head, its body, and whether the body has the type declared.

use super::dense::without_formats;
use super::promises;
use super::{Elab, Functions, Messages, Names, Val};
use crate::module::Function;
use crate::refusal;
use crate::show;
use crate::spans::SpanTable;
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Prover, Type};
use atl_syntax::ast;
use std::sync::Arc;

/// The function, and what there is to say about it.
pub(crate) fn function(
    f: &ast::Function,
    functions: &Functions,
    names: &Names,
    prover: &mut dyn Prover,
) -> (Option<Function>, Vec<Diagnostic>) {
    let (made, diagnostics) = elaborated(f, functions, names, prover);
    let Some(mut made) = made else { return (None, diagnostics) };
    if let Some(dense) = without_formats(f) {
        made.dense = elaborated(&dense, functions, names, prover).0.map(Box::new);
    }
    (Some(made), diagnostics)
}

pub(super) fn elaborated(
    f: &ast::Function,
    functions: &Functions,
    names: &Names,
    prover: &mut dyn Prover,
) -> (Option<Function>, Vec<Diagnostic>) {
    let mut elab = Elab { names: names.clone(), ..Elab::new(functions, prover) };
    let result = elab.function(f);
    let refused = elab.diagnostics.iter().any(Diagnostic::is_error);
    (result.filter(|_| !refused), elab.diagnostics)
}

impl Elab<'_> {
    fn function(&mut self, f: &ast::Function) -> Option<Function> {
        self.enter_numbers(f.span.file);
        let (requires, promises) = promises::split(f);
        let signature = self.signature(&f.params, &requires);
        let several = match f.result.as_ref().map(|ty| &ty.kind) {
            Some(ast::TypeKind::Several(parts)) => self.declared(parts),
            _ => Some(Vec::new()),
        };
        let result = match several.as_ref().and_then(|parts| parts.first()) {
            Some(first) => Some(first.ty.clone()),
            None => f.result.as_ref().and_then(|ty| self.ty(ty)),
        };
        let stored = match (&f.result, &result) {
            (Some(ty), Some(result)) => self.stored(ty, result),
            _ => Some(None),
        };
        let mut ctx = self.ctx.clone();
        ctx.truncate(self.head);
        let mut operands = signature.as_ref().map(|head| head.operands.clone()).unwrap_or_default();
        if signature.is_none() {
            self.refuse_operands(&f.params);
        }
        self.enter_operands(&mut operands);
        self.sums_alone = !operands.is_empty();
        self.own = self.ctx.level();
        let tables = self.enter_tables(&f.name.text);
        self.result = result.as_ref().map(|ty| ty.elem);
        let body = match several.as_deref() {
            Some([]) => self.whole(&f.body, self.result),
            Some(declared) => self.results(&f.body, &f.name, declared),
            None => None,
        };
        let (signature, result, stored, body) = (signature?, result?, stored?, body?);
        let several = several?;
        if several.is_empty() {
            let declared_at = f.result.as_ref().map_or(f.name.span, |ty| ty.span);
            self.check_result(&f.name, declared_at, &result, &body)?;
        }
        self.keeps(&promises, &f.name, &several, &body)?;
        let body = match &stored {
            Some(stored) => self.in_stored_order(stored, body)?,
            None => body,
        };
        let (constants, open, body) = self.leave_tables(&f.body, tables, body)?;
        let body = self.leave_operands(&f.body, &operands, body)?;
        let ctx = Arc::new(ctx);
        if let Err(error) = atl_kernel::type_of(&ctx, &body.expr, self.prover) {
            return self.report(refusal::kernel_error(&error, &ctx, Some(f.body.span)));
        }
        Some(Function {
            name: f.name.text.clone(),
            span: f.name.span,
            doc: f.doc.clone(),
            ctx,
            sizes: signature.sizes,
            params: signature.params,
            sparse: operands.into_iter().map(|operand| operand.param).collect(),
            dense: None,
            call_order: signature.call_order,
            requires: signature.requires,
            requires_all: signature.requires_all,
            result,
            several,
            complex: Vec::new(),
            words: Messages::default(),
            open: (!constants.is_empty()).then_some(open.expr),
            constants,
            stored,
            copies: Vec::new(),
            body: body.expr,
            spans: SpanTable::clone(&body.spans),
            extent: body.extent,
        })
    }

    /// The body, or the result that it is, has the type that the function declares.
    pub(super) fn check_result(
        &mut self,
        f: &ast::Name,
        declared_at: Span,
        result: &Type,
        body: &Val,
    ) -> Option<()> {
        let (declared, found) = (show::ty(&self.ctx, result), show::ty(&self.ctx, &body.ty));
        let what =
            format!("`{}` is declared to return `{declared}`, and its body is of type `{found}`", f.text);
        self.check_declared(&what, declared_at, result, body)
    }

    /// A value of the type that is declared for its name.
    pub(super) fn typed(&mut self, declared: &ast::Type, value: &ast::Expr) -> Option<Val> {
        if let ast::TypeKind::Tensor { format: Some(_), .. } = &declared.kind {
            return self.report(
                err!(E0203, declared.span, "what has a name in a function is dense")
                    .help("leave the format out; a state in one is declared by `compress`"),
            );
        }
        if let ast::TypeKind::Several(_) = &declared.kind {
            return self.not_a_tuple(declared);
        }
        let ty = self.ty(declared)?;
        let val = self.whole(value, Some(ty.elem))?;
        let (wanted, found) = (show::ty(&self.ctx, &ty), show::ty(&self.ctx, &val.ty));
        let what = format!("this is declared as `{wanted}`, and its value is of type `{found}`");
        self.check_declared(&what, declared.span, &ty, &val)?;
        Some(val)
    }

    /// Reports a value that has not the type that is declared.
    fn check_declared(&mut self, what: &str, declared_at: Span, result: &Type, body: &Val) -> Option<()> {
        let at = body.spans.span();
        if body.ty.elem != result.elem {
            return self.report(
                err!(E0215, at, "{what}")
                    .also(declared_at, "declared here")
                    .help(format!("convert the elements: `{}(…)`", result.elem)),
            );
        }
        if body.ty.shape.len() != result.shape.len() {
            let (has, wants) = (body.ty.shape.len(), result.shape.len());
            return self.report(
                err!(E0216, at, "{what}")
                    .label(format!("{has} dimension{}", if has == 1 { "" } else { "s" }))
                    .also(declared_at, format!("{wants} dimension{}", if wants == 1 { "" } else { "s" }))
                    .help("`gen` adds a dimension, and `sum` and each index of a read remove one"),
            );
        }
        if let Some((axis, goal)) = self.differing(&body.ty.shape, &result.shape) {
            let (a, b) =
                (show::ix(&self.ctx, &body.ty.shape[axis]), show::ix(&self.ctx, &result.shape[axis]));
            let refusal = err!(E0217, at, "{what}")
                .label(format!("along dimension {axis}, `{a}` could not be proved equal to `{b}`"))
                .also(declared_at, "declared here");
            let refusal = self.with_reasons(refusal, &goal);
            let refusal = refusal.help(format!("declare the extent `{a}`"));
            return if self.can_be_stated(&goal) {
                self.report(
                    refusal.help(format!("or state after the type that they are equal: `where {a} == {b}`")),
                )
            } else {
                self.report(refusal)
            };
        }
        Some(())
    }
}
