//! Index terms, predicates and values: scopes, types, and literal cells in range.

use super::{Buffer, Rule, Validator};
use crate::{Bool, Int, Name, Val};
use atl_kernel::Scalar;

impl Validator {
    pub(super) fn int(&mut self, int: &Int) {
        int.for_each_var(&mut |name| {
            if !self.vars.contains(name) {
                self.report(Rule::Scope, format!("no size or loop variable `{name}` is in scope in `{int}`"));
            }
        });
        int.for_each_read(&mut |buf, cell| self.read(buf, cell));
    }

    pub(super) fn bool(&mut self, bool: &Bool) {
        bool.for_each_var(&mut |name| {
            if !self.vars.contains(name) {
                self.report(
                    Rule::Scope,
                    format!("no size or loop variable `{name}` is in scope in `{bool}`"),
                );
            }
        });
        bool.for_each_read(&mut |buf, cell| self.read(buf, cell));
    }

    /// A cell that an index term reads; what its own index reads is seen by itself.
    pub(super) fn read(&mut self, buf: &Name, cell: &Int) {
        let Some(buffer) = self.buffer(buf) else { return };
        self.only_set(&buffer, "read");
        self.only_pushed(&buffer, "read");
        self.in_range(&buffer, cell);
        if !buffer.scalar.is_index() {
            self.report(
                Rule::Type,
                format!("`{buf}[{cell}]`, of type {}, stands in an index term", buffer.scalar),
            );
        }
        self.read_race(buf, cell);
    }

    pub(super) fn cell(&mut self, buffer: &Buffer, index: &Int) {
        self.int(index);
        self.in_range(buffer, index);
    }

    /// A literal cell is one of the buffer's, if it has a literal number of them.
    pub(super) fn in_range(&mut self, buffer: &Buffer, index: &Int) {
        if let (Int::Lit(cell), Some(cells)) = (index, buffer.cells)
            && !(0..cells).contains(cell)
        {
            self.report(Rule::Bounds, format!("`{}` has {cells} cells, none of them {cell}", buffer.name));
        }
    }

    /// The type of a value; `None` after a report.
    pub(super) fn val(&mut self, val: &Val) -> Option<Scalar> {
        match val {
            Val::Lit(literal) => Some(literal.scalar()),
            Val::Load { buf, index } => {
                let buffer = self.buffer(buf)?;
                self.only_set(&buffer, "loaded");
                self.only_pushed(&buffer, "loaded");
                self.cell(&buffer, index);
                Some(buffer.scalar)
            }
            Val::OfInt(int) => {
                self.int(int);
                Some(Scalar::I64)
            }
            Val::Un(op, a) => {
                let ty = self.val(a)?;
                self.typed(val, ty, op.accepts(ty))
            }
            Val::Bin(op, a, b) => {
                let ty = self.same(val, a, b)?;
                self.typed(val, ty, op.accepts(ty))
            }
            Val::Call(function, operands) => {
                let types: Vec<Option<Scalar>> = operands.iter().map(|a| self.val(a)).collect();
                let types = types.into_iter().collect::<Option<Vec<_>>>()?;
                let ty = types.first().copied().unwrap_or(Scalar::Bool);
                let fits = types.len() == function.arity() && types.iter().all(|other| *other == ty);
                self.typed(val, ty, fits && ty.is_float())
            }
            Val::Cmp(_, a, b) => self.same(val, a, b).map(|_| Scalar::Bool),
            Val::Select { cond, then, otherwise } => {
                self.bool(cond);
                self.same(val, then, otherwise)
            }
            Val::Choose { cond, then, otherwise } => {
                let cond = self.val(cond);
                let ty = self.same(val, then, otherwise)?;
                self.typed(val, ty, cond? == Scalar::Bool)
            }
            Val::Convert { to, val } => self.val(val).map(|_| *to),
        }
    }

    pub(super) fn same(&mut self, whole: &Val, a: &Val, b: &Val) -> Option<Scalar> {
        let (a, b) = (self.val(a), self.val(b));
        let (a, b) = (a?, b?);
        self.typed(whole, a, a == b)
    }

    pub(super) fn typed(&mut self, val: &Val, ty: Scalar, well_typed: bool) -> Option<Scalar> {
        if !well_typed {
            self.report(Rule::Type, format!("the operands in `{val}` have types that it does not accept"));
        }
        well_typed.then_some(ty)
    }
}
