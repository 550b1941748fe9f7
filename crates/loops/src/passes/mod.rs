//! Passes over the loop IR: small, named, and none of them needed for meaning.
//!
//! A pass takes a well-formed kernel to a well-formed one that computes the same bits wherever the first one does
//! not trap and there is memory. Decisions about loops are the schedule's; passes only tidy what lowering leaves. The
//! test below runs each of them on random kernels.

mod cache_lines;
mod copies;
mod first_rounds;
mod hoist_scratch;
mod intersections;
mod into_searches;
mod known_sizes;
mod rewrite;
mod row_ends;
mod sequential;
mod simplify_index;
mod table_checks;
mod unroll;
mod unswitch;
mod whole_guards;
mod whole_vectors;

pub use cache_lines::cache_lines;
pub use first_rounds::first_rounds;
pub use hoist_scratch::hoist_scratch;
pub use intersections::intersections;
pub use into_searches::into_searches;
pub use known_sizes::known_sizes;
pub use sequential::sequential;
pub use simplify_index::simplify_index;
pub use table_checks::{table_checks, without_table_checks};
pub use unroll::unroll;
pub use unswitch::unswitch;
pub use whole_guards::{is_for_all, whole_guards};
pub use whole_vectors::{Left, left_as_loops, whole_vectors};

pub(crate) use rewrite::{Rewrite, Substitute, rewrite_bool, rewrite_int, rewrite_stmt, rewrite_val};

use crate::{Int, Kernel, Name};
use simplify_index::Simplify;

/// The index term with this one in the variable's place, simplified.
pub(crate) fn with_value(int: &Int, var: &Name, by: Int) -> Int {
    rewrite_int(&Simplify, &rewrite_int(&Substitute { var: var.clone(), by }, int))
}

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name, that of its file.
    pub slug: &'static str,
    /// What it does.
    pub apply: fn(&Kernel) -> Kernel,
}

/// All passes, in an order in which they are useful.
pub const PASSES: &[Pass] = &[
    Pass { slug: "known_sizes", apply: known_sizes },
    Pass { slug: "simplify_index", apply: simplify_index },
    Pass { slug: "first_rounds", apply: first_rounds },
    Pass { slug: "into_searches", apply: into_searches },
    Pass { slug: "cache_lines", apply: cache_lines },
    Pass { slug: "hoist_scratch", apply: hoist_scratch },
    Pass { slug: "table_checks", apply: table_checks },
    Pass { slug: "unswitch", apply: unswitch },
    Pass { slug: "whole_guards", apply: whole_guards },
    Pass { slug: "whole_vectors", apply: whole_vectors },
    Pass { slug: "unroll", apply: unroll },
    Pass { slug: "intersections", apply: intersections },
];

/// Those that a device's program is given: there are no vectors, and nothing leaves the place where threads share it.
pub const DEVICE_PASSES: &[Pass] = &[
    Pass { slug: "known_sizes", apply: known_sizes },
    Pass { slug: "simplify_index", apply: simplify_index },
];

#[cfg(test)]
mod tests {
    use super::PASSES;
    use crate::Kernel;
    use crate::cases::{
        appending_case, changes_case, early_exit_case, lanes_case, merging_case, mixed_case, random_case,
        searches_case, tiles_case,
    };
    use crate::interp::{Options, interpret};
    use crate::text::parse_kernel;
    use crate::validate::validate;

    /// That a pass makes one body of a kernel with this head into the other.
    pub(super) fn gives(pass: fn(&Kernel) -> Kernel, head: &str, before: &str, after: &str) {
        let kernel = |body: &str| {
            let text = format!("{head} {{ {body} }}");
            parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
        };
        assert_eq!(pass(&kernel(before)).to_string(), kernel(after).to_string());
    }

    #[test]
    fn passes_keep_kernels_well_formed_and_their_results() {
        let cases = (0..300).map(random_case).chain((0..100).map(tiles_case)).chain((0..100).map(lanes_case));
        let cases = cases.chain((0..60).map(appending_case)).chain((0..60).map(mixed_case));
        let cases = cases.chain((0..200).map(searches_case)).chain((0..100).map(merging_case));
        let cases = cases.chain((0..200).map(early_exit_case)).chain((0..60).map(changes_case));
        for (seed, case) in cases.enumerate() {
            let run = |kernel: &Kernel| interpret(kernel, &case.sizes, &case.inputs, Options::default());
            let expected = run(&case.kernel).map(|outputs| format!("{outputs:?}"));
            for pass in PASSES {
                let kernel = (pass.apply)(&case.kernel);
                assert_eq!(validate(&kernel), [], "{}\n{}\n{kernel}", pass.slug, case.kernel);
                let found = run(&kernel).map(|outputs| format!("{outputs:?}"));
                assert_eq!(found, expected, "{}, seed {seed}\n{}\n{kernel}", pass.slug, case.kernel);
                assert_eq!((pass.apply)(&kernel), kernel, "{} twice, seed {seed}", pass.slug);
            }
        }
    }
}
