//! `intersections`: a loop that does nothing but searches along it, one inside another, as one statement.
//!
//! ```text
//! for p in a..b { meet(p) for q in c..d { if l(q) == k(p) && rest { body } } }
//!   =  intersect p in a..b at k(p), q in c..d at l(q) if rest { body }
//! ```
//!
//! and likewise for a `meet(p)` that is all that the first one does, if it looks for the same `k(p)`.
//! Lowering has proved of such searches that what is sought strictly increases along the loop, and that
//! bounds and keys can be read where the others have no match. So all may be
//! [traversed together](crate::intersection). Beside other statements `meet` is a search like any other,
//! which continues where the last one stopped.

use crate::intersection::{Intersection, Partner, Sequence};
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
            joined(intersection, body)
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
        partners: vec![Partner { sequence: Sequence { var: other, lo: first, hi: last, key }, rest }],
        strategy,
    })
}

/// The intersection with this body; a search that is all of the body, along the first sequence and for its key,
/// is a partner.
fn joined(mut intersection: Intersection, mut body: &Stmt) -> Stmt {
    while let Stmt::Search { search, body: inside } = body
        && search.how.along.as_ref() == Some(&intersection.first.var)
        && search.how.strategy == Some(intersection.strategy)
        && search.sought == intersection.first.key
    {
        let Search { var, lo, hi, key, rest, .. } = search.clone();
        intersection.partners.push(Partner { sequence: Sequence { var, lo, hi, key }, rest });
        body = inside;
    }
    Stmt::Intersection { intersection, body: Box::new(body.clone()) }
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

    /// Several along the same loop and for the same key are one; others stay in the body.
    #[test]
    fn searches_inside_a_search() {
        let inside = |kind: &str, sought: &str| {
            format!("{kind} for r in 0..M {{ if c[r] == {sought} && r < 9 {{ y += int(r) }} }}")
        };
        let check = |body: &str, after: &str| {
            check(
                &format!(
                    "for p in 0..N {{ meet(p) for q in 0..M {{ if b[q] == a[p] && p < 7 {{ {body} }} }} }}"
                ),
                &format!("intersect p in 0..N at a[p], q in 0..M at b[q] if p < 7{after}"),
            );
        };
        check(&inside("meet(p)", "a[p]"), ", r in 0..M at c[r] if r < 9 { y += int(r) }");
        for (kind, sought) in [
            ("search(p)", "a[p]"),
            ("meet merge(p)", "a[p]"),
            ("meet(p)", "a[p] + 1"),
            ("meet(q)", "b[q]"),
            ("search", "a[p]"),
        ] {
            check(&inside(kind, sought), &format!(" {{ {} }}", inside(kind, sought)));
        }
        let fourth = "meet(p) for s in 0..N { if a[s] == a[p] { y += int(s) } }";
        check(
            &inside("meet(p)", "a[p]").replace("y += int(r)", fourth),
            ", r in 0..M at c[r] if r < 9, s in 0..N at a[s] { y += int(s) }",
        );
        let both = format!("{} y += int(q)", inside("meet(p)", "a[p]"));
        check(&both, &format!(" {{ {both} }}"));
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
