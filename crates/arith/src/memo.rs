//! Answers remembered: a schedule asks the same question at every inference that passes by.
//!
//! A question is the hypotheses in order and the goal, by a 128-bit hash. Should two questions ever have one
//! hash, the kernel refuses the other's certificate; nothing false is proved.

use atl_kernel::{Cert, Ctx, Pred};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many answers are kept; beyond that all are forgotten.
const CAPACITY: usize = 1 << 15;

/// The hash of a question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Question(u64, u64);

impl Question {
    /// What is asked when `goal` is to follow from `ctx`.
    pub(crate) fn of(ctx: &Ctx, goal: &Pred) -> Question {
        let (mut one, mut two) = (DefaultHasher::new(), DefaultHasher::new());
        two.write_u8(1);
        for (_, hypothesis) in ctx.hypotheses() {
            hypothesis.hash(&mut one);
            hypothesis.hash(&mut two);
        }
        goal.hash(&mut one);
        goal.hash(&mut two);
        Question(one.finish(), two.finish())
    }
}

/// Answers by question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    answers: HashMap<Question, Option<Cert>>,
}

impl Memo {
    /// The answer, if the question was asked before.
    pub(crate) fn get(&self, question: Question) -> Option<Option<Cert>> {
        self.answers.get(&question).cloned()
    }

    /// Remember an answer.
    pub(crate) fn insert(&mut self, question: Question, answer: Option<Cert>) {
        if self.answers.len() >= CAPACITY {
            self.answers.clear();
        }
        self.answers.insert(question, answer);
    }
}
