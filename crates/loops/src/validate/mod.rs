//! The validator: what must hold of a kernel before it is run or printed, so far as the text alone decides it.
//!
//! This comment is the specification; each line is one [`Rule`].
//!
//! * `name`: every name is well formed; sizes and buffers are distinct from each other over the whole kernel; a
//!   loop variable is distinct from them and from the loop variables around it.
//! * `scope`: index terms mention sizes and enclosing loop variables; in extents of parameters and in
//!   requirements on sizes, sizes only. Buffers are parameters or enclosing allocations; in requirements on arrays, inputs.
//! * `type`: operands of an operation have one type that it accepts; a stored or initial value has the type of the
//!   cell; the two branches of a selection agree. A buffer that an index term reads is of integers or truth values.
//! * `access`: inputs come before outputs; no input is stored to or reset.
//! * `append`: an output that grows has the extent 0, is pushed to, and nothing else is done to it; no other buffer is
//!   pushed to, and nothing is pushed inside a parallel or vector loop.
//! * `touched`: every lifetime of a touched buffer begins with one literal, which equals itself. Only touched buffers are
//!   visited, outside of vector loops, and a visit's body neither stores to the buffer nor resets it. A parallel or vector loop
//!   stores to none from outside, as its iterations would share the record of what was touched.
//! * `stream`: a streamed output is set, and neither combined nor loaded nor reset.
//! * `forget`: only cells of scratch are forgotten, and of none that is touched.
//! * `storage`: extents of `stack` and `register` buffers are literals, at least 0, and amount to at most
//!   [`LOCAL_BYTES`]; a heap or touched buffer is not allocated inside a vector loop; a vector loop has at least one lane.
//! * `bounds`: a literal cell is in range of literal extents (so rank 0 has cell 0 only).
//! * `init`: an initial value reads no buffer.
//! * `race`: inside a parallel or vector loop, a buffer from outside is not reset, nor cells of it forgotten, and no store has a cell that is the
//!   same in every iteration (its index depends neither on the loop variable nor on a variable whose bounds do, and
//!   no condition on such a variable stands around it; what the iteration's own buffers hold depends on it too). No
//!   index term reads a buffer from outside that the loop stores to. A loop of at most one iteration by its literal bounds has
//!   none to race with. No parallel loop stands inside a vector loop.
//! * `search`: the body of a search is a condition without another branch, whose first part is an equation of which one side
//!   mentions the variable; bounds and both sides read inputs only. A search along a loop stands in it, with no concurrent loop
//!   between; of its parts, only what is sought depends on that loop, and none on those between. Its first place reads nothing.
//!
//! What depends on values of sizes (bounds, races, second stores, unwritten reads) is the interpreter's.

mod races;
mod searches;

use crate::{
    Access, Bool, CmpOp, ForAll, Init, Int, Kernel, Literal, LoopKind, Name, Stmt, Storage, StoreMode, Val,
    is_index_scalar,
};
use atl_kernel::Scalar;
use races::Concurrent;
use searches::Along;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The most bytes that one `stack` or `register` buffer may have.
pub const LOCAL_BYTES: i64 = 1 << 18;

/// A rule of the specification above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Names are well formed and distinct.
    Name,
    /// Names are in scope.
    Scope,
    /// Values have the types that they must.
    Type,
    /// Inputs are only read.
    Access,
    /// Outputs that grow are only pushed to, in order.
    Append,
    /// Touched buffers begin alike, and do not change while they are visited.
    Touched,
    /// Streamed outputs are only set.
    Stream,
    /// Cells of scratch are forgotten, and of none that is touched.
    Forget,
    /// Storage suits extents and place.
    Storage,
    /// Literal cells are in range.
    Bounds,
    /// Initial values load nothing.
    Init,
    /// Iterations of concurrent loops do not obviously collide.
    Race,
    /// Searches have their form.
    Search,
}

/// One thing wrong with a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The rule that is broken.
    pub rule: Rule,
    /// Where and how.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Everything that is wrong with the kernel, in the order of its text.
pub fn validate(kernel: &Kernel) -> Vec<Violation> {
    let mut validator = Validator::default();
    validator.kernel(kernel);
    validator.violations
}

#[derive(Clone)]
struct Buffer {
    name: Name,
    scalar: Scalar,
    /// The number of cells, if the extents are literals.
    cells: Option<i64>,
    /// Who fills it, if it is a parameter.
    access: Option<Access>,
    /// Where it lives, and what it begins with, if it is scratch.
    scratch: Option<(Storage, Init)>,
}

#[derive(Default)]
struct Validator {
    violations: Vec<Violation>,
    /// Sizes and buffers of the whole kernel so far.
    taken: BTreeSet<Name>,
    /// All buffers of the kernel, also those not yet reached.
    all_buffers: BTreeMap<Name, Scalar>,
    vars: Vec<Name>,
    buffers: Vec<Buffer>,
    concurrent: Vec<Concurrent>,
    vector_loops: usize,
    /// The loops around, outermost first, and whether a search may go on from one iteration to the next.
    loops: Vec<(Name, Along)>,
}

impl Validator {
    fn report(&mut self, rule: Rule, message: String) {
        self.violations.push(Violation { rule, message });
    }

    fn kernel(&mut self, kernel: &Kernel) {
        self.all_buffers = kernel.buffer_types();
        self.well_formed(&kernel.name);
        for size in &kernel.sizes {
            self.take(size);
            self.vars.push(size.clone());
        }
        let mut outputs = false;
        for param in &kernel.params {
            if !param.access.is_output() && outputs {
                self.report(Rule::Access, format!("the input `{}` stands after an output", param.name));
            }
            outputs |= param.access.is_output();
            self.take(&param.name);
            for extent in &param.extents {
                self.int(extent);
                self.of_sizes_only(extent.reads(), extent);
            }
            let cells = literal_cells(&param.extents);
            if param.access == Access::Append && param.extents != [Int::Lit(0)] {
                self.report(Rule::Append, format!("`{}` grows, and does not begin empty", param.name));
            }
            let (name, scalar, access) = (param.name.clone(), param.scalar, Some(param.access));
            self.buffers.push(Buffer { name, scalar, cells, access, scratch: None });
        }
        for requirement in &kernel.requires {
            self.bool(requirement);
            self.of_sizes_only(requirement.reads(), requirement);
        }
        kernel.requires_all.iter().for_each(|requirement| self.for_all(requirement));
        self.stmt(&kernel.body);
    }

    fn for_all(&mut self, requirement: &ForAll) {
        let outer = self.vars.len();
        for (name, lo, hi) in &requirement.binders {
            [lo, hi].into_iter().for_each(|bound| self.int(bound));
            self.variable(name);
            self.vars.push(name.clone());
        }
        self.bool(&requirement.cond);
        self.vars.truncate(outer);
        requirement.for_each_read(&mut |buf, _| {
            let is_input = |buffer: &Buffer| buffer.name == *buf && buffer.access == Some(Access::Read);
            if !self.buffers.iter().any(is_input) {
                self.report(Rule::Scope, format!("a requirement reads `{buf}`, which is no input"));
            }
        });
    }

    /// Introduces a variable, but for its scope.
    fn variable(&mut self, name: &Name) {
        self.well_formed(name);
        if self.vars.contains(name) || self.all_buffers.contains_key(name) {
            self.report(Rule::Name, format!("the variable `{name}` is taken"));
        }
    }

    fn well_formed(&mut self, name: &Name) {
        if !name.is_well_formed() {
            self.report(Rule::Name, format!("`{name}` is no name"));
        }
    }

    /// Introduces a size or a buffer.
    fn take(&mut self, name: &Name) {
        self.well_formed(name);
        if self.vars.contains(name) || !self.taken.insert(name.clone()) {
            self.report(Rule::Name, format!("the name `{name}` is taken"));
        }
    }

    fn int(&mut self, int: &Int) {
        int.for_each_var(&mut |name| {
            if !self.vars.contains(name) {
                self.report(Rule::Scope, format!("no size or loop variable `{name}` is in scope in `{int}`"));
            }
        });
        int.for_each_read(&mut |buf, cell| self.read(buf, cell));
    }

    fn bool(&mut self, bool: &Bool) {
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

    fn of_sizes_only(&mut self, reads: bool, term: &impl fmt::Display) {
        if reads {
            self.report(Rule::Scope, format!("`{term}` is over sizes, and reads no buffer"));
        }
    }

    /// A cell that an index term reads; what its own index reads is seen by itself.
    fn read(&mut self, buf: &Name, cell: &Int) {
        let Some(buffer) = self.buffer(buf) else { return };
        self.only_set(&buffer, "read");
        self.only_pushed(&buffer, "read");
        self.in_range(&buffer, cell);
        if !is_index_scalar(buffer.scalar) {
            self.report(
                Rule::Type,
                format!("`{buf}[{cell}]`, of type {}, stands in an index term", buffer.scalar),
            );
        }
        self.read_race(buf, cell);
    }

    fn buffer(&mut self, name: &Name) -> Option<Buffer> {
        let found = self.buffers.iter().find(|buffer| buffer.name == *name).cloned();
        if found.is_none() {
            self.report(Rule::Scope, format!("no buffer `{name}` is in scope"));
        }
        found
    }

    fn cell(&mut self, buffer: &Buffer, index: &Int) {
        self.int(index);
        self.in_range(buffer, index);
    }

    /// A literal cell is one of the buffer's, if it has a literal number of them.
    fn in_range(&mut self, buffer: &Buffer, index: &Int) {
        if let (Int::Lit(cell), Some(cells)) = (index, buffer.cells)
            && !(0..cells).contains(cell)
        {
            self.report(Rule::Bounds, format!("`{}` has {cells} cells, none of them {cell}", buffer.name));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            Stmt::For { var, lo, hi, kind, body } => self.for_loop(var, [lo, hi], kind, body),
            Stmt::If { cond, then, otherwise } => self.conditional(cond, then, otherwise.as_deref()),
            Stmt::Alloc { buf, scalar, extents, storage, init, body } => {
                self.take(buf);
                extents.iter().for_each(|extent| self.int(extent));
                self.storage(buf, *scalar, extents, *storage);
                self.init(buf, *scalar, init);
                if *storage == Storage::Touched {
                    self.begins(buf, init);
                }
                let (cells, scratch) = (literal_cells(extents), Some((*storage, init.clone())));
                let (name, scalar) = (buf.clone(), *scalar);
                self.buffers.push(Buffer { name, scalar, cells, access: None, scratch });
                self.stmt(body);
                self.buffers.pop();
            }
            Stmt::Reset { buf, init } => {
                let Some(buffer) = self.buffer(buf) else { return };
                self.not_an_input(&buffer);
                self.only_set(&buffer, "reset");
                self.only_pushed(&buffer, "reset");
                if let Some((Storage::Touched, first)) = &buffer.scratch
                    && first != init
                {
                    let message = format!("a lifetime of `{buf}` begins otherwise than its first");
                    self.report(Rule::Touched, message);
                }
                self.init(buf, buffer.scalar, init);
                if let Some(var) = self.shared_with(buf).first() {
                    let message =
                        format!("`{buf}` is reset by every iteration of the concurrent loop over `{var}`");
                    self.report(Rule::Race, message);
                }
            }
            Stmt::Forget { buf, lo, hi } => self.forget(buf, [lo, hi]),
            Stmt::Prefetch { buf, index } => {
                let Some(buffer) = self.buffer(buf) else { return };
                if buffer.access != Some(Access::Read) {
                    self.report(Rule::Access, format!("`{buf}` is no input and is not prefetched"));
                }
                self.cell(&buffer, index);
            }
            Stmt::Store { buf, index, value, mode } => {
                let value_type = self.val(value);
                let Some(buffer) = self.buffer(buf) else { return };
                self.not_an_input(&buffer);
                self.only_pushed(&buffer, "stored to");
                self.cell(&buffer, index);
                if matches!(buffer.scratch, Some((Storage::Touched, _)))
                    && (self.vector_loops > 0 || !self.shared_with(buf).is_empty())
                {
                    let message =
                        format!("iterations of a concurrent loop touch `{buf}`, which is from outside");
                    self.report(Rule::Touched, message);
                }
                if value_type.is_some_and(|ty| ty != buffer.scalar) {
                    let message = format!("`{buf}` has cells of type {}, not `{value}`", buffer.scalar);
                    self.report(Rule::Type, message);
                }
                if let StoreMode::Reduce(_) = mode {
                    self.only_set(&buffer, "combined");
                }
                if let StoreMode::Reduce(op) = mode
                    && !op.bin_op().accepts(buffer.scalar)
                {
                    self.report(
                        Rule::Type,
                        format!("`{buf}`, of type {}, has no such reduction", buffer.scalar),
                    );
                }
                self.store_race(buf, index);
            }
            Stmt::Push { buf, value } => self.push(buf, value),
            Stmt::Visit { var, buf, body } => self.visit(var, buf, body),
        }
    }

    fn forget(&mut self, buf: &Name, ends: [&Int; 2]) {
        ends.into_iter().for_each(|end| self.int(end));
        let Some(buffer) = self.buffer(buf) else { return };
        if !matches!(buffer.scratch, Some((Storage::Heap | Storage::Stack | Storage::Register, _))) {
            self.report(Rule::Forget, format!("cells of `{buf}` are forgotten, and it is no plain scratch"));
        }
        if let ([Int::Lit(lo), Int::Lit(hi)], Some(cells)) = (ends, buffer.cells)
            && lo < hi
            && !(0 <= *lo && *hi <= cells)
        {
            let message = format!("`{buf}` has {cells} cells, and {lo}..{hi} are forgotten");
            self.report(Rule::Bounds, message);
        }
        if let Some(var) = self.shared_with(buf).first() {
            let message = format!(
                "cells of `{buf}` are forgotten by every iteration of the concurrent loop over `{var}`"
            );
            self.report(Rule::Race, message);
        }
    }

    fn push(&mut self, buf: &Name, value: &Val) {
        let value_type = self.val(value);
        let Some(buffer) = self.buffer(buf) else { return };
        if buffer.access != Some(Access::Append) {
            self.report(Rule::Append, format!("`{buf}` does not grow, and is pushed to"));
        }
        if value_type.is_some_and(|ty| ty != buffer.scalar) {
            let message = format!("`{buf}` has cells of type {}, not `{value}`", buffer.scalar);
            self.report(Rule::Type, message);
        }
        if let Some(var) = self.shared_with(buf).first() {
            let message = format!("`{buf}` grows in the concurrent loop over `{var}`, whose order is open");
            self.report(Rule::Append, message);
        }
    }

    fn visit(&mut self, var: &Name, buf: &Name, body: &Stmt) {
        self.variable(var);
        let Some(buffer) = self.buffer(buf) else { return };
        if !matches!(buffer.scratch, Some((Storage::Touched, _))) {
            self.report(Rule::Touched, format!("`{buf}` is visited, and is not touched scratch"));
        }
        if self.vector_loops > 0 {
            self.report(Rule::Touched, format!("`{buf}` is visited inside a vector loop"));
        }
        if body.written().contains(buf) {
            self.report(Rule::Touched, format!("`{buf}` changes while it is visited"));
        }
        self.read_race(buf, &Int::Var(var.clone()));
        for concurrent in &mut self.concurrent {
            if !concurrent.outer_buffers.contains(buf) {
                concurrent.dependent.insert(var.clone());
            }
        }
        self.vars.push(var.clone());
        self.loops.push((var.clone(), Along::No));
        self.stmt(body);
        self.loops.pop();
        self.vars.pop();
        for concurrent in &mut self.concurrent {
            concurrent.dependent.remove(var);
        }
    }

    /// A touched buffer begins with a literal that equals itself.
    fn begins(&mut self, buf: &Name, init: &Init) {
        let equals_itself = |literal: &Literal| CmpOp::Eq.apply_literals(*literal, *literal) == Some(true);
        if !matches!(init, Init::Value(Val::Lit(literal)) if equals_itself(literal)) {
            self.report(Rule::Touched, format!("the touched `{buf}` does not begin with a literal"));
        }
    }

    fn for_loop(&mut self, var: &Name, bounds: [&Int; 2], kind: &LoopKind, body: &Stmt) {
        bounds.into_iter().for_each(|bound| self.int(bound));
        self.variable(var);
        if *kind == (LoopKind::Vector { width: Some(0) }) {
            self.report(Rule::Storage, format!("the vector loop over `{var}` has no lanes"));
        }
        if let LoopKind::Search { all, along } = kind {
            self.search(var, bounds, (*all, along.as_ref()), body);
        }
        let is_parallel = matches!(kind, LoopKind::Parallel(_));
        if is_parallel && self.vector_loops > 0 {
            self.report(Rule::Race, format!("the parallel loop over `{var}` stands inside a vector loop"));
        }
        for concurrent in &mut self.concurrent {
            if bounds.iter().any(|bound| concurrent.varies(bound)) {
                concurrent.dependent.insert(var.clone());
            }
        }
        let is_vector = matches!(kind, LoopKind::Vector { .. });
        let several = match bounds {
            [Int::Lit(lo), Int::Lit(hi)] => lo.checked_add(1).is_some_and(|next| next < *hi),
            _ => true,
        };
        let is_concurrent = several && (is_vector || is_parallel);
        if is_concurrent {
            let outer_buffers: BTreeSet<Name> =
                self.buffers.iter().map(|buffer| buffer.name.clone()).collect();
            self.concurrent.push(Concurrent {
                var: var.clone(),
                dependent: BTreeSet::from([var.clone()]),
                conditions: 0,
                written: body
                    .written()
                    .into_iter()
                    .filter(|buf| outer_buffers.contains(buf))
                    .cloned()
                    .collect(),
                outer_buffers,
            });
        }
        self.vector_loops += usize::from(is_vector);
        self.vars.push(var.clone());
        self.loops.push((var.clone(), Along::of(kind)));
        self.stmt(body);
        self.loops.pop();
        self.vars.pop();
        self.vector_loops -= usize::from(is_vector);
        if is_concurrent {
            self.concurrent.pop();
        }
        for concurrent in &mut self.concurrent {
            concurrent.dependent.remove(var);
        }
    }

    fn conditional(&mut self, cond: &Bool, then: &Stmt, otherwise: Option<&Stmt>) {
        self.bool(cond);
        let mut depends = Vec::new();
        for concurrent in &mut self.concurrent {
            let found = concurrent.varies_where(cond);
            concurrent.conditions += usize::from(found);
            depends.push(found);
        }
        self.stmt(then);
        if let Some(otherwise) = otherwise {
            self.stmt(otherwise);
        }
        for (concurrent, depends) in self.concurrent.iter_mut().zip(depends) {
            concurrent.conditions -= usize::from(depends);
        }
    }

    fn storage(&mut self, buf: &Name, scalar: Scalar, extents: &[Int], storage: Storage) {
        if matches!(storage, Storage::Heap | Storage::Touched) {
            if self.vector_loops > 0 {
                self.report(
                    Rule::Storage,
                    format!("the heap buffer `{buf}` is allocated inside a vector loop"),
                );
            }
            return;
        }
        let size = i64::try_from(scalar.size()).unwrap_or(i64::MAX);
        let bytes = literal_cells(extents).and_then(|cells| cells.checked_mul(size));
        if bytes.is_none_or(|bytes| bytes > LOCAL_BYTES) {
            let message =
                format!("`{buf}` is local, but its extents are not literals within {LOCAL_BYTES} bytes");
            self.report(Rule::Storage, message);
        }
    }

    fn init(&mut self, buf: &Name, scalar: Scalar, init: &Init) {
        let Init::Value(value) = init else { return };
        if self.val(value).is_some_and(|ty| ty != scalar) {
            self.report(Rule::Type, format!("`{buf}` has cells of type {scalar}, not `{value}`"));
        }
        if value.touches_memory() {
            self.report(Rule::Init, format!("the initial value `{value}` of `{buf}` reads a buffer"));
        }
    }

    fn not_an_input(&mut self, buffer: &Buffer) {
        if buffer.access == Some(Access::Read) {
            self.report(Rule::Access, format!("`{}` is an input and is not stored to", buffer.name));
        }
    }

    /// What is done here is not done to an output that grows.
    fn only_pushed(&mut self, buffer: &Buffer, done: &str) {
        if buffer.access == Some(Access::Append) {
            let message = format!("`{}`, which grows, is {done}, not only pushed to", buffer.name);
            self.report(Rule::Append, message);
        }
    }

    /// What is done here is not done to a streamed output.
    fn only_set(&mut self, buffer: &Buffer, done: &str) {
        if buffer.access == Some(Access::Stream) {
            self.report(
                Rule::Stream,
                format!("the streamed output `{}` is {done}, not only set", buffer.name),
            );
        }
    }

    /// The type of a value; `None` after a report.
    fn val(&mut self, val: &Val) -> Option<Scalar> {
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

    fn same(&mut self, whole: &Val, a: &Val, b: &Val) -> Option<Scalar> {
        let (a, b) = (self.val(a), self.val(b));
        let (a, b) = (a?, b?);
        self.typed(whole, a, a == b)
    }

    fn typed(&mut self, val: &Val, ty: Scalar, well_typed: bool) -> Option<Scalar> {
        if !well_typed {
            self.report(Rule::Type, format!("the operands in `{val}` have types that it does not accept"));
        }
        well_typed.then_some(ty)
    }
}

/// The number of cells, if the extents are literals and none is negative.
fn literal_cells(extents: &[Int]) -> Option<i64> {
    extents.iter().try_fold(1i64, |cells, extent| match extent {
        Int::Lit(extent) if *extent >= 0 => cells.checked_mul(*extent),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
