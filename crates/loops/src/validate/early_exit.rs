//! Loops with an early exit: the skipped iterations would change nothing.

use super::{Rule, Validator};
use crate::{Name, ReduceOp, Scalar, Stmt, Storage, StoreMode};
use std::collections::BTreeSet;

impl Validator {
    /// A loop over `var` that is left once `buf` holds true.
    pub(super) fn unless(&mut self, var: &Name, buf: &Name) {
        let Some(register) = self.buffer(buf) else { return };
        let is_register = matches!(register.scratch, Some((Storage::Register, _)));
        if !is_register || register.cells != Some(1) || register.scalar != Scalar::Bool {
            let message = format!(
                "the loop over `{var}` cannot be left by `{buf}`: it is no register of one truth value"
            );
            self.report(Rule::Unless, message);
        }
        if self.vector_loops > 0 {
            self.report(Rule::Unless, format!("the loop over `{var}` is left by single lanes of a vector"));
        }
    }

    /// A loop over `var` that exits once `buf` holds its absorbing value.
    pub(super) fn early_exit(&mut self, var: &Name, buf: &Name, body: &Stmt) {
        let Some(register) = self.buffer(buf) else { return };
        let mut object = |why: &str| {
            self.report(Rule::EarlyExit, format!("the loop over `{var}` cannot end by `{buf}`: {why}"));
        };
        if !matches!(register.scratch, Some((Storage::Register, _))) || register.cells != Some(1) {
            object("it is no register of one cell");
        }
        let mut own = BTreeSet::new();
        body.for_each(&mut |stmt| {
            if let Stmt::Alloc { buf, .. } = stmt {
                own.insert(buf);
            }
        });
        if body.written().into_iter().any(|written| written != buf && !own.contains(written)) {
            object("the body stores to another buffer");
        }
        if body.reads(buf) {
            object("the body reads it");
        }
        let mut ops: Vec<Option<ReduceOp>> = Vec::new();
        body.for_each(&mut |stmt| match stmt {
            Stmt::Store { buf: stored, mode, .. } if stored == buf => ops.push(match mode {
                StoreMode::Set | StoreMode::Replace => None,
                StoreMode::Reduce(op) => Some(*op),
            }),
            Stmt::Reset { buf: stored, .. } | Stmt::Forget { buf: stored, .. } if stored == buf => {
                ops.push(None)
            }
            _ => {}
        });
        match ops.as_slice() {
            [Some(op), rest @ ..] if rest.iter().all(|other| *other == Some(*op)) => {
                if op.end(register.scalar).is_none() {
                    object("its reduction has no absorbing value");
                }
            }
            _ => object("the body does not combine values into it by one operation"),
        }
    }
}
