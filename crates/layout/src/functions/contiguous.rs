//! `contiguous(L)`: a bijection onto its size.
//!
//! **Definition.** Are the values `0 .. size(L)`, each once, in whatever order?
//! **Laws.** Then `right_inverse(L)` is the inverse on both sides. It is decided without a table.
//! **Fails when.** Never.
//! **Example.** `contiguous((4,8):(8,1))` is `true`; `contiguous((4,8):(1,5))` is `false`
//! **See also.** `surjective`, `injective`

use super::surjective::missing;
use super::{Function, Parameters};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "contiguous",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "a bijection onto its size",
    apply: |args, notes| {
        let layout = args.layout(0)?;
        // As many values as indices: onto means one to one.
        let missing = missing(&layout, layout.size());
        notes.extend(missing.clone());
        Ok(Value::Bool(missing.is_none()))
    },
};
