//! Answers remembered: a schedule asks the same question at every inference that passes by.
//!
//! A question is the hypotheses in order and the goal, by a 128-bit hash. Should two questions ever have one
//! hash, the kernel refuses the other's certificate; nothing false is proved.

use crate::said::Hypotheses;
use atl_kernel::{Cert, Ctx, Ix, Pred};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// How many answers are kept; beyond that all are forgotten.
const CAPACITY: usize = 1 << 15;

/// The hash of a question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Question(u128);

impl Question {
    /// What is asked when `goal` is to follow from `ctx`.
    pub(crate) fn of(ctx: &Ctx, goal: &Pred) -> Question {
        let mut wide = Wide::from(Hypotheses::of(ctx, Hypotheses::hash));
        goal.hash(&mut wide);
        Question(wide.0)
    }

    /// What is asked when a term is to become simpler under `ctx`.
    pub(crate) fn of_term(ctx: &Ctx, ix: &Ix) -> Question {
        Question::of(ctx, &Pred::eq(ix.clone(), Ix::ZERO))
    }
}

/// A hasher of 128 bits: one multiplication for each word. Contexts are hashed at every question, so it is quick.
#[derive(Default)]
pub(crate) struct Wide(u128);

/// Odd, with its bits well spread.
const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

impl Wide {
    /// Take in a word.
    pub(crate) fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ u128::from(word)).wrapping_add(1).wrapping_mul(FACTOR).rotate_left(59);
    }
}

impl From<u128> for Wide {
    /// After what was taken in that is this number.
    fn from(number: u128) -> Wide {
        Wide(number)
    }
}

impl Wide {
    /// What was taken in, as a number.
    pub(crate) fn number(self) -> u128 {
        self.0
    }

    /// The question that was taken in.
    pub(crate) fn question(self) -> Question {
        Question(self.0)
    }
}

impl Hasher for Wide {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }
    fn finish(&self) -> u64 {
        (self.0 >> 64) as u64
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
