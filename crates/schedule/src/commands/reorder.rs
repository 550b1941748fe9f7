//! `reorder L, M, N`: the named loops, nested in this order.
//!
//! **Statement.** A chain of `interchange` steps, with guards between the loops moved inward first.
//! **Requires.** One nest: between two of the loops only other loops, reshape operators and guards. Two sums
//! change places only where addition commutes; a sum of floats is then `rounding real`.
//! **Fails when.** Something else stands between the loops, or an inner bound depends on an outer index.
//! **Example.** `reorder j, i` of `gen i < n, j < m { e }` gives `transpose(gen j < m, i < n { e })`.
//! **See also.** `tile`, `split`.

use crate::args::Args;
use crate::command::Command;
use crate::nest::{Place, Sort, binders, outermost, subterm};
use crate::pattern::describe;
use crate::session::{BEFORE, Refusal, Session, list};
use atl_diag::{Span, err};
use atl_kernel::{Child, Error, Expr, Node, Thm};
use atl_rules::rules::{guard_inward::guards_inward, interchange::interchange};
use atl_rules::searches::mark_anew;
use atl_rules::{Cx, join};
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
    let done = session.convert(span, tops, &mut |cx, e| {
        let mut done: Option<Thm> = None;
        // Bring each loop in turn above those that come after it.
        for (k, name) in names.iter().enumerate() {
            loop {
                let now = done.as_ref().map_or(e, Thm::rhs).clone();
                let Some(path) = above_later(&now, name, &names[k + 1..]) else { break };
                let step = cx.at(&now, &path, &mut |cx, e| {
                    let swapped = swap(cx, e);
                    if matches!(swapped, Err(Error::NoMatch { .. } | Error::Mismatch(_))) {
                        let between = Between::of(e, name);
                        stuck = Some(Stuck { inner: name.clone(), outer: describe(&cx.ctx, e), between });
                    }
                    swapped.map(Some)
                })?;
                done = join(done, step)?;
            }
        }
        let done = cx.total(e, done)?;
        cx.then(done, mark_anew)
    });
    match stuck {
        Some(stuck) => Err(stuck.refusal(span)),
        None => done,
    }
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
    /// A change of algebra: the reduction is another algebra's addition.
    Algebra,
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
            Between::Algebra => {
                "a `max` of `f32` is the addition of `max_plus<f32>`: compute in that".to_owned()
            }
            Between::Neither => BEFORE.to_owned(),
        };
        Box::new(
            err!(E0340, span, "loop `{}` cannot change places with the loop around it", self.inner)
                .label("these loops keep their order")
                .note(format!("the loop around it is `{}`", self.outer))
                .note(
                    "two loops change places where one stands directly in the other, or with guards and reshape operators \
                     between; a reduction must be the element type's own addition, and the inner range must not depend \
                     on the outer index",
                )
                .help(help),
        )
    }
}

/// Is it a loop of the nest itself, and not of a term that a `let` in it binds?
fn in_nest(place: &Place) -> bool {
    place.sort != Sort::Let && place.within.is_empty()
}

/// The loop directly above loop `name`, if some later one stands above it.
fn above_later(e: &Expr, name: &Arc<str>, later: &[Arc<str>]) -> Option<Vec<Child>> {
    let nest: Vec<Place> = binders(e).into_iter().filter(in_nest).collect();
    let place = nest.iter().find(|p| p.label.name == *name)?;
    let above: Vec<&Place> =
        nest.iter().filter(|p| p.path.len() < place.path.len() && place.path.starts_with(&p.path)).collect();
    above.iter().any(|p| later.contains(&p.label.name)).then(|| above.last().map(|p| p.path.clone()))?
}

/// Interchange the loop at hand with the next one, guards between them moved inward first.
fn swap(cx: &mut Cx<'_>, e: &Expr) -> atl_kernel::Result<Thm> {
    let step = cx.child(e, Child::Body, guards_inward)?;
    let first = cx.total(e, step)?;
    cx.then(first, |cx, e| interchange(cx, e).map(Some))
}
