//! Intersections. A run that searches for iterations uses the algorithm that a back end would, so that the
//! counts are those of compiled code; another one runs every combination of places.

use super::event::Event;
use super::run::Run;
use super::trap::TrapKind;
use crate::intersection::{Algorithm, AlgorithmOfSeveral, Intersection, Sequence};
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
        let (pair, algorithm) = match lengths[..] {
            [n, m] => ([0, 1], Algorithm::of(intersection.strategy, [n, m])),
            _ => match AlgorithmOfSeveral::of(intersection.strategy, &lengths) {
                AlgorithmOfSeveral::Steps => return self.steps(&mut sides, met),
                AlgorithmOfSeveral::Pair(pair, algorithm) => (pair, algorithm),
            },
        };
        match algorithm {
            Algorithm::Gallop(over) => self.gallop([pair[over], pair[1 - over]], &mut sides, met),
            Algorithm::Branchless | Algorithm::TwoPointer => self.merge_pair(pair, &mut sides, met),
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
        if let Some(first) = sides.first() {
            (self.observer)(Event::Entered { var: &first.sequence.var, turns });
        }
        Ok(())
    }

    /// The two of these numbers, step by step; what both have is sought in the others.
    fn merge_pair(
        &mut self,
        [a, b]: [usize; 2],
        sides: &mut [Side<'_>],
        met: Match<'_>,
    ) -> Result<(), TrapKind> {
        let (mut turns, var) = (0, &sides[a].sequence.var);
        while !sides.iter().any(Side::is_over) {
            turns += 1;
            let (x, y) = (self.key_of(&sides[a])?, self.key_of(&sides[b])?);
            if x == y {
                self.in_others([a, b], x, sides, met)?;
            }
            sides[a].at += i64::from(x <= y);
            sides[b].at += i64::from(y <= x);
        }
        (self.observer)(Event::Entered { var, turns });
        Ok(())
    }

    /// Over the first of these; each of its keys is sought in the second, and then in the others.
    fn gallop(&mut self, [a, b]: [usize; 2], sides: &mut [Side<'_>], met: Match<'_>) -> Result<(), TrapKind> {
        let (mut turns, var) = (0, &sides[a].sequence.var);
        while !sides.iter().any(Side::is_over) {
            turns += 1;
            let sought = self.key_of(&sides[a])?;
            if self.finds(sought, &mut sides[b])? {
                self.in_others([a, b], sought, sides, met)?;
                sides[b].at += 1;
            }
            sides[a].at += 1;
        }
        (self.observer)(Event::Entered { var, turns });
        Ok(())
    }

    /// The body, if all but these two, which stand at this key, have it.
    fn in_others(
        &mut self,
        pair: [usize; 2],
        sought: i64,
        sides: &mut [Side<'_>],
        met: Match<'_>,
    ) -> Result<(), TrapKind> {
        for nth in (0..sides.len()).filter(|nth| !pair.contains(nth)) {
            if !self.finds(sought, &mut sides[nth])? {
                return Ok(());
            }
        }
        self.all(sides, met)
    }

    /// Does a sequence have this key, from where it stands on?
    fn finds(&mut self, sought: i64, side: &mut Side<'_>) -> Result<bool, TrapKind> {
        self.seek(side, sought)?;
        Ok(!side.is_over() && self.key_of(side)? == sought)
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
    fn all(&mut self, sides: &[Side<'_>], met: Match<'_>) -> Result<(), TrapKind> {
        let outer = self.vars.len();
        self.vars.extend(sides.iter().map(|side| (side.sequence.var.clone(), side.at)));
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

    fn key_of(&mut self, side: &Side<'_>) -> Result<i64, TrapKind> {
        self.key(&side.sequence.var, side.at, &side.sequence.key)
    }

    fn keys_of(&mut self, sides: &[Side<'_>]) -> Result<Vec<i64>, TrapKind> {
        sides.iter().map(|side| self.key_of(side)).collect()
    }
}
