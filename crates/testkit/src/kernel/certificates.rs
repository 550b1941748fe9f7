//! Changed certificates: the same shape, with a number, an index term or a branch replaced.

use super::terms::Terms;
use crate::choices::Choices;
use atl_kernel::Cert;
use atl_kernel::cert::Derive;

/// The certificate with a few changes; sometimes none.
pub fn changed(cert: &Cert, choices: &mut Choices) -> Cert {
    match cert {
        Cert::Absurd(k) if choices.one_in(4) => Cert::Absurd(choices.below(k + 2)),
        Cert::Absurd(k) => Cert::Absurd(*k),
        Cert::Step(step, rest) => {
            let step = if choices.one_in(3) { changed_step(step, choices) } else { step.clone() };
            Cert::Step(step, Box::new(changed(rest, choices)))
        }
        Cert::Split(k, a, b) => {
            let (a, b) = branches(a, b, choices);
            Cert::Split(*k, a, b)
        }
        Cert::Case(p, a, b) => {
            let (a, b) = branches(a, b, choices);
            Cert::Case(p.clone(), a, b)
        }
    }
}

/// Two branches, changed, and sometimes exchanged.
fn branches(a: &Cert, b: &Cert, choices: &mut Choices) -> (Box<Cert>, Box<Cert>) {
    let (a, b) = (Box::new(changed(a, choices)), Box::new(changed(b, choices)));
    if choices.one_in(4) { (b, a) } else { (a, b) }
}

fn changed_step(step: &Derive, choices: &mut Choices) -> Derive {
    match step {
        Derive::Combine(parts) => {
            let mut part = |(factor, facts): &(i128, Vec<usize>)| {
                let factor = if choices.one_in(3) { choices.below(4) as i128 } else { *factor };
                let fact = |k: &usize| if choices.one_in(3) { choices.below(k + 2) } else { *k };
                (factor, facts.iter().map(fact).collect())
            };
            Derive::Combine(parts.iter().map(&mut part).collect())
        }
        Derive::Cut(fact, divisor) => Derive::Cut(*fact, divisor + choices.below(3) as i128 - 1),
        Derive::Euclid(a, d, positive) => match choices.below(3) {
            0 => Derive::Euclid(Terms::new(choices).ix(1), d.clone(), *positive),
            1 => Derive::Euclid(a.clone(), Terms::new(choices).ix(1), *positive),
            _ => Derive::Euclid(a.clone(), d.clone(), choices.below(positive + 2)),
        },
        Derive::Min(a, b) => Derive::Max(a.clone(), b.clone()),
        Derive::Max(a, b) => Derive::Min(b.clone(), a.clone()),
        Derive::Instance(k, at) => {
            Derive::Instance(*k, at.iter().map(|_| Terms::new(choices).ix(1)).collect())
        }
        Derive::Type(level, at) => Derive::Type(*level ^ choices.below(2) as u32, at.clone()),
    }
}
