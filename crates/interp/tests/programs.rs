//! Whole programs against loops written by hand.

use crate::common::*;
use atl_interp::{Exact, Limits, Machine, Number as ExactNumber, Ratio, Tensor, Value, eval_program};
use atl_kernel::{Ctx, Elem, Expr, Ix, Label, Number, Pred, Scalar, Type};
use atl_semirings::instances::MIN_PLUS;

/// A context of these sizes (levels 0, 2, ..) and then these matrices of sizes.
fn context(elem: Elem, sizes: u32, matrices: &[[u32; 2]]) -> Ctx {
    let mut ctx = Ctx::new();
    (0..sizes).for_each(|_| {
        ctx.push_size(Label::default());
    });
    for [rows, columns] in matrices {
        ctx.push_tensor(
            Label::default(),
            Type { elem, shape: vec![Ix::free(2 * rows), Ix::free(2 * columns)] },
        );
    }
    ctx
}

fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|k| (k * 37 % 101) as f32 / 8.0 - 5.3).collect()
}

fn tensor(elem: Elem, shape: &[usize], data: &[f32]) -> Tensor<Value> {
    Tensor::try_new(elem, shape.to_vec(), data.iter().copied().map(Value::F32).collect()).expect("it fits")
}

fn check(ctx: &Ctx, sizes: &[i64], inputs: Vec<Tensor<Value>>, e: &Expr, expected: &[f32]) {
    let found = eval_program::<Machine>(ctx, sizes, inputs, e).unwrap_or_else(|why| panic!("{why}"));
    let expected: Vec<Value> = expected.iter().copied().map(Value::F32).collect();
    assert_eq!(found.data(), expected);
}

/// `gen i<m. gen j<n. sum k<l. a[i,k] * b[k,j]`, where the sizes are m, l, n.
fn matmul(a: u32, b: u32) -> Expr {
    let (i, j, k) = (bound(2), bound(1), bound(0));
    let product = mul(&at(&var(a), [i, k.clone()]), &at(&var(b), [k, j]));
    generate(Ix::free(0), generate(Ix::free(4), sum(Ix::free(2), product)))
}

#[test]
fn matrix_product() {
    let (m, l, n) = (13, 11, 17);
    let float = elem(Scalar::F32);
    let ctx = context(float, 3, &[[0, 1], [1, 2]]);
    let (a, b) = (floats(m * l), floats(l * n));
    let mut expected = vec![0f32; m * n];
    for i in 0..m {
        for j in 0..n {
            for k in 0..l {
                expected[i * n + j] += a[i * l + k] * b[k * n + j];
            }
        }
    }
    let inputs = vec![tensor(float, &[m, l], &a), tensor(float, &[l, n], &b)];
    check(&ctx, &[13, 11, 17], inputs, &matmul(6, 7), &expected);
}

#[test]
fn shortest_paths_of_two_steps() {
    let path = Elem { scalar: Scalar::F32, algebra: &MIN_PLUS };
    let ctx = context(path, 3, &[[0, 1], [1, 2]]);
    let far = f32::INFINITY;
    let steps = [0.0, 3.0, far, far, 0.0, 1.5, 7.0, far, 0.0];
    let inputs = || vec![tensor(path, &[3, 3], &steps), tensor(path, &[3, 3], &steps)];
    check(&ctx, &[3, 3, 3], inputs(), &matmul(6, 7), &[0.0, 3.0, 4.5, 8.5, 0.0, 1.5, 7.0, 10.0, 0.0]);
    check(
        &ctx,
        &[3, 0, 1],
        vec![tensor(path, &[3, 0], &[]), tensor(path, &[0, 1], &[])],
        &matmul(6, 7),
        &[far; 3],
    );
}

/// A blur in two stages, with zeros around the image: rows, then columns of the rows.
fn blur(image: u32) -> Expr {
    let (h, w) = (Ix::free(0), Ix::free(2));
    let third = lit(elem(Scalar::F32), Number::Decimal(333, -3));
    let three = |read: &dyn Fn(Ix) -> Expr| {
        let [before, here, after] = [-1, 0, 1].map(|d| read(Ix::Lit(d)));
        mul(&add(&add(&before, &here), &after), &third)
    };
    let rows =
        generate(h.clone(), generate(w.clone(), three(&|d| at(&var(image), [bound(1), bound(0) + d]))));
    let columns = generate(h, generate(w, three(&|d| at(&bound_tensor(2), [bound(1) + d, bound(0)]))));
    bind(rows, columns)
}

#[test]
fn blur_in_two_stages() {
    let (h, w) = (20, 30);
    let float = elem(Scalar::F32);
    let ctx = context(float, 2, &[[0, 1]]);
    let image = floats(h * w);
    let read = |x: &[f32], i: Option<usize>, j: Option<usize>| match (i, j) {
        (Some(i), Some(j)) if i < h && j < w => x[i * w + j],
        _ => 0.0,
    };
    let stage = |x: &[f32], rows: bool| -> Vec<f32> {
        let cell = |c: usize| {
            let (i, j) = (c / w, c % w);
            let [a, b, c] = if rows {
                [j.checked_sub(1), Some(j), Some(j + 1)].map(|j| read(x, Some(i), j))
            } else {
                [i.checked_sub(1), Some(i), Some(i + 1)].map(|i| read(x, i, Some(j)))
            };
            (a + b + c) * 0.333
        };
        (0..h * w).map(cell).collect()
    };
    let expected = stage(&stage(&image, true), false);
    let inputs = || vec![tensor(float, &[h, w], &image)];
    check(&ctx, &[20, 30], inputs(), &blur(4), &expected);
    // Inlined, it computes the same, and no more than what is asked for: far fewer steps than all rows.
    let at_once = at(&blur(4), [Ix::Lit(7), Ix::Lit(8)]);
    check(&ctx, &[20, 30], inputs(), &at_once, &expected[7 * w + 8..][..1]);
}

#[test]
fn an_access_computes_only_its_row() {
    let float = elem(Scalar::F32);
    let wide = generate(1_000_000, index(float, bound(0)));
    let mut env = atl_interp::Env::new();
    env.push_index(0);
    let limits = Limits { steps: 10, ..Limits::default() };
    let row = atl_interp::eval::<Machine>(&env, &at(&wide, [Ix::Lit(999)]), limits).map(Tensor::into_data);
    assert_eq!(row, Ok(vec![Value::F32(999.0)]));
}

#[test]
fn exact_numbers_do_not_round() {
    // `sum i<10. 0.1` is 1, which floats miss; and reassociated it stays so.
    let float = elem(Scalar::F32);
    let tenth = lit(float, Number::Decimal(1, -1));
    let whole = sum(10, tenth.clone());
    let halves = add(&sum(5, tenth.clone()), &sum(5, guard(Pred::le(Ix::ZERO, bound(0)), tenth)));
    let machine = |e: &Expr| eval_program::<Machine>(&Ctx::new(), &[], vec![], e).map(Tensor::into_data);
    let exact = |e: &Expr| eval_program::<Exact>(&Ctx::new(), &[], vec![], e).map(Tensor::into_data);
    assert_eq!(exact(&whole), Ok(vec![ExactNumber::Ratio(Ratio::integer(1))]));
    assert_eq!(exact(&whole), exact(&halves));
    assert_eq!(machine(&whole), Ok(vec![Value::F32(1.000_000_1)]));
    assert_ne!(machine(&whole), machine(&halves));
}
