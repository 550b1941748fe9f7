//! Index terms and predicates: their nodes, their measures, and the constructors that rules use.
//!
//! A node is kept once, so two index terms are the same exactly if their numbers are.

use crate::limits;
use crate::refusal::{Checked, refuse};
use crate::store::Store;

/// An index term, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Ix(pub(crate) u32);

/// A predicate, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pred(pub(crate) u32);

/// An operation on integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum IxOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Min,
    Max,
}

/// The names of the operations.
pub(crate) const IX_OPS: [(&str, IxOp); 7] = [
    ("add", IxOp::Add),
    ("sub", IxOp::Sub),
    ("mul", IxOp::Mul),
    ("div", IxOp::Div),
    ("mod", IxOp::Mod),
    ("min", IxOp::Min),
    ("max", IxOp::Max),
];

/// A comparison of integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Relation {
    Eq,
    Lt,
    Le,
}

/// A node of an index term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum IxNode {
    Literal(i64),
    Free(u32),
    Bound(u32),
    Op(IxOp, Ix, Ix),
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
}

impl Store {
    /// The index term with this node.
    pub(crate) fn ix(&mut self, node: IxNode) -> Checked<Ix> {
        if let Some(known) = self.ixs.find(&node) {
            return Ok(Ix(known));
        }
        let (measure, degree) = match node {
            IxNode::Literal(_) => (Measure::LEAF, 0),
            IxNode::Free(level) => (Measure::free(level), 1),
            IxNode::Bound(binder) => (Measure::bound(binder), 1),
            IxNode::Op(op, a, b) => {
                let (of_a, of_b) = (self.degrees[a.0 as usize], self.degrees[b.0 as usize]);
                let degree = match op {
                    IxOp::Add | IxOp::Sub => of_a.max(of_b),
                    IxOp::Mul => of_a + of_b,
                    IxOp::Mod => of_a.max(of_b + 1),
                    IxOp::Div | IxOp::Min | IxOp::Max => of_a.max(of_b).max(1),
                };
                (Measure::LEAF.with(self.ix_measure(a), 0).with(self.ix_measure(b), 0), degree)
            }
        };
        if measure.nodes > limits::EXTENT_NODES || degree > limits::DEGREE {
            return refuse("an index term is larger, or of higher degree, than the limits allow");
        }
        let number = self.ixs.add(node)?;
        self.ix_measures.push(measure);
        self.degrees.push(degree);
        Ok(Ix(number))
    }

    pub(crate) fn ix_node(&self, ix: Ix) -> IxNode {
        *self.ixs.at(ix.0)
    }

    pub(crate) fn ix_measure(&self, ix: Ix) -> Measure {
        self.ix_measures[ix.0 as usize]
    }

    pub(crate) fn literal(&mut self, value: i64) -> Checked<Ix> {
        self.ix(IxNode::Literal(value))
    }

    pub(crate) fn free_ix(&mut self, level: u32) -> Checked<Ix> {
        self.ix(IxNode::Free(level))
    }

    /// The constructor `mk`: the document's lines 1 to 5, the first that applies.
    pub(crate) fn mk(&mut self, op: IxOp, a: Ix, b: Ix) -> Checked<Ix> {
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
            (IxOp::Add, _, _) => match self.ix_node(b) {
                IxNode::Op(IxOp::Sub, y, x) if x == a => Ok(y),
                _ => self.ix(node),
            },
            (IxOp::Mul, Some(0), _) | (IxOp::Mul, _, Some(0)) => self.literal(0),
            _ => self.ix(node),
        }
    }

    /// The predicate with this node.
    pub(crate) fn pred(&mut self, node: PredNode) -> Checked<Pred> {
        if let Some(known) = self.preds.find(&node) {
            return Ok(Pred(known));
        }
        let leaf = Measure::LEAF;
        let measure = match node {
            PredNode::True | PredNode::False => leaf,
            PredNode::Compare(_, a, b) => leaf.with(self.ix_measure(a), 0).with(self.ix_measure(b), 0),
            PredNode::Not(p) => leaf.with(self.pred_measure(p), 0),
            PredNode::And(p, q) | PredNode::Or(p, q) => {
                leaf.with(self.pred_measure(p), 0).with(self.pred_measure(q), 0)
            }
        };
        if measure.nodes > limits::EXTENT_NODES {
            return refuse("a predicate is larger than the limits allow");
        }
        let number = self.preds.add(node)?;
        self.pred_measures.push(measure);
        Ok(Pred(number))
    }

    pub(crate) fn pred_node(&self, pred: Pred) -> PredNode {
        *self.preds.at(pred.0)
    }

    pub(crate) fn pred_measure(&self, pred: Pred) -> Measure {
        self.pred_measures[pred.0 as usize]
    }

    pub(crate) fn compare(&mut self, relation: Relation, a: Ix, b: Ix) -> Checked<Pred> {
        self.pred(PredNode::Compare(relation, a, b))
    }

    pub(crate) fn mk_and(&mut self, p: Pred, q: Pred) -> Checked<Pred> {
        let (of_p, of_q) = (self.pred_node(p), self.pred_node(q));
        if of_p == PredNode::True || of_q == PredNode::False {
            Ok(q)
        } else if of_q == PredNode::True || of_p == PredNode::False {
            Ok(p)
        } else {
            self.pred(PredNode::And(p, q))
        }
    }

    pub(crate) fn mk_or(&mut self, p: Pred, q: Pred) -> Checked<Pred> {
        let (of_p, of_q) = (self.pred_node(p), self.pred_node(q));
        if of_p == PredNode::False || of_q == PredNode::True {
            Ok(q)
        } else if of_q == PredNode::False || of_p == PredNode::True {
            Ok(p)
        } else {
            self.pred(PredNode::Or(p, q))
        }
    }

    pub(crate) fn mk_not(&mut self, p: Pred) -> Checked<Pred> {
        match self.pred_node(p) {
            PredNode::True => self.pred(PredNode::False),
            PredNode::False => self.pred(PredNode::True),
            PredNode::Not(q) => Ok(q),
            _ => self.pred(PredNode::Not(p)),
        }
    }

    /// `0 <= i` and `i < n`.
    pub(crate) fn in_range(&mut self, i: Ix, n: Ix) -> Checked<Pred> {
        let zero = self.literal(0)?;
        let low = self.compare(Relation::Le, zero, i)?;
        let high = self.compare(Relation::Lt, i, n)?;
        self.mk_and(low, high)
    }

    pub(crate) fn iff(&mut self, p: Pred, q: Pred) -> Checked<Pred> {
        let both = self.mk_and(p, q)?;
        let (not_p, not_q) = (self.mk_not(p)?, self.mk_not(q)?);
        let neither = self.mk_and(not_p, not_q)?;
        self.mk_or(both, neither)
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
        let mut store = Store::new();
        let (x, y) = (store.free_ix(0).unwrap(), store.free_ix(1).unwrap());
        let (zero, one, most) =
            (store.literal(0).unwrap(), store.literal(1).unwrap(), store.literal(i64::MAX).unwrap());
        let mut check = |op, a, b, expected| assert_eq!(store.mk(op, a, b).unwrap(), expected, "{op:?}");
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
