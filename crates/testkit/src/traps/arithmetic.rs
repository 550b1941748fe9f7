//! False arithmetic: polynomials that are not equal, and facts that do not follow.

use super::{NO_LAWS, TABLES, Trap, claimed, next, stated, trap};

/// Every false fact.
pub(super) fn arithmetic() -> Vec<Trap> {
    let mut all = polynomials();
    all.extend(orders());
    all.extend(disjunctions());
    all.extend(steps());
    all
}

/// One index term is another by normal form, and is not a third. `i8` is `N` and `i9` is 3.
fn normal(name: &'static str, left: &str, same: &str, other: &str) -> Trap {
    let equal = |right: &str| {
        let lines = format!(
            "i8 add i0 i2\ni9 lit 3\ni10 lit -1\ni11 mul i8 i1\ni12 {left}\ni13 {right}
             t10 index f32 a0 i12\nt11 index f32 a0 i13\ns0 rule arith_eq t11 t10"
        );
        claimed(NO_LAWS, &lines, "t10", "t11")
    };
    trap(name, equal(same), equal(other))
}

fn polynomials() -> Vec<Trap> {
    vec![
        normal("a product of three for one of two", "mul i0 i1", "mul i1 i0", "mul i11 i1"),
        normal("a difference for a sum", "sub i0 i1", "sub i8 i1", "add i0 i1"),
        normal("a difference for its opposite", "sub i0 i1", "sub i8 i1", "sub i1 i0"),
        normal("half of another number", "div i0 i4", "div i8 i4", "div i1 i4"),
        normal("a third for a half", "div i0 i4", "div i8 i4", "div i0 i9"),
        normal("a quotient by minus one", "add i8 i2", "div i0 i3", "div i0 i10"),
        normal("a remainder of another number", "mod i0 i4", "mod i8 i4", "mod i1 i4"),
        normal("a quotient for a remainder", "mod i0 i4", "mod i8 i4", "div i0 i4"),
        normal("the larger for the smaller", "min i0 i1", "min i8 i1", "max i0 i1"),
        normal("the larger of two numbers as the smaller", "min i4 i9", "add i4 i2", "add i9 i2"),
        normal("the smaller of two numbers as the larger", "max i4 i9", "add i9 i2", "add i4 i2"),
        normal("the first number as the smaller", "min i9 i4", "add i4 i2", "add i9 i2"),
        normal("the second number as the larger", "max i9 i4", "add i9 i2", "add i4 i2"),
        normal("one of two as the smaller", "add i8 i2", "min i0 i8", "min i0 i1"),
    ]
}

/// Lines, a hypothesis and a goal, and the lines of certificates, of which the last is for the goal.
pub(super) type Follows<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Where a hypothesis holds, a goal does: `[h] * [g] * 1 = [h] * 1`. The facts of the hypothesis are numbered first,
/// then those of the goal denied. `i8` and `i9` are `N` and `M` for hypotheses, `i10` and `i11` for goals.
pub(super) fn follows(name: &'static str, right: Follows, wrong: Follows) -> Trap {
    let shown = |(lines, hypothesis, goal, certs): Follows| {
        let h = next('p', lines);
        let g = h + 1;
        let lines = format!(
            "i8 add i0 i2\ni9 add i1 i2\ni10 mul i0 i3\ni11 mul i1 i3\n{lines}\np{h} {hypothesis}\np{g} {goal}\n{certs}
             t10 guard p{g} t1\nt11 guard p{h} t10\nt12 guard p{h} t1
             s0 rule guard_true t10 c{}\ns1 cong t11 body s0",
            certs.lines().count() - 1
        );
        stated(NO_LAWS, &format!("{TABLES}\n{lines}"), "t11", "t12")
    };
    trap(name, shown(right), shown(wrong))
}

/// Orders that are strict, or the other way round.
fn orders() -> Vec<Trap> {
    let sum = "c0 combine 2 1*0 1*1 absurd 2";
    let far = "p5 le i8 i9\ni12 add i1 i4";
    let absurd = "c0 absurd 0";
    let equal = "c0 combine 2 1*0 1*2 absurd 3";
    vec![
        follows("at most as less", ("", "le i8 i9", "le i10 i11", sum), ("", "le i8 i9", "lt i10 i11", sum)),
        follows(
            "not less as more",
            ("p5 lt i8 i9", "not p5", "le i11 i10", sum),
            ("p5 lt i8 i9", "not p5", "lt i11 i10", sum),
        ),
        follows(
            "more as more by two",
            (far, "not p5", "lt i11 i10", sum),
            (far, "not p5", "le i12 i10", sum),
        ),
        follows(
            "equal as less",
            ("", "eq i8 i9", "le i10 i11", equal),
            ("", "eq i8 i9", "lt i10 i11", equal),
        ),
        follows(
            "a variable as a negative number",
            ("i12 lit -1", "lt i2 i12", "lt i10 i11", absurd),
            ("i12 lit -1", "le i8 i2", "lt i10 i11", absurd),
        ),
    ]
}

/// One case of two.
fn disjunctions() -> Vec<Trap> {
    let both = "c0 combine 2 1*0 1*1 absurd 2\nc1 split 0 c0 c0";
    let sides = "c0 combine 2 1*1 1*2 absurd 3\nc1 combine 2 1*0 1*2 absurd 3\nc2 split 0 c0 c1";
    // N or M is negative; N is negative, said twice.
    let one = "p5 lt i8 i2\np6 lt i9 i2";
    let same = "i12 lit -1\np5 lt i8 i2\np6 le i8 i12";
    let goals = "i12 lit -1\np5 lt i10 i2\np6 le i10 i12\np7 lt i11 i2";
    // A case whose disjunction is refuted on the first side, and cited again on the second.
    let cited = |last: &str| format!("c0 absurd 2\nc1 split 0 c0 c0\n{last}");
    let again = cited("c2 absurd 4\nc3 split 0 c2 c2\nc4 case p7 c1 c3");
    let refuted = cited("c2 absurd 0\nc3 case p7 c1 c2");
    let neither = "i12 lit -1\np5 lt i8 i8\np6 lt i9 i9\np7 or p5 p6";
    vec![
        follows(
            "at most as equal",
            ("", "eq i8 i9", "eq i10 i11", sides),
            ("", "le i8 i9", "eq i10 i11", both),
        ),
        follows(
            "at least as equal",
            ("", "eq i8 i9", "eq i10 i11", sides),
            ("", "le i9 i8", "eq i10 i11", both),
        ),
        follows(
            "one of two as the first",
            (same, "or p5 p6", "lt i10 i2", both),
            (one, "or p5 p6", "lt i10 i2", both),
        ),
        follows(
            "one of two as the second",
            (same, "or p5 p6", "lt i10 i2", both),
            (one, "or p5 p6", "lt i11 i2", both),
        ),
        follows(
            "the first as both",
            (goals, "lt i8 i2", "and p5 p6", both),
            (goals, "lt i8 i2", "and p5 p7", both),
        ),
        follows(
            "the second as both",
            (goals, "lt i8 i2", "and p5 p6", both),
            (goals, "lt i8 i2", "and p7 p5", both),
        ),
        follows(
            "what is cited where it was denied",
            (neither, "lt i2 i12", "lt i10 i11", &refuted),
            (neither, "le i2 i3", "lt i10 i11", &again),
        ),
    ]
}

/// Steps that derive what does not follow.
fn steps() -> Vec<Trap> {
    // From 0 <= 4N + 2 follows 0 <= N; 2^126 times it would wrap to a negative constant.
    let wide = "i12 lit 4\ni13 mul i8 i12\ni14 add i13 i4";
    let wraps = format!("c0 combine 1 {}*0 absurd 2", 1i128 << 126);
    let cut = "c0 cut 0 2 combine 2 1*1 1*2 absurd 3";
    let odd = "i12 mul i9 i4\ni13 add i12 i8";
    let smaller = "i12 min i8 i9";
    let larger = "i12 max i8 i9";
    let by_min = "c0 min i8 i9 combine 2 1*1 1*2 absurd 4";
    let by_max = "c0 max i8 i9 combine 2 1*1 1*2 absurd 4";
    let cases =
        |second: &str| format!("c0 combine 2 1*1 1*4 absurd 5\nc1 {second}\nc2 min i8 i9 split 0 c0 c1");
    let quotient = "i12 div i8 i9\ni13 mul i9 i12";
    let euclid = "c0 euclid i8 i9 0 combine 2 1*1 1*2 absurd 4";
    vec![
        follows(
            "a multiple that wraps",
            (wide, "le i2 i14", "le i2 i10", "c0 cut 0 4 combine 2 1*1 1*2 absurd 3"),
            (wide, "le i2 i14", "lt i10 i2", &wraps),
        ),
        follows(
            "half of what is odd",
            (odd, "le i2 i12", "le i2 i11", cut),
            (odd, "le i2 i13", "le i2 i11", cut),
        ),
        follows(
            "the smaller as the larger",
            (smaller, "le i2 i3", "le i12 i10", by_min),
            (smaller, "le i2 i3", "le i10 i12", by_min),
        ),
        follows(
            "the larger as no smaller one",
            (larger, "le i2 i3", "le i10 i12", by_max),
            (larger, "le i2 i3", "le i12 i10", by_max),
        ),
        follows(
            "the first of two as the smaller",
            (smaller, "le i8 i9", "le i10 i12", &cases("combine 3 1*0 1*1 1*4 absurd 5")),
            (smaller, "le i9 i8", "le i10 i12", &cases("combine 2 1*2 1*4 absurd 5")),
        ),
        follows(
            "a quotient's multiple as no smaller",
            (quotient, "le i3 i9", "le i13 i10", euclid),
            (quotient, "le i3 i9", "le i10 i13", euclid),
        ),
    ]
}
