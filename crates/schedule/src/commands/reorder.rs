//! `reorder L, M, N`: the named loops, nested in this order.
//!
//! **Statement.** A chain of `interchange` steps, after moving guards between the loops inward.
//! **Requires.** One nest: between two of the loops only other loops, reshape operators, guards and changes
//! of algebra. Two sums are interchanged only if addition commutes; a sum of floats is then `rounding real`.
//! So is a `min` or `max` of floats, though only the sign of a zero and the choice of NaN may differ. If a
//! loop `k` of `min`, `max`, `any`, `all` or `prod` leaves the guard of a tail, the value of the loops inside
//! it becomes a `let`, called `k_acc`.
//! **Fails when.** Something else is between the loops, or an inner bound depends on an outer index.
//! **Example.** `reorder j, i` of `gen i < n, j < m { e }` gives `transpose(gen j < m, i < n { e })`.
//! **See also.** `tile`, `split`.

use crate::annotate::request;
use crate::args::Args;
use crate::command::Command;
use crate::detached::{detached, guarded_reduction};
use crate::names::unused_name;
use crate::nest::{Place, Sort, binders, in_nest, outermost, subterm};
use crate::pattern::describe;
use crate::refusal::{BEFORE, Refusal, list};
use crate::session::Session;
use atl_annotations::Annotation;
use atl_diag::{Span, err};
use atl_kernel::{Child, Error, Expr, Node, Rule, Thm};
use atl_rules::rules::{guard_inward::guards_inward, interchange::interchange};
use atl_rules::sparse::searches::remark_searches;
use atl_rules::{Chain, Cx, Step as Conversion, join};
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "reorder",
    usage: "reorder L, M, ..",
    equation: "gen a. gen b. e  =  transpose(gen b. gen a. e), and its kin",
    run: |session, step| {
        let loops = Args::new(step, COMMAND.usage, &[])?.loops()?;
        let names: Vec<Arc<str>> = loops.iter().map(|l| Arc::from(l.name.text.as_str())).collect();
        let mut places = Vec::new();
        for l in &loops {
            places.extend(session.loops(l)?);
        }
        let tops = outermost(places);
        request(session, step, Annotation::Reorder);
        reorder(session, step.span, &tops, &names)
    },
};

/// Reorder the nests that begin at these places.
pub fn reorder(
    session: &mut Session<'_>,
    span: Span,
    tops: &[Place],
    names: &[Arc<str>],
) -> Result<Thm, Refusal> {
    for top in tops {
        let nest = subterm(&session.body, &top.path).map(binders).unwrap_or_default();
        let missing: Vec<String> = names
            .iter()
            .filter(|name| !nest.iter().any(|p| in_nest(p) && p.label.name == **name))
            .map(ToString::to_string)
            .collect();
        if !missing.is_empty() {
            return Err(Box::new(
                err!(E0312, span, "these loops are not one nest")
                    .label(format!("{} is not inside loop `{}`", list(&missing), top.label.name))
                    .help("`fuse` or `compute at` bring loops together; a nest can be reordered only within itself"),
            ));
        }
    }
    let mut stuck: Option<Stuck> = None;
    // What is reduced is called after the first loop that reduces it.
    let sums: Vec<Place> = binders(&session.body).into_iter().filter(|p| p.sort == Sort::Sum).collect();
    let reduced = names.iter().find(|name| sums.iter().any(|p| p.label.name == **name));
    let base = reduced.map_or("t", |name| name.split('.').next().unwrap_or("t"));
    let unused = unused_name(session, &format!("{base}_acc"));
    let done = session.convert(span, tops, &mut |cx, e| {
        let apart = apart(cx, e, names, &unused, &mut stuck)?;
        let now = apart.as_ref().map_or(e, Thm::rhs).clone();
        let ordered = if apart.is_none() { in_order(cx, &now, names, &mut stuck)? } else { None };
        let done = cx.total(e, join(apart, ordered)?)?;
        cx.then(done, remark_searches)
    });
    match stuck {
        Some(stuck) => Err(stuck.refusal(span)),
        None => done,
    }
}

/// The nest at hand in this order: each loop in turn brought above those that come after it.
fn in_order(cx: &mut Cx<'_>, e: &Expr, names: &[Arc<str>], stuck: &mut Option<Stuck>) -> Conversion {
    let mut chain = Chain::of(e);
    for (k, name) in names.iter().enumerate() {
        loop {
            let now = chain.now().clone();
            let Some(path) = above_later(&now, name, &names[k + 1..]) else { break };
            let step = cx.at(&now, &path, &mut |cx, e| {
                let swapped = swap(cx, e);
                if matches!(swapped, Err(Error::NoMatch { .. } | Error::Mismatch(_))) {
                    let between = Between::of(e, name);
                    *stuck = Some(Stuck { inner: name.clone(), outer: describe(&cx.ctx, e), between });
                }
                swapped.map(Some)
            })?;
            chain.push(step)?;
        }
    }
    Ok(chain.done())
}

/// The nest at hand in this order, where a loop of a reduction in another algebra is to leave a guard: the loops that are to stand inside
/// of it come to stand right around the guard, and what they compute gets a name; see [`detached`]. Nothing where there is no such guard.
fn apart(
    cx: &mut Cx<'_>,
    e: &Expr,
    names: &[Arc<str>],
    name: &Arc<str>,
    stuck: &mut Option<Stuck>,
) -> Conversion {
    let Some(guard) = guarded_reduction(e) else { return Ok(None) };
    let nest: Vec<Place> = binders(e).into_iter().filter(in_nest).collect();
    let is_below = |name: &Arc<str>| nest.iter().any(|p| p.label.name == *name && p.path.starts_with(&guard));
    let (below, above): (Vec<Arc<str>>, Vec<Arc<str>>) = names.iter().cloned().partition(|n| is_below(n));
    let Some(first) = names.iter().position(|name| below.contains(name)) else { return Ok(None) };
    let inside: Vec<Arc<str>> = names[first..].iter().filter(|n| above.contains(n)).cloned().collect();
    if inside.is_empty() {
        return Ok(None);
    }
    let outer = in_order(cx, e, &above, stuck)?;
    let now = outer.as_ref().map_or(e, Thm::rhs).clone();
    let nest = binders(&now).into_iter().filter(in_nest);
    let Some(top) = nest.into_iter().find(|p| inside.contains(&p.label.name)) else { return Ok(None) };
    let step = cx.at(&now, &top.path, &mut |cx, e| {
        let Some(named) = detached(cx, e, name)? else { return Ok(None) };
        let inner: Vec<Arc<str>> = names[first..].to_vec();
        cx.then(named, |cx, e| cx.child(e, Child::Bound, |cx, e| in_order(cx, e, &inner, stuck))).map(Some)
    })?;
    // Without a name for it, what keeps the loops is said where they are stuck.
    if step.is_none() { Ok(None) } else { join(outer, step) }
}

/// A loop that does not get past the one around it.
struct Stuck {
    inner: Arc<str>,
    /// The term that the loop around it is, as a pattern.
    outer: String,
    between: Between,
}

/// What keeps two loops apart.
enum Between {
    /// A `let` of this name.
    Let(Arc<str>),
    /// An operation on what the inner loop computes, such as a bias that is added or a `max` with 0.
    Operation,
    /// A change of algebra, and a guard: the reduction is another algebra's addition.
    Algebra,
    /// The outer loop is a reduction itself, and in another algebra.
    Reductions,
    /// None of these.
    Neither,
}

impl Between {
    /// What stands between this loop and the one of this name below it: the outermost that is in the way.
    fn of(outer: &Expr, inner: &Arc<str>) -> Between {
        let nest = binders(outer);
        let Some(place) = nest.iter().find(|p| in_nest(p) && p.label.name == *inner) else {
            return Between::Neither;
        };
        let nodes = (1..place.path.len()).filter_map(|depth| subterm(outer, &place.path[..depth]));
        let found = nodes.map(|node| match &**node {
            Node::Let(label, ..) => Between::Let(label.name.clone()),
            Node::Prim(..) => Between::Operation,
            Node::View(..) if matches!(**outer, Node::Sum(..)) => Between::Reductions,
            Node::View(..) => Between::Algebra,
            _ => Between::Neither,
        });
        found.into_iter().find(|found| !matches!(found, Between::Neither)).unwrap_or(Between::Neither)
    }
}

impl Stuck {
    fn refusal(&self, span: Span) -> Refusal {
        let inner = &self.inner;
        let help = match &self.between {
            Between::Let(name) => format!("`inline {name}`, or move it out with `hoist {name}`, first"),
            Between::Operation => format!(
                "an operation stands between them: `stage {inner} as c` names what loop `{inner}` computes, `compute c at L` or \
                 `hoist c` moves it out of the loops that are to stand inside `{inner}`; then reorder `c/{inner}` and the others of `c`"
            ),
            Between::Algebra => format!(
                "a condition stands around a reduction of another algebra, whose zero is not the one outside, as after `split`: \
                 `reorder` before `split`; or `stage {inner} as acc`, and reorder inside of `acc`"
            ),
            Between::Reductions => {
                "a `min` of `max`es is no `max` of `min`s, and so with other pairs".to_owned()
            }
            Between::Neither => BEFORE.to_owned(),
        };
        Box::new(
            err!(E0340, span, "loop `{}` cannot change places with the loop around it", self.inner)
                .label("these loops keep their order")
                .note(format!("the loop around it is `{}`", self.outer))
                .note(
                    "two loops change places where one stands directly in the other, or with guards and reshape operators \
                     between; two reductions must be one algebra's, and the inner range must not depend on the outer index",
                )
                .help(help),
        )
    }
}

/// The loop directly above loop `name`, if some later one stands above it.
fn above_later(e: &Expr, name: &Arc<str>, later: &[Arc<str>]) -> Option<Vec<Child>> {
    let nest: Vec<Place> = binders(e).into_iter().filter(in_nest).collect();
    let place = nest.iter().find(|p| p.label.name == *name)?;
    let above: Vec<&Place> =
        nest.iter().filter(|p| p.path.len() < place.path.len() && place.path.starts_with(&p.path)).collect();
    above.iter().any(|p| later.contains(&p.label.name)).then(|| above.last().map(|p| p.path.clone()))?
}

/// Interchange the loop at hand with the next one, guards between them moved inward first, and a change of algebra outward: the
/// elements of a `gen` may as well change theirs together, and a sum in a sum of the same algebra need not change it.
fn swap(cx: &mut Cx<'_>, e: &Expr) -> atl_kernel::Result<Thm> {
    let step = cx.child(e, Child::Body, |cx, e| cx.sequence(e, guards_inward, one_algebra))?;
    let first = cx.total(e, step)?;
    cx.then(first, |cx, e| match &**e {
        Node::Gen(label, n, body) if let Node::View(algebra, elements) = &**body => {
            let loops: Expr = Arc::new(Node::Gen(label.clone(), n.clone(), elements.clone()));
            let outside = cx.rule(Rule::ViewGen, &Arc::new(Node::View(*algebra, loops)))?.sym();
            cx.then(outside, |cx, e| cx.child(e, Child::Body, swap)).map(Some)
        }
        _ => interchange(cx, e).map(Some),
    })
}

/// The term without a change to its own algebra, through another one or not.
fn one_algebra(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    let mut chain = Chain::of(e);
    loop {
        let now = chain.now().clone();
        let Node::View(..) = &*now else { return Ok(chain.done()) };
        match cx.try_rule(Rule::ViewSame, &now).or_else(|| cx.try_rule(Rule::ViewView, &now)) {
            Some(step) => chain.push(step)?,
            None => return Ok(chain.done()),
        }
    }
}
