//! Proof files made by hand: false claims that look proved, and files that would exhaust a careless reader.
//!
//! A [`Trap`] is a pair of files that differ in the one thing that makes the second claim unsound. The first must be
//! accepted, so that it is this thing, and not a slip elsewhere, for which the second is refused. There is a pair for each
//! comparison, side condition, scope and law that a checker must look at; a checker that has forgotten one accepts a file.
//! They are texts, and this folder uses the standard library alone, so that any checker's tests can include it.

mod arithmetic;
mod binders;
mod certificates;
mod comparisons;
mod facts;
mod folding;
mod forms;
mod inductions;
mod inferences;
mod integers;
mod monoids;
mod named;
mod operations;
mod places;
mod reads;
mod rules;
mod sizes;
mod sums;
mod types;

pub use sizes::{large, oversized};
use std::fmt::Write;

/// A false claim next to a true one.
#[derive(Clone, Debug)]
pub struct Trap {
    /// What would be believed wrongly.
    pub name: &'static str,
    /// A proof.
    pub sound: String,
    /// What must be refused.
    pub unsound: String,
}

/// Every trap.
pub fn traps() -> Vec<Trap> {
    [
        certificates::certificates(),
        arithmetic::arithmetic(),
        facts::facts(),
        folding::folding(),
        types::elements(),
        types::types(),
        types::operands(),
        types::scopes(),
        types::definitions(),
        binders::binders(),
        comparisons::comparisons(),
        rules::rules(),
        sums::sums(),
        operations::operations(),
        named::named(),
        inferences::inferences(),
        inductions::inductions(),
        places::places(),
        places::lacking(),
        places::chains(),
        forms::forms(),
        reads::reads(),
        reads::replaced(),
        reads::instances(),
        integers::ranges(),
        integers::reflected(),
        monoids::uses(),
        monoids::sides(),
        monoids::formulas(),
        monoids::classes(),
    ]
    .concat()
}

/// The traps that a checker misjudges, each in words. A file refused because two of its lines are `the_same` shows nothing:
/// it is a slip of the trap.
pub fn misjudged(accepted: impl Fn(&str) -> Result<(), String>, the_same: &str) -> Vec<String> {
    let wrong = traps().into_iter().filter_map(|Trap { name, sound, unsound }| {
        match (accepted(&sound), accepted(&unsound)) {
            (Ok(()), Err(why)) if !why.contains(the_same) => None,
            (Ok(()), verdict) => Some(format!("{name}: {verdict:?} of\n{unsound}")),
            (Err(why), _) => Some(format!("the twin of {name} is refused, {why}:\n{sound}")),
        }
    });
    wrong.collect()
}

fn trap(name: &'static str, sound: String, unsound: String) -> Trap {
    Trap { name, sound, unsound }
}

const NO_LAWS: &str = "laws none\nrounding bitwise";

/// A file with these tables, this context and this claim.
fn file(trust: &str, tables: &str, context: &str, claim: &str) -> String {
    let mut text = String::from("atlp 1\nfunction \"trap\"\ngiven\nsource\nschedule\nresult\n");
    let _ = write!(text, "{trust}\nproof\n");
    for part in [tables, context, claim] {
        text.extend(part.lines().map(|line| line.trim().to_owned() + "\n").filter(|line| line != "\n"));
    }
    let lines = text.lines().count();
    let _ = writeln!(text, "end {lines}");
    text
}

/// Where `N` and `M` are integers and `x` and `y` are vectors of `N` elements, and `z` is a number. A loop that is entered
/// here gets level 5.
const CONTEXT: &str =
    "x0 index l0\nx1 index l0\nx2 tensor l0 f32 a0 i0\nx3 tensor l0 f32 a0 i0\nx4 tensor l0 f32 a0";

/// The tables that a file about [`CONTEXT`] begins with; lines that are not used do no harm.
const TABLES: &str = "l0 \"v\" serial auto\na0 plus_times\na1 min_plus\na2 max_plus
     i0 free 0\ni1 free 1\ni2 lit 0\ni3 lit 1\ni4 lit 2\ni5 bound 0\ni6 bound 1\ni7 free 5
     p0 lt i0 i1\np1 le i1 i0\np2 eq i0 i1\np3 true\np4 false
     t0 lit f32 a0 zero\nt1 lit f32 a0 one\nt2 free 2\nt3 free 3\nt4 free 4
     t5 index f32 a0 i0\nt6 index f32 a0 i1\nt7 index f32 a0 i5
     t8 get t2 i5\nt9 gen l0 i0 t1";

/// Certificates: the first fact is absurd; so it is on both sides of the first disjunction; the first two contradict one another.
const CERTIFICATES: &str = "c0 absurd 0\nc1 split 0 c0 c0\nc2 combine 2 1*0 1*1 absurd 2";

/// A claim of two terms, proved by the last inference of these lines, which follow [`TABLES`] and [`CERTIFICATES`].
fn claimed(trust: &str, lines: &str, left: &str, right: &str) -> String {
    stated(trust, &format!("{TABLES}\n{CERTIFICATES}\n{lines}"), left, right)
}

/// A claim of two terms in [`CONTEXT`], proved by the last inference of these tables.
fn stated(trust: &str, tables: &str, left: &str, right: &str) -> String {
    let inferences = tables.lines().filter(|line| line.trim().starts_with('s')).count();
    file(trust, tables, CONTEXT, &format!("claim {left} {right} s{}", inferences.saturating_sub(1)))
}

/// The number of the next line of this letter, after [`TABLES`] and these lines.
fn next(letter: char, lines: &str) -> usize {
    TABLES.lines().chain(lines.lines()).filter(|line| line.trim().starts_with(letter)).count()
}
