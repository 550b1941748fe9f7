//! Proof files made by hand: false claims that look proved, and files that would exhaust a careless reader.
//!
//! A [`Trap`] is a pair of files that differ in the one thing that makes the second claim unsound. The first must be
//! accepted, so that it is this thing, and not a slip elsewhere, for which the second is refused.

use std::fmt::Write;

/// A false claim next to a true one.
#[derive(Clone, Debug)]
pub struct Trap {
    /// What would be believed wrongly.
    pub name: &'static str,
    /// A proof.
    pub sound: String,
    /// What must be refused.
    pub unsound: String,
}

/// A file with these tables, this context and this claim.
fn file(trust: &str, tables: &str, context: &str, claim: &str) -> String {
    let mut text = String::from("atlp 1\nfunction \"trap\"\ngiven\nsource\nschedule\nresult\n");
    let _ = write!(text, "{trust}\nproof\n");
    for part in [tables, context, claim] {
        text.extend(part.lines().map(|line| line.trim().to_owned() + "\n").filter(|line| line != "\n"));
    }
    let lines = text.lines().count();
    let _ = writeln!(text, "end {lines}");
    text
}

const NO_LAWS: &str = "laws none\nrounding bitwise";

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

/// `t = t` for a term of these tables, which begin with `i0 N`, `i1 0`, `p0 0 <= N` and the literal `t0`.
fn reflexive(tables: &str, term: &str, context: &str) -> String {
    let tables = format!(
        "l0 \"N\" serial auto\na0 plus_times\ni0 free 0\ni1 lit 0\np0 le i1 i0\nt0 lit f32 a0 one\n{tables}
         s0 refl {term} {term}"
    );
    file(NO_LAWS, &tables, context, &format!("claim {term} {term} s0"))
}

/// Every trap.
pub fn traps() -> Vec<Trap> {
    let trap = |name, sound, unsound| Trap { name, sound, unsound };
    let mut all = certificates();
    all.extend(types());
    all.extend(inferences());
    all.push(trap(
        "an algebra that lacks the rule's law",
        distributed("plus_times", "i32"),
        distributed("times", "i32"),
    ));
    all.push(trap("a scalar that the algebra does not admit", literal("f32 a1"), literal("i32 a1")));
    all
}

fn distributed(algebra: &str, scalar: &str) -> String {
    let elem = format!("{scalar} a0");
    let tables = format!(
        "a0 {algebra}
         t0 lit {elem} dec:2 0\nt1 prim add t0 t0\nt2 prim mul t0 t1\nt3 prim mul t0 t0\nt4 prim add t3 t3
         s0 rule distr_l t2"
    );
    file("laws distr_l\nrounding real", &tables, "", "claim t2 t4 s0")
}

fn literal(elem: &str) -> String {
    file(
        NO_LAWS,
        &format!("a0 plus_times\na1 min_plus\nt0 lit {elem} one\ns0 refl t0 t0"),
        "",
        "claim t0 t0 s0",
    )
}

/// False side conditions, each with a certificate that is nearly right.
fn certificates() -> Vec<Trap> {
    let trap = |name, sound, unsound| Trap { name, sound, unsound };
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

/// Terms and contexts that must have no type.
fn types() -> Vec<Trap> {
    let trap = |name, sound, unsound| Trap { name, sound, unsound };
    let context = "x0 index l0\nx1 hyp p0\nx2 tensor l0 f32 a0 i0";
    let nested =
        |inner: &str| reflexive(&format!("i2 bound 0\nt1 gen l0 {inner} t0\nt2 gen l0 i0 t1"), "t2", context);
    let added = |extent: &str| {
        reflexive(&format!("i2 lit 3\nt1 gen l0 {extent} t0\nt2 free 2\nt3 prim add t1 t2"), "t3", context)
    };
    let applied = |body: &str, call: &str| {
        reflexive(&format!("t1 {body}\nt2 gen l0 i0 t0\nd0 \"trap\" 0 1 1 t1\nt3 {call}"), "t3", context)
    };
    let variable = |variable: &str| reflexive(&format!("t1 {variable}"), "t1", context);
    let among =
        |context: &str| reflexive("i2 free 3\ni3 bound 0\ni4 free 2\np1 le i1 i2\nt1 free 2", "t1", context);
    vec![
        trap("an extent that depends on the loop", nested("i0"), nested("i2")),
        trap("an operand of another shape", added("i0"), added("i2")),
        trap(
            "a definition that is not closed",
            applied("free 1", "op d0 0 1 t2"),
            applied("free 2", "op d0 0 1 t2"),
        ),
        trap(
            "a definition with too few arguments",
            applied("free 1", "op d0 0 1 t2"),
            applied("free 1", "op d0 0 0"),
        ),
        trap("a variable that is bound nowhere", variable("free 2"), variable("bound 0")),
        trap("a variable that is an integer", variable("free 2"), variable("free 0")),
        trap(
            "a context's extent that comes later",
            among(context),
            among("x0 index l0\nx1 hyp p0\nx2 tensor l0 f32 a0 i2\nx3 index l0"),
        ),
        trap(
            "a context's extent that is bound",
            among(context),
            among("x0 index l0\nx1 hyp p0\nx2 tensor l0 f32 a0 i3"),
        ),
        trap(
            "a context's extent that is a tensor",
            among(context),
            among("x0 index l0\nx1 hyp p0\nx2 tensor l0 f32 a0 i0\nx3 tensor l0 f32 a0 i4"),
        ),
        trap(
            "a hypothesis on what comes later",
            among(context),
            among("x0 index l0\nx1 hyp p1\nx2 tensor l0 f32 a0 i0\nx3 index l0"),
        ),
    ]
}

/// Inferences that do not follow.
fn inferences() -> Vec<Trap> {
    let trap = |name, sound, unsound| Trap { name, sound, unsound };
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

/// Files that are large in one respect, but within the format's limits: they must be accepted, wherever they are read.
pub fn large() -> Vec<(&'static str, String)> {
    let head = "l0 \"x\" serial auto\na0 plus_times\ni0 free 0\np0 le i0 i0\nt0 lit f32 a0 one\n";
    let lines = |n: usize, line: &dyn Fn(usize) -> String| {
        (1..=n).fold(head.to_owned(), |text, k| text + &line(k) + "\n")
    };
    let of = |tables: String, lhs: &str, rhs: &str, step: &str| {
        file(NO_LAWS, &tables, "x0 index l0", &format!("claim {lhs} {rhs} {step}"))
    };
    let term = lines(1000, &|k| format!("t{k} prim neg t{}", k - 1)) + "s0 refl t1000 t1000";
    let index = lines(1000, &|k| format!("i{k} add i{} i0", k - 1)) + "t1 index f32 a0 i1000\ns0 refl t1 t1";
    let predicate = lines(900, &|k| format!("p{k} not p{}", k - 1)) + "t1 guard p900 t0\ns0 refl t1 t1";
    let mirrors = lines(4000, &|k| match k {
        1 => "s0 refl t0 t0".to_owned(),
        k => format!("s{} sym s{}", k - 1, k - 2),
    });
    let squares = "combine 1 1*0 ".repeat(900);
    let steps = lines(1, &|_| format!("c0 {squares}combine 2 1*1 1*2 absurd 0"))
        .replace("p0 le i0 i0", "p0 lt i0 i0");
    let contradiction = format!("{steps}t1 lit f32 a0 zero\ns0 rule absurd t1 t0 c0");
    vec![
        ("a term that nests", of(term, "t1000", "t1000", "s0")),
        ("an index term that nests", of(index, "t1", "t1", "s0")),
        ("a predicate that nests", of(predicate, "t1", "t1", "s0")),
        ("inferences that nest", of(mirrors, "t0", "t0", "s3999")),
        (
            "a certificate of many steps",
            file(NO_LAWS, &contradiction, "x0 index l0\nx1 hyp p0", "claim t0 t1 s0"),
        ),
    ]
}

/// Files that a reader without limits would need too much memory, stack or time for. Their claims may well be true.
pub fn oversized() -> Vec<(&'static str, String)> {
    let head = "l0 \"x\" serial auto\na0 plus_times\ni0 free 0\np0 le i0 i0\nt0 lit f32 a0 one\n";
    let chain = |first: &str, n: usize, line: &dyn Fn(usize) -> String| {
        (1..=n).fold(first.to_owned(), |mut text, k| {
            let _ = writeln!(text, "{}", line(k));
            text
        })
    };
    let of = |tables: String, term: &str| {
        let claim = format!("claim {term} {term} s0");
        file(NO_LAWS, &format!("{tables}s0 refl {term} {term}"), "x0 index l0", &claim)
    };
    let doubled = chain(head, 200, &|k| format!("i{k} add i{} i{}", k - 1, k - 1));
    let product = chain(head, 60, &|k| format!("i{k} mul i{} i{}", k - 1, k - 1));
    let pairs = chain(head, 200, &|k| format!("t{k} prim add t{} t{}", k - 1, k - 1));
    let deep = chain(head, 100_000, &|k| format!("t{k} prim neg t{}", k - 1));
    let squares = {
        // The goal denied is the fact 0 <= N; each step squares the last fact.
        let steps: String = (0..900).map(|k| format!("combine 1 1*{k}*{k} ")).collect();
        let tables = format!(
            "{head}i1 lit 0\np1 lt i0 i1\nc0 {steps}absurd 0\nt1 guard p1 t0\ns0 rule guard_true t1 c0"
        );
        file(NO_LAWS, &tables, "x0 index l0", "claim t1 t0 s0")
    };
    let certs =
        chain(&format!("{head}c0 absurd 0\n"), 200, &|k| format!("c{k} case p0 c{} c{}", k - 1, k - 1));
    let cases = {
        let tables = chain(&format!("{head}s0 refl t0 t0\n"), 200, &|k| {
            format!("s{k} cases p0 s{} s{}", k - 1, k - 1)
        });
        file(NO_LAWS, &tables, "x0 index l0", "claim t0 t0 s200")
    };
    let contexts = {
        // Each distinction is made in the context of the one outside, and all of them are long.
        let tables =
            chain(&format!("{head}s0 refl t0 t0\n"), 4_000, &|k| format!("s{k} cases p0 s{} s0", k - 1));
        let entries = (1..4_000).fold("x0 index l0\n".to_owned(), |text, k| text + &format!("x{k} hyp p0\n"));
        file(NO_LAWS, &tables, &entries, "claim t0 t0 s4000")
    };
    let mirrors = {
        let tables = chain(&format!("{head}s0 refl t0 t0\n"), 100_000, &|k| format!("s{k} sym s{}", k - 1));
        file(NO_LAWS, &tables, "x0 index l0", "claim t0 t0 s100000")
    };
    let definitions = {
        // Each definition adds the one before to itself.
        let mut tables = format!("{head}i1 free 0\nt1 free 1\nt2 prim add t1 t1\nd0 \"d0\" 0 1 1 t2\n")
            .replace("i1 free 0\n", "");
        for k in 1..100 {
            let _ = write!(
                tables,
                "t{} op d{} 0 1 t1\nt{} prim add t{} t{}\nd{k} \"d{k}\" 0 1 1 t{}\n",
                2 * k + 1,
                k - 1,
                2 * k + 2,
                2 * k + 1,
                2 * k + 1,
                2 * k + 2
            );
        }
        of(tables, "t2")
    };
    let extents = {
        // twice(x) has twice the extent of x; the variable of each `let` is twice the one outside.
        let mut tables = format!(
            "{head}i1 add i0 i0\nt1 gen l0 i1 t0\nd0 \"twice\" 0 1 1 t1\nt2 bound 0\nt3 op d0 0 1 t2\nt4 let l0 t3 t2\n"
        );
        for k in 5..200 {
            let _ = writeln!(tables, "t{k} let l0 t3 t{}", k - 1);
        }
        let _ = write!(tables, "t200 gen l0 i0 t0\nt201 let l0 t200 t199\n");
        of(tables, "t201")
    };
    let inlined = {
        // A large tensor, put in each of many places.
        let mut tables =
            chain(head, 15, &|k| format!("t{k} prim add t{} t{}", k - 1, k - 1)) + "t16 bound 0\n";
        for k in 17..27 {
            let _ = writeln!(tables, "t{k} prim add t{} t{}", k - 1, k - 1);
        }
        let _ = write!(tables, "t27 let l0 t15 t26\ns0 rule let_inline t27\n");
        file(NO_LAWS, &tables, "x0 index l0", "claim t27 t27 s0")
    };
    vec![
        ("an index term that doubles", of(doubled + "t1 index f32 a0 i200\n", "t1")),
        ("an index term of a huge degree", of(product + "t1 index f32 a0 i60\n", "t1")),
        ("a term that doubles", of(pairs, "t200")),
        ("a term that nests deeply", of(deep, "t100000")),
        ("a product of ever higher degree", squares),
        ("a certificate that doubles", of(certs, "t0")),
        ("an inference that doubles", cases),
        ("an inference that nests deeply", mirrors),
        ("contexts that are long and many", contexts),
        ("definitions that double", definitions),
        ("extents that double", extents),
        (
            "a name that is longer than names are",
            of(format!("{head}d0 \"{}\" 0 0 t0\n", "d".repeat(100_000)), "t0"),
        ),
        (
            "a count of arguments without end",
            of(format!("{head}d0 \"d\" 0 0 t0\nt1 op d0 4294967295 i0\n"), "t0"),
        ),
        (
            "a count of parameters without end",
            of(format!("{head}d0 \"d\" 4294967295 1 4294967295 t0\n"), "t0"),
        ),
        ("a number without end", of(format!("{head}i1 lit {}\n", "9".repeat(500_000)), "t0")),
        ("a line without end", of(format!("{head}t1 prim add{}\n", " t0".repeat(1 << 19)), "t0")),
        ("lets that are inlined into each other", inlined),
    ]
}
