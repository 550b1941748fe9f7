//! Random iterations whose states are kept in place: every stage and every back end computes the same, as
//! written, under `auto` and under random schedules.
//!
//! `ATL_SEED` and `ATL_CASES` choose the first seed and the number of programs, for a longer search.

use atl_driver::Program;
use atl_driver::backends::{self, Backend};
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Arguments, Outcome, agree};
use atl_testkit::parallel::in_parallel;
use atl_testkit::schedules::random;
use atl_testkit::suite::embedded;
use atl_testkit::updates::program;

const SIZES: &[[usize; 3]] = &[[0, 2, 3], [1, 1, 0], [3, 2, 4], [4, 3, 1], [2, 5, 7]];

/// Runs a program as it is written, or under a schedule; false where it is refused.
fn check(
    text: &str,
    schedule: Option<&str>,
    back_ends: &[&'static Backend],
    choices: &mut Choices,
) -> Result<bool, String> {
    let program = Program::parse("updates.atl", text).map_err(|e| e.to_string())?;
    let lowered = match program.scheduled("f", schedule).and_then(|scheduled| scheduled.lower()) {
        Ok(lowered) => lowered,
        Err(why) if schedule.is_some() && why.to_string().starts_with("error[E04") => return Ok(false),
        Err(why) => return Err(why.to_string()),
    };
    let in_place = lowered.kernel.to_string().contains(":=");
    for [n, m, t] in SIZES {
        let of = |name: &str| match name {
            "x" => vec![*n],
            _ => vec![*n, *m],
        };
        let arrays = lowered.function.params.iter();
        let arrays = arrays.map(|p| (p.name.clone(), Array::random(p.ty.elem, &of(&p.name), choices)));
        let sizes = vec![("T".to_owned(), *t as i64)];
        match agree(&lowered, back_ends, &Arguments { sizes, arrays: arrays.collect() }) {
            Ok(_) => {}
            // What stands in an index may be any number, for all that is known.
            Err(Outcome::Refused(why)) if why.to_string().starts_with("error[E0523]") => {}
            Err(Outcome::Refused(why)) => return Err(why.to_string()),
            Err(Outcome::Wrong(why)) => return Err(why),
        }
    }
    Ok(in_place)
}

/// How many programs replace cells, and how many schedules do.
fn try_seed(seed: u64, back_ends: &[&'static Backend]) -> [u64; 2] {
    let mut choices = Choices::new(seed);
    let text = program(&mut choices);
    let fail = |text: &str, why: String| -> ! { panic!("seed {seed}\n{text}\n{why}") };
    let mut replaced = [0, 0];
    match check(&text, None, back_ends, &mut choices) {
        Ok(in_place) => replaced[0] += u64::from(in_place),
        Err(why) => fail(&text, why),
    }
    if let Err(why) = check(&text, Some("auto"), back_ends, &mut choices) {
        fail(&text, format!("under `auto`: {why}"));
    }
    let program = Program::parse("updates.atl", &text).unwrap_or_else(|e| fail(&text, e.to_string()));
    let made = random(&program.functions()[0], &mut choices, 6);
    let scheduled = format!("{text}\n{}", made.text("f"));
    match check(&scheduled, Some("random"), back_ends, &mut choices) {
        Ok(in_place) => replaced[1] += u64::from(in_place),
        Err(why) => fail(&scheduled, why),
    }
    replaced
}

#[test]
fn states_in_place_are_what_rounds_make() {
    let first = std::env::var("ATL_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let count: u64 = std::env::var("ATL_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(60);
    let all = in_parallel(first..first + count, |seed| try_seed(seed, &embedded()));
    let [written, scheduled] = [0, 1].map(|k| all.iter().map(|counts| counts[k]).sum::<u64>());
    println!("{count} programs; {written} replace cells, {scheduled} under a random schedule");
    assert!(
        count < 60 || written * 2 > count && scheduled * 3 > count,
        "{written} and {scheduled} of {count}"
    );
}

#[test]
fn states_in_place_in_c() {
    if (backends::c::BACKEND.unavailable)().is_none() {
        in_parallel(1000..1006, |seed| try_seed(seed, &[&backends::c::BACKEND]));
    }
}
