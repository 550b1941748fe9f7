//! Reads beside others: what brings the one brings the other, as the three of a stencil's row.
//!
//! Of reads in the same loops whose cells are always less than [`NEAR`] apart one is kept, if its conditions are among those of
//! the others. The outermost of the others may reach into the next line, which is asked for when its own turn comes.
//!
//! So it is with the rest of a loop that was cut: an iteration, or none, after those of a loop whose last one reads nearby. A loop for it
//! would cost a row of tens of entries more than the line is worth that it may reach into; a row of the rest alone is not asked for.

use super::{Frame, Read};
use crate::passes::{Substitute, rewrite_int};
use crate::{Int, IntOp, Name};

/// So many cells of 8 bytes are a line of memory.
const NEAR: u64 = 8;

/// The reads without those that are beside another one.
pub(super) fn apart(mut reads: Vec<Read>) -> Vec<Read> {
    reads.sort_by_key(|(frames, _)| conditions(frames).count());
    let mut kept: Vec<Read> = Vec::new();
    for read in reads {
        if !kept.iter().any(|other| is_beside(&read, other) || is_rest(&read, other)) {
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

/// Is the one loop in which they differ the rest of the second's, and what it reads beside what that read last?
fn is_rest((frames, cell): &Read, (others, other): &Read) -> bool {
    let mut differing = loops(frames).zip(loops(others)).filter(|(own, other)| own != other);
    let (Some((own, cut)), None) = (differing.next(), differing.next()) else { return false };
    let (Some((var, hi)), Some((before, end))) = (from_zero(own), from_zero(cut)) else { return false };
    let first = put(cell, var, Int::Lit(0));
    let last = put(other, before, end.clone() - Int::Lit(1));
    loops(frames).count() == loops(others).count()
        && conditions(others).all(|cond| conditions(frames).any(|own| own == cond))
        && is_one_at_most(hi)
        && distance(&first, &last).is_some_and(|cells| cells.unsigned_abs() < NEAR)
}

/// The variable and the end of a loop that begins with 0.
fn from_zero(frame: &Frame) -> Option<(&Name, &Int)> {
    match frame {
        Frame::Loop { var, lo: Int::Lit(0), hi } => Some((var, hi)),
        _ => None,
    }
}

fn put(cell: &Int, var: &Name, by: Int) -> Int {
    rewrite_int(&Substitute { var: var.clone(), by }, cell)
}

/// Is it 1 at most, as the difference of two quotients is whose numerators differ by a constant?
///
/// `(b + d) / k - b / k <= ceil(d / k)`.
fn is_one_at_most(count: &Int) -> bool {
    let mut sum = Sum { constant: 0, parts: Vec::new() };
    if sum.add(count, 1).is_none() {
        return false;
    }
    sum.parts.retain(|(_, times)| *times != 0);
    let quotients = match sum.parts[..] {
        [] => Some(0),
        [(a, 1), (b, -1)] | [(b, -1), (a, 1)] => quotients(a, b),
        _ => None,
    };
    quotients.and_then(|most| most.checked_add(sum.constant)).is_some_and(|most| most <= 1)
}

/// The most by which a quotient is greater than another one with the same divisor.
fn quotients(a: &Int, b: &Int) -> Option<i64> {
    let (Int::Bin(IntOp::Div, a, k), Int::Bin(IntOp::Div, b, same)) = (a, b) else { return None };
    let k = k.constant().filter(|k| *k > 0 && same.constant() == Some(*k))?;
    let differ = distance(a, b)?;
    Some(differ.checked_add(k - 1)?.div_euclid(k))
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
