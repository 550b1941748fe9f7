//! Numbers about as large as they may be: every operation answers or refuses, and a number is never wrapped.
//!
//! Extents and strides are taken around the squares, halves and ends of the range, where a product or a sum first leaves it.

use super::random::Random;
use crate::{Kind, evaluate, functions};

/// The bound on sizes, strides and values.
const END: i64 = 1 << 62;

/// A number of any magnitude, most of them next to a power of two or to a root of one.
fn number(random: &mut Random, least: i64) -> i64 {
    let power = 1_i64 << random.below(62);
    let near = match random.below(6) {
        0 => random.below(7) as i64,
        1 => 3_037_000_500 - random.below(2) as i64,
        2 => power.isqrt() + random.below(2) as i64,
        3 => END - 1 - random.below(3) as i64,
        _ => power + random.below(3) as i64 - 1,
    };
    let signed = if least < 0 && random.below(4) == 0 { -near } else { near };
    signed.clamp(least.max(1 - END), END - 1)
}

fn tuple(random: &mut Random, rank: u64, least: i64) -> String {
    let numbers: Vec<String> = (0..rank).map(|_| number(random, least).to_string()).collect();
    format!("({})", numbers.join(","))
}

/// An argument of any kind; layouts more often than others.
fn argument(random: &mut Random) -> String {
    let rank = 1 + random.below(3);
    let layout = |random: &mut Random| {
        // Small extents with large strides and large extents with small ones, so that many are layouts.
        let small = |random: &mut Random| format!("{}", 1 + random.below(5));
        let modes: Vec<(String, String)> = (0..rank)
            .map(|_| match random.below(3) {
                0 => (small(random), number(random, -1).to_string()),
                1 => (number(random, 1).to_string(), small(random)),
                _ => (small(random), small(random)),
            })
            .collect();
        let (shape, stride): (Vec<String>, Vec<String>) = modes.into_iter().unzip();
        format!("({}):({})", shape.join(","), stride.join(","))
    };
    match random.below(12) {
        0 => number(random, -1).to_string(),
        1 => tuple(random, rank, 1),
        2 => tuple(random, rank, -1),
        3 => format!("<{}>", tuple(random, rank, 1).trim_matches(['(', ')'])),
        4 => format!("identity({})", tuple(random, rank, 1)),
        5 => format!(
            "Sw<{0},{1},{2}> o {3} o {4}",
            random.below(4),
            random.below(59),
            random.below(5),
            number(random, -1),
            layout(random)
        ),
        6 => format!("({}:{}@0)", number(random, 1), number(random, -1)),
        7 => format!("[0,{},{}]", number(random, -1), number(random, -1)),
        _ => layout(random),
    }
}

/// How much of this is done: `ATL_LAYOUT=10` takes ten times as many expressions.
fn times() -> u64 {
    std::env::var("ATL_LAYOUT").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

#[test]
fn large_numbers_are_computed_with_or_refused() {
    let (mut answered, mut too_large) = (0_u64, 0_u64);
    for seed in 0..10_000 * times() {
        let mut random = Random(seed);
        let function = functions::TABLE[random.below(functions::TABLE.len() as u64) as usize];
        let most = function.parameters.names.split(", ").count() as u64;
        let given = most - random.below(function.parameters.optional as u64 + 1);
        let arguments: Vec<String> = (0..given).map(|_| argument(&mut random)).collect();
        let text = format!("{}({})", function.name, arguments.join(", "));
        let found = std::panic::catch_unwind(|| evaluate(&text).map(|found| found.value.to_string()));
        match found {
            Err(_) => panic!("{text}"),
            Ok(Ok(_)) => answered += 1,
            Ok(Err(why)) => too_large += u64::from(why.kind == Kind::TooLarge),
        }
    }
    assert!(answered > 1_500 * times() && too_large > 500 * times(), "{answered} {too_large}");
}

#[test]
fn large_numbers_beside_names_are_computed_with_or_refused() {
    let term = |random: &mut Random| {
        let (a, b) = (number(random, -1), number(random, 1));
        let forms = [
            "N".to_owned(),
            format!("{b}"),
            format!("{b}*N"),
            format!("N/{b}"),
            format!("N*N+{a}"),
            format!("{b}%N"),
            format!("ceil_div(N,{b})*{b}"),
        ];
        forms[random.below(forms.len() as u64) as usize].clone()
    };
    let layout = |random: &mut Random| {
        format!("({},{}):({},{})", term(random), term(random), term(random), term(random))
    };
    let mut answered = 0;
    for seed in 0..2_000 {
        let mut random = Random(seed);
        let (a, b) = (layout(&mut random), layout(&mut random));
        let text = match random.below(7) {
            0 => format!("size({a})"),
            1 => format!("cosize({a})"),
            2 => format!("coalesce({a})"),
            3 => format!("complement({a}, {})", term(&mut random)),
            4 => format!("logical_divide({a}, {})", number(&mut random, 1)),
            5 => format!("{a} o {b} where N % {} == {}", number(&mut random, 1), number(&mut random, -1)),
            _ => format!("{a} o {b}"),
        };
        match std::panic::catch_unwind(|| evaluate(&text).map(|found| found.value.to_string())) {
            Err(_) => panic!("{text}"),
            Ok(found) => answered += u32::from(found.is_ok()),
        }
    }
    assert!(answered > 100, "{answered}");
}

#[test]
fn divisors_of_large_extents_are_found() {
    for (expression, wanted) in [
        ("tilings(3037000500:1, 2)", "[<2:1>,<1:1>]"),
        ("tilings(1099511627776:1, 4)", "[<4:1>,<2:1>,<1:1>]"),
        ("tilings((3037000500,3):(1,3037000500), 1)", "[<1:1;1:1>]"),
    ] {
        assert_eq!(
            evaluate(expression).map(|found| found.value.to_string()),
            Ok(wanted.to_owned()),
            "{expression}"
        );
    }
}
