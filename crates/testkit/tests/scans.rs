//! Scans whose rounds join a term to the states, by operations that are exact or in monoids of integers: in
//! blocks, side by side, and as written they are the same to the bit, on every back end.

use atl_driver::{Lowered, Program, Rounding};
use atl_testkit::array::Array;
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Arguments, agree, replay};
use atl_testkit::parallel::in_parallel;
use atl_testkit::suite::embedded;

/// A program with a scan `f` of `x`.
struct Case {
    monoid: &'static str,
    elem: &'static str,
    result: &'static str,
    scan: &'static str,
}

const CASES: &[Case] = &[
    Case { monoid: "", elem: "i64", result: "i64", scan: "from s = x?[0] { max(s, x[t]) } give s" },
    Case { monoid: "", elem: "u8", result: "u8", scan: "from s = u8(200) { min(x[t], s) } give s.old - s" },
    Case {
        monoid: "",
        elem: "i32",
        result: "i32",
        scan: "from lo = i32(7), hi = i32(-7) { min(lo, x[t]), max(hi, x[t]) } give hi - lo.old",
    },
    Case {
        monoid: "",
        elem: "u16",
        result: "u16",
        scan: "from a = u16(65535), b = u16(1), c = u16(3) { x[t] & a, b | x[t], c ^ x[t] } give a + b - c",
    },
    Case {
        monoid: "",
        elem: "i16",
        result: "bool",
        scan: "from every = true, one = false { every && x[t] > -999, x[t] == 3 || one } give every && !one",
    },
    Case {
        monoid: "",
        elem: "i32",
        result: "i32",
        scan: "from s = i32(1), p = i32(1), m = i32(0) { s + x[t], p * x[t], max(m, x[t]) } give s + p * m.old",
    },
    // The step reads a new state, and one state is what another was.
    Case {
        monoid: "",
        elem: "i32",
        result: "i32",
        scan: "from m = i32(-5), before = i32(0) { max(m, x[t]), m } give m - before",
    },
    // Floats, of which none is NaN.
    Case { monoid: "", elem: "f32", result: "f32", scan: "from s = f32(-inf) { max(s, abs(x[t])) } give s" },
    // The first of the least, with its place.
    Case {
        monoid: "monoid m on (v: i32, i: i32) { zero (2147483647, -1); add select(b.v < a.v || (b.v == a.v && a.i == -1), b, a); laws associative; }",
        elem: "i32",
        result: "i32",
        scan: "from v = i32(5), at = i32(-1) { let is_less = x[t] < v || (x[t] == v && at == -1); select(is_less, x[t], v), select(is_less, i32(t), at) } give v + at.old",
    },
    // Sums of segments.
    Case {
        monoid: "monoid m on (starts: bool, s: i32) { zero (false, 0); add (a.starts || b.starts, select(b.starts, b.s, a.s + b.s)); laws associative; }",
        elem: "i32",
        result: "i32",
        scan: "from starts = false, s = i32(4) { starts || x[t] > 5, select(x[t] > 5, x[t], s + x[t]) } give s",
    },
    // One field.
    Case {
        monoid: "monoid m on (v: u8) { zero 0; add min(a, 255 - b) + b; laws associative; }",
        elem: "u8",
        result: "u8",
        scan: "from s = u8(1) { min(s, 255 - x[t]) + x[t] } give s",
    },
];

const SCHEDULES: &[&str] = &[
    "split t by 4",
    "split t by 1; rfactor t.o as part",
    "split t by 3; rfactor t.o as part",
    "split t by 5; rfactor t.o as part; parallel t.o",
    "split t by 6; split t.i by 2",
];

fn lowered(text: &str) -> Lowered {
    let program = Program::parse("scans.atl", text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let lowered = program.scheduled("f", Some("s")).and_then(|scheduled| scheduled.lower());
    lowered.unwrap_or_else(|why| panic!("{why}\n{text}"))
}

#[test]
fn scans_of_exact_operations_are_the_same_in_blocks() {
    // Every other schedule of each case: the proofs are long.
    let chosen = (0..CASES.len() * SCHEDULES.len()).filter(|k| (k / SCHEDULES.len() + k).is_multiple_of(2));
    let chosen: Vec<usize> = chosen.collect();
    in_parallel(0..chosen.len() as u64, |k| {
        let k = chosen[k as usize];
        let (case, steps) = (&CASES[k / SCHEDULES.len()], SCHEDULES[k % SCHEDULES.len()]);
        let Case { monoid, elem, result, scan } = case;
        let text = format!(
            "{monoid}\nfn f(x: {elem}[N]) -> {result}[N] {{ scan t < N {scan} }}\nschedule s of f {{ rounding finite; {steps}; }}\n"
        );
        let chosen = lowered(&text);
        let is_exact = !elem.starts_with('f');
        let class = if is_exact { Rounding::Bitwise } else { Rounding::Finite };
        assert_eq!(chosen.theorem.rounding(), class, "{text}");
        assert!(!chosen.theorem.claims().is_empty(), "{text}");
        replay(&chosen.theorem).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let mut choices = Choices::new(k as u64);
        for n in [0, 1, 4, 13, 30] {
            let elem = chosen.function.params[0].ty.elem;
            let x = match choices.one_in(3) && is_exact {
                true => Array::extreme(elem, &[n], &mut choices),
                false => Array::random(elem, &[n], &mut choices),
            };
            let arguments = Arguments { sizes: Vec::new(), arrays: vec![("x".to_owned(), x)] };
            agree(&chosen, &embedded(), &arguments).unwrap_or_else(|why| panic!("{why:?} at {n}\n{text}"));
        }
    });
}
