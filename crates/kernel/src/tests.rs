//! What inferences cost, by counts.

use crate::ctx::{Ctx, Replay};
use crate::ix::{Ix, Var};
use crate::laws::Laws;
use crate::term::{Child, Expr, Label, Node, Number, Prim};
use crate::thm::{Entered, Thm};
use crate::ty::{Algebra, Elem, Scalar};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    /// The nodes that were typed.
    pub(crate) static TYPED: Cell<usize> = const { Cell::new(0) };
}

static ORDINARY: Algebra =
    Algebra { name: "plus_times", scalars: &Scalar::ALL, laws: Laws::COMM_SEMIRING, formula: false };

/// `let x = gen i < 64 { x[i] + x[i] }` of the tensor before, so often; and in the end a number.
fn chain(stages: usize) -> Expr {
    let elem = Elem { scalar: Scalar::F64, algebra: &ORDINARY };
    let number: Expr = Arc::new(Node::Lit(elem, Number::One));
    let read: Expr = Arc::new(Node::Get(Arc::new(Node::Var(Var::Bound(1))), Ix::Var(Var::Bound(0))));
    let twice = Arc::new(Node::Prim(Prim::Add, vec![read.clone(), read]));
    let gen_of = |body: Expr| -> Expr { Arc::new(Node::Gen(Label::new("i"), Ix::Lit(64), body)) };
    let bound = |first: bool| gen_of(if first { number.clone() } else { twice.clone() });
    let named = |e, k: usize| -> Expr { Arc::new(Node::Let(Label::new("x"), bound(k == 0), e)) };
    (0..stages).rev().fold(number.clone(), named)
}

/// The nodes that are typed while an equation is carried outward, from inside of all `let`s, or beside the others.
fn typed(stages: usize) -> [usize; 2] {
    let mut nothing = Replay([].iter());
    let (mut around, mut e, mut ctx) = (Vec::new(), chain(stages), Arc::<Ctx>::default());
    while let Node::Let(..) = *e {
        let place = Entered::at(&ctx, &e, Child::Body, &mut nothing).expect("a place");
        (ctx, e) = (place.ctx().clone(), place.child().clone());
        around.push(place);
    }
    let mut thm = Thm::refl(&ctx, &e, &mut nothing).expect("a theorem");
    TYPED.set(0);
    for place in around.iter().rev() {
        thm = place.lift(thm, &mut nothing).expect("a theorem");
    }
    let outward = TYPED.replace(0);
    let whole = thm.lhs().clone();
    let beside = Entered::at(&Arc::default(), &whole, Child::Bound, &mut nothing).expect("a place");
    let thm = Thm::refl(beside.ctx(), beside.child(), &mut nothing).expect("a theorem");
    beside.lift(thm, &mut nothing).expect("a theorem");
    [outward, TYPED.get()]
}

#[test]
fn an_equation_is_carried_outward_without_its_term_being_typed_again() {
    for (few, many) in typed(50).into_iter().zip(typed(200)) {
        assert!(few > 50 && many < 5 * few, "{few} {many}");
    }
}
