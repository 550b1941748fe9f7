//! Merges in a run: every key once, in order, and it is looked at whether those of each run increase.

use super::event::Event;
use super::run::Run as Running;
use super::trap::TrapKind;
use crate::{Name, Run, Stmt};

/// What is known of a run while it is merged.
struct Walk {
    at: i64,
    hi: i64,
    /// The key at the place; none at the end.
    key: Option<Vec<i64>>,
}

impl Running<'_> {
    /// Runs the body for each key.
    pub(super) fn merge(&mut self, keys: &[Name], runs: &[Run], body: &Stmt) -> Result<(), TrapKind> {
        let mut walks = Vec::new();
        for run in runs {
            let (at, hi) =
                if self.bool(&run.cond)? { (self.int(&run.lo)?, self.int(&run.hi)?) } else { (0, 0) };
            walks.push(Walk { at, hi, key: self.key_at(run, at, hi)? });
        }
        for var in keys {
            (self.observer)(Event::Entered { var, turns: 0 });
        }
        let mut turns = 0;
        while let Some(least) = walks.iter().filter_map(|walk| walk.key.clone()).min() {
            self.step()?;
            turns += 1;
            let outer = self.vars.len();
            self.vars.extend(keys.iter().cloned().zip(least.iter().copied()));
            for (run, walk) in runs.iter().zip(&walks) {
                let has = i64::from(walk.key.as_ref() == Some(&least));
                self.vars.extend([(run.place.clone(), walk.at), (run.has.clone(), has)]);
            }
            self.stmt(body)?;
            self.vars.truncate(outer);
            for (run, walk) in
                runs.iter().zip(&mut walks).filter(|(_, walk)| walk.key.as_ref() == Some(&least))
            {
                walk.at += 1;
                walk.key = self.key_at(run, walk.at, walk.hi)?;
                if walk.key.as_ref().is_some_and(|key| *key <= least) {
                    return Err(TrapKind::Unordered { place: run.place.clone(), at: walk.at });
                }
            }
        }
        if let Some(var) = keys.first() {
            (self.observer)(Event::Entered { var, turns });
        }
        Ok(())
    }

    /// The key at a place of a run, if it is one. A trap leaves the variable as it is.
    fn key_at(&mut self, run: &Run, at: i64, hi: i64) -> Result<Option<Vec<i64>>, TrapKind> {
        if at >= hi {
            return Ok(None);
        }
        self.vars.push((run.place.clone(), at));
        let key = run.key.iter().map(|part| self.int(part)).collect::<Result<_, _>>()?;
        self.vars.pop();
        Ok(Some(key))
    }
}
