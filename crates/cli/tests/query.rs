//! `atl query`: the pages of its refusals are what happens, remedies work, and the answers of the kinds that other tests leave out.

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
    let codes = ["E0540", "E0541", "E0542", "E0543", "E0544", "E0545", "E0546", "E0547", "E0548", "E0549"];
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
