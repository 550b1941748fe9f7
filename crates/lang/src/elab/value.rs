//! Values: which form an expression has, and who elaborates it.

use super::{Elab, Functions, Meaning, Val, bits};
use crate::spans::SpanTable;
use atl_diag::{Diagnostic, err};
use atl_kernel::{Ctx, Elem, Entry, Expr as Term, Ix, Pred, Prover, Scalar, Type};
use atl_ops::Link;
use atl_ops::relayout::Mode;
use atl_syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use std::sync::Arc;

/// The element type that a conversion can give an index term, for advice.
pub(super) fn advised(want: Option<Elem>) -> Elem {
    want.unwrap_or(crate::algebra::ordinary(Scalar::I32))
}

impl Elab<'_> {
    /// A value. Literals in it take the element type wanted; the caller checks whether the rest has it.
    pub(crate) fn value(&mut self, e: &Expr, want: Option<Elem>) -> Option<Val> {
        if let Some(literal) = self.literal(e, want) {
            return literal;
        }
        match &e.kind {
            ExprKind::Bool(b) => self.truth(*b, e.span, want),
            ExprKind::Name(name) => self.value_name(e, name, want),
            ExprKind::Unary(UnaryOp::Neg, a) => self.negation(e, a, want),
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..)
                if self.is_predicate(e) =>
            {
                self.truth_of(e, want)
            }
            ExprKind::Compare(..) if self.is_predicate(e) => self.truth_of(e, want),
            ExprKind::Unary(UnaryOp::Not, a) => self.logical_not(e, a, want),
            ExprKind::Unary(UnaryOp::BitNot, a) => self.inverted(e, a, want),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => self.logical(e, *op, a, b, want),
            ExprKind::Compare(first, rest) => self.comparison(e, first, rest),
            ExprKind::Binary(op, a, b) if bits::is_of_integers(*op) => self.of_integers(e, *op, a, b, want),
            ExprKind::Binary(op, a, b) => self.binary(e, *op, a, b, want),
            ExprKind::Access { kind, base, indices } => self.access(e, *kind, base, indices),
            ExprKind::Call { callee, args } => {
                self.call(e, callee, args, want).and_then(|val| self.one_result(&callee.text, val))
            }
            ExprKind::Convert { to, value } => self.conversion(e, to, value),
            ExprKind::Typed { ty, value } => self.typed(ty, value),
            ExprKind::Guard { predicate, body } => self.guard(e, predicate, body, want),
            ExprKind::Bind { .. }
            | ExprKind::Let { .. }
            | ExprKind::LetParts { .. }
            | ExprKind::Iterate { .. }
            | ExprKind::Scan { .. }
            | ExprKind::Rec { .. } => self.around_ends(e, &[want])?.pop(),
            ExprKind::Labelled { label, body } => Some(self.value(body, want)?.labelled(&label.text)),
            ExprKind::List(elements) if !elements.is_empty() => self.array(e, elements, want),
            ExprKind::Error => None,
            ExprKind::Tuple(parts) => self.report(
                err!(E0300, e.span, "these are {} values, and one is needed here", parts.len())
                    .help("several values are the results of a function: `fn f(..) -> (f32[N], i32[N]) { .. (a, b) }`; a call has names for them: `let (a, b) = f(..);`")
                    .help("a layout, `(4, 8):(8, 1)`, is an argument of `relayout(L, e)`"),
            ),
            ExprKind::Imaginary(_) => self.report(
                err!(E0394, e.span, "an imaginary number stands in functions and constants alone")
                    .help("a theorem about complex numbers speaks of their parts, which are tensors"),
            ),
            ExprKind::Layout { .. } => self.report(
                err!(E0240, e.span, "a layout is not a value")
                    .help("layouts are arguments of `relayout(L, e)`"),
            ),
            _ => self.report(err!(
                E0250,
                e.span,
                "this belongs to schedules and patterns, and is no expression of a program"
            )),
        }
    }

    fn value_name(&mut self, e: &Expr, name: &str, want: Option<Elem>) -> Option<Val> {
        match self.lookup(name).cloned() {
            Some(Meaning::Tensor(level)) => match self.ctx.entry(level) {
                Some(Entry::Tensor(_, ty)) => {
                    let ty = ty.clone();
                    self.var(level, ty, e.span)
                }
                _ => None,
            },
            Some(Meaning::Index(_)) => {
                let to = advised(want);
                self.report(
                    err!(E0221, e.span, "`{name}` is an index term, and a value is expected here")
                        .label("an integer without an element type")
                        .suggest("convert it", e.span, format!("{to}({name})")),
                )
            }
            Some(Meaning::Number(val, _)) => {
                let spans = Arc::new(SpanTable::leaf(e.span));
                Some(Val { spans, ..*val })
            }
            Some(Meaning::Refused(_)) => None,
            None => self.unknown_name(name, e.span),
        }
    }

    /// The value has this element type; reported if not.
    pub(super) fn expect_elem(&mut self, val: &Val, elem: Elem, what: &str) -> Option<()> {
        if val.ty.elem == elem {
            return Some(());
        }
        let found = val.ty.elem;
        self.report(
            err!(E0214, val.spans.span(), "{what} is of element type `{elem}`, and this is of `{found}`")
                .help(format!("convert it: `{elem}(…)`")),
        )
    }
}

/// Runs an elaboration in a context whose labels are the names in scope.
fn in_ctx<T>(
    ctx: &Ctx,
    prover: &mut dyn Prover,
    run: impl FnOnce(&mut Elab<'_>) -> Option<T>,
) -> Result<T, Vec<Diagnostic>> {
    let functions = Functions::default();
    let mut elab = Elab::new(&functions, prover);
    elab.ctx = ctx.clone();
    let names = crate::print::Names::of(ctx);
    for (level, entry) in (0..).zip(ctx.entries()) {
        let meaning = match entry {
            Entry::Index(_) => Meaning::Index(Ix::free(level)),
            Entry::Tensor(..) => Meaning::Tensor(level),
            Entry::Hyp(..) | Entry::All(..) => continue,
        };
        elab.scope.push(super::Bound { name: names.at(level).to_owned(), span: None, meaning });
    }
    let result = run(&mut elab);
    let refused = elab.diagnostics.iter().any(Diagnostic::is_error);
    match result {
        Some(result) if !refused => Ok(result),
        _ => Err(elab.diagnostics),
    }
}

/// An expression over the names of a context, as printing shows them. Literals that nothing else decides take
/// the element type wanted. The expression may nest as deep as the parser lets it: the caller sees to the stack.
pub fn expression_in(
    ctx: &Ctx,
    e: &Expr,
    want: Option<Elem>,
    prover: &mut dyn Prover,
) -> Result<(Term, Type, SpanTable), Vec<Diagnostic>> {
    in_ctx(ctx, prover, |elab| {
        let val = elab.value(e, want)?;
        Some((val.expr, val.ty, SpanTable::clone(&val.spans)))
    })
}

/// An index term over the names of a context.
pub fn index_in(ctx: &Ctx, e: &Expr, prover: &mut dyn Prover) -> Result<Ix, Vec<Diagnostic>> {
    in_ctx(ctx, prover, |elab| elab.index(e))
}

/// The operators that lay a tensor of this shape out by a layout `shape:stride` over the names of a context.
pub fn layout_in(
    ctx: &Ctx,
    e: &Expr,
    shape: &[Ix],
    prover: &mut dyn Prover,
) -> Result<Vec<Link>, Vec<Diagnostic>> {
    in_ctx(ctx, prover, |elab| elab.layout(e, shape))
}

/// The numbers of a layout `shape:stride` over the names of a context with their strides, fastest first.
pub fn modes_in(ctx: &Ctx, e: &Expr, prover: &mut dyn Prover) -> Result<Vec<Mode>, Vec<Diagnostic>> {
    in_ctx(ctx, prover, |elab| elab.flat_layout(e))
}

/// A predicate over the names of a context.
pub fn predicate_in(ctx: &Ctx, e: &Expr, prover: &mut dyn Prover) -> Result<Pred, Vec<Diagnostic>> {
    in_ctx(ctx, prover, |elab| elab.predicate(e))
}
