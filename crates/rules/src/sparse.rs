//! From a dense program over sparse operands to loops over their positions.
//!
//! A sparse operand is a sum over its stored positions, each at one coordinate: `sum p { one_hot(M, crd[p], val[p]) }`.
//! An element of it is `sum p { [j == crd[p]] * val[p] }`. What follows are equations of the catalogue, applied from the
//! inside out:
//!
//! * such a sum moves out of the product that it is a factor of, since zero annihilates;
//! * a loop over `j`, a `sum` or a `gen`, changes places with it, and the equation ends it: a `sum` is its one term, a `gen`
//!   is a `one_hot`, which is a scatter; so is a `gen` under an equation of indices, as that of a diagonal;
//! * a guard moves out of the loops that it does not depend on.
//!
//! What the loops leave is a loop over positions for each sparse level. Nothing here is tried that does not end in such a
//! loop; a term that reads several sparse operands at one index keeps an equation between their coordinates, which the
//! caller sees by [`meets`].

use crate::block_coordinates::{of_blocks, of_pairs};
use crate::conjuncts::{conjunction, conjuncts, guard};
use crate::cx::{Cx, Step};
use crate::derived::by_name;
use crate::discordant_order::{has_discordant_order, scatter_discordant};
use crate::gather::unimplied;
use crate::inside_reads;
use crate::lets::from_left;
use crate::rules::gen_one_hot::gen_one_hot;
use crate::rules::guard_inward::guard_outward;
use crate::rules::onehot_sum_and::onehot_sum_and;
use crate::settle::{Again, Moved, settle};
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Child, Cmp, Expr, Ix, IxOp, LoopKind, Node, Pred, Prim, Result, Rule, Thm, subst};
use std::sync::Arc;

/// Carry out the reads of sparse operands everywhere in a term.
///
/// A loop over positions says what a loop over coordinates is; where it is left over, and its equation says which position a
/// coordinate has, as in a run of coordinates that follow each other, it ends itself.
pub fn sparsify(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let located =
        |positions| move |cx: &mut Cx<'_>, e: &Expr| settle(cx, e, &mut |cx, e| step(cx, e, positions));
    cx.sequence(e, located(Positions::Loop), located(Positions::Located))
}

/// Scatters loops over coordinates whose order differs from an operand's levels, after all reads are carried out.
pub fn scatter_discordant_loops(cx: &mut Cx<'_>, e: &Expr) -> Step {
    settle(cx, e, &mut |cx, e| step(cx, e, Positions::Scattered))
}

/// What becomes of a loop over positions whose equation says which position it is.
#[derive(Clone, Copy, PartialEq)]
enum Positions {
    /// It stays, for the loops over coordinates around it.
    Loop,
    /// It is that one position.
    Located,
    /// It stays, and moves out of the loops on which it depends, which become scatters.
    Scattered,
}

/// Do two sparse operands meet at an index, so that each coordinate of one is compared with all of the other's? Or is an
/// index compared with all coordinates, whatever it is? A sum that searches compares few. What a `let` stores, whose turn
/// may come yet, is not looked at.
pub fn meets(e: &Expr) -> bool {
    meet(e, &mut Vec::new())
}

/// A binder around a place.
enum Around {
    /// A loop that runs over all of this extent.
    Loop(Ix),
    /// A sum that searches.
    Search,
    /// A `let`.
    Let,
}

/// The same below these binders; a binder's place is its level, counted from the outermost.
fn meet(e: &Expr, around: &mut Vec<Around>) -> bool {
    if let Node::Guard(p, _) = &**e
        && conjuncts(p).iter().any(|part| is_coordinate(part) && compares(part, around))
    {
        return true;
    }
    e.children().into_iter().any(|at| {
        let Some(child) = e.child(at) else { return false };
        let binders = e.binds(at);
        if binders == 0 {
            return !(matches!(**e, Node::Let(..)) && is_stored(child)) && meet(child, around);
        }
        let binder = match &**e {
            Node::Sum(l, ..) if l.kind == LoopKind::Search => Around::Search,
            Node::Gen(_, n, _) | Node::Sum(_, n, _) => Around::Loop(n.clone()),
            _ => Around::Let,
        };
        let outside = around.len();
        let child = subst::open_all(child, level(outside), binders);
        around.extend((1..binders).map(|_| Around::Let));
        around.push(binder);
        let found = meet(&child, around);
        around.truncate(outside);
        found
    })
}

/// The level of a binder below so many others; levels are above all that a context has.
pub(crate) fn level(depth: usize) -> u32 {
    (u32::MAX / 2).saturating_add(u32::try_from(depth).unwrap_or(u32::MAX / 2))
}

/// Does the equation compare what different loops run over, neither of which depends on the other? In a search it does not.
fn compares(p: &Pred, around: &[Around]) -> bool {
    let Pred::Cmp(_, a, b) = p else { return false };
    let own = |ix: &Ix, other: &Ix| -> Vec<usize> {
        let binders = 0..around.len();
        let is_own = |k: &usize| ix.mentions(level(*k)) && !other.mentions(level(*k));
        binders.filter(is_own).collect()
    };
    let bounded =
        |inner: usize, outer: usize| matches!(&around[inner], Around::Loop(n) if n.mentions(level(outer)));
    let apart = |x: usize, y: usize| !bounded(x, y) && !bounded(y, x);
    let (left, right) = (own(a, b), own(b, a));
    let searches = left.iter().chain(&right).any(|k| matches!(around[*k], Around::Search));
    !searches && left.iter().any(|x| right.iter().any(|y| apart(*x, *y)))
}

/// Do elements of arrays say where the elements of this tensor stand?
pub fn is_placed(e: &Expr) -> bool {
    let here = match &**e {
        Node::Guard(p, _) => {
            conjuncts(p).iter().any(|part| matches!(part, Pred::Cmp(_, a, b) if reads(a) || reads(b)))
        }
        Node::Op(def, ixs, _) => def.name == "one_hot" && ixs.iter().any(reads),
        _ => false,
    };
    here || e.children().into_iter().filter_map(|at| e.child(at)).any(is_placed)
}

/// Is it elements of one array, in loops and guards that say where they stand?
fn is_stored(e: &Expr) -> bool {
    match &**e {
        Node::Gen(_, _, body) | Node::Sum(_, _, body) | Node::Guard(_, body) => is_stored(body),
        Node::Op(def, _, args) if def.name == "one_hot" => is_stored(&args[0]),
        Node::Get(array, _) => matches!(**array, Node::Var(_)),
        _ => false,
    }
}

/// Is the conjunct an equation of a coordinate with an element of an array?
pub(crate) fn is_coordinate(p: &Pred) -> bool {
    let fixed = |ix: &Ix| matches!(ix, Ix::Lit(_));
    matches!(p, Pred::Cmp(Cmp::Eq, a, b) if (reads(a) || reads(b)) && !fixed(a) && !fixed(b))
}

/// Does the index term read an array?
pub fn reads(ix: &Ix) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => false,
        Ix::Bin(_, ab) => reads(&ab.0) || reads(&ab.1),
        Ix::Read(..) => true,
    }
}

/// Is it such an equation of elements? One of blocks, `i / 2 == crd[p]`, says where an element stands only in a loop that is cut.
fn is_of_element(p: &Pred) -> bool {
    let is_block = |ix: &Ix| matches!(ix, Ix::Bin(IxOp::Div, ab) if matches!(ab.1, Ix::Lit(_)) && !reads(ix));
    is_coordinate(p) && !matches!(p, Pred::Cmp(_, a, b) if is_block(a) || is_block(b))
}

/// Does the loop run over positions, as many as arrays say?
fn is_over_positions(e: &Expr) -> bool {
    matches!(&**e, Node::Sum(_, n, _) if reads(n))
}

/// Is how often the loop runs not known?
fn is_long(e: &Expr) -> bool {
    matches!(&**e, Node::Sum(_, n, _) if !matches!(n, Ix::Lit(_)))
}

/// Is it a sum over positions, below guards and other such sums?
fn is_sparse(e: &Expr) -> bool {
    match &**e {
        Node::Guard(p, body) => conjuncts(p).iter().any(is_coordinate) || is_sparse(body),
        Node::Sum(_, _, body) => is_sparse(body),
        _ => false,
    }
}

/// Is there, below sums whose extents do not depend on it, an equation for the loop that binds `level`?
fn is_determined_by_equation(e: &Expr, level: u32, fresh: u32) -> bool {
    is_determined_by(e, level, fresh, is_coordinate)
}

/// The same for equations of one sort.
fn is_determined_by(e: &Expr, level: u32, fresh: u32, counts: fn(&Pred) -> bool) -> bool {
    match &**e {
        Node::Guard(p, body) => {
            conjuncts(p).iter().any(|part| counts(part) && determines(part, level))
                || is_determined_by(body, level, fresh, counts)
        }
        Node::Sum(_, n, body) => {
            !n.mentions(level) && is_determined_by(&subst::open(body, fresh), level, fresh + 1, counts)
        }
        _ => false,
    }
}

/// Do conditions of one sort, or extents, of these sums depend on the index at this level?
fn conditions_depend_on(e: &Expr, level: u32, counts: fn(&Pred) -> bool) -> bool {
    match &**e {
        Node::Guard(p, body) => {
            conjuncts(p).iter().any(|part| counts(part) && part.mentions(level))
                || conditions_depend_on(body, level, counts)
        }
        Node::Sum(_, n, body) => n.mentions(level) || conditions_depend_on(body, level, counts),
        _ => false,
    }
}

/// Is the conjunct an equation that says what the index at this level is?
pub(crate) fn determines(p: &Pred, level: u32) -> bool {
    let Pred::Cmp(Cmp::Eq, a, b) = p else { return false };
    let Ok(Ok(difference)) = Poly::of(a).map(|a| Poly::of(b).and_then(|b| a.minus(&b))) else { return false };
    let index = |m: &[Arc<Atom>]| matches!(m, [atom] if **atom == Atom::Var(level));
    let once = difference.terms().filter(|(m, c)| index(m) && c.abs() == 1).count() == 1;
    let elsewhere = |m: &[Arc<Atom>]| !index(m) && m.iter().any(|atom| within(atom, level));
    once && !difference.terms().any(|(m, _)| elsewhere(m))
}

/// Does the variable at this level occur in the atom?
fn within(atom: &Atom, level: u32) -> bool {
    let part = |p: &Poly| p.terms().any(|(m, _)| m.iter().any(|atom| within(atom, level)));
    match atom {
        Atom::Var(l) => *l == level,
        Atom::Div(p, q) | Atom::Min(p, q) | Atom::Max(p, q) => part(p) || part(q),
        Atom::Read(_, at) => at.iter().any(part),
    }
}

/// One step at a node whose children are done.
fn step(cx: &mut Cx<'_>, e: &Expr, positions: Positions) -> Moved {
    let simplified = inside_reads::simplify_read_indices(cx, e)?;
    if simplified.is_some() {
        return Ok(all(simplified));
    }
    match &**e {
        Node::Get(array, _) => access(cx, e, array),
        Node::Prim(Prim::Mul, ab) => product(cx, e, &ab[0], &ab[1]),
        Node::Guard(p, body) => guarded(cx, e, p, body),
        Node::Sum(_, _, body) | Node::Gen(_, _, body) => looped(cx, e, body, positions),
        Node::Op(def, ixs, args) if def.name == "one_hot" => {
            Ok(scattered(cx, e, ixs, &args[0])?.map(|thm| (thm, Again::BODY)))
        }
        _ => Ok(None),
    }
}

/// The step, after which everything below may change again.
fn all(step: Option<Thm>) -> Option<(Thm, Again)> {
    step.map(|thm| (thm, Again::All))
}

/// An equation of coordinates stands around what is scattered: `one_hot(n, c, [p] * e) = [p] * one_hot(n, c, e)`.
pub(crate) fn scattered(cx: &mut Cx<'_>, e: &Expr, ixs: &[Ix], slice: &Expr) -> Step {
    let (Node::Guard(p, inner), [n, c]) = (&**slice, ixs) else { return Ok(None) };
    if !conjuncts(p).iter().any(is_coordinate) {
        return Ok(None);
    }
    let around = guard(p.clone(), &atl_ops::one_hot(n.clone(), c.clone(), inner.clone()));
    let unfolded = cx.rule(Rule::Unfold, e)?;
    let unfolded = cx.then(unfolded, |cx, e| cx.child(e, Child::Body, merged))?;
    from_left(cx, unfolded.rhs(), &around, |cx, around| {
        let inside = cx.inside(around, Child::Body, |cx, e| cx.rule(Rule::Unfold, e))?;
        let inside = cx.then(inside, |cx, e| cx.rule(Rule::GuardGen, e))?;
        cx.then(inside, |cx, e| cx.child(e, Child::Body, merged))
    })
    .and_then(|thm| unfolded.trans(thm))
    .map(Some)
}

/// `one_hot(n, c, sum p { e }) = sum p { one_hot(n, c, e) }`.
fn sum_around(cx: &mut Cx<'_>, e: &Expr, ixs: &[Ix], slice: &Expr) -> Result<Thm> {
    let (Node::Sum(label, m, body), [n, c]) = (&**slice, ixs) else { return cx.refl(e) };
    let position = cx.ctx.level();
    let term = atl_ops::one_hot(n.clone(), c.clone(), subst::open(body, position));
    let around = Arc::new(Node::Sum(label.clone(), m.clone(), subst::close(&term, position)));
    let unfolded = cx.rule(Rule::Unfold, e)?;
    let swapped = cx.then(unfolded, |cx, e| {
        let inside = cx.inside(e, Child::Body, |cx, e| cx.rule(Rule::GuardSum, e))?;
        cx.then(inside, |cx, e| cx.rule(Rule::GenSumSwap, e))
    })?;
    let folded = from_left(cx, swapped.rhs(), &around, |cx, around| {
        cx.inside(around, Child::Body, |cx, e| cx.rule(Rule::Unfold, e))
    })?;
    swapped.trans(folded)
}

/// `[p] * [q] * e = [p && q] * e`.
pub(crate) fn merged(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Guard(_, inner) if matches!(**inner, Node::Guard(..)) => cx.rule(Rule::GuardAnd, e).map(Some),
        _ => Ok(None),
    }
}

/// A read moves to where the elements are.
fn access(cx: &mut Cx<'_>, e: &Expr, array: &Expr) -> Moved {
    match &**array {
        Node::Gen(..) => cx.rule(Rule::AccessGen, e).map(Some).map(all),
        Node::Sum(..) => Ok(Some((cx.rule(Rule::GetSum, e)?, Again::BODY))),
        Node::Guard(..) => Ok(Some((cx.rule(Rule::GetGuard, e)?, Again::BODY))),
        Node::Op(..) | Node::Get(..) => {
            match operator(array).and_then(|name| by_name(&format!("access_{name}"))) {
                Some(rule) => rule.rewrite(cx, e, &[]).map(Some).map(all),
                None => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

/// The name of the operator below accesses.
fn operator(e: &Expr) -> Option<&'static str> {
    match &**e {
        Node::Get(array, _) => operator(array),
        Node::Op(def, ..) => Some(def.name),
        _ => None,
    }
}

/// A sparse factor's sums and guards are those of the product, and the product of a sum with a sparse term is a sum.
fn product(cx: &mut Cx<'_>, e: &Expr, a: &Expr, b: &Expr) -> Moved {
    // The other factor stands below more than it did.
    let (rule, again) = match (&**a, &**b) {
        (Node::Sum(..), _) if is_sparse(a) => (Rule::MulSumR, Again::RIGHT_OF_BODY),
        (Node::Guard(..), _) if is_sparse(a) => (Rule::GuardMulL, Again::RIGHT_OF_BODY),
        (_, Node::Sum(..)) if is_sparse(b) => (Rule::MulSumL, Again::LEFT_OF_BODY),
        (_, Node::Guard(..)) if is_sparse(b) => (Rule::GuardMulR, Again::LEFT_OF_BODY),
        (Node::Prim(Prim::Add, parts), _) if parts.iter().any(is_sparse) => (Rule::DistrR, Again::All),
        (_, Node::Prim(Prim::Add, parts)) if parts.iter().any(is_sparse) => (Rule::DistrL, Again::All),
        _ => return Ok(None),
    };
    Ok(Some((cx.rule(rule, e)?, again)))
}

/// Guards become one, are simplified, and lose what is known.
fn guarded(cx: &mut Cx<'_>, e: &Expr, p: &Pred, body: &Expr) -> Moved {
    if matches!(**body, Node::Guard(..)) {
        return Ok(Some((cx.rule(Rule::GuardAnd, e)?, Again::ROOT)));
    }
    if matches!(**body, Node::Sum(..)) && is_sparse(body) {
        return Ok(Some((cx.rule(Rule::GuardSum, e)?, Again::BODY)));
    }
    let rest = unimplied(cx, p);
    let done = match atl_arith::simplify_pred(&cx.ctx, &rest) {
        Pred::True => Some(cx.rule(Rule::GuardTrue, e)?),
        q if q != *p => Some(cx.rule(Rule::ArithEq(guard(q, body)), e)?),
        _ => match of_blocks(p).or_else(|| of_pairs(p, &|pair| reads(&pair.number))) {
            // Where it cannot be shown, the condition stays.
            Some(q) => cx.rule(Rule::ArithEq(guard(q, body)), e).ok(),
            None => None,
        },
    };
    Ok(done.map(|thm| (thm, Again::ROOT)))
}

/// A loop over a sparse term goes inward until an equation ends it.
fn looped(cx: &mut Cx<'_>, e: &Expr, body: &Expr, positions: Positions) -> Moved {
    let (index, is_gen) = (cx.ctx.level(), matches!(**e, Node::Gen(..)));
    let inside = subst::open(body, index);
    let turns =
        |e: &Expr| is_gen && positions == Positions::Scattered && has_discordant_order(e, index, index + 1);
    match &*inside {
        Node::Sum(_, m, _) if is_sparse(&inside) && !m.mentions(index) => {
            // The terms of a long sum that no place depends on are added up for one position at a time.
            let is_free = reads(m) && is_long(e) && !conditions_depend_on(&inside, index, |_| true);
            let stays = match is_gen {
                // Its index says where the terms stand: each element is searched for, or the loop is turned.
                true => {
                    conditions_depend_on(&inside, index, is_of_element)
                        && !is_determined_by(&inside, index, index + 1, |_| true)
                }
                false => {
                    is_over_positions(e) || !is_free && !is_determined_by_equation(&inside, index, index + 1)
                }
            };
            if stays {
                return Ok(None);
            }
            Ok(Some((cx.rule(if is_gen { Rule::GenSumSwap } else { Rule::SumSwap }, e)?, Again::BODY)))
        }
        // A dense dimension goes inside the loop over positions: its elements stand side by side in memory.
        Node::Sum(_, m, _) if is_gen && reads(m) && !m.mentions(index) => {
            Ok(Some((cx.rule(Rule::GenSumSwap, e)?, Again::BODY)))
        }
        Node::Gen(..) if turns(&inside) => cx.child(e, Child::Body, scatter_discordant).map(all),
        // How far the inner sum goes depends on the loop, whose equation must come out of it first.
        Node::Sum(_, _, inner) if is_sparse(&inside) && is_determined_outside(inner, index) => {
            let outside = cx.inside(e, Child::Body, |cx, sum| equation_out(cx, sum, index))?;
            cx.then(outside, |cx, e| eliminate_by_equation(cx, e, is_gen)).map(Some).map(all)
        }
        Node::Guard(p, rest) => {
            let (own, outer) = partition_conjuncts(p, index);
            if let (Node::Sum(_, n, _), Positions::Scattered) = (&**e, positions)
                && is_placed(rest)
                && let Some(q) = of_pairs(p, &|pair| pair.second == index && pair.n == *n)
            {
                return cx.child(e, Child::Body, |cx, e| cx.rule(Rule::ArithEq(guard(q, rest)), e)).map(all);
            }
            // Once no operand is left to say where it stands, any equation does.
            let is_said = |part: &Pred| {
                is_coordinate(part) || is_gen || positions == Positions::Scattered && is_placed(rest)
            };
            let ends = |part: &Pred| is_said(part) && determines(part, index);
            // A loop that asks for a coordinate keeps what else is asked, unless an equation ends it.
            let is_determined = !is_over_positions(e) && own.iter().any(ends);
            if !is_determined && own.iter().any(|part| is_coordinate(part) && !determines(part, index)) {
                return Ok(None);
            }
            if is_over_positions(e) && own.iter().any(ends) {
                return match positions {
                    Positions::Loop | Positions::Scattered => Ok(None),
                    Positions::Located => onehot_sum_and(cx, e).map(Some).map(all),
                };
            }
            if !outer.is_empty() {
                let moved = outward(cx, e, own, outer, rest)?;
                // Where the equation cannot end the loop, the sum takes the condition in again, and so it stays there.
                return match is_determined {
                    true => cx
                        .then(moved, |cx, e| {
                            cx.child(e, Child::Body, |cx, e| eliminate_by_equation(cx, e, is_gen))
                        })
                        .map(Some)
                        .map(all),
                    false => Ok(Some((moved, Again::BODIES))),
                };
            }
            if !own.iter().any(ends) {
                return Ok(None);
            }
            eliminate_by_equation(cx, e, is_gen).map(Some).map(all)
        }
        // What is scattered is a sum that ends the loop: it stands around the place, and around the loop.
        Node::Op(def, ixs, args)
            if is_gen
                && def.name == "one_hot"
                && matches!(*args[0], Node::Sum(..))
                && !ixs.iter().any(|ix| ix.mentions(index))
                && is_determined_by_equation(&args[0], index, index + 1) =>
        {
            let around = cx.inside(e, Child::Body, |cx, e| sum_around(cx, e, ixs, &args[0]))?;
            Ok(Some((around, Again::BODIES)))
        }
        // Sums that end the loop come out of what arranges their terms.
        Node::Op(..) if is_gen && is_arranged(&inside, index) => cx
            .child(e, Child::Body, |cx, e| arrangement_inward(cx, e, index))
            .and_then(|thm| cx.total(e, thm))
            .map(Some)
            .map(all),
        Node::Prim(Prim::Add, ab)
            if ab.iter().any(|part| is_determined_by_equation(part, index, index + 1) || turns(part)) =>
        {
            if !is_gen {
                return cx.rule(Rule::SumAdd, e).map(Some).map(all);
            }
            by_name("gen_of_add").map(|rule| rule.rewrite(cx, e, &[])).transpose().map(all)
        }
        _ => Ok(None),
    }
}

/// Are there, below reshape operators that do not depend on the index, sums with an equation that ends its loop?
fn is_arranged(e: &Expr, index: u32) -> bool {
    match &**e {
        Node::Op(def, ixs, args) if def.name != "one_hot" && args.len() == 1 => {
            !ixs.iter().any(|ix| ix.mentions(index))
                && (is_determined_by_equation(&args[0], index, index + 1) || is_arranged(&args[0], index))
        }
        _ => false,
    }
}

/// `op(sum p { [i == c(p)] * e }) = sum p { [i == c(p)] * op(e) }`, for a reshape operator, or several: down to that equation.
fn arrangement_inward(cx: &mut Cx<'_>, e: &Expr, index: u32) -> Result<Thm> {
    let Node::Op(_, _, args) = &**e else { return cx.refl(e) };
    match &*args[0] {
        Node::Op(..) => {
            let first = cx.inside(e, Child::Arg(0), |cx, e| arrangement_inward(cx, e, index))?;
            match &**first.rhs() {
                Node::Op(_, _, args) if matches!(*args[0], Node::Sum(..) | Node::Guard(..)) => {
                    cx.then(first, |cx, e| arrangement_inward(cx, e, index))
                }
                _ => Ok(first),
            }
        }
        Node::Sum(..) => {
            let Some(rule) = by_name("reshape_of_sum") else { return cx.refl(e) };
            let moved = rule.rewrite(cx, e, &[])?;
            cx.then(moved, |cx, e| cx.child(e, Child::Body, |cx, e| arrangement_inward(cx, e, index)))
        }
        Node::Guard(p, _) => {
            let is_end = conjuncts(p).iter().any(|part| is_coordinate(part) && determines(part, index));
            let moved = guard_outward(cx, e)?;
            if is_end {
                return Ok(moved);
            }
            cx.then(moved, |cx, e| cx.child(e, Child::Body, |cx, e| arrangement_inward(cx, e, index)))
        }
        _ => cx.refl(e),
    }
}

/// Eliminates a loop whose index an equation determines.
fn eliminate_by_equation(cx: &mut Cx<'_>, e: &Expr, is_gen: bool) -> Result<Thm> {
    if !is_gen {
        return onehot_sum_and(cx, e);
    }
    let scattered = gen_one_hot(cx, e)?;
    cx.then(scattered, inside)
}

/// Scatters where the place is inside: `one_hot(n, c, e) = [0 <= c < n] * one_hot(n, c, e)`. Empty places of a table have
/// coordinates that are not, and a diagonal ends.
fn inside(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Op(_, ixs, _) = &**e else { return Ok(None) };
    let [n, c] = &ixs[..] else { return Ok(None) };
    let missing = unimplied(cx, &Pred::in_range(c, n));
    if missing == Pred::True {
        return Ok(None);
    }
    let around = guard(missing, e);
    let unfolded = cx.rule(Rule::Unfold, e)?;
    let thm = from_left(cx, unfolded.rhs(), &around, |cx, around| {
        let inside = cx.inside(around, Child::Body, |cx, e| cx.rule(Rule::Unfold, e))?;
        let inside = cx.then(inside, |cx, e| cx.rule(Rule::GuardGen, e))?;
        cx.then(inside, |cx, e| cx.child(e, Child::Body, merged))
    })?;
    unfolded.trans(thm).map(Some)
}

/// The conjuncts of a guard that depend on a variable, and the others.
fn partition_conjuncts(p: &Pred, level: u32) -> (Vec<Pred>, Vec<Pred>) {
    conjuncts(p).into_iter().partition(|part| part.mentions(level))
}

/// Does an equation in this body of a sum say what the index is, whatever the position?
fn is_determined_outside(body: &Expr, index: u32) -> bool {
    let position = level(0);
    match &*subst::open(body, position) {
        Node::Guard(p, _) => partition_conjuncts(p, position)
            .1
            .iter()
            .any(|part| is_coordinate(part) && determines(part, index)),
        _ => false,
    }
}

/// `sum p { [own(p) && x] * e } = [x] * sum p { [own(p)] * e }`, if `x` has an equation for the index at this level.
fn equation_out(cx: &mut Cx<'_>, e: &Expr, index: u32) -> Step {
    let Node::Sum(_, _, body) = &**e else { return Ok(None) };
    let position = cx.ctx.level();
    match &*subst::open(body, position) {
        Node::Guard(p, rest) if is_determined_outside(body, index) => {
            let (own, outer) = partition_conjuncts(p, position);
            outward(cx, e, own, outer, rest).map(Some)
        }
        _ => Ok(None),
    }
}

/// `loop { [own && outer] * e } = [outer] * loop { [own] * e }`.
pub(crate) fn outward(
    cx: &mut Cx<'_>,
    e: &Expr,
    own: Vec<Pred>,
    outer: Vec<Pred>,
    rest: &Expr,
) -> Result<Thm> {
    let index = cx.ctx.level();
    let kept = if own.is_empty() { rest.clone() } else { guard(conjunction(own), rest) };
    let body = subst::close(&kept, index);
    let (inner, rule) = match &**e {
        Node::Gen(l, n, _) => (Arc::new(Node::Gen(l.clone(), n.clone(), body)), Rule::GuardGen),
        Node::Sum(l, n, _) => (Arc::new(Node::Sum(l.clone(), n.clone(), body)), Rule::GuardSum),
        _ => return cx.refl(e),
    };
    let left = guard(conjunction(outer), &inner);
    from_left(cx, e, &left, |cx, left| {
        let inward = cx.rule(rule, left)?;
        cx.then(inward, |cx, e| cx.child(e, Child::Body, merged))
    })
}
