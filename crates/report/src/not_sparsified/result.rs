//! A result in a format that is put in order by looking at all of its places, though a schedule says
//! `sparsify`.

use crate::performance_warnings::Warned;
use atl_diag::{Diagnostic, warning};
use atl_lower::{Places, Scanned};

impl Warned<'_> {
    /// A warning where entries come in another order than the result stores them, and all places of a part
    /// are looked at to find them.
    pub(crate) fn scanned_results(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let first = self.sparsified.and_then(|span| Some((span, self.scanned.first()?)));
        first.into_iter().map(|(span, Scanned { within, dimensions, what, exchange })| {
            let (places, kept) = match what {
                Places::Rows => ("row", format!("are counted and sorted by the first of the last {dimensions} dimensions")),
                Places::Elements => ("element", format!("are added up in an array of all elements of the last {dimensions} dimensions")),
            };
            let again = match within.as_slice() {
                [] => String::new(),
                [one] => format!(" for every `{one}`"),
                [.., last] => format!(" for every `{last}` and what is around it"),
            };
            let remark = warning!(E0419, span, "every {places} of the result is looked at{again}, also those where nothing is stored")
                .note(format!("because entries do not come in the order in which the result stores them, and {kept}"));
            let remark = match exchange {
                Some((row, sum)) => remark.help(format!(
                    "`reorder {row}, {sum}` after `sparsify` may bring them into that order"
                )),
                None => remark,
            };
            remark.help(format!(
                "a result of which the last {dimensions} dimensions are one needs no such pass: `flatten` them, and declare the result so"
            ))
        })
    }
}
