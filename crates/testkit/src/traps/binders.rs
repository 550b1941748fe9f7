//! Variables that a rule replaces: in each part of a term, below other binders; and those that it must leave.

use super::rules::{MONOID, uses};
use super::{NO_LAWS, Trap, next};

/// Every place where a variable may stand.
pub(super) fn binders() -> Vec<Trap> {
    [shifted(), shifted_inside(), inlined(), ends()].concat()
}

/// A sum of two terms split after the first: its body, and that of the second part, in which `i8` stands for the
/// index; and split as if there were no index.
fn split(name: &'static str, lines: &str, body: &str, second: &str) -> Trap {
    let lines = format!("i8 add i5 i3\n{lines}");
    let t = next('t', &lines);
    let [whole, head, tail, parts, twice] = [t, t + 1, t + 2, t + 3, t + 4].map(|t| format!("t{t}"));
    let lines = format!(
        "{lines}\n{whole} sum l0 i4 {body}\n{head} sum l0 i3 {body}\n{tail} sum l0 i3 {second}
         {parts} prim add {head} {tail}\n{twice} prim add {head} {head}"
    );
    let rule = "sum_split i3";
    uses(name, MONOID, &lines, (rule, &whole, &parts, "c1"), (rule, &whole, &twice, "c1"))
}

/// The index in index terms and predicates.
fn shifted() -> Vec<Trap> {
    let difference = |name, body: &str, second: &str| {
        let lines = format!("i9 sub {body}\ni10 sub {second}\nt10 index f32 a0 i9\nt11 index f32 a0 i10");
        split(name, &lines, "t10", "t11")
    };
    let guard = |name, order: &str, of: &str| {
        let lines = format!(
            "p5 {order}\np6 {of}\np7 {}\np8 {}\nt10 guard p6 t1\nt11 guard p8 t1",
            order.replace("i5", "i8"),
            of.replace("p5", "p7")
        );
        split(name, &lines, "t10", "t11")
    };
    vec![
        difference("a difference from the index", "i4 i5", "i4 i8"),
        difference("a difference of the index", "i5 i4", "i8 i4"),
        guard("the contrary of what is said of the index", "lt i5 i3", "not p5"),
        guard("what is said of the index, first", "eq i5 i3", "and p5 p3"),
        guard("what is said of the index, second", "lt i2 i5", "and p3 p5"),
        guard("what is said of the index, first of two", "lt i5 i3", "or p5 p4"),
        guard("what is said of the index, second of two", "le i3 i5", "or p4 p5"),
    ]
}

/// The index in each part of a term: `t7` is the element of the index, and `t10` of what is put for it.
fn shifted_inside() -> Vec<Trap> {
    let inside = |name, lines: &str, body: &str, second: &str| {
        split(name, &format!("t10 index f32 a0 i8\n{lines}"), body, second)
    };
    let part = |name, term: &str| {
        inside(name, &format!("t11 {term}\nt12 {}", term.replace("t7", "t10")), "t11", "t12")
    };
    let under = "i9 add i6 i3\nt11 index f32 a0 i6\nt12 index f32 a0 i9";
    let call = "t11 free 1\nt12 prim mul t5 t11\nd0 \"f\" 1 1 0 t12";
    vec![
        part("the index in a guarded term", "guard p0 t7"),
        part("the index on the first side", "select p0 t7 t1"),
        part("the index on the second side", "select p0 t1 t7"),
        part("the index in an operand", "prim add t7 t1"),
        part("the index in the other operand", "prim add t1 t7"),
        inside(
            "the index in a view",
            "t11 view a1 t7\nt12 view a1 t10\nt13 view a0 t11\nt14 view a0 t12",
            "t13",
            "t14",
        ),
        inside(
            "the index in a condition",
            "p5 lt i5 i3\np6 lt i8 i3\nt11 select p5 t1 t0\nt12 select p6 t1 t0",
            "t11",
            "t12",
        ),
        inside("the index as a row", "t11 get t2 i8", "t8", "t11"),
        inside("the index as an extent", "t11 sum l0 i5 t1\nt12 sum l0 i8 t1", "t11", "t12"),
        inside(
            "the index in a row",
            &format!("{under}\nt13 gen l0 i4 t11\nt14 gen l0 i4 t12\nt15 get t13 i2\nt16 get t14 i2"),
            "t15",
            "t16",
        ),
        inside(
            "the index in a term that is bound",
            "t11 bound 0\nt12 let l0 t7 t11\nt13 let l0 t10 t11",
            "t12",
            "t13",
        ),
        inside(
            "the index where a term is bound",
            &format!("{under}\nt13 let l0 t1 t11\nt14 let l0 t1 t12"),
            "t13",
            "t14",
        ),
        inside(
            "the index as an operator's number",
            &format!("{call}\nt13 op d0 1 i5 1 t1\nt14 op d0 1 i8 1 t1"),
            "t13",
            "t14",
        ),
        inside(
            "the index as one of an operator's numbers",
            "d0 \"g\" 2 0 t6\nt11 op d0 2 i0 i5 0\nt12 op d0 2 i0 i8 0",
            "t11",
            "t12",
        ),
        inside(
            "the index in an operator's tensor",
            &format!("{call}\nt13 op d0 1 i4 1 t7\nt14 op d0 1 i4 1 t10"),
            "t13",
            "t14",
        ),
    ]
}

/// What is bound by a `let`, put where it stands, and not for anything else. `t10` and `t11` are the innermost variable
/// and the next.
fn inlined() -> Vec<Trap> {
    let of = |name, bound: &str, body: &str, same: &str, other: &str| {
        let lines = format!(
            "t10 bound 0\nt11 bound 1\nt12 free 1\nt13 prim mul t5 t12\nd0 \"f\" 1 1 0 t13
             t14 {body}\nt15 let l0 {bound} t14\nt16 {same}\nt17 {other}"
        );
        uses(name, NO_LAWS, &lines, ("let_inline", "t15", "t16", ""), ("let_inline", "t15", "t17", ""))
    };
    vec![
        of("another variable for what is bound", "t5", "prim mul t10 t4", "prim mul t5 t4", "prim mul t5 t5"),
        of("another term bound in what is bound", "t5", "let l0 t10 t10", "let l0 t5 t10", "let l0 t1 t10"),
        of("what is bound within for what is bound", "t5", "let l0 t1 t11", "let l0 t1 t5", "let l0 t1 t10"),
        of("a view of another term", "t5", "view a1 t10", "view a1 t5", "view a1 t6"),
        of("a row of another term", "t2", "get t10 i1", "get t2 i1", "get t3 i1"),
        of("another guarded term for what is bound", "t5", "guard p0 t10", "guard p0 t5", "guard p0 t6"),
        of(
            "another first side for what is bound",
            "t5",
            "select p0 t10 t1",
            "select p0 t5 t1",
            "select p0 t6 t1",
        ),
        of(
            "another second side for what is bound",
            "t5",
            "select p0 t1 t10",
            "select p0 t1 t5",
            "select p0 t1 t6",
        ),
        of("a sum of other terms for what is bound", "t5", "sum l0 i0 t11", "sum l0 i0 t5", "sum l0 i0 t6"),
        of("an operator on another tensor", "t4", "op d0 1 i1 1 t10", "op d0 1 i1 1 t4", "op d0 1 i1 1 t1"),
    ]
}

/// Sums of one term and of none, and parts of sums that are empty.
fn ends() -> Vec<Trap> {
    let lines = "c3 split 1 c0 c0\nc4 split 0 c3 c3\nt10 sum l0 i3 t7\nt11 index f32 a0 i2\nt12 index f32 a0 i3
                 t13 sum l0 i2 t7\nt14 guard p4 t11\nt15 sum l0 i4 t7\nt16 prim add t13 t15\nt17 prim add t15 t15
                 i8 add i5 i4\nt18 index f32 a0 i8\nt19 sum l0 i2 t18\nt20 prim add t15 t19
                 t21 sum l0 i2 t1\nt22 sum l0 i2 t21\nt23 sum l0 i3 t1";
    let one = "laws add_0_l\nrounding finite";
    let tile = "sum_tile l0 i2 l0 i2";
    vec![
        uses(
            "the second term as the only one",
            one,
            lines,
            ("sum_one", "t10", "t11", "c1"),
            ("sum_one", "t10", "t12", "c1"),
        ),
        uses(
            "a term of no sum",
            NO_LAWS,
            lines,
            ("sum_empty", "t13", "t14", "c0"),
            ("sum_empty", "t13", "t12", "c0"),
        ),
        uses(
            "a sum after nothing, twice",
            MONOID,
            lines,
            ("sum_split i2", "t15", "t16", "c1"),
            ("sum_split i2", "t15", "t17", "c1"),
        ),
        uses(
            "a sum before nothing, twice",
            MONOID,
            lines,
            ("sum_split i4", "t15", "t20", "c1"),
            ("sum_split i4", "t15", "t17", "c1"),
        ),
        uses(
            "no tile of nothing for a term",
            MONOID,
            lines,
            (tile, "t21", "t22", "c4"),
            (tile, "t23", "t22", "c4"),
        ),
    ]
}
