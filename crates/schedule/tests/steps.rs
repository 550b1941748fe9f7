//! What each step of a derivation proves, alone and with the others, wherever in the program it works.

use atl_arith::Arith;
use atl_diag::FileId;
use atl_kernel::Thm;
use atl_schedule::{Derivation, Library, Session, derive};

/// Carry out the schedule `s` of `f`: each step's theorem is about the body before and after it, and so is
/// that of all.
pub(crate) fn check(text: &str) -> Derivation {
    let parse = atl_syntax::parse_file(FileId(0), text);
    let mut arith = Arith::default();
    let (module, wrong) = atl_lang::elaborate(&parse.tree, &mut atl_lang::NoImports, &mut arith);
    assert!(wrong.is_empty(), "{wrong:?}");
    let (f, schedule) = (module.function("f").expect("a function"), &module.schedules[0]);
    let (library, wrong) = Library::new(&module, &mut arith);
    assert!(wrong.is_empty(), "{wrong:?}");
    let session = Session::new(&f.ctx, &f.body, &mut arith).with_library(&library);
    let done = derive(session, &schedule.steps, schedule.span);
    let done = done.unwrap_or_else(|failed| panic!("{:?}", failed.why));
    let mut body = f.body.clone();
    for step in &done.steps {
        let thm = step.thm().unwrap_or_else(|why| panic!("{}: {why:?}", step.text));
        assert_eq!((step.before(), thm.lhs(), thm.rhs()), (&body, &body, step.after()), "{}", step.text);
        assert_eq!(
            (thm.rounding(), thm.laws()),
            (step.part().rounding(), step.part().laws()),
            "{}",
            step.text
        );
        assert_eq!(thm.ctx(), &f.ctx);
        body = step.after().clone();
    }
    assert_eq!((done.thm.lhs(), done.thm.rhs()), (&f.body, &body));
    let again = Thm::replay(&f.ctx, done.thm.proof()).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!((again.lhs(), again.rhs()), (&f.body, &body));
    done
}

#[test]
fn steps_below_lets_go_outward() {
    let done = check(
        "fn f(a: f32[N]) -> f32[N] {
            let t = gen x < N { a?[x - 1] + a[x] };
            let u = gen x < N { t?[x - 1] + t[x] };
            let v = gen x < N { u?[x - 1] + u[x] };
            gen x < N { v[x] + a[x] }
        }
        schedule s of f { split x by 8; compute v at x.o; compute u at x.o; compute t at x.o; split v/x by 2; inline u; }",
    );
    // A step stays where it works.
    let depths: Vec<usize> = done.steps.iter().map(|step| step.at().len()).collect();
    assert!(depths.iter().any(|depth| *depth > 1), "{depths:?}");
}

/// What `inline` leaves is accessed, and its loops run over all of their extents: a step that looks for
/// what an iteration reads or tests finds the same as after `simplify`, and names mean the other loops.
#[test]
fn what_inline_leaves_hides_no_window_and_no_test() {
    let same = |steps: &str| {
        let lets = "let t = gen y < N, x < M { a?[y, x - 1] + a[y, x] };
            let u = gen y < N, x < M { t?[y - 1, x] + t[y, x] };";
        let by = |inlined: &str| {
            let steps = steps.replace("INLINE", inlined);
            let text = program(lets, "gen y < N, x < M { u[y, x] * 2 }", &format!("{steps} simplify;"));
            check(&text).thm.rhs().clone()
        };
        assert_eq!(by("inline u;"), by("inline u; simplify;"), "{steps}");
    };
    same("split y by 32; INLINE compute t at y.o;");
    same("INLINE compute t at y;");
    same("INLINE split y by 32; compute t at y.o;");
    same("split y by 32; INLINE stage t at y.o as w;");
    same("split y by 32; INLINE stage t[_, _] at y.o as w;");
    same("split y by 32; INLINE pack t[_, _] at y.o as w by transpose;");
    same("INLINE peel y;");
    same("INLINE peel;");
}

#[test]
fn steps_below_loops_guards_and_rounds_are_closed_by_their_binders() {
    check(
        "fn f(a: f32[N, M], n: i32) -> f32[N, M] {
            let w = gen j < M { a?[0, j] };
            gen i < N {
                let t = gen j < M { a[i, j] + w[j] };
                let u = gen j < M { t?[j + 1] * a[i, j] };
                gen j < M { [j < i] * (u[j] + t?[j - 1] + w[j]) }
            }
        }
        schedule s of f { split u/j by 4; compute u at i; inline u; split j by 4; inline t; inline w; }",
    );
    check(
        "fn f(a: f32[N]) -> f32[N] {
            let w = gen i < N { a[i] + 1 };
            iterate t < 3 from x = a {
                let y = gen i < N { x[i] * w[i] };
                let z = gen i < N { y?[i + 1] + y[i] + x[i] };
                gen i < N { z[i] + f32(t) }
            }
        }
        schedule s of f { split y/i by 4; inline z; inline y; }",
    );
}

#[test]
fn blocks_and_tactics_are_steps_of_the_script_around() {
    check(
        "fn f(a: f32[N]) -> f32[N] {
            let t = gen x < N { a?[x - 1] + a[x] };
            let u = gen x < N { t?[x - 1] + t[x] };
            let v = gen x < N { u?[x - 1] + u[x] };
            gen x < N { v[x] + a[x] }
        }
        def both(p, q) { compute p at x.o; compute q at x.o; }
        schedule s of f {
            split x by 8;
            try { compute v at x.o; compute a at x.o; }
            first_of { compute nothing at x.o; } or { compute v at x.o; }
            both u, t;
            repeat { inline u; }
        }",
    );
}

/// A function of these lets and this result, with a schedule of these steps.
fn program(lets: &str, result: &str, steps: &str) -> String {
    format!("fn f(a: f32[N, M]) -> f32[N, M] {{ {lets} {result} }} schedule s of f {{ {steps} }}")
}

/// The body that a schedule leaves, with its labels, and how many steps it has.
fn left(text: &str) -> (String, usize) {
    let done = check(text);
    let body = done.steps.last().map(|step| format!("{:?}", step.after()));
    (body.expect("steps"), done.steps.len())
}

#[test]
fn steps_at_one_loop_leave_together_what_they_leave_one_by_one() {
    let rows = "let t = gen y < N, x < M { a?[y - 1, x] + a[y, x] };
        let other = gen y < N, x < M { a[y, x] * 2 };
        let u = gen y < N, x < M { t?[y - 1, x] + t[y, x] };
        let v = gen y < N, x < M { u[y, x] + t[y, x] * other[y, x] };
        let w = gen y < N, x < M { v?[y, x - 1] + v[y, x] };";
    let result = "gen y < N, x < M { w?[y, x - 1] + w[y, x] }";
    for steps in [
        &["split y by 8", "compute w at y.o", "compute v at y.o", "compute u at y.o", "compute t at y.o"][..],
        &["split y by 8", "compute w at y.o", "inline v", "compute u at y.o", "inline t"],
        &[
            "tile y, x by 8, 4",
            "compute w at x.o",
            "compute v at x.o",
            "compute u at y.o",
            "compute t at y.o",
        ],
        &["split y by 8", "compute w at y.o", "compute v at y.o", "compute other at y.o", "compute u at y.o"],
        &["split y by 8", "compute w at y.o", "compute v at y.o", "compute u at y.o", "split u/x by 2"],
    ] {
        let together = program(rows, result, &steps.iter().map(|s| format!("{s};")).collect::<String>());
        let alone: String = steps.iter().map(|s| format!("try {{ {s}; }}")).collect();
        let alone = program(rows, result, &alone);
        assert_eq!(left(&together), left(&alone), "{steps:?}");
    }
}

#[test]
fn a_step_that_is_refused_among_others_is_refused_as_it_is_alone() {
    let refused = |lets: &str, steps: &str| {
        let text = program(lets, "gen y < N, x < M { v?[y - 1, x] + v[y, x] }", steps);
        let parse = atl_syntax::parse_file(FileId(0), &text);
        let mut arith = Arith::default();
        let (module, wrong) = atl_lang::elaborate(&parse.tree, &mut atl_lang::NoImports, &mut arith);
        assert!(wrong.is_empty(), "{wrong:?}");
        let (f, schedule) = (module.function("f").expect("a function"), &module.schedules[0]);
        let session = Session::new(&f.ctx, &f.body, &mut arith);
        let failed = derive(session, &schedule.steps, schedule.span).err().expect("a refusal");
        let span = failed.why.primary.as_ref().expect("a place").span;
        (
            failed.why.code.to_string(),
            text[span.start as usize..span.end as usize].to_owned(),
            failed.steps.len(),
        )
    };
    let is = |code: &str, place: &str, steps: usize| (code.to_owned(), place.to_owned(), steps);
    let both = "let t = gen y < N, x < M { a?[y - 1, x] + a[y, x] };
        let u = gen y < N, x < M { t?[y - 1, x] + t[y, x] };
        let other = gen y < N, x < M { t[y, x] * 2 };
        let v = gen y < N, x < M { u?[y - 1, x] + other[y, x] };";
    let split = "split y by 8; compute v at y.o; compute u at y.o;";
    let steps = format!("{split} compute t at y.o;");
    assert_eq!(refused(both, &steps), is("E0315", "compute t at y.o", 3));
    let steps = format!("{split} compute nothing at y.o;");
    assert_eq!(refused(both, &steps), is("E0305", "nothing", 3));
    let backwards = "let u = gen y < N, x < M { a?[N - 1 - y * y, x] + a[y, x] };
        let v = gen y < N, x < M { u?[N - 1 - y * y, x] + u[y, x] };";
    assert_eq!(refused(backwards, split), is("E0357", "compute u at y.o", 2));
    let in_parts = "let u = gen y < N, x < M { a?[y, x - 1] + a[y, x] }; let v = gen y < N, x < M { u?[y - 1, x] + u[y, x] };";
    let steps = "split y by 8; split v/y by 8; inline v; compute u at y.o;";
    assert_eq!(refused(in_parts, steps), is("E0357", "compute u at y.o", 3));
}
