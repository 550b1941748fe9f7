//! Names of loops and `let`s are stable: after each step of a random schedule, a name means the place that the record of
//! the step's theorem says, wherever it says one.

use atl_driver::Program;
use atl_kernel::Thm;
use atl_schedule::forward::{forward, kept};
use atl_schedule::nest::{Place, binders};
use atl_testkit::choices::Choices;
use atl_testkit::programs::program;
use atl_testkit::schedules::random;
use std::collections::BTreeMap;

/// What became of the loops and `let`s of a program.
#[derive(Default)]
struct Seen {
    /// Those that no rule was applied to.
    kept: usize,
    /// Of these, those that stand somewhere else afterwards.
    moved: usize,
    /// Those inside of what was rewritten.
    gone: usize,
}

/// Each binder before a step, against the binders after it.
fn compare(step: &str, thm: &Thm, seen: &mut Seen) -> Result<(), String> {
    let after: BTreeMap<_, Place> = binders(thm.rhs()).into_iter().map(|p| (p.path.clone(), p)).collect();
    for place in binders(thm.lhs()) {
        let Some(path) = kept(thm.proof(), &place.path) else {
            seen.gone += 1;
            continue;
        };
        seen.kept += 1;
        seen.moved += usize::from(path != place.path);
        if forward(thm.proof(), &place.path).as_ref() != Some(&path) {
            return Err(format!("{:?} is kept at {path:?}, and its term is not", place.path));
        }
        let Some(now) = after.get(&path) else {
            return Err(format!("`{}` was kept, and is no binder any more", place.label.name));
        };
        let renamed = step.starts_with("rename ");
        if now.sort != place.sort || (now.label.name != place.label.name && !renamed) {
            return Err(format!("`{}` is called `{}` now", place.label.name, now.label.name));
        }
    }
    Ok(())
}

#[test]
fn names_change_only_as_theorems_say() {
    let mut seen = Seen::default();
    for seed in 0..120 {
        let mut choices = Choices::new(seed);
        let text = program(&mut choices, 3).text;
        let parsed = Program::parse("random.atl", &text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let made = random(&parsed.functions()[0], &mut choices, 6);
        for (step, thm) in made.steps.iter().zip(&made.theorems) {
            if let Err(why) = compare(step, thm, &mut seen) {
                panic!("seed {seed}\n{text}\n{}\nat `{step}`: {why}", made.text("f"));
            }
        }
    }
    assert!(
        seen.kept > 200 && seen.gone > 50,
        "{} kept, {} moved, {} gone",
        seen.kept,
        seen.moved,
        seen.gone
    );
}
