//! Both sides of each law have one value, of monoids whose formulas have the laws that they claim.

use crate::common::*;
use atl_interp::{Machine, Tensor, Value, eval_program};
use atl_kernel::{Ctx, Elem, Expr, Label, Laws, Monoid, Number, Prim, Rounding, Rule, Scalar, Thm, Type};
use std::sync::Arc;

/// The fields of an element that is named by levels from here on.
fn element(first: usize, fields: usize) -> Vec<Expr> {
    (first..first + fields).map(|level| var(level as u32)).collect()
}

/// A monoid with this sum of two elements.
fn monoid(
    fields: &[Scalar],
    zero: &[Number],
    sum: impl Fn(&[Expr], &[Expr]) -> Vec<Expr>,
    laws: Laws,
) -> Arc<Monoid> {
    let k = fields.len();
    let fields: Vec<Elem> = fields.iter().map(|scalar| elem(*scalar)).collect();
    let zero = fields.iter().zip(zero).map(|(elem, number)| lit(*elem, *number)).collect();
    let sum = sum(&element(0, k), &element(k, k));
    Arc::new(Monoid::new("m", fields, zero, sum, laws).expect("a monoid"))
}

/// Where the first fields decide, in order: the lesser one of two, and the first of equal ones.
fn lesser(a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    let first = a.iter().zip(b).rev().fold(None, |rest, (x, y)| {
        let less = prim(Prim::Lt, &[x, y]);
        let Some(rest) = rest else { return Some(prim(Prim::Le, &[x, y])) };
        let equal = prim(Prim::Eq, &[x, y]);
        Some(prim(Prim::Or, &[&less, &prim(Prim::And, &[&equal, &rest])]))
    });
    let first = first.expect("a field");
    a.iter().zip(b).map(|(x, y)| prim(Prim::Where, &[&first, x, y])).collect()
}

fn monoids() -> Vec<(Arc<Monoid>, Rounding)> {
    let (monoid_laws, comm) = (Laws::ADD_MONOID, Laws::ADD_COMM_MONOID);
    let greatest = |scalar: Scalar| Number::Decimal(scalar.range().expect("an integer").1, 0);
    let least = |scalar: Scalar| Number::Decimal(scalar.range().expect("an integer").0, 0);
    let matrices = |a: &[Expr], b: &[Expr]| {
        let cell = |i: usize, j: usize| add(&mul(&a[2 * i], &b[j]), &mul(&a[2 * i + 1], &b[2 + j]));
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| cell(i, j)).to_vec()
    };
    let counted = |a: &[Expr], b: &[Expr]| {
        let greater = prim(Prim::Max, &[&a[0], &b[0]]);
        let of = |e: &[Expr]| {
            let zero = lit(elem(Scalar::I32), Number::Zero);
            prim(Prim::Where, &[&prim(Prim::Eq, &[&e[0], &greater]), &e[1], &zero])
        };
        vec![greater.clone(), add(&of(a), &of(b))]
    };
    let (f32s, i32s) = (Scalar::F32, Scalar::I32);
    let identity = [Number::One, Number::Zero, Number::Zero, Number::One];
    vec![
        (
            monoid(&[f32s, i32s], &[Number::Infinity, greatest(i32s)], lesser, Monoid::CLAIMS),
            Rounding::Finite,
        ),
        (
            monoid(&[i32s, Scalar::I8], &[greatest(i32s), greatest(Scalar::I8)], lesser, Monoid::CLAIMS),
            Rounding::Bitwise,
        ),
        (
            monoid(
                &[i32s; 2],
                &[least(i32s), Number::Zero],
                |a, b| vec![prim(Prim::Max, &[&a[0], &b[0]]), add(&a[1], &b[1])],
                comm,
            ),
            Rounding::Bitwise,
        ),
        (monoid(&[i32s; 2], &[least(i32s), Number::Zero], counted, comm), Rounding::Bitwise),
        (monoid(&[Scalar::U8; 4], &identity, matrices, monoid_laws), Rounding::Bitwise),
        (monoid(&[f32s], &[Number::Zero], |a, b| vec![add(&a[0], &b[0])], comm), Rounding::Real),
    ]
}

/// Numbers, of which some are equal, and sums leave their types.
fn samples(scalar: Scalar) -> Vec<Value> {
    match scalar {
        Scalar::F32 => [0.0, 1.0, -1.0, 3.0, f32::INFINITY].map(Value::F32).to_vec(),
        Scalar::U8 => [0u8, 1, 2, 77, 255].map(|n| Value::of_integer(scalar, n.into())).to_vec(),
        _ => {
            let (least, greatest) = scalar.range().expect("an integer");
            [0, 1, -1, least, greatest].map(|n| Value::of_integer(scalar, n)).to_vec()
        }
    }
}

/// The field of the law's left side at three elements, or at as many as it is of.
fn left(monoid: &Monoid, law: Laws, elements: &[Vec<Expr>]) -> Vec<Expr> {
    let sum = |a: &[Expr], b: &[Expr]| monoid.sum(a, b);
    match elements {
        [a] if law == Laws::ADD_0_L => sum(monoid.zero(), a),
        [a] if law == Laws::ADD_0_R => sum(a, monoid.zero()),
        [a] => sum(a, a),
        [a, b] => sum(a, b),
        [a, b, c] => sum(&sum(a, b), c),
        _ => panic!("a law is of one to three elements"),
    }
}

#[test]
fn both_sides_of_laws_that_hold_have_one_value() {
    for (monoid, rounding) in monoids() {
        let k = monoid.fields().len();
        let mut ctx = Ctx::new();
        for elem in monoid.fields().iter().cycle().take(3 * k) {
            ctx.push_tensor(Label::default(), Type { elem: *elem, shape: Vec::new() });
        }
        let ctx = Arc::new(ctx);
        let elements = [0, 1, 2].map(|n| element(n * k, k));
        let mut tried = 0;
        for (law, count) in [
            (Laws::ADD_0_L, 1),
            (Laws::ADD_0_R, 1),
            (Laws::ADD_IDEM, 1),
            (Laws::ADD_COMM, 2),
            (Laws::ADD_ASSOC, 3),
        ] {
            for field in 0..k {
                let elements = &elements[..count];
                let rule = Rule::Law(monoid.clone(), law, field, elements.to_vec());
                let made = Thm::rule(&ctx, rule, &left(&monoid, law, elements)[field], &mut SmallProver);
                let Ok(thm) = made else {
                    assert!(!monoid.laws().has(law), "{law}: {made:?}");
                    continue;
                };
                assert_eq!((thm.rounding(), thm.claims()), (rounding, vec![(monoid.clone(), law)]));
                tried += 1;
                for seed in 0..200 {
                    let mut state: usize = seed;
                    let given = monoid.fields().iter().cycle().take(3 * k).map(|elem| {
                        state = state
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963_407);
                        let samples = samples(elem.scalar);
                        Tensor::scalar(*elem, samples[(state >> 33) % samples.len()])
                    });
                    let given: Vec<_> = given.collect();
                    let value = |e| eval_program::<Machine>(&ctx, &[], given.clone(), e).expect("a value");
                    // The sums here are exact, and what is chosen is one of the operands.
                    assert_eq!(value(thm.lhs()), value(thm.rhs()), "{law}, {field} at {given:?}");
                }
            }
        }
        assert!(tried >= 3 * k, "{tried}");
    }
}
