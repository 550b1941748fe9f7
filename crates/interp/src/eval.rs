//! Evaluation: the value of a term, or of the part of it that is asked for.
//!
//! The one idea: what is computed of a term is its slice at some leading indices. An access hands its index
//! down, so `(gen i<n. e(i))[k]` costs `e(k)`; whole tensors are made only by `let` and at the top.
//!
//! Every node visited and every cell made is a step, and the steps are limited, so evaluation ends.

use crate::domain::{Domain, Integral};
use crate::env::{Env, Slot};
use crate::error::{EvalError, Result};
use crate::exact::{self, Exact};
use crate::machine::Machine;
use crate::plan::{Form, Plan, Rounds, Size, plan};
use crate::tensor::Tensor;
use atl_kernel::{Ctx, Expr, Number};
use atl_scalars::Value;
use std::sync::Arc;

/// What an evaluation may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Nodes visited, counted each time, and cells made.
    pub steps: u64,
    /// Cells of any one tensor.
    pub cells: usize,
    /// Nodes of the term, with the definitions that it unfolds to.
    pub nodes: usize,
    /// How deep the term may nest.
    pub depth: usize,
}

impl Default for Limits {
    /// Seconds of time, hundreds of megabytes, and a stack of 64 MiB, for terms as deep as a program may write them.
    fn default() -> Limits {
        Limits { steps: 20_000_000, cells: 1 << 22, nodes: 1 << 20, depth: 1 << 10 }
    }
}

/// Evaluation may nest so many times as deep as the term: a variable leads back to a call's argument.
const NESTING: usize = 4;
/// Stack for one level of a term, with unoptimised code.
const STACK_PER_LEVEL: usize = 64 << 10;
/// Terms no deeper than this are evaluated on the caller's stack.
const SHALLOW: usize = 24;

/// The value of a term whose free variables have values.
///
/// A deep term is evaluated on a thread of its own, whose stack fits the depth that is allowed.
pub fn eval<D: Evaluate>(env: &Env<D::Value>, e: &Expr, limits: Limits) -> Result<Tensor<D::Value>> {
    let mut results = eval_results::<D>(env, e, limits)?;
    match results.pop() {
        Some(result) if results.is_empty() => Ok(result),
        _ => Err(EvalError::Shape),
    }
}

/// The values of all results of a program: of a term that has several, each of them; else one.
pub fn eval_results<D: Evaluate>(
    env: &Env<D::Value>,
    e: &Expr,
    limits: Limits,
) -> Result<Vec<Tensor<D::Value>>> {
    let shallow = Limits { depth: limits.depth.min(SHALLOW), ..limits };
    match D::eval_here(env, e, shallow) {
        Err(EvalError::TooDeep) if shallow != limits => {}
        result => return result,
    }
    let stack = limits.depth.saturating_mul(STACK_PER_LEVEL);
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(stack);
        let thread = builder.spawn_scoped(scope, || D::eval_here(env, e, limits));
        let thread = thread.map_err(|_| EvalError::TooDeep)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// A domain over which terms are evaluated.
///
/// Each has a method of its own, the same for all, so that evaluation is compiled once, in the crate of the domain and as
/// optimised as that is, and not again in every crate that calls it.
pub trait Evaluate: Domain {
    /// The values of all results of a term, on the caller's stack: [`eval_here`].
    fn eval_here(env: &Env<Self::Value>, e: &Expr, limits: Limits) -> Result<Vec<Tensor<Self::Value>>>;
}

impl Evaluate for Machine {
    fn eval_here(env: &Env<Value>, e: &Expr, limits: Limits) -> Result<Vec<Tensor<Value>>> {
        eval_here::<Machine>(env, e, limits)
    }
}

impl Evaluate for Exact {
    fn eval_here(env: &Env<exact::Number>, e: &Expr, limits: Limits) -> Result<Vec<Tensor<exact::Number>>> {
        eval_here::<Exact>(env, e, limits)
    }
}

/// The values of all results of a term, on the caller's stack.
pub fn eval_here<D: Domain>(env: &Env<D::Value>, e: &Expr, limits: Limits) -> Result<Vec<Tensor<D::Value>>> {
    let plan = plan(env, e, Size { nodes: limits.nodes, depth: limits.depth })?;
    let depth = limits.depth.saturating_mul(NESTING);
    let mut run: Run<D> = Run { env: env.clone(), steps: limits.steps, cells: limits.cells, depth };
    run.results(&plan)
}

/// The value of a term of a context, whose index variables are `sizes` and whose tensors are `inputs`.
pub fn eval_program<D: Evaluate>(
    ctx: &Ctx,
    sizes: &[i64],
    inputs: Vec<Tensor<D::Value>>,
    e: &Expr,
) -> Result<Tensor<D::Value>> {
    eval::<D>(&Env::of(ctx, sizes, inputs, D::has_type)?, e, Limits::default())
}

/// The same of a program with several results: each of them.
pub fn eval_program_results<D: Evaluate>(
    ctx: &Ctx,
    sizes: &[i64],
    inputs: Vec<Tensor<D::Value>>,
    e: &Expr,
) -> Result<Vec<Tensor<D::Value>>> {
    eval_results::<D>(&Env::of(ctx, sizes, inputs, D::has_type)?, e, Limits::default())
}

struct Run<D: Domain> {
    env: Env<D::Value>,
    steps: u64,
    cells: usize,
    depth: usize,
}

impl<D: Domain> Run<D> {
    /// What the `let`s around several results bind is there once for all of them.
    fn results(&mut self, plan: &Plan) -> Result<Vec<Tensor<D::Value>>> {
        match &plan.form {
            Form::Let(bound, body) => {
                let bound = self.slice(bound, &[])?;
                self.with(Slot::Tensor(Arc::new(bound)), |run| run.results(body))
            }
            Form::Bundle(parts) => self.slices(parts, &[]),
            _ => Ok(vec![self.slice(plan, &[])?]),
        }
    }

    /// The slice of a term's value at leading indices, all of them in range.
    fn slice(&mut self, plan: &Plan, at: &[usize]) -> Result<Tensor<D::Value>> {
        self.spend(1)?;
        self.depth = self.depth.checked_sub(1).ok_or(EvalError::TooDeep)?;
        let value = self.slice_of_form(plan, at);
        self.depth += 1;
        value
    }

    fn slice_of_form(&mut self, plan: &Plan, at: &[usize]) -> Result<Tensor<D::Value>> {
        match &plan.form {
            Form::Var(level) => self.variable(*level, at),
            Form::Lit(number) => Ok(Tensor::scalar(plan.elem, self.literal(plan, *number)?)),
            Form::Index(ix) => {
                let value = D::index(plan.elem.scalar, self.env.index(ix)?)?;
                Ok(Tensor::scalar(plan.elem, value))
            }
            Form::Gen(n, body) => match at {
                [k, rest @ ..] => self.at_index(*k, body, rest),
                [] => {
                    let shape = self.shape(plan, 0)?;
                    let mut data = Vec::new();
                    for k in 0..self.env.extent(n)? {
                        let row = self.at_index(k, body, &[])?;
                        same_shape(row.shape(), &shape[1..])?;
                        data.extend(row.into_data());
                    }
                    Tensor::try_new(plan.elem, shape, data)
                }
            },
            Form::Sum(n, body) => {
                let mut total = self.zeros(plan, at)?;
                for k in 0..self.env.extent(n)? {
                    let term = self.at_index(k, body, at)?;
                    total = self.pointwise(plan, &[total, term], |args| match args {
                        [a, b] => D::op(plan.ops.add, a.clone(), b.clone()),
                        _ => Err(EvalError::Shape),
                    })?;
                }
                Ok(total)
            }
            Form::Guard(p, body) => {
                if self.env.holds(p)? {
                    self.slice(body, at)
                } else {
                    self.zeros(plan, at)
                }
            }
            Form::Select(p, a, b) => {
                let side = if self.env.holds(p)? { a } else { b };
                self.slice(side, at)
            }
            Form::Let(bound, body) => {
                let bound = self.slice(bound, &[])?;
                self.with(Slot::Tensor(Arc::new(bound)), |run| run.slice(body, at))
            }
            Form::Iterate(rounds) => {
                let Rounds { extent, states, until, body } = &**rounds;
                let outside = self.env.slots.len();
                let mut now = Vec::new();
                for (init, _) in states {
                    now.push(Slot::Tensor(Arc::new(self.slice(init, &[])?)));
                }
                for t in 0..self.env.extent(extent)? {
                    self.spend(1)?;
                    self.env.slots.extend(now.iter().cloned());
                    let next = self.round(t, states);
                    let new = self.env.slots.split_off(outside + states.len());
                    self.env.slots.truncate(outside);
                    next?;
                    now = new;
                    if until.is_some_and(|stop| is_one(&now[stop])) {
                        break;
                    }
                }
                self.env.slots.extend(now);
                let value = self.slice(body, at);
                self.env.slots.truncate(outside);
                value
            }
            Form::Get(array, ix) => {
                let extent = self.env.extent(&array.shape[0])?;
                match usize::try_from(self.env.index(ix)?) {
                    Ok(k) if k < extent => self.slice(array, &[&[k], at].concat()),
                    _ => self.zeros(plan, at),
                }
            }
            Form::Algebra(op, args) => {
                let args = self.slices(args, at)?;
                self.pointwise(plan, &args, |args| match args {
                    [a, b] => D::op(*op, a.clone(), b.clone()),
                    _ => Err(EvalError::Shape),
                })
            }
            Form::Prim(prim, args) => {
                let args = self.slices(args, at)?;
                self.pointwise(plan, &args, |args| D::prim(*prim, args))
            }
            Form::View(body) => Ok(self.slice(body, at)?.with_elem(plan.elem)),
            // Several results are no tensor.
            Form::Bundle(_) => Err(EvalError::Shape),
            Form::Call(args, body) => {
                let outside = self.env.slots.len();
                // For the whole result a lone operand is made once; else only what is read of an operand.
                let slot = |run: &mut Run<D>, arg: &Arc<Plan>| match at {
                    [] if args.len() == 1 => run.slice(arg, &[]).map(|tensor| Slot::Tensor(Arc::new(tensor))),
                    _ => Ok(Slot::Delayed(arg.clone(), outside)),
                };
                let slots = args.iter().map(|arg| slot(self, arg)).collect::<Result<Vec<_>>>()?;
                self.env.slots.extend(slots);
                let value = self.slice(body, at);
                self.env.slots.truncate(outside);
                value
            }
        }
    }

    /// The new states, after the old ones.
    fn round(&mut self, t: usize, states: &[(Plan, Plan)]) -> Result<()> {
        for (k, (init, step)) in states.iter().enumerate() {
            let next = self.at_index(t, step, &[])?;
            let old = self.env.slots.len() - states.len() - k;
            match &self.env.slots[old + k] {
                Slot::Tensor(state) => same_shape(state.shape(), next.shape())?,
                _ => return Err(EvalError::Shape),
            }
            if next.elem() != init.elem {
                return Err(EvalError::Shape);
            }
            self.env.slots.push(Slot::Tensor(Arc::new(next)));
        }
        Ok(())
    }

    fn slices(&mut self, plans: &[Plan], at: &[usize]) -> Result<Vec<Tensor<D::Value>>> {
        plans.iter().map(|p| self.slice(p, at)).collect()
    }

    fn variable(&mut self, level: u32, at: &[usize]) -> Result<Tensor<D::Value>> {
        match self.env.slots.get(level as usize).cloned() {
            Some(Slot::Tensor(tensor)) => {
                let slice = tensor.slice(at);
                self.spend(slice.data().len())?;
                Ok(slice)
            }
            Some(Slot::Delayed(plan, outside)) => {
                // An argument by name: evaluated among the variables of the call.
                let inside = self.env.slots.split_off(outside);
                let value = self.slice(&plan, at);
                self.env.slots.extend(inside);
                value
            }
            _ => Err(EvalError::Unbound(atl_kernel::Var::Free(level))),
        }
    }

    fn literal(&self, plan: &Plan, number: Number) -> Result<D::Value> {
        let scalar = plan.elem.scalar;
        match number {
            Number::Zero => D::constant(scalar, plan.ops.zero),
            Number::One => D::constant(scalar, plan.ops.one),
            number => D::number(scalar, number),
        }
    }

    /// A loop's body at one index.
    fn at_index(&mut self, k: usize, body: &Plan, at: &[usize]) -> Result<Tensor<D::Value>> {
        let k = i64::try_from(k).map_err(|_| EvalError::Overflow)?;
        self.with(Slot::Index(k), |run| run.slice(body, at))
    }

    /// Do something with one more variable.
    fn with<T>(&mut self, slot: Slot<D::Value>, run: impl FnOnce(&mut Run<D>) -> T) -> T {
        let outside = self.env.slots.len();
        self.env.slots.push(slot);
        let result = run(self);
        self.env.slots.truncate(outside);
        result
    }

    /// The extents below the leading `depth`; refused when there would be too many cells.
    fn shape(&self, plan: &Plan, depth: usize) -> Result<Vec<usize>> {
        let shape = plan.shape[depth..].iter().map(|n| self.env.extent(n)).collect::<Result<Vec<_>>>()?;
        match shape.iter().try_fold(1usize, |cells, n| cells.checked_mul(*n)) {
            Some(cells) if cells <= self.cells => Ok(shape),
            _ => Err(EvalError::TooLarge),
        }
    }

    fn zeros(&mut self, plan: &Plan, at: &[usize]) -> Result<Tensor<D::Value>> {
        let shape = self.shape(plan, at.len())?;
        let cells = shape.iter().product();
        self.spend(cells)?;
        Tensor::try_new(plan.elem, shape, vec![D::constant(plan.elem.scalar, plan.ops.zero)?; cells])
    }

    /// An operation at every cell of tensors of one shape.
    fn pointwise(
        &mut self,
        plan: &Plan,
        args: &[Tensor<D::Value>],
        f: impl Fn(&[D::Value]) -> Result<D::Value>,
    ) -> Result<Tensor<D::Value>> {
        let shape = args[0].shape();
        args.iter().try_for_each(|a| same_shape(a.shape(), shape))?;
        let cells = args[0].data().len();
        self.spend(cells)?;
        let cell = |k: usize| f(&args.iter().map(|a| a.data()[k].clone()).collect::<Vec<_>>());
        let data = (0..cells).map(cell).collect::<Result<Vec<_>>>()?;
        Tensor::try_new(plan.elem, shape.to_vec(), data)
    }

    fn spend(&mut self, steps: usize) -> Result<()> {
        let steps = u64::try_from(steps).map_err(|_| EvalError::OutOfSteps)?;
        self.steps = self.steps.checked_sub(steps).ok_or(EvalError::OutOfSteps)?;
        Ok(())
    }
}

/// Is it a number that is 1, or a truth value that holds?
fn is_one<V: Integral>(slot: &Slot<V>) -> bool {
    match slot {
        Slot::Tensor(tensor) => tensor.element(&[]).and_then(V::to_integer) == Some(1),
        _ => false,
    }
}

fn same_shape(a: &[usize], b: &[usize]) -> Result<()> {
    if a == b { Ok(()) } else { Err(EvalError::Shape) }
}
