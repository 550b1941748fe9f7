//! What a merge must be by its text: see [`merge`](crate::merge).

use super::searches::Along;
use super::{Rule, Validator};
use crate::{Int, Name, Run, Stmt, merge};
use std::collections::BTreeSet;

impl Validator {
    /// A merge, whose variables are in scope in its body.
    pub(super) fn merge(&mut self, keys: &[Name], runs: &[Run], body: &Stmt) {
        let shown = keys.iter().map(Name::as_str).collect::<Vec<_>>().join(", ");
        if self.vector_loops > 0 {
            self.report(Rule::Merge, format!("the merge by `{shown}` stands inside a vector loop"));
        }
        if keys.is_empty() || runs.is_empty() || runs.iter().any(|run| run.key.len() != keys.len()) {
            self.report(Rule::Merge, format!("the runs merged by `{shown}` have keys of other parts"));
        }
        let mut own = BTreeSet::new();
        for var in merge::variables(keys, runs) {
            self.variable(var);
            if !own.insert(var.clone()) {
                self.report(Rule::Name, format!("the variable `{var}` is taken"));
            }
        }
        for run in runs {
            self.bool(&run.cond);
            self.int(&run.lo);
            self.int(&run.hi);
            self.vars.push(run.place.clone());
            run.key.iter().for_each(|part| self.int(part));
            self.vars.pop();
            run.for_each_read(&mut |buf, _| {
                if !self.is_kept(buf, body) {
                    let message = format!("the run of `{}` reads `{buf}`, which may be stored to", run.place);
                    self.report(Rule::Merge, message);
                }
            });
        }
        // Which keys there are, and where each run stands, is the iteration's own if anything of a run is.
        for concurrent in &mut self.concurrent {
            let varies = |term: &Int| concurrent.varies(term);
            let differs = runs.iter().any(|run| {
                let terms = [&run.lo, &run.hi].into_iter().chain(&run.key);
                concurrent.varies_where(&run.cond) || terms.into_iter().any(varies)
            });
            if differs {
                concurrent.dependent.extend(own.iter().cloned());
            }
        }
        let outer = self.vars.len();
        self.vars.extend(own.iter().cloned());
        self.loops.extend(own.iter().map(|var| (var.clone(), Along::No)));
        self.stmt(body);
        self.loops.truncate(self.loops.len() - own.len());
        self.vars.truncate(outer);
        for concurrent in &mut self.concurrent {
            concurrent.dependent.retain(|var| !own.contains(var));
        }
    }
}
