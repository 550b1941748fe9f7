//! Inferences that do not follow.

use super::{NO_LAWS, Trap, file, trap};

fn distributed(algebra: &str, scalar: &str) -> String {
    let elem = format!("{scalar} a0");
    let tables = format!(
        "a0 {algebra}
         t0 lit {elem} dec:2 0\nt1 prim add t0 t0\nt2 prim mul t0 t1\nt3 prim mul t0 t0\nt4 prim add t3 t3
         s0 rule distr_l t2"
    );
    file("laws distr_l\nrounding real", &tables, "", "claim t2 t4 s0")
}

/// Inferences that do not follow.
pub(super) fn inferences() -> Vec<Trap> {
    // Where N == M, a guard's body may have the other extent; the guard itself may not.
    let shapes = |context: &str, inner: &str, outer: &str| {
        let tables = format!(
            "l0 \"N\" serial auto\na0 plus_times\ni0 free 0\ni1 free 1\np0 eq i0 i1
             t0 lit f32 a0 one\nt1 gen l0 i0 t0\nt2 gen l0 i1 t0\nt3 guard p0 t1\nt4 guard p0 t2
             c0 combine 2 1*1 1*2 absurd 3\nc1 combine 2 1*0 1*2 absurd 3\nc2 split 0 c0 c1
             c3 combine 2 1*1 1*4 absurd 5\nc4 combine 2 1*0 1*4 absurd 5\nc5 split 0 c3 c4
             s0 rule arith_eq t2 t1 {inner} {inner}\ns1 cong t3 body s0{outer}"
        );
        file(NO_LAWS, &tables, context, "claim t3 t4 s1")
    };
    // Where `+` is a product, what needs a zero that annihilates, or a product over sums.
    let annihilated = |algebra: &str, side: &str, left: &str| {
        let tables = format!(
            "a0 {algebra}\np0 false\nt0 lit f32 a0 dec:2 0\nt1 guard p0 t0\nt2 prim mul {left}\nt3 prim mul t0 t0
             t4 guard p0 t3\ns0 rule guard_mul_{side} t2"
        );
        file(&format!("laws mul_0_{side}\nrounding finite"), &tables, "", "claim t2 t4 s0")
    };
    let spread = |algebra: &str| {
        let tables = format!(
            "a0 {algebra}\nt0 lit f32 a0 dec:2 0\nt1 prim add t0 t0\nt2 prim mul t1 t0\nt3 prim mul t0 t0\nt4 prim add t3 t3
             s0 rule distr_r t2"
        );
        file("laws distr_r\nrounding real", &tables, "", "claim t2 t4 s0")
    };
    let commuted = |trust: &str| {
        let tables = "a0 plus_times\nt0 lit f32 a0 one\nt1 lit f32 a0 zero\nt2 prim add t0 t1\nt3 prim add t1 t0\ns0 rule add_comm t2";
        file(trust, tables, "", "claim t2 t3 s0")
    };
    let chain = |second: &str, end: &str| {
        let tables = format!(
            "a0 plus_times\nt0 lit f32 a0 one\nt1 lit f32 a0 zero\nt2 prim add t0 t1\nt3 prim add t1 t0\nt4 prim add t1 t1
             s0 rule add_comm t2\ns1 rule add_comm {second}\ns2 trans s0 s1"
        );
        file("laws add_comm\nrounding finite", &tables, "", &format!("claim t2 {end} s2"))
    };
    let swapped = |extent: &str| {
        let tables = format!(
            "l0 \"i\" serial auto\na0 plus_times\ni0 free 0\ni1 bound 0\ni2 lit 4
             t0 lit f32 a0 one\nt1 sum l0 {extent} t0\nt2 sum l0 i0 t1\nt3 sum l0 i0 t0\nt4 sum l0 {extent} t3
             s0 rule sum_swap t2"
        );
        file(
            "laws add_0_l add_0_r add_comm add_assoc\nrounding real",
            &tables,
            "x0 index l0",
            "claim t2 t4 s0",
        )
    };
    let contradiction = |hypothesis: &str| {
        let tables = "l0 \"N\" serial auto\na0 plus_times\ni0 free 0\np0 true\np1 lt i0 i0
             t0 lit f32 a0 one\nt1 lit f32 a0 zero\nc0 absurd 0\ns0 rule absurd t1 t0 c0";
        file(NO_LAWS, tables, &format!("x0 index l0\nx1 hyp {hypothesis}"), "claim t0 t1 s0")
    };
    let distinguished = |level: &str| {
        let tables = format!(
            "l0 \"N\" serial auto\na0 plus_times\ni0 free {level}\np0 le i0 i0\nt0 lit f32 a0 one\ns0 refl t0 t0\ns1 cases p0 s0 s0"
        );
        file(NO_LAWS, &tables, "x0 index l0", "claim t0 t0 s1")
    };
    let both = "x0 index l0\nx1 index l0";
    vec![
        trap(
            "an algebra that lacks the rule's law",
            distributed("plus_times", "f64"),
            distributed("times", "f64"),
        ),
        trap("an algebra that lacks the rule's law, on the right", spread("plus_times"), spread("times")),
        trap(
            "a zero on the left that does not annihilate",
            annihilated("plus_times", "l", "t1 t0"),
            annihilated("times", "l", "t1 t0"),
        ),
        trap(
            "a zero on the right that does not annihilate",
            annihilated("plus_times", "r", "t0 t1"),
            annihilated("times", "r", "t0 t1"),
        ),
        trap(
            "a shape that is equal inside a guard only",
            shapes("x0 index l0\nx1 index l0\nx2 hyp p0", "c5", " c2"),
            shapes(both, "c2", " c2"),
        ),
        trap(
            "a shape inside a guard that is not compared outside",
            shapes("x0 index l0\nx1 index l0\nx2 hyp p0", "c5", " c2"),
            shapes(both, "c2", ""),
        ),
        trap(
            "less rounding than there is",
            commuted("laws add_comm\nrounding finite"),
            commuted("laws add_comm\nrounding bitwise"),
        ),
        trap(
            "more rounding than there is",
            commuted("laws add_comm\nrounding finite"),
            commuted("laws add_comm\nrounding real"),
        ),
        trap(
            "fewer laws than are used",
            commuted("laws add_comm\nrounding finite"),
            commuted("laws none\nrounding finite"),
        ),
        trap(
            "more laws than are used",
            commuted("laws add_comm\nrounding finite"),
            commuted("laws add_comm mul_comm\nrounding finite"),
        ),
        trap("a chain whose ends do not meet", chain("t3", "t2"), chain("t4", "t4")),
        trap("an inner extent that depends on the outer loop", swapped("i2"), swapped("i1")),
        trap("a contradiction that is none", contradiction("p1"), contradiction("p0")),
        trap("a distinction about what is not there", distinguished("0"), distinguished("1")),
    ]
}
