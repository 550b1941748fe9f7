//! Kernels compiled by every C compiler of the machine, against the bits that they must give.
//!
//! One idea: many kernels go into one program, which runs in a process of its own: it reads arguments and
//! expected results from a file, calls each kernel on memory with a margin, and prints the numbers of those
//! that differ. So the compiler is called once for many kernels, a crash is one more answer, and nothing
//! unsafe is needed here.

use atl_backend_c::CSource;
use atl_kernel::Scalar;
use atl_runtime::cc::{Compiler, OPENMP_FLAG};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// The compilers that are looked for by a name without a version.
const NAMES: [&str; 3] = ["cc", "gcc", "clang"];

/// The versions that are looked for: what distributions have, and some to come.
const VERSIONS: [(&str, RangeInclusive<u32>); 2] = [("gcc", 11..=18), ("clang", 14..=24)];

/// The program around the kernels.
const DRIVER: &str = include_str!("trials.c");

/// A call of a kernel, and what it must give.
#[derive(Clone, Debug)]
pub struct Call {
    /// The sizes.
    pub sizes: Vec<i64>,
    /// The bytes of the inputs.
    pub inputs: Vec<Vec<u8>>,
    /// The bytes of the result.
    pub expected: Vec<u8>,
    /// The type of the result's elements; of floats all NaN are one.
    pub elem: Scalar,
}

/// A kernel that is to be tried.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Its source; its name is its own.
    pub source: CSource,
    /// The calls.
    pub calls: Vec<Call>,
}

/// The C compilers of this machine, each once; the one that is used comes first.
pub fn compilers() -> Vec<Compiler> {
    let mut known = BTreeSet::new();
    // What a compiler says begins with the name by which it was called.
    let version = |c: &Compiler| c.version().split_once(' ').map(|(_, version)| version.to_owned());
    let used = Compiler::find().ok().cloned();
    let versions = VERSIONS.into_iter().flat_map(|(name, of)| of.map(move |k| format!("{name}-{k}")));
    let named =
        NAMES.into_iter().map(str::to_owned).chain(versions).filter_map(|name| Compiler::named(&name));
    used.into_iter().chain(named).filter(|c| known.insert(version(c))).collect()
}

/// The numbers of the trials in which this compiler's code differs, with these flags for each.
///
/// # Errors
/// The compiler fails, or its code crashes; the text says after which trial.
pub fn differing(
    compiler: &Compiler,
    trials: &[Trial],
    flags: impl Fn(&CSource) -> Vec<&'static str>,
) -> Result<BTreeSet<usize>, String> {
    let folder = Folder::new()?;
    let mut by_flags: BTreeMap<Vec<&'static str>, Vec<&str>> = BTreeMap::new();
    for trial in trials {
        by_flags.entry(flags(&trial.source)).or_default().push(&trial.source.c);
    }
    let mut objects = Vec::new();
    for (k, (flags, texts)) in by_flags.iter().enumerate() {
        let (code, object) = (
            folder.write(&format!("kernels_{k}.c"), joined(texts).as_bytes())?,
            folder.0.join(format!("kernels_{k}.o")),
        );
        let flags = flags.iter().copied().filter(|flag| !flag.starts_with("-Wl,") && *flag != "-lm");
        let flags = compiler.accepted(flags);
        run(compiler.invocation().args(["-w", "-c"]).args(flags).arg("-o").arg(&object).arg(&code))?;
        objects.push(object);
    }
    let driver = folder.write("driver.c", driver(trials).as_bytes())?;
    let (calls, program) = (folder.write("calls", &calls(trials))?, folder.0.join("driver"));
    let threads = by_flags.keys().flatten().any(|flag| *flag == OPENMP_FLAG).then_some(OPENMP_FLAG);
    run(compiler
        .invocation()
        .args(["-w", "-O1", "-o"])
        .arg(&program)
        .args(threads)
        .arg(&driver)
        .args(&objects)
        .arg("-lm"))?;
    let found = run(Command::new(&program).arg(&calls))?;
    found.lines().map(|line| line.trim().parse().map_err(|_| format!("`{line}` is no number"))).collect()
}

/// The texts in one file. Their helpers are the same, and each is said once.
fn joined(texts: &[&str]) -> String {
    let (mut said, mut all) = (BTreeSet::new(), String::new());
    for part in texts.iter().flat_map(|text| text.split("\n\n")) {
        let part = part.trim_matches('\n');
        if said.insert(part) {
            all += part;
            all += "\n\n";
        }
    }
    all
}

fn driver(trials: &[Trial]) -> String {
    let (mut declared, mut table) = (String::new(), String::new());
    for trial in trials {
        // Writing to a string does not fail.
        let _ = writeln!(
            declared,
            "int32_t {}(const int64_t *, void *const *);",
            trial.source.declaration.trampoline
        );
        let _ = writeln!(table, "  {},", trial.source.declaration.trampoline);
    }
    format!(
        "#include <stdint.h>\n{declared}\nstatic int32_t (*const kernels[])(const int64_t *, void *const *) = {{\n{table}}};\n\n{DRIVER}"
    )
}

/// The calls as `atl` reads them: numbers of 64 bits, and bytes after their length.
fn calls(trials: &[Trial]) -> Vec<u8> {
    let mut file = Vec::new();
    let number = |file: &mut Vec<u8>, n: usize| file.extend((n as i64).to_ne_bytes());
    for (k, trial) in trials.iter().enumerate() {
        for call in &trial.calls {
            let head = [k, call.elem.size(), infinity(call.elem), call.sizes.len()];
            head.iter().for_each(|n| number(&mut file, *n));
            call.sizes.iter().for_each(|n| file.extend(n.to_ne_bytes()));
            number(&mut file, call.inputs.len());
            for bytes in call.inputs.iter().chain([&call.expected]) {
                number(&mut file, bytes.len());
                file.extend(bytes);
            }
        }
    }
    file
}

/// The bits of a float type's infinity, below which its numbers are and above which NaN; 0 of others.
fn infinity(scalar: Scalar) -> usize {
    match scalar {
        Scalar::F16 => 0x7c00,
        Scalar::BF16 => 0x7f80,
        Scalar::F32 => 0x7f80_0000,
        Scalar::F64 => 0x7ff0_0000_0000_0000,
        _ => 0,
    }
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let (said, found) = (said.lines().take(20), String::from_utf8_lossy(&output.stdout).into_owned());
    Err(format!("{command:?} ended with {}: {}\n{found}", output.status, said.collect::<Vec<_>>().join("\n")))
}

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("atl-trials-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Folder(path))
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf, String> {
        let path: &Path = &self.0;
        let path = path.join(name);
        fs::write(&path, content).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on the removal.
        let _ = fs::remove_dir_all(&self.0);
    }
}
