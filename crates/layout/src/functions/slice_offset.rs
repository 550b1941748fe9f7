//! `slice_offset(L, c)`: what the fixed parts of a coordinate add.
//!
//! **Definition.** The sum of what the fixed parts of a coordinate contribute.
//! **Laws.** `L(c) = slice_offset(L, c) + slice(L, c)(open part)`.
//! **Fails when.** As `slice`.
//! **Example.** `slice_offset((4,(2,3)):(1,(4,8)), (2,(_,1)))` is `10`
//! **See also.** `slice`, `crd2idx`

use super::{Function, Parameters};
use crate::coordinate::offset;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "slice_offset",
    aliases: &[],
    parameters: Parameters { names: "L, c", optional: 0 },
    summary: "what the fixed parts of a coordinate add",
    apply: |args, _| Ok(Value::int(offset(&args.layout(0)?, &args.open(1)?)?)),
};
