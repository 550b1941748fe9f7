//! A program at each stage of its life, as text.
//!
//! Every stage has one text form: programs up to the normal form are printed as programs, loops in the loop
//! IR's own form, and C as the back end writes it; the order of stores is a run of the loops, for small
//! sizes. Nothing is printed to a terminal here.

use crate::order::order;
use atl_backend_c::CSource;
use atl_call::backends::c;
use atl_call::backends::cuda;
use atl_diag::err;
use atl_lang::print::print_function;
use atl_session::Failure;
use atl_session::Program;
use atl_session::display::options;
use atl_session::{Ready, Scheduled};

pub use atl_syntax::Notation;

/// Where in its life a program is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// As it is written.
    Source,
    /// After the schedule.
    Scheduled,
    /// In the form that is translated to loops.
    Normal,
    /// As loops over buffers.
    Loops,
    /// As C.
    C,
    /// As CUDA C++, where loops are marked as a device's.
    Cuda,
    /// As the order in which its loops store, for small sizes.
    Order,
}

impl Stage {
    /// Every stage, in the order of a program's life.
    pub const ALL: [Stage; 7] =
        [Stage::Source, Stage::Scheduled, Stage::Normal, Stage::Loops, Stage::C, Stage::Cuda, Stage::Order];

    /// What a program is at this stage, in a line.
    pub fn meaning(self) -> &'static str {
        match self {
            Stage::Source => "As it is written",
            Stage::Scheduled => "After the schedule",
            Stage::Normal => {
                "After one more theorem, in the form that is translated to loops: accesses carried out, and a `let` for whatever must be stored"
            }
            Stage::Loops => "As loops over buffers",
            Stage::C => "As C",
            Stage::Cuda => "As CUDA C++, where loops are marked as blocks and threads",
            Stage::Order => "As pictures of the order in which its loops store, for small sizes",
        }
    }

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Source => "source",
            Stage::Scheduled => "scheduled",
            Stage::Normal => "normal",
            Stage::Loops => "loops",
            Stage::C => "c",
            Stage::Cuda => "cuda",
            Stage::Order => "order",
        }
    }

    /// The stage with this name.
    pub fn parse(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.name() == name)
    }
}

/// A function at a stage, ending in a line end.
///
/// The C is the one with OpenMP threads, whatever this machine's compiler offers. The sizes are those of the
/// run whose order is shown; the other stages hold for all sizes, and are given none.
///
/// # Errors
/// There is no such function or schedule, or it is refused before the stage; the order of these sizes is not
/// drawn.
pub fn show(
    program: &Program,
    function: &str,
    schedule: Option<&str>,
    stage: Stage,
    notation: Notation,
    sizes: &[(String, i64)],
) -> Result<String, Failure> {
    let found = program.function(Some(function), schedule)?;
    if let (Some((name, value)), true) = (sizes.first(), stage != Stage::Order) {
        let d =
            err!(E0613, "the stage `{}` holds for all sizes, and `{name} = {value}` is given", stage.name());
        let d = d.help("leave `--set` out; `--stage order` shows a run of given sizes");
        let d = d.help(format!("for one size, begin a schedule with `assume {name} == {value};`"));
        return Err(Failure::new(program.sources(), d));
    }
    if stage == Stage::Source {
        return Ok(print_function(found, &found.body, options(notation)));
    }
    show_scheduled(&program.scheduled(function, schedule)?, stage, notation, sizes)
}

/// [`show`] for a function whose schedule has been carried out.
///
/// # Errors
/// It is refused before the stage.
pub fn show_scheduled(
    scheduled: &Scheduled,
    stage: Stage,
    notation: Notation,
    sizes: &[(String, i64)],
) -> Result<String, Failure> {
    let f = &scheduled.function;
    let print = |body| print_function(f, body, options(notation));
    let lowered = match stage {
        Stage::Source => return Ok(print(&f.body)),
        Stage::Scheduled => return Ok(print(scheduled.body())),
        Stage::Normal | Stage::Loops | Stage::C | Stage::Cuda | Stage::Order => scheduled.lower()?,
    };
    match stage {
        Stage::Loops => Ok(loops_text(&lowered)),
        Stage::Cuda => Ok(with_line_end(cuda::source(&lowered)?.text)),
        Stage::C => c_text(&lowered),
        Stage::Order => Ok(order(&lowered, sizes)?.to_text()),
        Stage::Source | Stage::Scheduled | Stage::Normal => Ok(print(lowered.theorem.rhs())),
    }
}

/// Loops as a text, whichever run derived them.
pub fn loops_text(ready: &Ready) -> String {
    with_line_end(ready.device.as_ref().unwrap_or(&ready.kernel).to_string())
}

/// Loops as C with OpenMP threads, whichever run derived them.
///
/// # Errors
/// The printer refuses them.
pub fn c_text(ready: &Ready) -> Result<String, Failure> {
    Ok(with_line_end(c_source(ready)?.c))
}

/// The C of a program, with OpenMP threads.
pub(crate) fn c_source(ready: &Ready) -> Result<CSource, Failure> {
    c::source(ready, &c::printer_options(ready.rounding, true)).map_err(|why| {
        let name = &ready.function.name;
        let d = err!(E0603, "the back end `c` did not print `{name}`").note(why);
        Failure::new(&ready.sources, d.help("please report this with the program"))
    })
}

fn with_line_end(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str =
        "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }\nschedule s of f { split i by 4; }";

    fn check(schedule: Option<&str>, stage: Stage, notation: Notation, holds: &str) {
        let program = Program::parse("f.atl", PROGRAM).unwrap();
        let text = show(&program, "f", schedule, stage, notation, &[]).unwrap();
        assert!(text.contains(holds) && text.ends_with('\n'), "{text}");
    }

    #[test]
    fn each_stage_has_its_text() {
        check(None, Stage::Source, Notation::Ascii, "gen i < N { x[i] + x[i] }");
        check(None, Stage::Source, Notation::Math, "⊞ i < N");
        check(Some("s"), Stage::Source, Notation::Ascii, "gen i < N");
        check(Some("s"), Stage::Scheduled, Notation::Ascii, "i.o");
        check(Some("s"), Stage::Normal, Notation::Ascii, "i.o");
        check(Some("s"), Stage::Loops, Notation::Ascii, "kernel f(N)");
        check(Some("s"), Stage::C, Notation::Ascii, "int32_t f(int64_t N");
        check(Some("s"), Stage::Order, Notation::Ascii, "out[5]: 5 stores\n  0 1 2 3 4\n");
    }

    #[test]
    fn printed_programs_are_programs() {
        let program = Program::parse("f.atl", PROGRAM).unwrap();
        for stage in [Stage::Source, Stage::Scheduled, Stage::Normal] {
            let text = show(&program, "f", Some("s"), stage, Notation::Ascii, &[]).unwrap();
            Program::parse("again.atl", &text).unwrap();
        }
    }

    #[test]
    fn stages_are_found_by_name() {
        for stage in Stage::ALL {
            assert_eq!(Stage::parse(stage.name()), Some(stage));
        }
        assert_eq!(Stage::parse("ast"), None);
    }
}
