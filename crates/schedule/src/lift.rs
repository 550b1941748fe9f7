//! Moving a `let` outward, past loops, guards, operators and other `let`s.
//!
//! **The one idea.** For any surroundings `C`, `C[let X = e; f(X)]` equals `let X = E; C[f(X[i, ..])]` with
//! `E = gen i < n, .. { [p] * e }` over the loops of `C` that `e` depends on, `p` the guards of `C` about those loops:
//! inlined, both are `C[f(e)]`. So it needs no rule for each kind of surroundings, no law, and is exact.
//!
//! What it does not do: move a `let` past another one whose tensor it reads.

use atl_kernel::{Child, Error, Expr, Ix, Label, Node, Pred, Result as Kernel, Rule, Thm, Var, subst};
use atl_rules::occurrences::mentions;
use atl_rules::{Chain, Cx, Step as Conversion};
use std::sync::Arc;

/// A level that no context reaches: a name for the tensor while it has no place.
const PLACELESS: u32 = u32::MAX;

/// What stands on the way from a place down to a `let`.
struct Above {
    /// The node, opened, and the child that the way takes.
    parent: Expr,
    at: Child,
    /// What it binds, or assumes, for that child.
    opens: Opens,
}

enum Opens {
    Loop { level: u32, label: Label, extent: Ix },
    Tensor { level: u32, name: Arc<str> },
    Condition(Pred),
    Nothing,
}

/// A `let` and what stands above it.
pub(crate) struct Lift {
    above: Vec<Above>,
    node: Expr,
    /// The extents of what it binds.
    shape: Vec<Ix>,
    /// The loops that it grows by, in the order of its new dimensions; those that are not named, outermost first.
    order: Vec<Arc<str>>,
}

impl Lift {
    /// Of the `let` at the end of a path below `e`.
    pub(crate) fn new(cx: &mut Cx<'_>, e: &Expr, path: &[Child]) -> Kernel<Lift> {
        let (mut ctx, mut node, mut above) = (cx.ctx.clone(), e.clone(), Vec::new());
        for &at in path {
            let level = ctx.level();
            let opens = match (&*node, at) {
                (Node::Gen(label, n, _) | Node::Sum(label, n, _), _) => {
                    Opens::Loop { level, label: label.clone(), extent: n.clone() }
                }
                (Node::Let(label, ..), Child::Body) => Opens::Tensor { level, name: label.name.clone() },
                (Node::Guard(p, _), _) | (Node::Select(p, ..), Child::Then) => Opens::Condition(p.clone()),
                (Node::Select(p, ..), _) => Opens::Condition(Pred::not(p.clone())),
                _ => Opens::Nothing,
            };
            let mut here = cx.within(ctx);
            let (inside, child) = here.enter(&node, at)?;
            ctx = inside.ctx.clone();
            above.push(Above { parent: node, at, opens });
            node = child;
        }
        let shape = match &*node {
            Node::Let(_, bound, _) => cx.within(ctx).type_of(bound)?.shape,
            _ => Vec::new(),
        };
        Ok(Lift { above, node, shape, order: Vec::new() })
    }

    /// The innermost `let` on the way whose tensor the term reads, with how far down it stands.
    pub(crate) fn blocked(&self) -> Option<(usize, Arc<str>)> {
        let Node::Let(_, bound, _) = &*self.node else { return None };
        self.above.iter().enumerate().rev().find_map(|(depth, a)| match &a.opens {
            Opens::Tensor { level, name } if mentions(bound, *level) => Some((depth, name.clone())),
            _ => None,
        })
    }

    /// A loop on the way whose index the term's extents depend on: its iterations' tensors do not make one tensor.
    pub(crate) fn ragged(&self) -> Option<Arc<str>> {
        self.above.iter().find_map(|a| match &a.opens {
            Opens::Loop { level, label, .. } if self.shape.iter().any(|n| n.mentions(*level)) => {
                Some(label.name.clone())
            }
            _ => None,
        })
    }

    /// The same, with the dimensions that the tensor grows by in the order of these loops.
    pub(crate) fn ordered(self, order: &[Arc<str>]) -> Lift {
        Lift { order: order.to_vec(), ..self }
    }

    /// The names of the loops, from so far down the way, that the tensor grows by.
    pub(crate) fn grows_by(&self, from: usize) -> Vec<Arc<str>> {
        let Node::Let(_, bound, _) = &*self.node else { return Vec::new() };
        let needed = self.dependencies(bound);
        let name = |a: &Above| match &a.opens {
            Opens::Loop { level, label, .. } if needed.contains(level) => Some(label.name.clone()),
            _ => None,
        };
        self.above.iter().skip(from).filter_map(name).collect()
    }

    /// How far down the way the `let` can stand so that nothing is computed twice: inside the outer `gen`s that its term
    /// depends on, and no deeper, unless what it reads is bound there.
    pub(crate) fn without_repetition(&self) -> usize {
        let Node::Let(_, bound, _) = &*self.node else { return 0 };
        let needed = self.dependencies(bound);
        let repeats = |a: &Above| match &a.opens {
            Opens::Loop { level, .. } => !needed.contains(level) || matches!(*a.parent, Node::Sum(..)),
            _ => false,
        };
        let free = self.above.iter().position(repeats).unwrap_or(self.above.len());
        let inside = self.above[..free].iter().rposition(|a| matches!(a.opens, Opens::Loop { .. }));
        inside.map_or(0, |depth| depth + 1).max(self.blocked().map_or(0, |(depth, _)| depth + 1))
    }

    /// From so far down the way on, below the `let`s that stand there and that the term reads.
    pub(crate) fn below_lets(&self, from: usize) -> usize {
        let needed = self.blocked().map_or(0, |(depth, _)| depth + 1);
        let lets =
            self.above.iter().skip(from).take_while(|a| matches!(a.opens, Opens::Tensor { .. })).count();
        needed.clamp(from, from + lets)
    }

    /// The label and the extent of the loop at a level.
    fn opened(&self, wanted: u32) -> Option<(&Label, &Ix)> {
        self.above.iter().find_map(|a| match &a.opens {
            Opens::Loop { level, label, extent } if *level == wanted => Some((label, extent)),
            _ => None,
        })
    }

    /// The theorem for `e`, of which this is a part, when nothing blocks the way up to it.
    pub(crate) fn prove(&self, cx: &mut Cx<'_>, e: &Expr) -> Kernel<Thm> {
        let Node::Let(label, bound, body) = &*self.node else {
            return Err(Error::Mismatch("there is no `let` to move"));
        };
        let path: Vec<Child> = self.above.iter().map(|a| a.at).collect();
        let wide = self.widened(bound);
        let name: Expr = Arc::new(Node::Var(Var::Free(PLACELESS)));
        let entry = wide.loops.iter().fold(name, |e, level| Arc::new(Node::Get(e, Ix::free(*level))));
        let around = self.above.iter().rev().fold(subst::instantiate_tensor(body, &entry), |e, a| {
            let child = match &a.opens {
                Opens::Loop { level, .. } | Opens::Tensor { level, .. } => subst::close(&e, *level),
                _ => e,
            };
            Arc::new(a.parent.with_child(a.at, child))
        });
        let moved: Expr =
            Arc::new(Node::Let(label.clone(), wide.term.clone(), subst::close(&around, PLACELESS)));
        // Both sides inlined are the same.
        let before = cx.at(e, &path, &mut |cx, e| cx.rule(Rule::LetInline, e).map(Some))?;
        let before = cx.total(e, before)?;
        let after = cx.rule(Rule::LetInline, &moved)?;
        let after = cx.then(after, |cx, e| cx.at(e, &path, &mut |cx, e| wide.entries(cx, e)))?;
        before.trans(after.sym())
    }

    /// The loops on the way, outermost first, that the term depends on, by itself or by another's extent.
    fn dependencies(&self, bound: &Expr) -> Vec<u32> {
        let mut needed: Vec<u32> = Vec::new();
        for a in self.above.iter().rev() {
            if let Opens::Loop { level, .. } = &a.opens {
                let by_extent = self.above.iter().any(|b| match &b.opens {
                    Opens::Loop { level: inner, extent, .. } => {
                        needed.contains(inner) && extent.mentions(*level)
                    }
                    _ => false,
                });
                if by_extent || mentions(bound, *level) {
                    needed.insert(0, *level);
                }
            }
        }
        needed
    }

    /// The term for every iteration of the loops it depends on, guarded by the conditions that are about them alone.
    fn widened(&self, bound: &Expr) -> Wide {
        let mut loops = self.dependencies(bound);
        let place = |level: &u32| {
            let name = self.opened(*level).map(|(label, _)| &label.name);
            self.order.iter().position(|wanted| Some(wanted) == name).unwrap_or(self.order.len())
        };
        loops.sort_by_key(place);
        let others = |p: &Pred| {
            self.above.iter().any(|a| match &a.opens {
                Opens::Loop { level, .. } => !loops.contains(level) && p.mentions(*level),
                _ => false,
            })
        };
        let conditions = self.above.iter().filter_map(|a| match &a.opens {
            Opens::Condition(p) if !others(p) => Some(p.clone()),
            _ => None,
        });
        let condition = conditions.fold(Pred::True, Pred::and);
        let guarded = condition != Pred::True;
        let element = if guarded { Arc::new(Node::Guard(condition, bound.clone())) } else { bound.clone() };
        let term = loops.iter().rev().fold(element, |e, level| match self.opened(*level) {
            Some((label, extent)) => {
                Arc::new(Node::Gen(label.clone(), extent.clone(), subst::close(&e, *level)))
            }
            None => e,
        });
        Wide { term, loops, guarded }
    }
}

/// What a `let` binds once it has left its loops.
struct Wide {
    term: Expr,
    /// The levels of the loops it was widened by, in the order of its dimensions.
    loops: Vec<u32>,
    /// Does a guard that was not there before stand around the element?
    guarded: bool,
}

impl Wide {
    /// Read every entry of the term back: carry out the accesses, and drop the guard.
    fn entries(&self, cx: &mut Cx<'_>, e: &Expr) -> Conversion {
        let rank = self.loops.len();
        if !is_entry(e, &self.term, rank) {
            return cx.children(e, &mut |cx, e| self.entries(cx, e));
        }
        let mut chain = Chain::of(e);
        for depth in (0..rank).rev() {
            let now = chain.now().clone();
            let path = vec![Child::Body; depth];
            let step = cx.at(&now, &path, &mut |cx, e| cx.rule(Rule::AccessGen, e).map(Some))?;
            chain.push(step)?;
        }
        if self.guarded {
            chain.apply(cx, |cx, now| cx.rule(Rule::GuardTrue, now))?;
        }
        Ok(chain.done())
    }
}

/// Is it the term, accessed at this many indices?
fn is_entry(e: &Expr, term: &Expr, rank: usize) -> bool {
    match (&**e, rank) {
        (_, 0) => e == term,
        (Node::Get(array, _), _) => is_entry(array, term, rank - 1),
        _ => false,
    }
}
