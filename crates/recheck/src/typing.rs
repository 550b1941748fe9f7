//! Types, and the side conditions that typing asks for.
//!
//! An inference has a list of certificates; whatever must be shown takes the next one. So the order of the questions
//! is part of the format, and this file keeps the document's order to the letter.

use crate::certificate::{Certificate, prove};
use crate::context::{Context, Entry, Scope, Type};
use crate::index::{Ix, IxNode, Pred, Relation};
use crate::refusal::{Checked, refuse, require};
use crate::store::Store;
use crate::subst::{Argument, Subst};
use crate::terms::{Def, Definition, Loop, Term, TermNode};

/// What inferences work with.
pub(crate) struct Judge<'f> {
    pub(crate) store: Store,
    pub(crate) context: Context,
    pub(crate) certificates: &'f [Certificate],
}

/// The certificates of an inference that are not used yet.
pub(crate) struct Evidence<'f> {
    pub(crate) left: &'f [usize],
}

impl Evidence<'_> {
    fn next(&mut self) -> Checked<usize> {
        let Some((next, left)) = self.left.split_first() else {
            return refuse("a side condition has no certificate");
        };
        self.left = left;
        Ok(*next)
    }

    /// All were used.
    pub(crate) fn done(&self) -> Checked<()> {
        require(self.left.is_empty(), "a certificate is left over")
    }
}

impl Judge<'_> {
    /// A goal is shown by the next certificate.
    pub(crate) fn show(&mut self, goal: Pred, evidence: &mut Evidence<'_>) -> Checked<()> {
        let certificate = evidence.next()?;
        prove(&mut self.store, self.certificates, &self.context, goal, certificate)
    }

    /// Two index terms are equal.
    pub(crate) fn same_ix(&mut self, a: Ix, b: Ix, evidence: &mut Evidence<'_>) -> Checked<()> {
        if a == b {
            return Ok(());
        }
        let (left, right) = (self.store.poly(a), self.store.poly(b));
        if left.is_some() && left == right {
            return Ok(());
        }
        let goal = self.store.compare(Relation::Eq, a, b)?;
        self.show(goal, evidence)
    }

    /// Two types are equal, the shapes as polynomials or by certificates.
    pub(crate) fn same_type(&mut self, s: Type, t: Type, evidence: &mut Evidence<'_>) -> Checked<()> {
        require(s.element == t.element, "two element types differ")?;
        self.same_shape(s, t, evidence)
    }

    fn same_shape(&mut self, s: Type, t: Type, evidence: &mut Evidence<'_>) -> Checked<()> {
        let (left, right) = (self.store.ix_list(s.shape), self.store.ix_list(t.shape));
        require(left.len() == right.len(), "two terms have different numbers of dimensions")?;
        for (a, b) in left.into_iter().zip(right) {
            self.same_ix(a, b, evidence)?;
        }
        Ok(())
    }

    /// The type of a term in the context.
    pub(crate) fn type_of(&mut self, term: Term, evidence: &mut Evidence<'_>) -> Checked<Type> {
        let mut scope = Scope::top(&self.context);
        self.typed(&mut scope, term, evidence)
    }

    /// The outermost extent of a term's type.
    pub(crate) fn extent_of(&mut self, term: Term, evidence: &mut Evidence<'_>) -> Checked<Ix> {
        let ty = self.type_of(term, evidence)?;
        self.outermost(ty).map(|(extent, _)| extent)
    }

    /// The outermost extent, and the others.
    pub(crate) fn outermost(&self, ty: Type) -> Checked<(Ix, Vec<Ix>)> {
        let mut shape = self.store.ix_list(ty.shape);
        require(!shape.is_empty(), "a scalar is accessed")?;
        let first = shape.remove(0);
        Ok((first, shape))
    }

    /// An index term that must be scoped, with variables resolved.
    pub(crate) fn scoped_ix(&mut self, scope: &Scope, ix: Ix) -> Checked<Ix> {
        scope.check_ix(&mut self.store, &self.context, ix)?;
        self.store.in_ix(Subst::Resolve(&scope.stack), ix, 0)
    }

    /// A predicate that must be scoped, with variables resolved.
    pub(crate) fn scoped_pred(&mut self, scope: &Scope, pred: Pred) -> Checked<Pred> {
        scope.check_pred(&mut self.store, &self.context, pred)?;
        self.store.in_pred(Subst::Resolve(&scope.stack), pred, 0)
    }

    /// The type of a term, below the binders of a scope.
    pub(crate) fn typed(
        &mut self,
        scope: &mut Scope,
        term: Term,
        evidence: &mut Evidence<'_>,
    ) -> Checked<Type> {
        self.store.work(1)?;
        match self.store.node(term) {
            TermNode::Free(level) => self.context.tensor(scope.free(level)?),
            TermNode::Bound(binder) => self.context.tensor(scope.level(binder)?),
            TermNode::Literal(element, _) => Ok(Type { element, shape: self.store.ixs(&[])? }),
            TermNode::Index(element, ix) => {
                scope.check_ix(&mut self.store, &self.context, ix)?;
                Ok(Type { element, shape: self.store.ixs(&[])? })
            }
            TermNode::Loop(kind, n, body) => self.typed_loop(scope, kind, n, body, evidence),
            TermNode::Guard(pred, e) => {
                let pred = self.scoped_pred(scope, pred)?;
                self.assuming(pred, |judge| judge.typed(scope, e, evidence))
            }
            TermNode::Select(pred, e, f) => {
                let pred = self.scoped_pred(scope, pred)?;
                let first = self.assuming(pred, |judge| judge.typed(scope, e, evidence))?;
                let otherwise = self.store.mk_not(pred)?;
                let second = self.assuming(otherwise, |judge| judge.typed(scope, f, evidence))?;
                self.same_type(first, second, evidence)?;
                Ok(first)
            }
            TermNode::Let(e, f) => {
                let bound = self.typed(scope, e, evidence)?;
                let level = self.context.len();
                self.context.push(Entry::Tensor(bound))?;
                scope.stack.push(level);
                let ty = self.typed(scope, f, evidence);
                scope.stack.pop();
                self.context.leave(level);
                ty
            }
            TermNode::Get(e, k) => {
                scope.check_ix(&mut self.store, &self.context, k)?;
                let ty = self.typed(scope, e, evidence)?;
                let (_, rest) = self.outermost(ty)?;
                Ok(Type { shape: self.store.ixs(&rest)?, ..ty })
            }
            TermNode::Prim(function, operands) => {
                let mut types = Vec::new();
                for operand in self.store.term_list(operands) {
                    types.push(self.typed(scope, operand, evidence)?);
                }
                let elements: Vec<_> = types.iter().map(|ty| ty.element).collect();
                let Some(element) = function.result(&elements) else {
                    return refuse("an operation has operands of other types than it takes");
                };
                for other in &types[1..] {
                    self.same_shape(types[0], *other, evidence)?;
                }
                Ok(Type { element, ..types[0] })
            }
            TermNode::View(algebra, e) => {
                let mut ty = self.typed(scope, e, evidence)?;
                ty.element.algebra = algebra;
                require(algebra.admits(ty.element.scalar), "a view's algebra does not admit the scalar")?;
                Ok(ty)
            }
            TermNode::Op(def, indices, operands) => {
                let (indices, operands) = (self.store.ix_list(indices), self.store.term_list(operands));
                let (level, base) = (self.context.len(), scope.base);
                let ty = self.typed_op(scope, def, &indices, &operands, evidence);
                self.context.leave(level);
                scope.base = base;
                ty
            }
        }
    }

    /// The result with a hypothesis, which is then dropped.
    pub(crate) fn assuming<T>(
        &mut self,
        hypothesis: Pred,
        result: impl FnOnce(&mut Self) -> Checked<T>,
    ) -> Checked<T> {
        let level = self.context.len();
        self.context.push(Entry::Hypothesis(hypothesis))?;
        let result = result(self);
        self.context.leave(level);
        result
    }

    fn typed_loop(
        &mut self,
        scope: &mut Scope,
        kind: Loop,
        n: Ix,
        body: Term,
        evidence: &mut Evidence<'_>,
    ) -> Checked<Type> {
        let n = self.scoped_ix(scope, n)?;
        let level = self.context.len();
        self.context.push_index(&mut self.store, n)?;
        scope.stack.push(level);
        let inner = self.typed(scope, body, evidence)?;
        scope.stack.pop();
        self.context.leave(level);
        let mut shape = self.store.ix_list(inner.shape);
        for extent in &shape {
            require(!self.mentions(*extent, level), "an extent depends on a loop's index")?;
        }
        if kind == Loop::Gen {
            shape.insert(0, n);
        }
        Ok(Type { shape: self.store.ixs(&shape)?, ..inner })
    }

    /// Whether a free variable occurs in an index term.
    pub(crate) fn mentions(&self, ix: Ix, level: u32) -> bool {
        if self.store.ix_measure(ix).free <= level {
            return false;
        }
        match self.store.ix_node(ix) {
            IxNode::Free(free) => free == level,
            IxNode::Op(_, a, b) => self.mentions(a, level) || self.mentions(b, level),
            IxNode::Literal(_) | IxNode::Bound(_) => false,
        }
    }

    /// The type of a defined operator: that of its body, with variables of the operands' types for the operands.
    fn typed_op(
        &mut self,
        scope: &mut Scope,
        def: Def,
        indices: &[Ix],
        operands: &[Term],
        evidence: &mut Evidence<'_>,
    ) -> Checked<Type> {
        let definition = self.store.definition(def);
        self.check_arity(&definition, indices, operands)?;
        let mut arguments = Vec::new();
        for index in indices {
            arguments.push(Argument::Index(self.scoped_ix(scope, *index)?));
        }
        for (operand, named) in operands.iter().zip(&definition.tensors) {
            let ty = self.typed(scope, *operand, evidence)?;
            let variable = self.store.term(TermNode::Free(self.context.len()))?;
            self.context.push(Entry::Tensor(ty))?;
            self.add_operand(&mut arguments, ty, *named, variable)?;
        }
        scope.base = self.context.len();
        let body = self.store.in_term(Subst::Arguments(&arguments), definition.body, 0)?;
        self.typed(scope, body, evidence)
    }

    /// The numbers of arguments are the definition's, and the definition is closed.
    fn check_arity(&self, definition: &Definition, indices: &[Ix], operands: &[Term]) -> Checked<()> {
        let fits = indices.len() == definition.indices as usize && operands.len() == definition.tensors.len();
        require(fits, "a defined operator has another number of arguments than its definition")?;
        // Putting the arguments refuses a free variable that is no parameter, or a parameter of the other kind.
        require(
            self.store.measure(definition.body).loose == 0,
            "a definition has a bound variable that points outside of it",
        )
    }

    /// One operand's arguments: the extents that are named, then the tensor.
    pub(crate) fn add_operand(
        &self,
        arguments: &mut Vec<Argument>,
        ty: Type,
        named: u32,
        tensor: Term,
    ) -> Checked<()> {
        let shape = self.store.ix_list(ty.shape);
        let Some(extents) = shape.get(..named as usize) else {
            return refuse("an operand has fewer dimensions than its definition names");
        };
        arguments.extend(extents.iter().map(|extent| Argument::Index(*extent)));
        arguments.push(Argument::Tensor(tensor));
        Ok(())
    }
}
