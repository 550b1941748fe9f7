//! Random iterations taken apart: what induction proves of rounds holds wherever it is evaluated.
//!
//! Up to three states, some integers that indices read, with steps that read new states; numbers of rounds
//! from -1 on. `ATL_KERNEL=20` tries 20 times as much.

use crate::kernel_rules::holds_somewhere;
use atl_arith::Arith;
use atl_kernel::{Ctx, Expr, Ix, Label, Node, Pred, Result, Rounding, Thm, subst, type_of};
use atl_rules::Cx;
use atl_rules::rounds::{split, tile, written_out};
use atl_rules::rules::gen_iterate::gen_iterate;
use atl_rules::rules::guard_iterate::guard_iterate;
use atl_rules::rules::scan_of_sums::scan_of_sums;
use atl_rules::rules::sum_as_iterate::sum_as_iterate;
use atl_testkit::choices::Choices;
use atl_testkit::kernel::terms::{Terms, context};
use atl_testkit::oracle::replay;
use atl_testkit::parallel::in_parallel;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often each was proved, and at how many points one was evaluated.
type Counts = BTreeMap<String, (u64, u64)>;

/// What is proved of an iteration, or of sums.
fn proved(cx: &mut Cx<'_>, e: &Expr, choices: &mut Choices) -> Vec<(String, Result<Thm>)> {
    let k = Ix::Lit(choices.below(4) as i64);
    let named = |name: &str, thm| (name.to_owned(), thm);
    let states_below = |e: &Expr| match &**e {
        Node::Gen(_, _, below) | Node::Guard(_, below) => match &**below {
            Node::Iterate(it) => Some(it.states.len()),
            _ => None,
        },
        _ => None,
    };
    if let Some(states) = states_below(e) {
        return vec![match &**e {
            Node::Gen(..) => (format!("batch of {states}"), gen_iterate(cx, e)),
            _ => (format!("guarded of {states}"), guard_iterate(cx, e)),
        }];
    }
    let Node::Iterate(it) = &**e else {
        return vec![
            named("sum_as_iterate", sum_as_iterate(cx, e)),
            named("scan_of_sums", scan_of_sums(cx, e, ["x", "y"])),
        ];
    };
    let states = it.states.len();
    vec![
        (format!("split of {states}"), split(cx, e, &k)),
        (format!("written out of {states}"), written_out(cx, e)),
        (format!("tile of {states}"), tile(cx, e, &(it.extent.clone() / Ix::Lit(2)), &Ix::Lit(2))),
        (format!("tile of {states}"), tile(cx, e, &it.extent.clone(), &Ix::ONE)),
    ]
}

/// An iteration, a sum, or a loop of sums that grow.
fn term(choices: &mut Choices) -> Expr {
    let elem = Terms::new(choices).elem();
    let shape = Terms::new(choices).shape();
    match choices.below(6) {
        // An index of the context is that of a loop around, or in a condition.
        5 => {
            let below = Arc::new(Terms::new(choices).iteration(elem, &shape, 1));
            let n = [Ix::free(0), Ix::Lit(3), Ix::max(Ix::free(1), Ix::ZERO)][choices.below(3)].clone();
            match choices.below(2) {
                0 => Arc::new(Node::Gen(Label::default(), n, subst::close(&below, 0))),
                _ => Arc::new(Node::Guard(Pred::lt(Ix::free(1), Ix::free(0)), below)),
            }
        }
        0 => {
            // Of terms that know no index but their own.
            let n = [Ix::free(0), Ix::Lit(3), Ix::max(Ix::free(1), Ix::ZERO)][choices.below(3)].clone();
            let terms = Terms::new(choices).expr(elem, &shape, 1);
            let extent = match choices.below(3) {
                0 => return Arc::new(Node::Sum(Label::default(), n, terms)),
                more => Ix::Var(atl_kernel::Var::Bound(0)) + Ix::Lit(more as i64 - 1),
            };
            Arc::new(Node::Gen(Label::default(), n, Arc::new(Node::Sum(Label::default(), extent, terms))))
        }
        depth => Arc::new(Terms::new(choices).iteration(elem, &shape, depth.min(2))),
    }
}

fn attempt(choices: &mut Choices, counts: &mut Counts) {
    let ctx: Arc<Ctx> = Arc::new(context(choices));
    let e = term(choices);
    let mut prover = Arith::with_work(40_000);
    if type_of(&ctx, &e, &mut prover).is_err() {
        return;
    }
    for (name, thm) in proved(&mut Cx::new(ctx.clone(), &mut prover), &e, choices) {
        let Ok(thm) = thm else { continue };
        replay(&thm).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(
            (thm.lhs(), thm.rounding(), thm.laws().is_empty()),
            (&e, Rounding::Bitwise, true),
            "{name}"
        );
        let count = counts.entry(name).or_default();
        count.0 += 1;
        count.1 += u64::from((0..6).any(|_| holds_somewhere(&thm, choices)));
    }
}

#[test]
fn rounds_that_are_taken_apart_have_the_same_value() {
    let times: u64 = std::env::var("ATL_KERNEL").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let all = in_parallel(0..16 * times, |seed| {
        let (mut choices, mut counts) = (Choices::new(seed), Counts::new());
        (0..400).for_each(|_| attempt(&mut choices, &mut counts));
        counts
    });
    let mut total = Counts::new();
    for (name, (made, evaluated)) in all.into_iter().flatten() {
        let count = total.entry(name).or_default();
        *count = (count.0 + made, count.1 + evaluated);
    }
    for (name, (made, evaluated)) in &total {
        println!("{name:20} {made:6} theorems, {evaluated:6} evaluated");
    }
    let kinds = ["split", "written out", "batch", "guarded"]
        .map(|what| (0..=3).map(move |k| format!("{what} of {k}")));
    let others = ["tile of 1", "sum_as_iterate", "scan_of_sums"].map(str::to_owned);
    for name in kinds.into_iter().flatten().chain(others) {
        assert!(total.get(&name).is_some_and(|(_, evaluated)| *evaluated > 5), "`{name}`: {total:?}");
    }
}
