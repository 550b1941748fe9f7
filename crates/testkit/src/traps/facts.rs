//! Facts that are stronger than what they come from by one: an order, a remainder, a minimum; and cases not looked at.

use super::Trap;
use super::arithmetic::{Follows, follows};

/// Every fact that a certificate may use.
pub(super) fn facts() -> Vec<Trap> {
    [bounds(), extrema(), branches()].concat()
}

/// Facts of hypotheses and of quotients.
fn bounds() -> Vec<Trap> {
    let equal = "c0 combine 2 1*1 1*2 absurd 3";
    let both = "p5 le i2 i0\np6 le i2 i1\np7 le i2 i8\np8 le i2 i9\np9 and p7 p8\ni12 mul i10 i11";
    let product = "c0 combine 2 1*0*1 1*2 absurd 3";
    let remainder = "i12 mod i0 i1\ni13 sub i1 i3";
    let last = "c0 euclid i8 i9 0 combine 2 1*1 1*3 absurd 4";
    let first = "c0 euclid i8 i9 0 combine 2 1*1 1*2 absurd 4";
    let odd = "i12 mul i8 i4";
    vec![
        follows(
            "equal as more",
            ("", "eq i8 i9", "le i11 i10", equal),
            ("", "eq i8 i9", "lt i11 i10", equal),
        ),
        follows(
            "a product of two numbers as no less than one",
            (both, "and p8 p7", "le i2 i12", product),
            (both, "and p8 p7", "le i10 i12", product),
        ),
        follows(
            "a remainder less than the last",
            (remainder, "le i3 i9", "lt i12 i11", last),
            (remainder, "le i3 i9", "lt i12 i13", last),
        ),
        follows(
            "a remainder more than zero",
            (remainder, "le i3 i9", "le i2 i12", first),
            (remainder, "le i3 i9", "lt i2 i12", first),
        ),
        follows(
            "half of a fact the other way round",
            (odd, "lt i2 i12", "lt i2 i10", "c0 cut 0 2 combine 2 1*1 1*2 absurd 3"),
            (odd, "lt i2 i12", "le i10 i2", "c0 cut 0 -2 combine 2 1*1 1*2 absurd 3"),
        ),
    ]
}

/// Minima and maxima, which are one of two numbers and not beyond either.
fn extrema() -> Vec<Trap> {
    let beyond = |name, op: &str, [left, right]: [&str; 2], fact: u32| {
        let lines = format!("i12 {op} i8 i9");
        let cert = format!("c0 {op} i8 i9 combine 2 1*1 1*{fact} absurd 4");
        let order = |relation: &str| format!("{relation} {left} {right}");
        follows(name, (&lines, "le i2 i3", &order("le"), &cert), (&lines, "le i2 i3", &order("lt"), &cert))
    };
    // Both sides refuted; the one that takes the hypothesis, and the same without it.
    let (goal, known) = ("combine 2 1*1 1*4 absurd 5", "combine 3 1*0 1*1 1*4 absurd 5");
    let either = |name, op: &str, goals: &str, [right, wrong]: [&str; 2], [first, second]: [[&str; 2]; 2]| {
        let lines = format!("i12 {op} i8 i9");
        let cert = |k: usize| format!("c0 {}\nc1 {}\nc2 {op} i8 i9 split 0 c0 c1", first[k], second[k]);
        follows(name, (&lines, right, goals, &cert(0)), (&lines, wrong, goals, &cert(1)))
    };
    let first = [[known, "combine 2 1*2 1*4 absurd 5"], [goal; 2]];
    let second = [[goal; 2], [known, "combine 2 1*3 1*4 absurd 5"]];
    let ([least, most], [more, less]) = (["le i10 i12", "le i11 i12"], ["le i12 i10", "le i12 i11"]);
    let (above, below) = (["le i9 i8", "le i8 i9"], ["le i8 i9", "le i9 i8"]);
    vec![
        beyond("a minimum below the first number", "min", ["i12", "i10"], 2),
        beyond("a minimum below the second number", "min", ["i12", "i11"], 3),
        beyond("a maximum above the first number", "max", ["i10", "i12"], 2),
        beyond("a maximum above the second number", "max", ["i11", "i12"], 3),
        either("a minimum that is always the second number", "min", most, above, first),
        either("a minimum that is always the first number", "min", least, below, second),
        either("a maximum that is always the second number", "max", less, below, first),
        either("a maximum that is always the first number", "max", more, above, second),
    ]
}

/// Cases of which one is not refuted.
fn branches() -> Vec<Trap> {
    let cases = |goal, certs| -> Follows<'_> { ("p5 le i2 i0", "le i2 i8", goal, certs) };
    vec![follows(
        "a case that is not refuted where it holds",
        cases("le i2 i10", "c0 combine 2 1*0 1*1 absurd 3\nc1 case p5 c0 c0"),
        cases("le i10 i2", "c0 combine 2 1*0 1*2 absurd 3\nc1 case p5 c0 c0"),
    )]
}
