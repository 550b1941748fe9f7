//! Reductions over nothing: `1 + max j < i { x[j] }` wraps where `i` is 0, and a semiring may lack the maximum of nothing.

use super::{Elab, Val};
use crate::{algebra, show};
use atl_diag::{Diagnostic, err, warning};
use atl_kernel::{Ix, Node, Pred, Scalar, subst};
use atl_semirings::Carrier;
use atl_syntax::ast::{Binder, BinderOp, Expr, ExprKind};

impl Elab<'_> {
    /// Warns of an operand of arithmetic that is the maximum or minimum of integers of which there may be none.
    pub(super) fn warn_of_nothing(&mut self, e: &Expr, val: &Val) {
        let ExprKind::Bind { op: op @ (BinderOp::Max | BinderOp::Min), binders, .. } = &e.kind else {
            return;
        };
        if val.ty.elem.scalar.is_float() {
            return;
        }
        let Some((name, goal)) = self.may_be_nothing(binders, val) else { return };
        let (word, which) = (op.word(), if *op == BinderOp::Max { "least" } else { "greatest" });
        let found =
            warning!(E0258, e.span, "the `{word}` of nothing is the {which} integer, and is computed with");
        let found = self.with_remedy(found, &name, &goal);
        self.diagnostics.push(found);
    }

    /// Refuses a reduction of a semiring's numbers whose value over nothing is outside the semiring, unless there is something
    /// to reduce: there the laws of the semiring fail.
    pub(super) fn nothing_stays_inside(
        &mut self,
        e: &Expr,
        op: BinderOp,
        binders: &[Binder],
        val: Val,
    ) -> Option<Val> {
        let elem = val.ty.elem;
        let reduced = match op {
            BinderOp::Gen | BinderOp::Sum => None,
            op => algebra::reduction(op.word(), elem).filter(|other| !std::ptr::eq(*other, elem.algebra)),
        };
        let (Some(other), Some(semiring)) = (reduced, atl_semirings::of(elem.algebra)) else {
            return Some(val);
        };
        let Some(nothing) =
            atl_semirings::of(other).and_then(|s| s.on(elem.scalar)).map(|ops| ops.zero.to_f64())
        else {
            return Some(val);
        };
        let bounded = matches!(semiring.carrier, Carrier::NonNegative | Carrier::Between(..));
        if !bounded || elem.scalar == Scalar::Bool || semiring.carrier.contains(nothing) {
            return Some(val);
        }
        let Some((name, goal)) = self.may_be_nothing(binders, &val) else { return Some(val) };
        let word = op.word();
        let found =
            err!(E0252, e.span, "the `{word}` of nothing is `{nothing}`, outside the numbers of `{elem}`");
        let found = self.with_remedy(found, &name, &goal);
        self.report(found)
    }

    /// The first variable of a reduction of which there may be no value, and the condition that was not proved.
    fn may_be_nothing(&mut self, binders: &[Binder], val: &Val) -> Option<(String, Pred)> {
        let at = self.enter();
        let (mut term, mut found) = (val.expr.clone(), None);
        for binder in binders {
            while let Node::View(_, inner) = &*term {
                let inner = inner.clone();
                term = inner;
            }
            let Node::Sum(label, n, body) = &*term else { break };
            let goal = Pred::lt(Ix::ZERO, n.clone());
            if !self.proves(&goal) {
                found = Some((binder.name.text.to_string(), goal));
                break;
            }
            let level = self.ctx.push_loop(label.clone(), n);
            let inside = subst::open(body, level);
            term = inside;
        }
        self.leave(at);
        found
    }

    /// What was not proved, and how to say that it holds or what is meant where it does not.
    fn with_remedy(&mut self, found: Diagnostic, name: &str, goal: &Pred) -> Diagnostic {
        let shown = show::pred(&self.ctx, goal);
        let found = found.label(format!("there may be no `{name}`: `{shown}` could not be proved"));
        let found = self.with_reasons(found, goal);
        match self.can_be_stated(goal) {
            true => found.help(format!("if it is always so, say it after the result type: `where {shown}`")),
            false => found.help(format!(
                "say what is meant where there is none: `[{shown}] * (..)`, or `select({shown}, .., ..)`"
            )),
        }
    }
}
