//! Several results are the end of a chain of `let`s, and no tensor: nothing may take them for one, or
//! compare only some of them.

use atl_arith::Arith;
use atl_kernel::{
    AlgebraRef, Child, Ctx, Definition, Elem, Error, Expr, Ix, Label, Node, Number, Pred, Prim, Rule, Scalar,
    Thm, Type, TypeError, Var, type_of,
};
use atl_semirings::instances::PLUS_TIMES;
use std::sync::Arc;

const F32: Elem = Elem { scalar: Scalar::F32, algebra: &PLUS_TIMES };
const I32: Elem = Elem { scalar: Scalar::I32, algebra: &PLUS_TIMES };

fn node(n: Node) -> Expr {
    Arc::new(n)
}

fn number(elem: Elem, n: i128) -> Expr {
    node(Node::Lit(elem, Number::Decimal(n, 0)))
}

fn vector(n: i64, elem: Elem) -> Expr {
    node(Node::Gen(Label::new("i"), Ix::Lit(n), number(elem, 2)))
}

fn bundle(parts: &[Expr]) -> Expr {
    node(Node::Bundle(parts.iter().map(|_| Label::new("r")).collect(), parts.to_vec()))
}

fn ctx() -> Arc<Ctx> {
    Arc::new(Ctx::new())
}

#[track_caller]
fn has_no_type(e: &Expr) {
    let found = type_of(&ctx(), e, &mut Arith::new());
    assert!(matches!(found, Err(Error::IllTyped(TypeError::Bundle, _))), "{found:?}");
}

#[test]
fn nothing_but_lets_stands_around() {
    let two = bundle(&[vector(3, F32), number(I32, 1)]);
    assert!(type_of(&ctx(), &two, &mut Arith::new()).is_ok());
    assert!(
        type_of(&ctx(), &node(Node::Let(Label::new("x"), number(F32, 1), two.clone())), &mut Arith::new())
            .is_ok()
    );
    let (i, n) = (Label::new("i"), Ix::Lit(2));
    has_no_type(&node(Node::Gen(i.clone(), n.clone(), two.clone())));
    has_no_type(&node(Node::Sum(i, n, two.clone())));
    has_no_type(&node(Node::Guard(Pred::True, two.clone())));
    has_no_type(&node(Node::Select(Pred::True, two.clone(), two.clone())));
    has_no_type(&node(Node::Get(two.clone(), Ix::ZERO)));
    has_no_type(&node(Node::Prim(Prim::Add, vec![two.clone(), two.clone()])));
    has_no_type(&node(Node::View(AlgebraRef(&PLUS_TIMES), two.clone())));
    has_no_type(&node(Node::Let(Label::new("x"), two.clone(), number(F32, 1))));
    has_no_type(&bundle(&[two.clone(), number(F32, 1)]));
    let identity = Definition {
        name: "id",
        index_params: 0,
        tensor_params: vec![0],
        body: node(Node::Var(Var::Free(0))),
    };
    has_no_type(&node(Node::Op(Arc::new(identity), vec![], vec![two.clone()])));
    let twice = Definition { name: "twice", index_params: 0, tensor_params: vec![], body: two };
    has_no_type(&node(Node::Op(Arc::new(twice), vec![], vec![])));
    has_no_type(&bundle(&[number(F32, 1)]));
    has_no_type(&bundle(&[]));
}

#[test]
fn no_tensor_is_of_their_type() {
    let two = bundle(&[number(F32, 1), number(I32, 1)]);
    let ty = type_of(&ctx(), &two, &mut Arith::new()).unwrap();
    // Their algebra can be had from their type, and makes nothing theirs.
    let view = node(Node::View(AlgebraRef(ty.elem.algebra), number(F32, 1)));
    assert!(type_of(&ctx(), &view, &mut Arith::new()).is_err());
    has_no_type(&node(Node::Lit(ty.elem, Number::One)));
    let mut inner = Ctx::new();
    let x = inner.push_tensor(Label::new("x"), ty.clone());
    let variable = node(Node::Var(Var::Free(x)));
    assert!(type_of(&inner, &variable, &mut Arith::new()).is_err());
    assert!(Thm::refl(&Arc::new(inner), &variable, &mut Arith::new()).is_err());
    assert!(Type::bundle(&[ty.clone(), ty]).is_bundle());
}

#[test]
fn all_results_are_compared() {
    let of = |a: Expr, b: Expr| bundle(&[a, b]);
    let whole = of(number(F32, 1), vector(3, I32));
    let equal = |e: &Expr| Thm::rule(&ctx(), Rule::ArithEq(e.clone()), &whole, &mut Arith::new());
    assert!(equal(&whole).is_ok());
    assert!(equal(&of(number(F32, 1), vector(4, I32))).is_err());
    assert!(equal(&of(number(F32, 2), vector(3, I32))).is_err());
    assert!(equal(&of(vector(3, I32), number(F32, 1))).is_err());
    assert!(equal(&bundle(&[number(F32, 1)])).is_err());
    assert!(equal(&bundle(&[number(F32, 1), vector(3, I32), vector(3, I32)])).is_err());
    assert!(Thm::relabel(&ctx(), &whole, &of(number(F32, 1), vector(4, I32)), &mut Arith::new()).is_err());
}

#[test]
fn a_contradiction_gives_no_other_types() {
    let mut absurd = Ctx::new();
    absurd.push_hyp(Pred::False);
    let absurd = Arc::new(absurd);
    let whole = bundle(&[vector(3, F32), vector(3, I32)]);
    let becomes = |e: Expr| Thm::rule(&absurd, Rule::Absurd(e), &whole, &mut Arith::new());
    assert!(becomes(bundle(&[number(F32, 7), vector(3, I32)])).is_err());
    assert!(becomes(bundle(&[vector(3, I32), vector(3, F32)])).is_err());
    assert!(becomes(vector(3, F32)).is_err());
    let other = node(Node::Gen(Label::new("i"), Ix::Lit(3), number(F32, 9)));
    assert!(becomes(bundle(&[other, vector(3, I32)])).is_ok());
}

#[test]
fn an_equation_of_one_result_says_nothing_of_another() {
    let whole = bundle(&[number(F32, 1), number(F32, 1)]);
    let (one, sum) = (number(F32, 1), node(Node::Lit(F32, Number::One)));
    let other = Thm::refl(&ctx(), &sum, &mut Arith::new()).unwrap();
    let part = |k, thm| Thm::congruence(&ctx(), &whole, Child::Arg(k), thm, &mut Arith::new());
    assert!(part(0, other).is_err());
    let same = || Thm::refl(&ctx(), &one, &mut Arith::new()).unwrap();
    assert!(part(1, same()).is_ok());
    assert!(part(2, same()).is_err());
    // Rules about tensors do not apply to the whole.
    for rule in [
        Rule::GenEta(Label::new("i")),
        Rule::AccessGuard,
        Rule::AddComm,
        Rule::GuardTrue,
        Rule::SumOne,
        Rule::ViewSame,
    ] {
        assert!(Thm::rule(&ctx(), rule, &whole, &mut Arith::new()).is_err());
    }
}

#[test]
fn a_let_is_inlined_into_every_result() {
    let x = node(Node::Var(Var::Bound(0)));
    let program = node(Node::Let(Label::new("x"), vector(2, F32), bundle(&[x.clone(), x])));
    let thm = Thm::rule(&ctx(), Rule::LetInline, &program, &mut Arith::new()).unwrap();
    assert_eq!(*thm.rhs(), bundle(&[vector(2, F32), vector(2, F32)]));
    assert!(thm.ty().is_bundle());
}

#[test]
fn both_checkers_judge_proofs_of_several_results() {
    const TEXT: &str = "
        fn f(x: f32[N]) -> (f32, f32[N]) { let t = sum i < N { x[i] }; (t, gen i < N { x[i] - t }) }
        schedule s of f { split out1/i by 4; peel; inline t; }
    ";
    let program = atl_driver::Program::parse("t.atl", TEXT).unwrap_or_else(|e| panic!("{e}"));
    let scheduled = program.scheduled("f", Some("s")).unwrap_or_else(|e| panic!("{e}"));
    let lowered = scheduled.lower().unwrap_or_else(|e| panic!("{e}"));
    let text = atl_driver::proof::certificate(&scheduled, &lowered).unwrap_or_else(|e| panic!("{e}"));
    let judged = |text: &str| {
        let first = atl_proof::read(text).ok().is_some_and(|file| atl_proof::check(&file).is_ok());
        let second = atl_recheck::check(text.as_bytes());
        assert_eq!(first, second.is_ok(), "{second:?}\n{text}");
        first
    };
    assert!(judged(&text));
    // Another result than the one that was rewritten, and one result less.
    let place = |k: u32| format!(" arg:{k} ");
    assert!(text.contains(&place(1)));
    assert!(!judged(&text.replacen(&place(1), &place(0), 1)));
    assert!(!judged(&text.replacen(&place(1), &place(2), 1)));
    let line = text.lines().find(|line| line.contains(" bundle 2 ")).unwrap();
    let (name, parts) = line.split_once(" bundle 2 ").unwrap();
    let (first, second) = parts.split_once(' ').unwrap();
    for changed in [format!("{name} bundle 1 {first}"), format!("{name} bundle 2 {second} {first}")] {
        assert!(!judged(&text.replacen(line, &changed, 1)), "{changed}");
    }
}
