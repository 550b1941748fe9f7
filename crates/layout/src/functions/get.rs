//! `get(L, k…)`: a mode.
//!
//! **Definition.** The mode `k`; with several numbers, the mode of the mode. Each mode of a layout with an offset has all of the offset.
//! **Laws.** The modes of `L` are `get(L, 0)`, `get(L, 1)`, …
//! **Fails when.** There is no such mode.
//! **Example.** `get((4,(2,3)):(1,(4,8)), 1)` is `(2,3):(4,8)`; `get((4,(2,3)):(1,(4,8)), 1, 0)` is `2:4`
//! **See also.** `slice`, `group`

use super::{Function, Parameters};
use crate::refusal::{Kind, Refusal, Result};
use crate::shifted::within;

pub(super) const FUNCTION: Function = Function {
    name: "get",
    aliases: &[],
    parameters: Parameters { names: "L, k, k, k, k", optional: 3 },
    summary: "a mode",
    apply: |args, _| {
        let path: Vec<usize> = (1..args.len())
            .map(|k| {
                let child = usize::try_from(args.int(k)?);
                child.map_err(|_| Refusal::new(Kind::Trees, "modes are numbered from 0"))
            })
            .collect::<Result<_>>()?;
        Ok(within!(args.domain(0)?, a => a.sub(&path)?))
    },
};
