//! Terms and definitions, without labels: the reader keeps those apart, so that nothing here can depend on them.

use crate::algebra::{Algebra, Element, Function};
use crate::index::{Ix, Measure, Pred};
use crate::limits;
use crate::names::named;
use crate::refusal::{Checked, require};
use crate::store::Store;
use std::rc::Rc;

/// A term, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Term(pub(crate) u32);

/// A definition, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Def(pub(crate) u32);

/// A list of index terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Ixs(u32);

/// A list of terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Terms(u32);

named! {
    /// A number as it is written; a decimal is the first, times ten to the second.
    Number { Zero "zero", One "one", Infinity "inf", MinusInfinity "-inf", } Decimal((i128, i32)) "decimal"
}

named! {
    /// The two constructs with a bound index.
    Loop { Gen "gen", Sum "sum", }
}

/// A node of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TermNode {
    Free(u32),
    Bound(u32),
    Literal(Element, Number),
    Index(Element, Ix),
    Loop(Loop, Ix, Term),
    Guard(Pred, Term),
    Select(Pred, Term, Term),
    Let(Term, Term),
    /// How many rounds; the start and the step of each state, one after the other; the body.
    Iterate(Ix, Terms, Term),
    Get(Term, Ix),
    Prim(Function, Terms),
    View(Algebra, Term),
    Op(Def, Ixs, Terms),
    /// Several results.
    Bundle(Terms),
}

/// A definition. The levels of its body's free variables are, in order, its index parameters, then for each tensor
/// parameter the extents that the body names and the tensor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Definition {
    /// The name as the file spells it, escapes and all.
    pub(crate) name: String,
    pub(crate) indices: u32,
    /// For each tensor parameter, how many of its extents the body names.
    pub(crate) tensors: Vec<u32>,
    pub(crate) body: Term,
}

/// What a node is made of.
pub(crate) struct Parts {
    pub(crate) pred: Option<Pred>,
    pub(crate) ixs: Vec<Ix>,
    pub(crate) terms: Vec<Term>,
    below: Below,
}

/// Which terms stand below binders.
enum Below {
    Nothing,
    /// The last, below one.
    Binder,
    /// The last, below the states; each second, below the states, the new ones before its own, and the index.
    Rounds,
}

impl Parts {
    /// The number of binders between the node and one of its terms.
    pub(crate) fn binders(&self, part: usize) -> u32 {
        let (last, states) = (part + 1 == self.terms.len(), (self.terms.len() / 2) as u32);
        match self.below {
            Below::Binder if last => 1,
            Below::Rounds if last => states,
            Below::Rounds if part % 2 == 1 => states + 1 + (part / 2) as u32,
            _ => 0,
        }
    }
}

impl Store {
    /// The parts of a node.
    pub(crate) fn parts(&self, node: TermNode) -> Parts {
        let (pred, ixs, terms) = match node {
            TermNode::Free(_) | TermNode::Bound(_) | TermNode::Literal(..) => (None, vec![], vec![]),
            TermNode::Index(_, i) => (None, vec![i], vec![]),
            TermNode::Loop(_, n, e) => (None, vec![n], vec![e]),
            TermNode::Guard(p, e) => (Some(p), vec![], vec![e]),
            TermNode::Select(p, e, f) => (Some(p), vec![], vec![e, f]),
            TermNode::Let(e, f) => (None, vec![], vec![e, f]),
            TermNode::Iterate(n, states, body) => {
                (None, vec![n], [self.term_list(states), vec![body]].concat())
            }
            TermNode::Get(e, k) => (None, vec![k], vec![e]),
            TermNode::View(_, e) => (None, vec![], vec![e]),
            TermNode::Prim(_, operands) | TermNode::Bundle(operands) => {
                (None, vec![], self.term_list(operands))
            }
            TermNode::Op(_, indices, operands) => (None, self.ix_list(indices), self.term_list(operands)),
        };
        let below = match node {
            TermNode::Loop(..) | TermNode::Let(..) => Below::Binder,
            TermNode::Iterate(..) => Below::Rounds,
            _ => Below::Nothing,
        };
        Parts { pred, ixs, terms, below }
    }

    /// A node of the same kind as another, of other parts; as many, but for operands.
    pub(crate) fn rebuilt(&self, node: TermNode, parts: &Parts) -> Checked<TermNode> {
        let Parts { pred, ixs, terms, .. } = parts;
        Ok(match (node, pred, &ixs[..], &terms[..]) {
            (TermNode::Index(element, _), _, [i], _) => TermNode::Index(element, *i),
            (TermNode::Loop(kind, ..), _, [n], [e]) => TermNode::Loop(kind, *n, *e),
            (TermNode::Guard(..), Some(p), _, [e]) => TermNode::Guard(*p, *e),
            (TermNode::Select(..), Some(p), _, [e, f]) => TermNode::Select(*p, *e, *f),
            (TermNode::Let(..), _, _, [e, f]) => TermNode::Let(*e, *f),
            (TermNode::Iterate(..), _, [n], [states @ .., body]) => {
                TermNode::Iterate(*n, self.terms(states)?, *body)
            }
            (TermNode::Get(..), _, [k], [e]) => TermNode::Get(*e, *k),
            (TermNode::View(algebra, _), _, _, [e]) => TermNode::View(algebra, *e),
            (TermNode::Prim(function, _), ..) => TermNode::Prim(function, self.terms(terms)?),
            (TermNode::Bundle(_), ..) => TermNode::Bundle(self.terms(terms)?),
            (TermNode::Op(def, ..), ..) => TermNode::Op(def, self.ixs(ixs)?, self.terms(terms)?),
            (leaf, ..) => leaf,
        })
    }

    /// The term with this node.
    pub(crate) fn term(&self, node: TermNode) -> Checked<Term> {
        self.terms.add(node, |node| self.measured(*node)).map(Term)
    }

    fn measured(&self, node: TermNode) -> Checked<Measure> {
        let parts = self.parts(node);
        let mut measure = match node {
            TermNode::Free(level) => Measure::free(level),
            TermNode::Bound(binder) => Measure::bound(binder),
            // The body has variables of its own: it adds to the size and to the nesting alone.
            TermNode::Op(def, ..) => {
                let body = self.measure(self.definition(def).body);
                Measure::LEAF.with(Measure { loose: 0, free: 0, ..body }, 0)
            }
            _ => Measure::LEAF,
        };
        measure = parts.pred.iter().fold(measure, |sum, p| sum.with(self.pred_measure(*p), 0));
        measure = parts.ixs.iter().fold(measure, |sum, i| sum.with(self.ix_measure(*i), 0));
        for (k, t) in parts.terms.iter().enumerate() {
            measure = measure.with(self.measure(*t), parts.binders(k));
        }
        let small = measure.nodes <= limits::TERM_NODES && measure.depth <= limits::TERM_DEPTH;
        require(small, "a term is larger, or nested deeper, than the limits allow")?;
        Ok(measure)
    }

    pub(crate) fn node(&self, term: Term) -> TermNode {
        self.terms.at(term.0)
    }

    pub(crate) fn measure(&self, term: Term) -> Measure {
        self.terms.about(term.0)
    }

    pub(crate) fn ix_list(&self, list: Ixs) -> Vec<Ix> {
        self.lists.at(list.0).iter().map(|number| Ix(*number)).collect()
    }

    pub(crate) fn term_list(&self, list: Terms) -> Vec<Term> {
        self.lists.at(list.0).iter().map(|number| Term(*number)).collect()
    }

    pub(crate) fn ixs(&self, list: &[Ix]) -> Checked<Ixs> {
        self.lists.add(list.iter().map(|i| i.0).collect(), |_| Ok(())).map(Ixs)
    }

    pub(crate) fn terms(&self, list: &[Term]) -> Checked<Terms> {
        self.lists.add(list.iter().map(|t| t.0).collect(), |_| Ok(())).map(Terms)
    }

    pub(crate) fn prim(&self, function: Function, operands: &[Term]) -> Checked<Term> {
        self.term(TermNode::Prim(function, self.terms(operands)?))
    }

    pub(crate) fn guard(&self, pred: Pred, e: Term) -> Checked<Term> {
        self.term(TermNode::Guard(pred, e))
    }

    pub(crate) fn get(&self, e: Term, k: Ix) -> Checked<Term> {
        self.term(TermNode::Get(e, k))
    }

    pub(crate) fn sum(&self, n: Ix, e: Term) -> Checked<Term> {
        self.term(TermNode::Loop(Loop::Sum, n, e))
    }

    pub(crate) fn definition(&self, def: Def) -> Rc<Definition> {
        self.definitions.at(def.0)
    }
}
