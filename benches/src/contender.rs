//! What runs side by side: our kernels, plain C, and the loops whose speed is a bound.

use crate::native::Native;
use crate::statistics::timed;
use atl_driver::{Bound, Buffer, Compiled};
use std::time::Duration;

/// Who wrote it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// The schedule.
    Atl,
    /// A textbook.
    Plain,
    /// Somebody who tunes C by hand.
    Hand,
    /// Nobody: a bound for the machine.
    Roofline,
}

impl Author {
    /// For results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Author::Atl => "atl",
            Author::Plain => "plain C",
            Author::Hand => "tuned C",
            Author::Roofline => "roofline",
        }
    }
}

/// The code.
pub(crate) enum Code<'a> {
    /// Of a schedule, with its arguments.
    Ours(Box<Compiled>, Bound<'a>),
    /// Of a C file, with its arguments.
    Native(Native, Vec<&'a Buffer>),
}

/// Code with memory of its own for its result, and the times of its runs.
pub(crate) struct Contender<'a> {
    pub(crate) name: String,
    pub(crate) author: Author,
    pub(crate) code: Code<'a>,
    pub(crate) output: Buffer,
    pub(crate) times: Vec<Duration>,
}

impl Contender<'_> {
    /// Run it once.
    pub(crate) fn run(&mut self) -> Result<Duration, String> {
        let (done, time) = match &self.code {
            Code::Ours(kernel, bound) => {
                let output = self.output.view_mut();
                timed(|| kernel.run(bound, output).map_err(|why| why.to_string()))
            }
            Code::Native(native, inputs) => timed(|| native.run(inputs, &mut self.output)),
        };
        done.map_err(|why| format!("{}: {why}", self.name))?;
        Ok(time)
    }
}

/// How many times slower than the fastest something is that is out of the race.
const HOPELESS: u32 = 10;

/// What takes less always runs in every round: one slow run of something short is a disturbance and no evidence.
const SHORT: Duration = Duration::from_secs(1);

/// Run all in turn, round by round: `A B A B`. What the first round, which warms the caches, shows to be hopeless keeps
/// its one time and runs no more, so that the others can run more often.
pub(crate) fn race(contenders: &mut [Contender<'_>], rounds: usize) -> Result<(), String> {
    let mut first = Vec::new();
    for contender in contenders.iter_mut() {
        first.push(contender.run()?);
    }
    let fastest =
        contenders.iter().zip(&first).filter(|(c, _)| c.author != Author::Roofline).map(|(_, t)| *t).min();
    let limit = SHORT.max(fastest.unwrap_or_default() * HOPELESS);
    for _ in 0..rounds {
        for (contender, _) in contenders.iter_mut().zip(&first).filter(|(_, first)| **first <= limit) {
            let time = contender.run()?;
            contender.times.push(time);
        }
    }
    for (contender, first) in contenders.iter_mut().zip(first).filter(|(c, _)| c.times.is_empty()) {
        contender.times.push(first);
    }
    Ok(())
}
