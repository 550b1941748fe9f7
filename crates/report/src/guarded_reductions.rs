//! Register tiles whose reduction tests in every iteration whether the tile overhangs.
//!
//! The test around the addend costs more than the additions that it skips, and the result does not show it:
//! the tile is correct, and several times slower than a full tile.

use atl_loops::{Bool, Kernel, LoopKind, Name, Stmt, Storage, StoreMode};

/// The buffers of several cells in registers that are added to under a test which the loop around it does not
/// change, and that test, or none where there is no such test.
pub(crate) fn guarded_reductions(kernel: &Kernel) -> Vec<(Name, Option<Bool>)> {
    let mut found = Vec::new();
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, storage: Storage::Register, extents, body, .. } = stmt
            && !extents.is_empty()
            && adds_to(body, buf)
        {
            found.push((buf.clone(), test_in_a_loop(body, buf).cloned()));
        }
    });
    found
}

/// The first test, in a loop that it says nothing of, around what is added to the buffer.
fn test_in_a_loop<'s>(stmt: &'s Stmt, buf: &Name) -> Option<&'s Bool> {
    let mut found = None;
    stmt.for_each(&mut |stmt| {
        if let Stmt::For { var, kind: LoopKind::Serial | LoopKind::Unroll, body, .. } = stmt {
            body.for_each(&mut |inner| {
                if let Stmt::If { cond, then, otherwise: None } = inner
                    && found.is_none()
                    && is_about_sizes(cond, var)
                    && adds_to(then, buf)
                {
                    found = Some(cond);
                }
            });
        }
    });
    found
}

/// Does it read nothing and leave out the variable?
fn is_about_sizes(cond: &Bool, var: &Name) -> bool {
    let mut other = false;
    cond.for_each_var(&mut |v| other |= v == var);
    cond.for_each_read(&mut |_, _| other = true);
    !other
}

fn adds_to(stmt: &Stmt, buf: &Name) -> bool {
    let mut found = false;
    stmt.for_each(&mut |stmt| {
        found |= matches!(stmt, Stmt::Store { buf: to, mode: StoreMode::Reduce(_), .. } if to == buf);
    });
    found
}
