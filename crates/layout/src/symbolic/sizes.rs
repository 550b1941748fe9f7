//! What is known of sizes, and what follows.

use super::show;
use crate::refusal::{Kind, Refusal};
use atl_arith::Arith;
use atl_kernel::{Ctx, Ix, Label, Pred, Prover};

/// How many names an expression may have.
pub(super) const MOST_NAMES: usize = 16;

/// The sizes of an expression.
pub(super) struct Sizes {
    ctx: Ctx,
    names: Vec<String>,
    conditions: Vec<Pred>,
    prover: Arith,
    notes: Vec<String>,
}

impl Sizes {
    pub(super) fn new() -> Sizes {
        let (ctx, prover) = (Ctx::new(), Arith::new());
        Sizes { ctx, names: Vec::new(), conditions: Vec::new(), prover, notes: Vec::new() }
    }

    pub(super) fn into_parts(self) -> (Vec<String>, Vec<String>) {
        (self.names, self.notes)
    }

    /// The size of this name: a new one has at least 1 entry. Nothing if there are too many.
    pub(super) fn name(&mut self, name: &str) -> Option<Ix> {
        let at = self.names.iter().position(|known| known == name);
        let at = match at {
            Some(at) => at,
            None if self.names.len() == MOST_NAMES => return None,
            None => {
                let level = self.ctx.push_index(Label::new(name));
                self.ctx.push_hyp(Pred::le(Ix::ONE, Ix::free(level)));
                self.names.push(name.to_owned());
                self.names.len() - 1
            }
        };
        // Each name is followed by what is known of it.
        Some(Ix::free(2 * u32::try_from(at).ok()?))
    }

    /// Take this as known, of names that are known.
    pub(super) fn assume(&mut self, condition: Pred) {
        self.conditions.push(condition);
    }

    /// No more names come, so what is assumed of them can be.
    pub(super) fn close(&mut self) {
        for condition in std::mem::take(&mut self.conditions) {
            self.ctx.push_hyp(condition);
        }
    }

    /// Does this follow? The proof is checked.
    pub(super) fn proves(&mut self, goal: &Pred) -> bool {
        let proof = self.prover.prove(&self.ctx, goal);
        proof.is_some_and(|proof| atl_kernel::cert::check(&self.ctx, goal, &proof).is_ok())
    }

    pub(super) fn equal(&mut self, a: &Ix, b: &Ix) -> bool {
        a == b || self.proves(&Pred::eq(a.clone(), b.clone()))
    }

    pub(super) fn at_most(&mut self, a: &Ix, b: &Ix) -> bool {
        self.proves(&Pred::le(a.clone(), b.clone()))
    }

    /// Does `a` divide `b`? `a` is not 0.
    pub(super) fn divides(&mut self, a: &Ix, b: &Ix) -> bool {
        self.proves(&Pred::eq(b.clone() % a.clone(), Ix::ZERO))
    }

    /// A term in short form.
    pub(super) fn short(&self, ix: Ix) -> Ix {
        atl_arith::simplify(&self.ctx, &ix)
    }

    pub(super) fn shown(&self, ix: &Ix) -> String {
        show::ix(ix, &self.names)
    }

    /// `3:M`
    pub(super) fn mode(&self, (n, d): &(Ix, Ix)) -> String {
        format!("{}:{}", self.shown(n), self.shown(d))
    }

    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The refusal for want of one of these conditions, each in words, with sizes at which all are false.
    pub(super) fn unshown(&self, kind: Kind, message: String, wanted: &[(String, Pred)]) -> Box<Refusal> {
        let refusal = Refusal::new(kind, message);
        let refusal = wanted
            .iter()
            .fold(refusal, |refusal, (words, _)| refusal.note(format!("it is not shown that {words}")));
        let any = wanted.iter().map(|(_, p)| p.clone()).reduce(Pred::or);
        let sizes = any.and_then(|any| atl_arith::counterexample(&self.ctx, &any));
        let refusal = match sizes {
            Some(sizes) => {
                let value = |(level, n): &(u32, i64)| {
                    let name = self.names.get(usize::try_from(level / 2).ok()?)?;
                    Some(format!("{name} = {n}"))
                };
                let sizes: Vec<String> = sizes.iter().filter_map(value).collect();
                let what = if wanted.len() > 1 { "none of it holds" } else { "it does not hold" };
                refusal.note(match sizes.is_empty() {
                    true => what.to_owned(),
                    false => format!("{what} for {}", sizes.join(", ")),
                })
            }
            None => refusal,
        };
        match self.names.first() {
            Some(name) => {
                refusal.help(format!("say what is known of sizes at the end, as in `where {name} % 4 == 0`"))
            }
            None => refusal,
        }
    }
}
