//! `atl tune`.

use crate::common::{Folder, json};

const LINE: &str =
    "tune p.atl --fn rows --set N=20 --set M=30 --budget 6 --best 2 --rounds 1 --backend cranelift";

#[test]
fn schedules_are_proposed_and_measured() {
    let folder = Folder::new("tune_table");
    let table = folder.done(LINE);
    assert!(table.starts_with("rows on cranelift, N = 20, M = 30\n6 schedules tried, "), "{table}");
    assert!(table.contains("as written"), "{table}");
    let report = json::parse(&folder.done(&format!("{LINE} --json")));
    let rows = report.field("schedules").list();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0].field("steps").list().len(), 0);
    assert_eq!(rows[0].field("ratio").number(), 1.0);
    assert!(rows.iter().all(|row| row.field("rounding").text() == "bitwise"));
    let refused: f64 = report.field("refused").list().iter().map(|r| r.field("count").number()).sum();
    assert_eq!(report.field("tried").number(), 6.0);
    assert_eq!(report.field("proved").number() + refused, 6.0);
}

#[test]
fn the_written_file_is_a_program() {
    let folder = Folder::new("tune_file");
    folder.done(&format!("{LINE} -o tuned.atl"));
    assert!(folder.done("check tuned.atl").contains("checked"));
    folder.write_npy("a.npy", &[2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(folder.done("run tuned.atl --schedule tuned --in a=a.npy"), "[ 3. 12.]\n");
}

#[test]
fn a_schedule_of_that_name_stays_the_only_one() {
    let folder = Folder::new("tune_named");
    let program = folder.read("p.atl");
    folder.write("p.atl", format!("{program}\nschedule tuned of rows {{}}\n"));
    folder.done(&format!("{LINE} -o again.atl"));
    assert!(folder.read("again.atl").contains("schedule tuned_2 of rows {"), "{}", folder.read("again.atl"));
    assert!(folder.done("check again.atl").contains("checked"));
    folder.done("fmt --check again.atl");
}

#[test]
fn sizes_come_from_arrays() {
    let folder = Folder::new("tune_arrays");
    folder.write_npy("a.npy", &[2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let table =
        folder.done("tune p.atl --fn rows --in a=a.npy --budget 3 --best 1 --rounds 1 --backend cranelift");
    assert!(table.starts_with("rows on cranelift, N = 2, M = 3\n"), "{table}");
}

#[test]
fn what_cannot_be_tuned_or_written_is_refused() {
    let folder = Folder::new("tune_refused");
    folder.refused(&format!("{LINE} -o p.atl"), "E0902");
    folder.refused("explain p.atl --fn rows --proof p.atl", "E0902");
    folder.refused(&format!("{LINE} -o nowhere/q.atl"), "E0610");
    folder.write("file", "");
    // Without a measurement: the budget would take hours.
    for place in ["nowhere/q.atl", "file/q.atl", "."] {
        folder.refused(
            &format!("tune p.atl --fn rows --size 4000 --budget 10000 --rounds 1000 -o {place}"),
            "E0610",
        );
    }
    folder.refused("explain p.atl --fn rows --proof same.html --html ./same.html", "E0610");
    folder.refused("tune p.atl --budget 3", "E0512");
    folder.refused("tune p.atl --fn ramp --set n=0", "E0506");
    folder.write("s.atl", "fn f(A: f64[N] as [compressed]) -> f64 { sum i < N { A[i] } }\n");
    folder.refused("tune s.atl --size 8 --budget 3", "E0614");
}
