//! Tables whose equations go round in a circle: diamonds, and what is searched where the circle closes.

use super::groups::explained;
use super::{answer, folder, run};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

/// Rows of two keys and a number, some of them several times.
fn edges(seed: u64, count: usize, keys: u64) -> Vec<[i64; 3]> {
    let mut state = seed;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((state >> 33) % n).expect("a small number")
    };
    (0..count).map(|_| [below(keys), below(keys), below(7) - 3]).collect()
}

fn csv(rows: &[[i64; 3]]) -> String {
    rows.iter().fold("a,b,v\n".to_owned(), |mut text, [a, b, v]| {
        let _ = writeln!(text, "{a},{b},{v}");
        text
    })
}

#[test]
fn diamonds_are_counted_as_often_as_their_rows_are_there() {
    let (e, f) = (edges(3, 90, 11), edges(8, 70, 13));
    let files = [("E.csv", &*csv(&e)), ("F.csv", &*csv(&f))];
    let query = "select count(*) as n from E w, F x, F y, E z where w.a = x.a and w.b = y.a and x.b = z.a and z.b = y.b";
    let mut count = 0;
    for w in &e {
        for x in f.iter().filter(|x| x[0] == w[0]) {
            for y in f.iter().filter(|y| y[0] == w[1]) {
                count += e.iter().filter(|z| z[0] == x[1] && z[1] == y[1]).count();
            }
        }
    }
    assert_eq!(answer("diamonds", &files, query), format!("n\n{count}\n"));
    assert!(explained("diamonds", query).contains("from each end the paths over two tables are counted"));
    // One more condition is looked at row by row.
    let less = format!("{query} and w.v < z.v");
    assert!(!explained("diamonds", &less).contains("from each end"));
    // Two pairs of tables that meet in two columns each are no circle.
    let pairs = "select count(*) as n from E w, E x, F y, F z where w.a = x.a and w.b = x.b and y.a = z.a and y.b = z.b";
    let twice =
        |rows: &[[i64; 3]]| rows.iter().flat_map(|x| rows.iter().filter(move |y| x[..2] == y[..2])).count();
    assert_eq!(answer("diamonds", &files, pairs), format!("n\n{}\n", twice(&e) * twice(&f)));
    let none = [("E.csv", "a,b,v\n"), ("F.csv", &*csv(&f))];
    assert_eq!(answer("no-diamonds", &none, query), "n\n0\n");
}

#[test]
fn an_equation_that_closes_a_circle_is_searched() {
    let (e, f) = (edges(5, 80, 9), edges(6, 60, 9));
    let files =
        [("E.csv", &*csv(&e)), ("F.csv", &*csv(&f)), ("K.csv", "k,s\n0,x\n1,y\n2,x\n3,z\n5,x\n8,y\n")];
    let from = "from E x, F y, E z where x.b = y.a and y.b = z.a and z.b = x.a";
    let query = format!(
        "select x.a, sum(x.v * y.v + z.v) as n, count(*) as k, max(z.v) as m {from} and x.v <= z.v group by x.a order by x.a"
    );
    let mut groups: BTreeMap<i64, (i64, i64, i64)> = BTreeMap::new();
    for x in &e {
        for y in f.iter().filter(|y| y[0] == x[1]) {
            for z in e.iter().filter(|z| z[0] == y[1] && z[1] == x[0] && x[2] <= z[2]) {
                let group = groups.entry(x[0]).or_insert((0, 0, i64::MIN));
                *group = (group.0 + x[2] * y[2] + z[2], group.1 + 1, group.2.max(z[2]));
            }
        }
    }
    let lines: String = groups.iter().map(|(a, (n, k, m))| format!("{a},{n},{k},{m}\n")).collect();
    assert_eq!(answer("closing", &files, &query), format!("a,n,k,m\n{lines}"));
    let plan = explained("closing", &query);
    assert!(plan.contains("is searched") && plan.contains("@search"), "{plan}");
    // What is looked up from a table that is searched, and texts.
    let query = "select K.s, count(*) as n from E x, F y, E z, K where x.b = y.a and y.b = z.a and z.b = x.a and z.v = K.k group by K.s order by K.s";
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    let names = [(0, "x"), (1, "y"), (2, "x"), (3, "z"), (5, "x"), (8, "y")];
    for x in &e {
        for y in f.iter().filter(|y| y[0] == x[1]) {
            for z in e.iter().filter(|z| z[0] == y[1] && z[1] == x[0]) {
                for (_, name) in names.iter().filter(|(k, _)| *k == z[2]) {
                    *groups.entry(name).or_default() += 1;
                }
            }
        }
    }
    let lines: String = groups.iter().map(|(s, n)| format!("{s},{n}\n")).collect();
    assert_eq!(answer("closing", &files, query), format!("s,n\n{lines}"));
}

#[test]
fn conditions_that_would_wrap_are_refused_before_rows_are_put_together() {
    let rows: String = (0..100)
        .map(|n| format!("{n},{}\n", if n == 7 { 4_000_000_000_000_000_000i64 } else { n }))
        .collect();
    let folder = folder("wrapped");
    fs::write(folder.join("R.csv"), format!("a,b\n{rows}")).expect("a table");
    // Each row meets one that is another; the product of two of them would wrap.
    let query = "select x.a, y.b, count(*) as n from R x, R y where x.a - y.a = 1 and x.b * 4 > y.b group by x.a, y.b";
    let said = run(&folder, &format!("atl query \"{query}\" --tables . --backend cranelift || true"));
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("error[E0547]"), "{said}");
    let query = query.replace("x.b * 4", "x.b");
    let done = run(&folder, &format!("atl query \"{query}\" --tables . --backend cranelift"));
    assert_eq!(String::from_utf8_lossy(&done.stdout).lines().count(), 99);
}
