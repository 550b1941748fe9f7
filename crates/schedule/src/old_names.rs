//! Old spellings of directives, which are accepted for one release, with a warning.
//!
//! A script keeps the spelling that its author chose; only the table of commands, and the places of `store`,
//! know both.

use crate::commands;
use atl_diag::{Diagnostic, warning};
use atl_lang::Module;
use atl_syntax::ast::Step;

/// Each old name of a directive, and the new one.
const DIRECTIVES: &[(&str, &str)] =
    &[("either", "first_of"), ("keep", "pattern_of"), ("shorter", "drive_shorter"), ("stop", "early_exit")];

/// The old name of a place of `store`, and the new one.
pub(crate) const TOUCHED: (&str, &str) = ("touched", "tracked");

/// The new name of a directive that has an old one.
pub(crate) fn renamed(name: &str) -> Option<&'static str> {
    DIRECTIVES.iter().find(|(old, _)| *old == name).map(|(_, new)| *new)
}

/// A warning for each step of a file's schedules, tactics and theorems that is spelt as it was.
pub fn old_spellings(module: &Module) -> Vec<Diagnostic> {
    let schedules = module.schedules.iter().map(|schedule| &schedule.steps);
    let scripts = schedules
        .chain(module.tactics.iter().map(|tactic| &tactic.steps))
        .chain(module.theorems.iter().map(|theorem| &theorem.proof));
    let mut found = Vec::new();
    scripts.for_each(|steps| steps.iter().for_each(|step| warn(step, &mut found)));
    found
}

fn warn(step: &Step, found: &mut Vec<Diagnostic>) {
    let place = step.clause("in").and_then(|clause| clause.args.first()?.as_name());
    let old = match renamed(&step.name.text) {
        Some(new) => Some((step.name.clone(), new)),
        None if step.name.text == commands::store::COMMAND.name => {
            place.filter(|place| place.text == TOUCHED.0).map(|place| (place, TOUCHED.1))
        }
        None => None,
    };
    if let Some((old, new)) = old {
        found.push(
            warning!(E0343, old.span, "`{}` is the old name of `{new}`", old.text)
                .label("still accepted in this version")
                .suggest("write the new name", old.span, new),
        );
    }
    step.blocks.iter().flat_map(|block| &block.steps).for_each(|step| warn(step, found));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_are_no_commands_and_new_ones_are() {
        let is_there = |name: &str| commands::TABLE.iter().any(|command| command.name == name);
        for (old, new) in DIRECTIVES {
            assert!(!is_there(old) && is_there(new), "{old}, {new}");
            assert_eq!(commands::by_name(old).map(|command| command.name), Some(*new));
        }
    }
}
