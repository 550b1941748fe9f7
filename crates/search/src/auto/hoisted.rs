//! Costly values that some loop around them does not change, computed once in an array of their own.
//!
//! **The one idea.** A root, a quotient or a function of what few loops index is the same in each iteration
//! of the others. Of loops inside, a C compiler takes it out by itself. Where the innermost loop indexes it,
//! and another one around does not, as the deviation of a column by which each row is divided, it would need
//! an array: the steps name the value, and move it out of all loops. It is the same value, so every bit
//! stays.

use crate::names::fresh;
use crate::reuse::Names;
use crate::structure::is_name;
use crate::{Judge, Judged, Refused, Request};
use atl_kernel::{Expr, Ix, Node, Prim, Var};
use atl_schedule::nest::binders;
use std::collections::BTreeSet;

/// What a script is called that takes values out.
pub(super) const WORDS: &str = "; values that few loops index are computed once";

/// How many values are taken out at most.
const VALUES: usize = 3;

/// What the rule calls what it names, and what it is called then.
const NAMED: &str = "t";
const ONCE: &str = "once";

/// A binder around a term.
#[derive(Clone)]
enum Around {
    /// A loop.
    Loop,
    /// A `let` outside of all loops.
    Outside(String),
    /// A `let` in a loop, or a state of rounds.
    Inside,
}

/// The steps that take costly values out of the loops that do not index them; none if there are none.
pub(super) fn hoisted(request: &Request<'_>) -> Vec<String> {
    let mut values = Vec::new();
    look(request.body, &mut Vec::new(), request.names, &mut values);
    let all = binders(request.body);
    let labels = all.iter().map(|place| place.label.name.to_string());
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    let mut taken: BTreeSet<String> = labels.chain(request.names.values().cloned()).chain(sizes).collect();
    // What is called so itself would be meant by the next steps.
    let most = if taken.contains(NAMED) { 1 } else { VALUES };
    let mut steps = Vec::new();
    for value in values.into_iter().take(most) {
        steps.push(format!("rw let_bind at {value}"));
        if most == 1 {
            steps.push(format!("hoist {NAMED}"));
        } else {
            let once = fresh(&mut taken, ONCE);
            steps.extend([format!("rename {NAMED} to {once}"), format!("hoist {once}")]);
        }
    }
    steps
}

/// Looks for the largest such values, as patterns.
fn look(e: &Expr, around: &mut Vec<Around>, names: &Names, values: &mut Vec<String>) {
    if is_costly(e) && is_the_same(e, around) {
        if let Some(value) = pattern(e, around, names).filter(|value| !values.contains(value)) {
            values.push(value);
        }
        return;
    }
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        let outside = around.len();
        let is_in_loop = around.iter().any(|binder| matches!(binder, Around::Loop | Around::Inside));
        for _ in 0..e.binds(at) {
            around.push(match &**e {
                Node::Gen(..) | Node::Sum(..) => Around::Loop,
                Node::Let(label, ..) if !is_in_loop => Around::Outside(label.name.to_string()),
                _ => Around::Inside,
            });
        }
        look(child, around, names, values);
        around.truncate(outside);
    }
}

/// Does the term begin with an operation that takes much longer than reading its value?
fn is_costly(e: &Expr) -> bool {
    match &**e {
        Node::Prim(Prim::Div, parts) => parts.iter().any(|part| !matches!(**part, Node::Lit(..))),
        Node::Prim(Prim::Call(_), _) => true,
        _ => false,
    }
}

/// Is the term a number that the innermost loop around indexes, and another one does not?
fn is_the_same(e: &Expr, around: &[Around]) -> bool {
    let mut mentioned = BTreeSet::new();
    if !variables(e, &mut mentioned) {
        return false;
    }
    let binder = |k: &u32| around.iter().rev().nth(*k as usize);
    let is_outside = |k: &u32| matches!(binder(k), Some(Around::Loop | Around::Outside(_)));
    let mut loops = around.iter().rev().enumerate().filter(|(_, binder)| matches!(binder, Around::Loop));
    let is_indexed = |(k, _): (usize, &Around)| u32::try_from(k).is_ok_and(|k| mentioned.contains(&k));
    let are_outside = mentioned.iter().all(is_outside);
    are_outside && loops.next().is_some_and(is_indexed) && loops.any(|one| !is_indexed(one))
}

/// The variables of a term without binders; false of others.
fn variables(e: &Expr, found: &mut BTreeSet<u32>) -> bool {
    match &**e {
        Node::Var(Var::Bound(k)) => {
            found.insert(*k);
        }
        Node::Get(_, ix) => indexed(ix, found),
        Node::Index(_, ix) => indexed(ix, found),
        Node::Var(Var::Free(_)) | Node::Lit(..) | Node::Prim(..) => {}
        _ => return false,
    }
    e.children().filter_map(|at| e.child(at)).all(|child| variables(child, found))
}

fn indexed(ix: &Ix, found: &mut BTreeSet<u32>) {
    match ix {
        Ix::Lit(_) | Ix::Var(Var::Free(_)) => {}
        Ix::Var(Var::Bound(k)) => {
            found.insert(*k);
        }
        Ix::Bin(_, ab) => [&ab.0, &ab.1].into_iter().for_each(|part| indexed(part, found)),
        Ix::Read(var, at) => {
            if let Var::Bound(k) = var {
                found.insert(*k);
            }
            at.iter().for_each(|ix| indexed(ix, found));
        }
    }
}

/// The term as schedules point at it: numbers and indices may be any.
fn pattern(e: &Expr, around: &[Around], names: &Names) -> Option<String> {
    let part = |e: &Expr| pattern(e, around, names);
    match &**e {
        Node::Lit(..) | Node::Index(..) => Some("_".to_owned()),
        Node::Var(var) => {
            let name = match var {
                Var::Free(level) => names.get(level),
                Var::Bound(k) => match around.iter().rev().nth(*k as usize) {
                    Some(Around::Outside(name)) => Some(name),
                    _ => None,
                },
            };
            name.filter(|name| is_name(name)).cloned()
        }
        Node::Get(..) => {
            let (mut base, mut count) = (e, 0);
            while let Node::Get(inner, _) = &**base {
                (base, count) = (inner, count + 1);
            }
            Some(format!("{}[{}]", part(base)?, vec!["_"; count].join(", ")))
        }
        Node::Prim(prim, parts) => {
            let parts = parts.iter().map(part).collect::<Option<Vec<_>>>()?;
            match (prim, parts.as_slice()) {
                (Prim::Call(function), _) => Some(format!("{}({})", function.name(), parts.join(", "))),
                (Prim::Cast(elem), [one]) => Some(format!("{}({one})", elem.scalar)),
                (Prim::Neg, [one]) => Some(format!("-({one})")),
                (Prim::Abs, [one]) => Some(format!("abs({one})")),
                (Prim::Min, [a, b]) => Some(format!("min({a}, {b})")),
                (Prim::Max, [a, b]) => Some(format!("max({a}, {b})")),
                (Prim::Add | Prim::Sub | Prim::Mul | Prim::Div, [a, b]) => {
                    let symbol = match prim {
                        Prim::Add => '+',
                        Prim::Sub => '-',
                        Prim::Mul => '*',
                        _ => '/',
                    };
                    Some(format!("({a}) {symbol} ({b})"))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// A judge of the program after some steps.
pub(super) struct After<'j> {
    /// The steps.
    pub(super) steps: &'j [String],
    /// The judge of the program before.
    pub(super) judge: &'j mut dyn Judge,
}

impl Judge for After<'_> {
    fn derive(&mut self, steps: &[String]) -> Result<Expr, Refused> {
        self.judge.derive(&[self.steps, steps].concat())
    }

    fn lower(&mut self, steps: &[String]) -> Result<Judged, Refused> {
        self.judge.lower(&[self.steps, steps].concat())
    }
}
