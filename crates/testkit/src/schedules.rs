//! Random schedules: directives with the names that the program has at each step.
//!
//! Most random steps are refused, as they should be. What counts is that none panics, and that those which are
//! accepted leave an equal program.

use crate::choices::Choices;
use atl_arith::Arith;
use atl_diag::FileId;
use atl_kernel::{Child, Thm};
use atl_lang::Function;
use atl_schedule::nest::{Place, Sort, binders};
use atl_schedule::{Session, commands, run};
use atl_syntax::ast::Item;

/// A schedule that was carried out as it was made up.
#[derive(Debug, Default)]
pub struct Random {
    /// The steps that were accepted.
    pub steps: Vec<String>,
    /// How many were refused.
    pub refused: usize,
    /// What each accepted step proved.
    pub theorems: Vec<Thm>,
}

impl Random {
    /// The schedule as an item of a file.
    pub fn text(&self, function: &str) -> String {
        format!("schedule random of {function} {{\n    {}\n}}\n", self.steps.join("\n    "))
    }
}

/// Try so many random steps, one after the other.
pub fn random(function: &Function, choices: &mut Choices, attempts: usize) -> Random {
    let mut prover = Arith::default();
    let mut session = Session::new(&function.ctx, &function.body, &mut prover);
    let mut random = Random::default();
    for _ in 0..attempts {
        let step = step(function, &binders(&session.body), choices);
        match apply(&mut session, &step) {
            Some(thm) => {
                session.body = thm.rhs().clone();
                random.theorems.push(thm);
                random.steps.push(step);
            }
            None => random.refused += 1,
        }
    }
    random
}

/// Parse a step and run it.
fn apply(session: &mut Session<'_>, step: &str) -> Option<Thm> {
    let before = session.body.clone();
    let parse = atl_syntax::parse_file(FileId(0), &format!("schedule s of f {{ {step} }}"));
    assert!(parse.diagnostics.is_empty(), "`{step}`: {:?}", parse.diagnostics);
    let Some(Item::Schedule(schedule)) = parse.tree.items.first() else { return None };
    let proved = run(session, schedule.steps.first()?).ok();
    // A step that was refused half-way must not leave its half.
    session.body = before;
    proved
}

/// A step for a function whose program has these binders by now.
fn step(function: &Function, binders: &[Place], choices: &mut Choices) -> String {
    let named = |wanted: fn(Sort) -> bool| -> Vec<String> {
        let of_sort = binders.iter().filter(|p| wanted(p.sort));
        of_sort.map(|p| p.label.name.to_string()).chain(["nothing".to_owned()]).collect()
    };
    let (loops, lets) = (named(|s| s != Sort::Let), named(|s| s == Sort::Let));
    let pick = |choices: &mut Choices, names: &[String]| {
        // The last one is no name of the program; rarely taken.
        let count = if names.len() > 1 && !choices.one_in(20) { names.len() - 1 } else { names.len() };
        names[choices.below(count)].clone()
    };
    let (l, m, x) = (pick(choices, &loops), pick(choices, &loops), pick(choices, &lets));
    let k = choices.of(&["1", "2", "3", "4", "N", "0"]).to_string();
    match choices.below(31) {
        0..=2 => format!("split {l} by {k};"),
        3 | 4 => format!("tile {l}, {m} by 2, {k};"),
        5 | 6 => format!("reorder {l}, {m};"),
        7 => "peel;".to_owned(),
        8 => format!("peel {l};"),
        9 => format!("unroll {l};"),
        10 => format!("vectorize {l} by 4;"),
        11 => format!("parallel {l};"),
        12 | 19 | 20 => compute(binders, choices).unwrap_or_else(|| format!("compute {x} at {l};")),
        13 => format!("inline {x};"),
        14 => "simplify;".to_owned(),
        15 => format!("rename {l} to fresh;"),
        16 => {
            format!("unfold {};", choices.of(&["flatten", "split", "transpose", "trunc_r", "pad_l", "shear"]))
        }
        21 => format!("fuse {l}, {m};"),
        22 => format!("fission {l};"),
        23 => format!("hoist {x};"),
        24 => format!("store {x} at {l};"),
        25 => format!("slide {x} along {l} by {k};"),
        26 => format!("rfactor {l};"),
        27 => format!("peel {l} {};", choices.of(&["first", "last"])),
        28..=30 => buffer(function, &[l, x], choices),
        _ => rewrite(choices),
    }
}

/// `stage` or `pack` of a parameter or a `let`, or of what a loop computes.
fn buffer(function: &Function, [l, x]: &[String; 2], choices: &mut Choices) -> String {
    let params: Vec<&str> = function.params.iter().map(|p| p.name.as_str()).chain([x.as_str()]).collect();
    let source = params[choices.below(params.len())];
    let name = format!("buffer{}", choices.below(100));
    let place = if choices.one_in(4) { "root" } else { l };
    match choices.below(4) {
        0 => format!("stage {l} as {name};"),
        1 => format!("stage {source} at {place} as {name};"),
        _ => {
            let layouts =
                ["transpose", "split(2)", "pad_r(1)", "pad_l(2), split(3), transpose", "flatten", "shear"];
            format!("pack {source} at {place} as {name} by {};", choices.of(&layouts))
        }
    }
}

/// `compute` of a producer at a loop in its scope.
fn compute(binders: &[Place], choices: &mut Choices) -> Option<String> {
    let lets: Vec<&Place> = binders.iter().filter(|p| p.sort == Sort::Let).collect();
    let home = lets.get(choices.below(lets.len()))?;
    let scope = [home.path.as_slice(), &[Child::Body]].concat();
    let loops = binders.iter().filter(|p| p.sort != Sort::Let && p.path.starts_with(&scope));
    let loops: Vec<&Place> = loops.collect();
    let target = loops.get(choices.below(loops.len()))?;
    Some(format!("compute {} at {};", home.label.name, target.label.name))
}

/// `rw` with some rule of the catalogue.
fn rewrite(choices: &mut Choices) -> String {
    let names = atl_rules::names();
    let name = *choices.of(&names);
    let args: Vec<String> = atl_rules::by_name(name)
        .map(|rule| rule.args().iter().map(|k| format!("{k} = {}", choices.below(4))).collect())
        .unwrap_or_default();
    let with = if args.is_empty() { String::new() } else { format!(" with {}", args.join(", ")) };
    let place = choices.of(&["", " everywhere", " backwards"]);
    // Rules whose result they apply to again would not stop.
    let place = if matches!(name, "access_guard" | "gen_eta" | "add_comm" | "mul_comm") { "" } else { place };
    format!("rw {name}{with}{place};")
}

/// The names of the directives that these steps use, for a count of what random schedules exercise.
pub fn directives(steps: &[String]) -> Vec<&'static str> {
    let used = |name: &&str| {
        steps.iter().any(|s| s.split_whitespace().next().map(|w| w.trim_end_matches(';')) == Some(*name))
    };
    commands::TABLE.iter().map(|c| c.name).filter(used).collect()
}
