//! TeIL is type safe, and what it becomes computes what it means: random programs, and random changes of them.
//!
//! * A well-typed program runs without a trap and leaves the domain of memory as it is. A changed one is refused before it runs if
//!   and only if it is ill typed.
//! * Core TeIL and back is the identity on Core, and keeps values.
//! * Programs of every kind compute the evaluator's bits, by the trapping interpreter of loops and by machine code.
//!
//! `ATL_TEIL=50` runs 50 times as many; `ATL_SEED` begins elsewhere.

mod comprehended;
mod guarded;
mod operators;
mod programs;

use atl_driver::{BufferView, Compile, Program as Compilable, backends};
use atl_kernel::Scalar;
use atl_lang::SizeSource;
use atl_teil::core::Core;
use atl_teil::elaborate::{SCHEDULE, elaborate};
use atl_teil::evaluate::{Contents, Element, Memory, Values, number, run};
use atl_teil::language::{Assignment, Item, Program, parse};
use atl_teil::typing::{Checked, check, declared};
use atl_testkit::choices::Choices;
use programs::{Generator, SIZES, is_well_typed, mutated};

/// How many programs are evaluated, how many are compiled, and how many are functions of one file.
const PROGRAMS: u64 = 40_000;
const COMPILED: u64 = 2_000;
const COMPILED_BY_C: u64 = 24;
const BATCH: usize = 50;

/// The seeds of a property, of which this is the usual number.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let first: u64 = number("ATL_SEED").unwrap_or(0);
    first..first + usual * number("ATL_TEIL").unwrap_or(1)
}

fn values() -> Values {
    SIZES.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect()
}

/// Memory with random whole numbers in it.
fn memory<T: Element>(checked: &Checked<'_>, choices: &mut Choices, small: impl Fn(i64) -> T) -> Memory<T> {
    let mut memory = Memory::new();
    for declaration in &checked.context.declarations {
        let shape: Vec<u64> = declared(declaration).iter().map(|size| number(size, &values())).collect();
        let elements = (0..shape.iter().product()).map(|_| small(choices.below(7) as i64 - 3)).collect();
        memory.insert(&declaration.name.value, Contents { shape, elements });
    }
    memory
}

/// Runs a program that is well typed.
fn ran<T: Element>(program: &Program, memory: &Memory<T>, shown: &str) -> Memory<T> {
    let checked = check(program).unwrap_or_else(|why| panic!("{shown}\n{}", why.message));
    let mut after = memory.clone();
    run(&checked, &values(), &mut after).unwrap_or_else(|trap| panic!("{shown}\n{trap}"));
    assert!(memory.domain().eq(after.domain()), "{shown}");
    after
}

#[test]
fn well_typed_programs_never_trap_and_ill_typed_ones_are_refused() {
    let (mut refused, mut accepted) = (0, 0);
    for seed in seeds(PROGRAMS) {
        let choices = &mut Choices::new(seed);
        let (program, _) = Generator::program(choices, "R");
        assert!(is_well_typed(&program), "seed {seed}\n{program}");
        let checked = check(&program).unwrap_or_else(|why| panic!("seed {seed}\n{program}\n{}", why.message));
        let before = memory(&checked, choices, |n| n);
        ran(&program, &before, &format!("seed {seed}\n{program}"));
        for _ in 0..3 {
            let mutant = mutated(&program, choices);
            let shown = || format!("seed {seed}\n{program}\nchanged to\n{mutant}");
            match check(&mutant) {
                Ok(checked) => {
                    assert!(is_well_typed(&mutant), "accepted: {}", shown());
                    accepted += 1;
                    let before = memory(&checked, choices, |n| n);
                    ran(&mutant, &before, &shown());
                }
                Err(why) => {
                    assert!(!is_well_typed(&mutant), "refused, {}: {}", why.message, shown());
                    refused += 1;
                }
            }
        }
    }
    let programs = seeds(PROGRAMS).count();
    assert!(refused >= programs && accepted >= programs, "{refused} refused, {accepted} not, of {programs}");
}

#[test]
fn core_keeps_values_and_its_own_syntax() {
    for seed in seeds(PROGRAMS / 5) {
        let choices = &mut Choices::new(seed);
        let (program, _) = Generator::program(choices, "R");
        let text = program.to_string();
        let again =
            parse(atl_diag::FileId::default(), &text).unwrap_or_else(|why| panic!("{text}\n{}", why.message));
        assert_eq!(again, program, "{text}");
        let items = program.items.iter().map(|item| match item {
            Item::Assign(Assignment { target, value }) => {
                let there = Core::of(value);
                assert_eq!(Core::of(&there.to_expr()), there, "{text}");
                Item::Assign(Assignment { target: target.clone(), value: there.to_expr() })
            }
            item => item.clone(),
        });
        let through = Program { items: items.collect() };
        let checked = check(&program).expect("it is well typed");
        let before = memory(&checked, choices, |n| n);
        assert_eq!(ran(&program, &before, &text), ran(&through, &before, &text), "{text}\n{through}");
    }
}

/// One element has the same bits, where NaN has any.
trait Same {
    fn same(self, other: Self) -> bool;
}

macro_rules! same {
    ($($ty:ident)*) => { $(impl Same for $ty {
        #[allow(clippy::float_cmp, reason = "bits are meant")]
        fn same(self, other: $ty) -> bool {
            (self == other && 1.0 / self as f64 == 1.0 / other as f64) || (self != self && other != other)
        }
    })* };
}

same!(f32 f64 i32 i64);

/// What a program computes, beside what its function computes by a back end.
fn compare<T: Element + Same + atl_runtime::Element>(
    program: &Program,
    (compiled, schedule): (&Compilable, Option<&str>),
    backends: &[&'static backends::Backend],
    choices: &mut Choices,
    small: impl Fn(i64) -> T,
) {
    let checked = check(program).expect("it is well typed");
    let before = memory(&checked, choices, small);
    let result = checked.results().next().expect("there is one").name.value.clone();
    let shown = format!("{program}\n{}", elaborate(program, &checked).expect("it is well typed").text);
    let after = ran(program, &before, &shown);
    let expected = after.tensor(&result).expect("it is there");
    let lowered = compiled.scheduled(&result, schedule).and_then(|s| s.lower());
    let lowered = lowered.unwrap_or_else(|why| panic!("{shown}\n{why}"));
    for backend in backends {
        let kernel =
            lowered.compile(backend, Default::default()).unwrap_or_else(|why| panic!("{shown}\n{why}"));
        let arrays: Vec<_> = checked
            .given()
            .filter(|given| kernel.function().params.iter().any(|p| *p.name == *given.name.value))
            .map(|given| {
                let name = given.name.value.as_str();
                let contents = before.tensor(name).expect("it is there");
                let shape: Vec<usize> = contents.shape.iter().map(|n| *n as usize).collect();
                (name, BufferView::from_slice(&contents.elements, &shape).expect("it is small"))
            })
            .collect();
        let sizes = kernel.function().sizes.iter().filter(|size| size.source == SizeSource::Argument);
        let sizes: Vec<(&str, i64)> = sizes.map(|size| (&*size.name, values()[&*size.name] as i64)).collect();
        let found = kernel.call(&arrays, &sizes).dense().unwrap_or_else(|why| panic!("{shown}\n{why}"));
        let found = found.as_slice::<T>().expect("it is of that type");
        let same = found.iter().zip(&expected.elements).all(|(a, b)| a.same(*b));
        assert!(
            same && found.len() == expected.elements.len(),
            "{}: {found:?}, not {expected:?}\n{shown}",
            backend.name
        );
    }
}

/// Programs as functions of one file, so that a file is read and elaborated once for many; how many were lifted, too.
fn batch(seeds: std::ops::Range<u64>, backends: &[&'static backends::Backend]) -> usize {
    let (mut programs, mut text, mut lifted) = (Vec::new(), String::new(), Vec::new());
    for seed in seeds {
        let mut choices = Choices::new(seed);
        let (program, element) = Generator::program(&mut choices, &format!("R{seed}"));
        let checked = check(&program).expect("it is well typed");
        let elaborated = elaborate(&program, &checked).expect("it is well typed");
        text += &elaborated.text;
        // Wrapping integers are a ring, in which sums may be taken apart.
        let exact = matches!(element, Scalar::I32 | Scalar::I64);
        lifted.extend(elaborated.lifted.into_iter().filter(|_| exact).map(|_| programs.len()));
        programs.push((program, element, choices));
    }
    let compiled = Compilable::parse("the batch", &text).unwrap_or_else(|why| panic!("{why}"));
    let all = (0..programs.len()).map(|k| (k, None)).chain(lifted.iter().map(|k| (*k, Some(SCHEDULE))));
    for (k, schedule) in all {
        let (program, element, choices) = &programs[k];
        let (choices, compiled) = (&mut choices.clone(), (&compiled, schedule));
        match element {
            Scalar::F64 => compare(program, compiled, backends, choices, |n| n as f64),
            Scalar::F32 => compare(program, compiled, backends, choices, |n| n as f32),
            Scalar::I32 => compare(program, compiled, backends, choices, |n| n as i32),
            _ => compare(program, compiled, backends, choices, |n| n),
        }
    }
    lifted.len()
}

/// As many programs, in batches; how many were lifted, too.
fn compiled(usual: u64, backends: &[&'static backends::Backend]) -> usize {
    let all = seeds(usual);
    let batches = all.clone().step_by(BATCH);
    batches.map(|first| batch(first..(first + BATCH as u64).min(all.end), backends)).sum()
}

#[test]
fn compiled_programs_have_the_evaluators_bits() {
    let lifted = compiled(COMPILED, &[&backends::loops::BACKEND, &backends::cranelift::BACKEND]);
    assert!(lifted as u64 * 200 >= COMPILED, "{lifted}");
}

#[test]
fn programs_compiled_by_the_c_compiler_have_the_evaluators_bits() {
    if (backends::c::BACKEND.unavailable)().is_none() {
        compiled(COMPILED_BY_C, &[&backends::c::BACKEND]);
    }
}
