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

/// The statement without prefetches where whether they are done is read from arrays.
pub(super) fn without_asked_prefetches(stmt: &Stmt) -> Stmt {
    let is_nothing = |stmt: &Stmt| without_prefetches(stmt) == Stmt::skip();
    let (is_asked, parts): (bool, Vec<&Stmt>) = match stmt {
        Stmt::For { lo, hi, body, .. } => (lo.reads() || hi.reads(), vec![&**body]),
        Stmt::If { cond, .. } => (asks(cond), stmt.parts().collect()),
        _ => (false, vec![]),
    };
    match is_asked && parts.into_iter().all(is_nothing) {
        true => Stmt::skip(),
        false => stmt.map_parts(&mut without_asked_prefetches),
    }
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
