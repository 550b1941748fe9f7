//! Names and tags of loops and `let`s are stable: after each step of a random schedule, a name means the place that the record of
//! the step's theorem says, wherever it says one; and where a loop has a name of before, or a part of it, it has the tag too.

use atl_driver::Program;
use atl_kernel::{Expr, Node, Thm};
use atl_schedule::forward::{forward, kept};
use atl_schedule::nest::{Place, binders};
use atl_testkit::choices::Choices;
use atl_testkit::programs::program;
use atl_testkit::schedules::random;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What became of the loops and `let`s of a program.
#[derive(Default)]
struct Seen {
    /// Those that no rule was applied to.
    kept: usize,
    /// Of these, those that stand somewhere else afterwards.
    moved: usize,
    /// Those inside of what was rewritten.
    gone: usize,
}

/// Each binder before a step, against the binders after it.
fn compare(step: &str, thm: &Thm, seen: &mut Seen) -> Result<(), String> {
    let after: BTreeMap<_, Place> = binders(thm.rhs()).into_iter().map(|p| (p.path.clone(), p)).collect();
    for place in binders(thm.lhs()) {
        let Some(path) = kept(thm.proof(), &place.path) else {
            seen.gone += 1;
            continue;
        };
        seen.kept += 1;
        seen.moved += usize::from(path != place.path);
        if forward(thm.proof(), &place.path).as_ref() != Some(&path) {
            return Err(format!("{:?} is kept at {path:?}, and its term is not", place.path));
        }
        let Some(now) = after.get(&path) else {
            return Err(format!("`{}` was kept, and is no binder any more", place.label.name));
        };
        let renamed = step.starts_with("rename ");
        if now.sort != place.sort || (now.label.name != place.label.name && !renamed) {
            return Err(format!("`{}` is called `{}` now", place.label.name, now.label.name));
        }
    }
    Ok(())
}

#[test]
fn names_change_only_as_theorems_say() {
    let mut seen = Seen::default();
    for seed in 0..120 {
        let mut choices = Choices::new(seed);
        let text = program(&mut choices, 3).text;
        let parsed = Program::parse("random.atl", &text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let made = random(&parsed.functions()[0], &mut choices, 6);
        for (step, thm) in made.steps.iter().zip(&made.theorems) {
            if let Err(why) = compare(step, thm, &mut seen) {
                panic!("seed {seed}\n{text}\n{}\nat `{step}`: {why}", made.text("f"));
            }
        }
    }
    assert!(
        seen.kept > 200 && seen.gone > 50,
        "{} kept, {} moved, {} gone",
        seen.kept,
        seen.moved,
        seen.gone
    );
}

/// A term whose binders have tags of their own.
fn tagged(e: &Expr, next: &mut u32) -> Expr {
    let mut node = (**e).clone();
    if let Node::Gen(label, ..) | Node::Sum(label, ..) | Node::Let(label, ..) = &mut node {
        *next += 1;
        label.tag = *next;
    }
    for at in node.children() {
        let part: Option<Expr> = node.child(at).map(|part: &Expr| tagged(part, next));
        node = part.map_or(node.clone(), |part| node.with_child(at, part));
    }
    Arc::new(node)
}

/// The binders by the name of the `let` they stand in and their own, without what splits add; each with its tags.
fn tags(e: &Expr) -> BTreeMap<(Option<String>, String), BTreeSet<u32>> {
    let mut found: BTreeMap<_, BTreeSet<u32>> = BTreeMap::new();
    for Place { label, within, .. } in binders(e) {
        let name = label.name.trim_end_matches(".o").trim_end_matches(".i").to_owned();
        found.entry((within.last().map(ToString::to_string), name)).or_default().insert(label.tag);
    }
    found
}

#[test]
fn tags_go_where_names_go() {
    let mut compared = 0;
    for seed in 0..120 {
        let mut choices = Choices::new(seed);
        let text = program(&mut choices, 3).text;
        let parsed = Program::parse("random.atl", &text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let mut function = parsed.functions()[0].clone();
        function.body = tagged(&function.body, &mut 0);
        let made = random(&function, &mut choices, 6);
        for (step, thm) in made.steps.iter().zip(&made.theorems) {
            // These give other names, or tags.
            if ["rename ", "vectorize ", "unroll "].iter().any(|other| step.starts_with(other)) {
                continue;
            }
            let before = tags(thm.lhs());
            for (name, now) in tags(thm.rhs()) {
                let Some(was) = before.get(&name) else { continue };
                compared += 1;
                assert!(
                    now.is_subset(was),
                    "seed {seed}\n{text}\n{}\nat `{step}`: {name:?} had the tags {was:?} and has {now:?}",
                    made.text("f")
                );
            }
        }
    }
    assert!(compared > 500, "{compared}");
}
