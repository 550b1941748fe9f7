//! Searches in a run: what they promise is looked at, and how many keys a back end would look at is told.

use super::event::Event;
use super::run::Run;
use super::trap::TrapKind;
use crate::search::{Search, find};
use crate::{Name, Stmt};

/// Where a search along a loop stands.
pub(super) struct Finger {
    /// The variable of that loop.
    pub(super) along: Name,
    /// Which search it is: where its body is.
    body: *const Stmt,
    place: i64,
    sought: i64,
}

impl Run<'_> {
    /// Looks at a search before its iterations are run.
    pub(super) fn search(
        &mut self,
        var: &Name,
        (lo, hi): (i64, i64),
        (all, along): (bool, Option<&Name>),
        body: &Stmt,
    ) -> Result<(), TrapKind> {
        // The validator has seen its form.
        let Some(search) = Search::of(var, body).filter(|_| lo < hi) else { return Ok(()) };
        let sought = self.int(search.sought)?;
        let mut keys = Vec::new();
        for place in lo..hi {
            self.step()?;
            self.vars.push((var.clone(), place));
            let key = self.int(search.key)?;
            if keys.last().is_some_and(|before| key < *before || key == *before && !all) {
                return Err(TrapKind::NotIncreasing { var: var.clone(), place });
            }
            self.vars.pop();
            keys.push(key);
        }
        let finger = self.fingers.iter().position(|finger| finger.body == std::ptr::from_ref(body));
        let from = match finger.map(|at| self.fingers.swap_remove(at)) {
            Some(Finger { sought: before, .. }) if sought < before || sought == before && all => {
                return Err(TrapKind::Fallen { var: var.clone(), before, sought });
            }
            Some(finger) => finger.place,
            None => lo,
        };
        let mut looks = 0;
        let place = find(from, hi, |place| {
            looks += 1;
            let key = usize::try_from(place - lo).ok().and_then(|at| keys.get(at));
            Ok(key.is_some_and(|key| *key < sought))
        })?;
        let run = match all {
            true => keys[(place - lo) as usize..].iter().take_while(|key| **key == sought).count() as i64,
            false => 0,
        };
        (self.observer)(Event::Searched { var, looks: looks + run as u64 });
        if let Some(along) = along {
            self.fingers.push(Finger {
                along: along.clone(),
                body: std::ptr::from_ref(body),
                place: place + run,
                sought,
            });
        }
        Ok(())
    }
}
