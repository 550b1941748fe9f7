//! Scratch with a record of what was stored to: see [`marks`](crate::marks).

use super::Emitter;
use super::memory::Place;
use crate::status;
use atl_loops::{CmpOp, Init, Int, Name, Scalar, Stmt, Val};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

/// A buffer's record, and what its cells begin with.
#[derive(Clone)]
pub(super) struct Touched {
    record: Value,
    first: Init,
}

impl Emitter<'_> {
    /// Touched scratch and its scope.
    pub(super) fn touched(&mut self, buf: &Name, scalar: Scalar, extents: &[Int], init: &Init, body: &Stmt) {
        self.heap(buf, scalar, extents, |emitter, cells| {
            let record = emitter.call(emitter.host.marks, &[cells]);
            let null = emitter.builder.ins().iconst(emitter.pointer, 0);
            let failed = emitter.builder.ins().icmp(IntCC::Equal, record, null);
            emitter.add_status(failed, status::NO_MEMORY);
            emitter.branch(
                failed,
                |_| {},
                |emitter| {
                    emitter.touched.insert(buf.clone(), Touched { record, first: init.clone() });
                    emitter.initialise(buf, init);
                    emitter.stmt(body);
                    emitter.builder.ins().call(emitter.host.unmarked, &[record]);
                },
            );
        });
    }

    /// The mark of a cell that is stored to, if it is one of a buffer with a record.
    pub(super) fn mark(&mut self, buf: &Name, cell: Option<Value>) {
        if let (Some(Touched { record, .. }), Some(cell)) = (self.touched.get(buf).cloned(), cell) {
            self.builder.ins().call(self.host.mark, &[record, cell]);
        }
    }

    /// The cells of a buffer that hold something else than at first, in order; and then they hold that again.
    pub(super) fn visit(&mut self, var: &Name, buf: &Name, body: &Stmt) {
        self.marked(buf, |emitter, cell, first| {
            emitter.vars.insert(var.clone(), cell);
            let visited = Int::Var(var.clone());
            let differs = Val::cmp(CmpOp::Ne, Val::load(buf.clone(), visited.clone()), first.clone());
            let differs = emitter.val(&differs);
            emitter.when(differs, |emitter| emitter.stmt(body));
            let first = emitter.val(first);
            emitter.update(buf, &visited, |_, _| first);
        });
    }

    /// A lifetime begins anew: the cells that were stored to hold their first value again.
    pub(super) fn forget(&mut self, buf: &Name) {
        let Some(Place::Memory { base, .. }) = self.places.get(buf).copied() else { return };
        self.marked(buf, |emitter, cell, first| {
            let value = emitter.val(first);
            emitter.store_at(base, emitter.scalar_of(buf), cell, value);
        });
    }

    /// A loop over the marked cells of a buffer, in order, whose marks are taken off; it is told their first value.
    fn marked(&mut self, buf: &Name, body: impl FnOnce(&mut Self, Value, &Val)) {
        let Some(Touched { record, first: Init::Value(first) }) = self.touched.get(buf).cloned() else {
            return;
        };
        let [header, inside, exit] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().jump(header, &[]);
        self.builder.switch_to_block(header);
        let cell = self.call(self.host.take, &[record]);
        let none = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, cell, 0);
        self.builder.ins().brif(none, exit, &[], inside, &[]);
        self.enter_sealed(inside);
        body(self, cell, &first);
        self.builder.ins().jump(header, &[]);
        self.builder.seal_block(header);
        self.enter_sealed(exit);
    }
}
