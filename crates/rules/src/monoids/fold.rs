//! What it is to be a sum in a monoid.

use crate::lets::is_read_by_name;
use crate::occurrences::{mentions, variable};
use crate::rounds::iterated;
use atl_kernel::{Elem, Expr, Iterate, Ix, Label, Monoid, Node, Prim, State, Var, subst};
use std::sync::Arc;

/// Levels that no variable of a term has.
const FRESH: u32 = 1 << 30;

/// The most nodes of a step with everything carried out.
const MOST: usize = 1 << 14;

/// Rounds of which each adds a term to the states.
#[derive(Clone, Debug)]
pub struct Fold {
    /// In this monoid.
    pub monoid: Arc<Monoid>,
    /// The name of the index.
    pub label: Label,
    /// The names of the states.
    pub names: Vec<Label>,
    /// How many terms there are.
    pub extent: Ix,
    /// What the states begin with.
    pub starts: Vec<Expr>,
    /// The fields of a term, below the index.
    pub terms: Vec<Expr>,
}

impl Fold {
    /// The sum that an iteration is: its last states are the sum, and those before them are read in the same
    /// round alone. Its value is about the last states.
    pub fn of(monoid: &Arc<Monoid>, e: &Expr) -> Option<Fold> {
        let it = iterated(e).ok()?;
        let (all, fields) = (it.states.len() as u32, monoid.fields().len() as u32);
        let others = all.checked_sub(fields)?;
        let reads_others = |e: &Expr| (0..others).any(|k| mentions(e, FRESH + k));
        if reads_others(&subst::open_all(&it.body, FRESH, all)) {
            return None;
        }
        let steps = carried_out(it)?;
        let states: Vec<Expr> = (others..all).map(|k| variable(FRESH + k)).collect();
        let mut terms = vec![None; fields as usize];
        for (formula, step) in monoid.formulas().zip(&steps[others as usize..]) {
            solve(formula, step, &states, &mut terms)?;
        }
        let index = FRESH + 2 * all;
        let is_term = |e: &Expr| !(0..all).any(|k| mentions(e, FRESH + k));
        let terms = terms.into_iter().zip(monoid.zero());
        let terms: Vec<Expr> = terms.map(|(term, zero)| term.unwrap_or_else(|| zero.clone())).collect();
        if !terms.iter().all(is_term) {
            return None;
        }
        let last = &it.states[others as usize..];
        let is_of_type = |(state, elem): (&State, &Elem)| elem_of(&state.init).is_none_or(|of| of == *elem);
        if !last.iter().zip(monoid.fields()).all(is_of_type) {
            return None;
        }
        Some(Fold {
            monoid: monoid.clone(),
            label: it.label.clone(),
            names: last.iter().map(|state| state.label.clone()).collect(),
            extent: it.extent.clone(),
            starts: last.iter().map(|state| state.init.clone()).collect(),
            terms: terms.iter().map(|e| subst::close(e, index)).collect(),
        })
    }

    /// The terms at an index.
    pub(crate) fn at(&self, ix: &Ix) -> Vec<Expr> {
        self.terms.iter().map(|e| subst::instantiate(e, ix)).collect()
    }

    /// The same sum of terms that depend on the index otherwise; `fresh` is a level that no variable has.
    pub(super) fn shifted(&self, fresh: u32, index: impl Fn(Ix) -> Ix) -> Fold {
        let terms = self.at(&index(Ix::free(fresh))).iter().map(|e| subst::close(e, fresh)).collect();
        Fold { terms, ..self.clone() }
    }

    /// The same from nothing.
    pub(super) fn with_zero(&self) -> Fold {
        Fold { starts: self.monoid.zero().to_vec(), ..self.clone() }
    }

    /// The iteration that has states for the fields of a round's term, and then for those of the sum, of
    /// `extent` terms, around a value of the latter: each term stands in it once.
    pub fn sum(&self, extent: &Ix, body: Expr) -> Expr {
        let fields = self.names.len() as u32;
        let terms = self.terms.iter().zip(&self.names).zip(self.monoid.zero()).enumerate();
        let terms = terms.map(|(k, ((term, name), zero))| {
            let binders = 2 * fields + k as u32 + 1;
            let at = subst::instantiate(term, &Ix::free(FRESH + binders - 1));
            let label = Label::new(&format!("{}_term", name.name));
            State { label, init: zero.clone(), step: subst::close_all(&at, FRESH, binders) }
        });
        let sums = self.names.iter().zip(&self.starts).enumerate().map(|(k, (label, init))| {
            let old: Vec<Expr> = (0..fields).map(|k| variable(FRESH + fields + k)).collect();
            let new: Vec<Expr> = (0..fields).map(|k| variable(FRESH + 2 * fields + k)).collect();
            let sum = self.monoid.sum(&old, &new);
            let step = subst::close_all(&sum[k], FRESH, 3 * fields + k as u32 + 1);
            State { label: label.clone(), init: init.clone(), step }
        });
        let (label, extent, states) = (self.label.clone(), extent.clone(), terms.chain(sums).collect());
        Arc::new(Node::Iterate(Arc::new(Iterate { label, extent, states, body })))
    }

    /// The last fields of a first number of terms, one after the other, from nothing.
    pub(super) fn last_terms(&self, extent: &Ix) -> Vec<Expr> {
        let last = |((term, zero), name): ((&Expr, &Expr), &Label)| -> Expr {
            let open = subst::instantiate(term, &Ix::free(FRESH + 1));
            let step = subst::close_all(&open, FRESH, 2);
            let states = vec![State { label: name.clone(), init: zero.clone(), step }];
            let (label, body) = (self.label.clone(), Arc::new(Node::Var(Var::Bound(0))));
            Arc::new(Node::Iterate(Arc::new(Iterate { label, extent: extent.clone(), states, body })))
        };
        self.terms.iter().zip(self.monoid.zero()).zip(&self.names).map(last).collect()
    }

    /// A field of the sum of the first `extent` terms.
    pub(super) fn field(&self, extent: &Ix, k: usize) -> Expr {
        self.sum(extent, body_of(k, self.names.len()))
    }

    /// All of its fields.
    pub(super) fn fields(&self, extent: &Ix) -> Vec<Expr> {
        (0..self.names.len()).map(|k| self.field(extent, k)).collect()
    }
}

/// The body of an iteration that ends in this one of its last states.
pub(super) fn body_of(k: usize, fields: usize) -> Expr {
    Arc::new(Node::Var(Var::Bound((fields - 1 - k) as u32)))
}

/// The new states of a round, of the old ones at the levels from [`FRESH`] on and of the index, which comes
/// long after them; every `let` and every new state that a step reads is carried out. None where something is
/// read by its name, or becomes large.
fn carried_out(it: &Iterate) -> Option<Vec<Expr>> {
    let all = it.states.len() as u32;
    let mut news: Vec<Expr> = Vec::new();
    for (k, state) in (0..all).zip(&it.states) {
        let opened = subst::open_all(&state.step, FRESH, all + k + 1);
        let reads = |j: u32| is_read_by_name(&subst::close(&opened, FRESH + all + j));
        if (0..k).any(reads) {
            return None;
        }
        let tensor = (0..k).map(|j| (FRESH + all + j, news[j as usize].clone()));
        // The index is moved out of the way of the new states.
        let index = vec![(FRESH + all + k, Ix::free(FRESH + 2 * all))];
        let put = subst::Subst { index, tensor: tensor.collect() };
        news.push(without_lets(&put.expr(&opened))?);
    }
    Some(news)
}

/// The element type of a term, where its form says so.
fn elem_of(e: &Expr) -> Option<Elem> {
    match &**e {
        Node::Lit(elem, _) | Node::Index(elem, _) | Node::Prim(Prim::Cast(elem), _) => Some(*elem),
        Node::Gen(_, _, inner) | Node::Guard(_, inner) | Node::Get(inner, _) => elem_of(inner),
        Node::Prim(Prim::Eq | Prim::Lt | Prim::Le, _) => None,
        Node::Prim(_, args) => args.iter().find_map(elem_of),
        _ => None,
    }
}

/// The term with every `let` carried out.
fn without_lets(e: &Expr) -> Option<Expr> {
    if count(e, MOST)? == 0 {
        return None;
    }
    let mut node = (**e).clone();
    if let Node::Let(_, bound, body) = &node {
        let open = !is_read_by_name(body) || matches!(**bound, Node::Var(_));
        return if open { without_lets(&subst::instantiate_tensor(body, bound)) } else { None };
    }
    for at in e.children() {
        let child = without_lets(e.child(at)?)?;
        node = node.with_child(at, child);
    }
    Some(Arc::new(node))
}

/// The monoid, whose formulas bind nothing, as sums in it have them; the same if they would become large.
pub fn carried_out_in(monoid: &Arc<Monoid>) -> Arc<Monoid> {
    let parts = |all: &mut dyn Iterator<Item = &Expr>| all.map(without_lets).collect::<Option<Vec<_>>>();
    let plain = || {
        let (zero, sum) = (parts(&mut monoid.zero().iter())?, parts(&mut monoid.formulas())?);
        Monoid::new(monoid.name(), monoid.fields().to_vec(), zero, sum, monoid.laws()).ok()
    };
    plain().map_or_else(|| monoid.clone(), Arc::new)
}

/// How many more nodes there may be.
fn count(e: &Expr, most: usize) -> Option<usize> {
    e.children().try_fold(most.checked_sub(1)?, |most, at| count(e.child(at)?, most))
}

/// The fields of the term, from a formula and what it is of the states and that term.
fn solve(formula: &Expr, e: &Expr, states: &[Expr], terms: &mut [Option<Expr>]) -> Option<()> {
    let same = |holds: bool| holds.then_some(());
    match (&**formula, &**e) {
        (Node::Var(Var::Free(level)), _) => {
            let level = *level as usize;
            match states.get(level) {
                Some(state) => same(state == e),
                None => match &mut terms[level - states.len()] {
                    Some(term) => same(term == e),
                    unknown => {
                        *unknown = Some(e.clone());
                        Some(())
                    }
                },
            }
        }
        (Node::Prim(f, a), Node::Prim(g, b)) if f == g => {
            a.iter().zip(b).try_for_each(|(a, b)| solve(a, b, states, terms))
        }
        _ => same(formula == e),
    }
}
