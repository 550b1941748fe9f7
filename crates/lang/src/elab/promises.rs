//! What a function promises of its result: `-> i32[N] where all i < N { 0 <= result[i] < K }`.
//!
//! **The one idea.** A condition that speaks of the result is none on arguments. It is proved where the body
//! is the value of a `let`, and changes nothing else: a call is the body in place, of which as much is known.

use super::call::only_part;
use super::parts::speaks_of;
use super::{Elab, Val, label};
use crate::module::ResultPart;
use atl_diag::err;
use atl_kernel::subst::Subst;
use atl_syntax::ast::{self, BinderOp, Expr, ExprKind, Name, TypeKind};

/// What the only result is called in a promise.
const RESULT: &str = "result";

/// The names of the results that promises may speak of.
fn results(f: &ast::Function) -> Vec<&str> {
    let is_param = |name: &str| f.params.iter().any(|param| param.name.text == name);
    match f.result.as_ref().map(|ty| &ty.kind) {
        Some(TypeKind::Several(parts)) => {
            parts.iter().filter_map(|(name, _)| Some(name.as_ref()?.text.as_str())).collect()
        }
        Some(_) if !is_param(RESULT) => vec![RESULT],
        _ => Vec::new(),
    }
}

/// The conditions on arguments, and the promises.
pub(super) fn split(f: &ast::Function) -> (Vec<Expr>, Vec<Expr>) {
    let names = results(f);
    let conditions = f.preconditions.iter().cloned();
    conditions.partition(|e| !names.iter().any(|name| speaks_of(e, name)))
}

impl Elab<'_> {
    /// Proves what is promised of the results, of which the body has these parts if they are several.
    pub(super) fn keeps(
        &mut self,
        promises: &[Expr],
        f: &Name,
        parts: &[ResultPart],
        body: &Val,
    ) -> Option<()> {
        if promises.is_empty() {
            return Some(());
        }
        let at = self.enter();
        let named = |name: &str| Name::new(name, body.spans.span());
        if parts.is_empty() {
            self.enter_let(&named(RESULT), label(&named(RESULT)), body);
        }
        for (k, part) in parts.iter().enumerate() {
            let name = named(&part.name);
            self.enter_let(&name, label(&name), &only_part(body.clone(), k, &part.ty));
        }
        let kept: Vec<Option<()>> = promises.iter().map(|e| self.keeps_one(e, f)).collect();
        self.leave(at);
        kept.into_iter().collect()
    }

    fn keeps_one(&mut self, e: &Expr, f: &Name) -> Option<()> {
        let stated = match &e.kind {
            ExprKind::Bind { op: BinderOp::All, binders, body } => self.for_all(e, binders, body),
            _ => self.for_all(e, &[], e),
        }?;
        self.shown_for_all(&stated, &Subst::default(), |shown| {
            err!(E0423, e.span, "what `{}` promises of its result is not proved", f.text)
                .label(format!("`{shown}` could not be proved"))
                .help("what is known of a computed integer is what its arithmetic says; `min(max(i32(x), 0), n - 1)` keeps it in a range, and a float that is clamped before the conversion does not")
        })
    }
}
