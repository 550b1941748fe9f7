//! Programs as Python holds them.

use crate::errors;
use crate::worker::on_worker;
use atl_driver::{Failure, Lowered, Scheduled, catalogue};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// An elaborated text.
#[pyclass(frozen, module = "atl._atl")]
pub(crate) struct Program {
    pub(crate) program: Arc<atl_driver::Program>,
    #[pyo3(get)]
    text: String,
    #[pyo3(get)]
    pub(crate) path: Option<PathBuf>,
    /// A function as it is written, for the first kernel that asks for it.
    derived: Mutex<Option<(String, Derived)>>,
}

/// What a kernel is made of.
type Derived = (Scheduled, Lowered);

impl Program {
    fn of(program: atl_driver::Program, text: String, path: Option<PathBuf>) -> Program {
        Program { program: Arc::new(program), text, path, derived: Mutex::default() }
    }

    /// A function as it is written, if it was derived along with the program, and nobody has it.
    pub(crate) fn derived(&self, function: &str) -> Option<Derived> {
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        derived.take_if(|(name, _)| name == function).map(|(_, derived)| derived)
    }
}

#[pymethods]
impl Program {
    /// Elaborate a text, called `name` in refusals, or as that of the file at `path`.
    #[new]
    #[pyo3(signature = (text, name, path = None))]
    fn new(py: Python<'_>, text: String, name: String, path: Option<PathBuf>) -> PyResult<Program> {
        let (source, place) = (text.clone(), path.clone());
        let parsed = on_worker(py, move || match place {
            Some(path) => atl_driver::parse_at(&path, &source),
            None => atl_driver::parse(&name, &source),
        })?;
        let program = parsed.map_err(|failure| errors::refused(py, &failure))?;
        Ok(Program::of(program, text, path))
    }

    /// Lay out and elaborate the text of a function, and derive the function as it is written: all of it in
    /// one request, for each has a thread and a stack of its own.
    #[staticmethod]
    fn traced(py: Python<'_>, text: String, name: String, function: String) -> PyResult<Program> {
        let made = on_worker(py, move || {
            let text = atl_driver::format("the text", &text)?;
            let program = atl_driver::parse(&name, &text)?;
            let scheduled = program.scheduled(&function, None)?;
            let lowered = scheduled.lower()?;
            Ok::<_, Failure>((program, text, (function, (scheduled, lowered))))
        })?;
        let (program, text, derived) = made.map_err(|failure| errors::refused(py, &failure))?;
        let program = Program::of(program, text, None);
        *program.derived.lock().unwrap_or_else(PoisonError::into_inner) = Some(derived);
        Ok(program)
    }

    /// Read and elaborate a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Program> {
        let place = path.clone();
        let loaded = on_worker(py, move || atl_driver::load(&place))?;
        let program = loaded.map_err(|failure| errors::refused(py, &failure))?;
        // The file's own text is read before any that it imports.
        let text = program.sources().texts().next().unwrap_or_default().to_owned();
        Ok(Program::of(program, text, Some(path)))
    }

    /// The names of the functions, callees first.
    fn functions(&self) -> Vec<String> {
        self.program.functions().iter().map(|f| f.name.clone()).collect()
    }

    /// The schedules: a function's name and the schedule's.
    fn schedules(&self) -> Vec<(String, String)> {
        let schedules = self.program.schedules().iter();
        schedules.map(|s| (s.of.text.clone(), s.name.text.clone())).collect()
    }

    /// The remarks that elaboration made, as text.
    fn warnings(&self) -> Vec<String> {
        let remarks = self.program.warnings().to_vec();
        errors::texts(&Failure { sources: self.program.sources().clone(), diagnostics: remarks })
    }

    /// The function that a name means; without a name, the only one.
    fn function(&self, py: Python<'_>, name: Option<&str>) -> PyResult<String> {
        let found = self.program.function(name, None).map(|f| f.name.clone());
        found.map_err(|failure| errors::refused(py, &failure))
    }

    /// The steps of a schedule, each without its `;`; of `none` there are none, and of one that is chosen
    /// those that are.
    fn steps(&self, py: Python<'_>, function: &str, schedule: &str) -> PyResult<Vec<String>> {
        let (program, of, name) = (self.program.clone(), function.to_owned(), schedule.to_owned());
        let chosen = on_worker(py, move || program.chosen_steps(&of, &name))?;
        if let Some(steps) = chosen.map_err(|failure| errors::refused(py, &failure))? {
            return Ok(steps);
        }
        let found = self.program.function(Some(function), Some(schedule));
        let found = found.and_then(|f| self.program.schedule(f, schedule));
        let schedule = found.map_err(|failure| errors::refused(py, &failure))?;
        let sources = self.program.sources();
        let text = |span| sources.slice(span).trim().trim_end_matches(';').trim_end().to_owned();
        Ok(schedule.steps.iter().map(|step| text(step.span)).collect())
    }
}

/// The directives of schedules: names, and what each says.
#[pyfunction]
pub(crate) fn directives() -> Vec<(String, String)> {
    let entries = catalogue::list(catalogue::Kind::Directive).into_iter();
    entries.map(|entry| (entry.name, entry.summary)).collect()
}

/// A text in the layout of the formatter.
#[pyfunction]
pub(crate) fn format(py: Python<'_>, text: &str) -> PyResult<String> {
    atl_driver::format("the text", text).map_err(|failure| errors::refused(py, &failure))
}

/// The version of the compiler.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
