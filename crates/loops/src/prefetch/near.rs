//! Reads beside others: what brings the one brings the other, as the three of a stencil's row.
//!
//! Of reads in the same loops whose cells are always less than [`NEAR`] apart one is kept, if its conditions are among those of
//! the others. The outermost of the others may reach into the next line, which is asked for when its own turn comes.

use super::{Frame, Read};
use crate::{Int, IntOp};

/// So many cells of 8 bytes are a line of memory.
const NEAR: u64 = 8;

/// The reads without those that are beside another one.
pub(super) fn apart(mut reads: Vec<Read>) -> Vec<Read> {
    reads.sort_by_key(|(frames, _)| conditions(frames).count());
    let mut kept: Vec<Read> = Vec::new();
    for read in reads {
        if !kept.iter().any(|other| is_beside(&read, other)) {
            kept.push(read);
        }
    }
    kept
}

/// Is what the first one reads brought by the second?
fn is_beside((frames, cell): &Read, (others, other): &Read) -> bool {
    loops(frames).eq(loops(others))
        && conditions(others).all(|cond| conditions(frames).any(|own| own == cond))
        && distance(cell, other).is_some_and(|cells| cells.unsigned_abs() < NEAR)
}

fn loops(frames: &[Frame]) -> impl Iterator<Item = &Frame> {
    frames.iter().filter(|frame| matches!(frame, Frame::Loop { .. }))
}

fn conditions(frames: &[Frame]) -> impl Iterator<Item = &Frame> {
    frames.iter().filter(|frame| matches!(frame, Frame::When(_)))
}

/// By how much one term is always greater than another, if that is seen from their sums.
fn distance(a: &Int, b: &Int) -> Option<i64> {
    let mut sum = Sum { constant: 0, parts: Vec::new() };
    sum.add(a, 1)?;
    sum.add(b, -1)?;
    sum.parts.iter().all(|(_, times)| *times == 0).then_some(sum.constant)
}

/// A constant and terms, each so many times.
struct Sum<'t> {
    constant: i64,
    parts: Vec<(&'t Int, i64)>,
}

impl<'t> Sum<'t> {
    fn add(&mut self, int: &'t Int, times: i64) -> Option<()> {
        match int {
            Int::Lit(n) => self.constant = self.constant.checked_add(n.checked_mul(times)?)?,
            Int::Bin(IntOp::Add, a, b) => {
                self.add(a, times)?;
                self.add(b, times)?;
            }
            Int::Bin(IntOp::Sub, a, b) => {
                self.add(a, times)?;
                self.add(b, times.checked_neg()?)?;
            }
            Int::Bin(IntOp::Mul, a, b) if a.constant().is_some() => {
                self.add(b, times.checked_mul(a.constant()?)?)?;
            }
            Int::Bin(IntOp::Mul, a, b) if b.constant().is_some() => {
                self.add(a, times.checked_mul(b.constant()?)?)?;
            }
            part => match self.parts.iter_mut().find(|(other, _)| *other == part) {
                Some((_, count)) => *count = count.checked_add(times)?,
                None => self.parts.push((part, times)),
            },
        }
        Some(())
    }
}
