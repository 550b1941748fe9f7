//! Environments: values for the variables of a context, and with them of index terms and predicates.

use crate::error::{EvalError, Result};
use crate::plan::Plan;
use crate::tensor::Tensor;
use atl_kernel::{Cmp, Ctx, Entry, Ix, Pred, Scalar, Var, eval_op};
use std::sync::Arc;

/// The value of one entry of a context.
#[derive(Clone, Debug)]
pub(crate) enum Slot<V> {
    Index(i64),
    Tensor(Arc<Tensor<V>>),
    /// A tensor by name: a plan, evaluated with only the first so many variables.
    Delayed(Arc<Plan>, usize),
    /// A hypothesis, which has a level and no value.
    Nothing,
}

/// Values of free variables, by level.
#[derive(Clone, Debug)]
pub struct Env<V> {
    pub(crate) slots: Vec<Slot<V>>,
}

impl<V> Default for Env<V> {
    fn default() -> Env<V> {
        Env { slots: Vec::new() }
    }
}

impl<V> Env<V> {
    /// The environment of the empty context.
    pub fn new() -> Env<V> {
        Env::default()
    }

    /// The value of the next level, an index variable.
    pub fn push_index(&mut self, value: i64) {
        self.slots.push(Slot::Index(value));
    }

    /// The value of the next level, a tensor variable.
    pub fn push_tensor(&mut self, tensor: Tensor<V>) {
        self.slots.push(Slot::Tensor(Arc::new(tensor)));
    }

    /// The next level is a hypothesis.
    pub fn push_hypothesis(&mut self) {
        self.slots.push(Slot::Nothing);
    }

    /// The environment of a context: its index variables are `sizes`, in order, its tensors `inputs`.
    /// Refused where a hypothesis does not hold, or a tensor is not of the type declared; `has_type` decides
    /// that of its elements.
    pub fn of(
        ctx: &Ctx,
        sizes: &[i64],
        inputs: Vec<Tensor<V>>,
        has_type: impl Fn(&V, Scalar) -> bool,
    ) -> Result<Env<V>> {
        let mut env = Env::new();
        let (mut sizes, mut inputs) = (sizes.iter(), inputs.into_iter());
        for entry in ctx.entries() {
            match entry {
                Entry::Index(_) => env.push_index(*sizes.next().ok_or(EvalError::Arguments)?),
                Entry::Tensor(_, ty) => {
                    let tensor = inputs.next().ok_or(EvalError::Arguments)?;
                    let shape = ty.shape.iter().map(|n| env.extent(n)).collect::<Result<Vec<_>>>()?;
                    let typed = tensor.data().iter().all(|v| has_type(v, ty.elem.scalar));
                    if tensor.elem() != ty.elem || tensor.shape() != shape || !typed {
                        return Err(EvalError::Arguments);
                    }
                    env.push_tensor(tensor);
                }
                Entry::Hyp(p, _) if env.holds(p)? => env.push_hypothesis(),
                Entry::Hyp(p, _) => return Err(EvalError::Hypothesis(p.clone())),
            }
        }
        if sizes.next().is_some() || inputs.next().is_some() {
            return Err(EvalError::Arguments);
        }
        Ok(env)
    }

    /// The value of an index term. What leaves 128 bits, or in the end 64, is an error.
    pub fn index(&self, ix: &Ix) -> Result<i64> {
        i64::try_from(self.wide_index(ix)?).map_err(|_| EvalError::Overflow)
    }

    fn wide_index(&self, ix: &Ix) -> Result<i128> {
        match ix {
            Ix::Lit(n) => Ok(i128::from(*n)),
            Ix::Var(v) => match v {
                Var::Free(level) => match self.slots.get(*level as usize) {
                    Some(Slot::Index(n)) => Ok(i128::from(*n)),
                    _ => Err(EvalError::Unbound(*v)),
                },
                Var::Bound(_) => Err(EvalError::Unbound(*v)),
            },
            Ix::Bin(op, ab) => {
                eval_op(*op, self.wide_index(&ab.0)?, self.wide_index(&ab.1)?).ok_or(EvalError::Overflow)
            }
        }
    }

    /// The value of an extent: a negative one is 0.
    pub fn extent(&self, ix: &Ix) -> Result<usize> {
        usize::try_from(self.index(ix)?.max(0)).map_err(|_| EvalError::TooLarge)
    }

    /// Does the predicate hold?
    pub fn holds(&self, p: &Pred) -> Result<bool> {
        match p {
            Pred::True => Ok(true),
            Pred::False => Ok(false),
            Pred::Cmp(cmp, a, b) => {
                let (a, b) = (self.wide_index(a)?, self.wide_index(b)?);
                Ok(match cmp {
                    Cmp::Eq => a == b,
                    Cmp::Lt => a < b,
                    Cmp::Le => a <= b,
                })
            }
            Pred::Not(p) => Ok(!self.holds(p)?),
            Pred::And(pq) => Ok(self.holds(&pq.0)? && self.holds(&pq.1)?),
            Pred::Or(pq) => Ok(self.holds(&pq.0)? || self.holds(&pq.1)?),
        }
    }
}
