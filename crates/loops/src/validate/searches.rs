//! What a search must be by its text: see [`search`](crate::search).

use super::{Rule, Validator};
use crate::search::Search;
use crate::{LoopKind, Name, Stmt};

/// May a search go on from one iteration of a loop to the next?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Along {
    /// It may: iterations are run in order.
    Yes,
    /// It may, and there is one iteration at most.
    Once,
    /// It may not.
    No,
}

impl Along {
    pub(super) fn of(kind: &LoopKind) -> Along {
        match kind {
            LoopKind::Serial | LoopKind::Unroll | LoopKind::EarlyExit(_) | LoopKind::Unless(_) => Along::Yes,
            LoopKind::Parallel(_) | LoopKind::Vector { .. } | LoopKind::Block(_) | LoopKind::Thread(_) => {
                Along::No
            }
        }
    }
}

impl Validator {
    /// The head of a search, whose loops around are those entered so far.
    pub(super) fn search(&mut self, search: &Search, body: &Stmt) {
        let Search { var, how, .. } = search;
        let terms = search.terms();
        terms[..2].iter().for_each(|bound| self.int(bound));
        self.variable(var);
        if !search.key.mentions(var) || search.sought.mentions(var) {
            let message = format!("the search over `{var}` has no key of its places");
            self.report(Rule::Search, message);
        }
        if how.strategy.is_some() && (how.all || how.along.is_none()) {
            let message = format!("the search over `{var}` meets no loop, or several of its places do");
            self.report(Rule::Search, message);
        }
        for term in terms {
            term.for_each_read(&mut |buf, _| {
                if !self.is_kept(buf, body) {
                    let message = format!("the search over `{var}` reads `{buf}`, which may be stored to");
                    self.report(Rule::Search, message);
                }
            });
        }
        let Some(along) = &how.along else { return };
        let Some(outer) = self.loops.iter().position(|(name, _)| name == along) else {
            let message = format!("the search over `{var}` stands in no loop over `{along}`");
            return self.report(Rule::Search, message);
        };
        let inside: Vec<Name> = self.loops[outer + 1..].iter().map(|(name, _)| name.clone()).collect();
        if self.loops[outer..].iter().any(|(_, may)| *may == Along::No) {
            let message = format!("from `{along}` to the search over `{var}` not all loops run in order");
            self.report(Rule::Search, message);
        }
        if how.all && self.loops[outer + 1..].iter().any(|(_, may)| *may == Along::Yes) {
            let message = format!(
                "the search over `{var}` looks for the same run again, within one iteration of `{along}`"
            );
            self.report(Rule::Search, message);
        }
        let [lo, hi, key, _] = terms;
        let fixed = [lo, hi, key].iter().all(|term| !term.mentions(along)) && !lo.reads();
        if !fixed || inside.iter().any(|name| terms.iter().any(|term| term.mentions(name))) {
            let message =
                format!("of the search over `{var}`, more than what is sought varies along `{along}`");
            self.report(Rule::Search, message);
        }
    }

    /// The searches in a loop that go on from one of its iterations to the next, whose runs nothing in the
    /// loop may change.
    pub(super) fn continued(&mut self, var: &Name, body: &Stmt) {
        let mut changed = Vec::new();
        body.for_each(&mut |stmt| {
            let Stmt::Search { search, .. } = stmt else { return };
            if search.how.along.as_ref() != Some(var) {
                return;
            }
            for term in search.terms() {
                term.for_each_read(&mut |buf, _| {
                    if !self.is_kept(buf, body) {
                        changed.push((search.var.clone(), buf.clone()));
                    }
                });
            }
        });
        for (place, buf) in changed {
            let message = format!(
                "the search over `{place}` goes on along `{var}` and reads `{buf}`, which may be stored to"
            );
            self.report(Rule::Search, message);
        }
    }
}
