//! Running the command as a user does, on files of a folder of the test's own.

pub(crate) mod json;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program with most of what the tests need.
pub(crate) const PROGRAM: &str = "\
/// Row sums.
fn rows(a: f32[N, M]) -> f32[N] {
    gen i < N { sum j < M { a[i, j] } }
}

schedule wide of rows {
    split i by 4;
    parallel i.o;
}

schedule sums of rows {
    rw split_sum with k = 2 everywhere;
}

fn scale(x: f32[N], s: f32) -> f32[N] {
    gen i < N { s * x[i] }
}

fn ramp(n: size) -> i32[n] where 0 < n {
    gen i < n { i32(i) }
}

fn same(a: f32[N, M]) -> f32[N, M] {
    a
}
";

/// A folder that is empty when the test begins.
pub(crate) struct Folder {
    path: PathBuf,
}

/// What a run of the command left.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    /// The folder of the test with this name, with the program as `p.atl`.
    pub(crate) fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the folder of tests can be written");
        let folder = Folder { path };
        folder.write("p.atl", PROGRAM);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    /// An array as a `.npy` file.
    pub(crate) fn write_npy(&self, name: &str, shape: &[usize], values: &[f32]) {
        let shape: String = shape.iter().map(|n| format!("{n}, ")).collect();
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}");
        let header = format!("{header:<117}\n");
        let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        self.write(name, bytes);
    }

    /// The header and the numbers of a `.npy` file of single-precision floats.
    pub(crate) fn read_npy(&self, name: &str) -> (String, Vec<f32>) {
        let bytes = fs::read(self.path(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"), "{name} is no .npy file");
        let data = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let header = String::from_utf8(bytes[10..data].to_vec()).expect("text");
        let numbers = bytes[data..].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        (header, numbers.collect())
    }

    /// The command, to be run in the folder.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_atl"));
        command.args(words).current_dir(&self.path).env_remove("NO_COLOR");
        command.env("ATL_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        command
    }

    /// Runs a command line; words are separated by spaces.
    pub(crate) fn atl(&self, line: &str) -> Outcome {
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = self.command(&words).output().expect("the command runs");
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// Runs a command line that does what it is asked, and gives what it printed.
    pub(crate) fn done(&self, line: &str) -> String {
        let outcome = self.atl(line);
        assert_eq!(outcome.code, Some(0), "atl {line}\n{}", outcome.stderr);
        outcome.stdout
    }

    /// Runs a command line that is refused with this code, and gives the diagnostic.
    pub(crate) fn refused(&self, line: &str, code: &str) -> String {
        let outcome = self.atl(line);
        assert_eq!(outcome.code, Some(1), "atl {line}\n{}{}", outcome.stdout, outcome.stderr);
        assert!(outcome.stderr.contains(&format!("error[{code}]")), "atl {line}\n{}", outcome.stderr);
        outcome.stderr
    }
}
