//! Pad sets: the indices of a tensor that are certainly padding.
//!
//! **The one idea.** A set is a predicate on index variables of its own, which range over the tensor's box; so it is
//! symbolic in sizes and in the loops around. Forming a parent's set from a child's is substitution.

use super::forall::for_all;
use atl_arith::{simplify, simplify_pred};
use atl_kernel::subst::Subst;
use atl_kernel::{Ctx, Entry, Expr, Ix, Label, Node, Pred};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Names for dimensions that no loop has named: none that the program uses, be it of a loop that was split.
pub(super) struct Axes {
    taken: BTreeSet<String>,
}

impl Axes {
    /// The names that neither the context nor the term uses.
    pub(super) fn of(ctx: &Ctx, e: &Expr) -> Axes {
        let mut taken = BTreeSet::new();
        let mut take = |label: &Label| {
            let whole = label.name.split('.').next().unwrap_or_default();
            taken.insert(whole.to_owned());
        };
        for entry in ctx.entries() {
            if let Entry::Index(label) | Entry::Tensor(label, _) = entry {
                take(label);
            }
        }
        binders(e, &mut take);
        Axes { taken }
    }

    /// Labels without end, each once.
    fn labels(&self) -> impl Iterator<Item = Label> + '_ {
        let letters = ["i", "j", "k", "l", "p", "q"].into_iter().map(str::to_owned);
        let numbered = (1..).map(|number| format!("i{number}"));
        letters.chain(numbered).filter(|name| !self.taken.contains(name)).map(|name| Label::new(&name))
    }
}

fn binders(e: &Expr, take: &mut dyn FnMut(&Label)) {
    if let Node::Gen(label, ..) | Node::Sum(label, ..) | Node::Let(label, ..) = &**e {
        take(label);
    }
    e.children().filter_map(|at| e.child(at)).for_each(|child| binders(child, take));
}

/// A set that takes a larger predicate to say is taken for empty: index terms double with each reshape that divides.
const MAX_SIZE: usize = 500;

/// A set of indices of a tensor.
#[derive(Clone, Debug)]
pub struct PadSet {
    /// The context: the tensor's, and an index within the box for each dimension.
    pub ctx: Ctx,
    /// The levels of these indices, outermost first.
    pub index: Vec<u32>,
    /// The tensor's extents.
    pub shape: Vec<Ix>,
    /// Which indices are padding.
    pub padded: Pred,
}

impl PadSet {
    /// The set of a tensor of this shape in a context: `padded` says which indices are in it. `labels` name the
    /// leading dimensions, `axes` the others.
    pub(super) fn new(
        ctx: &Ctx,
        shape: &[Ix],
        labels: &[Label],
        axes: &Axes,
        padded: impl FnOnce(&[Ix]) -> Pred,
    ) -> PadSet {
        let mut inner = ctx.clone();
        let free = axes.labels().filter(|axis| labels.iter().all(|label| label.name != axis.name));
        let names = labels.iter().cloned().chain(free);
        // The extents are kept as they are: what is equal here need not be equal outside, where the surrounding
        // loop may be empty.
        let index = shape.iter().zip(names).map(|(n, label)| inner.push_loop(label, &simplify(ctx, n)));
        let index: Vec<u32> = index.collect();
        let at: Vec<Ix> = index.iter().map(|level| Ix::free(*level)).collect();
        let padded = match padded(&at) {
            p if size(&p) > MAX_SIZE => Pred::False,
            p => simplify_pred(&inner, &negations_inward(&p, true)),
        };
        PadSet { ctx: inner, index, shape: shape.to_vec(), padded }
    }

    /// The set of the loop over `k < n` around the tensor: its index is one more.
    pub(super) fn under_loop(&self, k: u32, n: &Ix) -> PadSet {
        PadSet {
            ctx: self.ctx.clone(),
            index: [&[k], self.index.as_slice()].concat(),
            shape: [std::slice::from_ref(n), &self.shape].concat(),
            padded: self.padded.clone(),
        }
    }

    /// Is the element at this index in the set?
    pub fn at(&self, index: &[Ix]) -> Pred {
        self.substitute(&self.padded, index)
    }

    /// Is the element at this index in the set for every `k < n`? More may be asked for.
    pub(super) fn at_for_all(&self, k: u32, n: &Ix, index: &[Ix]) -> Pred {
        self.substitute(&for_all(k, n, &self.padded), index)
    }

    fn substitute(&self, p: &Pred, index: &[Ix]) -> Pred {
        let index = self.index.iter().copied().zip(index.iter().cloned()).collect();
        Subst { index, ..Subst::default() }.pred(p)
    }

    /// The names of the index variables.
    pub(super) fn labels(&self) -> Vec<Label> {
        let label = |level: &u32| match self.ctx.entry(*level) {
            Some(Entry::Index(label)) => Some(label.clone()),
            _ => None,
        };
        self.index.iter().filter_map(label).collect()
    }
}

/// How many variables, literals and truth values a predicate has.
fn size(p: &Pred) -> usize {
    fn of(ix: &Ix) -> usize {
        match ix {
            Ix::Bin(_, ab) => of(&ab.0) + of(&ab.1),
            Ix::Lit(_) | Ix::Var(_) => 1,
            Ix::Read(_, at) => at.iter().map(of).sum::<usize>() + 1,
        }
    }
    match p {
        Pred::True | Pred::False => 1,
        Pred::Cmp(_, a, b) => of(a) + of(b),
        Pred::Not(q) => size(q),
        Pred::And(pq) | Pred::Or(pq) => size(&pq.0) + size(&pq.1),
    }
}

/// The predicate, or its negation where `truth` does not hold, with negations of equations alone.
fn negations_inward(p: &Pred, truth: bool) -> Pred {
    use atl_kernel::Cmp::{Eq, Le, Lt};
    let both = |pq: &Arc<(Pred, Pred)>| (negations_inward(&pq.0, truth), negations_inward(&pq.1, truth));
    match (p, truth) {
        (Pred::Not(q), _) => negations_inward(q, !truth),
        (Pred::And(pq), true) | (Pred::Or(pq), false) => {
            let (p, q) = both(pq);
            Pred::and(p, q)
        }
        (Pred::Or(pq), true) | (Pred::And(pq), false) => {
            let (p, q) = both(pq);
            Pred::or(p, q)
        }
        (Pred::Cmp(Lt, a, b), false) => Pred::le(b.clone(), a.clone()),
        (Pred::Cmp(Le, a, b), false) => Pred::lt(b.clone(), a.clone()),
        (Pred::Cmp(Eq, ..) | Pred::True | Pred::False, false) => Pred::not(p.clone()),
        (Pred::Cmp(..) | Pred::True | Pred::False, true) => p.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(p: Pred, expected: Pred) {
        assert_eq!(negations_inward(&p, true), expected);
    }

    #[test]
    fn negations_stand_before_equations_only() {
        let (i, n) = (Ix::free(0), Ix::free(1));
        let inside = Pred::in_range(&i, &n);
        check(
            Pred::not(inside.clone()),
            Pred::or(Pred::lt(i.clone(), Ix::ZERO), Pred::le(n.clone(), i.clone())),
        );
        check(Pred::not(Pred::not(inside.clone())), inside);
        let other = Pred::not(Pred::eq(i.clone(), n.clone()));
        check(Pred::not(Pred::or(Pred::False, other.clone())), Pred::eq(i, n));
        check(other.clone(), other);
    }
}
