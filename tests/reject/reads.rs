//! Elements of tensors in indices, and hypotheses about all integers.

use atl_arith::{Arith, Verdict, decide};
use atl_kernel::cert::{CertError, Derive, check as check_cert};
use atl_kernel::{
    Cert, Child, Ctx, Definition, Elem, Error, Expr, Ix, Label, Node, Number, Pred, Rule, Scalar, Thm, Type,
    TypeError, Var, enter, type_of,
};
use atl_semirings::instances::PLUS_TIMES;
use std::sync::Arc;

const I64: Elem = Elem { scalar: Scalar::I64, algebra: &PLUS_TIMES };
const F32: Elem = Elem { scalar: Scalar::F32, algebra: &PLUS_TIMES };
const AT: u32 = 1;
const LOOP: u32 = 5;

/// An integer `n`, vectors of `n` integers, integers and floats at levels 1 to 3, and for all `i`, `0 <= at[i]`.
fn context() -> Arc<Ctx> {
    let mut ctx = Ctx::new();
    let n = ctx.push_index(Label::new("n"));
    for (name, elem) in [("at", I64), ("to", I64), ("x", F32)] {
        ctx.push_tensor(Label::new(name), Type { elem, shape: vec![Ix::free(n)] });
    }
    ctx.push_all(vec![Label::new("i")], Pred::le(Ix::ZERO, read(AT, bound(0))));
    Arc::new(ctx)
}

fn bound(k: u32) -> Ix {
    Ix::Var(Var::Bound(k))
}

fn element(array: Var, at: &[Ix]) -> Ix {
    Ix::Read(array, at.into())
}

fn read(level: u32, at: Ix) -> Ix {
    element(Var::Free(level), &[at])
}

fn node(n: Node) -> Expr {
    Arc::new(n)
}

fn number(ix: Ix) -> Expr {
    node(Node::Index(F32, ix))
}

fn array(level: u32) -> Expr {
    node(Node::Var(Var::Free(level)))
}

fn row(n: Ix, body: Expr) -> Expr {
    node(Node::Gen(Label::new("i"), n, body))
}

fn named(bound: Expr, body: Expr) -> Expr {
    node(Node::Let(Label::new("y"), bound, body))
}

/// Integers that are no variable.
fn computed() -> Expr {
    row(Ix::free(0), node(Node::Index(I64, bound(0))))
}

fn typed(e: &Expr) -> atl_kernel::Result<Type> {
    type_of(&context(), e, &mut Arith::new())
}

#[test]
fn what_is_read_is_an_integer_of_the_context() {
    assert!(typed(&number(read(AT, Ix::free(0)))).is_ok());
    let first = |v| element(v, &[Ix::ZERO]);
    let wrong = [
        read(3, Ix::ZERO),
        element(Var::Free(AT), &[]),
        element(Var::Free(AT), &[Ix::ZERO, Ix::ZERO]),
        element(Var::Free(0), &[]),
        first(Var::Free(0)),
        first(Var::Free(4)),
        first(Var::Free(9)),
        first(Var::Bound(0)),
        read(AT, bound(0)),
        read(AT, Ix::free(AT)),
        read(AT, read(3, Ix::ZERO)),
    ];
    for ix in wrong {
        let guarded = node(Node::Guard(Pred::lt(ix.clone(), Ix::ZERO), number(Ix::ZERO)));
        for e in [number(ix.clone()), row(ix.clone(), number(Ix::ZERO)), guarded] {
            let found = typed(&e);
            assert!(matches!(found, Err(Error::IllTyped(TypeError::Unbound(_), _))), "{e:?}: {found:?}");
        }
    }
    // The binder that is entered has this level, but only a bound variable means it.
    assert!(typed(&named(array(AT), number(element(Var::Bound(0), &[Ix::ZERO])))).is_ok());
    assert!(typed(&named(array(AT), number(read(LOOP, Ix::ZERO)))).is_err());
}

#[test]
fn no_extent_leaves_the_scope_of_what_it_reads() {
    let long = |n: Ix| row(n, number(Ix::ZERO));
    let operator = |n| {
        let body = long(n);
        let def = Definition { name: "test", index_params: 0, tensor_params: vec![1], body };
        node(Node::Op(Arc::new(def), vec![], vec![array(AT)]))
    };
    let inside = || element(Var::Bound(0), &[Ix::ZERO]);
    assert!(typed(&operator(Ix::free(0))).is_ok());
    for e in [
        named(array(AT), long(inside())),
        node(Node::Sum(Label::new("k"), Ix::ONE, long(read(AT, bound(0))))),
        row(Ix::ONE, long(read(AT, bound(0)))),
        operator(read(1, Ix::ZERO)),
    ] {
        let found = typed(&e);
        assert!(matches!(found, Err(Error::IllTyped(TypeError::Jagged(_), _))), "{e:?}: {found:?}");
    }
    // Taken away again inside, it does no harm.
    assert!(typed(&named(array(AT), node(Node::Get(long(inside()), Ix::ZERO)))).is_ok());
}

#[test]
fn only_a_variable_takes_the_place_of_what_is_read() {
    let rule = |rule, e: &Expr| Thm::rule(&context(), rule, e, &mut Arith::new());
    let let_ = |bound| named(bound, number(element(Var::Bound(0), &[Ix::ONE])));
    let operator = |arg| {
        let body = number(read(1, Ix::ONE));
        let def = Definition { name: "test", index_params: 0, tensor_params: vec![1], body };
        node(Node::Op(Arc::new(def), vec![], vec![arg]))
    };
    for (name, of) in [(Rule::LetInline, let_(array(2))), (Rule::Unfold, operator(array(2)))] {
        assert_eq!(*rule(name, &of).unwrap().rhs(), number(read(2, Ix::ONE)));
    }
    for (name, of) in [(Rule::LetInline, let_(computed())), (Rule::Unfold, operator(computed()))] {
        assert!(typed(&of).is_ok(), "{of:?}");
        assert!(matches!(rule(name, &of), Err(Error::IllTyped(TypeError::Unbound(_), _))), "{of:?}");
    }
}

#[test]
fn an_array_is_bound_again_when_its_binder_is_closed() {
    let (ctx, arith) = (context(), &mut Arith::new());
    let whole = named(array(AT), number(element(Var::Bound(0), &[Ix::ZERO])));
    let (inner, child) = enter(&ctx, &whole, Child::Body, arith).unwrap();
    assert_eq!(child, number(read(LOOP, Ix::ZERO)));
    let inner = Arc::new(inner);
    let same = Thm::refl(&inner, &child, arith).unwrap();
    let thm = Thm::congruence(&ctx, &whole, Child::Body, same, arith).unwrap();
    assert_eq!((thm.lhs(), thm.rhs()), (&whole, &whole));
    // That `y` is `at` is not known inside.
    let other = number(read(AT, Ix::ZERO));
    assert!(Thm::rule(&inner, Rule::ArithEq(other), &child, arith).is_err());
}

#[test]
fn sums_that_read_at_an_index_stay_below_its_loop() {
    let sum = |n, e| node(Node::Sum(Label::new("i"), n, e));
    let nest = |n| sum(Ix::free(0), sum(n, number(Ix::ONE)));
    let hot = |a| sum(Ix::free(0), node(Node::Guard(Pred::eq(bound(0), a), number(Ix::ONE))));
    let rule = |rule, e: &Expr| Thm::rule(&context(), rule, e, &mut Arith::new()).is_ok();
    assert!(rule(Rule::SumSwap, &nest(read(AT, Ix::ZERO))));
    assert!(!rule(Rule::SumSwap, &nest(read(AT, bound(0)))));
    assert!(rule(Rule::OneHot, &hot(read(AT, Ix::ZERO))));
    assert!(!rule(Rule::OneHot, &hot(read(AT, bound(0)))));
}

#[test]
fn elements_are_equal_at_equal_indices_only() {
    let proved = |a, b| matches!(decide(&context(), &Pred::eq(a, b)), Verdict::Proved(_));
    let (n, one) = (Ix::free(0), Ix::ONE);
    assert!(proved(read(AT, n.clone() + one.clone()), read(AT, one.clone() + n.clone())));
    assert!(!proved(read(AT, n.clone()), read(AT, one.clone())));
    assert!(!proved(read(AT, n.clone()), read(2, n.clone())));
    assert!(!proved(read(AT, n), one));
}

#[test]
fn an_instance_is_of_a_hypothesis_that_is_there_at_as_many_terms() {
    let goal = Pred::le(Ix::ZERO, read(AT, Ix::ONE));
    let shown = |k, at: Vec<Ix>| {
        let sum = Derive::Combine(vec![(1, vec![0]), (1, vec![1])]);
        let rest = Cert::Step(sum, Box::new(Cert::Absurd(2)));
        check_cert(&context(), &goal, &Cert::Step(Derive::Instance(k, at), Box::new(rest)))
    };
    assert_eq!(shown(0, vec![Ix::ONE]), Ok(()));
    assert_eq!(shown(1, vec![Ix::ONE]), Err(CertError::NoSuchFact(1)));
    for at in [vec![], vec![Ix::ONE, Ix::ONE]] {
        assert_eq!(shown(0, at), Err(CertError::NoSuchFact(0)));
    }
    assert_eq!(shown(0, vec![Ix::ZERO]), Err(CertError::NotAbsurd(2)));
    // Of a variable that the context does not have nothing else is known than what holds for all.
    assert_eq!(shown(0, vec![Ix::free(99)]), Err(CertError::NotAbsurd(2)));
    for at in [bound(0), bound(7), read(AT, bound(0)), element(Var::Bound(0), &[Ix::ONE])] {
        assert_eq!(shown(0, vec![at]), Err(CertError::Overflow));
    }
    let huge =
        (0..3).fold(Ix::Lit(i64::MAX), |e, _| Ix::Bin(atl_kernel::IxOp::Mul, Arc::new((e.clone(), e))));
    assert_eq!(shown(0, vec![huge]), Err(CertError::Overflow));
}

#[test]
fn a_hypothesis_for_all_integers_is_no_fact_of_its_own() {
    let mut ctx = Ctx::new();
    ctx.push_all(vec![Label::new("i")], Pred::False);
    // It says so at any integer, and nothing before it is asked.
    assert!(check_cert(&ctx, &Pred::False, &Cert::Absurd(0)).is_err());
    let instance = Cert::Step(Derive::Instance(0, vec![Ix::ZERO]), Box::new(Cert::Absurd(0)));
    assert_eq!(check_cert(&ctx, &Pred::False, &instance), Ok(()));
    // Contexts that differ in it are not one context.
    let (true_one, zero) = (context(), node(Node::Lit(F32, Number::Zero)));
    let mut other = Ctx::clone(&true_one);
    other.truncate(4);
    other.push_all(vec![Label::new("j")], Pred::le(Ix::ONE, read(AT, bound(0))));
    let refl = |ctx: &Arc<Ctx>| Thm::refl(ctx, &zero, &mut Arith::new()).unwrap();
    assert!(refl(&true_one).trans(refl(&context())).is_ok());
    assert!(refl(&true_one).trans(refl(&Arc::new(other))).is_err());
}
