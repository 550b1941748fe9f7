//! Preconditions on the elements of tensors: `where all p < K { 0 <= crd[p] < M }`.

use atl_diag::Span;
use atl_kernel::{Ctx, Ix, Label, Pred, Var};
use std::sync::Arc;

/// A predicate that holds for all values of some variables within ranges.
///
/// In ranges and predicate `Bound(k)` is variable `k`; all else are levels of the function's context. Without variables
/// it is a predicate on fixed elements, such as `pos[0] == 0`.
#[derive(Clone, PartialEq, Debug)]
pub struct ForAll {
    /// The variables, outermost first; the range of one may mention those before it.
    pub variables: Vec<Variable>,
    /// What holds of them.
    pub holds: Pred,
    /// Where it is written.
    pub span: Span,
}

/// A variable of a [`ForAll`].
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name.
    pub label: Label,
    /// Its first value.
    pub lo: Ix,
    /// One past its last value.
    pub hi: Ix,
}

impl ForAll {
    /// That the variables are within their ranges.
    pub fn within(&self) -> Pred {
        let ranges = (0..).zip(&self.variables).map(|(k, v)| {
            let variable = Ix::Var(Var::Bound(k));
            Pred::and(Pred::le(v.lo.clone(), variable.clone()), Pred::lt(variable, v.hi.clone()))
        });
        ranges.fold(Pred::True, Pred::and)
    }

    /// Assume it.
    pub fn assume(&self, ctx: &mut Ctx) {
        if self.variables.is_empty() {
            return ctx.push_hyp(self.holds.clone());
        }
        let labels = self.variables.iter().map(|v| v.label.clone()).collect();
        // An implication in sight, whatever holds: the ranges are read from it again.
        let sides = (Pred::Not(Arc::new(self.within())), self.holds.clone());
        ctx.push_all(labels, Pred::Or(Arc::new(sides)));
    }
}

/// The index term with these for its bound variables, the first for `Bound(0)`.
pub fn instance(ix: &Ix, at: &[Ix]) -> Ix {
    match ix {
        Ix::Var(Var::Bound(k)) => at.get(*k as usize).cloned().unwrap_or_else(|| ix.clone()),
        Ix::Lit(_) | Ix::Var(Var::Free(_)) => ix.clone(),
        Ix::Bin(op, ab) => Ix::bin(*op, instance(&ab.0, at), instance(&ab.1, at)),
        Ix::Read(array, indices) => Ix::Read(*array, indices.iter().map(|i| instance(i, at)).collect()),
    }
}
