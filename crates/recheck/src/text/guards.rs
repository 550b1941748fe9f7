//! What the text reads, the loops read: no read of memory hides behind a value that does not depend on it.
//!
//! Two things could hide one. Index terms are compared as polynomials, in which what is read may cancel.
//! And a vector reads the cells of all lanes, where the loops read those of some.

use super::reader::{Reader, Thing};
use super::values::{Cond, CondNode, Val, ValNode};
use super::{Read, outside};
use crate::prelude::*;
use crate::refusal::Refusal;

impl Reader<'_> {
    /// The elements that an index term reads.
    fn elements(&self, ix: Ix, found: &mut Vec<Ix>) -> Checked<()> {
        let store = self.values.store;
        store.work(1)?;
        match store.ix_node(ix) {
            IxNode::Literal(_) | IxNode::Free(_) | IxNode::Bound(_) => {}
            IxNode::Op(_, a, b) => {
                self.elements(a, found)?;
                self.elements(b, found)?;
            }
            IxNode::Read(_, at) => {
                found.push(ix);
                for i in store.ix_list(at) {
                    self.elements(i, found)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn reads(&self, ix: Ix) -> Checked<bool> {
        let mut found = Vec::new();
        self.elements(ix, &mut found)?;
        Ok(!found.is_empty())
    }

    /// An index term of two, in whose polynomial is whatever they have: nothing that C computes, and that
    /// may leave its 64 bits, and nothing that it reads, cancels.
    pub(super) fn keeping(&self, line: u64, op: IxOp, parts: [Ix; 2]) -> Read<Ix> {
        let store = self.values.store;
        let whole = self.values.op(op, parts[0], parts[1])?;
        if matches!(op, IxOp::Add | IxOp::Sub | IxOp::Mul) {
            let is_wide = self.values.is_wide(parts[0])? || self.values.is_wide(parts[1])?;
            if !self.values.keeps(op, parts, !is_wide)? {
                return outside(line, "arithmetic whose parts cancel");
            }
            return Ok(whole);
        }
        let mut found = Vec::new();
        for part in parts {
            self.elements(part, &mut found)?;
        }
        for element in found {
            if !store.poly_mentions(store.poly(whole)?, store.poly(element)?)? {
                return outside(line, "a read of memory on which nothing depends");
            }
        }
        Ok(whole)
    }

    /// Does an index term depend on the lane?
    fn varies(&self, ix: Ix) -> Checked<bool> {
        let store = self.values.store;
        match self.lane {
            Some((symbol, _)) => store.poly_mentions(store.poly(ix)?, store.poly(symbol)?),
            None => Ok(false),
        }
    }

    /// Is memory read in lanes alone where a condition holds? What is the same in all lanes may be read
    /// where it is said that some lane has the condition.
    pub(super) fn guarded(&self, val: Val, by: Cond, some: bool) -> Checked<bool> {
        let values = &self.values;
        values.store.work(1)?;
        Ok(match values.node(val) {
            ValNode::Literal(..) | ValNode::Unknown(..) => true,
            ValNode::Integer(ix) => !self.reads(ix)? || (some && !self.varies(ix)?),
            ValNode::Load(buffer, cell) => {
                let in_memory =
                    self.things.iter().any(|(_, thing)| matches!(thing, Thing::Array(of) if *of == buffer));
                !in_memory || (some && !self.varies(cell)?)
            }
            ValNode::Convert(_, inner) => self.guarded(inner, by, some)?,
            ValNode::Operation(_, _, operands) => operands
                .into_iter()
                .try_fold(true, |all, operand| Ok::<_, Refusal>(all && self.guarded(operand, by, some)?))?,
            ValNode::Select(condition, then, otherwise) => {
                let implied = self.settled(by, condition, true)? == Some(true);
                self.guarded_condition(condition, by, some)?
                    && (implied || self.guarded(then, by, some)?)
                    && self.guarded(otherwise, by, some)?
            }
        })
    }

    /// Is memory read for a condition, wherever?
    pub(super) fn condition_reads(&self, condition: Cond) -> Checked<bool> {
        Ok(!self.guarded_condition(condition, self.values.truth(false)?, false)?)
    }

    fn guarded_condition(&self, condition: Cond, by: Cond, some: bool) -> Checked<bool> {
        // What holds where the other does is known already.
        if self.settled(condition, by, true)? == Some(true) {
            return Ok(true);
        }
        Ok(match self.values.cond_node(condition) {
            CondNode::True | CondNode::False => true,
            CondNode::Positive(ix) | CondNode::Zero(ix) => !self.reads(ix)? || (some && !self.varies(ix)?),
            CondNode::Less(a, b) | CondNode::Same(a, b) => [a, b].into_iter().try_fold(true, |all, ix| {
                Ok::<_, Refusal>(all && (!self.reads(ix)? || (some && !self.varies(ix)?)))
            })?,
            CondNode::Not(p) => self.guarded_condition(p, by, some)?,
            CondNode::And(p, q) | CondNode::Or(p, q) => {
                self.guarded_condition(p, by, some)? && self.guarded_condition(q, by, some)?
            }
            CondNode::Holds(val) => self.guarded(val, by, some)?,
        })
    }
}
