//! Conversion at every place, operands before what they stand in, until nothing changes.
//!
//! **The one idea.** What a step has made may be converted again, and so may everything below it. But
//! most steps of a long derivation move two nodes past each other, as in
//! `sum i { sum p { e } } = sum p { sum i { e } }`: `e` is as it was, in a context of the same entries, and
//! nothing changes there. So a conversion names the nodes of its result that may change ([`Again`]), and only
//! these are visited. Otherwise a loop that goes inward step by step would visit everything that it moves
//! past once for each step.
//!
//! What it does not do: show that the rest does not change. What a conversion leaves out stays as it is.

use crate::cx::{Chain, Convert, Cx, Step};
use atl_kernel::{Child, Expr, Result, Thm};

/// What of a step's result may be converted again, before its root is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Again {
    /// Everything below.
    All,
    /// These children, in order, each after this much below it.
    At(&'static [(Child, Again)]),
}

impl Again {
    /// Nothing below the root.
    pub(crate) const ROOT: Again = Again::At(&[]);
    /// The root's body and nothing below that.
    pub(crate) const BODY: Again = Again::At(&[(Child::Body, Again::ROOT)]);
    /// The root's body, the body of that, and nothing below.
    pub(crate) const BODIES: Again = Again::At(&[(Child::Body, Again::BODY)]);
    /// Everything in the second operand of the root's body, and that body.
    pub(crate) const RIGHT_OF_BODY: Again =
        Again::At(&[(Child::Body, Again::At(&[(Child::Arg(1), Again::All)]))]);
    /// Everything in the first operand of the root's body, and that body.
    pub(crate) const LEFT_OF_BODY: Again =
        Again::At(&[(Child::Body, Again::At(&[(Child::Arg(0), Again::All)]))]);
}

/// A step, and what of its result may be converted again.
pub(crate) type Moved = Result<Option<(Thm, Again)>>;

/// A conversion that says so.
pub(crate) type Move<'c> = &'c mut dyn FnMut(&mut Cx<'_>, &Expr) -> Moved;

/// Convert at every place. A refusal at a place means that the place is left alone.
pub(crate) fn settle(cx: &mut Cx<'_>, e: &Expr, convert: Move<'_>) -> Step {
    again(cx, e, Again::All, convert)
}

/// The same for a conversion that does not say what may be converted again.
pub(crate) fn settle_all(cx: &mut Cx<'_>, e: &Expr, convert: Convert<'_>) -> Step {
    settle(cx, e, &mut |cx, e| Ok(convert(cx, e)?.map(|thm| (thm, Again::All))))
}

/// Convert so much below, and then the root.
fn again(cx: &mut Cx<'_>, e: &Expr, which: Again, convert: Move<'_>) -> Step {
    let mut chain = Chain::of(e);
    chain.push(below(cx, e, which, convert)?)?;
    while let Ok(Some((step, which))) = convert(cx, &chain.now().clone()) {
        chain.push(cx.then(step, |cx, e| below(cx, e, which, convert))?)?;
    }
    Ok(chain.done())
}

fn below(cx: &mut Cx<'_>, e: &Expr, which: Again, convert: Move<'_>) -> Step {
    let mut chain = Chain::of(e);
    match which {
        Again::All => {
            for at in e.children() {
                chain.apply(cx, |cx, e| child(cx, e, at, Again::All, convert))?;
            }
        }
        Again::At(children) => {
            for (at, which) in children {
                chain.apply(cx, |cx, e| child(cx, e, *at, *which, convert))?;
            }
        }
    }
    Ok(chain.done())
}

/// A child; where a type that is spelt otherwise inside is not known outside, only steps that leave types
/// as they are (see [`Cx::walk_at`]).
fn child(cx: &mut Cx<'_>, e: &Expr, at: Child, which: Again, convert: Move<'_>) -> Step {
    cx.child(e, at, |cx, e| again(cx, e, which, convert)).or_else(|_| {
        cx.child(e, at, |cx, e| {
            again(cx, e, which, &mut |cx, e| {
                let Some((thm, which)) = convert(cx, e)? else { return Ok(None) };
                Ok(cx.is_spelt_alike(&thm)?.then_some((thm, which)))
            })
        })
    })
}
