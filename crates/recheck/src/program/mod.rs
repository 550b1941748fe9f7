//! Loops over flat buffers, as a file has them, and the steps by which they are seen to compute a term.
//!
//! Statements, values, readings and steps are named by the numbers of their lines. A loop's variable is
//! `bound` in the index terms of its body; an array that index terms read is a tensor of the claim's
//! context. Nothing of this is believed: `fill` replays the steps.

mod fill;
mod known;
mod machine;
mod nests;
mod operators;
mod pairs;
mod pieces;
mod place;
mod read;
mod rounds;
mod show;
mod temporaries;
mod updates;
mod values;
mod vectors;
mod windows;

use crate::names::named;
use crate::prelude::*;
use crate::refusal::Refusal;

pub(crate) use fill::Filling;

/// A buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Buffer {
    /// The tensor at a level, which nothing stores to.
    Input(u32),
    Output,
    Scratch(Scalar),
}

/// What cells hold when their lifetime begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Begin {
    Unset,
    /// The value of a line.
    Value(usize),
}

named! {
    /// How the iterations of a loop may be run.
    Kind { Serial "serial", Unroll "unroll", Parallel "parallel", Vector "vector", }
}

impl Kind {
    /// At once, or in any order.
    pub(crate) fn is_concurrent(self) -> bool {
        matches!(self, Kind::Parallel | Kind::Vector)
    }
}

/// A loop's head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    kind: Kind,
    /// How many iterations are done at once, if they are whole vectors.
    lanes: Option<u32>,
    lo: Ix,
    hi: Ix,
}

impl Head {
    pub(crate) fn is_concurrent(&self) -> bool {
        self.kind.is_concurrent()
    }

    pub(crate) fn lanes(&self) -> Option<u32> {
        self.lanes
    }

    pub(crate) fn first(&self) -> Ix {
        self.lo
    }

    pub(crate) fn end(&self) -> Ix {
        self.hi
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Sequence(Vec<usize>),
    For(Head, usize),
    /// A buffer and a cell that is brought near: nothing.
    Prefetch,
    If(Pred, usize, Option<usize>),
    /// The extents, and what may use the buffer.
    Alloc(usize, Begin, Vec<Ix>, usize),
    Reset(usize, Begin),
    /// A buffer, and the first and the end of the cells that hold nothing any more.
    Forget(usize, Ix, Ix),
    /// A buffer, a cell and a value.
    Set(usize, Ix, usize),
    /// The same, of a cell that may hold a value.
    Replace(usize, Ix, usize),
    /// An operation of the machine, and the same.
    Combine(Function, usize, Ix, usize),
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// The bits of a number of this type.
    Literal(Scalar, u64),
    Load(usize, Ix),
    /// An index term as an `i64`.
    Integer(Ix),
    Convert(Scalar, usize),
    /// An operation of the machine.
    Operation(Function, Vec<usize>),
    Select(Pred, usize, usize),
}

named! {
    /// How a value gives a scalar of the term.
    Gives {
        Load "load", Const "const", Index "index", View "view", Operation "operation", Guard "guard",
        GuardTrue "guard_true", GuardFalse "guard_false", Select "select", SelectTrue "select_true",
        SelectFalse "select_false",
    }
}

named! {
    /// How statements fill the cells for a term.
    Fills {
        Stored "stored", Loop "loop", Once "once", Never "never", Summed "summed", SummedOnce "summed_once",
        SummedWritten "summed_written",
        Guarded "guarded", Switched "switched", GuardedElse "guarded_else", GuardedTrue "guarded_true",
        GuardedFalse "guarded_false", Selected "selected", SelectedTrue "selected_true",
        SelectedFalse "selected_false", Added "added", LetNew "let_new", LetThere "let_there",
        LetUnread "let_unread", LetResult "let_result", Spared "spared", Begun "begun", Either "either", Reshaped "reshaped", Joined "joined",
        Results "results", Written "written", Cutting "cutting", Resting "resting", Carried "carried", Moving "moving",
        Iterated "iterated", Paired "paired", Kept "kept", Unheld "unheld", Pointed "pointed", PointedIf "pointed_if", Swept "swept",
        SelectedOther "selected_other", Named "named",
    }
}

/// A reading, or a step: what it is, counts of statements and iterations, index terms, the lines of its
/// parts, and its certificates.
#[derive(Clone, Debug)]
pub(crate) struct Step<F> {
    form: F,
    counts: Vec<usize>,
    /// Index terms, of the loops around.
    places: Vec<Ix>,
    parts: Vec<usize>,
    certificates: Vec<usize>,
    /// Its line, from 1.
    line: u64,
}

/// The tables of loops.
#[derive(Default)]
pub(crate) struct Program {
    buffers: Vec<Buffer>,
    /// The names of the buffers, as the file spells them.
    names: Vec<String>,
    values: Vec<Value>,
    statements: Vec<Statement>,
    readings: Vec<Step<Gives>>,
    steps: Vec<Step<Fills>>,
    /// What steps say of iterations.
    rounds: Vec<rounds::Rounds>,
    /// The nesting of the lines of each letter.
    depths: Depths,
}

/// The nesting of values, statements, readings and steps.
#[derive(Default)]
struct Depths([Vec<u32>; 4]);

/// What is run, and why it computes the claim's right side.
pub(crate) struct Run {
    pub(crate) statement: usize,
    pub(crate) step: usize,
    pub(crate) laws: Laws,
}

impl Program {
    /// The statements of a sequence, or the one; those that only prefetch are left out.
    pub(crate) fn list(&self, store: &Store, statement: usize) -> Checked<Vec<usize>> {
        store.work(1)?;
        let nothing = |of: usize| Ok::<_, Refusal>(self.list(store, of)?.is_empty());
        Ok(match &self.statements[statement] {
            Statement::Sequence(statements) => {
                let lists = statements.iter().map(|statement| self.list(store, *statement));
                lists.collect::<Checked<Vec<_>>>()?.concat()
            }
            Statement::Prefetch => vec![],
            Statement::For(head, body)
                if !self.are_bare(store, &[*body])?
                    && !store.has_reads(head.lo)?
                    && !store.has_reads(head.hi)?
                    && nothing(*body)? =>
            {
                vec![]
            }
            Statement::If(condition, then, otherwise)
                if !self.are_bare(store, &[*then, otherwise.unwrap_or(*then)])?
                    && !store.condition_reads(*condition)?
                    && nothing(*then)?
                    && otherwise.map_or(Ok(true), nothing)? =>
            {
                vec![]
            }
            _ => vec![statement],
        })
    }

    /// Have they no statement?
    fn are_bare(&self, store: &Store, parts: &[usize]) -> Checked<bool> {
        for part in parts {
            store.work(1)?;
            match &self.statements[*part] {
                Statement::Sequence(inner) if self.are_bare(store, inner)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// How many buffers there are.
    pub(crate) fn count(&self) -> usize {
        self.buffers.len()
    }

    pub(crate) fn buffer(&self, number: usize) -> Option<Buffer> {
        self.buffers.get(number).copied()
    }

    /// The buffer in which a tensor of the claim's context lies.
    pub(crate) fn input(&self, level: u32) -> Option<usize> {
        self.buffers.iter().position(|buffer| *buffer == Buffer::Input(level))
    }

    pub(crate) fn value_line(&self, number: usize) -> &Value {
        &self.values[number]
    }

    pub(crate) fn statement_line(&self, number: usize) -> &Statement {
        &self.statements[number]
    }

    /// Where each input lies, by level, and the name of each buffer that the caller gives.
    pub(crate) fn given(&self) -> impl Iterator<Item = (Option<u32>, &str)> {
        self.buffers.iter().zip(&self.names).filter_map(|(buffer, name)| match buffer {
            Buffer::Input(level) => Some((Some(*level), name.as_str())),
            Buffer::Output => Some((None, name.as_str())),
            Buffer::Scratch(_) => None,
        })
    }
}
