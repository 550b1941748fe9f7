//! What a file claims, printed from what was proved.
//!
//! Names come from levels, never from labels: two variables may have the same label, and labels mean nothing. A
//! context's labels stand beside its entries, for people. Defined operators are printed with their definitions, which
//! the file brings.

use crate::algebra::{Laws, Rounding};
use crate::context::Entry;
use crate::index::{Ix, IxNode, IxOp, Pred, PredNode, Relation};
use crate::store::Store;
use crate::terms::{Def, Loop, Number, Term, TermNode};
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// What was proved, before it is printed.
pub(crate) struct Statement {
    pub(crate) entries: Vec<Entry>,
    /// The entries' labels, as the file spells them.
    pub(crate) names: Vec<String>,
    pub(crate) left: Term,
    pub(crate) right: Term,
    pub(crate) laws: Laws,
    pub(crate) rounding: Rounding,
}

/// The claim of a file that is a proof, in words. [`Display`](fmt::Display) prints all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The variables, a line each: the name in this claim, the type, and the label in the file.
    pub variables: Vec<String>,
    /// The hypotheses.
    pub hypotheses: Vec<String>,
    /// The definitions of operators that the sides use.
    pub definitions: Vec<String>,
    /// The left side.
    pub left: String,
    /// The right side.
    pub right: String,
    /// The laws that were used, or `none`.
    pub laws: String,
    /// The rounding class.
    pub rounding: String,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sections =
            [("for all", &self.variables), ("such that", &self.hypotheses), ("where", &self.definitions)];
        for (title, lines) in sections.iter().filter(|(_, lines)| !lines.is_empty()) {
            writeln!(f, "{title}")?;
            for line in *lines {
                writeln!(f, "  {line}")?;
            }
        }
        writeln!(f, "  {}\nequals\n  {}", self.left, self.right)?;
        writeln!(f, "laws {}", self.laws)?;
        writeln!(f, "rounding {}", self.rounding)
    }
}

impl Claim {
    pub(crate) fn new(store: &Store, statement: &Statement) -> Claim {
        let mut printer = Printer { store, text: String::new(), used: BTreeSet::new() };
        let (mut variables, mut hypotheses) = (Vec::new(), Vec::new());
        for (level, (entry, name)) in statement.entries.iter().zip(&statement.names).enumerate() {
            match entry {
                Entry::Index => variables.push(format!("x{level}: index, {name}")),
                Entry::Tensor(ty) => {
                    let shape: Vec<String> = store
                        .ix_list(ty.shape)
                        .into_iter()
                        .map(|n| printer.printed(|p| p.ix(n, 0)))
                        .collect();
                    variables.push(format!("x{level}: {}[{}], {name}", ty.element, shape.join(", ")));
                }
                Entry::Hypothesis(pred) => hypotheses.push(printer.printed(|p| p.pred(*pred, 0))),
            }
        }
        let left = printer.printed(|p| p.term(statement.left, 0));
        let right = printer.printed(|p| p.term(statement.right, 0));
        let definitions = printer.definitions();
        let (laws, rounding) = (statement.laws.to_string(), statement.rounding.to_string());
        Claim { variables, hypotheses, definitions, left, right, laws, rounding }
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
    fn printed(&mut self, print: impl FnOnce(&mut Self)) -> String {
        print(self);
        std::mem::take(&mut self.text)
    }

    fn put(&mut self, text: impl fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{text}");
    }

    /// A variable that is bound, or free in a term that is not closed.
    fn bound(&mut self, binder: u32, depth: u32) {
        match depth.checked_sub(1).and_then(|top| top.checked_sub(binder)) {
            Some(place) => self.put(format_args!("i{place}")),
            None => self.put(format_args!("bound {binder}")),
        }
    }

    fn ix(&mut self, ix: Ix, depth: u32) {
        match self.store.ix_node(ix) {
            IxNode::Literal(value) => self.put(value),
            IxNode::Free(level) => self.put(format_args!("x{level}")),
            IxNode::Bound(binder) => self.bound(binder, depth),
            IxNode::Op(op, a, b) => {
                let (open, middle) = match op {
                    IxOp::Add => ("(", " + "),
                    IxOp::Sub => ("(", " - "),
                    IxOp::Mul => ("(", " * "),
                    IxOp::Div => ("(", " / "),
                    IxOp::Mod => ("(", " % "),
                    IxOp::Min => ("min(", ", "),
                    IxOp::Max => ("max(", ", "),
                };
                self.put(open);
                self.ix(a, depth);
                self.put(middle);
                self.ix(b, depth);
                self.put(")");
            }
        }
    }

    fn pred(&mut self, pred: Pred, depth: u32) {
        match self.store.pred_node(pred) {
            PredNode::True => self.put("true"),
            PredNode::False => self.put("false"),
            PredNode::Compare(relation, a, b) => {
                self.ix(a, depth);
                self.put(match relation {
                    Relation::Eq => " == ",
                    Relation::Lt => " < ",
                    Relation::Le => " <= ",
                });
                self.ix(b, depth);
            }
            PredNode::Not(p) => {
                self.put("not (");
                self.pred(p, depth);
                self.put(")");
            }
            PredNode::And(p, q) => self.two_preds(p, " and ", q, depth),
            PredNode::Or(p, q) => self.two_preds(p, " or ", q, depth),
        }
    }

    fn two_preds(&mut self, p: Pred, word: &str, q: Pred, depth: u32) {
        self.put("(");
        self.pred(p, depth);
        self.put(word);
        self.pred(q, depth);
        self.put(")");
    }

    fn term(&mut self, term: Term, depth: u32) {
        match self.store.node(term) {
            TermNode::Free(level) => self.put(format_args!("x{level}")),
            TermNode::Bound(binder) => self.bound(binder, depth),
            TermNode::Literal(element, number) => {
                match number {
                    Number::Zero => self.put("zero"),
                    Number::One => self.put("one"),
                    Number::Infinity => self.put("inf"),
                    Number::MinusInfinity => self.put("-inf"),
                    Number::Decimal(mantissa, exponent) => self.put(format_args!("{mantissa}e{exponent}")),
                }
                self.put(format_args!(":{element}"));
            }
            TermNode::Index(element, ix) => {
                self.put(format_args!("{element}("));
                self.ix(ix, depth);
                self.put(")");
            }
            TermNode::Loop(kind, n, body) => {
                self.put(if kind == Loop::Gen { "gen" } else { "sum" });
                self.put(format_args!(" i{depth} < "));
                self.ix(n, depth);
                self.put(" { ");
                self.term(body, depth + 1);
                self.put(" }");
            }
            TermNode::Guard(pred, e) => {
                self.put("guard ");
                self.pred(pred, depth);
                self.braced(e, depth);
            }
            TermNode::Select(pred, e, f) => {
                self.put("if ");
                self.pred(pred, depth);
                self.braced(e, depth);
                self.put(" else");
                self.braced(f, depth);
            }
            TermNode::Let(e, f) => {
                self.put(format_args!("let i{depth} = "));
                self.term(e, depth);
                self.put("; ");
                self.term(f, depth + 1);
            }
            TermNode::Get(e, k) => {
                self.put("(");
                self.term(e, depth);
                self.put(")[");
                self.ix(k, depth);
                self.put("]");
            }
            TermNode::Prim(function, operands) => {
                self.put(function.name());
                if let crate::algebra::Function::Cast(to) = function {
                    self.put(format_args!("<{to}>"));
                }
                self.arguments(&[], &self.store.term_list(operands), depth);
            }
            TermNode::View(algebra, e) => {
                self.put(format_args!("view {}", algebra.name()));
                self.braced(e, depth);
            }
            TermNode::Op(def, indices, operands) => {
                self.operator(def);
                self.arguments(&self.store.ix_list(indices), &self.store.term_list(operands), depth);
            }
        }
    }

    fn braced(&mut self, term: Term, depth: u32) {
        self.put(" { ");
        self.term(term, depth);
        self.put(" }");
    }

    fn arguments(&mut self, indices: &[Ix], terms: &[Term], depth: u32) {
        self.put("(");
        let mut separator = "";
        for index in indices {
            self.put(std::mem::replace(&mut separator, ", "));
            self.ix(*index, depth);
        }
        for term in terms {
            self.put(std::mem::replace(&mut separator, ", "));
            self.term(*term, depth);
        }
        self.put(")");
    }

    /// The name of a definition. Names need not be unique, so its number is part of it.
    fn operator(&mut self, def: Def) {
        self.used.insert(def.0);
        let name = self.store.definition(def).name.clone();
        self.put(format_args!("{name}.{}", def.0));
    }

    /// The definitions that were named, and those that they name.
    fn definitions(&mut self) -> Vec<String> {
        let (mut lines, mut done) = (Vec::new(), BTreeSet::new());
        while let Some(number) = self.used.difference(&done).next().copied() {
            done.insert(number);
            let definition = self.store.definition(Def(number));
            lines.push(self.printed(|p| {
                p.operator(Def(number));
                let (mut level, mut separator) = (0, "");
                p.put("(");
                for _ in 0..definition.indices {
                    p.put(format_args!("{separator}x{level}"));
                    (level, separator) = (level + 1, ", ");
                }
                for named in &definition.tensors {
                    let extents: Vec<String> = (level..level + named).map(|x| format!("x{x}")).collect();
                    level += named;
                    p.put(format_args!("{separator}x{level}[{}]", extents.join(", ")));
                    (level, separator) = (level + 1, ", ");
                }
                p.put(") = ");
                p.term(definition.body, 0);
            }));
        }
        lines
    }
}
