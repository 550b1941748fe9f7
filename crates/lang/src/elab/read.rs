//! Elements of integer tensors in index terms, `x[crd[p]]`, and in predicates, `[mask[i]] * e`.

use super::index::Sort;
use super::{Elab, Meaning};
use crate::algebra::is_ordinary;
use crate::forall::{ForAll, Variable};
use crate::show;
use atl_diag::err;
use atl_kernel::subst::Subst;
use atl_kernel::{Entry, Ix, Pred, Scalar, Type, Var};
use atl_syntax::ast::{AccessKind, Binder, Expr, ExprKind};
use std::sync::Arc;

impl Elab<'_> {
    /// The integer, or truth value as 0 or 1, that an access means in an index.
    pub(super) fn read(&mut self, e: &Expr, kind: AccessKind, base: &Expr, indices: &[Expr]) -> Option<Ix> {
        if let Some(lacks) = self.lacks(base, indices) {
            return self.report(lacks);
        }
        let (level, ty) = match &base.kind {
            ExprKind::Name(name) => match self.lookup(name).cloned() {
                Some(Meaning::Tensor(level)) => (level, self.tensor(level)?),
                Some(Meaning::Refused(_)) => return None,
                Some(Meaning::Index(_) | Meaning::Number(..)) => {
                    return self.report(
                        err!(E0219, e.span, "an index has no elements to read").label("this is an integer"),
                    );
                }
                None => return self.unknown_name(name, base.span),
            },
            ExprKind::Error => return None,
            _ => {
                return self.report(
                    err!(E0238, base.span, "what is read in an index must have a name")
                        .label("this is computed here")
                        .help("name it before: `let at = …;`, and read `at[i]`"),
                );
            }
        };
        if kind == AccessKind::Guarded {
            return self.report(
                err!(E0238, e.span, "a guarded read has no place in an index")
                    .label("out of range this would be a zero, which is an index too")
                    .help("guard the whole expression instead: `[0 <= i < N] * x[at[i]]`"),
            );
        }
        if !ty.elem.scalar.is_index() || !is_ordinary(ty.elem) {
            let refusal = err!(E0220, e.span, "an index term is expected here, and this is a value")
                .label(format!("an element of `{}`", show::ty(&self.ctx, &ty)));
            return self.report(match ty.elem.scalar.is_integer() && is_ordinary(ty.elem) {
                true => refusal
                    .note("indices are integers of 64 signed bits, and 18446744073709551615 is none of these")
                    .help("give it as a tensor of another integer type, such as `i64` or `u32`"),
                false if ty.elem.scalar.is_float() => {
                    refusal.help("convert it, which rounds towards zero: `x[i32(…)]`")
                }
                false => refusal
                    .help("indices are read from tensors of integers, of all types but `u64`, or of `bool`"),
            });
        }
        if indices.len() != ty.shape.len() {
            let (given, rank) = (indices.len(), ty.shape.len());
            return self.report(
                err!(E0218, e.span, "{given} indices, and the tensor has {rank} dimensions")
                    .also(base.span, format!("this is of type `{}`", show::ty(&self.ctx, &ty)))
                    .help("in an index a single element is read"),
            );
        }
        let at: Vec<Option<Ix>> = indices.iter().map(|i| self.index(i)).collect();
        Some(Ix::Read(Var::Free(level), at.into_iter().collect::<Option<Arc<[Ix]>>>()?))
    }

    fn tensor(&self, level: u32) -> Option<Type> {
        if let Some(Entry::Tensor(_, ty)) = self.ctx.entry(level) { Some(ty.clone()) } else { None }
    }

    /// The integer that a `let` binds, as in `let k = q[i]; lut[k]`, or that a parameter is, by its name. In heads and extents an integer is declared a size.
    pub(super) fn named_number(&self, name: &str) -> Option<Ix> {
        let Some(Meaning::Tensor(level)) = self.lookup(name) else { return None };
        let ty = self.tensor(*level).filter(|_| *level >= self.head || self.own != u32::MAX)?;
        let is_number = ty.shape.is_empty() && ty.elem.scalar.is_index() && is_ordinary(ty.elem);
        is_number.then(|| Ix::Read(Var::Free(*level), Arc::new([])))
    }

    /// The type of what a name or an access of it is, if it is a tensor.
    pub(super) fn read_type(&self, e: &Expr) -> Option<Type> {
        match &e.kind {
            ExprKind::Name(name) => match self.lookup(name) {
                Some(Meaning::Tensor(level)) => self.tensor(*level),
                _ => None,
            },
            ExprKind::Access { base, .. } => self.read_type(base),
            _ => None,
        }
    }

    /// The element of a tensor of truth values as a predicate.
    pub(super) fn read_truth(&mut self, e: &Expr) -> Option<Option<Pred>> {
        if let ExprKind::Name(name) = &e.kind {
            let is_truth = self.read_type(e)?.elem.scalar == Scalar::Bool;
            return self.named_number(name).filter(|_| is_truth).map(|ix| Some(Pred::eq(ix, Ix::ONE)));
        }
        let ExprKind::Access { kind, base, indices } = &e.kind else { return None };
        let ty = self.read_type(base)?;
        (ty.elem.scalar == Scalar::Bool)
            .then(|| self.read(e, *kind, base, indices).map(|ix| Pred::eq(ix, Ix::ONE)))
    }

    /// `all p < n { … }` as a precondition, or a predicate that reads a tensor.
    pub(super) fn for_all(&mut self, e: &Expr, binders: &[Binder], body: &Expr) -> Option<ForAll> {
        let at = self.enter();
        let mut closed = Subst::default();
        let mut variables = Vec::new();
        let mut fine = Some(());
        for (k, binder) in (0..).zip(binders) {
            let lo = binder.lo.as_ref().map_or(Some(Ix::ZERO), |lo| self.index(lo));
            let hi = self.upper(binder, &binders[k as usize..], body);
            let label = super::label(&binder.name);
            let level = self.ctx.push_index(label.clone());
            match (lo, hi) {
                (Some(lo), Some(hi)) => {
                    variables.push(Variable { label, lo: closed.ix(&lo), hi: closed.ix(&hi) });
                    self.bind(&binder.name, Meaning::Index(Ix::free(level)));
                }
                _ => {
                    self.bind(&binder.name, Meaning::Refused(Sort::Index));
                    fine = None;
                }
            }
            closed.index.push((level, Ix::Var(Var::Bound(k))));
        }
        let said = self.diagnostics.len();
        let holds = self.predicate(body);
        self.unread(binders, body, said);
        self.leave(at);
        fine?;
        Some(ForAll { variables, holds: closed.pred(&holds?), span: e.span })
    }
}
