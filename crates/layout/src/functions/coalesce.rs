//! `coalesce(L[, profile])`: the least modes with the same values.
//!
//! **Definition.** Flatten, leave out modes of extent 1, and join neighbours `a:d, b:(a*d)` to `(a*b):d` until there are none. Nothing
//! left is `1:0`. With a profile, each of its leaves denotes a mode that is coalesced alone; modes beyond it stay.
//! **Laws.** `coalesce(L)(i) = L(i)` below the size; idempotent; two layouts of one size have the same values exactly if they
//! coalesce to the same layout, so it is the canonical form of a function.
//! **Fails when.** The profile has more modes than the layout.
//! **Example.** `coalesce((2,(1,6)):(1,(6,2)))` is `12:1`;
//! `coalesce(((2,4),3):((1,2),9), (1,1))` is `(8,3):(1,9)`
//! **See also.** `filter`, `recognise`, `equal`

use super::{Function, Parameters};
use crate::layout::{Layout, Mode};
use crate::refusal::{Kind, Refusal, Result};
use crate::shifted::within;
use crate::stride::Stride;
use crate::tree::Tree;

pub(super) const FUNCTION: Function = Function {
    name: "coalesce",
    aliases: &["coalesce_by"],
    parameters: Parameters { names: "L, profile", optional: 1 },
    summary: "the least modes with the same values",
    apply: |args, _| match args.value(1) {
        None => Ok(within!(args.domain(0)?, a => coalesce(&a)?)),
        Some(_) => {
            let profile = args.tuple(1)?;
            Ok(within!(args.domain(0)?, a => coalesce_by(&a, &profile)?))
        }
    },
};

/// What becomes of a last mode of extent 1.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// It is left out: the values below the size stay.
    Drop,
    /// It stays: the values past the size stay too.
    Keep,
}

/// Joins neighbours.
pub(crate) fn merge<D: Stride>(modes: Vec<Mode<D>>, tail: Tail) -> Vec<Mode<D>> {
    let last = modes.len().wrapping_sub(1);
    let mut merged: Vec<Mode<D>> = Vec::new();
    for (k, (n, d)) in modes.into_iter().enumerate() {
        if n == 1 && !(k == last && tail == Tail::Keep) {
            continue;
        }
        match merged.last_mut() {
            // A product that is too large is no stride.
            Some((before, step)) if step.times(*before).is_ok_and(|next| next == d) => *before *= n,
            _ => merged.push((n, d)),
        }
    }
    merged
}

/// The canonical form.
///
/// # Errors
/// None that a layout causes.
pub fn coalesce<D: Stride>(layout: &Layout<D>) -> Result<Layout<D>> {
    Layout::flat(merge(layout.flatten(), Tail::Drop))
}

/// The same, mode by mode.
///
/// # Errors
/// The profile is longer than the layout.
pub fn coalesce_by<D: Stride>(layout: &Layout<D>, profile: &Tree<i64>) -> Result<Layout<D>> {
    let Tree::Node(flags) = profile else { return coalesce(layout) };
    if flags.len() > layout.rank() {
        return Err(Refusal::new(Kind::Trees, format!("{layout} has no {} modes", flags.len()))
            .note(format!("the profile {profile} has one entry for each mode that is coalesced")));
    }
    let modes = layout.modes().enumerate().map(|(k, mode)| match flags.get(k) {
        Some(profile) => coalesce_by(&mode, profile),
        None => Ok(mode),
    });
    Layout::concat(modes.collect::<Result<Vec<_>>>()?)
}
