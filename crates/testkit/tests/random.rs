//! Random programs under random schedules: every stage and every back end computes the same.
//!
//! A failure prints the program with its schedule, to be pasted into a file, and the seed that made it. `ATL_SEED` and
//! `ATL_CASES` choose the first seed and the number of programs, for a longer search than the tests make.

use atl_driver::Program;
use atl_driver::backends::{self, Backend};
use atl_lang::Function;
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Arguments, Outcome, agree, replay};
use atl_testkit::programs::program;
use atl_testkit::schedules::{directives, random};
use atl_testkit::suite::embedded;
use std::collections::BTreeSet;

/// The sizes that every program is run at.
const SIZES: &[(usize, usize)] = &[(0, 2), (1, 1), (3, 0), (4, 5)];

fn arguments(function: &Function, (n, m): (usize, usize), choices: &mut Choices) -> Arguments {
    let arrays = function.params.iter().map(|p| {
        let shape: &[usize] = match p.name.as_str() {
            "x" => &[n],
            "a" => &[n, m],
            _ => &[],
        };
        (p.name.clone(), Array::random(p.ty.elem, shape, choices))
    });
    Arguments { sizes: vec![], arrays: arrays.collect() }
}

/// Run a program as it is written, or under its schedule `random`.
fn check(
    text: &str,
    schedule: Option<&str>,
    back_ends: &[&'static Backend],
    choices: &mut Choices,
) -> Result<(), String> {
    let lowered = Program::parse("random.atl", text)
        .and_then(|program| program.scheduled("f", schedule)?.lower())
        .map_err(|e| e.to_string())?;
    replay(&lowered.theorem)?;
    for sizes in SIZES {
        let arguments = arguments(&lowered.function, *sizes, choices);
        match agree(&lowered, back_ends, &arguments) {
            Ok(_) => {}
            Err(Outcome::Refused(failure)) => return Err(failure.to_string()),
            Err(Outcome::Wrong(why)) => return Err(why),
        }
    }
    Ok(())
}

/// What a random schedule came to.
struct Tried {
    /// The directives it used.
    directives: Vec<&'static str>,
    /// It left a program that could not be shown to be safe, and was refused.
    refused: bool,
}

/// A random program, unscheduled and under a random schedule.
fn try_seed(seed: u64, depth: u32, back_ends: &[&'static Backend]) -> Tried {
    let mut choices = Choices::new(seed);
    let text = program(&mut choices, depth).text;
    let fail = |text: &str, why: String| -> ! { panic!("seed {seed}, depth {depth}\n{text}\n{why}") };
    let parsed = Program::parse("random.atl", &text).unwrap_or_else(|e| fail(&text, e.to_string()));
    if let Err(why) = check(&text, None, back_ends, &mut choices) {
        fail(&text, why);
    }
    // A schedule that is chosen is refused nowhere.
    if let Err(why) = check(&text, Some("auto"), back_ends, &mut Choices::new(seed)) {
        fail(&text, format!("under `auto`: {why}"));
    }
    let made = random(&parsed.functions()[0], &mut choices, 8);
    let scheduled = format!("{text}\n{}", made.text("f"));
    for thm in &made.theorems {
        if let Err(why) = replay(thm) {
            fail(&scheduled, why);
        }
    }
    let refused = match check(&scheduled, Some("random"), back_ends, &mut choices) {
        Ok(()) => false,
        // Annotations are checked before lowering, and so are bounds and pads: a random schedule may well leave
        // a program of which they cannot be shown.
        Err(why) if why.starts_with("error[E04") => true,
        Err(why) => fail(&scheduled, why),
    };
    Tried { directives: directives(&made.steps), refused }
}

#[test]
fn embedded_back_ends() {
    let first = std::env::var("ATL_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let count: u64 = std::env::var("ATL_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(150);
    let (mut used, mut refused) = (BTreeSet::new(), 0);
    for seed in first..first + count {
        let tried = try_seed(seed, u32::try_from(seed % 5).unwrap_or(0), &embedded());
        used.extend(tried.directives);
        refused += u64::from(tried.refused);
    }
    if count >= 100 {
        for name in ["split", "tile", "reorder", "peel", "inline", "compute", "rw", "simplify", "unfold"] {
            assert!(used.contains(name), "no random schedule used `{name}`: {used:?}");
        }
        assert!(refused * 5 < count, "{refused} of {count} schedules left programs that were refused");
    }
}

#[test]
fn compiled_by_the_c_compiler() {
    if (backends::c::BACKEND.unavailable)().is_some() {
        return;
    }
    let first = std::env::var("ATL_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1000);
    let count: u64 = std::env::var("ATL_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(8);
    for seed in first..first + count {
        try_seed(seed, 3, &[&backends::c::BACKEND]);
    }
}
