//! Calls: arguments bound to parameters, checked, and the output allocated.
//!
//! Everything that the proofs assumed of sizes and arrays is checked here, before any code runs: extents,
//! element types, preconditions on sizes and on what arrays hold, that numbers of cells fit, that index arithmetic stays
//! within 64 bits, and that values lie in their semiring's carrier.

use crate::assembled::{self, Assembled};
use crate::backends::{Backend, Options, Run};
use crate::failure::Failure;
use crate::range;
use crate::scheduled::Lowered;
use crate::words;
use atl_arith::{eval_ix, eval_pred};
use atl_diag::{Diagnostic, SourceMap, err};
use atl_formats::Axis;
use atl_kernel::{Ix, Pred};
use atl_lang::{Function, SizeSource, Stored};
use atl_loops::requirement::{Integers, Unmet};
use atl_loops::{Kernel, Name};
use atl_runtime::{Buffer, BufferError, BufferView, BufferViewMut, DType, Growing};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// Why a kernel that was called gave no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallError {
    /// Scratch memory could not be allocated.
    NoMemory,
    /// The back end's own words.
    Backend(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::NoMemory => f.write_str("scratch memory could not be allocated"),
            CallError::Backend(why) => f.write_str(why),
        }
    }
}

/// A function compiled by some back end.
pub struct Compiled {
    sources: Arc<SourceMap>,
    function: Function,
    kernel: Arc<Kernel>,
    backend: &'static str,
    run: Box<dyn Run>,
    trusts_arrays: bool,
}

impl Lowered {
    /// Make the kernel ready to be called.
    ///
    /// # Errors
    /// The back end cannot be used here, or refuses the kernel.
    pub fn compile(&self, backend: &'static Backend, options: Options) -> Result<Compiled, Failure> {
        if let Some(why) = (backend.unavailable)() {
            return Err(Failure::new(
                &self.sources,
                err!(E0602, "the back end `{}` cannot be used on this machine: {why}", backend.name)
                    .help("`--backend cranelift` needs nothing besides `atl`"),
            ));
        }
        let run = (backend.compile)(self, options).map_err(|why| {
            Failure::new(
                &self.sources,
                err!(E0603, "the back end `{}` did not compile `{}`", backend.name, self.function.name)
                    .note(why)
                    .help("`--backend cranelift` needs nothing besides `atl`"),
            )
        })?;
        Ok(Compiled {
            sources: self.sources.clone(),
            function: self.function.clone(),
            kernel: Arc::new(self.kernel.clone()),
            backend: backend.name,
            run,
            trusts_arrays: false,
        })
    }
}

/// An argument by its parameter's name.
pub type Named<'a> = (&'a str, BufferView<'a>);

impl Compiled {
    /// The function.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The back end's name.
    pub fn backend(&self) -> &'static str {
        self.backend
    }

    /// From now on, what the function requires of the contents of arrays is not checked when it is called, but promised by
    /// the caller: a call for which it does not hold may read and write any memory. Everything else is still checked.
    #[must_use]
    pub fn trusting_arrays(mut self) -> Compiled {
        self.trusts_arrays = true;
        self
    }

    /// Call it with arrays by name, and sizes that no array gives; the result is allocated.
    ///
    /// # Errors
    /// An argument that does not fit, or what the kernel met.
    pub fn call(&self, arguments: &[Named<'_>], sizes: &[(&str, i64)]) -> Result<Buffer, Failure> {
        let bound = self.bind(arguments, sizes)?;
        let mut output = self.allocate(&bound)?;
        self.run(&bound, output.view_mut())?;
        Ok(output)
    }

    /// [`Compiled::call`] of a function whose result has a format; none if it has not.
    ///
    /// # Errors
    /// As for `call`.
    pub fn call_sparse(
        &self,
        arguments: &[Named<'_>],
        sizes: &[(&str, i64)],
    ) -> Result<Option<Assembled>, Failure> {
        let Some(stored) = &self.function.stored else { return Ok(None) };
        let bound = self.bind(arguments, sizes)?;
        let mut arrays = self.arrays();
        self.append(&bound, &mut arrays)?;
        let buffers = arrays.iter().map(Growing::to_buffer).collect::<Result<Vec<_>, _>>();
        let buffers = buffers.map_err(|why| self.no_memory(&bound, &why))?;
        let assembled = Assembled::try_new(&self.function, stored, &bound.output, buffers);
        assembled.map(Some).map_err(|d| self.fail(*d))
    }

    /// Empty arrays for a result in a format.
    pub fn arrays(&self) -> Vec<Growing> {
        self.function
            .stored
            .as_ref()
            .map(|stored| assembled::empty(&self.function, stored))
            .unwrap_or_default()
    }

    /// [`Compiled::run`] of a function whose result has a format, into its arrays.
    ///
    /// # Errors
    /// What the kernel met.
    pub fn append(&self, bound: &Bound<'_>, arrays: &mut [Growing]) -> Result<(), Failure> {
        self.recheck(bound)?;
        self.run.append(&bound.sizes, &bound.inputs, arrays).map_err(|why| self.failed(why))
    }

    /// [`Compiled::call`] into memory that the caller has.
    ///
    /// # Errors
    /// As for `call`, and an output of another type or shape.
    pub fn call_into(
        &self,
        arguments: &[Named<'_>],
        sizes: &[(&str, i64)],
        output: BufferViewMut<'_>,
    ) -> Result<(), Failure> {
        let bound = self.bind(arguments, sizes)?;
        let wanted = crate::backends::c::dtype(self.function.result.elem.scalar);
        if output.dtype() != wanted || output.shape() != bound.output {
            return Err(self.fail(
                err!(
                    E0504,
                    "the output is {}{:?}, and `{}` gives {}{:?}",
                    output.dtype(),
                    output.shape(),
                    self.function.name,
                    wanted,
                    bound.output
                )
                .help("allocate it with the result's type and shape"),
            ));
        }
        self.run(&bound, output)
    }

    /// How many operations on numbers a call makes, as its loops say: not a number if that leaves 64 bits.
    pub fn flops(&self, bound: &Bound<'_>) -> f64 {
        atl_search::cost::flops(&self.kernel, &bound.sizes).unwrap_or(f64::NAN)
    }

    /// Check arguments once, for calls that repeat.
    ///
    /// # Errors
    /// An argument that does not fit.
    pub fn bind<'a>(&self, arguments: &[Named<'a>], sizes: &[(&str, i64)]) -> Result<Bound<'a>, Failure> {
        let Fitting { sizes, inputs, output } =
            bind(&self.function, arguments, sizes).map_err(|d| self.fail(*d))?;
        let kernel = self.kernel.clone();
        let reads = kernel.index_reads();
        let arrays = integers(&kernel, &inputs).into_iter().filter(|(name, _)| reads.contains(name));
        // From an empty array nothing is read.
        let ends = arrays.map(|(name, cells)| (name, cells.ends().unwrap_or((0, 0)))).collect();
        let bound = Bound { sizes, inputs, output, ends, kernel };
        self.check_arrays(&bound)?;
        self.check_range(&bound)?;
        Ok(bound)
    }

    /// What the kernel requires of the contents of arrays holds.
    fn check_arrays(&self, bound: &Bound<'_>) -> Result<(), Failure> {
        if self.trusts_arrays || self.kernel.requires_all.is_empty() {
            return Ok(());
        }
        match self.kernel.unmet(&bound.sizes, &integers(&self.kernel, &bound.inputs)) {
            None => Ok(()),
            Some(unmet) => Err(self.fail(unmet_of(&self.function, &unmet))),
        }
    }

    /// Index arithmetic stays within 64 bits.
    fn check_range(&self, bound: &Bound<'_>) -> Result<(), Failure> {
        range::check(&self.kernel, &bound.sizes, &bound.ends)
            .map_err(|overflow| self.fail(out_of_range(&self.function, &overflow.term, &bound.sizes)))
    }

    /// An output for these arguments, of zeros.
    ///
    /// # Errors
    /// It does not fit memory.
    pub fn allocate(&self, bound: &Bound<'_>) -> Result<Buffer, Failure> {
        let dtype = crate::backends::c::dtype(self.function.result.elem.scalar);
        Buffer::zeros(dtype, &bound.output).map_err(|why| self.no_memory(bound, &why))
    }

    fn no_memory(&self, bound: &Bound<'_>, why: &BufferError) -> Failure {
        self.fail(
            err!(E0605, "the result of shape {:?} cannot be allocated: {why}", bound.output)
                .help("choose smaller sizes"),
        )
    }

    /// Run on arguments that were bound. A result in a format is unpacked.
    ///
    /// # Errors
    /// What the kernel met.
    pub fn run(&self, bound: &Bound<'_>, mut output: BufferViewMut<'_>) -> Result<(), Failure> {
        let Some(stored) = &self.function.stored else {
            self.recheck(bound)?;
            return self.run.run(&bound.sizes, &bound.inputs, output).map_err(|why| self.failed(why));
        };
        let mut arrays = self.arrays();
        self.append(bound, &mut arrays)?;
        let mut unpacked = || -> Result<(), String> {
            let buffers = arrays.iter().map(Growing::to_buffer).collect::<Result<Vec<_>, _>>();
            let buffers = buffers.map_err(|why| why.to_string())?;
            let found = Assembled::try_new(&self.function, stored, &bound.output, buffers);
            let dense = found.map_err(|d| d.message.clone())?.to_dense()?;
            output.copy_from(&dense).map_err(|why| why.to_string())
        };
        unpacked().map_err(|why| self.failed(CallError::Backend(why)))
    }

    /// A function's kernels share arguments; each has index terms of its own.
    fn recheck(&self, bound: &Bound<'_>) -> Result<(), Failure> {
        if !Arc::ptr_eq(&self.kernel, &bound.kernel) {
            let promised =
                |kernel: &Kernel| (kernel.sizes.clone(), kernel.params.clone(), kernel.requires_all.clone());
            if promised(&self.kernel) != promised(&bound.kernel) {
                self.check_arrays(bound)?;
            }
            self.check_range(bound)?;
        }
        Ok(())
    }

    fn failed(&self, why: CallError) -> Failure {
        self.fail(match why {
            CallError::NoMemory => {
                err!(E0605, "`{}` could not allocate its scratch memory", self.function.name)
                    .help("choose smaller sizes, or a schedule with smaller windows")
            }
            CallError::Backend(why) => {
                err!(E0607, "`{}` failed in the back end `{}`: {why}", self.function.name, self.backend)
                    .help("if the sizes are ordinary, please report this with the program")
            }
        })
    }

    pub(crate) fn fail(&self, d: Diagnostic) -> Failure {
        Failure::new(&self.sources, d)
    }
}

/// Arguments that were checked.
#[derive(Debug)]
pub struct Bound<'a> {
    sizes: Vec<i64>,
    inputs: Vec<BufferView<'a>>,
    output: Vec<usize>,
    /// What the arrays that give indices hold.
    ends: range::Ends,
    /// The kernel for which they were checked.
    kernel: Arc<Kernel>,
}

/// Arguments of the types that a function has.
struct Fitting<'a> {
    sizes: Vec<i64>,
    inputs: Vec<BufferView<'a>>,
    output: Vec<usize>,
}

impl Bound<'_> {
    /// The values of the sizes, in the function's order.
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// How many bytes the arrays have.
    pub(crate) fn input_bytes(&self) -> usize {
        let bytes = |view: &BufferView<'_>| view.shape().iter().product::<usize>() * view.dtype().size();
        self.inputs.iter().map(bytes).sum()
    }
}

type Refusal = Box<Diagnostic>;

/// Refuses a parameter or size that is given a value more than once: which one is meant is not known.
pub(crate) fn given_once<'n>(f: &Function, names: impl Iterator<Item = &'n str>) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            let params = f.params.iter().map(|p| (&p.name, p.span));
            let known = params.chain(f.sizes.iter().map(|s| (&s.name, s.span))).find(|(n, _)| *n == name);
            let span = known.map_or(f.span, |(_, span)| span);
            return Err(Box::new(
                err!(E0527, span, "`{name}` is given twice").label("this one").help("give it one value"),
            ));
        }
    }
    Ok(())
}

/// The names of the parameters as they are written: a tensor in a format by its own, and not by those of its arrays.
fn declared(f: &Function) -> Vec<&str> {
    let own = |k: usize| match f.sparse.iter().find(|s| s.arrays.contains(&k)) {
        Some(s) if s.arrays.start == k => Some(s.name.as_str()),
        Some(_) => None,
        None => Some(f.params[k].name.as_str()),
    };
    (0..f.params.len()).filter_map(own).collect()
}

fn bind<'a>(f: &Function, arguments: &[Named<'a>], given: &[(&str, i64)]) -> Result<Fitting<'a>, Refusal> {
    let mut inputs = Vec::new();
    given_once(f, arguments.iter().map(|(name, _)| *name).chain(given.iter().map(|(name, _)| *name)))?;
    for (name, _) in arguments {
        if !f.params.iter().any(|p| p.name == **name) {
            let known: Vec<String> = declared(f).iter().map(|p| format!("`{p}`")).collect();
            return Err(Box::new(
                err!(E0502, f.span, "`{}` has no parameter `{name}`", f.name)
                    .label("this function")
                    .note(format!("its parameters are {}", known.join(", ")))
                    .help("check the name before `=`"),
            ));
        }
    }
    for p in &f.params {
        let Some((_, view)) = arguments.iter().find(|(name, _)| *name == p.name) else {
            return Err(Box::new(
                err!(E0501, p.span, "the argument `{}` is missing", p.name)
                    .label(format!("of type {}", words::ty(&f.ctx, &p.ty)))
                    .help(match p.ty.shape.is_empty() {
                        true => format!("give it with `--set {}=VALUE`", p.name),
                        false => format!("give it with `--in {}=PATH`", p.name),
                    }),
            ));
        };
        let wanted = crate::backends::c::dtype(p.ty.elem.scalar);
        if view.dtype() != wanted {
            return Err(Box::new(
                err!(
                    E0505,
                    p.span,
                    "the argument `{}` has elements of type {}, and the parameter {wanted}",
                    p.name,
                    view.dtype()
                )
                .label("declared here")
                .help("convert the data, or change the parameter's type"),
            ));
        }
        if view.shape().len() != p.ty.shape.len() {
            return Err(Box::new(
                err!(
                    E0503,
                    p.span,
                    "the argument `{}` has {} dimensions, and the parameter {}",
                    p.name,
                    view.shape().len(),
                    p.ty.shape.len()
                )
                .label("declared here")
                .note(format!("its shape is {:?}", view.shape()))
                .help("reshape the data, or change the parameter's type"),
            ));
        }
        inputs.push(view.clone());
    }
    let sizes = sizes(f, &inputs, given)?;
    let value = |level: u32| f.sizes.iter().position(|s| s.level == level).map(|k| sizes[k]);
    for (p, view) in f.params.iter().zip(&inputs) {
        for (axis, (extent, found)) in p.ty.shape.iter().zip(view.shape()).enumerate() {
            if eval_ix(extent, &value) != i64::try_from(*found).ok() {
                let refusal = |wanted: String| {
                    err!(
                        E0504,
                        p.span,
                        "the argument `{}` has extent {found} along axis {axis}, where {wanted}",
                        p.name
                    )
                    .label("declared here")
                };
                return Err(Box::new(match extent {
                    Ix::Lit(n) => refusal(format!("its type says {n}")).help(format!(
                        "give an array with {n} entries along axis {axis}; a size of any value is a name in the type"
                    )),
                    _ => {
                        let value = eval_ix(extent, &value).map_or("too large".into(), |n| n.to_string());
                        refusal(format!("`{}` is {value}", words::ix(&f.ctx, extent)))
                            .note(format!("from the other arguments, {}", named(f, &sizes)))
                            .help("give arrays whose shapes agree")
                    }
                }));
            }
        }
        carrier(p, view)?;
    }
    let mut shapes = shapes(f, &sizes).map_err(|why| {
        Box::new(
            err!(E0506, f.span, "these sizes are refused: {why}")
                .label("this function")
                .help("give other sizes"),
        )
    })?;
    let output = shapes.pop().unwrap_or_default();
    Ok(Fitting { sizes, inputs, output })
}

/// The sizes, from the arguments' shapes and from what is given.
fn sizes(f: &Function, inputs: &[BufferView<'_>], given: &[(&str, i64)]) -> Result<Vec<i64>, Refusal> {
    if let Some((name, _)) = given.iter().find(|(name, _)| !f.sizes.iter().any(|s| s.name == *name)) {
        let known: Vec<String> = f.sizes.iter().map(|s| format!("`{}`", s.name)).collect();
        return Err(Box::new(
            err!(E0509, f.span, "`{}` has no size `{name}`", f.name)
                .label("this function")
                .note(format!(
                    "its sizes are {}",
                    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
                ))
                .help("check the name after `--set`"),
        ));
    }
    let mut sizes = Vec::new();
    for s in &f.sizes {
        let stated = given.iter().find(|(name, _)| *name == s.name).map(|(_, n)| *n);
        let found = match s.source {
            SizeSource::Extent { param, axis } => inputs
                .get(param)
                .and_then(|v| i64::try_from(*v.shape().get(axis)?).ok())
                .map(|n| (n, &f.params[param].name)),
            SizeSource::Argument => None,
        };
        let value = match (found, stated) {
            (Some((n, by)), Some(m)) if n != m => {
                return Err(Box::new(
                    err!(E0504, s.span, "the size `{}` is {m}, and the argument `{by}` makes it {n}", s.name)
                        .label("this size")
                        .help("give arrays whose shapes agree; a size that arrays have need not be given"),
                ));
            }
            (Some((n, _)), _) | (None, Some(n)) => n,
            (None, None) => {
                return Err(Box::new(
                    err!(E0507, s.span, "the size `{}` is not determined by the arrays", s.name)
                        .label("this size")
                        .help(format!("give it with `--set {}=VALUE`", s.name)),
                ));
            }
        };
        if value < 0 {
            return Err(Box::new(
                err!(E0508, s.span, "the size `{}` is {value}", s.name)
                    .label("a size is a natural number")
                    .help("give 0 or more"),
            ));
        }
        sizes.push(value);
    }
    let value = |level: u32| f.sizes.iter().position(|s| s.level == level).map(|k| sizes[k]);
    for (p, span) in &f.requires {
        if eval_pred(p, &value) != Some(true) {
            return Err(Box::new(
                precondition(f, p, &sizes)
                    .at(*span)
                    .label("required here")
                    .help("give sizes that satisfy it"),
            ));
        }
    }
    Ok(sizes)
}

fn precondition(f: &Function, p: &Pred, sizes: &[i64]) -> Diagnostic {
    err!(E0506, f.span, "`{}` does not hold for {}", words::pred(&f.ctx, p), named(f, sizes))
}

/// A requirement on arrays that does not hold.
fn unmet_of(f: &Function, unmet: &Unmet) -> Diagnostic {
    let at = if unmet.binding.is_empty() { String::new() } else { format!(" for {}", unmet.point()) };
    // The kernel's requirements on arrays are the function's, in order.
    let stated = f.requires_all.get(unmet.requirement).map_or(f.span, |stated| stated.span);
    let refusal = err!(E0506, stated, "`{}` does not hold{at}", unmet.text)
        .label("required here")
        .help("give arrays that satisfy it");
    if unmet.terms.is_empty() { refusal } else { refusal.note(unmet.findings()) }
}

/// The arrays of integers or truth values.
fn integers<'a>(kernel: &Kernel, inputs: &[BufferView<'a>]) -> BTreeMap<Name, Integers<'a>> {
    let cells = |view: &BufferView<'a>| match view.dtype() {
        DType::F32 | DType::F64 => None,
        DType::I32 => view.as_slice().ok().map(Integers::I32),
        DType::I64 => view.as_slice().ok().map(Integers::I64),
        DType::U8 => view.as_slice().ok().map(Integers::U8),
        DType::Bool => view.as_slice().ok().map(Integers::Bool),
    };
    let named = kernel.params.iter().zip(inputs);
    named.filter_map(|(param, view)| Some((param.name.clone(), cells(view)?))).collect()
}

fn out_of_range(f: &Function, term: &str, sizes: &[i64]) -> Diagnostic {
    err!(E0523, f.span, "for these sizes index arithmetic leaves 64 bits")
        .label("this function")
        .note(match sizes {
            [] => format!("`{term}` may leave them"),
            _ => format!("`{term}` may leave them, with {}", named(f, sizes)),
        })
        .help("give smaller sizes")
}

/// Sizes with their names.
fn named(f: &Function, sizes: &[i64]) -> String {
    let named: Vec<String> = f.sizes.iter().zip(sizes).map(|(s, n)| format!("{} = {n}", s.name)).collect();
    named.join(", ")
}

/// The exact shapes of all arrays of a call, inputs and then the output.
///
/// # Errors
/// Sizes that are negative, break a precondition, or give an array of more cells than can be addressed.
pub(crate) fn shapes(f: &Function, sizes: &[i64]) -> Result<Vec<Vec<usize>>, String> {
    let value =
        |level: u32| f.sizes.iter().position(|s| s.level == level).and_then(|k| sizes.get(k).copied());
    if sizes.len() != f.sizes.len() || sizes.iter().any(|n| *n < 0) {
        return Err("a size is missing or negative".to_owned());
    }
    if let Some((p, _)) = f.requires.iter().find(|(p, _)| eval_pred(p, &value) != Some(true)) {
        return Err(format!("`{}` does not hold", words::pred(&f.ctx, p)));
    }
    let shape = |extents: &[Ix]| -> Result<Vec<usize>, String> {
        let extents = extents.iter().map(|n| eval_ix(n, &value).and_then(|n| usize::try_from(n).ok()));
        let extents: Vec<usize> =
            extents.collect::<Option<_>>().ok_or("an extent is negative or too large")?;
        let bytes = extents.iter().filter(|n| **n != 0).try_fold(8usize, |cells, n| cells.checked_mul(*n));
        match bytes.and_then(|n| i64::try_from(n).ok()) {
            Some(_) => Ok(extents),
            None => Err(format!("an array of shape {extents:?} is larger than memory can be")),
        }
    };
    let mut shapes = f.params.iter().map(|p| shape(&p.ty.shape)).collect::<Result<Vec<_>, _>>()?;
    shapes.push(match &f.stored {
        None => shape(&f.result.shape)?,
        Some(stored) => stored_shape(f, stored, &value)?,
    });
    Ok(shapes)
}

/// The shape of a result in a format, of which not every element has a place in memory, but every stored coordinate.
fn stored_shape(
    f: &Function,
    stored: &Stored,
    value: &dyn Fn(u32) -> Option<i64>,
) -> Result<Vec<usize>, String> {
    let extents: Option<Vec<i64>> = f.result.shape.iter().map(|n| eval_ix(n, value)).collect();
    let extents = extents.filter(|extents| extents.iter().all(|n| *n >= 0));
    let extents = extents.ok_or("an extent is negative or too large")?;
    let compressed = stored.format.entries().iter().filter(|entry| entry.kind.name == "compressed");
    let coordinates = i64::from(i32::MAX) + 1;
    for axis in compressed.flat_map(|entry| &entry.axes) {
        if let Axis::Dimension(d) = axis
            && extents[*d] > coordinates
        {
            let n = extents[*d];
            return Err(format!(
                "the result has {n} coordinates along dimension {d}, more than `i32` numbers"
            ));
        }
    }
    Ok(extents.into_iter().map(|n| usize::try_from(n).unwrap_or(usize::MAX)).collect())
}

/// [`shapes`], for sizes with which the kernel's own arithmetic stays within 64 bits. Of a kernel that reads its indices
/// from arrays, sizes alone do not decide that: [`Compiled::bind`] and [`Compiled::run`] have looked at the arrays.
///
/// # Errors
/// As for `shapes`, and a term that may leave them.
pub(crate) fn admitted(f: &Function, kernel: &Kernel, sizes: &[i64]) -> Result<Vec<Vec<usize>>, String> {
    let mut shapes = shapes(f, sizes)?;
    if f.stored.is_some() {
        shapes.pop();
        shapes.resize(kernel.params.len(), vec![0]);
    }
    if !kernel.index_reads().is_empty() {
        return Ok(shapes);
    }
    match range::check(kernel, sizes, &range::Ends::new()) {
        Ok(()) => Ok(shapes),
        Err(overflow) => Err(format!("index arithmetic leaves 64 bits: `{}`", overflow.term)),
    }
}

/// The values of an argument lie where the laws of its semiring hold.
fn carrier(p: &atl_lang::Param, view: &BufferView<'_>) -> Result<(), Refusal> {
    let Some(semiring) = atl_semirings::of(p.ty.elem.algebra) else { return Ok(()) };
    let outside = |x: f64| !semiring.carrier.accepts(x);
    let found = match view.dtype() {
        DType::F32 => {
            view.as_slice::<f32>().ok().and_then(|v| v.iter().map(|x| f64::from(*x)).find(|x| outside(*x)))
        }
        DType::F64 => view.as_slice::<f64>().ok().and_then(|v| v.iter().copied().find(|x| outside(*x))),
        _ => None,
    };
    match found {
        None => Ok(()),
        Some(x) => Err(Box::new(
            err!(
                E0517,
                p.span,
                "the argument `{}` contains {x}, which is not a value of `{}`",
                p.name,
                p.ty.elem
            )
            .label("declared here")
            .note("outside its carrier a semiring's laws, and so the schedule's theorem, do not hold")
            .help("`atl explain` and the semiring's name give its carrier"),
        )),
    }
}
