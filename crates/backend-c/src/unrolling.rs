//! How large a kernel becomes once a compiler has unrolled what it is asked to.
//!
//! One idea: a compiler's time grows faster than what it is given, so that is estimated before it is called. GCC 12 takes half a
//! second for a loop whose body is 256 copies of a statement, 4 to 20 seconds for 1024, and does not come back for 4096 (its choice
//! of induction variables compares each with each); to print the copies costs it as much as to ask for them by a pragma. So a
//! loop is unrolled as far as the copies of its body stay within [`COPIES`], innermost first, and the loops around it stay
//! loops, which mean the same. What a whole kernel becomes is its [`weight`].
//!
//! Every count errs upwards: a loop of constant count that a compiler may unroll by itself counts as unrolled.

use atl_loops::{Int, Kernel, LoopKind, Name, Stmt};

/// The most statements that a loop marked `unroll` becomes.
const COPIES: u64 = 256;

/// The most iterations of a loop that a compiler unrolls whole without being asked.
const OWN: u64 = 16;

/// The weight above which a compiler takes too long: some twenty seconds.
pub const TOO_HEAVY: u64 = 20_000;

/// The longest loop that is unrolled whole; others, and those of unknown count, are by a factor.
pub(crate) const WHOLE: i64 = 64;

/// The factor for an unrolled loop whose count is not a literal.
pub(crate) const FACTOR: i64 = 8;

/// How many statements the kernel becomes: each vector of a vector loop is one, each guard is one.
pub fn weight(kernel: &Kernel) -> u64 {
    Limit::default().stmt(&kernel.body).1
}

/// The loops that are marked `unroll` and stay loops, for they would become too many copies, each with their number.
pub fn not_unrolled(kernel: &Kernel) -> Vec<(Name, u64)> {
    let mut limit = Limit::default();
    limit.stmt(&kernel.body);
    limit.left
}

/// The kernel, unrolled no further than a compiler bears.
pub(crate) fn limited(kernel: &Kernel) -> Kernel {
    let body = Limit::default().stmt(&kernel.body).0;
    Kernel { body, ..kernel.clone() }
}

#[derive(Default)]
struct Limit {
    left: Vec<(Name, u64)>,
}

impl Limit {
    /// The statement, and how many it becomes.
    fn stmt(&mut self, stmt: &Stmt) -> (Stmt, u64) {
        if let Stmt::Vectors { body, .. } = stmt {
            return (stmt.clone(), 1 + count(body));
        }
        let Stmt::For { var, lo, hi, kind, body } = stmt else {
            let mut weight = 1;
            let same = stmt.map_parts(&mut |part| {
                let (part, inside) = self.stmt(part);
                weight += inside;
                part
            });
            return (same, weight);
        };
        let (body, inside) = self.stmt(body);
        let turns = (hi.clone() - lo.clone()).constant().map(|n| u64::try_from(n).unwrap_or(0));
        let (kind, times) = match kind {
            LoopKind::Unroll => {
                let times = factor(lo, hi);
                let copies = inside.saturating_mul(times);
                if copies <= COPIES {
                    (kind.clone(), times)
                } else {
                    self.left.push((var.clone(), copies));
                    (LoopKind::Serial, 1)
                }
            }
            kind => (kind.clone(), turns.filter(|n| *n <= OWN && inside * n <= COPIES).unwrap_or(1).max(1)),
        };
        let weight = inside.saturating_mul(times).saturating_add(1);
        (Stmt::for_loop(var.clone(), lo.clone(), hi.clone(), kind, body), weight)
    }
}

/// How often the body of an unrolled loop is repeated.
fn factor(lo: &Int, hi: &Int) -> u64 {
    let count = (hi.clone() - lo.clone()).constant().filter(|count| (0..=WHOLE).contains(count));
    u64::try_from(count.unwrap_or(FACTOR)).unwrap_or(1)
}

fn count(stmt: &Stmt) -> u64 {
    let mut count = 0;
    stmt.for_each(&mut |_| count += 1);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_loops::parse_kernel;

    fn kernel(body: &str) -> Kernel {
        let text = format!("kernel f(N) in f32 x[N] out f32 y[N] {{ {body} }}");
        parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// Which loops stay loops.
    fn check(body: &str, left: &[&str]) {
        let kernel = kernel(body);
        let names: Vec<String> = not_unrolled(&kernel).iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names, left, "{body}");
        let after = limited(&kernel);
        assert!(not_unrolled(&after).is_empty(), "{after}");
        assert_eq!(weight(&after), weight(&kernel), "{body}");
    }

    #[test]
    fn loops_are_unrolled_from_the_inside_as_far_as_a_compiler_bears() {
        let nest = |n: usize, store: &str| {
            format!("unroll for i in 0..{n} {{ unroll for j in 0..{n} {{ {store} }} }}")
        };
        check(&nest(8, "y[i * 8 + j] = x[j]"), &[]);
        check(&nest(32, "y[i * 32 + j] = x[j]"), &["i"]);
        check(&nest(64, "if i + j < N { y[i * 64 + j] = x[j] }"), &["i"]);
        check(&format!("unroll for k in 0..4 {{ {} }}", nest(8, "y[i * 8 + j] = x[j]")), &["k"]);
        // One body that is too much by itself.
        let long: String = (0..300).map(|k| format!("y[i + {k}] = x[i] ")).collect();
        check(&format!("unroll for i in 0..N {{ {long} }}"), &["i"]);
    }

    #[test]
    fn weights_are_what_is_left_to_compile() {
        let heavy = |body: &str| weight(&kernel(body));
        let store = "y[j] = x[j]";
        let once = heavy(&format!("for j in 0..N {{ {store} }}"));
        assert!(once <= 3);
        assert!(heavy(&format!("unroll for j in 0..64 {{ {store} }}")) > 60);
        assert!(heavy(&format!("for j in 0..16 {{ {store} }}")) > 15);
        assert!(heavy(&format!("f32x16 for j in 0..16 {{ {store} }}")) <= 5);
        let many: String =
            (0..300).map(|_| format!("for j in 0..16 {{ if j < N {{ {store} }} }} ")).collect();
        assert!((9_000..TOO_HEAVY).contains(&heavy(&many)), "{}", heavy(&many));
    }
}
