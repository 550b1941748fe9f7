//! Iterations: a start is the value where there is no round, a state has one type, and binders are many.

use atl_arith::Arith;
use atl_interp::{Machine, Value, eval_program};
use atl_kernel::{
    Child, Ctx, Elem, Expr, Iterate, Ix, Label, Node, Number, Prim, Rule, Scalar, State, Thm, Type, Var,
    enter, type_of,
};
use atl_semirings::instances::PLUS_TIMES;
use std::sync::Arc;

const I64: Elem = Elem { scalar: Scalar::I64, algebra: &PLUS_TIMES };

fn node(n: Node) -> Expr {
    Arc::new(n)
}

fn bound(k: u32) -> Expr {
    node(Node::Var(Var::Bound(k)))
}

fn number(n: i128) -> Expr {
    node(Node::Lit(I64, Number::Decimal(n, 0)))
}

fn zeros(n: Ix) -> Expr {
    node(Node::Gen(Label::new("j"), n, node(Node::Lit(I64, Number::Zero))))
}

fn iterate(extent: Ix, states: Vec<(Expr, Expr)>, body: Expr) -> Expr {
    let state = |(init, step)| State { label: Label::new("x"), init, step };
    let states = states.into_iter().map(state).collect();
    node(Node::Iterate(Arc::new(Iterate { label: Label::new("t"), extent, states, body })))
}

fn value(e: &Expr) -> Vec<i64> {
    let found = eval_program::<Machine>(&Ctx::new(), &[], vec![], e).expect("a value");
    let cell = |cell: &Value| if let Value::Int(n) = cell { n.get() as i64 } else { panic!("an integer") };
    found.data().iter().map(cell).collect()
}

#[test]
fn a_start_is_not_rewritten_under_the_bounds_of_the_index() {
    // Without a round the start is the value, and `0 <= t < 0` would prove anything of it.
    let ctx = Arc::new(Ctx::new());
    let arith = &mut Arith::new();
    let e = iterate(Ix::ZERO, vec![(number(1), bound(1))], bound(0));
    let (inner, start) = enter(&ctx, &e, Child::Init(0), arith).expect("the start");
    assert_eq!((&inner, &start), (&*ctx, &number(1)));
    assert!(Thm::rule(&ctx, Rule::Absurd(number(2)), &start, arith).is_err());
    let (round, step) = enter(&ctx, &e, Child::Step(0), arith).expect("the step");
    let wrong = Thm::rule(&Arc::new(round.clone()), Rule::Absurd(number(2)), &step, arith).expect("no round");
    assert!(Thm::congruence(&ctx, &e, Child::Step(0), wrong.clone(), arith).is_ok());
    assert!(Thm::congruence(&ctx, &e, Child::Init(0), wrong.clone(), arith).is_err());
    assert!(Thm::congruence(&ctx, &e, Child::Body, wrong, arith).is_err());
    let of_start = Thm::rule(&Arc::new(round), Rule::Absurd(number(2)), &number(1), arith).expect("no round");
    assert!(Thm::congruence(&ctx, &e, Child::Init(0), of_start, arith).is_err());
}

#[test]
fn a_step_keeps_the_type_of_its_start() {
    let (ctx, arith) = (Ctx::new(), &mut Arith::new());
    let grows = |rounds| iterate(Ix::Lit(rounds), vec![(zeros(Ix::ONE), zeros(Ix::Lit(2)))], bound(0));
    assert!(type_of(&ctx, &grows(2), arith).is_err());
    let ragged = iterate(Ix::Lit(3), vec![(zeros(Ix::ONE), zeros(Ix::Var(Var::Bound(0))))], bound(0));
    assert!(type_of(&ctx, &ragged, arith).is_err());
    // Where no round is run, the type is the start's, and what a step would be is nothing.
    let shape = type_of(&ctx, &grows(0), arith).map(|ty| ty.shape);
    assert!(shape.is_err() || shape == Ok(vec![Ix::ONE]));
    let other = iterate(
        Ix::ONE,
        vec![(number(1), node(Node::Lit(Elem { scalar: Scalar::I32, ..I64 }, Number::One)))],
        bound(0),
    );
    assert!(type_of(&ctx, &other, arith).is_err());
}

#[test]
fn no_variable_leaves_its_iteration() {
    let (ctx, arith) = (Ctx::new(), &mut Arith::new());
    let read = Ix::Read(Var::Bound(0), Arc::new([]));
    // The shape of the value would depend on a state.
    assert!(
        type_of(&ctx, &iterate(Ix::ONE, vec![(number(1), bound(1))], zeros(read.clone())), arith).is_err()
    );
    // The number of rounds, a start, and the body know of no index and of no later state.
    assert!(type_of(&ctx, &iterate(read, vec![(number(1), bound(1))], bound(0)), arith).is_err());
    assert!(type_of(&ctx, &iterate(Ix::ONE, vec![(bound(0), bound(1))], bound(0)), arith).is_err());
    assert!(type_of(&ctx, &iterate(Ix::ONE, vec![(number(1), bound(1))], bound(1)), arith).is_err());
    // A step sees the new states before its own, and not its own.
    let two = |first: u32, second: u32| {
        iterate(Ix::ONE, vec![(number(1), bound(first)), (number(2), bound(second))], bound(0))
    };
    assert!(type_of(&ctx, &two(2, 3), arith).is_ok());
    assert!(type_of(&ctx, &two(3, 1), arith).is_err());
    assert!(type_of(&ctx, &two(2, 4), arith).is_err());
    // An index is no tensor.
    assert!(type_of(&ctx, &two(0, 1), arith).is_err());
}

#[test]
fn steps_read_what_their_variables_say() {
    // Below `x, y, new x, t`: the new `x` is variable 1, the old `x` is 3.
    let sum = |a, b| node(Node::Prim(Prim::Add, vec![bound(a), bound(b)]));
    let new = iterate(Ix::Lit(2), vec![(number(1), sum(1, 2)), (number(10), sum(1, 2))], bound(0));
    assert_eq!(value(&new), [11 + 10 + 11 + (10 + 11)]);
    let old = iterate(Ix::Lit(3), vec![(number(1), bound(1)), (number(10), bound(3))], bound(0));
    assert_eq!(value(&old), [1]);
    assert_eq!(value(&iterate(Ix::Lit(-1), vec![(number(7), number(8))], bound(0))), [7]);
    assert_eq!(value(&iterate(Ix::Lit(3), vec![], number(5))), [5]);
}

#[test]
fn a_congruence_closes_each_variable_to_its_binder() {
    // Below an index of the context's own, whose level is not to be caught.
    let mut ctx = Ctx::new();
    let outside = ctx.push_tensor(Label::new("a"), Type { elem: I64, shape: vec![] });
    let ctx = Arc::new(ctx);
    let arith = &mut Arith::new();
    let free = node(Node::Var(Var::Free(outside)));
    let add = |a: Expr, b: Expr| node(Node::Prim(Prim::Add, vec![a, b]));
    let e = iterate(
        Ix::Lit(2),
        vec![(free.clone(), bound(1)), (free.clone(), add(bound(1), free.clone()))],
        bound(0),
    );
    let (inner, step) = enter(&ctx, &e, Child::Step(1), arith).expect("the step");
    let swapped = Thm::rule(&Arc::new(inner), Rule::AddComm, &step, arith).expect("commutes");
    let thm = Thm::congruence(&ctx, &e, Child::Step(1), swapped, arith).expect("a congruence");
    let expected =
        iterate(Ix::Lit(2), vec![(free.clone(), bound(1)), (free.clone(), add(free, bound(1)))], bound(0));
    assert_eq!((thm.lhs(), thm.rhs()), (&e, &expected));
    assert_eq!(Thm::replay(&ctx, thm.proof()).expect("replays").rhs(), &expected);
    let differs = Rule::ArithEq(iterate(Ix::Lit(3), vec![], number(1)));
    assert!(Thm::rule(&ctx, differs, &iterate(Ix::Lit(2), vec![], number(1)), arith).is_err());
}
