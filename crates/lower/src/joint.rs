//! Terms that have their rounds in common: one nest of loops computes all of them.
//!
//! ```text
//! gen i<n. iterate R in a,  gen i<n. iterate R in b   =   gen i<n. iterate R in (a, b)
//! ```
//!
//! A term has one value, so a program with several results of one iteration has as many copies of it, which
//! differ in what they end in. Here they become one term with several ends, a [`Node::Bundle`] wherever the
//! copies part, and each end has a destination of its own. No end reads another's cells, so their order
//! does not matter. Copies are alike where they are equal, and a schedule asks the same of their loops;
//! everything else is computed apart.

use crate::annotations::threshold::by_threshold;
use crate::cx::{Buffer, LowerCx};
use crate::destination::{Destination, home, store_value, where_unguarded};
use crate::emit::emit;
use crate::error::LowerError;
use crate::in_place::state_at;
use crate::lets::bound;
use crate::loop_around::{branch, looped};
use crate::rounds::{Home, rounds};
use atl_annotations::Annotations;
use atl_kernel::{Child, Expr, Iterate, Ix, Label, Node, Pred};
use atl_loops::Stmt;
use atl_rules::common_rounds;
use std::sync::Arc;

/// Have two terms rounds in common, of whose loops and `let`s a schedule asks the same?
pub(crate) fn share_rounds(annotations: &Annotations, a: &Expr, b: &Expr) -> bool {
    common_rounds::share_rounds(&|l, k| is_asked_alike(annotations, l, k), a, b)
}

fn is_asked_alike(annotations: &Annotations, a: &Label, b: &Label) -> bool {
    let asked = |label: &Label| -> Vec<_> {
        let marks = annotations.marks(label.tag).iter();
        marks.map(|mark| (mark.role, annotations.get(mark.request).map(|r| &r.annotation))).collect()
    };
    a.kind == b.kind && a.storage == b.storage && asked(a) == asked(b)
}

/// The terms as one, with an end for each; their common rounds are there once.
pub(crate) fn joined(annotations: &Annotations, parts: &[Expr]) -> Expr {
    let below = |at: Child| {
        let children: Vec<Expr> = parts.iter().filter_map(|e| e.child(at).cloned()).collect();
        joined(annotations, &children)
    };
    match parts {
        [first, others @ ..]
            if !others.is_empty() && others.iter().all(|other| share_rounds(annotations, first, other)) =>
        {
            ends_of(first).into_iter().fold(first.clone(), |e, at| Arc::new(e.with_child(at, below(at))))
        }
        _ => Arc::new(Node::Bundle(Arc::new([]), parts.to_vec())),
    }
}

/// The children of a node around rounds, or of the rounds, in which a term ends.
fn ends_of(e: &Expr) -> Vec<Child> {
    match &**e {
        Node::Select(..) => vec![Child::Then, Child::Else],
        Node::Op(..) => e.children().collect(),
        _ => vec![Child::Body],
    }
}

/// The term with this number of those that are one.
fn apart(e: &Expr, k: usize) -> Expr {
    match &**e {
        Node::Bundle(_, parts) => parts[k].clone(),
        _ => ends_of(e).into_iter().fold(e.clone(), |whole, at| match e.child(at) {
            Some(child) => Arc::new(whole.with_child(at, apart(child, k))),
            None => whole,
        }),
    }
}

/// The numbers of the parts, those together that have rounds in common.
pub(crate) fn groups(annotations: &Annotations, parts: &[Expr]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        match groups.iter_mut().find(|group| share_rounds(annotations, &parts[group[0]], part)) {
            Some(group) => group.push(k),
            None => groups.push(vec![k]),
        }
    }
    groups
}

/// The statement that stores each end of a term where it is to go.
pub(crate) fn emit_ends(cx: &mut LowerCx<'_>, e: &Expr, to: &[Destination<'_>]) -> Result<Stmt, LowerError> {
    match &**e {
        Node::Bundle(_, parts) if parts.len() == to.len() => {
            let parts = parts.iter().zip(to).map(|(part, to)| emit(cx, part, to));
            Ok(Stmt::seq(parts.collect::<Result<Vec<_>, _>>()?))
        }
        Node::Gen(label, n, body) => by_threshold(cx, label, n, |cx, label| {
            let at = Ix::free(cx.ctx.level());
            let inside: Vec<_> = to.iter().map(|to| to.under_gen(at.clone())).collect();
            looped(cx, label, n, body, |cx, body, _| emit_ends(cx, body, &inside))
        }),
        Node::Select(p, a, b) => {
            let cond = cx.translate_pred(p)?;
            let then = cx.within_branch(p.clone(), &cond, |cx| emit_ends(cx, a, to))?;
            let not = cond.clone().negate();
            let otherwise = cx.within_branch(Pred::not(p.clone()), &not, |cx| emit_ends(cx, b, to))?;
            Ok(branch(cond, then, otherwise))
        }
        Node::Guard(p, body) => {
            let cond = cx.translate_pred(p)?;
            let then = cx.within_branch(p.clone(), &cond, |cx| emit_ends(cx, body, to))?;
            let mut zeros = Vec::new();
            for (k, to) in to.iter().enumerate() {
                let own = apart(e, k);
                if let Some(zero) = where_unguarded(cx, &own, to)? {
                    zeros.push(store_value(cx, &own, zero, to)?);
                }
            }
            Ok(branch(cond, then, Stmt::seq(zeros)))
        }
        Node::Op(definition, ixs, args) => {
            let op = atl_ops::of(definition).ok_or_else(|| LowerError::NotNormal(e.clone()))?;
            // What an end is of, its own extents say.
            let extents = (0..to.len()).map(|end| {
                let own: Vec<Expr> = args.iter().map(|arg| apart(arg, end)).collect();
                cx.extents(op, &own)
            });
            let extents = extents.collect::<Result<Vec<_>, _>>()?;
            let operands = args.iter().enumerate().map(|(k, arg)| {
                let ends = to.iter().zip(&extents);
                let to: Vec<_> = ends.map(|(to, extents)| to.under_operator(op, ixs, extents, k)).collect();
                emit_ends(cx, arg, &to)
            });
            Ok(Stmt::seq(operands.collect::<Result<Vec<_>, _>>()?))
        }
        Node::Let(label, value, body) => bound(cx, label, value, body, |cx, body| emit_ends(cx, body, to)),
        Node::Iterate(it) => {
            let (ends, homes) = homes(cx, it, to)?;
            rounds(cx, it, Home::Into(homes), |cx, body, given| match &**body {
                Node::Bundle(_, parts) => {
                    let parts = parts.iter().zip(to).zip(ends);
                    let left = parts.filter(|(_, end)| end.is_none_or(|state| !given.contains(&state)));
                    let left = left.map(|((part, to), _)| emit(cx, part, to));
                    Ok(Stmt::seq(left.collect::<Result<Vec<_>, _>>()?))
                }
                _ => emit_ends(cx, body, to),
            })
        }
        _ => Err(LowerError::NotNormal(e.clone())),
    }
}

/// For each end, the state that it is and has a destination for; and these destinations.
type Homes = (Vec<Option<usize>>, Vec<(usize, Buffer)>);

/// Where an iteration may keep the states that it ends in.
fn homes(cx: &mut LowerCx<'_>, it: &Iterate, to: &[Destination<'_>]) -> Result<Homes, LowerError> {
    let Node::Bundle(_, parts) = &*it.body else { return Ok((vec![None; to.len()], Vec::new())) };
    let (mut ends, mut homes) = (Vec::new(), Vec::<(usize, Buffer)>::new());
    for (part, to) in parts.iter().zip(to) {
        let state = state_at(cx, it, part)?;
        let state = state.filter(|k| homes.iter().all(|(other, _)| other != k));
        let buffer = match state {
            Some(k) => home(cx, &it.states[k].init, to)?,
            None => None,
        };
        ends.push(state.filter(|_| buffer.is_some()));
        homes.extend(state.zip(buffer));
    }
    Ok((ends, homes))
}
