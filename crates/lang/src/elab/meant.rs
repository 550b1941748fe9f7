//! Integers that are computed beside an index, where an index is meant: `k == key[i]`, `let r = min(row, N - 1)`.
//!
//! Index terms have no element type, so neither is an operation of values. Most often it is one of indices
//! that is wanted: only these say which cell a step changes, and stay in a range that is proved.

use super::index::Sort;
use super::{Elab, Val};
use atl_diag::{Diagnostic, err};
use atl_syntax::ast::{CompareOp, Expr, ExprKind, Name};
use atl_syntax::{Style, print_expr};

/// `index(e)`.
fn index_of(e: &Expr) -> Expr {
    let callee = Name::new("index", e.span);
    Expr::new(ExprKind::Call { callee, args: vec![e.clone()] }, e.span)
}

impl Elab<'_> {
    /// Could all of these be index terms? What is wrong where one could not is not reported.
    fn may_be_indices(&mut self, es: &[&Expr]) -> bool {
        let said = self.diagnostics.len();
        let all = !self.functions.contains_key("index") && es.iter().all(|e| self.index(e).is_some());
        self.diagnostics.truncate(said);
        all
    }

    /// The refusal of a comparison of an index with integers of a type, which could be one of indices.
    pub(super) fn compared_with_index(
        &mut self,
        e: &Expr,
        first: &Expr,
        rest: &[(CompareOp, Expr)],
    ) -> Option<Diagnostic> {
        let sides: Vec<&Expr> = std::iter::once(first).chain(rest.iter().map(|(_, e)| e)).collect();
        let index = sides.iter().find(|e| self.sort(e) == Sort::Index)?;
        if !self.may_be_indices(&sides) {
            return None;
        }
        let as_index = |e: &Expr| if self.sort(e) == Sort::Value { index_of(e) } else { e.clone() };
        let rest = rest.iter().map(|(op, e)| (*op, as_index(e))).collect();
        let meant = Expr::new(ExprKind::Compare(Box::new(as_index(first)), rest), e.span);
        let text = print_expr(index, Style::LINE);
        Some(
            err!(E0221, index.span, "`{text}` is an index term, and a value is expected here")
                .label("an integer without an element type")
                .suggest("compare indices", e.span, print_expr(&meant, Style::LINE)),
        )
    }

    /// The value that a `let` binds. Where it is refused, but would be an index, this is said, too.
    pub(super) fn bound_value(&mut self, name: &Name, value: &Expr) -> Option<Val> {
        let said = self.diagnostics.len();
        self.defining.push(name.text.clone());
        let bound = self.whole(value, None);
        self.defining.pop();
        let is_of_index = |d: &Diagnostic| d.code == atl_diag::codes::E0221;
        if bound.is_none()
            && self.diagnostics.iter().skip(said).any(is_of_index)
            && self.may_be_indices(&[value])
        {
            let meant = print_expr(&index_of(value), Style::LINE);
            let advice = format!("if an index is meant, say so: `let {} = {meant};`", name.text);
            let refusal = self.diagnostics.iter_mut().skip(said).find(|d| is_of_index(d));
            refusal.into_iter().for_each(|d| *d = d.clone().help(advice.clone()));
        }
        bound
    }
}
