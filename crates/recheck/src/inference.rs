//! Inferences: what each proves, from what the inferences that it cites prove.

use crate::context::{Entry, Type};
use crate::monoids::{MonoidLine, Use, Uses};
use crate::names::named;
use crate::prelude::*;
use crate::typing::Judge;
use std::collections::BTreeMap;

/// A term as a line of the file.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) term: Term,
    /// The lines of its parts that are terms, in the line's order.
    pub(crate) parts: Vec<usize>,
}

named! {
    /// A child of a term.
    Place { Body "body", Bound "bound", Then "then", Else "else", } Argument(u32) "arg" Init(u32) "init" Step(u32) "step"
}

/// What a rule is given besides the term.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extra {
    None,
    Split(Ix),
    Tile(Ix, Ix),
    /// The right side, and its line.
    Side(Term, usize),
}

/// An inference. Terms and other inferences are named by their numbers in the file.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Refl(Term, Term),
    Sym(usize),
    Trans(usize, usize),
    Rule {
        rule: Rule,
        extra: Extra,
        line: usize,
    },
    /// A law of a monoid at a term.
    Law(Use, Term),
    Cong {
        term: Term,
        place: Place,
        premise: usize,
    },
    Cases(Pred, usize, usize),
    /// An iteration; for each state its family, and the inferences of how that begins and how it goes on.
    Induction(Term, Vec<(Term, usize, usize)>),
}

/// An inference with its certificates.
#[derive(Clone, Debug)]
pub(crate) struct Inference {
    pub(crate) form: Form,
    pub(crate) certificates: Vec<usize>,
    /// Its line, from 1.
    pub(crate) line: u64,
}

/// What an inference proves, in the context it was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Equation {
    pub(crate) left: Term,
    pub(crate) right: Term,
    pub(crate) laws: Laws,
    pub(crate) rounding: Rounding,
    /// The types of the sides are the same terms.
    pub(crate) alike: bool,
}

impl Equation {
    /// An equation between other sides, for two reasons together.
    fn joined(self, other: Equation, left: Term, right: Term) -> Equation {
        Equation {
            left,
            right,
            laws: self.laws.and(other.laws),
            rounding: self.rounding.max(other.rounding),
            alike: self.alike && other.alike,
        }
    }
}

/// A file's inferences while they are replayed.
pub(crate) struct Replay<'f> {
    pub(crate) judge: Judge<'f>,
    pub(crate) written: &'f [Written],
    pub(crate) inferences: &'f [Inference],
    pub(crate) monoids: &'f [MonoidLine],
    /// The monoids of which laws were used, by their number, and those laws.
    pub(crate) claims: BTreeMap<usize, Laws>,
    /// The premises of inductions, each with the context that it was replayed in. Inductions about several
    /// values of an iteration share them.
    pub(crate) premises: BTreeMap<usize, (Vec<Entry>, Equation)>,
    /// Inferences replayed so far.
    pub(crate) count: u64,
    /// Inferences that wait for the one at hand.
    pub(crate) depth: u64,
}

impl<'f> Replay<'f> {
    /// What an inference proves in the judge's context.
    pub(crate) fn replay(&mut self, number: usize) -> Checked<Equation> {
        let inference = &self.inferences[number];
        (self.count, self.depth) = (self.count + 1, self.depth + 1);
        let equation = self.infer(inference).map_err(|refusal| refusal.at(inference.line))?;
        self.depth -= 1;
        Ok(equation)
    }

    /// What a premise of an induction proves: as before, or replayed.
    pub(crate) fn premise(&mut self, number: usize) -> Checked<Equation> {
        let known = self.premises.get(&number);
        if let Some((_, equation)) = known.filter(|(entries, _)| entries == self.judge.context.entries()) {
            self.count += 1;
            return Ok(*equation);
        }
        let equation = self.replay(number)?;
        let entries = self.judge.context.entries();
        if self.premises.len() < limits::PREMISES && entries.len() <= limits::PREMISE_CONTEXT {
            self.premises.insert(number, (entries.to_vec(), equation));
        }
        Ok(equation)
    }

    /// The monoids of which laws were used, and those laws. Two lines that differ in labels are one monoid.
    pub(crate) fn claimed(&self) -> Uses<'f> {
        let mut claimed = Uses::new();
        for (number, laws) in &self.claims {
            let monoid = &self.monoids[*number].monoid;
            match claimed.iter_mut().find(|(other, _)| *other == monoid) {
                Some((_, known)) => *known = known.and(*laws),
                None => claimed.push((monoid, *laws)),
            }
        }
        claimed
    }

    fn infer(&mut self, inference: &'f Inference) -> Checked<Equation> {
        let small = self.count <= limits::INFERENCES && self.depth <= limits::INFERENCE_DEPTH;
        require(small, "the proof has more inferences than the limits allow")?;
        // The inferences in between have certificates of their own.
        let waiting = std::mem::replace(&mut self.judge.evidence, &inference.certificates);
        let level = self.judge.context.len();
        let equation = match inference.form {
            Form::Induction(term, ref states) => self.induction(term, states)?,
            Form::Refl(left, right) => {
                require(left == right, "two terms differ that should be the same")?;
                self.judge.types_of(left)?;
                Equation { left, right, laws: Laws::NONE, rounding: Rounding::Bitwise, alike: true }
            }
            Form::Rule { rule, extra, line } => self.rule(rule, extra, line)?,
            Form::Law(ref by, term) => self.law(by, term)?,
            Form::Sym(premise) => {
                let premise = self.replay(premise)?;
                Equation { left: premise.right, right: premise.left, ..premise }
            }
            Form::Trans(first, second) => {
                let (first, second) = (self.replay(first)?, self.replay(second)?);
                require(first.right == second.left, "one equation does not begin where the other ends")?;
                first.joined(second, first.left, second.right)
            }
            Form::Cong { term, place, premise } => {
                let (part, child) = self.enter(term, place)?;
                let inner = self.replay(premise)?;
                self.judge.context.leave(level);
                self.cong(term, part, child, inner)?
            }
            Form::Cases(pred, yes, no) => {
                let judge = &mut self.judge;
                judge.context.at_top();
                judge.context.resolve_pred(&judge.store, pred)?;
                judge.context.push(Entry::Hypothesis(pred))?;
                let yes = self.replay(yes)?;
                self.judge.context.leave(level);
                self.judge.context.push(Entry::Hypothesis(self.judge.store.mk_not(pred)?))?;
                let no = self.replay(no)?;
                self.judge.context.leave(level);
                let agree = yes.left == no.left && yes.right == no.right;
                require(agree, "the two cases prove different equations")?;
                yes.joined(no, yes.left, yes.right)
            }
        };
        require(self.judge.evidence.is_empty(), "a certificate is left over")?;
        self.judge.evidence = waiting;
        Ok(equation)
    }

    fn rule(&mut self, rule: Rule, extra: Extra, line: usize) -> Checked<Equation> {
        let left = self.written[line].term;
        let types = self.judge.types_of(left)?;
        // Several results have no one algebra, so no rule applies to them that needs a law or may round.
        let ty = types[0];
        let laws = if types.len() == 1 { ty.element.algebra.laws() } else { Laws::NONE };
        if !rule.laws().within(laws) {
            return refuse(format!("`{}` needs laws that the algebra does not have", rule.name()));
        }
        let rounding = rule.rounding(ty.element);
        require(
            types.len() == 1 || rule.is_bitwise(),
            "a rule that may round is applied to several results",
        )?;
        let right = match (rule, extra) {
            (Rule::ArithEq, Extra::Side(term, right)) => {
                self.judge.context.at_top();
                self.judge.same_terms(self.written, line, right)?;
                term
            }
            _ => self.judge.right_side(rule, left, ty, extra)?,
        };
        self.equal((left, &types), right, (rule.laws(), rounding))
    }

    fn law(&mut self, by: &Use, left: Term) -> Checked<Equation> {
        let types = self.judge.types_of(left)?;
        let MonoidLine { monoid, rounding, .. } = &self.monoids[by.monoid];
        let right = self.judge.by_law(left, monoid, by)?;
        let laws = self.claims.entry(by.monoid).or_insert(Laws::NONE);
        *laws = laws.and(by.law());
        self.equal((left, &types), right, (Laws::NONE, *rounding))
    }

    /// The equation of a term and what a rule makes of it, which must be of its types.
    fn equal(
        &mut self,
        (left, types): (Term, &[Type]),
        right: Term,
        (laws, rounding): (Laws, Rounding),
    ) -> Checked<Equation> {
        let others = self.judge.types_of(right)?;
        self.judge.same_types(types, &others)?;
        Ok(Equation { left, right, laws, rounding, alike: types == others })
    }

    /// Enter the context of a child of a term; which part of the term it is, and the child there.
    fn enter(&mut self, term: Term, place: Place) -> Checked<(usize, Term)> {
        let judge = &mut self.judge;
        let (level, node) = (judge.context.len(), judge.store.node(term));
        let terms = judge.store.parts(node).terms;
        let (part, hypothesis) = match (node, place) {
            (TermNode::Loop(_, n, _), Place::Body) => {
                judge.context.push_index(&judge.store, n)?;
                return Ok((0, judge.store.open(terms[0], level)?));
            }
            (TermNode::Let(value, body), Place::Body) => {
                let ty = judge.type_of(value)?;
                judge.context.push(Entry::Tensor(ty))?;
                return Ok((1, judge.store.open(body, level)?));
            }
            (TermNode::Let(..), Place::Bound) => (0, None),
            (TermNode::Iterate(..), Place::Init(k)) if 2 * (k as usize) + 1 < terms.len() => {
                (2 * k as usize, None)
            }
            (TermNode::Iterate(n, ..), Place::Step(_) | Place::Body) => {
                let types = terms[..terms.len() - 1].iter().step_by(2);
                let types = types.map(|init| judge.type_of(*init)).collect::<Checked<Vec<_>>>()?;
                let (part, new) = match place {
                    Place::Step(k) => (2 * k as usize + 1, Some(k as usize)),
                    _ => (terms.len() - 1, None),
                };
                require(new.is_none_or(|k| k < types.len()), "the iteration has no such state")?;
                for ty in types.iter().chain(types.iter().take(new.unwrap_or(0))) {
                    judge.context.push(Entry::Tensor(*ty))?;
                }
                if new.is_some() {
                    judge.context.push_index(&judge.store, n)?;
                }
                let binders = judge.store.parts(node).binders(part);
                return Ok((part, judge.store.open_all(terms[part], level, binders)?));
            }
            (TermNode::Get(..) | TermNode::View(..), Place::Body) => (0, None),
            (TermNode::Prim(..) | TermNode::Op(..) | TermNode::Bundle(_), Place::Argument(k)) => {
                (k as usize, None)
            }
            (TermNode::Guard(pred, _), Place::Body) | (TermNode::Select(pred, ..), Place::Then) => {
                (0, Some(pred))
            }
            (TermNode::Select(pred, ..), Place::Else) => (1, Some(judge.store.mk_not(pred)?)),
            _ => return refuse(format!("the term has no place `{}`", place.name())),
        };
        if let Some(hypothesis) = hypothesis {
            judge.context.push(Entry::Hypothesis(hypothesis))?;
        }
        let child = terms.get(part).ok_or("the term has no such argument")?;
        Ok((part, *child))
    }

    /// The equation of a term, from that of its child, which was entered.
    fn cong(&mut self, term: Term, part: usize, child: Term, inner: Equation) -> Checked<Equation> {
        require(inner.left == child, "the equation cited is not about the child")?;
        let left = self.with_part(term, part, inner.left)?;
        let right = self.with_part(term, part, inner.right)?;
        let types = self.judge.types_of(left)?;
        if !inner.alike {
            let others = self.judge.types_of(right)?;
            self.judge.same_types(&types, &others)?;
        }
        Ok(Equation { left, right, ..inner })
    }

    /// A term with another part; below a binder it is closed.
    fn with_part(&mut self, term: Term, part: usize, value: Term) -> Checked<Term> {
        let (store, level) = (&self.judge.store, self.judge.context.len());
        let mut parts = store.parts(store.node(term));
        let binders = parts.binders(part);
        parts.terms[part] = if binders > 0 { store.close_all(value, level, binders)? } else { value };
        store.term(store.rebuilt(store.node(term), &parts)?)
    }
}
