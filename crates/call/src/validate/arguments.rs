//! Made-up arguments that a function accepts.
//!
//! One idea: whether arguments will do is what a call decides ([`Call::bind`](crate::Call::bind)); here are
//! only guesses. Arrays of integers hold anything at first, then what [`satisfy`] finds, then numbers below
//! every size. Tensors in formats have entries at random, or fewer where the format has no space for those.

use super::numbers::{Numbers, Spice};
use super::sizes;
use crate::arguments::Arguments;
use crate::call::{Compiled, Refused};
use crate::made_up::satisfy;
use atl_loops::{Kernel, Literal, Machine as _};
use atl_runtime::{Buffer, BufferError, Coordinates, Duplicates, Parts, Tensor, Wish, Zeros, with_element};
use atl_session::signature::{Operand, Signature};
use std::collections::BTreeSet;

/// Up to this number of places, each place of a tensor draws whether it has an entry.
const SMALL: usize = 4096;

/// The most elements that an array has which is made up, or a result.
const MOST: usize = 1 << 20;

/// Arguments for sizes near these, or why there are none.
pub(super) fn arguments(
    kernel: &Compiled,
    loops: &Kernel,
    wanted: &[i64],
    spice: Spice,
    seed: u64,
) -> Result<Arguments, String> {
    let signature = kernel.signature();
    let mut numbers = Numbers::new(seed);
    let near = sizes::near(signature, wanted).ok_or("no sizes were found that satisfy the preconditions")?;
    let mut arguments = Arguments {
        sizes: signature.sizes.iter().zip(&near).filter_map(|(s, n)| Some((s.name.clone(), (*n)?))).collect(),
        ..Arguments::default()
    };
    for operand in &signature.operands {
        pack(&mut arguments, signature, operand, spice, &mut numbers)?;
    }
    let sizes: Option<Vec<i64>> = arguments.known_sizes(signature).into_iter().collect();
    let sizes = sizes.ok_or("a size is not that of any array")?;
    let shapes = signature.shapes(&sizes)?;
    let result = signature.shape(&signature.result.extents, &sizes);
    if !shapes.iter().chain(&result).all(|shape| is_small(shape)) {
        return Err("arrays are too large to be made up".to_owned());
    }
    arguments.sizes = signature.sizes.iter().map(|s| s.name.clone()).zip(sizes.iter().copied()).collect();
    let ends = loops.ends();
    let packed: BTreeSet<String> = arguments.arrays.iter().map(|(name, _)| name.clone()).collect();
    for (p, shape) in signature.arrays.iter().zip(&shapes) {
        if !packed.contains(&p.name) {
            // Loops whose ends are read are short or do not run: long ones could not be tried.
            let is_end = ends.iter().any(|name| name.as_str() == p.name);
            let spice = if is_end { Spice::Exact } else { spice };
            let made = numbers.buffer(p.elem, spice, shape).map_err(|why| why.to_string())?;
            arguments.arrays.push((p.name.clone(), made));
        }
    }
    let mut refused = kernel.call(&arguments.arrays(), &arguments.sizes()).accepted().map(drop);
    if let Err(Refused::Unmet(_)) = refused {
        let seed = numbers.bits();
        let order = |k: usize| (Numbers::new(seed ^ k as u64).bits() >> 32) as usize;
        satisfy(signature, &sizes, &mut arguments.arrays, &packed, &order);
        refused = kernel.call(&arguments.arrays(), &arguments.sizes()).accepted().map(drop);
    }
    if let Err(Refused::OutOfRange(_)) = refused {
        let least = sizes.iter().copied().filter(|n| *n > 0).min().unwrap_or(1);
        let looked_at = |name: &str| !packed.contains(name) && is_looked_at(loops, name);
        for (_, buffer) in arguments.arrays.iter_mut().filter(|(name, _)| looked_at(name)) {
            lower(buffer, least, &mut numbers).map_err(|why| why.to_string())?;
        }
        refused = kernel.call(&arguments.arrays(), &arguments.sizes()).accepted().map(drop);
    }
    match refused {
        Ok(()) => Ok(arguments),
        Err(Refused::Unmet(_)) => {
            Err("no contents of arrays were found that satisfy the preconditions".to_owned())
        }
        Err(Refused::OutOfRange(_)) => Err("index arithmetic leaves 64 bits".to_owned()),
        Err(Refused::Otherwise(why)) => Err(why.message.clone()),
    }
}

/// Has an array of this shape few enough elements?
fn is_small(shape: &[usize]) -> bool {
    shape.iter().try_fold(1usize, |count, n| count.checked_mul(*n)).is_some_and(|count| count <= MOST)
}

/// Does an index term read the array?
fn is_looked_at(loops: &Kernel, name: &str) -> bool {
    loops.index_reads().iter().any(|read| read.as_str() == name)
}

/// Puts integers below a bound in place of others.
fn lower(buffer: &mut Buffer, bound: i64, numbers: &mut Numbers) -> Result<(), BufferError> {
    let mut next = || numbers.below(bound.unsigned_abs());
    if buffer.dtype().is_integer() {
        with_element!(buffer.dtype(), T => {
            buffer.as_mut_slice::<T>()?.iter_mut().for_each(|x| *x = <T>::of(Literal::u64(next())));
        });
    }
    Ok(())
}

/// Gives a parameter in a format a tensor that the format has space for: at random, else fewer entries.
fn pack(
    arguments: &mut Arguments,
    signature: &Signature,
    operand: &Operand,
    spice: Spice,
    numbers: &mut Numbers,
) -> Result<(), String> {
    let shape = signature.known_shape(&operand.extents, &arguments.stated(signature));
    let shape = shape.ok_or("the shape of a tensor is not known")?;
    let mut why = String::new();
    for pattern in [Pattern::Random, Pattern::OneEach, Pattern::Diagonal, Pattern::Nothing] {
        let columns = pattern.columns(&shape, numbers);
        let count = columns.first().map_or(1, Vec::len);
        let values = numbers.buffer(operand.elem, spice, &[count]).map_err(|why| why.to_string())?;
        let parts = Parts { shape: shape.clone(), columns, values };
        let wish = Wish { duplicates: Duplicates::Add, zeros: Zeros::Keep };
        let tensor = Coordinates::try_new(parts).and_then(|tensor| tensor.arranged(wish));
        let tensor = Tensor::Sparse(tensor.map_err(|why| why.to_string())?);
        match arguments.pack(signature, operand, &tensor) {
            Ok(()) => return Ok(()),
            Err(refusal) => why = refusal.message.clone(),
        }
    }
    Err(why)
}

/// Where there are entries.
#[derive(Clone, Copy)]
enum Pattern {
    /// Here and there; some rows are empty.
    Random,
    /// One for each index of the first dimension.
    OneEach,
    /// Where all coordinates are equal.
    Diagonal,
    /// Nowhere.
    Nothing,
}

impl Pattern {
    /// The coordinates, a column for each dimension, in order and none twice.
    fn columns(self, shape: &[usize], numbers: &mut Numbers) -> Vec<Vec<usize>> {
        let cells = shape.iter().try_fold(1usize, |cells, n| cells.checked_mul(*n));
        let rows = shape.first().copied().unwrap_or(1);
        let below = |n: usize, numbers: &mut Numbers| usize::try_from(numbers.below(n as u64)).unwrap_or(0);
        let mut entries: Vec<Vec<usize>> = match (self, cells) {
            (_, Some(0)) | (Pattern::Nothing, _) => Vec::new(),
            (Pattern::Random, Some(cells)) if cells <= SMALL => {
                let place = |mut at: usize| -> Vec<usize> {
                    let mut parts: Vec<usize> = shape.iter().rev().map(|n| (at % n, at /= n).0).collect();
                    parts.reverse();
                    parts
                };
                let all = (0..cells).map(place);
                all.filter(|at| at.first().is_none_or(|row| row % 5 != 3) && numbers.one_in(3)).collect()
            }
            (Pattern::Random, _) => {
                (0..rows.min(SMALL) * 4).map(|_| shape.iter().map(|n| below(*n, numbers)).collect()).collect()
            }
            (Pattern::OneEach, _) => (0..rows.min(SMALL))
                .map(|row| {
                    let others = shape.iter().skip(1).map(|n| below(*n, numbers));
                    std::iter::once(row).chain(others).take(shape.len()).collect()
                })
                .collect(),
            (Pattern::Diagonal, _) => {
                let least = shape.iter().copied().min().unwrap_or(1).min(SMALL);
                (0..least).map(|k| vec![k; shape.len()]).collect()
            }
        };
        entries.sort_unstable();
        entries.dedup();
        (0..shape.len()).map(|d| entries.iter().map(|at| at[d]).collect()).collect()
    }
}
