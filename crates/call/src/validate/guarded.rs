//! Arrays between cells that no kernel may touch.
//!
//! One idea: memory next to an array belongs to nobody, so what a kernel reads there must not matter, and
//! what it stores there shows. Before an array are [`BEFORE`] bytes; after it as many again as it has, and
//! some more, since a loop that runs once too often may store a whole row. What is there are cells of the
//! array in another order: a read past the end finds numbers that are as likely as its own.

use atl_loops::{Literal, Machine as _};
use atl_runtime::{Buffer, BufferView, BufferViewMut, Element, with_element};

/// Bytes before an array: its alignment stays what it was.
const BEFORE: usize = 256;

/// Bytes after an array, beside as many as it has.
const AFTER: usize = 4096;

/// An array with cells around it.
pub(super) struct Guarded {
    /// All of the cells.
    cells: Buffer,
    /// Where the array begins.
    start: usize,
    shape: Vec<usize>,
    /// What the cells around held at first.
    around: Vec<u8>,
}

impl Guarded {
    /// A copy of an array.
    pub(super) fn copy_of(view: &BufferView<'_>) -> Result<Guarded, String> {
        with_element!(view.dtype(), T => {
            let own = view.as_slice::<T>().map_err(|why| why.to_string())?;
            Guarded::around(own, view.shape())
        })
    }

    /// An array of which every cell differs from that of this one.
    pub(super) fn opposite_of(buffer: &Buffer) -> Result<Guarded, String> {
        // A number and its opposite differ in their exponents, so not both are NaN.
        with_element!(buffer.dtype(), T => {
            let cells = buffer.as_slice::<T>().map_err(|why| why.to_string())?;
            let opposite = |x: &T| <T>::of(Literal::of_bits(T::SCALAR, !x.value().bits()));
            Guarded::around(&cells.iter().map(opposite).collect::<Vec<T>>(), buffer.shape())
        })
    }

    fn around<T: Element>(own: &[T], shape: &[usize]) -> Result<Guarded, String> {
        let size = size_of::<T>();
        let (before, after) = (BEFORE / size, AFTER / size + own.len());
        let other = |k: usize| match own.len() {
            0 => T::default(),
            n => own[(k * 7 + 3) % n],
        };
        let mut cells: Vec<T> = (0..before).map(other).collect();
        cells.extend_from_slice(own);
        cells.extend((0..after).map(other));
        let cells = Buffer::from_slice(&cells, &[cells.len()]).map_err(|why| why.to_string())?;
        let mut guarded = Guarded { cells, start: before, shape: shape.to_vec(), around: Vec::new() };
        guarded.around = guarded.outside();
        Ok(guarded)
    }

    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The bytes of the cells around.
    fn outside(&self) -> Vec<u8> {
        let (bytes, size) = (self.cells.as_bytes(), self.cells.dtype().size());
        let (from, to) = (self.start * size, (self.start + self.len()) * size);
        [&bytes[..from], &bytes[to..]].concat()
    }

    /// The array, to be read.
    pub(super) fn view(&self) -> Result<BufferView<'_>, String> {
        let own = self.start..self.start + self.len();
        with_element!(self.cells.dtype(), T => {
            let cells = self.cells.as_slice::<T>().map_err(|why| why.to_string())?;
            BufferView::from_slice(&cells[own], &self.shape).map_err(|why| why.to_string())
        })
    }

    /// The array, to be written.
    pub(super) fn view_mut(&mut self) -> Result<BufferViewMut<'_>, String> {
        let own = self.start..self.start + self.len();
        with_element!(self.cells.dtype(), T => {
            let cells = self.cells.as_mut_slice::<T>().map_err(|why| why.to_string())?;
            BufferViewMut::from_slice(&mut cells[own], &self.shape).map_err(|why| why.to_string())
        })
    }

    /// A copy of the array.
    pub(super) fn content(&self) -> Result<Buffer, String> {
        Buffer::from_view(&self.view()?).map_err(|why| why.to_string())
    }

    /// Are the cells around as they were?
    pub(super) fn is_intact(&self) -> bool {
        self.outside() == self.around
    }

    /// Are all cells as they were, and the array that one?
    pub(super) fn is_copy_of(&self, view: &BufferView<'_>) -> bool {
        let same = |content: Buffer| {
            Buffer::from_view(view).is_ok_and(|buffer| buffer.as_bytes() == content.as_bytes())
        };
        self.is_intact() && self.content().is_ok_and(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_around_are_seen_and_those_inside_are_not() {
        let array = Buffer::from_slice(&[1i32, 2, 3, 4, 5, 6], &[2, 3]).expect("there is memory");
        let store = |at: isize| {
            let mut copy = Guarded::copy_of(&array.view()).expect("copied");
            assert!(copy.is_copy_of(&array.view()));
            let at = copy.start.checked_add_signed(at).expect("in the cells before");
            copy.cells.as_mut_slice::<i32>().expect("integers")[at] ^= 1;
            (copy.is_intact(), copy.is_copy_of(&array.view()))
        };
        assert_eq!([-1, 6, 12].map(store), [(false, false); 3]);
        assert_eq!([0, 5].map(store), [(true, false); 2]);
    }

    #[test]
    fn no_cell_of_the_opposite_is_the_same() {
        let numbers = [0.0f32, -0.0, 1.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE];
        let array = Buffer::from_slice(&numbers, &[7]).expect("there is memory");
        let opposite = Guarded::opposite_of(&array).and_then(|o| o.content()).expect("made");
        let opposite = opposite.as_slice::<f32>().expect("numbers");
        for (a, b) in numbers.iter().zip(opposite) {
            assert!(a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()), "{a} {b}");
        }
    }
}
