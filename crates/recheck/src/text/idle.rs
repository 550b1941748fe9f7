//! Statements that do nothing: what prefetches, and the loops and conditions around that.

use super::frame::Frame;
use super::syntax::{Expr, Form, Node, Statement as Text};
use super::{Read, outside};
use std::collections::BTreeSet;

/// Does a statement do nothing that can be seen?
pub(super) fn is_idle(text: &Text) -> bool {
    match &text.form {
        Form::Void => true,
        Form::Call(name, operands) => match (name.as_str(), operands.as_slice()) {
            ("atl_fence", []) => true,
            ("ATL_PREFETCH", [Expr { node: Node::Address(cell), .. }]) => match &cell.node {
                Node::Cell(_, index) => is_plain(index),
                _ => false,
            },
            _ => false,
        },
        Form::Block(inner) => inner.iter().all(is_idle),
        // What is prefetched may be several cells, and some of the time.
        Form::For(inner) => {
            // It ends: its variable grows by 1 up to a number that does not depend on it.
            let end = match &inner.condition.node {
                Node::Binary("<", a, end) if matches!(&a.node, Node::Name(name) if *name == inner.variable) => {
                    end
                }
                _ => return false,
            };
            inner.step == 1
                && inner.end.is_none()
                && !mentions(end, &|name| name == inner.variable)
                && is_plain(&inner.first)
                && is_plain(end)
                && brings(&inner.body)
        }
        Form::If(condition, then, None) => is_plain(condition) && brings(then),
        _ => false,
    }
}

/// Are these statements some that prefetch, or that are around such?
fn brings(text: &[Text]) -> bool {
    let is_around = |text: &Text| matches!(text.form, Form::For(_) | Form::If(..) | Form::Call(..));
    !text.is_empty() && text.iter().all(|inner| is_around(inner) && is_idle(inner))
}

/// Is a statement nothing, or around nothing?
pub(super) fn is_hollow(text: &Text) -> bool {
    match &text.form {
        Form::Call(name, _) => name == "ATL_PREFETCH",
        Form::Block(inner) => inner.iter().all(is_hollow),
        Form::For(inner) => inner.body.iter().all(is_hollow),
        Form::If(_, then, otherwise) => then.iter().chain(otherwise.iter().flatten()).all(is_hollow),
        Form::Void => true,
        _ => false,
    }
}

/// Does an expression of integers read no memory, and divide by constants alone?
fn is_plain(expr: &Expr) -> bool {
    match &expr.node {
        Node::Integer(..) | Node::Name(_) => true,
        Node::Unary(_, a) | Node::Cast(_, a) => is_plain(a),
        Node::Binary("/" | "%", a, b) => is_plain(a) && matches!(b.node, Node::Integer(1.., _)),
        // Two constants would be computed in `int`.
        Node::Binary(_, a, b) if matches!((&a.node, &b.node), (Node::Integer(..), Node::Integer(..))) => {
            false
        }
        // A shift by 64 or more has no meaning.
        Node::Binary("<<" | ">>", ..) => false,
        Node::Binary(_, a, b) => is_plain(a) && is_plain(b),
        Node::Call(name, operands) => {
            ["atl_min", "atl_max", "atl_floor_div", "atl_floor_mod", "atl_several"].contains(&name.as_str())
                && operands.iter().all(is_plain)
        }
        _ => false,
    }
}

/// Does a name of some occur in a plain expression?
fn mentions(expr: &Expr, some: &impl Fn(&str) -> bool) -> bool {
    match &expr.node {
        Node::Name(own) => some(own),
        Node::Unary(_, a) | Node::Cast(_, a) => mentions(a, some),
        Node::Binary(_, a, b) => mentions(a, some) || mentions(b, some),
        Node::Call(_, operands) => operands.iter().any(|operand| mentions(operand, some)),
        _ => false,
    }
}

/// What prefetches, and the loops and conditions around it, compute with 64 bits alone: with no name that
/// is of another type anywhere in the function.
pub(super) fn numbers_alone(frame: &Frame) -> Read<()> {
    let arrays = frame.parameters.iter().filter(|parameter| parameter.array.is_some());
    let mut others = arrays.map(|parameter| parameter.name.as_str()).collect();
    declared(&frame.body, &mut others);
    alone(&frame.body, &others)
}

/// The names that are declared of another type than the numbers of loops.
fn declared<'t>(text: &'t [Text], others: &mut BTreeSet<&'t str>) {
    for text in text {
        match &text.form {
            Form::Declare(own) if own.ty != "int64_t" || own.is_pointer || own.cells.is_some() => {
                others.insert(&own.name);
            }
            Form::Block(inner) => declared(inner, others),
            Form::For(inner) => declared(&inner.body, others),
            Form::Skipping(inner) => {
                others.insert(&inner.seen);
                declared(&inner.body, others);
            }
            Form::If(_, then, otherwise) => {
                declared(then, others);
                declared(otherwise.as_deref().unwrap_or_default(), others);
            }
            _ => {}
        }
    }
}

fn alone(text: &[Text], others: &BTreeSet<&str>) -> Read<()> {
    for text in text {
        let of = |expr: &Expr| !mentions(expr, &|name| others.contains(name));
        let is_alone = match &text.form {
            Form::Block(inner) => {
                alone(inner, others)?;
                true
            }
            Form::For(inner) => {
                alone(&inner.body, others)?;
                !is_hollow(text) || (of(&inner.first) && of(&inner.condition))
            }
            Form::Skipping(inner) => {
                alone(&inner.body, others)?;
                true
            }
            Form::If(condition, then, otherwise) => {
                alone(then, others)?;
                alone(otherwise.as_deref().unwrap_or_default(), others)?;
                !is_hollow(text) || of(condition)
            }
            Form::Call(name, operands) if name == "ATL_PREFETCH" => match operands.as_slice() {
                [Expr { node: Node::Address(cell), .. }] => match &cell.node {
                    Node::Cell(_, index) => of(index),
                    _ => false,
                },
                _ => false,
            },
            _ => true,
        };
        if !is_alone {
            return outside(
                text.line,
                "a statement around nothing that is computed from other numbers than those of loops",
            );
        }
    }
    Ok(())
}
