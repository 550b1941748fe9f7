//! Both sides of each primitive rule have one value, for every algebra with the laws that the rule uses.
//!
//! What is compared follows the rule's rounding class: over exact numbers always; bit by bit, with NaN,
//! infinities and negative zero among the inputs, where the rule claims to be bitwise; and as numbers where
//! all of them are finite, where it claims that much.

use crate::common::*;
use atl_interp::{
    EvalError, Evaluate, Exact, Machine, Number as ExactNumber, Ratio, Tensor, Value, eval_program,
};
use atl_kernel::{
    Ctx, Definition, Elem, Error, Expr, Iterate, Ix, Label, Node, Number, Pred, Prim, Rounding, Rule, Scalar,
    State, Thm, Type,
};
use atl_semirings::instances::MAX_MIN;
use atl_semirings::{ALL, Semiring};
use std::sync::Arc;

/// The levels of the context: any integer `K`, a size `N`, an index `0 <= J < 6`, and tensors.
const N: u32 = 0;
const K: u32 = 2;
const J: u32 = 3;
const A: u32 = 6;
const B: u32 = 7;
const M: u32 = 8;
const S: u32 = 9;
const W: u32 = 10;

/// The types of `A`, `B`, `M`, `S`, and of `W`, whose algebra is another one.
fn tensors(elem: Elem) -> Vec<(Elem, Vec<usize>)> {
    let other = Elem { algebra: &MAX_MIN, ..elem };
    vec![(elem, vec![6]), (elem, vec![6]), (elem, vec![4, 6]), (elem, vec![]), (other, vec![6])]
}

fn context(elem: Elem) -> Arc<Ctx> {
    let mut ctx = Ctx::new();
    assert_eq!(ctx.push_size(Label::new("n")), N);
    assert_eq!(ctx.push_index(Label::new("k")), K);
    assert_eq!(ctx.push_loop(Label::new("j"), &Ix::Lit(6)), J);
    for (elem, shape) in tensors(elem) {
        let shape = shape.iter().map(|n| Ix::Lit(i64::try_from(*n).expect("small"))).collect();
        ctx.push_tensor(Label::default(), Type { elem, shape });
    }
    assert_eq!(ctx.level(), W + 1);
    Arc::new(ctx)
}

/// `iterate t < n from x = a, y = s { gen i < 6 { x[i] + y }, y + x'[t] } in gen i < 6 { x[i] * y }`, with the new `x'`.
fn rounds(extent: Ix, a: &Expr, s: &Expr) -> Expr {
    let i = || [bound(0)];
    let state = |init: &Expr, step| State { label: Label::default(), init: init.clone(), step };
    let first = generate(6, add(&at(&bound_tensor(3), i()), &bound_tensor(2)));
    let second = add(&bound_tensor(2), &at(&bound_tensor(1), i()));
    let body = generate(6, mul(&at(&bound_tensor(2), i()), &bound_tensor(1)));
    let states = vec![state(a, first), state(s, second)];
    Expr::new(Node::Iterate(Arc::new(Iterate { label: Label::default(), extent, states, body })))
}

/// A left side for each rule.
fn cases(elem: Elem) -> Vec<(Rule, Expr)> {
    let (n, k, j) = (Ix::free(N), Ix::free(K), Ix::free(J));
    let (a, b, m, s, w) = (&var(A), &var(B), &var(M), &var(S), &var(W));
    let i = || bound(0);
    let row = |t: &Expr| at(t, [i()]);
    let small = || Pred::lt(k.clone(), Ix::Lit(3));
    let (always, never) = (|| Pred::lt(j.clone(), Ix::Lit(6)), || Pred::lt(j.clone(), Ix::ZERO));
    let (zero, one) = (&lit(elem, Number::Zero), &lit(elem, Number::One));
    let label = Label::default;
    // shift(d, x) = gen i < extent of x. x[i + d]
    let shift = Definition {
        name: "shift",
        index_params: 1,
        tensor_params: vec![1],
        body: generate(Ix::free(1), at(&var(2), [i() + Ix::free(0)])),
    };
    let shifted = Expr::new(Node::Op(Arc::new(shift), vec![k.clone()], vec![add(a, b)]));
    let matrix = || at(m, [bound(1), bound(0)]);
    // Not zero out of range, so that the range must be part of the right side.
    let onehot = |p: Pred| sum(6, guard(Pred::and(Pred::eq(i(), k.clone()), p), add(&row(a), s)));
    let signed = elem.algebra.name == "plus_times" && elem.scalar != Scalar::Bool;
    let difference = signed.then(|| (Rule::SubAsAdd, prim(Prim::Sub, &[&at(a, [j.clone()]), s])));
    let others = vec![
        (
            Rule::LetInline,
            bind(
                generate(6, add(&row(a), &row(b))),
                generate(6, mul(&at(&bound_tensor(1), [i()]), &at(&bound_tensor(1), [i() - Ix::ONE]))),
            ),
        ),
        (Rule::Unfold, shifted),
        (Rule::AccessGen, at(&generate(6, mul(&row(a), &row(b))), [j.clone()])),
        (Rule::AccessGuard, at(m, [k.clone()])),
        (Rule::GenEta(label()), m.clone()),
        (Rule::GuardTrue, guard(always(), a.clone())),
        (Rule::GuardZero, guard(small(), zero.clone())),
        (Rule::GuardAnd, guard(small(), guard(Pred::lt(k.clone(), n.clone()), a.clone()))),
        (Rule::GuardAdd, guard(small(), add(a, b))),
        (Rule::GuardMulL, mul(&guard(small(), a.clone()), b)),
        (Rule::GuardMulR, mul(a, &guard(small(), b.clone()))),
        (Rule::GuardGen, guard(small(), generate(n.clone(), row(a)))),
        (Rule::GuardSum, guard(small(), sum(n.clone(), row(m)))),
        (Rule::SelectTrue, select(always(), a.clone(), b.clone())),
        (Rule::SelectFalse, select(never(), a.clone(), b.clone())),
        (Rule::GetGuard, at(&guard(small(), a.clone()), [k.clone()])),
        (Rule::GetSelect, at(&select(small(), a.clone(), b.clone()), [k.clone()])),
        (Rule::GetSum, at(&sum(n.clone(), row(m)), [k.clone()])),
        (Rule::GetPrim, at(&add(a, b), [j.clone()])),
        (Rule::GetView, at(&view(elem.algebra, w.clone()), [j.clone()])),
        (Rule::SumEmpty, sum(Ix::ZERO - n.clone(), row(m))),
        (Rule::SumOne, sum(1, row(m))),
        (Rule::SumLast, sum(6, row(a))),
        (Rule::SumLast, sum(1, row(m))),
        (Rule::SumSplit(j.clone()), sum(6, row(a))),
        (Rule::SumTile(label(), Ix::Lit(2), label(), Ix::Lit(3)), sum(6, row(a))),
        (Rule::SumSwap, sum(n.clone(), sum(6, matrix()))),
        (Rule::SumAdd, sum(n.clone(), add(&row(a), &row(b)))),
        (Rule::SumOnes, sum(n.clone(), one.clone())),
        (Rule::SumOnes, sum(Ix::ZERO - n.clone(), one.clone())),
        (Rule::GenSumSwap, generate(n.clone(), sum(6, matrix()))),
        (Rule::OneHot, onehot(Pred::lt(i(), n.clone()))),
        (Rule::OneHot, onehot(Pred::True)),
        (Rule::MulSumL, mul(s, &sum(n.clone(), row(a)))),
        (Rule::MulSumR, mul(&sum(n.clone(), row(a)), s)),
        (Rule::AddAssoc, add(&add(a, b), &at(m, [Ix::ONE]))),
        (Rule::AddComm, add(a, b)),
        (Rule::AddZeroL, add(zero, s)),
        (Rule::AddZeroR, add(a, &guard(never(), b.clone()))),
        (Rule::MulAssoc, mul(&mul(a, b), &at(m, [Ix::ONE]))),
        (Rule::MulComm, mul(a, b)),
        (Rule::MulOneL, mul(one, s)),
        (Rule::MulOneR, mul(s, one)),
        (Rule::DistrL, mul(a, &add(b, &at(m, [Ix::ONE])))),
        (Rule::DistrR, mul(&add(a, b), &at(m, [Ix::ONE]))),
        (Rule::IterateZero, rounds(Ix::ZERO - n.clone(), a, s)),
        (Rule::IterateLast, rounds(Ix::Lit(1), a, s)),
        (Rule::IterateLast, rounds(Ix::Lit(3), a, s)),
        (Rule::IterateBody, rounds(k.clone(), a, s)),
        (Rule::ViewSame, view(elem.algebra, a.clone())),
        (Rule::ViewView, view(elem.algebra, view(&MAX_MIN, a.clone()))),
        (Rule::ViewGen, view(elem.algebra, generate(6, row(w)))),
        (
            Rule::ArithEq(at(a, [k.clone()])),
            at(a, [Ix::bin(atl_kernel::IxOp::Sub, k.clone() + n.clone(), n)]),
        ),
    ];
    others.into_iter().chain(difference).collect()
}

/// Inputs made of these samples, in an order that depends on the seed.
fn inputs<V: Copy>(elem: Elem, samples: &[V], seed: usize) -> Vec<Tensor<V>> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        samples[(state >> 33) % samples.len()]
    };
    let tensor = |(elem, shape): (Elem, Vec<usize>)| {
        let data = (0..shape.iter().product()).map(|_| next()).collect();
        Tensor::try_new(elem, shape, data).expect("the cells fit the shape")
    };
    tensors(elem).into_iter().map(tensor).collect()
}

/// Compare both sides at many sizes and inputs.
fn compare<D: Evaluate<Value: Copy>>(
    thm: &Thm,
    samples: &[D::Value],
    agree: impl Fn(&D::Value, &D::Value) -> bool,
) {
    let elem = Elem { algebra: thm.ty().elem.algebra, ..thm.ty().elem };
    let indices = [-2, 0, 1, 3, 5, 7].into_iter().flat_map(|k| [0, 4, 5].map(move |j| (k, j)));
    for (seed, (k, j)) in indices.enumerate() {
        for n in [0, 1, 4] {
            let value = |e| eval_program::<D>(thm.ctx(), &[n, k, j], inputs(elem, samples, seed), e);
            let (left, right) = match (value(thm.lhs()), value(thm.rhs())) {
                (Ok(left), Ok(right)) => (left, right),
                // Rational numbers do not have every infinity that the left or right side meets.
                (Err(EvalError::NotExact(_)), _) | (_, Err(EvalError::NotExact(_))) => continue,
                (left, right) => panic!("{left:?} and {right:?}"),
            };
            let same = left.shape() == right.shape()
                && left.elem() == right.elem()
                && left.data().iter().zip(right.data()).all(|(x, y)| agree(x, y));
            assert!(same, "n={n} k={k} j={j}: {:?}\n = {left:?}\n {:?}\n = {right:?}", thm.lhs(), thm.rhs());
        }
    }
}

const FLOATS: [f64; 10] = [0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 3.0, 0.1, f64::INFINITY, f64::NEG_INFINITY];

fn check(semiring: &Semiring, scalar: Scalar, thm: &Thm) {
    match scalar {
        Scalar::F64 => {
            let carrier: Vec<f64> = FLOATS.into_iter().filter(|x| semiring.carrier.contains(*x)).collect();
            let exact = |x: &f64| match *x {
                f64::INFINITY => ExactNumber::Infinity,
                f64::NEG_INFINITY => ExactNumber::NegInfinity,
                x => {
                    let tenths = Ratio::decimal((x * 10.0).round() as i128, -1);
                    ExactNumber::Ratio(tenths.expect("a small number"))
                }
            };
            let exact: Vec<ExactNumber> = carrier.iter().map(exact).collect();
            compare::<Exact>(thm, &exact, |x, y| x == y);
            let value = |x: f64| Value::F64(x);
            if thm.rounding() == Rounding::Bitwise {
                let all = FLOATS.into_iter().chain([-0.0, f64::NAN]).map(value).collect::<Vec<_>>();
                compare::<Machine>(thm, &all, |x, y| x == y);
            } else if thm.rounding() == Rounding::Finite {
                let numbers = carrier.into_iter().map(value).collect::<Vec<_>>();
                compare::<Machine>(thm, &numbers, |x, y| {
                    let (x, y) = (x.to_f64(), y.to_f64());
                    x == y || x.is_nan() || y.is_nan()
                });
            }
        }
        Scalar::I32 => {
            let samples = [0, 1, -1, 2, 3, 17, i32::MAX, i32::MIN].map(Value::i32);
            compare::<Machine>(thm, &samples, |x, y| x == y);
        }
        _ => compare::<Machine>(thm, &[false, true].map(Value::Bool), |x, y| x == y),
    }
}

#[test]
fn both_sides_of_every_rule_have_one_value() {
    let mut applied = std::collections::BTreeSet::new();
    for semiring in ALL {
        for scalar in [Scalar::F64, Scalar::I32, Scalar::Bool].into_iter().filter(|s| semiring.admits(*s)) {
            let elem = Elem { scalar, algebra: semiring.algebra };
            let ctx = context(elem);
            for (rule, lhs) in cases(elem) {
                let name = rule.name();
                match Thm::rule(&ctx, rule, &lhs, &mut SmallProver) {
                    Ok(thm) => {
                        check(semiring, scalar, &thm);
                        applied.insert(name);
                    }
                    Err(Error::MissingLaws { .. }) => {}
                    Err(other) => panic!("{name} at {elem}: {other}"),
                }
            }
        }
    }
    // A contradictory context has no values to compare at.
    let missing =
        Rule::TABLE.iter().map(|info| info.name).filter(|n| !applied.contains(n)).collect::<Vec<_>>();
    // Laws of monoids are about formulas of their own, in `monoids`. Those of integers are tried on all
    // integer types, in the kernel's own fuzzer and with what `let`s bind.
    let of_integers = ["read_index", "literal_index", "index_add", "index_mul", "index_prim"];
    assert_eq!(missing, [&of_integers[..], &["monoid_law", "absurd"]].concat());
}

#[test]
fn side_conditions_are_demanded() {
    let elem = elem(Scalar::F64);
    let (n, k) = (Ix::free(N), Ix::free(K));
    let (a, b, w) = (&var(A), &var(B), &var(W));
    let row = at(a, [bound(0)]);
    let unknown = Pred::lt(k.clone(), Ix::Lit(3));
    let label = Label::default;
    let ctx = context(elem);
    for (rule, lhs) in [
        (Rule::AccessGen, at(&generate(6, row.clone()), [k.clone()])),
        (Rule::GuardTrue, guard(unknown.clone(), a.clone())),
        (Rule::Absurd(b.clone()), a.clone()),
        (Rule::SelectTrue, select(unknown.clone(), a.clone(), b.clone())),
        (Rule::SelectFalse, select(unknown.clone(), a.clone(), b.clone())),
        (Rule::GetPrim, at(&add(a, b), [k.clone()])),
        (Rule::GetView, at(&view(elem.algebra, w.clone()), [k.clone()])),
        (Rule::SumEmpty, sum(n.clone(), row.clone())),
        (Rule::SumOne, sum(n, row.clone())),
        (Rule::SumSplit(k.clone()), sum(6, row.clone())),
        (Rule::SumTile(label(), Ix::Lit(2), label(), Ix::Lit(2)), sum(6, row.clone())),
        (Rule::SumTile(label(), Ix::Lit(-2), label(), Ix::Lit(-3)), sum(6, row)),
        (Rule::AddZeroL, add(&guard(unknown.clone(), a.clone()), b)),
        (Rule::AddZeroR, add(a, &guard(unknown, b.clone()))),
        (Rule::ArithEq(at(a, [k.clone()])), at(a, [k + Ix::ONE])),
        (Rule::Absurd(b.clone()), a.clone()),
    ] {
        let name = rule.name();
        let refused = Thm::rule(&ctx, rule, &lhs, &mut SmallProver);
        assert!(matches!(refused, Err(Error::Unproved(_))), "{name}: {refused:?}");
    }
}

#[test]
fn the_comparison_sees_a_difference() {
    // `a - b` and `b - a`, as if `-` were the algebra's addition.
    let elem = elem(Scalar::I32);
    let ctx = context(elem);
    let value = |e: &Expr| {
        let samples = [0, 1, 2, 3].map(Value::i32);
        eval_program::<Machine>(&ctx, &[0, 0, 0], inputs(elem, &samples, 1), e).expect("it has a value")
    };
    let difference = |x, y| prim(Prim::Sub, &[&var(x), &var(y)]);
    assert_ne!(value(&difference(A, B)), value(&difference(B, A)));
}
