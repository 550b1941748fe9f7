//! What is printed of a program is the program: elaborated again it is the same term, scheduled or not.

use atl_driver::Program;
use atl_kernel::Expr;
use atl_lang::Function;
use atl_lang::print::{Options, print_function};
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::programs::program;
use atl_testkit::schedules::random;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Print a body of the function, and read it back.
fn check(f: &Function, body: &Expr) -> Result<(), TestCaseError> {
    for explicit in [false, true] {
        let text = print_function(f, body, Options { explicit, ..Options::default() });
        let again = Program::parse("printed.atl", &text);
        let again = again.map_err(|e| TestCaseError::fail(format!("{text}\n{e}")))?;
        prop_assert_eq!(&again.functions()[0].body, body, "{}", text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn programs_are_read_back(seed: u64, depth in 0u32..5) {
        let mut choices = Choices::new(seed);
        let text = program(&mut choices, depth).text;
        let parsed = Program::parse("random.atl", &text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let f = &parsed.functions()[0];
        check(f, &f.body)?;
        let schedule = random(f, &mut choices, 4);
        if let Some(thm) = schedule.theorems.last() {
            check(f, thm.rhs())?;
        }
    }

    #[test]
    fn arrays_are_read_back(seed: u64, shape in proptest::collection::vec(0usize..4, 0..4)) {
        let mut choices = Choices::new(seed);
        let semiring = choices.of(atl_semirings::ALL);
        let scalar = *choices.of(semiring.algebra.scalars);
        let elem = atl_semirings::elem(scalar, semiring.algebra.name).expect("the semiring admits it");
        let array = Array::random(elem, &shape, &mut choices);
        prop_assert_eq!(Array::parse(scalar, &array.to_string()), Ok(array));
    }
}
