//! Certificates: refutations of a goal's negation, step by step.
//!
//! Facts are polynomials known to be at least 0; disjunctions are predicates with a truth value that were not taken
//! apart. A step only adds; a branch ends by forgetting what it added.

use crate::context::{Context, Entry};
use crate::index::{Ix, IxOp, Pred, PredNode, Relation, floor_div};
use crate::limits;
use crate::poly::Poly;
use crate::refusal::{Checked, refuse, require};
use crate::store::Store;

/// A step of a certificate. Facts are named by their numbers.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A sum of products of facts, each with a coefficient.
    Combine(Vec<(i128, Vec<u32>)>),
    Cut(u32, i128),
    Euclid(Ix, Ix, u32),
    Min(Ix, Ix),
    Max(Ix, Ix),
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
    /// Steps and ends, counted as a tree.
    pub(crate) nodes: u64,
    /// Steps and ends on the longest path.
    pub(crate) path: u64,
}

/// What is known in the course of a refutation.
struct Refutation<'a> {
    store: &'a mut Store,
    certificates: &'a [Certificate],
    facts: Vec<Poly>,
    disjunctions: Vec<(Pred, bool)>,
    /// What the products have cost.
    products: u64,
}

/// Check that a certificate proves a goal in a context.
pub(crate) fn prove(
    store: &mut Store,
    certificates: &[Certificate],
    context: &Context,
    goal: Pred,
    certificate: usize,
) -> Checked<()> {
    let (facts, disjunctions) = (Vec::new(), Vec::new());
    let mut refutation = Refutation { store, certificates, facts, disjunctions, products: 0 };
    for entry in context.entries() {
        if let Entry::Hypothesis(hypothesis) = entry {
            // `None` is an overflow: what the hypothesis gave so far stays, the rest is not known.
            let _: Option<()> = refutation.assume(*hypothesis, true);
        }
    }
    refutation.assume(goal, false).ok_or("the goal of a certificate overflows")?;
    refutation.run(certificate)
}

impl Refutation<'_> {
    /// Take a predicate apart; `None` if a polynomial overflows.
    fn assume(&mut self, pred: Pred, holds: bool) -> Option<()> {
        self.store.work(1).ok()?;
        match (self.store.pred_node(pred), holds) {
            (PredNode::True, true) | (PredNode::False, false) => Some(()),
            (PredNode::True, false) | (PredNode::False, true) => {
                let absurd = self.store.polynomials.constant(-1)?;
                self.facts.push(absurd);
                Some(())
            }
            (PredNode::Not(p), _) => self.assume(p, !holds),
            (PredNode::And(p, q), true) | (PredNode::Or(p, q), false) => {
                self.assume(p, holds)?;
                self.assume(q, holds)
            }
            (PredNode::And(..), false) | (PredNode::Or(..), true) => self.disjunction(pred, holds),
            (PredNode::Compare(Relation::Eq, ..), false) => self.disjunction(pred, holds),
            (PredNode::Compare(Relation::Eq, a, b), true) => {
                self.at_least(b, a, 0)?;
                self.at_least(a, b, 0)
            }
            (PredNode::Compare(Relation::Le, a, b), true) => self.at_least(b, a, 0),
            (PredNode::Compare(Relation::Le, a, b), false) => self.at_least(a, b, 1),
            (PredNode::Compare(Relation::Lt, a, b), true) => self.at_least(b, a, 1),
            (PredNode::Compare(Relation::Lt, a, b), false) => self.at_least(a, b, 0),
        }
    }

    fn disjunction(&mut self, pred: Pred, holds: bool) -> Option<()> {
        self.disjunctions.push((pred, holds));
        Some(())
    }

    /// The fact `0 <= a - b - less`.
    fn at_least(&mut self, a: Ix, b: Ix, less: i128) -> Option<()> {
        let (a, b) = (self.store.poly(a)?, self.store.poly(b)?);
        let difference = self.store.poly_add(a, -1, b)?;
        self.at_least_constant(difference, less)
    }

    /// The fact `0 <= poly - less`.
    fn at_least_constant(&mut self, poly: Poly, less: i128) -> Option<()> {
        let fact = if less == 0 {
            poly
        } else {
            let one = self.store.polynomials.constant(1)?;
            self.store.poly_add(poly, -less, one)?
        };
        self.facts.push(fact);
        Some(())
    }

    fn fact(&self, number: u32) -> Checked<Poly> {
        let fact = self.facts.get(number as usize);
        fact.copied().ok_or("a certificate names a fact that it does not have".into())
    }

    fn run(&mut self, number: usize) -> Checked<()> {
        let certificate = &self.certificates[number];
        for step in &certificate.steps {
            self.store.work(1)?;
            self.step(step)?;
        }
        match certificate.end {
            End::Absurd(fact) => {
                let constant = self.store.polynomials.as_constant(self.fact(fact)?);
                require(
                    constant.is_some_and(|value| value < 0),
                    "what a certificate calls absurd is no negative constant",
                )
            }
            End::Split(disjunction, left, right) => {
                let Some((pred, holds)) = self.disjunctions.get(disjunction as usize).copied() else {
                    return refuse("a certificate splits a disjunction that it does not have");
                };
                self.branch(left, |known| known.side(pred, holds, Side::Left))?;
                self.branch(right, |known| known.side(pred, holds, Side::Right))
            }
            End::Case(pred, yes, no) => {
                self.branch(yes, |known| known.assume(pred, true))?;
                self.branch(no, |known| known.assume(pred, false))
            }
        }
    }

    /// Run a certificate with more assumptions, which are then forgotten.
    fn branch(&mut self, certificate: usize, assume: impl FnOnce(&mut Self) -> Option<()>) -> Checked<()> {
        let (facts, disjunctions) = (self.facts.len(), self.disjunctions.len());
        assume(self).ok_or("a case of a certificate overflows")?;
        self.run(certificate)?;
        self.facts.truncate(facts);
        self.disjunctions.truncate(disjunctions);
        Ok(())
    }

    /// Assume a side of a disjunction.
    fn side(&mut self, pred: Pred, holds: bool, side: Side) -> Option<()> {
        match (self.store.pred_node(pred), holds, side) {
            (PredNode::Or(p, _), true, Side::Left) | (PredNode::And(p, _), false, Side::Left) => {
                self.assume(p, holds)
            }
            (PredNode::Or(_, q), true, Side::Right) | (PredNode::And(_, q), false, Side::Right) => {
                self.assume(q, holds)
            }
            (PredNode::Compare(Relation::Eq, a, b), false, Side::Left) => self.at_least(b, a, 1),
            (PredNode::Compare(Relation::Eq, a, b), false, Side::Right) => self.at_least(a, b, 1),
            _ => None,
        }
    }

    fn step(&mut self, step: &Step) -> Checked<()> {
        let done = match step {
            Step::Combine(parts) => {
                let sum = self.combine(parts)?;
                self.facts.push(sum);
                Some(())
            }
            Step::Cut(fact, divisor) => {
                let cut = self.cut(*fact, *divisor)?;
                self.facts.push(cut);
                Some(())
            }
            Step::Euclid(a, d, fact) => self.euclid(*a, *d, *fact)?,
            Step::Min(a, b) => self.extremum(IxOp::Min, *a, *b)?,
            Step::Max(a, b) => self.extremum(IxOp::Max, *a, *b)?,
        };
        done.ok_or("a step of a certificate overflows".into())
    }

    fn combine(&mut self, parts: &[(i128, Vec<u32>)]) -> Checked<Poly> {
        let overflow = "a combination of a certificate overflows";
        let mut sum = self.store.polynomials.constant(0).ok_or(overflow)?;
        for (coefficient, factors) in parts {
            require(*coefficient >= 0, "a certificate has a negative coefficient")?;
            let mut product = self.store.polynomials.constant(1).ok_or(overflow)?;
            for factor in factors {
                let factor = self.fact(*factor)?;
                let cost = self.store.polynomials.cost(product, factor).ok_or(overflow)?;
                self.products = self.products.saturating_add(cost);
                require(
                    self.products <= limits::PRODUCTS,
                    "a certificate multiplies more than the limits allow",
                )?;
                product = self.store.poly_mul(product, factor).ok_or(overflow)?;
            }
            sum = self.store.poly_add(sum, *coefficient, product).ok_or(overflow)?;
        }
        Ok(sum)
    }

    fn cut(&mut self, fact: u32, divisor: i128) -> Checked<Poly> {
        require(divisor > 0, "a certificate divides by what is not positive")?;
        let fact = self.fact(fact)?;
        let cut = self.store.polynomials.map(fact, |is_constant, coefficient| {
            let exact = is_constant || coefficient % divisor == 0;
            exact.then(|| floor_div(coefficient, divisor)).flatten()
        });
        cut.ok_or("a certificate divides what is no multiple".into())
    }

    /// The two inequalities of division with remainder, for a divisor that is at least 1.
    fn euclid(&mut self, a: Ix, d: Ix, fact: u32) -> Checked<Option<()>> {
        let positive = self.fact(fact)?;
        let quotient = self.store.mk(IxOp::Div, a, d)?;
        let Some((divisor, remainder)) = self.remainder(a, d, quotient) else { return Ok(None) };
        let Some(one) = self.store.polynomials.constant(1) else { return Ok(None) };
        require(
            self.store.poly_add(divisor, -1, one) == Some(positive),
            "a certificate divides by what was not shown to be positive",
        )?;
        self.facts.push(remainder);
        let Some(above) = self.store.poly_add(divisor, -1, remainder) else { return Ok(None) };
        Ok(self.at_least_constant(above, 1))
    }

    /// The divisor `d`, and `a - d * quotient`.
    fn remainder(&mut self, a: Ix, d: Ix, quotient: Ix) -> Option<(Poly, Poly)> {
        let (a, d, quotient) = (self.store.poly(a)?, self.store.poly(d)?, self.store.poly(quotient)?);
        let multiple = self.store.poly_mul(d, quotient)?;
        Some((d, self.store.poly_add(a, -1, multiple)?))
    }

    /// A minimum is at most both and at least one of them; a maximum the other way.
    fn extremum(&mut self, op: IxOp, a: Ix, b: Ix) -> Checked<Option<()>> {
        let m = self.store.mk(op, a, b)?;
        let mut either = [a, b].into_iter().map(|x| {
            let (low, high) = if op == IxOp::Min { (x, m) } else { (m, x) };
            self.store.compare(Relation::Le, low, high)
        });
        let (Some(left), Some(right)) = (either.next(), either.next()) else { return Ok(None) };
        let either = self.store.pred(PredNode::Or(left?, right?))?;
        for x in [a, b] {
            let (high, low) = if op == IxOp::Min { (x, m) } else { (m, x) };
            if self.at_least(high, low, 0).is_none() {
                return Ok(None);
            }
        }
        Ok(self.disjunction(either, true))
    }
}

/// A side of a disjunction.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}
