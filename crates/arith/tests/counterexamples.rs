//! Counterexamples are small, and hold.

use crate::common::sequent;
use atl_arith::{Verdict, decide, eval_pred};

/// Refuted, by these values in order of appearance.
fn check(text: &str, expected: &[i64]) {
    let s = sequent(text);
    let Verdict::Refuted(values) = decide(&s.ctx, &s.goal) else { panic!("not refuted: {text}") };
    let value = |l: u32| values.iter().find(|v| v.0 == l).map(|v| v.1);
    assert_eq!(eval_pred(&s.goal, &value), Some(false), "{text}");
    for (_, hyp) in s.ctx.hypotheses() {
        assert_eq!(eval_pred(hyp, &value), Some(true), "{text}");
    }
    assert_eq!(values.iter().map(|v| v.1).collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn small_values_are_preferred() {
    check("0<=n, 0<=i<n |- i<n-1", &[1, 0]);
    check("0<=n, 0<=i<=n |- i<n", &[0, 0]);
    check("0<=n, 0<=io<ceil_div(n,64), 0<=ii<64 |- 64*io+ii<n", &[1, 0, 1]);
    check("0<=n, 0<=m, 0<=i<=n, 0<=j<m |- i*m+j<n*m", &[0, 1, 0, 0]);
    check("k>=0 |- 0<=i%k<k", &[0, 0]);
    check("0<=n, n%64==0 |- n%128==0", &[64]);
    check("0<=n, 63<n |- n%64==0", &[65]);
    check("n>=100, m>=n |- m<=n", &[100, 101]);
    check("|- (i/8)%4==(i%64)/8", &[-1]);
    check("0<=y<n, 0<=dy<3 |- 0<=y-1+dy<n", &[0, 1, 0]);
}

#[test]
fn variables_in_between_do_not_matter() {
    let noise: String = (0..12).map(|k| format!("0<=s{k}, s{k}<=n+3, ")).collect();
    let s = sequent(&format!("0<=n, {noise}0<=io<n/64, 0<=ii<=64 |- 64*io+ii<n"));
    let Verdict::Refuted(values) = decide(&s.ctx, &s.goal) else { panic!("not refuted") };
    let value = |name: usize| values[name].1;
    assert_eq!([value(0), value(13), value(14)], [64, 0, 64]);
}
