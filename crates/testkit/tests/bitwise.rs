//! What a schedule calls `bitwise` is bitwise: the scheduled kernel gives the bits of the unscheduled one, for
//! every such schedule of the examples and the suite, on data with NaN, infinities, both zeros and denormals.
//!
//! Two NaNs count as the same, whatever their sign and payload: IEEE 754 leaves open which operand's payload an
//! operation passes on, and both processors and C compilers use that freedom, as when they exchange the operands of
//! `+`. Whether an element is a NaN is compared, and so is every bit of everything else. Both kernels run on the
//! same back end.

use atl_arith::{eval_ix, eval_pred};
use atl_driver::backends::{Backend, c, cranelift};
use atl_driver::{Program, Rounding};
use atl_lang::{Function, SizeSource};
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Arguments, Outcome, compile};
use atl_testkit::parallel::in_parallel;
use atl_testkit::suite::documents;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Sizes: none, one, fewer and more than a vector or a tile has, and few multiples of either.
const SIZES: [i64; 10] = [0, 1, 2, 3, 5, 7, 8, 16, 19, 33];

/// The C compiler takes most of the time: of this many schedules it compiles one, unless `ATL_BITWISE` is 1.
const COMPILED: usize = 8;

/// No array is larger.
const CELLS: i64 = 20_000;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The programs in a folder and the folders in it, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false => vec![path],
    };
    paths.into_iter().flat_map(below).filter(|path| path.extension().is_some_and(|e| e == "atl")).collect()
}

/// Every program of the examples and the suite that is accepted.
fn programs() -> Vec<(String, Program)> {
    let examples = files(&root().join("examples")).into_iter();
    let examples = examples.map(|path| (path.display().to_string(), atl_driver::load(&path).ok()));
    let suite = documents(&root().join("tests/suite")).unwrap_or_else(|e| panic!("{e}"));
    let cases = suite.into_iter().flat_map(|document| {
        let name = document.name;
        document.cases.into_iter().map(move |case| {
            (format!("{name}:{}", case.line), Program::parse("case.atl", &case.program).ok())
        })
    });
    examples.chain(cases).filter_map(|(name, program)| Some((name, program?))).collect()
}

/// Random arguments that the function accepts: sizes as its preconditions want them, and extreme numbers.
fn arguments(function: &Function, choices: &mut Choices) -> Option<Arguments> {
    for _ in 0..100 {
        let sizes: Vec<(u32, i64)> = function.sizes.iter().map(|s| (s.level, *choices.of(&SIZES))).collect();
        let value = |level: u32| sizes.iter().find(|(l, _)| *l == level).map(|(_, n)| *n);
        if !function.requires.iter().all(|(p, _)| eval_pred(p, &value) == Some(true)) {
            continue;
        }
        let shape = |p: &atl_lang::Param| -> Option<Vec<i64>> {
            p.ty.shape.iter().map(|n| eval_ix(n, &value).filter(|n| *n >= 0)).collect()
        };
        let fits = |shape: &Vec<i64>| shape.iter().product::<i64>() <= CELLS;
        let Some(shapes) = function.params.iter().map(|p| shape(p).filter(fits)).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let arrays = function.params.iter().zip(shapes).map(|(p, shape)| {
            let shape: Vec<usize> = shape.iter().filter_map(|n| usize::try_from(*n).ok()).collect();
            (p.name.clone(), Array::extreme(p.ty.elem, &shape, choices))
        });
        let given = function.sizes.iter().zip(&sizes).filter(|(s, _)| s.source == SizeSource::Argument);
        return Some(Arguments {
            arrays: arrays.collect(),
            sizes: given.map(|(s, (_, n))| (s.name.clone(), *n)).collect(),
        });
    }
    None
}

/// On each of these back ends, which take a schedule in as many each, both kernels of bitwise schedules on some arguments;
/// how many schedules were compared on each.
fn check(backends: &[(&'static Backend, usize)], rounds: u64) -> Vec<usize> {
    // A schedule's turn is its place among those of all programs: most programs have one or two.
    let numbered = programs().into_iter().scan(0, |before, (name, program)| {
        let first = *before;
        *before += program.schedules().len();
        Some((first, name, program))
    });
    let found =
        in_parallel(numbered, |(first, name, program)| compared(first, &name, &program, backends, rounds));
    (0..backends.len()).map(|k| found.iter().map(|counts| counts[k]).sum()).collect()
}

/// The same of one program's, of which the first has this turn.
fn compared(
    first: usize,
    name: &str,
    program: &Program,
    backends: &[(&'static Backend, usize)],
    rounds: u64,
) -> Vec<usize> {
    let mut counts = vec![0; backends.len()];
    let mut as_written = BTreeMap::new();
    for (turn, schedule) in (first..).zip(program.schedules()) {
        let (function, schedule) = (&schedule.of.text, schedule.name.text.as_str());
        let Ok(scheduled) = program.scheduled(function, Some(schedule)) else { continue };
        if scheduled.rounding() != Rounding::Bitwise {
            continue;
        }
        let written =
            as_written.entry(function).or_insert_with(|| program.scheduled(function, None)?.lower());
        let (Ok(written), Ok(scheduled)) = (written, scheduled.lower()) else { continue };
        for ((backend, every), count) in backends.iter().zip(&mut counts) {
            if turn % every != 0 {
                continue;
            }
            let on = |lowered| {
                let kernel = compile(lowered, backend);
                kernel.unwrap_or_else(|why| panic!("{name}: `{schedule}` on {}: {why:?}", backend.name))
            };
            let (written_kernel, kernel) = (on(written), on(&scheduled));
            let mut found = false;
            for round in 0..rounds {
                let mut choices = Choices::new(round);
                let Some(arguments) = arguments(&written.function, &mut choices) else { continue };
                match (written_kernel.run(&arguments), kernel.run(&arguments)) {
                    (Ok(expected), Ok(result)) => {
                        assert_eq!(
                            result, expected,
                            "{name}: `{schedule}` on {} of {arguments:?}",
                            backend.name
                        );
                        found = true;
                    }
                    // Preconditions of the schedule's own.
                    (_, Err(Outcome::Refused(_))) => {}
                    (written, result) => panic!("{name}: `{schedule}`: {written:?} and {result:?}"),
                }
            }
            *count += usize::from(found);
        }
    }
    counts
}

#[test]
fn schedules_keep_the_bits_that_they_say() {
    let every = if std::env::var("ATL_BITWISE").is_ok_and(|all| all == "1") { 1 } else { COMPILED };
    let mut backends = vec![(&cranelift::BACKEND, 1)];
    backends.extend((c::BACKEND.unavailable)().is_none().then_some((&c::BACKEND, every)));
    let compared = check(&backends, 6);
    assert!(compared.iter().all(|count| *count > 60), "{compared:?} schedules");
}
