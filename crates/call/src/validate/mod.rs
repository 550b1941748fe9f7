//! Checked compilation: no compiler is believed.
//!
//! **The one idea.** What a kernel means is known without its machine code: the interpreter of loops carries
//! it out. So the first time that a kernel is compiled on a machine, both are called with the same made-up
//! arguments, and compared bit for bit. The verdict is kept beside the artefact, and asked of the cache from
//! then on.
//!
//! Made-up arguments satisfy the function's preconditions ([`arguments`]), at sizes that break things
//! ([`plan`]): none, one, a few, and more than any tile, vector or unrolling of the kernel has. How much the
//! interpreter does is counted and bounded ([`WORK`]); where that is not enough for larger sizes, the
//! embedded back end, once it has shown that it agrees at smaller ones, says what is right there.
//!
//! Code that differs is compiled again with flags that ask for little; if that differs as well, the embedded
//! back end serves. Either way the user is told ([`Standing`]), and given a program in C that shows the fault
//! ([`report`]).
//!
//! What this does not do: it tries a few arguments, so it finds what goes wrong at many; and machine code
//! that ends the process when it is called ends it here.

mod arguments;
mod guarded;
mod numbers;
mod plan;
mod report;
mod serve;
mod sizes;
mod standing;
mod trial;

pub(crate) use serve::serve;
pub use standing::{Instead, Standing, Verdict};

/// Is machine code compared with the interpreter of loops when it is made?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Validation {
    /// It is, once for each artefact.
    #[default]
    Check,
    /// It is believed.
    Skip,
}

/// How many steps the interpreter takes for all calls of a kernel together, at most: some 30 ms.
const WORK: u64 = 100_000;

/// How many steps it takes for one call of a kernel that could be compared at no sizes otherwise: what a C
/// compiler needs seconds for.
const WORK_AT_LEAST: u64 = 10 * WORK;
