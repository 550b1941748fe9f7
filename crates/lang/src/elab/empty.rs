//! Reductions over nothing whose result is computed with: `1 + max j < i { x[j] }` wraps where `i` is 0.

use super::{Elab, Val};
use crate::show;
use atl_diag::warning;
use atl_kernel::{Ix, Node, Pred, subst};
use atl_syntax::ast::{BinderOp, Expr, ExprKind};

impl Elab<'_> {
    /// Warns of an operand of arithmetic that is the maximum or minimum of integers of which there may be none.
    pub(super) fn warn_of_nothing(&mut self, e: &Expr, val: &Val) {
        let ExprKind::Bind { op: op @ (BinderOp::Max | BinderOp::Min), binders, .. } = &e.kind else {
            return;
        };
        if val.ty.elem.scalar.is_float() {
            return;
        }
        let at = self.enter();
        let mut term = val.expr.clone();
        for binder in binders {
            while let Node::View(_, inner) = &*term {
                let inner = inner.clone();
                term = inner;
            }
            let Node::Sum(label, n, body) = &*term else { break };
            let goal = Pred::lt(Ix::ZERO, n.clone());
            if !self.proves(&goal) {
                let (word, name) = (op.word(), &binder.name.text);
                let which = if *op == BinderOp::Max { "least" } else { "greatest" };
                let goal_shown = show::pred(&self.ctx, &goal);
                let found = warning!(
                    E0258,
                    e.span,
                    "the `{word}` of nothing is the {which} integer, and is computed with"
                )
                .label(format!("there may be no `{name}`: `{goal_shown}` could not be proved"));
                let found = self.with_reasons(found, &goal);
                let found = match self.can_be_stated(&goal) {
                    true => found.help(format!("if it is always so, say it after the result type: `where {goal_shown}`")),
                    false => found.help(format!("say what is meant where there is none: `[{goal_shown}] * (..)`, or `select({goal_shown}, .., ..)`")),
                };
                self.diagnostics.push(found);
                break;
            }
            let level = self.ctx.push_loop(label.clone(), n);
            let inside = subst::open(body, level);
            term = inside;
        }
        self.leave(at);
    }
}
