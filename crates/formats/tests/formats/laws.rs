//! Every level of the table satisfies every law, and claims what it can do and no less.

use crate::cases::{Random, level, levels_of, row};
use atl_formats::laws::{LAWS, Stack, failures};
use atl_formats::levels::TABLE;
use atl_formats::{Level, Refusal};

/// Compares a level with the laws on stacks of rows; returns for how many it had space.
fn check(level: &dyn Level, stacks: impl IntoIterator<Item = Vec<Vec<usize>>>) -> usize {
    let mut checked = 0;
    for rows in stacks {
        match Stack::try_new(level, rows.clone()) {
            Ok(stack) => {
                assert_eq!(failures(level, &stack), [], "{level:?} on {rows:?}");
                checked += 1;
            }
            Err(Refusal::NoSpace { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    checked
}

/// All stacks of `rows` rows of `n` slices of two classes.
fn all_stacks(rows: usize, n: usize) -> impl Iterator<Item = Vec<Vec<usize>>> {
    (0..1usize << (rows * n))
        .map(move |bits| (0..rows).map(|r| (0..n).map(|c| bits >> (r * n + c) & 1).collect()).collect())
}

#[test]
fn every_level_satisfies_every_law_on_all_small_tensors() {
    for kind in TABLE {
        for (rows, n) in [(0, 0), (0, 3), (1, 0), (2, 0), (1, 1), (1, 2), (1, 4), (2, 1), (2, 3), (3, 2)] {
            for level in levels_of(kind.name, n) {
                check(&*level, all_stacks(rows, n));
            }
        }
    }
}

#[test]
fn every_level_satisfies_every_law_on_random_tensors() {
    let mut random = Random(1);
    for kind in TABLE {
        let mut checked = 0;
        for n in 0..=6 {
            for level in levels_of(kind.name, n) {
                checked += check(
                    &*level,
                    (0..20).map(|_| {
                        let rows = random.below(5);
                        (0..rows).map(|_| row(&mut random, n)).collect()
                    }),
                );
            }
        }
        assert!(checked >= 50, "{} had space for {checked} stacks only", kind.name);
    }
}

#[test]
fn what_a_level_does_not_claim_fails_somewhere() {
    for kind in TABLE {
        let (mut full, mut ordered, mut branchless, mut compact) = (true, true, true, true);
        let mut random = Random(2);
        for level in levels_of(kind.name, 5) {
            for _ in 0..50 {
                let Ok(stack) = Stack::try_new(&*level, vec![row(&mut random, 5)]) else { continue };
                let bounds = level.pos_bounds(&stack.whole, 0);
                let valid: Vec<usize> = bounds.clone().filter(|q| level.valid(&stack.whole, 0, *q)).collect();
                let crd: Vec<i128> = valid.iter().flat_map(|q| level.pos_crd(&stack.whole, 0, *q)).collect();
                full &= crd.len() == 5;
                ordered &= crd.is_sorted();
                branchless &= bounds.len() == 1;
                compact &= valid.len() == bounds.len();
            }
        }
        let can = level(
            kind.name,
            &[5],
            0,
            if kind.width == atl_formats::levels::Width::None { &[] } else { &[5] },
        )
        .capabilities();
        assert_eq!(
            (can.full, can.ordered, can.branchless, can.compact),
            (full, ordered, branchless, compact),
            "{}",
            kind.name
        );
    }
}

#[test]
fn laws_have_names_and_statements() {
    assert_eq!(LAWS.len(), 20);
    assert!(LAWS.iter().all(|law| !law.statement.is_empty()));
}
