//! The lowering context at a place in the term, and the translation of index terms and predicates to the loop IR.

use crate::annotations::coiteration::CoiterationStrategy;
use crate::error::LowerError;
use crate::names::Names;
use crate::notes::{Carries, Marked, NeverLeft, Scanned};
use atl_annotations::{Annotation, Annotations, RequestId};
use atl_arith::Arith;
use atl_arith::keys::{Growth, grows};
use atl_arith::size::Sizes;
use atl_check::{MAX_INDEX, Reindexer, reads_of_index, reads_of_predicate};
use atl_kernel::{Cmp, Ctx, Elem, Entry, Expr, Ix, IxOp, Label, Pred, Prover, Type, Var, type_of};
use atl_loops::prefetch::{Frame, Missing};
use atl_loops::search::How;
use atl_loops::{Bool, Int, IntOp, LoopKind, Name, Stmt};
use atl_ops::Operator;
use atl_rules::moving::Between;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A tensor in memory.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(crate) name: Name,
    pub(crate) elem: Elem,
    pub(crate) extents: Vec<Ix>,
    /// The dimension in which it goes round, and how far, if it is carried along a loop.
    pub(crate) turn: Option<(usize, Ix)>,
    /// What it is a part of, if it has no memory of its own.
    pub(crate) part: Option<Arc<Part>>,
}

/// A part of a buffer: where its elements go, and the extents of the whole.
pub(crate) struct Part {
    pub(crate) theta: Reindexer,
    pub(crate) whole: Vec<Ix>,
}

impl Buffer {
    /// The number of the cell at an index, of a buffer that is no part of another.
    pub(crate) fn cell(&self, index: &[Ix]) -> Ix {
        let mut index = index.to_vec();
        if let Some((dimension, turn)) = &self.turn {
            index[*dimension] = (index[*dimension].clone() + turn.clone()) % self.extents[*dimension].clone();
        }
        row_major(&self.extents, &index)
    }

    /// The number of the cell at an index, in the buffer that it is a part of if it is one.
    fn cell_in(&self, ctx: &Ctx, prover: &mut dyn Prover, index: &[Ix]) -> Ix {
        match &self.part {
            Some(part) => row_major(&part.whole, &part.theta.apply(ctx, prover, index.to_vec())),
            None => self.cell(index),
        }
    }
}

/// A loop around a place.
#[derive(Clone)]
pub(crate) struct EnclosingLoop {
    /// The level of its variable.
    pub(crate) level: u32,
    pub(crate) name: Name,
    pub(crate) extent: Ix,
    pub(crate) kind: LoopKind,
    /// How it searches, if it does.
    pub(crate) search: Option<How>,
    /// What lives as long as the loop runs: allocations without their bodies.
    pub(crate) kept: Vec<Stmt>,
}

/// A loop or condition around the place.
pub(crate) struct Enclosing {
    /// The loop's label, where it has iterations of its own.
    pub(crate) label: Option<Label>,
    pub(crate) frame: Frame,
    /// The requests of which a loop inside is asked.
    pub(crate) inside: BTreeSet<RequestId>,
}

impl Enclosing {
    /// A loop with this label, or a condition.
    pub(crate) fn new(label: Option<Label>, frame: Frame) -> Enclosing {
        Enclosing { label, frame, inside: BTreeSet::new() }
    }
}

/// The context at a place, and what its levels are called.
pub(crate) struct LowerCx<'p> {
    pub(crate) ctx: Ctx,
    pub(crate) prover: &'p mut dyn Prover,
    pub(crate) names: Names,
    pub(crate) indices: BTreeMap<u32, Name>,
    pub(crate) buffers: BTreeMap<u32, Buffer>,
    /// The loops around, outermost first.
    pub(crate) loops: Vec<EnclosingLoop>,
    /// Levels below this are those of sizes and inputs.
    pub(crate) outer: u32,
    /// What the schedule asks of the binders that have tags.
    pub(crate) annotations: &'p Annotations,
    /// The requests of binders that were lowered.
    pub(crate) found: BTreeSet<RequestId>,
    /// What was not prefetched in a loop that is meant, and why.
    pub(crate) missing: Vec<(RequestId, Missing)>,
    /// The parts of the result that are put in order by looking at all of their places.
    pub(crate) scanned: Vec<Scanned>,
    /// The rounds that end by themselves and are in lanes, which none of them leaves.
    pub(crate) never_left: Vec<NeverLeft>,
    /// The inputs.
    pub(crate) inputs: BTreeSet<Name>,
    /// The outputs.
    pub(crate) outputs: BTreeSet<Name>,
    /// The loops and conditions around, outermost first.
    pub(crate) around: Vec<Enclosing>,
    /// The names of the `let`s of the program, of which the term is the normal form.
    pub(crate) source_let_names: BTreeSet<Arc<str>>,
    /// The buffers of those in whose bound terms the place is, outermost first.
    pub(crate) lets: Vec<Name>,
    /// The loops that are to be lanes or to be written out.
    pub(crate) marked: Vec<Marked>,
    /// The `let`s in whose bodies the place is, outermost first.
    pub(crate) around_lets: Vec<Between>,
    /// The windows to carry, and what has become of them.
    pub(crate) carries: Carries,
    /// How sparse operands that meet are walked.
    pub(crate) coiteration: CoiterationStrategy,
    /// What was shown of sparse programs, where it was last: each place that reads at a position of a level
    /// asks the same of the levels above.
    pub(crate) shown: HashMap<Pred, Ctx>,
}

/// Does a context say something of all elements of an array?
fn holds_for_all(ctx: &Ctx) -> bool {
    ctx.entries().any(|entry| matches!(entry, Entry::All(..)))
}

/// Does a context begin with the very entries of another one? Then what holds there holds in it.
fn extends(ctx: &Ctx, of: &Ctx) -> bool {
    let is_it = |(one, other): (&Entry, &Entry)| match (one, other) {
        (Entry::Index(_), Entry::Index(_)) => true,
        (Entry::Tensor(_, one), Entry::Tensor(_, other)) => one == other,
        (Entry::All(_, one), Entry::All(_, other)) => Arc::ptr_eq(one, other),
        (Entry::Hyp(..), Entry::Hyp(..)) => {
            one.facts().zip(other.facts()).is_some_and(|(one, other)| std::ptr::eq(one, other))
        }
        _ => false,
    };
    of.entries().len() <= ctx.entries().len() && of.entries().zip(ctx.entries()).all(is_it)
}

impl LowerCx<'_> {
    pub(crate) fn type_of(&mut self, e: &Expr) -> Result<Type, LowerError> {
        Ok(type_of(&self.ctx, e, self.prover)?)
    }

    /// Is the result stored past the caches, or over an input, so that each cell is stored once and not read?
    pub(crate) fn is_stored_once(&self) -> bool {
        let once = |one: &Annotation| matches!(one, Annotation::Stream | Annotation::Reuse { .. });
        self.annotations.requests().any(|(_, request)| once(&request.annotation))
    }

    /// Do some loops stand for a device's blocks and threads?
    pub(crate) fn is_for_device(&self) -> bool {
        let device = |one: &Annotation| matches!(one, Annotation::Device(..));
        self.annotations.requests().any(|(_, request)| device(&request.annotation))
    }

    pub(crate) fn proves(&mut self, goal: &Pred) -> bool {
        if self.shown.get(goal).is_some_and(|there| extends(&self.ctx, there)) {
            return true;
        }
        let cert = self.prover.prove(&self.ctx, goal);
        let holds = cert.is_some_and(|cert| atl_kernel::cert::check(&self.ctx, goal, &cert).is_ok());
        if holds && holds_for_all(&self.ctx) {
            self.shown.insert(goal.clone(), self.ctx.clone());
        }
        holds
    }

    /// Is nothing ever computed here? What the context says cannot hold then, and everything else follows from it: an
    /// index term may be simplified to any other, so nothing need be translated. Every loop asks,
    /// of what loops, guards and sizes say: what holds of all elements of arrays, which are checked
    /// before a call, contradicts no size that there is, and to search it in vain takes longer than all
    /// other questions about a sparse program.
    pub(crate) fn is_unreachable(&mut self) -> bool {
        if !holds_for_all(&self.ctx) {
            return self.proves(&Pred::False);
        }
        let mut known = Ctx::new();
        for entry in self.ctx.entries() {
            match entry {
                Entry::Hyp(p, _) => known.push_hyp(p.clone()),
                Entry::Tensor(label, ty) => _ = known.push_tensor(label.clone(), ty.clone()),
                Entry::Index(label) => _ = known.push_index(label.clone()),
                // Levels stay as they are.
                Entry::All(..) => _ = known.push_index(Label::default()),
            }
        }
        self.proves_there(known, &Pred::False)
    }

    /// Do something where a predicate holds.
    pub(crate) fn assuming<T>(&mut self, p: Pred, run: impl FnOnce(&mut Self) -> T) -> T {
        let level = self.ctx.level();
        self.ctx.push_hyp(p);
        let result = run(self);
        self.ctx.truncate(level);
        result
    }

    /// The leading extents of its operands that an operator looks at.
    pub(crate) fn extents(&mut self, op: &Operator, args: &[Expr]) -> Result<Vec<Ix>, LowerError> {
        let mut extents = Vec::new();
        for (arg, named) in args.iter().zip(op.tensor_params) {
            extents.extend(self.type_of(arg)?.shape.into_iter().take(named.len()));
        }
        Ok(extents)
    }

    /// The tensor at a level.
    pub(crate) fn buffer(&self, v: Var) -> Result<&Buffer, LowerError> {
        match v {
            Var::Free(level) => self.buffers.get(&level).ok_or(LowerError::Unbound(v)),
            Var::Bound(_) => Err(LowerError::Unbound(v)),
        }
    }

    /// The cell of a tensor at an index.
    pub(crate) fn cell(&mut self, buffer: &Buffer, index: &[Ix]) -> Result<Int, LowerError> {
        let cell = buffer.cell_in(&self.ctx, self.prover, index);
        self.translate_ix(&cell)
    }

    /// A simplified index term. What it reads is there, as the check has shown of it as it was given; where that is not
    /// plain of the simplified one, it stays as it was.
    pub(crate) fn translate_ix(&mut self, ix: &Ix) -> Result<Int, LowerError> {
        short_enough(Sizes::default().ix(ix))?;
        let shorter = atl_arith::simplify(&self.ctx, ix);
        let there = reads_of_index(&self.ctx, &shorter);
        let given = if self.all_hold(there) { &shorter } else { ix };
        self.translate_ix_raw(given)
    }

    /// Is all that the term reads there?
    pub(crate) fn is_there(&mut self, ix: &Ix) -> bool {
        self.all_hold(reads_of_index(&self.ctx, ix))
    }

    fn all_hold(&mut self, goals: Vec<(Ctx, Pred)>) -> bool {
        goals.into_iter().all(|(there, goal)| self.proves_there(there, &goal))
    }

    /// Do something where a predicate holds, if there is one.
    pub(crate) fn within<T>(&mut self, p: Option<&Pred>, run: impl FnOnce(&mut Self) -> T) -> T {
        match p {
            Some(p) => self.assuming(p.clone(), run),
            None => run(self),
        }
    }

    /// Does the term read inputs only, where they have cells?
    pub(crate) fn is_input_read(&mut self, ix: &Ix) -> bool {
        self.reads_inputs(ix) && self.is_there(ix)
    }

    /// Does the term read inputs only?
    pub(crate) fn reads_inputs(&self, ix: &Ix) -> bool {
        match ix {
            Ix::Lit(_) | Ix::Var(_) => true,
            Ix::Bin(_, ab) => self.reads_inputs(&ab.0) && self.reads_inputs(&ab.1),
            Ix::Read(array, at) => {
                matches!(array, Var::Free(level) if *level < self.outer)
                    && at.iter().all(|i| self.reads_inputs(i))
            }
        }
    }

    /// Do something where the context was no longer than this.
    pub(crate) fn outside<T>(&mut self, level: u32, run: impl FnOnce(&mut Self) -> T) -> T {
        let mut outside = self.ctx.clone();
        outside.truncate(level);
        let here = std::mem::replace(&mut self.ctx, outside);
        let result = run(self);
        self.ctx = here;
        result
    }

    /// Does it hold in another context?
    pub(crate) fn proves_there(&mut self, there: Ctx, goal: &Pred) -> bool {
        let here = std::mem::replace(&mut self.ctx, there);
        let holds = self.proves(goal);
        self.ctx = here;
        holds
    }

    /// Does a term in the variable at a level grow like this over `0..n`, here?
    pub(crate) fn grows(&mut self, of: (u32, &Ix), n: &Ix, growth: Growth) -> bool {
        let (there, goal) = grows(&self.ctx, of, n, growth);
        self.proves_there(there, &goal)
    }

    /// An index term as it stands.
    pub(crate) fn translate_ix_raw(&self, ix: &Ix) -> Result<Int, LowerError> {
        Ok(match ix {
            Ix::Lit(n) => Int::Lit(*n),
            Ix::Var(Var::Free(level)) => {
                Int::Var(self.indices.get(level).ok_or(LowerError::Unbound(Var::Free(*level)))?.clone())
            }
            Ix::Var(v) => return Err(LowerError::Unbound(*v)),
            Ix::Bin(op, ab) => {
                let op = match op {
                    IxOp::Add => IntOp::Add,
                    IxOp::Sub => IntOp::Sub,
                    IxOp::Mul => IntOp::Mul,
                    IxOp::Div => IntOp::Div,
                    IxOp::Mod => IntOp::Mod,
                    IxOp::Min => IntOp::Min,
                    IxOp::Max => IntOp::Max,
                };
                Int::bin(op, self.translate_ix_raw(&ab.0)?, self.translate_ix_raw(&ab.1)?)
            }
            Ix::Read(array, at) => {
                let buffer = self.buffer(*array)?;
                let cell = buffer.cell_in(&self.ctx, &mut Arith::new(), at);
                let cell = atl_arith::simplify(&self.ctx, &cell);
                Int::load(buffer.name.clone(), self.translate_ix_raw(&cell)?)
            }
        })
    }

    /// A simplified predicate, with the same proviso as [`LowerCx::translate_ix`].
    pub(crate) fn translate_pred(&mut self, p: &Pred) -> Result<Bool, LowerError> {
        short_enough(Sizes::default().pred(p))?;
        let shorter = atl_arith::simplify_pred(&self.ctx, p);
        let there = reads_of_predicate(&self.ctx, &shorter);
        let shorter = if self.all_hold(there) { &shorter } else { p };
        predicate(shorter, &mut |ix| self.translate_ix_raw(ix))
    }

    /// A hypothesis of the context itself, which simplification could use to make it trivial.
    pub(crate) fn translate_pred_raw(&self, p: &Pred) -> Result<Bool, LowerError> {
        predicate(p, &mut |ix| self.translate_ix_raw(ix))
    }
}

/// Refuse an index term or a condition of so many nodes, if they are more than [`MAX_INDEX`].
fn short_enough(nodes: u64) -> Result<(), LowerError> {
    if nodes > MAX_INDEX { Err(LowerError::TooLong(nodes)) } else { Ok(()) }
}

fn predicate(p: &Pred, int: &mut dyn FnMut(&Ix) -> Result<Int, LowerError>) -> Result<Bool, LowerError> {
    Ok(match p {
        Pred::True => Bool::Lit(true),
        Pred::False => Bool::Lit(false),
        Pred::Cmp(cmp, a, b) => {
            let (a, b) = (int(a)?, int(b)?);
            match cmp {
                Cmp::Eq => Bool::eq(a, b),
                Cmp::Lt => Bool::lt(a, b),
                Cmp::Le => Bool::le(a, b),
            }
        }
        Pred::Not(q) => match &**q {
            Pred::Cmp(Cmp::Lt, a, b) => Bool::le(int(b)?, int(a)?),
            Pred::Cmp(Cmp::Le, a, b) => Bool::lt(int(b)?, int(a)?),
            Pred::Cmp(Cmp::Eq, a, b) => Bool::ne(int(a)?, int(b)?),
            q => predicate(q, int)?.negate(),
        },
        Pred::And(ab) => predicate(&ab.0, int)?.and(predicate(&ab.1, int)?),
        Pred::Or(ab) => predicate(&ab.0, int)?.or(predicate(&ab.1, int)?),
    })
}

/// The number of the cell at an index: `((i1*n2 + i2)*n3 + i3)..`, which is the sum of `i_t` times the product
/// of the extents after `t`.
fn row_major(extents: &[Ix], index: &[Ix]) -> Ix {
    extents.iter().zip(index).fold(Ix::ZERO, |cell, (n, i)| cell * n.clone() + i.clone())
}
