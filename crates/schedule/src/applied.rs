//! A step that was carried out, with what it proved.

use crate::forward::forward;
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
    /// The body before.
    pub before: Expr,
    /// The body after.
    pub after: Expr,
    /// Where the part of the body stands that it is about.
    pub at: Vec<Child>,
    /// That part before and after, in its own context.
    pub part: Thm,
    /// The context of the body.
    pub(crate) ctx: Arc<Ctx>,
}

impl Applied {
    /// What it proved of the body: `before = after`. The script proved this of several steps at once; here
    /// the step is alone.
    ///
    /// # Errors
    /// The kernel's, where the theorem would be too large.
    pub fn thm(&self) -> Kernel<Thm> {
        let mut arith = Arith::default();
        let mut cx = Cx::new(self.ctx.clone(), &mut arith);
        let thm = cx.at(&self.before, &self.at, &mut |_, _| Ok(self.part.clone()))?;
        cx.total(&self.before, thm)
    }

    /// Where the term at this path of the body is after the step.
    pub(crate) fn forward(&self, path: &[Child]) -> Option<Vec<Child>> {
        match path.strip_prefix(self.at.as_slice()) {
            Some(inside) => Some([self.at.as_slice(), &forward(self.part.proof(), inside)?].concat()),
            None => Some(path.to_vec()),
        }
    }
}
