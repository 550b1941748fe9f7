//! Whole programs: what is printed, and that it computes what the term means.

mod common;

use atl_kernel::{Ix, Label, Pred};
use common::{F32, Program, add, at, gen_, guard, let_, mul, sum_};

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
