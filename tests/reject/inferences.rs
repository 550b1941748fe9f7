//! Inferences that do not fit, and rules where their conditions do not hold.

use atl_arith::Arith;
use atl_kernel::{
    Algebra, Child, Ctx, Elem, Error, Expr, Ix, Label, Laws, Node, Pred, Prim, Rule, Scalar, Thm, Type,
    TypeError, Var, type_of,
};
use atl_semirings::instances::{MAX_TIMES, PLUS_TIMES};
use std::sync::Arc;

const F32: Elem = Elem { scalar: Scalar::F32, algebra: &PLUS_TIMES };

/// `n` and `m`, both natural, an integer `k`, and a matrix `a` of `n` by `m`: levels 0, 2, 4 and 5.
fn context(elem: Elem) -> Arc<Ctx> {
    let mut ctx = Ctx::new();
    let n = ctx.push_size(Label::new("n"));
    let m = ctx.push_size(Label::new("m"));
    ctx.push_index(Label::new("k"));
    ctx.push_tensor(Label::new("a"), Type { elem, shape: vec![Ix::free(n), Ix::free(m)] });
    Arc::new(ctx)
}

const N: Ix = Ix::Var(Var::Free(0));
const M: Ix = Ix::Var(Var::Free(2));
const K: Ix = Ix::Var(Var::Free(4));

fn a() -> Expr {
    Arc::new(Node::Var(Var::Free(5)))
}

fn at(e: &Expr, i: Ix) -> Expr {
    Arc::new(Node::Get(e.clone(), i))
}

fn bound(k: u32) -> Ix {
    Ix::Var(Var::Bound(k))
}

fn loop_(sum: bool, n: Ix, body: Expr) -> Expr {
    let label = Label::new("i");
    Arc::new(if sum { Node::Sum(label, n, body) } else { Node::Gen(label, n, body) })
}

fn guard(p: Pred, e: Expr) -> Expr {
    Arc::new(Node::Guard(p, e))
}

/// `a[i, j]` for the two innermost binders.
fn entry() -> Expr {
    at(&at(&a(), bound(1)), bound(0))
}

/// The rule is refused at the term.
fn refused(rule: Rule, e: &Expr) -> Error {
    let name = rule.name();
    match Thm::rule(&context(F32), rule, e, &mut Arith::default()) {
        Err(why) => why,
        Ok(thm) => panic!("`{name}` proved {thm:?}"),
    }
}

#[test]
fn loops_whose_extents_depend_on_one_another_are_not_swapped() {
    let triangle = loop_(true, N, loop_(true, bound(0), entry()));
    refused(Rule::SumSwap, &triangle);
    let jagged = loop_(false, N, loop_(false, bound(0), entry()));
    let found = type_of(&context(F32), &jagged, &mut Arith::default());
    assert!(matches!(found, Err(Error::IllTyped(TypeError::Jagged(_), _))), "{found:?}");
    let rows = loop_(false, N, loop_(true, bound(0), entry()));
    refused(Rule::GenSumSwap, &rows);
}

#[test]
fn bound_variables_are_not_captured() {
    // let t = a; gen i < n { t[i] }: the matrix goes under the binder.
    let shadowed = Arc::new(Node::Let(
        Label::new("t"),
        at(&a(), K),
        loop_(false, M, at(&Arc::new(Node::Var(Var::Bound(1))), bound(0))),
    ));
    let thm = Thm::rule(&context(F32), Rule::LetInline, &shadowed, &mut Arith::default()).unwrap();
    assert_eq!(*thm.rhs(), loop_(false, M, at(&at(&a(), K), bound(0))));
    // A variable that points out of the term is no variable of the context.
    let dangling = loop_(false, M, at(&at(&a(), bound(1)), bound(0)));
    assert!(type_of(&context(F32), &dangling, &mut Arith::default()).is_err());
}

#[test]
fn tiles_cover_what_they_replace() {
    let row = loop_(true, M, at(&at(&a(), K), bound(0)));
    let label = || Label::new("i");
    for (q, k) in
        [(M / Ix::Lit(4), Ix::Lit(4)), (Ix::ZERO, Ix::ZERO), (Ix::ZERO - M, Ix::Lit(-1)), (M, Ix::Lit(2))]
    {
        assert!(matches!(refused(Rule::SumTile(label(), q, label(), k), &row), Error::Unproved(_)));
    }
    for k in [Ix::Lit(-1), M + Ix::ONE, K] {
        assert!(matches!(refused(Rule::SumSplit(k), &row), Error::Unproved(_)));
    }
    let negative = loop_(true, K - N, at(&at(&a(), K), bound(0)));
    assert!(matches!(refused(Rule::SumEmpty, &negative), Error::Unproved(_)));
    assert!(matches!(refused(Rule::SumSplit(Ix::ZERO), &negative), Error::Unproved(_)));
}

#[test]
fn division_by_zero_is_not_cancelled() {
    let read = at(&at(&a(), K), N / M * M);
    // `n / m * m = n` is wrong where `m` does not divide `n`, and at m = 0 even more so.
    let wrong = at(&at(&a(), K), N);
    assert!(matches!(refused(Rule::ArithEq(wrong), &read), Error::Unproved(_)));
    assert!(matches!(
        refused(Rule::ArithEq(at(&at(&a(), K), Ix::ONE)), &at(&at(&a(), K), M / M)),
        Error::Unproved(_)
    ));
}

#[test]
fn sizes_beyond_the_integers_prove_nothing() {
    let huge = Ix::bin(atl_kernel::IxOp::Mul, N * Ix::Lit(i64::MAX), M * Ix::Lit(i64::MAX));
    let power = (0..6).fold(huge, |e, _| e.clone() * e);
    let read = at(&loop_(false, N, at(&at(&a(), bound(0)), K)), power.clone());
    assert!(matches!(refused(Rule::AccessGen, &read), Error::Unproved(_)));
    let row = loop_(true, power.clone(), at(&at(&a(), K), bound(0)));
    assert!(matches!(refused(Rule::SumSplit(power + Ix::ONE), &row), Error::Unproved(_)));
}

/// An algebra of which nothing is claimed.
static LAWLESS: Algebra =
    Algebra { name: "lawless", scalars: &Scalar::ALL, laws: Laws::NONE, formula: false };

#[test]
fn laws_that_an_algebra_lacks_are_not_used() {
    let elem = Elem { scalar: Scalar::F32, algebra: &LAWLESS };
    let ctx = context(elem);
    let sum = |body| loop_(true, N, body);
    let scalar = || at(&at(&a(), K), K);
    let prim = |f, x: Expr, y: Expr| -> Expr { Arc::new(Node::Prim(f, vec![x, y])) };
    let (x, plus, times) = (scalar, Prim::Add, Prim::Mul);
    let row = || sum(at(&at(&a(), bound(0)), K));
    let cases: Vec<(Rule, Expr)> = vec![
        (Rule::SumSwap, sum(loop_(true, M, entry()))),
        (Rule::SumSplit(Ix::ZERO), row()),
        (Rule::SumTile(Label::new("o"), N, Label::new("i"), Ix::ONE), row()),
        (Rule::SumAdd, sum(prim(plus, x(), x()))),
        (Rule::AddComm, prim(plus, x(), x())),
        (Rule::AddAssoc, prim(plus, prim(plus, x(), x()), x())),
        (Rule::MulComm, prim(times, x(), x())),
        (Rule::MulAssoc, prim(times, prim(times, x(), x()), x())),
        (Rule::MulSumL, prim(times, x(), row())),
        (Rule::MulSumR, prim(times, row(), x())),
        (Rule::DistrL, prim(times, x(), prim(plus, x(), x()))),
        (Rule::DistrR, prim(times, prim(plus, x(), x()), x())),
        (Rule::GuardMulL, prim(times, guard(Pred::lt(K, N), x()), x())),
        (Rule::GuardMulR, prim(times, x(), guard(Pred::lt(K, N), x()))),
        (Rule::GuardAdd, guard(Pred::lt(K, N), prim(plus, x(), x()))),
        (Rule::GuardSum, guard(Pred::lt(K, N), row())),
    ];
    for (rule, e) in cases {
        let name = rule.name();
        let found = Thm::rule(&ctx, rule, &e, &mut Arith::default());
        assert!(matches!(found, Err(Error::MissingLaws { .. })), "`{name}`: {found:?}");
    }
}

/// An algebra's laws are claimed for its scalars: `max_times` has no zero among the integers.
#[test]
fn laws_are_not_used_for_scalars_that_the_algebra_does_not_admit() {
    for (scalar, admitted) in [(Scalar::F64, true), (Scalar::Bool, true), (Scalar::I32, false)] {
        let ctx = context(Elem { scalar, algebra: &MAX_TIMES });
        let x = at(&at(&a(), K), K);
        let e = Arc::new(Node::Prim(Prim::Add, vec![x.clone(), x]));
        let thm = Thm::rule(&ctx, Rule::AddComm, &e, &mut Arith::default());
        assert_eq!(thm.is_ok(), admitted, "{scalar}: {thm:?}");
        assert!(admitted || matches!(thm, Err(Error::MissingLaws { .. })), "{thm:?}");
    }
}

#[test]
fn equations_that_do_not_meet_are_not_chained() {
    let ctx = context(F32);
    let refl = |ctx: &Arc<Ctx>, e: &Expr| Thm::refl(ctx, e, &mut Arith::default()).unwrap();
    assert!(refl(&ctx, &a()).trans(refl(&ctx, &at(&a(), K))).is_err(), "the middle terms differ");
    let mut more = (*ctx).clone();
    more.push_hyp(Pred::lt(K, N));
    let more = Arc::new(more);
    assert!(refl(&ctx, &a()).trans(refl(&more, &a())).is_err(), "the contexts differ");
    assert!(Thm::relabel(&ctx, &a(), &at(&a(), K), &mut Arith::default()).is_err(), "other terms");
}

#[test]
fn an_equation_stands_for_its_own_child_only() {
    let ctx = context(F32);
    let parent = guard(Pred::lt(K, N), at(&a(), K));
    let child = Thm::refl(&ctx, &at(&a(), K), &mut Arith::default()).unwrap();
    let found = Thm::congruence(&ctx, &parent, Child::Body, child.clone(), &mut Arith::default());
    assert!(found.is_err(), "the child's context knows the guard: {found:?}");
    let found = Thm::congruence(&ctx, &parent, Child::Bound, child.clone(), &mut Arith::default());
    assert!(found.is_err(), "a guard binds nothing: {found:?}");
    let mut other = (*ctx).clone();
    other.push_hyp(Pred::lt(K, M));
    let other = Thm::refl(&Arc::new(other), &at(&a(), K), &mut Arith::default()).unwrap();
    assert!(
        Thm::congruence(&ctx, &parent, Child::Body, other, &mut Arith::default()).is_err(),
        "another guard"
    );
}

#[test]
fn cases_are_exhaustive() {
    let ctx = context(F32);
    let p = Pred::lt(K, N);
    let under = |p: Pred| {
        let mut ctx = (*ctx).clone();
        ctx.push_hyp(p);
        Thm::refl(&Arc::new(ctx), &a(), &mut Arith::default()).unwrap()
    };
    assert!(Thm::cases(&ctx, p.clone(), under(p.clone()), under(Pred::not(p.clone()))).is_ok());
    assert!(Thm::cases(&ctx, p.clone(), under(p.clone()), under(p.clone())).is_err(), "one case twice");
    assert!(
        Thm::cases(&ctx, p.clone(), under(p.clone()), under(Pred::lt(N, K))).is_err(),
        "not its negation"
    );
}

#[test]
fn the_prover_is_not_believed() {
    struct Liar;
    impl atl_kernel::Prover for Liar {
        fn prove(&mut self, _: &Ctx, _: &Pred) -> Option<atl_kernel::Cert> {
            Some(atl_kernel::Cert::Absurd(0))
        }
    }
    let read = guard(Pred::lt(K, N), at(&a(), K));
    let found = Thm::rule(&context(F32), Rule::GuardTrue, &read, &mut Liar);
    assert!(matches!(&found, Err(Error::Unproved(u)) if u.refused.is_some()), "{found:?}");
}

/// What is proved of a guarded term's shape under its guard does not hold outside.
#[test]
fn a_shape_that_holds_under_a_guard_only_is_not_the_term_s_shape() {
    let ctx = context(F32);
    let parent = guard(Pred::eq(N, M), a());
    let mut inner = (*ctx).clone();
    inner.push_hyp(Pred::eq(N, M));
    let inner = Arc::new(inner);
    // a = gen i < m { a[i] }, where n = m.
    let shorter = loop_(false, M, at(&a(), bound(0)));
    let eta = Thm::rule(&inner, Rule::GenEta(Label::new("i")), &a(), &mut Arith::default()).unwrap();
    let resized = Thm::rule(&inner, Rule::ArithEq(shorter), eta.rhs(), &mut Arith::default()).unwrap();
    let child = eta.trans(resized).unwrap();
    let found = Thm::congruence(&ctx, &parent, Child::Body, child, &mut Arith::default());
    assert!(found.is_err(), "[n == m] * a has n rows, and not m: {found:?}");
}
