//! `batch L`: the iterations of loop `L` run side by side, as one whose rounds have the loop.
//!
//! **Statement.** `gen_iterate`: `gen i < b { iterate t < n from x = e(i) { s(i, t, x) } } = iterate t < n
//! from x = gen i < b { e(i) } { gen i < b { s(i, t, x[i]) } }`. What the loop binds before it iterates has an
//! entry for each `i`, `let_out_of_gen`, and so has each of several iterations, one after the other. Steps
//! that iterate themselves are batched, too.
//! **Requires.** The number of rounds does not depend on `L`. No law: every bit is kept.
//! **Fails when.** The loop has no iteration, or one that ends by `until`, or one below a condition or a sum.
//! **Example.** `split row by 8; peel row.i; vectorize row.i; batch row.i`: a filter along the rows of an image
//! has eight rows in lanes. `vectorize` comes first: then the loop that `batch` makes in each round has its
//! mark. **See also.** `split`, `peel`, `vectorize`, `parallel`; the rule `gen_iterate`.

use crate::accumulate::accumulate;
use crate::args::Args;
use crate::command::Command;
use crate::lift::Lift;
use crate::names::unused_name;
use crate::sums_together::each_together;
use atl_diag::err;
use atl_kernel::{Child, Error, Expr, Ix, Node, Result as Kernel, Rule, Thm, Var};
use atl_rules::lets::{Lifted, let_out, meet};
use atl_rules::occurrences::mentions;
use atl_rules::rules::gen_iterate::gen_iterate;
use atl_rules::rules::guard_iterate::guard_iterate;
use atl_rules::{Chain, Cx};

/// See the module.
pub static COMMAND: Command = Command {
    name: "batch",
    usage: "batch L",
    equation: "gen i<b. iterate t<n from x = e(i) { s(i, t, x) }  =  iterate t<n from x = gen i<b. e(i) { gen i<b. s(i, t, x[i]) }",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &[])?;
        let target = args.one_loop()?;
        let name = unused_name(session, "all");
        let mut places: Vec<Vec<Child>> =
            session.loops(&target)?.into_iter().map(|place| place.path).collect();
        places.reverse();
        let mut nothing = true;
        let thm = each_together(session, step.span, &places, None, &mut |cx, e| {
            let batched = match batched(cx, e, &name) {
                Err(Error::NoMatch { .. }) => None,
                done => done?,
            };
            nothing &= batched.is_none();
            cx.total(e, batched)
        })?;
        if nothing {
            let name = &target.name.text;
            return Err(Box::new(
                err!(E0381, target.name.span, "no rounds can have loop `{name}` in them")
                    .label("its iterations are not side by side")
                    .note(format!(
                        "each `{name}` must iterate as often as the others, not below a condition or a sum; and its states may not be \
                         read in indices or end the rounds by `until`"
                    ))
                    .help(format!("`peel {name}` takes conditions on `{name}` apart; `stage` names an iteration inside a larger term")),
            ));
        }
        Ok(thm)
    },
};

/// The theorem for a loop; nothing where it has no iteration that can be batched.
fn batched(cx: &mut Cx<'_>, e: &Expr, name: &str) -> Kernel<Option<Thm>> {
    let Node::Gen(_, _, body) = &**e else { return Ok(None) };
    if !iterates(body) {
        return Ok(None);
    }
    match &**body {
        Node::Iterate(_) => {
            let thm = gen_iterate(cx, e)?;
            let mut chain = Chain::of(e);
            chain.push(thm)?;
            chain.apply(cx, |cx, e| cx.child(e, Child::Body, whole))?;
            for at in chain.now().children() {
                chain.apply(cx, |cx, e| cx.child(e, at, |cx, e| batched(cx, e, name)))?;
            }
            Ok(chain.done())
        }
        Node::Let(..) => {
            let level = cx.ctx.level();
            let opened = cx.enter(e, Child::Body)?.1;
            let Node::Let(_, bound, _) = &*opened else { return Ok(None) };
            let lifted = if mentions(bound, level) { Lifted::Table } else { Lifted::Constant };
            let thm = let_out(cx, e, Child::Body, lifted)?;
            let mut chain = Chain::of(e);
            chain.push(thm)?;
            if lifted == Lifted::Table {
                chain.apply(cx, |cx, e| cx.child(e, Child::Bound, |cx, e| batched(cx, e, name)))?;
            }
            chain.apply(cx, |cx, e| cx.child(e, Child::Body, |cx, e| batched(cx, e, name)))?;
            Ok(chain.done())
        }
        Node::Guard(_, inner) => {
            let inward = |cx: &mut Cx<'_>, e: &Expr| match &**inner {
                Node::Iterate(_) => guard_iterate(cx, e).map(Some),
                Node::Let(..) => let_out(cx, e, Child::Body, Lifted::Guarded).map(Some),
                Node::Gen(..) => cx.rule(Rule::GuardGen, e).map(Some),
                Node::Guard(..) => cx.rule(Rule::GuardAnd, e).map(Some),
                _ => Ok(None),
            };
            let Some(inward) = cx.child(e, Child::Body, inward)? else { return Ok(None) };
            let mut chain = Chain::of(e);
            chain.push(inward)?;
            chain.apply(cx, |cx, e| batched(cx, e, name))?;
            Ok(chain.done())
        }
        Node::Gen(..) => {
            let inner = cx.child(e, Child::Body, |cx, e| batched(cx, e, name))?;
            let Some(inner) = inner else { return Ok(None) };
            let mut chain = Chain::of(e);
            chain.push(inner)?;
            chain.apply(cx, |cx, e| batched(cx, e, name))?;
            Ok(chain.done())
        }
        _ => {
            let Some(below) = operand(body) else { return Ok(None) };
            let way: Vec<Child> = std::iter::once(Child::Body).chain(below).collect();
            let bound = cx.at(e, &way, &mut |cx, e| accumulate(cx, e, name).map(Some))?;
            let bound = cx.total(e, bound)?;
            let outside = cx.then(bound, |cx, e| Lift::new(cx, e, &way)?.prove(cx, e))?;
            let mut chain = Chain::of(e);
            chain.push(outside)?;
            chain.apply(cx, |cx, e| cx.child(e, Child::Bound, |cx, e| batched(cx, e, name)))?;
            chain.apply(cx, |cx, e| cx.child(e, Child::Body, |cx, e| batched(cx, e, name)))?;
            Ok(chain.done())
        }
    }
}

/// `gen i { x[i] }  =  x`, of a variable.
fn whole(cx: &mut Cx<'_>, e: &Expr) -> Kernel<Option<Thm>> {
    let Node::Gen(label, _, body) = &**e else { return Ok(None) };
    let Node::Get(all, Ix::Var(Var::Bound(0))) = &**body else { return Ok(None) };
    if !matches!(**all, Node::Var(Var::Free(_))) {
        return Ok(None);
    }
    let thm = cx.rule(Rule::GenEta(label.clone()), all)?;
    let here = cx.refl(e)?;
    meet(cx, here, thm).map(Some)
}

fn iterates(e: &Expr) -> bool {
    matches!(**e, Node::Iterate(_)) || e.children().filter_map(|at| e.child(at)).any(iterates)
}

/// The way to the first iteration below operations on elements alone.
fn operand(e: &Expr) -> Option<Vec<Child>> {
    match &**e {
        Node::Iterate(_) => Some(Vec::new()),
        Node::Prim(..) | Node::Get(..) | Node::View(..) => e.children().find_map(|at| {
            let below = operand(e.child(at)?)?;
            Some(std::iter::once(at).chain(below).collect())
        }),
        _ => None,
    }
}
