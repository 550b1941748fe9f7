//! Terms and definitions, without labels: the reader keeps those apart, so that nothing here can depend on them.

use crate::algebra::{Algebra, Element, Function};
use crate::index::{Ix, Measure, Pred};
use crate::limits;
use crate::refusal::{Checked, refuse};
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

/// A number as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Number {
    Zero,
    One,
    Infinity,
    MinusInfinity,
    /// The first, times ten to the second.
    Decimal(i64, i32),
}

/// The two constructs with a bound index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Loop {
    Gen,
    Sum,
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
    Get(Term, Ix),
    Prim(Function, Terms),
    View(Algebra, Term),
    Op(Def, Ixs, Terms),
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

impl Store {
    /// The term with this node.
    pub(crate) fn term(&mut self, node: TermNode) -> Checked<Term> {
        if let Some(known) = self.terms.find(&node) {
            return Ok(Term(known));
        }
        let leaf = Measure::LEAF;
        let ix = |store: &Store, i| store.ix_measure(i);
        let measure = match node {
            TermNode::Free(level) => Measure::free(level),
            TermNode::Bound(binder) => Measure::bound(binder),
            TermNode::Literal(..) => leaf,
            TermNode::Index(_, i) => leaf.with(ix(self, i), 0),
            TermNode::Loop(_, n, e) => leaf.with(ix(self, n), 0).with(self.measure(e), 1),
            TermNode::Guard(p, e) => leaf.with(self.pred_measure(p), 0).with(self.measure(e), 0),
            TermNode::Select(p, e, f) => {
                leaf.with(self.pred_measure(p), 0).with(self.measure(e), 0).with(self.measure(f), 0)
            }
            TermNode::Let(e, f) => leaf.with(self.measure(e), 0).with(self.measure(f), 1),
            TermNode::Get(e, i) => leaf.with(self.measure(e), 0).with(ix(self, i), 0),
            TermNode::Prim(_, operands) => self.all_measures(leaf, operands),
            TermNode::View(_, e) => leaf.with(self.measure(e), 0),
            TermNode::Op(def, indices, operands) => {
                // The body has variables of its own: it adds to the size and to the nesting alone.
                let body = self.measure(self.definition(def).body);
                let mut measure = leaf.with(Measure { loose: 0, free: 0, ..body }, 0);
                for i in self.ix_list(indices).iter() {
                    measure = measure.with(ix(self, *i), 0);
                }
                self.all_measures(measure, operands)
            }
        };
        if measure.nodes > limits::TERM_NODES || measure.depth > limits::TERM_DEPTH {
            return refuse("a term is larger, or nested deeper, than the limits allow");
        }
        let number = self.terms.add(node)?;
        self.term_measures.push(measure);
        Ok(Term(number))
    }

    fn all_measures(&self, start: Measure, terms: Terms) -> Measure {
        self.lists.at(terms.0).iter().fold(start, |sum, t| sum.with(self.measure(Term(*t)), 0))
    }

    pub(crate) fn node(&self, term: Term) -> TermNode {
        *self.terms.at(term.0)
    }

    pub(crate) fn measure(&self, term: Term) -> Measure {
        self.term_measures[term.0 as usize]
    }

    pub(crate) fn ix_list(&self, list: Ixs) -> Vec<Ix> {
        self.lists.at(list.0).iter().map(|number| Ix(*number)).collect()
    }

    pub(crate) fn term_list(&self, list: Terms) -> Vec<Term> {
        self.lists.at(list.0).iter().map(|number| Term(*number)).collect()
    }

    pub(crate) fn ixs(&mut self, list: &[Ix]) -> Checked<Ixs> {
        self.lists.add(list.iter().map(|i| i.0).collect()).map(Ixs)
    }

    pub(crate) fn terms(&mut self, list: &[Term]) -> Checked<Terms> {
        self.lists.add(list.iter().map(|t| t.0).collect()).map(Terms)
    }

    pub(crate) fn prim(&mut self, function: Function, operands: &[Term]) -> Checked<Term> {
        let operands = self.terms(operands)?;
        self.term(TermNode::Prim(function, operands))
    }

    pub(crate) fn define(&mut self, definition: Definition) -> Checked<Def> {
        self.definitions.add(Rc::new(definition)).map(Def)
    }

    pub(crate) fn definition(&self, def: Def) -> Rc<Definition> {
        Rc::clone(self.definitions.at(def.0))
    }
}
