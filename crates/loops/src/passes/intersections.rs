//! `intersections`: a loop that does nothing but a search along it, as one statement.
//!
//! ```text
//! for p in a..b { meet(p) for q in c..d { if l(q) == k(p) && rest { body } } }
//!   =  intersect p in a..b at k(p), q in c..d at l(q) if rest { body }
//! ```
//!
//! Lowering has proved of such a search that what is sought strictly increases along the loop. So both may be
//! [traversed together](crate::intersection). Beside other statements `meet` is a search like any other,
//! which continues where the last one stopped.

use crate::intersection::{Intersection, Sequence};
use crate::search::Search;
use crate::{Int, Kernel, LoopKind, Name, Stmt};

/// Makes intersections of loops that do nothing but search.
pub fn intersections(kernel: &Kernel) -> Kernel {
    Kernel { body: within(&kernel.body), ..kernel.clone() }
}

fn within(stmt: &Stmt) -> Stmt {
    let stmt = stmt.map_parts(&mut within);
    match &stmt {
        Stmt::For { var, lo, hi, kind: LoopKind::Serial, body }
            if let Stmt::Search { search, body } = &**body
                && let Some(intersection) = along(var, (lo, hi), search) =>
        {
            Stmt::Intersection { intersection, body: body.clone() }
        }
        _ => stmt,
    }
}

/// The intersection that a loop around this search alone is, if one may go on along the other and a
/// strategy is given.
fn along(var: &Name, (lo, hi): (&Int, &Int), search: &Search) -> Option<Intersection> {
    let strategy = search.how.strategy?;
    let is_along = search.how.along.as_ref() == Some(var) && search.sought.mentions(var);
    let Search { var: other, lo: first, hi: last, key, sought, rest, .. } = search.clone();
    is_along.then(|| Intersection {
        first: Sequence { var: var.clone(), lo: lo.clone(), hi: hi.clone(), key: sought },
        second: Sequence { var: other, lo: first, hi: last, key },
        rest,
        strategy,
    })
}

#[cfg(test)]
mod tests {
    use super::intersections;
    use crate::passes::tests::gives;

    fn check(before: &str, after: &str) {
        gives(
            intersections,
            "kernel t(N, M) in i32 a[N] in i32 b[M] in i32 c[M] out i64 y[] out i64 z[N]",
            before,
            after,
        );
    }

    #[test]
    fn loops_that_do_nothing_but_search() {
        for (kind, made) in [("meet(p)", "intersect"), ("meet merge(p)", "intersect(merge)")] {
            check(
                &format!("for p in 0..N {{ {kind} for q in 0..M {{ if b[q] == a[p] {{ y += int(q) }} }} }}"),
                &format!("{made} p in 0..N at a[p], q in 0..M at b[q] {{ y += int(q) }}"),
            );
            check(
                &format!(
                    "for p in 0..N {{ {kind} for q in 0..M {{ if b[q] == p && q < N {{ y += int(q) }} }} }}"
                ),
                &format!("{made} p in 0..N at p, q in 0..M at b[q] if q < N {{ y += int(q) }}"),
            );
        }
    }

    /// One inside another, and what it leaves.
    #[test]
    fn the_innermost_loops_are_those_that_do_nothing_else() {
        let search = "meet(p) for q in 0..M { if b[q] == a[p] { : } }";
        let inner = "for r in 0..M { meet(r) for s in 0..N { if a[s] == c[r] { y += int(s) } } }";
        let made = "intersect r in 0..M at c[r], s in 0..N at a[s] { y += int(s) }";
        check(
            &format!("for p in 0..N {{ {} }}", search.replace(':', inner)),
            &format!("intersect p in 0..N at a[p], q in 0..M at b[q] {{ {made} }}"),
        );
    }

    #[test]
    fn others_stay() {
        let search = |kind: &str| format!("{kind} for q in 0..M {{ if b[q] == a[p] {{ y += int(q) }} }}");
        for body in [
            format!("for p in 0..N {{ {} }}", search("search(p)")),
            format!("for p in 0..N {{ {} }}", search("search")),
            format!("for p in 0..N {{ {} z[p] = 1i64 }}", search("meet(p)")),
            format!("for p in 0..N {{ if p < 3 {{ {} }} }}", search("meet(p)")),
            format!("unroll for p in 0..N {{ {} }}", search("meet(p)")),
            format!("for p in 0..N {{ for r in 0..1 {{ {} }} }}", search("meet(p)")),
        ] {
            check(&body, &body);
        }
    }
}
