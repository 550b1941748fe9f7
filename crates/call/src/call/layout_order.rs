//! A result in the order of a layout, brought into the order of its dimensions.
//!
//! Where an element lies is a sum with a term for each dimension: its coordinate, or its parts, times what
//! the axes inside hold. So a table for each dimension says where to read.

use atl_formats::Axis;
use atl_lang::Stored;
use atl_runtime::{Buffer, with_element};

/// The elements by their dimensions, from memory by the axes along which they are stored.
///
/// # Errors
/// There is no room for them, or the memory is not that of this shape.
pub(super) fn gathered(stored: &Stored, shape: &[usize], memory: &Buffer) -> Result<Buffer, String> {
    let tables = offsets(stored, shape)?;
    let mut dense = Buffer::zeros(memory.dtype(), shape).map_err(|why| why.to_string())?;
    with_element!(memory.dtype(), T => {
        let from = memory.as_slice::<T>().map_err(|why| why.to_string())?;
        let to = dense.as_mut_slice::<T>().map_err(|why| why.to_string())?;
        let mut to = to.iter_mut();
        each(&tables, 0, &mut |at| match (to.next(), from.get(at)) {
            (Some(to), Some(from)) => {
                *to = *from;
                Ok(())
            }
            _ => Err("an element of the result lies outside of its memory".to_owned()),
        })?;
    });
    Ok(dense)
}

/// For each dimension, how far each of its coordinates is from the first.
fn offsets(stored: &Stored, shape: &[usize]) -> Result<Vec<Vec<usize>>, String> {
    let mut tables: Vec<Vec<usize>> = shape.iter().map(|n| vec![0; *n]).collect();
    let mut inside = 1;
    for axis in stored.format.reshape().axes().iter().rev() {
        let (of, part): (usize, Box<dyn Fn(usize) -> usize>) = match *axis {
            Axis::Dimension(of) => (of, Box::new(|i| i)),
            Axis::Block { of, size } => (of, Box::new(move |i| i / size)),
            Axis::Within { of, size } => (of, Box::new(move |i| i % size)),
            Axis::Diagonal { .. } | Axis::Along { .. } => return Err("diagonals are no order".to_owned()),
        };
        let table = tables.get_mut(of).ok_or("an axis is of no dimension")?;
        table.iter_mut().enumerate().for_each(|(i, offset)| *offset += part(i) * inside);
        inside *= axis.extent(shape).map_err(|why| why.to_string())?;
    }
    Ok(tables)
}

/// The offset of each element, the last dimension fastest.
fn each(
    tables: &[Vec<usize>],
    offset: usize,
    visit: &mut dyn FnMut(usize) -> Result<(), String>,
) -> Result<(), String> {
    match tables {
        [] => visit(offset),
        [last] => last.iter().try_for_each(|part| visit(offset + part)),
        [first, inner @ ..] => first.iter().try_for_each(|part| each(inner, offset + part, visit)),
    }
}
