//! The meaning of the scheduled term, computed as it is defined: the oracle.

use super::{Backend, CallError, Run, RunAt, Target, run_apart};
use crate::copied::Copied;
use crate::sparse_result;
use atl_interp::{EvalError, Machine, Tensor, Value, eval_program_results};
use atl_kernel::{Ctx, Elem, Expr};
use atl_loops::Machine as _;
use atl_runtime::{Buffer, BufferView, BufferViewMut, Growing, with_element};
use atl_session::signature::{Signature, Storage};
use std::sync::Arc;

/// See the module.
pub static BACKEND: Backend = Backend {
    name: "interp",
    summary: "the reference interpreter of the term itself; slow",
    unavailable: || None,
    compile: |lowered, _| {
        let (signature, ctx) = (lowered.signature.clone(), lowered.function.ctx.clone());
        let copies = Copied::all(&lowered.function)?;
        let body = lowered.term.clone().ok_or("the term of loops from the cache is not known")?;
        Ok(Box::new(Meaning(Arc::new(Term { signature, ctx, body, copies }))))
    },
};

/// What is evaluated.
struct Term {
    signature: Arc<Signature>,
    ctx: Arc<Ctx>,
    body: Expr,
    /// The copies of operands that the term reads, whose arrays stand behind those of the call in its context.
    copies: Vec<Copied>,
}

struct Meaning(Arc<Term>);

struct MeaningAt {
    term: Arc<Term>,
    sizes: Vec<i64>,
}

impl Run for Meaning {
    fn at(&self, sizes: &[i64]) -> Result<Arc<dyn RunAt>, CallError> {
        Ok(Arc::new(MeaningAt { term: self.0.clone(), sizes: sizes.to_vec() }))
    }
}

impl RunAt for MeaningAt {
    fn run(&self, inputs: &[BufferView<'_>], result: Target<'_>) -> Result<(), CallError> {
        match result {
            Target::Dense(mut output) => store(self.value(inputs)?.data(), &mut output),
            Target::Several(mut outputs) => {
                let values = self.values(inputs)?;
                if values.len() != outputs.len() {
                    return Err(backend("another number of results"));
                }
                values.iter().zip(&mut outputs).try_for_each(|(value, to)| store(value.data(), to))
            }
            Target::Over(place, array) => run_apart(inputs, place, array, |inputs, mut output| {
                store(self.value(inputs)?.data(), &mut output)
            }),
            Target::Arrays(arrays) => self.fill(inputs, arrays),
        }
    }
}

impl MeaningAt {
    /// The arrays of the dense value, packed: what a kernel gives is compared with this.
    fn fill(&self, inputs: &[BufferView<'_>], outputs: &mut [Growing]) -> Result<(), CallError> {
        let Signature { operands, result, .. } = &*self.term.signature;
        let Storage::Sparse { stored, pattern_of, .. } = &result.storage else {
            return Err(backend("the result has no format"));
        };
        let value = self.value(inputs)?;
        let mut dense = Buffer::zeros(result.dtype, value.shape()).map_err(backend)?;
        store(value.data(), &mut dense.view_mut())?;
        let shape = self.term.signature.shapes(&self.sizes).map_err(backend)?.pop().unwrap_or_default();
        let like = pattern_of.and_then(|place| operands.get(place)).map(|operand| {
            let arrays = inputs.get(operand.arrays.clone()).unwrap_or_default();
            arrays.iter().map(Buffer::from_view).collect::<Result<Vec<_>, _>>()
        });
        let like = like.transpose().map_err(backend)?;
        let arrays = sparse_result::packed(stored, result.elem, &shape, &dense, like).map_err(backend)?;
        for (from, to) in arrays.iter().zip(outputs) {
            with_element!(from.dtype(), T => to.fill(from.as_slice::<T>().map_err(backend)?))
                .map_err(backend)?;
        }
        Ok(())
    }

    /// The value of the only result.
    fn value(&self, inputs: &[BufferView<'_>]) -> Result<Tensor<Value>, CallError> {
        let mut values = self.values(inputs)?;
        match (values.pop(), values.is_empty()) {
            (Some(value), true) => Ok(value),
            _ => Err(backend("there are several results")),
        }
    }

    fn values(&self, inputs: &[BufferView<'_>]) -> Result<Vec<Tensor<Value>>, CallError> {
        let Term { signature, ctx, body, copies } = &*self.term;
        let tensors = inputs.iter().zip(&signature.arrays).map(|(view, array)| tensor(view, array.elem));
        let tensors = tensors.collect::<Result<Vec<_>, _>>()?;
        let tensors = Copied::with_arrays(copies, ctx, &self.sizes, tensors).map_err(refused)?;
        eval_program_results::<Machine>(ctx, &self.sizes, tensors, body).map_err(refused)
    }
}

fn refused(why: EvalError) -> CallError {
    match why {
        EvalError::OutOfSteps | EvalError::TooLarge | EvalError::TooDeep | EvalError::Overflow => {
            CallError::Limit(why.to_string())
        }
        why => backend(why),
    }
}

fn backend(e: impl ToString) -> CallError {
    CallError::Backend(e.to_string())
}

fn tensor(view: &BufferView<'_>, elem: Elem) -> Result<Tensor<Value>, CallError> {
    let data: Vec<Value> = with_element!(view.dtype(), T => {
        view.as_slice::<T>().map_err(backend)?.iter().map(|x| x.value()).collect()
    });
    Tensor::try_new(elem, view.shape().to_vec(), data).map_err(backend)
}

fn store(values: &[Value], output: &mut BufferViewMut<'_>) -> Result<(), CallError> {
    with_element!(output.dtype(), T => {
        let cells = output.as_mut_slice::<T>().map_err(backend)?;
        cells.iter_mut().zip(values).for_each(|(cell, value)| *cell = <T>::of(*value));
    });
    Ok(())
}
