//! FROSTT files, `.tns`: a line for each entry, its coordinates counted from 1 and then its value.
//!
//! One idea: there is nothing else. The first line says how many dimensions there are; the extents are the
//! greatest coordinates, unless the caller knows better. Lines that begin with `#` are comments.

use std::fmt::Write;
use std::io::Read;
use std::str::FromStr;

use super::super::Reason;
use super::super::number::Text;
use super::super::refusal::{Fault, Refusal};
use super::entries::{Entries, LineMap};
use super::line::{Line, Written};
use super::text::Lines;
use atl_runtime::convert::Scalar;
use atl_runtime::shape::{MAX_RANK, show_shape};
use atl_runtime::with_element;
use atl_runtime::{Buffer, DType};
use atl_runtime::{Coordinates, Parts};

const COMMENT: u8 = b'#';

/// Extents are at most this, as arrays' are.
const MAX_EXTENT: usize = isize::MAX as usize;

/// Reads a tensor with values of this type, or doubles; of this shape, or the smallest that has room.
pub(super) fn read(
    source: impl Read,
    wanted: Option<DType>,
    shape: Option<&[usize]>,
) -> Result<Entries, Reason> {
    with_element!(wanted.unwrap_or(DType::F64), T => entries::<T>(Lines::new(source), shape))
}

fn entries<T: Scalar + FromStr>(
    mut lines: Lines<impl Read>,
    shape: Option<&[usize]>,
) -> Result<Entries, Reason> {
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); shape.map_or(0, <[usize]>::len)];
    let (mut values, mut map) = (Vec::new(), LineMap::default());
    while let Some(mut line) = lines.content(COMMENT)? {
        if values.is_empty() {
            columns.resize(rank(line, shape)?, Vec::new());
        }
        for (dimension, column) in columns.iter_mut().enumerate() {
            let extent = shape.map_or(MAX_EXTENT, |shape| shape[dimension]);
            column.push(line.coordinate("coordinate", extent)?);
        }
        let value = line.value::<T>(Written::Decimal)?;
        line.end()?;
        map.push(values.len(), line.number);
        values.push(value);
    }
    let shape = match shape {
        Some(shape) => shape.to_vec(),
        None if columns.is_empty() => {
            let expected = "an entry: coordinates and a value";
            let refusal = Refusal::new(Fault::Shapeless, lines.behind(), "the end of the file", expected);
            return Err(refusal.hint("without an entry, nothing says how many dimensions there are").into());
        }
        None => columns.iter().map(|column| column.iter().max().map_or(0, |crd| crd + 1)).collect(),
    };
    let values = Buffer::from_slice(&values, &[values.len()])?;
    Ok(Entries {
        stored: values.len(),
        mirrored: Vec::new(),
        lines: map,
        parts: Parts { shape, columns, values },
    })
}

/// The number of coordinates of the first line.
fn rank(mut line: Line<'_>, shape: Option<&[usize]>) -> Result<usize, Reason> {
    let first = line;
    let numbers = std::iter::from_fn(|| line.token()).take(MAX_RANK + 2).count();
    let (fault, fits, expected) = match shape {
        Some(shape) => {
            let expected =
                format!("{} coordinates and a value, for the shape {}", shape.len(), show_shape(shape));
            (Fault::Shape, numbers == shape.len() + 1, format!("{expected}, which is given"))
        }
        None => {
            let expected = format!("1 to {MAX_RANK} coordinates and a value");
            (Fault::Syntax, (2..=MAX_RANK + 1).contains(&numbers), expected)
        }
    };
    if fits {
        return Ok(numbers - 1);
    }
    Err(first.refuse_all(fault, format!("{numbers} numbers"), expected).into())
}

/// Writes a tensor of at least one dimension. Its extents are not in the file.
pub(super) fn write(tensor: &Coordinates) -> Result<Vec<u8>, Reason> {
    if tensor.rank() == 0 {
        let shape = show_shape(tensor.shape());
        return Err(Reason::Unsupported(format!("a tensor of shape {shape} has no coordinates to write")));
    }
    let mut text = String::new();
    with_element!(tensor.dtype(), T => {
        for (entry, &value) in tensor.values().as_slice::<T>()?.iter().enumerate() {
            for column in tensor.columns() {
                let _ = write!(text, "{} ", column[entry] + 1);
            }
            let _ = writeln!(text, "{}", Text(value));
        }
    });
    Ok(text.into_bytes())
}
