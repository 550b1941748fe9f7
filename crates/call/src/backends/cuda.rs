//! The text for a device: loops with blocks and threads, as CUDA C++.
//!
//! Nothing is compiled: the file is for `nvcc`, or for a run-time compiler. It has the host's function, too,
//! and says how it is called.

use atl_backend_cuda::{CudaSource, print_kernel};
use atl_diag::err;
use atl_kernel::Rounding;
use atl_schedule::nest::{Sort, binders, qualified};
use atl_session::Failure;
use atl_session::{Lowered, Scheduled};
use std::collections::BTreeSet;
use std::path::Path;

/// The text of a program.
///
/// # Errors
/// No loop is marked as blocks or threads, or the loops are no program for a device.
pub fn source(lowered: &Lowered) -> Result<CudaSource, Failure> {
    let name = &lowered.function.name;
    let refused = |why: &str, help: &str| {
        let d = err!(E0604, lowered.span, "`{name}` is no program for a device: {why}");
        Failure::new(&lowered.sources, d.label("as it is scheduled here").help(help))
    };
    let Some(kernel) = &lowered.device else {
        let gens = binders(&lowered.body).into_iter().filter(|place| place.sort == Sort::Gen);
        let gens: BTreeSet<String> =
            gens.map(|place| format!("`{}`", qualified(&lowered.body, &place))).collect();
        let marks = "`blocks L`, `threads L` and `store X in shared` in a schedule say what runs where";
        let help = match gens.is_empty() {
            true => marks.to_owned(),
            false => format!("{marks}; L may be {}", Vec::from_iter(gens).join(", ")),
        };
        return Err(refused("no loop is marked as its blocks or threads", &help));
    };
    let rounding = match lowered.rounding {
        Rounding::Bitwise | Rounding::Finite => atl_backend_cuda::Rounding::Exact,
        Rounding::Real => atl_backend_cuda::Rounding::Fused,
    };
    print_kernel(kernel, rounding).map_err(|refusal| refused(&refusal.why, refusal.help))
}

/// Writes the text of a scheduled program to a file.
///
/// # Errors
/// There is none, or the file cannot be written.
pub fn build(scheduled: &Scheduled, file: impl AsRef<Path>) -> Result<(), Failure> {
    let lowered = scheduled.lower()?;
    let source = source(&lowered)?;
    let file = file.as_ref();
    atl_runtime::replace_file(file, source.text.as_bytes()).map_err(|why| {
        Failure::new(
            &lowered.sources,
            err!(E0610, "cannot write `{}`: {why}", file.display()).help("choose another file with `-o`"),
        )
    })
}
