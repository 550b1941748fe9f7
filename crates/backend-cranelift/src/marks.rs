//! Which cells of scratch were stored to.
//!
//! One idea: a bit for each cell, a bit for each word of those that is not zero, and once more. The next cell that was stored to is
//! found from the top: what is asked for costs what is there and a word for 2¹⁸ cells, and nothing is sorted.

/// A record of the cells that were stored to.
#[derive(Debug)]
pub(crate) struct Marks {
    cells: usize,
    /// Of cells, of words of these, and of words of those.
    levels: [Vec<u64>; 3],
    /// No word of the last level before this one has a mark, while cells are taken one after the other.
    top: usize,
}

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

impl Marks {
    /// A record of so many cells, without marks; none where there is no memory for it.
    fn try_new(cells: usize) -> Option<Marks> {
        let mut bits = cells;
        let mut level = || {
            bits = bits.div_ceil(WORD);
            let mut words = Vec::new();
            words.try_reserve_exact(bits).ok()?;
            words.resize(bits, 0);
            Some(words)
        };
        Some(Marks { cells, levels: [level()?, level()?, level()?], top: 0 })
    }

    /// Marks a cell, if it is one.
    fn mark(&mut self, cell: usize) {
        if cell >= self.cells {
            return;
        }
        let mut bit = cell;
        for level in &mut self.levels {
            let word = &mut level[bit / WORD];
            let before = *word;
            *word |= 1 << (bit % WORD);
            if before != 0 {
                return;
            }
            bit /= WORD;
        }
    }

    /// The first marked cell, whose mark is taken off. In between, none is marked that lies before it.
    fn take(&mut self) -> Option<usize> {
        let [cells, words, groups] = &mut self.levels;
        let Some(top) = (self.top..groups.len()).find(|top| groups[*top] != 0) else {
            self.top = 0;
            return None;
        };
        self.top = top;
        let first = |at: usize, word: u64| at * WORD + word.trailing_zeros() as usize;
        let group = first(top, groups[top]);
        let word = first(group, words[group]);
        let cell = first(word, cells[word]);
        for (level, at) in [(cells, word), (words, group), (groups, top)] {
            level[at] &= level[at] - 1;
            if level[at] != 0 {
                break;
            }
        }
        Some(cell)
    }
}

/// A record for compiled code; null where there is no memory.
pub(crate) extern "C" fn begin(cells: i64) -> *mut Marks {
    let marks = usize::try_from(cells).ok().and_then(Marks::try_new);
    marks.map_or(std::ptr::null_mut(), |marks| Box::into_raw(Box::new(marks)))
}

/// Marks a cell; an index that is none does nothing.
pub(crate) extern "C" fn mark(marks: *mut Marks, cell: i64) {
    if let Ok(cell) = usize::try_from(cell) {
        // SAFETY: compiled code has the address from `begin`, inside the scope at whose end it says `end`, and lends it alone.
        unsafe { (*marks).mark(cell) }
    }
}

/// The first marked cell, whose mark is taken off; or -1.
pub(crate) extern "C" fn take(marks: *mut Marks) -> i64 {
    // SAFETY: as above.
    let cell = unsafe { (*marks).take() };
    cell.and_then(|cell| i64::try_from(cell).ok()).unwrap_or(-1)
}

/// The record's end.
pub(crate) extern "C" fn end(marks: *mut Marks) {
    // SAFETY: compiled code says so once, for an address from `begin` that is not null, and does not use it any more.
    drop(unsafe { Box::from_raw(marks) });
}

#[cfg(test)]
mod tests {
    use super::Marks;
    use std::collections::BTreeSet;

    /// What was marked is taken in order, once, whatever was marked and taken before; what is no cell is not marked.
    #[test]
    fn marked_cells_are_taken_in_order() {
        let mut state = 1u64;
        let mut random = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % end
        };
        for cells in [0, 1, 63, 64, 65, 4096, 4097, 300_000, 600_000] {
            let mut marks = Marks::try_new(cells).unwrap();
            for count in [0, 1, 5, 400] {
                let marked: BTreeSet<usize> = (0..count).map(|_| random(2 * cells.max(1))).collect();
                marked.iter().rev().chain(&marked).for_each(|cell| marks.mark(*cell));
                let expected: Vec<usize> = marked.into_iter().filter(|cell| *cell < cells).collect();
                let taken: Vec<usize> = std::iter::from_fn(|| marks.take()).collect();
                assert_eq!(taken, expected, "{count} of {cells}");
            }
        }
    }
}
