//! `atl tensor`: an expression of index notation, as a program or on data.

use super::run::{finish, in_words};
use super::{backend, believed, compiled, explained, in_form, refuse, structure};
use crate::args::{Form, Tensor, split_at};
use crate::output::{Output, Result};
use atl_diag::{Diagnostic, Severity, err};
use atl_driver::backends::Backend;
use atl_driver::bench::{Repeats, time};
use atl_driver::tensor::{Request, Translation, arguments, feasible, translate, with_shapes};
use atl_driver::{Failure, Program, check_target};
use std::path::{Path, PathBuf};

pub(super) fn run(args: &Tensor, out: &mut Output) -> Result {
    let (mut translation, program) = translate(&with_shapes(request(args), &args.inputs)?)?;
    out.diagnostics(program.sources(), program.warnings());
    let (backend, _) = backend(&args.place);
    if args.steps.is_empty() {
        let (feasible, refused) = feasible(translation, &program, backend);
        translation = feasible;
        out.diagnostics(program.sources(), &refused.iter().flat_map(dense).collect::<Vec<_>>());
    } else {
        // Whoever asks for steps is to know whether they can be carried out, before the program is printed.
        atl_driver::ready(&program, &translation.function, translation.schedule.as_deref(), backend)?;
    }
    let runs = args.time || args.out.is_some() || !args.inputs.is_empty() || !args.numbers.is_empty();
    let program_alone = [Form::Program];
    let forms = if args.print.is_empty() && !runs { &program_alone } else { args.print.as_slice() };
    let texts = forms.iter().map(|form| text(&translation, &program, backend, *form));
    let texts = texts.collect::<std::result::Result<Vec<String>, _>>()?;
    out.print(&texts.join("\n"))?;
    if runs { compute(args, &translation, &program, out) } else { Ok(()) }
}

/// A refused schedule, as a warning.
fn dense(refused: &Failure) -> Option<Diagnostic> {
    let first = refused.diagnostics.first()?;
    let message = format!("operands are made dense, since their schedule is refused: {}", first.message);
    let warning = Diagnostic::new(first.code, Severity::Warning, message);
    let warning = warning.note("the result is the same; it takes the time and the memory of dense tensors");
    Some(warning.help("`--print program` prints the program, of which a schedule of yours may make more"))
}

fn request(args: &Tensor) -> Request {
    let request = Request::new(&args.expression).element(&args.element).steps(&steps(&args.steps));
    let request = args.operands.iter().fold(request, |request, name| request.operand(name));
    let request = args.format.iter().fold(request, |request, format| request.format(format));
    args.semiring.iter().fold(request, |request, name| request.semiring(name))
}

/// Steps, of which the last `;` may be left out.
fn steps(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with([';', '}']) { text.to_owned() } else { format!("{text};") }
}

fn text(
    translation: &Translation,
    program: &Program,
    backend: &Backend,
    form: Form,
) -> std::result::Result<String, Failure> {
    match form {
        Form::Program => Ok(translation.text.clone()),
        form => in_form(program, (&translation.function, translation.schedule.as_deref()), backend, form),
    }
}

fn compute(args: &Tensor, translation: &Translation, program: &Program, out: &mut Output) -> Result {
    let target = target(args, translation)?;
    if target != Path::new("-") {
        // Refused before the work rather than after it.
        check_target(program, &target)?;
    }
    let (backend, _) = backend(&args.place);
    let loops = atl_driver::ready(program, &translation.function, translation.schedule.as_deref(), backend)?;
    let structure = structure(args.trust_input);
    let arguments = arguments(translation, program, &args.inputs, &args.numbers, structure)?;
    for note in &arguments.notes {
        out.remark(&format!("note: {note}"));
    }
    out.progress(&format!("compiling `{}` with the back end `{}`", translation.function, backend.name));
    let kernel = believed(compiled(&loops, &args.place, out)?, args.trust_input);
    if args.time {
        let timing = time(&kernel, &arguments, Repeats::default()).map_err(|why| arguments.explain(why))?;
        out.remark(&in_words(&kernel, &timing));
    }
    finish(program, &kernel, &arguments, &[target], out).map_err(|stop| explained(stop, &arguments))
}

/// The path after `-o`, before which the result's name may stand.
fn target(args: &Tensor, translation: &Translation) -> Result<PathBuf> {
    let Some(out) = args.out.as_deref() else { return Ok(PathBuf::from("-")) };
    let Some((name, path)) = split_at(out, "=:") else { return Ok(PathBuf::from(out)) };
    if name == translation.result {
        return Ok(PathBuf::from(path));
    }
    let path = path.display();
    let message = err!(E0268, "the result is called `{}`, and `-o` names `{name}`", translation.result);
    Err(refuse(message.help(format!("write `-o {}={path}`, or the path alone", translation.result))))
}
