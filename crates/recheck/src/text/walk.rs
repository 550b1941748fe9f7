//! Statements of the loops and of the text side by side, in order.

use super::idle::{is_hollow, is_idle};
use super::reader::{Reader, Thing};
use super::syntax::{Declaration, Expr, Form, Given, Loop, Node, Statement as Text};
use super::values::Cond;
use super::{Read, differs, outside};
use crate::prelude::*;
use crate::program::{Head, Statement};

/// Statements of the text, and how many are read.
pub(super) struct Cursor<'t> {
    list: &'t [Text],
    at: usize,
    /// The line where they end.
    end: u64,
}

impl<'t> Cursor<'t> {
    pub(super) fn of(list: &'t [Text], line: u64) -> Cursor<'t> {
        Cursor { list, at: 0, end: list.last().map_or(line, |last| last.line) }
    }

    /// The next statement that does something.
    pub(super) fn peek(&mut self) -> Option<&'t Text> {
        while self.list.get(self.at).is_some_and(is_idle) {
            self.at += 1;
        }
        self.list.get(self.at)
    }

    /// Is the very next statement a loop that does something?
    fn is_loop(&self) -> bool {
        self.list.get(self.at).is_some_and(|text| matches!(text.form, Form::For(_)) && !is_hollow(text))
    }

    pub(super) fn next(&mut self) -> Read<&'t Text> {
        match self.peek() {
            Some(text) if self.is_hollow() => outside(text.line, "a statement around nothing"),
            Some(text) => {
                self.at += 1;
                Ok(text)
            }
            None => differs(self.end, "a statement of the loops is missing"),
        }
    }

    /// Is the next statement a loop, a condition or a pragma around nothing?
    fn is_hollow(&self) -> bool {
        let rest = self.list.get(self.at..).unwrap_or_default();
        rest.iter().find(|text| !matches!(text.form, Form::Pragma(_))).is_some_and(is_hollow)
    }

    pub(super) fn line(&mut self) -> u64 {
        self.peek().map_or(self.end, |text| text.line)
    }

    /// Nothing is left.
    pub(super) fn finish(mut self) -> Read<()> {
        match self.peek() {
            Some(text) if self.is_hollow() => outside(text.line, "a statement around nothing"),
            Some(text) => another(text, "a statement that the loops do not have"),
            None => Ok(()),
        }
    }
}

/// A statement is another than that of the loops. Loops may leave out a variable that says which of two
/// statements is run, which is no fault of the text.
pub(super) fn another<T>(text: &Text, why: &'static str) -> Read<T> {
    match text.form {
        Form::Declare(_) => outside(text.line, "a variable that the loops do not have"),
        _ => differs(text.line, why),
    }
}

impl Reader<'_> {
    /// Statements of the loops, each in the text.
    pub(super) fn sequence(&mut self, loops: &[usize], text: &mut Cursor<'_>) -> Read<()> {
        loops.iter().try_for_each(|statement| self.statement(*statement, text))
    }

    /// The statements of a part of the loops, which are all of the text.
    pub(super) fn whole(&mut self, part: usize, text: &[Text], line: u64) -> Read<()> {
        let loops = self.program.list(self.values.store, part)?;
        self.scope(|this| {
            let mut cursor = Cursor::of(text, line);
            this.sequence(&loops, &mut cursor)?;
            cursor.finish()
        })
    }

    fn statement(&mut self, statement: usize, text: &mut Cursor<'_>) -> Read<()> {
        // What is left out where memory is short: the status is 0 in what counts.
        if let Some(Text { form: Form::If(Expr { node: Node::Binary("==", a, b), .. }, then, None), line }) =
            text.peek()
            && let (Node::Name(name), Node::Integer(0, _)) = (&a.node, &b.node)
            && name == "atl_status"
        {
            text.next()?;
            let mut inner = Cursor::of(then, *line);
            self.scope(|this| this.statement(statement, &mut inner))?;
            return inner.finish();
        }
        match self.program.statement_line(statement) {
            Statement::Sequence(_) | Statement::Prefetch => {
                let loops = self.program.list(self.values.store, statement)?;
                self.sequence(&loops, text)
            }
            Statement::For(head, body) => match head.lanes() {
                Some(lanes) => self.vectors((*head, lanes), *body, text),
                None => self.for_loop(*head, *body, text),
            },
            Statement::If(condition, then, otherwise) => {
                self.conditional((*condition, *then, *otherwise), text)
            }
            Statement::Alloc(buffer, begin, extents, body) => {
                self.allocation((*buffer, *begin, extents, *body), text)
            }
            Statement::Reset(buffer, begin) => self.begins(*buffer, *begin, text),
            Statement::Forget(..) => Ok(()),
            Statement::Set(buffer, cell, value) | Statement::Replace(buffer, cell, value) => {
                let value = self.value_of_loops(*value)?;
                self.store((*buffer, *cell), value, text)
            }
            Statement::Combine(function, buffer, cell, value) => {
                let old = self.values.load(*buffer, self.of_loops(*cell)?)?;
                let operands = vec![old, self.value_of_loops(*value)?];
                let value = self.values.operation(*function, self.values.types[*buffer], operands)?;
                self.store((*buffer, *cell), value, text)
            }
        }
    }

    /// A loop, after what says how it may be run.
    fn for_loop(&mut self, head: Head, body: usize, text: &mut Cursor<'_>) -> Read<()> {
        let next = text.next()?;
        match &next.form {
            Form::Pragma(pragma) => {
                if pragma.starts_with("omp for") {
                    return outside(next.line, "a loop that is shared outside of a parallel region");
                }
                self.may(pragma, head, next.line)?;
                let region = pragma.starts_with("omp parallel") && !pragma.starts_with("omp parallel for");
                match (region, text.peek()) {
                    // A region that has the loop alone, whose threads wait at its end.
                    (true, Some(Text { form: Form::Block(inner), line })) => {
                        text.next()?;
                        let mut inner = Cursor::of(inner, *line);
                        let shared = inner.next()?;
                        match &shared.form {
                            Form::Pragma(pragma) if pragma.starts_with("omp for") && inner.is_loop() => {
                                self.may(pragma, head, shared.line)?;
                            }
                            _ => return outside(*line, "a parallel region without a loop that is shared"),
                        }
                        self.scope(|this| this.for_loop(head, body, &mut inner))?;
                        inner.finish()
                    }
                    (true, _) => outside(next.line, "a parallel region that is no block"),
                    (false, _) if text.is_loop() => self.for_loop(head, body, text),
                    (false, _) => outside(next.line, "a pragma of no loop"),
                }
            }
            // The end of the loop is computed before it.
            Form::Block(inner) => {
                let blocks = match inner.as_slice() {
                    [
                        _,
                        Text { form: Form::Declare(looked), .. },
                        Text { form: Form::Skipping(blocks), line },
                    ] => Some((looked, blocks, *line)),
                    _ => None,
                };
                let mut inner = Cursor::of(inner, next.line);
                let Text { form: Form::Declare(end), line } = inner.next()? else {
                    return differs(next.line, "a block where the loops have a loop");
                };
                self.scope(|this| {
                    let found = this.number(end, *line)?;
                    this.equal(*line, "a loop's end", found, this.of_loops(head.end())?)?;
                    match blocks {
                        Some((looked, blocks, at)) => this.blocks((head, body), (end, looked), (blocks, at)),
                        None => {
                            this.for_loop(head, body, &mut inner)?;
                            inner.finish()
                        }
                    }
                })
            }
            Form::For(inner) => self.heading(head, inner, (1, next.line), |this, variable| {
                this.loops.push(variable);
                this.whole(body, &inner.body, next.line)?;
                this.loops.pop();
                Ok(())
            }),
            _ => another(next, "another statement where the loops have a loop"),
        }
    }

    /// `const int64_t NAME = index;`
    fn number(&mut self, declaration: &Declaration, line: u64) -> Read<Ix> {
        let Declaration {
            is_constant: true,
            is_pointer: false,
            cells: None,
            value: Some(Given::Value(value)),
            ..
        } = declaration
        else {
            return outside(line, "a declaration here");
        };
        if declaration.ty != "int64_t" {
            return outside(line, "a declaration here");
        }
        self.declare(line, &declaration.name, Thing::Status)?;
        let index = self.index(value)?;
        self.define(&declaration.name, Thing::Index(index));
        Ok(index)
    }

    /// What a pragma allows, the loops allow.
    fn may(&mut self, pragma: &str, head: Head, line: u64) -> Read<()> {
        if is_unroll(pragma) {
            return Ok(());
        }
        let rest = if let Some(rest) = pragma.strip_prefix("omp simd") {
            let width = rest.strip_prefix(" simdlen(").and_then(|rest| rest.strip_suffix(')'));
            if width.is_some_and(|width| width.parse::<u16>().is_ok()) { "" } else { rest }
        } else if let Some(rest) = pragma.strip_prefix("omp parallel for schedule(static)") {
            rest
        } else if let Some(rest) = pragma.strip_prefix("omp parallel for schedule(dynamic)") {
            rest
        } else if matches!(pragma, "omp for schedule(static) nowait" | "omp for schedule(dynamic) nowait") {
            ""
        } else if let Some(rest) = pragma.strip_prefix("omp parallel") {
            rest
        } else {
            return outside(line, format!("the pragma `{pragma}`"));
        };
        if !rest.is_empty() {
            // Whether there are several threads.
            let Some(condition) = rest.strip_prefix(" if (").and_then(|rest| rest.strip_suffix(')')) else {
                return outside(line, format!("the pragma `{pragma}`"));
            };
            self.several(&super::expression(condition, line)?, head)?;
        }
        if head.is_concurrent() {
            Ok(())
        } else {
            differs(line, "iterations at once of a loop that is in order")
        }
    }

    /// The condition of threads: that the loop has two iterations or more.
    fn several(&mut self, condition: &Expr, head: Head) -> Read<()> {
        let line = condition.line;
        let (first, end) = (self.of_loops(head.first())?, self.of_loops(head.end())?);
        let is_so = match &condition.node {
            Node::Call(name, operands) if name == "atl_several" && self.helpers.contains(name) => {
                let [a, b] = operands.as_slice() else { return outside(line, "a condition of threads") };
                let (a, b) = (self.index(a)?, self.index(b)?);
                self.same(a, first)? && self.same(b, end)?
            }
            Node::Binary("<", second, last) => {
                let (second, last) = (self.index(second)?, self.index(last)?);
                let one = self.values.store.literal(1)?;
                self.same(second, self.values.op(IxOp::Add, first, one)?)? && self.same(last, end)?
            }
            _ => false,
        };
        if is_so {
            Ok(())
        } else {
            outside(line, "a condition of threads other than that there are two iterations")
        }
    }

    /// A loop's bounds and its step, and then its body.
    fn heading(
        &mut self,
        head: Head,
        text: &Loop,
        (step, line): (u32, u64),
        body: impl FnOnce(&mut Self, Ix) -> Read<()>,
    ) -> Read<()> {
        if text.step != step {
            return differs(line, format!("a loop has steps of {}, and not of {step}", text.step));
        }
        self.scope(|this| {
            // Its own declaration does not know its value.
            this.declare(line, &text.variable, Thing::Status)?;
            let first = this.index(&text.first)?;
            this.equal(line, "a loop's first iteration", first, this.of_loops(head.first())?)?;
            if let Some((name, end)) = &text.end {
                this.declare(line, name, Thing::Status)?;
                // The loop's variable is none of what the end is computed from.
                let end = this.index(end)?;
                this.equal(line, "a loop's end", end, this.of_loops(head.end())?)?;
                this.define(name, Thing::Index(end));
            }
            let variable = this.fresh(this.is_nonnegative(first))?;
            this.define(&text.variable, Thing::Index(variable));
            if !matches!(text.condition.node, Node::Binary("<" | "<=" | ">" | ">=", ..)) {
                return outside(line, "a loop's condition that is no comparison");
            }
            let goes_on = this.values.compare(Relation::Lt, variable, this.of_loops(head.end())?)?;
            if this.condition(&text.condition)? != goes_on {
                return differs(line, "a loop's end is another than that of the loops");
            }
            body(this, variable)
        })
    }

    /// A loop over vectors: from one to the next, or of one alone.
    fn vectors(&mut self, (head, lanes): (Head, u32), body: usize, text: &mut Cursor<'_>) -> Read<()> {
        let line = text.line();
        // A mask has 64 bits.
        if self.lane.is_some() || !(2..=64).contains(&lanes) {
            return outside(line, "vectors of vectors");
        }
        let symbol = self.fresh(true)?;
        self.lane = Some((symbol, lanes));
        let one = |this: &Self| -> Read<bool> {
            let store = this.values.store;
            let (first, end) = (this.of_loops(head.first())?, this.of_loops(head.end())?);
            Ok(this.same(end, this.values.op(IxOp::Add, first, store.literal(i64::from(lanes))?)?)?)
        };
        let next = text.peek();
        match next.map(|text| &text.form) {
            Some(Form::For(inner)) if inner.step > 1 => {
                text.next()?;
                self.heading(head, inner, (lanes, line), |this, variable| {
                    this.in_lanes(variable, symbol, |this| this.whole(body, &inner.body, line))
                })?;
            }
            Some(Form::Block(inner))
                if let Some(Text { form: Form::Declare(first), .. }) = inner.first()
                    && first.ty == "int64_t" =>
            {
                text.next()?;
                self.scope(|this| {
                    let mut cursor = Cursor::of(inner, line);
                    cursor.next()?;
                    let first = this.number(first, line)?;
                    this.equal(
                        line,
                        "the first of a vector's iterations",
                        first,
                        this.of_loops(head.first())?,
                    )?;
                    if !one(this)? {
                        return differs(line, "one vector where the loops have another number");
                    }
                    let loops = this.program.list(this.values.store, body)?;
                    this.in_lanes(first, symbol, |this| this.sequence(&loops, &mut cursor))?;
                    cursor.finish()
                })?;
            }
            _ => {
                let first = self.of_loops(head.first())?;
                let zero = self.values.store.literal(0)?;
                if !self.same(first, zero)? || !one(self)? {
                    return differs(line, "one vector where the loops have another number");
                }
                let loops = self.program.list(self.values.store, body)?;
                self.in_lanes(zero, symbol, |this| this.sequence(&loops, text))?;
            }
        }
        self.lane = None;
        Ok(())
    }

    /// The loop's variable is that of the first lane, and more in the others.
    fn in_lanes(&mut self, first: Ix, symbol: Ix, body: impl FnOnce(&mut Self) -> Read<()>) -> Read<()> {
        let lane = self.values.op(IxOp::Add, first, symbol)?;
        self.loops.push(lane);
        body(self)?;
        self.loops.pop();
        Ok(())
    }

    fn conditional(
        &mut self,
        (condition, then, otherwise): (Pred, usize, Option<usize>),
        text: &mut Cursor<'_>,
    ) -> Read<()> {
        let condition = self.condition_of_loops(condition)?;
        let next = text.next()?;
        match &next.form {
            Form::If(found, first, second) => {
                if self.condition(found)? != condition {
                    return differs(next.line, "a condition is another than that of the loops");
                }
                self.whole(then, first, next.line)?;
                match (otherwise, second) {
                    (Some(otherwise), Some(second)) => self.whole(otherwise, second, next.line),
                    (None, None) => Ok(()),
                    _ => differs(next.line, "an `else` that the loops do not have, or no `else`"),
                }
            }
            Form::Block(inner) if self.lane.is_some() => {
                self.some_lanes(condition, then, (inner, next.line))?;
                let Some(otherwise) = otherwise else { return Ok(()) };
                let Text { form: Form::Block(inner), line } = text.next()? else {
                    return differs(next.line, "no `else` where the loops have one");
                };
                self.some_lanes(self.values.not(condition)?, otherwise, (inner, *line))
            }
            _ => another(next, "another statement where the loops have a condition"),
        }
    }

    /// `{ const uint64_t atl_on_1 = mask; if (atl_on_1 != 0) { .. } }`
    fn some_lanes(&mut self, condition: Cond, part: usize, (text, line): (&[Text], u64)) -> Read<()> {
        let active = match self.active {
            Some(active) => self.values.and(active, condition)?,
            None => condition,
        };
        let [Text { form: Form::Declare(mask), .. }, Text { form: Form::If(asked, body, None), .. }] = text
        else {
            return differs(line, "a block where the loops have a condition");
        };
        let Declaration {
            is_constant: true,
            is_pointer: false,
            cells: None,
            value: Some(Given::Value(value)),
            ..
        } = &**mask
        else {
            return outside(line, "a declaration here");
        };
        if mask.ty != "uint64_t" || !mask.name.starts_with("atl_on_") {
            return outside(line, "a declaration here");
        }
        self.scope(|this| {
            this.own(line, &mask.name, Thing::Status)?;
            let typed = this.typed(value)?;
            let Some((found, bits)) = typed.mask else { return outside(line, "a mask that is none") };
            if found != active {
                return differs(line, "the lanes are others than those of the loops");
            }
            this.define(&mask.name, Thing::Mask(found, bits));
            // Whether there is a lane.
            let is_asked = matches!(&asked.node, Node::Binary("!=", name, zero)
                if matches!((&name.node, &zero.node), (Node::Name(name), Node::Integer(0, _)) if *name == mask.name));
            if !is_asked || bits == super::typed::Bits::Wild {
                return outside(asked.line, "another condition than whether there is a lane");
            }
            let around = this.active.replace(active);
            this.whole(part, body, line)?;
            this.active = around;
            Ok(())
        })
    }
}

/// Says how often a loop is repeated in its body, which has no meaning.
pub(super) fn is_unroll(pragma: &str) -> bool {
    pragma.strip_prefix("GCC unroll ").is_some_and(|count| count.parse::<u16>().is_ok())
}
