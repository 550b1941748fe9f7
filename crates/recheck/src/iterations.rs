//! Rules about `iterate`, and induction over its rounds.

use crate::inference::{Equation, Replay};
use crate::prelude::*;
use crate::rewrite::wrong_form;
use crate::typing::Judge;

impl Store {
    /// `let` after `let` around a body: each value stands below those before it.
    fn lets(&self, values: &[Term], body: Term) -> Checked<Term> {
        values.iter().rev().try_fold(body, |body, value| self.term(TermNode::Let(*value, body)))
    }

    /// The step of state `k` at an index, below the states and the new ones before it. `states` are starts
    /// and steps in turn; what the terms at hand have of free variables is below `fresh`.
    fn step_at(&self, states: &[Term], k: usize, index: Ix, fresh: u32) -> Checked<Term> {
        let around = (states.len() / 2 + k) as u32;
        let step = self.at(states[2 * k + 1], index)?;
        self.close_all(self.open_all(step, fresh, around + 1)?, fresh, around)
    }
}

impl Judge<'_> {
    /// The right side of a rule for an iteration: how many rounds, its starts and steps in turn, its body.
    pub(crate) fn iterate_rule(
        &mut self,
        rule: Rule,
        term: Term,
        (n, states, body): (Ix, &[Term], Term),
    ) -> Checked<Term> {
        let (count, zero) = (states.len() / 2, self.store.literal(0)?);
        match rule {
            Rule::IterateZero => {
                self.show(self.store.compare(Relation::Le, n, zero)?)?;
                let starts: Vec<Term> = states.iter().step_by(2).copied().collect();
                self.store.lets(&starts, body)
            }
            Rule::IterateLast => {
                self.show(self.store.compare(Relation::Lt, zero, n)?)?;
                let (store, fresh) = (&self.store, self.context.len());
                let before = store.mk(IxOp::Sub, n, store.literal(1)?)?;
                let last = (0..count).map(|k| store.step_at(states, k, before, fresh));
                let body = store.lets(&last.collect::<Checked<Vec<_>>>()?, body)?;
                store.term(TermNode::Iterate(before, store.terms(states)?, body))
            }
            Rule::IterateBody => {
                let store = &self.store;
                let of = |k: usize| {
                    let state = store.term(TermNode::Bound((count - 1 - k) as u32))?;
                    let TermNode::Iterate(n, states, _) = store.node(term) else { return wrong_form() };
                    store.term(TermNode::Iterate(n, states, state))
                };
                store.lets(&(0..count).map(of).collect::<Checked<Vec<_>>>()?, body)
            }
            _ => wrong_form(),
        }
    }
}

impl Replay<'_> {
    /// What begins and goes on as the states of an iteration is the states.
    pub(crate) fn induction(&mut self, term: Term, given: &[(Term, usize, usize)]) -> Checked<Equation> {
        let TermNode::Iterate(n, states, body) = self.judge.store.node(term) else {
            return refuse("`induction` is about a term that is not an iteration");
        };
        let (states, level) = (self.judge.store.term_list(states), self.judge.context.len());
        require(states.len() == 2 * given.len(), "an induction has other states than the iteration")?;
        let types = self.judge.types_of(term)?;
        let zero = self.judge.store.literal(0)?;
        self.judge.show(self.judge.store.compare(Relation::Le, zero, n)?)?;
        let bases = given.iter().map(|(_, base, _)| self.premise(*base)).collect::<Checked<Vec<_>>>()?;
        self.judge.context.push_index(&self.judge.store, n)?;
        for (family, ..) in given {
            self.judge.type_of(*family)?;
        }
        let steps = given.iter().map(|(.., step)| self.premise(*step)).collect::<Checked<Vec<_>>>()?;
        let (store, fresh) = (&self.judge.store, self.judge.context.len());
        let at = |ix: Ix| {
            let value = |family: Term| store.at(store.close(family, level)?, ix);
            given.iter().map(|(family, ..)| value(*family)).collect::<Checked<Vec<_>>>()
        };
        let t = store.free_ix(level)?;
        let after = store.mk(IxOp::Add, t, store.literal(1)?)?;
        let (first, now, next) = (at(zero)?, at(t)?, at(after)?);
        for (k, (base, step)) in bases.iter().zip(&steps).enumerate() {
            let begins = (base.left, base.right) == (first[k], states[2 * k]);
            require(begins, "a family begins as something else than its state")?;
            let new = store.lets(&next[..k], store.step_at(&states, k, t, fresh)?)?;
            let goes_on = (step.left, step.right) == (next[k], store.lets(&now, new)?);
            require(goes_on, "a family goes on otherwise than its state")?;
        }
        let left = store.lets(&at(n)?, body)?;
        self.judge.context.leave(level);
        let others = self.judge.types_of(left)?;
        self.judge.same_types(&others, &types)?;
        let premises = || bases.iter().chain(&steps);
        Ok(Equation {
            left,
            right: term,
            laws: premises().fold(Laws::NONE, |laws, premise| laws.and(premise.laws)),
            rounding: premises().fold(Rounding::Bitwise, |worst, premise| worst.max(premise.rounding)),
            alike: types == others,
        })
    }
}
