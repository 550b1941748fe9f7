//! `examples-compared`: every function in `examples/` is compared with NumPy.
//!
//! `tests/numpy/compare.py` finds the schedules of a function itself; that it knows the function is checked
//! here, since a forgotten example would otherwise look like a passing one.

use super::{Check, Report};
use crate::tree::Tree;

pub(super) const CHECK: Check =
    Check { name: "examples-compared", holds: "every function of the examples is compared with NumPy", run };

/// The folder of the cases.
const CASES: &str = "tests/numpy/cases/";

fn run(tree: &Tree, report: &mut Report) {
    let cases: String = tree.under(CASES).map(|file| file.text.as_str()).collect();
    for file in tree.under("examples/").filter(|file| file.path.ends_with(".atl")) {
        let name = file.path.trim_start_matches("examples/");
        for function in functions(&file.text) {
            let case = format!("\"{name}\", \"{function}\"");
            if !cases.contains(&case) {
                report.problem(&file.path, format!("`{function}` has no case `{case}` in {CASES}"));
            }
        }
    }
}

/// The names of the functions that a program declares; generic ones are compared within those that call them.
fn functions(text: &str) -> Vec<&str> {
    let names =
        text.lines().filter_map(|line| line.strip_prefix("fn ")?.split_once('(')).map(|(name, _)| name);
    names.filter(|name| !name.contains('<')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::problems;

    #[test]
    fn a_forgotten_function_is_found() {
        let example =
            ("examples/a.atl", "/// Doc.\nfn f(x: f32[N]) -> f32[N] { x }\n\nfn g(x: f32) -> f32 { x }\n");
        let cases = ("tests/numpy/cases/a.py", "Case(\"a.atl\", \"f\", None)\nCase(\"b.atl\", \"g\", None)");
        assert_eq!(problems(&CHECK, &[example, cases]).len(), 1);
        let generic = ("examples/a.atl", "fn f<T: any>(x: T) -> T { x }\n");
        assert_eq!(problems(&CHECK, &[generic]).len(), 0);
    }
}
