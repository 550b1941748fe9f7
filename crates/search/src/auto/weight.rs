//! How many statements a kernel becomes once its loops are unrolled as they are marked.

use atl_loops::{Kernel, LoopKind, Stmt};

/// The factor of an unrolled loop whose number of iterations is not a literal.
const FACTOR: u64 = 8;

/// How many statements the kernel becomes; each vector of a vector loop is one.
pub(super) fn weight(kernel: &Kernel) -> u64 {
    of(&kernel.body)
}

fn of(stmt: &Stmt) -> u64 {
    let mut inside: u64 = 0;
    stmt.map_parts(&mut |part| {
        inside = inside.saturating_add(of(part));
        part.clone()
    });
    let times = match stmt {
        Stmt::For { lo, hi, kind: LoopKind::Unroll, .. } => {
            let count = (hi.clone() - lo.clone()).constant();
            count.map_or(FACTOR, |n| u64::try_from(n).unwrap_or(0))
        }
        _ => 1,
    };
    inside.saturating_mul(times).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_loops::parse_kernel;

    #[test]
    fn copies_count() {
        let check = |body: &str, expected: u64| {
            let text = format!("kernel f(N) in f32 x[N] out f32 y[N] {{ {body} }}");
            let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(weight(&kernel), expected, "{body}");
        };
        check("for i in 0..N { y[i] = x[i] }", 2);
        check("for i in 0..N { unroll for j in 0..4 { y[i] = x[i] } }", 6);
    }
}
