//! Proof files of real schedules, changed in one place.

use atl_testkit::choices::Choices;
use atl_testkit::mutation::{Mutation, PROGRAMS, mutants, original};
use atl_testkit::oracle::Point;
use std::collections::BTreeMap;

/// What became of the mutants of a kind.
#[derive(Default, Debug)]
struct Fate {
    refused: usize,
    /// Accepted: it proves the claim that the file had before.
    same: usize,
    /// Accepted: it proves another claim, and states it.
    other: usize,
}

#[test]
fn mutants_are_refused_or_prove_a_true_claim_that_they_state() {
    let claims: BTreeMap<&str, _> = PROGRAMS
        .iter()
        .map(|(name, program)| {
            let file = atl_proof::read(&original(program)).unwrap_or_else(|e| panic!("{name}: {e}"));
            (*name, atl_proof::check(&file).unwrap_or_else(|e| panic!("{name}: {e}")))
        })
        .collect();
    let mut fates: BTreeMap<String, Fate> = BTreeMap::new();
    let mut choices = Choices::new(5);
    for mutant in mutants(10) {
        let fate = fates.entry(format!("{:?}", mutant.mutation)).or_default();
        let accepted = atl_proof::read(&mutant.text).ok().and_then(|file| atl_proof::check(&file).ok());
        let Some(thm) = accepted else {
            fate.refused += 1;
            continue;
        };
        let before = &claims[mutant.name.split('-').next().unwrap_or_default()];
        let same = thm.ctx() == before.ctx() && thm.lhs() == before.lhs() && thm.rhs() == before.rhs();
        if same {
            assert_eq!((thm.laws(), thm.rounding()), (before.laws(), before.rounding()), "{}", mutant.name);
            fate.same += 1;
            continue;
        }
        fate.other += 1;
        for _ in 0..3 {
            let Some(point) = Point::random(thm.ctx(), &mut choices) else { continue };
            let has_values = point.machine(thm.lhs()).is_ok() && point.machine(thm.rhs()).is_ok();
            if has_values {
                point
                    .theorem(&thm)
                    .unwrap_or_else(|why| panic!("{} proves something wrong: {why}", mutant.name));
            }
        }
    }
    let refused: usize = fates.values().map(|fate| fate.refused).sum();
    assert!(refused >= 600, "only {refused} were refused: {fates:#?}");
    for (kind, fate) in &fates {
        assert!(fate.refused > 0, "no {kind} was refused: {fates:#?}");
    }
    // Whatever breaks the form of the file is always refused.
    let broken = [
        Mutation::CiteForward,
        Mutation::AddCertificate,
        Mutation::DropCertificate,
        Mutation::ChangeLaws,
        Mutation::ChangeRounding,
        Mutation::DropLine,
        Mutation::RepeatLine,
        Mutation::Truncate,
        Mutation::Append,
        Mutation::Respell,
    ];
    for kind in broken {
        let fate = &fates[&format!("{kind:?}")];
        assert!(fate.same + fate.other == 0, "{kind:?} was accepted: {fate:?}");
    }
}
