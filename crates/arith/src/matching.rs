//! Which elements are in sight, and the values of its variables at which a hypothesis for all integers speaks of them.
//!
//! A hypothesis's reads are matched with the elements in sight, an index of the form `p`, `p + c` or `p - c` giving the variable
//! `p`, until all of its variables have values. What an instance brings into sight may be matched in turn, but not without end. A
//! hypothesis of several variables would match nearly everywhere, so it is used only where all that it reads is in sight.
//!
//! Branches see the same elements again and again, so they are numbered, and matches are kept.

use crate::intern::{AtomId, Map, Table};
use crate::readback::ix_of;
use crate::work::{GiveUp, Work};
use atl_kernel::cert::Facts;
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::subst::instantiate_all;
use atl_kernel::{Ix, IxOp, Pred, Var};
use std::sync::Arc;

/// So many matches are looked at for one hypothesis at a time.
const MAX_MATCHES: usize = 64;
/// What an instance mentions for the first time is of the next generation; the last one is not matched.
const GENERATIONS: u8 = 2;

/// The number of an element that was in sight.
type ReadId = u32;
/// The number of an instance.
pub(crate) type InstanceId = u32;
/// The number of a hypothesis, and values for its variables.
pub(crate) type Instance = (usize, Vec<Poly>);
/// A read in a hypothesis.
type Pattern = (Var, Arc<[Ix]>);

/// Instances of which all that is needed is in sight, each with the generation of its elements.
type Found = Arc<[(InstanceId, u8)]>;

/// The elements that came into sight in one query, and what was found for them.
pub(crate) struct Sight {
    /// How many variables each hypothesis has, and what it reads.
    hypotheses: Vec<(usize, Vec<Pattern>)>,
    reads: Vec<(Arc<Atom>, u8)>,
    read_ids: Map<Arc<Atom>, ReadId>,
    /// What is read within an atom, and by it.
    within: Map<AtomId, Vec<ReadId>>,
    instances: Vec<Instance>,
    instance_ids: Map<Instance, InstanceId>,
    matches: Map<Vec<ReadId>, Found>,
}

impl Sight {
    /// Nothing in sight yet.
    pub(crate) fn of(general: &[(usize, Arc<Pred>)]) -> Sight {
        let hypothesis = |(variables, p): &(usize, Arc<Pred>)| {
            let mut patterns = Vec::new();
            reads_of_pred(p, &mut patterns);
            patterns.sort_by_key(|(_, at)| at.iter().filter(|i| !matches!(i, Ix::Var(_))).count());
            (*variables, patterns)
        };
        Sight {
            hypotheses: general.iter().map(hypothesis).collect(),
            reads: Vec::new(),
            read_ids: Map::default(),
            within: Map::default(),
            instances: Vec::new(),
            instance_ids: Map::default(),
            matches: Map::default(),
        }
    }

    /// The instance with this number.
    pub(crate) fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id as usize]
    }

    /// The instances that speak of these atoms and of what is read within them.
    pub(crate) fn matches(
        &mut self,
        atoms: &[AtomId],
        table: &Table,
        work: &mut Work,
    ) -> Result<Found, GiveUp> {
        let mut reads = Vec::new();
        for a in atoms {
            if !self.within.contains_key(a) {
                let mut found = Vec::new();
                reads_of_atom(table.atom(*a), &mut found);
                let ids = found.iter().map(|read| self.read(read, 0)).collect();
                self.within.insert(*a, ids);
            }
            reads.extend(&self.within[a]);
        }
        reads.sort_unstable();
        reads.dedup();
        reads.retain(|id| self.reads[*id as usize].1 < GENERATIONS);
        work.spend(1)?;
        if let Some(found) = self.matches.get(&reads) {
            return Ok(found.clone());
        }
        let found: Found = self.find(&reads, work)?.into();
        self.matches.insert(reads, found.clone());
        Ok(found)
    }

    /// What these facts read is of this generation, unless it was in sight before.
    pub(crate) fn mentioned(&mut self, facts: &Facts, generation: u8) {
        let mut mentioned = Vec::new();
        facts.polys.iter().for_each(|p| reads_of_poly(p, &mut mentioned));
        let mut patterns = Vec::new();
        facts.pending.iter().for_each(|(p, _)| reads_of_pred(p, &mut patterns));
        for (array, at) in patterns {
            if let Ok(p) = Poly::of(&Ix::Read(array, at)) {
                reads_of_poly(&p, &mut mentioned);
            }
        }
        mentioned.iter().for_each(|read| _ = self.read(read, generation));
    }

    /// The number of an element; it is of this generation, unless it was in sight before.
    fn read(&mut self, read: &Arc<Atom>, generation: u8) -> ReadId {
        if let Some(id) = self.read_ids.get(read) {
            return *id;
        }
        let id = self.reads.len() as ReadId;
        self.reads.push((read.clone(), generation));
        self.read_ids.insert(read.clone(), id);
        id
    }

    fn find(&mut self, reads: &[ReadId], work: &mut Work) -> Result<Vec<(InstanceId, u8)>, GiveUp> {
        let mut reads: Vec<_> = reads.iter().map(|id| self.reads[*id as usize].clone()).collect();
        reads.sort();
        let mut found = Vec::new();
        for k in 0..self.hypotheses.len() {
            let (variables, patterns) = &self.hypotheses[k];
            let mut matches = Matches { patterns, reads: &reads, all: Vec::new() };
            matches.extend(0, &mut vec![None; *variables], 0);
            let mut all = matches.all;
            work.spend(1 + 4 * all.len())?;
            all.retain(|(values, _)| *variables <= 1 || are_in_sight(patterns, values, &reads));
            for (values, generation) in all {
                found.push((self.number((k, values)), generation));
            }
        }
        Ok(found)
    }

    fn number(&mut self, instance: Instance) -> InstanceId {
        if let Some(id) = self.instance_ids.get(&instance) {
            return *id;
        }
        let id = self.instances.len() as InstanceId;
        self.instances.push(instance.clone());
        self.instance_ids.insert(instance, id);
        id
    }
}

/// The search for values of a hypothesis's variables.
struct Matches<'a> {
    patterns: &'a [Pattern],
    /// The elements in sight, and their generations.
    reads: &'a [(Arc<Atom>, u8)],
    all: Vec<(Vec<Poly>, u8)>,
}

impl Matches<'_> {
    /// Match the patterns from one on, each or not, until every variable has a value.
    fn extend(&mut self, from: usize, values: &mut Vec<Option<Poly>>, generation: u8) {
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
        for (read, of) in self.reads {
            let Atom::Read(level, indices) = &**read else { continue };
            let mut more = values.clone();
            let fits = *array == Var::Free(*level) && at.len() == indices.len();
            if fits && at.iter().zip(indices).all(|(i, p)| unify(i, p, &mut more)) && more != *values {
                self.extend(from + 1, &mut more, generation.max(*of));
            }
        }
        self.extend(from + 1, values, generation);
    }
}

/// Are all these among the reads, at these values of the variables?
fn are_in_sight(patterns: &[Pattern], values: &[Poly], reads: &[(Arc<Atom>, u8)]) -> bool {
    let Some(at) = values.iter().map(ix_of).collect::<Option<Vec<Ix>>>() else { return false };
    let is_read = |(array, indices): &Pattern| {
        let read = Ix::Read(*array, indices.clone());
        let Pred::Cmp(_, read, _) = instantiate_all(&Pred::eq(read, Ix::ZERO), &at) else { return false };
        let mut found = Vec::new();
        Poly::of(&read).iter().for_each(|p| reads_of_poly(p, &mut found));
        found.last().is_some_and(|read| reads.iter().any(|(other, _)| other == read))
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

fn reads_of_ix(ix: &Ix, out: &mut Vec<Pattern>) {
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

fn reads_of_pred(p: &Pred, out: &mut Vec<Pattern>) {
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
