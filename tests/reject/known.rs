//! What is known of a `let` in its body: only by the equation of what it binds, and only of its elements.

use atl_arith::Arith;
use atl_kernel::{
    Algebra, Child, Ctx, Elem, Error, Expr, Ix, Label, Node, Number, Pred, Prim, Prover, Rule, Scalar, Thm,
    Type, Var, enter, enter_knowing,
};
use atl_semirings::instances::{MIN_MAX, PLUS_TIMES};
use std::sync::Arc;

const U8: Elem = Elem { scalar: Scalar::U8, algebra: &PLUS_TIMES };
const X: u32 = 2;
const Q: u32 = 3;

/// A size `n`, and `n` bytes.
fn context() -> Arc<Ctx> {
    let mut ctx = Ctx::new();
    let n = Ix::free(ctx.push_size(Label::new("n")));
    ctx.push_tensor(Label::new("x"), Type { elem: U8, shape: vec![n] });
    Arc::new(ctx)
}

fn node(n: Node) -> Expr {
    Arc::new(n)
}

fn index(elem: Elem, ix: Ix) -> Expr {
    node(Node::Index(elem, ix))
}

fn below(bound: &Expr) -> Expr {
    node(Node::Let(Label::new("q"), bound.clone(), node(Node::Lit(U8, Number::One))))
}

fn row(body: Expr) -> Expr {
    node(Node::Gen(Label::new("p"), Ix::free(0), body))
}

fn refl(ctx: &Arc<Ctx>, e: &Expr) -> Thm {
    Thm::refl(ctx, e, &mut Arith::new()).expect("it is typed")
}

fn known(bound: &Expr, fact: &Thm) -> atl_kernel::Result<(Ctx, Expr)> {
    enter_knowing(&context(), &below(bound), fact, &mut Arith::new())
}

fn is_mismatch<T: std::fmt::Debug>(found: atl_kernel::Result<T>) {
    assert!(matches!(found, Err(Error::Mismatch(_))), "{found:?}");
}

fn element(at: Ix) -> Ix {
    Ix::Read(Var::Free(Q), [at].into())
}

/// `q[p] = 7` for `p < n`: it says so of elements, and outside of the box nothing, where `q` reads 0.
#[test]
fn outside_of_its_box_nothing_is_known() {
    let seven = row(index(U8, Ix::Lit(7)));
    let (inner, _) = known(&seven, &refl(&context(), &seven)).expect("it is known");
    let shown = |goal: &Pred| Arith::new().prove(&inner, goal).is_some();
    let first = Pred::eq(element(Ix::ZERO), Ix::Lit(7));
    assert!(shown(&Pred::or(Pred::le(Ix::free(0), Ix::ZERO), first.clone())));
    for goal in [
        first,
        Pred::eq(element(Ix::free(0)), Ix::Lit(7)),
        Pred::eq(element(Ix::Lit(-1)), Ix::Lit(7)),
        Pred::False,
    ] {
        assert!(!shown(&goal), "{goal:?}");
    }
}

#[test]
fn a_fact_is_about_what_the_let_binds() {
    let (seven, eight) = (row(index(U8, Ix::Lit(7))), row(index(U8, Ix::Lit(8))));
    let fact = refl(&context(), &seven);
    assert!(known(&seven, &fact).is_ok());
    is_mismatch(known(&eight, &fact));
    // In a context where more is assumed.
    let mut more = Ctx::clone(&context());
    more.push_hyp(Pred::False);
    is_mismatch(known(&seven, &refl(&Arc::new(more), &seven)));
    // Of no let.
    is_mismatch(enter_knowing(&context(), &seven, &fact, &mut Arith::new()));
}

#[test]
fn an_index_term_that_wraps_around_is_no_fact() {
    for (value, fits) in [(255, true), (256, false), (-1, false)] {
        let wrapped = row(index(U8, Ix::Lit(value)));
        assert_eq!(known(&wrapped, &refl(&context(), &wrapped)).is_ok(), fits, "{value}");
    }
    // 300 is 44 as a byte: the smaller of it and 100 is 44.
    let smaller = |a| node(Node::Prim(Prim::Min, vec![index(U8, Ix::Lit(a)), index(U8, Ix::Lit(100))]));
    let made = |e: &Expr| Thm::rule(&context(), Rule::IndexPrim, e, &mut Arith::new());
    assert!(made(&smaller(200)).is_ok());
    assert!(matches!(made(&smaller(300)), Err(Error::Unproved(_))));
}

#[test]
fn values_that_are_no_index_terms_say_nothing() {
    let float = Elem { scalar: Scalar::F32, algebra: &PLUS_TIMES };
    let get = node(Node::Get(node(Node::Var(Var::Free(X))), Ix::Var(Var::Bound(0))));
    for bound in [row(index(float, Ix::Lit(1))), row(get), row(node(Node::Lit(U8, Number::One)))] {
        is_mismatch(known(&bound, &refl(&context(), &bound)));
    }
}

/// Where a condition does not hold, a guard is the zero of its algebra: 0 where that counts, the greatest
/// number elsewhere.
#[test]
fn a_false_guard_is_zero_where_the_algebra_counts() {
    fn guarded(algebra: &'static Algebra) -> Expr {
        let elem = Elem { scalar: Scalar::I32, algebra };
        row(node(Node::Guard(Pred::lt(Ix::Var(Var::Bound(0)), Ix::ONE), index(elem, Ix::Lit(7)))))
    }
    let plain = guarded(&PLUS_TIMES);
    let (inner, _) = known(&plain, &refl(&context(), &plain)).expect("it is known");
    let many = |p| Pred::or(Pred::lt(Ix::free(0), Ix::Lit(2)), p);
    let shown = |goal: Pred| Arith::new().prove(&inner, &many(goal)).is_some();
    assert!(shown(Pred::eq(element(Ix::ONE), Ix::ZERO)) && shown(Pred::eq(element(Ix::ZERO), Ix::Lit(7))));
    assert!(!shown(Pred::eq(element(Ix::ONE), Ix::Lit(7))));
    let least = guarded(&MIN_MAX);
    is_mismatch(known(&least, &refl(&context(), &least)));
}

/// A theorem in the body's context with what is known is none in the plain one.
#[test]
fn what_is_proved_with_a_fact_is_not_proved_without() {
    let seven = row(index(U8, Ix::Lit(7)));
    let whole = below(&seven);
    let (inner, body) = known(&seven, &refl(&context(), &seven)).expect("it is known");
    let same = refl(&Arc::new(inner), &body);
    is_mismatch(Thm::congruence(&context(), &whole, Child::Body, same, &mut Arith::new()));
    let (plain, body) = enter(&context(), &whole, Child::Body, &mut Arith::new()).expect("it enters");
    let same = refl(&Arc::new(plain), &body);
    assert!(Thm::congruence(&context(), &whole, Child::Body, same, &mut Arith::new()).is_ok());
}
