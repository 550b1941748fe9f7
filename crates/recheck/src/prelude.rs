//! What nearly every module speaks of: terms, and how to refuse.

pub(crate) use crate::algebra::{Algebra, Element, Function, Laws, Rounding, Scalar};
pub(crate) use crate::index::{Ix, IxNode, IxOp, Measure, Pred, PredNode, Relation};
pub(crate) use crate::limits;
pub(crate) use crate::refusal::{Checked, refuse, require};
pub(crate) use crate::rules::Rule;
pub(crate) use crate::store::Store;
pub(crate) use crate::terms::{Def, Definition, Ixs, Loop, Number, Term, TermNode, Terms};
