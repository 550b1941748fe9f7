//! `atl run`: a function on data.

use super::{Default, backend, believed, compiled, explained, in_form, iterate, load, meant, structure};
use crate::args::Run;
use crate::output::{Output, Result};
use atl_diag::err;
use atl_driver::bench::{Repeats, Timing, time};
use atl_driver::{
    Arguments, Buffer, Compiled, Complex, Failure, Function, Program, Ready, Signature, SparseResult,
    check_target, save_complex_result, save_result, save_sparse, to_text, to_text_complex,
};
use std::path::{Path, PathBuf};

pub(super) fn run(args: &Run, out: &mut Output) -> Result {
    let program = load(&args.file, (args.function.as_deref(), args.schedule.as_deref()), out)?;
    let schedule = args.schedule.as_deref();
    let function = program.function(args.function.as_deref(), schedule)?;
    // Refused before the work rather than after it.
    args.checkpoint.as_deref().map_or(Ok(()), iterate::keeps_states)?;
    for target in args.checkpoint.iter().chain(args.out.iter().filter(|out| *out != Path::new("-"))) {
        check_target(&program, target)?;
    }
    one_each(&program, &Signature::of(function), &args.out)?;
    let (backend, _) = backend(&args.call.place);
    let default = if backend.name == "c" { Default::Chosen } else { Default::Written };
    let rounding = args.rounding.map(Into::into);
    let schedule = meant(&program, function, schedule, rounding, default);
    let loops = loops(args, &program, function, schedule, out)?;
    let arguments = atl_driver::read_arguments(
        &program,
        function,
        &args.call.inputs,
        &args.call.numbers,
        structure(args.trust_input),
    )?;
    for note in &arguments.notes {
        out.remark(&format!("note: {note}"));
    }
    // Loops over entries alone are `real` in floating point.
    let is_dense = schedule.is_none()
        || (program.automatic(function, schedule).is_some()
            && loops.rounding == atl_driver::Rounding::Bitwise);
    if let (true, Some(sparse)) = (is_dense, function.sparse.first()) {
        out.remark(&as_written(&program, &function.name, &sparse.name));
    }
    out.progress(&format!("compiling `{}` with the back end `{}`", function.name, backend.name));
    let kernel = believed(compiled(&loops, &args.call.place, out)?, args.trust_input);
    work(args, &program, &kernel, &arguments, out).map_err(|stop| explained(stop, &arguments))
}

/// The loops to be run, after the forms of them that `--print` names. To bound the rounding of a schedule
/// that is written takes a derivation that is made now.
fn loops(
    args: &Run,
    program: &Program,
    function: &Function,
    schedule: Option<&str>,
    out: &mut Output,
) -> Result<Ready> {
    // What is chosen has the class that was asked for.
    if let (Some(asked), None) = (args.rounding, program.automatic(function, schedule)) {
        program.scheduled(&function.name, schedule)?.require_rounding(asked.into())?;
    }
    let (backend, _) = backend(&args.call.place);
    let ready = atl_driver::ready(program, &function.name, schedule, backend)?;
    for form in &args.print {
        out.print(&in_form(program, (&function.name, schedule), backend, *form)?)?;
    }
    Ok(ready)
}

/// Calls the kernel as often and in the ways that are asked for.
fn work(args: &Run, program: &Program, kernel: &Compiled, arguments: &Arguments, out: &mut Output) -> Result {
    if args.time {
        let timing = time(kernel, arguments, Repeats::default())?;
        out.remark(&in_words(kernel, &timing));
    }
    if args.count {
        let bound = kernel.call(&arguments.arrays(), &arguments.sizes()).bind()?;
        out.remark(&format!("note: {}", bound.work()?));
    }
    match &args.iterate {
        Some(name) => iterate::run(args, name, program, kernel, arguments, out),
        None => finish(program, kernel, arguments, &args.out, out),
    }
}

/// Calls a kernel, and prints or saves what it computes.
pub(super) fn finish(
    program: &Program,
    kernel: &Compiled,
    arguments: &Arguments,
    targets: &[PathBuf],
    out: &mut Output,
) -> Result {
    let call = kernel.call(&arguments.arrays(), &arguments.sizes()).bind()?;
    let prints = Path::new("-");
    if let Some(result) = call.sparse()? {
        return keep_sparse(program, &result, targets.first().map_or(prints, PathBuf::as_path), out);
    }
    let (results, signature) = (call.results()?, kernel.signature());
    let declared = signature.declared_results();
    let described: Vec<_> = signature.results().collect();
    for (number, (complex, k)) in declared.iter().enumerate() {
        let target = targets.get(number).map_or(prints, PathBuf::as_path);
        let name = complex.map_or(described[*k].name.as_ref(), |complex| Some(&complex.name));
        if let (Some(name), true) = (name.filter(|_| declared.len() > 1), target == prints) {
            out.print(&format!("{name}:\n"))?;
        }
        match complex {
            Some(_) => keep_complex(program, &results[*k], &results[*k + 1], target, out)?,
            None => keep(program, &results[*k], target, out)?,
        }
    }
    Ok(())
}

/// Refuses another number of files than there are results; without any, all are printed.
fn one_each(program: &Program, signature: &Signature, targets: &[PathBuf]) -> Result {
    let prints_all = matches!(targets, [only] if only == Path::new("-"));
    let declared = signature.declared_results();
    let results = declared.len();
    if prints_all || targets.len() == results {
        return Ok(());
    }
    let many = if results == 1 { "result" } else { "results" };
    let refusal = err!(
        E0552,
        signature.span,
        "`{}` has {results} {many}, and `--out` is given {} times",
        signature.name,
        targets.len()
    )
    .label("this function");
    let described: Vec<_> = signature.results().collect();
    let name = |(complex, k): &(Option<&Complex>, usize)| match complex {
        Some(complex) => Some(complex.name.clone()),
        None => described[*k].name.clone(),
    };
    let names = declared.iter().filter_map(name);
    let names: Vec<String> = names.map(|name| format!("--out {name}.npy")).collect();
    Err(Failure::new(
        program.sources(),
        refusal.help(match names.is_empty() {
            true => "give one file".to_owned(),
            false => format!("give each result a file: `{}`", names.join(" ")),
        }),
    )
    .into())
}

/// Prints or saves a result in a format.
pub(super) fn keep_sparse(
    program: &Program,
    result: &SparseResult,
    target: &Path,
    out: &mut Output,
) -> Result {
    if target == Path::new("-") {
        return out.print(&result.to_text());
    }
    print_notes(&save_sparse(program, target, result)?, out);
    Ok(())
}

/// Prints or saves a dense result.
pub(super) fn keep(program: &Program, result: &Buffer, target: &Path, out: &mut Output) -> Result {
    if target == Path::new("-") {
        return out.print(&format!("{}\n", to_text(result)));
    }
    print_notes(&save_result(program, target, result)?, out);
    Ok(())
}

/// Prints or saves a complex result.
fn keep_complex(program: &Program, re: &Buffer, im: &Buffer, target: &Path, out: &mut Output) -> Result {
    if target == Path::new("-") {
        return out.print(&format!("{}\n", to_text_complex(re, im)));
    }
    Ok(save_complex_result(program, target, re, im)?)
}

/// Says what a file holds otherwise than what was written to it.
fn print_notes(notes: &[String], out: &mut Output) {
    notes.iter().for_each(|note| out.remark(&format!("note: {note}")));
}

/// What is said where loops over what is stored could be had, and are not asked for.
pub(super) fn as_written(program: &Program, function: &str, operand: &str) -> String {
    let schedules = program.schedules().iter().filter(|s| s.of.text == function);
    let names: Vec<String> = schedules.map(|s| format!("`{}`", s.name.text)).collect();
    let choice = match names.as_slice() {
        [] => "a schedule with `sparsify` iterates over its entries".to_owned(),
        names => format!("`--schedule` chooses one of {}", names.join(", ")),
    };
    format!("note: as it is written, `{function}` visits every element of `{operand}`; {choice}")
}

pub(super) fn in_words(kernel: &Compiled, timing: &Timing) -> String {
    format!(
        "{} on {}: {:?} (median of {} runs, {:?} to {:?})",
        kernel.function().name,
        kernel.backend(),
        timing.median(),
        timing.runs(),
        timing.fastest(),
        timing.slowest()
    )
}
