//! Loops that search: a sum marked so, of terms under an equation `key(q) == sought` whose key never falls.
//! Where it strictly grows, one place is looked for, else a run of them.
//!
//! What lowering relies on it shows itself, once more than the check: that the key grows, and that key and
//! sought can be read wherever there is a `q`. If it cannot, the sum is a loop like any other, which means
//! the same.
//!
//! **Fingers.** `sought` depends on the loops around. Of those that it mentions, let `p` be the innermost. If
//! `sought` never falls along `p`, and the key and its range stay the same there, a search goes on where the
//! last one stood; one for a run, behind it, if `sought` strictly grows and nothing between `p` and the
//! search looks for the same run again.
//!
//! **Meetings.** Where one place is looked for and `sought` strictly grows along `p`, both are walked
//! together, by the strategy of the schedule. If there are searches between, three or more sequences may be
//! walked together: then the range and the key of this one can be read where `p` is, whether those between
//! find anything or not.

use crate::cx::{EnclosingLoop, LowerCx};
use crate::error::LowerError;
use atl_arith::keys::{Equation, Growth, equations, grows};
use atl_kernel::subst::Subst;
use atl_kernel::{Ix, Label, Pred};
use atl_loops::search::How;
use atl_loops::{Bool, Int, LoopKind};

/// What a search looks for, and how.
pub(crate) struct Head {
    pub(crate) key: Int,
    pub(crate) sought: Int,
    pub(crate) rest: Option<Bool>,
    pub(crate) how: How,
}

/// How a loop over the variable at this level searches. The innermost loop of the scope is that loop.
pub(crate) fn search(cx: &mut LowerCx<'_>, level: u32, p: &Pred) -> Result<Option<Head>, LowerError> {
    for equation in equations(p, level) {
        let Equation { key, sought, rest } = &equation;
        if ![key, sought].into_iter().all(|side| cx.reads_inputs(side) && cx.is_there(side)) {
            continue;
        }
        let Some(this) = cx.loops.last().cloned() else { continue };
        if !cx.reads_inputs(&this.extent) {
            continue;
        }
        let all = !proves_growth(cx, &this, key, Growth::Strict);
        if all && !proves_growth(cx, &this, key, Growth::Weak) {
            continue;
        }
        let var = &this.name;
        let (own_key, own_sought) = (cx.translate_ix(key)?, cx.translate_ix(sought)?);
        // Simpler terms may mention it where these do not.
        if !own_key.mentions(var) || own_sought.mentions(var) {
            continue;
        }
        let along = along(cx, &this, &equation, if all { Growth::Strict } else { Growth::Weak });
        let strategy = match &along {
            Some((p, true))
                if !all
                    && proves_growth(cx, p, sought, Growth::Strict)
                    && can_be_read_along(cx, p, &this, key) =>
            {
                cx.coiteration.factors
            }
            _ => None,
        };
        let how = How { all, along: along.map(|(p, _)| p.name), strategy };
        let rest = match rest.iter().cloned().reduce(Pred::and) {
            None => None,
            Some(rest) => {
                let equal = Pred::eq(key.clone(), sought.clone());
                Some(cx.assuming(equal, |cx| cx.translate_pred(&rest))?)
                    .filter(|rest| *rest != Bool::Lit(true))
            }
        };
        return Ok(Some(Head { key: own_key, sought: own_sought, rest, how }));
    }
    Ok(None)
}

/// The loop along which the search goes on, if what is sought grows like this there, and whether nothing
/// between the two looks for the same again.
fn along(
    cx: &mut LowerCx<'_>,
    this: &EnclosingLoop,
    equation: &Equation,
    growth: Growth,
) -> Option<(EnclosingLoop, bool)> {
    let (_, around) = cx.loops.split_last()?;
    let outer = around.iter().rposition(|l| equation.sought.mentions(l.level))?;
    let (p, between) = (around[outer].clone(), around[outer..].to_vec());
    let in_order = |kind: &LoopKind| matches!(kind, LoopKind::Serial | LoopKind::Unroll);
    let is_fixed = |l: &EnclosingLoop| {
        !equation.key.mentions(l.level) && !this.extent.mentions(l.level) && in_order(&l.kind)
    };
    let is_once = |l: &EnclosingLoop| l.search.as_ref().is_some_and(|how| !how.all);
    let once = between[1..].iter().all(is_once);
    let goes_on = (once || growth == Growth::Weak) && between.iter().all(is_fixed);
    (goes_on && proves_growth(cx, &p, &equation.sought, growth)).then_some((p, once))
}

/// Can the range of a search and its key be read where the loop `p` is, without what the searches between
/// know? Right inside of `p` there are none.
fn can_be_read_along(cx: &mut LowerCx<'_>, p: &EnclosingLoop, this: &EnclosingLoop, key: &Ix) -> bool {
    if cx.loops.iter().rev().nth(1).is_some_and(|around| around.level == p.level) {
        return true;
    }
    let (level, extent) = (this.level, &this.extent);
    cx.outside(p.level, |cx| {
        let is_there = cx.is_there(extent);
        let place = Ix::free(cx.ctx.push_loop(Label::new("q"), extent));
        is_there && cx.is_there(&Subst { index: vec![(level, place)], ..Subst::default() }.ix(key))
    })
}

/// Does a term grow with the variable of a loop? What is known inside of that loop is not used.
fn proves_growth(cx: &mut LowerCx<'_>, of: &EnclosingLoop, term: &Ix, growth: Growth) -> bool {
    let mut outside = cx.ctx.clone();
    outside.truncate(of.level);
    let (there, goal) = grows(&outside, (of.level, term), &of.extent, growth);
    cx.proves_there(there, &goal)
}
