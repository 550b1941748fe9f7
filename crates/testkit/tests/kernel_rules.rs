//! Random terms under every primitive rule: what the kernel calls a theorem holds wherever it is evaluated.
//!
//! `ATL_KERNEL=20` tries 20 times as much.

use atl_arith::Arith;
use atl_kernel::{
    Child, Ctx, Elem, Expr, Ix, Label, Laws, Monoid, Node, Number, Prim, Rounding, Rule, Thm, Var, enter,
    type_of,
};
use atl_testkit::choices::Choices;
use atl_testkit::kernel::meaning::{Dense, MAX_MIN, PLUS_TIMES, Point, Reading, places};
use atl_testkit::kernel::terms::{Terms, context, floats};
use atl_testkit::oracle::replay;
use atl_testkit::parallel::in_parallel;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often each rule made a theorem, and at how many points one was evaluated.
type Counts = BTreeMap<&'static str, (u64, u64)>;

/// Every rule, with arguments that may fit this term.
fn rules(e: &Expr, kind: (atl_kernel::Elem, &[Ix]), choices: &mut Choices) -> Vec<Rule> {
    use Rule::*;
    let label = Label::default;
    let (k, q) = (Terms::new(choices).ix(1), Terms::new(choices).ix(1));
    let (near, other) = (Terms::new(choices).varied(e), Terms::new(choices).expr(kind.0, kind.1, 1));
    vec![
        LetInline,
        Unfold,
        AccessGen,
        AccessGuard,
        GenEta(label()),
        GuardTrue,
        GuardZero,
        GuardAnd,
        GuardAdd,
        GuardMulL,
        GuardMulR,
        GuardGen,
        GuardSum,
        SelectTrue,
        SelectFalse,
        GetGuard,
        GetSelect,
        GetSum,
        GetPrim,
        GetView,
        SumEmpty,
        SumOne,
        SumLast,
        SumSplit(k.clone()),
        SumTile(label(), k, label(), q),
        SumSwap,
        SumAdd,
        SumOnes,
        GenSumSwap,
        OneHot,
        MulSumL,
        MulSumR,
        AddAssoc,
        AddComm,
        AddZeroL,
        AddZeroR,
        MulAssoc,
        MulComm,
        MulOneL,
        MulOneR,
        DistrL,
        DistrR,
        SubAsAdd,
        ViewSame,
        ViewView,
        ViewGen,
        ReadIndex,
        LiteralIndex,
        IndexAdd,
        IndexMul,
        IndexPrim,
        IterateZero,
        IterateLast,
        IterateBody,
        ArithEq(near),
        Absurd(other),
    ]
}

/// A law that a monoid has, at elements of random terms, and a field of its left side: of the greater of two,
/// or of the greater and the sum.
fn law(choices: &mut Choices) -> (Rule, Expr) {
    let prim = |f: Prim, args: [&Expr; 2]| Arc::new(Node::Prim(f, args.map(Expr::clone).to_vec()));
    let var = |level| Arc::new(Node::Var(Var::Free(level)));
    let lit = |elem: Elem, number| Arc::new(Node::Lit(elem, number));
    let (greater, total) = (floats(&MAX_MIN), floats(&PLUS_TIMES));
    let (fields, zero, sum, laws) = match choices.one_in(2) {
        true => {
            let sum = vec![prim(Prim::Max, [&var(0), &var(1)])];
            (vec![greater], vec![lit(greater, Number::NegInfinity)], sum, Monoid::CLAIMS)
        }
        false => {
            let sum = vec![prim(Prim::Max, [&var(0), &var(2)]), prim(Prim::Add, [&var(1), &var(3)])];
            let zero = vec![lit(total, Number::NegInfinity), lit(total, Number::Zero)];
            (vec![total; 2], zero, sum, Laws::ADD_COMM_MONOID)
        }
    };
    let monoid = Arc::new(Monoid::new("m", fields, zero, sum, laws).unwrap());
    let (law, count) = *choices.of(&[
        (Laws::ADD_0_L, 1),
        (Laws::ADD_0_R, 1),
        (Laws::ADD_IDEM, 1),
        (Laws::ADD_COMM, 2),
        (Laws::ADD_ASSOC, 3),
    ]);
    let mut element =
        || monoid.fields().iter().map(|elem| Terms::new(choices).expr(*elem, &[], 2)).collect::<Vec<_>>();
    let elements: Vec<_> = (0..count).map(|_| element()).collect();
    let left = match &elements[..] {
        [a] if law == Laws::ADD_0_L => monoid.sum(monoid.zero(), a),
        [a] if law == Laws::ADD_0_R => monoid.sum(a, monoid.zero()),
        [a] => monoid.sum(a, a),
        [a, b] => monoid.sum(a, b),
        [a, b, ..] => monoid.sum(&monoid.sum(a, b), &elements[2]),
        [] => unreachable!("a law is of an element"),
    };
    let field = choices.below(left.len());
    (Rule::Law(monoid, law, field, elements), left[field].clone())
}

/// A law of a monoid below a negation.
fn attempt_law(choices: &mut Choices, counts: &mut Counts) -> u64 {
    let (ctx, mut prover) = (Arc::new(context(choices)), Arith::with_work(20_000));
    let (rule, lhs) = law(choices);
    let name = rule.name();
    let Ok(thm) = Thm::rule(&ctx, rule, &lhs, &mut prover) else { return 1 };
    let parent = Arc::new(Node::Prim(Prim::Neg, vec![lhs]));
    let Ok(thm) = Thm::congruence(&ctx, &parent, Child::Arg(0), thm, &mut prover) else { return 1 };
    replay(&thm).unwrap_or_else(|why| panic!("{name}: {why}"));
    assert_eq!(thm.claims().len(), 1);
    let count = counts.entry(name).or_default();
    count.0 += 1;
    count.1 += u64::from((0..6).any(|_| holds_somewhere(&thm, choices)));
    1
}

/// Elements that tell a class's promise from less.
fn values(class: Rounding) -> &'static [f64] {
    match class {
        Rounding::Bitwise | Rounding::Finite => {
            &[0.1, -0.7, 3e10, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300, 2.3]
        }
        Rounding::Real => &[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0],
    }
}

fn same(class: Rounding, a: f64, b: f64) -> bool {
    let bits = a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    match class {
        Rounding::Bitwise | Rounding::Finite => bits,
        Rounding::Real => {
            a == b || !a.is_finite() || !b.is_finite() || (a - b).abs() <= 1e-6 * a.abs().max(1.0)
        }
    }
}

/// A random point at which the theorem could be false, evaluated; was there one?
pub(crate) fn holds_somewhere(thm: &Thm, choices: &mut Choices) -> bool {
    let class = thm.rounding();
    let reading = if class == Rounding::Finite { Reading::Quotient } else { Reading::Machine };
    let Some(mut point) = Point::random(thm.ctx(), reading, values(class), choices) else { return false };
    let shape = point.kind(thm.lhs()).1;
    assert_eq!(shape, point.kind(thm.rhs()).1, "shapes of {thm:?} at {point:?}");
    if shape.iter().any(|n| *n > 60) {
        return false;
    }
    let (left, right): (Dense, Dense) = (point.value(thm.lhs()), point.value(thm.rhs()));
    // Laws hold on an algebra's carrier.
    if point.strayed && class != Rounding::Bitwise {
        return false;
    }
    for ((a, b), place) in left.data.iter().zip(&right.data).zip(places(&shape)) {
        assert!(
            same(class, *a, *b),
            "{a:?} and {b:?} at {place:?} of {:?}\n= {:?}\n{class}, at {point:?}",
            thm.lhs(),
            thm.rhs()
        );
    }
    true
}

/// All rules at a random place of a random term; how many were tried.
fn attempt(choices: &mut Choices, counts: &mut Counts) -> u64 {
    if choices.one_in(20) {
        return attempt_law(choices, counts);
    }
    let ctx: Arc<Ctx> = Arc::new(context(choices));
    let elem = Terms::new(choices).elem();
    let shape = Terms::new(choices).shape();
    let depth = 2 + choices.below(3);
    let e = match choices.one_in(8) {
        true => Terms::new(choices).integer(),
        false => Terms::new(choices).expr(elem, &shape, depth),
    };
    let mut prover = Arith::with_work(20_000);
    if type_of(&ctx, &e, &mut prover).is_err() {
        return 0;
    }
    let (mut inside, mut part, mut path) = (ctx.clone(), e.clone(), Vec::new());
    while choices.below(3) != 0 && part.children().next().is_some() {
        let at = *choices.of(&part.children().collect::<Vec<_>>());
        let Ok((next, child)) = enter(&inside, &part, at, &mut prover) else { break };
        path.push((inside, part, at));
        (inside, part) = (Arc::new(next), child);
    }
    let Ok(ty) = type_of(&inside, &part, &mut prover) else { return 0 };
    let rules = rules(&part, (ty.elem, &ty.shape), choices);
    let tried = rules.len() as u64;
    for rule in rules {
        let name = rule.name();
        let Ok(thm) = Thm::rule(&inside, rule, &part, &mut prover) else { continue };
        let outward = path
            .iter()
            .rev()
            .try_fold(thm, |thm, (ctx, parent, at)| Thm::congruence(ctx, parent, *at, thm, &mut prover));
        let Ok(thm) = outward else { continue };
        replay(&thm).unwrap_or_else(|why| panic!("{name}: {why}"));
        let count = counts.entry(name).or_default();
        count.0 += 1;
        count.1 += u64::from((0..6).any(|_| holds_somewhere(&thm, choices)));
    }
    tried
}

#[test]
fn theorems_hold_wherever_they_are_evaluated() {
    let times: u64 = std::env::var("ATL_KERNEL").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let all = in_parallel(0..16 * times, |seed| {
        let (mut choices, mut counts) = (Choices::new(seed), Counts::new());
        let tried: u64 = (0..2_000).map(|_| attempt(&mut choices, &mut counts)).sum();
        (tried, counts)
    });
    println!("{} attempts", all.iter().map(|(tried, _)| tried).sum::<u64>());
    for info in Rule::TABLE {
        let counts = all.iter().filter_map(|(_, counts)| counts.get(info.name));
        let (made, evaluated) = counts.fold((0, 0), |sum, n| (sum.0 + n.0, sum.1 + n.1));
        println!("{:14} {made:7} theorems, {evaluated:7} evaluated", info.name);
        assert!(evaluated > 0, "`{}` was never evaluated", info.name);
    }
}
