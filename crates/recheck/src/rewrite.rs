//! The right sides of rules, but for those of sums.
//!
//! A rule is applied to a term that was typed; its right side is typed afterwards. So what stands here is only the
//! form, and the side conditions that typing does not ask for.

use crate::algebra::Function;
use crate::context::Type;
use crate::index::{Ix, IxNode, Pred};
use crate::inference::Extra;
use crate::refusal::{Checked, refuse, require};
use crate::rules::Rule;
use crate::subst::{Argument, Subst};
use crate::terms::{Def, Ixs, Loop, Number, Term, TermNode, Terms};
use crate::typing::{Evidence, Judge};

/// The refusal of a rule that does not fit.
pub(crate) fn wrong_form<T>() -> Checked<T> {
    refuse("the term has not the form that the rule is about")
}

impl Judge<'_> {
    /// The right side of a rule for a term of type `ty`.
    pub(crate) fn right_side(
        &mut self,
        rule: Rule,
        term: Term,
        ty: Type,
        extra: Extra,
        evidence: &mut Evidence<'_>,
    ) -> Checked<Term> {
        match (rule, self.store.node(term)) {
            (Rule::LetInline, TermNode::Let(value, body)) => self.store.put(body, value),
            (Rule::Unfold, TermNode::Op(def, indices, operands)) => {
                self.unfold(def, indices, operands, evidence)
            }
            (Rule::GenEta, _) => {
                let (n, _) = self.outermost(ty)?;
                let row = self.store.ix(IxNode::Bound(0))?;
                let body = self.store.term(TermNode::Get(term, row))?;
                self.store.term(TermNode::Loop(Loop::Gen, n, body))
            }
            (Rule::Absurd, _) => {
                let Extra::Side { term: right, .. } = extra else { return wrong_form() };
                let falsity = self.store.pred(crate::index::PredNode::False)?;
                self.show(falsity, evidence)?;
                Ok(right)
            }
            (_, TermNode::Get(array, k)) => self.get_rule(rule, array, k, evidence),
            (_, TermNode::Guard(p, e)) => self.guard_rule(rule, p, e, evidence),
            (Rule::SelectTrue, TermNode::Select(p, a, _)) => {
                self.show(p, evidence)?;
                Ok(a)
            }
            (Rule::SelectFalse, TermNode::Select(p, _, b)) => {
                let otherwise = self.store.mk_not(p)?;
                self.show(otherwise, evidence)?;
                Ok(b)
            }
            (Rule::ViewSame, TermNode::View(algebra, e)) => {
                let inner = self.type_of(e, evidence)?;
                require(inner.element.algebra == algebra, "the view is of another algebra")?;
                Ok(e)
            }
            (Rule::ViewView, TermNode::View(algebra, e)) => match self.store.node(e) {
                TermNode::View(_, inner) => self.store.term(TermNode::View(algebra, inner)),
                _ => wrong_form(),
            },
            (Rule::ViewGen, TermNode::View(algebra, e)) => match self.store.node(e) {
                TermNode::Loop(Loop::Gen, n, body) => {
                    let body = self.store.term(TermNode::View(algebra, body))?;
                    self.store.term(TermNode::Loop(Loop::Gen, n, body))
                }
                _ => wrong_form(),
            },
            (_, TermNode::Prim(function, operands)) => {
                let operands = self.store.term_list(operands);
                self.prim_rule(rule, function, &operands, evidence)
            }
            (_, TermNode::Loop(kind, n, body)) => self.loop_rule(rule, kind, n, body, extra, evidence),
            _ => wrong_form(),
        }
    }

    /// The body of a definition with the arguments for its parameters.
    fn unfold(
        &mut self,
        def: Def,
        indices: Ixs,
        operands: Terms,
        evidence: &mut Evidence<'_>,
    ) -> Checked<Term> {
        let definition = self.store.definition(def);
        let mut arguments: Vec<Argument> =
            self.store.ix_list(indices).into_iter().map(Argument::Index).collect();
        for (operand, named) in self.store.term_list(operands).into_iter().zip(&definition.tensors) {
            let ty = self.type_of(operand, evidence)?;
            self.add_operand(&mut arguments, ty, *named, operand)?;
        }
        self.store.in_term(Subst::Arguments(&arguments), definition.body, 0)
    }

    /// Rules about row `k` of an array.
    fn get_rule(&mut self, rule: Rule, array: Term, k: Ix, evidence: &mut Evidence<'_>) -> Checked<Term> {
        match (rule, self.store.node(array)) {
            (Rule::AccessGen, TermNode::Loop(Loop::Gen, _, body)) => {
                self.show_in_range(array, k, evidence)?;
                self.store.at(body, k)
            }
            (Rule::AccessGuard, _) => {
                let n = self.extent_of(array, evidence)?;
                let row = self.store.term(TermNode::Get(array, k))?;
                let within = self.store.in_range(k, n)?;
                self.store.term(TermNode::Guard(within, row))
            }
            (Rule::GetGuard, TermNode::Guard(p, e)) => {
                let row = self.store.term(TermNode::Get(e, k))?;
                self.store.term(TermNode::Guard(p, row))
            }
            (Rule::GetSelect, TermNode::Select(p, a, b)) => {
                let (a, b) = (self.store.term(TermNode::Get(a, k))?, self.store.term(TermNode::Get(b, k))?);
                self.store.term(TermNode::Select(p, a, b))
            }
            (Rule::GetSum, TermNode::Loop(Loop::Sum, n, e)) => {
                let row = self.store.term(TermNode::Get(e, k))?;
                self.store.term(TermNode::Loop(Loop::Sum, n, row))
            }
            (Rule::GetPrim, TermNode::Prim(function, operands)) => {
                self.show_in_range(array, k, evidence)?;
                let mut rows = self.store.term_list(operands);
                for row in &mut rows {
                    *row = self.store.term(TermNode::Get(*row, k))?;
                }
                self.store.prim(function, &rows)
            }
            (Rule::GetView, TermNode::View(algebra, e)) => {
                self.show_in_range(array, k, evidence)?;
                let row = self.store.term(TermNode::Get(e, k))?;
                self.store.term(TermNode::View(algebra, row))
            }
            _ => wrong_form(),
        }
    }

    fn show_in_range(&mut self, array: Term, k: Ix, evidence: &mut Evidence<'_>) -> Checked<()> {
        let n = self.extent_of(array, evidence)?;
        let within = self.store.in_range(k, n)?;
        self.show(within, evidence)
    }

    /// Rules about `guard p e`.
    fn guard_rule(&mut self, rule: Rule, p: Pred, e: Term, evidence: &mut Evidence<'_>) -> Checked<Term> {
        match (rule, self.store.node(e)) {
            (Rule::GuardTrue, _) => {
                self.show(p, evidence)?;
                Ok(e)
            }
            (Rule::GuardZero, TermNode::Literal(_, Number::Zero)) => Ok(e),
            (Rule::GuardAnd, TermNode::Guard(q, inner)) => {
                let both = self.store.mk_and(p, q)?;
                self.store.term(TermNode::Guard(both, inner))
            }
            (Rule::GuardAdd, TermNode::Prim(Function::Add, operands)) => {
                let mut operands = self.store.term_list(operands);
                for operand in &mut operands {
                    *operand = self.store.term(TermNode::Guard(p, *operand))?;
                }
                self.store.prim(Function::Add, &operands)
            }
            (Rule::GuardGen, TermNode::Loop(kind @ Loop::Gen, n, body))
            | (Rule::GuardSum, TermNode::Loop(kind @ Loop::Sum, n, body)) => {
                let body = self.store.term(TermNode::Guard(p, body))?;
                self.store.term(TermNode::Loop(kind, n, body))
            }
            _ => wrong_form(),
        }
    }

    /// Rules about a sum or a product of two.
    fn prim_rule(
        &mut self,
        rule: Rule,
        function: Function,
        operands: &[Term],
        evidence: &mut Evidence<'_>,
    ) -> Checked<Term> {
        let [left, right] = *operands else { return wrong_form() };
        let (add, mul) = (Function::Add, Function::Mul);
        match (rule, function, self.store.node(left), self.store.node(right)) {
            (Rule::GuardMulL, Function::Mul, TermNode::Guard(p, a), _) => {
                let product = self.store.prim(mul, &[a, right])?;
                self.store.term(TermNode::Guard(p, product))
            }
            (Rule::GuardMulR, Function::Mul, _, TermNode::Guard(p, b)) => {
                let product = self.store.prim(mul, &[left, b])?;
                self.store.term(TermNode::Guard(p, product))
            }
            (Rule::MulSumL, Function::Mul, _, TermNode::Loop(Loop::Sum, n, e)) => {
                let product = self.store.prim(mul, &[left, e])?;
                self.store.term(TermNode::Loop(Loop::Sum, n, product))
            }
            (Rule::MulSumR, Function::Mul, TermNode::Loop(Loop::Sum, n, e), _) => {
                let product = self.store.prim(mul, &[e, right])?;
                self.store.term(TermNode::Loop(Loop::Sum, n, product))
            }
            (Rule::AddAssoc, Function::Add, ..) | (Rule::MulAssoc, Function::Mul, ..) => {
                let (a, b) = self.two(left, function)?;
                let inner = self.store.prim(function, &[b, right])?;
                self.store.prim(function, &[a, inner])
            }
            (Rule::AddComm, Function::Add, ..) | (Rule::MulComm, Function::Mul, ..) => {
                self.store.prim(function, &[right, left])
            }
            (Rule::AddZeroL, Function::Add, ..) => {
                self.show_zero(left, evidence)?;
                Ok(right)
            }
            (Rule::AddZeroR, Function::Add, ..) => {
                self.show_zero(right, evidence)?;
                Ok(left)
            }
            (Rule::MulOneL, Function::Mul, TermNode::Literal(_, Number::One), _) => Ok(right),
            (Rule::MulOneR, Function::Mul, _, TermNode::Literal(_, Number::One)) => Ok(left),
            (Rule::DistrL, Function::Mul, ..) => {
                let (b, c) = self.two(right, add)?;
                let (b, c) = (self.store.prim(mul, &[left, b])?, self.store.prim(mul, &[left, c])?);
                self.store.prim(add, &[b, c])
            }
            (Rule::DistrR, Function::Mul, ..) => {
                let (a, b) = self.two(left, add)?;
                let (a, b) = (self.store.prim(mul, &[a, right])?, self.store.prim(mul, &[b, right])?);
                self.store.prim(add, &[a, b])
            }
            _ => wrong_form(),
        }
    }

    /// The two operands of an operation.
    pub(crate) fn two(&self, term: Term, function: Function) -> Checked<(Term, Term)> {
        match self.store.node(term) {
            TermNode::Prim(other, operands) if other == function => {
                match self.store.term_list(operands)[..] {
                    [a, b] => Ok((a, b)),
                    _ => wrong_form(),
                }
            }
            _ => wrong_form(),
        }
    }

    /// A term is zero: it says so, or it is guarded by what does not hold.
    fn show_zero(&mut self, term: Term, evidence: &mut Evidence<'_>) -> Checked<()> {
        match self.store.node(term) {
            TermNode::Guard(p, _) => {
                let never = self.store.mk_not(p)?;
                self.show(never, evidence)
            }
            TermNode::Literal(_, Number::Zero) => Ok(()),
            _ => wrong_form(),
        }
    }
}
