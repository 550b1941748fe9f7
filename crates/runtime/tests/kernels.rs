//! From C source to results: compile, load, call, and everything a call is refused for.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use atl_runtime::cc::{Artefact, Compiler, OPENMP_FLAG, compile_shared, supports_openmp};
use atl_runtime::{
    Access, Argument, Buffer, DType, Functions, KernelError, LoadedKernel, Parameter, Signature,
};

/// The system's allocator, which counts what each thread asks of it.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every request goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise is this call's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const SCALE: &str = r"
#include <stdint.h>
int32_t scale_call(const int64_t *sizes, void *const *buffers) {
    const float *restrict from = buffers[0];
    float *restrict to = buffers[1];
    for (int64_t i = 0; i < sizes[0]; i++) {
        if (from[i] < 0) return 3;
        to[i] = 2 * from[i];
    }
    return 0;
}
";

const THREADS: &str = r"
#include <omp.h>
#include <stdint.h>
int32_t threads_call(const int64_t *sizes, void *const *buffers) {
    (void)sizes;
    int32_t *count = buffers[0];
#pragma omp parallel
#pragma omp single
    *count = omp_get_num_threads();
    return 0;
}
";

fn cache() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

fn parameter(name: &str, dtype: DType, access: Access) -> Parameter {
    Parameter { name: name.to_owned(), dtype, access, over: None }
}

/// A kernel that keeps nothing between calls.
fn only(entry: &str) -> Functions<'_> {
    Functions { entry, release: None }
}

fn scale() -> LoadedKernel {
    scale_of(&compile_shared(SCALE, &["-O1".to_owned()], &cache()).expect("compiled"))
}

fn scale_of(path: &Path) -> LoadedKernel {
    let signature = Signature {
        sizes: vec!["n".to_owned()],
        parameters: vec![
            parameter("from", DType::F32, Access::Read),
            parameter("to", DType::F32, Access::Write),
        ],
        shapes: Box::new(|sizes| {
            let n = usize::try_from(sizes[0]).map_err(|_| format!("n = {} is negative", sizes[0]))?;
            Ok(vec![vec![n], vec![n]])
        }),
    };
    // SAFETY: `scale_call` reads and writes the first `n` elements of its arrays, which the signature makes their length.
    unsafe { LoadedKernel::load(path, only("scale_call"), signature) }.expect("loaded")
}

fn floats(elements: &[f32]) -> Buffer {
    Buffer::from_slice(elements, &[elements.len()]).expect("small")
}

/// A call of `scale` with `n` sizes and two arrays ends like this.
fn check(n: &[i64], from: &Buffer, to: &mut Buffer, expected: Result<&[f32], &str>) {
    let result = scale().call(n, [Argument::Read(&from.view()), Argument::Write(to.view_mut())]);
    match (result, expected) {
        (Ok(()), Ok(elements)) => assert_eq!(to.as_slice::<f32>().expect("f32"), elements),
        (Err(error), Err(needle)) => assert!(error.to_string().contains(needle), "{error}"),
        (result, expected) => panic!("{result:?}, expected {expected:?}"),
    }
}

#[test]
fn calls() {
    check(&[3], &floats(&[1.0, 2.0, 3.0]), &mut floats(&[0.0; 3]), Ok(&[2.0, 4.0, 6.0]));
    check(&[0], &floats(&[]), &mut floats(&[]), Ok(&[]));
    check(&[1], &floats(&[-1.0]), &mut floats(&[0.0]), Err("code 3"));
}

#[test]
fn calls_that_repeat_their_sizes_allocate_nothing() {
    let kernel = Arc::new(scale()).at(&[3]).expect("the size is admitted");
    let (from, mut to) = (floats(&[1.0, 2.0, 3.0]), floats(&[0.0; 3]));
    let (input, other) = (from.view(), floats(&[0.0; 2]));
    let short = other.view();
    let mut output = to.view_mut();
    let before = ALLOCATIONS.get();
    kernel.call([Argument::Read(&input), Argument::Write(output.reborrow())]).expect("it runs");
    assert_eq!(ALLOCATIONS.get(), before);
    let refused = kernel.call([Argument::Read(&short), Argument::Write(output)]);
    assert!(matches!(refused, Err(KernelError::BadArgument { name, .. }) if name == "from"));
    assert_eq!(to.as_slice::<f32>().expect("f32"), [2.0, 4.0, 6.0]);
}

#[test]
fn calls_that_would_be_unsound_are_refused() {
    let three = floats(&[1.0; 3]);
    check(&[4], &three, &mut floats(&[0.0; 4]), Err("`from`: expected shape [4], found [3]"));
    check(&[3], &three, &mut floats(&[0.0; 2]), Err("`to`: expected shape [3], found [2]"));
    check(&[-1], &three, &mut floats(&[0.0; 3]), Err("n = -1 is negative"));
    check(&[], &three, &mut floats(&[0.0; 3]), Err("1 sizes, the call has 0"));
    let mut doubles = Buffer::zeros(DType::F64, &[3]).expect("small");
    check(&[3], &three, &mut doubles, Err("`to`: expected elements of type f32, found f64"));
    let lent = scale().call(&[3], [Argument::Read(&three.view()), Argument::Read(&three.view())]);
    assert!(matches!(lent, Err(KernelError::BadArgument { name, .. }) if name == "to"));
    let missing = scale().call(&[3], [Argument::Read(&three.view())]);
    assert_eq!(missing, Err(KernelError::WrongCount { what: "arrays", expected: 2, found: 1 }));
}

#[test]
fn a_missing_function_is_an_error() {
    let path = compile_shared(SCALE, &["-O1".to_owned()], &cache()).expect("compiled");
    let signature = Signature { sizes: vec![], parameters: vec![], shapes: Box::new(|_| Ok(vec![])) };
    // SAFETY: there is no such function, so nothing is promised.
    let loaded = unsafe { LoadedKernel::load(&path, only("no_such_function"), signature) };
    assert!(matches!(loaded, Err(KernelError::Load { reason }) if reason.contains("no_such_function")));
}

#[test]
fn threads_are_set_for_openmp_kernels_only() {
    assert!(!scale().set_threads(2));
    if !supports_openmp(&cache()) {
        return;
    }
    let path = compile_shared(THREADS, &[OPENMP_FLAG.to_owned()], &cache()).expect("compiled");
    let signature = Signature {
        sizes: vec![],
        parameters: vec![parameter("count", DType::I32, Access::Write)],
        shapes: Box::new(|_| Ok(vec![vec![]])),
    };
    // SAFETY: `threads_call` writes the one element of its array.
    let mut kernel = unsafe { LoadedKernel::load(&path, only("threads_call"), signature) }.expect("loaded");
    assert!(!kernel.set_threads(0));
    for threads in [1, 3] {
        assert!(kernel.set_threads(threads));
        let mut count = Buffer::zeros(DType::I32, &[]).expect("small");
        kernel.call(&[], [Argument::Write(count.view_mut())]).expect("no error");
        assert_eq!(count.as_slice::<i32>().expect("i32"), [threads as i32]);
    }
}

/// Compilers link code with such a library that runs when it is loaded, after which denormal numbers are zero in the whole thread.
#[test]
fn a_library_that_is_loaded_leaves_floats_as_they_were() {
    for words in ["cc -ffast-math", "cc -funsafe-math-optimizations"] {
        let compiler = Compiler::named(words).expect("a C compiler");
        let path = compiler.compile(Artefact::Shared, SCALE, &[], &cache()).expect("compiled");
        let (kernel, mut to) = (scale_of(&path), floats(&[0.0; 1]));
        let half = black_box(f32::MIN_POSITIVE) * black_box(0.5);
        assert_eq!(half, f32::from_bits(1 << 22), "{words}");
        let from = floats(&[half]);
        kernel.call(&[1], [Argument::Read(&from.view()), Argument::Write(to.view_mut())]).expect("called");
        assert_eq!(to.as_slice::<f32>().expect("f32"), [f32::MIN_POSITIVE], "{words}");
    }
}
