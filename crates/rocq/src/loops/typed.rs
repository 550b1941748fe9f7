//! Terms whose types say by themselves that they are equal.
//!
//! Steps have no certificates for the types of terms. Where extents are equal by what is known of sizes
//! alone, as after a simplification of one side of a choice, nothing is written.

use super::evidence::same;
use super::words::mismatch;
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Expr, Ix, Node, Pred, subst};

/// Are types that have to be equal equal as polynomials, wherever a term asks for it?
pub(super) fn is_plain(scope: &mut Scope, e: &Expr) -> Result<()> {
    let level = scope.level();
    match &**e {
        Node::Gen(label, n, body) | Node::Sum(label, n, body) => {
            scope.push_loop(label, n);
            is_plain(scope, &raw::open(body, level))?;
        }
        Node::Let(label, bound, body) => {
            is_plain(scope, bound)?;
            let ty = scope.ty(bound, Side::Left)?;
            scope.push_tensor(label, ty);
            is_plain(scope, &raw::open(body, level))?;
        }
        Node::Iterate(it) => {
            let mut types = Vec::new();
            for state in &it.states {
                is_plain(scope, &state.init)?;
                types.push(scope.ty(&state.init, Side::Left)?);
            }
            for (state, ty) in it.states.iter().zip(&types) {
                scope.push_tensor(&state.label, ty.clone());
            }
            let body = subst::open_all(&it.body, level, it.states.len() as u32);
            is_plain(scope, &body)?;
            for (k, (state, ty)) in it.states.iter().zip(&types).enumerate() {
                // The number of the round is innermost, below the new states so far.
                let round = scope.level();
                scope.push_index(&it.label);
                let step = subst::open_all(&state.step, level, (it.states.len() + k + 1) as u32);
                is_plain(scope, &step)?;
                alike(&ty.shape, &scope.ty(&step, Side::Left)?.shape)?;
                scope.truncate(round);
                scope.push_tensor(&state.label, ty.clone());
            }
        }
        Node::Select(_, a, b) => {
            is_plain(scope, a)?;
            is_plain(scope, b)?;
            alike(&scope.ty(a, Side::Left)?.shape, &scope.ty(b, Side::Left)?.shape)?;
        }
        Node::Prim(_, operands) => {
            for operand in operands {
                is_plain(scope, operand)?;
                alike(&scope.ty(&operands[0], Side::Left)?.shape, &scope.ty(operand, Side::Left)?.shape)?;
            }
        }
        _ => {
            for at in e.children() {
                e.child(at).map_or(Ok(()), |child| is_plain(scope, child))?;
            }
        }
    }
    scope.truncate(level);
    Ok(())
}

fn alike(a: &[Ix], b: &[Ix]) -> Result<()> {
    let zero = |n: &Ix| Pred::eq(n.clone(), Ix::ZERO);
    match a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&zero(a), &zero(b))) {
        true => Ok(()),
        false => mismatch("types that are equal by what is known of sizes"),
    }
}
