//! Whether a call would accept arguments, for those who make arguments up: a refusal by what to change.

use super::binding::bind;
use super::{Bound, Compiled, Named, integers};
use std::sync::Arc;

/// Why arguments are refused.
#[derive(Debug)]
pub(crate) enum Refused {
    /// A requirement on arrays does not hold.
    Unmet,
    /// With what the arrays hold index arithmetic leaves 64 bits.
    OutOfRange,
    /// Something else, in words.
    Otherwise(String),
}

impl Compiled {
    /// Would [`Compiled::bind`] accept the arguments?
    pub(crate) fn accepts(&self, arguments: &[Named<'_>], sizes: &[(&str, i64)]) -> Result<(), Refused> {
        let fitting = bind(&self.function, arguments, sizes);
        let fitting = fitting.map_err(|d| Refused::Otherwise(d.message.clone()))?;
        let arrays = integers(&self.kernel, &fitting.inputs);
        if self.kernel.unmet(&fitting.sizes, &arrays).is_some() {
            return Err(Refused::Unmet);
        }
        let bound = self.bind(arguments, sizes);
        let is_bound = |bound: Bound<'_>| Arc::ptr_eq(&bound.kernel, &self.kernel);
        if bound.is_ok_and(is_bound) { Ok(()) } else { Err(Refused::OutOfRange) }
    }
}
