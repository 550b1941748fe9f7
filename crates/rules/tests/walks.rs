//! Walks of conversions, where what holds inside a guard does not hold of the type outside.

use atl_arith::Arith;
use atl_diag::FileId;
use atl_kernel::{Expr, Node, Thm};
use atl_lang::print::{Options, print};
use atl_rules::gather::decide;
use atl_rules::{Cx, Step};
use atl_syntax::Style;

/// What a walk leaves of the body of a function.
fn left(text: &str, walk: impl FnOnce(&mut Cx<'_>, &Expr) -> Step) -> String {
    let parse = atl_syntax::parse_file(FileId(0), text);
    let mut arith = Arith::default();
    let (module, diagnostics) = atl_lang::elaborate(&parse.tree, &mut atl_lang::NoImports, &mut arith);
    assert_eq!(diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>(), Vec::<String>::new());
    let f = module.function("f").expect("it is right");
    let done = walk(&mut Cx::new(f.ctx.clone(), &mut arith), &f.body).expect("no refusal");
    let now = done.as_ref().map_or(&f.body, Thm::rhs);
    print(&f.ctx, now, None, Options { style: Style::LINE, ..Options::default() })
}

fn decided(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Guard(..) | Node::Select(..) => decide(cx, e),
        _ => Ok(None),
    }
}

/// The guard refutes the selection's condition; but the arms' extents are equal for its sake alone.
const CHOICE: &str = "fn f(x: i32[N], y: i32[4]) -> i32[N] {
    [N == 4] * select(5 <= N, gen i < N { [0 <= i] * x[i] }, gen i < 4 { [0 <= i] * y[i] })
}";

#[test]
fn a_walk_leaves_alone_what_would_change_the_type_outside() {
    let kept = "[N == 4] * select(5 <= N, gen i < N { x[i] }, gen i < 4 { y[i] })";
    assert_eq!(left(CHOICE, |cx, e| cx.top_down(e, &mut decided)), kept);
    assert_eq!(left(CHOICE, |cx, e| cx.bottom_up(e, &mut decided)), kept);
    assert_eq!(left(CHOICE, |cx, e| cx.once(e, &mut decided)), kept);
}

#[test]
fn a_type_that_stays_may_be_reached_by_any_step() {
    let text = CHOICE.replace("gen i < 4 { [0 <= i] * y[i] }", "gen i < N { [0 <= i] * y?[i] }");
    let chosen = "[N == 4] * gen i < N { y?[i] }";
    assert_eq!(left(&text, |cx, e| cx.top_down(e, &mut decided)), chosen);
}
