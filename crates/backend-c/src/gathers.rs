//! Loops over numbers that each read memory in several places which arrays say.
//!
//! One idea: a compiler that makes vectors of such a loop gathers their lanes, and a gather takes about
//! as long as reading the lanes one by one: on some processors longer. What else an iteration does has
//! to be worth it. GCC 12 counts a gather as a read.

use atl_loops::{BinOp, Int, Kernel, LoopKind, Name, Stmt, Val};
use std::collections::BTreeSet;

/// The fewest places.
const PLACES: usize = 2;

/// How many operations for each place are worth vectors.
const OPERATIONS: usize = 8;

/// Are there such loops, and no others that are left to the compiler as lanes?
pub(crate) fn gathers(kernel: &Kernel) -> bool {
    let (mut gathers, mut lanes) = (false, false);
    kernel.body.for_each(&mut |stmt| match stmt {
        Stmt::For { kind: LoopKind::Vector { .. }, .. } => lanes = true,
        Stmt::For { var, kind: LoopKind::Serial, body, .. } => gathers |= is_gathering(var, body, PLACES),
        _ => {}
    });
    gathers && !lanes
}

/// Are there such loops that read a single place, too?
pub(crate) fn looks_up(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::For { var, kind: LoopKind::Serial, body, .. } = stmt {
            found |= is_gathering(var, body, 1);
        }
    });
    found
}

/// Does an iteration of an innermost loop read so many cells where arrays say, and do little with them?
fn is_gathering(var: &Name, body: &Stmt, places: usize) -> bool {
    let (mut read, mut varying) = (BTreeSet::new(), BTreeSet::new());
    let (mut operations, mut is_plain) = (0, true);
    // Variables of the iteration that hold what an array says.
    body.for_each(&mut |stmt| match stmt {
        Stmt::Store { buf, index: Int::Lit(_), value: Val::Load { index, .. }, .. }
            if index.mentions(var) =>
        {
            varying.insert(buf);
        }
        _ => {}
    });
    body.for_each(&mut |stmt| {
        is_plain &= !stmt.is_loop();
        let Stmt::Store { value, .. } = stmt else { return };
        value.for_each(&mut |part| match part {
            Val::Load { buf, index } => {
                let mut is_told = false;
                index.for_each_read(&mut |table, cell| {
                    is_told |= cell.mentions(var) || varying.contains(table)
                });
                if is_told {
                    read.insert((buf, index.to_string()));
                }
            }
            Val::Call(..) | Val::Bin(BinOp::Div | BinOp::Rem, ..) => is_plain = false,
            Val::Un(..) | Val::Bin(..) => operations += 1,
            _ => {}
        });
    });
    is_plain && read.len() >= places && operations < OPERATIONS * read.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_loops::parse_kernel;

    fn check(body: &str, expected: bool) {
        let params = "in f32 a[N] in f32 b[N] in i32 t[M] in i32 u[M] out f32 y[M]";
        let text = format!("kernel g(N, M) {params} {{ {body} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(gathers(&kernel), expected, "{body}");
    }

    fn row(value: &str) -> String {
        format!("for i in 0..M {{ y[i] = {value} }}")
    }

    #[test]
    fn places_that_arrays_say_count() {
        check(&row("a[t[i]] + a[t[i] + 1]"), true);
        check(&row("a[t[i]] + b[u[i]]"), true);
        check(&row("a[t[i]] * a[t[i]]"), false);
        check(&row("a[t[0] + i] + b[u[0] + i]"), false);
        check(&row("a[t[i]] + b[i]"), false);
    }

    #[test]
    fn a_single_place_is_looked_up() {
        let of = |body: &str| {
            let text =
                format!("kernel g(N) in f32 a[N] in i32 t[N] out f32 y[N] {{ for i in 0..N {{ {body} }} }}");
            looks_up(&parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
        };
        assert!(of("y[i] = a[t[i]]") && of("y[0] += a[i] * a[t[i]]"));
        assert!(!of("y[i] = a[i]") && !of("y[i] = exp(a[t[i]])"));
    }

    #[test]
    fn numbers_may_be_looked_up_first() {
        let looked_up = |at: &str| {
            let value = "y[i] = a[k[0]] + b[k[0] + 1]";
            format!("for i in 0..M {{ alloc register i32 k uninit {{ k = t[{at}] {value} }} }}")
        };
        check(&looked_up("i"), true);
        check(&looked_up("0"), false);
    }

    #[test]
    fn much_work_is_worth_vectors() {
        check(&row("exp(a[t[i]]) + a[u[i]]"), false);
        check(&row("a[t[i]] / a[u[i]]"), false);
        let much = (0..2 * OPERATIONS).map(|_| "a[t[i]] + a[u[i]]").collect::<Vec<_>>().join(" * ");
        check(&row(&much), false);
        check(&format!("{} vector for i in 0..M {{ y[i] = a[i] }}", row("a[t[i]] + b[u[i]]")), false);
    }
}
