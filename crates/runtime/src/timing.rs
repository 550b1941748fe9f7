//! How long something takes.
//!
//! One idea: repeat, and report the median, which a disturbance by other programs hardly moves; the fastest and slowest
//! run show how much there was. The first runs, which fill caches and start threads, are not counted.

use std::time::{Duration, Instant};

/// How often to run what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// Runs that are not counted.
    pub warm_up: usize,
    /// Runs that are counted; at least one is made.
    pub counted: usize,
}

impl Default for Repeats {
    fn default() -> Repeats {
        Repeats { warm_up: 2, counted: 11 }
    }
}

/// The durations of some runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// In ascending order, not empty.
    sorted: Vec<Duration>,
}

impl Timing {
    /// Runs `work` repeatedly; the first error ends the measurement.
    pub fn measure<E>(repeats: Repeats, mut work: impl FnMut() -> Result<(), E>) -> Result<Timing, E> {
        for _ in 0..repeats.warm_up {
            work()?;
        }
        let mut sorted = Vec::new();
        for _ in 0..repeats.counted.max(1) {
            let start = Instant::now();
            work()?;
            sorted.push(start.elapsed());
        }
        sorted.sort_unstable();
        Ok(Timing { sorted })
    }

    /// The middle duration; of an even number, the mean of the middle two.
    pub fn median(&self) -> Duration {
        let (low, high) = ((self.sorted.len() - 1) / 2, self.sorted.len() / 2);
        (self.sorted[low] + self.sorted[high]) / 2
    }

    /// The shortest duration.
    pub fn fastest(&self) -> Duration {
        self.sorted[0]
    }

    /// The longest duration.
    pub fn slowest(&self) -> Duration {
        self.sorted[self.sorted.len() - 1]
    }

    /// The number of runs counted.
    pub fn runs(&self) -> usize {
        self.sorted.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(milliseconds: &[u64], median: u64) {
        let sorted = milliseconds.iter().copied().map(Duration::from_millis).collect();
        assert_eq!(Timing { sorted }.median(), Duration::from_millis(median));
    }

    #[test]
    fn medians() {
        check(&[7], 7);
        check(&[1, 3], 2);
        check(&[1, 2, 900], 2);
        check(&[1, 2, 4, 900], 3);
    }

    #[test]
    fn runs_are_counted_and_errors_end_it() {
        let mut calls = 0;
        let repeats = Repeats { warm_up: 2, counted: 5 };
        let timing = Timing::measure(repeats, || {
            calls += 1;
            Ok::<(), ()>(())
        });
        let timing = timing.expect("no error");
        assert_eq!((calls, timing.runs()), (7, 5));
        assert!(timing.fastest() <= timing.median() && timing.median() <= timing.slowest());
        assert_eq!(Timing::measure(Repeats { warm_up: 0, counted: 0 }, || Err("no")), Err("no"));
    }
}
