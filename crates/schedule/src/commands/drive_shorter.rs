//! `drive_shorter L, M`: of two nested loops, the one with fewer iterations becomes the outer one, at run time.
//!
//! **Statement.**
//! `sum a < n { sum b < m { e } } = [m < n] * sum b < m { sum a < n { e } } + [n <= m] * sum a < n { sum b < m { e } }`,
//! with reshape operators and guards between the loops.
//! **Requires.** What `reorder` requires of the two, and that zero is neutral; interchanging sums is
//! `rounding real`.
//! **Fails when.** `reorder` does.
//! **Example.** Where two sparse rows intersect, `drive_shorter pA2, pB2` iterates over the shorter one and
//! searches in the longer one, chosen for each pair of rows: a row with one entry and a row with a thousand
//! take ten comparisons, in either order.
//! **See also.** `sparsify`, whose searches are marked again; `reorder`.

use crate::args::Args;
use crate::command::Command;
use crate::commands::reorder::reorder;
use crate::nest::{Place, binders, outermost};
use crate::refusal::{RefusedAt, wrong_arguments};
use atl_kernel::{Child, Error, Expr, Ix, Node, Result as Kernel};
use atl_rules::Cx;
use atl_rules::rules::guard_complement;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "drive_shorter",
    usage: "drive_shorter L, M",
    equation: "sum a<n. sum b<m. e  =  [m < n] * (sum b. sum a. e) + [n <= m] * (sum a. sum b. e)",
    run: |session, step| {
        let loops = Args::new(step, COMMAND.usage, &[])?.loops()?;
        let [one, other] = &*loops else { return Err(wrong_arguments(step.span, COMMAND.usage)) };
        let mut places = session.loops(one)?;
        places.extend(session.loops(other)?);
        let tops = outermost(places);
        let pairs: Vec<[Arc<str>; 2]> = tops
            .iter()
            .map(|top| {
                let is_outer = *top.label.name == *one.name.text;
                let inner = if is_outer { other } else { one };
                [Arc::from(inner.name.text.as_str()), top.label.name.clone()]
            })
            .collect();
        // Whatever keeps them from changing places, it says.
        for (top, pair) in tops.iter().zip(&pairs) {
            reorder(session, step.span, std::slice::from_ref(top), pair)?;
        }
        let mut done = None;
        for (top, pair) in tops.iter().zip(&pairs) {
            let both = session.convert(step.span, std::slice::from_ref(top), &mut |cx, e| {
                let (m, n) = (extent(cx, e, &pair[0])?, own_extent(e)?);
                match &guard_complement::RULE.inverse {
                    Some(inverse) => (inverse.rewrite)(cx, e, &[m, n]),
                    None => cx.refl(e),
                }
            })?;
            session.body = both.rhs().clone();
            let swapped = reorder(session, step.span, &first_part(&session.body, top), pair)?;
            session.body = swapped.rhs().clone();
            let both = both.trans(swapped).refused_at(step.span)?;
            done = atl_rules::join(done, Some(both)).refused_at(step.span)?;
        }
        done.ok_or_else(|| wrong_arguments(step.span, COMMAND.usage))
    },
};

/// The extent of a loop.
fn own_extent(e: &Expr) -> Kernel<Ix> {
    match &**e {
        Node::Gen(_, n, _) | Node::Sum(_, n, _) => Ok(n.clone()),
        _ => Err(Error::Mismatch("a loop")),
    }
}

/// The extent of the outermost loop of this name below `e`, on whose indices it does not depend, since they change places.
fn extent(cx: &mut Cx<'_>, e: &Expr, name: &Arc<str>) -> Kernel<Ix> {
    let place = binders(e).into_iter().find(|place| place.within.is_empty() && place.label.name == *name);
    let path = place.map(|place| place.path).ok_or(Error::Mismatch("a loop of this name"))?;
    let mut found = None;
    cx.at(e, &path, &mut |_, e| {
        found = Some(own_extent(e)?);
        Ok(None)
    })?;
    found.ok_or(Error::Mismatch("a loop of this name"))
}

/// The nest below the guard of the first of the two parts that stand where a nest stood.
fn first_part(body: &Expr, top: &Place) -> Vec<Place> {
    let path = [&*top.path, &[Child::Arg(0), Child::Body]].concat();
    binders(body).into_iter().filter(|place| place.path == path).collect()
}
