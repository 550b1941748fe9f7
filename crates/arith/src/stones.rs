//! Certificates by way of what is read on the way: first that each position is there, then what stands at it.
//!
//! An entry of a compressed level is in range because its position is, which is so because the one above is, and so on. A search that
//! finds all of that at once takes more for each level than for the one before. So the indices of all reads in sight are shown to be in
//! range first, inner ones before outer ones, each by what was shown before. The certificate distinguishes whether each is in range,
//! refutes that it is not as was shown, and goes on.

use crate::renumber::{Count, Renumber};
use crate::search::{Outcome, Search};
use atl_kernel::{Cert, Ctx, Entry, Ix, Pred, Var};

/// So many indices are looked at, at most.
const MOST: usize = 48;

/// A certificate that goes by what is read, if the goal has reads inside reads and there is one.
pub(crate) fn by_way_of_reads(ctx: &Ctx, goal: &Pred, limit: u64) -> Option<Cert> {
    if depth(goal) < 2 {
        return None;
    }
    let mut there = ctx.clone();
    let mut shown: Vec<Stone> = Vec::new();
    for lemma in ranges(ctx, goal) {
        if let Outcome::Proved(cert) = Search::run(&there, &lemma, limit).0 {
            let count = Count::of(&lemma, true)?;
            there.push_hyp(lemma.clone());
            shown.push(Stone { lemma, count, cert });
        }
    }
    let Outcome::Proved(cert) = Search::run(&there, goal, limit).0 else { return None };
    let (before, denied) = (Count::of_hypotheses(ctx), Count::of(goal, false)?);
    Some(joined(&shown, &cert, before, denied))
}

/// Something shown on the way, by what was shown before.
pub(crate) struct Stone {
    pub(crate) lemma: Pred,
    /// What it comes apart into.
    pub(crate) count: Count,
    pub(crate) cert: Cert,
}

/// One certificate of all: the facts of the denied goal come before those of what is shown on the way, of which what is not used is left
/// out.
pub(crate) fn joined(shown: &[Stone], last: &Cert, before: Count, denied: Count) -> Cert {
    let mut is_used = vec![false; shown.len()];
    for at in (0..=shown.len()).rev() {
        if let Some(false) = is_used.get(at) {
            continue;
        }
        let cert = shown.get(at).map_or(last, |stone| &stone.cert);
        let mut start = before;
        for (used, stone) in is_used.iter_mut().zip(shown).take(at) {
            *used = *used || cites(cert, start, stone.count);
            start = start.and(stone.count);
        }
    }
    let place = |at: usize, own: Count| {
        let (mut facts, mut pending) = (Vec::new(), Vec::new());
        let mut next = before.and(denied);
        for (used, stone) in is_used.iter().zip(shown).take(at) {
            facts.extend(next.facts..next.facts + stone.count.facts);
            pending.extend(next.pending..next.pending + stone.count.pending);
            if *used {
                next = next.and(stone.count);
            }
        }
        Place { before, facts, pending, own, own_at: if at == shown.len() { before } else { next }, next }
    };
    let end = place(shown.len(), denied).cert(last);
    (0..shown.len()).rev().filter(|at| is_used[*at]).fold(end, |rest, at| {
        let denied = place(at, Count::default()).cert(&shown[at].cert);
        Cert::Case(shown[at].lemma.clone(), Box::new(rest), Box::new(denied))
    })
}

/// Where the facts of a search by what was shown are.
struct Place {
    /// The hypotheses, which stay.
    before: Count,
    /// What was shown.
    facts: Vec<usize>,
    pending: Vec<usize>,
    /// How many there are of the denied goal, and where.
    own: Count,
    own_at: Count,
    /// Where all else begins.
    next: Count,
}

fn placed(k: usize, before: usize, shown: &[usize], own: usize, own_at: usize, next: usize) -> usize {
    if k < before {
        return k;
    }
    match shown.get(k - before) {
        Some(there) => *there,
        None => {
            let after = k - before - shown.len();
            if after < own { own_at + after } else { next + after - own }
        }
    }
}

impl Renumber for Place {
    fn fact(&self, k: usize) -> usize {
        placed(k, self.before.facts, &self.facts, self.own.facts, self.own_at.facts, self.next.facts)
    }

    fn pending(&self, k: usize) -> usize {
        let (own, own_at) = (self.own.pending, self.own_at.pending);
        placed(k, self.before.pending, &self.pending, own, own_at, self.next.pending)
    }
}

/// Does a certificate cite what begins here?
pub(crate) fn cites(cert: &Cert, start: Count, count: Count) -> bool {
    struct Cited {
        facts: std::cell::RefCell<Vec<usize>>,
        pending: std::cell::RefCell<Vec<usize>>,
    }
    impl Renumber for Cited {
        fn fact(&self, k: usize) -> usize {
            self.facts.borrow_mut().push(k);
            k
        }
        fn pending(&self, k: usize) -> usize {
            self.pending.borrow_mut().push(k);
            k
        }
    }
    let cited = Cited { facts: Default::default(), pending: Default::default() };
    cited.cert(cert);
    let facts = start.facts..start.facts + count.facts;
    let pending = start.pending..start.pending + count.pending;
    cited.facts.borrow().iter().any(|k| facts.contains(k))
        || cited.pending.borrow().iter().any(|k| pending.contains(k))
}

/// That each index of a read is in range, inner ones before outer ones, once.
pub(crate) fn ranges(ctx: &Ctx, goal: &Pred) -> Vec<Pred> {
    let mut found = Vec::new();
    let hypotheses = ctx.hypotheses().map(|(_, p)| p);
    hypotheses.chain([goal]).for_each(|p| of_pred(ctx, p, &mut found));
    found.truncate(MOST);
    found
}

fn of_pred(ctx: &Ctx, p: &Pred, found: &mut Vec<Pred>) {
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => [a, b].into_iter().for_each(|ix| of_ix(ctx, ix, found)),
        Pred::Not(q) => of_pred(ctx, q, found),
        Pred::And(ab) | Pred::Or(ab) => [&ab.0, &ab.1].into_iter().for_each(|q| of_pred(ctx, q, found)),
    }
}

fn of_ix(ctx: &Ctx, ix: &Ix, found: &mut Vec<Pred>) {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => {}
        Ix::Bin(_, ab) => [&ab.0, &ab.1].into_iter().for_each(|ix| of_ix(ctx, ix, found)),
        Ix::Read(array, at) => {
            at.iter().for_each(|ix| of_ix(ctx, ix, found));
            let Var::Free(level) = array else { return };
            let Some(Entry::Tensor(_, ty)) = ctx.entry(*level) else { return };
            for (ix, n) in at.iter().zip(&ty.shape).filter(|(ix, _)| !matches!(ix, Ix::Lit(_))) {
                let range = Pred::in_range(ix, n);
                if !found.contains(&range) {
                    found.push(range);
                }
            }
        }
    }
}

/// How deep reads stand inside reads.
pub(crate) fn depth(p: &Pred) -> usize {
    fn of(ix: &Ix) -> usize {
        match ix {
            Ix::Lit(_) | Ix::Var(_) => 0,
            Ix::Bin(_, ab) => of(&ab.0).max(of(&ab.1)),
            Ix::Read(_, at) => 1 + at.iter().map(of).max().unwrap_or(0),
        }
    }
    match p {
        Pred::True | Pred::False => 0,
        Pred::Cmp(_, a, b) => of(a).max(of(b)),
        Pred::Not(q) => depth(q),
        Pred::And(ab) | Pred::Or(ab) => depth(&ab.0).max(depth(&ab.1)),
    }
}
