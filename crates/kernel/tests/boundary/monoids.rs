//! Laws of monoids that programs declare: what uses of them prove, on which claims theorems rest, and what
//! is refused.

use super::*;
use atl_kernel::{Monoid, enter_knowing};

const I32: Elem = Elem { scalar: Scalar::I32, algebra: &ORDINARY };
const COMM: Laws = Laws::ADD_COMM;

fn scalar(elem: Elem) -> Type {
    Type { elem, shape: vec![] }
}

/// Three numbers and a vector, and three integers: levels 0 to 2, 3, 4 to 6; and an index.
fn context() -> Arc<Ctx> {
    let mut ctx = Ctx::new();
    (0..3).for_each(|_| _ = ctx.push_tensor(Label::new("x"), scalar(F64)));
    ctx.push_tensor(Label::new("v"), tensor(&[Ix::Lit(4)]));
    (0..3).for_each(|_| _ = ctx.push_tensor(Label::new("k"), scalar(I32)));
    ctx.push_index(Label::new("i"));
    Arc::new(ctx)
}

fn bound(k: u32) -> Expr {
    Arc::new(Node::Var(Var::Bound(k)))
}

fn index(elem: Elem, ix: Ix) -> Expr {
    Arc::new(Node::Index(elem, ix))
}

/// The lesser number, and where it is; the earlier of equal ones.
fn least(laws: Laws) -> Arc<Monoid> {
    let [a, i, b, k] = [0, 1, 2, 3].map(var);
    let earlier = prim(Prim::And, &[&prim(Prim::Eq, &[&a, &b]), &prim(Prim::Le, &[&i, &k])]);
    let first = prim(Prim::Or, &[&prim(Prim::Lt, &[&a, &b]), &earlier]);
    let sum = [(&a, &b), (&i, &k)].map(|(x, y)| prim(Prim::Where, &[&first, x, y]));
    let zero = vec![lit(F64, Number::Infinity), lit(I32, Number::Decimal(i32::MAX.into(), 0))];
    Arc::new(Monoid::new("least", vec![F64, I32], zero, sum.to_vec(), laws).expect("the kernel accepts it"))
}

/// One field of this type, with this sum.
fn one(elem: Elem, zero: Expr, sum: Expr, laws: Laws) -> atl_kernel::Result<Arc<Monoid>> {
    Monoid::new("one", vec![elem], vec![zero], vec![sum], laws).map(Arc::new)
}

/// The sum of numbers, which rounds.
fn added() -> Arc<Monoid> {
    let sum = prim(Prim::Sub, &[&var(0), &prim(Prim::Neg, &[&var(1)])]);
    one(F64, lit(F64, Number::Zero), sum, Monoid::CLAIMS).expect("the kernel accepts it")
}

/// A use of a law at these levels, of as many fields as the monoid has; what is on its left side there.
fn side(monoid: &Monoid, law: Laws, elements: &[Vec<Expr>]) -> Vec<Expr> {
    let sum = |a: &[Expr], b: &[Expr]| monoid.sum(a, b);
    match elements {
        [a] if law == Laws::ADD_0_L => sum(monoid.zero(), a),
        [a] if law == Laws::ADD_0_R => sum(a, monoid.zero()),
        [a] => sum(a, a),
        [a, b] => sum(a, b),
        [a, b, c] => sum(&sum(a, b), c),
        _ => panic!("a law is of one to three elements"),
    }
}

fn apply(monoid: &Arc<Monoid>, law: Laws, field: usize, elements: &[Vec<Expr>]) -> atl_kernel::Result<Thm> {
    let lhs = side(monoid, law, elements)[field].clone();
    at(monoid, law, field, elements, &lhs)
}

fn at(
    monoid: &Arc<Monoid>,
    law: Laws,
    field: usize,
    elements: &[Vec<Expr>],
    lhs: &Expr,
) -> atl_kernel::Result<Thm> {
    Thm::rule(&context(), Rule::Law(monoid.clone(), law, field, elements.to_vec()), lhs, &mut nothing())
}

/// Elements of a number and an integer.
fn pairs() -> [Vec<Expr>; 3] {
    [0, 1, 2].map(|k| vec![var(k), var(k + 4)])
}

#[test]
fn every_law_makes_its_sides_equal_in_every_field() {
    let monoid = least(Monoid::CLAIMS);
    let [a, b, c] = pairs();
    let sum = |a: &[Expr], b: &[Expr]| monoid.sum(a, b);
    for (law, elements, right) in [
        (Laws::ADD_0_L, vec![a.clone()], a.clone()),
        (Laws::ADD_0_R, vec![a.clone()], a.clone()),
        (Laws::ADD_IDEM, vec![a.clone()], a.clone()),
        (COMM, vec![a.clone(), b.clone()], sum(&b, &a)),
        (Laws::ADD_ASSOC, vec![a.clone(), b.clone(), c.clone()], sum(&a, &sum(&b, &c))),
    ] {
        for (field, right) in right.iter().enumerate() {
            let thm = apply(&monoid, law, field, &elements).expect("the kernel accepts it");
            assert_eq!(thm.rhs(), right, "{law}");
            assert_eq!((thm.laws(), thm.rounding()), (Laws::NONE, Rounding::Finite));
            assert_eq!(thm.claims(), [(monoid.clone(), law)]);
            let again = Thm::replay(thm.ctx(), thm.proof()).expect("the kernel accepts it");
            assert_eq!((again.lhs(), again.rhs(), again.claims()), (thm.lhs(), thm.rhs(), thm.claims()));
        }
    }
}

#[test]
fn a_use_is_of_a_law_that_is_claimed_at_its_own_sides() {
    let (monoid, [a, b, c]) = (least(COMM.and(Laws::ADD_0_L)), pairs());
    let lhs = &monoid.sum(&a, &b)[0];
    assert!(at(&monoid, COMM, 0, &[a.clone(), b.clone()], lhs).is_ok());
    let no_match = |law: Laws, field: usize, elements: &[Vec<Expr>], lhs: &Expr| {
        let refused = at(&monoid, law, field, elements, lhs);
        assert!(matches!(refused, Err(Error::NoMatch { .. })), "{law}, {field}: {refused:?}");
    };
    let two = [a.clone(), b.clone()];
    // Laws that are not claimed, and sets that are no law.
    let three = [a.clone(), b.clone(), c.clone()];
    no_match(Laws::ADD_ASSOC, 0, &three, &side(&monoid, Laws::ADD_ASSOC, &three)[0]);
    no_match(Laws::ADD_IDEM, 0, std::slice::from_ref(&a), &monoid.sum(&a, &a)[0]);
    for law in [Laws::NONE, Laws::MUL_COMM, monoid.laws(), COMM.and(Laws::MUL_COMM)] {
        no_match(law, 0, &two, lhs);
    }
    // Other numbers of elements and of fields.
    no_match(COMM, 0, &[], lhs);
    no_match(COMM, 0, std::slice::from_ref(&a), lhs);
    no_match(COMM, 0, &three, lhs);
    no_match(COMM, 0, &[a.clone(), vec![var(1)]], lhs);
    no_match(COMM, 0, &[a.clone(), vec![var(1), var(5), var(6)]], lhs);
    no_match(COMM, 0, &[a.clone(), vec![var(1), var(5), var(99)]], lhs);
    // Other fields, other sides.
    for field in [1, 2, usize::MAX] {
        no_match(COMM, field, &two, lhs);
    }
    no_match(COMM, 0, &two, &monoid.sum(&b, &a)[0]);
    no_match(COMM, 0, &[a.clone(), c.clone()], lhs);
    no_match(COMM, 0, &two, &var(0));
    no_match(Laws::ADD_0_L, 0, std::slice::from_ref(&a), &monoid.sum(&a, monoid.zero())[0]);
    // Elements of other types.
    for other in [var(4), var(3), var(7), var(99), bound(0), lit(I32, Number::One), index(F64, Ix::free(0))] {
        let elements = [a.clone(), vec![other, var(5)]];
        let refused = apply(&monoid, COMM, 1, &elements);
        assert!(matches!(refused, Err(Error::IllTyped(..))), "{refused:?}");
    }
    let bundle: Expr = Arc::new(Node::Bundle([].into(), vec![var(1), var(1)]));
    assert!(apply(&monoid, COMM, 1, &[a, vec![bundle, var(5)]]).is_err());
}

#[test]
fn a_formula_speaks_of_its_elements_alone() {
    let zero = || lit(I32, Number::Zero);
    let sum = |formula: Expr| one(I32, zero(), formula, COMM);
    assert!(sum(prim(Prim::Add, &[&var(0), &var(1)])).is_ok());
    // An element may be an index, where elements are integers.
    let read = index(I32, Ix::Read(Var::Free(1), [].into()));
    assert!(sum(read.clone()).is_ok());
    assert!(one(F64, lit(F64, Number::Zero), prim(Prim::Cast(F64), &[&read]), COMM).is_err());
    let lets = |body| Arc::new(Node::Let(Label::new("y"), var(0), body));
    assert!(sum(lets(bound(0))).is_ok());
    let select = |p: Pred| Arc::new(Node::Select(p, var(0), var(1)));
    let loop_of = |n: u32| {
        Arc::new(Node::Gen(
            Label::new("j"),
            Ix::bin(IxOp::Mod, Ix::Read(Var::Free(n), [].into()), Ix::Lit(9)),
            var(0),
        ))
    };
    let needs = Arc::new(Node::Get(prim(Prim::Add, &[&loop_of(0), &loop_of(1)]), Ix::ZERO));
    for formula in [
        var(2),
        bound(0),
        lets(bound(1)),
        index(I32, Ix::free(0)),
        index(I32, Ix::Var(Var::Bound(0))),
        index(I32, Ix::Read(Var::Free(2), [].into())),
        index(I32, Ix::Read(Var::Free(0), [Ix::ZERO].into())),
        select(Pred::lt(Ix::free(0), Ix::ONE)),
        select(Pred::lt(Ix::Var(Var::Bound(0)), Ix::ONE)),
        lit(F64, Number::Zero),
        prim(Prim::Lt, &[&var(0), &var(1)]),
        prim(Prim::Cast(F64), &[&var(0)]),
        Arc::new(Node::Gen(Label::new("j"), Ix::Lit(1), var(0))),
        Arc::new(Node::Bundle([].into(), vec![var(0), var(1)])),
        needs,
    ] {
        assert!(sum(formula.clone()).is_err(), "{formula:?}");
    }
    // What is neutral speaks of nothing.
    for neutral in [var(0), bound(0), index(I32, Ix::free(0)), lit(F64, Number::Zero)] {
        assert!(one(I32, neutral.clone(), var(0), COMM).is_err(), "{neutral:?}");
    }
    // Parts for other fields, other claims.
    let new = |fields, zero, sum, laws| Monoid::new("m", fields, zero, sum, laws);
    assert!(new(vec![], vec![], vec![], COMM).is_err());
    assert!(new(vec![I32, I32], vec![zero(); 2], vec![var(0)], COMM).is_err());
    assert!(new(vec![I32], vec![zero(); 2], vec![var(0)], COMM).is_err());
    assert!(new(vec![I32], vec![zero()], vec![var(0)], COMM.and(Laws::MUL_COMM)).is_err());
}

#[test]
fn elements_are_put_in_place_of_variables_only() {
    // `let y = a; b` at an element that has levels of its own, and one that is no variable where an index
    // reads it.
    let formula: Expr = Arc::new(Node::Let(Label::new("y"), var(1), prim(Prim::Add, &[&bound(0), &var(0)])));
    let monoid = one(I32, lit(I32, Number::Zero), formula, COMM).expect("the kernel accepts it");
    let (a, b) = (vec![prim(Prim::Add, &[&var(4), &var(5)])], vec![var(6)]);
    let expected = |x: &Expr, y: &Expr| -> Expr {
        Arc::new(Node::Let(Label::new("y"), y.clone(), prim(Prim::Add, &[&bound(0), x])))
    };
    let thm = apply(&monoid, COMM, 0, &[a.clone(), b.clone()]).expect("the kernel accepts it");
    assert_eq!((thm.lhs(), thm.rhs()), (&expected(&a[0], &b[0]), &expected(&b[0], &a[0])));
    let read = one(I32, lit(I32, Number::Zero), index(I32, Ix::Read(Var::Free(0), [].into())), COMM)
        .expect("the kernel accepts it");
    assert!(apply(&read, COMM, 0, &[vec![var(4)], vec![var(5)]]).is_ok());
    assert!(apply(&read, COMM, 0, &[vec![var(4)], a.clone()]).is_err());
    assert!(apply(&read, COMM, 0, &[a, vec![var(4)]]).is_err());
}

#[test]
fn nothing_is_rounded_where_terms_choose() {
    let class = |elem: Elem, zero: Expr, sum: Expr| {
        one(elem, zero, sum, COMM).expect("the kernel accepts it").rounding()
    };
    let zero = |elem| lit(elem, Number::Zero);
    let decimal = |elem, m, x| lit(elem, Number::Decimal(m, x));
    let least = prim(Prim::Min, &[&var(0), &var(1)]);
    let total = prim(Prim::Add, &[&var(0), &var(1)]);
    let by_floats = prim(Prim::Cast(I32), &[&prim(Prim::Cast(F64), &[&var(0)])]);
    let defined = |body: Expr| -> Expr {
        let body = Definition { name: "d", index_params: 0, tensor_params: vec![], body };
        Arc::new(Node::Op(Arc::new(body), vec![], vec![]))
    };
    for (elem, zero, sum, expected) in [
        (I32, zero(I32), total.clone(), Rounding::Bitwise),
        (I32, decimal(I32, 12345, 3), total.clone(), Rounding::Bitwise),
        (F64, zero(F64), total, Rounding::Real),
        (F64, lit(F64, Number::Infinity), least.clone(), Rounding::Finite),
        (F64, decimal(F64, 256, 0), least.clone(), Rounding::Finite),
        (F64, decimal(F64, -256, 0), least.clone(), Rounding::Finite),
        (F64, decimal(F64, 257, 0), least.clone(), Rounding::Real),
        (F64, decimal(F64, i128::MIN, 0), least.clone(), Rounding::Real),
        (F64, decimal(F64, 1, -1), least.clone(), Rounding::Real),
        (F64, prim(Prim::Neg, &[&zero(F64)]), least.clone(), Rounding::Real),
        (F64, index(F64, Ix::ZERO), least, Rounding::Real),
        (F64, zero(F64), Arc::new(Node::Let(Label::new("y"), var(1), bound(0))), Rounding::Finite),
        (F64, zero(F64), defined(zero(F64)), Rounding::Real),
        // Integers, by way of floats.
        (I32, zero(I32), by_floats, Rounding::Real),
        (I32, defined(prim(Prim::Cast(I32), &[&zero(F64)])), var(0), Rounding::Real),
        (I32, defined(zero(I32)), var(0), Rounding::Bitwise),
        (I32, prim(Prim::Cast(I32), &[&index(F64, Ix::ONE)]), var(0), Rounding::Real),
        (
            I32,
            prim(Prim::Where, &[&prim(Prim::Lt, &[&zero(F64), &zero(F64)]), &zero(I32), &zero(I32)]),
            var(0),
            Rounding::Finite,
        ),
    ] {
        assert_eq!(class(elem, zero.clone(), sum.clone()), expected, "{zero:?}, {sum:?}");
    }
}

#[test]
fn a_theorem_rests_on_what_its_parts_rest_on() {
    let ctx = context();
    let (monoid, other, [a, b, c]) = (least(Monoid::CLAIMS), added(), pairs());
    let comm = apply(&monoid, COMM, 0, &[a.clone(), b.clone()]).expect("the kernel accepts it");
    let uses = [(monoid.clone(), COMM)];
    assert_eq!(comm.clone().sym().claims(), uses);
    let back = apply(&monoid, COMM, 0, &[b.clone(), a.clone()]).expect("the kernel accepts it");
    assert_eq!(comm.clone().trans(back.clone()).expect("the kernel accepts it").claims(), uses);
    // The same monoid, declared once more, is one claim; under another name it is another.
    let again =
        apply(&least(Monoid::CLAIMS), COMM, 0, &[b.clone(), a.clone()]).expect("the kernel accepts it");
    assert_eq!(comm.clone().trans(again).expect("the kernel accepts it").claims(), uses);
    let less = apply(&least(COMM), COMM, 0, &[b.clone(), a.clone()]).expect("the kernel accepts it");
    assert_eq!(comm.clone().trans(less).expect("the kernel accepts it").claims().len(), 2);
    // Laws of one monoid are one claim: `(a + b) + c = a + (b + c) = (b + c) + a`.
    let bc = monoid.sum(&b, &c);
    let assoc = apply(&monoid, Laws::ADD_ASSOC, 0, &[a.clone(), b.clone(), c.clone()])
        .expect("the kernel accepts it");
    let swapped = apply(&monoid, COMM, 0, &[a.clone(), bc]).expect("the kernel accepts it");
    let both = [(monoid.clone(), COMM.and(Laws::ADD_ASSOC))];
    assert_eq!(assoc.trans(swapped).expect("the kernel accepts it").claims(), both);
    // Around what stands in a term, and in cases, together with what rounds.
    let parent = prim(Prim::Neg, &[comm.lhs()]);
    let around = Thm::congruence(&ctx, &parent, Child::Arg(0), comm.clone(), &mut nothing())
        .expect("the kernel accepts it");
    assert_eq!((around.claims(), around.rounding()), (uses.to_vec(), Rounding::Finite));
    let sum = &other.sum(&[var(0)], &[var(1)])[0];
    let whole = prim(Prim::Add, &[comm.lhs(), sum]);
    let first =
        Thm::congruence(&ctx, &whole, Child::Arg(0), comm, &mut nothing()).expect("the kernel accepts it");
    let real = apply(&other, COMM, 0, &[vec![var(0)], vec![var(1)]]).expect("the kernel accepts it");
    let second = Thm::congruence(&ctx, first.rhs(), Child::Arg(1), real, &mut nothing())
        .expect("the kernel accepts it");
    let whole = first.trans(second).expect("the kernel accepts it");
    assert_eq!((whole.claims().len(), whole.rounding()), (2, Rounding::Real));
    let p = Pred::lt(Ix::free(7), Ix::ZERO);
    let case = |p: Pred| {
        let mut inner = (*ctx).clone();
        inner.push_hyp(p);
        let law = Rule::Law(monoid.clone(), COMM, 0, vec![a.clone(), b.clone()]);
        Thm::rule(&Arc::new(inner), law, &monoid.sum(&a, &b)[0], &mut nothing())
            .expect("the kernel accepts it")
    };
    let cases =
        Thm::cases(&ctx, p.clone(), case(p.clone()), case(Pred::not(p))).expect("the kernel accepts it");
    assert_eq!(cases.claims(), uses);
}

#[test]
fn an_induction_rests_on_what_its_premises_rest_on() {
    // `iterate t < 1 from x = b + a { x } in x`, which is `let x = a + b; x`.
    let (ctx, monoid, [a, b, _]) = (context(), least(COMM), pairs());
    let [ab, ba] = [monoid.sum(&a, &b)[0].clone(), monoid.sum(&b, &a)[0].clone()];
    let state = State { label: Label::new("x"), init: ba, step: bound(1) };
    let label = Label::new("t");
    let body = bound(0);
    let it: Expr =
        Arc::new(Node::Iterate(Arc::new(Iterate { label, extent: Ix::ONE, states: vec![state], body })));
    let inner = Arc::new(rounds(&ctx, &it).expect("the kernel accepts it"));
    let base = apply(&monoid, COMM, 0, &[a, b]).expect("the kernel accepts it");
    let after: Expr = Arc::new(Node::Let(Label::new("x"), ab.clone(), bound(0)));
    let step =
        Thm::rule(&inner, Rule::LetInline, &after, &mut nothing()).expect("the kernel accepts it").sym();
    let shown = |thm: Thm, step: Thm| {
        // The goal `0 <= 1`, denied, is absurd.
        let prover = &mut Always(Some(Cert::Absurd(0)));
        Thm::induction(&ctx, &it, std::slice::from_ref(&ab), vec![(thm, step)], prover)
    };
    let thm = shown(base.clone(), step).expect("the kernel accepts it");
    assert_eq!((thm.claims(), thm.rounding()), (vec![(monoid, COMM)], Rounding::Finite));
}

#[test]
fn what_is_claimed_is_no_fact_about_what_indices_read() {
    // The first of two integers as if it were either: so `let t = 7; ..` would know that `t` is 0.
    let monoid = one(I32, lit(I32, Number::Zero), var(0), Monoid::CLAIMS).expect("the kernel accepts it");
    let ctx = context();
    let [seven, naught] = [Ix::Lit(7), Ix::ZERO].map(|ix| index(I32, ix));
    let elements = vec![vec![seven.clone()], vec![naught.clone()]];
    let thm = Thm::rule(&ctx, Rule::Law(monoid, COMM, 0, elements), &seven, &mut nothing())
        .expect("the kernel accepts it");
    assert_eq!((thm.rhs(), thm.rounding()), (&naught, Rounding::Bitwise));
    let bound_to = |e: &Expr| -> Expr { Arc::new(Node::Let(Label::new("t"), e.clone(), bound(0))) };
    // That 7 is an integer of the type: both halves of the goal, denied, are absurd.
    let absurd = || Box::new(Cert::Absurd(0));
    let prover = &mut Always(Some(Cert::Split(0, absurd(), absurd())));
    let known = Thm::refl(&ctx, &seven, &mut nothing()).expect("the kernel accepts it");
    assert!(enter_knowing(&ctx, &bound_to(&seven), &known, prover).is_ok());
    let refused = enter_knowing(&ctx, &bound_to(&seven), &thm, prover);
    assert!(matches!(refused, Err(Error::Mismatch(_))), "{refused:?}");
}

#[test]
fn sides_are_made_in_bounded_time_and_memory() {
    on_stated_stack(|| {
        let too_large = |result: Result<(), Error>| assert_eq!(result, Err(Error::TooLarge));
        let shared = |e: &Expr, times| (0..times).fold(e.clone(), |e, _| prim(Prim::Add, &[&e, &e]));
        let zero = || lit(F64, Number::Zero);
        // Formulas that are too large, alone and together; too many fields.
        let deep = (0..MAX_DEPTH).fold(var(0), |e, _| prim(Prim::Neg, &[&e]));
        too_large(one(F64, zero(), deep, COMM).map(drop));
        too_large(one(F64, zero(), shared(&var(0), 200), COMM).map(drop));
        too_large(one(F64, shared(&zero(), 200), var(0), COMM).map(drop));
        let many = |fields: usize, sum: &Expr| {
            Monoid::new("m", vec![F64; fields], vec![zero(); fields], vec![sum.clone(); fields], COMM)
        };
        let half = shared(&var(0), MAX_NODES.ilog2() as usize - 2);
        assert!(many(1, &half).is_ok());
        too_large(many(3, &half).map(drop));
        assert!(many(Monoid::MAX_FIELDS, &var(0)).is_ok());
        too_large(many(Monoid::MAX_FIELDS + 1, &var(0)).map(drop));
        // Elements that are too large, alone and together, and without end.
        let monoid = one(F64, zero(), shared(&var(0), 10), Monoid::CLAIMS).expect("the kernel accepts it");
        let of = |elements: Vec<Vec<Expr>>| {
            let law = if elements.len() == 2 { COMM } else { Laws::ADD_ASSOC };
            at(&monoid, law, 0, &elements, &var(0)).map(drop)
        };
        let nodes = MAX_NODES.ilog2() as usize;
        too_large(of(vec![vec![shared(&var(0), nodes)], vec![var(1)]]));
        too_large(of(vec![vec![shared(&var(0), 200)], vec![var(1)]]));
        too_large(of(vec![vec![shared(&var(0), nodes - 2)]; 3]));
        too_large(of(vec![vec![var(0)]; MAX_NODES]));
        too_large(of(vec![vec![var(0); MAX_NODES]; 2]));
        // A side that is larger than the other.
        let elements = vec![vec![var(0)], vec![shared(&var(1), nodes - 5)]];
        let small = shared(&var(0), 10);
        too_large(at(&monoid, COMM, 0, &elements, &small).map(drop));
        // Formulas of formulas: 2^30 nodes, of which a few are looked at.
        let refused = at(&monoid, Laws::ADD_ASSOC, 0, &vec![vec![shared(&var(0), 10)]; 3], &var(0));
        assert!(matches!(refused, Err(Error::NoMatch { .. })), "{refused:?}");
    });
}

#[test]
fn claims_are_found_in_a_record_that_shares_its_parts() {
    on_stated_stack(|| {
        let (monoid, [a, b, _]) = (least(COMM), pairs());
        let comm = apply(&monoid, COMM, 0, &[a.clone(), b.clone()]).expect("the kernel accepts it");
        let back = apply(&monoid, COMM, 0, &[b, a]).expect("the kernel accepts it");
        // 2^60 inferences, if each were looked at as often as it is cited; then as deep as records may be.
        let mut thm = comm.trans(back).expect("the kernel accepts it");
        for _ in 0..60 {
            thm = thm.clone().trans(thm).expect("the kernel accepts it");
        }
        let refl = Thm::refl(thm.ctx(), thm.rhs(), &mut nothing()).expect("the kernel accepts it");
        while let Ok(longer) = thm.clone().trans(refl.clone()) {
            thm = longer;
        }
        assert_eq!(thm.claims(), [(monoid, COMM)]);
    });
}

#[test]
fn a_choice_says_of_an_element_no_more_than_its_sides_do() {
    let ctx = context();
    let seven = index(I32, Ix::Lit(7));
    // The kernel knows nothing of it: no index term, no choice.
    let unknown = prim(Prim::Add, &[&lit(I32, Number::One), &lit(I32, Number::One)]);
    let bound_to = |e: &Expr| -> Expr { Arc::new(Node::Let(Label::new("t"), e.clone(), bound(0))) };
    let absurd = || Box::new(Cert::Absurd(0));
    let known = |e: &Expr| {
        let fact = Thm::refl(&ctx, e, &mut nothing()).expect("the kernel accepts it");
        let prover = &mut Always(Some(Cert::Split(0, absurd(), absurd())));
        let (inner, _) = enter_knowing(&ctx, &bound_to(e), &fact, prover).ok()?;
        Some(inner.hypotheses().last()?.1.clone())
    };
    let element = Ix::Read(Var::Free(ctx.level()), [].into());
    let within = |p: Pred| Some(Pred::or(Pred::not(Pred::True), p));
    let (is, at) = (Pred::eq(element.clone(), Ix::Lit(7)), Ix::Lit(7));
    let below = Pred::le(element.clone(), at.clone());
    let above = Pred::le(at, element);
    for (f, side) in [(Prim::Min, below), (Prim::Max, above)] {
        assert_eq!(known(&prim(f, &[&seven, &unknown])), within(Pred::and(Pred::True, side.clone())));
        assert_eq!(known(&prim(f, &[&unknown, &seven])), within(Pred::and(Pred::True, side.clone())));
        let both = Pred::and(Pred::and(Pred::or(is.clone(), is.clone()), side.clone()), side);
        assert_eq!(known(&prim(f, &[&seven, &seven])), within(both));
        assert_eq!(known(&prim(f, &[&unknown, &unknown])), None);
    }
    let truth = lit(Elem { scalar: Scalar::Bool, algebra: &ORDINARY }, Number::One);
    let choice = |a: &Expr, b: &Expr| known(&prim(Prim::Where, &[&truth, a, b]));
    assert_eq!(choice(&seven, &seven), within(Pred::or(is.clone(), is)));
    assert_eq!(choice(&seven, &unknown), None);
    assert_eq!(choice(&unknown, &seven), None);
    for f in [Prim::Add, Prim::Sub, Prim::Mul, Prim::Div, Prim::Rem, Prim::BitAnd, Prim::BitOr] {
        assert_eq!(known(&prim(f, &[&seven, &seven])), None, "{f:?}");
    }
}
