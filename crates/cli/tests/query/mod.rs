//! `atl query`: the pages of its refusals are what happens, remedies work, and the answers of the kinds that other tests leave out.

mod circles;
mod groups;
mod kinds;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with a table `R.csv`.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("query").join(name);
    fs::create_dir_all(&path).expect("a folder");
    fs::write(path.join("R.csv"), "a,b\n1,2\n3,4\n").expect("a table");
    path
}

/// Runs a script with `atl` on the path.
fn run(folder: &Path, script: &str) -> Output {
    let atl = Path::new(env!("CARGO_BIN_EXE_atl")).parent().expect("a program lies in a folder");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([atl.to_owned()].into_iter().chain(std::env::split_paths(&others)));
    let mut command = Command::new("sh");
    command.args(["-ec", script]).current_dir(folder).env("PATH", path.expect("a path"));
    command.output().expect("a shell")
}

fn answer(name: &str, files: &[(&str, &str)], query: &str) -> String {
    let folder = folder(name);
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("a table");
    }
    let done = run(&folder, &format!("atl query \"{query}\" --tables . --backend cranelift"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("text")
}

#[test]
fn pages_of_refusals_trigger_their_codes_and_remedies_work() {
    let codes =
        ["E0540", "E0541", "E0542", "E0543", "E0544", "E0545", "E0546", "E0547", "E0548", "E0549", "E0550"];
    for code in codes {
        let page = atl_diag::explain(code).expect("a page");
        let blocks: Vec<&str> =
            page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        let [wrong, right] = blocks.as_slice() else { panic!("{code}: two blocks") };
        let folder = folder(code);
        let refused = run(&folder, wrong);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(
            refused.status.code() == Some(1) && said.contains(&format!("error[{code}]")),
            "{code}: {said}"
        );
        let done = run(&folder, right);
        assert!(done.status.success(), "{code}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn numbers_that_became_text_are_told_of() {
    let page = atl_diag::explain("E0551").expect("a page");
    let blocks: Vec<&str> =
        page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let said = |script: &str| {
        let done = run(&folder("E0551"), script);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    assert!(said(blocks[0]).starts_with("warning[E0551]: R.csv: line 3: `1234"), "{}", said(blocks[0]));
    assert_eq!(said(blocks[1]), "");
}

#[test]
fn triangles_are_counted_with_their_rows_as_often_as_they_are_there() {
    let files = [
        ("R.csv", "a,b\n1,2\n1,2\n3,4\n"),
        ("S.csv", "b,c\n2,5\n4,6\n2,7\n"),
        ("T.csv", "c,a\n5,1\n7,1\n7,1\n6,9\n"),
    ];
    let query = "select count(*) as n from R, S, T where R.b = S.b and S.c = T.c and T.a = R.a";
    assert_eq!(answer("triangles", &files, query), "n\n6\n");
}

#[test]
fn numbers_of_floating_point_are_added_up_and_choose() {
    let files = [("F.csv", "x,g\n1e0,1\n2.5,2\n-0.5,1\n")];
    let query =
        "select g, sum(x * 2) as s, max(g) as m from F where x < 2.4 or g = 2 group by g order by s desc";
    assert_eq!(answer("floats", &files, query), "g,s,m\n2,5.0,2\n1,1.0,1\n");
}

#[test]
fn rows_without_sums_are_listed_as_often_as_they_are_there() {
    let files = [("R.csv", "a,b\n3,x\n1,y\n3,x\n")];
    assert_eq!(
        answer("rows", &files, "select b, a from R where a > 0 order by a desc limit 2"),
        "b,a\nx,3\nx,3\n"
    );
    assert_eq!(answer("rows", &files, "select distinct b from R"), "b\nx\ny\n");
}

#[test]
fn arithmetic_of_a_row_is_listed_and_orders() {
    let files = [("R.csv", "a,b\n3,-1\n1,2\n3,-1\n2,0\n")];
    let query = "select a * b - 1 as x, a from R order by b * b, a desc";
    assert_eq!(answer("arithmetic", &files, query), "x,a\n-1,2\n-4,3\n-4,3\n1,1\n");
    assert_eq!(
        answer("arithmetic", &files, "select a + 1 as x, count(*) as n from R group by a order by x"),
        "x,n\n2,1\n3,1\n4,2\n"
    );
}

#[test]
fn groups_are_kept_where_a_condition_is_known_to_hold() {
    let files = [("R.csv", "a,b,s\n3,1,x\n1,2,z\n3,-1,y\n2,0,y\n")];
    let check = |having: &str, expected: &str| {
        let query = format!("select a, max(s) as last from R group by a having {having} order by a");
        assert_eq!(answer("having", &files, &query), format!("a,last\n{expected}"), "{having}");
    };
    check("count(*) > 1", "3,y\n");
    check("last between 'y' and 'z' and not a = 2", "1,z\n3,y\n");
    // A quotient by zero is neither more nor less than another number.
    check("1 / sum(b) > 0", "1,z\n");
    check("not 1 / sum(b) > 0", "");
    check("a in (1, 2.0)", "1,z\n2,y\n");
}

#[test]
fn long_lists_do_not_nest_as_deep_as_they_are_long() {
    let list = (2..400).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let query = format!("select count(*) as n from R where a in ({list})");
    assert_eq!(answer("list", &[("R.csv", "a\n1\n7\n399\n400\n")], &query), "n\n2\n");
}

#[test]
fn what_is_long_but_not_deep_is_read() {
    let files =
        [("R.csv", "a,d,s,t,p\n1,2024-03-01,x,y,0.50\n7,2024-03-02,y,y,7.00\n300,2024-04-01,'z,x,1.25\n")];
    let check = |query: &str, expected: &str| {
        let short: String = query.chars().take(60).collect();
        assert_eq!(answer("long", &files, query), expected, "{short}");
    };
    let joined = |by: &str, part: &dyn Fn(i32) -> String| (1..=300).map(part).collect::<Vec<_>>().join(by);
    let added = joined(" + ", &|n| format!("sum(a * {n})"));
    check(&format!("select {added} as x from R"), &format!("x\n{}\n", 308 * 45150));
    let within = joined(" + ", &|n| format!("a * {n} - p"));
    check(&format!("select sum({within}) as x from R where a = 7"), "x\n313950.00\n");
    let columns = joined(", ", &|n| format!("sum(a * {n}) as c{n}"));
    assert!(answer("long", &files, &format!("select {columns} from R")).ends_with(",92092,92400\n"));
    let any = joined(" or ", &|n| format!("a = {n}"));
    check(&format!("select count(*) as n from R where {any}"), "n\n3\n");
    let all = joined(" and ", &|n| format!("a <> {n} + 1"));
    check(&format!("select sum(a) as x from R where {all}"), "x\n1\n");
    check(
        &format!(
            "select sum(a) as x from R group by s having {}",
            joined(" or ", &|n| format!("sum(a) = {n} * 7"))
        ),
        "x\n7\n",
    );
    let cases = joined(" ", &|n| format!("when a <= {n} then {n}.5"));
    check(&format!("select sum(case {cases} else 0 end) as x from R"), "x\n309.5\n");
    let numbers = |from: i32| (from..from + 5000).map(|n| format!("{n}")).collect::<Vec<_>>().join(", ");
    check(&format!("select sum(a) as x from R where a in ({})", numbers(2)), "x\n307\n");
    check(&format!("select sum(a) as x from R where a not in ({})", numbers(2)), "x\n1\n");
    check(&format!("select sum(p) as x from R where p in ({})", numbers(2)), "x\n7.00\n");
    check(&format!("select sum(a) as x from R where p in (1.250, 0.501, {})", numbers(20)), "x\n300\n");
    let days = (1..=31).map(|n| format!("'2024-03-{n:02}'")).collect::<Vec<_>>().join(", ");
    check(
        &format!("select d, count(*) as n from R where d in ({days}) group by d order by d"),
        "d,n\n2024-03-01,1\n2024-03-02,1\n",
    );
    let texts = ('a'..='y').map(|c| format!("'{c}'")).collect::<Vec<_>>().join(", ");
    check(
        &format!("select s, sum(a) as x from R where s in ({texts}) group by s order by s"),
        "s,x\nx,1\ny,7\n",
    );
    check(&format!("select sum(a) as x from R where not (s in ({texts}) and t in ({texts}))"), "x\n300\n");
}

#[test]
fn the_least_integer_is_a_number_like_any_other() {
    let least = i64::MIN;
    let files = format!("a,x\n{least},1\n{},2\n0,4\n{},8\n", least + 1, i64::MAX);
    let check = |condition: &str, expected: &str| {
        let query = format!("select sum(x) as s from R where {condition}");
        assert_eq!(answer("least", &[("R.csv", &files)], &query), format!("s\n{expected}\n"), "{condition}");
    };
    check(&format!("a > {least}"), "14");
    check(&format!("a >= {least}"), "15");
    check(&format!("a = {least}"), "1");
    check(&format!("a <> {least}"), "14");
    check(&format!("a between {least} and {}", least + 1), "3");
    check(&format!("a in ({least}, 0)"), "5");
    check(&format!("a < ({least})"), "\"\"");
    check(&format!("not {least} < a"), "1");
    check(&format!("case when a = {least} then 1 else 0 end = 1"), "1");
    let having = format!("select a, min(a) as least from R group by a having min(a) = {least}");
    assert_eq!(answer("least", &[("R.csv", &files)], &having), format!("a,least\n{least},{least}\n"));
}

#[test]
fn only_columns_that_are_words_of_the_query_are_read() {
    // Neither `t` nor `el` is named; a quoted name is, whatever its case.
    let files = [("R.csv", "a,t,el,\"x \"\"y\"\"\"\n1,,,5\n2,3,,6\n")];
    assert_eq!(answer("words", &files, "select sum(a) as total from R"), "total\n3\n");
    assert_eq!(answer("words", &files, "select sum(\\\"X \\\"\\\"y\\\"\\\"\\\") as s from R"), "s\n11\n");
}

#[test]
fn relations_are_arguments_of_programs() {
    let folder = folder("relations");
    let files = [
        ("R.csv", "a,b\nx,2024-01-01\ny,2024-01-01\nx,2024-02-01\nx,2024-02-01\nz,2024-05-01\n"),
        ("S.csv", "c,b\n7,2024-01-01\n8,2024-02-01\n8,2024-03-01\n"),
        ("P.csv", "c,p\n7,1.5\n8,0.25\n"),
        ("E.csv", "src,dst,w\n3,5,2\n5,9,4\n3,9,7\n"),
        ("D.csv", "v,d\n3,0\n5,100\n9,100\n"),
        ("start.csv", "v,d\n3,0\n"),
        ("falls.csv", "src,dst,w\n3,5,2\n5,3,-4\n"),
        ("F.csv", "src,dst\n1,2\n1,4\n4,2\n"),
        ("none.csv", "a,b\n"),
        ("wrong.csv", "a,bb\n1,2\n"),
        ("wide.csv", "a,b,k,l\n1,2,3,4\n"),
        ("real.csv", "a,b\n1e0,2\n"),
        ("twice.csv", "src,dst,w\n3,5,2\n3,5,1\n"),
        (
            "paths.atl",
            "fn paths(R: i64[A, B] as csr, S: i64[B, C] as [compressed, compressed], P: f64[C]) -> f64[A] {
             gen a { sum b, c { f64(R[a, b] * S[b, c]) * P[c] } } }
         fn total(R: i64[A, B]) -> i64 { sum a, b { R[a, b] } }
         fn relax(D: min_plus<f64>[V], E: min_plus<f64>[V, V] as csr) -> min_plus<f64>[V] {
             gen v { D[v] + sum u { D[u] * E[u, v] } } }
         fn far(E: max_plus<f64>[V, V] as csr) -> max_plus<f64>[V] { gen v { sum u { E[u, v] } } }
         fn degree(F: i64[V, V] as csr, w: i64) -> i64[V] { gen v { sum u { F[v, u] * w } } }
         fn spread(F: i64[V, V] as csr, n: size) -> i64[V, n] { gen v, k < n { i64(k) * sum u { F[v, u] } } }
         fn odd(A: size, R: i64[A + 1]) -> i64 { 0 }
         fn other(R: i64[A, B], n: size) -> i64[n] { gen i < n { 0 } }
         schedule stored of paths { rounding real; sparsify; }",
        ),
    ];
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("a file");
    }
    for backend in ["interp", "loops", "cranelift"] {
        let check = |call: &str, expected: &str| {
            let done = run(&folder, &format!("atl query paths.atl {call} --backend {backend}"));
            assert!(done.status.success(), "{call}: {}", String::from_utf8_lossy(&done.stderr));
            assert_eq!(String::from_utf8_lossy(&done.stdout), expected, "{call}");
        };
        check("--fn paths R=R.csv --tables .", "A,paths\nx,2.0\ny,1.5\n");
        check("--schedule stored R=R.csv --tables .", "A,paths\nx,2.0\ny,1.5\n");
        check("--fn total R=R.csv", "total\n5\n");
        check("--fn total R=none.csv", "total\n0\n");
        check("--fn paths R=none.csv --tables .", "A,paths\n");
        check("--fn relax \"D=D.csv\" E=E.csv", "V,relax\n3,0.0\n5,2.0\n9,7.0\n");
        check("--fn relax D=start.csv E=E.csv --iterate D --times 1", "V,relax\n3,0.0\n5,2.0\n9,7.0\n");
        check("--fn relax D=start.csv E=E.csv --iterate D", "V,relax\n3,0.0\n5,2.0\n9,6.0\n");
        // Of parallel edges the least counts, or the greatest, as `+` says.
        check("--fn relax D=D.csv E=twice.csv", "V,relax\n3,0.0\n5,1.0\n9,100.0\n");
        check("--fn relax D=start.csv E=twice.csv --iterate D", "V,relax\n3,0.0\n5,1.0\n");
        check("--fn far E=twice.csv", "V,far\n5,2.0\n");
        check("--fn degree F=F.csv --set w=3", "V,degree\n1,6\n4,3\n");
        check("--fn degree F=F.csv --set w=3 --set V=9 --time", "V,degree\n1,6\n4,3\n");
        check("--fn spread F=F.csv --set n=3", "V,n,spread\n1,1,2\n1,2,4\n4,1,1\n4,2,2\n");
    }
    let refused = |call: &str, code: &str| {
        let said = run(&folder, &format!("atl query paths.atl {call}"));
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.contains(&format!("error[{code}]")), "{call}: {said}");
        said
    };
    assert!(refused("--fn total R=wrong.csv", "E0550").contains("did you mean `bb`?"));
    assert!(refused("--fn total R=wide.csv", "E0550").contains("`k`, `l`"));
    refused("--fn total R=real.csv", "E0550");
    refused("--fn odd R=R.csv", "E0550");
    refused("--fn other R=R.csv", "E0550");
    refused("--fn total", "E0501");
    refused("--fn degree F=F.csv", "E0501");
    refused("--fn degree F=F.csv --set w=3 --set V=4", "E0550");
    refused("--fn degree F=F.csv --set w=3 --set V=-1", "E0521");
    refused("--fn degree F=F.csv --set w=3 --set U=4", "E0509");
    refused("--fn total R=R.csv --set A=3", "E0550");
    refused("--fn relax D=start.csv E=falls.csv --iterate D --at-most 50", "E0539");
    let said = run(&folder, "atl query paths.atl --fn degree F=F.csv --set w=3 --set V=9 --explain");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        said.contains("F[src, dst]: one for each row, of 3 rows\n\nV: 9 values, from 0 to 8\n"),
        "{said}"
    );
    assert!(said.contains("kernel degree(V"), "{said}");
    refused("--fn total R=R.csv S=S.csv", "E0502");
}
