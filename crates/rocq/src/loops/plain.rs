//! Loops without what means nothing, and without searches: what is followed, and what a proof file says instead.

use super::indices::asks;
use atl_loops::Stmt;

/// The statement with searches and intersections as loops.
pub(super) fn without_searches(stmt: &Stmt) -> Stmt {
    match stmt {
        Stmt::Search { .. } | Stmt::Intersection { .. } => stmt.plain().map_parts(&mut without_searches),
        stmt => stmt.map_parts(&mut without_searches),
    }
}

/// The statement without prefetches where whether they are done is read from arrays, and without what is
/// around nothing then.
pub(super) fn without_asked_prefetches(stmt: &Stmt) -> Stmt {
    let is_nothing = |stmt: &Stmt| without_prefetches(stmt) == Stmt::skip();
    let (is_asked, parts): (bool, Vec<&Stmt>) = match stmt {
        Stmt::For { lo, hi, body, .. } => (lo.reads() || hi.reads(), vec![&**body]),
        Stmt::If { cond, .. } => (asks(cond), stmt.parts().collect()),
        _ => (false, vec![]),
    };
    if is_asked && parts.into_iter().all(is_nothing) {
        return Stmt::skip();
    }
    let rest = stmt.map_parts(&mut without_asked_prefetches);
    let is_around = matches!(rest, Stmt::For { .. } | Stmt::If { .. });
    match is_around && rest != *stmt && rest.parts().all(is_empty) {
        true => Stmt::skip(),
        false => rest,
    }
}

/// Has it no statement?
fn is_empty(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Seq(stmts) if stmts.iter().all(is_empty))
}

/// The statement without prefetches, and without loops and conditions that hold nothing else.
pub(super) fn without_prefetches(stmt: &Stmt) -> Stmt {
    let mut any = false;
    stmt.for_each(&mut |stmt| any |= matches!(stmt, Stmt::Prefetch { .. }));
    if !any {
        return stmt.clone();
    }
    let is_nothing = |stmt: &Stmt| matches!(stmt, Stmt::Seq(stmts) if stmts.is_empty());
    match stmt {
        Stmt::Prefetch { .. } => Stmt::skip(),
        stmt => match stmt.map_parts(&mut without_prefetches) {
            Stmt::For { body, .. } if is_nothing(&body) => Stmt::skip(),
            Stmt::If { then, otherwise, .. }
                if is_nothing(&then) && otherwise.as_deref().is_none_or(is_nothing) =>
            {
                Stmt::skip()
            }
            stmt => stmt,
        },
    }
}
