//! `cache_lines`: one prefetch for each line of memory, where loops ask for each cell.
//!
//! ```text
//! for m in 0..16 { for n in 0..16 { prefetch x[i * 256 + m * 16 + n] } }
//!   =  for n in 0..16 { prefetch x[i * 256 + n * 16] }
//! ```
//! A prefetch brings the line of 64 bytes that its cell is in. So loops over cells that are next to each other, or nearly, become
//! one loop from line to line, from the first cell on. Where the first cell is in the middle of a line, the last line may be left out.
//! Conditions in between are asked of the cells that are left.

use super::rewrite::{Substitute, rewrite_int, rewrite_stmt};
use super::simplify_index::Simplify;
use crate::growth::growth;
use crate::{Int, Kernel, LoopKind, Name, Scalar, Stmt};
use std::collections::BTreeMap;

/// Bytes of a line.
const LINE: i64 = 64;

/// Makes loops of prefetches go from line to line.
pub fn cache_lines(kernel: &Kernel) -> Kernel {
    let types = kernel.buffer_types();
    Kernel { body: lines(&types, &kernel.body), ..kernel.clone() }
}

fn lines(types: &BTreeMap<Name, Scalar>, stmt: &Stmt) -> Stmt {
    let mut loops = Vec::new();
    let line = |buf: &Name| Some(LINE / i64::try_from(types.get(buf)?.size()).ok()?);
    let found = nest(stmt, &mut loops).and_then(|(buf, index)| merged(&loops, buf, index, line(buf)?));
    let found = found.or_else(|| thinned(stmt, &line));
    found.unwrap_or_else(|| stmt.map_parts(&mut |part| lines(types, part)))
}

/// The loops of a nest of serial ones around a prefetch alone, outermost first, and what it is of.
fn nest<'s>(stmt: &'s Stmt, loops: &mut Vec<(&'s Name, &'s Int, &'s Int)>) -> Option<(&'s Name, &'s Int)> {
    match stmt {
        Stmt::For { var, lo, hi, kind: LoopKind::Serial, body } => {
            loops.push((var, lo, hi));
            nest(body, loops)
        }
        Stmt::Prefetch { buf, index } => Some((buf, index)),
        _ => None,
    }
}

/// The nest with the loops within runs of cells as one loop over the lines of so many cells, if there are such loops.
fn merged(loops: &[(&Name, &Int, &Int)], buf: &Name, index: &Int, line: i64) -> Option<Stmt> {
    let mut by_stride = Vec::new();
    for (position, (var, lo, hi)) in loops.iter().enumerate() {
        let count = hi.constant()?.checked_sub(lo.constant()?)?;
        by_stride.push((growth(index, var)?, count, position));
    }
    by_stride.sort_unstable();
    let (mut run, mut inner) = (1i64, Vec::new());
    for (stride, count, position) in by_stride {
        if stride < 1 || count < 1 {
            return None;
        }
        if stride < line || stride <= run {
            run = stride.checked_mul(count - 1)?.checked_add(run)?;
            inner.push(position);
        }
    }
    let (var, ..) = loops[*inner.first()?];
    let first = inner
        .iter()
        .fold(index.clone(), |index, position| put(&index, loops[*position].0, loops[*position].1));
    let count = (run - 1) / line + 1;
    let prefetch = |index| Stmt::Prefetch { buf: buf.clone(), index };
    let over_lines = match count {
        1 => prefetch(first),
        _ => {
            let cell = rewrite_int(&Simplify, &(first + Int::Var(var.clone()) * Int::Lit(line)));
            Stmt::for_loop(var.clone(), Int::Lit(0), Int::Lit(count), LoopKind::Serial, prefetch(cell))
        }
    };
    let outer = loops.iter().enumerate().filter(|(position, _)| !inner.contains(position));
    Some(outer.rev().fold(over_lines, |body, (_, (var, lo, hi))| {
        Stmt::for_loop((*var).clone(), (*lo).clone(), (*hi).clone(), LoopKind::Serial, body)
    }))
}

/// A nest of loops that may run any number of times, and conditions: those within one line run once, and another takes as large
/// steps as stay within a line.
fn thinned(stmt: &Stmt, line: &dyn Fn(&Name) -> Option<i64>) -> Option<Stmt> {
    // Below a condition alone there may be a nest without any.
    let Stmt::For { .. } = stmt else { return None };
    let mut loops = Vec::new();
    let (buf, index) = conditional_nest(stmt, &mut loops)?;
    let line = line(buf)?;
    let mut by_stride = Vec::new();
    for (var, lo, hi) in &loops {
        let stride = growth(index, var).filter(|stride| *stride >= 1);
        let count = hi.constant().zip(lo.constant()).and_then(|(hi, lo)| hi.checked_sub(lo));
        by_stride.extend(stride.map(|stride| (stride, count, (*var).clone())));
    }
    by_stride.sort_unstable();
    let (mut within, mut thinned) = (0i64, None);
    for (stride, count, var) in by_stride {
        let span = count.and_then(|count| stride.checked_mul(count.checked_sub(1)?)?.checked_add(within));
        let now = thinned.as_ref().unwrap_or(stmt);
        match span.filter(|span| (within..line).contains(span)) {
            Some(span) => {
                thinned = Some(with_loop(now, &var, &|lo, _, body| put_in(body, &var, lo)));
                within = span;
            }
            None if stride <= line / 2 => {
                let step = line / stride;
                thinned = Some(with_loop(now, &var, &|lo, hi, body| {
                    let count = (hi.clone() - lo.clone() + Int::Lit(step - 1)).floor_div(Int::Lit(step));
                    let place = lo.clone() + Int::Var(var.clone()) * Int::Lit(step);
                    Stmt::for_loop(
                        var.clone(),
                        Int::Lit(0),
                        count,
                        LoopKind::Serial,
                        put_in(body, &var, &place),
                    )
                }));
                break;
            }
            None => break,
        }
    }
    thinned.map(|stmt| rewrite_stmt(&Simplify, &stmt))
}

/// The loops of a nest of serial ones and conditions around a prefetch alone, and what it is of.
fn conditional_nest<'s>(
    stmt: &'s Stmt,
    loops: &mut Vec<(&'s Name, &'s Int, &'s Int)>,
) -> Option<(&'s Name, &'s Int)> {
    match stmt {
        Stmt::For { var, lo, hi, kind: LoopKind::Serial, body } => {
            loops.push((var, lo, hi));
            conditional_nest(body, loops)
        }
        Stmt::If { then, otherwise: None, .. } => conditional_nest(then, loops),
        Stmt::Prefetch { buf, index } => Some((buf, index)),
        _ => None,
    }
}

/// The nest with something else, made of its bounds and its body, for the loop over `var`.
fn with_loop(stmt: &Stmt, var: &Name, make: &dyn Fn(&Int, &Int, &Stmt) -> Stmt) -> Stmt {
    match stmt {
        Stmt::For { var: own, lo, hi, body, .. } if own == var => make(lo, hi, body),
        stmt => stmt.map_parts(&mut |part| with_loop(part, var, make)),
    }
}

/// A term for a variable in a statement.
fn put_in(stmt: &Stmt, var: &Name, by: &Int) -> Stmt {
    rewrite_stmt(&Substitute { var: var.clone(), by: by.clone() }, stmt)
}

/// A term for a variable in an index, and what has become plain.
fn put(index: &Int, var: &Name, by: &Int) -> Int {
    let put = Substitute { var: var.clone(), by: by.clone() };
    rewrite_int(&Simplify, &rewrite_int(&put, index))
}

#[cfg(test)]
mod tests {
    use super::cache_lines;
    use crate::passes::tests::gives;

    fn check(before: &str, after: &str) {
        gives(
            cache_lines,
            "kernel t(N, M) in f32 x[N, M] in f64 z[N] in i32 c[N] out f32 y[N]",
            before,
            after,
        );
    }

    #[test]
    fn runs_of_cells_are_asked_for_by_lines() {
        check(
            "for m in 0..16 { for n in 0..16 { prefetch x[N * 256 + m * 16 + n] } }",
            "for n in 0..16 { prefetch x[N * 256 + n * 16] }",
        );
        check("for n in 0..8 { prefetch z[N + n] }", "prefetch z[N]");
        check("for n in 2..20 { prefetch x[n] }", "for n in 0..2 { prefetch x[n * 16 + 2] }");
        check(
            "for m in 0..4 { for n in 0..8 { prefetch x[m * 100 + n * 2] } }",
            "for m in 0..4 { prefetch x[m * 100] }",
        );
        // Which of two loops is the inner one does not matter.
        check(
            "for n in 0..8 { for m in 0..8 { prefetch x[m * 8 + n] } }",
            "for n in 0..4 { prefetch x[n * 16] }",
        );
    }

    #[test]
    fn loops_that_leave_a_line_take_steps() {
        check("for n in 0..M { prefetch x[N + n] }", "for n in 0..(M + 15) / 16 { prefetch x[N + n * 16] }");
        check(
            "for n in N..M { prefetch z[n * 3] }",
            "for n in 0..(M - N + 1) / 2 { prefetch z[(N + n * 2) * 3] }",
        );
    }

    #[test]
    fn conditions_are_asked_of_the_cells_that_are_left() {
        check("for n in 0..8 { if n < M { prefetch x[n] } }", "if 0 < M { prefetch x[0] }");
        check(
            "if N < M { for m in 0..3 { for n in 0..32 { prefetch x[m + n] } } }",
            "if N < M { for m in 0..3 { prefetch x[m * 16] } }",
        );
        check(
            "for m in 0..3 { for n in 0..40 { if m + n < M { prefetch x[m + n] } } }",
            "for n in 0..3 { if n * 16 < M { prefetch x[n * 16] } }",
        );
        check(
            "for n in 0..8 { for m in 0..(M + 7) / 8 { if m * 8 + n < M { prefetch z[N + m * 8 + n] } } }",
            "for m in 0..(M + 7) / 8 { if m * 8 < M { prefetch z[N + m * 8] } }",
        );
        check(
            "for n in 0..8 { for m in 0..(M + 7) / 8 { if m * 8 + n < M { prefetch x[N + m * 8 + n] } } }",
            "for m in 0..((M + 7) / 8 + 1) / 2 { if m * 2 * 8 < M { prefetch x[N + m * 2 * 8] } }",
        );
    }

    #[test]
    fn other_loops_stay() {
        for body in [
            "for n in 0..8 { prefetch x[n * 16] }",
            "for n in 0..8 { prefetch x[c[n]] }",
            "for n in 0..8 { prefetch x[n * N] }",
            "for n in 0..8 { prefetch x[7 - n] }",
            "for n in 0..M { prefetch x[n * 9] }",
            "for n in 0..8 { y[n] = x[n] }",
        ] {
            check(body, body);
        }
    }
}
