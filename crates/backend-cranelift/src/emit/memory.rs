//! Buffers: where they are, and checked access to their cells.

use super::{Emitter, machine_type};
use crate::appended::offset;
use crate::status;
use atl_loops::{Int, Name, Scalar};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};

/// Where a buffer is.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// A scalar variable.
    Variable(Variable),
    /// Cells in memory.
    Memory {
        /// The address of the first.
        base: Value,
        /// How many there are.
        cells: Value,
    },
    /// An output that grows: the address of its record.
    Appended(Value),
}

/// A spare cell, wide enough for every scalar, holding zero.
pub(super) fn spare(builder: &mut FunctionBuilder<'_>, pointer: Type) -> Value {
    let slot = builder.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3));
    let address = builder.ins().stack_addr(pointer, slot, 0);
    let zero = builder.ins().iconst(types::I64, 0);
    builder.ins().store(MemFlagsData::trusted(), zero, address, 0);
    address
}

impl Emitter<'_> {
    /// The type of a buffer's cells.
    pub(super) fn scalar_of(&self, buf: &Name) -> Scalar {
        self.types.get(buf).copied().unwrap_or(Scalar::I64)
    }

    /// The value of a cell; zero out of bounds.
    pub(super) fn load(&mut self, buf: &Name, index: &Int) -> Value {
        let ty = machine_type(self.scalar_of(buf));
        match self.places.get(buf).copied() {
            Some(Place::Variable(variable)) => self.builder.use_var(variable),
            Some(Place::Memory { base, cells }) => {
                let address = self.cell(buf, base, cells, index, self.spare_zero);
                self.builder.ins().load(ty, MemFlagsData::trusted(), address, 0)
            }
            // The validator has seen that every buffer is in scope, and that outputs that grow are not read.
            Some(Place::Appended(_)) | None => {
                self.builder.ins().load(ty, MemFlagsData::trusted(), self.spare_zero, 0)
            }
        }
    }

    /// Stores to a cell what `f` makes of its old value; nothing of use out of bounds.
    pub(super) fn update(&mut self, buf: &Name, index: &Int, f: impl FnOnce(&mut Self, Value) -> Value) {
        match self.places.get(buf).copied() {
            Some(Place::Variable(variable)) => {
                let old = self.builder.use_var(variable);
                let value = f(self, old);
                self.builder.def_var(variable, value);
            }
            Some(Place::Memory { base, cells }) => {
                let ty = machine_type(self.scalar_of(buf));
                let address = self.cell(buf, base, cells, index, self.spare_cell);
                // A load that `f` does not use is dropped by the code generator.
                let old = self.builder.ins().load(ty, MemFlagsData::trusted(), address, 0);
                let value = f(self, old);
                self.builder.ins().store(MemFlagsData::trusted(), value, address, 0);
            }
            Some(Place::Appended(_)) | None => {}
        }
    }

    /// The next cell of an output that grows.
    pub(super) fn push(&mut self, buf: &Name, value: Value) {
        let Some(Place::Appended(record)) = self.places.get(buf).copied() else { return };
        let flags = MemFlagsData::trusted();
        let len = self.builder.ins().load(types::I64, flags, record, offset::LEN);
        let cap = self.builder.ins().load(types::I64, flags, record, offset::CAP);
        let is_full = self.builder.ins().icmp(IntCC::SignedGreaterThanOrEqual, len, cap);
        self.branch(
            is_full,
            |emitter| {
                emitter.builder.ins().call(emitter.host.grow, &[record]);
            },
            |_| {},
        );
        let base = self.builder.ins().load(self.pointer, flags, record, offset::DATA);
        let len = self.builder.ins().load(types::I64, flags, record, offset::LEN);
        let size = i64::try_from(self.scalar_of(buf).size()).unwrap_or(8);
        let size = self.builder.ins().iconst(types::I64, size);
        let at = self.builder.ins().imul(len, size);
        let address = self.builder.ins().iadd(base, at);
        self.builder.ins().store(flags, value, address, 0);
        let one = self.builder.ins().iconst(types::I64, 1);
        let next = self.builder.ins().iadd(len, one);
        self.builder.ins().store(flags, next, record, offset::LEN);
    }

    /// The address of a cell, or of the spare cell where there is none.
    fn cell(&mut self, buf: &Name, base: Value, cells: Value, index: &Int, spare: Value) -> Value {
        let size = i64::try_from(self.scalar_of(buf).size()).unwrap_or(8);
        let index = self.int(index);
        // Unsigned, a negative index is larger than any number of cells.
        let inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, index, cells);
        let outside = self.not(inside);
        self.add_status(outside, status::OUT_OF_BOUNDS);
        let size = self.builder.ins().iconst(types::I64, size);
        let offset = self.builder.ins().imul(index, size);
        let address = self.builder.ins().iadd(base, offset);
        self.builder.ins().select(inside, address, spare)
    }
}
