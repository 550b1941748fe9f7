//! Which numbers a loop over vectors stores and loads: their types say how many lanes there is room for.

use crate::vector_operations::is_computed;
use crate::{Name, Scalar, Stmt, Val};
use std::collections::BTreeMap;

/// The type of the narrowest numbers that lanes load or store.
pub(crate) fn narrowest(types: &BTreeMap<Name, Scalar>, var: &Name, body: &Stmt) -> Option<Scalar> {
    let mut found: Vec<Scalar> = Vec::new();
    body.for_each(&mut |stmt| {
        let Stmt::Store { buf, value, .. } = stmt else { return };
        found.extend(types.get(buf));
        value.for_each(&mut |part| match part {
            Val::Load { buf, index } if index.mentions(var) => found.extend(types.get(buf)),
            _ => {}
        });
    });
    found.into_iter().filter(|scalar| is_computed(*scalar)).min_by_key(|scalar| scalar.size())
}

/// The type of what is stored first.
pub(crate) fn first_stored(types: &BTreeMap<Name, Scalar>, body: &Stmt) -> Option<Scalar> {
    body.stored().first().and_then(|buf| types.get(*buf).copied())
}
