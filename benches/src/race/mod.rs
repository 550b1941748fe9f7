//! What runs side by side: our kernels, plain C, what others made of the same function, and the loops whose
//! speed is a bound.
//!
//! One idea: all run in turn, round by round, `A B A B`, so that a disturbance of the machine hits all of
//! them.

pub(crate) mod asked;
pub(crate) mod native;
mod processors;
pub(crate) mod report;
pub(crate) mod rivals;

use crate::statistics::timed;
use atl_driver::roofline::Roof;
use atl_driver::{Bound, Buffer, Memory, Output};
use native::Native;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Which races to run.
pub(crate) struct Wanted {
    /// Only those whose name, such as `blur 2000 2000`, contains this.
    pub(crate) only: String,
    /// Numbers of threads.
    pub(crate) threads: Vec<usize>,
    /// The greatest number of rounds.
    pub(crate) rounds: usize,
    /// By how much sparse tensors are made smaller.
    pub(crate) scale: usize,
    /// What is done with the result of each race, by its name.
    pub(crate) keep: fn(&str, Value) -> Result<(), String>,
}

/// Who wrote it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Author {
    /// The schedule.
    Atl,
    /// The schedule, on one thread beside more of the same: for what threads are worth.
    Alone,
    /// A person, in C.
    C,
    /// Another compiler, or a library.
    Peer(String),
}

impl Author {
    /// For results.
    pub(crate) fn name(&self) -> &str {
        match self {
            Author::Atl => "atl",
            Author::Alone => "one thread",
            Author::C => "C",
            Author::Peer(name) => name,
        }
    }
}

/// The code.
pub(crate) enum Code<'a> {
    /// Of a schedule, with its arguments.
    Ours(Bound<'a>),
    /// Of somebody else, with its arguments.
    Native(Native, &'a [Buffer]),
    /// Of another process, which has the arguments, runs it once, and says how long that took.
    Asked(Box<dyn FnMut() -> Result<Duration, String> + 'a>),
}

/// Code with memory of its own for its result, and the times of its runs.
pub(crate) struct Contender<'a> {
    pub(crate) name: String,
    pub(crate) author: Author,
    pub(crate) code: Code<'a>,
    pub(crate) output: Memory,
    pub(crate) times: Vec<Duration>,
    /// Seconds for which processors were at work in all of its runs, and seconds that passed.
    pub(crate) work: [f64; 2],
    /// What is written about it beside its times.
    pub(crate) remarks: Remarks,
}

/// What is known of a schedule before it runs.
#[derive(Clone, Default)]
pub(crate) struct Remarks {
    /// Its steps.
    pub(crate) schedule: Option<String>,
    /// Milliseconds of compiling its C with an empty cache, and of finding it in the cache.
    pub(crate) emitting: Option<[f64; 2]>,
}

impl Contender<'_> {
    /// Run it once.
    pub(crate) fn run(&mut self) -> Result<Duration, String> {
        let (done, time) = match &mut self.code {
            Code::Ours(call) => {
                let done = timed(|| call.run(Output::Stored(&mut self.output)));
                (done.0.map_err(|why| why.to_string()), done.1)
            }
            Code::Native(native, inputs) => timed(|| native.run(inputs, &mut self.output)),
            Code::Asked(ask) => return ask().map_err(|why| format!("{}: {why}", self.name)),
        };
        done.map_err(|why| format!("{}: {why}", self.name))?;
        Ok(time)
    }

    /// Run it once for its time, after a run that does not count: what ran before left its own arrays in the
    /// caches, and perhaps another clock.
    fn observed(&mut self) -> Result<(), String> {
        let (start, before) = (Instant::now(), processors::time());
        self.run()?;
        let time = undisturbed(|| self.run())?;
        self.work[1] += start.elapsed().as_secs_f64();
        self.work[0] += processors::time() - before;
        self.times.push(time);
        Ok(())
    }

    /// How many processors were at work, on average: the system counts in steps that a single run may miss.
    pub(crate) fn busy(&self) -> f64 {
        self.work[0] / self.work[1]
    }
}

/// How many rounds, and for how long.
#[derive(Clone, Copy)]
pub(crate) struct Rounds {
    /// At least these many count, and at most those.
    pub(crate) count: [usize; 2],
    /// When these are over, no round begins beyond the least number.
    pub(crate) patience: Duration,
}

/// How many times slower than the fastest something is that is out of the race.
const HOPELESS: u32 = 10;

/// What takes less always runs in every round: one slow run of something short is a disturbance and no
/// evidence.
const SHORT: Duration = Duration::from_millis(200);

/// How long to rest before a run: who has rested is not interrupted at once.
const REST: Duration = Duration::from_millis(1);

/// How long idle threads of OpenMP keep their processor busy.
const SETTLE: Duration = Duration::from_millis(20);

/// How often a run is repeated from which the system took a processor.
const TRIES: usize = 4;

/// The time of a run from which no processor was taken away; of the quickest, if there was none.
fn undisturbed(mut run: impl FnMut() -> Result<Duration, String>) -> Result<Duration, String> {
    let mut fastest = Duration::MAX;
    for _ in 0..TRIES {
        let before = processors::interruptions();
        let time = run()?;
        if processors::interruptions() == before {
            return Ok(time);
        }
        fastest = fastest.min(time);
    }
    Ok(fastest)
}

/// The times of roofs, round by round.
pub(crate) type RoofTimes = Vec<Vec<Duration>>;

/// Run all in turn. What the first round, which warms the caches, shows to be hopeless keeps its one time and
/// runs no more, so that the others can run more often.
pub(crate) fn race(
    contenders: &mut [Contender<'_>],
    roofs: &mut [Roof],
    threads: usize,
    rounds: Rounds,
) -> Result<RoofTimes, String> {
    let mut first = Vec::new();
    for contender in contenders.iter_mut() {
        first.push(contender.run()?);
    }
    for roof in roofs.iter_mut() {
        roof.run()?;
    }
    let limit = SHORT.max(first.iter().min().copied().unwrap_or_default() * HOPELESS);
    let settle = || std::thread::sleep(if threads > 1 { SETTLE } else { REST });
    let mut roof_times = vec![Vec::new(); roofs.len()];
    let pinned = (threads > 1).then(|| processors::pin(threads)).transpose()?;
    let start = Instant::now();
    for round in 0..rounds.count[1] {
        if round >= rounds.count[0] && start.elapsed() > rounds.patience {
            break;
        }
        for (contender, _) in contenders.iter_mut().zip(&first).filter(|(_, first)| **first <= limit) {
            settle();
            contender.observed()?;
        }
        for (roof, times) in roofs.iter_mut().zip(&mut roof_times) {
            settle();
            roof.run()?;
            times.push(undisturbed(|| roof.run())?);
        }
    }
    drop(pinned);
    for (contender, first) in contenders.iter_mut().zip(first).filter(|(c, _)| c.times.is_empty()) {
        contender.times.push(first);
    }
    Ok(roof_times)
}
