//! The monoids that steps use without a declaration have the laws that theorems claim of them.

use crate::program::Program;
use atl_diag::Span;
use atl_kernel::Scalar;
use atl_semiring_check::refused_monoid;

/// Is each operation proved to be what a scan in blocks takes it for, on elements of each type? Two stand side
/// by side, of which not both are an algebra's own.
#[test]
fn operations_that_scans_join_terms_by_are_monoids() {
    let mut count = 0;
    for scalar in Scalar::ALL {
        let steps: &[[&str; 3]] = match scalar {
            Scalar::Bool => &[["s && x[t]", "x[t] || m", "s || m"]],
            _ if scalar.is_float() => {
                &[["s + x[t]", "min(m, x[t])", "s + m"], ["x[t] * s", "max(x[t], m)", "s + m"]]
            }
            _ => &[
                ["s + x[t]", "min(x[t], m)", "s + m"],
                ["x[t] * s", "max(m, x[t])", "s + m"],
                ["s & x[t]", "x[t] | m", "s + m"],
                ["s & x[t]", "m ^ x[t]", "s + m"],
            ],
        };
        for [step, other, both] in steps {
            let ty = scalar.name();
            let text = format!(
                "fn f(x: {ty}[N]) -> {ty}[N] {{ scan t < N from s = x?[0], m = x?[0] {{ {step}, {other} }} give {both} }} \
                 schedule s of f {{ rounding real; split t by 4; }}"
            );
            let program = Program::parse("f.atl", &text).unwrap_or_else(|why| panic!("{text}: {why}"));
            let scheduled = program.scheduled("f", Some("s")).unwrap_or_else(|why| panic!("{text}: {why}"));
            for (monoid, laws) in scheduled.theorem().expect("it has steps").claims() {
                assert!(monoid.laws().has(laws));
                assert!(refused_monoid(&monoid, Span::default()).is_none(), "{text}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 4 * 2 + 8 * 4 + 1);
}
