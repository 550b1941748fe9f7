//! Kernels: a function under a schedule, derived, checked and lowered; its code is made at the first call.

use crate::axis_order::Orders;
use crate::bound::{self, BoundCall};
use crate::call;
use crate::compiled::{Code, Open};
use crate::complex;
use crate::errors;
use crate::program::Program;
use crate::ready::Ready;
use crate::tune::{self, Effort, Found};
use crate::worker::on_worker;
use atl_driver::auto;
use atl_driver::backends::by_name;
use atl_driver::build::build;
use atl_driver::explain::{Explanation, Statement, page_of};
use atl_driver::show::{Notation, Stage, show_scheduled};
use atl_driver::signature::Size;
use atl_driver::validate::Validation;
use atl_driver::{Failure, Lowered, Rounding, Scheduled, Signature, proof};
use atl_lang::{Argument, Function, SizeSource};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What an argument is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The size at this place.
    Size(usize),
    /// The array at this place.
    Array(usize),
    /// The parameter in a format at this place of those in formats.
    Operand(usize),
}

/// A function under a schedule.
#[pyclass(subclass, frozen, module = "atl._atl")]
pub(crate) struct Kernel {
    pub(crate) program: Arc<atl_driver::Program>,
    pub(crate) scheduled: Arc<Scheduled>,
    pub(crate) lowered: Arc<Lowered>,
    pub(crate) code: Code,
    /// What a call gives by position.
    pub(crate) positions: Vec<Role>,
    /// How many arguments were copied so far.
    pub(crate) copies: Arc<AtomicUsize>,
    /// The file beside which imports are found, if there is one.
    pub(crate) path: Option<PathBuf>,
    /// The same function of operands whose axes lie in another order.
    pub(crate) orders: Orders,
    /// What is known of calls like the last few that differed, the last one first.
    pub(crate) ready: Mutex<Vec<Arc<Ready>>>,
}

/// As many forms of calls are known: operands that take turns, packed and not.
const KNOWN_CALLS: usize = 4;

impl Kernel {
    /// What is known of calls like one before; of the last one, if `k` is 0.
    pub(crate) fn ready(&self, k: usize) -> Option<Arc<Ready>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).get(k).cloned()
    }

    /// The last call was like this one.
    pub(crate) fn repeats(&self, k: usize) {
        let mut known = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have changed what is known.
        let k = k.min(known.len().saturating_sub(1));
        if let Some(calls) = known.get_mut(..=k) {
            calls.rotate_right(1);
        }
    }

    /// From now on this is known.
    pub(crate) fn is_ready(&self, ready: Ready) {
        let mut known = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = if known.len() == KNOWN_CALLS { known.pop() } else { None };
        known.insert(0, Arc::new(ready));
        // It holds objects of Python's: they are freed after the lock.
        drop(known);
        drop(oldest);
    }
}

#[pymethods]
impl Kernel {
    /// The function under the named schedule, or under these steps; without either one is chosen at the first
    /// call, of this class of rounding or, without a class, of the one that the function allows.
    #[new]
    #[pyo3(signature = (program, function, schedule = None, steps = None, backend = None, rounding = None))]
    fn new(
        py: Python<'_>,
        program: &Program,
        function: String,
        schedule: Option<String>,
        steps: Option<Vec<String>>,
        backend: Option<&str>,
        rounding: Option<&str>,
    ) -> PyResult<Kernel> {
        let backend = backend.map(|name| {
            let unknown = || {
                PyValueError::new_err(format!("there is no back end `{name}`: c, cranelift, interp, loops"))
            };
            by_name(name).ok_or_else(unknown)
        });
        let rounding = rounding.map(rounding_of).transpose()?;
        let known = match (&schedule, &steps) {
            (None, None) => program.derived(&function),
            _ => None,
        };
        let (program, path) = (program.program.clone(), program.path.clone());
        let open = match (&schedule, &steps) {
            (None, None) => {
                let found = program.function(Some(&function), None);
                let found = found.map_err(|failure| errors::refused(py, &failure))?;
                Some(Open { program: program.clone(), schedule: auto::of_class(found, rounding) })
            }
            _ => None,
        };
        let code = Code::new(backend.transpose()?, open);
        let of = program.clone();
        let derive = move || {
            let scheduled = match steps {
                Some(steps) if !steps.is_empty() => {
                    let under = of.function(Some(&function), schedule.as_deref())?;
                    of.scripted(under, "the schedule", &script(&function, &steps))?
                }
                _ => of.scheduled(&function, schedule.as_deref())?,
            };
            let lowered = scheduled.lower()?;
            Ok::<_, Failure>((scheduled, lowered))
        };
        let derived = match known {
            Some(known) => Ok(known),
            None => on_worker(py, derive)?,
        };
        let (scheduled, lowered) = derived.map_err(|failure| errors::refused(py, &failure))?;
        let positions = positions(&lowered.function, &lowered.signature);
        let (scheduled, lowered) = (Arc::new(scheduled), Arc::new(lowered));
        Ok(Kernel {
            program,
            scheduled,
            lowered,
            code,
            positions,
            copies: Arc::default(),
            path,
            orders: Orders::default(),
            ready: Mutex::default(),
        })
    }

    // `out` has a place of its own here, so that no dictionary is made for it.
    #[pyo3(signature = (*args, out = None, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyAny>>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if kwargs.is_none()
            && let Some(done) = call::again(self, py, args, out)
        {
            return done;
        }
        let named = match (out, kwargs) {
            (None, kwargs) => kwargs.cloned(),
            (Some(out), kwargs) => {
                let named = kwargs.map_or_else(|| Ok(PyDict::new(py)), |kwargs| kwargs.copy())?;
                named.set_item("out", out)?;
                Some(named)
            }
        };
        match complex::is_complex(self) {
            true => complex::call(self, py, args, named.as_ref()),
            false => call::call(self, py, args, named.as_ref()),
        }
    }

    /// A call whose arguments are checked once: it is called without arguments, and reads what the arrays
    /// hold then. Sparse operands are copied here: after their entries change, bind again.
    #[pyo3(signature = (*args, **kwargs))]
    fn bind(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<BoundCall> {
        if complex::is_complex(self) {
            let help = "call the kernel itself, or write a function of the parts, which are real arrays";
            return Err(errors::plain(py, "a call with complex numbers cannot be bound", help));
        }
        bound::bind(self, py, args, kwargs)
    }

    /// The function's name.
    #[getter]
    fn name(&self) -> String {
        self.lowered.function.name.clone()
    }

    /// The documentation of the function.
    #[getter]
    fn doc(&self) -> String {
        self.lowered.function.doc.join("\n")
    }

    /// The arguments in the order of a call: names and types, `size` for a size.
    fn parameters(&self) -> Vec<(String, String)> {
        let f = &self.lowered.signature;
        let complex = |part: usize, name: &String| {
            f.complex.iter().find(|complex| !complex.is_result && complex.parts[part] == *name)
        };
        let parameter = |role: &Role| match *role {
            Role::Size(k) => Some((f.sizes[k].name.clone(), "size".to_owned())),
            Role::Array(k) => match (complex(0, &f.arrays[k].name), complex(1, &f.arrays[k].name)) {
                (Some(complex), _) => Some((complex.name.clone(), complex.ty.clone())),
                (None, Some(_)) => None,
                (None, None) => Some((f.arrays[k].name.clone(), f.arrays[k].ty.clone())),
            },
            Role::Operand(k) => {
                let operand = &f.operands[k];
                Some((operand.name.clone(), format!("{} as {}", operand.ty, operand.format)))
            }
        };
        self.positions.iter().filter_map(parameter).collect()
    }

    /// How many arguments were copied so far, because they did not lie in C order.
    #[getter]
    fn copies(&self) -> usize {
        self.copies.load(Ordering::Relaxed)
    }

    /// The name of the back end that serves.
    #[getter]
    fn backend(&self) -> &'static str {
        self.code.backend().name
    }

    /// The name of the schedule that is chosen at the first call, if one is.
    #[getter]
    fn open(&self) -> Option<&'static str> {
        self.code.open().map(|open| open.schedule)
    }

    /// The function at a stage, as text.
    fn show_stage(&self, py: Python<'_>, stage: &str, sizes: Vec<(String, i64)>) -> PyResult<String> {
        let Some(stage) = Stage::parse(stage) else {
            let known: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
            return Err(PyValueError::new_err(format!(
                "there is no stage `{stage}`; the stages are {}",
                known.join(", ")
            )));
        };
        let scheduled = self.scheduled.clone();
        let text = on_worker(py, move || show_scheduled(&scheduled, stage, Notation::Ascii, &sizes))?;
        text.map_err(|failure| errors::refused(py, &failure))
    }

    /// The derivation, as text for a terminal.
    fn explain_text(&self, py: Python<'_>) -> PyResult<String> {
        let (scheduled, lowered) = (self.scheduled.clone(), self.lowered.clone());
        on_worker(py, move || Explanation::of(&scheduled, &lowered).to_text())
    }

    /// The derivation, as a page that needs no other file.
    fn explain_html(&self, py: Python<'_>, sizes: Vec<(String, i64)>) -> PyResult<String> {
        let (scheduled, lowered) = (self.scheduled.clone(), self.lowered.clone());
        let page = on_worker(py, move || page_of(&scheduled, &lowered, &sizes))?;
        page.map_err(|failure| errors::refused(py, &failure))
    }

    /// What the theorem `as written = lowered` relies on: its claim, the laws, the rounding, and how many
    /// inferences and certificates it takes.
    fn theorem_parts(&self, py: Python<'_>) -> PyResult<(String, Vec<String>, String, usize, usize)> {
        let (scheduled, lowered) = (self.scheduled.clone(), self.lowered.clone());
        on_worker(py, move || {
            let claim = Explanation::of(&scheduled, &lowered).conclusion();
            let statement = Statement::of(&lowered.theorem);
            let rounding = lowered.rounding.to_string();
            (claim, statement.laws, rounding, statement.inferences, statement.certificates)
        })
    }

    /// Refuses a schedule that preserves less than this in floating point.
    fn require_rounding(&self, py: Python<'_>, at_most: &str) -> PyResult<()> {
        let at_most = rounding_of(at_most)?;
        self.scheduled.require_rounding(at_most).map_err(|failure| errors::refused(py, &failure))
    }

    /// Tunes the function as it is written for these arguments.
    fn tune_for(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: &Bound<'_, PyDict>,
        effort: Effort,
        tell: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Found> {
        tune::tune(self, py, args, Some(kwargs), effort, tell)
    }

    /// Builds C, a header, libraries and the proof into a folder: the files, the signature as JSON, and what
    /// was left out.
    fn build_into(&self, py: Python<'_>, folder: PathBuf) -> PyResult<(Vec<PathBuf>, String, Vec<String>)> {
        let (scheduled, name) = (self.scheduled.clone(), self.name());
        let open = self.code.open().map(|open| (open.program.clone(), open.schedule));
        let built = on_worker(py, move || match open {
            Some((program, schedule)) => {
                build(&program.scheduled(&name, Some(schedule))?, &folder, Validation::Check)
            }
            None => build(&scheduled, &folder, Validation::Check),
        })?;
        let built = built.map_err(|failure| errors::refused(py, &failure))?;
        Ok((built.files, built.signature.to_string(), built.notes))
    }

    /// The proof file of the theorem.
    fn proof(&self, py: Python<'_>) -> PyResult<String> {
        let (scheduled, lowered) = (self.scheduled.clone(), self.lowered.clone());
        let text = on_worker(py, move || proof::certificate(&scheduled, &lowered))?;
        text.map_err(|failure| errors::refused(py, &failure))
    }
}

/// The class of rounding that a word means.
pub(crate) fn rounding_of(word: &str) -> PyResult<Rounding> {
    match word {
        "bitwise" => Ok(Rounding::Bitwise),
        "finite" => Ok(Rounding::Finite),
        "real" => Ok(Rounding::Real),
        other => Err(PyValueError::new_err(format!(
            "there is no rounding `{other}`; the classes are bitwise, finite and real"
        ))),
    }
}

/// Checks the text of a proof file by the kernel: the function, the schedule, the laws and the rounding
/// that were proved.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, name: String, text: String) -> PyResult<(String, String, String)> {
    let verified = on_worker(py, move || {
        let verified = proof::verify(&name, &text)?;
        let claimed = verified.claims.iter();
        let claimed =
            claimed.flat_map(|c| c.laws.names().into_iter().map(|law| format!("{law} of {}", c.name)));
        let laws: Vec<String> = verified.theorem.laws().names().into_iter().chain(claimed).collect();
        let laws = laws.join(", ");
        Ok::<_, Failure>((verified.claim.function, laws, verified.theorem.rounding().to_string()))
    })?;
    verified.map_err(|failure| errors::refused(py, &failure))
}

/// The text of a schedule with these steps, which may be several each.
fn script(function: &str, steps: &[String]) -> String {
    let step = |step: &String| {
        let step = step.trim().trim_end_matches(';').trim_end();
        if step.ends_with('}') { format!("    {step}\n") } else { format!("    {step};\n") }
    };
    format!("schedule scheduled of {function} {{\n{}}}\n", steps.iter().map(step).collect::<String>())
}

/// What a call gives by position, in the order in which it is declared: a tensor in a format is one
/// argument, and sizes that arrays or tensors have for extents are none.
pub(crate) fn positions(f: &Function, signature: &Signature) -> Vec<Role> {
    let mut positions = Vec::new();
    for argument in &f.call_order {
        let role = match *argument {
            Argument::Size(k) => Some(k).filter(|k| is_given(&signature.sizes[*k])).map(Role::Size),
            Argument::Tensor(k) => Some(signature.arrays[k].operand.map_or(Role::Array(k), Role::Operand)),
        };
        positions.extend(role.filter(|role| positions.last() != Some(role)));
    }
    positions.sort_by_key(|role| match *role {
        Role::Size(k) => signature.sizes[k].span,
        Role::Array(k) => signature.arrays[k].span,
        Role::Operand(k) => signature.operands[k].span,
    });
    positions
}

/// Is a size an argument of its own?
fn is_given(size: &Size) -> bool {
    size.source == SizeSource::Argument && size.operands.is_empty()
}
