//! What each construct of the term language means, and where evaluation refuses.

use crate::common::*;
use atl_interp::{Env, EvalError, Limits, Machine, Tensor, Value, eval, eval_program};
use atl_kernel::{
    Algebra, Ctx, Definition, Elem, Expr, Function, Iterate, Ix, IxOp, Label, Laws, Node, Number, Pred, Prim,
    Scalar, State, Type, Var,
};
use atl_semirings::instances::{AND_OR, MAX_MIN, MAX_TIMES, MIN_MAX, MIN_PLUS, TIMES};
use std::sync::Arc;

/// Level 0 is `N`, level 1 is `X = [10, 20, 30]`, level 2 is `Y = [[1, 2, 3], [4, 5, 6]]`.
const X: u32 = 1;
const Y: u32 = 2;

fn env(n: i64) -> Env<Value> {
    let int = elem(Scalar::I32);
    let ints = |shape: &[usize], data: &[i32]| {
        Tensor::try_new(int, shape.to_vec(), data.iter().copied().map(Value::i32).collect()).expect("it fits")
    };
    let mut env = Env::new();
    env.push_index(n);
    env.push_tensor(ints(&[3], &[10, 20, 30]));
    env.push_tensor(ints(&[2, 3], &[1, 2, 3, 4, 5, 6]));
    env
}

fn value(n: i64, e: &Expr) -> Result<Tensor<Value>, EvalError> {
    eval::<Machine>(&env(n), e, Limits { steps: 100_000, ..Limits::default() })
}

/// The value of an integer term, where `N` is `n`.
fn check(n: i64, e: &Expr, shape: &[usize], data: &[i32]) {
    let found = value(n, e).unwrap_or_else(|why| panic!("{why}: {e:?}"));
    let data: Vec<Value> = data.iter().copied().map(Value::i32).collect();
    assert_eq!((found.shape(), found.data()), (shape, &data[..]), "{e:?}");
}

fn check_scalar(e: &Expr, expected: Value) {
    let found = value(0, e).unwrap_or_else(|why| panic!("{why}: {e:?}"));
    assert_eq!((found.shape(), found.data()), (&[][..], &[expected][..]), "{e:?}");
}

fn refuse(e: &Expr, why: &EvalError) {
    assert_eq!(value(2, e).as_ref().err(), Some(why), "{e:?}");
}

fn n() -> Ix {
    Ix::free(0)
}

fn int(value: i64) -> Expr {
    lit(elem(Scalar::I32), Number::Decimal(value.into(), 0))
}

#[test]
fn variables_and_accesses() {
    check(0, &var(X), &[3], &[10, 20, 30]);
    check(0, &at(&var(Y), [Ix::ONE]), &[3], &[4, 5, 6]);
    check(0, &at(&var(Y), [Ix::ONE, Ix::Lit(2)]), &[], &[6]);
    check(2, &at(&var(X), [n()]), &[], &[30]);
}

#[test]
fn reads_out_of_range_are_zero() {
    check(0, &at(&var(Y), [Ix::Lit(2)]), &[3], &[0, 0, 0]);
    check(-1, &at(&var(X), [n()]), &[], &[0]);
    check(3, &at(&generate(n(), int(7)), [Ix::Lit(3)]), &[], &[0]);
    // Not the operation's value at zeros: of the result, too, there is no row 3.
    let ones = add(&var(X), &generate(3, int(1)));
    check(0, &at(&ones, [Ix::Lit(3)]), &[], &[0]);
}

#[test]
fn loops() {
    check(3, &generate(n(), index(elem(Scalar::I32), bound(0))), &[3], &[0, 1, 2]);
    check(-2, &generate(n(), var(X)), &[0, 3], &[]);
    check(2, &sum(n(), at(&var(Y), [bound(0)])), &[3], &[5, 7, 9]);
    check(0, &sum(n(), at(&var(Y), [bound(0)])), &[3], &[0, 0, 0]);
    let transposed = generate(3, generate(2, at(&var(Y), [bound(0), bound(1)])));
    check(0, &transposed, &[3, 2], &[1, 4, 2, 5, 3, 6]);
    // In order, from zero: in another one the small numbers would survive.
    let float = elem(Scalar::F32);
    let large = lit(float, Number::Decimal(1 << 24, 0));
    let terms = select(Pred::eq(bound(0), Ix::ZERO), large, lit(float, Number::One));
    check_scalar(&sum(3, terms), Value::F32(16_777_216.0));
    // The sum so far is the left operand, which a maximum keeps unless the other is larger: a NaN is left out.
    let most = Elem { scalar: Scalar::F64, algebra: &MAX_MIN };
    let root = prim(Prim::Call(Function::Sqrt), &[&lit(most, Number::Decimal(-1, 0))]);
    let terms = select(Pred::eq(bound(0), Ix::ZERO), lit(most, Number::Decimal(1, 0)), root);
    check_scalar(&sum(2, terms), Value::F64(1.0));
}

#[test]
fn guards_select_and_do_not_multiply() {
    let infinite = lit(elem(Scalar::F64), Number::Infinity);
    check_scalar(&guard(Pred::False, infinite.clone()), Value::F64(0.0));
    check_scalar(&guard(Pred::True, infinite), Value::F64(f64::INFINITY));
    check(0, &guard(Pred::lt(n(), Ix::ZERO), var(Y)), &[2, 3], &[0; 6]);
    check(0, &select(Pred::eq(n(), Ix::ZERO), int(1), int(2)), &[], &[1]);
    check(1, &select(Pred::eq(n(), Ix::ZERO), int(1), int(2)), &[], &[2]);
    let endless = sum(i64::MAX, int(1));
    check(0, &guard(Pred::not(Pred::le(n(), n())), endless.clone()), &[], &[0]);
    check(0, &select(Pred::or(Pred::lt(n(), Ix::ONE), Pred::False), int(5), endless), &[], &[5]);
}

#[test]
fn lets_bind_values() {
    let twice = bind(add(&var(X), &var(X)), add(&bound_tensor(0), &bound_tensor(0)));
    check(0, &twice, &[3], &[40, 80, 120]);
    let inner = bind(int(1), bind(int(2), add(&mul(&int(10), &bound_tensor(1)), &bound_tensor(0))));
    check(0, &inner, &[], &[12]);
    // A scratch tensor whose extent depends on the loop.
    let scratch = bind(generate(bound(0), int(1)), sum(bound(1), at(&bound_tensor(1), [bound(0)])));
    check(4, &generate(n(), scratch), &[4], &[0, 1, 2, 3]);
}

#[test]
fn indices_become_values() {
    let at_sizes = |scalar, n| eval::<Machine>(&env(n), &index(elem(scalar), Ix::free(0)), Limits::default());
    let check =
        |scalar, n, expected| assert_eq!(at_sizes(scalar, n).map(Tensor::into_data), Ok(vec![expected]));
    check(Scalar::I64, -7, Value::i64(-7));
    check(Scalar::U8, 257, Value::u8(1));
    check(Scalar::F32, 16_777_217, Value::F32(16_777_216.0));
    check(Scalar::Bool, 2, Value::Bool(true));
}

#[test]
fn algebras_decide_zero_and_the_operations() {
    let of = |scalar, algebra: &'static Algebra| Elem { scalar, algebra };
    let numbers = |scalar, algebra| {
        let elem = of(scalar, algebra);
        let (three, four) = (lit(elem, Number::Decimal(3, 0)), lit(elem, Number::Decimal(4, 0)));
        [lit(elem, Number::Zero), lit(elem, Number::One), add(&three, &four), mul(&three, &four)]
    };
    let check = |scalar, algebra, expected: [Value; 4]| {
        for (e, expected) in numbers(scalar, algebra).iter().zip(expected) {
            check_scalar(e, expected);
        }
    };
    let float = |x: [f64; 4]| x.map(Value::F64);
    check(Scalar::F64, &MIN_PLUS, float([f64::INFINITY, 0.0, 3.0, 7.0]));
    check(Scalar::F64, &MAX_TIMES, float([0.0, 1.0, 4.0, 12.0]));
    check(Scalar::F64, &TIMES, float([1.0, 1.0, 12.0, 12.0]));
    check(Scalar::I32, &MIN_MAX, [i32::MAX, i32::MIN, 3, 4].map(Value::i32));
    let truth = elem(Scalar::Bool);
    check_scalar(&add(&lit(truth, Number::One), &lit(truth, Number::Zero)), Value::Bool(true));
    check_scalar(&mul(&lit(truth, Number::One), &lit(truth, Number::Zero)), Value::Bool(false));
    check_scalar(&sum(0, lit(of(Scalar::Bool, &AND_OR), Number::Zero)), Value::Bool(true));
}

#[test]
fn views_reduce_with_another_operation() {
    let ordinary = elem(Scalar::I32).algebra;
    let reduce = |algebra| view(ordinary, sum(3, view(algebra, at(&var(X), [bound(0)]))));
    check(0, &reduce(&TIMES), &[], &[6000]);
    check(0, &reduce(&MAX_MIN), &[], &[30]);
    check(0, &reduce(&MIN_MAX), &[], &[10]);
    // A view changes the zero of what is out of range.
    check(0, &at(&view(&TIMES, var(X)), [Ix::Lit(3)]), &[], &[1]);
}

#[test]
fn comparisons_and_conversions() {
    let where_less = |a: &Expr, b: &Expr| prim(Prim::Where, &[&prim(Prim::Lt, &[a, b]), a, b]);
    check(0, &where_less(&var(X), &generate(3, int(20))), &[3], &[10, 20, 20]);
    let half = lit(elem(Scalar::F64), Number::Decimal(-25, -1));
    check(0, &prim(Prim::Cast(elem(Scalar::I32)), &[&half]), &[], &[-2]);
    // The comparison of elements of an algebra has a zero there.
    let path = Elem { scalar: Scalar::F64, algebra: &MIN_PLUS };
    let (zero, one) = (lit(path, Number::Zero), lit(path, Number::One));
    check_scalar(&prim(Prim::Where, &[&prim(Prim::Le, &[&zero, &one]), &zero, &one]), Value::F64(0.0));
}

#[test]
fn operators_are_their_definitions() {
    // shift(d, x, y) = gen i < extent of x. x[i + d], where x has any rank from 1 up.
    let shift = Arc::new(Definition {
        name: "shift",
        index_params: 1,
        tensor_params: vec![1, 0],
        body: generate(Ix::free(1), at(&var(2), [bound(0) + Ix::free(0)])),
    });
    let call = |k: Ix, x: Expr, y: Expr| Expr::new(Node::Op(shift.clone(), vec![k], vec![x, y]));
    check(1, &call(n(), var(X), int(0)), &[3], &[20, 30, 0]);
    check(1, &call(n(), var(Y), int(0)), &[2, 3], &[4, 5, 6, 0, 0, 0]);
    check(1, &call(n(), call(n(), var(X), int(0)), int(0)), &[3], &[30, 0, 0]);
    // Arguments below binders, accessed from outside, with a loop of their own.
    let shifted = generate(2, call(bound(0), at(&var(Y), [bound(0)]), int(0)));
    check(0, &shifted, &[2, 3], &[1, 2, 3, 5, 6, 0]);
    let of_loop =
        generate(2, at(&call(bound(0), generate(3, index(elem(Scalar::I32), bound(0))), int(0)), [Ix::ONE]));
    check(0, &of_loop, &[2], &[1, 2]);
    // An argument that is not used is not evaluated.
    check(0, &call(Ix::ZERO, var(X), sum(i64::MAX, int(1))), &[3], &[10, 20, 30]);
    refuse(&call(n(), int(1), int(0)), &EvalError::Shape);
    refuse(&Expr::new(Node::Op(shift.clone(), vec![], vec![var(X)])), &EvalError::Shape);
}

#[test]
fn ill_formed_terms_are_refused() {
    static FOREIGN: Algebra =
        Algebra { name: "foreign", scalars: &Scalar::ALL, laws: Laws::NONE, formula: false };
    let foreign = Elem { scalar: Scalar::I32, algebra: &FOREIGN };
    let ints = Elem { scalar: Scalar::I32, algebra: &MIN_PLUS };
    refuse(&var(9), &EvalError::Unbound(Var::Free(9)));
    refuse(&var(0), &EvalError::Unbound(Var::Free(0)));
    refuse(&bound_tensor(0), &EvalError::Unbound(Var::Bound(0)));
    refuse(&at(&var(X), [bound(0)]), &EvalError::Unbound(Var::Bound(0)));
    refuse(&at(&var(X), [Ix::free(X)]), &EvalError::Unbound(Var::Free(X)));
    refuse(&at(&int(1), [Ix::ZERO]), &EvalError::Shape);
    refuse(&add(&var(X), &var(Y)), &EvalError::Shape);
    refuse(&generate(2, generate(bound(0), int(1))), &EvalError::Shape);
    refuse(&prim(Prim::Add, &[]), &EvalError::IllTyped(Prim::Add));
    let exp = Prim::Call(Function::Exp);
    refuse(&prim(exp, &[&int(1)]), &EvalError::IllTyped(exp));
    refuse(&lit(foreign, Number::Zero), &EvalError::NoMeaning(foreign));
    refuse(&lit(ints, Number::Zero), &EvalError::NoMeaning(ints));
    refuse(&lit(elem(Scalar::I32), Number::Infinity), &EvalError::NotRepresentable(Scalar::I32));
}

#[test]
fn costly_terms_are_refused() {
    let many = i64::MAX;
    refuse(&sum(many, int(1)), &EvalError::OutOfSteps);
    refuse(&sum(many, generate(0, int(1))), &EvalError::OutOfSteps);
    refuse(&generate(many, int(1)), &EvalError::TooLarge);
    refuse(&guard(Pred::False, generate(many, generate(many, int(1)))), &EvalError::TooLarge);
    let large = Ix::bin(IxOp::Mul, Ix::Lit(many), n());
    refuse(&at(&var(X), [large]), &EvalError::Overflow);
    // Shared parts count each time, whether they are terms or extents.
    let doubled = (0..60).fold(int(1), |e, _| add(&e, &e));
    refuse(&doubled, &EvalError::TooLarge);
    let double = (0..60).fold(n(), |ix, _| Ix::bin(IxOp::Add, ix.clone(), ix));
    refuse(&index(elem(Scalar::I64), double), &EvalError::TooLarge);
    let definition = Arc::new(Definition {
        name: "append",
        index_params: 0,
        tensor_params: vec![1],
        body: generate(Ix::free(0) + Ix::free(0), at(&var(1), [bound(0)])),
    });
    let appended = (0..60).fold(var(X), |e, _| Expr::new(Node::Op(definition.clone(), vec![], vec![e])));
    // An operator's lone operand is made first, so the steps end before a tensor is too large.
    refuse(&appended, &EvalError::OutOfSteps);
}

#[test]
fn deep_terms_are_refused_and_those_allowed_fit_the_stack() {
    let depth = Limits::default().depth;
    let nest = |levels: usize, e: Expr, f: &dyn Fn(Expr) -> Expr| (0..levels).fold(e, |e, _| f(e));
    let same = Arc::new(Definition {
        name: "same",
        index_params: 0,
        tensor_params: vec![0],
        body: bind(var(0), bound_tensor(0)),
    });
    let steps: [&dyn Fn(Expr) -> Expr; 6] = [
        &|e| prim(Prim::Neg, &[&e]),
        &|e| bind(e, bound_tensor(0)),
        &|e| bind(int(1), e),
        &|e| sum(1, e),
        &|e| at(&generate(1, e), [Ix::ZERO]),
        &|e| Expr::new(Node::Op(same.clone(), vec![], vec![e])),
    ];
    for step in steps {
        assert!(value(0, &nest(depth / 2 - 2, int(1), step)).is_ok());
        refuse(&nest(depth, int(1), step), &EvalError::TooDeep);
    }
}

#[test]
fn arguments_are_compared_with_the_context() {
    let float = elem(Scalar::F32);
    let mut ctx = Ctx::new();
    let size = ctx.push_size(Label::new("n"));
    ctx.push_hyp(Pred::eq(Ix::free(size) % Ix::Lit(2), Ix::ZERO));
    let level = ctx.push_tensor(Label::new("x"), Type { elem: float, shape: vec![Ix::free(size)] });
    let tensor = |n: usize| Tensor::try_new(float, vec![n], vec![Value::F32(1.0); n]).expect("it fits");
    let run = |sizes: &[i64], inputs| {
        eval_program::<Machine>(&ctx, sizes, inputs, &sum(Ix::free(size), at(&var(level), [bound(0)])))
            .map(Tensor::into_data)
    };
    assert_eq!(run(&[4], vec![tensor(4)]), Ok(vec![Value::F32(4.0)]));
    assert!(matches!(run(&[3], vec![tensor(3)]), Err(EvalError::Hypothesis(_))));
    assert!(matches!(run(&[-2], vec![tensor(0)]), Err(EvalError::Hypothesis(_))));
    let wrong_type = Tensor::try_new(float, vec![2], vec![Value::F64(1.0); 2]).expect("it fits");
    for (sizes, inputs) in [
        (vec![4], vec![tensor(2)]),
        (vec![4], vec![]),
        (vec![], vec![tensor(4)]),
        (vec![2, 2], vec![tensor(2)]),
        (vec![2], vec![tensor(2), tensor(2)]),
        (vec![2], vec![wrong_type]),
    ] {
        assert_eq!(run(&sizes, inputs), Err(EvalError::Arguments));
    }
}

fn rounds(states: Vec<(Expr, Expr)>, body: Expr) -> Expr {
    let state = |(init, step)| State { label: Label::default(), init, step };
    let states = states.into_iter().map(state).collect();
    Expr::new(Node::Iterate(Arc::new(Iterate { label: Label::default(), extent: n(), states, body })))
}

#[test]
fn rounds_end_where_none_changes_the_value() {
    let many = 1_000_000;
    let read = |k: u32| Ix::Read(Var::Bound(k), [].into());
    let truth = |p: Pred| select(p, int(1), int(0));
    let plus = |k: u32, by: i64| add(&bound_tensor(k), &int(by));
    // The state as it is where the new `stop`, so far outward, is 1.
    let unless =
        |stop: u32, old: u32, next: Expr| select(Pred::eq(read(stop), Ix::ONE), bound_tensor(old), next);
    let from = |stop: Expr, x: Expr| vec![(int(0), stop), (int(1), x)];

    // iterate t < N from x = 1 until 7 <= x { x + 3 } in x
    let seven = truth(Pred::le(Ix::Lit(7), read(1)));
    let until = rounds(from(seven.clone(), unless(1, 2, plus(2, 3))), bound_tensor(0));
    [(0, 1), (1, 4), (2, 7), (3, 7), (many, 7)].into_iter().for_each(|(n, x)| check(n, &until, &[], &[x]));
    // It is not before its own first round that they end.
    let mut begins_true = from(seven.clone(), unless(1, 2, plus(2, 3)));
    begins_true[0].0 = int(1);
    check(many, &rounds(begins_true, bound_tensor(0)), &[], &[7]);

    // iterate t < N from stop = t == 1, x = 1 { select(stop.new == 1, x, x + 3) } in x
    let by_round = truth(Pred::eq(bound(0), Ix::ONE));
    let once = rounds(from(by_round.clone(), unless(1, 2, plus(2, 3))), bound_tensor(0));
    check(4, &once, &[], &[10]);
    refuse_at(many, &once);
    // The same of a state that is the round's, and that only `stop` reads.
    let apart = vec![
        (int(0), by_round),
        (int(0), truth(Pred::eq(read(1), Ix::ONE))),
        (int(1), unless(1, 3, plus(3, 3))),
    ];
    let apart = rounds(apart, bound_tensor(0));
    check(4, &apart, &[], &[10]);
    refuse_at(many, &apart);
    // Every other round: `stop` is made of itself.
    let by_itself = truth(Pred::eq(read(2), Ix::ZERO));
    let other = rounds(from(by_itself, unless(1, 2, plus(2, 3))), bound_tensor(0));
    check(4, &other, &[], &[7]);
    refuse_at(many, &other);
    // A state that goes on, in the value and in a step.
    let mut goes_on = from(truth(Pred::le(Ix::Lit(7), read(2))), unless(1, 3, plus(3, 3)));
    goes_on.push((int(0), plus(3, 1)));
    check(5, &rounds(goes_on.clone(), add(&bound_tensor(0), &bound_tensor(1))), &[], &[12]);
    refuse_at(many, &rounds(goes_on, bound_tensor(1)));
    // Kept where `stop` is 0, and another state in its place.
    let kept_before = select(Pred::eq(read(1), Ix::ZERO), bound_tensor(2), plus(2, 3));
    let late = rounds(from(truth(Pred::le(read(1), Ix::Lit(7))), kept_before), bound_tensor(0));
    check(5, &late, &[], &[10]);
}

/// The value costs a step for each round.
fn refuse_at(n: i64, e: &Expr) {
    assert_eq!(value(n, e).as_ref().err(), Some(&EvalError::OutOfSteps), "{e:?}");
}
