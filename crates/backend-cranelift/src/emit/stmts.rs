//! Statements. Every loop is a header that tests, a body, and an exit.

use super::memory::Place;
use super::{Emitter, machine_type};
use crate::status;
use atl_loops::lanes::Vectors;
use atl_loops::{CmpOp, Init, Int, Literal, LoopKind, Name, Scalar, Stmt, Storage, StoreMode, Val};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    BlockArg, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Value, types,
};

impl Emitter<'_> {
    /// Emits a statement.
    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            Stmt::Search { search, body } => {
                self.with_fingers(&search.var, body, |emitter| emitter.search(search, body));
            }
            Stmt::Vectors { vectors: Vectors { var, lo, hi, .. }, body } => {
                self.for_loop(var, (lo, hi), None, |emitter| emitter.stmt(body));
            }
            Stmt::Intersection { intersection, body } => self.intersection(intersection, body),
            Stmt::For { var, lo, hi, kind, body } => self.with_fingers(var, body, |emitter| {
                let ends = match kind {
                    LoopKind::EarlyExit(buf) => emitter.goes_on(buf, body),
                    LoopKind::Unless(buf) => {
                        let stop = Val::scalar(buf.clone());
                        Some(Val::cmp(CmpOp::Ne, stop, Val::Lit(Literal::Bool(true))))
                    }
                    _ => None,
                };
                emitter.for_loop(var, (lo, hi), ends.as_ref(), |emitter| emitter.stmt(body));
            }),
            Stmt::If { cond, then, otherwise } => {
                let cond = self.bool(cond);
                let skip = Stmt::skip();
                let otherwise = otherwise.as_deref().unwrap_or(&skip);
                self.branch(cond, |emitter| emitter.stmt(then), |emitter| emitter.stmt(otherwise));
            }
            Stmt::Alloc { buf, scalar, extents, storage, init, body } => match storage {
                Storage::Heap => self.heap(buf, *scalar, extents, |emitter, _| {
                    emitter.initialise(buf, init);
                    emitter.stmt(body);
                }),
                Storage::Touched => self.touched(buf, *scalar, extents, init, body),
                Storage::Stack | Storage::Register | Storage::Shared(_) => {
                    self.local(buf, *scalar, extents);
                    self.initialise(buf, init);
                    self.stmt(body);
                }
            },
            Stmt::Reset { buf, .. } if self.touched.contains_key(buf) => self.forget(buf),
            Stmt::Reset { buf, init } => self.initialise(buf, init),
            Stmt::Push { buf, value } => {
                let value = self.val(value);
                self.push(buf, value);
            }
            Stmt::Visit { var, buf, body } => self.visit(var, buf, body),
            Stmt::Merge { keys, runs, body } => self.merge(keys, runs, body),
            // There is no such instruction here, and none is needed.
            Stmt::Prefetch { .. } | Stmt::Forget { .. } => {}
            Stmt::Store { buf, index, value, mode } => {
                let scalar = self.scalar_of(buf);
                let value = self.val(value);
                // Before the store: an index may read the very cell.
                let cell = self.touched.contains_key(buf).then(|| self.int(index));
                self.update(buf, index, |emitter, old| match mode {
                    StoreMode::Set | StoreMode::Replace => value,
                    StoreMode::Reduce(op) => emitter.binary(op.bin_op(), scalar, old, value),
                });
                self.mark(buf, cell);
            }
        }
    }

    /// Whether a loop that ends early goes on.
    fn goes_on(&self, buf: &Name, body: &Stmt) -> Option<Val> {
        let end = body.reduction_into(buf)?.end(self.scalar_of(buf))?;
        Some(Val::cmp(CmpOp::Ne, Val::scalar(buf.clone()), Val::Lit(end)))
    }

    pub(super) fn for_loop(
        &mut self,
        var: &Name,
        (lo, hi): (&Int, &Int),
        also: Option<&Val>,
        body: impl FnOnce(&mut Self),
    ) {
        let (first, end) = (self.int(lo), self.int(hi));
        self.count_while(first, end, also, |emitter, value| {
            let outer = emitter.vars.insert(var.clone(), value);
            body(emitter);
            if let Some(outer) = outer {
                emitter.vars.insert(var.clone(), outer);
            }
        });
    }

    /// A loop from `first` to before `end`.
    fn count(&mut self, first: Value, end: Value, body: impl FnOnce(&mut Self, Value)) {
        self.count_while(first, end, None, body);
    }

    /// The same, which goes on only while this holds as well.
    fn count_while(
        &mut self,
        first: Value,
        end: Value,
        also: Option<&Val>,
        body: impl FnOnce(&mut Self, Value),
    ) {
        let [header, inside, exit] = [(); 3].map(|()| self.builder.create_block());
        let value = self.builder.append_block_param(header, types::I64);
        self.builder.ins().jump(header, &[BlockArg::Value(first)]);
        self.builder.switch_to_block(header);
        let goes_on = self.builder.ins().icmp(IntCC::SignedLessThan, value, end);
        let goes_on = match also {
            None => goes_on,
            Some(also) => {
                let also = self.val(also);
                self.builder.ins().band(goes_on, also)
            }
        };
        self.builder.ins().brif(goes_on, inside, &[], exit, &[]);
        self.enter_sealed(inside);
        body(self, value);
        let one = self.builder.ins().iconst(types::I64, 1);
        let next = self.builder.ins().iadd(value, one);
        self.builder.ins().jump(header, &[BlockArg::Value(next)]);
        self.builder.seal_block(header);
        self.enter_sealed(exit);
    }

    /// One statement or the other.
    pub(super) fn branch(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let [first, second, exit] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().brif(cond, first, &[], second, &[]);
        self.enter_sealed(first);
        then(self);
        self.builder.ins().jump(exit, &[]);
        self.enter_sealed(second);
        otherwise(self);
        self.builder.ins().jump(exit, &[]);
        self.enter_sealed(exit);
    }

    /// A statement, or nothing.
    pub(super) fn when(&mut self, cond: Value, then: impl FnOnce(&mut Self)) {
        self.branch(cond, then, |_| {});
    }

    /// Cells in memory, and what is done in their scope, given how many they are.
    pub(super) fn heap(
        &mut self,
        buf: &Name,
        scalar: Scalar,
        extents: &[Int],
        body: impl FnOnce(&mut Self, Value),
    ) {
        let mut cells = self.builder.ins().iconst(types::I64, 1);
        for extent in extents {
            let extent = self.int(extent);
            cells = self.call(self.host.cells, &[cells, extent]);
        }
        let size = i64::try_from(scalar.size()).unwrap_or(8);
        let size = self.builder.ins().iconst(types::I64, size);
        let base = self.call(self.host.alloc, &[cells, size]);
        let null = self.builder.ins().iconst(self.pointer, 0);
        let failed = self.builder.ins().icmp(IntCC::Equal, base, null);
        self.add_status(failed, status::NO_MEMORY);
        self.branch(
            failed,
            |_| {},
            |emitter| {
                emitter.places.insert(buf.clone(), Place::Memory { base, cells });
                body(emitter, cells);
                emitter.builder.ins().call(emitter.host.free, &[base, cells, size]);
            },
        );
    }

    /// A variable, or cells on the stack; both zero, since what they held before could be no truth value.
    fn local(&mut self, buf: &Name, scalar: Scalar, extents: &[Int]) {
        let zero = self.zero(scalar);
        if extents.is_empty() {
            let variable = self.builder.declare_var(machine_type(scalar));
            self.builder.def_var(variable, zero);
            self.places.insert(buf.clone(), Place::Variable(variable));
            return;
        }
        // The validator has bounded the extents.
        let count = Int::product(extents).constant().unwrap_or(0);
        let bytes = u32::try_from(count).unwrap_or(0) * u32::try_from(scalar.size()).unwrap_or(8);
        let slot = self.builder.create_sized_stack_slot(StackSlotData::new(
            StackSlotKind::ExplicitSlot,
            bytes.max(8),
            3,
        ));
        let base = self.builder.ins().stack_addr(self.pointer, slot, 0);
        let cells = self.builder.ins().iconst(types::I64, count);
        self.fill(base, cells, scalar, zero);
        self.places.insert(buf.clone(), Place::Memory { base, cells });
    }

    /// Begins a lifetime.
    pub(super) fn initialise(&mut self, buf: &Name, init: &Init) {
        let Init::Value(value) = init else { return };
        let value = self.val(value);
        match self.places.get(buf).copied() {
            Some(Place::Variable(variable)) => self.builder.def_var(variable, value),
            Some(Place::Memory { base, cells }) => self.fill(base, cells, self.scalar_of(buf), value),
            Some(Place::Appended(_)) | None => {}
        }
    }

    /// Stores the value to every cell.
    fn fill(&mut self, base: Value, cells: Value, scalar: Scalar, value: Value) {
        let first = self.builder.ins().iconst(types::I64, 0);
        self.count(first, cells, |emitter, index| emitter.store_at(base, scalar, index, value));
    }

    /// Stores the value to a cell that is there.
    pub(super) fn store_at(&mut self, base: Value, scalar: Scalar, index: Value, value: Value) {
        let size = i64::try_from(scalar.size()).unwrap_or(8);
        let size = self.builder.ins().iconst(types::I64, size);
        let offset = self.builder.ins().imul(index, size);
        let address = self.builder.ins().iadd(base, offset);
        self.builder.ins().store(MemFlagsData::trusted(), value, address, 0);
    }
}
