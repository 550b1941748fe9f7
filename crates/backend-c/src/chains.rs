//! Sums of which each addition waits for the one before.
//!
//! One idea: where a loop adds products to one variable, how long an addition takes is how long an
//! iteration takes. The product waits for nobody. Fused with the addition it does: on processors where the
//! fused operation takes longer than an addition, a sum of a sparse row takes a third longer. So such
//! kernels are compiled without contraction, unless they have other products to fuse, where one operation
//! in place of two is worth more. Either is right where rounding is `real`.

use atl_loops::{BinOp, Kernel, LoopKind, Name, ReduceOp, Scalar, Stmt, StoreMode, Val};
use std::collections::BTreeMap;

/// Are all products that could be fused with additions terms of such sums?
pub(crate) fn has_chains_alone(kernel: &Kernel) -> bool {
    let types = kernel.buffer_types();
    let (mut chains, mut fusible) = (0, 0);
    kernel.body.for_each(&mut |stmt| match stmt {
        Stmt::Vectors { .. } => fusible += 1,
        Stmt::For { kind: LoopKind::Serial, body, .. } if is_chain(body, &types) => chains += 1,
        Stmt::Store { value, mode, .. } => {
            let adds = *mode == StoreMode::Reduce(ReduceOp::Add);
            fusible += usize::from(adds && is_product(value)) + sums_of_products(value);
        }
        Stmt::Push { value, .. } => fusible += sums_of_products(value),
        _ => {}
    });
    chains > 0 && fusible == chains
}

/// Is all that an iteration does to add a product to a variable?
fn is_chain(body: &Stmt, types: &BTreeMap<Name, Scalar>) -> bool {
    match body {
        Stmt::Seq(stmts) => matches!(&stmts[..], [only] if is_chain(only, types)),
        Stmt::If { then, otherwise: None, .. } => is_chain(then, types),
        Stmt::Store { buf, index, value, mode: StoreMode::Reduce(ReduceOp::Add) } => {
            let is_float = types.get(buf).is_some_and(|scalar| scalar.is_float());
            is_float && index.constant().is_some() && is_product(value)
        }
        _ => false,
    }
}

fn is_product(value: &Val) -> bool {
    matches!(value, Val::Bin(BinOp::Mul, ..))
}

/// How many sums and differences inside a value have a product that could be fused with them.
fn sums_of_products(value: &Val) -> usize {
    let mut count = 0;
    value.for_each(&mut |part| {
        if let Val::Bin(BinOp::Add | BinOp::Sub, a, b) = part {
            count += usize::from(is_product(a) || is_product(b));
        }
    });
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_loops::parse_kernel;

    fn check(body: &str, expected: bool) {
        let params =
            "in i64 pos[N + 1] in i32 crd[Z] in f64 a[Z] in f64 x[N] in i64 n[N] out f64 y[N] out i64 z[N]";
        let text = format!("kernel t(N, Z) {params} {{ {body} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(has_chains_alone(&kernel), expected, "{body}");
    }

    /// A sum of products, with what an iteration does.
    fn row(inside: &str) -> String {
        let sum = format!("for p in pos[i]..pos[i + 1] {{ {inside} }}");
        format!("reset z = 0i64 for i in 0..N {{ alloc register f64 s = 0f64 {{ {sum} y[i] = s }} }}")
    }

    #[test]
    fn a_sum_of_products_is_one() {
        check(&row("s += a[p] * x[crd[p]]"), true);
        check(&row("if crd[p] != 0 { s += a[p] * x[crd[p]] }"), true);
    }

    #[test]
    fn other_sums_are_not() {
        for inside in [
            "s += a[p]",
            "s += a[p] * x[crd[p]] + x[i]",
            "s += a[p] * (a[p] * x[i] + x[i])",
            "s += a[p] * x[crd[p]] s += a[p] * x[i]",
            "s min= a[p] * x[crd[p]]",
        ] {
            check(&row(inside), false);
        }
        check("reset z = 0i64 reset y = 0f64 for i in 0..N { y[i] += a[i] * x[i] }", false);
        check("reset z = 0i64 reset y = 0f64 for i in 0..N { z[i] += n[i] * n[i] }", false);
        check("reset z = 0i64 for i in 0..N { y[i] = a[i] * x[i] }", false);
    }

    #[test]
    fn products_elsewhere_are_fused() {
        let beside = "for i in 0..N { y[i] = a[i] * x[i] + x[i] }";
        check(&format!("{} {beside}", row("s += a[p] * x[crd[p]]")), false);
    }
}
