//! What is assumed inside a guard says nothing of shapes outside, and a definition speaks of its parameters only.

use atl_arith::Arith;
use atl_kernel::{
    AlgebraRef, Child, Ctx, Definition, Elem, Error, Expr, Function, Ix, Label, Node, Number, Pred, Prim,
    Rule, Scalar, Thm, Var, enter, type_of,
};
use atl_semirings::instances::{MIN_PLUS, PLUS_TIMES};
use std::sync::Arc;

const I64: Elem = Elem { scalar: Scalar::I64, algebra: &PLUS_TIMES };

fn node(n: Node) -> Expr {
    Arc::new(n)
}

fn zeros(n: i64) -> Expr {
    node(Node::Gen(Label::new("j"), Ix::Lit(n), node(Node::Lit(I64, Number::Zero))))
}

fn define(tensor_params: Vec<u32>, body: Expr) -> Arc<Definition> {
    Arc::new(Definition { name: "test", index_params: 0, tensor_params, body })
}

/// The extent of a tensor, as a value: the operator through which a wrong shape becomes a wrong number.
fn extent_of(e: Expr) -> Expr {
    node(Node::Op(define(vec![1], node(Node::Index(I64, Ix::free(0)))), vec![], vec![e]))
}

#[test]
fn extents_equal_under_an_absurd_guard_are_not_equal_outside() {
    let side = |n| extent_of(node(Node::Guard(Pred::False, zeros(n))));
    let ctx = Arc::new(Ctx::new());
    assert!(Thm::rule(&ctx, Rule::ArithEq(side(3)), &side(3), &mut Arith::new()).is_ok());
    assert!(Thm::rule(&ctx, Rule::ArithEq(side(4)), &side(3), &mut Arith::new()).is_err());
    let bind = |n| {
        node(Node::Let(
            Label::new("x"),
            node(Node::Guard(Pred::False, zeros(n))),
            extent_of(node(Node::Var(Var::Bound(0)))),
        ))
    };
    assert!(Thm::rule(&ctx, Rule::ArithEq(bind(4)), &bind(3), &mut Arith::new()).is_err());
}

#[test]
fn an_access_does_not_hide_extents_that_are_equal_under_a_guard_only() {
    // `exp([false] * zeros(n))[0]` is 1 where `n` is 1, and 0, being out of range, where it is 0.
    const F32: Elem = Elem { scalar: Scalar::F32, algebra: &PLUS_TIMES };
    let first = |n| {
        let zeros = node(Node::Gen(Label::new("j"), Ix::Lit(n), node(Node::Lit(F32, Number::Zero))));
        let exp = node(Node::Prim(Prim::Call(Function::Exp), vec![node(Node::Guard(Pred::False, zeros))]));
        node(Node::Get(exp, Ix::ZERO))
    };
    let ctx = Arc::new(Ctx::new());
    assert!(Thm::rule(&ctx, Rule::ArithEq(first(1)), &first(1), &mut Arith::new()).is_ok());
    assert!(Thm::rule(&ctx, Rule::ArithEq(first(0)), &first(1), &mut Arith::new()).is_err());
    // The same below the bounds of a sum that is empty.
    let row = |n| {
        let zeros = node(Node::Gen(Label::new("j"), Ix::Lit(n), node(Node::Lit(F32, Number::Zero))));
        let sum = node(Node::Sum(Label::new("k"), Ix::ZERO, zeros));
        node(Node::Get(node(Node::Prim(Prim::Call(Function::Exp), vec![sum])), Ix::ZERO))
    };
    assert!(Thm::rule(&ctx, Rule::ArithEq(row(0)), &row(1), &mut Arith::new()).is_err());
}

#[test]
fn a_congruence_does_not_change_a_shape() {
    let (ctx, arith) = (Arc::new(Ctx::new()), &mut Arith::new());
    let guard = node(Node::Guard(Pred::False, zeros(3)));
    let (inner, child) = enter(&ctx, &guard, Child::Body, arith).expect("the guard's body");
    let absurd = |n| Rule::Absurd(zeros(n));
    assert!(Thm::rule(&Arc::new(inner.clone()), absurd(3), &child, arith).is_ok());
    if let Ok(other) = Thm::rule(&Arc::new(inner), absurd(4), &child, arith) {
        assert!(Thm::congruence(&ctx, &guard, Child::Body, other, arith).is_err());
    }
}

#[test]
fn a_definition_that_is_not_closed_is_never_unfolded() {
    let ctx = Arc::new(Ctx::new());
    let bodies = [
        node(Node::Index(I64, Ix::Var(Var::Bound(0)))),
        node(Node::Index(I64, Ix::free(0))),
        node(Node::Index(I64, Ix::free(3))),
        node(Node::Var(Var::Bound(0))),
        node(Node::Var(Var::Free(3))),
    ];
    for body in bodies {
        let open = node(Node::Op(define(vec![], body.clone()), vec![], vec![]));
        let inner = node(Node::Sum(Label::new("j"), Ix::Lit(3), open));
        let nest = node(Node::Sum(Label::new("i"), Ix::Lit(2), inner));
        assert!(Thm::rule(&ctx, Rule::SumSwap, &nest, &mut Arith::new()).is_err(), "{body:?}");
    }
    // A tensor parameter is no index, and an extent no tensor.
    for body in [node(Node::Index(I64, Ix::free(1))), node(Node::Var(Var::Free(0)))] {
        let wrong = node(Node::Op(define(vec![1], body.clone()), vec![], vec![zeros(3)]));
        assert!(Thm::refl(&ctx, &wrong, &mut Arith::new()).is_err(), "{body:?}");
    }
}

#[test]
fn a_free_variable_is_not_the_binder_that_gets_its_level() {
    let ctx = Arc::new(Ctx::new());
    let sum = |n, body| node(Node::Sum(Label::new("i"), Ix::Lit(n), body));
    // In the empty context the outer index would be at level 0, the inner one, after its bounds, at level 3.
    for level in [0, 3] {
        let nest = sum(2, sum(3, node(Node::Index(I64, Ix::free(level)))));
        assert!(Thm::refl(&ctx, &nest, &mut Arith::new()).is_err(), "level {level}");
        assert!(Thm::rule(&ctx, Rule::SumSwap, &nest, &mut Arith::new()).is_err(), "level {level}");
    }
    let guarded =
        node(Node::Guard(Pred::eq(Ix::free(1), Ix::ZERO), sum(2, node(Node::Lit(I64, Number::One)))));
    assert!(Thm::refl(&ctx, &guarded, &mut Arith::new()).is_err());
}

#[test]
fn a_case_distinction_is_about_the_context_s_variables() {
    let (ctx, arith) = (Arc::new(Ctx::new()), &mut Arith::new());
    let one = node(Node::Lit(I64, Number::One));
    let mut side = |p: Pred| {
        let mut inside = Ctx::new();
        inside.push_hyp(p);
        Thm::refl(&Arc::new(inside), &one, arith)
    };
    let p = Pred::eq(Ix::ONE, Ix::ZERO);
    let (holds, fails) = (side(p.clone()).unwrap(), side(Pred::not(p.clone())).unwrap());
    assert!(Thm::cases(&ctx, p, holds.clone(), fails.clone()).is_ok());
    // Level 1 is nobody's here, and would be the index of a loop entered below.
    let stranger = Pred::eq(Ix::free(1), Ix::ZERO);
    assert!(matches!(side(stranger.clone()), Err(Error::Stray(0))));
    assert!(Thm::cases(&ctx, stranger, holds, fails).is_err());
}

#[test]
fn an_algebra_s_laws_are_not_claimed_of_scalars_it_does_not_admit() {
    // Over wrapping integers, `a + min(b, c)` is not `min(a + b, a + c)`.
    let view = |e: Expr| node(Node::View(AlgebraRef(&MIN_PLUS), e));
    let scalar = |elem| node(Node::Lit(elem, Number::One));
    let ctx = Arc::new(Ctx::new());
    let f32 = Elem { scalar: Scalar::F32, algebra: &PLUS_TIMES };
    assert!(Thm::refl(&ctx, &view(scalar(f32)), &mut Arith::new()).is_ok());
    assert!(Thm::refl(&ctx, &view(scalar(I64)), &mut Arith::new()).is_err());
}

/// A function is of as many operands as it takes, all floats of one type.
#[test]
fn functions_of_other_operands_have_no_type() {
    let ctx = Ctx::new();
    let number = |scalar| node(Node::Lit(Elem { scalar, algebra: &PLUS_TIMES }, Number::One));
    let (single, double, integer) = (number(Scalar::F32), number(Scalar::F64), number(Scalar::I32));
    for function in Function::ALL {
        let call = |operands: &[&Expr]| {
            let operands = operands.iter().map(|e| (*e).clone()).collect();
            type_of(&ctx, &node(Node::Prim(Prim::Call(*function), operands)), &mut Arith::new())
        };
        let arity = function.arity();
        assert!(call(&vec![&single; arity]).is_ok(), "{}", function.name());
        assert!(call(&vec![&single; arity + 1]).is_err() && call(&vec![&single; arity - 1]).is_err());
        assert!(call(&vec![&integer; arity]).is_err());
        let mixed: Vec<&Expr> = (0..arity).map(|k| if k == 0 { &single } else { &double }).collect();
        assert_eq!(call(&mixed).is_ok(), arity == 1);
    }
}
