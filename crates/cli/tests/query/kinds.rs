//! Kinds of queries that had no answer or a wrong one: what stands in them is settled before anything is compiled.

use super::{answer, folder, run};
use std::fs;

const DAYS: (&str, &str) = (
    "D.csv",
    "g,d,e,s,f\na,2000-01-01,1999-12-31,x,1e0\na,2024-01-01,1969-12-31,y,-2.5e0\nb,1960-02-28,1960-03-01,z,0e0\n",
);

/// The refusal of a query.
fn refusal(name: &str, files: &[(&str, &str)], query: &str) -> String {
    let folder = folder(name);
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("a table");
    }
    let done =
        run(&folder, &format!("if atl query \"{query}\" --tables . --backend cranelift; then exit 9; fi"));
    assert_eq!(done.status.code(), Some(0), "{query}: {}", String::from_utf8_lossy(&done.stdout));
    String::from_utf8_lossy(&done.stderr).into_owned()
}

#[test]
fn the_difference_of_two_dates_is_a_number_of_days() {
    let check =
        |query: &str, expected: &str| assert_eq!(answer("dates", &[DAYS], query), expected, "{query}");
    check("select g, max(d) - min(d) as n from D group by g order by g", "g,n\na,8766\nb,0\n");
    check("select g, max(d) - min(e) as n from D group by g order by n desc", "g,n\na,19724\nb,-2\n");
    check("select count(*) as n from D having max(d) - min(d) > 3", "n\n3\n");
    check("select count(*) as n from D having min(d) - date '1960-02-28' <> 0", "n\n");
    check("select sum(d - e) as n, max(e - d) as m from D", "n,m\n19723,2\n");
    check("select d - e as n, s from D where d - e < 100 order by n", "n,s\n-2,z\n1,x\n");
    check("select max(d) - min(d) as n from D where s = 'q'", "n\n\"\"\n");
    for wrong in [
        "max(s) - min(s)",
        "max(d) + 1",
        "max(d) * 2",
        "-max(d)",
        "max(d) + min(d)",
        "max(d) - count(*)",
        "sum(d + 1)",
    ] {
        let said = refusal("dates", &[DAYS], &format!("select {wrong} as n from D"));
        assert!(said.contains("error[E0546]"), "{wrong}: {said}");
    }
}

#[test]
fn a_column_that_is_text_by_one_of_its_fields_is_refused_with_that_field() {
    let files = [("T.csv", "a,b,c,d,e\n1,2.5,+3,2024-01-05,x\n2,NA,4,05/02/2024,y\n3,1,5,2024-03-01,\n")];
    let check = |query: &str, expected: &[&str]| {
        let said = refusal("text_by", &files, query);
        for part in ["error[E0546]"].iter().chain(expected) {
            assert!(said.contains(part), "{query}: {part}: {said}");
        }
    };
    let b = "the column `b` is text: in line 3 of `T` stands `NA`, which is neither a number nor a date";
    check("select sum(b) as s from T", &[b]);
    check("select sum(s.b * 2) as s from T s", &[b]);
    check("select sum(x) as s from (select b as x from T) u", &[b]);
    check("select count(*) as n from T where b > 2", &[b]);
    check("select avg(c) as n from T", &["the column `c` is text: in line 2 of `T` stands `+3`"]);
    let d = "the column `d` is text: in line 3 of `T` stands `05/02/2024`";
    check("select month(d) as m, count(*) as n from T group by month(d)", &[d]);
    check("select max(d) - min(d) as n, sum(a) as s from T", &[d]);
    // Where no column is to blame, none is blamed.
    let said = refusal("text_by", &files, "select sum('x') as s from T");
    assert!(!said.contains("is text"), "{said}");
}

#[test]
fn what_is_to_be_typed_for_empty_fields_names_the_table() {
    let files = [("T.csv", "a,b\n1,2\n,3\n")];
    let said = refusal("empty_named", &files, "select sum(u.a) as s from T u");
    assert!(said.contains("`--empty T.a=0`"), "{said}");
    for (name, text, value) in [("texts", "x", ""), ("days", "2024-01-01", "1970-01-01")] {
        let file = format!("a,b\n{text},2\n,3\n");
        let said = refusal(name, &[("T.csv", &file)], "select max(a) as m from T");
        assert!(said.contains(&format!("`--empty T.a={value}`")), "{said}");
    }
}

#[test]
fn a_file_with_other_separators_is_told_from_one_without_the_column() {
    for (name, text) in [("semicolons", "a;b\n1;2\n"), ("tabs", "a\tb\n1\t2\n")] {
        let said = refusal(name, &[("T.csv", text)], "select sum(a) as s from T");
        assert!(said.contains("error[E0544]") && said.contains("write the file with commas"), "{said}");
    }
}

#[test]
fn what_a_result_or_a_table_is_called_is_no_column() {
    // Each table has a column without fields that is called as a result or a table of the query is.
    let files = [("V.csv", "v,total,s,x\n1,,,\n2,,,\n"), ("W.csv", "k,w,k2\n1,5,\n2,7,\n")];
    let check =
        |query: &str, expected: &str| assert_eq!(answer("called", &files, query), expected, "{query}");
    check("select sum(v) as total from V", "total\n3\n");
    check("select sum(x.v) as s from V x", "s\n3\n");
    check("select w as k2 from W order by k2 desc", "k2\n7\n5\n");
    check("select W.w as total from V, W where V.v = W.k order by total", "total\n5\n7\n");
    // A column of one table is not one of another.
    check("select sum(W.k) as n from V, W where W.k = V.v", "n\n3\n");
    let said = refusal("called", &files, "select sum(v) as n from V group by total");
    assert!(said.contains("error[E0541]"), "{said}");
}

#[test]
fn what_a_key_settles_is_there_without_being_named() {
    let check =
        |query: &str, expected: &str| assert_eq!(answer("settled", &[DAYS], query), expected, "{query}");
    check(
        "select extract(year from d) as y, count(*) as n from D group by d order by d",
        "y,n\n1960,1\n2000,1\n2024,1\n",
    );
    check(
        "select month(d) as m, day(e) as n from D group by d, e order by year(d)",
        "m,n\n2,1\n1,31\n1,31\n",
    );
    check("select case when g = 'a' then 1 else 2 end as k from D group by g order by k desc", "k\n2\n1\n");
    check(
        "select year(d) * 2 as y, count(*) as n from D group by year(d) order by y",
        "y,n\n3920,1\n4000,1\n4048,1\n",
    );
    check("select d - e as n, count(*) as k from D group by d - e order by n", "n,k\n-2,1\n1,1\n19724,1\n");
    check("select f, count(*) as n from D group by f order by f", "f,n\n-2.5,1\n0.0,1\n1.0,1\n");
    check(
        "select min(f) as a, max(f * 2) as b, max(case when g = 'a' then s else g end) as c from D",
        "a,b,c\n-2.5,2.0,y\n",
    );
    let said = refusal("settled", &[DAYS], "select day(d) as n, count(*) as k from D group by year(d)");
    assert!(said.contains("error[E0549]"), "{said}");
    let said = refusal("settled", &[DAYS], "select g, count(*) over (order by g) as n from D");
    assert!(said.contains("error[E0543]: a window, `over`, is not supported"), "{said}");
}

#[test]
fn columns_of_several_tables_with_one_name_are_told_apart() {
    let files = [("A.csv", "id,k\n1,7\n2,8\n"), ("B.csv", "id,k\n5,7\n6,9\n")];
    let check =
        |query: &str, expected: &str| assert_eq!(answer("told_apart", &files, query), expected, "{query}");
    check("select A.id, B.id from A, B where A.k = B.k", "A_id,B_id\n1,5\n");
    check("select a.id, a.k, b.id from A a, B b where a.k = b.k order by b_id", "a_id,k,b_id\n1,7,5\n");
    check("select A.id, B.id as other from A, B where A.k = B.k", "id,other\n1,5\n");
    check("select A.id as x, B.id as y from A, B where A.k = B.k order by x", "x,y\n1,5\n");
    let said = refusal("told_apart", &files, "select A.id, B.id from A, B where A.k = B.k order by id");
    assert!(said.contains("error[E0545]: two tables have a column `id`"), "{said}");
    check("select id, id from A", "id,id_2\n1,1\n2,2\n");
    check("select id as k, k from A order by k_2", "k,k_2\n1,7\n2,8\n");
    let said = refusal("told_apart", &files, "select A.id as v, B.id as V from A, B where A.k = B.k");
    assert!(said.contains("error[E0545]: two columns of the result are called"), "{said}");
}

#[test]
fn what_is_not_supported_has_a_rewrite() {
    let files = [("A.csv", "id,k\n1,7\n2,8\n"), ("B.csv", "id,k\n5,7\n6,9\n")];
    for (query, rewrite) in [
        ("select x.k from A x join B y using (id, k)", "write `on x.id = y.id and x.k = y.k`"),
        ("select k from A left join B on A.id = B.id", "write `join … on …`"),
        ("select k from A union select k from B", "ask each query by itself"),
        ("select k from A where id in (select id from B)", "with `--out T.csv`"),
        ("with t as (select k from A) select k from t", "with `--out T.csv`"),
        ("select k, count(distinct id) as n from A group by k", "select distinct a, c from R"),
        ("select sum(id) filter (where k = 7) as n from A", "`sum(case when … then … else 0 end)`"),
        ("select k from A where k is not null", "`--empty TABLE.COLUMN=VALUE`"),
        ("select id / k as q from A", "`sum(a) / sum(b)`"),
        ("select * from A", "name the columns"),
    ] {
        let said = refusal("rewrites", &files, query);
        assert!(said.contains("error[E0543]") && said.contains(rewrite), "{query}: {said}");
    }
}

#[test]
fn what_holds_always_or_never_is_left_out() {
    let files = [("P.csv", "id,k,s\n1,2,x\n2,3,y\n"), ("Q.csv", "id,k,s\n1,2,x\n2,3,y\n5,5,z\n")];
    let check = |query: &str, expected: &str| assert_eq!(answer("known", &files, query), expected, "{query}");
    let from = "select P.k, count(*) as n from P, Q where P.s = Q.s and";
    for never in [
        "1 not between 1 and 5",
        "1 = 2",
        "not (1 = 1)",
        "P.s = 'nowhere'",
        "(2 < 1 or P.s = 'q')",
        "P.k <> P.k",
        "false",
    ] {
        check(&format!("{from} {never} group by P.k"), "k,n\n");
        check(
            &format!(
                "select count(*) as n, sum(P.k) as t, max(Q.s) as m from P, Q where P.s = Q.s and {never}"
            ),
            "n,t,m\n0,,\n",
        );
    }
    for always in ["1 between 1 and 5", "not 1 = 2", "P.s <> 'nowhere'", "P.k = P.k", "(1 = 2 or true)"] {
        check(&format!("{from} {always} group by P.k order by P.k"), "k,n\n2,1\n3,1\n");
    }
    check("select sum(case when s = 'nowhere' then 1 else k end) as n from Q", "n\n10\n");
    check("select x.k as a, y.k as b from P x, Q y where x.id = y.id order by a desc, b", "a,b\n3,3\n2,2\n");
}

#[test]
fn tables_without_rows_have_columns_of_any_type() {
    let files = [("N.csv", "id,s,d\n"), ("M.csv", "id,s,d\n1,x,2024-01-01\n")];
    let check = |query: &str, expected: &str| assert_eq!(answer("empty", &files, query), expected, "{query}");
    check("select count(*) as n from N where s = 'x'", "n\n0\n");
    check("select count(*) as n from N where s like 'x%' and d < '2024-01-01' and year(d) = 1", "n\n0\n");
    check("select max(N.d) - min(M.d) as n, min(N.s) as s from N, M where N.s = M.s", "n,s\n,\n");
    check("select N.s, count(*) as n from N group by N.s having min(N.d) > '2024-01-01'", "s,n\n");
    check(
        "select M.s, sum(case when N.d < '2020-01-01' then 1 else 2 end) as n from N, M where N.d = M.d and N.id = M.id group by M.s, N.s",
        "s,n\n",
    );
    check("select s, d, id from N order by d", "s,d,id\n");
}

#[test]
fn truth_values_are_conditions() {
    let files = [("T.csv", "a,b\n1,true\n2,false\n4,true\n")];
    let check = |query: &str, expected: &str| assert_eq!(answer("truth", &files, query), expected, "{query}");
    check("select sum(a) as n from T where b", "n\n5\n");
    check("select sum(a) as n from T where not b or b = true and a > 1", "n\n6\n");
    check("select b, count(*) as n from T group by b order by b", "b,n\nfalse,1\ntrue,2\n");
    let said = refusal("truth", &files, "select sum(a) as n from T where a");
    assert!(said.contains("error[E0546]"), "{said}");
}

#[test]
fn numbers_of_one_column_are_in_order_whatever_they_became() {
    // Some products leave 64 bits, and are exact all the same.
    let big = 3_000_000_000_000_000_000i64;
    let files = [("B.csv", &*format!("g,v\na,1\nb,{big}\nc,-{big}\n"))];
    let query = "select g, sum(v) * 10 as n from B group by g order by n desc";
    assert_eq!(answer("big", &files, query), "g,n\nb,30000000000000000000\na,10\nc,-30000000000000000000\n");
}

#[test]
fn what_no_row_can_be_is_settled_before_anything_is_compiled() {
    let tables = [
        ("S.csv", "a,b,g,d\n2,1,1.2,2024-12-31\n-3,4,-0.5,1970-01-01\n"),
        ("R.csv", "a,g,d,t\n2,1.2,2000-02-29,x\n2,0.1,1999-01-01,y\n-3,-0.5,1980-01-01,y\n"),
    ];
    let check = |condition: &str, expected: &str| {
        let from = "from S join R on S.a = R.a where R.g = S.g";
        let query = format!("select count(*) as n, min(R.t) as t {from} and {condition}");
        assert_eq!(answer("settled", &tables, &query), format!("n,t\n{expected}\n"), "{condition}");
    };
    let (all, none) = ("2,x", "0,");
    check("S.b <> 9223372036854775807", all);
    check("S.b = 9223372036854775807", none);
    check("S.b > 9223372036854775807", none);
    check("S.b < 9223372036854775807", all);
    check("S.a = 1.5", none);
    check("not (S.a * 2 + 4 = 1.5)", all);
    check("S.a * 0.5 = 1", "1,x");
    check("R.d < date '2000-03-01'", all);
    check("S.d between '9999-12-31' and '1970-01-01'", none);
    check("S.d between '2024-12-31' and '1970-01-01'", none);
}
