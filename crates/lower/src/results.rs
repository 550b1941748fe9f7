//! Where results go: one output, or an output for each of several results.
//!
//! The one idea: several results stand at the end of a chain of `let`s, so what the chain binds is allocated
//! and filled once, around the statements of all of them, which come one after the other.

use crate::cx::{Buffer, LowerCx};
use crate::emit::{bound, into_buffer};
use crate::error::LowerError;
use crate::scalar::zero;
use atl_kernel::{Expr, Node, Type, subst};
use atl_loops::Stmt;

/// The types of the results of a program.
pub(crate) fn result_types(cx: &mut LowerCx<'_>, e: &Expr) -> Result<Vec<Type>, LowerError> {
    match &**e {
        Node::Bundle(_, parts) => parts.iter().map(|part| cx.type_of(part)).collect(),
        Node::Let(label, value, body) if ends_in_several(body) => {
            let ty = cx.type_of(value)?;
            let level = cx.ctx.push_tensor(label.clone(), ty);
            let types = result_types(cx, &subst::open(body, level));
            cx.ctx.truncate(level);
            types
        }
        _ => Ok(vec![cx.type_of(e)?]),
    }
}

fn ends_in_several(e: &Expr) -> bool {
    match &**e {
        Node::Let(_, _, body) => ends_in_several(body),
        Node::Bundle(..) => true,
        _ => false,
    }
}

/// The statement that stores a program's results into as many outputs.
pub(crate) fn stored(cx: &mut LowerCx<'_>, e: &Expr, outputs: &[Buffer]) -> Result<Stmt, LowerError> {
    match &**e {
        Node::Bundle(_, parts) if parts.len() == outputs.len() => {
            let parts = parts.iter().zip(outputs).map(|(part, output)| whole(cx, part, output));
            Ok(Stmt::seq(parts.collect::<Result<Vec<_>, _>>()?))
        }
        Node::Let(label, value, body) if ends_in_several(body) => {
            bound(cx, label, value, body, |cx, body| stored(cx, body, outputs))
        }
        _ => match outputs {
            [output] => whole(cx, e, output),
            _ => Err(LowerError::NotNormal(e.clone())),
        },
    }
}

/// The statement that sets every cell of an output.
fn whole(cx: &mut LowerCx<'_>, e: &Expr, output: &Buffer) -> Result<Stmt, LowerError> {
    let ty = cx.type_of(e)?;
    let (fill, covered) = into_buffer(cx, e, &ty, output)?;
    Ok(match covered {
        true => fill,
        false => Stmt::seq([Stmt::fill(output.name.clone(), zero(ty.elem)?), fill]),
    })
}
