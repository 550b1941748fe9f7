//! Types, and the side conditions that typing asks for.
//!
//! An inference has a list of certificates; whatever must be shown takes the next one. So the order of the questions
//! is part of the format, and this file keeps the document's order to the letter.

use crate::certificate::Certificate;
use crate::context::{Context, Entry, Type};
use crate::prelude::*;
use crate::subst::{Argument, Subst};

/// What inferences work with.
pub(crate) struct Judge<'f> {
    pub(crate) store: Store,
    pub(crate) context: Context,
    pub(crate) certificates: &'f [Certificate],
    /// The certificates of the inference at hand that are not used yet.
    pub(crate) evidence: &'f [usize],
}

impl Judge<'_> {
    /// Two index terms are equal.
    pub(crate) fn same_ix(&mut self, a: Ix, b: Ix) -> Checked<()> {
        match (self.store.poly(a), self.store.poly(b)) {
            _ if a == b => Ok(()),
            (Ok(left), Ok(right)) if left == right => Ok(()),
            _ => self.show(self.store.compare(Relation::Eq, a, b)?),
        }
    }

    /// Two types are equal, the shapes as polynomials or by certificates.
    pub(crate) fn same_type(&mut self, s: Type, t: Type) -> Checked<()> {
        require(s.element == t.element, "two element types differ")?;
        self.same_shape(s, t)
    }

    fn same_shape(&mut self, s: Type, t: Type) -> Checked<()> {
        let (left, right) = (self.store.ix_list(s.shape), self.store.ix_list(t.shape));
        require(left.len() == right.len(), "two terms have different numbers of dimensions")?;
        left.into_iter().zip(right).try_for_each(|(a, b)| self.same_ix(a, b))
    }

    /// The outermost extent, and the others.
    pub(crate) fn outermost(&self, ty: Type) -> Checked<(Ix, Vec<Ix>)> {
        match &self.store.ix_list(ty.shape)[..] {
            [first, rest @ ..] => Ok((*first, rest.to_vec())),
            [] => refuse("a scalar is accessed"),
        }
    }

    /// The outermost extent of a term's type.
    pub(crate) fn extent_of(&mut self, term: Term) -> Checked<Ix> {
        let ty = self.type_of(term)?;
        Ok(self.outermost(ty)?.0)
    }

    /// The type of a term in the context.
    pub(crate) fn type_of(&mut self, term: Term) -> Checked<Type> {
        self.context.at_top();
        self.typed(term)
    }

    /// The types of a program in the context: that of a tensor, or of each of several results.
    pub(crate) fn types_of(&mut self, program: Term) -> Checked<Vec<Type>> {
        self.context.at_top();
        self.results(program)
    }

    /// Around several results there is nothing but `let`.
    fn results(&mut self, program: Term) -> Checked<Vec<Type>> {
        let level = self.context.len();
        match self.store.node(program) {
            TermNode::Bundle(parts) => {
                let parts = self.store.term_list(parts);
                require(parts.len() > 1, "a bundle has fewer than two results")?;
                parts.into_iter().map(|part| self.typed(part)).collect()
            }
            TermNode::Let(e, f) => {
                self.store.work(1)?;
                let bound = self.typed(e)?;
                self.context.push(Entry::Tensor(bound))?;
                let types = self.below(level, |judge| judge.results(f))?;
                types.into_iter().map(|ty| self.outside(ty, level)).collect()
            }
            _ => Ok(vec![self.typed(program)?]),
        }
    }

    /// As many results, of equal types.
    pub(crate) fn same_types(&mut self, left: &[Type], right: &[Type]) -> Checked<()> {
        require(left.len() == right.len(), "two programs have different numbers of results")?;
        left.iter().zip(right).try_for_each(|(s, t)| self.same_type(*s, *t))
    }

    /// The type of a term, below the binders that were entered.
    pub(crate) fn typed(&mut self, term: Term) -> Checked<Type> {
        self.store.work(1)?;
        let level = self.context.len();
        match self.store.node(term) {
            variable @ (TermNode::Free(_) | TermNode::Bound(_)) => Ok(self.context.tensor(variable)?.1),
            TermNode::Literal(element, _) => Ok(Type { element, shape: self.store.ixs(&[])? }),
            TermNode::Index(element, ix) => {
                self.context.resolve(&self.store, ix)?;
                Ok(Type { element, shape: self.store.ixs(&[])? })
            }
            TermNode::Loop(kind, n, body) => self.typed_loop(kind, n, body),
            TermNode::Guard(pred, e) => {
                let pred = self.context.resolve_pred(&self.store, pred)?;
                self.assuming(pred, |judge| judge.typed(e))
            }
            TermNode::Select(pred, e, f) => {
                let pred = self.context.resolve_pred(&self.store, pred)?;
                let first = self.assuming(pred, |judge| judge.typed(e))?;
                let second = self.assuming(self.store.mk_not(pred)?, |judge| judge.typed(f))?;
                self.same_type(first, second)?;
                Ok(first)
            }
            TermNode::Let(e, f) => {
                let bound = self.typed(e)?;
                self.context.push(Entry::Tensor(bound))?;
                let ty = self.below(level, |judge| judge.typed(f))?;
                self.outside(ty, level)
            }
            TermNode::Iterate(n, states, body) => {
                let ty = self.typed_rounds(n, &self.store.term_list(states), body)?;
                self.outside(ty, level)
            }
            TermNode::Get(e, k) => {
                self.context.resolve(&self.store, k)?;
                let ty = self.typed(e)?;
                let (_, rest) = self.outermost(ty)?;
                Ok(Type { shape: self.store.ixs(&rest)?, ..ty })
            }
            TermNode::Prim(function, operands) => {
                let mut types = Vec::new();
                for operand in self.store.term_list(operands) {
                    types.push(self.typed(operand)?);
                }
                let elements: Vec<Element> = types.iter().map(|ty| ty.element).collect();
                let element = function.result(&elements).ok_or("an operation has operands of wrong types")?;
                types[1..].iter().try_for_each(|other| self.same_shape(types[0], *other))?;
                Ok(Type { element, ..types[0] })
            }
            TermNode::View(algebra, e) => {
                let Type { element, shape } = self.typed(e)?;
                require(algebra.admits(element.scalar), "a view's algebra does not admit the scalar")?;
                Ok(Type { element: Element { algebra, ..element }, shape })
            }
            TermNode::Bundle(_) => refuse("several results stand where a tensor must"),
            TermNode::Op(def, indices, operands) => {
                let (indices, operands) = (self.store.ix_list(indices), self.store.term_list(operands));
                let base = self.context.base;
                let ty = self.typed_op(def, &indices, &operands)?;
                self.context.leave(level);
                self.context.base = base;
                self.outside(ty, level)
            }
        }
    }

    /// The result with a hypothesis, which is then dropped.
    pub(crate) fn assuming<T>(&mut self, p: Pred, then: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        let level = self.context.len();
        self.context.push(Entry::Hypothesis(p))?;
        let result = then(self)?;
        self.context.leave(level);
        Ok(result)
    }

    /// The result below a binder, whose entries from `level` on are then dropped.
    pub(crate) fn below<T>(&mut self, level: u32, then: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        self.context.stack.push(level);
        let result = then(self)?;
        self.context.stack.pop();
        self.context.leave(level);
        Ok(result)
    }

    fn typed_loop(&mut self, kind: Loop, n: Ix, body: Term) -> Checked<Type> {
        let n = self.context.resolve(&self.store, n)?;
        let level = self.context.len();
        self.context.push_index(&self.store, n)?;
        let inner = self.below(level, |judge| judge.typed(body))?;
        let mut shape = self.store.ix_list(self.outside(inner, level)?.shape);
        if kind == Loop::Gen {
            shape.insert(0, n);
        }
        Ok(Type { shape: self.store.ixs(&shape)?, ..inner })
    }

    /// Enter states of these types.
    pub(crate) fn enter_states(&mut self, types: &[Type]) -> Checked<()> {
        for ty in types {
            self.context.stack.push(self.context.len());
            self.context.push(Entry::Tensor(*ty))?;
        }
        Ok(())
    }

    /// Do something with each state's number and type, below the states and the new ones before it; then
    /// something below the states, where the entries that were added are then dropped.
    pub(crate) fn rounds<T>(
        &mut self,
        types: &[Type],
        mut each: impl FnMut(&mut Self, usize, Type) -> Checked<()>,
        then: impl FnOnce(&mut Self) -> Checked<T>,
    ) -> Checked<T> {
        let (level, depth) = (self.context.len(), self.context.stack.len());
        self.enter_states(types)?;
        for (k, ty) in types.iter().enumerate() {
            each(self, k, *ty)?;
            self.enter_states(&[*ty])?;
        }
        self.context.stack.truncate(depth + types.len());
        self.context.leave(level + types.len() as u32);
        let result = then(self)?;
        self.context.stack.truncate(depth);
        self.context.leave(level);
        Ok(result)
    }

    /// The type of the body, before its extents are looked at.
    fn typed_rounds(&mut self, n: Ix, states: &[Term], body: Term) -> Checked<Type> {
        let n = self.context.resolve(&self.store, n)?;
        let types = states.iter().step_by(2).map(|init| self.typed(*init)).collect::<Checked<Vec<_>>>()?;
        let step = |judge: &mut Self, k: usize, ty: Type| {
            let level = judge.context.len();
            judge.context.push_index(&judge.store, n)?;
            judge.below(level, |judge| {
                let next = judge.typed(states[2 * k + 1])?;
                judge.same_type(ty, next)
            })
        };
        self.rounds(&types, step, |judge| judge.typed(body))
    }

    /// A type, where the entries from `level` on are gone: no extent may mention them.
    fn outside(&self, ty: Type, level: u32) -> Checked<Type> {
        let known = |extent: Ix| self.store.ix_measure(extent).free <= level;
        let remains = self.store.ix_list(ty.shape).into_iter().all(known);
        require(remains, "an extent depends on what a binder binds, or on an operand")?;
        Ok(ty)
    }

    /// The type of a defined operator: that of its body, with variables of the operands' types for the operands.
    fn typed_op(&mut self, def: Def, indices: &[Ix], operands: &[Term]) -> Checked<Type> {
        let definition = self.store.definition(def);
        let fits = indices.len() == definition.indices as usize && operands.len() == definition.tensors.len();
        require(fits, "a defined operator has another number of arguments than its definition")?;
        // Putting the arguments refuses a free variable that is no parameter, or a parameter of the other kind.
        let closed = self.store.measure(definition.body).loose == 0;
        require(closed, "a definition has a bound variable that points outside of it")?;
        let mut arguments = Vec::new();
        for index in indices {
            arguments.push(Argument::Index(self.context.resolve(&self.store, *index)?));
        }
        for (operand, named) in operands.iter().zip(&definition.tensors) {
            let ty = self.typed(*operand)?;
            let variable = self.store.term(TermNode::Free(self.context.len()))?;
            self.context.push(Entry::Tensor(ty))?;
            self.add_operand(&mut arguments, ty, *named, variable)?;
        }
        self.context.base = self.context.len();
        self.typed(self.store.in_term(Subst::Arguments(&arguments), definition.body, 0)?)
    }

    /// One operand's arguments: the extents that are named, then the tensor.
    pub(crate) fn add_operand(&self, to: &mut Vec<Argument>, ty: Type, named: u32, e: Term) -> Checked<()> {
        let shape = self.store.ix_list(ty.shape);
        let extents = shape.get(..named as usize).ok_or("an operand has too few dimensions")?;
        to.extend(extents.iter().map(|extent| Argument::Index(*extent)));
        to.push(Argument::Tensor(e));
        Ok(())
    }
}
