//! Certificates, right and changed, of goals that they were made for and others: what the kernel accepts holds at every point.
//!
//! `ATL_KERNEL=20` tries 20 times as much.

use atl_arith::Arith;
use atl_kernel::cert::check;
use atl_kernel::{Cert, Ix, Label, Pred, Prover, Var};
use atl_testkit::choices::Choices;
use atl_testkit::kernel::certificates::changed;
use atl_testkit::kernel::meaning::{Point, Reading};
use atl_testkit::kernel::terms::{Terms, context};
use atl_testkit::parallel::in_parallel;

/// A hypothesis for all integers.
fn general(choices: &mut Choices) -> Pred {
    let (k, n) = (Ix::Var(Var::Bound(0)), Terms::new(choices).ix(1));
    match choices.below(3) {
        0 => Pred::or(Pred::lt(k.clone(), Ix::ZERO), Pred::le(n, Ix::Read(Var::Free(7), [k].into()))),
        1 => Pred::le(Ix::Read(Var::Free(7), [k].into()), n),
        _ => Pred::or(Pred::lt(k.clone(), n.clone()), Pred::le(n, k)),
    }
}

/// Certificates tried in a random context, and how many of them were accepted and held.
fn attempt(choices: &mut Choices, known: &mut Vec<Cert>) -> (u64, u64) {
    let mut ctx = context(choices);
    if choices.one_in(3) {
        ctx.push_all(vec![Label::new("k")], general(choices));
    }
    let goal = Terms::new(choices).pred(1);
    let mut tried = Vec::new();
    if let Some(cert) = Arith::with_work(30_000).prove(&ctx, &goal) {
        tried.push((goal.clone(), cert.clone()));
        known.push(cert);
    }
    for _ in 0..10 {
        if known.is_empty() {
            break;
        }
        let cert = choices.of(known).clone();
        let other = if choices.one_in(2) { goal.clone() } else { Terms::new(choices).pred(0) };
        tried.push((other.clone(), changed(&cert, choices)));
        tried.push((other, cert));
    }
    let count = tried.len() as u64;
    tried.retain(|(goal, cert)| check(&ctx, goal, cert).is_ok());
    let accepted = tried.len() as u64;
    for _ in 0..if tried.is_empty() { 0 } else { 100 } {
        let Some(point) = Point::random(&ctx, Reading::Machine, &[0.0], choices) else { continue };
        for (goal, cert) in &tried {
            assert!(point.holds(goal), "{goal:?} by {cert:?}\nin {ctx:?}\nat {point:?}");
        }
    }
    (count, accepted)
}

#[test]
fn what_a_certificate_shows_holds_at_every_point() {
    let times: u64 = std::env::var("ATL_KERNEL").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let counts = in_parallel(0..16 * times, |seed| {
        let mut choices = Choices::new(seed);
        let mut known = Vec::new();
        (0..150).fold((0, 0), |(tried, accepted), _| {
            let (count, held) = attempt(&mut choices, &mut known);
            known.drain(..known.len().saturating_sub(40));
            (tried + count, accepted + held)
        })
    });
    let (tried, accepted) = counts.iter().fold((0, 0), |sum, n| (sum.0 + n.0, sum.1 + n.1));
    println!("{tried} certificates, {accepted} accepted");
    assert!(accepted > tried / 200, "only {accepted} of {tried} were accepted");
}
