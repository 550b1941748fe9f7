//! Monoids: laws that are not claimed, sides and elements that are others, formulas that speak of
//! something else.

use super::{Trap, file, trap};

/// Three elements, of a number and a place each; a vector, and an index.
const CONTEXT: &str =
    "x0 tensor l0 f32 a0\nx1 tensor l0 i32 a0\nx2 tensor l0 f32 a0\nx3 tensor l0 i32 a0\nx4 tensor l0 f32 a0
     x5 tensor l0 i32 a0\nx6 tensor l0 f32 a0 i0\nx7 index l0";

/// Where the lesser is, and the earlier one of equal ones: `t11` and `t12` are the fields of both first
/// elements' sum, `t20` and `t21` those of the second and the first, and `t27`, `t28` of the first and
/// what is neutral.
const TABLES: &str =
    "l0 \"v\" serial auto\na0 plus_times\na1 max_plus\ni0 lit 2\ni1 free 7\ni2 bound 0\ni3 lit 0
     t0 free 0\nt1 free 1\nt2 free 2\nt3 free 3\nt4 free 4\nt5 free 5
     t6 prim lt t0 t2\nt7 prim eq t0 t2\nt8 prim le t1 t3\nt9 prim and t7 t8\nt10 prim or t6 t9
     t11 prim where t10 t0 t2\nt12 prim where t10 t1 t3\nt13 lit f32 a0 inf\nt14 lit i32 a0 dec:2147483647 0
     t15 prim lt t2 t0\nt16 prim eq t2 t0\nt17 prim le t3 t1\nt18 prim and t16 t17\nt19 prim or t15 t18
     t20 prim where t19 t2 t0\nt21 prim where t19 t3 t1
     t22 prim lt t0 t13\nt23 prim eq t0 t13\nt24 prim le t1 t14\nt25 prim and t23 t24\nt26 prim or t22 t25
     t27 prim where t26 t0 t13\nt28 prim where t26 t1 t14\nt29 free 6\nt30 prim add t0 t2\nt31 prim add t1 t3
     t32 lit i32 a0 zero\nt33 free 7\nt34 bound 0\nt35 index i32 a0 i1\nt36 index i32 a0 i2\nt37 get t29 i3";

const LEAST: &str = "m0 \"least\" 2 f32 a0 t13 t11 i32 a0 t14 t12";

/// A claim of two terms by the last inference of these lines, in the class.
fn stated(rounding: &str, lines: &str, left: &str, right: &str) -> String {
    let claim = format!("claim {left} {right} s0");
    file(&format!("laws none\nrounding {rounding}"), &format!("{TABLES}\n{lines}"), CONTEXT, &claim)
}

/// The lesser of two, whose monoid has these laws, by a use of one of them.
fn least(laws: &str, by: &str, left: &str, right: &str) -> String {
    stated("finite", &format!("{LEAST} {laws}\ns0 rule monoid_law m0 {by} {left}"), left, right)
}

/// What a use of a law must be.
pub(super) fn uses() -> Vec<Trap> {
    let comm = || least("add_comm", "add_comm 0 2 t0 t1 t2 t3", "t11", "t20");
    let of = |by: &str, left: &str, right: &str| least("add_0_r add_comm add_assoc", by, left, right);
    let neutral = || of("add_0_r 0 1 t0 t1", "t27", "t0");
    let both = "t0 t1 t2 t3";
    vec![
        trap(
            "a law that is not claimed",
            comm(),
            least("add_assoc", "add_comm 0 2 t0 t1 t2 t3", "t11", "t20"),
        ),
        trap("no law", comm(), least("add_comm", "none 0 2 t0 t1 t2 t3", "t11", "t20")),
        trap("a law of semirings", comm(), least("add_comm", "mul_comm 0 2 t0 t1 t2 t3", "t11", "t20")),
        trap(
            "two laws at once",
            comm(),
            least("add_comm", "add_comm add_assoc 0 2 t0 t1 t2 t3", "t11", "t20"),
        ),
        trap(
            "a claim of another law",
            comm(),
            least("add_comm mul_comm", "add_comm 0 2 t0 t1 t2 t3", "t11", "t20"),
        ),
        trap(
            "claims in another order",
            comm(),
            least("add_comm add_0_l", "add_comm 0 2 t0 t1 t2 t3", "t11", "t20"),
        ),
        trap("the other field of the right side", comm(), of(&format!("add_comm 0 2 {both}"), "t11", "t21")),
        trap("another field of the left side", comm(), of(&format!("add_comm 1 2 {both}"), "t11", "t20")),
        trap("a field that is not there", comm(), of(&format!("add_comm 2 2 {both}"), "t11", "t20")),
        trap("the right side for the left", comm(), of(&format!("add_comm 0 2 {both}"), "t20", "t11")),
        trap("a side that stays", comm(), of(&format!("add_comm 0 2 {both}"), "t11", "t11")),
        trap("an element too few", comm(), of("add_comm 0 1 t0 t1", "t11", "t20")),
        trap("an element too many", comm(), of(&format!("add_comm 0 3 {both} t4 t5"), "t11", "t20")),
        trap("no elements", comm(), of("add_comm 0 0", "t11", "t20")),
        trap("the first element for the second", comm(), of("add_comm 0 2 t0 t1 t0 t1", "t11", "t20")),
        trap("what is neutral on the other side", neutral(), of("add_0_l 0 1 t0 t1", "t27", "t0")),
        trap("another element than is added", neutral(), of("add_0_r 0 1 t2 t3", "t27", "t2")),
        trap("what is neutral as the sum", neutral(), of("add_0_r 0 1 t0 t1", "t27", "t13")),
        trap("a sum with itself without a claim", neutral(), of("add_idem 0 1 t0 t1", "t27", "t0")),
        trap("a rounding that is coarser", comm(), comm().replace("rounding finite", "rounding real")),
        trap("a rounding that is finer", comm(), comm().replace("rounding finite", "rounding bitwise")),
        trap("a law among those that the claim used", comm(), comm().replace("laws none", "laws add_comm")),
        trap("a monoid that comes later", comm(), comm().replace("law m0", "law m1")),
    ]
}

/// Sides with sums inside, and elements of another kind.
pub(super) fn sides() -> Vec<Trap> {
    // The maximum and the sum of integers: of `1, 1`, of `3, 3` and of `5, 5`.
    let of = |claims: &str, by: &str, left: &str, right: &str| {
        let lines = format!(
            "t38 prim max t0 t2\nt39 lit i32 a0 dec:-2147483648 0\nm0 \"counted\" 2 i32 a0 t39 t38 i32 a0 t32 t31 {claims}
             t40 prim max t1 t3\nt41 prim max t40 t5\nt42 prim max t3 t5\nt43 prim max t1 t42\nt44 prim max t42 t1
             t45 prim add t31 t5\nt46 prim add t3 t5\nt47 prim add t1 t46\nt48 prim max t3 t1\nt49 prim max t1 t1
             t50 prim max t39 t1
t51 prim max t1 t39
             s0 rule monoid_law m0 {by} {left}"
        );
        stated("bitwise", &lines, left, right)
    };
    let three = |field: u32, left: &str, right: &str| {
        of("add_assoc", &format!("add_assoc {field} 3 t1 t1 t3 t3 t5 t5"), left, right)
    };
    let assoc = || three(0, "t41", "t43");
    let comm = || of("add_comm", "add_comm 0 2 t1 t1 t3 t3", "t40", "t48");
    let with = |first: &str| of("add_comm", &format!("add_comm 0 2 t1 {first} t3 t3"), "t40", "t48");
    let idem = || of("add_idem", "add_idem 0 1 t1 t1", "t49", "t1");
    let neutral = |law: &str, left: &str| of("add_0_l add_0_r", &format!("{law} 0 1 t1 t1"), left, "t1");
    vec![
        trap("what is neutral second for first", neutral("add_0_l", "t50"), neutral("add_0_l", "t51")),
        trap("what is neutral first for second", neutral("add_0_r", "t51"), neutral("add_0_r", "t50")),
        trap("another order of three", assoc(), three(0, "t41", "t44")),
        trap("sums of the other field", three(1, "t45", "t47"), three(0, "t45", "t47")),
        trap("one field for another", three(1, "t45", "t47"), three(1, "t45", "t43")),
        trap("two elements for three", assoc(), of("add_assoc", "add_assoc 0 2 t1 t1 t3 t3", "t40", "t48")),
        trap("one element for two", idem(), of("add_comm add_idem", "add_comm 0 1 t1 t1", "t49", "t1")),
        trap("an element of another type", comm(), with("t0")),
        trap("an element that is a vector", comm(), with("t29")),
        trap("an index as an element", comm(), with("t33")),
        trap("an element that is bound nowhere", comm(), with("t34")),
        trap("an element at an index that is bound nowhere", comm(), with("t36")),
    ]
}

/// What a monoid's terms must be, used or not.
pub(super) fn formulas() -> Vec<Trap> {
    // The maximum of integers, and another monoid, which is not used.
    let most = |claims: &str, other: &str| {
        let lines = format!(
            "t38 prim max t0 t1\nt39 prim max t1 t3\nt40 prim max t3 t1\nt41 lit i32 a0 dec:-2147483648 0\nt42 prim lt t0 t1
             t43 lit f32 a1 zero\nt44 gen l0 i0 t0\nt45 bundle 2 t0 t1\ni4 lit 5\ni5 mod i4 i0\nt46 gen l0 i5 t1
             t47 prim max t44 t46\nt48 get t47 i3\ni6 read free 0 0\ni7 read free 9 0\nt49 index i32 a0 i6
             t50 index f32 a0 i6\nt51 index i32 a0 i7
             m0 \"most\" 1 i32 a0 t41 t38 {claims}\n{other}\ns0 rule monoid_law m0 add_comm 0 2 t1 t3 t39"
        );
        stated("bitwise", &lines, "t39", "t40")
    };
    let beside = |line: &str| most("add_comm", &format!("m1 \"f\" {line}"));
    let as_in = |name, line| trap(name, beside("1 i32 a0 t41 t0 add_comm"), beside(line));
    vec![
        as_in("a formula of a third element", "1 i32 a0 t41 t2 add_comm"),
        as_in("a formula of an index variable", "1 i32 a0 t41 t35 add_comm"),
        as_in("a formula of a bound variable", "1 i32 a0 t41 t34 add_comm"),
        as_in("a formula of a bound index", "1 i32 a0 t41 t36 add_comm"),
        as_in("a formula of another type", "1 i32 a0 t41 t42 add_comm"),
        as_in("a formula in another algebra", "1 f32 a1 t43 t13 add_comm"),
        as_in("a formula that is a vector", "1 i32 a0 t41 t44 add_comm"),
        as_in("a formula that asks for a certificate", "1 i32 a0 t41 t48 add_comm"),
        as_in("a formula of several results", "1 i32 a0 t41 t45 add_comm"),
        as_in("what is neutral of another type", "1 i32 a0 t13 t38 add_comm"),
        as_in("what is neutral that depends on an element", "1 i32 a0 t0 t38 add_comm"),
        as_in("an algebra that does not admit the scalar", "1 i32 a1 t41 t38 add_comm"),
        as_in("no fields", "0 add_comm"),
        as_in("a field too few", "2 i32 a0 t41 t38 add_comm"),
        as_in("no list of claims", "1 i32 a0 t41 t38"),
        as_in("none among the claims", "1 i32 a0 t41 t38 none add_comm"),
        as_in("a claim of a law of semirings", "1 i32 a0 t41 t38 add_comm mul_comm"),
        as_in("claims in another order", "1 i32 a0 t41 t38 add_comm add_0_l"),
        trap(
            "an index that reads a float",
            beside("1 i32 a0 t41 t49 add_comm"),
            beside("1 f32 a0 t13 t50 add_comm"),
        ),
        trap(
            "an index that reads what is not there",
            beside("1 i32 a0 t41 t49 add_comm"),
            beside("1 i32 a0 t41 t51 add_comm"),
        ),
        trap("no claims", beside("1 i32 a0 t41 t38 none"), most("none", "")),
    ]
}

/// The classes that laws have.
pub(super) fn classes() -> Vec<Trap> {
    // A law by which the element is the sum with itself, of `free 2`, a float, or `free 1`, an integer.
    let of = |(elem, place): (&str, &str), zero: &str, (sum, left): (&str, &str), class: &str| {
        let lines = format!(
            "t38 lit f32 a0 dec:256 0\nt39 lit f32 a0 dec:-257 0\nt40 lit f32 a0 dec:1 1\nt41 prim cast f32 a0 t0
             t42 prim cast i32 a0 t41\nt43 lit i32 a0 dec:257 0\nt44 lit f32 a0 zero\nt45 let l0 t0 t34\nt46 index f32 a0 i3
             t47 prim cast i32 a0 t46\nd0 \"one\" 0 0 t47\nt48 op d0 0 0\nt49 prim neg t0
             t50 prim cast f32 a0 {place}\nt51 prim cast i32 a0 t50\nt52 prim neg {place}\nt53 let l0 {place} t34
             t54 prim cast i32 a0 t44\nt55 prim min t49 t0\nt56 prim min t52 {place}
             m0 \"f\" 1 {elem} a0 {zero} {sum} add_idem\ns0 rule monoid_law m0 add_idem 0 1 {place} {left}"
        );
        stated(class, &lines, left, place)
    };
    let float = |zero: &str, class: &str| of(("f32", "t2"), zero, ("t0", "t2"), class);
    let summed = |sum: &str, left: &str, class: &str| of(("f32", "t2"), "t44", (sum, left), class);
    let integer = |zero: &str, class: &str| of(("i32", "t1"), zero, ("t0", "t1"), class);
    let by_way = |class: &str| of(("i32", "t1"), "t43", ("t42", "t51"), class);
    vec![
        trap("a choice that is bitwise", float("t44", "finite"), float("t44", "bitwise")),
        trap("a choice that is only real", float("t13", "finite"), float("t13", "real")),
        trap("a number that is rounded", float("t38", "finite"), float("t39", "finite")),
        trap("a number with an exponent", float("t40", "real"), float("t40", "finite")),
        trap("an index term as a choice", float("t46", "real"), float("t46", "finite")),
        trap("a name for an element", summed("t45", "t53", "finite"), summed("t45", "t53", "real")),
        trap("a negation as a choice", summed("t49", "t52", "real"), summed("t49", "t52", "finite")),
        trap("a negation in a choice", summed("t55", "t56", "real"), summed("t55", "t56", "finite")),
        trap("an integer by way of a number", integer("t54", "real"), integer("t54", "bitwise")),
        trap("integers that are exact", integer("t43", "bitwise"), integer("t43", "finite")),
        trap("integers by way of floats", by_way("real"), by_way("bitwise")),
        trap("an integer by way of a float", integer("t47", "real"), integer("t47", "bitwise")),
        trap("an integer by a definition of floats", integer("t48", "real"), integer("t48", "bitwise")),
    ]
}
