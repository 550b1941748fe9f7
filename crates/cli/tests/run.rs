//! `atl run` and `atl bench`.

use crate::common::{Folder, json};

/// A folder with the matrix `a.npy`, whose row sums are 3, 12 and 21.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write_npy("a.npy", &[3, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    folder.write_npy("x.npy", &[3], &[1.0, 2.0, -3.0]);
    folder
}

#[test]
fn every_back_end_gives_the_same_result_under_every_schedule() {
    let folder = folder("run_back_ends");
    for backend in ["c", "cranelift", "interp", "loops"] {
        for schedule in ["", "--schedule wide", "--schedule sums"] {
            let line = format!("run p.atl --fn rows {schedule} --in a=a.npy --backend {backend} --out y.npy");
            assert_eq!(folder.done(&line), "");
            let (header, sums) = folder.read_npy("y.npy");
            assert!(header.contains("(3,)"), "{header}");
            assert_eq!(sums, [3.0, 12.0, 21.0], "{line}");
        }
    }
}

#[test]
fn a_missing_compiler_is_told_once_unless_none_was_wanted() {
    let folder = folder("run_without_compiler");
    let run = |line: &str, set: &[(&str, &str)]| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = folder.command(&words);
        command.env_remove("CC").env("PATH", "/nowhere").envs(set.iter().copied());
        let done = command.output().expect("the command runs");
        assert!(done.status.success(), "{done:?}");
        (String::from_utf8(done.stdout).expect("text"), String::from_utf8(done.stderr).expect("text"))
    };
    let line = "run p.atl --fn rows --in a=a.npy";
    let (sums, said) = run(line, &[]);
    assert_eq!((sums.as_str(), said.matches("no C compiler found").count()), ("[ 3. 12. 21.]\n", 1));
    assert!(said.contains("install one or set CC") && said.contains("`--backend cranelift`"), "{said}");
    assert_eq!(run(&format!("{line} --backend cranelift"), &[]), (sums.clone(), String::new()));
    let (same, said) = run(line, &[("CC", "no-such-compiler")]);
    assert!(same == sums && said.contains("no-such-compiler"), "{said}");
}

#[test]
fn results_are_printed() {
    let folder = folder("run_prints");
    assert_eq!(folder.done("run p.atl --fn rows --in a=a.npy"), "[ 3. 12. 21.]\n");
    assert_eq!(folder.done("run p.atl --fn rows --in a=a.npy --out -"), "[ 3. 12. 21.]\n");
    assert_eq!(folder.done("run p.atl --fn ramp --set n=4"), "[0 1 2 3]\n");
}

#[test]
fn scalars_are_set() {
    let folder = folder("run_scalars");
    assert_eq!(folder.done("run p.atl --fn scale --in x=x.npy --set s=0.5"), "[ 0.5  1.  -1.5]\n");
    folder.refused("run p.atl --fn scale --in x=x.npy --set s=half", "E0521");
    folder.refused("run p.atl --fn scale --in x=x.npy --set s=1e39", "E0521");
    folder.refused("run p.atl --fn scale --set x=1 --set s=1", "E0521");
    folder.refused("run p.atl --fn ramp --set n=1.5", "E0521");
    folder.refused("run p.atl --fn ramp --set m=1", "E0509");
}

#[test]
fn two_values_for_one_name_are_refused() {
    let folder = folder("run_twice");
    for command in ["run", "bench --schedules source", "tune"] {
        folder.refused(&format!("{command} p.atl --fn ramp --set n=1 --set n=2"), "E0527");
        folder.refused(&format!("{command} p.atl --fn rows --in a=a.npy --in a=a.npy"), "E0527");
    }
    folder.refused("run p.atl --fn scale --in x=x.npy --in s=x.npy --set s=1", "E0527");
    folder.refused("show p.atl --fn ramp --stage order --set n=4 --set n=4", "E0527");
}

#[test]
fn images_are_read_and_written() {
    let folder = folder("run_images");
    folder.done("run p.atl --fn same --in a=a.npy --out image.png");
    assert_eq!(folder.done("run p.atl --fn rows --in a=image.png"), "[ 3. 12. 21.]\n");
    folder.done("run p.atl --fn same --in a=image.png --out a.csv");
    assert_eq!(folder.done("run p.atl --fn rows --in a=a.csv"), "[ 3. 12. 21.]\n");
    folder.refused("run p.atl --fn rows --in a=a.npy --out y.png", "E0522");
}

#[test]
fn results_that_cannot_be_saved_are_refused_before_the_work() {
    let folder = folder("run_unsaved");
    folder.write("file", "");
    for place in ["y.txt", "nowhere/y.npy", "file/y.npy", "nowhere/z.npz:y"] {
        // Nothing has been read yet, or the missing argument would be complained of.
        folder.refused(&format!("run p.atl --fn rows --in a=missing.npy --out {place}"), "E0522");
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let folder = folder("run_refuses");
    folder.refused("run p.atl --in a=a.npy", "E0512");
    folder.refused("run p.atl --fn rows", "E0501");
    folder.refused("run p.atl --fn rows --in b=a.npy", "E0502");
    folder.refused("run p.atl --fn rows --in a=x.npy", "E0520");
    folder.refused("run p.atl --fn rows --in a=missing.npy", "E0520");
    folder.refused("run p.atl --fn rows --in a=p.atl", "E0520");
    folder.write("short.npy", "\u{93}NUM");
    assert!(folder.refused("run p.atl --fn rows --in a=short.npy", "E0520").contains("mend the file"));
    assert!(
        folder.refused("run p.atl --fn scale --in x=x.npy --in s=2", "E0520").contains("`--set s=NUMBER`")
    );
    folder.refused("run p.atl --fn rows --in a=a.npy --set N=4", "E0504");
    folder.refused("run p.atl --fn ramp", "E0507");
    folder.refused("run p.atl --fn ramp --set n=0", "E0506");
    folder.refused("run p.atl --fn ramp --set n=-1", "E0508");
    folder.refused("run p.atl --fn rows --in a=a.npy --out nowhere/y.npy", "E0522");
}

#[test]
fn values_outside_a_semiring_and_outside_memory_are_refused() {
    let folder = folder("run_outside");
    folder.write("m.atl", "fn f(d: min_plus<f32>[N]) -> min_plus<f32> { sum i < N { d[i] } }");
    folder.write_npy("d.npy", &[3], &[1.0, f32::INFINITY, -2.0]);
    assert_eq!(folder.done("run m.atl --in d=d.npy"), "-2.\n");
    folder.write_npy("d.npy", &[2], &[1.0, f32::NEG_INFINITY]);
    assert!(folder.refused("run m.atl --in d=d.npy", "E0517").contains("-inf"));
    folder.refused("run p.atl --fn ramp --set n=1152921504606846000", "E0605");
    folder.refused("run p.atl --fn ramp --set n=9223372036854775807", "E0506");
}

#[test]
fn iterations_end_when_stable_and_are_bounded() {
    let folder = folder("run_iterate");
    folder.write(
        "i.atl",
        "fn half(x: f32[N], y: f32[N]) -> f32[N] { gen i < N { x[i] / 2 } }
         fn flip(x: f32[N]) -> f32[N] { gen i < N { -x[i] } }
         fn total(x: f32[N]) -> f32 { sum i < N { x[i] } }
         fn grow(x: max_times<f32>[N], y: max_times<f32>[N]) -> max_times<f32>[N] { gen i < N { x[i] * y[i] } }
         fn hop(at: i32[N]) -> i32[N] where 0 < N, all k < N { 0 <= at[k] < N } { gen i < N { at[at[i]] + 1 } }
         fn sparse(A: f32[N, M] as csr) -> f32[N, M] { gen i < N, j < M { A[i, j] } }",
    );
    folder.write_npy("x.npy", &[2], &[8.0, 0.0]);
    folder.write_npy("big.npy", &[2], &[3e38, 1.0]);
    folder.write("a.csv", "1,2\n0,1\n");
    folder.write("at.csv", "0,0,0\n");
    let call = "--in x=x.npy --iterate x";
    assert_eq!(folder.done(&format!("run i.atl --fn flip {call} --times 3")), "[-8. -0.]\n");
    assert_eq!(folder.done(&format!("run i.atl --fn half --in y=x.npy {call} --times 0")), "[8. 0.]\n");
    let outcome = folder.atl(&format!("run i.atl --fn half --in y=x.npy {call}"));
    assert_eq!(outcome.stdout, "[0. 0.]\n", "{}", outcome.stderr);
    assert!(outcome.stderr.contains("call 154 changed nothing"), "{}", outcome.stderr);
    let diagnostic = folder.refused(&format!("run i.atl --fn flip {call} --at-most 50"), "E0539");
    assert!(diagnostic.contains("after 50 calls"), "{diagnostic}");
    folder.refused(&format!("run i.atl --fn total {call}"), "E0538");
    folder.refused("run i.atl --fn half --in y=x.npy --in x=x.npy --iterate z", "E0538");
    folder.refused("run i.atl --fn sparse --in A=a.csv --iterate A", "E0538");
    // What was checked of the argument is checked of each that replaces it: its carrier, and what is stated of it.
    folder.refused("run i.atl --fn grow --in y=big.npy --in x=big.npy --iterate x", "E0517");
    let diagnostic = folder.refused("run i.atl --fn hop --in at=at.csv --iterate at", "E0506");
    assert!(diagnostic.contains("at[k]"), "{diagnostic}");
}

#[test]
fn rounding_is_held_to_what_was_asked() {
    let folder = folder("run_rounding");
    folder.done("run p.atl --schedule wide --in a=a.npy --rounding bitwise");
    folder.done("run p.atl --schedule sums --in a=a.npy --rounding real");
    let diagnostic = folder.refused("run p.atl --schedule sums --in a=a.npy --rounding finite", "E0702");
    assert!(diagnostic.contains("rw split_sum"), "{diagnostic}");
}

#[test]
fn times_go_to_standard_error() {
    let folder = folder("run_times");
    let outcome = folder.atl("run p.atl --fn rows --in a=a.npy --time --threads 2 --backend cranelift");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), "[ 3. 12. 21.]\n"));
    assert!(
        outcome.stderr.starts_with("rows on cranelift: ") && outcome.stderr.contains("median"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn bounds_are_measured_beside_schedules() {
    let folder = folder("roofline");
    let line = "bench p.atl --fn rows --schedules source,wide --size 20 --rounds 3 --threads 2 --roofline";
    if folder.atl("bench p.atl --fn rows --schedules source --size 2 --backend c").code != Some(0) {
        println!("skipped: no C compiler");
        return;
    }
    let table = folder.done(line);
    assert!(table.lines().nth(1).is_some_and(|head| head.ends_with("of bound")), "{table}");
    // 20 by 20 cells are read and 20 written, and each row is summed up.
    assert!(
        table.contains("bound: moving data, streaming stores") && table.contains(", 0.002 MB at"),
        "{table}"
    );
    let report = json::parse(&folder.done(&format!("{line} --json")));
    let number = |field: &str| report.field(field).number();
    assert_eq!((number("bytes_read"), number("bytes_written"), number("operations")), (1600.0, 80.0, 400.0));
    assert_eq!(report.field("bounds").list().len(), 3);
    assert!(report.field("schedules").list()[1].field("percent_of_bound").number() > 0.0);
    let table = folder.done("bench p.atl --fn scale --schedules source --set N=0 --rounds 1 --roofline");
    assert!(table.contains(" 0.000 Mflop at 0.0 Gflop/s") && !table.contains('-'), "{table}");
    // Integers have no roof of products and sums.
    let report =
        json::parse(&folder.done("bench p.atl --fn ramp --schedules source --size 9 --roofline --json"));
    assert_eq!(report.field("bounds").list().len(), 2);
}

/// What loops over stored entries do is in no size: such operations bound nothing, and moving the arrays does.
#[test]
fn sparse_schedules_are_measured_beside_what_they_move() {
    let folder = folder("roofline_sparse");
    let schedule = |format: &str| {
        let name = format.trim_matches(['[', ']']).split([',', '(']).next().unwrap_or_default();
        format!("schedule {name} of spmv {{ rounding real; compress A as {format}; sparsify; }}\n")
    };
    let schedules: String = ["csr", "coo", "[dense, hash(16)]"].map(schedule).concat();
    let body = "{ gen i < N { sum j < M { A[i, j] * x[j] } } }";
    folder.write("s.atl", format!("fn spmv(A: f64[N, M], x: f64[M]) -> f64[N] {body}\n{schedules}"));
    if folder.atl("bench s.atl --schedules source --size 2 --rounds 1 --backend c").code != Some(0) {
        println!("skipped: no C compiler");
        return;
    }
    for which in ["csr", "coo", "dense", "csr,coo", "source,csr"] {
        let line = format!("bench s.atl --schedules {which} --size 20 --rounds 1 --roofline");
        let table = folder.done(&line);
        assert!(table.contains("bound: moving data "), "{table}");
        let last = table.lines().next_back().unwrap_or_default();
        assert!(
            last.starts_with("bound: fused products and sums") && last.contains(" -, not counted"),
            "{table}"
        );
        let report = json::parse(&folder.done(&format!("{line} --json")));
        assert_eq!(report.field("bounds").list().len(), 2);
        assert!(
            *report.field("operations") == json::Value::Null && report.field("bytes_read").number() > 0.0
        );
    }
}

#[test]
fn schedules_are_timed_side_by_side() {
    let folder = folder("bench");
    let line = "bench p.atl --fn rows --schedules source,wide --size 20 --rounds 3 --backend cranelift";
    let table = folder.done(line);
    assert!(table.contains("N = 20, M = 20") && table.contains("wide"), "{table}");
    assert!(table.ends_with("not by the ratio of the medians\n"), "{table}");
    let report = json::parse(&folder.done(&format!("{line} --json --set N=7")));
    let rows = report.field("schedules").list();
    assert_eq!(rows.iter().map(|row| row.field("schedule").text()).collect::<Vec<_>>(), ["source", "wide"]);
    assert_eq!(rows[0].field("ratio").number(), 1.0);
    assert!(rows[1].field("median_ns").number() > 0.0);
    assert_eq!(report.field("sizes").list()[0].field("value").number(), 7.0);
    let (a, ramp) = (
        folder.done(&format!("{line} --in a=a.npy")),
        folder.atl("bench p.atl --fn ramp --schedules source --size 0"),
    );
    assert!(a.contains("N = 3, M = 3"), "{a}");
    let all = folder.done("bench p.atl --fn rows --size 4 --rounds 1 --backend cranelift");
    let names = all.lines().skip(2).map_while(|line| line.split_once(' ').map(|(name, _)| name));
    assert_eq!(names.take(3).collect::<Vec<_>>(), ["source", "wide", "sums"]);
    // No size of 0 satisfies what `ramp` requires; the nearest that does is taken, and said.
    assert_eq!((ramp.code, ramp.stdout.contains("n = 1")), (Some(0), true), "{}", ramp.stdout);
    folder.refused("bench p.atl --fn rows --schedules nothing", "E0511");
}

/// `1 <= at[p]` is required without need, so that what breaks it is harmless.
#[test]
fn what_arrays_hold_may_be_believed() {
    let folder = folder("run_believes");
    let requires = "all p < N { 0 <= at[p] < M }, all p < N { 1 <= at[p] }";
    let body = "{ gen i < N { x[at[i]] } }";
    folder.write("q.atl", format!("fn take(x: f64[M], at: u8[N]) -> f64[N] where {requires} {body}\n"));
    folder.write("at.csv", "2\n0\n");
    folder.write("x.csv", "1\n2\n4\n");
    for backend in ["c", "cranelift", "interp", "loops"] {
        let line = format!("run q.atl --in x=x.csv --in at=at.csv --backend {backend}");
        folder.refused(&line, "E0506");
        let line = format!("{line} --trust-input");
        match backend {
            "interp" | "loops" => drop(folder.refused(&line, "E0607")),
            _ => assert_eq!(folder.done(&line), "[4. 1.]\n"),
        }
    }
    let line = "bench q.atl --schedules source --rounds 1 --in x=x.csv --in at=at.csv";
    folder.refused(line, "E0506");
    folder.done(&format!("{line} --trust-input"));
}

/// The dense function, and two formats that schedules choose: each takes the same file as its own arrays.
#[test]
fn schedules_that_choose_formats_are_timed_side_by_side() {
    let folder = folder("bench_formats");
    let body = "{ gen i < N { sum j < M { A[i, j] * x[j] } } }";
    let schedule = |name: &str, format: &str| {
        format!("schedule {name} of spmv {{ rounding real; compress A as {format}; sparsify; }}\n")
    };
    let schedules = schedule("rows", "csr") + &schedule("entries", "coo");
    folder.write("s.atl", format!("fn spmv(A: f64[N, M], x: f64[M]) -> f64[N] {body}\n{schedules}"));
    folder.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 2\n2 3 0.5\n");
    folder.write("x.csv", "1\n2\n4\n");
    for schedule in ["", "--schedule rows", "--schedule entries"] {
        assert_eq!(folder.done(&format!("run s.atl {schedule} --in A=m.mtx --in x=x.csv")), "[2. 2.]\n");
    }
    let line = "bench s.atl --schedules source,rows,entries --rounds 1 --in A=m.mtx --in x=x.csv";
    let table = folder.done(line);
    assert!(["source", "rows", "entries"].iter().all(|name| table.contains(name)), "{table}");
    folder.done(&format!("{line} --roofline"));
}

/// A search takes steps that double, and ends where numbers do.
#[test]
fn searches_go_as_far_as_numbers() {
    let folder = folder("run_searches");
    let body = "{ sum q < n @search { [q == c] * (1 + i64(c - q)) } }";
    folder.write("far.atl", format!("fn far(n: size, c: size) -> i64 where c < n {body}\n"));
    let line = "show far.atl --stage loops";
    assert!(folder.done(line).contains("search for q"), "{}", folder.done(line));
    for backend in ["c", "cranelift"] {
        for c in [0, 1, 1 << 40, (1 << 62) - 1, 1 << 62, i64::MAX - 1] {
            let line = format!("run far.atl --set n={} --set c={c} --backend {backend}", i64::MAX);
            assert_eq!(folder.done(&line), "1\n", "{line}");
        }
    }
}

/// A path of two edges: what the file does not have is infinitely far, whether or not the parameter has a format.
#[test]
fn what_a_file_does_not_hold_is_the_semirings_zero() {
    let folder = folder("run_absent");
    let step = |name: &str, format: &str| {
        format!(
            "fn {name}(d: min_plus<f64>[N], w: min_plus<f64>[N, N]{format}) -> min_plus<f64>[N] {{
                 gen v < N {{ sum u < N {{ d[u] * w[u, v] }} }}
             }}\n"
        )
    };
    folder.write("g.atl", step("dense", "") + &step("rows", " as csr"));
    folder.write("g.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 5\n2 3 1\n");
    folder.write("d.csv", "0\ninf\ninf\n");
    for line in ["--fn dense", "--fn rows", "--fn rows --set N=3", "--fn rows --schedule none"] {
        let line = format!("run g.atl {line} --in d=d.csv --in w=g.mtx");
        let outcome = folder.atl(&line);
        assert_eq!(outcome.stdout, "[inf  5. inf]\n", "{line}\n{}", outcome.stderr);
        let told = outcome.stderr.contains("`rows` visits every element of `w`");
        assert_eq!(told, line.contains("--schedule none"), "{line}\n{}", outcome.stderr);
    }
}
