//! Intersections in a run that searches for iterations: by the same algorithm as in a back end, so that the counts are those of compiled code.

use super::event::Event;
use super::run::Run;
use super::trap::TrapKind;
use crate::intersection::{Algorithm, Intersection};
use crate::search::find;
use crate::{Int, Name};

/// One of the two sequences.
struct Side<'a> {
    var: &'a Name,
    key: &'a Int,
    at: i64,
    end: i64,
}

impl Run<'_> {
    /// A loop over `var` that is an intersection.
    pub(super) fn intersection(
        &mut self,
        var: &Name,
        (lo, hi): (&Int, &Int),
        intersection: &Intersection<'_>,
    ) -> Result<(), TrapKind> {
        let (at, end) = (self.int(lo)?, self.int(hi)?);
        let (mut first, mut second) = (
            Side { var, key: &intersection.search.sought, at, end },
            Side { var: &intersection.search.var, key: &intersection.search.key, at: 0, end: 0 },
        );
        self.fingers.retain(|finger| finger.along != *var);
        if at >= end {
            (self.observer)(Event::Entered { var, turns: 0 });
            return Ok(());
        }
        (second.at, second.end) = (self.int(&intersection.search.lo)?, self.int(&intersection.search.hi)?);
        let lengths = [&first, &second].map(|side| side.end.saturating_sub(side.at).max(0).unsigned_abs());
        if lengths[1] == 0 {
            (self.observer)(Event::Entered { var, turns: 0 });
            return Ok(());
        }
        match Algorithm::of(intersection.search.how.strategy, lengths[0], lengths[1]) {
            Algorithm::Branchless | Algorithm::TwoPointer => {
                self.two_pointer(&mut first, &mut second, intersection)
            }
            Algorithm::GallopRight => self.gallop(&mut first, &mut second, intersection),
            Algorithm::GallopLeft => self.gallop(&mut second, &mut first, intersection),
        }
    }

    fn two_pointer(
        &mut self,
        first: &mut Side<'_>,
        second: &mut Side<'_>,
        intersection: &Intersection<'_>,
    ) -> Result<(), TrapKind> {
        let mut turns = 0;
        while first.at < first.end && second.at < second.end {
            turns += 1;
            let (sought, key) = (self.key_of(first, first.at)?, self.key_of(second, second.at)?);
            if sought == key {
                self.both(first, second, intersection)?;
            }
            first.at += i64::from(sought <= key);
            second.at += i64::from(key <= sought);
        }
        (self.observer)(Event::Entered { var: first.var, turns });
        Ok(())
    }

    /// Over the one; each of its keys is looked for in the other.
    fn gallop(
        &mut self,
        over: &mut Side<'_>,
        within: &mut Side<'_>,
        intersection: &Intersection<'_>,
    ) -> Result<(), TrapKind> {
        let mut turns = 0;
        while over.at < over.end && within.at < within.end {
            turns += 1;
            let sought = self.key_of(over, over.at)?;
            let mut looks = 0;
            within.at = find(0, within.at, within.end, |place| {
                looks += 1;
                Ok(self.key_of(within, place)? < sought)
            })?;
            (self.observer)(Event::Searched { var: within.var, looks });
            (self.observer)(Event::Entered { var: within.var, turns: u64::from(within.at < within.end) });
            if within.at < within.end && self.key_of(within, within.at)? == sought {
                self.both(over, within, intersection)?;
                within.at += 1;
            }
            over.at += 1;
        }
        (self.observer)(Event::Entered { var: over.var, turns });
        Ok(())
    }

    /// The body where both stand.
    fn both(&mut self, a: &Side<'_>, b: &Side<'_>, intersection: &Intersection<'_>) -> Result<(), TrapKind> {
        let outer = self.vars.len();
        self.vars.extend([(a.var.clone(), a.at), (b.var.clone(), b.at)]);
        if self.bool(&intersection.search.cond())? {
            self.stmt(intersection.body)?;
        }
        self.vars.truncate(outer);
        Ok(())
    }

    fn key_of(&mut self, side: &Side<'_>, place: i64) -> Result<i64, TrapKind> {
        self.key(side.var, place, side.key)
    }
}
