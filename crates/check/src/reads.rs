//! Elements read in index terms and predicates: each must be in range where it is evaluated.
//!
//! Out of range an index reads 0, so a term has a value whatever is read; but lowering reads memory. `&&` and
//! `||` evaluate their right side only where it decides, and what is read there may rely on the left.

use atl_kernel::{Ctx, Entry, Ix, Pred, Var};

/// What must hold, where, for the elements in an index term to be there.
pub fn reads_of_index(ctx: &Ctx, ix: &Ix) -> Vec<(Ctx, Pred)> {
    let mut found = Vec::new();
    index(ctx, ix, &mut found);
    found
}

/// What must hold, where, for the elements in a predicate to be there.
pub fn reads_of_predicate(ctx: &Ctx, p: &Pred) -> Vec<(Ctx, Pred)> {
    let mut found = Vec::new();
    predicate(ctx, p, &mut found);
    found
}

fn index(ctx: &Ctx, ix: &Ix, found: &mut Vec<(Ctx, Pred)>) {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => {}
        Ix::Bin(_, ab) => {
            index(ctx, &ab.0, found);
            index(ctx, &ab.1, found);
        }
        Ix::Read(array, at) => {
            at.iter().for_each(|i| index(ctx, i, found));
            let goal = match array {
                Var::Free(level) => match ctx.entry(*level) {
                    Some(Entry::Tensor(_, ty)) => {
                        let ranges = at.iter().zip(&ty.shape).map(|(i, n)| Pred::in_range(i, n));
                        ranges.fold(Pred::True, Pred::and)
                    }
                    _ => Pred::False,
                },
                Var::Bound(_) => Pred::False,
            };
            found.push((ctx.clone(), goal));
        }
    }
}

fn predicate(ctx: &Ctx, p: &Pred, found: &mut Vec<(Ctx, Pred)>) {
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => {
            index(ctx, a, found);
            index(ctx, b, found);
        }
        Pred::Not(q) => predicate(ctx, q, found),
        Pred::And(ab) | Pred::Or(ab) => {
            predicate(ctx, &ab.0, found);
            if !reads(&ab.1) {
                return;
            }
            let decided = if matches!(p, Pred::And(_)) { ab.0.clone() } else { Pred::not(ab.0.clone()) };
            let mut there = ctx.clone();
            there.push_hyp(decided);
            predicate(&there, &ab.1, found);
        }
    }
}

/// Is an element read in the predicate?
pub fn reads(p: &Pred) -> bool {
    match p {
        Pred::True | Pred::False => false,
        Pred::Cmp(_, a, b) => reads_index(a) || reads_index(b),
        Pred::Not(q) => reads(q),
        Pred::And(ab) | Pred::Or(ab) => reads(&ab.0) || reads(&ab.1),
    }
}

/// Is an element read in the index term?
pub fn reads_index(ix: &Ix) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => false,
        Ix::Bin(_, ab) => reads_index(&ab.0) || reads_index(&ab.1),
        Ix::Read(..) => true,
    }
}
