//! Compiled kernels against the trapping interpreter, on random cases.
//!
//! Needs a C compiler named by `CC`, or `cc`; without one the test says so and passes.
#![allow(unsafe_code)]
#![allow(clippy::print_stderr)]

use atl_backend_c::{
    CSource, Options, Rounding, STATUS_NO_MEMORY, STATUS_OK, STATUS_REFUSED, flags, print_kernel,
};
use atl_loops::cases::{
    Case, appending_case, early_exit_case, functions_case, lanes_case, merging_case, operations_case,
    over_case, pairs_case, random_case, searches_case, tiles_case,
};
use atl_loops::elementary::Single;
use atl_loops::interp::{self, Cells, interpret};
use atl_loops::passes::{PASSES, hoist_scratch, unroll, whole_vectors};
use atl_loops::{Access, Function, Literal, Name, Scalar, parse_kernel};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;

type Uniform = unsafe extern "C" fn(*const i64, *const *mut c_void) -> i32;

/// How many cases go into one shared library: a compiler's start costs more than a case.
const CASES_PER_LIBRARY: usize = 40;

fn compiler() -> Option<String> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    Command::new(&compiler).arg("--version").output().ok().map(|_| compiler)
}

/// The bytes of the cells.
fn bytes(cells: &[Literal]) -> Vec<u8> {
    cells
        .iter()
        .flat_map(|literal| literal.bits().to_le_bytes()[..literal.scalar().size()].to_vec())
        .collect()
}

/// A cell from its bytes, with every NaN the same.
fn canonical(scalar: Scalar, bytes: &[u8]) -> String {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let word = u64::from_le_bytes(word);
    match scalar {
        Scalar::F32 if f32::from_bits(word as u32).is_nan() => "nan".to_owned(),
        Scalar::F64 if f64::from_bits(word).is_nan() => "nan".to_owned(),
        _ => format!("{word:#x}"),
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
fn run(uniform: Uniform, case: &Case, outputs: &[Cells]) -> (i32, Vec<Vec<u8>>) {
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
    // SAFETY: the function is the trampoline of this kernel, which takes as many sizes and buffers; each buffer has the
    // length that the interpreter found, is aligned to 64 bytes and overlaps no other than one that it may be over.
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
fn for_each_compiled(label: &str, cases: &[Case], options: Options, f: impl Fn(&Case, &CSource, Uniform)) {
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
fn check(label: &str, cases: &[Case], options: Options) {
    check_after("", label, cases, options);
}

/// The same, with these lines in front of each source.
fn check_after(lines: &str, label: &str, cases: &[Case], options: Options) {
    for_each_after(lines, label, cases, options, |case, source, uniform| {
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

fn random_cases(seeds: std::ops::Range<u64>) -> Vec<Case> {
    let named = |seed| {
        let mut case = random_case(seed);
        case.kernel.name = Name::from(format!("case_{seed}"));
        case
    };
    seeds.map(named).collect()
}

#[test]
fn random_cases_agree_with_the_interpreter() {
    check("random", &random_cases(0..80), Options::default());
}

/// Outputs that grow, in one call and as they are after passes.
#[test]
fn outputs_that_grow_agree_with_the_interpreter() {
    let mut cases: Vec<Case> = (0..32).map(appending_case).collect();
    check("appending", &cases[..8], Options::default());
    for case in &mut cases {
        case.kernel = hoist_scratch(&case.kernel);
    }
    check("appending_hoisted", &cases, Options::default());
}

/// Named vectors, vectors in memory, and what neither can be.
#[test]
fn tiles_of_vectors_agree_with_the_interpreter() {
    let mut cases: Vec<Case> = (0..160).map(tiles_case).collect();
    for case in &mut cases {
        case.kernel = unroll(&whole_vectors(&case.kernel));
    }
    let printed =
        cases.iter().map(|case| print_kernel(&case.kernel, &Options::default()).expect("is well-formed").c);
    let vectors: Vec<String> = printed.filter(|c| c.contains("vector_size")).collect();
    let named = vectors.iter().filter(|c| c.contains(" t_0;")).count();
    assert!(vectors.len() > 80 && named > 20, "{} with vectors, {named} of them named", vectors.len());
    check("tiles", &cases, Options::default());
}

/// Each output in the memory of the input that it is over.
#[test]
fn outputs_over_inputs_agree_with_the_interpreter() {
    let accepted = |case: &Case| atl_loops::validate::validate(&case.kernel).is_empty();
    let mut cases: Vec<Case> = (0..160).map(over_case).filter(accepted).collect();
    check("over", &cases, Options::default());
    for case in &mut cases {
        case.kernel = PASSES.iter().fold(case.kernel.clone(), |kernel, pass| (pass.apply)(&kernel));
    }
    check("over_tidied", &cases, Options { openmp: true, ..Options::default() });
}

/// Masked lanes, variables of each lane's own, and serial loops inside.
#[test]
fn lanes_agree_with_the_interpreter() {
    let mut cases: Vec<Case> = (0..80).map(lanes_case).collect();
    for case in &mut cases {
        case.kernel = whole_vectors(&case.kernel);
    }
    let printed =
        cases.iter().map(|case| print_kernel(&case.kernel, &Options::default()).expect("is well-formed").c);
    let vectors: Vec<String> = printed.filter(|c| c.contains("vector_size")).collect();
    let masked = vectors.iter().filter(|c| c.contains("atl_store_")).count();
    assert!(vectors.len() > 60 && masked > 50, "{} with vectors, {masked} masked", vectors.len());
    check("lanes", &cases, Options::default());
}

/// Of one run and of several, by one part and by two, under conditions, and within each other.
#[test]
fn merges_agree_with_the_interpreter() {
    let mut cases: Vec<Case> = (0..60).map(merging_case).collect();
    let printed = |case: &Case| print_kernel(&case.kernel, &Options::default()).expect("is well-formed").c;
    let [masked, pairs] = ["= atl_masked_", "atl_second("]
        .map(|part| cases.iter().filter(|c| printed(c).contains(part)).count());
    assert!(masked > 15 && pairs > 8, "{masked} masked, {pairs} by pairs");
    check("merges", &cases, Options::default());
    for case in &mut cases {
        case.kernel = PASSES.iter().fold(case.kernel.clone(), |kernel, pass| (pass.apply)(&kernel));
    }
    check("merges_tidied", &cases, Options { openmp: true, ..Options::default() });
}

/// Among no keys, one, and many, with fingers and without, in threads and without.
#[test]
fn searches_agree_with_the_interpreter() {
    let cases: Vec<Case> = (0..160).map(searches_case).collect();
    check("searches", &cases, Options { openmp: true, ..Options::default() });
}

/// Ended by the first element, the last, and none, with NaN on the way.
#[test]
fn loops_that_end_early_agree_with_the_interpreter() {
    let cases: Vec<Case> = (0..240).map(early_exit_case).collect();
    check("until", &cases, Options { openmp: true, ..Options::default() });
}

/// Where a condition holds in no lane, nothing is read for it: `far` has one cell, and the index is a terabyte away.
#[test]
fn what_no_lane_wants_is_not_read() {
    for far in
        ["far[K * 16777216 * 16777216]", "x[n[K * 16777216 * 16777216] + j]", "x[n[K * 16777216 * 16777216]]"]
    {
        check_far(far);
    }
}

fn check_far(far: &str) {
    let when = |cond: &str| format!("y[j] = ({cond} ? x[j] * {far} : x[j])");
    let unless = |cond: &str| format!("y[j] = ({cond} ? x[j] : x[j] * {far})");
    let branch =
        |cond: &str| format!("y[j] = x[j] if {cond} {{ z[j] = x[j] * {far} }} else {{ z[j] = 0f32 }}");
    let other =
        |cond: &str| format!("y[j] = x[j] if {cond} {{ z[j] = 0f32 }} else {{ z[j] = x[j] * {far} }}");
    let chosen = |cond: &str| format!("y[j] = ({cond} ? x[j] : x[0])");
    let bodies = [
        when("K <= j"),
        when("K < j"),
        when("K == j"),
        when("!(j < K)"),
        when("K <= j && 0 <= K"),
        unless("j < K"),
        unless("j != K"),
        unless("!(K <= j)"),
        branch("K <= j"),
        branch("K == j"),
        other("j != K"),
        other("j < K"),
        // Conditions that read, for lanes that are asked.
        when("K <= j && n[K * 16777216 * 16777216] <= j"),
        when("!(j < K || j < n[K * 16777216 * 16777216])"),
        unless("j < K || n[K * 16777216 * 16777216] == j"),
        branch("K <= j && n[K * 16777216 * 16777216] == 1"),
        other("j < K || j != n[K * 16777216 * 16777216]"),
        "y[j] = (K <= j ? (n[K * 16777216 * 16777216] <= j ? x[j] : x[0]) : x[j])".to_owned(),
        "y[j] = (K <= j ? (n[K * 16777216 * 16777216] == 0 ? x[j] : x[0]) : x[j])".to_owned(),
        // What the outer condition does not ask for, the inner one does not read.
        chosen("j < K - 15 && (j < K - 14 || n[K * 16777216 * 16777216] <= j)"),
        chosen("j < K - 15 && (j < K - 14 || n[K * 16777216 * 16777216] == 1)"),
        chosen("j < K - 15 && !(K - 14 <= j && n[K * 16777216 * 16777216] <= j)"),
        chosen("j < K - 13 || (j < K - 14 && n[K * 16777216 * 16777216] == 1)"),
        chosen("!(j < K - 15 && (j < K - 14 || n[K * 16777216 * 16777216] == 1))"),
        format!("y[j] = (K <= j ? (0 <= K ? x[j] * {far} : f32(int(n[K * 16777216 * 16777216]))) : x[j])"),
    ];
    let mut cases = Vec::new();
    for (body, lanes) in bodies.iter().flat_map(|body| [4, 8, 16].map(|lanes| (body, lanes))) {
        let (name, z) =
            (format!("far_{}", cases.len()), if body.contains("z[j]") { "out f32 z[16]" } else { "" });
        let text = format!(
            "kernel {name}(K) in f32 x[16] in f32 far[1] in i32 n[16] out f32 y[16] {z} {{ \
             f32x{lanes} for j in 0..16 {{ {body} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let x = (0..16u8).map(f32::from).collect();
        let inputs = vec![Cells::F32(x), Cells::F32(vec![1.0]), Cells::I32((0..16).rev().collect())];
        cases.push(Case { kernel, sizes: vec![16], inputs });
    }
    let printed = |case: &Case| print_kernel(&case.kernel, &Options::default()).expect("it prints").c;
    let is_masked = |c: String| c.contains("atl_below(") || c.contains("atl_up_to(");
    assert!(cases.iter().all(|case| is_masked(printed(case))), "conditions are masks");
    check("far", &cases, Options::default());
}

/// Sides whose difference leaves 64 bits, where they do not.
#[test]
fn conditions_on_lanes_hold_at_the_edges() {
    let mut cases = Vec::new();
    for side in ["L", "0 - L - 1", "K - L", "L - K", "9223372036854775807"] {
        for (a, b, lanes) in [("j", side, 8), (side, "j", 16)] {
            let stores: String = [("y", "<"), ("z", "<="), ("u", "=="), ("v", "!=")]
                .map(|(out, comparison)| format!("{out}[j] = ({a} {comparison} {b} ? x[j] : 0f32) "))
                .concat();
            let text = format!(
                "kernel edge(K, L) in f32 x[16] out f32 y[16] out f32 z[16] out f32 u[16] out f32 v[16] {{ \
                 vector({lanes}) for j in 0..16 {{ {stores} }} }}"
            );
            let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            for sizes in [[0, i64::MAX], [3, i64::MAX], [5, 1], [7, 63]] {
                let inputs = vec![Cells::F32((1..17u8).map(f32::from).collect())];
                let mut case = Case { kernel: kernel.clone(), sizes: sizes.to_vec(), inputs };
                case.kernel.name = Name::from(format!("edge_{}", cases.len()));
                cases.push(case);
            }
        }
    }
    check("edges", &cases, Options::default());
}

#[test]
fn operations_agree_with_the_interpreter_at_the_edges() {
    check("operations", &Scalar::ALL.map(operations_case), Options::default());
}

/// How many pairs of values the operations of a type are tried on, if not all: more with `ATL_PAIRS`, in
/// millions.
fn pairs() -> usize {
    let millions = std::env::var("ATL_PAIRS").ok().and_then(|value| value.parse::<usize>().ok());
    millions.map_or(100_000, |millions| millions * 1_000_000)
}

#[test]
fn operations_agree_on_many_pairs_of_values() {
    for scalar in Scalar::ALL {
        let (case, expected) = pairs_case(scalar, pairs(), 7);
        for_each_compiled(
            &format!("pairs_{scalar}"),
            std::slice::from_ref(&case),
            Options::default(),
            |case, _, f| {
                let (status, found) = run(f, case, &expected);
                assert_eq!(status, STATUS_OK);
                for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let wanted = bytes(&expected.literals());
                    let size = expected.scalar().size();
                    let differs = |(found, wanted): (&[u8], &[u8])| {
                        found != wanted
                            && canonical(expected.scalar(), found) != canonical(expected.scalar(), wanted)
                    };
                    let at = found.chunks(size).zip(wanted.chunks(size)).position(differs);
                    if let Some(at) = at {
                        let operands: Vec<Literal> =
                            case.inputs.iter().map(|cells| cells.literals()[at]).collect();
                        panic!(
                            "output {k} of {operands:?}, not {:?}\n{}",
                            expected.literals()[at],
                            case.kernel
                        );
                    }
                }
            },
        );
    }
}

/// Scalars and vectors, and with a compiler that may fuse what belongs to no function.
#[test]
fn functions_of_floats_have_the_bits_of_the_interpreter() {
    let widths = [(Scalar::F32, [1, 2, 4, 8, 16]), (Scalar::F64, [1, 2, 4, 8, 16])];
    let cases =
        widths.iter().flat_map(|(scalar, widths)| widths.map(|lanes| functions_case(*scalar, lanes, 1)));
    let cases: Vec<Case> = cases.collect();
    check("functions", &cases, Options::default());
    check("fused", &cases, Options { rounding: Rounding::Real, ..Options::default() });
}

/// Functions that round twice, to another integer, or too early have other bits.
#[test]
fn functions_that_are_carried_out_otherwise_are_found() {
    let planted = [
        "#define __builtin_fma(a, b, c) ((a) * (b) + (c))\n",
        "#define __builtin_rint(a) __builtin_trunc(a)\n",
        "#define __builtin_sqrt(a) ((double)__builtin_sqrtf((float)(a)))\n",
    ];
    let case = [functions_case(Scalar::F64, 1, 1)];
    for lines in planted {
        let found = std::panic::catch_unwind(|| check_after(lines, "planted", &case, Options::default()));
        assert!(found.is_err() || compiler().is_none(), "{lines}");
    }
}

/// Every `f32` with `ATL_ELEMENTARY=all`, else a sample: in vectors, as the compiler was told to leave products alone, and
/// as it may fuse what belongs to no function.
#[test]
fn vectors_of_all_floats_have_the_bits_of_the_definition() {
    const BLOCK: u32 = 1 << 16;
    let is_all = std::env::var("ATL_ELEMENTARY").is_ok_and(|value| value == "all");
    let case = |name: &str| {
        let text = format!(
            "kernel all_{name}() in f32 x[{BLOCK}] out f32 y[{BLOCK}] {{ \
             vector(16) for i in 0..{BLOCK} {{ y[i] = {name}(x[i]) }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Case { kernel, sizes: Vec::new(), inputs: Vec::new() }
    };
    let unary = || Function::ALL.iter().copied().filter(|function| function.arity() == 1);
    for rounding in [Rounding::Bitwise, Rounding::Real] {
        let label = format!("all_floats_{rounding:?}");
        for_each_compiled(
            &label,
            &unary().map(|function| case(function.name())).collect::<Vec<_>>(),
            Options { rounding, openmp: false },
            |case, _, f| {
                let function = unary().find(|f| case.kernel.name == Name::from(format!("all_{}", f.name())));
                let function = function.expect("is a function");
                for block in (0..BLOCK).step_by(if is_all { 1 } else { 16_001 }) {
                    let x: Vec<f32> = (0..BLOCK).map(|k| f32::from_bits(block << 16 | k)).collect();
                    let mut case = case.clone();
                    case.inputs = vec![Cells::F32(x.clone())];
                    let (_, found) = run(f, &case, &[Cells::F32(vec![0.0; x.len()])]);
                    for (x, found) in x.iter().zip(found[0].chunks(4)) {
                        let wanted = Single::call(function, &[*x]).expect("takes one");
                        let wanted = canonical(Scalar::F32, &wanted.to_le_bytes());
                        assert_eq!(canonical(Scalar::F32, found), wanted, "{} of {x:e}", case.kernel.name);
                    }
                }
            },
        );
    }
}

#[test]
fn threads_change_nothing() {
    let options = Options { openmp: true, ..Options::default() };
    check("threads", &random_cases(1000..1020), options);
    let streams =
        |case: &Case| print_kernel(&case.kernel, &options).expect("is well-formed").c.contains("nowait");
    let cases: Vec<Case> = (0..400).map(tiles_case).filter(streams).collect();
    assert!(cases.len() > 5, "{} with threads that store past the caches", cases.len());
    check("streams", &cases, options);
}

/// Blocks of scratch are taken, given back, grown and freed by several threads at once.
#[test]
fn threads_share_scratch_that_is_kept_between_calls() {
    let text = "kernel keeps(N, M) out i64 y[N] { alloc heap i64 s[N, M] uninit { \
                for i in 0..N { for j in 0..M { s[i * M + j] = int(i * M + j + N) } } \
                for i in 0..N { alloc heap i64 t[M] uninit { \
                for j in 0..M { t[j] = s[i * M + j] } y[i] = t[M - 1] } } } }";
    let kernel = parse_kernel(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let cases = [Case { kernel, sizes: vec![0, 0], inputs: Vec::new() }];
    for_each_compiled("keeps", &cases, Options::default(), |case, source, uniform| {
        assert_eq!(source.declaration.release.as_deref(), Some("keeps_release"));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for round in 0..200 {
                        let (n, m) = ((thread * 37 + round * 11) % 90, (thread * 5 + round) % 40 + 1);
                        let expected: Vec<i64> = (0..n).map(|i| (i + 1) * m - 1 + n).collect();
                        let case = Case { sizes: vec![n, m], ..case.clone() };
                        let (status, found) = run(uniform, &case, &[Cells::I64(expected.clone())]);
                        let wanted: Vec<u8> = expected.iter().flat_map(|cell| cell.to_le_bytes()).collect();
                        assert_eq!((status, &found[0][..wanted.len()]), (STATUS_OK, &wanted[..]), "{n} {m}");
                    }
                });
            }
        });
    });
}

/// Where memory is short, indices that were to be filled in a scope that is left out are not used: they lead far away.
#[test]
fn indices_that_were_not_filled_are_not_used() {
    let large = "alloc heap i64 s[N * 1000000000, 1000000000, 1000000000] uninit { s[0] = 1i64";
    let far = "[(n[0] - 1) * 281474976710656]";
    let uses = [
        format!("y{far} = 1i64"),
        format!("y[0] = (0 < N ? y{far} : 0i64)"),
        "for i in 0..1 - n[0] { y[i + N * 281474976710656] = 1i64 }".to_owned(),
        "if n[0] == 0 { y[N * 281474976710656] = 1i64 }".to_owned(),
        "alloc heap i64 t[n[0]] uninit { for i in 0..N { t[i + 281474976710656] = 1i64 } }".to_owned(),
        "vector(4) for i in 0..4 { z[i] = x[(n[0] - 1) * 281474976710656 + i] }".to_owned(),
        "parallel for i in 0..4 { y[(n[0] - 1) * 281474976710656 + i] = 1i64 }".to_owned(),
    ];
    let mut cases = Vec::new();
    for (k, used) in uses.iter().enumerate() {
        for (j, buffer) in ["register i32 n", "stack i32 n[1]", "heap i64 n[1]"].iter().enumerate() {
            let scalar = if j == 2 { "i64" } else { "i32" };
            let text = format!(
                "kernel stray_{k}_{j}(N) in f32 x[4] out i64 y[4] out f32 z[4] {{ reset y = 0i64 alloc {buffer} uninit {{ \
                 {large} n[0] = 1{scalar} }} {used} }} }}"
            );
            let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            cases.push(Case { kernel, sizes: vec![1], inputs: vec![Cells::F32(vec![0.0; 4])] });
        }
    }
    let options = Options { openmp: true, ..Options::default() };
    for_each_compiled("stray", &cases, options, |case, _, uniform| {
        let (status, _) = run(uniform, case, &[Cells::I64(vec![0; 4]), Cells::F32(vec![0.0; 4])]);
        assert_eq!(status, STATUS_NO_MEMORY, "{}", case.kernel);
    });
}

#[test]
fn failures_are_statuses() {
    let large =
        "alloc heap i64 s[N * 1000000000, 1000000000, 1000000000] uninit { s[0] = int(i) y[i] = s[0] }";
    let case = |name: &str, size: i64| {
        let text = format!(
            "kernel {name}(N) out i64 y[4] requires N < 4 {{ parallel for i in 0..4 {{ {large} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Case { kernel, sizes: vec![size], inputs: Vec::new() }
    };
    let cases = [case("large", 3), case("too_many", 4), case("negative", -1)];
    let options = Options { openmp: true, ..Options::default() };
    for_each_compiled("failures", &cases, options, |case, _, uniform| {
        let (status, _) = run(uniform, case, &[Cells::I64(vec![0; 4])]);
        assert_eq!(status, if case.sizes == [3] { STATUS_NO_MEMORY } else { STATUS_REFUSED });
    });
}
