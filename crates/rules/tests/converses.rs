//! Primitive rules from right to left: what a rule made of a term, its converse takes back.

use atl_arith::Arith;
use atl_diag::FileId;
use atl_kernel::{Expr, Prover, enter};
use atl_lang::NoImports;
use atl_rules::Cx;
use std::sync::Arc;

/// At the first place of the program where the rule applies, outermost first, it is undone.
fn check(name: &str, body: &str) {
    let text = format!("fn f(x: f64[N], y: f64[N], a: f64[N, M], s: f64, t: f64, M: size) -> {body}");
    let parse = atl_syntax::parse_file(FileId(0), &text);
    let mut arith = Arith::new();
    let (module, wrong) = atl_lang::elaborate(&parse.tree, &mut NoImports, &mut arith);
    let f = module.function("f").unwrap_or_else(|| panic!("{text}: {wrong:?}"));
    let found = first(&mut Cx::new(f.ctx.clone(), &mut arith), &f.body, &mut |cx, e| {
        let rule = atl_rules::by_name(name)?;
        let there = rule.rewrite(cx, e, &[]).ok()?;
        let back = rule.rewrite_backwards(cx, there.rhs(), &[]);
        let back = back.unwrap_or_else(|why| panic!("`{name}` backwards: {why}"));
        Some(back.rhs() == e)
    });
    assert_eq!(found, Some(true), "`{name}` in {text}");
}

fn first(
    cx: &mut Cx<'_>,
    e: &Expr,
    visit: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Option<bool>,
) -> Option<bool> {
    visit(cx, e).or_else(|| {
        e.children().find_map(|at| {
            let prover: &mut dyn Prover = cx.prover;
            let (ctx, child) = enter(&cx.ctx, e, at, prover).ok()?;
            first(&mut Cx::new(Arc::new(ctx), prover), &child, visit)
        })
    })
}

#[test]
fn guards() {
    check("guard_and", "f64 { [N < 3] * [1 < M] * s }");
    check("guard_add", "f64 { [N < 3] * (s + t) }");
    check("guard_mul_l", "f64 { ([N < 3] * s) * t }");
    check("guard_mul_r", "f64 { s * ([N < 3] * t) }");
    check("guard_gen", "f64[N] { [N < 3] * gen i < N { x[i] } }");
    check("guard_sum", "f64 { [N < 3] * sum i < N { x[i] } }");
}

#[test]
fn accesses() {
    check("gen_eta", "f64[N] { x }");
    check("get_guard", "f64[N] { gen i < N { ([i < 2] * x)[i] } }");
    check("get_select", "f64[N] { gen i < N { select(i < 2, x, y)[i] } }");
    check("get_sum", "f64[M] { gen j < M { (sum i < N { a[i] })[j] } }");
    check("get_prim", "f64[N] { gen i < N { (x + y)[i] } }");
    check("get_view", "f64[N] { gen j < N { (max i < 1 { x })[j] } }");
}

#[test]
fn sums() {
    check("sum_one", "f64 { sum i < 1 { s } }");
    check("sum_swap", "f64 { sum i < N, j < M { a[i, j] } }");
    check("sum_add", "f64 { sum i < N { x[i] + y[i] } }");
    check("gen_sum_swap", "f64[M] { gen j < M { sum i < N { a[i, j] } } }");
    check("mul_sum_l", "f64 { s * sum i < N { x[i] } }");
    check("mul_sum_r", "f64 { (sum i < N { x[i] }) * s }");
}

#[test]
fn scalars() {
    check("add_assoc", "f64 { (s + t) + s }");
    check("add_comm", "f64 { s + t }");
    check("add_zero_l", "f64 { 0 + s }");
    check("add_zero_r", "f64 { s + 0 }");
    check("mul_assoc", "f64 { (s * t) * s }");
    check("mul_comm", "f64 { s * t }");
    check("mul_one_l", "f64 { 1 * s }");
    check("mul_one_r", "f64 { s * 1 }");
    check("distr_l", "f64 { s * (s + t) }");
    check("distr_r", "f64 { (s + t) * s }");
}

#[test]
fn views() {
    check("view_gen", "f64 { max j < N { (max i < 2 { gen k < N { x[k] } })[j] } }");
}
