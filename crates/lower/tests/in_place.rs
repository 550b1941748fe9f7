//! States that are updated in place: where the condition holds, what is stored, and that the loops mean
//! the term.

mod random;
mod until;

use crate::common::{I32, Program, add, at, gen_, guard, index, iterate, let_, lit, mul, select, sum_};
use atl_kernel::{Expr, Ix, Label, Pred, Var};
use atl_loops::Stmt;
use atl_loops::interp::{Event, Options, observe};
use atl_lower::Lowered;

/// `x[i]`, and zero outside.
fn maybe(x: &Expr, index: &[Ix], shape: &[Ix]) -> Expr {
    let inside = index.iter().zip(shape).map(|(i, n)| Pred::in_range(i, n));
    guard(inside.fold(Pred::True, Pred::and), at(x, &index.iter().collect::<Vec<_>>()))
}

fn zeros(n: &[&Ix]) -> Expr {
    match n.split_first() {
        Some((n, rest)) => gen_("z", n, |_| zeros(rest)),
        None => lit(I32, 0),
    }
}

/// The tensors of states that have two buffers.
fn doubled(lowered: &Lowered) -> usize {
    let mut found = 0;
    lowered.plain.body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, extents, .. } = stmt {
            found += usize::from(buf.as_str().contains("_next") && !extents.is_empty());
        }
    });
    found
}

/// How often cells of buffers with dimensions are stored to.
fn stores(lowered: &Lowered, sizes: &[i64]) -> usize {
    let mut scalars = Vec::new();
    lowered.kernel.body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, extents, .. } = stmt
            && extents.is_empty()
        {
            scalars.push(buf.clone());
        }
    });
    let inputs = inputs(lowered, sizes);
    let mut count = 0;
    observe(&lowered.kernel, sizes, &inputs, Options::default(), &mut |event| {
        if let Event::Stored { buf, .. } = event {
            count += usize::from(!scalars.contains(buf));
        }
    })
    .unwrap_or_else(|e| panic!("{e}\n{}", lowered.kernel));
    count
}

/// Inputs of ones.
fn inputs(lowered: &Lowered, sizes: &[i64]) -> Vec<atl_loops::interp::Cells> {
    let params = lowered.kernel.params.iter().zip(lowered.kernel.cell_counts(sizes).expect("sizes"));
    let inputs = params.filter(|(param, _)| !param.access.is_output());
    let ones = |scalar, count| vec![atl_loops::Literal::of_integer(scalar, 1); count];
    inputs
        .map(|(param, count)| {
            atl_loops::interp::Cells::from_literals(param.scalar, &ones(param.scalar, count))
        })
        .collect()
}

/// The step that sets the cell `c` to `v`.
fn point(x: &Expr, n: &Ix, c: &Ix, v: Expr) -> Expr {
    gen_("k", n, |k| select(Pred::eq(k.clone(), c.clone()), v, at(x, &[&k])))
}

/// `t - 1`.
fn before(t: &Ix) -> Ix {
    t.clone() - Ix::ONE
}

/// Lowered, compared at these sizes, with this many states of two buffers; the loops' text.
fn check(p: &Program, e: &Expr, sizes: &[&[i64]], two: usize) -> String {
    let lowered = p.lower(e).unwrap_or_else(|error| panic!("{error}\n{e:?}"));
    for sizes in sizes {
        p.compare(e, &lowered, sizes);
    }
    let text = lowered.kernel.to_string();
    assert_eq!(doubled(&lowered), two, "{text}");
    text
}

fn prefix_sum() -> (Program, Expr) {
    let mut p = Program::default();
    let n = p.size("N");
    let x = p.input("x", I32, &[&n]);
    let e = iterate(
        "t",
        &n,
        &[("s", zeros(&[&n]), &|t, old, _| {
            let v = add(&maybe(&old[0], &[before(t)], std::slice::from_ref(&n)), &at(&x, &[t]));
            point(&old[0], &n, t, v)
        })],
        |last| last[0].clone(),
    );
    (p, e)
}

/// `x = gen i < N, j < M { e(x, i, j) }`, each entry after those before it.
fn recursive(n: &Ix, m: &Ix, e: &dyn Fn(&Expr, &Ix, &Ix) -> Expr) -> Expr {
    iterate(
        "i",
        n,
        &[("x", zeros(&[n, m]), &|i, x, _| {
            iterate(
                "j",
                m,
                &[("y", x[0].clone(), &|j, y, _| {
                    gen_("p", n, |p| {
                        gen_("q", m, |q| {
                            let here =
                                Pred::and(Pred::eq(p.clone(), i.clone()), Pred::eq(q.clone(), j.clone()));
                            select(here, e(&y[0], i, j), at(&y[0], &[&p, &q]))
                        })
                    })
                })],
                |y| y[0].clone(),
            )
        })],
        |last| last[0].clone(),
    )
}

#[test]
fn a_prefix_sum_stores_each_cell_once() {
    let (p, e) = prefix_sum();
    let text = check(&p, &e, &[&[0], &[1], &[2], &[7]], 0);
    assert!(!text.contains("alloc"), "{text}");
    let stored = stores(&p.lower(&e).expect("loops"), &[7]);
    assert_eq!(stored, 7, "{text}");
}

#[test]
fn the_end_of_rounds_that_is_bound_is_not_copied() {
    let (p, e) = prefix_sum();
    let Some(atl_kernel::Entry::Index(_)) = p.ctx.entry(0) else { panic!("a size") };
    let n = Ix::free(0);
    let named = let_(Label::new("y"), e, |y| gen_("i", &n, |i| at(&y, &[&i])));
    let text = check(&p, &named, &[&[0], &[1], &[5]], 0);
    assert!(!text.contains("alloc"), "{text}");
    assert_eq!(stores(&p.lower(&named).expect("loops"), &[5]), 5, "{text}");
}

#[test]
fn a_table_by_rows_stores_each_cell_once() {
    let mut p = Program::default();
    let (n, m) = (p.size("N"), p.size("M"));
    let a = p.input("a", I32, &[&n, &m]);
    let shape = [n.clone(), m.clone()];
    let e = recursive(&n, &m, &|x, i, j| {
        let up = maybe(x, &[before(i), j.clone()], &shape);
        let left = maybe(x, &[i.clone(), before(j)], &shape);
        let both = maybe(x, &[before(i), before(j)], &shape);
        add(&add(&up, &mul(&lit(I32, 3), &left)), &add(&mul(&lit(I32, 5), &both), &at(&a, &[i, j])))
    });
    let text = check(&p, &e, &[&[0, 3], &[3, 0], &[1, 1], &[4, 5]], 0);
    assert!(!text.contains("alloc"), "{text}");
    assert_eq!(stores(&p.lower(&e).expect("loops"), &[4, 5]), 20, "{text}");
}

#[test]
fn a_triangular_solve_stores_each_cell_once() {
    let mut p = Program::default();
    let n = p.size("N");
    let (l, b) = (p.input("l", I32, &[&n, &n]), p.input("b", I32, &[&n]));
    let e = iterate(
        "i",
        &n,
        &[("x", zeros(&[&n]), &|i, x, _| {
            let sum = sum_("j", i, |j| mul(&at(&l, &[i, &j]), &at(&x[0], &[&j])));
            point(&x[0], &n, i, add(&at(&b, &[i]), &sum))
        })],
        |last| last[0].clone(),
    );
    let text = check(&p, &e, &[&[0], &[1], &[5]], 0);
    assert_eq!(stores(&p.lower(&e).expect("loops"), &[5]), 5, "{text}");
}

#[test]
fn a_history_stores_its_first_state_and_the_others() {
    let mut p = Program::default();
    let n = p.size("N");
    let x = p.input("x", I32, &[&n]);
    let all = n.clone() + Ix::ONE;
    let start = gen_("k", &all, |k| select(Pred::eq(k, Ix::ZERO), lit(I32, 7), lit(I32, 0)));
    let e = iterate(
        "t",
        &n,
        &[("h", start, &|t, h, _| {
            let v = add(&mul(&at(&h[0], &[t]), &lit(I32, 3)), &at(&x, &[t]));
            point(&h[0], &all, &(t.clone() + Ix::ONE), v)
        })],
        |last| last[0].clone(),
    );
    let text = check(&p, &e, &[&[0], &[1], &[4]], 0);
    assert_eq!(stores(&p.lower(&e).expect("loops"), &[4]), 5, "{text}");
    assert_eq!(stores(&p.lower(&e).expect("loops"), &[0]), 1, "{text}");
}

#[test]
fn starts_that_are_looked_at_are_stored() {
    let mut p = Program::default();
    let (n, t) = (p.size("N"), p.size("T"));
    let starts = |rounds: &Ix, c: &dyn Fn(&Ix) -> Ix, read: &dyn Fn(&Ix) -> Ix| {
        let e = iterate(
            "t",
            rounds,
            &[("x", zeros(&[&n]), &|t, x, _| {
                let v = add(&lit(I32, 1), &maybe(&x[0], &[read(t)], std::slice::from_ref(&n)));
                point(&x[0], &n, &c(t), v)
            })],
            |last| last[0].clone(),
        );
        check(&p, &e, &[&[0, 0], &[1, 0], &[3, 2], &[3, 3], &[2, 5]], 0).contains("= 0i32")
    };
    let (same, mirrored) = (|t: &Ix| t.clone(), |t: &Ix| n.clone() - Ix::ONE - t.clone());
    assert!(!starts(&n, &same, &before));
    assert!(!starts(&n, &mirrored, &|t| mirrored(t) + Ix::ONE));
    // Not all are stored: as many rounds as someone says, or from the second cell on.
    assert!(starts(&t, &same, &before));
    assert!(starts(&n, &|t| t.clone() + Ix::ONE, &same));
    // A read of a cell that is stored later, or now.
    assert!(starts(&n, &same, &|t| t.clone() + Ix::ONE));
    assert!(starts(&n, &same, &same));
    assert!(starts(&n, &mirrored, &before));
}

#[test]
fn a_chart_stores_its_diagonals() {
    let mut p = Program::default();
    let n = p.size("N");
    let w = p.input("w", I32, &[&n]);
    let m = n.clone() + Ix::ONE;
    let e = iterate(
        "l",
        &n,
        &[("x", zeros(&[&n, &m]), &|l, x, _| {
            gen_("i", &n, |i| {
                gen_("j", &m, |j| {
                    let diagonal = Pred::eq(j.clone(), i.clone() + l.clone() + Ix::ONE);
                    let parts = sum_("d", l, |d| {
                        let middle = i.clone() + d + Ix::ONE;
                        guard(
                            Pred::and(Pred::lt(middle.clone(), n.clone()), Pred::le(j.clone(), n.clone())),
                            mul(&at(&x[0], &[&i, &middle]), &at(&x[0], &[&middle, &j])),
                        )
                    });
                    select(diagonal, add(&at(&w, &[&i]), &parts), at(&x[0], &[&i, &j]))
                })
            })
        })],
        |last| last[0].clone(),
    );
    let text = check(&p, &e, &[&[0], &[1], &[2], &[5]], 0);
    // The start, and the diagonals.
    assert_eq!(stores(&p.lower(&e).expect("loops"), &[5]), 30 + 15, "{text}");
}

#[test]
fn elimination_stores_below_the_row() {
    let mut p = Program::default();
    let n = p.size("N");
    let a = p.input("a", I32, &[&n, &n]);
    let e = iterate(
        "k",
        &n,
        &[("x", a, &|k, x, _| {
            gen_("i", &n, |i| {
                let quotient = add(&at(&x[0], &[&i, k]), &mul(&lit(I32, 3), &at(&x[0], &[k, k])));
                let_(Label::new("l"), quotient, |l| {
                    gen_("j", &n, |j| {
                        let below = Pred::lt(k.clone(), i.clone());
                        let update = add(&at(&x[0], &[&i, &j]), &mul(&l, &at(&x[0], &[k, &j])));
                        let right = Pred::and(below.clone(), Pred::lt(k.clone(), j.clone()));
                        let kept = at(&x[0], &[&i, &j]);
                        let column = Pred::and(below, Pred::eq(j.clone(), k.clone()));
                        select(column, l.clone(), select(right, update, kept))
                    })
                })
            })
        })],
        |last| last[0].clone(),
    );
    let text = check(&p, &e, &[&[0], &[1], &[2], &[5]], 0);
    // The copy, and what is below the row and not left of it.
    assert_eq!(stores(&p.lower(&e).expect("loops"), &[5]), 25 + 20 + 12 + 6 + 2, "{text}");
}

#[test]
fn what_looks_right_in_place_and_is_not() {
    let mut p = Program::default();
    let (n, t) = (p.size("N"), p.size("T"));
    let u = p.input("u", I32, &[&n]);
    let a = p.input("a", I32, &[&n, &n]);
    let shape = [n.clone()];
    let one = |e: &dyn Fn(&Ix, &Expr, &Ix) -> Expr| {
        iterate("t", &t, &[("x", u.clone(), &|t, x, _| gen_("i", &n, |i| e(t, &x[0], &i)))], |last| {
            last[0].clone()
        })
    };
    let sizes: &[&[i64]] = &[&[0, 0], &[2, 0], &[2, 1], &[2, 3], &[5, 4]];
    // Some cells only.
    let some =
        one(&|t, x, i| select(Pred::eq(i.clone(), t.clone()), add(&at(x, &[i]), &lit(I32, 10)), at(x, &[i])));
    check(&p, &some, sizes, 0);
    // A neighbour on one side: descending.
    let left = one(&|_, x, i| add(&at(x, &[i]), &maybe(x, &[before(i)], &shape)));
    assert!(check(&p, &left, sizes, 0).contains("N - 1 - i"), "{left:?}");
    let right = one(&|_, x, i| add(&at(x, &[i]), &maybe(x, &[i.clone() + Ix::ONE], &shape)));
    assert!(!check(&p, &right, sizes, 0).contains("N - 1 - i"));
    // On both sides.
    let both =
        one(&|_, x, i| add(&maybe(x, &[before(i)], &shape), &maybe(x, &[i.clone() + Ix::ONE], &shape)));
    check(&p, &both, sizes, 1);
    // The mirror image, and a cell that all read.
    check(&p, &one(&|_, x, i| at(x, &[&(n.clone() - Ix::ONE - i.clone())])), sizes, 1);
    check(&p, &one(&|_, x, i| add(&at(x, &[&Ix::ZERO]), &at(x, &[i]))), sizes, 0);
    let last = before(&n);
    let ends = |x: &Expr| add(&at(x, &[&Ix::ZERO]), &at(x, &[&last]));
    check(&p, &one(&|_, x, i| add(&ends(x), &at(x, &[i]))), sizes, 1);
    // Rows that read their own cells.
    let rows = iterate(
        "t",
        &t,
        &[("x", a.clone(), &|_, x, _| {
            gen_("i", &n, |i| {
                gen_("j", &n, |j| {
                    let left = maybe(&x[0], &[i.clone(), before(&j)], &[n.clone(), n.clone()]);
                    add(&mul(&lit(I32, 2), &at(&x[0], &[&i, &j])), &left)
                })
            })
        })],
        |last| last[0].clone(),
    );
    check(&p, &rows, sizes, 0);
    // All pairs.
    let paths = iterate(
        "k",
        &n,
        &[("x", a.clone(), &|k, x, _| {
            gen_("i", &n, |i| {
                gen_("j", &n, |j| {
                    add(&at(&x[0], &[&i, &j]), &mul(&at(&x[0], &[&i, k]), &at(&x[0], &[k, &j])))
                })
            })
        })],
        |last| last[0].clone(),
    );
    check(&p, &paths, sizes, 1);
}

#[test]
fn parts_of_a_step_follow_one_another() {
    let mut p = Program::default();
    let (n, t) = (p.size("N"), p.size("T"));
    let u = p.input("u", I32, &[&n]);
    let shape = [n.clone()];
    let cut = Ix::min(Ix::ONE, n.clone());
    // The cells after the first, and what is added.
    let rest = |x: &Expr, more: &Expr| {
        gen_("i", &(n.clone() - cut.clone()), |i| add(&at(x, &[&(i + cut.clone())]), more))
    };
    let parts = |first: &dyn Fn(&Expr, &Ix) -> Expr, second: &dyn Fn(&Expr) -> Expr| {
        let step = |x: &Expr| atl_ops::concat(gen_("i", &cut, |i| first(x, &i)), second(x));
        iterate("t", &t, &[("x", u.clone(), &|_, x, _| step(&x[0]))], |last| last[0].clone())
    };
    let sizes: &[&[i64]] = &[&[0, 0], &[0, 2], &[1, 3], &[2, 3], &[5, 4]];
    let more = |x: &Expr, i: &Ix| add(&at(x, &[i]), &lit(I32, 10));
    let first = |x: &Expr| maybe(x, &[Ix::ZERO], &shape);
    let own = parts(&more, &|x| rest(x, &lit(I32, 1)));
    check(&p, &own, sizes, 0);
    // The first part stays as it is.
    let text = check(&p, &parts(&|x, i| at(x, &[i]), &|x| rest(x, &lit(I32, 1))), sizes, 0);
    assert_eq!(text.matches(":=").count(), 1, "{text}");
    // Each reads the first cell, which is stored last.
    let text = check(&p, &parts(&more, &|x| rest(x, &first(x))), sizes, 0);
    assert!(text.find("N - 1") < text.rfind(":="), "{text}");
    // The first part reads the last cell: the rest is stored later.
    let last = |x: &Expr, i: &Ix| add(&at(x, &[i]), &maybe(x, &[before(&n)], &shape));
    check(&p, &parts(&last, &|x| rest(x, &lit(I32, 1))), sizes, 0);
    // Both.
    check(&p, &parts(&last, &|x| rest(x, &first(x))), sizes, 1);
    // What the second part computes before its loop would be computed after the first is stored.
    let bound = parts(&more, &|x| let_(Label::new("s"), first(x), |s| rest(x, &s)));
    check(&p, &bound, sizes, 1);
}

#[test]
fn capacities_descend() {
    let mut p = Program::default();
    let (n, c) = (p.size("N"), p.size("C"));
    let u8s = atl_kernel::Elem { scalar: atl_kernel::Scalar::U8, ..I32 };
    let (w, v) = (p.input("w", u8s, &[&n]), p.input("v", I32, &[&n]));
    let Var::Free(level) = (match &*w {
        atl_kernel::Node::Var(v) => *v,
        _ => panic!("a variable"),
    }) else {
        panic!("free")
    };
    let shape = [c.clone() + Ix::ONE];
    let e = iterate(
        "t",
        &n,
        &[("x", zeros(&[&shape[0]]), &|t, x, _| {
            gen_("i", &shape[0], |i| {
                let weight = Ix::Read(Var::Free(level), vec![t.clone()].into());
                let taken = maybe(&x[0], &[i.clone() - weight], &shape);
                add(&at(&x[0], &[&i]), &add(&taken, &at(&v, &[t])))
            })
        })],
        |last| last[0].clone(),
    );
    let text = check(&p, &e, &[&[0, 2], &[1, 0], &[3, 9]], 0);
    assert!(text.contains("- i"), "{text}");
}

#[test]
fn several_states() {
    let mut p = Program::default();
    let (n, t) = (p.size("N"), p.size("T"));
    let (u, x) = (p.input("u", I32, &[&n]), p.input("x", I32, &[&t]));
    let sizes: &[&[i64]] = &[&[0, 0], &[2, 0], &[2, 1], &[3, 2], &[5, 4]];
    let rounds = t.clone();
    // A scalar and its history: the history is stored first.
    let history = iterate(
        "t",
        &t,
        &[
            ("s", lit(I32, 1), &|t, old, _| add(&mul(&old[0], &lit(I32, 3)), &at(&x, &[t]))),
            ("h", zeros(&[&t]), &|t, old, _| point(&old[1], &rounds, t, old[0].clone())),
        ],
        |last| last[1].clone(),
    );
    let text = check(&p, &history, sizes, 0);
    assert!(!text.contains("_next"), "{text}");
    // Two scalars that swap: one waits in a register.
    let swap = iterate(
        "t",
        &t,
        &[
            ("a", lit(I32, 1), &|_, old, _| old[1].clone()),
            ("b", lit(I32, 2), &|_, old, _| add(&old[0], &old[1])),
        ],
        |last| gen_("i", &n, |_| add(&last[0], &mul(&lit(I32, 100), &last[1]))),
    );
    check(&p, &swap, sizes, 0);
    // Two tensors that swap.
    let swap = iterate(
        "t",
        &t,
        &[
            ("a", u.clone(), &|_, old, _| gen_("i", &n, |i| at(&old[1], &[&i]))),
            ("b", zeros(&[&n]), &|_, old, _| gen_("i", &n, |i| add(&at(&old[0], &[&i]), &lit(I32, 1)))),
        ],
        |last| gen_("i", &n, |i| add(&at(&last[0], &[&i]), &mul(&lit(I32, 100), &at(&last[1], &[&i])))),
    );
    check(&p, &swap, sizes, 1);
    // What a round computes for several steps is filled again in one buffer.
    let shared = iterate(
        "t",
        &t,
        &[
            ("v", zeros(&[&n]), &|t, old, _| {
                gen_("i", &n, |i| {
                    sum_("j", &n, |j| mul(&at(&old[1], &[&j]), &index(I32, &(i.clone() + j + t.clone()))))
                })
            }),
            ("a", u.clone(), &|_, old, new| gen_("i", &n, |i| add(&at(&old[1], &[&i]), &at(&new[0], &[&i])))),
        ],
        |last| last[1].clone(),
    );
    check(&p, &shared, sizes, 0);
}
