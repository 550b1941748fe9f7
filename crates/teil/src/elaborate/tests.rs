//! Equations between expressions that only move elements: both sides become the same program.

use super::elaborate;
use crate::language::parse;
use crate::typing::check;
use atl_diag::FileId;

/// The program of a right side whose shape is that of the declaration.
fn program(target: &str, value: &str) -> String {
    let text = format!(
        "input x : [n] input e : [n, m, k, l] input s : [n, n, m] input a : [n, m] input b : [n, m] input c : []
         output r : {target} r = {value}"
    );
    let program = parse(FileId::default(), &text).unwrap_or_else(|why| panic!("{value}: {}", why.message));
    let checked = check(&program).unwrap_or_else(|why| panic!("{value}: {}", why.message));
    elaborate(&program, &checked).unwrap_or_else(|why| panic!("{value}: {}", why.message)).text
}

fn equal(target: &str, left: &str, right: &str) {
    assert_eq!(program(target, left), program(target, right), "{left} = {right}");
}

#[test]
fn what_only_moves_elements_is_the_same_program() {
    // proj_expa, diag_transp, transp_invol, transp_sym, braid and disjoint exchanges
    equal("[n, m]", "neg (proj 2 1 (expa 2 4 a))", "neg a");
    equal("[n, m]", "diag 1 2 (transp 1 2 s)", "diag 1 2 s");
    equal("[n, m, k, l]", "transp 2 3 (transp 2 3 (neg e))", "neg e");
    equal("[m, n, k, l]", "transp 1 2 e", "transp 2 1 e");
    equal("[k, m, n, l]", "transp 1 2 (transp 2 3 (transp 1 2 e))", "transp 1 3 e");
    equal("[m, n, l, k]", "transp 1 2 (transp 3 4 e)", "transp 3 4 (transp 1 2 e)");
    // diag_expa, contr_transp, proj_proj, proj_diag
    equal("[n, m]", "neg (diag 1 3 (expa 3 n a))", "neg a");
    equal("[m]", "contr 1 2 (transp 1 2 s)", "contr 1 2 s");
    equal("[m, l]", "proj 1 1 (proj 3 1 e)", "proj 2 1 (proj 1 1 e)");
    equal("[m]", "proj 1 1 (diag 1 2 s)", "proj 1 1 (proj 2 1 s)");
    // red_transp, red_proj
    equal("[m, k, l]", "red+ 2 (transp 1 2 e)", "red+ 1 e");
    equal("[m, l]", "proj 2 1 (red+ 1 e)", "red+ 1 (proj 3 1 e)");
    // prod_diag, prod_proj, prod_transp, prod_scalar, mul_as_prod
    equal("[n, m, n]", "diag 1 2 (prod s x)", "prod (diag 1 2 s) x");
    equal("[n, n, m]", "diag 2 3 (prod x s)", "prod x (diag 1 2 s)");
    equal("[n, n]", "proj 2 1 (prod a x)", "prod (proj 2 1 a) x");
    equal("[n, m, n]", "transp 2 3 (prod x a)", "prod x (transp 1 2 a)");
    equal("[n, m]", "prod c a", "mul c a");
    equal("[n, m]", "diag 2 3 (diag 1 3 (prod a b))", "mul a b");
}

#[test]
fn a_contraction_is_the_sum_of_a_diagonal() {
    equal("[m]", "contr 1 2 s", "red+ 1 (diag 1 2 s)");
}

#[test]
fn programs_that_are_too_long_are_refused() {
    let text =
        |statements| format!("input x : [n] output y : [n] y = x {}", "y = add y x ".repeat(statements));
    let program = parse(FileId::default(), &text(400)).unwrap_or_else(|why| panic!("{}", why.message));
    let checked = check(&program).unwrap_or_else(|why| panic!("{}", why.message));
    assert!(elaborate(&program, &checked).is_ok());
    let refused = parse(FileId::default(), &text(1_200)).expect_err("it is too long");
    assert_eq!(refused.code.as_str(), "E0281");
}
