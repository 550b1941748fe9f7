//! Costly values that some loop around them does not change, computed once in an array of their own.
//!
//! **The one idea.** A root, a quotient or a function of what few loops index is the same in each iteration
//! of the others. Of loops inside, a C compiler takes it out by itself. Where the innermost loop indexes it,
//! and another one around does not, as the deviation of a column by which each row is divided, it would need
//! an array: the steps name the value, and move it out of all loops. It is the same value, so every bit
//! stays. A sum of many terms costs more than any of these, and no C compiler takes it out: one that some
//! loop around does not change is such a value wherever that loop is. So a column's mean within the loops
//! over all elements is computed once a column.

use super::steps::WRITTEN;
use crate::names::fresh;
use crate::reuse::Names;
use crate::structure::is_name;
use crate::{Judge, Judged, Refused, Request};
use atl_kernel::{Expr, Ix, Node, Pred, Prim, Var};
use atl_schedule::nest::binders;
use std::collections::BTreeSet;

/// What a script is called that takes values out.
pub(super) const WORDS: &str = "; values that few loops index are computed once";

/// How many values are taken out at most.
const VALUES: usize = 3;

/// What the rule calls what it names, and what it is called then.
pub(super) const NAMED: &str = "t";
pub(super) const ONCE: &str = "once";

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
        _ => is_long(e),
    }
}

/// Is the term a sum of many terms, or another reduction of as many?
fn is_long(e: &Expr) -> bool {
    match &**e {
        Node::View(_, inner) => is_long(inner),
        Node::Sum(_, extent, inner) => !matches!(extent, Ix::Lit(n) if *n <= WRITTEN) || is_long(inner),
        _ => false,
    }
}

/// Is the term a number that the innermost loop around indexes, and another one does not? Of a sum, any loop
/// inside such another one, if its array would be no larger than what is given.
fn is_the_same(e: &Expr, around: &[Around]) -> bool {
    let mut found = Variables::default();
    if !found.are_all_of(e, 0) {
        return false;
    }
    let mentioned = found.bound;
    // An array of sums is no larger than one that they read.
    let loops_of = |one: &BTreeSet<u32>| {
        let is_loop = |k: &&u32| matches!(around.iter().rev().nth(**k as usize), Some(Around::Loop));
        one.iter().filter(is_loop).copied().collect::<BTreeSet<u32>>()
    };
    let cells = loops_of(&mentioned);
    let is_bounded = cells.len() < 2 || found.reads.iter().any(|read| loops_of(read) == cells);
    if found.has_sums && !is_bounded {
        return false;
    }
    let binder = |k: &u32| around.iter().rev().nth(*k as usize);
    let is_outside = |k: &u32| matches!(binder(k), Some(Around::Loop | Around::Outside(_)));
    let loops = around.iter().rev().enumerate().filter(|(_, binder)| matches!(binder, Around::Loop));
    let is_indexed = |(k, _): (usize, &Around)| u32::try_from(k).is_ok_and(|k| mentioned.contains(&k));
    let mut indexed = loops.map(is_indexed).skip_while(|is_indexed| found.has_sums && !is_indexed);
    mentioned.iter().all(is_outside) && indexed.next() == Some(true) && indexed.any(|is_indexed| !is_indexed)
}

/// How far outside of a number the variables are bound that it reads; none of one with loops over cells.
pub(super) fn variables(e: &Expr) -> Option<BTreeSet<u32>> {
    let mut found = Variables::default();
    found.are_all_of(e, 0).then_some(found.bound)
}

/// The variables of a number.
#[derive(Default)]
struct Variables {
    /// How far outside of the number the variables are bound.
    bound: BTreeSet<u32>,
    /// Does it add up many terms?
    has_sums: bool,
    /// The same of each element that it reads.
    reads: Vec<BTreeSet<u32>>,
}

impl Variables {
    /// Collects those of a term below that many binders of its own; false of a term with other binders than
    /// those of sums.
    fn are_all_of(&mut self, e: &Expr, depth: u32) -> bool {
        match &**e {
            Node::Var(var) => self.variable(var, depth),
            Node::Get(..) => {
                let mut read = Variables::default();
                let mut base = e;
                while let Node::Get(inner, ix) = &**base {
                    read.index(ix, depth);
                    base = inner;
                }
                self.bound.extend(&read.bound);
                self.reads.push(read.bound);
                return self.are_all_of(base, depth);
            }
            Node::Index(_, ix) => self.index(ix, depth),
            Node::Sum(_, extent, _) => {
                self.has_sums |= is_long(e);
                self.index(extent, depth);
            }
            Node::Guard(condition, _) | Node::Select(condition, ..) => self.condition(condition, depth),
            Node::Lit(..) | Node::Prim(..) | Node::View(..) => {}
            _ => return false,
        }
        let mut parts = e.children().filter_map(|at| Some((e.child(at)?, depth + e.binds(at))));
        parts.all(|(part, depth)| self.are_all_of(part, depth))
    }

    fn variable(&mut self, var: &Var, depth: u32) {
        if let Var::Bound(k) = var
            && let Some(outside) = k.checked_sub(depth)
        {
            self.bound.insert(outside);
        }
    }

    fn index(&mut self, ix: &Ix, depth: u32) {
        match ix {
            Ix::Lit(_) => {}
            Ix::Var(var) => self.variable(var, depth),
            Ix::Bin(_, ab) => [&ab.0, &ab.1].into_iter().for_each(|part| self.index(part, depth)),
            Ix::Read(var, at) => {
                self.variable(var, depth);
                at.iter().for_each(|ix| self.index(ix, depth));
            }
        }
    }

    fn condition(&mut self, condition: &Pred, depth: u32) {
        match condition {
            Pred::True | Pred::False => {}
            Pred::Cmp(_, a, b) => [a, b].into_iter().for_each(|part| self.index(part, depth)),
            Pred::Not(inner) => self.condition(inner, depth),
            Pred::And(both) | Pred::Or(both) => {
                [&both.0, &both.1].into_iter().for_each(|part| self.condition(part, depth));
            }
        }
    }
}

/// The reduction as schedules point at it: its terms may be any.
pub(super) fn reduction(e: &Expr) -> Option<String> {
    let (view, mut inner) = match &**e {
        Node::View(_, inner) => (true, inner),
        _ => (false, e),
    };
    let mut loops = Vec::new();
    while let Node::Sum(label, _, next) = &**inner {
        loops.push(format!("{} < _", is_name(&label.name).then_some(&label.name)?));
        inner = next;
    }
    let word = match &**inner {
        _ if loops.is_empty() => return None,
        Node::View(over, _) if view => match over.0.name {
            "min_max" => "min",
            "max_min" => "max",
            _ => return None,
        },
        _ if view => return None,
        _ => "sum",
    };
    Some(format!("({word} {} {{ _ }})", loops.join(", ")))
}

/// The term as schedules point at it: numbers and indices may be any.
fn pattern(e: &Expr, around: &[Around], names: &Names) -> Option<String> {
    let part = |e: &Expr| pattern(e, around, names);
    match &**e {
        Node::Lit(..) | Node::Index(..) => Some("_".to_owned()),
        Node::Sum(..) | Node::View(..) => reduction(e),
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
