//! Marks for a device with blocks of threads: which loops they are, and what threads share.
//!
//! They are kept beside the term, as steps that leave it as it is, and go along with `rename`. They stand after the steps that split
//! loops; lowering refuses a mark that nothing has.

use crate::args::Args;
use crate::commands::prefetch::meant;
use crate::commands::store::shared;
use crate::followed::{Loops, lets, nest};
use crate::nest::{Place, subterm};
use crate::script::Applied;
use crate::session::{Refusal, Session, refused, wrong_arguments};
use atl_diag::err;
use atl_kernel::{Node, Thm};
use atl_layout::Swizzle;
use atl_syntax::ast::Step;
use std::collections::BTreeMap;

/// What the iterations of a loop are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// The blocks of a grid.
    Blocks,
    /// The threads of a block.
    Threads,
}

impl Level {
    /// The directive that says so.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Level::Blocks => "blocks",
            Level::Threads => "threads",
        }
    }
}

/// The axes, by their letters.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Loops that are blocks or threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapped {
    /// The loops.
    pub loops: Loops,
    /// What their iterations are.
    pub level: Level,
    /// Along which axis: 0 for `x`, 1 for `y`, 2 for `z`.
    pub axis: usize,
}

/// What a schedule asks of a device.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    /// The loops that are blocks or threads, in the order of the steps.
    pub loops: Vec<Mapped>,
    /// The `let`s that a block's threads share, and where their cells lie in that memory.
    pub shared: BTreeMap<String, Swizzle>,
}

/// Mark loops: the term stays as it is.
pub(crate) fn map(
    session: &mut Session<'_>,
    step: &Step,
    usage: &'static str,
    level: Level,
) -> Result<Thm, Refusal> {
    let args = Args::new(step, usage, &["as"])?;
    if let Some(clause) = step.clause("as")
        && axis(step).is_none()
    {
        return Err(wrong_arguments(clause.span, usage));
    }
    for l in args.loops()? {
        let adds =
            |place: &Place| subterm(&session.body, &place.path).is_some_and(|e| matches!(**e, Node::Sum(..)));
        if session.loops(&l)?.iter().any(adds) {
            return Err(Box::new(
                err!(E0380, l.name.span, "the iterations of a `sum` cannot be {}", level.command())
                    .label("a sum")
                    .note("they add into the same cells")
                    .help("mark a `gen` instead; `reorder` can bring one outside"),
            ));
        }
    }
    let body = session.body.clone();
    session.cx.refl(&body).map_err(|e| refused(step.span, &e))
}

/// The axis that a step names, `x` if it names none.
fn axis(step: &Step) -> Option<usize> {
    let Some(clause) = step.clause("as") else { return Some(0) };
    let [arg] = clause.args.as_slice() else { return None };
    let name = arg.as_name()?;
    AXES.iter().position(|axis| *axis == name.text)
}

/// Loops by the names that they have after later steps; what was split is no axis any more, and keeps a name that nothing has.
fn in_the_end(names: Loops, later: &[Applied]) -> Loops {
    let nest = nest(names.clone(), later);
    if let [one] = nest.as_slice() { one.clone() } else { names }
}

/// What these steps ask for.
pub(crate) fn marks(steps: &[Applied]) -> Marks {
    let mut marks = Marks::default();
    for (k, applied) in steps.iter().enumerate() {
        let later = &steps[k + 1..];
        let Applied { step, thm, command, .. } = applied;
        if let Some((name, swizzle)) = shared(applied) {
            let name = lets(name.clone(), later).into_iter().next().unwrap_or(name);
            marks.shared.remove(&name);
            marks.shared.extend(swizzle.map(|swizzle| (name, swizzle)));
        }
        for level in [Level::Blocks, Level::Threads] {
            if *command != level.command() {
                continue;
            }
            let Some(axis) = axis(step) else { continue };
            let loops: Loops = step
                .args
                .iter()
                .filter_map(|arg| Some(in_the_end(meant(thm.lhs(), arg)?, later)))
                .flatten()
                .collect();
            // A later mark takes an earlier one back.
            marks.loops.iter_mut().for_each(|mapped| mapped.loops.retain(|name| !loops.contains(name)));
            marks.loops.retain(|mapped| !mapped.loops.is_empty());
            marks.loops.extend(loops.into_iter().map(|name| Mapped {
                loops: Loops::from([name]),
                level,
                axis,
            }));
        }
    }
    marks
}
