//! Elements of tensors in indices, and hypotheses about all integers.

use super::{NO_LAWS, Trap, file, trap};

/// Where `N` is an integer, `at` and `to` are vectors of `N` integers, `x` is one of floats, and `m` a matrix of integers. What is
/// entered here gets level 5.
const CONTEXT: &str = "x0 index l0\nx1 tensor l0 i64 a0 i0\nx2 tensor l0 i64 a0 i0
     x3 tensor l0 f32 a0 i0\nx4 tensor l0 i32 a0 i0 i0";

/// `N`, 0, 1, a bound variable, and `at` at these three; `0 <= at[i]`, `0 <= at[1]`; `at[0]` and `at[1]` as numbers.
const TABLES: &str = "l0 \"v\" serial auto\na0 plus_times\ni0 free 0\ni1 lit 0\ni2 lit 1\ni3 bound 0
     i4 read free 1 1 i1\ni5 read free 1 1 i2\ni6 read free 1 1 i3
     p0 le i1 i6\np1 le i1 i5\nt0 lit f32 a0 one\nt1 free 1\nt2 index f32 a0 i4\nt3 index f32 a0 i5\nc0 absurd 0";

/// A claim that follows from these tables in [`CONTEXT`] with more entries.
fn stated(trust: &str, tables: &str, entries: &str, claim: &str) -> String {
    file(trust, &format!("{TABLES}\n{tables}"), &format!("{CONTEXT}\n{entries}"), claim)
}

/// `t = t` for a term of these tables.
fn reflexive(tables: &str, term: &str) -> String {
    stated(NO_LAWS, &format!("{tables}\ns0 refl {term} {term}"), "", &format!("claim {term} {term} s0"))
}

/// What may be read in an index, and where; and what an extent may read.
pub(super) fn reads() -> Vec<Trap> {
    let element = |read: &str| reflexive(&format!("i7 {read}\nt4 index f32 a0 i7"), "t4");
    let nested =
        |index: &str| reflexive(&format!("i7 free 1\ni8 read free 1 1 {index}\nt4 index f32 a0 i8"), "t4");
    let bound = "i7 read bound 0 1 i1\ni8 read bound 0 0\ni9 read bound 1 1 i1\ni10 read free 5 1 i1";
    let below =
        |binder: &str, ix: &str| reflexive(&format!("{bound}\nt4 index f32 a0 {ix}\nt5 {binder} t4"), "t5");
    let extent =
        |binder: &str, n: &str| reflexive(&format!("{bound}\nt4 gen l0 {n} t0\nt5 {binder} t4"), "t5");
    let operator = |body: &str| {
        let bodies = "i7 read free 0 1 i1\nt4 index f32 a0 i7\nt5 gen l0 i0 t0\nt6 gen l0 i4 t0";
        reflexive(&format!("{bodies}\nd0 \"trap\" 0 1 1 {body}\nt7 op d0 0 1 t1"), "t7")
    };
    let placed = |part: &str| reflexive(part, "t4");
    let (row, named) = ("gen l0 i0", "let l0 t1");
    vec![
        trap("an element of floats as an index", element("read free 2 1 i1"), element("read free 3 1 i1")),
        trap(
            "an element of integers beyond 64 signed bits as an index",
            element("read free 2 1 i1"),
            element("read free 2 1 i1").replace("x2 tensor l0 i64", "x2 tensor l0 u64"),
        ),
        trap("an element at too few indices", element("read free 4 2 i1 i1"), element("read free 4 1 i1")),
        trap("an element at too many indices", element("read free 2 1 i1"), element("read free 2 2 i1 i1")),
        trap("an element of an index", element("read free 2 1 i1"), element("read free 0 0")),
        trap("an element of what is not there", element("read free 2 1 i1"), element("read free 9 1 i1")),
        trap("a tensor as the index of a read", nested("i0"), nested("i7")),
        trap("an element of a loop's index", below(row, "i6"), below(row, "i8")),
        trap("an array that is bound outside", below(named, "i7"), below(named, "i9")),
        trap("a free array as the binder that gets its level", below(named, "i7"), below(named, "i10")),
        trap("what a `let` binds as the index of a read", below(row, "i6"), below(named, "i6")),
        trap("an extent that reads at the loop's index", extent(row, "i4"), extent(row, "i6")),
        trap("an extent that reads what a `let` binds", extent(named, "i4"), extent(named, "i7")),
        trap("an extent that reads an operand", operator("t5"), operator("t6")),
        trap("a definition that reads an extent", operator("t2"), operator("t4")),
        trap(
            "a guard that reads at an index out of scope",
            placed("p2 lt i1 i4\nt4 guard p2 t0"),
            placed("p2 lt i1 i6\nt4 guard p2 t0"),
        ),
        trap("an access at an element out of scope", placed("t4 get t1 i4"), placed("t4 get t1 i6")),
        trap(
            "an argument that reads at an index out of scope",
            placed("d0 \"trap\" 1 0 t0\nt4 op d0 1 i4 0"),
            placed("d0 \"trap\" 1 0 t0\nt4 op d0 1 i6 0"),
        ),
    ]
}

/// What becomes of a read in an inference.
pub(super) fn replaced() -> Vec<Trap> {
    let claimed =
        |trust: &str, tables: &str, claim: &str| stated(trust, tables, "", &format!("claim {claim}"));
    let variables = "i7 read bound 0 1 i1\nt4 index i64 a0 i3\nt5 gen l0 i0 t4\nt6 index f32 a0 i7";
    let inlined = |bound: &str| {
        claimed(NO_LAWS, &format!("{variables}\nt7 let l0 {bound} t6\ns0 rule let_inline t7"), "t7 t2 s0")
    };
    let unfolded = |operand: &str| {
        let tables = format!("{variables}\nd0 \"trap\" 0 1 1 t2\nt7 op d0 0 1 {operand}\ns0 rule unfold t7");
        claimed(NO_LAWS, &tables, "t7 t2 s0")
    };
    let inside = |child: &str| {
        let tables = format!(
            "{variables}\ni8 read free 5 1 i1\nt7 let l0 t1 t6\nt8 index f32 a0 i8
             s0 refl {child} {child}\ns1 cong t7 body s0"
        );
        claimed(NO_LAWS, &tables, "t7 t7 s1")
    };
    let compared = |read: &str| {
        let tables = format!("i7 add i1 i1\ni8 read {read}\nt4 index f32 a0 i8\ns0 rule arith_eq t4 t2");
        claimed(NO_LAWS, &tables, "t2 t4 s0")
    };
    let first = |right: &str| {
        let tables = "t4 index f32 a0 i6\nt5 sum l0 i2 t4\nc1 split 0 c0 c0\ns0 rule sum_one t5 c1";
        claimed("laws add_0_l\nrounding finite", tables, &format!("t5 {right} s0"))
    };
    let one = |value: &str| {
        let tables = format!(
            "i7 add i6 i1\np2 eq i3 {value}\np3 le i1 {value}\np4 lt {value} i0\np5 and p3 p4
             t4 guard p2 t0\nt5 sum l0 i0 t4\nt6 guard p5 t0\ns0 rule onehot_sum t5"
        );
        claimed("laws add_0_l add_0_r\nrounding finite", &tables, "t5 t6 s0")
    };
    let swapped = |extent: &str| {
        let tables = format!(
            "t4 sum l0 {extent} t0\nt5 sum l0 i0 t4\nt6 sum l0 i0 t0\nt7 sum l0 {extent} t6\ns0 rule sum_swap t5"
        );
        claimed("laws add_0_l add_0_r add_comm add_assoc\nrounding real", &tables, "t5 t7 s0")
    };
    vec![
        trap("a tensor that is no variable, read in an index", inlined("t1"), inlined("t5")),
        trap("an operand that is no variable, read in an index", unfolded("t1"), unfolded("t5")),
        trap("an array as the one that it is bound to", inside("t8"), inside("t2")),
        trap("an element as another element", compared("free 1 1 i7"), compared("free 1 1 i0")),
        trap("an element as that of another array", compared("free 1 1 i7"), compared("free 2 1 i7")),
        trap("the index of a read left as it was", first("t2"), first("t3")),
        trap("one index that reads at the sum's", one("i4"), one("i7")),
        trap("sums that change places although one reads at the other's index", swapped("i4"), swapped("i6")),
    ]
}

/// What a hypothesis for all integers says, and what it may speak of.
pub(super) fn instances() -> Vec<Trap> {
    // `[goal] * 1 = 1` by the certificate `c1`.
    let shown = |tables: &str, entries: &str, goal: &str, cert: &str| {
        let tables = format!("{tables}\nc1 {cert}\nt4 guard {goal} t0\ns0 rule guard_true t4 c1");
        stated(NO_LAWS, &tables, entries, "claim t4 t0 s0")
    };
    let last = "combine 2 1*0 1*1 absurd 2";
    let positive = |instance: &str| shown("", "x5 all 1 l0 p0", "p1", &format!("{instance} {last}"));
    let second = |k: &str| {
        let cert = format!("instance {k} 1 i2 {last}");
        shown("p2 le i6 i3", "x5 all 1 l0 p2\nx6 all 1 l0 p0", "p1", &cert)
    };
    let pair = |arguments: &str| {
        let tables = "i7 bound 1\np2 le i3 i7\np3 le i0 i4";
        shown(tables, "x5 all 2 l0 l0 p2", "p3", &format!("instance 0 2 {arguments} {last}"))
    };
    let idle = |k: &str| {
        shown(
            "i7 read bound 0 1 i1\np2 le i1 i2",
            "x5 all 1 l0 p0",
            "p2",
            &format!("instance 0 1 {k} absurd 0"),
        )
    };
    let known = |entries: &str| {
        let tables = "i7 bound 1\ni8 read bound 0 1 i1\ni9 read free 3 1 i3\ni10 read free 4 1 i3\ni11 read free 9 1 i3
             i12 free 1\np2 le i3 i7\np3 le i1 i8\np4 le i1 i9\np5 le i1 i10\np6 le i1 i11\np7 le i1 i12\np8 le i1 i3
             i13 read free 5 1 i1\np9 le i1 i4\ns0 refl t0 t0";
        stated(NO_LAWS, tables, entries, "claim t0 t0 s0")
    };
    let general = |wrong: &str| {
        trap(
            "a general hypothesis that means nothing",
            known("x5 all 1 l0 p0"),
            known(&format!("x5 all {wrong}")),
        )
    };
    let mut found: Vec<Trap> =
        ["1 l0 p2", "0 p0", "1 l0 p3", "1 l0 p4", "1 l0 p5", "1 l0 p6", "1 l0 p7"].map(general).to_vec();
    found.extend([
        trap("a hypothesis with a variable of its own", known("x5 hyp p9"), known("x5 hyp p0")),
        trap(
            "an extent that reads what comes later",
            known("x5 tensor l0 f32 a0 i4"),
            known("x5 tensor l0 i64 a0 i13\nx6 index l0"),
        ),
        trap("an instance at another place", positive("instance 0 1 i2"), positive("instance 0 1 i1")),
        trap("an instance of what is not there", positive("instance 0 1 i2"), positive("instance 1 1 i2")),
        trap("an instance at too few", positive("instance 0 1 i2"), positive("instance 0 0")),
        trap("an instance at too many", positive("instance 0 1 i2"), positive("instance 0 2 i2 i2")),
        trap(
            "a general hypothesis as a fact",
            positive("instance 0 1 i2"),
            shown("", "x5 all 1 l0 p0", "p1", last),
        ),
        trap("one general hypothesis as another", second("1"), second("0")),
        trap("the variables of a general hypothesis exchanged", pair("i0 i4"), pair("i4 i0")),
        trap("an instance at a bound variable", idle("i0"), idle("i3")),
        trap("an instance at an element at what is bound", idle("i4"), idle("i6")),
        trap("an instance at an element of what is bound", idle("i4"), idle("i7")),
    ]);
    found
}
