//! `compressed`: a segment of a sorted array of coordinates.
//!
//! **Definition.** The states are positions `p` of `crd[lo..hi]`, which strictly increases. The index is
//! `crd[p]`, always ready; the value is a function of `p`. `skip(i)` goes to the least position from `p` on
//! with `crd[p] >= i`; skipping past `i`, with `crd[p] > i`.
//! **Laws.** All four.
//! **Loop.** `p = lo; while p < hi { i = crd[p]; .. ; p += 1 }`; without a partner, the strict skip is
//! `p += 1`. With a partner, the least position is found linearly, by bisection, or by galloping, which takes
//! at most `2 log2 d + 4` comparisons for a distance of `d` positions. Bounds are tested before a coordinate
//! is read.

use crate::{Counter, Position, Stream};
use std::fmt;
use std::rc::Rc;

/// How the least place is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Only one place on: a skip is a step, and more follow if it did not suffice.
    Step,
    /// One after the other, until it is found.
    Linear,
    /// By halves of all that is left.
    Binary,
    /// Farther and farther on, then by halves of what lies between.
    Gallop,
}

/// See the module.
#[derive(Clone)]
pub struct Compressed<F> {
    crd: Rc<[usize]>,
    place: usize,
    end: usize,
    search: Search,
    probes: Counter,
    value: F,
}

impl<V, F: Fn(usize) -> V + Clone> Compressed<F> {
    /// The segment `lo..hi` of these coordinates, within which they strictly increase; `value` is given
    /// places. The coordinates that a skip looks at are counted by `probes`.
    ///
    /// # Panics
    /// If the segment is not one of the array.
    pub fn new(
        crd: Rc<[usize]>,
        segment: std::ops::Range<usize>,
        search: Search,
        probes: Counter,
        value: F,
    ) -> Compressed<F> {
        assert!(segment.start <= segment.end && segment.end <= crd.len(), "{segment:?} of {}", crd.len());
        Compressed { crd, place: segment.start, end: segment.end, search, probes, value }
    }

    /// Is the coordinate of this place, which there is, not needed?
    fn before(&self, place: usize, to: &Position<usize>) -> bool {
        self.probes.count();
        !to.needs(&self.crd[place])
    }

    /// The least place that is needed, or the end, but not so many places on.
    fn linear(&self, most: usize, to: &Position<usize>) -> usize {
        let end = self.end.min(self.place.saturating_add(most));
        (self.place..end).find(|place| !self.before(*place, to)).unwrap_or(end)
    }

    /// The least place of `low..high` that is needed, or the end.
    fn halves(&self, mut low: usize, mut high: usize, to: &Position<usize>) -> usize {
        while low < high {
            let middle = low + (high - low) / 2;
            if self.before(middle, to) { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn gallop(&self, to: &Position<usize>) -> usize {
        let (mut low, mut place, mut step) = (self.place, self.place, 1);
        while place < self.end && self.before(place, to) {
            low = place + 1;
            place += step;
            step *= 2;
        }
        self.halves(low, place.min(self.end), to)
    }
}

impl<V, F: Fn(usize) -> V + Clone> Stream for Compressed<F> {
    type Index = usize;
    type Value = V;

    fn position(&self) -> Option<Position<usize>> {
        (self.place < self.end).then(|| Position::past(self.crd[self.place]))
    }

    fn value(&self) -> V {
        (self.value)(self.place)
    }

    fn skip(&mut self, to: Position<usize>) {
        self.place = match self.search {
            Search::Step => self.linear(1, &to),
            Search::Linear => self.linear(usize::MAX, &to),
            Search::Binary => self.halves(self.place, self.end, &to),
            Search::Gallop => self.gallop(&to),
        };
    }
}

impl<F> fmt::Debug for Compressed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "compressed({:?})", &self.crd[self.place..self.end])
    }
}
