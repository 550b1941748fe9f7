//! Moving a `let` outward, past loops, guards, operators and other `let`s.
//!
//! **The one idea.** For any surroundings `C`, `C[let X = e; f(X)]` equals `let X = E; C[f(X[i, ..])]` with
//! `E = gen i < n, .. { [p] * e }` over the loops of `C` that `e` depends on, `p` the guards of `C` about
//! those loops: with the outer `let` carried out, `let X = E; C[let X = X[i, ..]; f(X)]` is the first. So it
//! needs no rule for each kind of surroundings, no law, and is exact. The inner `let` is carried out, too,
//! unless indices read its name, in whose place no element can stand: then it stays, a copy of one element.
//!
//! What it does not do: move a `let` past another one whose tensor it reads.

use atl_kernel::{Child, Error, Expr, Ix, Label, Node, Pred, Result as Kernel, Rule, Thm, Var, subst};
use atl_rules::lets::{entry_of, inline_where_read};
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
    /// What it binds, or assumes, for that child, in order; of the variables, the first has this level.
    opens: Vec<Opens>,
    level: u32,
}

impl Above {
    /// The loops that it opens: their levels, labels and extents.
    fn loops(&self) -> impl DoubleEndedIterator<Item = (u32, &Label, &Ix)> {
        self.opens.iter().filter_map(|opens| match opens {
            Opens::Loop { level, label, extent } => Some((*level, label, extent)),
            _ => None,
        })
    }

    /// The tensor that it opens and that the term reads, if there is one.
    fn read_by(&self, e: &Expr) -> Option<Arc<str>> {
        self.opens.iter().find_map(|opens| match opens {
            Opens::Tensor { level, name } if mentions(e, *level) => Some(name.clone()),
            _ => None,
        })
    }
}

enum Opens {
    Loop { level: u32, label: Label, extent: Ix },
    Tensor { level: u32, name: Arc<str> },
    Condition(Pred),
}

impl Opens {
    /// What a node opens for a child, where variables begin at a level.
    fn of(node: &Node, at: Child, level: u32) -> Vec<Opens> {
        let tensor = |(level, label): (u32, &Label)| Opens::Tensor { level, name: label.name.clone() };
        match (node, at) {
            (Node::Gen(label, n, _) | Node::Sum(label, n, _), _) => {
                vec![Opens::Loop { level, label: label.clone(), extent: n.clone() }]
            }
            (Node::Let(label, ..), Child::Body) => vec![tensor((level, label))],
            (Node::Iterate(it), Child::Step(_) | Child::Body) => {
                let labels = || it.states.iter().map(|state| &state.label);
                let new = if let Child::Step(k) = at { k as usize } else { 0 };
                let states = (level..).zip(labels().chain(labels().take(new)));
                let mut opens: Vec<Opens> = states.map(tensor).collect();
                if at != Child::Body {
                    let level = level + opens.len() as u32;
                    opens.push(Opens::Loop { level, label: it.label.clone(), extent: it.extent.clone() });
                }
                opens
            }
            (Node::Guard(p, _), _) | (Node::Select(p, ..), Child::Then) => vec![Opens::Condition(p.clone())],
            (Node::Select(p, ..), _) => vec![Opens::Condition(Pred::not(p.clone()))],
            _ => Vec::new(),
        }
    }
}

/// A `let` and what stands above it.
pub(crate) struct Lift {
    above: Vec<Above>,
    node: Expr,
    /// The extents of what it binds.
    shape: Vec<Ix>,
    /// The loops that it grows by, in the order of its new dimensions; those that are not named, outermost
    /// first.
    order: Vec<Arc<str>>,
}

impl Lift {
    /// Of the `let` at the end of a path below `e`.
    pub(crate) fn new(cx: &mut Cx<'_>, e: &Expr, path: &[Child]) -> Kernel<Lift> {
        let (mut ctx, mut node, mut above) = (cx.ctx.clone(), e.clone(), Vec::new());
        for &at in path {
            let level = ctx.level();
            let opens = Opens::of(&node, at, level);
            let mut here = cx.within(ctx);
            let (inside, child) = here.enter(&node, at)?;
            ctx = inside.ctx.clone();
            above.push(Above { parent: node, at, opens, level });
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
        self.above.iter().enumerate().rev().find_map(|(depth, a)| Some((depth, a.read_by(bound)?)))
    }

    /// A loop on the way whose index the term's extents depend on: its iterations' tensors do not make one
    /// tensor.
    pub(crate) fn ragged(&self) -> Option<Arc<str>> {
        let mut loops = self.above.iter().flat_map(Above::loops);
        let found = loops.find(|(level, ..)| self.shape.iter().any(|n| n.mentions(*level)));
        found.map(|(_, label, _)| label.name.clone())
    }

    /// The same, with the dimensions that the tensor grows by in the order of these loops.
    pub(crate) fn ordered(self, order: &[Arc<str>]) -> Lift {
        Lift { order: order.to_vec(), ..self }
    }

    /// The names of the loops, from so far down the way, that the tensor grows by.
    pub(crate) fn grows_by(&self, from: usize) -> Vec<Arc<str>> {
        let Node::Let(_, bound, _) = &*self.node else { return Vec::new() };
        let needed = self.dependencies(bound);
        let loops = self.above.iter().skip(from).flat_map(Above::loops);
        let grown = loops.filter(|(level, ..)| needed.contains(level));
        grown.map(|(_, label, _)| label.name.clone()).collect()
    }

    /// How far down the way the `let` can stand so that nothing is computed twice: inside the outer `gen`s
    /// that its term depends on, and no deeper, unless what it reads is bound there.
    pub(crate) fn without_repetition(&self) -> usize {
        let Node::Let(_, bound, _) = &*self.node else { return 0 };
        let needed = self.dependencies(bound);
        let is_sum = |a: &Above| matches!(*a.parent, Node::Sum(..));
        let repeats = |a: &Above| a.loops().any(|(level, ..)| !needed.contains(&level) || is_sum(a));
        let free = self.above.iter().position(repeats).unwrap_or(self.above.len());
        let inside = self.above[..free].iter().rposition(|a| a.loops().next().is_some());
        inside.map_or(0, |depth| depth + 1).max(self.blocked().map_or(0, |(depth, _)| depth + 1))
    }

    /// From so far down the way on, below the `let`s that stand there and that the term reads.
    pub(crate) fn below_lets(&self, from: usize) -> usize {
        let needed = self.blocked().map_or(0, |(depth, _)| depth + 1);
        let is_let = |a: &&Above| matches!(*a.parent, Node::Let(..)) && !a.opens.is_empty();
        let lets = self.above.iter().skip(from).take_while(is_let).count();
        needed.clamp(from, from + lets)
    }

    /// The label and the extent of the loop at a level.
    fn opened(&self, wanted: u32) -> Option<(&Label, &Ix)> {
        let mut loops = self.above.iter().flat_map(Above::loops);
        loops.find(|(level, ..)| *level == wanted).map(|(_, label, extent)| (label, extent))
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
        let copy: Expr = Arc::new(Node::Let(entry_of(label), entry, body.clone()));
        let around = self.above.iter().rev().fold(copy, |e, a| {
            let child = subst::close_all(&e, a.level, a.parent.binds(a.at));
            Arc::new(a.parent.with_child(a.at, child))
        });
        let copied: Expr =
            Arc::new(Node::Let(label.clone(), wide.term.clone(), subst::close(&around, PLACELESS)));
        // With the outer `let` carried out, and its entries read, that is the term at hand.
        let back = cx.rule(Rule::LetInline, &copied)?;
        let bound: Vec<Child> = path.iter().copied().chain([Child::Bound]).collect();
        let back = cx.then(back, |cx, e| cx.at(e, &bound, &mut |cx, e| wide.entry(cx, e)))?;
        let there = cx.refl(e)?.trans(back.sym())?;
        let inner: Vec<Child> = std::iter::once(Child::Body).chain(path).collect();
        cx.then(there, |cx, e| cx.at(e, &inner, &mut inline_where_read))
    }

    /// The loops on the way, outermost first, that the term depends on, by itself or by another's extent.
    fn dependencies(&self, bound: &Expr) -> Vec<u32> {
        let mut needed: Vec<u32> = Vec::new();
        for (level, ..) in self.above.iter().flat_map(Above::loops).rev() {
            let mut loops = self.above.iter().flat_map(Above::loops);
            let by_extent = loops.any(|(inner, _, extent)| needed.contains(&inner) && extent.mentions(level));
            if by_extent || mentions(bound, level) {
                needed.insert(0, level);
            }
        }
        needed
    }

    /// The term for every iteration of the loops it depends on, guarded by the conditions that are about them
    /// alone.
    fn widened(&self, bound: &Expr) -> Wide {
        let mut loops = self.dependencies(bound);
        let place = |level: &u32| {
            let name = self.opened(*level).map(|(label, _)| &label.name);
            self.order.iter().position(|wanted| Some(wanted) == name).unwrap_or(self.order.len())
        };
        loops.sort_by_key(place);
        let others = |p: &Pred| {
            self.above.iter().flat_map(|a| &a.opens).any(|opens| match opens {
                Opens::Loop { level, .. } => !loops.contains(level) && p.mentions(*level),
                Opens::Tensor { level, .. } => p.mentions(*level),
                Opens::Condition(_) => false,
            })
        };
        let conditions = self.above.iter().flat_map(|a| &a.opens).filter_map(|opens| match opens {
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
    /// The term of the iteration at hand from its entry: carry out the accesses, and drop the guard.
    fn entry(&self, cx: &mut Cx<'_>, e: &Expr) -> Conversion {
        let mut chain = Chain::of(e);
        for depth in (0..self.loops.len()).rev() {
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
