//! Statements: that they put a term into a buffer, replayed step by step.
//!
//! What is known where a statement stands is the context: the claim's, then the index of each loop that was
//! entered, the hypotheses of conditions, the tensors that temporaries hold. While the cells of a target
//! are filled, nothing but these, scratch, and what is allocated inside is stored to, and no cell of the
//! target or of scratch is read. So concurrent loops need one thing more, that they share no scratch.

use super::known::Known;
use super::place::{Held, Target};
use super::{Begin, Fills, Program, Run, Statement, Step};
use crate::certificate::Certificate;
use crate::context::{Context, Entry, Type};
use crate::prelude::*;
use crate::typing::Judge;

/// Steps while they are replayed.
pub(crate) struct Filling<'f> {
    pub(super) judge: Judge<'f>,
    pub(super) program: &'f Program,
    /// The levels that index terms of the loops may name as `free`: those of the claim.
    pub(super) base: u32,
    /// The levels of the loops around.
    pub(super) loops: Vec<u32>,
    /// The tensors that are in memory.
    pub(super) known: Vec<Known>,
    /// Scratch, with its extents, that later statements may use.
    pub(super) spare: Vec<(usize, Vec<Ix>)>,
    /// The scratch buffers that are being filled.
    pub(super) filling: Vec<usize>,
    /// The laws that were used.
    pub(super) laws: Laws,
    /// Of several results.
    pub(super) results: Vec<Output>,
    count: u64,
    depth: u64,
}

/// Where a result goes.
#[derive(Clone, Copy)]
pub(super) struct Output {
    pub(super) buffer: usize,
    pub(super) ty: Type,
    /// The level of the tensor that it holds already.
    pub(super) made: Option<u32>,
}

/// What statements are seen to fill: a term, the extents that it has, and the cells.
#[derive(Clone, Copy)]
pub(super) struct Goal<'g> {
    pub(super) term: Term,
    pub(super) shape: &'g [Ix],
    pub(super) to: &'g Target,
}

impl<'f> Filling<'f> {
    /// What is run computes a term of the context, the claim's right side; the types of its results.
    pub(crate) fn check(
        (store, context): (Store, Context),
        certificates: &'f [Certificate],
        program: &'f Program,
        (run, term): (&Run, Term),
    ) -> Checked<(Store, Vec<Type>)> {
        let (base, laws) = (context.len(), Laws::NONE);
        let judge = Judge { store, context, certificates, evidence: &[] };
        let (loops, known, spare, filling) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let results = Vec::new();
        let mut this =
            Filling { judge, program, base, loops, known, spare, filling, laws, results, count: 0, depth: 0 };
        let outputs = this.memory()?;
        let types = this.judge.types_of(term)?;
        require(!outputs.is_empty(), "the loops have no output")?;
        require(outputs.len() == types.len(), "the loops have another number of outputs than the term")?;
        let outputs = outputs.into_iter().zip(&types);
        this.results = outputs.map(|(buffer, ty)| Output { buffer, ty: *ty, made: None }).collect();
        // Of several results, `results` has the targets of the others too.
        let Output { buffer, ty, .. } = this.results[0];
        let shape = this.judge.store.ix_list(ty.shape);
        let to = Target::whole(buffer, ty.element, &shape, Held::Unset);
        let goal = Goal { term, shape: &shape, to: &to };
        this.outermost(run.step, &this.list(run.statement)?, goal)?;
        require(this.laws == run.laws, "the loops use other laws than the file claims")?;
        Ok((this.judge.store, types))
    }

    /// What lies in memory at first; the outputs' buffers.
    fn memory(&mut self) -> Checked<Vec<usize>> {
        let mut outputs = Vec::new();
        for (number, buffer) in self.program.buffers.iter().enumerate() {
            match buffer {
                super::Buffer::Input(level) => {
                    let tensor = self.judge.context.entries().get(*level as usize);
                    require(
                        matches!(tensor, Some(Entry::Tensor(_))),
                        "an input is no tensor of the context",
                    )?;
                    require(!self.is_input(*level), "a tensor lies in two buffers")?;
                    self.known.push(Known { level: *level, buffer: number, state: None });
                }
                super::Buffer::Output => outputs.push(number),
                super::Buffer::Scratch(_) => {}
            }
        }
        Ok(outputs)
    }

    /// Several results, one after the other.
    fn several(&mut self, step: &'f Step<Fills>, statements: &[usize], parts: Terms) -> Checked<()> {
        let (parts, results) = (self.judge.store.term_list(parts), self.results.clone());
        let fits = parts.len() == results.len() && parts.len() == step.parts.len();
        require(fits, "there are more or fewer steps than results")?;
        let mut left = statements;
        for (k, (term, Output { buffer, ty, made })) in parts.into_iter().zip(&results).enumerate() {
            let own = match step.counts.get(k) {
                Some(0) if made.is_some() => &[],
                // All that is left, where the others are there.
                Some(count) if *count == left.len() && results[k + 1..].iter().all(|r| r.made.is_some()) => {
                    std::mem::take(&mut left)
                }
                Some(count) => {
                    let (own, rest) = split_at(*count, left)?;
                    left = rest;
                    own
                }
                None => left,
            };
            let shape = self.judge.store.ix_list(ty.shape);
            if let Some(level) = made {
                self.there(part(step, k)?, own, (term, shape.len()), *level)?;
                continue;
            }
            let to = Target::whole(*buffer, ty.element, &shape, Held::Unset);
            self.outermost(part(step, k)?, own, Goal { term, shape: &shape, to: &to })?;
        }
        Ok(())
    }

    /// A result, of this rank, is the tensor that its output holds.
    fn there(
        &mut self,
        step: usize,
        statements: &[usize],
        (term, rank): (Term, usize),
        made: u32,
    ) -> Checked<()> {
        let step = &self.program.steps[step];
        self.replayed(step.line, &step.certificates, |this| {
            let is_kept = step.form == Fills::Kept && statements.is_empty();
            require(is_kept, "a result is made again that its output holds already")?;
            this.is_all_of(term, made, rank)
        })
    }

    /// Is it a tensor that the caller gives?
    pub(super) fn is_input(&self, level: u32) -> bool {
        level < self.base && self.known.iter().any(|known| known.level == level)
    }

    /// Statements around which nothing stands: scratch, and what the output's cells hold at first.
    pub(super) fn outermost(&mut self, step: usize, statements: &[usize], goal: Goal<'_>) -> Checked<()> {
        let program = self.program;
        let line = &program.steps[step];
        match (line.form, statements) {
            (Fills::Spared, [statement]) => {
                self.spared(line, *statement, |this, step, inner| this.outermost(step, inner, goal))
            }
            (Fills::Begun, [reset, rest @ ..]) => self.replayed(line.line, &line.certificates, |this| {
                let Statement::Reset(buffer, begin) = program.statements[*reset] else { return wrong_form() };
                require(buffer == goal.to.buffer, "another buffer is reset")?;
                require(
                    this.begins(begin, goal.to.element)? == Held::Zeroed,
                    "cells begin as something else",
                )?;
                let to = goal.to.holding(Held::Zeroed);
                this.fill(part(line, 0)?, rest, Goal { to: &to, ..goal })
            }),
            _ => self.fill(step, statements, goal),
        }
    }

    /// Replay what a line says, with its certificates, all of which are used.
    pub(super) fn replayed<T>(
        &mut self,
        line: u64,
        certificates: &'f [usize],
        replay: impl FnOnce(&mut Self) -> Checked<T>,
    ) -> Checked<T> {
        (self.count, self.depth) = (self.count + 1, self.depth + 1);
        let small = self.count <= limits::INFERENCES && self.depth <= limits::INFERENCE_DEPTH;
        require(small, "the loops have more steps than the limits allow")?;
        self.judge.store.work(1)?;
        let waiting = std::mem::replace(&mut self.judge.evidence, certificates);
        let result = replay(self).map_err(|refusal| refusal.at(line))?;
        require(self.judge.evidence.is_empty(), "a certificate is left over").map_err(|r| r.at(line))?;
        self.judge.evidence = waiting;
        self.depth -= 1;
        Ok(result)
    }

    /// The statements fill the cells for a term, by a step.
    pub(super) fn fill(&mut self, step: usize, statements: &[usize], goal: Goal<'_>) -> Checked<()> {
        let step = &self.program.steps[step];
        if let (Fills::Spared, [statement]) = (step.form, statements) {
            return self.spared(step, *statement, |this, step, inner| this.fill(step, inner, goal));
        }
        self.replayed(step.line, &step.certificates, |this| this.filled(step, statements, goal))
    }

    fn filled(&mut self, step: &'f Step<Fills>, statements: &[usize], goal: Goal<'_>) -> Checked<()> {
        let Goal { term, shape, to } = goal;
        let node = self.judge.store.node(term);
        if to.update.is_some() && !Self::updates(step.form) {
            return refuse(format!("cells that are updated have the step `{}`", step.form.name()));
        }
        match (step.form, node) {
            (Fills::Either, _) => self.either(step, statements, goal),
            (Fills::Results, TermNode::Bundle(parts)) => self.several(step, statements, parts),
            (Fills::Stored, _) => self.stored(step, statements, goal),
            (Fills::Loop | Fills::Once | Fills::Never, TermNode::Loop(Loop::Gen, n, body)) => {
                self.generated(step, statements, (n, body), goal)
            }
            (Fills::Summed | Fills::SummedOnce, TermNode::Loop(Loop::Sum, n, body)) => {
                self.summed(step, statements, (n, body), goal)
            }
            (Fills::SummedWritten, TermNode::Loop(Loop::Sum, n, body)) => {
                self.summed_written(step, statements, (n, body), goal)
            }
            (Fills::Switched, TermNode::Loop(Loop::Gen, n, body)) => {
                let TermNode::Guard(p, inside) = self.judge.store.node(body) else { return wrong_form() };
                let p = self.settled(p)?;
                let inside = self.judge.store.term(TermNode::Loop(Loop::Gen, n, inside))?;
                self.conditioned(step, statements, (p, inside), goal)
            }
            (Fills::Guarded, TermNode::Guard(p, inside)) => {
                self.conditioned(step, statements, (p, inside), goal)
            }
            (Fills::GuardedElse, TermNode::Guard(p, inside)) => {
                require(shape.is_empty(), "a condition with another branch is around more than a scalar")?;
                let zero = self.judge.store.term(TermNode::Literal(to.element, Number::Zero))?;
                self.choice(step, statements, (p, inside, zero), goal)
            }
            (Fills::GuardedTrue, TermNode::Guard(p, inside)) => {
                self.show(p)?;
                self.fill(part(step, 0)?, statements, Goal { term: inside, ..goal })
            }
            (Fills::GuardedFalse, TermNode::Guard(p, _)) => {
                require(statements.is_empty(), "a term that is zero has statements")?;
                self.padding(to)?;
                self.deny(p)
            }
            (Fills::Selected, TermNode::Select(p, a, b)) => self.choice(step, statements, (p, a, b), goal),
            (Fills::SelectedOther, TermNode::Select(p, a, b)) => {
                let not = self.judge.store.pred(PredNode::Not(p))?;
                self.choice(step, statements, (not, b, a), goal)
            }
            (Fills::Kept | Fills::Unheld, _) => self.unchanged(step, statements, goal),
            (Fills::Pointed | Fills::PointedIf, TermNode::Loop(Loop::Gen, n, body)) => {
                self.pointed(step, statements, (n, body), goal)
            }
            (Fills::Swept, TermNode::Loop(Loop::Gen, n, body)) => {
                self.swept(step, statements, (n, body), goal)
            }
            (Fills::Iterated, TermNode::Iterate(n, states, body)) => {
                self.iterated(step, statements, (n, states, body), goal)
            }
            (Fills::Paired, TermNode::Iterate(n, states, body)) => {
                self.paired(step, statements, (n, states, body), goal)
            }
            (Fills::SelectedTrue, TermNode::Select(p, a, _)) => {
                self.show(p)?;
                self.fill(part(step, 0)?, statements, Goal { term: a, ..goal })
            }
            (Fills::SelectedFalse, TermNode::Select(p, _, b)) => {
                self.deny(p)?;
                self.fill(part(step, 0)?, statements, Goal { term: b, ..goal })
            }
            (Fills::Added, TermNode::Prim(Function::Add, operands)) => {
                let operands = self.judge.store.term_list(operands);
                let ([a, b], false) = (&operands[..], shape.is_empty()) else { return wrong_form() };
                match to.held {
                    Held::Unset | Held::Replaced => {
                        return refuse("a sum goes into cells that do not begin as zero");
                    }
                    Held::Zeroed => self.law(to, "add_0_l")?,
                    Held::Adding => self.law(to, "add_assoc")?,
                }
                let (first, rest) = split(step, statements)?;
                let to = to.holding(Held::Adding);
                self.fill(part(step, 0)?, first, Goal { term: *a, shape, to: &to })?;
                self.fill(part(step, 1)?, rest, Goal { term: *b, shape, to: &to })
            }
            (Fills::Written, TermNode::Loop(Loop::Gen, _, body)) => {
                self.written(step, statements, body, goal)
            }
            (Fills::Cutting, TermNode::Loop(Loop::Gen, n, body)) => {
                self.cut(step, statements, (n, body), goal)
            }
            (Fills::Resting, TermNode::Loop(Loop::Gen, n, body)) => {
                self.resting(step, statements, (n, body), goal)
            }
            (Fills::Carried, TermNode::Loop(Loop::Gen, n, body)) => {
                self.carried(step, statements, (n, body), goal)
            }
            (Fills::Reshaped | Fills::Joined, TermNode::Op(definition, indices, operands)) => {
                self.operator(step, statements, (definition, indices, operands), goal)
            }
            (
                Fills::LetNew | Fills::LetThere | Fills::LetUnread | Fills::Named,
                TermNode::Let(bound, body),
            ) => self.bound(step, statements, (bound, body), goal),
            (Fills::LetResult, TermNode::Let(bound, body)) => {
                self.result(step, statements, (bound, body), goal)
            }
            (form, _) => {
                refuse(format!("the term has not the form that the step `{}` asks for", form.name()))
            }
        }
    }

    /// One scalar, stored.
    fn stored(&mut self, step: &Step<Fills>, statements: &[usize], goal: Goal<'_>) -> Checked<()> {
        let Goal { term, shape, to } = goal;
        let ([statement], []) = (statements, shape) else { return wrong_form() };
        let (buffer, cell, value) = match self.program.statements[*statement] {
            Statement::Set(buffer, cell, value) => {
                let set = matches!(to.held, Held::Unset | Held::Zeroed);
                require(set, "a cell is set that is added to, or replaced")?;
                (buffer, cell, value)
            }
            Statement::Replace(buffer, cell, value) => {
                require(to.held == Held::Replaced, "a cell is replaced of no state that is updated")?;
                (buffer, cell, value)
            }
            Statement::Combine(function, buffer, cell, value) => {
                let adds = function == super::machine::operation(Function::Add, to.element);
                require(
                    adds && to.held == Held::Adding,
                    "a cell is combined with a value, and is not added to",
                )?;
                (buffer, cell, value)
            }
            _ => return wrong_form(),
        };
        require(buffer == to.buffer, "another buffer is stored to")?;
        let (wanted, kept) = to.at(&self.judge.store, vec![])?;
        self.gives(cell, wanted)?;
        self.show(kept)?;
        if let Some(update) = to.update.filter(|update| update.old.is_some()) {
            let own = to.own(&self.judge.store, vec![])?;
            self.show(self.judge.store.of_element(update.changed, &own)?)?;
        }
        let element = self.value(value, term, part(step, 0)?)?;
        require(element == to.element, "a value of another type is stored")
    }

    /// A condition beside which nothing stands.
    fn conditioned(
        &mut self,
        step: &Step<Fills>,
        statements: &[usize],
        (p, inside): (Pred, Term),
        goal: Goal<'_>,
    ) -> Checked<()> {
        let [statement] = statements else { return wrong_form() };
        let Statement::If(condition, then, None) = self.program.statements[*statement] else {
            return wrong_form();
        };
        self.decides(condition, p)?;
        match goal.to.held {
            Held::Unset => self.dropped(p, goal)?,
            _ => self.padding(goal.to)?,
        }
        let (step, then) = (part(step, 0)?, self.list(then)?);
        self.assuming(p, |this| this.fill(step, &then, Goal { term: inside, ..goal }))
    }

    /// Where an element is kept, the condition holds.
    fn dropped(&mut self, p: Pred, Goal { shape, to, .. }: Goal<'_>) -> Checked<()> {
        let level = self.judge.context.len();
        self.kept_element(shape, to)?;
        self.show(p)?;
        self.judge.context.leave(level);
        Ok(())
    }

    /// The index of an element that is kept, new in the context, and its cell.
    pub(super) fn kept_element(&mut self, shape: &[Ix], to: &Target) -> Checked<(Vec<Ix>, Ix)> {
        let mut index = Vec::new();
        for _ in shape {
            index.push(self.judge.store.free_ix(self.judge.context.len())?);
            self.judge.context.push(Entry::Index)?;
        }
        let within = self.judge.store.in_box(&index, shape)?;
        self.judge.context.push(Entry::Hypothesis(within))?;
        let (cell, kept) = to.at(&self.judge.store, index.clone())?;
        self.judge.context.push(Entry::Hypothesis(kept))?;
        Ok((index, cell))
    }

    /// Two ways to fill the same cells, of which a condition takes one.
    fn either(&mut self, step: &Step<Fills>, statements: &[usize], goal: Goal<'_>) -> Checked<()> {
        let [statement] = statements else { return wrong_form() };
        let Statement::If(condition, then, Some(otherwise)) = self.program.statements[*statement] else {
            return wrong_form();
        };
        let p = self.condition(condition)?;
        self.reads_of_condition(p)?;
        let (first, second) = (part(step, 0)?, part(step, 1)?);
        let (then, otherwise) = (self.list(then)?, self.list(otherwise)?);
        self.assuming(p, |this| this.fill(first, &then, goal))?;
        let not = self.judge.store.pred(PredNode::Not(p))?;
        self.assuming(not, |this| this.fill(second, &otherwise, goal))
    }

    /// The statements of a sequence, or the one.
    pub(super) fn list(&self, statement: usize) -> Checked<Vec<usize>> {
        self.program.list(&self.judge.store, statement)
    }

    /// A condition with two branches, for a choice.
    fn choice(
        &mut self,
        step: &Step<Fills>,
        statements: &[usize],
        (p, a, b): (Pred, Term, Term),
        goal: Goal<'_>,
    ) -> Checked<()> {
        let [statement] = statements else { return wrong_form() };
        let Statement::If(condition, then, otherwise) = self.program.statements[*statement] else {
            return wrong_form();
        };
        // Cells that are updated may stay what they are.
        require(otherwise.is_some() || goal.to.update.is_some(), "a choice has no other branch")?;
        self.decides(condition, p)?;
        let (first, second) = (part(step, 0)?, part(step, 1)?);
        let otherwise = otherwise.map_or(Ok(vec![]), |otherwise| self.list(otherwise));
        let (then, otherwise) = (self.list(then)?, otherwise?);
        self.assuming(p, |this| this.fill(first, &then, Goal { term: a, ..goal }))?;
        let not = self.judge.store.pred(PredNode::Not(p))?;
        self.assuming(not, |this| this.fill(second, &otherwise, Goal { term: b, ..goal }))
    }

    /// Cells to which nothing is stored are zero, or stay what they are.
    pub(super) fn padding(&mut self, to: &Target) -> Checked<()> {
        match to.held {
            Held::Unset | Held::Replaced => refuse("cells would hold nothing"),
            Held::Zeroed => Ok(()),
            Held::Adding => self.law(to, "add_0_r"),
        }
    }

    /// The algebra that a target is added in has a law.
    pub(super) fn law(&mut self, to: &Target, name: &str) -> Checked<()> {
        let law = Laws::of(name);
        require(
            law.within(to.element.algebra.laws()),
            "the loops need a law that the algebra does not have",
        )?;
        self.laws = self.laws.and(law);
        Ok(())
    }

    /// What cells of an element type hold that begin so.
    pub(super) fn begins(&self, begin: Begin, element: Element) -> Checked<Held> {
        match begin {
            Begin::Unset => Ok(Held::Unset),
            Begin::Value(value) => self.constant(value, element, Number::Zero).map(|()| Held::Zeroed),
        }
    }
}

/// The line of a part of a step.
pub(super) fn part(step: &Step<Fills>, k: usize) -> Checked<usize> {
    step.parts.get(k).copied().ok_or("a step has too few parts".into())
}

/// The statements for a step's first part, and the others; of neither there are none.
pub(super) fn split<'s>(step: &Step<Fills>, statements: &'s [usize]) -> Checked<(&'s [usize], &'s [usize])> {
    let count = step.counts.first().copied().unwrap_or(0);
    split_at(count, statements)
}

/// So many statements, and the others; of neither there are none.
pub(super) fn split_at(count: usize, statements: &[usize]) -> Checked<(&[usize], &[usize])> {
    let apart = 0 < count && count < statements.len();
    require(apart, "a step parts statements where there is nothing on one side")?;
    Ok(statements.split_at(count))
}

pub(super) fn wrong_form<T>() -> Checked<T> {
    refuse("the loops or the term have not the form that the step asks for")
}
