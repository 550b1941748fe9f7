//! Reading: every entry's coordinates, from whichever arrays there are.

use super::super::super::npz::Archive;
use super::super::super::refusal::{Fault, Place, Refusal};
use super::super::super::{Reason, npy};
use super::super::{Request, Structure};
use super::arrays::{array, believed_segments, coordinates, integers, out_of_range, refuse, segments};
use atl_runtime::shape::show_shape;
use atl_runtime::with_element;
use atl_runtime::{Buffer, MAX_RANK};
use atl_runtime::{Coordinates, Parts};

/// Reads an archive. Entries stand as they do in its arrays.
pub(in super::super) fn read(archive: &mut Archive<'_>, request: &Request) -> Result<Coordinates, Reason> {
    let format = npy::read_text(&archive.file("format")?)?;
    let shape = shape(archive)?;
    let believed = request.structure == Structure::Trust;
    let mut reader = Reader { archive, request };
    match (&format[..], &shape[..]) {
        ("coo", _) => {
            let (columns, values) = reader.coo(&shape)?;
            reader.entries(shape, columns, values, believed)
        }
        ("csr", &[rows, columns]) => {
            let (row_crds, column_crds, values) = reader.compressed(rows, columns)?;
            reader.entries(shape, vec![row_crds, column_crds], values, believed)
        }
        ("csc", &[rows, columns]) => {
            let (column_crds, row_crds, values) = reader.compressed(columns, rows)?;
            reader.entries(shape, vec![row_crds, column_crds], values, false)
        }
        ("bsr", &[rows, columns]) => reader.blocks(rows, columns),
        ("dia", &[rows, columns]) => reader.diagonals(rows, columns),
        ("csr" | "csc" | "bsr" | "dia", _) => {
            let found = format!("the shape {}", show_shape(&shape));
            Err(refuse(Place::Array("shape"), found, format!("a matrix, as the format is `{format}`")))
        }
        _ => Err(Reason::Unsupported(format!(
            "the sparse format `{}` is not known; known are coo, csr, csc, bsr and dia",
            format.escape_debug()
        ))),
    }
}

fn shape(archive: &mut Archive<'_>) -> Result<Vec<usize>, Reason> {
    let shape = integers(archive, "shape", 1)?;
    let extent = |(element, &extent): (usize, &i64)| {
        usize::try_from(extent).map_err(|_| {
            out_of_range("shape", element, extent, "an extent, which is not negative".to_owned())
        })
    };
    let shape: Vec<usize> =
        shape.as_slice::<i64>()?.iter().enumerate().map(extent).collect::<Result<_, _>>()?;
    if shape.len() > MAX_RANK {
        let found = format!("{} dimensions", shape.len());
        return Err(refuse(Place::Array("shape"), found, format!("at most {MAX_RANK}")));
    }
    Ok(shape)
}

struct Reader<'a, 'b> {
    archive: &'a mut Archive<'b>,
    request: &'a Request,
}

impl Reader<'_, '_> {
    /// The array `data`, with elements of the requested type.
    fn data(&mut self, rank: usize) -> Result<Buffer, Reason> {
        let data = array(self.archive, "data", rank)?;
        Ok(match self.request.dtype {
            Some(dtype) => data.convert(dtype)?,
            None => data,
        })
    }

    fn entries(
        &self,
        shape: Vec<usize>,
        columns: Vec<Vec<usize>>,
        values: Buffer,
        believed: bool,
    ) -> Result<Coordinates, Reason> {
        let parts = Parts { shape, columns, values };
        Ok(if believed { Coordinates::trusted(parts)? } else { Coordinates::try_new(parts)? })
    }

    /// Coordinates of an array, each below the extent unless they are believed.
    fn crds(&self, name: &'static str, crds: &[i64], extent: usize) -> Result<Vec<usize>, Reason> {
        match self.request.structure {
            Structure::Check => coordinates(name, crds, extent),
            // A negative one becomes one that is in no shape, which is refused where it would be used.
            Structure::Trust => {
                let in_none = isize::MAX as usize;
                Ok(crds.iter().map(|&crd| usize::try_from(crd).unwrap_or(in_none)).collect())
            }
        }
    }

    /// Lists of coordinates.
    fn coo(&mut self, shape: &[usize]) -> Result<(Vec<Vec<usize>>, Buffer), Reason> {
        let values = self.data(1)?;
        let mut columns = Vec::new();
        if self.archive.has("coords") {
            let crds = integers(self.archive, "coords", 2)?;
            if crds.shape() != [shape.len(), values.len()] {
                let expected =
                    format!("{}, as `shape` and `data` say", show_shape(&[shape.len(), values.len()]));
                return Err(refuse(Place::Array("coords"), show_shape(crds.shape()), expected));
            }
            for (dimension, &extent) in shape.iter().enumerate() {
                let row = dimension * values.len()..(dimension + 1) * values.len();
                columns.push(self.crds("coords", &crds.as_slice::<i64>()?[row], extent)?);
            }
        } else {
            let &[rows, cols] = shape else {
                let found = format!("the shape {}", show_shape(shape));
                return Err(refuse(Place::Array("shape"), found, "a matrix, as there is no array `coords`"));
            };
            for (name, extent) in [("row", rows), ("col", cols)] {
                let crds = integers(self.archive, name, 1)?;
                same_length(name, crds.len(), "data", values.len())?;
                columns.push(self.crds(name, crds.as_slice()?, extent)?);
            }
        }
        Ok((columns, values))
    }

    /// The outer and the inner coordinates of compressed rows or columns.
    fn compressed(&mut self, outer: usize, inner: usize) -> Result<(Vec<usize>, Vec<usize>, Buffer), Reason> {
        let values = self.data(1)?;
        let (outer_crds, inner_crds) = self.structure(outer, inner)?;
        same_length("indices", inner_crds.len(), "data", values.len())?;
        Ok((outer_crds, inner_crds, values))
    }

    /// The outer and the inner coordinates that `indptr` and `indices` describe.
    fn structure(&mut self, outer: usize, inner: usize) -> Result<(Vec<usize>, Vec<usize>), Reason> {
        let pos = integers(self.archive, "indptr", 1)?;
        let indices = integers(self.archive, "indices", 1)?;
        let outer_crds = match self.request.structure {
            Structure::Check => segments("indptr", pos.as_slice()?, outer, indices.len())?,
            Structure::Trust => believed_segments(pos.as_slice()?, indices.len()),
        };
        Ok((outer_crds, self.crds("indices", indices.as_slice()?, inner)?))
    }

    /// Compressed rows of blocks.
    fn blocks(&mut self, rows: usize, columns: usize) -> Result<Coordinates, Reason> {
        let data = self.data(3)?;
        let &[count, height, width] = data.shape() else {
            return Err(Reason::Corrupt("no blocks".to_owned()));
        };
        if height == 0 || width == 0 || !rows.is_multiple_of(height) || !columns.is_multiple_of(width) {
            let expected = format!("blocks that divide the shape {}", show_shape(&[rows, columns]));
            return Err(refuse(
                Place::Array("data"),
                format!("blocks of shape {}", show_shape(&[height, width])),
                expected,
            ));
        }
        let (block_rows, block_columns) = self.structure(rows / height, columns / width)?;
        same_length("indices", block_columns.len(), "data", count)?;
        let (mut row_crds, mut column_crds) = (Vec::new(), Vec::new());
        for (block_row, block_column) in block_rows.iter().zip(&block_columns) {
            for element in 0..height * width {
                // Believed coordinates may be anything; a wrong one stays too large.
                row_crds.push(block_row.saturating_mul(height).saturating_add(element / width));
                column_crds.push(block_column.saturating_mul(width).saturating_add(element % width));
            }
        }
        let values = data.with_shape(&[row_crds.len()])?;
        self.entries(vec![rows, columns], vec![row_crds, column_crds], values, false)
    }

    /// Diagonals: `data[d, j]` is the element in column `j` of diagonal `offsets[d]`.
    fn diagonals(&mut self, rows: usize, columns: usize) -> Result<Coordinates, Reason> {
        let data = self.data(2)?;
        let offsets = integers(self.archive, "offsets", 1)?;
        let &[count, width] = data.shape() else { return Err(Reason::Corrupt("no diagonals".to_owned())) };
        same_length("offsets", offsets.len(), "data", count)?;
        let offsets: &[i64] = offsets.as_slice()?;
        let extent = |extent: usize| i128::try_from(extent).unwrap_or(i128::MAX);
        let mut sorted = offsets.to_vec();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let found = format!("the offset `{}` twice", pair[0]);
            let place = Place::Array("offsets");
            return Err(Refusal::new(Fault::Duplicate, place, found, "each diagonal once").into());
        }
        let (mut row_crds, mut column_crds) = (Vec::new(), Vec::new());
        let values = with_element!(data.dtype(), T => {
            let (elements, mut values) = (data.as_slice::<T>()?, Vec::new());
            for (diagonal, &offset) in offsets.iter().enumerate() {
                if i128::from(offset) <= -extent(rows) || i128::from(offset) >= extent(columns) {
                    let expected = format!("an offset of a diagonal of the shape {}", show_shape(&[rows, columns]));
                    return Err(out_of_range("offsets", diagonal, offset, expected));
                }
                for column in 0..width.min(columns) {
                    let row = usize::try_from(extent(column) - i128::from(offset)).ok().filter(|&row| row < rows);
                    let value = elements[diagonal * width + column];
                    if let Some(row) = row
                        && value != T::default()
                    {
                        row_crds.push(row);
                        column_crds.push(column);
                        values.push(value);
                    }
                }
            }
            Buffer::from_slice(&values, &[values.len()])?
        });
        self.entries(vec![rows, columns], vec![row_crds, column_crds], values, false)
    }
}

fn same_length(name: &'static str, found: usize, other: &str, expected: usize) -> Result<(), Reason> {
    if found == expected {
        return Ok(());
    }
    let expected = format!("{expected}, as many as `{other}` has");
    Err(refuse(Place::Array(name), format!("{found} elements"), expected))
}
