//! Proof files: a theorem written out, so that whoever receives it need not believe who made it.
//!
//! `docs/book/src/proof-format.md` says what a file holds and what a checker must refuse; this crate is one
//! implementation of that page. [`write()`] writes a theorem with a header for people, [`read`] makes a [`ProofFile`] of a
//! text, and [`check`] replays its inferences, each by the kernel function of that name, and compares what they prove
//! with what the file claims.
//!
//! Nothing here is trusted for proofs: the result of a check is the kernel's theorem. What this crate answers for is that the claim
//! of the file is the theorem's, that a context is well-formed, and that no file whatever makes it crash: the
//! limits of the format's page are kept *before* the kernel sees a term or a certificate. It knows no surface
//! language; the header's texts are the driver's.
//!
//! Reading order: `file` (what a file is), `words` and `read`, `write`, `replay`; `measure`, `extents` and `vet` hold the limits.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod error;
mod extents;
mod file;
mod limits;
mod measure;
mod names;
mod read;
mod replay;
mod section;
mod vet;
mod words;
mod write;

pub use error::{CheckError, ReadError, WriteError};
pub use file::{Counts, Header, ProofFile};
pub use limits::BYTES as MAX_BYTES;
pub use read::read;
pub use replay::check;
pub use section::{Section, quoted};
pub use write::write;

/// Work on a thread whose stack fits terms and proofs as deep as the format allows.
///
/// # Panics
/// The work does, or the system has no memory for a thread.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(limits::STACK).spawn_scoped(scope, work);
        let thread = thread.expect("the system has memory for a thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
