//! Artefacts for other programs: C source, header, libraries, an example of their use, and the evidence.
//!
//! [`build`] writes into a folder, for a kernel `NAME`:
//!
//! | file | what |
//! |---|---|
//! | `NAME.c`, `NAME.h` | the source and the declarations |
//! | `libNAME.a`, `libNAME.so` | the libraries, where there is a C compiler |
//! | `NAME.md` | how to call it: parameters, shapes, status codes, how to link |
//! | `example_NAME.c` | a program that calls it |
//! | `NAME.atlp` | the proof that the function equals what was compiled; `atl verify` checks it |
//! | `NAME.certificate.txt` | the theorem, how it was derived, and what was shown before lowering |
//!
//! The libraries are made with `-march=native`: they are for this machine's kind of processor. The source is
//! for all.

mod example;
mod libraries;
mod manual;

pub use atl_call::backends::cuda;

use crate::proof::Evidence;
use crate::schema::schema;
use atl_backend_c::{CSource, c_type};
use atl_call::backends::c;
use atl_call::validate::{Validation, Verdict};
use atl_diag::{Diagnostic, err};
use atl_kernel::Scalar;
use atl_loops::Access;
use atl_report::explain::Explanation;
use atl_report::performance_warnings;
use atl_runtime::cc::{Compiler, OPENMP_FLAG, default_cache};
use atl_session::Failure;
use atl_session::{Lowered, Scheduled};
use libraries::Libraries;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// What was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// Every file, in the order of the table above.
    pub files: Vec<PathBuf>,
    /// What a call looks like, for programs that load the library.
    pub signature: serde_json::Value,
    /// The command, to be given in the folder, that compiles and links the example; none without a compiler.
    pub link: Option<String>,
    /// What the second checker has seen of the loops in the proof file, and of the C text.
    pub evidence: Evidence,
    /// What was left out, a sentence each.
    pub notes: Vec<String>,
    /// What the schedule marks and C does not carry out; what the compiler does wrong.
    pub remarks: Vec<Diagnostic>,
    /// What comparing the libraries' code with the interpreter of loops has shown.
    pub verdict: Verdict,
}

/// What the texts speak of.
pub(crate) struct Artefact<'a> {
    lowered: &'a Lowered,
    source: CSource,
    openmp: bool,
    evidence: &'a Evidence,
}

impl Artefact<'_> {
    /// The parameters: name, C type, shape in the function's sizes.
    fn parameters(&self) -> Vec<Parameter> {
        let signature = &self.lowered.signature;
        // Of a result in a format there are several arrays, whose types are not the result's.
        let results = signature.results().map(|result| &result.memory_ty);
        let types = signature.arrays.iter().map(|array| &array.ty).chain(results);
        let types = types.chain(std::iter::repeat(&signature.result.memory_ty));
        let params = self.lowered.kernel.params.iter().zip(types);
        params
            .map(|(p, ty)| {
                let role = match p.access {
                    Access::Read => Role::Read,
                    Access::Write | Access::Stream => Role::Written,
                    Access::Append => Role::Appended,
                };
                let ty = match role {
                    Role::Appended => format!("{}[..]", p.scalar),
                    _ => ty.clone(),
                };
                let over = p.over.as_ref().map(ToString::to_string);
                Parameter {
                    name: p.name.to_string(),
                    c_type: c_type(p.scalar),
                    scalar: p.scalar,
                    ty,
                    role,
                    over,
                }
            })
            .collect()
    }

    /// The command that links the example against the static library.
    fn link(&self, compiler: &str) -> String {
        let name = &self.source.declaration.function;
        let openmp = if self.openmp { format!(" {OPENMP_FLAG}") } else { String::new() };
        format!("{compiler} -O2 example_{name}.c lib{name}.a -o example_{name} -lm{openmp}")
    }
}

/// A parameter of the C function.
struct Parameter {
    name: String,
    c_type: &'static str,
    scalar: Scalar,
    ty: String,
    role: Role,
    /// The parameter that may be given the same array.
    over: Option<String>,
}

/// What a function does with an array.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Read,
    Written,
    /// Makes room for it and fills it.
    Appended,
}

/// Builds a function under its schedule into a folder, which is made if it is missing. The libraries' code is
/// compared with the interpreter of loops first, if `validation` says so.
///
/// # Errors
/// The folder cannot be written, or the C compiler fails, or makes wrong code by any flags.
pub fn build(
    scheduled: &Scheduled,
    folder: impl AsRef<Path>,
    validation: Validation,
) -> Result<Built, Failure> {
    let lowered = scheduled.lower()?;
    let cache = default_cache();
    let compiler = Compiler::find();
    let openmp = compiler.is_ok() && c::wants_openmp(&lowered, &cache);
    let options = c::printer_options(lowered.rounding, openmp);
    let name = &lowered.function.name;
    let not_made = |what: &str, why: String| {
        let d = err!(E0603, "the back end `c` did not {what} `{name}`");
        Failure::new(&lowered.sources, d.note(why).help("please report this with the program"))
    };
    let source = c::source(&lowered, &options).map_err(|why| not_made("print", why))?;
    let libraries = match &compiler {
        Ok(_) => libraries::checked(&lowered, &source, &options, validation)?,
        Err(why) => Libraries::none(format!("no libraries were made: {why}")),
    };
    let source = CSource { flags: libraries.flags.clone().unwrap_or(source.flags), ..source };
    let (proof, evidence) =
        crate::proof::certificate_with_loops(scheduled, &lowered, Some((&source.c, validation)))?;
    let artefact = Artefact { lowered: &lowered, source, openmp, evidence: &evidence };
    let link = compiler.as_ref().ok().map(|compiler| artefact.link(&compiler.command()));

    let mut folder = Folder { path: folder.as_ref().to_owned(), lowered: &lowered, files: Vec::new() };
    folder.make()?;
    let c_name = artefact.source.declaration.function.clone();
    folder.write(&format!("{c_name}.c"), artefact.source.c.as_bytes())?;
    folder.write(&format!("{c_name}.h"), artefact.source.declaration.header().as_bytes())?;
    for (library, ending) in &libraries.files {
        folder.copy(library, &format!("lib{c_name}.{ending}"))?;
    }
    folder.write(&format!("{c_name}.md"), manual::text(&artefact).as_bytes())?;
    folder.write(&format!("example_{c_name}.c"), example::text(&artefact).as_bytes())?;
    folder.write(&format!("{c_name}.atlp"), proof.as_bytes())?;
    for (number, proof) in (1..).zip(crate::proof::windows(&lowered)?) {
        folder.write(&format!("{c_name}.carry{number}.atlp"), proof.as_bytes())?;
    }
    let certificate = Explanation::of(scheduled, &lowered).to_text();
    folder.write(&format!("{c_name}.certificate.txt"), certificate.as_bytes())?;
    let Libraries { notes, verdict, remarks, .. } = libraries;
    let remarks = performance_warnings(&lowered).into_iter().chain(remarks).collect();
    let signature = schema(&lowered.signature, &artefact.source.declaration);
    Ok(Built { files: folder.files, signature, link, evidence, notes, remarks, verdict })
}

/// The folder that is written, and what is in it so far.
struct Folder<'a> {
    path: PathBuf,
    lowered: &'a Lowered,
    files: Vec<PathBuf>,
}

impl Folder<'_> {
    fn make(&self) -> Result<(), Failure> {
        if self.path.is_file() {
            return Err(self.failed(&self.path, &"it is a file, and a folder is wanted"));
        }
        fs::create_dir_all(&self.path).map_err(|why| self.failed(&self.path, &why))
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.path.join(name);
        // A library that a process has loaded stays as it was for that process.
        atl_runtime::replace_file(&path, bytes).map_err(|why| self.failed(&path, &why))?;
        self.files.push(path);
        Ok(())
    }

    fn copy(&mut self, from: &Path, name: &str) -> Result<(), Failure> {
        let bytes = fs::read(from).map_err(|why| self.failed(from, &why))?;
        self.write(name, &bytes)
    }

    fn failed(&self, path: &Path, why: &dyn fmt::Display) -> Failure {
        Failure::new(
            &self.lowered.sources,
            err!(E0610, "cannot write `{}`: {why}", path.display()).help("choose another folder with `-o`"),
        )
    }
}
