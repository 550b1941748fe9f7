//! Rooflines: how fast this machine could at best do what a call must do.
//!
//! One idea: a bound is a loop that does nothing but the work in question, measured beside what it bounds. A
//! call reads each cell of its inputs and writes each cell of its output at least once, so a loop that moves
//! as many bytes, by stores past the caches or by ordinary ones, bounds it; and it computes, so fused
//! products and sums in registers bound it too. The two loops are C, compiled by the machine's compiler: what
//! they reach is what this machine does today, not what its maker promises. Data that stays in a cache
//! between calls can beat the first bound.
//!
//! Loading them is this module's one `unsafe` block.
#![allow(unsafe_code)]

mod work;

pub use work::Work;

use atl_backend_c::flags;
use atl_call::backends::c::printer_options;
use atl_kernel::Rounding;
use atl_runtime::cc::{compile_shared, default_cache, supports_openmp};
use atl_runtime::{Access, Argument, Buffer, DType, Functions, LoadedKernel, Parameter, Signature};
use std::time::{Duration, Instant};

/// What the loop of a roof does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Moves the bytes, and stores past the caches.
    Streaming,
    /// Moves the bytes.
    Moving,
    /// Multiplies and adds.
    Computing,
}

impl Limit {
    /// For people and results.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Streaming => "moving data, streaming stores",
            Limit::Moving => "moving data",
            Limit::Computing => "fused products and sums",
        }
    }
}

/// How much of its bound a call reaches, in percent: for each limit, the time of the loop by that of the
/// call. The quicker way of moving the data bounds it, and so do the operations; the greater of the two says
/// how far the call is.
pub fn percent(parts: impl Iterator<Item = (Limit, f64)>) -> f64 {
    let (mut moving, mut computing) = (f64::INFINITY, 0.0f64);
    for (limit, part) in parts {
        match limit {
            Limit::Streaming | Limit::Moving => moving = moving.min(part),
            Limit::Computing => computing = part,
        }
    }
    100.0 * computing.max(moving)
}

/// A loop whose time bounds a call.
pub struct Roof {
    limit: Limit,
    kernel: LoadedKernel,
    sizes: Vec<i64>,
    input: Buffer,
    output: Buffer,
    /// The work of the call, by that of the loop.
    scale: f64,
}

/// Cells of a line of memory, as single-precision numbers.
const LINE: usize = 16;

/// Steps of the loop that computes, in all: some milliseconds.
const STEPS: i64 = 600_000;

/// What a step does: 12 vectors, a product and a sum for each lane.
const VECTORS: f64 = 12.0;

const MOVE: &str = include_str!("move.c");
const FMA: &str = include_str!("fma.c");

impl Roof {
    /// The roofs of a call on this many threads. There is none for operations that are not counted, nor for
    /// those on integers.
    ///
    /// # Errors
    /// There is no C compiler, or no memory.
    pub fn all(work: &Work, threads: usize) -> Result<Vec<Roof>, String> {
        let mut roofs = vec![Roof::moving(work, threads, true)?, Roof::moving(work, threads, false)?];
        if let (DType::F32 | DType::F64, Some(flops)) = (work.dtype, work.flops) {
            roofs.push(Roof::computing(work.dtype, flops, threads)?);
        }
        Ok(roofs)
    }

    fn moving(work: &Work, threads: usize, streaming: bool) -> Result<Roof, String> {
        let lines = |bytes: usize| bytes.div_ceil(4 * LINE);
        let (read, written) = (lines(work.read), lines(work.written));
        let count = |n: usize| i64::try_from(n).map_err(|why| why.to_string());
        let sizes = vec![count(read)?, count(written)?, i64::from(streaming), count(threads)?];
        let limit = if streaming { Limit::Streaming } else { Limit::Moving };
        let arrays = [eighths(DType::F32, read * LINE)?, zeros(DType::F32, written * LINE)?];
        Roof::load(limit, MOVE.to_owned(), sizes, arrays, 1.0)
    }

    fn computing(dtype: DType, flops: f64, threads: usize) -> Result<Roof, String> {
        let (word, bytes) = if dtype == DType::F64 { ("double", 8.0) } else { ("float", 4.0) };
        let source = format!("#define SCALAR {word}\n{FMA}");
        let parts = i64::try_from(threads).map_err(|why| why.to_string())?;
        let own = STEPS as f64 * threads as f64 * VECTORS * 2.0 * vector_bytes() / bytes;
        let arrays = [eighths(dtype, 1)?, zeros(dtype, threads)?];
        Roof::load(Limit::Computing, source, vec![parts, STEPS], arrays, flops / own)
    }

    fn load(
        limit: Limit,
        source: String,
        sizes: Vec<i64>,
        arrays: [Buffer; 2],
        scale: f64,
    ) -> Result<Roof, String> {
        let cache = default_cache();
        let options = printer_options(Rounding::Real, supports_openmp(&cache));
        let flags: Vec<String> = flags(&options).into_iter().map(str::to_owned).collect();
        let library = compile_shared(&source, &flags, &cache).map_err(|why| why.to_string())?;
        let [input, output] = arrays;
        let (dtype, cells) = (output.dtype(), [input.len(), output.len()]);
        let parameter = |name: &str, access| Parameter { name: name.to_owned(), dtype, access, over: None };
        let (admitted, shapes) = (sizes.clone(), vec![vec![cells[0]], vec![cells[1]]]);
        let signature = Signature {
            sizes: (1..=sizes.len()).map(|k| format!("size {k}")).collect(),
            parameters: vec![parameter("in", Access::Read), parameter("out", Access::Write)],
            shapes: Box::new(move |sizes| match sizes == admitted {
                true => Ok(shapes.clone()),
                false => Err("a roof has one size".to_owned()),
            }),
        };
        // SAFETY: both files define `roof` with this type. For the only sizes admitted, `move.c` stays inside
        // the lines that the first two sizes count, and `fma.c` reads one cell and writes as many as there
        // are parts.
        let kernel =
            unsafe { LoadedKernel::load(&library, Functions { entry: "roof", release: None }, signature) };
        let mut kernel = kernel.map_err(|why| why.to_string())?;
        kernel.set_threads(
            match limit {
                Limit::Computing => usize::try_from(sizes[0]),
                Limit::Streaming | Limit::Moving => usize::try_from(sizes[3]),
            }
            .unwrap_or(1),
        );
        Ok(Roof { limit, kernel, sizes, input, output, scale })
    }

    /// What the loop does.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Runs the loop once, and gives how long that took.
    ///
    /// # Errors
    /// The loop failed, which it does not.
    pub fn run(&mut self) -> Result<Duration, String> {
        let input = self.input.view();
        let arguments = [Argument::Read(&input), Argument::Write(self.output.view_mut())];
        let start = Instant::now();
        self.kernel.call(&self.sizes, arguments).map_err(|why| why.to_string())?;
        Ok(start.elapsed())
    }

    /// No call can take less than this, if the loop takes so long.
    pub fn bound(&self, time: Duration) -> Duration {
        scaled(time, self.scale)
    }
}

/// So many times this time; the longest there is, if that is longer.
fn scaled(time: Duration, scale: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * scale).unwrap_or(Duration::MAX)
}

/// Numbers to read. Fresh pages would all be one page of zeros, which a cache holds.
fn eighths(dtype: DType, cells: usize) -> Result<Buffer, String> {
    let mut buffer = zeros(dtype, cells)?;
    match dtype {
        DType::F64 => buffer.as_mut_slice::<f64>().map(|cells| cells.fill(0.125)),
        _ => buffer.as_mut_slice::<f32>().map(|cells| cells.fill(0.125)),
    }
    .map_err(|why| why.to_string())?;
    Ok(buffer)
}

fn zeros(dtype: DType, cells: usize) -> Result<Buffer, String> {
    Buffer::zeros(dtype, &[cells]).map_err(|why| why.to_string())
}

/// Bytes of the vectors that `fma.c` chooses when it is compiled for the processor at hand.
#[cfg(target_arch = "x86_64")]
fn vector_bytes() -> f64 {
    if std::is_x86_feature_detected!("avx512f") {
        64.0
    } else if std::is_x86_feature_detected!("avx") {
        32.0
    } else {
        16.0
    }
}

/// Bytes of the vectors that `fma.c` chooses.
#[cfg(not(target_arch = "x86_64"))]
fn vector_bytes() -> f64 {
    16.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_runtime::cc::Compiler;

    #[test]
    fn the_nearest_bound_counts() {
        let check = |parts: &[(Limit, f64)], expected: f64| {
            assert_eq!(percent(parts.iter().copied()), expected);
        };
        check(&[(Limit::Streaming, 0.5), (Limit::Moving, 0.75)], 50.0);
        check(&[(Limit::Streaming, 0.75), (Limit::Moving, 0.5), (Limit::Computing, 0.25)], 50.0);
        check(&[(Limit::Streaming, 0.25), (Limit::Moving, 0.5), (Limit::Computing, 0.75)], 75.0);
    }

    #[test]
    fn times_of_any_count_are_times() {
        let check = |scale: f64, expected| assert_eq!(scaled(Duration::from_millis(2), scale), expected);
        check(0.0, Duration::ZERO);
        check(1.5, Duration::from_millis(3));
        check(1e30, Duration::MAX);
    }

    fn is_full<T: PartialEq + Default>(cells: &[T]) -> bool {
        cells.iter().all(|x| *x != T::default())
    }

    /// The loops do what they are said to do at sizes that nothing divides, also none, and on several
    /// threads.
    #[test]
    fn every_line_and_every_part_is_written() {
        if let Err(why) = Compiler::find() {
            println!("skipped: {why}");
            return;
        }
        for (read, written, threads) in [(0, 0, 1), (64, 1000, 1), (100_000, 4, 2), (4096, 70_000, 3)] {
            let work = Work { read, written, flops: Some(1.0), dtype: DType::F64 };
            for mut roof in Roof::all(&work, threads).expect("the loops compile") {
                roof.run().expect("they run");
                let written = match roof.limit() {
                    Limit::Computing => is_full(roof.output.as_slice::<f64>().expect("of f64")),
                    // Nothing that was read has nothing to add up.
                    _ if read == 0 => true,
                    _ if read < written => continue,
                    _ => is_full(roof.output.as_slice::<f32>().expect("of f32")),
                };
                assert!(written, "{:?}: {work:?}", roof.limit());
            }
        }
    }
}
