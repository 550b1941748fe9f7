//! Intersections. A run that searches for iterations uses the algorithm that a back end would, so that the
//! counts are those of compiled code; another one runs every combination of places.

use super::event::Event;
use super::run::Run;
use super::trap::TrapKind;
use crate::intersection::{Algorithm, Intersection, Sequence};
use crate::search::{Search, find};
use crate::{Bool, LoopKind, Stmt};

/// One of the sequences.
struct Side<'a> {
    sequence: &'a Sequence,
    at: i64,
    end: i64,
}

impl Side<'_> {
    fn is_over(&self) -> bool {
        self.at >= self.end
    }

    fn length(&self) -> u64 {
        self.end.saturating_sub(self.at).max(0).unsigned_abs()
    }
}

/// What is done at a match.
#[derive(Clone, Copy)]
struct Match<'a> {
    rest: Option<&'a Bool>,
    body: &'a Stmt,
}

impl Run<'_> {
    /// The loops that an intersection means; a run traps where its keys do not increase, or where a back end
    /// would read a bound or a key that is not there.
    pub(super) fn every_pair(&mut self, intersection: &Intersection, body: &Stmt) -> Result<(), TrapKind> {
        let (first, searches) = (&intersection.first, intersection.searches());
        let bounds = (self.int(&first.lo)?, self.int(&first.hi)?);
        for (nth, Search { var, lo, hi, key, .. }) in searches.iter().enumerate() {
            let (lo, hi) = match bounds.0 < bounds.1 {
                true => (self.int(lo)?, self.int(hi)?),
                false => break,
            };
            if lo >= hi {
                break;
            }
            // The first partner's are looked at in each iteration.
            if nth > 0 {
                self.increasing(var, (lo, hi), false, key)?;
            }
        }
        self.for_loop(&first.var, bounds, &LoopKind::Serial, |run| run.searching_all(&searches, body))?;
        // A search is known by where it is, and these cease to be.
        self.fingers.retain(|finger| finger.along != first.var);
        Ok(())
    }

    /// The body inside all of these searches.
    fn searching_all(&mut self, searches: &[Search], body: &Stmt) -> Result<(), TrapKind> {
        match searches.split_first() {
            Some((search, others)) => self.searching(search, |run| run.searching_all(others, body)),
            None => self.stmt(body),
        }
    }

    /// The matches, by the algorithm that the lengths select.
    pub(super) fn intersection(&mut self, intersection: &Intersection, body: &Stmt) -> Result<(), TrapKind> {
        let first = &intersection.first.var;
        self.fingers.retain(|finger| finger.along != *first);
        let mut sides = Vec::new();
        for sequence in intersection.sequences() {
            let side = Side { sequence, at: self.int(&sequence.lo)?, end: self.int(&sequence.hi)? };
            if side.is_over() {
                (self.observer)(Event::Entered { var: first, turns: 0 });
                return Ok(());
            }
            sides.push(side);
        }
        let lengths: Vec<u64> = sides.iter().map(Side::length).collect();
        let rest = intersection.rest();
        let met = Match { rest: rest.as_ref(), body };
        match (Algorithm::of(intersection.strategy, &lengths), sides.as_mut_slice()) {
            (Algorithm::GallopRight, [first, second]) => self.gallop(first, second, met),
            (Algorithm::GallopLeft, [first, second]) => self.gallop(second, first, met),
            (Algorithm::Leapfrog, sides) => self.leapfrog(sides, met),
            (_, sides) => self.steps(sides, met),
        }
    }

    /// Round by round, those behind the greatest key advance by one place.
    fn steps(&mut self, sides: &mut [Side<'_>], met: Match<'_>) -> Result<(), TrapKind> {
        let mut turns = 0;
        while !sides.iter().any(Side::is_over) {
            turns += 1;
            let keys = self.keys_of(sides)?;
            let greatest = keys.iter().max().copied();
            let are_equal = keys.iter().all(|key| Some(*key) == greatest);
            if are_equal {
                self.all(sides, met)?;
            }
            for (side, key) in sides.iter_mut().zip(keys) {
                side.at += i64::from(are_equal || Some(key) < greatest);
            }
        }
        self.entered(sides, turns);
        Ok(())
    }

    /// Round by round, those behind the greatest key gallop to it.
    fn leapfrog(&mut self, sides: &mut [Side<'_>], met: Match<'_>) -> Result<(), TrapKind> {
        let mut turns = 0;
        while !sides.iter().any(Side::is_over) {
            turns += 1;
            let Some(greatest) = self.keys_of(sides)?.into_iter().max() else { break };
            for side in sides.iter_mut() {
                self.seek(side, greatest)?;
            }
            if sides.iter().any(Side::is_over) {
                break;
            }
            if self.keys_of(sides)?.into_iter().all(|key| key == greatest) {
                self.all(sides, met)?;
                sides.iter_mut().for_each(|side| side.at += 1);
            }
        }
        self.entered(sides, turns);
        Ok(())
    }

    /// Over the one; each of its keys is looked for in the other.
    fn gallop(&mut self, over: &mut Side<'_>, within: &mut Side<'_>, met: Match<'_>) -> Result<(), TrapKind> {
        let mut turns = 0;
        while !over.is_over() && !within.is_over() {
            turns += 1;
            let sought = self.key_of(over)?;
            self.seek(within, sought)?;
            if !within.is_over() && self.key_of(within)? == sought {
                self.all(&[&*over, &*within], met)?;
                within.at += 1;
            }
            over.at += 1;
        }
        (self.observer)(Event::Entered { var: &over.sequence.var, turns });
        Ok(())
    }

    /// To the first place whose key is not below what is sought.
    fn seek(&mut self, side: &mut Side<'_>, sought: i64) -> Result<(), TrapKind> {
        let Sequence { var, key, .. } = side.sequence;
        let mut looks = 0;
        side.at = find(0, side.at, side.end, |place| {
            looks += 1;
            Ok(self.key(var, place, key)? < sought)
        })?;
        (self.observer)(Event::Searched { var, looks });
        (self.observer)(Event::Entered { var, turns: u64::from(!side.is_over()) });
        Ok(())
    }

    /// The body where all stand.
    fn all<'a, S: std::borrow::Borrow<Side<'a>>>(
        &mut self,
        sides: &[S],
        met: Match<'_>,
    ) -> Result<(), TrapKind> {
        let outer = self.vars.len();
        let place = |side: &S| (side.borrow().sequence.var.clone(), side.borrow().at);
        self.vars.extend(sides.iter().map(place));
        let is_met = match met.rest {
            Some(rest) => self.bool(rest)?,
            None => true,
        };
        if is_met {
            self.stmt(met.body)?;
        }
        self.vars.truncate(outer);
        Ok(())
    }

    fn entered(&mut self, sides: &[Side<'_>], turns: u64) {
        let first = sides.first().map(|side| &side.sequence.var);
        first.into_iter().for_each(|var| (self.observer)(Event::Entered { var, turns }));
    }

    fn key_of(&mut self, side: &Side<'_>) -> Result<i64, TrapKind> {
        self.key(&side.sequence.var, side.at, &side.sequence.key)
    }

    fn keys_of(&mut self, sides: &[Side<'_>]) -> Result<Vec<i64>, TrapKind> {
        sides.iter().map(|side| self.key_of(side)).collect()
    }
}
