//! Intersections. A run that searches for iterations uses the algorithm that a back end would, so that the
//! counts are those of compiled code; another one runs every pair of places.

use super::event::Event;
use super::run::Run;
use super::trap::TrapKind;
use crate::intersection::{Algorithm, Intersection, Sequence};
use crate::search::find;
use crate::{LoopKind, Stmt};

/// One of the two sequences.
struct Side<'a> {
    sequence: &'a Sequence,
    at: i64,
    end: i64,
}

/// What is done at a match.
#[derive(Clone, Copy)]
struct Match<'a> {
    intersection: &'a Intersection,
    body: &'a Stmt,
}

impl Run<'_> {
    /// The loops that an intersection means; a run traps where its keys do not increase.
    pub(super) fn every_pair(&mut self, intersection: &Intersection, body: &Stmt) -> Result<(), TrapKind> {
        let Sequence { var, lo, hi, .. } = &intersection.first;
        let (bounds, search) = ((self.int(lo)?, self.int(hi)?), intersection.search());
        self.for_loop(var, bounds, &LoopKind::Serial, |run| run.searching(&search, body))?;
        // A search is known by where it is, and this one ceases to be.
        self.fingers.retain(|finger| finger.along != *var);
        Ok(())
    }

    /// The matches, by the algorithm that the lengths select.
    pub(super) fn intersection(&mut self, intersection: &Intersection, body: &Stmt) -> Result<(), TrapKind> {
        let Intersection { first, second, strategy, .. } = intersection;
        let (at, end) = (self.int(&first.lo)?, self.int(&first.hi)?);
        self.fingers.retain(|finger| finger.along != first.var);
        if at >= end {
            (self.observer)(Event::Entered { var: &first.var, turns: 0 });
            return Ok(());
        }
        let mut second = Side { sequence: second, at: self.int(&second.lo)?, end: self.int(&second.hi)? };
        let mut first = Side { sequence: first, at, end };
        let lengths = [&first, &second].map(|side| side.end.saturating_sub(side.at).max(0).unsigned_abs());
        if lengths[1] == 0 {
            (self.observer)(Event::Entered { var: &first.sequence.var, turns: 0 });
            return Ok(());
        }
        let met = Match { intersection, body };
        match Algorithm::of(*strategy, lengths[0], lengths[1]) {
            Algorithm::Branchless | Algorithm::TwoPointer => self.two_pointer(&mut first, &mut second, met),
            Algorithm::GallopRight => self.gallop(&mut first, &mut second, met),
            Algorithm::GallopLeft => self.gallop(&mut second, &mut first, met),
        }
    }

    fn two_pointer(
        &mut self,
        first: &mut Side<'_>,
        second: &mut Side<'_>,
        met: Match<'_>,
    ) -> Result<(), TrapKind> {
        let mut turns = 0;
        while first.at < first.end && second.at < second.end {
            turns += 1;
            let (sought, key) = (self.key_of(first, first.at)?, self.key_of(second, second.at)?);
            if sought == key {
                self.both(first, second, met)?;
            }
            first.at += i64::from(sought <= key);
            second.at += i64::from(key <= sought);
        }
        (self.observer)(Event::Entered { var: &first.sequence.var, turns });
        Ok(())
    }

    /// Over the one; each of its keys is looked for in the other.
    fn gallop(&mut self, over: &mut Side<'_>, within: &mut Side<'_>, met: Match<'_>) -> Result<(), TrapKind> {
        let mut turns = 0;
        while over.at < over.end && within.at < within.end {
            turns += 1;
            let sought = self.key_of(over, over.at)?;
            let mut looks = 0;
            within.at = find(0, within.at, within.end, |place| {
                looks += 1;
                Ok(self.key_of(within, place)? < sought)
            })?;
            (self.observer)(Event::Searched { var: &within.sequence.var, looks });
            (self.observer)(Event::Entered {
                var: &within.sequence.var,
                turns: u64::from(within.at < within.end),
            });
            if within.at < within.end && self.key_of(within, within.at)? == sought {
                self.both(over, within, met)?;
                within.at += 1;
            }
            over.at += 1;
        }
        (self.observer)(Event::Entered { var: &over.sequence.var, turns });
        Ok(())
    }

    /// The body where both stand.
    fn both(&mut self, a: &Side<'_>, b: &Side<'_>, met: Match<'_>) -> Result<(), TrapKind> {
        let outer = self.vars.len();
        self.vars.extend([a, b].map(|side| (side.sequence.var.clone(), side.at)));
        let is_met = match &met.intersection.rest {
            Some(rest) => self.bool(rest)?,
            None => true,
        };
        if is_met {
            self.stmt(met.body)?;
        }
        self.vars.truncate(outer);
        Ok(())
    }

    fn key_of(&mut self, side: &Side<'_>, place: i64) -> Result<i64, TrapKind> {
        self.key(&side.sequence.var, place, &side.sequence.key)
    }
}
