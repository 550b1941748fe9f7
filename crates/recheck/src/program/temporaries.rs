//! Temporaries: what a `let` binds, in a buffer of its own or in scratch that is there.

use super::fill::{Filling, Goal, part, split, wrong_form};
use super::known::Known;
use super::place::{Held, Target};
use super::{Buffer, Fills, Statement, Step};
use crate::context::Entry;
use crate::prelude::*;

/// Scratch that is in use, and its place.
pub(super) type Taken = (usize, (usize, Vec<Ix>));

impl<'f> Filling<'f> {
    /// Scratch for what stands inside, of which each lifetime begins by a reset.
    pub(super) fn spared(
        &mut self,
        step: &'f Step<Fills>,
        statement: usize,
        then: impl FnOnce(&mut Self, usize, &[usize]) -> Checked<()>,
    ) -> Checked<()> {
        self.replayed(step.line, &step.certificates, |this| {
            let Statement::Alloc(buffer, _, extents, body) = &this.program.statements[statement] else {
                return wrong_form();
            };
            this.is_apart(*buffer)?;
            let extents = this.extents(extents)?;
            this.spare.push((*buffer, extents));
            then(this, part(step, 0)?, &this.list(*body)?)?;
            this.spare.pop();
            Ok(())
        })
    }

    /// Extents of a buffer; nothing is read for them.
    pub(super) fn extents(&mut self, extents: &[Ix]) -> Checked<Vec<Ix>> {
        let extents = extents.iter().map(|n| self.index(*n)).collect::<Checked<Vec<_>>>()?;
        for extent in &extents {
            require(!self.judge.store.has_reads(*extent)?, "the extent of a buffer is read from an array")?;
        }
        Ok(extents)
    }

    /// A scratch buffer that holds nothing else.
    pub(super) fn is_apart(&self, buffer: usize) -> Checked<()> {
        let scratch = matches!(self.program.buffers[buffer], Buffer::Scratch(_));
        let used = self.known.iter().any(|known| known.buffer == buffer)
            || self.spare.iter().any(|(spare, _)| *spare == buffer)
            || self.filling.contains(&buffer);
        require(scratch && !used, "a buffer is allocated that is in use")
    }

    pub(super) fn bound(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (bound, body): (Term, Term),
        goal: Goal<'_>,
    ) -> Checked<()> {
        let ty = self.judge.type_of(bound)?;
        let shape = self.judge.store.ix_list(ty.shape);
        let program = self.program;
        let (buffer, begin, inner, spare) = match (step.form, statements) {
            (Fills::Named, _) => {
                let level = self.judge.context.len();
                self.judge.context.push(Entry::Tensor(ty))?;
                let term = self.judge.store.open(body, level)?;
                self.is_all_of(term, level, shape.len())?;
                self.judge.context.leave(level);
                require(goal.shape.len() == shape.len(), "a term is not all of what it names")?;
                goal.shape.iter().zip(&shape).try_for_each(|(a, b)| self.equal(*a, *b))?;
                return self.fill(part(step, 0)?, statements, Goal { term: bound, ..goal });
            }
            (Fills::LetUnread, _) => {
                let level = self.judge.context.len();
                self.judge.context.push(Entry::Tensor(ty))?;
                let term = self.judge.store.open(body, level)?;
                self.fill(part(step, 0)?, statements, Goal { term, ..goal })?;
                self.judge.context.leave(level);
                return Ok(());
            }
            (Fills::LetNew, [statement]) => {
                let Statement::Alloc(buffer, begin, extents, inside) = &program.statements[*statement] else {
                    return wrong_form();
                };
                self.is_apart(*buffer)?;
                let given = self.extents(extents)?;
                require(given.len() == shape.len(), "a buffer has extents of another rank than its tensor")?;
                given.iter().zip(&shape).try_for_each(|(a, b)| self.equal(*a, *b))?;
                (*buffer, *begin, self.list(*inside)?, None)
            }
            (Fills::LetThere, [reset, rest @ ..]) => {
                let Statement::Reset(buffer, begin) = program.statements[*reset] else { return wrong_form() };
                let taken = self.taken(buffer, &shape)?;
                (buffer, begin, rest.to_vec(), Some(taken))
            }
            _ => return wrong_form(),
        };
        require(program.buffers[buffer] == Buffer::Scratch(ty.element.scalar), "a buffer has another type")?;
        let held = self.begins(begin, ty.element)?;
        let (first, rest) = split(step, &inner)?;
        let to = Target::whole(buffer, ty.element, &shape, held);
        self.filling.push(buffer);
        self.fill(part(step, 0)?, first, Goal { term: bound, shape: &shape, to: &to })?;
        self.filling.pop();
        let level = self.judge.context.len();
        self.judge.context.push(Entry::Tensor(ty))?;
        self.known.push(Known { level, buffer, state: None });
        let term = self.judge.store.open(body, level)?;
        self.fill(part(step, 1)?, rest, Goal { term, ..goal })?;
        self.known.pop();
        self.judge.context.leave(level);
        if let Some(taken) = spare {
            self.return_taken(taken);
        }
        Ok(())
    }

    /// Element by element, a term is the tensor of this level and rank.
    pub(super) fn is_all_of(&self, term: Term, level: u32, rank: usize) -> Checked<()> {
        // Indices that the term does not have.
        let first = self.judge.context.len().max(level + 1);
        let index = (first..).take(rank).map(|own| self.judge.store.free_ix(own));
        let index = index.collect::<Checked<Vec<_>>>()?;
        require(self.element(term, &index)? == (level, index), "a term is not all of what it names")
    }

    /// A tensor that is a result of several: it is in that output.
    ///
    /// The output holds all of its elements then, as the buffer of a new temporary does. Of the results after
    /// it this one has no statements, and each other one has another output: so nothing else is stored there.
    /// The body is several results, hence there are no loops around, and the statements run once.
    pub(super) fn result(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (bound, body): (Term, Term),
        goal: Goal<'_>,
    ) -> Checked<()> {
        require(self.is_several(body)?, "a tensor is no result of several")?;
        let [number, count] = step.counts[..] else { return wrong_form() };
        let output = *self.results.get(number).ok_or("a tensor is a result that is not there")?;
        require(output.made.is_none(), "two tensors are one result")?;
        let ty = self.judge.type_of(bound)?;
        let (shape, own) = (self.judge.store.ix_list(ty.shape), self.judge.store.ix_list(output.ty.shape));
        let fits = ty.element == output.ty.element && shape.len() == own.len();
        require(fits, "a tensor has another type than the result that it is")?;
        own.iter().zip(&shape).try_for_each(|(a, b)| self.equal(*a, *b))?;
        let (first, rest) =
            statements.split_at_checked(count).ok_or("a step has more statements than there are")?;
        let to = Target::whole(output.buffer, ty.element, &own, Held::Unset);
        self.outermost(part(step, 0)?, first, Goal { term: bound, shape: &own, to: &to })?;
        let level = self.judge.context.len();
        self.judge.context.push(Entry::Tensor(ty))?;
        self.known.push(Known { level, buffer: output.buffer, state: None });
        self.results[number].made = Some(level);
        let term = self.judge.store.open(body, level)?;
        self.fill(part(step, 1)?, rest, Goal { term, ..goal })?;
        self.results[number].made = None;
        self.known.pop();
        self.judge.context.leave(level);
        Ok(())
    }

    /// Scratch with room for a tensor of these extents: it is not there until it is given back.
    pub(super) fn taken(&mut self, buffer: usize, shape: &[Ix]) -> Checked<Taken> {
        let at = self.spare.iter().position(|(spare, _)| *spare == buffer);
        let at = at.ok_or("a buffer is reset that is not there, or that iterations at once share")?;
        let extents = self.spare[at].1.clone();
        let more = extents.len().checked_sub(shape.len());
        let (leading, own) = extents.split_at(more.ok_or("a buffer has fewer extents than its tensor")?);
        let one = self.judge.store.literal(1)?;
        leading.iter().try_for_each(|n| self.equal(*n, one))?;
        own.iter().zip(shape).try_for_each(|(a, b)| self.equal(*a, *b))?;
        Ok((at, self.spare.remove(at)))
    }

    pub(super) fn return_taken(&mut self, (at, spare): Taken) {
        self.spare.insert(at, spare);
    }
}

impl Store {
    /// Does a condition read an array?
    pub(super) fn condition_reads(&self, pred: Pred) -> Checked<bool> {
        self.work(1)?;
        Ok(match self.pred_node(pred) {
            PredNode::True | PredNode::False => false,
            PredNode::Compare(_, a, b) => self.has_reads(a)? || self.has_reads(b)?,
            PredNode::Not(p) => self.condition_reads(p)?,
            PredNode::And(p, q) | PredNode::Or(p, q) => {
                self.condition_reads(p)? || self.condition_reads(q)?
            }
        })
    }

    /// Does an index term read an array?
    pub(super) fn has_reads(&self, ix: Ix) -> Checked<bool> {
        self.work(1)?;
        Ok(match self.ix_node(ix) {
            IxNode::Literal(_) | IxNode::Free(_) | IxNode::Bound(_) => false,
            IxNode::Op(_, a, b) => self.has_reads(a)? || self.has_reads(b)?,
            IxNode::Read(..) => true,
        })
    }
}
