//! The laws of streams, as properties that can be checked.
//!
//! **The one idea.** All that can be observed of a state is its *trace*: where it stands and what it emits,
//! from there to the end, each state being advanced. A law compares the trace before a request with the one
//! after. [`first_violation`] tries every request in every state that requests lead to.
//!
//! | law | what it says of `q' = skip(q, p)` |
//! |---|---|
//! | progress | `q'` has no more states left than `q`; and has fewer, if `p` is where `q` stands or later |
//! | monotone | `q'` has ended, or its index is not below that of `q` |
//! | preservation | at each index that the request needs, the same values are emitted from `q'` on as from `q` on |
//! | strictness | if `q` is ready and `p` is where it stands or later, `q'` has ended or its index is greater |
//!
//! A stream with the first three is *lawful*: it may be evaluated, added and contracted. Factors of products
//! need the fourth, which says that an index is emitted once. Preservation is about values, not their sums:
//! they need not be addable.

use crate::{Position, Stream};
use std::collections::VecDeque;
use std::fmt::Debug;

/// A law. The table is in the module's comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Law {
    /// Requests lead towards the end.
    Progress,
    /// Indices never fall.
    Monotone,
    /// What is needed is not lost.
    Preservation,
    /// Each index is emitted once.
    Strictness,
}

/// What may be evaluated, added and contracted.
pub const LAWFUL: &[Law] = &[Law::Progress, Law::Monotone, Law::Preservation];
/// What may be multiplied as well.
pub const STRICTLY_LAWFUL: &[Law] = &[Law::Progress, Law::Monotone, Law::Preservation, Law::Strictness];

/// More states than this are taken for endlessly many.
const ENDLESS: usize = 10_000;

/// What can be observed of a state: every position from it on, with the values of those that are ready.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace<I, O> {
    states: Vec<(Position<I>, Option<O>)>,
    ends: bool,
}

impl<I: Copy + Ord + Debug, O: PartialEq + Debug> Trace<I, O> {
    /// The trace of a stream, whose values are looked at by `observe`.
    pub fn of<S: Stream<Index = I>>(stream: &S, observe: &impl Fn(S::Value) -> O) -> Trace<I, O> {
        let (mut stream, mut states) = (stream.clone(), Vec::new());
        while let Some(here) = stream.position() {
            if states.len() == ENDLESS {
                return Trace { states, ends: false };
            }
            states.push((here, here.ready.then(|| observe(stream.value()))));
            stream.advance();
        }
        Trace { states, ends: true }
    }

    /// Every position, and the values of those that are ready.
    pub fn states(&self) -> &[(Position<I>, Option<O>)] {
        &self.states
    }

    fn position(&self) -> Option<Position<I>> {
        self.states.first().map(|(position, _)| *position)
    }

    /// The indices that the request needs with what is emitted there, in order.
    fn needed<'a>(&'a self, request: &Position<I>) -> Vec<(&'a I, &'a O)> {
        let emitted = self.states.iter().filter_map(|(here, value)| Some((&here.index, value.as_ref()?)));
        emitted.filter(|(index, _)| request.needs(index)).collect()
    }
}

impl Law {
    /// Does it hold for a state of the first trace, which this request leads to the second?
    pub fn holds<I: Copy + Ord + Debug, O: PartialEq + Debug>(
        self,
        from: &Trace<I, O>,
        request: Position<I>,
        to: &Trace<I, O>,
    ) -> bool {
        let (before, after) = (from.position(), to.position());
        let reached = before.is_some_and(|here| request >= here);
        match self {
            Law::Progress => {
                let (before, after) = (from.states.len(), to.states.len());
                from.ends && to.ends && if reached { after < before } else { after <= before }
            }
            Law::Monotone => match (before, after) {
                (Some(before), Some(after)) => before.index <= after.index,
                (_, after) => after.is_none(),
            },
            Law::Preservation => same(from.needed(&request), to.needed(&request)),
            Law::Strictness => match (before, after) {
                (Some(before), Some(after)) if before.ready && reached => before.index < after.index,
                _ => true,
            },
        }
    }
}

/// Are these the same, but for their order?
fn same<T: PartialEq>(a: Vec<T>, mut b: Vec<T>) -> bool {
    let found = a.iter().all(|x| match b.iter().position(|y| x == y) {
        Some(at) => {
            b.swap_remove(at);
            true
        }
        None => false,
    });
    found && b.is_empty()
}

/// A law that does not hold, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation<I, O> {
    /// The law.
    pub law: Law,
    /// The requests that lead to the state from the first one.
    pub before: Vec<Position<I>>,
    /// The state.
    pub from: Trace<I, O>,
    /// The request.
    pub request: Position<I>,
    /// Where it leads.
    pub to: Trace<I, O>,
}

/// Looks for a violation of these laws: in each of the first `states` states that these requests lead to,
/// each request is tried. States that look alike, also after one more request, are taken for one.
pub fn first_violation<S: Stream, O: PartialEq + Debug + Clone>(
    stream: &S,
    laws: &[Law],
    requests: &[Position<S::Index>],
    states: usize,
    observe: impl Fn(S::Value) -> O,
) -> Option<Violation<S::Index, O>> {
    let mut seen = Vec::new();
    let mut waiting = VecDeque::from([(Vec::new(), stream.clone())]);
    while let Some((before, state)) = waiting.pop_front() {
        let from = Trace::of(&state, &observe);
        let next = |request: &Position<S::Index>| {
            let mut next = state.clone();
            next.skip(*request);
            (Trace::of(&next, &observe), next)
        };
        let (traces, reached): (Vec<_>, Vec<_>) = requests.iter().map(next).unzip();
        for (request, to) in requests.iter().zip(&traces) {
            if let Some(law) = laws.iter().find(|law| !law.holds(&from, *request, to)) {
                let (request, to) = (*request, to.clone());
                return Some(Violation { law: *law, before, from, request, to });
            }
        }
        let looks = (from, traces);
        if seen.len() == states || seen.contains(&looks) {
            continue;
        }
        seen.push(looks);
        for (request, next) in requests.iter().zip(reached) {
            waiting.push_back(([&before[..], &[*request]].concat(), next));
        }
    }
    None
}

/// Every request for an index below `extent`, and one beyond.
pub fn requests(extent: usize) -> Vec<Position<usize>> {
    (0..=extent).flat_map(|index| [Position::at(index), Position::past(index)]).collect()
}
