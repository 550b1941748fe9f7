//! What is said of accesses to memory, against lists of who asks for what.

use super::random::{Random, law_on};
use crate::functions::tilings::{Constraints, tilings};
use crate::functions::vector_width::vector_width;
use crate::swizzle::Composed;
use crate::{Layout, Tree, evaluate};
use std::collections::BTreeSet;

fn check(expression: &str, wanted: i64) {
    let found = evaluate(expression).expect(expression).value.to_string();
    assert_eq!(found, wanted.to_string(), "{expression}");
}

/// The most words of one bank of which 32 threads ask for one each.
fn degree(words: &[i64]) -> usize {
    let words: BTreeSet<i64> = words.iter().copied().collect();
    (0..32).map(|bank| words.iter().filter(|word| **word % 32 == bank).count()).max().unwrap_or(0)
}

#[test]
fn banks_are_counted() {
    // A column of 32 rows of 32 numbers of 4 bytes.
    check("bank_conflicts(32:32, 4)", 32);
    check("bank_conflicts(32:33, 4)", 1);
    for (swizzle, degree) in [("Sw<5,0,5>", 1), ("Sw<3,0,5>", 4), ("Sw<2,0,5>", 8)] {
        check(&format!("bank_conflicts({swizzle} o 0 o 32:32, 4)"), degree);
    }
    // Eight rows of 16 bytes, out of rows of 64 numbers of 2 bytes, as tensor cores load them.
    check("bank_conflicts((8,8):(64,1), 2, 8)", 8);
    for (swizzle, degree) in [("Sw<1,3,3>", 4), ("Sw<2,3,3>", 2), ("Sw<3,3,3>", 1)] {
        check(&format!("bank_conflicts({swizzle} o 0 o (8,8):(64,1), 2, 8)"), degree);
    }
    // An entry may have several words: banks 0 to 2 and 1 to 3; and several sectors.
    check("bank_conflicts(2:11, 12)", 2);
    check("transactions(4:1, 64)", 8);
    let holds = |random: &mut Random| {
        let layout = random.layout();
        let table = layout.table(64).expect("a small layout");
        if layout.range().0 < 0 {
            return None;
        }
        let threads = layout.modes().next().map_or(1, |mode| mode.size()) as usize;
        let worst = table.chunks(threads).flat_map(|value| value.chunks(32)).map(degree).max().unwrap_or(0);
        check(&format!("bank_conflicts({layout}, 4)"), worst as i64);
        let sectors = |lanes: &[i64]| lanes.iter().map(|place| place / 8).collect::<BTreeSet<i64>>().len();
        let worst = table.chunks(threads).flat_map(|value| value.chunks(32)).map(sectors).max().unwrap_or(0);
        check(&format!("transactions({layout}, 4)"), worst as i64);
        Some(true)
    };
    law_on(5_000, 31, holds, "banks and sectors");
}

/// The largest power of two by which every thread's values come in aligned runs.
#[test]
fn vectors_are_as_wide_as_they_can_be() {
    let holds = |random: &mut Random| {
        let layout = random.layout();
        let table = layout.table(64).expect("a small layout");
        let threads = if layout.rank() > 1 { layout.sub(&[0]).expect("a mode").size() as usize } else { 1 };
        let values = table.len() / threads;
        let fits = |width: usize| {
            values.is_multiple_of(width)
                && (0..threads).all(|t| {
                    (0..values / width).all(|run| {
                        let place = |k: usize| table[t + (run * width + k) * threads];
                        let first = place(0);
                        first % width as i64 == 0 && (0..width).all(|k| place(k) == first + k as i64)
                    })
                })
        };
        let widest = [32, 16, 8, 4, 2, 1].into_iter().find(|width| fits(*width)).unwrap_or(1);
        Some(vector_width(&Composed::from(layout)) == Ok(widest as i64))
    };
    law_on(50_000, 32, holds, "vector_width");
}

/// Exactly the tiles that divide, whose sorted places come in aligned runs, and whose runs are taken without conflicts.
#[test]
fn tilings_are_all_that_meet_the_constraints() {
    let mut found_some = 0;
    let holds = |random: &mut Random| {
        let extent = |random: &mut Random| 1 + random.below(8) as i64;
        let shape = [extent(random), extent(random)];
        let pad = random.below(3) as i64;
        let strides = if random.below(2) == 0 { [1, shape[0] + pad] } else { [shape[1] + pad, 1] };
        let tree = |of: [i64; 2]| Tree::Node(of.map(Tree::Leaf).to_vec());
        let layout = Layout::try_new(tree(shape), tree(strides)).expect("a layout");
        let vector = [1, 2, 4][random.below(3) as usize];
        let constraints = Constraints { most: 1 + random.below(64) as i64, vector, bytes: 4 };
        let mut wanted = Vec::new();
        for (m, n) in (1..=shape[0]).flat_map(|m| (1..=shape[1]).map(move |n| (m, n))) {
            let divides = shape[0] % m == 0 && shape[1] % n == 0 && m * n <= constraints.most;
            let place = |i: i64| i % m * strides[0] + i / m * strides[1];
            let mut places: Vec<i64> = (0..m * n).map(place).collect();
            places.sort_unstable();
            let run = |run: &[i64]| {
                run.len() as i64 == vector
                    && run[0] % vector == 0
                    && run[run.len() - 1] == run[0] + vector - 1
            };
            let runs: Vec<&[i64]> = places.chunks(vector as usize).collect();
            let waves: Vec<Vec<i64>> = runs.chunks(32 / vector as usize).map(|wave| wave.concat()).collect();
            if divides && runs.iter().all(|r| run(r)) && waves.iter().all(|wave| degree(wave) == 1) {
                wanted.push(vec![m, n]);
            }
        }
        let mut found = tilings(&layout, &constraints).expect("few tiles");
        found_some += u32::from(!found.is_empty());
        let largest_first = found.iter().map(|tile| tile[0] * tile[1]).is_sorted_by(|a, b| a >= b);
        found.sort_unstable();
        Some(largest_first && found == wanted)
    };
    law_on(1_000, 33, holds, "tilings");
    assert!(found_some > 300, "{found_some}");
}
