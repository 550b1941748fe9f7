//! Elements of a few components, which are adjacent in memory: one loop over both.
//!
//! **The one idea.** A loop over the three colours of a pixel does not fill a vector. Where each component
//! is computed from its own alone, it does not matter where one pixel ends: the loop over pixels and the one
//! over colours become one, with as many iterations as a row has numbers. Where a value depends on which
//! component it is, indices would be divided, and the loops stay.

use super::rules::is_written_out;
use crate::structure::{Nest, Structure, is_name};
use atl_loops::{Bool, Int, IntOp, Kernel, Stmt, Val};

/// What a script is called that makes one loop of both.
pub(super) const WORDS: &str = "; elements and their components are one loop";

/// The steps that make one loop of the last two; none where the last one fills vectors.
pub(super) fn fused(source: &Structure, lanes: u32) -> Vec<String> {
    let Nest { gens, counts, .. } = &source.nest;
    let ([.., element, component], Some(count)) = (gens.as_slice(), counts.last()) else { return Vec::new() };
    let fills = |n: i64| n < 2 || n % i64::from(lanes) == 0;
    if count.literal().is_none_or(fills)
        || !is_written_out(&source.nest)
        || ![element, component].into_iter().all(|name| is_name(name))
    {
        return Vec::new();
    }
    vec![format!("fuse {element}, {component}")]
}

/// Does the kernel divide to find out what it computes or accesses?
pub(super) fn divides(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.body.for_each(&mut |stmt| {
        stmt.for_each_read(&mut |_, index| found |= divides_in(index));
        match stmt {
            Stmt::Store { index, value, .. } => {
                found |= divides_in(index);
                value.for_each(&mut |part| found |= is_divided(part));
            }
            Stmt::If { cond, .. } => found |= divides_if(cond),
            _ => {}
        }
    });
    found
}

fn is_divided(value: &Val) -> bool {
    match value {
        Val::Load { index, .. } | Val::OfInt(index) => divides_in(index),
        Val::Select { cond, .. } => divides_if(cond),
        _ => false,
    }
}

fn divides_if(cond: &Bool) -> bool {
    match cond {
        Bool::Lit(_) => false,
        Bool::Cmp(_, a, b) => divides_in(a) || divides_in(b),
        Bool::Not(inner) => divides_if(inner),
        Bool::And(a, b) | Bool::Or(a, b) => divides_if(a) || divides_if(b),
    }
}

fn divides_in(index: &Int) -> bool {
    match index {
        Int::Lit(_) | Int::Var(_) => false,
        Int::Bin(IntOp::Div | IntOp::Mod, a, _) => !matches!(**a, Int::Lit(_)),
        Int::Bin(_, a, b) => divides_in(a) || divides_in(b),
        Int::Load(_, at) => divides_in(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_loops::parse_kernel;

    #[test]
    fn divisions_are_found_wherever_they_are() {
        let check = |body: &str, expected: bool| {
            let text = format!("kernel f(N) in f32 x[N] out f32 y[N] {{ for i in 0..N {{ {body} }} }}");
            let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(divides(&kernel), expected, "{body}");
        };
        check("y[i] = x[i]", false);
        check("y[i] = x[i / 3]", true);
        check("y[i % 3] = x[i]", true);
        check("if i % 3 == 0 { y[i] = x[i] }", true);
        check("y[i] = (i / 3 == 0 ? x[i] : 0.0f32)", true);
    }
}
