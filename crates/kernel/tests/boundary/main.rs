//! What safe Rust outside of the crate might try in order to make a false theorem, or to bring the kernel down.
//!
//! What does not even compile is in the documentation of `Thm`, `Entry` and `KnownFacts`, as `compile_fail` examples.

mod limits;
mod monoids;

use atl_kernel::cert::{Derive, Facts, check};
use atl_kernel::poly::Poly;
use atl_kernel::{
    Algebra, Cert, Child, Ctx, Definition, Elem, Entered, Entry, Error, Expr, Iterate, Ix, IxOp, Label, Laws,
    MAX_DEPTH, MAX_NODES, Node, Number, Pred, Prim, Proof, Prover, Rounding, Rule, STACK, Scalar, State, Thm,
    Type, Var, enter, rounds, subst, type_of,
};
use std::sync::Arc;

static ORDINARY: Algebra =
    Algebra { name: "plus_times", scalars: &Scalar::ALL, laws: Laws::COMM_SEMIRING, formula: false };
static BY_FORMULA: Algebra = Algebra {
    name: "bounded",
    scalars: &Scalar::ALL,
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: true,
};
static SELECTING: Algebra = Algebra {
    name: "max_min",
    scalars: &Scalar::ALL,
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: false,
};

const F64: Elem = Elem { scalar: Scalar::F64, algebra: &ORDINARY };

/// Answers every goal with this.
struct Always(Option<Cert>);

impl Prover for Always {
    fn prove(&mut self, ctx: &Ctx, _: &Pred) -> Option<Cert> {
        // Whoever is asked first may look at the facts, and so fix them.
        ctx.entries().for_each(|entry| _ = entry.facts());
        self.0.clone()
    }
}

fn nothing() -> Always {
    Always(None)
}

fn lit(elem: Elem, number: Number) -> Expr {
    Arc::new(Node::Lit(elem, number))
}

fn var(level: u32) -> Expr {
    Arc::new(Node::Var(Var::Free(level)))
}

fn prim(f: Prim, args: &[&Expr]) -> Expr {
    Arc::new(Node::Prim(f, args.iter().copied().cloned().collect()))
}

fn tensor(extents: &[Ix]) -> Type {
    Type { elem: F64, shape: extents.to_vec() }
}

/// On a stack of the size that the kernel states.
fn on_stated_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_prover_cannot_make_a_context_contradictory() {
    let mut ctx = Ctx::new();
    ctx.push_size(Label::new("n"));
    let (zero, one) = (lit(F64, Number::Zero), lit(F64, Number::One));
    let forged = Thm::rule(&Arc::new(ctx), Rule::Absurd(one), &zero, &mut Always(Some(Cert::Absurd(0))));
    assert!(matches!(forged, Err(Error::Unproved(_))), "{forged:?}");
}

#[test]
fn an_entry_made_by_hand_says_what_its_predicate_says() {
    // A predicate beside the facts of another one is no entry of any context: entries are only read.
    let mut ctx = Ctx::new();
    ctx.push_hyp(Pred::False);
    let Some(Entry::Hyp(_, of_false)) = ctx.entries().next_back() else { panic!("a hypothesis") };
    let made = Entry::Hyp(Pred::True, of_false.clone());
    let mut other = Ctx::new();
    other.push_hyp(Pred::True);
    assert!(other.entries().eq([&made]));
    assert!(check(&other, &Pred::False, &Cert::Absurd(0)).is_err());
}

/// A prover that puts another predicate beside the facts of a hypothesis before anybody has asked for them.
struct Planting;

impl Prover for Planting {
    fn prove(&mut self, ctx: &Ctx, _: &Pred) -> Option<Cert> {
        for entry in ctx.entries() {
            let mut copy = entry.clone();
            if let Entry::Hyp(p, known) = &mut copy {
                Entry::Hyp(Pred::False, known.clone()).facts();
                *p = Pred::False;
            }
            copy.facts();
        }
        Some(Cert::Absurd(0))
    }
}

#[test]
fn facts_are_those_of_the_hypothesis_that_they_were_made_for() {
    let mut ctx = Ctx::new();
    ctx.push_size(Label::new("n"));
    let (zero, one) = (lit(F64, Number::Zero), lit(F64, Number::One));
    let forged = Thm::rule(&Arc::new(ctx.clone()), Rule::Absurd(one), &zero, &mut Planting);
    assert!(matches!(forged, Err(Error::Unproved(_))), "{forged:?}");
    let Some(Entry::Hyp(_, known)) = ctx.entries().next_back() else { panic!("a hypothesis") };
    Entry::Hyp(Pred::False, known.clone()).facts();
    assert!(check(&ctx, &Pred::False, &Cert::Absurd(0)).is_err());
}

thread_local! {
    /// What is dropped while a thread ends.
    static LAST: AtTheEnd = const { AtTheEnd };
}

struct AtTheEnd;

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        type_a_let();
    }
}

fn type_a_let() {
    let one = lit(F64, Number::One);
    let e: Expr = Arc::new(Node::Let(Label::new("x"), one.clone(), one));
    type_of(&Ctx::new(), &e, &mut nothing()).unwrap();
    subst::close(&e, 0);
}

#[test]
fn terms_are_typed_while_a_thread_ends() {
    let before = || {
        LAST.with(|_| ());
        type_a_let();
    };
    let after = || {
        type_a_let();
        LAST.with(|_| ());
    };
    std::thread::spawn(before).join().unwrap();
    std::thread::spawn(after).join().unwrap();
}

/// Contexts with an entry that speaks of what does not stand before it.
fn strays() -> Vec<Ctx> {
    let later = || Pred::eq(Ix::free(7), Ix::ZERO);
    let bound = || Ix::Var(Var::Bound(0));
    let push: [&dyn Fn(&mut Ctx); 8] = [
        &|ctx| _ = ctx.push_tensor(Label::new("x"), tensor(&[Ix::free(7)])),
        &|ctx| _ = ctx.push_tensor(Label::new("x"), tensor(&[Ix::free(0) + Ix::free(1)])),
        &|ctx| _ = ctx.push_tensor(Label::new("x"), tensor(&[bound()])),
        &|ctx| ctx.push_hyp(later()),
        &|ctx| ctx.push_hyp(Pred::not(Pred::and(Pred::le(Ix::ZERO, Ix::free(0)), later()))),
        &|ctx| ctx.push_hyp(Pred::le(Ix::ZERO, bound())),
        &|ctx| ctx.push_all(vec![Label::new("k")], Pred::le(Ix::ZERO, Ix::Var(Var::Bound(1)))),
        &|ctx| _ = ctx.push_loop(Label::new("i"), &Ix::Read(Var::Free(0), [Ix::ZERO].into())),
    ];
    let strays = push.into_iter().map(|push| {
        let mut ctx = Ctx::new();
        ctx.push_size(Label::new("n"));
        assert_eq!(ctx.stray(), None);
        push(&mut ctx);
        ctx
    });
    strays.collect()
}

#[test]
fn nothing_is_inferred_where_an_entry_speaks_of_what_is_not_there() {
    let one = lit(F64, Number::One);
    let sum = prim(Prim::Add, &[&one, &one]);
    for ctx in strays() {
        let stray = ctx.stray().expect("an entry is not well formed");
        assert!(stray >= 2, "{ctx:?}");
        let refused = |result: Result<(), Error>| {
            assert!(matches!(&result, Err(Error::Stray(level)) if *level == stray), "{result:?} in {ctx:?}");
        };
        let shared = Arc::new(ctx.clone());
        refused(Thm::refl(&shared, &one, &mut nothing()).map(drop));
        refused(Thm::rule(&shared, Rule::AddComm, &sum, &mut nothing()).map(drop));
        refused(type_of(&ctx, &one, &mut nothing()).map(drop));
        // A theorem of a context that is well formed does not get there by congruence or by cases.
        let mut good = ctx.clone();
        good.truncate(stray);
        assert_eq!(good.stray(), None);
        let good = Arc::new(good);
        let thm = Thm::refl(&good, &one, &mut nothing()).unwrap();
        assert!(Thm::congruence(&shared, &sum, Child::Arg(0), thm.clone(), &mut nothing()).is_err());
        assert!(Thm::cases(&shared, Pred::True, thm.clone(), thm.clone()).is_err());
        refused(Thm::replay(&shared, thm.proof()).map(drop));
    }
}

#[test]
fn a_loop_does_not_capture_what_an_entry_speaks_of() {
    // `x` has an extent that the loop's index would become.
    let mut ctx = Ctx::new();
    let x = ctx.push_tensor(Label::new("x"), tensor(&[Ix::free(1)]));
    let body: Expr = Arc::new(Node::Get(var(x), Ix::ZERO));
    let parent: Expr = Arc::new(Node::Gen(Label::new("i"), Ix::Lit(3), body));
    let (inner, child) = enter(&ctx, &parent, Child::Body, &mut nothing()).unwrap();
    let inside = Thm::rule(&Arc::new(inner), Rule::AccessGuard, &child, &mut nothing());
    assert!(matches!(inside, Err(Error::Stray(0))), "{inside:?}");
}

#[test]
fn a_hypothesis_about_a_later_variable_proves_nothing() {
    let mut ctx = Ctx::new();
    ctx.push_hyp(Pred::eq(Ix::free(1), Ix::ZERO));
    let counted =
        |i: Ix| -> Expr { Arc::new(Node::Gen(Label::new("i"), Ix::Lit(5), Arc::new(Node::Index(F64, i)))) };
    let combine =
        |a, b| Cert::Step(Derive::Combine(vec![(1, vec![a]), (1, vec![b])]), Box::new(Cert::Absurd(5)));
    let cert = Cert::Split(0, Box::new(combine(1, 4)), Box::new(combine(0, 4)));
    let (i, zero) = (counted(Ix::Var(Var::Bound(0))), counted(Ix::ZERO));
    let forged = Thm::rule(&Arc::new(ctx), Rule::ArithEq(zero), &i, &mut Always(Some(cert)));
    assert!(matches!(forged, Err(Error::Stray(0))), "{forged:?}");
}

#[test]
fn the_type_is_that_of_the_left_side_after_sym_and_trans() {
    let mut ctx = Ctx::new();
    let (n, m) = (ctx.push_index(Label::new("n")), ctx.push_index(Label::new("m")));
    let x = ctx.push_tensor(Label::new("x"), tensor(&[Ix::free(n)]));
    let y = ctx.push_tensor(Label::new("y"), tensor(&[Ix::free(m)]));
    ctx.push_hyp(Pred::eq(Ix::free(n), Ix::free(m)));
    let ctx = Arc::new(ctx);
    // Facts 0 and 1 say n == m; fact 2 denies it, one way or the other.
    let refute = |k| Cert::Step(Derive::Combine(vec![(1, vec![k]), (1, vec![2])]), Box::new(Cert::Absurd(3)));
    struct Either([Cert; 2]);
    impl Prover for Either {
        fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
            self.0.iter().find(|cert| check(ctx, goal, cert).is_ok()).cloned()
        }
    }
    let split = |a, b| Cert::Split(0, Box::new(refute(a)), Box::new(refute(b)));
    let mut prover = Either([split(1, 0), split(0, 1)]);
    let sum = prim(Prim::Add, &[&var(x), &var(y)]);
    let thm = Thm::rule(&ctx, Rule::AddComm, &sum, &mut prover).unwrap();
    let is_that_of_the_left_side = |thm: &Thm, prover: &mut Either| {
        assert_eq!(thm.ty(), &type_of(&ctx, thm.lhs(), prover).unwrap());
    };
    is_that_of_the_left_side(&thm, &mut prover);
    let back = thm.clone().sym();
    assert_eq!(back.ty().shape, [Ix::free(m)]);
    is_that_of_the_left_side(&back, &mut prover);
    is_that_of_the_left_side(&back.clone().sym(), &mut prover);
    let round = back.trans(thm).unwrap();
    is_that_of_the_left_side(&round, &mut prover);
    is_that_of_the_left_side(&round.sym(), &mut prover);
}

#[test]
fn copies_of_a_context_stay_apart() {
    let hyp = |k: u32| Pred::le(Ix::Lit(i64::from(k)), Ix::Lit(1000));
    let said = |ctx: &Ctx| ctx.hypotheses().map(|(_, p)| p.clone()).collect::<Vec<_>>();
    let of = |levels: &[u32]| {
        let mut ctx = Ctx::new();
        levels.iter().for_each(|k| ctx.push_hyp(hyp(*k)));
        ctx
    };
    // Lengths around those at which entries are kept together.
    for (length, kept, more) in
        [(0, 0, 1), (15, 15, 2), (16, 16, 1), (17, 3, 20), (40, 16, 1), (40, 31, 9), (64, 48, 0), (5, 9, 1)]
    {
        let first: Vec<u32> = (0..length).collect();
        let second: Vec<u32> = (0..kept.min(length)).chain(100..100 + more).collect();
        let ctx = of(&first);
        let mut copy = ctx.clone();
        assert_eq!(copy, ctx);
        copy.truncate(kept);
        (100..100 + more).for_each(|k| copy.push_hyp(hyp(k)));
        for (ctx, levels) in [(&ctx, &first), (&copy, &second)] {
            assert_eq!(said(ctx), levels.iter().map(|k| hyp(*k)).collect::<Vec<_>>());
            assert_eq!((ctx.level() as usize, ctx.entries().len()), (levels.len(), levels.len()));
            assert_eq!((*ctx == of(levels), ctx.entry(ctx.level()).is_none()), (true, true));
        }
        assert_eq!(ctx == copy, first == second);
    }
}

/// `x + y` of extents that are equal where `n == m`, that predicate, and the context of all.
fn equal_where_it_holds() -> (Arc<Ctx>, Pred, Expr) {
    let mut ctx = Ctx::new();
    let (n, m) = (ctx.push_index(Label::new("n")), ctx.push_index(Label::new("m")));
    let x = ctx.push_tensor(Label::new("x"), tensor(&[Ix::free(n)]));
    let y = ctx.push_tensor(Label::new("y"), tensor(&[Ix::free(m)]));
    (Arc::new(ctx), Pred::eq(Ix::free(n), Ix::free(m)), prim(Prim::Add, &[&var(x), &var(y)]))
}

/// Shows what a single hypothesis says to the letter, in the context with it; nothing else.
fn of_the_hypothesis() -> Always {
    let refute = |k| Cert::Step(Derive::Combine(vec![(1, vec![k]), (1, vec![2])]), Box::new(Cert::Absurd(3)));
    Always(Some(Cert::Split(0, Box::new(refute(1)), Box::new(refute(0)))))
}

#[test]
fn a_place_takes_an_equation_for_its_own_child_alone() {
    let (ctx, p, sum) = equal_where_it_holds();
    let (a, b) = (lit(F64, Number::One), lit(F64, Number::Zero));
    let both: Expr = Arc::new(Node::Select(p.clone(), a.clone(), b.clone()));
    let place = |at| Entered::at(&ctx, &both, at, &mut nothing()).unwrap();
    let (holds, fails) = (place(Child::Then), place(Child::Else));
    let refl = |ctx: &Arc<Ctx>, e: &Expr| Thm::refl(ctx, e, &mut nothing()).unwrap();
    let right = holds.lift(refl(holds.ctx(), &a), &mut nothing()).unwrap();
    assert_eq!((right.lhs(), right.rhs(), right.ctx()), (&both, &both, &ctx));
    for other in [refl(&ctx, &a), refl(fails.ctx(), &a), refl(holds.ctx(), &b), refl(fails.ctx(), &b)] {
        let forged = holds.lift(other, &mut nothing());
        assert!(matches!(forged, Err(Error::Mismatch(_))), "{forged:?}");
    }
    assert!(Entered::at(&ctx, &both, Child::Body, &mut nothing()).is_err());
    // The same node on both sides: it has a type on one of them.
    let twice: Expr = Arc::new(Node::Select(p, sum.clone(), sum.clone()));
    let holds = Entered::at(&ctx, &twice, Child::Then, &mut nothing()).unwrap();
    let inside = Thm::refl(holds.ctx(), &sum, &mut of_the_hypothesis()).unwrap();
    let forged = holds.lift(inside, &mut of_the_hypothesis());
    assert!(matches!(forged, Err(Error::Unproved(_))), "{forged:?}");
}

#[test]
fn a_term_around_asks_for_the_certificates_that_its_child_asks_for() {
    let (ctx, p, sum) = equal_where_it_holds();
    let guarded: Expr = Arc::new(Node::Guard(p, sum.clone()));
    let place = Entered::at(&ctx, &guarded, Child::Body, &mut nothing()).unwrap();
    let inside = Thm::refl(place.ctx(), &sum, &mut of_the_hypothesis()).unwrap();
    assert!(place.lift(inside.clone(), &mut nothing()).is_err());
    let thm = place.lift(inside, &mut of_the_hypothesis()).unwrap();
    let Proof::Congruence(_, _, _, certs) = &**thm.proof() else { panic!("a congruence") };
    assert_eq!((certs.len(), thm.ty().shape.len()), (1, 1));
    assert!(Thm::replay(&ctx, thm.proof()).is_ok());
}

#[test]
fn certificates_stay_with_the_side_and_the_place_that_asked_for_them() {
    let (ctx, p, sum) = equal_where_it_holds();
    // What was asked on the way in is in the record of the way back.
    let mut assumed = (*ctx).clone();
    assumed.push_hyp(p.clone());
    let assumed = Arc::new(assumed);
    let named = |body: Expr| -> Expr { Arc::new(Node::Let(Label::new("z"), sum.clone(), body)) };
    let own = named(Arc::new(Node::Var(Var::Bound(0))));
    let place = Entered::at(&assumed, &own, Child::Body, &mut of_the_hypothesis()).unwrap();
    let inside = Thm::refl(place.ctx(), place.child(), &mut nothing()).unwrap();
    let thm = place.lift(inside, &mut of_the_hypothesis()).unwrap();
    assert!(Thm::replay(&assumed, thm.proof()).is_ok());
    // One side asks and the other does not.
    let (x, guard) = (var(2), |e: Expr| -> Expr { Arc::new(Node::Guard(p.clone(), e)) });
    let plain = guard(x.clone());
    let place = Entered::at(&ctx, &plain, Child::Body, &mut nothing()).unwrap();
    let inlined =
        Thm::rule(place.ctx(), Rule::LetInline, &named(x.clone()), &mut of_the_hypothesis()).unwrap();
    let back = place.lift(inlined.sym(), &mut nothing()).unwrap().sym();
    assert_eq!(*back.lhs(), guard(named(x)));
    let around = prim(Prim::Neg, &[back.lhs()]);
    let place = Entered::at(&ctx, &around, Child::Arg(0), &mut nothing()).unwrap();
    assert!(place.lift(back.clone(), &mut nothing()).is_err());
    let thm = place.lift(back, &mut of_the_hypothesis()).unwrap();
    assert!(Thm::replay(&ctx, thm.proof()).is_ok());
}

#[test]
fn several_results_get_no_further_in_by_a_congruence() {
    let ctx: Arc<Ctx> = Arc::default();
    let one = lit(F64, Number::One);
    let two: Expr = Arc::new(Node::Bundle(vec![Label::new("a"); 2].into(), vec![one.clone(), one.clone()]));
    let named: Expr = Arc::new(Node::Let(Label::new("x"), one.clone(), two.clone()));
    let around = |e: &Expr| -> [Expr; 3] {
        [
            Arc::new(Node::Guard(Pred::True, e.clone())),
            Arc::new(Node::Let(Label::new("x"), e.clone(), one.clone())),
            Arc::new(Node::Gen(Label::new("i"), Ix::Lit(3), e.clone())),
        ]
    };
    for (outside, at) in around(&two).iter().zip([Child::Body, Child::Bound, Child::Body]) {
        let place = Entered::at(&ctx, outside, at, &mut nothing()).unwrap();
        let inside = Thm::refl(place.ctx(), &two, &mut nothing()).unwrap();
        let forged = place.lift(inside, &mut nothing());
        assert!(matches!(forged, Err(Error::IllTyped(..))), "{forged:?}");
    }
    let place = Entered::at(&ctx, &named, Child::Body, &mut nothing()).unwrap();
    let inside = Thm::refl(place.ctx(), &two, &mut nothing()).unwrap();
    assert!(place.lift(inside, &mut nothing()).unwrap().ty().is_bundle());
}

/// The term with other variables, as the book has it: every part is visited.
fn mapped(e: &Expr, depth: u32, to: &dyn Fn(Var, u32) -> Option<Var>) -> Expr {
    let of = |v: Var| to(v, depth).unwrap_or(v);
    let under = |e: &Expr, more: u32| mapped(e, depth + more, to);
    Arc::new(match &**e {
        Node::Var(v) => Node::Var(of(*v)),
        Node::Get(array, Ix::Var(v)) => Node::Get(under(array, 0), Ix::Var(of(*v))),
        Node::Let(l, bound, body) => Node::Let(l.clone(), under(bound, 0), under(body, 1)),
        Node::Prim(f, args) => Node::Prim(*f, args.iter().map(|arg| under(arg, 0)).collect()),
        other => panic!("not a term of this test: {other:?}"),
    })
}

#[test]
fn substitution_reaches_every_variable_below_lets() {
    let mut seed = 7u64;
    let mut random = move |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    for _ in 0..300 {
        let mut made: Vec<Expr> = Vec::new();
        for _ in 0..24 {
            let levels = [0, 1, 2, 3, u32::MAX - 1, u32::MAX];
            let v = match random(3) {
                0 => Var::Free(levels[random(6) as usize]),
                _ => Var::Bound(random(5) as u32),
            };
            let mut any = |or: Node| {
                made.get(random(2 * made.len() as u64 + 1) as usize).cloned().unwrap_or(Arc::new(or))
            };
            let (a, b) = (any(Node::Var(v)), any(Node::Var(v)));
            made.push(Arc::new(match random(4) {
                0 => Node::Get(a, Ix::Var(v)),
                1 => Node::Prim(Prim::Add, vec![a, b]),
                _ => Node::Let(Label::new("x"), a, b),
            }));
        }
        for e in made.iter().rev().take(8) {
            for (first, count) in [(0, 1), (1, 2), (3, 1), (u32::MAX - 1, 1), (u32::MAX, 1)] {
                let last = u64::from(first) + u64::from(count);
                let closed = |v: Var, depth: u32| match v {
                    Var::Free(level) if level >= first && u64::from(level) < last => {
                        Some(Var::Bound(depth + (last - 1 - u64::from(level)) as u32))
                    }
                    _ => None,
                };
                let opened = |v: Var, depth: u32| match v {
                    Var::Bound(k) if k >= depth && k - depth < count => {
                        (first + (count - 1)).checked_sub(k - depth).map(Var::Free)
                    }
                    _ => None,
                };
                assert_eq!(subst::close_all(e, first, count), mapped(e, 0, &closed));
                if last <= u64::from(u32::MAX) + 1 {
                    assert_eq!(subst::open_all(e, first, count), mapped(e, 0, &opened));
                }
                let renamed = subst::Subst {
                    index: vec![(first, Ix::free(9)), (2, Ix::free(8))],
                    tensor: vec![(first, var(9)), (2, var(8))],
                };
                let other = |v: Var, _: u32| match v {
                    Var::Free(2) => Some(Var::Free(8)),
                    v => (v == Var::Free(first)).then_some(Var::Free(9)),
                };
                assert_eq!(renamed.expr(e), mapped(e, 0, &other));
            }
        }
    }
}

#[test]
fn laws_of_a_formula_move_roundings() {
    let class = |algebra: &'static Algebra, scalar| {
        let elem = Elem { scalar, algebra };
        let product = prim(Prim::Mul, &[&lit(elem, Number::One), &lit(elem, Number::Decimal(1, -20))]);
        Thm::rule(&Arc::default(), Rule::MulOneL, &product, &mut nothing()).unwrap().rounding()
    };
    assert_eq!(class(&ORDINARY, Scalar::F64), Rounding::Finite);
    assert_eq!(class(&BY_FORMULA, Scalar::F64), Rounding::Real);
    assert_eq!(class(&BY_FORMULA, Scalar::F32), Rounding::Real);
    assert_eq!(class(&BY_FORMULA, Scalar::I32), Rounding::Bitwise);
}

#[test]
fn the_class_of_a_law_depends_on_the_type() {
    let class = |rule: Rule, algebra: &'static Algebra, scalar| {
        let one = lit(Elem { scalar, algebra }, Number::One);
        let sum = prim(Prim::Add, &[&one, &one]);
        let nested = prim(if rule == Rule::DistrR { Prim::Mul } else { Prim::Add }, &[&sum, &one]);
        Thm::rule(&Arc::default(), rule, &nested, &mut nothing()).unwrap().rounding()
    };
    for scalar in Scalar::ALL {
        let expected = |float| if scalar.is_float() { float } else { Rounding::Bitwise };
        for (algebra, assoc, comm) in [
            (&ORDINARY, Rounding::Real, Rounding::Finite),
            (&SELECTING, Rounding::Finite, Rounding::Finite),
            (&BY_FORMULA, Rounding::Real, Rounding::Real),
        ] {
            let name = algebra.name;
            assert_eq!(class(Rule::AddAssoc, algebra, scalar), expected(assoc), "{name} {scalar}");
            assert_eq!(class(Rule::AddComm, algebra, scalar), expected(comm), "{name} {scalar}");
            assert_eq!(class(Rule::DistrR, algebra, scalar), expected(Rounding::Real), "{name} {scalar}");
        }
    }
}
