//! Whole programs: what is printed, and that it computes what the term means.

use crate::common::{F32, I32, Program, add, at, gen_, gen_as, guard, let_, mul, select, sum_, view};
use atl_kernel::{Expr, Ix, Label, LoopKind, Pred, Rounding, Storage};
use atl_semirings::instances::PLUS_TIMES;

#[test]
fn matrix_product() {
    let mut p = Program::default();
    let (n, m, k) = (p.size("n"), p.size("m"), p.size("k"));
    let a = p.input("a", F32, &[&n, &k]);
    let b = p.input("b", F32, &[&k, &m]);
    let body =
        gen_("i", &n, |i| gen_("j", &m, |j| sum_("l", &k, |l| mul(&at(&a, &[&i, &l]), &at(&b, &[&l, &j])))));
    let text = p.check(&body, &[&[3, 4, 5], &[1, 1, 0], &[0, 2, 2]]);
    let loops = "
  for i in 0..n {
    for j in 0..m {
      alloc register f32 acc = 0.0f32 {
        for l in 0..k {
          acc += a[i * k + l] * b[l * m + j]
        }
        out[i * m + j] = acc
      }
    }
  }
";
    assert!(text.contains(loops), "{text}");
}

/// Two stages, each padding with zeros outside its argument.
#[test]
fn two_stage_blur() {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    let img = p.input("img", F32, &[&n, &m]);
    let near = |i: &Ix, d: i64| i.clone() + Ix::Lit(d);
    let body = {
        let rows = gen_("y", &n, |y| {
            gen_("x", &m, |x| {
                let tap = |d| guard(Pred::in_range(&near(&x, d), &m), at(&img, &[&y, &near(&x, d)]));
                add(&add(&tap(-1), &tap(0)), &tap(1))
            })
        });
        let_(Label::new("rows"), rows, |rows| {
            gen_("y", &n, |y| {
                gen_("x", &m, |x| {
                    let tap = |d| guard(Pred::in_range(&near(&y, d), &n), at(&rows, &[&near(&y, d), &x]));
                    add(&add(&tap(-1), &tap(0)), &tap(1))
                })
            })
        })
    };
    let text = p.check(&body, &[&[4, 5], &[1, 1], &[0, 3]]);
    assert!(text.contains("alloc heap f32 rows[n, m] uninit"), "{text}");
}

/// The inner sum starts from zero, so it has a register of its own; adding straight into the outer one
/// would round differently.
#[test]
fn float_sums_do_not_share_an_accumulator() {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    let x = p.input("x", F32, &[&n, &m]);
    let nested = sum_("i", &n, |i| sum_("j", &m, |j| at(&x, &[&i, &j])));
    let text = p.check(&nested, &[&[5, 7], &[0, 3], &[3, 0]]);
    assert_eq!(text.matches("alloc register").count(), 2, "{text}");
    let columns =
        sum_("i", &n, |i| gen_("j", &m, |j| sum_("k", &n, |k| mul(&at(&x, &[&i, &j]), &at(&x, &[&k, &j])))));
    p.check(&columns, &[&[5, 7], &[0, 3], &[3, 0]]);
    let tensors =
        sum_("i", &n, |i| sum_("k", &n, |k| gen_("j", &m, |j| mul(&at(&x, &[&i, &j]), &at(&x, &[&k, &j])))));
    p.check(&tensors, &[&[5, 7], &[0, 3], &[3, 0]]);
}

/// Where regrouping is acceptable they do, as long as it is one cell that accumulates.
#[test]
fn sums_share_an_accumulator_where_regrouping_is_accepted() {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    let x = p.input("x", F32, &[&n, &m]);
    let scratch = |e: &Expr| {
        let lowered = p.lower_within(e, Rounding::Real).expect("lowered");
        lowered.plain.to_string().matches("alloc").count()
    };
    let nested = sum_("i", &n, |i| sum_("j", &m, |j| at(&x, &[&i, &j])));
    assert_eq!(scratch(&nested), 1);
    let tensors = sum_("i", &n, |i| sum_("k", &n, |_| at(&x, &[&i])));
    assert_eq!(scratch(&tensors), 0);
    let inside = sum_("i", &n, |_| gen_("r", &n, |r| sum_("j", &m, |j| at(&x, &[&r, &j]))));
    assert_eq!(scratch(&inside), 1);
}

/// Integers wrap, so nested sums may share one.
#[test]
fn exact_sums_share_an_accumulator() {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    let x = p.input("x", I32, &[&n, &m]);
    let nested =
        gen_("r", &n, |r| sum_("i", &n, |i| sum_("j", &m, |j| mul(&at(&x, &[&i, &j]), &at(&x, &[&r, &j])))));
    let text = p.check(&nested, &[&[5, 7], &[0, 3], &[3, 0]]);
    assert_eq!(text.matches("alloc").count(), 1, "{text}");
}

/// The temporary of a guarded inner sum starts from zero each time it is needed.
#[test]
fn temporaries_begin_as_zero_in_every_iteration() {
    let mut p = Program::default();
    let n = p.size("n");
    let x = p.input("x", F32, &[&n]);
    let one_hot = sum_("i", &n, |i| gen_("p", &n, |q| guard(Pred::eq(q.clone(), i.clone()), at(&x, &[&i]))));
    p.check(&one_hot, &[&[4], &[1], &[0]]);
    let twice = sum_("k", &n, |_| one_hot.clone());
    p.check(&twice, &[&[4], &[1], &[0]]);
}

/// Reductions in other algebras accumulate with their own operation, from their own zero.
#[test]
fn views_reduce_in_their_own_algebra() {
    for (_, semiring) in atl_semirings::REDUCTIONS {
        for scalar in atl_kernel::Scalar::ALL.into_iter().filter(|s| semiring.admits(*s)) {
            let elem = atl_kernel::Elem { scalar, algebra: &PLUS_TIMES };
            let mut p = Program::default();
            let (n, m) = (p.size("n"), p.size("m"));
            let x = p.input("x", elem, &[&n, &m]);
            let reduce = |e: &Expr| view(&PLUS_TIMES, e);
            let row = |i: &Ix| sum_("j", &m, |j| view(semiring.algebra, &at(&x, &[i, &j])));
            let rows = gen_("i", &n, |i| reduce(&row(&i)));
            p.check(&rows, &[&[3, 4], &[2, 0], &[0, 2]]);
            let guarded = gen_("i", &n, |i| {
                let even = Pred::eq(i.clone() % Ix::Lit(2), Ix::ZERO);
                let sum = add(
                    &reduce(&row(&i)),
                    &reduce(&guard(even.clone(), view(semiring.algebra, &at(&x, &[&i, &Ix::ZERO])))),
                );
                guard(even, sum)
            });
            if scalar != atl_kernel::Scalar::Bool {
                p.require(Pred::lt(Ix::ZERO, m.clone()));
                p.check(&guarded, &[&[3, 4], &[2, 1], &[0, 2]]);
            }
            let columns =
                reduce(&sum_("i", &n, |i| gen_("j", &m, |j| view(semiring.algebra, &at(&x, &[&i, &j])))));
            p.check(&columns, &[&[3, 4], &[2, 1]]);
        }
    }
}

/// Operands that are not scalars are named where they stand, inside the guards around them.
#[test]
fn operands_are_named_inside_their_guards() {
    let mut p = Program::default();
    let n = p.size("n");
    let x = p.input("x", F32, &[&n]);
    let prefix = |i: &Ix| sum_("k", &(i.clone() + Ix::ONE), |k| at(&x, &[&k]));
    let body = gen_("i", &n, |i| {
        let before = i.clone() - Ix::ONE;
        let previous = guard(Pred::le(Ix::ZERO, before.clone()), mul(&at(&x, &[&before]), &prefix(&before)));
        add(&previous, &select(Pred::lt(i.clone(), Ix::Lit(2)), at(&x, &[&i]), prefix(&i)))
    });
    p.check(&body, &[&[5], &[1], &[0]]);
}

/// Tensor operands of pointwise operations, accesses to all constructs, and `let`s inside them.
#[test]
fn tensors_stand_in_place_of_elements() {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    let x = p.input("x", F32, &[&n, &m]);
    let y = p.input("y", F32, &[&n, &m]);
    let sizes: &[&[i64]] = &[&[3, 4], &[0, 2], &[1, 1]];
    p.check(&x, sizes);
    p.check(&add(&mul(&x, &y), &sum_("k", &n, |k| gen_("i", &n, |_| at(&y, &[&k])))), sizes);
    let doubled = let_(Label::new("d"), add(&x, &y), |d| add(&d, &d));
    p.check(&doubled, sizes);
    p.check(&add(&doubled, &x), sizes);
    p.check(&gen_("i", &n, |i| at(&doubled, &[&i])), sizes);
    p.check(
        &gen_("i", &n, |i| gen_("j", &m, |j| at(&atl_ops::transpose(add(&x, &doubled)), &[&j, &i]))),
        sizes,
    );
    let chosen = gen_("i", &n, |i| {
        select(
            Pred::lt(i.clone(), Ix::Lit(1)),
            at(&x, &[&i]),
            guard(Pred::lt(i.clone(), Ix::Lit(2)), at(&y, &[&i])),
        )
    });
    p.check(&chosen, sizes);
    p.check(&guard(Pred::lt(n.clone(), Ix::Lit(2)), x.clone()), sizes);
    p.check(&let_(Label::new("alias"), x.clone(), |a| add(&a, &y)), sizes);
    p.check(
        &sum_("i", &n, |i| let_(Label::new("s"), sum_("j", &m, |j| at(&x, &[&i, &j])), |s| mul(&s, &s))),
        sizes,
    );
}

/// What sets every cell needs no zeroing; what may leave some does.
#[test]
fn destinations_are_zeroed_only_where_needed() {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    let x = p.input("x", F32, &[&n, &m]);
    let zeroed = |e: &Expr| {
        let text = p.check(e, &[&[3, 4], &[0, 2], &[1, 1]]);
        text.contains("reset") || text.contains("fill")
    };
    let half = gen_("i", &n, |i| gen_("j", &m, |j| guard(Pred::le(i.clone(), j.clone()), at(&x, &[&i, &j]))));
    assert!(!zeroed(&atl_ops::flatten(x.clone())));
    assert!(!zeroed(&atl_ops::transpose(half.clone())));
    assert!(!zeroed(&atl_ops::concat(x.clone(), half.clone())));
    assert!(!zeroed(&atl_ops::trunc_r(Ix::ONE, atl_ops::pad_r(Ix::ONE, x.clone()))));
    assert!(!zeroed(&atl_ops::trunc_l(n.clone(), atl_ops::concat(guard(Pred::False, x.clone()), x.clone()))));
    assert!(zeroed(&atl_ops::pad_l(Ix::ONE, x.clone())));
    assert!(zeroed(&sum_("k", &n, |_| x.clone())));
    assert!(zeroed(&gen_("i", &n, |i| guard(Pred::lt(i.clone(), Ix::ONE), at(&x, &[&i])))));
}

/// Kinds of loops and storage reach the loops.
#[test]
fn annotations_are_printed() {
    let mut p = Program::default();
    let n = p.size("n");
    let x = p.input("x", F32, &[&n, &Ix::Lit(8)]);
    let kind = |name: &str, kind| Label { kind, ..Label::new(name) };
    let body = gen_as(kind("i", LoopKind::Parallel), &n, |i| {
        let stage = Label { storage: Storage::Stack, ..Label::new("row") };
        let row =
            gen_as(kind("j", LoopKind::Unroll), &Ix::Lit(8), |j| add(&at(&x, &[&i, &j]), &at(&x, &[&i, &j])));
        let_(stage, row, |row| {
            gen_as(kind("j", LoopKind::Vector(Some(8))), &Ix::Lit(8), |j| at(&row, &[&(Ix::Lit(7) - j)]))
        })
    });
    let text = p.check(&body, &[&[3], &[0]]);
    for word in ["parallel", "unroll", "vector", "alloc stack f32 row[8] uninit"] {
        assert!(text.contains(word), "{word} in {text}");
    }
}

/// A register tile, tails and all: rows by four, columns by eight, the last ones guarded and truncated.
#[test]
fn tiled_matrix_product() {
    let mut p = Program::default();
    let (n, m, k) = (p.size("n"), p.size("m"), p.size("k"));
    let a = p.input("a", F32, &[&n, &k]);
    let b = p.input("b", F32, &[&k, &m]);
    let (rows, columns) = (Ix::Lit(4), Ix::Lit(8));
    let tiles = |n: &Ix, k: &Ix| Ix::ceil_div(n.clone(), k.clone());
    let rest = |n: &Ix, k: &Ix| tiles(n, k) * k.clone() - n.clone();
    let kind = |name: &str, kind| Label { kind, ..Label::new(name) };
    let vector = || kind("ji", LoopKind::Vector(None));
    let tile = |io: &Ix, jo: &Ix| {
        let (i, j) = (|ii: Ix| io.clone() * rows.clone() + ii, |ji: Ix| jo.clone() * columns.clone() + ji);
        let inside = |ii: &Ix, ji: &Ix| {
            Pred::and(Pred::lt(i(ii.clone()), n.clone()), Pred::lt(j(ji.clone()), m.clone()))
        };
        let product =
            |ii: &Ix, ji: &Ix, l: &Ix| mul(&at(&a, &[&i(ii.clone()), l]), &at(&b, &[l, &j(ji.clone())]));
        let bound = sum_("l", &k, |l| {
            gen_as(kind("ii", LoopKind::Unroll), &rows, |ii| {
                gen_as(vector(), &columns, |ji| guard(inside(&ii, &ji), product(&ii, &ji, &l)))
            })
        });
        let registers = Label { storage: Storage::Register, ..Label::new("c") };
        let_(registers, bound, |c| {
            gen_("ii", &rows, |ii| {
                gen_as(vector(), &columns, |ji| guard(inside(&ii, &ji), at(&c, &[&ii, &ji])))
            })
        })
    };
    let strip = |jo: Ix| {
        let tiles_of_rows = gen_("io", &tiles(&n, &rows), |io| tile(&io, &jo));
        atl_ops::transpose(atl_ops::trunc_r(rest(&n, &rows), atl_ops::flatten(tiles_of_rows)))
    };
    let strips = gen_as(kind("jo", LoopKind::Parallel), &tiles(&m, &columns), strip);
    let body = atl_ops::transpose(atl_ops::trunc_r(rest(&m, &columns), atl_ops::flatten(strips)));
    let text = p.check(&body, &[&[5, 9, 3], &[4, 8, 2], &[1, 1, 1], &[0, 3, 0], &[8, 17, 1]]);
    let loops = "
{
  parallel for jo in 0..(m + 7) / 8 {
    for io in 0..(n + 3) / 4 {
      alloc register f32 c[4, 8] = 0.0f32 {
";
    assert!(text.contains(loops), "{text}");
}

/// What a `let` computes for one element only is a number, unless it has a storage.
#[test]
fn arrays_of_one_cell_are_numbers() {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    let x = p.input("x", F32, &[&n, &m]);
    let square = |label: Label, rows: i64| {
        gen_("i", &n, |i| {
            let dots = gen_("r", &Ix::Lit(rows), |r| {
                gen_("c", &Ix::ONE, |c| {
                    let row = i.clone() + r.clone() + c - r;
                    sum_("j", &m, |j| mul(&at(&x, &[&row, &j]), &at(&x, &[&i, &j])))
                })
            });
            let first = |dots: &Expr| at(dots, &[&Ix::Lit(0), &Ix::Lit(0)]);
            let_(label.clone(), dots, |dots| mul(&first(&dots), &first(&dots)))
        })
    };
    let sizes: &[&[i64]] = &[&[3, 4], &[1, 1], &[2, 0], &[0, 3]];
    let text = p.check(&square(Label::new("dots"), 1), sizes);
    assert!(text.contains("alloc register f32 dots = 0.0f32"), "{text}");
    let stack = Label { storage: Storage::Stack, ..Label::new("dots") };
    assert!(p.check(&square(stack, 1), sizes).contains("alloc stack f32 dots[1, 1]"));
    assert!(p.check(&square(Label::new("dots"), 2), sizes).contains("alloc stack f32 dots[2, 1]"));
}
