//! The arrays of a copy of a matrix in the other order, made as they are defined: for the oracle.
//!
//! The one idea: entries are sorted by the other coordinate, and those that have the same one stay in
//! their order. Kernels do the same by counting, and their results are compared with what is read of
//! these arrays.

use atl_interp::{Domain, Env, EvalError, Integral, Limits, Machine, Tensor, Value};
use atl_kernel::{Ctx, Type};
use atl_lang::Function;

/// A copy of a matrix.
#[derive(Debug)]
pub struct Copied {
    /// The original's arrays among those of the call: where segments begin, and the other coordinates.
    from: [usize; 2],
    /// The level of the copy's first array.
    level: u32,
    /// The types of the copy's arrays.
    types: [Type; 4],
}

impl Copied {
    /// The copies of a function's operands.
    ///
    /// # Errors
    /// One is of no parameter.
    pub fn all(f: &Function) -> Result<Vec<Copied>, &'static str> {
        let place = |level| f.params.iter().position(|array| array.level == level);
        let each = f.copies.iter().map(|copy| {
            let [Some(pos), Some(crd)] = copy.from.map(place) else { return Err("a copy of no parameter") };
            let types = copy.arrays.each_ref().map(|array| array.ty.clone());
            Ok(Copied { from: [pos, crd], level: copy.arrays[0].level, types })
        });
        each.collect()
    }

    /// The tensors of a call, and behind them the arrays of copies, as the context has them.
    ///
    /// # Errors
    /// The tensors do not fit the context, or an array has more cells than the interpreter makes.
    pub fn with_arrays(
        copies: &[Copied],
        ctx: &Ctx,
        sizes: &[i64],
        mut tensors: Vec<Tensor<Value>>,
    ) -> Result<Vec<Tensor<Value>>, EvalError> {
        for copy in copies {
            let arrays = copy.arrays(ctx, sizes, &tensors)?;
            tensors.extend(arrays);
        }
        Ok(tensors)
    }

    /// Where segments begin, the other coordinates, which entry stands where, and where each entry
    /// stands.
    fn arrays(
        &self,
        ctx: &Ctx,
        sizes: &[i64],
        tensors: &[Tensor<Value>],
    ) -> Result<Vec<Tensor<Value>>, EvalError> {
        let [pos, crd] = self.from.map(|place| tensors.get(place));
        let (Some(pos), Some(crd)) = (pos, crd) else { return Err(EvalError::Arguments) };
        let mut before = ctx.clone();
        before.truncate(self.level);
        let env = Env::of(&before, sizes, tensors.to_vec(), Machine::has_type)?;
        let [ends, entries] = [0, 1].map(|k| env.extent(&self.types[k].shape[0]));
        let (ends, entries) = (ends?, entries?);
        if ends.max(entries) > Limits::default().cells {
            return Err(EvalError::TooLarge);
        }
        let number = |array: &Tensor<Value>, at: usize| {
            let found = array.data().get(at).and_then(Integral::to_integer);
            found.and_then(|n| usize::try_from(n).ok()).ok_or(EvalError::Arguments)
        };
        let mut sorted = Vec::new();
        for segment in 0..pos.data().len().saturating_sub(1) {
            for entry in number(pos, segment)?..number(pos, segment + 1)? {
                sorted.push((number(crd, entry)?, entry, segment));
            }
        }
        sorted.sort_unstable();
        let (mut others, mut order, mut place) = (vec![0; entries], vec![0; entries], vec![0; entries]);
        for (at, (_, entry, segment)) in sorted.iter().enumerate() {
            (others[at], order[at], place[*entry]) = (*segment, *entry, at);
        }
        let ends = (0..ends).map(|other| sorted.partition_point(|(c, ..)| *c < other)).collect();
        let arrays = self.types.iter().zip([ends, others, order, place]);
        arrays.map(|(ty, numbers)| array(ty, numbers)).collect()
    }
}

fn array(ty: &Type, numbers: Vec<usize>) -> Result<Tensor<Value>, EvalError> {
    let value = |n: &usize| {
        let n = i64::try_from(*n).map_err(|_| EvalError::TooLarge)?;
        Machine::index(ty.elem.scalar, n)
    };
    let data = numbers.iter().map(value).collect::<Result<Vec<_>, _>>()?;
    Tensor::try_new(ty.elem, vec![numbers.len()], data)
}
