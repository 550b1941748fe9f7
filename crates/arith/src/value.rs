//! Quotients that simplify to a value without any.
//!
//! Extents that several splits have made nest quotients, `ceil_div(ceil_div(a*b*d, d), b)`; two such are out of reach of
//! one search, and so is what a hypothesis says of one, but each simplifies to `a` at little cost. The certificate distinguishes
//! whether each has the value, refutes that it has not as it was proved, and goes on with the equations.

use crate::renumber::{Count, Renumber};
use crate::search::{Outcome, Search};
use crate::simplify::simplify;
use atl_kernel::cert::Derive;
use atl_kernel::poly::Poly;
use atl_kernel::{Cert, Cmp, Ctx, Ix, IxOp, Pred};

/// A certificate of what follows if quotients that are mentioned have the values that they simplify to.
pub(crate) fn by_values(ctx: &Ctx, goal: &Pred, limit: u64) -> Option<Cert> {
    let mut quotients = Vec::new();
    ctx.hypotheses().for_each(|(_, p)| of_pred(p, &mut quotients));
    of_pred(goal, &mut quotients);
    let mut lemmas: Vec<(Pred, Cert)> = Vec::new();
    let mut known = ctx.clone();
    for quotient in quotients.into_iter().take(MAX_QUOTIENTS) {
        let value = simplify(ctx, &quotient);
        if divides(&value) {
            continue;
        }
        let is = Pred::eq(quotient, value);
        if let Outcome::Proved(cert) = Search::run(ctx, &is, limit.min(MAX_WORK)).0 {
            known.push_hyp(is.clone());
            lemmas.push((is, cert));
        }
    }
    if lemmas.is_empty() {
        return None;
    }
    let Outcome::Proved(cert) = Search::run(&known, goal, limit).0 else { return None };
    let (before, denied) = (Count::of_hypotheses(ctx), Count::of(goal, false)?);
    let swapped = Swapped { from: before.facts, first: 2 * lemmas.len(), second: denied.facts };
    let mut proof = swapped.cert(&cert);
    for (number, (is, cert)) in lemmas.into_iter().enumerate().rev() {
        let facts = (before.facts, denied.facts + 2 * number);
        let room = Shift { facts, pending: (before.pending, denied.pending) };
        proof = Cert::Case(is, Box::new(proof), Box::new(room.cert(&cert)));
    }
    Some(proof)
}

/// So many quotients are looked at, and each within so much work.
const MAX_QUOTIENTS: usize = 6;
const MAX_WORK: u64 = 30_000;

/// Facts in another order: the equations of values were hypotheses before what denies the goal, and come after it in their cases.
struct Swapped {
    from: usize,
    first: usize,
    second: usize,
}

impl Renumber for Swapped {
    fn fact(&self, k: usize) -> usize {
        match k.checked_sub(self.from) {
            Some(n) if n < self.first => k + self.second,
            Some(n) if n < self.first + self.second => k - self.first,
            _ => k,
        }
    }

    fn pending(&self, k: usize) -> usize {
        k
    }
}

/// The outermost quotients by a symbol in a predicate, each once.
fn of_pred(p: &Pred, found: &mut Vec<Ix>) {
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => {
            of_ix(a, found);
            of_ix(b, found);
        }
        Pred::Not(q) => of_pred(q, found),
        Pred::And(ab) | Pred::Or(ab) => {
            of_pred(&ab.0, found);
            of_pred(&ab.1, found);
        }
    }
}

fn of_ix(ix: &Ix, found: &mut Vec<Ix>) {
    let Ix::Bin(op, ab) = ix else { return };
    match (op, &ab.1) {
        (IxOp::Div, d) if !matches!(d, Ix::Lit(_)) => {
            if !found.contains(ix) {
                found.push(ix.clone());
            }
        }
        _ => {
            of_ix(&ab.0, found);
            of_ix(&ab.1, found);
        }
    }
}

/// A certificate of an equality whose sides simplify to one value.
pub(crate) fn by_value(ctx: &Ctx, goal: &Pred, limit: u64) -> Option<Cert> {
    let Pred::Cmp(Cmp::Eq, a, b) = goal else { return None };
    if !divides(a) && !divides(b) {
        return None;
    }
    let (value, other) = (simplify(ctx, a), simplify(ctx, b));
    if (value == *a && other == *b) || Poly::of(&value).ok()? != Poly::of(&other).ok()? {
        return None;
    }
    let has_value = |side: &Ix| {
        let is = Pred::eq(side.clone(), value.clone());
        match Search::run(ctx, &is, limit).0 {
            Outcome::Proved(cert) => Some((is, cert)),
            Outcome::Refuted(_) | Outcome::Unknown => None,
        }
    };
    let ((is_a, cert_a), (is_b, cert_b)) = (has_value(a)?, has_value(b)?);
    let Count { facts: f, pending: p } = Count::of_hypotheses(ctx);
    // The facts from `f` on: `value - a`, `a - value`, `value - b`, `b - value`, and that of a side of `a != b`, which is
    // the disjunction `p`.
    let side = |one: usize, two: usize| {
        let sum = Derive::Combine([f + 4, f + one, f + two].map(|fact| (1, vec![fact])).to_vec());
        Box::new(Cert::Step(sum, Box::new(Cert::Absurd(f + 5))))
    };
    let both = Cert::Split(p, side(1, 2), side(0, 3));
    let denied =
        |cert: &Cert, facts: usize| Box::new(Shift { facts: (f, facts), pending: (p, 1) }.cert(cert));
    let of_b = Cert::Case(is_b, Box::new(both), denied(&cert_b, 2));
    Some(Cert::Case(is_a, Box::new(of_b), denied(&cert_a, 0)))
}

fn divides(ix: &Ix) -> bool {
    match ix {
        Ix::Bin(op, ab) => matches!(op, IxOp::Div | IxOp::Mod) || divides(&ab.0) || divides(&ab.1),
        Ix::Lit(_) | Ix::Var(_) | Ix::Read(..) => false,
    }
}

/// Makes room: numbers from the first on become larger by the second.
pub(crate) struct Shift {
    pub(crate) facts: (usize, usize),
    pub(crate) pending: (usize, usize),
}

impl Renumber for Shift {
    fn fact(&self, k: usize) -> usize {
        if k < self.facts.0 { k } else { k + self.facts.1 }
    }

    fn pending(&self, k: usize) -> usize {
        if k < self.pending.0 { k } else { k + self.pending.1 }
    }
}
