//! Replacing variables: opening and closing a binder, putting values for variables.
//!
//! All are one walk with a different answer at variables. A walk says whether it replaced anything: an index term in
//! which something was replaced is built anew with `mk`, one in which nothing was stays as it is.

use crate::prelude::*;

/// A value for a parameter of a definition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    Index(Ix),
    Tensor(Term),
}

/// Which variables are replaced, and by what. Below, `d` counts the binders between the top and the variable.
#[derive(Clone, Copy)]
pub(crate) enum Subst<'a> {
    /// The variables of several binders, the innermost `bound d`, by `free` of levels from this one on.
    Open(u32, u32),
    /// `free` of several levels from this one on by the variables of as many binders, the last by `bound d`.
    Close(u32, u32),
    /// The index `bound d`.
    At(Ix),
    /// The tensor `bound d`.
    Put(Term),
    /// `free` of each level by the argument in that place.
    Arguments(&'a [Argument]),
    /// Each index `bound` by the index term in that place; there are no binders.
    Instance(&'a [Ix]),
}

impl Subst<'_> {
    /// Whether a part with this measure, below `d` binders, can contain anything to replace.
    fn concerns(self, part: Measure, d: u32) -> bool {
        match self {
            Subst::Open(..) | Subst::At(_) | Subst::Put(_) | Subst::Instance(_) => part.loose > d,
            Subst::Close(level, _) => part.free > level,
            Subst::Arguments(_) => part.free > 0,
        }
    }
}

/// The level that a variable below `d` binders is given, of the levels that these binders have.
fn opened(binder: u32, d: u32, (level, binders): (u32, u32)) -> Option<u32> {
    let out = binder.checked_sub(d).filter(|out| *out < binders)?;
    Some(level + (binders - 1 - out))
}

/// The variable below `d` binders of a level among those that these binders have.
fn closed(free: u32, d: u32, (level, binders): (u32, u32)) -> Option<u32> {
    let place = free.checked_sub(level).filter(|place| *place < binders)?;
    Some(d + (binders - 1 - place))
}

impl Store {
    /// The result at an index term below `d` binders; `None` if nothing in it is replaced.
    fn changed(&self, subst: Subst<'_>, ix: Ix, d: u32) -> Checked<Option<Ix>> {
        if !subst.concerns(self.ix_measure(ix), d) {
            return Ok(None);
        }
        self.work(1)?;
        match (self.ix_node(ix), subst) {
            (IxNode::Op(op, a, b), _) => match (self.changed(subst, a, d)?, self.changed(subst, b, d)?) {
                (None, None) => Ok(None),
                (new_a, new_b) => self.mk(op, new_a.unwrap_or(a), new_b.unwrap_or(b)).map(Some),
            },
            (IxNode::Read(array, at), _) => {
                let (mut at, variable) = (self.ix_list(at), self.replaced(subst, array, d)?);
                self.work(at.len() as u64)?;
                let mut same = variable.is_none();
                for ix in &mut at {
                    if let Some(new) = self.changed(subst, *ix, d)? {
                        (*ix, same) = (new, false);
                    }
                }
                match same {
                    true => Ok(None),
                    false => self.ix(IxNode::Read(variable.unwrap_or(array), self.ixs(&at)?)).map(Some),
                }
            }
            (IxNode::Bound(binder), Subst::Open(level, n)) => {
                opened(binder, d, (level, n)).map(|free| self.free_ix(free)).transpose()
            }
            (IxNode::Bound(binder), Subst::At(value)) if binder == d => Ok(Some(value)),
            (IxNode::Free(free), Subst::Close(level, n)) => {
                closed(free, d, (level, n)).map(|binder| self.ix(IxNode::Bound(binder))).transpose()
            }
            (IxNode::Free(level), Subst::Arguments(values)) => match values.get(level as usize) {
                Some(Argument::Index(value)) => Ok(Some(*value)),
                _ => refuse("a definition uses what is no index parameter of it as an index"),
            },
            (IxNode::Bound(binder), Subst::Instance(values)) => Ok(values.get(binder as usize).copied()),
            _ => Ok(None),
        }
    }

    /// What stands for a tensor variable below `d` binders; `None` for what is not replaced, or is no variable.
    fn replaced(&self, subst: Subst<'_>, variable: Term, d: u32) -> Checked<Option<Term>> {
        let node = match (self.node(variable), subst) {
            (TermNode::Bound(binder), Subst::Open(level, n)) => match opened(binder, d, (level, n)) {
                Some(free) => TermNode::Free(free),
                None => return Ok(None),
            },
            (TermNode::Bound(binder), Subst::Put(value)) if binder == d => return Ok(Some(value)),
            (TermNode::Free(free), Subst::Close(level, n)) => match closed(free, d, (level, n)) {
                Some(binder) => TermNode::Bound(binder),
                None => return Ok(None),
            },
            (TermNode::Free(level), Subst::Arguments(values)) => match values.get(level as usize) {
                Some(Argument::Tensor(value)) => return Ok(Some(*value)),
                _ => return refuse("a definition uses what is no tensor parameter of it as a tensor"),
            },
            _ => return Ok(None),
        };
        self.term(node).map(Some)
    }

    /// An index term below `d` binders, with variables replaced.
    pub(crate) fn in_ix(&self, subst: Subst<'_>, ix: Ix, d: u32) -> Checked<Ix> {
        Ok(self.changed(subst, ix, d)?.unwrap_or(ix))
    }

    /// A predicate below `d` binders, with variables replaced.
    pub(crate) fn in_pred(&self, subst: Subst<'_>, pred: Pred, d: u32) -> Checked<Pred> {
        match subst.concerns(self.pred_measure(pred), d) {
            true => self.map_pred(pred, &|ix| self.in_ix(subst, ix, d)),
            false => Ok(pred),
        }
    }

    /// A term below `d` binders, with variables replaced.
    pub(crate) fn in_term(&self, subst: Subst<'_>, term: Term, d: u32) -> Checked<Term> {
        if !subst.concerns(self.measure(term), d) {
            return Ok(term);
        }
        self.work(1)?;
        if let Some(value) = self.replaced(subst, term, d)? {
            return Ok(value);
        }
        let node = self.node(term);
        let mut parts = self.parts(node);
        for ix in &mut parts.ixs {
            *ix = self.in_ix(subst, *ix, d)?;
        }
        if let Some(pred) = &mut parts.pred {
            *pred = self.in_pred(subst, *pred, d)?;
        }
        for k in 0..parts.terms.len() {
            parts.terms[k] = self.in_term(subst, parts.terms[k], d + parts.binders(k))?;
        }
        self.term(self.rebuilt(node, &parts)?)
    }

    /// The body of a binder with its variable made free.
    pub(crate) fn open(&self, body: Term, level: u32) -> Checked<Term> {
        self.open_all(body, level, 1)
    }

    /// What is below several binders with their variables made free, the outermost first.
    pub(crate) fn open_all(&self, body: Term, level: u32, binders: u32) -> Checked<Term> {
        self.in_term(Subst::Open(level, binders), body, 0)
    }

    /// The body of a binder whose variable was made free.
    pub(crate) fn close(&self, term: Term, level: u32) -> Checked<Term> {
        self.close_all(term, level, 1)
    }

    /// What is below several binders whose variables were made free, the outermost first.
    pub(crate) fn close_all(&self, term: Term, level: u32, binders: u32) -> Checked<Term> {
        self.in_term(Subst::Close(level, binders), term, 0)
    }

    /// The body of a binder at an index.
    pub(crate) fn at(&self, body: Term, value: Ix) -> Checked<Term> {
        self.in_term(Subst::At(value), body, 0)
    }
}
