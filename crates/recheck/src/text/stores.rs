//! Stores: to a cell, to those of all lanes, or to those of the lanes that are active.

use super::reader::{Reader, Thing};
use super::syntax::{Expr, Form, Node, vector};
use super::typed::Type;
use super::values::{Cond, Val, ValNode};
use super::walk::{Cursor, another};
use super::{Read, differs, outside};
use crate::prelude::*;

impl Reader<'_> {
    /// A store to a cell, or to those of all lanes that are active.
    pub(super) fn store(
        &mut self,
        (buffer, cell): (usize, Ix),
        value: Val,
        text: &mut Cursor<'_>,
    ) -> Read<()> {
        let next = text.next()?;
        let (line, scalar, cell) = (next.line, self.values.types[buffer], self.of_loops(cell)?);
        let zero = self.values.store.literal(0)?;
        match &next.form {
            Form::Call(name, operands) if self.helpers.contains(name) => {
                self.stored(name, operands, (buffer, cell), value, line)
            }
            Form::Assign(target, operator, given) => {
                let (found, at, ty) = match &target.node {
                    Node::Name(name) => match self.thing(line, name)? {
                        Thing::Scalar(of) => (of, zero, Type::Number(self.cell_type(of))),
                        Thing::Lanes(of) => (of, zero, Type::Vector(self.cell_type(of), self.lanes(line)?.1)),
                        Thing::Part(of, first, count) if self.lanes(line)?.1 == count => {
                            let (symbol, _) = self.lanes(line)?;
                            let first = self.values.store.literal(first)?;
                            let at = self.values.op(IxOp::Add, first, symbol)?;
                            (of, at, Type::Vector(self.cell_type(of), count))
                        }
                        _ => return outside(line, "a store to this"),
                    },
                    Node::Cell(name, at) => match self.thing(line, name)? {
                        Thing::Array(of) => (of, self.index(at)?, Type::Number(self.cell_type(of))),
                        _ => return outside(line, "a store to this"),
                    },
                    Node::Vector(ty, inner) => {
                        let Node::Cell(name, at) = &inner.node else {
                            return outside(line, "a store to this");
                        };
                        let (symbol, lanes) = self.lanes(line)?;
                        let Thing::Array(of) = self.thing(line, name)? else {
                            return outside(line, "a store to this");
                        };
                        let own = self.cell_type(of);
                        if vector(ty) != Some((own.name(), lanes, true)) {
                            return differs(
                                line,
                                "a vector of another type than its cells, or with other lanes",
                            );
                        }
                        let first = self.index(at)?;
                        let at = self.values.op(IxOp::Add, first, symbol)?;
                        (of, at, Type::Vector(own, lanes))
                    }
                    _ => return outside(line, "a store to this"),
                };
                if found != buffer {
                    return differs(line, "a store to another buffer than that of the loops");
                }
                self.equal(line, "the cell of a store", at, cell)?;
                let mut stored = match ty {
                    Type::Number(_) => self.value(given, scalar)?,
                    Type::Vector(..) => {
                        let typed = self.typed(given)?;
                        let is_one =
                            typed.ty == ty || (*operator != "=" && typed.ty == Type::Number(typed.scalar()));
                        if !is_one {
                            return outside(line, "no vector where one is expected");
                        }
                        self.of(&typed, scalar)?
                    }
                };
                if *operator != "=" {
                    let function = if *operator == "+=" { Function::Add } else { Function::Mul };
                    if !matches!(scalar, Scalar::F32 | Scalar::F64) {
                        return outside(line, format!("`{operator}` of integers"));
                    }
                    let old = self.values.load(buffer, at)?;
                    stored = self.values.operation(function, scalar, vec![old, stored])?;
                }
                match (ty, self.active) {
                    (Type::Number(_), _) if self.lane.is_some() => differs(line, "a store in one lane"),
                    (_, None) => self.equal_values(line, stored, value),
                    // The other lanes keep what they have.
                    (_, Some(active)) => {
                        let ValNode::Select(mask, then, otherwise) = self.values.node(stored) else {
                            return differs(line, "a store in all lanes");
                        };
                        if mask != active || otherwise != self.values.load(buffer, at)? {
                            return differs(line, "a store in other lanes than those of the loops");
                        }
                        self.equal_values(line, then, value)
                    }
                }
            }
            _ => another(next, "another statement where the loops store"),
        }
    }

    /// A store by a helper.
    fn stored(
        &mut self,
        name: &str,
        operands: &[Expr],
        (buffer, cell): (usize, Ix),
        value: Val,
        line: u64,
    ) -> Read<()> {
        let (symbol, lanes) = self.lanes(line)?;
        let own = self.cell_type(buffer);
        let is = |word: &str| name == format!("atl_{word}_{}x{lanes}", own.name());
        let (found, first, mask, given): (usize, Ix, Option<Cond>, &Expr) = match operands {
            [array, first, mask, given] if is("store") => {
                (self.array(array)?, self.index(first)?, Some(self.mask(mask)?), given)
            }
            [Expr { node: Node::Address(cell), .. }, given] if is("stream") => {
                let Node::Cell(name, at) = &cell.node else { return outside(line, "a store to this") };
                let Thing::Array(of) = self.thing(line, name)? else {
                    return outside(line, "a store to this");
                };
                (of, self.index(at)?, None, given)
            }
            _ => return outside(line, format!("a call of `{name}` where the loops store")),
        };
        if found != buffer {
            return differs(line, "a store to another buffer than that of the loops");
        }
        if mask != self.active {
            return differs(line, "a store in other lanes than those of the loops");
        }
        let first = self.values.op(IxOp::Add, first, symbol)?;
        self.equal(line, "the cell of a store", first, cell)?;
        let typed = self.typed(given)?;
        if typed.ty != Type::Vector(own, lanes) {
            return outside(line, "no vector where one is expected");
        }
        let given = self.of(&typed, self.values.types[buffer])?;
        self.equal_values(line, given, value)
    }
}
