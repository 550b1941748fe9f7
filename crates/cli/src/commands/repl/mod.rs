//! `atl repl`: a derivation step by step, at a prompt or from a pipe.
//!
//! A line is steps of a schedule, or a command that begins with `:`. What may be done next, and what a line does, is the
//! driver's; this file words it. From a pipe each line is echoed, with the error too if it is refused, which makes the exit code 1.

mod commands;
mod input;

use super::load;
use crate::args::Repl;
use crate::output::{Exit, Output, Result, Stop};
use atl_driver::explain::ExplainedStep;
use atl_driver::interactive::Interactive;
use atl_driver::show::Stage;
use input::Input;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) fn run(args: &Repl, out: &mut Output) -> Result {
    let program = load(&args.file, (None, None), out)?;
    let function = program.function(args.function.as_deref(), args.schedule.as_deref())?.name.clone();
    let mut session = Interactive::new(program, Some(&function))?;
    if let Some(schedule) = &args.schedule {
        session.load(schedule)?;
    }
    out.print(&session.show(Stage::Scheduled)?)?;
    let session = Rc::new(RefCell::new(session));
    let mut input = Input::new(&session, out);
    if input.is_terminal() {
        out.print(":help lists the commands; Tab completes words\n")?;
    }
    let mut refused = false;
    while let Some(line) = input.line(out)? {
        match line.trim() {
            "" => {}
            ":quit" | ":q" | "quit" | "exit" => break,
            line => match carry_out(&mut session.borrow_mut(), line, out) {
                Ok(()) => {}
                Err(Stop::Failed(failure)) => {
                    if !input.is_terminal() {
                        out.remark(&format!("refused: {line}"));
                    }
                    out.diagnostics(&failure.sources, &failure.diagnostics);
                    refused = true;
                }
                Err(stop) => return Err(stop),
            },
        }
    }
    if refused && !input.is_terminal() { Err(Stop::Said(Exit::Refused)) } else { Ok(()) }
}

fn carry_out(session: &mut Interactive, line: &str, out: &mut Output) -> Result {
    // Of the commands, those that people type without the colon, and that are no steps.
    if matches!(line, "help" | "?") {
        return commands::run(session, ":help", out);
    }
    if line.starts_with(':') {
        return commands::run(session, line, out);
    }
    let steps = session.apply(line)?;
    out.print(&steps.iter().map(proved).collect::<String>())?;
    Ok(())
}

/// A step's theorem and the lines that it changed.
fn proved(step: &ExplainedStep) -> String {
    format!("{}{}", step.theorem_in_words(), step.changed_lines())
}
