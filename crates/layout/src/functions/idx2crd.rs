//! `idx2crd(S, i)`: the digits of an index.
//!
//! **Definition.** The digits of an index in a shape, the left mode fastest; every digit is reduced, the last
//! one too.
//! **Laws.** `crd2idx(L, idx2crd(L, i)) = L(i)` for indices below the size; past it, the index wraps.
//! **Fails when.** The index is negative.
//! **Example.** `idx2crd((4,(2,3)), 23)` is `(3,(1,2))`
//! **See also.** `crd2idx`

use super::{Function, Parameters};
use crate::refusal::{Kind, Refusal, Result};
use crate::tree::{Shape, Tree};

pub(super) const FUNCTION: Function = Function {
    name: "idx2crd",
    aliases: &[],
    parameters: Parameters { names: "S, i", optional: 0 },
    summary: "the digits of an index",
    apply: |args, _| Ok(idx2crd(&args.shape(0)?, args.int(1)?)?.into()),
};

/// The coordinate of an index.
///
/// # Errors
/// The index is negative.
pub fn idx2crd(shape: &Shape, index: i64) -> Result<Tree<i64>> {
    if index < 0 {
        return Err(Refusal::new(Kind::Range, format!("the index {index} is negative")));
    }
    let mut rest = index;
    Ok(shape.map(&mut |n| {
        let digit = rest % n;
        rest /= n;
        digit
    }))
}
