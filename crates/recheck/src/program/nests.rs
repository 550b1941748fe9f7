//! Loops: over an index of the result, and of sums.

use super::fill::{Filling, Goal, part, wrong_form};
use super::place::{Held, Layer, Target};
use super::{Fills, Head, Statement, Step};
use crate::prelude::*;

impl<'f> Filling<'f> {
    /// A loop of the term over an index of the result.
    pub(super) fn generated(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (n, body): (Ix, Term),
        Goal { shape, to, .. }: Goal<'_>,
    ) -> Checked<()> {
        let Some((extent, rest)) = shape.split_first() else { return wrong_form() };
        match step.form {
            Fills::Once => {
                let zero = self.judge.store.literal(0)?;
                self.equal(*extent, self.judge.store.literal(1)?)?;
                let (term, to) = (self.judge.store.at(body, zero)?, to.under(Layer::Index(zero)));
                self.fill(part(step, 0)?, statements, Goal { term, shape: rest, to: &to })
            }
            Fills::Never => {
                require(statements.is_empty(), "a loop that never runs has statements")?;
                self.equal(*extent, self.judge.store.literal(0)?)
            }
            _ => {
                let (head, inner) = self.only_loop(statements)?;
                self.equal(*extent, n)?;
                self.bounds(head, n)?;
                self.iterating(head, n, |this, level| {
                    let store = &this.judge.store;
                    let (term, index) = (store.open(body, level)?, store.free_ix(level)?);
                    let mut before = vec![(store.literal(0)?, index)];
                    if head.kind.is_concurrent() {
                        before.push((store.op(IxOp::Add, index, store.literal(1)?)?, n));
                    }
                    this.after(to, &before, |this| {
                        let to = to.under(Layer::Index(index));
                        this.fill(part(step, 0)?, &inner, Goal { term, shape: rest, to: &to })
                    })
                })
            }
        }
    }

    /// A sum, added up.
    pub(super) fn summed(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (n, body): (Ix, Term),
        Goal { shape, to, .. }: Goal<'_>,
    ) -> Checked<()> {
        self.accumulates(to)?;
        let to = to.holding(Held::Adding);
        if step.form == Fills::SummedOnce {
            self.equal(n, self.judge.store.literal(1)?)?;
            let term = self.judge.store.at(body, self.judge.store.literal(0)?)?;
            return self.fill(part(step, 0)?, statements, Goal { term, shape, to: &to });
        }
        let (head, inner) = self.only_loop(statements)?;
        if head.kind.is_concurrent() {
            return refuse(format!("iterations of a `{}` loop add to one cell", head.kind.name()));
        }
        self.bounds(head, n)?;
        self.iterating(head, n, |this, level| {
            let term = this.judge.store.open(body, level)?;
            this.fill(part(step, 0)?, &inner, Goal { term, shape, to: &to })
        })
    }

    /// Cells in which a sum may be added up.
    pub(super) fn accumulates(&mut self, to: &Target) -> Checked<()> {
        match to.held {
            Held::Unset | Held::Replaced => refuse("a sum goes into cells that do not begin as zero"),
            Held::Zeroed => Ok(()),
            Held::Adding => {
                self.law(to, "add_0_r")?;
                self.law(to, "add_assoc")
            }
        }
    }

    /// The statements are one loop: its head, and the statements of its body.
    pub(super) fn only_loop(&mut self, statements: &[usize]) -> Checked<(Head, Vec<usize>)> {
        let [statement] = statements else { return wrong_form() };
        let Statement::For(head, body) = self.program.statements[*statement] else { return wrong_form() };
        if let Some(lanes) = head.lanes {
            let (lo, hi) = (self.index(head.lo)?, self.index(head.hi)?);
            let store = &self.judge.store;
            let count = store.poly_add(store.poly(hi)?, -1, store.poly(lo)?)?;
            let whole = lanes > 0 && store.is_multiple(count, lanes.into())?;
            require(whole, "the iterations of a loop of vectors are no whole vectors")?;
        }
        Ok((head, self.list(body)?))
    }

    /// A loop runs from 0 to an index term.
    pub(super) fn bounds(&mut self, head: Head, n: Ix) -> Checked<()> {
        self.gives(head.lo, self.judge.store.literal(0)?)?;
        self.gives(head.hi, n)
    }

    /// Inside of a loop over `n`, which is both the term's and the program's; the level of its variable.
    pub(super) fn iterating<T>(
        &mut self,
        head: Head,
        n: Ix,
        then: impl FnOnce(&mut Self, u32) -> Checked<T>,
    ) -> Checked<T> {
        let level = self.judge.context.len();
        self.judge.context.push_index(&self.judge.store, n)?;
        self.loops.push(level);
        // Iterations that run at once share no scratch.
        let spare = if head.kind.is_concurrent() { std::mem::take(&mut self.spare) } else { vec![] };
        let result = then(self, level)?;
        if head.kind.is_concurrent() {
            self.spare = spare;
        }
        self.loops.pop();
        self.judge.context.leave(level);
        Ok(result)
    }
}
