//! `interchange`: two loops of a nest change places, with reshape operators between them.
//!
//! **Statement.** For a chain `R` of reshape operators of one operand, empty or not,
//! `gen a { R(gen b { e }) } = rotate(R(gen b { unrotate(gen a { e }) }))`,
//! `gen a { R(sum b { e }) } = sum b { gen a { R(e) } }`, the same read backwards with the roles exchanged
//! (`sum a { R(gen b { e }) } = R(gen b { sum a { e } })`), and `sum a { R(sum b { e }) } = sum b { sum a { R(e) } }`.
//! The rotations put the dimensions back in their order; for two plain loops they are one `transpose`.
//! **Requires.** The inner loop's extent does not depend on the outer index, nor do the operators' arguments unless both are
//! sums. Two sums need a commutative monoid.
//! **Fails when.** Something else stands between the loops: a `let`, an operation, two operands.
//! **Example.** `gen i < n, j < m { a[i, j] }` becomes `transpose(gen j < m, i < n { a[i, j] })`.
//! **See also.** `guard_inward`, which takes guards out of the way; the directive `reorder`.

use crate::beta::reduce;
use crate::catalogue;
use crate::cx::{Cx, Step};
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::gather::by_gather;
use crate::rules::reshape_of_sum;
use atl_kernel::{Child, Definition, Error, Expr, Ix, Label, Node, Result, Rule, Thm, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "interchange",
    statement: "gen a. R(gen b. e)  =  rotate(R(gen b. unrotate(gen a. e))),  R reshape operators; likewise with sums",
    requires: "the inner extent and R's arguments do not depend on a; two sums commute",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N, M]) -> f32[N, M] { gen i < N, j < M { a[i, j] } }",
        args: &[],
    },
    rewrite: |cx, e, _| interchange(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| match &**e {
        Node::Op(..) => catalogue::forwards(cx, "transpose_of_gen", e),
        _ => interchange(cx, e),
    })),
};

/// A reshape operator of the chain, without its operand.
type Link = (Arc<Definition>, Vec<Ix>);

/// Is it a loop, and if so a `gen`?
fn loop_of(e: &Expr) -> Option<(bool, &Label, &Ix, &Expr)> {
    match &**e {
        Node::Gen(l, n, body) => Some((true, l, n, body)),
        Node::Sum(l, n, body) => Some((false, l, n, body)),
        _ => None,
    }
}

fn make(is_gen: bool, label: &Label, extent: &Ix, body: &Expr, level: u32) -> Expr {
    let body = subst::close(body, level);
    let (label, extent) = (label.clone(), extent.clone());
    Arc::new(if is_gen { Node::Gen(label, extent, body) } else { Node::Sum(label, extent, body) })
}

/// The chain of operators above the next loop, outermost first.
fn chain(e: &Expr) -> (Vec<Link>, &Expr) {
    match &**e {
        Node::Op(def, ixs, args) if args.len() == 1 => {
            let (mut links, inner) = chain(&args[0]);
            links.insert(0, (def.clone(), ixs.clone()));
            (links, inner)
        }
        _ => (Vec::new(), e),
    }
}

/// The chain applied to an operand.
fn apply(links: &[Link], e: Expr) -> Expr {
    links.iter().rev().fold(e, |e, (def, ixs)| Arc::new(Node::Op(def.clone(), ixs.clone(), vec![e])))
}

/// How many leading dimensions of its operand the chain looks at, and how many of its result they become.
fn dimensions(links: &[Link]) -> Option<(usize, usize)> {
    let (mut operand, mut result) = (1, 1);
    for (def, _) in links.iter().rev() {
        let op = atl_ops::of(def)?;
        let looks = op.tensor_params[0].len();
        if result < looks {
            operand += looks - result;
            result = looks;
        }
        result = result - looks + op.result_rank();
    }
    Some((operand, result))
}

/// The sum below a chain of operators moves out of it.
fn sum_outside(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Op(..) => cx.sequence(
            e,
            |cx, e| cx.child(e, Child::Arg(0), sum_outside),
            |cx, e| (reshape_of_sum::RULE.rewrite)(cx, e, &[]),
        ),
        _ => Ok(None),
    }
}

/// The theorem for the loop at hand and the next one below it.
pub fn interchange(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let wants = "a loop with only reshape operators between it and the next loop";
    let level = cx.ctx.level();
    let Some((outer_gen, outer, n, body)) = loop_of(e) else { return no_match(RULE.name, wants, e) };
    let opened = subst::open(body, level);
    let (links, inner) = chain(&opened);
    let Some((inner_gen, inner_label, m, inner_body)) = loop_of(inner) else {
        return no_match(RULE.name, wants, e);
    };
    let depends = |ix: &Ix| ix.mentions(level);
    let both_sums = !outer_gen && !inner_gen;
    if depends(m) || !both_sums && links.iter().any(|(_, ixs)| ixs.iter().any(depends)) {
        return no_match(RULE.name, "loops whose extents do not depend on one another", e);
    }
    match (outer_gen, inner_gen, links.is_empty()) {
        (true, false, true) => return cx.rule(Rule::GenSumSwap, e),
        (false, false, _) => {
            let outside = cx.inside(e, Child::Body, sum_outside)?;
            return cx.then(outside, |cx, e| cx.rule(Rule::SumSwap, e));
        }
        _ => {}
    }
    let Some((operand, result)) = dimensions(&links) else {
        return no_match(RULE.name, "known reshape operators between two loops", e);
    };
    // A table of the two loops' bodies, over which the equation is about indices only.
    let inner_open = subst::open(inner_body, level + 1);
    let row = make(true, inner_label, m, &inner_open, level + 1);
    let table = make(true, outer, n, &row, level);
    let (a, b) = (level + 1, level + 2); // below the table's variable
    let mut fits = true;
    let sides = |t: &Expr| {
        let row: Expr = Arc::new(Node::Get(t.clone(), Ix::free(a)));
        let entry: Expr = Arc::new(Node::Get(row.clone(), Ix::free(b)));
        let over_a = |e: &Expr| make(outer_gen, outer, n, e, a);
        let over_b = |e: &Expr| make(inner_gen, inner_label, m, e, b);
        let before = over_a(&apply(&links, if inner_gen { row } else { over_b(&entry) }));
        let after = match (outer_gen, inner_gen) {
            (true, true) => {
                let block = atl_ops::unrotate(operand, over_a(&entry));
                let rows = block.map(|block| apply(&links, over_b(&block)));
                rows.and_then(|rows| atl_ops::rotate(result + 1, rows)).unwrap_or_else(|| {
                    fits = false;
                    before.clone()
                })
            }
            (false, true) => apply(&links, over_b(&over_a(&entry))),
            _ => over_b(&over_a(&apply(&links, entry))),
        };
        (before, after)
    };
    let thm = cx.instance(&table, sides, by_gather)?;
    if !fits {
        return Err(Error::Mismatch("reordering moves a loop past more dimensions than the rotations know"));
    }
    // On both sides the table's entries are read back: to the loops as they stood, and to their new order.
    let read_back = |cx: &mut Cx<'_>, e: &Expr| reduce(cx, e, std::slice::from_ref(&table));
    let lhs = thm.lhs().clone();
    let before = cx.converted(&lhs, read_back)?;
    cx.then(before.sym().trans(thm)?, |cx, e| read_back(cx, e))
}
