//! Proofs of real schedules, changed in one place.

use atl_driver::Program;
use atl_kernel::Thm;
use atl_testkit::choices::Choices;
use atl_testkit::forgery::{Forgery, forgeries};
use atl_testkit::mutation::ROWS;
use atl_testkit::oracle::{Point, replay};

const PROGRAMS: &[&str] = &[
    "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] } } schedule s of f { split i by 4; peel; }",
    "fn f(a: i32[M, K], b: i32[K, N]) -> i32[M, N] { gen i < M, j < N { sum k < K { a[i, k] * b[k, j] } } }
     schedule s of f { tile i, j by 4, 4; split k by 2; reorder i.o, j.o, k.o, i.i, k.i, j.i; }",
    "fn f(x: f32[N]) -> f32[N] {
         let t = gen i < N { x?[i - 1] + x[i] };
         gen j < N { t[j] + t?[j + 1] }
     }
     schedule s of f { split j by 8; compute t at j.o; peel; simplify; }",
    "fn f(x: f32[N]) -> f32[N] {
         let t = gen i < N { x?[i - 1] + x[i] };
         gen j < N { t[j] + t?[j + 1] }
     }
     schedule s of f { inline t; rw access_gen everywhere; simplify guards; }",
    ROWS,
];

/// The theorem of a program's schedule.
fn theorem(text: &str) -> Thm {
    let program = Program::parse("forged.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let scheduled = program.scheduled("f", Some("s")).unwrap_or_else(|e| panic!("{e}"));
    scheduled.theorem().expect("there is a schedule").clone()
}

/// How many of these forgeries are refused, and how many are accepted and yet claim what the theorem does.
fn check(thm: &Thm, forgery: Forgery) -> (usize, usize) {
    let (mut refused, mut same) = (0, 0);
    let mut choices = Choices::new(3);
    for forged in forgeries(thm.proof(), forgery, 60) {
        let Ok(found) = Thm::replay(thm.ctx(), &forged) else {
            refused += 1;
            continue;
        };
        same += usize::from(found.lhs() == thm.lhs() && found.rhs() == thm.rhs());
        // Whatever is proved is true.
        for _ in 0..3 {
            let Some(point) = Point::random(found.ctx(), &mut choices) else { continue };
            point.theorem(&found).unwrap_or_else(|why| panic!("{forgery:?} proved something wrong: {why}"));
        }
    }
    (refused, same)
}

#[test]
fn forged_proofs_are_refused_or_prove_something_else_that_is_true() {
    for forgery in Forgery::ALL {
        let mut total = 0;
        for text in PROGRAMS {
            let thm = theorem(text);
            let (refused, same) = check(&thm, forgery);
            total += refused;
            // A step may be its own mirror image, and a chain may have a step that changes nothing.
            let harmless =
                matches!(forgery, Forgery::SwapSides | Forgery::SkipStep | Forgery::CiteAnotherFact);
            assert!(harmless || same == 0, "{forgery:?} was accepted {same} times in\n{text}");
        }
        assert!(total > 0, "no {forgery:?} was refused");
    }
}

#[test]
fn a_proof_holds_in_its_own_context_only() {
    let thm = theorem(PROGRAMS[0]);
    replay(&thm).unwrap();
    let other = theorem(PROGRAMS[1]);
    assert!(Thm::replay(other.ctx(), thm.proof()).is_err(), "the tensors are others");
    let empty = std::sync::Arc::new(atl_kernel::Ctx::new());
    assert!(Thm::replay(&empty, thm.proof()).is_err(), "there are no tensors");
}
