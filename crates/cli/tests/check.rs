//! `atl check` and `atl fmt`.

use crate::common::{Folder, PROGRAM, json};

const UNSAFE: &str = "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i + 1] } }\n";

#[test]
fn a_sound_program_is_accepted() {
    let folder = Folder::new("check_accepts");
    assert_eq!(folder.done("check p.atl"), "p.atl: 4 functions, 2 schedules: checked\n");
}

#[test]
fn refusals_point_into_the_program() {
    let folder = Folder::new("check_refuses");
    folder.write("f.atl", UNSAFE);
    let diagnostic = folder.refused("check f.atl", "E0401");
    assert!(diagnostic.contains("f.atl:1:") && diagnostic.contains("x[i + 1]"), "{diagnostic}");
    assert!(!diagnostic.contains('\u{1b}'), "colours in a pipe");
    folder.refused("check missing.atl", "E0601");
    folder.write("g.atl", "fn g(x: f32[N]) -> f32[N] { gen i < N { x[i }");
    folder.refused("check g.atl", "E0102");
    folder.write("s.atl", "fn f(x: f32[N]) -> f32[N] { x }\nschedule s of f { tile y by 4; }");
    folder.refused("check s.atl", "E0303");
}

#[test]
fn a_step_that_does_nothing_names_one_that_does() {
    let folder = Folder::new("check_steps");
    let said = |body: &str, steps: &str, code: &str| {
        let program = format!("fn f(x: f32[N, M]) -> f32[N] {{ {body} }}\nschedule s of f {{ {steps} }}\n");
        folder.write("s.atl", &program);
        folder.refused("check s.atl", code)
    };
    // `peel` alone cuts no sum, and says which it would cut; what it names is carried out.
    for (reduction, step) in [("sum", "`peel j.o`"), ("max", "`peel j.o`")] {
        let body = format!("gen i < N {{ {reduction} j < M {{ x[i, j] }} }}");
        let diagnostic = said(&body, "split j by 16; peel;", "E0318");
        assert!(diagnostic.contains(step), "{reduction}: {diagnostic}");
        folder.write(
            "t.atl",
            format!(
                "fn f(x: f32[N, M]) -> f32[N] {{ {body} }}\nschedule s of f {{ split j by 16; peel j.o; }}\n"
            ),
        );
        folder.done("check t.atl");
    }
    let diagnostic = said("gen i < N { sum j < M { x[i, j] } }", "peel;", "E0318");
    assert!(!diagnostic.contains("cuts no sum"), "{diagnostic}");
    // A name that is wrong is told of before anything is split.
    let diagnostic = said("gen i < N { sum j < M { x[i, j] } }", "tile i, k by 8, 8;", "E0303");
    assert!(diagnostic.contains("the loops are `i` and `j`"), "{diagnostic}");
    for (step, code, list) in [("rw nothing;", "E0308", "rules"), ("unfold nothing;", "E0321", "operators")] {
        let diagnostic = said("gen i < N { sum j < M { x[i, j] } }", step, code);
        assert!(diagnostic.contains(&format!("`atl explain {list}`")), "{diagnostic}");
        assert!(!diagnostic.contains("--schedule NAME"), "{diagnostic}");
    }
}

/// What a refusal proposes is in the words of the program, and is accepted.
#[test]
fn remedies_name_the_loops_the_stages_and_the_reads_of_the_program() {
    let folder = Folder::new("check_remedies");
    let refused = |function: &str, steps: &str, code: &str, remedy: &str| {
        folder.write("s.atl", format!("{function}\nschedule s of f {{ {steps} }}\n"));
        let diagnostic = folder.refused("check s.atl", code);
        assert!(diagnostic.contains(remedy), "{remedy}: {diagnostic}");
    };
    let accepted = |function: &str, steps: &str| {
        folder.write("t.atl", format!("{function}\nschedule t of f {{ {steps} }}\n"));
        folder.done("check t.atl");
    };
    for reduction in ["sum", "max"] {
        let rows =
            format!("fn f(x: f64[N, M]) -> f64[N] {{ gen i < N {{ {reduction} n < M {{ x[i, n] }} }} }}");
        for (before, step, remedy) in [
            ("", "parallel n;", "split n by 4096; rfactor n.o as p; parallel p/n.o"),
            ("", "vectorize n;", "split n by 8; rfactor n.i as p; vectorize p/n.i by 8"),
            ("split n by 64; ", "parallel n.o;", "rfactor n.o as p; parallel p/n.o"),
        ] {
            refused(&rows, &format!("{before}{step}"), "E0405", &format!("`{remedy}`"));
            accepted(&rows, &format!("{before}{remedy};"));
        }
    }
    let stages = "fn f(x: f32[N]) -> f32[N] {
        let a = gen i < N { x[i] + 1.0 };
        let b = gen i < N { a[i] + a?[i - 1] };
        gen i < N { b[i] + b?[i - 1] }
    }";
    let first = "or first compute `b` there, which reads it";
    refused(stages, "split i by 8; compute a at i.o;", "E0316", first);
    accepted(stages, "split i by 8; compute b at i.o; compute a at i.o;");
    let twice = "fn f(x: f32[N]) -> f32[N] {
        let a = gen i < N { x[i] + 1.0 };
        let b = gen i < N { 2.0 * a[i] };
        let c = gen i < N { 3.0 * a[i] };
        gen i < N { b[i] + c?[i - 1] }
    }";
    refused(twice, "compute a at b/i;", "E0315", "the other read is in loop `c/i`");
    let product =
        "fn f(A: f64[N, M] as csr) -> f64[N, N] { gen i < N, j < N { sum k < M { A[i, k] * A[j, k] } } }";
    refused(product, "rounding real; repack A[k, _] as T;", "E0351", "it is read as `A[i, k]` and `A[j, k]`");
    refused(
        product,
        "rounding real; sparsify; repack A[j, k] as T;",
        "E0305",
        "put `repack` before `sparsify`",
    );
    accepted(product, "rounding real; repack A[j, k] as T; sparsify;");
}

#[test]
fn colours_are_written_when_asked_for() {
    let folder = Folder::new("check_colours");
    folder.write("f.atl", UNSAFE);
    assert!(folder.refused("check f.atl --color never", "E0401").contains("E0401"));
    assert!(folder.atl("check f.atl --color always").stderr.contains('\u{1b}'));
}

#[test]
fn json_holds_the_verdict_and_the_diagnostics() {
    let folder = Folder::new("check_json");
    let good = json::parse(&folder.done("check p.atl --json"));
    assert_eq!(good.field("ok"), &json::Value::Bool(true));
    assert_eq!(good.field("functions").list().len(), 4);
    folder.write("f.atl", UNSAFE);
    let outcome = folder.atl("check f.atl --json");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""));
    let bad = json::parse(&outcome.stdout);
    assert_eq!(bad.field("ok"), &json::Value::Bool(false));
    let diagnostic = &bad.field("diagnostics").list()[0];
    assert_eq!(diagnostic.field("code").text(), "E0401");
    assert_eq!(diagnostic.field("primary").field("line").number(), 1.0);
    let unreadable = folder.atl("check missing.atl --json");
    assert_eq!(json::parse(&unreadable.stdout).field("diagnostics").list().len(), 1);
}

#[test]
fn pads_are_printed_for_every_function_and_schedule() {
    let folder = Folder::new("check_pads");
    let text = folder.done("check p.atl --pads");
    let wide = "rows under wide
  trunc_r(ceil_div(N, 4) * 4 - N) [k < N]: padding where M <= 0
    flatten [k < (N + 3) / 4 * 4]: padding where N <= k || M <= 0
";
    assert!(text.starts_with("rows\n  gen [i < N]: padding where M <= 0\n") && text.contains(wide), "{text}");
    assert!(text.ends_with("p.atl: 4 functions, 2 schedules: checked\n"), "{text}");
    let timed = folder.atl("check p.atl --pads --time");
    assert!(timed.stdout == text && timed.stderr.contains("rows under wide: typed in"), "{}", timed.stderr);
    assert_eq!(folder.atl("check p.atl --time").code, Some(2));
    let report = json::parse(&folder.done("check p.atl --pads --json"));
    let wide = &report.field("pads").list()[1];
    assert_eq!((wide.field("function").text(), wide.field("schedule").text()), ("rows", "wide"));
    let flat = &wide.field("terms").list()[1];
    assert_eq!((flat.field("term").text(), flat.field("depth").number()), ("flatten", 1.0));
    assert_eq!(flat.field("padding").text(), "N <= k || M <= 0");
    assert_eq!(flat.field("shape").list()[0].field("index").text(), "k");
}

#[test]
fn schedules_that_may_change_rounding_are_refused_by_name() {
    let folder = Folder::new("check_rounding");
    let refusal = folder.refused("check p.atl --rounding bitwise", "E0702");
    assert!(refusal.contains("rw split_sum with k = 2 everywhere;"), "{refusal}");
    assert!(!refusal.contains("split i by 4"), "{refusal}");
    folder.refused("check p.atl --rounding finite", "E0702");
    folder.done("check p.atl --rounding real");
    let report = json::parse(&folder.atl("check p.atl --rounding bitwise --json").stdout);
    assert_eq!(report.field("diagnostics").list().len(), 1);
}

#[test]
fn schedules_that_declare_a_rounding_are_refused_by_name() {
    let folder = Folder::new("check_declared");
    let text = "fn f(x: f32[N]) -> f32 { sum i < N { x[i] * x[i] } }\nschedule s of f { rounding real; }\n";
    folder.write("f.atl", text);
    for class in ["bitwise", "finite"] {
        let refusal = folder.refused(&format!("check f.atl --rounding {class}"), "E0702");
        assert!(refusal.contains("the schedule declares `real`"), "{refusal}");
    }
    folder.done("check f.atl --rounding real");
}

#[test]
fn fmt_makes_the_layout_canonical() {
    let folder = Folder::new("fmt");
    folder.write("f.atl", "fn f(x:f32[N])->f32[N]{x} // kept\n");
    let untidy = folder.atl("fmt --check p.atl f.atl");
    assert_eq!((untidy.code, untidy.stdout.as_str()), (Some(1), "f.atl\n"));
    folder.done("fmt f.atl p.atl");
    assert_eq!(folder.read("f.atl"), "fn f(x: f32[N]) -> f32[N] {\n    x\n} // kept\n");
    assert_eq!(folder.read("p.atl"), PROGRAM);
    folder.done("fmt --check f.atl p.atl");
}

#[test]
fn fmt_leaves_mistaken_programs_alone() {
    let folder = Folder::new("fmt_mistaken");
    folder.write("bad.atl", "fn f(");
    folder.write("f.atl", "fn f(x:f32[N])->f32[N]{x}");
    assert_eq!(folder.atl("fmt bad.atl missing.atl f.atl").code, Some(1));
    assert_eq!(folder.read("bad.atl"), "fn f(");
    assert!(folder.read("f.atl").starts_with("fn f(x: f32[N])"), "the others are formatted all the same");
}
