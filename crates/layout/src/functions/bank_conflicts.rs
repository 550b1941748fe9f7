//! `bank_conflicts(L, bytes[, vector])`: how often one bank is accessed at once.
//!
//! **Definition.** `L` maps (thread, value) to the place of an entry in shared memory. 32 threads a request,
//! each `vector` neighbouring values; the hardware serves 128 bytes at a time. The worst number of different
//! words that one of the 32 banks of 4 bytes must deliver at once.
//! **Laws.** 1 means free of conflicts; threads that ask for one word share it.
//! **Fails when.** A place is negative, or there are more than 2^20.
//! **Example.** `bank_conflicts(32:32, 4)` is `32`; `bank_conflicts(32:33, 4)` is `1`;
//! `bank_conflicts(Sw<5,0,5> o 0 o 32:32, 4)` is `1`; `bank_conflicts((8,8):(64,1), 2, 8)` is `8`
//! **See also.** `transactions`, `vector_width`, `tilings`

use super::{Function, Parameters};
use crate::access::{Access, Request};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "bank_conflicts",
    aliases: &[],
    parameters: Parameters { names: "L, bytes, vector", optional: 1 },
    summary: "how often one bank is accessed at once",
    apply: |args, notes| {
        let access = Access::try_new(&args.composed(0)?, args.positive_or(1, 4)?, args.positive_or(2, 1)?)?;
        let (degree, place) = access.worst(Request::Banks);
        if degree > 1 {
            notes.push(place);
        }
        Ok(Value::int(degree))
    },
};
