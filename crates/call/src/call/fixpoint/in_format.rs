//! Iteration over a tensor in a format: what a call appends is packed as the argument of the next.
//!
//! The one idea: a state is its entries in order, whatever formats the parameter and the result have. How
//! many there are may change with each call, so each call binds its arguments again.

use super::{Change, End, FixpointResult, Step, StopCondition, Watch, watched};
use crate::backends::CallError;
use crate::call::binding::Given;
use crate::call::{Bound, Call, Compiled};
use crate::sparse::packed;
use crate::sparse_result::SparseResult;
use atl_loops::Machine as _;
use atl_runtime::{Buffer, BufferError, Coordinates, Duplicates, Tensor, Wish, Zeros, with_element};
use atl_session::Failure;
use atl_session::signature::{Operand, Storage};
use std::cmp::Ordering;

/// Nothing is added up, and nothing left out.
const AS_IT_IS: Wish = Wish { duplicates: Duplicates::Refuse, zeros: Zeros::Keep };

impl Compiled {
    /// Whether an iteration over this parameter is one over a tensor in a format.
    pub fn iterates_in_format(&self, name: &str) -> bool {
        let signature = self.signature();
        matches!(signature.result.storage, Storage::Sparse { .. }) && signature.operand(name).is_some()
    }
}

impl Bound<'_> {
    /// [`Bound::iterate_watched`] over a parameter in a format, of a function whose result has one.
    ///
    /// # Errors
    /// As for [`Bound::iterate`], and what the watcher refuses.
    pub fn iterate_in_format(
        &self,
        name: &str,
        stop: StopCondition,
        watch: &mut Watch<'_, SparseResult>,
    ) -> Result<FixpointResult<SparseResult>, Failure> {
        let operand = self.replaceable_in_format(name)?;
        let mut value = self.argument(operand)?;
        let mut entries = self.entries(&value)?;
        let (mut given, mut last) = (value.arrays.clone(), None);
        for calls in 1..=stop.most() {
            let Some(next) = self.with_operand(operand, &given)?.sparse()? else { break };
            let found = self.entries(&next)?;
            let end = match stop {
                StopCondition::Times(_) => None,
                _ if same(&entries, &found) => Some(End::Stable),
                StopCondition::Small(change, _) => {
                    let small = self.is_small(change, &entries, &found, value.zero())?;
                    small.then_some(End::Small)
                }
                StopCondition::Stable(_) => None,
            };
            if let Some(end) = watched(end, &Step { calls, before: &value, after: &next }, watch)? {
                return Ok(FixpointResult { value: next, calls, end });
            }
            let tensor = found.clone().arranged(AS_IT_IS).map(Tensor::Sparse);
            let tensor = tensor.map_err(|why| self.kernel.failed(CallError::Backend(why.to_string())))?;
            let packed = packed(self.signature(), operand, &tensor).map_err(|d| self.kernel.fail(*d))?;
            last = Some(std::mem::replace(&mut entries, found));
            value = next;
            given = packed.arrays;
        }
        match stop {
            StopCondition::Times(calls) => Ok(FixpointResult { value, calls, end: End::Counted }),
            stop => Err(self.not_ended(name, stop, |change| {
                let pair = last.as_ref().and_then(|last| side_by_side(last, &entries, value.zero()).ok());
                pair.map_or(f64::NAN, |(before, after)| change.between(&before, &after))
            })),
        }
    }

    /// The same call with these arrays for the parameter, all of it checked: how many entries there are may
    /// be another number.
    fn with_operand<'b>(
        &'b self,
        operand: &Operand,
        arrays: &'b [(String, Buffer)],
    ) -> Result<Bound<'b>, Failure> {
        let mut inputs: Vec<_> = self.inputs().iter().cloned().map(Some).collect();
        for (place, (_, array)) in operand.arrays.clone().zip(arrays) {
            inputs[place] = Some(array.view());
        }
        let given = Given { arrays: inputs, sizes: self.fitting.stated.clone() };
        Call { kernel: self.kernel.clone(), given: Ok(given) }.bind()
    }

    /// The parameter in a format that a result may replace.
    fn replaceable_in_format(&self, name: &str) -> Result<&Operand, Failure> {
        let result = &self.signature().result;
        let is_sparse = matches!(result.storage, Storage::Sparse { .. });
        let Some(operand) = self.signature().operand(name).filter(|_| is_sparse) else {
            return Err(self.not_next(name, "they are not both in formats".to_owned()));
        };
        if operand.elem != result.elem {
            let (ours, theirs) = (result.elem, operand.elem);
            return Err(
                self.not_next(name, format!("its elements are `{ours}`, and those of `{name}` `{theirs}`"))
            );
        }
        Ok(operand)
    }

    /// The argument that is given for the parameter, of the result's shape.
    fn argument(&self, operand: &Operand) -> Result<SparseResult, Failure> {
        let shape = self.signature().shape(&operand.extents, self.sizes());
        if shape.as_deref() != Some(self.shape()) {
            let (ours, theirs) = (self.shape(), shape.unwrap_or_default());
            let why = format!("its shape is {ours:?}, and that of `{}` {theirs:?}", operand.name);
            return Err(self.not_next(&operand.name, why));
        }
        let arrays = operand.arrays.clone().map(|place| {
            let copy = Buffer::from_view(&self.inputs()[place])?;
            Ok((self.signature().arrays[place].name.clone(), copy))
        });
        let arrays = arrays.collect::<Result<_, _>>().map_err(|why| self.no_memory(&why))?;
        SparseResult::of_operand(operand, self.shape(), arrays).map_err(|why| self.kernel.fail(*why))
    }

    /// The entries in order.
    fn entries(&self, state: &SparseResult) -> Result<Coordinates, Failure> {
        let ordered = state.entries().and_then(|entries| {
            let arranged = entries.arranged(AS_IT_IS).map_err(|why| why.to_string())?;
            Ok(arranged.coordinates)
        });
        ordered.map_err(|why| self.kernel.failed(CallError::Backend(why)))
    }

    fn is_small(
        &self,
        change: Change,
        before: &Coordinates,
        after: &Coordinates,
        zero: f64,
    ) -> Result<bool, Failure> {
        let pair = side_by_side(before, after, zero).map_err(|_| self.kernel.failed(CallError::NoMemory))?;
        Ok(change.is_small(&pair.0, &pair.1, &mut 0))
    }
}

/// Equal bit for bit.
fn same(a: &Coordinates, b: &Coordinates) -> bool {
    a.columns() == b.columns() && a.values().as_bytes() == b.values().as_bytes()
}

/// The numbers of two tensors at every place where one of them has an entry.
fn side_by_side(a: &Coordinates, b: &Coordinates, zero: f64) -> Result<(Buffer, Buffer), BufferError> {
    let (all_a, all_b) = (numbers(a.values())?, numbers(b.values())?);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut at_a, mut at_b) = (0, 0);
    while at_a < all_a.len() || at_b < all_b.len() {
        let order = match (at_a < all_a.len(), at_b < all_b.len()) {
            (true, true) => place(a, at_a).cmp(place(b, at_b)),
            (true, false) => Ordering::Less,
            (false, _) => Ordering::Greater,
        };
        let take = |all: &[f64], at: &mut usize, is_there: bool| match is_there {
            true => {
                *at += 1;
                all[*at - 1]
            }
            false => zero,
        };
        ours.push(take(&all_a, &mut at_a, order != Ordering::Greater));
        theirs.push(take(&all_b, &mut at_b, order != Ordering::Less));
    }
    Ok((Buffer::from_slice(&ours, &[ours.len()])?, Buffer::from_slice(&theirs, &[theirs.len()])?))
}

/// The coordinates of an entry.
fn place(entries: &Coordinates, at: usize) -> impl Iterator<Item = usize> + '_ {
    entries.columns().iter().map(move |column| column[at])
}

fn numbers(values: &Buffer) -> Result<Vec<f64>, BufferError> {
    with_element!(values.dtype(), T => {
        Ok(values.as_slice::<T>()?.iter().map(|x| x.value().to_f64()).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_runtime::Parts;

    fn vector(entries: &[(usize, f64)]) -> Coordinates {
        let columns = vec![entries.iter().map(|(at, _)| *at).collect()];
        let values: Vec<f64> = entries.iter().map(|(_, value)| *value).collect();
        let values = Buffer::from_slice(&values, &[values.len()]).expect("small");
        Coordinates::try_new(Parts { shape: vec![9], columns, values }).expect("in range")
    }

    #[test]
    fn entries_stand_beside_entries_or_zero() {
        let check = |a: &[(usize, f64)], b: &[(usize, f64)], ours: &[f64], theirs: &[f64]| {
            let (x, y) = side_by_side(&vector(a), &vector(b), -1.0).expect("small");
            assert_eq!(
                (x.as_slice::<f64>().expect("f64"), y.as_slice::<f64>().expect("f64")),
                (ours, theirs)
            );
        };
        check(
            &[(1, 2.0), (4, 3.0)],
            &[(0, 5.0), (4, 6.0), (8, 7.0)],
            &[-1.0, 2.0, 3.0, -1.0],
            &[5.0, -1.0, 6.0, 7.0],
        );
        check(&[], &[(3, 1.0)], &[-1.0], &[1.0]);
        check(&[(3, 1.0)], &[], &[1.0], &[-1.0]);
        check(&[], &[], &[], &[]);
    }

    #[test]
    fn the_same_entries_are_the_same_bits() {
        assert!(same(&vector(&[(1, 2.0)]), &vector(&[(1, 2.0)])));
        for other in [&[(1, 2.5)][..], &[(2, 2.0)], &[], &[(1, 2.0), (3, 0.0)]] {
            assert!(!same(&vector(&[(1, 2.0)]), &vector(other)));
        }
        assert!(!same(&vector(&[(1, 0.0)]), &vector(&[(1, -0.0)])));
    }
}
