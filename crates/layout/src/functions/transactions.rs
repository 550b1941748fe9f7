//! `transactions(L, bytes[, vector])`: how many sectors a request touches.
//!
//! **Definition.** `L` maps (thread, value) to the place of an entry in global memory. The worst number of
//! sectors of 32 bytes that one request of 32 threads touches, each with `vector` neighbouring values. A remark
//! says how many it would be at best.
//! **Laws.** The access is coalesced if it is the best number.
//! **Fails when.** A place is negative, or there are more than 2^20.
//! **Example.** `transactions(32:1, 4)` is `4`; `transactions(32:8, 4)` is `32`;
//! `transactions((32,4):(4,1), 4, 4)` is `16`
//! **See also.** `bank_conflicts`, `vector_width`

use super::{Function, Parameters};
use crate::access::{Access, Request};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "transactions",
    aliases: &["coalescing"],
    parameters: Parameters { names: "L, bytes, vector", optional: 1 },
    summary: "how many sectors a request touches",
    apply: |args, notes| {
        let access = Access::try_new(&args.composed(0)?, args.positive_or(1, 4)?, args.positive_or(2, 1)?)?;
        let (sectors, _) = access.worst(Request::Sectors);
        notes.push(format!("at best {}", access.fewest_sectors()));
        Ok(Value::int(sectors))
    },
};
