//! The derivation up to the step that is refused.
//!
//! The steps before it are theorems; the text shows the program that the refused step received, so that a
//! script can be corrected there.

use crate::display::options;
use crate::failure::Failure;
use crate::program::Program;
use atl_arith::Arith;
use atl_kernel::Expr;
use atl_lang::Function;
use atl_lang::print::print_function;
use atl_schedule::{Applied, Failed, Session};
use atl_syntax::Notation;
use std::fmt::Write;

/// The steps of a schedule that can be carried out.
pub struct PartialDerivation {
    function: Function,
    schedule: String,
    /// The steps, in order, those of tactics and blocks each for itself.
    pub steps: Vec<Applied>,
    /// The refusal of the step after them; none where the schedule is carried out to its end.
    pub refusal: Option<Failure>,
}

impl Program {
    /// The steps of a schedule up to one that is refused.
    ///
    /// # Errors
    /// There is no such function or schedule, or what the schedule assumes is refused.
    pub fn partial_derivation(
        &self,
        function: Option<&str>,
        schedule: &str,
    ) -> Result<PartialDerivation, Failure> {
        let function = self.function(function, Some(schedule))?;
        let written = self.schedule(function, schedule)?;
        let mut prover = Arith::default();
        let function = crate::scheduled::under(self.sources(), function, written, &mut prover)?;
        let session = Session::new(&function.ctx, &function.body, &mut prover)
            .with_library(self.library())
            .with_marks(&function.spans);
        let (steps, refusal) = match atl_schedule::derive(session, &written.steps, written.span) {
            Ok(done) => (done.steps, None),
            Err(failed) => {
                let Failed { why, steps } = *failed;
                (steps, Some(Failure::new(self.sources(), why)))
            }
        };
        Ok(PartialDerivation { function, schedule: schedule.to_owned(), steps, refusal })
    }
}

impl PartialDerivation {
    /// The program after the last step.
    pub fn body(&self) -> &Expr {
        self.steps.last().map_or(&self.function.body, |step| step.after())
    }

    /// The steps, and the program that they leave.
    pub fn to_text(&self) -> String {
        let mut out = format!("schedule {} of {}\n\n", self.schedule, self.function.name);
        // Writing to a string cannot fail.
        for (number, step) in self.steps.iter().enumerate() {
            let _ = writeln!(out, "step {}  {}", number + 1, step.text);
        }
        let after = match self.steps.len() {
            0 => "before the first step".to_owned(),
            n => format!("after step {n}"),
        };
        let body = print_function(&self.function, self.body(), options(Notation::Ascii));
        let _ = write!(out, "\n{after}\n{body}");
        out
    }
}
