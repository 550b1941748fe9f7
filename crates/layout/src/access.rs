//! What a warp's requests ask of memory: banks of shared memory, sectors of global memory.
//!
//! A layout maps (thread, value) to the place of an entry; a layout of one mode has one value for each thread. A request is
//! made by 32 threads, each for some neighbouring values at once. The bases are aligned to 128 bytes.

use crate::functions::MOST_VALUES;
use crate::refusal::{Kind, Refusal, Result};
use crate::swizzle::Composed;
use std::collections::BTreeSet;

/// Threads of a warp.
const WARP: usize = 32;
/// Banks of shared memory.
const BANKS: usize = 32;
/// Bytes of a word of a bank.
const WORD: i64 = 4;
/// Bytes that shared memory delivers at a time.
const WAVE: i64 = 128;
/// Bytes of a sector of global memory.
const SECTOR: i64 = 32;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    Banks,
    Sectors,
}

/// The places that threads ask for.
pub(crate) struct Access {
    /// By thread, then by value.
    places: Vec<Vec<i64>>,
    bytes: i64,
    vector: usize,
}

impl Access {
    /// The places of a layout whose entries have so many bytes, asked for in vectors.
    pub(crate) fn try_new(layout: &Composed, bytes: i64, vector: i64) -> Result<Access> {
        let table = layout.table(MOST_VALUES)?;
        let threads = layout.layout.modes().next().map_or(1, |mode| mode.size()) as usize;
        let values = table.len() / threads;
        let vector = usize::try_from(vector).unwrap_or(usize::MAX);
        if bytes > WAVE || vector > values || !values.is_multiple_of(vector) {
            let asked = format!("{values} values of {bytes} bytes a thread are asked for by {vector}");
            return Err(Refusal::new(Kind::Range, asked).note(format!(
                "the number of values is a multiple of the vector, and an entry has at most {WAVE} bytes"
            )));
        }
        if let Some(place) = table.iter().find(|place| **place < 0 || **place > i64::MAX / WAVE - WAVE) {
            return Err(Refusal::new(Kind::Range, format!("an entry is at the place {place}"))
                .note("places in memory are counted from 0, and their bytes are numbers"));
        }
        let places = (0..threads).map(|t| (0..values).map(|v| table[t + v * threads]).collect());
        Ok(Access { places: places.collect(), bytes, vector })
    }

    /// The worst request: its count, and where it is, in words.
    pub(crate) fn worst(&self, request: Request) -> (i64, String) {
        let lanes = match request {
            Request::Sectors => WARP,
            // A wider vector is delivered to fewer threads at a time.
            Request::Banks => {
                let each = self.bytes.saturating_mul(i64::try_from(self.vector).unwrap_or(i64::MAX));
                usize::try_from(WAVE / each).unwrap_or(1).clamp(1, WARP)
            }
        };
        let mut worst = (0, String::new());
        for (group, threads) in self.places.chunks(lanes).enumerate() {
            let steps = threads.first().map_or(0, |values| values.len() / self.vector);
            for step in 0..steps {
                let from = step * self.vector;
                let places = threads.iter().flat_map(|values| &values[from..from + self.vector]);
                let bytes = places.map(|place| (place * self.bytes, (place + 1) * self.bytes - 1));
                let (count, what) = match request {
                    Request::Banks => banks(bytes),
                    Request::Sectors => (units(bytes, SECTOR).len(), String::new()),
                };
                if count as i64 > worst.0 {
                    let first = group * lanes;
                    let last = first + threads.len() - 1;
                    worst =
                        (count as i64, format!("threads {first} to {last}, values from {from} on: {what}"));
                }
            }
        }
        worst
    }

    /// How many sectors the bytes of a full request have at least.
    pub(crate) fn fewest_sectors(&self) -> i64 {
        let bytes = self.bytes * (self.vector * self.places.len().min(WARP)) as i64;
        (bytes + SECTOR - 1) / SECTOR
    }
}

/// The units of so many bytes that ranges of bytes touch.
fn units(bytes: impl Iterator<Item = (i64, i64)>, unit: i64) -> BTreeSet<i64> {
    bytes.flat_map(|(first, last)| first / unit..=last / unit).collect()
}

/// The most words of one bank.
fn banks(bytes: impl Iterator<Item = (i64, i64)>) -> (usize, String) {
    let mut counts = [0; BANKS];
    for word in units(bytes, WORD) {
        counts[(word % BANKS as i64) as usize] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let bank = counts.iter().position(|count| *count == most).unwrap_or(0);
    (most, format!("{most} words of bank {bank}"))
}
