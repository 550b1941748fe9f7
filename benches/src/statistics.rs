//! Medians, and ratios of what ran side by side.
//!
//! One idea: on a shared machine a time says little and a ratio of two times of one round says much, since a
//! disturbance of the round hits both. A ratio is therefore the median over rounds, not a quotient of
//! medians.

use std::time::{Duration, Instant};

/// The middle value; of an even number, the upper of the middle two; of none, not a number.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// In milliseconds.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The median of some times, in milliseconds.
pub(crate) fn median_ms(times: &[Duration]) -> f64 {
    median(times.iter().copied().map(milliseconds))
}

/// The shortest of some times, in milliseconds.
pub(crate) fn fastest_ms(times: &[Duration]) -> f64 {
    times.iter().copied().map(milliseconds).fold(f64::INFINITY, f64::min)
}

/// How many times as fast the first is as the second, by paired rounds.
pub(crate) fn speedup(of: &[Duration], over: &[Duration]) -> f64 {
    median(of.iter().zip(over).map(|(of, over)| over.as_secs_f64() / of.as_secs_f64().max(1e-9)))
}

/// What a computation gave, and how long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// For how long this thread has run on a processor so far, in milliseconds; not a number where the system
/// does not say.
pub(crate) fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|n| n.parse::<f64>().ok());
    nanoseconds.map_or(f64::NAN, |ns| ns / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(of: &[u64], over: &[u64], expected: f64) {
        let times = |ms: &[u64]| ms.iter().copied().map(Duration::from_millis).collect::<Vec<_>>();
        assert_eq!(speedup(&times(of), &times(over)), expected);
    }

    #[test]
    fn a_disturbed_round_does_not_count() {
        check(&[10, 1000, 10], &[20, 2000, 20], 2.0);
        check(&[10, 1000, 10], &[20, 20, 20], 2.0);
    }

    #[test]
    fn the_median_of_nothing_is_no_number() {
        assert!(median([]).is_nan());
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
    }
}
