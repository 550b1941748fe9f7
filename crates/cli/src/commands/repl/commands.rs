//! The commands of the prompt.

use super::proved;
use crate::commands::refuse;
use crate::output::{Output, Result};
use atl_diag::{Severity, err};
use atl_driver::catalogue::{self, Kind};
use atl_driver::interactive::{Applicable, Interactive};
use atl_driver::show::Stage;
use std::path::Path;

/// What there is.
const HELP: &str = "\
STEPS               steps of a schedule, such as `split i by 8`, carried out as one
:show [STAGE]       the function as it stands: source, scheduled (if left out), normal, loops, c, order
:sites              the loops and `let`s, with the names that steps give them
:rules [NAME]       the rules that `rw` could apply, tried at every term; of one rule, its sites
:explain            the last step: its theorem, its side conditions and how they were proved
:script             the steps so far
:undo, :redo        take the last line off, or carry it out again
:load SCHEDULE      begin with the steps of a schedule of the program
:save NAME [FILE]   write the steps as a schedule, at the end of the program or into a new file
:quit               leave
";

/// The commands' names, as the help lists them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    HELP.split([' ', ',']).filter(|word| word.starts_with(':'))
}

/// Of a rule's sites, so many are printed.
const MOST_SITES: usize = 12;
/// Of the first site's term, so much is printed in the list of rules.
const MOST_LETTERS: usize = 60;

pub(super) fn run(session: &mut Interactive, line: &str, out: &mut Output) -> Result {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [":help"] => out.print(HELP),
        [":show"] => out.print(&session.show(Stage::Scheduled)?),
        [":show", name] => match Stage::parse(name) {
            Some(stage) => out.print(&session.show(stage)?),
            None => Err(unknown(line, &format!("the stages are {}", Stage::ALL.map(Stage::name).join(", ")))),
        },
        [":sites"] => {
            let sites = session.sites();
            let width = sites.iter().map(|site| site.name.chars().count()).max().unwrap_or(0);
            let line = |site: &atl_driver::interactive::Site| {
                format!("{:<width$}  {}{}\n", site.name, site.what, inside(&site.inside))
            };
            out.print(&sites.iter().map(line).collect::<String>())
        }
        [":rules"] => out.print(&session.rules().iter().map(summary).collect::<String>()),
        [":rules", name] => match session.rules().iter().find(|rule| rule.rule == *name) {
            Some(found) => out.print(&in_full(found)),
            None if catalogue::lookup(name).iter().any(|entry| entry.kind == Kind::Rule) => {
                out.print(&format!("`{name}` applies nowhere\n"))
            }
            None => Err(refuse(
                err!(E0308, "there is no rule `{name}`").help("`:rules` lists those that apply somewhere"),
            )),
        },
        [":explain"] => match session.last_step() {
            Some(step) => out.print(&step.to_text()),
            None => out.print("no step has been taken\n"),
        },
        [":script"] => out.print(&session.script("draft")),
        [":undo"] => match session.undo() {
            Some(line) => out.print(&format!("taken back: {line}\n")),
            None => out.print("there is nothing to take back\n"),
        },
        [":redo"] => match session.redo() {
            Some(line) => out.print(&format!("done again: {line}\n")),
            None => out.print("there is nothing to do again\n"),
        },
        [":load", schedule] => {
            let steps = session.load(schedule)?;
            out.print(&steps.iter().map(proved).collect::<String>())
        }
        [":save", name] => saved(session, name, None, out),
        [":save", name, file] => saved(session, name, Some(Path::new(file)), out),
        _ => Err(unknown(line, &usage(line))),
    }
}

/// How the command that a line begins with is written.
fn usage(line: &str) -> String {
    let name = line.split_whitespace().next().unwrap_or_default();
    let listed = HELP.lines().filter_map(|line| line.split("  ").next());
    match listed.flat_map(|line| line.split(", ")).find(|usage| usage.split(' ').next() == Some(name)) {
        Some(usage) if usage == name => format!("`{name}` takes no argument"),
        Some(usage) => format!("it is written `{usage}`"),
        None => "`:help` lists the commands".to_owned(),
    }
}

/// Writes the script out. Steps can all be right and the loops still be refused, which is said, and is for the user to mend.
fn saved(session: &mut Interactive, name: &str, file: Option<&Path>, out: &mut Output) -> Result {
    let path = session.save(name, file)?;
    out.print(&format!("schedule {name} is written to {}\n", path.display()))?;
    if let Err(mut refused) = session.scheduled().lower() {
        out.remark(&format!("warning: `atl check` refuses the schedule {name}"));
        refused.diagnostics.iter_mut().for_each(|d| d.severity = Severity::Warning);
        out.diagnostics(&refused.sources, &refused.diagnostics);
    }
    Ok(())
}

fn unknown(line: &str, help: &str) -> crate::output::Stop {
    refuse(err!(E0621, "the prompt has no command `{line}`").help(help))
}

fn inside(loops: &[String]) -> String {
    if loops.is_empty() { String::new() } else { format!("  inside {}", loops.join(" / ")) }
}

/// A rule, how many sites it has, and the first.
fn summary(rule: &Applicable) -> String {
    let first = rule.sites.first().map_or(String::new(), |(term, _)| shortened(term));
    let count = rule.sites.len();
    let sites = if count == 1 { "1 site".to_owned() } else { format!("{count} sites") };
    format!("{:<30} {sites:<9}  {first}\n", invocation(rule))
}

/// The beginning of a term.
fn shortened(term: &str) -> String {
    match term.char_indices().nth(MOST_LETTERS) {
        Some((cut, _)) => format!("{} …", term[..cut].trim_end()),
        None => term.to_owned(),
    }
}

/// A rule and its sites.
fn in_full(rule: &Applicable) -> String {
    let mut text = format!("{}\n", invocation(rule));
    for (term, loops) in rule.sites.iter().take(MOST_SITES) {
        text.push_str(&format!("    {term}{}\n", inside(loops)));
    }
    match rule.sites.len().checked_sub(MOST_SITES) {
        None | Some(0) => {}
        Some(more) => text.push_str(&format!("    and {more} more\n")),
    }
    text
}

/// How the rule is written in a step.
fn invocation(rule: &Applicable) -> String {
    let with: Vec<String> = rule.args.iter().map(|arg| format!("{arg} = 2")).collect();
    if with.is_empty() {
        format!("rw {}", rule.rule)
    } else {
        format!("rw {} with {}", rule.rule, with.join(", "))
    }
}
