//! What the check shows, and what it refuses with which counterexample.

use atl_arith::Arith;
use atl_check::{Kind, Report, check_term};
use atl_kernel::{
    Algebra, Cert, Child, Ctx, Elem, Expr, Ix, Label, Laws, LoopKind, Node, Number, Pred, Prim, Prover,
    Scalar, Storage, Type, Var, cert, subst,
};
use std::sync::Arc;

static REALS: Algebra =
    Algebra { name: "plus_times", scalars: &Scalar::ALL, laws: Laws::COMM_SEMIRING, formula: false };
const F32: Elem = Elem { scalar: Scalar::F32, algebra: &REALS };

/// A context with a size `n`, a vector `x` of `n`, a matrix `a` of `n` by 4, and a vector `at` of `n` integers.
struct Given {
    ctx: Ctx,
    n: Ix,
    x: Expr,
    a: Expr,
    at: Var,
}

fn given() -> Given {
    let mut ctx = Ctx::new();
    let n = Ix::free(ctx.push_size(Label::new("n")));
    let mut tensor = |name, shape: Vec<Ix>| {
        Arc::new(Node::Var(Var::Free(ctx.push_tensor(Label::new(name), Type { elem: F32, shape }))))
    };
    let x = tensor("x", vec![n.clone()]);
    let a = tensor("a", vec![n.clone(), Ix::Lit(4)]);
    let integers = Type { elem: Elem { scalar: Scalar::I64, ..F32 }, shape: vec![n.clone()] };
    let at = Var::Free(ctx.push_tensor(Label::new("at"), integers));
    Given { ctx, n, x, a, at }
}

/// A place for an index term.
type Place<'a> = &'a dyn Fn(&Given, Ix) -> Expr;

/// Two predicates made one.
type Connective = fn(Pred, Pred) -> Pred;

/// A level that no context here reaches, for each depth of nesting.
const FRESH: u32 = 1000;

fn binder(depth: u32, body: impl FnOnce(Ix) -> Expr) -> Expr {
    subst::close(&body(Ix::free(FRESH + depth)), FRESH + depth)
}

fn gen_of(kind: LoopKind, depth: u32, n: &Ix, body: impl FnOnce(Ix) -> Expr) -> Expr {
    Arc::new(Node::Gen(Label { kind, ..Label::new("i") }, n.clone(), binder(depth, body)))
}

fn gen_(depth: u32, n: &Ix, body: impl FnOnce(Ix) -> Expr) -> Expr {
    gen_of(LoopKind::Serial, depth, n, body)
}

fn sum_of(kind: LoopKind, depth: u32, n: &Ix, body: impl FnOnce(Ix) -> Expr) -> Expr {
    Arc::new(Node::Sum(Label { kind, ..Label::new("k") }, n.clone(), binder(depth, body)))
}

fn let_(storage: Storage, bound: Expr) -> Expr {
    let label = Label { storage, ..Label::new("t") };
    Arc::new(Node::Let(label, bound, Arc::new(Node::Var(Var::Bound(0)))))
}

fn get(e: &Expr, i: Ix) -> Expr {
    Arc::new(Node::Get(e.clone(), i))
}

fn guard(p: Pred, e: Expr) -> Expr {
    Arc::new(Node::Guard(p, e))
}

fn mul(a: Expr, b: Expr) -> Expr {
    Arc::new(Node::Prim(Prim::Mul, vec![a, b]))
}

fn report(build: impl FnOnce(&Given) -> Expr) -> Report {
    let g = given();
    let e = build(&g);
    let report = check_term(&g.ctx, &e, &mut Arith::new());
    for o in &report.obligations {
        assert_eq!(atl_kernel::cert::check(&o.ctx, &o.goal, &o.cert), Ok(()));
    }
    report
}

fn accepts(build: impl FnOnce(&Given) -> Expr) {
    let report = report(build);
    assert!(report.is_ok(), "{:?}", report.violations);
}

/// The violations' kinds; those with a goal have a counterexample, at which the goal fails.
fn refuses(kinds: &[Kind], build: impl FnOnce(&Given) -> Expr) -> Report {
    let report = report(build);
    let found: Vec<Kind> = report.violations.iter().map(|v| v.kind.clone()).collect();
    assert_eq!(found, kinds);
    for v in report.violations.iter().filter(|v| v.goal != Pred::False) {
        let point = v.counterexample.as_ref().unwrap_or_else(|| panic!("no counterexample: {v:?}"));
        let value = |level| point.iter().find(|(l, _)| *l == level).map(|(_, v)| *v);
        assert_eq!(atl_arith::eval_pred(&v.goal, &value), Some(false));
        for (_, hypothesis) in v.ctx.hypotheses() {
            assert_eq!(atl_arith::eval_pred(hypothesis, &value), Some(true));
        }
    }
    report
}

#[test]
fn reads_are_in_range() {
    accepts(|g| gen_(0, &g.n, |i| get(&g.x, i)));
    accepts(|g| gen_(0, &g.n, |i| guard(Pred::lt(i.clone() + Ix::ONE, g.n.clone()), get(&g.x, i + Ix::ONE))));
    let past_the_end = refuses(&[Kind::Access], |g| gen_(0, &g.n, |i| get(&g.x, i + Ix::ONE)));
    assert_eq!(past_the_end.violations[0].path, [Child::Body]);
}

/// Both operands of a product and of a quotient, what a `let` binds, and both sides of `++` are looked at.
#[test]
fn no_read_is_skipped() {
    let before = |g: &Given, i: &Ix| get(&g.x, i.clone() - Ix::Lit(3));
    let after = |g: &Given, i: &Ix| get(&g.x, i.clone() + Ix::Lit(5));
    refuses(&[Kind::Access, Kind::Access], |g| gen_(0, &g.n, |i| mul(after(g, &i), before(g, &i))));
    refuses(&[Kind::Access, Kind::Access], |g| {
        gen_(0, &g.n, |i| Arc::new(Node::Prim(Prim::Div, vec![after(g, &i), before(g, &i)])))
    });
    refuses(&[Kind::Access], |g| let_(Storage::Auto, gen_(0, &g.n, |i| after(g, &i))));
    refuses(&[Kind::Access, Kind::Access], |g| {
        atl_ops::concat(gen_(0, &g.n, |i| after(g, &i)), gen_(0, &g.n, |i| before(g, &i)))
    });
    refuses(&[Kind::Access], |g| gen_(0, &g.n, |i| get(&atl_ops::transpose(g.a.clone()), i)));
}

#[test]
fn operators_are_applied_as_they_require() {
    accepts(|g| atl_ops::split(Ix::Lit(3), g.x.clone()));
    refuses(&[Kind::Requires("split")], |g| atl_ops::split(g.n.clone(), g.x.clone()));
    refuses(&[Kind::Requires("pad_r")], |g| atl_ops::pad_r(g.n.clone() - Ix::ONE, g.x.clone()));
}

/// `at[j]` stands in each place where a node has an index term or a predicate.
#[test]
fn elements_in_index_terms_are_there_wherever_they_stand() {
    let one = || Arc::new(Node::Lit(F32, Number::One));
    let number = |ix: Ix| Arc::new(Node::Index(F32, ix));
    // Always zero, which building the term does not notice.
    let none = |read: Ix| read.clone() - Ix::ONE * Ix::min(read.clone(), read + Ix::ZERO);
    let places: [Place<'_>; 7] = [
        &|_, read| number(Ix::ONE + read),
        &|g, read| get(&g.x, none(read)),
        &|_, read| sum_of(LoopKind::Serial, 1, &read, |_| one()),
        &|_, read| get(&gen_(1, &(none(read) + Ix::ONE), |_| one()), Ix::ZERO),
        &|_, read| guard(Pred::lt(read, Ix::ONE), one()),
        &|_, read| Arc::new(Node::Select(Pred::lt(Ix::ONE, read), one(), one())),
        &|g, read| get(&atl_ops::pad_r(none(read), g.x.clone()), Ix::ZERO),
    ];
    for (k, place) in places.into_iter().enumerate() {
        let body = |g: &Given, j: Ix| place(g, Ix::Read(g.at, [j].into()));
        let found = |shift: i64| {
            let report = report(|g| gen_(0, &g.n, |i| body(g, i + Ix::Lit(shift))));
            let mut kinds: Vec<Kind> = report.violations.into_iter().map(|v| v.kind).collect();
            kinds.dedup();
            kinds
        };
        assert_eq!(found(0), [], "place {k}");
        assert_eq!(found(1), [Kind::Access], "place {k}");
        assert_eq!(found(-1), [Kind::Access], "place {k}");
    }
}

/// The right side of `&&` is evaluated where the left holds, that of `||` where it does not; the left always.
#[test]
fn what_a_predicate_reads_may_rely_on_what_stands_left_of_it() {
    let and: Connective = Pred::and;
    let or: Connective = |a, b| Pred::Or(Arc::new((a, b)));
    let found = |p: &dyn Fn(Pred, Pred) -> Pred| {
        let report = report(|g| {
            gen_(0, &g.n, |i| {
                let next = i + Ix::ONE;
                let read = Ix::Read(g.at, [next.clone()].into());
                let p = p(Pred::lt(next, g.n.clone()), Pred::lt(read, Ix::ONE));
                guard(p, Arc::new(Node::Lit(F32, Number::One)))
            })
        });
        report.violations.len()
    };
    assert_eq!(found(&|inside, reads| and(inside, reads)), 0);
    assert_eq!(found(&|inside, reads| or(Pred::not(inside), reads)), 0);
    assert_eq!(found(&|inside, reads| and(inside.clone(), or(reads.clone(), and(reads, inside)))), 0);
    assert_eq!(found(&|inside, reads| and(reads, inside)), 1);
    assert_eq!(found(&|inside, reads| or(reads, Pred::not(inside))), 1);
    assert_eq!(found(&|inside, reads| or(inside, reads)), 1);
    assert_eq!(found(&|inside, reads| and(Pred::not(inside), reads)), 1);
    assert_eq!(found(&|inside, reads| Pred::not(and(reads, inside))), 1);
}

/// An index of a read is read itself.
#[test]
fn elements_at_elements_are_there() {
    let found = |holds: fn(&Given, &Ix) -> Pred| {
        let report = report(|g| {
            gen_(0, &g.n, |i| {
                let first = Ix::Read(g.at, [i].into());
                guard(holds(g, &first), Arc::new(Node::Index(F32, Ix::Read(g.at, [first].into()))))
            })
        });
        report.violations.into_iter().map(|v| v.kind).collect::<Vec<_>>()
    };
    assert_eq!(found(|g, first| Pred::in_range(first, &g.n)), []);
    assert_eq!(found(|g, first| Pred::lt(first.clone(), g.n.clone())), [Kind::Access]);
    assert_eq!(found(|_, first| Pred::le(Ix::ZERO, first.clone())), [Kind::Access]);
}

#[test]
fn extents_are_not_negative() {
    refuses(&[Kind::Extent], |g| gen_(0, &(g.n.clone() - Ix::ONE), |i| get(&g.x, i)));
}

/// A truncation whose operand is not padded stores outside its result: below the first cell on the left,
/// into the next row or behind the last on the right.
#[test]
fn truncations_remove_only_padding() {
    accepts(|g| atl_ops::trunc_r(Ix::Lit(2), atl_ops::pad_r(Ix::Lit(2), g.x.clone())));
    accepts(|g| {
        let padded =
            gen_(0, &(g.n.clone() + Ix::ONE), |i| guard(Pred::lt(i.clone(), g.n.clone()), get(&g.x, i)));
        atl_ops::trunc_r(Ix::ONE, padded)
    });
    let last_of_row = |g: &Given, p: fn(&Ix) -> Pred| {
        gen_(0, &g.n, |i| {
            let row = gen_(1, &Ix::Lit(4), |j| guard(p(&j), get(&get(&g.a, i.clone()), j)));
            atl_ops::trunc_r(Ix::ONE, row)
        })
    };
    accepts(|g| last_of_row(g, |j| Pred::lt(j.clone(), Ix::Lit(3))));
    refuses(&[Kind::Padding("trunc_r")], |g| last_of_row(g, |_| Pred::True));
    refuses(&[Kind::Padding("trunc_r")], |g| last_of_row(g, |j| Pred::lt(Ix::ZERO, j.clone())));
    let first = refuses(&[Kind::Requires("trunc_l"), Kind::Padding("trunc_l")], |g| {
        atl_ops::trunc_l(Ix::ONE, gen_(0, &g.n, |i| get(&g.x, i)))
    });
    assert_eq!(first.violations[1].path, [Child::Arg(0), Child::Body]);
}

/// The algebra's zero is padding. A zero that is computed is none, and neither is what a pointwise operation makes of
/// padding. The
/// sides must match: what is padded on the left cannot be truncated on the right.
#[test]
fn computed_zeros_are_not_padding() {
    let zeros = |g: &Given, number| gen_(0, &(g.n.clone() + Ix::ONE), |_| Arc::new(Node::Lit(F32, number)));
    accepts(|g| atl_ops::trunc_r(Ix::ONE, zeros(g, Number::Zero)));
    refuses(&[Kind::Padding("trunc_r")], |g| atl_ops::trunc_r(Ix::ONE, zeros(g, Number::Decimal(0, 0))));
    refuses(&[Kind::Padding("trunc_r")], |g| {
        let padded = atl_ops::pad_r(Ix::ONE, g.x.clone());
        atl_ops::trunc_r(Ix::ONE, mul(padded.clone(), padded))
    });
    refuses(&[Kind::Padding("trunc_r")], |g| atl_ops::trunc_r(Ix::ONE, atl_ops::pad_l(Ix::ONE, g.x.clone())));
    // Read through its gather view, a truncation drops nothing.
    accepts(|g| gen_(1, &g.n, |i| get(&atl_ops::trunc_r(Ix::ONE, zeros(g, Number::Decimal(0, 0))), i)));
}

/// What is padded is what the constructs add, no more: not the other dimension, not beside the pad, not what
/// some iteration of a sum fills, and of an `unshear`ed tensor only what lies beyond the diagonals' ends.
#[test]
fn pads_are_not_overestimated() {
    let dropped = [Kind::Padding("trunc_r")];
    refuses(&dropped, |g| {
        atl_ops::trunc_r(Ix::ONE, atl_ops::transpose(atl_ops::pad_r(Ix::ONE, g.a.clone())))
    });
    accepts(|g| {
        let padded = atl_ops::transpose(atl_ops::pad_r(Ix::ONE, atl_ops::transpose(g.a.clone())));
        atl_ops::transpose(atl_ops::trunc_r(Ix::ONE, atl_ops::transpose(padded)))
    });
    let twice = |g: &Given, k: i64| {
        atl_ops::trunc_l(Ix::ONE, atl_ops::trunc_l(Ix::ONE, atl_ops::pad_l(Ix::Lit(k), g.a.clone())))
    };
    accepts(|g| twice(g, 2));
    refuses(&[Kind::Requires("trunc_l"), Kind::Padding("trunc_l")], |g| twice(g, 1));
    // The last tile of a split is padded, and nothing else.
    let tiled = |g: &Given| atl_ops::flatten(atl_ops::split(Ix::Lit(3), g.x.clone()));
    let rest = |g: &Given| Ix::ceil_div(g.n.clone(), Ix::Lit(3)) * Ix::Lit(3) - g.n.clone();
    accepts(|g| atl_ops::trunc_r(rest(g), tiled(g)));
    refuses(&[Kind::Padding("trunc_l")], |g| atl_ops::trunc_l(rest(g), tiled(g)));
    // Each iteration pads another element.
    refuses(&dropped, |g| {
        let but_one = |k: &Ix, i: &Ix| guard(Pred::not(Pred::eq(i.clone(), k.clone())), get(&g.x, k.clone()));
        let all =
            sum_of(LoopKind::Serial, 0, &g.n, |k| gen_(1, &(g.n.clone() + Ix::ONE), |i| but_one(&k, &i)));
        atl_ops::trunc_r(Ix::ONE, all)
    });
    accepts(|_| {
        let square =
            gen_(0, &Ix::Lit(3), |i| gen_(1, &Ix::Lit(2), |_| Arc::new(Node::Index(F32, i.clone()))));
        atl_ops::unshear(Ix::Lit(3), Ix::Lit(2), atl_ops::shear(square))
    });
    refuses(&[Kind::Padding("unshear")], |_| {
        let filled =
            gen_(0, &Ix::Lit(4), |i| gen_(1, &Ix::Lit(2), |_| Arc::new(Node::Index(F32, i.clone()))));
        atl_ops::unshear(Ix::Lit(3), Ix::Lit(2), filled)
    });
}

/// In sums the guards stay around the store.
#[test]
fn sums_keep_padding() {
    accepts(|g| {
        let entry =
            |i: &Ix, k: &Ix| guard(Pred::lt(i.clone(), g.n.clone()), get(&get(&g.a, i.clone()), k.clone()));
        let four = Ix::Lit(4);
        let body = |i: Ix| {
            sum_of(LoopKind::Serial, 1, &four, |k| {
                sum_of(LoopKind::Serial, 2, &four, |l| guard(Pred::le(l, k.clone()), entry(&i, &k)))
            })
        };
        atl_ops::trunc_r(Ix::ONE, gen_(0, &(g.n.clone() + Ix::ONE), body))
    });
}

#[test]
fn concurrent_loops_do_not_collide() {
    let (parallel, vector) = (LoopKind::Parallel, LoopKind::Vector(None));
    let row = |g: &Given, i: &Ix, kind| gen_of(kind, 1, &Ix::Lit(4), |j| get(&get(&g.a, i.clone()), j));
    accepts(|g| gen_of(parallel, 0, &g.n, |i| row(g, &i, vector)));
    accepts(|g| sum_of(LoopKind::Serial, 0, &g.n, |i| row(g, &i, parallel)));
    for kind in [parallel, vector] {
        refuses(&[Kind::ConcurrentSum(kind)], |g| sum_of(kind, 0, &g.n, |i| get(&g.x, i)));
    }
    refuses(&[Kind::NestedParallel], |g| gen_of(parallel, 0, &g.n, |i| row(g, &i, parallel)));
    refuses(&[Kind::NestedParallel], |g| gen_of(vector, 0, &g.n, |i| row(g, &i, parallel)));
}

#[test]
fn scratch_memory_can_be_had() {
    let row = |g: &Given| gen_(1, &Ix::Lit(4), |j| get(&get(&g.a, Ix::ZERO), j));
    let column = |g: &Given, i: &Ix| gen_(1, &g.n, |j| mul(get(&g.x, i.clone()), get(&g.x, j)));
    accepts(|g| guard(Pred::lt(Ix::ZERO, g.n.clone()), let_(Storage::Register, row(g))));
    refuses(&[Kind::LocalStorage(Storage::Stack)], |g| let_(Storage::Stack, g.x.clone()));
    refuses(&[Kind::LocalStorage(Storage::Register)], |g| let_(Storage::Register, g.x.clone()));
    let vector = LoopKind::Vector(Some(8));
    refuses(&[Kind::HeapInVector], |g| gen_of(vector, 0, &g.n, |i| let_(Storage::Auto, column(g, &i))));
    accepts(|g| gen_of(LoopKind::Parallel, 0, &g.n, |i| let_(Storage::Auto, column(g, &i))));
}

/// Tensors of 2^18 bytes on the stack, each computed while the one outside it is alive.
fn nested_on_the_stack(g: &Given, count: u32) -> Expr {
    let cell = get(&get(&g.a, Ix::ZERO), Ix::ZERO);
    let outermost = (0..count).fold(cell, |inner, k| {
        let row = gen_(k, &Ix::Lit(1 << 16), |_| inner);
        get(&let_(Storage::Stack, row), Ix::ZERO)
    });
    guard(Pred::lt(Ix::ZERO, g.n.clone()), outermost)
}

#[test]
fn a_stack_holds_so_much_at_once() {
    accepts(|g| nested_on_the_stack(g, 4));
    refuses(&[Kind::LocalStorage(Storage::Stack)], |g| nested_on_the_stack(g, 5));
    // One after the other they are no more than one.
    let one = |g: &Given| nested_on_the_stack(g, 3);
    accepts(|g| mul(one(g), one(g)));
}

/// A shape that does not fit is refused with sizes at which it does not.
#[test]
fn a_term_without_a_type_is_refused() {
    let scalar = report(|g| mul(g.x.clone(), get(&g.x, Ix::ZERO)));
    assert!(matches!(scalar.violations[..], [ref v] if matches!(v.kind, Kind::Typed(_))));
    let shapes = report(|g| mul(g.x.clone(), gen_(0, &Ix::Lit(4), |i| get(&get(&g.a, Ix::ZERO), i))));
    assert!(matches!(shapes.violations[..], [ref v] if v.counterexample.is_some()));
}

/// A prover whose questions are counted.
#[derive(Default)]
struct Counted {
    arith: Arith,
    questions: usize,
}

impl Prover for Counted {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        self.questions += 1;
        self.arith.prove(ctx, goal)
    }
}

/// The questions about guards around each other, in each of which one more element is read at the one before,
/// in a loop; the second time outside of the loop that says that the first index is in range.
fn chained(depth: usize, outside: bool) -> (usize, Report) {
    let mut given = given();
    let read = |i: Ix| Ix::Read(given.at, Arc::from([i]));
    let any = Ix::Var(Var::Bound(0));
    let elements = Pred::or(Pred::not(Pred::in_range(&any, &given.n)), Pred::in_range(&read(any), &given.n));
    given.ctx.push_all(vec![Label::new("q")], elements);
    let nest = |i: &Ix| {
        let mut index = i.clone();
        let mut guards = Vec::new();
        for _ in 0..depth {
            index = read(index);
            guards.push(Pred::lt(index.clone(), Ix::Lit(7)));
        }
        let element: Expr = Arc::new(Node::Get(given.x.clone(), index));
        guards.into_iter().rev().fold(element, |e, p| Arc::new(Node::Guard(p, e)))
    };
    let mut e = gen_(0, &given.n, |i| nest(&i));
    if outside {
        let length = given.ctx.push_size(Label::new("m"));
        e = Arc::new(Node::Prim(
            Prim::Add,
            vec![
                Arc::new(Node::Sum(Label::new("k"), given.n.clone(), binder(1, |i| nest(&i)))),
                nest(&Ix::free(length)),
            ],
        ));
    }
    let mut prover = Counted::default();
    let report = check_term(&given.ctx, &e, &mut prover);
    (prover.questions, report)
}

#[test]
fn what_holds_around_a_place_is_asked_once() {
    for depth in [2, 4, 8] {
        let (questions, report) = chained(depth, false);
        assert!(report.is_ok(), "{report:?}");
        // Each element has an obligation of its own, of which the context and the certificate are those of
        // the first.
        assert!(report.obligations.len() > depth * (depth + 1) / 2, "{}", report.obligations.len());
        assert!(questions <= depth + 4, "{depth}: {questions}");
        for shown in &report.obligations {
            assert_eq!(cert::check(&shown.ctx, &shown.goal, &shown.cert), Ok(()));
        }
    }
}

#[test]
fn what_holds_in_a_loop_does_not_hold_beside_it() {
    let (_, report) = chained(3, true);
    assert!(!report.is_ok());
    assert!(report.violations.iter().all(|violation| violation.path.first() == Some(&Child::Arg(1))));
}
