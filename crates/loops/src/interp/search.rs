//! Searches in a run: what they promise is looked at, and how many keys a back end would look at is told.

use super::event::Event;
use super::run::{Run, Searches};
use super::trap::TrapKind;
use crate::search::{How, NEAR, Search, find};
use crate::{Int, LoopKind, Name};

/// Where a search along a loop stands.
pub(super) struct Finger {
    /// The variable of that loop.
    pub(super) along: Name,
    /// Which search it is: where it is.
    search: *const Search,
    place: i64,
    sought: i64,
}

impl Run<'_> {
    pub(super) fn searching(
        &mut self,
        search: &Search,
        body: impl Fn(&mut Self) -> Result<(), TrapKind>,
    ) -> Result<(), TrapKind> {
        let bounds = self.search(search)?;
        let cond = search.cond();
        self.for_loop(&search.var, bounds, &LoopKind::Serial, |run| {
            if run.bool(&cond)? { body(run) } else { Ok(()) }
        })
    }

    /// Looks at a search before its iterations are run, and gives those that are to be.
    fn search(&mut self, search: &Search) -> Result<(i64, i64), TrapKind> {
        let Search { var, how: How { all, along, strategy }, .. } = search;
        let (lo, hi) = (self.int(&search.lo)?, self.int(&search.hi)?);
        if lo >= hi {
            return Ok((lo, hi));
        }
        let all = *all;
        let sought = self.int(&search.sought)?;
        if self.options.searches == Searches::All {
            self.increasing(var, (lo, hi), all, &search.key)?;
        }
        let finger = self.fingers.iter().position(|finger| std::ptr::eq(finger.search, search));
        let from = match finger.map(|at| self.fingers.swap_remove(at)) {
            Some(Finger { sought: before, .. })
                if sought < before || sought == before && (all || strategy.is_some()) =>
            {
                return Err(TrapKind::Fallen { var: var.clone(), before, sought });
            }
            Some(finger) => finger.place,
            None => lo,
        };
        let mut looks = 0;
        let place = find(NEAR, from, hi, |place| {
            looks += 1;
            Ok(self.key(var, place, &search.key)? < sought)
        })?;
        let mut end = place;
        while end < hi && (all || end == place) && self.key(var, end, &search.key)? == sought {
            end += 1;
        }
        let run = if all { end - place } else { 0 };
        (self.observer)(Event::Searched { var, looks: looks + run as u64 });
        if let Some(along) = along {
            self.fingers.push(Finger {
                along: along.clone(),
                search: std::ptr::from_ref(search),
                place: place + run,
                sought,
            });
        }
        Ok(if self.options.searches == Searches::All { (lo, hi) } else { (place, end) })
    }

    /// The keys increase; those of a search for all at least do not fall.
    pub(super) fn increasing(
        &mut self,
        var: &Name,
        (lo, hi): (i64, i64),
        all: bool,
        key: &Int,
    ) -> Result<(), TrapKind> {
        let mut before = None;
        for place in lo..hi {
            let key = self.key(var, place, key)?;
            if before.is_some_and(|before| key < before || key == before && !all) {
                self.vars.push((var.clone(), place));
                return Err(TrapKind::NotIncreasing { var: var.clone(), place });
            }
            before = Some(key);
        }
        Ok(())
    }

    /// The key at a place. A trap leaves the variable as it is.
    pub(super) fn key(&mut self, var: &Name, place: i64, key: &Int) -> Result<i64, TrapKind> {
        self.step()?;
        self.vars.push((var.clone(), place));
        let key = self.int(key)?;
        self.vars.pop();
        Ok(key)
    }
}
