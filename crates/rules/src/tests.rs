//! The derived rules at small programs, built by hand.

use crate::Cx;
use crate::conjuncts::{conjunction, conjuncts, guard};
use crate::gather::drop_implied;
use crate::recursion::{Recursion, access, loops};
use crate::rules::guard_inward::guards_inward;
use crate::rules::interchange::interchange;
use crate::rules::split_gen::split_gen;
use crate::rules::split_sum::split_sum;
use crate::rules::wavefront::{Storage, by_tiles};
use crate::tiles::Tiling;
use atl_arith::Arith;
use atl_kernel::{Child, Ctx, Expr, Ix, Label, Node, Number, Pred, Prim, Scalar, Thm, Type, Var, subst};
use std::sync::Arc;

/// `N`, `M`, and `a: f32[N, M]`, at levels 0, 2 and 4.
fn context() -> Ctx {
    let mut ctx = Ctx::new();
    let n = ctx.push_size(Label::new("N"));
    let m = ctx.push_size(Label::new("M"));
    let elem = atl_semirings::elem(Scalar::F32, "plus_times").expect("ordinary floats");
    ctx.push_tensor(Label::new("a"), Type { elem, shape: vec![Ix::free(n), Ix::free(m)] });
    ctx
}

fn get(level: u32, indices: &[Ix]) -> Expr {
    let var: Expr = Arc::new(Node::Var(Var::Free(level)));
    indices.iter().fold(var, |e, i| Arc::new(Node::Get(e, i.clone())))
}

fn gen_loop(name: &str, n: Ix, level: u32, body: Expr) -> Expr {
    Arc::new(Node::Gen(Label::new(name), n, subst::close(&body, level)))
}

/// `gen y < N, x < M { a[y, x] }`.
fn copy() -> Expr {
    let body = get(4, &[Ix::free(10), Ix::free(11)]);
    gen_loop("y", Ix::free(0), 10, gen_loop("x", Ix::free(2), 11, body))
}

fn with<T>(f: impl FnOnce(&mut Cx<'_>) -> T) -> T {
    let mut arith = Arith::default();
    f(&mut Cx::new(Arc::new(context()), &mut arith))
}

/// The theorem replays.
fn check(cx: &Cx<'_>, thm: &Thm) {
    let again = Thm::replay(&cx.ctx, thm.proof()).expect("the record replays");
    assert_eq!((again.lhs(), again.rhs()), (thm.lhs(), thm.rhs()));
}

#[test]
fn a_gen_is_split_with_a_guarded_tail() {
    with(|cx| {
        let thm = split_gen(cx, &copy(), &Ix::Lit(4)).expect("split");
        assert_eq!(thm.rounding(), atl_kernel::Rounding::Bitwise);
        assert!(thm.laws().is_empty());
        check(cx, &thm);
    });
}

#[test]
fn loops_change_places_through_a_split() {
    with(|cx| {
        let split = split_gen(cx, &copy(), &Ix::Lit(4)).expect("split y");
        // Split x inside, then bring x.o above y.i.
        let body = [Child::Arg(0), Child::Arg(0), Child::Body, Child::Body, Child::Body];
        let thm = cx
            .then(split, |cx, e| cx.at(e, &body, &mut |cx, e| split_gen(cx, e, &Ix::Lit(8)).map(Some)))
            .expect("split x");
        let inner = [Child::Arg(0), Child::Arg(0), Child::Body];
        let thm = cx
            .then(thm, |cx, e| {
                cx.at(e, &inner, &mut |cx, e| {
                    let guard = cx.child(e, Child::Body, guards_inward)?;
                    let first = cx.total(e, guard)?;
                    cx.then(first, interchange).map(Some)
                })
            })
            .expect("interchange");
        check(cx, &thm);
    });
}

#[test]
fn a_sum_is_split_with_a_guarded_tail() {
    with(|cx| {
        let body = get(4, &[Ix::free(10), Ix::free(11)]);
        let sum: Expr = Arc::new(Node::Sum(Label::new("x"), Ix::free(2), subst::close(&body, 11)));
        let rows = gen_loop("y", Ix::free(0), 10, sum);
        let thm = cx
            .at(&rows, &[Child::Body], &mut |cx, e| split_sum(cx, e, &Ix::Lit(4)).map(Some))
            .expect("split")
            .expect("changed");
        assert_eq!(thm.rounding(), atl_kernel::Rounding::Real);
        check(cx, &thm);
    });
}

/// `[!(y < 0 && 1 < x) && !(y < 3 && 4 < x) && ..] * [0 <= x] * a[y, x]`: the first conjunct holds.
#[test]
fn guards_of_many_cases_lose_what_holds_anyway() {
    with(|cx| {
        let mut ctx = (*cx.ctx).clone();
        let [n, m] = [0, 2].map(Ix::free);
        let [y, x] = [("y", n), ("x", m)].map(|(name, n)| Ix::free(ctx.push_loop(Label::new(name), &n)));
        let part = |k: i64| {
            Pred::not(Pred::and(Pred::lt(y.clone(), Ix::Lit(3 * k)), Pred::lt(Ix::Lit(3 * k + 1), x.clone())))
        };
        let body = guard(Pred::le(Ix::ZERO, x.clone()), &get(4, &[y.clone(), x.clone()]));
        let mut inside = cx.within(Arc::new(ctx));
        for many in [2, 8, 9, 10, 30, 100] {
            let all = guard(conjunction((0..many).map(part)), &body);
            let thm =
                drop_implied(&mut inside, &all).expect("a theorem").expect("the first conjunct is dropped");
            let Node::Guard(p, rest) = &**thm.rhs() else { panic!("{:?}", thm.rhs()) };
            assert_eq!((conjuncts(p), rest), ((1..many).map(part).collect(), &body));
            check(&inside, &thm);
            // What is left stays.
            assert!(drop_implied(&mut inside, thm.rhs()).expect("a theorem").is_none());
        }
    });
}

#[test]
fn tiles_have_the_elements_of_the_recursion() {
    let mut ctx = Ctx::new();
    let n = Ix::Lit(4) * Ix::free(ctx.push_size(Label::new("N")));
    let m = Ix::Lit(8) * Ix::free(ctx.push_size(Label::new("M")));
    let elem = atl_semirings::elem(Scalar::F32, "plus_times").expect("ordinary floats");
    ctx.push_tensor(Label::new("a"), Type { elem, shape: vec![n.clone(), m.clone()] });
    let along = vec![(Label::new("i"), n.clone()), (Label::new("j"), m.clone())];
    let zero: Expr = Arc::new(Node::Lit(elem, Number::Zero));
    let start = loops(&zero, 100, &along);
    let d: Expr = Arc::new(Node::Var(Var::Free(100)));
    let (i, j) = (Ix::free(101), Ix::free(102));
    let read = |p: Pred, at: &[Ix]| -> Expr { Arc::new(Node::Guard(p, access(&d, at))) };
    let above = read(Pred::le(Ix::ONE, i.clone()), &[i.clone() - Ix::ONE, j.clone()]);
    let left = read(Pred::le(Ix::ONE, j.clone()), &[i.clone(), j.clone() - Ix::ONE]);
    let both: Expr = Arc::new(Node::Prim(Prim::Max, vec![above, left]));
    let element: Expr = Arc::new(Node::Prim(Prim::Add, vec![get(4, &[i, j]), both]));
    let term = Recursion::new(Label::new("d"), start, along, &element, 100).expect("a recursion").term();
    let mut arith = Arith::default();
    let mut cx = Cx::new(Arc::new(ctx), &mut arith);
    let tiling = Tiling { sizes: vec![4, 8], skews: vec![0, 0], name: "tile".into() };
    let thm = by_tiles(&mut cx, &term, (&[1, 1], &tiling), &Storage::InPlace, "front");
    let thm = thm.expect("a theorem").unwrap_or_else(|_| panic!("a conflict"));
    check(&cx, &thm);
}
