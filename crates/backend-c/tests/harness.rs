//! Compiled kernels beside the trapping interpreter: what runs a case as C and compares.
//!
//! Needs a C compiler named by `CC`, or `cc`; without one the test says so and passes.
#![allow(unsafe_code)]
#![allow(clippy::print_stderr)]

use atl_backend_c::{CSource, Options, STATUS_OK, flags, print_kernel};
use atl_loops::cases::Case;
use atl_loops::interp::{self, Cells, interpret};
use atl_loops::{Access, Literal, Name, Scalar};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) type Uniform = unsafe extern "C" fn(*const i64, *const *mut c_void) -> i32;

/// How many cases go into one shared library: a compiler's start costs more than a case.
const CASES_PER_LIBRARY: usize = 40;

pub(crate) fn compiler() -> Option<String> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    Command::new(&compiler).arg("--version").output().ok().map(|_| compiler)
}

/// The bytes of the cells.
pub(crate) fn bytes(cells: &[Literal]) -> Vec<u8> {
    cells
        .iter()
        .flat_map(|literal| literal.bits().to_le_bytes()[..literal.scalar().size()].to_vec())
        .collect()
}

/// A cell from its bytes, with every NaN the same.
pub(crate) fn canonical(scalar: Scalar, bytes: &[u8]) -> String {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let word = u64::from_le_bytes(word);
    match Literal::of_bits(scalar, word).is_nan() {
        true => "nan".to_owned(),
        false => format!("{word:#x}"),
    }
}

fn compile(compiler: &str, sources: &[CSource], options: &Options, directory: &Path) -> PathBuf {
    let library = directory.join(format!("{}.so", sources[0].declaration.function));
    // Each source brings its helpers: they go to files of their own.
    let files: Vec<PathBuf> =
        sources.iter().map(|source| directory.join(format!("{}.c", source.declaration.function))).collect();
    for (file, source) in files.iter().zip(sources) {
        std::fs::write(file, &source.c).expect("writes a source");
    }
    let output = Command::new(compiler)
        .args([
            "-shared",
            "-fPIC",
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-Werror",
            "-Wno-unknown-warning-option",
            "-Wno-tautological-compare",
            "-Wno-bool-compare",
            "-Wno-type-limits",
            "-Wno-overriding-t-option",
            "-o",
        ])
        .arg(&library)
        .args(&files)
        .args(flags(options))
        .output()
        .expect("runs the compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}

/// A line of memory: where a buffer is aligned to lines, some stores are made past the caches.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u8; 64]);

/// What C calls an `atl_array`.
#[repr(C)]
struct Record {
    data: *mut u8,
    len: i64,
    cap: i64,
}

impl Default for Record {
    fn default() -> Record {
        Record { data: std::ptr::null_mut(), len: 0, cap: 0 }
    }
}

unsafe extern "C" {
    fn free(memory: *mut c_void);
}

impl Record {
    /// What it holds, which is then freed.
    fn bytes(&self, size: usize) -> Vec<u8> {
        let len = usize::try_from(self.len).unwrap() * size;
        assert!(self.len <= self.cap);
        // SAFETY: the kernel has stored as many elements as it says, in memory from `realloc`.
        let bytes = unsafe { std::slice::from_raw_parts(self.data, len) }.to_vec();
        // SAFETY: nothing else refers to it.
        unsafe { free(self.data.cast()) };
        bytes
    }
}

/// The status and the outputs, which are like `outputs` in type and length.
pub(crate) fn run(uniform: Uniform, case: &Case, outputs: &[Cells]) -> (i32, Vec<Vec<u8>>) {
    let mut memory: Vec<Vec<Line>> = Vec::new();
    let mut contents = case.inputs.iter().map(|input| bytes(&input.literals()));
    let mut lengths = outputs.iter().map(|output| output.len() * output.scalar().size());
    let mut grown: Vec<Option<Box<Record>>> = Vec::new();
    for param in &case.kernel.params {
        grown.push((param.access == Access::Append).then(Box::default));
        let content = match param.access {
            Access::Append => {
                lengths.next();
                Vec::new()
            }
            Access::Read => contents.next().expect("an input for each parameter"),
            Access::Write | Access::Stream => {
                vec![0xa5; lengths.next().expect("an output for each parameter")]
            }
        };
        if param.over.is_some() {
            // The input's own memory.
            memory.push(Vec::new());
            continue;
        }
        let mut lines = vec![Line([0; 64]); content.len() / 64 + 1];
        for (k, byte) in content.iter().enumerate() {
            lines[k / 64].0[k % 64] = *byte;
        }
        memory.push(lines);
    }
    let pointer = |(lines, grown): (&mut Vec<Line>, &mut Option<Box<Record>>)| match grown {
        Some(record) => std::ptr::from_mut(record.as_mut()).cast(),
        None => lines.as_mut_ptr().cast(),
    };
    let mut pointers: Vec<*mut c_void> = memory.iter_mut().zip(&mut grown).map(pointer).collect();
    let position = |name: &Name| case.kernel.params.iter().position(|param| param.name == *name);
    let over: Vec<Option<usize>> =
        case.kernel.params.iter().map(|param| param.over.as_ref().and_then(position)).collect();
    for (output, input) in over.iter().enumerate().filter_map(|(output, input)| Some((output, (*input)?))) {
        pointers[output] = pointers[input];
        memory.swap(output, input);
    }
    // SAFETY: the function is the trampoline of this kernel, which takes as many sizes and buffers; each buffer
    // has the length that the interpreter found, is aligned to 64 bytes and overlaps no other than one that it
    // may be over.
    let status = unsafe { uniform(case.sizes.as_ptr(), pointers.as_ptr()) };
    let params = case.kernel.params.iter().zip(memory.iter().zip(grown));
    let written =
        params.filter(|(param, _)| param.access.is_output()).map(|(param, (lines, grown))| match grown {
            Some(record) => record.bytes(param.scalar.size()),
            None => lines.iter().flat_map(|line| line.0).collect(),
        });
    (status, written.collect())
}

/// Compiles the cases and calls `f` with each, its source and its function.
pub(crate) fn for_each_compiled(
    label: &str,
    cases: &[Case],
    options: Options,
    f: impl Fn(&Case, &CSource, Uniform),
) {
    for_each_after("", label, cases, options, f);
}

/// The same, with these lines in front of each source.
fn for_each_after(
    lines: &str,
    label: &str,
    cases: &[Case],
    options: Options,
    f: impl Fn(&Case, &CSource, Uniform),
) {
    let Some(compiler) = compiler() else {
        eprintln!("skipped: no C compiler");
        return;
    };
    let directory = std::env::temp_dir().join(format!("atl-backend-c-{}-{label}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("makes a directory");
    for cases in cases.chunks(CASES_PER_LIBRARY) {
        let sources: Vec<CSource> = cases
            .iter()
            .map(|case| print_kernel(&case.kernel, &options).expect("a well-formed kernel"))
            .map(|source| CSource { c: format!("{lines}{}", source.c), ..source })
            .collect();
        let path = compile(&compiler, &sources, &options, &directory);
        // SAFETY: the library was just compiled from printed kernels; it has no initialisers.
        let library = unsafe { libloading::Library::new(&path) }.expect("opens the library");
        for (case, source) in cases.iter().zip(&sources) {
            // SAFETY: the trampoline of every kernel has this type.
            let uniform = unsafe { library.get::<Uniform>(source.declaration.trampoline.as_bytes()) }
                .expect("finds the function");
            f(case, source, *uniform);
        }
        // Threads of the OpenMP runtime outlive the call: the library stays loaded.
        std::mem::forget(library);
    }
    std::fs::remove_dir_all(&directory).expect("removes the directory");
}

/// Checks that the compiled cases give what the interpreter gives.
pub(crate) fn check(label: &str, cases: &[Case], options: Options) {
    check_after("", label, cases, options);
}

/// The same, with these lines in front of each source.
pub(crate) fn check_after(lines: &str, label: &str, cases: &[Case], options: Options) {
    // The C compiler takes most of the time.
    let all = cases.len() < 32 || std::env::var_os("ATL_CASES").is_some();
    let cases: Vec<Case> = cases.iter().step_by(if all { 1 } else { 2 }).cloned().collect();
    for_each_after(lines, label, &cases, options, |case, source, uniform| {
        let expected = interpret(&case.kernel, &case.sizes, &case.inputs, interp::Options::default())
            .unwrap_or_else(|error| panic!("{error}\n{}", case.kernel));
        let (status, found) = run(uniform, case, &expected);
        assert_eq!(status, STATUS_OK, "{}", case.kernel);
        for (found, expected) in found.iter().zip(&expected) {
            let (scalar, size) = (expected.scalar(), expected.scalar().size());
            let wanted = bytes(&expected.literals());
            let cells =
                |bytes: &[u8]| bytes.chunks(size).map(|cell| canonical(scalar, cell)).collect::<Vec<_>>();
            assert!(found.len() >= wanted.len(), "{}", case.kernel);
            assert_eq!(cells(&found[..wanted.len()]), cells(&wanted), "{}\n{}", case.kernel, source.c);
        }
    });
}
