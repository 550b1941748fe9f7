//! Splitting a sum needs associativity, reordering it commutativity as well: shown over an algebra that has the one
//! and lacks the other.
//!
//! In `last_wins` an element is a number or nothing, nothing is the zero, and `a + b` is `b` unless that is
//! nothing: what an assignment in a loop leaves. No semiring of the language is like it, so the terms are made by
//! hand, and their meaning is a small model.

use atl_arith::Arith;
use atl_kernel::{
    Algebra, Ctx, Elem, Error, Expr, Ix, Label, Laws, Node, Rounding, Rule, Scalar, Type, Var, subst,
};
use atl_rules::Cx;
use atl_rules::rules::interchange::interchange;
use atl_rules::rules::split_sum::split_sum;
use atl_testkit::oracle::replay;
use std::sync::Arc;

static LAST_WINS: Algebra =
    Algebra { name: "last_wins", scalars: &Scalar::ALL, laws: Laws::ADD_MONOID, formula: false };
static UNGROUPED: Algebra = Algebra {
    name: "ungrouped",
    scalars: &Scalar::ALL,
    laws: Laws::ADD_0_L.and(Laws::ADD_0_R),
    formula: false,
};
static COMMUTING: Algebra =
    Algebra { name: "commuting", scalars: &Scalar::ALL, laws: Laws::ADD_COMM_MONOID, formula: false };

/// `sum i < N, j < M { a[i, j] }` for an `a` of this algebra, and its context.
fn sums(algebra: &'static Algebra) -> (Arc<Ctx>, Expr) {
    let mut ctx = Ctx::new();
    let (n, m) = (ctx.push_size(Label::new("N")), ctx.push_size(Label::new("M")));
    let ty = Type { elem: Elem { scalar: Scalar::I32, algebra }, shape: vec![Ix::free(n), Ix::free(m)] };
    let a: Expr = Arc::new(Node::Var(Var::Free(ctx.push_tensor(Label::new("a"), ty))));
    let (i, j) = (ctx.level(), ctx.level() + 1);
    let row = Arc::new(Node::Get(a, Ix::free(i)));
    let body = Arc::new(Node::Get(row, Ix::free(j)));
    let inner = Arc::new(Node::Sum(Label::new("j"), Ix::free(m), subst::close(&body, j)));
    (Arc::new(ctx), Arc::new(Node::Sum(Label::new("i"), Ix::free(n), subst::close(&inner, i))))
}

#[derive(PartialEq, Debug)]
enum Outcome {
    Proved(Laws),
    Lacks(Laws),
}

/// What comes of splitting the outer sum, and of exchanging the two.
fn check(algebra: &'static Algebra, split: Outcome, exchange: Outcome) {
    let (ctx, e) = sums(algebra);
    let mut arith = Arith::new();
    let cx = &mut Cx::new(ctx, &mut arith);
    for (expected, proved) in [
        (&split, split_sum(cx, &e, &Ix::Lit(4))),
        (&exchange, interchange(cx, &e)),
        (&exchange, cx.rule(Rule::SumSwap, &e)),
    ] {
        let found = match proved {
            Ok(thm) => {
                assert_eq!(replay(&thm), Ok(()));
                assert_eq!(thm.rounding(), Rounding::Bitwise);
                Outcome::Proved(thm.laws())
            }
            Err(Error::MissingLaws { laws, .. }) => Outcome::Lacks(laws),
            Err(other) => panic!("{}: {other:?}", algebra.name),
        };
        assert_eq!(found, *expected, "over `{}`", algebra.name);
    }
}

#[test]
fn splitting_needs_associativity_and_reordering_commutativity() {
    let (monoid, commutes) = (Outcome::Proved(Laws::ADD_MONOID), Outcome::Proved(Laws::ADD_COMM_MONOID));
    check(&COMMUTING, Outcome::Proved(Laws::ADD_MONOID), commutes);
    check(&LAST_WINS, monoid, Outcome::Lacks(Laws::ADD_COMM));
    let both = Laws::ADD_COMM.and(Laws::ADD_ASSOC);
    check(&UNGROUPED, Outcome::Lacks(Laws::ADD_ASSOC), Outcome::Lacks(both));
}

/// The addition of `last_wins`.
fn last(a: Option<i32>, b: Option<i32>) -> Option<i32> {
    b.or(a)
}

fn fold(elements: impl IntoIterator<Item = Option<i32>>) -> Option<i32> {
    elements.into_iter().fold(None, last)
}

/// The refusals are needed: in the model, tiles give what the whole gives, and another order does not.
#[test]
fn the_last_of_tiles_is_the_last_and_the_order_counts() {
    let elements = [None, Some(0), Some(1)];
    for (a, b, c) in (0..27).map(|k| (elements[k / 9], elements[k / 3 % 3], elements[k % 3])) {
        assert_eq!(last(last(a, b), c), last(a, last(b, c)));
        assert_eq!((last(None, a), last(a, None)), (a, a));
    }
    let rows = [[Some(1), Some(2)], [Some(3), None]];
    let by_rows = fold(rows.iter().map(|row| fold(*row)));
    assert_eq!(by_rows, fold(rows.concat()));
    let by_columns = fold((0..2).map(|j| fold(rows.iter().map(|row| row[j]))));
    assert_eq!((by_rows, by_columns), (Some(3), Some(2)));
}
