//! What is inferred inside a term, in chains and by cases: where the hypotheses are others, and where the parts do not fit.

use super::{NO_LAWS, Trap, claimed, next, trap};

/// A step inside a term: lines of which the last infers an equation for a child; the term, the place, what becomes of it.
type Inside<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Two steps inside terms, of which the second is wrong.
fn inside(name: &'static str, right: Inside, wrong: Inside) -> Trap {
    let step = |(lines, term, place, result): Inside| {
        let t = next('t', lines);
        let (l, r) = (format!("t{t}"), format!("t{}", t + 1));
        claimed(NO_LAWS, &format!("{lines}\n{l} {term}\n{r} {result}\ns1 cong {l} {place} s0"), &l, &r)
    };
    trap(name, step(right), step(wrong))
}

/// What holds at one place of a term and not at another.
pub(super) fn places() -> Vec<Trap> {
    // N as M, where N == M is the first hypothesis of the context.
    let equal = "c3 combine 2 1*1 1*2 absurd 3\nc4 combine 2 1*0 1*2 absurd 3\nc5 split 0 c3 c4\ns0 rule arith_eq t6 t5 c5";
    // The index 5 of a loop of N: a guard that its bounds make true, and one that they do not.
    let bounds = |goal: &str| {
        format!(
            "i8 add i7 i3\ni9 add i5 i3\np5 {goal}\nt10 guard p5 t1\nc3 combine 2 1*0 1*2 absurd 3
             c4 combine 2 1*1 1*2 absurd 3\np6 {}\nt11 guard p6 t1",
            goal.replace("i7", "i5").replace("i8", "i9")
        )
    };
    let least = |goal: &str| bounds(goal) + "\ns0 rule guard_true t10 c3";
    let most = |goal: &str| bounds(goal) + "\ns0 rule guard_true t10 c4";
    let known =
        |commuted: &str| format!("t10 prim add t4 t0\nt11 guard p3 t10\ns0 rule guard_true {commuted} c0");
    let bound = "t10 bound 0\nt11 guard p3 t10\nt12 free 5\nt13 guard p3 t12\ns0 rule guard_true t13 c0";
    let fails = "p5 not p0\nt10 guard p5 t1\ns0 rule guard_true t10 c2";
    let absurd = "s0 rule absurd t0 t1 c0";
    vec![
        inside(
            "what holds on the first side, on the second",
            (equal, "select p2 t5 t5", "then", "select p2 t6 t5"),
            (equal, "select p2 t5 t5", "else", "select p2 t5 t6"),
        ),
        inside(
            "what a guard says, in a view",
            (equal, "guard p2 t5", "body", "guard p2 t6"),
            (equal, "view a0 t5", "body", "view a0 t6"),
        ),
        inside(
            "what a guard says, in a term that is bound",
            (equal, "guard p2 t5", "body", "guard p2 t6"),
            (equal, "let l0 t5 t1", "bound", "let l0 t6 t1"),
        ),
        inside(
            "an index above its least",
            (&least("le i2 i7"), "sum l0 i0 t11", "body", "sum l0 i0 t1"),
            (&least("lt i2 i7"), "sum l0 i0 t11", "body", "sum l0 i0 t1"),
        ),
        inside(
            "an index below its last",
            (&most("lt i7 i0"), "sum l0 i0 t11", "body", "sum l0 i0 t1"),
            (&most("lt i8 i0"), "sum l0 i0 t11", "body", "sum l0 i0 t1"),
        ),
        inside(
            "a constant for what a `let` binds",
            (bound, "let l0 t5 t11", "body", "let l0 t5 t10"),
            (bound, "let l0 t5 t11", "body", "let l0 t5 t1"),
        ),
        inside(
            "what fails on the second side, on the first",
            (fails, "select p0 t1 t10", "else", "select p0 t1 t1"),
            (fails, "select p0 t10 t1", "then", "select p0 t1 t1"),
        ),
        inside(
            "what never holds, where it always fails",
            (absurd, "select p3 t1 t1", "else", "select p3 t1 t0"),
            (absurd, "select p4 t1 t1", "else", "select p4 t1 t0"),
        ),
        inside(
            "another number for each index",
            (&least("le i2 i7"), "gen l0 i1 t11", "body", "gen l0 i1 t1"),
            (&least("lt i2 i7"), "gen l0 i1 t11", "body", "gen l0 i1 t1"),
        ),
        inside(
            "one operand for the other",
            (&known("t11"), "prim add t11 t1", "arg:0", "prim add t10 t1"),
            (&known("t11"), "prim add t1 t4", "arg:0", "prim add t10 t4"),
        ),
    ]
}

/// Steps at places that a term does not have, and at those that it has.
pub(super) fn lacking() -> Vec<Trap> {
    // A step of a view: `t10` is one of a number, and `t11` of a vector.
    let of = |name, view: &str, term: &str, place: &str, wrong: &str| {
        let lines = format!(
            "t10 view a0 t1\nt11 view a0 t2\nt12 free 0\nd0 \"f\" 0 1 0 t12\ns0 rule view_same {view}"
        );
        let result = term.replace("t10", "t1").replace("t11", "t2");
        inside(name, (&lines, term, place, &result), (&lines, term, wrong, &result))
    };
    vec![
        of("what a sum binds", "t10", "sum l0 i0 t10", "body", "bound"),
        of("the first side of a loop", "t10", "gen l0 i1 t10", "body", "then"),
        of("what a guard binds", "t10", "guard p0 t10", "body", "bound"),
        of("the second side of a guard", "t10", "guard p0 t10", "body", "else"),
        of("the body of a selection", "t10", "select p0 t10 t1", "then", "body"),
        of("the body of a selection, last", "t10", "select p0 t1 t10", "else", "body"),
        of("the first side of a `let`", "t10", "let l0 t10 t0", "bound", "then"),
        of("the second side of a `let`", "t10", "let l0 t0 t10", "body", "else"),
        of("the first operand of a view", "t10", "view a1 t10", "body", "arg:0"),
        of("the body of an operation", "t10", "prim neg t10", "arg:0", "body"),
        of("the second operand of one", "t10", "prim neg t10", "arg:0", "arg:1"),
        of("the first operand of two as the second", "t10", "prim add t10 t4", "arg:0", "arg:1"),
        of("the second operand of two as the first", "t10", "prim add t4 t10", "arg:1", "arg:0"),
        of("the body of an operator", "t10", "op d0 0 1 t10", "arg:0", "body"),
        of("what an access binds", "t11", "get t11 i1", "body", "bound"),
        of("a place of no name", "t11", "get t11 i1", "body", "array"),
    ]
}

/// Chains and cases whose parts do not fit.
pub(super) fn chains() -> Vec<Trap> {
    let pair = |name, right: (&str, &str, &str, &str), wrong: (&str, &str, &str, &str)| {
        let claim =
            |(trust, lines, left, right): (&str, &str, &str, &str)| claimed(trust, lines, left, right);
        trap(name, claim(right), claim(wrong))
    };
    let law = "laws add_comm\nrounding finite";
    let commuted =
        "t10 prim add t4 t1\nt11 prim add t1 t4\ns0 refl t10 t10\ns1 rule add_comm t10\ns2 trans s0 s1";
    // Where N == M, the vectors of N and of M are one; outside, their extents have to be compared, whatever the chain.
    let chained = |extent: &str, certs: &str| {
        format!(
            "i8 add i0 i2\nt10 gen l0 {extent} t1\nt11 guard p2 t9\nt12 guard p2 t10
             c3 combine 2 1*1 1*2 absurd 3\nc4 combine 2 1*0 1*2 absurd 3\nc5 split 0 c3 c4
             s0 refl t9 t9\ns1 rule arith_eq t10 t9{certs}\ns2 trans s0 s1\ns3 cong t11 body s2"
        )
    };
    let changed = |extent: &str, certs: &str| {
        chained(extent, certs)
            .replace("s0 refl t9 t9\ns1 rule", "s0 rule")
            .replace("s2 trans", "s1 refl t10 t10\ns2 trans")
    };
    let before =
        "t10 prim add t4 t1\nt11 prim add t1 t4\ns0 rule add_comm t10\ns1 refl t11 t11\ns2 trans s0 s1";
    let other = |term: &str| {
        format!(
            "t10 guard p3 t1\nt11 guard p3 t4\nt12 prim add t10 t4\nt13 prim add t1 t4\nt14 prim add t11 t4
             s0 rule guard_true t10 c0\ns1 cong {term} arg:0 s0"
        )
    };
    // Not N < M is known in the second case, and not after it.
    let after = |term: &str, cert: &str| {
        format!(
            "p5 not p0\nt10 guard p5 t1\nt11 guard p3 t1\ns0 refl {term} {term}\ns1 cases p0 s0 s0
             s2 rule guard_true {term} {cert}\ns3 trans s1 s2"
        )
    };
    let vectors = "c3 combine 2 1*1 1*2 absurd 3\nc4 combine 2 1*0 1*2 absurd 3\nc5 split 0 c3 c4\nt10 gen l0 i1 t1\nt11 prim add t9 t10\n";
    let nested = "t10 guard p3 t1\nt11 sum l0 i1 t10\nt12 sum l0 i0 t11\nt13 sum l0 i1 t1\nt14 sum l0 i0 t13
                  c3 absurd 4\ns0 rule guard_true t10 c3\ns1 cong t11 body s0\ns2 cong t12 body s1\ns3 refl t14 t14\ns4 trans s2 s3";
    let back = "t10 select p3 t1 t0\ns0 rule select_true t10 c0\ns1 sym s0";
    // Where 0 < 0 the sides are equal without a law, and elsewhere by one.
    let cases = "t10 prim add t4 t1\nt11 prim add t1 t4\ns0 rule absurd t11 t10 c0\ns1 rule add_comm t10\ns2 cases p4 s0 s1";
    let ends = "t10 select p0 t4 t1\ns0 rule select_true t10 c2\ns1 rule select_false t10 c2";
    let starts = "t10 guard p0 t1\ns0 rule guard_true t10 c2\ns1 refl t1 t1\ns2 refl t10 t10";
    let both =
        "t10 select p0 t4 t4\ns0 rule select_true t10 c2\ns1 rule select_false t10 c2\ns2 cases p0 s0 s1";
    vec![
        pair(
            "a step in a loop as one around it",
            (NO_LAWS, nested, "t12", "t14"),
            (NO_LAWS, nested, "t12", "t13"),
        ),
        pair(
            "reflexivity of two numbers",
            (NO_LAWS, "s0 refl t1 t1", "t1", "t1"),
            (NO_LAWS, "s0 refl t1 t0", "t1", "t0"),
        ),
        pair(
            "a chain without the laws of its second part",
            (law, commuted, "t10", "t11"),
            (NO_LAWS, commuted, "t10", "t11"),
        ),
        pair(
            "a chain that changes an extent inside a guard",
            (NO_LAWS, &chained("i8", ""), "t11", "t12"),
            (NO_LAWS, &chained("i1", " c5 c5"), "t11", "t12"),
        ),
        pair(
            "a chain without the rounding of its second part",
            (law, commuted, "t10", "t11"),
            ("laws add_comm\nrounding bitwise", commuted, "t10", "t11"),
        ),
        pair(
            "a chain that changes an extent inside a guard, and then nothing",
            (NO_LAWS, &changed("i8", ""), "t11", "t12"),
            (NO_LAWS, &changed("i1", " c5 c5"), "t11", "t12"),
        ),
        pair(
            "a chain without the laws of its first part",
            (law, before, "t10", "t11"),
            (NO_LAWS, before, "t10", "t11"),
        ),
        pair(
            "a chain without the rounding of its first part",
            (law, before, "t10", "t11"),
            ("laws add_comm\nrounding bitwise", before, "t10", "t11"),
        ),
        pair(
            "an equation about another child",
            (NO_LAWS, &other("t12"), "t12", "t13"),
            (NO_LAWS, &other("t14"), "t12", "t13"),
        ),
        pair(
            "what fails in a case, after it",
            (NO_LAWS, &after("t11", "c0"), "t11", "t1"),
            (NO_LAWS, &after("t10", "c2"), "t10", "t1"),
        ),
        pair(
            "a certificate that is left over",
            (NO_LAWS, "t10 guard p3 t1\ns0 rule guard_true t10 c0", "t10", "t1"),
            (NO_LAWS, "t10 guard p3 t1\ns0 rule guard_true t10 c0 c0", "t10", "t1"),
        ),
        pair(
            "a step of one certificate by none",
            (NO_LAWS, "t10 guard p3 t1\ns0 rule guard_true t10 c0", "t10", "t1"),
            (NO_LAWS, "t10 guard p3 t1\ns0 rule guard_true t10", "t10", "t1"),
        ),
        pair(
            "vectors of two extents as one, outside a guard",
            (NO_LAWS, &format!("{vectors}t12 guard p2 t11\ns0 refl t12 t12 c5"), "t12", "t12"),
            (NO_LAWS, &format!("{vectors}s0 refl t11 t11 c5"), "t11", "t11"),
        ),
        pair(
            "an equation that is not turned round",
            (NO_LAWS, back, "t1", "t10"),
            (NO_LAWS, back, "t10", "t0"),
        ),
        pair(
            "cases without the laws of the second",
            (law, cases, "t10", "t11"),
            (NO_LAWS, cases, "t10", "t11"),
        ),
        pair(
            "cases without the rounding of the second",
            (law, cases, "t10", "t11"),
            ("laws add_comm\nrounding bitwise", cases, "t10", "t11"),
        ),
        pair(
            "cases that end apart",
            (NO_LAWS, both, "t10", "t4"),
            (NO_LAWS, &format!("{ends}\ns2 cases p0 s0 s1"), "t10", "t4"),
        ),
        pair(
            "cases that start apart",
            (NO_LAWS, both, "t10", "t4"),
            (NO_LAWS, &format!("{starts}\ns3 cases p0 s0 s1"), "t10", "t1"),
        ),
        pair(
            "cases that change places",
            (NO_LAWS, both, "t10", "t4"),
            (NO_LAWS, &both.replace("cases p0 s0 s1", "cases p0 s1 s0"), "t10", "t4"),
        ),
    ]
}
