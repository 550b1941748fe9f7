//! The validator: what must hold of a kernel before it is run or printed, so far as the text alone decides
//! it.
//!
//! This comment is the specification; each line is one [`Rule`].
//!
//! * `name`: every name is well formed; sizes and buffers are distinct from each other over the whole
//!   kernel; a loop variable is distinct from them and from the loop variables around it.
//! * `scope`: index terms mention sizes and enclosing loop variables; in extents of parameters and in
//!   requirements on sizes, sizes only. Buffers are parameters or enclosing allocations; in requirements on
//!   arrays, inputs.
//! * `type`: operands of an operation have one type that it accepts; a stored or initial value has the type
//!   of the cell; the two branches of a selection agree. A buffer that an index term reads is of integers
//!   or truth values.
//! * `access`: inputs come before outputs; no input is stored to or reset.
//! * `append`: an output that grows has the extent 0, is pushed to, and nothing else is done to it; no
//!   other buffer is pushed to, and nothing is pushed inside a parallel or vector loop.
//! * `touched`: every lifetime of a touched buffer begins with one literal, which equals itself, and none
//!   of its cells is replaced. Only touched buffers are visited, outside of vector loops, and a visit's
//!   body does not change the buffer, and reads no cell of it but the one that is visited. A parallel or
//!   vector loop stores to none from outside and visits none, as its iterations would share the record of
//!   what was touched.
//! * `stream`: a streamed output is set, and neither replaced nor combined nor loaded nor reset.
//! * `over`: an output over an input has its type and its extents, and is set, and neither replaced nor
//!   combined nor loaded nor reset. Where it may have been set, a cell of the input is read only in an
//!   iteration that
//!   goes on to set the same one.
//! * `forget`: only cells of scratch are forgotten, and of none that is touched.
//! * `storage`: extents of `stack`, `register` and `shared` buffers are literals, at least 0, and amount to
//!   at most [`LOCAL_BYTES`]; a heap or touched buffer is not allocated inside a vector loop; a vector loop
//!   has at least one lane, and the bounds of a loop over a block's threads are literals.
//! * `bounds`: a literal cell is in range of literal extents (so rank 0 has cell 0 only).
//! * `init`: an initial value reads no buffer.
//! * `race`: inside a parallel or vector loop, a buffer from outside is not reset, nor cells of it
//!   forgotten, and no store has a cell that is the same in every iteration (its index depends neither on
//!   the loop variable nor on a variable whose bounds do, and no condition on such a variable stands around
//!   it; what the iteration's own buffers hold depends on it too). No index term reads a buffer from
//!   outside that the loop stores to. A loop of at most one iteration by its literal bounds has none to
//!   race with. No parallel loop stands inside a vector loop.
//! * `vectors`: of a loop over whole vectors, the iterations are visibly a multiple of the lanes, and
//!   vectors of its element type can do the body; iterations are concurrent, as those of any vector loop.
//! * `search`: the body of a search is a condition without another branch, whose first part is an equation
//!   of which one side mentions the variable; bounds and both sides read inputs only. A search along a loop
//!   stands in it, with no concurrent loop between; of its parts, only what is sought depends on that loop,
//!   and none on those between. Its first place reads nothing. An intersection is such searches along its
//!   first sequence, of which the key mentions the variable: one in each of the others, of which there is
//!   one at least.
//! * `until`: the register has no dimensions, and its reduction a value that nothing changes. The body, but
//!   for scratch of its own, only combines into it, by one operation, and reads it nowhere.
//! * `unless`: the register is from outside the loop, has no dimensions, and holds a truth value; no vector
//!   loop is around.
//! * `merge`: the runs of a merge have keys of as many parts as the merge has, one at least; bounds,
//!   conditions and keys read inputs only; a part of a key mentions, of the variables of the merge, none
//!   but its run's place, and the others mention none. A merge stands in no vector loop.
//!
//! What depends on values of sizes (bounds, races, second stores, unwritten reads) is the interpreter's.

mod buffers;
mod early_exit;
mod merges;
mod over;
mod races;
mod searches;
mod terms;

use crate::intersection::Sequence;
use crate::lanes::Vectors;
use crate::search::Search;
use crate::{Access, Bool, ForAll, Init, Int, Kernel, LoopKind, Name, Stmt, Storage};
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
    /// Inputs are not read where an output over them may have been set.
    Over,
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
    /// Vectors can do the loops that are said to be whole vectors.
    Vectors,
    /// Searches have their form.
    Search,
    /// Merges have theirs.
    Merge,
    /// Loops that end early do nothing but combine into the register that says when.
    EarlyExit,
    /// Loops that are left when a register says so have such a register.
    Unless,
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
    /// The input that it may be stored over.
    over: Option<Name>,
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
            let over = param.over.clone();
            self.buffers.push(Buffer { name, scalar, cells, access, over, scratch: None });
        }
        for requirement in &kernel.requires {
            self.bool(requirement);
            self.of_sizes_only(requirement.reads(), requirement);
        }
        kernel.requires_all.iter().for_each(|requirement| self.for_all(requirement));
        self.stmt(&kernel.body);
        self.outputs_over_inputs(kernel);
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

    fn of_sizes_only(&mut self, reads: bool, term: &impl fmt::Display) {
        if reads {
            self.report(Rule::Scope, format!("`{term}` is over sizes, and reads no buffer"));
        }
    }

    fn buffer(&mut self, name: &Name) -> Option<Buffer> {
        let found = self.buffers.iter().find(|buffer| buffer.name == *name).cloned();
        if found.is_none() {
            self.report(Rule::Scope, format!("no buffer `{name}` is in scope"));
        }
        found
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            Stmt::For { var, lo, hi, kind, body } => self.for_loop(var, [lo, hi], kind, body),
            Stmt::Vectors { vectors: vectors @ Vectors { var, lo, hi, lanes, .. }, body } => {
                if let Err(why) = vectors.check(&self.all_buffers, body) {
                    self.report(Rule::Vectors, format!("vectors cannot do the loop over `{var}`: {why}"));
                }
                self.for_loop(var, [lo, hi], &LoopKind::Vector { width: Some(*lanes) }, body);
            }
            Stmt::Search { search, body } => self.searching(search, body),
            Stmt::Intersection { intersection, body } => {
                let Sequence { var, lo, hi, key } = &intersection.first;
                [lo, hi].into_iter().for_each(|bound| self.int(bound));
                self.variable(var);
                if !key.mentions(var) {
                    let message = format!("the intersection over `{var}` has no key of its places");
                    self.report(Rule::Search, message);
                }
                self.depends(var, [lo, hi]);
                if intersection.partners.is_empty() {
                    self.report(Rule::Search, format!("the intersection over `{var}` has one sequence"));
                }
                let searched = intersection.searched((**body).clone());
                self.within(var, Along::Yes, |validator| validator.stmt(&searched));
            }
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
                self.buffers.push(Buffer { name, scalar, cells, access: None, over: None, scratch });
                self.stmt(body);
                self.buffers.pop();
            }
            Stmt::Reset { buf, init } => self.reset(buf, init),
            Stmt::Forget { buf, lo, hi } => self.forget(buf, [lo, hi]),
            Stmt::Prefetch { buf, index } => self.prefetch(buf, index),
            Stmt::Store { buf, index, value, mode } => self.store(buf, index, value, mode),
            Stmt::Push { buf, value } => self.push(buf, value),
            Stmt::Visit { var, buf, body } => self.visit(var, buf, body),
            Stmt::Merge { keys, runs, body } => self.merge(keys, runs, body),
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
        if body.reads_elsewhere(buf, &Int::Var(var.clone())) {
            self.report(
                Rule::Touched,
                format!("another cell of `{buf}` is read than the one that is visited"),
            );
        }
        if let Some(var) = self.shared_with(buf).first() {
            let message =
                format!("`{buf}` is visited by every iteration of the concurrent loop over `{var}`");
            self.report(Rule::Race, message);
        }
        for concurrent in &mut self.concurrent {
            if !concurrent.outer_buffers.contains(buf) {
                concurrent.dependent.insert(var.clone());
            }
        }
        self.within(var, Along::No, |validator| validator.stmt(body));
    }

    fn searching(&mut self, search: &Search, body: &Stmt) {
        self.search(search, body);
        let Search { var, lo, hi, how, .. } = search;
        self.depends(var, [lo, hi]);
        let along = if how.all { Along::Yes } else { Along::Once };
        self.continued(var, body);
        self.within(var, along, |validator| validator.conditional(&search.cond(), body, None));
    }

    /// What stands in a loop over the variable.
    fn within(&mut self, var: &Name, along: Along, inside: impl FnOnce(&mut Self)) {
        self.vars.push(var.clone());
        self.loops.push((var.clone(), along));
        inside(self);
        self.loops.pop();
        self.vars.pop();
        for concurrent in &mut self.concurrent {
            concurrent.dependent.remove(var);
        }
    }

    fn for_loop(&mut self, var: &Name, bounds: [&Int; 2], kind: &LoopKind, body: &Stmt) {
        bounds.into_iter().for_each(|bound| self.int(bound));
        self.variable(var);
        if *kind == (LoopKind::Vector { width: Some(0) }) {
            self.report(Rule::Storage, format!("the vector loop over `{var}` has no lanes"));
        }
        if let LoopKind::EarlyExit(buf) = kind {
            self.early_exit(var, buf, body);
        }
        if let LoopKind::Unless(buf) = kind {
            self.unless(var, buf);
        }
        if let LoopKind::Thread(_) = kind
            && bounds.iter().any(|bound| !matches!(bound, Int::Lit(_)))
        {
            self.report(
                Rule::Storage,
                format!("the bounds of the loop over threads `{var}` are no literals"),
            );
        }
        let is_parallel = matches!(kind, LoopKind::Parallel(_) | LoopKind::Block(_) | LoopKind::Thread(_));
        if is_parallel && self.vector_loops > 0 {
            self.report(Rule::Race, format!("the parallel loop over `{var}` stands inside a vector loop"));
        }
        let is_vector = matches!(kind, LoopKind::Vector { .. });
        let several = match bounds {
            [Int::Lit(lo), Int::Lit(hi)] => lo.checked_add(1).is_some_and(|next| next < *hi),
            _ => true,
        };
        let is_concurrent = several && (is_vector || is_parallel);
        self.depends(var, bounds);
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
        self.continued(var, body);
        self.within(var, Along::of(kind), |validator| validator.stmt(body));
        self.vector_loops -= usize::from(is_vector);
        if is_concurrent {
            self.concurrent.pop();
        }
    }

    /// Notes for which of the concurrent loops around the variable differs from one iteration to the next.
    fn depends(&mut self, var: &Name, bounds: [&Int; 2]) {
        for concurrent in &mut self.concurrent {
            if bounds.iter().any(|bound| concurrent.varies(bound)) {
                concurrent.dependent.insert(var.clone());
            }
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
