//! Certificates for other goals than theirs, and ones that cite what is not there.

use atl_arith::{Verdict, decide};
use atl_kernel::cert::{CertError, Derive, check as check_cert};
use atl_kernel::{Cert, Ctx, Ix, Label, Pred};
use atl_testkit::choices::Choices;

/// A context of two sizes and an index below the first: levels 0, 2 and 4.
fn context() -> Ctx {
    let mut ctx = Ctx::new();
    let n = ctx.push_size(Label::new("n"));
    ctx.push_size(Label::new("m"));
    ctx.push_loop(Label::new("i"), &Ix::free(n));
    ctx
}

const N: u32 = 0;
const M: u32 = 2;
const I: u32 = 4;

fn term(choices: &mut Choices, depth: u32) -> Ix {
    if depth == 0 {
        let k = choices.below(7) as i64 - 3;
        return choices.of(&[Ix::free(N), Ix::free(M), Ix::free(I), Ix::free(I), Ix::Lit(k)]).clone();
    }
    let (a, b) = (term(choices, depth - 1), term(choices, depth - 1));
    match choices.below(7) {
        0 | 1 => a + b,
        2 => a - b,
        3 => a * b,
        4 => a / Ix::Lit(4),
        5 => Ix::min(a, b),
        _ => a % Ix::Lit(3),
    }
}

fn goal(choices: &mut Choices) -> Pred {
    let (a, b) = (term(choices, 2), term(choices, 1));
    match choices.below(4) {
        0 => Pred::lt(a, b),
        1 => Pred::eq(a, b),
        2 => Pred::or(Pred::le(a, b.clone()), Pred::lt(b, Ix::free(N))),
        _ => Pred::le(a, b),
    }
}

#[test]
fn no_certificate_proves_a_goal_that_is_false_somewhere() {
    let ctx = context();
    let mut choices = Choices::new(11);
    let (mut certs, mut wrong) = (Vec::new(), Vec::new());
    for _ in 0..400 {
        let goal = goal(&mut choices);
        match decide(&ctx, &goal) {
            Verdict::Proved(cert) => certs.push(cert),
            Verdict::Refuted(_) => wrong.push(goal),
            Verdict::Unknown => {}
        }
    }
    assert!(certs.len() > 40 && wrong.len() > 40, "{} and {}", certs.len(), wrong.len());
    for goal in &wrong {
        for cert in &certs {
            assert!(check_cert(&ctx, goal, cert).is_err(), "{goal:?} is false, and was shown by {cert:?}");
        }
    }
}

/// `0 < n` does not follow, whatever the certificate; this one is refused for this reason.
fn refused(cert: &Cert, why: CertError) {
    assert_eq!(check_cert(&context(), &Pred::lt(Ix::free(M), Ix::ONE), cert), Err(why), "{cert:?}");
}

fn step(derive: Derive) -> Cert {
    Cert::Step(derive, Box::new(Cert::Absurd(0)))
}

#[test]
fn what_a_certificate_cites_is_there() {
    refused(&Cert::Absurd(99), CertError::NoSuchFact(99));
    refused(&Cert::Absurd(0), CertError::NotAbsurd(0));
    refused(&step(Derive::Combine(vec![(1, vec![50])])), CertError::NoSuchFact(50));
    let absurd = || Box::new(Cert::Absurd(0));
    refused(&Cert::Split(0, absurd(), absurd()), CertError::NoSuchFact(0));
}

#[test]
fn multiples_are_nonnegative_and_divisors_positive() {
    refused(&step(Derive::Combine(vec![(-1, vec![0])])), CertError::NotPositive);
    refused(&step(Derive::Cut(0, 0)), CertError::NotPositive);
    refused(&step(Derive::Cut(0, -2)), CertError::NotPositive);
    refused(&step(Derive::Cut(0, 2)), CertError::NotMultiple);
    let zero = Derive::Euclid(Ix::free(N), Ix::ZERO, 0);
    refused(&step(zero), CertError::DivisorNotPositive);
    let unknown = Derive::Euclid(Ix::free(N), Ix::free(M), 1);
    refused(&step(unknown), CertError::DivisorNotPositive);
}

#[test]
fn numbers_that_leave_their_range_are_refused() {
    let huge = i128::MAX;
    refused(&step(Derive::Combine(vec![(huge, vec![0]), (huge, vec![0])])), CertError::Overflow);
    let doubled = (0..200).fold(Cert::Absurd(0), |rest, k| {
        let fact = if k == 199 { 0 } else { 5 + (198 - k) };
        Cert::Step(Derive::Combine(vec![(2, vec![fact])]), Box::new(rest))
    });
    refused(&doubled, CertError::Overflow);
}

#[test]
fn deep_certificates_are_refused() {
    let deep = || {
        (0..10_000).fold(Cert::Absurd(0), |rest, _| {
            Cert::Case(Pred::True, Box::new(rest), Box::new(Cert::Absurd(0)))
        })
    };
    // The check recurses up to its own limit, which is more than a test's thread has room for in a debug build.
    let check =
        std::thread::Builder::new().stack_size(64 << 20).spawn(move || refused(&deep(), CertError::TooDeep));
    check.expect("a thread").join().expect("it is refused");
}
