//! Calls: arguments bound to parameters, checked, and the output allocated.
//!
//! Everything that the proofs assumed of sizes and arrays is checked here, before any code runs: extents,
//! element types, preconditions on sizes and on what arrays hold, that numbers of cells fit, that index arithmetic stays
//! within 64 bits, and that values lie in their semiring's carrier.

mod accepts;
mod binding;
mod change;
mod fixpoint;
mod in_order;
mod last;
mod shapes;
mod work;

use crate::assembled::{self, Assembled};
use crate::backends::{Backend, Options, Run};
use crate::failure::Failure;
use crate::range;
use crate::scheduled::Lowered;
use crate::stack::on_deep;
use crate::validate::Standing;
use atl_diag::{Diagnostic, SourceMap, err};
use atl_lang::{Function, Param, Stored};
use atl_loops::requirement::{Integers, Unmet};
use atl_loops::{Kernel, Name};
use atl_runtime::{Buffer, BufferError, BufferView, BufferViewMut, DType, Growing};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub(crate) use accepts::Refused;
pub(crate) use binding::given_once;
use binding::{Fitting, bind, named};
pub use change::{Change, Norm};
pub use fixpoint::{End, Next, Reached, Step, Until, Watch};
pub(crate) use last::Last;
pub(crate) use shapes::{admitted, shapes};
pub use work::Work;

/// Why a kernel that was called gave no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallError {
    /// Scratch memory could not be allocated.
    NoMemory,
    /// It is more than the back end undertakes: an interpreter has bounds that compiled code has not.
    Limit(String),
    /// The back end's own words.
    Backend(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::NoMemory => f.write_str("scratch memory could not be allocated"),
            CallError::Limit(why) | CallError::Backend(why) => f.write_str(why),
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
    /// Whether the result has the places of an operand.
    keeps: bool,
    /// Sizes, and ends of arrays, with which index arithmetic stays within 64 bits.
    in_range: Last<(Vec<i64>, range::Ends), ()>,
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
        let run = on_deep(&self.body, || (backend.compile)(self, options)).map_err(|why| {
            Failure::new(
                &self.sources,
                err!(E0603, "the back end `{}` did not compile `{}`", backend.name, self.function.name)
                    .note(why)
                    .help("`--backend cranelift` needs nothing besides `atl`"),
            )
        })?;
        Ok(Compiled::of(self, backend.name, run))
    }
}

/// An argument by its parameter's name.
pub type Named<'a> = (&'a str, BufferView<'a>);

impl Compiled {
    /// A function that is run so.
    pub(crate) fn of(lowered: &Lowered, backend: &'static str, run: Box<dyn Run>) -> Compiled {
        Compiled {
            sources: lowered.sources.clone(),
            function: lowered.function.clone(),
            kernel: Arc::new(lowered.kernel.clone()),
            backend: run.standing().backend().unwrap_or(backend),
            run,
            trusts_arrays: false,
            keeps: lowered.like.is_some(),
            in_range: Last::none(),
        }
    }

    /// The texts that diagnostics point into.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.sources
    }

    /// What is known of the code that serves.
    pub fn standing(&self) -> Standing {
        self.run.standing()
    }

    /// A warning where other code serves than what was asked for.
    pub fn remarks(&self) -> Vec<Diagnostic> {
        self.standing().remark(&self.function).into_iter().collect()
    }

    /// The function.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The name of the back end that serves.
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
        let Some(stored) = self.function.assembled() else { return Ok(None) };
        let bound = self.bind(arguments, sizes)?;
        let mut arrays = self.arrays();
        self.append(&bound, &mut arrays)?;
        let buffers = arrays.iter().map(Growing::to_buffer).collect::<Result<Vec<_>, _>>();
        let buffers = buffers.map_err(|why| self.no_memory(&bound, &why))?;
        let assembled = Assembled::try_new(&self.function, stored, &bound.output, buffers);
        let assembled = assembled.map_err(|d| self.fail(*d))?;
        Ok(Some(if self.keeps { assembled.kept() } else { assembled }))
    }

    /// Empty arrays for a result in a format.
    pub fn arrays(&self) -> Vec<Growing> {
        self.function.assembled().map(|stored| assembled::empty(&self.function, stored)).unwrap_or_default()
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

    /// The parameter over which the schedule lets the result be stored, if it has a step `reuse`.
    pub fn reused(&self) -> Option<&str> {
        self.kernel.params.iter().find_map(|param| param.over.as_ref()).map(Name::as_str)
    }

    /// Call it in place: `array` is the argument for the parameter that is [reused](Compiled::reused), and the result afterwards.
    /// If the call fails, it holds nothing of use.
    ///
    /// # Errors
    /// As for `call`; and the schedule has no step `reuse`.
    pub fn call_in_place(
        &self,
        arguments: &[Named<'_>],
        sizes: &[(&str, i64)],
        array: BufferViewMut<'_>,
    ) -> Result<(), Failure> {
        let Some(reused) = self.reused() else {
            let refusal = err!(
                E0414,
                self.function.span,
                "`{}` does not store its result over an argument",
                self.function.name
            );
            return Err(self.fail(
                refusal.label("this function").help("add `reuse X` to its schedule, for a parameter `X`"),
            ));
        };
        let mut all: Vec<Named<'_>> = arguments.to_vec();
        all.push((reused, array.view()));
        let sizes = self.bind(&all, sizes)?.sizes;
        let given =
            |p: &Param| arguments.iter().find(|(name, _)| *name == p.name).map(|(_, view)| view.clone());
        let inputs: Vec<_> = self.function.params.iter().map(given).collect();
        self.run.overwrite(&sizes, &inputs, array).map_err(|why| self.failed(why))
    }

    /// [`Compiled::run`] in place: the array holds the argument that is reused, and the result afterwards. Arguments were bound with another
    /// array of the same elements.
    pub(crate) fn run_in_place(&self, bound: &Bound<'_>, array: BufferViewMut<'_>) -> Result<(), Failure> {
        self.recheck(bound)?;
        let reused = self.reused();
        let others = self.function.params.iter().zip(&bound.inputs);
        let inputs: Vec<_> =
            others.map(|(p, view)| (Some(p.name.as_str()) != reused).then(|| view.clone())).collect();
        self.run.overwrite(&bound.sizes, &inputs, array).map_err(|why| self.failed(why))
    }

    /// A copy of the argument that is reused, if one is.
    pub(crate) fn copy_of_reused(&self, bound: &Bound<'_>) -> Result<Option<Buffer>, Failure> {
        let mut params = self.function.params.iter().zip(&bound.inputs);
        let reused = params.find(|(p, _)| Some(p.name.as_str()) == self.reused());
        reused.map(|(_, view)| Buffer::from_view(view)).transpose().map_err(|why| self.no_memory(bound, &why))
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
        let Fitting { sizes, inputs, output, memory } =
            bind(&self.function, arguments, sizes).map_err(|d| self.fail(*d))?;
        let kernel = self.kernel.clone();
        let reads = kernel.index_reads();
        let arrays = integers(&kernel, &inputs).into_iter().filter(|(name, _)| reads.contains(name));
        // From an empty array nothing is read.
        let ends = arrays.map(|(name, cells)| (name, cells.ends().unwrap_or((0, 0)))).collect();
        let bound = Bound { sizes, inputs, output, memory, ends, kernel };
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
        let key = (bound.sizes.clone(), bound.ends.clone());
        self.in_range
            .of(key, |(sizes, ends)| range::check(&self.kernel, sizes, ends))
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

    /// [`Compiled::allocate`] of what [`Compiled::run_in_order`] fills.
    ///
    /// # Errors
    /// It does not fit memory.
    pub fn allocate_in_order(&self, bound: &Bound<'_>) -> Result<Buffer, Failure> {
        let dtype = crate::backends::c::dtype(self.function.result.elem.scalar);
        Buffer::zeros(dtype, &bound.memory).map_err(|why| self.no_memory(bound, &why))
    }

    fn no_memory(&self, bound: &Bound<'_>, why: &BufferError) -> Failure {
        self.fail(
            err!(E0605, "the result of shape {:?} cannot be allocated: {why}", bound.output)
                .help("choose smaller sizes"),
        )
    }

    /// Run on arguments that were bound. A result in a format is unpacked, and one in the order of a layout brought into that of its
    /// dimensions.
    ///
    /// # Errors
    /// What the kernel met.
    pub fn run(&self, bound: &Bound<'_>, mut output: BufferViewMut<'_>) -> Result<(), Failure> {
        let unpacked = match (self.function.assembled(), self.function.in_order()) {
            (Some(stored), _) => {
                let mut arrays = self.arrays();
                self.append(bound, &mut arrays)?;
                self.unpacked(stored, bound, &arrays)
            }
            (None, Some(stored)) => {
                let mut memory = self.allocate_in_order(bound)?;
                self.run_in_order(bound, memory.view_mut())?;
                in_order::gathered(stored, &bound.output, &memory)
            }
            (None, None) => return self.run_in_order(bound, output),
        };
        let copied = unpacked.and_then(|dense| output.copy_from(&dense).map_err(|why| why.to_string()));
        copied.map_err(|why| self.failed(CallError::Backend(why)))
    }

    /// [`Compiled::run`] of a function whose result is stored in the order of a layout, or as it is written, into memory that is stored so.
    ///
    /// # Errors
    /// What the kernel met.
    pub fn run_in_order(&self, bound: &Bound<'_>, output: BufferViewMut<'_>) -> Result<(), Failure> {
        self.recheck(bound)?;
        self.run.run(&bound.sizes, &bound.inputs, output).map_err(|why| self.failed(why))
    }

    /// Every element of a result in a format.
    fn unpacked(&self, stored: &Stored, bound: &Bound<'_>, arrays: &[Growing]) -> Result<Buffer, String> {
        let buffers = arrays.iter().map(Growing::to_buffer).collect::<Result<Vec<_>, _>>();
        let buffers = buffers.map_err(|why| why.to_string())?;
        let found = Assembled::try_new(&self.function, stored, &bound.output, buffers);
        found.map_err(|d| d.message.clone())?.to_dense()
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
            CallError::Limit(why) => {
                let name = &self.function.name;
                err!(E0607, "`{name}` is too much for the back end `{}`: {why}", self.backend)
                    .help("it is for small sizes: choose smaller ones, or another back end, as `--backend c`")
            }
            CallError::Backend(why) => {
                let failed =
                    err!(E0607, "`{}` failed in the back end `{}`: {why}", self.function.name, self.backend);
                failed.help(if self.trusts_arrays {
                    "what arrays are required to hold was not checked, and may not hold: call it without `--trust-input`"
                } else {
                    "please report this with the program"
                })
            }
        })
    }

    /// A failure of one diagnostic, in the sources of the kernel.
    pub fn fail(&self, d: Diagnostic) -> Failure {
        Failure::new(&self.sources, d)
    }
}

/// Arguments that were checked.
#[derive(Debug)]
pub struct Bound<'a> {
    sizes: Vec<i64>,
    inputs: Vec<BufferView<'a>>,
    output: Vec<usize>,
    /// The shape of the output in memory: another, if it has an order.
    memory: Vec<usize>,
    /// What the arrays that give indices hold.
    ends: range::Ends,
    /// The kernel for which they were checked.
    kernel: Arc<Kernel>,
}

impl Bound<'_> {
    /// The values of the sizes, in the function's order.
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// The arrays.
    pub(crate) fn inputs(&self) -> &[BufferView<'_>] {
        &self.inputs
    }

    /// The shape of the output in memory.
    pub(crate) fn memory(&self) -> &[usize] {
        &self.memory
    }

    /// How many bytes the arrays have.
    pub(crate) fn input_bytes(&self) -> usize {
        let bytes = |view: &BufferView<'_>| view.shape().iter().product::<usize>() * view.dtype().size();
        self.inputs.iter().map(bytes).sum()
    }
}

type Refusal = Box<Diagnostic>;

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
