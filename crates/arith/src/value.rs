//! Equalities of terms with quotients, by a value that both sides simplify to.
//!
//! Extents that several splits have made nest quotients, `ceil_div(ceil_div(a*b*d, d), b)`; two such are out of reach of
//! one search, but each simplifies to `a` at little cost. The certificate distinguishes whether each side has the
//! value, refutes that it has not as it was proved, and adds the equations.

use crate::renumber::{Count, Renumber};
use crate::search::{Outcome, Search};
use crate::simplify::simplify;
use atl_kernel::cert::Derive;
use atl_kernel::poly::Poly;
use atl_kernel::{Cert, Cmp, Ctx, Ix, IxOp, Pred};

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
