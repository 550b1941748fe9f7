//! Certificates of something more general: what is read deep inside holds at any index in range.
//!
//! **The one idea.** In `crd[p + pos[x]]` it does not matter how `x` is made, only that it is in range.
//! So an index of a read inside a read, if it has reads itself or products, becomes a variable, of which
//! nothing is known but that it is in the range of what it indexes, and what hypotheses say of it. Then the question is as short for the
//! innermost level of a tensor as for the second, and the same for all levels and operands: it is
//! answered once. That the index is in range is a question of its own, with one level less. A certificate
//! about many levels is many short ones.
//!
//! The certificate distinguishes whether each index is in range, inner ones before outer ones, refutes
//! that it is not by the ranges before it, and goes on with the index in place of the variable: what
//! follows for polynomials with a variable follows for whatever the variable is. Each index of a chain is
//! shown once, so the certificate is as long as the chain.

use crate::rename::{Renaming, spoken, walk_ix};
use crate::renumber::{Count, Renumber};
use crate::stones::{Stone, cites, depth, joined, ranges};
use atl_kernel::{Cert, Ctx, Entry, Ix, IxOp, Label, Pred, Var, cert};

/// Goals that are deeper than this are searched for as they are: certificates nest with their depth.
const DEEPEST: usize = 32;

/// Is there an index deep inside, but not too deep?
pub(crate) fn is_deep(goal: &Pred) -> bool {
    depth(goal) <= DEEPEST && !indices(goal).is_empty()
}

/// What a goal is for, which says how much work it is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Worth {
    /// It is the question, made more general.
    Question,
    /// It is a range by which the question, shown already, holds.
    Range,
}

/// A certificate that goes by the more general goal, if `prove` finds one of that, and of the ranges that
/// it uses.
pub(crate) fn by_generalising(
    ctx: &Ctx,
    goal: &Pred,
    prove: impl Fn(&Ctx, &Pred, Worth) -> Option<Cert>,
) -> Option<Cert> {
    let mut chain = Chain { ctx, prove, before: Count::of_hypotheses(ctx), shown: Vec::new() };
    let last = chain.by_more_general(goal, Worth::Question)?;
    let found = joined(&chain.shown, &last, chain.before, Count::of(goal, false)?);
    // Terms of polynomials that a variable kept apart may be one, and then a fact is another.
    cert::check(ctx, goal, &found).is_ok().then_some(found)
}

/// Ranges shown so far, each by those before it.
struct Chain<'c, P> {
    ctx: &'c Ctx,
    prove: P,
    /// What the hypotheses make.
    before: Count,
    shown: Vec<Stone>,
}

impl<P: Fn(&Ctx, &Pred, Worth) -> Option<Cert>> Chain<'_, P> {
    /// A certificate of a goal by the ranges shown in the end, to which those are added that it uses.
    fn by_more_general(&mut self, goal: &Pred, worth: Worth) -> Option<Cert> {
        let general = General::of(self.ctx, goal);
        let last = general.here.cert(&(self.prove)(&general.ctx, &general.goal, worth)?);
        let (mut start, mut used) = (self.before, Vec::new());
        for lemma in general.in_range {
            let count = Count::of(&lemma, true)?;
            let at = match cites(&last, start, count) {
                true => Some(self.range(lemma, count)?),
                false => None,
            };
            used.push((at, count));
            start = start.and(count);
        }
        Some(self.by_shown(&last, &used))
    }

    /// Which of what is shown a range is, once it is.
    fn range(&mut self, lemma: Pred, count: Count) -> Option<usize> {
        if let Some(at) = self.shown.iter().position(|stone| stone.lemma == lemma) {
            return Some(at);
        }
        let general = if is_deep(&lemma) { self.by_more_general(&lemma, Worth::Range) } else { None };
        let cert = match general {
            Some(cert) => cert,
            None => {
                let cert = (self.prove)(self.ctx, &lemma, Worth::Range)?;
                self.by_shown(&cert, &[])
            }
        };
        self.shown.push(Stone { lemma, count, cert });
        Some(self.shown.len() - 1)
    }

    /// A certificate by certain ranges as one by all that are shown.
    fn by_shown(&self, cert: &Cert, used: &[(Option<usize>, Count)]) -> Cert {
        let mut begins = vec![self.before];
        for stone in &self.shown {
            begins.push(begins[begins.len() - 1].and(stone.count));
        }
        let end = begins[begins.len() - 1];
        let mut there = Among { before: self.before, facts: Vec::new(), pending: Vec::new(), end };
        for (at, count) in used {
            // What is not used has no place.
            let begin = at.map_or(Count::default(), |at| begins[at]);
            there.facts.extend(begin.facts..begin.facts + count.facts);
            there.pending.extend(begin.pending..begin.pending + count.pending);
        }
        there.cert(cert)
    }
}

/// Where the facts of ranges are among all that are shown.
struct Among {
    /// The hypotheses, which stay.
    before: Count,
    facts: Vec<usize>,
    pending: Vec<usize>,
    /// Where all else begins.
    end: Count,
}

impl Renumber for Among {
    fn fact(&self, k: usize) -> usize {
        moved(k, self.before.facts, &self.facts, self.end.facts)
    }

    fn pending(&self, k: usize) -> usize {
        moved(k, self.before.pending, &self.pending, self.end.pending)
    }
}

fn moved(k: usize, before: usize, shown: &[usize], end: usize) -> usize {
    match k.checked_sub(before) {
        None => k,
        Some(after) => shown.get(after).copied().unwrap_or_else(|| end + after - shown.len()),
    }
}

/// A goal with variables for the indices deep inside, in a context where they are in range.
struct General {
    ctx: Ctx,
    goal: Pred,
    /// Terms there as terms here.
    here: Here,
    /// Which indices are in range, here; there these are the last hypotheses.
    in_range: Vec<Pred>,
}

impl General {
    fn of(ctx: &Ctx, goal: &Pred) -> General {
        let (mut general, mut there, mut here) = (Ctx::new(), Renaming::default(), Renaming::default());
        let indices = indices(goal);
        for index in &indices {
            let variable = Ix::free(general.push_index(Label::new("x")));
            there.replace(index.clone(), variable.clone());
            here.replace(variable, index.clone());
        }
        for (level, entry) in (0..).zip(ctx.entries()) {
            there.set(level, general.level());
            here.set(general.level(), level);
            match entry {
                Entry::Hyp(p, _) => general.push_hyp(there.pred(p)),
                Entry::All(labels, p) => general.push_all(labels.to_vec(), there.pred(p)),
                Entry::Index(label) => _ = general.push_index(label.clone()),
                Entry::Tensor(label, ty) => _ = general.push_tensor(label.clone(), there.ty(ty)),
            }
        }
        let goal = there.pred(goal);
        let is_index = |level: u32| (level as usize) < indices.len();
        let mut in_range = ranges(&general, &goal);
        in_range.retain(|range| {
            let Pred::And(ab) = range else { return false };
            let Pred::Cmp(_, _, index) = &ab.0 else { return false };
            let levels = spoken(|meet| walk_ix(index, meet));
            !levels.is_empty() && levels.into_iter().all(is_index)
        });
        in_range.iter().for_each(|range| general.push_hyp(range.clone()));
        let in_range = in_range.iter().map(|range| here.pred(range)).collect();
        General { ctx: general, goal, here: Here(here), in_range }
    }
}

/// A certificate there, here: facts have the same numbers, for the variables have none.
struct Here(Renaming);

impl Renumber for Here {
    fn fact(&self, k: usize) -> usize {
        k
    }

    fn pending(&self, k: usize) -> usize {
        k
    }

    fn ix(&self, ix: &Ix) -> Ix {
        self.0.ix(ix)
    }

    fn pred(&self, p: &Pred) -> Pred {
        self.0.pred(p)
    }
}

/// Is there an index deep inside that has reads itself?
pub(crate) fn reads_by_reads(goal: &Pred) -> bool {
    indices(goal).iter().any(reads)
}

/// Does a variable of such an index occur elsewhere in the goal? If not, the more general goal is as strong.
pub(crate) fn speaks_elsewhere(goal: &Pred) -> bool {
    let indices = indices(goal);
    let mut inside = Vec::new();
    indices.iter().for_each(|index| variables(index, &[], &mut inside));
    let mut outside = Vec::new();
    sides(goal, &mut |side| variables(side, &indices, &mut outside));
    outside.iter().any(|level| inside.contains(level))
}

/// The variables of a term that stand outside of these terms.
fn variables(ix: &Ix, outside: &[Ix], found: &mut Vec<u32>) {
    match ix {
        _ if outside.contains(ix) => {}
        Ix::Var(Var::Free(level)) => found.push(*level),
        Ix::Lit(_) | Ix::Var(Var::Bound(_)) => {}
        Ix::Bin(_, ab) => [&ab.0, &ab.1].into_iter().for_each(|ix| variables(ix, outside, found)),
        Ix::Read(_, at) => at.iter().for_each(|ix| variables(ix, outside, found)),
    }
}

/// The indices of reads inside reads that have reads themselves, or products and quotients, each once.
fn indices(p: &Pred) -> Vec<Ix> {
    let mut found = Vec::new();
    sides(p, &mut |side| of_ix(side, false, &mut found));
    found
}

/// Do something with each side of a comparison.
fn sides(p: &Pred, meet: &mut impl FnMut(&Ix)) {
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => [a, b].into_iter().for_each(meet),
        Pred::Not(q) => sides(q, meet),
        Pred::And(ab) | Pred::Or(ab) => [&ab.0, &ab.1].into_iter().for_each(|q| sides(q, meet)),
    }
}

fn of_ix(ix: &Ix, is_inside: bool, found: &mut Vec<Ix>) {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => {}
        Ix::Bin(_, ab) => [&ab.0, &ab.1].into_iter().for_each(|ix| of_ix(ix, is_inside, found)),
        Ix::Read(_, at) => {
            for index in at.iter() {
                match is_inside && (reads(index) || is_made(index)) {
                    true if found.contains(index) => {}
                    true => found.push(index.clone()),
                    false => of_ix(index, true, found),
                }
            }
        }
    }
}

/// Are there operations in it of which a search knows little: products, quotients, minima?
fn is_made(ix: &Ix) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) | Ix::Read(..) => false,
        Ix::Bin(IxOp::Add | IxOp::Sub, ab) => is_made(&ab.0) || is_made(&ab.1),
        Ix::Bin(IxOp::Mul, ab) if matches!(ab.0, Ix::Lit(_)) || matches!(ab.1, Ix::Lit(_)) => {
            is_made(&ab.0) || is_made(&ab.1)
        }
        Ix::Bin(..) => true,
    }
}

/// Does the index term read an array?
pub(crate) fn reads(ix: &Ix) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => false,
        Ix::Bin(_, ab) => reads(&ab.0) || reads(&ab.1),
        Ix::Read(..) => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::near::{Near, near};
    use atl_kernel::{Algebra, Cert, Ctx, Elem, Ix, Label, Laws, Pred, Scalar, Type, Var, cert};
    use std::sync::Arc;

    static INTEGERS: Algebra =
        Algebra { name: "plus_times", scalars: &[Scalar::I64], laws: Laws::NONE, formula: false };

    /// Less than one search takes for four levels at once.
    const WORK: u64 = 4_000;

    fn read(level: u32, at: Ix) -> Ix {
        Ix::Read(Var::Free(level), Arc::from([at]))
    }

    fn implies(p: Pred, q: Pred) -> Pred {
        Pred::or(Pred::not(p), q)
    }

    /// Compressed levels, a loop over each in the other, and the position that they reach with the number
    /// of positions there.
    fn levels(depth: usize) -> (Ctx, Ix, Ix) {
        let mut ctx = Ctx::new();
        let mut above = Ix::ONE;
        let mut arrays = Vec::new();
        for _ in 0..depth {
            let length = Ix::free(ctx.push_size(Label::new("length")));
            let elem = Elem { scalar: Scalar::I64, algebra: &INTEGERS };
            let pos = ctx.push_tensor(Label::new("pos"), Type { elem, shape: vec![above.clone() + Ix::ONE] });
            let b = Ix::Var(Var::Bound(0));
            let within = Pred::and(
                Pred::le(Ix::ZERO, read(pos, b.clone())),
                Pred::le(read(pos, b.clone()), length.clone()),
            );
            ctx.push_all(
                vec![Label::new("q")],
                implies(Pred::in_range(&b, &(above.clone() + Ix::ONE)), within),
            );
            let grows = Pred::le(read(pos, b.clone()), read(pos, b.clone() + Ix::ONE));
            ctx.push_all(vec![Label::new("q")], implies(Pred::in_range(&b, &above), grows));
            arrays.push((pos, length.clone()));
            above = length;
        }
        let (mut at, mut length) = (Ix::ZERO, Ix::ONE);
        for (pos, below) in arrays {
            let extent = read(pos, at.clone() + Ix::ONE) - read(pos, at.clone());
            let p = Ix::free(ctx.push_loop(Label::new("p"), &extent));
            (at, length) = (p + read(pos, at), below);
        }
        (ctx, at, length)
    }

    fn check(goal: impl Fn(Ix, Ix) -> Pred, expected: bool) {
        for depth in 1..12 {
            let (ctx, at, length) = levels(depth);
            let goal = goal(at, length);
            let found = near(&ctx, &goal, WORK);
            assert_eq!(matches!(found, Near::Proved(_)), expected, "{depth}");
            if let Near::Proved(found) = found {
                assert_eq!(cert::check(&ctx, &goal, &found), Ok(()));
            }
        }
    }

    #[test]
    fn what_is_more_general_says_less_where_a_variable_stands_elsewhere() {
        let [i, p] = [Ix::free(0), Ix::free(1)];
        let (pos, crd) = (2, 3);
        let at = |p: &Ix| read(crd, p.clone() + read(pos, i.clone() * Ix::free(4)));
        let check = |goal: Pred, expected: bool| {
            assert_eq!(super::speaks_elsewhere(&goal), expected, "{goal:?}");
            assert_eq!(super::speaks_elsewhere(&Pred::not(goal.clone())), expected, "{goal:?}");
        };
        check(Pred::lt(at(&p), at(&(p.clone() + Ix::ONE))), false);
        check(Pred::lt(at(&p), p.clone()), false);
        check(Pred::lt(at(&p), i.clone()), true);
        check(Pred::lt(at(&i), p.clone()), true);
        check(Pred::and(Pred::lt(at(&p), p.clone()), Pred::lt(i.clone(), Ix::free(4))), true);
        check(Pred::lt(at(&p), read(pos, i.clone())), true);
        // Nothing stands deep inside.
        check(Pred::lt(read(crd, i.clone()), i.clone()), false);
    }

    #[test]
    fn certificates_are_as_long_as_what_is_read_is_deep() {
        let steps = |depth| {
            let (ctx, at, length) = levels(depth);
            match near(&ctx, &Pred::in_range(&at, &length), WORK) {
                Near::Proved(cert) => size(&cert),
                Near::OutOfReach | Near::Unknown => panic!("it is in range"),
            }
        };
        let [few, more, many] = [3, 6, 12].map(steps);
        // As much for each level as for the one before.
        assert!(many - more <= 2 * (more - few), "{few} {more} {many}");
    }

    fn size(cert: &Cert) -> usize {
        match cert {
            Cert::Absurd(_) => 1,
            Cert::Step(_, rest) => 1 + size(rest),
            Cert::Split(_, one, two) | Cert::Case(_, one, two) => 1 + size(one) + size(two),
        }
    }

    #[test]
    fn a_position_is_in_range_however_many_levels_lead_to_it() {
        check(|at, length| Pred::in_range(&at, &length), true);
        check(|at, length| Pred::in_range(&(at + Ix::ONE), &length), false);
        check(|at, length| Pred::lt(at + Ix::ONE, length), false);
        check(|at, _| Pred::le(Ix::ONE, at), false);
    }
}
