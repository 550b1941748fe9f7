//! Arguments that were checked, and runs on them.
//!
//! The one idea: what is checked of arguments holds as long as they are borrowed, so a run has nothing to
//! look at but its output. It allocates nothing where the output is given as the kernel stores it.

use super::binding::{Fitting, carrier};
use super::{Compiled, Refusal, layout_order};
use crate::backends::{CallError, RunAt, Target};
use crate::index_overflow::{self, Overflow};
use crate::sparse_result::SparseResult;
use atl_diag::{Diagnostic, err};
use atl_loops::requirement::{IndexCell, Integers, Unmet};
use atl_loops::{Kernel, Name};
use atl_runtime::{Buffer, BufferError, BufferView, BufferViewMut, DType, Growing, with_element};
use atl_session::Failure;
use atl_session::signature::{ResultType, Signature, Storage};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Arguments that were checked.
#[derive(Clone)]
pub struct Bound<'a> {
    pub(super) kernel: Compiled,
    pub(super) at: Arc<dyn RunAt>,
    pub(super) fitting: Fitting<'a>,
}

/// Where the result of a call goes.
#[derive(Debug)]
pub enum Output<'o> {
    /// Into row-major memory of its type and shape, however the kernel stores it.
    Dense(BufferViewMut<'o>),
    /// Of a function with several results: each into row-major memory of its type and shape, in order.
    Several(Vec<BufferViewMut<'o>>),
    /// Over the argument that the schedule reuses, which the array holds at first.
    InPlace(BufferViewMut<'o>),
    /// Into memory as the kernel stores it, from [`Bound::memory`].
    Stored(&'o mut Memory),
}

/// Memory for a result as its kernel stores it, to be used again.
#[derive(Debug)]
pub enum Memory {
    /// All elements, in the order in which they are stored.
    Dense(Buffer),
    /// All elements of each of several results.
    Several(Vec<Buffer>),
    /// The arrays of a format, which grow.
    Arrays(Vec<Growing>),
}

impl Memory {
    /// How many bytes the result has that was stored last.
    pub fn bytes(&self) -> usize {
        match self {
            Memory::Dense(output) => output.as_bytes().len(),
            Memory::Several(outputs) => outputs.iter().map(|output| output.as_bytes().len()).sum(),
            Memory::Arrays(arrays) => arrays.iter().map(|array| array.len() * array.dtype().size()).sum(),
        }
    }

    /// Copies of the arrays as they are now.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn arrays(&self) -> Result<Vec<Buffer>, BufferError> {
        match self {
            Memory::Dense(array) => Ok(vec![array.clone()]),
            Memory::Several(arrays) => Ok(arrays.clone()),
            Memory::Arrays(arrays) => arrays.iter().map(Growing::to_buffer).collect(),
        }
    }

    pub(crate) fn target(&mut self) -> Target<'_> {
        match self {
            Memory::Dense(array) => Target::Dense(array.view_mut()),
            Memory::Several(arrays) => Target::Several(arrays.iter_mut().map(Buffer::view_mut).collect()),
            Memory::Arrays(arrays) => Target::Arrays(arrays),
        }
    }
}

/// Why arguments are refused, by what would have to change.
#[derive(Debug)]
pub(crate) enum Refused {
    /// A requirement on arrays does not hold.
    Unmet(Refusal),
    /// With what the arrays hold index arithmetic leaves 64 bits.
    OutOfRange(Refusal),
    /// Something else.
    Otherwise(Refusal),
}

impl Refused {
    pub(super) fn into_refusal(self) -> Refusal {
        match self {
            Refused::Unmet(d) | Refused::OutOfRange(d) | Refused::Otherwise(d) => d,
        }
    }
}

/// What was checked of arguments, apart from the arrays.
pub(super) struct Parts {
    at: Arc<dyn RunAt>,
    fitting: Fitting<'static>,
}

impl<'a> Bound<'a> {
    pub(super) fn try_new(kernel: Compiled, fitting: Fitting<'a>) -> Result<Bound<'a>, Refused> {
        let at = kernel.admits(&fitting)?;
        Ok(Bound { kernel, at, fitting })
    }

    /// The arguments, checked again: for a caller whose arrays others may have written to.
    ///
    /// # Errors
    /// As for [`Call::bind`](super::Call::bind).
    pub fn rechecked(&self) -> Result<(), Failure> {
        let carriers = self.signature().arrays.iter().zip(self.inputs());
        let mut carriers = carriers.map(|(array, view)| carrier(array, view));
        carriers.try_for_each(|checked| checked.map_err(|d| self.kernel.fail(*d)))?;
        let admitted = self.kernel.admits(&self.fitting);
        admitted.map(drop).map_err(|refused| self.kernel.fail(*refused.into_refusal()))
    }

    /// What was checked, without the arrays.
    pub(super) fn into_parts(self) -> Parts {
        let Fitting { sizes, stated, shape, memory, more, inputs: _ } = self.fitting;
        Parts { at: self.at, fitting: Fitting { sizes, stated, shape, memory, more, inputs: Vec::new() } }
    }

    /// Arguments with these arrays, of which that was checked.
    pub(super) fn of_parts(kernel: Compiled, parts: Parts, inputs: Vec<BufferView<'a>>) -> Bound<'a> {
        Bound { kernel, at: parts.at, fitting: Fitting { inputs, ..parts.fitting } }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Compiled {
        &self.kernel
    }

    /// The values of the sizes, by position.
    pub fn sizes(&self) -> &[i64] {
        &self.fitting.sizes
    }

    /// The shape of the result; of several, of the first.
    pub fn shape(&self) -> &[usize] {
        &self.fitting.shape
    }

    /// The shapes of the results, in order: one, or several.
    pub fn shapes(&self) -> impl Iterator<Item = &[usize]> {
        std::iter::once(self.shape()).chain(self.fitting.more.iter().map(Vec::as_slice))
    }

    /// The arrays.
    pub fn inputs(&self) -> &[BufferView<'a>] {
        &self.fitting.inputs
    }

    /// The shape of the result in memory: another, if it is stored in the order of a layout.
    pub(crate) fn memory_shape(&self) -> &[usize] {
        &self.fitting.memory
    }

    /// How many bytes the arrays have.
    pub fn input_bytes(&self) -> usize {
        let bytes = |view: &BufferView<'_>| view.shape().iter().product::<usize>() * view.dtype().size();
        self.inputs().iter().map(bytes).sum()
    }

    /// How many operations on numbers a call makes, as its loops say: not a number if that leaves 64 bits.
    pub fn flops(&self) -> f64 {
        atl_cost::flops(&self.kernel.code.kernel, self.sizes()).unwrap_or(f64::NAN)
    }

    /// How many operations and iterations a call makes, as its loops say: not a number where
    /// [`flops`](Self::flops) is none.
    pub fn steps(&self) -> f64 {
        atl_cost::steps(&self.kernel.code.kernel, self.sizes()).unwrap_or(f64::NAN)
    }

    /// Memory for the result as the kernel stores it.
    ///
    /// # Errors
    /// It does not fit memory.
    pub fn memory(&self) -> Result<Memory, Failure> {
        let result = &self.signature().result;
        if let Storage::Sparse { arrays, .. } = &result.storage {
            return Ok(Memory::Arrays(arrays.iter().map(|(_, dtype)| Growing::new(*dtype)).collect()));
        }
        if !self.signature().more.is_empty() {
            return self.zeros_of_all().map(Memory::Several);
        }
        let zeros = Buffer::zeros(result.dtype, self.memory_shape());
        zeros.map(Memory::Dense).map_err(|why| self.no_memory(&why))
    }

    /// Row-major arrays of zeros for the results.
    fn zeros_of_all(&self) -> Result<Vec<Buffer>, Failure> {
        let results = self.signature().results().zip(self.shapes());
        let zeros = results.map(|(result, shape)| Buffer::zeros(result.dtype, shape));
        zeros.collect::<Result<_, _>>().map_err(|why| self.no_memory(&why))
    }

    /// The results in memory of their own, in order: one, or several, each with all of its elements,
    /// row-major.
    ///
    /// # Errors
    /// As for [`dense`](Bound::dense).
    pub fn results(&self) -> Result<Vec<Buffer>, Failure> {
        if self.signature().more.is_empty() {
            return Ok(vec![self.dense()?]);
        }
        let mut outputs = self.zeros_of_all()?;
        self.run(Output::Several(outputs.iter_mut().map(Buffer::view_mut).collect()))?;
        Ok(outputs)
    }

    /// Refuses several results where a call takes one.
    pub(super) fn is_one(&self) -> Result<(), Failure> {
        match self.signature().more.is_empty() {
            true => Ok(()),
            false => Err(self.kernel.fail(several_results(self.signature()))),
        }
    }

    /// The result in memory of its own: all of its elements, row-major, however the kernel stores it.
    ///
    /// # Errors
    /// It does not fit memory, or what the kernel met.
    pub fn dense(&self) -> Result<Buffer, Failure> {
        self.is_one()?;
        let mut output = self.zeros()?;
        self.run(Output::Dense(output.view_mut()))?;
        Ok(output)
    }

    /// The result of a function whose result has a format, as it is stored; none if it has none.
    ///
    /// # Errors
    /// As for [`dense`](Bound::dense).
    pub fn sparse(&self) -> Result<Option<SparseResult>, Failure> {
        if !matches!(self.signature().result.storage, Storage::Sparse { .. }) {
            return Ok(None);
        }
        let mut memory = self.memory()?;
        self.run(Output::Stored(&mut memory))?;
        let arrays = memory.arrays().map_err(|why| self.no_memory(&why))?;
        let result = SparseResult::try_new(self.signature(), self.shape(), arrays);
        result.map_err(|d| self.kernel.fail(*d))
    }

    /// Runs the kernel, with the result going there. In place, what the array holds is checked first.
    ///
    /// # Errors
    /// An output of another type or shape; the schedule reuses nothing; or what the kernel met.
    pub fn run(&self, output: Output<'_>) -> Result<(), Failure> {
        match output {
            Output::Stored(memory) => {
                self.holds(memory)?;
                self.run_at(memory.target())
            }
            Output::Several(outputs) => {
                let wanted = self.signature().results().zip(self.shapes());
                if outputs.len() != self.signature().results().count() {
                    return Err(self.kernel.fail(several_results(self.signature())));
                }
                for (output, (result, shape)) in outputs.iter().zip(wanted) {
                    self.fits_as(result, output.dtype(), output.shape(), shape)?;
                }
                self.run_at(match <[BufferViewMut<'_>; 1]>::try_from(outputs) {
                    Ok([only]) => return self.run(Output::Dense(only)),
                    Err(outputs) => Target::Several(outputs),
                })
            }
            Output::Dense(mut output) => {
                self.is_one()?;
                self.fits(output.dtype(), output.shape(), self.shape())?;
                if let Storage::RowMajor = self.signature().result.storage {
                    return self.run_at(Target::Dense(output));
                }
                let copied = self.unpacked()?;
                let copied = copied.and_then(|dense| output.copy_from(&dense).map_err(|why| why.to_string()));
                copied.map_err(|why| self.kernel.failed(CallError::Backend(why)))
            }
            Output::InPlace(array) => {
                let over = self.signature().result.over;
                let over = over.ok_or_else(|| self.kernel.fail(stores_over_nothing(self.signature())))?;
                self.fits(array.dtype(), array.shape(), self.memory_shape())?;
                // Its sizes are those of the call; what it holds may be looked at.
                self.with(over, array.view())?.into_parts();
                self.run_over(over, array)
            }
        }
    }

    /// [`Output::InPlace`] over the argument at this position, for an array that was checked.
    pub fn run_over(&self, over: usize, array: BufferViewMut<'_>) -> Result<(), Failure> {
        self.run_at(Target::Over(over, array))
    }

    fn run_at(&self, target: Target<'_>) -> Result<(), Failure> {
        self.at.run(self.inputs(), target).map_err(|why| self.kernel.failed(why))
    }

    /// The same arguments but for this array, of which only what may differ is checked: the sizes are those
    /// of the call.
    pub(super) fn with<'b>(&self, place: usize, view: BufferView<'b>) -> Result<Bound<'b>, Failure>
    where
        'a: 'b,
    {
        let array = &self.signature().arrays[place];
        carrier(array, &view).map_err(|d| self.kernel.fail(*d))?;
        let mut fitting: Fitting<'b> = self.fitting.clone();
        fitting.inputs[place] = view;
        let (kernel, at) = (self.kernel.clone(), self.at.clone());
        if !array.is_inspected {
            return Ok(Bound { kernel, at, fitting });
        }
        Bound::try_new(kernel, fitting).map_err(|refused| self.kernel.fail(*refused.into_refusal()))
    }

    /// A row-major array of zeros for the result.
    pub(super) fn zeros(&self) -> Result<Buffer, Failure> {
        Buffer::zeros(self.signature().result.dtype, self.shape()).map_err(|why| self.no_memory(&why))
    }

    /// Every element of a result that is not stored row-major.
    fn unpacked(&self) -> Result<Result<Buffer, String>, Failure> {
        let mut memory = self.memory()?;
        self.run(Output::Stored(&mut memory))?;
        Ok(match (&self.signature().result.storage, &memory) {
            (Storage::Layout(stored), Memory::Dense(memory)) => {
                layout_order::gathered(stored, self.shape(), memory)
            }
            _ => memory.arrays().map_err(|why| why.to_string()).and_then(|arrays| {
                let found = SparseResult::try_new(self.signature(), self.shape(), arrays);
                let found = found.map_err(|d| d.message.clone())?;
                found.ok_or("the result has no format")?.to_dense()
            }),
        })
    }

    /// Refuses an output of another type or shape.
    fn fits(&self, dtype: DType, shape: &[usize], expected: &[usize]) -> Result<(), Failure> {
        self.fits_as(&self.signature().result, dtype, shape, expected)
    }

    /// The same for one of several results.
    fn fits_as(
        &self,
        result: &ResultType,
        dtype: DType,
        shape: &[usize],
        expected: &[usize],
    ) -> Result<(), Failure> {
        let (wanted, name) = (result.dtype, &self.signature().name);
        if dtype == wanted && shape == expected {
            return Ok(());
        }
        Err(self.kernel.fail(
            err!(E0504, "the output is {dtype}{shape:?}, and `{name}` gives {wanted}{expected:?}")
                .help("allocate it with the result's type and shape"),
        ))
    }

    /// Refuses memory that was made for another result.
    fn holds(&self, memory: &Memory) -> Result<(), Failure> {
        match (memory, &self.signature().result.storage) {
            (Memory::Arrays(arrays), Storage::Sparse { arrays: wanted, .. })
                if arrays.iter().map(Growing::dtype).eq(wanted.iter().map(|(_, dtype)| *dtype)) =>
            {
                Ok(())
            }
            (Memory::Several(arrays), _) if arrays.len() == self.signature().results().count() => {
                let results = self.signature().results().zip(self.shapes());
                arrays.iter().zip(results).try_for_each(|(array, (result, shape))| {
                    self.fits_as(result, array.dtype(), array.shape(), shape)
                })
            }
            (Memory::Dense(array), Storage::RowMajor | Storage::Layout(_))
                if self.signature().more.is_empty() =>
            {
                self.fits(array.dtype(), array.shape(), self.memory_shape())
            }
            _ => Err(self.kernel.fail(
                err!(E0504, "the memory is not that of a result of `{}`", self.signature().name)
                    .help("take what `memory` of the bound call gives"),
            )),
        }
    }

    pub(super) fn signature(&self) -> &Signature {
        self.kernel.signature()
    }

    pub(super) fn no_memory(&self, why: &BufferError) -> Failure {
        self.kernel.fail(
            err!(E0605, "the result of shape {:?} cannot be allocated: {why}", self.shape())
                .help("choose smaller sizes"),
        )
    }
}

impl Compiled {
    /// The kernel at the sizes of arguments, where these hold what it requires and its index arithmetic stays
    /// within 64 bits.
    fn admits(&self, fitting: &Fitting<'_>) -> Result<Arc<dyn RunAt>, Refused> {
        self.holds(&fitting.sizes, &fitting.inputs).map_err(Refused::Unmet)?;
        // What the kernel requires of an array bounds it; only where that is too much are cells looked at.
        let required = self.code.kernel.required_bounds(&fitting.sizes);
        self.at(fitting, self.ends(fitting, &required, false)).or_else(|refused| match refused {
            Refused::OutOfRange(_) if !required.is_empty() => {
                self.at(fitting, self.ends(fitting, &required, true))
            }
            refused => Err(refused),
        })
    }

    /// Refuses arrays that do not contain what the kernel requires.
    pub(super) fn holds(&self, sizes: &[i64], inputs: &[BufferView<'_>]) -> Result<(), Refusal> {
        let kernel = &self.code.kernel;
        if self.trusts_arrays || kernel.requires_all.is_empty() {
            return Ok(());
        }
        match kernel.unmet(sizes, &integers(kernel, inputs)) {
            None => Ok(()),
            Some(unmet) => Err(Box::new(unmet_of(self.signature(), &unmet))),
        }
    }

    /// Do sizes alone show that index arithmetic stays within 64 bits, whatever the arrays contain that the
    /// kernel requires, but for those that stay as they are?
    pub(super) fn bounds_what_it_reads(&self, fitting: &Fitting<'_>, stays: &dyn Fn(usize) -> bool) -> bool {
        let required = self.code.kernel.required_bounds(&fitting.sizes);
        let name = |place: usize| Name::new(&self.signature().arrays[place].name);
        let is_bounded = |place: &usize| stays(*place) || required.contains_key(&name(*place));
        self.code.index_reads.iter().all(is_bounded)
            && self.at(fitting, self.ends(fitting, &required, false)).is_ok()
    }

    /// The ends of the arrays from which indices are read: of the cells, if it `looks` or nothing is
    /// required of them.
    fn ends(
        &self,
        fitting: &Fitting<'_>,
        required: &BTreeMap<&Name, (i64, i64)>,
        looks: bool,
    ) -> index_overflow::Ends {
        let ends = self.code.index_reads.iter().filter_map(|place| {
            let cells = cells(fitting.inputs.get(*place)?)?;
            let name = Name::new(&self.signature().arrays[*place].name);
            // From an empty array nothing is read.
            let known = if cells.is_empty() { Some((0, 0)) } else { required.get(&name).copied() };
            let known = known.filter(|_| !looks || cells.is_empty());
            Some((name, known.or_else(|| cells.ends()).unwrap_or((0, 0))))
        });
        ends.collect()
    }

    /// The kernel at the sizes of arguments, if its index arithmetic stays within 64 bits where arrays hold
    /// numbers between these ends.
    fn at(&self, fitting: &Fitting<'_>, ends: index_overflow::Ends) -> Result<Arc<dyn RunAt>, Refused> {
        let (code, signature) = (&*self.code, self.signature());
        code.at.get_or(
            |(sizes, of)| *sizes == fitting.sizes && *of == ends,
            || {
                index_overflow::check(&code.kernel, &fitting.sizes, &ends).map_err(|overflow| {
                    Refused::OutOfRange(Box::new(out_of_range(signature, &overflow, &fitting.sizes)))
                })?;
                let at = code.run.at(&fitting.sizes);
                let at = at.map_err(|why| Refused::Otherwise(Box::new(self.failure(why))))?;
                Ok(((fitting.sizes.clone(), ends.clone()), at))
            },
        )
    }
}

/// The refusal of a call that takes one result, or another number of them.
fn several_results(signature: &Signature) -> Diagnostic {
    let results: Vec<String> = signature
        .results()
        .map(|result| format!("{}: {}", result.name.as_deref().unwrap_or("out"), result.ty))
        .collect();
    err!(E0552, signature.span, "`{}` has {} results", signature.name, results.len())
        .label("this function")
        .note(format!("they are {}", results.join(", ")))
        .help("take all of them: `atl run` stores each in a file of its own, `--out A.npy --out B.npy`; `results()` of a call has an array for each")
}

/// The refusal of a call in place by a schedule that reuses nothing.
pub(super) fn stores_over_nothing(signature: &Signature) -> Diagnostic {
    err!(E0414, signature.span, "`{}` does not store its result over an argument", signature.name)
        .label("this function")
        .help("add `reuse X` to its schedule, for a parameter `X`")
}

/// A requirement on arrays that does not hold.
fn unmet_of(signature: &Signature, unmet: &Unmet) -> Diagnostic {
    let at = if unmet.binding.is_empty() { String::new() } else { format!(" for {}", unmet.point()) };
    // The kernel's requirements on arrays are the function's, in order.
    let stated = signature.contents.get(unmet.requirement).map_or(signature.span, |stated| stated.span);
    let refusal = err!(E0506, stated, "`{}` does not hold{at}", unmet.text)
        .label("required here")
        .help("give arrays that satisfy it");
    if unmet.terms.is_empty() { refusal } else { refusal.note(unmet.findings()) }
}

/// The arrays of integers or truth values; a kernel has those that it reads first.
fn integers<'a>(kernel: &Kernel, inputs: &[BufferView<'a>]) -> BTreeMap<Name, Integers<'a>> {
    let mut found = BTreeMap::new();
    for (param, view) in kernel.params.iter().zip(inputs) {
        // One by one: to collect them makes a list first.
        if let Some(cells) = cells(view) {
            found.insert(param.name.clone(), cells);
        }
    }
    found
}

/// The cells of an array of integers or truth values.
fn cells<'a>(view: &BufferView<'a>) -> Option<Integers<'a>> {
    with_element!(view.dtype(), T => view.as_slice::<T>().ok().and_then(IndexCell::integers))
}

fn out_of_range(signature: &Signature, overflow: &Overflow, sizes: &[i64]) -> Diagnostic {
    let Overflow { term, of_any_value } = overflow;
    let note = match sizes {
        [] => format!("`{term}` may leave them"),
        _ => format!("`{term}` may leave them, with {}", signature.named(sizes)),
    };
    let Some((array, scalar)) = of_any_value.first() else {
        return err!(E0523, signature.span, "for these sizes index arithmetic leaves 64 bits")
            .label("this function")
            .note(note)
            .help("give smaller sizes");
    };
    err!(E0523, signature.span, "index arithmetic may leave 64 bits: of `{array}` only the type is known")
        .label("this function")
        .note(format!("{note}: the kernel computes `{array}`, so it may hold any number of `{scalar}`"))
        .help("compute it in a narrower type, such as `i32`")
}
