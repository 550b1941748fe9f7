//! Steps that were carried out together, in their turn.
//!
//! A run of steps is one theorem, in which no program between two of them is written down (`together`).
//! Whoever looks at one of them wants such a program: then each is carried out by itself, and what it does is
//! kept.

use crate::applied::Done;
use crate::script::run_one;
use crate::session::Session;
use atl_arith::Arith;
use atl_kernel::Expr;
use atl_rules::Cx;
use atl_syntax::ast::Step;
use std::sync::OnceLock;

/// Steps that were carried out together.
pub(crate) struct InTurn {
    /// The steps.
    pub(crate) steps: Vec<Step>,
    /// The body that the script began with, and how deep its terms stand in each other.
    pub(crate) start: (Expr, u32),
    /// What all of them did.
    pub(crate) whole: Done,
    done: OnceLock<Vec<Done>>,
}

impl InTurn {
    pub(crate) fn of(steps: &[Step], start: (Expr, u32), whole: Done) -> InTurn {
        InTurn { steps: steps.to_vec(), start, whole, done: OnceLock::new() }
    }

    /// What the step at this place did. Steps that by themselves come to another end are not told apart: the
    /// first one stands for all, up to the last one.
    pub(crate) fn done(&self, turn: usize) -> &Done {
        let done = self.done.get_or_init(|| match self.apart() {
            Some(done) => done,
            None => self.steps.iter().map(|_| self.whole.clone()).collect(),
        });
        &done[turn]
    }

    fn apart(&self) -> Option<Vec<Done>> {
        let mut arith = Arith::default();
        let mut session = Session::at(Cx::new(self.whole.ctx.clone(), &mut arith), &self.whole.before);
        (session.start, session.levels) = self.start.clone();
        self.steps.iter().try_for_each(|step| run_one(&mut session, step)).ok()?;
        let is_same = session.body == self.whole.after && session.trace.len() == self.steps.len();
        let done = session.trace.into_iter().map(|step| step.alone()).collect::<Option<Vec<Done>>>();
        done.filter(|_| is_same)
    }
}
