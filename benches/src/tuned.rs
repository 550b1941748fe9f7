//! Tuning beside what a person wrote: for each function, the schedule that a search finds from the function
//! as written, timed beside every schedule of the examples for it.
//!
//! The search is that of `atl tune --rounding real --threads 1`: every proposal is derived by the kernel, and
//! the best by the model are compared with the interpreter and measured. Its time is that of the whole, from
//! the program's text to the winner.

use crate::json::{number, object};
use crate::programs::example;
use crate::statistics::{milliseconds, timed};
use atl_driver::backends::{Options, c};
use atl_driver::bench::{Entrant, Measured, Repeats, compare};
use atl_driver::data::Structure;
use atl_driver::tune::{Machine, Wanted, measure, propose, replay, schedule_text};
use atl_driver::validate::Validation;
use atl_driver::{Arguments, Compile, Compiled, Failure, Program, Rounding};
use serde_json::{Value, json};

/// The file, the function, and sizes to tune it for.
type Case = (&'static str, &'static str, &'static [(&'static str, u32)]);

const CASES: &[Case] = &[
    ("blur.atl", "blur", &[("N", 2000), ("M", 2000)]),
    ("matmul.atl", "matmul", &[("M", 1024), ("K", 1024), ("N", 1024)]),
    ("conv_layers.atl", "conv1d_layer", &[("B", 16), ("C", 64), ("W", 1026), ("K", 64), ("R", 3)]),
    (
        "conv_layers.atl",
        "conv2d_layer",
        &[("B", 1), ("C", 64), ("H", 58), ("W", 58), ("K", 64), ("R", 3), ("S", 3)],
    ),
    ("elementwise.atl", "multiply_add", &[("N", 4_000_000)]),
    ("interpolation.atl", "interpolate", &[("Q", 8), ("P", 8), ("E", 10_000)]),
];

/// How many scripts are tried, and how many are measured.
const BUDGET: usize = 60;
const BEST: usize = 10;

/// How many rounds count, and how many to find the best by hand.
const ROUNDS: usize = 101;
const LOOK: usize = 15;

/// What takes this multiple of the time of the tuned schedule is not the best by hand.
const SLOW: f64 = 2.0;

/// The target: a tuned schedule takes at most 1.15 times as long as the best by hand.
const TARGET: f64 = 1.0 / 1.15;

const ONE_THREAD: Options = Options { threads: Some(1), validation: Validation::Check };

/// See the module.
pub(crate) fn run() -> Result<Value, String> {
    println!(
        "{:<14}{:>10}  {:<24}{:>10}{:>10}{:>10}{:>10}",
        "", "search, s", "best by hand", "hand, ms", "tuned", "rounds", "fastest"
    );
    let rows = CASES.iter().map(|case| tuned(case).map_err(|why| format!("{}: {why}", case.1)));
    Ok(Value::Array(rows.collect::<Result<_, _>>()?))
}

/// What a search found, and how that compares.
fn tuned((file, name, at): &Case) -> Result<Value, String> {
    let words = |why: Failure| why.to_string();
    let (found, search) = timed(|| winner(file, name, at).map_err(words));
    let (program, arguments, steps) = found?;
    let function = program.function(Some(name), None).map_err(words)?;
    let kernel = replay(&program, function, &steps).and_then(|s| s.lower()?.compile(&c::BACKEND, ONE_THREAD));
    let kernel = kernel.map_err(words)?;
    let hands = by_hand(&program, name, &arguments, &kernel).map_err(words)?;
    let entrants: Vec<Entrant<'_>> = hands.iter().map(|(_, hand)| (hand, &arguments)).collect();
    let looked = compare(&entrants, Repeats { warm_up: 2, counted: LOOK }).map_err(words)?;
    let best = hands.iter().zip(&looked).min_by_key(|(_, m)| m.fastest);
    let ((hand, best), _) = best.ok_or("no schedule by hand is for these sizes")?;
    let pair: [Entrant<'_>; 2] = [(best, &arguments), (&kernel, &arguments)];
    let measured = compare(&pair, Repeats { warm_up: 2, counted: ROUNDS }).map_err(words)?;
    let [by_hand, of_search] = measured.as_slice() else { return Err("two were not measured".to_owned()) };
    let fastest = milliseconds(by_hand.fastest) / milliseconds(of_search.fastest);
    let rounds = of_search.ratio;
    println!(
        "{name:<14}{:>10.1}  {hand:<24}{:>10.3}{:>10.3}{rounds:>10.3}{fastest:>10.3}{}",
        search.as_secs_f64(),
        milliseconds(by_hand.median),
        milliseconds(of_search.median),
        if rounds >= TARGET { "" } else { "  missed" },
    );
    let sizes = at.iter().map(|(size, n)| format!("{size} = {n}")).collect::<Vec<_>>().join(", ");
    let times = |m: &Measured| [m.median, m.fastest].map(|time| number(milliseconds(time)));
    let side = |m: &Measured, text: (&'static str, &str)| {
        let [median, fastest] = times(m);
        object([(text.0, json!(text.1)), ("median", median), ("fastest", fastest)])
    };
    Ok(object([
        ("function", json!(*name)),
        ("sizes", json!(sizes)),
        ("search_seconds", number(search.as_secs_f64())),
        ("hand", side(by_hand, ("name", hand))),
        ("tuned", side(of_search, ("schedule", &schedule_text("tuned", name, &steps)))),
        ("times_as_fast", number(rounds)),
        ("by_fastest_runs", number(fastest)),
    ]))
}

/// The program, its arguments, and the steps of the quickest proposal.
fn winner(file: &str, name: &str, at: &[(&str, u32)]) -> Result<(Program, Arguments, Vec<String>), Failure> {
    let program = atl_driver::load(example(file))?;
    let function = program.function(Some(name), None)?;
    let numbers: Vec<(String, String)> =
        at.iter().map(|(size, n)| ((*size).to_owned(), n.to_string())).collect();
    let mut arguments = atl_driver::read_arguments(&program, function, &[], &numbers, Structure::Check)?;
    arguments.complete(&program, function, 1)?;
    let sizes: Vec<i64> = arguments.sizes().iter().map(|(_, n)| *n).collect();
    let wanted =
        Wanted { rounding: Rounding::Real, budget: BUDGET, machine: Machine::detect().with_cores(1) };
    let found = propose(&program, function, &sizes, &wanted, &mut |_| {})?;
    let proposals = found.best(BEST);
    let place = (&c::BACKEND, ONE_THREAD);
    let measured = measure(&program, function, &proposals, &arguments, place, ROUNDS, &mut |_| {})?;
    let quickest = proposals.iter().zip(&measured[1..]).min_by_key(|(_, m)| m.fastest);
    let steps = quickest.map_or_else(Vec::new, |(proposal, _)| proposal.steps.clone());
    Ok((program, arguments, steps))
}

/// The schedules of the examples that are for these sizes and not slow.
fn by_hand(
    program: &Program,
    name: &str,
    arguments: &Arguments,
    tuned: &Compiled,
) -> Result<Vec<(String, Compiled)>, Failure> {
    let mut hands = Vec::new();
    for schedule in program.schedules().iter().filter(|s| s.of.text == name) {
        let schedule = schedule.name.text.as_str();
        let kernel = program.scheduled(name, Some(schedule))?.lower()?.compile(&c::BACKEND, ONE_THREAD)?;
        let look = Repeats { warm_up: 1, counted: 3 };
        match compare(&[(tuned, arguments), (&kernel, arguments)], look) {
            // It says that it is for other sizes.
            Err(why) if why.codes() == ["E0506"] => {}
            looked => {
                if looked?[1].ratio * SLOW >= 1.0 {
                    hands.push((schedule.to_owned(), kernel));
                }
            }
        }
    }
    Ok(hands)
}
