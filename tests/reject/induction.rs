//! Rounds: what is not the last one, not the start, and equations from which nothing follows by induction.

use atl_arith::Arith;
use atl_interp::{Machine, Value, eval_program};
use atl_kernel::{
    Child, Ctx, Elem, Error, Expr, Iterate, Ix, Label, Laws, Node, Number, Prim, Rounding, Rule, Scalar,
    State, Thm, Type, Var, rounds, type_of,
};
use atl_semirings::instances::PLUS_TIMES;
use std::sync::Arc;

const I64: Elem = Elem { scalar: Scalar::I64, algebra: &PLUS_TIMES };
const F64: Elem = Elem { scalar: Scalar::F64, algebra: &PLUS_TIMES };

fn node(n: Node) -> Expr {
    Arc::new(n)
}

fn bound(k: u32) -> Expr {
    node(Node::Var(Var::Bound(k)))
}

fn index(ix: Ix) -> Expr {
    node(Node::Index(I64, ix))
}

fn iterate(extent: Ix, states: Vec<(Expr, Expr)>, body: Expr) -> Expr {
    let state = |(init, step)| State { label: Label::new("x"), init, step };
    let states = states.into_iter().map(state).collect();
    node(Node::Iterate(Arc::new(Iterate { label: Label::new("t"), extent, states, body })))
}

fn let_in(values: &[Expr], body: Expr) -> Expr {
    values.iter().rev().fold(body, |body, x| node(Node::Let(Label::new("x"), x.clone(), body)))
}

fn value(e: &Expr) -> i64 {
    let found = eval_program::<Machine>(&Ctx::new(), &[], vec![], e).expect("a value");
    if let Value::Int(n) = &found.data()[0] { n.get() as i64 } else { panic!("an integer") }
}

/// `e = e'` for `lhs = e'`, where inlining makes `e` of `e'`.
fn inlined(ctx: &Arc<Ctx>, e: &Expr, arith: &mut Arith) -> Thm {
    let mut thm = Thm::refl(ctx, e, arith).expect("a term");
    while let Node::Let(..) = &**thm.rhs() {
        let next = Thm::rule(ctx, Rule::LetInline, &thm.rhs().clone(), arith).expect("a let");
        thm = thm.trans(next).expect("they meet");
    }
    thm.sym()
}

/// `iterate t < n from x = 0 { t + 1 }`, which counts: a family, and its two premises.
struct Counting {
    ctx: Arc<Ctx>,
    iteration: Expr,
    family: Expr,
    base: Thm,
    step: Thm,
}

fn counting(ctx: Ctx, n: Ix) -> Counting {
    let (ctx, arith) = (Arc::new(ctx), &mut Arith::new());
    let t = Ix::free(ctx.level());
    let next = index(Ix::Var(Var::Bound(0)) + Ix::ONE);
    let iteration = iterate(n, vec![(index(Ix::ZERO), next)], bound(0));
    let inner = Arc::new(rounds(&ctx, &iteration).expect("an iteration"));
    let base = Thm::refl(&ctx, &index(Ix::ZERO), arith).expect("a term");
    let after = let_in(&[index(t.clone())], index(t.clone() + Ix::ONE));
    let step = inlined(&inner, &after, arith);
    Counting { ctx, iteration, family: index(t), base, step }
}

fn sized() -> (Ctx, Ix) {
    let mut ctx = Ctx::new();
    let n = ctx.push_size(Label::new("n"));
    (ctx, Ix::free(n))
}

#[test]
fn what_counts_is_the_count() {
    let (ctx, n) = sized();
    let it = counting(ctx, n.clone());
    let premises = vec![(it.base, it.step)];
    let thm = Thm::induction(&it.ctx, &it.iteration, &[it.family], premises, &mut Arith::new());
    let thm = thm.expect("an induction");
    assert_eq!((thm.lhs(), thm.rhs()), (&let_in(&[index(n)], bound(0)), &it.iteration));
    assert_eq!((thm.rounding(), thm.laws()), (Rounding::Bitwise, Laws::NONE));
    let again = Thm::replay(&it.ctx, thm.proof()).expect("a replay");
    assert_eq!((again.lhs(), again.rhs()), (thm.lhs(), thm.rhs()));
}

#[test]
fn rounds_below_none_are_no_induction() {
    // With -1 rounds the value is the start, 0, and the family says -1.
    let it = counting(Ctx::new(), Ix::Lit(-1));
    let premises = vec![(it.base, it.step)];
    let refused = Thm::induction(&it.ctx, &it.iteration, &[it.family], premises, &mut Arith::new());
    assert!(matches!(refused, Err(Error::Unproved(_))), "{refused:?}");
    let mut ctx = Ctx::new();
    let n = ctx.push_index(Label::new("n"));
    let it = counting(ctx, Ix::free(n));
    let premises = vec![(it.base, it.step)];
    assert!(Thm::induction(&it.ctx, &it.iteration, &[it.family], premises, &mut Arith::new()).is_err());
}

#[test]
fn premises_are_the_kernels_own_equations() {
    let (ctx, n) = sized();
    let it = counting(ctx, n.clone());
    let arith = &mut Arith::new();
    let (base, step) = (it.base.clone(), it.step.clone());
    let mut refused = |what: &str, iteration: &Expr, family: &[Expr], premises: Vec<(Thm, Thm)>| {
        assert!(Thm::induction(&it.ctx, iteration, family, premises, arith).is_err(), "{what}");
    };
    let family = std::slice::from_ref(&it.family);
    let t = Ix::free(it.ctx.level());
    let other = |init: Expr, step: Expr| iterate(n.clone(), vec![(init, step)], bound(0));
    let counts = index(Ix::Var(Var::Bound(0)) + Ix::ONE);
    refused("no premise", &it.iteration, family, vec![]);
    refused(
        "a state too many",
        &it.iteration,
        &[it.family.clone(), it.family.clone()],
        vec![(base.clone(), step.clone()), (base.clone(), step.clone())],
    );
    refused("no iteration", &index(n.clone()), family, vec![(base.clone(), step.clone())]);
    refused("sides that changed places", &it.iteration, family, vec![(base.clone(), step.clone().sym())]);
    refused("premises that changed places", &it.iteration, family, vec![(step.clone(), base.clone())]);
    refused("the start for a step", &it.iteration, family, vec![(base.clone(), base.clone())]);
    refused(
        "another start",
        &other(index(Ix::ONE), counts.clone()),
        family,
        vec![(base.clone(), step.clone())],
    );
    let two = index(Ix::Var(Var::Bound(0)) + Ix::Lit(2));
    refused("another step", &other(index(Ix::ZERO), two), family, vec![(base.clone(), step.clone())]);
    let more = index(t.clone() + Ix::ONE);
    refused("another family", &it.iteration, &[more], vec![(base.clone(), step.clone())]);
    let shape = node(Node::Gen(Label::new("i"), t, index(Ix::ZERO)));
    refused("another shape", &it.iteration, &[shape], vec![(base, step)]);
}

#[test]
fn a_step_holds_in_every_round_and_nowhere_else() {
    let (ctx, n) = sized();
    let it = counting(ctx, n.clone());
    let arith = &mut Arith::new();
    let t = Ix::free(it.ctx.level());
    let after = let_in(&[index(t.clone())], index(t.clone() + Ix::ONE));
    // Under fewer bounds, under more, and of one round fewer.
    let mut contexts = Vec::new();
    let mut unbounded = (*it.ctx).clone();
    unbounded.push_index(Label::new("t"));
    contexts.push(unbounded);
    let mut short = (*it.ctx).clone();
    short.push_loop(Label::new("t"), &(n - Ix::ONE));
    contexts.push(short);
    let mut known = (*it.ctx).clone();
    known.push_loop(Label::new("t"), &Ix::free(0));
    known.push_hyp(atl_kernel::Pred::lt(t, Ix::ONE));
    contexts.push(known);
    for inner in contexts {
        let step = inlined(&Arc::new(inner), &after, arith);
        let premises = vec![(it.base.clone(), step)];
        assert!(
            Thm::induction(&it.ctx, &it.iteration, std::slice::from_ref(&it.family), premises, arith)
                .is_err()
        );
    }
    // And the start below the index: what holds where there is a round need not hold where there is none.
    let inner = Arc::new(rounds(&it.ctx, &it.iteration).expect("an iteration"));
    let base = Thm::refl(&inner, &index(Ix::ZERO), arith).expect("a term");
    assert!(Thm::induction(&it.ctx, &it.iteration, &[it.family], vec![(base, it.step)], arith).is_err());
}

#[test]
fn a_family_has_one_argument() {
    // `F(i) = i * (2 - i) * t`, if the index of the step could stand in it beside its argument: 0 at 0 and
    // at 2 whatever `t` is, but 0 or 1 at 1. Each step would be right, of another `t`, and the states 0, 0,
    // 1 would end with 0.
    let (ctx, arith) = (Arc::new(Ctx::new()), &mut Arith::new());
    let less = node(Node::Prim(Prim::Sub, vec![index(Ix::ONE), bound(1)]));
    let first = atl_kernel::Pred::eq(Ix::Var(Var::Bound(0)), Ix::ZERO);
    let step = node(Node::Select(first.clone(), index(Ix::ZERO), less));
    let iteration = iterate(Ix::Lit(2), vec![(index(Ix::ZERO), step)], bound(0));
    assert_eq!(value(&iteration), 1);
    let t = Ix::free(0);
    let inner = Arc::new(rounds(&ctx, &iteration).expect("an iteration"));
    let f = |i: Ix| index(i.clone() * (Ix::Lit(2) - i) * t.clone());
    let base = Thm::refl(&ctx, &index(Ix::ZERO), arith).expect("a term");
    assert_eq!((f(Ix::ZERO), f(Ix::Lit(2))), (index(Ix::ZERO), index(Ix::ZERO)));
    // `F(t + 1) = let x = F(t); select(t == 0, 0, 1 - x)`, by cases.
    let less = |x: Expr| node(Node::Prim(Prim::Sub, vec![index(Ix::ONE), x]));
    let is_first = atl_kernel::Pred::eq(t.clone(), Ix::ZERO);
    let of = |x: Expr| node(Node::Select(is_first.clone(), index(Ix::ZERO), less(x)));
    let after = let_in(&[f(t.clone())], of(bound(0)));
    let mut case = |holds: bool| {
        let mut inner = (*inner).clone();
        let p = if holds { is_first.clone() } else { atl_kernel::Pred::not(is_first.clone()) };
        inner.push_hyp(p);
        let inner = Arc::new(inner);
        let mut thm = inlined(&inner, &after, arith).sym();
        let select = if holds { Rule::SelectTrue } else { Rule::SelectFalse };
        let mut rules = vec![select];
        if !holds {
            rules.extend([Rule::ArithEq(less(index(Ix::ONE))), Rule::IndexPrim]);
        }
        rules.push(Rule::ArithEq(f(t.clone() + Ix::ONE)));
        for rule in rules {
            let next = Thm::rule(&inner, rule, &thm.rhs().clone(), arith).expect("a rule");
            thm = thm.trans(next).expect("they meet");
        }
        thm.sym()
    };
    let (holds, fails) = (case(true), case(false));
    let step = Thm::cases(&inner, is_first.clone(), holds, fails).expect("both cases");
    assert_eq!((step.lhs(), step.rhs()), (&f(t.clone() + Ix::ONE), &after));
    let bound = Ix::Var(Var::Bound(0));
    for family in [f(t.clone()), f(bound.clone()), index(bound.clone() * (Ix::Lit(2) - bound) * Ix::free(0))]
    {
        let premises = vec![(base.clone(), step.clone())];
        assert!(Thm::induction(&ctx, &iteration, &[family], premises, arith).is_err());
    }
}

#[test]
fn what_a_premise_costs_the_theorem_costs() {
    // `x + (1 + 1)` for `(x + 1) + 1`, which rounds otherwise: `F(t)` is the iteration with the first step.
    let (ctx, n) = sized();
    let (ctx, arith) = (Arc::new(ctx), &mut Arith::new());
    let add = |a: Expr, b: Expr| node(Node::Prim(Prim::Add, vec![a, b]));
    let one = || node(Node::Lit(F64, Number::One));
    let start = node(Node::Lit(F64, Number::Zero));
    let left = |n: Ix| iterate(n, vec![(start.clone(), add(add(bound(1), one()), one()))], bound(0));
    let right = iterate(n.clone(), vec![(start.clone(), add(bound(1), add(one(), one())))], bound(0));
    let t = Ix::free(ctx.level());
    let none = Thm::rule(&ctx, Rule::IterateZero, &left(Ix::ZERO), arith).expect("no round");
    let none = none.clone().trans(Thm::rule(&ctx, Rule::LetInline, none.rhs(), arith).expect("a let"));
    let base = none.expect("they meet");
    let inner = Arc::new(rounds(&ctx, &right).expect("an iteration"));
    let last = Thm::rule(&inner, Rule::IterateLast, &left(t.clone() + Ix::ONE), arith).expect("a last round");
    let body = Thm::rule(&inner, Rule::IterateBody, last.rhs(), arith).expect("a body");
    let mut thm = last.trans(body).expect("they meet");
    let (below, rest) = atl_kernel::enter(&inner, thm.rhs(), Child::Body, arith).expect("a let");
    let below = Arc::new(below);
    let value = Thm::rule(&below, Rule::LetInline, &rest, arith).expect("a let");
    let other = Thm::rule(&below, Rule::AddAssoc, value.rhs(), arith).expect("a law");
    let inside = value.trans(other).expect("they meet");
    let inside = Thm::congruence(&inner, &thm.rhs().clone(), Child::Body, inside, arith).expect("below");
    thm = thm.trans(inside).expect("they meet");
    let after = let_in(&[left(t.clone())], add(bound(0), add(one(), one())));
    let same = Thm::rule(&inner, Rule::ArithEq(after), &thm.rhs().clone(), arith).expect("the same rounds");
    let step = thm.trans(same).expect("they meet");
    let family = [left(t)];
    let thm = Thm::induction(&ctx, &right, &family, vec![(base, step)], arith).expect("an induction");
    assert_eq!(thm.lhs(), &let_in(&[left(n)], bound(0)));
    assert_eq!((thm.rounding(), thm.laws()), (Rounding::Real, Laws::ADD_ASSOC));
}

#[test]
fn there_is_no_round_or_there_is_a_last_one() {
    let (ctx, n) = sized();
    let (ctx, arith) = (Arc::new(ctx), &mut Arith::new());
    let it = |n: Ix| iterate(n, vec![(index(Ix::Lit(7)), index(Ix::Lit(8)))], bound(0));
    for rounds in [n.clone(), n - Ix::ONE, Ix::free(0) * Ix::free(0)] {
        assert!(Thm::rule(&ctx, Rule::IterateZero, &it(rounds.clone()), arith).is_err());
        assert!(Thm::rule(&ctx, Rule::IterateLast, &it(rounds), arith).is_err());
    }
    assert!(Thm::rule(&ctx, Rule::IterateZero, &it(Ix::ONE), arith).is_err());
    assert!(Thm::rule(&ctx, Rule::IterateLast, &it(Ix::ZERO), arith).is_err());
    // Without a round the value is the start, and not zero as of a sum.
    for rounds in [-1, 0] {
        let none = Thm::rule(&ctx, Rule::IterateZero, &it(Ix::Lit(rounds)), arith).expect("no round");
        assert_eq!((value(none.lhs()), value(none.rhs())), (7, 7));
    }
    for rule in [Rule::IterateZero, Rule::IterateLast, Rule::IterateBody] {
        let sum = node(Node::Sum(Label::new("t"), Ix::ZERO, index(Ix::ONE)));
        assert!(Thm::rule(&ctx, rule, &sum, arith).is_err());
    }
}

#[test]
fn a_sum_without_terms_has_no_last_one() {
    let (ctx, n) = sized();
    let (ctx, arith) = (Arc::new(ctx), &mut Arith::new());
    let sum = |n: Ix| node(Node::Sum(Label::new("i"), n, node(Node::Index(F64, Ix::Var(Var::Bound(0))))));
    for terms in [n.clone(), Ix::ZERO, Ix::Lit(-1)] {
        assert!(Thm::rule(&ctx, Rule::SumLast, &sum(terms), arith).is_err());
    }
    let last = Thm::rule(&ctx, Rule::SumLast, &sum(n.clone() + Ix::ONE), arith).expect("a last term");
    let before = n + Ix::ONE - Ix::ONE;
    let expected = vec![sum(before.clone()), node(Node::Index(F64, before))];
    assert_eq!((last.rounding(), last.rhs()), (Rounding::Bitwise, &node(Node::Prim(Prim::Add, expected))));
}

#[test]
fn the_last_round_sees_old_states_and_new_ones_before_its_own() {
    // `x, y = y, x + y`, once with the new `x` and once with the old one, over integers that an index
    // reads.
    let (ctx, arith) = (Arc::new(Ctx::new()), &mut Arith::new());
    let add = |a: Expr, b: Expr| node(Node::Prim(Prim::Add, vec![a, b]));
    let read = |k| index(Ix::Read(Var::Bound(k), Arc::new([])));
    for x in [1, 3] {
        let it = iterate(
            Ix::Lit(4),
            vec![(index(Ix::ONE), bound(1)), (index(Ix::Lit(10)), add(read(x), bound(2)))],
            add(bound(0), add(bound(1), bound(1))),
        );
        let last = Thm::rule(&ctx, Rule::IterateLast, &it, arith).expect("a last round");
        let body = Thm::rule(&ctx, Rule::IterateBody, &it, arith).expect("a body");
        let of_body = Thm::rule(&ctx, Rule::IterateBody, last.rhs(), arith).expect("a body");
        for other in [last.rhs(), body.rhs(), of_body.rhs()] {
            assert_eq!(value(other), value(&it));
        }
        assert!(type_of(&ctx, of_body.rhs(), arith) == Ok(Type { elem: I64, shape: vec![] }));
    }
}

#[test]
fn a_count_of_rounds_that_is_none_proves_nothing() {
    let (ctx, arith) = (Arc::new(Ctx::new()), &mut Arith::new());
    let five = |extent: Ix| iterate(extent, vec![(index(Ix::ZERO), index(Ix::Lit(5)))], bound(0));
    for extent in [Ix::free(7), Ix::Var(Var::Bound(0)), Ix::Read(Var::Free(0), [].into())] {
        let inner = Arc::new(rounds(&ctx, &five(extent)).expect("an iteration"));
        assert!(matches!(Thm::refl(&inner, &index(Ix::ZERO), arith), Err(Error::Stray(_))));
    }
    // As many rounds as the round has before it: `t < t` proves any step, and no type has such an iteration.
    let t = Ix::free(ctx.level());
    let iteration = five(t);
    let inner = Arc::new(rounds(&ctx, &iteration).expect("an iteration"));
    let zero = index(Ix::ZERO);
    let absurd = Rule::Absurd(let_in(std::slice::from_ref(&zero), index(Ix::Lit(5))));
    let step = Thm::rule(&inner, absurd, &zero, arith).expect("an absurdity");
    let base = Thm::refl(&ctx, &zero, arith).expect("a term");
    let refused = Thm::induction(&ctx, &iteration, &[zero], vec![(base, step)], arith);
    assert!(matches!(refused, Err(Error::IllTyped(..))), "{refused:?}");
}
