//! Inferences: what each proves, from what the inferences that it cites prove.

use crate::algebra::{Laws, Rounding};
use crate::context::{Entry, Scope};
use crate::index::{Ix, Pred};
use crate::refusal::{Checked, Refusal, Why, refuse, require};
use crate::rules::Rule;
use crate::terms::{Term, TermNode};
use crate::typing::{Evidence, Judge};

/// A term as a line of the file.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) term: Term,
    /// The lines of its parts that are terms, in the line's order.
    pub(crate) parts: Vec<usize>,
}

/// A child of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Body,
    Bound,
    Then,
    Else,
    Argument(u32),
}

/// What a rule is given besides the term.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extra {
    None,
    Split(Ix),
    Tile(Ix, Ix),
    /// The right side, and its line.
    Side {
        term: Term,
        line: usize,
    },
}

/// An inference. Terms and other inferences are named by their numbers in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Refl(Term, Term),
    Sym(usize),
    Trans(usize, usize),
    Rule { rule: Rule, extra: Extra, line: usize },
    Cong { term: Term, place: Place, premise: usize },
    Cases(Pred, usize, usize),
}

/// An inference with its certificates.
#[derive(Clone, Debug)]
pub(crate) struct Inference {
    pub(crate) form: Form,
    pub(crate) certificates: Vec<usize>,
    /// Its line, from 1.
    pub(crate) line: u64,
    /// Inferences, counted as a tree.
    pub(crate) nodes: u64,
    /// Nesting.
    pub(crate) depth: u64,
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
}

impl<'f> Replay<'f> {
    /// What an inference proves in the judge's context.
    pub(crate) fn replay(&mut self, number: usize) -> Result<Equation, Refusal> {
        let inferences = self.inferences;
        let Inference { form, certificates, line, .. } = &inferences[number];
        let refusal = |why: Why| Refusal { line: *line, why: why.into_owned() };
        let mut evidence = Evidence { left: certificates };
        let equation = match *form {
            Form::Refl(left, right) => self.refl(left, right, &mut evidence),
            Form::Sym(premise) => {
                let premise = self.replay(premise)?;
                Ok(Equation { left: premise.right, right: premise.left, ..premise })
            }
            Form::Trans(first, second) => {
                let (first, second) = (self.replay(first)?, self.replay(second)?);
                require(first.right == second.left, "one equation does not begin where the other ends")
                    .map(|()| first.joined(second, first.left, second.right))
            }
            Form::Rule { rule, extra, line } => self.rule(rule, extra, line, &mut evidence),
            Form::Cong { term, place, premise } => {
                let level = self.judge.context.len();
                let child = self.enter(term, place, &mut evidence).map_err(refusal)?;
                let inner = self.replay(premise)?;
                self.judge.context.leave(level);
                self.cong(term, place, child, inner, &mut evidence)
            }
            Form::Cases(pred, yes, no) => {
                let level = self.judge.context.len();
                let otherwise = self.enter_case(pred).map_err(refusal)?;
                let yes = self.replay(yes)?;
                self.judge.context.leave(level);
                self.judge.context.push(Entry::Hypothesis(otherwise)).map_err(refusal)?;
                let no = self.replay(no)?;
                self.judge.context.leave(level);
                let agree = yes.left == no.left && yes.right == no.right;
                require(agree, "the two cases prove different equations")
                    .map(|()| yes.joined(no, yes.left, yes.right))
            }
        };
        let equation = equation.map_err(refusal)?;
        evidence.done().map_err(refusal)?;
        Ok(equation)
    }

    fn refl(&mut self, left: Term, right: Term, evidence: &mut Evidence<'_>) -> Checked<Equation> {
        require(left == right, "two terms differ that should be the same")?;
        self.judge.type_of(left, evidence)?;
        Ok(Equation { left, right, laws: Laws::NONE, rounding: Rounding::Bitwise, alike: true })
    }

    fn rule(
        &mut self,
        rule: Rule,
        extra: Extra,
        line: usize,
        evidence: &mut Evidence<'_>,
    ) -> Checked<Equation> {
        let left = self.written[line].term;
        let ty = self.judge.type_of(left, evidence)?;
        require(
            rule.laws().within(ty.element.algebra.laws()),
            "the algebra does not have the laws that the rule needs",
        )?;
        let right = match (rule, extra) {
            (Rule::ArithEq, Extra::Side { term, line: right }) => {
                self.judge.arith_eq(self.written, line, right, evidence)?;
                term
            }
            _ => self.judge.right_side(rule, left, ty, extra, evidence)?,
        };
        let other = self.judge.type_of(right, evidence)?;
        self.judge.same_type(ty, other, evidence)?;
        Ok(Equation { left, right, laws: rule.laws(), rounding: rule.rounding(), alike: ty == other })
    }

    /// Enter the context of a child of a term; the child there.
    fn enter(&mut self, term: Term, place: Place, evidence: &mut Evidence<'_>) -> Checked<Term> {
        let judge = &mut self.judge;
        let level = judge.context.len();
        match (judge.store.node(term), place) {
            (TermNode::Loop(_, n, body), Place::Body) => {
                judge.context.push_index(&mut judge.store, n)?;
                judge.store.open(body, level)
            }
            (TermNode::Let(value, body), Place::Body) => {
                let ty = judge.type_of(value, evidence)?;
                judge.context.push(Entry::Tensor(ty))?;
                judge.store.open(body, level)
            }
            (TermNode::Let(value, _), Place::Bound) => Ok(value),
            (TermNode::Guard(pred, e), Place::Body) | (TermNode::Select(pred, e, _), Place::Then) => {
                judge.context.push(Entry::Hypothesis(pred))?;
                Ok(e)
            }
            (TermNode::Select(pred, _, f), Place::Else) => {
                let otherwise = judge.store.mk_not(pred)?;
                judge.context.push(Entry::Hypothesis(otherwise))?;
                Ok(f)
            }
            (TermNode::Get(e, _) | TermNode::View(_, e), Place::Body) => Ok(e),
            (TermNode::Prim(_, operands) | TermNode::Op(_, _, operands), Place::Argument(k)) => {
                let operand = judge.store.term_list(operands).get(k as usize).copied();
                operand.ok_or("the term has no such argument".into())
            }
            _ => refuse("the term has no such place"),
        }
    }

    /// The equation of a term, from that of its child, which was entered.
    fn cong(
        &mut self,
        term: Term,
        place: Place,
        child: Term,
        inner: Equation,
        evidence: &mut Evidence<'_>,
    ) -> Checked<Equation> {
        require(inner.left == child, "the equation cited is not about the child")?;
        let left = self.with_child(term, place, inner.left)?;
        let right = self.with_child(term, place, inner.right)?;
        let ty = self.judge.type_of(left, evidence)?;
        if !inner.alike {
            let other = self.judge.type_of(right, evidence)?;
            self.judge.same_type(ty, other, evidence)?;
        }
        Ok(Equation { left, right, ..inner })
    }

    /// A term with another child; a child below a binder is closed.
    fn with_child(&mut self, term: Term, place: Place, child: Term) -> Checked<Term> {
        let store = &mut self.judge.store;
        let level = self.judge.context.len();
        let node = match (store.node(term), place) {
            (TermNode::Loop(kind, n, _), _) => TermNode::Loop(kind, n, store.close(child, level)?),
            (TermNode::Let(value, _), Place::Body) => TermNode::Let(value, store.close(child, level)?),
            (TermNode::Let(_, body), _) => TermNode::Let(child, body),
            (TermNode::Guard(pred, _), _) => TermNode::Guard(pred, child),
            (TermNode::Select(pred, _, f), Place::Then) => TermNode::Select(pred, child, f),
            (TermNode::Select(pred, e, _), _) => TermNode::Select(pred, e, child),
            (TermNode::Get(_, k), _) => TermNode::Get(child, k),
            (TermNode::View(algebra, _), _) => TermNode::View(algebra, child),
            (TermNode::Prim(function, operands), Place::Argument(k)) => {
                let mut operands = store.term_list(operands);
                operands[k as usize] = child;
                TermNode::Prim(function, store.terms(&operands)?)
            }
            (TermNode::Op(def, indices, operands), Place::Argument(k)) => {
                let mut operands = store.term_list(operands);
                operands[k as usize] = child;
                TermNode::Op(def, indices, store.terms(&operands)?)
            }
            _ => return refuse("the term has no such place"),
        };
        store.term(node)
    }

    /// Enter the first of two cases; the hypothesis of the second.
    fn enter_case(&mut self, pred: Pred) -> Checked<Pred> {
        let judge = &mut self.judge;
        Scope::top(&judge.context).check_pred(&mut judge.store, &judge.context, pred)?;
        let otherwise = judge.store.mk_not(pred)?;
        judge.context.push(Entry::Hypothesis(pred))?;
        Ok(otherwise)
    }
}
