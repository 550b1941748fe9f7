//! The ranges that are inferred for random Tensor Comprehensions are those that counting finds.
//!
//! At sizes that are numbers every value of an index is tried: it is in the range if with it the read is inside for all values of
//! the indices that are known. What the guard says there, ranges included, is compared with that; and what it calls safe for
//! all sizes is so at each of them.

use atl_driver::bounds_check::check as guard;
use atl_testkit::choices::Choices;
use std::collections::BTreeMap;

const KERNELS: u64 = 500;
const LARGEST: i64 = 5;
/// No value of an index is as far from 0 as that.
const FAR: i64 = 40;

/// So many times `i` and `k`, and `N`, and a number; with how it is written.
type Affine = ([i64; 2], i64, i64, &'static str);

const INDICES: [Affine; 14] = [
    ([1, 0], 0, 0, "i"),
    ([1, 0], 0, 0, "i"),
    ([0, 1], 0, 0, "k"),
    ([0, 1], 0, 0, "k"),
    ([1, 1], 0, 0, "i + k"),
    ([1, 0], 0, 1, "i + 1"),
    ([1, 0], 0, -1, "i - 1"),
    ([2, 0], 0, 0, "2 * i"),
    ([2, 0], 0, 1, "2*i + 1"),
    ([2, 1], 0, 0, "2*i + k"),
    ([-1, 0], 1, -1, "N - 1 - i"),
    ([0, 1], 0, 2, "k + 2"),
    ([1, -1], 0, 2, "i - k + 2"),
    ([0, 0], 0, 1, "1"),
];

struct Kernel {
    /// Tensors with their sizes, and at which indices each is read.
    reads: Vec<(&'static str, Vec<&'static str>, Vec<Affine>)>,
    /// The end of the range of `k`, if it is stated.
    stated: Option<i64>,
}

/// What counting finds.
struct Counted {
    ranges: BTreeMap<usize, (i64, i64)>,
    outside: bool,
    part: bool,
}

impl Kernel {
    fn random(choices: &mut Choices) -> Kernel {
        let mut reads = Vec::new();
        for tensor in ["A", "B", "C"].into_iter().take(1 + choices.below(3)) {
            let dimensions = 1 + choices.below(2);
            let sizes = (0..dimensions).map(|_| *choices.of(&["N", "N", "M", "3"])).collect();
            let indices = (0..dimensions).map(|_| *choices.of(&INDICES)).collect();
            reads.push((tensor, sizes, indices));
        }
        Kernel { reads, stated: choices.one_in(5).then(|| 1 + choices.below(3) as i64) }
    }

    fn moves(&self, index: usize) -> bool {
        self.reads.iter().any(|(.., indices)| indices.iter().any(|affine| affine.0[index] != 0))
    }

    /// The text, with these for the sizes.
    fn text(&self, n: &str, m: &str) -> String {
        let named = |size: &&str| match *size {
            "N" => n.to_owned(),
            "M" => m.to_owned(),
            other => other.to_owned(),
        };
        let list = |parts: Vec<String>| parts.join(", ");
        let tensors = self
            .reads
            .iter()
            .map(|(tensor, sizes, _)| format!("float({}) {tensor}", list(sizes.iter().map(named).collect())));
        let reads = self.reads.iter().map(|(tensor, _, indices)| {
            let indices = indices.iter().map(|affine| affine.3.replace('N', n)).collect();
            format!("{tensor}({})", list(indices))
        });
        let stated = self.stated.filter(|_| self.moves(1));
        let stated = stated.map_or(String::new(), |to| format!(" where k in 0:{to}"));
        let (tensors, reads) = (list(tensors.collect()), reads.collect::<Vec<_>>().join(" * "));
        format!("def f({tensors}, float({n}, {m}) Z) -> (y) {{ y(i) +=! {reads}{stated} }}")
    }

    /// Nothing if an index is never the only one that is not known.
    fn counted(&self, n: i64, m: i64) -> Option<Counted> {
        let size = |size: &str| match size {
            "N" => n,
            "M" => m,
            number => number.parse().expect("it is a number"),
        };
        let place = |(by, sizes, constant, _): &Affine, at: [i64; 2]| {
            by[0] * at[0] + by[1] * at[1] + sizes * n + constant
        };
        let mut ranges: BTreeMap<usize, (i64, i64)> = BTreeMap::new();
        if let Some(to) = self.stated.filter(|_| self.moves(1)) {
            ranges.insert(1, (0, to));
        }
        let all = || self.reads.iter().flat_map(|(_, sizes, indices)| indices.iter().zip(sizes));
        let values =
            |known: &BTreeMap<usize, (i64, i64)>, index: usize, affine: &Affine| match affine.0[index] {
                0 => 0..1,
                _ => known.get(&index).map_or(0..1, |(from, to)| *from..*to),
            };
        loop {
            let mut new: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
            for (affine, extent) in all() {
                let open: Vec<usize> =
                    (0..2).filter(|k| affine.0[*k] != 0 && !ranges.contains_key(k)).collect();
                let [index] = open.as_slice() else { continue };
                let index = *index;
                let inside = |value: &i64| {
                    values(&ranges, 1 - index, affine).all(|other| {
                        let at = if index == 0 { [*value, other] } else { [other, *value] };
                        (0..size(extent)).contains(&place(affine, at))
                    })
                };
                let first = if index == 0 { 0 } else { -FAR };
                new.entry(index).or_insert_with(|| (first..FAR).collect()).retain(inside);
            }
            if new.is_empty() {
                break;
            }
            for (index, values) in new {
                let from = values.first().copied().unwrap_or(0);
                ranges.insert(index, (from, values.last().map_or(from, |last| last + 1)));
            }
        }
        let needed = (0..2).all(|k| ranges.contains_key(&k) || (k == 1 && !self.moves(k)));
        if !needed {
            return None;
        }
        let (mut outside, mut part) = (false, false);
        for (affine, extent) in all() {
            for i in values(&ranges, 0, affine) {
                for k in values(&ranges, 1, affine) {
                    outside |= !(0..size(extent)).contains(&place(affine, [i, k]));
                }
            }
        }
        for (_, sizes, indices) in &self.reads {
            for (affine, extent) in indices.iter().zip(sizes) {
                let alone =
                    [[1, 0], [0, 1]].iter().position(|by| *by == affine.0 && affine.1 + affine.2 == 0);
                let Some((from, to)) = alone.and_then(|index| ranges.get(&index)) else { continue };
                part |= *from == 0 && to > from && *to < size(extent);
            }
        }
        Some(Counted { ranges, outside, part })
    }
}

#[test]
fn ranges_are_those_that_counting_finds() {
    let (mut safe, mut symbolic, mut refused, mut empty) = (0, 0, 0, 0);
    for seed in super::seeds(KERNELS) {
        let kernel = Kernel::random(&mut Choices::new(seed));
        let whole = guard("kernel", &kernel.text("N", "M"), &[], &[]);
        for (n, m) in (1..=LARGEST).flat_map(|n| (1..=LARGEST).map(move |m| (n, m))) {
            let text = kernel.text(&n.to_string(), &m.to_string());
            let found = guard("kernel", &text, &[], &[]);
            let Some(counted) = kernel.counted(n, m) else {
                assert!(found.is_err(), "seed {seed}: {text}");
                continue;
            };
            // A range of negative values only is refused, too.
            let none = counted.ranges.values().any(|(from, to)| from >= to || *to <= 0);
            match &found {
                Ok(found) => {
                    assert!(!counted.outside && !counted.part && !none, "seed {seed}: {text}");
                    for (index, (from, to)) in &counted.ranges {
                        let name = ["i", "k"][*index];
                        let said = match from {
                            0 => format!("{name} < {to}"),
                            from => format!("{from} <= {name} < {to}"),
                        };
                        let is_said = found.indices[0].iter().any(|(range, _)| *range == said);
                        assert!(is_said, "seed {seed}: {text}\n{said}\n{}", found.to_text());
                    }
                    safe += 1;
                }
                Err(why) => {
                    let why = why.to_string();
                    assert!(counted.outside || counted.part || none, "seed {seed}: {text}\n{why}");
                    refused += 1;
                    empty += i32::from(none);
                }
            }
            if let Ok(whole) = &whole
                && !none
            {
                assert!(!counted.outside && !counted.part, "seed {seed}: {text}\n{}", whole.to_text());
                symbolic += 1;
            }
        }
    }
    assert!(
        safe > 1_500 && symbolic > 1_500 && refused > 1_500 && empty > 150,
        "{safe} safe, {symbolic} for all sizes, {refused} refused, {empty} empty"
    );
}
