//! False side conditions, each with a certificate that is nearly right.

use super::{NO_LAWS, Trap, file, trap};

/// `[p] * 1 = 1` by a certificate for `p`, where `N` and `M` are integers and the hypotheses are `p0`, if it is to be one. The tables
/// have the index terms `i0 N`, `i1 M`, and define `p1`, the goal, and certificates, the last of which is named.
fn guarded(tables: &str, hypothesis: bool, cert: &str) -> String {
    let tables = format!(
        "l0 \"N\" serial auto\na0 plus_times\ni0 free 0\ni1 free 1\n{tables}
         t0 lit f32 a0 one\nt1 guard p1 t0\ns0 rule guard_true t1 {cert}"
    );
    let context = if hypothesis { "x0 index l0\nx1 index l0\nx2 hyp p0" } else { "x0 index l0\nx1 index l0" };
    file(NO_LAWS, &tables, context, "claim t1 t0 s0")
}

/// False side conditions, each with a certificate that is nearly right.
pub(super) fn certificates() -> Vec<Trap> {
    // From 0 < 2N follows 1 <= N, and not 2 <= N.
    let cut = |bound: &str, divisor: &str| {
        let tables = format!(
            "i2 lit 0\ni3 lit 2\ni4 mul i0 i3\ni5 lit 1\np0 lt i2 i4\np1 le {bound} i0
             c0 cut 0 {divisor} combine 2 1*1 1*2 absurd 3"
        );
        guarded(&tables, true, "c0")
    };
    let goal = |p: &str, certs: &str, cert: &str, hypothesis: bool| {
        guarded(
            &format!("i2 lit 0\ni3 lit 1\ni4 lit 2\ni5 lit -1\n{p}\nc0 absurd 0\n{certs}"),
            hypothesis,
            cert,
        )
    };
    let constant = |p: &str| goal(&format!("p0 true\n{p}"), "c1 split 0 c0 c0", "c1", false);
    let modulus = |least: &str| {
        let tables = format!(
            "i2 lit 1\ni3 lit 0\ni4 mod i0 i1\np0 le {least} i1\np1 lt i4 i1
             c0 euclid i0 i1 0 combine 2 1*1 1*3 absurd 4"
        );
        guarded(&tables, true, "c0")
    };
    vec![
        trap("a cut that does not round down", cut("i5", "2"), cut("i3", "2")),
        trap("a cut by a negative number", cut("i5", "2"), cut("i5", "-2")),
        trap("a cut by zero", cut("i5", "2"), cut("i5", "0")),
        trap(
            "a negative multiple of a fact",
            goal("p0 le i3 i0\np1 le i2 i0", "c1 combine 2 1*0 1*1 absurd 2", "c1", true),
            goal("p0 le i3 i0\np1 le i0 i2", "c1 combine 2 -1*0 -1*1 absurd 2", "c1", true),
        ),
        trap(
            "a negative constant as a combination",
            goal("p0 le i3 i0\np1 le i2 i0", "c1 combine 2 1*0 1*1 absurd 2", "c1", true),
            goal("p0 le i3 i0\np1 le i0 i2", "c1 combine 1 -1 absurd 2", "c1", true),
        ),
        trap(
            "zero as a negative number",
            goal("p0 le i3 i0\np1 le i2 i0", "c1 combine 2 1*0 1*1 absurd 2", "c1", true),
            goal("p0 le i2 i2\np1 le i0 i2", "c1 absurd 1", "c0", true),
        ),
        trap("a remainder by what may be zero", modulus("i2"), modulus("i3")),
        trap(
            "division that truncates",
            constant("i6 div i5 i4\np1 eq i6 i5"),
            constant("i6 div i5 i4\np1 eq i6 i2"),
        ),
        trap(
            "division that floors what is exact",
            constant("i6 div i4 i5\ni7 lit -2\np1 eq i6 i7"),
            constant("i6 div i4 i5\ni7 lit -3\np1 eq i6 i7"),
        ),
        trap(
            "division of a positive number that rounds down twice",
            constant("i6 lit 3\ni7 div i6 i4\np1 eq i7 i3"),
            constant("i6 lit 3\ni7 div i6 i4\np1 eq i7 i2"),
        ),
        trap(
            "division by a negative number that truncates",
            constant("i6 lit -2\ni7 div i3 i6\np1 eq i7 i5"),
            constant("i6 lit -2\ni7 div i3 i6\np1 eq i7 i2"),
        ),
        trap(
            "a remainder with the dividend's sign",
            constant("i6 mod i5 i4\np1 eq i6 i3"),
            constant("i6 mod i5 i4\np1 eq i6 i5"),
        ),
        trap(
            "a quotient by zero",
            constant("i6 div i4 i2\np1 eq i6 i2"),
            constant("i6 div i4 i2\np1 eq i6 i4"),
        ),
        trap(
            "a remainder by zero",
            constant("i6 mod i4 i2\np1 eq i6 i4"),
            constant("i6 mod i4 i2\np1 eq i6 i2"),
        ),
        trap(
            "the larger as the smaller",
            constant("i6 min i3 i4\np1 eq i6 i3"),
            constant("i6 min i3 i4\np1 eq i6 i4"),
        ),
        trap(
            "a case's assumption in the other case",
            goal(
                "p0 le i3 i0\np1 le i2 i0\np2 le i4 i0",
                "c1 combine 2 1*0 1*1 absurd 3\nc2 case p2 c1 c1",
                "c2",
                true,
            ),
            goal("p0 le i2 i0\np1 le i4 i0", "c1 combine 2 1*1 1*2 absurd 3\nc2 case p1 c1 c1", "c2", true),
        ),
        trap(
            "one side of a disjunction",
            constant("i6 min i3 i4\np1 eq i6 i3"),
            goal("p0 true\np1 eq i3 i4", "c1 split 0 c0 c0", "c1", false),
        ),
    ]
}
