//! Sorting a few different numbers, in a near cache.
//!
//! **The one idea.** No processor foresees how numbers compare, so hardly anything branches on it. Sorted
//! runs are merged in pairs; they are those that the numbers consist of, as rows do that become a block, or
//! short ones that are made where there is no order.

/// Runs that are made have so many numbers.
const RUN: usize = 8;

/// Room for numbers that are sorted.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// What is merged.
    from: Vec<u64>,
    /// What it is merged into.
    to: Vec<u64>,
    /// Where sorted runs end.
    ends: Vec<usize>,
}

impl Numbers {
    /// Room for so many.
    pub(crate) fn of(most: usize) -> Numbers {
        let room = vec![0; most.next_multiple_of(RUN)];
        Numbers { from: room.clone(), to: room, ends: Vec::new() }
    }

    /// These numbers, sorted. They are no more than there is room for.
    pub(crate) fn sorted(&mut self, numbers: impl ExactSizeIterator<Item = u64>) -> &[u64] {
        let len = numbers.len();
        self.from.iter_mut().zip(numbers).for_each(|(slot, number)| *slot = number);
        runs(&mut self.from, len, &mut self.ends);
        while self.ends.len() > 1 {
            merge_pairs(&self.from, &mut self.to, &mut self.ends);
            std::mem::swap(&mut self.from, &mut self.to);
        }
        &self.from[..len]
    }
}

/// Finds the sorted runs that these numbers consist of, or makes some where they are very short.
fn runs(numbers: &mut [u64], len: usize, ends: &mut Vec<usize>) {
    ends.clear();
    let descents = numbers[..len].windows(2).fold(0, |count, pair| count + usize::from(pair[0] > pair[1]));
    if descents * RUN <= len {
        ends.extend((1..len).filter(|at| numbers[at - 1] > numbers[*at]));
        ends.push(len);
        return;
    }
    // What fills the last run goes behind all others.
    numbers[len..len.next_multiple_of(RUN)].fill(u64::MAX);
    for (start, run) in (0..len).step_by(RUN).zip(numbers.as_chunks_mut().0) {
        *run = sort_run(*run);
        ends.push(len.min(start + RUN));
    }
}

/// Sorts a run by Batcher's network: what is compared with what does not depend on the numbers.
fn sort_run(run: [u64; RUN]) -> [u64; RUN] {
    let run = exchanged(run, [(0, 1), (2, 3), (4, 5), (6, 7)]);
    let run = exchanged(run, [(0, 2), (1, 3), (4, 6), (5, 7)]);
    let run = exchanged(run, [(1, 2), (5, 6)]);
    let run = exchanged(run, [(0, 4), (1, 5), (2, 6), (3, 7)]);
    let run = exchanged(run, [(2, 4), (3, 5)]);
    exchanged(run, [(1, 2), (3, 4), (5, 6)])
}

/// A run with the smaller number of each pair at its first place.
#[inline]
fn exchanged<const N: usize>(mut run: [u64; RUN], pairs: [(usize, usize); N]) -> [u64; RUN] {
    for (a, b) in pairs {
        (run[a], run[b]) = (run[a].min(run[b]), run[a].max(run[b]));
    }
    run
}

/// Merges the first run with the second, the third with the fourth, and so on.
fn merge_pairs(from: &[u64], to: &mut [u64], ends: &mut Vec<usize>) {
    let mut start = 0;
    for pair in 0..ends.len().div_ceil(2) {
        let middle = ends[2 * pair];
        let end = ends.get(2 * pair + 1).copied().unwrap_or(middle);
        merge(&from[start..end], middle - start, &mut to[start..end]);
        ends[pair] = end;
        start = end;
    }
    ends.truncate(ends.len().div_ceil(2));
}

/// Merges two sorted runs. Each step waits for the one before; the largest numbers are taken from the other
/// end meanwhile.
fn merge(runs: &[u64], middle: usize, to: &mut [u64]) {
    let (mut left, mut right) = runs.split_at(middle);
    let (mut low, mut high) = (0, to.len());
    while left.len() > 1 && right.len() > 1 {
        let (a, b) = (left[0], right[0]);
        let takes_right = usize::from(b < a);
        to[low] = a.min(b);
        let (c, d) = (left[left.len() - 1], right[right.len() - 1]);
        let keeps_left = usize::from(c < d);
        (low, high) = (low + 1, high - 1);
        to[high] = c.max(d);
        left = &left[1 - takes_right..left.len() - (1 - keeps_left)];
        right = &right[takes_right..right.len() - keeps_left];
    }
    while let (Some(a), Some(b)) = (left.first(), right.first()) {
        if b < a {
            (to[low], right) = (*b, &right[1..]);
        } else {
            (to[low], left) = (*a, &left[1..]);
        }
        low += 1;
    }
    to[low..high].copy_from_slice(if left.is_empty() { right } else { left });
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    /// Sorts numbers in room that others were in.
    fn check(numbers: &[u64]) {
        let mut room = Numbers::of(80);
        room.sorted([3; 80].into_iter());
        let mut expected = numbers.to_vec();
        expected.sort_unstable();
        assert_eq!(room.sorted(numbers.iter().copied()), expected, "{numbers:?}");
    }

    #[test]
    fn numbers_are_sorted_whatever_runs_they_consist_of() {
        let mut state = 5u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 20
        };
        for len in 0..=80 {
            let none: Vec<u64> = (0..len).map(|_| random()).collect();
            check(&none);
            check(&none.iter().map(|number| u64::MAX - number).collect::<Vec<u64>>());
            for run in [1, 2, 7, 8, 9, 30, 80] {
                let mut runs = none.clone();
                runs.chunks_mut(run).for_each(|run| run.sort_unstable());
                check(&runs);
            }
            // One number that is out of place, at either end.
            let mut sorted = none.clone();
            sorted.sort_unstable();
            sorted.rotate_left(len.min(1));
            check(&sorted);
            sorted.rotate_right(2.min(len));
            check(&sorted);
        }
        check(&[u64::MAX, 0, u64::MAX - 1, 1, 3, 2, 5, 4, 7]);
    }
}
