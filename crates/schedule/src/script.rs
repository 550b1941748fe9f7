//! Running a schedule: each step yields a theorem, and their chain is `source = scheduled`.

use crate::commands;
use crate::session::{Refusal, Session, closest, refused};
use atl_diag::{Span, err};
use atl_kernel::{Ctx, Expr, Prover, Thm};
use atl_rules::Cx;
use atl_syntax::ast::Step;
use std::sync::Arc;

/// A step and what it proved.
pub struct Applied {
    /// Where the step is written.
    pub span: Span,
    /// The body before and after.
    pub thm: Thm,
}

/// A schedule as it was carried out.
pub struct Derivation {
    /// Its steps, in order.
    pub steps: Vec<Applied>,
    /// The source equals what the last step left.
    pub thm: Thm,
}

/// Directives of the language that belong to later work.
const LATER: &[&str] =
    &["fuse", "fission", "stage", "pack", "slide", "rfactor", "assume", "compress", "relayout", "hoist"];

/// Run the steps of a schedule on a function's body.
pub fn derive(
    ctx: &Arc<Ctx>,
    body: &Expr,
    steps: &[Step],
    span: Span,
    prover: &mut dyn Prover,
) -> Result<Derivation, Refusal> {
    let mut session = Session { cx: Cx::new(ctx.clone(), prover), body: body.clone() };
    let mut thm = session.cx.refl(body).map_err(|e| refused(span, &e))?;
    let mut applied = Vec::new();
    for step in steps {
        let proved = run(&mut session, step)?;
        session.body = proved.rhs().clone();
        thm = thm.trans(proved.clone()).map_err(|e| refused(step.span, &e))?;
        applied.push(Applied { span: step.span, thm: proved });
    }
    Ok(Derivation { steps: applied, thm })
}

/// Run one step.
pub fn run(session: &mut Session<'_>, step: &Step) -> Result<Thm, Refusal> {
    let name = step.name.text.as_str();
    if let Some(command) = commands::by_name(name) {
        return (command.run)(session, step);
    }
    if LATER.contains(&name) {
        return Err(Box::new(
            err!(E0302, step.name.span, "the directive `{name}` is not available yet")
                .label("not yet")
                .help("`rw` with a rule of the catalogue may do; `atl explain E0302` lists what there is"),
        ));
    }
    let known: Vec<String> = commands::TABLE.iter().map(|c| c.name.to_string()).collect();
    Err(Box::new(
        err!(E0301, step.name.span, "there is no directive `{name}`")
            .label("unknown")
            .help(closest(name, &known)),
    ))
}
