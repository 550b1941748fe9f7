//! Theorems exported to Rocq, where their proofs are checked over a semantics that can be read.
//!
//! The library is `proofs/`: what terms mean, every primitive rule of the kernel as a lemma of the same name,
//! and a checker of certificates that is proved correct. [`export`] follows a theorem's record inference by
//! inference and writes a file in which Rocq proves the theorem from those lemmas: for all sizes that satisfy
//! the preconditions, all arguments, and all algebras that have the laws that are used. Nothing is searched
//! there, and nothing is assumed: what the file's section declares are carriers, operations, sizes and
//! arguments (of which the theorem speaks for all), the laws, and the preconditions.
//!
//! Nothing here is trusted. A wrong export is a file that Rocq refuses; what the file *states* is for its
//! reader to compare with the program. A theorem that the export has no words for is refused with the reason.
//!
//! Reading order: `raw` (literal substitution), `scope`, `print`, `deep`, `side` (certificates), `rules`,
//! `walk`, `rounds`, `prove`, `loops`, `file`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod deep;
mod error;
mod file;
mod loops;
mod print;
mod prove;
mod prune;
mod ranges;
mod raw;
mod rounds;
mod rules;
mod scope;
mod side;
mod walk;

pub use error::Refusal;
pub use file::{Exported, Header, export};
pub use loops::{Arg, Evidence, Followed, Loops, Step, operation, steps};
pub use rules::lemma_laws;

/// The files of the library, in the order in which they are compiled.
pub const LIBRARY: &[(&str, &str)] = &[
    ("Algebra.v", include_str!("../../../proofs/Algebra.v")),
    ("Tensor.v", include_str!("../../../proofs/Tensor.v")),
    ("Congruence.v", include_str!("../../../proofs/Congruence.v")),
    ("Rules.v", include_str!("../../../proofs/Rules.v")),
    ("Index.v", include_str!("../../../proofs/Index.v")),
    ("Polynomial.v", include_str!("../../../proofs/Polynomial.v")),
    ("Certificate.v", include_str!("../../../proofs/Certificate.v")),
    ("Loops.v", include_str!("../../../proofs/Loops.v")),
    ("Memory.v", include_str!("../../../proofs/Memory.v")),
    ("Outcome.v", include_str!("../../../proofs/Outcome.v")),
    ("Lowering.v", include_str!("../../../proofs/Lowering.v")),
    ("Nests.v", include_str!("../../../proofs/Nests.v")),
    ("Temporaries.v", include_str!("../../../proofs/Temporaries.v")),
    ("Reshape.v", include_str!("../../../proofs/Reshape.v")),
    ("Diagonals.v", include_str!("../../../proofs/Diagonals.v")),
    ("Kernels.v", include_str!("../../../proofs/Kernels.v")),
    ("Cuts.v", include_str!("../../../proofs/Cuts.v")),
    ("Written.v", include_str!("../../../proofs/Written.v")),
    ("Windows.v", include_str!("../../../proofs/Windows.v")),
    ("Rounds.v", include_str!("../../../proofs/Rounds.v")),
    ("States.v", include_str!("../../../proofs/States.v")),
    ("replay/Words.v", include_str!("../../../proofs/replay/Words.v")),
    ("replay/Closing.v", include_str!("../../../proofs/replay/Closing.v")),
    ("replay/Places.v", include_str!("../../../proofs/replay/Places.v")),
    ("replay/Goals.v", include_str!("../../../proofs/replay/Goals.v")),
    ("replay/Readings.v", include_str!("../../../proofs/replay/Readings.v")),
    ("replay/Steps.v", include_str!("../../../proofs/replay/Steps.v")),
    ("replay/Updates.v", include_str!("../../../proofs/replay/Updates.v")),
    ("replay/Fills.v", include_str!("../../../proofs/replay/Fills.v")),
    ("replay/Filled.v", include_str!("../../../proofs/replay/Filled.v")),
    ("replay/Branches.v", include_str!("../../../proofs/replay/Branches.v")),
    ("replay/Buffers.v", include_str!("../../../proofs/replay/Buffers.v")),
    ("replay/Carrying.v", include_str!("../../../proofs/replay/Carrying.v")),
    ("replay/Reshapes.v", include_str!("../../../proofs/replay/Reshapes.v")),
    ("replay/Updated.v", include_str!("../../../proofs/replay/Updated.v")),
    ("replay/Turns.v", include_str!("../../../proofs/replay/Turns.v")),
    ("replay/Iterations.v", include_str!("../../../proofs/replay/Iterations.v")),
    ("replay/Replay.v", include_str!("../../../proofs/replay/Replay.v")),
];
