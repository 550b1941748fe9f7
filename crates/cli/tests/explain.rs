//! `atl show` and `atl explain`.

use crate::common::{Folder, json};

/// A stage's text holds this.
fn check(folder: &Folder, words: &str, holds: &str) {
    let text = folder.done(&format!("show p.atl {words}"));
    assert!(text.contains(holds), "atl show p.atl {words}\n{text}");
}

#[test]
fn every_stage_is_shown() {
    let folder = Folder::new("show");
    check(&folder, "", "fn ramp(n: size)");
    check(&folder, "--fn rows", "sum j < M { a[i, j] }");
    check(&folder, "--fn rows --notation math", "∑ j < M");
    check(&folder, "--schedule wide", "gen i.o < ceil_div(N, 4) @parallel");
    check(&folder, "--schedule wide --stage source", "gen i < N {");
    check(&folder, "--schedule wide --stage normal", "i.o");
    check(&folder, "--schedule wide --stage loops", "parallel for");
    check(&folder, "--schedule wide --stage c", "#pragma omp parallel for");
    check(&folder, "--fn scale --stage c", "int32_t scale(");
}

#[test]
fn unknown_names_are_refused() {
    let folder = Folder::new("show_refuses");
    folder.refused("show p.atl --fn nothing", "E0510");
    folder.refused("show p.atl --schedule nothing --fn rows", "E0511");
    folder.refused("show p.atl --schedule wide --fn scale", "E0513");
}

#[test]
fn functions_may_have_schedules_of_one_name() {
    let folder = Folder::new("schedules_of_one_name");
    let f = |name: &str, steps: &str| {
        format!(
            "fn {name}(x: f32[N]) -> f32[N] {{ gen i < N {{ 2.0 * x[i] }} }}\nschedule s of {name} {{ {steps} }}\n"
        )
    };
    let text = format!("{}{}", f("f", "split i by 4;"), f("g", "split i by 8;"));
    folder.write("p.atl", &text);
    folder.done("check p.atl");
    check(&folder, "--fn f --schedule s", "ceil_div(N, 4)");
    check(&folder, "--fn g --schedule s", "ceil_div(N, 8)");
    assert!(folder.done("explain p.atl --fn g --schedule s").contains("split i by 8;"));
    assert!(folder.done("bench p.atl --schedules source,s --fn g --size 64 --rounds 1").contains("\ns "));
    for command in ["show p.atl", "explain p.atl", "build p.atl -o out"] {
        let why = folder.refused(&format!("{command} --schedule s"), "E0512");
        assert!(why.contains("there is a schedule `s` of each of `f`, `g`"), "{why}");
    }
    folder.write("p.atl", format!("{text}schedule s of g {{ unroll i; }}\n"));
    folder.refused("check p.atl", "E0207");
}

#[test]
fn sizes_that_a_stage_does_not_have_are_refused() {
    let folder = Folder::new("show_sizes");
    check(&folder, "--fn ramp --stage order --set n=3", "n = 3");
    for stage in ["source", "scheduled", "normal", "loops", "c"] {
        folder.refused(&format!("show p.atl --fn ramp --stage {stage} --set n=3"), "E0613");
    }
    folder.refused("show p.atl --fn ramp --set n=3", "E0613");
}

#[test]
fn a_derivation_is_explained_step_by_step() {
    let folder = Folder::new("explain");
    let text = folder.done("explain p.atl --schedule wide");
    for part in [
        "step 1, line 7:  split i by 4;",
        "step 2, line 8:  parallel i.o;",
        "-     gen i < N { sum j < M { a[i, j] } }",
        "theorem  rows as written ≡ rows under wide",
        "rounding bitwise",
        "every read is in bounds",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    let text = folder.done("explain p.atl --schedule sums");
    assert!(text.contains("add_assoc") && text.contains("rounding real"), "{text}");
    assert!(text.contains("sum o<ceil_div(n, k). sum j<k."), "{text}");
    assert!(folder.done("explain p.atl --fn scale").contains("scale as written"));
}

#[test]
fn a_refused_step_is_shown_with_the_program_it_was_given() {
    let folder = Folder::new("explain_refused");
    folder.write("lib.atl", "def tiles(L, k) { split L by k; unroll L.i; }\ntheorem swap(a: i32, b: i32): a + b == b + a { rw add_comm; }\n");
    folder.write(
        "own.atl",
        "import \"lib.atl\"\nfn f(x: i32[N], y: i32[N]) -> i32[N] { gen i < N { x[i] + y[i] } }\n\
         schedule all_but_one of f { rw swap; tiles i, 4; unroll z; }\nschedule well of f { rw swap backwards; tiles i, 4; }\n",
    );
    let outcome = folder.atl("explain own.atl --schedule all_but_one");
    for part in
        ["step 1  rw swap;", "step 2  split i by 4;", "step 3  unroll i.i;", "after step 3", "gen i.o <"]
    {
        assert!(outcome.stdout.contains(part), "no `{part}` in\n{}", outcome.stdout);
    }
    assert!(outcome.stderr.contains("E0303"), "{}", outcome.stderr);
    let text = folder.done("explain own.atl --schedule well");
    assert!(text.contains("a + b  ==  b + a"), "{text}");
}

#[test]
fn a_derivation_is_a_page_or_json() {
    let folder = Folder::new("explain_forms");
    assert_eq!(folder.done("explain p.atl --schedule sums --html out.html"), "");
    let page = folder.read("out.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("rw split_sum with k = 2 everywhere") && page.contains("i &lt; N"), "{page}");
    let e = json::parse(&folder.done("explain p.atl --schedule sums --json"));
    assert_eq!(e.field("theorem").field("rounding").text(), "real");
    let step = &e.field("steps").list()[0];
    assert!(step.field("theorem").field("inferences").number() > 1.0);
    assert!(!step.field("changes").list().is_empty() && !e.field("obligations").list().is_empty());
    folder.refused("explain p.atl --schedule sums --html nowhere/out.html", "E0610");
    folder.refused("explain missing.atl --schedule sums", "E0601");
}

#[test]
fn names_are_explained() {
    let folder = Folder::new("explain_names");
    assert!(folder.done("explain e0401").starts_with("# E0401"));
    assert!(folder.done("explain split_sum").contains("sum o<ceil_div(n, k)"));
    let split = folder.done("explain split");
    assert!(split.contains("operator `split`") && split.contains("directive `split`"), "{split}");
    assert!(folder.done("explain min_plus").contains("addition min with zero inf"));
    for list in ["rules", "operators", "directives", "semirings", "errors"] {
        assert!(folder.done(&format!("explain {list}")).lines().count() > 5, "{list}");
        let entries = json::parse(&folder.done(&format!("explain {list} --json")));
        assert!(!entries.list()[0].field("summary").text().is_empty(), "{list}");
    }
    assert!(folder.refused("explain spilt", "E0611").contains("`split`"));
    folder.refused("explain zyzzyva", "E0611");
}

#[test]
fn what_is_misspelt_is_asked_back() {
    let folder = Folder::new("explain_misspelt");
    let check = |what: &str, help: &str| {
        let diagnostic = folder.refused(&format!("explain {what}"), "E0611");
        assert!(diagnostic.contains(help), "{what}: {diagnostic}");
    };
    check("vectorise", "did you mean `vectorize`?");
    check("format", "`formats`");
    check("nothing", "are lists of what there is");
}
