//! Buffers: where the text keeps them, what their cells hold at first, and stores.

use super::reader::{Reader, Thing};
use super::syntax::{Declaration, Expr, Form, Given, Loop, Node, Statement as Text, vector};
use super::typed::{Type, named_type};
use super::values::Val;
use super::walk::{Cursor, another};
use super::{Read, differs, outside};
use crate::prelude::*;
use crate::program::Begin;

/// A buffer that the loops allocate.
type Allocation<'p> = (usize, Begin, &'p [Ix], usize);

impl<'p> Reader<'p> {
    /// A buffer and what may use it. Other names of the buffer are of other cells; its own end with it.
    pub(super) fn allocation(&mut self, allocation: Allocation<'p>, text: &mut Cursor<'_>) -> Read<()> {
        let buffer = allocation.0;
        let (around, cells) = (self.hide(buffer), self.cells[buffer]);
        self.placed(allocation, text)?;
        self.hide(buffer);
        around.into_iter().for_each(|(at, thing)| self.things[at].1 = thing);
        self.cells[buffer] = cells;
        Ok(())
    }

    /// The names of a buffer are no operands any more; what they were.
    fn hide(&mut self, buffer: usize) -> Vec<(usize, Thing)> {
        let of = |thing: &Thing| match thing {
            Thing::Array(of)
            | Thing::Scalar(of)
            | Thing::Lanes(of)
            | Thing::Part(of, ..)
            | Thing::Cells(of) => *of == buffer,
            Thing::Index(_) | Thing::Mask(..) | Thing::Status => false,
        };
        let own = self.things.iter_mut().enumerate().filter(|(_, (_, thing))| of(thing));
        own.map(|(at, (_, thing))| (at, std::mem::replace(thing, Thing::Status))).collect()
    }

    /// The rest of the block, or a block of its own.
    fn placed(&mut self, allocation: Allocation<'p>, text: &mut Cursor<'_>) -> Read<()> {
        if let Some(Text { form: Form::Block(inner), line }) = text.peek() {
            text.next()?;
            let mut inner = Cursor::of(inner, *line);
            self.scope(|this| this.allocated(allocation, &mut inner))?;
            return inner.finish();
        }
        self.allocated(allocation, text)
    }

    fn allocated(
        &mut self,
        (buffer, begin, extents, body): Allocation<'p>,
        text: &mut Cursor<'_>,
    ) -> Read<()> {
        let extents = extents.iter().map(|extent| self.of_loops(*extent)).collect::<Checked<Vec<_>>>()?;
        let next = text.next()?;
        let Form::Declare(declared) = &next.form else {
            return differs(next.line, "another statement where the loops have an allocation");
        };
        if declared.name.starts_with("atl_cells_") {
            return self.heap((buffer, begin, &extents, body), (declared, next.line), text);
        }
        let product = self.product(&extents)?;
        self.cells[buffer] = Some(product);
        let line = next.line;
        if declared.is_constant || declared.is_pointer {
            return outside(line, "a declaration here");
        }
        let is_number = vector(&declared.ty).is_none();
        let is_one = extents.is_empty() && declared.cells.is_none();
        if is_number && named_type(&declared.ty) != Some(self.cell_type(buffer)) {
            return differs(line, "a buffer is of another type than that of the loops");
        }
        match (declared.cells, self.lane) {
            (Some(cells), None) if is_number => {
                let enough = matches!(self.values.store.ix_node(product), IxNode::Literal(product)
                    if u64::try_from(product).is_ok_and(|product| product.max(1) == cells));
                if !enough {
                    return differs(line, "an array has another number of cells than that of the loops");
                }
                if let Some(Given::Value(_)) = declared.value {
                    return outside(line, "an array that is a value");
                }
                self.declare(line, &declared.name, Thing::Array(buffer))?;
                self.begins(buffer, begin, text)?;
            }
            (None, None) if is_number && is_one => {
                self.declare(line, &declared.name, Thing::Status)?;
                self.begun(declared, begin, line, |this, value| {
                    this.value(value, this.values.types[buffer])
                })?;
                self.define(&declared.name, Thing::Scalar(buffer));
            }
            (None, Some((_, lanes))) if is_one => {
                let own = self.cell_type(buffer);
                if vector(&declared.ty) != Some((own.name(), lanes, false)) {
                    return differs(line, "a vector is of another type than the buffer of the loops");
                }
                self.declare(line, &declared.name, Thing::Status)?;
                self.begun(declared, begin, line, |this, value| {
                    let typed = this.typed(value)?;
                    if typed.ty != Type::Vector(own, lanes) {
                        return outside(line, "no vector where one is expected");
                    }
                    this.of(&typed, this.values.types[buffer])
                })?;
                self.define(&declared.name, Thing::Lanes(buffer));
            }
            (None, None) if !is_number => {
                self.parts(buffer, product, (declared, line), text)?;
                self.begins(buffer, begin, text)?;
            }
            _ => return outside(line, "a declaration here"),
        }
        self.rest(body, text)
    }

    /// What may use a buffer: the rest of a block.
    fn rest(&mut self, body: usize, text: &mut Cursor<'_>) -> Read<()> {
        let loops = self.program.list(self.values.store, body)?;
        self.sequence(&loops, text)
    }

    /// What a variable begins as, if it begins.
    fn begun(
        &mut self,
        declared: &Declaration,
        begin: Begin,
        line: u64,
        read: impl FnOnce(&mut Self, &Expr) -> Read<Val>,
    ) -> Read<()> {
        match (begin, &declared.value) {
            (Begin::Value(value), Some(Given::Value(found))) => {
                let found = read(self, found)?;
                let value = self.value_of_loops(value)?;
                self.equal_values(line, found, value)
            }
            (Begin::Value(_), _) => differs(line, "a buffer holds nothing where that of the loops begins"),
            (Begin::Unset, None | Some(Given::Zeros)) => Ok(()),
            (Begin::Unset, Some(Given::Value(Expr { node: Node::Integer(0, _) | Node::Zero(_), .. }))) => {
                Ok(())
            }
            (Begin::Unset, Some(Given::Value(_))) => {
                differs(line, "a buffer holds something before it is stored to")
            }
        }
    }

    /// The product of extents.
    pub(super) fn product(&self, extents: &[Ix]) -> Checked<Ix> {
        let one = self.values.store.literal(1)?;
        let product =
            extents.iter().try_fold(one, |product, extent| self.values.op(IxOp::Mul, product, *extent))?;
        let poly = self.values.store.poly(product)?;
        match self.values.store.polynomials.as_constant(poly).map(i64::try_from) {
            Some(Ok(cells)) => self.values.store.literal(cells),
            _ => Ok(product),
        }
    }

    /// A buffer as vectors of one type, declared one after the other.
    fn parts(
        &mut self,
        buffer: usize,
        product: Ix,
        (first, line): (&Declaration, u64),
        text: &mut Cursor<'_>,
    ) -> Read<()> {
        let (IxNode::Literal(cells), Some((scalar, count, false))) =
            (self.values.store.ix_node(product), vector(&first.ty))
        else {
            return outside(line, "a declaration here");
        };
        if self.cell_type(buffer).name() != scalar || cells < 1 || cells % i64::from(count) != 0 {
            return differs(
                line,
                "vectors of another type, or with other cells, than the buffer of the loops",
            );
        }
        let mut declared = first;
        for cell in (0..cells).step_by(count as usize) {
            let is_plain = !declared.is_constant && !declared.is_pointer && declared.cells.is_none();
            let is_empty = matches!(declared.value, None | Some(Given::Zeros));
            if declared.ty != first.ty || !is_plain || !is_empty {
                return differs(line, "fewer vectors than the buffer of the loops has");
            }
            self.declare(line, &declared.name, Thing::Part(buffer, cell, count))?;
            if cell + i64::from(count) < cells {
                let Text { form: Form::Declare(next), .. } = text.next()? else {
                    return differs(line, "fewer vectors than the buffer of the loops has");
                };
                declared = next;
            }
        }
        Ok(())
    }

    /// Memory of the heap: the number of its cells, itself, and what is done where there is some.
    fn heap(
        &mut self,
        (buffer, begin, extents, body): (usize, Begin, &[Ix], usize),
        (count, line): (&Declaration, u64),
        text: &mut Cursor<'_>,
    ) -> Read<()> {
        let next = text.next()?;
        let (
            Declaration {
                is_constant: true,
                is_pointer: false,
                cells: None,
                value: Some(Given::Value(cells)),
                ..
            },
            Form::Declare(memory),
        ) = (count, &next.form)
        else {
            return outside(line, "a declaration here");
        };
        let Declaration {
            is_constant: false,
            is_pointer: true,
            cells: None,
            value: Some(Given::Value(taken)),
            ..
        } = &**memory
        else {
            return outside(next.line, "a declaration here");
        };
        let name = &memory.name;
        if count.ty != "int64_t" || count.name != format!("atl_cells_{name}") {
            return outside(line, "a declaration here");
        }
        // A factor of 1 changes nothing.
        let one = self.values.store.literal(1)?;
        let found = self.factors(cells)?.into_iter().filter(|factor| *factor != one).collect::<Vec<_>>();
        let wanted = extents.iter().copied().filter(|extent| *extent != one).collect::<Vec<_>>();
        let mut same = found.len() == wanted.len();
        for (a, b) in found.iter().zip(&wanted) {
            same = same && self.same(*a, *b)?;
        }
        if !same {
            return differs(line, "a buffer has other extents than that of the loops");
        }
        if named_type(&memory.ty) != Some(self.cell_type(buffer)) {
            return differs(next.line, "a buffer is of another type than that of the loops");
        }
        let pool = format!("atl_pool_{name}");
        let is_taken = matches!(&taken.node, Node::Call(take, operands)
            if take == "atl_take" && matches!(operands.as_slice(), [
                Expr { node: Node::Name(from), .. },
                Expr { node: Node::Name(cells), .. },
                Expr { node: Node::Call(size, of), .. },
            ] if *from == pool && *cells == count.name && size == "sizeof"
                && matches!(of.as_slice(), [Expr { node: Node::Name(of), .. }] if *of == memory.ty)));
        if !is_taken || !self.pools.contains(&pool) || self.is_declared("atl_take") {
            return outside(next.line, "memory that is taken in another way");
        }
        self.cells[buffer] = Some(self.product(extents)?);
        self.own(line, &count.name, Thing::Cells(buffer))?;
        self.declare(line, name, Thing::Array(buffer))?;
        let asked = text.next()?;
        let Form::If(condition, short, Some(inner)) = &asked.form else {
            return outside(asked.line, "memory that may not be there");
        };
        let is_asked = matches!(&condition.node, Node::Binary("==", a, b)
            if matches!((&a.node, &b.node), (Node::Name(a), Node::Name(b)) if a == name && b == "NULL"));
        let short = match short.as_slice() {
            [Text { form: Form::Pragma(pragma), .. }, rest @ ..] if pragma == "omp atomic write" => rest,
            rest => rest,
        };
        let is_told = matches!(short, [Text { form: Form::Assign(status, "=", value), .. }]
            if matches!((&status.node, &value.node), (Node::Name(status), Node::Integer(1, _)) if status == "atl_status"));
        let Some((given, inner)) = inner.split_last() else {
            return outside(asked.line, "memory that is not used");
        };
        let is_given = matches!(&given.form, Form::Call(give, operands)
            if give == "atl_give" && matches!(operands.as_slice(), [
                Expr { node: Node::Name(to), .. },
                Expr { node: Node::Name(memory), .. },
            ] if *to == pool && memory == name));
        if !is_asked
            || !is_told
            || !is_given
            || !matches!(self.thing(asked.line, "atl_status")?, Thing::Status)
        {
            return outside(asked.line, "an allocation in a form that is not known");
        }
        let mut inner = Cursor::of(inner, asked.line);
        self.scope(|this| {
            this.begins(buffer, begin, &mut inner)?;
            this.rest(body, &mut inner)
        })?;
        inner.finish()
    }

    /// The factors of `atl_cells(atl_cells(a, b), c)`.
    fn factors(&mut self, expr: &Expr) -> Read<Vec<Ix>> {
        let Node::Call(name, operands) = &expr.node else {
            return match expr.node {
                Node::Integer(1, _) => Ok(vec![]),
                _ => outside(expr.line, "a number of cells"),
            };
        };
        let ([a, b], "atl_cells") = (operands.as_slice(), name.as_str()) else {
            return outside(expr.line, "a number of cells");
        };
        let mut factors = match &a.node {
            Node::Call(name, _) if name == "atl_cells" => self.factors(a)?,
            _ => vec![self.index(a)?],
        };
        factors.push(self.index(b)?);
        Ok(factors)
    }

    /// What cells hold when their lifetime begins.
    pub(super) fn begins(&mut self, buffer: usize, begin: Begin, text: &mut Cursor<'_>) -> Read<()> {
        let Begin::Value(value) = begin else { return Ok(()) };
        let value = self.value_of_loops(value)?;
        let parts = self.things.iter().filter_map(|(name, thing)| match thing {
            Thing::Part(of, _, count) if *of == buffer => Some((name.clone(), *count)),
            _ => None,
        });
        let parts: Vec<_> = parts.collect();
        for (name, count) in &parts {
            let next = text.next()?;
            let Form::Assign(Expr { node: Node::Name(found), .. }, "=", given) = &next.form else {
                return differs(next.line, "another statement where the cells of a buffer begin");
            };
            if found != name {
                return differs(next.line, "another vector begins than that of the loops");
            }
            let typed = self.typed(given)?;
            let given = self.of(&typed, self.values.types[buffer])?;
            if typed.ty != Type::Vector(self.cell_type(buffer), *count) {
                return differs(next.line, "another type than that of the vector");
            }
            self.equal_values(next.line, given, value)?;
        }
        if !parts.is_empty() {
            return Ok(());
        }
        let next = text.next()?;
        let scalar = self.values.types[buffer];
        let cells = self.cells[buffer];
        let one = self.values.store.literal(1)?;
        match &next.form {
            Form::For(inner) => {
                let Loop { variable, first, end: None, condition, step: 1, body } = &**inner else {
                    return differs(next.line, "another loop where the cells of a buffer begin");
                };
                let from_zero = matches!(first.node, Node::Integer(0, _));
                let (Node::Binary("<", k, end), [Text { form: Form::Assign(cell, "=", given), .. }]) =
                    (&condition.node, body.as_slice())
                else {
                    return differs(next.line, "another loop where the cells of a buffer begin");
                };
                let is_k = |expr: &Expr| matches!(&expr.node, Node::Name(name) if name == variable);
                let is_cell = match &cell.node {
                    Node::Cell(name, at) => is_k(at) && self.is_array(next.line, name, buffer)?,
                    _ => false,
                };
                if variable != "atl_k" || !from_zero || !is_k(k) || !is_cell || self.lane.is_some() {
                    return differs(next.line, "another loop where the cells of a buffer begin");
                }
                let is_all = match &end.node {
                    Node::Name(name) if let Thing::Cells(of) = self.thing(next.line, name)? => of == buffer,
                    _ => {
                        let end = self.index(end)?;
                        cells.map_or(Ok(false), |cells| self.same(end, cells))?
                    }
                };
                if !is_all {
                    return differs(next.line, "another number of cells begins than that of the loops");
                }
                let given = self.value(given, scalar)?;
                self.equal_values(next.line, given, value)
            }
            Form::Assign(target, "=", given) => {
                let is_one = match &target.node {
                    Node::Name(name) => match self.thing(next.line, name)? {
                        Thing::Scalar(of) | Thing::Lanes(of) => of == buffer,
                        _ => false,
                    },
                    Node::Cell(name, at) => {
                        matches!(at.node, Node::Integer(0, _))
                            && self.is_array(next.line, name, buffer)?
                            && cells.map_or(Ok(false), |cells| self.same(cells, one))?
                    }
                    _ => false,
                };
                if !is_one || self.active.is_some() {
                    return differs(next.line, "another statement where the cells of a buffer begin");
                }
                let given = match self.lane {
                    Some(_) => {
                        let typed = self.typed(given)?;
                        self.of(&typed, scalar)?
                    }
                    None => self.value(given, scalar)?,
                };
                self.equal_values(next.line, given, value)
            }
            _ => another(next, "another statement where the cells of a buffer begin"),
        }
    }

    fn is_array(&self, line: u64, name: &str, buffer: usize) -> Read<bool> {
        Ok(matches!(self.thing(line, name)?, Thing::Array(of) if of == buffer))
    }
}
