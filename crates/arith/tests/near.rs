//! Questions of sparse programs: answers from what has to do with a goal are certificates in the whole context, wherever loops stand.

use atl_arith::Arith;
use atl_kernel::{Algebra, Ctx, Elem, Ix, Label, Laws, Pred, Prover, Scalar, Type, Var, cert};
use std::sync::Arc;

static INTEGERS: Algebra =
    Algebra { name: "plus_times", scalars: &[Scalar::I64], laws: Laws::NONE, formula: false };

fn read(level: u32, at: Ix) -> Ix {
    Ix::Read(Var::Free(level), Arc::from([at]))
}

fn implies(p: Pred, q: Pred) -> Pred {
    Pred::or(Pred::not(p), q)
}

/// Compressed rows: `pos` of `n + 1` positions, `crd` of `k` columns below `m`.
struct Rows {
    n: Ix,
    m: Ix,
    k: Ix,
    pos: u32,
    crd: u32,
}

impl Rows {
    fn stated(ctx: &mut Ctx) -> Rows {
        let [n, m, k] = ["n", "m", "k"].map(|name| Ix::free(ctx.push_size(Label::new(name))));
        let elem = Elem { scalar: Scalar::I64, algebra: &INTEGERS };
        let pos = ctx.push_tensor(Label::new("pos"), Type { elem, shape: vec![n.clone() + Ix::ONE] });
        let crd = ctx.push_tensor(Label::new("crd"), Type { elem, shape: vec![k.clone()] });
        let b = Ix::Var(Var::Bound(0));
        let mut state = |p: Pred, q: Pred| ctx.push_all(vec![Label::new("p")], implies(p, q));
        let there = read(pos, b.clone());
        let within = Pred::and(Pred::le(Ix::ZERO, there.clone()), Pred::le(there.clone(), k.clone()));
        state(Pred::in_range(&b, &(n.clone() + Ix::ONE)), within);
        state(Pred::in_range(&b, &n), Pred::le(there, read(pos, b.clone() + Ix::ONE)));
        state(Pred::in_range(&b, &k), Pred::in_range(&read(crd, b.clone()), &m));
        Rows { n, m, k, pos, crd }
    }

    /// A loop over the entries of row `i`; the position of one.
    fn entries(&self, ctx: &mut Ctx, i: &Ix) -> Ix {
        let start = read(self.pos, i.clone());
        let length = read(self.pos, i.clone() + Ix::ONE) - start.clone();
        start + Ix::free(ctx.push_loop(Label::new("q"), &length))
    }

    fn column(&self, p: &Ix) -> Ix {
        read(self.crd, p.clone())
    }
}

/// Two operands, and loops over rows and entries of both, in one order or the other.
struct Loops {
    ctx: Ctx,
    rows: [Rows; 2],
    i: [Ix; 2],
    p: [Ix; 2],
}

#[derive(Clone, Copy)]
enum Order {
    OneByOne,
    RowsFirst,
    SecondFirst,
}

fn loops(order: Order) -> Loops {
    let mut ctx = Ctx::new();
    let rows = [Rows::stated(&mut ctx), Rows::stated(&mut ctx)];
    let row = |ctx: &mut Ctx, of: usize| Ix::free(ctx.push_loop(Label::new("i"), &rows[of].n));
    let (i, p) = match order {
        Order::OneByOne => {
            let i = row(&mut ctx, 0);
            let p = rows[0].entries(&mut ctx, &i);
            let j = row(&mut ctx, 1);
            let q = rows[1].entries(&mut ctx, &j);
            ([i, j], [p, q])
        }
        Order::RowsFirst => {
            let i = [row(&mut ctx, 0), row(&mut ctx, 1)];
            let q = rows[1].entries(&mut ctx, &i[1]);
            let p = rows[0].entries(&mut ctx, &i[0]);
            (i, [p, q])
        }
        Order::SecondFirst => {
            let j = row(&mut ctx, 1);
            let i = row(&mut ctx, 0);
            let p = rows[0].entries(&mut ctx, &i);
            let q = rows[1].entries(&mut ctx, &j);
            ([i, j], [p, q])
        }
    };
    Loops { ctx, rows, i, p }
}

/// Does the goal follow, by a certificate that the kernel accepts, in whatever order the loops stand?
fn check(state: impl Fn(&mut Loops), goal: impl Fn(&Loops) -> Pred, expected: bool) {
    let mut prover = Arith::new();
    for order in [Order::OneByOne, Order::RowsFirst, Order::SecondFirst] {
        let mut loops = loops(order);
        state(&mut loops);
        let goal = goal(&loops);
        let found = prover.prove(&loops.ctx, &goal);
        assert_eq!(found.is_some(), expected, "{goal:?}");
        if let Some(found) = found {
            assert_eq!(cert::check(&loops.ctx, &goal, &found), Ok(()), "{goal:?} by {found:?}");
        }
    }
}

#[test]
fn what_is_said_of_one_operand_is_found_beside_another() {
    for of in [0, 1] {
        let column = |l: &Loops| l.rows[of].column(&l.p[of]);
        check(|_| (), |l| Pred::in_range(&column(l), &l.rows[of].m), true);
        check(|_| (), |l| Pred::in_range(&l.p[of], &l.rows[of].k), true);
        check(|_| (), |l| Pred::lt(column(l), l.rows[of].m.clone() - Ix::ONE), false);
        check(|_| (), |l| Pred::in_range(&column(l), &l.rows[1 - of].m), false);
    }
    let both = |l: &Loops| [0, 1].map(|of| Pred::in_range(&l.rows[of].column(&l.p[of]), &l.rows[of].m));
    check(|_| (), |l| both(l).into_iter().reduce(Pred::and).unwrap(), true);
}

#[test]
fn equations_of_elements_follow_from_equations() {
    let columns = |l: &Loops| [0, 1].map(|of| l.rows[of].column(&l.p[of]));
    let equal = |l: &Loops| {
        let [one, two] = columns(l);
        Pred::eq(one, two)
    };
    check(|_| (), equal, false);
    let through = |l: &mut Loops| {
        let j = Ix::free(l.ctx.push_loop(Label::new("j"), &l.rows[0].m.clone()));
        columns(l).into_iter().for_each(|column| l.ctx.push_hyp(Pred::eq(j.clone(), column)));
    };
    check(through, equal, true);
    check(through, |l| Pred::not(equal(l)), false);
    let apart = |l: &mut Loops| {
        let [one, two] = columns(l);
        l.ctx.push_hyp(Pred::lt(one, l.i[0].clone()));
        l.ctx.push_hyp(Pred::le(l.i[0].clone(), two));
    };
    check(apart, |l| Pred::not(equal(l)), true);
}

#[test]
fn a_loop_with_one_iteration_says_what_its_variable_is() {
    let first = |l: &Loops| {
        let last = Ix::free(l.ctx.level() - 3);
        Pred::eq(last, l.rows[0].column(&l.p[0]))
    };
    let of = |extent: Ix| {
        move |l: &mut Loops| {
            let first = l.rows[0].column(&l.p[0]);
            l.ctx.push_hyp(Pred::eq(first, Ix::ZERO));
            l.ctx.push_loop(Label::new("j"), &extent);
        }
    };
    check(of(Ix::Lit(1)), first, true);
    check(of(Ix::Lit(2)), first, false);
    check(of(Ix::free(0)), first, false);
}

#[test]
fn what_is_known_of_all_elements_may_be_an_equation() {
    let all_zero = |l: &mut Loops| {
        let b = Ix::Var(Var::Bound(0));
        let zero = Pred::eq(read(l.rows[0].crd, b.clone()), Ix::ZERO);
        l.ctx.push_all(vec![Label::new("p")], implies(Pred::in_range(&b, &l.rows[0].k), zero));
    };
    check(all_zero, |l| Pred::eq(l.rows[0].column(&l.p[0]), Ix::ZERO), true);
    check(all_zero, |l| Pred::eq(l.rows[1].column(&l.p[1]), Ix::ZERO), false);
}

#[test]
fn hypotheses_that_contradict_each_other_elsewhere_are_found() {
    let contradiction = |l: &mut Loops| {
        let x = Ix::free(l.ctx.push_loop(Label::new("x"), &Ix::Lit(5)));
        l.ctx.push_hyp(Pred::lt(Ix::Lit(5), x));
    };
    check(contradiction, |l| Pred::lt(l.rows[0].m.clone(), l.rows[0].k.clone()), true);
    check(|_| (), |l| Pred::lt(l.rows[0].m.clone(), l.rows[0].k.clone()), false);
}

/// Blocks of `4` by `4` in a grid, each with two compressed levels: the place of a block is a sum with a product.
#[test]
fn positions_below_positions_below_a_grid_are_there() {
    let mut ctx = Ctx::new();
    let [n, m, k3, k4] = ["n", "m", "k3", "k4"].map(|name| Ix::free(ctx.push_size(Label::new(name))));
    let blocks = |n: &Ix| Ix::ceil_div(n.clone(), Ix::Lit(4));
    let elem = Elem { scalar: Scalar::I64, algebra: &INTEGERS };
    let all = blocks(&n) * blocks(&m);
    let b = Ix::Var(Var::Bound(0));
    let level = |ctx: &mut Ctx, parents: &Ix, k: &Ix| {
        let pos = ctx.push_tensor(Label::new("pos"), Type { elem, shape: vec![parents.clone() + Ix::ONE] });
        let there = read(pos, b.clone());
        let within = Pred::and(Pred::le(Ix::ZERO, there.clone()), Pred::le(there.clone(), k.clone()));
        let rises = Pred::le(there, read(pos, b.clone() + Ix::ONE));
        for (extent, said) in [(parents.clone() + Ix::ONE, within), (parents.clone(), rises)] {
            ctx.push_all(vec![Label::new("q")], implies(Pred::in_range(&b, &extent), said));
        }
        pos
    };
    let (pos3, pos4) = (level(&mut ctx, &all, &k3), level(&mut ctx, &k3, &k4));
    let [i, j] = [("i", &n), ("j", &m)].map(|(name, n)| Ix::free(ctx.push_loop(Label::new(name), n)));
    let below = |ctx: &mut Ctx, pos: u32, parent: Ix| {
        let start = read(pos, parent.clone());
        let length = read(pos, parent + Ix::ONE) - start.clone();
        Ix::free(ctx.push_loop(Label::new("p"), &length)) + start
    };
    let block = i / Ix::Lit(4) * blocks(&m) + j / Ix::Lit(4);
    let p3 = below(&mut ctx, pos3, block);
    let p4 = below(&mut ctx, pos4, p3.clone());
    let mut prover = Arith::new();
    for (goal, expected) in [
        (Pred::in_range(&p3, &k3), true),
        (Pred::in_range(&p4, &k4), true),
        (Pred::lt(p4.clone() + Ix::ONE, k4.clone()), false),
    ] {
        let found = prover.prove(&ctx, &goal);
        assert_eq!(found.is_some(), expected, "{goal:?}");
        assert!(found.is_none_or(|found| cert::check(&ctx, &goal, &found) == Ok(())), "{goal:?}");
    }
}

/// Blocks of four by four, numbered row by row: where the entries of each begin, and their rows within it.
#[test]
fn what_is_stored_in_a_block_says_which_block_it_is() {
    let mut ctx = Ctx::new();
    let [n, m, k] = ["n", "m", "k"].map(|name| Ix::free(ctx.push_size(Label::new(name))));
    let blocks = |n: &Ix| (n.clone() + Ix::Lit(3)) / Ix::Lit(4);
    let all = blocks(&n) * blocks(&m);
    let elem = Elem { scalar: Scalar::I64, algebra: &INTEGERS };
    let pos = ctx.push_tensor(Label::new("pos"), Type { elem, shape: vec![all.clone() + Ix::ONE] });
    let row = ctx.push_tensor(Label::new("row"), Type { elem, shape: vec![k.clone()] });
    let b = Ix::Var(Var::Bound(0));
    let mut state = |p: Pred, q: Pred| ctx.push_all(vec![Label::new("q")], implies(p, q));
    let there = read(pos, b.clone());
    let within = Pred::and(Pred::le(Ix::ZERO, there.clone()), Pred::le(there.clone(), k.clone()));
    state(Pred::in_range(&b, &(all.clone() + Ix::ONE)), within);
    state(Pred::in_range(&b, &all), Pred::le(there, read(pos, b.clone() + Ix::ONE)));
    state(Pred::in_range(&b, &k), Pred::in_range(&read(row, b), &Ix::Lit(4)));
    let i = Ix::free(ctx.push_loop(Label::new("i"), &blocks(&n)));
    let j = Ix::free(ctx.push_loop(Label::new("j"), &blocks(&m)));
    let start = |block: Ix| read(pos, block);
    let block = i.clone() * blocks(&m) + j;
    let length = start(block.clone() + Ix::ONE) - start(block.clone());
    let p = Ix::free(ctx.push_loop(Label::new("p"), &length)) + start(block);
    let element = i.clone() * Ix::Lit(4) + read(row, p.clone());
    assert_eq!(atl_arith::simplify(&ctx, &(element.clone() / Ix::Lit(4))), i);
    assert_eq!(atl_arith::simplify(&ctx, &(element.clone() % Ix::Lit(4))), read(row, p));
    let next = element + Ix::ONE;
    assert_ne!(atl_arith::simplify(&ctx, &(next / Ix::Lit(4))), i);
}
