//! Refusals of an argument that is of another type than its parameter, dense or sparse.

use atl_diag::{Diagnostic, Span, err};
use atl_runtime::DType;

/// The refusal of an argument with elements of another type.
pub(crate) fn other_elements((name, span): (&str, Span), found: DType, wanted: DType) -> Box<Diagnostic> {
    Box::new(
        err!(E0505, span, "the argument `{name}` has elements of type {found}, and the parameter {wanted}")
            .label("declared here")
            .help("convert the data, or change the parameter's type"),
    )
}

/// The refusal of an argument with another number of dimensions.
pub(crate) fn other_rank((name, span): (&str, Span), found: &[usize], rank: usize) -> Box<Diagnostic> {
    Box::new(
        err!(E0503, span, "the argument `{name}` has {} dimensions, and the parameter {rank}", found.len())
            .label("declared here")
            .note(format!("its shape is {found:?}"))
            .help("reshape the data, or change the parameter's type"),
    )
}
