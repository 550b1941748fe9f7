//! What a step reads of the states, and which cells it stores if it is a point update.

use super::Below;
use super::shape::{Cells, choice, continues, is_same, keeps, parts};
use super::{Mode, plan};
use crate::cx::LowerCx;
use crate::error::LowerError;
use crate::normal::is_scalar;
use atl_annotations::{Annotation, Role};
use atl_kernel::{Child, Ctx, Expr, Iterate, Ix, Label, LoopKind, Node, Pred, Type, Var, enter, subst};
use atl_ops::as_it_stands;
use atl_rules::occurrences::mentions;

/// A read of a state.
pub(super) struct Read {
    /// The state, if it is an old one.
    old: Option<usize>,
    /// The state, if it is a new one.
    pub(super) new: Option<usize>,
    /// Where it is read.
    pub(super) ctx: Ctx,
    /// Which cell, if it is a single one.
    pub(super) index: Option<Vec<Ix>>,
    /// The first indices of the cells of the step's own state that the loops around are about.
    pub(super) around: Vec<Ix>,
}

impl Read {
    /// Is it of this state, as it was before the round?
    pub(super) fn is_old(&self, k: usize) -> bool {
        self.old == Some(k)
    }
}

/// Cells that a step stores: those with these indices where the conditions hold.
pub(super) struct Write {
    /// The variables of the loops, and the cell of which each is 0; fewer than dimensions, where any cell may
    /// be stored.
    pub(super) indices: Vec<(u32, Ix)>,
    pub(super) conds: Vec<Pred>,
    /// The rounds that store them, where those are an iteration inside that goes on with this state alone.
    pub(super) inner: Option<Box<Inner>>,
}

impl Write {
    /// The loops' variables for a cell.
    pub(super) fn at(&self, cell: &[Ix]) -> Vec<(u32, Ix)> {
        let indices = self.indices.iter().zip(cell).map(|((level, from), at)| match from {
            Ix::Lit(0) => (*level, at.clone()),
            from => (*level, at.clone() - from.clone()),
        });
        indices.collect()
    }

    pub(super) fn has_loop(&self, level: u32) -> bool {
        self.indices.iter().any(|(own, _)| *own == level)
    }
}

/// The rounds of an iteration inside.
pub(super) struct Inner {
    pub(super) step: Effects,
    pub(super) extent: Ix,
}

/// A point update.
pub(super) struct Update {
    pub(super) writes: Vec<Write>,
    /// For each dimension, whether iterations of its loop may run at once.
    pub(super) is_concurrent: Vec<bool>,
}

/// What a step does.
pub(super) struct Effects {
    pub(super) reads: Vec<Read>,
    /// The old states that it mentions at all: also those of which it leaves cells as they are.
    pub(super) olds: Vec<usize>,
    /// Its cells, if it is a point update.
    pub(super) update: Option<Update>,
    /// The step's own state.
    pub(super) own: usize,
    /// The level of the first old state.
    pub(super) first: u32,
    /// The level of the first new state, and the level of the round's number.
    pub(super) new: u32,
    pub(super) round: u32,
}

/// What the step of a state does, below the binders.
pub(super) fn effects(
    cx: &mut LowerCx<'_>,
    step: &Expr,
    types: &[Type],
    own: usize,
    below: &Below,
) -> Result<Effects, LowerError> {
    let rank = types[own].shape.len();
    let ranks = types.iter().map(|ty| ty.shape.len()).collect();
    let mut walk = Walk {
        cx,
        first: below.first,
        ranks,
        shape: &types[own].shape,
        own,
        reads: Vec::new(),
        writes: Vec::new(),
        conds: Vec::new(),
        around: Cells::default(),
        loops: Vec::new(),
        is_concurrent: vec![false; rank],
    };
    let is_update = walk.update(step)?;
    if !is_update {
        walk.reads.clear();
        walk.collect(step)?;
    }
    let Walk { reads, writes, is_concurrent, .. } = walk;
    let update = is_update.then_some(Update { writes, is_concurrent });
    let new = below.first + types.len() as u32;
    let olds = (0..types.len()).filter(|k| mentions(step, below.first + *k as u32)).collect();
    Ok(Effects { reads, olds, update, own, first: below.first, new, round: below.round })
}

struct Walk<'w, 'p> {
    cx: &'w mut LowerCx<'p>,
    /// The level of the first old state.
    first: u32,
    ranks: Vec<usize>,
    /// The extents of the step's own state.
    shape: &'w [Ix],
    own: usize,
    reads: Vec<Read>,
    writes: Vec<Write>,
    conds: Vec<Pred>,
    /// The cells of the step's own state that the loops around are about.
    around: Cells,
    /// The variables of these loops, and the cell of which each is 0.
    loops: Vec<(u32, Ix)>,
    is_concurrent: Vec<bool>,
}

impl<'p> Walk<'_, 'p> {
    fn own_level(&self) -> u32 {
        self.first + self.own as u32
    }

    /// Is it a point update of the step's own state, at the indices of the loops around?
    fn update(&mut self, e: &Expr) -> Result<bool, LowerError> {
        let (own, cells) = (self.own_level(), self.around.clone());
        let is_cell = cells.index.len() == self.ranks[self.own];
        if is_same(e, own, &cells) {
            return Ok(true);
        }
        let may_stay = !is_scalar(e) || keeps(e, own, &cells);
        if let Some((p, a, b)) = choice(e, own, &cells).filter(|_| may_stay) {
            if reads_in_pred(&p, own) {
                return Ok(false);
            }
            self.in_pred(&p);
            return Ok(self.under(p.clone(), &a)? && self.under(Pred::not(p), &b)?);
        }
        match &**e {
            Node::Gen(label, n, body) if !is_cell => {
                if reads_in_index(n, own) || self.is_on_device(label) || label.kind == LoopKind::Search {
                    return Ok(false);
                }
                self.in_index(n);
                self.is_concurrent[cells.index.len()] |=
                    matches!(label.kind, LoopKind::Parallel | LoopKind::Vector(_));
                let before = self.cx.ctx.level();
                let level = self.cx.ctx.push_loop(label.clone(), n);
                self.around = cells.below(Ix::free(level));
                self.loops.push((level, cells.from.clone().unwrap_or(Ix::ZERO)));
                let is_part = cells.from.is_some();
                if is_part {
                    self.conds.push(Pred::in_range(&Ix::free(level), n));
                }
                let found = self.update(&subst::open(body, level));
                if is_part {
                    self.conds.pop();
                }
                self.loops.pop();
                self.around = cells;
                self.cx.ctx.truncate(before);
                found
            }
            Node::Op(..) if let Some(parts) = parts(e, &cells) => {
                let mut found = true;
                for (part, of) in parts {
                    self.around = of;
                    found = found && self.update(part)?;
                }
                self.around = cells;
                Ok(found)
            }
            // What a part computes before its loop, it would compute after the part before has been stored.
            Node::Let(..) | Node::Iterate(_) if cells.from.is_some() => Ok(false),
            Node::Guard(p, body) if is_cell && !is_scalar(e) => {
                if reads_in_pred(p, own) {
                    return Ok(false);
                }
                self.in_pred(p);
                self.conds.push(Pred::not(p.clone()));
                self.stores();
                self.conds.pop();
                self.under(p.clone(), body)
            }
            Node::Let(label, bound, body) => {
                self.collect(bound)?;
                let ty = self.cx.type_of(bound)?;
                let level = self.cx.ctx.push_tensor(label.clone(), ty);
                let found = self.update(&subst::open(body, level));
                self.cx.ctx.truncate(level);
                found
            }
            Node::Iterate(it) => match continues(it, own, self.shape) {
                Some(k) if cells.index.is_empty() => self.taken_over(e, it, k),
                _ => self.update_after(e, it),
            },
            _ if is_cell && is_scalar(e) => {
                self.collect(e)?;
                self.stores();
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn stores(&mut self) {
        let (indices, conds) = (self.loops.clone(), self.conds.clone());
        self.writes.push(Write { indices, conds, inner: None });
    }

    fn under(&mut self, p: Pred, e: &Expr) -> Result<bool, LowerError> {
        let level = self.cx.ctx.level();
        self.cx.ctx.push_hyp(p.clone());
        self.conds.push(p);
        let found = self.update(e);
        self.conds.pop();
        self.cx.ctx.truncate(level);
        found
    }

    /// The iteration goes on where the state around is, if it updates that in place itself and nothing
    /// else reads the old one.
    fn taken_over(&mut self, e: &Expr, it: &Iterate, k: usize) -> Result<bool, LowerError> {
        let before = self.reads.len();
        for at in e.children().filter(|at| *at != Child::Init(k as u32) && *at != Child::Body) {
            self.inside(e, at)?;
        }
        self.in_index(&it.extent);
        let steps = &self.reads[before..];
        let own = self.own;
        if reads_in_index(&it.extent, self.own_level()) || steps.iter().any(|read| read.is_old(own)) {
            return Ok(false);
        }
        let mut inner = plan(self.cx, it, Some(k))?;
        let is_alone = it.states.len() == 1 && self.conds.is_empty();
        let step = inner.steps.pop().filter(|_| is_alone);
        let inside = step.map(|step| Box::new(Inner { step, extent: it.extent.clone() }));
        self.writes.push(Write { indices: Vec::new(), conds: Vec::new(), inner: inside });
        Ok(matches!(inner.modes[k], Mode::InPlace(_)))
    }

    /// An iteration whose value is made a point update of.
    fn update_after(&mut self, e: &Expr, it: &Iterate) -> Result<bool, LowerError> {
        self.in_index(&it.extent);
        for at in e.children().filter(|at| *at != Child::Body) {
            self.inside(e, at)?;
        }
        let (there, body) = enter(&self.cx.ctx, e, Child::Body, self.cx.prover)?;
        let here = std::mem::replace(&mut self.cx.ctx, there);
        let found = self.update(&body);
        self.cx.ctx = here;
        found
    }

    fn is_on_device(&self, label: &Label) -> bool {
        let annotations = self.cx.annotations;
        let mut marks = annotations.marks(label.tag).iter().filter(|mark| mark.role == Role::Itself);
        marks.any(|mark| {
            let request = annotations.get(mark.request);
            request.is_some_and(|request| matches!(request.annotation, Annotation::Device(..)))
        })
    }

    /// Notes what a term reads.
    fn collect(&mut self, e: &Expr) -> Result<(), LowerError> {
        let (mut head, mut index) = (e, Vec::new());
        while let Node::Get(array, at) = &**head {
            index.insert(0, at.clone());
            head = array;
        }
        if let Node::Var(Var::Free(level)) = &**head {
            index.iter().for_each(|at| self.in_index(at));
            self.read(*level, index);
            return Ok(());
        }
        match &**e {
            Node::Gen(_, i, _) | Node::Sum(_, i, _) | Node::Get(_, i) | Node::Index(_, i) => self.in_index(i),
            Node::Guard(p, _) | Node::Select(p, ..) => self.in_pred(p),
            Node::Iterate(it) => self.in_index(&it.extent),
            Node::Op(_, ixs, _) => ixs.iter().for_each(|i| self.in_index(i)),
            Node::Var(_)
            | Node::Lit(..)
            | Node::Let(..)
            | Node::Prim(..)
            | Node::View(..)
            | Node::Bundle(..) => {}
        }
        e.children().try_for_each(|at| self.inside(e, at))
    }

    fn inside(&mut self, e: &Expr, at: Child) -> Result<(), LowerError> {
        if let Some(child) = as_it_stands(e, at) {
            return self.collect(child);
        }
        let (there, child) = enter(&self.cx.ctx, e, at, self.cx.prover)?;
        let here = std::mem::replace(&mut self.cx.ctx, there);
        let result = self.collect(&child);
        self.cx.ctx = here;
        result
    }

    fn in_index(&mut self, ix: &Ix) {
        match ix {
            Ix::Lit(_) | Ix::Var(_) => {}
            Ix::Bin(_, ab) => {
                self.in_index(&ab.0);
                self.in_index(&ab.1);
            }
            Ix::Read(v, at) => {
                at.iter().for_each(|i| self.in_index(i));
                if let Var::Free(level) = v {
                    self.read(*level, at.to_vec());
                }
            }
        }
    }

    fn in_pred(&mut self, p: &Pred) {
        match p {
            Pred::True | Pred::False => {}
            Pred::Cmp(_, a, b) => {
                self.in_index(a);
                self.in_index(b);
            }
            Pred::Not(q) => self.in_pred(q),
            Pred::And(ab) | Pred::Or(ab) => {
                self.in_pred(&ab.0);
                self.in_pred(&ab.1);
            }
        }
    }

    /// Notes an access to the tensor at a level, if it is a state.
    fn read(&mut self, level: u32, index: Vec<Ix>) {
        let Some(at) = level.checked_sub(self.first).map(|at| at as usize) else { return };
        let count = self.ranks.len();
        let (old, new) = match at {
            at if at < count => (Some(at), None),
            at if at < count + self.own => (None, Some(at - count)),
            _ => return,
        };
        let is_cell = old.or(new).is_some_and(|k| self.ranks[k] == index.len());
        let (ctx, around) = (self.cx.ctx.clone(), self.around.index.clone());
        self.reads.push(Read { old, new, ctx, index: is_cell.then_some(index), around });
    }
}

fn reads_in_index(ix: &Ix, level: u32) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => false,
        Ix::Bin(_, ab) => reads_in_index(&ab.0, level) || reads_in_index(&ab.1, level),
        Ix::Read(v, at) => *v == Var::Free(level) || at.iter().any(|i| reads_in_index(i, level)),
    }
}

fn reads_in_pred(p: &Pred, level: u32) -> bool {
    match p {
        Pred::True | Pred::False => false,
        Pred::Cmp(_, a, b) => reads_in_index(a, level) || reads_in_index(b, level),
        Pred::Not(q) => reads_in_pred(q, level),
        Pred::And(ab) | Pred::Or(ab) => reads_in_pred(&ab.0, level) || reads_in_pred(&ab.1, level),
    }
}
