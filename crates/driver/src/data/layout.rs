//! How sparse tensors are laid out in files: the formats by name that an archive of SciPy's holds.
//!
//! One idea: a format packs entries, and its arrays are those of the archive under other names. Only
//! diagonals differ: SciPy stores them by columns, from the first column on, and the format by their own
//! length.

use atl_data::Archive;
use atl_formats::{Format, Refusal, Sparse, Value, pack};
use atl_runtime::{Buffer, BufferError, Coordinates, DENSE_LIMIT, Element, with_element};
use std::fmt;
use std::str::FromStr;

/// How a file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// All elements.
    Dense,
    /// Entries with their coordinates.
    Coo,
    /// Compressed rows.
    Csr,
    /// Compressed columns.
    Csc,
    /// Compressed rows of dense blocks of this shape.
    Bcsr(usize, usize),
    /// Diagonals.
    Dia,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Layout::Dense => f.write_str("dense"),
            Layout::Coo => f.write_str("coo"),
            Layout::Csr => f.write_str("csr"),
            Layout::Csc => f.write_str("csc"),
            Layout::Bcsr(rows, columns) => write!(f, "bcsr({rows}, {columns})"),
            Layout::Dia => f.write_str("dia"),
        }
    }
}

impl FromStr for Layout {
    type Err = String;

    fn from_str(text: &str) -> Result<Layout, String> {
        let plain = [Layout::Dense, Layout::Coo, Layout::Csr, Layout::Csc, Layout::Dia];
        let block = || {
            let (rows, columns) = text.strip_prefix("bcsr(")?.strip_suffix(')')?.split_once(',')?;
            let extent = |text: &str| text.trim().parse().ok().filter(|&extent: &usize| extent > 0);
            Some(Layout::Bcsr(extent(rows)?, extent(columns)?))
        };
        plain
            .into_iter()
            .find(|layout| layout.to_string() == text)
            .or_else(block)
            .ok_or_else(|| {
                "files hold dense, coo, csr, csc, dia or `bcsr(R, C)`, as SciPy's archives do; a parameter in another format, \
                 as `ell(8)` or `csf`, is packed from any of these when it is read"
                    .to_owned()
            })
    }
}

/// Why a layout cannot hold a tensor.
#[derive(Debug)]
pub(super) enum Unfit {
    /// The format refuses it.
    Refused(Refusal),
    /// Its positions or values would be too many for memory.
    TooLarge,
    /// Blocks of this shape do not divide the matrix.
    Blocks,
    /// An array cannot be made.
    Buffer(BufferError),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Refused(why) => why.fmt(f),
            Unfit::TooLarge => write!(f, "its arrays would have more than {} GiB", DENSE_LIMIT >> 30),
            Unfit::Blocks => f.write_str("blocks of this shape do not divide its shape"),
            Unfit::Buffer(why) => why.fmt(f),
        }
    }
}

impl From<Refusal> for Unfit {
    fn from(why: Refusal) -> Unfit {
        Unfit::Refused(why)
    }
}

impl From<BufferError> for Unfit {
    fn from(why: BufferError) -> Unfit {
        Unfit::Buffer(why)
    }
}

/// A matrix whose entries are in strict order, as an archive of a layout that is neither of elements nor of
/// entries.
pub(super) fn archive(layout: Layout, matrix: &Coordinates) -> Result<Archive, Unfit> {
    with_element!(matrix.dtype(), T => arrays::<T>(layout, matrix))
}

fn arrays<T: Element + Value>(layout: Layout, matrix: &Coordinates) -> Result<Archive, Unfit> {
    let shape = matrix.shape().to_vec();
    let format = Format::parse(&layout.to_string(), shape.len())?;
    bound(layout, matrix)?;
    let signed = |column: &Vec<usize>| column.iter().map(|&crd| crd as i64).collect();
    let entries = atl_formats::Coordinates {
        shape: shape.clone(),
        columns: matrix.columns().iter().map(signed).collect(),
        values: matrix.values().as_slice::<T>()?.to_vec(),
    };
    let rules = pack::Rules { order: pack::Order::Sort, ..pack::Rules::default() };
    let packed = pack::pack(&format, entries, T::default(), &rules)?;
    let levels = packed.metadata();
    if let (Layout::Dia, &[rows, columns]) = (layout, &shape[..]) {
        let arrays = vec![("offsets", levels[0].arrays[1].clone())];
        let data = diagonals(&packed, rows, columns)?;
        return Ok(Archive { format: "dia", shape, data, arrays });
    }
    let [pos, crd] = [0, 1].map(|array| levels[1].arrays[array].clone());
    let (format, data) = match layout {
        Layout::Bcsr(height, width) => ("bsr", vec![crd.len(), height, width]),
        Layout::Csc => ("csc", vec![crd.len()]),
        _ => ("csr", vec![crd.len()]),
    };
    let data = Buffer::from_slice(packed.values(), &data)?;
    Ok(Archive { format, shape, data, arrays: vec![("indptr", pos), ("indices", crd)] })
}

/// The diagonals by columns: the element of offset `o` in column `j` stands in row `j - o` of the matrix.
fn diagonals<T: Element + Value>(packed: &Sparse<T>, rows: usize, columns: usize) -> Result<Buffer, Unfit> {
    let offsets = &packed.metadata()[0].arrays[1];
    let length = rows.min(columns);
    let mut data = Buffer::zeros(T::DTYPE, &[offsets.len(), columns])?;
    let elements = data.as_mut_slice::<T>()?;
    for (diagonal, &offset) in offsets.iter().enumerate() {
        let skipped = usize::try_from(offset).unwrap_or(0);
        let stored = &packed.values()[diagonal * length..(diagonal + 1) * length];
        let to = elements[diagonal * columns..(diagonal + 1) * columns].iter_mut().skip(skipped);
        // What is stored beyond the last column pads, as the diagonal ends there.
        to.zip(stored).for_each(|(to, value)| *to = *value);
    }
    Ok(data)
}

/// Refuses a layout whose positions of rows, or whose padding, would not fit the memory: they grow with the
/// shape, which costs a file nothing.
fn bound(layout: Layout, matrix: &Coordinates) -> Result<(), Unfit> {
    let (&[rows, columns], [row_crds, column_crds]) = (matrix.shape(), matrix.columns()) else {
        return Ok(()); // refused by the format
    };
    let places = row_crds.iter().zip(column_crds);
    let (positions, padded) = match layout {
        // Each entry has one value, as it has now.
        Layout::Dense | Layout::Coo => (0, Some(0)),
        Layout::Csr => (rows, Some(0)),
        Layout::Csc => (columns, Some(0)),
        Layout::Dia => {
            let offset = |(row, column): (&usize, &usize)| *column as i128 - *row as i128;
            (0, distinct(places.map(offset)).checked_mul(columns))
        }
        Layout::Bcsr(height, width) => {
            if !rows.is_multiple_of(height) || !columns.is_multiple_of(width) {
                return Err(Unfit::Blocks);
            }
            let block = |(row, column): (&usize, &usize)| (row / height, column / width);
            let size = height.checked_mul(width);
            (rows / height, size.and_then(|size| size.checked_mul(distinct(places.map(block)))))
        }
    };
    let fits = |count: Option<usize>, size: usize| {
        count.and_then(|count| count.checked_mul(size)).is_some_and(|bytes| bytes <= DENSE_LIMIT)
    };
    if fits(Some(positions), size_of::<i64>()) && fits(padded, matrix.dtype().size()) {
        Ok(())
    } else {
        Err(Unfit::TooLarge)
    }
}

fn distinct<T: Ord>(items: impl Iterator<Item = T>) -> usize {
    let mut sorted: Vec<T> = items.collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_runtime::Parts;

    fn matrix(shape: [usize; 2], places: &[[usize; 2]]) -> Coordinates {
        let values: Vec<f32> = (1u16..).take(places.len()).map(f32::from).collect();
        let column = |d: usize| places.iter().map(|place| place[d]).collect();
        Coordinates::try_new(Parts {
            shape: shape.to_vec(),
            columns: vec![column(0), column(1)],
            values: Buffer::from_slice(&values, &[values.len()]).unwrap(),
        })
        .unwrap()
    }

    /// The arrays of integers and of values.
    fn check(layout: &str, shape: [usize; 2], places: &[[usize; 2]], ints: &[&[i64]], values: &[f32]) {
        let archive = archive(layout.parse().unwrap(), &matrix(shape, places)).unwrap();
        let found: Vec<&[i64]> = archive.arrays.iter().map(|(_, array)| &array[..]).collect();
        assert_eq!((&found[..], archive.data.as_slice::<f32>().unwrap()), (ints, values), "{layout}");
    }

    #[test]
    fn arrays_are_those_of_scipy() {
        let places = [[0, 1], [0, 3], [2, 0], [2, 3]];
        check("csr", [3, 4], &places, &[&[0, 2, 2, 4], &[1, 3, 0, 3]], &[1.0, 2.0, 3.0, 4.0]);
        check("csc", [3, 4], &places, &[&[0, 1, 2, 2, 4], &[2, 0, 0, 2]], &[3.0, 1.0, 2.0, 4.0]);
        let blocks = [0.0, 1.0, 0.0, 2.0, 3.0, 0.0, 0.0, 4.0];
        check("bcsr(1, 2)", [3, 4], &places, &[&[0, 2, 2, 4], &[0, 1, 0, 1]], &blocks);
        let diagonals = [3.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 4.0, 0.0, 0.0, 0.0, 2.0];
        check("dia", [3, 4], &places, &[&[-2, 1, 3]], &diagonals);
        check("dia", [4, 2], &[[0, 1], [3, 0]], &[&[-3, 1]], &[2.0, 0.0, 0.0, 1.0]);
        check("csr", [0, 4], &[], &[&[0], &[]], &[]);
        check("dia", [0, 4], &[], &[&[]], &[]);
    }

    fn check_refused(layout: &str, matrix: &Coordinates, needle: &str) {
        let why = archive(layout.parse().unwrap(), matrix).unwrap_err().to_string();
        assert!(why.contains(needle), "{layout}: {why}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let small = matrix([3, 4], &[[0, 1]]);
        check_refused("bcsr(2, 2)", &small, "do not divide");
        let wide = matrix([1 << 32, 1 << 32], &[[0, 1]]);
        check_refused("csr", &wide, "more than 4 GiB");
        check_refused("csc", &wide, "more than 4 GiB");
        check_refused("bcsr(1, 1)", &wide, "more than 4 GiB");
        check_refused("dia", &wide, "more than 4 GiB");
        check_refused("bcsr(65536, 65536)", &wide, "more than 4 GiB");
        let vector = Coordinates::from_dense(&Buffer::zeros(atl_runtime::DType::F32, &[3]).unwrap()).unwrap();
        check_refused("csr", &vector, "csr");
    }

    #[test]
    fn layouts_are_read_as_they_are_written() {
        for layout in ["dense", "coo", "csr", "csc", "dia", "bcsr(2, 3)"] {
            assert_eq!(layout.parse::<Layout>().unwrap().to_string(), layout);
        }
        for text in ["", "csx", "bcsr", "bcsr(2)", "bcsr(0, 1)", "bcsr(1, -1)", "bcsr(1, 1, 1)"] {
            assert!(text.parse::<Layout>().is_err(), "{text}");
        }
    }
}
