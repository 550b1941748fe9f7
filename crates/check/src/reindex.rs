//! Reindexers: where in a destination an element of a term under construction goes.
//!
//! A reindexer is the composition of what stands between a destination and the place at hand: a loop puts its
//! index in front, a reshape operator applies its scatter view to the leading indices. Kept as that list, it
//! also answers what a truncation needs to know: the index at each operator on the way out.
//!
//! A scatter view may name an index twice, as `split` does with `i / k` and `i % k`, so what a nest of
//! operators makes of an index could double with each. An index that has become long is therefore exchanged
//! for an equal one, by a certificate, wherever a shorter one is found.

use atl_arith::size::nodes;
use atl_kernel::{Ctx, Ix, Pred, Prover, cert};
use atl_ops::Operator;

#[derive(Clone)]
enum Layer {
    /// The index of an enclosing `gen`.
    Index(Ix),
    /// An operand of an enclosing operator.
    Operand { op: &'static Operator, ixs: Vec<Ix>, extents: Vec<Ix>, operand: usize },
}

/// Index terms of so many nodes are long.
const LONG: u64 = 64;

/// Of more nodes, they are not looked at any more.
const HOPELESS: u64 = 1 << 10;

/// Lowering takes index terms and conditions of at most so many nodes.
pub const MAX_INDEX: u64 = 1 << 12;

/// An index term that is equal here: a shorter one, if this one is long.
pub fn shortened(ctx: &Ctx, prover: &mut dyn Prover, ix: Ix) -> Ix {
    if !(LONG..HOPELESS).contains(&nodes(&ix)) {
        return ix;
    }
    let shorter = atl_arith::simplify(ctx, &ix);
    let same = Pred::eq(ix.clone(), shorter.clone());
    let shown =
        shorter != ix && prover.prove(ctx, &same).is_some_and(|c| cert::check(ctx, &same, &c).is_ok());
    if shown { shorter } else { ix }
}

/// A map from indices of a subterm to indices of the destination, outermost layer first.
#[derive(Clone, Default)]
pub struct Reindexer {
    layers: Vec<Layer>,
}

impl Reindexer {
    /// The identity.
    pub fn identity() -> Reindexer {
        Reindexer::default()
    }

    /// Does every element go where it is?
    pub fn is_identity(&self) -> bool {
        self.layers.is_empty()
    }

    /// Inside a `gen`: its index in front of the others.
    pub fn under_gen(&self, index: Ix) -> Reindexer {
        self.with(Layer::Index(index))
    }

    /// Inside an operand of an operator with these index arguments; `extents` are the leading extents of all
    /// operands, as [`Operator`] wants them.
    pub fn under_operator(
        &self,
        op: &'static Operator,
        ixs: &[Ix],
        extents: &[Ix],
        operand: usize,
    ) -> Reindexer {
        self.with(Layer::Operand { op, ixs: ixs.to_vec(), extents: extents.to_vec(), operand })
    }

    /// This map after another one, which stands inside.
    pub fn after(&self, inner: &Reindexer) -> Reindexer {
        Reindexer { layers: self.layers.iter().chain(&inner.layers).cloned().collect() }
    }

    fn with(&self, layer: Layer) -> Reindexer {
        let mut layers = self.layers.clone();
        layers.push(layer);
        Reindexer { layers }
    }

    /// Is there an operator that drops elements on the way out?
    pub fn drops(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer, Layer::Operand { op, .. } if op.drops))
    }

    /// Where the element at `index` goes, in this context.
    pub fn apply(&self, ctx: &Ctx, prover: &mut dyn Prover, index: Vec<Ix>) -> Vec<Ix> {
        self.layers.iter().rev().fold(index, |index, layer| layer.apply(ctx, prover, index))
    }

    /// For each dropping operator, innermost first: its name, and that the element at `index` is not dropped.
    pub fn kept(&self, ctx: &Ctx, prover: &mut dyn Prover, index: Vec<Ix>) -> Vec<(&'static str, Pred)> {
        let mut goals = Vec::new();
        self.layers.iter().rev().fold(index, |index, layer| {
            let out = layer.apply(ctx, prover, index);
            if let Layer::Operand { op, ixs, extents, .. } = layer
                && op.drops
            {
                let bounds = (op.extents)(ixs, extents);
                let inside = out.iter().zip(&bounds).map(|(i, n)| Pred::in_range(i, n));
                goals.push((op.name, inside.fold(Pred::True, Pred::and)));
            }
            out
        });
        goals
    }
}

impl Layer {
    fn apply(&self, ctx: &Ctx, prover: &mut dyn Prover, mut index: Vec<Ix>) -> Vec<Ix> {
        match self {
            Layer::Index(i) => {
                index.insert(0, i.clone());
                index
            }
            Layer::Operand { op, ixs, extents, operand } => {
                let rest = index.split_off(op.tensor_params[*operand].len().min(index.len()));
                let mut out = (op.scatter)(ixs, extents, &index, *operand);
                out.extend(rest);
                out.into_iter().map(|ix| shortened(ctx, prover, ix)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_arith::Arith;
    use atl_kernel::Label;

    fn check(theta: &Reindexer, index: &[i64], expected: &[i64]) {
        let ixs = |v: &[i64]| v.iter().map(|i| Ix::Lit(*i)).collect::<Vec<_>>();
        assert_eq!(theta.apply(&Ctx::new(), &mut Arith::new(), ixs(index)), ixs(expected));
    }

    fn operand(theta: &Reindexer, name: &str, ixs: &[i64], extents: &[i64], k: usize) -> Reindexer {
        let lits = |v: &[i64]| v.iter().map(|i| Ix::Lit(*i)).collect::<Vec<_>>();
        let op = atl_ops::by_name(name).expect("an operator of the table");
        theta.under_operator(op, &lits(ixs), &lits(extents), k)
    }

    #[test]
    fn loops_cons_and_operators_compose_outermost_last() {
        let id = Reindexer::identity();
        check(&id, &[3, 4], &[3, 4]);
        check(&id.under_gen(Ix::Lit(7)), &[3], &[7, 3]);
        // flatten of 2 x 5: the multiplier is the inner extent, the summand the inner index.
        let flat = operand(&id, "flatten", &[], &[2, 5], 0);
        check(&flat, &[1, 3], &[8]);
        check(&flat.under_gen(Ix::Lit(1)), &[3], &[8]);
        check(&operand(&flat, "transpose", &[], &[5, 2], 0), &[3, 1], &[8]);
        check(&operand(&id, "split", &[4], &[10], 0), &[9], &[2, 1]);
        check(&operand(&id, "concat", &[], &[3, 2], 1), &[1, 9], &[4, 9]);
    }

    #[test]
    fn a_truncation_says_what_it_keeps() {
        let theta = operand(&Reindexer::identity(), "trunc_l", &[2], &[5], 0);
        assert!(theta.drops());
        let kept = theta.under_gen(Ix::Lit(1)).kept(&Ctx::new(), &mut Arith::new(), vec![]);
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].1, Pred::in_range(&Ix::Lit(-1), &Ix::Lit(3)));
    }

    #[test]
    fn indices_stay_short_however_many_operators_there_are() {
        let mut ctx = Ctx::new();
        let n = Ix::free(ctx.push_size(Label::new("n")));
        let i = Ix::free(ctx.push_loop(Label::new("i"), &n));
        let split = |theta: &Reindexer, k: i64| {
            let (op, flat) = (atl_ops::by_name("split").unwrap(), atl_ops::by_name("flatten").unwrap());
            let rows = Ix::ceil_div(n.clone(), Ix::Lit(k));
            theta.under_operator(flat, &[], &[rows, Ix::Lit(k)], 0).under_operator(
                op,
                &[Ix::Lit(k)],
                std::slice::from_ref(&n),
                0,
            )
        };
        let nest = (0..40).fold(Reindexer::identity(), |theta, k| split(&theta, k % 5 + 2));
        let [out] = &nest.apply(&ctx, &mut Arith::new(), vec![i])[..] else { panic!("one index") };
        assert!(nodes(out) < 2 * LONG, "{}", nodes(out));
    }
}
