//! What is stored is what is read back: by definition, by packing, and through conversions.

use crate::cases::{Random, formats, random_format, shape, tensor};
use atl_formats::oracle::{compress, decompress};
use atl_formats::{
    Coordinates, Dense, Duplicates, Format, Order, Refusal, Rules, Sparse, Zeros, pack, validate,
};

const SORTED: fn() -> Rules<i64> = || Rules { order: Order::Sort, ..Rules::default() };

fn packed(format: &Format, tensor: &Dense<i64>) -> Sparse<i64> {
    pack(format, Coordinates::of_dense(tensor, 0), 0, &SORTED()).unwrap()
}

/// Formats with the axes of a matrix's diagonals refuse matrices without elements.
fn has_diagonals(format: &Format) -> bool {
    format.to_string().contains(" - ")
}

#[test]
fn every_format_stores_every_tensor() {
    let mut random = Random(3);
    for rank in 1..=4 {
        for format in formats(rank) {
            for _ in 0..25 {
                let low = usize::from(has_diagonals(&format));
                let shape = shape(&mut random, rank, low);
                let tensor = tensor(&mut random, &shape);
                let packed = packed(&format, &tensor);
                assert_eq!(decompress(&packed).unwrap(), tensor, "{format}");
                let defined = compress(packed.instance(), &tensor, 0).unwrap();
                assert_eq!(decompress(&defined).unwrap(), tensor, "{format} by definition");
                let entries = packed.clone().unpack(Zeros::Drop).unwrap();
                let again = pack(&Format::parse("coo", rank).unwrap(), entries, 0, &SORTED()).unwrap();
                assert_eq!(
                    again.unpack(Zeros::Keep).unwrap(),
                    Coordinates::of_dense(&tensor, 0),
                    "{format} unpacked"
                );
            }
        }
    }
}

#[test]
fn every_list_of_levels_stores_every_tensor() {
    let mut random = Random(17);
    for round in 0..1000 {
        let rank = 1 + round % 4;
        let format = random_format(&mut random, rank);
        assert_eq!(Format::parse(&format.to_string(), rank).as_ref(), Ok(&format));
        let shape = shape(&mut random, rank, usize::from(has_diagonals(&format)));
        let tensor = tensor(&mut random, &shape);
        let packed = packed(&format, &tensor);
        validate(packed.instance(), packed.metadata(), packed.values().len()).unwrap();
        assert_eq!(decompress(&packed).unwrap(), tensor, "{format}");
        let defined = compress(packed.instance(), &tensor, 0).unwrap();
        assert_eq!((packed.metadata(), packed.values()), (defined.metadata(), defined.values()), "{format}");
        let back = packed.clone().convert(&Format::parse("coo", rank).unwrap(), Zeros::Drop).unwrap();
        assert_eq!(back.unpack(Zeros::Keep).unwrap(), Coordinates::of_dense(&tensor, 0), "{format}");
    }
}

#[test]
fn a_scalar_is_a_tensor() {
    let scalar = Dense { shape: vec![], data: vec![7] };
    let packed = packed(&Format::parse("dense", 0).unwrap(), &scalar);
    assert_eq!(decompress(&packed).unwrap(), scalar);
    assert_eq!(packed.clone().unpack(Zeros::Keep).unwrap().values, [7]);
}

#[test]
fn every_format_becomes_every_other() {
    let mut random = Random(4);
    for rank in 1..=3 {
        let formats = formats(rank);
        for from in &formats {
            let shape = shape(&mut random, rank, 1);
            let tensor = tensor(&mut random, &shape);
            let source = packed(from, &tensor);
            for to in &formats {
                let converted = source.clone().convert(to, Zeros::Drop).unwrap();
                assert_eq!(decompress(&converted).unwrap(), tensor, "{from} to {to}");
                let kept = source.clone().convert(to, Zeros::Keep).unwrap();
                assert_eq!(decompress(&kept).unwrap(), tensor, "{from} to {to}, with zeros");
            }
        }
    }
}

#[test]
fn every_bit_of_a_value_is_kept() {
    let values = [-0.0, f64::NAN, f64::from_bits(0x7ff8_0000_0000_0001), 5e-324, f64::NEG_INFINITY];
    let tensor = Dense { shape: vec![1, 7], data: [&[0.0][..], &values, &[0.0]].concat() };
    for format in formats(2) {
        let entries = Coordinates::of_dense(&tensor, 0.0);
        let stored = pack(&format, entries, 0.0, &Rules { order: Order::Sort, ..Rules::default() }).unwrap();
        let back = decompress(&stored).unwrap();
        let bits = |data: &[f64]| data.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
        assert_eq!(bits(&back.data), bits(&tensor.data), "{format}");
    }
}

#[test]
fn zero_is_what_the_algebra_says() {
    let far = f64::INFINITY;
    let tensor = Dense { shape: vec![2, 2], data: vec![far, 0.0, 3.0, far] };
    let csr =
        pack(&Format::parse("csr", 2).unwrap(), Coordinates::of_dense(&tensor, far), far, &Rules::default());
    let csr = csr.unwrap();
    assert_eq!(csr.values(), [0.0, 3.0]);
    assert_eq!(decompress(&csr).unwrap(), tensor);
}

#[test]
fn entries_are_sorted_added_and_dropped_as_asked() {
    let entries = || Coordinates {
        shape: vec![2, 3],
        columns: vec![vec![1, 0, 1, 0], vec![2, 1, 2, 0]],
        values: vec![4, 0, 5, 2],
    };
    let csr = Format::parse("csr", 2).unwrap();
    let pack = |rules: Rules<i64>| pack(&csr, entries(), 0, &rules);
    assert_eq!(pack(Rules::default()).unwrap_err(), Refusal::Unsorted { entry: 1 });
    let refusal = pack(Rules { order: Order::Sort, ..Rules::default() }).unwrap_err();
    assert_eq!(refusal, Refusal::Duplicate { coordinate: vec![1, 2] });
    let add = Duplicates::Add(|a, b| a + b);
    let kept = pack(Rules { order: Order::Sort, duplicates: add, zeros: Zeros::Keep }).unwrap();
    assert_eq!(kept.metadata()[1].arrays, [vec![0, 2, 3], vec![0, 1, 2]]);
    assert_eq!(kept.values(), [2, 0, 9]);
    let dropped = pack(Rules { order: Order::Sort, duplicates: add, zeros: Zeros::Drop }).unwrap();
    assert_eq!(dropped.metadata()[1].arrays, [vec![0, 1, 2], vec![0, 2]]);
    assert_eq!(dropped.values(), [2, 9]);
}

#[test]
fn entries_that_do_not_fit_are_refused() {
    let pack = |format: &str, shape: &[usize], columns: Vec<Vec<i64>>| {
        let values = vec![1; columns.first().map_or(1, Vec::len)];
        let entries = Coordinates { shape: shape.to_vec(), columns, values };
        let refusal = pack(&Format::parse(format, shape.len()).unwrap(), entries, 0, &SORTED());
        refusal.unwrap_err().to_string()
    };
    let check = |format: &str, shape: &[usize], columns: Vec<Vec<i64>>, expected: &str| {
        assert_eq!(pack(format, shape, columns), expected);
    };
    check(
        "csr",
        &[2, 3],
        vec![vec![0, 2], vec![0, 0]],
        "entry 1: coordinate 2 of dimension 0 is not in 0..2",
    );
    check("csr", &[2, 3], vec![vec![0], vec![-1]], "entry 0: coordinate -1 of dimension 1 is not in 0..3");
    check("csr", &[2, 3], vec![vec![0], vec![0, 1]], "dimension 1 has 2 coordinates, for 1 values");
    let full = "ell has no space for coordinate [2] of parent 0: it has 1 places";
    check("ell(1)", &[1, 3], vec![vec![0, 0], vec![0, 2]], full);
    let full = "hash has no space for coordinate [1, 2] of parent 0: its 1 slots are taken";
    check("hash(1)", &[2, 3], vec![vec![0, 1], vec![0, 2]], full);
    let second = "singleton has no space for coordinate [2] of parent 0: a parent has one coordinate";
    check("[dense, singleton]", &[1, 3], vec![vec![0, 0], vec![0, 2]], second);
    let wide = 1 << 40;
    let refused = "1 parents with 1099511627776 positions each is too large";
    assert_eq!(
        pack("[dense, dense]", &[wide, wide], vec![vec![0], vec![0]])
            .replace("1099511627776 parents", "1 parents"),
        refused
    );
    let flat = "the flattened box [1099511627776, 1099511627776] is too large";
    check("hash(4)", &[wide, wide], vec![vec![0], vec![0]], flat);
    let widest = i64::MAX as usize;
    let last = widest as i64 - 1;
    check("dia", &[widest, widest], vec![vec![0], vec![last]], "the number of diagonals is too large");
    check(
        "csr",
        &[usize::MAX, 3],
        vec![vec![0], vec![0]],
        &format!("the extent {} is too large", usize::MAX),
    );
}

#[test]
fn coordinates_that_no_integer_numbers_are_stored_as_tuples() {
    let wide = 1 << 60;
    let last = wide as i64 - 1;
    let entries = || Coordinates {
        shape: vec![wide; 2],
        columns: vec![vec![0, last], vec![last, last]],
        values: vec![1, 2],
    };
    let coo = pack(&Format::parse("coo", 2).unwrap(), entries(), 0, &SORTED()).unwrap();
    assert_eq!(coo.metadata()[0].arrays, [vec![0, 2], vec![0, last], vec![last, last]]);
    assert_eq!(coo.clone().unpack(Zeros::Keep).unwrap(), entries());
    assert_eq!(coo.instance().levels()[0].crd_pos(&coo.metadata()[0], 0, (1 << 120) - 1), Some(1));
}

#[test]
fn what_memory_cannot_hold_is_refused() {
    let wide = 1 << 45;
    let entries = || Coordinates { shape: vec![wide], columns: vec![vec![7]], values: vec![1] };
    for format in ["dense", "bitmask", "[rankmask]", "[ell(100000000000000)]", "hash(100000000000000)"] {
        let refusal = pack(&Format::parse(format, 1).unwrap(), entries(), 0, &SORTED()).unwrap_err();
        assert!(matches!(refusal, Refusal::TooLarge { .. }), "{format}: {refusal}");
    }
    // One run of zeros, stored in a few bytes.
    let runs = pack(&Format::parse("[rle]", 1).unwrap(), entries(), 0, &SORTED()).unwrap();
    assert_eq!(runs.values(), [0, 1, 0]);
    assert!(matches!(runs.unpack(Zeros::Keep), Err(Refusal::TooLarge { .. })));
    for level in ["bitmask", "rankmask", "hash(0)", "ell(0)", "band", "rle"] {
        // No entries, whatever the number of parents.
        let none = Coordinates { shape: vec![wide, 0], columns: vec![vec![]; 2], values: Vec::<i64>::new() };
        let format = Format::parse(&format!("[dense, {level}]"), 2).unwrap();
        let refused = pack(&format, none, 0, &SORTED()).is_err();
        assert_eq!(refused, ["band", "rle"].contains(&level), "{level}");
    }
    // No values, whatever the number of parents.
    let none = Coordinates { shape: vec![wide, 0], columns: vec![vec![]; 2], values: Vec::<i64>::new() };
    let none = pack(&Format::parse("dense", 2).unwrap(), none, 0, &SORTED()).unwrap();
    assert_eq!(none.unpack(Zeros::Keep).unwrap().values, []);
}

#[test]
fn long_lists_become_formats_and_come_back() {
    let mut random = Random(19);
    for shape in [[500, 700], [70_000, 3], [1, 90_000]] {
        let size = shape[0] * shape[1];
        let mut places: Vec<usize> = (0..30_000).map(|_| random.below(size)).collect();
        places.sort_unstable();
        places.dedup();
        let column = |of: fn(usize, usize) -> usize| places.iter().map(|p| of(*p, shape[1]) as i64).collect();
        let entries = Coordinates {
            shape: shape.to_vec(),
            columns: vec![column(|p, n| p / n), column(|p, n| p % n)],
            values: (1..=places.len() as i64).collect(),
        };
        let coo = Format::parse("coo", 2).unwrap();
        let source = pack(&coo, entries.clone(), 0, &Rules::default()).unwrap();
        for format in ["csc", "bcsr(4, 4)", "bcsr(3, 5)", "csb(64, 16)", "[dense, hash]", "hash", "ell"] {
            let format = Format::parse(format, 2).unwrap();
            let stored = source.clone().convert(&format, Zeros::Keep).unwrap();
            validate(stored.instance(), stored.metadata(), stored.values().len()).unwrap();
            let back = stored.convert(&coo, Zeros::Drop).unwrap();
            assert_eq!(back.unpack(Zeros::Keep).unwrap(), entries, "{format}, {shape:?}");
        }
    }
}

#[test]
fn equal_entries_are_added_in_their_order_wherever_they_stand() {
    let mut random = Random(20);
    // The sum of some numbers says in which order they were added.
    let add = || Duplicates::Add(|a: i64, b| a.wrapping_mul(31).wrapping_add(b));
    for near in [1, 40, 3000] {
        let points: Vec<[i64; 2]> = (0..20_000).map(|at| [at / 40, at % 3]).collect();
        let mut order: Vec<usize> = (0..points.len()).collect();
        for piece in order.chunks_mut(near) {
            (1..piece.len()).for_each(|at| piece.swap(at, random.below(at + 1)));
        }
        let mut expected = std::collections::BTreeMap::new();
        for entry in &order {
            let value = 1 + *entry as i64;
            let add = |sum: &mut i64| *sum = sum.wrapping_mul(31).wrapping_add(value);
            expected.entry(points[*entry]).and_modify(add).or_insert(value);
        }
        let entries = Coordinates {
            shape: vec![500, 3],
            columns: (0..2).map(|d| order.iter().map(|entry| points[*entry][d]).collect()).collect(),
            values: order.iter().map(|entry| 1 + *entry as i64).collect(),
        };
        for format in ["csr", "csc", "bcsr(4, 2)", "[dense, hash]"] {
            let rules = Rules { duplicates: add(), ..SORTED() };
            let packed = pack(&Format::parse(format, 2).unwrap(), entries.clone(), 0, &rules).unwrap();
            let csr = packed.convert(&Format::parse("csr", 2).unwrap(), Zeros::Drop).unwrap();
            let sums: Vec<i64> = expected.values().copied().collect();
            assert_eq!(csr.values(), sums, "{format}, in pieces of {near}");
        }
    }
}

#[test]
fn no_shape_panics() {
    let mut random = Random(18);
    let mut stored = 0;
    for round in 0..800 {
        let rank = 1 + round % 4;
        let format = random_format(&mut random, rank);
        let extents = [1, 5, 1 << 45, 1 << 62, i64::MAX as usize];
        let shape: Vec<usize> = (0..rank).map(|_| *random.pick(&extents)).collect();
        let ends = |random: &mut Random, n: usize| *random.pick(&[0, n - 1, n / 2]) as i64;
        let columns = shape.iter().map(|n| (0..3).map(|_| ends(&mut random, *n)).collect()).collect();
        let entries = Coordinates { shape, columns, values: vec![1, 2, 3] };
        let rules = || Rules { duplicates: Duplicates::Add(|a, b| a + b), ..SORTED() };
        let csf = Format::parse("csf", rank).unwrap();
        let expected = pack(&csf, entries.clone(), 0, &rules()).unwrap().unpack(Zeros::Keep).unwrap();
        let Ok(packed) = pack(&format, entries, 0, &rules()) else { continue };
        // Runs of zeros may be too long to be written out.
        if let Ok(back) = packed.convert(&csf, Zeros::Drop) {
            assert_eq!(back.unpack(Zeros::Keep).unwrap(), expected, "{format}");
            stored += 1;
        }
    }
    assert!(stored > 50, "{stored}");
}
