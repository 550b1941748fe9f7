//! Which sparse operands become loops over stored positions, and in which order.
//!
//! **The one idea.** The plan includes an operand unless that would be quadratic: every coordinate of it
//! against every coordinate of another. If an operand is left out, or a search runs too often, the reverse
//! order is tried; the plan that leaves fewer operands dense wins, and then the one with the lower trip
//! count. Where operands intersect, the reads of the final term may not be provably in bounds; then bounds
//! are checked after each operand, and an operand whose reads cannot be proved stays dense. Operands left out
//! are tried once more after the searches for the others are hoisted, because their own searches may then
//! follow.

use crate::commands::sparsify::{
    by_name, compared, has_quadratic_scan, is_second, nothing_to_sparsify, quadratic_scan_error,
};
use crate::duplicate_let::split_uses;
use crate::nest::{Place, Sort, binders, subterm};
use crate::reads::all_in_bounds;
use crate::refusal::{Refusal, RefusedAt};
use crate::script::small_enough;
use crate::session::Session;
use crate::size::inlined;
use atl_annotations::Coiteration as Way;
use atl_diag::Span;
use atl_kernel::{Expr, Node, Result as Kernel, Rule, Thm};
use atl_rules::lets::is_read_by_name;
use atl_rules::sparse::trip_counts::{elements, may_be_fewer, trip_count};
use atl_rules::sparse::{is_placed, sparsify};
use atl_syntax::ast::Step;
use std::sync::Arc;

/// Of more operands, no other order is tried: each takes a derivation of its own.
const MOST_ORDERED: usize = 3;

/// The operands that become loops over positions, in order, and those that stay dense.
struct SparsifyPlan {
    done: Option<Thm>,
    names: Vec<Arc<str>>,
    kept: Vec<Arc<str>>,
    /// What is left equals what it is once it is carried out.
    finished: Option<Thm>,
}

impl SparsifyPlan {
    /// A rough count of the iterations of all loops.
    fn trip_count(&self) -> f64 {
        self.finished.as_ref().map_or(0.0, |finished| trip_count(finished.rhs()))
    }
}

/// The theorem of what was taken, none if nothing changed, and that of comparing its places, if choosing
/// derived it.
pub(crate) type Derived = (Option<Thm>, Option<Thm>);

/// Every sparse `let`, in order; without another choice, those stay that would be compared with all of
/// another, whichever comes first.
pub(crate) fn all(session: &mut Session<'_>, step: &Step, way: Option<Way>) -> Result<Derived, Refusal> {
    let start = session.body.clone();
    let mut plan = in_some_order(session, step, way, BoundsCheck::Final)?;
    let is_second = is_second(session);
    // Where operands meet, what one says of the other's places may be more than can be shown to be in bounds.
    // What a first step left meets what it took.
    if let (Some(finished), true) = (&plan.finished, is_second || plan.names.len() > 1)
        && !all_in_bounds(&mut session.cx, finished.rhs()).refused_at(step.span)?
    {
        let end = std::mem::replace(&mut session.body, start);
        let checked = in_some_order(session, step, way, BoundsCheck::EachOperand)?;
        if checked.done.is_some() || is_second {
            plan = checked;
        } else {
            session.body = end;
        }
    }
    match plan {
        SparsifyPlan { kept, .. } if matches!(way, Some(Way::Search | Way::Merge)) && !kept.is_empty() => {
            Err(quadratic_scan_error(&kept[0], step.span))
        }
        SparsifyPlan { done: Some(done), finished, .. } => Ok((Some(done), finished)),
        // Arrays of all elements is what was asked for.
        SparsifyPlan { kept, .. }
            if way == Some(Way::Workspace) && !kept.is_empty() && by_name(session, &kept).is_none() =>
        {
            Ok((None, None))
        }
        SparsifyPlan { kept, .. } => Err(nothing_to_sparsify(session, &kept, step.span)),
    }
}

/// When the reads of the resulting term must be provably in bounds.
#[derive(Clone, Copy, PartialEq)]
enum BoundsCheck {
    /// Once, after all operands.
    Final,
    /// After each operand; one whose reads are not provably in bounds stays dense.
    EachOperand,
}

/// What stays, after the searches of what was taken are where they are carried out; only if that costs less
/// than arrays of all elements.
fn after(
    session: &mut Session<'_>,
    step: &Step,
    way: Option<Way>,
    plan: SparsifyPlan,
    bounds: BoundsCheck,
) -> Result<SparsifyPlan, Refusal> {
    let stays = plan.done.is_some() && !plan.kept.is_empty();
    if !stays || matches!(way, Some(Way::Workspace | Way::Scan)) {
        return Ok(plan);
    }
    let before = session.body.clone();
    let Some(carried_out) = compared(&mut session.cx, &before, way).refused_at(step.span)? else {
        return Ok(plan);
    };
    let mut arrays = 0.0;
    for place in binders(&before)
        .iter()
        .filter(|place| place.sort == Sort::Let && plan.kept.contains(&place.label.name))
    {
        arrays += rank(session, &before, place).refused_at(step.span)?.map_or(0.0, elements);
    }
    session.body = carried_out.rhs().clone();
    let more = in_order(session, step, way, &[], bounds)?;
    if more.names.is_empty() || more.trip_count() > plan.trip_count() + arrays {
        session.body = before;
        return Ok(plan);
    }
    let mut done = join(plan.done, carried_out, step.span)?;
    if let Some(next) = more.done {
        done = join(done, next, step.span)?;
    }
    Ok(SparsifyPlan {
        done,
        names: [plan.names, more.names].concat(),
        kept: more.kept,
        finished: more.finished,
    })
}

/// Every sparse `let`, in order or the other way round, and in each case then those that stay.
fn in_some_order(
    session: &mut Session<'_>,
    step: &Step,
    way: Option<Way>,
    bounds: BoundsCheck,
) -> Result<SparsifyPlan, Refusal> {
    let start = session.body.clone();
    let plan = in_order(session, step, way, &[], bounds)?;
    // What cannot be looked for may drive; and where something is looked for too often, there may be no need
    // to.
    let order = match &plan {
        SparsifyPlan { kept, .. } if !kept.is_empty() => kept.clone(),
        SparsifyPlan { names, finished: Some(e), .. } if names.len() > 1 && may_be_fewer(e.rhs()) => {
            names.iter().rev().cloned().collect()
        }
        _ => Vec::new(),
    };
    let few = plan.names.len() + plan.kept.len() <= MOST_ORDERED;
    let plan = after(session, step, way, plan, bounds)?;
    if !few || order.is_empty() || way == Some(Way::Workspace) {
        return Ok(plan);
    }
    let end = std::mem::replace(&mut session.body, start);
    let other = in_order(session, step, way, &order, bounds)?;
    let other = after(session, step, way, other, bounds)?;
    if (other.kept.len(), other.trip_count()) < (plan.kept.len(), plan.trip_count()) {
        return Ok(other);
    }
    session.body = end;
    Ok(plan)
}

/// Every sparse `let`, those of these names first.
fn in_order(
    session: &mut Session<'_>,
    step: &Step,
    way: Option<Way>,
    first: &[Arc<str>],
    bounds: BoundsCheck,
) -> Result<SparsifyPlan, Refusal> {
    let mut plan = SparsifyPlan { done: None, names: Vec::new(), kept: Vec::new(), finished: None };
    let mut own = Vec::new();
    let next = |body: &Expr, kept: &[Arc<str>], own: &[Arc<str>]| {
        let is_left = |name: &Arc<str>| kept.contains(name) || own.contains(name);
        let wanted = |place: &Place| place.sort == Sort::Let && !is_left(&place.label.name);
        let places = binders(body).into_iter().filter(wanted).filter(|place| is_sparse(body, place));
        places.min_by_key(|place| {
            first.iter().position(|name| *name == place.label.name).unwrap_or(first.len())
        })
    };
    while let Some(place) = next(&session.body, &plan.kept, &own) {
        if is_own_vector(session, &place).refused_at(step.span)? {
            own.push(place.label.name);
            continue;
        }
        if let Some((_, apart)) = split_uses(session, step.span, &place)? {
            session.body = apart.rhs().clone();
            plan.done = join(plan.done, apart, step.span)?;
            continue;
        }
        let Some(thm) = operand(session, step.span, &place)? else {
            plan.kept.push(place.label.name);
            continue;
        };
        // A term without comparisons of coordinates gets none when its places are compared, and the next
        // operand changes it.
        let is_between = bounds == BoundsCheck::Final
            && next(thm.rhs(), &plan.kept, &own).is_some()
            && !has_quadratic_scan(thm.rhs(), way);
        plan.finished = match is_between {
            true => None,
            false => {
                let finished = carried_out(session, thm.rhs(), way).refused_at(step.span)?;
                let mut is_there = || all_in_bounds(&mut session.cx, finished.rhs()).refused_at(step.span);
                if has_quadratic_scan(finished.rhs(), way)
                    || bounds == BoundsCheck::EachOperand && !is_there()?
                {
                    plan.kept.push(place.label.name);
                    continue;
                }
                Some(finished)
            }
        };
        plan.names.push(place.label.name);
        session.body = thm.rhs().clone();
        plan.done = join(plan.done, thm, step.span)?;
    }
    if plan.finished.is_none() && !plan.names.is_empty() {
        let body = session.body.clone();
        plan.finished = Some(carried_out(session, &body, way).refused_at(step.span)?);
    }
    Ok(plan)
}

/// The term equals what it is once its places are compared.
fn carried_out(session: &mut Session<'_>, e: &Expr, way: Option<Way>) -> Kernel<Thm> {
    let finished = compared(&mut session.cx, e, way)?;
    session.cx.total(e, finished)
}

pub(crate) fn join(done: Option<Thm>, next: Thm, span: Span) -> Result<Option<Thm>, Refusal> {
    atl_rules::join(done, Some(next)).refused_at(span)
}

/// Does this `let` bind what elements of arrays place?
pub(crate) fn is_sparse(body: &Expr, place: &Place) -> bool {
    match subterm(body, &place.path).map(|e| &**e) {
        Some(Node::Let(_, bound, _)) => is_placed(bound),
        _ => false,
    }
}

/// Does this `let` bind a vector or a number that the program computes, and that is sparse only for what it
/// is computed from?
fn is_own_vector(session: &mut Session<'_>, place: &Place) -> Kernel<bool> {
    let is_it = |other: &Place| other.sort == Sort::Let && other.label.name == place.label.name;
    let start = session.start.clone();
    if !binders(&start).iter().any(|other| is_it(other) && !is_sparse(&start, other)) {
        return Ok(false);
    }
    let body = session.body.clone();
    Ok(rank(session, &body, place)?.is_some_and(|rank| rank <= 1))
}

/// How many dimensions a `let` has.
fn rank(session: &mut Session<'_>, body: &Expr, place: &Place) -> Kernel<Option<usize>> {
    let mut rank = None;
    session.cx.at(body, &place.path, &mut |cx, e| {
        if let Node::Let(_, bound, _) = &**e {
            rank = Some(cx.type_of(bound)?.shape.len());
        }
        Ok(None)
    })?;
    Ok(rank)
}

/// The theorem for one operand; none where it is not sparse, or cannot be taken by its positions.
pub(crate) fn operand(session: &mut Session<'_>, span: Span, place: &Place) -> Result<Option<Thm>, Refusal> {
    if !is_sparse(&session.body, place) {
        return Ok(None);
    }
    if let Some(Node::Let(_, bound, body)) = subterm(&session.body, &place.path).map(|e| &**e) {
        if is_read_by_name(body) {
            return Ok(None);
        }
        small_enough(span, inlined(bound, body))?;
    }
    session
        .convert(span, std::slice::from_ref(place), &mut |cx, e| {
            let inline = cx.rule(Rule::LetInline, e)?;
            cx.then(inline, sparsify)
        })
        .map(Some)
}
