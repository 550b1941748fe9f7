//! `atl run`: a function on data.

use super::{backend, believed, explained, in_form, load, structure};
use crate::args::Run;
use crate::output::{Output, Result};
use atl_driver::bench::{Repeats, Timing, time};
use atl_driver::{
    Arguments, Buffer, Compiled, Program, Until, check_target, save_assembled, save_result, to_text,
};
use std::path::Path;

pub(super) fn run(args: &Run, out: &mut Output) -> Result {
    let program = load(&args.file, out)?;
    let schedule = args.schedule.as_deref();
    let function = program.function(args.function.as_deref(), schedule)?;
    let scheduled = program.scheduled(&function.name, schedule)?;
    if let Some(asked) = args.rounding {
        scheduled.require_rounding(asked.into())?;
    }
    if args.out != Path::new("-") {
        // Refused before the work rather than after it.
        check_target(&program, &args.out)?;
    }
    for form in &args.print {
        out.print(&in_form(&scheduled, *form)?)?;
    }
    let arguments = Arguments::read(
        &program,
        function,
        &args.call.inputs,
        &args.call.numbers,
        structure(args.trust_input),
    )?;
    for note in &arguments.notes {
        out.remark(&format!("note: {note}"));
    }
    if let (None, Some(sparse)) = (schedule, function.sparse.first()) {
        out.remark(&as_written(&program, &function.name, &sparse.name));
    }
    let (backend, options) = backend(&args.call.place);
    out.progress(&format!("compiling `{}` with the back end `{}`", function.name, backend.name));
    let kernel = believed(scheduled.lower()?.compile(backend, options)?, args.trust_input);
    work(args, &program, &kernel, &arguments, out).map_err(|stop| explained(stop, &arguments))
}

/// Calls the kernel as often and in the ways that are asked for.
fn work(args: &Run, program: &Program, kernel: &Compiled, arguments: &Arguments, out: &mut Output) -> Result {
    if args.time {
        let timing = time(kernel, arguments, Repeats::default())?;
        out.remark(&in_words(kernel, &timing));
    }
    if args.count {
        let bound = kernel.bind(&arguments.arrays(), &arguments.sizes())?;
        out.remark(&format!("note: {}", kernel.work(&bound)?));
    }
    let Some(name) = &args.iterate else { return finish(program, kernel, arguments, &args.out, out) };
    let until = args.times.map_or(Until::Stable(args.at_most), Until::Times);
    let first = kernel.bind(&arguments.arrays(), &arguments.sizes())?;
    let (reached, since) = if args.since {
        let (reached, since) = kernel.iterate_since(name, until, arguments, &first)?;
        (reached, Some(since))
    } else {
        (kernel.iterate_bound(name, until, arguments, &first)?, None)
    };
    if args.times.is_none() {
        out.remark(&format!("note: `{name}` is stable: call {} changed nothing", reached.calls));
    }
    keep(program, since.as_ref().unwrap_or(&reached.value), &args.out, out)
}

/// Calls a kernel, and prints or saves what it computes.
pub(super) fn finish(
    program: &Program,
    kernel: &Compiled,
    arguments: &Arguments,
    target: &Path,
    out: &mut Output,
) -> Result {
    let printed = target == Path::new("-");
    if let Some(result) = kernel.call_sparse(&arguments.arrays(), &arguments.sizes())? {
        if printed {
            return out.print(&result.to_text());
        }
        return Ok(save_assembled(program, target, &result)?);
    }
    let result = kernel.call(&arguments.arrays(), &arguments.sizes())?;
    keep(program, &result, target, out)
}

/// Prints or saves a dense result.
fn keep(program: &Program, result: &Buffer, target: &Path, out: &mut Output) -> Result {
    if target == Path::new("-") {
        return out.print(&format!("{}\n", to_text(result)));
    }
    Ok(save_result(program, target, result)?)
}

/// What is said where loops over what is stored could be had, and are not asked for.
pub(super) fn as_written(program: &Program, function: &str, operand: &str) -> String {
    let schedules = program.schedules().iter().filter(|s| s.of.text == function);
    let names: Vec<String> = schedules.map(|s| format!("`{}`", s.name.text)).collect();
    let choice = match names.as_slice() {
        [] => "a schedule with `sparsify` goes over what is stored".to_owned(),
        names => format!("`--schedule` chooses one of {}", names.join(", ")),
    };
    format!("note: as it is written, `{function}` goes over all elements of `{operand}`; {choice}")
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
