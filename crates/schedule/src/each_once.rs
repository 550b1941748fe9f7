//! Does a layout do each iteration of a loop once? The three conditions on an order of a loop, and the layout
//! and the guard that they are about.
//!
//! A loop over `0 .. n` whose body stands behind a guard `p` is the loop over the indices of a layout `P`, at
//! `P(j)`, exactly if each iteration of `0 .. n` at which `p` holds is `P(j)` for one `j`, and `p` holds at
//! no other `P(j)`: *range*, *injectivity*,
//! *surjectivity*. So `P` may reach further than the loop, and less far, where the guard is false. Among
//! numbers they are decided by looking at each iteration, which also names the one that fails; with symbols
//! in it a layout has to be taken apart into modes whose strides are the products of the extents below, which
//! is injective and reaches each index, and the rest is proved.
//!
//! The theorem needs none of this: the rules that the step is made of ask for their own conditions. This says
//! why not, before.

use crate::nest::Place;
use crate::refusal::{Refusal, RefusedAt};
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{Child, Ctx, Entry, Ix, Label, Node, Pred};
use atl_lang::counterexample;
use atl_layout::functions::permutes::{Loops, failed_condition};
use atl_layout::{Layout, Tree};
use atl_ops::relayout::Mode;
use atl_rules::Cx;
use std::sync::Arc;

/// A copy of a loop.
pub(crate) struct Iterations {
    /// Where it stands.
    outside: Arc<Ctx>,
    label: Label,
    extent: Ix,
    /// Without it, an iteration does nothing; its index is at the level that follows the context.
    guard: Pred,
}

/// A layout's modes, smallest stride first, and how its indices lie to those of the loop.
#[derive(PartialEq)]
pub(crate) struct Order {
    /// The numbers of the modes.
    pub inside_out: Vec<usize>,
    /// The indices at which the loop must end, if it goes on further than the layout.
    pub shortened: Option<Ix>,
}

impl Iterations {
    /// The loops at these places.
    pub(crate) fn at(
        session: &mut Session<'_>,
        span: Span,
        places: &[Place],
    ) -> Result<Vec<Iterations>, Refusal> {
        let (mut found, body) = (Vec::new(), session.body.clone());
        for place in places {
            let entered = session.cx.at(&body, &place.path, &mut |cx, e| {
                let (Node::Gen(label, extent, _) | Node::Sum(label, extent, _)) = &**e else {
                    return Ok(None);
                };
                let outside = cx.ctx.clone();
                let (_, mut inner) = cx.enter(e, Child::Body)?;
                let mut guard = Pred::True;
                while let Node::Guard(p, guarded) = &*inner.clone() {
                    guard = if guard == Pred::True { p.clone() } else { Pred::and(guard, p.clone()) };
                    inner = guarded.clone();
                }
                found.push(Iterations { outside, label: label.clone(), extent: extent.clone(), guard });
                Ok(None)
            });
            entered.refused_at(span)?;
        }
        Ok(found)
    }

    /// How a layout of these modes goes through the loop.
    pub(crate) fn order(&self, cx: &mut Cx<'_>, span: Span, modes: &[Mode]) -> Result<Order, Refusal> {
        if let Some(why) = self.counted(modes) {
            let help = "its strides have to be the products of the extents below; where it reaches further than the loop, or less far, a \
                        guard in the loop has to be false";
            return Err(Box::new(
                err!(E0379, span, "this layout does not do each iteration once; it fails by {why}")
                    .label("this order")
                    .help(help),
            ));
        }
        let Some((inside_out, reach)) = chain(cx, modes) else {
            return Err(unproved(span, "injectivity", "no mode has the stride that the modes below reach"));
        };
        let extent = self.extent.clone();
        if cx.equal(&reach, &extent) {
            return Ok(Order { inside_out, shortened: None });
        }
        // What lies beyond the shorter of the two has to be guarded away.
        let (longer, condition, why) = if cx.proves(&Pred::le(extent.clone(), reach.clone())) {
            (&reach, "range", "it reaches further than the loop, and no guard is known to be false there")
        } else if cx.proves(&Pred::le(reach.clone(), extent.clone())) {
            (&extent, "surjectivity", "the loop goes on further, and no guard is known to be false there")
        } else {
            return Err(unproved(span, "range", "its size is not known to be the extent of the loop"));
        };
        let shorter = if *longer == reach { &extent } else { &reach };
        match self.end_before(cx, longer, shorter) {
            Ok(()) => Ok(Order { inside_out, shortened: (*longer == extent).then_some(reach) }),
            Err(at) => {
                let refusal = unproved(span, condition, why);
                Err(match at {
                    Some(at) => Box::new(refusal.note(at)),
                    None => refusal,
                })
            }
        }
    }

    /// Is each index below `from` at which the guard holds below `to`? If not, where it is not, if that is
    /// found.
    fn end_before(&self, cx: &mut Cx<'_>, from: &Ix, to: &Ix) -> Result<(), Option<String>> {
        let mut ctx = (*self.outside).clone();
        let level = ctx.push_loop(self.label.clone(), from);
        ctx.push_hyp(self.guard.clone());
        let ctx = Arc::new(ctx);
        let goal = Pred::lt(Ix::free(level), to.clone());
        if cx.within(ctx.clone()).proves(&goal) {
            return Ok(());
        }
        let at = counterexample::find(&ctx, &goal).ok_or(None)?;
        let value = |(level, value): &(u32, i64)| match ctx.entry(*level) {
            Some(Entry::Index(label)) => Some(format!("{} = {value}", label.name)),
            _ => None,
        };
        let at: Vec<String> = at.iter().filter_map(value).collect();
        Err(Some(format!("so it is for {}", at.join(", "))))
    }

    /// The condition that fails, by counting, where all sizes are numbers. A guard about which other things
    /// are asked, too, is taken to hold.
    fn counted(&self, modes: &[Mode]) -> Option<String> {
        let number = |ix: &Ix| match ix {
            Ix::Lit(n) => Some(*n),
            _ => None,
        };
        let numbers = |of: fn(&Mode) -> &Ix| -> Option<Tree<i64>> {
            let leaves: Option<Vec<_>> = modes.iter().map(|m| number(of(m)).map(Tree::Leaf)).collect();
            leaves.map(Tree::Node)
        };
        let layout = Layout::try_new(numbers(|m| &m.extent)?, numbers(|m| &m.stride)?).ok()?;
        let (own, size) = (self.outside.level(), layout.size());
        let holds =
            |i| atl_arith::eval_pred(&self.guard, &|level| (level == own).then_some(i)) != Some(false);
        let loops = Loops { outer: 0..number(&self.extent)?, inner: 0..size, holds: &holds };
        failed_condition(&layout, &loops).ok().flatten()
    }
}

/// The numbers of the modes, smallest stride first, each the product of the extents below it, and the product
/// of all.
fn chain(cx: &mut Cx<'_>, modes: &[Mode]) -> Option<(Vec<usize>, Ix)> {
    let (mut order, mut reach) = (Vec::new(), Ix::ONE);
    while order.len() < modes.len() {
        let next = (0..modes.len()).find(|k| !order.contains(k) && cx.equal(&modes[*k].stride, &reach))?;
        reach = modes[next].extent.clone() * reach;
        order.push(next);
    }
    Some((order, reach))
}

fn unproved(span: Span, condition: &str, why: &str) -> Refusal {
    Box::new(
        err!(E0379, span, "this layout is not known to do each iteration once: {condition}")
            .label(why.to_owned())
            .help("state what the sizes are after `where`, or use numbers"),
    )
}

#[cfg(test)]
mod tests {
    use super::Iterations;
    use atl_arith::Arith;
    use atl_diag::{FileId, Span};
    use atl_kernel::{Ctx, Ix, Label, Pred};
    use atl_ops::relayout::Mode;
    use atl_rules::Cx;
    use std::sync::Arc;

    /// All layouts of two modes with small extents and strides, on loops that end before them, with them and
    /// after them, with guards that end anywhere: what does each iteration once is taken apart, and
    /// everything else is refused.
    #[test]
    fn what_does_each_iteration_once_is_taken_apart() {
        let mut prover = Arith::new();
        let outside = Arc::new(Ctx::default());
        let mut cx = Cx::new(outside.clone(), &mut prover);
        let span = Span::new(FileId(0), 0, 0);
        let (mut orders, mut others) = (0, 0);
        let sizes = (2..4_i64).flat_map(|m| (2..4_i64).map(move |n| (m, n)));
        let strides = sizes.flat_map(|(m, n)| (0..49).map(move |d| (m, n, d / 7, d % 7)));
        let cases =
            strides.flat_map(|case| (-1..2).flat_map(move |more| (-2..2).map(move |end| (case, more, end))));
        for ((m, n, d, e), more, end) in cases {
            let mode = |extent, stride| Mode { extent: Ix::Lit(extent), stride: Ix::Lit(stride) };
            let (modes, extent, end) = ([mode(m, d), mode(n, e)], m * n + more, m * n + end);
            let guard = Pred::lt(Ix::free(0), Ix::Lit(end));
            let label = Label::new("i");
            let iterations = Iterations { outside: outside.clone(), label, extent: Ix::Lit(extent), guard };
            let mut done: Vec<i64> = (0..m * n).map(|i| i % m * d + i / m * e).filter(|i| *i < end).collect();
            done.sort_unstable();
            let once = done.iter().copied().eq(0..extent.min(end));
            let order = iterations.order(&mut cx, span, &modes).ok();
            let nested = (d, e) == (1, m) || (d, e) == (n, 1);
            assert_eq!(order.is_some(), once && nested, "{modes:?} {extent} {end}");
            match order {
                Some(order) => {
                    assert_eq!(modes[order.inside_out[0]].stride, Ix::ONE, "{modes:?}");
                    assert_eq!(order.shortened.is_some(), more > 0, "{modes:?}");
                    orders += 1;
                }
                None => others += 1,
            }
        }
        assert!(orders > 50 && others > 500, "{orders} {others}");
    }
}
