//! A step that was carried out, with what it proved.

use crate::forward::forward;
use crate::in_turn::InTurn;
use atl_arith::Arith;
use atl_diag::Span;
use atl_kernel::{Child, Ctx, Expr, Result as Kernel, Thm};
use atl_rules::Cx;
use atl_syntax::ast::Step;
use std::sync::Arc;

/// A step and what it proved.
#[derive(Clone)]
pub struct Applied {
    /// Where the step is written.
    pub span: Span,
    /// The directive's name.
    pub command: &'static str,
    /// The step itself.
    pub step: Step,
    /// The step, with the arguments of the tactics that it stands in.
    pub text: String,
    /// The equation that it applies: for `rw`, the theorem's own; else the directive's.
    pub equation: String,
    /// What it says of a choice that it made, by what that is about.
    pub notes: Vec<(&'static str, String)>,
    /// Where the tactics that it stands in are used, outermost first.
    pub uses: Vec<Span>,
    pub(crate) change: Change,
}

/// What a step did.
#[derive(Clone)]
pub(crate) enum Change {
    /// This, by itself.
    Alone(Done),
    /// It was carried out with others; what it does in its turn is derived where that is looked at.
    Together(Arc<InTurn>, usize),
}

/// What a step did by itself.
#[derive(Clone)]
pub(crate) struct Done {
    pub(crate) before: Expr,
    pub(crate) after: Expr,
    pub(crate) at: Vec<Child>,
    pub(crate) part: Thm,
    /// The context of the body.
    pub(crate) ctx: Arc<Ctx>,
}

impl Applied {
    fn done(&self) -> &Done {
        match &self.change {
            Change::Alone(done) => done,
            Change::Together(steps, turn) => steps.done(*turn),
        }
    }

    /// What it did, if it was carried out by itself.
    pub(crate) fn alone(self) -> Option<Done> {
        match self.change {
            Change::Alone(done) => Some(done),
            Change::Together(..) => None,
        }
    }

    /// The body before.
    pub fn before(&self) -> &Expr {
        &self.done().before
    }

    /// The body after.
    pub fn after(&self) -> &Expr {
        &self.done().after
    }

    /// Where the part of the body stands that it is about.
    pub fn at(&self) -> &[Child] {
        &self.done().at
    }

    /// That part before and after, in its own context.
    pub fn part(&self) -> &Thm {
        &self.done().part
    }

    /// What it proved of the body: `before = after`. The script proved this of several steps at once; here
    /// the step is alone.
    ///
    /// # Errors
    /// The kernel's, where the theorem would be too large.
    pub fn thm(&self) -> Kernel<Thm> {
        let done = self.done();
        let mut arith = Arith::default();
        let mut cx = Cx::new(done.ctx.clone(), &mut arith);
        let thm = cx.at(&done.before, &done.at, &mut |_, _| Ok(done.part.clone()))?;
        cx.total(&done.before, thm)
    }

    /// Where the term at this path of the body is after the step.
    pub(crate) fn forward(&self, path: &[Child]) -> Option<Vec<Child>> {
        let done = self.done();
        match path.strip_prefix(done.at.as_slice()) {
            Some(inside) => Some([done.at.as_slice(), &forward(done.part.proof(), inside)?].concat()),
            None => Some(path.to_vec()),
        }
    }
}
