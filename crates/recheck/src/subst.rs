//! Replacing variables: opening and closing a binder, putting values for variables, resolving.
//!
//! All are one walk with a different answer at variables. A walk says whether it replaced anything: an index term in
//! which something was replaced is built anew with `mk`, one in which nothing was stays as it is.

use crate::index::{Ix, IxNode, Measure, Pred, PredNode};
use crate::refusal::{Checked, refuse};
use crate::store::Store;
use crate::terms::{Term, TermNode};

/// A value for a parameter of a definition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    Index(Ix),
    Tensor(Term),
}

/// Which variables are replaced, and by what. Below, `d` counts the binders between the top and the variable.
#[derive(Clone, Copy)]
pub(crate) enum Subst<'a> {
    /// `bound d` by `free` of this level.
    Open(u32),
    /// `free` of this level by `bound d`.
    Close(u32),
    /// The index `bound d`.
    At(Ix),
    /// The tensor `bound d`.
    Put(Term),
    /// Indices bound outside by `free` of the levels of their binders, the innermost last.
    Resolve(&'a [u32]),
    /// `free` of each level by the argument in that place.
    Arguments(&'a [Argument]),
}

impl Subst<'_> {
    /// Whether a part with this measure, below `d` binders, can contain anything to replace.
    fn concerns(self, part: Measure, d: u32) -> bool {
        match self {
            Subst::Open(_) | Subst::At(_) | Subst::Put(_) => part.loose > d,
            Subst::Close(level) => part.free > level,
            Subst::Resolve(_) => part.loose > 0,
            Subst::Arguments(_) => part.free > 0,
        }
    }
}

impl Store {
    /// The result at an index term below `d` binders; `None` if nothing in it is replaced.
    fn changed_ix(&mut self, subst: Subst<'_>, ix: Ix, d: u32) -> Checked<Option<Ix>> {
        if !subst.concerns(self.ix_measure(ix), d) {
            return Ok(None);
        }
        self.work(1)?;
        match (self.ix_node(ix), subst) {
            (IxNode::Op(op, a, b), _) => {
                let (new_a, new_b) = (self.changed_ix(subst, a, d)?, self.changed_ix(subst, b, d)?);
                if new_a.is_none() && new_b.is_none() {
                    return Ok(None);
                }
                self.mk(op, new_a.unwrap_or(a), new_b.unwrap_or(b)).map(Some)
            }
            (IxNode::Bound(binder), Subst::Open(level)) if binder == d => self.free_ix(level).map(Some),
            (IxNode::Bound(binder), Subst::At(value)) if binder == d => Ok(Some(value)),
            (IxNode::Free(free), Subst::Close(level)) if free == level => self.ix(IxNode::Bound(d)).map(Some),
            (IxNode::Bound(binder), Subst::Resolve(stack)) => {
                let place = stack.len().checked_sub(1).and_then(|top| top.checked_sub(binder as usize));
                let Some(level) = place.and_then(|place| stack.get(place)) else {
                    return refuse("a bound variable points outside of the term");
                };
                self.free_ix(*level).map(Some)
            }
            (IxNode::Free(level), Subst::Arguments(values)) => match values.get(level as usize) {
                Some(Argument::Index(value)) => Ok(Some(*value)),
                _ => refuse("a definition uses what is no index parameter of it as an index"),
            },
            _ => Ok(None),
        }
    }

    fn changed_pred(&mut self, subst: Subst<'_>, pred: Pred, d: u32) -> Checked<Option<Pred>> {
        if !subst.concerns(self.pred_measure(pred), d) {
            return Ok(None);
        }
        self.work(1)?;
        let node = match self.pred_node(pred) {
            node @ (PredNode::True | PredNode::False) => node,
            PredNode::Compare(relation, a, b) => {
                PredNode::Compare(relation, self.in_ix(subst, a, d)?, self.in_ix(subst, b, d)?)
            }
            PredNode::Not(p) => PredNode::Not(self.in_pred(subst, p, d)?),
            PredNode::And(p, q) => PredNode::And(self.in_pred(subst, p, d)?, self.in_pred(subst, q, d)?),
            PredNode::Or(p, q) => PredNode::Or(self.in_pred(subst, p, d)?, self.in_pred(subst, q, d)?),
        };
        self.pred(node).map(Some)
    }

    /// An index term below `d` binders, with variables replaced.
    pub(crate) fn in_ix(&mut self, subst: Subst<'_>, ix: Ix, d: u32) -> Checked<Ix> {
        Ok(self.changed_ix(subst, ix, d)?.unwrap_or(ix))
    }

    /// A predicate below `d` binders, with variables replaced.
    pub(crate) fn in_pred(&mut self, subst: Subst<'_>, pred: Pred, d: u32) -> Checked<Pred> {
        Ok(self.changed_pred(subst, pred, d)?.unwrap_or(pred))
    }

    /// A term below `d` binders, with variables replaced.
    pub(crate) fn in_term(&mut self, subst: Subst<'_>, term: Term, d: u32) -> Checked<Term> {
        if !subst.concerns(self.measure(term), d) {
            return Ok(term);
        }
        self.work(1)?;
        let node = match (self.node(term), subst) {
            (TermNode::Bound(binder), Subst::Open(level)) if binder == d => TermNode::Free(level),
            (TermNode::Bound(binder), Subst::Put(value)) if binder == d => return Ok(value),
            (TermNode::Free(free), Subst::Close(level)) if free == level => TermNode::Bound(d),
            (TermNode::Free(level), Subst::Arguments(values)) => match values.get(level as usize) {
                Some(Argument::Tensor(value)) => return Ok(*value),
                _ => return refuse("a definition uses what is no tensor parameter of it as a tensor"),
            },
            (node @ (TermNode::Free(_) | TermNode::Bound(_) | TermNode::Literal(..)), _) => node,
            (TermNode::Index(element, i), _) => TermNode::Index(element, self.in_ix(subst, i, d)?),
            (TermNode::Loop(kind, n, e), _) => {
                TermNode::Loop(kind, self.in_ix(subst, n, d)?, self.in_term(subst, e, d + 1)?)
            }
            (TermNode::Guard(p, e), _) => {
                TermNode::Guard(self.in_pred(subst, p, d)?, self.in_term(subst, e, d)?)
            }
            (TermNode::Select(p, e, f), _) => TermNode::Select(
                self.in_pred(subst, p, d)?,
                self.in_term(subst, e, d)?,
                self.in_term(subst, f, d)?,
            ),
            (TermNode::Let(e, f), _) => {
                TermNode::Let(self.in_term(subst, e, d)?, self.in_term(subst, f, d + 1)?)
            }
            (TermNode::Get(e, i), _) => TermNode::Get(self.in_term(subst, e, d)?, self.in_ix(subst, i, d)?),
            (TermNode::View(algebra, e), _) => TermNode::View(algebra, self.in_term(subst, e, d)?),
            (TermNode::Prim(function, operands), _) => {
                let mut operands = self.term_list(operands);
                for operand in &mut operands {
                    *operand = self.in_term(subst, *operand, d)?;
                }
                TermNode::Prim(function, self.terms(&operands)?)
            }
            (TermNode::Op(def, indices, operands), _) => {
                let (mut indices, mut operands) = (self.ix_list(indices), self.term_list(operands));
                for index in &mut indices {
                    *index = self.in_ix(subst, *index, d)?;
                }
                for operand in &mut operands {
                    *operand = self.in_term(subst, *operand, d)?;
                }
                TermNode::Op(def, self.ixs(&indices)?, self.terms(&operands)?)
            }
        };
        self.term(node)
    }

    /// The body of a binder with its variable made free.
    pub(crate) fn open(&mut self, body: Term, level: u32) -> Checked<Term> {
        self.in_term(Subst::Open(level), body, 0)
    }

    /// The body of a binder whose variable was made free.
    pub(crate) fn close(&mut self, term: Term, level: u32) -> Checked<Term> {
        self.in_term(Subst::Close(level), term, 0)
    }

    /// The body of a binder at an index.
    pub(crate) fn at(&mut self, body: Term, value: Ix) -> Checked<Term> {
        self.in_term(Subst::At(value), body, 0)
    }

    /// The body of a `let` with a term for its variable.
    pub(crate) fn put(&mut self, body: Term, value: Term) -> Checked<Term> {
        self.in_term(Subst::Put(value), body, 0)
    }
}
