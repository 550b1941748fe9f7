//! Loops that are left: where the form allows it, how many rounds are run, and that the value is that of
//! all rounds.

use super::{before, doubled, inputs, maybe};
use crate::common::{I32, Program, State, add, at, gen_, iterate, lit, mul, prim, select, sum_};
use atl_kernel::{Elem, Expr, Ix, Node, Number, Pred, Prim, Scalar};
use atl_loops::interp::{Event, Options, observe};
use atl_lower::Lowered;
use std::sync::Arc;

const TRUTH: Elem = Elem { scalar: Scalar::Bool, ..I32 };

fn truth(number: Number) -> Expr {
    Arc::new(Node::Lit(TRUTH, number))
}

/// That a state, a truth value, holds.
fn holds(stop: &Expr) -> Pred {
    let Node::Var(v) = **stop else { panic!("a variable") };
    Pred::eq(Ix::Read(v, [].into()), Ix::ONE)
}

/// `a < b`.
fn less(a: &Expr, b: &Expr) -> Expr {
    prim(Prim::Lt, &[a, b])
}

/// How many iterations of a loop over this variable begin.
fn turns(lowered: &Lowered, sizes: &[i64], buf: &str) -> usize {
    let mut count = 0;
    let inputs = inputs(lowered, sizes);
    observe(&lowered.kernel, sizes, &inputs, Options::default(), &mut |event| {
        if let Event::Stored { buf: stored, .. } = event {
            count += usize::from(stored.as_str() == buf);
        }
    })
    .unwrap_or_else(|e| panic!("{e}\n{}", lowered.kernel));
    count
}

const SIZES: &[&[i64]] = &[&[0, 0], &[1, 0], &[1, 1], &[2, 2], &[2, 3], &[3, 4], &[2, 9]];

#[test]
fn a_scalar_that_grows_until_it_is_large() {
    let mut p = Program::default();
    let (n, t) = (p.size("N"), p.size("T"));
    let u = p.input("u", I32, &[&n]);
    let states: [State<'_>; 2] = [
        ("stop", truth(Number::Zero), &|_, old, _| less(&lit(I32, 40), &old[1])),
        ("x", lit(I32, 1), &|_, old, new| select(holds(&new[0]), old[1].clone(), mul(&old[1], &lit(I32, 2)))),
    ];
    let e = iterate("t", &t, &states, |last| gen_("i", &n, |i| add(&last[1], &at(&u, &[&i]))));
    let lowered = p.lower(&e).expect("loops");
    SIZES.iter().for_each(|sizes| p.compare(&e, &lowered, sizes));
    let text = lowered.kernel.to_string();
    assert!(text.contains("unless(stop) for t in 0..T {"), "{text}");
    // 1, 2, .. 64: six rounds, and the one that says so.
    assert_eq!(turns(&lowered, &[1, 100], "x"), 1 + 6, "{text}");
    assert_eq!(turns(&lowered, &[1, 3], "x"), 1 + 3, "{text}");
}

/// A step over neighbours on both sides, which needs two buffers, until an element is large.
fn stencil(p: &mut Program, start: Number, round: &dyn Fn(&Ix, &[Expr]) -> Option<Expr>) -> Expr {
    let (n, t) = (p.size("N"), p.size("T"));
    let u = p.input("u", I32, &[&n]);
    let states: [State<'_>; 2] = [
        ("stop", truth(start), &|t, old, _| {
            let largest = sum_("i", &n, |i| at(&old[1], &[&i]));
            round(t, old).unwrap_or_else(|| less(&lit(I32, 99), &largest))
        }),
        ("x", u, &|_, old, new| {
            let next = gen_("i", &n, |i| {
                let (left, right) = (before(&i), i.clone() + Ix::ONE);
                let shape = [n.clone()];
                let sides = add(&maybe(&old[1], &[left], &shape), &maybe(&old[1], &[right], &shape));
                add(&sides, &add(&at(&old[1], &[&i]), &lit(I32, 1)))
            });
            select(holds(&new[0]), gen_("i", &n, |i| at(&old[1], &[&i])), next)
        }),
    ];
    iterate("t", &t, &states, |last| last[1].clone())
}

#[test]
fn two_buffers_end_in_the_one_that_is_the_value() {
    let mut p = Program::default();
    let e = stencil(&mut p, Number::Zero, &|_, _| None);
    let lowered = p.lower(&e).expect("loops");
    let text = lowered.kernel.to_string();
    assert_eq!(doubled(&lowered), 1, "{text}");
    assert!(text.contains("unless(stop) for pair"), "{text}");
    for n in 0..5 {
        for t in 0..12 {
            p.compare(&e, &lowered, &[n, t]);
        }
    }
    let few = turns(&lowered, &[2, 1000], "stop");
    assert!(few < 12, "{few}\n{text}");
}

#[test]
fn conditions_on_the_round_leave_no_loop() {
    let mut p = Program::default();
    let round = |t: &Ix, _: &[Expr]| Some(less(&crate::common::index(I32, t), &lit(I32, 2)));
    let e = stencil(&mut p, Number::Zero, &round);
    let lowered = p.lower(&e).expect("loops");
    assert!(!lowered.kernel.to_string().contains("unless"), "{}", lowered.kernel);
    SIZES.iter().for_each(|sizes| p.compare(&e, &lowered, sizes));
}

#[test]
fn a_truth_value_that_begins_otherwise_leaves_no_loop() {
    let mut p = Program::default();
    let e = stencil(&mut p, Number::One, &|_, _| None);
    let lowered = p.lower(&e).expect("loops");
    assert!(!lowered.kernel.to_string().contains("unless"), "{}", lowered.kernel);
    SIZES.iter().for_each(|sizes| p.compare(&e, &lowered, sizes));
}

#[test]
fn states_that_go_on_leave_no_loop() {
    let mut p = Program::default();
    let (n, t) = (p.size("N"), p.size("T"));
    let u = p.input("u", I32, &[&n]);
    let states: [State<'_>; 3] = [
        ("stop", truth(Number::Zero), &|_, old, _| less(&lit(I32, 9), &old[1])),
        ("x", lit(I32, 1), &|_, old, new| select(holds(&new[0]), old[1].clone(), mul(&old[1], &lit(I32, 2)))),
        ("rounds", lit(I32, 0), &|_, old, _| add(&old[2], &lit(I32, 1))),
    ];
    for (k, left) in [(1, false), (2, false)] {
        let e = iterate("t", &t, &states, |last| gen_("i", &n, |i| add(&last[k], &at(&u, &[&i]))));
        let lowered = p.lower(&e).expect("loops");
        // The count is a state that its own step reads.
        assert_eq!(lowered.kernel.to_string().contains("unless"), left, "{}", lowered.kernel);
        SIZES.iter().for_each(|sizes| p.compare(&e, &lowered, sizes));
    }
}

#[test]
fn what_a_round_shares_is_not_computed_after_the_end() {
    let mut p = Program::default();
    let (n, t) = (p.size("N"), p.size("T"));
    let (u, a) = (p.input("u", I32, &[&n]), p.input("a", I32, &[&n, &n]));
    let zeros = gen_("i", &n, |_| lit(I32, 0));
    let states: [State<'_>; 3] = [
        ("stop", truth(Number::Zero), &|_, old, _| {
            less(&lit(I32, 500), &sum_("i", &n, |i| at(&old[2], &[&i])))
        }),
        ("v", zeros, &|_, old, _| {
            gen_("i", &n, |i| sum_("j", &n, |j| mul(&at(&a, &[&i, &j]), &at(&old[2], &[&j]))))
        }),
        ("x", u, &|_, old, new| {
            let next = gen_("i", &n, |i| add(&at(&old[2], &[&i]), &at(&new[1], &[&i])));
            select(holds(&new[0]), gen_("i", &n, |i| at(&old[2], &[&i])), next)
        }),
    ];
    let e = iterate("t", &t, &states, |last| last[2].clone());
    let lowered = p.lower(&e).expect("loops");
    let text = lowered.kernel.to_string();
    SIZES.iter().for_each(|sizes| p.compare(&e, &lowered, sizes));
    assert!(text.contains("unless(stop)"), "{text}");
    assert_eq!(doubled(&lowered), 0, "{text}");
    assert!(!text.contains("v[i] = 0i32"), "{text}");
    // 1 1 1, then each four times as large: five rounds.
    assert_eq!(turns(&lowered, &[3, 100], "out"), 3 + 4 * 3, "{text}");
}
