//! Calls: arguments bound to parameters, checked, and the output allocated.
//!
//! The one idea: a call has two halves. What it is given is checked once, by [`Call::bind`], against the
//! kernel's [`Signature`]; where its result goes is an [`Output`] of each run. Everything that the proofs
//! assumed of sizes and arrays is checked before any code runs: extents, element types, preconditions on
//! sizes and on what arrays hold, that numbers of cells fit, that index arithmetic stays within 64 bits, and
//! that values lie in their semiring's carrier.

mod binding;
mod bound;
mod change;
mod fixpoint;
mod layout_order;
mod shaped;
mod work;

use crate::backends::{Backend, CallError, Options, Run, RunAt};
use crate::index_overflow;
use crate::one_entry::OneEntry;
use crate::sparse_result::SparseResult;
use crate::validate::Standing;
use atl_diag::{Diagnostic, SourceMap, err};
use atl_lang::Function;
use atl_loops::Kernel;
use atl_runtime::{Buffer, BufferView};
use atl_session::Failure;
use atl_session::Ready;
use atl_session::on_deep;
use atl_session::signature::Signature;
use std::sync::Arc;

use binding::Given;
pub use binding::given_once;
pub(crate) use bound::Refused;
pub use bound::{Bound, Memory, Output};
pub use change::{Change, Norm};
pub use fixpoint::{End, FixpointResult, Next, Step, StopCondition, Watch};
pub use shaped::Shaped;
pub use work::Work;

/// A function compiled by some back end. A copy shares the code.
#[derive(Clone)]
pub struct Compiled {
    code: Arc<Code>,
    trusts_arrays: bool,
}

struct Code {
    sources: Arc<SourceMap>,
    function: Function,
    signature: Arc<Signature>,
    kernel: Kernel,
    /// The arrays by which memory is read, by position.
    index_reads: Vec<usize>,
    /// Did an earlier run derive the loops?
    is_kept: bool,
    /// What is dear in loops that were chosen.
    dear: Vec<Diagnostic>,
    backend: &'static str,
    run: Box<dyn Run>,
    /// The kernel at the sizes, and ends of arrays, for which its index arithmetic was shown last to stay
    /// within 64 bits.
    at: OneEntry<(Vec<i64>, index_overflow::Ends), Arc<dyn RunAt>>,
}

/// What a back end compiles.
pub trait Compile {
    /// Make the kernel ready to be called.
    ///
    /// # Errors
    /// The back end cannot be used here, or refuses the kernel.
    fn compile(&self, backend: &'static Backend, options: Options) -> Result<Compiled, Failure>;
}

impl Compile for Ready {
    fn compile(&self, backend: &'static Backend, options: Options) -> Result<Compiled, Failure> {
        if let Some(why) = (backend.unavailable)() {
            return Err(Failure::new(
                &self.sources,
                err!(E0602, "the back end `{}` cannot be used on this machine: {why}", backend.name)
                    .help("`--backend cranelift` needs nothing besides `atl`"),
            ));
        }
        let run = on_deep(self.deepest(), || (backend.compile)(self, options)).map_err(|why| {
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

type Refusal = Box<Diagnostic>;

impl Compiled {
    /// A function that is run so.
    pub(crate) fn of(lowered: &Ready, backend: &'static str, run: Box<dyn Run>) -> Compiled {
        let kernel = lowered.kernel.clone();
        let signature = Arc::new(Signature::clone(&lowered.signature).with_kernel(&kernel));
        let reads = kernel.index_reads().into_iter().filter_map(|name| signature.array(name.as_str()));
        let index_reads = reads.collect();
        let code = Code {
            sources: lowered.sources.clone(),
            function: lowered.function.clone(),
            index_reads,
            signature,
            kernel,
            is_kept: lowered.is_kept(),
            dear: lowered.dear.clone(),
            backend: run.standing().backend().unwrap_or(backend),
            run,
            at: OneEntry::empty(),
        };
        Compiled { code: Arc::new(code), trusts_arrays: false }
    }

    /// The texts that diagnostics point into.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.code.sources
    }

    /// What is known of the code that serves.
    pub fn standing(&self) -> Standing {
        self.code.run.standing()
    }

    /// Did an earlier run derive the loops, and keep them?
    pub fn is_kept(&self) -> bool {
        self.code.is_kept
    }

    /// A warning where other code serves than what was asked for, and for what is dear in loops that were
    /// chosen.
    pub fn performance_warnings(&self) -> Vec<Diagnostic> {
        self.standing()
            .remark(&self.code.function)
            .into_iter()
            .chain(self.code.dear.iter().cloned())
            .collect()
    }

    /// The function.
    pub fn function(&self) -> &Function {
        &self.code.function
    }

    /// What a call looks like.
    pub fn signature(&self) -> &Signature {
        &self.code.signature
    }

    /// The name of the back end that serves.
    pub fn backend(&self) -> &'static str {
        self.code.backend
    }

    /// From now on, what the function requires of the contents of arrays is not checked when it is called,
    /// but promised by the caller: a call for which it does not hold may read and write any memory.
    /// Everything else is still checked.
    #[must_use]
    pub fn trusting_arrays(mut self) -> Compiled {
        self.trusts_arrays = true;
        self
    }

    /// A call with arrays by name, and sizes that no array gives.
    pub fn call<'a>(&self, arrays: &[Named<'a>], sizes: &[(&str, i64)]) -> Call<'a> {
        let given = Given::by_name(self.signature(), arrays, sizes);
        Call { kernel: self.clone(), given }
    }

    /// A call with arrays by position, and sizes that no array gives, each by its own.
    pub fn call_by_position<'a>(
        &self,
        arrays: impl IntoIterator<Item = BufferView<'a>>,
        sizes: &[(usize, i64)],
    ) -> Call<'a> {
        let given = Given::by_position(self.signature(), arrays, sizes);
        Call { kernel: self.clone(), given }
    }

    /// The parameter over which the schedule lets the result be stored, if it has a step `reuse`.
    pub fn reused(&self) -> Option<&str> {
        self.signature().result.over.map(|place| self.signature().arrays[place].name.as_str())
    }

    fn failed(&self, why: CallError) -> Failure {
        self.fail(self.failure(why))
    }

    fn failure(&self, why: CallError) -> Diagnostic {
        let (name, backend) = (&self.signature().name, self.backend());
        match why {
            CallError::NoMemory => err!(E0605, "`{name}` could not allocate its scratch memory")
                .help("choose smaller sizes, or a schedule with smaller windows"),
            CallError::Limit(why) => {
                err!(E0607, "`{name}` is too much for the back end `{backend}`: {why}")
                    .help("it is for small sizes: choose smaller ones, or another back end, as `--backend c`")
            }
            CallError::Backend(why) => {
                err!(E0607, "`{name}` failed in the back end `{backend}`: {why}").help(if self.trusts_arrays {
                    "what arrays are required to hold was not checked, and may not hold: call it without `--trust-input`"
                } else {
                    "please report this with the program"
                })
            }
        }
    }

    /// A failure of one diagnostic, in the sources of the kernel.
    pub fn fail(&self, d: Diagnostic) -> Failure {
        Failure::new(self.sources(), d)
    }
}

/// A call of a kernel: what it is given. Nothing is checked before it is bound or run.
#[must_use]
pub struct Call<'a> {
    kernel: Compiled,
    given: Result<Given<'a>, Refusal>,
}

impl<'a> Call<'a> {
    /// The arguments, checked, for runs that repeat.
    ///
    /// # Errors
    /// An argument that does not fit.
    pub fn bind(self) -> Result<Bound<'a>, Failure> {
        let kernel = self.kernel.clone();
        self.accepted().map_err(|refused| kernel.fail(*refused.into_refusal()))
    }

    /// The same, with what is to change where a call is refused, for those who make arguments up.
    pub(crate) fn accepted(self) -> Result<Bound<'a>, Refused> {
        let fitting = self.given.and_then(|given| given.fitting(self.kernel.signature()));
        Bound::try_new(self.kernel, fitting.map_err(Refused::Otherwise)?)
    }

    /// The result in memory of its own: all of its elements, row-major, however the kernel stores it.
    ///
    /// # Errors
    /// An argument that does not fit, or what the kernel met.
    pub fn dense(self) -> Result<Buffer, Failure> {
        self.bind()?.dense()
    }

    /// The results in memory of their own, in order: one, or several.
    ///
    /// # Errors
    /// As for [`dense`](Call::dense).
    pub fn results(self) -> Result<Vec<Buffer>, Failure> {
        self.bind()?.results()
    }

    /// The result of a function whose result has a format, as it is stored; none if it has none.
    ///
    /// # Errors
    /// As for [`dense`](Call::dense).
    pub fn sparse(self) -> Result<Option<SparseResult>, Failure> {
        self.bind()?.sparse()
    }

    /// Runs it once, with the result going there.
    ///
    /// With [`Output::InPlace`] the array is the argument for the parameter that the schedule reuses, which
    /// is given by that alone. If the call fails, the array holds nothing of use.
    ///
    /// # Errors
    /// As for [`dense`](Call::dense); an output of another type or shape; and of a call in place, a schedule
    /// without `reuse`.
    pub fn run(self, output: Output<'_>) -> Result<(), Failure> {
        let Output::InPlace(array) = output else { return self.bind()?.run(output) };
        let Call { kernel, given } = self;
        let signature = kernel.signature();
        let over = signature.result.over.ok_or_else(|| kernel.fail(bound::stores_over_nothing(signature)))?;
        let mut given = given.map_err(|d| kernel.fail(*d))?;
        if given.arrays[over].is_some() {
            return Err(kernel.fail(*binding::twice(signature, &signature.arrays[over].name)));
        }
        // The argument is lent for being checked only: afterwards its memory is the result's.
        let checked = {
            let mut all: Given<'_> = given.clone();
            all.arrays[over] = Some(array.view());
            Call { kernel: kernel.clone(), given: Ok(all) }.bind()?.into_parts()
        };
        given.arrays[over] = Some(BufferView::empty(array.dtype()));
        Bound::of_parts(kernel, checked, given.arrays.into_iter().flatten().collect()).run_over(over, array)
    }
}
