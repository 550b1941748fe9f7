//! Results that are as large as what they hold, and tables that meet in several columns.

use super::{answer, folder, run};
use std::fmt::Write as _;

/// What `--explain` prints.
pub(super) fn explained(name: &str, query: &str) -> String {
    let done = run(&folder(name), &format!("atl query --explain \"{query}\" --tables ."));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("text")
}

#[test]
fn a_result_is_as_large_as_the_tuples_that_are_there() {
    let mut rows = "a,b,c,x\n".to_owned();
    for n in 0..12_000 {
        let _ = writeln!(rows, "{n},{},{},{}e-1", (n * 7919) % 12_000, n % 5, n % 3);
    }
    let files = [("W.csv", rows.as_str())];
    let check = |query: &str, expected: &str| assert_eq!(answer("wide", &files, query), expected, "{query}");
    check("select a, b, x from W where a < 2 order by a", "a,b,x\n0,0,0.0\n1,7919,0.1\n");
    check(
        "select b, a, c, count(*) as n from W where a > 11998 group by a, b, c",
        "b,a,c,n\n4081,11999,4,1\n",
    );
    check(
        "select a + b as k, c, sum(a) as n from W group by a + b, c order by k desc, c limit 1",
        "k,c,n\n23760,3,47512\n",
    );
    let lines = answer("wide", &files, "select a, b, c, sum(a) as n from W group by a, b, c");
    assert_eq!(lines.lines().count(), 12_001);
    // Of the table that is looked up from another one, too.
    let query = "select x.a, y.b, count(*) as n from W x, W y where x.b = y.a and x.a < 2 group by x.a, y.b";
    check(query, "a,b,n\n0,0,1\n1,10561,1\n");
}

#[test]
fn rows_that_meet_are_put_together_where_their_keys_are_of_several_tables() {
    let mut rows = "i,j,v\n".to_owned();
    for n in 0..3000 {
        let _ = writeln!(rows, "{},{},{}", n, (n * 17) % 1500, n % 4);
        let _ = writeln!(rows, "{},{},1", n, (n * 5 + 1) % 3000);
    }
    let files = [("A.csv", rows.as_str())];
    let product = "from A x, A y where x.j = y.i and x.v < 3";
    let query =
        format!("select x.i, y.j, sum(x.v * y.v) as n, max(y.v - x.v) as m {product} group by x.i, y.j");
    let entry = |i: i64, j: i64| if j == (i * 17) % 1500 { Some(i % 4) } else { None };
    let second = |i: i64, j: i64| if j == (i * 5 + 1) % 3000 { Some(1) } else { None };
    let of = |i: i64, j: i64| [entry(i, j), second(i, j)].into_iter().flatten().collect::<Vec<i64>>();
    let mut wanted = Vec::new();
    let columns = |i: i64| {
        let mut columns = vec![(i * 17) % 1500, (i * 5 + 1) % 3000];
        columns.sort_unstable();
        columns.dedup();
        columns
    };
    for i in 0..3000 {
        let mut cells: std::collections::BTreeMap<i64, (i64, i64)> = std::collections::BTreeMap::new();
        for k in columns(i) {
            for x in of(i, k).into_iter().filter(|x| *x < 3) {
                for j in columns(k) {
                    for y in of(k, j) {
                        let cell = cells.entry(j).or_insert((0, i64::MIN));
                        *cell = (cell.0 + x * y, cell.1.max(y - x));
                    }
                }
            }
        }
        wanted.extend(cells.into_iter().map(|(j, (n, m))| format!("{i},{j},{n},{m}")));
    }
    let found = answer("product", &files, &query);
    let found: Vec<&str> = found.lines().skip(1).collect();
    assert_eq!(found, wanted);
    assert!(explained("product", &query).contains("The rows that meet are put together first"));
}

#[test]
fn tables_that_meet_in_several_columns_meet_in_one() {
    let files = [
        ("L.csv", "p,s,d,q\n1,x,2024-01-01,5\n1,y,2024-01-01,6\n2,x,2024-01-02,7\n3,x,2024-01-03,8\n"),
        (
            "K.csv",
            "p,s,d,c\n1,x,2024-01-01,10\n1,y,2024-01-02,20\n2,x,2024-01-02,30\n2,y,2024-01-02,40\n1,y,2024-01-01,50\n",
        ),
    ];
    let check =
        |query: &str, expected: &str| assert_eq!(answer("tuples", &files, query), expected, "{query}");
    let of = |rest: &str| format!("select sum(q * c) as n from L, K where {rest}");
    check(&of("L.p = K.p and L.s = K.s"), "n\n680\n");
    check(&of("K.p = L.p and L.s = K.s and L.d = K.d"), "n\n560\n");
    check(&of("L.p = K.p and L.s = K.s and L.p = 1 and K.c > 10"), "n\n420\n");
    // A number beside a decimal, and one column in two equations.
    let more = [("A.csv", "a,b\n1,1\n2,1\n"), ("B.csv", "a,b\n1.0,1\n2.5,1\n2.0,2\n")];
    let found = answer("tuples", &more, "select count(*) as n from A, B where A.a = B.a and A.b = B.b");
    assert_eq!(found, "n\n1\n");
    let found = answer("tuples", &more, "select count(*) as n from A, B where A.a = B.b and A.b = B.b");
    assert_eq!(found, "n\n2\n");
    let plan =
        explained("tuples", "select sum(q * c) as n from L, K where L.p = K.p and L.s = K.s and L.d = K.d");
    assert!(plan.contains("p and s and d"), "{plan}");
}

#[test]
fn an_equation_in_all_alternatives_leads_from_one_table_to_the_other() {
    let files = [("E.csv", "a,b\n1,2\n2,3\n3,1\n1,3\n3,4\n4,1\n2,4\n4,2\n")];
    let alternatives = "(x.b = y.a and y.b = 1) or (y.a = x.b and y.b = 2)";
    let query = format!("select sum(x.a) as n from E x, E y where {alternatives}");
    assert_eq!(answer("or", &files, &query), "n\n20\n");
    let plan = explained("or", &query);
    assert!(plan.contains("the rows where y.a = x.b") || plan.contains("the rows where x.b = y.a"), "{plan}");
    // What one alternative says alone is no equation of the whole.
    let query = "select sum(x.a) as n from E x, E y where (x.b = y.a and y.b = 1) or y.b = 2 and x.a = 1";
    assert_eq!(answer("or", &files, query), "n\n12\n");
}
