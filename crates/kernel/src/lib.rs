//! The trusted base of `atl`: terms, theorems, primitive rules, certificate checking.
//!
//! Everything the project claims rests on this crate. It can be read in an afternoon, in this order:
//! `ix` (index terms and predicates), `ty` and `laws`, `term`, `define`, `memo` and `subst` (binders), `ctx`,
//! `poly` and `cert` (side conditions), `size` (limits), `infer` (types), `rules` (the primitive equations),
//! `monoid` (laws of a program's own operations), `thm` (inference).
//!
//! It knows nothing of files, spans, printing, hardware or speed; it has no dependencies, no `unsafe` and
//! no I/O. The meaning of terms is implemented once more, as an interpreter, in `atl-interp`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod arith_eq;
pub mod cert;
mod ctx;
mod define;
mod error;
mod function;
mod infer;
mod ix;
mod laws;
mod memo;
mod monoid;
pub mod poly;
mod rules;
mod size;
pub mod subst;
mod term;
mod thm;
mod ty;
mod typed;

#[cfg(test)]
mod tests;

pub use cert::Cert;
pub use ctx::{Ctx, Entry, KnownFacts, Prover, Replay, Type, Unproved};
pub use define::Definition;
pub use error::{Error, Result, TypeError};
pub use function::Function;
pub use ix::{Cmp, Ix, IxOp, Pred, Var, eval_op};
pub use laws::{Laws, Rounding};
pub use monoid::Monoid;
pub use rules::{Rule, RuleInfo};
pub use size::{MAX_DEPTH, MAX_NODES, STACK};
pub use term::{AlgebraRef, Child, Expr, Iterate, Label, LoopKind, Node, Number, Prim, State, Storage};
pub use thm::{Entered, Proof, Thm, enter, enter_knowing, rounds, type_of};
pub use ty::{Algebra, Elem, Kind, Scalar};
