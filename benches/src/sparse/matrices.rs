//! Tensors to measure with, made from nothing: the same on every run.
//!
//! One idea: a tensor is its rows in order, each a sorted list of the places in it; values are eighths, whose
//! sums are exact.

use atl_runtime::{Buffer, Coordinates, Duplicates, Parts, Tensor, Wish, Zeros};

/// A tensor: its name, and how it is made, with this number as a divisor of its sizes.
#[derive(Clone, Copy)]
pub(crate) struct Data {
    /// What it is called in results.
    pub(crate) name: &'static str,
    /// Makes it.
    pub(crate) make: fn(usize) -> Entries,
}

/// The shape, and the places of entries in any order, perhaps with some twice.
pub(crate) struct Entries {
    shape: Vec<usize>,
    places: Vec<Vec<usize>>,
}

/// The Laplacian of a square grid with a million points, 5 entries a row.
pub(crate) const LAPLACIAN: Data = Data { name: "laplacian", make: laplacian };
/// A graph whose degrees are skewed, 16 edges for each of its vertices.
pub(crate) const R_MAT: Data = Data { name: "r-mat", make: |scale| r_mat((1 << 18) / scale) };
/// The same, small enough for its square.
pub(crate) const SMALL_R_MAT: Data = Data { name: "small r-mat", make: |scale| r_mat((1 << 13) / scale) };
/// As of finite elements: in each row of blocks 6 dense ones of 4 by 4, some of them near the diagonal.
pub(crate) const FEM: Data = Data { name: "fem", make: fem };
/// 16 entries a row, anywhere.
pub(crate) const UNIFORM: Data = Data { name: "uniform", make: |scale| uniform((1 << 18) / scale, 16, 5) };
/// Another one, of which a third has places in common with the first.
pub(crate) const OTHER_UNIFORM: Data =
    Data { name: "other uniform", make: |scale| partly((1 << 18) / scale, 16) };
/// The same with 8 entries a row.
pub(crate) const UNIFORM_8: Data =
    Data { name: "uniform, 8 a row", make: |scale| uniform(200_000 / scale, 8, 5) };
/// The same with 32 entries a row.
pub(crate) const UNIFORM_32: Data =
    Data { name: "uniform, 32 a row", make: |scale| uniform(20_000 / scale, 32, 5) };
/// The same, small enough for a dense result.
pub(crate) const SMALL: Data = Data { name: "small uniform", make: |scale| uniform(4096 / scale, 16, 5) };
/// A thousand in each dimension, an element of a thousand stored.
pub(crate) const CUBE_3: Data = Data { name: "cube, 1e-3", make: |scale| cube(1_000_000 / scale) };
/// An element of ten thousand.
pub(crate) const CUBE_4: Data = Data { name: "cube, 1e-4", make: |scale| cube(100_000 / scale) };
/// An element of a hundred thousand.
pub(crate) const CUBE_5: Data = Data { name: "cube, 1e-5", make: |scale| cube(10_000 / scale) };
/// Five million entries, most of them at small indices.
pub(crate) const SKEWED: Data = Data { name: "skewed", make: |scale| skewed(5_000_000 / scale) };
/// 64 rows of 64 thousand entries each, of a million columns.
pub(crate) const LONG_ROWS: Data = Data { name: "long rows", make: |scale| long_rows(LONG / scale) };
/// The same as fibres of a tensor, 8 for each of its 8 slices.
pub(crate) const LONG_FIBRES: Data = Data { name: "long fibres", make: long_fibres };
/// Fibres as long, with a quarter of their places in common with the first.
pub(crate) const OTHER_LONG_FIBRES: Data = Data { name: "other long fibres", make: other_long_fibres };
/// A vector of a million with 2 entries.
pub(crate) const FEW: Data = Data { name: "few", make: few };

/// 5000 rows of 8 entries.
pub(crate) const SHORT_ROWS: Data = Data { name: "short rows", make: |scale| uniform(5000 / scale, 8, 5) };
/// Another one.
pub(crate) const OTHER_SHORT_ROWS: Data =
    Data { name: "other short rows", make: |scale| uniform(5000 / scale, 8, 10) };
/// A vector for these, of which a quarter is stored.
pub(crate) const QUARTER: Data = Data { name: "quarter", make: |scale| every(4, 5000 / scale) };
/// 1000 rows of 16 entries.
pub(crate) const ROWS: Data = Data { name: "rows", make: |scale| uniform(1000 / scale, 16, 5) };
/// Another one.
pub(crate) const OTHER_ROWS: Data = Data { name: "other rows", make: |scale| uniform(1000 / scale, 16, 10) };
/// 64 rows of 2 entries, as long as the long ones.
pub(crate) const ROWS_OF_FEW: Data = Data { name: "rows of few", make: rows_of_few };
/// A vector of a thousand, of which a third is stored.
pub(crate) const THIRD: Data = Data { name: "third", make: |_| every(3, 1000) };
/// A factor of rank 32, 10 entries in each of a thousand rows.
pub(crate) const FACTOR: Data = Data { name: "factor", make: |_| factor(11) };
/// Another one.
pub(crate) const OTHER_FACTOR: Data = Data { name: "other factor", make: |_| factor(12) };
/// The same by columns: 32 rows of a thousand, of which a third is stored.
pub(crate) const FACTOR_COLUMNS: Data = Data { name: "factor by columns", make: |_| factor_columns() };
/// A thousand in each dimension, an element of a thousand stored, half of them where the first such tensor
/// has its own.
pub(crate) const OTHER_CUBE_3: Data =
    Data { name: "other cube, 1e-3", make: |scale| other_cube(1_000_000 / scale) };

/// The extent along long rows.
const LONG: usize = 1 << 20;

impl Entries {
    /// As a tensor of this project.
    pub(crate) fn tensor(self) -> Result<Tensor, String> {
        let mut random = Random(9);
        let values: Vec<f64> =
            self.places[0].iter().map(|_| random.below(16) as f64 / 8.0 - 0.9375).collect();
        let values = Buffer::from_slice(&values, &[values.len()]).map_err(|why| why.to_string())?;
        let parts = Parts { shape: self.shape, columns: self.places, values };
        let wish = Wish { duplicates: Duplicates::Add, zeros: Zeros::Keep };
        let arranged = Coordinates::try_new(parts).and_then(|entries| entries.arranged(wish));
        Ok(Tensor::Sparse(arranged.map_err(|why| why.to_string())?))
    }

    fn of_rows(columns: usize, rows: impl ExactSizeIterator<Item = Vec<usize>>) -> Entries {
        let shape = vec![rows.len(), columns];
        let (mut is, mut js) = (Vec::new(), Vec::new());
        for (i, row) in rows.enumerate() {
            is.resize(is.len() + row.len(), i);
            js.extend(row);
        }
        Entries { shape, places: vec![is, js] }
    }
}

fn laplacian(scale: usize) -> Entries {
    let side = (1_000_000 / scale).isqrt();
    let row = |i: usize| {
        let (y, x) = (i / side, i % side);
        let near = [(y > 0, i.wrapping_sub(side)), (x > 0, i.wrapping_sub(1)), (true, i)];
        let far = [(x + 1 < side, i + 1), (y + 1 < side, i + side)];
        near.into_iter().chain(far).filter(|(inside, _)| *inside).map(|(_, j)| j).collect()
    };
    Entries::of_rows(side * side, (0..side * side).map(row))
}

/// The places of such a graph's edges, in any order, some of them twice.
pub(crate) fn r_mat_edges(vertices: usize) -> (Vec<usize>, Vec<usize>) {
    let bits = vertices.ilog2();
    let mut random = Random(3);
    // The quarter of the matrix in which an edge lies: 57, 19, 19 and 5 of a hundred.
    let mut edge = || {
        (0..bits).fold((0, 0), |(i, j), _| {
            let (down, right) = match random.below(100) {
                0..57 => (0, 0),
                57..76 => (0, 1),
                76..95 => (1, 0),
                _ => (1, 1),
            };
            (2 * i + down, 2 * j + right)
        })
    };
    (0..16 << bits).map(|_| edge()).unzip()
}

fn r_mat(vertices: usize) -> Entries {
    let (is, js) = r_mat_edges(vertices);
    let size = 1 << vertices.ilog2();
    Entries { shape: vec![size, size], places: vec![is, js] }
}

fn fem(scale: usize) -> Entries {
    let blocks = (1 << 16) / scale;
    let mut random = Random(4);
    let mut found = Vec::new();
    let row = |i: usize| {
        if i.is_multiple_of(4) {
            let own = i / 4;
            found = [own, (own + 1) % blocks, (own + 2) % blocks].to_vec();
            while found.len() < 6 {
                // Neighbours of a numbering that keeps most of them within a few thousand.
                let other = (own + 3 + random.below(blocks.min(4096) - 3)) % blocks;
                if !found.contains(&other) {
                    found.push(other);
                }
            }
            found.sort_unstable();
        }
        found.iter().flat_map(|block| (0..4).map(move |j| 4 * block + j)).collect()
    };
    let rows: Vec<Vec<usize>> = (0..4 * blocks).map(row).collect();
    Entries::of_rows(4 * blocks, rows.into_iter())
}

fn uniform(size: usize, in_row: usize, seed: u64) -> Entries {
    let mut random = Random(seed);
    let is = (0..in_row * size).map(|entry| entry / in_row).collect();
    let js = (0..in_row * size).map(|_| random.below(size)).collect();
    Entries { shape: vec![size, size], places: vec![is, js] }
}

/// A uniform matrix with every third entry of the first one.
fn partly(size: usize, in_row: usize) -> Entries {
    let (first, mut other) = (uniform(size, in_row, 5), uniform(size, in_row, 10));
    let columns = other.places[1].iter_mut().zip(&first.places[1]);
    columns.step_by(3).for_each(|(j, same)| *j = *same);
    other
}

fn long_rows(length: usize) -> Entries {
    let mut random = Random(8);
    let mut row = || (0..length / 16).map(|_| random.below(length)).collect();
    let rows: Vec<Vec<usize>> = (0..64).map(|_| row()).collect();
    Entries::of_rows(length, rows.into_iter())
}

fn long_fibres(scale: usize) -> Entries {
    let Entries { shape, places } = long_rows(LONG / scale);
    let [slices, fibres] =
        [|i: &usize| i / 8, |i: &usize| i % 8].map(|part| places[0].iter().map(part).collect());
    Entries { shape: vec![8, 8, shape[1]], places: vec![slices, fibres, places[1].clone()] }
}

fn other_long_fibres(scale: usize) -> Entries {
    let mut entries = long_fibres(scale);
    let mut random = Random(16);
    let length = entries.shape[2];
    entries.places[2]
        .iter_mut()
        .filter(|_| random.below(4) != 0)
        .for_each(|at| *at = Random(*at as u64).below(length));
    entries
}

fn few(scale: usize) -> Entries {
    let length = LONG / scale;
    Entries { shape: vec![length], places: vec![(0..2).map(|k| k * (length / 2) + length / 4).collect()] }
}

fn rows_of_few(scale: usize) -> Entries {
    let length = LONG / scale;
    let mut random = Random(13);
    let mut row = || {
        let mut row = vec![random.below(length), random.below(length)];
        row.sort_unstable();
        row
    };
    let rows: Vec<Vec<usize>> = (0..64).map(|_| row()).collect();
    Entries::of_rows(length, rows.into_iter())
}

/// Every so manieth element of a vector.
fn every(step: usize, length: usize) -> Entries {
    Entries { shape: vec![length], places: vec![(0..length).step_by(step).collect()] }
}

fn factor(seed: u64) -> Entries {
    let mut random = Random(seed);
    let is = (0..10_000).map(|entry| entry / 10).collect();
    Entries { shape: vec![1000, 32], places: vec![is, (0..10_000).map(|_| random.below(32)).collect()] }
}

fn factor_columns() -> Entries {
    let mut random = Random(14);
    let is = (0..32 * 333).map(|entry| entry / 333).collect();
    Entries { shape: vec![32, 1000], places: vec![is, (0..32 * 333).map(|_| random.below(1000)).collect()] }
}

fn cube(count: usize) -> Entries {
    let mut random = Random(6);
    let places = (0..3).map(|_| (0..count).map(|_| random.below(1000)).collect()).collect();
    Entries { shape: vec![1000; 3], places }
}

/// Every second entry of that tensor, and as many others.
fn other_cube(count: usize) -> Entries {
    let mut random = Random(15);
    let places = cube(count).places;
    let others = places.iter().map(|column| {
        column
            .iter()
            .enumerate()
            .map(|(entry, at)| if entry % 2 == 0 { *at } else { random.below(1000) })
            .collect()
    });
    Entries { shape: vec![1000; 3], places: others.collect() }
}

fn skewed(count: usize) -> Entries {
    let mut random = Random(7);
    let shape = vec![12092, 9184, 28818];
    // The least of three: density falls with the square of the distance to the end.
    let mut low = |n: usize| random.below(n).min(random.below(n)).min(random.below(n));
    let places = shape.iter().map(|n| (0..count).map(|_| low(*n)).collect()).collect();
    Entries { shape, places }
}

/// Numbers that look random.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// One below this.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}
