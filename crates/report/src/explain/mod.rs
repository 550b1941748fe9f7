//! The derivation of a schedule, as data: what each step proved, and what lowering relied on.
//!
//! [`explain`] runs the schedule and the lowering, and keeps their theorems in words.
//! [`Explanation::to_text`] is a form for the terminal, [`page`] one to look at, with loops, C and pictures
//! beside it; a program that wants another form reads the fields.
//!
//! The numbers of inferences and certificates are counted in the recorded proofs. They say how much the
//! kernel checked, not how hard it was to find.

mod certificate;
mod chosen;
mod conditions;
mod diff;
mod html;
mod linked;
mod parts;
mod place;
mod text;

pub use conditions::Condition;
pub use diff::{DiffLine, Marked, diff, marked, near_changes};
pub use html::{page, page_of};
pub use linked::{Linked, LinkedLine};

pub use atl_session::display::counted;

use atl_check::{Kind, Obligation};
use atl_kernel::{Proof, Rounding, Thm};
use atl_lang::print::print_function;
use atl_schedule::Applied;
use atl_session::Failure;
use atl_session::Program;
use atl_session::declared_semiring;
use atl_session::display::options;
use atl_session::{Lowered, Scheduled};
use atl_syntax::Notation;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// What there is to say of a function under a schedule.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The function.
    pub function: String,
    /// The schedule; none for a function as it is written.
    pub schedule: Option<String>,
    /// The function as it is written.
    pub source: String,
    /// How the steps were chosen, if they were: lines.
    pub chosen: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<ExplainedStep>,
    /// The function after the last step.
    pub scheduled: String,
    /// `source = scheduled`.
    pub theorem: Statement,
    /// `source = normal form`, of which the loops are the translation.
    pub lowering: Statement,
    /// What the code preserves in floating point: what the theorems do, or less if the schedule declares so.
    pub code: Rounding,
    /// What was shown of the normal form before any loop was made, by kind.
    pub obligations: Vec<Shown>,
    /// Why rows of windows need not be computed again.
    pub carried: Vec<String>,
}

/// A step of a schedule.
#[derive(Clone, Debug)]
pub struct ExplainedStep {
    /// The step as it is written.
    pub directive: String,
    /// The line on which it begins, counted from 1.
    pub line: usize,
    /// The equation that such a step applies.
    pub equation: String,
    /// What it says of a choice that it made, by what that is about: `order`, `cost`.
    pub notes: Vec<(&'static str, String)>,
    /// What it proved: `before = after`, about the whole function.
    pub theorem: Statement,
    /// Where it changed something: `inside y.o / x.o`; none if it changed nothing.
    pub places: Vec<String>,
    /// The side conditions of its inferences, and how they were proved.
    pub conditions: Vec<Condition>,
    /// The function before it.
    pub before: String,
    /// The function after it.
    pub after: String,
}

impl ExplainedStep {
    /// The explanation of a step of a schedule.
    pub fn of(scheduled: &Scheduled, step: &Applied) -> ExplainedStep {
        let print = |body| print_function(&scheduled.function, body, options(Notation::Ascii));
        let place = step.uses.first().unwrap_or(&step.span);
        // Of a body that is too large for one more theorem, the part says the same but where it stands.
        let thm = step.thm().unwrap_or_else(|_| step.part().clone());
        ExplainedStep {
            line: scheduled.sources.position(place.file, place.start).line,
            equation: step.equation.clone(),
            notes: step.notes.clone(),
            theorem: Statement::of(&thm),
            places: place::places(&thm),
            conditions: conditions::conditions(&thm),
            before: print(step.before()),
            after: print(step.after()),
            directive: step.text.trim().trim_end_matches(';').to_owned(),
        }
    }

    /// What the step changed, line by line, with the parts of lines that are new or gone.
    pub fn changes(&self) -> Vec<Marked> {
        marked(diff(&self.before, &self.after))
    }
}

/// What a theorem relies on, and how it was proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// The laws of the algebra that it uses.
    pub laws: Vec<String>,
    /// The program's monoids of whose laws it makes use, with those laws.
    pub claims: Vec<(String, Vec<String>)>,
    /// The semiring of the program whose laws these are: they were tested, not proved.
    pub tested: Option<&'static str>,
    /// What it preserves in floating point.
    pub rounding: Rounding,
    /// How many inferences of the kernel it takes.
    pub inferences: usize,
    /// How many side conditions were certified on the way.
    pub certificates: usize,
    /// The primitive rules that were used, and how often.
    pub rules: Vec<(&'static str, usize)>,
}

/// Conditions of one kind that were shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// What they say.
    pub kind: String,
    /// How many places needed one.
    pub places: usize,
    /// The different conditions, and how they were proved.
    pub conditions: Vec<Condition>,
}

/// Explains a function under a schedule, or as it is written.
///
/// # Errors
/// The schedule or the lowering is refused.
pub fn explain(
    program: &Program,
    function: Option<&str>,
    schedule: Option<&str>,
) -> Result<Explanation, Failure> {
    let name = program.function(function, schedule)?.name.clone();
    let scheduled = program.scheduled(&name, schedule)?;
    let lowered = scheduled.lower()?;
    Ok(Explanation::of(&scheduled, &lowered))
}

impl Explanation {
    /// The explanation of a schedule that was carried out, and lowered.
    pub fn of(scheduled: &Scheduled, lowered: &Lowered) -> Explanation {
        let f = &scheduled.function;
        let print = |body| print_function(f, body, options(Notation::Ascii));
        let steps = scheduled.derivation.iter().flat_map(|d| &d.steps);
        Explanation {
            function: f.name.clone(),
            schedule: scheduled.schedule.clone(),
            chosen: scheduled.chosen.as_deref().map_or_else(Vec::new, chosen::lines),
            source: print(&f.body),
            steps: steps.map(|step| ExplainedStep::of(scheduled, step)).collect(),
            scheduled: print(scheduled.body()),
            theorem: scheduled.theorem().map_or_else(Statement::trivial, Statement::of),
            lowering: Statement::of(&lowered.theorem),
            code: lowered.rounding,
            obligations: shown(&lowered.obligations),
            carried: carried(lowered),
        }
    }

    /// `blur as written ≡ blur under tiled`, the last line of a derivation.
    pub fn conclusion(&self) -> String {
        let f = &self.function;
        match &self.schedule {
            Some(schedule) => format!("{f} as written ≡ {f} under {schedule}"),
            None => format!("{f} as written ≡ {f} as written"),
        }
    }
}

impl Explanation {
    /// What the code may do besides, where the schedule allows more than its theorem needs.
    pub(crate) fn fused(&self) -> Option<&'static str> {
        (self.code == Rounding::Real && self.lowering.rounding < Rounding::Real).then_some(
            "rounding real, as the schedule declares: products and sums may be fused, each pair rounded once",
        )
    }
}

impl Statement {
    /// What this theorem relies on.
    pub fn of(thm: &Thm) -> Statement {
        let count = Count::of(thm.proof());
        Statement {
            laws: thm.laws().names(),
            claims: claims(thm),
            tested: declared_semiring::algebra(thm),
            rounding: thm.rounding(),
            inferences: count.inferences,
            certificates: count.certificates,
            rules: count.rules.into_iter().collect(),
        }
    }

    /// What `e = e` relies on.
    pub(crate) fn trivial() -> Statement {
        Statement {
            laws: Vec::new(),
            claims: Vec::new(),
            tested: None,
            rounding: Rounding::Bitwise,
            inferences: 0,
            certificates: 0,
            rules: Vec::new(),
        }
    }

    /// The laws as a list in words.
    pub fn laws_in_words(&self) -> String {
        let own = match (self.laws.as_slice(), self.tested) {
            ([], _) => None,
            (laws, None) => Some(laws.join(", ")),
            (laws, Some(own)) => Some(format!("{} (of `{own}`: tested, not proved)", laws.join(", "))),
        };
        let claimed = self.claims.iter().map(|(monoid, laws)| format!("{} of `{monoid}`", laws.join(", ")));
        let all: Vec<String> = own.into_iter().chain(claimed).collect();
        if all.is_empty() { "none".to_owned() } else { all.join("; ") }
    }
}

/// The monoids of a program of whose laws a theorem makes use.
fn claims(thm: &Thm) -> Vec<(String, Vec<String>)> {
    thm.claims().iter().map(|(monoid, laws)| (monoid.name().to_owned(), laws.names())).collect()
}

/// What a proof consists of.
#[derive(Default)]
struct Count {
    inferences: usize,
    certificates: usize,
    rules: BTreeMap<&'static str, usize>,
}

impl Count {
    /// Counts each recorded inference once, however often it is used.
    fn of(proof: &Arc<Proof>) -> Count {
        let mut count = Count::default();
        let mut seen = HashSet::new();
        let mut open = vec![proof];
        while let Some(proof) = open.pop() {
            if !seen.insert(Arc::as_ptr(proof)) {
                continue;
            }
            count.inferences += 1;
            match &**proof {
                Proof::Refl(_, _, certs) => count.certificates += certs.len(),
                Proof::Sym(p) => open.push(p),
                Proof::Trans(p, q) | Proof::Cases(_, p, q) => open.extend([p, q]),
                Proof::Rule(rule, _, certs) => {
                    count.certificates += certs.len();
                    *count.rules.entry(rule.name()).or_default() += 1;
                }
                Proof::Congruence(_, _, p, certs) => {
                    count.certificates += certs.len();
                    open.push(p);
                }
                Proof::Induction(_, _, premises, certs) => {
                    count.certificates += certs.len();
                    open.extend(premises.iter().flat_map(|(base, step)| [base, step]));
                }
            }
        }
        count
    }
}

/// The windows that are carried, in words; each once, for all copies of its loop.
fn carried(lowered: &Lowered) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for window in lowered.carried.iter().map(ToString::to_string) {
        if !found.contains(&window) {
            found.push(window);
        }
    }
    found
}

/// Obligations by kind, in the order in which the kinds first appear.
fn shown(obligations: &[Obligation]) -> Vec<Shown> {
    let mut groups: Vec<Shown> = Vec::new();
    for o in obligations {
        let kind = in_words(&o.kind);
        let place = match groups.iter().position(|g| g.kind == kind) {
            Some(place) => place,
            None => {
                groups.push(Shown { kind, places: 0, conditions: Vec::new() });
                groups.len() - 1
            }
        };
        let group = &mut groups[place];
        group.places += 1;
        Condition::of(&o.ctx, &o.goal, &o.cert).join(&mut group.conditions);
    }
    groups
}

/// What obligations of a kind say.
fn in_words(kind: &Kind) -> String {
    match kind {
        Kind::Access => "every read is in bounds".to_owned(),
        Kind::Requires(op) => format!("`{op}` is applied as it requires"),
        Kind::Extent => "extents are at least 0".to_owned(),
        Kind::Padding(op) => format!("`{op}` drops only padding"),
        Kind::ConcurrentSum(_) => "concurrent iterations add into different cells".to_owned(),
        Kind::Search => "the keys of searches increase".to_owned(),
        Kind::NestedParallel => "parallel loops do not nest".to_owned(),
        Kind::HeapInVector => "vector loops allocate nothing".to_owned(),
        Kind::LocalStorage(_) => "local memory has a constant size".to_owned(),
        Kind::TooLong(..) => "index terms are short".to_owned(),
        Kind::Typed(_) => "the term has a type".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "\
fn f(a: f32[M, K], x: f32[K]) -> f32[M] { gen i < M { sum k < K { a[i, k] * x[k] } } }
schedule tiled of f {
    split i by 4;
    rw split_sum with k = 8 everywhere;
}
schedule annotated of f {
    split i by 4;
    unroll i.i;
}
";

    fn explained(schedule: Option<&str>) -> Explanation {
        explain(&Program::parse("f.atl", PROGRAM).unwrap(), Some("f"), schedule).unwrap()
    }

    #[test]
    fn steps_say_what_they_proved() {
        let e = explained(Some("tiled"));
        assert_eq!(e.steps.len(), 2);
        assert_eq!((e.steps[0].directive.as_str(), e.steps[0].line), ("split i by 4", 3));
        assert_eq!(e.steps[0].before, e.source);
        assert_eq!(e.steps[0].after, e.steps[1].before);
        assert_eq!(e.steps[1].after, e.scheduled);
        assert_eq!(e.steps[0].theorem.rounding, Rounding::Bitwise);
        assert_eq!(e.steps[1].theorem.rounding, Rounding::Real);
        assert!(e.steps[1].equation.contains("sum o<ceil_div(n, k)"));
        assert!(e.steps[0].changes().iter().any(|marked| matches!(marked.line, DiffLine::Added(_))));
    }

    #[test]
    fn steps_say_where_they_acted_and_why_they_may() {
        let e = explained(Some("tiled"));
        assert_eq!(e.steps[0].places, ["at the top"]);
        assert_eq!(e.steps[1].places, ["inside i.o / i.i"]);
        assert_eq!(explained(Some("annotated")).steps[1].places, ["inside i.o"]);
        let bound = e.steps[0].conditions.iter().find(|c| c.goal.contains("i.o * 4 + i.i")).unwrap();
        assert!(
            bound.from.iter().any(|p| p == "0 <= i.o") && bound.by.contains("facts combined"),
            "{bound:?}"
        );
        let access = e.obligations.iter().find(|o| o.kind == "every read is in bounds").unwrap();
        assert!(access.conditions.iter().any(|c| c.goal == "0 <= i.o * 4 + i.i < M" && !c.from.is_empty()));
    }

    #[test]
    fn the_theorem_joins_its_steps() {
        let e = explained(Some("tiled"));
        assert_eq!(e.theorem.rounding, Rounding::Real);
        assert!(e.theorem.laws.contains(&"add_assoc".to_owned()));
        assert!(e.theorem.inferences > e.steps.iter().map(|s| s.theorem.inferences).max().unwrap());
        assert!(e.lowering.inferences > e.theorem.inferences);
        assert!(e.obligations.iter().any(|o| o.kind == "every read is in bounds" && o.places > 0));
    }

    #[test]
    fn a_function_as_written_has_no_steps() {
        let e = explained(None);
        assert!(e.steps.is_empty());
        assert_eq!((e.theorem, e.source), (Statement::trivial(), e.scheduled));
    }
}
