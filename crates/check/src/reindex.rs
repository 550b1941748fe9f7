//! Reindexers: where in a destination an element of a term under construction goes.
//!
//! A reindexer is the composition of what stands between a destination and the place at hand: a loop puts its
//! index in front, a reshape operator applies its scatter view to the leading indices. Kept as that list, it
//! also answers what a truncation needs to know: the index at each operator on the way out.

use atl_kernel::{Ix, Pred};
use atl_ops::Operator;

#[derive(Clone)]
enum Layer {
    /// The index of an enclosing `gen`.
    Index(Ix),
    /// An operand of an enclosing operator.
    Operand { op: &'static Operator, ixs: Vec<Ix>, extents: Vec<Ix>, operand: usize },
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

    fn with(&self, layer: Layer) -> Reindexer {
        let mut layers = self.layers.clone();
        layers.push(layer);
        Reindexer { layers }
    }

    /// Is there an operator that drops elements on the way out?
    pub fn drops(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer, Layer::Operand { op, .. } if op.drops))
    }

    /// Where the element at `index` goes.
    pub fn apply(&self, index: Vec<Ix>) -> Vec<Ix> {
        self.layers.iter().rev().fold(index, |index, layer| layer.apply(index))
    }

    /// For each dropping operator, innermost first: its name, and that the element at `index` is not dropped.
    pub fn kept(&self, index: Vec<Ix>) -> Vec<(&'static str, Pred)> {
        let mut goals = Vec::new();
        self.layers.iter().rev().fold(index, |index, layer| {
            let out = layer.apply(index);
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
    fn apply(&self, mut index: Vec<Ix>) -> Vec<Ix> {
        match self {
            Layer::Index(i) => {
                index.insert(0, i.clone());
                index
            }
            Layer::Operand { op, ixs, extents, operand } => {
                let rest = index.split_off(op.tensor_params[*operand].len().min(index.len()));
                let mut out = (op.scatter)(ixs, extents, &index, *operand);
                out.extend(rest);
                out
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(theta: &Reindexer, index: &[i64], expected: &[i64]) {
        let ixs = |v: &[i64]| v.iter().map(|i| Ix::Lit(*i)).collect::<Vec<_>>();
        assert_eq!(theta.apply(ixs(index)), ixs(expected));
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
        let kept = theta.under_gen(Ix::Lit(1)).kept(vec![]);
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].1, Pred::in_range(&Ix::Lit(-1), &Ix::Lit(3)));
    }
}
