//! What a derivation is made of, step by step, and where a schedule could go on.

use crate::errors;
use crate::kernel::Kernel;
use crate::worker::on_worker;
use atl_driver::explain::Explanation;
use atl_driver::interactive::Interactive;
use atl_driver::{Failure, Program};
use pyo3::prelude::*;
use std::sync::Arc;

/// A condition that was proved: what it says, the hypotheses, how, and how often.
type Condition = (String, Vec<String>, String, usize);

/// A loop or a `let`: what a directive calls it, what it is, and the loops around it.
type Site = (String, String, Vec<String>);

/// A rule, its index arguments, and the terms that it would rewrite, each with the loops around it.
type Rule = (String, Vec<String>, Vec<(String, Vec<String>)>);

/// Each step: the directive as written, the equation that it applies, and its explanation as text.
#[pyfunction]
pub(crate) fn explained_steps(
    py: Python<'_>,
    kernel: &Bound<'_, Kernel>,
) -> PyResult<Vec<(String, String, String)>> {
    let kernel = kernel.get();
    let (scheduled, lowered) = (kernel.scheduled.clone(), kernel.lowered.clone());
    on_worker(py, move || {
        let steps = Explanation::of(&scheduled, &lowered).steps;
        steps
            .into_iter()
            .map(|step| (step.directive.clone(), step.equation.clone(), step.to_text()))
            .collect()
    })
}

/// The conditions that the steps and lowering proved.
#[pyfunction]
pub(crate) fn conditions(py: Python<'_>, kernel: &Bound<'_, Kernel>) -> PyResult<Vec<Condition>> {
    let kernel = kernel.get();
    let (scheduled, lowered) = (kernel.scheduled.clone(), kernel.lowered.clone());
    on_worker(py, move || {
        let explanation = Explanation::of(&scheduled, &lowered);
        let of_steps = explanation.steps.into_iter().flat_map(|step| step.conditions);
        let of_lowering = explanation.obligations.into_iter().flat_map(|shown| shown.conditions);
        of_steps.chain(of_lowering).map(|c| (c.goal, c.from, c.by, c.times)).collect()
    })
}

/// The loops and `let`s after these steps, in the order of the text.
#[pyfunction]
pub(crate) fn sites_after(
    py: Python<'_>,
    kernel: &Bound<'_, Kernel>,
    steps: Vec<String>,
) -> PyResult<Vec<Site>> {
    let kernel = kernel.get();
    let (program, name) = (kernel.program.clone(), kernel.lowered.function.name.clone());
    let found = on_worker(py, move || {
        let sites = after(&program, &name, &steps)?.sites();
        Ok(sites.into_iter().map(|site| (site.name, site.what, site.inside)).collect())
    })?;
    found.map_err(|failure: Failure| errors::refused(py, &failure))
}

/// The rules that apply after these steps.
#[pyfunction]
pub(crate) fn rules_after(
    py: Python<'_>,
    kernel: &Bound<'_, Kernel>,
    steps: Vec<String>,
) -> PyResult<Vec<Rule>> {
    let kernel = kernel.get();
    let (program, name) = (kernel.program.clone(), kernel.lowered.function.name.clone());
    let found = on_worker(py, move || {
        let state = after(&program, &name, &steps)?;
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let rules = state.rules().iter();
        Ok(rules.map(|found| (found.rule.to_owned(), words(found.args), found.sites.clone())).collect())
    })?;
    found.map_err(|failure: Failure| errors::refused(py, &failure))
}

/// A derivation that has come so far.
fn after(program: &Arc<Program>, function: &str, steps: &[String]) -> Result<Interactive, Failure> {
    let mut state = Interactive::new(Program::clone(program), Some(function))?;
    for step in steps {
        state.apply(step)?;
    }
    Ok(state)
}

/// Checks the text of a proof file by the checker that shares no code with the kernel: what it proves,
/// or why it is no proof.
#[pyfunction]
pub(crate) fn recheck(py: Python<'_>, text: String) -> PyResult<(bool, String)> {
    on_worker(py, move || match atl_recheck::check(text.as_bytes()) {
        Ok(claim) => (true, claim.to_string()),
        Err(refusal) => (false, refusal.to_string()),
    })
}
