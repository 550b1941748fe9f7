//! Passes over arrays beside the evaluation at each point.

use super::super::program::Program;
use super::*;
use crate::parse_kernel;

/// What formats require, and more of the same forms; `pos` rises from 0 to `Z`, or nearly.
const REQUIREMENTS: &[&str] = &[
    "q in 0..N + 1 { 0 <= pos[q] && pos[q] <= Z }",
    "q in 0..N { pos[q] <= pos[q + 1] }",
    "p in 0..Z { 0 <= crd[p] && crd[p] < M }",
    "p in 0..Z { 0 - 1 <= wide[p] && wide[p] < M + 3000000000 }",
    "q in 0..N, p in pos[q]..pos[q + 1] { crd[p] < M }",
    "q in 0..N, p in pos[q]..pos[q + 1] - 1 { crd[p] < crd[p + 1] }",
    "q in 0..N, p in pos[q]..pos[q + 1] - 1 { wide[p] <= wide[p + 1] }",
    "q in 0..N, p in pos[q]..pos[q + 1] - 1 { crd[p] * M + on[p] < crd[p + 1] * M + on[p + 1] }",
    "q in 0..N, p in pos[q]..pos[q + 1] - 1 { crd[p] != 7 }",
    "q in 1..N, p in pos[q]..pos[q + 1] { q <= crd[p] + 9 }",
    "p in 0..Z + 1 { crd[p] < 1000 }",
    "p in 0..Z { on[p] == 1 || crd[p] < 5 }",
];

/// Does a requirement hold that stands alone?
fn alone(requirement: &ForAll, sizes: &[(&Name, i64)], inputs: &BTreeMap<Name, Integers<'_>>) -> bool {
    let known = known(std::slice::from_ref(requirement), sizes, inputs);
    holds(requirement, sizes, inputs, &known)
}

/// A source of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n.max(1)) as i64
    }
}

/// Segments whose coordinates increase, with a few faults.
fn arrays(numbers: &mut Numbers, n: usize, m: i64, faults: i64) -> (Vec<i64>, Vec<i32>) {
    let (mut pos, mut crd) = (vec![0i64], Vec::new());
    for _ in 0..n {
        let mut next = 0;
        while numbers.below(4) > 0 && next < m {
            next += numbers.below(3);
            crd.push(next.min(m - 1) as i32);
            next += 1;
        }
        pos.push(crd.len() as i64);
    }
    for _ in 0..faults {
        let (at, to) = (numbers.below(pos.len() as u64), numbers.below(12) - 2);
        match crd.is_empty() || numbers.below(3) == 0 {
            true => pos[at as usize] = to,
            false => {
                let at = numbers.below(crd.len() as u64) as usize;
                crd[at] = to as i32;
            }
        }
    }
    (pos, crd)
}

#[test]
fn what_passes_find_to_hold_holds_at_each_point() {
    let (mut held, mut refused) = (vec![0; REQUIREMENTS.len()], 0);
    for seed in 0..3000u64 {
        let mut numbers = Numbers(seed);
        let (n, m) = (numbers.below(6) as usize + 1, numbers.below(9) + 1);
        let faults = numbers.below(3);
        let (pos, crd) = arrays(&mut numbers, n, m, faults);
        let wide: Vec<i64> = crd.iter().map(|c| i64::from(*c)).collect();
        let on: Vec<u8> = crd.iter().map(|_| numbers.below(2) as u8).collect();
        let inputs = BTreeMap::from([
            (Name::new("pos"), Integers::I64(&pos)),
            (Name::new("crd"), Integers::I32(&crd)),
            (Name::new("wide"), Integers::I64(&wide)),
            (Name::new("on"), Integers::U8(&on)),
        ]);
        for (k, text) in REQUIREMENTS.iter().enumerate() {
            let head = "in i64 pos[N + 1] in i32 crd[Z] in i64 wide[Z] in u8 on[Z]";
            let kernel = parse_kernel(&format!("kernel t(N, M, Z) {head} requires all {text} {{ }}"));
            let kernel = kernel.unwrap_or_else(|error| panic!("{error}\n{text}"));
            let values = [n as i64, m, crd.len() as i64];
            let sizes: Vec<(&Name, i64)> = kernel.sizes.iter().zip(values).collect();
            let requirement = &kernel.requires_all[0];
            let expected = Program::new(requirement, &sizes, &inputs).run().is_none();
            let found = alone(requirement, &sizes, &inputs);
            assert!(expected || !found, "seed {seed}: {text}\npos {pos:?}\ncrd {crd:?}");
            held[k] += usize::from(found);
            refused += usize::from(!expected);
            // Where nothing is wrong with the arrays, what formats require is found to hold.
            assert!(faults > 0 || k > 6 || found, "seed {seed}: {text}\npos {pos:?}\ncrd {crd:?}");
        }
    }
    assert!(held[..8].iter().all(|count| *count > 1000), "{held:?}");
    assert!(refused > 1000, "{refused}");
}

/// The ends of both types, and numbers beside them.
#[test]
fn signs_say_what_comparisons_say() {
    let ends = |least: i64, greatest: i64| {
        let near = |n: i64| [n.saturating_sub(1), n, n.saturating_add(1)];
        [least, least / 2, -1, 0, 1, 5, greatest / 2, greatest].into_iter().flat_map(near).collect::<Vec<_>>()
    };
    let head = "kernel t(N) in i32 crd[1] in i64 wide[1] requires all p in 0..1";
    let (mut held, mut refused) = (0, 0);
    for (array, values) in
        [("crd", ends(i32::MIN.into(), i32::MAX.into())), ("wide", ends(i64::MIN, i64::MAX))]
    {
        for (op, n) in ends(i64::MIN, i64::MAX).into_iter().flat_map(|n| [("<", n), ("<=", n)]) {
            let text = format!("{head} {{ 0 <= {array}[p] && {array}[p] {op} N }} {{ }}");
            let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            for value in &values {
                let narrow = i32::try_from(*value).unwrap_or(0);
                let inputs = BTreeMap::from([
                    (Name::new("crd"), Integers::I32(std::slice::from_ref(&narrow))),
                    (Name::new("wide"), Integers::I64(std::slice::from_ref(value))),
                ]);
                let value = if array == "crd" { narrow.into() } else { *value };
                let expected = 0 <= value && (value < n || (op == "<=" && value == n));
                let found = alone(&kernel.requires_all[0], &[(&kernel.sizes[0], n)], &inputs);
                assert_eq!(found, expected, "{text}: {value}, N = {n}");
                held += usize::from(found);
                refused += usize::from(!found);
            }
        }
    }
    assert!(held > 100 && refused > 100, "{held} {refused}");
}

#[test]
fn points_without_cells_are_not_counted() {
    let text = "kernel t(N) in i64 pos[N + 1] requires all q in 0..N, p in pos[q]..pos[q + 1] { p < 5 } { }";
    let kernel = parse_kernel(text).expect("it parses");
    let pos = [0, i64::MAX / 4];
    let inputs = BTreeMap::from([(Name::new("pos"), Integers::I64(&pos))]);
    assert!(!alone(&kernel.requires_all[0], &[(&kernel.sizes[0], 1)], &inputs));
}

/// What formats require, of arrays with faults: each alone, and beside those from whose pass it may follow.
#[test]
fn what_follows_from_increasing_segments_holds_at_each_point() {
    let texts = [
        "q in 0..N + 1 { 0 <= pos[q] && pos[q] <= Z }",
        "q in 0..N { pos[q] <= pos[q + 1] }",
        "p in 0..Z { 0 <= crd[p] && crd[p] < M }",
        "p in 0..Z { 0 <= wide[p] && wide[p] <= M }",
        "q in 0..N, p in pos[q]..pos[q + 1] - 1 { crd[p] < crd[p + 1] }",
        "q in 0..N, p in pos[q]..pos[q + 1] - 1 { wide[p] < wide[p + 1] }",
    ];
    let all: Vec<String> = texts.iter().map(|text| format!("requires all {text}")).collect();
    let head = "kernel t(N, M, Z) in i64 pos[N + 1] in i32 crd[Z] in i64 wide[Z]";
    let kernel = parse_kernel(&format!("{head} {} {{ }}", all.join(" "))).expect("it parses");
    let (mut held, mut refused, mut followed) = (0, 0, 0);
    for seed in 0..6000u64 {
        let mut numbers = Numbers(seed);
        let (n, m) = (numbers.below(6) as usize + 1, numbers.below(9) + 1);
        let faults = numbers.below(3);
        let (pos, crd) = arrays(&mut numbers, n, m, faults);
        let wide: Vec<i64> = crd.iter().map(|c| i64::from(*c)).collect();
        let inputs = BTreeMap::from([
            (Name::new("pos"), Integers::I64(&pos)),
            (Name::new("crd"), Integers::I32(&crd)),
            (Name::new("wide"), Integers::I64(&wide)),
        ]);
        // Bounds of cells are those of another size, too.
        let values = [n as i64, m - numbers.below(2), crd.len() as i64];
        let sizes: Vec<(&Name, i64)> = kernel.sizes.iter().zip(values).collect();
        let known = known(&kernel.requires_all, &sizes, &inputs);
        followed += usize::from(known.0.len() == 2);
        for requirement in &kernel.requires_all {
            let expected = Program::new(requirement, &sizes, &inputs).run().is_none();
            let found = holds(requirement, &sizes, &inputs, &known);
            assert!(expected || !found, "seed {seed}: {requirement:?}\npos {pos:?}\ncrd {crd:?}");
            held += usize::from(found);
            refused += usize::from(!expected);
            // What holds is found to, where nothing is wrong with the arrays.
            assert!(faults > 0 || found == expected, "seed {seed}: {requirement:?}");
        }
    }
    assert!(held > 10_000 && refused > 1000 && followed > 2000, "{held} {refused} {followed}");
}
