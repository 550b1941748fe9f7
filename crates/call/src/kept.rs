//! Loops that an earlier run derived are taken from the cache.
//!
//! **The one idea.** What a schedule makes of a function follows from the texts of the program, the names
//! of both, and the executable that derives it; no setting and no clock goes into it. A schedule that is
//! chosen depends on the machine's registers and caches, too. These are the key, and the entry is the
//! loops. The run that kept them proved them; like the machine code beside them, they are trusted as far
//! as the cache is, which its owner alone can write. Whatever does not read back exactly is not kept, and
//! whatever is damaged or does not fit the function is derived again.
//!
//! Commands that run a function ask here. Those that show, check, explain, export or certify it derive it.

use crate::backends::{Backend, interp};
use atl_arith::Arith;
use atl_diag::{Diagnostic, SourceMap, warning};
use atl_kernel::Rounding;
use atl_lang::Function;
use atl_loops::{parse_kernel, validate};
use atl_runtime::cc::{default_cache, keep, kept};
use atl_session::auto::circumstances;
use atl_session::scheduled::under;
use atl_session::signature::{Signature, Storage};
use atl_session::{Failure, Lowered, Program, Ready};
use std::fmt::Write;
use std::sync::Arc;

/// The first line of every key: another form of entries has another one.
const FORM: &str = "derived loops, 4";

/// The loops of a function, to be run by a back end: those that an earlier run of this executable kept, or
/// else derived now and kept. Functions without a schedule, and the interpreter of terms, derive. What is
/// `dear` in loops that were chosen is kept with them.
///
/// # Errors
/// A step or a check that was refused.
pub fn ready(
    program: &Program,
    function: &str,
    schedule: Option<&str>,
    backend: &Backend,
    dear: &dyn Fn(&Lowered) -> Vec<Diagnostic>,
) -> Result<Ready, Failure> {
    let derived = || {
        let lowered = program.scheduled(function, schedule)?.lower()?;
        Ok(Ready { dear: dear(&lowered), ..Ready::from(lowered) })
    };
    let Some(name) = schedule.filter(|_| backend.name != interp::BACKEND.name) else { return derived() };
    if program.has_derived(function, schedule) {
        return derived();
    }
    let written = program.function(Some(function), schedule)?;
    let assuming = match program.automatic(written, schedule) {
        Some(_) => written.clone(),
        None => under(program.sources(), written, program.schedule(written, name)?, &mut Arith::default())?,
    };
    let chosen_for = if program.is_chosen(written, name) { circumstances() } else { String::new() };
    let entry = Entry { sources: program.sources(), function: &assuming, schedule: name, chosen_for };
    if let Some(found) = entry.find() {
        return Ok(found);
    }
    let ready = derived()?;
    entry.keep(&ready);
    Ok(ready)
}

/// What the loops are of.
struct Entry<'e> {
    sources: &'e Arc<SourceMap>,
    /// The function, with what its schedule assumes.
    function: &'e Function,
    schedule: &'e str,
    /// What a schedule that is chosen depends on beside the program.
    chosen_for: String,
}

impl Entry<'_> {
    /// The loops, if they are kept.
    fn find(&self) -> Option<Ready> {
        self.read(&kept(&default_cache(), &self.key())?)
    }

    /// Keeps loops, if their text says all of them. Without a usable cache the next run derives them again.
    fn keep(&self, ready: &Ready) {
        let text = text(ready);
        if self.says_all(&text, ready) {
            let _ = keep(&default_cache(), &self.key(), &text);
        }
    }

    /// Does the text read back as exactly these loops, with the same call?
    fn says_all(&self, text: &str, ready: &Ready) -> bool {
        let is_same = |read: Ready| {
            read.kernel == ready.kernel
                && read.rounding == ready.rounding
                && read.dear == ready.dear
                && format!("{:?}", read.signature) == format!("{:?}", ready.signature)
        };
        ready.device.is_none() && self.read(text).is_some_and(is_same)
    }

    /// The names of function and schedule, and every file of the program in order, with its name.
    fn key(&self) -> String {
        let (function, schedule, chosen_for) = (&self.function.name, self.schedule, &self.chosen_for);
        let mut key = format!("{FORM}\nfunction {function}\nschedule {schedule}\nfor {chosen_for}\n");
        for (name, text) in self.sources.files() {
            // Writing to a string cannot fail.
            let _ = writeln!(key, "file {} {}\n{name}\n{text}", name.len(), text.len());
        }
        key
    }

    fn read(&self, text: &str) -> Option<Ready> {
        let (rounding, rest) = text.strip_prefix("rounding ")?.split_once('\n')?;
        let (pattern, rest) = rest.strip_prefix("pattern of ")?.split_once('\n')?;
        let (dear, loops) = self.dear(rest)?;
        let rounding = [Rounding::Bitwise, Rounding::Finite, Rounding::Real]
            .into_iter()
            .find(|class| class.to_string() == rounding)?;
        let kernel = parse_kernel(loops).ok()?;
        let sizes = self.function.sizes.iter().map(|size| size.name.as_str());
        let inputs = self.function.params.iter().map(|param| param.name.as_str());
        let is_its = kernel.name.as_str() == self.function.name
            && kernel.sizes.iter().map(|name| name.as_str()).eq(sizes)
            && kernel.params.len() > self.function.params.len()
            && inputs.zip(&kernel.params).all(|(name, param)| param.name.as_str() == name)
            && validate::validate(&kernel).is_empty();
        let pattern = Some(pattern).filter(|pattern| !pattern.is_empty());
        is_its.then(|| Ready {
            sources: self.sources.clone(),
            function: self.function.clone(),
            signature: Arc::new(Signature::of_kernel(self.function, &kernel, pattern)),
            kernel,
            device: None,
            rounding,
            dear,
            term: None,
        })
    }

    /// What is dear in the loops, and the rest of the text.
    fn dear<'t>(&self, text: &'t str) -> Option<(Vec<Diagnostic>, &'t str)> {
        let mut lines = text.lines();
        let mut found: Vec<Diagnostic> = Vec::new();
        let mut length = 0;
        for line in lines.by_ref() {
            let said = [WHAT, WHY, INSTEAD].map(|word| line.strip_prefix(word));
            match (said, found.pop()) {
                ([Some(what), ..], last) => {
                    found.extend(last);
                    found.push(dear_here(self.function, what));
                }
                ([_, Some(why), _], Some(last)) => found.push(last.note(why)),
                ([.., Some(instead)], Some(last)) => found.push(last.help(instead)),
                (_, last) => {
                    found.extend(last);
                    break;
                }
            }
            length += line.len() + 1;
        }
        Some((found, text.get(length..)?))
    }
}

/// What a line of an entry begins with that says what is dear, why, and what to do instead.
const WHAT: &str = "dear ";
const WHY: &str = "note ";
const INSTEAD: &str = "instead ";

/// A warning about a function under the schedule that is chosen for it.
pub fn dear_here(function: &Function, what: &str) -> Diagnostic {
    warning!(E0419, function.span, "{what}").label("this function, under the schedule that is chosen for it")
}

fn text(ready: &Ready) -> String {
    let pattern = match &ready.signature.result.storage {
        Storage::Sparse { pattern_of: Some(operand), .. } => ready.signature.operands[*operand].name.as_str(),
        _ => "",
    };
    let dear = ready.dear.iter().flat_map(|one| {
        let why = one.notes.iter().map(|note| format!("{WHY}{note}\n"));
        let instead = one.help.iter().map(|help| format!("{INSTEAD}{}\n", help.text));
        [format!("{WHAT}{}\n", one.message)].into_iter().chain(why).chain(instead)
    });
    let dear: String = dear.collect();
    format!("rounding {}\npattern of {pattern}\n{dear}{}", ready.rounding, ready.kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_of_examples_read_back_and_fit_their_function_alone() {
        let mut count = 0;
        for name in ["graphs", "matmul", "relax", "sparse"] {
            let path = format!("{}/../../examples/{name}.atl", env!("CARGO_MANIFEST_DIR"));
            let program = Program::load(&[], path.as_ref());
            let program = program.unwrap_or_else(|e| panic!("{e}"));
            for schedule in program.schedules() {
                let (of, schedule) = (&schedule.of.text, &schedule.name.text);
                let lowered = program.scheduled(of, Some(schedule)).and_then(|s| s.lower());
                let mut ready = Ready::from(lowered.unwrap_or_else(|e| panic!("{e}")));
                let dear = dear_here(&ready.function, "a row is searched").note("because it is long");
                ready.dear =
                    vec![dear.help("sort it").help("or not"), dear_here(&ready.function, "so is another")];
                let chosen_for = String::new();
                let entry =
                    Entry { sources: program.sources(), function: &ready.function, schedule, chosen_for };
                let text = text(&ready);
                assert!(entry.says_all(&text, &ready), "{name} {schedule}");
                for other in [&text[1..], &text.replacen(of.as_str(), "other", 1), &format!("{text} .")] {
                    assert!(entry.read(other).is_none(), "{name} {schedule}");
                }
                count += 1;
            }
        }
        assert!(count > 40, "{count}");
    }
}
