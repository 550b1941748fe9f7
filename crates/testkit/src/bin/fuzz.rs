//! `fuzz TARGET SECONDS [SEED]`: random inputs until the time is up or something is found.
//!
//! Targets: `parser` (mutated programs and random tokens: no panic, formatting is stable), `elaborator` (programs with pieces
//! exchanged: refused or right, no panic), `schedules` (random programs under random schedules: every back end agrees with
//! the interpreter, and the validator of loops refuses none), `derivations` (random programs and chains of theorems from
//! them: both ends have one value, and the record replays). Each case is a function of its seed, which is printed when a
//! case fails; tests run the first few.
#![allow(clippy::print_stdout)]

use atl_diag::FileId;
use atl_driver::{Program, backends};
use atl_interp::EvalError;
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Arguments, Outcome, Point, agree, replay};
use atl_testkit::programs::program;
use atl_testkit::schedules::random;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Programs that mutations start from.
const SEEDS: &[&str] = &[
    include_str!("../../../../examples/blur.atl"),
    include_str!("../../../../examples/matmul.atl"),
    include_str!("../../../../examples/pipeline.atl"),
    include_str!("../../../../examples/relax.atl"),
    include_str!("../../../../examples/im2col.atl"),
];

fn main() -> ExitCode {
    // Terms and programs may nest deeply.
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(work);
    thread.ok().and_then(|t| t.join().ok()).unwrap_or(ExitCode::FAILURE)
}

fn work() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let case: fn(u64) -> Result<(), String> = match args.first().map(String::as_str) {
        Some("parser") => parser,
        Some("elaborator") => elaborator,
        Some("schedules") => schedules,
        Some("derivations") => derivations,
        _ => {
            println!("usage: fuzz parser|elaborator|schedules|derivations SECONDS [SEED]");
            return ExitCode::from(2);
        }
    };
    let number = |k: usize, or: u64| args.get(k).and_then(|s| s.parse().ok()).unwrap_or(or);
    let (limit, first) = (Duration::from_secs(number(1, 10)), number(2, 0));
    let start = Instant::now();
    let mut seed = first;
    while start.elapsed() < limit {
        let found = catch_unwind(|| case(seed)).unwrap_or_else(|_| Err("a panic".to_owned()));
        if let Err(why) = found {
            println!("seed {seed}: {why}");
            return ExitCode::FAILURE;
        }
        seed += 1;
    }
    println!("{} cases, from seed {first}: nothing found", seed - first);
    ExitCode::SUCCESS
}

/// A program with pieces cut, doubled, exchanged with pieces of others, or replaced by odd characters.
fn mutated(choices: &mut Choices) -> String {
    let mut text: Vec<char> = choices.of(SEEDS).chars().collect();
    for _ in 0..=choices.below(8) {
        let at = choices.below(text.len() + 1);
        let end = (at + choices.below(40)).min(text.len());
        let piece: Vec<char> = match choices.below(5) {
            0 => vec![],
            1 => [&text[at..end], &text[at..end]].concat(),
            2 => {
                let other: Vec<char> = choices.of(SEEDS).chars().collect();
                let from = choices.below(other.len());
                other[from..(from + choices.below(60)).min(other.len())].to_vec()
            }
            3 => {
                let odd = [
                    "[",
                    "]",
                    "{",
                    "}",
                    "?[",
                    "<",
                    "..",
                    "++",
                    "*",
                    "0",
                    "99999999999999999999",
                    "1e400",
                    "λ",
                    "\"",
                    "/*",
                    "gen i < N {",
                    "let x = ",
                    "@",
                    "'",
                    "\u{0}",
                ];
                choices.of(&odd).chars().collect()
            }
            _ => vec![char::from_u32(choices.below(0x300) as u32).unwrap_or('x')],
        };
        text.splice(at..end, piece);
    }
    text.into_iter().collect()
}

fn parser(seed: u64) -> Result<(), String> {
    let text = mutated(&mut Choices::new(seed));
    let parse = atl_syntax::parse_file(FileId(0), &text);
    if !parse.diagnostics.is_empty() {
        return Ok(());
    }
    let formatted = atl_syntax::format(FileId(0), &text)
        .map_err(|d| format!("parses but is not formatted: {d:?}\n{text}"))?;
    let again = atl_syntax::format(FileId(0), &formatted)
        .map_err(|d| format!("formatted but not parsed: {d:?}\n{formatted}"))?;
    let tree = atl_syntax::parse_file(FileId(0), &formatted).tree;
    match again == formatted && tree == parse.tree {
        true => Ok(()),
        false => Err(format!("formatting is not stable, or changes the program:\n{text}")),
    }
}

fn elaborator(seed: u64) -> Result<(), String> {
    let mut choices = Choices::new(seed);
    let text = if choices.one_in(2) { mutated(&mut choices) } else { exchanged(&mut choices) };
    match Program::parse("fuzz.atl", &text) {
        Err(failure) => {
            let _ = failure.to_string();
        }
        Ok(program) => {
            if let Err(failure) = atl_driver::check(&program) {
                let _ = failure.to_string();
            }
        }
    }
    Ok(())
}

/// A random program with words exchanged, so that it parses more often.
fn exchanged(choices: &mut Choices) -> String {
    let text = program(choices, 4).text;
    let mut words: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    for _ in 0..=choices.below(4) {
        let (a, b) = (choices.below(words.len()), choices.below(words.len()));
        words.swap(a, b);
    }
    words.concat()
}

fn schedules(seed: u64) -> Result<(), String> {
    let mut choices = Choices::new(seed);
    let depth = 2 + u32::from(choices.one_in(3));
    let text = program(&mut choices, depth).text;
    let parsed = Program::parse("fuzz.atl", &text).map_err(|e| format!("{text}\n{e}"))?;
    let made = random(&parsed.functions()[0], &mut choices, 8);
    let scheduled = format!("{text}\n{}", made.text("f"));
    let fail = |why: String| format!("{scheduled}\n{why}");
    let tables = [&backends::interp::BACKEND, &backends::loops::BACKEND, &backends::cranelift::BACKEND];
    let program = Program::parse("fuzz.atl", &scheduled).map_err(|e| fail(e.to_string()))?;
    let lowered = match program.scheduled("f", Some("random")).and_then(|s| s.lower()) {
        Ok(lowered) => lowered,
        Err(failure) if failure.codes().iter().any(|code| code == "E0608") => {
            return Err(fail(failure.to_string()));
        }
        // A random schedule may leave a program that is refused; then there is nothing to run.
        Err(_) => return Ok(()),
    };
    replay(&lowered.theorem).map_err(&fail)?;
    for (n, m) in [(0, 2), (1, 1), (3, 0), (4, 5), (7, 3)] {
        let arrays = lowered.function.params.iter().map(|p| {
            let shape: &[usize] = match p.name.as_str() {
                "x" => &[n],
                "a" => &[n, m],
                _ => &[],
            };
            (p.name.clone(), Array::random(p.ty.elem, shape, &mut choices))
        });
        let arguments = Arguments { sizes: vec![], arrays: arrays.collect() };
        match agree(&lowered, &tables, &arguments) {
            Ok(_) => {}
            Err(Outcome::Refused(failure)) => return Err(fail(failure.to_string())),
            Err(Outcome::Wrong(why)) if is_limit(&why) => return Ok(()),
            Err(Outcome::Wrong(why)) => return Err(fail(why)),
        }
    }
    Ok(())
}

/// The interpreter unfolds operators in operators; beyond its own limits it has no opinion.
fn is_limit(why: &str) -> bool {
    let limits = [EvalError::OutOfSteps, EvalError::TooLarge, EvalError::TooDeep, EvalError::Overflow];
    limits.iter().any(|limit| why.contains(&limit.to_string()))
}

fn derivations(seed: u64) -> Result<(), String> {
    let mut choices = Choices::new(seed);
    let text = program(&mut choices, 2).text;
    let parsed = Program::parse("fuzz.atl", &text).map_err(|e| format!("{text}\n{e}"))?;
    let made = random(&parsed.functions()[0], &mut choices, 15);
    let fail = |why: String| format!("{text}\n{}\n{why}", made.text("f"));
    let steps = made.theorems.iter().cloned();
    let Some(chain) = steps.map(Ok).reduce(|whole, step| whole?.trans(step?)) else { return Ok(()) };
    let thm = chain.map_err(|e| fail(format!("{e:?}")))?;
    replay(&thm).map_err(&fail)?;
    for _ in 0..3 {
        let Some(point) = Point::random(thm.ctx(), &mut choices) else { return Ok(()) };
        match point.theorem(&thm) {
            Err(why) if is_limit(&why) => return Ok(()),
            result => result.map_err(&fail)?,
        }
    }
    Ok(())
}
