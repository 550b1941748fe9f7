//! How large terms, contexts and records of inferences may be: nothing panics, overflows the stack or takes exponential time.

use super::*;

#[test]
fn numbers_out_of_range_are_refused() {
    assert_eq!(Poly::of(&Ix::Lit(4)).unwrap().cut(0), None);
    assert_eq!(Poly::of(&Ix::free(0)).unwrap().cut(-1), None);
    let one = lit(F64, Number::One);
    let sum = prim(Prim::Add, &[&one, &one]);
    assert_eq!(*sum, sum.with_child(Child::Arg(2), var(0)));
    let definition =
        Definition { name: "f", index_params: u32::MAX, tensor_params: vec![u32::MAX; 2], body: one };
    assert_eq!(definition.tensor_level(9), u32::MAX);
    let use_of_it: Expr = Arc::new(Node::Op(Arc::new(definition), vec![], vec![]));
    assert!(Thm::refl(&Arc::default(), &use_of_it, &mut nothing()).is_err());
}

fn negated(times: usize) -> Expr {
    (0..times).fold(lit(F64, Number::One), |e, _| prim(Prim::Neg, &[&e]))
}

#[test]
fn terms_are_worked_on_up_to_the_stated_depth() {
    on_stated_stack(|| {
        let ctx = Arc::default();
        let deepest = negated(MAX_DEPTH - 1);
        let thm = Thm::refl(&ctx, &deepest, &mut nothing()).unwrap();
        assert!(Thm::rule(&ctx, Rule::ArithEq(negated(MAX_DEPTH - 1)), &deepest, &mut nothing()).is_ok());
        assert!(Thm::replay(&ctx, thm.proof()).is_ok());
        let deeper = prim(Prim::Neg, &[&deepest]);
        let too_large = |result: Result<(), Error>| assert_eq!(result, Err(Error::TooLarge));
        too_large(Thm::refl(&ctx, &deeper, &mut nothing()).map(drop));
        too_large(Thm::rule(&ctx, Rule::ArithEq(deeper.clone()), &deepest, &mut nothing()).map(drop));
        too_large(Thm::rule(&ctx, Rule::Absurd(deeper.clone()), &deepest, &mut nothing()).map(drop));
        too_large(Thm::congruence(&ctx, &deeper, Child::Arg(0), thm, &mut nothing()).map(drop));
        too_large(enter(&ctx, &deeper, Child::Arg(0), &mut nothing()).map(drop));
        too_large(type_of(&ctx, &deeper, &mut nothing()).map(drop));
        // An equation of what fits with what just fits, below one node more.
        let one = lit(F64, Number::One);
        let most: Expr = Arc::new(Node::Let(Label::new("z"), negated(MAX_DEPTH - 2), one.clone()));
        let grown = Thm::rule(&ctx, Rule::LetInline, &most, &mut nothing()).unwrap().sym();
        too_large(
            Thm::congruence(&ctx, &prim(Prim::Neg, &[&one]), Child::Arg(0), grown, &mut nothing()).map(drop),
        );
        // Two halves that fit make a whole that does not.
        let half = negated(MAX_DEPTH / 2 + 1);
        let named =
            (0..MAX_DEPTH / 2 - 1).fold(Arc::new(Node::Var(Var::Bound(0))), |e, _| prim(Prim::Neg, &[&e]));
        let both: Expr = Arc::new(Node::Let(Label::new("t"), half, named));
        too_large(Thm::rule(&ctx, Rule::LetInline, &both, &mut nothing()).map(drop));
    });
}

/// `let x = 1; ..` so often, around a number.
fn lets(times: usize) -> Expr {
    let one = lit(F64, Number::One);
    (0..times).fold(one.clone(), |e, _| Arc::new(Node::Let(Label::new("x"), one.clone(), e)))
}

#[test]
fn what_stands_below_a_let_counts_whenever_it_was_measured() {
    on_stated_stack(|| {
        let ctx = Arc::default();
        let too_large =
            |e: &Expr| assert_eq!(Thm::refl(&ctx, e, &mut nothing()).map(drop), Err(Error::TooLarge));
        let fits = |e: &Expr| assert!(type_of(&ctx, e, &mut nothing()).is_ok());
        let around =
            |e: &Expr| -> Expr { Arc::new(Node::Let(Label::new("x"), lit(F64, Number::One), e.clone())) };
        let deepest = lets(MAX_DEPTH - 1);
        // Before its parts were measured, and after.
        for _ in 0..2 {
            too_large(&around(&deepest));
            too_large(&prim(Prim::Neg, &[&deepest]));
            fits(&deepest);
        }
        // As a tree, each has twice the nodes of the one before, and one more.
        let mut parts = vec![lit(F64, Number::One)];
        while parts.len() <= 20 {
            let last = parts.last().unwrap().clone();
            parts.push(Arc::new(Node::Let(Label::new("x"), last.clone(), last)));
        }
        too_large(&parts[20]);
        fits(&parts[12]);
        fits(&parts[14]);
        too_large(&parts[20]);
        let most = MAX_NODES / ((2 << 14) - 1);
        let copies = |n: usize| prim(Prim::Add, &vec![&parts[14]; n]);
        too_large(&copies(most + 1));
        assert!(enter(&ctx, &copies(most), Child::Arg(0), &mut nothing()).is_ok());
        // Guards and loops nest as deep.
        let guards =
            (1..MAX_DEPTH - 1).fold(lit(F64, Number::One), |e, _| Arc::new(Node::Guard(Pred::True, e)));
        fits(&guards);
        let one = |e: Expr| -> Expr { Arc::new(Node::Sum(Label::new("i"), Ix::ONE, e)) };
        fits(&(1..MAX_DEPTH - 1).fold(lit(F64, Number::One), |e, _| one(e)));
    });
}

/// `iterate t < n from x = 0, .. { 0, .. } in 0`, with this many states.
fn zeros_of(states: usize, n: Ix) -> Expr {
    let zero = lit(F64, Number::Zero);
    let state = State { label: Label::new("x"), init: zero.clone(), step: zero.clone() };
    let states = vec![state; states];
    Arc::new(Node::Iterate(Arc::new(Iterate { label: Label::new("t"), extent: n, states, body: zero })))
}

#[test]
fn iterations_are_worked_on_up_to_a_number_of_states() {
    on_stated_stack(|| {
        let ctx = Arc::default();
        let most = zeros_of(MAX_DEPTH / 4, Ix::Lit(1));
        let thm = Thm::refl(&ctx, &most, &mut nothing()).unwrap();
        assert!(Thm::replay(&ctx, thm.proof()).is_ok());
        let more = zeros_of(MAX_DEPTH / 4 + 1, Ix::Lit(1));
        let too_large = |result: Result<(), Error>| assert_eq!(result, Err(Error::TooLarge));
        too_large(Thm::refl(&ctx, &more, &mut nothing()).map(drop));
        too_large(Thm::rule(&ctx, Rule::IterateBody, &more, &mut nothing()).map(drop));
        too_large(Thm::induction(&ctx, &more, &[], Vec::new(), &mut nothing()).map(drop));
        too_large(rounds(&ctx, &more).map(drop));
        too_large(type_of(&ctx, &more, &mut nothing()).map(drop));
    });
}

#[test]
fn rounds_whose_number_means_nothing_prove_nothing() {
    let ctx = Arc::new(Ctx::new());
    let zero = lit(F64, Number::Zero);
    let mut tried = 0;
    // The context has no variables: these are the index of the rounds itself, and one of nobody.
    for level in [0, 7] {
        let stray = zeros_of(1, Ix::free(level));
        assert!(type_of(&ctx, &stray, &mut nothing()).is_err());
        let inner = Arc::new(rounds(&ctx, &stray).unwrap());
        let begins = Thm::refl(&ctx, &zero, &mut nothing()).unwrap();
        let Ok(goes_on) = Thm::refl(&inner, &zero, &mut nothing()) else { continue };
        let premises = vec![(begins, goes_on)];
        let forged = Thm::induction(&ctx, &stray, std::slice::from_ref(&zero), premises, &mut nothing());
        assert!(forged.is_err(), "{forged:?}");
        tried += 1;
    }
    // A bound by the index itself contradicts itself, so there premises are to be had.
    assert!(tried > 0);
}

#[test]
fn index_terms_and_predicates_are_worked_on_up_to_the_stated_depth() {
    on_stated_stack(|| {
        let long = |times| (0..times).fold(Ix::free(0), |ix, _| Ix::bin(IxOp::Min, Ix::free(0), ix));
        let mut ctx = Ctx::new();
        ctx.push_size(Label::new("n"));
        assert!(Poly::of(&long(MAX_DEPTH - 1)).is_ok());
        assert!(Poly::of(&long(MAX_DEPTH)).is_err());
        let negations = (0..MAX_DEPTH).fold(Pred::le(Ix::ZERO, Ix::free(0)), |p, _| Pred::Not(Arc::new(p)));
        let facts = Facts::refuting(&ctx, &negations);
        assert!(facts.is_err());
        let one = lit(F64, Number::One);
        for rule in [
            Rule::SumSplit(long(MAX_DEPTH)),
            Rule::SumTile(Label::new("o"), long(MAX_DEPTH), Label::new("i"), Ix::ONE),
            Rule::SumTile(Label::new("o"), Ix::ONE, Label::new("i"), long(MAX_DEPTH)),
        ] {
            let sum: Expr = Arc::new(Node::Sum(Label::new("i"), Ix::ONE, one.clone()));
            let refused = Thm::rule(&Arc::new(ctx.clone()), rule, &sum, &mut nothing());
            assert_eq!(refused.map(drop), Err(Error::TooLarge));
        }
        let thm = Thm::refl(&Arc::new(ctx.clone()), &one, &mut nothing()).unwrap();
        let cases = Thm::cases(&Arc::new(ctx.clone()), negations.clone(), thm.clone(), thm);
        assert_eq!(cases.map(drop), Err(Error::TooLarge));
        ctx.push_hyp(negations);
        assert_eq!(ctx.stray(), Some(2));
    });
}

#[test]
fn shared_parts_count_once_for_each_use() {
    on_stated_stack(|| {
        let shared = |times| (0..times).fold(lit(F64, Number::One), |e, _| prim(Prim::Add, &[&e, &e]));
        let most = MAX_NODES.ilog2() as usize - 1;
        assert!(type_of(&Ctx::new(), &shared(most), &mut nothing()).is_ok());
        assert_eq!(type_of(&Ctx::new(), &shared(most + 1), &mut nothing()), Err(Error::TooLarge));
        assert_eq!(type_of(&Ctx::new(), &shared(200), &mut nothing()), Err(Error::TooLarge));
        // An operator whose extent is a product of its argument's: squared so often, its degree would be 2^40.
        let square = Arc::new(Definition {
            name: "square",
            index_params: 0,
            tensor_params: vec![1],
            body: Arc::new(Node::Gen(Label::new("i"), Ix::free(0) * Ix::free(0), lit(F64, Number::One))),
        });
        let mut ctx = Ctx::new();
        ctx.push_size(Label::new("n"));
        ctx.push_tensor(Label::new("x"), tensor(&[Ix::free(0)]));
        let squared = (0..40).fold(var(2), |e, _| Arc::new(Node::Op(square.clone(), vec![], vec![e])));
        assert_eq!(type_of(&ctx, &squared, &mut nothing()), Err(Error::TooLarge));
    });
}

#[test]
fn remainders_of_remainders_are_compared_in_time() {
    // Each stands twice in its normal form.
    let remainder = |n| (0..n).fold(Ix::free(0), |ix, k| Ix::bin(IxOp::Mod, ix, Ix::Lit(1000 - k)));
    let polynomial = Poly::of(&remainder(16)).unwrap();
    assert_eq!(Poly::of(&remainder(16)), Ok(polynomial));
    assert!(Poly::of(&remainder(40)).is_err());
}

#[test]
fn records_of_inferences_nest_up_to_the_stated_depth() {
    on_stated_stack(|| {
        let ctx = Arc::default();
        let one = lit(F64, Number::One);
        let refl = Thm::refl(&ctx, &one, &mut nothing()).unwrap();
        // There and back, as often as one likes, is the same theorem.
        let turned = (0..1_000_000).fold(refl.clone(), |thm, _| thm.sym());
        assert!(Thm::replay(&ctx, turned.proof()).is_ok());
        let mut thm = refl.clone();
        let refused = (0..=MAX_DEPTH).find_map(|_| match thm.clone().trans(refl.clone()) {
            Ok(longer) => {
                thm = longer;
                None
            }
            Err(why) => Some(why),
        });
        assert_eq!(refused, Some(Error::TooLarge));
        assert!(Thm::replay(&ctx, thm.proof()).is_ok());
        // A record that shares its parts would take 2^60 inferences.
        let mut shared = refl;
        for _ in 0..60 {
            shared = shared.clone().trans(shared).unwrap();
        }
        assert_eq!(Thm::replay(&ctx, shared.proof()).map(drop), Err(Error::TooLarge));
    });
}
