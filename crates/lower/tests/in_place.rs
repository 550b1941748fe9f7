//! States that are updated in place: where the condition holds, what is stored, and that the loops mean the term.

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

/// Lowered, compared at these sizes, with so many states of two buffers; the loops' text.
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
            let v = add(&maybe(&old[0], &[before(t)], &[n.clone()]), &at(&x, &[t]));
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
                let v = add(&lit(I32, 1), &maybe(&x[0], &[read(t)], &[n.clone()]));
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
    // What a round computes for several steps is filled anew in one buffer.
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

/// A stream of choices.
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

/// What a random step is, at the indices of a cell and a round: where it changes cells, and what it reads, of which state.
#[derive(Clone)]
struct Random {
    rank: usize,
    changed: Vec<Condition>,
    /// Which state, whether its new value, and the cell.
    reads: Vec<(usize, bool, Vec<Affine>)>,
}

/// `a * i + b * j + c * t + d + e * N`, the indices as far as there are.
type Affine = [i64; 5];

/// An index, and how it is to the term: 0 for `==`, 1 for `<=`, 2 for `>=`.
type Condition = (usize, usize, Affine);

fn affine(c: &mut Choices, own: usize, rank: usize) -> Affine {
    let mut term = [0, 0, 0, c.of(&[-1, 0, 0, 0, 1]), 0];
    match c.below(8) {
        0..3 => term[own.min(rank - 1)] = 1,
        3..5 => term[2] = 1,
        5 => term[c.below(rank)] = 1,
        6 => {
            term[c.of(&[own.min(rank - 1), 2])] = -1;
            term[4] = 1;
        }
        _ => {
            term[own.min(rank - 1)] = 1;
            term[2] = c.of(&[-1, 1]);
        }
    }
    term
}

impl Random {
    fn new(c: &mut Choices, own: usize, ranks: &[usize]) -> Random {
        let rank = ranks[own];
        let mut changed = Vec::new();
        for k in 0..rank {
            if c.below(3) > 0 {
                let mut bound = affine(c, k, rank);
                bound[k] = 0;
                changed.push((k, c.of(&[0, 0, 0, 1, 2]), bound));
            }
        }
        let reads = (0..c.below(3)).map(|_| {
            let state = if c.below(3) > 0 { own } else { c.below(ranks.len()) };
            let is_new = state < own && c.below(2) == 0;
            (state, is_new, (0..ranks[state]).map(|k| affine(c, k, rank)).collect())
        });
        let reads = reads.collect();
        Random { rank, changed, reads }
    }

    fn condition(&self, at: &dyn Fn(&Affine) -> Ix, index: &[Ix]) -> Pred {
        let conds = self.changed.iter().map(|(k, how, bound)| match how {
            0 => Pred::eq(index[*k].clone(), at(bound)),
            1 => Pred::le(index[*k].clone(), at(bound)),
            _ => Pred::le(at(bound), index[*k].clone()),
        });
        conds.fold(Pred::True, Pred::and)
    }

    fn step(&self, own: usize, n: &Ix, t: &Ix, old: &[Expr], new: &[Expr]) -> Expr {
        fn over(left: usize, n: &Ix, index: &[Ix], cell: &dyn Fn(&[Ix]) -> Expr) -> Expr {
            match left {
                0 => cell(index),
                _ => gen_("i", n, |i| over(left - 1, n, &[index, &[i]].concat(), cell)),
            }
        }
        over(self.rank, n, &[], &|index| {
            let at = |term: &Affine| {
                let variables = [index.first(), index.get(1), Some(t), Some(&Ix::ONE), Some(n)];
                let parts = term.iter().zip(variables).filter(|(factor, _)| **factor != 0);
                let parts = parts.filter_map(|(factor, variable)| Some(Ix::Lit(*factor) * variable?.clone()));
                parts.reduce(|a, b| a + b).unwrap_or(Ix::ZERO)
            };
            let cell = index.iter().collect::<Vec<_>>();
            let mut value = self::index(I32, &(index[0].clone() + t.clone() * Ix::Lit(7)));
            for (k, (state, is_new, read)) in self.reads.iter().enumerate() {
                let tensor = if *is_new { &new[*state] } else { &old[*state] };
                let read: Vec<Ix> = read.iter().map(at).collect();
                let shape = vec![n.clone(); read.len()];
                let factor = lit(I32, [3, 5, 7][k]);
                value = add(&value, &mul(&factor, &maybe(tensor, &read, &shape)));
            }
            match self.condition(&at, index) {
                Pred::True => value,
                p => select(p, value, crate::common::at(&old[own], &cell)),
            }
        })
    }

    /// Is no cell of the own state read after it was stored to, in loops of these directions?
    fn is_right(&self, own: usize, (n, rounds): (i64, i64), descending: &[bool]) -> bool {
        let cells: Vec<Vec<i64>> = match self.rank {
            1 => (0..n).map(|i| vec![i]).collect(),
            _ => (0..n).flat_map(|i| (0..n).map(move |j| vec![i, j])).collect(),
        };
        let turned = |cell: &Vec<i64>| -> Vec<i64> {
            cell.iter().zip(descending).map(|(i, is_down)| if *is_down { n - 1 - i } else { *i }).collect()
        };
        (0..rounds).all(|t| {
            let at = |term: &Affine, cell: &[i64]| {
                let second = cell.get(1).copied().unwrap_or(0);
                term[0] * cell[0] + term[1] * second + term[2] * t + term[3] + term[4] * n
            };
            let mut stored: Vec<Vec<i64>> = Vec::new();
            cells.iter().map(turned).all(|cell| {
                let is_changed = self.changed.iter().all(|(k, how, bound)| match how {
                    0 => cell[*k] == at(bound, &cell),
                    1 => cell[*k] <= at(bound, &cell),
                    _ => cell[*k] >= at(bound, &cell),
                });
                if !is_changed {
                    return true;
                }
                let reads = self.reads.iter().filter(|(state, is_new, _)| *state == own && !is_new);
                let mut read = reads.map(|(_, _, read)| read.iter().map(|term| at(term, &cell)).collect());
                let fine = !read.any(|read: Vec<i64>| stored.contains(&read));
                stored.push(cell);
                fine
            })
        })
    }
}

/// So many random programs: how many states are in place, how many are not, and how many of those could have been, by trying.
fn random_programs(seeds: std::ops::Range<u64>) -> [usize; 4] {
    let (mut in_place, mut two, mut needless, mut without_start) = (0, 0, 0, 0);
    for seed in seeds {
        let mut c = Choices(seed * 7919 + 1);
        c.below(2);
        let mut p = Program::default();
        let (n, t) = (p.size("N"), p.size("T"));
        let inputs = [p.input("u", I32, &[&n]), p.input("a", I32, &[&n, &n])];
        let ranks: Vec<usize> = (0..c.of(&[1, 1, 2, 3])).map(|_| c.of(&[1, 1, 2])).collect();
        let steps: Vec<Random> = (0..ranks.len()).map(|k| Random::new(&mut c, k, &ranks)).collect();
        let closures: Vec<_> = (0..ranks.len())
            .map(|k| {
                let (step, n) = (&steps[k], &n);
                move |t: &Ix, old: &[Expr], new: &[Expr]| step.step(k, n, t, old, new)
            })
            .collect();
        let names = ["x", "y", "z"];
        let states: Vec<crate::common::State<'_>> = (0..ranks.len())
            .map(|k| {
                let step: &dyn Fn(&Ix, &[Expr], &[Expr]) -> Expr = &closures[k];
                let start = match c.below(2) {
                    0 => inputs[ranks[k] - 1].clone(),
                    _ => zeros(&vec![&n; ranks[k]]),
                };
                (names[k], start, step)
            })
            .collect();
        let rounds = c.of(&[&n, &t]);
        let is_short = *rounds == n;
        let e = iterate("t", rounds, &states, |last| {
            gen_("i", &n, |i| {
                let parts = last.iter().zip(&ranks).map(|(x, rank)| match rank {
                    1 => at(x, &[&i]),
                    _ => sum_("j", &n, |j| mul(&at(x, &[&i, &j]), &index(I32, &(j + Ix::ONE)))),
                });
                parts.reduce(|a, b| add(&mul(&a, &lit(I32, 31)), &b)).expect("a state")
            })
        });
        let lowered = p.lower(&e).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{e:?}"));
        for sizes in [[0, 2], [1, 3], [2, 2], [3, 4], [5, 3]] {
            p.compare(&e, &lowered, &sizes);
        }
        let count = doubled(&lowered);
        let text = lowered.plain.to_string();
        without_start +=
            names[..ranks.len()].iter().filter(|x| !text.contains(&format!("reset {x}"))).count();
        (in_place, two) = (in_place + ranks.len() - count, two + count);
        if let ([step], [rank], 1) = (&steps[..], &ranks[..], count) {
            let directions = [[false, false], [false, true], [true, false], [true, true]];
            let sizes = || (1..5).map(|n| (n, if is_short { n } else { 5 }));
            let one = directions
                .iter()
                .any(|directions| sizes().all(|sizes| step.is_right(0, sizes, &directions[..*rank])));
            needless += usize::from(one);
            if one {
                println!("seed {seed}: {e:?}");
            }
        }
    }
    [in_place, two, needless, without_start]
}

#[test]
fn random_steps_mean_what_they_say_and_are_in_place_where_they_can_be() {
    let [in_place, two, needless, without_start] = random_programs(0..200);
    println!("{in_place} states in place, {two} in two buffers, {needless} of those needlessly");
    println!("{without_start} states whose start is not stored");
    assert!(in_place > 2 * two && needless * 20 <= two, "{in_place}, {two}, {needless}");
    assert!(without_start > 5, "{without_start}");
}
