//! `group(L, begin, end)`: neighbouring modes as one.
//!
//! **Definition.** The modes from `begin` up to, not including, `end` become one mode.
//! **Laws.** The same function of an index.
//! **Fails when.** The modes are not there.
//! **Example.** `group((2,3,4):(1,2,6), 0, 2)` is `((2,3),4):((1,2),6)`
//! **See also.** `flatten`, `get`

use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::shifted::within;
use crate::stride::Stride;

pub(super) const FUNCTION: Function = Function {
    name: "group",
    aliases: &[],
    parameters: Parameters { names: "L, begin, end", optional: 0 },
    summary: "neighbouring modes as one",
    apply: |args, _| {
        let (begin, end) = (args.int(1)?, args.int(2)?);
        Ok(within!(args.domain(0)?, a => group(&a, begin, end)?))
    },
};

/// The layout with the modes `begin..end` as one.
///
/// # Errors
/// There are no such modes.
pub fn group<D: Stride>(layout: &Layout<D>, begin: i64, end: i64) -> Result<Layout<D>> {
    let rank = layout.rank() as i64;
    if !(0 <= begin && begin <= end && end <= rank) {
        return Err(Refusal::new(Kind::Trees, format!("{layout} has no modes {begin} to {end}"))
            .note(format!("it has {rank} modes, numbered from 0")));
    }
    let (begin, count) = (begin as usize, (end - begin) as usize);
    let mut modes: Vec<Layout<D>> = layout.modes().collect();
    let inner = Layout::concat(modes.splice(begin..begin + count, []).collect::<Vec<_>>())?;
    modes.insert(begin, inner);
    Layout::concat(modes)
}
