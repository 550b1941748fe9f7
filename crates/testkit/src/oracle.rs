//! Agreement: a program, its schedules, its loops and every back end compute the same.
//!
//! **The one idea.** Each stage is compared with the one before it, to the degree that its theorem promises: the
//! scheduled program and the normal form with the source by the theorem's rounding class, the loops and the compiled
//! code with the normal form bit by bit. So a disagreement names the stage that is wrong.

use crate::array::Array;
use crate::choices::Choices;
use crate::quotient::{self, Quotient};
use atl_arith::{eval_ix, eval_pred};
use atl_driver::backends::{Backend, Options};
use atl_driver::copied::Copied;
use atl_driver::validate::Validation;
use atl_driver::{BufferView, Compile, Compiled, Failure, Lowered};
use atl_interp::{Domain, EvalError, Exact, Machine, Tensor, Value, eval_program_results};
use atl_kernel::{Ctx, Elem, Entry, Expr, Node, Number, Rounding, Scalar, Thm};
use atl_semirings::instances::PLUS_TIMES;
use std::sync::Arc;

/// What a call is given, by name.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// Sizes that no array gives.
    pub sizes: Vec<(String, i64)>,
    /// The arrays.
    pub arrays: Vec<(String, Array)>,
}

/// Why a call gave no result.
#[derive(Debug)]
pub enum Outcome {
    /// It was refused, as it should be where the arguments do not fit.
    Refused(Box<Failure>),
    /// Two stages differ, or one of them failed: a bug.
    Wrong(String),
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Outcome {
        Outcome::Refused(Box::new(failure))
    }
}

impl From<String> for Outcome {
    fn from(why: String) -> Outcome {
        Outcome::Wrong(why)
    }
}

/// Values for the variables of a context: where terms are evaluated.
pub struct Point {
    ctx: Arc<Ctx>,
    indices: Vec<i64>,
    inputs: Vec<(Elem, Array)>,
}

impl Point {
    /// The point of a call, whose arguments are checked as every call's are.
    ///
    /// # Errors
    /// They are refused.
    pub fn of_call(lowered: &Lowered, arguments: &Arguments) -> Result<Point, Outcome> {
        let interp = &atl_driver::backends::interp::BACKEND;
        let indices = with_views(arguments, |views, sizes| {
            Ok(lowered.compile(interp, Options::default())?.call(views, sizes).bind()?.sizes().to_vec())
        })?;
        let function = &lowered.function;
        let given =
            |name: &str| arguments.arrays.iter().find(|(n, _)| n == name).map(|(_, array)| array.clone());
        let inputs: Vec<(Elem, Array)> =
            function.params.iter().filter_map(|p| Some((p.ty.elem, given(&p.name)?))).collect();
        let wrong = |why: String| Outcome::Wrong(why);
        let copies = Copied::all(function).map_err(|why| wrong(why.to_owned()))?;
        if copies.is_empty() {
            return Ok(Point { ctx: function.ctx.clone(), indices, inputs });
        }
        let tensors = inputs.iter().map(|(elem, array)| array.to_tensor(*elem)).collect::<Result<_, _>>();
        let tensors = tensors.map_err(wrong)?;
        let tensors = Copied::with_arrays(&copies, &function.ctx, &indices, tensors);
        let inputs = tensors
            .map_err(|why| wrong(why.to_string()))?
            .into_iter()
            .map(|tensor| (tensor.elem(), Array::of_tensor(&tensor)));
        Ok(Point { ctx: function.ctx.clone(), indices, inputs: inputs.collect() })
    }

    /// A random point of any context, in which its hypotheses hold; none if none was found.
    pub fn random(ctx: &Arc<Ctx>, choices: &mut Choices) -> Option<Point> {
        // What is said of arrays is met by luck.
        let about_arrays = ctx.entries().any(|entry| match entry {
            Entry::All(..) => true,
            Entry::Hyp(p, _) => eval_pred(p, &|_| Some(0)).is_none(),
            Entry::Index(_) | Entry::Tensor(..) => false,
        });
        let tries = if about_arrays { 300 } else { 1 };
        (0..tries).find_map(|_| Point::guessed(ctx, choices).filter(|p| !about_arrays || p.is_met()))
    }

    /// Do all hypotheses hold?
    fn is_met(&self) -> bool {
        let elem = Elem { scalar: Scalar::I64, algebra: &PLUS_TIMES };
        self.machine(&Arc::new(Node::Lit(elem, Number::Zero))).is_ok()
    }

    /// A random point, in which the hypotheses about sizes hold.
    fn guessed(ctx: &Arc<Ctx>, choices: &mut Choices) -> Option<Point> {
        let hold = |values: &[(u32, i64)]| {
            let value = |level: u32| values.iter().find(|(l, _)| *l == level).map(|(_, v)| *v);
            ctx.hypotheses().all(|(_, p)| eval_pred(p, &value) != Some(false))
        };
        let levels = (0..ctx.level()).filter(|l| matches!(ctx.entry(*l), Some(Entry::Index(_))));
        let levels: Vec<u32> = levels.collect();
        let mut sample = || levels.iter().map(|l| (*l, choices.below(5) as i64)).collect::<Vec<_>>();
        let values = (0..200).map(|_| sample()).find(|values| hold(values))?;
        let value = |level: u32| values.iter().find(|(l, _)| *l == level).map(|(_, v)| *v);
        let mut inputs = Vec::new();
        for entry in ctx.entries() {
            if let Entry::Tensor(_, ty) = entry {
                let extents = ty.shape.iter().map(|n| usize::try_from(eval_ix(n, &value)?).ok());
                let shape = extents.collect::<Option<Vec<usize>>>()?;
                inputs.push((ty.elem, Array::random(ty.elem, &shape, choices)));
            }
        }
        Some(Point { ctx: ctx.clone(), indices: values.iter().map(|(_, v)| *v).collect(), inputs })
    }

    /// The value of the index variable at this level.
    pub fn index(&self, level: u32) -> Option<i64> {
        let levels = (0..self.ctx.level()).filter(|l| matches!(self.ctx.entry(*l), Some(Entry::Index(_))));
        levels.zip(&self.indices).find(|(l, _)| *l == level).map(|(_, value)| *value)
    }

    /// The machine value of a term.
    ///
    /// # Errors
    /// It has none.
    pub fn machine(&self, e: &Expr) -> Result<Array, String> {
        let inputs = self.inputs.iter().map(|(elem, a)| a.to_tensor(*elem)).collect::<Result<_, _>>()?;
        let values = eval_program_results::<Machine>(&self.ctx, &self.indices, inputs, e);
        joined(&values.map_err(|e| e.to_string())?)
    }

    /// The value in the arithmetic in which `finite` is equality; none where a NaN is not an element.
    fn in_quotient(&self, e: &Expr) -> Result<Option<Array>, String> {
        let inputs = self
            .inputs
            .iter()
            .map(|(elem, a)| quotient::settled(a).to_tensor(*elem))
            .collect::<Result<_, _>>()?;
        match eval_program_results::<Quotient>(&self.ctx, &self.indices, inputs, e) {
            Err(EvalError::NotExact(_)) => Ok(None),
            values => joined(&values.map_err(|e| e.to_string())?).map(Some),
        }
    }

    /// Do both terms have one value over exact numbers? Unknown where one has none.
    fn exactly_equal(&self, a: &Expr, b: &Expr) -> Option<bool> {
        let value = |e: &Expr| {
            let inputs =
                self.inputs.iter().map(|(elem, a)| a.to_exact(*elem)).collect::<Result<_, _>>().ok()?;
            eval_program_results::<Exact>(&self.ctx, &self.indices, inputs, e).ok()
        };
        Some(value(a)? == value(b)?)
    }

    /// Do both sides of an equation have one value, to the degree of this class?
    ///
    /// # Errors
    /// They differ; both are in the message.
    pub fn equal(&self, a: &Expr, b: &Expr, class: Rounding) -> Result<(), String> {
        let (left, right) = (self.machine(a)?, self.machine(b)?);
        let exact = if class == Rounding::Bitwise { None } else { self.exactly_equal(a, b) };
        let same = match class {
            Rounding::Bitwise => left == right,
            Rounding::Finite => {
                let same = self.in_quotient(a)?.zip(self.in_quotient(b)?).is_none_or(|(a, b)| a == b);
                exact.unwrap_or(true) && same
            }
            Rounding::Real => exact.unwrap_or_else(|| close(&left, &right, 1e-3)),
        };
        if same && left.shape == right.shape {
            return Ok(());
        }
        let exact = exact.map_or(String::new(), |e| format!(" (exactly: {e})"));
        Err(format!("{left} and {right} where they should be {class} equal{exact}"))
    }

    /// Both sides of a theorem in this context, to the degree that it promises.
    ///
    /// # Errors
    /// They differ.
    pub fn theorem(&self, thm: &Thm) -> Result<(), String> {
        self.equal(thm.lhs(), thm.rhs(), thm.rounding())
    }
}

fn joined(values: &[Tensor<Value>]) -> Result<Array, String> {
    Array::joined(values.iter().map(Array::of_tensor).collect()).ok_or_else(|| "no result".to_owned())
}

/// Elements that are equal as numbers, or nearly; where an element is no finite number, only its place is compared.
pub fn close(a: &Array, b: &Array, relative: f64) -> bool {
    let near = |x: &Value, y: &Value| {
        let (x, y) = (x.to_f64(), y.to_f64());
        let scale = x.abs().max(y.abs()).max(1.0);
        !x.is_finite() || !y.is_finite() || (x - y).abs() <= relative * scale
    };
    a.shape == b.shape && a.data.len() == b.data.len() && a.data.iter().zip(&b.data).all(|(x, y)| near(x, y))
}

fn with_views<T>(
    arguments: &Arguments,
    run: impl FnOnce(&[(&str, BufferView<'_>)], &[(&str, i64)]) -> Result<T, Outcome>,
) -> Result<T, Outcome> {
    let buffers = arguments.arrays.iter().map(|(_, a)| a.to_buffer()).collect::<Result<Vec<_>, _>>()?;
    let names = arguments.arrays.iter().map(|(name, _)| name.as_str());
    let views: Vec<_> = names.zip(buffers.iter().map(|b| b.view())).collect();
    let sizes: Vec<_> = arguments.sizes.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    run(&views, &sizes)
}

/// The result of a back end.
///
/// # Errors
/// The arguments are refused, or it fails.
pub fn run(lowered: &Lowered, backend: &'static Backend, arguments: &Arguments) -> Result<Array, Outcome> {
    compile(lowered, backend)?.run(arguments)
}

/// What a back end made of a lowered program, for as many calls as there are.
pub struct Kernel<'a> {
    lowered: &'a Lowered,
    compiled: Compiled,
}

/// A lowered program on a back end.
///
/// # Errors
/// It cannot be compiled there.
pub fn compile<'a>(lowered: &'a Lowered, backend: &'static Backend) -> Result<Kernel<'a>, Outcome> {
    // What is wrong is to be seen by the caller, and not to be mended before.
    let compiled = lowered.compile(backend, Options { threads: Some(2), validation: Validation::Skip })?;
    Ok(Kernel { lowered, compiled })
}

impl Kernel<'_> {
    /// The result of a call.
    ///
    /// # Errors
    /// The arguments are refused, or it fails.
    pub fn run(&self, arguments: &Arguments) -> Result<Array, Outcome> {
        let results =
            with_views(arguments, |views, sizes| Ok(self.compiled.call(views, sizes).results()?))?;
        let described = self.lowered.signature.results();
        let arrays = results
            .iter()
            .zip(described)
            .map(|(result, of)| Array::from_view(of.elem.scalar, &result.view()));
        let result =
            Array::joined(arrays.collect::<Result<_, _>>()?).ok_or_else(|| "no result".to_owned())?;
        // A result in a format is compared with what the body computes, by the axes along which it is stored.
        let function = &self.lowered.function;
        let Some(stored) = function.stored.as_ref() else { return Ok(result) };
        let elem = function.result.elem;
        let operations = atl_semirings::of(elem.algebra).and_then(|algebra| algebra.on(elem.scalar));
        let operations = operations.ok_or_else(|| Outcome::Wrong(format!("`{elem}` has no zero")))?;
        let zero = Machine::constant(elem.scalar, operations.zero);
        let zero = zero.map_err(|why| Outcome::Wrong(why.to_string()))?;
        Ok(result.by_axes(stored, zero))
    }
}

/// Compare every stage of a lowered program, and these back ends; the value of the source.
///
/// # Errors
/// See [`Outcome`].
pub fn agree(
    lowered: &Lowered,
    backends: &[&'static Backend],
    arguments: &Arguments,
) -> Result<Array, Outcome> {
    let point = Point::of_call(lowered, arguments)?;
    let at = |stage: &str, why: String| Outcome::Wrong(format!("{stage}: {why}\nwith {arguments:?}"));
    let source = point.machine(&lowered.function.body).map_err(|e| at("the source", e))?;
    let class = lowered.theorem.rounding();
    point.equal(&lowered.function.body, &lowered.body, class).map_err(|e| at("the schedule", e))?;
    let normal = lowered.theorem.rhs();
    point.equal(&lowered.function.body, normal, class).map_err(|e| at("the normal form", e))?;
    let expected = point.machine(normal).map_err(|e| at("the normal form", e))?;
    let mut by_loops = None;
    for backend in backends.iter().filter(|b| b.name != "interp") {
        let found = match run(lowered, backend, arguments) {
            Ok(found) => found,
            Err(Outcome::Refused(failure)) => return Err(at(backend.name, failure.to_string())),
            Err(wrong) => return Err(wrong),
        };
        // Where other roundings are allowed, a sum within a sum adds into the outer one in the loops, and C
        // may contract products and sums. The others compute what the loops say.
        let same = match lowered.rounding {
            Rounding::Real if backend.name == "c" || by_loops.is_none() => close(&found, &expected, 1e-3),
            Rounding::Real => by_loops.as_ref() == Some(&found),
            Rounding::Bitwise | Rounding::Finite => found == expected,
        };
        if !same {
            return Err(at(backend.name, format!("{found}, not {expected}\n{}", lowered.kernel)));
        }
        if backend.name == "loops" {
            by_loops = Some(found);
        }
    }
    Ok(source)
}

/// The theorem's proof is replayed, and says the same.
///
/// # Errors
/// It does not.
pub fn replay(thm: &Thm) -> Result<(), String> {
    let again = Thm::replay(thm.ctx(), thm.proof()).map_err(|e| format!("the proof is refused: {e}"))?;
    let same = again.lhs() == thm.lhs() && again.rhs() == thm.rhs() && again.ctx() == thm.ctx();
    let trust = again.laws() == thm.laws() && again.rounding() == thm.rounding();
    if same && trust { Ok(()) } else { Err("the proof proves something else".to_owned()) }
}
