//! `states`: a list of states, in order; for tests, any pattern of ready and not ready.
//!
//! **Definition.** Each state is a position and a value. The value of a state that is not ready must not be
//! read. Positions never decrease, and at most one state of an index is ready. A skip passes states that are
//! not needed, all of them or one at a time.
//! **Laws.** All four.
//! **Loop.** None: it models a stream of which nothing else is known.

use crate::{Position, Stream};
use std::fmt::Debug;
use std::rc::Rc;

/// How far a skip goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// By one state at most.
    One,
    /// To the first state that the request needs.
    All,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct States<I, V> {
    states: Rc<[(Position<I>, V)]>,
    at: usize,
    steps: Steps,
}

impl<I: Copy + Ord + Debug, V> States<I, V> {
    /// The stream of these states.
    ///
    /// # Panics
    /// If positions fall, or two states of one index are ready.
    pub fn new(states: Vec<(Position<I>, V)>, steps: Steps) -> States<I, V> {
        let ordered = |a: &Position<I>, b: &Position<I>| a <= b && !(a == b && a.ready);
        assert!(states.windows(2).all(|pair| ordered(&pair[0].0, &pair[1].0)), "positions fall");
        States { states: states.into(), at: 0, steps }
    }
}

impl<I: Copy + Ord + Debug, V: Clone> Stream for States<I, V> {
    type Index = I;
    type Value = V;

    fn position(&self) -> Option<Position<I>> {
        self.states.get(self.at).map(|(position, _)| *position)
    }

    fn value(&self) -> V {
        self.states[self.at].1.clone()
    }

    fn skip(&mut self, to: Position<I>) {
        while self.position().is_some_and(|here| here <= to) {
            self.at += 1;
            if self.steps == Steps::One {
                break;
            }
        }
    }
}
