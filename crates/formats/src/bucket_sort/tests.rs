//! Buckets of every length, at every place of a window, beside a sort by comparison that keeps the order of
//! equal entries.

use super::{Buckets, Equal, LONGEST, WINDOW, sort};
use crate::{Coordinates, Format, Order, Refusal};

/// Random numbers that are the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Points in order.
fn points(random: &mut Random, shape: &[usize], count: usize) -> Vec<Vec<i64>> {
    let mut point = || shape.iter().map(|n| random.below(*n) as i64).collect();
    let mut points: Vec<Vec<i64>> = (0..count).map(|_| point()).collect();
    points.sort();
    points
}

/// Entries at these points; values say where they stand.
fn entries(shape: &[usize], points: &[Vec<i64>]) -> Coordinates<u64> {
    let columns = (0..shape.len()).map(|d| points.iter().map(|point| point[d]).collect()).collect();
    Coordinates { shape: shape.to_vec(), columns, values: (0..points.len() as u64).collect() }
}

/// Sorts entries, and compares them with those that a comparison sorts.
fn check(shape: &[usize], points: &[Vec<i64>], expected: Option<Equal>, what: &str) {
    let format = Format::parse("coo", shape.len()).unwrap();
    let mut found = entries(shape, points);
    let became = sort(format.reshape(), &mut found, Order::Sort).unwrap();
    let mut sorted: Vec<u64> = (0..points.len() as u64).collect();
    sorted.sort_by_key(|entry| &points[*entry as usize]);
    match expected {
        Some(equal) => {
            assert_eq!(became, Buckets::Sorted(equal), "{what}");
            assert_eq!(found.values, sorted, "{what}");
            let points: Vec<Vec<i64>> = sorted.iter().map(|entry| points[*entry as usize].clone()).collect();
            assert_eq!(found.columns, entries(shape, &points).columns, "{what}");
        }
        None => {
            assert_eq!(became, Buckets::Long, "{what}");
            crate::sort::sort(&format, &mut found).unwrap();
            assert_eq!(found.values, sorted, "{what}, sorted otherwise");
        }
    }
}

fn equal(points: &[Vec<i64>]) -> Equal {
    if points.windows(2).any(|pair| pair[0] == pair[1]) { Equal::Some } else { Equal::None }
}

/// Shapes of all ranks: with many equal points, with few, and with coordinates that no number of 64 bits
/// holds together.
const SHAPES: [&[usize]; 8] = [
    &[9],
    &[1 << 40],
    &[40, 40],
    &[1 << 50, 1 << 50],
    &[1, 1 << 62],
    &[5, 1 << 61, 3],
    &[30, 20, 10, 50],
    &[1 << 17, 1 << 17, 1 << 17, 1 << 17],
];

#[test]
fn entries_in_short_buckets_are_sorted() {
    let mut random = Random(1);
    for shape in SHAPES {
        for count in [0, 1, 2, 100, WINDOW, WINDOW + 1, 2 * WINDOW + 5] {
            let sorted = points(&mut random, shape, count);
            let equal = equal(&sorted);
            check(shape, &sorted, Some(equal), &format!("{count} in order, {shape:?}"));
            for longest in [16, LONGEST] {
                let mut near = sorted.clone();
                for bucket in near.chunks_mut(longest) {
                    (1..bucket.len()).for_each(|at| bucket.swap(at, random.below(at + 1)));
                }
                check(shape, &near, Some(equal), &format!("{count} in buckets of {longest}, {shape:?}"));
            }
        }
    }
}

#[test]
fn a_bucket_that_is_too_long_is_left_to_others() {
    let mut random = Random(2);
    for shape in [&[1 << 40][..], &[1 << 20, 1 << 20]] {
        let sorted = points(&mut random, shape, 2 * WINDOW);
        assert_eq!(equal(&sorted), Equal::None);
        for start in [0, 1, WINDOW - LONGEST - 1, WINDOW - LONGEST, WINDOW - 1, 2 * WINDOW - LONGEST - 1] {
            for (len, expected) in [(LONGEST, Some(Equal::None)), (LONGEST + 1, None), (WINDOW, None)] {
                let mut points = sorted.clone();
                let len = len.min(points.len() - start);
                points[start..start + len].reverse();
                check(shape, &points, expected, &format!("{len} from {start}, {shape:?}"));
            }
        }
    }
}

#[test]
fn what_comes_late_is_left_to_others() {
    let mut random = Random(3);
    let shape = [1 << 20, 1 << 20];
    let mut points = points(&mut random, &shape, 2 * WINDOW);
    points.rotate_left(1);
    check(&shape, &points, None, "the first comes last");
    let mut equal: Vec<Vec<i64>> = vec![vec![1, 0]; 2 * WINDOW];
    check(&shape, &equal, Some(Equal::Some), "equal ones");
    equal.push(vec![0, 7]);
    check(&shape, &equal, None, "the last one is below equal ones");
}

#[test]
fn entries_out_of_order_are_refused_if_they_should_be_in_order() {
    let mut random = Random(4);
    let (shape, format) = ([40, 1 << 20], Format::parse("coo", 2).unwrap());
    let sorted = points(&mut random, &shape, 2 * WINDOW);
    for late in [1, 2, WINDOW - LONGEST, WINDOW - 1, WINDOW, 2 * WINDOW - 1] {
        let mut points = sorted.clone();
        points.swap(late - 1, late);
        let mut found = entries(&shape, &points);
        let refusal = sort(format.reshape(), &mut found, Order::Sorted).unwrap_err();
        assert_eq!(refusal, Refusal::Unsorted { entry: late });
        assert_eq!(found.values, entries(&shape, &points).values);
    }
    let equal = vec![vec![3, 4]; WINDOW + 9];
    let found = sort(format.reshape(), &mut entries(&shape, &equal), Order::Sorted);
    assert_eq!(found.unwrap(), Buckets::Sorted(Equal::Some));
}

#[test]
fn blocks_and_diagonals_are_sorted_by_their_axes() {
    let mut random = Random(5);
    for (text, by) in [
        ("bcsr(4, 3)", (|i, j| vec![i / 4, j / 3, i % 4, j % 3]) as fn(i64, i64) -> Vec<i64>),
        ("csb(8, 8)", |i, j| vec![i / 8, j / 8, i % 8, j % 8]),
        ("dia", |i, j| vec![j - i + 2999, i.min(j)]),
    ] {
        let format = Format::parse(text, 2).unwrap();
        let shape = [3000, 70];
        let mut points = points(&mut random, &shape, 2 * WINDOW);
        points.dedup();
        let mut found = entries(&shape, &points);
        found.columns = format.reshape().seated(found.columns, &shape).unwrap();
        if sort(format.reshape(), &mut found, Order::Sort).unwrap() == Buckets::Long {
            crate::sort::sort(&format, &mut found).unwrap();
        }
        let mut expected: Vec<(Vec<i64>, u64)> =
            points.iter().zip(0..).map(|(point, entry)| (by(point[0], point[1]), entry)).collect();
        expected.sort();
        let found = (0..points.len()).map(|at| (found.coordinate(at), found.values[at]));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
    }
}
