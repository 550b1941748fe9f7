//! Where the reader is: what names of the text mean, and what the loops of the file mean there.

use super::syntax::is_free;
use super::typed::cell_type;
use super::values::{Cond, CondNode, Val, ValNode, Values};
use super::{Read, differs, outside};
use crate::prelude::*;
use crate::program::{Program, Value};
use std::collections::BTreeSet;

/// What a name of the text means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Thing {
    /// A size, a loop's variable, or a number that was computed from these.
    Index(Ix),
    Array(usize),
    /// A buffer of one cell.
    Scalar(usize),
    /// A buffer of one cell, of which each lane has its own.
    Lanes(usize),
    /// Cells of a buffer from this one on, as many as the vector has lanes.
    Part(usize, i64, u32),
    /// A number whose bits are lanes.
    Mask(Cond, super::typed::Bits),
    /// How many cells a buffer has.
    Cells(usize),
    /// Something that is no operand: the status, or what is being declared.
    Status,
}

/// A text that is read beside the loops.
pub(super) struct Reader<'p> {
    pub(super) values: Values<'p>,
    pub(super) program: &'p Program,
    /// The helpers that the text defines.
    pub(super) helpers: &'p BTreeSet<String>,
    /// The pools that the text defines.
    pub(super) pools: &'p [String],
    pub(super) things: Vec<(String, Thing)>,
    /// The levels of variables that are at least 0.
    pub(super) nonnegative: BTreeSet<u32>,
    /// The lane, and how many there are, in a loop over vectors.
    pub(super) lane: Option<(Ix, u32)>,
    /// The condition by which lanes are active, where not all are.
    pub(super) active: Option<Cond>,
    /// What the variables of the loops around are, the innermost last.
    pub(super) loops: Vec<Ix>,
    /// How many cells each buffer has.
    pub(super) cells: Vec<Option<Ix>>,
    /// The level of the next variable.
    pub(super) next: u32,
    pub(super) unknowns: u32,
}

impl Reader<'_> {
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.things.iter().any(|(known, _)| known == name)
    }

    /// What a name means.
    pub(super) fn thing(&self, line: u64, name: &str) -> Read<Thing> {
        match self.things.iter().rev().find(|(known, _)| known == name) {
            Some((_, thing)) => Ok(*thing),
            None => outside(line, format!("the name `{name}`, which is not declared")),
        }
    }

    /// Declare a name of the text's own, which no other has that is visible.
    pub(super) fn declare(&mut self, line: u64, name: &str, thing: Thing) -> Read<()> {
        if !is_free(name) {
            return outside(line, format!("the name `{name}` of a variable"));
        }
        self.own(line, name, thing)
    }

    /// The same of a name that the printer has for itself.
    pub(super) fn own(&mut self, line: u64, name: &str, thing: Thing) -> Read<()> {
        if self.is_declared(name) {
            return outside(line, format!("the name `{name}`, which is visible already"));
        }
        self.things.push((name.to_owned(), thing));
        Ok(())
    }

    /// What a name means that was declared last.
    pub(super) fn define(&mut self, name: &str, thing: Thing) {
        if let Some((_, known)) = self.things.iter_mut().rev().find(|(known, _)| known == name) {
            *known = thing;
        }
    }

    /// What is declared meanwhile is forgotten.
    pub(super) fn scope<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let count = self.things.len();
        let result = read(self)?;
        self.things.truncate(count);
        Ok(result)
    }

    /// A variable that nothing is known of.
    pub(super) fn fresh(&mut self, is_nonnegative: bool) -> Read<Ix> {
        let level = self.next;
        self.next += 1;
        if is_nonnegative {
            self.nonnegative.insert(level);
        }
        Ok(self.values.store.free_ix(level)?)
    }

    pub(super) fn unknown(&mut self, scalar: Scalar) -> Read<Val> {
        self.unknowns += 1;
        Ok(self.values.unknown(self.unknowns, scalar)?)
    }

    /// The lane, and how many there are.
    pub(super) fn lanes(&self, line: u64) -> Read<(Ix, u32)> {
        match self.lane {
            Some(lane) => Ok(lane),
            None => outside(line, "a vector outside of a loop over vectors"),
        }
    }

    /// Is an index term seen to be at least 0?
    pub(super) fn is_nonnegative(&self, ix: Ix) -> bool {
        let store = self.values.store;
        match store.ix_node(ix) {
            IxNode::Literal(value) => value >= 0,
            IxNode::Free(level) => self.nonnegative.contains(&level),
            IxNode::Bound(_) => false,
            IxNode::Op(op, a, b) => {
                let (first, second) = (self.is_nonnegative(a), self.is_nonnegative(b));
                match op {
                    IxOp::Add | IxOp::Mul | IxOp::Min | IxOp::Div => first && second,
                    IxOp::Max => first || second,
                    IxOp::Mod => second && (first || matches!(store.ix_node(b), IxNode::Literal(1..))),
                    IxOp::Sub => false,
                }
            }
            IxNode::Read(array, _) => match store.node(array) {
                TermNode::Free(level) => self.program.input(level).is_some_and(|buffer| {
                    self.values.types[buffer].index_range().is_some_and(|(least, _)| least == 0)
                }),
                _ => false,
            },
        }
    }

    /// An index term of the loops, here.
    pub(super) fn of_loops(&self, ix: Ix) -> Checked<Ix> {
        let store = self.values.store;
        store.work(1)?;
        Ok(match store.ix_node(ix) {
            IxNode::Literal(_) | IxNode::Free(_) => ix,
            IxNode::Bound(binder) => {
                let place = self.loops.len().checked_sub(binder as usize + 1);
                place.map(|place| self.loops[place]).ok_or("a variable of no loop")?
            }
            IxNode::Op(op, a, b) => self.values.op(op, self.of_loops(a)?, self.of_loops(b)?)?,
            IxNode::Read(array, at) => {
                let at = store
                    .ix_list(at)
                    .into_iter()
                    .map(|i| self.of_loops(i).and_then(|i| self.values.canonical(i)));
                let at = store.ixs(&at.collect::<Checked<Vec<_>>>()?)?;
                self.values.canonical(store.ix(IxNode::Read(array, at))?)?
            }
        })
    }

    /// A condition of the loops, here.
    pub(super) fn condition_of_loops(&self, pred: Pred) -> Checked<Cond> {
        let values = &self.values;
        match values.store.pred_node(pred) {
            PredNode::True => values.truth(true),
            PredNode::False => values.truth(false),
            PredNode::Compare(relation, a, b) => {
                values.compare(relation, self.of_loops(a)?, self.of_loops(b)?)
            }
            PredNode::Not(p) => values.not(self.condition_of_loops(p)?),
            PredNode::And(p, q) => values.and(self.condition_of_loops(p)?, self.condition_of_loops(q)?),
            PredNode::Or(p, q) => values.or(self.condition_of_loops(p)?, self.condition_of_loops(q)?),
        }
    }

    /// A value of the loops, here.
    pub(super) fn value_of_loops(&self, value: usize) -> Checked<Val> {
        let values = &self.values;
        match self.program.value_line(value) {
            Value::Literal(scalar, bits) => values.literal(*scalar, *bits),
            Value::Load(buffer, cell) => values.load(*buffer, self.of_loops(*cell)?),
            Value::Integer(ix) => values.integer(self.of_loops(*ix)?),
            Value::Convert(scalar, inner) => values.convert(*scalar, self.value_of_loops(*inner)?),
            Value::Operation(function, operands) => {
                let operands = operands.iter().map(|operand| self.value_of_loops(*operand));
                let operands = operands.collect::<Checked<Vec<_>>>()?;
                let scalar =
                    operands.first().map(|first| values.scalar(*first)).ok_or("an operation of nothing")?;
                values.operation(*function, scalar, operands)
            }
            Value::Select(condition, then, otherwise) => {
                let (then, otherwise) = (self.value_of_loops(*then)?, self.value_of_loops(*otherwise)?);
                values.select(self.condition_of_loops(*condition)?, then, otherwise)
            }
        }
    }

    /// Are an index term of the text and one of the loops or the claim equal? The text's polynomial has all
    /// that it computes, if it has no remainders: then those of the other may be written in another way.
    pub(super) fn same(&self, text: Ix, other: Ix) -> Checked<bool> {
        let values = &self.values;
        let is_equal = values.store.poly(text)? == values.store.poly(other)?;
        Ok(is_equal
            && (values.opaque(text)? == text || values.canonical(text)? == values.canonical(other)?))
    }

    /// Two index terms are equal, or the text differs.
    pub(super) fn equal(&self, line: u64, what: &str, text: Ix, loops: Ix) -> Read<()> {
        if self.same(text, loops)? {
            Ok(())
        } else {
            differs(line, format!("{what} is another than that of the loops"))
        }
    }

    /// Two values are equal in all lanes that are active, or the text differs.
    pub(super) fn equal_values(&self, line: u64, text: Val, loops: Val) -> Read<()> {
        if let Some(active) = self.active
            && !self.guarded(text, active, true)?
        {
            return differs(line, "memory is read for lanes that are not active");
        }
        let known: Vec<_> = self.active.into_iter().map(|active| (active, true)).collect();
        let is_same = text == loops
            || (self.lane.is_some() && self.simple(text, &known)? == self.simple(loops, &known)?);
        if is_same { Ok(()) } else { differs(line, "a value is another than that of the loops") }
    }

    /// A value where conditions are known to hold or not.
    pub(super) fn simple(&self, val: Val, known: &[(Cond, bool)]) -> Checked<Val> {
        let values = &self.values;
        values.store.work(1)?;
        match values.node(val) {
            ValNode::Literal(..) | ValNode::Integer(_) | ValNode::Load(..) | ValNode::Unknown(..) => Ok(val),
            ValNode::Convert(to, inner) => values.convert(to, self.simple(inner, known)?),
            ValNode::Operation(function, scalar, operands) => {
                let operands = operands.into_iter().map(|operand| self.simple(operand, known));
                values.operation(function, scalar, operands.collect::<Checked<Vec<_>>>()?)
            }
            ValNode::Select(condition, then, otherwise) => {
                let condition = self.simple_condition(condition, known)?;
                let with = |holds| [known, &[(condition, holds)]].concat();
                let (then, otherwise) =
                    (self.simple(then, &with(true))?, self.simple(otherwise, &with(false))?);
                values.select(condition, then, otherwise)
            }
        }
    }

    fn simple_condition(&self, condition: Cond, known: &[(Cond, bool)]) -> Checked<Cond> {
        let values = &self.values;
        values.store.work(1)?;
        for (fact, holds) in known {
            if let Some(holds) = self.settled(condition, *fact, *holds)? {
                return values.truth(holds);
            }
        }
        match values.cond_node(condition) {
            CondNode::Not(p) => values.not(self.simple_condition(p, known)?),
            CondNode::And(p, q) => {
                values.and(self.simple_condition(p, known)?, self.simple_condition(q, known)?)
            }
            CondNode::Or(p, q) => {
                values.or(self.simple_condition(p, known)?, self.simple_condition(q, known)?)
            }
            _ => Ok(condition),
        }
    }

    /// Whether a condition holds, if a fact says so.
    pub(super) fn settled(&self, condition: Cond, fact: Cond, holds: bool) -> Checked<Option<bool>> {
        let values = &self.values;
        values.store.work(1)?;
        if fact == condition {
            return Ok(Some(holds));
        }
        if values.not(fact)? == condition {
            return Ok(Some(!holds));
        }
        match (values.cond_node(fact), holds) {
            (CondNode::And(p, q), true) | (CondNode::Or(p, q), false) => {
                Ok(match self.settled(condition, p, holds)? {
                    Some(found) => Some(found),
                    None => self.settled(condition, q, holds)?,
                })
            }
            (CondNode::Not(p), _) => self.settled(condition, p, !holds),
            _ => Ok(None),
        }
    }

    /// The C type of a buffer's cells.
    pub(super) fn cell_type(&self, buffer: usize) -> Scalar {
        cell_type(self.values.types[buffer])
    }
}
