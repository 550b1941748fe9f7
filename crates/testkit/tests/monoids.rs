//! Sums in monoids of integers, whose laws hold to the bit: in blocks, by partial sums of blocks and of
//! places, in lanes, and under `auto` they are what they are as written, on every back end.

use atl_driver::{Lowered, Program, Rounding};
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Arguments, agree, replay};
use atl_testkit::parallel::in_parallel;
use atl_testkit::suite::embedded;

/// A monoid, a term in it of the number `x` and the place `j`, and whether it commutes.
struct Case {
    monoid: &'static str,
    term: &'static str,
    commutes: bool,
}

const CASES: &[Case] = &[
    // The lesser with its place; of equal ones the earlier.
    Case {
        monoid: "on (v: i32, i: i32) { zero (2147483647, 2147483647); add select(b.v < a.v || (b.v == a.v && b.i < a.i), b, a); laws associative, commutative, idempotent; }",
        term: "(x, i32(j))",
        commutes: true,
    },
    // The first of the least.
    Case {
        monoid: "on (v: i32, i: i32) { zero (2147483647, -1); add select(b.v < a.v || (b.v == a.v && a.i == -1), b, a); laws associative; }",
        term: "(x, i32(j))",
        commutes: false,
    },
    // The greatest, the sum and how many.
    Case {
        monoid: "on (m: i32, s: i32, n: u32) { zero (-2147483648, 0, 0); add (max(a.m, b.m), a.s + b.s, a.n + b.n); laws associative, commutative; }",
        term: "(x, x, 1)",
        commutes: true,
    },
    // Affine maps, one after the other.
    Case {
        monoid: "on (f: u32, c: u32) { zero (1, 0); add (a.f * b.f, b.f * a.c + b.c); laws associative; }",
        term: "(u32(x), u32(j))",
        commutes: false,
    },
    // Matrices.
    Case {
        monoid: "on (p: i64, q: i64, r: i64, s: i64) { zero (1, 0, 0, 1); add (a.p * b.p + a.q * b.r, a.p * b.q + a.q * b.s, a.r * b.p + a.s * b.r, a.r * b.q + a.s * b.s); laws associative; }",
        term: "(i64(x), 1, i64(j), 2)",
        commutes: false,
    },
    // Dual numbers.
    Case {
        monoid: "on (v: i32, d: i32) { zero (1, 0); add (a.v * b.v, a.v * b.d + a.d * b.v); laws associative, commutative; }",
        term: "(x, i32(j))",
        commutes: true,
    },
    // Polynomials modulo `x^3 - 1`.
    Case {
        monoid: "on (p: i32, q: i32, r: i32) { zero (1, 0, 0); add (a.p * b.p + a.q * b.r + a.r * b.q, a.p * b.q + a.q * b.p + a.r * b.r, a.p * b.r + a.q * b.q + a.r * b.p); laws associative, commutative; }",
        term: "(x, i32(j), 1)",
        commutes: true,
    },
    // The least and the greatest, with their places.
    Case {
        monoid: "on (v: i32, i: i32, w: i32, k: i32) { zero (2147483647, 2147483647, -2147483648, 2147483647); add (let l = b.v < a.v || (b.v == a.v && b.i < a.i); let g = b.w > a.w || (b.w == a.w && b.k < a.k); (select(l, b.v, a.v), select(l, b.i, a.i), select(g, b.w, a.w), select(g, b.k, a.k))); laws associative, commutative; }",
        term: "(x, i32(j), x, i32(j))",
        commutes: true,
    },
    // How many, sums, the least and the greatest.
    Case {
        monoid: "on (n: u32, s: i32, t: i64, u: i32, m: i32, e: u64) { zero (0, 0, 0, 2147483647, -2147483648, 0); add (a.n + b.n, a.s + b.s, a.t + b.t, min(a.u, b.u), max(a.m, b.m), a.e + b.e); laws associative, commutative; }",
        term: "(1, x, i64(x) * i64(j), x, x, u64(j))",
        commutes: true,
    },
    // One field.
    Case {
        monoid: "on (v: u8) { zero 0; add a ^ b; laws associative, commutative; }",
        term: "u8(x)",
        commutes: true,
    },
];

/// Schedules, of `j`, and whether they need a law of commuting.
const SCHEDULES: &[(&str, bool)] = &[
    ("split j by 4", false),
    ("split j by 3; rfactor j.o as part", false),
    ("split j by 3; rfactor j.o as part; parallel j.o", false),
    ("split j by 4; rfactor j.i as part", true),
    ("split j by 8; rfactor j.i as part; vectorize j.i; batch j.i", true),
    ("split j by 8; rfactor j.i as part; vectorize j.i by 4; batch j.i", true),
    ("split j by 6; split j.i by 2", false),
    ("split j by 6; rfactor j.o as block; split j.i by 2; parallel j.o", false),
    (
        "split j by 12; rfactor j.o as block; split j.i by 4; rfactor j.i.i as part; vectorize j.i.i; parallel j.o",
        true,
    ),
    ("auto", false),
];

/// Of three fields and more, a case and a schedule each: the proofs are long.
const OF_SEVERAL_FIELDS: &[(usize, usize)] = &[(2, 4), (2, 9), (4, 2), (6, 8), (7, 2), (8, 1)];

const SIZES: &[[i64; 2]] = &[[0, 2], [1, 3], [2, 4], [2, 0], [1, 9], [2, 67]];

/// How many fields the elements of a monoid have.
fn fields(monoid: &str) -> usize {
    monoid.split('{').next().map_or(0, |fields| fields.matches(':').count())
}

fn lowered(text: &str, schedule: &str) -> Lowered {
    let program = Program::parse("monoids.atl", text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let lowered = program.scheduled("f", Some(schedule)).and_then(|scheduled| scheduled.lower());
    lowered.unwrap_or_else(|why| panic!("{schedule}: {why}\n{text}"))
}

#[test]
fn sums_in_monoids_are_grouped_by_their_laws_alone() {
    let cases: Vec<(usize, usize, bool)> = (0..CASES.len())
        .flat_map(|case| (0..SCHEDULES.len()).map(move |schedule| (case, schedule)))
        .map(|(case, schedule)| (case, schedule, (case + schedule) % 2 == 0))
        .collect();
    let calls: usize = in_parallel(0..cases.len() as u64, |k| {
        let (case, schedule, rows) = cases[k as usize];
        let (Case { monoid, term, commutes }, (steps, wants)) = (&CASES[case], SCHEDULES[schedule]);
        let is_left_out = fields(monoid) > 2 && !OF_SEVERAL_FIELDS.contains(&(case, schedule));
        if is_left_out || (wants && !commutes) {
            return 0;
        }
        let fields = monoid[..monoid.find('{').expect("a body")].trim_start_matches("on ").trim();
        let fields = fields.strip_prefix("(v: u8)").map_or(fields, |_| "u8");
        let read = |index: &str| term.replace('x', &format!("x[{index}]"));
        let body = match rows {
            true => format!("gen i < N {{ sum j < M in m {{ {} }} }}", read("i, j")),
            false => format!("sum j < M in m {{ {} }}", read("0, j")),
        };
        let (shape, known) = if rows { ("[N]", "") } else { ("", " where 0 < N") };
        let result = format!("{fields}{shape}");
        let text = format!(
            "monoid m {monoid}\nfn f(x: i32[N, M]) -> {result}{known} {{ {body} }}\nschedule s of f {{ {steps}; }}\n"
        );
        let chosen = lowered(&text, "s");
        assert_eq!(chosen.theorem.rounding(), Rounding::Bitwise, "{text}");
        replay(&chosen.theorem).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let mut choices = Choices::new(k);
        let mut count = 0;
        for [n, m] in SIZES.iter().filter(|[n, _]| rows || *n > 0) {
            let shape = [*n as usize, *m as usize];
            let elem = chosen.function.params[0].ty.elem;
            let x = match choices.one_in(3) {
                true => Array::extreme(elem, &shape, &mut choices),
                false => Array::random(elem, &shape, &mut choices),
            };
            let arguments = Arguments { sizes: Vec::new(), arrays: vec![("x".to_owned(), x)] };
            agree(&chosen, &embedded(), &arguments).unwrap_or_else(|why| panic!("{why:?} at {n}, {m}\n{text}"));
            count += 1;
        }
        count
    })
    .into_iter()
    .sum();
    assert!(calls > 180, "{calls}");
}
