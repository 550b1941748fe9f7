//! Old names of directives are accepted with a warning, mean what the new ones do, and stay as they are written.

use atl_driver::Program;

const PROGRAM: &str = "\
fn reach(x: or_and<bool>[V], A: or_and<bool>[V, V] as csc) -> or_and<bool>[V] {
    gen v < V { x[v] + sum u < V { x[u] * A[u, v] } }
}

schedule s of reach {
    sparsify;
    try { stop pA2; }
}
";

fn loops(text: &str) -> (String, Vec<String>) {
    let program = Program::parse("f.atl", text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let lowered = program.scheduled("reach", Some("s")).and_then(|s| s.lower());
    let lowered = lowered.unwrap_or_else(|why| panic!("{why}\n{text}"));
    let warnings = program.warnings().iter().map(|warning| format!("{}: {}", warning.code, warning.message));
    (lowered.kernel.to_string(), warnings.collect())
}

#[test]
fn an_old_name_means_what_the_new_one_does_and_is_warned_of() {
    let (old, warnings) = loops(PROGRAM);
    assert_eq!(warnings, ["E0343: `stop` is the old name of `early_exit`"]);
    let (new, warnings) = loops(&PROGRAM.replace("stop", "early_exit"));
    assert_eq!((old, warnings), (new, Vec::new()));
}

#[test]
fn the_old_name_of_a_place_is_warned_of() {
    let text = "fn f(x: f64[N]) -> f64[N] { let t = gen i < N { x[i] }; gen i < N { t[i] } } schedule s of f { store t in touched; }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|why| panic!("{why}"));
    let warnings: Vec<&str> = program.warnings().iter().map(|warning| &*warning.message).collect();
    assert_eq!(warnings, ["`touched` is the old name of `tracked`"]);
}
