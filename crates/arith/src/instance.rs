//! Instances of hypotheses for all integers, such as `0 <= crd[p] && crd[p] < M if 0 <= p && p < K`.
//!
//! A hypothesis says something of the elements that it reads; so it is used where such an element is in sight.
//! Its reads are matched with those, an index of the form `p`, `p + c` or `p - c` giving the variable `p`, until all of
//! its variables have values. What an instance brings into sight may be matched in turn, but not without end. A hypothesis of
//! several variables would match nearly everywhere, so it is used only where all that it reads is in sight.

use crate::intern::Map;
use crate::node::Node;
use crate::proof::Source;
use crate::readback::ix_of;
use crate::search::Search;
use crate::work::GiveUp;
use atl_kernel::cert::{Derive, Facts};
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::subst::instantiate_all;
use atl_kernel::{Ix, IxOp, Pred, Var};
use std::sync::Arc;

/// So many instances on one path.
const MAX_INSTANCES: usize = 48;
/// So many matches are looked at for one hypothesis at a time.
const MAX_MATCHES: usize = 64;
/// What an instance mentions for the first time is of the next generation; the last one is not matched.
const GENERATIONS: u8 = 2;

/// The number of a hypothesis, and values for its variables.
pub(crate) type Instance = (usize, Vec<Poly>);

/// The generations of the elements met so far.
pub(crate) type Generations = Map<Arc<Atom>, u8>;

impl Search {
    /// Use the hypotheses for all integers on these atoms and what is read within them; was there anything new?
    pub(crate) fn instances(&mut self, node: &mut Node, atoms: &[Arc<Atom>]) -> Result<bool, GiveUp> {
        let mut reads = Vec::new();
        atoms.iter().for_each(|a| reads_of_atom(a, &mut reads));
        reads.sort();
        reads.dedup();
        reads.retain(|a| *self.generations.entry(a.clone()).or_insert(0) < GENERATIONS);
        let general = self.given.general.clone();
        let mut progress = false;
        for (k, (variables, p)) in general.iter().enumerate() {
            let mut patterns = Vec::new();
            reads_of_pred(p, &mut patterns);
            patterns.sort_by_key(|(_, at)| at.iter().filter(|i| !matches!(i, Ix::Var(_))).count());
            let mut found = Matches { patterns: &patterns, reads: &reads, all: Vec::new() };
            found.extend(0, &mut vec![None; *variables], 0, &self.generations);
            self.work.spend(1 + 4 * found.all.len())?;
            for (values, generation) in found.all {
                if *variables > 1 && !are_in_sight(&patterns, &values, &reads) {
                    continue;
                }
                let instance = (k, values);
                if node.instances.len() < MAX_INSTANCES && !node.instances.contains(&instance) {
                    progress |= self.instance(node, &instance, generation)?;
                    node.instances.push(instance);
                }
            }
        }
        Ok(progress)
    }

    fn instance(&mut self, node: &mut Node, (k, values): &Instance, generation: u8) -> Result<bool, GiveUp> {
        let Some(at) = values.iter().map(ix_of).collect::<Option<Vec<Ix>>>() else { return Ok(false) };
        let mut said = Facts { general: self.given.general.clone(), ..Facts::default() };
        if said.derive(&Derive::Instance(*k, at.clone())).is_err() {
            return Ok(false);
        }
        let mut mentioned = Vec::new();
        said.polys.iter().for_each(|p| reads_of_poly(p, &mut mentioned));
        let mut patterns = Vec::new();
        said.pending.iter().for_each(|(p, _)| reads_of_pred(p, &mut patterns));
        for (array, at) in patterns {
            if let Ok(p) = Poly::of(&Ix::Read(array, at)) {
                reads_of_poly(&p, &mut mentioned);
            }
        }
        for atom in mentioned {
            self.generations.entry(atom).or_insert(generation + 1);
        }
        let rows: Vec<_> = said.polys.iter().map(|p| self.table.row(p)).collect();
        rows.iter().flatten().for_each(|row| node.see(row));
        self.learn(node, Source::Instance(*k, at), rows, said.pending)?;
        Ok(true)
    }
}

/// The search for values of a hypothesis's variables.
struct Matches<'a> {
    patterns: &'a [(Var, Arc<[Ix]>)],
    reads: &'a [Arc<Atom>],
    all: Vec<(Vec<Poly>, u8)>,
}

impl Matches<'_> {
    /// Match the patterns from one on, each or not, until every variable has a value.
    fn extend(&mut self, from: usize, values: &mut Vec<Option<Poly>>, generation: u8, known: &Generations) {
        if self.all.len() >= MAX_MATCHES {
            return;
        }
        if let Some(complete) = values.iter().cloned().collect::<Option<Vec<_>>>() {
            if !self.all.iter().any(|(other, _)| *other == complete) {
                self.all.push((complete, generation));
            }
            return;
        }
        let Some((array, at)) = self.patterns.get(from) else { return };
        for read in self.reads {
            let Atom::Read(level, indices) = &**read else { continue };
            let mut more = values.clone();
            let fits = *array == Var::Free(*level) && at.len() == indices.len();
            if fits && at.iter().zip(indices).all(|(i, p)| unify(i, p, &mut more)) && more != *values {
                let of = known.get(read).copied().unwrap_or(0);
                self.extend(from + 1, &mut more, generation.max(of), known);
            }
        }
        self.extend(from + 1, values, generation, known);
    }
}

/// Are all these among the reads, at these values of the variables?
fn are_in_sight(patterns: &[(Var, Arc<[Ix]>)], values: &[Poly], reads: &[Arc<Atom>]) -> bool {
    let Some(at) = values.iter().map(ix_of).collect::<Option<Vec<Ix>>>() else { return false };
    let is_read = |(array, indices): &(Var, Arc<[Ix]>)| {
        let read = Ix::Read(*array, indices.clone());
        let Pred::Cmp(_, read, _) = instantiate_all(&Pred::eq(read, Ix::ZERO), &at) else { return false };
        let mut found = Vec::new();
        Poly::of(&read).iter().for_each(|p| reads_of_poly(p, &mut found));
        found.last().is_some_and(|read| reads.contains(read))
    };
    patterns.iter().all(is_read)
}

/// Give the variable in an index the value at which it is `p`.
fn unify(i: &Ix, p: &Poly, values: &mut [Option<Poly>]) -> bool {
    let (k, value) = match i {
        Ix::Var(Var::Bound(k)) => (*k, Some(p.clone())),
        Ix::Bin(op @ (IxOp::Add | IxOp::Sub), ab) => {
            let Ix::Var(Var::Bound(k)) = ab.0 else { return false };
            let shifted =
                Poly::of(&ab.1).and_then(|c| if *op == IxOp::Add { p.minus(&c) } else { p.plus(&c) });
            (k, shifted.ok())
        }
        i => return Poly::of(i).is_ok_and(|q| q == *p),
    };
    match (values.get_mut(k as usize), value) {
        (Some(known @ None), Some(value)) => {
            *known = Some(value);
            true
        }
        (Some(known), value) => *known == value,
        (None, _) => false,
    }
}

fn reads_of_atom(a: &Arc<Atom>, out: &mut Vec<Arc<Atom>>) {
    match &**a {
        Atom::Var(_) => {}
        Atom::Div(p, q) | Atom::Min(p, q) | Atom::Max(p, q) => {
            reads_of_poly(p, out);
            reads_of_poly(q, out);
        }
        Atom::Read(_, at) => {
            at.iter().for_each(|p| reads_of_poly(p, out));
            out.push(a.clone());
        }
    }
}

fn reads_of_poly(p: &Poly, out: &mut Vec<Arc<Atom>>) {
    p.terms().flat_map(|(m, _)| m).for_each(|a| reads_of_atom(a, out));
}

fn reads_of_ix(ix: &Ix, out: &mut Vec<(Var, Arc<[Ix]>)>) {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => {}
        Ix::Bin(_, ab) => {
            reads_of_ix(&ab.0, out);
            reads_of_ix(&ab.1, out);
        }
        Ix::Read(array, at) => {
            at.iter().for_each(|i| reads_of_ix(i, out));
            out.push((*array, at.clone()));
        }
    }
}

fn reads_of_pred(p: &Pred, out: &mut Vec<(Var, Arc<[Ix]>)>) {
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => {
            reads_of_ix(a, out);
            reads_of_ix(b, out);
        }
        Pred::Not(q) => reads_of_pred(q, out),
        Pred::And(ab) | Pred::Or(ab) => {
            reads_of_pred(&ab.0, out);
            reads_of_pred(&ab.1, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Arith;
    use atl_kernel::{Algebra, Ctx, Elem, Ix, Label, Laws, Pred, Prover, Scalar, Type, Var, cert};
    use std::sync::Arc;

    static INTEGERS: Algebra = Algebra { name: "plus_times", scalars: &[Scalar::I64], laws: Laws::NONE };

    /// Compressed rows: `pos` of `n + 1` positions, `crd` of `k` columns below `m`.
    struct Rows {
        ctx: Ctx,
        m: Ix,
        k: Ix,
        /// A row, and an entry of it.
        i: Ix,
        q: Ix,
        pos: u32,
        crd: u32,
    }

    fn read(level: u32, at: Ix) -> Ix {
        Ix::Read(Var::Free(level), Arc::from([at]))
    }

    fn implies(p: Pred, q: Pred) -> Pred {
        Pred::or(Pred::not(p), q)
    }

    fn rows() -> Rows {
        let mut ctx = Ctx::new();
        let [n, m, k] = ["n", "m", "k"].map(|name| Ix::free(ctx.push_size(Label::new(name))));
        let elem = Elem { scalar: Scalar::I64, algebra: &INTEGERS };
        let pos = ctx.push_tensor(Label::new("pos"), Type { elem, shape: vec![n.clone() + Ix::ONE] });
        let crd = ctx.push_tensor(Label::new("crd"), Type { elem, shape: vec![k.clone()] });
        let b = Ix::Var(Var::Bound(0));
        let labels = || vec![Label::new("p")];
        let within = |x: Ix| Pred::and(Pred::le(Ix::ZERO, x.clone()), Pred::le(x, k.clone()));
        ctx.push_all(
            labels(),
            implies(Pred::in_range(&b, &(n.clone() + Ix::ONE)), within(read(pos, b.clone()))),
        );
        let next = read(pos, b.clone() + Ix::ONE);
        ctx.push_all(labels(), implies(Pred::in_range(&b, &n), Pred::le(read(pos, b.clone()), next)));
        ctx.push_all(labels(), implies(Pred::in_range(&b, &k), Pred::in_range(&read(crd, b.clone()), &m)));
        let (row, p) = (b.clone(), Ix::Var(Var::Bound(1)));
        let in_row = Pred::and(
            Pred::in_range(&row, &n),
            Pred::and(
                Pred::le(read(pos, row.clone()), p.clone()),
                Pred::lt(p.clone(), read(pos, row + Ix::ONE) - Ix::ONE),
            ),
        );
        let increases = Pred::lt(read(crd, p.clone()), read(crd, p + Ix::ONE));
        ctx.push_all(vec![Label::new("q"), Label::new("p")], implies(in_row, increases));
        let i = Ix::free(ctx.push_loop(Label::new("i"), &n));
        let length = read(pos, i.clone() + Ix::ONE) - read(pos, i.clone());
        let q = Ix::free(ctx.push_loop(Label::new("q"), &length));
        Rows { ctx, m, k, i, q, pos, crd }
    }

    fn check(goal: impl Fn(&Rows) -> Pred, expected: bool) {
        let rows = rows();
        let goal = goal(&rows);
        let found = Arith::new().prove(&rows.ctx, &goal);
        assert_eq!(found.is_some(), expected, "{goal:?}");
        if let Some(found) = found {
            assert_eq!(cert::check(&rows.ctx, &goal, &found), Ok(()));
        }
    }

    #[test]
    fn entries_of_a_row_increase_where_the_rows_do() {
        let at = |r: &Rows, q: &Ix| read(r.crd, read(r.pos, r.i.clone()) + q.clone());
        let goal = |r: &Rows| Pred::lt(at(r, &r.q), at(r, &(r.q.clone() + Ix::ONE)));
        let not_last = |r: &Rows, goal: Pred| {
            let length = read(r.pos, r.i.clone() + Ix::ONE) - read(r.pos, r.i.clone());
            implies(Pred::lt(r.q.clone() + Ix::ONE, length), goal)
        };
        check(|r| not_last(r, goal(r)), true);
        check(goal, false);
        let more = |r: &Rows| Pred::lt(at(r, &r.q) + Ix::ONE, at(r, &(r.q.clone() + Ix::ONE)));
        check(|r| not_last(r, more(r)), false);
    }

    #[test]
    fn entries_of_compressed_rows_are_in_range() {
        let p = |r: &Rows| read(r.pos, r.i.clone()) + r.q.clone();
        check(|r| Pred::le(read(r.pos, r.i.clone()), read(r.pos, r.i.clone() + Ix::ONE)), true);
        check(|r| Pred::in_range(&p(r), &r.k), true);
        check(|r| Pred::in_range(&read(r.crd, p(r)), &r.m), true);
        check(|r| Pred::in_range(&(p(r) + Ix::ONE), &r.k), false);
        check(|r| Pred::lt(read(r.crd, p(r)), r.m.clone() - Ix::ONE), false);
        check(|r| Pred::in_range(&read(r.crd, read(r.crd, p(r))), &r.m), false);
    }
}
