//! Terms that are not equal up to arithmetic, though they look it.

use super::{NO_LAWS, Trap, claimed, next, trap};

/// `left` is `same`, and it is not `other`; each with the certificates that its comparison asks for.
fn compared(name: &'static str, lines: &str, left: &str, same: (&str, &str), other: (&str, &str)) -> Trap {
    let equal = |(right, certs): (&str, &str)| {
        let step = format!("{lines}\ns0 rule arith_eq {right} {left} {certs}");
        claimed(NO_LAWS, step.trim_end(), left, right)
    };
    trap(name, equal(same), equal(other))
}

/// `N` again, spelt otherwise, so that no term of it is the same line as one of `N`.
const AGAIN: &str = "i8 add i0 i2\nt10 index f32 a0 i8\n";

/// [`compared`] for three terms that are given whole, where nothing is asked for.
fn whole(name: &'static str, lines: &str, left: &str, same: &str, other: &str) -> Trap {
    let lines = format!("{AGAIN}{lines}");
    let t = next('t', &lines);
    let names = [t, t + 1, t + 2].map(|t| format!("t{t}"));
    let [l, s, o] = names.each_ref().map(String::as_str);
    compared(name, &format!("{lines}\n{l} {left}\n{s} {same}\n{o} {other}"), l, (s, ""), (o, ""))
}

/// `arith_eq` of what differs in more than arithmetic.
pub(super) fn comparisons() -> Vec<Trap> {
    let mut all = leaves();
    all.extend(nodes());
    all.extend(operators());
    all.extend(assumptions());
    all
}

/// Variables, literals, numbers and rows.
fn leaves() -> Vec<Trap> {
    let zeros = "t10 lit f32 a1 zero\nt11 view a1 t0\nt12 view a1 t10";
    let widths = "i8 add i0 i2\nt10 index u8 a0 i0\nt11 index u8 a0 i8\nt12 index i32 a0 i0";
    let casts = "t13 prim cast f32 a0 t10\nt14 prim cast f32 a0 t11\nt15 prim cast f32 a0 t12";
    let sums = "i9 add i0 i1\ni10 add i1 i0\ni11 mul i0 i1";
    let rows = "i9 add i1 i2\ni10 add i1 i3";
    vec![
        compared("one tensor for another", "", "t2", ("t2", ""), ("t3", "")),
        compared("one number for another", "", "t1", ("t1", ""), ("t0", "")),
        compared("the zero of one algebra for another's", zeros, "t11", ("t11", ""), ("t12", "")),
        compared(
            "a number that wraps for one that does not",
            &format!("{widths}\n{casts}"),
            "t13",
            ("t14", ""),
            ("t15", ""),
        ),
        whole("a sum for a product", sums, "index f32 a0 i9", "index f32 a0 i10", "index f32 a0 i11"),
        whole("another row", rows, "get t2 i1", "get t2 i9", "get t2 i10"),
        whole("the row of another tensor", rows, "get t2 i1", "get t2 i9", "get t3 i9"),
    ]
}

/// One child of a term differs, or what the term is made with.
fn nodes() -> Vec<Trap> {
    let views = "t10 view a1 t2\nt11 view a1 t3\nt12 prim add t10 t11\nt13 view a2 t2\nt14 view a2 t3
                 t15 prim add t13 t14\nt16 view a0 t12\nt17 view a0 t15";
    // Where min(z, N) < N, and where max(z, N) < N: a condition may be of another algebra than what it chooses from.
    let conditions = "t10 view a1 t4\nt11 view a1 t5\nt12 prim add t10 t11\nt13 prim lt t12 t11\nt14 prim where t13 t1 t0
                      i8 add i0 i2\nt15 index f32 a0 i8\nt16 view a1 t15\nt17 prim add t10 t16\nt18 prim lt t17 t16\nt19 prim where t18 t1 t0
                      t20 view a2 t4\nt21 view a2 t15\nt22 prim add t20 t21\nt23 prim lt t22 t21\nt24 prim where t23 t1 t0";
    // sum i<N. (sum j<2. j) + (sum k<2. i), and with k for i.
    let loops = "t10 sum l0 i4 t7\ni8 add i5 i2\nt11 index f32 a0 i8\nt12 sum l0 i4 t11\nt13 index f32 a0 i6\nt14 sum l0 i4 t13
                 i9 add i6 i2\nt15 index f32 a0 i9\nt16 sum l0 i4 t15\nt17 prim add t10 t14\nt18 sum l0 i0 t17\nt19 prim add t12 t16
                 t20 sum l0 i0 t19\nt21 prim add t12 t12\nt22 sum l0 i0 t21";
    let used = "t11 bound 0";
    let body = "i9 add i5 i2\nt11 index f32 a0 i9";
    vec![
        whole("another operation", "", "prim add t5 t1", "prim add t10 t1", "prim mul t10 t1"),
        whole("another first operand", "", "prim add t5 t5", "prim add t10 t5", "prim add t1 t5"),
        whole("another second operand", "", "prim add t5 t5", "prim add t5 t10", "prim add t5 t6"),
        whole("another guarded term", "", "guard p0 t5", "guard p0 t10", "guard p0 t6"),
        whole("another first side", "", "select p0 t5 t1", "select p0 t10 t1", "select p0 t0 t1"),
        whole("another second side", "", "select p0 t5 t5", "select p0 t5 t10", "select p0 t5 t1"),
        whole("another body", "", "let l0 t5 t2", "let l0 t10 t2", "let l0 t10 t3"),
        whole("another bound tensor", used, "let l0 t5 t11", "let l0 t10 t11", "let l0 t6 t11"),
        whole("a sum of other terms", body, "sum l0 i0 t7", "sum l0 i0 t11", "sum l0 i0 t1"),
        whole("a sum of another extent", "", "sum l0 i0 t1", "sum l0 i8 t1", "sum l0 i1 t1"),
        whole("a loop for a sum", body, "sum l0 i0 t7", "sum l0 i0 t11", "gen l0 i0 t11"),
        whole(
            "a difference for its opposite, in a loop",
            "i9 sub i5 i0\ni10 lit -1\ni11 mul i0 i10\ni12 add i11 i5\ni13 mul i5 i10\ni14 add i0 i13
             t11 index f32 a0 i9\nt12 index f32 a0 i12\nt13 index f32 a0 i14",
            "sum l0 i0 t11",
            "sum l0 i0 t12",
            "sum l0 i0 t13",
        ),
        compared("the index of another loop", loops, "t18", ("t20", ""), ("t22", "")),
        compared("another algebra in a condition", conditions, "t14", ("t19", ""), ("t24", "")),
        compared("another algebra for a while", views, "t16", ("t16", ""), ("t17", "")),
    ]
}

/// Defined operators: one for another, or with other arguments.
fn operators() -> Vec<Trap> {
    let identity = "t11 free 0\nd0 \"f\" 0 1 0 t11\n";
    let constant = "d1 \"f\" 0 1 0 t1";
    let square = "t12 prim mul t11 t11\nd1 \"g\" 0 1 0 t12";
    // The second extent of the first argument, or the first of the second: N and M are the extents of both.
    let extents = "t11 gen l0 i1 t10\nt12 gen l0 i0 t11\nt13 gen l0 i1 t5\nt14 gen l0 i0 t13
                   d0 \"f\" 0 2 2 0 t6\nd1 \"f\" 0 2 0 2 t6";
    let parameters = "d0 \"f\" 2 0 t5\nd1 \"f\" 2 0 t6";
    let call = "op d0 0 1 t10";
    vec![
        whole(
            "another definition of that name",
            &format!("{identity}{constant}"),
            "op d0 0 1 t5",
            call,
            "op d1 0 1 t10",
        ),
        whole("another definition", &format!("{identity}{square}"), "op d0 0 1 t5", call, "op d1 0 1 t10"),
        whole(
            "a definition that names other extents",
            extents,
            "op d0 0 2 t14 t14",
            "op d0 0 2 t12 t14",
            "op d1 0 2 t12 t14",
        ),
        whole(
            "a definition of the other parameter",
            parameters,
            "op d0 2 i0 i1 0",
            "op d0 2 i8 i1 0",
            "op d1 2 i8 i1 0",
        ),
        whole(
            "another number for an operator",
            parameters,
            "op d0 2 i0 i1 0",
            "op d0 2 i8 i1 0",
            "op d0 2 i1 i1 0",
        ),
        whole("another tensor for an operator", identity, "op d0 0 1 t5", call, "op d0 0 1 t1"),
    ]
}

/// What is assumed where, and what is to be shown.
fn assumptions() -> Vec<Trap> {
    // The goal N == M by the hypothesis N == M, which is two facts.
    let equal = "c3 combine 2 1*1 1*2 absurd 3\nc4 combine 2 1*0 1*2 absurd 3\nc5 split 0 c3 c4\n";
    let with = |lines: &str| format!("{equal}{lines}");
    // N < M as often as not M <= N: the two sides of either disjunction contradict those of the other.
    let same =
        "p5 not p1\nc3 split 1 c2 c2\nc4 split 0 c3 c3\nt10 guard p0 t1\nt11 guard p5 t1\nt12 guard p1 t1";
    let selected = "p5 not p1\nc3 split 1 c2 c2\nc4 split 0 c3 c3
                    t10 select p0 t1 t0\nt11 select p5 t1 t0\nt12 select p1 t1 t0";
    let guards =
        "t10 guard p2 t5\nt11 guard p2 t6\nt12 prim add t10 t5\nt13 prim add t11 t5\nt14 prim add t11 t6";
    // An operator that says its argument's extent.
    let shapes = "i8 add i0 i2\nt10 gen l0 i8 t1\nt11 gen l0 i1 t1\nt12 guard p2 t9\nt13 guard p2 t10\nt14 guard p2 t11
                  d0 \"extent\" 0 1 1 t5\nt15 op d0 0 1 t12\nt16 op d0 0 1 t13\nt17 op d0 0 1 t14";
    // sum i<N. [i == M] * i, and with M for i, and with N.
    let inner = "c3 combine 2 1*3 1*4 absurd 5\nc4 combine 2 1*2 1*4 absurd 5\nc5 split 0 c3 c4\np5 eq i5 i1\nt10 guard p5 t7\nt11 guard p5 t6
                 t12 guard p5 t5\nt13 sum l0 i0 t10\nt14 sum l0 i0 t11\nt15 sum l0 i0 t7\nt16 sum l0 i0 t12";
    // A row of [true] * x, of [not false] * x, and of [false] * x.
    let rows = "p5 not p4\nt10 bound 0\nt11 guard p3 t10\nt12 get t11 i1\nt13 let l0 t2 t12\nt14 guard p5 t10\nt15 get t14 i1
                t16 let l0 t2 t15\nt17 guard p4 t10\nt18 get t17 i1\nt19 let l0 t2 t18";
    let bound = "t18 bound 0\nt19 op d0 0 1 t18\nt20 let l0 t12 t19\nt21 let l0 t13 t19\nt22 let l0 t14 t19";
    vec![
        compared("a guard by another predicate", same, "t10", ("t11", "c4"), ("t12", "c4")),
        compared("a selection by another predicate", selected, "t10", ("t11", "c4"), ("t12", "c4")),
        compared("what holds in a guard, outside it", &with(guards), "t12", ("t13", "c5"), ("t14", "c5 c5")),
        compared(
            "what holds on the first side, on the second",
            &with("t10 select p2 t5 t5\nt11 select p2 t6 t5\nt12 select p2 t5 t6"),
            "t10",
            ("t11", "c5"),
            ("t12", "c5"),
        ),
        compared("an index that is another in a guard only", inner, "t13", ("t14", "c5"), ("t16", "c5")),
        compared("a row of another tensor, where one is bound", rows, "t13", ("t16", "c0"), ("t19", "c0")),
        compared(
            "an extent that is equal inside a guard only, to an operator",
            &with(shapes),
            "t15",
            ("t16", ""),
            ("t17", "c5"),
        ),
        compared(
            "an extent that is equal inside a guard only, to a variable",
            &with(&format!("{shapes}\n{bound}")),
            "t20",
            ("t21", ""),
            ("t22", "c5"),
        ),
    ]
}
