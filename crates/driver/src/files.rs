//! The files of a call: arguments as a command line gives them, files by name and numbers by name, and
//! results.
//!
//! A file is loaded with the element type and the number of dimensions of its parameter. That arguments fit
//! together is checked where they are bound, by [`Call::bind`](crate::Call::bind).

use crate::data::{Role, holds_entries, refused, save_entries};
use atl_call::{Arguments, SparseResult, given_once};
use atl_data::{
    DataError, Request, Structure, Wanted, load_complex, load_filled, load_tensor, save, save_complex,
    says_no_shape, shape_note,
};
use atl_diag::{Diagnostic, codes, err};
use atl_lang::Function;
use atl_runtime::{Buffer, Tensor};
use atl_session::elements::zero;
use atl_session::signature::{Extent, Operand};
use atl_session::{Failure, Program, Signature};
use std::path::{Path, PathBuf};

/// The shapes of arguments, by name.
pub(crate) type Shapes<'a> = [(&'a str, &'a [usize])];

/// Reads files (`--in NAME=PATH`) and numbers (`--set NAME=VALUE`) for the parameters of a function.
/// `structure` says whether the places of entries are looked at.
///
/// # Errors
/// A file that cannot be read as its parameter, a number that is not one of its parameter's type, or two
/// values for one name.
pub fn read(
    program: &Program,
    function: &Function,
    files: &[(String, PathBuf)],
    numbers: &[(String, String)],
    structure: Structure,
) -> Result<Arguments, Failure> {
    read_checked(program, function, files, numbers, structure, &|_| Ok(()))
}

/// [`read`], with a look at the shapes of what the files hold before anything else is done with them.
///
/// # Errors
/// As for `read`, and what the look refuses.
pub(crate) fn read_checked(
    program: &Program,
    function: &Function,
    files: &[(String, PathBuf)],
    numbers: &[(String, String)],
    structure: Structure,
    look: &dyn Fn(&Shapes<'_>) -> Result<(), Failure>,
) -> Result<Arguments, Failure> {
    let signature = &Signature::of(function);
    let fail = |d: Diagnostic| Failure::new(program.sources(), d);
    let mut arguments = Arguments::default();
    let names = files.iter().map(|(name, _)| name).chain(numbers.iter().map(|(name, _)| name));
    given_once(signature, names.map(String::as_str)).map_err(|d| fail(*d))?;
    let mut sparse: Vec<(&Operand, Tensor)> = Vec::new();
    for (name, path) in files {
        if let Some(operand) = signature.operand(name) {
            let notes = &mut arguments.notes;
            let tensor = tensor_of(operand, path, structure, notes).map_err(|d| fail(*d))?;
            arguments.notes.extend(shape_note(path, tensor.shape()));
            guess(&mut arguments, path, &operand.extents);
            sparse.push((operand, tensor));
            continue;
        }
        if let Some((complex, [re, im])) = signature.complex_array(name) {
            let part = &signature.arrays[re];
            let wanted = Wanted { dtype: Some(part.dtype), rank: Some(part.extents.len()) };
            let role = Role::Argument(name, Some(part.span));
            let loaded = load_complex(path, wanted).map_err(|why| fail(refused(&why, role)))?;
            for (loaded, part) in loaded.into_iter().zip(&complex.parts) {
                arguments.arrays.push((part.clone(), loaded.buffer));
            }
            guess(&mut arguments, path, &signature.arrays[im].extents);
            continue;
        }
        let param = signature.array(name).map(|k| &signature.arrays[k]);
        let wanted =
            param.map_or(Wanted::default(), |p| Wanted { dtype: Some(p.dtype), rank: Some(p.extents.len()) });
        // What is not stored is the zero of the elements, as it is where the parameter has a format.
        let absent = param.and_then(|p| zero(p.elem)).unwrap_or_default();
        let role = Role::Argument(name, param.map(|p| p.span));
        let loaded = load_filled(path, wanted, absent).map_err(|why| {
            let d = refused(&why, role);
            fail(match param {
                Some(p) if p.extents.is_empty() => {
                    d.help(format!("`{name}` is one number: `--set {name}=NUMBER` gives it"))
                }
                // Its entries may well be few.
                Some(p) if d.code == codes::E0535 => {
                    let format = if p.extents.len() == 2 { "csr" } else { "coo" };
                    d.help(format!(
                        "or declare it as `{name}: {} as {format}`, which stores the entries alone",
                        p.ty
                    ))
                }
                _ => d,
            })
        })?;
        arguments.notes.extend(loaded.notes);
        param.iter().for_each(|param| guess(&mut arguments, path, &param.extents));
        arguments.arrays.push((name.clone(), loaded.buffer));
    }
    let dense = arguments.arrays.iter().map(|(name, buffer)| (name.as_str(), buffer.shape()));
    let packed = sparse.iter().map(|(operand, tensor)| (operand.name.as_str(), tensor.shape()));
    look(&dense.chain(packed).collect::<Vec<_>>())?;
    for (operand, tensor) in sparse {
        arguments.pack(signature, operand, &tensor).map_err(|d| arguments.explain(fail(*d)))?;
    }
    for (name, text) in numbers {
        if let Some((complex, _)) = signature.complex_array(name) {
            let parts = complex_number(text).ok_or_else(|| {
                fail(
                    err!(E0521, "`{text}` is not a number of type `{}`, which `{name}` is to be", complex.ty)
                        .help(format!("it is written like `--set {name}=1.5-2i`")),
                )
            })?;
            for (part, text) in complex.parts.iter().zip(parts) {
                arguments.set(signature, part, text).map_err(|d| arguments.explain(fail(*d)))?;
            }
            continue;
        }
        arguments.set(signature, name, text).map_err(|d| arguments.explain(fail(*d)))?;
    }
    Ok(arguments)
}

/// The real and the imaginary part of a number that is written like `1.5-2i`, either left out; `i` is `1i`.
fn complex_number(text: &str) -> Option<[&str; 2]> {
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let Some(rest) = text.strip_suffix('i') else {
        return is_number(text).then_some([text, "0"]);
    };
    let exponent = |at: usize| rest[..at].ends_with(['e', 'E']);
    let sign = rest.char_indices().rfind(|(at, c)| *at > 0 && matches!(c, '+' | '-') && !exponent(*at));
    let (re, im) = sign.map_or(("0", rest), |(at, _)| rest.split_at(at));
    let im = match im.strip_prefix('+').unwrap_or(im) {
        "" => "1",
        "-" => "-1",
        im => im,
    };
    (is_number(re) && is_number(im)).then_some([re, im])
}

/// Remembers a file that does not say its shape.
fn guess(arguments: &mut Arguments, path: &Path, extents: &[Extent]) {
    if says_no_shape(path) {
        arguments.guess(path, extents);
    }
}

/// What a file holds, for a parameter in a format.
fn tensor_of(
    operand: &Operand,
    path: &Path,
    structure: Structure,
    notes: &mut Vec<String>,
) -> Result<Tensor, Box<Diagnostic>> {
    let (dtype, rank) = (Some(operand.dtype), Some(operand.extents.len()));
    let request = Request { dtype, rank, structure, ..Request::default() };
    let role = Role::Argument(&operand.name, Some(operand.span));
    load_tensor(path, &request, notes).map_err(|why| Box::new(refused(&why, role)))
}

/// Refuses a path to which no result could be saved, before there is one.
///
/// # Errors
/// The path is of no known format, its folder is missing, or it is something else than a file.
pub fn check_target(program: &Program, path: impl AsRef<Path>) -> Result<(), Failure> {
    atl_data::check_target(path).map_err(|why| unsaved(program, &why))
}

/// Writes a result to a file, in the format of the path's extension; what the file holds otherwise is said, a
/// sentence each.
///
/// # Errors
/// The file cannot be written, or its format cannot hold the array.
pub fn save_result(
    program: &Program,
    path: impl AsRef<Path>,
    result: &Buffer,
) -> Result<Vec<String>, Failure> {
    save(path, result).map_err(|why| unsaved(program, &why))
}

/// Writes a complex result, given by its parts, to a file.
///
/// # Errors
/// The file cannot be written, or its format holds no complex numbers.
pub fn save_complex_result(
    program: &Program,
    path: impl AsRef<Path>,
    re: &Buffer,
    im: &Buffer,
) -> Result<(), Failure> {
    save_complex(path, re, im).map_err(|why| unsaved(program, &why))
}

/// Write a result in a format to a file; the extension says how. A matrix in `csr` or `csc` is written so
/// where the file may hold it. Notes report what the file holds otherwise, a sentence each.
///
/// # Errors
/// The file cannot be written or cannot hold the tensor.
pub fn save_sparse(
    program: &Program,
    path: impl AsRef<Path>,
    result: &SparseResult,
) -> Result<Vec<String>, Failure> {
    let path = path.as_ref();
    let invalid = |why: String| {
        Failure::new(
            program.sources(),
            err!(E0607, "the result is not well formed: {why}").help("please report this with the program"),
        )
    };
    match holds_entries(path) {
        true => save_entries(path, &result.format, result.entries().map_err(invalid)?).map(|()| Vec::new()),
        false => save_result(program, path, &result.to_dense().map_err(invalid)?),
    }
}

fn unsaved(program: &Program, why: &DataError) -> Failure {
    let d = err!(E0522, "the result cannot be saved: {why}");
    let help = match why {
        DataError::Io { .. } => "check the path after `--out`",
        _ => "`--out NAME.npy` holds any array; `--out -` prints it",
    };
    Failure::new(program.sources(), d.help(help))
}

#[cfg(test)]
mod tests {
    use super::complex_number;

    #[test]
    fn complex_numbers_as_they_are_typed() {
        let check = |text: &str, parts: Option<[&str; 2]>| assert_eq!(complex_number(text), parts, "{text}");
        check("1.5-2i", Some(["1.5", "-2"]));
        check("-1e-3+2.5e+2i", Some(["-1e-3", "2.5e+2"]));
        check("3", Some(["3", "0"]));
        check("-4i", Some(["0", "-4"]));
        check("1+i", Some(["1", "1"]));
        check("1e+2-i", Some(["1e+2", "-1"]));
        check("i", Some(["0", "1"]));
        check("-i", Some(["0", "-1"]));
        check("+i", Some(["0", "1"]));
        check("--i", None);
        check("1+-i", None);
        check("ii", None);
        check("1+2", None);
        check("--1i", None);
    }
}
