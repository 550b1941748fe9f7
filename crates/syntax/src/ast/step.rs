//! Steps of a schedule.
//!
//! The one idea: all steps have one grammar, `NAME arguments clause* block*`, where a clause is a word
//! (`by at around in as to along with from using`, or the flags `everywhere first last backwards`) and its
//! arguments, and a block is `{ steps }`, joined by `or` to one before it. Which words, arguments and
//! blocks a directive takes is the scheduler's business, so a new directive does not touch the syntax.
//!
//! `compute bx at x.o` is the step `compute` with argument `bx` and clause `at` with argument `x.o`;
//! `first_of { peel; } or { split i by 8; }` is the step `first_of` with two blocks.

use super::{BinaryOp, Expr, ExprKind, Name, node};

node! {
    /// One step: a directive, a rewrite, or the use of a `def`.
    pub struct Step {
        /// The directive: `tile`, `rw`, `unfold`, …
        pub name: Name,
        /// What stands before the first clause.
        pub args: Vec<Argument>,
        /// The clauses, in the order written.
        pub clauses: Vec<Clause>,
        /// The blocks after them, joined by `or`; a step with blocks needs no `;`.
        pub blocks: Vec<Block>,
    }
}

node! {
    /// `{ steps }`.
    pub struct Block {
        /// The steps.
        pub steps: Vec<Step>,
    }
}

node! {
    /// `by 64, 64`, `at x.o`, `everywhere`.
    pub struct Clause {
        /// The word.
        pub word: Name,
        /// Its arguments; none for a flag.
        pub args: Vec<Argument>,
    }
}

node! {
    /// An argument: an expression or pattern, or `k = 8`.
    pub struct Argument {
        /// The name before `=`, if there is one.
        pub name: Option<Name>,
        /// The argument.
        pub value: Expr,
    }
}

/// A loop: `y`, `y.o`, or `bx/y` for the loop `y` in the let `bx`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopRef {
    /// The let that the loop is in, when given.
    pub within: Option<Name>,
    /// The loop's name.
    pub name: Name,
}

impl Step {
    /// The first clause with this word.
    pub fn clause(&self, word: &str) -> Option<&Clause> {
        self.clauses.iter().find(|clause| clause.word.text == word)
    }
}

impl Argument {
    /// The name, when the argument is nothing else.
    pub fn as_name(&self) -> Option<Name> {
        if self.name.is_some() { None } else { self.value.as_name() }
    }

    /// The loop, when the argument can be read as one. A lone name may also be a let's.
    pub fn as_loop(&self) -> Option<LoopRef> {
        if self.name.is_some() {
            return None;
        }
        match &self.value.kind {
            ExprKind::Binary(BinaryOp::Div, within, name) => {
                Some(LoopRef { within: Some(within.as_name()?), name: name.as_name()? })
            }
            _ => Some(LoopRef { within: None, name: self.value.as_name()? }),
        }
    }

    /// The number, when the argument is a literal one.
    pub fn as_int(&self) -> Option<u64> {
        match (&self.name, &self.value.kind) {
            (None, ExprKind::Int(value)) => Some(*value),
            _ => None,
        }
    }
}
