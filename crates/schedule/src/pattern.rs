//! Patterns: program fragments with `_` holes, compared with the program as it prints.

use crate::nest::{Sort, binders, qualified};
use atl_kernel::{Child, Ctx, Expr};
use atl_lang::print::{Options, to_ast};
use atl_rules::Cx;
use atl_syntax::ast::{Binder, BinderOp, Expr as Ast, ExprKind};
use atl_syntax::{Style, print_expr};
use std::borrow::Cow;

/// A pattern.
pub(crate) struct Pattern<'s> {
    ast: &'s Ast,
}

impl<'s> Pattern<'s> {
    /// The pattern that this expression is.
    pub(crate) fn new(ast: &'s Ast) -> Pattern<'s> {
        Pattern { ast }
    }

    /// The places that match, in reading order.
    pub(crate) fn places(&self, cx: &mut Cx<'_>, root: &Expr) -> Vec<Vec<Child>> {
        let mut places = Vec::new();
        self.walk(cx, root, &mut Vec::new(), &mut places);
        places
    }

    fn walk(&self, cx: &mut Cx<'_>, e: &Expr, path: &mut Vec<Child>, sites: &mut Vec<Vec<Child>>) {
        if matches(self.ast, &shown(&cx.ctx, e)) {
            sites.push(path.clone());
        }
        for at in e.children() {
            let Ok((mut inside, child)) = cx.enter(e, at) else { continue };
            path.push(at);
            self.walk(&mut inside, &child, path, sites);
            path.pop();
        }
    }
}

/// The program as patterns see it.
fn shown(ctx: &Ctx, e: &Expr) -> Ast {
    to_ast(ctx, e, None, Options { annotations: false, ..Options::default() })
}

/// A pattern that matches this term, with holes for all but what stands at its top.
pub(crate) fn describe(ctx: &Ctx, e: &Expr) -> String {
    let mut ast = shown(ctx, e);
    hollow(&mut ast, 2);
    print_expr(&ast, Style::LINE)
}

/// How a script names this place: the loop or `let` that stands there, or else a pattern.
pub(crate) fn site(ctx: &Ctx, root: &Expr, path: &[Child], e: &Expr) -> String {
    let here = binders(root).into_iter().find(|p| p.path == path);
    match here {
        Some(place) if place.sort == Sort::Let => place.label.name.to_string(),
        Some(place) => qualified(root, &place),
        None => describe(ctx, e),
    }
}

/// Put holes for what stands so deep; names and numbers are as short as holes.
fn hollow(e: &mut Ast, depth: usize) {
    if matches!(e.kind, ExprKind::Name(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_)) {
        return;
    }
    match depth.checked_sub(1) {
        None => e.kind = ExprKind::Hole,
        Some(depth) => e.children_mut().into_iter().for_each(|child| hollow(child, depth)),
    }
}

/// Does the pattern match the program? A hole matches anything; everything else must be written alike.
fn matches(pattern: &Ast, e: &Ast) -> bool {
    let all = |ps: &[Ast], es: &[Ast]| ps.len() == es.len() && ps.iter().zip(es).all(|(p, e)| matches(p, e));
    match (&pattern.kind, &e.kind) {
        (ExprKind::Hole, _) => true,
        (ExprKind::Unary(f, p), ExprKind::Unary(g, e)) => f == g && matches(p, e),
        (ExprKind::Binary(f, p, q), ExprKind::Binary(g, d, e)) => f == g && matches(p, d) && matches(q, e),
        (ExprKind::Compare(p, ps), ExprKind::Compare(e, es)) => {
            matches(p, e)
                && ps.len() == es.len()
                && ps.iter().zip(es).all(|((f, p), (g, e))| f == g && matches(p, e))
        }
        (
            ExprKind::Access { kind: k, base: p, indices: ps },
            ExprKind::Access { kind: l, base: e, indices: es },
        ) => k == l && matches(p, e) && all(ps, es),
        (ExprKind::Call { callee: f, args: ps }, ExprKind::Call { callee: g, args: es }) => {
            f == g && all(ps, es)
        }
        (ExprKind::Convert { to: s, value: p }, ExprKind::Convert { to: t, value: e }) => {
            s == t && matches(p, e)
        }
        (ExprKind::Guard { predicate: p, body: q }, ExprKind::Guard { predicate: d, body: e }) => {
            matches(p, d) && matches(q, e)
        }
        (ExprKind::Bind { op: f, binders: ps, body: p }, ExprKind::Bind { op: g, binders: es, body: e }) => {
            let same = |(p, e): (&Binder, &Binder)| {
                let bounds = |p: &Option<Ast>, e: &Option<Ast>| match (p, e) {
                    (Some(p), Some(e)) => matches(p, e),
                    (p, e) => p.is_none() && e.is_none(),
                };
                // A name alone matches whatever its range is.
                p.name == e.name && (p.hi.is_none() || bounds(&p.lo, &e.lo) && bounds(&p.hi, &e.hi))
            };
            // `gen i < n { gen j < m { e } }` is printed as one loop with two binders.
            let common = ps.len().min(es.len());
            f == g
                && ps.iter().zip(es).all(same)
                && matches(&inner(*f, &ps[common..], p), &inner(*g, &es[common..], e))
        }
        (
            ExprKind::Let { name: x, value: p, body: q, .. },
            ExprKind::Let { name: y, value: d, body: e, .. },
        ) => x == y && matches(p, d) && matches(q, e),
        (p, e) => p == e,
    }
}

/// The body below some binders, with those that are left around it.
fn inner<'a>(op: BinderOp, binders: &[Binder], body: &'a Ast) -> Cow<'a, Ast> {
    match binders {
        [] => Cow::Borrowed(body),
        left => {
            let kind = ExprKind::Bind { op, binders: left.to_vec(), body: Box::new(body.clone()) };
            Cow::Owned(Ast { kind, span: body.span })
        }
    }
}
