//! Where results go: one output, or an output for each of several results.
//!
//! The one idea: several results stand at the end of a chain of `let`s, so what the chain binds is allocated
//! and filled once, around the statements of all of them. Those that have rounds in common are computed
//! together (see `joint`), and a `let` that is a result is stored there at once.

use crate::cx::{Buffer, LowerCx};
use crate::definitely_initialised::is_definitely_initialised;
use crate::destination::Destination;
use crate::error::LowerError;
use crate::in_place::{APART, Cells, has_extents, is_same};
use crate::joint::{emit_ends, groups, joined};
use crate::lets::bound_in;
use crate::scalar::zero;
use atl_kernel::{Expr, Ix, Node, Type, subst};
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
            let is_left = |k: &usize| !is_there(cx, &parts[*k], &outputs[*k]);
            let left: Vec<usize> = (0..parts.len()).filter(is_left).collect();
            let terms: Vec<Expr> = left.iter().map(|k| parts[*k].clone()).collect();
            let groups = groups(cx.annotations, &terms).into_iter().map(|group| {
                let parts = group.into_iter().map(|k| (terms[k].clone(), outputs[left[k]].clone()));
                together(cx, &parts.collect::<Vec<_>>())
            });
            Ok(Stmt::seq(groups.collect::<Result<Vec<_>, _>>()?))
        }
        Node::Let(label, value, body) if ends_in_several(body) => {
            let keeps = !cx.is_stored_once() && !cx.is_for_device();
            let home = |rest: &Expr, level: u32, shape: &[Ix]| {
                output_of(rest, level, shape, outputs).filter(|_| keeps)
            };
            bound_in(cx, (label, value, body), &home, |cx, body| stored(cx, body, outputs))
        }
        _ => match outputs {
            [output] => together(cx, &[(e.clone(), output.clone())]),
            _ => Err(LowerError::NotNormal(e.clone())),
        },
    }
}

/// The output that the tensor of a `let` with this level and these extents is, as a whole; scalars stay in
/// registers.
fn output_of(rest: &Expr, level: u32, shape: &[Ix], outputs: &[Buffer]) -> Option<Buffer> {
    let (mut end, mut below) = (rest.clone(), APART);
    while let Node::Let(_, _, body) = &*end.clone() {
        end = subst::open(body, below);
        below += 1;
    }
    let Node::Bundle(_, parts) = &*end else { return None };
    let is_whole = |part: &Expr| is_same(part, level, &Cells::default()) && has_extents(part, shape);
    let (_, output) = parts.iter().zip(outputs).find(|(part, _)| is_whole(part))?;
    (!output.extents.is_empty()).then(|| output.clone())
}

/// Is it a tensor whose memory is the output?
fn is_there(cx: &LowerCx<'_>, part: &Expr, output: &Buffer) -> bool {
    let mut own = cx.buffers.iter().filter(|(_, buffer)| buffer.name == output.name);
    own.any(|(level, buffer)| is_same(part, *level, &Cells::default()) && has_extents(part, &buffer.extents))
}

/// The statement that sets every cell of outputs with these terms, which have rounds in common.
fn together(cx: &mut LowerCx<'_>, parts: &[(Expr, Buffer)]) -> Result<Stmt, LowerError> {
    let (mut begins, mut to) = (Vec::new(), Vec::new());
    for (e, output) in parts {
        let ty = cx.type_of(e)?;
        let covered = is_definitely_initialised(cx, e, &ty)?;
        if !covered {
            begins.push(Stmt::fill(output.name.clone(), zero(ty.elem)?));
        }
        to.push(Destination::whole(output.clone(), covered));
    }
    let terms: Vec<Expr> = parts.iter().map(|(e, _)| e.clone()).collect();
    let filled = emit_ends(cx, &joined(cx.annotations, &terms), &to)?;
    Ok(Stmt::seq(begins.into_iter().chain([filled])))
}
