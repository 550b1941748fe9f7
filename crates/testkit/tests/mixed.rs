//! Random programs of all element types at once, with tuples, generic functions, rounds, scans and recursive
//! tensors: every stage and every back end computes the same, as written, under `auto` and under random
//! schedules.
//!
//! `ATL_MIXED=100` tries 100 times as many, and `ATL_SEED` is where they begin. `ATL_REFUSED=1` prints those
//! that are refused. `ATL_COMPILED=10` compiles 1,000 by every C compiler of the machine, many in one file.
#![allow(clippy::print_stdout)]

use atl_backend_c::print_kernel;
use atl_driver::backends::{Backend, c::printer_options, loops};
use atl_driver::doctor::trials::{Call, Trial, compilers, differing};
use atl_driver::{Lowered, Program, Rounding};
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::mixed::{Mixed, mixed};
use atl_testkit::oracle::{Arguments, Outcome, agree, replay, run};
use atl_testkit::parallel::in_parallel;
use atl_testkit::schedules::random;
use atl_testkit::suite::embedded;
use std::collections::BTreeMap;

/// `N`, `M` and `T`.
const SIZES: &[[usize; 3]] = &[[0, 2, 3], [1, 1, 0], [3, 0, 2], [5, 4, 7], [2, 6, 1]];

/// And where compiled code runs in vectors and what is left of them.
const LONG: &[[usize; 3]] = &[[19, 5, 4], [6, 35, 3], [67, 2, 9], [16, 8, 1]];

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn arguments(lowered: &Lowered, [n, m, t]: [usize; 3], choices: &mut Choices) -> Arguments {
    let arrays = lowered.function.params.iter().map(|param| {
        let shape: &[usize] = match param.name.as_bytes().first() {
            Some(b'x' | b'k' | b'p') => &[n],
            Some(b'y') => &[n, m],
            Some(b'z') => &[m],
            _ => &[],
        };
        let array = match lowered.rounding {
            Rounding::Bitwise if choices.one_in(2) => Array::extreme(param.ty.elem, shape, choices),
            _ => Array::random(param.ty.elem, shape, choices),
        };
        (param.name.clone(), array)
    });
    Arguments { sizes: vec![("T".to_owned(), t as i64)], arrays: arrays.collect() }
}

/// What became of a program: its kinds, with how often; and the codes with which it was refused.
type Counts = BTreeMap<String, u64>;

/// Calls of a function under a schedule.
fn calls(lowered: &Lowered, back_ends: &[&'static Backend], choices: &mut Choices) -> Result<u64, String> {
    replay(&lowered.theorem)?;
    // Where the order of additions is free, a comparison may come out otherwise, and so may all that follows.
    if lowered.rounding == Rounding::Real {
        return Ok(0);
    }
    let mut count = 0;
    for sizes in SIZES {
        let arguments = arguments(lowered, *sizes, choices);
        match agree(lowered, back_ends, &arguments) {
            Ok(_) => count += 1,
            // What stands in an index may be any number, for all that is known.
            Err(Outcome::Refused(why)) if why.codes().iter().any(|code| code == "E0523") => {}
            Err(Outcome::Refused(why)) => return Err(format!("at {sizes:?}: {why}")),
            Err(Outcome::Wrong(why)) => return Err(format!("at {sizes:?}: {why}")),
        }
    }
    Ok(count)
}

fn lowered(text: &str, schedule: &str) -> Result<Lowered, (String, String)> {
    let lowered = Program::parse("mixed.atl", text).and_then(|p| p.scheduled("f", Some(schedule))?.lower());
    lowered.map_err(|why| (why.codes().join(" "), why.to_string()))
}

fn check(seed: u64, back_ends: &[&'static Backend]) -> Counts {
    let mut choices = Choices::new(seed);
    let Mixed { text, kinds } = mixed(&mut choices);
    let fail = |text: &str, why: &str| -> ! { panic!("seed {seed}\n{text}\n{why}") };
    let written = match lowered(&text, "none") {
        Ok(written) => written,
        Err((codes, why)) => {
            if std::env::var_os("ATL_REFUSED").is_some() {
                println!("seed {seed}\n{text}\n{why}");
            }
            return Counts::from([(format!("refused: {codes}"), 1)]);
        }
    };
    let mut counts: Counts = kinds.iter().map(|kind| ((*kind).to_owned(), 1)).collect();
    let mut add = |what: &str, count: u64| *counts.entry(what.to_owned()).or_default() += count;
    let made = calls(&written, back_ends, &mut choices).unwrap_or_else(|why| fail(&text, &why));
    add("~ calls as written", made);
    match lowered(&text, "auto") {
        Ok(chosen) if chosen.kernel != written.kernel => {
            let made = calls(&chosen, back_ends, &mut choices);
            let made =
                made.unwrap_or_else(|why| fail(&text, &format!("under `auto`: {why}\n{}", chosen.kernel)));
            add("~ calls under auto", made);
        }
        Ok(_) => {}
        Err((_, why)) => fail(&text, &format!("under `auto`: {why}")),
    }
    let program = Program::parse("mixed.atl", &text).unwrap_or_else(|why| fail(&text, &why.to_string()));
    let Some(function) = program.functions().iter().find(|f| f.name == "f") else { return counts };
    let steps = random(function, &mut choices, 6);
    let scheduled = format!("{text}\n{}", steps.text("f"));
    if !steps.steps.is_empty() {
        match lowered(&scheduled, "random") {
            Ok(lowered) => {
                let made =
                    calls(&lowered, back_ends, &mut choices).unwrap_or_else(|why| fail(&scheduled, &why));
                add("~ calls under random schedules", made);
            }
            Err((code, _)) if code.starts_with("E04") => {}
            Err((_, why)) => fail(&scheduled, &why),
        }
    }
    counts
}

/// The sums of counts; what stands first is what is printed first.
fn table(all: Vec<Counts>) -> Counts {
    let mut total = Counts::new();
    for (what, count) in all.into_iter().flatten() {
        *total.entry(what).or_default() += count;
    }
    for (what, count) in &total {
        println!("{count:8} {what}");
    }
    total
}

#[test]
fn programs_of_all_types_mean_the_same_everywhere() {
    let (first, count) = (number("ATL_SEED").unwrap_or(0), 60 * number("ATL_MIXED").unwrap_or(1));
    let total = table(in_parallel(first..first + count, |seed| check(seed, &embedded())));
    let refused: u64 = total.iter().filter(|(what, _)| what.starts_with("refused")).map(|(_, n)| n).sum();
    assert!(4 * refused < count, "{refused} of {count} are refused: {total:?}");
    let kinds = [
        "complex",
        "conversion",
        "element in an index",
        "floats",
        "generic",
        "histogram",
        "integers",
        "monoid",
        "number in an index",
        "rec",
        "rec of two dimensions",
        "reduction",
        "rounds",
        "rounds that may be negative",
        "scan",
        "several results",
        "store at a number",
        "table",
        "until",
    ];
    for kind in kinds {
        assert!(count < 600 || total.contains_key(kind), "no program has {kind}: {total:?}");
    }
}

/// A program's kernel as written or under `auto`, with calls, for C compilers.
fn trial(seed: u64) -> Option<(Trial, String)> {
    let mut choices = Choices::new(seed);
    let text = mixed(&mut choices).text;
    let lowered = lowered(&text, if choices.one_in(2) { "auto" } else { "none" }).ok()?;
    if lowered.signature.results().count() != 1 {
        return None;
    }
    let mut kernel = lowered.kernel.clone();
    kernel.name = format!("f_{seed}").as_str().into();
    let source = print_kernel(&kernel, &printer_options(lowered.rounding, false));
    let source = source.unwrap_or_else(|why| panic!("seed {seed}\n{text}\n{why:?}"));
    let scalar = lowered.function.result.elem.scalar;
    let bytes = |array: &Array| -> Vec<u8> {
        array.data.iter().flat_map(|v| v.bits().to_le_bytes()[..v.scalar().size()].to_vec()).collect()
    };
    let calls = SIZES.iter().skip(3).chain(LONG).filter_map(|sizes| {
        let arguments = arguments(&lowered, *sizes, &mut choices);
        let expected = match run(&lowered, &loops::BACKEND, &arguments) {
            Ok(expected) => expected,
            Err(Outcome::Refused(_)) => return None,
            Err(Outcome::Wrong(why)) => panic!("seed {seed}\n{text}\n{why}"),
        };
        let size = |name: &str| match name {
            "N" => sizes[0],
            "M" => sizes[1],
            _ => sizes[2],
        };
        Some(Call {
            sizes: kernel.sizes.iter().map(|s| size(s.as_str()) as i64).collect(),
            inputs: arguments.arrays.iter().map(|(_, array)| bytes(array)).collect(),
            expected: bytes(&expected),
            elem: scalar,
        })
    });
    let calls = calls.collect();
    Some((Trial { source, calls }, format!("seed {seed}\n{text}\n{}", lowered.kernel)))
}

#[test]
fn programs_of_all_types_mean_the_same_in_c() {
    let (first, count) = (number("ATL_SEED").unwrap_or(0), number("ATL_COMPILED").map_or(24, |n| 100 * n));
    let compilers = compilers();
    let compilers = &compilers[..if count > 24 { compilers.len() } else { compilers.len().min(1) }];
    let batch = count.min(100);
    let found = in_parallel((first..first + count).step_by(batch as usize), |begin| {
        let (trials, texts): (Vec<Trial>, Vec<String>) = (begin..begin + batch).filter_map(trial).unzip();
        let mut wrong = Vec::new();
        for compiler in compilers {
            let found = differing(compiler, &trials, |source| source.flags.clone());
            let found = found.unwrap_or_else(|why| panic!("from seed {begin}: {why}"));
            wrong.extend(found.iter().map(|k| format!("{}: {}", compiler.command(), texts[*k])));
        }
        (trials.len(), wrong)
    });
    let (tried, wrong): (Vec<usize>, Vec<Vec<String>>) = found.into_iter().unzip();
    println!("{} kernels by {} compilers", tried.iter().sum::<usize>(), compilers.len());
    let wrong = wrong.concat();
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
