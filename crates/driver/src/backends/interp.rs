//! The meaning of the scheduled term, computed as it is defined: the oracle.

use super::{Backend, Run};
use crate::assembled;
use crate::call::{CallError, shapes};
use atl_interp::{EvalError, Machine, Tensor, Value, eval_program};
use atl_kernel::{Ctx, Elem, Expr};
use atl_lang::Function;
use atl_runtime::{Buffer, BufferView, BufferViewMut, DType, Growing};
use std::sync::Arc;

/// See the module.
pub static BACKEND: Backend = Backend {
    name: "interp",
    summary: "the reference interpreter of the term itself; slow",
    unavailable: || None,
    compile: |lowered, _| {
        let f = &lowered.function;
        let elems = f.params.iter().map(|p| p.ty.elem).collect();
        let (ctx, body) = (f.ctx.clone(), lowered.body.clone());
        let like = lowered.like.clone();
        Ok(Box::new(Meaning { function: f.clone(), ctx, elems, body, like }))
    },
};

struct Meaning {
    function: Function,
    ctx: Arc<Ctx>,
    elems: Vec<Elem>,
    body: Expr,
    /// The operand whose places the result has.
    like: Option<String>,
}

impl Run for Meaning {
    fn run(
        &self,
        sizes: &[i64],
        inputs: &[BufferView<'_>],
        mut output: BufferViewMut<'_>,
    ) -> Result<(), CallError> {
        store(self.value(sizes, inputs)?.data(), &mut output)
    }

    /// The arrays of the dense value, packed: what a kernel gives is compared with this.
    fn append(
        &self,
        sizes: &[i64],
        inputs: &[BufferView<'_>],
        outputs: &mut [Growing],
    ) -> Result<(), CallError> {
        let Some(stored) = self.function.assembled() else { return Err(backend("the result has no format")) };
        let value = self.value(sizes, inputs)?;
        let dtype = crate::backends::c::dtype(self.function.result.elem.scalar);
        let mut dense = Buffer::zeros(dtype, value.shape()).map_err(backend)?;
        store(value.data(), &mut dense.view_mut())?;
        let shape = shapes(&self.function, sizes).map_err(backend)?.pop().unwrap_or_default();
        let like = self.like.as_ref().and_then(|like| self.function.sparse.iter().find(|p| p.name == *like));
        let like = like.map(|operand| {
            let arrays = inputs.get(operand.arrays.clone()).unwrap_or_default();
            arrays.iter().map(Buffer::from_view).collect::<Result<Vec<_>, _>>()
        });
        let like = like.transpose().map_err(backend)?;
        let arrays = assembled::packed(&self.function, stored, &shape, &dense, like).map_err(backend)?;
        for (from, to) in arrays.iter().zip(outputs) {
            macro_rules! fill {
                ($ty:ty) => {
                    to.fill(from.as_slice::<$ty>().map_err(backend)?)
                };
            }
            match from.dtype() {
                DType::F32 => fill!(f32),
                DType::F64 => fill!(f64),
                DType::I32 => fill!(i32),
                DType::I64 => fill!(i64),
                DType::U8 => fill!(u8),
                DType::Bool => fill!(bool),
            }
            .map_err(backend)?;
        }
        Ok(())
    }
}

impl Meaning {
    fn value(&self, sizes: &[i64], inputs: &[BufferView<'_>]) -> Result<Tensor<Value>, CallError> {
        let tensors = inputs.iter().zip(&self.elems).map(|(v, elem)| tensor(v, *elem));
        let tensors = tensors.collect::<Result<Vec<_>, _>>()?;
        eval_program::<Machine>(&self.ctx, sizes, tensors, &self.body).map_err(|why| match why {
            EvalError::OutOfSteps | EvalError::TooLarge | EvalError::TooDeep | EvalError::Overflow => {
                CallError::Limit(why.to_string())
            }
            why => backend(why),
        })
    }
}

fn backend(e: impl ToString) -> CallError {
    CallError::Backend(e.to_string())
}

fn tensor(view: &BufferView<'_>, elem: Elem) -> Result<Tensor<Value>, CallError> {
    macro_rules! values {
        ($ty:ty, $variant:ident) => {
            view.as_slice::<$ty>().map_err(backend)?.iter().map(|x| Value::$variant(*x)).collect()
        };
    }
    let data: Vec<Value> = match view.dtype() {
        DType::F32 => values!(f32, F32),
        DType::F64 => values!(f64, F64),
        DType::I32 => values!(i32, I32),
        DType::I64 => values!(i64, I64),
        DType::U8 => values!(u8, U8),
        DType::Bool => values!(bool, Bool),
    };
    Tensor::try_new(elem, view.shape().to_vec(), data).map_err(backend)
}

fn store(values: &[Value], output: &mut BufferViewMut<'_>) -> Result<(), CallError> {
    macro_rules! fill {
        ($ty:ty, $variant:ident) => {
            for (cell, value) in output.as_mut_slice::<$ty>().map_err(backend)?.iter_mut().zip(values) {
                if let Value::$variant(x) = value {
                    *cell = *x;
                }
            }
        };
    }
    match output.dtype() {
        DType::F32 => fill!(f32, F32),
        DType::F64 => fill!(f64, F64),
        DType::I32 => fill!(i32, I32),
        DType::I64 => fill!(i64, I64),
        DType::U8 => fill!(u8, U8),
        DType::Bool => fill!(bool, Bool),
    }
    Ok(())
}
