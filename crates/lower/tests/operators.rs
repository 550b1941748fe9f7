//! Reshape operators where they are stored and where they are read, at all small shapes.

use crate::common;
use crate::common::{F32, Program, add, at, gen_, guard, mul, select, sum_};
use atl_kernel::{Cmp, Expr, Ix, Node, Number, Pred};

/// Every way to give values from 0 to `most` to this number of sizes.
fn shapes(rank: usize, most: i64) -> Vec<Vec<i64>> {
    (0..rank).fold(vec![vec![]], |all, _| {
        all.iter().flat_map(|s| (0..=most).map(move |n| [s.as_slice(), &[n]].concat())).collect()
    })
}

/// Lower `op` of an input `x` of two dimensions, in three positions: applied to the input itself, to a sum
/// over copies of it, and read element by element.
fn check(requires: fn(&Ix, &Ix) -> Pred, holds: fn(i64, i64) -> bool, op: impl Fn(&Ix, &Ix, Expr) -> Expr) {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    p.require(requires(&n, &m));
    let x = p.input("x", F32, &[&n, &m]);
    let sizes: Vec<Vec<i64>> = shapes(2, 4).into_iter().filter(|s| holds(s[0], s[1])).collect();
    let sizes: Vec<&[i64]> = sizes.iter().map(Vec::as_slice).collect();
    let stored = op(&n, &m, x.clone());
    p.check(&stored, &sizes);
    let summed = sum_("s", &Ix::Lit(3), |s| {
        gen_("i", &n, |i| gen_("j", &m, |j| guard(Pred::le(s.clone(), j.clone()), at(&x, &[&i, &j]))))
    });
    p.check(&op(&n, &m, summed), &sizes);
    p.check(&add(&stored, &stored), &sizes);
}

fn any(_: &Ix, _: &Ix) -> Pred {
    Pred::True
}

#[test]
fn transpose_is_an_index_mapping() {
    check(any, |_, _| true, |_, _, e| atl_ops::transpose(e));
}

/// The multiplier of the outer index is the inner extent, and the inner index is added.
#[test]
fn flatten_is_row_by_row() {
    check(any, |_, _| true, |_, _, e| atl_ops::flatten(e));
}

/// The outer extent is the ceiling: with the floor the last tile would have no cells.
#[test]
fn split_has_a_last_tile() {
    for k in 1..5 {
        check(any, |_, _| true, |_, _, e| atl_ops::split(Ix::Lit(k), e));
    }
}

#[test]
fn split_by_a_symbolic_factor() {
    check(|_, m| Pred::lt(Ix::ZERO, m.clone()), |_, m| m > 0, |_, m, e| atl_ops::split(m.clone(), e));
}

#[test]
fn pads_are_zero() {
    for k in 0..3 {
        check(any, |_, _| true, |_, _, e| atl_ops::pad_l(Ix::Lit(k), e));
        check(any, |_, _| true, |_, _, e| atl_ops::pad_r(Ix::Lit(k), e));
    }
}

/// Right undoes right, left undoes left.
#[test]
fn truncations_undo_pads_of_their_side() {
    check(any, |_, _| true, |_, m, e| atl_ops::trunc_r(m.clone(), atl_ops::pad_r(m.clone(), e)));
    check(any, |_, _| true, |_, m, e| atl_ops::trunc_l(m.clone(), atl_ops::pad_l(m.clone(), e)));
}

#[test]
fn concatenation_stores_both_sides() {
    check(any, |_, _| true, |_, _, e| atl_ops::concat(e.clone(), e));
    check(
        any,
        |_, _| true,
        |n, m, e| {
            let ones = gen_("i", n, |_| gen_("j", m, |j| common::index(F32, &j)));
            atl_ops::concat(atl_ops::concat(ones.clone(), e), ones)
        },
    );
}

#[test]
fn shear_and_back() {
    let positive = |n: &Ix, m: &Ix| Pred::and(Pred::lt(Ix::ZERO, n.clone()), Pred::lt(Ix::ZERO, m.clone()));
    check(positive, |n, m| n > 0 && m > 0, |_, _, e| atl_ops::shear(e));
}

#[test]
fn operators_compose() {
    check(
        any,
        |_, _| true,
        |_, _, e| atl_ops::flatten(atl_ops::transpose(atl_ops::split(Ix::Lit(2), atl_ops::flatten(e)))),
    );
    check(
        any,
        |_, _| true,
        |_, _, e| atl_ops::split(Ix::Lit(3), atl_ops::pad_l(Ix::ONE, atl_ops::transpose(e))),
    );
}

/// `flatten` after `split` has `ceil_div(n, k)*k - n` elements too many. The amount `k - n % k`, which is
/// printed in places, drops a whole tile where `k` divides `n`.
#[test]
fn the_rest_of_the_last_tile_is_truncated() {
    let mut p = Program::default();
    let n = p.size("n");
    let x = p.input("x", F32, &[&n]);
    let k = Ix::Lit(4);
    let tiled = atl_ops::flatten(atl_ops::split(k.clone(), x.clone()));
    let rest = Ix::ceil_div(n.clone(), k.clone()) * k.clone() - n.clone();
    let sizes: Vec<Vec<i64>> = shapes(1, 9);
    let sizes: Vec<&[i64]> = sizes.iter().map(Vec::as_slice).collect();
    p.check(&atl_ops::trunc_r(rest, tiled.clone()), &sizes);
    let misprint = atl_ops::trunc_r(k.clone() - n % k, tiled);
    assert!(p.lower(&misprint).is_err());
}

/// One row of a tiled nest: `jo` outermost, then the tile, then the row; the guard is on the tile's index.
#[test]
fn a_tiled_nest_is_transposed_around_its_tiles() {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    let x = p.input("x", F32, &[&n, &m]);
    let c = Ix::Lit(3);
    let tiles = Ix::ceil_div(m.clone(), c.clone());
    let nest = |order: [usize; 2]| {
        let inside = |jo: &Ix, ji: &Ix, i: &Ix| {
            let j = jo.clone() * c.clone() + ji.clone();
            guard(Pred::Cmp(Cmp::Lt, j.clone(), m.clone()), at(&x, &[i, &j]))
        };
        let loops = match order {
            [0, 1] => gen_("jo", &tiles, |jo| gen_("ji", &c, |ji| gen_("i", &n, |i| inside(&jo, &ji, &i)))),
            _ => gen_("jo", &tiles, |jo| gen_("i", &n, |i| gen_("ji", &c, |ji| inside(&jo, &ji, &i)))),
        };
        atl_ops::flatten(loops)
    };
    let rest = tiles.clone() * c.clone() - m.clone();
    let right = atl_ops::transpose(atl_ops::trunc_r(rest.clone(), nest([0, 1])));
    p.check(&right, &[&[2, 7], &[3, 3], &[1, 1], &[2, 0]]);
    // The printed order has the row between the tile and its index: no condition keeps that in the box.
    assert!(p.lower(&atl_ops::transpose(atl_ops::trunc_r(rest, nest([1, 0])))).is_err());
}

/// A tensor of `m, n, k, c` flattened, and cut up again from the inside: the factors are the extents from the
/// inside out, the indices `i / (n*k*c)`, `i / (k*c) % n`, `i / c % k`, `i % c`.
#[test]
fn a_flattened_nest_is_split_from_the_inside() {
    let mut p = Program::default();
    let m = p.size("m");
    let (n, k, c) = (Ix::Lit(3), Ix::Lit(2), Ix::Lit(4));
    let x = p.input("x", F32, &[&m, &n, &k, &c]);
    let flat = atl_ops::flatten(atl_ops::flatten(atl_ops::flatten(x.clone())));
    let cut = |a: &Ix, b: &Ix, c: &Ix| {
        atl_ops::split(a.clone(), atl_ops::split(b.clone(), atl_ops::split(c.clone(), flat.clone())))
    };
    p.check(&cut(&n, &k, &c), &[&[2], &[0]]);
    p.check(&add(&cut(&n, &k, &c), &x), &[&[2], &[0]]);
    let div = |i: &Ix, d: i64| i.clone() / Ix::Lit(d);
    let by_index = gen_("i", &(m.clone() * Ix::Lit(24)), |i| {
        at(
            &x,
            &[&div(&i, 24), &(div(&i, 8) % n.clone()), &(div(&i, 4) % k.clone()), &(i.clone() % c.clone())],
        )
    });
    let lowered = p.lower(&by_index).expect("in range");
    p.compare(&flat, &lowered, &[2]);
    // With the middle factors exchanged the result has another shape.
    assert!(p.lower(&add(&cut(&k, &n, &c), &x)).is_err());
}

/// Below a truncation a sum stays around its store, so that the guards in it do.
#[test]
fn guards_in_a_sum_keep_padding_out() {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    let x = p.input("x", F32, &[&n, &m]);
    let padded = gen_("i", &(n.clone() + Ix::ONE), |i| {
        sum_("j", &m, |j| guard(Pred::lt(i.clone(), n.clone()), at(&x, &[&i, &j])))
    });
    p.check(&atl_ops::trunc_r(Ix::ONE, padded), &[&[3, 2], &[0, 1], &[2, 0]]);
}

/// A zero below a truncation stores nothing, on its own or beside a selection.
#[test]
fn zeros_are_padding() {
    let mut p = Program::default();
    let n = p.size("n");
    let x = p.input("x", F32, &[&n]);
    let zero = || std::sync::Arc::new(Node::Lit(F32, Number::Zero));
    let padded =
        gen_("i", &(n.clone() + Ix::ONE), |i| select(Pred::lt(i.clone(), n.clone()), at(&x, &[&i]), zero()));
    let text = p.check(&atl_ops::trunc_r(Ix::ONE, padded), &[&[3], &[0]]);
    assert!(!text.contains("reset"), "{text}");
    let ends = atl_ops::concat(x.clone(), gen_("i", &Ix::Lit(2), |_| zero()));
    p.check(&atl_ops::trunc_r(Ix::Lit(2), ends), &[&[3], &[0]]);
}

/// A temporary for an inner sum is stored whole; the part that is dropped is not.
#[test]
fn temporaries_below_a_truncation_are_restricted() {
    let mut p = Program::default();
    let (n, m) = (p.size("n"), p.size("m"));
    let x = p.input("x", F32, &[&n, &m]);
    let entry = |i: &Ix, j: &Ix| guard(Pred::lt(i.clone(), n.clone()), at(&x, &[i, j]));
    let longer = n.clone() + Ix::ONE;
    let scalars =
        gen_("i", &longer, |i| sum_("j", &m, |j| sum_("k", &m, |k| mul(&entry(&i, &j), &entry(&i, &k)))));
    assert!(p.lower(&atl_ops::trunc_r(Ix::ONE, scalars)).is_err());
    let scalars = gen_("i", &longer, |i| {
        sum_("j", &m, |j| sum_("k", &m, |k| guard(Pred::lt(k, j.clone()), entry(&i, &j))))
    });
    p.check(&atl_ops::trunc_r(Ix::ONE, scalars), &[&[3, 2], &[0, 1], &[2, 0]]);
    let rows = sum_("j", &m, |j| {
        sum_("k", &m, |k| gen_("i", &longer, |i| guard(Pred::le(k.clone(), j.clone()), entry(&i, &j))))
    });
    let text = p.check(&atl_ops::trunc_r(Ix::ONE, rows), &[&[3, 2], &[0, 1], &[2, 0]]);
    assert!(text.contains("if i < n"), "{text}");
}
