//! The flags of the C compiler, and why each is there.
//!
//! One idea: the flags say what the printed code means, and keep compilers away from steps that are known to be wrong. Two
//! lists: [`flags`] for speed, and [`safe_flags`] for whoever has seen the first one give other bits than the interpreter of
//! loops. What a kernel needs besides because of its shape says [`for_shape`].
//!
//! **Masked loads of several lanes.** GCC (11, 12, and 13 before 13.3) turns a read that stands under a condition into a
//! masked load. Where several such reads of one loop body become the lanes of one group, which takes an inner loop of
//! constant count that is unrolled, or several statements, it goes wrong in two ways: all vectors of a group take the mask
//! of the first one, and a permutation of a group is dropped. Both need masked loads, which its if-conversion alone makes,
//! and groups, which loops form by several stores or reductions and blocks of straight code by the pass
//! `slp-vectorize`. So there are no groups of them if the pass is off, and none at all without if-conversion.

use crate::conditional::{Conditional, conditional};
use crate::{Options, Rounding};
use atl_loops::Kernel;

/// What the compiler may contract.
fn contraction(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::Bitwise | Rounding::Finite => "-ffp-contract=off",
        Rounding::Real => "-ffp-contract=fast",
    }
}

/// The flags with which C means what its kernel means, `-lm` included; those of [`CSource::flags`](crate::CSource::flags)
/// suit the kernel besides.
///
/// `-fno-math-errno` and `-fno-trapping-math` give up the error variable and the exception flags, which no kernel
/// observes; neither changes a value. No flag of the `-ffast-math` family does so little.
pub fn flags(options: &Options) -> Vec<&'static str> {
    let fast = ["-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math"];
    with(options, &fast)
}

/// The flags for a kernel that [`flags`] compile wrongly: little is optimised, nothing becomes vectors that is not printed
/// as vectors, and only instructions that every processor of this kind has are used. At [`Rounding::Real`] the values may
/// differ from those of [`flags`] as that class allows.
pub fn safe_flags(options: &Options) -> Vec<&'static str> {
    let safe = [
        "-O1",
        "-fno-tree-vectorize",
        "-fno-tree-loop-if-convert",
        "-fno-strict-aliasing",
        "-fwrapv",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-Wno-ignored-optimization-argument",
    ];
    with(options, &safe)
}

fn with(options: &Options, optimise: &[&'static str]) -> Vec<&'static str> {
    let mut flags = vec!["-std=gnu11"];
    flags.extend(optimise);
    flags.extend([
        // Helpers on vectors are inlined; how they would be passed does not matter.
        "-Wno-psabi",
        contraction(options.rounding),
        // A kernel may be called like a function of a library that is loaded already.
        "-fno-semantic-interposition",
        "-Wl,-Bsymbolic",
        if options.openmp { "-fopenmp" } else { "-fopenmp-simd" },
        "-lm",
    ]);
    flags
}

/// The flags that the shape of a kernel asks for, beside [`flags`]. Clang does not know one of them, and is told not to mind.
pub(crate) fn for_shape(kernel: &Kernel) -> &'static [&'static str] {
    match conditional(kernel) {
        Conditional::No => &[],
        Conditional::Alone => &["-fno-tree-slp-vectorize"],
        Conditional::InLanes => {
            &["-fno-tree-slp-vectorize", "-fno-tree-loop-if-convert", "-Wno-ignored-optimization-argument"]
        }
    }
}
