//! The C compiler: finding it, knowing which one it is, and running it.
//!
//! One idea: `$CC` if it is set and nothing else, so that a wrong setting is an error and not silently another compiler;
//! otherwise the first of `cc`, `gcc`, `clang` that answers. `$CC` may carry arguments (`ccache gcc`). The compiler is
//! looked for once in a process.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use std::{env, fmt, fs, io};

use super::limits::{Ended, compiler_limit};
use super::{cache, identity, limits};

/// The compilers tried when `$CC` is not set.
const CANDIDATES: [&str; 3] = ["cc", "gcc", "clang"];

/// Environment variables by which a compiler finds headers and libraries, beside its flags.
const ENVIRONMENT: [&str; 5] =
    ["CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH"];

/// Flags that other compilers than GCC have not.
const OF_GCC: [&str; 8] = [
    "-fno-crossjumping",
    "-fno-gcse",
    "-fno-partial-inlining",
    "-fno-rerun-cse-after-loop",
    "-fno-split-loops",
    "-fno-thread-jumps",
    "-fno-unswitch-loops",
    "-fschedule-insns",
];

/// How other flags begin that other compilers have not.
const OF_GCC_BEGIN: [&str; 4] = ["-fno-tree-", "-fno-ipa-", "-fira-", "--param="];

/// The files of a build: the source, and the object where there is one.
const SOURCE: &str = "kernel.c";
const OBJECT_NAME: &str = "kernel.o";

/// What to make of C source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Artefact {
    /// A library to be loaded at run time.
    Shared,
    /// A library to be linked into a program.
    Static,
    /// One object file.
    Object,
}

impl Artefact {
    /// The name of the file.
    pub fn file_name(self) -> &'static str {
        match self {
            Artefact::Shared => "kernel.so",
            Artefact::Static => "libkernel.a",
            Artefact::Object => OBJECT_NAME,
        }
    }

    /// The flags that make this kind of artefact.
    fn flags(self) -> &'static [&'static str] {
        match self {
            Artefact::Shared => &["-shared", "-fPIC"],
            Artefact::Object => &["-c", "-fPIC"],
            Artefact::Static => &[],
        }
    }
}

/// Why there is no artefact.
#[derive(Clone, Debug)]
pub enum CompileError {
    /// No C compiler was found.
    NoCompiler {
        /// The commands that were tried, each with its reason.
        tried: Vec<String>,
    },
    /// The compiler refused the source.
    Failed {
        /// The command line.
        command: String,
        /// What the compiler wrote on its error stream.
        stderr: String,
    },
    /// The compiler did not come back in time, and was stopped.
    TooLong {
        /// The command line.
        command: String,
        /// How long it was waited for.
        limit: Duration,
    },
    /// It ended without an error, and wrote no file.
    NoOutput {
        /// The compiler.
        compiler: String,
    },
    /// A program of the tool chain could not be run, or a file of the cache not be written.
    Io {
        /// What was tried.
        action: String,
        /// The operating system's reason.
        reason: String,
    },
}

impl CompileError {
    pub(super) fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> CompileError {
        let action = action.into();
        move |error| CompileError::Io { action, reason: error.to_string() }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::NoCompiler { tried } => {
                write!(f, "no C compiler found ({}); install one or set CC", tried.join("; "))
            }
            CompileError::Failed { command, stderr } => write!(f, "`{command}` failed:\n{stderr}"),
            CompileError::TooLong { command, limit } => {
                write!(f, "`{command}` was stopped after {} seconds", limit.as_secs())
            }
            CompileError::NoOutput { compiler } => write!(
                f,
                "the C compiler `{compiler}` ended without an error and wrote no file; set CC to one that compiles"
            ),
            CompileError::Io { action, reason } => write!(f, "{action}: {reason}"),
        }
    }
}

impl std::error::Error for CompileError {}

/// A C compiler that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program and the arguments that come before all others.
    command: Vec<String>,
    /// All that the compiler says about its version and target.
    version: String,
}

impl Compiler {
    /// The machine's compiler.
    pub fn find() -> Result<&'static Compiler, CompileError> {
        static FOUND: OnceLock<Result<Compiler, CompileError>> = OnceLock::new();
        FOUND.get_or_init(|| Compiler::search(env::var("CC").ok().as_deref())).as_ref().map_err(Clone::clone)
    }

    /// The first compiler that answers, of the one in `$CC` or the usual ones.
    fn search(setting: Option<&str>) -> Result<Compiler, CompileError> {
        let commands = match setting {
            Some(setting) if !setting.trim().is_empty() => vec![setting],
            _ => CANDIDATES.to_vec(),
        };
        let mut tried = Vec::new();
        for command in commands {
            match Compiler::ask(command) {
                Ok(compiler) => return Ok(compiler),
                Err(error) => tried.push(format!("{command}: {error}")),
            }
        }
        Err(CompileError::NoCompiler { tried })
    }

    /// The compiler of this name, or command line, if it answers; whatever `$CC` says.
    pub fn named(command: &str) -> Option<Compiler> {
        Compiler::ask(command).ok()
    }

    /// The compiler behind a command line.
    fn ask(command: &str) -> io::Result<Compiler> {
        let mut command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if let Some(program) = command.first_mut() {
            *program = identity::anywhere(program);
        }
        let version = identity::version(&command, &cache::default_cache())?;
        Ok(Compiler { command, version })
    }

    /// The version, in the compiler's own words.
    pub fn version(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }

    /// Is it GCC, by what it says of itself?
    pub fn is_gcc(&self) -> bool {
        self.version.contains("Free Software Foundation")
    }

    /// Those of the flags that are meant for this compiler. `-fno-tree-` and [`OF_GCC`] are GCC's: others
    /// refuse such a flag, or take it for something else.
    pub fn accepted<'f>(&self, flags: impl IntoIterator<Item = &'f str>) -> Vec<String> {
        let is_of_gcc =
            |flag: &str| OF_GCC.contains(&flag) || OF_GCC_BEGIN.iter().any(|begin| flag.starts_with(begin));
        let meant = |flag: &&str| self.is_gcc() || !is_of_gcc(flag);
        flags.into_iter().filter(meant).map(str::to_owned).collect()
    }

    /// The command line's beginning.
    pub fn command(&self) -> String {
        self.command.join(" ")
    }

    /// Makes an artefact of `source`, or finds it in `cache`, and returns its path.
    ///
    /// The source is to include system headers only: the content of others would be missing from the key. Flags that are not
    /// [meant for this compiler](Compiler::accepted) are left out.
    pub fn compile(
        &self,
        artefact: Artefact,
        source: &str,
        flags: &[String],
        cache: &Path,
    ) -> Result<PathBuf, CompileError> {
        let flags = self.accepted(flags.iter().map(String::as_str));
        let key = self.key(artefact, source, &flags);
        cache::find_or_build(cache, &key, artefact.file_name(), |folder| {
            self.build(artefact, source, &flags, cache, folder)
        })
    }

    /// Everything that the artefact depends on, each part after its length so that no two lists read alike.
    fn key(&self, artefact: Artefact, source: &str, flags: &[String]) -> String {
        let mut key = String::new();
        let mut part = |name: &str, text: &str| {
            key.push_str(&format!("{name} {}\n{text}\n", text.len()));
        };
        part("artefact", artefact.file_name());
        part("compiler", &self.command());
        part("version", &self.version);
        part("processor", processor());
        for variable in ENVIRONMENT {
            part(variable, &env::var_os(variable).unwrap_or_else(OsString::new).to_string_lossy());
        }
        for flag in flags {
            part("flag", flag);
        }
        part("source", source);
        key
    }

    /// Compiles into `folder`, where the source stays beside the artefact for reading. Where the cache has the object, or an archive is
    /// to hold it, the C is not compiled again.
    fn build(
        &self,
        artefact: Artefact,
        source: &str,
        flags: &[String],
        cache: &Path,
        folder: &Path,
    ) -> Result<(), CompileError> {
        let code = folder.join(SOURCE);
        fs::write(&code, source).map_err(CompileError::io(format!("writing {}", code.display())))?;
        let object = match artefact {
            Artefact::Object => None,
            Artefact::Shared => cache::find(cache, &self.key(Artefact::Object, source, flags), OBJECT_NAME),
            Artefact::Static => Some(self.compile(Artefact::Object, source, flags, cache)?),
        };
        let input = match object {
            None => SOURCE,
            Some(object) => {
                let copied = fs::copy(&object, folder.join(OBJECT_NAME));
                copied.map_err(CompileError::io(format!("copying {}", object.display())))?;
                OBJECT_NAME
            }
        };
        let command = match artefact {
            Artefact::Static => {
                let archiver = env::var_os("AR").unwrap_or_else(|| "ar".into());
                let anywhere = archiver.to_str().map(|name| identity::anywhere(name).into());
                let mut archive = Command::new(anywhere.unwrap_or(archiver));
                archive.arg("rcs").arg(artefact.file_name()).arg(input);
                archive
            }
            Artefact::Shared | Artefact::Object => {
                let mut compile = self.invocation();
                // Libraries among the flags must follow the code that needs them.
                compile.args(artefact.flags()).arg("-o").arg(artefact.file_name()).arg(input).args(flags);
                compile
            }
        };
        run(command, folder)?;
        match folder.join(artefact.file_name()).try_exists() {
            Ok(false) => Err(CompileError::NoOutput { compiler: self.command.join(" ") }),
            _ => Ok(()),
        }
    }

    /// A call of it, without flags.
    pub fn invocation(&self) -> Command {
        let mut words = self.command.iter();
        let mut command = Command::new(words.next().map_or("cc", String::as_str));
        command.args(words);
        command
    }
}

/// Runs a program of the tool chain in a folder.
fn run(mut command: Command, folder: &Path) -> Result<(), CompileError> {
    let line = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ");
    command.current_dir(folder);
    match limits::run(&command, folder, compiler_limit()) {
        Ok(Ended::Itself(status, _)) if status.success() => Ok(()),
        Ok(Ended::Itself(_, stderr)) => Err(CompileError::Failed { command: line, stderr }),
        Ok(Ended::TooLong(limit)) => Err(CompileError::TooLong { command: line, limit }),
        Err(error) => Err(CompileError::io(format!("running `{line}`"))(error)),
    }
}

/// The processor's model and abilities, on which `-march=native` depends.
fn processor() -> &'static str {
    static PROCESSOR: OnceLock<String> = OnceLock::new();
    PROCESSOR.get_or_init(|| {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let says = |name: &str| info.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        [env::consts::ARCH, says("model name"), says("flags"), says("Features"), says("CPU part")].join("\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    const PROGRAM: &str = "int answer(void) { return ANSWER; }\n";

    fn flags(flags: &[&str]) -> Vec<String> {
        flags.iter().map(|flag| (*flag).to_owned()).collect()
    }

    /// Each kind of artefact is made and has the beginning of its file format.
    fn check(artefact: Artefact, magic: &[u8]) {
        let cache = Scratch::new();
        let compiler = Compiler::find().expect("a C compiler");
        let path =
            compiler.compile(artefact, PROGRAM, &flags(&["-DANSWER=42"]), cache.path()).expect("compiled");
        assert!(fs::read(&path).expect("readable").starts_with(magic), "{}", path.display());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn artefacts() {
        check(Artefact::Shared, b"\x7fELF");
        check(Artefact::Object, b"\x7fELF");
        check(Artefact::Static, b"!<arch>\n");
    }

    /// A compiler that writes a line for each time that it is called to compile C, in the folder of this test.
    #[cfg(unix)]
    #[test]
    fn c_is_compiled_once_for_both_libraries() {
        use std::os::unix::fs::PermissionsExt;
        let (cache, folder) = (Scratch::new(), Scratch::new());
        let (script, log) = (folder.path().join("cc"), folder.path().join("log"));
        let text = format!(
            "#!/bin/sh\ncase \"$*\" in *kernel.c*) echo compiled >> {};; esac\nexec cc \"$@\"\n",
            log.display()
        );
        fs::write(&script, text).expect("written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).expect("made executable");
        let compiler = Compiler { command: vec![script.display().to_string()], version: "1".into() };
        let make = |artefact| {
            let path = compiler.compile(artefact, PROGRAM, &flags(&["-DANSWER=42"]), cache.path());
            path.expect("compiled");
            fs::read_to_string(&log).expect("compiled at least once").lines().count()
        };
        assert_eq!([Artefact::Static, Artefact::Shared].map(make), [1, 1]);
        assert_eq!([Artefact::Object, Artefact::Static].map(make), [1, 1]);
    }

    #[test]
    fn a_refused_source_is_explained() {
        let cache = Scratch::new();
        let compiler = Compiler::find().expect("a C compiler");
        let error =
            compiler.compile(Artefact::Shared, PROGRAM, &[], cache.path()).expect_err("ANSWER undefined");
        assert!(
            matches!(&error, CompileError::Failed { stderr, .. } if stderr.contains("ANSWER")),
            "{error}"
        );
        let left = fs::read_dir(cache.path()).expect("listed").count();
        assert_eq!(left, 0, "a failed build leaves nothing behind");
    }

    #[test]
    fn a_compiler_that_writes_nothing_is_named() {
        let (cache, compiler) =
            (Scratch::new(), Compiler { command: vec!["true".into()], version: "1".into() });
        let error = compiler.compile(Artefact::Shared, PROGRAM, &[], cache.path()).expect_err("no file");
        assert!(matches!(&error, CompileError::NoOutput { compiler } if compiler == "true"), "{error}");
        assert_eq!(fs::read_dir(cache.path()).expect("listed").count(), 0);
    }

    #[test]
    fn a_missing_compiler_is_named() {
        let error = Compiler::search(Some("no-such-compiler -m64")).expect_err("missing").to_string();
        assert!(error.contains("no-such-compiler"), "{error}");
    }

    #[test]
    fn flags_of_gcc_are_for_gcc() {
        let given = [
            "-O3",
            "-fno-tree-loop-if-convert",
            "-fschedule-insns",
            "-fno-thread-jumps",
            "--param=iv-consider-all-candidates-bound=10",
            "-fira-region=one",
            "-fno-ipa-cp",
            "-lm",
        ];
        let says = |version: &str| Compiler { command: vec!["cc".into()], version: version.into() };
        let gcc = says("cc (Debian 12.2.0) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n");
        assert_eq!(gcc.accepted(given), given);
        assert_eq!(says("Debian clang version 14.0.6\n").accepted(given), ["-O3", "-lm"]);
        // Whatever the machine's compiler is, it takes what it is given.
        let (cache, compiler) = (Scratch::new(), Compiler::find().expect("a C compiler"));
        let with = flags(&[
            "-DANSWER=42",
            "-fno-tree-loop-if-convert",
            "-fno-tree-slp-vectorize",
            "-fschedule-insns",
            "-fno-thread-jumps",
        ]);
        assert!(compiler.compile(Artefact::Object, PROGRAM, &with, cache.path()).is_ok());
    }

    #[test]
    fn every_ingredient_is_in_the_key() {
        let compiler = Compiler { command: vec!["cc".into()], version: "1".into() };
        let key = compiler.key(Artefact::Shared, "a", &flags(&["-x", "-y"]));
        let newer = Compiler { version: "2".into(), ..compiler.clone() };
        for other in [
            compiler.key(Artefact::Static, "a", &flags(&["-x", "-y"])),
            compiler.key(Artefact::Shared, "b", &flags(&["-x", "-y"])),
            compiler.key(Artefact::Shared, "a", &flags(&["-y", "-x"])),
            compiler.key(Artefact::Shared, "a", &flags(&["-x\nflag 2\n-y"])),
            newer.key(Artefact::Shared, "a", &flags(&["-x", "-y"])),
        ] {
            assert_ne!(key, other);
        }
    }
}
