//! Parallel loops that run in order where they have few iterations.

use crate::cx::LowerCx;
use crate::error::LowerError;
use crate::loop_around::branch;
use atl_annotations::{Annotation, Role};
use atl_kernel::{Ix, Label, LoopKind, Pred};
use atl_loops::Stmt;

/// The loop over `n` iterations that is made of a label; where the label has a threshold, one in parallel for
/// that many or more, and one in order.
pub(crate) fn by_threshold(
    cx: &mut LowerCx<'_>,
    label: &Label,
    n: &Ix,
    make: impl Fn(&mut LowerCx<'_>, &Label) -> Result<Stmt, LowerError>,
) -> Result<Stmt, LowerError> {
    let least = |one: &Annotation| match one {
        Annotation::Threshold(least) if label.kind == LoopKind::Parallel => Some(*least),
        _ => None,
    };
    let Some((_, least)) = cx.asked(label, Role::Itself, least) else { return make(cx, label) };
    let many = Pred::le(Ix::Lit(i64::from(least)), n.clone());
    let cond = cx.translate_pred(&many)?;
    let parallel = cx.within_branch(many.clone(), &cond, |cx| make(cx, label))?;
    let serial = Label { kind: LoopKind::Serial, ..label.clone() };
    let few = cond.clone().negate();
    let in_order = cx.within_branch(Pred::not(many), &few, |cx| make(cx, &serial))?;
    Ok(branch(cond, parallel, in_order))
}
