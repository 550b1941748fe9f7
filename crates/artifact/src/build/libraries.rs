//! The libraries of a built kernel: compiled once, and compared with the interpreter of loops before they are
//! given away.
//!
//! One idea: what goes into the folder is what would be run here. So the kernel is compiled as it is to be
//! called; where its code is wrong, the libraries are those of safe flags, and where that is wrong as well
//! there are none.

use atl_backend_c::{CSource, TOO_HEAVY, safe_flags, uncontracted, weight};
use atl_call::Compile;
use atl_call::backends::{Options, c};
use atl_call::validate::{Instead, Validation, Verdict};
use atl_diag::{Diagnostic, err};
use atl_runtime::cc::{CompileError, build_static, compile_shared, default_cache};
use atl_session::Failure;
use atl_session::Lowered;
use std::path::PathBuf;

/// What was made, and what is known of it.
pub(super) struct Libraries {
    /// Each file, with the ending of its name.
    pub(super) files: Vec<(PathBuf, &'static str)>,
    /// The flags, where they are not the usual ones.
    pub(super) flags: Option<Vec<&'static str>>,
    pub(super) notes: Vec<String>,
    pub(super) verdict: Verdict,
    pub(super) remarks: Vec<Diagnostic>,
}

impl Libraries {
    /// None, for this reason.
    pub(super) fn none(note: String) -> Libraries {
        let (files, remarks) = (Vec::new(), Vec::new());
        Libraries { files, flags: None, notes: vec![note], verdict: Verdict::Unasked, remarks }
    }
}

/// The libraries of a kernel.
///
/// # Errors
/// The compiler fails, or makes wrong code by any flags.
pub(super) fn checked(
    lowered: &Lowered,
    source: &CSource,
    options: &atl_backend_c::Options,
    validation: Validation,
) -> Result<Libraries, Failure> {
    let name = &lowered.function.name;
    let failed = |why: CompileError| {
        let d = err!(E0603, "the back end `c` did not compile `{name}`");
        Failure::new(&lowered.sources, d.note(why.to_string()).help("please report this with the program"))
    };
    let too_long = |why: String| Libraries::none(format!("no libraries were made: {why} (E0616)"));
    let heavy = weight(&lowered.kernel);
    if heavy > TOO_HEAVY {
        return Ok(too_long(format!("the C compiler would be given {heavy} statements")));
    }
    let mut library = match made(source, &source.flags) {
        Ok(library) => library,
        Err(why @ CompileError::TooLong { .. }) => return Ok(too_long(why.to_string())),
        Err(why) => return Err(failed(why)),
    };
    // Its library is there: this is to compare it.
    let kernel = lowered.compile(&c::BACKEND, Options { validation, ..Options::default() })?;
    let standing = kernel.standing();
    let mut flags = None;
    match &standing.instead {
        None => {}
        Some(instead @ (Instead::Uncontracted | Instead::SafeFlags(_))) => {
            let others = match instead {
                Instead::Uncontracted => uncontracted(&source.flags),
                _ => safe_flags(options),
            };
            library = made(source, &others).map_err(failed)?;
            flags = Some(others);
        }
        Some(Instead::Embedded(_) | Instead::TooLong(_)) => {
            let d = err!(
                E0615,
                lowered.function.span,
                "the C compiler makes wrong code of `{name}`, by safe flags as well"
            )
            .label("this function");
            // Nothing serves in place of a library: only what differs is told.
            let told =
                kernel.performance_warnings().into_iter().flat_map(|remark| remark.notes.into_iter().take(1));
            let d = told.fold(d, |d, note| d.note(note));
            return Err(Failure::new(
                &lowered.sources,
                d.help("build it by another compiler, as with `CC=clang`"),
            ));
        }
    }
    let notes = match &standing.verdict {
        Verdict::Unasked => Vec::new(),
        verdict => vec![format!("the libraries' code {verdict}")],
    };
    Ok(Libraries {
        files: library,
        flags,
        notes,
        verdict: standing.verdict.clone(),
        remarks: kernel.performance_warnings(),
    })
}

/// Both libraries: the second is linked of the object that the first one holds.
fn made(source: &CSource, flags: &[&'static str]) -> Result<Vec<(PathBuf, &'static str)>, CompileError> {
    let (cache, flags) = (default_cache(), flags.iter().copied().map(String::from).collect::<Vec<_>>());
    let archive = build_static(&source.c, &flags, &cache)?;
    Ok(vec![(archive, "a"), (compile_shared(&source.c, &flags, &cache)?, "so")])
}
