//! The normal form that lowering reads, reached by theorems.
//!
//! A *tensor* stands where its elements are stored one by one; a *scalar* is computed by one expression:
//!
//! ```text
//! tensor ::= gen | sum | [p] * tensor | select(p, tensor, tensor) | let x = tensor; tensor
//!          | iterate x = tensor { tensor } in tensor | op(tensor, ..) | tensor + tensor | scalar
//! scalar ::= literal | index | x[i, ..] | f(scalar, ..) | view scalar | [p] * scalar | select(p, scalar, scalar)
//! ```
//!
//! where `x[i, ..]` is an access to a variable at its full rank. Getting there, accesses are pushed inward
//! (`access`); what a scalar cannot contain, such as a sum, is named by a `let` around it (`name`); tensors in
//! place of elements are eta-expanded; an array of one cell becomes a number (`one_cell`). Everything else
//! stays as the schedule left it: loops, their order, their kinds, and storage.
//!
//! **Sums.** A sum accumulates in its destination, which must then begin as zero. A scalar sum gets a register
//! of its own. A sum within a sum starts from zero, so it gets a temporary too, unless both may share their
//! accumulator: where additions are exact, or regrouping them is accepted. There, the sum of a scattered tensor and another
//! accumulates too.
//!
//! **Padding.** Below an operator that drops padding, a scalar sum stays where it is, so that the guards in it
//! stay around the store; a zero becomes a guard that fails, which stores nothing; and what the remaining
//! temporaries are stored to is restricted to what the operator keeps (`restrict`).

mod access;
mod inverse;
mod name;
mod one_cell;
mod own_cells;
mod restrict;

use crate::in_place::Cells;
use access::{resolve, scalars};
use atl_kernel::{
    Child, Elem, Expr, Label, Laws, LoopKind, Node, Number, Pred, Prim, Result, Rounding, Rule, Storage, Thm,
};
use atl_rules::gather::{drop_implied, never};
use atl_rules::{Chain, Cx, Step, join};
use atl_semirings::Constant;
use inverse::without_inverse;
pub use name::is_scalar;
use name::{is_access, lift, name_iteration, name_operand, name_whole};
use one_cell::one_cell;
use own_cells::own_cells;
use restrict::restrict;
use std::sync::Arc;

/// The theorem that a term equals its normal form, for a translation that preserves as much as `rounding` says.
pub fn normalise(cx: &mut Cx<'_>, e: &Expr, rounding: Rounding, begins: Begins) -> Result<Thm> {
    let place = Place { destination: Destination::Cells, dropping: false, direct: false, rounding, begins };
    let step = tensor(cx, e, place)?;
    cx.total(e, step)
}

/// What a scalar sum begins with that something is added to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begins {
    /// Zero; it is added when the sum is there.
    Zero,
    /// That, where an idempotent addition is exact: so a sum that may end early may end at once.
    Operand,
}

/// What a tensor is stored into.
#[derive(Clone, Copy, PartialEq)]
enum Destination {
    /// A scalar of its own, which can be accumulated in.
    Scalar,
    /// Cells that are set once.
    Cells,
    /// Cells that accumulate.
    Sum,
}

/// Where a tensor stands.
#[derive(Clone, Copy)]
struct Place {
    destination: Destination,
    /// May elements be padding, that an operator around drops?
    dropping: bool,
    /// Is there no `gen` between a sum around and here, so that one cell accumulates throughout?
    direct: bool,
    rounding: Rounding,
    begins: Begins,
}

impl Place {
    /// Of what a `let` binds.
    fn bound(self, scalar: bool) -> Place {
        let destination = if scalar { Destination::Scalar } else { Destination::Cells };
        Place { destination, dropping: false, direct: false, ..self }
    }
}

fn tensor(cx: &mut Cx<'_>, e: &Expr, place: Place) -> Step {
    match &**e {
        Node::Gen(..) => {
            let place = Place { direct: false, ..place };
            cx.child(e, Child::Body, |cx, body| tensor(cx, body, place))
        }
        Node::Sum(..) => sum(cx, e, place),
        // Where a condition never holds, all others hold below it, and a search would lose the one that it looks for.
        Node::Guard(p, body) if searches(body) && cx.proves(&Pred::not(p.clone())) => never(cx, e).map(Some),
        Node::Guard(..) => cx.sequence(e, drop_implied, |cx, e| match &**e {
            Node::Guard(..) => cx.child(e, Child::Body, |cx, body| tensor(cx, body, place)),
            _ => tensor(cx, e, place),
        }),
        Node::Select(p, ..) => {
            let rule = match () {
                () if cx.proves(p) => Rule::SelectTrue,
                () if cx.proves(&Pred::not(p.clone())) => Rule::SelectFalse,
                () => return cx.children(e, &mut |cx, side| tensor(cx, side, place)),
            };
            after(cx, rule, e, place)
        }
        Node::Let(label, bound, _) => {
            let scalar = cx.type_of(bound)?.shape.is_empty();
            if !scalar && is_access(bound) && label.storage == Storage::Auto {
                // Another name for memory that is there; with a storage, a copy is meant.
                return after(cx, Rule::LetInline, e, place);
            }
            if let Some(number) = one_cell(cx, e)? {
                return cx.then(number, |cx, e| tensor(cx, e, place)).map(Some);
            }
            let inside = place.bound(scalar);
            cx.sequence(
                e,
                |cx, e| cx.child(e, Child::Bound, |cx, bound| tensor(cx, bound, inside)),
                |cx, e| cx.child(e, Child::Body, |cx, body| tensor(cx, body, place)),
            )
        }
        Node::Iterate(it) => {
            let scalar = |cx: &mut Cx<'_>, init: &Expr| Ok(cx.type_of(init)?.shape.is_empty());
            let scalars = it.states.iter().map(|s| scalar(cx, &s.init)).collect::<Result<Vec<bool>>>()?;
            let mut chain = Chain::of(e);
            for at in e.children() {
                let inside = match at {
                    Child::Init(k) | Child::Step(k) => place.bound(scalars[k as usize]),
                    _ => place,
                };
                let first = cx.ctx.level();
                chain.apply(cx, |cx, e| {
                    cx.child(e, at, |cx, child| {
                        let own = |cx: &mut Cx<'_>, step: &Expr| match at {
                            Child::Step(k) => own_cells(cx, step, first + k, &Cells::default()),
                            _ => Ok(None),
                        };
                        cx.sequence(child, |cx, child| tensor(cx, child, inside), own)
                    })
                })?;
            }
            Ok(chain.done())
        }
        Node::Op(definition, _, args) => match atl_ops::of(definition) {
            // A truncation of memory that is there is a shorter loop.
            Some(op) if op.drops && is_access(&args[0]) => after(cx, Rule::Unfold, e, place),
            Some(op) => {
                if let Some(shorter) = without_inverse(cx, e)? {
                    return cx.then(shorter, |cx, e| tensor(cx, e, place)).map(Some);
                }
                let inside = Place { dropping: place.dropping || op.drops, ..place };
                let step = cx.children(e, &mut |cx, operand| tensor(cx, operand, inside))?;
                if place.dropping || !op.drops {
                    return Ok(step);
                }
                let now = step.as_ref().map_or(e, Thm::rhs).clone();
                let restricted = restrict(cx, &now)?;
                join(step, restricted)
            }
            None => after(cx, Rule::Unfold, e, place),
        },
        Node::Get(..) => match resolve(cx, e)? {
            Some(step) => cx.then(step, |cx, e| tensor(cx, e, place)).map(Some),
            None => pointwise(cx, e, place),
        },
        Node::Prim(Prim::Add, ab) if accumulates(cx, e, ab, place)? => {
            let place = Place { destination: Destination::Sum, ..place };
            cx.children(e, &mut |cx, operand| tensor(cx, operand, place))
        }
        Node::Prim(Prim::Add, ab) if begins_with_operand(cx, e, ab, place)? => match place.destination {
            Destination::Cells => {
                let named = name_whole(cx, e, "acc")?;
                cx.then(named, |cx, e| tensor(cx, e, place)).map(Some)
            }
            Destination::Scalar | Destination::Sum => {
                let place = Place { destination: Destination::Sum, direct: true, ..place };
                cx.children(e, &mut |cx, operand| tensor(cx, operand, place))
            }
        },
        Node::Var(_) | Node::Prim(..) | Node::View(..) => pointwise(cx, e, place),
        Node::Lit(_, Number::Zero) if place.dropping => {
            let padding = Arc::new(Node::Guard(Pred::False, e.clone()));
            Ok(Some(cx.rule(Rule::GuardZero, &padding)?.sym()))
        }
        Node::Lit(..) | Node::Index(..) => Ok(None),
        // Each result has cells of its own.
        Node::Bundle(..) => cx.children(e, &mut |cx, part| tensor(cx, part, place)),
    }
}

/// A rule, and the normal form of what it gives.
fn after(cx: &mut Cx<'_>, rule: Rule, e: &Expr, place: Place) -> Step {
    let step = cx.rule(rule, e)?;
    cx.then(step, |cx, e| tensor(cx, e, place)).map(Some)
}

fn sum(cx: &mut Cx<'_>, e: &Expr, place: Place) -> Step {
    let ty = cx.type_of(e)?;
    let scalar = ty.shape.is_empty();
    let own = match place.destination {
        Destination::Scalar => false,
        Destination::Sum if !shares_accumulator(ty.elem, place.rounding) => true,
        Destination::Cells | Destination::Sum => scalar && !place.direct && !place.dropping,
    };
    if !own {
        let inside = Place { destination: Destination::Sum, direct: true, ..place };
        return cx.child(e, Child::Body, |cx, body| tensor(cx, body, inside));
    }
    // The temporary is read by the loops that fill it.
    let labels = loop_labels(e);
    let named = name_whole(cx, e, "acc")?;
    let named = cx.then(named, |cx, e| cx.child(e, Child::Body, |cx, acc| eta(cx, acc, &labels)))?;
    cx.then(named, |cx, e| tensor(cx, e, place)).map(Some)
}

/// May a sum within a sum add straight into the outer one, though it starts from zero by itself? Where additions
/// associate on the machine: integers wrap, and an idempotent addition (minimum, maximum) that begins from zero selects
/// the first of the best, and no NaN, however the others are grouped. Float sums and products round, so there only if
/// regrouping is acceptable.
fn shares_accumulator(elem: Elem, rounding: Rounding) -> bool {
    let exact = !elem.scalar.is_float() || Laws::ADD_IDEM.minus(elem.algebra.laws).is_empty();
    exact || rounding == Rounding::Real
}

/// Is the sum of two tensors computed by adding both into its cells, one after the other? Where one of them is scattered, it is not to
/// be looked for element by element.
fn accumulates(cx: &mut Cx<'_>, e: &Expr, operands: &[Expr], place: Place) -> Result<bool> {
    let ty = cx.type_of(e)?;
    let scattered = operands.iter().any(is_scattered);
    let shares = shares_accumulator(ty.elem, place.rounding);
    // What begins as 0 stays so where -0 is added, and the sum of -0 and a sum is -0.
    let is_kept = !has_signed_zero(ty.elem) || place.rounding == Rounding::Real || is_scattered(&operands[0]);
    Ok(scattered && shares && is_kept && !place.dropping && !ty.shape.is_empty())
}

/// Is the zero that sums begin with a float that has a sign?
fn has_signed_zero(elem: Elem) -> bool {
    let operations = atl_semirings::of(elem.algebra).and_then(|semiring| semiring.on(elem.scalar));
    elem.scalar.is_float() && operations.is_some_and(|operations| operations.zero == Constant::Int(0))
}

/// Is the sum of a scalar and a scalar sum computed by adding to the scalar? Where additions are exact and select one of the operands,
/// it is the same.
fn begins_with_operand(cx: &mut Cx<'_>, e: &Expr, operands: &[Expr], place: Place) -> Result<bool> {
    if place.begins == Begins::Zero || place.dropping || !operands.iter().any(is_scattered) {
        return Ok(false);
    }
    let ty = cx.type_of(e)?;
    let exact = !ty.elem.scalar.is_float() && Laws::ADD_IDEM.minus(ty.elem.algebra.laws).is_empty();
    // Cells that accumulate, and are not one, accumulate what was computed.
    let is_one = place.destination != Destination::Sum || place.direct;
    Ok(exact && ty.shape.is_empty() && is_one)
}

/// Is it a sum of tensors, under conditions or not?
fn is_scattered(e: &Expr) -> bool {
    match &**e {
        Node::Sum(..) => true,
        Node::Guard(_, body) => is_scattered(body),
        _ => false,
    }
}

/// Is there a search below, with loops, conditions and `let`s between?
fn searches(e: &Expr) -> bool {
    match &**e {
        Node::Sum(label, _, body) => label.kind == LoopKind::Search || searches(body),
        Node::Gen(_, _, body) | Node::Guard(_, body) | Node::Let(_, _, body) => searches(body),
        _ => false,
    }
}

/// The labels of the `gen`s around the elements, as far as they are in sight.
fn loop_labels(e: &Expr) -> Vec<Label> {
    match &**e {
        Node::Gen(label, _, body) => [vec![label.clone()], loop_labels(body)].concat(),
        Node::Sum(_, _, body) | Node::Guard(_, body) | Node::Let(_, _, body) => loop_labels(body),
        _ => Vec::new(),
    }
}

/// Eta-expansion along the outer dimensions, with these labels.
fn eta(cx: &mut Cx<'_>, e: &Expr, labels: &[Label]) -> Step {
    let Some((label, inner)) = labels.split_first() else { return Ok(None) };
    let outer = cx.rule(Rule::GenEta(label.clone()), e)?;
    cx.then(outer, |cx, e| cx.child(e, Child::Body, |cx, row| eta(cx, row, inner))).map(Some)
}

/// A variable, an access to one, a pointwise operation or a view.
fn pointwise(cx: &mut Cx<'_>, e: &Expr, place: Place) -> Step {
    if let Some(at) = e.children().find(|at| matches!(e.child(*at).map(|c| &**c), Some(Node::Let(..)))) {
        let lifted = lift(cx, e, at)?;
        return cx.then(lifted, |cx, e| tensor(cx, e, place)).map(Some);
    }
    if !cx.type_of(e)?.shape.is_empty() {
        if let Some(named) = name_iteration(cx, e)? {
            return cx.then(named, |cx, e| tensor(cx, e, place)).map(Some);
        }
        // Sums of tensors are not to be looked for element by element.
        if let Node::View(_, body) = &**e
            && is_scattered(body)
        {
            let labels = loop_labels(body);
            let named = cx.inside(e, Child::Body, |cx, body| name_whole(cx, body, "acc"))?;
            let lifted = cx.then(named, |cx, e| lift(cx, e, Child::Body))?;
            let read =
                cx.then(lifted, |cx, e| cx.child(e, Child::Body, |cx, view| eta(cx, view, &labels)))?;
            return cx.then(read, |cx, e| tensor(cx, e, place)).map(Some);
        }
        let rule = match &**e {
            Node::View(_, body) if matches!(**body, Node::Gen(..)) => Rule::ViewGen,
            _ => Rule::GenEta(Label { kind: LoopKind::Serial, ..Label::new("i") }),
        };
        return after(cx, rule, e, place);
    }
    cx.sequence(e, scalars, |cx, e| match name_operand(cx, e)? {
        Some(named) => cx.then(named, |cx, e| tensor(cx, e, place)).map(Some),
        None => Ok(None),
    })
}
