//! Kernels timed against one another.
//!
//! Each round runs every kernel in turn, so that a disturbance of the machine hits all of them; a ratio is
//! the median over rounds of the two times of one round, not a quotient of medians. A turn is one call, or so
//! many short ones that it takes [`TURN`]: a single call of microseconds would measure the clock, and a
//! processor that wakes up.

use crate::roofline::{Limit, Roof, Work, percent};
use atl_call::Arguments;
use atl_call::backends::c;
use atl_call::{Bound, Compiled, Memory, Output};
use atl_diag::err;
use atl_runtime::Buffer;
use atl_session::Failure;
use std::time::{Duration, Instant};

pub use atl_runtime::{Repeats, Timing};

/// How long a turn lasts at least.
const TURN: Duration = Duration::from_micros(200);

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
    let call = kernel.call(&arguments.arrays(), &arguments.sizes()).bind()?;
    let mut memory = call.memory()?;
    Timing::measure(repeats, || call.run(Output::Stored(&mut memory)))
}

/// A kernel, and what it is called with.
pub type Entrant<'k> = (&'k Compiled, &'k Arguments);

/// Times kernels, in rounds.
///
/// # Errors
/// Arguments that do not fit, or what a kernel met.
pub fn compare(entrants: &[Entrant<'_>], repeats: Repeats) -> Result<Vec<Measured>, Failure> {
    let mut ready = Ready::all(entrants)?;
    let rounds = race(&mut ready, &mut [], repeats)?;
    Ok((0..entrants.len()).map(|k| measured(&rounds, k)).collect())
}

/// What was measured beside the machine's own bounds.
#[derive(Clone, PartialEq, Debug)]
pub struct Bounded {
    /// Each kernel.
    pub kernels: Vec<Measured>,
    /// How much of the bound each kernel reaches, in percent, by the median of paired rounds.
    pub percent: Vec<f64>,
    /// What each call must do.
    pub work: Work,
    /// The bounds: the median time that the same work takes if nothing else is done.
    pub bounds: Vec<(Limit, Duration)>,
}

/// Times kernels of one function, in rounds, and in each round the loops that bound them.
///
/// # Errors
/// As for [`compare`]; and there is no C compiler, or no memory for the bounds' own arrays.
pub fn compare_with_bounds(
    entrants: &[Entrant<'_>],
    repeats: Repeats,
    threads: usize,
) -> Result<Bounded, Failure> {
    let mut ready = Ready::all(entrants)?;
    let works = ready.iter().map(|r| Work::of(&r.call, r.memory.bytes()));
    let Some((work, &(first, _))) = works.reduce(Work::least).zip(entrants.first()) else {
        let none = Work { read: 0, written: 0, flops: None, dtype: atl_runtime::DType::F32 };
        return Ok(Bounded { kernels: Vec::new(), percent: Vec::new(), work: none, bounds: Vec::new() });
    };
    if let Some(why) = (c::BACKEND.unavailable)() {
        let refusal = err!(E0602, "the machine's bounds cannot be measured: {why}");
        return Err(first.fail(refusal.help("install a C compiler, or leave out `--roofline`")));
    }
    let mut roofs = Roof::all(&work, threads).map_err(|why| {
        let refusal = err!(E0605, "the machine's bounds cannot be measured: {why}");
        first.fail(refusal.help("choose smaller sizes, or leave out `--roofline`"))
    })?;
    let rounds = race(&mut ready, &mut roofs, repeats)?;
    let count = entrants.len();
    let reached = |k: usize| {
        let parts = roofs.iter().enumerate().map(|(r, roof)| (roof.limit(), ratio(&rounds, count + r, k)));
        percent(parts)
    };
    Ok(Bounded {
        kernels: (0..count).map(|k| measured(&rounds, k)).collect(),
        percent: (0..count).map(reached).collect(),
        work,
        bounds: roofs
            .iter()
            .enumerate()
            .map(|(r, roof)| (roof.limit(), measured(&rounds, count + r).median))
            .collect(),
    })
}

/// A kernel with its arguments and memory for its result.
struct Ready<'k> {
    call: Bound<'k>,
    memory: Memory,
    /// Of a kernel that stores over an argument: what that holds, the memory that it has at each call, and
    /// its position.
    reused: Option<(Buffer, Buffer, usize)>,
}

impl<'k> Ready<'k> {
    fn all(entrants: &[Entrant<'k>]) -> Result<Vec<Ready<'k>>, Failure> {
        let ready = entrants.iter().map(|&(kernel, arguments)| {
            let call = kernel.call(&arguments.arrays(), &arguments.sizes()).bind()?;
            let mut memory = call.memory()?;
            let reused = match kernel.signature().result.over {
                Some(place) => {
                    let copy =
                        || Buffer::from_view(&call.inputs()[place]).map_err(|why| restored(kernel, &why));
                    Some((copy()?, copy()?, place))
                }
                None => None,
            };
            if let Memory::Arrays(_) = memory {
                // How much is stored is known afterwards.
                call.run(Output::Stored(&mut memory))?;
            }
            Ok(Ready { call, memory, reused })
        });
        ready.collect()
    }

    /// How long so many calls take. What a call has stored over is there again for the next one, which is no
    /// part of either.
    fn turn(&mut self, calls: u32) -> Result<Duration, Failure> {
        let Ready { call, memory, reused } = self;
        if let Some((argument, array, place)) = reused {
            let mut time = Duration::ZERO;
            for _ in 0..calls {
                let there = array.view_mut().copy_from(argument);
                there.map_err(|why| restored(call.kernel(), &why))?;
                let start = Instant::now();
                call.run_over(*place, array.view_mut())?;
                time += start.elapsed();
            }
            return Ok(time);
        }
        let start = Instant::now();
        for _ in 0..calls {
            call.run(Output::Stored(memory))?;
        }
        Ok(start.elapsed())
    }
}

fn restored(kernel: &Compiled, why: &dyn std::fmt::Display) -> Failure {
    kernel.fail(err!(E0605, "an argument cannot be restored: {why}"))
}

/// The times of a call of all in each round: kernels, then roofs.
fn race(
    ready: &mut [Ready<'_>],
    roofs: &mut [Roof],
    repeats: Repeats,
) -> Result<Vec<Vec<Duration>>, Failure> {
    let mut rounds: Vec<Vec<Duration>> = Vec::new();
    let mut calls = vec![1; ready.len() + roofs.len()];
    for round in 0..repeats.warm_up + repeats.counted.max(1) {
        atl_interrupt::checkpoint();
        let mut times: Vec<Duration> = Vec::new();
        for (ready, calls) in ready.iter_mut().zip(&calls) {
            times.push(ready.turn(*calls)? / *calls);
        }
        for (roof, calls) in roofs.iter_mut().zip(&calls[ready.len()..]) {
            let refused =
                |why| ready[0].call.kernel().fail(err!(E0607, "a loop that bounds a kernel failed: {why}"));
            let turn = (0..*calls).map(|_| roof.run()).sum::<Result<Duration, String>>();
            times.push(turn.map_err(refused)? / *calls);
        }
        if round < repeats.warm_up {
            calls = times.iter().map(|time| calls_of(*time)).collect();
            continue;
        }
        for (roof, time) in roofs.iter().zip(&mut times[ready.len()..]) {
            *time = roof.bound(*time);
        }
        rounds.push(times);
    }
    Ok(rounds)
}

/// How many calls make a turn, if one takes so long.
fn calls_of(time: Duration) -> u32 {
    u32::try_from(TURN.as_nanos() / time.as_nanos().max(1)).unwrap_or(u32::MAX).clamp(1, 1000)
}

/// How many times as long the first takes as the second, by the median of paired rounds.
fn ratio(rounds: &[Vec<Duration>], of: usize, to: usize) -> f64 {
    let mut ratios: Vec<f64> =
        rounds.iter().map(|round| round[of].as_secs_f64() / round[to].as_secs_f64().max(1e-9)).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn measured(rounds: &[Vec<Duration>], k: usize) -> Measured {
    let mut times: Vec<Duration> = rounds.iter().map(|round| round[k]).collect();
    times.sort_unstable();
    Measured { median: times[times.len() / 2], fastest: times[0], ratio: ratio(rounds, 0, k) }
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

    #[test]
    fn short_calls_are_repeated() {
        let micros = Duration::from_micros;
        let times = [micros(1), micros(30), micros(200), micros(5000), Duration::ZERO];
        assert_eq!(times.map(calls_of), [200, 6, 1, 1, 1000]);
    }
}
