//! Turning C source into artefacts with the machine's own compiler.
//!
//! One idea: an artefact is a function of everything that goes into it: the source, the flags, the compiler and its
//! version, the processor and the environment variables a compiler reads. That text is its key; the cache keeps artefacts
//! under the key's hash, with the whole key beside them to be compared (see `cache`), so asking again is cheap and never
//! yields the artefact of something else.
//!
//! Whether an artefact does what its C says is found out elsewhere, and kept here (see `verdict`); so are other texts (see `kept`). A
//! compiler that does not come back is stopped (see `limits`). What the C means, and the name and type of its entry, belong to the back end that printed it; loading is in [`crate::LoadedKernel`].

mod cache;
mod compiler;
mod identity;
mod kept;
mod limits;
mod openmp;
mod own;
mod verdict;

pub use cache::default_cache;
pub use compiler::{Artefact, CompileError, Compiler};
pub use kept::{keep, kept};
pub use limits::compiler_limit;
pub use openmp::{OPENMP_FLAG, supports_openmp};
pub use own::{note as cache_note, remove as remove_own_cache};
pub use verdict::{keep_verdict, verdict, write_beside};

use std::path::{Path, PathBuf};

/// Compiles a shared library with the machine's compiler, or finds it in `cache`.
pub fn compile_shared(source: &str, flags: &[String], cache: &Path) -> Result<PathBuf, CompileError> {
    Compiler::find()?.compile(Artefact::Shared, source, flags, cache)
}

/// Compiles an object file with the machine's compiler, or finds it in `cache`.
pub fn compile_object(source: &str, flags: &[String], cache: &Path) -> Result<PathBuf, CompileError> {
    Compiler::find()?.compile(Artefact::Object, source, flags, cache)
}

/// Compiles a static library with the machine's compiler, or finds it in `cache`.
pub fn build_static(source: &str, flags: &[String], cache: &Path) -> Result<PathBuf, CompileError> {
    Compiler::find()?.compile(Artefact::Static, source, flags, cache)
}
