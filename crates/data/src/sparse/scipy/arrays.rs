//! The arrays of an archive, each of the rank and the kind that is expected of it.

use super::super::super::npz::Archive;
use super::super::super::refusal::{Fault, Place, Refusal};
use super::super::super::{Reason, npy};
use atl_runtime::shape::show_shape;
use atl_runtime::{Buffer, DType};

/// What is wrong with an array.
pub(super) fn refuse(place: Place, found: impl Into<String>, expected: impl Into<String>) -> Reason {
    Refusal::new(Fault::Structure, place, found, expected).into()
}

/// A coordinate that is outside of its extent.
pub(super) fn out_of_range(array: &'static str, element: usize, found: i64, expected: String) -> Reason {
    Refusal::new(Fault::Range, Place::Element(array, element), format!("`{found}`"), expected).into()
}

/// An array with this many dimensions.
pub(super) fn array(archive: &mut Archive<'_>, name: &'static str, rank: usize) -> Result<Buffer, Reason> {
    if !archive.has(name) {
        return Err(refuse(Place::File, format!("no array `{name}`"), "one, as the array `format` says"));
    }
    let buffer = npy::read(&archive.file(name)?)?;
    if buffer.rank() != rank {
        let found = format!("the shape {}", show_shape(buffer.shape()));
        return Err(refuse(Place::Array(name), found, format!("{rank} dimensions")));
    }
    Ok(buffer)
}

/// An array of integers with this many dimensions, row by row.
pub(super) fn integers(archive: &mut Archive<'_>, name: &'static str, rank: usize) -> Result<Buffer, Reason> {
    let buffer = array(archive, name, rank)?;
    match buffer.dtype() {
        dtype if dtype.is_integer() => Ok(buffer.convert(DType::I64)?),
        dtype => Err(refuse(Place::Array(name), format!("elements of type {dtype}"), "integers")),
    }
}

/// Coordinates, each below the extent.
pub(super) fn coordinates(name: &'static str, crds: &[i64], extent: usize) -> Result<Vec<usize>, Reason> {
    let mut checked = Vec::with_capacity(crds.len());
    for (element, &crd) in crds.iter().enumerate() {
        match usize::try_from(crd) {
            Ok(crd) if crd < extent => checked.push(crd),
            _ => {
                return Err(out_of_range(
                    name,
                    element,
                    crd,
                    format!("a coordinate from 0 to below {extent}"),
                ));
            }
        }
    }
    Ok(checked)
}

/// For each entry the coordinate whose segment it is in: `pos[c] <= entry < pos[c + 1]`.
pub(super) fn segments(
    name: &'static str,
    pos: &[i64],
    extent: usize,
    entries: usize,
) -> Result<Vec<usize>, Reason> {
    if pos.len().checked_sub(1) != Some(extent) {
        let expected = format!("{extent} and one more, as the shape says");
        return Err(refuse(Place::Array(name), format!("{} elements", pos.len()), expected));
    }
    if let Some(first) = pos.first().filter(|&&first| first != 0) {
        return Err(refuse(Place::Element(name, 0), format!("`{first}`"), "`0`"));
    }
    if let Some(at) = pos.windows(2).position(|pair| pair[1] < pair[0]) {
        let (found, before) = (pos[at + 1], pos[at]);
        let expected = format!("at least `{before}`, the element before it");
        return Err(refuse(Place::Element(name, at + 1), format!("`{found}`"), expected));
    }
    match pos.last() {
        Some(&last) if usize::try_from(last) == Ok(entries) => {}
        last => {
            let found = format!("`{}`", last.copied().unwrap_or_default());
            let expected = format!("`{entries}`, the number of elements of `indices`");
            return Err(refuse(Place::Element(name, extent), found, expected));
        }
    }
    let mut coordinates = vec![0; entries];
    for (coordinate, segment) in pos.windows(2).enumerate() {
        // In range: the positions ascend from 0 to the number of entries.
        coordinates[segment[0] as usize..segment[1] as usize].fill(coordinate);
    }
    Ok(coordinates)
}

/// The same where the positions are believed: whatever they are, there is a coordinate for every entry.
pub(super) fn believed_segments(pos: &[i64], entries: usize) -> Vec<usize> {
    let mut coordinates = Vec::with_capacity(entries);
    for (coordinate, &end) in pos.iter().skip(1).enumerate() {
        let end = usize::try_from(end).unwrap_or_default().clamp(coordinates.len(), entries);
        coordinates.resize(end, coordinate);
    }
    coordinates.resize(entries, pos.len().saturating_sub(2));
    coordinates
}
