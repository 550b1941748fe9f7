//! `sequential`: the program of a device for a machine without one.
//!
//! Blocks and threads are iterations of loops, which may be run in any order, so also in theirs. Of the loops over blocks, the
//! outermost becomes a parallel loop; a device's shared memory becomes a place on the stack. It is no pass that tidies: it takes
//! marks away.

use crate::{Kernel, LoopKind, Share, Stmt, Storage};

/// Makes loops of the machine's own of loops over blocks and threads.
pub fn sequential(kernel: &Kernel) -> Kernel {
    Kernel { body: stmt(&kernel.body, Around::InOrder), ..kernel.clone() }
}

/// What stands around a statement.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    InOrder,
    Concurrent,
}

fn stmt(given: &Stmt, around: Around) -> Stmt {
    let inside = match given {
        Stmt::For { kind, .. } if kind.is_concurrent() => Around::Concurrent,
        _ => around,
    };
    let mut made = given.map_parts(&mut |part| stmt(part, inside));
    match &mut made {
        Stmt::For { kind: kind @ LoopKind::Block(_), .. } if around == Around::InOrder => {
            *kind = LoopKind::Parallel(Share::Static);
        }
        Stmt::For { kind: kind @ (LoopKind::Block(_) | LoopKind::Thread(_)), .. } => *kind = LoopKind::Serial,
        Stmt::Alloc { storage: storage @ Storage::Shared(_), .. } => *storage = Storage::Stack,
        _ => {}
    }
    made
}

#[cfg(test)]
mod tests {
    use super::sequential;
    use crate::passes::tests::gives;

    #[test]
    fn the_outermost_loop_over_blocks_is_parallel() {
        gives(
            sequential,
            "kernel t(N) in f32 x[N] out f32 y[N]",
            "block(x) for i in 0..N / 8 { block(y) for k in 0..1 { alloc shared f32 s[8] uninit { \
             thread(x) for j in 0..8 { s[j] = x[i * 8 + j] } thread(x) for j in 0..8 { y[i * 8 + j] = s[j] } } } }",
            "parallel for i in 0..N / 8 { for k in 0..1 { alloc stack f32 s[8] uninit { \
             for j in 0..8 { s[j] = x[i * 8 + j] } for j in 0..8 { y[i * 8 + j] = s[j] } } } }",
        );
        gives(
            sequential,
            "kernel t(N) in f32 x[N] out f32 y[N]",
            "parallel for k in 0..N { block(x) for i in 0..1 { y[k + i] = x[k] } }",
            "parallel for k in 0..N { for i in 0..1 { y[k + i] = x[k] } }",
        );
    }
}
