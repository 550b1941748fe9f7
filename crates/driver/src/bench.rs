//! Kernels timed against one another.
//!
//! Each round runs every kernel once, in turn, so that a disturbance of the machine hits all of them; a ratio is the
//! median over rounds of the two times of one round, not a quotient of medians.

use crate::arguments::Arguments;
use crate::call::Compiled;
use crate::failure::Failure;
use std::time::{Duration, Instant};

pub use atl_runtime::{Repeats, Timing};

/// What was measured of one kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// The median time of a run.
    pub median: Duration,
    /// The shortest time of a run.
    pub fastest: Duration,
    /// How many times as fast as the first kernel, by the median of paired rounds.
    pub ratio: f64,
}

/// The time that calls of a kernel take, the arguments already checked.
///
/// # Errors
/// Arguments that do not fit, or what the kernel met.
pub fn time(kernel: &Compiled, arguments: &Arguments, repeats: Repeats) -> Result<Timing, Failure> {
    let bound = kernel.bind(&arguments.arrays(), &arguments.sizes())?;
    let mut output = kernel.allocate(&bound)?;
    Timing::measure(repeats, || kernel.run(&bound, output.view_mut()))
}

/// Times kernels on the same arguments, in rounds.
///
/// # Errors
/// Arguments that do not fit, or what a kernel met.
pub fn compare(
    kernels: &[Compiled],
    arguments: &Arguments,
    repeats: Repeats,
) -> Result<Vec<Measured>, Failure> {
    let (arrays, sizes) = (arguments.arrays(), arguments.sizes());
    let mut ready = Vec::new();
    for kernel in kernels {
        let bound = kernel.bind(&arrays, &sizes)?;
        let output = kernel.allocate(&bound)?;
        ready.push((kernel, bound, output));
    }
    let mut rounds: Vec<Vec<Duration>> = Vec::new();
    for round in 0..repeats.warm_up + repeats.counted.max(1) {
        let mut times = Vec::new();
        for (kernel, bound, output) in &mut ready {
            let start = Instant::now();
            kernel.run(bound, output.view_mut())?;
            times.push(start.elapsed());
        }
        if round >= repeats.warm_up {
            rounds.push(times);
        }
    }
    Ok((0..kernels.len()).map(|k| measured(&rounds, k)).collect())
}

fn measured(rounds: &[Vec<Duration>], k: usize) -> Measured {
    let mut times: Vec<Duration> = rounds.iter().map(|round| round[k]).collect();
    times.sort_unstable();
    let mut ratios: Vec<f64> =
        rounds.iter().map(|round| round[0].as_secs_f64() / round[k].as_secs_f64().max(1e-9)).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    Measured { median: times[times.len() / 2], fastest: times[0], ratio: ratios[ratios.len() / 2] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rounds: &[[u64; 2]], median: u64, ratio: f64) {
        let rounds: Vec<Vec<Duration>> =
            rounds.iter().map(|round| round.iter().map(|t| Duration::from_micros(*t)).collect()).collect();
        let found = measured(&rounds, 1);
        assert_eq!((found.median, found.ratio), (Duration::from_micros(median), ratio));
    }

    #[test]
    fn ratios_are_of_paired_rounds() {
        check(&[[10, 5]], 5, 2.0);
        // The second round was slow for both: it does not distort the ratio.
        check(&[[10, 5], [1000, 500], [10, 5]], 5, 2.0);
        check(&[[10, 20], [10, 20], [10, 1]], 20, 0.5);
    }
}
