//! Which compiler a command is.
//!
//! Everything that a compiler makes is kept under its version, so the version has to be known before anything is found
//! in the cache; to ask for it starts two processes. One idea: a compiler's own binary, at one place and unchanged since a
//! time, gives one answer, which is kept like an artefact. A program that hands the work to another one (`ccache`, a
//! script) may hand it to a new one tomorrow, so it is asked each time.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;
use std::{env, io};

use super::CompileError;
use super::cache;

/// The file that holds the answer.
const ANSWER: &str = "version";

/// The first bytes of a binary.
const BINARY: &[u8] = b"\x7fELF";

/// All that a compiler says about its version and target; it is asked if the cache does not know.
pub(super) fn version(command: &[String], cache: &Path) -> io::Result<String> {
    let Some(key) = binary(command) else { return ask(command) };
    let mut refused = None;
    let answer = cache::find_or_build(cache, &key, ANSWER, |folder| {
        let answer = ask(command).map_err(|error| {
            let failed = CompileError::io("asking the compiler")(io::Error::other(error.to_string()));
            refused = Some(error);
            failed
        })?;
        fs::write(folder.join(ANSWER), answer).map_err(CompileError::io("writing to the cache"))
    });
    match (answer.map(fs::read_to_string), refused) {
        (_, Some(error)) => Err(error),
        (Ok(Ok(answer)), None) => Ok(answer),
        // A cache that cannot be written makes things slow, not impossible.
        _ => ask(command),
    }
}

/// The compiler's own words.
fn ask(command: &[String]) -> io::Result<String> {
    let mut version = String::new();
    for question in ["--version", "-dumpmachine"] {
        let mut words = command.iter();
        let program = words.next().map_or("cc", String::as_str);
        let output = Command::new(program).args(words).arg(question).output()?;
        if !output.status.success() {
            return Err(io::Error::other(format!("`{question}` ended with {}", output.status)));
        }
        version.push_str(&String::from_utf8_lossy(&output.stdout));
    }
    Ok(version)
}

/// What tells a command with a compiler's binary from all others; nothing where the program is none.
fn binary(command: &[String]) -> Option<String> {
    let path = found(command.first()?)?.canonicalize().ok()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    // Whatever is no file, a pipe say, would keep its reader waiting.
    if !path.is_file() {
        return None;
    }
    let mut first = [0; BINARY.len()];
    File::open(&path).ok()?.read_exact(&mut first).ok()?;
    let is_compiler = first == BINARY && ["gcc", "clang"].iter().any(|known| name.contains(known));
    let changed = is_compiler.then(|| fs::metadata(&path)).and_then(Result::ok)?;
    Some(format!("compiler {command:?} {} {}", path.display(), state(&changed)?))
}

/// The size and the times of a file.
pub(super) fn state(file: &Metadata) -> Option<String> {
    let modified = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    #[cfg(unix)]
    let place = {
        use std::os::unix::fs::MetadataExt;
        format!("{} {} {}", file.ino(), file.ctime(), file.ctime_nsec())
    };
    #[cfg(not(unix))]
    let place = String::new();
    Some(format!("{} {modified} {place}", file.len()))
}

/// A program such that it means the same file in every folder: a path from here is made one from the root.
pub(super) fn anywhere(program: &str) -> String {
    let path =
        found(program).filter(|path| path.is_relative()).and_then(|path| std::path::absolute(path).ok());
    path.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| program.to_owned())
}

/// The file that a command's first word means.
fn found(program: &str) -> Option<PathBuf> {
    if program.contains(std::path::MAIN_SEPARATOR) {
        return Some(PathBuf::from(program));
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| is_program(path))
}

/// Would the system run it?
fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let may_run = |file: Metadata| {
        use std::os::unix::fs::PermissionsExt;
        file.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let may_run = |_: Metadata| true;
    path.is_file() && fs::metadata(path).is_ok_and(may_run)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::testing::Scratch;

    /// A program in a folder of its own, of these bytes.
    fn program(folder: &Path, name: &str, content: &[u8]) -> Vec<String> {
        let path = folder.join(name);
        fs::write(&path, content).expect("written");
        fs::set_permissions(&path, PermissionsExt::from_mode(0o700)).expect("made executable");
        vec![path.display().to_string()]
    }

    #[test]
    fn scripts_are_asked_each_time() {
        let (folder, cache) = (Scratch::new(), Scratch::new());
        for answer in ["one", "two"] {
            let script = program(folder.path(), "gcc", format!("#!/bin/sh\necho {answer}\n").as_bytes());
            assert_eq!(binary(&script), None);
            assert_eq!(version(&script, cache.path()).expect("answers"), format!("{answer}\n{answer}\n"));
        }
    }

    #[test]
    fn the_answer_of_a_binary_is_kept_until_it_changes() {
        let (folder, cache) = (Scratch::new(), Scratch::new());
        // It cannot be run: an answer can only come from the cache.
        let fake = program(folder.path(), "x86-gcc-12", BINARY);
        assert!(version(&fake, cache.path()).is_err());
        let key = binary(&fake).expect("a compiler's binary");
        let kept = cache::find_or_build(cache.path(), &key, ANSWER, |folder| {
            fs::write(folder.join(ANSWER), "kept").map_err(CompileError::io("writing"))
        });
        assert!(kept.is_ok());
        assert_eq!(version(&fake, cache.path()).expect("known"), "kept");
        assert_ne!(binary(&[fake[0].clone(), "-m32".to_owned()]), binary(&fake));
        program(folder.path(), "x86-gcc-12", b"\x7fELF and more");
        assert_ne!(binary(&fake), Some(key));
        assert!(version(&fake, cache.path()).is_err());
    }

    #[test]
    fn paths_from_here_are_made_paths_from_the_root() {
        let here = env::current_dir().expect("somewhere");
        assert_eq!(Path::new(&anywhere("./cc")), here.join("cc"));
        assert_eq!(Path::new(&anywhere("../bin/cc")), here.join("../bin/cc"));
        for same in ["/usr/bin/cc", "sh", "no-such-compiler"] {
            assert_eq!(anywhere(same), same);
        }
    }

    #[test]
    fn other_programs_are_no_compilers() {
        let folder = Scratch::new();
        assert_eq!(binary(&program(folder.path(), "ccache", BINARY)), None);
        assert_eq!(binary(&["no-such-compiler".to_owned()]), None);
        let cc = program(folder.path(), "gcc", BINARY);
        assert!(is_program(Path::new(&cc[0])));
        fs::set_permissions(&cc[0], PermissionsExt::from_mode(0o600)).expect("made a mere file");
        assert!(!is_program(Path::new(&cc[0])));
        assert!(!is_program(folder.path()));
    }
}
