//! The right sides of rules, but for those of loops.
//!
//! A rule is applied to a term that was typed; its right side is typed afterwards. So what stands here is only the
//! form, and the side conditions that typing does not ask for.

use crate::context::Type;
use crate::inference::Extra;
use crate::prelude::*;
use crate::subst::{Argument, Subst};
use crate::typing::Judge;

/// The refusal of a rule that does not fit.
pub(crate) fn wrong_form<T>() -> Checked<T> {
    refuse("the term has not the form that the rule is about")
}

impl Judge<'_> {
    /// The right side of a rule for a term of type `ty`.
    pub(crate) fn right_side(&mut self, rule: Rule, term: Term, ty: Type, extra: Extra) -> Checked<Term> {
        match (rule, self.store.node(term)) {
            (Rule::LetInline, TermNode::Let(value, body)) => self.store.in_term(Subst::Put(value), body, 0),
            (Rule::Unfold, TermNode::Op(def, indices, operands)) => self.unfold(def, indices, operands),
            (Rule::GenEta, _) => {
                let row = self.store.get(term, self.store.ix(IxNode::Bound(0))?)?;
                self.store.term(TermNode::Loop(Loop::Gen, self.outermost(ty)?.0, row))
            }
            (Rule::Absurd, _) => {
                let Extra::Side(right, _) = extra else { return wrong_form() };
                self.shown(self.store.pred(PredNode::False)?, right)
            }
            (Rule::ReadIndex, _) => self.element(term, ty),
            (Rule::LiteralIndex, TermNode::Literal(element, number)) => {
                let n = match number {
                    Number::Zero => 0,
                    Number::One => 1,
                    Number::Decimal((n, 0)) => i64::try_from(n).or_else(|_| wrong_form())?,
                    _ => return wrong_form(),
                };
                self.integer(element, self.store.literal(n)?)
            }
            (Rule::IndexPrim, TermNode::Prim(function, operands)) => {
                self.integer_operation(function, operands, ty)
            }
            (Rule::SubAsAdd, TermNode::Prim(Function::Sub, operands)) => self.difference(operands, ty),
            (_, TermNode::Get(array, k)) => self.get_rule(rule, array, k),
            (_, TermNode::Guard(p, e)) => self.guard_rule(rule, p, e),
            (Rule::SelectTrue, TermNode::Select(p, a, _)) => self.shown(p, a),
            (Rule::SelectFalse, TermNode::Select(p, _, b)) => self.shown(self.store.mk_not(p)?, b),
            (Rule::ViewSame, TermNode::View(algebra, e)) => {
                let inner = self.type_of(e)?;
                require(inner.element.algebra == algebra, "the view is of another algebra")?;
                Ok(e)
            }
            (_, TermNode::View(algebra, e)) => match (rule, self.store.node(e)) {
                (Rule::ViewView, TermNode::View(_, inner)) => self.store.term(TermNode::View(algebra, inner)),
                (Rule::ViewGen, TermNode::Loop(Loop::Gen, n, body)) => {
                    let body = self.store.term(TermNode::View(algebra, body))?;
                    self.store.term(TermNode::Loop(Loop::Gen, n, body))
                }
                _ => wrong_form(),
            },
            (_, TermNode::Prim(function, operands)) => match self.store.term_list(operands)[..] {
                [a, b] => self.prim_rule(rule, function, a, b),
                _ => wrong_form(),
            },
            (_, TermNode::Iterate(n, states, body)) => {
                let states = self.store.term_list(states);
                self.iterate_rule(rule, term, (n, &states, body))
            }
            (_, TermNode::Loop(kind, n, body)) => self.loop_rule(rule, (kind, n, body), extra),
            _ => wrong_form(),
        }
    }

    /// The body of a definition with the arguments for its parameters.
    fn unfold(&mut self, def: Def, indices: Ixs, operands: Terms) -> Checked<Term> {
        let definition = self.store.definition(def);
        let mut arguments: Vec<Argument> =
            self.store.ix_list(indices).into_iter().map(Argument::Index).collect();
        for (operand, named) in self.store.term_list(operands).into_iter().zip(&definition.tensors) {
            let ty = self.type_of(operand)?;
            self.add_operand(&mut arguments, ty, *named, operand)?;
        }
        self.store.in_term(Subst::Arguments(&arguments), definition.body, 0)
    }

    /// Rules about row `k` of an array.
    fn get_rule(&mut self, rule: Rule, array: Term, k: Ix) -> Checked<Term> {
        match (rule, self.store.node(array)) {
            (Rule::AccessGen, TermNode::Loop(Loop::Gen, _, body)) => {
                self.show_in_range(array, k)?;
                self.store.at(body, k)
            }
            (Rule::AccessGuard, _) => {
                let n = self.extent_of(array)?;
                self.store.guard(self.store.in_range(k, n)?, self.store.get(array, k)?)
            }
            (Rule::GetGuard, TermNode::Guard(p, e)) => self.store.guard(p, self.store.get(e, k)?),
            (Rule::GetSelect, TermNode::Select(p, a, b)) => {
                self.store.term(TermNode::Select(p, self.store.get(a, k)?, self.store.get(b, k)?))
            }
            (Rule::GetSum, TermNode::Loop(Loop::Sum, n, e)) => self.store.sum(n, self.store.get(e, k)?),
            (Rule::GetPrim, TermNode::Prim(function, operands)) => {
                self.show_in_range(array, k)?;
                let rows = self.store.term_list(operands).into_iter().map(|e| self.store.get(e, k));
                self.store.prim(function, &rows.collect::<Checked<Vec<Term>>>()?)
            }
            (Rule::GetView, TermNode::View(algebra, e)) => {
                self.show_in_range(array, k)?;
                self.store.term(TermNode::View(algebra, self.store.get(e, k)?))
            }
            _ => wrong_form(),
        }
    }

    /// `index(x[i])` for `x[i]`, an element in the box of a variable of integers.
    fn element(&mut self, term: Term, ty: Type) -> Checked<Term> {
        let (mut array, mut at) = (term, Vec::new());
        while let TermNode::Get(inner, k) = self.store.node(array) {
            self.show_in_range(inner, k)?;
            at.push(k);
            array = inner;
        }
        at.reverse();
        let is_variable = matches!(self.store.node(array), TermNode::Free(_));
        let is_integer = ty.element.scalar.is_index() && self.store.ix_list(ty.shape).is_empty();
        require(is_variable && is_integer, "an element is no integer of a variable")?;
        let read = self.store.ix(IxNode::Read(array, self.store.ixs(&at)?))?;
        self.store.term(TermNode::Index(ty.element, read))
    }

    /// `index E i`, which has the value of `i`: that is shown to be in the range of `E`, a type of integers.
    fn integer(&mut self, element: Element, ix: Ix) -> Checked<Term> {
        let range = element.scalar.index_range();
        let (least, greatest) = range.ok_or("an index term as a number that is no integer")?;
        let low = self.store.compare(Relation::Le, self.store.literal(least)?, ix)?;
        let high = self.store.compare(Relation::Le, ix, self.store.literal(greatest)?)?;
        self.show(self.store.mk_and(low, high)?)?;
        self.store.term(TermNode::Index(element, ix))
    }

    /// A sum or a product of numbers that are counted as one.
    fn counted(&mut self, op: IxOp, element: Element, a: Ix, b: Ix) -> Checked<Term> {
        require(!element.scalar.is_float() && element.scalar != Scalar::Bool, "a count that is no integer")?;
        let zero = self.store.literal(0)?;
        let natural = |ix: Ix| self.store.compare(Relation::Le, zero, ix);
        let both = self.store.mk_and(natural(a)?, natural(b)?)?;
        self.shown(both, self.store.term(TermNode::Index(element, self.store.mk(op, a, b)?))?)
    }

    /// An operation on index terms as one, where neither an operand nor the result leaves its type.
    fn integer_operation(&mut self, function: Function, operands: Terms, ty: Type) -> Checked<Term> {
        let mut values = Vec::new();
        for operand in self.store.term_list(operands) {
            let TermNode::Index(element, ix) = self.store.node(operand) else { return wrong_form() };
            values.push((element, ix));
        }
        let indices: Vec<Ix> = values.iter().map(|(_, ix)| *ix).collect();
        let zero = self.store.literal(0)?;
        let result = match (function, indices.as_slice()) {
            (Function::Cast(_), [a]) => *a,
            (Function::Neg, [a]) => self.store.mk(IxOp::Sub, zero, *a)?,
            (Function::Abs, [a]) => self.store.mk(IxOp::Max, *a, self.store.mk(IxOp::Sub, zero, *a)?)?,
            (Function::Sub, [a, b]) => self.store.mk(IxOp::Sub, *a, *b)?,
            (Function::Div, [a, b]) => self.store.mk(IxOp::Div, *a, *b)?,
            (Function::Min, [a, b]) => self.store.mk(IxOp::Min, *a, *b)?,
            (Function::Max, [a, b]) => self.store.mk(IxOp::Max, *a, *b)?,
            (Function::Rem, [a, b]) => self.store.mk(IxOp::Mod, *a, *b)?,
            (Function::Shr, [a, b]) => {
                let places = self.literal_of(*b).and_then(|places| u32::try_from(places).ok());
                let Some(unit) = places.and_then(|places| 1i64.checked_shl(places)).filter(|unit| *unit > 0)
                else {
                    return wrong_form();
                };
                self.store.mk(IxOp::Div, *a, self.store.literal(unit)?)?
            }
            (Function::BitAnd, [a, b]) => {
                let count = self.literal_of(*b).and_then(|mask| mask.checked_add(1));
                let Some(count) = count.filter(|count| *count > 0 && count.count_ones() == 1) else {
                    return wrong_form();
                };
                self.store.mk(IxOp::Mod, *a, self.store.literal(count)?)?
            }
            _ => return wrong_form(),
        };
        for (element, ix) in values {
            self.integer(element, ix)?;
        }
        self.integer(ty.element, result)
    }

    fn literal_of(&self, ix: Ix) -> Option<i64> {
        if let IxNode::Literal(value) = self.store.ix_node(ix) { Some(value) } else { None }
    }

    fn show_in_range(&mut self, array: Term, k: Ix) -> Checked<()> {
        let n = self.extent_of(array)?;
        self.show(self.store.in_range(k, n)?)
    }

    /// Rules about `guard p e`.
    fn guard_rule(&mut self, rule: Rule, p: Pred, e: Term) -> Checked<Term> {
        match (rule, self.store.node(e)) {
            (Rule::GuardTrue, _) => self.shown(p, e),
            (Rule::GuardZero, TermNode::Literal(_, Number::Zero)) => Ok(e),
            (Rule::GuardAnd, TermNode::Guard(q, inner)) => self.store.guard(self.store.mk_and(p, q)?, inner),
            (Rule::GuardAdd, TermNode::Prim(Function::Add, _)) => {
                let (a, b) = self.two(e, Function::Add)?;
                self.store.prim(Function::Add, &[self.store.guard(p, a)?, self.store.guard(p, b)?])
            }
            (Rule::GuardGen, TermNode::Loop(kind @ Loop::Gen, n, body))
            | (Rule::GuardSum, TermNode::Loop(kind @ Loop::Sum, n, body)) => {
                self.store.term(TermNode::Loop(kind, n, self.store.guard(p, body)?))
            }
            _ => wrong_form(),
        }
    }

    /// Rules about a sum or a product of two.
    fn prim_rule(&mut self, rule: Rule, function: Function, left: Term, right: Term) -> Checked<Term> {
        let product = |a: Term, b: Term| self.store.prim(Function::Mul, &[a, b]);
        let adds =
            [Rule::AddAssoc, Rule::AddComm, Rule::AddZeroL, Rule::AddZeroR, Rule::IndexAdd].contains(&rule);
        let needed = if adds { Function::Add } else { Function::Mul };
        require(function == needed, "the rule is about another operation")?;
        match (rule, self.store.node(left), self.store.node(right)) {
            (Rule::GuardMulL, TermNode::Guard(p, a), _) => self.store.guard(p, product(a, right)?),
            (Rule::GuardMulR, _, TermNode::Guard(p, b)) => self.store.guard(p, product(left, b)?),
            (Rule::MulSumL, _, TermNode::Loop(Loop::Sum, n, e)) => self.store.sum(n, product(left, e)?),
            (Rule::MulSumR, TermNode::Loop(Loop::Sum, n, e), _) => self.store.sum(n, product(e, right)?),
            (Rule::AddAssoc, ..) | (Rule::MulAssoc, ..) => {
                let (a, b) = self.two(left, function)?;
                self.store.prim(function, &[a, self.store.prim(function, &[b, right])?])
            }
            (Rule::IndexAdd, TermNode::Index(element, a), TermNode::Index(_, b)) => {
                self.counted(IxOp::Add, element, a, b)
            }
            (Rule::IndexMul, TermNode::Index(element, a), TermNode::Index(_, b)) => {
                self.counted(IxOp::Mul, element, a, b)
            }
            (Rule::AddComm, ..) | (Rule::MulComm, ..) => self.store.prim(function, &[right, left]),
            (Rule::AddZeroL, zero, _) => self.if_zero(zero, right),
            (Rule::AddZeroR, _, zero) => self.if_zero(zero, left),
            (Rule::MulOneL, TermNode::Literal(_, Number::One), _) => Ok(right),
            (Rule::MulOneR, _, TermNode::Literal(_, Number::One)) => Ok(left),
            (Rule::DistrL, ..) => {
                let (b, c) = self.two(right, Function::Add)?;
                self.store.prim(Function::Add, &[product(left, b)?, product(left, c)?])
            }
            (Rule::DistrR, ..) => {
                let (a, b) = self.two(left, Function::Add)?;
                self.store.prim(Function::Add, &[product(a, right)?, product(b, right)?])
            }
            _ => wrong_form(),
        }
    }

    /// `a + -1 * b` for `a - b`, of ordinary numbers with signs.
    fn difference(&mut self, operands: Terms, ty: Type) -> Checked<Term> {
        let Element { scalar, algebra } = ty.element;
        let signed = scalar.is_float() || scalar.index_range().is_some_and(|(least, _)| least < 0);
        let is_number = algebra == Algebra::PlusTimes && self.store.ix_list(ty.shape).is_empty();
        require(signed && is_number, "the difference is not of ordinary numbers with signs")?;
        let [a, b] = self.store.term_list(operands)[..] else { return wrong_form() };
        let minus = self.store.term(TermNode::Literal(ty.element, Number::Decimal((-1, 0))))?;
        self.store.prim(Function::Add, &[a, self.store.prim(Function::Mul, &[minus, b])?])
    }

    /// The two operands of an operation.
    pub(crate) fn two(&self, term: Term, function: Function) -> Checked<(Term, Term)> {
        let TermNode::Prim(other, operands) = self.store.node(term) else { return wrong_form() };
        match self.store.term_list(operands)[..] {
            [a, b] if other == function => Ok((a, b)),
            _ => wrong_form(),
        }
    }

    /// A result, if a goal is shown.
    fn shown(&mut self, goal: Pred, result: Term) -> Checked<Term> {
        self.show(goal)?;
        Ok(result)
    }

    /// A result, if a term is zero: it says so, or it is guarded by what does not hold.
    fn if_zero(&mut self, term: TermNode, result: Term) -> Checked<Term> {
        match term {
            TermNode::Guard(p, _) => self.shown(self.store.mk_not(p)?, result),
            TermNode::Literal(_, Number::Zero) => Ok(result),
            _ => wrong_form(),
        }
    }
}
