//! Loops as a back end takes them.
//!
//! **The one idea.** To compile and to call loops takes less than what proved them: the function, the loops,
//! and what a call of them looks like. So an earlier run can hand these on, and the theorem stays with the
//! run that derived it.

use crate::signature::Signature;
use atl_diag::{Diagnostic, SourceMap};
use atl_kernel::{Expr, Rounding};
use atl_lang::Function;
use atl_loops::Kernel;
use std::sync::Arc;

/// A function's loops, derived by this run or by an earlier one.
#[derive(Clone)]
pub struct Ready {
    /// The texts that diagnostics point into.
    pub sources: Arc<SourceMap>,
    /// The function, with what its schedule assumes.
    pub function: Function,
    /// The loops.
    pub kernel: Kernel,
    /// The same with a device's blocks and threads, if the schedule marks loops so.
    pub device: Option<Kernel>,
    /// What the schedule preserves in floating point.
    pub rounding: Rounding,
    /// What a call of it looks like.
    pub signature: Arc<Signature>,
    /// What is dear in loops that were chosen, once somebody has looked.
    pub dear: Vec<Diagnostic>,
    /// The term that the loops compute; none if an earlier run derived them.
    pub term: Option<Expr>,
}

impl Ready {
    /// Did an earlier run derive these loops?
    pub fn is_kept(&self) -> bool {
        self.term.is_none()
    }

    /// The term that says how much stack a back end needs.
    pub fn deepest(&self) -> &Expr {
        self.term.as_ref().unwrap_or(&self.function.body)
    }
}
