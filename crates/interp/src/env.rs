//! Environments: values for the variables of a context, and with them of index terms and predicates.

use crate::domain::Integral;
use crate::error::{EvalError, Result};
use crate::plan::Plan;
use crate::tensor::Tensor;
use atl_kernel::subst::instantiate_all;
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

/// So many instances of a hypothesis for all integers are looked at, and none beyond this value.
const INSTANCES: usize = 1 << 16;
const LARGEST: i64 = 1 << 12;

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

impl<V: Integral> Env<V> {
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
                Entry::All(variables, p) => {
                    env.holds_of_all(variables.len(), p)?;
                    env.push_hypothesis();
                }
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
            Ix::Read(v, at) => {
                let Var::Free(level) = v else { return Err(EvalError::Unbound(*v)) };
                let Some(Slot::Tensor(tensor)) = self.slots.get(*level as usize) else {
                    return Err(EvalError::Unbound(*v));
                };
                let at = at.iter().map(|i| self.wide_index(i)).collect::<Result<Vec<_>>>()?;
                match tensor.element(&at) {
                    Some(value) => value.to_integer().ok_or(EvalError::Unbound(*v)),
                    None => Ok(0),
                }
            }
        }
    }

    /// Refused if the predicate does not hold somewhere between -1 and the largest size or extent: beyond those it speaks of
    /// nothing. Where that is too much to look at, some of it is.
    fn holds_of_all(&mut self, variables: usize, p: &Pred) -> Result<()> {
        let largest = |slot: &Slot<V>| match slot {
            Slot::Index(n) => *n,
            Slot::Tensor(tensor) => {
                tensor.shape().iter().max().map_or(0, |n| i64::try_from(*n).unwrap_or(i64::MAX))
            }
            Slot::Delayed(..) | Slot::Nothing => 0,
        };
        let end = self.slots.iter().map(largest).max().unwrap_or(0).clamp(0, LARGEST);
        let outside = self.slots.len();
        let values = (0..variables).map(|_| -1..=end);
        let mut instances: Vec<Vec<i64>> = vec![vec![]];
        for range in values {
            let longer = |known: &Vec<i64>| {
                range.clone().map(|v| [known.as_slice(), &[v]].concat()).collect::<Vec<_>>()
            };
            instances = instances.iter().flat_map(longer).take(INSTANCES).collect();
        }
        for instance in instances {
            let level = |k: usize| u32::try_from(outside + k).map(Ix::free).map_err(|_| EvalError::TooDeep);
            let at = (0..variables).map(level).collect::<Result<Vec<_>>>()?;
            instance.into_iter().for_each(|v| self.push_index(v));
            let holds = self.holds(&instantiate_all(p, &at));
            self.slots.truncate(outside);
            if !holds? {
                return Err(EvalError::Hypothesis(p.clone()));
            }
        }
        Ok(())
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
