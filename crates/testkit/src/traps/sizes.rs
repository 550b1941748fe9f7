//! Files that are large: within the format's limits, and beyond them.

use super::{NO_LAWS, file};
use std::fmt::Write;

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
    let reads =
        lines(1000, &|k| format!("i{k} read free 1 1 i{}", k - 1)) + "t1 index f32 a0 i1000\ns0 refl t1 t1";
    let predicate = lines(900, &|k| format!("p{k} not p{}", k - 1)) + "t1 guard p900 t0\ns0 refl t1 t1";
    let mirrors = lines(4000, &|k| match k {
        1 => "s0 refl t0 t0".to_owned(),
        k => format!("s{} sym s{}", k - 1, k - 2),
    });
    let squares = "combine 1 1*0 ".repeat(900);
    let steps = lines(1, &|_| format!("c0 {squares}combine 2 1*1 1*2 absurd 0"))
        .replace("p0 le i0 i0", "p0 lt i0 i0");
    let contradiction = format!("{steps}t1 lit f32 a0 zero\ns0 rule absurd t1 t0 c0");
    // Two of the largest terms, and as many fields as there may be.
    let pairs = lines(15, &|k| format!("t{k} prim add t{} t{}", k - 1, k - 1));
    let fields = format!("{pairs}m0 \"m\" 256{} none\n", " f32 a0 t0 t8".repeat(256))
        + "m1 \"m\" 1 f32 a0 t15 t15 none\ns0 refl t0 t0";
    vec![
        ("monoids of many fields and nodes", of(fields, "t0", "t0", "s0")),
        ("a term that nests", of(term, "t1000", "t1000", "s0")),
        ("an index term that nests", of(index, "t1", "t1", "s0")),
        ("reads that nest", file(NO_LAWS, &reads, "x0 index l0\nx1 tensor l0 i64 a0 i0", "claim t1 t1 s0")),
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
    let steps = {
        let tables = format!(
            "{head}i1 lit 0\np1 lt i0 i1\nc0 {}absurd 0\nt1 guard p1 t0\ns0 rule guard_true t1 c0",
            "combine 1 1 ".repeat(1100)
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
    let instances = {
        // A thousand variables that are each replaced by a thousand others.
        let bound = chain(&format!("{head}i1 bound 0\n"), 1000, &|k| format!("i{} add i{k} i1", k + 1));
        let tables = chain(&format!("{bound}i1002 add i0 i0\n"), 1000, &|k| {
            format!("i{} add i{} i0", k + 1002, k + 1001)
        });
        let proof =
            "p1 le i1001 i0\nc0 instance 0 1 i2002 absurd 0\nt1 guard p0 t0\ns0 rule guard_true t1 c0";
        file(NO_LAWS, &format!("{tables}{proof}"), "x0 index l0\nx1 all 1 l0 p1", "claim t1 t0 s0")
    };
    let variables = {
        let context = "x0 index l0\nx1 all 4294967295 l0 p0";
        file(NO_LAWS, &format!("{head}s0 refl t0 t0"), context, "claim t0 t0 s0")
    };
    let rank = {
        let context = format!("x0 index l0\nx1 tensor l0 f32 a0{}", " i0".repeat(65));
        file(NO_LAWS, &format!("{head}s0 refl t0 t0"), &context, "claim t0 t0 s0")
    };
    let context = {
        // Extents of 4,095 nodes each, which would be printed.
        let tables = chain(head, 11, &|k| format!("i{k} add i{} i{}", k - 1, k - 1)) + "s0 refl t0 t0";
        let entry = format!("tensor l0 f32 a0{}", " i11".repeat(64));
        file(NO_LAWS, &tables, &format!("x0 index l0\nx1 {entry}\nx2 {entry}"), "claim t0 t0 s0")
    };
    // A number with as many fields, or as many numbers.
    let monoid = |fields: usize, term: &str| {
        format!("{fields}{} add_comm\n", format!(" f32 a0 t0 {term}").repeat(fields))
    };
    let monoids =
        (0..1025).fold(head.to_owned(), |text, k| text + &format!("m{k} \"m{k}\" ") + &monoid(1, "t0"));
    let large = chain(head, 16, &|k| format!("t{k} prim add t{} t{}", k - 1, k - 1));
    let large = large + "m0 \"m\" " + &monoid(3, "t16");
    let counted = "m0 \"m\" 1 f32 a0 t0 t0 add_comm\ns0 rule monoid_law m0 add_comm 0 4294967295 t0";
    vec![
        ("a monoid of many fields", of(format!("{head}m0 \"m\" {}", monoid(257, "t0")), "t0")),
        ("a monoid of fields without end", of(format!("{head}m0 \"m\" 4294967295 f32 a0\n"), "t0")),
        ("more monoids than there may be", of(monoids, "t0")),
        ("monoids of many nodes", of(large, "t16")),
        ("elements without end", file(NO_LAWS, &format!("{head}{counted}"), "x0 index l0", "claim t0 t0 s0")),
        ("a tensor of many extents", rank),
        ("a context of many nodes", context),
        ("an instance that is too large", instances),
        ("a count of variables without end", variables),
        ("a count of indices without end", of(format!("{head}i1 read free 0 4294967295 i0\n"), "t0")),
        ("an index term that doubles", of(doubled + "t1 index f32 a0 i200\n", "t1")),
        ("an index term of a huge degree", of(product + "t1 index f32 a0 i60\n", "t1")),
        ("a term that doubles", of(pairs, "t200")),
        ("a term that nests deeply", of(deep, "t100000")),
        ("a product of ever higher degree", squares),
        ("a certificate of too many steps", steps),
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
