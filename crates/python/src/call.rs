//! A call: arguments by position and by name become views, the driver checks and runs, and NumPy has
//! the result.

use crate::axis_order::{Use, turned};
use crate::compiled::Code;
use crate::data::{Copies, Operand, Refusal, addresses, operand, view, view_mut};
use crate::errors;
use crate::kernel::{Kernel, Role};
use crate::ready::Ready;
use crate::sparse::Packed;
use crate::{results, sparse};
use atl_diag::{Diagnostic, err, spelling};
use atl_driver::signature::{Array, Operand as Parameter};
use atl_driver::{Arguments, BufferView, Compiled, Failure, Output, Signature};
use numpy::PyUntypedArray;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The stack of a call that is interpreted.
const STACK: usize = 256 << 20;

/// What a call gives, by what it is for.
struct Given<'py> {
    values: Vec<(Role, Bound<'py, PyAny>)>,
    out: Option<Bound<'py, PyAny>>,
    copies: Copies,
    threads: Option<usize>,
}

/// What becomes of the entries of an operand in a format.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entries {
    /// They are read where they are, if they are stored as the format stores them.
    InPlace,
    /// They are copied into the format.
    Packed,
}

/// Arguments that became arrays, and what is to be called with them.
pub(crate) struct Prepared<'py> {
    pub(crate) compiled: Compiled,
    /// What is read where it is, by the position of its parameter.
    pub(crate) operands: Vec<Option<Operand<'py>>>,
    /// What was copied into formats for this call, and sizes.
    pub(crate) packed: Arguments,
    /// What was packed before.
    pub(crate) shared: Vec<Arc<Arguments>>,
    pub(crate) out: Option<Bound<'py, PyAny>>,
    /// Are entries of an operand in a format read where they are?
    pub(crate) has_in_place: bool,
}

impl Prepared<'_> {
    /// The arrays by name.
    pub(crate) fn arrays(&self) -> Vec<(&str, BufferView<'_>)> {
        let signature = self.compiled.signature();
        let arrays = self.operands.iter().zip(&signature.arrays).filter_map(|(operand, array)| {
            let view = view(&operand.as_ref()?.array, array.dtype);
            let name = array.name.as_str();
            Some((name, view))
        });
        let shared = self.shared.iter().flat_map(|packed| packed.arrays());
        arrays.chain(self.packed.arrays()).chain(shared).collect()
    }
}

/// Makes arrays of what a call is given. Whether they fit each other, the driver says.
pub(crate) fn prepared<'py>(
    kernel: &Kernel,
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    entries: Entries,
) -> PyResult<Prepared<'py>> {
    let signature = &kernel.lowered.signature;
    let refused = |d: Refusal| errors::refused(py, &Failure::new(kernel.program.sources(), d));
    let given = given(signature, &kernel.positions, args, kwargs)?.map_err(refused)?;
    let (mut packed, mut shared, mut has_in_place) = (Arguments::default(), Vec::new(), false);
    let mut operands: Vec<Option<Operand<'py>>> = signature.arrays.iter().map(|_| None).collect();
    for (role, value) in &given.values {
        match *role {
            Role::Size(k) => packed.sizes.push((signature.sizes[k].name.clone(), value.extract()?)),
            Role::Array(k) => {
                let found = operand(value, &signature.arrays[k], given.copies)?.map_err(refused)?;
                kernel.copies.fetch_add(usize::from(found.copied), Ordering::Relaxed);
                operands[k] = Some(found);
            }
            Role::Operand(k) => {
                let param = &signature.operands[k];
                let known = match value.cast::<Packed>() {
                    Ok(packed) => packed.get().arrays(signature, k).map_err(refused)?,
                    Err(_) => None,
                };
                if let Some(known) = known {
                    agree(&mut packed, &known, param).map_err(refused)?;
                    shared.push(known);
                    continue;
                }
                let stored = match entries {
                    Entries::InPlace => sparse::in_place(value, signature, param)?,
                    Entries::Packed => None,
                };
                // Pointers have another type in SciPy; they are not counted, as they are few.
                let is_copied =
                    stored.as_ref().is_none_or(|(arrays, _)| arrays[1..].iter().any(|a| a.copied));
                if is_copied && given.copies == Copies::Refused {
                    return Err(refused(sparse::to_be_copied(param)));
                }
                kernel.copies.fetch_add(usize::from(is_copied), Ordering::Relaxed);
                if let Some((arrays, shape)) = stored {
                    packed.shaped(signature, param, &shape).map_err(refused)?;
                    let places = &mut operands[param.arrays.clone()];
                    places.iter_mut().zip(arrays).for_each(|(place, array)| *place = Some(array));
                    has_in_place = true;
                    continue;
                }
                let tensor = sparse::tensor(value, param)?.map_err(refused)?;
                packed.pack(signature, param, &tensor).map_err(refused)?;
            }
        }
    }
    let compiled = kernel.code.get(py, &kernel.lowered, given.threads)?;
    // What a format requires of its arrays holds of those that the driver packed.
    let compiled = match of_formats(signature) && operands.iter().zip(&signature.arrays).all(is_private) {
        true => compiled.trusting_arrays(),
        false => compiled,
    };
    Ok(Prepared { compiled, operands, packed, shared, out: given.out, has_in_place })
}

/// Is what a call checks of the contents of arrays what formats require, and nothing else?
fn of_formats(signature: &Signature) -> bool {
    let is_fact = |span| signature.operands.iter().any(|operand| operand.span == span);
    signature.contents.iter().all(|stated| is_fact(stated.span))
}

/// Is an array not looked at, or one that was packed?
fn is_private((operand, array): (&Option<Operand<'_>>, &Array)) -> bool {
    operand.is_none() || !array.is_inspected
}

/// Adds the sizes that a packed operand has.
fn agree(to: &mut Arguments, packed: &Arguments, param: &Parameter) -> Result<(), Refusal> {
    for (name, n) in &packed.sizes {
        match to.sizes.iter().find(|(known, _)| known == name) {
            Some((_, known)) if known != n => {
                return Err(Box::new(
                    err!(
                        E0504,
                        param.span,
                        "the argument `{}` makes `{name}` {n}, and it is {known}",
                        param.name
                    )
                    .label("declared here")
                    .help("give arrays whose shapes agree"),
                ));
            }
            Some(_) => {}
            None => to.sizes.push((name.clone(), *n)),
        }
    }
    Ok(())
}

/// The result of a call like one of the last few, if it is one: of arguments by position, and perhaps an
/// array for the result.
pub(crate) fn again<'py>(
    kernel: &Kernel,
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    out: Option<&Bound<'py, PyAny>>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    for k in 0.. {
        let ready = kernel.ready(k)?;
        if let Some(result) = ready.call(kernel, py, args, out) {
            if k > 0 {
                kernel.repeats(k);
            }
            return Some(result);
        }
    }
    None
}

/// The array for the result, if one is given; none where other arguments have names, too.
fn only_out<'py>(py: Python<'py>, kwargs: Option<&Bound<'py, PyDict>>) -> Option<Option<Bound<'py, PyAny>>> {
    match kwargs {
        None => Some(None),
        Some(given) if given.len() == 1 => {
            Some(Some(given.get_item(intern!(py, "out")).ok()??).filter(|out| !out.is_none()))
        }
        Some(_) => None,
    }
}

/// Calls a kernel with whatever a call may be given.
pub(crate) fn call<'py>(
    kernel: &Kernel,
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(turned) = turned(kernel, py, args, kwargs, Use::Once)? {
        let kwargs = turned.kwargs.as_ref();
        let known =
            only_out(py, kwargs).and_then(|out| again(&turned.kernel, py, &turned.args, out.as_ref()));
        match known.unwrap_or_else(|| call(&turned.kernel, py, &turned.args, kwargs)) {
            // Below it is refused as it was given.
            Err(why) if errors::is_refused(py, &why) => {}
            done => return done,
        }
    }
    let first = prepared(kernel, py, args, kwargs, Entries::InPlace)?;
    let done = match run(kernel, py, args, kwargs, &first)? {
        // Entries in another order, say: packing puts them in order, or says what is wrong with them.
        Err(_) if first.has_in_place => {
            let packed = prepared(kernel, py, args, kwargs, Entries::Packed)?;
            run(kernel, py, args, kwargs, &packed)?
        }
        done => done,
    };
    done.map_err(|failure| errors::refused(py, &failure))
}

/// Runs a kernel on what was prepared; arguments that do not fit are the inner error.
fn run<'py>(
    kernel: &Kernel,
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    prepared: &Prepared<'py>,
) -> PyResult<Result<Bound<'py, PyAny>, Failure>> {
    let (compiled, signature) = (&prepared.compiled, prepared.compiled.signature());
    let (mut arrays, sizes) = (prepared.arrays(), prepared.packed.sizes());
    let failed = |failure: Failure| errors::refused(py, &failure);
    let bound = match away(py, &kernel.code, || compiled.call(&arrays, &sizes).bind())? {
        Ok(bound) => bound,
        Err(failure) => return Ok(Err(failure)),
    };
    if let Some(ready) = Ready::after(kernel, py, (args, kwargs), prepared, &bound) {
        kernel.is_ready(ready);
    }
    if let Some(found) = away(py, &kernel.code, || bound.sparse())?.map_err(failed)? {
        let found = results::sparse(py, &found)?;
        return found.map(Ok).map_err(|why| errors::panicked(py, &why));
    }
    if !signature.more.is_empty() {
        let out = match &prepared.out {
            None => results::all_zeros(py, signature, &bound)?,
            Some(out) => targets(prepared, out, &bound).map_err(|d| failed(compiled.fail(*d)))?,
        };
        let views = out.iter().zip(signature.results()).map(|(array, of)| view_mut(array, of.dtype));
        let output = Output::Several(views.collect());
        away(py, &kernel.code, || bound.run(output))?.map_err(failed)?;
        return match &prepared.out {
            None => results::all_given(py, out).map(Ok),
            Some(_) => Ok(Ok(PyTuple::new(py, out)?.into_any())),
        };
    }
    let dtype = signature.result.dtype;
    let Some(out) = &prepared.out else {
        let result = results::zeros(py, dtype, bound.shape())?;
        let output = Output::Dense(view_mut(&result, dtype));
        away(py, &kernel.code, || bound.run(output))?.map_err(failed)?;
        return results::given(result).map(Ok);
    };
    let (out, over) = target(prepared, out, bound.shape()).map_err(|d| failed(compiled.fail(*d)))?;
    let done = match over {
        None => {
            let output = Output::Dense(view_mut(&out, dtype));
            away(py, &kernel.code, || bound.run(output))?
        }
        Some(k) => {
            // What is stored over is given by the output alone.
            drop(bound);
            arrays.retain(|(name, _)| *name != signature.arrays[k].name);
            let output = Output::InPlace(view_mut(&out, dtype));
            away(py, &kernel.code, || compiled.call(&arrays, &sizes).run(output))?
        }
    };
    done.map_err(failed)?;
    Ok(Ok(out.into_any()))
}

/// The caller's arrays for several results.
///
/// # Errors
/// Another number of them; one is of another type or shape, or overlaps an argument.
pub(crate) fn targets<'py>(
    prepared: &Prepared<'py>,
    out: &Bound<'py, PyAny>,
    bound: &atl_driver::Bound<'_>,
) -> Result<Vec<Bound<'py, PyUntypedArray>>, Refusal> {
    let signature = prepared.compiled.signature();
    let all = results::targets(signature, out, bound)?;
    for out in &all {
        for (array, operand) in signature.arrays.iter().zip(&prepared.operands) {
            if let Some(operand) = operand {
                results::apart(signature, out, &array.name, &operand.array)?;
            }
        }
    }
    Ok(all)
}

/// The caller's array for the result, and the parameter over whose argument it is stored, if it is
/// that.
///
/// # Errors
/// It is of another type or shape, or overlaps an argument.
pub(crate) fn target<'py>(
    prepared: &Prepared<'py>,
    out: &Bound<'py, PyAny>,
    shape: &[usize],
) -> Result<(Bound<'py, PyUntypedArray>, Option<usize>), Refusal> {
    let signature = prepared.compiled.signature();
    let out = results::target(signature, &signature.result, out, shape)?;
    let over = signature.result.over.filter(|k| is_it(&prepared.operands[*k], &out));
    for ((array, operand), k) in signature.arrays.iter().zip(&prepared.operands).zip(0..) {
        if let (Some(operand), true) = (operand, over != Some(k)) {
            results::apart(signature, &out, &array.name, &operand.array)?;
        }
    }
    Ok((out, over))
}

/// Is an argument the caller's array for the result itself?
fn is_it(operand: &Option<Operand<'_>>, out: &Bound<'_, PyUntypedArray>) -> bool {
    operand.as_ref().is_some_and(|operand| !operand.copied && addresses(&operand.array) == addresses(out))
}

/// Does something without Python's lock; an interpreter of terms has a large stack for it.
pub(crate) fn away<T: Send>(py: Python<'_>, code: &Code, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let interprets = !matches!(code.backend().name, "c" | "cranelift");
    let done = py.detach(|| {
        let work = || catch_unwind(AssertUnwindSafe(work));
        if !interprets {
            return work();
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            thread.map_or_else(
                |why| Err(Box::new(why.to_string()) as _),
                |worker| worker.join().and_then(|done| done),
            )
        })
    });
    done.map_err(|panic| errors::panicked(py, &*panic))
}

/// The arguments by what they are for. `out`, `copy` and `threads` are options, unless a parameter has
/// that name.
fn given<'py>(
    f: &Signature,
    positions: &[Role],
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Result<Given<'py>, Refusal>> {
    let mut given = Given { values: Vec::new(), out: None, copies: Copies::Allowed, threads: None };
    if args.len() > positions.len() {
        return Ok(Err(refusal(
            f,
            format!("`{}` takes {} arguments, and {} are given", f.name, positions.len(), args.len()),
            None,
        )));
    }
    for (role, value) in positions.iter().zip(args) {
        given.values.push((*role, value));
    }
    for (name, value) in kwargs.into_iter().flatten() {
        let name: String = name.extract()?;
        let Some(role) = role(f, &name) else {
            match name.as_str() {
                "out" => given.out = (!value.is_none()).then_some(value),
                "copy" if value.is_none() || value.is_truthy()? => {}
                "copy" => given.copies = Copies::Refused,
                "threads" => given.threads = value.extract()?,
                _ => {
                    let title = format!("`{}` has no parameter `{name}`", f.name);
                    return Ok(Err(refusal(f, title, Some(&name))));
                }
            }
            continue;
        };
        if given.values.iter().any(|(known, _)| *known == role) {
            return Ok(Err(Box::new(
                err!(E0527, f.span, "`{name}` is given twice")
                    .label("this function")
                    .help("give it by position or by name"),
            )));
        }
        given.values.push((role, value));
    }
    Ok(Ok(given))
}

/// What an argument of this name is for.
fn role(f: &Signature, name: &str) -> Option<Role> {
    let operand = f.operands.iter().position(|s| s.name == name).map(Role::Operand);
    operand.or_else(|| f.array(name).map(Role::Array)).or_else(|| f.size(name).map(Role::Size))
}

/// Arguments that the function does not have.
fn refusal(f: &Signature, title: String, name: Option<&str>) -> Box<Diagnostic> {
    let names = || f.declared().into_iter().chain(f.sizes.iter().map(|s| s.name.as_str()));
    let known: Vec<String> = names().map(|name| format!("`{name}`")).collect();
    let close = name.and_then(|name| spelling::closest(name, names()));
    let d = err!(E0502, f.span, "{title}").label("this function");
    Box::new(d.note(format!("its parameters and sizes are {}", known.join(", "))).help(match close {
        Some(close) => format!("did you mean `{close}`?"),
        None => "options of a call are `out`, `copy` and `threads`".to_owned(),
    }))
}
