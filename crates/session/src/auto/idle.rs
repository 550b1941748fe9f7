//! The steps of a script that ask for vectors and get none: a script that is chosen leaves them out.

use crate::scheduled::Lowered;
use atl_annotations::Annotation;
use atl_diag::Span;
use atl_loops::passes::{Left, left_as_loops};

/// Where they stand.
pub(super) fn idle(lowered: &Lowered) -> Vec<Span> {
    let mut found = Vec::new();
    for Left { var, body, .. } in left_as_loops(&lowered.kernel) {
        let asks = |request| {
            lowered.annotations.get(request).filter(|request| request.annotation == Annotation::Vectorize)
        };
        for marked in lowered.marked.iter().filter(|marked| marked.var.original() == var.original()) {
            let is_its = marked.within.as_ref().is_none_or(|buf| body.stored().contains(&buf));
            found.extend(asks(marked.request).filter(|_| is_its).map(|request| request.span));
        }
    }
    found
}
