//! Windows that are carried along a loop: the matrix of a `let` in its body, of which each iteration
//! computes the last row, and moves the others up by one.

use super::fill::{Filling, Goal, part, split_at, wrong_form};
use super::known::Known;
use super::place::{Held, Layer, Target};
use super::{Begin, Buffer, Fills, Statement, Step, Value};
use crate::context::Entry;
use crate::prelude::*;

/// A buffer, how many rows it has, and their width.
#[derive(Clone, Copy)]
struct Window {
    buffer: usize,
    rows: i64,
    width: Ix,
}

impl Store {
    fn by_one(&self, op: IxOp, ix: Ix) -> Checked<Ix> {
        self.op(op, ix, self.literal(1)?)
    }
}

impl<'f> Filling<'f> {
    pub(super) fn carried(
        &mut self,
        step: &'f Step<Fills>,
        statements: &[usize],
        (n, body): (Ix, Term),
        Goal { shape, to, .. }: Goal<'_>,
    ) -> Checked<()> {
        let ([statement], Some((extent, rest)), [last, count]) =
            (statements, shape.split_first(), &step.counts[..])
        else {
            return wrong_form();
        };
        let Statement::Alloc(buffer, Begin::Unset, extents, inside) = &self.program.statements[*statement]
        else {
            return wrong_form();
        };
        self.is_apart(*buffer)?;
        let given = self.extents(extents)?;
        let [rows, width] = given[..] else { return wrong_form() };
        let (head, inner) = self.only_loop(&self.list(*inside)?)?;
        require(
            !head.kind.is_concurrent(),
            "a window is carried from one iteration to another that runs at once",
        )?;
        self.equal(*extent, n)?;
        self.bounds(head, n)?;
        let window = Window { buffer: *buffer, rows: *last as i64 + 1, width };
        self.iterating(head, n, |this, level| {
            let TermNode::Let(whole, after) = this.judge.store.node(this.judge.store.open(body, level)?)
            else {
                return wrong_form();
            };
            this.equal(rows, this.judge.store.literal(window.rows)?)?;
            let ty = this.judge.type_of(whole)?;
            let scratch = this.program.buffers[window.buffer] == Buffer::Scratch(ty.element.scalar);
            require(scratch, "a buffer has another type")?;
            let all = this.judge.store.literal(window.rows)?;
            let [own_rows, own_width] = this.judge.store.ix_list(ty.shape)[..] else { return wrong_form() };
            let same = this.is_same(own_rows, all) && this.is_same(own_width, width);
            require(same, "a buffer has other extents than its window")?;
            let split = split_at(*count, &inner)?;
            this.filling.push(window.buffer);
            this.iteration_of(step, window, split.0, (whole, ty.element, body, level))?;
            this.filling.pop();
            let held = this.judge.context.len();
            this.judge.context.push(Entry::Tensor(ty))?;
            this.known.push(Known { level: held, buffer: window.buffer, state: None });
            let (term, index) = (this.judge.store.open(after, held)?, this.judge.store.free_ix(level)?);
            let to = to.under(Layer::Index(index));
            let last = step.parts.len().saturating_sub(1);
            this.fill(part(step, last)?, split.1, Goal { term, shape: rest, to: &to })?;
            this.known.pop();
            Ok(())
        })
    }

    /// What an iteration does about its window: all rows but the last at first, and later those that move
    /// up; the last.
    fn iteration_of(
        &mut self,
        step: &'f Step<Fills>,
        window: Window,
        statements: &[usize],
        (whole, element, body, level): (Term, Element, Term, u32),
    ) -> Checked<()> {
        let [both, forget, last @ ..] = statements else { return wrong_form() };
        let (Statement::If(condition, begun, Some(moved)), Statement::Forget(buffer, lo, hi)) =
            (&self.program.statements[*both], &self.program.statements[*forget])
        else {
            return wrong_form();
        };
        require(*buffer == window.buffer, "cells of another buffer are forgotten")?;
        let store = &self.judge.store;
        let (zero, y) = (store.literal(0)?, store.free_ix(level)?);
        let (n, m) = (store.literal(window.rows)?, store.literal(window.rows - 1)?);
        let le = |a, b| store.compare(Relation::Le, a, b);
        let and = |p, q| store.pred(PredNode::And(p, q));
        let one_more = store.compare(Relation::Eq, n, store.by_one(IxOp::Add, m)?)?;
        let sizes = and(and(le(zero, window.width)?, le(zero, m)?)?, one_more)?;
        let first = store.compare(Relation::Eq, y, zero)?;
        let later = store.pred(PredNode::Not(first))?;
        let (from, end) = (store.op(IxOp::Mul, m, window.width)?, store.op(IxOp::Mul, n, window.width)?);
        self.show(sizes)?;
        self.decides(*condition, first)?;
        self.gives(*lo, from)?;
        self.gives(*hi, end)?;
        let row = self.row(whole)?;
        let extents = [n, window.width];
        let to = Target::whole(window.buffer, element, &extents, Held::Unset);
        let all_but_one = self.judge.store.term(TermNode::Loop(Loop::Gen, m, row))?;
        let (shape, begun, moved) = ([m, window.width], self.list(*begun)?, self.list(*moved)?);
        let goal = Goal { term: all_but_one, shape: &shape, to: &to };
        self.assuming(first, |this| this.fill(part(step, 0)?, &begun, goal))?;
        self.assuming(later, |this| this.moves(step, &moved, window))?;
        self.repeats((row, body), y)?;
        let to = to.under(Layer::Index(m));
        let term = self.judge.store.at(row, m)?;
        self.fill(part(step, 1)?, last, Goal { term, shape: &[window.width], to: &to })
    }

    /// A row of a window, below the index of the rows.
    fn row(&self, whole: Term) -> Checked<Term> {
        match self.judge.store.node(whole) {
            TermNode::Loop(Loop::Gen, _, row) => Ok(row),
            _ => wrong_form(),
        }
    }

    /// The window of the iteration before has, from its second row on, the rows of this one.
    fn repeats(&self, (row, body): (Term, Term), y: Ix) -> Checked<()> {
        let store = &self.judge.store;
        let before = store.at(body, store.by_one(IxOp::Sub, y)?)?;
        let TermNode::Let(whole, _) = store.node(before) else { return wrong_form() };
        let level = self.judge.context.len();
        let r = store.free_ix(level)?;
        let next = store.at(self.row(whole)?, store.by_one(IxOp::Add, r)?)?;
        let repeats = self.agree(next, store.at(row, r)?, level + 1)?;
        require(repeats, "the next window does not have the rows of this one")
    }

    /// Have the terms the same elements, by how their index terms compute? No variable has this level, or a
    /// higher one.
    fn agree(&self, a: Term, b: Term, level: u32) -> Checked<bool> {
        let store = &self.judge.store;
        store.work(1)?;
        let all = |xs: Terms, ys: Terms| -> Checked<bool> {
            let (xs, ys) = (store.term_list(xs), store.term_list(ys));
            let mut agree = xs.len() == ys.len();
            for (x, y) in xs.iter().zip(&ys) {
                agree = agree && self.agree(*x, *y, level)?;
            }
            Ok(agree)
        };
        Ok(match (store.node(a), store.node(b)) {
            (TermNode::Free(x), TermNode::Free(y)) => x == y,
            (TermNode::Literal(..), TermNode::Literal(..)) => a == b,
            (TermNode::Index(s, i), TermNode::Index(t, j)) => s == t && self.is_same(i, j),
            (TermNode::View(s, x), TermNode::View(t, y)) => s == t && self.agree(x, y, level)?,
            (TermNode::Prim(f, xs), TermNode::Prim(g, ys)) => f == g && all(xs, ys)?,
            (TermNode::Loop(k, n, x), TermNode::Loop(l, m, y)) => {
                k == l
                    && self.is_same(n, m)
                    && self.agree(store.open(x, level)?, store.open(y, level)?, level + 1)?
            }
            (TermNode::Guard(p, x), TermNode::Guard(q, y)) => self.same(p, q)? && self.agree(x, y, level)?,
            (TermNode::Select(p, x, u), TermNode::Select(q, y, v)) => {
                self.same(p, q)? && self.agree(x, y, level)? && self.agree(u, v, level)?
            }
            (TermNode::Get(x, i), TermNode::Get(y, j)) => self.is_same(i, j) && self.agree(x, y, level)?,
            _ => false,
        })
    }

    /// Each row but the last becomes the next one, from the first on.
    fn moves(&mut self, step: &'f Step<Fills>, statements: &[usize], window: Window) -> Checked<()> {
        let moves = step.parts.get(2..step.parts.len().saturating_sub(1)).unwrap_or_default();
        let all = moves.len() as i64 == window.rows - 1 && statements.len() == 2 * moves.len();
        require(all, "not every row of a window moves")?;
        for (k, (pair, line)) in statements.chunks(2).zip(moves).enumerate() {
            let line = &self.program.steps[*line];
            require(line.form == Fills::Moving, "a row moves by a step that is for something else")?;
            self.replayed(line.line, &line.certificates, |this| this.moving(pair, window, k as i64))?;
        }
        Ok(())
    }

    fn moving(&mut self, statements: &[usize], window: Window, k: i64) -> Checked<()> {
        let [forget, copy] = statements else { return wrong_form() };
        let Statement::Forget(forgotten, lo, hi) = &self.program.statements[*forget] else {
            return wrong_form();
        };
        let (head, inner) = self.only_loop(&[*copy])?;
        let [inner] = inner[..] else { return wrong_form() };
        let Statement::Set(stored, cell, value) = self.program.statements[inner] else { return wrong_form() };
        let Value::Load(read, from) = self.program.values[value] else { return wrong_form() };
        require([*forgotten, stored, read] == [window.buffer; 3], "a row moves to another buffer")?;
        let store = &self.judge.store;
        let (row, next, zero) = (store.literal(k)?, store.literal(k + 1)?, store.literal(0)?);
        let le = |a, b| store.compare(Relation::Le, a, b);
        let and = |p, q| store.pred(PredNode::And(p, q));
        let one_more = store.compare(Relation::Eq, next, store.by_one(IxOp::Add, row)?)?;
        let last = store.literal(window.rows)?;
        let in_order = and(le(zero, row)?, store.compare(Relation::Lt, next, last)?)?;
        let in_order = and(and(le(zero, window.width)?, one_more)?, in_order)?;
        let (begin, end) =
            (store.op(IxOp::Mul, row, window.width)?, store.op(IxOp::Mul, next, window.width)?);
        let extents = [last, window.width];
        self.show(in_order)?;
        self.gives(*lo, begin)?;
        self.gives(*hi, end)?;
        self.gives(head.lo, zero)?;
        self.gives(head.hi, window.width)?;
        self.iterating(head, window.width, |this, level| {
            let i = this.judge.store.free_ix(level)?;
            this.gives(cell, this.judge.store.flat(&extents, &[row, i])?)?;
            this.gives(from, this.judge.store.flat(&extents, &[next, i])?)
        })
    }
}
