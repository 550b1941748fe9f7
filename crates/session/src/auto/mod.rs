//! `auto`: the schedule of a function that is run without one, and the end of a script that ends in `auto`.
//!
//! **The one idea.** `atl-search` writes scripts and chooses one; here each is derived, checked and
//! lowered like a script that a person wrote. So what is chosen is a theorem of its class, its text can
//! be copied into a program, and where everything is refused, the function stays as it is written.
//!
//! What is chosen depends on the function, on the class and on the machine's registers and caches, and on
//! nothing else: a call's sizes do not change it, so a function has one result.

mod idle;

use crate::failure::Failure;
use crate::program::Program;
use crate::scheduled::Scheduled;
use atl_arith::Arith;
use atl_diag::{FileId, SourceMap};
use atl_kernel::{Expr, Ix, Rounding};
use atl_lang::Function;
use atl_schedule::Library;
pub use atl_search::auto::{Choice, Considered, Kind};
use atl_search::auto::{Operands, auto, nominal};
use atl_search::{Judge, Judged, Machine, Names, Refused, Request, Shapes, Sizes};
use atl_syntax::ast;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The name of the function as it is written, unless a schedule has it.
pub const NONE: &str = "none";

/// The name of a schedule that is chosen, unless a schedule of the program has it. It is `bitwise`; of a
/// function with operands in formats `real`, since elements that are not stored take no part.
pub const AUTO: &str = "auto";

/// The same, `bitwise` in any case. No schedule of a program can have this name.
pub const AUTO_BITWISE: &str = "auto bitwise";

/// The same, `finite`: it may take the least or greatest of floats in any order, and no sums of them.
pub const AUTO_FINITE: &str = "auto finite";

/// The same, `real`.
pub const AUTO_REAL: &str = "auto real";

/// How many scripts are judged at most.
const BUDGET: usize = 12;

/// The class that a name asks for, if it is one of those above.
fn class(name: &str, function: &Function) -> Option<Rounding> {
    match name {
        AUTO if function.sparse.is_empty() => Some(Rounding::Bitwise),
        AUTO | AUTO_REAL => Some(Rounding::Real),
        AUTO_BITWISE => Some(Rounding::Bitwise),
        AUTO_FINITE => Some(Rounding::Finite),
        _ => None,
    }
}

/// The name that asks for a choice of this class; without a class, of the one of [`AUTO`].
pub fn of_class(function: &Function, rounding: Option<Rounding>) -> &'static str {
    match rounding.or_else(|| class(AUTO, function)) {
        Some(Rounding::Real) => AUTO_REAL,
        Some(Rounding::Finite) => AUTO_FINITE,
        _ => AUTO_BITWISE,
    }
}

/// The machine that schedules are chosen for: one thread.
fn machine() -> Machine {
    Machine::detect().with_cores(1)
}

/// What a choice depends on beside the program: part of the key of what is kept.
pub fn circumstances() -> String {
    format!("{:?}", machine())
}

/// A schedule with these steps, as the formatter has it.
pub fn schedule_text(name: &str, function: &str, steps: &[String]) -> String {
    let steps: String = steps.iter().map(|step| format!("    {step};\n")).collect();
    let text = format!("schedule {name} of {function} {{\n{steps}}}\n");
    // What does not parse stays as it is: deriving it says why.
    atl_syntax::format(FileId::default(), &text).unwrap_or(text)
}

impl Program {
    /// The class of the schedule that is to be chosen, if this name asks for that.
    pub fn automatic(&self, function: &Function, schedule: Option<&str>) -> Option<Rounding> {
        let name = schedule?;
        if self.has(function, name) { None } else { class(name, function) }
    }

    /// Has the program a schedule of this name?
    fn has(&self, function: &Function, name: &str) -> bool {
        self.schedules().iter().any(|s| s.of.text == function.name && s.name.text == name)
    }

    /// Does this name mean the function as it is written?
    pub(crate) fn is_none(&self, function: &Function, name: &str) -> bool {
        name == NONE && !self.has(function, name)
    }

    /// The name under which a schedule is meant: `asked` as the command line has it, where `none` is the
    /// function as written and nothing is [`AUTO`], of the class asked for.
    pub fn meant<'s>(
        &self,
        function: &Function,
        asked: Option<&'s str>,
        rounding: Option<Rounding>,
    ) -> Option<&'s str> {
        match asked {
            Some(name) if self.has(function, name) => Some(name),
            Some(NONE) => None,
            None | Some(AUTO) => Some(match rounding {
                None => AUTO,
                Some(Rounding::Real) => AUTO_REAL,
                Some(Rounding::Finite) => AUTO_FINITE,
                Some(_) => AUTO_BITWISE,
            }),
            Some(name) => Some(name),
        }
    }

    /// Does a schedule depend on the machine, since it, or its end, is chosen?
    pub fn is_chosen(&self, function: &Function, schedule: &str) -> bool {
        let mut own =
            self.schedules().iter().filter(|s| s.of.text == function.name && s.name.text == schedule);
        own.any(is_open) || self.automatic(function, Some(schedule)).is_some()
    }

    /// The steps that a name means which no schedule of the program has: none of [`NONE`], and those that are
    /// chosen of a name that asks for a choice. Nothing for any other name.
    ///
    /// # Errors
    /// There is no such function, or it is refused as it is written.
    pub fn chosen_steps(&self, function: &str, name: &str) -> Result<Option<Vec<String>>, Failure> {
        let function = self.function(Some(function), Some(name))?;
        if self.is_none(function, name) {
            return Ok(Some(Vec::new()));
        }
        if self.automatic(function, Some(name)).is_none() {
            return Ok(None);
        }
        let scheduled = self.scheduled(&function.name, Some(name))?;
        Ok(scheduled.chosen.map(|chosen| chosen.choice.steps.clone()))
    }

    /// The function under the schedule that is chosen for it.
    pub(crate) fn chosen(&self, function: &Function, class: Rounding) -> Result<Scheduled, Failure> {
        choose(self.sources(), function, self.library(), AUTO, Vec::new(), class)
    }
}

/// A schedule that was chosen, or its end.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// What was chosen, and among what.
    pub choice: Choice,
    /// The whole schedule, as a text that a program may have.
    pub script: String,
    /// The sizes that it was chosen for.
    pub sizes: Vec<(String, i64)>,
}

/// Does the script leave its end to the compiler?
pub(crate) fn is_open(schedule: &ast::Schedule) -> bool {
    schedule.steps.last().is_some_and(|step| step.name.text == AUTO)
}

/// The function under a script whose last step is `auto`.
pub(crate) fn completed(
    sources: &Arc<SourceMap>,
    function: &Function,
    schedule: &ast::Schedule,
    library: &Arc<Library>,
) -> Result<Scheduled, Failure> {
    let mut begun = schedule.clone();
    begun.steps.pop();
    // What the person wrote is refused at its own place.
    let first = Scheduled::derive(sources, function, Some(&begun), library)?;
    first.lower()?;
    let text = |step: &ast::Step| sources.slice(step.span).trim().trim_end_matches(';').trim_end().to_owned();
    let steps: Vec<String> = begun.steps.iter().map(text).collect();
    let class = first.rounding().max(class(AUTO, function).unwrap_or(Rounding::Bitwise));
    choose(sources, function, library, &schedule.name.text, steps, class)
}

fn choose(
    sources: &Arc<SourceMap>,
    function: &Function,
    library: &Arc<Library>,
    name: &str,
    begun: Vec<String>,
    class: Rounding,
) -> Result<Scheduled, Failure> {
    let (accepted, prover) = (BTreeMap::new(), Arc::default());
    let mut scripts = Scripts { sources, function, library, name, begun, class, accepted, prover };
    let start = scripts.replay(&[])?;
    let names: Names = function.params.iter().map(|p| (p.level, p.name.clone())).collect();
    let shapes: Shapes = function.params.iter().map(|p| (p.name.clone(), p.ty.shape.clone())).collect();
    let levels: Vec<u32> = function.sizes.iter().map(|size| size.level).collect();
    let all: Vec<Vec<Ix>> = shapes.values().cloned().chain([function.result.shape.clone()]).collect();
    let sizes = nominal(&levels, &all);
    let named: Sizes =
        function.sizes.iter().zip(&sizes).map(|(s, n)| (s.level, (s.name.clone(), *n))).collect();
    let body: Expr = start.body().clone();
    let request = Request {
        body: &body,
        names: &names,
        shapes: &shapes,
        named_sizes: &named,
        sizes: &sizes,
        cell_bytes: function.result.elem.scalar.bits() / 8,
        rounding: class,
        machine: machine(),
        budget: BUDGET,
    };
    let operands = if function.sparse.is_empty() { Operands::Dense } else { Operands::Stored };
    let choice = auto(&request, operands, &mut scripts);
    let found = scripts.accepted.remove(&choice.steps);
    let scheduled = found.map_or_else(|| scripts.replay(&choice.steps), Ok)?;
    let all = [scripts.begun.as_slice(), choice.steps.as_slice()].concat();
    let script = schedule_text(name, &function.name, &all);
    let sizes = named.into_values().collect();
    Ok(scheduled.with_choice(Chosen { choice, script, sizes }))
}

/// Derives and lowers scripts.
struct Scripts<'p> {
    sources: &'p Arc<SourceMap>,
    function: &'p Function,
    library: &'p Arc<Library>,
    name: &'p str,
    /// The steps that stand before.
    begun: Vec<String>,
    class: Rounding,
    /// What was accepted, by its steps.
    accepted: BTreeMap<Vec<String>, Scheduled>,
    /// Scripts have most questions in common.
    prover: Arc<Mutex<Arith>>,
}

impl Scripts<'_> {
    fn replay(&self, steps: &[String]) -> Result<Scheduled, Failure> {
        let all = [self.begun.as_slice(), steps].concat();
        let text = schedule_text(self.name, &self.function.name, &all);
        let mut sources = SourceMap::clone(self.sources);
        let file = sources.add(AUTO, &text);
        let (sources, parse) = (Arc::new(sources), atl_syntax::parse_file(file, &text));
        let schedule = parse.tree.items.iter().find_map(|item| match item {
            ast::Item::Schedule(schedule) => Some(schedule),
            _ => None,
        });
        match schedule {
            Some(schedule) if !parse.diagnostics.iter().any(atl_diag::Diagnostic::is_error) => {
                Scheduled::derive_by(&self.prover, &sources, self.function, Some(schedule), self.library)
            }
            _ => Err(Failure { sources, diagnostics: parse.diagnostics }),
        }
    }
}

impl Judge for Scripts<'_> {
    fn derive(&mut self, steps: &[String]) -> Result<Expr, Refused> {
        atl_interrupt::checkpoint();
        Ok(self.replay(steps).map_err(|failure| reason(&failure))?.body().clone())
    }

    fn lower(&mut self, steps: &[String]) -> Result<Judged, Refused> {
        atl_interrupt::checkpoint();
        let scheduled = self.replay(steps).map_err(|failure| reason(&failure))?;
        scheduled.require_rounding(self.class).map_err(|failure| reason(&failure))?;
        let lowered = scheduled.lower().map_err(|failure| reason(&failure))?;
        let text = |span| scheduled.sources.slice(span).trim().trim_end_matches(';').trim_end().to_owned();
        let idle = idle::idle(&lowered).into_iter().map(text).collect();
        self.accepted.insert(steps.to_vec(), scheduled);
        Ok(Judged { rounding: lowered.rounding, kernel: lowered.ready.kernel, idle })
    }
}

/// A refusal in few words.
fn reason(failure: &Failure) -> Refused {
    let code = failure.codes().first().cloned().unwrap_or_default();
    let first = failure.diagnostics.first();
    let why = first.map_or_else(|| "it does not parse".to_owned(), |d| format!("{} ({code})", d.message));
    Refused { code, why }
}
