//! Loops that pass by blocks of iterations in which nothing changes.
//!
//! ```text
//! for (int64_t NEXT = lo, STOP; NEXT < END; NEXT = STOP) {
//!   STOP = END;
//!   if (L < END - NEXT) {
//!     if (LOOKED <= NEXT && B < END - NEXT) {
//!       STOP = LOOKED = NEXT + B;
//!       V SEEN = {0};
//!       #pragma GCC unroll N
//!       for (int64_t VAR = NEXT; VAR < STOP; VAR += L) { SEEN |= changes; }
//!       if (atl_none_V(SEEN)) continue;
//!     }
//!     const int64_t VAR = NEXT;
//!     STOP = NEXT + L;
//!     if (atl_none_V(changes)) continue;
//!   }
//!   for (int64_t VAR = NEXT; VAR < STOP; VAR++) { .. }
//! }
//! ```
//!
//! The parser takes this form and no other. What remains is that where `changes` is false, an iteration
//! leaves every cell as it is: each of its statements stores what its cell holds, if those before it have
//! changed nothing. Then memory is, for all iterations of a block, what it was when the block was looked
//! at, so none of them changes anything. The block is before the end: the loops read whatever it looks at,
//! if they read it in each iteration.

use super::parser::Parser;
use super::reader::{Reader, Thing};
use super::syntax::{Constant, Declaration, Expr, Given, Node, Skipping, vector};
use super::typed::Type;
use super::values::{Cond, CondNode, Val, ValNode, bits};
use super::walk::is_unroll;
use super::{Read, lexer::Token, numbers, outside};
use crate::prelude::*;
use crate::program::{Head, Statement};
use crate::refusal::Refusal;

impl Parser {
    /// The rest of a loop over blocks, after `for (int64_t NEXT = first, STOP;`.
    pub(super) fn blocks(&mut self, first: Expr, [next, stop]: [String; 2]) -> Read<Skipping> {
        let all = |this: &mut Self, words: &[&str]| words.iter().try_for_each(|word| this.expect(word));
        all(self, &[&next, "<"])?;
        let end = self.name()?;
        all(self, &[";", &next, "=", &stop, ")", "{", &stop, "=", &end, ";", "if", "("])?;
        let lanes = self.count()?;
        all(self, &["<", &end, "-", &next, ")", "{", "if", "("])?;
        let looked = self.name()?;
        all(self, &["<=", &next, "&&"])?;
        let many = self.count()?;
        all(self, &["<", &end, "-", &next, ")", "{", &stop, "=", &looked, "=", &next, "+"])?;
        let again = self.count()?;
        self.expect(";")?;
        let (ty, seen) = (self.name()?, self.name()?);
        all(self, &["=", "{"])?;
        self.zero()?;
        self.expect(";")?;
        let line = self.line();
        match self.peek(0) {
            Some(Token::Pragma(text)) if is_unroll(text) => self.at += 1,
            _ => return outside(line, "a loop over blocks of another form"),
        }
        all(self, &["for", "(", "int64_t"])?;
        let variable = self.name()?;
        all(self, &["=", &next, ";", &variable, "<", &stop, ";", &variable, "+="])?;
        let step = self.count()?;
        all(self, &[")", "{", &seen, "|="])?;
        let mut changes = vec![self.expr()?];
        all(self, &[";", "}", "if", "("])?;
        let mut none = vec![self.name()?];
        all(
            self,
            &["(", &seen, ")", ")", "continue", ";", "}", "const", "int64_t", &variable, "=", &next, ";"],
        )?;
        all(self, &[&stop, "=", &next, "+"])?;
        let one = self.count()?;
        all(self, &[";", "if", "("])?;
        none.push(self.name()?);
        self.expect("(")?;
        changes.push(self.expr()?);
        all(self, &[")", ")", "continue", ";", "}", "for", "(", "int64_t", &variable, "=", &next, ";"])?;
        all(self, &[&variable, "<", &stop, ";", &variable, "++", ")"])?;
        let body = self.block()?;
        self.expect("}")?;
        if again != many || step != lanes || one != lanes || lanes < 2 || many % lanes != 0 {
            return outside(line, "blocks of other numbers of iterations");
        }
        Ok(Skipping { first, next, stop, end, looked, seen, variable, lanes, ty, none, changes, body })
    }

    /// A number of iterations.
    fn count(&mut self) -> Read<u32> {
        let line = self.line();
        let Some(Token::Number(text)) = self.peek(0).cloned() else {
            return outside(line, "no number of iterations where one is expected");
        };
        self.at += 1;
        match numbers::constant(&text) {
            Some(Node::Integer(count @ 1..=4096, Constant::Int)) => Ok(count as u32),
            _ => outside(line, "another number of iterations"),
        }
    }
}

impl Reader<'_> {
    /// The loop, after `const int64_t END = end;` and `int64_t LOOKED = first;`.
    pub(super) fn blocks(
        &mut self,
        (head, body): (Head, usize),
        (end, looked): (&Declaration, &Declaration),
        (text, line): (&Skipping, u64),
    ) -> Read<()> {
        let ty = vector(&text.ty).filter(|(_, lanes, in_memory)| *lanes == text.lanes && !in_memory);
        let ty = ty.and_then(|(scalar, lanes, _)| Some((Scalar::named(scalar)?, lanes)));
        let Some((own, lanes)) = ty.filter(|(scalar, _)| !scalar.is_float()) else {
            return outside(line, "blocks that are seen by other vectors");
        };
        let none = format!("atl_none_{}x{lanes}", own.name());
        let is_known = self.helpers.contains(&none) && text.none.iter().all(|name| *name == none);
        if !is_known || self.lane.is_some() || head.lanes().is_some() {
            return outside(line, "blocks that are passed by in lanes, or by another helper");
        }
        let is_number = !looked.is_constant && !looked.is_pointer && looked.cells.is_none();
        let (Some(Given::Value(place)), true) = (&looked.value, is_number && looked.ty == "int64_t") else {
            return outside(line, "a declaration here");
        };
        if end.name != text.end || looked.name != text.looked {
            return outside(line, "blocks of another loop");
        }
        let (place, first) = (self.index(place)?, self.index(&text.first)?);
        for found in [place, first] {
            self.equal(line, "a loop's first iteration", found, self.of_loops(head.first())?)?;
        }
        if !self.is_nonnegative(first) || self.reads(first)? {
            return outside(line, "blocks of a loop from what may be negative");
        }
        for name in [&text.looked, &text.next, &text.stop, &text.seen] {
            self.declare(line, name, Thing::Status)?;
        }
        for changes in &text.changes {
            self.scope(|this| this.nothing_changes(body, (text, changes), (own, line)))?;
        }
        self.scope(|this| {
            let variable = this.fresh(true)?;
            this.declare(line, &text.variable, Thing::Index(variable))?;
            this.loops.push(variable);
            this.whole(body, &text.body, line)?;
            this.loops.pop();
            Ok(())
        })
    }

    /// Where `changes` is false, an iteration leaves memory as it is.
    fn nothing_changes(
        &mut self,
        body: usize,
        (text, changes): (&Skipping, &Expr),
        (own, line): (Scalar, u64),
    ) -> Read<()> {
        let (first, symbol) = (self.fresh(true)?, self.fresh(true)?);
        self.declare(line, &text.variable, Thing::Index(first))?;
        self.lane = Some((symbol, text.lanes));
        self.loops.push(self.values.op(IxOp::Add, first, symbol)?);
        let (changes, width) = self.changes(changes, text.lanes)?;
        if width != bits(own) {
            return outside(line, "lanes of another width");
        }
        let (mut facts, mut made) = (Vec::new(), Vec::new());
        self.is_false(changes, &mut facts)?;
        for statement in self.program.list(self.values.store, body)? {
            let (buffer, cell, value, function) = match self.program.statement_line(statement) {
                Statement::Replace(buffer, cell, value) => (*buffer, *cell, *value, None),
                Statement::Combine(function, buffer, cell, value) => {
                    (*buffer, *cell, *value, Some(*function))
                }
                _ => return outside(line, "blocks that are passed by, of other statements than updates"),
            };
            let old = self.values.load(buffer, self.of_loops(cell)?)?;
            let mut value = self.value_of_loops(value)?;
            if let Some(function) = function {
                value = self.values.operation(function, self.values.types[buffer], vec![old, value])?;
            }
            self.always_in(value, &mut made)?;
            if !self.keeps_old(self.simple(value, &facts)?, old, &facts)? {
                return outside(line, "blocks that are passed by, in which something may change");
            }
        }
        // So it is read within the loop's bounds, and computed within 64 bits.
        if !self.has_only(changes, &made)? {
            return outside(line, "blocks that are passed by for what not each iteration reads and computes");
        }
        self.lane = None;
        self.loops.pop();
        Ok(())
    }

    /// What is known where a truth value is false.
    fn is_false(&self, val: Val, facts: &mut Vec<(Cond, bool)>) -> Checked<()> {
        self.values.store.work(1)?;
        facts.push((self.values.holds(val)?, false));
        if let ValNode::Operation(Function::Or, _, operands) = self.values.node(val) {
            operands.into_iter().try_for_each(|operand| self.is_false(operand, facts))?;
        }
        Ok(())
    }

    /// Is a value what a cell holds, by these facts?
    fn keeps_old(&self, value: Val, old: Val, facts: &[(Cond, bool)]) -> Checked<bool> {
        self.values.store.work(1)?;
        // The first operand is kept, unless the second is better.
        let is_better = match self.values.node(value) {
            _ if value == old => return Ok(true),
            ValNode::Operation(Function::Min, scalar, operands) if operands[0] == old => {
                self.values.operation(Function::Lt, scalar, vec![operands[1], old])?
            }
            ValNode::Operation(Function::Max, scalar, operands) if operands[0] == old => {
                self.values.operation(Function::Lt, scalar, vec![old, operands[1]])?
            }
            ValNode::Select(_, then, otherwise) => {
                return Ok(self.keeps_old(then, old, facts)? && self.keeps_old(otherwise, old, facts)?);
            }
            _ => return Ok(false),
        };
        Ok(facts.contains(&(self.values.holds(is_better)?, false)))
    }

    /// A vector of truth values, all bits of a lane or none: what a lane has, and how wide it is.
    fn changes(&mut self, expr: &Expr, lanes: u32) -> Read<(Val, u32)> {
        let line = expr.line;
        match &expr.node {
            Node::Cast(ty, inner) => {
                let (val, width) = self.changes(inner, lanes)?;
                let to = vector(ty).and_then(|(scalar, count, in_memory)| {
                    Scalar::named(scalar).filter(|to| !to.is_float() && count == lanes && !in_memory)
                });
                match to.map(bits) == Some(width) {
                    true => Ok((val, width)),
                    false => outside(line, "truth values of another width"),
                }
            }
            Node::Binary("|", a, b) => {
                let ((a, width), (b, other)) = (self.changes(a, lanes)?, self.changes(b, lanes)?);
                match width == other {
                    true => Ok((self.values.operation(Function::Or, Scalar::Bool, vec![a, b])?, width)),
                    false => outside(line, "truth values of different widths"),
                }
            }
            Node::Binary(operator @ ("<" | "<=" | ">" | ">=" | "==" | "!="), a, b) => {
                let (a, b) = (self.typed(a)?, self.typed(b)?);
                let pair =
                    self.pair(&a, &b)?.filter(|(own, ..)| a.ty == b.ty && a.ty == Type::Vector(*own, lanes));
                let Some((own, x, y)) = pair else { return outside(line, "a comparison of other vectors") };
                match self.comparison(line, operator, (own, x, y))?.value {
                    Some(found) => Ok((found, bits(own))),
                    None => outside(line, "a comparison of other vectors"),
                }
            }
            _ => outside(line, "no comparison of vectors where blocks are passed by"),
        }
    }

    /// What a value is made of, whatever is chosen: cells that are read, and index terms.
    fn always_in(&self, val: Val, found: &mut Vec<Val>) -> Checked<()> {
        self.values.store.work(1)?;
        match self.values.node(val) {
            ValNode::Load(..) | ValNode::Integer(_) => found.push(val),
            ValNode::Convert(_, inner) => self.always_in(inner, found)?,
            ValNode::Operation(_, _, operands) => {
                operands.into_iter().try_for_each(|operand| self.always_in(operand, found))?;
            }
            ValNode::Select(mut condition, ..) => loop {
                match self.values.cond_node(condition) {
                    CondNode::Not(p) | CondNode::And(p, _) | CondNode::Or(p, _) => condition = p,
                    CondNode::Holds(val) => return self.always_in(val, found),
                    _ => break,
                }
            },
            ValNode::Literal(..) | ValNode::Unknown(..) => {}
        }
        Ok(())
    }

    /// Is a condition made of nothing but these, wherever? It compares no index terms.
    fn is_made_of(&self, condition: Cond, known: &[Val]) -> Checked<bool> {
        self.values.store.work(1)?;
        Ok(match self.values.cond_node(condition) {
            CondNode::Not(p) => self.is_made_of(p, known)?,
            CondNode::And(p, q) | CondNode::Or(p, q) => {
                self.is_made_of(p, known)? && self.is_made_of(q, known)?
            }
            CondNode::Holds(val) => self.has_only(val, known)?,
            CondNode::True | CondNode::False => true,
            CondNode::Positive(_) | CondNode::Zero(_) | CondNode::Less(..) | CondNode::Same(..) => false,
        })
    }

    fn has_only(&self, val: Val, known: &[Val]) -> Checked<bool> {
        self.values.store.work(1)?;
        Ok(match self.values.node(val) {
            ValNode::Load(..) | ValNode::Integer(_) => known.contains(&val),
            ValNode::Convert(_, inner) => self.has_only(inner, known)?,
            ValNode::Operation(_, _, operands) => operands
                .into_iter()
                .try_fold(true, |all, operand| Ok::<_, Refusal>(all && self.has_only(operand, known)?))?,
            ValNode::Select(condition, then, otherwise) => {
                self.is_made_of(condition, known)?
                    && self.has_only(then, known)?
                    && self.has_only(otherwise, known)?
            }
            ValNode::Literal(..) => true,
            ValNode::Unknown(..) => false,
        })
    }
}
