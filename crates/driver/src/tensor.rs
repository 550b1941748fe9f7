//! Programs from index notation and einsum strings.
//!
//! ```
//! use atl_driver::tensor::{Request, translate};
//!
//! let (translation, program) = translate(&Request::new("y(i) = A(i,j) * x(j)").format("A:csr"))?;
//! let scheduled = program.scheduled(&translation.function, translation.schedule.as_deref())?;
//! assert!(scheduled.lower()?.kernel.to_string().contains("for i in 0..I"));
//! # Ok::<(), atl_driver::Failure>(())
//! ```

use crate::data::{Role, refused};
use crate::files::{self, Shapes};
use atl_call::Arguments;
use atl_call::backends::Backend;
use atl_data::{Request as Wish, Structure, load_tensor};
use atl_einsum::Refused;
use atl_session::Failure;
use atl_session::Program;
use std::path::PathBuf;
use std::sync::Arc;

pub use atl_einsum::{Request, Translation};

/// The program of a notation, as text and elaborated.
///
/// # Errors
/// A mistake in the notation, at its place there; or one that only the program shows.
pub fn translate(request: &Request) -> Result<(Translation, Program), Failure> {
    let translation = request.translate().map_err(failure)?;
    let program = Program::parse("the program of the expression", &translation.text)?;
    Ok((translation, program))
}

/// The request with the shapes of the operands that these files hold, where the program depends on them.
///
/// # Errors
/// A file that cannot be read.
pub fn with_shapes(request: Request, files: &[(String, PathBuf)]) -> Result<Request, Failure> {
    if !request.depends_on_shapes() {
        return Ok(request);
    }
    files.iter().try_fold(request, |request, (name, path)| {
        let loaded = load_tensor(path, &Wish::default(), &mut Vec::new());
        let tensor =
            loaded.map_err(|why| Failure::new(&Arc::default(), refused(&why, Role::Argument(name, None))))?;
        Ok(request.shape(name, tensor.shape()))
    })
}

/// The translation without its schedule, where that is refused, and why. What is then computed is the same;
/// operands in formats are made dense, in workspaces.
///
/// Loops that an earlier run kept for such a back end are not derived to find out.
pub fn feasible(
    translation: Translation,
    program: &Program,
    backend: &Backend,
) -> (Translation, Option<Failure>) {
    let lowered = |schedule| crate::ready(program, &translation.function, Some(schedule), backend);
    match translation.schedule.as_deref().map(lowered) {
        Some(Err(refused)) => (translation.unscheduled(), Some(refused)),
        Some(Ok(_)) | None => (translation, None),
    }
}

/// The arguments of a translation's function, from files and numbers by name. Operands that are missing, and
/// shapes in which an index would have two extents, are refused in the words of the notation.
///
/// # Errors
/// As for [`read_arguments`](crate::read_arguments), and such operands and shapes.
pub fn arguments(
    translation: &Translation,
    program: &Program,
    files: &[(String, PathBuf)],
    numbers: &[(String, String)],
    structure: Structure,
) -> Result<Arguments, Failure> {
    let function = program.function(Some(&translation.function), None)?;
    let names = files.iter().map(|(name, _)| name).chain(numbers.iter().map(|(name, _)| name));
    let names: Vec<&str> = names.map(String::as_str).collect();
    translation.check_names(&names).map_err(failure)?;
    let look = |shapes: &Shapes<'_>| translation.check_shapes(shapes).map_err(failure);
    files::read_checked(program, function, files, numbers, structure, &look)
}

/// A refusal with the notation that it points into.
fn failure(refused: Refused) -> Failure {
    Failure::new(&Arc::new(refused.sources), refused.diagnostic)
}
