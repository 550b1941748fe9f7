//! What may be done to a buffer: where it lives, what it begins with, and which statements suit it.

use super::{Buffer, LOCAL_BYTES, Rule, Validator, literal_cells};
use crate::{Access, CmpOp, Init, Int, Literal, Name, Stmt, Storage, StoreMode, Val};
use atl_kernel::Scalar;

impl Validator {
    pub(super) fn storage(&mut self, buf: &Name, scalar: Scalar, extents: &[Int], storage: Storage) {
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
        if let Storage::Shared(swizzle) = storage
            && !swizzle.is_identity()
            && literal_cells(extents).is_none_or(|cells| cells % swizzle.period() != 0)
        {
            let message = format!("{swizzle} exchanges cells of `{buf}` with others that it has not");
            self.report(Rule::Storage, message);
        }
    }

    /// A touched buffer begins with a literal that equals itself.
    pub(super) fn begins(&mut self, buf: &Name, init: &Init) {
        let equals_itself = |literal: &Literal| CmpOp::Eq.apply_values(*literal, *literal) == Some(true);
        if !matches!(init, Init::Value(Val::Lit(literal)) if equals_itself(literal)) {
            self.report(Rule::Touched, format!("the touched `{buf}` does not begin with a literal"));
        }
    }

    pub(super) fn init(&mut self, buf: &Name, scalar: Scalar, init: &Init) {
        let Init::Value(value) = init else { return };
        if self.val(value).is_some_and(|ty| ty != scalar) {
            self.report(Rule::Type, format!("`{buf}` has cells of type {scalar}, not `{value}`"));
        }
        if value.touches_memory() {
            self.report(Rule::Init, format!("the initial value `{value}` of `{buf}` reads a buffer"));
        }
    }

    pub(super) fn reset(&mut self, buf: &Name, init: &Init) {
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
            let message = format!("`{buf}` is reset by every iteration of the concurrent loop over `{var}`");
            self.report(Rule::Race, message);
        }
    }

    pub(super) fn forget(&mut self, buf: &Name, ends: [&Int; 2]) {
        ends.into_iter().for_each(|end| self.int(end));
        let Some(buffer) = self.buffer(buf) else { return };
        if !matches!(buffer.scratch, Some((storage, _)) if storage != Storage::Touched) {
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

    /// Does the statement leave what the buffer holds as it is: an input, or scratch on the heap that nothing
    /// in it stores to?
    pub(super) fn is_kept(&self, buf: &Name, body: &Stmt) -> bool {
        let Some(buffer) = self.buffers.iter().find(|b| b.name == *buf) else { return false };
        let Some((Storage::Heap, _)) = buffer.scratch else { return buffer.access == Some(Access::Read) };
        let mut is_kept = !body.stores_to(buf.as_str());
        body.for_each(&mut |stmt| match stmt {
            Stmt::Reset { buf: other, .. } | Stmt::Forget { buf: other, .. } => is_kept &= other != buf,
            _ => {}
        });
        is_kept
    }

    pub(super) fn prefetch(&mut self, buf: &Name, index: &Int) {
        let Some(buffer) = self.buffer(buf) else { return };
        if matches!(buffer.access, None | Some(Access::Append)) {
            self.report(Rule::Access, format!("`{buf}` is scratch, or grows, and is not prefetched"));
        }
        self.cell(&buffer, index);
    }

    pub(super) fn store(&mut self, buf: &Name, index: &Int, value: &Val, mode: &StoreMode) {
        let value_type = self.val(value);
        let Some(buffer) = self.buffer(buf) else { return };
        self.not_an_input(&buffer);
        self.only_pushed(&buffer, "stored to");
        self.cell(&buffer, index);
        if matches!(buffer.scratch, Some((Storage::Touched, _)))
            && (self.vector_loops > 0 || !self.shared_with(buf).is_empty())
        {
            let message = format!("iterations of a concurrent loop touch `{buf}`, which is from outside");
            self.report(Rule::Touched, message);
        }
        if value_type.is_some_and(|ty| ty != buffer.scalar) {
            let message = format!("`{buf}` has cells of type {}, not `{value}`", buffer.scalar);
            self.report(Rule::Type, message);
        }
        match mode {
            StoreMode::Set => {}
            StoreMode::Replace => self.only_set(&buffer, "replaced"),
            StoreMode::Reduce(_) => self.only_set(&buffer, "combined"),
        }
        if let (StoreMode::Replace, Some((Storage::Touched, _))) = (mode, &buffer.scratch) {
            self.report(Rule::Touched, format!("a cell of `{buf}` is replaced, and its touch is on record"));
        }
        if let StoreMode::Reduce(op) = mode
            && !op.bin_op().accepts(buffer.scalar)
        {
            self.report(Rule::Type, format!("`{buf}`, of type {}, has no such reduction", buffer.scalar));
        }
        self.store_race(buf, index);
    }

    pub(super) fn push(&mut self, buf: &Name, value: &Val) {
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

    pub(super) fn not_an_input(&mut self, buffer: &Buffer) {
        if buffer.access == Some(Access::Read) {
            self.report(Rule::Access, format!("`{}` is an input and is not stored to", buffer.name));
        }
    }

    /// What is done here is not done to an output that grows.
    pub(super) fn only_pushed(&mut self, buffer: &Buffer, done: &str) {
        if buffer.access == Some(Access::Append) {
            let message = format!("`{}`, which grows, is {done}, not only pushed to", buffer.name);
            self.report(Rule::Append, message);
        }
    }

    /// What is done here is not done to a streamed output, nor to one over an input.
    pub(super) fn only_set(&mut self, buffer: &Buffer, done: &str) {
        if let Some(over) = &buffer.over {
            let message = format!("`{}`, which is over `{over}`, is {done}, not only set", buffer.name);
            self.report(Rule::Over, message);
        }
        if buffer.access == Some(Access::Stream) {
            self.report(
                Rule::Stream,
                format!("the streamed output `{}` is {done}, not only set", buffer.name),
            );
        }
    }
}
