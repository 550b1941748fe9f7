//! Instances of hypotheses for all integers, such as `0 <= crd[p] && crd[p] < M if 0 <= p && p < K`.
//!
//! A hypothesis says something of the elements that it reads; so it is used where such an element is in sight (`matching`).
//! Branches use the same instances again and again: what one says is found once for each query.

use crate::intern::{AtomId, Row};
use crate::matching::InstanceId;
use crate::node::Node;
use crate::proof::Source;
use crate::readback::ix_of;
use crate::search::Search;
use crate::work::GiveUp;
use atl_kernel::Ix;
use atl_kernel::cert::{Derive, Facts, Pending};
use std::sync::Arc;

/// So many instances on one path.
const MAX_INSTANCES: usize = 48;

/// What an instance says.
pub(crate) struct Said {
    source: Source,
    rows: Vec<Option<Row>>,
    pending: Vec<Pending>,
}

impl Search {
    /// Use the hypotheses for all integers on these atoms and what is read within them; was there anything new?
    pub(crate) fn instances(&mut self, node: &mut Node, atoms: &[AtomId]) -> Result<bool, GiveUp> {
        let found = self.sight.matches(atoms, &self.table, &mut self.work)?;
        let mut progress = false;
        for (instance, generation) in found.iter() {
            if node.instances.len() < MAX_INSTANCES && !node.instances.contains(instance) {
                node.instances.push(*instance);
                progress |= self.instance(node, *instance, *generation)?;
            }
        }
        Ok(progress)
    }

    fn instance(&mut self, node: &mut Node, id: InstanceId, generation: u8) -> Result<bool, GiveUp> {
        let said = match self.said.get(&id) {
            Some(said) => said.clone(),
            None => {
                let said = self.say(id, generation).map(Arc::new);
                self.said.insert(id, said.clone());
                said
            }
        };
        let Some(said) = said else { return Ok(false) };
        said.rows.iter().flatten().for_each(|row| node.see(row));
        self.learn(node, said.source.clone(), said.rows.clone(), said.pending.clone())?;
        Ok(true)
    }

    /// What an instance says; nothing where a number does not fit. Elements that it brings into sight are of the next generation.
    fn say(&mut self, id: InstanceId, generation: u8) -> Option<Said> {
        let (k, values) = self.sight.instance(id);
        let (k, at) = (*k, values.iter().map(ix_of).collect::<Option<Vec<Ix>>>()?);
        let mut said = Facts { general: self.given.general.clone(), ..Facts::default() };
        said.derive(&Derive::Instance(k, at.clone())).ok()?;
        self.sight.mentioned(&said, generation + 1);
        let rows = said.polys.iter().map(|p| self.table.row(p)).collect();
        Some(Said { source: Source::Instance(k, at), rows, pending: said.pending })
    }
}

#[cfg(test)]
mod tests {
    use crate::Arith;
    use atl_kernel::{Algebra, Ctx, Elem, Ix, Label, Laws, Pred, Prover, Scalar, Type, Var, cert};
    use std::sync::Arc;

    static INTEGERS: Algebra =
        Algebra { name: "plus_times", scalars: &[Scalar::I64], laws: Laws::NONE, formula: false };

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
