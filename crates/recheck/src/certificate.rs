//! Certificates: refutations of a goal's negation, step by step.
//!
//! Facts are polynomials known to be at least 0; disjunctions are predicates with a truth value that were not taken
//! apart. A step only adds; a branch ends by forgetting what it added.

use crate::context::{Context, Entry};
use crate::poly::Poly;
use crate::prelude::*;
use crate::subst::Subst;
use crate::typing::Judge;

/// A step of a certificate. Facts are named by their numbers.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A sum of products of facts, each with a coefficient.
    Combine(Vec<(i128, Vec<u32>)>),
    Cut(u32, i128),
    Euclid(Ix, Ix, u32),
    /// A minimum, or a maximum.
    Extremum(IxOp, Ix, Ix),
    /// What a general hypothesis says of these.
    Instance(u32, Vec<Ix>),
    /// What its type says of an element of the tensor at a level.
    Type(u32, Vec<Ix>),
}

/// How a certificate ends. Certificates are named by their lines.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Absurd(u32),
    Split(u32, usize, usize),
    Case(Pred, usize, usize),
}

/// A certificate.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    pub(crate) steps: Vec<Step>,
    pub(crate) end: End,
}

/// What is known in the course of a refutation.
struct Refutation<'a> {
    store: &'a Store,
    context: &'a Context,
    certificates: &'a [Certificate],
    facts: Vec<Poly>,
    disjunctions: Vec<(Pred, bool)>,
    /// The context's general hypotheses: the number of variables, and the predicate.
    general: Vec<(u32, Pred)>,
    /// What the products have cost.
    products: u64,
    /// Steps and ends so far, and those on the path to the one at hand.
    nodes: u64,
    path: u64,
}

impl Judge<'_> {
    /// A goal is shown by the next certificate.
    pub(crate) fn show(&mut self, goal: Pred) -> Checked<()> {
        let (number, left) = self.evidence.split_first().ok_or("a side condition has no certificate")?;
        self.evidence = left;
        let (store, context, certificates) = (&self.store, &self.context, self.certificates);
        let (facts, disjunctions, general) = (Vec::new(), Vec::new(), Vec::new());
        let (products, nodes, path) = (0, 0, 0);
        let mut known =
            Refutation { store, context, certificates, facts, disjunctions, general, products, nodes, path };
        for entry in context.entries() {
            match entry {
                Entry::Hypothesis(hypothesis) => {
                    // After an overflow, what the hypothesis gave so far stays, and the rest is not known.
                    let _: Checked<()> = known.assume(*hypothesis, true);
                }
                Entry::General(variables, pred) => known.general.push((*variables, *pred)),
                Entry::Index | Entry::Tensor(_) => {}
            }
        }
        known.assume(goal, false)?;
        known.run(*number)
    }
}

impl Refutation<'_> {
    /// Take a predicate apart.
    fn assume(&mut self, pred: Pred, holds: bool) -> Checked<()> {
        self.store.work(1)?;
        match (self.store.pred_node(pred), holds) {
            (PredNode::True, true) | (PredNode::False, false) => Ok(()),
            (PredNode::True, false) | (PredNode::False, true) => {
                self.facts.push(self.store.polynomials.constant(-1)?);
                Ok(())
            }
            (PredNode::Not(p), _) => self.assume(p, !holds),
            (PredNode::And(p, q), true) | (PredNode::Or(p, q), false) => {
                self.assume(p, holds)?;
                self.assume(q, holds)
            }
            (PredNode::And(..), false)
            | (PredNode::Or(..), true)
            | (PredNode::Compare(Relation::Eq, ..), false) => {
                self.disjunctions.push((pred, holds));
                Ok(())
            }
            (PredNode::Compare(Relation::Eq, a, b), true) => {
                self.at_most(a, b, 0)?;
                self.at_most(b, a, 0)
            }
            (PredNode::Compare(Relation::Le, a, b), true) => self.at_most(a, b, 0),
            (PredNode::Compare(Relation::Le, a, b), false) => self.at_most(b, a, 1),
            (PredNode::Compare(Relation::Lt, a, b), true) => self.at_most(a, b, 1),
            (PredNode::Compare(Relation::Lt, a, b), false) => self.at_most(b, a, 0),
        }
    }

    /// The fact `0 <= b - a - less`.
    fn at_most(&mut self, a: Ix, b: Ix, less: i128) -> Checked<()> {
        let (b, a) = (self.store.poly(b)?, self.store.poly(a)?);
        let difference = self.store.poly_add(b, -1, a)?;
        self.facts.push(self.less(difference, less)?);
        Ok(())
    }

    /// A polynomial, less a number.
    fn less(&self, poly: Poly, number: i128) -> Checked<Poly> {
        self.store.poly_add(poly, -number, self.store.polynomials.constant(1)?)
    }

    fn fact(&self, number: u32) -> Checked<Poly> {
        let fact = self.facts.get(number as usize);
        fact.copied().ok_or("a certificate names a fact that it does not have".into())
    }

    fn run(&mut self, number: usize) -> Checked<()> {
        let certificate = &self.certificates[number];
        let length = certificate.steps.len() as u64 + 1;
        (self.nodes, self.path) = (self.nodes + length, self.path + length);
        let short = self.nodes <= limits::CERTIFICATE_NODES && self.path <= limits::CERTIFICATE_PATH;
        require(short, "a certificate is longer than the limits allow")?;
        self.store.work(length)?;
        certificate.steps.iter().try_for_each(|step| self.step(step))?;
        match certificate.end {
            End::Absurd(fact) => {
                let constant = self.store.polynomials.as_constant(self.fact(fact)?);
                require(constant.is_some_and(|value| value < 0), "an absurd fact is no negative constant")
            }
            End::Split(disjunction, left, right) => {
                let split = self.disjunctions.get(disjunction as usize).copied();
                let (pred, holds) =
                    split.ok_or("a certificate splits a disjunction that it does not have")?;
                match self.store.pred_node(pred) {
                    PredNode::Or(p, q) | PredNode::And(p, q) => {
                        self.branch(left, |known| known.assume(p, holds))?;
                        self.branch(right, |known| known.assume(q, holds))
                    }
                    PredNode::Compare(_, a, b) => {
                        self.branch(left, |known| known.at_most(a, b, 1))?;
                        self.branch(right, |known| known.at_most(b, a, 1))
                    }
                    _ => refuse("a certificate splits what is no disjunction"),
                }
            }
            End::Case(pred, yes, no) => {
                self.branch(yes, |known| known.assume(pred, true))?;
                self.branch(no, |known| known.assume(pred, false))
            }
        }
    }

    /// Run a certificate with more assumptions, which are then forgotten.
    fn branch(&mut self, certificate: usize, assume: impl FnOnce(&mut Self) -> Checked<()>) -> Checked<()> {
        let (facts, disjunctions, path) = (self.facts.len(), self.disjunctions.len(), self.path);
        assume(self)?;
        self.run(certificate)?;
        self.facts.truncate(facts);
        self.disjunctions.truncate(disjunctions);
        self.path = path;
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Checked<()> {
        match step {
            Step::Combine(parts) => {
                let mut sum = self.store.polynomials.constant(0)?;
                for (coefficient, factors) in parts {
                    require(*coefficient >= 0, "a certificate has a negative coefficient")?;
                    let product = self.product(factors)?;
                    sum = self.store.poly_add(sum, *coefficient, product)?;
                }
                self.facts.push(sum);
            }
            Step::Cut(fact, divisor) => {
                require(*divisor > 0, "a certificate divides by what is not positive")?;
                self.facts.push(self.store.polynomials.cut(self.fact(*fact)?, *divisor)?);
            }
            Step::Euclid(a, d, fact) => {
                let (a, divisor) = (self.store.poly(*a)?, self.store.poly(*d)?);
                let positive = self.less(divisor, 1)? == self.fact(*fact)?;
                require(positive, "a certificate divides by what was not shown to be positive")?;
                let remainder = self.store.poly_remainder(a, divisor)?;
                self.facts.push(remainder);
                let above = self.store.poly_add(divisor, -1, remainder)?;
                self.facts.push(self.less(above, 1)?);
            }
            Step::Extremum(op, a, b) => {
                let m = self.store.mk(*op, *a, *b)?;
                let in_order = |x| if *op == IxOp::Min { (m, x) } else { (x, m) };
                let [left, right] = [*a, *b].map(in_order);
                self.at_most(left.0, left.1, 0)?;
                self.at_most(right.0, right.1, 0)?;
                let left = self.store.compare(Relation::Le, left.1, left.0)?;
                let right = self.store.compare(Relation::Le, right.1, right.0)?;
                self.disjunctions.push((self.store.pred(PredNode::Or(left, right))?, true));
            }
            Step::Instance(number, at) => {
                let general = self.general.get(*number as usize);
                let general = general.filter(|(variables, _)| *variables as usize == at.len());
                let (_, pred) =
                    general.ok_or("a certificate names a general hypothesis that is not there")?;
                self.assume(self.store.in_pred(Subst::Instance(at), *pred, 0)?, true)?;
            }
            Step::Type(level, at) => {
                let Some(Entry::Tensor(ty)) = self.context.entries().get(*level as usize) else {
                    return refuse("a certificate names a tensor that is not there");
                };
                let range = ty.element.scalar.index_range();
                let (least, greatest) =
                    range.ok_or("a certificate asks for the range of a type that has none")?;
                let fits = self.store.ix_list(ty.shape).len() == at.len();
                require(fits, "a certificate asks for an element with another number of indices")?;
                let array = self.store.term(TermNode::Free(*level))?;
                let element = self.store.ix(IxNode::Read(array, self.store.ixs(at)?))?;
                self.at_most(self.store.literal(least)?, element, 0)?;
                self.at_most(element, self.store.literal(greatest)?, 0)?;
            }
        }
        Ok(())
    }

    /// A product of facts.
    fn product(&mut self, factors: &[u32]) -> Checked<Poly> {
        let Some((first, rest)) = factors.split_first() else { return self.store.polynomials.constant(1) };
        let mut product = self.fact(*first)?;
        for factor in rest {
            let factor = self.fact(*factor)?;
            self.products = self.products.saturating_add(self.store.polynomials.cost(product, factor)?);
            require(self.products <= limits::PRODUCTS, "a certificate multiplies too much")?;
            product = self.store.poly_mul(product, factor)?;
        }
        Ok(product)
    }
}
