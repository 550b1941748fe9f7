//! Index terms and predicates: their nodes, their measures, and the constructors that rules use.
//!
//! A node is kept once, so two index terms are the same exactly if their numbers are.

use crate::limits;
use crate::names::named;
use crate::refusal::{Checked, require};
use crate::store::Store;
use crate::terms::{Ixs, Term};

/// An index term, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Ix(pub(crate) u32);

/// A predicate, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pred(pub(crate) u32);

named! {
    /// An operation on integers.
    IxOp { Add "add", Sub "sub", Mul "mul", Div "div", Mod "mod", Min "min", Max "max", }
}

named! {
    /// A comparison of integers.
    Relation { Eq "eq", Lt "lt", Le "le", }
}

/// A node of an index term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum IxNode {
    Literal(i64),
    Free(u32),
    Bound(u32),
    Op(IxOp, Ix, Ix),
    /// An element of a tensor variable.
    Read(Term, Ixs),
}

/// A node of a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum PredNode {
    True,
    False,
    Compare(Relation, Ix, Ix),
    Not(Pred),
    And(Pred, Pred),
    Or(Pred, Pred),
}

/// What is known of a node without looking below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// Nodes, counted as a tree.
    pub(crate) nodes: u32,
    /// Nesting.
    pub(crate) depth: u32,
    /// How many binders outside it would have to be entered for no variable to point further out.
    pub(crate) loose: u32,
    /// One more than the greatest level of a free variable; 0 if there is none.
    pub(crate) free: u32,
}

impl Measure {
    pub(crate) const LEAF: Measure = Measure { nodes: 1, depth: 1, loose: 0, free: 0 };

    /// A node's measure grows by a child of it, which stands below `binders` binders of the node.
    pub(crate) fn with(self, child: Measure, binders: u32) -> Measure {
        Measure {
            nodes: self.nodes.saturating_add(child.nodes),
            depth: self.depth.max(child.depth.saturating_add(1)),
            loose: self.loose.max(child.loose.saturating_sub(binders)),
            free: self.free.max(child.free),
        }
    }

    pub(crate) fn free(level: u32) -> Measure {
        Measure { free: level.saturating_add(1), ..Measure::LEAF }
    }

    pub(crate) fn bound(binder: u32) -> Measure {
        Measure { loose: binder.saturating_add(1), ..Measure::LEAF }
    }

    /// The measure, if it is of an index term or a predicate that is small enough.
    fn within_limits(self) -> Checked<Measure> {
        require(self.nodes <= limits::INDEX_NODES, "an index term is larger than the limits allow")?;
        Ok(self)
    }
}

impl Store {
    /// The index term with this node.
    pub(crate) fn ix(&self, node: IxNode) -> Checked<Ix> {
        let measured = |node: &IxNode| match *node {
            IxNode::Literal(_) => Ok(Measure::LEAF),
            IxNode::Free(level) => Ok(Measure::free(level)),
            IxNode::Bound(binder) => Ok(Measure::bound(binder)),
            IxNode::Op(_, a, b) => {
                Measure::LEAF.with(self.ix_measure(a), 0).with(self.ix_measure(b), 0).within_limits()
            }
            IxNode::Read(array, at) => {
                let at = self.ix_list(at).into_iter();
                at.fold(self.measure(array), |sum, i| sum.with(self.ix_measure(i), 0)).within_limits()
            }
        };
        self.ixs.add(node, measured).map(Ix)
    }

    pub(crate) fn ix_node(&self, ix: Ix) -> IxNode {
        self.ixs.at(ix.0)
    }

    pub(crate) fn ix_measure(&self, ix: Ix) -> Measure {
        self.ixs.about(ix.0)
    }

    pub(crate) fn literal(&self, value: i64) -> Checked<Ix> {
        self.ix(IxNode::Literal(value))
    }

    pub(crate) fn free_ix(&self, level: u32) -> Checked<Ix> {
        self.ix(IxNode::Free(level))
    }

    /// The constructor `mk`: the document's lines 1 to 5, the first that applies.
    pub(crate) fn mk(&self, op: IxOp, a: Ix, b: Ix) -> Checked<Ix> {
        let node = IxNode::Op(op, a, b);
        let value = |ix: Ix| match self.ix_node(ix) {
            IxNode::Literal(value) => Some(value),
            _ => None,
        };
        match (op, value(a), value(b)) {
            (_, Some(x), Some(y)) => match i64::try_from(evaluate(op, i128::from(x), i128::from(y))) {
                Ok(value) => self.literal(value),
                Err(_) => self.ix(node),
            },
            (IxOp::Add | IxOp::Sub, _, Some(0)) | (IxOp::Mul | IxOp::Div, _, Some(1)) => Ok(a),
            (IxOp::Add, Some(0), _) | (IxOp::Mul, Some(1), _) => Ok(b),
            (IxOp::Mul, Some(0), _) | (IxOp::Mul, _, Some(0)) => self.literal(0),
            (IxOp::Add, ..) => match self.ix_node(b) {
                IxNode::Op(IxOp::Sub, y, x) if x == a => Ok(y),
                _ => self.ix(node),
            },
            _ => self.ix(node),
        }
    }

    /// The predicate with this node.
    pub(crate) fn pred(&self, node: PredNode) -> Checked<Pred> {
        let leaf = Measure::LEAF;
        let measured = |node: &PredNode| match *node {
            PredNode::True | PredNode::False => Ok(leaf),
            PredNode::Not(p) => leaf.with(self.pred_measure(p), 0).within_limits(),
            PredNode::Compare(_, a, b) => {
                leaf.with(self.ix_measure(a), 0).with(self.ix_measure(b), 0).within_limits()
            }
            PredNode::And(p, q) | PredNode::Or(p, q) => {
                leaf.with(self.pred_measure(p), 0).with(self.pred_measure(q), 0).within_limits()
            }
        };
        self.preds.add(node, measured).map(Pred)
    }

    pub(crate) fn pred_node(&self, pred: Pred) -> PredNode {
        self.preds.at(pred.0)
    }

    pub(crate) fn pred_measure(&self, pred: Pred) -> Measure {
        self.preds.about(pred.0)
    }

    pub(crate) fn compare(&self, relation: Relation, a: Ix, b: Ix) -> Checked<Pred> {
        self.pred(PredNode::Compare(relation, a, b))
    }

    /// A predicate with other index terms.
    pub(crate) fn map_pred(&self, pred: Pred, change: &impl Fn(Ix) -> Checked<Ix>) -> Checked<Pred> {
        self.work(1)?;
        self.pred(match self.pred_node(pred) {
            node @ (PredNode::True | PredNode::False) => node,
            PredNode::Compare(relation, a, b) => PredNode::Compare(relation, change(a)?, change(b)?),
            PredNode::Not(p) => PredNode::Not(self.map_pred(p, change)?),
            PredNode::And(p, q) => PredNode::And(self.map_pred(p, change)?, self.map_pred(q, change)?),
            PredNode::Or(p, q) => PredNode::Or(self.map_pred(p, change)?, self.map_pred(q, change)?),
        })
    }

    pub(crate) fn mk_and(&self, p: Pred, q: Pred) -> Checked<Pred> {
        self.connected(p, q, [PredNode::True, PredNode::False], PredNode::And(p, q))
    }

    pub(crate) fn mk_or(&self, p: Pred, q: Pred) -> Checked<Pred> {
        self.connected(p, q, [PredNode::False, PredNode::True], PredNode::Or(p, q))
    }

    /// Two predicates connected, unless one is the connective's unit or zero.
    fn connected(&self, p: Pred, q: Pred, [unit, zero]: [PredNode; 2], node: PredNode) -> Checked<Pred> {
        match (self.pred_node(p), self.pred_node(q)) {
            (p_is, q_is) if p_is == unit || q_is == zero => Ok(q),
            (p_is, q_is) if q_is == unit || p_is == zero => Ok(p),
            _ => self.pred(node),
        }
    }

    pub(crate) fn mk_not(&self, p: Pred) -> Checked<Pred> {
        match self.pred_node(p) {
            PredNode::True => self.pred(PredNode::False),
            PredNode::False => self.pred(PredNode::True),
            PredNode::Not(q) => Ok(q),
            _ => self.pred(PredNode::Not(p)),
        }
    }

    /// `0 <= i` and `i < n`.
    pub(crate) fn in_range(&self, i: Ix, n: Ix) -> Checked<Pred> {
        let low = self.compare(Relation::Le, self.literal(0)?, i)?;
        self.mk_and(low, self.compare(Relation::Lt, i, n)?)
    }

    pub(crate) fn iff(&self, p: Pred, q: Pred) -> Checked<Pred> {
        let neither = self.mk_and(self.mk_not(p)?, self.mk_not(q)?)?;
        self.mk_or(self.mk_and(p, q)?, neither)
    }
}

/// The value of an operation. Operands are of 64 bits, so nothing overflows.
fn evaluate(op: IxOp, x: i128, y: i128) -> i128 {
    match op {
        IxOp::Add => x + y,
        IxOp::Sub => x - y,
        IxOp::Mul => x * y,
        IxOp::Div => floor_div(x, y).unwrap_or(0),
        IxOp::Mod => x - y * floor_div(x, y).unwrap_or(0),
        IxOp::Min => x.min(y),
        IxOp::Max => x.max(y),
    }
}

/// The quotient, rounded down; none if it overflows. By 0 it is 0.
pub(crate) fn floor_div(x: i128, y: i128) -> Option<i128> {
    if y == 0 {
        return Some(0);
    }
    let quotient = x.checked_div(y)?;
    let inexact = x.checked_rem(y)? != 0;
    Some(if inexact && (x < 0) != (y < 0) { quotient - 1 } else { quotient })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_rounds_down() {
        let table =
            [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (5, 0, 0, 5), (-6, 3, -2, 0)];
        for (x, y, quotient, rest) in table {
            assert_eq!((evaluate(IxOp::Div, x, y), evaluate(IxOp::Mod, x, y)), (quotient, rest), "{x} / {y}");
        }
        assert_eq!(floor_div(i128::MIN, -1), None);
    }

    #[test]
    fn the_constructor_takes_the_first_line_that_applies() {
        let store = Store::default();
        let (x, y) = (store.free_ix(0).unwrap(), store.free_ix(1).unwrap());
        let (zero, one, most) =
            (store.literal(0).unwrap(), store.literal(1).unwrap(), store.literal(i64::MAX).unwrap());
        let check = |op, a, b, expected| assert_eq!(store.mk(op, a, b).unwrap(), expected, "{op:?}");
        check(IxOp::Add, x, zero, x);
        check(IxOp::Add, zero, x, x);
        check(IxOp::Mul, x, one, x);
        check(IxOp::Mul, one, x, x);
        check(IxOp::Mul, zero, x, zero);
        check(IxOp::Mul, x, zero, zero);
        check(IxOp::Div, x, one, x);
        check(IxOp::Sub, x, zero, x);
        let difference = store.mk(IxOp::Sub, y, x).unwrap();
        assert_eq!(store.mk(IxOp::Add, x, difference).unwrap(), y);
        let kept = store.mk(IxOp::Sub, zero, x).unwrap();
        assert_eq!(store.ix_node(kept), IxNode::Op(IxOp::Sub, zero, x));
        let kept = store.mk(IxOp::Add, most, one).unwrap();
        assert_eq!(store.ix_node(kept), IxNode::Op(IxOp::Add, most, one));
    }
}
