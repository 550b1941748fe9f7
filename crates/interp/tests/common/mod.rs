//! Short names for the constructors of terms, and a prover for small goals.

use atl_kernel::cert::{Derive, Facts};
use atl_kernel::{
    Algebra, AlgebraRef, Cert, Ctx, Elem, Expr, Ix, Label, Node, Number, Pred, Prim, Prover, Scalar, Var,
};
use atl_semirings::instances::PLUS_TIMES;

pub(crate) fn elem(scalar: Scalar) -> Elem {
    Elem { scalar, algebra: &PLUS_TIMES }
}

/// The index variable this many binders outward.
pub(crate) fn bound(k: u32) -> Ix {
    Ix::Var(Var::Bound(k))
}

pub(crate) fn var(level: u32) -> Expr {
    Expr::new(Node::Var(Var::Free(level)))
}

/// The tensor that this many binders outward are around.
pub(crate) fn bound_tensor(k: u32) -> Expr {
    Expr::new(Node::Var(Var::Bound(k)))
}

pub(crate) fn lit(elem: Elem, number: Number) -> Expr {
    Expr::new(Node::Lit(elem, number))
}

pub(crate) fn index(elem: Elem, ix: Ix) -> Expr {
    Expr::new(Node::Index(elem, ix))
}

/// What may be written for an extent.
pub(crate) trait Extent {
    fn ix(self) -> Ix;
}

impl Extent for i64 {
    fn ix(self) -> Ix {
        Ix::Lit(self)
    }
}

impl Extent for Ix {
    fn ix(self) -> Ix {
        self
    }
}

pub(crate) fn generate(n: impl Extent, body: Expr) -> Expr {
    Expr::new(Node::Gen(Label::default(), n.ix(), body))
}

pub(crate) fn sum(n: impl Extent, body: Expr) -> Expr {
    Expr::new(Node::Sum(Label::default(), n.ix(), body))
}

pub(crate) fn guard(p: Pred, e: Expr) -> Expr {
    Expr::new(Node::Guard(p, e))
}

pub(crate) fn select(p: Pred, a: Expr, b: Expr) -> Expr {
    Expr::new(Node::Select(p, a, b))
}

pub(crate) fn bind(e: Expr, body: Expr) -> Expr {
    Expr::new(Node::Let(Label::default(), e, body))
}

pub(crate) fn view(algebra: &'static Algebra, e: Expr) -> Expr {
    Expr::new(Node::View(AlgebraRef(algebra), e))
}

pub(crate) fn prim(prim: Prim, args: &[&Expr]) -> Expr {
    Expr::new(Node::Prim(prim, args.iter().map(|e| (*e).clone()).collect()))
}

pub(crate) fn add(a: &Expr, b: &Expr) -> Expr {
    prim(Prim::Add, &[a, b])
}

pub(crate) fn mul(a: &Expr, b: &Expr) -> Expr {
    prim(Prim::Mul, &[a, b])
}

/// An access at these indices.
pub(crate) fn at<const N: usize>(e: &Expr, indices: [Ix; N]) -> Expr {
    indices.into_iter().fold(e.clone(), |e, ix| Expr::new(Node::Get(e, ix)))
}

/// Proves what follows from at most three facts added up, after splitting disjunctions.
pub(crate) struct SmallProver;

impl Prover for SmallProver {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        refute(&Facts::refuting(ctx, goal).ok()?, 0)
    }
}

fn refute(facts: &Facts, split: usize) -> Option<Cert> {
    let count = facts.polys.len();
    let triples = (0..count).flat_map(|a| (a..count).flat_map(move |b| (b..count).map(move |c| [a, b, c])));
    for mut parts in triples.map(|t| t.to_vec()) {
        parts.dedup();
        let combine = Derive::Combine(parts.iter().map(|k| (1, vec![*k])).collect());
        let mut derived = facts.clone();
        derived.derive(&combine).ok()?;
        if derived.polys[count].as_constant().is_some_and(|c| c < 0) {
            return Some(Cert::Step(combine, Box::new(Cert::Absurd(count))));
        }
    }
    let side = |left| {
        let mut facts = facts.clone();
        facts.assume_side(split, left).ok()?;
        refute(&facts, split + 1).map(Box::new)
    };
    Some(Cert::Split(split, side(true)?, side(false)?))
}
