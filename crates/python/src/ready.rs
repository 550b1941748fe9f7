//! A call like one of the last few: arrays of the same types and shapes, by position.
//!
//! The one idea: what a call checks follows from types and shapes, so a call that has those of an earlier
//! one compares a few words of each array and runs; what a kernel requires of the contents of arrays is
//! checked each time. Whatever differs goes the long way
//! ([`call`](crate::call)), which says what is wrong.

use crate::call::{Prepared, away};
use crate::compiled::threads_now;
use crate::data::{Operand, addresses, addresses_of, like, plain_array, view_mut_of, view_of};
use crate::errors;
use crate::kernel::{Kernel, Role};
use crate::results;
use crate::sparse::Packed;
use crate::stored::Stored;
use atl_driver::{Arguments, BufferView, Shaped};
use atl_runtime::DType;
use numpy::npyffi::flags::{NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE};
use numpy::{PyArrayDescr, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ops::Range;
use std::sync::{Arc, Weak};

/// A kernel that makes fewer operations and iterations is run with Python's lock kept: to give it away
/// takes as long.
const SHORT: f64 = 10_000.0;

/// What an argument by position must be.
enum Slot {
    /// An array with these elements, and its number of bytes, for this parameter.
    Array(usize, Py<PyArrayDescr>, usize),
    /// The tensor with these arrays, by the parameters' positions. It is not kept alive here.
    Packed(Weak<Arguments>, Vec<(usize, usize)>),
    /// A value of `scipy.sparse` like this one, read where it is.
    Stored(Stored),
}

/// What is known of calls like one before.
pub(crate) struct Ready {
    shaped: Shaped,
    slots: Vec<Slot>,
    /// The elements of the result, and how many bytes it has.
    descr: Py<PyArrayDescr>,
    bytes: usize,
    threads: usize,
    is_short: bool,
}

impl Ready {
    /// What is known after a call with these arguments, if calls like it need no other check.
    pub(crate) fn after(
        kernel: &Kernel,
        py: Python<'_>,
        (args, kwargs): (&Bound<'_, PyTuple>, Option<&Bound<'_, PyDict>>),
        prepared: &Prepared<'_>,
        bound: &atl_driver::Bound<'_>,
    ) -> Option<Ready> {
        let is_option = |(name, _): &(Bound<'_, PyAny>, _)| name.eq("out").unwrap_or(false);
        if kwargs.is_some_and(|given| !given.iter().all(|option| is_option(&option)))
            || args.len() != kernel.positions.len()
            || !matches!(kernel.code.backend().name, "c" | "cranelift")
        {
            return None;
        }
        let signature = &kernel.lowered.signature;
        let (mut slots, mut packed) = (Vec::new(), Vec::new());
        let mut shared = prepared.shared.iter();
        for (role, value) in kernel.positions.iter().zip(args) {
            slots.push(match *role {
                Role::Size(_) => return None,
                Role::Array(k) => {
                    let array = plain_array(py, &value)?;
                    let is_truth = signature.arrays[k].dtype == DType::Bool;
                    if is_truth || prepared.operands[k].as_ref().is_none_or(|operand| operand.copied) {
                        return None;
                    }
                    Slot::Array(k, array.dtype().unbind(), addresses(array).len())
                }
                Role::Operand(k) if value.cast::<Packed>().is_err() => {
                    let range = signature.operands[k].arrays.clone();
                    let mut arrays = prepared.operands[range.clone()].iter().zip(0..);
                    // The pointers may be of another type, and copies.
                    let is_in_place = |(operand, at): (&Option<_>, usize)| {
                        operand.as_ref().is_some_and(|operand: &Operand<'_>| at == 0 || !operand.copied)
                    };
                    if range.len() != 3 || !arrays.all(is_in_place) {
                        return None;
                    }
                    let dtypes = [0, 1, 2].map(|k| signature.arrays[range.start + k].dtype);
                    Slot::Stored(Stored::of(&value, range.start, dtypes)?)
                }
                Role::Operand(k) => {
                    let arrays = shared.next()?.clone();
                    let place = |(n, (name, _)): (usize, &(String, _))| Some((signature.array(name)?, n));
                    let places: Option<Vec<_>> = arrays.arrays.iter().enumerate().map(place).collect();
                    let places = places?;
                    let names = signature.operands[k].arrays.clone();
                    if !names.clone().all(|k| places.iter().any(|(at, _)| *at == k)) {
                        return None;
                    }
                    packed.extend(names);
                    Slot::Packed(Arc::downgrade(&arrays), places)
                }
            });
        }
        let shaped = bound.shaped(|k| packed.contains(&k) && signature.arrays[k].carrier.is_none())?;
        let descr = results::zeros(py, signature.result.dtype, &[0]).ok()?.dtype().unbind();
        let bytes = shaped.shape().iter().product::<usize>() * signature.result.dtype.size();
        Some(Ready { shaped, slots, descr, bytes, threads: threads_now(), is_short: is_short(bound, kernel) })
    }

    /// The result of a call like that one, with these arguments, in this array if one is given; none if it
    /// differs from that one.
    pub(crate) fn call<'py>(
        &self,
        kernel: &Kernel,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Option<PyResult<Bound<'py, PyAny>>> {
        if args.len() != self.slots.len() || self.threads != threads_now() {
            return None;
        }
        let signature = self.shaped.kernel().signature();
        let shapes = self.shaped.inputs();
        let mut values = [const { None }; FEW];
        let values = values.get_mut(..self.slots.len())?;
        let (mut stored, mut packed) = (Vec::new(), Vec::new());
        for ((slot, value), place) in self.slots.iter().zip(args.iter_borrowed()).zip(values.iter_mut()) {
            let value = place.insert(value);
            match slot {
                Slot::Array(k, descr, _) => {
                    like(plain_array(py, value)?, descr, &shapes[*k], NPY_ARRAY_ALIGNED)?;
                }
                Slot::Stored(of) => stored.push((of, of.parts(value, shapes)?)),
                Slot::Packed(arrays, places) => {
                    let arrays = arrays.upgrade()?;
                    if !value.cast::<Packed>().ok()?.get().has(&arrays) {
                        return None;
                    }
                    packed.push((arrays, places));
                }
            }
        }
        // The operands that are arrays of the caller's, and how many bytes each has.
        let arrays = || {
            self.slots.iter().zip(values.iter()).filter_map(|(slot, value)| match (slot, value) {
                (Slot::Array(k, _, bytes), Some(value)) => Some((*k, plain_array(py, value)?, *bytes)),
                _ => None,
            })
        };
        let mut inputs: Vec<BufferView<'_>> = Vec::with_capacity(signature.arrays.len());
        if arrays().map(|(k, ..)| k).eq(0..signature.arrays.len()) {
            inputs
                .extend(arrays().map(|(k, array, _)| view_of(array, signature.arrays[k].dtype, &shapes[k])));
        } else {
            inputs.extend(signature.arrays.iter().map(|array| BufferView::empty(array.dtype)));
            for (of, parts) in &stored {
                let dtypes = [0, 1, 2].map(|k| signature.arrays[of.first() + k].dtype);
                for (k, view) in of.views(parts, dtypes, shapes)? {
                    inputs[k] = view;
                }
            }
            for (arrays, places) in &packed {
                for (k, n) in *places {
                    inputs[*k] = arrays.arrays[*n].1.view();
                }
            }
            for (k, array, _) in arrays() {
                inputs[k] = view_of(array, signature.arrays[k].dtype, &shapes[k]);
            }
        }
        let (shape, is_given) = (self.shaped.shape(), out.is_some());
        let out = match out {
            Some(out) => {
                let array = plain_array(py, out)?;
                let array = like(array, &self.descr, shape, NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE)?;
                let a = addresses_of(array, self.bytes);
                let apart =
                    |b: &Range<usize>| a.is_empty() || b.is_empty() || a.end <= b.start || b.end <= a.start;
                let mut parts = stored.iter().flat_map(|(of, parts)| of.addresses(parts));
                if !arrays().all(|(_, array, bytes)| apart(&addresses_of(array, bytes)))
                    || !parts.all(|b| apart(&b))
                {
                    return None;
                }
                array.clone()
            }
            None => results::zeros(py, signature.result.dtype, shape).ok()?,
        };
        let output = view_mut_of(&out, signature.result.dtype, shape);
        let run = || self.shaped.run(&inputs, output);
        let done = match self.is_short {
            true => Ok(run()),
            false => away(py, &kernel.code, run),
        };
        Some(match done {
            Err(panic) => Err(panic),
            // Contents that are not as required: entries in another order, say.
            Ok(Err(_)) if self.shaped.checks() => return None,
            Ok(Err(failure)) => Err(errors::refused(py, &failure)),
            Ok(Ok(())) if is_given => Ok(out.into_any()),
            Ok(Ok(())) => results::given(out),
        })
    }
}

/// Is a run of a call over before Python's lock was given away? An interpreter has a stack of its own.
pub(crate) fn is_short(bound: &atl_driver::Bound<'_>, kernel: &Kernel) -> bool {
    let is_compiled = matches!(kernel.code.backend().name, "c" | "cranelift");
    is_compiled && bound.steps() <= SHORT && !kernel.lowered.kernel.is_parallel()
}

/// More arrays go the long way.
const FEW: usize = 16;
