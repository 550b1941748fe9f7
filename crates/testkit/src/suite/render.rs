//! What a case gives: the texts that its expectations are compared with.

use super::document::{Case, Expectation, Kind};
use crate::array::Array;
use crate::oracle::{Arguments, Outcome, agree, replay};
use atl_diag::{Diagnostic, SourceMap, Span};
use atl_driver::backends::Backend;
use atl_driver::build::cuda;
use atl_driver::{Failure, Lowered, Program, Scheduled};
use atl_kernel::{Scalar, Thm};
use atl_lang::print;
use std::fmt::Write;
use std::sync::Arc;

/// A case's program, elaborated and checked, or refused.
pub enum Checked {
    /// All functions are safe and all schedules are carried out.
    Accepted(Box<Program>),
    /// It is not.
    Refused(Box<Failure>),
}

/// Elaborate and check the program.
pub fn checked(case: &Case) -> Checked {
    let program = atl_driver::parse(case.file, &case.program);
    match program.and_then(|program| atl_driver::check(&program).map(|_| program)) {
        Ok(program) => Checked::Accepted(Box::new(program)),
        Err(failure) => Checked::Refused(Box::new(failure)),
    }
}

impl Checked {
    /// The text that this expectation should have.
    ///
    /// # Errors
    /// There is no such text: the program is refused, or stages of it disagree.
    pub fn text(&self, expectation: &Expectation, backends: &[&'static Backend]) -> Result<String, String> {
        let program = match (self, expectation.kind) {
            (Checked::Refused(failure), Kind::Error) => {
                return Ok(report(&failure.sources, &failure.diagnostics));
            }
            (Checked::Refused(failure), _) => return Err(format!("the program is refused:\n{failure}")),
            (Checked::Accepted(_), Kind::Error) => return Err("the program is accepted".to_owned()),
            (Checked::Accepted(program), _) => program,
        };
        let of = expectation.of.as_deref();
        match expectation.kind {
            Kind::Error => Err("the program is accepted".to_owned()),
            Kind::Warning => Ok(report(program.sources(), program.warnings())),
            Kind::Program => {
                let scheduled = named(program, of)?;
                Ok(print::print_function(&scheduled.function, scheduled.body(), print::Options::default()))
            }
            Kind::Theorem => theorem(&named(program, of)?),
            Kind::Loops => {
                let lowered = named(program, of)?.lower().map_err(|e| e.to_string())?;
                Ok(lowered.device.as_ref().unwrap_or(&lowered.kernel).to_string())
            }
            Kind::Cuda => {
                let lowered = named(program, of)?.lower().map_err(|e| e.to_string())?;
                Ok(cuda::source(&lowered).map_or_else(|refused| refused.to_string(), |source| source.text))
            }
            Kind::Output => output(program, expectation, backends),
        }
    }

    /// What is missing beside the expectations: a refusal or remarks that no block expects.
    pub fn unexpected(&self, case: &Case) -> Option<String> {
        let expected = |kind| case.expectations.iter().any(|e| e.kind == kind);
        match self {
            Checked::Refused(failure) if !expected(Kind::Error) => Some(failure.to_string()),
            Checked::Accepted(program) if !program.warnings().is_empty() && !expected(Kind::Warning) => {
                Some(report(program.sources(), program.warnings()))
            }
            Checked::Accepted(_) if case.expectations.is_empty() => {
                Some("nothing is expected of it".to_owned())
            }
            _ => None,
        }
    }
}

/// The schedule of this name, else the function of this name as it is written.
fn named(program: &Program, name: Option<&str>) -> Result<Scheduled, String> {
    let name = name.unwrap_or_default();
    let schedule = program.schedules().iter().find(|s| s.name.text == name);
    let scheduled = match schedule {
        Some(schedule) => program.scheduled(&schedule.of.text, Some(name)),
        None => program.scheduled(name, None),
    };
    scheduled.map_err(|e| e.to_string())
}

/// Diagnostics, short: code and message, the text underlined, a counterexample.
fn report(sources: &Arc<SourceMap>, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let _ = writeln!(out, "{}: {}", d.code, d.message);
        if let Some(span) = d.span() {
            let _ = writeln!(out, "  at `{}`", shorten(&text_at(sources, span)));
        }
        for note in d.notes.iter().filter(|n| n.starts_with("for ") || n.starts_with("at the place")) {
            let _ = writeln!(out, "  {note}");
        }
    }
    out
}

fn text_at(sources: &SourceMap, span: Span) -> String {
    let text = sources.text(span.file);
    let words = text.get(span.range()).unwrap_or_default().split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}

/// At most 60 characters.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The steps, with what they preserve and use; their proofs are replayed.
fn theorem(scheduled: &Scheduled) -> Result<String, String> {
    let Some(derivation) = &scheduled.derivation else {
        return Err("there is no schedule of this name".to_owned());
    };
    let line = |what: &str, thm: &Thm| {
        let claims = thm.claims();
        let claims = claims.iter().map(|(monoid, laws)| format!("; of {}: {laws}", monoid.name()));
        format!("{what}: {}; laws: {}{}\n", thm.rounding(), thm.laws(), claims.collect::<String>())
    };
    let mut out = String::new();
    for step in &derivation.steps {
        let thm = step.thm().map_err(|why| format!("{why:?}"))?;
        replay(&thm)?;
        out += &line(step.text.trim_end_matches(';'), &thm);
    }
    replay(&derivation.thm)?;
    Ok(out + &line("source = scheduled", &derivation.thm))
}

/// Run a function, as it is written and under every schedule, on the arguments of the block.
fn output(
    program: &Program,
    expectation: &Expectation,
    backends: &[&'static Backend],
) -> Result<String, String> {
    let function = program.function(expectation.of.as_deref(), None).map_err(|e| e.to_string())?;
    let is_argument = |line: &&str| line.starts_with("in ") || line.starts_with("set ");
    let given: Vec<&str> = expectation.text.lines().take_while(is_argument).collect();
    let mut arguments = Arguments::default();
    for line in &given {
        argument(function, line, &mut arguments)?;
    }
    let of_function = program.schedules().iter().filter(|s| s.of.text == function.name);
    let names = of_function.map(|s| Some(s.name.text.as_str())).chain([None]);
    let mut results: Vec<(Option<&str>, String)> = Vec::new();
    for schedule in names {
        let lower = |name| program.scheduled(&function.name, name)?.lower();
        let lowered: Lowered = lower(schedule).map_err(|e| e.to_string())?;
        replay(&lowered.theorem)?;
        let result = match agree(&lowered, backends, &arguments) {
            Ok(result) => format!("out = {result}\n"),
            Err(Outcome::Refused(failure)) => report(&failure.sources, &failure.diagnostics),
            Err(Outcome::Wrong(why)) => return Err(format!("under {schedule:?}: {why}")),
        };
        results.push((schedule, result));
    }
    let expected = results.last().map(|(_, text)| text.clone()).unwrap_or_default();
    if let Some((schedule, text)) = results.iter().find(|(_, text)| *text != expected) {
        return Err(format!("under {schedule:?}: {text} and as it is written: {expected}"));
    }
    let given: String = given.iter().map(|line| format!("{line}\n")).collect();
    Ok(given + &expected)
}

/// `in a = [1, 2]`, `in a: f64 = [1, 2]` or `set N = 3`.
fn argument(function: &atl_lang::Function, line: &str, arguments: &mut Arguments) -> Result<(), String> {
    let wrong = || format!("`{line}` is not `in NAME = ARRAY` or `set NAME = NUMBER`");
    let (word, rest) = line.split_once(' ').ok_or_else(wrong)?;
    let (name, value) = rest.split_once('=').ok_or_else(wrong)?;
    let (name, ty) = name.split_once(':').map_or((name.trim(), None), |(n, ty)| (n.trim(), Some(ty.trim())));
    if word == "set" {
        arguments.sizes.push((name.to_owned(), value.trim().parse().map_err(|_| wrong())?));
        return Ok(());
    }
    let declared = function.params.iter().find(|p| p.name == name).map(|p| p.ty.elem.scalar);
    let scalar = match ty {
        Some(ty) => Scalar::parse(ty).ok_or_else(wrong)?,
        None => declared.unwrap_or(Scalar::F32),
    };
    arguments.arrays.push((name.to_owned(), Array::parse(scalar, value)?));
    Ok(())
}
