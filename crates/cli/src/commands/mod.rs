//! The commands, one file each. To add one: its file, its arguments, and its lines here.

mod bench;
mod build;
mod certify;
mod check;
mod convert;
mod doctor;
mod explain;
mod fmt;
mod guard;
mod iterate;
mod layout;
#[cfg(feature = "tables")]
mod query;
mod repl;
mod run;
mod show;
mod tensor;
mod tune;
mod verify;
mod verify_folder;

use crate::args::{Args, Command, Form, Place};
use crate::output::{Exit, Output, Result, Stop};
use atl_driver::auto::schedule_text;
use atl_driver::backends::{self, Backend, Options};
use atl_driver::data::Structure;
use atl_driver::explain::Explanation;
use atl_driver::show::{Notation, Stage, c_text, loops_text, show_scheduled};
use atl_driver::validate::Validation;
use atl_driver::{Arguments, Compile, Compiled, Failure, Function, Program, Ready, Rounding as Class};
use std::path::Path;

/// Carries out a command line.
pub(crate) fn run(args: &Args, out: &mut Output) -> Exit {
    let result = match &args.command {
        Command::Check(args) => check::run(args, out),
        Command::Show(args) => show::run(args, out),
        Command::Explain(args) => explain::run(args, out),
        Command::Fmt(args) => fmt::run(args, out),
        Command::Run(args) => run::run(args, out),
        Command::Build(args) => build::run(args, out),
        Command::Bench(args) => bench::run(args, out),
        Command::Tune(args) => tune::run(args, out),
        Command::Verify(args) => verify::run(args, out),
        Command::Convert(args) => convert::run(args, out),
        Command::Certify(args) => certify::run(args, out),
        Command::Repl(args) => repl::run(args, out),
        Command::Tensor(args) => tensor::run(args, out),
        #[cfg(feature = "tables")]
        Command::Query(args) => query::run(args, out),
        Command::Layout(args) => layout::run(args, out),
        Command::Guard(args) => guard::run(args, out),
        Command::Doctor(args) => doctor::run(args, out),
    };
    out.end(result)
}

/// The program of a file; what elaboration remarks on the function that is meant goes to standard error, or
/// all that it remarks if none is.
fn load(path: &Path, (name, schedule): (Option<&str>, Option<&str>), out: &mut Output) -> Result<Program> {
    let program = atl_driver::load(path)?;
    match program.function(name, schedule) {
        Ok(function) => out.diagnostics(program.sources(), &program.warnings_of(&function.name)),
        Err(_) => out.diagnostics(program.sources(), program.warnings()),
    }
    Ok(program)
}

/// The back end that was asked for, or the machine's best, with its options.
fn backend(place: &Place) -> (&'static Backend, Options) {
    let asked = place.backend.as_deref().and_then(backends::by_name);
    let threads = place.threads.and_then(|n| usize::try_from(n).ok());
    let options = Options { threads, validation: validation(place.no_validate) };
    (asked.unwrap_or_else(backends::preferred), options)
}

/// Is machine code compared with the interpreter of loops?
fn validation(skip: bool) -> Validation {
    if skip { Validation::Skip } else { Validation::Check }
}

/// Compiles a kernel, and says what is to be said of its code.
fn compiled(loops: &Ready, place: &Place, out: &mut Output) -> Result<Compiled> {
    let (backend, options) = backend(place);
    let kernel = loops.compile(backend, options)?;
    remark_on(&kernel, place, out);
    Ok(kernel)
}

/// Says where other code serves than what was asked for; and what comparing it has shown, if that is asked for.
fn remark_on(kernel: &Compiled, place: &Place, out: &mut Output) {
    if let (None, Some(why)) = (&place.backend, (backends::c::BACKEND.unavailable)()) {
        out.remark_once(&format!(
            "note: {why}. The back end `{}` serves, without vectors and threads: a tiled blur takes some 12 times as long. \
             `--backend {}` says that this is meant",
            kernel.backend(),
            kernel.backend()
        ));
    }
    out.diagnostics(kernel.sources(), &kernel.performance_warnings());
    if place.verbose {
        let (name, verdict) = (&kernel.function().name, kernel.standing().verdict);
        let origin = if kernel.is_kept() { "are those that an earlier run kept" } else { "were derived now" };
        out.remark(&format!("note: the loops of `{name}` {origin}"));
        out.remark(&format!("note: the code of `{name}` by the back end `{}` {verdict}", kernel.backend()));
    }
}

/// Are the places of the entries in a file of a sparse tensor looked at?
fn structure(trust_input: bool) -> Structure {
    if trust_input { Structure::Trust } else { Structure::Check }
}

/// The kernel, which looks at what arrays hold unless they are trusted.
fn believed(kernel: Compiled, trust_input: bool) -> Compiled {
    if trust_input { kernel.trusting_arrays() } else { kernel }
}

/// Why work on these arguments stopped, with what their files have to do with it.
fn explained(stop: Stop, arguments: &Arguments) -> Stop {
    match stop {
        Stop::Failed(why) => arguments.explain(why).into(),
        stop => stop,
    }
}

/// A function under a schedule, in one of the forms that are printed beside running it. What an earlier run
/// derived serves where the form is of the loops alone; the others are of the terms and theorems that make
/// them, and those are kept nowhere.
fn in_form(
    program: &Program,
    (function, schedule): (&str, Option<&str>),
    backend: &Backend,
    form: Form,
) -> std::result::Result<String, Failure> {
    let scheduled = || program.scheduled(function, schedule);
    let shown = |stage| show_scheduled(&scheduled()?, stage, Notation::Ascii, &[]);
    let ready = || atl_driver::ready(program, function, schedule, backend);
    match form {
        Form::Program => shown(Stage::Source),
        Form::Derivation => {
            let scheduled = scheduled()?;
            Ok(Explanation::of(&scheduled, &scheduled.lower()?).to_text())
        }
        Form::Schedule => script(program, function, schedule),
        Form::Scheduled => shown(Stage::Scheduled),
        Form::Loops => Ok(loops_text(&ready()?)),
        Form::C => c_text(&ready()?),
    }
}

/// The schedule as a text that a program may have; of a function as it is written one without steps. Only
/// one that is chosen is derived for it.
fn script(program: &Program, function: &str, schedule: Option<&str>) -> std::result::Result<String, Failure> {
    let f = program.function(Some(function), schedule)?;
    if schedule.is_some_and(|name| program.is_chosen(f, name))
        && let Some(chosen) = &program.scheduled(function, schedule)?.chosen
    {
        return Ok(chosen.script.clone());
    }
    let written =
        program.schedules().iter().find(|s| s.of.text == *function && Some(&*s.name.text) == schedule);
    Ok(match written {
        Some(schedule) => format!("{}\n", program.sources().slice(schedule.span).trim()),
        None => schedule_text("none", function, &[]),
    })
}

/// What no schedule means.
#[derive(Clone, Copy)]
enum Default {
    /// The function as it is written.
    Written,
    /// A schedule is chosen.
    Chosen,
}

/// The name of the schedule that is meant, as the driver has it.
fn meant<'s>(
    program: &Program,
    function: &Function,
    asked: Option<&'s str>,
    rounding: Option<Class>,
    default: Default,
) -> Option<&'s str> {
    match (asked, default) {
        (None, Default::Written) => None,
        _ => program.meant(function, asked, rounding),
    }
}

/// A refusal that points into no file.
fn refuse(diagnostic: atl_diag::Diagnostic) -> Stop {
    Failure::new(&std::sync::Arc::default(), diagnostic).into()
}
