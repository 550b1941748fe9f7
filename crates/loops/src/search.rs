//! Searches: loops of which one iteration, or a run of them, does something.
//!
//! ```text
//! search for q in lo..hi { if key(q) == sought && rest { body } }
//! ```
//!
//! means the plain loop. Its keys must strictly increase along `q`, and what is sought depends on nothing
//! inside; so the body runs for one `q` at most, and a back end looks for that one: [`find`] says how. The
//! interpreter runs every iteration, and traps where the keys do not increase. Of `search all` the keys
//! must never fall: those that are sought follow each other, and the body is run for each from the first
//! one on.
//!
//! **Fingers.** `search(p) for q in ..` stands in a loop over `p` along which `sought` never falls, and on
//! which keys and bounds do not depend. Then a search need not begin at `lo`: it goes on where the last one
//! in the same run of the loop over `p` stopped. So two sequences that are walked together are merged, in
//! steps that grow with the gaps. The interpreter traps where it falls. `search all(p)` goes on behind the
//! run that it found, so there `sought` must strictly increase, and between that loop and the search no
//! loop may look for the same run again: there are searches for one place only.
//!
//! What keys and bounds are read from is not stored to meanwhile: it is inputs, or scratch on the heap that
//! the body leaves as it is.

use crate::intersection::IntersectionStrategy;
use crate::{Bool, CmpOp, Int, LoopKind, Name, Stmt};

/// The head of a search: its places, and what must hold at one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search {
    /// The variable of its places.
    pub var: Name,
    /// The first place.
    pub lo: Int,
    /// One past the last place.
    pub hi: Int,
    /// Mentions the variable, and increases with it.
    pub key: Int,
    /// Does not mention it.
    pub sought: Int,
    /// What else must hold where the two are equal.
    pub rest: Option<Bool>,
    /// How it is done.
    pub how: How,
}

/// How a search is done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct How {
    /// May there be several places, one after the other? Else there is one at most.
    pub all: bool,
    /// The loop around it along which what is sought never falls, so that a search goes on where the last
    /// one stood.
    pub along: Option<Name>,
    /// How it and that loop may be traversed together, if they are all that is done: see
    /// [`intersection`](crate::intersection). What is sought strictly increases then.
    pub strategy: Option<IntersectionStrategy>,
}

impl Search {
    /// The condition on a place, of which the equation is evaluated first.
    pub fn cond(&self) -> Bool {
        let found = Bool::Cmp(CmpOp::Eq, self.key.clone(), self.sought.clone());
        match &self.rest {
            None => found,
            Some(rest) => Bool::And(Box::new(found), Box::new(rest.clone())),
        }
    }

    /// Its bounds and the two sides of the equation: what reads what the body does not store to.
    pub fn terms(&self) -> [&Int; 4] {
        [&self.lo, &self.hi, &self.key, &self.sought]
    }

    /// The loop that it means, with this body.
    pub fn plain(&self, body: Stmt) -> Stmt {
        let (lo, hi) = (self.lo.clone(), self.hi.clone());
        Stmt::for_loop(self.var.clone(), lo, hi, LoopKind::Serial, Stmt::guard(self.cond(), body))
    }

    /// Calls `f` on each buffer that its terms read, with the cell.
    pub fn for_each_read<'a>(&'a self, f: &mut impl FnMut(&'a Name, &'a Int)) {
        self.terms().into_iter().for_each(|term| term.for_each_read(f));
        self.rest.iter().for_each(|rest| rest.for_each_read(f));
    }
}

impl Stmt {
    /// The search that a loop from `lo` to `hi` over `var` with this body is, if the body is a condition
    /// that begins with an equation of which one side mentions the variable.
    pub fn search(var: &Name, (lo, hi): (&Int, &Int), how: &How, body: &Stmt) -> Option<Stmt> {
        let Stmt::If { cond, then, otherwise: None } = body else { return None };
        let (key, sought) = match first(cond) {
            Bool::Cmp(CmpOp::Eq, a, b) if a.mentions(var) && !b.mentions(var) => (a.clone(), b.clone()),
            Bool::Cmp(CmpOp::Eq, a, b) if b.mentions(var) && !a.mentions(var) => (b.clone(), a.clone()),
            _ => return None,
        };
        let (var, lo, hi, how) = (var.clone(), lo.clone(), hi.clone(), how.clone());
        let search = Search { var, lo, hi, key, sought, rest: rest(cond), how };
        Some(Stmt::Search { search, body: then.clone() })
    }
}

/// A condition without the part that is evaluated first.
fn rest(cond: &Bool) -> Option<Bool> {
    match cond {
        Bool::And(a, b) => Some(rest(a).map_or_else(|| (**b).clone(), |a| Bool::and(a, (**b).clone()))),
        _ => None,
    }
}

/// The part of a condition that is evaluated first.
fn first(cond: &Bool) -> &Bool {
    match cond {
        Bool::And(a, _) => first(a),
        cond => cond,
    }
}

/// A search that goes on along a loop.
#[derive(Clone, Copy, Debug)]
pub struct Finger<'a> {
    /// The number of its statement within that loop's body, in the order of [`Stmt::for_each`].
    pub number: usize,
    /// Where it looks, and for what.
    pub search: &'a Search,
}

/// The searches in the body of a loop over `var` that go on along it.
pub fn fingers<'a>(body: &'a Stmt, var: &Name) -> Vec<Finger<'a>> {
    let (mut found, mut number) = (Vec::new(), 0);
    body.for_each(&mut |stmt| {
        if let Stmt::Search { search, .. } = stmt
            && search.how.along.as_ref() == Some(var)
        {
            found.push(Finger { number, search });
        }
        number += 1;
    });
    found
}

/// So many places are looked at one after the other before steps grow: where two sequences are walked
/// together and one is not much longer than the other, what is sought is near, and a step of one is
/// foreseen more often than steps that grow.
pub const NEAR: i64 = 8;

/// The first of `from..end` whose key is not below what is sought, or the end: the `near` ones are looked
/// at, as a rule [`NEAR`], then places farther and farther on until one is not below or there is none, and
/// then halves of what lies between. `below` is asked of each place that is looked at.
///
/// ```
/// use atl_loops::search::NEAR;
/// let keys: Vec<i64> = (0..20).map(|q| 3 * q).collect();
/// let asked_for = |sought| {
///     let mut asked = Vec::new();
///     let place = atl_loops::search::find(NEAR, 0, 20, |q| {
///         asked.push(q);
///         Ok::<bool, ()>(keys[q as usize] < sought)
///     });
///     (place, asked)
/// };
/// assert_eq!(asked_for(5), (Ok(2), vec![0, 1, 2]));
/// assert_eq!(asked_for(40), (Ok(14), vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 13, 14]));
/// ```
pub fn find<E>(
    near: i64,
    from: i64,
    end: i64,
    mut below: impl FnMut(i64) -> Result<bool, E>,
) -> Result<i64, E> {
    let near = if end.saturating_sub(from) < near { end } else { from + near };
    let mut place = from;
    while place < near && below(place)? {
        place += 1;
    }
    if place < near {
        return Ok(place);
    }
    let (mut low, mut step) = (place, 1);
    while place < end && below(place)? {
        low = place + 1;
        place = place.saturating_add(step);
        step = step.saturating_mul(2);
    }
    let mut high = place.min(end);
    while low < high {
        let middle = low + (high - low) / 2;
        if below(middle)? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::{NEAR, find};

    #[test]
    fn places_may_be_as_many_as_there_are_numbers() {
        for answer in [0, 1, 1 << 40, (1 << 62) - 1, 1 << 62, i64::MAX - 1, i64::MAX] {
            assert_eq!(find(NEAR, 0, i64::MAX, |q| Ok::<bool, ()>(q < answer)), Ok(answer));
        }
    }

    #[test]
    fn the_first_place_is_found_and_few_are_looked_at() {
        for length in 0..40i64 {
            for from in 0..=length {
                for answer in from..=length {
                    let mut asked = 0u32;
                    let below = |q: i64| {
                        asked += 1;
                        assert!((from..length).contains(&q));
                        Ok::<bool, ()>(q < answer)
                    };
                    assert_eq!(find(NEAR, from, length, below), Ok(answer));
                    let most = if answer - from < NEAR {
                        (answer - from + 1) as u32
                    } else {
                        2 * (answer - from - NEAR + 1).ilog2() + 2 + NEAR as u32
                    };
                    assert!(asked <= most, "{asked} > {most} for {answer} from {from} of {length}");
                }
            }
        }
    }
}
