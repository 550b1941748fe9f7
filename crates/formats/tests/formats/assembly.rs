//! Assembling tensors: in chunks, in order, by counts. What is assembled is what `compress` gives.

use crate::cases::{Random, formats, level, levels_of, row, shape, tensor};
use atl_formats::levels::TABLE;
use atl_formats::oracle::{compress, decompress};
use atl_formats::{
    Coordinates, Dense, EntryPositions, Format, Level, Metadata, Order, PackedLevel, Refusal, Rules,
    SortedEntries, Zeros, pack,
};

/// Metadata of rows, encoded one by one and appended from the left.
fn encoded(level: &dyn Level, rows: &[Vec<usize>]) -> Result<Metadata, Refusal> {
    rows.iter().try_fold(level.empty(), |all, row| level.append(all, &level.encode(row)?.0))
}

#[test]
fn chunks_are_assembled_in_any_tree() {
    let mut random = Random(5);
    for kind in TABLE {
        for level in levels_of(kind.name, 4) {
            for _ in 0..20 {
                let rows: Vec<Vec<usize>> = (0..6).map(|_| row(&mut random, 4)).collect();
                let Ok(all) = encoded(&*level, &rows) else { continue };
                let (one, two) = (random.below(7), random.below(7));
                let (low, high) = (one.min(two), one.max(two));
                let part = |from: usize, to: usize| encoded(&*level, &rows[from..to]).unwrap();
                let right = level.append(part(low, high), &part(high, 6)).unwrap();
                assert_eq!(level.append(part(0, low), &right).unwrap(), all, "{level:?}");
            }
        }
    }
}

#[test]
fn packing_is_what_compress_is() {
    let mut random = Random(6);
    for rank in 1..=4 {
        for format in formats(rank) {
            for _ in 0..20 {
                let shape = shape(&mut random, rank, 1);
                let tensor = tensor(&mut random, &shape);
                let rules = Rules { order: Order::Sort, ..Rules::default() };
                let packed = pack(&format, Coordinates::of_dense(&tensor, 0), 0, &rules).unwrap();
                let defined = compress(packed.instance(), &tensor, 0).unwrap();
                assert_eq!(packed.metadata(), defined.metadata(), "{format} of {tensor:?}");
                assert_eq!(packed.values(), defined.values(), "{format} of {tensor:?}");
            }
        }
    }
}

#[test]
fn builders_write_what_encode_returns() {
    let mut random = Random(7);
    for kind in TABLE.iter().filter(|kind| !["rle", "sparse_runs"].contains(&kind.name)) {
        for level in levels_of(kind.name, 5) {
            for _ in 0..20 {
                let rows: Vec<Vec<usize>> = (0..3).map(|_| row(&mut random, 5)).collect();
                let Ok(all) = encoded(&*level, &rows) else { continue };
                let mut builder = level.builder();
                for row in &rows {
                    for c in (0..5).filter(|c| row[*c] != 0) {
                        let position = builder.push(&level.dimensions().unflatten(c as i128)).unwrap();
                        assert!(position < level.npos(&all));
                    }
                    builder.finish().unwrap();
                }
                assert_eq!(builder.close(), all, "{level:?} of {rows:?}");
            }
        }
    }
}

#[test]
fn builders_refuse_what_does_not_follow() {
    for kind in TABLE {
        let with: &[i64] = if kind.width == atl_formats::levels::Width::None { &[] } else { &[9] };
        let level = level(kind.name, &[5], 0, with);
        for outside in [-1, 5, i64::MIN, i64::MAX] {
            assert!(level.builder().push(&[outside]).is_err(), "{level:?} at {outside}");
        }
        let mut builder = level.builder();
        builder.push(&[3]).unwrap();
        let back = builder.push(&[2]);
        assert_eq!(back.is_ok(), level.capabilities().insert, "{level:?}");
        // The next parent begins anew.
        builder.finish().unwrap();
        builder.push(&[1]).unwrap();
        builder.finish().unwrap();
        let written = builder.close();
        level.well_formed(&written).unwrap();
        assert_eq!(written.parents, 2);
    }
}

#[test]
fn hash_tables_take_any_order() {
    let table = level("hash", &[20], 0, &[7, 3, -2]);
    let mut random = Random(8);
    for _ in 0..200 {
        let mut left: Vec<i64> = (0..20).collect();
        let mut chosen: Vec<i64> =
            (0..random.below(8)).map(|_| left.swap_remove(random.below(left.len()))).collect();
        let mut builder = table.builder();
        let positions: Vec<usize> = chosen.iter().map(|c| builder.push(&[*c]).unwrap()).collect();
        if let (Some(c), Some(position)) = (chosen.first(), positions.first()) {
            assert_eq!(*position as i64, (3 * c - 2).rem_euclid(7));
        }
        builder.finish().unwrap();
        let written = builder.close();
        table.well_formed(&written).unwrap();
        for (c, position) in chosen.iter().zip(&positions) {
            assert_eq!(table.crd_pos(&written, 0, i128::from(*c)), Some(*position));
        }
        let mut found: Vec<i64> =
            table.expand(written.clone(), &atl_formats::EntryPositions::Root(1)).unwrap().crd.remove(0);
        found.sort_unstable();
        chosen.sort_unstable();
        assert_eq!(found, chosen);
    }
}

#[test]
fn hash_tables_are_packed_as_they_are_built() {
    let mut random = Random(21);
    for extents in [&[20][..], &[4, 5]] {
        let table = level("hash", extents, 0, &[7, 3, -2]);
        for _ in 0..200 {
            // Seven different ones at most, some of them twice.
            let rows: Vec<Vec<i64>> =
                (0..5).map(|_| (0..random.below(9)).map(|_| random.below(7) as i64 * 2).collect()).collect();
            let (mut builder, mut positions, mut crd) =
                (table.builder(), Vec::new(), vec![Vec::new(); extents.len()]);
            for c in rows.iter().flat_map(|row| row.iter().map(Some).chain([None])) {
                let Some(c) = c else {
                    builder.finish().unwrap();
                    continue;
                };
                let point = table.dimensions().unflatten((*c).into());
                positions.push(builder.push(&point).unwrap());
                crd.iter_mut().zip(point).for_each(|(column, c)| column.push(c));
            }
            let parents = rows.iter().enumerate().flat_map(|(parent, row)| row.iter().map(move |_| parent));
            let at = EntryPositions::List(parents.collect());
            let packed = table.pack(SortedEntries { parents: 5, crd, at }).expect("sorted entries");
            let built = PackedLevel { metadata: builder.close(), positions: EntryPositions::List(positions) };
            assert_eq!(packed, built, "{rows:?}");
        }
    }
    let table = level("hash", &[20], 0, &[2]);
    let refused = |crd: &[i64], at: &[usize]| {
        let at = EntryPositions::List(at.to_vec());
        table.pack(SortedEntries { parents: 3, crd: vec![crd.to_vec()], at }).unwrap_err()
    };
    assert_eq!(refused(&[1, 2], &[1, 0]), Refusal::Unsorted { entry: 1 });
    assert_eq!(refused(&[1, 2], &[1, 3]), Refusal::Unsorted { entry: 1 });
    let no_space = |refusal: Refusal, c: i64| match refusal {
        Refusal::NoSpace { parent, coordinate, .. } => assert_eq!((parent, coordinate), (1, vec![c])),
        other => panic!("{other}"),
    };
    no_space(refused(&[1, 20], &[0, 1]), 20);
    no_space(refused(&[1, -1], &[0, 1]), -1);
    no_space(refused(&[1, 2, 1, 3, 2, 4], &[1; 6]), 3);
}

#[test]
fn transposing_by_counting_is_compress_of_the_transpose() {
    let mut random = Random(9);
    let (csr, csc) = (Format::parse("csr", 2).unwrap(), Format::parse("csc", 2).unwrap());
    for _ in 0..200 {
        let shape = shape(&mut random, 2, 0);
        let tensor = tensor(&mut random, &shape);
        let (n, m) = (shape[0], shape[1]);
        let data = (0..n * m).map(|at| tensor.data[at % n * m + at / n]).collect();
        let transposed = Dense { shape: vec![m, n], data };
        let rules = Rules::default();
        let columns =
            pack(&csr, Coordinates::of_dense(&tensor, 0), 0, &rules).unwrap().convert(&csc, Zeros::Keep);
        let rows = compress(&csr.at(&[m, n]).unwrap(), &transposed, 0).unwrap();
        assert_eq!(columns.unwrap().metadata(), rows.metadata());
    }
}

#[test]
fn coordinates_much_larger_than_their_number_are_sorted() {
    let mut random = Random(13);
    let coo = Format::parse("coo", 3).unwrap();
    for shape in [[1 << 40, 3, 1 << 13], [7, 1 << 12, (1 << 62) + 5], [1, 100, 100_000]] {
        let mut expected: Vec<[i64; 3]> = (0..500).map(|_| shape.map(|n| random.below(n) as i64)).collect();
        let columns = (0..3).map(|d| expected.iter().map(|x| x[d]).collect()).collect();
        let entries = Coordinates { shape: shape.to_vec(), columns, values: (0..500).collect::<Vec<i64>>() };
        let value_of = |x: &[i64; 3]| expected.iter().position(|y| x == y).unwrap() as i64;
        let rules = Rules {
            order: Order::Sort,
            duplicates: atl_formats::Duplicates::Add(|a, _| a),
            zeros: Zeros::Keep,
        };
        let packed = pack(&coo, entries, -1, &rules).unwrap();
        let mut sorted = expected.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let values: Vec<i64> = sorted.iter().map(value_of).collect();
        assert_eq!(packed.values(), values);
        expected = sorted;
        for d in 0..3 {
            assert_eq!(
                packed.metadata()[0].arrays[1 + d],
                expected.iter().map(|x| x[d]).collect::<Vec<i64>>()
            );
        }
    }
}

/// The rows of two tensors, one after the other.
fn stacked(above: &Dense<i64>, below: &Dense<i64>) -> Dense<i64> {
    let mut shape = above.shape.clone();
    shape[0] += below.shape[0];
    Dense { shape, data: [&above.data[..], &below.data].concat() }
}

#[test]
fn metadata_of_stacked_tensors_is_appended() {
    let mut random = Random(14);
    let texts = [
        "csr",
        "[dense, hash(9, -3, 1)]",
        "[dense, band]",
        "[dense, rle]",
        "[dense, rankmask]",
        "[dense, ell(6)]",
    ];
    let deeper = [
        "[dense, compressed, compressed]",
        "[dense, rle, hash(8)]",
        "[dense, blocklist, bitmask]",
        "[dense, sparse_runs, band]",
    ];
    for text in texts.into_iter().chain(deeper) {
        let format = Format::parse(text, 2).or_else(|_| Format::parse(text, 3)).unwrap();
        for _ in 0..30 {
            let mut shape = vec![random.below(4), 6, 4];
            shape.truncate(format.rank());
            let above = tensor(&mut random, &shape);
            shape[0] = random.below(4);
            let below = tensor(&mut random, &shape);
            let packed =
                |t: &Dense<i64>| pack(&format, Coordinates::of_dense(t, 0), 0, &Rules::default()).unwrap();
            let (one, two, both) = (packed(&above), packed(&below), packed(&stacked(&above, &below)));
            for (depth, level) in both.instance().levels().iter().enumerate().skip(1) {
                let appended = level.append(one.metadata()[depth].clone(), &two.metadata()[depth]).unwrap();
                assert_eq!(appended, both.metadata()[depth], "{format}, level {depth}");
            }
            assert_eq!([one.values(), two.values()].concat(), both.values());
        }
    }
}

#[test]
fn sums_of_entries_are_compress_of_the_sum() {
    let mut random = Random(15);
    for rank in 1..=3 {
        for format in formats(rank) {
            let shape = shape(&mut random, rank, 1);
            let (a, mut b) = (tensor(&mut random, &shape), tensor(&mut random, &shape));
            // Some entries cancel.
            b.data.iter_mut().for_each(|value| *value = -*value);
            let data = a.data.iter().zip(&b.data).map(|(a, b)| a + b).collect();
            let sum = Dense { shape, data };
            let mut entries = Coordinates::of_dense(&a, 0);
            let more = Coordinates::of_dense(&b, 0);
            entries.columns.iter_mut().zip(more.columns).for_each(|(column, more)| column.extend(more));
            entries.values.extend(more.values);
            let duplicates = atl_formats::Duplicates::Add(|a, b| a + b);
            let rules = Rules { order: Order::Sort, duplicates, zeros: Zeros::Drop };
            let packed = pack(&format, entries, 0, &rules).unwrap();
            let defined = compress(packed.instance(), &sum, 0).unwrap();
            assert_eq!(
                (packed.metadata(), packed.values()),
                (defined.metadata(), defined.values()),
                "{format}"
            );
        }
    }
}

#[test]
fn zeros_that_are_kept_are_well_formed() {
    let mut random = Random(16);
    for rank in 1..=3 {
        for format in formats(rank) {
            let shape = shape(&mut random, rank, 1);
            let tensor = tensor(&mut random, &shape);
            let mut entries = Coordinates::of_dense(&tensor, 99);
            let kept: Vec<usize> = (0..entries.values.len()).filter(|_| random.below(3) > 0).collect();
            entries.values = kept.iter().map(|at| entries.values[*at]).collect();
            for column in &mut entries.columns {
                *column = kept.iter().map(|at| column[*at]).collect();
            }
            let rules = Rules { order: Order::Sort, ..Rules::default() };
            let mut expected = Dense::filled(&shape, 0).unwrap();
            for entry in 0..entries.values.len() {
                let place = expected.place(&entries.coordinate(entry));
                expected.data[place] = entries.values[entry];
            }
            let packed = pack(&format, entries, 0, &rules).unwrap();
            atl_formats::validate(packed.instance(), packed.metadata(), packed.values().len()).unwrap();
            assert_eq!(decompress(&packed).unwrap(), expected, "{format}");
        }
    }
}

#[test]
fn compressed_formats_are_canonical() {
    let mut random = Random(10);
    for text in ["csr", "dcsr", "coo", "csc"] {
        let format = Format::parse(text, 2).unwrap();
        for _ in 0..100 {
            let tensor = tensor(&mut random, &[4, 5]);
            let mut entries = Coordinates::of_dense(&tensor, 0);
            // A random order, with zeros among them that are dropped.
            entries.columns[0].push(0);
            entries.columns[1].push(0);
            entries.values.push(0);
            for at in (1..entries.values.len()).rev() {
                let other = random.below(at + 1);
                entries.values.swap(at, other);
                entries.columns.iter_mut().for_each(|column| column.swap(at, other));
            }
            let duplicates = atl_formats::Duplicates::Add(|a, b| a + b);
            let rules = Rules { order: Order::Sort, duplicates, zeros: Zeros::Drop };
            let packed = pack(&format, entries, 0, &rules).unwrap();
            let defined = compress(packed.instance(), &tensor, 0).unwrap();
            assert_eq!((packed.metadata(), packed.values()), (defined.metadata(), defined.values()));
        }
    }
}
