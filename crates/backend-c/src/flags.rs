//! The flags of the C compiler, and why each is there.
//!
//! One idea: the flags say what the printed code means, and keep compilers away from steps that are
//! known to be wrong. Two lists: [`flags`] for speed, and [`safe_flags`] for a kernel whose code by the
//! first list gives other bits than the interpreter of loops. What a kernel needs besides because of its
//! shape says [`of_kernel`].
//!
//! **Masked loads of several lanes.** GCC (11, 12, and 13 before 13.3) turns a read that stands under a
//! condition into a masked load. Where several such reads of one loop body become the lanes of one
//! group, which takes an inner loop of constant count that is unrolled, or several statements, it goes
//! wrong in two ways: all vectors of a group take the mask of the first one, and a permutation of a
//! group is dropped. Both need masked loads, which its if-conversion alone makes, so there are none
//! without it. Only kernels that may form such groups go without: elsewhere it is worth much, and so is
//! the vectorisation of blocks of straight code, without which single programs take up to four times as
//! long. `benches/results/flags.json` has the figures.
//!
//! **Integers between floats.** GCC 12 takes `(float)(int)x` for the function `trunc`, which gives
//! `-0.0` where `x` lies between -1 and 0 and the program says `0.0`. It does so under
//! `-fno-trapping-math` only, so kernels that convert there and back go without that flag.
//!
//! **Narrow floats between wide ones.** GCC (11, 12) takes `(double)(float)x` for `x` where several such
//! conversions become the lanes of one group in straight code, as those of a short loop that is
//! unrolled: 0.1 stays 0.1, and 1e300 is not infinite. So kernels that convert there and back go without
//! that vectorisation.
//!
//! **Signed sums side by side.** GCC 12 takes lanes of a vector for sums of which it has not added up the
//! lanes yet, where several signed sums are one group (`converted_sums`). So such kernels go without
//! vectors of loops that are not marked.
//!
//! **Products and sums.** GCC fuses some at `-ffp-contract=off`, and no flag prevents it: `rounded` says
//! how the text does.
//!
//! **Sums that wait for themselves.** Where all that could be fused are products added to one variable
//! each, fusing them makes each addition wait longer (`chains`), so such kernels are compiled without.
//!
//! **Cells that are read again.** Where an iteration over vectors uses many cells of memory several
//! times, GCC reads them each time (`reread`), but for instructions that are put in order before
//! registers are assigned.
//!
//! **Gathers.** GCC makes vectors of loops that read where arrays say, which takes longer (`gathers`).
//!
//! **Loops of a few instructions.** Where one lies across two lines of the instruction cache, a product with a
//! sparse matrix takes a tenth longer. So loops begin at multiples of 32 bytes where they look something up.
//!
//! **What costs time and gains none.** Half of what GCC does at `-O3` is for loops that are not vectors
//! yet. Kernels go without [`THREADED`]: jumps are seldom threaded to any use, and the copies of paths that
//! it makes are compiled over again. Where no long loop is left to be made vectors of (`automatic`), GCC
//! does not look for any.
//!
//! **Flags of the user's own.** `$CC` may be `gcc -ffast-math`. What that asks for is taken back first,
//! the code too that is linked with it and has denormal numbers become zero in the whole process.
//! `runtime` makes sure of the latter when a library is loaded.
//!
//! Flags that begin with `-fno-tree-` or `-fno-ipa-`, [`ORDERED`], [`THREADED`], [`SEARCHES`] and
//! [`ONE_REGION`] are GCC's: `Compiler::accepted` leaves them out for other compilers.

use crate::automatic::has_automatic_vectors;
use crate::chains::has_chains_alone;
use crate::conditional::has_conditional_lanes;
use crate::converted_sums::has_converted_sums;
use crate::gathers::{gathers, looks_up};
use crate::reread::rereads;
use crate::unrolling::weight;
use crate::{Options, Rounding};
use atl_loops::{Kernel, Scalar, Stmt, Val};

/// Exception flags are of no interest.
const NO_TRAPS: &str = "-fno-trapping-math";

/// Instructions are put in order before registers are assigned, too.
const ORDERED: &str = "-fschedule-insns";

/// Paths through several conditions are no copies of their blocks.
const THREADED: &str = "-fno-thread-jumps";

/// The compiler makes vectors only of loops that are marked.
const MARKED: &str = "-fno-tree-loop-vectorize";

/// Loops begin at multiples of 32 bytes.
const ALIGNED: &str = "-falign-loops=32";

/// What finds little in loops that are printed as vectors, with guards split off: constants and ranges that
/// are in the text already, tests that do not depend on the loop, many ways to count, common parts of
/// blocks, and what functions have in common.
const SEARCHES: [&str; 13] = [
    "-fno-tree-ccp",
    "-fno-tree-vrp",
    "-fno-unswitch-loops",
    "-fno-split-loops",
    "--param=iv-consider-all-candidates-bound=10",
    "-fno-gcse",
    "-fno-crossjumping",
    "-fno-rerun-cse-after-loop",
    "-fno-ipa-cp",
    "-fno-ipa-sra",
    "-fno-ipa-icf",
    "-fno-ipa-pure-const",
    "-fno-partial-inlining",
];

/// Registers are assigned to the whole function at once.
const ONE_REGION: &str = "-fira-region=one";

/// The weight from which a kernel goes without [`SEARCHES`], and from which it has [`ONE_REGION`].
const LARGE: u64 = 80;
const LARGEST: u64 = 400;

/// What the compiler may contract.
fn contraction(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::Bitwise | Rounding::Finite => "-ffp-contract=off",
        Rounding::Real => "-ffp-contract=fast",
    }
}

/// The flags with which C means what its kernel means, `-lm` included; those of
/// [`CSource::flags`](crate::CSource::flags) suit the kernel besides.
///
/// `-fno-math-errno` and `-fno-trapping-math` give up the error variable and the exception flags, which
/// no kernel observes; neither changes a value. No flag of the `-ffast-math` family does so little.
pub fn flags(options: &Options) -> Vec<&'static str> {
    with(options, &["-O3", "-march=native", "-fno-math-errno", NO_TRAPS, THREADED])
}

/// The flags for a kernel that [`flags`] compile wrongly: little is optimised, nothing becomes vectors
/// that is not printed as vectors, no operations are fused, and only instructions that every processor
/// of this kind has are used. At [`Rounding::Real`] the values may differ from those of [`flags`] as
/// that class allows.
pub fn safe_flags(options: &Options) -> Vec<&'static str> {
    let safe = [
        "-O1",
        "-fno-tree-vectorize",
        "-fno-tree-loop-if-convert",
        "-fno-strict-aliasing",
        "-fwrapv",
        "-fno-math-errno",
    ];
    uncontracted(&with(options, &safe))
}

/// These flags, but that no operations are fused: code that gives the bits of its loops at
/// [`Rounding::Real`], too.
pub fn uncontracted(flags: &[&'static str]) -> Vec<&'static str> {
    let (fused, rounded) = (contraction(Rounding::Real), contraction(Rounding::Bitwise));
    flags.iter().map(|flag| if *flag == fused { rounded } else { flag }).collect()
}

fn with(options: &Options, optimise: &[&'static str]) -> Vec<&'static str> {
    let mut flags = vec!["-std=gnu11", "-fno-fast-math", "-fno-unsafe-math-optimizations"];
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

/// The flags for this kernel: those of [`flags`], but for what its shape asks for.
pub(crate) fn of_kernel(kernel: &Kernel, options: &Options) -> Vec<&'static str> {
    let mut flags = flags(options);
    if converts_there_and_back(kernel, |wide, narrow| wide.is_float() && !narrow.is_float()) {
        flags.retain(|flag| *flag != NO_TRAPS);
    }
    if converts_there_and_back(kernel, |wide, narrow| wide == Scalar::F64 && narrow == Scalar::F32) {
        flags.push("-fno-tree-slp-vectorize");
    }
    if has_chains_alone(kernel) {
        let fused = contraction(Rounding::Real);
        flags
            .iter_mut()
            .filter(|flag| **flag == fused)
            .for_each(|flag| *flag = contraction(Rounding::Bitwise));
    }
    if has_conditional_lanes(kernel) {
        flags.push("-fno-tree-loop-if-convert");
    }
    let is_vectors = !has_automatic_vectors(kernel);
    if gathers(kernel) || is_vectors || has_converted_sums(kernel) {
        flags.push(MARKED);
    }
    if looks_up(kernel) {
        flags.push(ALIGNED);
    }
    let weight = weight(kernel);
    if is_vectors && weight >= LARGE {
        flags.extend(SEARCHES);
    }
    if is_vectors && weight >= LARGEST {
        flags.push(ONE_REGION);
    }
    if rereads(kernel) {
        flags.push(ORDERED);
    }
    flags
}

/// Are numbers of one type made numbers of another, and such numbers those of the first?
fn converts_there_and_back(kernel: &Kernel, loses: fn(Scalar, Scalar) -> bool) -> bool {
    let (types, mut there, mut back) = (kernel.buffer_types(), false, false);
    kernel.body.for_each(&mut |stmt| {
        let (Stmt::Store { value, .. } | Stmt::Push { value, .. }) = stmt else { return };
        value.for_each(&mut |part| {
            let Val::Convert { to, val } = part else { return };
            let Some(from) = val.scalar_type(&types) else { return };
            there |= loses(from, *to);
            back |= loses(*to, from);
        });
    });
    there && back
}
