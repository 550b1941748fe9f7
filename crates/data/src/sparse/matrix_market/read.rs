//! Reading: the banner, comments, the size, and as many lines of entries as the size says.
//!
//! Of a symmetric matrix by coordinates either triangle may be written, or some of both; an array has the
//! lower one.

use std::io::Read;
use std::str::FromStr;

use super::super::super::Reason;
use super::super::super::refusal::{Fault, Refusal};
use super::super::Content;
use super::super::entries::{Entries, LineMap};
use super::super::line::{Line, Written, natural};
use super::super::text::Lines;
use super::header::{Field, Header, Layout, Symmetry};
use atl_runtime::Parts;
use atl_runtime::convert::{Number, Scalar};
use atl_runtime::shape::element_count;
use atl_runtime::with_element;
use atl_runtime::{Buffer, DType};

const COMMENT: u8 = b'%';

/// For how many entries there is room before one is seen: a count that a file declares is believed so far.
/// Room that is not used takes no memory.
const FIRST_ROOM: usize = 1 << 22;

/// Reads a matrix with values of this type, or of the file's own.
pub(in super::super) fn read(source: impl Read, wanted: Option<DType>) -> Result<Content, Reason> {
    let mut lines = Lines::new(source);
    let header = Header::read(&mut lines)?;
    with_element!(wanted.unwrap_or(header.field.dtype()), T => match header.layout {
        Layout::Coordinate => coordinates::<T>(lines, header).map(Content::Sparse),
        Layout::Array => array::<T>(lines, header).map(Content::Dense),
    })
}

/// The numbers of the size line, of which the first two are extents.
fn size<const N: usize>(lines: &mut Lines<impl Read>, header: Header) -> Result<[usize; N], Reason> {
    let expected = match header.layout {
        Layout::Coordinate => "the numbers of rows, columns and entries",
        Layout::Array => "the numbers of rows and columns",
    };
    let behind = lines.behind();
    let Some(mut line) = lines.content(COMMENT)? else {
        return Err(Refusal::new(Fault::Syntax, behind, "the end of the file", expected).into());
    };
    let mut size = [0; N];
    for number in &mut size {
        let token = line.token();
        *number = token
            .and_then(natural)
            .filter(|&number| isize::try_from(number).is_ok())
            .ok_or_else(|| line.refuse(Fault::Syntax, token, expected))?;
    }
    line.end()?;
    if header.symmetry != Symmetry::General && size[0] != size[1] {
        let found = format!("{} rows and {} columns", size[0], size[1]);
        let expected = "as many rows as columns, as the matrix is symmetric";
        return Err(line.refuse_all(Fault::Syntax, found, expected).into());
    }
    Ok(size)
}

/// Hands the lines to `entry` with their numbers from 0, exactly as many as declared.
fn exactly<R: Read>(
    lines: &mut Lines<R>,
    declared: usize,
    mut entry: impl FnMut(usize, Line<'_>) -> Result<(), Reason>,
) -> Result<(), Reason> {
    for number in 0..declared {
        let Some(line) = lines.content(COMMENT)? else {
            let found = format!("the end of the file behind {number} entries");
            let expected = format!("the {declared} that it declares");
            return Err(Refusal::new(Fault::Syntax, lines.behind(), found, expected).into());
        };
        entry(number, line)?;
    }
    match lines.content(COMMENT)? {
        None => Ok(()),
        Some(mut line) => {
            let expected = format!("the end of the file behind the {declared} entries that it declares");
            let token = line.token();
            Err(line.refuse(Fault::Syntax, token, expected).into())
        }
    }
}

fn written(field: Field) -> Written {
    if field == Field::Real { Written::Decimal } else { Written::Whole }
}

/// The layout by coordinates.
fn coordinates<T: Scalar + FromStr>(mut lines: Lines<impl Read>, header: Header) -> Result<Entries, Reason> {
    let [rows, columns, declared] = size(&mut lines, header)?;
    let room = declared.min(FIRST_ROOM);
    let (mut row_crds, mut column_crds) = (Vec::with_capacity(room), Vec::with_capacity(room));
    let mut values = Vec::with_capacity(room);
    let mut map = LineMap::default();
    exactly(&mut lines, declared, |number, mut line| {
        let (row, column) = (line.coordinate("row", rows)?, line.coordinate("column", columns)?);
        let value = match header.field {
            // Every element type has the number 1.
            Field::Pattern => T::from_number(Number::Int(1)).unwrap_or_default(),
            field => line.value::<T>(written(field))?,
        };
        line.end()?;
        off_diagonal(&line, row, column, header.symmetry)?;
        map.push(number, line.number);
        row_crds.push(row);
        column_crds.push(column);
        values.push(value);
        Ok(())
    })?;
    let has_other = |entry: &usize| row_crds[*entry] != column_crds[*entry];
    let mirrored: Vec<usize> = match header.symmetry {
        Symmetry::General => Vec::new(),
        Symmetry::Symmetric | Symmetry::SkewSymmetric => (0..declared).filter(has_other).collect(),
    };
    row_crds.reserve_exact(mirrored.len());
    column_crds.reserve_exact(mirrored.len());
    values.reserve_exact(mirrored.len());
    for &entry in &mirrored {
        row_crds.push(column_crds[entry]);
        column_crds.push(row_crds[entry]);
        let value = header.symmetry.mirror(values[entry]);
        values.push(value.ok_or_else(|| no_opposite(&Line::new(map.line(entry), b""), values[entry]))?);
    }
    let values = Buffer::from_slice(&values, &[values.len()])?;
    let parts = Parts { shape: vec![rows, columns], columns: vec![row_crds, column_crds], values };
    Ok(Entries { parts, stored: declared, mirrored, lines: map })
}

/// The layout of all elements, by columns; of a symmetric matrix, of the lower triangle.
fn array<T: Scalar + FromStr>(mut lines: Lines<impl Read>, header: Header) -> Result<Buffer, Reason> {
    let [rows, columns] = size(&mut lines, header)?;
    let count = element_count(T::DTYPE, &[rows, columns])?;
    let declared = match header.symmetry {
        Symmetry::General => count,
        // The elements of a square fit, so those of its triangles do.
        Symmetry::Symmetric => count - (count - rows) / 2,
        Symmetry::SkewSymmetric => (count - rows) / 2,
    };
    let mut values = Vec::new();
    exactly(&mut lines, declared, |_, mut line| {
        let value = line.value::<T>(written(header.field))?;
        if header.symmetry.mirror(value).is_none() {
            return Err(no_opposite(&line, value));
        }
        values.push(value);
        line.end()
    })?;
    let mut dense = Buffer::zeros(T::DTYPE, &[rows, columns])?;
    let cells = dense.as_mut_slice::<T>()?;
    let mut values = values.into_iter();
    for column in 0..columns {
        let written = (0..rows).filter(|&row| header.symmetry.writes(row, column));
        for (row, value) in written.zip(&mut values) {
            cells[row * columns + column] = value;
            if header.symmetry != Symmetry::General {
                cells[column * columns + row] = header.symmetry.mirror(value).unwrap_or(value);
            }
        }
    }
    Ok(dense)
}

fn no_opposite<T: Scalar>(line: &Line<'_>, value: T) -> Reason {
    let expected = format!("a number of type {} whose opposite is one", T::DTYPE);
    line.refuse_all(Fault::Value, format!("`{}`", value.to_number()), expected).into()
}

/// Refuses an entry on the diagonal that the format says is zero. Entries above the diagonal stand for those
/// below as these do for them: a file may hold either triangle.
fn off_diagonal(line: &Line<'_>, row: usize, column: usize, symmetry: Symmetry) -> Result<(), Reason> {
    if symmetry != Symmetry::SkewSymmetric || row != column {
        return Ok(());
    }
    let found = format!("an entry at ({}, {})", row + 1, column + 1);
    let expected = format!("one off the diagonal, as the matrix is {}", symmetry.name());
    let refusal = line.refuse_all(Fault::Syntax, found, expected);
    Err(refusal.hint("the opposite of such an entry is itself: leave it out").into())
}
