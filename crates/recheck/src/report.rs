//! What a file claims, printed from what was proved.
//!
//! Names come from levels, never from labels: two variables may have the same label, and labels mean
//! nothing. A context's labels stand beside its entries, for people. Defined operators are printed with
//! their definitions, which the file brings.

use crate::context::Entry;
use crate::inference::Equation;
use crate::monoids::{Monoid, Uses};
use crate::prelude::*;
use crate::program::{Program, Run};
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// The claim of a file that is a proof, to be printed: variables, hypotheses, both sides, the laws of
/// monoids on which they rest, the definitions that they use, laws, rounding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim(String);

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Claim {
    /// What was proved, in a context whose entries have names; and of which loops.
    pub(crate) fn new(
        store: &Store,
        entries: &[Entry],
        names: &[String],
        (proved, claims, loops): (&Equation, &Uses<'_>, Option<&(Program, Run)>),
    ) -> Claim {
        let mut p = Printer { store, text: String::new(), used: BTreeSet::new() };
        for (level, (entry, name)) in entries.iter().zip(names).enumerate() {
            match entry {
                Entry::Index => p.put(format_args!("for all x{level}: index, {name}")),
                Entry::Tensor(ty) => {
                    p.put(format_args!("for all x{level}: {}[", ty.element));
                    let mut separator = "";
                    for extent in store.ix_list(ty.shape) {
                        p.put(std::mem::replace(&mut separator, ", "));
                        p.ix(extent, 0);
                    }
                    p.put(format_args!("], {name}"));
                }
                Entry::Hypothesis(pred) => {
                    p.put("if ");
                    p.pred(*pred, 0);
                }
                Entry::General(variables, pred) => {
                    p.put("if for all integers");
                    (0..*variables).for_each(|k| p.put(format_args!(" i{k}")));
                    p.put(": ");
                    p.pred(*pred, *variables);
                }
            }
            p.put("\n");
        }
        for (title, side) in ["    ", "  = "].into_iter().zip([proved.left, proved.right]) {
            p.put(title);
            p.term(side, 0);
            p.put("\n");
        }
        claims.iter().for_each(|(monoid, laws)| p.monoid(monoid, *laws));
        p.definitions();
        p.put(format_args!("laws {}\nrounding {}\n", proved.laws, proved.rounding.name()));
        p.loops(loops);
        Claim(p.text)
    }
}

/// Prints terms; variables bound at depth `d` are `i<d>`.
struct Printer<'s> {
    store: &'s Store,
    text: String,
    /// Definitions that were named.
    used: BTreeSet<u32>,
}

impl Printer<'_> {
    fn put(&mut self, text: impl fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{text}");
    }

    /// A variable that is bound: what is printed was typed, so it is bound inside.
    fn bound(&mut self, binder: u32, depth: u32) {
        self.put(format_args!("i{}", depth.wrapping_sub(binder).wrapping_sub(1)));
    }

    fn ix(&mut self, ix: Ix, depth: u32) {
        match self.store.ix_node(ix) {
            IxNode::Literal(value) => self.put(value),
            IxNode::Free(level) => self.put(format_args!("x{level}")),
            IxNode::Bound(binder) => self.bound(binder, depth),
            IxNode::Op(op, a, b) => {
                self.put("(");
                self.ix(a, depth);
                self.put(format_args!(" {} ", op.name()));
                self.ix(b, depth);
                self.put(")");
            }
            IxNode::Read(array, at) => {
                self.term(array, depth);
                self.put("[");
                let mut separator = "";
                for i in self.store.ix_list(at) {
                    self.put(std::mem::replace(&mut separator, ", "));
                    self.ix(i, depth);
                }
                self.put("]");
            }
        }
    }

    fn pred(&mut self, pred: Pred, depth: u32) {
        let (p, word, q) = match self.store.pred_node(pred) {
            PredNode::True => return self.put("true"),
            PredNode::False => return self.put("false"),
            PredNode::Not(p) => {
                self.put("not ");
                return self.pred(p, depth);
            }
            PredNode::Compare(relation, a, b) => {
                self.put("(");
                self.ix(a, depth);
                self.put(format_args!(" {} ", relation.name()));
                self.ix(b, depth);
                return self.put(")");
            }
            PredNode::And(p, q) => (p, " and ", q),
            PredNode::Or(p, q) => (p, " or ", q),
        };
        self.put("(");
        self.pred(p, depth);
        self.put(word);
        self.pred(q, depth);
        self.put(")");
    }

    /// What is assumed of a monoid. The variables of a sum count the fields of one element, and then of
    /// another.
    fn monoid(&mut self, monoid: &Monoid, laws: Laws) {
        self.put(format_args!("if {} with these fields has the laws {laws}\n", monoid.name));
        for field in &monoid.fields {
            self.put(format_args!("    {}: zero ", field.element));
            self.term(field.zero, 0);
            self.put(", sum ");
            self.term(field.sum, 0);
            self.put("\n");
        }
    }

    /// What running the loops does, if anything is known of that.
    fn loops(&mut self, loops: Option<&(Program, Run)>) {
        let Some((program, run)) = loops else { return self.put("loops: no evidence\n") };
        self.put("loops: from memory that holds");
        let mut separator = " ";
        for (level, name) in program.given().filter_map(|(level, name)| Some((level?, name))) {
            self.put(std::mem::replace(&mut separator, ", "));
            self.put(format_args!("x{level} in {name}"));
        }
        for (_, name) in program.given().filter(|(level, _)| level.is_none()) {
            self.put(format_args!(", they leave the second side in {name}, and never trap"));
        }
        self.put(format_args!("\nlaws of loops {}\n", run.laws));
    }

    /// A term: what it is, then its predicate, its index terms and its terms in brackets. A binder's
    /// variable stands before the bracket.
    fn term(&mut self, term: Term, depth: u32) {
        let node = self.store.node(term);
        match node {
            TermNode::Free(level) => return self.put(format_args!("x{level}")),
            TermNode::Bound(binder) => return self.bound(binder, depth),
            TermNode::Literal(element, number) => return self.number(element, number),
            TermNode::Index(element, _) => self.put(element),
            TermNode::Loop(kind, ..) => self.put(format_args!("{} i{depth}", kind.name())),
            TermNode::Guard(..) => self.put("guard"),
            TermNode::Select(..) => self.put("select"),
            TermNode::Let(..) => self.put(format_args!("let i{depth}")),
            TermNode::Iterate(..) => self.put(format_args!("iterate i{depth}")),
            TermNode::Get(..) => self.put("get"),
            TermNode::Prim(Function::Cast(to), _) => self.put(format_args!("cast {to}")),
            TermNode::Prim(function, _) => self.put(function.name()),
            TermNode::View(algebra, _) => self.put(format_args!("view {}", algebra.name())),
            TermNode::Op(def, ..) => self.operator(def),
            TermNode::Bundle(_) => self.put("bundle"),
        }
        let parts = self.store.parts(node);
        let mut separator = "(";
        if let Some(pred) = parts.pred {
            self.put(std::mem::replace(&mut separator, ", "));
            self.pred(pred, depth);
        }
        for ix in &parts.ixs {
            self.put(std::mem::replace(&mut separator, ", "));
            self.ix(*ix, depth);
        }
        for (k, term) in parts.terms.iter().enumerate() {
            self.put(std::mem::replace(&mut separator, ", "));
            self.term(*term, depth + parts.binders(k));
        }
        self.put(if separator == "(" { "()" } else { ")" });
    }

    fn number(&mut self, element: Element, number: Number) {
        match number {
            Number::Decimal((mantissa, exponent)) => {
                self.put(format_args!("{mantissa}e{exponent}:{element}"))
            }
            constant => self.put(format_args!("{}:{element}", constant.name())),
        }
    }

    /// The name of a definition. Names need not be unique, so its number is part of it.
    fn operator(&mut self, def: Def) {
        self.used.insert(def.0);
        let name = self.store.definition(def).name.clone();
        self.put(format_args!("{name}.{}", def.0));
    }

    /// The definitions that were named, and those that they name. Their variables count the index
    /// parameters, then for each tensor parameter the extents that are named and the tensor.
    fn definitions(&mut self) {
        let mut done = BTreeSet::new();
        while let Some(number) = self.used.difference(&done).next().copied() {
            done.insert(number);
            let definition = self.store.definition(Def(number));
            self.put("where ");
            self.operator(Def(number));
            let (indices, tensors) = (definition.indices, &definition.tensors);
            self.put(format_args!(" of {indices} indices and tensors with {tensors:?} extents: "));
            self.term(definition.body, 0);
            self.put("\n");
        }
    }
}
