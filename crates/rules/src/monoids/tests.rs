//! Sums in monoids of two and more fields, in blocks and by places.

use super::{Fold, Nested, Parts, blocks, in_terms, partial};
use crate::cx::Cx;
use crate::occurrences::variable;
use atl_arith::Arith;
use atl_kernel::{
    Ctx, Elem, Error, Expr, Ix, Label, Laws, Monoid, Node, Number, Prim, Rounding, Scalar, Thm, Type, Var,
};
use std::sync::Arc;

fn elem() -> Elem {
    atl_semirings::elem(Scalar::F32, "plus_times").expect("ordinary floats")
}

fn prim(f: Prim, args: &[Expr]) -> Expr {
    Arc::new(Node::Prim(f, args.to_vec()))
}

/// The lesser of the first fields, with the other of that element; the first of two wins.
fn least(laws: Laws) -> Arc<Monoid> {
    let [a, i, b, j] = [0, 1, 2, 3].map(variable);
    let is_less = prim(Prim::Lt, &[b.clone(), a.clone()]);
    let sum = vec![prim(Prim::Where, &[is_less.clone(), b, a]), prim(Prim::Where, &[is_less, j, i])];
    let zero = [Number::Infinity, Number::Zero].map(|n| Arc::new(Node::Lit(elem(), n)) as Expr);
    Arc::new(Monoid::new("least", vec![elem(); 2], zero.to_vec(), sum, laws).expect("a monoid"))
}

/// Products of polynomials modulo `x^k - 1`, by their `k` coefficients.
fn cyclic(k: usize, laws: Laws) -> Arc<Monoid> {
    let times = |i: usize, j: usize| prim(Prim::Mul, &[variable(i as u32), variable((k + j) as u32)]);
    let coefficient = |n: usize| {
        let products = (0..k).map(|i| times(i, (n + k - i) % k));
        products.reduce(|a, b| prim(Prim::Add, &[a, b])).expect("a coefficient")
    };
    let lit = |n| Arc::new(Node::Lit(elem(), n)) as Expr;
    let zero = (0..k).map(|n| lit(if n == 0 { Number::One } else { Number::Zero })).collect();
    let sum = (0..k).map(coefficient).collect();
    Arc::new(Monoid::new("cyclic", vec![elem(); k], zero, sum, laws).expect("a monoid"))
}

/// `sum j < N in m { (x[j], x[j] * x[j], ..) }` at level 0 `N`, at level 2 `x`.
fn sum(monoid: &Arc<Monoid>) -> (Arc<Ctx>, Fold) {
    let mut ctx = Ctx::new();
    let n = Ix::free(ctx.push_size(Label::new("N")));
    let x = ctx.push_tensor(Label::new("x"), Type { elem: elem(), shape: vec![n.clone()] });
    let read: Expr = Arc::new(Node::Get(variable(x), Ix::Var(Var::Bound(0))));
    let square = prim(Prim::Mul, &[read.clone(), read.clone()]);
    let fold = Fold {
        monoid: monoid.clone(),
        label: Label::new("j"),
        names: names("").take(monoid.fields().len()).collect(),
        extent: n,
        starts: monoid.zero().to_vec(),
        terms: [read, square].into_iter().cycle().take(monoid.fields().len()).collect(),
    };
    (Arc::new(ctx), fold)
}

/// Names of fields.
fn names(part: &'static str) -> impl Iterator<Item = Label> {
    ["v", "i", "c", "d", "e", "f"].into_iter().map(move |field| Label::new(&format!("{part}{field}")))
}

fn value() -> Expr {
    prim(Prim::Sub, &[Arc::new(Node::Var(Var::Bound(1))), Arc::new(Node::Var(Var::Bound(0)))])
}

fn replays(cx: &Cx<'_>, thm: &Thm) {
    let again = Thm::replay(&cx.ctx, thm.proof()).expect("the record replays");
    assert_eq!((again.lhs(), again.rhs()), (thm.lhs(), thm.rhs()));
}

const GROUPS: Laws = Laws::ADD_MONOID;
const ALL: Laws = Laws::ADD_COMM_MONOID;

#[test]
fn a_sum_is_a_sum_of_blocks_and_of_places() {
    for (laws, parts) in [(GROUPS, Parts::Blocks), (ALL, Parts::Places)] {
        let monoid = least(laws);
        let (ctx, fold) = sum(&monoid);
        let mut arith = Arith::default();
        let cx = &mut Cx::new(ctx, &mut arith);
        let e = fold.sum(&fold.extent, value());
        assert_eq!(Fold::of(&monoid, &e).map(|fold| fold.terms), Some(fold.terms.clone()));
        let thm = blocks(cx, &e, &fold, &Ix::Lit(4)).expect("blocks");
        replays(cx, &thm);
        assert_eq!(thm.rounding(), Rounding::Finite);
        let nested = Nested::of(&monoid, thm.rhs()).expect("a sum of sums");
        assert_eq!(
            nested.labels().map(|labels| labels.map(|label| label.name.to_string())),
            Some(["j.o".into(), "j.i".into()])
        );
        let names = [Label::new("part_v"), Label::new("part_i")];
        let thm = cx.then(thm, |cx, e| partial(cx, e, &nested, parts, &names)).expect("partial sums");
        replays(cx, &thm);
        let used = Laws::ADD_0_R.and(Laws::ADD_ASSOC);
        let used = if parts == Parts::Places { used.and(Laws::ADD_COMM) } else { used };
        assert_eq!(thm.claims(), &[(monoid.clone(), used)]);
        assert!(matches!(&**thm.rhs(), Node::Let(label, ..) if &*label.name == "part_v"));
    }
}

#[test]
fn sums_of_several_fields_are_regrouped_in_terms_of_a_sum() {
    let k = 3;
    let monoid = cyclic(k, ALL);
    let (ctx, fold) = sum(&monoid);
    let mut arith = Arith::default();
    let cx = &mut Cx::new(ctx, &mut arith);
    let e = fold.sum(&fold.extent, value());
    let thm = blocks(cx, &e, &fold, &Ix::Lit(64)).expect("blocks");
    let of = |e: &Expr| Fold::of(&monoid, e).expect("a sum");
    let outer = of(thm.rhs());
    let thm = cx.then(thm, |cx, e| in_terms(cx, e, &outer, &mut |cx, e| blocks(cx, e, &of(e), &Ix::Lit(8))));
    let thm = thm.expect("blocks of blocks");
    let (outer, names) = (of(thm.rhs()), names("part_").take(k).collect::<Vec<_>>());
    let mut parts = |cx: &mut Cx<'_>, e: &Expr| {
        partial(cx, e, &Nested::of(&monoid, e).expect("a sum of sums"), Parts::Places, &names)
    };
    let thm = cx.then(thm, |cx, e| in_terms(cx, e, &outer, &mut parts)).expect("partial sums");
    assert_eq!(thm.claims(), &[(monoid.clone(), ALL.minus(Laws::ADD_0_L))]);
    let Node::Iterate(it) = &**thm.rhs() else { panic!("the blocks are summed") };
    let has_parts = |e: &Expr| matches!(&**e, Node::Let(label, ..) if &*label.name == "part_v");
    assert!(it.states[..k].iter().all(|state| has_parts(&state.step)));
    replays(cx, &thm);
}

#[test]
fn what_is_not_claimed_is_not_used() {
    let none = least(Laws::ADD_0_R);
    let (ctx, fold) = sum(&none);
    let mut arith = Arith::default();
    let cx = &mut Cx::new(ctx, &mut arith);
    let e = fold.sum(&fold.extent, value());
    assert!(matches!(blocks(cx, &e, &fold, &Ix::Lit(4)), Err(Error::NoMatch { rule: "monoid_law", .. })));
    let groups = least(GROUPS);
    let (_, fold) = sum(&groups);
    let thm = blocks(cx, &e, &fold, &Ix::Lit(4)).expect("blocks");
    let nested = Nested::of(&groups, thm.rhs()).expect("a sum of sums");
    let names = [Label::new("part_v"), Label::new("part_i")];
    let places = partial(cx, thm.rhs(), &nested, Parts::Places, &names);
    assert!(matches!(places, Err(Error::NoMatch { rule: "monoid_law", .. })));
}

/// A sum that begins with something else than nothing, as one inside of another's rounds does.
#[test]
fn what_a_sum_begins_with_is_kept() {
    for parts in [Parts::Blocks, Parts::Places] {
        let monoid = least(ALL);
        let (ctx, fold) = sum(&monoid);
        let mut ctx = (*ctx).clone();
        let scalar = || Type { elem: elem(), shape: Vec::new() };
        let starts = names("from_").take(2).map(|name| variable(ctx.push_tensor(name, scalar()))).collect();
        let fold = Fold { starts, ..fold };
        let mut arith = Arith::default();
        let cx = &mut Cx::new(Arc::new(ctx), &mut arith);
        let e = fold.sum(&fold.extent, value());
        let thm = blocks(cx, &e, &fold, &Ix::Lit(4)).expect("blocks");
        let nested = Nested::of(&monoid, thm.rhs()).expect("a sum of sums");
        let names: Vec<Label> = names("part_").take(2).collect();
        let thm = cx.then(thm, |cx, e| partial(cx, e, &nested, parts, &names)).expect("partial sums");
        replays(cx, &thm);
    }
}
