//! Inductions: premises that hold elsewhere, of another iteration, or not at all.
//!
//! The one idea: two inductions may cite one premise, which then must hold in the context of each.

use super::{CERTIFICATES, NO_LAWS, TABLES, Trap, file, trap};

/// `y` in a step and in a body, rounds of a state `y` that stays 0 or 1, and `let y = 1 in y`.
const STATES: &str =
    "c3 absurd 1\np5 lt i0 i0\ni8 add i1 i3\nt10 bound 1\nt11 bound 0\nt12 iterate l0 i4 1 l0 t0 t10 t11
     t13 iterate l0 i4 1 l0 t1 t10 t11\nt14 let l0 t1 t11\nt15 prim add t11 t11\nt16 let l0 t1 t15";

const SIZE: &str = "x0 index l0";
const SIZE_AND_CONTRADICTION: &str = "x0 index l0\nx1 hyp p5";

/// A claim that follows by the last of these lines, in this context.
fn claimed(lines: &str, context: &str, claim: &str) -> String {
    file(NO_LAWS, &format!("{TABLES}\n{CERTIFICATES}\n{STATES}\n{lines}"), context, claim)
}

/// Every trap about inductions.
pub(super) fn inductions() -> Vec<Trap> {
    [shared(), compared()].concat()
}

/// Premises that hold where one induction cites them, and not where another does.
fn shared() -> Vec<Trap> {
    // That 1 is 0 holds in the first case alone. The second has its own proof that 0 <= 2.
    let in_cases = |context: &str, second: &str| {
        let lines = format!(
            "s0 rule absurd t0 t1 c0\ns1 rule let_inline t14\ns2 sym s1\ns3 induction t12 1 t1 s0 s2 c0
             s4 induction t12 1 t1 s0 s2 c3\ns5 cases p4 s3 {second}"
        );
        claimed(&lines, context, "claim t14 t12 s5")
    };
    // A state that stays 0 is the round's number, if there are no rounds.
    let in_rounds = |extent: &str, after: &str| {
        let lines = format!(
            "t17 index f32 a0 i2\nt18 index f32 a0 i8\nt19 let l0 t6 t11\nt20 let l0 t17 t11
             t21 iterate l0 i2 1 l0 t17 t10 t11\nt22 iterate l0 {extent} 1 l0 t17 t10 t15\nt23 index f32 a0 i4
             t24 let l0 {after} t15\nt25 prim add t20 t24\nt26 prim add t21 t24\nt27 prim add t21 t22
             s0 refl t17 t17\ns1 rule absurd t19 t18 c2\ns2 induction t21 1 t6 s0 s1 c0\ns3 induction t22 1 t6 s0 s1 c0
             s4 cong t25 arg:0 s2\ns5 cong t26 arg:1 s3\ns6 trans s4 s5"
        );
        claimed(&lines, SIZE, "claim t25 t27 s6")
    };
    // That 1 is `let y = 1 in 0` holds in no round, and the second iteration begins with it.
    let before_rounds = |context: &str, cert: &str| {
        let lines = format!(
            "t17 let l0 t1 t0\nt18 iterate l0 i2 1 l0 t1 t0 t11\nt19 iterate l0 i4 1 l0 t17 t10 t11
             t20 prim add t14 t14\nt21 prim add t18 t14\nt22 prim add t18 t19
             s0 refl t1 t1\ns1 rule absurd t17 t1 {cert}\ns2 induction t18 1 t1 s0 s1 c0\ns3 rule let_inline t14
             s4 sym s3\ns5 induction t19 1 t1 s1 s4 c0\ns6 cong t20 arg:0 s2\ns7 cong t21 arg:1 s5\ns8 trans s6 s7"
        );
        claimed(&lines, context, "claim t20 t22 s8")
    };
    vec![
        trap(
            "a premise of one case, cited in the other",
            in_cases(SIZE_AND_CONTRADICTION, "s3"),
            in_cases(SIZE, "s4"),
        ),
        trap(
            "a premise that holds in no round, cited of two rounds",
            in_rounds("i2", "t17"),
            in_rounds("i4", "t23"),
        ),
        trap(
            "a premise of a round, cited before the first",
            before_rounds(SIZE_AND_CONTRADICTION, "c0"),
            before_rounds(SIZE, "c2"),
        ),
    ]
}

/// Premises that are those of another iteration, or of none.
fn compared() -> Vec<Trap> {
    let also = |start: &str, step: &str| {
        let lines = format!(
            "t17 prim add t10 t10\nt18 iterate l0 i4 1 l0 {start} {step} t15\nt19 prim add t14 t16\nt20 prim add t13 t16
             t21 prim add t13 t18\ns0 refl t1 t1\ns1 rule let_inline t14\ns2 sym s1\ns3 induction t13 1 t1 s0 s2 c0
             s4 induction t18 1 t1 s0 s2 c0\ns5 cong t19 arg:0 s3\ns6 cong t20 arg:1 s4\ns7 trans s5 s6"
        );
        claimed(&lines, SIZE, "claim t19 t21 s7")
    };
    let cited = |base: &str, step: &str| {
        let lines = format!(
            "s0 refl t1 t1\ns1 rule let_inline t14\ns2 sym s1\ns3 induction t13 1 t1 {base} {step} c0\ns4 sym s2\ns5 sym s4"
        );
        claimed(&lines, SIZE, "claim t14 t13 s3")
    };
    // The first state counts rounds; the second becomes the first one's new value, or its old one.
    let second = |read: &str| {
        let lines = format!(
            "i9 add i5 i3\nt17 index f32 a0 i2\nt18 index f32 a0 i9\nt19 index f32 a0 i8\nt20 bound 3
             t21 iterate l0 i4 2 l0 t17 t18 l0 t17 {read} t11\nt22 index f32 a0 i4\nt23 let l0 t22 t11\nt24 let l0 t22 t23
             t25 let l0 t6 t19\nt26 let l0 t6 t25\nt27 let l0 t19 t11\nt28 let l0 t6 t27\nt29 let l0 t6 t28
             s0 refl t17 t17\ns1 rule let_inline t26\ns2 rule let_inline t25\ns3 trans s1 s2\ns4 sym s3
             s5 rule let_inline t29\ns6 rule let_inline t28\ns7 trans s5 s6\ns8 rule let_inline t27\ns9 trans s7 s8\ns10 sym s9
             s11 induction t21 2 t6 s0 s4 t6 s0 s10 c0"
        );
        claimed(&lines, SIZE, "claim t24 t21 s11")
    };
    vec![
        trap("the premises of an iteration that begins otherwise", also("t1", "t10"), also("t0", "t10")),
        trap("the premises of an iteration that goes on otherwise", also("t1", "t10"), also("t1", "t17")),
        trap("an induction whose premise is itself", cited("s0", "s2"), cited("s0", "s3")),
        trap("an induction that begins with itself", cited("s0", "s2"), cited("s3", "s2")),
        trap("an induction whose premise comes later", cited("s0", "s2"), cited("s0", "s5")),
        trap("a new state that is the old one of that name", second("t10"), second("t20")),
    ]
}
