//! `complement(L[, M])`: the layout that fills what `L` leaves out, up to `M`.
//!
//! **Definition.** Sort the modes that contribute by stride; each gap between one's end and the next one's stride is a mode, and
//! what is left up to `M` is the last. `M` is the cosize of `L` if it is left out.
//! **Laws.** No sum of a value of `L` and a value of the complement is reached twice, and the complement increases. The sums fill a
//! range without gaps if each stride is a multiple of the end before it; a remark says where it is not.
//! **Fails when.** A mode begins before the one below it ends, or a stride is negative.
//! **Example.** `complement(4:2, 24)` is `(2,3):(1,8)`
//! **See also.** `logical_divide`, `logical_product`

use super::coalesce::coalesce;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};

pub(super) const FUNCTION: Function = Function {
    name: "complement",
    aliases: &[],
    parameters: Parameters { names: "L, M", optional: 1 },
    summary: "the layout that fills what L leaves out",
    apply: |args, notes| {
        let layout = args.layout(0)?;
        let target = match args.value(1) {
            None => layout.cosize(),
            Some(_) => args.shape(1)?.size()?,
        };
        let (complement, gaps) = complement(&layout, target)?;
        notes.extend(gaps.map(|gap| format!("the complement leaves gaps: {gap}")));
        Ok(complement.into())
    },
};

/// The complement below a target, and where layout and complement leave gaps.
///
/// # Errors
/// Two modes overlap, or a stride is negative.
pub fn complement(layout: &Layout, target: i64) -> Result<(Layout, Option<String>)> {
    let mut live = layout.live();
    if target < 1 {
        return Err(
            Refusal::new(Kind::Range, format!("a complement up to {target}")).note("it reaches at least 1")
        );
    }
    if let Some((n, d)) = live.iter().find(|(_, d)| *d < 0) {
        return Err(Refusal::new(Kind::Overlap, format!("{layout} has no complement"))
            .note(format!("the stride of its mode {n}:{d} is negative, and a complement counts from 0 up")));
    }
    live.sort_by_key(|(n, d)| (*d, *n));
    let (mut end, mut modes, mut gap) = (1_i64, Vec::new(), None);
    let mut below: Option<(i64, i64)> = None;
    for (n, d) in live {
        if d < end {
            let under = below.map_or_else(String::new, |(n, d)| format!(" of its mode {n}:{d}"));
            return Err(Refusal::new(Kind::Overlap, format!("{layout} has no complement"))
                .note(format!("its mode {n}:{d} begins at {d}, before the end {end}{under}")));
        }
        if d % end != 0 && gap.is_none() {
            gap =
                Some(format!("the stride of {n}:{d} is no multiple of {end}, where the modes below it end"));
        }
        modes.push((d / end, end));
        // Below twice the bound on values.
        end = n * d;
        below = Some((n, d));
    }
    let rest = target / end + i64::from(target % end != 0);
    modes.push((rest, if rest > 1 { end } else { 0 }));
    Ok((coalesce(&Layout::flat(modes)?)?, gap))
}
