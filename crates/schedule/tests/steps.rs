//! What each step of a derivation proves, alone and with the others, wherever in the program it works.

use atl_arith::Arith;
use atl_diag::FileId;
use atl_kernel::Thm;
use atl_schedule::{Derivation, Library, Session, derive};

/// Carry out the schedule `s` of `f`: each step's theorem is about the body before and after it, and so is
/// that of all.
fn check(text: &str) -> Derivation {
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
        assert_eq!((&step.before, thm.lhs(), thm.rhs()), (&body, &body, &step.after), "{}", step.text);
        assert_eq!((thm.rounding(), thm.laws()), (step.part.rounding(), step.part.laws()), "{}", step.text);
        assert_eq!(thm.ctx(), &f.ctx);
        body = step.after.clone();
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
    let depths: Vec<usize> = done.steps.iter().map(|step| step.at.len()).collect();
    assert!(depths.iter().any(|depth| *depth > 1), "{depths:?}");
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
