//! Where a stream is, and the position that it is to skip to.
//!
//! **The one idea.** Where it stands and what may be asked are the same things, in one order: an index, and
//! whether something is emitted there. At one index, standing there without emitting comes first. That a
//! stream has ended comes after all.

/// An index, and whether the stream emits there. Ordered by the index first.
///
/// As a request, it says what is not needed any more: nothing before the index, and if `ready`, nothing at it
/// either. So a stream leaves its own position when the request is equal to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position<I> {
    /// The index.
    pub index: I,
    /// Is there a value?
    pub ready: bool,
}

impl<I> Position<I> {
    /// A position without a value. As a request: nothing before the index is needed.
    pub fn at(index: I) -> Position<I> {
        Position { index, ready: false }
    }

    /// A position with a value. As a request: nothing up to the index is needed.
    pub fn past(index: I) -> Position<I> {
        Position { index, ready: true }
    }
}

impl<I: Ord> Position<I> {
    /// May what a stream emits at this index be needed after the request?
    pub fn needs(&self, index: &I) -> bool {
        if self.ready { *index > self.index } else { *index >= self.index }
    }
}

/// Does the first come no later than the second? `None` has ended, which comes after all.
pub(crate) fn no_later<I: Ord>(a: &Option<Position<I>>, b: &Option<Position<I>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a <= b,
        (Some(_), None) => true,
        (None, _) => b.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Position, no_later};

    #[test]
    fn not_ready_comes_first_and_ended_last() {
        let order = [Some(Position::at(0)), Some(Position::past(0)), Some(Position::at(1)), None];
        for (k, a) in order.iter().enumerate() {
            for (l, b) in order.iter().enumerate() {
                assert_eq!(no_later(a, b), k <= l, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn requests_need_what_they_do_not_pass() {
        assert!(Position::at(3).needs(&3) && !Position::at(3).needs(&2));
        assert!(Position::past(3).needs(&4) && !Position::past(3).needs(&3));
    }
}
