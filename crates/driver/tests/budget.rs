//! What grows with a program is bounded: chains of stages, nests of operators and scripts that go on end with a result or with a
//! refusal that says what grew, and what is built on the way grows no faster than it should.

use atl_driver::Program;
use atl_kernel::{Expr, Proof};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A chain of stages, each of which reads the one before; a schedule cuts the last one into blocks, and computes the others there.
fn chain(stages: usize) -> String {
    let name = |k: usize| if k == 0 { "a".to_owned() } else { format!("t{k}") };
    let read = |k: usize| format!("{0}?[x - 1] + {0}[x]", name(k));
    let lets: String =
        (1..stages).map(|k| format!("let t{k} = gen x < N {{ {} }};\n", read(k - 1))).collect();
    let steps: String = (1..stages).rev().map(|k| format!("compute t{k} at x.o;\n")).collect();
    format!(
        "fn f(a: f32[N]) -> f32[N] {{\n{lets}gen x < N {{ {} }}\n}}\nschedule s of f {{\nsplit x by 64;\n{steps}}}\n",
        read(stages - 1)
    )
}

#[test]
fn chains_of_stages_are_lowered_whatever_the_stack() {
    for stages in [300, 700] {
        let program = Program::parse("chain.atl", &chain(stages)).expect("a program");
        let lowered = program.scheduled("f", None).and_then(|f| f.lower()).expect("loops");
        assert_eq!(lowered.kernel.to_string().matches("alloc heap").count(), stages - 1);
    }
}

/// The inferences of a theorem; what is shared counts once.
fn inferences(proof: &Arc<Proof>) -> usize {
    let (mut met, mut left) = (BTreeSet::new(), vec![proof.clone()]);
    while let Some(proof) = left.pop() {
        if !met.insert(Arc::as_ptr(&proof)) {
            continue;
        }
        match &*proof {
            Proof::Refl(..) | Proof::Rule(..) => {}
            Proof::Sym(p) | Proof::Congruence(_, _, p, _) => left.push(p.clone()),
            Proof::Trans(p, q) | Proof::Cases(_, p, q) => left.extend([p.clone(), q.clone()]),
            Proof::Induction(_, _, premises, _) => {
                left.extend(premises.iter().flat_map(|(p, q)| [p.clone(), q.clone()]))
            }
        }
    }
    met.len()
}

#[test]
fn derivations_of_chains_grow_with_their_depth_and_length() {
    let count = |stages: usize| {
        let program = Program::parse("chain.atl", &chain(stages)).expect("a program");
        let scheduled = program.scheduled("f", Some("s")).expect("a schedule");
        inferences(scheduled.theorem().expect("a theorem").proof())
    };
    // Each step proves what it does at its stage; what all of them did passes each of the `let`s around once.
    let counts = [10, 20, 40, 80].map(count);
    let is_linear = counts.windows(2).all(|pair| 10 * pair[1] < 22 * pair[0]);
    assert!(is_linear, "{counts:?}");
}

/// The nodes of the terms that a theorem's inferences are about; what is shared counts once.
fn nodes(proof: &Arc<Proof>) -> usize {
    let (mut met, mut left) = (BTreeSet::new(), vec![proof.clone()]);
    let (mut nodes, mut terms) = (BTreeSet::new(), Vec::<Expr>::new());
    while let Some(proof) = left.pop() {
        if !met.insert(Arc::as_ptr(&proof)) {
            continue;
        }
        match &*proof {
            Proof::Refl(a, b, _) => terms.extend([a.clone(), b.clone()]),
            Proof::Rule(_, e, _) => terms.push(e.clone()),
            Proof::Sym(p) => left.push(p.clone()),
            Proof::Congruence(e, _, p, _) => {
                terms.push(e.clone());
                left.push(p.clone());
            }
            Proof::Trans(p, q) | Proof::Cases(_, p, q) => left.extend([p.clone(), q.clone()]),
            Proof::Induction(e, _, premises, _) => {
                terms.push(e.clone());
                left.extend(premises.iter().flat_map(|(p, q)| [p.clone(), q.clone()]));
            }
        }
        while let Some(e) = terms.pop() {
            if nodes.insert(Arc::as_ptr(&e)) {
                terms.extend(e.children().filter_map(|at| e.child(at)).cloned());
            }
        }
    }
    nodes.len()
}

#[test]
fn producers_that_enter_one_loop_are_hardly_restated() {
    let count = |stages: usize| {
        let program = Program::parse("chain.atl", &chain(stages)).expect("a program");
        let scheduled = program.scheduled("f", Some("s")).expect("a schedule");
        nodes(scheduled.theorem().expect("a theorem").proof())
    };
    let (few, many) = (count(80), count(160));
    // One by one, each step would restate all that is in the loop already: twice as many stages, four times
    // as much.
    assert!(10 * many < 22 * few, "{few} {many}");
}

#[test]
fn long_chains_are_scheduled_within_the_budget() {
    let program = Program::parse("chain.atl", &chain(320)).expect("a program");
    let scheduled = program.scheduled("f", Some("s")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scheduled.derivation.expect("a schedule").steps.len(), 320);
}

/// So many of a prefix, and as many of what ends it.
fn nest(open: &str, inside: &str, close: &str, n: usize) -> String {
    format!("{}{inside}{}", open.repeat(n), close.repeat(n))
}

/// A program with something nested so often.
type Nest = fn(usize) -> String;

/// Operators that undo each other, which name an index twice on the way.
const NESTS: &[Nest] = &[
    |n| {
        let e = nest("trunc_r(ceil_div(N, 3) * 3 - N, flatten(split(3, ", "a", ")))", n);
        format!("fn f(a: f32[N]) -> f32[N] {{ {e} }}")
    },
    |n| {
        let e = nest("flatten(split(2, ", "a", "))", n);
        format!("fn f(a: f32[4096]) -> f32[4096] {{ gen i < 4096 {{ {e}[i] }} }}")
    },
    |n| {
        let e = nest("flatten(split(2, ", "(gen k < 4096 { a[k] * 2 })", "))", n);
        format!("fn f(a: f32[4096], at: i32[N]) -> f32[N] {{ gen i < N {{ {e}?[at[i] + i] }} }}")
    },
    |n| {
        let e = nest("split(2, flatten(", "split(2, a)", "))", n);
        format!("fn f(a: f32[4096]) -> f32[2048, 2] {{ gen i < 2048, j < 2 {{ {e}[i, j] }} }}")
    },
];

#[test]
fn nests_of_operators_are_short_loops() {
    for (k, program) in NESTS.iter().enumerate() {
        let sizes = |n: usize| {
            let program = Program::parse("nest.atl", &program(n)).unwrap_or_else(|e| panic!("{e}"));
            let lowered =
                program.scheduled("f", None).and_then(|f| f.lower()).unwrap_or_else(|e| panic!("{e}"));
            (inferences(lowered.theorem.proof()), lowered.kernel.to_string().len())
        };
        let (few, more, many) = (sizes(6), sizes(12), sizes(24));
        assert!(more.0 < 3 * few.0 && many.0 < 3 * more.0, "{k}: {few:?} {more:?} {many:?}");
        assert!(many.1 < 2 * few.1, "{k}: {few:?} {many:?}");
    }
}

/// What comes of a program and its schedule `s`: the code of the first refusal, or none.
fn outcome(text: &str) -> Option<String> {
    let done = Program::parse("grown.atl", text).and_then(|program| {
        let schedule = text.contains("schedule s").then_some("s");
        program.scheduled("f", schedule)?.lower()
    });
    done.err().map(|failure| failure.diagnostics[0].code.to_string())
}

#[test]
fn what_grows_ends_with_a_result_or_with_what_grew() {
    let row = |body: &str| format!("fn f(x: f32[N]) -> f32[N] {{ gen i < N {{ {body} }} }}\n");
    let with = |body: &str, steps: &str| format!("{}schedule s of f {{ {steps} }}", row(body));
    let splits: String = (0..12).map(|k| format!("split i{} by {};", ".o".repeat(k), 2 + k % 2)).collect();
    let inner: String = (0..12).map(|k| format!("split i{} by {};", ".i".repeat(k), 4095 >> k)).collect();
    let matrix = "fn f(a: f32[N, M]) -> f32[N, M] { gen i < N, j < M { a[i, j] } }\n";
    let reads: Vec<String> = (0..8).map(|k| format!("x?[i + {k}]")).collect();
    let selects = (0..200).fold("x[i]".to_owned(), |e, k| format!("select(i < {k}, {k}.0, {e})"));
    let names: String = (0..5).map(|k| format!("let j{} = j{k} / 2 * 3 + j{k} % 5; ", k + 1)).collect();
    let names = format!("let j0 = i; {names}");
    for (text, expected) in [
        (with("x[i] + 1", &splits), None),
        (with("x[i] + x?[i + 1]", &inner), None),
        (row(&selects), None),
        (row(&nest("(", "x[i]", ")", 200)), None),
        (row(&nest("(", "x[i]", ")", 20_000)), Some("E0109")),
        (row(&vec!["x[i]"; 2000].join(" + ")), Some("E0109")),
        (chain(1000), Some("E0109")),
        (with("x[i] + x?[i + 1]", "repeat { repeat { rw add_comm everywhere; } }"), Some("E0330")),
        (with(&reads.join(" + "), "repeat { rw gen_reverse; }"), Some("E0341")),
        // The rounds come to an end where what the next one needs is not shown.
        (format!("{matrix}schedule s of f {{ repeat {{ rw access_shear backwards; }} }}"), None),
        (row(&format!("{names} x?[{}]", ["j5"; 2].join(" + "))), None),
        (row(&format!("{names} x?[{}]", ["j5"; 17].join(" + "))), Some("E0422")),
        (row(&format!("{names} let k = {}; x?[k]", ["j5"; 3].join(" + "))), Some("E0247")),
    ] {
        assert_eq!(outcome(&text).as_deref(), expected, "{}", &text[..text.len().min(300)]);
    }
}
