//! What a `let` binds as index terms: `gen p < N { min(max(x[p] - 3, 0), 255) }` computes integers that
//! index terms compute too, as long as nothing wraps around.
//!
//! **The one idea.** Integer arithmetic is done from the leaves up: an element that is read in bounds is an index term, and so is an operation
//! on index terms, each by a rule of the kernel with the certificate that nothing leaves its type. The
//! theorem at the end is all that the kernel is given, and by it the elements are known in the body of the
//! `let`. What cannot be done so is left alone: nothing is known of it then but its type, and of a choice
//! one side of which is an index term, that it is one of both, or within it: `min(max(i32(x[p]), 0), 9)`.

use atl_kernel::{
    Child, Ctx, Expr, Label, Node, Number, Prim, Prover, Result, Rule, Thm, Type, Var, enter, enter_knowing,
};
use std::sync::Arc;

/// The context of the body of a `let`, with what is known of the elements that it binds, and the opened body.
pub fn enter_let(ctx: &Ctx, e: &Expr, prover: &mut dyn Prover) -> Result<(Ctx, Expr)> {
    if let Node::Let(_, bound, _) = &**e
        && is_arithmetic(bound)
        && let Some(fact) = reflected(&Arc::new(ctx.clone()), bound, prover)
        && let Ok(entered) = enter_knowing(ctx, e, &fact, prover)
    {
        return Ok(entered);
    }
    enter(ctx, e, Child::Body, prover)
}

/// The context where a tensor of this type is bound to a term, with what is known of its elements.
pub fn push_let(ctx: &Ctx, label: &Label, ty: &Type, bound: &Expr, prover: &mut dyn Prover) -> Ctx {
    if ty.elem.scalar.is_index() && is_arithmetic(bound) {
        let whole = Arc::new(Node::Var(Var::Bound(0)));
        let e = Arc::new(Node::Let(label.clone(), bound.clone(), whole));
        if let Ok((inner, _)) = enter_let(ctx, &e, prover) {
            return inner;
        }
    }
    let mut inner = ctx.clone();
    inner.push_tensor(label.clone(), ty.clone());
    inner
}

/// Is the term made of what may be index terms? Of others no rule is tried, nor of those that are large once
/// their names are replaced.
pub(crate) fn is_arithmetic(e: &Expr) -> bool {
    nodes(e, &mut Vec::new()).is_some_and(|nodes| nodes <= MAX_NODES)
}

/// Index terms grow no larger than this.
const MAX_NODES: usize = 200;

/// The nodes of such a term with what `let`s bind in place of their names, of which these many there are in
/// what is bound around, if that is such a term.
fn nodes(e: &Expr, bound: &mut Vec<Option<usize>>) -> Option<usize> {
    let below = |e: &Expr, own: Option<usize>, bound: &mut Vec<Option<usize>>| {
        bound.push(own);
        let found = nodes(e, bound);
        bound.pop();
        found
    };
    let sum = match &**e {
        Node::Gen(_, _, body) => below(body, Some(1), bound)?,
        Node::Guard(_, body) => nodes(body, bound)?,
        Node::Select(_, a, b) => nodes(a, bound)? + nodes(b, bound)?,
        Node::Let(_, value, body) => {
            let own = nodes(value, bound);
            below(body, own, bound)?
        }
        Node::Var(Var::Bound(k)) => (*bound.iter().rev().nth(*k as usize)?)?,
        Node::Var(Var::Free(_)) => 1,
        Node::Lit(elem, Number::Zero | Number::One | Number::Decimal(_, 0)) | Node::Index(elem, _)
            if elem.scalar.is_index() =>
        {
            1
        }
        Node::Get(array, _) => nodes(array, bound)?,
        Node::Prim(Prim::Where, args) => nodes(&args[1], bound)? + nodes(&args[2], bound)?,
        Node::Prim(Prim::Min | Prim::Max, args) => {
            let sides: Vec<usize> = args.iter().filter_map(|side| nodes(side, bound)).collect();
            sides.iter().copied().reduce(usize::saturating_add)?
        }
        Node::Prim(f, args) if is_reflected(*f) => {
            args.iter().try_fold(0, |sum: usize, e| Some(sum.saturating_add(nodes(e, bound)?)))?
        }
        _ => return None,
    };
    Some(sum.saturating_add(1))
}

fn is_reflected(f: Prim) -> bool {
    matches!(f, Prim::Add | Prim::Mul) || is_plain(f)
}

fn is_plain(f: Prim) -> bool {
    use Prim::{Abs, BitAnd, Cast, Div, Max, Min, Neg, Rem, Shr, Sub};
    matches!(f, Sub | Div | Rem | Neg | Abs | Min | Max | Shr | BitAnd | Cast(_))
}

/// The term with index terms for the integers that it computes, and the theorem that it is equal.
fn reflected(ctx: &Arc<Ctx>, e: &Expr, prover: &mut dyn Prover) -> Option<Thm> {
    match &**e {
        Node::Gen(..) | Node::Guard(..) => below(Thm::refl(ctx, e, prover).ok()?, &[Child::Body], prover),
        Node::Select(..) => below(Thm::refl(ctx, e, prover).ok()?, &[Child::Then, Child::Else], prover),
        Node::Index(..) => Thm::refl(ctx, e, prover).ok(),
        Node::Lit(..) => Thm::rule(ctx, Rule::LiteralIndex, e, prover).ok(),
        Node::Let(..) => then(Thm::rule(ctx, Rule::LetInline, e, prover).ok()?, prover),
        Node::Get(..) => match accessed(ctx, e, prover) {
            Some(element) => then(element, prover),
            None => read(ctx, e, prover),
        },
        Node::Var(_) => read(ctx, e, prover),
        Node::Prim(Prim::Where, _) => {
            let [_, sides @ ..] = &e.children().collect::<Vec<_>>()[..] else { return None };
            below(Thm::refl(ctx, e, prover).ok()?, sides, prover)
        }
        Node::Prim(Prim::Min | Prim::Max, _) => {
            let operands =
                where_possible(Thm::refl(ctx, e, prover).ok()?, &e.children().collect::<Vec<_>>(), prover)?;
            match Thm::rule(ctx, Rule::IndexPrim, operands.rhs(), prover) {
                Ok(whole) => operands.trans(whole).ok(),
                Err(_) => Some(operands),
            }
        }
        Node::Prim(f, _) => {
            let operands = below(Thm::refl(ctx, e, prover).ok()?, &e.children().collect::<Vec<_>>(), prover)?;
            let rule = match f {
                Prim::Add => Rule::IndexAdd,
                Prim::Mul => Rule::IndexMul,
                _ => Rule::IndexPrim,
            };
            let whole = Thm::rule(ctx, rule, operands.rhs(), prover).ok()?;
            operands.trans(whole).ok()
        }
        _ => None,
    }
}

/// The theorem with index terms on its right side.
fn then(thm: Thm, prover: &mut dyn Prover) -> Option<Thm> {
    let rest = reflected(&thm.ctx().clone(), &thm.rhs().clone(), prover)?;
    thm.trans(rest).ok()
}

/// A tensor that is named, by its elements.
fn read(ctx: &Arc<Ctx>, e: &Expr, prover: &mut dyn Prover) -> Option<Thm> {
    match Thm::rule(ctx, Rule::GenEta(Label::new("i")), e, prover) {
        Ok(elements) => then(elements, prover),
        Err(_) => Thm::rule(ctx, Rule::ReadIndex, e, prover).ok(),
    }
}

/// The element of what is generated.
fn accessed(ctx: &Arc<Ctx>, e: &Expr, prover: &mut dyn Prover) -> Option<Thm> {
    let Node::Get(array, _) = &**e else { return None };
    match &**array {
        Node::Gen(..) => Thm::rule(ctx, Rule::AccessGen, e, prover).ok(),
        Node::Get(..) => {
            let row = accessed(ctx, array, prover)?;
            let thm = Thm::congruence(ctx, e, Child::Body, row, prover).ok()?;
            let rest = accessed(ctx, &thm.rhs().clone(), prover)?;
            thm.trans(rest).ok()
        }
        _ => None,
    }
}

/// The theorem with the children at these places of its right side replaced, one after the other.
fn below(thm: Thm, places: &[Child], prover: &mut dyn Prover) -> Option<Thm> {
    places.iter().try_fold(thm, |thm, at| with(&thm, *at, prover))
}

/// The same with those of them replaced that can be, of which there must be one.
fn where_possible(thm: Thm, places: &[Child], prover: &mut dyn Prover) -> Option<Thm> {
    let mut found = None;
    for at in places {
        found = with(found.as_ref().unwrap_or(&thm), *at, prover).or(found);
    }
    found
}

/// The theorem with the child at this place of its right side replaced.
fn with(thm: &Thm, at: Child, prover: &mut dyn Prover) -> Option<Thm> {
    let (ctx, parent) = (thm.ctx().clone(), thm.rhs().clone());
    let (inner, child) = enter(&ctx, &parent, at, prover).ok()?;
    let child = reflected(&Arc::new(inner), &child, prover)?;
    thm.clone().trans(Thm::congruence(&ctx, &parent, at, child, prover).ok()?).ok()
}
