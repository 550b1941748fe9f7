//! What the tests share: random numbers, levels of every kind, tensors, formats.

use atl_formats::format::Entry;
use atl_formats::levels::{self, Setting};
use atl_formats::{Axis, Dense, Dimensions, Format, Level};

/// Random numbers that are the same on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below another, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}

/// A level of a kind over a box.
pub(crate) fn level(kind: &str, extents: &[usize], offset: i64, parameters: &[i64]) -> Box<dyn Level> {
    let dimensions = Dimensions::try_new(extents.to_vec()).unwrap();
    let make = levels::by_name(kind).unwrap().make;
    make(Setting { dimensions, offset, parameters }).unwrap()
}

/// The levels of a kind with `n` coordinates, with parameters that stress it.
pub(crate) fn levels_of(kind: &str, n: usize) -> Vec<Box<dyn Level>> {
    let wide = n as i64;
    match kind {
        "hash" => {
            let hashes: [&[i64]; 4] = [&[], &[0], &[-3, 1], &[5, -7]];
            let widths = (wide - 1).max(0)..=2 * wide;
            let both = widths.flat_map(|w| hashes.map(|hash| [&[w], hash].concat()));
            both.map(|parameters| level(kind, &[n], 0, &parameters)).collect()
        }
        "ell" => (0..=wide).map(|w| level(kind, &[n], 0, &[w])).collect(),
        "compressed" => {
            let mut found = vec![level(kind, &[n], 0, &[]), level(kind, &[n], 2, &[])];
            found.extend((1..=n).filter(|k| n.is_multiple_of(*k)).map(|k| level(kind, &[n / k, k], 0, &[])));
            found.push(level(kind, &[n, 1, 1], 0, &[]));
            found
        }
        _ => vec![level(kind, &[n], 0, &[])],
    }
}

/// A random row of slices, by their classes: empty, full, of one slice, or mixed.
pub(crate) fn row(random: &mut Random, n: usize) -> Vec<usize> {
    let only = random.below(n.max(1));
    let kind = random.below(4);
    (0..n)
        .map(|at| match kind {
            0 => 0,
            1 => 1 + random.below(2),
            2 => usize::from(at == only),
            _ => random.below(3),
        })
        .collect()
}

/// A random tensor of small integers; sometimes without entries, full, with one entry, empty rows, or one full row.
pub(crate) fn tensor(random: &mut Random, shape: &[usize]) -> Dense<i64> {
    let mut tensor = Dense::filled(shape, 0).unwrap();
    let rows = shape.first().copied().unwrap_or(1).max(1);
    let (kind, size) = (random.below(6), tensor.data.len());
    let chosen = random.below(rows);
    let only = random.below(size.max(1));
    for at in 0..size {
        let row = at / (size / rows).max(1);
        let value = 1 + random.below(3) as i64;
        let stored = match kind {
            0 => false,
            1 => true,
            2 => at == only,
            3 => row == chosen,
            4 => row % 2 == 0 && random.below(2) == 0,
            _ => random.below(4) == 0,
        };
        tensor.data[at] = if stored { value } else { 0 };
    }
    tensor
}

/// A random shape.
pub(crate) fn shape(random: &mut Random, rank: usize, low: usize) -> Vec<usize> {
    let high = [8, 7, 5, 4][rank.min(4) - 1];
    (0..rank).map(|_| low + random.below(high - low)).collect()
}

/// A random format of a rank: any axes that determine the index, in any order and grouping, at levels of any kind.
pub(crate) fn random_format(random: &mut Random, rank: usize) -> Format {
    let mut axes = Vec::new();
    let mut dimensions: Vec<usize> = (0..rank).collect();
    while let Some(one) = dimensions.pop() {
        match random.below(4) {
            0 => {
                let size = 1 + random.below(4);
                axes.extend([Axis::Block { of: one, size }, Axis::Within { of: one, size }]);
            }
            1 if !dimensions.is_empty() => {
                let other = dimensions.swap_remove(random.below(dimensions.len()));
                let (row, column) = if random.below(2) == 0 { (one, other) } else { (other, one) };
                axes.extend([Axis::Diagonal { row, column }, Axis::Along { row, column }]);
            }
            _ => axes.push(Axis::Dimension(one)),
        }
    }
    for at in (1..axes.len()).rev() {
        axes.swap(at, random.below(at + 1));
    }
    let mut entries = Vec::new();
    while !axes.is_empty() {
        let arity = if random.below(4) == 0 { 2.min(axes.len()) } else { 1 };
        let kind = loop {
            // A parent of a singleton has one coordinate, which random tensors have not.
            let kind = *random.pick(levels::TABLE);
            if kind.name != "singleton" {
                break kind;
            }
        };
        let parameters = if kind.name == "hash" && random.below(2) == 0 { vec![150, -3, 7] } else { vec![] };
        entries.push(Entry { kind, parameters, axes: axes.split_off(axes.len() - arity) });
    }
    Format::try_new(entries).unwrap()
}

/// Formats of a rank: those with names, and others.
pub(crate) fn formats(rank: usize) -> Vec<Format> {
    let named: &[&str] = match rank {
        1 => &["dense", "coo", "csf", "hash", "bitmask", "hash(16, -3, 5)", "[compressed of (i / 3, i % 3)]"],
        2 => &[
            "dense",
            "coo",
            "csf",
            "hash",
            "bitmask",
            "csr",
            "csc",
            "dcsr",
            "dcsc",
            "ell",
            "bcsr(2, 3)",
            "bcsr(1, 1)",
            "csb(3, 2)",
            "dia",
            "[dense, hash]",
            "[bitmask, bitmask]",
            "[hash, hash]",
            "[hash(9, -3, 1), compressed]",
            "[hash(9, 0), dense]",
            "[hash(11, -1), hash(9, -1)]",
            "[dense, band]",
            "[dense, rle]",
            "[rle, rle]",
            "[dense, blocklist]",
            "[dense, sparse_runs]",
            "[compressed, rankmask]",
            "[rankmask of j, ell of i]",
            "[hash of j, compressed of i]",
            "[dense of (i, j)]",
            "[dense of i - j, dense of min(j, i)]",
            "[compressed of j - i, compressed of min(i, j)]",
            "[hash of i / 2, dense of i % 2, band of j]",
            "[compressed of (i / 2, j / 2), dense of i % 2, dense of j % 2]",
        ],
        3 => &[
            "dense",
            "coo",
            "csf",
            "hash",
            "bitmask",
            "mode_generic",
            "[dense, compressed, compressed]",
            "[dense of k, compressed of i, band of j]",
            "[compressed of (i, j), hash of k]",
            "[rle, compressed, rle]",
            "[ell, hash, rankmask]",
            "[blocklist, sparse_runs, blocklist]",
            "[compressed of j, compressed of k - i, dense of min(i, k)]",
        ],
        _ => &[
            "dense",
            "coo",
            "csf",
            "hash",
            "bitmask",
            "[compressed, rle, hash, band]",
            "[bitmask, ell, dense, compressed]",
            "[compressed of (l, i), compressed of (k, j)]",
            "[dense of i / 2, hash of (j, k), compressed of l, dense of i % 2]",
        ],
    };
    named.iter().map(|text| Format::parse(text, rank).unwrap()).collect()
}
