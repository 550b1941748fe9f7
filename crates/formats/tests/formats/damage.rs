//! Random damage: what the validator accepts satisfies the laws and is read in range, and it never panics.

use crate::cases::{Random, formats, levels_of, row, shape, tensor};
use atl_formats::laws::{Stack, failures_of_any};
use atl_formats::levels::TABLE;
use atl_formats::oracle::decompress;
use atl_formats::{Coordinates, Metadata, Order, Rules, Sparse, Zeros, pack};

/// Changes metadata in one or two places.
fn damaged(random: &mut Random, metadata: &Metadata) -> Metadata {
    let mut metadata = metadata.clone();
    for _ in 0..=random.below(2) {
        let far = [i64::MIN, i64::MAX, -1, 0, 1, 2, 3, 1 << 32];
        let fresh = *random.pick(&far);
        if metadata.arrays.is_empty() || random.below(12) == 0 {
            metadata.parents = *random.pick(&[0, 1, 2, 3, usize::MAX, metadata.parents.wrapping_add(1)]);
            continue;
        }
        if random.below(30) == 0 {
            metadata.arrays.pop();
            continue;
        }
        let at = random.below(metadata.arrays.len());
        let array = &mut metadata.arrays[at];
        let entry = random.below(array.len().max(1));
        match random.below(6) {
            0 => array.push(fresh),
            1 => drop(array.pop()),
            _ if array.is_empty() => {}
            2 => array[entry] = fresh,
            3 => array[entry] = array[entry].wrapping_add(1),
            4 => array[entry] = array[entry].wrapping_sub(1),
            _ => {
                let other = random.below(array.len());
                array.swap(entry, other);
            }
        }
    }
    metadata
}

#[test]
fn accepted_metadata_satisfies_the_laws() {
    let mut random = Random(11);
    for kind in TABLE {
        let mut accepted = 0;
        for level in levels_of(kind.name, 4) {
            for _ in 0..400 {
                let rows = (0..1 + random.below(3)).map(|_| row(&mut random, 4)).collect();
                let Ok(stack) = Stack::try_new(&*level, rows) else { continue };
                let damaged = damaged(&mut random, &stack.whole);
                // Many parents without positions are well formed, and take long to go through.
                if damaged != stack.whole && level.well_formed(&damaged).is_ok() && damaged.parents < 100 {
                    assert_eq!(failures_of_any(&*level, &damaged), [], "{level:?}: {damaged:?}");
                    accepted += 1;
                }
            }
        }
        assert!(accepted > 0, "no damage to {} was accepted", kind.name);
    }
}

#[test]
fn accepted_tensors_are_read_in_range() {
    let mut random = Random(12);
    for rank in 1..=4 {
        for format in formats(rank) {
            for _ in 0..150 {
                let shape = shape(&mut random, rank, 1);
                let tensor = tensor(&mut random, &shape);
                let rules = Rules { order: Order::Sort, ..Rules::default() };
                let stored = pack(&format, Coordinates::of_dense(&tensor, 0), 0, &rules).unwrap();
                let mut metadata = stored.metadata().to_vec();
                let at = random.below(metadata.len());
                metadata[at] = damaged(&mut random, &metadata[at]);
                let instance = stored.instance().clone();
                let Ok(accepted) = Sparse::try_new(instance, metadata, stored.values().to_vec(), 0) else {
                    continue;
                };
                let read = decompress(&accepted).unwrap();
                assert_eq!(
                    read,
                    decompress(&accepted.clone().convert(&format, Zeros::Keep).unwrap()).unwrap(),
                    "{format}"
                );
            }
        }
    }
}
