//! What is built is the program that a person would write.

use super::*;
use crate::{BufferView, DType};
use ndarray::{Array2, array, s};

/// The text of a function of one matrix `a`, with this body.
fn check(body: impl FnOnce(&Value, &Index, &Index) -> Value, expected: &str) {
    let mut f = FunctionBuilder::new("f");
    let (n, m) = (f.size("N"), f.size("M"));
    let a = f.input("a", Elem::F32, (&n, &m));
    let body = body(&a, &n, &m);
    f.returns(Elem::F32, (&n, &m), body);
    let text = f.text();
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    let inner =
        line.strip_prefix("fn f(a: f32[N, M]) -> f32[N, M] { ").and_then(|rest| rest.strip_suffix(" }"));
    assert_eq!(inner, Some(expected), "{text}");
    f.program().unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn expressions_are_written_plainly() {
    check(
        |a, n, m| generate([("i", n), ("j", m)], |[i, j]| 2.0 * a.at((i, j)) - 1),
        "gen i < N, j < M { 2.0 * a[i, j] - 1 }",
    );
    check(
        |a, n, m| {
            generate([("i", n), ("j", m)], |[i, j]| {
                (i.gt(0) & !j.equals(2)).guard(a.at((i - 1, j)).max(-0.5))
            })
        },
        "gen i < N, j < M { [i > 0 && !(j == 2)] * max(a[i - 1, j], -0.5) }",
    );
    check(|a, _, _| a.transpose().transpose() + a, "transpose(transpose(a)) + a");
    check(|a, _, _| a.pad_l(2).trunc_l(2), "trunc_l(2, pad_l(2, a))");
    check(
        |a, n, m| {
            generate([("i", n), ("j", m)], |[i, j]| {
                select((i + 2 * j).lt(n / 2), a.at([i, j]), (i % 3).to(Elem::F32))
            })
        },
        "gen i < N, j < M { select(i + 2 * j < N / 2, a[i, j], f32(i % 3)) }",
    );
    check(
        |a, n, m| {
            generate([("i", n), ("j", m)], |[i, j]| {
                bind("t", sum([Binder::between("k", j, m)], |[k]| a.at((i, k))), |t| t * t)
            })
        },
        "gen i < N, j < M { let t = sum k in j..M { a[i, k] }; t * t }",
    );
}

#[test]
fn variables_of_one_name_are_told_apart() {
    check(
        |a, n, m| {
            generate([("i", n)], |[i]| {
                let row = |i: &Index| generate([("i", m)], |[j]| a.at((i, j)));
                row(i)
            })
        },
        "gen i < N { gen i1 < M { a[i, i1] } }",
    );
    check(
        |a, n, m| generate([("a", n), ("N", m)], |[i, j]| a.at((i, j))),
        "gen a1 < N, N1 < M { a[a1, N1] }",
    );
}

#[test]
fn every_part_of_a_function_is_written() {
    let mut f = FunctionBuilder::new("f");
    f.doc("What it does.");
    let (k, n) = (f.size_argument("k"), f.size("N"));
    let d = f.input("d", Elem::F64.over("min_plus"), [&n]);
    let c = f.scalar("c", Elem::F64.over("min_plus"));
    f.requires(k.le(&n));
    let e = f.local("e", generate([("i", &k)], |[i]| d.at([i]) * &c));
    f.returns(Elem::F64.over("min_plus"), [&k], &e);
    f.schedule("s", "inline e;");
    let text = f.text();
    for part in [
        "/// What it does.",
        "k: size",
        "d: min_plus<f64>[N]",
        "c: min_plus<f64>",
        "where k <= N",
        "let e =",
        "schedule s of f",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    let program = f.program().unwrap_or_else(|failure| panic!("{failure}"));
    crate::check(&program).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn mistakes_are_diagnosed_in_the_text() {
    let codes =
        |f: &FunctionBuilder| f.program().and_then(|p| crate::check(&p)).expect_err("a mistake").codes();
    let mut f = FunctionBuilder::new("f");
    let n = f.size("N");
    let a = f.input("a", Elem::F32, [&n]);
    f.returns(Elem::F32, [&n], generate([("i", &n)], |[i]| a.at([i + 1])));
    assert_eq!(codes(&f), ["E0401"]);
    f.returns(Elem::I32, [&n], &a);
    assert_eq!(codes(&f), ["E0215"]);
    let mut escaped = None;
    generate([("i", &n)], |[i]| {
        escaped = Some(i.clone());
        a.at([i])
    });
    f.returns(Elem::F32, [] as [Index; 0], a.at([escaped.expect("the closure ran")]));
    assert_eq!(codes(&f), ["E0201"]);
    f.returns(Elem::F32, [&n], f64::NAN);
    assert!(!codes(&f).is_empty());
    assert!(!codes(&FunctionBuilder::new("nothing")).is_empty());
}

#[test]
fn a_kernel_reads_the_callers_memory() {
    let mut f = FunctionBuilder::new("f");
    let (n, m) = (f.size("N"), f.size("M"));
    let a = f.input("a", Elem::F32, (&n, &m));
    f.returns(Elem::F32, [&n], generate([("i", &n)], |[i]| sum([("j", &m)], |[j]| a.at((i, j)))));
    f.schedule("s", "parallel i;");
    for schedule in [None, Some("s")] {
        let kernel = f.compile(schedule).unwrap_or_else(|failure| panic!("{failure}"));
        let data = array![[1.0f32, 2.0], [3.0, 4.0]];
        let view = BufferView::from_array("a", data.view()).unwrap();
        let result = kernel.call(&[("a", view)], &[]).dense().unwrap();
        assert_eq!((result.dtype(), result.as_slice::<f32>().unwrap()), (DType::F32, &[3.0f32, 7.0][..]));
    }
}

#[test]
fn arguments_are_held_to_the_signature() {
    let mut f = FunctionBuilder::new("f");
    let n = f.size("N");
    let a = f.input("a", Elem::F32, [&n]);
    f.returns(Elem::F32, [&n], &a + &a);
    let kernel = f.compile(None).unwrap_or_else(|failure| panic!("{failure}"));
    let codes =
        |view: BufferView<'_>| kernel.call(&[("a", view)], &[]).dense().expect_err("it does not fit").codes();
    let (matrix, doubles) = (array![[1.0f32]], array![1.0f64]);
    assert_eq!(codes(BufferView::from_array("a", matrix.view()).unwrap()), ["E0503"]);
    assert_eq!(codes(BufferView::from_array("a", doubles.view()).unwrap()), ["E0505"]);
}

#[test]
fn a_strided_view_is_refused_by_name() {
    let wide = Array2::<f32>::zeros((4, 6));
    let refused = BufferView::from_array("img", wide.slice(s![.., 1..3])).expect_err("not contiguous");
    assert!(refused.to_string().contains("`img`"), "{refused}");
}

#[test]
fn sizes_follow_from_extents_that_are_made_of_them() {
    let mut f = FunctionBuilder::new("pairs");
    let n = f.size("N");
    let x = f.input("x", Elem::F64, [2 * n.clone()]);
    let pairs = generate([("i", &n)], |[i]| x.at([2 * i.clone()]) + x.at([2 * i + 1]));
    f.returns(Elem::F64, [&n], pairs);
    let kernel = f.compile(None).expect("it compiles");
    let call = |x: &[f64]| {
        let x = ndarray::ArrayView1::from(x);
        kernel.call(&[("x", BufferView::from_array("x", x).expect("it is contiguous"))], &[]).dense()
    };
    let sums = call(&[1.0, 2.0, 3.0, 4.0]).expect("the extent is even");
    assert_eq!(sums.as_slice::<f64>().expect("the type is `f64`"), [3.0, 7.0]);
    assert_eq!(call(&[1.0, 2.0, 3.0]).expect_err("it is odd").codes(), ["E0504"]);
}
